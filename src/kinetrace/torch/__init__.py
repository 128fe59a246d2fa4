"""Robots and kernels under PyTorch: autograd, torch.func, torch.compile, torch.export, modules that learn."""

from __future__ import annotations

from ..support.optional import needed

needed("torch", "kinetrace.torch", "torch")

from .function import Function, function  # noqa: E402  (these import torch)
from .robot import Robot  # noqa: E402

__all__ = ["Function", "Robot", "function"]
