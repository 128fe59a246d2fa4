"""An algorithm as one object: a function of a model, and all that is known of its arguments and results.

The signature of a function of (model, arrays..., *, ...) says most: which arrays it needs, whose names give their
shapes (`model.arguments`); which it may be given besides, wrenches by frame among them; and its static choices, which
decide what is traced, with their valid values as a `Literal`. A method of `Robot` adds its own signature, in which
choices may need no name (`robot.dispatch.compiled`). Arguments are checked once, where a call enters (`canonical`):
what is behind takes them as they are.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ...errors import InputError, is_hashable, unknown_name_error
from ...model.arguments import ARGUMENTS, MAPPINGS, check_first
from ...model.model import Model
from ...support.attributes import cached_property
from ...support.conversion import as_flag
from ...support.functions import name_of, parameters_of
from .choices import Choice, as_tuples, choice_of, hints_of
from .descriptions import Texts, result_axes


class ArgumentRules(NamedTuple):
    """Conditions on the arguments of a method; robots that check their arguments check them."""

    velocities: tuple[str, ...] = ("v",)
    """Arguments that are velocities, and may have limits."""
    open_loops: bool = False
    """Whether loops may be open in configurations."""
    any_length: bool = False
    """Whether quaternions may have any length but zero, and positions may be beyond limits."""


@dataclass(eq=False, repr=False)
class Algorithm:
    """A function of a model, and its declared properties.

    `label` is a short name for tables and pictures, `aliases` what other libraries call it. `keeps_forces` is not None
    if the result depends on the joint forces τ(q, v, v̇) of a resting base alone: the names of further arguments under
    which that stays so. `most_nv` is the size up to which it is traced in seconds, `beyond` what to do for larger
    robots. `honours_closures` says whether closed loops change the result; else it is about the tree. `about_closures`
    says whether it is about closed loops alone: robots without have other functions, or nothing, for it.
    `instead_for_loops` says what there is for robots with closed loops, if a result about their tree would mislead:
    they are refused. `inverts_compliance` says whether it needs rows of frames that the robot can move independently,
    unless it is given a `task_damping`. `returns` describes its results, as `algorithm` explains.
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
    returns: Texts = ""
    listed: bool = False
    """Whether it is one of the library's algorithms, which check their choices themselves."""
    method: Callable[..., Any] | None = None
    """The method of `Robot` that evaluates it, as it is written: signature and docstring; None if there is none."""
    rules: ArgumentRules = ArgumentRules()  # noqa: RUF009
    """Those of the method."""
    name: str = field(init=False)

    def __post_init__(self) -> None:
        self.name = sys.intern(name_of(self.function))  # as attributes are: else each look at a robot compares texts

    @cached_property  # signatures are read when they are first needed: there are many
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
        choices = {name: choice_of(hints.get(name, p.annotation), p.default) for name, p in self.parameters.items()}
        return {name: choice for name, choice in choices.items() if choice is not None}

    @cached_property
    def distinguishes_types(self) -> bool:
        """Whether choices that are equal may differ, as 1 and True do."""
        return any(choice.kind is not str for choice in self.choices.values())

    @cached_property
    def arrays(self) -> tuple[str, ...]:
        """The arrays that it needs."""
        return tuple(x for x, p in self.parameters.items() if p.default is p.empty and x not in self.choices)

    @cached_property
    def further(self) -> tuple[str, ...]:
        """Its optional inputs: arrays that are known by their names, and mappings to arrays."""
        names = (x for x in self.parameters if x not in self.arrays and x not in self.choices)
        return tuple(x for x in names if x in ARGUMENTS or x in MAPPINGS)

    @cached_property
    def results(self) -> list[tuple[str, tuple[str, ...]]]:
        """Names of the results, empty if there is one, and their axes, as texts such as "nv"; none if not declared.

        >>> import kinetrace as kt
        >>> kt.algorithms.step.algorithm.results
        [('q', ('nq',)), ('v', ('nv',))]
        """
        return result_axes(self.returns)

    @cached_property
    def signature(self) -> inspect.Signature:
        """That of the method of `Robot`, without annotations and `self`."""
        assert self.method is not None
        _, *rest = inspect.signature(self.method).parameters.values()
        return inspect.Signature([p.replace(annotation=p.empty) for p in rest])

    @cached_property
    def arguments(self) -> dict[str, inspect.Parameter]:
        """Those of the method, in its order: all but `out` and `threads`."""
        return {x: p for x, p in self.signature.parameters.items() if x not in ("out", "threads")}

    @cached_property
    def positional(self) -> tuple[str, ...]:
        """Arguments of the method that need no name."""
        return tuple(x for x, p in self.arguments.items() if p.kind is not p.KEYWORD_ONLY)

    @cached_property
    def required(self) -> frozenset[str]:
        """Arguments of the method without a default."""
        return frozenset(x for x, p in self.arguments.items() if p.default is p.empty)

    @cached_property
    def defaults(self) -> dict[str, Any]:
        """The static choices with their defaults, in the order of the method."""
        return {x: p.default for x, p in self.arguments.items() if x in self.choices}

    @property
    def needs_frame(self) -> bool:
        """Whether it requires the name of a frame."""
        frame = self.choices.get("frame")
        return frame is not None and frame.is_required

    def canonical(self, static: Mapping[str, Any]) -> dict[str, Any]:
        """Static choices that are not the defaults, flags as Python's own; equal choices have equal results.

        >>> import kinetrace as kt
        >>> kt.algorithms.coriolis_matrix.algorithm.canonical({"form": "christoffel"})
        {}
        """
        if not static:
            return {}
        chosen = {}
        for name in (x for x in {**self.choices, **static} if x in static):  # in one order
            x = static[name]
            choice = self.choices.get(name)
            if choice is not None and choice.kind is bool and not (x is None and choice.default is None):
                x = as_flag(name, x)
            elif choice is not None and choice.kind is tuple:
                x = as_tuples(x)
            elif isinstance(x, str):
                x = str.__str__(x)  # of no subclass
            self._check(name, choice, x)
            if choice is None or type(x) is not type(choice.default) or x != choice.default:
                chosen[name] = x
        return chosen

    def _check(self, name: str, choice: Choice | None, x: Any) -> None:
        """An error if a choice is not one of the valid ones."""
        values = () if choice is None or self.listed else choice.values
        absent = choice is not None and x is None and choice.default is None
        if values and not absent and not (is_hashable(x) and x in values):
            raise unknown_name_error(f"{name} of {self.name}", x, map(str, values))

    def depends_on_forces_only(self, given: Mapping[str, Any]) -> bool:
        """Whether the result, with the canonical arguments beyond the required arrays, depends on τ(q, v, v̇) alone."""
        return self.keeps_forces is not None and given.keys() - set(self.arrays) <= self.keeps_forces

    def check(self, model: Model, static: Mapping[str, Any], shapes: Mapping[str, Any]) -> None:
        """An error if it has no result for a model with these choices; `shapes` are those of further arrays."""
        if self.inverts_compliance:
            from ..tasks.independent_rows import check_task_rows  # not at the top: it reads algorithms

            check_task_rows(model, self.name, static, shapes)

    def check_size(self, nv: int) -> None:
        """An error if it takes too long to trace for so many degrees of freedom."""
        if self.most_nv is not None and nv > self.most_nv:
            size = f"{self.name} of {nv} degrees of freedom has {nv**4:,} terms, too many to trace"
            raise InputError(f"{size} (up to {self.most_nv}); {self.beyond}")
