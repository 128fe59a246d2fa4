"""Closed loops: whether they are closed, and what they leave free."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from .. import algorithms, loops
from ..errors import InputError
from ..loops import Mobility
from ..model.checks import numbers
from .dispatch import compiled
from .kinematics import Kinematics
from .mass import Mass
from .types import Array, Drives, Float, Out, Threads


class _Driven:
    """A robot whose closures are driven, one configuration or many."""

    def __init__(self, robot: Closures, drive: Drives) -> None:
        self.model, self.integrate = robot.model, robot.integrate
        self.closure_residual = partial(robot.closure_residual, drive=drive)
        self.closure_jacobian = partial(robot.closure_jacobian, drive=drive)


class Closures(Kinematics, Mass):
    """Closed loops: whether they are closed, and what they leave free."""

    @property
    def closure_names(self) -> tuple[str, ...]:
        """The closures, in the order of their rows."""
        return tuple(self.model.closure_slices)

    @property
    def dof(self) -> int:
        """Degrees of freedom that the closures leave, at almost all configurations; `nv` without closures.

        >>> import kinetrace as kt
        >>> kt.load("stewart").dof
        6
        """
        return self.model.dof

    @property
    def independent(self) -> tuple[int, ...]:
        """Where the independent velocities stand in v; `with_closures(independent=...)` chooses others.

        >>> import kinetrace as kt
        >>> len(kt.load("four_bar").independent)
        1
        """
        return self.model.independent

    @property
    def motor_names(self) -> tuple[str, ...]:
        """The joints that have motors; `with_motors` chooses them.

        >>> import kinetrace as kt
        >>> kt.load("four_bar").with_motors("crank").motor_names
        ('crank',)
        """
        return self.model.motor_names

    def closure_slice(self, closure: str) -> slice:
        """Where the rows of a closure stand among those of all.

        >>> import kinetrace as kt
        >>> four_bar = kt.load("four_bar")
        >>> four_bar.closure_slice(four_bar.closure_names[0])
        slice(0, 5, None)
        """
        return self.model.closure_slice(closure)

    def assemble(self, guess: Array | None = None, *, hold: Sequence[str] = (), drive: Drives = None) -> Float:
        """Configurations (..., nq) with all loops closed, near guesses (..., nq) and within the joint limits.

        Without a guess, the one that was found when the robot was made. One guess that leads to none is an error that
        names the closure that stays open; among many, it gives NaN. Joints that are to `hold` stay where the guess has
        them. `drive` is that of `closure_residual`, (3, k), one for all configurations.

        >>> import kinetrace as kt
        >>> robot = kt.load("four_bar")
        >>> bool(abs(robot.closure_residual(robot.assemble())).max() < 1e-12)
        True
        >>> robot.assemble(robot.random(10, seed=1)).shape
        (10, 3)
        >>> robot.assemble([1.0, 0.0, 0.0], hold=["crank"])[0]
        np.float64(1.0)
        """
        if guess is None:
            found = np.array(self.neutral() if self.model.assembly is None else self.model.assembly.q)
            return found if drive is None else self.assemble(found, hold=hold, drive=drive)
        given = self._configurations(guess)
        flat, exact = given.reshape(-1, self.nq), _Driven(self._exact(), drive)
        if flat.shape == (1, self.nq) and not np.all(np.isfinite(flat)):
            raise InputError(f"guess must be finite numbers, got {flat[0].tolist()}")
        names = (hold,) if isinstance(hold, str) else hold
        held = [k for name in names for k in range(self.nv)[self.v_slice(name)]]
        return self._checked(*loops.assembled(exact, flat, held=held), exact).reshape(given.shape)

    def project(self, q: Array, v: Array | None = None, *, drive: Drives = None) -> Float | tuple[Float, Float]:
        """The closed configuration nearest to q (..., nq); with a velocity v (..., nv), also the nearest allowed one.

        Near is what takes least kinetic energy to reach: distances are measured by the mass matrix at q, and the
        nearest configuration is found to first order in the distance. It takes the drift out of a simulation, and
        nothing else: joint limits do not matter. `drive` is that of `assemble`.

        >>> import numpy as np, kinetrace as kt
        >>> robot = kt.load("four_bar")
        >>> q, v = robot.project(robot.assemble() + 1e-3, np.ones(3))
        >>> bool(abs(robot.closure_velocity(q, v)).max() < 1e-12)
        True
        """
        given = self._configurations(q)
        flat, exact = given.reshape(-1, self.nq), self._exact()
        if not self.model.closures:
            closed = flat
        else:
            driven, weight = _Driven(exact, drive), np.asarray(exact.mass_matrix(flat))
            closed = self._checked(*loops.assembled(driven, flat, weight, limits=False), driven)
        found = closed.reshape(given.shape)
        if v is None:
            return found
        given_v = np.array(numbers(v, "v"), dtype=float)
        K, M = np.asarray(exact.closure_jacobian(found, drive=drive)), np.asarray(exact.mass_matrix(found))
        rate = np.asarray(exact.closure_velocity(found, given_v, drive=drive))
        return found, loops.projected_velocity(K, M, given_v, rate)

    def mobility(self, q: Array | None = None) -> Mobility:
        """Degrees of freedom and redundant rows at a configuration (nq,); at almost all, if none is given.

        >>> import kinetrace as kt
        >>> found = kt.load("four_bar").mobility()
        >>> found.dof, dict(found.redundant)
        (1, {'coupler-rocker': 3})
        """
        at = None if q is None else self._configurations(q, batch=False)
        if at is not None and not np.all(np.isfinite(at)):
            raise InputError(f"q must be finite numbers, got {at.tolist()}")
        return loops.mobility(self._unchecked(), at)

    def _configurations(self, q: Array, batch: bool = True) -> npt.NDArray[np.float64]:
        x = np.array(numbers(q, "q"), dtype=float)
        if x.shape[-1:] != (self.nq,) or (x.ndim > 1 and not batch):
            raise InputError(f"q must have shape ({'..., ' if batch else ''}{self.nq}), got {x.shape}")
        return x

    @abstractmethod
    def _exact(self) -> Closures:
        """This robot in float64, which closing loops takes."""

    def _checked(self, q: Float, error: Float, robot: _Driven) -> Float:
        failed = ~(error < loops.CLOSED)
        if len(q) == 1 and failed[0] and np.all(np.isfinite(q)):
            raise loops.not_closed(self.model, robot.closure_residual(q)[0], "the loops do not close from this guess")
        return np.where(failed[:, None], np.nan, q)

    @compiled(algorithms.closure_residual)
    def closure_residual(self, q: Array, *, drive: Drives = None, out: Out = None, threads: Threads = None) -> Float:
        """How far the loops are from closed (..., rows) [m, rad]; zero for rows that hold velocities alone.

        `drive` maps names of closures to prescribed motions (..., 3, k): displacement, velocity and acceleration, of
        frame a as (rotation vector, shift) and twists in it (k = 6), or of a coupling's offset (k = 1).

        >>> import kinetrace as kt
        >>> robot = kt.load("four_bar")
        >>> robot.closure_residual(robot.assemble()).shape
        (5,)
        """

    @compiled(algorithms.closure_jacobian)
    def closure_jacobian(self, q: Array, *, drive: Drives = None, out: Out = None, threads: Threads = None) -> Float:
        """K (..., rows, nv): K v = 0 for the velocities that the closures allow.

        >>> import kinetrace as kt
        >>> robot = kt.load("four_bar")
        >>> robot.closure_jacobian(robot.assemble()).shape
        (5, 3)
        """

    @compiled(algorithms.closure_velocity)
    def closure_velocity(
        self, q: Array, v: Array, *, drive: Drives = None, out: Out = None, threads: Threads = None
    ) -> Float:
        """K v (..., rows), less what a drive prescribes: zero in a motion of the closed robot.

        >>> import kinetrace as kt
        >>> robot = kt.load("four_bar")
        >>> robot.closure_velocity(robot.assemble(), [0.0] * 3).shape
        (5,)
        """

    @compiled(algorithms.closure_bias)
    def closure_bias(
        self, q: Array, v: Array, *, drive: Drives = None, out: Out = None, threads: Threads = None
    ) -> Float:
        """K̇ v (..., rows), less what a drive prescribes: K v̇ = −K̇ v in a motion of the closed robot.

        >>> import kinetrace as kt
        >>> robot = kt.load("four_bar")
        >>> robot.closure_bias(robot.assemble(), [0.0] * 3).tolist()
        [0.0, 0.0, 0.0, 0.0, 0.0]
        """
