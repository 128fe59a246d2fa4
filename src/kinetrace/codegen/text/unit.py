"""A program with its names in C."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...errors import InputError
from ...support.lazy import cached_property
from ...trace import Argument, Program, check
from ..plan import SIZES, Plan
from ..runtime.kernel import check_settings
from .words import SHORT, is_taken

_TYPES = {"float64": "double", "float32": "float"}


@dataclass(frozen=True)
class Unit:
    """A program with its names in C; `about` are lines for the comment on top."""

    program: Program
    name: str
    dtype: str = "float64"
    about: tuple[str, ...] = ()
    restrict: str = "restrict"
    local: str = "static"

    @property
    def scalar(self) -> str:
        """The type of a number."""
        return _TYPES[self.dtype]

    @cached_property
    def plan(self) -> Plan:
        """How the line is cut, and where values live between the parts."""
        return Plan(self.program, 1, self.scalar)

    @property
    def scratch(self) -> int:
        """Numbers that cross from one part to another."""
        return self.plan.slot_count

    @property
    def scratch_bytes(self) -> int:
        """Bytes of them, on the stack."""
        return self.scratch * SIZES[self.scalar]

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Inputs, then outputs."""
        return self.program.inputs + self.program.outputs

    @cached_property
    def names(self) -> list[str]:
        """The arguments' names in C, all different."""
        names: list[str] = []
        own = rf"t\d+|{self.name}(_batch|_launch|_states|_part\d+)?"
        for argument in self.arguments:
            word = re.sub(r"\W+", "_", argument.name, flags=re.ASCII).strip("_") or "x"
            word = word if word[0].isalpha() else f"x{word}"
            taken = {name.lower() for name in names}
            while word.lower() in SHORT | taken or re.fullmatch(own, word):
                word += "_"
            names.append(word)
        return names

    @property
    def test_names(self) -> list[str]:
        """The names of arrays in the test."""
        return [f"{kind}_{name}" for kind in ("in", "found", "expected", "device") for name in self.names]

    @cached_property
    def places(self) -> list[str]:
        """The C expressions of all scalar arguments, in the order of the plan's slots."""
        return [f"{name}[{e}]" for name, a in zip(self.names, self.arguments, strict=True) for e in range(a.size)]

    def size_macro(self, k: int) -> str:
        """The macro with the size of argument k."""
        return f"{self.name}_{self.names[k]}_size".upper()

    def parameters(self, restrict: str = "", which: Sequence[int] | None = None) -> list[str]:
        """Declarations of arguments, by default of all."""
        pointer, inputs = f"*{restrict} " if restrict else "*", len(self.program.inputs)
        return [
            f"{'const ' if k < inputs else ''}{self.scalar} {pointer}{self.names[k]}"
            for k in (range(len(self.names)) if which is None else which)
        ]

    def row(self, k: int, index: str) -> str:
        """Argument k of the state of that index in a batch."""
        size = self.arguments[k].size
        return f"{self.names[k]} + {size} * {index}" if size else self.names[k]


def unit(program: Program, name: str | None = None, *, dtype: str = "float64", about: Sequence[str] = ()) -> Unit:
    """A program under a C name, by default its own; an error if the name cannot be one.

    >>> from kinetrace.trace import trace
    >>> unit(trace(lambda x: x * x, {"x": (3,)}, name="my_square")).size_macro(0)
    'MY_SQUARE_X_SIZE'
    """
    check(program)
    dtype = check_settings(dtype, "numpy")
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
