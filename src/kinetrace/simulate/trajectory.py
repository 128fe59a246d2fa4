"""`Trajectory`: a motion in time, of one robot or of many at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from ..model.model import Model
from . import files
from .names import Names, names_of
from .outcome import Event, Failure
from .plot import plot
from .protocol import Float, Simulated


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Times t (n,) [s], and at each of them q (..., n, nq), v (..., n, nv) and joint forces tau (..., n, nv).

    Row 0 is the initial state. Row k of `tau` is what acts from t[k] on; the last row is what acted until then. `dt` is
    the length of a step, of which every `record`-th has a row; of every k-th row, and of what was resampled, it is the
    time between rows, if that is always the same.

    >>> import numpy as np, kinetrace as kt
    >>> motion = kt.load("planar2r").simulate([0.0, 0.0], [0.0, 0.0], t=0.5, dt=1e-3, record=10)
    >>> motion.q.shape, motion[10:20].t[0].round(3)
    ((51, 2), np.float64(0.1))
    >>> bool(np.ptp(motion.energy()) < 1e-9)
    True
    """

    t: Float
    q: Float
    v: Float
    tau: Float
    dt: float
    names: Names
    robot_name: str = ""
    method: str = ""
    robot: Simulated | None = field(default=None, repr=False)
    """What simulated it, if it is known: files do not keep it."""
    interrupted: bool = False
    """Whether Ctrl-C ended it before its time."""
    failures: tuple[Failure, ...] = ()
    events: tuple[Event, ...] = ()
    state: Any = None
    """The controller's own state at the end."""

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        lanes = f", batch={self.q.shape[:-2]}" if self.q.ndim > 2 else ""
        span = f"t={self.t[0]:g}…{self.t[-1]:g}" if len(self) else "empty"
        return f"Trajectory({self.robot_name!r}, {span}, {len(self)} rows{lanes})"

    def __getitem__(self, rows: slice) -> Trajectory:
        """Some of the rows: a slice."""
        if not isinstance(rows, slice):
            raise InputError(
                f"take rows by a slice, as motion[10:20], or arrays by name, as motion.q[10]; got {rows!r}"
            )
        arrays = {name: getattr(self, name)[..., rows, :] for name in ("q", "v", "tau")}
        t = self.t[rows]
        return replace(self, t=t, dt=self.dt if rows.step in (None, 1) else self._spacing(t), **arrays)

    def _spacing(self, t: Float) -> float:
        """The time between two of these, if it is always the same; else dt."""
        steps = np.diff(t)
        same = len(steps) > 0 and steps[0] > 0 and np.allclose(steps, steps[0], rtol=1e-6, atol=0.0)
        return float(t[-1] - t[0]) / len(steps) if same else self.dt

    def lane(self, *index: int) -> Trajectory:
        """One motion of a batch.

        >>> import numpy as np, kinetrace as kt
        >>> motion = kt.load("planar2r").simulate(np.zeros((3, 2)), np.zeros(2), t=0.1, dt=0.01)
        >>> motion.lane(1).q.shape
        (11, 2)
        """
        if len(index) != self.q.ndim - 2:
            raise InputError(f"the batch has axes {self.q.shape[:-2]}: give as many numbers, got {index}")
        for i, n in zip(index, self.q.shape, strict=False):
            if not isinstance(i, int | np.integer) or isinstance(i, bool) or not -n <= i < n:
                raise InputError(f"the batch has axes {self.q.shape[:-2]}: there is no lane {index}")
        arrays = {name: getattr(self, name)[index] for name in ("q", "v", "tau")}
        place = tuple(i % n for i, n in zip(index, self.q.shape, strict=False))
        return replace(self, **arrays, failures=tuple(x._replace(lane=()) for x in self.failures if x.lane == place))

    def resample(self, t: npt.ArrayLike) -> Trajectory:
        """The motion at other times (k,) within its own: q along geodesics, v along lines, tau as it was held.

        >>> import kinetrace as kt
        >>> motion = kt.load("quadruped", base="free").simulate(
        ...     kt.load("quadruped", base="free").neutral(), [0.1] * 18, t=0.1, dt=0.01
        ... )
        >>> motion.resample([0.005, 0.05]).q.shape
        (2, 19)
        """
        times, robot = np.atleast_1d(np.asarray(t, dtype=float)), self._robot("resample")
        if not len(self):
            raise InputError("a motion without rows cannot be resampled")
        if times.ndim != 1 or not ((times >= self.t[0]) & (times <= self.t[-1])).all():
            raise InputError(f"t must be times (k,) from {self.t[0]:g} to {self.t[-1]:g}")
        k = np.clip(np.searchsorted(self.t, times, side="right") - 1, 0, len(self) - 2 if len(self) > 1 else 0)
        after = np.minimum(k + 1, len(self) - 1)
        span = np.where(after > k, self.t[after] - self.t[k], 1.0)
        part = ((times - self.t[k]) / span)[:, None]
        q0, q1 = self.q[..., k, :], self.q[..., after, :]
        q = robot.integrate(q0, part * robot.difference(q0, q1))
        v = self.v[..., k, :] + part * (self.v[..., after, :] - self.v[..., k, :])
        last = np.searchsorted(self.t, times, side="right") - 1
        return replace(self, t=times, dt=self._spacing(times), q=np.asarray(q), v=v, tau=self.tau[..., last, :])

    def kinetic_energy(self) -> Float:
        """½ vᵀ M v (..., n) [J]."""
        return np.asarray(self._robot("energy").kinetic_energy(self.q, self.v))

    def potential_energy(self) -> Float:
        """Of gravity and springs (..., n) [J]."""
        return np.asarray(self._robot("energy").potential_energy(self.q))

    def energy(self) -> Float:
        """Kinetic and potential energy (..., n) [J]: constant if nothing drives or damps."""
        return np.asarray(self._robot("energy").total_energy(self.q, self.v))

    def closure_residual(self) -> Float:
        """How far loops are from closed (..., n, rows) [m, rad]."""
        return np.asarray(self._robot("closure_residual").closure_residual(self.q))

    def _robot(self, what: str) -> Simulated:
        if self.robot is None:
            raise InputError(f"{what} needs the robot, which files do not keep: Trajectory.load(path, robot=robot)")
        return self.robot

    def save(self, path: str | Path) -> None:
        """Write to a file, of the kind that its suffix says: .npz, .csv or .parquet.

        An .npz file keeps all but the robot, events and the controller's state. The tables .csv and .parquet keep t, q,
        v, tau, names and units alone; read again, dt is the time between two rows. The file is there whole or not at
        all.
        """
        files.save(self, Path(path))

    @classmethod
    def load(cls, path: str | Path, robot: Simulated | None = None) -> Trajectory:
        """Read what `save` wrote; with the robot, energies and `resample` work.

        >>> import tempfile, pathlib, kinetrace as kt
        >>> robot = kt.load("planar2r")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder) / "motion.npz"
        ...     robot.simulate([0.0, 0.0], [0.0, 0.0], t=0.1, dt=0.01).save(file)
        ...     len(type(robot.simulate([0.0, 0.0], [0.0, 0.0], t=0.1, dt=0.01)).load(file, robot))
        11
        """
        return cls._with(robot, files.load(Path(path)), repr(Path(path).name))

    @classmethod
    def _with(cls, robot: Simulated | None, found: Mapping[str, Any], where: str) -> Trajectory:
        """What was found, with the robot that it is a motion of."""
        if robot is not None:
            if not isinstance(getattr(robot, "model", None), Model):
                raise InputError(f"robot must be a Robot, as kinetrace.load returns, got {type(robot).__name__}")
            if found["names"].v != names_of(robot.model).v:
                raise InputError(f"{where} is a motion of joints {found['names'].v}, not of {robot.name!r}")
        return cls(robot=robot, **found)

    def to_pandas(self) -> Any:
        """A `pandas.DataFrame` with a row per time, and per motion of a batch, and columns as in CSV files."""
        return files.to_pandas(self)

    def to_xarray(self) -> Any:
        """An `xarray.Dataset` of q, v and tau with named axes and units."""
        return files.to_xarray(self)

    @classmethod
    def from_pandas(cls, table: Any, robot: Simulated | None = None) -> Trajectory:
        """The motion that `to_pandas` made a table of."""
        return cls._with(robot, files.from_pandas(table), "the table")

    @classmethod
    def from_xarray(cls, dataset: Any, robot: Simulated | None = None) -> Trajectory:
        """The motion that `to_xarray` made a data set of."""
        return cls._with(robot, files.from_xarray(dataset), "the data set")

    def plot(self, path: str | Path | None = None) -> Any:
        """A `matplotlib` figure of q, v and tau over time, written to a file if a path is given."""
        return plot(self, None if path is None else Path(path))
