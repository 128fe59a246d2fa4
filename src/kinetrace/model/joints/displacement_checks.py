"""What the methods of a joint class must agree on, about displacements: which of them is wrong if they do not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from ...arrays import Array
from ..constraints.checks import Comparison
from ..dual import derivative_along
from .base import Joint

EXACT = 1e-8
"""How far numbers may differ, relative to the largest entry, or to 1."""
DIFFERENCE_STEP = 1e-3
"""Of the second differences of the bracket."""


def agree(found: Any, wanted: Any, tolerance: float = EXACT) -> bool:
    """Whether numbers agree, and are numbers.

    >>> agree([1.0], [1.0 + 1e-9]), agree([np.nan], [1.0]), agree([1.0, 2.0], [1.0])
    (True, False, False)
    """
    x, y = np.asarray(found, dtype=float), np.asarray(wanted, dtype=float)
    size = max(1.0, float(np.abs(y).max(initial=0.0)))
    return x.shape == y.shape and bool(float(np.abs(x - y).max(initial=0.0)) <= tolerance * size)


def rate_of(function: Callable[[Array], Array], v: Array) -> Array:
    """The derivative of a function of a displacement along v, at none."""
    return np.asarray(derivative_along(function, np.zeros(len(v)), np.asarray(v, dtype=float)), dtype=float)


def of_validity(joint: Joint, q: Array, v: Array) -> Iterator[Comparison]:
    """What configurations are: those that `normalise` leaves as they are, on which three more methods agree."""
    n = joint.nq
    neutral = np.asarray(joint.neutral(), dtype=float)
    yield "neutral()", neutral, np.where(np.isfinite(neutral), neutral, 0.0) if neutral.shape == (n,) else np.zeros(n)
    tried = {"neutral()": neutral, "random(rng, limits)": q, "integrate(q, v)": joint.integrate(neutral, 0.5 * v)}
    kept = {name: np.asarray(joint.normalise(x), dtype=float) for name, x in tried.items()}
    wrong = [name for name, x in tried.items() if not agree(kept[name], x)]
    if len(wrong) > 1 and wrong != ["neutral()", "integrate(q, v)"]:
        yield "normalise(q)", kept[wrong[0]], tried[wrong[0]]
    for name in wrong[:1]:  # what begins at a wrong one is wrong
        yield name, tried[name], kept[name]
    if joint.quaternion is not None:
        for x in (neutral, q):
            quaternion = x[joint.quaternion]
            yield "quaternion", [len(quaternion), quaternion @ quaternion], [4, 1]


def of_normalise(joint: Joint, q: Array) -> Iterator[Comparison]:
    """Near a configuration, `normalise` maps all numbers to configurations, and along them it is the identity."""
    n, T = joint.nq, np.asarray(joint.tangent(q), dtype=float)
    slopes = np.array([derivative_along(joint.normalise, q, e) for e in np.eye(n)], dtype=float).reshape(n, n).T
    onto = T @ np.linalg.pinv(T)
    yield "normalise(q)", slopes @ T, T
    yield "normalise(q)", slopes, onto @ slopes
    moved = joint.normalise(q + 0.3 * np.cos(1.0 + np.arange(n)))
    yield "normalise(q)", joint.normalise(moved), moved


def of_displacements(joint: Joint, q: Array, v: Array, w: Array) -> Iterator[Comparison]:
    """How displacements follow each other."""
    yield "integrate(q, v)", joint.integrate(q, 0 * v), q
    yield "integrate(q, v)", joint.integrate(joint.integrate(q, 0.6 * v), 0.4 * v), joint.integrate(q, v)
    yield "difference(q, integrate(q, v))", joint.difference(q, joint.integrate(q, v)), v
    q1, unit = joint.integrate(joint.integrate(q, v), w / max(1.0, float(np.linalg.norm(w)))), np.eye(joint.nv)
    yield "difference(q, q1)", joint.integrate(q, joint.difference(q, q1)), q1

    def from_q(e: Array) -> Array:
        return joint.difference(q, joint.integrate(q1, e))

    yield "difference_gradient(q, q1)", joint.difference_gradient(q, q1), _columns([rate_of(from_q, e) for e in unit])

    def commutator(h: float) -> Array:
        there, back = (joint.integrate(joint.integrate(q, h * a), h * b) for a, b in ((v, w), (w, v)))
        return joint.difference(back, there) / (h * h)

    mean = 0.5 * (commutator(DIFFERENCE_STEP) + commutator(-DIFFERENCE_STEP))
    yield "bracket(v, w)", joint.bracket(v, w), mean
    both = np.stack([v, w])
    yield "bracket(v, w)", joint.bracket(both, both[::-1]), [joint.bracket(v, w), joint.bracket(w, v)]
    yield "coadjoint(v, p)", joint.coadjoint(v, w), np.array([w @ joint.bracket(v, e) for e in unit]).reshape(joint.nv)
    yield from _of_exponential(joint, q, v, w)


def _of_exponential(joint: Joint, q: Array, v: Array, w: Array) -> Iterator[Comparison]:
    """The derivative of displacements by their velocities, its inverse and the duals of both."""
    before, q1, unit = joint.dexp(v, w), joint.integrate(q, v), np.eye(joint.nv)
    moved = rate_of(lambda e: joint.difference(q1, joint.integrate(joint.integrate(q, e), v)), before)
    same = rate_of(lambda e: joint.difference(q1, joint.integrate(q, v + e)), w)
    yield "dexp(v, w)", moved, same
    yield "dexp_inv(v, dexp(v, w))", joint.dexp_inv(v, before), w
    for name, dual, function in (
        ("dexp_dual(v, p)", joint.dexp_dual, joint.dexp),
        ("dexp_inv_dual(v, p)", joint.dexp_inv_dual, joint.dexp_inv),
    ):
        yield name, dual(v, w), np.array([w @ function(v, e) for e in unit]).reshape(joint.nv)


def of_axes(joint: Joint, q: Array, v: Array) -> Iterator[Comparison]:
    """Velocities in axes that do not turn: two relations of three methods tell which is wrong."""
    yield "turn_axes(v, w)", joint.turn_axes(0 * v, v), v
    path = rate_of(lambda e: joint.advance(q, v + e), v)
    along = joint.tangent(joint.advance(q, v)) @ joint.turn_axes(v, v)
    rate, lack = rate_of(lambda e: joint.turn_axes(e, v), v), joint.axis_rate(v)
    if not agree(path, along) and not agree(lack, -rate):
        yield "turn_axes(v, w)", along, path
    yield "advance(q, v)", rate_of(partial(joint.advance, q), v), joint.tangent(q) @ v
    yield "advance(q, v)", path, along
    yield "axis_rate(v)", lack, -rate
    if not joint.axes_turn:
        yield "axes_turn", joint.turn_axes(v, v[::-1]), v[::-1]


def _columns(columns: list[Array]) -> Array:
    n = len(columns)
    return np.stack(columns, axis=-1).astype(float) if columns else np.zeros((n, n))
