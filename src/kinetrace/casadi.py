"""Functions and robots of CasADi: the public name of `kinetrace.frameworks.casadi`."""

import sys
from typing import TYPE_CHECKING

from .frameworks import casadi as _module

if TYPE_CHECKING:
    from .frameworks.casadi import *  # noqa: F403
sys.modules[__name__] = _module
