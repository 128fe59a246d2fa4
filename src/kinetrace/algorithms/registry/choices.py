"""The static choices of algorithms: their valid values as types, and choices as annotations declare them."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, get_args, get_origin

import numpy as np

ExpressedIn = Literal["body", "space", "aligned"]
"""Axes and origin of a frame's motion: its own; the world's; the world's axes at the frame's origin."""
GoalAxes = Literal["body", "aligned"]
"""Axes of a pose's error: those of the frame; the world's."""
RowNames = Literal["pose", "position", "orientation"]
"""Rows of a frame's twist: all six; the last three; the first three."""
Rows = RowNames | Sequence[int] | Sequence[RowNames | Sequence[int]]
"""Rows by name, or by their indices; or one such choice for each of several frames."""
Frames = str | Sequence[str]
"""The name of a frame, or several."""
CoriolisForm = Literal["christoffel", "skew", "newton"]
ChristoffelKind = Literal[1, 2]
InverseMethod = Literal["classical", "spatial"]
MassMethod = Literal["composite", "jacobians", "factors"]
ClosedMethod = Literal["sweeps", "factors", "quasi", "dense", "independent"]
ForwardMethod = Literal["FD1", "FD3", "FD4", "solve", "sweeps", "factors", "quasi", "dense", "independent"]
Measure = Literal["volume", "smallest", "condition", "dynamic"]
Least = Literal["torques", "forces"]
ExplicitMethod = Literal["semi-implicit", "euler", "rk4"]
StepMethod = Literal["semi-implicit", "euler", "rk4", "rkmk2", "rkmk4", "variational", "rosenbrock", "implicit"]


def as_tuples(x: Any) -> Any:
    """Lists, ranges and arrays as tuples, names and whole numbers as Python's own; anything else as it is.

    >>> as_tuples([range(3), np.array([3, 4]), "position"])
    ((0, 1, 2), (3, 4), 'position')
    """
    if isinstance(x, list | tuple | range) or (isinstance(x, np.ndarray) and x.ndim):
        return tuple(map(as_tuples, x))
    return str.__str__(x) if isinstance(x, str) else int(x) if isinstance(x, np.integer) else x


_CHOICE_TYPES: tuple[type, ...] = (bool, int, str)
"""Types of static choices."""


class Choice(NamedTuple):
    """A static choice: its type, its valid values if they are few, its default (`inspect.Parameter.empty` if none).

    The type is `tuple` for a name or several: what is given as a list becomes a tuple.
    """

    kind: type
    values: tuple[Any, ...]
    default: Any

    @property
    def is_required(self) -> bool:
        """Whether there is no default."""
        return self.default is inspect.Parameter.empty


def hints_of(function: Any) -> dict[str, Any]:
    """Annotations as types, or as they are if they cannot be resolved."""
    try:
        return typing.get_type_hints(function)
    except Exception:  # names imported for type checkers only, or any other annotation
        return dict(getattr(function, "__annotations__", {}))


def choice_of(hint: Any, default: Any) -> Choice | None:
    """The choice that an annotation declares, None if it declares an array."""
    kinds = {k.__name__: k for k in _CHOICE_TYPES}
    options = [x for x in (get_args(hint) if _is_union(hint) else (hint,)) if x is not type(None)]
    if len(options) != 1:
        several = any(_is_name(x) for x in options) and all(_is_name(x) or _are_names(x) for x in options)
        return Choice(tuple, (), default) if several else None
    (option,) = options
    if get_origin(option) is Literal:
        values = get_args(option)
        kinds_of = {type(x) for x in values}
        return Choice(kinds_of.pop() if len(kinds_of) == 1 else object, values, default) if values else None
    kind = kinds.get(option) if isinstance(option, str) else option
    return Choice(kind, (), default) if kind in _CHOICE_TYPES else None


def _is_union(hint: Any) -> bool:
    return get_origin(hint) in (typing.Union, type(int | str))


def _is_name(hint: Any) -> bool:
    return hint is str or get_origin(hint) is Literal


def _are_names(hint: Any) -> bool:
    """Whether it is a sequence of names, whole numbers, or sequences of these."""
    if get_origin(hint) is not Sequence:
        return False
    (item,) = get_args(hint)
    return all(x is int or _is_name(x) or _are_names(x) for x in (get_args(item) if _is_union(item) else (item,)))
