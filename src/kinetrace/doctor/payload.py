"""Payloads that are plausible in other units only, beside the robot that is to carry them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..model.model import Model
from .finding import mass_of
from .units import SHORTEST, length_of

HEAVY, LEAST = 10.0, 20.0
"""A payload of more times the robot's mass, and of more kg, is probably in grams: 20 g is little for a payload."""
FAR, AWAY = 10.0, 5.0
"""A centre of mass more times the robot's length away, and more m, is probably in millimetres."""


def doubts(model: Model, mass: Any, com: Any) -> Iterator[str]:
    """What is odd about the mass [kg] and the centre (3,) [m] of a payload; nothing about a robot without mass.

    >>> import kinetrace as kt
    >>> list(doubts(kt.load("planar2r").model, 2000.0, [0.0, 0.0, 0.1]))[0].partition(";")[0]
    "payload: 2000 kg are 1000 times the mass of all moving links of 'planar2r', 2 kg"
    """
    total = sum(found.mass for body in model.bodies if (found := mass_of(body)) is not None)
    if total > 0.0 and mass > max(HEAVY * total, LEAST):
        yield (
            f"payload: {mass:g} kg are {mass / total:.0f} times the mass of all moving links of {model.name!r}, "
            f"{total:.3g} kg; masses are in kg: give {mass / 1e3:g} if it is {mass:g} g (check='ignore' keeps it)"
        )
    away, length = float(np.linalg.norm(com)), max(length_of(model), SHORTEST)
    if away > max(FAR * length, AWAY):
        yield (
            f"payload: com is {away:.3g} m from the frame, and {model.name!r} is {length:.2g} m long; lengths are in "
            f"m: give {(np.asarray(com, dtype=float) / 1e3).tolist()} if they are mm (check='ignore' keeps it)"
        )
