"""Motions that are best by some measure: trajectory optimisation, optimal control, regulators, time scaling."""

from ..support.elsewhere import missing
from .region import Region
from .regulator import Regulator, lqr
from .timing import TimeScaling, time_scaling
from .tracker import Tracker, tvlqr

__all__: list[str] = ["Region", "Regulator", "TimeScaling", "Tracker", "lqr", "time_scaling", "tvlqr"]

__getattr__ = missing(__name__, {}, "kt.motion")
