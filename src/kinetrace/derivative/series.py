"""Derivatives of, and by, arrays whose length is known when a kernel is called: see `trace.loops.Series`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..arrays import objects
from ..errors import InputError
from ..trace.differentiate import adjoints, tangents
from ..trace.loops import Series
from .traced import Traced, Variables


def check_reverse(f: Traced) -> None:
    """Raise an error if the function returns a series, which reverse mode cannot differentiate."""
    if any(isinstance(x, Series) for x in f.results):
        raise InputError(
            "a function that returns a series is differentiated forward, and not with respect to a series: return the "
            "last state, or a sum that the loop carries, instead of the whole series"
        )


def check_no_series(verb: str, f: Traced) -> None:
    """Raise an error if a variable of differentiation is a series."""
    if any(v.series is not None for v in f.variables):
        raise InputError(f"{verb}: a series has no directions of its own here; take jacobian or vjp by it")


def prefers_reverse(f: Traced) -> bool:
    """Whether reverse mode is the cheaper one, or the only one."""
    if any(isinstance(x, Series) for x in f.results):
        return False
    return any(v.series is not None for v in f.variables) or len(f.outputs) < f.directions


def forward_blocks(f: Traced) -> list[Any]:
    """A block for each result and variable, by forward mode: of a series, a series with the directions in its rows."""
    if any(v.series is not None for v in f.variables):
        check_reverse(f)
        raise InputError('derivatives by a series are taken in reverse: leave mode out, or take mode="reverse"')
    writes = [x.source[1] for x in f.results if isinstance(x, Series)]
    series: dict[int, Any] = {}
    zero, rows = f.context.lifted(0.0), iter(tangents(f.outputs, f.seeds, series, writes))
    blocks = list[Any]()
    for x in f.results:
        if isinstance(x, Series):
            blocks += [_rows_of(f, x, series[x.source[1]], v) for v in f.variables]
            continue
        own = [next(rows) for _ in range(x.size)]
        for v in f.variables:
            directions = range(v.directions.start, v.directions.stop)
            blocks.append(objects([r.get(d, zero) for r in own for d in directions], (*x.shape, *v.shape)))
    return blocks


def _rows_of(f: Traced, x: Series, changes: dict[Any, Series], v: Variables) -> Series:
    """How the rows of a series change along the directions of a variable."""
    directions = range(v.directions.start, v.directions.stop)
    return _joined(x, [changes.get(d) for d in directions], (*x.row, *v.shape), last=True)


def _joined(like: Series, parts: Sequence[Series | None], row: tuple[int, ...], last: bool) -> Series:
    """One series of the rows of several; None has zeros."""
    there = [x for x in parts if x is not None]

    def join(carry: Any, rows: tuple[Any, ...]) -> tuple[Any, Any]:
        left = iter(rows[1:])
        flat = [[0.0] * math.prod(like.row) if x is None else list(next(left).flat) for x in parts]
        entries = (
            [x for column in zip(*flat, strict=True) for x in column] if last else [x for part in flat for x in part]
        )
        return carry, objects(entries, row)

    found: Series = like.loop_writer.scan(join, (), (like, *there))[1]
    return found


def reverse_blocks(f: Traced) -> list[Any]:
    """A block for each result and variable, by reverse mode; with respect to a series, its axis comes first."""
    check_reverse(f)
    sources: dict[tuple[str, int], dict[int, Any]] = {v.series.source: {} for v in f.variables if v.series is not None}
    rows = adjoints(f.outputs, f.inputs, [{k: 1.0} for k in range(len(f.outputs))], sources)
    matrix = objects([x for row in rows for x in f.along(row)], (len(rows), f.directions))
    blocks, begin = list[Any](), 0
    for x in f.results:
        for v in f.variables:
            own = slice(begin, begin + x.size)
            if v.series is None:
                blocks.append(matrix[own, v.directions].reshape((*x.shape, *v.shape)))
            else:
                parts = [sources[v.series.source].get(k) for k in range(own.start, own.stop)]
                blocks.append(nested_join(v.series, parts, (*x.shape, *v.series.row)))
        begin += x.size
    return blocks


def nested_join(like: Series, parts: Sequence[Series | None], row: tuple[int, ...]) -> Series:
    """`_joined` of series with any number of axes."""
    if len(like.dims) == 1:
        return _joined(like, parts, row, last=False)

    def inside(carry: Any, rows: tuple[Any, ...]) -> tuple[Any, Any]:
        left = iter(rows[1:])
        return carry, nested_join(rows[0], [None if x is None else next(left) for x in parts], row)

    there = [x for x in parts if x is not None]
    found: Series = like.loop_writer.scan(inside, (), (like, *there))[1]
    return found
