"""Derivatives of expressions: every rule, both modes, selections, and replaying expressions on other scalars."""

from __future__ import annotations

from typing import Any

import hypothesis.strategies as st
import mpmath
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from kinetrace import arrays
from kinetrace.engine.trace import Expr, Graph
from kinetrace.engine.trace.derivatives.differentiate import adjoints, dependence, fresh, tangents
from kinetrace.engine.trace.replay import Replay

STEP = 1e-40


def substitute(outputs, values):
    return Replay(outputs[0].graph, values).outputs(outputs) if outputs else []


def three(graph: Graph) -> Any:
    x = np.empty(3, dtype=object)
    x[:] = [graph.input(k) for k in range(3)]
    return x


def forward(graph: Graph, outputs: list[Expr], x: Any) -> list[list[Expr]]:
    one, zero = graph.constant(1.0), graph.constant(0.0)
    rows = tangents(outputs, {v.index: {k: one} for k, v in enumerate(x)})
    return [[row.get(k, zero) for k in range(len(x))] for row in rows]


def reverse(graph: Graph, outputs: list[Expr], x: Any) -> list[list[Expr]]:
    return adjoints(outputs, x, [{k: 1.0} for k in range(len(outputs))])


MODES = {"forward": forward, "reverse": reverse}


def gradient(mode: str, function: Any, at: Any) -> Any:
    """The derivative (outputs, 3) of a function of three numbers, by expressions."""
    graph = Graph()
    x = three(graph)
    returned = function(x)
    outputs = [y if isinstance(y, Expr) else graph.constant(y) for y in np.atleast_1d(np.asarray(returned, object))]
    rows = MODES[mode](graph, outputs, x)
    values = {v.index: y for v, y in zip(x, at, strict=True)}
    return np.array([substitute(row, values) for row in rows])


def by_complex_step(function: Any, at: Any) -> Any:
    return np.stack([np.atleast_1d(function(at + 1j * STEP * e)).imag / STEP for e in np.eye(3)], axis=-1)


def where_less(a: Any, b: Any, c: Any, d: Any) -> Any:
    return arrays.where(arrays.less(a, b), c, d)


RULES = {
    "add": lambda x: -x[0] + x[1],
    "sub": lambda x: x[0] - x[2],
    "double": lambda x: x[0] + x[0],
    "mul": lambda x: -x[0] * x[1] * x[2],
    "square": lambda x: x[1] * x[1],
    "div": lambda x: -x[0] / x[1] + 1.0 / x[2] + x[0] / 3.0,
    "neg": lambda x: arrays.sqrt(-x[0]) + arrays.sqrt(-2.0 * x[1]),
    "sqrt": lambda x: arrays.sqrt(x[0] * x[0] + 2.0 * x[1]),
    "sin": lambda x: arrays.sin(-3.0 * x[0]),
    "cos": lambda x: -arrays.cos(x[2] - x[0]),
    "atan2": lambda x: arrays.atan2(-x[0], x[1]),
    "atan2, one alone": lambda x: arrays.atan2(x[0], 2.0) + arrays.atan2(1.5, -x[1]),
    "exp": lambda x: arrays.exp(-x[0] * x[1]),
    "log": lambda x: arrays.log(x[0]) * arrays.log(2.0 + x[1]),
    "select": lambda x: where_less(x[0], x[1], x[2] * x[0], -arrays.sin(x[1])),
    "absolute": lambda x: where_less(x[0], 0.0, -x[0], x[0]),
    "lt": lambda x: x[0] * (arrays.less(x[1], x[2]) * 1.0),
    "constant": lambda x: 3.0 + 0.0 * x[0],
    "input": lambda x: -x[1],
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", RULES)
def test_every_rule(name, mode):
    rng = np.random.default_rng(3)
    for _ in range(6):
        x = rng.normal(size=3)
        if name in ("neg", "sqrt", "log"):
            x = -abs(x) if name == "neg" else abs(x)
        expected = by_complex_step(RULES[name], x)
        np.testing.assert_allclose(gradient(mode, RULES[name], x), expected, rtol=1e-13, atol=1e-14)


SMOOTH = {
    "sum": lambda a, b: a - b + 0.5,
    "product": lambda a, b: arrays.sin(a) * arrays.cos(b),
    "square": lambda a: 0.1 * a * a,
    "root": lambda a: arrays.sqrt(1.0 + a * a),
    "ratio": lambda a, b: a / (2.0 + arrays.cos(b)),
    "angle": lambda a, b: arrays.atan2(a, 2.0 + arrays.cos(b)),
    "decay": lambda a: arrays.exp(-arrays.sqrt(1.0 + a * a)),
    "log": lambda a: arrays.log(1.0 + a * a),
    "choice": lambda a, b, c: where_less(a, b, arrays.sin(c), -b),
}


def trees() -> st.SearchStrategy[Any]:
    def grow(parts: Any) -> Any:
        return st.one_of([st.tuples(st.just(k), *[parts] * f.__code__.co_argcount) for k, f in SMOOTH.items()])

    return st.recursive(st.integers(0, 2), grow, max_leaves=14)


def run(tree: Any, x: Any) -> Any:
    return x[tree] if isinstance(tree, int) else SMOOTH[tree[0]](*(run(part, x) for part in tree[1:]))


@settings(max_examples=80, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(trees(), min_size=1, max_size=3))
def test_random_expressions(expressions):
    x = np.array([0.3, -1.1, 0.7])

    def function(x):
        return arrays.stack([run(tree, x) for tree in expressions])

    expected = by_complex_step(function, x)
    for mode in MODES:
        np.testing.assert_allclose(gradient(mode, function, x), expected, rtol=1e-12, atol=1e-12)


HARMFUL = {
    "root": lambda x: where_less(0.0, x[0], arrays.sqrt(x[0]), 2.0 * x[0]),
    "pole": lambda x: where_less(x[0], 0.0, x[1] * x[0], arrays.log(x[0]) / (x[0] + 1.0)),
    "both branches share a part": lambda x: where_less(x[0], 0.0, 3.0 * x[1] ** 2, x[1] ** 2 * arrays.sqrt(x[0])),
    "one inside the other": lambda x: where_less(
        x[0], 0.0, x[2], where_less(x[0], 0.0, 1.0, arrays.log(x[0]) * arrays.sqrt(x[0]))
    ),
    "several of one condition": lambda x: (
        where_less(0.0, x[0], arrays.sqrt(x[0]) ** 3, x[1]) * where_less(0.0, x[0], arrays.sqrt(x[0]), x[2])
    ),
    "of two conditions": lambda x: (
        where_less(0.0, x[0], where_less(0.0, x[1], arrays.sqrt(x[0]), x[0]), x[1])
        + where_less(0.0, x[0], arrays.sqrt(x[0]), x[2])
    ),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", HARMFUL)
def test_the_branch_that_is_not_taken_leaves_no_trace(name, mode):
    """In the point -1 the other branch is a root or a logarithm of a negative number, or a pole: not a number."""
    x = np.array([-1.0, 0.7, 1.3])
    with np.errstate(all="ignore"):
        result = gradient(mode, HARMFUL[name], x)
        taken = by_complex_step(HARMFUL[name], x)
    assert np.isfinite(result).all()
    np.testing.assert_allclose(result, taken, rtol=1e-14)


def test_an_output_in_a_branch_of_another():
    """One output uses a root under a condition, the other without: the first must not be harmed by the second."""

    def function(x):
        root = arrays.sqrt(x[0])
        return arrays.stack([where_less(0.0, x[0], root * x[1], x[1]), root])

    with np.errstate(all="ignore"):
        result = gradient("reverse", function, np.array([-1.0, 2.0, 3.0]))
    assert result[0].tolist() == [0.0, 1.0, 0.0]
    assert np.isnan(result[1, 0])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("function", "new"),
    [
        (lambda x: x.sin() + x.cos(), 1),  # their difference
        (lambda x: x.exp(), 0),
        (lambda x: x.sqrt(), 1),  # the half over the root
        (lambda x: 1.0 / x, 1),  # the quotient's square
        (lambda x: x.log(), 1),
        (lambda x: 3.0 * x + 1.0, 0),
    ],
)
def test_derivatives_use_what_is_there(function, new, mode):
    graph = Graph()
    x = graph.input(0)
    y = function(x)
    before = len(graph.nodes)
    MODES[mode](graph, [y], [x])
    made = [node for node in graph.nodes[before:] if node[0] not in ("const", "neg")]
    assert len(made) == new


def test_directions_without_effect_vanish():
    graph = Graph()
    x, y, z = three(graph)
    one = graph.constant(1.0)
    seeds = {x.index: {"x": one}, y.index: {"y": one, "z": graph.constant(0.0)}, z.index: {"z": one}}
    rates = tangents([x * y, (x < y) + 0.0, z - z + y, graph.constant(2.0), x.sin() - x.sin() * 1.0], seeds)
    assert [sorted(row) for row in rates] == [["x", "y"], [], ["y"], [], []]
    assert dependence([x * y, (x < y) + 0.0, -z], {x.index: 1, y.index: 2, z.index: 4}) == [3, 0, 4]


def mixed(x: Any) -> Any:
    """Every operation."""
    low = where_less(x[0], x[1], x[0] * x[1], -arrays.exp(x[2]))
    angle = arrays.atan2(arrays.sin(x[0]), 2.0 + arrays.cos(x[1]))
    return -low + angle / arrays.sqrt(1.0 + x[2] * x[2]) - arrays.log(2.0 + x[0]) + 1.0 * arrays.less(x[1], x[2])


def test_substitution_is_composition():
    graph = Graph()
    x = three(graph)
    free = np.array([fresh(graph) for _ in x], dtype=object)
    inner = np.array([x[0] * x[1], -x[2], graph.constant(0.5)], dtype=object)
    composed = mixed(inner)
    (replayed,) = substitute([mixed(free)], {v.index: y for v, y in zip(free, inner, strict=True)})
    assert (replayed.index, replayed.negative) == (composed.index, composed.negative)
    (same,) = substitute([mixed(x)], {free[0].index: x[0]})
    assert same.index == mixed(x).index


def test_substitution_of_numbers_of_every_kind():
    graph = Graph()
    x = three(graph)
    y = mixed(x)

    def at(values: Any) -> Any:
        return substitute([y], {v.index: z for v, z in zip(x, values, strict=True)})[0]

    for point in np.array([[0.3, 0.4, -0.5], [0.9, -0.2, 0.1]]):
        assert at(point) == pytest.approx(mixed(point), rel=1e-15)
        moved = point + 1j * STEP * np.array([1.0, 2.0, 3.0])
        assert at(moved).imag == pytest.approx(mixed(moved).imag, rel=1e-13)
        with mpmath.workdps(50):
            many = np.array([mpmath.mpf(z) for z in point], dtype=object)
            assert abs(at(many) - mixed(many)) < mpmath.mpf(10) ** -45
        jax = pytest.importorskip("jax")
        on_jax = at(jax.numpy.asarray(point))
        assert isinstance(on_jax, jax.Array)
        assert float(on_jax) == pytest.approx(mixed(point), rel=1e-5)


def test_long_chains_of_operations():
    graph = Graph()
    x = y = graph.input(0)
    for _ in range(30_000):
        y = y * 0.5 + x
    assert substitute([y], {x.index: 1.0})[0] == pytest.approx(2.0)
    assert MODES["forward"](graph, [y], [x])[0][0].value == pytest.approx(2.0)
    assert MODES["reverse"](graph, [y], [x])[0][0].value == pytest.approx(2.0)
