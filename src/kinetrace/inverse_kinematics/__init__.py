"""Kinematics for use: configurations that bring frames to goals, steps towards them, and what a robot can reach."""

from .problem import SearchOptions
from .reachable_poses import Reachability, reachability
from .results import InverseKinematics
from .search import inverse_kinematics
from .velocity_step import InverseVelocity, StepOptions, inverse_velocity

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
