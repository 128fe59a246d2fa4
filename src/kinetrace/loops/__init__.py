"""Closed loops in numbers: configurations in which they are closed, and what they leave free to move."""

from .assembly import CLOSED, NEARLY, assembled, not_closed, projected_velocity, size_of
from .fitting import Fit, fitted, links_said
from .grasp import cones_at, contact_turns, contacts, in_contact_axes, least_forces
from .independence import check_independent
from .protocol import HasClosures, on_floats
from .structure import Mobility, analysed, mobility, reanalysed, with_motors

__all__ = [
    "CLOSED",
    "NEARLY",
    "Fit",
    "HasClosures",
    "Mobility",
    "analysed",
    "assembled",
    "check_independent",
    "cones_at",
    "contact_turns",
    "contacts",
    "fitted",
    "in_contact_axes",
    "least_forces",
    "links_said",
    "mobility",
    "not_closed",
    "on_floats",
    "projected_velocity",
    "reanalysed",
    "size_of",
    "with_motors",
]
