"""Identification: which inertial parameters joint forces tell, and their values from measured motions."""

from ..support.elsewhere import missing
from .base_parameters import BaseParameters, base_parameters
from .fit import Fit, fit

__all__ = ["BaseParameters", "Fit", "base_parameters", "fit"]

__getattr__ = missing(__name__, {}, "kt.identify")
