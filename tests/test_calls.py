"""What a robot's methods take: kinetrace's own error, or the numbers of plain calls. `make fuzz` tries more."""

from __future__ import annotations

from collections import UserList, deque

import numpy as np
import pytest

import calls
import kinetrace as kt
from fuzzing import generator

METHODS = ("kinetic_energy", "integrate", "step", "jacobian")


@pytest.mark.parametrize("settings", calls.SETTINGS, ids=str)
def test_random_calls(settings):
    """One in five has something wrong in an argument; of each kind some come."""
    with calls.eager_threads():
        robot = kt.random_tree(3, seed=1, **settings) if settings else kt.load("planar2r")
        methods = METHODS if settings else (*METHODS, "ricci")  # which takes long to compile for a larger robot
        done = [calls.call(generator(3, k), robot, methods[k % len(methods)]) for k in range(60)]
    assert sum(done) > 50


def test_a_number_among_arrays_of_many_states():
    """The step of a large batch, as anybody writes it."""
    robot, states = kt.load("planar2r"), 200_000
    q = robot.random(states, seed=0)
    v, tau = np.ones((2, states, robot.nv))
    found = robot.step(q, v, tau, 0.01)
    for x, y in zip(found, robot.step(q, v, tau, np.full(states, 0.01)), strict=True):
        np.testing.assert_array_equal(x, y)


def test_a_longdouble_is_refused_by_name():
    if np.dtype(np.longdouble).itemsize == 8:
        pytest.skip("it is a float64 here")
    for dtype in ("float64", "float32"):
        robot = kt.load("planar2r", dtype=dtype)
        for threads in (None, 1, 3):
            with pytest.raises(kt.InputError, match="q must be float64 or smaller, got dtype float"):
                robot.gravity(np.zeros((70, 2), np.longdouble), threads=threads)


def test_methods_beyond_kernels_convert_too():
    """Those that search or go on with NumPy: geodesics, curvature."""
    robot = kt.load("planar2r")
    q, v = np.array([[0.1, 0.4], [0.2, -0.3]]), np.array([1.0, 0.5])
    expected = robot.geodesic(q, v, [0.5, 1.0])
    for disguise in (np.ma.array, memoryview, calls.Converts, np.ndarray.tolist):
        for x, y in zip(robot.geodesic(disguise(q), disguise(v), [0.5, 1.0]), expected, strict=True):
            np.testing.assert_array_equal(x, y)
        np.testing.assert_array_equal(robot.ricci(disguise(q)), robot.ricci(q))
    masked = calls.one_masked(q)
    for call in (lambda: robot.geodesic(masked, v, [1.0]), lambda: robot.ricci(masked)):
        with pytest.raises(kt.InputError, match="q has masked entries"):
            call()
    for t in ([[1.0], [1.0, 2.0]], "x", calls.Converts(RuntimeError("no")), np.ma.array([1.0], mask=True), [1j]):
        with pytest.raises(kt.InputError):
            robot.geodesic(q, v, t)


WRAPPED = {
    "itself": lambda x: x,
    "__array__": calls.Converts,
    "list": list,
    "tuple of objects": lambda x: tuple(calls.Converts(row) for row in x),
    "deque": deque,
    "UserList": UserList,
    "rows": lambda x: deque([UserList(row) for row in x]),
}


@pytest.mark.parametrize("wrap", WRAPPED.values(), ids=WRAPPED)
def test_a_masked_entry_is_no_number_wherever_it_stands(wrap):
    """In whatever NumPy looks into, for calls, models and data; without a mask, it is as good as a plain array."""
    robot = kt.load("planar2r")
    q, placements = np.array([[0.1, 0.4], [0.2, -0.3]]), robot.parameters("placements")
    takers = {
        "q": (robot.gravity, q),
        "geodesic: v": (lambda x: robot.geodesic(q, x, [1.0])[0], q),
        "placements": (lambda x: robot.with_parameters(placements=x).parameters("placements"), placements),
        "pi": (kt.identify.base_parameters(robot).of, robot.parameters("inertial")),
    }
    for name, (take, x) in takers.items():
        np.testing.assert_array_equal(take(wrap(np.ma.array(x))), take(x))
        with pytest.raises(kt.KinetraceError, match=f"{name}'? has masked entries"):
            take(wrap(calls.one_masked(x)))
