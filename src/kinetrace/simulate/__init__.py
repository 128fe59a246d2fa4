"""Motions in time: simulation in equal or adaptive steps, and the trajectories that result."""

from .around import Around
from .motion import rollout, rollout_derivatives, simulate
from .outcome import Event, Excess, Failure
from .trajectory import Trajectory

__all__ = ["Around", "Event", "Excess", "Failure", "Trajectory", "rollout", "rollout_derivatives", "simulate"]
