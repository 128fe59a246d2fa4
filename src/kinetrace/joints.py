"""Joints, one class each: the public name of `kinetrace.model.joints`."""

import sys
from typing import TYPE_CHECKING

from .model import joints as _module

if TYPE_CHECKING:
    from .model.joints import *  # noqa: F403
sys.modules[__name__] = _module
