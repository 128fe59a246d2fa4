"""Robots and kernels on a GPU: generated CUDA, compiled and launched by CuPy, one launch per batch."""

from __future__ import annotations

from ...support.public_names import listing as _listing
from .launch import CudaRobot as Robot
from .launch import function, source

__all__ = ["Robot", "function", "source"]

__dir__ = _listing(__name__)
