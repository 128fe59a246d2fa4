"""The result of a comparison: changes, and a verdict about motion."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, overload

from ...support.html import block, html_text, table

Subject = Literal["robot", "link", "joint", "frame", "closure", "shape", "actuator", "keyframe"]
MOTION_TOLERANCE = 1e-9
"""Largest difference of forces and poses at random states, relative, of robots that move in the same way."""


@dataclass(frozen=True)
class Change:
    """One thing that differs."""

    subject: Subject
    """Kind of thing that it is about."""
    name: str
    """The name of the link, joint, frame, closure, collision shape, actuator or keyframe; empty for the robot."""
    what: str
    """Difference from the first robot to the second, in words and numbers."""
    before: Any = None
    """The value in the first robot, of types that JSON knows; None if there is none."""
    after: Any = None
    """The value in the second one."""
    of_frames: bool = False
    """Whether it may differ by the choice of link frames alone."""

    def __str__(self) -> str:
        return f"{self.subject}{f' {self.name!r}' if self.name else ''}: {self.what}"


@dataclass(frozen=True)
class MotionComparison:
    """How forces and poses of two robots compare at random states."""

    is_same: bool | None
    """Whether forces, places and displacements are the same, and loops close alike; None if they cannot be compared."""
    text: str
    """Summary in words."""
    error: float | None = None
    """The largest difference of joint forces, relative to the largest force; None if they cannot be compared."""
    frames: frozenset[str] = frozenset()
    """Links and frames that have the same name and the same poses in both."""
    same_masses: bool = False
    """Whether all bodies have the same mass at the same places of the world: then link frames alone may differ."""


class Difference(Sequence[Change]):
    """Differences from one robot to another; empty, and so false, if there are none. Its text is for people.

    >>> import kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> found = robot.difference_to(robot.with_parameters(gravity=[0, 0, -1.62]))
    >>> bool(found), found.same_motion
    (True, False)
    >>> print(found)
    planar2r, planar2r: 1 difference
    robot: gravity (0, 0, -9.81) → (0, 0, -1.62) m/s²
    another motion: at random states, forces differ by up to 88 % of the largest, most at joint 'joint1'
    """

    def __init__(self, a: str, b: str, changes: Sequence[Change], motion: MotionComparison, tolerance: float) -> None:
        self.names = a, b
        """Names of the two robots."""
        self.tolerance = tolerance
        """Smaller differences are left out."""
        self._changes, self._motion = list(changes), motion

    @property
    def same_motion(self) -> bool | None:
        """Whether both need the same joint forces at the same random states, with links at the same places, and move
        them in the same way from one state to another.

        None if that has no meaning: joints are in one of the two only, or have other variables.
        """
        return self._motion.is_same

    @property
    def verdict(self) -> str:
        """The same in words, with the numbers."""
        return self._motion.text if self._changes or not self._motion.is_same else "the same"

    @overload
    def __getitem__(self, index: int) -> Change: ...

    @overload
    def __getitem__(self, index: slice) -> list[Change]: ...

    def __getitem__(self, index: int | slice) -> Change | list[Change]:
        return self._changes[index]

    def __iter__(self) -> Iterator[Change]:
        return iter(self._changes)

    def __len__(self) -> int:
        return len(self._changes)

    @property
    def summary(self) -> str:
        """How many differences there are, in words."""
        return f"{len(self)} difference{'s'[: len(self) != 1]}" if len(self) else "no difference"

    def __str__(self) -> str:
        head = f"{', '.join(self.names)}: {self.summary}"
        return "\n".join([head, *map(str, self), *([self.verdict] if len(self) or not self.same_motion else [])])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = [(html_text(x.subject), html_text(x.name), html_text(x.what, 400)) for x in self]
        title = f"<b>{html_text(', '.join(self.names))}</b>: {self.summary}; {html_text(self.verdict, 400)}"
        return block(title, table(("", "", "what differs"), rows) if rows else "")

    def as_json(self) -> dict[str, Any]:
        """All of it, of types that JSON knows."""
        each = [
            {name: getattr(x, name) for name in ("subject", "name", "what", "before", "after", "of_frames")}
            for x in self
        ]
        return {
            "robots": list(self.names),
            "same": not self,
            "same_motion": self.same_motion,
            "verdict": self.verdict,
            "force_error": self._motion.error,
            "tolerance": self.tolerance,
            "differences": each,
        }
