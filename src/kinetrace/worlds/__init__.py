"""Worlds: what robots stand on and meet, and scenes of both.

objects     boxes, balls, height fields, other robots: fixed or free
world       `World`: the ground, objects, which pairs may touch, friction
pairs       which shapes may touch
laws        how they touch
scene       a robot and a world as one robot
checks      what is told before anything runs
"""

from ..model.contact import ContactLaw, Surface
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
