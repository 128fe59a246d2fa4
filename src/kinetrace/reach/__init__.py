"""Kinematics for use: configurations that bring frames to goals, steps towards them, and what a robot can reach."""

from .result import InverseKinematics
from .solve import Options, inverse_kinematics

__all__ = ["InverseKinematics", "Options", "inverse_kinematics"]
