"""Controllers: laws of joint forces that run alone, inside simulations and as generated code."""

from ..support.elsewhere import missing

__all__: list[str] = []

__getattr__ = missing(__name__, {}, "kt.control")
