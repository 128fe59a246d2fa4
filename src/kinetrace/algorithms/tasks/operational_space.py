"""Operational-space dynamics: dynamics as felt at frames.

    compliance        Λ⁻¹ = J M⁻¹ Jᵀ      the acceleration of the frames by wrenches on them
    inertia           Λ                   the wrenches for an acceleration of the frames
    inverse           J̄ = M⁻¹ Jᵀ Λ        the generalised inverse of J with the least kinetic energy
    projector         N = 1 − J̄ J         J N = 0 and J M⁻¹ Nᵀ = 0
    bias              μ = Λ (J M⁻¹ (c + g) − J̇ v)

J has the rows of `task_rows`: some or all of the twist of one frame, or of several. With closures M⁻¹ is
P = G (GᵀMG)⁻¹ Gᵀ, the accelerations that they allow, and the bias has the accelerations −T γ that they require, P and T
as in `derivatives.closed_chains`:

    bias              μ = Λ (J P (c + g) + J T γ − J̇ v)

`task_damping` λ makes Λ = (J M⁻¹ Jᵀ + λ² 1)⁻¹, which exists everywhere. Without it, rows that do not move independently
have no inertia: at singular configurations entries are very large, infinite or NaN. `task_response` computes all
of these without M⁻¹.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Array
from ...lie.inertia import symmetric
from ...linalg import dense
from ...model import Model
from ..registry.choices import ExpressedIn, Frames, Rows
from ..registry.declaration import algorithm
from .task_response import task_response
from .task_rows import tasks_of


@algorithm(honours_closures=True, returns="(k, k) The compliance [1/(kg m²), 1/(kg m), 1/kg], symmetric.")
def operational_compliance(
    model: Model, q: Array, *, frame: Frames, axes: Rows = "pose", expressed_in: ExpressedIn = "body"
) -> Array:
    """Operational-space compliance J M⁻¹ Jᵀ: the acceleration of frames by wrenches on them.

    For several frames it has the cross terms: the acceleration of one by a wrench on another. It needs no inverse, so
    it exists for every robot. In O(n) for each row; with closures, M⁻¹ is the inverse on the motions that they allow.

    >>> model, q = kt.load("planar2r").model, np.array([0.3, 0.6])
    >>> kt.algorithms.operational_compliance(model, q, frame="tip", axes=(3, 5)).round(3)
    array([[ 0.388, -0.283],
           [-0.283,  3.207]])
    """
    return task_response(model, q, tasks_of(model, frame, axes), expressed_in).compliance()


@algorithm(honours_closures=True, inverts_compliance=True, returns="(k, k) The inertia [kg m², kg m, kg], symmetric.")
def operational_inertia(
    model: Model,
    q: Array,
    *,
    frame: Frames,
    axes: Rows = "pose",
    expressed_in: ExpressedIn = "body",
    task_damping: Array | None = None,
) -> Array:
    """Operational-space inertia Λ = (J M⁻¹ Jᵀ)⁻¹: the wrenches for an acceleration of frames.

    Close to a singular configuration entries become very large, and infinite or NaN at one, unless there is damping.

    >>> model, q = kt.load("planar2r").model, np.array([0.3, 0.6])
    >>> kt.algorithms.operational_inertia(model, q, frame="tip", axes=(3, 5)).round(3)
    array([[2.758, 0.244],
           [0.244, 0.333]])
    """
    f = task_response(model, q, tasks_of(model, frame, axes), expressed_in).factors(task_damping)
    return symmetric(dense.upper_inverse(f))


@algorithm(honours_closures=True, inverts_compliance=True, returns="(nv, k) The inverse J̄.")
def dynamically_consistent_inverse(
    model: Model,
    q: Array,
    *,
    frame: Frames,
    axes: Rows = "pose",
    expressed_in: ExpressedIn = "body",
    task_damping: Array | None = None,
) -> Array:
    """Dynamically consistent inverse J̄ = M⁻¹ Jᵀ Λ: velocities of least kinetic energy for a motion of frames.

    J J̄ = 1, and of all v with J v = V, J̄ V has the least kinetic energy. J̄ᵀ τ are the wrenches that joint forces τ
    exert at the frames. Close to a singular configuration entries become very large, unless there is damping.

    >>> model, q = kt.load("planar2r").model, np.array([0.3, 0.6])
    >>> kt.algorithms.dynamically_consistent_inverse(model, q, frame="tip", axes=(3,)).round(3)
    array([[ 1.771],
           [-3.964]])
    """
    at = task_response(model, q, tasks_of(model, frame, axes), expressed_in)
    return at.inverse(at.factors(task_damping))


@algorithm(
    honours_closures=True,
    inverts_compliance=True,
    returns="(nv, nv) The projector N of velocities; transposed, that of joint forces.",
)
def nullspace_projector(
    model: Model,
    q: Array,
    *,
    frame: Frames,
    axes: Rows = "pose",
    expressed_in: ExpressedIn = "body",
    task_damping: Array | None = None,
) -> Array:
    """Null-space projector N = 1 − J̄ J: velocities and joint forces that do not move frames.

    N acts on velocities and accelerations: J N v = 0. Its transpose acts on joint forces: Nᵀ τ does not accelerate the
    frames, J M⁻¹ Nᵀ τ = 0. N N = N, and M N is symmetric. With closures, N v is a velocity that they allow if v is one,
    and M⁻¹ stands for the inverse on these. With damping all this holds approximately, away from singular
    configurations.

    >>> model, q = kt.load("planar2r").model, np.array([0.3, 0.6])
    >>> kt.algorithms.nullspace_projector(model, q, frame="tip", axes=(3,)).round(3)
    array([[0.   , 0.   ],
           [2.238, 1.   ]])
    """
    at = task_response(model, q, tasks_of(model, frame, axes), expressed_in)
    return np.eye(model.nv) - dense.product(at.inverse(at.factors(task_damping)), at.J)


@algorithm(
    honours_closures=True,
    inverts_compliance=True,
    returns="(k,) Moments and forces [N m, N], of the axes that the twists are expressed in.",
)
def operational_bias(
    model: Model,
    q: Array,
    v: Array,
    *,
    frame: Frames,
    axes: Rows = "pose",
    expressed_in: ExpressedIn = "body",
    task_damping: Array | None = None,
) -> Array:
    """Operational-space bias μ: the wrenches that keep frames from accelerating while the joints carry no force.

    A force Λ A + μ on the frames, or joint forces Jᵀ (Λ A + μ), give them the acceleration A, which is the rate of the
    twist that is expressed the same way: μ = Λ (J M⁻¹ (c + g) − J̇ v).

    >>> model, q, v = kt.load("planar2r").model, np.array([0.3, 0.6]), np.array([1.0, -0.5])
    >>> kt.algorithms.operational_bias(model, q, v, frame="tip", axes=(3, 5)).round(3)
    array([20.972,  3.338])
    """
    at = task_response(model, q, tasks_of(model, frame, axes), expressed_in)
    return dense.solve(at.factors(task_damping), -at.drift(v))
