"""The contacts of a model: shapes on bodies, and the pairs of them that may touch."""

from __future__ import annotations

from dataclasses import dataclass

from ...arrays import Array
from ..checks import numbers
from ..record import Record, read_only
from .surface import PLAIN, ContactLaw, acting, check_dimensions


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
    owner: str = ""
    """The robot or object of a scene that it is part of; "" where no world has made it."""


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


@dataclass(frozen=True, eq=False)
class PairRule(Record):
    """Two shapes that may touch whatever their groups and masks, with a law of their own."""

    a: str
    """The name of a shape."""
    b: str
    law: ContactLaw = PLAIN
    name: str = ""
    dimensions: int | None = None
    """As of `Surface`."""
    impedance: Array | None = None
    """As of `Surface`."""

    def __post_init__(self) -> None:
        check_dimensions(self.dimensions, f"contact pair {self.a!r}, {self.b!r}")
        if self.impedance is not None:
            object.__setattr__(self, "impedance", read_only(numbers(self.impedance, "contact pair: impedance")))

    @property
    def acting_law(self) -> ContactLaw:
        """The law with the friction that acts."""
        return acting(self.law, self.dimensions)


@dataclass(frozen=True, eq=False)
class Exclusion(Record):
    """Two links whose shapes do not touch, but for those of a pair."""

    a: str
    """The name of a link."""
    b: str
    name: str = ""


@dataclass(frozen=True, eq=False)
class ContactRules(Record):
    """What a description says of contacts besides the surfaces of its shapes."""

    pairs: tuple[PairRule, ...] = ()
    excludes: tuple[Exclusion, ...] = ()
    neighbours: bool = False
    """Whether shapes of a body may touch those of the body that carries it, where both move."""
