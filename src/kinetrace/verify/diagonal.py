"""Identities of the equations of motion in quasi-velocities."""

from __future__ import annotations

import numpy as np

from .. import algorithms as alg
from ..arrays import Array
from .identity import identity
from .state import State, by_joint, largest, relative


def _nu(s: State) -> Array:
    return alg.mass_root_transposed_product(s.model, s.q, s.v)


@identity("quasi-velocities", "inverse", "root")
def quasi_velocities_hold_the_energy(s: State) -> float:
    """v·M v = ν·ν, ν = Wᵀ v [Kozłowski (27), (28)]"""
    return relative(s.v @ s.M @ s.v, _nu(s) @ _nu(s))


@identity("quasi-velocities", "inverse", "root")
def diagonal_coriolis_does_no_work(s: State) -> float:
    """ν·C(q, ν) = 0 [Kozłowski (42), (47)]"""
    nu = _nu(s)
    C = alg.diagonal_coriolis(s.model, s.q, nu)
    return relative(nu @ C, 0.0, np.linalg.norm(nu) * np.linalg.norm(C), nu @ nu * largest(s.v))


@identity("quasi-velocities", "inverse", "root")
def diagonal_coriolis_by_the_rate_of_the_root(s: State) -> float:
    """C(q, ν) = W⁻¹ (c − g) − d(Wᵀ)/dt v [Kozłowski (41)]"""
    turned = s.rate(lambda q, v: alg.mass_root_transposed_product(s.model, q, s.v))
    C, g = alg.diagonal_coriolis(s.model, s.q, _nu(s)), alg.gravity(s.model, s.q)
    terms = np.abs(s.W) @ np.abs(C), np.abs(s.W) @ np.abs(turned), np.abs(s.bias), np.abs(g)
    return by_joint(s.W @ (C + turned) - (s.bias - s.passive - g), *terms, s.inertial_by_joint)


@identity("quasi-velocities", "inverse", "root")
def diagonal_dynamics_is_the_same_motion(s: State) -> float:
    """d(Wᵀ v)/dt = W⁻¹ τ − C(q, ν) − W⁻¹ g [Kozłowski (40)]"""
    _, found = alg.diagonal_dynamics(s.model, s.q, _nu(s), s.tau)
    expected = s.rate(lambda q, v: alg.mass_root_transposed_product(s.model, q, v))
    root = np.abs(s.W)
    terms = root @ np.abs(found), root @ np.abs(expected), np.abs(s.tau), np.abs(s.bias)
    return by_joint(s.W @ (found - expected), *terms, s.inertial_by_joint)
