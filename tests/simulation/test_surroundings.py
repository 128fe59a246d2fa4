"""Simulations and rollouts on a base that moves, and with closures that are driven: from step to step, in every way."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import kinetrace as kt
from kinetrace import algorithms
from kinetrace.algorithms.dynamics.external_inputs import ExternalInputs
from kinetrace.lie import so3

STEP = 1e-40


@pytest.fixture(scope="module")
def arm():
    """A chain that ends in a ball, a state, forces, and a base that turns by more than a radian."""
    b, rng = kt.Builder("arm"), np.random.default_rng(4)
    for k, joint in enumerate((kt.joints.Revolute([0, 1, 0]), kt.joints.Spherical())):
        b.link(f"link{k}", kt.lie.inertia.from_mass_com(2.0, [0.1, 0.0, 0.3], 0.1 * np.diag([1.0, 2.0, 1.5])))
        b.joint(f"joint{k}", joint, parent=f"link{k - 1}" if k else "stand", child=f"link{k}")
    robot = kt.Robot(b.build())
    V, dV = np.array([[1.0, -0.6, 2.0, 0.5, 1.0, 0.3], [2.0, 1.0, -1.0, 3.0, -2.0, 1.0]])
    return robot, robot.random(seed=1), rng.normal(size=4), rng.normal(size=4), (V, dV)


def exact(robot, q, v, tau, base, t):
    """The state after t; the base's rotation is integrated in nine numbers, and turns gravity."""
    model, (V0, dV) = robot.model, base
    shapes = {"base_velocity": (6,), "base_acceleration": (6,)}
    kernel = kt.compile(algorithms.forward_dynamics, robot, inputs=("gravity",), shapes=shapes)

    def rate(s, x):
        q, v, R = x[: model.nq], x[model.nq : -9], x[-9:].reshape(3, 3)
        V = V0 + s * dV
        return np.concatenate(
            [model.tangent(q) @ v, kernel(q, v, tau, V, dV, model.gravity @ R), (R @ so3.hat(V[:3])).ravel()]
        )

    x = solve_ivp(rate, (0, t), np.concatenate([q, v, np.eye(3).ravel()]), method="DOP853", rtol=1e-12, atol=1e-13)
    return model.normalise(x.y[: model.nq, -1]), x.y[model.nq : -9, -1]


def off(robot, state, true):
    return max(np.abs(robot.difference(state[0], true[0])).max(), np.abs(state[1] - true[1]).max())


def test_a_base_moves_on_from_step_to_step(arm):
    """Of order four, in rows or at a constant rate; adaptively, to the tolerance."""
    robot, q, v, tau, (V, dV) = arm
    given, true = {"base_velocity": V, "base_acceleration": dV}, exact(*arm, 0.5)
    errors = []
    for n in (25, 50):
        forces, h = np.tile(tau, (n, 1)), 0.5 / n
        found = robot.rollout(q, v, forces, h, method="rk4", **given)
        by_rows = {"base_velocity": V + h * np.arange(n)[:, None] * dV, "base_acceleration": np.tile(dV, (n, 1))}
        again = robot.rollout(q[None], v, forces, h, method="rk4", **by_rows)
        np.testing.assert_allclose(again[0][0], found[0], rtol=0, atol=1e-12)
        errors.append(off(robot, (found[0][-1], found[1][-1]), true))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(4, abs=0.1) and errors[1] < 1e-5
    motion = robot.simulate(q, v, 0.5, 0.25, tau=tau, method="DOP853", rtol=1e-11, atol=1e-12, **given)
    assert off(robot, (motion.q[-1], motion.v[-1]), true) < 1e-9


def test_the_same_bits_on_a_moving_base(arm):
    """Step by step, in chunks of a kernel, with a controller that is called or compiled, in a batch."""
    robot, q, v, tau, (V, dV) = arm
    given = {"t": 0.4, "dt": 0.01, "base_velocity": V, "base_acceleration": dV, "method": "semi-implicit"}
    found = robot.simulate(q, v, tau=tau, compiled=True, **given)
    for other in (
        {"tau": tau, "compiled": False},
        *({"controller": lambda t, q, v: tau + 0.0 * v, "compiled": x} for x in (False, True)),
    ):
        motion = robot.simulate(q, v, **other, **given)
        assert (motion.q == found.q).all() and (motion.v == found.v).all()
    two = robot.simulate(q, v, tau=tau, **{**given, "base_velocity": [0.0 * V, V]})
    assert (two.q[1] == found.q).all() and np.abs(two.q[0] - found.q).max() > 0.1


def test_a_base_that_is_pushed_is_gravity(arm):
    robot, q, v, tau, _ = arm
    other = kt.Robot(robot.model.with_parameters(gravity=robot.model.gravity - [1.0, 2.0, 3.0]))
    given = {"t": 0.2, "dt": 0.01, "tau": tau, "method": "semi-implicit"}
    pushed = robot.simulate(q, v, base_acceleration=[0, 0, 0, 1.0, 2.0, 3.0], **given)
    np.testing.assert_allclose(pushed.q, other.simulate(q, v, **given).q, rtol=0, atol=1e-13)


def test_derivatives_of_a_rollout_on_a_moving_base(arm):
    rng, (robot, q, v, tau, (V, dV)) = np.random.default_rng(3), arm
    model, n, forces = robot.model, robot.nv, np.tile(tau, (3, 1))
    given = {"method": "semi-implicit", "base_velocity": np.stack([V, V + 1, V - 1]), "base_acceleration": dV}
    by_state, by_tau = robot.rollout_derivatives(q, v, forces, 0.02, **given)
    x, u = rng.normal(size=2 * n), rng.normal(size=forces.shape)
    at = model.integrate(q, 1j * STEP * x[:n]), v + 1j * STEP * x[n:], forces + 1j * STEP * u
    moved = algorithms.rollout(model, *at, 0.02, **given)
    after = algorithms.rollout(model, q, v, forces, 0.02, **given)[0][-1]
    wanted = np.concatenate([model.difference(after + 0j, moved[0][-1]).imag, moved[1][-1].imag]) / STEP
    found = by_state @ x + np.einsum("tij,tj->i", by_tau, u)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-11 * np.abs(wanted).max())


@pytest.fixture(scope="module")
def driven():
    """A four-bar whose last hinge is carried about, in its plane, and a motion that follows."""
    robot = kt.load("four_bar")
    q, (name,) = robot.assemble(), robot.closure_names
    axis = int(np.argmax(np.abs(robot.model.bodies[0].joint.subspace(np.zeros(1))[:3, 0])))
    drive = np.zeros((3, 6))
    drive[1:, [axis, *(3 + k for k in range(3) if k != axis)]] = [[0.07, 0.03, -0.05], [0.2, -0.1, 0.3]]
    K, asked = robot.closure_jacobian(q), robot.closure_velocity(q, np.zeros(3), drive={name: drive})
    v = robot.velocity_map(q) @ [2.0] - np.linalg.lstsq(K, asked, rcond=None)[0]
    return robot, q, v, {name: drive}


def test_a_closure_is_driven_on(driven):
    """It stays closed where the drive has led it; projected or not, in Python or in a kernel."""
    robot, q, v, drive = driven
    given = {"t": 0.2, "dt": 0.01, "drive": drive, "method": "rkmk2"}
    closed, loose, rolled = (
        robot.simulate(q, v, **given, **x) for x in ({}, {"project": False}, {"project": False, "compiled": True})
    )
    assert (loose.q == rolled.q).all() and np.abs(loose.q - closed.q).max() < 1e-4
    end = ExternalInputs(drive=drive)
    for _ in range(20):
        end = end._replace(drive=end.drive_after(robot.model, 0.01))
    assert np.abs(robot.closure_residual(closed.q[-1], drive=end.drive)).max() < 1e-12
    assert np.abs(robot.closure_velocity(closed.q[-1], closed.v[-1], drive=end.drive)).max() < 1e-12
    assert np.abs(robot.closure_residual(closed.q[-1])).max() > 1e-3


def test_a_drive_may_have_a_row_for_each_step(driven):
    """Rows of the same drive give its rollout and its derivatives; others are refused, in simulations too."""
    robot, q, v, drive = driven
    (name,), tau, h, now = drive, np.zeros((5, 3)), 0.01, ExternalInputs(drive=drive)
    rows = []
    for _ in range(5):
        rows.append(now.drive[name])
        now = ExternalInputs(drive=now.drive_after(robot.model, h))
    by_rows = {name: np.array(rows)}
    for call in (robot.rollout, robot.rollout_derivatives):
        for method in ("rkmk2", "semi-implicit"):
            found, wanted = (call(q, v, tau, h, method=method, drive=x) for x in (by_rows, drive))
            for x, y in zip(found, wanted, strict=True):
                np.testing.assert_allclose(x, y, rtol=0, atol=1e-11)
    lanes = robot.rollout(q[None], v, tau, h, drive={name: np.array([rows, rows])})[0]
    assert lanes.shape == (2, 5, 3)
    with pytest.raises(kt.InputError, match=r"must have shape \(3, 6\), or \(..., 5, 3, 6\) with a row for each"):
        robot.rollout(q, v, tau, h, drive={name: np.zeros((4, 3, 6))})


def test_derivatives_of_a_rollout_that_is_driven_and_stabilised(driven):
    robot, q, v, drive = driven
    tau, x, h = np.zeros((4, 3)), np.random.default_rng(3).normal(size=6), 1e-6
    given = {"drive": drive, "stabilisation": [20.0, 1.0], "method": "semi-implicit"}
    found = robot.rollout_derivatives(q, v, tau, 0.01, **given)[0] @ x

    def end(s):
        return np.concatenate([y[-1] for y in robot.rollout(q + s * x[:3], v + s * x[3:], tau, 0.01, **given)])

    # rounding over the step of the difference
    np.testing.assert_allclose(found, (end(h) - end(-h)) / (2 * h), rtol=0, atol=1e-7)


BAD = {
    r"base_velocity must have shape \(..., 6\)": {"base_velocity": [1.0]},
    r"base_acceleration must be finite": {"base_acceleration": [np.nan] * 6},
    "unknown closure": {"drive": {"gear": np.zeros((3, 1))}},
    r"drive must map closure names": {"drive": 1.0},
    "batch axes do not broadcast": {"q": np.zeros((3, 2)), "base_velocity": np.zeros((4, 6))},
    "takes no drive": {"drive": {}, "method": "DOP853"},
}


@pytest.mark.parametrize("message", BAD)
def test_bad_surroundings(message):
    with pytest.raises(kt.InputError, match=message):
        kt.load("planar2r").simulate(**{"q": [0.0, 0.0], "v": [0.0, 0.0], "t": 0.1, "dt": 0.01, **BAD[message]})


def test_rows_of_a_base_are_as_many_as_steps():
    z = np.zeros(2)
    with pytest.raises(kt.InputError, match=r"base_velocity must have shape \(6,\), or \(..., 5, 6\)"):
        kt.load("planar2r").rollout(z, z, np.zeros((5, 2)), 0.01, base_velocity=np.zeros((4, 6)))
    four = kt.load("four_bar")
    with pytest.raises(kt.InputError, match=r"must have shape \(..., 3, 6\), got \(6,\)"):
        four.rollout(np.zeros(3), np.zeros(3), np.zeros((5, 3)), 0.01, drive={four.closure_names[0]: np.zeros(6)})
