"""Forces of closures: λ of every row, and the wrenches Nᵀ λ on the frames b, in b.

    Kᵀ λ = f,    f = M v̇ + c + g − τ

λ is unique if the rows are independent. Rows that follow from others share the load: λ = (Kᵀ)⁺ f, of least norm, with
moments in N m and forces in N; where they do so at one configuration alone, to three digits.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...arrays import Array, indices, less, minimum, stack, where
from ...linalg import dense
from ...linalg.row_elimination import regularised_factors
from ...model.model import Model
from ..dynamics.external_inputs import ExternalInputs
from ..registry.choices import ClosedMethod
from ..registry.declaration import algorithm
from .closed_dynamics import DEPENDENT_PIVOT, closed_motion, least_solution
from .closure_paths import Drive, closure_states
from .closures import closure_jacobian, row_selection


def least_norm_forces(model: Model, K: Array, force: Array) -> Array:
    """λ (rows,) of least norm with Kᵀ λ = K_sᵀ force, K_s being the selected rows.

    With K = B K_s it is B (BᵀB)⁻¹ force.
    """
    K_s = row_selection(model, K) @ K
    P = K_s @ K_s.T
    force = where(less(least_pivot(P), DEPENDENT_PIVOT), least_solution(P, K_s @ (K_s.T @ force)), force)
    if len(model.candidate_rows) == len(model.independent_rows):
        return np.eye(model.closure_rows)[:, indices(model.candidate_rows)] @ force
    B = dense.solve(regularised_factors(P), K_s @ K.T).T
    return B @ dense.solve(dense.factor(B.T @ B), force)


def least_pivot(P: Array) -> Array:
    """The smallest pivot () of P (n, n) ≥ 0, relative to its diagonal: zero if its rows are dependent."""
    least: Any = 1.0
    for k, pivot in enumerate(dense.factor(P, semidefinite=True).D):
        least = minimum(least, pivot / where(less(0.0, P[k, k]), P[k, k], 1.0)[()])[()]
    return least


def constraint_forces(model: Model, q: Array, v: Array, tau: Array, given: ExternalInputs) -> Array:
    """Kᵀ λ (nv,): what the closures add to the joint forces."""
    _, force = closed_motion(model, q, v, tau, given, None)
    K = closure_jacobian(model, q, drive=given.drive)
    return (row_selection(model, K) @ K).T @ force


@algorithm(about_closures=True, returns="(rows,) Forces λ [N m, N], of least norm where rows are dependent.")
def closure_forces(
    model: Model,
    q: Array,
    v: Array,
    tau: Array,
    *,
    method: ClosedMethod | None = None,
    wrench: Mapping[str, Array] | None = None,
    drive: Drive = None,
    stabilisation: Array | None = None,
) -> Array:
    """Forces λ that the closures transmit in the motion of `forward_dynamics`, row by row.

    >>> four_bar = kt.load("four_bar")
    >>> model, q = four_bar.model, four_bar.assemble()
    >>> kt.algorithms.closure_forces(model, q, np.zeros(3), np.zeros(3)).round(3)
    array([ 0.   ,  0.   , -0.322, -3.763,  0.   ])
    """
    given = ExternalInputs(wrench=wrench, drive=drive, stabilisation=stabilisation)
    force = closed_motion(model, q, v, tau, given, method)[1]
    return least_norm_forces(model, closure_jacobian(model, q, drive=drive), force)


@algorithm(about_closures=True, returns="(closures, 6) Wrenches [N m, N] in the frames b, moments first.")
def closure_wrenches(
    model: Model,
    q: Array,
    v: Array,
    tau: Array,
    *,
    method: ClosedMethod | None = None,
    wrench: Mapping[str, Array] | None = None,
    drive: Drive = None,
    stabilisation: Array | None = None,
) -> Array:
    """Wrench that each closure exerts on its frame b; the opposite wrench acts on a.

    Couplings of joints exert forces on the joints: their wrenches are zero.

    >>> four_bar = kt.load("four_bar")
    >>> model, q = four_bar.model, four_bar.assemble()
    >>> kt.algorithms.closure_wrenches(model, q, np.zeros(3), np.zeros(3)).round(3)
    array([[ 0.   ,  0.   ,  0.   , -3.763,  0.   , -0.322]])
    """
    force = closure_forces(model, q, v, tau, method=method, wrench=wrench, drive=drive, stabilisation=stabilisation)
    rows, at = model.closure_slices.values(), closure_states(model, q, drive)
    each = [force[k] @ x.closure.constraint.rows(x.X) for k, x in zip(rows, at, strict=True)]
    return stack(each, axis=0) if each else np.zeros((0, 6))
