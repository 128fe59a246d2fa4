"""Design of robots by gradients: parameters of a model that are best for an objective."""

from ..support.elsewhere import missing
from .objectives import Objective, curvature, effort, isotropy, largest_torque, manipulability
from .search import Constraint, Design, made, optimise
from .variables import Center, Custom, Effect, Length, Mass, Mount, PointMass, Variable

__all__: list[str] = [
    "Center",
    "Constraint",
    "Custom",
    "Design",
    "Effect",
    "Length",
    "Mass",
    "Mount",
    "Objective",
    "PointMass",
    "Variable",
    "curvature",
    "effort",
    "isotropy",
    "largest_torque",
    "made",
    "manipulability",
    "optimise",
]

__getattr__ = missing(__name__, {}, "kt.design")


def __dir__() -> list[str]:
    return sorted([*__all__, *(name for name in globals() if name.startswith("__"))])
