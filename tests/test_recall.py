"""Kernels of the library's functions are called without being traced again; anything that may differ is traced."""

import functools
import pickle
import sys
from dataclasses import replace
from types import SimpleNamespace

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


@pytest.mark.parametrize("what", ["helper", "function", "method", "inherited method", "constant"])
def test_a_patch_of_the_library_is_neither_hidden_nor_kept(directory, monkeypatch, what):
    q, energy = STATE[0], sys.modules[kt.algorithms.gravity.__module__]
    plain, gravity, force = kt.load("ur5e").gravity(q), energy.gravity, energy.gravity_force

    def twice(function):
        return functools.wraps(function)(lambda *args, **named: 2.0 * function(*args, **named))

    with monkeypatch.context() as patch:
        if what == "helper":
            patch.setattr(energy, "gravity_force", lambda *args: (force(*args)[0], 2.0 * force(*args)[1]))
        elif what == "function":
            patch.setattr(energy, "gravity", twice(gravity))
            patch.setattr(kt.algorithms, "gravity", energy.gravity)
        elif what == "method":
            patch.setattr(kt.Model, "gather", twice(kt.Model.gather))
        elif what == "inherited method":
            turning = kt.joints.Revolute.subspace
            patch.setattr(kt.joints.Revolute, "subspace", twice(turning), raising=False)
        else:
            patch.setattr(energy, "so3", SimpleNamespace(**{**vars(energy.so3), "transpose": lambda R: 2.0 * R.T}))
        kept = set(directory.iterdir())
        patched = kt.load("ur5e").gravity(q)
        assert np.abs(patched - plain).max() > 1.0
        assert not [file for file in set(directory.iterdir()) - kept if file.suffix]
    np.testing.assert_array_equal(kt.load("ur5e").gravity(q), plain)


def test_sources_that_changed_since_they_were_imported_say_nothing(directory, monkeypatch):
    monkeypatch.setattr(recall, "_sources", recall._sources.__wrapped__)
    model = kt.load("ur5e").model
    assert recall.key(inverse_dynamics, model) is not None
    monkeypatch.setattr("kinetrace.codegen.cache._IMPORTED", 0.0)
    assert recall.key(inverse_dynamics, model) is None
