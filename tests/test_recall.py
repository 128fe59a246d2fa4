"""Kernels of the library's functions are called without being traced again; anything that may differ is traced."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

import kinetrace as kt
from kinetrace import recall
from kinetrace.algorithms import inverse_dynamics, pose

STATE = np.linspace(-1.0, 1.0, 18).reshape(3, 6)


@pytest.fixture
def directory(tmp_path, monkeypatch):
    monkeypatch.setenv("KINETRACE_CACHE", str(tmp_path))
    return tmp_path


@pytest.fixture
def traces(monkeypatch):
    """The functions that were traced."""
    seen, trace = [], kt.compile.__globals__["trace"]
    monkeypatch.setitem(kt.compile.__globals__, "trace", lambda *a, **k: seen.append(k["name"]) or trace(*a, **k))
    return seen


def test_the_second_kernel_is_not_traced(directory, traces):
    first = kt.load("ur5e").kernel(inverse_dynamics)
    one, batch = first(*STATE), first(*STATE[:, None])
    again = kt.load("ur5e").kernel(inverse_dynamics)
    np.testing.assert_array_equal(again(*STATE), one)
    np.testing.assert_array_equal(again(*STATE[:, None]), batch)
    assert traces == ["inverse_dynamics"]
    assert (again.program.signature, again.program.digest) == (first.program.signature, first.program.digest)
    assert again.count() == first.count()  # needs the operations
    assert traces == ["inverse_dynamics"] * 2
    assert again.program.nodes == first.program.nodes
    assert pickle.loads(pickle.dumps(again)).program == first.program


def test_its_code_may_be_gone(directory, traces):
    robot = kt.random_chain(3, seed=987)
    expected = inverse_dynamics(robot.model, *STATE[:, :3])
    first = kt.compile(inverse_dynamics, robot)
    assert len(list(directory.iterdir())) == 2  # the secret and the outline; no code yet
    np.testing.assert_allclose(kt.compile(inverse_dynamics, robot)(*STATE[:, :3]), expected, atol=1e-12)
    assert len(traces) == 2
    np.testing.assert_allclose(first(*STATE[:, :3]), expected, atol=1e-12)


def test_whatever_matters_is_in_the_key():
    model = kt.load("ur5e").model
    heavier = replace(model, bodies=(*model.bodies[:-1], replace(model.bodies[-1], J=2 * model.bodies[-1].J)))
    keys = [
        recall.key(inverse_dynamics, model, static={}),
        recall.key(inverse_dynamics, heavier, static={}),
        recall.key(kt.algorithms.bias, model, static={}),
        recall.key(pose, model, static={"frame": "tool0"}),
        recall.key(pose, model, static={"frame": "wrist_3_link"}),
    ]
    assert len(set(keys)) == 5 and None not in keys


def test_what_is_not_ours_has_no_key(directory):
    class Odd(kt.joints.Revolute):
        pass

    model = kt.load("ur5e").model
    odd = replace(model, bodies=(*model.bodies[:-1], replace(model.bodies[-1], joint=Odd())))
    assert recall.key(inverse_dynamics, odd, static={}) is None
    assert recall.key(lambda model, q: q, model, static={}) is None
    assert recall.key(inverse_dynamics, model, static={"wrench": {"tool0": np.zeros(6)}}) is None


def test_a_damaged_outline_is_not_believed(directory, traces):
    kt.load("ur5e").kernel(inverse_dynamics)
    (kept,) = (file for file in directory.iterdir() if file.name != "secret")
    kept.write_bytes(kept.read_bytes().replace(b'"inputs": [["q", [6]]', b'"inputs": [["q", [9]]'))
    assert kt.load("ur5e").kernel(inverse_dynamics).program.inputs[0].shape == (6,)
    assert len(traces) == 2
