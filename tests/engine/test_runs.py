"""Loops over rows of scalars that are known: what a pass reads, and what is carried."""

import numpy as np
import pytest

from kinetrace.arrays import objects
from kinetrace.engine.runtime.kernel import Kernel
from kinetrace.engine.trace import check, trace

N = 5
RATES = np.array([0.5, -1.0, 2.0, 0.25, -0.125])


def traced(function, shapes, **arrays):
    """The program of a function of a writer of loops and arrays; its results, in NumPy and by machine code."""
    program = trace(lambda **xs: function(next(iter(xs.values())).flat[0].loop_writer, **xs), shapes, rolls=True)
    check(program)
    found = program.evaluate(*arrays.values())
    for y, x in zip(found, results(Kernel(program)(*arrays.values())), strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-14)
    return program, found


def results(x):
    return x if isinstance(x, tuple) else (x,)


def column(*entries):
    return objects(entries, (len(entries),))


@pytest.mark.parametrize("reverse", [False, True])
def test_numbers_are_a_table_and_what_is_the_same_stays(reverse):
    seen = []

    def function(writer, x):
        def step(carry, row):
            seen.append(row[1])
            return [carry[0] * row[0] + row[1] * row[2]], [carry[0]]

        final, left = writer.run(step, [x[0]], [RATES, np.full(N, 3.0), x[1:]], reverse)
        return np.concatenate([final, left[0]])

    x = np.linspace(1.0, 2.0, N + 1)
    program, (found,) = traced(function, {"x": (N + 1,)}, x=x)
    state, before = x[0], np.zeros(N)
    for k in reversed(range(N)) if reverse else range(N):
        before[k], state = state, state * RATES[k] + 3.0 * x[1 + k]
    np.testing.assert_allclose(found, [state, *before], rtol=1e-14)
    assert set(seen) == {3.0}
    assert [write.numbers for write in program.loops.writes if write.numbers] == [tuple(RATES)]
    assert program.count().mul == 2 * N


def test_what_a_loop_left_is_read_there_and_only_what_is_read_is_left():
    def function(writer, x):
        columns = [x, -RATES]
        _, (y, sum_, _, rate) = writer.run(
            lambda c, row: ([c[0] + row[0]], [row[0] * row[1], c[0] + row[0], row[0] / row[1], -row[1]]),
            [writer.as_expr(0.0)],
            columns,
        )
        assert np.array_equal(rate, RATES)  # as it came, with another sign
        _, (z,) = writer.run(lambda c, row: ([], [row[0] * row[1]]), [], [-y, sum_], True)
        return z

    x = np.linspace(1.0, 2.0, N)
    program, (found,) = traced(function, {"x": (N,)}, x=x)
    np.testing.assert_allclose(found, x * RATES * np.cumsum(x), rtol=1e-14)
    assert [(write.rows, write.size) for write in program.loops.writes] == [(N, 1), (N, 1), (0, 2), (0, 1)]
    assert program.count().div == 0


def test_what_is_one_scalar_is_carried_once_and_what_does_not_change_not_at_all():
    def function(writer, x):
        a, b, c = x
        # The first two are one, the third is its opposite, the fourth does not change, and the fifth becomes another.
        begin = [a + b, a + b, -(a + b), c, a]

        def step(s, row):
            return [s[0] * row[0] + s[3], s[1] * row[0] + s[3], s[2] * row[0] - s[3], s[3], s[4] + s[0]], []

        return column(*writer.run(step, begin, [RATES])[0])

    program, (found,) = traced(function, {"x": (3,)}, x=np.array([0.3, 0.4, 2.0]))
    s, t = 0.7, 0.3
    for rate in RATES:
        s, t = s * rate + 2.0, t + s
    np.testing.assert_allclose(found, [s, s, -s, 2.0, t], rtol=1e-14)
    assert len(program.loops.carried) == 2
