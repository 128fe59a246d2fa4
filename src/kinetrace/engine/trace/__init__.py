"""Tracing: from a function of arrays to a line of scalar operations, and loops in it."""

from .expr import Expr, Graph
from .layout import CompactLayout
from .ops import OpCount
from .program import Argument, CompiledProgram, Program, trace
from .readers.checker import check
from .stages import Recorder, Stage

__all__ = [
    "Argument",
    "CompactLayout",
    "CompiledProgram",
    "Expr",
    "Graph",
    "OpCount",
    "Program",
    "Recorder",
    "Stage",
    "check",
    "trace",
]
