"""Design of robots by gradients: parameters of a model that are best for an objective."""

from typing import TYPE_CHECKING

from ..support.public_names import listing as _listing
from ..support.public_names import missing as _missing
from .objectives import Objective, curvature, effort, isotropy, largest_torque, manipulability
from .search import Design, Requirement, improve, made
from .variables import Center, Custom, Effect, Length, Mass, Mount, PointMass, Variable

__all__: list[str] = [
    "Center",
    "Custom",
    "Design",
    "Effect",
    "Length",
    "Mass",
    "Mount",
    "Objective",
    "PointMass",
    "Requirement",
    "Variable",
    "curvature",
    "effort",
    "improve",
    "isotropy",
    "largest_torque",
    "made",
    "manipulability",
]

if not TYPE_CHECKING:  # for type checkers there is nothing but what is declared
    __getattr__ = _missing(__name__, "kt.design")

__dir__ = _listing(__name__)
