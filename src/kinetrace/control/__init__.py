"""Controllers: laws of joint forces that run alone, inside simulations and as generated code."""

from ..support.elsewhere import missing
from .adaptive import adaptive
from .controller import Controller
from .joint_space import pd
from .momentum import collision_time, momentum_observer
from .observed import observed
from .observer import Observer
from .passivity import passivity_based
from .quasivelocity import quasivelocity_damping, quasivelocity_tracking

__all__ = [
    "Controller",
    "Observer",
    "adaptive",
    "collision_time",
    "momentum_observer",
    "observed",
    "passivity_based",
    "pd",
    "quasivelocity_damping",
    "quasivelocity_tracking",
]

__getattr__ = missing(__name__, {}, "kt.control")
