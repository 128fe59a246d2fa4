"""Motions that are best by some measure: trajectory optimisation, optimal control, regulators, time scaling."""

from ..support.elsewhere import missing
from .constraints import (
    Constraint,
    keep_clear,
    keep_on_line,
    keep_on_path,
    keep_on_plane,
    keep_on_surface,
    keep_orientation,
    reach_pose,
    reach_position,
)
from .optimal import geodesic, minimum_effort, minimum_energy, minimum_jerk, minimum_time, optimise
from .result import OptimalMotion
from .spline import Spline

__all__ = [
    "Constraint",
    "OptimalMotion",
    "Spline",
    "geodesic",
    "keep_clear",
    "keep_on_line",
    "keep_on_path",
    "keep_on_plane",
    "keep_on_surface",
    "keep_orientation",
    "minimum_effort",
    "minimum_energy",
    "minimum_jerk",
    "minimum_time",
    "optimise",
    "reach_pose",
    "reach_position",
]

__getattr__ = missing(__name__, {}, "kt.motion")
