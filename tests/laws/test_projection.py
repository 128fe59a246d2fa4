"""Projection on closed loops inside a step: what it satisfies, its derivatives, and rollouts that use it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kinetrace as kt
from kinetrace import algorithms
from kinetrace.algorithms.closed.projection import ClosurePoint
from kinetrace.algorithms.closed.step_projection import closed_state
from kinetrace.algorithms.derivatives.projection import closed_state_derivatives
from kinetrace.arrays import concatenate, scan

from .systems import KINDS, analysed_robot

NAMES = [*kt.robot_names(closed=True), *KINDS]
LARGE = {"delta", "stewart", "free_two_arms", "two_pandas_beam", "three_fingers_ball"}
"""Robots whose differences take seconds each."""
OFF = 1e-3
EFFECTS = {"stiffness": 5.0, "damping": 0.3, "stop_stiffness": 100.0, "stop_damping": 1.0, "armature": 0.1}


def state_beside(name, off=OFF):
    """A robot, and a state whose loops are open by a little."""
    robot = kt.load(name) if name in kt.robot_names() else analysed_robot(name)
    if name in ("four_bar", "delta"):
        robot = robot.with_joint_effects(**EFFECTS)
    rng = np.random.default_rng(7)
    q = robot.model.integrate(robot.assemble(), off * rng.normal(size=robot.nv))
    return robot, q, rng.normal(size=robot.nv)


@pytest.mark.parametrize("name", NAMES)
def test_the_state_is_closed_and_the_nearest(name):
    """Changes of configuration and velocity are along M⁻¹ Kᵀ, so no other closed state is nearer."""
    robot, q, v = state_beside(name)
    model = robot.model
    held, (q_end, v_end) = list(model.rows_hold_positions), closed_state(model, q, v)
    assert np.abs(algorithms.closure_residual(model, q_end)[held]).max(initial=0.0) < 1e-12
    assert np.abs(algorithms.closure_velocity(model, q_end, v_end)).max(initial=0.0) < 1e-11
    K, M = algorithms.closure_jacobian(model, q), algorithms.mass_matrix(model, q)
    for rows, by in ((K[held], model.difference(q_end, q)), (K, v - v_end)):
        push = M @ by
        along = rows.T @ np.linalg.lstsq(rows.T, push, rcond=1e-9)[0]
        # (θ ↦ q ⊕ θ has an inverse to first order for quaternions)
        np.testing.assert_allclose(along, push, rtol=0, atol=3e-9 + 3 * OFF * OFF * np.abs(push).max())


@pytest.mark.parametrize("name", [pytest.param(x, marks=pytest.mark.part(int(x in LARGE), 2)) for x in NAMES])
def test_derivatives_are_differences(name):
    """By the state, and by where a step in time began."""
    robot, q, v = state_beside(name)
    model, n, h = robot.model, robot.nv, 1e-5
    q0 = model.integrate(q, 0.01 * v)

    def after(e):
        q_e, v_e = closed_state(model, model.integrate(q, e[:n]), v + e[n : 2 * n], None, begun(e))
        return np.concatenate([model.difference(begin, q_e), v_e])

    def begun(e):
        return ClosurePoint(model.integrate(q0, e[2 * n :]), None)

    begin = closed_state(model, q, v, None, begun(np.zeros(3 * n)))[0]
    wanted = np.stack([(after(h * e) - after(-h * e)) / (2 * h) for e in np.eye(3 * n)], axis=-1)
    # rounding, and the third derivative
    limit = 1e-6 * max(1.0, np.abs(wanted).max()) ** 2
    found = closed_state_derivatives(model, q, v, None, begun(np.zeros(3 * n)))
    np.testing.assert_allclose(found, wanted, rtol=0, atol=limit)


@pytest.mark.parametrize("base", ["fixed", "free"])
def test_derivatives_of_steps_with_springs_drives_and_a_floating_base(base):
    robot = kt.load("four_bar", base=base).with_joint_effects(**EFFECTS)
    model, n, h = robot.model, robot.nv, 1e-5
    q, v = robot.assemble(), 0.5 * np.random.default_rng(1).normal(size=n)
    drive = {
        robot.closure_names[0]: np.random.default_rng(2).normal(size=(3, 6))
        * [[1e-3], [0.1], [1.0]]
        * [0, 0, 0, 1, 0, 1]
    }  # in its plane
    q, v = robot.project(q, v, drive=drive)
    tau = np.random.default_rng(3).normal(size=n)
    given = {"method": "semi-implicit", "drive": drive, "project": True}
    begin = robot.step(q, v, tau, 0.01, **given)[0]

    def after(e):
        x, u = robot.step(model.integrate(q, e[:n]), v + e[n : 2 * n], tau + e[2 * n :], 0.01, **given)
        return np.concatenate([model.difference(begin, x), u])

    wanted = np.stack([(after(h * e) - after(-h * e)) / (2 * h) for e in np.eye(3 * n)], axis=-1)
    found = np.concatenate(robot.linearise_step(q, v, tau, 0.01, **given), axis=-1)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-6 * np.abs(wanted).max())


@pytest.mark.parametrize(
    ("name", "method"),
    [(name, method) for name in ("four_bar", "bicycle", "stewart") for method in ("semi-implicit", "rkmk4")]
    + [("four_bar", "variational"), ("bicycle", "variational")],
)
def test_a_rollout_is_steps_and_projections(name, method):
    """In the kernel, as `project` does it from outside, if for distances at the end of a step; closed to rounding."""
    robot, q, v = state_beside(name, 0.0)
    v = 0.3 * robot.project(q, v)[1]
    tau = 0.1 * np.random.default_rng(4).normal(size=(20, robot.nv))
    Q, V = robot.rollout(q, v, tau, 2e-3, method=method)
    free = robot.rollout(q, v, tau, 2e-3, method=method, project=False)[0]
    for k in range(20):
        q, v = robot.project(*robot.step(q, v, tau[k], 2e-3, method=method))
        np.testing.assert_allclose(Q[k], q, rtol=0, atol=1e-8)
        np.testing.assert_allclose(V[k], v, rtol=0, atol=3e-6)
    held = list(robot.model.rows_hold_positions)
    left = [np.abs(robot.closure_residual(x)[..., held]).max() for x in (Q, free)]
    assert left[0] < 1e-12 and left[0] < left[1]
    assert np.abs(robot.closure_velocity(Q, V)).max() < 1e-11


HARD = {"four_bar": {"rocker": 0.03}, "five_bar": {"left_motor": 0.03, "right_motor": 0.05}}
"""Robots, and the room of joints on both sides of where they are assembled."""


def stopped_robot(name, rooms):
    """A closed robot with hard stops."""
    robot = kt.load(name)
    at = robot.assemble()
    bodies = [
        replace(b, limits=replace(b.limits, lower=at[k] - room, upper=at[k] + room)) if room else b
        for b in robot.model.bodies
        for k, room in [(robot.q_slice(b.joint_name), rooms.get(b.joint_name))]
    ]
    limited = kt.Robot(replace(robot.model, bodies=tuple(bodies)))
    return limited.with_joint_effects(stop_law="hard", restitution=0.3), at


@pytest.mark.parametrize("method", ["semi-implicit", "implicit"])
@pytest.mark.parametrize("name", HARD)
def test_no_joint_passes_its_hard_stops(name, method):
    """A projection moves along velocities that are free alone; its derivatives are differences there, too."""
    robot, q = stopped_robot(name, HARD[name])
    model, n, h, dt = robot.model, robot.nv, 1e-6, 0.01
    tau = np.random.default_rng(5).normal(size=(40, n)) * {"four_bar": 20.0, "five_bar": 1.0}[name]
    Q, V = robot.rollout(q, np.zeros(n), tau, dt, method=method)
    room = np.minimum(robot.limits.upper - Q, Q - robot.limits.lower)
    assert room.min() > -1e-12
    assert np.abs(robot.closure_residual(Q)).max() < 1e-12
    assert np.abs(robot.closure_velocity(Q, V)).max() < 1e-11
    assert (np.abs(room) < 1e-12).any(axis=1).mean() > 0.3
    seen = 0
    for k in range(0, 39, 3):

        def after(e, k=k):
            x, u = Q[k] + e[:n], V[k] + e[n : 2 * n]
            return np.concatenate(robot.step(x, u, tau[k + 1] + e[2 * n :], dt, method=method, project=True))

        wanted = np.stack([(after(h * e) - after(-h * e)) / (2 * h) for e in np.eye(3 * n)], axis=-1)
        found = np.concatenate(robot.linearise_step(Q[k], V[k], tau[k + 1], dt, method=method, project=True), axis=-1)
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-6 * max(1.0, np.abs(wanted).max()))
        seen += np.abs(wanted).max() > 0.1
    assert seen or model.nv - model.closure_rows < 2


def test_stops_that_are_met_at_once():
    """With both joints held, a loop of one degree of freedom has no way to close: the one that it meets first is."""
    robot, q = stopped_robot("four_bar", {"rocker": 0.01, "crank": 0.0295})
    tau = 20.0 * np.random.default_rng(1).normal(size=(80, 3))
    Q = robot.rollout(q, 0 * q, tau, 0.01, method="semi-implicit")[0]
    room = np.minimum(robot.limits.upper - Q, Q - robot.limits.lower)
    assert room.min() > -1e-12
    assert (np.abs(room) < 1e-12).any(axis=0).sum() == 2
    assert np.abs(robot.closure_residual(Q)).max() < 1e-12


def test_what_floats_keeps_its_momentum():
    _, q, v = state_beside("four_bar")
    free = kt.load("four_bar", base="free")
    q = np.concatenate([[0.1, 0.2, 0.3, 0.8, 0.6, 0.0, 0.0], q])
    v = np.concatenate([np.arange(6.0), v])
    closed, u = closed_state(free.model, q, v)
    np.testing.assert_allclose(free.momentum(closed, u), free.momentum(q, v), rtol=0, atol=1e-12)
    assert np.abs(free.closure_velocity(closed, u)).max() < 1e-12


@pytest.mark.parametrize("name", ["four_bar", "two_pandas_beam"])
def test_single_precision_and_batches(name):
    """Each state of a batch as if it were alone; loops stay closed to the rounding of the precision."""
    robot, q, v = state_beside(name, 0.0)
    v = 0.1 * robot.project(q, v)[1]
    v, tau = np.linspace(0.0, 1.0, 5)[:, None] * v, np.zeros((5, 50, robot.nv))
    Q, V = robot.rollout(q, v, tau, 1e-3)
    alone = robot.rollout(q, v[3], tau[3], 1e-3)
    np.testing.assert_array_equal(Q[3], alone[0])
    np.testing.assert_array_equal(V[3], alone[1])
    single = kt.Robot(robot.model, dtype="float32")
    at = single.rollout(np.float32(q), np.float32(v), np.float32(tau), 1e-3)[0]
    assert np.abs(robot.closure_residual(np.float64(at))).max() < 1e-5
    np.testing.assert_allclose(at, Q, rtol=0, atol=1e-4)


def test_loops_that_do_not_close_give_nan():
    robot = kt.load("four_bar")
    far = np.zeros((3, 6))
    far[0, 3] = 10.0
    q, _ = closed_state(robot.model, robot.assemble(), np.zeros(3), {robot.closure_names[0]: far})
    assert np.isnan(q).all()


@pytest.mark.parametrize("shift", np.linspace(0.5, 0.7, 21))
def test_loops_are_closed_to_rounding_or_nan(shift):
    """Near the farthest that the links reach, where Newton's method is slow."""
    robot = kt.load("four_bar")
    along = np.zeros((3, 6))
    along[0, 3] = shift
    drive = {robot.closure_names[0]: along}
    q, _ = closed_state(robot.model, robot.assemble(), np.zeros(3), drive)
    assert np.isnan(q).all() or np.abs(algorithms.closure_residual(robot.model, q, drive=drive)).max() < 1e-10


@pytest.mark.parametrize("name", ["four_bar", "five_bar"])
def test_any_derivative_of_a_projected_step(name):
    """`kt.jacobian` agrees with the derivatives by hand; of second order and in reverse, with differences of these."""
    robot, q, v = state_beside(name, 0.0)
    v, n, h = 0.3 * robot.project(q, v)[1], robot.nv, 1e-5
    tau, given = 0.1 * np.random.default_rng(5).normal(size=n), {"method": "rk4", "project": True}

    def after(model, q, v, tau):
        return concatenate(algorithms.step(model, q, v, tau, 0.01, **given))

    found = np.concatenate(kt.compile(kt.jacobian(after, wrt=("v", "tau")), robot)(q, v, tau), axis=-1)
    by_hand = np.concatenate(robot.linearise_step(q, v, tau, 0.01, **given), axis=-1)[:, n:]
    np.testing.assert_allclose(found[robot.nq :], by_hand[n:], rtol=0, atol=1e-10)

    def last(model, q, v, tau):
        return after(model, q, v, tau)[-1]

    slopes = kt.compile(kt.jacobian(last, wrt="tau"), robot)
    bent = kt.compile(kt.hessian(last, wrt="tau"), robot)(q, v, tau)
    wanted = np.stack([(slopes(q, v, tau + h * e) - slopes(q, v, tau - h * e)) / (2 * h) for e in np.eye(n)], axis=-1)
    np.testing.assert_allclose(bent, wanted, rtol=0, atol=1e-6 * (1.0 + np.abs(wanted).max()))


def test_gradients_through_projected_rollouts():
    """Through the loop in reverse, by joint forces and by parameters of the robot, as differences are."""
    robot = kt.load("four_bar")
    q, h = robot.assemble(), 1e-6
    v, tau = robot.velocity_map(q) @ [2.0], np.random.default_rng(6).normal(size=(5, 3))

    def end(model, q, v, tau):
        step = lambda x, row: (algorithms.step(model, *x, row, 0.01, method="rk4", project=True), None)  # noqa: E731
        return concatenate(scan(step, (q, v), tau)[0])

    weights = np.random.default_rng(7).normal(size=6)
    by_v, by_inertia = (
        kt.compile(kt.vjp(end, wrt=wrt), robot, shapes={"tau": ("t", 3)})(q, v, tau, weights)
        for wrt in ("v", "inertial")
    )
    Q, V = (np.stack(x) for x in zip(*(robot.rollout(q, v + h * e, tau, 0.01) for e in np.eye(3)), strict=True))
    Q0, V0 = (np.stack(x) for x in zip(*(robot.rollout(q, v - h * e, tau, 0.01) for e in np.eye(3)), strict=True))
    ends = (np.concatenate([Q, V], axis=-1) - np.concatenate([Q0, V0], axis=-1))[:, -1] / (2 * h)
    np.testing.assert_allclose(by_v, ends @ weights, rtol=0, atol=2e-7)  # of differences
    pi = robot.parameters("inertial")
    for k, e in ((0, 0), (1, 3), (2, 9)):
        other = [pi + s * h * np.eye(30).reshape(30, 3, 10)[10 * k + e] for s in (1, -1)]
        x, y = (np.concatenate(robot.with_parameters(inertial=p).rollout(q, v, tau, 0.01), axis=-1)[-1] for p in other)
        np.testing.assert_allclose(by_inertia[k, e], weights @ (x - y) / (2 * h), rtol=0, atol=1e-6)  # of differences


@pytest.mark.parametrize("name", ["four_bar", "five_bar"])
def test_derivatives_of_project_on_closed_loops(name):
    robot, q, v = state_beside(name, 0.0)
    n, h = robot.nv, 1e-6

    def projected(model, q, v):
        return concatenate(algorithms.project(model, q, v))

    kernel, slopes = kt.compile(projected, robot), kt.compile(kt.jacobian(projected, wrt=("q", "v")), robot)
    for k, D in enumerate(slopes(q, v)):
        for j, e in enumerate(h * np.eye(n)):
            x, y = ((robot.integrate(q, s * e), v) if k == 0 else (q, v + s * e) for s in (1, -1))
            wanted = (kernel(*x) - kernel(*y)) / (2 * h)
            np.testing.assert_allclose(D[:, j], wanted, rtol=0, atol=1e-8 * (1.0 + np.abs(wanted).max()))


@pytest.mark.parametrize("method", ["semi-implicit", "implicit"])
def test_what_sticks_in_loops_does_not_move(method):
    """To the bit, while others move; derivatives of the step are differences, by hand and by `kt.jacobian`."""
    robot = kt.load("five_bar").with_joint_effects("left_motor", friction=500.0, friction_law="dry")
    q, n, h, given = robot.assemble(), robot.nv, 1e-6, {"method": method, "project": True}
    v = kt.load("five_bar").velocity_map(q) @ [0.0, 3.0]
    v[0] = 0.0
    moving = robot.simulate(q, v, t=1.0, dt=1e-3, method=method)
    assert np.ptp(moving.q[:, 0]) == 0.0 and np.abs(moving.v[1:, 0]).max() == 0.0
    assert np.ptp(moving.q[:, 1]) > 0.3 and np.abs(moving.closure_residual()).max() < 1e-12
    q, v, tau = moving.q[100], moving.v[100], np.zeros(n)

    def after(model, v, q, tau):
        return concatenate(algorithms.step(model, q, v, tau, 1e-2, **given))

    by_hand = np.concatenate(robot.linearise_step(q, v, tau, 1e-2, **given), axis=-1)[:, n:]
    found = np.concatenate(kt.compile(kt.jacobian(after, wrt=("v", "tau")), robot)(v, q, tau), axis=-1)
    kernel = kt.compile(after, robot)
    for k, e in enumerate(h * np.eye(2 * n)):
        ends = [kernel(v + s * e[:n], q, tau + s * e[n:]) for s in (1, -1)]
        wanted = (ends[0] - ends[1]) / (2 * h)
        np.testing.assert_allclose(found[:, k], wanted, rtol=0, atol=1e-6)  # of differences
        np.testing.assert_allclose(by_hand[:, k], wanted, rtol=0, atol=1e-6)
