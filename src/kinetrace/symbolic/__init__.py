"""Functions of small robots as formulas of SymPy, for papers and for teaching; `Robot.symbolic` makes them."""

from __future__ import annotations

from ..support.public_names import listing as _listing
from .formulas import Symbolic

__all__ = ["Symbolic"]

__dir__ = _listing(__name__)
