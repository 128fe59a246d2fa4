"""Optimal control: Riccati's solution where it is known, vanishing gradients elsewhere, and what cannot be solved."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.arrays import scan
from kinetrace.engine.runtime import compiler
from kinetrace.motion import EffortCost, OptimalControl, StateCost, TipCost
from kinetrace.motion.shooting import sweeps

STEPS, DT = 20, 0.05
RUNNING, FINAL = EffortCost(0.1), StateCost(10.0, 1.0)


def total(running, final, dt=DT, **how):
    """The cost of a motion from its forces, by a loop of its own."""

    def of(model, q, v, tau, goal):
        def one(carry, tau):
            q, v, cost = carry
            cost = cost + dt * running(model, q, v, tau, goal)
            return (*kt.algorithms.step(model, q, v, tau, dt, **how), cost), None

        (q, v, cost), _ = scan(one, (q, v, 0.0 * goal[0]), tau)
        return cost + final(model, q, v, goal)

    return of


def effort(weight):
    return lambda model, q, v, tau, goal: 0.5 * weight * (tau @ tau)


def goal_state(position, velocity):
    def cost(model, q, v, goal):
        away = model.difference(goal, q)
        return 0.5 * position * (away @ away) + 0.5 * velocity * (v @ v)

    return cost


def gradient_of(robot, *costs, **how):
    """The derivative (steps, nv) of the whole cost by all forces, and the cost."""
    shapes = {"tau": ("t", robot.nv), "goal": (robot.nq,)}
    function = total(*costs, **how)
    return robot.kernel(kt.jacobian(function, wrt="tau"), shapes=shapes), robot.kernel(function, shapes=shapes)


@pytest.fixture(scope="module")
def arm():
    return kt.load("planar2r")


@pytest.fixture(scope="module")
def control(arm):
    return OptimalControl(arm, RUNNING, FINAL, STEPS, DT)


@pytest.fixture(scope="module")
def newton(arm):
    return OptimalControl(arm, RUNNING, FINAL, STEPS, DT, second_order=True)


@pytest.fixture(scope="module")
def derivative(arm):
    return gradient_of(arm, effort(0.1), goal_state(10.0, 1.0))


def test_a_linear_robot_takes_one_step_and_has_the_gains_of_riccati():
    b = kt.Builder("cart", gravity=[0, 0, 0])
    for k, axis in enumerate(np.eye(3)[:2]):
        parent, name = ("world", "a") if k == 0 else ("a", "b")
        b.joint(f"slide{k}", kt.joints.Prismatic(axis), parent=parent, child=name)
        b.link(name, kt.lie.inertia.from_parameters([1.0 + k, 0, 0, 0, 1, 0, 0, 1, 0, 1]))
    cart = kt.Robot(b.build(check="ignore"))
    M, Q, R, F = cart.mass_matrix(np.zeros(2)), np.diag([3.0, 3, 1, 1]), 0.2 * np.eye(2), np.diag([9.0, 9, 4, 4])
    found = OptimalControl(cart, [StateCost(3.0, 1.0), EffortCost(0.2)], StateCost(9.0, 4.0), 30, 0.1).solve(
        [1.0, -0.5], [0.2, 0.3], parameters={"goal": [0.0, 0.0]}
    )
    h, inverse = 0.1, np.linalg.inv(M)
    A = np.block([[np.eye(2), h * np.eye(2)], [np.zeros((2, 2)), np.eye(2)]])
    B, P = np.vstack([h * h * inverse, h * inverse]), F
    for k in reversed(range(30)):
        K = np.linalg.solve(h * R + B.T @ P @ B, B.T @ P @ A)
        P = h * Q + A.T @ P @ A - A.T @ P @ B @ K
        np.testing.assert_allclose(found.K[k], K, atol=1e-11)
    x = np.array([1.0, -0.5, 0.2, 0.3])
    assert found.success and found.iterations == 1
    assert found.cost == pytest.approx(0.5 * x @ P @ x, rel=1e-12)


def test_the_gradient_of_the_whole_cost_vanishes_at_a_solution(arm, newton, derivative):
    q, goal = arm.random(10, seed=0), 0.5 * arm.random(10, seed=1)
    found = newton.solve(q, np.zeros(2), arm.gravity(q)[:, None], parameters={"goal": goal}, tolerance=1e-14)
    by_tau, cost = derivative
    assert found.success.all() and (found.gap == 0).all()
    assert np.abs(by_tau(q, np.zeros(2), found.tau, goal)).max() < 1e-6
    np.testing.assert_allclose(found.cost, cost(q, np.zeros(2), found.tau, goal), rtol=1e-12)
    after = arm.rollout(q, np.zeros(2), found.tau, DT, method="semi-implicit")
    np.testing.assert_allclose(found.q[:, 1:], after[0], atol=1e-10)


def test_a_batch_has_the_solutions_of_its_problems(arm, control):
    q, goal = arm.random((2, 3), seed=2), 0.3 * arm.random((2, 3), seed=3)
    found = control.solve(q, np.zeros(2), parameters={"goal": goal}, iterations=8)
    assert found.q.shape == (2, 3, STEPS + 1, 2) and found.status.shape == (2, 3)
    for at in np.ndindex(2, 3):
        alone = control.solve(q[at], np.zeros(2), parameters={"goal": goal[at]}, iterations=8)
        assert alone.iterations == found.iterations[at] and alone.status == found.status[at]
        for name in ("q", "tau", "K", "cost"):
            np.testing.assert_allclose(getattr(alone, name), getattr(found, name)[at], rtol=1e-9, atol=1e-9)


def test_second_derivatives_of_the_dynamics_make_convergence_quadratic(arm, control, newton):
    start = {"parameters": {"goal": [0.5, 0.5]}, "tolerance": 1e-14}
    first = control.solve([0.0, 0.0], [0.0, 0.0], **start)
    full = newton.solve([0.0, 0.0], [0.0, 0.0], **start)
    assert full.success and full.iterations < first.iterations / 2
    assert full.cost == pytest.approx(first.cost, rel=1e-9)

    def errors(of, steps):
        least = float(full.cost)
        return [float(of.solve([0.0, 0.0], [0.0, 0.0], iterations=k, **start).cost) - least for k in steps]

    n = int(full.iterations)
    e = errors(newton, range(n - 3, n))
    assert e[0] > 1e-4 and e[1] < 30 * e[0] ** 2 and e[2] < 30 * e[1] ** 2
    e = errors(control, range(n, n + 4))
    assert all(later > 0.05 * before for before, later in pairwise(e))


def test_steps_in_accelerations_are_those_in_forces(arm, newton, monkeypatch):
    monkeypatch.setattr(sweeps, "has_acceleration_form", lambda model: False)
    other = OptimalControl(arm, RUNNING, FINAL, STEPS, DT, second_order=True)
    q, goal = arm.random(4, seed=6), 0.3 * arm.random(4, seed=7)
    m = newton.solve(q, np.zeros(2), parameters={"goal": goal}, iterations=3)
    gap, times, infinite = np.zeros((STEPS, 4)), DT * np.arange(STEPS), np.full(2, np.inf)
    for mu, bend in ((0.0, 0.0), (0.1, 0.0), (10.0, 1.0)):
        rows = m.q[:, :-1], m.v[:, :-1], m.tau, gap, times, m.q[:, -1], m.v[:, -1]
        pair = [x._kernel("backward")(*rows, 1.0, mu, bend, -infinite, infinite, goal)[:6] for x in (newton, other)]
        for mine, wanted in zip(*pair, strict=True):  # k, K, slope, gradient, solved, largest ∂V
            np.testing.assert_allclose(mine, wanted, rtol=1e-9, atol=1e-9 * np.abs(wanted).max())


def _solved_robots():
    """Robots whose steps solve for friction or stops: a joint that slides beside one that sticks, two that stick, and
    two that are stopped."""
    arm = kt.load("planar2r")
    dry = arm.with_joint_effects("joint1", friction=1.0, friction_law="dry")
    slides = dry.with_joint_effects("joint2", friction=25.0, friction_law="dry")
    within = replace(arm.model, bodies=tuple(replace(x, limits=kt.Limits(-0.4, 0.4)) for x in arm.model.bodies))
    stopped = kt.Robot(within).with_joint_effects(stop_law="hard", restitution=0.3)
    return {"slides": slides, "sticks": slides.with_joint_effects("joint1", friction=60.0), "stopped": stopped}


@pytest.mark.parametrize("limited", [False, True])
@pytest.mark.parametrize("robot", _solved_robots().values(), ids=_solved_robots())
def test_policies_descend_where_steps_solve_for_friction_and_stops(robot, limited):
    """Under a strong regularisation the policy is −1/μ times the gradient of the whole cost."""
    q, v, goal, mu = [0.2, 0.1], [0.5, 0.0], [0.5, -0.5], 1e8
    most = np.full(2, 50.0 if limited else np.inf)
    control = OptimalControl(robot, RUNNING, FINAL, STEPS, DT, effort=50.0 if limited else False, second_order=True)
    tau = np.random.default_rng(4).normal(size=(STEPS, 2)) + robot.gravity(q)
    m = control.solve(q, v, tau, parameters={"goal": goal}, iterations=0)
    np.testing.assert_allclose(m.q[1:], robot.rollout(q, v, tau, DT, method="semi-implicit")[0], atol=1e-12)
    rows = m.q[:-1], m.v[:-1], m.tau, np.zeros((STEPS, 4)), DT * np.arange(STEPS), m.q[-1], m.v[-1]
    by_tau = gradient_of(robot, effort(0.1), goal_state(10.0, 1.0))[0](q, v, tau, goal)
    for bend in (0.0, 1.0):
        k = control._kernel("backward")(*rows, 1.0, mu, bend, -most, most, goal)[0]
        np.testing.assert_allclose(-mu * k, by_tau, atol=1e-6)


def test_limits_hold_and_the_gradient_points_out_of_them(arm, derivative):
    lower, upper = np.array([-12.0, -3.0]), np.array([20.0, 3.0])
    control = OptimalControl(arm, RUNNING, FINAL, STEPS, DT, effort=(lower, upper), second_order=True)
    q, goal = arm.random(10, seed=4), 0.5 * arm.random(10, seed=5)
    found = control.solve(q, np.zeros(2), arm.gravity(q)[:, None], parameters={"goal": goal}, tolerance=1e-13)
    assert found.success.sum() >= 9
    assert (found.tau >= lower).all() and (found.tau <= upper).all()
    slope = derivative[0](q, np.zeros(2), found.tau, goal)[found.success]
    tau = found.tau[found.success]
    at_lower, at_upper = tau == lower, tau == upper
    assert at_lower.any() and at_upper.any() and (~(at_lower | at_upper)).any()
    assert np.abs(slope[~(at_lower | at_upper)]).max() < 1e-6
    assert slope[at_lower].min() > -1e-6 and slope[at_upper].max() < 1e-6
    assert (found.K[found.success][at_lower | at_upper] == 0).all()


def test_a_guess_of_states_need_not_obey_the_dynamics(arm, newton):
    start, goal = [-np.pi / 2, 0.0], np.array([0.5, 0.5])
    guess = np.linspace(start, goal, STEPS + 1), np.zeros((STEPS + 1, 2))
    given = {"parameters": {"goal": goal}, "tolerance": 1e-13}
    before = newton.solve(start, [0.0, 0.0], states=guess, iterations=0, **given)
    found = newton.solve(start, [0.0, 0.0], states=guess, **given)
    assert before.gap > 0.1 and before.status == "iterations"
    assert found.success and found.gap == 0.0 and found.gradient < 1e-6
    later = newton.solve(found.q[1], found.v[1], **given, **found.shifted())
    assert later.success and later.iterations < found.iterations


def test_what_diverges_is_named_and_harms_no_other_problem(arm, control):
    v = np.array([[0.0, 0.0], [1e160, 1e160], [0.5, 0.0]])
    given = {"parameters": {"goal": [0.5, 0.5]}, "iterations": 200}
    found = control.solve([0.0, 0.0], v, **given)
    assert found.status.tolist() == ["converged", "diverged", "converged"]
    assert repr(found) == "OptimalControlSolution(batch (3,): 2 converged, 1 diverged)"
    assert "1: The first motion is not finite" in found.message
    alone = control.solve([0.0, 0.0], v[[0, 2]], **given)
    np.testing.assert_allclose(found.cost[[0, 2]], alone.cost, rtol=1e-12)
    short = control.solve([0.0, 0.0], [0.0, 0.0], parameters={"goal": [0.5, 0.5]}, iterations=2)
    assert not short.success and short.status == "iterations" and short.iterations == 2


def test_an_arm_with_one_motor_swings_up(arm):
    pendubot = arm.with_motors("joint1")
    control = OptimalControl(
        pendubot, [StateCost(0.5, 0.05), EffortCost(0.005)], StateCost(300.0, 30.0), 60, 0.04, effort=40.0
    )
    found = control.solve([-np.pi / 2, 0.0], [0.0, 0.0], parameters={"goal": [np.pi / 2, 0.0]}, iterations=300)
    assert found.success, found
    assert (found.tau[:, 1] == 0).all() and np.abs(found.tau).max() <= 40
    assert np.abs(found.q[-1] - [np.pi / 2, 0.0]).max() < 0.05
    assert (found.K[:, 1] == 0).all()


def test_parameters_of_robots_and_costs_differ_between_problems(arm):
    def running(model, q, v, tau, t, weight):
        return 0.5 * weight * (1.0 + t) * (tau @ tau)  # a number: exact derivatives

    control = OptimalControl(arm, running, FINAL, STEPS, DT, inputs="inertial", shapes={"weight": ()})
    inertial = np.array([1.0, 1.5])[:, None, None] * arm.parameters("inertial")
    given = {"goal": [0.5, 0.5], "weight": [0.1, 0.2]}
    found = control.solve([0.0, 0.0], [0.0, 0.0], parameters={"inertial": inertial, **given}, iterations=200)
    assert found.success.all()
    heavy = arm.with_parameters(inertial=inertial[1])
    costs = (lambda model, q, v, tau, t: running(model, q, v, tau, t, 0.2)), FINAL
    alone = OptimalControl(heavy, *costs, STEPS, DT).solve(
        [0.0, 0.0], [0.0, 0.0], parameters={"goal": [0.5, 0.5]}, iterations=200
    )
    assert found.cost[1] == pytest.approx(float(alone.cost), rel=1e-8)
    with pytest.raises(kt.InputError, match="'inertial' is missing"):
        control.solve([0.0, 0.0], [0.0, 0.0], parameters=given)


def test_a_floating_robot_turns_by_its_own_joints():
    b = kt.Builder("satellite", gravity=[0, 0, 0])
    b.joint("base", kt.joints.Free(), parent="world", child="body")
    b.joint("wheel", kt.joints.Revolute([0, 1, 0]), parent="body", child="rotor")
    b.link("body", kt.lie.inertia.from_parameters([2.0, 0, 0, 0, 0.2, 0, 0, 0.3, 0, 0.4]))
    b.link("rotor", kt.lie.inertia.from_parameters([1.0, 0.2, 0, 0.1, 0.1, 0, 0, 0.2, 0, 0.2]))
    robot = kt.Robot(b.build(check="ignore"))
    control = OptimalControl(robot, EffortCost(0.1), StateCost(5.0, 1.0), 12, 0.1)
    q = robot.neutral()
    goal = robot.integrate(q, np.array([0.0, 0.3, 0.0, 0.1, 0.0, 0.0, 1.0]))
    given = {"parameters": {"goal": goal}, "tolerance": 1e-15, "iterations": 300}
    found = control.solve(q, np.zeros(7), **given)
    assert found.success and (found.tau[:, :6] == 0).all()
    by_tau, cost = gradient_of(robot, effort(0.1), goal_state(5.0, 1.0), dt=0.1)
    assert np.abs(by_tau(q, np.zeros(7), found.tau, goal)[:, 6:]).max() < 1e-7
    assert found.cost == pytest.approx(float(cost(q, np.zeros(7), found.tau, goal)), rel=1e-12)
    at_rest = cost(q, np.zeros(7), np.zeros((12, 7)), goal)
    assert found.cost < 0.9 * at_rest
    guess = np.repeat(q[None], 13, axis=0), np.zeros((13, 7))
    guess[1][:, :3] = 0.4  # which turns quaternions that do not turn
    again = control.solve(q, np.zeros(7), states=guess, **given)
    assert again.success and again.cost == pytest.approx(float(found.cost), rel=1e-9)


def test_newton_steps_on_rotations():
    b = kt.Builder("ball")
    b.joint("ball", kt.joints.Spherical(), parent="world", child="body")
    b.link("body", kt.lie.inertia.from_parameters([1.0, 0.3, 0, 0, 0.1, 0, 0, 0.3, 0, 0.4]))
    robot = kt.Robot(b.build(check="ignore"))
    control = OptimalControl(robot, EffortCost(0.1), StateCost(50.0, 5.0), 12, 0.1, second_order=True)
    q, goal = robot.random(6, seed=1), robot.random(6, seed=2)
    found = control.solve(q, np.zeros(3), robot.gravity(q)[:, None], parameters={"goal": goal}, tolerance=1e-14)
    by_tau, _ = gradient_of(robot, effort(0.1), goal_state(50.0, 5.0), dt=0.1)
    assert found.success.all() and found.iterations.max() < 60
    assert np.abs(by_tau(q, np.zeros(3), found.tau, goal)).max() < 1e-6


def test_a_closed_chain_is_driven_by_its_motors():
    robot = kt.load("four_bar")
    q = robot.assemble()
    goal = robot.simulate(q, robot.velocity_map(q) @ [1.0], t=0.4, dt=0.01).q[-1]
    how = {"stabilisation": np.array([10.0, 1.0])}
    control = OptimalControl(robot, EffortCost(0.01), StateCost(20.0, 1.0), 40, 0.01, stabilisation=(10.0, 1.0))
    found = control.solve(q, np.zeros(robot.nv), parameters={"goal": goal}, iterations=200, tolerance=1e-13)
    assert found.success, found
    assert np.abs(robot.closure_residual(found.q)).max() < 0.02  # of explicit steps of 10 ms
    assert np.abs(robot.difference(goal, found.q[-1])).max() < 0.1
    by_tau, _ = gradient_of(robot, effort(0.01), goal_state(20.0, 1.0), dt=0.01, **how)
    driven = list(robot.model.driven)
    assert np.abs(by_tau(q, np.zeros(robot.nv), found.tau, goal)[:, driven]).max() < 1e-5


def test_the_panda_reaches_poses():
    robot = kt.load("panda")
    tip = TipCost("panda_hand", position=1e4, rotation=1e3)
    rest = OptimalControl(
        robot,
        [EffortCost(1e-3), lambda model, q, v, tau: 0.1 * v],
        [tip, lambda model, q, v: 10.0 * v],
        20,
        0.05,
        effort=True,
    )
    home = np.array([0.0, -0.5, 0.0, -2.0, 0.0, 1.5, 0.8])
    target = robot.pose(home + 0.2 * np.random.default_rng(0).normal(size=(8, 7)), "panda_hand")
    found = rest.solve(home, np.zeros(7), robot.gravity(home)[None], parameters={"target": target}, iterations=200)
    assert found.success.all()
    reached = robot.pose(found.q[:, -1], "panda_hand")
    assert np.abs(reached - target).max() < 5e-3
    assert (np.abs(found.tau) <= robot.limits.effort).all()


def test_any_integrator(arm):
    control = OptimalControl(arm, RUNNING, FINAL, 10, 0.1, method="rk4")
    found = control.solve([0.0, 0.0], [0.0, 0.0], parameters={"goal": [0.5, 0.5]}, iterations=200, tolerance=1e-12)
    by_tau, _ = gradient_of(arm, effort(0.1), goal_state(10.0, 1.0), dt=0.1, method="rk4")
    assert found.success
    assert np.abs(by_tau(np.zeros(2), np.zeros(2), found.tau, np.array([0.5, 0.5]))).max() < 1e-5


def test_forces_that_cost_nothing_are_no_reason_to_give_up(arm):
    tip = TipCost("tip", position=(0.0, 0.0, 1.0))
    control = OptimalControl(arm, lambda model, q, v, tau: 0.0 * tau, tip, 10, 0.05)  # one number to reach, 20 forces
    start = np.array([0.3, 0.6])
    found = control.solve(start, np.zeros(2), arm.gravity(start)[None], parameters={"target": [0.0, 0.0, 1.3]})
    assert found.success and abs(arm.pose(found.q[-1], "tip")[2, 3] - 1.3) < 1e-4


def test_a_linear_cost_of_nothing_but_the_end_is_finished(arm):
    """No second derivative by forces gives the regularisation a scale; forces go to their limits."""
    control = OptimalControl(arm, EffortCost(0.0), lambda model, q, v: q[0], 5, 0.1, effort=5.0)
    found = control.solve([0.0, 0.0], [0.0, 0.0], iterations=60)
    assert found.status in ("converged", "iterations") and np.abs(found.tau).max() <= 5.0
    np.testing.assert_allclose(found.tau[:, 0], -5.0, atol=1e-2)


def test_a_solution_is_a_motion_that_others_take(arm, control):
    goal = {"goal": [0.5, 0.5]}
    found = control.solve(np.zeros((2, 2)), np.zeros((2, 2)), parameters=goal, time=1.0)
    motion = found.trajectory()
    assert motion.t[0] == 1.0 and motion.q.shape == found.q.shape
    np.testing.assert_array_equal(motion.tau[:, :-1], found.tau)
    again = found.replayed(method=control.method, substeps=1)
    np.testing.assert_allclose(again.q, found.q, atol=1e-9)
    coarse = np.abs(found.replayed(substeps=4).q - found.q).max()
    assert coarse > 1e-4 and np.abs(found.replayed(substeps=8).q - found.replayed(substeps=4).q).max() < 1e-3 * coarse
    one = control.solve([0.0, 0.0], [0.0, 0.0], parameters=goal)
    tracker = kt.motion.tvlqr(arm, one)
    np.testing.assert_array_equal(tracker.q, one.q)
    assert kt.motion.time_scaling(arm, one, effort=60.0, grid=50).duration > 0
    none = control.solve(np.zeros((0, 2)), np.zeros((0, 2)), parameters=goal)
    assert none.q.shape == (0, *one.q.shape) and none.success.shape == (0,)


def test_after_a_warm_up_nothing_is_compiled(arm, monkeypatch):
    control = OptimalControl(arm, RUNNING, FINAL, 6, 0.05)
    control.warm_up()
    monkeypatch.setattr(type(arm), "kernel", lambda *given, **named: pytest.fail("a kernel is made"))
    monkeypatch.setattr(compiler, "get", lambda *given: pytest.fail("code is compiled"))
    found = control.solve([0.0, 0.0], [0.0, 0.0], parameters={"goal": [0.5, 0.5]}, iterations=2)
    control.solve([0.1, 0.0], [0.0, 0.0], parameters={"goal": [0.5, 0.5]}, iterations=1, **found.shifted())


def test_wrong_arguments_are_named(arm, control):
    def of_tau(model, q, tau):
        return tau

    cases = [
        (lambda: OptimalControl(arm, of_tau, FINAL, 5, 0.1), r"function of \(model, q, v, tau, ...\)"),
        (lambda: OptimalControl(arm, RUNNING, RUNNING, 5, 0.1), "of joint forces, which there are none of"),
        (lambda: OptimalControl(arm, lambda model, q, v, tau, w: w, FINAL, 5, 0.1), "'w'"),
        (lambda: OptimalControl(arm, RUNNING, FINAL, 0, 0.1), "steps must be a whole number, at least 1"),
        (lambda: OptimalControl(arm, RUNNING, FINAL, 5, 0.1, effort=(1, -1)), "lower limits must not exceed"),
        (lambda: OptimalControl(arm, RUNNING, FINAL, 5, 0.1, method="rk5"), "unknown method 'rk5'"),
        (
            lambda: OptimalControl(_solved_robots()["sticks"], RUNNING, FINAL, 5, 0.1, method="rk4"),
            "'rk4' cannot step with",
        ),
        (lambda: OptimalControl(arm.with_motors(), RUNNING, FINAL, 5, 0.1), "no joint of 'planar2r' has a motor"),
        (lambda: OptimalControl(arm, TipCost("tipp"), FINAL, 5, 0.1), "unknown frame 'tipp'"),
        (lambda: OptimalControl("planar2r", RUNNING, FINAL, 5, 0.1), "robot must be a kinetrace.Robot"),
        (lambda: StateCost(-1.0), "position must be a number or one for each direction"),
        (lambda: control.solve([0, 0], [0, 0]), "'goal' is missing"),
        (lambda: control.solve([0, 0], [0, 0], parameters={"gaol": [0, 0]}), "did you mean 'goal'"),
        (lambda: control.solve([0, 0], [0, 0], parameters={"goal": [0, 0, 0]}), r"shape \(..., 2\), got shape \(3,\)"),
        (lambda: control.solve([0, 0], [0, 0], parameters={"goal": [0, np.inf]}), r"entry \[1\] is inf"),
        (lambda: control.solve([0, np.nan], [0, 0], parameters={"goal": [0, 0]}), "q must be finite"),
        (lambda: control.solve([0, 0], [0, 0], np.zeros((3, 2)), parameters={"goal": [0, 0]}), "must have 20 rows"),
    ]
    for call, message in cases:
        with pytest.raises(kt.InputError, match=message):
            call()


def test_a_robot_in_single_precision_is_solved_in_double(arm, control):
    goal = {"goal": [0.5, 0.5]}
    single = OptimalControl(kt.load("planar2r", dtype="float32"), RUNNING, FINAL, 20, 0.05)
    np.testing.assert_array_equal(
        single.solve([0, 0], [0, 0], parameters=goal).q, control.solve([0, 0], [0, 0], parameters=goal).q
    )


def test_loops_stay_closed_within_the_horizon():
    robot = kt.load("four_bar").with_joint_effects(stiffness=5.0)
    control = OptimalControl(robot, EffortCost(0.1), StateCost(50.0, 5.0), 20, 0.02)
    q = robot.assemble()
    goal = robot.project(q + 0.3 * robot.velocity_map(q)[:, 0])
    found = control.solve(q, np.zeros(3), parameters={"goal": goal}, iterations=100)
    assert found.success
    assert np.abs(robot.closure_residual(found.q)).max() < 1e-10
    assert np.abs(robot.closure_velocity(found.q, found.v)).max() < 1e-9
