"""Closed loops in motion: what they transmit, what motors must do, and the robot in independent velocities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import algorithms, loops
from ..algorithms.choices import Axes, ClosedMethod, Least
from ..algorithms.closure_paths import between
from ..errors import lookup
from .closures import Closures
from .dispatch import compiled
from .dynamics import Dynamics
from .types import Array, Drives, Float, Out, Outs, Threads, Wrenches


class ClosedDynamics(Closures, Dynamics):
    """Closed loops in motion: what they transmit, what motors must do, and the robot in independent velocities."""

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
        """λ (..., rows) [N m, N] that the closures transmit in the motion of `forward_dynamics`, row by row.

        Rows that follow from others share the load: λ is of least norm.

        >>> import kinetrace as kt
        >>> robot = kt.load("four_bar")
        >>> robot.closure_forces(robot.assemble(), [0.0] * 3, [0.0] * 3).shape
        (5,)
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
        """The wrench (..., closures, 6) that each closure exerts on its frame b, in b, moment first.

        >>> import kinetrace as kt
        >>> robot = kt.load("four_bar")
        >>> robot.closure_wrenches(robot.assemble(), [0.0] * 3, [0.0] * 3).shape
        (1, 6)
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
        """τ (..., nv) [N m, N] of the motors for a motion q, v, a, zero in joints without, and λ (..., rows).

        With more motors than degrees of freedom they share the load: `least` is "torques", of which `tau_weight`
        (..., nv) says how much each counts, or "forces" of the closures, which are then as near as can be to
        `internal_forces` (..., rows): so an object is squeezed. An error if a motion that the closures allow has no
        motor.

        >>> import kinetrace as kt
        >>> robot = kt.load("four_bar").with_motors("crank")
        >>> tau, force = robot.motor_forces(robot.assemble(), [0.0] * 3, [0.0] * 3)
        >>> tau[1:].tolist()
        [0.0, 0.0]
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
        """τ (..., nv) of the motors and λ (..., rows) for a motion, with contacts that hold by friction.

        `friction` maps contacts (see `kinetrace.closures`) to their coefficient, that of a soft finger to (coefficient,
        radius of its patch [m]), one without friction to None; contacts that it does not name may pull. Of all forces
        within these cones, the `least` "forces" λ or "torques" τ are found. An error if there are none. It needs
        Clarabel: `pip install clarabel scipy`.

        >>> import kinetrace as kt
        >>> robot = kt.load("three_fingers_ball")
        >>> rest = [0.0] * robot.nv
        >>> friction = dict.fromkeys(robot.closure_names, (0.8, 0.01))
        >>> tau, force = robot.grasp_forces(robot.assemble(), rest, rest, friction)
        >>> bool(abs(robot.forward_dynamics(robot.assemble(), rest, tau)).max() < 1e-5)
        True
        """
        torques = lookup("least", least, {"torques": True, "forces": False})
        h = np.asarray(self.inverse_dynamics(q, v, a, wrench=wrench))
        at = np.broadcast_to(self._configurations(q), (*h.shape[:-1], self.nq)).reshape(-1, self.nq)
        K, found = np.asarray(self.closure_jacobian(at)), list[tuple[Float, Float]]()
        for x, k, needed in zip(at, K, h.reshape(-1, self.nv), strict=True):
            if not np.all(np.isfinite(np.concatenate([x, needed]))):
                found.append((np.full(self.nv, np.nan), np.full(self.model.closure_rows, np.nan)))
                continue
            poses = {c.closure.name: c.X for c in between(self.model, x)}
            cones = loops.cones_at(self.model, poses, friction)
            found.append(loops.least_forces(self.model, k, needed, cones, torques))
        tau, force = (np.array([x[i] for x in found]) for i in range(2))
        return tau.reshape(h.shape), force.reshape(*h.shape[:-1], self.model.closure_rows)

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
        """∂τ/∂q, ∂τ/∂v and ∂τ/∂a (..., nv, nv) of `motor_forces` of least norm, rows for τ; along q ⊕ ε.

        >>> import kinetrace as kt
        >>> robot = kt.load("four_bar").with_motors("crank")
        >>> robot.motor_forces_derivatives(robot.assemble(), [0.0] * 3, [0.0] * 3)[0].shape
        (3, 3)
        """

    @compiled(algorithms.closed_acceleration)
    def closed_acceleration(
        self, q: Array, v: Array, dy: Array, *, drive: Drives = None, out: Out = None, threads: Threads = None
    ) -> Float:
        """v̇ (..., nv) of all joints, from that of the independent velocities dy (..., dof).

        >>> import kinetrace as kt
        >>> robot = kt.load("four_bar")
        >>> robot.closed_acceleration(robot.assemble(), [0.0] * 3, [1.0]).shape
        (3,)
        """

    @compiled(algorithms.velocity_map)
    def velocity_map(self, q: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """G (..., nv, dof): v = G y, all velocities of the independent ones.

        >>> import kinetrace as kt
        >>> robot = kt.load("four_bar")
        >>> robot.velocity_map(robot.assemble()).shape
        (3, 1)
        """

    @compiled(algorithms.reduced_mass_matrix)
    def reduced_mass_matrix(self, q: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """Gᵀ M G (..., dof, dof): the mass matrix in the independent velocities.

        >>> import kinetrace as kt
        >>> robot = kt.load("four_bar")
        >>> robot.reduced_mass_matrix(robot.assemble()).shape
        (1, 1)
        """

    @compiled(algorithms.reduced_coriolis_matrix)
    def reduced_coriolis_matrix(self, q: Array, v: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """C (..., dof, dof) in the independent velocities, with Ṁ − 2 C skew, for a velocity that the closures allow.

        >>> import kinetrace as kt
        >>> robot = kt.load("four_bar")
        >>> robot.reduced_coriolis_matrix(robot.assemble(), [0.0] * 3).shape
        (1, 1)
        """

    @compiled(algorithms.reduced_gravity)
    def reduced_gravity(self, q: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """Gᵀ g (..., dof): gravity along the independent velocities.

        >>> import kinetrace as kt
        >>> robot = kt.load("four_bar")
        >>> robot.reduced_gravity(robot.assemble()).shape
        (1,)
        """

    @compiled(algorithms.reduced_jacobian)
    def reduced_jacobian(
        self, q: Array, frame: str, *, expressed_in: Axes = "body", out: Out = None, threads: Threads = None
    ) -> Float:
        """J G (..., 6, dof) of a frame: its twist by the independent velocities.

        >>> import kinetrace as kt
        >>> robot = kt.load("four_bar")
        >>> robot.reduced_jacobian(robot.assemble(), "coupler").shape
        (6, 1)
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
        """Gᵀ Y (..., dof, 10 bodies): forces along the independent velocities, linear in the inertial parameters.

        >>> import kinetrace as kt
        >>> robot = kt.load("four_bar")
        >>> robot.reduced_regressor(robot.assemble(), [0.0] * 3, [0.0] * 3).shape
        (1, 30)
        """
