"""`Robot`: a model with its compiled functions. Methods are grouped by subject; `dispatch` finds their kernels."""

from .robot import Robot

__all__ = ["Robot"]
