"""Functions with loops: typical ones, each with its arguments, and random ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from kinetrace.arrays import abs as magnitude
from kinetrace.arrays import (
    concatenate,
    cos,
    floor,
    iterate,
    less,
    lookup,
    map_rows,
    maybe,
    objects,
    scan,
    sin,
    stack,
    where,
)
from kinetrace.engine.trace import Program, trace
from kinetrace.engine.trace.expr import Expr
from kinetrace.engine.trace.loop_writer import LoopWriter, Series
from kinetrace.engine.trace.ops import OPS


def recurrence(x, a, u):
    """A sum that is carried beside a vector; what does not change stands before the loop."""
    square = a * a

    def step(carry, row):
        x, total = carry
        x = x + square * row
        return (x, total + x[0]), (x * x, row[1])

    (x, total), (squares, seconds) = scan(step, (x, 0.0), u)
    return x, total, squares, seconds


def root(a):
    """Newton's method, of a constant start: a different number of steps for each state."""
    return iterate(lambda x: 0.5 * (x + a / x), stack([1.0]), lambda x: less(magnitude(x[0] * x[0] - a), 1e-12), 30)


def nested(u, w):
    """Loops in a loop: one reads what the other wrote, one runs until it has converged."""

    def outer(c, x):
        d, ys = scan(lambda d, y: (d + cos(y), d * 2.0), c, x)
        e, zs = scan(lambda e, y: (e + y, e * y), d, ys)
        s = iterate(lambda s: 0.5 * s, d[0], lambda s: less(magnitude(s), 1.0), 50)
        return 0.1 * e, (ys, zs, stack([d[0], s, 3.0]))

    c, (ys, zs, ds) = scan(outer, w, u)
    return c, ys, zs, ds, u


def swapped(x, u):
    """Values that change places, and one that is not read."""
    (a, b, _), ys = scan(lambda c, row: ((c[1], c[0], row[0]), c[0]), (x[0], x[1], x[0]), u)
    return a - b, ys


def pairs(u):
    """Each row with each, along two axes of one length: one loop reads two rows of an array."""
    return scan(lambda c, a: scan(lambda c, b: _product(c, a, b), c, u), 0.0, u)[0]


def _product(c, a, b):
    return scan(lambda c, xy: (c + xy[0] * xy[1], None), c, (a, b))


def backwards(x, u):
    """From the last row to the first, over what a first loop wrote."""
    sums = scan(lambda c, row: (c + row, c * row), x, u)[1]
    if isinstance(u, Series):
        return u.loop_writer.scan(lambda c, row: (0.5 * c + row, c - row), x, sums, reverse=True)
    last, ys = scan(lambda c, row: (0.5 * c + row, c - row), x, sums[::-1])
    return last, ys[::-1]


def tables(A, x):
    """Rows that are known: of inputs, of each other."""
    size = cos(x[0])
    y = map_rows(lambda row: stack([row @ x * size, row[0] - row[1]]), A * size)
    z = map_rows(lambda row: row * 2.0 + x[1], y)
    return z + 1.0, y.T, map_rows(lambda row: map_rows(lambda w: w * row[0], A).sum(axis=0) * x, y)


def table_with_constants(x):
    """Constants in a table, and so many in a row that they are written from tables."""
    y = map_rows(lambda row: row * x[0] + x[1], concatenate([np.eye(4, 3), x[None]], axis=0))
    return concatenate([y.reshape(-1), np.zeros(3000)])


def tables_in_passes(A, x, u):
    """The same in the passes of a loop."""

    def step(carry, w):
        y = map_rows(lambda row: row * carry * w[0], A + carry)
        return 0.1 * y.sum(axis=0), y[1]

    return scan(step, x, u)


def tables_of_inputs(A, x, u):
    """Tables of what stands outside of the loop in which they are filled."""
    return scan(lambda carry, w: (carry + map_rows(lambda row: row * w[0], A).sum(axis=0), carry), x, u)


def tables_of_tables(A, u):
    """In a pass, a table of what a loop over rows left before."""
    y = map_rows(lambda row: 2.0 * row, A)

    def step(carry, row):
        z = map_rows(lambda r: 3.0 * r, stack([y[0, 0], row[0], A[1, 0]])[:, None])
        return carry, z[0, 0] + row[1] + z[2, 0]

    return scan(step, (), u)[1]


def restarted(x, y, u):
    """An inner loop that begins, in each pass of the outer one, with an input that nothing else reads."""
    return scan(lambda c, row: (c + scan(lambda d, z: (d * z + 1.0, None), y, row)[0], c), x, u)


def guarded(x, a, u):
    """In the passes of a loop what is needed in some states alone: a solver, a loop, what reads nothing of the pass."""
    square = a * a

    def step(carry, row):
        def needed():
            root = iterate(
                lambda s: 0.5 * (s + a / s), 1.0 + 0.0 * row[0], lambda s: less(magnitude(s * s - a), 1e-9), 30
            )
            rest = maybe(less(row[1], 0.5), lambda: scan(lambda c, z: (c * z, None), carry, u)[0] * cos(a), -carry)
            return stack([root[()], square * sin(a)]) + rest, -row[0]

        y, z = maybe(less(carry[0], 0.4 * a), needed, (0.5 * carry, -x[0]))
        return y, (y, z)

    last, (ys, zs) = scan(step, x, u)
    return last, ys, zs


def looked_up(h, x, u):
    """Heights of a terrain between four entries, in the passes of a loop; numbers; a table that each pass fills."""

    def step(p, row):
        i, j = floor(p[0]), floor(p[1])
        a, b = p[0] - i, p[1] - j
        z = lookup(h, stack([i, i + 1.0, i, i + 1.0]), stack([j, j, j + 1.0, j + 1.0]))
        height = (1.0 - a) * (1.0 - b) * z[0] + a * (1.0 - b) * z[1] + (1.0 - a) * b * z[2] + a * b * z[3]
        own = lookup(stack([row[0], p[1], height, 0.5 + p[0]]), 4.0 * row[1])
        rest = maybe(less(p[0], 2.0), lambda: lookup(stack([x[0], x[0] * x[1], cos(x[1])]), 3.0 * row[0]), p[0])
        pieces = lookup(np.array([[0.1, 1.5], [0.7, -0.3], [2.0, 0.25]]), 3.0 * row[1])
        p = stack([own[()] + rest[()], lookup(h.T[1], p[0])[()] - height]) + pieces
        return p, p * x

    return scan(step, x, u)


def looked_up_in_tables(A, h, x):
    """Entries of what is known outside of loops over known rows, of what a pass makes, and of what a loop left."""
    own = stack([sin(x[0]), x[1], x[0] * x[1]])
    y = map_rows(lambda row: stack([lookup(h, 4.0 * row[0]), lookup(own, 3.0 * row[1]) * row[0], row[2]]), A)
    z = map_rows(lambda row: stack([lookup(row * x[0], 3.0 * row[0]), lookup(y[:, 1], 9.0 * row[1])]), y)
    w = map_rows(lambda row: maybe(less(row[0], 1.0), lambda: lookup(h, row) * cos(row[1]), row), z)
    return y, z, w, lookup(z, 5.0 * x[0])


CASES: dict[Callable[..., Any], tuple[dict[str, Any], Callable[..., tuple[Any, ...]]]] = {
    recurrence: ({"x": (2,), "a": (), "u": ("t", 2)}, lambda r, n, t: (r((n, 2)), r(n), r((n, t, 2)))),
    root: ({"a": ()}, lambda r, n, t: (1 + 10 * r(n),)),
    nested: ({"u": ("t", "k", 2), "w": (2,)}, lambda r, n, t: (r((n, t, 5, 2)), 9 * r((n, 2)))),
    swapped: ({"x": (2,), "u": ("t", 1)}, lambda r, n, t: (r((n, 2)), r((n, t, 1)))),
    pairs: ({"u": ("t", "t")}, lambda r, n, t: (r((n, t, t)),)),
    backwards: ({"x": (2,), "u": ("t", 2)}, lambda r, n, t: (r((n, 2)), r((n, t, 2)))),
    tables: ({"A": (5, 3), "x": (3,)}, lambda r, n, t: (r((n, 5, 3)), r((n, 3)))),
    table_with_constants: ({"x": (3,)}, lambda r, n, t: (r((n, 3)),)),
    tables_in_passes: (
        {"A": (5, 3), "x": (3,), "u": ("t", 1)},
        lambda r, n, t: (r((n, 5, 3)), r((n, 3)), r((n, t, 1))),
    ),
    tables_of_inputs: (
        {"A": (5, 3), "x": (3,), "u": ("t", 1)},
        lambda r, n, t: (r((n, 5, 3)), r((n, 3)), r((n, t, 1))),
    ),
    tables_of_tables: ({"A": (2, 1), "u": ("t", 2)}, lambda r, n, t: (r((n, 2, 1)), r((n, t, 2)))),
    guarded: (
        {"x": (2,), "a": (), "u": ("t", 2)},
        lambda r, n, t: (r((n, 2)), 1.0 + r(n), r((n, t, 2))),
    ),
    looked_up: (
        {"h": (4, 3), "x": (2,), "u": ("t", 2)},
        lambda r, n, t: (r((n, 4, 3)), 3.0 * r((n, 2)), r((n, t, 2))),
    ),
    looked_up_in_tables: (
        {"A": (5, 3), "h": (4,), "x": (2,)},
        lambda r, n, t: (r((n, 5, 3)), r((n, 4)), r((n, 2))),
    ),
    restarted: ({"x": (), "y": (), "u": ("t", "k")}, lambda r, n, t: (r(n), r(n), r((n, t, 3)))),
}
"""Function → shapes of its arguments, and what makes them: of random numbers, states and a length."""

SERIES: dict[str, tuple[Any, ...]] = {"u": ("t", 3), "w": ("t", "k", 2), "z": ("k",), "p": ("t", "t", 2)}


def random_loops(rng: np.random.Generator, most: int = 60) -> Program:
    """A program with loops in loops, over arrays that came in or that another loop wrote, or until they converge."""
    names = rng.permutation(list(SERIES))[: rng.integers(1, 4)].tolist()
    shapes = {"x": (int(rng.integers(1, 5)),), **{name: SERIES[name] for name in names}}

    def function(x: Any, **series: Any) -> Any:
        values, arrays = list(x), list(series.values())
        made = _Random(rng, x, most)
        made.loop(values, arrays, 0)
        made.grow(values, arrays, 0)
        own = [a for a in arrays if a.source[0] == "kept" or rng.random() < 0.2]
        count = int(rng.integers(1, 6))
        return (made.picked(values, count), *(own[int(k)] for k in rng.permutation(len(own))[:3]))

    return trace(function, shapes, name="random")


class _Random:
    """Random operations and loops, some so many of them, on values and series that are known where they stand."""

    def __init__(self, rng: np.random.Generator, x: Any, most: int) -> None:
        self.rng, self.graph, self.writer, self.left = rng, x[0].graph, LoopWriter(x[0].graph), most
        self.inputs = x

    def grow(self, values: list[Expr], series: list[Series], depth: int) -> None:
        """Some operations, and between them loops."""
        for _ in range(int(self.rng.integers(1, 2 + max(0, self.left) // (2 + depth)))):
            self.left -= 1
            if depth < 3 and self.left > 0 and self.rng.random() < 0.15:
                self.loop(values, series, depth)
            else:
                values.append(self.operation(values))

    def operation(self, values: list[Expr]) -> Expr:
        """One operation, mostly on numbers for which it is harmless; or an entry of a table."""
        if self.rng.random() < 0.08:
            count, kind = int(self.rng.integers(1, 7)), self.rng.integers(3)
            table = self.picked(values, count) if kind else objects(np.round(self.rng.normal(size=count), 2), (count,))
            return lookup(self.inputs if kind == 1 else table, 3.0 * self.pick(values) + 1.0)[()]
        name = str(self.rng.choice(list(OPS)))
        xs = [self.pick(values) for _ in range(OPS[name].arity)]
        if self.rng.random() < 0.95:
            if name in ("sqrt", "log"):
                xs[0] = 0.5 + abs(xs[0])
            elif name == "exp":
                xs[0] = OPS["minimum"].apply(xs[0], self.graph.constant(1.0))
            elif name == "div":
                xs[1] = 1.0 + xs[1] * xs[1]
        found = OPS[name].apply(*xs)
        return found if isinstance(found, Expr) else self.graph.constant(found)

    def pick(self, values: list[Expr]) -> Expr:
        """One of them, as likely among the last few as among all; seldom a constant."""
        if self.rng.random() < 0.1:
            return self.graph.constant(round(float(self.rng.normal()), 2))
        begin = max(0, len(values) - 6) if self.rng.random() < 0.5 else 0
        return values[int(self.rng.integers(begin, len(values)))]

    def picked(self, values: list[Expr], count: int) -> Any:
        """An array of some."""
        return objects([self.pick(values) for _ in range(count)], (count,))

    def loop(self, values: list[Expr], series: list[Series], depth: int) -> None:
        """A loop, or what is run where a condition holds; then what it carried and wrote is known."""
        carry = tuple(self.pick(values) for _ in range(int(self.rng.integers(0, 5))))
        if self.rng.random() < 0.25 and carry:
            values += _scalars(
                self.writer.maybe(
                    less(self.pick(values), self.pick(values)),
                    lambda: self.body(values, series, depth, carry, ())[0],
                    tuple(np.asarray(x, dtype=object) for x in carry),
                )
            )
            return
        if self.rng.random() < 0.25 and carry:
            found = self.writer.iterate(
                lambda state: self.body(values, series, depth, state, ())[0],
                carry,
                lambda state: less(0.3, magnitude(where(less(state[0], 0.0), state[-1], state[0]))),
                int(self.rng.integers(0, 6)),
            )
            values += _scalars(found)
            return
        first = series[int(self.rng.integers(len(series)))]
        along = [x for x in series if x.dims[0] == first.dims[0]]
        xs = tuple(along[int(k)] for k in self.rng.integers(len(along), size=self.rng.integers(1, 3)))
        reverse = bool(self.rng.random() < 0.3)
        found, ys = self.writer.scan(lambda c, rows: self.body(values, series, depth, c, rows), carry, xs, reverse)
        values += _scalars(found)
        series += ys

    def body(
        self, values: list[Expr], series: list[Series], depth: int, carry: tuple[Any, ...], rows: tuple[Any, ...]
    ) -> tuple[Any, Any]:
        """What a step does: operations, what is carried on, and what is written."""
        values, series = [*values, *_scalars(carry)], list(series)
        for row in rows:
            if isinstance(row, Series):
                series.append(row)
            else:
                values += row.flat
        given = len(values)
        own = len(series)
        self.grow(values, series, depth + 1)
        after = []
        for _ in carry:
            some = values if self.rng.random() < 0.7 else values[given - math.ceil(0.5 * given) : given]
            x = self.pick(some)
            after.append(x if self.rng.random() < 0.3 else OPS["sin"].apply(x))
        ys = [self.picked(values, int(self.rng.integers(1, 4))) for _ in range(int(self.rng.integers(0, 3)))]
        if len(series) > own and self.rng.random() < 0.5:
            inner = series[int(self.rng.integers(own, len(series)))]
            ys += [inner] if len(inner.dims) < 3 - depth else []
        return tuple(np.asarray(x, dtype=object) for x in after), tuple(ys)


def _scalars(arrays: Any) -> list[Expr]:
    return [x for array in arrays for x in np.asarray(array, dtype=object).flat]


def lengths_for(rng: np.random.Generator, program: Program) -> dict[str, int]:
    """Lengths for the names of a program, also none at all."""
    return {name: int(rng.choice([0, 1, 2, 5])) for name in program.dims}


def lengths_in(program: Program, arrays: Sequence[np.ndarray]) -> dict[str, int]:
    """Those that arrays have."""
    pairs = zip(arrays, program.inputs, strict=True)
    return {name: n for x, a in pairs for name, n in zip(a.dims, x.shape[x.ndim - len(a.shape) :], strict=False)}


def known(shape: tuple[Any, ...], lengths: dict[str, int]) -> tuple[int, ...]:
    """A shape in numbers."""
    return tuple(lengths[x] if isinstance(x, str) else x for x in shape)
