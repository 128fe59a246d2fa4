"""Kernels on a GPU: the public name of `kinetrace.frameworks.cuda`."""

import sys
from typing import TYPE_CHECKING

from .frameworks import cuda as _module

if TYPE_CHECKING:
    from .frameworks.cuda import *  # noqa: F403
sys.modules[__name__] = _module
