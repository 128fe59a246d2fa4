"""Tracing: from a function of arrays to a straight line of scalar operations."""

from .count import OpCount
from .expr import Expr, Graph
from .program import Argument, Program, trace

__all__ = ["Argument", "Expr", "Graph", "OpCount", "Program", "trace"]
