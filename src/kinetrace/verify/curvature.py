"""Identities of second derivatives and of the curvature of configuration space."""

from __future__ import annotations

from functools import partial

import numpy as np

from .. import algorithms as alg
from ..arrays import Array
from .identity import identity
from .state import STEP, State, largest, relative, worst

MOST_NV = 9
"""Up to which tensors with three and four indices are derived and compared: their expressions are long beyond."""


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
