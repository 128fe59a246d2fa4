"""Identities of the operational space: with damping for all rows of a frame, and without for rows that move."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import algorithms as alg
from ..arrays import Array
from .identity import identity
from .state import State, by_joint, largest, length, undone, unit_diagonal, worst

INDEPENDENT = 0.05
"""How far, of one, the rest of a row of the compliance is from those before it, if it counts as independent."""


def tasks(s: State) -> list[tuple[dict[str, Any], Array, Array]]:
    """What to ask for, the rows (k, nv) of J, and Λ⁻¹ (k, k)."""
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
        if np.linalg.eigvalsh(unit_diagonal(C[np.ix_([*rows, k], [*rows, k])]))[0] > INDEPENDENT:
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
