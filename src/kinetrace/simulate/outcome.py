"""Events and failures of a motion."""

from __future__ import annotations

from typing import NamedTuple

from ..robot.types import Float


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
    joint: str | None
    """The joint that left first: whose velocity was the first to pass ten times its limit, and did not come back.

    If none had left, it is the first whose force is not finite, else the first whose velocity is not. If all velocities
    or none are finite, it is the one that was fastest before, relative to its limit; at rest, the one with the largest
    force. If an adaptive solver failed, it is the one that is fastest in the last row; at rest, the first. None if
    the wrench of a function was the cause.
    """
    by_controller: bool = False
    """Whether the controller's force on this joint was the first number that was not finite, and no joint had left."""
    frame: str | None = None
    """The frame on which the wrench of a function was not finite, if that was the cause and is known."""


class Excess(NamedTuple):
    """Passage of a joint beyond a limit, where it is furthest."""

    quantity: str
    """"position", "velocity" or "force"."""
    joint: str
    """Name of the joint, with the number of the entry where it has several."""
    unit: str
    value: float
    """The number that is furthest beyond, with its sign."""
    limit: float
    """The limit that it passes."""
    t: float
    """Time of that number [s]."""
    since: float
    """Time of the first number beyond the limits [s]."""
    lane: tuple[int, ...] = ()
    """Batch index of the motion; () without batch axes."""
    lanes: int = 1
    """Number of motions of the batch in which the joint is beyond."""

    @property
    def by(self) -> float:
        """How far the value is beyond the limit."""
        return abs(self.value - self.limit)
