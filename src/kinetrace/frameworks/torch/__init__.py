"""Robots and kernels under PyTorch: autograd, torch.func, torch.compile, torch.export, modules that learn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...support.optional import absent as _absent
from ...support.public_names import listing as _listing

__all__ = ["Function", "Robot", "function"]

_missing = _absent("torch", "kinetrace.torch", "torch", __all__)
if _missing is None or TYPE_CHECKING:
    from .function import TorchFunction as Function
    from .function import function
    from .robot import TorchRobot as Robot
else:
    __getattr__ = _missing

__dir__ = _listing(__name__)
