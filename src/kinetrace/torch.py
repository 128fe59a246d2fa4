"""Robots and kernels under PyTorch: the public name of `kinetrace.frameworks.torch`."""

import sys
from typing import TYPE_CHECKING

from .frameworks import torch as _module

if TYPE_CHECKING:
    from .frameworks.torch import *  # noqa: F403
sys.modules[__name__] = _module
