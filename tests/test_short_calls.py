"""A robot's methods answer plain calls on one state by compiled code alone, and everything else as before."""

import copy
import ctypes
import enum
import functools
import gc
import inspect
import multiprocessing
import pickle
import re
import sys
import weakref
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.engine.runtime import fastcall
from kinetrace.robot.dispatch import Dispatcher

STATE = np.linspace(-1.0, 1.0, 18).reshape(3, 6)


@pytest.fixture
def robot():
    robot = kt.load("ur5e")
    robot.inverse_dynamics(*STATE)
    assert type(robot.inverse_dynamics) is type(len)
    return robot


def test_every_way_of_calling_gives_the_same(robot):
    q, v, a = STATE
    expected = kt.algorithms.inverse_dynamics(robot.model, q, v, a)
    wrench = {"tool0": np.arange(6.0)}
    found = [
        robot.inverse_dynamics(q, v, a),
        robot.inverse_dynamics(q, v, a=a),
        robot.inverse_dynamics(a=a, q=q, v=v),
        robot.inverse_dynamics(q.tolist(), v, a),
        robot.inverse_dynamics(q, v, a, out=np.empty(6)),
        robot.inverse_dynamics(np.stack([q, q]), v, a, threads=2)[1],
        robot.inverse_dynamics(q, v, a, wrench={"tool0": np.zeros(6)}),
    ]
    for tau in found:
        np.testing.assert_allclose(tau, expected, atol=1e-12)
    pushed = kt.algorithms.inverse_dynamics(robot.model, q, v, a, wrench=wrench)
    np.testing.assert_allclose(robot.inverse_dynamics(q, v, a, wrench=wrench), pushed, atol=1e-12)


def test_choices_by_name_still_choose(robot):
    q, v, _ = STATE
    default, skew = robot.coriolis_matrix(q, v), robot.coriolis_matrix(q, v, form="skew")
    np.testing.assert_array_equal(robot.coriolis_matrix(q, v), default)
    assert np.abs(skew - default).max() > 1e-4
    np.testing.assert_allclose(skew, kt.algorithms.coriolis_matrix(robot.model, q, v, form="skew"), atol=1e-12)


def test_every_frame_has_its_own_code(robot):
    q, frames = STATE[0], ["tool0", "wrist_3_link", "forearm_link"]
    for frame in frames * 2:
        J = kt.algorithms.jacobian(robot.model, q, frame=frame)
        aligned = kt.algorithms.jacobian(robot.model, q, frame=frame, expressed_in="aligned")
        copy = "".join(list(frame))  # equal, but another object
        for found in (robot.jacobian(q, frame), robot.jacobian(q, frame=frame), robot.jacobian(q=q, frame=copy)):
            np.testing.assert_allclose(found, J, atol=1e-13)
        np.testing.assert_allclose(robot.jacobian(q, frame, expressed_in="aligned"), aligned, atol=1e-13)
        np.testing.assert_allclose(robot.jacobian(q, expressed_in="aligned", frame=frame), aligned, atol=1e-13)
    with pytest.raises(TypeError, match="positional"):
        robot.jacobian(q, "tool0", "aligned")
    with pytest.raises(TypeError, match="unexpected"):
        robot.jacobian(q, "tool0", frames="tool0")
    with pytest.raises(kt.InputError, match="tool1"):
        robot.jacobian(q, "tool1")


def test_many_choices_come_to_an_end():
    robot = kt.load("humanoid")
    q = robot.random(seed=0)
    for frame in robot.frame_names:
        np.testing.assert_allclose(robot.pose(q, frame), kt.algorithms.pose(robot.model, q, frame=frame), atol=1e-13)


def test_equal_names_of_any_kind_find_the_same_code(robot):
    """Texts by their content, also of a subclass; and dozens of frames, in any order, in one table that grows."""

    class Name(str):
        pass

    builder = kt.Builder("many")
    builder.link("base")
    builder.link("arm", np.eye(6))
    builder.joint("hinge", kt.joints.Revolute([0, 0, 1]), parent="base", child="arm")
    for k in range(40):
        builder.frame(f"f{k}", "arm", np.array([[1, 0, 0, k], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]]))
    many, q = kt.Robot(builder.build()), np.zeros(1)
    for k in np.random.default_rng(0).permutation(40):
        assert many.pose(q, f"f{k}")[0, 3] == k
    for k in np.random.default_rng(1).permutation(40):
        for name in (f"f{k}", Name(f"f{k}"), np.str_(f"f{k}")):
            assert many.pose(q, name)[0, 3] == many.pose(q=q, frame=name)[0, 3] == k


def test_batches_pass_two_python_functions_at_a_time_and_single_states_none(robot):
    q, v, a = np.tile(STATE[:, None], (1, 5, 1))
    wrench = {"tool0": np.zeros(6)}
    calls = {
        0: [
            lambda: robot.inverse_dynamics(*STATE),
            lambda: robot.jacobian(STATE[0], "tool0", expressed_in="aligned"),
            lambda: robot.inverse_dynamics(*STATE, base_velocity=np.zeros(6)),
        ],
        2: [
            lambda: robot.inverse_dynamics(q, v, a),
            lambda: robot.jacobian(q, "tool0", expressed_in="aligned"),
            lambda: robot.inverse_dynamics(v=v, a=a, q=q),
            lambda: robot.inverse_dynamics(q, v, a, base_velocity=np.zeros(6)),
            lambda: robot.inverse_dynamics(q, v, a, wrench=wrench),
            lambda: robot.inverse_dynamics(q, v, a, out=np.empty((5, 6)), threads=1),
        ],
    }
    for most, group in calls.items():
        for call in group:
            call(), call()
            assert depth_of(call) - 1 <= most  # without the lambda itself


ROW = np.array([0.5, -1.25, 2.0, 0.1, -0.7, 0.3])
SHORT = {
    "an axis of length 1": ROW[None],
    "several of them": ROW[None, None, None, None],
    "float32": ROW.astype(np.float32),
    "float32, axis": ROW.astype(np.float32)[None],
    "a column": np.stack([ROW, -ROW], axis=1)[:, 0],
    "reversed": ROW[::-1].copy()[::-1],
    "an axis without a step": np.broadcast_to(np.float64(0.5), 6),
    "pickled": pickle.loads(pickle.dumps(ROW)),
    "read-only": np.frombuffer(ROW.tobytes()),
    "int64": np.arange(6),
    "long integers": np.arange(6) + 2**60,
    "list": ROW.tolist(),
    "tuple": tuple(ROW.tolist()),
    "numbers of NumPy": [*ROW],
    "small numbers of NumPy": tuple(ROW.astype(np.float32)),
    "whole numbers": [0, 1, -2, 2**53, -(2**53), 3],
    "booleans": [True, False, True, True, False, True],
    "all kinds": [1, True, 0.1, np.float64(0.2), np.float32(0.3), -5],
    "NaN and infinity": [np.nan, np.inf, 0.0, -0.0, 1e300, 5e-324],
    "some states": np.stack([ROW, 2 * ROW, ROW]),
    "some on two axes": np.arange(24.0).reshape(2, 2, 6),
    "some, every second": np.arange(48.0).reshape(8, 6)[::2],
    "some, a column each": np.asfortranarray(np.arange(18.0).reshape(3, 6)),
    "some, all one": np.broadcast_to(ROW, (3, 6)),
    "some, float32": np.arange(18, dtype=np.float32).reshape(3, 6),
}
LONG = {
    "subclass": ROW.view(type("Tagged", (np.ndarray,), {})),
    "other byte order": ROW.astype(ROW.dtype.newbyteorder()),
    "unaligned": np.frombuffer(b"." + ROW.tobytes(), offset=1),
    "float16": ROW.astype(np.float16),
    "int32": np.arange(6, dtype=np.int32),
    "uint64": np.arange(6, dtype=np.uint64),
    "nested": [ROW.tolist()],
    "long whole numbers": [2**53 + 1, 2**60 + 1, 2**62, 3, 2**63 - 1, -(2**63)],
    "longer ones": [2**63, 1, 2, 3, 4, 5],
    "numbers that are none of Python's": [np.int64(1), *ROW[1:]],
    "Fortran's order": np.asfortranarray(np.arange(24.0).reshape(2, 2, 6)),
    "many states": np.arange(600.0).reshape(100, 6),
    "no states": np.zeros((0, 6)),
    "axes": ROW[None, None, None, None, None],
}
WRONG = {
    "short": ROW[:5],
    "short list": ROW[:5].tolist(),
    "long list": [*ROW, 1.0],
    "a number": 1.0,
    "text in a list": [*ROW[:5], "x"],
    "None in a list": [*ROW[:5], None],
    "complex": [*ROW[:5], 1j],
    "objects": ROW.astype(object),
    "too large": [*ROW[:5], 10**400],
    "set": set(ROW.tolist()),
}


def outcome(call, *arrays, **named):
    """What it returns, without signs of zeros, or its error; and of which type."""
    try:
        found = call(*arrays, **named)
    except kt.InputError as error:
        return type(error), str(error)
    results = found if isinstance(found, tuple) else (found,)
    return [(type(x), x.dtype, x.shape, x.strides, np.where(x == 0, 0, x).tobytes()) for x in results]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_the_short_way_and_the_long_way_agree(dtype):
    """To the bit, in types and in errors, whatever is given for each argument; `threads=` takes the long way."""
    robot = kt.load("ur5e", dtype=dtype)
    plain = STATE[1].astype(dtype)
    robot.inverse_dynamics(plain, plain, plain), robot.total_energy(plain, plain)
    for x in (*SHORT.values(), *LONG.values(), *WRONG.values()):
        for given in ((x, plain), (plain, x), (x, x), (plain.tolist(), x), (x, plain[None])):
            with np.errstate(all="ignore"):
                assert outcome(robot.total_energy, *given) == outcome(robot.total_energy, *given, threads=1)
        assert outcome(robot.inverse_dynamics, plain, x, plain) == outcome(
            robot.inverse_dynamics, plain, x, plain, threads=1
        )
    for dt in (
        0.01,
        1,
        True,
        np.float64(0.01),
        np.float32(0.01),
        np.array(3),
        [0.01],
        "0.01",
        None,
        np.int64(1),
        2**70,
    ):
        given = plain, plain[None], plain.tolist(), dt
        assert outcome(robot.step, *given) == outcome(robot.step, *given, threads=1)


@pytest.mark.skipif(not fastcall.available(), reason="another interpreter: every call takes the general way")
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_what_is_as_good_as_a_plain_state_runs_no_python(dtype):
    """The first such call installs the compiled code, also where no plain state ever comes."""
    for x in SHORT.values():
        robot = kt.load("ur5e", dtype=dtype)
        robot.gravity(x)
        assert type(robot.gravity) is type(len)
        assert depth_of(lambda x=x, robot=robot: (robot.gravity(x), robot.gravity(q=x))) == 1
    for x in LONG.values():
        assert depth_of(lambda x=x: robot.gravity(x)) > 1
    out, kernel = np.empty((1, 6), dtype), robot.kernel("gravity")
    assert robot.gravity(ROW[None], out=out) is out and kernel(ROW[None], out=out) is out
    assert depth_of(lambda: robot.gravity(ROW[None], out=out)) == 1
    checked = kt.load("ur5e", dtype=dtype).checked()
    np.testing.assert_array_equal(checked.gravity(ROW.tolist(), out=out[0]), robot.gravity(ROW))


def test_out_is_written_where_it_fits_and_refused_in_words(robot):
    """Also where it is an argument, or overlaps one: that needs a copy, which the long way makes."""
    q, v, a = STATE
    expected, room = robot.inverse_dynamics(q, v, a), np.zeros(12)
    outs = [np.zeros(6), room[:6], room[::2], np.zeros(6, np.float32), np.zeros(6, ">f8"), room[::-2]]
    for out in (*outs, np.zeros((2, 6))[1]):
        assert robot.inverse_dynamics(q, v, a, out=out) is out
        np.testing.assert_array_equal(out, expected.astype(out.dtype))
    for k in range(7):
        memory = np.concatenate([np.zeros(6), q, np.zeros(6)])
        assert robot.inverse_dynamics(memory[6:12], v, a, out=memory[k : k + 6]).tobytes() == expected.tobytes()
    fixed = np.zeros(6)
    fixed.flags.writeable = False
    for out in (fixed, np.zeros(5), np.zeros((6, 1)), np.zeros(6, int), [0.0] * 6, "out", ()):
        with pytest.raises(kt.InputError, match="out"):
            robot.inverse_dynamics(q, v, a, out=out)
    assert robot.inverse_dynamics(q, v, a, out=None).tobytes() == expected.tobytes()
    energy = np.zeros(())
    assert robot.kinetic_energy(q, v, out=energy) is energy and energy == robot.kinetic_energy(q, v)
    pair = np.zeros(6), np.zeros(6)
    assert robot.step(q, v, a, 0.1, out=pair) is pair
    np.testing.assert_array_equal(pair, robot.step(q, v, a, 0.1))


def test_short_calls_hold_and_lose_no_references(robot):
    q, v, a = STATE
    values = [1.5, 2**40, *[np.float64(x) for x in q[2:]]]
    out, short, broken = np.empty(6), [q[None], q.astype(np.float32), values, tuple(values), q], [*values[:5], object()]
    watched = [*short, *values, broken, broken[5], out]
    calls = [lambda x=x: robot.inverse_dynamics(x, v, a) for x in short]
    calls += [lambda x=x: robot.gravity(x, out=out) for x in short if np.ndim(x) == 1]

    def refused():
        with pytest.raises(kt.InputError):
            robot.inverse_dynamics(broken, v, a)

    for call in (*calls, refused):
        call(), call()
    before, blocks = [sys.getrefcount(x) for x in watched], sys.getallocatedblocks()
    for _ in range(200):
        for call in calls:
            call()
    assert sys.getallocatedblocks() < blocks + 100
    for _ in range(50):
        refused()
    gc.collect()
    assert [sys.getrefcount(x) for x in watched] == before
    result, ordinary = robot.gravity(values), np.zeros(6)
    assert sys.getrefcount(result) == sys.getrefcount(ordinary)


def test_several_errors_say_the_same_each_time(robot):
    """An argument that is None, by name: at first, and when the structure of the call is known."""
    texts = set()
    for _ in range(3):
        with pytest.raises(kt.InputError, match="v must hold real numbers") as caught:
            robot.total_energy(STATE[0], v=None)
        texts.add(str(caught.value))
    assert len(texts) == 1


def depth_of(call):
    """How many Python functions are under way at once, at most."""
    depth = deepest = 0

    def watch(frame, event, _):
        nonlocal depth, deepest
        depth += {"call": 1, "return": -1}.get(event, 0)
        deepest = max(deepest, depth)

    sys.setprofile(watch)
    try:
        call()
    finally:
        sys.setprofile(None)
    return deepest


def test_a_number_may_be_a_float(robot):
    q, v, tau = STATE
    for dt in (0.01, np.array(0.01), np.float64(0.01), 0.01, 1):
        expected = kt.algorithms.step(robot.model, q, v, tau, dt)
        np.testing.assert_allclose(robot.step(q, v, tau, dt), expected, atol=1e-12)


def test_wrong_calls_get_the_usual_errors(robot):
    with pytest.raises(kt.InputError, match=r"v must have shape \(..., 6\)"):
        robot.inverse_dynamics(STATE[0], STATE[1, :5], STATE[2])
    with pytest.raises(TypeError, match="missing"):
        robot.inverse_dynamics(STATE[0])


def test_a_subclass_may_have_methods_of_its_own():
    class Loud(kt.Robot):
        def inverse_dynamics(self, q, v, a):
            return 2 * super().inverse_dynamics(q, v, a)

    plain = kt.load("ur5e")
    loud = Loud(plain.model)
    for _ in range(2):
        np.testing.assert_array_equal(loud.inverse_dynamics(*STATE), 2 * plain.inverse_dynamics(*STATE))


def test_a_decorated_override_stays():
    class Doubled(kt.Robot):
        @functools.wraps(kt.Robot.inverse_dynamics)
        def inverse_dynamics(self, *args, **named):
            return 2 * super().inverse_dynamics(*args, **named)

    plain = kt.load("ur5e")
    doubled = Doubled(plain.model)
    for _ in range(3):
        np.testing.assert_array_equal(doubled.inverse_dynamics(*STATE), 2 * plain.inverse_dynamics(*STATE))


def test_names_are_told_apart_from_what_they_stand_for(robot):
    """A text by its content, whatever it prints; frames called as arguments are; tuples that look like items."""

    class Label(str):
        def __str__(self):
            return "forearm_link"

    class Frame(str, enum.Enum):  # noqa: UP042  whose text is not its content
        TOOL = "tool0"

    q, expected = STATE[0], robot.pose(STATE[0], "tool0")
    for name in (Label("tool0"), Frame.TOOL):
        np.testing.assert_array_equal(kt.Robot(robot.model).pose(q, name), expected)
    robot.pose(np.tile(q, (2, 1)), frame="tool0")
    with pytest.raises(kt.InputError, match="frame"):
        robot.pose(q, ("frame", "tool0"))
    builder = kt.Builder("odd")
    builder.link("arm", np.eye(6))
    builder.joint("hinge", kt.joints.Revolute([0, 0, 1]), parent="base", child="arm")
    builder.frame("base_velocity", "arm")
    odd, x, u = kt.Robot(builder.build()), np.ones(1), np.arange(6.0)
    calls = [{"wrench": {"arm": u}, "base_velocity": u}, {"wrench": {"arm": u, "base_velocity": u}}]
    for named in (*calls, *calls):
        found = odd.inverse_dynamics(x, x, x, **named)
        np.testing.assert_allclose(found, kt.algorithms.inverse_dynamics(odd.model, x, x, x, **named), atol=1e-12)


def test_it_pickles_and_tells_its_arguments_as_the_method_does(robot):
    parameters = list(inspect.signature(kt.Robot.inverse_dynamics).parameters.values())[1:]
    found = inspect.signature(robot.inverse_dynamics).parameters.values()
    assert [(p.name, p.kind, p.default) for p in found] == [(p.name, p.kind, p.default) for p in parameters]
    assert robot.inverse_dynamics.__doc__ == kt.Robot.inverse_dynamics.__doc__
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(robot.inverse_dynamics, protocol))
        np.testing.assert_array_equal(again(*STATE), robot.inverse_dynamics(*STATE))
    kernel = robot.kernel(kt.algorithms.inverse_dynamics)
    kernel(*STATE)
    with pytest.raises(TypeError, match="the kernel can"):
        pickle.dumps(kernel.call)


def test_it_neither_keeps_the_robot_nor_needs_it():
    robot = kt.load("ur5e")
    expected = robot.inverse_dynamics(*STATE)
    method, watched = robot.inverse_dynamics, weakref.ref(robot)
    assert "Joint forces" in method.__doc__
    again = pickle.loads(pickle.dumps(robot))
    np.testing.assert_array_equal(again.inverse_dynamics(*STATE), expected)
    del robot
    gc.collect()
    assert watched() is None
    np.testing.assert_array_equal(method(*STATE), expected)
    np.testing.assert_allclose(method(*STATE[:, None])[0], expected, atol=1e-12)


def test_what_a_bound_method_shows_is_harmless(robot):
    """Its `self` is where the compiled code finds its functions: nothing of it may be seen or changed from Python."""
    this = robot.inverse_dynamics.__self__
    for look in (memoryview, len, iter, vars, lambda x: x.__array_interface__):
        with pytest.raises((TypeError, AttributeError)):
            look(this)
    assert all(name.startswith("__") for name in dir(this))
    for name in (*this.__slots__, "origin", "more"):
        with pytest.raises(AttributeError):
            setattr(this, name, b"")
        with pytest.raises(AttributeError):
            getattr(this, name)
    this.__init__()
    np.testing.assert_array_equal(robot.inverse_dynamics(*STATE), kt.Robot(robot.model).inverse_dynamics(*STATE))
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        (found,) = pool.starmap(robot.inverse_dynamics, [STATE])
    np.testing.assert_array_equal(found, robot.inverse_dynamics(*STATE))


def test_without_a_symbol_that_it_needs_there_is_the_general_way(monkeypatch):
    """As on interpreters that lack one: nothing raises."""

    class Lacking:
        def __getattr__(self, name):
            if name == "PyObject_Vectorcall":
                raise AttributeError(name)
            return getattr(ctypes.pythonapi, name)

    fake = SimpleNamespace(**{**vars(ctypes), "pythonapi": Lacking()})
    monkeypatch.setattr(fastcall, "ctypes", fake)
    monkeypatch.setattr(fastcall, "available", cache(fastcall.available.__wrapped__))
    robot = kt.load("ur5e")
    tau = robot.inverse_dynamics(*STATE)
    np.testing.assert_allclose(tau, kt.algorithms.inverse_dynamics(robot.model, *STATE), atol=1e-12)
    assert not fastcall.available() and type(vars(robot)["inverse_dynamics"]) is Dispatcher


class Named(kt.Robot):
    """A robot with an attribute of its own, and arguments of its own."""

    def __init__(self, name):
        super().__init__(kt.load(name).model)
        self.nickname = name.upper()


REFUSED = {
    "gravity": "with_parameters(gravity=...)",
    "threads": "kt.load",
    "dtype": "kt.load",
    "model": "kt.Robot(model)",
    "limits": "joints",
    "inverse_dynamics": "with_parameters",
    "gravty": "with_parameters",
    "_kernels": "with_parameters",
}


def test_a_robot_refuses_to_be_assigned_to(robot):
    """Gravity among all: the assignment would replace a method, and change nothing."""
    named = Named("ur5e")
    for name, instead in REFUSED.items():
        for one in (robot, named) if name != "gravty" else (robot,):
            with pytest.raises(kt.InputError, match=re.escape(instead)) as caught:
                setattr(one, name, (0.0, 0.0, 0.0))
            assert isinstance(caught.value, AttributeError)
            with pytest.raises(AttributeError, match=f"{name} cannot be deleted"):
                delattr(one, name)
    assert robot.gravity(STATE[0]).shape == (6,)
    named.nickname = "arm"
    named.gravity(STATE[0])
    for twin in (copy.copy(named), copy.deepcopy(named), pickle.loads(pickle.dumps(named))):
        assert type(twin) is Named and twin.nickname == "arm" and twin.model.name == named.model.name
        np.testing.assert_array_equal(twin.gravity(STATE[0]), robot.gravity(STATE[0]))
    del named.nickname
    assert type(copy.deepcopy(robot)) is kt.Robot


def test_a_kernel_refuses_to_be_assigned_to(robot):
    kernel = robot.kernel(kt.algorithms.gravity)
    before = kernel(STATE[0])
    refused = {"threads": "threads=", "dtype": "kt.load", "program": "kt.compile", "x": "kt.compile"}
    for name, instead in refused.items():
        with pytest.raises(kt.InputError, match=f"a kernel does not change: {name} cannot be set") as caught:
            setattr(kernel, name, 7)
        assert isinstance(caught.value, AttributeError) and instead in str(caught.value)
        with pytest.raises(AttributeError, match=f"{name} cannot be deleted"):
            delattr(kernel, name)
    assert pickle.loads(pickle.dumps(kernel)).threads is None
    np.testing.assert_array_equal(kernel(STATE[0]), before)


def test_methods_are_found_without_comparing_texts():
    """A robot holds what answers a method under the name that Python looks for, not under another text like it."""
    robot = kt.load("planar2r")
    robot.gravity(np.zeros(2))
    assert all(name is sys.intern(name) for name in vars(robot))
