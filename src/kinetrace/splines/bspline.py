"""Clamped B-splines: basis functions, their derivatives, and the polynomials between the knots.

    θ(t) = Σ_k c_k b_k(t),   b_k of degree d, knots t_0 ≤ … ≤ t_{n+d}, of which the first and the last d + 1 are equal

The recursion is that of Cox and de Boor; a derivative of the basis follows from the basis of one degree less.
"""

from __future__ import annotations

import math

import numpy as np

from ..arrays import Array


def clamped_knots(breaks: Array, degree: int, smoothness: int | None = None) -> Array:
    """Knots (n + degree + 1,) at breaks (intervals + 1,), where so many derivatives are continuous: degree − 1.

    >>> clamped_knots(np.array([0.0, 0.5, 1.0]), 2)
    array([0. , 0. , 0. , 0.5, 1. , 1. , 1. ])
    """
    times = 1 if smoothness is None else degree - smoothness
    inner = np.repeat(breaks[1:-1], times)
    return np.concatenate([np.full(degree + 1, breaks[0]), inner, np.full(degree + 1, breaks[-1])])


def basis(knots: Array, degree: int, t: Array, order: int = 0) -> Array:
    """Derivatives of some order of all basis functions at times t (k,): (k, n).

    At a knot they are those of the interval that begins there, at the last one of the interval that ends there.

    >>> basis(clamped_knots(np.array([0.0, 1.0]), 2), 2, np.array([0.5])).round(3)
    array([[0.25, 0.5 , 0.25]])
    """
    if order > degree:
        return np.zeros((len(t), len(knots) - degree - 1))
    if order:
        lower = basis(knots, degree - 1, t, order - 1)
        weighted = degree * lower * _inverse(knots[degree:] - knots[:-degree])
        return weighted[:, :-1] - weighted[:, 1:]
    first, last = degree_of_clamping(knots)
    place = np.clip(np.searchsorted(knots, t, side="right") - 1, first, last - 1)
    found = np.zeros((len(t), len(knots) - 1))
    found[np.arange(len(t)), place] = 1.0
    for d in range(1, degree + 1):
        width = _inverse(knots[d:] - knots[:-d])
        rising = (t[:, None] - knots[: -d - 1]) * width[:-1]
        falling = (knots[d + 1 :] - t[:, None]) * width[1:]
        found = rising * found[:, :-1] + falling * found[:, 1:]
    return found


def degree_of_clamping(knots: Array) -> tuple[int, int]:
    """The indices of the last of the first knots and of the first of the last ones."""
    return int(np.searchsorted(knots, knots[0], side="right")) - 1, int(np.searchsorted(knots, knots[-1]))


def pieces(knots: Array, degree: int, coefficients: Array) -> tuple[Array, Array]:
    """Breaks (m + 1,) and the polynomials between them, (m, degree + 1, nv): Σ_i p_i (t − break)^i.

    >>> breaks, p = pieces(clamped_knots(np.array([0.0, 2.0]), 1), 1, np.array([[1.0], [5.0]]))
    >>> breaks, p[0, :, 0]
    (array([0., 2.]), array([1., 2.]))
    """
    breaks = np.unique(knots)
    rows = [basis(knots, degree, breaks[:-1], i) @ coefficients / math.factorial(i) for i in range(degree + 1)]
    return breaks, np.stack(rows, axis=1)


def interpolation_knots(t: Array, degree: int) -> Array:
    """Knots of the spline of an odd degree through samples at times t, as many coefficients as samples ("not a knot").

    >>> interpolation_knots(np.arange(6.0), 3)
    array([0., 0., 0., 0., 2., 3., 5., 5., 5., 5.])
    """
    left = (degree + 1) // 2
    inner = t[left : len(t) - left]
    return np.concatenate([np.full(degree + 1, t[0]), inner, np.full(degree + 1, t[-1])])


def _inverse(x: Array) -> Array:
    """1 / x, and 0 for 0: intervals without length contribute nothing."""
    return np.divide(1.0, x, out=np.zeros_like(x), where=x > 0)
