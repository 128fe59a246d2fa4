"""What a function of a model takes, declared once and beside it: its signature, and what `algorithm` adds.

The signature of a function of (model, arrays..., *, ...) says most: which arrays it needs, whose names give their
shapes (`model.arguments`); which it may be given besides, wrenches by frame among them; and its static choices, which
decide what is traced, with their valid values as a `Literal`. All that offers algorithms reads it here.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, TypeVar, cast

from ..derivative.derived import Derived
from ..errors import InputError, is_hashable, lookup, unknown
from ..errors.unknown_names import advice, translations
from ..model.arguments import ARGUMENTS, MAPPINGS, check_first
from ..model.model import Model
from ..support.functions import name_of, parameters_of
from ..support.lazy import cached_property
from ..support.plain import plain_flag
from .annotations import Choice, choice_of, hints_of
from .choices import as_tuples

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class Declaration:
    """A function of a model, and its declared properties.

    `label` is a short name for tables and pictures, `aliases` what other libraries call it. `keeps_forces` is not None
    if the result depends on the joint forces τ(q, v, v̇) of a resting base alone: the names of further arguments under
    which that stays so. `most_nv` is the size up to which it is traced in seconds, `beyond` what to do for larger
    robots. `honours_closures` says whether closed loops change the result; else it is about the tree. `about_closures`
    says whether it is about closed loops alone: robots without have other functions, or nothing, for it.
    `instead_for_loops` says what there is for robots with closed loops, if a result about their tree would mislead:
    they are refused. `inverts_compliance` says whether it needs rows of frames that the robot can move independently,
    unless it is given a `task_damping`.
    """

    function: Callable[..., Any]
    label: str = ""
    aliases: tuple[str, ...] = ()
    keeps_forces: frozenset[str] | None = None
    most_nv: int | None = None
    beyond: str = ""
    honours_closures: bool = False
    inverts_compliance: bool = False
    about_closures: bool = False
    instead_for_loops: str = ""
    name: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", name_of(self.function))

    @cached_property
    def _signature(self) -> list[inspect.Parameter]:
        return parameters_of(self.function)

    @cached_property
    def parameters(self) -> dict[str, inspect.Parameter]:
        """The arguments after the model, by name."""
        check_first(self.function, self._signature)
        return {p.name: p for p in self._signature[1:] if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)}

    @cached_property
    def takes_any(self) -> bool:
        """Whether it takes keywords of any name."""
        return any(p.kind is p.VAR_KEYWORD for p in self._signature)

    @cached_property
    def choices(self) -> dict[str, Choice]:
        """The static choices that the signature declares, by name, in their order."""
        hints = hints_of(self.function)
        found = {name: choice_of(hints.get(name, p.annotation), p.default) for name, p in self.parameters.items()}
        return {name: choice for name, choice in found.items() if choice is not None}

    @cached_property
    def arrays(self) -> tuple[str, ...]:
        """The arrays that it needs."""
        return tuple(x for x, p in self.parameters.items() if p.default is p.empty and x not in self.choices)

    @cached_property
    def further(self) -> tuple[str, ...]:
        """Its optional inputs: arrays that are known by their names, and mappings to arrays."""
        names = (x for x in self.parameters if x not in self.arrays and x not in self.choices)
        return tuple(x for x in names if x in ARGUMENTS or x in MAPPINGS)

    @property
    def needs_frame(self) -> bool:
        """Whether it requires the name of a frame."""
        frame = self.choices.get("frame")
        return frame is not None and frame.is_required

    def canonical(self, static: Mapping[str, Any]) -> dict[str, Any]:
        """Static choices that are not the defaults, flags as Python's own; equal choices have equal results.

        >>> import kinetrace as kt
        >>> declared(kt.algorithms.coriolis_matrix).canonical({"form": "christoffel"})
        {}
        """
        found = {}
        for name in (x for x in {**self.choices, **static} if x in static):  # in one order
            x = static[name]
            choice = self.choices.get(name)
            if choice is not None and choice.kind is bool and not (x is None and choice.default is None):
                x = plain_flag(name, x)
            elif choice is not None and choice.kind is tuple:
                x = as_tuples(x)
            elif isinstance(x, str):
                x = str.__str__(x)  # of no subclass
            self._check(name, choice, x)
            if choice is None or type(x) is not type(choice.default) or x != choice.default:
                found[name] = x
        return found

    def _check(self, name: str, choice: Choice | None, x: Any) -> None:
        """An error if a choice is not one of the valid ones; algorithms of the library check theirs themselves."""
        values = () if choice is None or ALGORITHMS.get(self.name) is self else choice.values
        absent = choice is not None and x is None and choice.default is None
        if values and not absent and not (is_hashable(x) and x in values):
            raise unknown(f"{name} of {self.name}", x, map(str, values))

    def depends_on_forces_only(self, given: Mapping[str, Any]) -> bool:
        """Whether the result, with what is given beyond the required arrays, depends on τ(q, v, v̇) alone."""
        further = self.canonical(given).keys() - set(self.arrays)
        return self.keeps_forces is not None and further <= self.keeps_forces

    def check_size(self, nv: int) -> None:
        """An error if it takes too long to trace for so many degrees of freedom."""
        if self.most_nv is not None and nv > self.most_nv:
            size = f"{self.name} of {nv} degrees of freedom has {nv**4:,} terms, too many to trace"
            raise InputError(f"{size} (up to {self.most_nv}); {self.beyond}")


ALGORITHMS: dict[str, Declaration] = {}
"""The library's algorithms by name."""


_NO_KERNEL = {
    **dict.fromkeys(
        ("rollout", "rollout_derivatives"),
        "!robot.{} runs it; robot.kernel(kt.algorithms.{}, shapes={'tau': ('t', robot.nv)}) is its kernel",
    ),
    **dict.fromkeys(("integrate", "difference", "normalise"), "kt.Model.{}, a function of the model"),
    "simulate": "!robot.simulate runs it; kt.algorithms.rollout can be compiled",
}


def algorithm_named(name: str, among: Mapping[str, Declaration] | None = None) -> Declaration:
    """The algorithm of a name, or an error that says what it is called here.

    >>> algorithm_named("rnea")
    Traceback (most recent call last):
    kinetrace.errors.InputError: unknown algorithm 'rnea'; did you mean 'inverse_dynamics'?
    """
    table = ALGORITHMS if among is None else among
    if not isinstance(name, str) or name in table:
        return lookup("algorithm", name, table)
    from ..errors.other_libraries import ROBOT  # late: errors alone need it

    aliases = {alias: says.name for says in table.values() for alias in says.aliases}
    options = translations(name, {**ROBOT, **_NO_KERNEL, **aliases}, table)
    if options and (name in _NO_KERNEL or options[0] in table):
        hint = advice([repr(x) if x in table else x for x in options])
        raise InputError(f"unknown algorithm {name!r}; {hint}")
    return lookup("algorithm", name, table)


def algorithm(
    label: str = "",
    *,
    aliases: tuple[str, ...] = (),
    keeps_forces: tuple[str, ...] | None = None,
    most_nv: int | None = None,
    beyond: str = "",
    honours_closures: bool = False,
    inverts_compliance: bool = False,
    about_closures: bool = False,
    instead_for_loops: str = "",
) -> Callable[[F], F]:
    """Declare a function as an algorithm of the library; see `Declaration`.

    The function is returned unchanged; with `instead_for_loops`, it refuses robots with closed loops.
    """

    def declare(given: F) -> F:
        function = _of_trees(given, instead_for_loops) if instead_for_loops else given
        keeps = None if keeps_forces is None else frozenset(keeps_forces)
        label_of = label or function.__name__.replace("_", " ")
        loops = honours_closures, inverts_compliance, about_closures
        made = Declaration(function, label_of, aliases, keeps, most_nv, beyond, *loops, instead_for_loops)
        ALGORITHMS[made.name] = made
        return function

    return declare


def _of_trees(function: F, instead: str) -> F:
    @wraps(function)
    def checked(model: Model, *args: Any, **named: Any) -> Any:
        check_tree(function.__name__, model, instead)
        return function(model, *args, **named)

    return cast(F, checked)


def check_tree(what: str, model: Model, instead: str) -> None:
    """An error if a model has closed loops, which says what there is for these.

    >>> import kinetrace as kt
    >>> check_tree("spread", kt.load("four_bar").model, "there is reduced_mass_matrix")
    Traceback (most recent call last):
    kinetrace.errors.InputError: spread is for robots without closed loops, not 'four_bar': there is reduced_mass_matrix
    """
    if model.closures:
        raise InputError(f"{what} is for robots without closed loops, not {model.name!r}: {instead}")


def declared(function: Callable[..., Any]) -> Declaration:
    """The declaration of an algorithm, or that of any other function by its signature.

    >>> import kinetrace as kt
    >>> declared(kt.algorithms.jacobian).choices["expressed_in"].values
    ('body', 'space', 'aligned')
    """
    found = ALGORITHMS.get(getattr(function, "__name__", ""))
    return found if found is not None and found.function is function else Declaration(function)


def underlying(function: Callable[..., Any]) -> Declaration:
    """What is declared of the function that a derivative is made of; of another function, of itself.

    >>> import kinetrace as kt
    >>> underlying(kt.jacobian(kt.algorithms.gravity)).name
    'gravity'
    """
    while isinstance(function, Derived):
        function = function.function
    return declared(function)
