"""Projection of a state on closed loops, from near or far: the nearest that they allow, by kinetic energy."""

from __future__ import annotations

import math

from ...arrays import Array, iterate, less, where, with_derivatives
from ...linalg import dense
from ...model.model import Model
from ..dynamics.mass_matrix import kinetic_metric
from ..registry.declaration import algorithm
from .closure_conditions import ClosureConditions, ClosurePoint, solution
from .closure_paths import Drive
from .closures import closure_jacobian, closure_velocity
from .loop_closing import CLOSED_RESIDUAL, Closing, closing_configuration, least_motion


def nearest_configuration(model: Model, q: Array, *, drive: Drive = None) -> Array:
    """The nearest configuration (nq,) with closed loops, by kinetic energy; NaN if none is found."""
    found, left = closing_configuration(model, q, Closing(drive, kinetic_metric(model, q), limits=False))
    return where(less(left, CLOSED_RESIDUAL), found, math.nan)


@algorithm(
    about_closures=True,
    returns={
        "q": "(nq,) The nearest configuration with closed loops, to first order in the distance; NaN if none is found.",
        "v": "(nv,) The nearest velocity that the closures allow there [rad/s, m/s].",
    },
)
def project(model: Model, q: Array, v: Array, *, drive: Drive = None) -> tuple[Array, Array]:
    """Nearest state with closed loops, distances measured by kinetic energy.

    Joint limits are ignored, and rows may be dependent. Derivatives are those of the nearest state to first order in
    the distance: exact where the loops are closed at q.

    >>> model = kt.load("four_bar").model
    >>> q, v = kt.algorithms.project(model, np.array([0.5, -0.2, 0.3]), np.array([1.0, 0.0, 0.0]))
    >>> bool(abs(kt.algorithms.closure_residual(model, q)).max() < 1e-12)
    True
    """
    closed = nearest_configuration(model, q, drive=drive)
    K, metric = closure_jacobian(model, closed, drive=drive), kinetic_metric(model, closed)

    def nearer(v: Array) -> Array:
        return v - least_motion(metric, K, closure_velocity(model, closed, v, drive=drive))

    # the second is a refinement, where joints move hardly any mass
    end = closed, iterate(nearer, v, lambda v: less(1.0, 0.0 * dense.largest_entry(v)), 2)
    conditions = ClosureConditions.near(model, q, v, drive)
    return with_derivatives(end, lambda: solution(conditions, (q, v), end, ClosurePoint(q, drive)))
