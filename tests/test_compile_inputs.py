"""Kernels that take a model's numbers as arrays, and the functions that `compile` understands."""

import functools
import inspect
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

import kinetrace as kt
from kinetrace import algorithms
from kinetrace.errors import InputError
from kinetrace.lie import inertia, se3
from kinetrace.model import random_tree
from kinetrace.model.parameters import JOINT_EFFECT_NAMES, PARAMETERS
from kinetrace.model.zoo.random import random_inertia

ALL = tuple(PARAMETERS)
ROBOTS = {
    "panda": lambda: kt.load("panda"),
    "tree": lambda: kt.Robot(random_tree(10, 3).build("free")),
    "mimics": lambda: kt.load(Path(__file__).parent / "reference" / "every_joint.urdf"),
}
FUNCTIONS = {
    "inverse_dynamics": ("q v a", {}),
    "forward_dynamics": ("q v a", {}),
    "mass_matrix": ("q", {}),
    "pose": ("q", {"frame": None}),
}
BATCH = 6


@functools.cache
def robot_of(name):
    return ROBOTS[name]()


@pytest.fixture(params=ROBOTS)
def robot(request):
    return robot_of(request.param)


@pytest.fixture(params=FUNCTIONS)
def case(request, robot):
    """A function, its choices, and a batch of what it takes."""
    takes, static = FUNCTIONS[request.param]
    static = {key: robot.frame_names[-1] for key in static}
    rng = np.random.default_rng(5)
    v, a = rng.normal(size=(2, BATCH, robot.nv))
    named = {"q": robot.random(BATCH, seed=1), "v": v, "a": a}
    return getattr(algorithms, request.param), static, [named[x] for x in takes.split()]


def perturbed(robot, seed):
    """Other numbers, near enough to the robot's own to keep the mass matrix as well conditioned."""
    rng = np.random.default_rng(seed)
    bodies = inertia.to_parameters(np.stack([random_inertia(rng) for _ in robot.model.bodies]))
    screws, placements = robot.parameters("screws"), robot.parameters("placements")
    return {
        "inertial": robot.parameters("inertial") + bodies,
        "screws": screws + 0.1 * rng.normal(size=screws.shape),
        "placements": placements @ se3.exp(0.1 * rng.normal(size=(len(placements), 6))),
        "gravity": rng.normal(size=3),
        "closures": robot.parameters("closures"),  # of which these robots have none
        **{name: rng.uniform(0.1, 1.0, robot.parameters(name).shape) for name in JOINT_EFFECT_NAMES},
    }


def assert_same(actual, expected, tol=1e-13):
    assert np.shape(actual) == np.shape(expected)
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tol * np.abs(expected).max())


def rounding(function):
    """Accelerations lose digits by the condition of the mass matrix, 2e4 of the tree."""
    return 1e-12 if function is algorithms.forward_dynamics else 1e-13


@pytest.mark.alternates(2, "robot", "case")
def test_at_the_robots_own_numbers_nothing_changes(robot, case):
    function, static, arrays = case
    expected = robot.kernel(function, **static)(*arrays)
    kernel = robot.kernel(function, inputs=ALL, **static)
    assert [x.name for x in kernel.program.inputs[-len(ALL) :]] == list(ALL)
    assert_same(kernel(*arrays, *map(robot.parameters, ALL)), expected, rounding(function))


@pytest.mark.alternates(2, "robot", "case")
def test_a_batch_of_robots(robot, case):
    """Each row of parameters is a robot of its own; axes broadcast, strides are free."""
    function, static, arrays = case
    rows = [perturbed(robot, seed) for seed in range(BATCH // 2)]
    expected = [robot.with_parameters(**row).kernel(function, **static)(*arrays) for row in rows[:1]]
    values = [np.stack([row[name] for row in rows]) for name in ALL]
    kernel = robot.kernel(function, inputs=ALL, **static)
    results = kernel(*(x[None] for x in arrays), *(x[:, None] for x in values))
    assert results.shape[:2] == (BATCH // 2, BATCH)
    assert_same(results[0], expected[0], rounding(function))
    floats = [function(robot.model.with_parameters(**row), *(x[1] for x in arrays), **static) for row in rows]
    assert_same(results[:, 1], np.stack(floats), rounding(function))
    single = kernel(*(x[0] for x in arrays), *(np.asfortranarray(x[0]) for x in values))
    assert_same(single, results[0, 0], rounding(function))


@pytest.mark.parametrize("name", PARAMETERS)
def test_one_input_at_a_time(name):
    robot = robot_of("panda")
    q, (v, a) = robot.random(BATCH, seed=2), np.random.default_rng(2).normal(size=(2, BATCH, 7))
    values = {name: perturbed(robot, 4)[name]}
    expected = robot.with_parameters(**values).inverse_dynamics(q, v, a)
    assert_same(robot.kernel(algorithms.inverse_dynamics, inputs=name)(q, v, a, values[name]), expected)


def test_full_inertias_as_inputs_cost_six_operations_a_body():
    """The zeros of Panda's inertias are few: the same operations on arguments, and second moments from inertias."""
    robot = robot_of("panda")
    kernel = kt.compile(algorithms.inverse_dynamics, robot, inputs="inertial", backend="numpy")
    assert 0 < kernel.count().flops - robot.count("inverse_dynamics").flops <= 6 * len(robot.model.bodies)


def test_float32():
    """Single precision has 6e-8 a rounding; some dozens of them add up."""
    robot = robot_of("panda")
    q, values = robot.random(BATCH, seed=3), perturbed(robot, 5)
    kernel = kt.compile(algorithms.mass_matrix, robot, inputs=ALL, dtype="float32")
    result = kernel(q.astype(np.float32), *(values[name].astype(np.float32) for name in ALL))
    assert result.dtype == np.float32
    assert_same(result, robot.with_parameters(**values).mass_matrix(q), 1e-5)


def test_a_robot_without_screws_takes_an_empty_array():
    robot = kt.Robot(random_tree(0).build())
    kernel = robot.kernel(lambda model: model.gravity, inputs=("screws", "gravity"))
    assert kernel(np.zeros((0, 6)), [1, 2, 3]).tolist() == [1, 2, 3]


def test_kernels_are_kept_by_their_inputs():
    robot = robot_of("panda")
    once = robot.kernel(algorithms.gravity, inputs=("gravity", "inertial"))
    assert once is robot.kernel(algorithms.gravity, inputs=["gravity", "inertial"])
    assert once is not robot.kernel(algorithms.gravity)
    assert once.program.signature == "(7),(3),(7,10)->(7)"


# bad input


def own_gravity(model, q, gravity=None):
    return q


@pytest.mark.parametrize(
    ("function", "options", "message"),
    [
        (
            algorithms.gravity,
            {"inputs": ("masses",)},
            "unknown parameter 'masses'.*inertial, placements, rest, restitution, screws",
        ),
        (algorithms.gravity, {"inputs": ("gravity", "gravity")}, "inputs: 'gravity' is given twice"),
        (own_gravity, {"inputs": ("gravity",)}, "own_gravity has an argument 'gravity' of its own"),
        (3, {}, r"expected a function of \(model, q, ...\), got 3"),
        (lambda model, load: load, {}, "argument 'load' of function is not known"),
    ],
)
def test_what_cannot_be_compiled(function, options, message):
    for make in (functools.partial(kt.compile, robot=robot_of("panda")), robot_of("panda").kernel):
        with pytest.raises(InputError, match=message):
            make(function, **options)


@pytest.mark.parametrize("bad", [np.zeros((6, 10)), np.zeros(70), 1j * np.zeros((7, 10))])
def test_arrays_that_are_no_parameters(bad):
    kernel = robot_of("panda").kernel(algorithms.gravity, inputs="inertial")
    with pytest.raises(InputError, match=r"gravity: inertial must h"):
        kernel(np.zeros(7), bad)


# callables


@dataclass(frozen=True)
class Along:
    """What another function changes by, for small changes: a callable with a signature and shapes of its own."""

    function: object
    wrt: str

    @property
    def __signature__(self):
        own = inspect.Parameter(f"change_of_{self.wrt}", inspect.Parameter.KEYWORD_ONLY)
        parameters = inspect.signature(self.function).parameters.values()
        return inspect.Signature([*parameters, own])

    def argument_shapes(self, model, sizes, **static):
        assert static == {"by": 3.0}
        return {f"change_of_{self.wrt}": sizes[self.wrt]}

    def __call__(self, model, **arrays):
        change = arrays.pop(f"change_of_{self.wrt}")
        return self.function(model, **{**arrays, self.wrt: arrays[self.wrt] + change})


def scaled(model, q, x, dv, *, by):
    return by * x + dv.sum() + q.sum()


def test_callables_that_bring_their_own_shapes():
    robot, x = robot_of("panda"), np.arange(2.0)
    kernel = robot.kernel(Along(scaled, "x"), shapes={"x": 2}, by=3.0)
    assert kernel.__name__ == "Along" and kernel.program.signature == "(7),(2),(7),(2)->(2)"
    np.testing.assert_allclose(kernel(np.ones(7), x, np.ones(7), x), 6 * x + 14)
    assert robot.kernel(Along(scaled, "x"), shapes={"x": 2}, by=3.0) is kernel


def test_partial_functions():
    robot = robot_of("panda")
    kernel = robot.kernel(functools.partial(scaled, by=2.0), shapes={"x": ()})
    assert kernel.__name__ == "scaled"
    assert kernel(np.zeros(7), 1.0, np.zeros(7)) == 2.0


def test_small_changes_have_the_robots_sizes():
    robot = robot_of("tree")
    kernel = robot.kernel(lambda model, q, dq, dv, da, dtau, du: dq + dv + da + dtau + du)
    assert [x.shape for x in kernel.program.inputs] == [(robot.nq,)] + [(robot.nv,)] * 5


def test_typical_mistakes_are_named():
    robot = kt.load("planar2r")
    mistakes = {
        "did you mean 'frame'": lambda: kt.compile(kt.algorithms.pose, robot, frme="tip"),
        "'q' as its first argument": lambda: kt.compile(lambda q: 2.0 * q, robot),
        "must map names": lambda: kt.compile(lambda model, x: x, robot, shapes=3),
        "differentiate the function itself": lambda: kt.jacobian(robot.kernel(kt.algorithms.gravity)),
    }
    for message, call in mistakes.items():
        with pytest.raises(kt.InputError, match=message):
            call()
    with pytest.raises(AttributeError, match=r"take robot\.model"):
        kt.algorithms.gravity(robot, np.zeros(2))
    with pytest.raises(AttributeError, match="did you mean inverse_dynamics"):
        _ = robot.rnea
    with pytest.raises(TypeError, match=r"less\(a, b\)"):
        kt.compile(lambda model, q: kt.arrays.where(q > 0, q, 0.0), robot)
    with pytest.raises(TypeError, match="dtype=object"):
        kt.compile(lambda model, q: np.zeros(2).__setitem__(0, q[0]), robot)


def test_remainders_are_numpys():
    robot, x = kt.load("planar2r"), np.array([[-7.5, 2.0], [7.5, -2.0], [3.0, 0.75]])
    found = kt.compile(lambda model, x: (x[0] // x[1], x[0] % x[1], 2.5 % x[1]), robot, shapes={"x": 2})(x)
    for a, b in zip(found, (x[:, 0] // x[:, 1], x[:, 0] % x[:, 1], 2.5 % x[:, 1]), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-15)


def test_a_robots_kernels_are_told_apart():
    """By the types of choices too: 2 == 2.0 and True == 1, but a function may ask which it is."""
    robot, q = kt.load("planar2r"), np.array([0.1, 0.2])

    def scaled(model, q, n):
        return q**n if isinstance(n, int) and not isinstance(n, bool) else np.asarray(n) * q

    for n, expected in ((2, q**2), (2.0, 2 * q), (1, q), (True, q), (np.ones(2), q), ([1.0, 3.0], [1.0, 3.0] * q)):
        np.testing.assert_allclose(robot.kernel(scaled, n=n)(q), expected)
    assert robot.kernel(scaled, n=2) is robot.kernel(scaled, n=2) is not robot.kernel(scaled, n=2.0)
    assert robot.kernel(kt.algorithms.pose, frame="tip") is robot.kernel(kt.algorithms.pose, frame="tip")
    empty = robot.kernel(lambda model, q, w: q[0] + sum(w.values()), shapes={"w": {}})
    assert empty(q) == 0.1
    for call in (lambda: robot.kernel(scaled, shapes=3), lambda: robot.kernel([1])):
        with pytest.raises(kt.InputError):
            call()


def test_choices_in_tuples_are_told_apart():
    robot, q = kt.load("planar2r"), np.array([0.5, 0.25])

    def signed(model, q, *, w):
        return q[0] * np.copysign(1.0, w[0])

    def flagged(model, q, *, w=(1,)):
        return q * (2 if w[0] is True else 3)

    assert [float(robot.kernel(signed, w=(w,))(q)) for w in (0.0, -0.0, np.float32(-0.0))] == [0.5, -0.5, -0.5]
    assert [robot.kernel(flagged, w=(w,))(q)[0] / q[0] for w in (1, True)] == [3.0, 2.0]


def test_literals_of_ones_own_functions_are_checked_and_defaults_may_be_given():
    robot = kt.load("planar2r")

    def chosen(model, q, *, part: Literal["sum", "first"] = "sum", flag: bool | None = None):
        return q[0] + q[1] if part == "sum" else q[0]

    q = np.array([1.0, 2.0])
    assert [float(kt.compile(chosen, robot, **x)(q)) for x in ({}, {"part": "first"}, {"flag": None})] == [
        3.0,
        1.0,
        3.0,
    ]
    for wrong, message in ({"part": "frist"}, "did you mean 'first'"), ({"flag": "no"}, "True or False"):
        with pytest.raises(kt.InputError, match=message):
            kt.compile(chosen, robot, **wrong)


@pytest.mark.parametrize("edited", [False, True])
def test_kernels_have_the_settings_of_their_robot_unless_others_are_given(edited):
    """Those of `compile` and of `Robot.kernel` alike; a model has none."""

    def settings(kernel):
        return kernel.dtype.name, kernel.backend, kernel.threads

    robot = kt.load("planar2r", dtype="float32", backend="numpy", threads=3)
    robot = robot.with_frame("probe", "tip", [0, 0, 0.1]).checked() if edited else robot
    f = algorithms.gravity
    assert settings(kt.compile(f, robot)) == settings(robot.kernel(f)) == ("float32", "numpy", 3)
    assert kt.compile(f, robot)(np.zeros(2)).dtype == np.float32
    others = {"dtype": "float64", "backend": "llvm", "threads": 1}
    for name, x in others.items():
        expected = {"dtype": "float32", "backend": "numpy", "threads": 3, name: x}
        assert settings(kt.compile(f, robot, **{name: x})) == tuple(expected.values())
    assert settings(kt.compile(f, robot.model)) == ("float64", "llvm", None)
