"""What the methods of a constraint class must agree on: looked at when a user's own constraint is first used.

    dφ/dt = N V where the constraint holds,   Ṅ = dN/dt,   bias = Ṅ V,   bias_gradient = ∂(Ṅ V)/∂X

with the residual φ of the rows that constrain positions. Derivatives are exact, by dual numbers. Poses at which it
holds are found from random ones by Newton's method.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from functools import lru_cache
from typing import Any

import numpy as np

from ...arrays import Array, objects
from ...errors import ModelError, value_text
from ...lie import se3, so3
from ..dual import Dual, Symbol, derivative_along
from ..record import is_known, is_own
from .base import Constraint

EXACT = 1e-8
"""How far numbers may differ, relative to the largest entry, or to 1."""
SAMPLED_POSES, SAMPLES_AT_MOST, STEPS_AT_MOST = 3, 60, 40
SIZES = (1.0, 10.0, 0.1)
"""Of the shifts of random poses [m], one after the other."""
CLOSED = 1e-11
"""Residual of poses at which a constraint holds, relative to that of the random ones, or to 1."""

Comparison = tuple[str, Any, Any]
"""A method with its arguments, what it gives, and what the others say."""

ARRAY_CODE = (
    "methods must be plain array code with the functions of kinetrace.arrays: kt.arrays.cos for math.cos, "
    "kt.arrays.where for if"
)
MEANINGS = {
    "residual(X)": "zero in rows that constrain velocities alone",
    "rows(X)": "so that rows(X) @ V is the rate of residual(X) as B moves by the twist V in its own axes, angular "
    "columns first; leave rows out, and they follow from residual",
    "rows_rate(X, V)": "the rate of rows(X); leave it out, and it follows from rows",
    "bias(X, V)": "rows_rate(X, V) @ V; leave it out, and it follows from rows",
    "bias_gradient(X, V)": "the derivative of bias(X, V) by the motion of B; leave it out, and it follows from rows",
    "size": "the number of rows, that of holonomic; leave it out, and it follows",
}
"""Method → what it must be."""
METHODS = ("residual", "rows", "rows_rate", "bias", "bias_gradient", "ends")
_OF_TWISTS = ("rows_rate", "bias", "bias_gradient")


def own_parts(constraint: Constraint) -> Iterator[Constraint]:
    """The constraints of users' classes that one is, or is made of."""
    if is_own(constraint):
        yield constraint
        return
    inner = getattr(constraint, "inner", None)
    for part in (*getattr(constraint, "parts", ()), *(() if inner is None else (inner,))):
        yield from own_parts(part)


def as_it_is(constraint: Constraint) -> Constraint:
    """A copy of a constraint with parts of users' classes, which may change, as `record.as_it_is` makes of a joint."""
    return deepcopy(constraint) if any(own_parts(constraint)) and is_known(constraint) else constraint


def check_constraint(constraint: Constraint, what: str, *, must_close: bool = False) -> None:
    """An error if methods of a constraint of a user's class contradict each other; those of the library are tested.

    Poses at which it holds are between random ones; if none is found, it is an error if one `must_close`.
    """
    for own in own_parts(constraint):
        fault, closed = _first_fault(own) if is_known(own) else (None, True)
        if fault is None and must_close and not closed:
            fault = (
                "residual(X) is zero at no pose that Newton's method found: it must be zero where the constraint holds"
            )
        if fault is not None:
            raise ModelError(f"{what}: {type(own).__name__}.{fault}")


@lru_cache(maxsize=256)
def _first_fault(constraint: Constraint) -> tuple[str | None, bool]:
    """What is wrong with it, and whether poses were found at which it holds."""
    rng, left = np.random.default_rng(0), SAMPLED_POSES
    with np.errstate(all="ignore"):
        for k in range(SAMPLES_AT_MOST):
            X = se3.pose(so3.exp(rng.normal(size=3)), SIZES[k % len(SIZES)] * rng.uniform(-1.0, 1.0, 3))
            fault = form_fault(constraint, X)
            if fault is None:
                X, closed = _closed_near(constraint, X)
                fault = _fault_at(constraint, X, rng.normal(size=6)) if closed else None
                left -= closed
            if fault is not None or not left:
                return fault, True
    return None, left < SAMPLED_POSES


def form_fault(constraint: Constraint, X: Array) -> str | None:
    """Of what each method gives by itself: kinds and shapes, and code that takes floats alone."""
    for name, kind, word in (("holonomic", bool | np.bool_, "bool"), ("transmits", str, "text")):
        given = getattr(constraint, name)
        if not isinstance(given, tuple) or not all(isinstance(x, kind) for x in given):
            return f"{name} must be a tuple with one {word} per row, got {value_text(given)}"
    m = len(constraint.holonomic)
    if len(constraint.transmits) != m or constraint.size != m:
        counts = f"{len(constraint.transmits)} and {constraint.size}"
        return f"transmits and size must be of as many rows as holonomic, {m}, got {counts}"
    shapes = dict(zip(METHODS, ((m,), (m, 6), (m, 6), (m,), (m, 6), (2, 3)), strict=True))
    for name, shape in shapes.items():
        fault = _shape_fault(constraint, name, shape, X)
        if fault is not None:
            return fault
    return None


def _shape_fault(constraint: Constraint, name: str, shape: tuple[int, ...], X: Array) -> str | None:
    """Of one method, of floats and of what functions are compiled from: dual numbers and symbols."""
    symbols = objects([*(Symbol() for _ in range(12)), 0.0, 0.0, 0.0, 1.0], (4, 4))
    duals = objects([Dual(float(x), 1.0) for x in X.flat], (4, 4))
    moved = (objects([Symbol() for _ in range(6)], (6,)),) if name in _OF_TWISTS else ()
    said = f"{name}(X, V)" if moved else f"{name}(X)"
    try:
        found = getattr(constraint, name)(X, *(np.ones(6) for _ in moved))
        given = np.shape(np.asarray(found, dtype=float))
    except ModelError as error:
        return f"{said} raises ModelError: {error}"
    except Exception as error:  # whatever the user's code raises
        return f"{said} raises {type(error).__name__}: {error}"
    if given != shape or not hasattr(found, "shape"):
        axis = (
            "; kinetrace.arrays.stack stacks along the last axis: stack(rows, axis=0)" if given == shape[::-1] else ""
        )
        return f"{said} must have shape {shape}, got {given if hasattr(found, 'shape') else 'a list'}{axis}"
    try:
        getattr(constraint, name)(duals, *(np.ones(6) for _ in moved))
        getattr(constraint, name)(symbols, *moved)
    except Exception as error:  # whatever the user's code raises
        return f"{said} raises {type(error).__name__}: {error}, where entries of X are no floats; {ARRAY_CODE}"
    return None


def _closed_near(constraint: Constraint, X: Array) -> tuple[Array, bool]:
    """A pose near another one at which the constraint holds, and whether it was found."""
    rows = list(constraint.holonomic)
    try:
        size = max(1.0, float(np.abs(constraint.residual(X)).max(initial=0.0)))
        for _ in range(STEPS_AT_MOST):
            r, slopes = np.asarray(constraint.residual(X), dtype=float)[rows], residual_slopes(constraint, X)[rows]
            if not (np.isfinite(r).all() and np.isfinite(slopes).all()):
                return X, False
            if np.abs(r).max(initial=0.0) <= CLOSED * size:
                return X, True
            X = X @ se3.exp(-np.linalg.pinv(slopes) @ r)
    except (ArithmeticError, ValueError):  # of floats beyond the range of a function, or of no numbers
        pass
    return X, False


def residual_slopes(constraint: Constraint, X: Array) -> Array:
    """The derivative (m, 6) of the residual by the motion of B, in B."""
    return _slopes(constraint.residual, X)


def _slopes(function: Any, X: Array) -> Array:
    """The derivative (m, 6) of a function (m,) of the pose of B by its motion, in B."""
    return np.stack([derivative_along(function, X, X @ se3.hat(e)) for e in np.eye(6)], axis=-1).astype(float)


def comparisons(constraint: Constraint, X: Array, V: Array) -> Iterator[Comparison]:
    """What the methods give at a pose at which the constraint holds."""
    rows = np.array(constraint.holonomic, dtype=bool)
    r, N = (np.asarray(x, dtype=float) for x in (constraint.residual(X), constraint.rows(X)))
    yield "residual(X)", r[~rows], np.zeros(np.count_nonzero(~rows))
    yield "rows(X)", N[rows], residual_slopes(constraint, X)[rows]
    for twist in (V, *np.eye(6)):
        yield (
            "rows_rate(X, V)",
            constraint.rows_rate(X, twist),
            derivative_along(constraint.rows, X, X @ se3.hat(twist)),
        )
    yield "bias(X, V)", constraint.bias(X, V), constraint.rows_rate(X, V) @ V
    found = constraint.bias_gradient(X, V)
    own = type(constraint).bias_gradient is not Constraint.bias_gradient
    yield "bias_gradient(X, V)", found, _slopes(lambda Y: constraint.bias(Y, V), X) if own else found


def _fault_at(constraint: Constraint, X: Array, V: Array) -> str | None:
    name = "rows(X)"
    try:
        for name, found, wanted in comparisons(constraint, X, V):
            found, wanted = np.asarray(found, dtype=float), np.asarray(wanted, dtype=float)
            off = float(np.abs(found - wanted).max(initial=0.0))
            if not off <= EXACT * max(1.0, float(np.abs(wanted).max(initial=0.0))):
                R, p = X[:3, :3].round(3).tolist(), X[:3, 3].round(3).tolist()
                at = f"at X with the rotation {R} and the shift {p}"
                said = f"{name} is off by {off:.2g} {at}: it must be {MEANINGS[name]}"
                return said + (row_note(found, wanted, X) if name == "rows(X)" else "")
    except Exception as error:  # of code that takes no other scalars than floats, or of shapes
        return f"{name}, or what is compared with it next, raises {type(error).__name__}: {error}; {ARRAY_CODE}"
    return None


def row_note(N: Array, right: Array, X: Array) -> str:
    """The first row that is not the derivative of the residual, beside that; and what it may be."""
    k = int(np.argmax(np.abs(N - right).max(axis=1) > EXACT))
    given, wanted = (x[k].round(6) + 0.0 for x in (N, right))
    meant = ""
    if np.allclose(N[:, [3, 4, 5, 0, 1, 2]], right, atol=EXACT):
        meant = ": angular columns first"
    elif np.allclose(np.concatenate([N[:, :3] @ X[:3, :3], N[:, 3:] @ X[:3, :3]], axis=1), right, atol=EXACT):
        meant = ": they are in the axes of A, not in those of B"
    return f". Row {k} of those that hold positions is {given.tolist()}, by residual {wanted.tolist()}{meant}"
