"""`kt.motion.Spline`: q, v and a of one motion, for numbers and in traced code."""

from __future__ import annotations

import re
from types import SimpleNamespace

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.motion.splines import motion_of

Spline = kt.motion.Spline


@pytest.fixture(scope="module")
def floating():
    """A free base, so that ⊕ is no sum, with a hinge and a slider's worth of coordinates."""
    return kt.load("planar2r", base="free")


@pytest.fixture(scope="module")
def spline(floating):
    c = 0.3 * np.random.default_rng(0).normal(size=(8, floating.nv))
    return Spline.between(floating, floating.random(seed=3), c, 2.0, degree=4)


def test_theta_is_the_b_spline_of_scipy(floating, spline):
    interpolate = pytest.importorskip("scipy.interpolate")
    t = np.linspace(0, 2, 17)
    theta = interpolate.BSpline(spline.knots, spline.coefficients, 4)(t)
    assert np.allclose(floating.difference(spline.start, spline(t)[0]), theta, atol=1e-14)


def test_velocity_and_acceleration_are_the_rates_of_q(floating, spline):
    """Richardson's extrapolation of central differences, on the manifold; knots are avoided."""
    t = np.array([0.13, 0.4, 0.77, 1.2, 1.9])

    def rates(h):
        (qa, va, _), (qb, vb, _) = spline(t - h), spline(t + h)
        here = spline(t)[0]
        return (floating.difference(here, qb) - floating.difference(here, qa)) / (2 * h), (vb - va) / (2 * h)

    coarse, fine = rates(2e-3), rates(1e-3)
    v, a = ((4 * f - c) / 3 for c, f in zip(coarse, fine, strict=True))
    assert np.allclose(spline(t)[1], v, atol=1e-9)
    assert np.allclose(spline(t)[2], a, atol=1e-9)


def test_traced_code_gives_the_numbers_and_rests_outside(floating, spline):
    t = np.array([-1.0, 0.0, 0.3, 0.5, 0.75, 1.9, 2.0, 2.1])
    kernel = kt.compile(lambda model, time: spline(time), floating, shapes={"time": ()})
    for traced, number in zip(kernel(t), spline(t), strict=True):
        assert np.allclose(traced, number, atol=1e-13)
    for k in (0, -1):
        assert not spline(t)[1][k].any() and not spline(t)[2][k].any()
    assert np.allclose(spline(t)[0][-1], spline(2.0)[0])
    assert [x.shape for x in spline(0.3)] == [(9,), (8,), (8,)]


def test_through_reproduces_polynomials_samples_and_trajectories(floating, spline):
    arm = kt.load("planar2r")
    t = np.array([0.0, 0.2, 0.5, 0.9, 1.1, 1.6, 2.0])
    q = np.stack([t**5 - t, 2 * t**3], axis=-1)
    found = Spline.through(arm, t, q)
    x = np.linspace(0, 2, 9)
    assert np.allclose(found(x)[0], np.stack([x**5 - x, 2 * x**3], axis=-1), atol=1e-11)
    assert np.allclose(found(x)[2], np.stack([20 * x**3, 12 * x], axis=-1), atol=1e-9)
    motion = spline.trajectory(floating, dt=0.05)
    again = Spline.through(floating, motion)
    assert np.allclose(again(motion.t)[0], motion.q, atol=1e-12)
    assert np.allclose(motion.tau, floating.inverse_dynamics(*spline(motion.t)))


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda r: Spline(r, [0, 0], [[0, 0]], [0, 1, 2]), "coefficients of degree d need"),
        (lambda r: Spline(r, [0], [[0, 0]], [0, 1]), r"start must have shape \(2,\)"),
        (lambda r: Spline.between(r, [0, 0], [[0, 0]], 1.0), "more than|n > degree"),
        (lambda r: Spline.between(r, [0, 0], np.zeros((8, 2)), -1.0), "T must be positive"),
        (lambda r: Spline.through(r, [0, 0], [[0, 0], [1, 1]]), "increase"),
        (lambda r: Spline.through(r, [0, 1], [[0, 0]]), r"q must have shape \(2, 2\)"),
        (lambda r: Spline.through(r, [0, 1], [[0, np.nan], [0, 0]]), "finite"),
        (lambda r: Spline.through(r, [0, 1], [[0, 0], [0, 0]], degree=2), "odd"),
        (lambda r: Spline.through(r, [0, 1], [[0, 0], [0, 0]]).trajectory(r, dt=0), "dt must be positive"),
        (lambda r: Spline.through(r, [0, 1], [[0, 0], [0, 0]])([[0.0]]), "t must be a time or times"),
    ],
)
def test_wrong_arguments_are_named(make, told):
    with pytest.raises(kt.InputError, match=told):
        make(kt.load("planar2r"))


@pytest.fixture(scope="module")
def crank():
    """A closed chain, and the motion of its crank through half a turn, closed by `assemble`."""
    robot = kt.load("four_bar").with_motors("crank")

    def samples(n):
        t, q = np.linspace(0.0, 1.0, n), [robot.assemble()]
        for turn in np.diff(0.5 * np.sin(2.0 * t)):
            q.append(robot.assemble(q[-1] + [turn, 0, 0], hold=["crank"]))
        return t, np.array(q)

    return robot, samples


def test_a_spline_that_opens_loops_is_refused(crank):
    robot, samples = crank
    with pytest.raises(kt.InputError, match=r"loops are open by .* give more of them"):
        Spline.through(robot, *samples(6))
    spline = Spline.through(robot, *samples(101))
    assert np.abs(robot.closure_residual(spline(np.linspace(0.0, 1.0, 777))[0])).max() < 1e-6


def test_more_than_half_a_turn_is_refused_whatever_the_signs_of_quaternions():
    robot = kt.load("planar2r", base="free")
    turn = np.linspace(0.0, 1.0, 9)[:, None] * np.eye(robot.nv)[2]
    near = np.asarray(robot.integrate(robot.neutral(), 3.1 * turn))
    flipped = near.copy()
    flipped[1::2, 3:7] *= -1.0
    for q in (near, flipped):
        assert np.allclose(Spline.through(robot, turn[:, 2], q)(0.5)[1][2], 3.1)
    with pytest.raises(kt.InputError, match="half a turn"):
        Spline.through(robot, turn[:, 2], robot.integrate(robot.neutral(), 3.2 * turn))


def test_one_way_to_give_a_motion():
    """A spline, what holds one, a trajectory and a function are the same motion; wrong ones are named."""
    robot = kt.load("planar2r")
    t = np.linspace(0.0, 1.0, 21)
    spline = Spline.through(robot, t, np.stack([np.sin(t), t**2], axis=-1))
    motions = [
        motion_of(robot, spline),
        motion_of(robot, SimpleNamespace(spline=spline)),
        motion_of(robot, spline.trajectory(dt=0.02)),
        motion_of(robot, SimpleNamespace(trajectory=spline.trajectory(dt=0.02))),
        motion_of(robot, lambda s: spline(s)),
    ]
    times = np.array([0.0, 0.33, 0.71, 1.0])
    for motion in motions:
        for x, y in zip(motion.rows(times), spline(times), strict=True):
            assert np.allclose(x, y, atol=1e-6)
    assert [(m.begin, m.end) for m in motions] == [(0.0, 1.0)] * 4 + [(None, None)]
    still = motion_of(robot, [0.1, 0.2])
    assert still.is_held and still.end is None and not still.rows(times)[1].any()
    for wrong, told in [
        ([0.0], "must be a configuration"),
        ("home", "must be a configuration"),
        (lambda s: (np.zeros(2), np.ones(2), np.zeros(2)), "v is not the rate of q"),
        (lambda s: np.zeros(2), "must return q"),
        (
            Spline.through(kt.load("panda"), [0, 1], np.zeros((2, kt.load("panda").nq))),
            "must be a motion of 'planar2r'",
        ),
    ]:
        with pytest.raises(kt.InputError, match=told):
            motion_of(robot, wrong)


MADE = {
    "clamped": lambda of, t, q: of.CubicSpline(t, q, bc_type="clamped"),
    "natural": lambda of, t, q: of.CubicSpline(t, q, bc_type="natural"),
    "pchip": lambda of, t, q: of.PchipInterpolator(t, q),
    "Akima": lambda of, t, q: of.Akima1DInterpolator(t, q),
    "quintic": lambda of, t, q: of.make_interp_spline(t, q, k=5),
}


@pytest.mark.parametrize("kind", MADE)
def test_what_is_advised_for_a_spline_of_scipy_is_the_same_motion(kind):
    interpolate = pytest.importorskip("scipy.interpolate")
    robot, times = kt.load("panda"), np.array([0.0, 0.4, 1.0, 1.3, 1.8, 2.5, 3.0])
    steps = 0.1 * np.random.default_rng(0).normal(size=(len(times), robot.nq))  # up to 1.3 rad/s and 17 rad/s²
    spline = MADE[kind](interpolate, times, robot.home() + steps)
    with pytest.raises(kt.InputError) as error:
        kt.control.pd(robot, spline, 1.0, 1.0)
    given, call = re.search(r"with times = (.*), (kt.*) follows", str(error.value)).groups()
    known = {"np": np, "kt": kt, "robot": robot, "spline": spline}
    ours = eval(call, {**known, "times": eval(given, known)})
    t = np.linspace(0.0, 3.0, 1001)
    assert np.abs(ours(t)[0] - spline(t)).max() < 1e-4
