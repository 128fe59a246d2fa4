"""Symbols for the arrays of a function, and for the numbers of a robot."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from ..engine.trace import Argument
from ..errors import InputError, lookup
from ..lie import inertia
from ..model.checks import zero_rounding
from ..model.model import Model
from ..model.parameters import PARAMETERS
from .expressions import sympy

AXES = "xyz"
PAIRS = ("xx", "xy", "xz", "yy", "yz", "zz")
"""Moments of inertia, in the order of `lie.inertia`."""


@dataclass
class Leaves:
    """Expressions of the scalars that go into a program."""

    expressions: list[Any] = field(default_factory=list)
    """One for each scalar."""
    symbols: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    """Array or parameter of the robot → its symbols."""
    values: dict[Any, float] = field(default_factory=dict)
    """Symbol of a number of the robot → that number."""


def leaves(
    model: Model,
    arguments: Sequence[Argument],
    inputs: Sequence[str],
    words: Mapping[str, str],
    number: Callable[[float], Any],
) -> Leaves:
    """The leaves of a program with these arguments, of which `inputs` are numbers of the robot; `words` rename some."""
    if not isinstance(words, Mapping):
        raise InputError(f"symbols must map names of arrays to words, as {{'q': 'theta'}}; got {words!r}")
    for name, word in words.items():
        lookup("array", name, {a.name: a for a in arguments if a.name not in inputs})
        if not isinstance(word, str) or not word.isidentifier():
            raise InputError(f"symbols: the word for {name!r} must be a name such as 'theta', got {word!r}")
    found = Leaves()
    for a in arguments:
        if a.name in inputs:
            entries, values = _PARAMETERS.get(a.name, _plain)(model, a.name, number)
            found.values |= values
            found.symbols[a.name] = tuple(values)
        else:
            word = words.get(a.name, re.sub(r"\W+", "_", a.name).strip("_"))
            entries = [sympy().Symbol(name) for name in _indexed_name(word, a.shape)]
            found.symbols[a.name] = tuple(entries)
        found.expressions += entries
    _check_distinct(found)
    return found


def _indexed_name(word: str, shape: Sequence[int]) -> Iterator[str]:
    """The word with the places of entries behind it, from 1 on.

    >>> list(_indexed_name("q", (2,))), list(_indexed_name("J", (1, 2))), list(_indexed_name("dt", ()))
    (['q1', 'q2'], ['J1_1', 'J1_2'], ['dt'])
    """
    for place in product(*(range(1, n + 1) for n in shape)):
        yield word + "_".join(map(str, place))


def _check_distinct(found: Leaves) -> None:
    every = [symbol.name for symbols in found.symbols.values() for symbol in symbols]
    twice = sorted({name for name in every if every.count(name) > 1})
    if twice:
        raise InputError(f"symbols: {twice[0]!r} stands for two numbers; give other words, as symbols={{'q': 'theta'}}")


Entries = tuple[list[Any], dict[Any, float]]
"""Expressions of the numbers of a parameter, and the symbols in them with their values."""


class _Maker:
    """Symbols of one parameter: numbers that are zero stay what they are."""

    def __init__(self) -> None:
        self.values: dict[Any, float] = {}

    def symbol(self, name: str, value: float) -> Any:
        if not value:
            return sympy().Integer(0)
        made = sympy().Symbol(name)
        self.values[made] = float(value)
        return made

    def vector(self, word: str, entries: npt.NDArray[np.float64]) -> list[Any]:
        """A vector: if it is along an axis, its symbol has no letter for that."""
        alone = np.count_nonzero(entries) == 1
        short = word.rstrip("_") if word.endswith("_") else word.replace("_", "", 1)
        return [self.symbol(short if alone else f"{word}{x}", v) for x, v in zip(AXES, entries, strict=True)]

    def pose(self, word: str, X: npt.NDArray[np.float64], number: Callable[[float], Any]) -> list[Any]:
        """A pose: its place has symbols, its axes are numbers."""
        entries = list[Any]()
        for row, x in zip(X[:3, :3], self.vector(word, X[:3, 3]), strict=True):
            entries += [*map(number, map(float, row)), x]
        return [*entries, *map(sympy().Integer, (0, 0, 0, 1))]


def _inertial(model: Model, name: str, number: Callable[[float], Any]) -> Entries:
    """Mass, centre of mass and inertia about it, in the axes of the body: what textbooks take."""
    maker, entries = _Maker(), list[Any]()
    for k, body in enumerate(model.bodies, 1):
        mass, com, about = _about_centre(np.asarray(inertia.to_parameters(body.J), dtype=float))
        m, c = maker.symbol(f"m{k}", mass), maker.vector(f"c_{k}", com)
        moments = dict(
            zip(PAIRS, (maker.symbol(f"I_{k}{x}", v) for x, v in zip(PAIRS, about, strict=True)), strict=True)
        )
        square = sum(x * x for x in c)
        entries += [m, *(m * x for x in c)]
        for pair in PAIRS:
            i, j = (AXES.index(x) for x in pair)
            entries.append(moments[pair] + m * ((square if i == j else 0) - c[i] * c[j]))
    return entries, maker.values


def _about_centre(x: Any) -> tuple[float, Any, Any]:
    """Mass, centre of mass and moments about it, from ten parameters about the origin."""
    m, h, about = x[0], x[1:4], x[4:]
    c = h / m if m else np.zeros(3)
    moved = m * (c @ c * np.eye(3) - np.outer(c, c))[np.triu_indices(3)]
    return float(m), c, zero_rounding(about - moved, np.abs(about).max())


def _placements(model: Model, name: str, number: Callable[[float], Any]) -> Entries:
    """The ways from body to body; how they are turned stays as it is."""
    maker, entries = _Maker(), list[Any]()
    children = [sum(body.parent == k for body in model.bodies) for k in range(-1, len(model.bodies))]
    for body, M in zip(model.bodies, PARAMETERS[name].get(model), strict=True):
        p = body.parent + 1
        entries += maker.pose(f"l_{p}" if children[p] == 1 else f"l_{p}_{body.index + 1}", M, number)
    return entries, maker.values


def _closures(model: Model, name: str, number: Callable[[float], Any]) -> Entries:
    """Where closures are on the bodies of their frames a and b."""
    maker, entries = _Maker(), list[Any]()
    for k, pair in enumerate(PARAMETERS[name].get(model), 1):
        for side, X in zip("ab", pair, strict=True):
            entries += maker.pose(f"d_{k}{side}", X, number)
    return entries, maker.values


def _gravity(model: Model, name: str, number: Callable[[float], Any]) -> Entries:
    """g, if it is along an axis: its size."""
    maker, g = _Maker(), np.asarray(model.gravity, dtype=float)
    entries = maker.vector("g_", np.abs(g) if np.count_nonzero(g) == 1 else g)
    signs = np.where(g < 0, -1, 1) if np.count_nonzero(g) == 1 else np.ones(3, int)
    return [int(sign) * x for sign, x in zip(signs, entries, strict=True)], maker.values


def _plain(model: Model, name: str, number: Callable[[float], Any]) -> Entries:
    maker, values = _Maker(), np.asarray(PARAMETERS[name].get(model), dtype=float)
    names = _indexed_name(name, values.shape)
    return [maker.symbol(word, x) for word, x in zip(names, values.flat, strict=True)], maker.values


_PARAMETERS: dict[str, Callable[[Model, str, Callable[[float], Any]], Entries]] = {
    "inertial": _inertial,
    "placements": _placements,
    "gravity": _gravity,
    "closures": _closures,
}
"""Parameters whose symbols are other than one for each number."""
