"""Actuators: gears of zero, servos of positions without a range, controls of keyframes beyond their range."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...model import Actuator
from ...model.model import Model
from .finding import Finding


def actuators(model: Model) -> Iterator[Finding]:
    """What is odd about actuators, each by itself."""
    idle = [x.name for x in model.actuators if not any(np.any(gear.ratio) for gear in x.gears)]
    if idle:
        yield Finding(
            "warning",
            "gear of zero",
            tuple(idle),
            "the gears of these actuators are zero",
            "their controls move nothing",
            "give them a gear (MJCF: gear), or take them out",
        )
    unbounded = [x.name for x in model.actuators if _is_servo(x) and not np.isfinite(x.control_range).any()]
    if unbounded:
        yield Finding(
            "note",
            "no control range",
            tuple(unbounded),
            "these servos of positions have no range of controls",
            "a control far from the joint asks for a force without bounds, as after a slip of units",
            "give them one, such as that of the joint (MJCF: ctrlrange, inheritrange), or a range of forces",
        )


def keyframes(model: Model) -> Iterator[Finding]:
    """Controls of keyframes that are beyond the ranges of their actuators."""
    ranges = np.array([x.control_range for x in model.actuators]).reshape(-1, 2)
    beyond = [x for x in model.keyframes if np.any((x.control < ranges[:, 0]) | (x.control > ranges[:, 1]))]
    if beyond:
        x = beyond[0]
        k = int(np.argmax((x.control < ranges[:, 0]) | (x.control > ranges[:, 1])))
        yield Finding(
            "warning",
            "control beyond its range",
            tuple(x.name for x in beyond),
            f"keyframe {x.name!r} has {x.control[k]:g} for actuator {model.actuators[k].name!r}, whose controls are "
            f"from {ranges[k, 0]:g} to {ranges[k, 1]:g}",
            "the actuator takes the bound instead, and may not hold the robot there",
            "write a control within the range",
        )


def _is_servo(x: Actuator) -> bool:
    """Whether the control is a length that is held."""
    return bool(x.gain[0] > 0.0 and x.bias[1] == -x.gain[0] and not np.isfinite(x.force_range).all())
