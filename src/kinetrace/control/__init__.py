"""Controllers: laws of joint forces that run alone, inside simulations and as generated code."""

from ..support.elsewhere import missing
from .combination import sampled, saturated
from .controller import Controller
from .friction import friction_compensation
from .impedance import cartesian_impedance
from .joint_space import computed_torque, gravity_compensation, joint_impedance, pd
from .reference import held
from .task_space import operational_space

__all__ = [
    "Controller",
    "cartesian_impedance",
    "computed_torque",
    "friction_compensation",
    "gravity_compensation",
    "held",
    "joint_impedance",
    "operational_space",
    "pd",
    "sampled",
    "saturated",
]

__getattr__ = missing(__name__, {}, "kt.control")
