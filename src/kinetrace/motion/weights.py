"""Weights of costs: diagonals and matrices, checked."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import LONGEST_NAME, InputError, shortened
from ..support.plain import plain_array

Float = npt.NDArray[np.float64]


def diagonal(name: str, x: Any, size: int | None = None) -> float | tuple[float, ...]:
    """Weights that can be compared and pickled: a number, or one for each of `size` entries, or of any number of them.

    >>> diagonal("weight", [1, 2]), diagonal("weight", 1.0)
    ((1.0, 2.0), 1.0)
    """
    array = plain_array(name, x)
    fits = array.ndim < 2 if size is None else array.shape in ((), (size,))
    if array.dtype.kind not in "biuf" or not fits or not (np.isfinite(array).all() and (array >= 0).all()):
        each = "one for each direction" if size is None else f"({size},)"
        got = shortened(repr(x), LONGEST_NAME)
        raise InputError(f"{name} must be a number or {each}, finite and not negative; got {got}")
    return float(array) if array.ndim == 0 else tuple(array.astype(float).tolist())


def matrix(name: str, x: Any, size: int, definite: bool, of: str) -> Float:
    """A symmetric matrix (size, size) of a number, a diagonal or a matrix, positive (semi-)definite; `of` says of what.

    >>> matrix("Q", [1.0, 2.0], 2, True, "the states")
    array([[1., 0.],
           [0., 2.]])
    """
    array = plain_array(name, x)
    if array.dtype.kind not in "biuf" or array.shape not in ((), (size,), (size, size)):
        raise InputError(f"{name} must be a number, ({size},) or ({size}, {size}), for {of}; got shape {array.shape}")
    W = array.astype(float)
    W = W if W.ndim == 2 else np.diag(np.broadcast_to(W, (size,)))
    if not np.isfinite(W).all() or not np.allclose(W, W.T, rtol=1e-10, atol=0.0):
        raise InputError(f"{name} must be finite and symmetric")
    least, most = np.linalg.eigvalsh(W)[[0, -1]] if size else (1.0, 1.0)
    if least < -1e-12 * max(most, 1e-300) or (definite and least <= 1e-14 * most):
        kind = "positive definite" if definite else "positive semidefinite"
        raise InputError(f"{name} must be {kind}; its least eigenvalue is {least:.3g}")
    return (W + W.T) / 2.0
