"""Identities of Coriolis forces, energy and momentum."""

from __future__ import annotations

from typing import get_args

import numpy as np

from .. import algorithms as alg
from ..algorithms.choices import CoriolisForm
from ..arrays import Array
from ..lie import Ad_inv_dual
from .identity import identity
from .state import State, body_poses, body_twists, mass_moments, relative, worst

FORMS: tuple[CoriolisForm, ...] = get_args(CoriolisForm)


def coriolis_of(s: State, form: CoriolisForm) -> Array:
    """C of a state, in one of its forms."""
    return alg.coriolis_matrix(s.model, s.q, s.v, form=form)


@identity("Coriolis")
def coriolis_matrix_gives_the_bias(s: State) -> float:
    """C v + g = τ(q, v, 0), every form [Ploen (25), (37)]"""
    g = alg.inverse_dynamics(s.rigid, s.q, s.zero, s.zero)
    matrices = [coriolis_of(s, form) for form in FORMS]
    return worst(relative(C @ s.v + g, s.bias - s.passive, C * s.v, g, s.passive, s.inertial) for C in matrices)


@identity("Coriolis")
def mass_matrix_rate_is_the_derivative(s: State) -> float:
    """Mdot = dM/dt [Ploen (28)]"""
    dM = s.rate(lambda q, v: alg.mass_matrix(s.model, q))
    return relative(alg.mass_matrix_rate(s.model, s.q, s.v), dM, s.inertial)


@identity("Coriolis")
def mass_matrix_rate_less_twice_coriolis_is_skew(s: State) -> float:
    """Mdot − 2 C skew, but for "newton" [Ploen (37)]"""
    dM = s.rate(lambda q, v: alg.mass_matrix(s.model, q))
    matrices = [coriolis_of(s, form) for form in ("skew", "christoffel")]
    return worst(relative(dM, C + C.T, C, s.inertial) for C in matrices)


@identity("Coriolis")
def coriolis_products(s: State) -> float:
    """C u and Cᵀ u without C, every form [Ploen (37)]"""

    def residual(form: CoriolisForm) -> float:
        C, products = coriolis_of(s, form), (alg.coriolis_product, alg.coriolis_transpose_product)
        found = [product(s.model, s.q, s.v, s.u, form=form) for product in products]
        return worst(relative(x, D @ s.u, D * s.u, s.inertial) for x, D in zip(found, (C, C.T), strict=True))

    return worst(map(residual, FORMS))


@identity("energy and momentum")
def energies_of_poses(s: State) -> float:
    """T = Σ ½ V·J V, U = −Σ m g·c, of poses [Park et al. (58)]"""
    kinetic = [V @ b.J @ V / 2 for b, V in zip(s.model.bodies, body_twists(s), strict=True)]
    weights, springs = mass_moments(s.model, s.q) * s.model.gravity, s.model.stored_energy(s.q)
    T, U = alg.kinetic_energy(s.model, s.q, s.v), alg.potential_energy(s.model, s.q)
    rotors = s.v @ s.model.armature @ s.v / 2
    return worst([relative(T, sum(kinetic) + rotors), relative(U, springs - weights.sum(), np.abs(weights).sum())])


@identity("energy and momentum")
def gravity_is_the_force_at_rest(s: State) -> float:
    """g(q) = τ(q, 0, 0) [Park et al. (59)]"""
    weights = np.linalg.norm(mass_moments(s.model, s.q), axis=-1).sum() * np.linalg.norm(s.model.gravity)
    tau = alg.inverse_dynamics(s.rigid, s.q, s.zero, s.zero)
    return relative(alg.gravity(s.model, s.q), tau, weights)


@identity("energy and momentum")
def momentum_of_poses(s: State) -> float:
    """h = Σ Ad* J V, of poses [Park et al. (10-11)]"""
    bodies = zip(s.model.bodies, body_poses(s.model, s.q), body_twists(s), strict=True)
    terms = [Ad_inv_dual(X, b.J @ V) for b, X, V in bodies]
    return relative(alg.momentum(s.model, s.q, s.v), sum(terms), *terms)


@identity("energy and momentum")
def centroidal_momentum_matrix_gives_the_momentum(s: State) -> float:
    """h_c = A v [Orin & Goswami 2008]"""
    A = alg.centroidal_momentum_matrix(s.model, s.q)
    about_origin = alg.momentum(s.model, s.q, s.v)
    return relative(alg.centroidal_momentum(s.model, s.q, s.v), A @ s.v, A * s.v, about_origin)


@identity("energy and momentum")
def momentum_rate_is_the_derivative(s: State) -> float:
    """momentum_rate = dh_c/dt [Park et al. (26)]"""
    dh = s.rate(lambda q, v: alg.centroidal_momentum(s.model, q, v))
    about_origin = s.rate(lambda q, v: alg.momentum(s.model, q, v))
    return relative(alg.momentum_rate(s.model, s.q, s.v, s.a), dh, about_origin)
