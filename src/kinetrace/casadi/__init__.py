"""Robots and kernels as functions of CasADi, with exact derivatives."""

from .function import external, function, source, sx
from .robot import Robot

__all__ = ["Robot", "external", "function", "source", "sx"]
