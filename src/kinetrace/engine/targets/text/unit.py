"""A program with its names in C, and the lines that the comment on top of a file has in every language."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ....errors import InputError
from ....support.attributes import cached_property
from ...plan import plan
from ...plan.memory import SCALAR_BYTES, SCALAR_TYPES, check_dtype
from ...plan.plan import LoopItem, Piece, Plan
from ...trace import Argument, Program, check
from ...trace.regions import Length
from .syntax import C, Language, is_taken, product


@dataclass(frozen=True)
class Unit:
    """A program with its names in C; `about` are lines for the comment on top."""

    program: Program
    name: str
    dtype: str = "float64"
    about: tuple[str, ...] = ()
    language: Language = C

    @property
    def scalar(self) -> str:
        """The type of a number."""
        return SCALAR_TYPES[self.dtype]

    @property
    def constant(self) -> str:
        """Declaration before the name of a value that does not change."""
        return self.language.constant.format(scalar=self.scalar)

    @property
    def variable(self) -> str:
        """Declaration before the name of a value that changes."""
        return self.language.variable.format(scalar=self.scalar)

    @cached_property
    def plan(self) -> Plan:
        """How the line is cut, and where values live between the parts."""
        return Plan(self.program, 1, self.scalar)

    @cached_property
    def in_parts(self) -> bool:
        """Whether blocks are functions of their own: where a line was cut, or with its loops is too long for one."""
        if not self.program.loops.regions:
            return len(self.plan.pieces) > 1
        return sum(map(len, self.plan.pieces)) > plan.BLOCK_OPERATIONS

    @cached_property
    def schedule(self) -> list[Piece | LoopItem]:
        """Blocks and loops; the first block begins with the constants of long rows."""
        first, *others = self.plan.schedule or [[]]  # none, if all results are long rows of constants
        return [[*self.plan.constants, *first], *others]

    @property
    def scratch(self) -> int:
        """Numbers that cross from one part to another."""
        return self.plan.slot_count if self.in_parts else 0

    @property
    def scratch_bytes(self) -> int:
        """Bytes on the stack: of them, and of series of known length."""
        return (self.scratch + sum(self.tables.values())) * SCALAR_BYTES[self.scalar]

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Inputs, then outputs."""
        return self.program.inputs + self.program.outputs

    @cached_property
    def names(self) -> list[str]:
        """The arguments' names in C, all different."""
        return self._words[: len(self.arguments)]

    @cached_property
    def lengths(self) -> dict[str, str]:
        """Names of lengths that are known when the function is called → the parameters that tell them."""
        return dict(zip(self.program.dims, self._words[len(self.arguments) :], strict=False))

    @property
    def workspace(self) -> str:
        """The parameter for memory in which loops leave series for others."""
        return self._words[-1]

    @cached_property
    def _words(self) -> list[str]:
        """The names of arguments, of lengths, and of the workspace."""
        words: list[str] = []
        own = rf"[cit]\d+|kept\d+|{self.name}(_batch|_launch|_states|_part\d+|_kept\d+|_s)?"
        for name in (*(a.name for a in self.arguments), *self.program.dims, "workspace"):
            word = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_") or "x"
            word = word if word[0].isalpha() else f"x{word}"
            taken = {name.lower() for name in words}
            while word.lower() in self.language.taken | taken or re.fullmatch(own, word):
                word += "_"
            words.append(word)
        return words

    @property
    def test_names(self) -> list[str]:
        """The names of arrays in the test."""
        return [f"{kind}_{name}" for kind in ("in", "found", "expected", "device") for name in self._words]

    @cached_property
    def places(self) -> list[tuple[str, str]]:
        """The arrays of all scalar inputs, and their entries in brackets: nothing behind what is a number."""
        inputs, always = self.program.inputs, self.language.numbers_as_arrays
        return [
            (self.names[a], f"[{e}]" if always or inputs[a].shape else "") for a, e in self.program.inputs_by_scalar()
        ]

    @cached_property
    def kept(self) -> list[int]:
        """The writes that another loop reads and whose lengths only a call tells: they are in the workspace."""
        return [k for k in self._read_again if not all(x.isdigit() for x in self.kept_factors(k))]

    @cached_property
    def tables(self) -> dict[int, int]:
        """Those of known length → how many numbers they have: they are on the stack."""
        return {k: math.prod(map(int, self.kept_factors(k))) for k in self._read_again if k not in self.kept}

    @cached_property
    def _read_again(self) -> list[int]:
        return [k for k, write in enumerate(self.program.loops.writes) if write.output < 0 and write.nodes]

    def length(self, length: Length) -> str:
        """The length of a loop or an axis in C."""
        return self.lengths[length] if isinstance(length, str) else str(length)

    def kept_factors(self, k: int) -> list[str]:
        """How many numbers write k leaves: the product of these words."""
        write, regions = self.program.loops.writes[k], self.program.loops.regions
        return [*(self.length(regions[r].length) for r in write.regions), str(len(write.nodes))]

    def series(self, k: int) -> str:
        """Where write k is; a table of numbers stands outside of functions, under a name of its own."""
        return f"{self.name}_kept{k}" if self.program.loops.writes[k].numbers else f"kept{k}"

    def carried(self, leaf: int) -> str:
        """Where a value lives that a loop carries."""
        return f"s[{self.plan.slots[leaf]}]" if self.in_parts else f"c{self.program.nodes[leaf][1]}"

    def size_macro(self, k: int) -> str:
        """The macro with the size of argument k; a function of its lengths, if it has some."""
        return f"{self.name}_{self.names[k]}_size".upper()

    @property
    def workspace_macro(self) -> str:
        """The macro with the size of the workspace; a function of all lengths, if there are some."""
        return f"{self.name}_{self.workspace}_size".upper()

    def macros(self) -> list[str]:
        """Definitions of the sizes of all arguments, and of the workspace."""
        found = []
        for k, a in enumerate(self.arguments):
            words = [self.lengths[name] for name in a.dims]
            found.append(self._macro(self.size_macro(k), words, [[*words, str(a.size)]]))
        if self.kept:
            sizes = [self.kept_factors(k) for k in self.kept]
            found.append(self._macro(self.workspace_macro, [*self.lengths.values()], sizes))
        return found

    def _macro(self, name: str, lengths: list[str], sizes: list[list[str]]) -> str:
        """The definition of a sum of products."""
        if not lengths:
            return f"#define {name} {sum(math.prod(map(int, size)) for size in sizes)}"
        products = [product(f"(size_t)({x})" if x in lengths else x for x in size) for size in sizes]
        return f"#define {name}({', '.join(dict.fromkeys(lengths))}) ({' + '.join(products)})"

    @property
    def given(self) -> list[str]:
        """All parameters: lengths, arguments, and the workspace if there is one."""
        return [*self.lengths.values(), *self.names, *([self.workspace] if self.kept else [])]

    def parameters(self, restrict: str = "") -> list[str]:
        """Their declarations."""
        pointers = [self._pointer(name, restrict) for name in self.given[len(self.lengths) :]]
        return [*(f"size_t {word}" for word in self.lengths.values()), *pointers]

    @cached_property
    def declarations(self) -> dict[str, str]:
        """Arguments of parts → their declarations: the scratch, lengths, passes of loops, arrays."""
        numbers = [*self.lengths.values(), *(f"i{r}" for r in range(len(self.program.loops.regions)))]
        arrays = [*self.names, *(f"kept{k}" for k in self._read_again)]
        return {
            "s": self._pointer("s", self.language.restrict),
            **{word: f"size_t {word}" for word in numbers},
            **{word: self._pointer(word, self.language.restrict) for word in arrays},
        }

    def _pointer(self, name: str, restrict: str) -> str:
        const = "const " if name in self.names[: len(self.program.inputs)] else ""
        return f"{const}{self.scalar} {f'*{restrict} ' if restrict else '*'}{name}"

    def row(self, k: int, index: str) -> str:
        """Argument k of the state of that index in a batch."""
        argument = self.arguments[k]
        factors = [*(self.lengths[name] for name in argument.dims), str(argument.size), index]
        return f"{self.names[k]} + {product(factors)}" if argument.size else self.names[k]

    def state(self, index: str, workspace: str) -> str:
        """Arguments of the function of one state for the one of that index in a batch."""
        rows = [self.row(k, index) for k in range(len(self.names))]
        return ", ".join([*self.lengths.values(), *rows, *([workspace] if self.kept else [])])


def unit(program: Program, name: str | None = None, *, dtype: str = "float64", about: Sequence[str] = ()) -> Unit:
    """A program under a C name, by default its own; an error if the name cannot be one.

    >>> from kinetrace.engine.trace import trace
    >>> unit(trace(lambda x: x * x, {"x": (3,)}, name="my_square")).size_macro(0)
    'MY_SQUARE_X_SIZE'
    """
    check(program)
    dtype = check_dtype(dtype)
    name = identifier(program.name) if name is None else name
    made = Unit(program, name, dtype, tuple(about))
    if not _is_good(made):
        raise InputError(
            f"name: {name!r} must be letters and digits with single underscores between them, at least one, begin with "
            f"a letter, be no name of C, C++, CUDA or their libraries or of the test, and not end in '_test'; "
            f"{_good(made)!r} would do"
        )
    return made


def _is_good(of: Unit) -> bool:
    return of.name == identifier(of.name) and not of.name.endswith("_test") and of.name not in of.test_names


def _good(of: Unit) -> str:
    """A name like that of the unit which is good."""
    of = replace(of, name=identifier(identifier(of.name).removesuffix("_test")))
    while not _is_good(of):
        of = replace(of, name=identifier(f"{of.name}_function"))
    return of.name


def identifier(*words: str) -> str:
    """Words joined to a C name, letters in their case.

    >>> identifier("my robot-2", "inverse_dynamics"), identifier("3 arms"), identifier("puts")
    ('my_robot_2_inverse_dynamics', 'x3_arms', 'puts_function')
    """
    name = re.sub(r"[\W_]+", "_", "_".join(words), flags=re.ASCII).strip("_") or "x"
    name = name if name[0].isalpha() else f"x{name}"
    longer = (name, f"{name}_function", f"x_{name}_function")  # some names are taken whatever follows
    return next(x for x in longer if not is_taken(x))


def about_lines(of: Unit) -> list[str]:
    """Lines of `about`, and the meaning of lengths."""
    return [
        *of.about,
        *([""] if of.about else []),
        *(f"{word}: how many rows the arrays with {name} in their shapes have" for name, word in of.lengths.items()),
    ]


def argument_lines(of: Unit) -> list[str]:
    """The arguments with their shapes, one per line."""
    inputs = len(of.program.inputs)
    shapes = [f"({', '.join(map(str, a.shape))}{',' * (len(a.shape) == 1)})" for a in of.arguments]
    width, wide = max(map(len, of.names)), max(map(len, shapes))
    return [
        f"  {name:{width}}  {'in ' if k < inputs else 'out'}  {shape:{wide}}{_alias(a.name, name)}".rstrip()
        for k, (name, shape, a) in enumerate(zip(of.names, shapes, of.arguments, strict=True))
    ]


def cost_lines(of: Unit, memory: str = "") -> list[str]:
    """Cost of a state: operations outside of loops, and of a pass of each."""
    loops, (outside, *passes) = of.program.loops, of.program.counts()
    found = [f"One state: {outside}{memory}."]
    for r, (region, inside) in enumerate(zip(loops.regions, passes, strict=True)):
        margin = "  " * len(loops.around(r))
        often = f"at most {region.length}, until it has converged" if region.active >= 0 else of.length(region.length)
        found.append(f"{margin}Each pass of loop {r} ({often}): {inside}.")
    return found


def _alias(name: str, word: str) -> str:
    return "" if name == word else f"  {name}"
