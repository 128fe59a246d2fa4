"""The pieces of a program's line, see `plan`: operations, moves and loops."""

from __future__ import annotations

from typing import Any, NamedTuple


class Item(NamedTuple):
    """A piece of the line: an operation, the move of a vector group, or what a loop takes."""

    kind: str
    """ "compute", "load" or "store"; "keep" or "fetch" for series that are kept; "enter", "loop" and "latch"."""
    nodes: tuple[int, ...]
    """What is computed (one, or sines and cosines of some angles), or the entries; -1 for one that is not needed."""
    argument: int = 0
    """Of the inputs, or of the outputs; the write of a kept series; the region of a loop."""
    entry: int = 0
    """The first one."""


class Loop(NamedTuple):
    """A loop in the order of blocks."""

    region: int
    body: list[Any]
    """Pieces and loops."""


Piece = list[Item]
"""Items that are one block."""


def flat(schedule: list[Piece | Loop]) -> list[Piece]:
    """All blocks of a schedule, those in loops too, in their order."""
    return [piece for part in schedule for piece in (flat(part.body) if isinstance(part, Loop) else [part])]
