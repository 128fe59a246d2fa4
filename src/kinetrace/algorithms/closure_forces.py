"""What closures transmit: λ of every row, and the wrenches Nᵀ λ on the frames b, in b.

    Kᵀ λ = f,    f = M v̇ + c + g − τ

λ is unique if the rows are independent. Rows that follow from others share the load: λ = (Kᵀ)⁺ f, of least norm, with
moments in N m and forces in N.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..arrays import Array, indices, stack
from ..model.model import Model
from .choices import ForwardMethod
from .closed_dynamics import closed_motion, least_solution
from .closure_paths import Drive, between
from .closures import closure_jacobian
from .declaration import algorithm
from .inputs import ExternalInputs


def shared_load(model: Model, K: Array, force: Array) -> Array:
    """λ (rows,) of least norm with Kᵀ λ = K_sᵀ force, K_s being the rows that count.

    With K = B K_s it is B (BᵀB)⁻¹ force, and B = K K_sᵀ (K_s K_sᵀ)⁻¹.
    """
    if len(model.independent_rows) == len(K):
        return force
    K_s = K[indices(model.independent_rows)]
    Q, P = K @ K_s.T, K_s @ K_s.T
    return Q @ least_solution(Q.T @ Q, P @ force)


def transmitted(model: Model, q: Array, v: Array, tau: Array, wrench: Mapping[str, Array] | None) -> Array:
    """Kᵀ λ (nv,): what the closures add to the joint forces."""
    _, force = closed_motion(model, q, v, tau, ExternalInputs(None, None, wrench), None, None)
    return closure_jacobian(model, q)[indices(model.independent_rows)].T @ force


@algorithm()
def closure_forces(
    model: Model,
    q: Array,
    v: Array,
    tau: Array,
    *,
    method: ForwardMethod | None = None,
    wrench: Mapping[str, Array] | None = None,
    drive: Drive = None,
    stabilisation: Array | None = None,
) -> Array:
    """λ (rows,) [N m, N] that the closures transmit in the motion of `forward_dynamics`, row by row.

    >>> import numpy as np, kinetrace as kt
    >>> four_bar = kt.load("four_bar")
    >>> kt.algorithms.closure_forces(four_bar.model, four_bar.assemble(), np.zeros(3), np.zeros(3)).shape
    (5,)
    """
    given = ExternalInputs(None, None, wrench, drive)
    force = closed_motion(model, q, v, tau, given, method, stabilisation)[1]
    return shared_load(model, closure_jacobian(model, q, drive=drive), force)


@algorithm()
def closure_wrenches(
    model: Model,
    q: Array,
    v: Array,
    tau: Array,
    *,
    method: ForwardMethod | None = None,
    wrench: Mapping[str, Array] | None = None,
    drive: Drive = None,
    stabilisation: Array | None = None,
) -> Array:
    """The wrench (closures, 6) that each closure exerts on its frame b, in b; the opposite acts on a.

    Zero for couplings of joints, which exert forces on these.

    >>> import numpy as np, kinetrace as kt
    >>> four_bar = kt.load("four_bar")
    >>> kt.algorithms.closure_wrenches(four_bar.model, four_bar.assemble(), np.zeros(3), np.zeros(3)).shape
    (1, 6)
    """
    force = closure_forces(model, q, v, tau, method=method, wrench=wrench, drive=drive, stabilisation=stabilisation)
    rows, at = model.closure_slices.values(), between(model, q, drive)
    each = [force[k] @ x.closure.constraint.rows(x.X) for k, x in zip(rows, at, strict=True)]
    return stack(each, axis=0) if each else np.zeros((0, 6))
