"""Robots and kernels under JAX: jit, vmap, grad, scan, by XLA's foreign functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...support.optional import absent as _absent
from ...support.public_names import listing as _listing

__all__ = ["Function", "Robot", "function"]

_missing = _absent("jax", "kinetrace.jax", "jax", __all__)
if _missing is None or TYPE_CHECKING:
    from .calls import JaxFunction as Function
    from .calls import JaxRobot as Robot
    from .calls import function
else:
    __getattr__ = _missing

__dir__ = _listing(__name__)
