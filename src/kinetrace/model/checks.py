"""Checks of numbers that describe a robot; traced values pass through unchecked."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..arrays import Array
from ..errors import ModelError
from ..lie import se3

ORTHONORMAL = 1e-6
"""How far from a rotation a placement's matrix may be; what is nearer is made exact."""


def numbers(x: Any, what: str) -> Array:
    """A copy of x as an array of floats, or of objects if it holds traced values."""
    try:
        array = np.asarray(x)
    except ValueError:  # rows of unequal length
        array = np.array("")
    if array.dtype == object and not any(e is None or isinstance(e, str | bytes) for e in array.flat):
        return array.copy()
    if array.dtype.kind not in "biuf":
        raise ModelError(f"{what} must be an array of real numbers, got {x!r}")
    return array.astype(float)


def number(x: Any, what: str) -> Any:
    """x as a finite float, or the traced value that it is."""
    array = numbers(x, what)
    if array.dtype == object:
        return x
    if array.shape != () or not np.isfinite(array):
        raise ModelError(f"{what} must be a finite number, got {x!r}")
    return float(array)


def unit(axis: Any, what: str) -> Array:
    """The axis as a unit vector (3,), read-only."""
    a = numbers(axis, what)
    if a.shape != (3,):
        raise ModelError(f"{what} must be 3 numbers, got shape {a.shape}")
    if a.dtype == object:  # a traced axis is the caller's to normalise
        return a
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
    if X.dtype == object:
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
