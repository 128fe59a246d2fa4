"""Motions as functions of time: splines, and what users give where a motion is wanted."""

from .reference import Motion, motion_of
from .spline import Spline

__all__ = ["Motion", "Spline", "motion_of"]
