"""Operation counts, as the literature counts them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from .ops import LEAVES, OPS, Node


@dataclass(frozen=True)
class OpCount:
    """Scalar operations of a straight-line program.

    Negations, absolute values, roundings, comparisons and selections are free.

    Parameters
    ----------
    mul : int, default 0
        Multiplications.
    add : int, default 0
        Additions and subtractions.
    div : int, default 0
        Divisions.
    sqrt : int, default 0
        Square roots.
    trig : int, default 0
        Sines, cosines, arc tangents, exponentials and logarithms.

    Examples
    --------
    >>> import kinetrace as kt
    >>> count = kt.load("planar2r").count("mass_matrix")
    >>> print(count + kt.OpCount(div=1))
    1 mul, 4 add, 1 div, 0 sqrt, 1 trig
    >>> count.flops
    5
    """

    mul: int = 0
    add: int = 0
    div: int = 0
    sqrt: int = 0
    trig: int = 0

    @property
    def flops(self) -> int:
        """Number of multiplications, additions, divisions and square roots."""
        return self.mul + self.add + self.div + self.sqrt

    def __add__(self, other: OpCount) -> OpCount:
        kinds = zip(vars(self).values(), vars(other).values(), strict=True)
        return OpCount(*(a + b for a, b in kinds))

    def __str__(self) -> str:
        return f"{self.mul} mul, {self.add} add, {self.div} div, {self.sqrt} sqrt, {self.trig} trig"


def count(nodes: Iterable[Node]) -> OpCount:
    """The operations in a list of nodes."""
    n: Counter[str] = Counter()
    for name, many in Counter([node[0] for node in nodes]).items():
        if name not in LEAVES:
            n[OPS[name].cost] += many
    return OpCount(n["mul"], n["add"], n["div"], n["sqrt"], n["trig"])
