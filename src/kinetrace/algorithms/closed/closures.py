"""Closures: how far loops are from closed, and what closed loops require of velocities and accelerations.

    φ(q) = 0,    K v = 0,    K v̇ + K̇ v = 0          K = N (J_B − Ad_{X⁻¹} J_A) + C

for the relative pose X = X_AB of the two frames of a closure, with N and φ of its constraint and C of coupled joints,
see `model.closures`; the rows of all closures stand one below the other. J_B and J_A are in B; `closure_paths` has the
sums over the joints between the frames.

A closure may be driven: `drive` maps names of closures to arrays (3, k) that prescribe a motion of A relative to where
it is on the robot, as the rotation vector and shift, the twist in the moved A and its rate, k = 6; of a coupling, what
is added to the offset, its rate and its acceleration, k = 1.

Some rows may follow from others. `row_selection` selects as many as are independent at almost all configurations. If
none follow from others, these are all. Else the best of them are chosen at every configuration, since no choice is good
everywhere: rows are made orthogonal one after the other, the longest that is left first (Gram–Schmidt with pivots).
This is done for closures together whose rows follow from each other's (`Model.rows_by_closures`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ...arrays import Array, concatenate, less, sqrt, stack, where
from ...linalg.decompositions import gram_schmidt
from ...model.model import Model
from ..registry.declaration import algorithm
from .closure_paths import Drive, closure_states, relative_twist, transposed_jacobian, transposed_jacobian_rate


@algorithm(
    about_closures=True,
    arguments={
        "drive": (
            "Prescribed motions of closures by name, rows being displacement, velocity and acceleration; k is\n"
            "6, for a coupling its number of rows."
        )
    },
    returns="(rows,) Residual φ [m, rad]; zero for rows that constrain velocities alone.",
)
def closure_residual(model: Model, q: Array, *, drive: Drive = None) -> Array:
    """Residual φ of the closures: how far they are from closed.

    >>> four_bar = kt.load("four_bar")
    >>> model, q = four_bar.model, four_bar.assemble()
    >>> kt.algorithms.closure_residual(model, np.zeros(3)).round(3)
    array([0. , 0. , 0. , 0.2, 0. ])
    >>> bool(abs(kt.algorithms.closure_residual(model, q)).max() < 1e-12)
    True
    """
    found, qs = [np.zeros(0)], model.split_q(q)
    for at in closure_states(model, q, drive):
        coupled = [term.factors @ qs[term.body] for term in at.closure.terms]
        rest = at.closure.offset + at.offset_derivative(0)
        found.append(at.closure.constraint.residual(at.X) + sum(coupled, start=-rest))
    return concatenate(found)


@algorithm(about_closures=True, returns="(rows, nv) K.")
def closure_jacobian(model: Model, q: Array, *, drive: Drive = None) -> Array:
    """Jacobian K of the closures: K v = 0 for the velocities that they allow.

    >>> four_bar = kt.load("four_bar")
    >>> model, q = four_bar.model, four_bar.assemble()
    >>> kt.algorithms.closure_jacobian(model, q).round(3)
    array([[ 0.   ,  0.   ,  0.   ],
           [ 0.   ,  0.   ,  0.   ],
           [-0.454, -0.268,  0.4  ],
           [-0.497, -0.422,  0.   ],
           [ 0.   ,  0.   ,  0.   ]])
    """
    qs = model.split_q(q)
    each = (transposed_jacobian(model, at, qs).T for at in closure_states(model, q, drive))
    return concatenate([np.zeros((0, model.nv)), *each], axis=0)


@algorithm(about_closures=True, returns="(rows, nv) K̇.")
def closure_jacobian_rate(model: Model, q: Array, v: Array, *, drive: Drive = None) -> Array:
    """Rate K̇ of the Jacobian of the closures in the motion v.

    >>> four_bar = kt.load("four_bar")
    >>> model, q = four_bar.model, four_bar.assemble()
    >>> v = kt.algorithms.velocity_map(model, q)[:, 0]
    >>> kt.algorithms.closure_jacobian_rate(model, q, v).round(3)
    array([[ 0.   ,  0.   ,  0.   ],
           [ 0.   ,  0.   ,  0.   ],
           [ 0.171,  0.22 ,  0.   ],
           [-0.018, -0.14 ,  0.   ],
           [ 0.   ,  0.   ,  0.   ]])
    """
    qs, vs = model.split_q(q), model.split_v(v)
    rates = (transposed_jacobian_rate(model, at, qs, vs).T for at in closure_states(model, q, drive))
    return concatenate([np.zeros((0, model.nv)), *rates], axis=0)


@algorithm(about_closures=True, returns="(rows,) K v [m/s, rad/s].")
def closure_velocity(model: Model, q: Array, v: Array, *, drive: Drive = None) -> Array:
    """Velocities K v of the closures, less what a drive prescribes: zero in a motion of the closed robot.

    >>> four_bar = kt.load("four_bar")
    >>> model, q = four_bar.model, four_bar.assemble()
    >>> kt.algorithms.closure_velocity(model, q, np.ones(3)).round(3)
    array([ 0.   ,  0.   , -0.322, -0.919,  0.   ])
    """
    found, qs, vs = [np.zeros(0)], model.split_q(q), model.split_v(v)
    for at in closure_states(model, q, drive):
        coupled = [term.factors @ vs[term.body] for term in at.closure.terms]
        V = relative_twist(at, qs, vs).V
        found.append(at.closure.constraint.rows(at.X) @ V + sum(coupled, start=-at.offset_derivative(1)))
    return concatenate(found)


@algorithm(about_closures=True, returns="(rows,) K̇ v [m/s², rad/s²].")
def closure_bias(model: Model, q: Array, v: Array, *, drive: Drive = None) -> Array:
    """Accelerations K̇ v of the closures when no joint accelerates, less what a drive prescribes.

    >>> four_bar = kt.load("four_bar")
    >>> model, q = four_bar.model, four_bar.assemble()
    >>> v = kt.algorithms.velocity_map(model, q)[:, 0]
    >>> kt.algorithms.closure_bias(model, q, v).round(3)
    array([ 0.   ,  0.   , -0.089,  0.147,  0.   ])
    """
    found, qs, vs = [np.zeros(0)], model.split_q(q), model.split_v(v)
    for at in closure_states(model, q, drive):
        constraint, (V, dV) = at.closure.constraint, relative_twist(at, qs, vs)
        found.append(constraint.rows(at.X) @ dV + constraint.bias(at.X, V) - at.offset_derivative(2))
    return concatenate(found)


def size_of(model: Model) -> float:
    """The largest shift between frames [m], and no less than one: residuals of smaller robots are not divided."""
    shifts = [b.X_pj[:3, 3] for b in model.bodies] + [f.X_bf[:3, 3] for c in model.closures for f in c.frames]
    return max([1.0, *(float(np.linalg.norm(p)) for p in shifts)])


def row_selection(model: Model, K: Array, candidates: Sequence[int] | None = None) -> Array:
    """E (count, rows), rows of the identity: E K are the selected rows of K (rows, nv).

    `candidates` are those of all closures, unless given.
    """
    found = [np.zeros((0, model.closure_rows))]
    for rows, count in _selections(model, candidates):
        E = [np.eye(model.closure_rows)[k] for k in rows]
        if len(rows) > count:
            E = longest_first([_unit(K[k]) for k in rows], E, count)
        found += [stack(E[:count], axis=0)] if count else []
    return concatenate(found, axis=0)


def _selections(model: Model, candidates: Sequence[int] | None) -> list[tuple[list[int], int]]:
    """Candidates that are selected from together, and how many of them: those of closures that depend on each other."""
    rows = model.candidate_rows if candidates is None else candidates
    each = [[k for k in rows if k in own] for own in model.rows_by_closures]
    return [(own, sum(k in model.independent_rows for k in own)) for own in each if own]


def selected_by_closures(model: Model, candidates: Sequence[int] | None = None) -> list[range]:
    """The selected rows of each closure, by their places among all; of closures that depend on each other, together."""
    ends = np.cumsum([0, *(count for _, count in _selections(model, candidates))]).tolist()
    return [range(*x) for x in pairwise(ends)]


def longest_first(rows: list[Array], names: list[Array], count: int) -> list[Array]:
    """The names of rows, reordered: the first `count` are as independent as possible."""

    def take_longest(k: int, left: list[Array]) -> None:
        for i in range(k + 1, len(left)):
            longer = less(left[k] @ left[k] * (1.0 + 1e-9), left[i] @ left[i])
            left[k], left[i] = where(longer, left[i], left[k]), where(longer, left[k], left[i])
            names[k], names[i] = where(longer, names[i], names[k]), where(longer, names[k], names[i])

    gram_schmidt(rows, count, lambda k, row: _unit(row), take_longest)
    return names


def _unit(x: Array) -> Array:
    """A vector of length 1, or zero."""
    square = x @ x
    some = less(0.0, square)
    return x * where(some, 1.0 / sqrt(where(some, square, 1.0)[()])[()], 0.0)[()]
