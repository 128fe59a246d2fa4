"""Who solves for dry friction and hard stops, and who has the smooth laws: the table of docs/simulation.md."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.algorithms.registry.declaration import ALGORITHMS
from kinetrace.algorithms.time.methods import METHODS
from kinetrace.arrays import tree_leaves
from kinetrace.engine.compilation.program import wanted_arrays
from kinetrace.simulation.adaptive_steps import SOLVERS

from .one_joint import hanging_rod

APPLICATIONS = {
    "kt.motion.optimise": lambda robot: _swung(hanging_rod(friction=1.5, friction_law=_law_of(robot))),
    "time_scaling": lambda robot: kt.motion.time_scaling(robot, _path(robot), velocity=2.0, effort=40.0).duration,
    "kt.identify": lambda robot: kt.identify.fit(robot, *_samples(), friction=True).robot.parameters("friction"),
    "kt.control": lambda robot: [law(0.3, [0.3, 0.2], [0.5, -0.2]) for law in _laws(robot)],
}
"""Applications that compute with the smooth law."""
SOLVES = {"semi-implicit", "implicit", "simulate", "rollout", "Tracker.rollout", "step"}
REFUSES = {"euler", "rk4", "rkmk2", "rkmk4", "variational", "rosenbrock", *SOLVERS, "diagonal_step"}
DIFFERENTIATES = {"linearise_step", "rollout_derivatives", "OptimalControl"}
"""Names in rows of the table of docs/simulation.md, in its order; others have the smooth law."""


def _law_of(robot):
    return robot.model.bodies[0].effects.friction_law


def _swung(rod):
    return kt.motion.minimum_effort(rod, [0.0], [0.3], 1.0, intervals=4).cost


def _path(robot):
    return kt.motion.Spline.through(robot, [0.0, 1.0, 2.0], [[0, 0], [0.3, 0.2], [0.1, 0.3]])


def _samples():
    q, v, a = np.random.default_rng(0).uniform(-0.3, 0.3, size=(3, 50, 2))
    return q, v, a, kt.load("planar2r").with_joint_effects(friction=0.7).inverse_dynamics(q, v, a)


def _laws(robot):
    def sway(t):
        return np.array([0.3 * np.sin(t), 0.2 * t]), np.array([0.3 * np.cos(t), 0.2]), np.array([-0.3 * np.sin(t), 0.0])

    control = kt.control
    yield control.computed_torque(robot, sway, 30.0, 8.0)
    yield control.joint_impedance(robot, sway, stiffness=30.0, damping=8.0)
    yield control.friction_compensation(robot, fraction=0.8)


@pytest.fixture(scope="module")
def both():
    """An arm with smooth friction and soft stops, and the same with dry friction and hard ones."""
    model = kt.load("planar2r").model
    limits = kt.Limits(-0.4, 0.4, 50.0, 50.0)
    within = replace(model, bodies=tuple(replace(body, limits=limits) for body in model.bodies))
    soft = kt.Robot(within).with_joint_effects(friction=3.0, stop_stiffness=50.0, stop_damping=1.0)
    return soft, soft.with_joint_effects(friction_law="dry", stop_law="hard")


def test_all_other_algorithms_have_the_smooth_law(both):
    """Of all that are listed, those that step differ or refuse."""
    found, rng = {}, np.random.default_rng(0)
    for name, algorithm in ALGORITHMS.items():
        choices = {"frame": "tip"} if "frame" in algorithm.parameters else {}
        shapes = wanted_arrays(algorithm, both[0].model, choices, {})
        arrays = {key: rng.uniform(0.1, 1.0, size=shape) for key, shape in shapes.items()}
        try:
            with np.errstate(all="ignore"):
                pair = [tree_leaves(algorithm.function(x.model, **arrays, **choices)) for x in both]
            same = all(np.array_equal(x, y, equal_nan=True) for x, y in zip(*pair, strict=True))
            found[name] = "smooth" if same else "steps"
        except kt.InputError as error:
            assert "cannot step with dry friction or hard stops" in str(error)
            found[name] = "refuses"
    others = {name: how for name, how in found.items() if how != "smooth"}
    assert others == {"step": "steps", "linearise_step": "steps", "diagonal_step": "refuses"}


@pytest.mark.parametrize("name", APPLICATIONS)
def test_applications_have_the_smooth_law(both, name):
    soft, dry = (APPLICATIONS[name](robot) for robot in both)
    np.testing.assert_array_equal(soft, dry)


def test_gains_do_not_rely_on_friction_and_observers_see_what_holds(both):
    free, dry = kt.load("planar2r"), kt.load("planar2r").with_joint_effects(friction=25.0, friction_law="dry")
    q = np.array([0.3, 0.2])
    regulators = [kt.motion.lqr(robot, q, dt=0.01) for robot in (free, dry, both[1])]
    trackers = [kt.motion.tvlqr(robot, q, t=0.1, dt=0.02, effort=False) for robot in (free, dry, both[1])]
    for of in (regulators, trackers):
        for other in of[1:]:
            np.testing.assert_allclose(other.K, of[0].K, rtol=1e-9)
    with pytest.raises(kt.InputError, match="dry friction holds 'planar2r' before it is at the state"):
        regulators[1].region(t=1.0)
    motion = dry.simulate(q, np.zeros(2), t=0.5, dt=1e-3)
    outside = kt.control.momentum_observer(dry, 50.0).along(motion.t, motion.q, motion.v, motion.tau)
    np.testing.assert_allclose(outside[-1], dry.gravity(q), rtol=1e-9)


def test_the_page_names_who_obeys():
    text = (Path(__file__).parents[2] / "docs/simulation.md").read_text(encoding="utf-8")
    table = text.split("### Dry friction and hard stops")[1].split("|---|---|\n")[1].split("\n\n")[0]
    rows = [set(re.findall(r"`([^`]+)`", row.split("|")[1])) for row in table.splitlines()]
    assert rows[:3] == [SOLVES, REFUSES, DIFFERENTIATES]
    assert rows[4] == APPLICATIONS.keys() | {"kt.design"}
    assert METHODS.keys() < SOLVES | REFUSES


FRAMEWORKS = {
    "jax": lambda one, jax: jax.jacrev(lambda u: jax.numpy.concatenate(one(kt.jax.Robot, jax.numpy.asarray, u))),
    "torch": lambda one, torch: (
        lambda u: torch.autograd.functional.jacobian(
            lambda u: torch.cat(one(kt.torch.Robot, torch.tensor, u)), torch.tensor(u)
        )
    ),
    "casadi": lambda one, casadi: _casadi_jacobian(one, casadi),
}


def _casadi_jacobian(one, casadi):
    u = casadi.MX.sym("u", 2)
    return casadi.Function("by_tau", [u], [casadi.jacobian(casadi.vertcat(*one(kt.casadi.Robot, casadi.DM, u)), u)])


@pytest.fixture(params=FRAMEWORKS)
def framework(request):
    """A framework by name, JAX with doubles."""
    found = pytest.importorskip(request.param)
    if request.param != "jax":
        yield request.param, found
        return
    before = found.config.read("jax_enable_x64")
    found.config.update("jax_enable_x64", True)
    yield "jax", found
    found.config.update("jax_enable_x64", before)


def test_frameworks_differentiate_the_step(both, framework):
    """Where one joint slides beside one that sticks, and where one meets its stop."""
    (name, library), dry = framework, both[1].with_joint_effects("joint2", friction=30.0)
    for q, v in (([0.3, 0.2], [1.0, 0.0]), ([0.399, -0.4], [2.0, -1.0])):
        tau = dry.gravity(q)
        wanted = dry.linearise_step(q, v, tau, 0.01)[1]
        assert wanted.any() and not wanted.all()

        def one(robot, array, u, q=q, v=v):
            return robot(dry).step(array(np.array(q)), array(np.array(v)), u, 0.01)

        np.testing.assert_allclose(FRAMEWORKS[name](one, library)(tau), wanted, atol=1e-9)
