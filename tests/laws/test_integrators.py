"""Steps in time: the order of every method, the momentum of what floats, energy over long times, stiff springs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kinetrace as kt
from kinetrace import algorithms
from kinetrace.algorithms.registry.forms import Forms
from kinetrace.algorithms.time.methods import METHODS
from kinetrace.algorithms.time.rollout import controlled_rollout
from kinetrace.model import random_tree
from kinetrace.simulation.linear_steps import ADVANCES

ORDERS = {name: method.order for name, method in METHODS.items()}


def test_every_method_has_a_linear_step():
    assert METHODS.keys() == ADVANCES.keys()


TREES = {
    "chain": lambda: kt.load("planar2r").model,
    "tree": lambda: random_tree(3, 3).build(),
    "free": lambda: random_tree(1, 3).build("free"),
}


def after(robot, state, tau, steps, method, time=0.08):
    q, v = state
    for _ in range(steps):
        q, v = robot.step(q, v, tau, time / steps, method=method)
    return np.concatenate([q, v])


def slope(robot, state, tau, true, method, order):
    """The order that errors show; steps are small enough for it, and large enough for rounding."""
    steps = (12, 24) if order == 4 else (32, 64) if method == "variational" else (64, 128)
    errors = [np.abs(after(robot, state, tau, n, method) - true).max() for n in steps]
    return np.log2(errors[0] / errors[1])


@pytest.fixture(scope="module", params=TREES)
def tree(request):
    """A robot, a state, forces that keep its accelerations moderate, and where they lead."""
    robot, rng = kt.Robot(TREES[request.param]()), np.random.default_rng(1995)
    q, (v, a) = robot.random(seed=3), rng.normal(size=(2, robot.nv)) / 2
    tau = algorithms.inverse_dynamics(robot.model, q, v, a)
    return robot, (q, v), tau, after(robot, (q, v), tau, 400, "rk4")


@pytest.mark.alternates(2, "tree", "method")
@pytest.mark.parametrize("method", ORDERS)
def test_order_on_trees(tree, method):
    assert slope(*tree, method, ORDERS[method]) == pytest.approx(ORDERS[method], abs=0.1)


@pytest.fixture(scope="module", params=["fixed", "free"])
def loop(request):
    """The same of a robot with a closed loop."""
    robot = kt.load("four_bar", base=request.param)
    q, turning = robot.assemble(), np.array([0.3, -0.4, 0.5, 0.1, 0.2, 0.3])[: robot.dof - 1]
    state = q, algorithms.velocity_map(robot.model, q) @ np.concatenate([turning, [2.0]])
    tau = np.concatenate([np.zeros(robot.nv - 3), [0.5, -0.2, 0.3]])
    return robot, state, tau, after(robot, state, tau, 400, "rk4")


@pytest.mark.alternates(2, "loop", "method")
@pytest.mark.parametrize("method", ORDERS)
def test_order_on_a_closed_chain(loop, method):
    assert slope(*loop, method, ORDERS[method]) == pytest.approx(ORDERS[method], abs=0.1)


@pytest.fixture(scope="module")
def floating():
    """A tree in space without gravity, with motors at work."""
    model, rng = replace(random_tree(1, 7).build("free"), gravity=np.zeros(3)), np.random.default_rng(7)
    q, v = model.random(rng), rng.normal(size=model.nv) / 2
    return kt.Robot(model), q, v, np.concatenate([np.zeros(6), rng.normal(size=model.nv - 6)])


@pytest.mark.parametrize("method", ["rkmk2", "rkmk4"])
def test_the_momentum_of_what_floats_is_kept_to_rounding(floating, method):
    robot, q, v, tau = floating
    before, plain = robot.momentum(q, v), (q, v)
    for _ in range(200):
        q, v = robot.step(q, v, tau, 0.005, method=method)
        plain = robot.step(*plain, tau, 0.005, method="rk4")
    scale = np.abs(before).max()
    np.testing.assert_allclose(robot.momentum(q, v), before, rtol=0, atol=1e-13 * scale)
    assert np.abs(robot.momentum(*plain) - before).max() > 1e-9 * scale


def test_momentum_changes_by_the_impulse_of_what_acts(floating):
    """Weight and a wrench of the world, on a body that hardly turns meanwhile: Δh is that of the true motion."""
    robot, q, v, tau = floating
    heavy = kt.Robot(replace(robot.model, gravity=np.array([1.0, -2.0, -9.0])))
    tau = tau + np.concatenate([[0.3, 0.1, -0.2, 1.0, 2.0, 3.0], np.zeros(robot.nv - 6)])
    wrench = {robot.frame_names[-1]: [0.1, 0.2, 0.3, 3.0, 2.0, 1.0]}
    found = heavy.step(q, v, tau, 1e-2, method="rkmk4", wrench=wrench)
    true = q, v
    for _ in range(20):
        true = heavy.step(*true, tau, 5e-4, method="rk4", wrench=wrench)
    np.testing.assert_allclose(heavy.momentum(*found), heavy.momentum(*true), rtol=0, atol=1e-6)
    assert np.abs(heavy.momentum(*found) - heavy.momentum(q, v)).max() > 0.01


def test_the_variational_method_keeps_momentum_and_its_own_way_back():
    """Symmetric: a step back undoes a step, to the rounding of Newton's method."""
    model = replace(random_tree(1, 5).build("free"), gravity=np.zeros(3))
    q, v = model.random(np.random.default_rng(1)), np.random.default_rng(2).normal(size=model.nv)
    tau = np.concatenate([np.zeros(6), np.ones(model.nv - 6)])
    q1, v1 = algorithms.step(model, q, v, tau, 0.02, method="variational")
    before = algorithms.momentum(model, q, v)
    np.testing.assert_allclose(algorithms.momentum(model, q1, v1), before, rtol=0, atol=1e-13 * np.abs(before).max())
    back = algorithms.step(model, q1, v1, tau, -0.02, method="variational")
    np.testing.assert_allclose(np.concatenate(back), np.concatenate([q, v]), rtol=0, atol=1e-12)


def test_an_approximate_jacobian_leads_to_the_same_variational_step(monkeypatch):
    """That of large robots; springs and dampers are in it. And so do derivatives through the iteration."""
    robot = kt.load("planar2r").with_joint_effects("joint1", "joint2", damping=20.0, stiffness=3e4)
    state = np.array([0.5, -0.3]), np.array([3.0, 2.0]), np.array([1.0, -1.0]), 0.01
    derived = kt.jacobian(algorithms.step, wrt=("q", "v"))
    found = []
    for few in (24, 0):
        monkeypatch.setattr("kinetrace.algorithms.time.variational.EXACT_JACOBIAN_UP_TO_NV", Forms(few, few))
        after = algorithms.step(robot.model, *state, method="variational")
        found.append(
            np.concatenate([np.ravel(x) for x in (*after, *derived(robot.model, *state, method="variational"))])
        )
    np.testing.assert_allclose(found[1], found[0], rtol=1e-10, atol=1e-12)
    model = replace(random_tree(1, 5).build("free"), gravity=np.zeros(3))
    q, v = model.random(np.random.default_rng(1)), np.random.default_rng(2).normal(size=model.nv)
    before = algorithms.momentum(model, q, v)
    after = algorithms.momentum(model, *algorithms.step(model, q, v, 0 * v, 0.02, method="variational"))
    np.testing.assert_allclose(after, before, rtol=0, atol=1e-12 * np.abs(before).max())


@pytest.mark.parametrize("method", ["rosenbrock", "implicit"])
def test_a_stiff_motion_is_damped_by_rosenbrock_and_lost_by_explicit_methods(method):
    """A double pendulum that hardly swings, 16 times in a step: L-stable, it comes to rest at the bottom."""
    robot = kt.Robot(replace(kt.load("planar2r").model, gravity=np.array([0.0, 0.0, -1e8])))
    bottom = np.array([np.pi / 2, 0.0])
    assert np.abs(robot.gravity(bottom)).max() < 1e-6
    near = bottom + np.array([1e-3, -2e-3]), np.zeros(2)
    calm, wild = near, near
    for _ in range(30):
        calm = robot.step(*calm, np.zeros(2), 0.01, method=method)
        wild = robot.step(*wild, np.zeros(2), 0.01, method="rkmk4")
    assert np.abs(calm[0] - bottom).max() < 1e-8 and not np.abs(wild[0] - bottom).max() < 1.0


@pytest.mark.parametrize("base", ["fixed", "free"])
def test_an_implicit_step_is_linear_in_the_backward_rule_of_euler(base, rng):
    """With the exact derivatives of the model, its joint effects and a law; mimic joints and quaternions among them."""
    tree = random_tree(9, 6).build(base)
    model = tree.with_joint_effects(damping=2.0, friction=0.3)
    h, q, (v, tau) = 0.01, model.random(rng), rng.normal(size=(2, model.nv))
    T_q, T_v = rng.normal(size=(2, model.nv, model.nv)) * 30.0
    goal = model.random(rng)

    def law(t, q, v):
        return tau - T_q @ model.difference(goal, q) - T_v @ v

    def lack(model, q, a):
        there, u = model.integrate(q, h * h * a), v + h * a
        return algorithms.inverse_dynamics(model, there, u, a) + h * (slopes[0] @ (-h * a) - slopes[1] @ a)

    slopes = kt.jacobian(lambda model, q, v: law(0.0, q, v), wrt=("q", "v"))(model, q, v)
    ahead, z = model.integrate(q, h * v), np.zeros(model.nv)
    right = law(0.0, q, v) + h * slopes[0] @ v - lack(model, ahead, z)
    a = np.linalg.solve(kt.jacobian(lack, wrt="a")(model, ahead, z), right)
    found = controlled_rollout(model, q, v, np.zeros(1), h, controller=law, method="implicit")
    np.testing.assert_allclose(found[1][0], v + h * a, rtol=1e-9, atol=1e-9 * np.abs(a).max())
    acted = law(0.0, q, v) + slopes[0] @ (h * (v + h * a)) + slopes[1] @ (h * a)
    np.testing.assert_allclose(found[2][0], acted, rtol=1e-9, atol=1e-9 * np.abs(acted).max())


@pytest.mark.parametrize("stabilisation", [None, np.array([20.0, 1.0])], ids=["free", "stabilised"])
def test_an_implicit_step_of_a_closed_chain(stabilisation, rng):
    """The same with v̇ = F(q, v, τ), and the exact derivatives of F without stabilisation."""
    model, h = kt.load("four_bar").model, 0.01
    q = kt.load("four_bar").assemble()
    v, T_q, T_v = algorithms.velocity_map(model, q) @ [2.0], *rng.normal(size=(2, 3, 3)) * 30.0
    tau = rng.normal(size=3)

    def law(t, x, u):
        return tau + T_q @ (x - q) + T_v @ (u - v)

    def F(model, q, v, tau):
        return algorithms.forward_dynamics(model, q, v, tau)

    there, ahead = q + h * v, tau + h * T_q @ v
    dq, dv, dtau = kt.jacobian(F, wrt=("q", "v", "tau"))(model, there, v, ahead)
    W = np.eye(3) - h * (dv + dtau @ T_v) - h * h * (dq + dtau @ T_q)
    a = np.linalg.solve(W, algorithms.forward_dynamics(model, there, v, ahead, stabilisation=stabilisation))
    given = {"controller": law, "method": "implicit", "external": {"stabilisation": stabilisation}, "project": False}
    found = controlled_rollout(model, q, v, np.zeros(1), h, **given)
    np.testing.assert_allclose(found[1][0], v + h * a, rtol=1e-9, atol=1e-9)


def test_a_variational_step_is_refused_where_no_mass_moves():
    """By the joint's name, with methods that take it: of closed robots all others, of trees with springs "implicit"."""
    four_bar = kt.load("four_bar").model
    bodies = [replace(body, J=np.zeros((6, 6))) if body.name == "rocker" else body for body in four_bar.bodies]
    closed = kt.Robot(replace(four_bar, bodies=tuple(bodies)))
    q, z = closed.assemble(), np.zeros(3)
    for call in (closed.step, closed.linearise_step, lambda *x, **how: closed.simulate(q, z, 0.1, *x[3:], **how)):
        with pytest.raises(kt.InputError, match=r"joint 'rocker' moves no mass.*closed robots.*'rkmk4'"):
            call(q, z, z, 0.01, method="variational")
    for method in METHODS.keys() - {"variational"}:
        assert np.isfinite(closed.step(q, z, z, 0.01, method=method)).all()
    builder = kt.Builder("massless")
    builder.joint("idle", kt.joints.Revolute([1, 0, 0]), parent="base", child="a")
    idle = kt.Robot(builder.build(check="ignore").with_joint_effects("idle", damping=1.0, stiffness=3.0))
    with pytest.raises(kt.InputError, match=r"joint 'idle' moves no mass.*'implicit'"):
        idle.step([0.1], [0.0], [0.0], 0.01, method="variational")
    assert np.isfinite(idle.step([0.1], [0.0], [0.0], 0.01, method="implicit")).all()


def test_stiff_springs_and_dampers_of_joints_come_to_rest():
    """Where springs hold the weight, stiffness · q = −g(q); with friction that is not near its slope at rest."""
    robot = kt.load("planar2r").with_joint_effects("joint1", "joint2", damping=2e3, stiffness=1e5, friction=5.0)
    free = kt.load("planar2r")
    q, v = np.array([0.5, -0.3]), np.array([1.0, 2.0])
    for _ in range(400):
        q, v = robot.step(q, v, np.zeros(2), 0.01, method="rosenbrock")
    assert np.abs(v).max() < 1e-12 and np.abs(1e5 * q + free.gravity(q)).max() < 0.1  # slow: friction still creeps
    soft = kt.load("planar2r").with_joint_effects("joint1", "joint2", damping=0.7, stiffness=30.0, friction=0.2)
    state, errors = (np.array([0.5, -0.3]), np.array([1.0, 2.0])), {}
    true = after(soft, state, np.zeros(2), 800, "rk4")
    for method in ("rosenbrock", "rkmk2"):
        errors[method] = np.abs(after(soft, state, np.zeros(2), 64, method) - true).max()
    assert errors["rosenbrock"] < errors["rkmk2"]


def test_a_rolling_ball_keeps_its_velocity_by_semi_implicit_steps():
    """In axes that do not turn: in those of the body, its velocity would grow by (h ω)²/2 of itself in each step."""
    builder = kt.Builder("ball")
    builder.link("ball", kt.lie.inertia.from_mass_com(1.0, np.zeros(3), 0.004 * np.eye(3)))
    builder.joint("free", kt.joints.Free(), parent="base", child="ball")
    robot = kt.Robot(replace(builder.build(), gravity=np.zeros(3)))
    spin, along = np.array([0.0, 40.0, 0.0]), np.array([4.0, 0.0, 0.0])
    q, v = robot.rollout(
        robot.neutral(), np.concatenate([spin, along]), np.zeros((1000, 6)), 1e-3, method="semi-implicit"
    )
    np.testing.assert_allclose(q[-1, :3], along, rtol=0, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(v[-1, 3:]), 4.0, rtol=1e-13)
    x, nu = robot.neutral(), robot.mass_root_transposed_product(robot.neutral(), np.concatenate([spin, along]))
    for _ in range(10):
        x, nu = robot.diagonal_step(x, nu, np.zeros(6), 1e-3)
    np.testing.assert_allclose(robot.mass_root_transposed_solve(x, nu), v[9], rtol=0, atol=1e-12)
