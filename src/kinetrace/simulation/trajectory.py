"""`Trajectory`: a motion in time, of one robot or of many at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from ..arrays import tree_map
from ..errors import InputError, value_text
from ..errors.unknown_names import hint
from ..model.model import Model
from ..robot import Robot
from ..robot.types import Float
from ..support.attributes import cached_property
from ..support.keywords import known_keywords
from ..worlds import World
from ..worlds.lanes import world_of_lane
from . import trajectory_files
from .figures import plot
from .inputs import SimulationState, contact_lane
from .limit_checks import excesses
from .metadata import Event, Excess, MotionFailure, VariableNames, names_of

if TYPE_CHECKING:
    from .contact.motion_contacts import MotionContacts
    from .contact.motion_objects import ObjectMotion
    from .contact.sensors import InertialReadings


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Motion in time, of one robot or of a batch.

    Row 0 is the initial state. A slice of a trajectory, `motion[10:20]`, is a trajectory of these rows.
    `Robot.simulate` makes trajectories.

    Parameters
    ----------
    t : ndarray, shape (n,)
        Times [s].
    q : ndarray, shape (..., n, nq)
        Configurations at these times.
    v : ndarray, shape (..., n, nv)
        Velocities [rad/s, m/s].
    tau : ndarray, shape (..., n, nv)
        Joint forces [N m, N]: row k acts from t[k] on; the last row is what acted until then.
    dt : float
        Length of a step [s], of which every `record`-th has a row; of slices with a stride and of resampled motions,
        the time between rows, if it is constant.
    names : Names
        Names and units of the entries of q, v and tau.
    robot_name : str, default ""
        Name of the robot.
    method : str, default ""
        Integrator.
    robot : Robot, optional
        Robot that was simulated, if it is known: files do not keep it.
    interrupted : bool, default False
        Whether Ctrl-C ended the simulation early.
    failures : tuple of MotionFailure, default ()
        Where numbers ceased to be finite, or an adaptive solver gave up.
    events : tuple of Event, default ()
        Zeros of event functions.
    end : SimulationState, optional
        All that the simulation goes on with, where `resume` begins.
    states : object, optional
        The controller's state at each time, arrays (..., n, ·) in the structure of `state`; of controllers of
        `kinetrace.control`, and of those that were compiled.
    reported : mapping of str to ndarray, default {}
        What steps report, arrays (..., n, ·): row k is of the step that begins at t[k], the last row of that which ends
        there. `contacts` is made of it.
    contact_inputs : mapping of str to ndarray, default {}
        Numbers of contacts that were given to steps by name, as `contact` in `simulate`.
    scene : Trajectory, optional
        The motion of the robot with the objects of its world, of which this one is a part.
    world : World, optional
        The world of the motion.

    Examples
    --------
    >>> import kinetrace as kt
    >>> motion = kt.load("planar2r").simulate([0.0, 0.0], [0.0, 0.0], t=0.5, dt=1e-3, record=100)
    >>> motion
    Trajectory('planar2r', t=0…0.5, 6 rows)
    >>> motion.q[-1].round(3), motion[2:4].t
    (array([-1.123,  0.594]), array([0.2, 0.3]))
    """

    t: Float
    q: Float
    v: Float
    tau: Float
    dt: float
    names: VariableNames
    robot_name: str = ""
    method: str = ""
    robot: Robot | None = field(default=None, repr=False)
    """The robot, if it is known: files do not keep it."""
    interrupted: bool = False
    """Whether Ctrl-C ended the simulation early."""
    failures: tuple[MotionFailure, ...] = ()
    events: tuple[Event, ...] = ()
    end: SimulationState | None = field(default=None, repr=False)
    """All that the simulation goes on with, where `resume` begins."""
    states: Any = None
    """The controller's state at each time, if it is arrays."""
    reported: Mapping[str, Float] = field(default_factory=dict, repr=False)
    """What steps report, such as "contact_impulses", by name."""
    contact_inputs: Mapping[str, Float] = field(default_factory=dict, repr=False)
    """Numbers of contacts that were given to steps by name, as in `simulate(contact=)`."""
    scene: Trajectory | None = field(default=None, repr=False)
    """The motion of the robot with the objects of its world, of which this one is a part."""
    world: World | None = field(default=None, repr=False)
    """The world of the motion."""

    if not TYPE_CHECKING:  # else type checkers accept every name

        def __getattr__(self, name: str) -> Any:
            """Raise an error with the nearest names; called for missing attributes alone."""
            if name.startswith("_"):
                raise AttributeError(name)
            meant = hint("motion", name, dir(self), "dir(motion) lists what there is", prefix="motion.")
            raise AttributeError(f"a trajectory has no {name!r}; {meant}", name=name, obj=None)

    @property
    def state(self) -> Any:
        """The controller's own state at the end."""
        return None if self.end is None else self.end.controller

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        lanes = f", batch={self.q.shape[:-2]}" if self.q.ndim > 2 else ""
        span = f"t={self.t[0]:g}…{self.t[-1]:g}" if len(self) else "empty"
        return f"Trajectory({self.robot_name!r}, {span}, {len(self)} rows{lanes})"

    def _repr_html_(self) -> str:
        from .figures import of_trajectory

        return of_trajectory(self)

    def __getitem__(self, rows: slice) -> Trajectory:
        """The rows of a slice."""
        if not isinstance(rows, slice):
            raise InputError(
                f"take rows by a slice, as motion[10:20], or arrays by name, as motion.q[10]; got {rows!r}"
            )
        arrays = {name: getattr(self, name)[..., rows, :] for name in ("q", "v", "tau")}
        t = self.t[rows]
        dt = self.dt if rows.step in (None, 1) else self._spacing(t)
        to_the_end = range(len(self))[rows][-1:] == range(len(self))[-1:]
        end = self.end if to_the_end else None
        scene = None if self.scene is None else self.scene[rows]
        return replace(self, t=t, dt=dt, end=end, scene=scene, **arrays, **self._further(rows))

    def _further(self, rows: Any) -> dict[str, Any]:
        """Rows of the controller's state, and of what steps report."""
        axes = (slice(None),) * (self.q.ndim - 2)
        return self._mapped(lambda x: x[(*axes, rows)])

    def _mapped(self, change: Callable[[Any], Any]) -> dict[str, Any]:
        """The controller's state and what steps report, each array changed."""
        states = None if self.states is None else tree_map(change, self.states)
        return {"states": states, "reported": {name: change(x) for name, x in self.reported.items()}}

    def _spacing(self, t: Float) -> float:
        """The time between two of these, if it is always the same; else dt."""
        steps = np.diff(t)
        same = len(steps) > 0 and steps[0] > 0 and np.allclose(steps, steps[0], rtol=1e-6, atol=0.0)
        return float(t[-1] - t[0]) / len(steps) if same else self.dt

    def lane(self, *index: int) -> Trajectory:
        """One motion of a batch.

        Parameters
        ----------
        *index : int
            Indices of the motion, one per batch axis.

        Returns
        -------
        Trajectory
            The motion.

        Raises
        ------
        InputError
            If there is no such motion.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> motion = kt.load("planar2r").simulate(np.zeros((3, 2)), np.zeros(2), t=0.1, dt=0.05)
        >>> motion.lane(1).q.round(3)
        array([[ 0.   ,  0.   ],
               [-0.016,  0.021],
               [-0.063,  0.084]])
        """
        if len(index) != self.q.ndim - 2:
            raise InputError(f"the batch has axes {self.q.shape[:-2]}: give as many numbers, got {index}")
        for i, n in zip(index, self.q.shape, strict=False):
            if not isinstance(i, int | np.integer) or isinstance(i, bool) or not -n <= i < n:
                raise InputError(f"the batch has axes {self.q.shape[:-2]}: there is no lane {index}")
        arrays = {name: getattr(self, name)[index] for name in ("q", "v", "tau")}
        place = tuple(i % n for i, n in zip(index, self.q.shape, strict=False))
        failures = tuple(x._replace(lane=()) for x in self.failures if x.lane == place)
        end = None if self.end is None else self.end.lane(index)
        scene = None if self.scene is None else self.scene.lane(*index)
        further: dict[str, Any] = self._mapped(lambda x: x[index])
        if self.world is not None:
            further["world"] = world_of_lane(self.world, place)
        further["contact_inputs"] = contact_lane(index, self.contact_inputs)
        return replace(self, **arrays, failures=failures, end=end, scene=scene, **further)

    def resample(self, t: npt.ArrayLike) -> Trajectory:
        """Motion at other times: q along geodesics of the joints, v along lines, tau as it was held.

        Parameters
        ----------
        t : array_like, shape (k,)
            Times within those of the motion [s].

        Returns
        -------
        Trajectory
            The motion at these times.

        Raises
        ------
        InputError
            If times are outside the motion, or the robot is not known.

        Examples
        --------
        >>> import kinetrace as kt
        >>> motion = kt.load("planar2r").simulate([0.0, 0.0], [1.0, 0.0], t=0.1, dt=0.01)
        >>> motion.resample([0.005, 0.05]).q.round(4)
        array([[0.0047, 0.0004],
               [0.0342, 0.021 ]])
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
        held = {"tau": self.tau[..., last, :], **self._further(last)}
        scene = None if self.scene is None else self.scene.resample(times)
        return replace(self, t=times, dt=self._spacing(times), q=np.asarray(q), v=v, end=None, scene=scene, **held)

    @known_keywords
    def resume(
        self,
        t: float,
        *,
        tau: npt.ArrayLike | None = None,
        controller: Callable[..., Any] | None = None,
        control: npt.ArrayLike | Callable[..., Any] | None = None,
        state: Any = None,
        parameters: Mapping[str, Any] | None = None,
        wrench: Mapping[str, Any] | Callable[..., Any] | None = None,
        record: int = 1,
        compiled: bool | None = None,
        progress: Callable[[int, int], object] | bool | None = None,
    ) -> Trajectory:
        """The motion from the end on, as `Robot.simulate` would have gone on with it, to the same numbers.

        Method, length of steps, `project` and all that `end` has go on: constant forces and controls, what it keeps,
        the controller's state, the base's motion, drives, constant wrenches, `stabilisation`. What acts and is no array
        of the motion is given again: controllers and functions of wrenches. It takes motions of `simulate` in equal
        steps, also those that were interrupted or read from files .npz and .parquet. Lanes of a batch that failed stay
        as they are, and the others go on.

        Parameters
        ----------
        t : float
            Further time [s], a multiple of the length of steps.
        tau : array_like, shape (..., nv), optional
            Constant joint forces [N m, N]; those of the motion unless given.
        controller : callable, optional
            Controller, as in `simulate`; it begins with the state that it had at the end.
        control : array_like or callable, optional
            Controls of the actuators, as in `simulate`; those of the motion unless given, if they were constant.
        state : object, optional
            Another state of the controller to begin with: needed where a file could not keep that of the end.
        parameters : mapping of str to object, optional
            Further keywords of the controller.
        wrench : mapping of str to array_like or callable, or callable, optional
            Functions of wrenches, or wrenches that take the places of those before.
        record : int, default 1
            Number of steps per row of the result.
        compiled : bool, optional
            Whether the loop runs in a kernel, as in `simulate`.
        progress : callable or bool, optional
            As in `simulate`.

        Returns
        -------
        Trajectory
            The motion from the end of this one on, with its last row as the first.

        Raises
        ------
        InputError
            If the motion has no state to go on with, the robot is not known, or it has other laws of friction and stops
            than that of the motion, or if what acts must be given again.

        Examples
        --------
        >>> import kinetrace as kt
        >>> robot = kt.load("planar2r")
        >>> whole = robot.simulate([0.0, 0.0], [0.0, 0.0], t=0.2, dt=0.01)
        >>> rest = robot.simulate([0.0, 0.0], [0.0, 0.0], t=0.1, dt=0.01).resume(0.1)
        >>> rest, bool((rest.q == whole.q[10:]).all())
        (Trajectory('planar2r', t=0.1…0.2, 11 rows), True)
        """
        from .contact import scenes
        from .integration import resume

        given = {"tau": tau, "controller": controller, "control": control, "state": state, "parameters": parameters}
        further = {"wrench": wrench, "record": record, "compiled": compiled, "progress": progress}
        go_on = resume if self.scene is None else scenes.resume
        return go_on(self, self._robot("resume"), t, {**given, **further})

    @cached_property
    def contacts(self) -> MotionContacts:
        """Contacts along the motion of a robot in a world: forces, gaps, which touch; see `MotionContacts`.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> robot = kt.load("quadruped", base="free")
        >>> motion = robot.simulate(robot.home(), np.zeros(18), 0.01, 1e-3, world=kt.World(pairs="feet"))
        >>> motion.contacts.names
        ('FL_foot-ground', 'FR_foot-ground', 'RL_foot-ground', 'RR_foot-ground')
        >>> motion.contacts.forces.shape
        (11, 4, 3)
        """
        from .contact.motion_contacts import contacts_of

        return contacts_of(self)

    @property
    def objects(self) -> Mapping[str, ObjectMotion]:
        """The motions of the objects of the world by name: `pose` (..., n, 7), `twist` (..., n, 6), q and v.

        Examples
        --------
        >>> import kinetrace as kt
        >>> world = kt.World(objects={"ball": kt.worlds.Sphere(0.1, mass=1.0, pose=[2, 0, 0.3])})
        >>> motion = kt.load("planar2r").simulate([0.0, 0.0], [0.0, 0.0], t=0.1, dt=0.01, world=world)
        >>> motion.objects["ball"].pose[-1, :3].round(3)
        array([2.   , 0.   , 0.246])
        """
        from .contact.motion_objects import objects_of

        return objects_of(self)

    def imu(self, frame: str) -> InertialReadings:
        """Readings of an inertial unit at a frame: acceleration less gravity, and angular velocity.

        Readings of a row are means until the next one, as such units have; the last row repeats those before.

        Parameters
        ----------
        frame : str
            Frame of the unit; `robot.frame_names` lists them.

        Returns
        -------
        InertialReadings
            `acceleration` (..., n, 3) [m/s²] and `angular_velocity` (..., n, 3) [rad/s], in the axes of the frame.

        Raises
        ------
        InputError
            If the robot is not known, there is no such frame, or the motion has one row alone.

        Examples
        --------
        >>> import kinetrace as kt
        >>> motion = kt.load("planar2r").simulate([0.0, 0.0], [0.0, 0.0], t=0.1, dt=1e-3)
        >>> motion.imu("tip").acceleration[0].round(2)
        array([-0. ,  0. ,  1.4])
        """
        from .contact.sensors import imu

        return imu(self, frame)

    def force_torque(self, frame: str) -> Float:
        """Readings of a force–torque sensor: the wrench through the joint that carries a frame.

        It acts on what the joint carries, so that it carries its weight at rest. Readings of a row are means until the
        next one; take a row for every step (record=1) where there are contacts.

        Parameters
        ----------
        frame : str
            Frame about whose origin, and in whose axes, the wrench is; on a link that a joint moves.

        Returns
        -------
        ndarray, shape (..., n, 6)
            Moments and forces [N m, N].

        Raises
        ------
        InputError
            If the robot is not known, there is no such frame, no joint carries it, or wrenches acted on the motion.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> robot = kt.load("planar2r")
        >>> motion = robot.simulate([0.0, 0.0], [0.0, 0.0], 0.1, 1e-3, tau=robot.gravity([0.0, 0.0]))
        >>> motion.force_torque("link2")[0].round(3)
        array([ 0.   , -4.905,  0.   ,  0.   ,  0.   ,  9.81 ])
        """
        from .contact.sensors import force_torque

        return force_torque(self, frame)

    def kinetic_energy(self) -> Float:
        """Kinetic energy ½ vᵀ M v at each time.

        Returns
        -------
        ndarray, shape (..., n)
            Energies [J].

        Raises
        ------
        InputError
            If the robot is not known.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.load("planar2r").simulate([0.0, 0.0], [0.0, 0.0], t=0.1, dt=0.05).kinetic_energy().round(3)
        array([0.   , 0.206, 0.824])
        """
        return np.asarray(self._robot("energy").kinetic_energy(self.q, self.v))

    def potential_energy(self) -> Float:
        """Potential energy of gravity, springs and soft stops at each time.

        Returns
        -------
        ndarray, shape (..., n)
            Energies [J].

        Raises
        ------
        InputError
            If the robot is not known.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.load("planar2r").simulate([0.5, 0.0], [0.0, 0.0], t=0.1, dt=0.05).potential_energy().round(3)
        array([9.406, 9.247, 8.756])
        """
        return np.asarray(self._robot("energy").potential_energy(self.q))

    def energy(self) -> Float:
        """Sum of kinetic and potential energy at each time: constant if nothing drives or damps the robot.

        Returns
        -------
        ndarray, shape (..., n)
            Energies [J].

        Raises
        ------
        InputError
            If the robot is not known.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.load("planar2r").simulate([0.5, 0.0], [0.0, 0.0], t=0.1, dt=0.05).energy().round(3)
        array([9.406, 9.406, 9.406])
        """
        return np.asarray(self._robot("energy").total_energy(self.q, self.v))

    def closure_residual(self) -> Float:
        """Residuals of the closures at each time, as in `Robot.closure_residual`.

        Returns
        -------
        ndarray, shape (..., n, rows)
            Residuals [m, rad].

        Raises
        ------
        InputError
            If the robot is not known.

        Examples
        --------
        >>> import kinetrace as kt
        >>> floor = kt.closures.Loop("world", "tip", kt.closures.FrictionlessPoint())
        >>> robot = kt.load("planar2r").with_closures(floor)
        >>> motion = robot.simulate([0.5, -1.0], [0.0, 0.0], t=0.1, dt=0.05, method="semi-implicit")
        >>> abs(motion.closure_residual()).max().round(9)
        np.float64(0.0)
        """
        return np.asarray(self._robot("closure_residual").closure_residual(self.q))

    def beyond_limits(self) -> tuple[Excess, ...]:
        """Joints beyond their limits of position, velocity or force in the rows of the motion.

        Positions count from a thousandth of their range beyond a limit, or from ten times the width of a soft stop;
        velocities and forces from a twentieth of the limit. Limits of mimic joints count for the joint that they
        follow; a limit of velocity or force that is zero is none.

        Returns
        -------
        tuple of Excess
            For each joint and quantity that is beyond: `joint`, `quantity` ("position", "velocity" or "force"), `unit`,
            the `value` that is furthest beyond the `limit` and `by` how much, its time `t` and the time `since` when
            the joint is beyond [s]; of a batch, `lane` has that value, and in `lanes` motions the joint is beyond.

        Raises
        ------
        InputError
            If the robot is not known.

        Examples
        --------
        >>> import kinetrace as kt
        >>> motion = kt.load("planar2r").simulate([0.0, 0.0], [0.0, 0.0], t=0.5, dt=0.01)
        >>> motion.beyond_limits()
        ()
        """
        arrays = {"q": self.q, "v": self.v, "tau": self.tau}
        return excesses(self._robot("beyond_limits").model, self.t, arrays)

    def _robot(self, what: str) -> Robot:
        if self.robot is None:
            raise InputError(f"{what} needs the robot, which files do not keep: Trajectory.load(path, robot=robot)")
        return self.robot

    def save(self, path: str | Path) -> None:
        """Write to a file.

        Files .npz and .parquet keep everything but the robot. The controller's state at the end, with which `resume`
        begins, is kept if it is made of numbers and arrays, in dicts, tuples and lists; else a `SimulationWarning`
        names what is not, and `resume` takes `state=` anew. What is read has arrays in the place of numbers, and dicts
        in that of named tuples. A .parquet file is a table with the columns of `to_pandas`. A table .csv keeps t, q, v,
        tau, names and units alone; when it is read, dt is the time between two rows. The file is written completely or
        not at all.

        Parameters
        ----------
        path : str or Path
            Path with the suffix .npz, .csv or .parquet, which decides the format.

        Raises
        ------
        InputError
            If the suffix is unknown.

        Examples
        --------
        >>> import pathlib, tempfile, kinetrace as kt
        >>> motion = kt.load("planar2r").simulate([0.0, 0.0], [0.0, 0.0], t=0.1, dt=0.05)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     motion.save(pathlib.Path(folder) / "motion.csv")
        ...     print((pathlib.Path(folder) / "motion.csv").read_text().splitlines()[0])
        t [s],q:joint1 [rad],q:joint2 [rad],v:joint1 [rad/s],v:joint2 [rad/s],tau:joint1 [N m],tau:joint2 [N m]
        """
        trajectory_files.save(self, Path(path))

    @classmethod
    def load(cls, path: str | Path, robot: Robot | None = None) -> Trajectory:
        """Read a file that `save` wrote.

        Parameters
        ----------
        path : str or Path
            Path of a file .npz, .csv or .parquet.
        robot : Robot, optional
            The robot, which energies and `resample` need.

        Returns
        -------
        Trajectory
            The motion.

        Raises
        ------
        InputError
            If the file is not a motion of that robot.

        Examples
        --------
        >>> import pathlib, tempfile, kinetrace as kt
        >>> robot = kt.load("planar2r")
        >>> motion = robot.simulate([0.0, 0.0], [0.0, 0.0], t=0.1, dt=0.05)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     motion.save(pathlib.Path(folder) / "motion.npz")
        ...     kt.Trajectory.load(pathlib.Path(folder) / "motion.npz", robot)
        Trajectory('planar2r', t=0…0.1, 3 rows)
        """
        if not isinstance(path, str | Path):
            raise InputError(f"path must be that of a file, got {value_text(path)}")
        return cls._with(robot, trajectory_files.load(Path(path)), repr(Path(path).name))

    @classmethod
    def _with(cls, robot: Robot | None, found: Mapping[str, Any], where: str) -> Trajectory:
        """A trajectory of these fields, with its robot, checked."""
        fields = dict(found)
        part = fields.pop("part", None)
        if robot is not None:
            if not isinstance(getattr(robot, "model", None), Model):
                raise InputError(f"robot must be a Robot, as kinetrace.load returns, got {type(robot).__name__}")
            joints = found["names"].v if part is None else found["names"].v[: part.nv]
            if joints != names_of(robot.model).v:
                raise InputError(f"{where} is a motion of joints {joints}, not of {robot.name!r}")
        if part is None:
            return cls(robot=robot, **fields)
        from .contact import scenes

        return scenes.read_part(cls, robot, fields, part)

    def to_pandas(self) -> Any:
        """Table of the motion, with one row per time, and per motion of a batch.

        Returns
        -------
        pandas.DataFrame
            The table, with the columns of CSV files, and of the controller's states; its `attrs` have the rest.

        Raises
        ------
        InputError
            If pandas is not installed.

        Examples
        --------
        >>> import kinetrace as kt
        >>> motion = kt.load("planar2r").simulate([0.0, 0.0], [0.0, 0.0], t=0.1, dt=0.05)
        >>> motion.to_pandas().shape  # doctest: +SKIP
        (3, 7)
        """
        return trajectory_files.to_pandas(self)

    def to_xarray(self) -> Any:
        """Data set of q, v, tau and the controller's states, with named axes and units.

        Its methods write it elsewhere: `motion.to_xarray().to_zarr(path)`, `to_netcdf`; and `from_xarray` takes what
        `xarray.open_zarr` and `open_dataset` read.

        Returns
        -------
        xarray.Dataset
            The data set.

        Raises
        ------
        InputError
            If xarray is not installed.

        Examples
        --------
        >>> import kinetrace as kt
        >>> motion = kt.load("planar2r").simulate([0.0, 0.0], [0.0, 0.0], t=0.1, dt=0.05)
        >>> motion.to_xarray().sizes["t"]  # doctest: +SKIP
        3
        """
        return trajectory_files.to_xarray(self)

    @classmethod
    def from_pandas(cls, table: Any, robot: Robot | None = None) -> Trajectory:
        """Motion from a table that `to_pandas` made.

        Parameters
        ----------
        table : pandas.DataFrame
            The table.
        robot : Robot, optional
            The robot, which energies and `resample` need.

        Returns
        -------
        Trajectory
            The motion.

        Raises
        ------
        InputError
            If the table is not a motion of that robot.

        Examples
        --------
        >>> import kinetrace as kt
        >>> motion = kt.load("planar2r").simulate([0.0, 0.0], [0.0, 0.0], t=0.1, dt=0.05)
        >>> kt.Trajectory.from_pandas(motion.to_pandas())  # doctest: +SKIP
        Trajectory('planar2r', t=0…0.1, 3 rows)
        """
        return cls._with(robot, trajectory_files.from_pandas(table), "the table")

    @classmethod
    def from_xarray(cls, dataset: Any, robot: Robot | None = None) -> Trajectory:
        """Motion from a data set that `to_xarray` made.

        Parameters
        ----------
        dataset : xarray.Dataset
            The data set.
        robot : Robot, optional
            The robot, which energies and `resample` need.

        Returns
        -------
        Trajectory
            The motion.

        Raises
        ------
        InputError
            If the data set is not a motion of that robot.

        Examples
        --------
        >>> import kinetrace as kt
        >>> motion = kt.load("planar2r").simulate([0.0, 0.0], [0.0, 0.0], t=0.1, dt=0.05)
        >>> kt.Trajectory.from_xarray(motion.to_xarray())  # doctest: +SKIP
        Trajectory('planar2r', t=0…0.1, 3 rows)
        """
        return cls._with(robot, trajectory_files.from_xarray(dataset), "the data set")

    def plot(self, path: str | Path | None = None, what: Literal["motion", "energy"] = "motion") -> Any:
        """Figure of q, v and tau over time, or of energies.

        If the robot is known, parts of curves beyond its limits are marked.

        Parameters
        ----------
        path : str or Path, optional
            File to write the figure to, .png, .svg or .pdf.
        what : {"motion", "energy"}, default "motion"
            Panels of q, v and tau by unit; or kinetic, potential and total energy, and how the total changes.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.

        Raises
        ------
        InputError
            If the motion is a batch, the suffix is unknown, matplotlib is not installed, or energies are asked for
            and the robot is not known.

        Examples
        --------
        >>> import kinetrace as kt
        >>> motion = kt.load("planar2r").simulate([0.0, 0.0], [0.0, 0.0], t=0.1, dt=0.05)
        >>> [panel.get_ylabel() for panel in motion.plot().axes]  # motion.plot("motion.pdf") writes it
        ['q [rad]', 'v [rad/s]']
        """
        return plot(self, None if path is None else Path(path), what)
