"""Contacts of a finger, B, with an object, A, by what they transmit: Rodriguez and Kreutz (1988), Part II, Appendix A.

A sits on the object's surface, its axis `normal` pointing out of the object; B sits on the fingertip.
"""

from __future__ import annotations

from typing import Any

from .base import Constraint, Together
from .constant import Attitude, Point
from .moving import Spin, Surface

_UP = (0.0, 0.0, 1.0)


def FrictionlessPoint(normal: Any = _UP) -> Constraint:
    """A point that slides on the object's tangent plane: a force along the normal, nothing else.

    >>> FrictionlessPoint().transmits
    ('force along the normal',)
    """
    return Surface(normal)


def HardFinger() -> Constraint:
    """A point with friction: a force in any direction, no moment.

    >>> HardFinger().size
    3
    """
    return Point()


def SoftFinger(normal: Any = _UP) -> Constraint:
    """A patch with friction: a force in any direction, and a moment about the normal.

    >>> SoftFinger().transmits[-1]
    'moment about the normal'
    """
    return Together((Point(), Spin(normal)))


def Rigid() -> Constraint:
    """A firm grasp: any wrench.

    >>> Rigid().size
    6
    """
    return Together((Attitude(), Point()))
