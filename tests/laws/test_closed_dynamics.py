"""Closed chains in motion: independent velocities, motors, derivatives, linear dynamics, on random trees with loops."""

from dataclasses import replace

import numpy as np
import pytest

import kinetrace as kt
from kinetrace import algorithms as alg

from .systems import KINDS, analysed_robot

STEP = 1e-6


@pytest.fixture(params=KINDS, scope="module")
def robot(request):
    return analysed_robot(request.param)


@pytest.fixture(scope="module")
def state(robot):
    rng = np.random.default_rng(3)
    q = robot.assemble()
    v = robot.velocity_map(q) @ rng.normal(size=robot.dof)
    return q, v, rng.normal(size=robot.nv)


def along(robot, f, q, *rest):
    """The derivative of f(q, ...) along q ⊕ ε, by differences."""
    steps = STEP * np.eye(robot.nv)
    return np.stack(
        [(f(robot.integrate(q, e), *rest) - f(robot.integrate(q, -e), *rest)) / (2 * STEP) for e in steps], -1
    )


def close(x, y, tolerance=2e-7):
    assert np.max(np.abs(x - y)) <= tolerance * max(1.0, np.max(np.abs(y)))


def test_derivatives_are_those_of_the_graph(robot, state):
    directions = np.random.default_rng(5).normal(size=(3, robot.nv))
    graph = robot.kernel(kt.jvp(alg.forward_dynamics, wrt=("q", "v", "tau")))(*state, *directions)
    found = robot.forward_dynamics_derivatives(*state)
    close(sum(D @ d for D, d in zip(found, directions, strict=True)), graph, 1e-9)


def test_derivatives_of_motor_forces_are_differences(robot, state):
    q, v, a = state
    weight = np.random.default_rng(1).uniform(1, 2, robot.nv)
    everywhere = robot.with_motors(*robot.joint_names)
    found = everywhere.motor_forces_derivatives(q, v, a, tau_weight=weight)

    def tau(q, v, a):
        return everywhere.motor_forces(q, v, a, tau_weight=weight)[0]

    close(found[0], along(everywhere, tau, q, v, a))
    steps = STEP * np.eye(robot.nv)
    close(found[1], np.stack([(tau(q, v + e, a) - tau(q, v - e, a)) / (2 * STEP) for e in steps], -1))
    close(found[2], np.stack([(tau(q, v, a + e) - tau(q, v, a - e)) / (2 * STEP) for e in steps], -1))


def test_motors_share_the_load(robot, state):
    q, v, _ = state
    rng, everywhere = np.random.default_rng(2), robot.with_motors(*robot.joint_names)
    a = robot.closed_acceleration(q, v, rng.normal(size=robot.dof))
    h, G = robot.inverse_dynamics(q, v, a), robot.velocity_map(q)
    internal, weight = rng.normal(size=robot.model.closure_rows), rng.uniform(1, 2, robot.nv)
    least, _ = everywhere.motor_forces(q, v, a)
    close(least, np.linalg.lstsq(G.T, G.T @ h, rcond=None)[0], 1e-9)
    root = np.sqrt(weight)
    weighted, _ = everywhere.motor_forces(q, v, a, tau_weight=weight)
    close(weighted * root, np.linalg.lstsq(G.T / root, G.T @ h, rcond=None)[0], 1e-9)
    for tau, force in (
        everywhere.motor_forces(q, v, a),
        everywhere.motor_forces(q, v, a, least="forces"),
        everywhere.motor_forces(q, v, a, least="forces", internal_forces=internal),
    ):
        close(robot.forward_dynamics(q, v, tau), a, 1e-8)
        close(tau + robot.closure_jacobian(q).T @ force, h, 1e-9)


@pytest.mark.parametrize("robot", ["hinge"], indirect=True)
def test_too_few_motors_are_an_error_that_names_what_none_drives(robot, state):
    q, v, a = state
    with pytest.raises(kt.InputError, match=r"too few motors: no motor drives a motion of .* it has none"):
        robot.with_motors().motor_forces(q, v, a)


def test_linear_dynamics_are_those_of_the_nonlinear(robot, state):
    """In the directions that the closures leave: q by Newton in the dependent ones, v by G."""
    q, v, tau = state
    model = robot.model
    A, B = robot.linearise(q, v, tau)
    places, y = list(model.assembly.places), list(model.assembly.independent)
    held = [k for k in model.assembly.rows if [x for c in model.closures for x in c.constraint.holonomic][k]]
    others = [k for k in range(robot.nv) if k not in places]
    K = robot.closure_jacobian(q)[held]
    G_p = np.eye(robot.nv)[:, places]
    G_p[others] = -np.linalg.solve(K[:, others], K[:, places])

    def moved(step):
        there = robot.integrate(q, G_p @ step)
        for _ in range(6):
            K, step = robot.closure_jacobian(there)[held], np.zeros(robot.nv)
            step[others] = -np.linalg.solve(K[:, others], robot.closure_residual(there)[held])
            there = robot.integrate(there, step)
        return there

    def rate(dp, dy):
        there = moved(dp)
        return robot.forward_dynamics(there, robot.velocity_map(there) @ (v[y] + dy), tau)[y]

    n, h = len(places), 1e-5
    by_place = [(rate(h * e, 0) - rate(-h * e, 0)) / (2 * h) for e in np.eye(n)]
    by_velocity = [(rate(np.zeros(n), h * e) - rate(np.zeros(n), -h * e)) / (2 * h) for e in np.eye(len(y))]
    close(A[n:, :n], np.stack(by_place, -1), 1e-6)
    close(A[n:, n:], np.stack(by_velocity, -1), 1e-6)
    close(B[n:], robot.forward_dynamics_derivatives(q, v, tau)[2][y], 1e-12)
    moving = [robot.velocity_map(moved(h * e)) @ v[y] - robot.velocity_map(moved(-h * e)) @ v[y] for e in np.eye(n)]
    drift = np.stack([model.bracket(v, x) for x in G_p.T], -1)
    close(A[:n, :n], (np.stack(moving, -1) / (2 * h) - drift)[places], 1e-6)
    close(A[:n, n:], robot.velocity_map(q)[places], 1e-12)


@pytest.mark.parametrize("robot", ["screw and rod", "rolling"], indirect=True)
def test_placements_of_closures_are_parameters_with_derivatives(robot, state):
    """Calibration: the residual along the placements, by the graph and by the constraint's rows."""
    q, x = state[0], robot.parameters("closures")
    found = robot.kernel(kt.jacobian(alg.closure_residual, wrt="closures"))(q)
    residual = robot.kernel(alg.closure_residual, inputs="closures")
    for k in np.ndindex(*x.shape[:2]):
        for i, e in enumerate(STEP * np.eye(6)):
            plus, minus = x.copy(), x.copy()
            plus[k], minus[k] = x[k] @ kt.lie.se3.exp(e), x[k] @ kt.lie.se3.exp(-e)
            close(found[(slice(None), *k, i)], (residual(q, plus) - residual(q, minus)) / (2 * STEP))


def test_independent_velocities_by_name():
    robot = kt.load("four_bar")
    for name in robot.joint_names:
        again = robot.with_closures(independent=(name,))
        assert again.independent == (robot.v_slice(name).start,)
        q, v = robot.project(robot.assemble(), np.ones(3))
        close(again.velocity_map(q) @ v[list(again.independent)], v, 1e-12)
    with pytest.raises(kt.InputError, match="has 1 degrees of freedom, got 2"):
        robot.with_closures(independent=("crank", "rocker"))


def test_base_parameters_of_a_loop_are_fewer_and_found_from_motions():
    robot = kt.load("four_bar")
    tree = kt.Robot(replace(robot.model, closures=(), assembly=None))
    base = kt.identify.base_parameters(robot)
    assert base.count < kt.identify.base_parameters(tree).count
    rng = np.random.default_rng(0)
    q = robot.assemble(robot.random(80, seed=1))
    q = q[np.all(np.isfinite(q), axis=1)]
    v = (robot.velocity_map(q) @ rng.normal(size=(len(q), 1, 1)))[..., 0]
    a = robot.closed_acceleration(q, v, rng.normal(size=(len(q), 1)))
    heavy = robot.with_parameters(inertial=2 * robot.parameters("inertial"))
    tau, _ = heavy.with_motors("crank").motor_forces(q, v, a)
    found = kt.identify.fit(robot, q, v, a, tau)
    np.testing.assert_allclose(found.values, found.base.of(heavy.parameters("inertial")), atol=1e-6)
