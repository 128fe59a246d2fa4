"""Motions that are best by some measure: trajectory optimisation, optimal control, regulators, time scaling."""

from ..support.elsewhere import missing
from .costs import EffortCost, StateCost, TipCost
from .optimal_control import OptimalControl
from .solution import OptimalControlSolution

__all__ = ["EffortCost", "OptimalControl", "OptimalControlSolution", "StateCost", "TipCost"]

__getattr__ = missing(__name__, {}, "kt.motion")
