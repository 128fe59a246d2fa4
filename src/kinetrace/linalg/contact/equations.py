"""The laws of a contact problem as equations that hold near a solution: what its derivatives are taken of.

Rows keep their regions: contacts are apart, stick or slip, joints are held or slide. Then with the velocities u of the
rows, the softness R among them, d the diagonal of G, and e = u_T / |u_T|,

    apart          d x = 0
    touching       u_N = 0
    sticking       u_T = 0                          and spin and rolling that friction holds likewise
    slipping       d (x_T + μ x_N e) = 0            likewise
    joints         u = the bound, or d (x ± f) = 0                                                             (1)

and x changes with G, g and the sets as the solutions of (1) do, by the implicit function theorem. The regions are
those of the nearest points of the sets, (4) of `problem`. There are no derivatives where regions meet, as where
a contact begins to slip or to touch: those of one side are taken, and none is NaN.

Of rows that depend on each other, as those of the four feet of a table, the velocities are one solution, impulses one
of many. A shift of the compliance of what is held makes their changes those near the least.
"""

from __future__ import annotations

from typing import Any

from ...arrays import Array, abs, hold, iterate, less, maximum, sign, sqrt, stack, where, with_derivatives
from .. import dense
from ..scalar_sets import UNMOVED
from .problem import TINY, Cone, ContactProblem, clipped

SHIFT, SHIFT_SINGLE = 1e-10, 1e-5
"""Increase of the compliance of rows that are held, relative to itself; in single precision."""


def with_implicit_derivatives(problem: ContactProblem, x: Array) -> Array:
    """Impulses (n,) that solve a problem, with the derivatives of the solution, of any order.

    >>> import numpy as np, kinetrace as kt
    >>> from kinetrace.linalg.contact.problem import DenseCompliance
    >>> from kinetrace.linalg.contact.sweeps import solve_by_sweeps
    >>> from kinetrace.linalg.scalar_sets import ScalarSets
    >>> def impulses(model, g):
    ...     of = DenseCompliance(2.0 * np.eye(3)), g, ScalarSets(*np.zeros((3, 0))), (Cone(0, 3, 0.5),)
    ...     problem = ContactProblem(*of)
    ...     return with_implicit_derivatives(problem, solve_by_sweeps(problem, 0.0 * g, np.zeros(1)).x)
    >>> kt.jacobian(impulses, wrt="g")(kt.load("planar2r").model, np.array([3.0, 0.0, -1.0])).round(3) + 0.0
    array([[ 0.   ,  0.   ,  0.25 ],
           [ 0.   , -0.083,  0.   ],
           [ 0.   ,  0.   , -0.5  ]])
    """

    def solution() -> Array:
        scale = hold(row_scales(problem))

        def step(y: Array) -> Array:
            return y - law_equations(problem, problem.g + problem.compliance.velocities(y), y) / scale

        return iterate(step, x, lambda _: 1.0, 1)

    return with_derivatives(x, solution)


def row_scales(problem: ContactProblem) -> Array:
    """The diagonal (n,) of G; of rows that cannot move, a small part of its largest entry."""
    D = [problem.compliance.entry(k, k) for k in range(len(problem.g))]
    least = UNMOVED * dense.largest(D)
    return stack([maximum(d, least)[()] for d in D])


def law_equations(
    problem: ContactProblem, u: Array, x: Array, shift: float = SHIFT, single: float = SHIFT_SINGLE
) -> Array:
    """(1) of all rows (n,), zero at a solution u, x (n,), with the regions that they have there."""
    rows: list[Any] = [0.0] * len(x)
    scale = hold(row_scales(problem))
    yields = dense.by_precision(scale[0], shift, single) * scale
    stuck = [u[k] + yields[k] * (x[k] - hold(x[k])) for k in range(len(x))]
    for k in range(problem.scalars):
        rows[k] = _of_joint(problem, k, u[k], x[k], stuck[k], scale[k])
    for cone in problem.cones:
        for k, row in zip(cone.places, _of_cone(cone, u, x, stuck, scale), strict=True):
            rows[k] = row
    return stack(rows)


def _of_joint(problem: ContactProblem, k: int, u: Any, x: Any, stuck: Any, d: Any) -> Any:
    lower, upper, f = (of[k] for of in problem.sets)
    alone = u - d * x
    slid = alone - clipped(alone, d * f)
    moving = where(less(abs(alone), d * f), stuck, d * (x + sign(hold(alone)) * f))
    bound = where(less(slid, upper), moving, stuck - upper)
    return where(less(lower, slid), bound, stuck - lower)[()]


def _of_cone(cone: Cone, u: Array, x: Array, stuck: list[Any], d: Array) -> list[Any]:
    """Those of the rows of a contact."""
    n = cone.normal
    touches = less(u[n], d[n] * x[n])
    rows = {n: stuck[n]}
    if cone.rows > 1:
        rows |= _of_disc(cone.places[:2], cone.friction * x[n], u, x, stuck, d)
    if cone.rows > 3:
        k, most = cone.places[3], cone.torsion * x[n]
        aim = x[k] - u[k] / d[k]
        rows[k] = where(less(abs(aim), most), stuck[k], d[k] * (x[k] - sign(hold(aim)) * most))
    if cone.rows > 4:
        rows |= _of_disc(cone.places[4:], cone.rolling * x[n], u, x, stuck, d)
    return [where(touches, rows[k], d[k] * x[k])[()] for k in cone.places]


def _of_disc(places: range, most: Any, u: Array, x: Array, stuck: list[Any], d: Array) -> dict[int, Any]:
    """Those of friction in two rows."""
    a, b = places
    e = 0.5 * (d[a] + d[b])
    aim = [x[k] - u[k] / e for k in places]
    sticks = less(aim[0] * aim[0] + aim[1] * aim[1], most * most)
    speed = sqrt(u[a] * u[a] + u[b] * u[b] + TINY)[()]
    return {k: where(sticks, stuck[k], e * (x[k] + most * u[k] / speed)) for k in places}
