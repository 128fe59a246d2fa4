"""Robots and kernels under JAX: the public name of `kinetrace.frameworks.jax`."""

import sys
from typing import TYPE_CHECKING

from .frameworks import jax as _module

if TYPE_CHECKING:
    from .frameworks.jax import *  # noqa: F403
sys.modules[__name__] = _module
