"""Quadratic programs with bounds on the variables, over any scalar: min ½ xᵀ H x + gᵀ x, lower ≤ x ≤ upper.

Projected Newton steps (Bertsekas 1982; Tassa, Mansard and Todorov 2014). At x, a variable is *held* if it is at a bound
that the gradient H x + g presses it against; the others are free. The Newton step d of the free variables is taken as
far as the projected path x(s) = clip(x + s d) decreases the objective enough, s = 1, ½, ¼, …:

    ½ xᵀ H x + gᵀ x − (the same at x(s)) ≥ β (H x + g)ᵀ (x − x(s))

The held variables of a solution are found after a few steps, and then one step of length 1 solves the rest exactly;
none is needed where the minimiser without bounds is within them. Where H is singular along the free variables, such
steps may lead nowhere; then a little is added to its diagonal, so that they go along its null space to the bounds. In a
kernel it is a loop that ends when all states of a batch have been solved.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Array, abs, asarray, clip, hold, iterate, less, maximum, minimum, where
from ..errors import InputError
from . import dense

NEWTON_STEPS, HALVINGS = 50, 25
"""Most Newton steps, and most halvings of each."""
SUFFICIENT_DECREASE = 0.1
"""β: the part of the decrease that the gradient predicts which a step must reach."""
ZERO_GRADIENT = 1e-13
"""Entries of the gradient count as zero below this part of the sum of the magnitudes of their terms."""
STATIONARY_GRADIENT = 1e-9
"""The same in the conditions that decide whether x is a solution."""
SHORT_STEP = 1e-6
"""Part of a step below which it leads nowhere."""
FIRST_SHIFT, SHIFT_GROWTH, LAST_SHIFT = 1e-8, 100.0, 1e-3
"""Term on the diagonal, relative to its largest entry, where steps lead nowhere: at first, from one such step
to the next, and at most."""
CONVEX_SHIFT = 1e-12
"""The same where H is tested: above the rounding of its eigenvalues."""
LEAST_DIAGONAL = 1e-200
"""Term that keeps it positive if H is zero."""


class StationaryPoint(NamedTuple):
    """A point that satisfies the conditions of first order, if it was found."""

    x: Array
    free: Array
    """Values 1 for free variables, 0 for those that are held at a bound."""
    is_stationary: Array
    """1 if the gradient is zero, or presses variables against bounds that they are at; else 0."""
    is_definite: Array
    """1 if H is positive definite along the free variables, else 0."""
    near: Array
    """Where steps ended: x but for rounding if there is only one."""


def solve_box(H: Array, g: Array, lower: Array, upper: Array, start: Array | None = None) -> tuple[Array, Array, Array]:
    """Minimiser of ½ xᵀ H x + gᵀ x between bounds.

    Parameters
    ----------
    H : Array, shape (n, n)
        Symmetric positive semidefinite matrix of any scalar; its upper triangle is not read.
    g : Array, shape (n,)
        Linear term.
    lower : Array, shape (n,) or ()
        Lower bounds; minus infinity where there is none.
    upper : Array, shape (n,) or ()
        Upper bounds; infinity where there is none.
    start : Array, shape (n,), optional
        First guess, which saves steps if the same variables are held in the solution; the minimiser without bounds,
        limited to them, unless given.

    Returns
    -------
    x : Array, shape (n,)
        Minimiser, within the bounds.
    free : Array, shape (n,)
        Values 1 for free variables, 0 for those that are held at a bound.
    success : Array, shape ()
        Value 1 if x is a minimiser, by the conditions of Karush, Kuhn and Tucker at x; it is the only one if H is
        positive definite. Value 0 if H is not positive semidefinite, if there is no minimiser, if a lower bound is
        above an upper one, if a number is NaN, or if no solution was found.

    Raises
    ------
    InputError
        If H is not square, or the shapes of the other arrays do not fit it.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> H, g = np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([-6.0, 0.0])
    >>> x, free, success = kt.linalg.solve_box(H, g, np.array([0.0, 0.0]), np.array([np.inf, 5.0]))
    >>> x, free, float(success)
    (array([3., 0.]), array([1., 0.]), 1.0)
    """
    H, g, lower, upper = asarray(H), asarray(g), asarray(lower), asarray(upper)
    n = H.shape[-1] if H.ndim == 2 else -1
    if H.shape != (n, n):
        raise InputError(f"solve_box: H must be a square matrix (n, n), got shape {H.shape}")
    for name, value in (("g", g), ("lower", lower), ("upper", upper), ("start", start)):
        if value is not None and np.shape(value) != (n,) and (np.shape(value) or name not in ("lower", "upper")):
            raise InputError(f"solve_box: {name} must have shape ({n},), got {np.shape(value)}")
    if not n:
        return np.zeros(0), np.zeros(0), np.ones(())
    point, H = stationary_point(H, g, lower, upper, start), dense.symmetric(H)
    convex = all_positive(dense.factor(_with_shift(H, CONVEX_SHIFT * _size(H)), semidefinite=True).D)
    # A singular H does not determine all free variables: the first point counts.
    near = where(less(0.5, point.free), clip(hold(point.near), lower, upper), point.x)
    is_met = point.is_stationary
    also_met = _slope(H, g, lower, upper, near)[2] * _are_ordered(lower, upper, near)
    return where(less(0.5, is_met), point.x, near), point.free, maximum(is_met, also_met) * convex


def stationary_point(H: Array, g: Array, lower: Array, upper: Array, start: Array | None = None) -> StationaryPoint:
    """A point between bounds (n,) or (), where no direction of first order leads down; a minimiser if H is convex."""
    H = dense.symmetric(H)
    guess = -dense.solve(dense.factor(H, semidefinite=True), g) if start is None else asarray(start)
    begin = clip(guess, lower, upper)
    one = 1.0 + 0.0 * begin[0]
    is_inside = 0.0 * one
    if start is None:
        inside = where(less(dense.largest(abs(guess - begin)), 1e-300), one, 0.0 * one)
        is_inside = inside * _slope(H, g, lower, upper, begin)[2]

    def step(carry: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        x, _, added = carry
        slope, free, _ = _slope(H, g, lower, upper, x)
        d = -dense.solve(_held(H, free, added), free * slope)

        def shorter(s: Array) -> Array:
            return 0.5 * s

        def enough(s: Array) -> Array:
            moved = clip(x + s * d, lower, upper) - x
            return less(
                0.5 * (moved @ (H @ moved)) + (1.0 - SUFFICIENT_DECREASE) * (slope @ moved),
                ZERO_GRADIENT * abs(slope) @ abs(x),
            )

        s = iterate(shorter, one, enough, HALVINGS)
        after = clip(x + s * d, lower, upper)
        cut = where(less(abs(after - x - d), ZERO_GRADIENT * (abs(x) + abs(d)) + 1e-300), 0.0, 1.0)
        _, held, flat = _slope(H, g, lower, upper, after)
        whole = where(less(dense.largest(maximum(cut, abs(held - free))), 0.5), one, 0.0 * one)
        stuck = maximum(whole * (1.0 - flat), where(less(s, SHORT_STEP), 1.0, 0.0)[()])
        more = where(less(0.5, stuck), maximum(SHIFT_GROWTH * added, FIRST_SHIFT * _size(H)), added)[()]
        over = where(less(LAST_SHIFT * _size(H), more), 1.0, 0.0)[()]
        return after, maximum(whole * flat, over), more

    def solved(carry: tuple[Array, Array, Array]) -> Array:
        return less(0.5, carry[1])

    x, _, _ = iterate(step, (begin, is_inside, 0.0 * one), solved, NEWTON_STEPS)
    free = _slope(H, g, lower, upper, x)[1]
    # Once more from the held variables alone: exact, and with the derivatives of a solution.
    held = where(less(0.5, free), 0.0, where(less(lower, x), upper, lower))
    factors = _held(H, free, 0.0)
    exact = clip(where(less(0.5, free), -dense.solve(factors, free * (g + H @ held)), held), lower, upper)
    flat = _slope(H, g, lower, upper, exact)[2] * _are_ordered(lower, upper, exact)
    return StationaryPoint(x=exact, free=free, is_stationary=flat, is_definite=all_positive(factors.D), near=x)


def all_positive(D: Iterable[Any]) -> Array:
    """1 if all pivots are positive, else 0."""
    are_positive: Any = 1.0
    for d in D:
        are_positive = where(less(0.0, d), are_positive, 0.0)[()]
    return are_positive


def _slope(H: Array, g: Array, lower: Array, upper: Array, x: Array) -> tuple[Array, Array, Array]:
    """The gradient at x, 1 for variables that are free there, and 1 if x satisfies the conditions of first order."""
    slope = H @ x + g
    terms = abs(H) @ abs(x) + abs(g)
    margin, wide = ZERO_GRADIENT * terms, STATIONARY_GRADIENT * terms
    below = where(less(lower, x), 1.0, where(less(slope, -margin), 1.0, 0.0))
    above = where(less(x, upper), 1.0, where(less(margin, slope), 1.0, 0.0))
    rises = where(less(x, upper), where(less(slope, -wide), 0.0, 1.0), 1.0)
    falls = where(less(lower, x), where(less(wide, slope), 0.0, 1.0), 1.0)
    number = where(less(terms, np.inf), 1.0, 0.0)
    return slope, below * above, _smallest(rises * falls * number)


def _are_ordered(lower: Array, upper: Array, x: Array) -> Array:
    """1 if no lower bound is above an upper one, else 0."""
    return _smallest(where(less(upper + 0.0 * x, lower + 0.0 * x), 0.0, 1.0))


def _smallest(x: Array) -> Array:
    """The smallest entry."""
    return reduce(minimum, x)


def _size(H: Array) -> Array:
    """The largest entry of the diagonal, and never zero."""
    return dense.largest(abs(np.diagonal(H))) + LEAST_DIAGONAL


def _with_shift(H: Array, added: Array) -> Array:
    """H with a number added to its diagonal."""
    return H + np.eye(len(H)) * added


def _held(H: Array, free: Array, added: Array) -> dense.Factors:
    """Factors of H with a number added to its diagonal, and held variables' rows and columns those of the unit."""
    M = _with_shift(H, added) * free[:, None] * free[None, :]
    return dense.factor(M + np.eye(len(free)) * (1.0 - free), semidefinite=True)
