"""Motions that are best by some measure: trajectory optimisation, optimal control, regulators, time scaling."""

from ..support.elsewhere import missing
from .costs import EffortCost, StateCost, TipCost
from .optimal_control import OptimalControl
from .region import Region
from .regulator import Regulator, lqr
from .solution import OptimalControlSolution
from .timing import TimeScaling, time_scaling
from .tracker import Tracker, tvlqr

__all__ = [
    "EffortCost",
    "OptimalControl",
    "OptimalControlSolution",
    "Region",
    "Regulator",
    "StateCost",
    "TimeScaling",
    "TipCost",
    "Tracker",
    "lqr",
    "time_scaling",
    "tvlqr",
]

__getattr__ = missing(__name__, {}, "kt.motion")
