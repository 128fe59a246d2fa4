"""Manipulability: how well frames can be moved from a configuration, in one number.

The twists of frames that joint velocities of unit length allow are an ellipsoid, with the singular values σ of J as
half-axes. Its measures are

    "volume"      ∏ σ = √det(J Jᵀ)                          Yoshikawa (1985)
    "smallest"    σ_min, the speed in the direction that is hardest to move in
    "condition"   σ_min / σ_max, from zero at a singular configuration to one where all directions are alike
    "dynamic"     √det(J M⁻¹ Jᵀ), the volume for velocities of unit kinetic energy instead

If there are more rows than velocities, Jᵀ J takes the place of J Jᵀ. With closures, velocities are those that they
allow: J N for an orthonormal basis N of them. Rows of rotation and of translation have different units: take `axes` of
one kind, or weigh them, where numbers of different robots are compared.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import mul

from ...arrays import Array, maximum, minimum, sqrt, stack
from ...errors import InputError, lookup
from ...linalg import cholesky, dense
from ...linalg.decompositions import lower_solve, singular_values
from ...model import Model
from ..closed.independent_velocities import velocity_map
from ..registry.choices import ExpressedIn, Frames, Measure, Rows
from ..registry.declaration import algorithm
from .operational_space import operational_compliance
from .task_rows import task_jacobian, tasks_of


@algorithm(
    honours_closures=True,
    arguments={
        "measure": (
            "Product of the singular values of J; the smallest one; its ratio to the largest; or the product\n"
            "for velocities of unit kinetic energy."
        )
    },
    returns="() The measure; zero at singular configurations.",
)
def manipulability(
    model: Model,
    q: Array,
    *,
    frame: Frames,
    axes: Rows = "pose",
    expressed_in: ExpressedIn = "body",
    measure: Measure = "volume",
) -> Array:
    """Manipulability of frames: how well they can be moved, as one number.

    >>> model, q = kt.load("planar2r").model, np.array([0.3, np.pi / 2])
    >>> float(kt.algorithms.manipulability(model, q, frame="tip", axes=(3, 5)).round(3))
    1.0
    """
    return lookup("measure", measure, MEASURES)(model, q, frame, axes, expressed_in)


def ellipsoid(model: Model, q: Array, frame: Frames, axes: Rows, expressed_in: ExpressedIn) -> Array:
    """The Jacobian on an orthonormal basis of the velocities that are allowed, with no more rows than columns."""
    if not model.nv:
        raise InputError("manipulability: the robot has no joint that moves")
    J = task_jacobian(model, q, tasks_of(model, frame, axes), expressed_in)
    G = velocity_map(model, q)
    L = cholesky(dense.product(G.T, G))
    J = stack(lower_solve(L, dense.product(J, G).T), axis=0).T  # J G L⁻ᵀ
    return J if J.shape[0] <= J.shape[1] else J.T


def root_det(A: Array) -> Array:
    """√det A of a positive semidefinite A (n, n), by its pivots."""
    return reduce(mul, (sqrt(maximum(d, 0.0))[()] for d in dense.factor(A, semidefinite=True).D))


def volume(J: Array) -> Array:
    """The product of the singular values."""
    return root_det(dense.product(J, J.T))


def smallest(J: Array, looped: bool = False) -> Array:
    """The smallest singular value."""
    return reduce(minimum, singular_values(J, looped))


def condition(J: Array) -> Array:
    """The smallest singular value over the largest."""
    values = singular_values(J)
    return reduce(minimum, values) / reduce(maximum, values)


MEASURES: dict[str, Callable[..., Array]] = {
    "volume": lambda *at: volume(ellipsoid(*at)),
    "smallest": lambda *at: smallest(ellipsoid(*at)),
    "condition": lambda *at: condition(ellipsoid(*at)),
    "dynamic": lambda model, q, frame, axes, expressed_in: root_det(
        operational_compliance(model, q, frame=frame, axes=axes, expressed_in=expressed_in)
    ),
}
