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
from .costs import EffortCost, StateCost, TipCost
from .optimal import geodesic, minimum_effort, minimum_energy, minimum_jerk, minimum_time, optimise
from .optimal_control import OptimalControl
from .region import Region
from .regulator import Regulator, lqr
from .result import OptimalMotion
from .solution import OptimalControlSolution
from .spline import Spline
from .timing import TimeScaling, time_scaling
from .tracker import Tracker, tvlqr

__all__ = [
    "Constraint",
    "EffortCost",
    "OptimalControl",
    "OptimalControlSolution",
    "OptimalMotion",
    "Region",
    "Regulator",
    "Spline",
    "StateCost",
    "TimeScaling",
    "TipCost",
    "Tracker",
    "geodesic",
    "keep_clear",
    "keep_on_line",
    "keep_on_path",
    "keep_on_plane",
    "keep_on_surface",
    "keep_orientation",
    "lqr",
    "minimum_effort",
    "minimum_energy",
    "minimum_jerk",
    "minimum_time",
    "optimise",
    "reach_pose",
    "reach_position",
    "time_scaling",
    "tvlqr",
]

__getattr__ = missing(__name__, {}, "kt.motion")
