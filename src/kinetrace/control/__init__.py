"""Controllers: laws of joint forces that run alone, inside simulations and as generated code."""

from ..support.elsewhere import missing
from .combination import sampled, saturated
from .controller import Controller
from .friction import friction_compensation
from .joint_space import computed_torque, gravity_compensation, joint_impedance, pd
from .reference import held

__all__ = [
    "Controller",
    "computed_torque",
    "friction_compensation",
    "gravity_compensation",
    "held",
    "joint_impedance",
    "pd",
    "sampled",
    "saturated",
]

__getattr__ = missing(__name__, {}, "kt.control")
