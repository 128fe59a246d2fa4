"""Families: a kernel with those of its derivatives, as functions of plain arrays."""

import importlib
import inspect
import pickle
import pydoc
import sys

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.frameworks.differentiable import DerivativeFamily
from kinetrace.frameworks.methods import RobotMethods

rng = np.random.default_rng(0)


class OnNumPy(RobotMethods):
    framework = "NumPy"
    array = "ndarray"

    def _evaluate(self, kernel, arrays):
        return DerivativeFamily.of(kernel).kernel(*arrays)


@pytest.fixture(scope="module")
def robot():
    made = kt.random_tree(4, seed=1, base="free")
    assert made.nq > made.nv + 1  # a ball joint among them
    return made


def along(f, xs, steps, h=1e-6):
    """The derivative of a function of arrays along steps of all of them, by differences."""
    ahead, back = (f(*(x + s * d for x, d in zip(xs, steps, strict=True))) for s in (h, -h))
    return (ahead - back) / (2 * h)


def test_derivatives_to_second_order_are_those_along_all_entries(robot):
    family = DerivativeFamily.of(robot.kernel("inverse_dynamics"))
    q = robot.random(seed=2)
    q[3:7] *= 1.7  # of any length
    xs = (q, *rng.normal(size=(2, robot.nv)))
    steps = [rng.normal(size=x.shape) for x in xs]
    weight = rng.normal(size=robot.nv)
    slope = along(family.kernel, xs, steps)
    np.testing.assert_allclose(family.pushforward((0, 1, 2)).kernel(*xs, *steps), slope, rtol=1e-7, atol=1e-6)
    pulled = family.pullback((0, 1, 2))
    found = pulled.kernel(*xs, weight)
    assert sum(np.vdot(g, d) for g, d in zip(found, steps, strict=True)) == pytest.approx(weight @ slope, rel=1e-7)
    second = pulled.pushforward((0, 3))
    step = rng.normal(size=robot.nv)
    exact = second.kernel(*xs, weight, steps[0], step)
    near = along(lambda q, w: np.concatenate(pulled.kernel(q, *xs[1:], w)), (q, weight), (steps[0], step))
    np.testing.assert_allclose(np.concatenate(exact), near, rtol=1e-6, atol=1e-5)
    assert pulled.linear == {3} and second.linear == {4, 5} and family.pullback((0, 1, 2)) is pulled


def test_methods_take_choices_wrenches_and_parameters(robot):
    arm, q, v = OnNumPy(robot), robot.random(3, seed=4), rng.normal(size=(3, robot.nv))
    tip = robot.frame_names[-1]
    wrench = {tip: rng.normal(size=(3, 6))}
    np.testing.assert_allclose(
        arm.inverse_dynamics(q, v, v, wrench=wrench), robot.inverse_dynamics(q, v, v, wrench=wrench), atol=1e-11
    )
    np.testing.assert_allclose(arm.pose(q, frame=tip), robot.pose(q, frame=tip), atol=1e-14)
    inertial = 1.1 * robot.parameters("inertial")
    heavy = robot.with_parameters(inertial=inertial)
    np.testing.assert_allclose(arm.mass_matrix(q, inertial=inertial), heavy.mass_matrix(q), atol=1e-11)
    np.testing.assert_allclose(arm.gravity(q, gravity=[0, 0, -1.62]), robot.gravity(q) * (1.62 / 9.81), atol=1e-11)


def test_wrong_use_is_named(robot):
    arm = OnNumPy(robot)
    with pytest.raises(
        AttributeError, match=r"OnNumPy has no method 'simulate'; .robot.simulate is that of the robot, on NumPy"
    ):
        arm.simulate(1)
    with pytest.raises(AttributeError, match=r"has no method 'nq'; .robot.nq is that of the robot$"):
        arm.nq  # noqa: B018
    with pytest.raises(
        TypeError, match=r"got an unexpected .* 'inertail'; did you mean 'inertial'\? It takes q, and .*: inertial,"
    ):
        arm.gravity(robot.neutral(), inertail=robot.parameters("inertial"))
    with pytest.raises(AttributeError, match=r"did you mean 'mass_matrix'"):
        arm.mass_matrx([0.0])
    with pytest.raises(kt.InputError, match="compile it without compact"):
        DerivativeFamily.of(robot.kernel("mass_matrix", compact=True))
    with pytest.raises(kt.InputError, match=r"take one of kt.compile"):
        DerivativeFamily.of(kt.Kernel(robot.kernel("gravity").program))


@pytest.fixture(scope="module", params=["jax", "torch", "casadi", "cluster"])
def part(request):
    """Each of the frameworks that are installed; CUDA needs a GPU."""
    pytest.importorskip({"cluster": "dask.array"}.get(request.param, request.param))
    return getattr(kt, request.param)


@pytest.fixture(scope="module")
def small():
    return kt.load("planar2r")


def computed(x):
    """The numbers of a result of any framework."""
    return np.asarray(x.full()[:, 0] if hasattr(x, "full") else x)


def test_classes_show_the_methods_and_their_own_arrays(part, small):
    arm, method = part.Robot(small), part.Robot.inverse_dynamics
    assert str(inspect.signature(arm.pose)) == "(q, frame, *, point=None, **parameters)"
    assert str(inspect.signature(method)).startswith("(self, q, v, a, *, ")
    assert f"{part.Robot.array}, shape (..., nv)" in method.__doc__
    assert "ndarray" not in method.__doc__.replace(part.Robot.array, "") and "threads" not in method.__doc__
    assert "mass_matrix" in dir(arm) and "inverse_dynamics" in pydoc.render_doc(part.Robot)
    with pytest.raises(
        AttributeError, match=rf"kt.{part.__name__.rpartition('.')[2]}.Robot has no method 'mass_matrx'; did you"
    ):
        arm.mass_matrx([0.0, 0.0])


def test_robots_are_pickled_before_and_after_calls(part, small):
    arm, q = part.Robot(small), [0.25, 0.5]
    for _ in range(2):
        again = pickle.loads(pickle.dumps(arm))
        np.testing.assert_allclose(computed(again.gravity(q)), small.gravity(q), rtol=1e-6)
        arm.gravity(q)


def test_functions_that_others_cannot_import_are_not_pickled(part, small):
    if hasattr(part, "function"):
        with pytest.raises(
            kt.InputError, match="cannot be pickled: another process must be able to import its function"
        ):
            pickle.dumps(part.function(lambda model, q: q + 1, small))


def test_robots_are_equal_if_they_compute_the_same(part, small):
    arm, other = part.Robot(small), part.Robot(kt.load("planar2r", dtype="float32"))
    same = part.__name__ != "kinetrace.frameworks.torch"  # a module of PyTorch has parameters of its own
    assert (arm == part.Robot(small)) is same and len({arm, part.Robot(small)}) == 2 - same
    assert arm == arm and arm != other and arm != small


def test_results_are_new_arrays(part, small):
    with pytest.raises(kt.InputError, match=r"^gravity: out is for NumPy arrays; results of .* are new"):
        part.Robot(small).gravity([0.0, 0.0], out=np.zeros(2))
    with pytest.raises(kt.InputError, match=r"^gravity: threads is for NumPy"):
        part.Robot(small).gravity([0.0, 0.0], threads=1)
    found = part.Robot(small).gravity([0.0, 0.0], out=None, threads=None)
    np.testing.assert_allclose(computed(found), small.gravity([0.0, 0.0]), rtol=1e-6)


def test_wrong_arguments_are_named_without_those_of_numpy(part, small):
    for arm in (part.Robot(small), part.Robot(small.checked())):
        with pytest.raises(TypeError, match=r"missing 1 .*: 'v'\. It takes q, v$"):
            arm.bias([0.0, 0.0])
        with pytest.raises(TypeError, match=r"'inertail'; did you mean 'inertial'\? It takes q, and by name"):
            arm.gravity([0.0, 0.0], inertail=small.parameters("inertial"))
    with pytest.raises(
        kt.InputError,
        match=rf"^unknown keyword of kt.{part.__name__.rpartition('.')[2]}.Robot 'learns'; it takes robot",
    ):
        part.Robot(small, learns="inertial")
    if part.__name__ != "kinetrace.frameworks.torch":
        with pytest.raises(kt.InputError, match=r"Robot 'learn'; .*; only kt.torch.Robot learns parameters$"):
            part.Robot(small, learn="inertial")


def test_a_wrong_size_is_explained_alike(part):
    legs = part.Robot(kt.load("quadruped", base="free"))
    with pytest.raises(kt.InputError, match=r"18 is nv; q has nq = 19: a free base has 7") as error:
        legs.gravity(np.zeros(18))
    assert type(error.value) is kt.InputError


def test_numbers_that_are_there_are_checked(part, small):
    arm = part.Robot(small.checked())
    with pytest.raises(kt.InputError, match=r"q: joint 'joint1' is nan"):
        arm.gravity(np.array([np.nan, 0.0]))
    with pytest.raises(kt.InputError, match=r"v: joint 'joint2' is inf"):
        arm.inverse_dynamics([0.0, 0.0], [0.0, np.inf], [0.0, 0.0])
    np.testing.assert_allclose(computed(arm.gravity([0.25, 0.5], gravity=[0, 0, -9.81])), small.gravity([0.25, 0.5]))


def test_loops_are_checked_with_the_geometry_that_is_given():
    robot = kt.load("four_bar")
    arm, q, own = OnNumPy(robot.checked()), robot.neutral() + 0.1, robot.parameters("placements")
    with pytest.raises(kt.InputError, match=r"closure .* is open by"):
        arm.gravity(q)
    with pytest.raises(kt.InputError, match=r"closure .* is open by"):
        arm.gravity(q, inertial=robot.parameters("inertial"))
    np.testing.assert_allclose(arm.gravity(q, placements=own), robot.gravity(q), atol=1e-12)


@pytest.mark.parametrize("name", ["jax", "torch"])
def test_without_a_package_its_part_is_there_and_its_names_say_what_is_missing(name, monkeypatch):
    own = (f"kinetrace.{name}", f"kinetrace.frameworks.{name}")
    for module in [x for x in sys.modules if x.startswith(own)]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delattr(importlib.import_module("kinetrace.frameworks"), name, raising=False)
    if name in vars(kt):  # to look for it otherwise imports it
        monkeypatch.delattr(kt, name)
    part = importlib.import_module(f"kinetrace.{name}")
    monkeypatch.setattr(kt, name, part)
    assert name in pydoc.render_doc(kt) and dict(inspect.getmembers(kt))[name] is part and hasattr(kt, name)
    assert not hasattr(part, "no_such_name")
    with pytest.raises(kt.InputError, match=rf"kinetrace.{name}.Robot needs {name}: pip install .*the extra '{name}'"):
        part.Robot(None)
