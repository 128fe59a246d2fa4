"""Controllers: laws of joint forces that run alone, inside simulations and as generated code."""

from ..support.elsewhere import missing
from .controller import Controller
from .joint_space import pd

__all__ = ["Controller", "pd"]

__getattr__ = missing(__name__, {}, "kt.control")
