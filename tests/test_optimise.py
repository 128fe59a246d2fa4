"""An optimised robot has the same joint forces, for fewer operations, and nothing else changes."""

from __future__ import annotations

import json
import pickle
from dataclasses import astuple, replace
from functools import cache

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.algorithms.registry.declaration import ALGORITHMS
from kinetrace.analysis.equivalent_models import difference
from kinetrace.analysis.equivalent_models.frames import aligned
from kinetrace.analysis.equivalent_models.regrouping import moments, regrouped
from kinetrace.analysis.equivalent_models.search import _part, by_pattern
from kinetrace.cli import main
from kinetrace.identify.identifiable_spaces import identifiable_spaces
from kinetrace.lie import ad_dual, inertia, se3, so3
from kinetrace.model import from_dh, random_mdh_chain, random_tree
from kinetrace.model.zoo.random import random_inertia, random_pose

ROBOTS = {
    "ur5e": lambda: kt.load("ur5e", joint_effects=False),
    "stanford": lambda: kt.load("stanford", joint_effects=False),
    "tree": lambda: kt.Robot(random_tree(4, seed=3).build("free")),
    "coupled": lambda: kt.Robot(random_tree(8, seed=0).build()),
    "chain": lambda: kt.Robot(random_mdh_chain(3, seed=1, general=True).build()),
}


@cache
def pair(name: str) -> tuple[kt.Robot, kt.Robot]:
    robot = ROBOTS[name]()
    return robot, robot.optimise()


def states(robot: kt.Robot, n: int = 5) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(0)
    return robot.random(n, seed=rng), *rng.normal(size=(2, n, robot.nv))


def near(a, b, tol=1e-10):
    for x, y in zip(a if isinstance(a, tuple) else (a,), b if isinstance(b, tuple) else (b,), strict=True):
        np.testing.assert_allclose(x, y, rtol=0, atol=tol * np.abs(x).max(initial=1e-300))


def numpy_backend(robot: kt.Robot) -> kt.Robot:
    return kt.Robot(robot.model, backend="numpy", dynamics_model=robot.dynamics_model)


@pytest.mark.alternates(2, "name")
@pytest.mark.parametrize("name", ROBOTS)
def test_what_depends_on_joint_forces_alone_is_the_same(name):
    robot, found = map(numpy_backend, pair(name))
    assert found.dynamics_model is not robot.model
    q, v, a = states(robot)
    values = {"q": q, "v": v, "a": a, "tau": a, "u": a}
    same = [says.function for says in ALGORITHMS.values() if says.keeps_forces is not None and "dt" not in says.arrays]
    assert len(same) == 15
    for function in same:
        before, after = (r.kernel(function) for r in (robot, found))
        arrays = [values[x.name] for x in before.program.inputs]
        # Accelerations amplify rounding by the condition of M.
        near(before(*arrays), after(*arrays), 1e-8 if "forward" in function.__name__ else 1e-10)
    wrench = {robot.frame_names[-1]: np.random.default_rng(1).normal(size=6)}
    near(robot.inverse_dynamics(q, v, a, wrench=wrench), found.inverse_dynamics(q, v, a, wrench=wrench))


def test_simulation_is_the_same_and_cheaper():
    robot, found = map(numpy_backend, pair("stanford"))
    q, v, tau = states(robot)
    near(robot.step(q, v, tau, 0.01, method="rk4"), found.step(q, v, tau, 0.01, method="rk4"))
    for before, after in zip(robot.linearise_step(q, v, tau, 0.01), found.linearise_step(q, v, tau, 0.01), strict=True):
        near(before, after, 1e-8)
    wrench = {"tool0": np.ones(6)}
    for before, after in zip(*(r.linearise(q, v, tau, wrench=wrench) for r in (robot, found)), strict=True):
        near(before, after, 1e-8)
    before, after = (r.count("step", shapes={"dt": ()}).flops for r in (robot, found))
    assert after < 0.8 * before


def test_no_force_at_all_is_the_same_but_for_rounding():
    """Of a point of mass on a slanted axis, where rounding leaves 1e-17 of nothing."""
    n = np.array([1.0, 2.0, 3.0]) / np.sqrt(14)
    c = 0.37 * n
    builder = kt.Builder("bead")
    I = 1.7 * (c @ c * np.eye(3) - np.outer(c, c))
    builder.link("bead", inertia.from_parameters(np.array([1.7, *(1.7 * c), *I[np.triu_indices(3)]])))
    builder.joint("spin", kt.joints.Revolute(n), parent="base", child="bead")
    found = kt.Robot(builder.build(check="ignore"), backend="numpy").optimise()
    assert np.abs(found.inverse_dynamics([0.1], [0.2], [0.3])).max() < 1e-15


def test_a_dynamics_model_has_the_same_joints():
    with pytest.raises(kt.InputError, match="dynamics_model"):
        kt.Robot(kt.load("planar2r").model, dynamics_model=kt.load("stanford").model)


@pytest.mark.parametrize("name", ROBOTS)
def test_it_takes_fewer_operations(name):
    robot, found = pair(name)
    before, after = (r.count("inverse_dynamics") for r in (robot, found))
    assert after.flops < before.flops and after.mul <= before.mul


def test_everything_else_is_that_of_the_robot_itself():
    robot, found = map(numpy_backend, pair("stanford"))
    q, v, a = states(robot)
    for name in ("momentum", "center_of_mass", "potential_energy"):
        arrays = (q, v) if name == "momentum" else (q,)
        np.testing.assert_array_equal(getattr(robot, name)(*arrays), getattr(found, name)(*arrays))
    moving = {"base_velocity": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], "base_acceleration": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]}
    np.testing.assert_array_equal(robot.inverse_dynamics(q, v, a, **moving), found.inverse_dynamics(q, v, a, **moving))
    for form in ("skew", "newton"):  # which depend on the choice of frames
        np.testing.assert_array_equal(robot.coriolis_matrix(q, v, form=form), found.coriolis_matrix(q, v, form=form))
    np.testing.assert_array_equal(robot.pose(q, "tool0"), found.pose(q, "tool0"))
    np.testing.assert_array_equal(robot.parameters("inertial"), found.parameters("inertial"))
    key = {"inputs": "inertial"}
    kernels = [r.kernel(kt.algorithms.gravity, **key) for r in (robot, found)]
    np.testing.assert_array_equal(*(k(q, robot.parameters("inertial")) for k in kernels))


def test_a_regrouped_model_by_itself_has_another_momentum():
    """Why momentum must not run on it."""
    robot, found = pair("ur5e")
    q, v, _ = states(robot, 1)
    both = [kt.algorithms.momentum(m, q[0], v[0]) for m in (robot.model, found.dynamics_model)]
    assert np.abs(both[0] - both[1]).max() > 1e-3


def test_frames_keep_their_names_and_poses():
    robot, found = pair("ur5e")
    q, *_ = states(robot, 1)
    for name in robot.frame_names:
        near(*(kt.algorithms.pose(m, q[0], frame=name) for m in (robot.model, found.dynamics_model)), 1e-13)
    assert found.dynamics_model.joint_names == robot.model.joint_names
    assert found.limits.effort.tolist() == robot.limits.effort.tolist()


def test_the_search_is_deterministic_and_survives_a_pickle():
    robot, found = pair("stanford")
    again, kept = robot.optimise().dynamics_model, pickle.loads(pickle.dumps(found)).dynamics_model
    for a, b, c in zip(found.dynamics_model.bodies, again.bodies, kept.bodies, strict=True):
        assert a.J.tolist() == b.J.tolist() == c.J.tolist() and a.X_pj.tolist() == b.X_pj.tolist() == c.X_pj.tolist()
    heavier = found.with_parameters(inertial=2 * found.parameters("inertial"))
    assert heavier.dynamics_model is heavier.model


def test_steps_can_be_left_out():
    robot, found = pair("stanford")
    frames, inertias = robot.optimise(regroup=False), robot.optimise(frames=False)
    for a, b in zip(robot.model.bodies, inertias.dynamics_model.bodies, strict=True):
        assert a.X_pj.tolist() == b.X_pj.tolist()
    for a, b in zip(robot.model.bodies, frames.dynamics_model.bodies, strict=True):
        assert inertia.mass(a.J) == pytest.approx(inertia.mass(b.J), rel=1e-12)
    assert found.count("inverse_dynamics").flops < min(r.count("inverse_dynamics").flops for r in (frames, inertias))


def test_the_angle_of_a_symmetric_last_body_makes_no_difference_but_to_wrenches():
    """So the frame of a flange does not turn, and no sine of its angle is left."""
    robot, found = pair("stanford")
    assert found.count("inverse_dynamics").trig == robot.count("inverse_dynamics").trig - 2
    given = {"wrench": {"tool0": (6,)}}
    assert found.model_for(kt.algorithms.inverse_dynamics) is found.dynamics_model
    bodies = found.model_for(kt.algorithms.inverse_dynamics, given).bodies
    assert all(type(b.joint) in (kt.joints.Revolute, kt.joints.Prismatic) for b in bodies)


def test_a_body_is_judged_on_a_few_others():
    """So that long chains take no longer a body than short ones."""
    model = kt.random_chain(20, seed=0).model
    part = _part(model, 15)
    assert [b.name for b in part.bodies] == [model.bodies[i].name for i in (0, 1, 2, 3, 12, 13, 14, 15, 16)]
    assert [b.parent for b in part.bodies] == list(range(-1, 8))


def test_a_cost_by_pattern_is_that_of_the_model():
    """Also with effects of joints, and stops at one limit, at both or at none."""
    plain = kt.load("planar2r")
    damped = plain.with_joint_effects(damping=0.3)
    stopped = plain.with_joint_effects(stop_stiffness=9.0)
    edited = [
        [replace(b, limits=replace(b.limits, lower=np.array([x]), upper=np.array([y]))) for b in stopped.model.bodies]
        for x, y in ((-1.0, 1.0), (-1.0, np.inf), (-np.inf, np.inf))
    ]
    models = [plain.model, damped.model, *(replace(stopped.model, bodies=tuple(bodies)) for bodies in edited)]

    def cost(model):
        return astuple(kt.Robot(model, backend="numpy").count("inverse_dynamics"))

    once = by_pattern(cost)
    assert [once(model) for model in models] == [cost(model) for model in models]
    assert len({cost(model) for model in models}) == 4  # without limits there are no stops


def test_an_algorithm_of_bodies_cannot_be_chosen():
    with pytest.raises(kt.InputError, match="inverse_dynamics"):
        kt.load("planar2r").optimise("momentum")


@pytest.mark.parametrize("n", range(3, 13))
def test_general_chains_beat_khalil_and_kleinfinger(n):
    """92n − 127 multiplications and 81n − 117 additions: by regrouping alone, the frames being theirs already."""
    model = random_mdh_chain(n, 0, general=True).build()
    plain, few = (kt.Robot(m).count("inverse_dynamics") for m in (model, regrouped(model, identifiable_spaces(model))))
    assert (plain.mul, plain.add) == (91 * n - 104, 79 * n - 95)
    assert (few.mul, few.add) == (81 * n - 95, 69 * n - 86)
    assert few.mul < 92 * n - 127 and few.add < 81 * n - 117


def test_stanford_arm_and_puma_560():
    puma = kt.load("puma560", joint_effects=False).optimise()
    stanford, puma = (r.count("inverse_dynamics") for r in (pair("stanford")[1], puma))
    assert stanford.mul <= 116 and stanford.add <= 88
    assert puma.mul <= 162 and puma.add <= 137


@pytest.mark.parametrize("seed", range(3))
def test_a_body_needs_the_wrench_of_its_momentum(seed):
    """J V̇ − ad*_V J V, the observer moving or not: a = v̇ + ω × v."""
    rng = np.random.default_rng(seed)
    J, V, dV = random_inertia(rng), rng.normal(size=6), rng.normal(size=6)
    w, v = V[:3], V[3:]
    near(
        J @ dV - ad_dual(V, J @ V),
        inertia.newton_euler(inertia.pseudo_inertia(J), w, dV[:3], dV[3:] + so3.cross(w, v)),
        1e-13,
    )


def test_a_symmetric_body_needs_less():
    P = np.diag([2.0, 2.0, -2.0, 0.0])
    w, dw, a = np.random.default_rng(0).normal(size=(3, 3))
    I = np.diag([0.0, 0.0, 4.0])
    for balanced in ((False,) * 3, (True,) * 3):
        near(I @ dw + np.cross(w, I @ w), inertia.newton_euler(P, w, dw, a, balanced)[:3], 1e-14)


@pytest.mark.parametrize("seed", range(8))
def test_factors_are_the_placement(seed):
    rng = np.random.default_rng(seed)
    joint = [kt.joints.Revolute([0, 0, 1]), kt.joints.Revolute([0, -1, 0]), kt.joints.Prismatic([1, 0, 0])][seed % 3]
    turn = se3.exp(np.concatenate([0.7 * joint.axis, np.zeros(3)]))
    X = [random_pose(rng), se3.pose(so3.axis_angle(np.eye(3)[(seed + 1) % 3], 0.4), rng.normal(size=3)) @ turn][
        seed % 2
    ]
    builder = kt.Builder("pair")
    builder.joint("a", kt.joints.Revolute([0, 0, 1]), parent="base", child="first")
    builder.joint("b", joint, parent="first", child="second", placement=X, child_placement=random_pose(rng))
    model, q = builder.build(check="ignore"), rng.normal(size=1)
    for body in (model.bodies[1], model.customised.bodies[1]):
        near(body.X_pj @ joint.placement(q) @ body.X_ji, body.placement(q).matrix, 1e-14)


def test_a_turn_about_the_axis_passes_into_the_angle():
    rng = np.random.default_rng(0)
    a, alpha, d, theta = rng.uniform(0.2, 1.2, (4, 6))
    inertias = [random_inertia(rng) for _ in a]
    plain, turned = (
        kt.Robot(from_dh(np.stack([a, alpha, d, offset], -1), inertias=inertias).build()).count("inverse_dynamics")
        for offset in (0 * theta, theta)
    )
    assert (turned.mul, turned.add) == (plain.mul, plain.add + 6)


@pytest.mark.parametrize("general", [True, False])
def test_regrouping_leaves_as_many_moments_as_there_are_base_parameters(general):
    robot = kt.Robot(random_mdh_chain(5, 0, general).build())
    few = regrouped(robot.model, identifiable_spaces(robot.model))
    left = np.count_nonzero([moments(inertia.to_parameters(b.J)).round(12) for b in few.bodies])
    assert left == kt.identify.base_parameters(robot).count


def test_regrouping_keeps_its_digits_along_a_long_chain():
    model = aligned(kt.random_chain(50, seed=0).model)
    assert difference(model, regrouped(model, identifiable_spaces(model))) < 1e-13


def test_the_command(capsys):
    assert main(["optimise", "stanford", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    after = found["counts"]["inverse_dynamics"]["after"]  # with six rotors
    assert (after["mul"], after["add"]) == (116 + 6, 88 + 6) and found["difference"] < 1e-12
    first = found["bodies"][0]
    assert first["body"] == "link1" and len(first["moments_after"]) == 1
    assert main(["optimise", "planar2r", "--no-frames"]) == 0
    text = capsys.readouterr().out
    assert "inverse_dynamics" in text and "What was changed" in text
    assert main(["optimise", "planar2r", "-a", "momentum"]) == 2
