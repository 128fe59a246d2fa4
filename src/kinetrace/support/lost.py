"""What NumPy would lose of an array of another library: that it is on another device, its tangents, its units."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

_ON_HOST = frozenset((1, 3, 11, 13))
"""Types of devices of DLPack whose memory the processor can read: its own, and those that are shared with a GPU."""
_DEVICES = {2: "a GPU (CUDA)", 10: "a GPU (ROCm)", 8: "a GPU (Metal)", 7: "a GPU (Vulkan)", 14: "a GPU (oneAPI)"}
_UNITS = ("to_value", "magnitude")
"""What quantities of Astropy, unyt and Pint have."""


def lost(x: Any) -> str:
    """What would be lost and what to do, behind the name of the array; empty if nothing is.

    >>> lost(np.zeros(2)), lost([1.0])
    ('', '')
    """
    kind = type(x)
    if any(hasattr(kind, name) for name in _UNITS) and hasattr(x, "__array__"):
        unit = getattr(x, "unit", None) or getattr(x, "units", "")
        return f"has units ({unit}), which arrays of NumPy have not: pass its numbers in SI units, rad, m, N, s and kg"
    if isinstance(x, np.ndarray):
        return ""
    device = _device(x)
    if device:
        host = "x.get()" if hasattr(x, "get") else "x.cpu()" if hasattr(x, "cpu") else "np.array(x)"
        return f"is on {device}; kernels run on the processor: pass a copy ({host}), or take kt.cuda.function"
    torch = sys.modules.get("torch")
    if (
        torch is not None
        and isinstance(x, torch.Tensor)
        and torch.autograd.forward_ad.unpack_dual(x).tangent is not None
    ):
        return f"is a tensor with a tangent, which would be lost: {TORCH}"
    return ""


TORCH = "kt.torch.Robot(robot) and kt.torch.function take tensors, with gradients"


def _device(x: Any) -> str:
    """The device that is not the processor on which an array is."""
    if _has(x, "__cuda_array_interface__"):
        return _named(x, 2)
    try:
        kind = int(x.__dlpack_device__()[0])
    except Exception:  # it has no such method, or is on several devices
        return ""
    return "" if kind in _ON_HOST else _named(x, kind)


def _named(x: Any, kind: int) -> str:
    name = str(getattr(x, "device", "")).strip("<>")
    return f"{_DEVICES.get(kind, f'device {kind} of DLPack')}{name and f': {name}'}"


def _has(x: Any, attribute: str) -> bool:
    try:
        return hasattr(x, attribute)
    except Exception:  # some raise errors of their own
        return False
