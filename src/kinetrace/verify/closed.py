"""Identities of closed chains, at configurations in which all loops are closed."""

from __future__ import annotations

from typing import cast, get_args

import numpy as np

from .. import algorithms as alg
from ..algorithms.choices import ClosedMethod, Least
from ..algorithms.closed_dynamics import CLOSED_METHODS
from ..arrays import Array
from .identity import identity
from .state import State, by_joint, largest, relative, worst


def rows(s: State) -> Array:
    """K (rows, nv)."""
    return alg.closure_jacobian(s.model, s.q)


@identity("closed chains", "closures")
def residual_rates_are_rows(s: State) -> float:
    """dφ/dt = K v [Park et al. (18-20)]"""
    held = np.array(s.model.rows_hold_positions)
    rate = s.rate(lambda q, v: alg.closure_residual(s.model, q))
    K, along = rows(s), alg.closure_velocity(s.model, s.q, s.u)
    return worst([relative(rate[held], (K @ s.v)[held], s.v), relative(along, K @ s.u, s.u)])


@identity("closed chains", "closures")
def bias_is_the_rate_of_rows(s: State) -> float:
    """dK/dt v = bias of the closures [Park et al. Prop. 1]"""
    dK = s.rate(lambda q, v: alg.closure_jacobian(s.model, q))
    found = alg.closure_bias(s.model, s.q, s.v), alg.closure_jacobian_rate(s.model, s.q, s.v)
    return worst([relative(found[0], dK @ s.v, dK * s.v, s.v), relative(found[1], dK, s.v)])


@identity("closed chains", "closures", "inverse")
def closed_motion_obeys_newton(s: State) -> float:
    """M v̇ + c + g = τ + Kᵀλ, every method [Rodriguez, Part II]"""
    K, asked = rows(s), alg.closure_bias(s.model, s.q, s.v)

    def residual(method: ClosedMethod) -> float:
        a = alg.forward_dynamics(s.model, s.q, s.v, s.u, method=method)
        force = alg.closure_forces(s.model, s.q, s.v, s.u, method=method)
        moved = by_joint(
            s.M @ a + s.bias - s.u - K.T @ force,
            np.abs(s.M) @ np.abs(a),
            np.abs(s.bias),
            np.abs(s.u),
            np.abs(K).T @ np.abs(force),
        )
        return worst([moved, relative(K @ a, -asked, np.abs(K) @ np.abs(a))])

    return worst(residual(cast(ClosedMethod, method)) for method in CLOSED_METHODS)


@identity("closed chains", "closures", "inverse")
def closures_do_no_work(s: State) -> float:
    """d(T + U)/dt = τ·v, v·Kᵀλ = 0 [d'Alembert]"""
    a = alg.forward_dynamics(s.model, s.q, s.v, s.u)
    force = alg.closure_forces(s.model, s.q, s.v, s.u)
    power = s.v @ (s.M @ a + s.bias)
    terms = np.abs(s.v) @ (np.abs(s.M) @ np.abs(a) + np.abs(s.bias))
    work = (rows(s) @ s.v) @ force
    return worst(
        [relative(power, s.v @ s.u, terms), relative(work, 0.0, np.abs(rows(s)) @ np.abs(s.v) @ np.abs(force))]
    )


@identity("closed chains", "closures")
def reduced_equations(s: State) -> float:
    """Gᵀ(τ − passive) = M_r ẏ + C_r y + g_r [embedding]"""
    G, y = alg.velocity_map(s.model, s.q), s.v[list(s.model.independent)]
    M, C, g = (
        alg.reduced_mass_matrix(s.model, s.q),
        alg.reduced_coriolis_matrix(s.model, s.q, s.v),
        alg.reduced_gravity(s.model, s.q),
    )
    dy = s.a[list(s.model.independent)]
    full = alg.closed_acceleration(s.model, s.q, s.v, dy)
    tau = G.T @ alg.inverse_dynamics(s.model, s.q, s.v, full)
    g = g + G.T @ s.passive
    return by_joint(M @ dy + C @ y + g - tau, np.abs(G).T @ (np.abs(s.M) @ np.abs(full) + np.abs(s.bias)))


@identity("closed chains", "closures")
def reduced_rate_less_twice_coriolis_is_skew(s: State) -> float:
    """d(GᵀMG)/dt − 2 C_r skew [Ploen (37)]"""
    C = alg.reduced_coriolis_matrix(s.model, s.q, s.v)
    dM = s.rate(lambda q, v: alg.reduced_mass_matrix(s.model, q))
    return relative(dM, C + C.T, C, largest(alg.reduced_mass_matrix(s.model, s.q)) * max(largest(s.v), 1.0) ** 2)


@identity("closed chains", "closures", "motors", "inverse")
def motors_produce_the_motion(s: State) -> float:
    """v̇ of the motors' forces is as wanted [Rodriguez, Part II]"""
    a = alg.closed_acceleration(s.model, s.q, s.v, s.a[list(s.model.independent)])

    def residual(least: Least) -> float:
        tau, force = alg.motor_forces(s.model, s.q, s.v, a, least=least)
        K = rows(s)
        left = s.M @ a + s.bias - tau - K.T @ force
        found = alg.forward_dynamics(s.model, s.q, s.v, tau)
        terms = np.abs(s.M) @ np.abs(a), np.abs(s.bias), np.abs(tau), np.abs(K).T @ np.abs(force)
        return worst([by_joint(left, *terms), by_joint(s.M @ (found - a), *terms)])

    return worst(map(residual, get_args(Least)))
