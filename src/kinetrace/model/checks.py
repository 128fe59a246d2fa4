"""Checks of numbers that describe a robot.

A value that is not `known` (traced, complex, mpmath's, JAX's) passes through unchecked, but for its shape.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from typing import Any, Literal, get_args

import numpy as np

from ..arrays import Array, known, namespace
from ..errors import InputError, ModelError, PhysicsWarning
from ..lie import inertia, se3

Check = Literal["warn", "error", "ignore"]
"""What to do about inertias that no body can have."""

ORTHONORMAL = 1e-6
"""How far from a rotation a placement's matrix may be; what is nearer is made exact."""


def numbers(x: Any, what: str) -> Array:
    """A copy of x as an array of floats; of its own scalars if they are not known."""
    xp = namespace(*_leaves(x))
    if xp is not np:  # JAX's arrays cannot be changed: no need to copy
        return xp.asarray(x)
    try:
        array = np.asarray(x)
    except ValueError:  # rows of unequal length
        array = np.array("")
    if array.dtype == object and not any(e is None or isinstance(e, str | bytes) for e in array.flat):
        return array.copy()
    if array.dtype.kind == "c":
        return array.copy()
    if array.dtype.kind not in "biuf":
        raise ModelError(f"{what} must be an array of real numbers, got {x!r}")
    return array.astype(float)


def _leaves(x: Any) -> list[Any]:
    return [leaf for part in x for leaf in _leaves(part)] if isinstance(x, list | tuple) else [x]


def number(x: Any, what: str) -> Any:
    """x as a finite float, or as it is if that is not known."""
    array = numbers(x, what)
    if not known(array):
        return x
    if array.shape != () or not np.isfinite(array):
        raise ModelError(f"{what} must be a finite number, got {x!r}")
    return float(array)


def unit(axis: Any, what: str) -> Array:
    """The axis as a unit vector (3,), read-only; one that is not known is the caller's to normalise."""
    a = numbers(axis, what)
    if a.shape != (3,):
        raise ModelError(f"{what} must be 3 numbers, got shape {a.shape}")
    if not known(a):
        return frozen(a)
    largest = float(np.abs(a).max())
    if not (math.isfinite(largest) and largest > 0.0):
        raise ModelError(f"{what} must be a non-zero vector, got {a.tolist()}")
    a = a / largest
    return frozen(a / np.linalg.norm(a))


def pose(X: Any, what: str) -> Array:
    """X as a rigid motion (4, 4); the identity if None."""
    X = np.eye(4) if X is None else numbers(X, what)
    if X.shape != (4, 4):
        raise ModelError(f"{what} must be a pose of shape (4, 4), got {X.shape}")
    if not known(X):
        return X
    if not np.all(np.isfinite(X)) or np.any(X[3] != (0.0, 0.0, 0.0, 1.0)):
        raise ModelError(f"{what} is not a rigid motion: its last row must be 0, 0, 0, 1")
    R = X[:3, :3]
    error = np.abs(R @ R.T - np.eye(3)).max()
    if error > ORTHONORMAL or np.linalg.det(R) < 0:
        raise ModelError(f"{what} is not a rigid motion: its rotation part is not orthonormal")
    if error > 1e-14:
        U, _, Vt = np.linalg.svd(R)
        R = U @ Vt
    return np.array(se3.pose(R, X[:3, 3]), dtype=float)


def frozen(x: Array) -> Array:
    """The array itself, from now on read-only."""
    if isinstance(x, np.ndarray):
        x.flags.writeable = False
    return x


def check_of(check: Any) -> Check:
    """The choice itself, if it is one."""
    if check not in get_args(Check):
        raise InputError(f"check must be 'warn', 'error' or 'ignore', got {check!r}")
    return check


def complain(message: str, check: Check) -> None:
    """Say what is wrong, in the way that was chosen."""
    if check == "error":
        raise ModelError(message)
    if check == "warn":
        warnings.warn(message, PhysicsWarning, stacklevel=4)


def check_inertias(links: Iterable[tuple[str, Array]], check: Check) -> None:
    """Look at inertias (6, 6) with the names of their links: each must be finite, and should be a body's."""
    for name, J in links:
        if not known(J):
            continue
        if not np.all(np.isfinite(J)):
            raise ModelError(f"link {name!r}: its inertia has entries that are not finite")
        for violation in inertia.violations(J):
            complain(f"link {name!r}: {violation}", check)
