"""Parameters from data: what went in comes out, with honest errors, and every body is one that can exist."""

from __future__ import annotations

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.lie import inertia

SAMPLES = 300


@pytest.fixture(scope="module")
def robot():
    return kt.load("puma560", joint_effects=False)


@pytest.fixture(scope="module")
def truth(robot):
    """The same arm with other bodies."""
    rng = np.random.default_rng(1)
    theta = inertia.to_log_cholesky(robot.parameters("inertial") + inertia.to_parameters(0.01 * np.eye(6)))
    return robot.with_parameters(inertial=inertia.from_log_cholesky(theta + rng.normal(size=theta.shape) / 5))


@pytest.fixture(scope="module")
def motion(robot):
    rng = np.random.default_rng(2)
    return robot.random((3, SAMPLES // 3), seed=3), *2 * rng.normal(size=(2, 3, SAMPLES // 3, robot.nv))


def impossible(found):
    return [x for body in found.robot.model.bodies for x in inertia.violations(body.J)]


@pytest.mark.parametrize("physical", [True, False])
def test_exact_data_give_exact_base_parameters(robot, truth, motion, physical):
    q, v, a = motion
    effective = truth.without_joint_effects().with_joint_effects(damping=0.3, friction=0.5, armature=0.05)
    tau = effective.inverse_dynamics(q, v, a)
    found = kt.identify.fit(robot, q, v, a, tau, friction=True, rotor=True, physical=physical)
    joints = np.repeat([0.3, 0.5, 0.05], robot.nv)
    expected = found.base.of(np.concatenate([truth.parameters("inertial").ravel(), joints]))
    np.testing.assert_allclose(found.values, expected, rtol=0, atol=1e-10)
    together = np.concatenate([found.pi.ravel(), *(found.joints[k] for k in ("viscous", "coulomb", "rotor"))])
    np.testing.assert_allclose(found.base.of(together), expected, rtol=0, atol=1e-6)  # the prior has a weight
    np.testing.assert_allclose(found.joints["coulomb"], 0.5, rtol=0, atol=1e-6)
    assert found.rms.max() < 1e-5
    assert found.condition < 100
    rates = {"viscous": v, "coulomb": v / np.hypot(v, 0.01), "rotor": a}
    rigid = tau - sum(found.joints[k] * x for k, x in rates.items())
    bodies = found.robot.without_joint_effects()
    np.testing.assert_allclose(bodies.inverse_dynamics(q, v, a), rigid, rtol=0, atol=1e-5)
    np.testing.assert_allclose(found.robot.inverse_dynamics(q, v, a), tau, rtol=0, atol=1e-5)
    if physical:
        assert not impossible(found)
        assert all((x >= 0).all() for x in found.joints.values())


def test_standard_errors_are_what_noise_does(robot, truth, motion):
    """Errors over standard errors, of 52 parameters in 30 trials, have variance one within five of its deviations."""
    q, v, a = motion
    exact, sigma, rng = truth.inverse_dynamics(q, v, a), np.linspace(0.1, 1.0, robot.nv), np.random.default_rng(5)
    scores = []
    for _ in range(30):
        tau = exact + sigma * rng.normal(size=exact.shape)
        found = kt.identify.fit(robot, q, v, a, tau, physical=False)
        scores.append((found.values - found.base.of(truth.parameters("inertial"))) / found.errors)
    assert abs(np.mean(np.square(scores)) - 1) < 5 * np.sqrt(2 / np.size(scores))
    np.testing.assert_allclose(found.rms_base, sigma, rtol=0.15)


def test_noise_never_makes_a_body_impossible(robot, truth, motion):
    q, v, a = motion
    rng = np.random.default_rng(6)
    tau = truth.inverse_dynamics(q, v, a) + 3 * rng.normal(size=v.shape)
    found = kt.identify.fit(robot, q, v, a, tau)
    assert not impossible(found)
    assert impossible(kt.identify.fit(robot, q, v, a, tau, physical=False))
    assert np.all(found.rms < 1.2 * 3)


def test_what_the_motion_does_not_excite_keeps_the_robots_own_value(robot, truth, motion):
    q, v, a = motion[0], 0 * motion[1], 0 * motion[2]  # held still, a robot shows no moments of inertia
    found = kt.identify.fit(robot, q, v, a, truth.inverse_dynamics(q, v, a), noise=np.ones(robot.nv))
    assert not any(np.isfinite(e) for e, name in zip(found.errors, found.base.names, strict=True) if ".I" in name)
    assert all(np.isfinite(e) for e, name in zip(found.errors, found.base.names, strict=True) if ".h" in name)
    assert found.condition == np.inf
    assert not impossible(found)
    own = kt.identify.fit(robot, q, v, a, robot.inverse_dynamics(q, v, a), noise=np.ones(robot.nv), physical=False)
    np.testing.assert_allclose(own.pi, robot.parameters("inertial"), rtol=0, atol=1e-10)


def test_what_is_wrong_is_named(robot, motion):
    q, v, a = motion
    for wrong, message in (
        ((q, v, a, a[..., :2]), r"tau must .* \(\.\.\., 6\)"),
        ((q, v[:2], a, a), "do not broadcast"),
    ):
        with pytest.raises(kt.InputError, match=message):
            kt.identify.fit(robot, *wrong)
    rest, tau = np.zeros(robot.nv), robot.gravity(q)
    np.testing.assert_array_equal(
        *(kt.identify.fit(robot, q, x, x, tau, physical=False).values for x in (rest, np.zeros_like(v)))
    )
    with pytest.raises(kt.InputError, match=r"a must be finite; entry \[0, 0, 0\] is nan"):
        kt.identify.fit(robot, q, v, np.where(np.arange(a.size).reshape(a.shape) < 3, np.nan, a), v)
    with pytest.raises(kt.InputError, match="noise must be 6 numbers that are not negative"):
        kt.identify.fit(robot, q, v, a, v, noise=-1.0)
    for options, message in (
        ({"noise": [1.0, 2.0]}, "noise must be 6 numbers"),
        ({"noise": "loud"}, "noise must hold real numbers"),
        ({"spread": 0.0}, "spread must be positive"),
    ):
        with pytest.raises(kt.InputError, match=message):
            kt.identify.fit(robot, q, v, a, v, **options)
    with pytest.raises(kt.InputError, match="nothing to fit: 0 samples of 6"):
        kt.identify.fit(robot, *(x[:0] for x in (q, v, a, v)))
    with pytest.raises(kt.InputError, match="q must hold real numbers, got dtype complex128"):
        kt.identify.fit(robot, q + 0j, v, a, v)
    with pytest.raises(kt.InputError, match="expected a Robot, got Model"):
        kt.identify.fit(robot.model, q, v, a, v)


def test_too_few_samples_leave_all_open(robot, motion):
    q, v, a = (x.reshape(-1, x.shape[-1])[:3] for x in motion)
    found = kt.identify.fit(robot, q, v, a, robot.inverse_dynamics(q, v, a))
    assert found.condition == np.inf and not np.isfinite(found.errors).all()
    assert not impossible(found)
