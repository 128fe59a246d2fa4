"""Motions that are best by some measure: trajectory optimisation, optimal control, regulators, time scaling."""

from typing import TYPE_CHECKING

from ..support.public_names import listing as _listing
from ..support.public_names import missing as _missing
from .feedback.region import RegionOfAttraction as Region
from .feedback.regulator import Regulator, lqr
from .feedback.tracker import Tracker, tvlqr
from .shooting.costs import EffortCost, StateCost, TipCost
from .shooting.optimal_control import OptimalControl
from .shooting.solution import OptimalControlSolution
from .splines import Spline
from .timing.scaling import TimeScaling, time_scaling
from .transcription.constraints import MotionConstraint as Constraint
from .transcription.constraints import (
    keep_clear,
    keep_on_line,
    keep_on_path,
    keep_on_plane,
    keep_on_surface,
    keep_orientation,
    reach_pose,
    reach_position,
)
from .transcription.optimal_motions import (
    geodesic,
    minimum_effort,
    minimum_energy,
    minimum_jerk,
    minimum_time,
    optimise,
)
from .transcription.result import OptimalMotion

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

if not TYPE_CHECKING:  # for type checkers there is nothing but what is declared
    __getattr__ = _missing(__name__, "kt.motion")

__dir__ = _listing(__name__)
