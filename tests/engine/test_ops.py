"""The table of operations: every reader of a program knows every row, and means the same by it."""

from __future__ import annotations

from dataclasses import replace

import mpmath
import numpy as np
import pytest

import kinetrace as kt
from kinetrace import arrays
from kinetrace.engine.targets.text.sources import LANGUAGES, sources
from kinetrace.engine.trace import Argument, Program, check, trace
from kinetrace.engine.trace.ops import OPS

ROBOT = kt.load("planar2r")
X = np.array(
    [[-2.5, -1.0, 0.5], [0.3, 0.7, -0.2], [1e-9, 2.0, 3.0], [0.99, 1.5, 1.5], [-0.0, 0.0, -7.0], [20.0, -3.0, 4.0]]
)


def program_of(name: str) -> Program:
    """One operation on inputs."""
    arity = OPS[name].arity
    inputs = tuple(("input", k) for k in range(arity))
    return Program(name, (Argument("x", (3,)),), (Argument("out", ()),), (*inputs, (name, *range(arity))), ((arity,),))


@pytest.mark.parametrize("name", OPS)
def test_every_target_means_the_same(name):
    program = program_of(name)
    check(program)
    x = abs(X) if name in ("sqrt", "log") else X
    with np.errstate(all="ignore"):
        expected = program.evaluate(x)[0]
    compiled = kt.Kernel(program)
    np.testing.assert_allclose(compiled(x), expected, rtol=4e-16)
    np.testing.assert_array_equal([compiled(row) for row in x], compiled(x))
    assert OPS[name].cost == "free" or program.count().flops + program.count().trig == 1
    assert all(all(sources(program, "of_x", lang=language).values()) for language in LANGUAGES) and str(program)


def test_nan_passes_through_both_extremes():
    for name in ("minimum", "maximum"):
        kernel = kt.Kernel(program_of(name))
        assert np.isnan(kernel([[np.nan, 1.0, 0.0], [1.0, np.nan, 0.0]])).all()


FUNCTIONS = {
    "tan": (arrays.tan, mpmath.tan, X[:, 0]),
    "asin": (arrays.asin, mpmath.asin, np.linspace(-1, 1, 21)),
    "acos": (arrays.acos, mpmath.acos, np.linspace(-1, 1, 21)),
    "atan": (arrays.atan, mpmath.atan, X[:, 0]),
    "sinh": (arrays.sinh, mpmath.sinh, [*X[:, 0], 1 - 1e-9, 1.0, 710.2, -710.2, 1e-300]),
    "cosh": (arrays.cosh, mpmath.cosh, [*X[:, 0], 710.2, -710.2]),
    "tanh": (arrays.tanh, mpmath.tanh, [*X[:, 0], 0.5, 0.4999999, 800.0, -800.0, 1e-300]),
    "power 2.5": (lambda x: arrays.power(x, 2.5), lambda x: x ** mpmath.mpf(2.5), abs(X[:, 1])),
    "power 0.3": (lambda x: arrays.power(x, 0.3), lambda x: x ** mpmath.mpf(0.3), abs(X[:, 1])),
    "power -1.5": (lambda x: x**-1.5, lambda x: x ** mpmath.mpf(-1.5), abs(X[:, 2])),
    "2 to x": (lambda x: 2.0**x, lambda x: 2**x, X[:, 0]),
    "floor": (arrays.floor, mpmath.floor, [*X.flat, 2.0**52 + 1, -(2.0**53), 0.5, -0.5, 1e300]),
    "abs": (arrays.abs, abs, X.flat),
    "sign": (arrays.sign, mpmath.sign, X.flat),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_compiled_functions_have_their_digits(name):
    function, exact, points = FUNCTIONS[name]
    x = np.array(list(points))
    kernel = kt.compile(lambda model, x: function(x), ROBOT, shapes={"x": (len(x),)})
    expected = [float(exact(mpmath.mpf(float(y)))) for y in x]
    for found in (kernel(x), function(x)):
        np.testing.assert_allclose(found, expected, rtol=2e-15)
    objects = np.vectorize(mpmath.mpf, otypes=[object])(x)
    np.testing.assert_allclose(function(objects).astype(float), expected, rtol=1e-15)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_their_derivatives(name):
    function, _, points = FUNCTIONS[name]
    x = np.array([y for y in points if 1e-3 < abs(y) < 0.99 or 1.1 < abs(y) < 30])[:8]
    x = x[np.abs(x - np.round(x)) > 1e-3] if name == "floor" else x
    slope = kt.jacobian(lambda model, x: function(x), wrt="x")
    with np.errstate(all="ignore"):  # acos of complex numbers beyond the cut
        inside = x[np.abs(x) < 1] if name in ("asin", "acos") else x
        expected = [np.imag(np.asarray(function(np.array([y + 1e-30j])))).item() / 1e-30 for y in inside]
    np.testing.assert_allclose(np.diag(slope(ROBOT.model, inside)), expected, rtol=1e-13, atol=1e-300)


def test_extremes_have_the_derivative_of_what_they_are():
    def function(model, x):
        return arrays.minimum(x[0], arrays.sqrt(x[1])) * arrays.maximum(x[2], 0.0)

    for mode in ("forward", "reverse"):
        slope = kt.jacobian(function, wrt="x", mode=mode)
        np.testing.assert_array_equal(slope(ROBOT.model, np.array([-1.0, 0.0, 2.0])), [2.0, 0.0, -1.0])
        np.testing.assert_array_equal(slope(ROBOT.model, np.array([3.0, 4.0, 5.0])), [0.0, 1.25, 2.0])
        np.testing.assert_array_equal(slope(ROBOT.model, np.array([3.0, 4.0, -5.0])), [0.0, 0.0, 0.0])


RNG = np.random.default_rng(5)
A = RNG.normal(size=(50, 4, 4))
A[:, 0, 0] = 0.0  # rows must be exchanged
B = RNG.normal(size=(50, 4, 2))


@pytest.mark.parametrize("name", ["solve", "solve vector", "inv", "det", "cholesky", "norm"])
def test_small_matrices_compile(name):
    S = A @ A.transpose(0, 2, 1) + np.eye(4)
    function, given, expected = {
        "solve": (lambda model, A, b: kt.linalg.solve(A, b), (A, B), np.linalg.solve(A, B)),
        "solve vector": (
            lambda model, A, b: kt.linalg.solve(A, b),
            (A, B[..., 0]),
            np.linalg.solve(A, B[..., :1])[..., 0],
        ),
        "inv": (lambda model, A: kt.linalg.inv(A), (A,), np.linalg.inv(A)),
        "det": (lambda model, A: kt.linalg.det(A), (A,), np.linalg.det(A)),
        "cholesky": (lambda model, A: kt.linalg.cholesky(A), (S,), np.linalg.cholesky(S)),
        "norm": (lambda model, A: kt.linalg.norm(A), (A,), np.linalg.norm(A, axis=(1, 2))),
    }[name]
    shapes = {key: x.shape[1:] for key, x in zip("Ab", given, strict=False)}
    found = kt.compile(function, ROBOT, shapes=shapes)(*given)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-10)  # condition numbers up to 1e3
    np.testing.assert_allclose(function(None, *(x[0] for x in given)), expected[0], rtol=1e-9, atol=1e-10)


def test_numpy_itself_names_what_to_use():
    for function, name in ((lambda x: np.linalg.solve(x, x), "solve"), (lambda x: np.linalg.inv(x), "inv")):
        with pytest.raises(kt.InputError, match=rf"use kt\.linalg\.{name}"):
            trace(function, {"x": (2, 2)})
    with pytest.raises(TypeError, match=r"use kt\.arrays\.maximum"):
        trace(lambda x: np.maximum(x, 0.0), {"x": (2,)})


GOOD = trace(lambda x: arrays.sin(x[0]) * x[1] - 2.0, {"x": (2,)})
BROKEN = {
    "no such operation": replace(GOOD, nodes=(*GOOD.nodes[:-1], ("sine", 1))),
    "takes 2 operands": replace(GOOD, nodes=(*GOOD.nodes[:-1], ("add", 1))),
    "must read earlier nodes": replace(GOOD, nodes=(("sin", 3), *GOOD.nodes[1:])),
    "scalar inputs": replace(GOOD, nodes=(("input", 2), *GOOD.nodes[1:])),
    "not below zero": replace(GOOD, nodes=(("const", -1.0), *GOOD.nodes[1:])),
    "is not a node": replace(GOOD, results=((99,),)),
    "has 1 entries": replace(GOOD, results=((0, 1),)),
}


@pytest.mark.parametrize("problem", BROKEN)
def test_the_checker_names_what_is_broken(problem):
    check(GOOD)
    for use in (check, lambda p: kt.Kernel(p)(np.zeros((5, 2)))):
        with pytest.raises(kt.KinetraceError, match=problem):
            use(BROKEN[problem])


def test_assignment_into_an_array_of_symbols():
    def function(model, x):
        y = x.copy()
        y[0] = x[1] * 2.0
        return y

    np.testing.assert_array_equal(kt.compile(function, ROBOT, shapes={"x": (2,)})([1.0, 3.0]), [6.0, 3.0])
