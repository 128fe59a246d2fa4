"""Kinematics for use: configurations that bring frames to goals, steps towards them, and what a robot can reach."""

from .problem import SearchOptions
from .result import InverseKinematics
from .samples import Reachability, reachability
from .solve import inverse_kinematics
from .velocity import InverseVelocity, StepOptions, inverse_velocity

__all__ = [
    "InverseKinematics",
    "InverseVelocity",
    "Reachability",
    "SearchOptions",
    "StepOptions",
    "inverse_kinematics",
    "inverse_velocity",
    "reachability",
]
