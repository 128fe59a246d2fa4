"""Tracing: from a function of arrays to a line of scalar operations, and loops in it."""

from .check import check
from .compiled import Compiled
from .count import OpCount
from .expr import Expr, Graph
from .layout import Layout
from .program import Argument, Program, trace
from .stages import Recorder, Stage

__all__ = [
    "Argument",
    "Compiled",
    "Expr",
    "Graph",
    "Layout",
    "OpCount",
    "Program",
    "Recorder",
    "Stage",
    "check",
    "trace",
]
