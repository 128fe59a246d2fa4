"""Motions in time: simulation in equal or adaptive steps, and the trajectories that result."""

from .contact import scenes
from .integration import rollout, rollout_derivatives, simulate
from .metadata import Event, Excess, MotionFailure
from .request import SimulationRequest
from .trajectory import Trajectory

__all__ = [
    "Event",
    "Excess",
    "MotionFailure",
    "SimulationRequest",
    "Trajectory",
    "rollout",
    "rollout_derivatives",
    "scenes",
    "simulate",
]
