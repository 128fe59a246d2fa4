"""Problems with published or independently computed numbers, to the digits that are printed."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.lie import so3

from . import mechanisms

TOP = {
    0.2: [0.605550561377, 0.598957681795, -0.523983027430],
    0.8: [-0.418162424317, 0.907207967947, -0.045977057144],
    1.0: [0.173343964098, 0.640088592070, -0.748490791134],
    2.0: [-0.150416822746, -0.724165591637, -0.673022269560],
}
"""Where the centre of the heavy top is."""


def off(motion):
    """How far a heavy top is from that, at most."""
    rows = [round(t / (motion.t[1] - motion.t[0])) for t in TOP]
    return np.abs(so3.from_quaternion(motion.q[rows])[..., 1] - list(TOP.values())).max()


def test_heavy_top():
    """B11: twelve digits adaptively; of equal steps, half as long ones are 2⁴ or 2² times as near."""
    robot, q, v = mechanisms.heavy_top()
    motion = robot.simulate(q, v, 2.0, 0.2, method="DOP853", rtol=1e-13, atol=1e-13)
    assert off(motion) < 3e-12
    turned = [0.122947135042, -0.491079892550, 0.350430030344, -0.787986887550]
    np.testing.assert_allclose(motion.q[-1] * np.sign(motion.q[-1] @ turned), turned, rtol=0, atol=3e-12)
    np.testing.assert_allclose(motion.v[-1], [0.12223321949, 150, -5.8556245892], rtol=0, atol=1e-9)
    for method, order, steps in (("rkmk4", 4, (1e-4, 5e-5)), ("variational", 2, (1e-3, 5e-4))):
        errors = [off(robot.simulate(q, v, 2.0, h, method=method, record=int(0.05 / h), compiled=True)) for h in steps]
        assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.1) and errors[1] < 10.0 ** (-order - 0.5)


GOVERNOR = {
    2 * pi: {0.1: 0.5238364756, 0.5: 0.7432494248, 1: 0.5014209224, 2: 0.5059092943, 5: 0.5355631037, 10: 0.6196229171},
    0.32 * pi: {0.1: 0.4629064322, 0.5: 0.0173517511, 1: 0.4970948185, 10: 0.2491653324},
}
"""First angular velocity → time → height of the slider."""


@pytest.mark.parametrize("omega", GOVERNOR)
def test_fly_ball_governor(omega):
    """B13: stiff springs and dampers, ten digits; the reference is rounded to the last."""
    robot, q, v, springs = mechanisms.governor(omega)
    motion = robot.simulate(q, v, max(GOVERNOR[omega]), 0.1, controller=springs, method="LSODA", rtol=1e-11, atol=1e-12)
    for t, height in GOVERNOR[omega].items():
        assert motion.q[round(10 * t), 1] == pytest.approx(height, abs=1e-9)
    if omega > 6:
        assert motion.v[-1, 0] == pytest.approx(5.5482036227, abs=1e-8)


def test_forty_link_beam():
    """B9: seven digits of all angles at this tolerance, five of rates; docs/simulation.md has tighter ones."""
    robot, push = mechanisms.beam()
    z = np.zeros(40)
    motion = robot.simulate(z, z, 5.0, 5.0, controller=push, method="Radau", rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(np.cumsum(motion.q[-1]), mechanisms.BEAM_ANGLES, rtol=0, atol=5e-8)
    np.testing.assert_allclose(np.cumsum(motion.v[-1]), mechanisms.BEAM_RATES, rtol=0, atol=1e-5)


def test_the_force_at_the_tip_of_the_beam():
    """As a wrench on the last link, in its axes, it asks for the same joint forces."""
    robot, push = mechanisms.beam()
    q, t = np.random.default_rng(0).normal(size=40) * 0.1, 1.0
    x, y = 1.5 * np.sin(t) ** 2 * so3.exp(np.array([0.0, 0.0, -q.sum()]))[:2, :2] @ [-1.0, 1.0]
    wrench = [0.0, 0.0, y / 40, x, y, 0.0]
    np.testing.assert_allclose(robot.jacobian(q, "link39").T @ wrench, push(t, q, 0 * q), rtol=0, atol=1e-14)


def test_projected_pendulum():
    """B14: after 15 periods. At SUNDIALS' tolerance the error that it prints with projection is 8e-5, without 3e-2."""
    robot = mechanisms.pendulum()
    q = robot.assemble([1.0, 0.0])
    for tol, error in ((1e-7, 7.79e-5), (1e-12, 1e-10)):
        motion = robot.simulate(q, np.zeros(2), 30.0, 1.0, method="DOP853", rtol=tol, atol=tol)
        assert np.abs(motion.q[-1] - q).max() < error and np.abs(motion.closure_residual()).max() < 1e-15


def test_energy_has_no_trend():
    """A double pendulum that tumbles for 1000 s: by the variational method its energy stays in a band, by rk4 not.

    The motion is chaotic, so means are those of some that begin side by side.
    """
    robot, q = kt.load("planar2r"), np.array([1.5, 0.5]) + 1e-9 * np.arange(4.0)[:, None]
    mean, width = {}, {}
    for method in ("variational", "rk4"):
        energy = robot.simulate(q, [0.0, 0.0], 1000.0, 0.01, method=method, compiled=True).energy()
        parts = np.array_split(energy[:, 1:] - energy[:, :1], 5, axis=-1)
        mean[method], width[method] = [x.mean() for x in parts], [np.abs(x).max() for x in parts]
    assert max(width["variational"]) < 1.4 * min(width["variational"]) < 0.8  # of 39 J that go to and fro
    assert np.abs(mean["variational"]).max() < 0.02 * max(width["variational"])
    assert all(b < 1.2 * a < 0 for a, b in zip(mean["rk4"], mean["rk4"][1:], strict=False))


@pytest.mark.parametrize("method", ["rkmk4", "variational"])
def test_momentum_is_kept_for_long(method):
    b = kt.Builder("stone")
    b.link("stone", mechanisms.box(2.0, (0.3, 0.2, 0.1), (0.1, 0.0, 0.0), 1.0, (0.0, 0.2, 0.3)))
    robot = kt.Robot(b.build("free", gravity=(0.0, 0.0, 0.0)))
    v = np.array([3.0, 1.0, -2.0, 0.3, 0.2, 0.1])
    motion = robot.simulate(robot.neutral(), v, 20.0, 0.01, method=method, compiled=True)
    h = robot.momentum(motion.q, motion.v)
    tol = 3e-13 if method == "rkmk4" else 1e-11  # 2000 steps of rounding; Newton's are larger
    assert np.abs(h - h[0]).max() < tol * np.abs(h[0]).max()
    other = robot.simulate(robot.neutral(), v, 20.0, 0.01, method="rk4", compiled=True)
    assert np.abs(robot.momentum(other.q, other.v) - h[0]).max() > 1e-9 * np.abs(h[0]).max()
