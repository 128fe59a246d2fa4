"""Memory of a program: sizes of numbers, steps of arrays, and where kept series stand; work that is worth a thread.

A *kept series* is what one loop leaves for another, or a table that is filled before a loop. Its rows follow one
another, [row][entry], but for two cases.

*Joined*: a table whose last rows are what another loop left, and only its first rows are new, is read where that loop
left them: its first rows stand before them, in the same memory. So a sweep over a chain, in which every joint treats
the rows of all joints beyond and adds its own, moves none of them.

*Wide*: one state takes several passes of a loop at once, each of them a lane of a vector. A loop over tables carries
nothing from pass to pass; what it reads from outside is the same for all, and of series that such loops alone read and
write the rows are neighbours, [entry][row]. There is room for as many rows as a last group of passes writes.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...errors import shorten, unknown_name_error
from ..trace import Argument, Program
from ..trace.regions import Loops

SCALAR_TYPES = {"float64": "double", "float32": "float"}
"""Precision of a kernel → the type of its numbers in LLVM and C."""
SCALAR_BYTES = {"double": 8, "float": 4}


def check_dtype(dtype: npt.DTypeLike) -> str:
    """The name of the dtype, if kernels of it exist.

    >>> check_dtype(float)
    'float64'
    """
    try:
        name = np.dtype(dtype).name
    except Exception:  # of several kinds, by what is no type
        name = shorten(dtype)
    if name not in SCALAR_TYPES:
        raise unknown_name_error("dtype", name, SCALAR_TYPES)
    return name


def core_steps(argument: Argument, size: int) -> list[int]:
    """The byte steps of an argument's core axes in C order; 0 for those whose lengths are not known."""
    steps: list[int] = []
    step = size
    for length in reversed(argument.row):
        steps.insert(0, step)
        step *= length
    return [0] * len(argument.dims) + steps


class SeriesPlace(NamedTuple):
    """Where a series stands that is of known length and in no other loop: in the memory of all such, in values."""

    begin: int
    """Its first entry."""
    by_row: int
    by_entry: int
    """How far rows, and entries of a row, are apart."""
    size: int
    """Entries of a row."""
    new_rows: int
    """Rows of a table that are filled."""
    end: int
    """Of what is there for it, and for what is joined to it."""

    def of_entry(self, entry: int) -> int:
        """Where an entry, of all rows, stands."""
        row, column = divmod(entry, self.size)
        return self.begin + row * self.by_row + column * self.by_entry


def series_places(program: Program, wide: set[int], passes: int) -> dict[int, SeriesPlace]:
    """Of all kept series to which this applies, if these loops take several passes at once.

    A series alone, a table T of 2 new rows joined to a series S of 3 rows, and the same of wide loops:

        [row][entry]    S0 S1 S2            T0 T1 S0 S1 S2        each of `size` entries, those of T inside those of S
        [entry][row]    each entry: S0 S1 S2 and room for a group of passes; T0 T1 S0 S1 S2 and room
    """
    loops, found = program.loops, dict[int, SeriesPlace]()
    rows = {k: n for k in range(len(loops.writes)) if (n := _rows(loops, k)) > 0}
    joined = _series_of_tables(program, rows)
    of_wide = _series(loops, wide)
    joined = {k: at for k, at in joined.items() if (k in of_wide) == (at[0] in of_wide)}
    before = {there: (k, rows[k] - rows[there]) for k, (there, _) in joined.items()}
    ends: dict[int, int] = {}
    for k, n in rows.items():
        memory, column = joined.get(k, (k, 0))
        table, first = before.get(memory, (memory, 0))
        all_rows, size = rows[table], loops.writes[memory].size
        if k in of_wide:
            # The last group of passes begins at a multiple of them from `first`, and ends behind one of all rows.
            all_rows = -(-all_rows // passes) * passes + (passes if first else 0)
        by_row, by_entry = (1, all_rows) if k in of_wide else (size, 1)
        end = ends.setdefault(memory, max(ends.values(), default=0) + all_rows * size)
        begin = end - all_rows * size + (by_entry * column if k in joined else by_row * first)
        new = n - rows[memory] if k in joined else n
        found[k] = SeriesPlace(begin, by_row, by_entry, loops.writes[k].size, new, end)
    return found


def left_by_recurrences(loops: Loops) -> int:
    """Entries that loops of known lengths that carry something leave: passes follow one another over all of them."""
    carrying = {c.region for c in loops.carried}
    return sum(
        len(w.nodes) * math.prod(x for r in w.regions if isinstance(x := loops.regions[r].length, int))
        for w in loops.writes
        if w.output < 0 and carrying.intersection(w.regions)
    )


def _rows(loops: Loops, k: int) -> int:
    """Rows of a kept series that stands in no loop, if they are known; else 0."""
    write = loops.writes[k]
    if write.output >= 0 or write.scope >= 0 or not write.nodes:
        return 0
    if write.rows:
        return write.rows
    region = loops.regions[write.regions[0]]
    known = len(write.regions) == 1 and region.parent < 0 and isinstance(region.length, int) and region.active < 0
    return int(region.length) if known else 0


def _series_of_tables(program: Program, rows: dict[int, int]) -> dict[int, tuple[int, int]]:
    """Table → the series that its last rows are, and the first of the entries there that its own are."""
    loops, nodes, found = program.loops, program.nodes, dict[int, tuple[int, int]]()
    taken: set[int] = set()
    for k in (k for k in rows if loops.writes[k].rows):
        own, size = loops.writes[k].nodes, loops.writes[k].size
        kind, *at = nodes[own[-size]]
        if kind != "element" or at[0] not in rows.keys() - taken or loops.writes[at[0]].rows:
            continue
        there, width = at[0], loops.writes[at[0]].size
        column, first = at[1] % width, rows[k] - rows[there]
        expected = [("element", there, r * width + column + e) for r in range(rows[there]) for e in range(size)]
        if first >= 0 and [nodes[i] for i in own[first * size :]] == expected:
            found[k] = there, column
            taken.add(there)
    return found


def wide_regions(loops: Loops) -> set[int]:
    """The loops of which one state may take several passes at once."""
    along: dict[int, set[int]] = {k: {*write.regions} for k, write in enumerate(loops.writes)}
    for read in loops.reads:
        if read.source[0] == "kept":
            along[read.source[1]].update(read.regions)
    found = {
        r
        for r, region in enumerate(loops.regions)
        if region.parent < 0 and isinstance(region.length, int) and not region.reverse and region.active < 0
    }
    found -= {c.region for c in loops.carried} | {region.parent for region in loops.regions}
    found -= {x.scope for x in loops.writes}  # each pass fills a table
    found -= {r for x in loops.reads if x.source[0] != "kept" or len(x.regions) > 1 for r in x.regions}
    found -= {r for x in loops.reads if x.source[0] == "kept" and loops.writes[x.source[1]].numbers for r in x.regions}
    found -= {r for x in loops.writes if x.output >= 0 or len(x.regions) > 1 for r in x.regions}
    while mixed := {r for rs in along.values() if not rs <= found for r in rs & found}:
        found -= mixed
    return found


def _series(loops: Loops, regions: set[int]) -> set[int]:
    """The kept series that these loops read or write."""
    written = {k for k, write in enumerate(loops.writes) if regions.intersection(write.regions)}
    return written | {x.source[1] for x in loops.reads if regions.intersection(x.regions)}


MOST_WORKERS = 255
"""Threads that a process starts, at most."""
MOVE_OPERATIONS = 10
"""How many operations take as long as the way of one entry of an argument or a result."""
PARALLEL_FROM = 1 << 20
"""Operations in a call above which threads may be used: a worker that is awake takes part at once."""
AWAKE_WORK, PARKED_WORK, RARE_WORK = 1 << 19, 1 << 21, 1 << 23
"""Operations that each thread must have, if no worker is woken for it, and if one is: amid other calls, after which
workers and cores are awake soon, and in a call after a pause. To wake a thread takes 2 µs on a core that has just
become idle, 20 to 50 µs on one that the system has put to sleep, and 3 to 8 µs of the caller itself."""
PART_WORK, MOST_PARTS = 1 << 18, 16
"""Operations that a thread takes at a time, at least: cores are seldom equally free; and how many such parts each."""
LOOP_STRIP_STATES = 32
"""States that loops of compiled code take at a time, where there are as many."""


def cost(program: Program) -> int:
    """Operations for one state, in loops whose length is not known for one pass, as its time goes."""
    moved = [a.size for k, a in enumerate(program.inputs + program.outputs) if k not in program.tables]
    return max(1, program.work + MOVE_OPERATIONS * sum(moved))
