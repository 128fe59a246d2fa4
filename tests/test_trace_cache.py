"""Kernels of the library's functions are called without being traced again; anything that may differ is traced."""

import copy
import gc
import io
import os
import pickle
import shutil
import subprocess
import sys
import weakref
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.algorithms import inverse_dynamics, pose
from kinetrace.engine import cache
from kinetrace.engine.cache import fingerprints
from kinetrace.engine.compilation import trace_cache
from kinetrace.engine.compilation.program import program
from kinetrace.model import Mimic

STATE = np.linspace(-1.0, 1.0, 18).reshape(3, 6)


@pytest.fixture
def directory(tmp_path, monkeypatch):
    monkeypatch.setenv("KINETRACE_CACHE", str(tmp_path))
    return tmp_path


@pytest.fixture
def traces(monkeypatch):
    """The functions that were traced."""
    seen, trace = [], program.__globals__["trace"]
    monkeypatch.setitem(program.__globals__, "trace", lambda *a, **k: seen.append(k["name"]) or trace(*a, **k))
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
    assert pickle.loads(pickle.dumps(again)).program.nodes == first.program.nodes


def changed(x):
    """Copies of a value, each with one number, text, length or type in it changed."""
    if isinstance(x, dict | MappingProxyType):
        yield dict([*x.items()][::-1])
        for name, value in x.items():
            yield {n + "x" * (n == name): v for n, v in x.items()}
            yield from ({**x, name: y} for y in changed(value))
    elif isinstance(x, tuple):
        yield (*x, *x[-1:]) if x else ("",)
        yield from ((*x[:k], y, *x[k + 1 :]) for k in range(len(x)) for y in changed(x[k]))
    elif isinstance(x, np.ndarray):
        yield from (x.astype(np.float32), x[None], np.where(np.arange(x.size).reshape(x.shape) == x.size - 1, 0.125, x))
    elif is_dataclass(x):
        for name in (f.name for f in fields(x)):
            for y in changed(getattr(x, name)):
                copy = object.__new__(type(x))  # without the checks, which would refuse some
                vars(copy).update({f.name: getattr(x, f.name) for f in fields(x)} | {name: y})
                yield copy
    elif isinstance(x, kt.joints.Joint):
        yield kt.joints.Fixed()
    else:
        yield "x" if x is None else x + "x" if isinstance(x, str) else x + 1


def everything():
    """A model with something in every field but shapes, rules of contacts, keyframes and start: no program has them."""
    model = kt.load("planar2r").model
    first, last = model.bodies
    assert model.geometry and model.frames
    assert trace_cache.digest(model) == trace_cache.digest(replace(model, geometry=()))
    assert trace_cache.digest(model) == trace_cache.digest(model.with_keyframe("up", [1.0, 0.0]))
    model = replace(model, geometry=(), start=None).with_actuators(kt.Actuator.motor("joint2"))
    return replace(model, bodies=(first, replace(last, joint=kt.joints.Helical(pitch=0.5), mimic=Mimic(0, 2.0, 0.1))))


def test_models_have_the_same_digest_if_and_only_if_they_have_the_same_content():
    model = everything()
    bare = [x for x in changed(model) if not (x.geometry or x.keyframes) and x.start is x.contact_rules is None]
    models = [model, *bare]
    digests = [trace_cache.digest(x) for x in models]
    assert None not in digests and len(set(digests)) == len(digests) >= 100
    text = f"""
import pickle
from dataclasses import replace
from kinetrace.engine.compilation import trace_cache
model = pickle.loads({pickle.dumps(model)!r})
print(trace_cache.digest(model), model.limits)
_ = model.customised.bodies[0].pseudo_inertia  # what was computed from it is no content
print(trace_cache.digest(pickle.loads(pickle.dumps(replace(model)))))
"""
    env = {**os.environ, "PYTHONHASHSEED": "123", "PYTHONPATH": str(Path(kt.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", text], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.count(digests[0]) == 2


def test_what_came_by_pickle_is_not_traced_again(directory, traces):
    robot = kt.load("ur5e")
    kernel = robot.kernel(inverse_dynamics)
    slope = kt.compile(kt.jacobian(kt.algorithms.gravity), robot)
    tau, rate = robot.inverse_dynamics(*STATE), slope(STATE[0])
    assert traces == ["inverse_dynamics", "jacobian_of_gravity"]
    sent = [pickle.dumps(x) for x in (robot, kernel, slope, robot.inverse_dynamics)]
    assert max(map(len, sent)) < 20_000  # no program in it
    for _ in range(2):
        again, kernel_again, slope_again, method = map(pickle.loads, sent)
        for function in (again.inverse_dynamics, kernel_again, method):
            np.testing.assert_array_equal(function(*STATE), tau)
        np.testing.assert_array_equal(slope_again(STATE[0]), rate)
    assert len(traces) == 2
    assert [pickle.loads(x) is pickle.loads(x) for x in sent[:3]] == [True] * 3


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy])
def test_copies_are_released_with_the_last_that_uses_them(again):
    robot = kt.random_chain(2, seed=31)
    twin, kernel, model = again(robot), again(robot.kernel(kt.algorithms.bias)), again(robot.model)
    np.testing.assert_array_equal(twin.gravity(STATE[0, :2]), kt.Robot(model).gravity(STATE[0, :2]))
    kernel(*STATE[:2, :2])
    watched = [weakref.ref(x) for x in (twin, kernel, model, twin.kernel(kt.algorithms.gravity))]
    del robot, twin, kernel, model
    gc.collect()
    assert [x() for x in watched] == [None] * 4


def test_of_what_arrived_the_latest_are_kept_and_what_is_used():
    used, released, kept = [], [], []
    robots = [kt.random_chain(2, seed=100 + k, backend="numpy") for k in range(cache.UNPICKLED_LIMIT + 3)]
    for k, robot in enumerate(robots):
        again = pickle.loads(pickle.dumps(robot))
        assert again is pickle.loads(pickle.dumps(robot)) is not robot
        kernel = pickle.loads(pickle.dumps(again.kernel(kt.algorithms.gravity))) if k == 1 else None
        used += [again] if k == 0 else []
        (released if k in (1, 2) else kept).extend(weakref.ref(x) for x in (again, kernel) if x is not None)
    del again, kernel
    gc.collect()
    assert [x() for x in released] == [None] * 3 and None not in [x() for x in kept]
    assert pickle.loads(pickle.dumps(robots[0])) is used[0]


def test_every_class_in_a_pickle_is_asked_of_the_unpickler():
    """So that one who allows few names has allowed all that is run: there is no pickle within."""

    class Asked(pickle.Unpickler):
        def find_class(self, module, name):
            names.add(name)
            return super().find_class(module, name)

    robot = kt.load("ur5e")
    kernel = robot.kernel(inverse_dynamics)
    for x in (robot.model, robot, kernel):
        names = set()
        again = Asked(io.BytesIO(pickle.dumps(x))).load()
        assert type(again) is type(x) and names >= {"Body", "Frame", "Limits", "Revolute"}
    sources = Path(kt.__file__).parent.rglob("*.py")
    assert not [file for file in sources if "import pickle" in file.read_text(encoding="utf-8")]


def test_models_come_back_to_the_bit():
    axis, model = np.array([0.1, 0.7, -0.3]), everything()
    for _ in range(20):  # some would change if they were normalised once more
        axis = axis[[1, 2, 0]] * (1.7, 1.1, 1.3)
        tilted = replace(model.bodies[0], joint=kt.joints.Revolute(axis))
        sent = replace(model, bodies=(tilted, model.bodies[1]))
        again = pickle.loads(pickle.dumps(sent))
        assert trace_cache.digest(again) == trace_cache.digest(sent)
        assert pickle.loads(pickle.dumps(sent)) is again and not again.bodies[0].J.flags.writeable


def test_only_what_is_kept_is_recalled(directory, monkeypatch):
    robot = kt.load("planar2r")
    with monkeypatch.context() as patch:
        patch.setenv("KINETRACE_CACHE", "off")
        kt.compile(kt.algorithms.gravity, robot)
        assert fingerprints._file_statuses() == {}
    assert not isinstance(kt.compile(kt.algorithms.gravity, robot).program, trace_cache.LazyProgram)
    assert isinstance(kt.compile(kt.algorithms.gravity, robot).program, trace_cache.LazyProgram)
    assert trace_cache._sources() and fingerprints._file_statuses() == fingerprints.INITIAL_STATUSES


def test_a_kernel_without_a_recipe_carries_its_program(directory, traces, monkeypatch):
    def local(model, q):
        return q * q

    def main(model, q):
        return q * q

    main.__module__, main.__qualname__ = "__main__", "main"
    monkeypatch.setattr(sys.modules["__main__"], "main", main, raising=False)  # a worker has another __main__
    robot = kt.load("planar2r")

    class Odd(kt.joints.Joint):
        nq = nv = 1
        placement = kt.joints.Revolute().placement
        subspace = kt.joints.Revolute().subspace

    odd = replace(robot.model, bodies=(robot.model.bodies[0], replace(robot.model.bodies[1], joint=Odd())))
    for kernel in (
        kt.compile(local, robot),
        kt.compile(main, robot),
        kt.compile(kt.jacobian(local), robot),
        kt.compile(kt.algorithms.gravity, odd),
        kt.compile(kt.algorithms.inverse_dynamics, robot, v=np.ones(2), a=np.ones(2)),
    ):
        found = len(traces)
        again = pickle.loads(pickle.dumps(kernel))
        np.testing.assert_array_equal(again([0.3, 0.4]), kernel([0.3, 0.4]))
        assert len(traces) == found


def test_a_kernel_of_a_function_in_a_module_reaches_another_process(directory, monkeypatch):
    (directory / "springs.py").write_text("def spring(model, q, k, *, scale):\n    return scale * k * q\n")
    monkeypatch.syspath_prepend(directory)
    from springs import spring

    kernel = kt.compile(spring, kt.load("ur5e"), shapes={"k": ()}, dtype="float32", threads=3, scale=2.0)
    file = directory / "kernel.pickle"
    file.write_bytes(pickle.dumps(kernel))
    text = "import pickle, sys; k = pickle.load(open(sys.argv[1], 'rb')); print(k, k.threads, k([1.0] * 6, 0.5)[0])"
    env = {**os.environ, "PYTHONPATH": f"{Path(kt.__file__).parents[1]}{os.pathsep}{directory}"}
    done = subprocess.run([sys.executable, "-c", text, str(file)], env=env, capture_output=True, text=True, check=True)
    assert done.stdout == f"{kernel} 3 1.0\n"


def test_a_gufunc_is_not_sent(directory):
    with pytest.raises((pickle.PicklingError, AttributeError), match="inverse_dynamics"):
        pickle.dumps(kt.load("planar2r").kernel(inverse_dynamics).gufunc)


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
        trace_cache.key(inverse_dynamics, model, static={}),
        trace_cache.key(inverse_dynamics, heavier, static={}),
        trace_cache.key(kt.algorithms.bias, model, static={}),
        trace_cache.key(pose, model, static={"frame": "tool0"}),
        trace_cache.key(pose, model, static={"frame": "wrist_3_link"}),
    ]
    assert len(set(keys)) == 5 and None not in keys


def test_what_is_not_ours_has_no_key(directory):
    class Odd(kt.joints.Revolute):
        pass

    model = kt.load("ur5e").model
    odd = replace(model, bodies=(*model.bodies[:-1], replace(model.bodies[-1], joint=Odd())))
    assert trace_cache.key(inverse_dynamics, odd, static={}) is None
    assert trace_cache.key(lambda model, q: q, model, static={}) is None
    assert trace_cache.key(inverse_dynamics, model, static={"wrench": {"tool0": np.zeros(6)}}) is None


def test_a_damaged_outline_is_not_believed(directory, traces):
    kt.load("ur5e").kernel(inverse_dynamics)
    (kept,) = (file for file in directory.iterdir() if file.name != "secret")
    kept.write_bytes(kept.read_bytes().replace(b'"inputs": [["q", [6]]', b'"inputs": [["q", [9]]'))
    assert kt.load("ur5e").kernel(inverse_dynamics).program.inputs[0].shape == (6,)
    assert len(traces) == 2


def test_sources_that_changed_since_they_were_imported_say_nothing(directory, monkeypatch):
    monkeypatch.setattr(trace_cache, "_sources", trace_cache._sources.__wrapped__)
    model = kt.load("ur5e").model
    assert trace_cache.key(inverse_dynamics, model) is not None
    monkeypatch.setattr("kinetrace.engine.cache.fingerprints.INITIAL_STATUSES", {})
    assert trace_cache.key(inverse_dynamics, model) is None


def test_sources_that_are_edited_under_a_wrong_clock_say_nothing(tmp_path):
    """The clock was an hour ahead when they were imported, and an edit does not show in the date of a file."""
    package = shutil.copytree(Path(kt.__file__).parent, tmp_path / "kinetrace")
    text = f"""
import os, time
now = time.time
time.time = lambda: now() + 3600.0
import kinetrace as kt
time.time = now
from kinetrace.engine.compilation import trace_cache
from kinetrace.engine.runtime import build
for name in ("algorithms/dynamics/energy.py", "engine/targets/llvm/gufunc_loop.py"):
    path = os.path.join({str(package)!r}, name)
    status = os.stat(path)
    with open(path, "r+") as file:
        file.write("!")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
print(kt.__file__.startswith({str(tmp_path)!r}), trace_cache._sources(), build._emitters())
"""
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", text], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "None", "None"]


def test_an_installed_version_is_known_by_its_record_and_an_editable_one_by_its_sources(tmp_path):
    """The record beside the package is the one file that is looked at; if it is replaced, nothing is kept."""
    package = shutil.copytree(Path(kt.__file__).parent, tmp_path / "kinetrace")
    text = """
import os, sys
from kinetrace.engine.cache import fingerprints
from kinetrace.engine.compilation import trace_cache
from kinetrace.engine.runtime import build
known = len(fingerprints.INITIAL_STATUSES) == 1
print(known, trace_cache._sources.__wrapped__(), build._emitters.__wrapped__(), sep="|")
if len(sys.argv) > 1:
    os.utime(sys.argv[1], ns=(0, 0))
    print(trace_cache._sources.__wrapped__(), build._emitters.__wrapped__(), sep="|")
"""

    def lines(*args):
        env = {**os.environ, "PYTHONPATH": str(tmp_path)}
        done = subprocess.run([sys.executable, "-c", text, *args], env=env, capture_output=True, text=True, check=True)
        return done.stdout.splitlines()

    of_sources = lines()
    record = tmp_path / "kinetrace-1.0.dist-info" / "RECORD"
    record.parent.mkdir()
    shared = "kinetrace/engine/trace/ops.py,sha256=abc,1\nkinetrace/__init__.py,sha256=def,2\n"
    record.write_text(shared + "../../../bin/kinetrace,sha256=ghi,3\nkinetrace/__pycache__/__init__.pyc,,\n")
    installed = lines()
    assert of_sources[0].startswith("False|") and installed[0].startswith("True|") and "None" not in installed[0]
    with (package / "engine" / "trace" / "ops.py").open("a") as file:
        file.write("\n")
    assert lines() == installed
    record.write_text(shared)  # as in another environment: scripts and bytecode differ
    assert lines(str(record)) == [*installed, "None|None"]
    record.write_text(shared.replace("abc", "xyz"))
    assert lines() != installed and "None" not in lines()[0]
    record.write_text("_editable_impl_kinetrace.pth,sha256=abc,1\n")
    assert lines() == ["True|None|None"]
