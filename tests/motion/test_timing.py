"""Time scaling: closed forms, the pointwise largest profile by linear programming, limits, manifolds, closures."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq, linprog

import kinetrace as kt
from kinetrace.motion.timing import scaling
from kinetrace.motion.timing.path import SHORTEST_INTERVAL, grid_places, path_of

pytest.importorskip("toppra")
M, F, L = 2.0, 6.0, 1.5


@pytest.fixture(scope="module")
def block():
    b = kt.Builder("block")
    b.link("block", inertia=kt.lie.inertia.from_mass_com(M, np.zeros(3), 0.01 * np.eye(3)))
    b.joint("slide", kt.joints.Prismatic([1, 0, 0]), parent="base", child="block")
    return kt.Robot(b.build())


def test_a_mass_is_driven_by_bang_bang_at_any_scale(block):
    for scale, force in ((1.0, 1.0), (1e-4, 1e-6), (10.0, 1e4)):
        found = kt.motion.time_scaling(block, [[0.0], [scale * L]], effort=force * F, grid=400)
        assert found.success and found.excess < 1e-9
        assert abs(found.duration / (2 * np.sqrt(M * scale * L / (force * F))) - 1) < 1e-5
        np.testing.assert_allclose(found.load, 1.0, atol=2e-4)
        np.testing.assert_allclose(found.trajectory.q[-1], [scale * L], rtol=1e-9)


def test_a_limited_velocity_is_a_trapezium(block):
    top = 0.8
    found = kt.motion.time_scaling(block, [[0.0], [L]], effort=F, velocity=top)
    assert abs(found.duration / (L / top + top * M / F) - 1) < 1e-3  # an interval in which two limits meet
    assert found.active[500] == "velocity of slide" and found.trajectory.v.max() <= top * (1 + 1e-9)


def test_damping_is_exact_at_the_solution(block):
    """m a = F − d v, then −F − d v. First order in the grid, as accelerations are constant between its points."""
    d = 3.0

    def way(t):
        x, v = F / d * (t - M / d * (1 - np.exp(-d / M * t))), F / d * (1 - np.exp(-d / M * t))
        t2 = M / d * np.log(1 + v * d / F)
        return x + (v + F / d) * M / d * (1 - np.exp(-d / M * t2)) - F / d * t2, t + t2

    exact = way(brentq(lambda t: way(t)[0] - L, 1e-3, 10.0))[1]
    damped = block.with_joint_effects(damping=d)
    times = [kt.motion.time_scaling(damped, [[0.0], [L]], effort=F, grid=n).duration for n in (200, 800)]
    assert 0 < times[1] - exact < 1.2e-3 and 3.5 < (times[0] - exact) / (times[1] - exact) < 4.5


def test_dry_friction_resists_and_helps_to_brake(block):
    rough = block.with_joint_effects(friction=2.0, friction_width=1e-3)
    found = kt.motion.time_scaling(rough, [[0.0], [L]], effort=F)
    faster, slower = (F - 2.0) / M, (F + 2.0) / M
    assert found.success and found.excess < 1e-6
    assert abs(found.duration / np.sqrt(2 * L * (1 / faster + 1 / slower)) - 1) < 2e-3  # friction vanishes at rest


def test_heavy_damping_is_slow_but_feasible():
    """In the limit the force of joint2, 15 N m, goes into its damping: a speed of 0.15 rad/s and less."""
    damped = kt.load("planar2r").with_joint_effects("joint1", "joint2", damping=100.0)
    found = kt.motion.time_scaling(damped, [[0.0, 0.0], [1.0, 1.0]], effort=[40.0, 15.0], grid=300)
    assert found.success and found.excess < 1e-3 and np.mean(found.load > 0.999) > 0.98
    motion = found.trajectory
    tau = damped.inverse_dynamics(motion.q, motion.v, np.gradient(motion.v, motion.t, axis=0))
    assert (np.abs(tau[5:-5]) <= np.array([40.0, 15.0]) * 1.001).all()
    weak = kt.motion.time_scaling(damped, [[0.0, 0.0], [1.0, 1.0]], effort=[8.0, 15.0], grid=300)
    assert weak.status == "infeasible" and "to stand still" in weak.message


def test_a_way_there_and_back_takes_the_same_time_with_any_grid(block):
    """At the turn q' = 0, which is a point of every other grid: twice the way from rest to rest."""
    times = [kt.motion.time_scaling(block, [[0.0], [L], [0.0]], effort=F, grid=n).duration for n in (400, 401)]
    np.testing.assert_allclose(times, 4 * np.sqrt(M * L / F), rtol=2e-2)


def test_positions_beyond_their_limits_and_joints_that_may_not_move_are_named():
    robot = kt.load("panda")
    way = robot.random(6, seed=13)
    found = kt.motion.time_scaling(robot, way, grid=50)
    assert (found.status, found.trajectory) == ("infeasible", None)
    assert "panda_joint2 is 0.835 beyond its limit of position, 1.763" in found.message
    assert kt.motion.time_scaling(robot, way, position=False).success
    chords = np.concatenate([np.linspace(x, y, 8, endpoint=False) for x, y in pairwise(way)])
    assert "is 0.00335 beyond" in kt.motion.time_scaling(robot, chords, grid=50).message  # where joint2 turns
    for name in ("velocity", "acceleration"):
        found = kt.motion.time_scaling(robot, way[:2], grid=50, **{name: 0})
        assert found.status == "infeasible" and f"moves, as at s = 0, and its {name} is limited to 0" in found.message
    still = way[[0, 0]] + np.eye(7)[[1, 0]] * [[0.1], [0.0]]
    assert kt.motion.time_scaling(robot, still, grid=50, velocity=np.eye(7)[1]).success


def test_the_profile_is_the_largest_that_linear_programming_finds():
    """Pointwise largest x = ṡ² under the same limits at both ends of each interval."""
    robot, n, most = kt.load("planar2r"), 40, np.array([40.0, 15.0])
    way = np.array([[0.0, 0.0], [0.6, 1.2], [1.0, 1.0]])
    found = kt.motion.time_scaling(robot, way, effort=most, velocity=np.inf, grid=n)
    problem = scaling._PathProblem(robot, path_of(robot, way, None), None, found.s)
    a, b, c, h = problem.a, problem.slope, problem.c, np.diff(found.s)
    rows, bounds = [], []
    for i in range(n):
        for k in (i, i + 1):
            row = np.zeros((2, n + 1))
            row[:, i + 1] += a[k] / (2 * h[i])
            row[:, i] -= a[k] / (2 * h[i])
            row[:, k] += b[k]
            rows += [row, -row]
            bounds += [most - c[k], most + c[k]]
    limits = [(0.0, 0.0), *[(0.0, None)] * (n - 1), (0.0, 0.0)]
    best = linprog(-np.ones(n + 1), np.concatenate(rows), np.concatenate(bounds), bounds=limits)
    np.testing.assert_allclose(found.rate**2, best.x, rtol=2e-4, atol=1e-5 * best.x.max())


@pytest.mark.parametrize("seed", [1, 2])
def test_a_fine_grid_finds_the_motion_of_a_coarse_one(seed):
    """Half a circle of 16,000 intervals begins with 1e-8 of the path, where ṡ² is lost in toppra's tolerances."""
    robot = kt.load("panda").without_joint_effects()
    way = robot.random(4, seed=seed)
    coarse, fine = (kt.motion.time_scaling(robot, way, grid=n, position=False) for n in (1000, 16_000))
    assert fine.success and fine.excess < 1e-3
    assert abs(fine.duration / coarse.duration - 1) < 1e-3  # limits hold at more places
    assert np.mean(fine.load > 0.99) > 0.99


@given(st.integers(2, 1_000_000))
@settings(deadline=None, max_examples=50)
def test_places_of_a_grid_are_apart_and_alike_at_both_ends(n):
    places = grid_places(n)
    steps = np.diff(places)
    assert (places[0], places[-1], len(steps)) == (0.0, 1.0, n) and steps.min() > 0.999 * SHORTEST_INTERVAL
    np.testing.assert_allclose(steps, steps[::-1], atol=1e-14)
    assert steps.max() <= np.pi / (2 * n) * (1 + 1e-6)


def test_a_panda_is_always_at_some_limit():
    robot = kt.load("panda")
    found = kt.motion.time_scaling(robot, robot.random(4, seed=1), grid=600, dt=5e-4)
    motion, limits = found.trajectory, robot.limits
    assert found.success and np.mean(found.load > 0.999) > 0.99
    assert (np.abs(motion.v) <= limits.velocity * 1.01).all() and (np.abs(motion.tau) <= limits.effort * 1.01).all()
    a = np.gradient(motion.v, motion.t, axis=0)
    tau = robot.inverse_dynamics(motion.q, motion.v, a)
    assert np.quantile(np.abs(tau - motion.tau), 0.95) < 2e-3  # central differences, but where accelerations jump
    way = (motion.v[1:] + motion.v[:-1]) * np.diff(motion.t)[:, None] / 2
    np.testing.assert_allclose(np.diff(motion.q, axis=0), way, atol=1e-5)  # trapezoidal rule
    again = kt.motion.time_scaling(robot, motion[::20], grid=300)
    assert abs(again.duration / found.duration - 1) < 2e-3


def test_only_the_way_of_a_motion_counts(block):
    """Whatever its speed, and if it begins and ends at rest; its time is that between the same ends."""
    slow = kt.motion.Spline.through(block, [0.0, 1.0, 2.0, 3.0], [[0.0], [L / 9], [4 * L / 9], [L]])
    rest = kt.motion.Spline.between(block, [0.0], [[0.0]] * 3 + [[L]] * 3, 7.0)
    for motion in (slow, rest, slow.trajectory(dt=0.1)):
        found = kt.motion.time_scaling(block, motion, effort=F, grid=400)
        assert found.success and abs(found.duration / (2 * np.sqrt(M * L / F)) - 1) < 1e-5
    half = kt.motion.time_scaling(block, slow, effort=F, grid=400, span=(0.0, 2.0))
    assert abs(half.duration / (2 * np.sqrt(M * 4 * L / 9 / F)) - 1) < 1e-5


def test_paths_on_manifolds_move_as_their_velocities_say():
    b = kt.Builder("ball")
    b.link("bob", inertia=kt.lie.inertia.from_mass_com(1.0, [0.1, 0.0, 0.4], np.diag([0.03, 0.04, 0.02])))
    b.joint("ball", kt.joints.Spherical(), parent="base", child="bob")
    robot = kt.Robot(b.build())
    way = robot.integrate(robot.neutral(), [[0.0, 0.0, 0.0], [0.5, 1.0, 0.2], [-0.3, 1.5, 1.2]])
    path = path_of(robot, way, None)
    s, h = np.linspace(0.05, 0.95, 7), 1e-4
    at, (back, ahead) = path(s), (path(s + x) for x in (-h, h))
    np.testing.assert_allclose(robot.difference(back.q, ahead.q) / (2 * h), at.w, atol=1e-6)  # central differences
    np.testing.assert_allclose((ahead.w - back.w) / (2 * h), at.dw, atol=1e-6)
    found = kt.motion.time_scaling(robot, way, effort=8.0)
    assert found.success and np.mean(found.load > 0.99) > 0.95
    np.testing.assert_allclose(np.abs(found.trajectory.q[-1] @ way[-1]), 1.0, atol=1e-9)


def test_a_closed_chain_needs_a_path_that_keeps_its_loops():
    robot = kt.load("four_bar")
    q0 = robot.assemble()

    def turning(s):
        q = q0
        for _ in range(5):  # Newton's method along the crank
            q = robot.integrate(q, robot.velocity_map(q) @ [q0[0] + s - q[0]])
            q = robot.project(q)
        G = robot.velocity_map(q)[:, 0]
        return q, G, robot.closed_acceleration(q, G, np.zeros(1))

    with pytest.raises(kt.InputError, match="loops are open by"):
        kt.motion.time_scaling(robot, [q0, q0 + 0.1], effort=5.0)
    found = kt.motion.time_scaling(robot, turning, span=(0.0, 0.5), effort=30.0, grid=20)
    assert found.status == "converged" and np.mean(found.load > 0.9) > 0.8
    assert np.abs(robot.closure_residual(found.trajectory.q)).max() < 1e-8


def test_what_is_infeasible_is_named_with_its_place(block):
    robot = kt.load("planar2r")
    found = kt.motion.time_scaling(robot, [[1.5, 0.0], [0.0, 0.0]], effort=[15.0, 15.0])
    assert found.status == "infeasible" and not found.success and found.trajectory is None
    assert "joint1 needs" in found.message and "its limit is 15" in found.message
    place = float(found.message.split("s = ")[1].split(",")[0])
    assert abs(robot.gravity([1.5 - 1.5 * place, 0.0])[0]) > 15.0
    floating = kt.load("planar2r", base="free").with_parameters(gravity=[0, 0, 0])
    ends = floating.integrate(floating.neutral(), [[0.0] * 8, [0.0] * 6 + [0.5, 0.5]])
    drifts = kt.motion.time_scaling(floating, ends, effort=10.0, grid=20)
    assert drifts.status == "infeasible" and "floating_base" in drifts.message and "to accelerate" in drifts.message
    for way, limits, told in (
        ([[0.0], [0.0]], {}, "two waypoints that differ"),
        (np.zeros((0, 1)), {}, "two or more"),
        ([[0.0], [1.0]], {"effort": 1.0, "dt": 1e-9}, "raise dt"),
        ([[0.0], [1.0]], {"velocity": 1.0}, "no limit bounds the motion"),
        ([[0.0], [1.0]], {"effort": 1.0, "grid": 1_000_001}, "grid may be at most 1,000,000"),
        ([[0.0], [np.nan]], {"effort": 1.0}, "must be finite"),
        ([[0.0], [1.0]], {"effort": -1.0}, "effort must be True .* sizes ≥ 0"),
    ):
        with pytest.raises(kt.InputError, match=told):
            kt.motion.time_scaling(block, way, **limits)
