"""Identities of derivatives: each, times a random direction, is what a complex step along it finds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from .. import algorithms as alg
from ..arrays import Array
from ..model import WORLD
from .identity import identity
from .motion import Where, wheres
from .state import STEP, State, as_forces, entrywise, largest, relative, worst

Errors = list[tuple[Array, Array, Array]]
"""Per argument: the derivative times a direction, by the derivative and by a step, and the sizes of its terms."""


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
