"""Arguments that are no arrays: flags, counts, seeds, names and sequences. What is none is refused by name."""

from __future__ import annotations

import errno
import os
import re

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.cli import main
from kinetrace.engine.targets.text.unit import unit

Z2, BAD, ONE = np.zeros(2), "\ud800", [(0, 0, 0, 0)]
gravity, regressor = kt.algorithms.gravity, kt.algorithms.regressor
FLAG, COUNT, SEED = "must be True or False", "n must be a whole number, at least 0", "seed must be a whole number"
WRT, NAME = "wrt must be a name or a tuple of names", "must be a name: text that is not empty"
FRAMES = "frames must be one pose for each body, or 'center_of_mass'"


@pytest.fixture(scope="module")
def robot():
    return kt.load("planar2r", backend="numpy")


def joint(**names):
    given = {"name": "j", "joint": kt.joints.Revolute([0, 0, 1]), "parent": "a", "child": "b"}
    kt.Builder("x").joint(**given | names)


EACH = [
    ("friction", lambda r, x: r.regressor(Z2, Z2, Z2, friction=x), (2, 1, -1, None, 1.5, "x", []), f"friction {FLAG}"),
    ("frames", lambda r, x: r.with_link_frames(x), (None, 1.5, np.array("x")), FRAMES),
    ("chain", lambda r, x: kt.random_chain(x), (None, "x", 1.5, -1), COUNT),
    ("tree", lambda r, x: kt.random_tree(x), (None, "x", 1.5, -1), COUNT),
    ("seed", lambda r, x: r.random(2, seed=x), (1.5, "x", ["tip"], -1), SEED),
    ("jacobian", lambda r, x: kt.jacobian(gravity, wrt=x), ({}, {"q"}, np.zeros(2), [[]], 3), WRT),
    ("hessian", lambda r, x: kt.hessian(gravity, wrt=x), ({}, {"q"}, np.zeros(2), [[]], 3), WRT),
    ("link", lambda r, x: kt.Builder("x").link(x), (3, None, "", []), f"a link's name {NAME}"),
]
REFUSED = {
    **{f"{name} {x!r}": (lambda r, f=f, x=x: f(r, x), message) for name, f, values, message in EACH for x in values},
    "normalised": (lambda r: r.mass_root_product(Z2, Z2, normalised=0), f"normalised {FLAG}"),
    "compile's flag": (lambda r: kt.compile(regressor, r, friction=2), f"friction {FLAG}"),
    "a derivative's flag": (lambda r: kt.compile(kt.jacobian(regressor), r, rotor=2), f"rotor {FLAG}"),
    "count's flag": (lambda r: r.count("regressor", rotor=2), f"rotor {FLAG}"),
    "general": (lambda r: r.count("gravity", general=2), f"general {FLAG}"),
    "sparse": (lambda r: kt.jacobian(gravity, sparse="x"), f"sparse {FLAG}"),
    "optimise": (lambda r: r.optimise(frames=None), f"frames {FLAG}"),
    "names of columns": (lambda r: r.parameter_names(friction=2), f"friction {FLAG}"),
    "identified": (lambda r: kt.identify.base_parameters(r, rotor=2), f"rotor {FLAG}"),
    "fitted": (lambda r: kt.identify.fit(r, Z2, Z2, Z2, Z2, physical=2), f"physical {FLAG}"),
    "kinds": (lambda r: kt.from_dh(ONE, kinds=0), "kinds must be 1 letters, each 'R' or 'P'"),
    "inertias": (lambda r: kt.from_dh(ONE, inertias=0), "inertias must be one for each of 1 joints"),
    "inertias a set": (lambda r: kt.from_dh(ONE, inertias={"a"}), "link 'link1': inertia must be"),
    "a chain's seed": (lambda r: kt.random_chain(2, seed=1.5), SEED),
    "samples' seed": (lambda r: kt.identify.base_parameters(r, seed=1.5), SEED),
    "dtype": (lambda r: kt.compile(gravity, r, dtype=BAD), "unknown dtype"),
    "load": (lambda r: kt.load("panda", floating=True), "unknown keyword of load 'floating'. Valid: backend, base, "),
    "random_tree": (
        lambda r: kt.random_tree(3, bas="free"),
        "keyword of random_tree 'bas'; did you mean 'base'?",
    ),
    "joint": (lambda r: joint(name=3), f"a joint's name {NAME}"),
    "parent": (lambda r: joint(parent=3), f"joint 'j': parent {NAME}"),
    "child": (lambda r: joint(child=""), f"joint 'j': child {NAME}"),
    "mimic": (lambda r: joint(mimic=(3, 1.0, 0.0)), f"joint 'j': mimic's joint {NAME}"),
    "frame's name": (lambda r: kt.Builder("x").frame(3, "a"), f"a frame's name {NAME}"),
    "frame's link": (lambda r: kt.Builder("x").frame("f", None), f"frame 'f': link {NAME}"),
    "frame 3": (lambda r: r.pose(Z2, 3), "frame must be a name (text), got int. Valid: base_link, "),
    "frame []": (lambda r: kt.algorithms.pose(r.model, Z2, frame=[]), "frame must be a name (text), got list"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(robot, name):
    call, message = REFUSED[name]
    with pytest.raises(kt.KinetraceError, match=re.escape(message)):
        call(robot)


def test_flags_of_numpy_are_flags(robot):
    assert robot.regressor(Z2, Z2, Z2, friction=np.True_).shape == (2, 24)
    with pytest.raises(kt.InputError, match=FLAG):  # although it equals True, which is compiled
        robot.regressor(Z2, Z2, Z2, friction=1)


@pytest.mark.parametrize("name", [BAD, 3], ids=ascii)
def test_a_function_may_have_any_name(robot, name):
    function = type("F", (), {"__call__": lambda self, model, q: 2 * q, "__name__": name})()
    for each, shape in ((function, (2,)), (kt.jacobian(function), (2, 2))):
        assert kt.compile(each, robot)(Z2).shape == shape


@pytest.mark.parametrize("name", ["foo_", "log_test", "a__b", "_test", "cuda_x", "x_test_test", "in_q", "L_tmp"])
def test_the_name_that_is_suggested_is_accepted(robot, name):
    program = robot.kernel(gravity).program
    with pytest.raises(kt.InputError, match="single underscores between them") as error:
        unit(program, name)
    unit(program, re.search(r"'(\w+)' would do", str(error.value))[1])


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is full")
def test_a_full_disk_is_reported_with_the_file(tmp_path, monkeypatch, capsys):
    opened = os.open

    def full(path, flags, *mode, **more):
        return (
            opened("/dev/full", os.O_WRONLY)
            if str(path).startswith(str(tmp_path))
            else opened(path, flags, *mode, **more)
        )

    monkeypatch.setattr(os, "open", full)
    assert main(["codegen", "planar2r", "gravity", "--name", "my_g", "-o", str(tmp_path)]) == 2
    assert f"'{tmp_path / 'my_g.h'}': {os.strerror(errno.ENOSPC)}" in capsys.readouterr().err


def arrays_in(x, seen):
    """Every array that can be reached from x through attributes and containers."""
    if id(x) in seen:
        return
    seen[id(x)] = x
    if isinstance(x, np.ndarray):
        yield x
        return
    held = vars(x) if hasattr(x, "__dict__") else x
    for part in held.values() if hasattr(held, "values") else held if isinstance(held, list | tuple) else ():
        yield from arrays_in(part, seen)


def test_no_array_of_a_model_can_be_written():
    robot = kt.load("ur5e").optimise()
    assert robot.model.geometry
    for model in (robot.model, robot.dynamics_model, kt.random_tree(9).model):
        for body in (*model.bodies, *model.customised.bodies):
            _ = body.pseudo_inertia, body.from_joint
        found = list(arrays_in(model, {}))
        assert len(found) > 5 * len(model.bodies)
        assert not any(x.flags.writeable for x in found)
