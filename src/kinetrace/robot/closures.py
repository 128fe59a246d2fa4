"""Closed loops: assembly, residuals, constraint Jacobians and mobility."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from .. import algorithms
from ..errors import InputError
from ..loops.assembly import CLOSED_RESIDUAL, assemble, not_closed, projected_velocity
from ..loops.structure import Mobility, mobility
from ..model.checks import real
from ..support.keywords import known_keywords
from ..support.plain import plain_names, plain_rows
from .dispatch import compiled
from .kinematics import Kinematics
from .mass import Mass
from .types import Array, Drives, Float, Out, Threads


class _Driven:
    """A robot with prescribed motions of its closures, as assembly needs it."""

    def __init__(self, robot: Closures, drive: Drives) -> None:
        self.model, self.integrate = robot.model, robot.integrate
        self.closure_residual = partial(robot.closure_residual, drive=drive)
        self.closure_jacobian = partial(robot.closure_jacobian, drive=drive)


class Closures(Kinematics, Mass):
    """Closed loops: assembly, residuals, constraint Jacobians and mobility."""

    @property
    def closure_names(self) -> tuple[str, ...]:
        """Names of the closures, in the order of their rows."""
        return tuple(self.model.closure_slices)

    @property
    def closure_row_names(self) -> tuple[str, ...]:
        """What each entry of `closure_forces` is: the closure, and the force or moment that the row transmits.

        Axes are those of the closure's frame b, on which the forces act.

        >>> kt.load("four_bar").closure_row_names[2:4]
        ('coupler-rocker: force along z', 'coupler-rocker: force along x')
        """
        return tuple(f"{c.name}: {row}" for c in self.model.closures for row in c.constraint.transmits)

    @property
    def dof(self) -> int:
        """Degrees of freedom that the closures leave at almost all configurations; `nv` without closures.

        >>> floor = kt.closures.Loop("world", "tip", kt.closures.FrictionlessPoint())
        >>> kt.load("planar2r").with_closures(floor).dof
        1
        """
        return self.model.dof

    @property
    def independent(self) -> tuple[int, ...]:
        """Indices of the independent velocities in v; `with_closures(independent=...)` chooses others.

        >>> floor = kt.closures.Loop("world", "tip", kt.closures.FrictionlessPoint())
        >>> robot = kt.load("planar2r").with_closures(floor)
        >>> robot.independent
        (1,)
        """
        return self.model.independent

    @property
    def motor_names(self) -> tuple[str, ...]:
        """Names of the joints that have motors; `with_motors` chooses them.

        >>> kt.load("planar2r").with_motors("joint1").motor_names
        ('joint1',)
        """
        return self.model.motor_names

    @known_keywords
    def closure_slice(self, closure: str) -> slice:
        """Slice of a closure's rows among those of all closures.

        Parameters
        ----------
        closure : str
            Name of a closure; `robot.closure_names` lists them.

        Returns
        -------
        slice
            Rows of `closure_jacobian` and entries of `closure_residual` and `closure_forces`.

        >>> floor = kt.closures.Loop("world", "tip", kt.closures.FrictionlessPoint())
        >>> robot = kt.load("planar2r").with_closures(floor)
        >>> robot.closure_slice("world-tip")
        slice(0, 1, None)
        """
        return self.model.closure_slice(closure)

    @known_keywords
    def assemble(self, guess: Array | None = None, *, hold: Sequence[str] = (), drive: Drives = None) -> Float:
        """Configurations in which all loops are closed, near guesses and within the joint limits.

        Parameters
        ----------
        guess : array_like, shape (..., nq), optional
            Configurations to start from; by default the one found when the robot was made is returned.
        hold : sequence of str, optional
            Names of joints that stay where the guess has them.
        drive : mapping of str to array_like, optional
            Prescribed motions of closures by name, shape (3, k), as in `closure_residual`; the same for all guesses.

        Returns
        -------
        ndarray, shape (..., nq)
            Closed configurations; NaN for those of many guesses that lead to none.

        Raises
        ------
        ModelError
            If a single guess leads to no closed configuration; the message names the closure that stays open.
        InputError
            If the guess is not finite, its shape does not fit, or a name is unknown.

        >>> floor = kt.closures.Loop("world", "tip", kt.closures.FrictionlessPoint())
        >>> robot = kt.load("planar2r").with_closures(floor)
        >>> robot.assemble([0.5, -0.8], hold=["joint1"]).round(3)
        array([ 0.5, -1. ])
        """
        held = [k for name in plain_names((hold,)) or () for k in range(self.nv)[self.v_slice(name)]]
        if guess is None:
            found = np.array(self.neutral() if self.model.assembly is None else self.model.assembly.q)
            return found if drive is None else self.assemble(found, hold=hold, drive=drive)
        given = self._configurations(guess)
        self._on_checked(given, what="guess", limits=False, closed=False)
        flat, exact = plain_rows(given), _Driven(self._exact(), drive)
        if flat.shape == (1, self.nq) and not np.all(np.isfinite(flat)):
            raise InputError(f"guess must be finite numbers, got {flat[0].tolist()}")
        return self._checked(*assemble(exact, flat, held=held), exact).reshape(given.shape)

    @known_keywords
    def project(self, q: Array, v: Array | None = None, *, drive: Drives = None) -> Float | tuple[Float, Float]:
        """Nearest configuration with closed loops and, given a velocity, the nearest one that they allow.

        Distances are measured by the mass matrix at q, that is, by kinetic energy; the nearest configuration is found
        to first order in the distance. It removes the drift of a simulation. Joint limits are ignored.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv), optional
            Velocities [rad/s, m/s].
        drive : mapping of str to array_like, optional
            Prescribed motions of closures by name, shape (3, k), as in `assemble`.

        Returns
        -------
        ndarray or tuple of ndarray
            Closed configurations, shape (..., nq); if `v` is given, a tuple of these and of velocities, shape (...,
            nv), that the closures allow.

        Raises
        ------
        ModelError
            If the loops do not close from a single configuration.
        InputError
            If the shape of an array does not fit.

        >>> floor = kt.closures.Loop("world", "tip", kt.closures.FrictionlessPoint())
        >>> robot = kt.load("planar2r").with_closures(floor)
        >>> q, v = robot.project([0.5, -0.99], [1.0, 0.0])
        >>> q.round(4), v.round(4)
        (array([ 0.4995, -0.999 ]), array([ 0.8885, -1.777 ]))
        """
        given = self._configurations(q)
        self._on_checked(given, v, limits=False, closed=False)
        flat, exact = plain_rows(given), self._exact()
        if not self.model.closures:
            closed = flat
            if drive is not None:
                exact.closure_residual(flat, drive=drive)  # an error about what drives nothing
        else:
            driven, weight = _Driven(exact, drive), np.asarray(exact.mass_matrix(flat))
            closed = self._checked(*assemble(driven, flat, weight, limits=False), driven)
        found = closed.reshape(given.shape)
        if v is None:
            return found
        given_v = real(v, "v")
        K, M = np.asarray(exact.closure_jacobian(found, drive=drive)), np.asarray(exact.mass_matrix(found))
        rate = np.asarray(exact.closure_velocity(found, given_v, drive=drive))
        return found, projected_velocity(K, M, given_v, rate)

    @known_keywords
    def mobility(self, q: Array | None = None) -> Mobility:
        """Degrees of freedom and redundant rows of the closures.

        Parameters
        ----------
        q : array_like, shape (nq,), optional
            Configuration to analyse; by default the result holds at almost all configurations.

        Returns
        -------
        Mobility
            Degrees of freedom `dof`, number of `rows`, number of `redundant` rows by closure, the `smallest` singular
            value of the independent rows, each scaled to unit length, and whether it `is_singular`, that is, whether
            these rows are dependent.

        Raises
        ------
        InputError
            If `q` is not finite or its shape does not fit.

        >>> floor = kt.closures.Loop("world", "tip", kt.closures.FrictionlessPoint([0, 0, 1]), "floor")
        >>> plane = kt.closures.Loop("world", "tip", kt.closures.FrictionlessPoint([0, 1, 0]), "plane")
        >>> found = kt.load("planar2r").with_closures(floor, plane).mobility()
        >>> found.dof, found.rows, dict(found.redundant)
        (1, 2, {'plane': 1})
        """
        at = None if q is None else self._configurations(q, batch=False)
        if at is not None and not np.all(np.isfinite(at)):
            raise InputError(f"q must be finite numbers, got {at.tolist()}")
        return mobility(self._unchecked() if at is None else self._on_checked(at), at)

    def _configurations(self, q: Array, batch: bool = True) -> npt.NDArray[np.float64]:
        x = real(q, "q")
        if x.shape[-1:] != (self.nq,) or (x.ndim > 1 and not batch):
            raise InputError(f"q must have shape ({'..., ' if batch else ''}{self.nq}), got {x.shape}")
        return x

    @abstractmethod
    def _exact(self) -> Closures:
        """This robot in float64, which assembly needs."""

    def _checked(self, q: Float, error: Float, robot: _Driven) -> Float:
        failed = ~(error < CLOSED_RESIDUAL)
        if len(q) == 1 and failed[0] and np.all(np.isfinite(q)):
            raise not_closed(self.model, robot.closure_residual(q)[0], "the loops do not close from this guess")
        return np.where(failed[:, None], np.nan, q)

    @compiled(algorithms.closure_residual, open_loops=True)
    def closure_residual(self, q: Array, *, drive: Drives = None, out: Out = None, threads: Threads = None) -> Float:
        """Residuals of the closures: zero if all loops are closed.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        drive : mapping of str to array_like, optional
            Prescribed motions of closures by name, shape (..., 3, k): displacement, velocity and acceleration. For a
            loop they are those of its frame a, k = 6: a rotation vector and a shift, and twists in that frame; for a
            coupling those of its offset, k = 1.

        Returns
        -------
        ndarray, shape (..., rows)
            How far each row is from closed [m, rad]; zero for rows that constrain velocities alone.

        >>> floor = kt.closures.Loop("world", "tip", kt.closures.FrictionlessPoint())
        >>> robot = kt.load("planar2r").with_closures(floor)
        >>> robot.closure_residual([0.5, -0.9]).round(3)
        array([0.09])
        """

    @compiled(algorithms.closure_jacobian, open_loops=True)
    def closure_jacobian(self, q: Array, *, drive: Drives = None, out: Out = None, threads: Threads = None) -> Float:
        """Constraint Jacobian K: K v = 0 for the velocities that the closures allow.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        drive : mapping of str to array_like, optional
            Prescribed motions of closures by name, shape (..., 3, k), as in `closure_residual`.

        Returns
        -------
        ndarray, shape (..., rows, nv)
            The Jacobian K, rows in the order of `closure_names`.

        >>> floor = kt.closures.Loop("world", "tip", kt.closures.FrictionlessPoint())
        >>> robot = kt.load("planar2r").with_closures(floor)
        >>> robot.closure_jacobian([0.5, -1.0]).round(3)
        array([[1.755, 0.878]])
        """

    @compiled(algorithms.closure_velocity, open_loops=True)
    def closure_velocity(
        self, q: Array, v: Array, *, drive: Drives = None, out: Out = None, threads: Threads = None
    ) -> Float:
        """Rates K v of the closures' residuals, less prescribed rates.

        Parameters
        ----------
        q, v : array_like, shapes (..., nq), (..., nv)
            Configurations and velocities [rad/s, m/s].
        drive : mapping of str to array_like, optional
            Prescribed motions of closures by name, shape (..., 3, k), as in `closure_residual`.

        Returns
        -------
        ndarray, shape (..., rows)
            Rates [m/s, rad/s]; zero in a motion of the closed robot.

        >>> floor = kt.closures.Loop("world", "tip", kt.closures.FrictionlessPoint())
        >>> robot = kt.load("planar2r").with_closures(floor)
        >>> robot.closure_velocity([0.5, -1.0], [1.0, 0.0]).round(3)
        array([1.755])
        """

    @compiled(algorithms.closure_bias, open_loops=True)
    def closure_bias(
        self, q: Array, v: Array, *, drive: Drives = None, out: Out = None, threads: Threads = None
    ) -> Float:
        """Bias K̇ v of the closures' accelerations, less prescribed ones: K v̇ = −K̇ v in a closed motion.

        Parameters
        ----------
        q, v : array_like, shapes (..., nq), (..., nv)
            Configurations and velocities [rad/s, m/s].
        drive : mapping of str to array_like, optional
            Prescribed motions of closures by name, shape (..., 3, k), as in `closure_residual`.

        Returns
        -------
        ndarray, shape (..., rows)
            The bias [m/s², rad/s²].

        >>> floor = kt.closures.Loop("world", "tip", kt.closures.FrictionlessPoint())
        >>> robot = kt.load("planar2r").with_closures(floor)
        >>> robot.closure_bias([0.5, -1.0], [1.0, 0.5]).round(3)
        array([0.599])
        """
