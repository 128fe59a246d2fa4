"""What happens in a motion: zeros that are passed, and where it is lost."""

from __future__ import annotations

from typing import NamedTuple

from .protocol import Float


class Event(NamedTuple):
    """A zero that a function of (t, q, v) passed."""

    name: str
    t: float
    q: Float
    v: Float


class Failure(NamedTuple):
    """Where a motion was lost: its numbers ceased to be finite, or an adaptive solver gave up."""

    step: int
    """The step that led there, counted from 0; of adaptive methods, the last row."""
    t: float
    lane: tuple[int, ...]
    """Which of many; () if there is one."""
    joint: str
    by_controller: bool = False
    """Whether the controller's force on this joint was the first number that was not finite."""
