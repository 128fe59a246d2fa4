"""Optimal motions: closed forms, independent collocations, the calculus of variations, exact derivatives."""

from __future__ import annotations

import signal

import mpmath
import numpy as np
import pytest

import kinetrace as kt
from kinetrace.motion.transcription.pointwise import Derivatives, Instant, selected
from kinetrace.motion.transcription.program import NonlinearProgram, ProgramTerm, SplineSpace

casadi = pytest.importorskip("casadi")

NO_LIMITS = {"position": False, "velocity": False, "effort": False}
HANGING = np.array([-np.pi / 2, 0.0])


@pytest.fixture(scope="module")
def arm():
    return kt.load("planar2r")


@pytest.fixture(scope="module")
def swing(arm):
    """From hanging to nearly level in a second."""
    return kt.motion.minimum_effort(arm, HANGING, [0.0, 0.5], 1.0, intervals=32, **NO_LIMITS)


def slider(mass=2.0):
    """A mass on a rail, without gravity."""
    b = kt.Builder("slider", gravity=[0.0, 0.0, 0.0])
    b.link("block", inertia=kt.lie.inertia.from_mass_com(mass, np.zeros(3), np.eye(3)))
    b.joint("rail", kt.joints.Prismatic([1, 0, 0]), parent="base", child="block")
    return kt.Robot(b.build())


def test_closed_forms_of_a_mass_on_a_rail():
    """The cubic has the least effort, the quintic the least jerk, and full force, then full brake is quickest."""
    robot, d, T, m, F = slider(), 0.7, 1.5, 2.0, 5.0
    effort = kt.motion.minimum_effort(robot, [0.0], [d], T, intervals=4)
    assert effort.success
    assert effort.cost == pytest.approx(6 * m**2 * d**2 / T**3, rel=1e-9)
    t = np.linspace(0, T, 11)
    assert np.allclose(effort.spline(t)[0][:, 0], d * (3 * (t / T) ** 2 - 2 * (t / T) ** 3), atol=1e-8)
    jerk = kt.motion.minimum_jerk(robot, [0.0], [d], T, intervals=4)
    assert jerk.cost == pytest.approx(360 * d**2 / T**5, rel=1e-9)
    quick = kt.motion.minimum_time(robot, [0.0], [d], effort=F, degree=2, intervals=6)
    assert quick.success
    assert quick.duration == pytest.approx(2 * np.sqrt(d * m / F), rel=1e-6)
    usual = kt.motion.minimum_time(robot, [0.0], [d], effort=F)
    assert quick.duration < usual.duration < 1.002 * quick.duration
    moving = kt.motion.minimum_effort(robot, [0.0], [d], (0.1, 5.0), v0=[0.3], v1=[-0.1], time_weight=1.0, intervals=4)
    T = moving.duration
    a = (6 * d - 4 * 0.3 * T - 2 * -0.1 * T) / T**2  # the optimum is a cubic for every duration
    b = (-6 * d + 2 * 0.3 * T + 4 * -0.1 * T) / T**2
    assert np.allclose(moving.spline([0.0, T])[2][:, 0], [a, b], atol=1e-6)
    assert np.allclose(moving.spline([0.0, T])[1][:, 0], [0.3, -0.1], atol=1e-7)


def least_effort_of_two_rods(q0, q1, T, N=100):
    """½ ∫ |τ|² dt of two uniform rods (1 m, 1 kg) by Hermite–Simpson collocation, from equations written by hand."""
    g, h = 9.81, T / N

    def rate(x, u):
        q1, q2, v1, v2 = casadi.vertsplit(x)
        c, s = casadi.cos(q2), casadi.sin(q2)
        b1 = -s / 2 * (2 * v1 * v2 + v2**2) + g * (1.5 * casadi.cos(q1) + 0.5 * casadi.cos(q1 + q2))
        b2 = s / 2 * v1**2 + g / 2 * casadi.cos(q1 + q2)
        A, B, C = 5 / 3 + c, 1 / 3 + c / 2, 1 / 3
        w1, w2 = u[0] - b1, u[1] - b2
        det = A * C - B * B
        return casadi.vertcat(v1, v2, (C * w1 - B * w2) / det, (A * w2 - B * w1) / det)

    x, u = casadi.MX.sym("x", 4), casadi.MX.sym("u", 2)
    X, U = casadi.MX.sym("X", 4, 2 * N + 1), casadi.MX.sym("U", 2, 2 * N + 1)
    F = casadi.Function("F", [x, u], [rate(x, u)]).map(2 * N + 1)(X, U)
    a, m, b = slice(0, 2 * N, 2), slice(1, 2 * N, 2), slice(2, 2 * N + 1, 2)
    defects = X[:, b] - X[:, a] - h / 6 * (F[:, a] + 4 * F[:, m] + F[:, b])
    middles = X[:, m] - (X[:, a] + X[:, b]) / 2 - h / 8 * (F[:, a] - F[:, b])
    w = np.ones(2 * N + 1)
    w[1:-1:2], w[2:-1:2] = 4, 2
    cost = h / 12 * casadi.sum2(casadi.sum1(U**2) * casadi.DM(w).T)
    ends = casadi.vertcat(X[:, 0] - casadi.DM([*q0, 0, 0]), X[:, -1] - casadi.DM([*q1, 0, 0]))
    nlp = {
        "x": casadi.vertcat(casadi.vec(X), casadi.vec(U)),
        "f": cost,
        "g": casadi.vertcat(casadi.vec(defects), casadi.vec(middles), ends),
    }
    solver = casadi.nlpsol("s", "ipopt", nlp, {"ipopt": {"print_level": 0, "sb": "yes"}, "print_time": False})
    s = np.linspace(0, 1, 2 * N + 1)[:, None]
    way = np.subtract(q1, q0)
    guess = np.hstack([q0 + way * (3 * s**2 - 2 * s**3), way * (6 * s - 6 * s**2) / T])
    found = solver(x0=np.concatenate([guess.ravel(), np.zeros(2 * (2 * N + 1))]), lbg=0, ubg=0)
    assert solver.stats()["success"]
    return float(found["f"])


def test_two_link_swings_agree_with_an_independent_collocation(arm, swing):
    assert swing.success
    assert max(swing.residual) < 1e-6
    assert swing.cost == pytest.approx(least_effort_of_two_rods(HANGING, [0.0, 0.5], 1.0), rel=1e-5)
    lift = kt.motion.minimum_effort(arm, [0.0, 0.0], [np.pi / 2, 0.0], 1.0, intervals=32, **NO_LIMITS)
    assert lift.cost == pytest.approx(least_effort_of_two_rods([0.0, 0.0], [np.pi / 2, 0.0], 1.0), rel=1e-4)


def test_optimal_swing_satisfies_the_euler_lagrange_equation(arm, swing):
    """∂L/∂a − ∫ ∂L/∂v + ∬ ∂L/∂q is linear in time (du Bois-Reymond), which no derivative of the spline enters."""

    def effort(model, q, v, a):
        tau = kt.algorithms.inverse_dynamics(model, q, v, a)
        return 0.5 * (tau @ tau)

    t = np.linspace(0, 1, 4001)
    by_q, by_v, by_a = kt.compile(kt.jacobian(effort, wrt=("q", "v", "a")), arm)(*swing.spline(t))

    def integral(x):
        steps = np.diff(t)[:, None] * (x[1:] + x[:-1]) / 2
        return np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])

    p = by_a - integral(by_v) + integral(integral(by_q))
    line = np.stack([np.ones_like(t), t], axis=1)
    left = p - line @ np.linalg.lstsq(line, p, rcond=None)[0]
    assert np.abs(left).max() < 1e-2 * np.abs(by_a).max()  # the mesh: 0.5, 0.05 and 0.004 of 11 with 16, 32, 64


def test_geodesic_is_the_one_found_by_shooting(arm):
    found = kt.motion.geodesic(arm, [0.0, 0.5], [1.0, 1.5], intervals=8)
    other = arm.geodesic_between([0.0, 0.5], [1.0, 1.5])
    assert found.cost == pytest.approx(other.length**2 / 2, rel=1e-8)
    assert np.allclose(found.spline(other.t)[0], other.q, atol=1e-5)


def ball_arm():
    """A ball joint and a hinge: ⊕ is no sum."""
    b = kt.Builder("ball_arm")
    body = kt.lie.inertia.from_mass_com(1.0, [0.1, 0.0, -0.4], np.diag([0.02, 0.03, 0.04]))
    b.link("upper", inertia=body)
    b.link("lower", inertia=body)
    b.joint("shoulder", kt.joints.Spherical(), parent="base", child="upper")
    below = kt.lie.se3.pose(np.eye(3), np.array([0.0, 0.0, -0.8]))
    b.joint("elbow", kt.joints.Revolute([0, 1, 0]), parent="upper", child="lower", placement=below)
    return kt.Robot(b.build())


def cost_of_all(model, q, v, tau, jerk, t):
    return tau @ tau + 1e-3 * (jerk @ jerk) + (q[:2] @ v[:2]) * t


@pytest.mark.parametrize("make", [lambda: kt.load("planar2r"), ball_arm], ids=["planar2r", "ball"])
def test_gradients_and_hessians_agree_with_fifty_digits(make):
    robot = make()
    nv, rng = robot.nv, np.random.default_rng(0)
    rest = {0: np.zeros(nv), 1: np.zeros(nv)}
    space = SplineSpace(1, 5, nv, [rest, {0: np.full(nv, 0.5), 2: np.zeros(nv)}])
    s, w = space.gauss(1)
    terms = [Derivatives(robot, x, True) for x in (Instant(cost_of_all, True), Instant(selected({"tau": [0]})))]
    q0 = robot.random(seed=1)
    bounds = {"lower": np.zeros(1), "upper": np.ones(1), "names": ("force",)}
    program = NonlinearProgram(
        [ProgramTerm(terms[0], space, s, w)], [ProgramTerm(terms[1], space, s, **bounds)], q0, None, 0.3
    )
    x, way = rng.normal(scale=0.2, size=program.n), rng.normal(size=program.n)
    x[-1] = 1.3
    multipliers = rng.normal(size=program.m)

    def exact(x):
        """The Lagrangian in fifty digits, in plain array code."""
        y, T = x[:-1].reshape(-1, nv), x[-1]
        total = mpmath.mpf(0.3) * T
        for term, weights in ((program.costs[0], w[:, None]), (program.constraints[0], multipliers[:, None])):
            for k, phase in enumerate(term.s):
                rates = [b[k] @ y + o[k] for b, o in zip(term._basis, term._offsets, strict=True)]
                at = np.array([mpmath.mpf(float(c)) for c in q0])
                total = total + weights[k] @ term.derivatives.instant(robot.model, at, *rates, T, phase)
        return total

    with mpmath.workdps(50):
        digits = np.array([mpmath.mpf(float(c)) for c in x])
        direction = np.array([mpmath.mpf(float(c)) for c in way])
        h = mpmath.mpf(10) ** -12
        ahead, here, back = (exact(digits + k * h * direction) for k in (1, 0, -1))
        slope, bend = float((ahead - back) / (2 * h)), float((ahead - 2 * here + back) / h**2)
    gradient = program.gradient(x) + program.jacobian_pattern.matrix(program.jacobian(x)).T @ multipliers
    assert gradient @ way == pytest.approx(slope, rel=1e-11)
    assert way @ (program.symmetric(program.hessian(x, 1.0, multipliers)) @ way) == pytest.approx(bend, rel=1e-10)
    many = np.stack([x, 1.1 * x, x + 0.1 * way])
    assert np.allclose(program.cost(many), [program.cost(one) for one in many], rtol=1e-14)
    assert np.allclose(program.rows(many), [program.rows(one) for one in many], rtol=1e-13)


def least_effort_by_polynomials(pin, model, q0, q1, T, degree, points):
    """½ ∫ |τ|² dt by global polynomials, Gauss's quadrature and Pinocchio's dynamics, as a least-squares problem."""
    from scipy.optimize import least_squares

    x, w = np.polynomial.legendre.leggauss(points)
    data, s, w = model.createData(), (x + 1) / 2, np.sqrt(w / 2 * T)
    P = np.polynomial.Polynomial
    ramp, bump = P([0, 0, 3, -2]), P([0, 0, 1, -2, 1])
    shapes = [bump * np.polynomial.Legendre.basis(k, domain=[0, 1]).convert(kind=P) for k in range(degree)]
    B = [np.stack([(f.deriv(o) if o else f)(s) for f in shapes], axis=1) / T**o for o in range(3)]
    R = [np.outer((ramp.deriv(o) if o else ramp)(s), np.subtract(q1, q0)) / T**o for o in range(3)]
    R[0] = R[0] + q0

    def motion(c):
        return zip(*(b @ c.reshape(degree, -1) + r for b, r in zip(B, R, strict=True)), strict=True)

    def forces(c):
        return np.concatenate([w[k] * pin.rnea(model, data, *at) for k, at in enumerate(motion(c))])

    def slopes(c):
        rows = []
        for k, at in enumerate(motion(c)):
            pin.computeRNEADerivatives(model, data, *at)
            M = np.triu(data.M) + np.triu(data.M, 1).T
            each = zip(B, (data.dtau_dq, data.dtau_dv, M), strict=True)
            rows.append(w[k] * sum(np.kron(b[k], D) for b, D in each))
        return np.concatenate(rows)

    return least_squares(forces, np.zeros(degree * model.nv), slopes, xtol=1e-10, ftol=1e-10, gtol=1e-8).cost


def test_panda_lift_agrees_with_a_pseudospectral_method_on_pinocchio():
    """Other functions, other quadrature, other dynamics with the payload added by hand, other minimiser."""
    pin = pytest.importorskip("pinocchio")
    panda = kt.load("panda").with_joint_effects(armature=0.3)
    model = kt.interop.pinocchio.to_model(panda)
    hand = model.frames[model.getFrameId("panda_hand")]
    load = pin.Inertia(2.0, np.array([0, 0, 0.05]), np.zeros((3, 3)))
    model.inertias[hand.parentJoint] = model.inertias[hand.parentJoint] + hand.placement.act(load)
    q0, q1 = np.array([0.0, 0.6, 0.0, -2.2, 0.0, 2.8, 0.8]), np.array([0.3, 0.2, 0.1, -1.9, 0.05, 2.2, 0.8])
    robot = panda.with_payload(2.0, "panda_hand", com=[0, 0, 0.05])
    found = kt.motion.minimum_effort(robot, q0, q1, 0.5, intervals=8, **NO_LIMITS)
    assert found.success and max(found.residual) < 1e-6
    assert found.cost == pytest.approx(least_effort_by_polynomials(pin, model, q0, q1, 0.5, 7, 20), rel=1e-4)


def test_tip_stays_on_a_line_and_limits_hold_in_between(arm):
    """Martin and Bobrow's kind of problem: ends and path are given by the tip."""
    goal = [1.2, 0.0, 0.6]
    along = kt.motion.keep_on_line("tip", [1.2, 0.0, -0.4], [0.0, 0.0, 1.0])
    ends = [
        kt.motion.reach_position("tip", [1.2, 0.0, -0.4], at="start"),
        kt.motion.reach_position("tip", goal),
    ]
    q0 = [-1.2, 1.5]
    usual = {"intervals": 8, "velocity": 2.0, "guess": [q0, [-0.5, 1.7]]}
    free = kt.motion.minimum_effort(arm, None, None, 1.0, constraints=ends, **usual)
    found = kt.motion.minimum_effort(arm, None, None, 1.0, constraints=[*ends, along], **usual)
    assert free.success and found.success, found.message
    assert found.cost > free.cost
    q, v, _ = found.spline(np.linspace(0, 1, 301))
    tip = arm.pose(q, "tip")[:, :3, 3]
    assert np.abs(tip[:, 0] - 1.2).max() < 1e-3
    assert np.allclose(tip[-1], goal, atol=1e-7)
    assert np.abs(v).max() < 2.0 * (1 + 2e-3)
    assert max(found.residual) < 1e-6


def test_obstacles_are_avoided_and_both_solvers_agree(arm):
    q0, q1 = [-0.8, 0.2], [0.8, 0.2]
    free = kt.motion.minimum_effort(arm, q0, q1, 1.0, intervals=8)
    sphere = (*(arm.pose(free.spline(0.5)[0], "tip")[:3, 3] + [0.05, 0.0, 0.0]), 0.1)
    keep = {"constraints": kt.motion.keep_clear("tip", 0.05, [sphere]), "intervals": 8}
    for same in (np.array([sphere]), [(sphere[:3], sphere[3])]):  # rows, and pairs as of `exciting_motion`
        assert kt.motion.keep_clear("tip", 0.05, same).function == keep["constraints"].function
    first = kt.motion.minimum_effort(arm, q0, q1, 1.0, solver="ipopt", **keep)
    second = kt.motion.minimum_effort(arm, q0, q1, 1.0, solver="scipy", guess=first.spline, **keep)
    for one in (first, second):
        assert one.cost > free.cost
        assert one.success, one.message
        tip = arm.pose(one.spline(np.linspace(0, 1, 201))[0], "tip")[:, :3, 3]
        assert np.linalg.norm(tip - sphere[:3], axis=1).min() > 0.15 - 1e-3
        assert max(one.residual) < 1e-5
    assert first.cost == pytest.approx(second.cost, rel=1e-3)  # instants that were added differ


def test_a_joint_without_a_motor_moves_as_physics_has_it(arm):
    """The motion, driven by the found torque of the elbow alone, is the simulated one."""
    robot = arm.with_motors("joint2")
    found = kt.motion.minimum_effort(robot, HANGING, [-1.9, 1.2], 1.4, intervals=6, **NO_LIMITS)
    assert found.success, found.message

    def law(t, q, v):
        tau = kt.algorithms.inverse_dynamics(arm.model, *found.spline(t))
        return kt.arrays.stack([0.0 * tau[0], tau[1]])

    end = arm.simulate(HANGING, np.zeros(2), t=1.4, dt=2e-3, controller=law)
    assert np.allclose(end.q[-1], [-1.9, 1.2], atol=2e-3)
    assert np.allclose(end.v[-1], 0.0, atol=3e-2)  # of 8 rad/s: the accuracy of 1e-3 between instants


def test_loops_stay_closed():
    robot = kt.load("four_bar").with_motors("crank")
    q0 = robot.assemble()
    turned = kt.motion.Constraint(lambda model, q: q[0] - float(q0[0]) - 1.0, at="end", name="crank")
    gaps = []
    for intervals in (8, 16):
        found = kt.motion.minimum_effort(robot, q0, None, 1.0, intervals=intervals, constraints=turned, refinements=0)
        assert found.success, found.message
        q, v, a = found.spline(np.linspace(0, 1, 401))
        gaps.append(np.abs(robot.closure_residual(q)).max())
        assert found.violation.amount == pytest.approx(gaps[-1], rel=0.1)  # what is reported of it, on a coarser grid
    assert gaps[0] < 1e-5 and gaps[1] < gaps[0] / 16  # between nodes, of the fourth order of intervals or more
    tau = robot.motor_forces(q, v, a)[0]
    assert np.abs(tau[:, 1:]).max() == 0.0
    assert np.trapezoid(0.5 * tau[:, 0] ** 2, dx=1 / 400) == pytest.approx(found.cost, rel=2e-4)  # the trapezoidal rule


def test_what_cannot_be_is_named(arm):
    weak = kt.motion.minimum_effort(arm, HANGING, [0.0, 0.5], 1.0, intervals=6, effort=3.0)
    assert not weak.success
    assert weak.status == "infeasible"
    assert "force limit of 'joint" in weak.message and weak.violation.amount > 1.0
    assert "infeasible" in repr(weak) and "force limit" in repr(weak)
    short = kt.motion.minimum_effort(arm, HANGING, [0.0, 0.5], 1.0, intervals=6, iterations=2, solver="scipy")
    assert (short.success, short.status) == (False, "iterations")
    coarse = kt.motion.minimum_effort(arm, HANGING, [0.0, 0.5], 1.0, intervals=4, velocity=2.5, refinements=0, checks=1)
    assert (coarse.success, coarse.status) == (False, "coarse")
    assert "velocity limit" in coarse.message
    nothing = kt.motion.minimum_time(arm, HANGING, [0.0, 0.5], intervals=4, velocity=False, effort=False)
    assert (nothing.success, nothing.status) == (False, "unbounded")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"T": -1.0}, "T must be a positive number of seconds"),
        ({"T": (2.0, 1.0)}, "bounds"),
        ({"q1": [0.0, 9.0]}, "q1: 'joint2' is at 9, outside its limits"),
        ({"q1": [0.0, np.nan]}, "q1 must be finite"),
        ({"q1": [0.0]}, r"q1 must have shape \(2,\)"),
        ({"q1": None}, "q1 is None: give it, or a constraint"),
        ({"v0": [99.0, 0.0]}, "v0: 'joint1' is 99, beyond its limit"),
        ({"solver": "snopt"}, "unknown solver 'snopt'"),
        ({"effort": [1.0]}, "effort must be True"),
        ({"constraints": [1]}, "constraints must be kt.motion.Constraint"),
        ({"guess": [[1.0]]}, r"guess: configurations \(k, 2\)"),
        ({"guess": "straight"}, r"guess must be a configuration .* a Spline, a Trajectory or an OptimalMotion"),
        ({"velocity": (1.0, -1.0)}, "velocity: lower limits must not exceed upper ones"),
        ({"position": 1.0}, r"position must be True \(the robot's\), False \(none\), or a tuple"),
        ({"interval": 3}, "unknown keyword of optimise 'interval'; did you mean 'intervals'"),
        ({"weights": -1.0}, "weights must be a number"),
        ({"constraints": kt.motion.reach_position("tpi", [0, 0, 0])}, "unknown frame 'tpi'"),
    ],
)
def test_wrong_arguments_are_named(arm, change, told):
    given = {"q0": HANGING, "q1": [0.0, 0.5], "T": 1.0, "intervals": 4, **change}
    with pytest.raises(kt.InputError, match=told):
        kt.motion.minimum_effort(arm, given.pop("q0"), given.pop("q1"), given.pop("T"), **given)


def test_least_energy_converges_from_nothing(arm):
    """Raising an arm needs at least its gain of potential energy, which is nearly reached."""
    found = kt.motion.minimum_energy(arm, [0.0, 0.0], [1.0, 1.0], 1.0, intervals=8)
    assert found.success, found.message
    gain = np.subtract(*arm.potential_energy([[1.0, 1.0], [0.0, 0.0]]))
    tau, v = (getattr(found.trajectory(dt=1e-3), name) for name in ("tau", "v"))
    used = np.trapezoid(np.abs(tau * v).sum(axis=1), dx=1e-3)
    assert gain <= used < found.cost + 2 * 0.1 * 1.0


def gauss(robot, found, rate, parts=200):
    """∫ rate(tau, v) dt of a motion, by three Gauss points in many parts, from the robot's own inverse dynamics."""
    edges = np.linspace(0.0, found.duration, parts + 1)
    x, w = np.polynomial.legendre.leggauss(3)
    t = (edges[:-1, None] + np.diff(edges)[:, None] * (x + 1) / 2).ravel()
    q, v, a = found.spline(t)
    values = rate(robot.inverse_dynamics(q, v, a), v)
    return float(values @ np.tile(w / 2, parts)) * found.duration / parts


@pytest.mark.parametrize("intervals", [3, 4, 8])
def test_the_cost_is_that_of_the_motion_and_not_of_a_few_instants(arm, intervals):
    """The sum over four Gauss points an interval is less than the integral, by up to 6 %: as much as it can be bent."""
    upright = {"position": False, "velocity": False, "intervals": intervals}
    for found in (
        kt.motion.minimum_effort(arm, HANGING, [0.0, 0.5], 1.0, intervals=intervals),
        kt.motion.minimum_effort(arm, HANGING, -HANGING, 2.0, **upright),
        kt.motion.minimum_effort(arm, HANGING, -HANGING, (1.5, 2.5), time_weight=3.0, **upright),
    ):
        effort = gauss(arm, found, lambda tau, v: 0.5 * (tau**2).sum(axis=1))
        waited = 3.0 * found.duration if abs(found.duration - round(found.duration)) > 1e-6 else 0.0
        assert found.success and found.cost == pytest.approx(effort + waited, rel=1e-6)
    rough = kt.motion.minimum_effort(arm, HANGING, -HANGING, 2.0, **{**upright, "intervals": 3}, refinements=0)
    assert not rough.success and rough.status == "coarse" and "Gauss points" in rough.message
    assert rough.cost == pytest.approx(gauss(arm, rough, lambda tau, v: 0.5 * (tau**2).sum(axis=1)), rel=1e-6)


def test_a_cost_whose_integral_does_not_settle_is_coarse(arm, monkeypatch):
    """Here since intervals are halved once at most; the energy has kinks, and is known to some 10⁻⁵."""
    given = {"intervals": 4, "accuracy": 1e-6, **NO_LIMITS}
    for make, more in ((kt.motion.minimum_effort, {"refinements": 0}), (kt.motion.minimum_energy, {"smoothing": 1.0})):
        monkeypatch.setattr("kinetrace.motion.transcription.program.MOST_PARTS", 2)
        found = make(arm, HANGING, [0.0, 0.5], 1.0, **given, **more)
        assert not found.success and found.status == "coarse" and "integral of the cost" in found.message
        monkeypatch.undo()


def test_the_energy_is_without_smoothing(arm):
    found = kt.motion.minimum_energy(arm, HANGING, [0.0, 0.5], 1.0, intervals=6, smoothing=1.0, losses=0.01)
    used = gauss(arm, found, lambda tau, v: np.abs(tau * v).sum(axis=1) + 0.01 * (tau**2).sum(axis=1))
    assert found.success and found.cost == pytest.approx(used, rel=1e-5)  # |p| has kinks


def test_limits_that_the_best_motion_keeps_cost_nothing(arm):
    """A search within limits ended at 36.2 where the motion without them, which keeps them, needs 29.48."""
    free = {"position": False, "velocity": False}
    for intervals in (8, 16, 24):
        within = kt.motion.minimum_effort(arm, HANGING, -HANGING, 2.0, intervals=intervals, **free)
        without = kt.motion.minimum_effort(arm, HANGING, -HANGING, 2.0, intervals=intervals, effort=False, **free)
        assert within.success and without.success
        assert np.all(np.abs(without.trajectory().tau) < arm.limits.effort)
        assert within.cost <= without.cost * (1 + 1e-6)
        assert within.cost < (30.0 if intervals == 8 else 29.5)
    away = {"guess": np.linspace(HANGING, -HANGING, 5), "restarts": 6}
    assert kt.motion.minimum_effort(arm, HANGING, -HANGING, 2.0, **free, **away).cost < 29.5


def test_a_start_on_a_coarse_mesh_finds_the_better_optimum(arm):
    """A start with small accelerations leads to 146.7 here."""
    found = kt.motion.minimum_effort(arm, *arm.random(2, seed=8), 2.0)
    assert found.success and found.cost < 108.0


def test_via_points(arm):
    """A fraction of the duration is when a constraint holds; 0 and 1 are the ends."""
    way = [1.0, 0.0, 1.0]
    via = kt.motion.reach_position("tip", way, at=0.25)
    free = {"T": (0.5, 3.0), "time_weight": 5.0, "intervals": 6, **NO_LIMITS}
    found = kt.motion.minimum_effort(arm, [0.0, 0.0], [1.0, 1.0], constraints=via, **free)
    assert found.success, found.message
    assert np.allclose(arm.pose(found.spline(0.25 * found.duration)[0], "tip")[:3, 3], way, atol=1e-6)
    assert kt.motion.reach_position("tip", way, at=1).at == "end"
    with pytest.raises(kt.InputError, match="a fraction of the duration between 0 and 1"):
        kt.motion.reach_position("tip", way, at=2.5)


def test_ends_that_violate_a_constraint_are_named_before_a_solve(arm):
    goal = [0.0, 0.5]
    ball = kt.motion.keep_clear("tip", 0.05, [(*arm.pose(goal, "tip")[:3, 3], 0.1)])
    plane = kt.motion.keep_on_plane("tip", [0.0, 0.0, 0.3], [0.0, 0.0, 1.0])
    with pytest.raises(kt.InputError, match=r"q1 violates the constraint 'obstacles of tip': it is -0\.075"):
        kt.motion.minimum_effort(arm, HANGING, goal, 1.0, constraints=ball)
    with pytest.raises(kt.InputError, match="q0 violates the constraint 'plane of tip'"):
        kt.motion.minimum_effort(arm, HANGING, goal, 1.0, constraints=plane)


def test_what_interrupts_a_solver_is_raised(arm, ctrl_c):
    """Ctrl-C, and errors of a progress function, which CasADi would swallow; a time limit ends either solver."""

    def press(done, of):
        if done == 2:
            ctrl_c()

    def fail(done, of):
        raise ZeroDivisionError

    given = {"intervals": 4, "velocity": 2.5}
    for progress, error in ((press, KeyboardInterrupt), (fail, ZeroDivisionError)):
        for solver in ("ipopt", "scipy"):
            with pytest.raises(error):
                kt.motion.minimum_effort(arm, HANGING, [0.0, 0.5], 1.0, solver=solver, progress=progress, **given)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    for solver in ("ipopt", "scipy"):
        late = kt.motion.minimum_effort(arm, HANGING, [0.0, 0.5], 1.0, solver=solver, time_limit=0.0, **given)
        assert (late.success, late.status) == (False, "time")


def test_costs_of_your_own_and_restarts(arm):
    def cost(model, q, v, tau):
        return 0.5 * (tau @ tau) + v @ v

    first = kt.motion.optimise(arm, cost, HANGING, -HANGING, 1.5, intervals=6, **NO_LIMITS)
    best = kt.motion.optimise(arm, cost, HANGING, -HANGING, 1.5, intervals=6, restarts=2, **NO_LIMITS)
    assert best.success and best.cost <= first.cost * (1 + 1e-9)
    motion = best.trajectory(dt=1e-2)
    assert motion.tau.shape == (151, 2)
    again = kt.motion.optimise(arm, cost, HANGING, -HANGING, 1.5, intervals=6, guess=best.spline, **NO_LIMITS)
    assert again.iterations <= 3 and again.cost == pytest.approx(best.cost, rel=1e-8)
    seen = []
    watch = {"progress": lambda k, n: seen.append((k, n)), "intervals": 6, **NO_LIMITS}
    kt.motion.optimise(arm, cost, HANGING, -HANGING, 1.5, **watch)
    assert seen and seen[0] == (1, 500)
    with pytest.raises(kt.InputError, match="unknown argument of bad 'velocity'"):
        kt.motion.optimise(arm, bad, HANGING, -HANGING, 1.5)


def bad(model, velocity):
    return velocity @ velocity


def test_targets_that_are_no_rigid_motions_are_refused():
    mirror, low = np.diag([1.0, 1.0, -1.0, 1.0]), np.eye(4)
    low[3] = [0.0, 0.1, 0.0, 1.0]
    for make, told in [
        (lambda: kt.motion.reach_pose("tip", mirror), "determinant -1"),
        (lambda: kt.motion.reach_pose("tip", low), "last row"),
        (lambda: kt.motion.reach_pose("tip", 2 * np.eye(4)), "last row|orthonormal"),
        (lambda: kt.motion.keep_orientation("tip", mirror[:3, :3]), "determinant -1"),
        (lambda: kt.motion.keep_orientation("tip", [0, 0, 1]), "together with axis="),
    ]:
        with pytest.raises(kt.InputError, match=told):
            make()
