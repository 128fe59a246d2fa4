"""Limits of motions: what users give for positions, velocities, accelerations and joint forces, in one form.

Everywhere True stands for the limits of the robot and False for none; otherwise limits are sizes, a number or one for
each entry, or a tuple (lower, upper) of numbers or arrays. Infinite ones are none.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import LONGEST_NAME, InputError, shortened
from ..robot import Robot
from ..support.plain import plain_array

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
    arrays = [plain_array(name, x) for x in (given if isinstance(given, tuple) and len(given) == 2 else (given,))]
    fits = all(x.dtype.kind in "iuf" and not np.isnan(x).any() and x.shape in ((), (size,)) for x in arrays)
    if fits and (len(arrays) == 2 or (name != "position" and (arrays[0] >= 0).all())):
        upper = np.array(np.broadcast_to(arrays[-1], (size,)), dtype=float)
        lower = np.array(np.broadcast_to(arrays[0], (size,)), dtype=float) if len(arrays) == 2 else -upper
        if (lower <= upper).all():
            return lower, upper
        raise InputError(f"{name}: lower limits must not exceed upper ones, got {shortened(repr(given))}")
    sizes = "" if name == "position" else f"sizes ≥ 0, a number or ({size},), "
    wanted = f"True (the robot's), False (none), {sizes}or a tuple (lower, upper) of numbers or ({size},)"
    raise InputError(f"{name} must be {wanted}; got {shortened(repr(given), LONGEST_NAME)}")


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
