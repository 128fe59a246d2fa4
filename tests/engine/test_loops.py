"""Loops in programs: traced once, the same numbers on floats, in NumPy, in machine code and in JAX."""

from dataclasses import replace

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.arrays import iterate, less, map_rows, scan
from kinetrace.engine.runtime.kernel import Kernel
from kinetrace.engine.trace import check, trace
from loop_programs import CASES, guarded, looked_up, pairs, recurrence, root, swapped, tables


def results(x):
    return x if isinstance(x, tuple) else (x,)


@pytest.mark.parametrize("function", CASES, ids=lambda f: f.__name__)
def test_a_loop_is_what_it_is_on_floats(function):
    shapes, make = CASES[function]
    program, random = trace(function, shapes, name=function.__name__, rolls=True), np.random.default_rng(0).random
    check(program)
    arrays = make(random, 7, 6)
    alone = [results(function(*(x[k] for x in arrays))) for k in range(7)]
    for found, wanted in zip(program.evaluate(*arrays), zip(*alone, strict=True), strict=True):
        np.testing.assert_allclose(found, np.array(wanted), rtol=1e-14)


@pytest.mark.alternates(2, "function", "dtype")
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("function", CASES, ids=lambda f: f.__name__)
def test_machine_code_agrees_for_every_size_layout_and_number_of_threads(function, dtype):
    shapes, make = CASES[function]
    program, random = trace(function, shapes, name=function.__name__, rolls=True), np.random.default_rng(1).random
    kernel, tolerance = Kernel(program, dtype=dtype), 1e-13 if dtype == "float64" else 2e-4
    for states in (1, 3, 4, 33, 100):
        for length in (0, 1, 7):
            arrays = tuple(x.astype(dtype) for x in make(random, states, length))
            found = results(kernel(*arrays))
            if dtype == "float64" or function is not root:  # which cannot reach 1e-12 there
                for x, wanted in zip(found, program.evaluate(*arrays), strict=True):
                    assert x.shape == wanted.shape
                    np.testing.assert_allclose(x, wanted, rtol=tolerance, atol=tolerance)
            apart = [results(kernel(*(x[k] for x in arrays))) for k in (0, states - 1)]
            assert all(np.array_equal(x[-1], y) for x, y in zip(found, apart[1], strict=True))
            assert all(np.array_equal(x[0], y) for x, y in zip(found, apart[0], strict=True))
            for other in (kernel(*arrays, threads=2), kernel(*map(np.asfortranarray, arrays))):
                assert all(np.array_equal(x, y) for x, y in zip(found, results(other), strict=True))


def test_outputs_may_be_given_and_be_inputs():
    program = trace(lambda x, u: scan(lambda c, row: (c + row, c * row), x, u)[1], {"x": (2,), "u": ("t", 2)})
    kernel, random = Kernel(program), np.random.default_rng(2).random
    x, u = random((50, 2)), random((50, 9, 2))
    wanted = kernel(x, u)
    held = u.copy()
    assert kernel(x, held, out=held) is held
    assert np.array_equal(held, wanted)
    strided = np.zeros((50, 9, 4))[..., ::2]
    assert np.array_equal(kernel(x, u, out=strided), wanted)
    with pytest.raises(kt.InputError, match=r"out must have shape \(50, 9, 2\)"):
        kernel(x, u, out=np.zeros((50, 8, 2)))


def test_an_output_may_be_an_input_whose_length_has_a_name():
    program = trace(lambda x, u: (x * 2.0, scan(lambda c, row: (c, row + c), x[0], u)[1]), {"x": (3,), "u": ("t",)})
    kernel, random = Kernel(program), np.random.default_rng(2).random
    for batch in ((), (50,)):
        x, u = random((*batch, 3)), random((*batch, 3))
        wanted = kernel(x, u)
        held = u.copy()
        others = np.empty_like(u)
        kernel(x, held, out=(held, others))
        assert np.array_equal(held, wanted[0]) and np.array_equal(others, wanted[1])


def test_an_array_that_is_read_at_two_rows_in_a_pass_is_copied():
    program = trace(pairs, CASES[pairs][0])
    check(program)
    (write,) = program.loops.writes
    assert write.output < 0
    rows = replace(program.loops.reads[-1], source=("input", 0), regions=(1, 3))
    with pytest.raises(kt.KinetraceError, match="u is read at two rows in a pass"):
        check(replace(program, loops=replace(program.loops, reads=(*program.loops.reads[:-1], rows))))


def test_what_is_wrong_is_said():
    shapes = {"u": ("t", 2), "w": ("k", 2), "x": (2,)}

    def tried(function):
        return trace(function, shapes)

    leaked = []
    with pytest.raises(kt.InputError, match="step must return what it was given"):
        tried(lambda u, w, x: scan(lambda c, row: ((c, c), row), x, u))
    with pytest.raises(kt.InputError, match="one length, got k, t"):
        tried(lambda u, w, x: scan(lambda c, rows: (c, rows[0]), x, (u, w)))
    with pytest.raises(kt.InputError, match="used outside of it"):
        tried(lambda u, w, x: (scan(lambda c, row: (leaked.append(row) or c, row), x, u)[1], leaked[0]))
    with pytest.raises(kt.InputError, match="scan takes it row by row"):
        tried(lambda u, w, x: u + 1.0)
    with pytest.raises(kt.InputError, match="one condition"):
        tried(lambda u, w, x: iterate(lambda x: 0.5 * x, x, lambda x: less(x, 1.0), 3))
    kernel = Kernel(trace(lambda u, v: scan(lambda c, r: (c, r[0] + r[1]), (), (u, v))[1], {"u": ("t",), "v": ("t",)}))
    with pytest.raises(kt.InputError, match="differ in their length 't': 4 and 3"):
        kernel(np.zeros((2, 3)), np.zeros((2, 4)))


def test_counts_tell_what_a_pass_costs():
    outside, inside = trace(recurrence, CASES[recurrence][0]).counts()
    assert (outside.mul, outside.add) == (1, 0)
    assert (inside.mul, inside.add) == (4, 3)


def test_rows_that_are_known_are_a_loop_only_if_that_is_asked_for():
    shapes = CASES[tables][0]
    rolled, straight = trace(tables, shapes, rolls=True), trace(tables, shapes)
    assert (len(rolled.loops.regions), len(straight.loops.regions)) == (4, 0)
    assert rolled.count() == straight.count()


@pytest.mark.parametrize("function", [recurrence, root, swapped, guarded, looked_up], ids=lambda f: f.__name__)
def test_in_jax_it_is_a_scan(function, jax):
    arrays = [x[0] for x in CASES[function][1](np.random.default_rng(3).random, 1, 6)]
    found = jax.jit(function)(*map(jax.numpy.asarray, arrays))
    for x, wanted in zip(results(found), results(function(*arrays)), strict=True):
        np.testing.assert_allclose(x, wanted, rtol=1e-12)


def test_lengths_beyond_what_can_be_counted_are_refused():
    kernel = Kernel(trace(lambda u: scan(lambda c, x: (c + x, None), 0.0, u)[0], {"u": ("t",)}))
    with pytest.raises(kt.InputError, match="t = 144115188075855872 are too long"):
        kernel(np.broadcast_to(np.zeros(1), (1 << 57,)))


BROKEN = {
    "is not inside": lambda x: replace(x, regions=(replace(x.regions[0], end=10**6), *x.regions[1:])),
    "does not carry": lambda x: replace(x, regions=(replace(x.regions[0], active=99), *x.regions[1:])),
    "which no argument has": lambda x: replace(x, regions=(replace(x.regions[0], length="z"), *x.regions[1:])),
    "does not begin before": lambda x: replace(x, carried=(replace(x.carried[0], initial=x.regions[0].begin),)),
    "not written along": lambda x: replace(x, writes=(replace(x.writes[0], regions=(0, 0)),)),
    "to one output": lambda x: replace(x, writes=(x.writes[0], x.writes[0])),
    "not read along": lambda x: replace(x, reads=(replace(x.reads[0], size=7),)),
}


@pytest.mark.parametrize("message", BROKEN)
def test_the_checker_finds_broken_loops(message):
    whole = trace(lambda x, u: scan(lambda c, row: (c + row, c * row), x, u), {"x": (), "u": ("t",)})
    check(whole)
    with pytest.raises(kt.KinetraceError, match=message):
        check(replace(whole, loops=BROKEN[message](whole.loops)))


def test_the_checker_finds_elements_that_are_not_there():
    whole = trace(lambda A: map_rows(lambda row: row @ row, A), {"A": (3, 2)}, rolls=True)
    check(whole)
    nodes = tuple((x[0], x[1], 99) if x[0] == "element" else x for x in whole.nodes)
    with pytest.raises(kt.KinetraceError, match="is not an entry of what a loop"):
        check(replace(whole, nodes=nodes))


def test_a_series_of_one_pass_stays_inside():
    def leaking(x, u, z):
        box = []

        def step(c, r):
            box.append(scan(lambda d, s: (d, s * r), (), z)[1])
            return c + r, None

        scan(step, x[0], u)
        return scan(lambda c, r: (c + r, r), x[0], box[0])

    with pytest.raises(kt.InputError, match="in one pass of a loop is used outside"):
        trace(leaking, {"x": (1,), "u": ("t",), "z": ("k",)})
