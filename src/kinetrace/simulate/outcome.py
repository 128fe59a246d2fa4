"""Events and failures of a motion."""

from __future__ import annotations

from typing import NamedTuple

from .protocol import Float


class Event(NamedTuple):
    """Zero of an event function of (t, q, v)."""

    name: str
    t: float
    q: Float
    v: Float


class Failure(NamedTuple):
    """Failure of a motion: its numbers ceased to be finite, or an adaptive solver failed."""

    step: int
    """The step that led there, counted from 0; of adaptive methods, the last row."""
    t: float
    lane: tuple[int, ...]
    """Batch index of the motion; () without batch axes."""
    joint: str
    by_controller: bool = False
    """Whether the controller's force on this joint was the first number that was not finite."""
