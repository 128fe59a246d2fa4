"""Identification: which inertial parameters joint forces tell, and their values from measured motions."""

from typing import TYPE_CHECKING

from ..support.public_names import listing as _listing
from ..support.public_names import missing as _missing
from .base_parameters import BaseParameters, base_parameters
from .excitation import exciting_motion
from .fitting import Fit, fit
from .fourier_motion import ExcitingMotion
from .identification import Comparison, Identification, identify
from .log import Log, read_log
from .payload_estimate import Payload, payload
from .pivot_accuracy import PivotErrors, pivot_errors
from .smoothing import Samples, smooth

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
