"""Identities of kinematics and inverse dynamics."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

import numpy as np

from .. import algorithms as alg
from ..algorithms.choices import Axes
from ..arrays import Array
from .identity import identity
from .state import State, body_poses, largest, mass_moments, potential, relative, twist, worst

AXES: tuple[Axes, ...] = get_args(Axes)


@identity("kinematics")
def pose_is_a_product(s: State) -> float:
    """X_0F = Π X_pi X_bF [Ploen & Park (1)]"""
    F = s.model.frame(s.frame)
    return relative(alg.pose(s.model, s.q, frame=s.frame), body_poses(s.model, s.q)[F.body] @ F.X_bf)


@identity("kinematics")
def velocity_is_the_rate_of_the_pose(s: State) -> float:
    """V = X⁻¹ dX/dt, and in other axes [Ploen & Park (2)]"""
    X, dX = alg.pose(s.model, s.q, frame=s.frame), s.rate(lambda q, v: alg.pose(s.model, q, frame=s.frame))
    found = [alg.velocity(s.model, s.q, s.v, frame=s.frame, expressed_in=axes) for axes in AXES]
    return worst(relative(V, twist(X, dX, axes), s.v) for V, axes in zip(found, AXES, strict=True))


@identity("kinematics")
def jacobian_gives_the_velocity(s: State) -> float:
    """J v = V [Park et al. (18-20)]"""

    def residual(axes: Axes) -> float:
        where: dict[str, Any] = {"frame": s.frame, "expressed_in": axes}
        J = alg.jacobian(s.model, s.q, **where)
        return relative(J @ s.v, alg.velocity(s.model, s.q, s.v, **where), np.abs(J) @ np.abs(s.v))

    return worst(map(residual, AXES))


@identity("kinematics")
def acceleration_is_the_rate_of_the_velocity(s: State) -> float:
    """Vdot = dV/dt [Ploen & Park (3)]"""

    def residual(axes: Axes) -> float:
        where: dict[str, Any] = {"frame": s.frame, "expressed_in": axes}
        dV = s.rate(lambda q, v: alg.velocity(s.model, q, v, **where))
        return relative(alg.acceleration(s.model, s.q, s.v, s.a, **where), dV, s.a)

    return worst(map(residual, AXES))


@identity("kinematics")
def acceleration_by_the_jacobian(s: State) -> float:
    """Vdot = J a + Jdot v [Ploen & Park (7)]"""

    def residual(axes: Axes) -> float:
        where: dict[str, Any] = {"frame": s.frame, "expressed_in": axes}
        dJ = s.rate(lambda q, v: alg.jacobian(s.model, q, **where))
        terms = alg.jacobian(s.model, s.q, **where) * s.a, dJ * s.v
        dV = alg.acceleration(s.model, s.q, s.v, s.a, **where)
        return relative(dV, sum(x.sum(axis=1) for x in terms), *terms)

    return worst(map(residual, AXES))


@identity("kinematics")
def difference_undoes_integrate(s: State) -> float:
    """(q ⊕ v) ⊖ q = v [definition]"""
    v = s.v / max(1.0, largest(s.v))  # turns of less than π
    return relative(s.model.difference(s.q, s.model.integrate(s.q, v)), v, s.q)


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
    moments = s.gradient(lambda q: mass_moments(s.model, q))  # (nv, n, 3)
    terms = np.linalg.norm(moments, axis=-1).sum(axis=-1), np.linalg.norm(mass_moments(s.model, s.q), axis=-1).sum()
    tau, g = alg.inverse_dynamics(s.rigid, s.q, s.zero, s.zero), np.linalg.norm(s.model.gravity)
    return relative(tau, -(moments.sum(axis=1) @ s.model.gravity), *(g * x for x in terms))


@identity("inverse dynamics")
def gravity_is_a_base_that_accelerates(s: State) -> float:
    """gravity g = base acceleration −g [Park et al. (22-27)]"""
    lift = np.concatenate([np.zeros(3), -s.model.gravity])
    weightless = replace(s.model, gravity=np.zeros(3))
    return relative(alg.inverse_dynamics(weightless, s.q, s.v, s.a, base_acceleration=lift), s.tau)


@identity("inverse dynamics")
def wrenches_enter_by_the_jacobian(s: State) -> float:
    """τ(F) − τ(0) = −Jᵀ F [Ploen & Park (10)]"""
    pushed = alg.inverse_dynamics(s.model, s.q, s.v, s.a, wrench={s.frame: s.F})
    return relative(pushed - s.tau, -s.J.T @ s.F, s.tau, s.J.T * s.F)


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
