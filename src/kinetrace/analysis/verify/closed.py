"""Identities of closed chains, at configurations in which all loops are closed."""

from __future__ import annotations

from dataclasses import replace
from typing import cast, get_args

import numpy as np

from ... import algorithms as alg
from ...algorithms.closed.closed_dynamics import CLOSED_METHODS
from ...algorithms.registry.choices import ClosedMethod, Least
from ...arrays import Array
from ...lie import Ad_inv_dual, inertia, se3
from ...model import WORLD, Closure
from .regressors import parameters_and_rest, with_every_effect
from .state import STEP, State, as_forces, body_poses, by_joint, identity, largest, relative, twist, worst


def rows(s: State) -> Array:
    """K (rows, nv)."""
    return alg.closure_jacobian(s.model, s.q)


def _loops(s: State) -> list[Closure]:
    """Closures between frames: all but couplings of joints."""
    return [closure for closure in s.model.closures if not closure.terms]


def _between(s: State, q: Array) -> list[Array]:
    """X_AB (4, 4) of the frames of each loop, of poses."""
    X = {**dict(enumerate(body_poses(s.model, q))), WORLD: np.eye(4)}
    ends = [[X[frame.body] @ frame.X_bf for frame in closure.frames] for closure in _loops(s)]
    return [se3.inverse(a) @ b for a, b in ends]


@identity("closed chains", "closures")
def rows_are_those_of_relative_twists(s: State) -> float:
    """N(X_AB) V_AB = K v, of poses [Park et al. (18-20)]"""
    K, found = rows(s), []
    rates = s.rate(lambda q, v: np.array(_between(s, q)))
    for closure, X, dX in zip(_loops(s), _between(s, s.q), rates, strict=True):
        k = s.model.closure_slices[closure.name]
        found.append(relative(closure.constraint.rows(X) @ twist(X, dX), K[k] @ s.v, np.abs(K[k]) @ np.abs(s.v)))
    return worst([0.0, *found])


@identity("closed chains", "closures")
def residual_rates_are_rows(s: State) -> float:
    """dφ/dt = K v [Park et al. (18-20)]"""
    held = np.array(s.model.rows_hold_positions)
    rate = s.rate(lambda q, v: alg.closure_residual(s.model, q))
    K, along = rows(s), alg.closure_velocity(s.model, s.q, s.u)
    return worst([relative(rate[held], (K @ s.v)[held], s.v), relative(along, K @ s.u, s.u)])


@identity("closed chains", "closures")
def residuals_of_poses(s: State) -> float:
    """φ(q ⊕ u) = φ(X_AB), of poses [definition]"""
    q, found = s.model.integrate(s.q, s.u), []
    parts, opened, between = s.model.split_q(q), alg.closure_residual(s.model, q), iter(_between(s, q))
    for closure in s.model.closures:
        coupled = sum((term.factors @ parts[term.body] for term in closure.terms), start=-closure.offset)
        expected = coupled if closure.terms else closure.constraint.residual(next(between)) + coupled
        found.append(relative(opened[s.model.closure_slices[closure.name]], expected, 1.0))
    return worst([0.0, *found])


@identity("closed chains", "closures")
def bias_is_the_rate_of_rows(s: State) -> float:
    """dK/dt v = bias of the closures [Park et al. Prop. 1]"""
    dK = s.rate(lambda q, v: alg.closure_jacobian(s.model, q))
    found = alg.closure_bias(s.model, s.q, s.v), alg.closure_jacobian_rate(s.model, s.q, s.v)
    return worst([relative(found[0], dK @ s.v, dK * s.v, s.v), relative(found[1], dK, s.v)])


@identity("closed chains", "closures", "inverse")
def closed_motion_obeys_newton(s: State) -> float:
    """M v̇ + c + g = τ + Kᵀλ, every method [Rodriguez, Part II]"""
    K, asked, wrench = rows(s), alg.closure_bias(s.model, s.q, s.v), s.wrenches
    bias = alg.inverse_dynamics(s.model, s.q, s.v, s.zero, wrench=wrench)

    def residual(method: ClosedMethod) -> float:
        a = alg.forward_dynamics(s.model, s.q, s.v, s.u, method=method, wrench=wrench)
        force = alg.closure_forces(s.model, s.q, s.v, s.u, method=method, wrench=wrench)
        moved = by_joint(
            s.M @ a + bias - s.u - K.T @ force,
            np.abs(s.M) @ np.abs(a),
            np.abs(bias),
            np.abs(s.u),
            np.abs(K).T @ np.abs(force),
        )
        forces = np.abs(s.u) + np.abs(bias) + np.abs(K).T @ np.abs(force)
        free = np.abs(K) @ np.abs(s.M_inverse) @ forces  # all of it is held if nothing can move
        return worst([moved, relative(K @ a, -asked, np.abs(K) @ np.abs(a), free)])

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


@identity("closed chains", "closures", "inverse")
def projections_are_nearest(s: State) -> float:
    """q⁺ = q, K v⁺ = 0, Gᵀ M (v⁺ − v) = 0 [Gauss]"""
    v, K, G = s.v + s.u, rows(s), alg.velocity_map(s.model, s.q)
    q, u = alg.project(s.model, s.q, v)
    left = relative(s.model.difference(s.q, q), 0.0, 1.0)
    allowed = relative(K @ u, 0.0, np.abs(K) @ (np.abs(u) + np.abs(v)))
    return worst(
        [left, allowed, relative(G.T @ s.M @ (u - v), 0.0, np.abs(G).T @ np.abs(s.M) @ (np.abs(u) + np.abs(v)))]
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


@identity("closed chains", "closures", "motors", "inverse")
def motor_forces_derivatives_are_slopes(s: State) -> float:
    """∂τ/∂(q, v, a) of motors are slopes [definition]"""
    a = alg.closed_acceleration(s.model, s.q, s.v, s.a[list(s.model.independent)])
    found = alg.motor_forces_derivatives(s.model, s.q, s.v, a)
    moved = s.model.integrate(s.q, 1j * STEP * s.u), s.v + 1j * STEP * s.u, a + 1j * STEP * s.u
    terms = s.tau, s.inertial

    def residual(k: int) -> float:
        at = [y if i == k else x for i, (x, y) in enumerate(zip((s.q, s.v, a), moved, strict=True))]
        slope = np.imag(alg.motor_forces(s.model, *at)[0]) / STEP
        return relative(found[k] @ s.u, slope, np.abs(found[k]) @ np.abs(s.u), *terms)

    return worst(map(residual, range(3)))


@identity("closed chains", "closures", "inverse")
def wrenches_of_closures_do_what_they_do(s: State) -> float:
    """FD of tree under their wrenches = FD [d'Alembert]"""
    wrenches, force = (f(s.model, s.q, s.v, s.u) for f in (alg.closure_wrenches, alg.closure_forces))
    slices, frames, tau = s.model.closure_slices, dict(s.model.frames), s.u
    wrench: dict[str, Array] = {}
    opposite = dict(zip((closure.name for closure in _loops(s)), _between(s, s.q), strict=True))
    for closure, F in zip(s.model.closures, wrenches, strict=True):
        if closure.terms:
            tau = tau + rows(s)[slices[closure.name]].T @ force[slices[closure.name]]
            continue
        for frame, push in zip(closure.frames, (-Ad_inv_dual(opposite[closure.name], F), F), strict=True):
            if frame.body != WORLD:
                name = f"{closure.name} {len(wrench)}"
                frames[name], wrench[name] = replace(frame, name=name), push
    tree = replace(s.model, closures=(), assembly=None, frames=frames)
    a = alg.forward_dynamics(s.model, s.q, s.v, s.u)
    found = alg.forward_dynamics(tree, s.q, s.v, tau, wrench=wrench)
    pushes = [np.abs(alg.jacobian(tree, s.q, frame=name).T) @ np.abs(F) for name, F in wrench.items()]
    return as_forces(s, found, a, s.u, tau, s.bias, *pushes)


@identity("closed chains", "closures", "inverse")
def closed_motion_in_other_link_frames(s: State) -> float:
    """φ, K, v̇, Kᵀλ in any link frames [Ploen & Park (47-68)]"""
    both, at = (s.moved, s.model), (s.q, s.v, s.u)
    residual, K, bias = (
        [alg.closure_residual(m, s.q) for m in both],
        [alg.closure_jacobian(m, s.q) for m in both],
        [alg.closure_bias(m, s.q, s.v) for m in both],
    )
    (a, b), (f, g) = ([of(m, *at) for m in both] for of in (alg.forward_dynamics, alg.closure_forces))
    force = np.abs(K[1]).T @ np.abs(g)
    kinematics = [largest(residual[0] - residual[1]), relative(*K), relative(*bias, K[1], s.v)]
    moved = relative(s.M @ (a - b), s.zero, np.abs(s.M) @ np.abs(b), s.u, s.bias, force)
    return worst([*kinematics, moved, relative(K[1].T @ (f - g), s.zero, force, s.u, s.bias)])


@identity("closed chains", "closures")
def closed_accelerations_keep_loops_closed(s: State) -> float:
    """K G y = 0, K a = −dK/dt v, a of ẏ [embedding]"""
    K, G, chosen = rows(s), alg.velocity_map(s.model, s.q), list(s.model.independent)
    dy = s.u[chosen]
    a = alg.closed_acceleration(s.model, s.q, s.v, dy)
    held = relative(K @ a, -alg.closure_bias(s.model, s.q, s.v), np.abs(K) @ np.abs(a))
    return worst([relative(K @ G, 0.0, np.abs(K) @ np.abs(G)), held, relative(a[chosen], dy)])


@identity("closed chains", "closures")
def reduced_regressor_gives_the_forces(s: State) -> float:
    """Gᵀ Y π = Gᵀ τ [Atkeson et al. 1986]"""
    G, pi = alg.velocity_map(s.model, s.q), np.concatenate([inertia.to_parameters(b.J) for b in s.model.bodies])
    Y = alg.reduced_regressor(s.model, s.q, s.v, s.a)
    of_bodies = s.tau - s.passive - s.model.armature @ s.a
    return relative(Y @ pi, G.T @ of_bodies, np.abs(Y) @ np.abs(pi), np.abs(G).T @ np.abs(of_bodies))


@identity("closed chains", "closures")
def reduced_regressor_gives_the_forces_of_joint_effects(s: State) -> float:
    """Gᵀ Y p = Gᵀ τ, less springs, mimics [Atkeson et al. 1986]"""
    model, at, G = with_every_effect(s), (s.q, s.v, s.a), alg.velocity_map(s.model, s.q)
    Y, (p, rest) = alg.reduced_regressor(model, *at, friction=True, rotor=True), parameters_and_rest(model, *at)
    of_parameters = alg.inverse_dynamics(model, *at) - rest
    return relative(Y @ p, G.T @ of_parameters, np.abs(Y) @ np.abs(p), np.abs(G).T @ np.abs(of_parameters))


@identity("closed chains", "closures", "inverse")
def closed_compliance_is_that_of_independent_velocities(s: State) -> float:
    """Λ⁻¹ = J_r M_r⁻¹ J_rᵀ = ∂(J v̇)/∂F [embedding]"""
    J, inverse = (
        alg.reduced_jacobian(s.model, s.q, frame=s.frame),
        np.linalg.inv(alg.reduced_mass_matrix(s.model, s.q)),
    )
    compliance, terms = alg.operational_compliance(s.model, s.q, frame=s.frame), np.abs(J) @ np.abs(inverse)
    open_terms = np.abs(s.J) @ np.abs(s.M_inverse) @ np.abs(s.J.T)
    free, pushed = (
        alg.forward_acceleration(s.model, s.q, s.v, s.u, frame=s.frame, wrench=w) for w in (None, {s.frame: s.F})
    )
    return worst(
        [
            relative(compliance, J @ inverse @ J.T, terms @ np.abs(J.T), open_terms),
            relative(
                pushed - free, compliance @ s.F, terms @ np.abs(J.T) @ np.abs(s.F), open_terms @ np.abs(s.F), free
            ),
        ]
    )


@identity("closed chains", "closures", "inverse", "root")
def closed_quasi_velocities_are_the_same_motion(s: State) -> float:
    """dν/dt of the loop, ν·dν/dt = v·(τ − g) [Kozłowski (40)]"""
    nu, a = alg.mass_root_transposed_product(s.model, s.q, s.v), alg.forward_dynamics(s.model, s.q, s.v, s.u)
    v, found = alg.diagonal_dynamics(s.model, s.q, nu, s.u)
    expected = replace(s, a=a).rate(lambda q, v: alg.mass_root_transposed_product(s.model, q, v))
    g, force = alg.gravity(s.model, s.q), np.abs(rows(s)).T @ np.abs(alg.closure_forces(s.model, s.q, s.v, s.u))
    terms = s.W @ np.abs(found), s.W @ np.abs(expected), np.abs(s.u), np.abs(s.bias), force, s.inertial_by_joint
    size = np.abs(s.v) @ (np.abs(s.u) + np.abs(s.passive) + np.abs(g) + force)
    return worst(
        [
            by_joint(alg.mass_root_product(s.model, s.q, found - expected), *terms),
            by_joint(s.M @ (v - s.v), np.abs(s.M) @ np.abs(s.v), s.inertial_by_joint),
            relative(nu @ found, s.v @ (s.u - s.passive - g), size, nu @ nu * largest(s.v)),
        ]
    )
