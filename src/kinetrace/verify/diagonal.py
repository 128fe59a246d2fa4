"""Identities of the equations of motion in quasi-velocities."""

from __future__ import annotations

import numpy as np

from .. import algorithms as alg
from ..arrays import Array
from .identity import identity
from .state import State, by_joint, largest, relative, worst


def _nu(s: State) -> Array:
    return alg.mass_root_transposed_product(s.model, s.q, s.v)


def _force(s: State, nu: Array) -> Array:
    """W ν: how far M⁻¹ magnifies rounding says nothing about an algorithm."""
    return alg.mass_root_product(s.model, s.q, nu)


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
    terms = s.W @ np.abs(C), s.W @ np.abs(turned), np.abs(s.bias), np.abs(g)
    return by_joint(_force(s, C + turned) - (s.bias - s.passive - g), *terms, s.inertial_by_joint)


@identity("quasi-velocities", "inverse", "root")
def diagonal_dynamics_is_the_same_motion(s: State) -> float:
    """dν/dt = W⁻¹ (τ + Jᵀ F − g) − C(q, ν) [Kozłowski (40)]"""
    tau = alg.inverse_dynamics(s.model, s.q, s.v, s.a, wrench=s.wrenches)
    v, found = alg.diagonal_dynamics(s.model, s.q, _nu(s), tau, wrench=s.wrenches)
    expected = s.rate(lambda q, v: alg.mass_root_transposed_product(s.model, q, v))
    pushes = [np.abs(alg.jacobian(s.model, s.q, frame=frame).T) @ np.abs(F) for frame, F in s.wrenches.items()]
    terms = s.W @ np.abs(found), s.W @ np.abs(expected), np.abs(tau), np.abs(s.bias), *pushes
    moved = by_joint(_force(s, found - expected), *terms, s.inertial_by_joint)
    return worst([moved, by_joint(s.M @ (v - s.v), np.abs(s.M) @ np.abs(s.v), s.inertial_by_joint)])


@identity("quasi-velocities", "inverse", "root")
def unnormalised_dynamics_is_the_same_motion(s: State) -> float:
    """d(Nᵀ v)/dt of the same motion [Kozłowski (44)]"""
    xi = alg.mass_root_transposed_product(s.model, s.q, s.v, normalised=False)
    v, found = alg.diagonal_dynamics(s.model, s.q, xi, s.tau, normalised=False)
    expected = s.rate(lambda q, v: alg.mass_root_transposed_product(s.model, q, v, normalised=False))
    root = np.sqrt(alg.mass_pivots(s.model, s.q))  # W = N Ω^½: as forces, like those of ν
    terms = s.W @ np.abs(root * found), s.W @ np.abs(root * expected), np.abs(s.tau), np.abs(s.bias)
    error = _force(s, root * (found - expected))
    moved = by_joint(error, *terms, s.inertial_by_joint)
    return worst([moved, by_joint(s.M @ (v - s.v), np.abs(s.M) @ np.abs(s.v), s.inertial_by_joint)])


@identity("quasi-velocities", "inverse", "root")
def power_changes_the_energy_of_quasi_velocities(s: State) -> float:
    """ν·dν/dt = v·(τ + Jᵀ F − g) [Kozłowski (40), (42)]"""
    nu, g = _nu(s), alg.gravity(s.model, s.q)
    _, rate = alg.diagonal_dynamics(s.model, s.q, nu, s.u, wrench={s.frame: s.F})
    power = [s.v * (s.u - s.passive - g), (s.J * s.v).T @ s.F]
    size = np.abs(s.v) @ (np.abs(s.u) + np.abs(s.passive) + np.abs(g) + np.abs(s.J.T) @ np.abs(s.F))
    return relative(nu @ rate, sum(x.sum() for x in power), size, nu @ nu * largest(s.v))


@identity("quasi-velocities", "inverse", "root")
def damping_of_quasi_velocities(s: State) -> float:
    """τ = g − W k ν: dT/dt = −2 k T [Kozłowski (40), (42)]"""
    nu, held = _nu(s), alg.gravity(s.model, s.q) + s.passive
    _, rate = alg.diagonal_dynamics(s.model, s.q, nu, held - _force(s, 0.7 * nu))
    size = np.abs(s.v) @ (np.abs(held) + s.W @ np.abs(nu)), nu @ nu * largest(s.v)
    return relative(nu @ rate, -1.4 * alg.kinetic_energy(s.model, s.q, s.v), *size)


@identity("quasi-velocities", "inverse", "root")
def quasi_velocities_can_be_decoupled(s: State) -> float:
    """τ = g + W (C − K ν): dν/dt = −K ν [Kozłowski (40)]"""
    nu, held = _nu(s), alg.gravity(s.model, s.q) + s.passive
    C, gains = alg.diagonal_coriolis(s.model, s.q, nu), np.linspace(0.1, 2.0, s.model.nv)
    _, rate = alg.diagonal_dynamics(s.model, s.q, nu, held + _force(s, C - gains * nu))
    terms = np.abs(held), s.W @ np.abs(C), s.W @ np.abs(nu), s.inertial_by_joint
    return by_joint(_force(s, rate + gains * nu), *terms)
