"""`kt.motion.Spline`: q, v and a of one motion, for numbers and in traced code."""

from __future__ import annotations

import numpy as np
import pytest

import kinetrace as kt

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
        (lambda r: Spline.between(r, [0, 0], np.zeros((8, 2)), -1.0), "T must be a positive number"),
        (lambda r: Spline.through(r, [0, 0], [[0, 0], [1, 1]]), "increase"),
        (lambda r: Spline.through(r, [0, 1], [[0, 0]]), r"q must have shape \(2, 2\)"),
        (lambda r: Spline.through(r, [0, 1], [[0, np.nan], [0, 0]]), "finite"),
        (lambda r: Spline.through(r, [0, 1], [[0, 0], [0, 0]], degree=2), "odd"),
        (lambda r: Spline.through(r, [0, 1], [[0, 0], [0, 0]]).trajectory(r, dt=0), "dt must be a positive"),
        (lambda r: Spline.through(r, [0, 1], [[0, 0], [0, 0]])([[0.0]]), "t must be a time or times"),
    ],
)
def test_wrong_arguments_are_named(make, told):
    with pytest.raises(kt.InputError, match=told):
        make(kt.load("planar2r"))
