"""Motions as functions of time: splines, and what users give where a motion is wanted."""

from .reference import ReferenceMotion, motion_of
from .spline import Spline

__all__ = ["ReferenceMotion", "Spline", "motion_of"]
