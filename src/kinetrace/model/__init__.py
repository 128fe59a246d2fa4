"""Robots as data: joints, the frozen model, its builder, loaders and the bundled robots."""

from . import joints, parameters, zoo
from .body import WORLD, Body, Frame, Geometry, Limits, Mimic
from .builder import Builder
from .load import from_dh, from_screws, from_urdf, load_model
from .model import Model
from .zoo.general import generalised
from .zoo.random import random_chain, random_mdh_chain, random_tree

__all__ = [
    "WORLD",
    "Body",
    "Builder",
    "Frame",
    "Geometry",
    "Limits",
    "Mimic",
    "Model",
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
