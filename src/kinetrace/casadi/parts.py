"""A function and its derivatives with the arguments that CasADi expects of them.

    f        : in → out
    jac_f    : in, out → d out / d in, a matrix for each pair; rows and columns are entries, column by column
    adj1_f   : in, out, adj_out → adj_in, the gradients of all results weighted by adj_out

The results `out` among the arguments are not used. A derivative has such derivatives itself: CasADi asks for
jac_adj1_f, the derivatives of gradients, when it wants a Hessian.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from .. import algorithms
from ..codegen.runtime.kernel import Kernel
from ..derivative.flat import Flat, Plain, Shape, joined
from ..errors import InputError
from ..frameworks.family import Family
from ..model.model import Model
from ..support.lazy import cached_property
from ..trace import Program
from .matrices import NOWHERE, Matrix, Places, matrices, nonzero, on_stored
from .words import word, words

DERIVATIVES: dict[Any, Callable[..., Any]] = {
    algorithms.inverse_dynamics: algorithms.inverse_dynamics_derivatives,
    algorithms.forward_dynamics: algorithms.forward_dynamics_derivatives,
}
"""Functions of three vectors whose derivatives by them have recursions of their own, which take less work."""


@dataclass(frozen=True)
class Recursion(Flat):
    """The derivatives of a function by its first three arrays, of an algorithm for them."""

    function: Plain

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """Those of the function."""
        return self.function.shapes

    def evaluate(self, model: Model, arrays: list[Any]) -> tuple[Any, ...]:
        """The matrix of all derivatives."""
        return (joined(self.function.evaluate(model, arrays), self.shapes[:3]),)


class Group:
    """Results that are computed together: a family of plain arrays, and the matrices that its scalars are.

    `matrices` has them by their places among all results; all entries that may be other than zero as far as that is
    known without a trace. `whole` says that CasADi wants to see all of these.
    """

    def __init__(self, family: Family, found: dict[int, Matrix], whole: bool = False) -> None:
        self.family, self.matrices, self.whole = family, found, whole

    @cached_property
    def outputs(self) -> dict[int, Matrix]:
        """The same, without entries that are always zero."""
        if self.whole:
            return self.matrices
        mask = np.append(nonzero(self.family.kernel.program), False)  # NOWHERE is the last
        return {k: replace(m, pattern=m.pattern & mask[m.numbers]) for k, m in self.matrices.items()}


class Part:
    """A function in CasADi's sense: matrices in, matrices out, those in groups that are computed together.

    The families of all groups take the same arrays. `classes` are places of these by which derivatives are taken
    together; a family that does not take some of them does not depend on them. `base` is the part of which it is the
    gradients, `gradients` the number of these whose derivatives it is, which are symmetric.
    """

    kernel: Kernel | None = None
    """What it was made of, if it is not a derivative."""

    def __init__(
        self,
        name: str,
        inputs: Sequence[Matrix],
        groups: Sequence[Group],
        classes: Sequence[tuple[int, ...]],
        gradients: int = 0,
        base: Part | None = None,
    ) -> None:
        self.name, self.inputs, self.groups, self.classes = name, tuple(inputs), tuple(groups), tuple(classes)
        self.gradients, self.base = gradients, base

    @cached_property
    def outputs(self) -> tuple[Matrix, ...]:
        """All results in their order."""
        found = {k: m for group in self.groups for k, m in group.outputs.items()}
        owner = {k: group for group in self.groups for k in group.outputs}
        known, n = dict(found), self.gradients
        for o, i in product(range(n), repeat=2):
            here, there = ((x * len(found)) // n + y for x, y in ((o, i), (i, o)))  # rows of blocks are as long
            same = owner[here] is owner[there]
            found[here] = _symmetric(known[here], known[there], i - o if same else None)
        return tuple(found[k] for k in sorted(found))

    @cached_property
    def identity(self) -> tuple[Any, ...]:
        """The same for parts that do the same under the same names."""
        sides = (tuple((m.name, m.shape, repr((m.columns, m.stored))) for m in x) for x in (self.inputs, self.outputs))
        return self.name, *sides, *(group.family.identity for group in self.groups)

    def program(self, group: Group, apart: bool) -> tuple[Program, list[int], list[int]]:
        """What computes a group from what CasADi stores, and the places of what it reads and gives.

        There is one row for all results together, or, if they are `apart`, one for each.
        """
        places = [k for k in sorted(group.outputs) if self.outputs[k].size]
        rows = [self.outputs[k] for k in places]
        read = [k for k, m in enumerate(self.inputs) if m.size]
        wanted = [[m] for m in rows] if apart else [rows]
        return on_stored(group.family.kernel.program, [self.inputs[k] for k in read], wanted), read, places

    @cached_property
    def jacobian(self) -> Part:
        """Its Jacobian: a matrix for each result and input."""
        groups = [
            Group(family, self._blocks(group, columns))
            for group in self.groups
            for family, columns in self._jacobians(group.family)
        ]
        classes, gradients = self.classes, 0
        if self.base is not None:
            of = self.base.groups[0].family
            groups += self._by_seeds(self.base)
            classes = (*classes, tuple(range(len(of.inputs), len(of.inputs) + len(of.outputs))))
            gradients = len(self.outputs)
        there = {k for group in groups for k in group.matrices}
        names = [(out, given) for out in self.outputs for given in self.inputs]
        groups[0].matrices |= {k: _empty(*names[k]) for k in range(len(names)) if k not in there}
        inputs = [*self.inputs, *(m.unused(f"out_{m.name}") for m in self.outputs)]
        return Part(f"jac_{self.name}", inputs, groups, classes, gradients)

    def _by_seeds(self, base: Part) -> Iterator[Group]:
        """The derivatives of gradients by their weights: the transposed Jacobian."""
        seed = len(base.inputs) + len(base.outputs)
        for group in base.jacobian.groups:
            found = dict[int, Matrix]()
            for k in group.matrices:
                (o, i), m = divmod(k, len(base.inputs)), base.jacobian.outputs[k]
                name = f"jac_{self.outputs[i].name}_{self.inputs[seed + o].name}"
                found[i * len(self.inputs) + seed + o] = Matrix(name, m.numbers.T, m.pattern.T)
            yield Group(group.family, found, whole=True)

    def _jacobians(self, family: Family) -> Iterator[tuple[Family, list[int]]]:
        """The derivatives of a family by classes of arrays, with the scalars that their columns are."""
        begins = np.cumsum([0, *(a.size for a in family.inputs)]).tolist()
        for wrt in self.classes:
            for own, made in _jacobians(family, tuple(k for k in wrt if k < len(family.inputs))):
                yield made, [n for k in own for n in range(begins[k], begins[k + 1])]

    def _blocks(self, group: Group, columns: list[int]) -> dict[int, Matrix]:
        """The blocks of a matrix of derivatives by these scalars, for the inputs that have them."""
        column, found = _places(columns), dict[int, Matrix]()
        for o in group.outputs:
            out = self.outputs[o]
            r = np.where(out.pattern.ravel(order="F"), out.every, NOWHERE)[:, None]
            for i, given in enumerate(self.inputs):
                c = column(np.where(given.pattern.ravel(order="F"), given.every, NOWHERE))[None, :]
                if np.any(c >= 0):
                    there = (r >= 0) & (c >= 0)
                    numbers = np.where(there, r * len(columns) + c, NOWHERE)
                    found[o * len(self.inputs) + i] = Matrix(f"jac_{out.name}_{given.name}", numbers, there)
        return found

    @property
    def options(self) -> dict[str, float]:
        """Options of CasADi: for two directions or more it shall take the Jacobian, for one it shall not."""
        sizes = [sum(m.size for m in several) for several in (self.inputs, self.outputs)]
        return {"jac_penalty": max(1.0 / max(1, n) for n in sizes)}

    @property
    def has_adjoint(self) -> bool:
        """Whether it has gradients: if all is computed together."""
        return len(self.groups) == 1

    @cached_property
    def adjoint(self) -> Part:
        """Its gradients: one for each input."""
        (group,) = self.groups
        family, outputs = group.family, self.outputs
        first = sum(a.size for a in family.inputs)
        seeds = [
            replace(m, name=f"adj_{m.name}", numbers=np.where(m.pattern, m.numbers + first, NOWHERE)) for m in outputs
        ]
        groups = [self._gradients(family, wrt) for wrt in self.classes]
        there = {k for made in groups for k in made.matrices}
        unread = {k: m.unused(f"adj_{m.name}") for k, m in enumerate(self.inputs) if k not in there}
        groups[0].matrices |= unread
        inputs = [*self.inputs, *(m.unused(f"out_{m.name}") for m in outputs), *seeds]
        return Part(f"adj1_{self.name}", inputs, groups, self.classes, base=self)

    def _gradients(self, family: Family, wrt: tuple[int, ...]) -> Group:
        """The gradients by a class of arrays."""
        begins = np.cumsum([0, *(a.size for a in family.inputs)]).tolist()
        place, found = _places([n for k in wrt for n in range(begins[k], begins[k + 1])]), dict[int, Matrix]()
        for k, m in enumerate(self.inputs):
            numbers = place(np.where(m.pattern, m.numbers, NOWHERE))
            if np.any(numbers >= 0):
                found[k] = Matrix(f"adj_{m.name}", numbers, numbers >= 0)
        return Group(family.pullback(wrt), found, whole=True)


def part(kernel: Kernel, name: str | None = None) -> Part:
    """The function of a kernel; see `frameworks.family` for which of them have one.

    >>> import kinetrace as kt
    >>> made = part(kt.load("planar2r").kernel("mass_matrix"))
    >>> [m.name for m in made.jacobian.outputs], made.jacobian.outputs[0].pattern.astype(int).tolist()
    (['jac_out_q'], [[0, 1], [0, 1], [0, 1], [0, 0]])
    """
    if kernel.program.dims:
        raise InputError(
            f"{kernel.__name__} takes arrays whose length a call decides ({', '.join(kernel.program.dims)}): CasADi's "
            "functions have fixed sizes; compile it for one length"
        )
    family = Family.of(kernel, "float64")
    ins = words(a.name for a in family.inputs)
    outs = words((a.name for a in kernel.program.outputs), ins)
    inputs = [replace(m, name=x) for m, x in zip(matrices(family.inputs), ins, strict=True)]
    outputs = [replace(m, name=x) for m, x in zip(matrices(family.outputs), outs, strict=True)]
    own = len(inputs) - (0 if kernel.origin is None else len(kernel.origin.inputs))
    classes = [tuple(range(own)), tuple(range(own, len(inputs)))]
    group = Group(family, dict(enumerate(outputs)))
    made = Part(name or word(kernel.__name__), inputs, [group], [x for x in classes if x])
    made.kernel = kernel
    return made


def _jacobians(family: Family, wrt: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], Family]]:
    """Places, and the derivatives by the arrays there: of an algorithm, if there is one, else by differentiation."""
    flat = family.flat
    if isinstance(flat, Plain) and not flat.normalises and wrt[:3] == (0, 1, 2):
        known = next((d for f, d in DERIVATIVES.items() if f is flat.function), None)
        if known is not None and {x for x, _ in flat.static} <= inspect.signature(known).parameters.keys():
            made = Recursion(replace(flat, function=known))
            yield wrt[:3], Family(made, family.model, family.dtype, family.names)
            wrt = wrt[3:]
    if wrt:
        yield wrt, family.jacobian(wrt)


def _symmetric(own: Matrix, other: Matrix, side: int | None) -> Matrix:
    """A block of a Hessian, without entries whose mirror image is zero.

    `side` is negative for a block below the diagonal, positive above, whose entries are those below, and 0 on it; None
    if the other block is computed elsewhere. Below, all gradients are derived along the first arguments: configurations
    come first, and few blocks need directions of velocities and forces.
    """
    pattern = own.pattern & other.pattern.T
    if side is None or side < 0:
        return replace(own, pattern=pattern)
    if side > 0:
        return replace(own, numbers=other.numbers.T, pattern=pattern)
    return replace(own, numbers=np.where(np.tri(*own.shape, dtype=bool).T, own.numbers, own.numbers.T), pattern=pattern)


def _empty(out: Matrix, given: Matrix) -> Matrix:
    """The derivatives of a result by what it does not depend on."""
    numbers = np.full((out.numbers.size, given.numbers.size), NOWHERE)
    return Matrix(f"jac_{out.name}_{given.name}", numbers, np.zeros(numbers.shape, dtype=bool))


def _places(scalars: list[int]) -> Callable[[Places], Places]:
    """From numbers of scalars to their places in a list, or NOWHERE."""
    place = dict(zip(scalars, range(len(scalars)), strict=True))
    return np.vectorize(lambda n: place.get(int(n), NOWHERE), otypes=[np.intp])
