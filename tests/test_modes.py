"""One suite over all ways to run an algorithm: each must give the numbers of plain floats."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mpmath
import numpy as np
import pytest

import kinetrace as kt
from kinetrace import algorithms
from kinetrace.arrays import stack
from kinetrace.model import Model, random_chain
from kinetrace.model import joints as j

BATCH = 7  # a full register of four states, and a rest
STEP = 1e-40


TURNED = [0.48, 0.6, 0.64]
KINDS = [
    j.Revolute(TURNED),
    j.Prismatic([0, 1, 0]),
    j.Universal([1, 0, 0], TURNED),
    j.Planar([0, 0, -1]),
    j.Spherical(),
    j.Helical([0, 0, 1], 0.3),
    j.Screw([0.3, -0.2, 0.8, 0.1, 0.4, -0.3]),
    j.Cylindrical(TURNED),
    j.Continuous([1, 0, 0]),
]


def chain(kinds: list[Any], base: str) -> Model:
    """A chain makes every quantity depend on all of its joints."""
    return random_chain(len(kinds), 3, kinds).build(base)


MODEL = chain(KINDS, "free")
"""Every kind of joint once, on a free base."""
HALVES = (chain(KINDS[:4], "free"), chain(KINDS[4:], "fixed"))
"""The same joints, for code of as many outputs as the square or the cube of their number."""
FRAME = {"frame": "tip", "expressed_in": "aligned"}
POLE = {"wrench": {"link2": np.arange(6.0)}, "base_velocity": np.ones(6)}


@dataclass(frozen=True)
class Case:
    """A function of (model, arrays), and which of the arrays it takes."""

    takes: str
    function: Callable[..., Any]
    robot: Callable[..., Any]
    compiled_for: tuple[Model, ...] = HALVES


CASES = {
    "inverse_dynamics": Case("q v a", algorithms.inverse_dynamics, kt.Robot.inverse_dynamics, (MODEL,)),
    "inverse_dynamics, base and wrench": Case(
        "q v a",
        lambda model, *xs: algorithms.inverse_dynamics(model, *xs, **POLE),
        lambda robot, *xs: robot.inverse_dynamics(*xs, **POLE),
        (MODEL,),
    ),
    "pose": Case("q", lambda model, q: algorithms.pose(model, q, frame="tip"), lambda robot, q: robot.pose(q, "tip")),
    "jacobian": Case(
        "q",
        lambda model, q: algorithms.jacobian(model, q, **FRAME),
        lambda robot, q: robot.jacobian(q, **FRAME),
    ),
    "velocity": Case(
        "q v",
        lambda model, *xs: algorithms.velocity(model, *xs, **FRAME),
        lambda robot, *xs: robot.velocity(*xs, **FRAME),
    ),
    "acceleration": Case(
        "q v a",
        lambda model, *xs: algorithms.acceleration(model, *xs, **FRAME),
        lambda robot, *xs: robot.acceleration(*xs, **FRAME),
    ),
    "acceleration_derivatives": Case(
        "q v a",
        lambda model, *xs: stack(algorithms.acceleration_derivatives(model, *xs, **FRAME), axis=-3),
        lambda robot, *xs: np.stack(robot.acceleration_derivatives(*xs, **FRAME), axis=-3),
    ),
    "forward_dynamics": Case("q v a", algorithms.forward_dynamics, kt.Robot.forward_dynamics),
    "diagonal_dynamics": Case(
        "q v a",
        lambda model, *xs: stack(algorithms.diagonal_dynamics(model, *xs), axis=-2),
        lambda robot, *xs: np.stack(robot.diagonal_dynamics(*xs), axis=-2),
    ),
    "regressor": Case(
        "q v a",
        lambda model, *xs: algorithms.regressor(model, *xs, friction=True, rotor=True),
        lambda robot, *xs: robot.regressor(*xs, friction=True, rotor=True),
    ),
    **{
        name: Case(takes, getattr(algorithms, name), getattr(kt.Robot, name))
        for name, takes in {
            "christoffel": "q",
            "coriolis_matrix": "q v",
            "mass_matrix": "q",
            "mass_root_product": "q v",
            "coriolis_transpose_product": "q v a",
            "gravity": "q",
            "kinetic_energy": "q v",
            "centroidal_momentum_matrix": "q",
            "momentum_rate": "q v a",
            "energy_regressor": "q v",
        }.items()
    },
    "integrate": Case("q v", Model.integrate, kt.Robot.integrate),
    "difference": Case("q q1", Model.difference, kt.Robot.difference),
    "normalise": Case("q2", Model.normalise, kt.Robot.normalise),
}


@pytest.fixture(params=CASES)
def case(request):
    return CASES[request.param]


def states(case: Case, model: Model, count: int = BATCH, seed: int = 7) -> list[Any]:
    """What a case takes, for a batch of random states."""
    rng = np.random.default_rng(seed)
    q, q1 = (np.stack([model.random(rng) for _ in range(count)]) for _ in range(2))
    v, a = rng.normal(size=(2, count, model.nv))
    named = {"q": q, "q1": q1, "q2": 1.3 * q, "v": v, "a": a}
    return [named[name] for name in case.takes.split()]


def on_floats(case: Case, model: Model, inputs: list[Any]) -> Any:
    """Plain floats, one state at a time: the reference."""
    return np.stack([case.function(model, *row) for row in zip(*inputs, strict=True)])


@pytest.fixture
def inputs(case):
    return states(case, MODEL)


@pytest.fixture
def expected(case, inputs):
    return on_floats(case, MODEL, inputs)


def rounding(case: Case) -> float:
    """What two orders of summation may differ by: accelerations by some of the mass matrix's condition, 1e5 here."""
    return 1e-11 if case in (CASES["forward_dynamics"], CASES["diagonal_dynamics"]) else 1e-12


def assert_same(actual, expected, tol=1e-12):
    assert np.shape(actual) == np.shape(expected)
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tol * np.abs(expected).max())


def test_50_digits(case):
    exact = np.vectorize(mpmath.mpf, otypes=[object])
    for model in HALVES:
        inputs = states(case, model, count=2)
        with mpmath.workdps(50):
            rows = [case.function(model, *map(exact, row)) for row in zip(*inputs, strict=True)]
        assert_same(np.stack(rows).astype(float), on_floats(case, model, inputs))


def test_complex(case, inputs, expected):
    """Complex numbers without imaginary part give the same, so a complex step starts from the right value."""
    rows = [case.function(MODEL, *(x.astype(complex) for x in row)) for row in zip(*inputs, strict=True)]
    assert_same(np.stack(rows).real, expected)
    assert np.abs(np.stack(rows).imag).max() == 0


@pytest.mark.alternates(2, "case", "settings")
@pytest.mark.parametrize("settings", [{"backend": "numpy"}, {}], ids=["interpreted", "compiled"])
def test_traced(case, settings):
    for model in (MODEL,) if settings else case.compiled_for:
        robot, inputs = kt.Robot(model, **settings), states(case, model)
        expected = on_floats(case, model, inputs)
        result = case.robot(robot, *(np.concatenate([x, x]) for x in inputs))  # more than code for one state takes
        assert result.dtype == np.float64
        assert_same(result, np.concatenate([expected, expected]), rounding(case))
        single = case.robot(robot, *(x[2] for x in inputs))
        assert_same(single, expected[2], rounding(case))
        shaped = [x[: BATCH - 1].reshape(2, 3, -1) for x in inputs]
        rows = expected[: BATCH - 1].reshape(2, 3, *expected.shape[1:])
        assert_same(case.robot(robot, *shaped), rows, rounding(case))


@pytest.mark.alternates(2, "case", "backend")
@pytest.mark.parametrize("backend", ["llvm", "numpy"])
def test_float32(case, backend):
    """Single precision has 6e-8 a rounding; through ten joints some dozens of them add up, hence 2e-5.

    Accelerations are worse by the condition of the mass matrix, up to 1e5 here, of which little shows. Types do not
    depend on the joints: half of them are compiled.
    """
    tolerance = 2e-3 if case in (CASES["forward_dynamics"], CASES["diagonal_dynamics"]) else 2e-5
    model = MODEL if backend == "numpy" else HALVES[1]
    robot, inputs = kt.Robot(model, dtype="float32", backend=backend), states(case, model)
    expected = on_floats(case, model, inputs)
    for given in (inputs, [x.astype(np.float32) for x in inputs]):
        result = case.robot(robot, *given)
        assert result.dtype == np.float32
        assert_same(result, expected, tolerance)
    assert case.robot(robot, *(x[0].astype(np.float32) for x in inputs)).dtype == np.float32


SHORT = random_chain(2, 5, [j.Spherical(), j.Helical([0, 0.6, 0.8], 0.2)]).build()
SHORTEST = random_chain(2, 5, [j.Revolute(TURNED), j.Helical([0, 0.6, 0.8], 0.2)]).build()
"""JAX compiles for seconds what a kernel compiles in tenths: two joints do, and hinges where results are matrices."""
WITH_QUATERNIONS = ("difference", "forward_dynamics", "integrate", "inverse_dynamics", "jacobian", "normalise", "pose")


@pytest.mark.alternates(2, "name")
@pytest.mark.parametrize("name", sorted(CASES))
def test_jax_jit_and_vmap(jax, name):
    case, model = CASES[name], SHORT if name in WITH_QUATERNIONS else SHORTEST
    inputs = states(case, model, count=2, seed=3)
    expected = on_floats(case, model, inputs)
    result = jax.jit(jax.vmap(lambda *xs: case.function(model, *xs)))(*inputs)
    assert isinstance(result, jax.Array)
    assert_same(result, expected)


@pytest.mark.parametrize("name", ["inverse_dynamics", "pose", "velocity", "integrate", "difference"])
def test_jax_gradient_is_the_complex_step(jax, name):
    case = CASES[name]
    inputs = [x[0] for x in states(case, SHORT, count=2, seed=4)]
    weights = np.cos(np.arange(case.function(SHORT, *inputs).size))

    def scalar(*xs):
        return (case.function(SHORT, *xs).reshape(-1) * weights).sum()

    gradients = jax.jit(jax.grad(scalar, argnums=tuple(range(len(inputs)))))(*inputs)
    for k, (x, gradient) in enumerate(zip(inputs, gradients, strict=True)):
        steps = (x + 1j * STEP * e for e in np.eye(len(x)))
        by_step = [scalar(*inputs[:k], moved, *inputs[k + 1 :]).imag / STEP for moved in steps]
        assert_same(gradient, by_step)
