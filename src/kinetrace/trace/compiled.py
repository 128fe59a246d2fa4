"""Programs that can be called, whatever compiled them."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy.typing as npt

from .program import Program


@runtime_checkable
class Compiled(Protocol):
    """A program that can be called with arrays of any batch shape; a `Kernel` is one."""

    @property
    def program(self) -> Program:
        """What it computes."""

    def __call__(self, *arrays: npt.ArrayLike, threads: int | None = None) -> Any:
        """Its results, an array or a tuple of arrays."""
