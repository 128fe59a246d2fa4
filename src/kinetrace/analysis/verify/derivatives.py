"""Identities of derivatives, of steps in time, and of the curvature of configuration space.

Each derivative, times a random direction, is what a complex step along it finds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, get_args

import numpy as np

from ... import algorithms as alg
from ...algorithms.registry.choices import ExplicitMethod, StepMethod
from ...arrays import Array
from ...model import WORLD
from .motion import Where, wheres
from .state import STEP, State, as_forces, by_joint, entrywise, identity, largest, relative, worst

Errors = list[tuple[Array, Array, Array]]
"""Per argument: the derivative times a direction, by the derivative and by a step, and the sizes of its terms."""
MOST_NV = 9
"""Up to which tensors with three and four indices are derived and compared: their expressions are long beyond."""
EXPLICIT: tuple[ExplicitMethod, ...] = get_args(ExplicitMethod)
STEPS = tuple(method for method in get_args(StepMethod) if method != "variational")
"""Those that are formulas of h: "variational" solves an equation."""


def _steps(s: State, found: Sequence[Array], f: Callable[..., Array], *vectors: Array) -> Errors:
    """Of f(q, ...): the first derivative along q ⊕ εw, the others along their vectors."""
    directions, errors = (s.u, s.a, s.v + s.u), []
    for k, (D, w) in enumerate(zip(found, directions, strict=False)):
        step = 1j * STEP * w
        q = s.model.integrate(s.q, step) if k == 0 else s.q
        moved = f(q, *(x + step if k == i else x for i, x in enumerate(vectors, start=1)))
        errors.append((D @ w, np.imag(moved) / STEP, np.abs(D) @ np.abs(w)))
    return errors


def _apart(errors: Errors, *terms: Array) -> float:
    return worst(relative(found, stepped, size, *terms) for found, stepped, size in errors)


@identity("derivatives")
def inverse_dynamics_derivatives_are_slopes(s: State) -> float:
    """∂τ/∂(q, v, a) are slopes, ∂τ/∂a = M [definition]"""
    pull = np.linalg.norm(s.model.gravity)

    def residual(acting: dict[str, Any]) -> float:
        found = alg.inverse_dynamics_derivatives(s.model, s.q, s.v, s.a, **acting)
        steps = _steps(s, found, partial(alg.inverse_dynamics, s.model, **acting), s.v, s.a)
        return worst([_apart(steps, s.inertial, s.lever * pull), entrywise(found[2], s.M, s.M)])

    return worst(map(residual, ({}, s.acting)))


@identity("derivatives", "inverse")
def forward_dynamics_derivatives_are_slopes(s: State) -> float:
    """∂a/∂(q, v, τ) are slopes of FD [definition]"""
    tau = alg.inverse_dynamics(s.model, s.q, s.v, s.a, **s.acting)
    found = alg.forward_dynamics_derivatives(s.model, s.q, s.v, tau, **s.acting)
    steps = _steps(s, found, partial(alg.forward_dynamics, s.model, **s.acting), s.v, tau)
    terms = tau, s.inertial_by_joint
    return worst(as_forces(s, x, y, np.abs(s.M) @ size, *terms) for x, y, size in steps)


@identity("derivatives")
def pose_derivative_is_a_slope(s: State) -> float:
    """∂X/∂q is the slope of X [Park et al. (18-20)]"""

    def residual(frame: str) -> float:
        found = alg.pose_derivative(s.model, s.q, frame=frame)
        return _apart(_steps(s, [found], partial(alg.pose, s.model, frame=frame)), s.u)

    return worst(map(residual, s.frames))


@identity("derivatives")
def jacobian_derivative_is_a_slope(s: State) -> float:
    """∂J/∂q is a slope of J, ∂J/∂q v = ∂V/∂q [definition]"""

    def residual(where: Where) -> float:
        found, J = alg.jacobian_derivative(s.model, s.q, **where), alg.jacobian(s.model, s.q, **where)
        slope = alg.velocity_derivatives(s.model, s.q, s.v, **where)[0]
        steps = _steps(s, [found], partial(alg.jacobian, s.model, **where))
        along = relative(np.einsum("ijk,j->ik", found, s.v), slope, largest(J) * s.v)
        return worst([_apart(steps, largest(J) * s.u), along])

    moving = {name: frame.body for name, frame in s.model.frames.items() if frame.body != WORLD}
    far = max(moving, key=lambda name: len(s.model.ancestors(moving[name])))  # next to the base J may be constant
    return worst(map(residual, [*wheres(s), {"frame": far, "expressed_in": "aligned"}]))


@identity("derivatives")
def velocity_and_acceleration_derivatives_are_slopes(s: State) -> float:
    """∂V/∂(q, v), ∂Vdot/∂(q, v, a) are slopes [definition]"""

    def residual(where: Where) -> float:
        J = alg.jacobian(s.model, s.q, **where)
        dV = alg.velocity_derivatives(s.model, s.q, s.v, **where)
        dA = alg.acceleration_derivatives(s.model, s.q, s.v, s.a, **where)
        steps = [
            *_steps(s, dV, partial(alg.velocity, s.model, **where), s.v),
            *_steps(s, dA, partial(alg.acceleration, s.model, **where), s.v, s.a),
        ]
        return worst([_apart(steps, s.u), relative(dV[1], J), relative(dA[2], J)])

    return worst(map(residual, wheres(s)))


@identity("derivatives")
def mass_matrix_derivative_is_a_slope(s: State) -> float:
    """∂M/∂q is the slope of M [Park et al. Prop. 1]"""
    dM = alg.mass_matrix_derivative(s.model, s.q)
    return relative(dM @ s.u, s.along(s.u, partial(alg.mass_matrix, s.model)), s.M)


@identity("derivatives")
def christoffel_symbols_are_the_levi_civita_connection(s: State) -> float:
    """Γ_ijk + Γ_ikj = ∂_i M_jk, Γ v = C [Park et al. (52)]"""
    Gamma, C = alg.christoffel(s.model, s.q), s.coriolis["christoffel"]
    along_u, along_v = (np.einsum("ijk,i->jk", Gamma, x) for x in (s.u, s.v))
    metric = relative(along_u + along_u.T, s.along(s.u, partial(alg.mass_matrix, s.model)), along_u, s.M)
    torsion = s.u @ along_v - s.v @ along_u
    twist = s.M @ s.model.bracket(s.v, s.u)
    return worst([metric, relative(torsion, twist, s.inertial), relative(along_v.T, C, s.inertial)])


@identity("derivatives", "inverse")
def christoffel_symbols_of_the_second_kind(s: State) -> float:
    """M Γ(v, v) = C v, of the second kind [Park et al. (52)]"""
    force = alg.coriolis_product(s.model, s.q, s.v, s.v)
    found = np.einsum("ijk,i,j->k", alg.christoffel(s.model, s.q, kind=2), s.v, s.v)
    return relative(s.M @ found, force, np.abs(s.M) @ np.abs(found), s.inertial)


def _plane(s: State) -> tuple[float, float]:
    """<R(u, v) v, u> by derivatives of ∇ along the fields of constant u and v, and the size of its terms."""
    u, v, model = s.u, s.v, s.model

    def gamma(x: Array, y: Array, q: Array = s.q) -> Array:
        return alg.coriolis_product(model, q, x, y)

    turned = [s.along(u, lambda q: u @ gamma(v, v, q)), -s.along(v, lambda q: u @ gamma(u, v, q))]
    pairs = (gamma(v, v), gamma(u, u)), (gamma(u, v), gamma(v, u))
    inner = [-pairs[0][0] @ s.M_inverse @ pairs[0][1], pairs[1][0] @ s.M_inverse @ pairs[1][1]]
    sizes = [np.abs(x) @ np.abs(s.M_inverse) @ np.abs(y) for x, y in pairs]
    bent = -u @ gamma(model.bracket(u, v), v)
    size = largest(s.M) * max(largest(u), 1.0) ** 2 * max(largest(v), 1.0) ** 2
    return float(sum(turned) + sum(inner) + bent), largest([*turned, *sizes, bent, size])


@identity("curvature", "inverse", "root")
def sectional_curvature_is_that_of_the_connection(s: State) -> float:
    """K times the area² = R(u, v, u, v) [Park et al. (66)]"""
    if s.model.nv < 2:
        return 0.0
    M, (R, size) = s.M, _plane(s)
    area = (s.u @ M @ s.u) * (s.v @ M @ s.v) - (s.u @ M @ s.v) ** 2
    return relative(alg.sectional_curvature(s.model, s.q, s.u, s.v) * area, R, size)


@identity("curvature", "inverse", "root", "few")
def curvature_tensor_is_that_of_the_connection(s: State) -> float:
    """R_ijkl of slopes of Γ, and its traces [Park et al. (66)]"""
    tensor, (R, size) = alg.riemann(s.model, s.q), _plane(s)
    ricci, scalar = alg.ricci(s.model, s.q), alg.scalar_curvature(s.model, s.q)
    inverse, d = s.M_inverse, np.sqrt(np.diag(s.M))
    unit = tensor / np.einsum("i,j,k,l", d, d, d, d)
    raised = np.abs(inverse) * np.outer(d, d)
    traces = np.einsum("ik,ijkl->jl", inverse, tensor), np.einsum("jl,jl", inverse, ricci)
    size_of_trace = largest(raised) * max(largest(unit), 1.0 / s.M.max())
    return worst(
        [
            relative(np.einsum("ijkl,i,j,k,l", tensor, s.u, s.v, s.u, s.v), R, size),
            relative(ricci / np.outer(d, d), traces[0] / np.outer(d, d), size_of_trace),
            relative(scalar, traces[1], size_of_trace * largest(raised)),
        ]
    )


@identity("curvature", "few")
def christoffel_derivative_is_a_slope(s: State) -> float:
    """∂Γ/∂q is the slope of Γ [Park et al. (66)]"""
    found = alg.christoffel_derivative(s.model, s.q) @ s.u
    return relative(found, s.along(s.u, partial(alg.christoffel, s.model)), s.M)


@identity("curvature", "few")
def second_derivatives_are_slopes(s: State) -> float:
    """∂²τ are the slopes of ∂τ/∂(q, v, a) [Park et al. (54)]"""
    qq, vq, vv, aq = alg.inverse_dynamics_second_derivatives(s.model, s.q, s.v, s.a)
    first, step = partial(alg.inverse_dynamics_derivatives, s.model), 1j * STEP * s.u
    by_q = first(s.model.integrate(s.q, step), s.v, s.a)
    by_v = first(s.q, s.v + step, s.a)
    pairs = (qq, by_q[0]), (vq, by_q[1]), (vv, by_v[1]), (aq, by_q[2])
    pull = s.lever * np.linalg.norm(s.model.gravity)
    return worst(relative(D @ s.u, np.imag(x) / STEP, np.abs(D) @ np.abs(s.u), s.inertial, pull) for D, x in pairs)


def _free(s: State) -> Array:
    return alg.forward_dynamics(s.model, s.q, s.v, s.u)


def _dt(s: State) -> float:
    """A time in which not much happens."""
    return float(0.01 / (1.0 + np.abs(s.v).max() + np.sqrt(np.abs(_free(s)).max())))


@identity("steps", "inverse")
def steps_begin_with_the_motion(s: State) -> float:
    """slope of a step at h = 0 is (v, FD) [Newton]"""
    a, moved = _free(s), s.model.integrate(s.q, 1j * STEP * s.v)

    def residual(method: StepMethod) -> float:
        q, v = alg.step(s.model, s.q, s.v, s.u, 1j * STEP, method=method)
        places = relative(np.real(q), s.q, 1.0), relative(np.imag(q) / STEP, np.imag(moved) / STEP, s.v)
        return worst([*places, relative(np.real(v), s.v), as_forces(s, np.imag(v) / STEP, a, s.u, s.bias)])

    return worst(map(residual, STEPS))


@identity("steps", "inverse", "root")
def steps_of_quasi_velocities_begin_with_the_motion(s: State) -> float:
    """slope of a step at h = 0 is (v, dν/dt) [Kozłowski (40)]"""
    nu, terms = alg.mass_root_transposed_product(s.model, s.q, s.v), (np.abs(s.u), np.abs(s.bias), s.inertial_by_joint)
    v, rate = alg.diagonal_dynamics(s.model, s.q, nu, s.u)
    moved = s.model.integrate(s.q, 1j * STEP * v)

    def residual(method: ExplicitMethod) -> float:
        q, after = alg.diagonal_step(s.model, s.q, nu, s.u, 1j * STEP, method=method)
        found = np.imag(after) / STEP
        force = alg.mass_root_product(s.model, s.q, found - rate)
        places = relative(np.real(q), s.q, 1.0), relative(np.imag(q) / STEP, np.imag(moved) / STEP, s.v)
        return worst([*places, relative(np.real(after), nu), by_joint(force, s.W @ np.abs(rate), *terms)])

    return worst(map(residual, EXPLICIT))


@identity("steps", "inverse")
def a_rollout_is_steps(s: State) -> float:
    """rollout is steps, with their slopes [definition]"""
    dt, n, taus, roll = _dt(s), s.model.nv, np.stack([s.u, -s.u]), partial(alg.rollout, s.model, method="semi-implicit")
    found = roll(s.q, s.v, taus, dt)
    first = alg.step(s.model, s.q, s.v, taus[0], dt)
    second = alg.step(s.model, *first, taus[1], dt)
    states = [relative(x, np.stack(y)) for x, y in zip(found, zip(first, second, strict=True), strict=True)]
    by_state, by_tau = alg.rollout_derivatives(s.model, s.q, s.v, taus, dt, method="semi-implicit")
    x, forces = np.concatenate([s.u, s.a]), s.v - taus
    slope = by_state @ x + sum(D @ f for D, f in zip(by_tau, forces, strict=True))
    size = np.abs(by_state) @ np.abs(x) + sum(np.abs(D) @ np.abs(f) for D, f in zip(by_tau, forces, strict=True))
    moved = s.model.integrate(s.q, 1j * STEP * s.u), s.v + 1j * STEP * s.a, taus + 1j * STEP * forces
    q, v = (np.imag(y[-1]) / STEP for y in roll(*moved, dt))
    along = np.imag(s.model.integrate(second[0], 1j * STEP * slope[:n])) / STEP
    return worst([*states, relative(along, q, size[:n]), relative(slope[n:], v, size[n:])])


@identity("steps", "inverse")
def linear_dynamics_are_slopes(s: State) -> float:
    """dx/dt = A x + B u is a slope of (v, FD) [definition]"""
    (A, B), n = alg.linearise(s.model, s.q, s.v, s.u), s.model.nv
    dq, dv, dtau = s.u, s.a, s.v + s.u
    found = A @ np.concatenate([dq, dv]) + B @ dtau
    moved = s.model.integrate(s.q, 1j * STEP * dq), s.v + 1j * STEP * dv, s.u + 1j * STEP * dtau
    slope, size = np.imag(alg.forward_dynamics(s.model, *moved)) / STEP, np.abs(A) @ np.abs([*dq, *dv])
    terms = np.abs(s.M) @ (size[n:] + np.abs(B[n:]) @ np.abs(dtau)), s.u, s.inertial_by_joint
    return worst([relative(found[:n], dv - s.model.bracket(s.v, dq), size[:n]), as_forces(s, found[n:], slope, *terms)])


@identity("steps", "inverse")
def linear_steps_are_slopes(s: State) -> float:
    """A x + B u is the slope of a step [definition]"""
    dt, n = _dt(s), s.model.nv
    dq, dv, dtau = s.u, s.a, s.v + s.u
    moved = s.model.integrate(s.q, 1j * STEP * dq), s.v + 1j * STEP * dv, s.u + 1j * STEP * dtau
    A, B = alg.linearise_step(s.model, s.q, s.v, s.u, dt)
    found = A @ np.concatenate([dq, dv]) + B @ dtau
    size = np.abs(A) @ np.abs([*dq, *dv]) + np.abs(B) @ np.abs(dtau)
    (q, _), (q_moved, v_moved) = alg.step(s.model, s.q, s.v, s.u, dt), alg.step(s.model, *moved, dt)
    along = np.imag(s.model.integrate(q, 1j * STEP * found[:n])) / STEP
    places = relative(along, np.imag(q_moved) / STEP, size[:n])
    return worst([places, relative(found[n:], np.imag(v_moved) / STEP, size[n:])])
