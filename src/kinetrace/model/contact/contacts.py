"""The contacts of a model: shapes on bodies, and the pairs of them that may touch."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...arrays import Array
from ..record import Record
from .surface import ContactLaw


@dataclass(frozen=True, eq=False)
class ContactShape(Record):
    """A shape on a body.

    Kinds and sizes are those of `Geometry`, but for "points", the convex hull of size (n, 3), and "heights", a grid of
    heights (nx, ny) over `lengths` along x and y, centred at the shape's frame [m].
    """

    name: str
    kind: str
    size: Array
    body: int
    """-1: the world."""
    X: Array
    """(4, 4) pose in the body."""
    lengths: Array | None = None
    """(2,) of a height field."""
    velocity: Array | None = None
    """(6,) twist of the surface relative to the body, in the shape's frame; None: it does not move."""
    link: str = ""
    """The link that it is on; "" of the world."""


@dataclass(frozen=True, eq=False)
class ContactPair(Record):
    """Two shapes that may touch, and their law."""

    name: str
    a: int
    """The place among the shapes of the one that the normal pushes."""
    b: int
    law: ContactLaw
    often: bool = True
    """Whether steps always solve for it. Others are solved for where the shapes would pass through each other in the
    motion that is left by those; so nothing is lost, and what is far costs little."""


@dataclass(frozen=True, eq=False)
class Contacts(Record):
    """All that may touch in a model."""

    shapes: tuple[ContactShape, ...]
    pairs: tuple[ContactPair, ...]
    solver: str = "automatic"
    """ "sweeps", "newton", or "automatic": by the structure."""

    def with_pairs(self, pairs: tuple[ContactPair, ...]) -> Contacts:
        """The same shapes with other pairs."""
        return replace(self, pairs=pairs)
