"""Robots and kernels over Dask: the public name of `kinetrace.frameworks.cluster`."""

import sys
from typing import TYPE_CHECKING

from .frameworks import cluster as _module

if TYPE_CHECKING:
    from .frameworks.cluster import *  # noqa: F403
sys.modules[__name__] = _module
