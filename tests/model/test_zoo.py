"""The bundled robots: the two of our own design are what their generator writes, and none is impossible."""

import runpy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.model import load_model, zoo

TOOLS = Path(__file__).parents[2] / "tools"
ROBOTS = zoo.path("panda").parent


@pytest.mark.parametrize("tool", ["make_robots.py", "make_mechanisms.py"])
def test_generated_robots_are_up_to_date(tool, monkeypatch):
    monkeypatch.syspath_prepend(TOOLS)
    for name, text in runpy.run_path(str(TOOLS / tool))["robots"]().items():
        assert (ROBOTS / name).read_text(encoding="utf-8") == text, f"run tools/{tool}: {name}"


@pytest.mark.parametrize("base", ["fixed", "free"])
@pytest.mark.parametrize("name", zoo.names(closed=False))
def test_bundled_robots_are_physical(name, base):
    model = load_model(name, base=base, check="error")
    assert model.nv >= 2 and model.geometry


BARE_COUNTS = {  # multiplications and additions from before bundled robots had effects
    ("panda", "fixed"): {"inverse_dynamics": (361, 342), "forward_dynamics": (682, 617), "mass_matrix": (205, 189)},
    ("ur5e", "fixed"): {"inverse_dynamics": (276, 256), "forward_dynamics": (460, 427), "mass_matrix": (121, 122)},
    ("humanoid", "free"): {
        "inverse_dynamics": (1475, 1290),
        "forward_dynamics": (3914, 3516),
        "mass_matrix": (1915, 1416),
    },
}


@pytest.mark.parametrize(("name", "base"), BARE_COUNTS)
def test_bundled_robots_without_effects_are_their_urdf(name, base):
    """Rotors, damping and where they are at home are beside the URDF: programs without are those of the file alone."""
    robot, bare = kt.load(name, base=base), kt.load(zoo.path(name), base=base)
    assert replace(robot.model, start=None) != bare.model
    assert robot.without_joint_effects().model == kt.load(name, base=base, joint_effects=False).model
    assert replace(robot.without_joint_effects().model, start=None) == bare.model
    for algorithm, (mul, add) in BARE_COUNTS[name, base].items():
        without = robot.without_joint_effects()
        assert without.kernel(algorithm).program.digest == bare.kernel(algorithm).program.digest
        count = without.count(algorithm)
        assert (count.mul, count.add) == (mul, add)


def test_effects_of_bundled_robots():
    """Each robot that has motors: a rotor in every joint, but for the free ones; the others have none."""
    bare = {"planar2r", *zoo.names(closed=True)} - {"two_pandas_beam"}
    for name in zoo.names():
        model = load_model(name)
        rotors = [body.joint_name for body in model.bodies if np.any(body.armature)]
        driven = [body.joint_name for body in model.bodies if body.joint.has_coordinates]
        assert rotors == ([] if name in bare else driven)
    panda, pair = kt.load("panda"), kt.load("two_pandas_beam")
    for effect in ("armature", "damping"):
        assert np.array_equal(np.tile(panda.parameters(effect), 2), pair.parameters(effect))


def test_times_and_losses_of_real_motors():
    """What estimates of other robots are made of: docs/joint_effects.md prints these bounds."""
    times, losses = {}, {}
    for name in ("panda", "puma560"):
        robot = kt.load(name)
        rate = robot.limits.velocity / robot.limits.effort
        times[name], losses[name] = robot.parameters("armature") * rate, robot.parameters("damping") * rate
    both = np.concatenate(list(times.values()))
    assert (round(1e3 * both.min()), round(1e3 * both.max())) == (11, 45)
    assert (round(100 * losses["puma560"].min()), round(100 * losses["puma560"].max())) == (4, 9)


@pytest.mark.parametrize("gains", [(60.0, 12.0), (100.0, 20.0), (400.0, 40.0)])
@pytest.mark.parametrize(
    ("name", "goal"),
    [
        ("panda", [0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785]),
        ("ur5e", [0.0, -1.571, 1.571, -1.571, -1.571, 0.0]),
        ("puma560", [0.0, -1.571, 1.571, 0.0, 0.0, 0.0]),
    ],
)
def test_textbook_pd_holds_bundled_arms(name, goal, gains):
    """0.1 rad off at the usual posture, steps of 1 ms: within 1 mrad after 2 s."""
    robot, goal = kt.load(name), np.array(goal)
    controller = kt.control.pd(robot, goal, *gains)
    motion = robot.simulate(goal + 0.1, np.zeros(robot.nv), t=2.0, dt=0.001, controller=controller)
    assert np.abs(motion.q[-1] - goal).max() < 1e-3
