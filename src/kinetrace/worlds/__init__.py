"""Worlds: what robots stand on and meet, and scenes of both.

objects     boxes, balls, height fields, other robots: fixed or free
world       `World`: the ground, objects, which pairs may touch, friction
pairs       which shapes may touch
laws        how they touch
scene       a robot and a world as one robot
checks      what is told before anything runs
"""

from typing import TYPE_CHECKING

from ..model.contact import ContactLaw, Surface
from ..support.public_names import listing as _listing
from ..support.public_names import missing as _missing
from .objects import Box, Capsule, Cylinder, Ellipsoid, Heights, Hull, OtherRobot, Plane, Sphere
from .world import World

__all__ = [
    "Box",
    "Capsule",
    "ContactLaw",
    "Cylinder",
    "Ellipsoid",
    "Heights",
    "Hull",
    "OtherRobot",
    "Plane",
    "Sphere",
    "Surface",
    "World",
]

if not TYPE_CHECKING:  # for type checkers there is nothing but what is declared
    __getattr__ = _missing(__name__, "kt.worlds")

__dir__ = _listing(__name__)
