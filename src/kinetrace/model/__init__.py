"""Robots as data: joints, the frozen model, its builder, loaders and the bundled robots."""

from . import closures, joints, parameters, zoo
from .actuation.records import Actuator, Gear, Keyframe
from .body import WORLD, Body, Frame, Geometry, Limits, Mesh, Mimic
from .build.builder import Builder
from .closures import Assembly, Closure
from .effects.joint_effects import JointEffects
from .effects.link_effects import Fluid, LinkEffects
from .elimination import EliminationTree, elimination_tree
from .files.load import from_dh, from_screws, from_urdf, load_model
from .model import Model
from .zoo.random import generalised, random_chain, random_mdh_chain, random_tree

__all__ = [
    "WORLD",
    "Actuator",
    "Assembly",
    "Body",
    "Builder",
    "Closure",
    "EliminationTree",
    "Fluid",
    "Frame",
    "Gear",
    "Geometry",
    "JointEffects",
    "Keyframe",
    "Limits",
    "LinkEffects",
    "Mesh",
    "Mimic",
    "Model",
    "closures",
    "elimination_tree",
    "from_dh",
    "from_screws",
    "from_urdf",
    "generalised",
    "joints",
    "load_model",
    "parameters",
    "random_chain",
    "random_mdh_chain",
    "random_tree",
    "zoo",
]
