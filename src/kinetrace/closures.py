"""Descriptions of closed loops: the public name of `kinetrace.model.closures`."""

import sys
from typing import TYPE_CHECKING

from .model import closures as _module

if TYPE_CHECKING:
    from .model.closures import *  # noqa: F403
sys.modules[__name__] = _module
