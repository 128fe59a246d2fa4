"""Differential inverse kinematics, manipulability and reachability."""

from __future__ import annotations

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.linalg.decompositions import singular_values

scipy_optimize = pytest.importorskip("scipy.optimize")


@pytest.fixture(scope="module")
def chain():
    """Four joints about random axes, with limits of positions and speeds."""
    b, rng, parent = kt.Builder("chain"), np.random.default_rng(2), "world"
    inertia = kt.lie.inertia.from_mass_com(1.0, [0.1, 0, 0], 0.1 * np.eye(3))
    for k in range(4):
        axis, place = rng.normal(size=3), kt.lie.se3.exp(0.4 * rng.normal(size=6))
        b.link(f"link{k}", inertia=inertia)
        joint, limits = kt.joints.Revolute(axis), kt.Limits(-1.0, 1.0, 0.8, np.inf)
        b.joint(f"joint{k}", joint, parent=parent, child=f"link{k}", placement=place, limits=limits)
        parent = f"link{k}"
    return kt.Robot(b.build()).with_frame("tip", parent, [0.3, 0.1, 0.2])


def test_a_step_is_the_bounded_least_squares_solution(chain):
    q, dt, damping = chain.random(30, seed=1), 0.5, 0.1
    twist = 0.5 * np.random.default_rng(0).normal(size=(30, 3))
    step = chain.inverse_velocity(q, twist, "tip", dt=dt, axes="position", expressed_in="aligned", damping=damping)
    J = chain.jacobian(q, "tip", expressed_in="aligned")[:, 3:]
    for k in range(30):
        low = np.minimum(0, np.maximum(-0.8, (-1.0 - q[k]) / dt))
        high = np.maximum(0, np.minimum(0.8, (1.0 - q[k]) / dt))
        A, b = np.vstack([J[k], damping * np.eye(4)]), np.concatenate([twist[k], np.zeros(4)])
        assert np.allclose(step.v[k], scipy_optimize.lsq_linear(A, b, (low, high), tol=1e-15).x, atol=1e-7)
    assert np.allclose(step.q, q + dt * step.v) and np.all(np.abs(step.q) <= 1 + 1e-12)
    assert np.allclose(step.twist, chain.velocity(q, step.v, "tip", expressed_in="aligned")[:, 3:])
    assert np.allclose(step.smallest, np.linalg.svd(J, compute_uv=False)[:, -1])
    assert {"limits", "damped"} <= set(step.status) and step.held.any()


def test_steps_lead_to_a_target_and_singular_ones_are_bounded_and_named():
    arm = kt.load("planar2r")
    q, goal = np.array([0.2, 0.4]), [1.0, 0.0, 0.9]
    for _ in range(40):
        q = arm.inverse_velocity(q, None, "tip", target=goal, dt=0.1, axes=(3, 5), expressed_in="aligned").q
    assert np.allclose(arm.pose(q, "tip")[:3, 3], goal, atol=1e-6)
    stretched = arm.inverse_velocity([0.3, 0.0], [1.0, 0.0], "tip", axes=(3, 5))  # along the arm: not possible
    assert stretched.status == "singular" and not stretched.success and stretched.smallest == 0
    assert np.abs(stretched.v).max() < 1e-9 and np.allclose(stretched.missing, [1.0, 0.0])
    assert "singular" in stretched.message
    for wrong, told in (
        ({"twist": None}, "either twist"),
        ({"dt": -1.0}, "dt must be positive"),
        ({"twist": [np.nan, 0.0]}, "twist must be finite"),
        ({"twist": [0.0]}, "twist must have shape"),
        ({"frame": "tp"}, "did you mean 'tip'"),
    ):
        arguments = {"twist": [1.0, 0.0], "frame": "tip", "axes": (3, 5), **wrong}
        with pytest.raises(kt.InputError, match=told):
            arm.inverse_velocity([0.3, 0.4], arguments.pop("twist"), arguments.pop("frame"), **arguments)


def test_a_joint_beyond_its_limit_may_return_and_does_not_go_farther(chain):
    q = np.array([1.2, 0.1, -0.3, 0.2])
    J = chain.jacobian(q, "tip", expressed_in="aligned")[3:]
    for sign in (-1.0, 1.0):
        twist = sign * 0.3 * J[:, 0]  # what the first joint alone would do
        step = chain.inverse_velocity(q, twist, "tip", axes="position", expressed_in="aligned", damping=0.05)
        A, b = np.vstack([J, 0.05 * np.eye(4)]), np.concatenate([twist, np.zeros(4)])
        bounds = (np.full(4, -0.8), np.array([0.0, 0.8, 0.8, 0.8]))
        assert np.allclose(step.v, scipy_optimize.lsq_linear(A, b, bounds, tol=1e-15).x, atol=1e-7)
        assert (step.v[0] < -0.1) if sign < 0 else (step.v[0] == 0.0 and step.held[0] and step.status == "limits")
    assert type(step.success) is bool and type(step.status) is str


def test_steps_towards_targets_say_when_they_have_arrived(chain):
    rest, q = np.zeros(4), chain.random(20, seed=4)
    goals = chain.pose(chain.random(20, seed=5), "tip")[:, :3, 3]
    for _ in range(150):
        step = chain.inverse_velocity(q, None, "tip", target=goals, gain=0.3, dt=0.1, rest=rest)
        q = step.q
        far = np.linalg.norm(chain.pose(q, "tip")[:, :3, 3] - goals, axis=-1)
        assert np.allclose(step.residual[:, 0, 0], far, atol=1e-12) and np.array_equal(step.arrived, far <= 1e-6)
        assert np.all(step.success[step.arrived]) and np.array_equal(step.status == "arrived", step.arrived)
    assert step.arrived.sum() > 10
    away = chain.inverse_velocity(np.zeros(4), None, "tip", target=goals[0], gain=0.01)
    assert away.success and away.status == "followed" and away.arrived is False and "from the target" in repr(away)
    still = chain.inverse_velocity(chain.random(seed=3), np.zeros(3), "tip", axes="position", rest=rest)
    assert still.success and still.arrived is None and still.residual is None


def test_twists_of_any_size_have_a_true_status(chain):
    for size in (1e-12, 1e160):
        step = chain.inverse_velocity(np.full(4, 0.1), np.full(3, size), "tip", axes="position")
        assert step.success == (size < 1) and step.status == ("followed" if size < 1 else "limits")


def test_limits_of_speeds_shorten_a_twist_whose_direction_is_kept(chain):
    q, twist = 0.5 * chain.random(30, seed=6), np.array([2.0, -1.0, 3.0])
    how = {"axes": "position", "expressed_in": "aligned", "dt": 0.01}
    q[0, 0] = 1.0  # at a limit of its position
    step = chain.inverse_velocity(q, twist, "tip", keep_direction=True, **how)
    along = step.twist @ twist / (twist @ twist)
    good = step.smallest > 0.02
    assert good.sum() > 20 and np.abs(step.twist - along[:, None] * twist)[good].max() < 1e-3
    assert np.all((along > 0) & (along < 1 + 1e-9)) and np.any(along < 0.9) and np.abs(step.v).max() <= 0.8 + 1e-12
    assert np.all(np.isclose(np.abs(step.v).max(axis=-1), 0.8)[along < 0.9]) and set(step.status) >= {"limits"}
    other = chain.inverse_velocity(q, twist, "tip", **how)
    assert np.abs(np.cross(other.twist, twist)).max() > 0.1
    slow = chain.inverse_velocity(q, 1e-3 * twist, "tip", keep_direction=True, **how)
    assert np.allclose(slow.v, chain.inverse_velocity(q, 1e-3 * twist, "tip", **how).v, atol=1e-9)


def test_a_robot_whose_joints_are_all_locked_is_named():
    arm = kt.load("planar2r")
    still = arm.locked(dict(zip(arm.joint_names, arm.home(), strict=True)))
    for call in (
        lambda: still.inverse_kinematics([1.0, 0.0, 0.0], "tip"),
        lambda: still.inverse_velocity(np.zeros(0), np.zeros(6), "tip"),
        lambda: still.manipulability(np.zeros(0), "tip"),
        lambda: still.reachability("tip", 10),
    ):
        with pytest.raises(kt.InputError, match="no joint that moves"):
            call()


def test_steps_of_a_closed_chain_keep_it_closed():
    robot = kt.load("five_bar")
    q = robot.assemble()
    step = robot.inverse_velocity(q, [0.05, 0.02], "tip", axes=(3, 5), expressed_in="aligned")
    assert step.success and np.abs(robot.closure_velocity(q, step.v)).max() < 1e-12
    assert np.allclose(robot.velocity(q, step.v, "tip", expressed_in="aligned")[[3, 5]], [0.05, 0.02], atol=1e-6)
    K, J = robot.closure_jacobian(q), robot.jacobian(q, "tip")[[3, 5]]
    N = np.linalg.svd(K)[2][-robot.dof :].T  # an orthonormal basis of what the loop allows
    expected = np.linalg.svd(J @ N, compute_uv=False).prod()
    assert np.isclose(robot.manipulability(q, "tip", axes=(3, 5)), expected)


def test_measures_of_manipulability_are_those_of_singular_values_with_exact_derivatives(chain):
    q = chain.random(5, seed=3)
    J, M = chain.jacobian(q, "tip")[:, 3:], chain.mass_matrix(q)
    values = np.linalg.svd(J, compute_uv=False)
    dynamic = np.sqrt(np.linalg.det(J @ np.linalg.solve(M, J.swapaxes(-1, -2))))
    expected = {
        "volume": values.prod(axis=-1),
        "smallest": values[:, -1],
        "condition": values[:, -1] / values[:, 0],
        "dynamic": dynamic,
    }
    for measure, value in expected.items():
        assert np.allclose(chain.manipulability(q, "tip", axes="position", measure=measure), value, rtol=1e-9)
    slope = chain.kernel(kt.jacobian(kt.algorithms.manipulability), frame="tip", axes="position", measure="smallest")(q)
    U, _, V = np.linalg.svd(J, full_matrices=False)
    dJ = chain.jacobian_derivative(q, "tip")[:, 3:]
    assert np.allclose(slope, np.einsum("nr,nrjk,nj->nk", U[..., -1], dJ, V[:, -1]), atol=1e-9)


def test_singular_values_of_symbols_are_those_of_numbers():
    robot, rng = kt.load("planar2r"), np.random.default_rng(4)
    A = rng.normal(size=(20, 3, 4)) * np.array([1.0, 1e-6, 1.0])[:, None]
    for looped in (False, True):
        kernel = kt.compile(lambda model, A, looped=looped: singular_values(A, looped), robot, shapes={"A": (3, 4)})
        found = np.sort(kernel(A), axis=-1)[:, ::-1]
        assert np.allclose(found, np.linalg.svd(A, compute_uv=False), rtol=1e-9, atol=0)


def test_samples_of_what_is_reachable(chain):
    found = chain.reachability("tip", 500, seed=1)
    assert np.allclose(found.pose, chain.pose(found.q, "tip")) and np.all(np.abs(found.q) <= 1)
    assert np.allclose(found.manipulability, chain.manipulability(found.q, "tip", axes="position"))
    assert np.all(found.position >= found.box[0]) and np.all(found.position <= found.box[1])
    again = chain.inverse_kinematics(found.position[:50], "tip")
    assert again.success.all()
    with pytest.raises(kt.InputError, match="n must be a whole number"):
        chain.reachability("tip", 0)
