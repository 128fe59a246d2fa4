"""Robot dynamics: each recursion of the literature written once, traced per robot, compiled to a NumPy gufunc.

>>> import numpy as np, kinetrace as kt
>>> robot = kt.load("panda")
>>> q = robot.random(1000, seed=0)
>>> robot.inverse_dynamics(q, np.zeros((1000, 7)), np.zeros((1000, 7))).shape
(1000, 7)
"""

from __future__ import annotations

from .engine.cache import fingerprints as _fingerprints  # noqa: F401  first: it looks at the sources before they are imported

# isort: split
from typing import TYPE_CHECKING
from typing import Any as _Any
from warnings import warn as _warn

from . import algorithms, arrays, closures, joints, lie, linalg
from .engine.compilation.compile import compile
from .engine.derivative import hessian, jacobian, jvp, sparsity, vjp
from .engine.runtime.kernel import Kernel
from .engine.trace import CompactLayout, OpCount
from .errors import (
    InputError,
    KinetraceError,
    LimitWarning,
    MissingPackageError,
    ModelError,
    ModelWarning,
    PhysicsWarning,
    SimulationWarning,
)
from .model import Actuator, JointEffects, Limits, Model
from .model.build.builder import Builder
from .model.zoo import names as robot_names
from .robot import Robot
from .robot.load import from_dh, from_screws, load, random_chain, random_tree
from .support.public_names import explain_former_modules as _explain_former_modules
from .support.public_names import listing as _listing
from .support.public_names import missing as _missing_of
from .support.threads import import_in_call as _imported

if TYPE_CHECKING:
    from . import control, design, identify, interop, motion, symbolic, worlds
    from .algorithms import operators
    from .frameworks import casadi, cluster, cuda, jax, torch
    from .inverse_kinematics import InverseKinematics, InverseVelocity, Reachability
    from .simulation import Trajectory
    from .worlds import World

__version__ = "0.1.0"

__all__ = [
    "Actuator",
    "Builder",
    "CompactLayout",
    "InputError",
    "InverseKinematics",
    "InverseVelocity",
    "JointEffects",
    "Kernel",
    "KinetraceError",
    "LimitWarning",
    "Limits",
    "MissingPackageError",
    "Model",
    "ModelError",
    "ModelWarning",
    "OpCount",
    "PhysicsWarning",
    "Reachability",
    "Robot",
    "SimulationWarning",
    "Trajectory",
    "World",
    "algorithms",
    "arrays",
    "casadi",
    "closures",
    "cluster",
    "compile",
    "control",
    "cuda",
    "design",
    "from_dh",
    "from_screws",
    "hessian",
    "identify",
    "interop",
    "jacobian",
    "jax",
    "joints",
    "jvp",
    "lie",
    "linalg",
    "load",
    "motion",
    "operators",
    "random_chain",
    "random_tree",
    "robot_names",
    "sparsity",
    "symbolic",
    "torch",
    "vjp",
    "worlds",
]

__dir__ = _listing(__name__)


_LATER = (
    *("casadi", "cluster", "control", "cuda", "design", "identify", "interop", "jax", "motion", "operators"),
    *("symbolic", "torch", "worlds"),
)
"""Modules that are imported when they are first asked for."""
_CLASSES = {
    "InverseKinematics": "inverse_kinematics",
    "InverseVelocity": "inverse_kinematics",
    "Reachability": "inverse_kinematics",
    "Trajectory": "simulation",
    "World": "worlds",
}
"""Classes of results → their modules, which are imported when they are first asked for."""
_missing = _missing_of(__name__, "kt")
_explain_former_modules()


_RENAMED = {"Layout": "CompactLayout"}
"""Old names, which still work in this version."""

if not TYPE_CHECKING:  # for type checkers there is nothing but what is declared

    def __getattr__(name: str) -> _Any:
        if name in _RENAMED:
            _warn(f"kt.{name} is now called kt.{_RENAMED[name]}", DeprecationWarning, stacklevel=2)
            return globals()[_RENAMED[name]]
        if name in _CLASSES:
            return getattr(_imported(f"{__name__}.{_CLASSES[name]}"), name)
        return _imported(f"{__name__}.{name}") if name in _LATER else _missing(name)
