"""Names of the columns of tables: which ones hold an argument, and how those of results are called.

An array is a column of lists under its own name, or one column per entry: q0, q1, … for q (n,), M0_0, M0_1, … for
M (n, n). Columns of `Trajectory.save` ("q:joint [rad]") are known too.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...engine.runtime.kernel import Kernel
from ...engine.trace import Argument
from ...errors import InputError, count_text, name_list, unknown_name_error
from ...model.model import Model
from ...simulation.metadata import names_of


class Columns(NamedTuple):
    """Where a table has an argument: in one column of lists, or in columns of its entries."""

    argument: Argument
    names: tuple[str, ...]
    lists: bool


def entry_names(name: str, shape: tuple[int, ...]) -> tuple[str, ...]:
    """Names of the columns of an array's entries.

    >>> entry_names("q", (3,)), entry_names("M", (2, 2)), entry_names("t", ()), entry_names("out1", (2,))
    (('q0', 'q1', 'q2'), ('M0_0', 'M0_1', 'M1_0', 'M1_1'), ('t',), ('out1_0', 'out1_1'))
    """
    mark = "_" if name[-1:].isdigit() else ""
    return tuple(name + mark * bool(index) + "_".join(map(str, index)) for index in np.ndindex(*shape))


def trajectory_names(name: str, model: Model | None) -> tuple[str, ...]:
    """Names of an argument's columns in a table of `Trajectory`; none if it has none there.

    >>> import kinetrace as kt
    >>> trajectory_names("q", kt.load("planar2r").model)
    ('q:joint1 [rad]', 'q:joint2 [rad]')
    """
    if model is None or name not in ("q", "v", "tau"):
        return ()
    names = names_of(model)
    of, units = (names.q if name == "q" else names.v), getattr(names, f"{name}_units")
    return tuple(f"{name}:{x} [{unit}]" for x, unit in zip(of, units, strict=True))


def columns_for(
    kernel: Kernel,
    fixed: Mapping[str, Any],
    lengths: Mapping[str, int | None],
    given: Mapping[str, str | Sequence[str]],
    where: str,
) -> tuple[Columns, ...]:
    """The columns of all arguments but those that are fixed.

    `lengths` has the table's columns: 0 for numbers, the length of lists, None if a column's lists may have any.
    """
    model = None if kernel.origin is None else kernel.origin.model
    wanted = [a for a in kernel.program.inputs if a.name not in fixed]
    for name in given:
        if name not in (valid := [a.name for a in wanted]):
            raise unknown_name_error("argument in columns", name, valid)
    result, missing = list[Columns](), list[str]()
    for a in wanted:
        named = given.get(a.name)
        choices = [(a.name,), trajectory_names(a.name, model), entry_names(a.name, a.shape)]
        if named is not None:
            choices = [(named,) if isinstance(named, str) else tuple(named)]
        there = [x for x in choices if x and all(name in lengths for name in x)]
        # a column of numbers with the name of an array may be an entry of another one, as q1 of q
        whole = (x for x in there if lengths[x[0]] != 0 or len(x) == math.prod(a.shape))
        fitting = next(whole, there[0] if there else None)
        if fitting is None:
            missing.append(f"{a.name}: {name_list([x for x in choices[-1] if x not in lengths])}")
        else:
            result.append(_checked(Columns(a, fitting, lengths[fitting[0]] != 0), lengths, where))
    if missing:
        hint = "columns={...} names those of an argument, constants={...} gives one value for all states"
        raise InputError(f"{where} has no columns for {'; '.join(missing)}. It has {name_list(list(lengths))}; {hint}")
    return tuple(result)


def check_no_more(
    kernel: Kernel, columns: Sequence[Columns], numbers: Collection[str], known: Collection[str], where: str
) -> None:
    """An error if a table has further entries of an argument: those of another robot.

    `numbers` are the table's columns of numbers, `known` those that the caller has named, whatever they are called.
    """
    model = None if kernel.origin is None else kernel.origin.model
    used = {*known, *(x.name for x in kernel.program.inputs), *(name for x in columns for name in x.names)}
    for a, names, _ in columns:
        more: list[str] = []
        if names == trajectory_names(a.name, model):
            more = [x for x in numbers if x.startswith(f"{a.name}:")]
        elif a.shape and names == entry_names(a.name, a.shape):
            more = [x for x in _following(a) if x in numbers]
        if more := [x for x in more if x not in used]:
            raise InputError(
                f"{where} has {name_list(more)} besides {name_list(names)}, but {a.name} has shape {a.shape}: is this "
                f"of another robot? If not, columns={{...}} names those of {a.name}, or keep=[...] the others"
            )


def _following(a: Argument) -> list[str]:
    """Names of the entries that an array would have next if it were longer along one of its axes."""
    begin = entry_names(a.name, (1,))[0][:-1]
    places = [[n if k == axis else 0 for k in range(len(a.shape))] for axis, n in enumerate(a.shape)]
    return [begin + "_".join(map(str, place)) for place in places]


def _checked(columns: Columns, lengths: Mapping[str, int | None], where: str) -> Columns:
    a, names, _ = columns
    size = math.prod(a.shape)
    mixed = [name for name in names if (lengths[name] != 0) != columns.lists]
    if columns.lists and (len(names) > 1 or lengths[names[0]] not in (size, None)):
        length = "of several columns" if len(names) > 1 else f"of length {lengths[names[0]]}"
        raise InputError(f"{where}: {a.name} has shape {a.shape}, but column {names[0]!r} has lists {length}")
    if not columns.lists and (len(names) != size or mixed):
        has = f"column {mixed[0]!r} has lists" if mixed else f"got {count_text(len(names), 'column')}"
        raise InputError(f"{where}: {a.name} has shape {a.shape}, which takes {count_text(size, 'column')}; {has}")
    return columns


def result_names(kernel: Kernel, outputs: str | Sequence[str] | None) -> tuple[str, ...]:
    """Names of the results: given, or that of the kernel, or the program's own if there are several.

    >>> import kinetrace as kt
    >>> result_names(kt.load("planar2r").kernel("gravity"), None)
    ('gravity',)
    """
    of = kernel.program.outputs
    if outputs is None:
        return (kernel.__name__,) if len(of) == 1 else tuple(a.name for a in of)
    names = (outputs,) if isinstance(outputs, str) else tuple(outputs)
    if len(names) != len(of) or len(set(names)) < len(names) or not all(isinstance(x, str) and x for x in names):
        raise InputError(f"{kernel.__name__} has {count_text(len(of), 'result')}, outputs must name each: got {names}")
    return names
