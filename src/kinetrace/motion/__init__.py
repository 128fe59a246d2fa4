"""Motions that are best by some measure: trajectory optimisation, optimal control, regulators, time scaling."""

from ..support.elsewhere import missing
from .spline import Spline

__all__ = ["Spline"]

__getattr__ = missing(__name__, {}, "kt.motion")
