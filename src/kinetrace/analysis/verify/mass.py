"""Identities of the mass matrix, its factors, forward dynamics and operational space.

Those of operational space are with damping for all rows of a frame, and without for rows that move.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ... import algorithms as alg
from ...algorithms.registry.choices import ExpressedIn, ForwardMethod
from ...arrays import Array
from .motion import AXES
from .state import (
    State,
    as_forces,
    by_joint,
    entrywise,
    identity,
    largest,
    length,
    product,
    relative,
    undone,
    unit_diagonal,
    worst,
)

INDEPENDENT_ROWS = 0.05
"""How far, of one, the rest of a row of the compliance is from those before it, if it counts as independent."""


@identity("mass matrix")
def accelerations_at_rest_take_the_mass_matrix(s: State) -> float:
    """M u = τ(q, 0, u), no gravity [Ploen & Park (10-11)]"""
    weightless = replace(s.rigid, gravity=np.zeros(3))
    return product(alg.inverse_dynamics(weightless, s.q, s.zero, s.u), s.M, s.u)


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
    energies = [V @ b.J @ V for b, V in zip(s.model.bodies, s.twists, strict=True)]
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
    nu = alg.mass_root_transposed_product(s.model, s.q, s.u)
    return product(alg.mass_root_product(s.model, s.q, nu), s.M, s.u)


@identity("factors", "inverse", "root")
def root_solve_undoes_the_root(s: State) -> float:
    """W W⁻¹ y = y [Rodriguez (4.16)]"""
    x = alg.mass_root_solve(s.model, s.q, s.u)
    return by_joint(alg.mass_root_product(s.model, s.q, x) - s.u, s.W @ np.abs(x), np.abs(s.u))


@identity("factors", "inverse", "root")
def root_transposed_solve_undoes_its_transpose(s: State) -> float:
    """Wᵀ W⁻ᵀ x = x [Rodriguez (4.16)]"""
    x = alg.mass_root_transposed_solve(s.model, s.q, s.u)
    return by_joint(alg.mass_root_transposed_product(s.model, s.q, x) - s.u, s.W.T @ np.abs(x), np.abs(s.u))


@identity("factors", "inverse", "root")
def root_is_triangular(s: State) -> float:
    """W_ij = 0 below its diagonal, √Ω_i on it [Rodriguez (4.11)]"""
    k = (s.model.nv - 1) // 2
    some = np.where(np.arange(s.model.nv) <= k, s.u, 0.0)
    found, pivots = alg.mass_root_product(s.model, s.q, some), alg.mass_pivots(s.model, s.q)
    error = np.concatenate([[found[k] - np.sqrt(pivots[k]) * some[k]], found[k + 1 :]])
    return by_joint(error, np.sqrt(np.diag(s.M)[k:]) * np.linalg.norm(some))


@identity("factors", "inverse", "root")
def unnormalised_factors(s: State) -> float:
    """N N⁻¹ = 1, (N u)·v = u·(Nᵀ v), W = N √Ω [Kozłowski (34), (44)]"""
    of = {"normalised": False}
    root = np.sqrt(alg.mass_pivots(s.model, s.q))
    N = s.W / root
    x, y = (f(s.model, s.q, s.u, **of) for f in (alg.mass_root_solve, alg.mass_root_transposed_solve))
    force, xi = (
        alg.mass_root_product(s.model, s.q, s.u, **of),
        alg.mass_root_transposed_product(s.model, s.q, s.v, **of),
    )
    residuals = [
        by_joint(alg.mass_root_product(s.model, s.q, x, **of) - s.u, N @ np.abs(x), np.abs(s.u)),
        by_joint(alg.mass_root_transposed_product(s.model, s.q, y, **of) - s.u, N.T @ np.abs(y), np.abs(s.u)),
        relative(force @ s.v, s.u @ xi, N @ np.abs(s.u) @ np.abs(s.v)),
    ]
    if s.model.coupled_joints or all(body.joint.nv == 1 for body in s.model.bodies):  # then Ω is diagonal
        by_root = alg.mass_root_product(s.model, s.q, s.u / root)
        transposed = alg.mass_root_transposed_product(s.model, s.q, s.v) / root
        residuals += [by_joint(force - by_root, N @ np.abs(s.u)), by_joint(xi - transposed, N.T @ np.abs(s.v))]
    return worst(residuals)


@identity("factors", "inverse", "root")
def pivots_give_the_determinant(s: State) -> float:
    """log det M = Σ log Ω_i [Rodriguez (4.11)]"""
    logs = np.log(alg.mass_pivots(s.model, s.q))
    return relative(logs.sum(), np.linalg.slogdet(s.M)[1], np.abs(logs).sum(), float(s.model.nv))


def _there_and_back(s: State, method: ForwardMethod | None) -> float:
    """FD∘ID = 1: alone, under wrenches, and on a base that moves, too."""
    terms = [np.abs(alg.jacobian(s.model, s.q, frame=frame).T) @ np.abs(F) for frame, F in s.wrenches.items()]

    def residual(acting: dict[str, Any]) -> float:
        tau, bias = (alg.inverse_dynamics(s.model, s.q, s.v, a, **acting) for a in (s.a, s.zero))
        found = alg.forward_dynamics(s.model, s.q, s.v, tau, method=method, **acting)
        return as_forces(s, found, s.a, tau, bias, *(terms if acting else ()))

    return worst(map(residual, ({}, {"wrench": s.wrenches}, s.acting)))


@identity("forward dynamics", "inverse")
def forward_dynamics_by_default(s: State) -> float:
    """FD(ID(a)) = a, unless told how [Ploen & Park (10)]"""
    return _there_and_back(s, None)


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
    forces = np.abs(s.M) @ np.abs(s.a) + np.abs(s.tau) + np.abs(s.bias)
    terms = np.abs(s.J) @ np.abs(s.M_inverse) @ forces

    def residual(axes: ExpressedIn) -> float:
        where: dict[str, Any] = {"frame": s.frame, "expressed_in": axes}
        found = alg.forward_acceleration(s.model, s.q, s.v, s.tau, **where)
        return relative(found, alg.acceleration(s.model, s.q, s.v, s.a, **where), terms)

    return worst(map(residual, AXES))


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
    terms = np.abs(s.J) @ np.abs(s.M_inverse) @ np.abs(s.J.T)
    return relative(alg.operational_compliance(s.model, s.q, frame=s.frame), s.J @ s.M_inverse @ s.J.T, terms)


@identity("operational space", "inverse")
def a_wrench_accelerates_its_frame(s: State) -> float:
    """J (FD(F) − FD(0)) = Λ⁻¹ F [Rodriguez (4.16)]"""
    free, pushed = (alg.forward_dynamics(s.model, s.q, s.v, s.tau, wrench=w) for w in (None, {s.frame: s.F}))
    forces = np.abs(s.J.T) @ np.abs(s.F) + np.abs(s.tau) + np.abs(s.bias)
    compliance = alg.operational_compliance(s.model, s.q, frame=s.frame)
    return relative(s.J @ (pushed - free), compliance @ s.F, np.abs(s.J) @ np.abs(s.M_inverse) @ forces)


def tasks(s: State) -> list[tuple[dict[str, Any], Array, Array]]:
    """Keywords of tasks, the rows (k, nv) of J, and Λ⁻¹ (k, k)."""
    C = s.J @ s.M_inverse @ s.J.T
    ease = 0.1 * largest(C) or 1.0
    rows = _independent(C)
    every = {"frame": s.frame, "task_damping": np.sqrt(ease)}, s.J, C + ease * np.eye(6)
    return [every, ({"frame": s.frame, "axes": tuple(rows)}, s.J[rows], C[np.ix_(rows, rows)])] if rows else [every]


def _independent(C: Array) -> list[int]:
    """Rows that move by themselves, one after the other."""
    rows: list[int] = []
    moving = [k for k in range(6) if C[k, k] > 1e-6 * largest(C)]
    for k in moving:
        if np.linalg.eigvalsh(unit_diagonal(C[np.ix_([*rows, k], [*rows, k])]))[0] > INDEPENDENT_ROWS:
            rows.append(k)
    return rows


def _of_rows(s: State, size: Array) -> Array:
    """The sizes (6,) that accelerations of a frame's rows are rounded at, from those of their own terms.

    A row that cannot move has rounding alone. Whatever turns the frame's axes mixes the rows of one unit, and moves a
    place as far off as the robot is long; velocities add the accelerations of turning.
    """
    turn, shift = (largest(x) for x in np.split(np.abs(s.J) @ np.abs(s.v), 2))
    angular = largest(size[:3]) + turn**2
    linear = largest(size[3:]) + turn * shift + length(s.model) * angular
    return np.repeat([angular, linear], 3)


@identity("operational space", "inverse")
def inertia_undoes_the_compliance(s: State) -> float:
    """(J M⁻¹ Jᵀ + λ²) Λ = 1 [Khatib 1987]"""

    def residual(asked: dict[str, Any], J: Array, C: Array) -> float:
        F = s.F[: len(J)]
        return undone(C, alg.operational_inertia(s.model, s.q, **asked) @ F, F)

    return worst(residual(*task) for task in tasks(s))


@identity("operational space", "inverse")
def consistent_inverse_has_the_least_energy(s: State) -> float:
    """M J̄ = Jᵀ Λ, N = 1 − J̄ J [Khatib 1987]"""

    def residual(asked: dict[str, Any], J: Array, C: Array) -> float:
        F, V = s.F[: len(J)], J @ s.u
        back = alg.dynamically_consistent_inverse(s.model, s.q, **asked)
        x, pushed, moved = back @ F, np.linalg.solve(C, F), back @ V
        kept = alg.nullspace_projector(s.model, s.q, **asked) @ s.u
        terms = np.abs(J.T) @ (np.abs(np.linalg.inv(C)) @ np.abs(F)), np.abs(s.M) @ (np.abs(back) @ np.abs(F))
        size = np.abs(s.u), np.abs(back) @ (np.abs(J) @ np.abs(s.u))
        return worst([by_joint(s.M @ x - J.T @ pushed, *terms), by_joint(kept + moved - s.u, *size)])

    return worst(residual(*task) for task in tasks(s))


@identity("operational space", "inverse")
def operational_bias_keeps_frames_from_accelerating(s: State) -> float:
    """Λ⁻¹ μ = −(J a + Jdot v), a of no forces [Khatib 1987]"""
    free = np.linalg.solve(s.M, -s.bias)
    A = alg.acceleration(s.model, s.q, s.v, free, frame=s.frame)
    size = _of_rows(s, np.abs(s.J) @ (np.abs(s.M_inverse) @ np.abs(s.bias)))

    def residual(asked: dict[str, Any], J: Array, C: Array) -> float:
        rows = list(asked.get("axes", range(6)))
        mu = alg.operational_bias(s.model, s.q, s.v, **asked)
        return by_joint(C @ mu + A[rows], np.abs(C) @ np.abs(mu), np.abs(A[rows]), size[rows])

    return worst(residual(*task) for task in tasks(s))


@identity("operational space", "inverse")
def manipulability_is_the_volume_of_velocities(s: State) -> float:
    """Π σ(J), and √det(J M⁻¹ Jᵀ) [Yoshikawa 1985]"""

    def residual(asked: dict[str, Any], J: Array, C: Array) -> float:
        volume, dynamic = np.prod(np.linalg.svd(J, compute_uv=False)), np.sqrt(np.linalg.det(C))
        plain = alg.manipulability(s.model, s.q, **asked) - volume
        weighted = alg.manipulability(s.model, s.q, **asked, measure="dynamic") - dynamic
        return worst([abs(plain) / volume, abs(weighted) / dynamic])

    return worst(residual(*task) for task in tasks(s) if "axes" in task[0])
