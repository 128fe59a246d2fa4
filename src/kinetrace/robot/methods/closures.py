"""Closed loops: their rows, closing them, closure forces and motor forces, dynamics in independent velocities."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ... import algorithms
from ...algorithms.closed.assembly import open_closure_error
from ...algorithms.closed.closure_paths import closure_states
from ...algorithms.closed.grasp_forces import (
    cones_at,
    contact_closures,
    contact_rotations,
    in_contact_axes,
    least_forces,
)
from ...algorithms.closed.loop_closing import CLOSED_RESIDUAL, near_configuration
from ...algorithms.closed.mobility import Mobility, mobility
from ...algorithms.closed.projection import nearest_configuration
from ...algorithms.registry.choices import ClosedMethod, ExpressedIn, Least
from ...errors import InputError, lookup
from ...model.checks import real
from ...support.conversion import as_names, as_reals, as_rows
from ...support.keywords import known_keywords
from ..dispatch import compiled
from ..types import Array, Drives, Float, Out, Outs, Threads, Wrenches
from .dynamics import DynamicsMethods
from .kinematics import KinematicsMethods
from .mass import MassMethods


class ClosureMethods(KinematicsMethods, MassMethods):
    """Closed loops: assembly, residuals, constraint Jacobians and mobility."""

    @property
    def closure_names(self) -> tuple[str, ...]:
        """Names of the closures, in the order of their rows."""
        return tuple(self.model.closure_slices)

    @property
    def closure_row_names(self) -> tuple[str, ...]:
        """Meaning of each entry of `closure_forces`: the closure, and the force or moment that the row transmits.

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
            Prescribed motions of closures by name, shape (..., 3, k), as in `closure_residual`.

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
        held = [k for name in as_names((hold,)) or () for k in range(self.nv)[self.v_slice(name)]]
        if guess is None:
            found = np.array(self.neutral() if self.model.assembly is None else self.model.assembly.q)
            return found if drive is None else self.assemble(found, hold=hold, drive=drive)
        given = self._configurations(guess)
        self._on_checked(given, what="guess", limits=False, closed=False)
        if given.size == self.nq and not np.all(np.isfinite(given)):
            raise InputError(f"guess must be finite numbers, got {given.ravel().tolist()}")
        fixed = np.isin(np.arange(self.nv), held).astype(float)
        q, left = self._closed_by(near_configuration, drive, q=given, held=fixed)
        return self._checked(q, left < CLOSED_RESIDUAL, drive)

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
            Prescribed motions of closures by name, shape (..., 3, k), as in `closure_residual`.

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
        if v is None:
            (found,) = self._closed_by(nearest_configuration, drive, q=given)
            return self._checked(found, np.isfinite(found).all(axis=-1), drive, given)
        found, u = self._closed_by(algorithms.project, drive, q=given, v=real(v, "v"))
        return self._checked(found, np.isfinite(found).all(axis=-1), drive, given), u

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
    def _exact(self) -> ClosureMethods:
        """This robot in float64, which assembly needs."""

    def _closed_by(self, function: Callable[..., Any], drive: Drives, **arrays: Float) -> list[Float]:
        """What a function of the model returns of arrays, in double precision."""
        exact, shapes = self._exact(), dict[str, Any]((name, x.shape[-1]) for name, x in arrays.items())
        if drive is not None:
            exact.closure_residual(self.neutral(), drive=drive)  # an error about what drives nothing
        motions = {name: np.asarray(x, dtype=float) for name, x in (drive or {}).items()}
        if drive is not None:
            shapes["drive"] = {name: x.shape[-2:] for name, x in motions.items()}
        found = exact.kernel(function, shapes=shapes)(*arrays.values(), *motions.values())
        return [np.asarray(x) for x in (found if isinstance(found, tuple) else (found,))]

    def _checked(self, q: Float, closed: Any, drive: Drives, given: Float | None = None) -> Float:
        """Configurations, NaN for those that are not closed; an error if that is the only one."""
        if q.size == self.nq and not closed.all() and np.all(np.isfinite(q if given is None else given)):
            at = q if given is None else given
            left = np.asarray(self._exact().closure_residual(at, drive=drive)).reshape(-1)
            raise open_closure_error(self.model, left, "the loops do not close from this guess")
        return np.where(closed[..., None], q, np.nan)

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


class ClosedDynamicsMethods(ClosureMethods, DynamicsMethods):
    """Dynamics of closed loops: closure forces, motor forces, and dynamics in independent velocities."""

    @compiled(algorithms.closure_forces)
    def closure_forces(
        self,
        q: Array,
        v: Array,
        tau: Array,
        *,
        method: ClosedMethod | None = None,
        wrench: Wrenches = None,
        drive: Drives = None,
        stabilisation: Array | None = None,
        out: Out = None,
        threads: Threads = None,
    ) -> Float:
        """Forces λ that the closures transmit in the motion of `forward_dynamics`, row by row.

        Joint forces Kᵀ λ act on the spanning tree, K being `closure_jacobian`. Redundant rows share the load: λ has the
        least norm.

        Parameters
        ----------
        q, v, tau : array_like, shapes (..., nq), (..., nv), (..., nv)
            Configurations, velocities [rad/s, m/s] and joint forces [N m, N].
        method : {"sweeps", "factors", "quasi", "dense", "independent"}, optional
            Algorithm, as in `forward_dynamics` with closures.
        wrench, drive, stabilisation : optional
            As in `forward_dynamics`.

        Returns
        -------
        ndarray, shape (..., rows)
            Forces λ [N m, N] on the frames b of the closures, in the axes of b: `closure_row_names` tells what each
            entry is, `closure_slice` which entries a closure has. `contact_forces` has those of contacts in their own
            axes, `closure_wrenches` whole wrenches.

        >>> floor = kt.closures.Loop("world", "tip", kt.closures.FrictionlessPoint())
        >>> robot = kt.load("planar2r").with_closures(floor)
        >>> robot.closure_forces([0.5, -1.0], [0.0, 0.0], [0.0, 0.0]).round(3)
        array([5.455])
        """

    @compiled(algorithms.closure_wrenches)
    def closure_wrenches(
        self,
        q: Array,
        v: Array,
        tau: Array,
        *,
        method: ClosedMethod | None = None,
        wrench: Wrenches = None,
        drive: Drives = None,
        stabilisation: Array | None = None,
        out: Out = None,
        threads: Threads = None,
    ) -> Float:
        """Wrenches that the closures exert on their frames b in the motion of `forward_dynamics`.

        Parameters
        ----------
        q, v, tau : array_like, shapes (..., nq), (..., nv), (..., nv)
            Configurations, velocities [rad/s, m/s] and joint forces [N m, N].
        method : {"sweeps", "factors", "quasi", "dense", "independent"}, optional
            Algorithm, as in `forward_dynamics` with closures.
        wrench, drive, stabilisation : optional
            As in `forward_dynamics`.

        Returns
        -------
        ndarray, shape (..., closures, 6)
            Wrenches in the axes of frame b, about its origin, moment first [N m, N]; those on the frames a are
            opposite.

        >>> floor = kt.closures.Loop("world", "tip", kt.closures.FrictionlessPoint())
        >>> robot = kt.load("planar2r").with_closures(floor)
        >>> robot.closure_wrenches([0.5, -1.0], [0.0, 0.0], [0.0, 0.0]).round(3)
        array([[ 0.   ,  0.   ,  0.   , -2.615,  0.   ,  4.787]])
        """

    @compiled(algorithms.motor_forces)
    def motor_forces(
        self,
        q: Array,
        v: Array,
        a: Array,
        *,
        least: Least = "torques",
        tau_weight: Array | None = None,
        internal_forces: Array | None = None,
        wrench: Wrenches = None,
        drive: Drives = None,
        out: Outs = None,
        threads: Threads = None,
    ) -> tuple[Float, Float]:
        """Motor forces and closure forces for a motion of the closed robot: its inverse dynamics.

        With more motors than degrees of freedom the motors share the load.

        Parameters
        ----------
        q, v : array_like, shapes (..., nq), (..., nv)
            Configurations with closed loops and velocities that the closures allow [rad/s, m/s].
        a : array_like, shape (..., nv)
            Accelerations that the closures allow [rad/s², m/s²].
        least : {"torques", "forces"}, default "torques"
            Norm that is minimised: that of the motor forces, or that of the closure forces less `internal_forces`.
        tau_weight : array_like, shape (..., nv), optional
            Positive weights of the motor forces in their norm, with least="torques"; 1 unless given.
        internal_forces : array_like, shape (..., rows), optional
            Closure forces to come close to, with least="forces", for instance to squeeze an object; zero unless given.
        wrench, drive : optional
            As in `forward_dynamics`.

        Returns
        -------
        tau : ndarray, shape (..., nv)
            Joint forces [N m, N] in the order of v, zero in joints without motors; `v_by_joint` has them by name.
        force : ndarray, shape (..., rows)
            Closure forces λ [N m, N] on the frames b, in the axes of b, as in `closure_forces`: `closure_row_names`
            tells what each entry is. `contact_forces` turns those of contacts into normal and tangential ones.

        Raises
        ------
        InputError
            If a motion that the closures allow has no motor, a name is unknown or the shape of an array does not fit.

        >>> floor = kt.closures.Loop("world", "tip", kt.closures.FrictionlessPoint())
        >>> robot = kt.load("planar2r").with_closures(floor).with_motors("joint1")
        >>> tau, force = robot.motor_forces([0.5, -1.0], [0.0, 0.0], [0.0, 0.0])
        >>> tau.round(3), force.round(3)
        (array([8.609, 0.   ]), array([4.905]))
        """

    def grasp_forces(
        self,
        q: Array,
        v: Array,
        a: Array,
        friction: Mapping[str, Any],
        *,
        least: Least = "forces",
        wrench: Wrenches = None,
    ) -> tuple[Float, Float]:
        """Motor forces and contact forces for a motion, with contacts that hold by friction.

        Of all forces within the friction cones, those of least norm are found by a second-order cone program. It needs
        Clarabel: pip install 'kinetrace[grasp]'.

        Parameters
        ----------
        q, v, a : array_like, shapes (..., nq), (..., nv), (..., nv)
            Configurations, velocities [rad/s, m/s] and accelerations [rad/s², m/s²].
        friction : mapping of str to float, tuple or None
            Friction by the name of a contact (see `kinetrace.closures`): its coefficient; for a soft finger
            (coefficient, radius of its patch [m]); None for a frictionless one. Contacts that are not named may pull.
        least : {"forces", "torques"}, default "forces"
            Norm that is minimised: that of the closure forces, or that of the motor forces.
        wrench : mapping of str to array_like, optional
            As in `inverse_dynamics`.

        Returns
        -------
        tau : ndarray, shape (..., nv)
            Joint forces [N m, N] in the order of v, zero in joints without motors; `v_by_joint` has them by name.
        force : ndarray, shape (..., rows)
            Closure forces λ [N m, N] on the frames b, in the axes of b, as in `closure_forces`: `closure_row_names`
            tells what each entry is. `contact_forces` turns those of contacts into normal and tangential ones.

        Raises
        ------
        InputError
            If a name is unknown, the shape of an array does not fit or Clarabel is missing.
        ModelError
            If no forces within the cones produce the motion.

        >>> floor = kt.closures.Loop("world", "tip", kt.closures.FrictionlessPoint())
        >>> robot = kt.load("planar2r").with_closures(floor).with_motors("joint1")
        >>> tau, force = robot.grasp_forces([0.5, -1.0], [0.0, 0.0], [0.0, 0.0], {"world-tip": None})
        >>> tau.round(3), force.round(3)
        (array([8.609, 0.   ]), array([4.905]))
        """
        torques = lookup("least", least, {"torques": True, "forces": False})
        h = np.asarray(self.inverse_dynamics(q, v, a, wrench=wrench))
        at = as_rows(np.broadcast_to(self._configurations(q), (*h.shape[:-1], self.nq)))
        K, found = np.asarray(self.closure_jacobian(at)), list[tuple[Float, Float]]()
        for x, k, needed in zip(at, K, as_rows(h), strict=True):
            if not np.all(np.isfinite(np.concatenate([x, needed]))):
                found.append((np.full(self.nv, np.nan), np.full(self.model.closure_rows, np.nan)))
                continue
            poses = {c.closure.name: c.X for c in closure_states(self.model, x)}
            cones = cones_at(self.model, poses, friction)
            found.append(least_forces(self.model, k, needed, cones, torques))
        tau, force = (np.array([x[i] for x in found]) for i in range(2))
        return tau.reshape(h.shape), force.reshape(*h.shape[:-1], self.model.closure_rows)

    @known_keywords
    def contact_forces(self, q: Array, force: Array) -> dict[str, Float]:
        """Forces of contacts in their own axes: along the normal, across it, and the moment about it.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        force : array_like, shape (..., rows)
            Closure forces λ of all closures, as `motor_forces`, `grasp_forces` and `closure_forces` return them.

        Returns
        -------
        dict of str to ndarray
            By the name of each contact of `kinetrace.closures`, what acts on its frame b, the fingertip. First the
            force along the normal [N], positive if the two press on each other, shape (..., 1) for a frictionless
            point. A hard finger has the two tangential forces beside it, shape (..., 3), along axes that make a
            right-handed triad with the normal and are fixed to frame a, the object; a soft one also the moment about
            the normal [N m], shape (..., 4).

        Raises
        ------
        InputError
            If the robot has no contacts, or the shape of an array does not fit.

        >>> floor = kt.closures.Loop("world", "tip", kt.closures.FrictionlessPoint(), "floor")
        >>> robot = kt.load("planar2r").with_closures(floor).with_motors("joint1")
        >>> tau, force = robot.motor_forces([0.5, -1.0], [0.0, 0.0], [0.0, 0.0])
        >>> robot.contact_forces([0.5, -1.0], force)["floor"].round(3)
        array([4.905])
        """
        contacts = contact_closures(self.model)
        if not contacts:
            raise InputError("contact_forces: the robot has no contacts; kinetrace.closures has HardFinger and others")
        at, given = self._configurations(q), as_reals("force", force)
        if given.shape[-1:] != (self.model.closure_rows,):
            raise InputError(f"force must have shape (..., {self.model.closure_rows}), got {given.shape}")
        turns = np.asarray(self.kernel(contact_rotations)(at), dtype=float)
        return {
            c.name: in_contact_axes(c, turns[..., k, :, :], given[..., self.closure_slice(c.name)])
            for k, c in enumerate(contacts)
        }

    @compiled(algorithms.motor_forces_derivatives)
    def motor_forces_derivatives(
        self,
        q: Array,
        v: Array,
        a: Array,
        *,
        tau_weight: Array | None = None,
        wrench: Wrenches = None,
        out: Outs = None,
        threads: Threads = None,
    ) -> tuple[Float, Float, Float]:
        """Derivatives of `motor_forces` of least norm with respect to q, v and a.

        Parameters
        ----------
        q, v, a : array_like, shapes (..., nq), (..., nv), (..., nv)
            Configurations, velocities [rad/s, m/s] and accelerations [rad/s², m/s²].
        tau_weight : array_like, shape (..., nv), optional
            Positive weights of the motor forces in their norm; 1 unless given.
        wrench : mapping of str to array_like, optional
            As in `inverse_dynamics`.

        Returns
        -------
        dq : ndarray, shape (..., nv, nv)
            The derivative ∂τ/∂q along q ⊕ ε, rows for τ.
        dv : ndarray, shape (..., nv, nv)
            The derivative ∂τ/∂v.
        da : ndarray, shape (..., nv, nv)
            The derivative ∂τ/∂a.

        >>> floor = kt.closures.Loop("world", "tip", kt.closures.FrictionlessPoint())
        >>> robot = kt.load("planar2r").with_closures(floor).with_motors("joint1")
        >>> dq, dv, da = robot.motor_forces_derivatives([0.5, -1.0], [0.0, 0.0], [0.0, 0.0])
        >>> da[0].round(3)
        array([ 1.   , -0.063])
        """

    @compiled(algorithms.closed_acceleration)
    def closed_acceleration(
        self, q: Array, v: Array, dy: Array, *, drive: Drives = None, out: Out = None, threads: Threads = None
    ) -> Float:
        """Accelerations of all joints from those of the independent velocities: v̇ = G ẏ + Ġ y.

        Parameters
        ----------
        q, v, dy : array_like, shapes (..., nq), (..., nv), (..., dof)
            Configurations, velocities [rad/s, m/s] and rates ẏ of the independent velocities [rad/s², m/s²].
        drive : mapping of str to array_like, optional
            Prescribed motions of closures by name, shape (..., 3, k), as in `closure_residual`.

        Returns
        -------
        ndarray, shape (..., nv)
            Accelerations v̇ that keep the loops closed [rad/s², m/s²].

        >>> floor = kt.closures.Loop("world", "tip", kt.closures.FrictionlessPoint())
        >>> robot = kt.load("planar2r").with_closures(floor)
        >>> robot.closed_acceleration([0.5, -1.0], [0.0, 0.0], [1.0]).round(3)
        array([-0.5,  1. ])
        """

    @compiled(algorithms.velocity_map)
    def velocity_map(self, q: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """Matrix G with v = G y: all velocities from the independent ones.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.

        Returns
        -------
        ndarray, shape (..., nv, dof)
            The matrix G; its rows `robot.independent` are the identity.

        >>> floor = kt.closures.Loop("world", "tip", kt.closures.FrictionlessPoint())
        >>> robot = kt.load("planar2r").with_closures(floor)
        >>> robot.velocity_map([0.5, -1.0]).round(3)
        array([[-0.5],
               [ 1. ]])
        """

    @compiled(algorithms.reduced_mass_matrix)
    def reduced_mass_matrix(self, q: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """Mass matrix Gᵀ M G in the independent velocities.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.

        Returns
        -------
        ndarray, shape (..., dof, dof)
            The mass matrix of the closed robot.

        >>> floor = kt.closures.Loop("world", "tip", kt.closures.FrictionlessPoint())
        >>> robot = kt.load("planar2r").with_closures(floor)
        >>> robot.reduced_mass_matrix([0.5, -1.0]).round(3)
        array([[0.282]])
        """

    @compiled(algorithms.reduced_coriolis_matrix)
    def reduced_coriolis_matrix(self, q: Array, v: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """Coriolis matrix in the independent velocities, for which Ṁ − 2C is skew.

        Parameters
        ----------
        q, v : array_like, shapes (..., nq), (..., nv)
            Configurations and velocities that the closures allow [rad/s, m/s].

        Returns
        -------
        ndarray, shape (..., dof, dof)
            The matrix C = Gᵀ (C G + M Ġ).

        >>> floor = kt.closures.Loop("world", "tip", kt.closures.FrictionlessPoint())
        >>> robot = kt.load("planar2r").with_closures(floor)
        >>> v = robot.velocity_map([0.5, -1.0])[:, 0]
        >>> robot.reduced_coriolis_matrix([0.5, -1.0], v).round(3)
        array([[-0.105]])
        """

    @compiled(algorithms.reduced_gravity)
    def reduced_gravity(self, q: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """Gravity forces Gᵀ g along the independent velocities.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.

        Returns
        -------
        ndarray, shape (..., dof)
            Forces that hold the closed robot at rest [N m, N].

        >>> floor = kt.closures.Loop("world", "tip", kt.closures.FrictionlessPoint())
        >>> robot = kt.load("planar2r").with_closures(floor)
        >>> robot.reduced_gravity([0.5, -1.0]).round(3)
        array([-4.305])
        """

    @compiled(algorithms.reduced_jacobian)
    def reduced_jacobian(
        self, q: Array, frame: str, *, expressed_in: ExpressedIn = "body", out: Out = None, threads: Threads = None
    ) -> Float:
        """Jacobian J G of a frame in the independent velocities.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        frame : str
            Name of a frame; `robot.frame_names` lists them.
        expressed_in : {"body", "space", "aligned"}, default "body"
            As in `velocity`.

        Returns
        -------
        ndarray, shape (..., 6, dof)
            The Jacobian, angular rows first: its product with the independent velocities is the twist of the frame.

        >>> floor = kt.closures.Loop("world", "tip", kt.closures.FrictionlessPoint())
        >>> robot = kt.load("planar2r").with_closures(floor)
        >>> robot.reduced_jacobian([0.5, -1.0], "link2", expressed_in="aligned")[:, 0].round(3)
        array([ 0.   , -0.5  ,  0.   ,  0.24 ,  0.   , -0.439])
        """

    @compiled(algorithms.reduced_regressor)
    def reduced_regressor(
        self,
        q: Array,
        v: Array,
        a: Array,
        *,
        friction: bool = False,
        rotor: bool = False,
        out: Out = None,
        threads: Threads = None,
    ) -> Float:
        """Regressor Gᵀ Y of the forces along the independent velocities in the inertial parameters.

        Parameters
        ----------
        q, v, a : array_like, shapes (..., nq), (..., nv), (..., nv)
            Configurations, velocities [rad/s, m/s] and accelerations [rad/s², m/s²].
        friction : bool, default False
            Whether to append columns for viscous and Coulomb friction, as in `regressor`.
        rotor : bool, default False
            Whether to append columns for rotor inertias, as in `regressor`.

        Returns
        -------
        ndarray, shape (..., dof, p)
            The regressor, with the columns of `regressor`.

        >>> floor = kt.closures.Loop("world", "tip", kt.closures.FrictionlessPoint())
        >>> robot = kt.load("planar2r").with_closures(floor)
        >>> Y = robot.reduced_regressor([0.5, -1.0], [0.0, 0.0], [0.0, 0.0])
        >>> (Y @ robot.parameters("inertial").ravel()).round(3)
        array([-4.305])
        """
