"""Quadratic programs with bounds on the variables, over any scalar: min ½ xᵀ H x + gᵀ x, lower ≤ x ≤ upper.

Projected Newton steps (Bertsekas 1982; Tassa, Mansard and Todorov 2014). At x, a variable is *held* if it is at a bound
that the gradient H x + g presses it against; the others are free. The Newton step d of the free variables is taken as
far as the projected path x(s) = clip(x + s d) decreases the objective enough, s = 1, ½, ¼, …:

    ½ xᵀ H x + gᵀ x − (the same at x(s)) ≥ β (H x + g)ᵀ (x − x(s))

The held variables of a solution are found after a few steps, and then one step of length 1 solves the rest exactly;
none is needed where the minimiser without bounds is within them. In a kernel it is a loop that ends when all states of
a batch have been solved.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array, abs, asarray, clip, iterate, less, maximum, where
from ..errors import InputError
from . import dense

STEPS, HALVINGS = 50, 25
"""Most Newton steps, and most halvings of each."""
ENOUGH = 0.1
"""β: the part of the decrease that the gradient predicts which a step must reach."""
ROUNDING = 1e-13
"""Entries of the gradient count as zero below this part of the sum of the magnitudes of their terms."""


def solve_box(H: Array, g: Array, lower: Array, upper: Array, start: Array | None = None) -> tuple[Array, Array, Array]:
    """Minimiser of ½ xᵀ H x + gᵀ x between bounds.

    Parameters
    ----------
    H : Array, shape (n, n)
        Symmetric positive definite matrix of any scalar; its upper triangle is not read.
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
        Value 1 if x is the minimiser; 0 if H is not positive definite along the free variables, if a lower bound is
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
    n = np.shape(H)[-1] if np.ndim(H) == 2 else -1
    if np.shape(H) != (n, n):
        raise InputError(f"solve_box: H must be a square matrix (n, n), got shape {np.shape(H)}")
    for name, value in (("g", g), ("lower", lower), ("upper", upper), ("start", start)):
        if value is not None and np.shape(value) != (n,) and (np.shape(value) or name not in ("lower", "upper")):
            raise InputError(f"solve_box: {name} must have shape ({n},), got {np.shape(value)}")
    H = dense.symmetric(asarray(H))
    guess = -dense.solve(dense.factor(H, semidefinite=True), g) if start is None else asarray(start)
    begin = clip(guess, lower, upper)
    one = 1.0 + 0.0 * begin[0]
    is_inside = (
        0.0 * one if start is not None else where(less(dense.largest(abs(guess - begin)), 1e-300), one, 0.0 * one)
    )

    def step(carry: tuple[Array, Array]) -> tuple[Array, Array]:
        x, _ = carry
        slope, free = _slope(H, g, lower, upper, x)
        d = -dense.solve(_held(H, free), free * slope)

        def shorter(s: Array) -> Array:
            return 0.5 * s

        def enough(s: Array) -> Array:
            moved = clip(x + s * d, lower, upper) - x
            return less(0.5 * (moved @ (H @ moved)) + (1.0 - ENOUGH) * (slope @ moved), ROUNDING * abs(slope) @ abs(x))

        s = iterate(shorter, one, enough, HALVINGS)
        after = clip(x + s * d, lower, upper)
        cut = where(less(abs(after - x - d), ROUNDING * (abs(x) + abs(d)) + 1e-300), 0.0, 1.0)
        changed = abs(_slope(H, g, lower, upper, after)[1] - free)
        return after, where(less(dense.largest(maximum(cut, changed)), 0.5), one, 0.0 * one)

    def solved(carry: tuple[Array, Array]) -> Array:
        return less(0.5, carry[1])

    x, done = iterate(step, (begin, is_inside), solved, STEPS)
    free = _slope(H, g, lower, upper, x)[1]
    # Once more from the held variables alone: exact, and with the derivatives of a solution.
    held = where(less(0.5, free), 0.0, where(less(lower, x), upper, lower))
    factors = _held(H, free)
    x = clip(where(less(0.5, free), -dense.solve(factors, free * (g + H @ held)), held), lower, upper)
    positive = [where(less(0.0, d), 1.0, 0.0)[()] for d in factors.D]
    ordered = where(less(asarray(upper) + 0.0 * x, asarray(lower) + 0.0 * x), 0.0, 1.0)
    number = where(less(abs(x), np.inf), 1.0, 0.0)
    success = where(less(0.5, done), 1.0, 0.0)[()]
    for p in (*positive, *ordered, *number):
        success = success * p
    return x, free, success


def _slope(H: Array, g: Array, lower: Array, upper: Array, x: Array) -> tuple[Array, Array]:
    """The gradient at x, and 1 for variables that are free there."""
    slope = H @ x + g
    margin = ROUNDING * (abs(H) @ abs(x) + abs(g))
    below = where(less(lower, x), 1.0, where(less(slope, -margin), 1.0, 0.0))
    above = where(less(x, upper), 1.0, where(less(margin, slope), 1.0, 0.0))
    return slope, below * above


def _held(H: Array, free: Array) -> dense.Factors:
    """Factors of H with the rows and columns of held variables replaced by those of the unit matrix."""
    n = len(free)
    diagonal = 1.0 - free
    M = H * free[:, None] * free[None, :]
    return dense.factor(M + np.eye(n) * diagonal, semidefinite=True)
