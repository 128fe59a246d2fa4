"""LQR and time-varying LQR: closed forms, the cost that they promise, manifolds, closures, and what they refuse."""

import pickle

import numpy as np
import pytest
import scipy.linalg
from scipy.special import bdtr

import kinetrace as kt
from kinetrace.motion.feedback.linear import exponential


def sliding(mass=1.0):
    b = kt.Builder("sliding")
    b.link("block", inertia=kt.lie.inertia.from_mass_com(mass, np.zeros(3), 0.01 * np.eye(3)))
    b.joint("slide", kt.joints.Prismatic([1, 0, 0]), parent="base", child="block")
    return kt.Robot(b.build())


@pytest.fixture(scope="module")
def acrobot():
    return kt.load("planar2r").with_motors("joint2")


@pytest.fixture(scope="module")
def ball():
    """A ball joint and a hinge, under gravity."""
    b = kt.Builder("ball")
    J = kt.lie.inertia.from_mass_com(1.0, [0.1, 0.0, 0.4], np.diag([0.03, 0.04, 0.02]))
    b.link("upper", inertia=J)
    b.link("lower", inertia=J)
    b.joint("shoulder", kt.joints.Spherical(), parent="base", child="upper")
    b.joint(
        "elbow",
        kt.joints.Revolute([0, 1, 0]),
        parent="upper",
        child="lower",
        placement=kt.lie.se3.pose(np.eye(3), [0, 0, 0.8]),
    )
    return kt.Robot(b.build())


UP = np.array([np.pi / 2, 0.0])


def test_a_double_integrator_has_its_closed_form():
    found = kt.motion.lqr(sliding(), [0.3])
    root = np.sqrt(3.0)
    np.testing.assert_allclose(found.K, [[1.0, root]], atol=1e-12)
    np.testing.assert_allclose(found.P, [[root, 1.0], [1.0, root]], atol=1e-12)


def test_gain_solves_riccati_for_the_motors_alone(acrobot):
    Q, R = np.diag([10.0, 10.0, 1.0, 1.0]), np.array([[0.1]])
    found = kt.motion.lqr(acrobot, UP, Q=Q, R=R)
    A, B = acrobot.linearise(UP, np.zeros(2), np.zeros(2))
    B, P = B[:, 1:], found.P
    np.testing.assert_allclose(
        A.T @ P + P @ A - P @ B @ np.linalg.solve(R, B.T @ P) + Q, 0, atol=1e-8 * np.abs(P).max()
    )
    np.testing.assert_allclose(found.K, np.vstack([np.zeros(4), np.linalg.solve(R, B.T @ P)]), rtol=1e-9)
    assert found.eigenvalues.real.max() < -2.0 < np.linalg.eigvals(A).real.max()


def test_a_held_force_has_the_sampled_cost(acrobot):
    """P of the sampled system is the cost of its own feedback, integrated by small steps of the linear system."""
    dt, Q, R = 0.02, np.diag([10.0, 10.0, 1.0, 1.0]), 0.1
    found = kt.motion.lqr(acrobot, UP, Q=Q, R=R, dt=dt)
    A, B = acrobot.linearise(UP, np.zeros(2), np.zeros(2))
    fine, cost, x = 100, 0.0, np.array([0.01, -0.02, 0.03, 0.0])
    step = scipy.linalg.expm(np.block([[A, B[:, 1:]], [np.zeros((1, 5))]]) * dt / fine)
    promised = x @ found.P @ x
    for _ in range(150):
        u = -found.K[1] @ x
        for _ in range(fine):
            ahead = step @ np.append(x, u)
            cost += dt / fine * ((x @ Q @ x + ahead[:4] @ Q @ ahead[:4]) / 2 + R * u * u)
            x = ahead[:4]
    assert abs(cost / promised - 1) < 5e-5  # the trapezoidal rule
    assert abs(found.P - kt.motion.lqr(acrobot, UP, Q=Q, R=R).P).max() < 0.01 * found.P.max()


def test_the_cost_to_go_is_the_cost_of_the_motion_on_a_manifold(ball):
    """Of the nonlinear robot, with errors by ⊖, and with gravity that the motors hold."""
    q = ball.integrate(ball.neutral(), [0.4, -0.3, 0.8, 0.5])
    found = kt.motion.lqr(ball, q, effort=np.inf)
    np.testing.assert_allclose(found.tau, ball.gravity(q), atol=1e-9)
    x = 1e-4 * np.array([1.0, -2.0, 1.5, 0.5, 0.3, -1.0, 0.7, 2.0])
    motion = ball.simulate(ball.integrate(q, x[:4]), x[4:], t=14.0, dt=2e-3, controller=found, compiled=True)
    errors, forces = found.error(0.0, motion.q, motion.v), motion.tau - found.tau
    cost = np.trapezoid((errors**2).sum(-1), motion.t) + (forces[:-1] ** 2).sum() * motion.dt
    assert abs(cost / (x @ found.P @ x) - 1) < 2e-3  # forces are held for 2 ms
    np.testing.assert_allclose(found(0.0, motion.q[5], motion.v[5]), motion.tau[5], atol=1e-12)


def test_exponentials_of_a_batch_are_those_of_each():
    X = np.random.default_rng(0).normal(size=(4, 6, 6)) * np.array([1e-3, 0.1, 1.0, 3.0])[:, None, None]
    exact = scipy.linalg.expm(X)
    assert (np.abs(exponential(X) - exact).max((1, 2)) < 1e-12 * np.abs(exact).max((1, 2))).all()


def test_a_batch_of_operating_points_is_each_of_them():
    robot = kt.load("planar2r")
    q = robot.random((2, 3), seed=0)
    many = kt.motion.lqr(robot, q, dt=0.01)
    one = kt.motion.lqr(robot, q[1, 2], dt=0.01)
    np.testing.assert_allclose(many.lane(1, 2).K, one.K, rtol=1e-9)
    states, v = robot.integrate(q, np.full(2, 0.1)), np.ones((2, 3, 2))
    np.testing.assert_allclose(many(0.0, states, v)[1, 2], one(0.0, states[1, 2], v[1, 2]), rtol=1e-9)


def test_closed_chains_are_regulated_in_the_coordinates_that_are_left():
    robot = kt.load("four_bar")
    found = kt.motion.lqr(robot, robot.assemble(), dt=0.05)
    assert found.names == ("crank", "rate of crank") and found.K.shape == (robot.nv, 2)
    reached = found.region(rho=1.0, samples=20, t=4.0)
    assert reached.failed == 0 and np.isclose(reached.fraction, 1 - 0.05 ** (1 / 20))
    assert reached.level.max() < 1.5  # projection moves states a little


def test_region_is_between_what_saturation_proves_and_forbids():
    """A pendulum upside down: where forces never saturate it must converge, where they are too weak it cannot."""
    b = kt.Builder("pendulum")
    b.link("bob", inertia=kt.lie.inertia.from_mass_com(1.0, [0, 0, 1.0], np.zeros((3, 3))))
    b.joint("hinge", kt.joints.Revolute([0, 1, 0]), parent="base", child="bob")
    robot, most = kt.Robot(b.build()), 1.0
    found = kt.motion.lqr(robot, [0.0], effort=most)
    region = found.region(samples=200, seed=1)
    K, P, growth = found.K[0], np.linalg.inv(found.P), np.sqrt(9.81)
    never = most**2 / (K @ P @ K)
    mode = np.array([growth, 1.0])  # left eigenvector of growth: d/dt (w x) = growth (w x) + τ
    too_far = (most / growth) ** 2 / (mode @ P @ mode)
    assert 0.9 * never < region.rho < 1.05 * too_far
    assert region.tested == 200 and region.failed <= 4 and region.nearest >= 0.9 * never
    assert region.converged[region.level < 0.9 * never].all()
    few = bdtr(region.failed, region.tested, region.fraction)  # as many failures or fewer, if that many fail
    assert few == pytest.approx(1 - region.confidence)


def test_what_cannot_be_regulated_is_named(acrobot):
    floating = kt.load("planar2r", base="free").with_parameters(gravity=[0, 0, 0])
    cases = [
        (lambda: kt.motion.lqr(acrobot, [0.3, 0.2]), "no equilibrium: the motors cannot hold it.*joint1 accelerates"),
        (lambda: kt.motion.lqr(acrobot, UP, tau=[0.0, 1.0]), "tau does not hold it"),
        (lambda: kt.motion.lqr(acrobot, UP, tau=[1.0, 0.0]), "joints without motors"),
        (lambda: kt.motion.lqr(floating, floating.neutral()), "not stabilisable: no motor influences"),
        (lambda: kt.motion.lqr(sliding(), [0.0], Q=[0.0, 1.0]), "Q gives no cost to the mode.*slide"),
        (
            lambda: kt.motion.lqr(kt.load("planar2r"), [0.0, 0.0], effort=5.0),
            "needs 19.62 in joint1, more than its effort",
        ),
        (lambda: kt.motion.lqr(acrobot, UP, R=0.0), "R must be positive definite"),
        (lambda: kt.motion.lqr(acrobot, UP, Q=[1.0, 2.0]), r"Q must be a number, \(4,\)"),
        (lambda: kt.motion.lqr(acrobot, UP, ignore="joint1"), "joint1 cannot be ignored: rate of joint"),
        (lambda: kt.motion.lqr(kt.load("planar2r"), UP, [0.1, 0.0]), "no steady motion"),
        (lambda: kt.motion.tvlqr(acrobot, [0.3, 0.2], t=1.0, dt=0.1), "no equilibrium"),
        (lambda: kt.motion.tvlqr(acrobot, lambda t: (UP, UP), t=1.0, dt=0.1), r"must return q"),
    ]
    for call, told in cases:
        with pytest.raises(kt.InputError, match=told):
            call()


def test_ignored_positions_drift():
    found = kt.motion.lqr(sliding(), [0.0], ignore="slide")
    np.testing.assert_allclose(found.K, [[0.0, 1.0]], atol=1e-12)
    assert found.rates.shape == (1,)


def test_a_finite_time_becomes_an_infinite_one(acrobot):
    forever, long = kt.motion.lqr(acrobot, UP, dt=0.01), kt.motion.tvlqr(acrobot, UP, t=8.0, dt=0.01)
    np.testing.assert_allclose(long.P[0], forever.P, rtol=1e-8)
    np.testing.assert_allclose(long.K[0], forever.K, rtol=1e-8)
    np.testing.assert_allclose(long.P[-1], np.eye(4))


def test_the_cost_along_a_motion_is_the_promised_one(acrobot):
    """Of the nonlinear robot near a swing; the three ways to run the feedback agree."""
    swing = acrobot.simulate(
        [-1.5, 0.0], [0.0, 0.0], t=0.6, dt=0.01, controller=lambda t, q, v: [0.0, 3 * np.sin(9 * t)]
    )
    tracker = kt.motion.tvlqr(acrobot, swing, Q=[10.0, 10.0, 1.0, 1.0], R=0.1, effort=np.inf)
    x = 1e-5 * np.array([1.0, 2.0, -1.0, 0.5])
    start = acrobot.integrate(swing.q[0], x[:2]), swing.v[0] + x[2:]
    motion = tracker.rollout(*start)
    X = np.array([tracker.error(*row) for row in zip(motion.t, motion.q, motion.v, strict=True)])
    levels = (X**2) @ [10.0, 10.0, 1.0, 1.0]
    cost = np.trapezoid(levels, dx=0.01) + 1e-3 * ((motion.tau - swing.tau)[:-1] ** 2).sum() + levels[-1]
    assert (
        abs(cost / (x @ tracker.P[0] @ x) - 1) < 1e-3
    )  # the trapezoidal rule, and the mean of A and B in steps of 10 ms
    for in_kernel in (False, True):
        same = acrobot.simulate(*start, t=0.6, dt=0.01, controller=tracker, compiled=in_kernel)
        np.testing.assert_allclose(same.q, motion.q, atol=1e-12)
        np.testing.assert_allclose(same.tau, motion.tau, atol=1e-10)


def test_rollouts_close_loops_and_solve_for_friction_as_simulations_do():
    robot = kt.load("four_bar")
    for each, method in (
        (robot, "rkmk4"),
        (robot.with_joint_effects(friction=0.3, friction_law="dry"), "semi-implicit"),
    ):
        q = each.assemble()
        along = each.velocity_map(q)[:, 0]
        tracker = kt.motion.tvlqr(each, each.simulate(q, along, t=0.5, dt=0.01), Q=10.0, effort=False)
        start = each.project(q + 0.05 * along, [[1.1 * along], [0.8 * along]])
        motion = tracker.rollout(*start)
        same = each.simulate(*start, t=0.5, dt=0.01, controller=tracker, compiled=True)
        assert motion.method == same.method == method and motion.q.shape == (2, 1, 51, 3)
        np.testing.assert_allclose(motion.q, same.q, atol=1e-9)  # steps that solve for friction end at a tolerance
        assert np.abs(each.closure_residual(motion.q)).max() < 1e-13
        with pytest.warns(kt.SimulationWarning, match="loops are open at the beginning"):
            assert np.abs(each.closure_residual(tracker.rollout(q + 0.1, along).q)).max() < 1e-13
    with pytest.raises(kt.InputError, match="'rk4' cannot step with dry friction"):
        tracker.rollout(*start, method="rk4")


def test_references_on_manifolds_are_followed(ball):
    def turning(t):
        """About the world's axis of gravity, by the body's own velocity."""
        w = np.array([0.0, 0.0, 1.5, 0.0])
        return ball.integrate(ball.neutral(), w * t), w, np.zeros(4)

    tracker = kt.motion.tvlqr(ball, turning, t=3.0, dt=0.02, Q=50.0)
    motion = tracker.rollout(ball.integrate(ball.neutral(), [[0.3, -0.2, 0.1, 0.2], [0, 0, 0, 0]]), [0, 0, 1.5, 0])
    first, last = (np.abs(tracker.error(t, motion.q[:, k], motion.v[:, k])).max(-1) for t, k in ((0.0, 0), (3.0, -1)))
    assert first[0] > 0.29 and last[0] < 0.05 and last[1] < 1e-6


def test_a_spline_is_tracked_to_its_end():
    robot = kt.load("planar2r")
    spline = kt.motion.Spline.through(robot, [1.0, 2.0, 3.0, 4.0], [[0, 0], [0.5, 0], [0.5, 1], [0, 1]])
    found = kt.motion.tvlqr(robot, spline, dt=0.02, effort=False)
    assert (found.t[0], found.t[-1], len(found.t)) == (1.0, 4.0, 151)
    np.testing.assert_allclose(found.q, spline(found.t)[0], atol=1e-15)
    by_hand = kt.motion.tvlqr(robot, lambda t: spline(t + 1.0), t=3.0, dt=0.02, effort=False)
    np.testing.assert_allclose(found.K, by_hand.K, rtol=1e-9, atol=1e-12)
    end = found.rollout(spline(1.0)[0] + 0.1, spline(1.0)[1])
    assert np.abs(end.q[-1] - spline(4.0)[0]).max() < 0.05


def test_limits_that_differ_between_directions_are_refused():
    for effort in ((15.0, 40.0), (-1.0, 2.0), None):
        with pytest.raises(kt.InputError, match="effort"):
            kt.motion.lqr(kt.load("planar2r"), [np.pi / 2, 0.0], effort=effort)


def test_feedback_is_a_controller():
    """With the forces of the law itself, alone and in a compiled loop; in sums, with limits, as C."""
    robot, start = kt.load("planar2r"), ([np.pi / 2 + 0.3, -0.2], [0.1, 0.0])
    regulator = kt.motion.lqr(robot, [np.pi / 2, 0.0], effort=[12.0, 4.0])
    tracker = kt.motion.tvlqr(robot, [np.pi / 2, 0.0], t=0.2, dt=0.02)
    for law in (regulator, tracker):
        np.testing.assert_allclose(law.controller(0.05, *start), law(0.05, *start), atol=1e-12)
        motions = [robot.simulate(*start, t=0.2, dt=0.02, controller=x) for x in (law, law.controller)]
        np.testing.assert_allclose(motions[0].tau, motions[1].tau, atol=1e-10)
        pushed = law.controller + kt.control.Controller(robot, lambda model, t, q, v: -v, "damper")
        np.testing.assert_allclose(pushed(0.05, *start), law(0.05, *start) - start[1], atol=1e-12)
        for x in (law, law.controller):
            again = pickle.loads(pickle.dumps(x))
            np.testing.assert_allclose(again(0.05, *start), law(0.05, *start), atol=1e-12)
        for x in (law, law.controller):
            assert np.abs(kt.control.saturated(x, limits=1.0)(0.05, *start)).max() <= 1.0
    assert any(name.endswith(".c") for name in regulator.controller.source())
    softer = regulator.controller(0.0, *start, K=0.0 * regulator.K)
    np.testing.assert_allclose(softer, regulator.tau, atol=1e-12)
    near = kt.motion.lqr(robot, [np.pi / 2, 0.0]).controller
    motion = robot.simulate([np.pi / 2 + 0.01, 0.0], [0.0, 0.0], t=0.5, dt=0.02, controller=near)
    values = near.stored(motion.t, motion.q, motion.v)
    assert values[0] > 0 and (np.diff(values) < 0).all()


@pytest.fixture(scope="module")
def cart_pole():
    b, infinite = kt.Builder("cart_pole"), np.inf
    b.link("cart", inertia=kt.lie.inertia.from_mass_com(1.0, np.zeros(3), 0.01 * np.eye(3)))
    b.link("pole", inertia=kt.lie.inertia.from_mass_com(0.3, [0, 0, 0.5], np.diag([0.025, 0.025, 1e-3])))
    rail = kt.Limits(-2.0, 2.0, velocity=infinite, effort=100.0)
    b.joint("slide", kt.joints.Prismatic([1, 0, 0]), parent="base", child="cart", limits=rail)
    b.joint("hinge", kt.joints.Revolute([0, 1, 0]), parent="cart", child="pole")
    return kt.Robot(b.build()).with_motors("slide")


def test_a_swing_up_of_collocation_is_tracked_and_held_at_its_end(cart_pole):
    """Between nodes the motion needs small forces of the joint without a motor, which feedback makes up for."""
    found = kt.motion.minimum_effort(cart_pole, [0.0, np.pi], [0.0, 0.0], 2.5)
    for reference in (found, found.trajectory(0.01)):
        tracker = kt.motion.tvlqr(cart_pole, reference)
        assert not tracker.tau[:, 1].any()
        motion = cart_pole.simulate([0.05, np.pi - 0.02], [0.0, 0.0], t=8.0, dt=0.02, controller=tracker)
        assert np.abs(motion.q[-1]).max() < 0.02 and np.abs(motion.v[-1]).max() < 0.02
    compiled = cart_pole.simulate(motion.q[0], motion.v[0], t=4.0, dt=0.02, controller=tracker, compiled=True)
    np.testing.assert_allclose(compiled.q, motion.q[:201], atol=1e-6)
    bent = found.trajectory(0.01)
    bent.tau[:, 1] += 0.1
    with pytest.raises(kt.InputError, match=r"without motors, up to 0.1\d* of 1\d.*, where 0.001 of the largest"):
        kt.motion.tvlqr(cart_pole, bent)
    falls = kt.motion.tvlqr(cart_pole, cart_pole.simulate([0.0, 0.1], [0.0, 0.0], t=0.2, dt=0.01))
    assert falls.end is None


def test_limits_of_positions_are_kept_or_named(cart_pole):
    with pytest.raises(kt.InputError, match="slide is 3 beyond its limits of position, -2 to 2; position=False"):
        kt.motion.lqr(cart_pole, [5.0, 0.0])
    free = kt.motion.lqr(cart_pole, [1.8, 0.0], position=False)
    kept = kt.motion.lqr(cart_pole, [1.8, 0.0])
    np.testing.assert_array_equal(free.K, kept.K)
    rho = 0.4 * free.P[0, 0] * 0.2**2 + 1.0
    both = [x.region(rho=rho, samples=200) for x in (free, kept)]
    assert both[0].failed == 0 and both[1].failed > 20
    beyond = np.abs(1.8 + both[1].x[:, 0]) > 2.0
    assert beyond.any() and not both[1].converged[beyond].any()


def test_an_empty_batch_has_no_regulators():
    robot = kt.load("planar2r")
    assert kt.motion.lqr(robot, np.zeros((0, 2))).K.shape == (0, 2, 4)
    assert kt.motion.tvlqr(robot, np.zeros((0, 2)), t=0.2, dt=0.1).K.shape == (0, 2, 2, 4)
