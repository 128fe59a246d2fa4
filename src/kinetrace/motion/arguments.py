"""Limits and weights of motions as users give them, checked, in one form.

Of limits of positions, velocities, accelerations and joint forces, True stands for those of the robot and False for
none; otherwise limits are sizes, a number or one for each entry, or a tuple (lower, upper) of numbers or arrays.
Infinite ones are none. Weights of costs are diagonals and matrices.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import LONGEST_NAME, InputError, shorten
from ..robot import Robot
from ..support.conversion import as_array

Float = npt.NDArray[np.float64]


def bounds_of(robot: Robot, name: str, given: Any) -> tuple[Float, Float]:
    """Lower and upper bounds of "position" (nq,), "velocity", "acceleration" or "effort" (nv,).

    >>> import kinetrace as kt
    >>> bounds_of(kt.load("planar2r"), "velocity", [1.0, 2.0])
    (array([-1., -2.]), array([1., 2.]))
    """
    size = robot.nq if name == "position" else robot.nv
    if isinstance(given, bool | np.bool_):
        lower, upper = _own(robot, name) if given else (np.full(size, -np.inf), np.full(size, np.inf))
        return np.array(lower, dtype=float), np.array(upper, dtype=float)
    arrays = [as_array(name, x) for x in (given if isinstance(given, tuple) and len(given) == 2 else (given,))]
    fits = all(x.dtype.kind in "iuf" and not np.isnan(x).any() and x.shape in ((), (size,)) for x in arrays)
    if fits and (len(arrays) == 2 or (name != "position" and (arrays[0] >= 0).all())):
        upper = np.array(np.broadcast_to(arrays[-1], (size,)), dtype=float)
        lower = np.array(np.broadcast_to(arrays[0], (size,)), dtype=float) if len(arrays) == 2 else -upper
        if (lower <= upper).all():
            return lower, upper
        raise InputError(f"{name}: lower limits must not exceed upper ones, got {shorten(repr(given))}")
    sizes = "" if name == "position" else f"sizes ≥ 0, a number or ({size},), "
    wanted = f"True (the robot's), False (none), {sizes}or a tuple (lower, upper) of numbers or ({size},)"
    raise InputError(f"{name} must be {wanted}; got {shorten(repr(given), LONGEST_NAME)}")


def sizes_of(robot: Robot, name: str, given: Any) -> Float:
    """The same (nv,) where both directions have the same limit.

    >>> import kinetrace as kt
    >>> sizes_of(kt.load("planar2r"), "acceleration", True)
    array([inf, inf])
    """
    lower, upper = bounds_of(robot, name, given)
    if not (lower == -upper).all():
        raise InputError(f"{name}: limits are the same in both directions here; give sizes, as a number or an array")
    return upper


def _own(robot: Robot, name: str) -> tuple[Float, Float]:
    """Those of the robot; accelerations have none."""
    bounds = robot.model.bounds
    if name == "position":
        return bounds.lower, bounds.upper
    most = {"velocity": bounds.velocity, "acceleration": np.full(robot.nv, np.inf), "effort": robot.limits.effort}[name]
    return -most, most


def diagonal(name: str, x: Any, size: int | None = None) -> float | tuple[float, ...]:
    """Weights that can be compared and pickled: a number, or one for each of `size` entries, or of any number of them.

    >>> diagonal("weight", [1, 2]), diagonal("weight", 1.0)
    ((1.0, 2.0), 1.0)
    """
    array = as_array(name, x)
    fits = array.ndim < 2 if size is None else array.shape in ((), (size,))
    if array.dtype.kind not in "biuf" or not fits or not (np.isfinite(array).all() and (array >= 0).all()):
        each = "one for each direction" if size is None else f"({size},)"
        got = shorten(repr(x), LONGEST_NAME)
        raise InputError(f"{name} must be a number or {each}, finite and not negative; got {got}")
    return float(array) if array.ndim == 0 else tuple(array.astype(float).tolist())


def matrix(name: str, x: Any, size: int, definite: bool, of: str) -> Float:
    """A symmetric matrix (size, size) of a number, a diagonal or a matrix, positive (semi-)definite; `of` says of what.

    >>> matrix("Q", [1.0, 2.0], 2, True, "the states")
    array([[1., 0.],
           [0., 2.]])
    """
    array = as_array(name, x)
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
