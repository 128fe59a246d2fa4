"""Tracing: what is folded, shared and counted, and that the result computes what the function did."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import kinetrace as kt
from kinetrace import arrays
from kinetrace.engine.trace import Graph, OpCount, Program, trace


def traced(function: Any, n: int = 3, **options: Any) -> Program:
    return trace(function, {"x": (n,)}, **options)


def operations(program: Program) -> list[str]:
    return [node[0] for node in program.nodes if node[0] not in ("const", "input")]


UNCHANGED = {
    "x + 0": lambda x: x + 0.0,
    "0 + x": lambda x: 0.0 + x,
    "x - 0": lambda x: x - 0.0,
    "x + -0": lambda x: x + -0.0,
    "1 x": lambda x: 1.0 * x,
    "x 1": lambda x: x * 1,
    "x / 1": lambda x: x / 1.0,
    "-(0 - x)": lambda x: -(0.0 - x),
    "+x": lambda x: +x,
    "-1 (-1 x)": lambda x: -1.0 * (-1.0 * x),
    "x ** 1": lambda x: x**1,
    "2 (x / 2)": lambda x: 2.0 * (x / 2.0),
    "where(true)": lambda x: arrays.where(np.array(True), x, x + 1.0),
    "where(same)": lambda x: arrays.where(arrays.less(x, 3.0), x, x),
}


@pytest.mark.parametrize("name", UNCHANGED)
def test_these_leave_their_argument_as_it_is(name):
    graph = Graph()
    x = graph.input(0)
    (result,) = UNCHANGED[name](np.array([x], dtype=object))
    assert (result.index, result.negative) == (x.index, x.negative)


CONSTANTS = {
    "0 x": (lambda x: 0.0 * x, 0.0),
    "x - x": (lambda x: x - x, 0.0),
    "-x + x": (lambda x: -x + x, 0.0),
    "x / x": (lambda x: x / x, 1.0),
    "x / -x": (lambda x: x / -x, -1.0),
    "x (1 / x)": (lambda x: -x * (1.0 / x), -1.0),
    "0 / x": (lambda x: 0.0 / x, 0.0),
    "x ** 0": (lambda x: x**0, 1.0),
    "2 (3 - 5)": (lambda x: 2.0 * (x * 0 + 3.0 - 5.0), -4.0),
    "sin(0 x)": (lambda x: arrays.sin(0.0 * x), 0.0),
    "cos(0 x)": (lambda x: arrays.cos(0.0 * x), 1.0),
    "sqrt 9": (lambda x: arrays.sqrt(0.0 * x + 9.0), 3.0),
    "exp(0 x)": (lambda x: arrays.exp(0.0 * x), 1.0),
    "exp 1000": (lambda x: arrays.exp(0.0 * x + 1000.0), np.inf),
    "log 1": (lambda x: arrays.log(0.0 * x + 1.0), 0.0),
    "log 0": (lambda x: arrays.log(0.0 * x), -np.inf),
    "atan2(1, 1)": (lambda x: arrays.atan2(0.0 * x + 1, 0.0 * x + 1), np.pi / 4),
    "abs(-2)": (lambda x: abs(0.0 * x - 2.0), 2.0),
    "where(1 < 2, 3, x)": (lambda x: arrays.where(arrays.less(0.0 * x + 1.0, 2.0), 3.0, x), 3.0),
}


@pytest.mark.parametrize("name", CONSTANTS)
def test_these_are_known_before_anything_runs(name):
    function, value = CONSTANTS[name]
    program = traced(lambda x: function(x), 1)
    assert program.count() == OpCount()
    assert program.evaluate([7.0])[0] == value


def test_constant_factors_gather_in_one():
    assert operations(traced(lambda x: 2.0 * (x[0] * 3.0) / 4.0)) == ["mul"]
    assert "1.5 * x[0]" in str(traced(lambda x: 2.0 * (x[0] * 3.0) / 4.0))


SHARED = {
    "a + b": lambda a, b: (a + b, b + a, -a - b, -(b + a)),
    "a - b": lambda a, b: (a - b, b - a, -a + b, -b + a, -(a - b)),
    "a b": lambda a, b: (a * b, b * a, -a * b, a * -b, -a * -b),
    "a / b": lambda a, b: (a / b, -a / b, a / -b, -(a / b)),
    "2 a": lambda a, b: (2.0 * a, a * 2.0, -2.0 * a, a / 0.5, a / -0.5),
    "sin a": lambda a, b: (a.sin(), (-a).sin(), -(a.sin())),
    "cos a": lambda a, b: (a.cos(), (-a).cos()),
    "atan2(a, b)": lambda a, b: (a.atan2(b), (-a).atan2(b)),
    "exp -a": lambda a, b: ((-a).exp(), (-1.0 * a).exp()),
    "log(b - a)": lambda a, b: ((b - a).log(), (-(a - b)).log()),
    "a²": lambda a, b: (a * a, a**2, (-a) ** 2),
    "a < b": lambda a, b: (a < b, b > a),
}


@pytest.mark.parametrize("name", SHARED)
def test_these_are_one_node(name):
    graph = Graph()
    results = SHARED[name](graph.input(0), graph.input(1))
    assert len({x.index for x in results}) == 1


def test_negative_selections_share_the_sign():
    program = traced(lambda x: -arrays.where(arrays.less(x[:1], 0.0), -x[1:2], -x[2:]))
    assert operations(program) == ["lt", "select"]


def test_a_negation_is_an_operation_only_at_an_output_and_is_not_counted():
    program = traced(lambda x: (-(x[0] * x[1]), x[2] - 2.0))
    assert sorted(operations(program)) == ["mul", "neg", "sub"]
    assert program.count() == OpCount(mul=1, add=1)


def test_what_no_output_needs_is_left_out():
    def function(x):
        _ = arrays.sin(x) @ x / x[0]
        return x[1] * x[2]

    program = traced(function)
    assert operations(program) == ["mul"]
    assert program.nodes == (("input", 1), ("input", 2), ("mul", 0, 1))


def test_traces_do_not_mix_and_have_no_truth():
    a, b = Graph().input(0), Graph().input(0)
    with pytest.raises(ValueError, match="two different traces"):
        operator.add(a, b)
    with pytest.raises(TypeError, match="where"):
        bool(a < 1.0)
    with pytest.raises(TypeError, match=r"kinetrace\.arrays"):
        float(a)


def test_division_by_a_constant_zero_is_not_a_number():
    program = trace(lambda x: x / 0.0 + 1.0, {"x": (2,)})
    assert np.isnan(program.evaluate(np.ones(2))[0]).all()
    assert np.isnan(kt.Kernel(program)(np.ones(2))).all()


def test_every_operation_counts_once():
    def function(x):
        a, b, c = x
        smaller = (a < b).select(a, b)
        return a * b + c - 2.0 * a, (a / b).sqrt(), c.sin() + c.cos(), a.atan2(b), a.exp(), b.log(), smaller, abs(a)

    count = traced(function).count()
    assert count == OpCount(mul=2, add=3, div=1, sqrt=1, trig=5)
    assert count.flops == 7
    assert str(count) == "2 mul, 3 add, 1 div, 1 sqrt, 5 trig"


def test_a_program_prints_as_ever():
    """The text is the same on every run and machine: reviews compare it, and the cache's key is made likewise."""

    def reach(q):
        c, s, both = arrays.cos(q), arrays.sin(q), q[0] + q[1]
        nearer = arrays.where(arrays.less(q[0], q[1]), -c[0], c[1])
        return np.stack([0.5 * c[0] - 0.25 * both.cos(), -s[1] * s[0], nearer]), arrays.sqrt(2.0 / -c[0])

    assert str(trace(reach, {"q": (2,)}, name="reach")) == (
        "reach: (2)->(3),()\n"
        "  t2 = cos(q[0])\n"
        "  t3 = cos(q[1])\n"
        "  t4 = sin(q[0])\n"
        "  t5 = sin(q[1])\n"
        "  t6 = q[0] + q[1]\n"
        "  t7 = q[0] < q[1]\n"
        "  t8 = neg(t2)\n"
        "  t9 = select(t7, t8, t3)\n"
        "  t11 = 0.5 * t2\n"
        "  t12 = cos(t6)\n"
        "  t14 = 0.25 * t12\n"
        "  t15 = t11 - t14\n"
        "  t16 = t4 * t5\n"
        "  t18 = 2.0 / t2\n"
        "  t19 = neg(t18)\n"
        "  t20 = sqrt(t19)\n"
        "  t21 = neg(t16)\n"
        "  out0[0] = t15\n"
        "  out0[1] = t21\n"
        "  out0[2] = t9\n"
        "  out1[0] = t20"
    )


def test_signature_and_digest():
    def function(x, y):
        return x["left"] * y, (x["right"] ** 2).sum()

    shapes = {"x": {"left": (), "right": (3,)}, "y": (2, 2)}
    one, same = trace(function, shapes), trace(function, shapes, name="other")
    assert one.signature == "(),(3),(2,2)->(2,2),()"
    assert [a.name for a in one.inputs] == ["x[left]", "x[right]", "y"]
    assert one.digest == same.digest  # a name changes no code
    assert one.digest != trace(function, {**shapes, "y": (4, 1)}).digest
    assert one.digest != trace(lambda x, y: function(x, 2.0 * y), shapes).digest


Tree = Any
X = np.random.default_rng(0).integers(-4, 5, (9, 3)).astype(float)
INPUTS = st.builds(lambda k: ("x", k), st.integers(0, 2))
EXACT = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "neg": lambda a: -a,
    "abs": lambda a: abs(a),
    "square": lambda a: a**2,
    "half": lambda a: a / 2.0,
    "less": lambda a, b: arrays.less(a, b) * 1.0,
    "where": lambda a, b, c, d: arrays.where(arrays.less(a, b), c, d),
}
SMOOTH = {  # slopes are at most 1, so rounding is not amplified
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "neg": lambda a: -a,
    "product": lambda a, b: arrays.sin(a) * arrays.cos(b),
    "turn": lambda a: arrays.cos(a) - 0.25 * arrays.sin(a),
    "root": lambda a: arrays.sqrt(1.0 + a * a),
    "ratio": lambda a, b: arrays.sin(a) / (1.0 + arrays.cos(b) ** 2),
    "angle": lambda a, b: arrays.atan2(arrays.sin(a), 2.0 + arrays.cos(b)),
    "decay": lambda a: arrays.exp(arrays.sin(a) - 1.0),
    "growth": lambda a: arrays.log(1.0 + a * a),
}


def trees(table: dict[str, Any], constants: list[float]) -> st.SearchStrategy[Tree]:
    leaves = INPUTS | st.builds(lambda c: ("c", c), st.sampled_from(constants))

    def grow(parts: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
        made = [st.tuples(st.just(k), *[parts] * f.__code__.co_argcount) for k, f in table.items()]
        return st.one_of(made)

    return st.recursive(leaves, grow, max_leaves=14)


def run(tree: Tree, table: dict[str, Any], x: Any) -> Any:
    """The tree's value, for every scalar; x has a last axis of 3."""
    if tree[0] == "x":
        return x[..., tree[1]]
    if tree[0] == "c":
        return tree[1] + 0.0 * x[..., 0]
    return table[tree[0]](*(run(part, table, x) for part in tree[1:]))


@pytest.fixture(scope="module", autouse=True)
def no_cache() -> Iterator[None]:
    """Hundreds of little kernels are no use to anybody later."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KINETRACE_CACHE", "off")
        yield


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(trees(EXACT, [0.0, 1.0, -1.0, 2.0, -3.0, 0.5]), min_size=1, max_size=3))
def test_exact_expressions_have_one_value(expressions):
    """Small integers and halves are exact in float64, whatever the order: all must agree to the last bit."""

    def function(x):
        return tuple(run(tree, EXACT, x) for tree in expressions)

    direct = function(X)
    if max(np.abs(y).max() for y in direct) > 2**40:  # beyond, products of intermediate values may round
        return
    program = traced(function)
    for results in (program.evaluate(X), kt.Kernel(program)(X)):
        results = results if isinstance(results, tuple) else (results,)
        for actual, expected in zip(results, direct, strict=True):
            np.testing.assert_array_equal(actual, expected)


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(trees(SMOOTH, [0.0, 1.0, -1.0, 0.3, -2.5]))
def test_smooth_expressions_have_one_value(tree):
    program = traced(lambda x: run(tree, SMOOTH, x))
    direct = run(tree, SMOOTH, X)
    np.testing.assert_allclose(program.evaluate(X)[0], direct, rtol=0, atol=1e-13)
    np.testing.assert_allclose(kt.Kernel(program)(X), direct, rtol=0, atol=1e-13)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_one_state_and_many_agree_to_the_bit(dtype):
    """The call for one state and the loop over vectors, whole and ragged, paste the same lines."""

    def function(x):
        return arrays.exp(x), arrays.log(x), arrays.log(arrays.exp(-x) + 1.0)

    kernel = kt.Kernel(traced(function), dtype=dtype)
    special = [0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 89.0, 1e-40, 710.0]
    x = np.concatenate([np.random.default_rng(0).uniform(-50, 50, 1000 * 3), special]).astype(dtype).reshape(-1, 3)
    alone = [np.stack(y) for y in zip(*(kernel(row) for row in x), strict=True)]
    for n in (len(x), 1, 2, 5):
        for one, many in zip(alone, kernel(x[-n:]), strict=True):
            np.testing.assert_array_equal(one[-n:], many)
    close = {"float64": 1e-15, "float32": 4e-7}[dtype]
    with np.errstate(all="ignore"):
        for one, interpreted in zip(alone[:2], traced(function).evaluate(x), strict=False):
            np.testing.assert_allclose(one, interpreted.astype(dtype), rtol=close, atol=0)


def test_a_condition_is_also_a_number_and_reaches_later_blocks():
    """A comparison is a mask in a register; as a number, and between blocks of code, it is 1 or 0."""

    def function(x):
        early = arrays.less(x[:1], x[1:2])
        y = x[2:]
        for k in range(2500):
            y = 0.5 * y * x[2:] + 1.0 / (k + 1)
        return arrays.where(early, y, -y), early + early, -early, arrays.where(early, early, x[:1])

    program = traced(function)
    x = X / 4
    for actual, expected in zip(kt.Kernel(program)(x), program.evaluate(x), strict=True):
        np.testing.assert_allclose(actual, expected, rtol=1e-13)
    early = x[:, :1] < x[:, 1:2]
    np.testing.assert_array_equal(kt.Kernel(program)(x)[1], 2.0 * early)


@pytest.mark.parametrize(
    "ask",
    [
        lambda x: np.where(x == 0, 1.0, x),
        lambda x: x if x[0] != x[1] else -x,
        lambda x: np.where(x < 0, 1.0, x),
        lambda x: x if x[0] else -x,
        lambda x: np.array([float(x[0])]),
    ],
)
def test_what_is_not_known_yet_cannot_be_asked(ask):
    """Else a question about values would be answered while tracing, and the answer compiled."""
    with pytest.raises(TypeError, match="traced value"):
        trace(ask, {"x": (2,)})


def test_a_shape_may_be_a_number():
    kernel = kt.compile(lambda model, q, gain: gain @ q, kt.load("planar2r"), shapes={"gain": 2})
    assert kernel.program.signature == "(2),(2)->()"
