"""Identification: which inertial parameters joint forces tell, and their values from measured motions."""

from typing import TYPE_CHECKING

from ..support.public import listing as _listing
from ..support.public import missing as _missing
from .base_parameters import BaseParameters, base_parameters
from .excite import exciting_motion
from .exciting import ExcitingMotion
from .fit import Fit, fit
from .identification import Comparison, Identification, identify
from .log import Log, read_log
from .payload import Payload, payload
from .pivots import PivotErrors, pivot_errors
from .smooth import Samples, smooth

__all__ = [
    "BaseParameters",
    "Comparison",
    "ExcitingMotion",
    "Fit",
    "Identification",
    "Log",
    "Payload",
    "PivotErrors",
    "Samples",
    "base_parameters",
    "exciting_motion",
    "fit",
    "identify",
    "payload",
    "pivot_errors",
    "read_log",
    "smooth",
]

if not TYPE_CHECKING:  # for type checkers there is nothing but what is declared
    __getattr__ = _missing(__name__, "kt.identify")

__dir__ = _listing(__name__)
