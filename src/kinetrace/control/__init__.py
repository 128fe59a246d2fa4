"""Controllers: laws of joint forces that run alone, inside simulations and as generated code."""

from ..support.elsewhere import missing
from .controller import Controller
from .joint_space import pd
from .passivity import passivity_based

__all__ = ["Controller", "passivity_based", "pd"]

__getattr__ = missing(__name__, {}, "kt.control")
