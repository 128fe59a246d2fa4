"""Poses in URDF."""

from __future__ import annotations

import numpy as np

from ....arrays import Array
from ....errors import ModelError
from ....lie import se3, so3
from ...checks import direction
from ..xml import Element


def origin_of(element: Element, *, harmless: bool = False) -> Array:
    """The pose (4, 4) that an element's <origin> gives; identity without one."""
    origin = element.find("origin", first=harmless, harmless=harmless)
    if origin is None:
        return np.eye(4)
    p = origin.numbers("xyz", 3, (0.0, 0.0, 0.0))
    if "quat_xyzw" not in origin.attributes:
        return se3.pose(so3.from_rpy(origin.numbers("rpy", 3, (0.0, 0.0, 0.0))), p)
    if "rpy" in origin.attributes:
        raise origin.error("give either 'rpy' or 'quat_xyzw', not both")
    quaternion = np.roll(origin.numbers("quat_xyzw", 4, bounded=False), 1)
    try:
        return se3.pose(so3.from_quaternion(direction(quaternion, "attribute 'quat_xyzw'")), p)
    except ModelError as error:
        raise origin.error(error.problem) from None
