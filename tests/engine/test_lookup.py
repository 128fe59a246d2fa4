"""Entries of tables by computed numbers, and what runs where a condition holds, in every way to run a program."""

from dataclasses import replace

import mpmath
import numpy as np
import pytest

import kinetrace as kt
from kinetrace.arrays import cos, floor, less, lookup, maybe, scan, sin, stack
from kinetrace.engine.runtime.kernel import Kernel
from kinetrace.engine.trace import check, trace
from kinetrace.engine.trace.tables import without_columns

ROBOT = kt.load("planar2r")
H = np.random.default_rng(0).normal(size=(60, 3, 4))
Q = np.random.default_rng(1).normal(size=(60, 2))
SHAPES = {"h": (3, 4)}


def mixed(model, q, h):
    """Inputs where they are, along rows, columns and backwards; numbers; what is computed."""
    own = stack([sin(q[0]), q[1], q[0] * q[1], 2.0, h[0, 0] * h[1, 1]])
    there = lookup(own, stack([4.0 * q[0], 6.0 * q[1], 2.2]))
    plane = lookup(h, 3.0 * q[0], 4.0 * q[1]) + lookup(h[::-1, 2], q[1])
    return stack([plane * there[2], there[0] * lookup(np.arange(5.0) ** 2, 2.0 + q[0] * there[1])])


def in_loops(model, q, h):
    """In passes of loops, where a condition holds, in tables that a pass fills."""
    own = stack([sin(q[0]), q[1], h[2, 1]])

    def step(c, _):
        def needed():
            x = c[0] * lookup(own, 3.0 * c[1]) + lookup(h.T[1], c[0])
            return stack([x, lookup(stack([c[0], c[1] * x, q[0] * q[0], 1.0]), c[1] + 1.0)])

        return maybe(less(c[0], 4.0), needed, 0.5 * c), None

    return scan(step, q, np.zeros((4, 1)))[0]


def by_complex_steps(function, q, h):
    x, columns = np.concatenate([q, h.ravel()]), []
    for e in np.eye(len(x)):
        y = x + 1e-30j * e
        columns.append(np.imag(function(None, y[:2], y[2:].reshape(h.shape))) / 1e-30)
    return np.stack(columns, axis=-1)


@pytest.mark.parametrize("function", [mixed, in_loops], ids=lambda f: f.__name__)
def test_values_and_derivatives(function):
    kernel = kt.compile(function, ROBOT, shapes=SHAPES)
    np.testing.assert_allclose(kernel(Q, H), [function(None, q, h) for q, h in zip(Q, H, strict=True)], rtol=1e-12)
    np.testing.assert_array_equal([kernel(q, h) for q, h in zip(Q, H, strict=True)], kernel(Q, H))
    wanted = np.array([by_complex_steps(function, q, h) for q, h in zip(Q, H, strict=True)])
    for mode in ("forward", "reverse"):
        derived = kt.jacobian(function, wrt=("q", "h"), mode=mode)
        by_q, by_h = kt.compile(derived, ROBOT, shapes=SHAPES)(Q, H)
        found = np.concatenate([by_q, by_h.reshape(*by_h.shape[:-2], 12)], axis=-1)
        np.testing.assert_allclose(found, wanted, rtol=1e-11, atol=1e-12)
        np.testing.assert_allclose(derived(ROBOT.model, Q[0], H[0])[0], wanted[0][:, :2], rtol=1e-11, atol=1e-12)


def test_second_derivatives():
    def total(model, q, h):
        return mixed(model, q, h) @ mixed(model, q, h) + in_loops(model, q, h)[1]

    q, h = Q[3], H[3]
    found = kt.compile(kt.hessian(total, wrt=("q", "h")), ROBOT, shapes=SHAPES)(q, h)
    first = kt.compile(kt.jacobian(total, wrt=("q", "h"), mode="forward"), ROBOT, shapes=SHAPES)
    x, small = np.concatenate([q, h.ravel()]), 1e-6

    def gradient(x):
        return np.concatenate([y.ravel() for y in first(x[:2], x[2:].reshape(3, 4))])

    columns = [(gradient(x + small * e) - gradient(x - small * e)) / (2.0 * small) for e in np.eye(14)]
    np.testing.assert_allclose(found, np.stack(columns, axis=-1), rtol=1e-7, atol=1e-7)  # of central differences


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_numbers_of_rows_that_are_none(dtype):
    """Rounded down, the nearest row beyond the ends, NaN for NaN: and nothing is read elsewhere."""
    x = np.array([-np.inf, -1e300, -0.5, -0.0, 0.99, 1.0, 3.99, 4.0, 1e300, np.inf, np.nan])
    rows = [0, 0, 0, 0, 0, 1, 3, 3, 3, 3]
    with np.errstate(over="ignore"):
        x = x.astype(dtype)
    table = np.array([[1.0, 5.0], [2.0, 6.0], [3.0, 7.0], [4.0, 8.0]], dtype=dtype)
    made = {
        "input": lambda t, x: lookup(t, x),
        "numbers": lambda t, x: lookup(table.astype(float), x),
        "filled": lambda t, x: lookup(0.5 * t, x) * 2.0,
    }
    for function in made.values():
        program = trace(function, {"t": (4, 2), "x": ()})
        for found in (Kernel(program, dtype=dtype)(table, x), program.evaluate(table, x)[0], function(table, x)):
            np.testing.assert_array_equal(found[:-1], table[rows])
            assert np.isnan(found[-1]).all()
    assert lookup(np.array([mpmath.mpf(1), mpmath.mpf(2)]), mpmath.mpf("1.5")) == 2


def test_tables_are_read_where_they_are():
    """Of a terrain that all states share, nothing is moved: neither in programs nor in memory."""
    heights = np.random.default_rng(3).normal(size=(16, 16))

    def height(h, x):
        i, j = floor(x[0]), floor(x[1])
        a, b = x[0] - i, x[1] - j
        z = lookup(h, stack([i, i + 1.0, i, i + 1.0]), stack([j, j, j + 1.0, j + 1.0]))
        return (1.0 - a) * (1.0 - b) * z[0] + a * (1.0 - b) * z[1] + (1.0 - a) * b * z[2] + a * b * z[3]

    program = trace(height, {"h": (16, 16), "x": (2,)})
    kinds = {node[0] for node in program.nodes}
    assert program.size < 70 and "column" in kinds and not program.loops.writes
    x = np.random.default_rng(4).uniform(-3.0, 19.0, size=(100, 2))
    found = Kernel(program)(heights, x)
    np.testing.assert_allclose(found, [height(heights, row) for row in x], rtol=1e-13, atol=1e-13)
    np.testing.assert_array_equal(Kernel(program)(np.asfortranarray(heights), x), found)
    np.testing.assert_array_equal(Kernel(without_columns(program))(heights, x), found)
    assert "filled" in {node[0] for node in without_columns(program).nodes}
    assert program.count() == without_columns(program).count()


def chosen(model, q, h):
    """Choices in choices, without loops that run along anything."""

    def inner():
        return stack([lookup(h, q[1], 2.0 * q[0]) * cos(q[1]), maybe(less(q[0], 0.0), lambda: sin(q[0]), q[1])])

    return maybe(less(q[0] * q[1], 0.3), inner, lookup(stack([q[0], 2.0, q[1]]), 3.0 * q[0]) * q)


def test_in_jax(jax):
    numpy, function = jax.numpy, lambda q, h: chosen(None, q, h)
    for q, h in zip(Q[:3], H[:3], strict=True):
        np.testing.assert_allclose(
            jax.jit(function)(numpy.asarray(q), numpy.asarray(h)), chosen(None, q, h), rtol=1e-12
        )
    wanted = by_complex_steps(chosen, q, h)[:, 2:].reshape(2, 3, 4)
    for differentiated in (jax.jacfwd, jax.jacrev):
        found = jax.jit(differentiated(function, argnums=1))(numpy.asarray(q), numpy.asarray(h))
        np.testing.assert_allclose(found, wanted, rtol=1e-11, atol=1e-12)


def test_functions_of_casadi_and_formulas():
    pytest.importorskip("casadi")
    function = kt.casadi.function(chosen, ROBOT, shapes=SHAPES)
    scalars = kt.casadi.sx(chosen, ROBOT, shapes=SHAPES)
    for q, h in zip(Q[:9], H[:9], strict=True):
        for of in (function, scalars):
            np.testing.assert_allclose(np.ravel(of.call([q, h])[0].full()), chosen(None, q, h), rtol=1e-12)


def test_what_is_wrong_is_said():
    for bad in ((np.ones(3),), (np.ones(3), 0.0, 1.0), (np.ones((0, 3)), 1.0), (2.0, 1.0)):
        with pytest.raises(ValueError, match="has no rows for"):
            lookup(*bad)
    with pytest.raises(kt.InputError, match=r"length of .* is not known"):
        trace(lambda u, x: lookup(u, x), {"u": ("t",), "x": ()})
    whole = trace(lambda h, x: lookup(h, x) + lookup(h * 2.0, x), {"h": (3,), "x": ()})
    check(whole)
    broken = {
        "must be inputs of one array": lambda x: ("column", 1, 1, 3) if x[0] == "column" else x,
        "must be a table that is filled before": lambda x: ("filled", 9) if x[0] == "filled" else x,
        "takes an entry of a column": lambda x: ("lookup", x[2], x[2]) if x[0] == "lookup" else x,
    }
    for message, change in broken.items():
        with pytest.raises(kt.KinetraceError, match=message):
            check(replace(whole, nodes=tuple(map(change, whole.nodes))))
