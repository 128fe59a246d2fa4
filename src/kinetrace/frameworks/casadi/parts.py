"""A function and its derivatives with the arguments that CasADi expects of them.

    f        : in → out
    jac_f    : in, out → d out / d in, a matrix for each pair; rows and columns are entries, column by column
    adj1_f   : in, out, adj_out → adj_in, the gradients of all results weighted by adj_out

The results `out` among the arguments are not used. A derivative has such derivatives itself: CasADi asks for
jac_adj1_f, the derivatives of gradients, when it wants a Hessian.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, product
from typing import Any, NamedTuple

import numpy as np

from ... import algorithms
from ...engine.derivative.array_function import ArrayFunction, BoundFunction, Shape, join_blocks
from ...engine.runtime.kernel import Kernel
from ...engine.targets.text.syntax import RESERVED_NAMES
from ...engine.trace import Program
from ...errors import LONGEST_NAME, InputError, shorten
from ...model.model import Model
from ...support.attributes import cached_property
from ..differentiable import DerivativeFamily
from .matrices import STRUCTURAL_ZERO, Matrix, Places, matrices, nonzero, on_stored

DERIVATIVES: tuple[tuple[Callable[..., Any], Callable[..., Any]], ...] = (
    (algorithms.inverse_dynamics, algorithms.inverse_dynamics_derivatives),
    (algorithms.forward_dynamics, algorithms.forward_dynamics_derivatives),
)
"""Functions of three vectors whose derivatives by them have recursions of their own, which take less work."""


@dataclass(frozen=True)
class Recursion(ArrayFunction):
    """The derivatives of a function by its first three arrays, of an algorithm for them."""

    function: BoundFunction

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """Those of the function."""
        return self.function.shapes

    def evaluate(self, model: Model, arrays: list[Any]) -> tuple[Any, ...]:
        """The matrix of all derivatives."""
        return (join_blocks(self.function.evaluate(model, arrays), self.shapes[:3]),)


class JacobianBlock(NamedTuple):
    """A result: the numbers of its matrix are scalars of a family; of None if it is zero."""

    family: DerivativeFamily | None
    matrix: Matrix


Table = dict[tuple[int, int], JacobianBlock]
"""A result and an input → the derivatives of one by the other."""


class Part:
    """A function in CasADi's sense: matrices in, matrices out, each of which a family computes.

    The first arrays of all families are the same. `classes` are places of these by which derivatives are taken
    together; a family that does not take some of them does not depend on them. `base` is the part of which it is the
    gradients.
    """

    kernel: Kernel | None = None
    """Kernel that it was made of, if it is not a derivative."""

    def __init__(
        self,
        name: str,
        inputs: Sequence[Matrix],
        blocks: Sequence[JacobianBlock],
        classes: Sequence[tuple[int, ...]],
        base: Part | None = None,
    ) -> None:
        self.name, self.inputs, self.blocks, self.classes = name, tuple(inputs), tuple(blocks), tuple(classes)
        self.base = base
        self.outputs = tuple(block.matrix for block in self.blocks)
        self.families = tuple(dict.fromkeys(x.family for x in self.blocks if x.family is not None))

    @cached_property
    def identity(self) -> tuple[Any, ...]:
        """The same for parts that do the same under the same names."""
        names = {family: family.identity for family in self.families}
        sides = (tuple((m.name, m.shape, repr((m.columns, m.stored))) for m in x) for x in (self.inputs, self.outputs))
        return self.name, *sides, tuple(x.family and names[x.family] for x in self.blocks)

    def places(self, family: DerivativeFamily) -> list[int]:
        """The places of results that a family computes; not of those without stored entries."""
        return [k for k, (by, m) in enumerate(self.blocks) if by is family and m.size]

    def program(self, family: DerivativeFamily, apart: bool) -> tuple[Program, list[int]]:
        """Program of a family's results on the entries that CasADi stores, and the places of those that it reads.

        There is one row for all results together, or, if they are `apart`, one for each.
        """
        rows = [self.outputs[k] for k in self.places(family)]
        read = [k for k, m in enumerate(self.inputs) if m.size]
        wanted = [[m] for m in rows] if apart else [rows]
        return on_stored(family.kernel.program, [self.inputs[k] for k in read], wanted), read

    @cached_property
    def jacobian(self) -> Part:
        """Its Jacobian: a matrix for each result and input."""
        classes, places = self.classes, product(range(len(self.outputs)), range(len(self.inputs)))
        table = {(o, i): self._zero(o, i) for o, i in places} | self._derivatives()
        if self.base is not None:
            (family,) = self.base.families
            classes = (*classes, tuple(range(len(family.inputs), len(family.inputs) + len(family.outputs))))
            table |= _symmetric(table, len(self.outputs)) | self._by_seeds(self.base)
        inputs = [*self.inputs, *(m.unused(f"out_{m.name}") for m in self.outputs)]
        return Part(f"jac_{self.name}", inputs, [table[place] for place in sorted(table)], classes)

    def _zero(self, o: int, i: int) -> JacobianBlock:
        """The derivatives of a result by what it does not depend on."""
        numbers = np.full((self.outputs[o].numbers.size, self.inputs[i].numbers.size), STRUCTURAL_ZERO)
        return JacobianBlock(None, Matrix(self._name(o, i), numbers, np.zeros(numbers.shape, dtype=bool)))

    def _name(self, o: int, i: int) -> str:
        return f"jac_{self.outputs[o].name}_{self.inputs[i].name}"

    def _derivatives(self) -> Table:
        """The derivatives of all results by the arrays of their families."""
        blocks: Table = {}
        for family in self.families:
            begins = _first_scalars(family)
            for wrt in self.classes:
                for own, made in _jacobians(family, tuple(k for k in wrt if k < len(family.inputs))):
                    columns = [n for k in own for n in range(begins[k], begins[k + 1])]
                    blocks |= self._blocks(family, made, columns)
        return blocks

    def _blocks(self, family: DerivativeFamily, derivatives: DerivativeFamily, columns: list[int]) -> Table:
        """The blocks of a matrix of derivatives by these scalars, without entries that are always zero."""
        mask = np.append(nonzero(derivatives.kernel.program), False)  # STRUCTURAL_ZERO is the last
        column = _places(columns)
        by_input = {i: c for i, m in enumerate(self.inputs) if np.any((c := column(m.every)) >= 0)}
        by_output = {o: m.every for o, (by, m) in enumerate(self.blocks) if by is family}
        blocks: Table = {}
        for (o, r), (i, c) in product(by_output.items(), by_input.items()):
            numbers = np.where((r[:, None] >= 0) & (c >= 0), r[:, None] * len(columns) + c, STRUCTURAL_ZERO)
            blocks[o, i] = JacobianBlock(derivatives, Matrix(self._name(o, i), numbers, mask[numbers]))
        return blocks

    def _by_seeds(self, base: Part) -> Table:
        """The derivatives of gradients by their weights: the transposed Jacobian."""
        seed = len(base.inputs) + len(base.outputs)
        blocks: Table = {}
        for k, (family, m) in enumerate(base.jacobian.blocks):
            o, i = divmod(k, len(base.inputs))
            blocks[i, seed + o] = JacobianBlock(family, Matrix(self._name(i, seed + o), m.numbers.T, m.pattern.T))
        return blocks

    @property
    def options(self) -> dict[str, float]:
        """Options of CasADi: for two directions or more it shall take the Jacobian, for one it shall not."""
        sizes = [sum(m.size for m in several) for several in (self.inputs, self.outputs)]
        return {"jac_penalty": max(1.0 / max(1, n) for n in sizes)}

    @property
    def has_adjoint(self) -> bool:
        """Whether it has gradients: if all is computed together."""
        return len(self.families) == 1

    @cached_property
    def adjoint(self) -> Part:
        """Its gradients: one for each input."""
        (family,) = self.families
        first = _first_scalars(family)[-1]
        seeds = [
            replace(m, name=f"adj_{m.name}", numbers=np.where(m.pattern, m.numbers + first, STRUCTURAL_ZERO))
            for m in self.outputs
        ]
        inputs = [*self.inputs, *(m.unused(f"out_{m.name}") for m in self.outputs), *seeds]
        gradients = [self._gradient(family, m) for m in self.inputs]
        return Part(f"adj1_{self.name}", inputs, gradients, self.classes, base=self)

    def _gradient(self, family: DerivativeFamily, m: Matrix) -> JacobianBlock:
        """The gradient by an input, of the class of arrays to which it belongs: all of it, as CasADi wants to see."""
        begins = _first_scalars(family)
        for wrt in self.classes:
            place = _places([n for k in wrt for n in range(begins[k], begins[k + 1])])
            numbers = np.where(m.pattern, place(m.numbers), STRUCTURAL_ZERO)
            if np.any(numbers >= 0):
                return JacobianBlock(family.pullback(wrt), Matrix(f"adj_{m.name}", numbers, numbers >= 0))
        return JacobianBlock(None, m.unused(f"adj_{m.name}"))


def part(kernel: Kernel, name: str | None = None) -> Part:
    """The function of a kernel; see `frameworks.family` for which of them have one.

    >>> import kinetrace as kt
    >>> result = part(kt.load("planar2r").kernel("mass_matrix"))
    >>> [m.name for m in result.jacobian.outputs], result.jacobian.outputs[0].pattern.astype(int).tolist()
    (['jac_out_q'], [[0, 1], [0, 1], [0, 1], [0, 0]])
    """
    if kernel.program.dims:
        raise InputError(
            f"{kernel.__name__} takes arrays whose length a call decides ({', '.join(kernel.program.dims)}): CasADi's "
            "functions have fixed sizes; compile it for one length"
        )
    family = DerivativeFamily.of(kernel, "float64")
    ins = words(a.name for a in family.inputs)
    outs = words((a.name for a in kernel.program.outputs), ins)
    inputs = [replace(m, name=x) for m, x in zip(matrices(family.inputs), ins, strict=True)]
    outputs = [replace(m, name=x) for m, x in zip(matrices(family.outputs), outs, strict=True)]
    own = len(inputs) - (0 if kernel.origin is None else len(kernel.origin.inputs))
    classes = [tuple(range(own)), tuple(range(own, len(inputs)))]
    mask = nonzero(family.kernel.program)
    blocks = [JacobianBlock(family, replace(m, pattern=mask[m.numbers])) for m in outputs]
    result = Part(name or word(kernel.__name__), inputs, blocks, [x for x in classes if x])
    result.kernel = kernel
    return result


def _jacobians(family: DerivativeFamily, wrt: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], DerivativeFamily]]:
    """Places, and the derivatives by the arrays there: of an algorithm, if there is one, else by differentiation."""
    flat = family.flat
    if isinstance(flat, BoundFunction) and not flat.normalises and wrt[:3] == (0, 1, 2):
        known = next((d for f, d in DERIVATIVES if f is flat.function), None)
        if known is not None and {x for x, _ in flat.static} <= inspect.signature(known).parameters.keys():
            recursion = Recursion(replace(flat, function=known))
            yield wrt[:3], DerivativeFamily(recursion, family.model, family.dtype, family.names)
            wrt = wrt[3:]
    if wrt:
        yield wrt, family.jacobian(wrt)


def _symmetric(table: Table, n: int) -> Table:
    """The first n rows and columns of blocks, of which a Hessian consists, without entries whose mirror image is zero.

    Blocks above the diagonal are those below, transposed, if one family computes both: so all gradients are derived
    along the first arguments. Configurations come first, and few blocks need directions of velocities and forces.
    """
    blocks: Table = {}
    for o, i in product(range(n), repeat=2):
        (family, own), (other_family, other) = table[o, i], table[i, o]
        numbers = own.numbers
        if family is other_family and o < i:
            numbers = other.numbers.T
        elif o == i:
            numbers = np.where(np.tri(*own.shape, dtype=bool).T, numbers, numbers.T)
        blocks[o, i] = JacobianBlock(family, Matrix(own.name, numbers, own.pattern & other.pattern.T))
    return blocks


def _first_scalars(family: DerivativeFamily) -> list[int]:
    """The numbers of the first scalars of all arrays, and of all scalars."""
    return [0, *accumulate(a.size for a in family.inputs)]


def _places(scalars: list[int]) -> Callable[[Places], Places]:
    """From numbers of scalars to their places in a list, or STRUCTURAL_ZERO."""
    place = dict(zip(scalars, range(len(scalars)), strict=True))
    return np.vectorize(lambda n: place.get(int(n), STRUCTURAL_ZERO), otypes=[np.intp])


_RESERVED_BY_CASADI = {"null", "jac", "hess"}
MAX_NAME_LENGTH = 100
"""Letters of a name that is given: files are called by it, and derivatives with a little more."""
_MATH_FUNCTIONS = """
    acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim floor fma fmax
    fmin fmod frexp gamma hypot ilogb j0 j1 jn ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf
    nan nearbyint nextafter nexttoward pow remainder remquo rint round scalbln scalbn signgam sin sinh sqrt tan tanh
    tgamma trunc y0 y1 yn
"""
_RESERVED_IN_C = {
    *RESERVED_NAMES,
    *(f"{x}{kind}" for x in _MATH_FUNCTIONS.split() for kind in ("", "f", "l")),
    "NULL",
    "NAN",
    "INFINITY",
}


def word(text: str) -> str:
    """A name as CasADi allows it.

    >>> word("wrench[left tip]"), word("2nd"), word("jac")
    ('wrench_left_tip', 'x2nd', 'jac_')
    """
    result = re.sub(r"[\W_]+", "_", text, flags=re.ASCII).strip("_") or "x"
    result = result if result[0].isalpha() else f"x{result}"
    return f"{result}_" if result in _RESERVED_BY_CASADI else result


def words(names: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
    """Names as CasADi allows them, all different.

    >>> words(["wrench[a]", "wrench_a", "q"], ["q"])
    ['wrench_a', 'wrench_a2', 'q2']
    """
    result = list[str]()
    for name in names:
        unique, k = word(name), 2
        while unique in (*taken, *result):
            unique, k = f"{word(name)}{k}", k + 1
        result.append(unique)
    return result


def checked_name(name: str) -> str:
    """A name that was given, if CasADi allows it."""
    if not isinstance(name, str) or word(name) != name:
        instead = f"; {word(name)!r} would do" if isinstance(name, str) and len(name) <= MAX_NAME_LENGTH else ""
        shown = shorten(repr(name), LONGEST_NAME)
        raise InputError(f"name must be letters, digits and single underscores, a letter first; got {shown}{instead}")
    if len(name) > MAX_NAME_LENGTH:
        raise InputError(f"name may have {MAX_NAME_LENGTH} letters, got {len(name)}")
    return name


def checked_in_c(name: str) -> str:
    """A name that a function in C may have."""
    if name in _RESERVED_IN_C or name.startswith("casadi_"):
        raise InputError(f"{name!r} means something in C already: give another name, as name={f'{name}_of_robot'!r}")
    return name
