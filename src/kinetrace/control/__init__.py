"""Controllers: laws of joint forces that run alone, inside simulations and as generated code."""

from typing import TYPE_CHECKING

from ..support.public_names import listing as _listing
from ..support.public_names import missing as _missing
from .adaptive_tracking import adaptive
from .compose import observed, sampled, saturated
from .controller import Controller
from .friction import friction_compensation
from .impedance import cartesian_impedance
from .joint_space import computed_torque, gravity_compensation, joint_impedance, pd
from .observer import Observer, collision_time, momentum_observer
from .quasivelocity import quasivelocity_damping, quasivelocity_tracking
from .reference import held
from .task_space import operational_space
from .tracking import passivity_based

__all__ = [
    "Controller",
    "Observer",
    "adaptive",
    "cartesian_impedance",
    "collision_time",
    "computed_torque",
    "friction_compensation",
    "gravity_compensation",
    "held",
    "joint_impedance",
    "momentum_observer",
    "observed",
    "operational_space",
    "passivity_based",
    "pd",
    "quasivelocity_damping",
    "quasivelocity_tracking",
    "sampled",
    "saturated",
]

if not TYPE_CHECKING:  # for type checkers there is nothing but what is declared
    __getattr__ = _missing(__name__, "kt.control")

__dir__ = _listing(__name__)
