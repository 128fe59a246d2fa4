"""The papers' block matrices of one state: the public name of `kinetrace.algorithms.operators`."""

import sys
from typing import TYPE_CHECKING

from .algorithms import operators as _module

if TYPE_CHECKING:
    from .algorithms.operators import *  # noqa: F403
sys.modules[__name__] = _module
