"""Closures: constraints on a tree of bodies besides its joints.

A closure is a set of linear constraints on the velocity of the robot,

    N(X) V + Σ_j C_j v_j = 0,      X = X_AB, V the twist of B relative to A, in B

of a constraint between two frames (see `constraints`), and of joints that are coupled. Most closures have one of the
two; the other is then zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Array
from ..lie import se3
from .body import WORLD, Frame
from .constraints import Constraint
from .record import Record

NOWHERE = Frame("", WORLD, np.eye(4))
"""Placeholder for the frames of a closure that has none."""


@dataclass(frozen=True, eq=False)
class Term(Record):
    """Contribution of a joint's variables to the rows: C_j (m, nv_j)."""

    body: int
    factors: Array


@dataclass(frozen=True, eq=False)
class Closure(Record):
    """A constraint between frames, or a coupling of joints."""

    name: str
    constraint: Constraint
    a: Frame
    b: Frame
    terms: tuple[Term, ...] = ()
    offset: Array = 0.0
    """Σ_j C_j q_j where the coupling holds (m,)."""

    @property
    def size(self) -> int:
        """Number of rows."""
        return self.constraint.size

    @property
    def frames(self) -> tuple[Frame, Frame]:
        """Its two frames."""
        return self.a, self.b

    def ends(self, X_a: Array, X_b: Array) -> Array:
        """The points (2, 3) of its frames that it holds together, in the world, as are the poses of the two bodies."""
        X_wa, X_wb = X_a @ self.a.X_bf, X_b @ self.b.X_bf
        return self.constraint.ends(se3.inverse(X_wa) @ X_wb) @ se3.rotation(X_wa).T + se3.translation(X_wa)

    def with_link_frames(self, Q: Mapping[int, Array]) -> Closure:
        """The same closure where each body has another frame; Q is the old one in the new."""
        a, b = (replace(f, X_bf=Q[f.body] @ f.X_bf) for f in self.frames)
        return replace(self, a=a, b=b)

    def __repr__(self) -> str:
        if self.terms:
            return f"Closure({self.name!r}, of joints)"
        return f"Closure({self.name!r}, {self.constraint!r}, {self.a.name or 'world'!r}, {self.b.name or 'world'!r})"


@dataclass(frozen=True, eq=False)
class Assembly(Record):
    """Structure of a closed robot, analysed once at configurations in which all closures hold."""

    q: Array
    """One such configuration (nq,)."""
    rows: tuple[int, ...]
    """Closure rows that are independent at almost all configurations; the others follow from them."""
    candidates: tuple[int, ...]
    """Rows that are not identically zero: the same as `rows`, unless some follow from others. Then as many of them as
    there are independent ones are selected at each configuration."""
    independent: tuple[int, ...]
    """Indices in v of the velocities chosen as independent, one per degree of freedom."""
    places: tuple[int, ...]
    """The same for small changes of q: more, if closures constrain velocities but not positions."""
    undriven: tuple[str, ...] = ()
    """Names of the joints that move in motions that no motor drives."""
