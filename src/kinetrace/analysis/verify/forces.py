"""Identities of Coriolis forces, energy and momentum, and of the equations of motion in quasi-velocities."""

from __future__ import annotations

import numpy as np

from ... import algorithms as alg
from ...algorithms.registry.choices import CoriolisForm
from ...arrays import Array
from ...lie import Ad_inv_dual, inertia
from .state import CORIOLIS_FORMS, State, by_joint, identity, largest, mass_moments, relative, worst


@identity("Coriolis")
def coriolis_matrix_gives_the_bias(s: State) -> float:
    """C v + g = τ(q, v, 0), every form [Ploen (25), (37)]"""
    g, bias = alg.inverse_dynamics(s.rigid, s.q, s.zero, s.zero), alg.bias(s.model, s.q, s.v)
    matrices = s.coriolis.values()
    found = [relative(C @ s.v + g, s.bias - s.passive, C * s.v, g, s.passive, s.inertial) for C in matrices]
    return worst([*found, relative(bias, s.bias)])


@identity("Coriolis")
def coriolis_matrix_is_linear_in_velocity(s: State) -> float:
    """C(2 v − 3 u) a = 2 C(v) a − 3 C(u) a [Ploen (37)]"""

    def residual(form: CoriolisForm) -> float:
        C, D = s.coriolis[form], alg.coriolis_matrix(s.model, s.q, 2 * s.v - 3 * s.u, form=form)
        terms = 2 * C @ s.a, 3 * alg.coriolis_product(s.model, s.q, s.u, s.a, form=form)
        return relative(D @ s.a, terms[0] - terms[1], *terms, s.inertial)

    return worst(map(residual, CORIOLIS_FORMS))


@identity("Coriolis")
def christoffel_form_has_no_torsion(s: State) -> float:
    """C(v) u − C(u) v = M [v, u], Christoffel [Park et al. (52)]"""
    forth, back = (alg.coriolis_product(s.model, s.q, x, y) for x, y in ((s.v, s.u), (s.u, s.v)))
    twist = s.M @ s.model.bracket(s.v, s.u)
    return relative(forth - back, twist, forth, back, s.inertial)


@identity("Coriolis")
def mass_matrix_rate_is_the_derivative(s: State) -> float:
    """Mdot = dM/dt [Ploen (28)]"""
    return relative(alg.mass_matrix_rate(s.model, s.q, s.v), s.M_rate, s.inertial)


@identity("Coriolis")
def mass_matrix_rate_less_twice_coriolis_is_skew(s: State) -> float:
    """Mdot − 2 C skew, but for "newton" [Ploen (37)]"""
    matrices = [C for form, C in s.coriolis.items() if form != "newton"]
    return worst(relative(s.M_rate, C + C.T, C, s.inertial) for C in matrices)


@identity("Coriolis")
def coriolis_products(s: State) -> float:
    """C u and Cᵀ u without C, every form [Ploen (37)]"""

    def residual(form: CoriolisForm) -> float:
        C, products = s.coriolis[form], (alg.coriolis_product, alg.coriolis_transpose_product)
        found = [product(s.model, s.q, s.v, s.u, form=form) for product in products]
        return worst(relative(x, D @ s.u, D * s.u, s.inertial) for x, D in zip(found, (C, C.T), strict=True))

    return worst(map(residual, CORIOLIS_FORMS))


@identity("energy and momentum")
def energies_of_poses(s: State) -> float:
    """T = Σ ½ V·J V, U = −Σ m g·c, of poses [Park et al. (58)]"""
    kinetic = [V @ b.J @ V / 2 for b, V in zip(s.model.bodies, s.twists, strict=True)]
    weights, springs = mass_moments(s.model, s.poses) * s.model.gravity, s.model.stored_energy(s.q)
    T, U = alg.kinetic_energy(s.model, s.q, s.v), alg.potential_energy(s.model, s.q)
    rotors = s.v @ s.model.armature @ s.v / 2
    return worst([relative(T, sum(kinetic) + rotors), relative(U, springs - weights.sum(), np.abs(weights).sum())])


@identity("energy and momentum")
def power_is_the_rate_of_total_energy(s: State) -> float:
    """τ·v − heat = d(T + U)/dt, of forces [Newton]"""
    power, heat = alg.power(s.model, s.v, s.tau), alg.dissipated_power(s.model, s.q, s.v)
    rate = s.rate(lambda q, v: alg.total_energy(s.model, q, v))
    springs = s.rate(lambda q, v: s.model.stored_energy(q))
    work, held = np.abs(s.v) @ np.abs(s.tau), np.abs(s.v) @ np.abs(s.passive)
    terms = work, held, np.abs(s.v) @ np.abs(s.M) @ np.abs(s.a)
    return worst([relative(power, rate + heat, *terms), relative(s.v @ s.passive, heat + springs, held)])


@identity("energy and momentum")
def gravity_is_the_force_at_rest(s: State) -> float:
    """g(q) = τ(q, 0, 0) [Park et al. (59)]"""
    tau = alg.inverse_dynamics(s.rigid, s.q, s.zero, s.zero)
    return relative(alg.gravity(s.model, s.q), tau, s.lever * np.linalg.norm(s.model.gravity))


@identity("energy and momentum")
def momentum_of_poses(s: State) -> float:
    """h = Σ Ad* J V, of poses [Park et al. (10-11)]"""
    bodies = zip(s.model.bodies, s.poses, s.twists, strict=True)
    terms = [Ad_inv_dual(X, b.J @ V) for b, X, V in bodies]
    return relative(alg.momentum(s.model, s.q, s.v), sum(terms), *terms)


@identity("energy and momentum")
def centroidal_momentum_matrix_gives_the_momentum(s: State) -> float:
    """h_c = A v, h about the center of mass [Orin & Goswami 2008]"""
    A, c = alg.centroidal_momentum_matrix(s.model, s.q), alg.center_of_mass(s.model, s.q)
    h = alg.momentum(s.model, s.q, s.v)
    about_center = np.concatenate([h[:3] - np.cross(c, h[3:]), h[3:]])
    found, terms = alg.centroidal_momentum(s.model, s.q, s.v), (A * s.v, h, largest(c) * h[3:])
    return worst([relative(found, A @ s.v, *terms), relative(found, about_center, *terms)])


@identity("energy and momentum")
def center_of_mass_of_poses(s: State) -> float:
    """c = Σ m c_i / Σ m, of poses [Park et al. (58)]"""
    moments, total = mass_moments(s.model, s.poses), _mass(s)
    if total == 0:
        return largest(alg.center_of_mass(s.model, s.q))
    return relative(alg.center_of_mass(s.model, s.q), moments.sum(axis=0) / total, np.abs(moments).sum() / total)


@identity("energy and momentum")
def linear_momentum_is_that_of_the_center(s: State) -> float:
    """p = Σ m dc/dt [Newton]"""
    A, total = alg.centroidal_momentum_matrix(s.model, s.q), _mass(s)
    speed = s.rate(lambda q, v: alg.center_of_mass(s.model, q))
    momentum = alg.centroidal_momentum(s.model, s.q, s.v)[3:]
    return relative(momentum, total * speed, (A * s.v)[3:], s.lever * largest(s.v))


def _mass(s: State) -> float:
    return sum(float(inertia.mass(b.J)) for b in s.model.bodies)


@identity("energy and momentum")
def momentum_rate_is_the_derivative(s: State) -> float:
    """momentum_rate = dh_c/dt [Park et al. (26)]"""
    dh = s.rate(lambda q, v: alg.centroidal_momentum(s.model, q, v))
    about_origin = s.rate(lambda q, v: alg.momentum(s.model, q, v))
    return relative(alg.momentum_rate(s.model, s.q, s.v, s.a), dh, about_origin)


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
