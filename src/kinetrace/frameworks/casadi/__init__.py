"""Robots and kernels as functions of CasADi, with exact derivatives."""

from ...support.public_names import listing as _listing
from .function import external, function, source, sx
from .robot import CasadiRobot as Robot

__all__ = ["Robot", "external", "function", "source", "sx"]

__dir__ = _listing(__name__)
