"""Motions in time: simulation in equal or adaptive steps, and the trajectories that result."""

from .around import StepKeywords
from .motion import rollout, rollout_derivatives, simulate
from .outcome import Event, Excess, Failure
from .request import SimulationRequest
from .trajectory import Trajectory

__all__ = [
    "Event",
    "Excess",
    "Failure",
    "SimulationRequest",
    "StepKeywords",
    "Trajectory",
    "rollout",
    "rollout_derivatives",
    "simulate",
]
