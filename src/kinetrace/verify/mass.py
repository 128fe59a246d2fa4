"""Identities of the mass matrix, its factors, forward dynamics and operational space."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .. import algorithms as alg
from ..algorithms.choices import ForwardMethod
from .identity import identity
from .state import State, as_forces, body_twists, entrywise, relative, undone, unit_diagonal, worst


@identity("mass matrix")
def forces_of_unit_accelerations_are_columns(s: State) -> float:
    """M e_j = τ(q, 0, e_j), no gravity [Ploen & Park (10-11)]"""
    weightless = replace(s.rigid, gravity=np.zeros(3))
    columns = [alg.inverse_dynamics(weightless, s.q, s.zero, e) for e in np.eye(s.model.nv)]
    return entrywise(np.array(columns).T, s.M, s.M)


@identity("mass matrix")
def mass_matrix_is_symmetric(s: State) -> float:
    """M = Mᵀ [Park et al. (51)]"""
    return entrywise(s.M, s.M.T, s.M)


@identity("mass matrix", "inverse")
def mass_matrix_is_positive_definite(s: State) -> float:
    """u·M u > 0 for all u [Park et al. (51)]"""
    return worst([0.0, -float(np.linalg.eigvalsh(unit_diagonal(s.M))[0])])


@identity("mass matrix")
def mass_matrix_is_the_kinetic_energy(s: State) -> float:
    """v·M v = Σ V·J V + v·A v, V of poses [Park et al. (40)]"""
    energies = [V @ b.J @ V for b, V in zip(s.model.bodies, body_twists(s), strict=True)]
    energies.append(s.v @ s.model.armature @ s.v)
    return relative(s.v @ s.M @ s.v, sum(energies), *energies)


@identity("mass matrix")
def mass_matrix_by_jacobians(s: State) -> float:
    """M = Σ J_kᵀ J J_k [Park et al. (40)]"""
    return entrywise(alg.mass_matrix(s.model, s.q, method="jacobians"), s.M, s.M)


@identity("mass matrix", "inverse")
def mass_matrix_by_factors(s: State) -> float:
    """M = N Ω Nᵀ [Ploen & Park Prop. 1]"""
    return entrywise(alg.mass_matrix(s.model, s.q, method="factors"), s.M, s.M)


@identity("factors", "inverse")
def solving_undoes_the_mass_matrix(s: State) -> float:
    """M M⁻¹ b = b [Ploen & Park Prop. 2]"""
    return undone(s.M, alg.solve_mass(s.model, s.q, s.u), s.u)


@identity("factors", "inverse", "root")
def root_times_its_transpose(s: State) -> float:
    """W Wᵀ = M [Rodriguez (4.11)]"""
    return entrywise(s.W @ s.W.T, s.M, s.M)


@identity("factors", "inverse", "root")
def root_solve_undoes_the_root(s: State) -> float:
    """W W⁻¹ y = y [Rodriguez (4.16)]"""
    return undone(s.W, alg.mass_root_solve(s.model, s.q, s.u), s.u)


@identity("factors", "inverse", "root")
def root_transposed_solve_undoes_its_transpose(s: State) -> float:
    """Wᵀ W⁻ᵀ x = x [Rodriguez (4.16)]"""
    return undone(s.W.T, alg.mass_root_transposed_solve(s.model, s.q, s.u), s.u)


@identity("factors", "inverse", "root")
def pivots_give_the_determinant(s: State) -> float:
    """log det M = Σ log Ω_i [Rodriguez (4.11)]"""
    logs = np.log(alg.mass_pivots(s.model, s.q))
    return relative(logs.sum(), np.linalg.slogdet(s.M)[1], np.abs(logs).sum(), float(s.model.nv))


def _there_and_back(s: State, method: ForwardMethod | None) -> float:
    """FD∘ID = 1, without and with a wrench."""
    plain = alg.forward_dynamics(s.model, s.q, s.v, s.tau, method=method)
    wrench = {s.frame: s.F}
    tau = alg.inverse_dynamics(s.model, s.q, s.v, s.a, wrench=wrench)
    pushed = alg.forward_dynamics(s.model, s.q, s.v, tau, method=method, wrench=wrench)
    push = np.abs(s.J.T) @ np.abs(s.F)
    return worst([as_forces(s, plain, s.a, s.tau, s.bias), as_forces(s, pushed, s.a, tau, s.bias, push)])


@identity("forward dynamics", "inverse")
def forward_dynamics_by_solving(s: State) -> float:
    """FD(ID(a)) = a, "solve" [Ploen & Park (10)]"""
    return _there_and_back(s, "solve")


@identity("forward dynamics", "inverse")
def forward_dynamics_fd1(s: State) -> float:
    """FD(ID(a)) = a, "FD1" [Rodriguez (4.17-18)]"""
    return _there_and_back(s, "FD1")


@identity("forward dynamics", "inverse")
def forward_dynamics_fd2(s: State) -> float:
    """frame acceleration of ID(a), "FD2" [Rodriguez (5.5-7)]"""
    found = alg.forward_acceleration(s.model, s.q, s.v, s.tau, frame=s.frame)
    expected = alg.acceleration(s.model, s.q, s.v, s.a, frame=s.frame)
    forces = np.abs(s.M) @ np.abs(s.a) + np.abs(s.tau) + np.abs(s.bias)
    return relative(found, expected, np.abs(s.J) @ np.abs(np.linalg.inv(s.M)) @ forces)


@identity("forward dynamics", "inverse")
def forward_dynamics_fd3(s: State) -> float:
    """FD(ID(a)) = a, "FD3" [Rodriguez (5.8-10)]"""
    return _there_and_back(s, "FD3")


@identity("forward dynamics", "inverse")
def forward_dynamics_fd4(s: State) -> float:
    """FD(ID(a)) = a, "FD4" [Rodriguez (5.13-17)]"""
    return _there_and_back(s, "FD4")


@identity("operational space", "inverse")
def compliance_by_the_jacobian(s: State) -> float:
    """Λ⁻¹ = J M⁻¹ Jᵀ [Rodriguez (4.16)]"""
    inverse = np.linalg.inv(s.M)
    terms = np.abs(s.J) @ np.abs(inverse) @ np.abs(s.J.T)
    return relative(alg.operational_compliance(s.model, s.q, frame=s.frame), s.J @ inverse @ s.J.T, terms)


@identity("operational space", "inverse")
def a_wrench_accelerates_its_frame(s: State) -> float:
    """J (FD(F) − FD(0)) = Λ⁻¹ F [Rodriguez (4.16)]"""
    free, pushed = (alg.forward_dynamics(s.model, s.q, s.v, s.tau, wrench=w) for w in (None, {s.frame: s.F}))
    inverse = np.abs(np.linalg.inv(s.M))
    forces = np.abs(s.J.T) @ np.abs(s.F) + np.abs(s.tau) + np.abs(s.bias)
    compliance = alg.operational_compliance(s.model, s.q, frame=s.frame)
    return relative(s.J @ (pushed - free), compliance @ s.F, np.abs(s.J) @ inverse @ forces)
