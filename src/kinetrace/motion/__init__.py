"""Motions that are best by some measure: trajectory optimisation, optimal control, regulators, time scaling."""

from ..support.elsewhere import missing

__all__: list[str] = []

__getattr__ = missing(__name__, {}, "kt.motion")
