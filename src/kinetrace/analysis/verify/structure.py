"""Identities across link frames, operators and ways to run."""

from __future__ import annotations

import numpy as np

from ... import algorithms as alg
from ...arrays import Array
from ...lie import inertia
from ...model import WORLD
from .state import State, as_forces, entrywise, identity, relative, undone, worst


@identity("coordinate invariance")
def poses_in_other_link_frames(s: State) -> float:
    """X, J, V the same in any link frames [Ploen & Park (15-26)]"""
    pairs = [[f(m, s.q, frame=s.frame) for m in (s.moved, s.model)] for f in (alg.pose, alg.jacobian)]
    velocities = (alg.velocity(m, s.q, s.v, frame=s.frame) for m in (s.moved, s.model))
    return worst([*(relative(*pair) for pair in pairs), relative(*velocities, s.J * s.v)])


@identity("coordinate invariance")
def forces_in_other_link_frames(s: State) -> float:
    """τ the same in any link frames [Ploen & Park (34-38)]"""
    terms = _carried_wrenches(s)
    return relative(alg.inverse_dynamics(s.moved, s.q, s.v, s.a), s.tau, terms)


@identity("coordinate invariance")
def mass_matrix_in_other_link_frames(s: State) -> float:
    """M the same in any link frames [Ploen & Park (15-26)]"""
    return relative(alg.mass_matrix(s.moved, s.q), s.M)


@identity("coordinate invariance", "inverse")
def accelerations_in_other_link_frames(s: State) -> float:
    """FD(τ) the same in any link frames [Ploen & Park (47-68)]"""
    found, expected = (alg.forward_dynamics(m, s.q, s.v, s.u) for m in (s.moved, s.model))
    error = s.M @ (found - expected)
    return relative(error, 0 * error, np.abs(s.M) @ np.abs(expected), s.u, s.bias, _carried_wrenches(s))


@identity("coordinate invariance")
def christoffel_symbols_in_other_link_frames(s: State) -> float:
    """Christoffel C the same in any frames [Park et al. (52)]"""
    C = s.coriolis["christoffel"]
    return relative(alg.coriolis_matrix(s.moved, s.q, s.v, form="christoffel"), C, s.inertial)


def _carried_wrenches(s: State) -> Array:
    """The wrench that moves the whole robot: what the joints' forces are small parts of."""
    forces = alg.momentum_rate(s.model, s.q, s.v, s.a)
    weight = sum(float(inertia.mass(b.J)) for b in s.model.bodies) * np.linalg.norm(s.model.gravity)
    return np.array([*forces, weight])


@identity("operators")
def mass_matrix_by_global_matrices(s: State) -> float:
    """M = Sᵀ Gᵀ J G S + A [Ploen & Park (11)]"""
    GS = s.globals.G @ s.globals.S
    return entrywise(GS.T @ s.globals.J @ GS + s.model.armature, s.M, s.M)


@identity("operators")
def mass_matrix_in_the_space_form(s: State) -> float:
    """M = Aᵀ Lᵀ D L A + rotors [Park et al. (46)]"""
    LA = s.globals.L @ s.globals.A
    return relative(LA.T @ s.globals.D @ LA + s.model.armature, s.M, np.abs(LA.T) @ np.abs(s.globals.D) @ np.abs(LA))


@identity("operators", "tree")
def proposition_1(s: State) -> float:
    """M = (I + Sᵀ Gᵀ Π) Ω (I + Sᵀ Gᵀ Π)ᵀ [Ploen & Park Prop. 1]"""
    s, g = s.uncoupled, s.uncoupled.globals
    N = np.eye(s.model.nv) + g.S.T @ g.G.T @ g.Pi
    return entrywise(N @ g.Omega @ N.T, s.M, s.M)


@identity("operators", "tree")
def proposition_2(s: State) -> float:
    """M⁻¹ = (I − Sᵀ Y Π)ᵀ Ω⁻¹ (I − Sᵀ Y Π) [Ploen & Park Prop. 2]"""
    s, g = s.uncoupled, s.uncoupled.globals
    N_inv = np.eye(s.model.nv) - g.S.T @ g.Y @ g.Pi
    return undone(s.M, N_inv.T @ np.linalg.solve(g.Omega, N_inv @ s.u), s.u)


@identity("operators")
def mass_matrix_by_spatial_operators(s: State) -> float:
    """M = H φ M φᵀ Hᵀ + A [Rodriguez (3.20)]"""
    o = s.spatial
    left = o.coupling.T @ o.H @ o.phi
    return entrywise(left @ o.M @ left.T + s.model.armature, s.M, s.M)


@identity("operators", "tree")
def spatial_innovations(s: State) -> float:
    """M = (I + H Φ L) D (I + H Φ L)ᵀ [Rodriguez (4.11)]"""
    s, o = s.uncoupled, s.uncoupled.spatial
    N = o.coupling.T @ (np.eye(s.model.nv) + o.H @ o.Phi @ o.L)
    return entrywise(N @ o.D @ N.T, s.M, s.M)


@identity("operators", "tree")
def spatial_inverse(s: State) -> float:
    """M⁻¹ = (I − H Ψ L)ᵀ D⁻¹ (I − H Ψ L) [Rodriguez (4.16)]"""
    s, o = s.uncoupled, s.uncoupled.spatial
    N_inv = (np.eye(s.model.nv) - o.H @ o.Psi @ o.L) @ o.coupling
    return undone(s.M, N_inv.T @ np.linalg.solve(o.D, N_inv @ s.u), s.u)


def _last_frame(s: State) -> str:
    """One frame for all states: each has a kernel of its own."""
    return [name for name, frame in s.model.frames.items() if frame.body != WORLD][-1]


def _rounding(s: State) -> float:
    """Rounding of doubles over that of the robot's numbers, by which residuals of single precision are made alike."""
    return float(np.finfo(np.float64).eps / np.finfo(s.robot._settings.dtype).eps)


@identity("compiled", "compiler")
def compiled_kinematics(s: State) -> float:
    """pose and J, compiled = on floats [same source]"""
    frame = _last_frame(s)
    both = (alg.pose, alg.jacobian)
    return _rounding(s) * worst(
        relative(s.robot.kernel(f, frame=frame)(s.q), f(s.model, s.q, frame=frame)) for f in both
    )


@identity("compiled", "compiler")
def compiled_inverse_dynamics(s: State) -> float:
    """τ, compiled = on floats [same source]"""
    return _rounding(s) * relative(s.robot.inverse_dynamics(s.q, s.v, s.a), s.tau, _carried_wrenches(s))


@identity("compiled", "compiler")
def compiled_mass_matrix(s: State) -> float:
    """M, compiled = on floats [same source]"""
    return _rounding(s) * entrywise(s.robot.mass_matrix(s.q), s.M, s.M)


@identity("compiled", "compiler", "inverse")
def compiled_forward_dynamics(s: State) -> float:
    """FD(τ), compiled = on floats [same source]"""
    expected = alg.forward_dynamics(s.model, s.q, s.v, s.u)
    return _rounding(s) * as_forces(s, s.robot.forward_dynamics(s.q, s.v, s.u), expected, s.u, s.bias)
