"""Identities of kinematics and inverse dynamics."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeAlias, get_args

import numpy as np

from ... import algorithms as alg
from ...algorithms.registry.choices import ExpressedIn, InverseMethod
from ...arrays import Array
from ...model import WORLD
from .state import State, body_poses, identity, largest, mass_moments, potential, relative, twist, worst

AXES: tuple[ExpressedIn, ...] = get_args(ExpressedIn)
INVERSE_METHODS: tuple[InverseMethod, ...] = get_args(InverseMethod)
Where: TypeAlias = dict[str, Any]
"""A frame, and the axes that its motion is expressed in."""


def wheres(s: State) -> list[Where]:
    """Every choice of axes, for the frames of a state."""
    return [{"frame": frame, "expressed_in": axes} for frame in s.frames for axes in AXES]


@identity("kinematics")
def pose_is_a_product(s: State) -> float:
    """X_0F = Π X_pi X_bF [Ploen & Park (1)]"""
    X = {**dict(enumerate(s.poses)), WORLD: np.eye(4)}
    frames = [s.model.frame(name) for name in s.frames]
    return worst(relative(alg.pose(s.model, s.q, frame=F.name), X[F.body] @ F.X_bf) for F in frames)


@identity("kinematics")
def velocity_is_the_rate_of_the_pose(s: State) -> float:
    """V = X⁻¹ dX/dt, and in other axes [Ploen & Park (2)]"""

    def residual(frame: str) -> float:
        X, dX = alg.pose(s.model, s.q, frame=frame), s.rate(lambda q, v: alg.pose(s.model, q, frame=frame))
        found = [alg.velocity(s.model, s.q, s.v, frame=frame, expressed_in=axes) for axes in AXES]
        return worst(relative(V, twist(X, dX, axes), s.v) for V, axes in zip(found, AXES, strict=True))

    return worst(map(residual, s.frames))


@identity("kinematics")
def jacobian_gives_the_velocity(s: State) -> float:
    """J v = V [Park et al. (18-20)]"""

    def residual(where: Where) -> float:
        J = alg.jacobian(s.model, s.q, **where)
        return relative(J @ s.v, alg.velocity(s.model, s.q, s.v, **where), np.abs(J) @ np.abs(s.v))

    return worst(map(residual, wheres(s)))


@identity("kinematics")
def acceleration_is_the_rate_of_the_velocity(s: State) -> float:
    """Vdot = dV/dt [Ploen & Park (3)]"""

    def residual(where: Where) -> float:
        dV = s.rate(lambda q, v: alg.velocity(s.model, q, v, **where))
        return relative(alg.acceleration(s.model, s.q, s.v, s.a, **where), dV, s.a)

    return worst(map(residual, wheres(s)))


@identity("kinematics")
def acceleration_by_the_jacobian(s: State) -> float:
    """Vdot = J a + Jdot v [Ploen & Park (7)]"""

    def residual(where: Where) -> float:
        dJ = s.rate(lambda q, v: alg.jacobian(s.model, q, **where))
        terms = alg.jacobian(s.model, s.q, **where) * s.a, dJ * s.v
        dV = alg.acceleration(s.model, s.q, s.v, s.a, **where)
        return relative(dV, sum(x.sum(axis=1) for x in terms), *terms)

    return worst(map(residual, wheres(s)))


@identity("kinematics")
def difference_undoes_integrate(s: State) -> float:
    """(q ⊕ v) ⊖ q = v, q ⊕ (p ⊖ q) is p [definition]"""
    v = s.v / max(1.0, largest(s.v))  # turns of less than π
    there, p = s.model.integrate(s.q, v), s.model.integrate(s.q, s.u + s.a)
    again = s.model.integrate(s.q, s.model.difference(s.q, p))
    # a quaternion and its negative are one rotation: poses tell
    reached = relative(np.array(body_poses(s.model, again)), np.array(body_poses(s.model, p)), s.q)
    rest = largest(s.model.difference(s.q, s.q))
    return worst([relative(s.model.difference(s.q, there), v, s.q), reached, rest])


@identity("kinematics")
def integrate_is_a_flow(s: State) -> float:
    """q ⊕ v = (q ⊕ v/2) ⊕ v/2, normalised [definition]"""
    halves = s.model.integrate(s.model.integrate(s.q, s.v / 2), s.v / 2)
    return worst([relative(halves, s.model.integrate(s.q, s.v)), relative(halves, s.model.normalise(halves))])


@identity("inverse dynamics")
def forces_are_affine_in_acceleration(s: State) -> float:
    """τ(a) = M a + τ(0) [Ploen & Park (10)]"""
    return relative(s.tau, s.M @ s.a + s.bias, s.M * s.a, s.bias)


@identity("inverse dynamics")
def velocity_forces_are_quadratic(s: State) -> float:
    """c(q, −3 v) = 9 c(q, v) [Ploen & Park (12)]"""
    g, fast = (alg.inverse_dynamics(s.rigid, s.q, v, s.zero) for v in (s.zero, -3 * s.v))
    return relative(fast - g, 9 * (s.bias - s.passive - g), g, s.passive, s.inertial)


@identity("inverse dynamics")
def gravity_is_the_gradient_of_the_potential(s: State) -> float:
    """τ(q, 0, 0) = ∂U/∂q, U of poses [Park et al. (58-59)]"""
    moved = s.along(s.u, lambda q: mass_moments(s.model, body_poses(s.model, q)))  # (n, 3)
    tau, g = alg.inverse_dynamics(s.rigid, s.q, s.zero, s.zero), np.linalg.norm(s.model.gravity)
    terms = np.abs(tau) @ np.abs(s.u), g * s.lever, g * np.linalg.norm(moved, axis=-1).sum()
    return relative(tau @ s.u, -(moved.sum(axis=0) @ s.model.gravity), *terms)


@identity("inverse dynamics")
def gravity_is_a_base_that_accelerates(s: State) -> float:
    """gravity g = base acceleration −g [Park et al. (22-27)]"""
    lift = np.concatenate([np.zeros(3), -s.model.gravity])
    weightless = replace(s.rigid, gravity=np.zeros(3))
    tau = alg.inverse_dynamics(weightless, s.q, s.v, s.a, base_acceleration=lift)
    return relative(tau, s.tau - s.passive, s.passive)


@identity("inverse dynamics")
def wrenches_enter_by_the_jacobian(s: State) -> float:
    """τ(F) − τ(0) = −Jᵀ F [Ploen & Park (10)]"""
    pushed = alg.inverse_dynamics(s.model, s.q, s.v, s.a, wrench=s.wrenches)
    terms = [alg.jacobian(s.model, s.q, frame=frame).T * F for frame, F in s.wrenches.items()]
    return relative(pushed - s.tau, -sum(x.sum(axis=1) for x in terms), s.tau, *terms)


@identity("inverse dynamics")
def spatial_accelerations_take_the_same_forces(s: State) -> float:
    """τ "spatial" = τ "classical" [Park et al. (22-27)]"""

    def residual(acting: dict[str, Any]) -> float:
        classical, spatial = (
            alg.inverse_dynamics(s.model, s.q, s.v, s.a, method=method, **acting) for method in INVERSE_METHODS
        )
        return relative(spatial, classical)

    return worst(map(residual, ({}, s.acting)))


@identity("inverse dynamics")
def power_is_the_rate_of_energy(s: State) -> float:
    """τ·v + F·V − heat = d(½ v·M v + U)/dt [Newton]"""

    def energy(q: Array, v: Array) -> Array:
        return v @ alg.mass_matrix(s.model, q) @ v / 2 + potential(s.model, q) + s.model.stored_energy(q)

    work = alg.inverse_dynamics(s.model, s.q, s.v, s.a, wrench={s.frame: s.F}) * s.v
    pushed = s.F * alg.velocity(s.model, s.q, s.v, frame=s.frame)
    terms = np.abs(work).sum() + np.abs(pushed).sum() + np.abs(s.v) @ np.abs(s.M) @ np.abs(s.a)
    lost = alg.dissipated_power(s.model, s.q, s.v)
    return relative(work.sum() + pushed.sum() - lost, s.rate(energy), terms)
