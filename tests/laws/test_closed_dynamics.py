"""Closed chains in motion: independent velocities, motors, derivatives, linear dynamics, on random trees with loops."""

from dataclasses import replace

import numpy as np
import pytest

import kinetrace as kt
from kinetrace import algorithms as alg
from kinetrace.algorithms.registry.declaration import ALGORITHMS

from .systems import KINDS, OnFloats, analysed_robot

STEP = 1e-6


@pytest.fixture(params=KINDS, scope="module")
def robot(request):
    return OnFloats(analysed_robot(request.param))


@pytest.fixture(scope="module")
def state(robot):
    rng = np.random.default_rng(3)
    q = robot.robot.assemble()
    v = robot.velocity_map(q) @ rng.normal(size=robot.dof)
    return q, v, rng.normal(size=robot.nv)


def close(x, y, tolerance=2e-7):
    assert np.max(np.abs(x - y)) <= tolerance * max(1.0, np.max(np.abs(y)))


def along(robot, f, state, k, w, h=1e-40):
    """The derivative of f(q, v, ...) along w, of the k-th argument, by a complex step."""
    q, *rest = state
    moved = [x + 1j * h * w if i == k else x for i, x in enumerate(rest, start=1)]
    return f(robot.model.integrate(q, 1j * h * w) if k == 0 else q, *moved).imag / h


def test_derivatives_are_complex_steps(robot, state, rng):
    """Along random directions of q, v and τ."""
    for k, D in enumerate(robot.forward_dynamics_derivatives(*state)):
        w = rng.normal(size=robot.nv)
        close(D @ w, along(robot, robot.forward_dynamics, state, k, w), 1e-10)


@pytest.mark.parametrize("robot", ["hinge"], indirect=True)
def test_derivatives_are_those_of_the_graph(robot, state):
    directions = np.random.default_rng(5).normal(size=(3, robot.nv))
    graph = robot.robot.kernel(kt.jvp(alg.forward_dynamics, wrt=("q", "v", "tau")))(*state, *directions)
    found = robot.robot.forward_dynamics_derivatives(*state)
    close(sum(D @ d for D, d in zip(found, directions, strict=True)), graph, 1e-9)


def test_derivatives_of_motor_forces_are_complex_steps(robot, state, rng):
    weight = np.random.default_rng(1).uniform(1, 2, robot.nv)
    everywhere = OnFloats(robot.robot.with_motors(*robot.model.joint_names))

    def tau(q, v, a):
        return everywhere.motor_forces(q, v, a, tau_weight=weight)[0]

    for k, D in enumerate(everywhere.motor_forces_derivatives(*state, tau_weight=weight)):
        w = rng.normal(size=robot.nv)
        close(D @ w, along(robot, tau, state, k, w), 1e-10)


def test_motors_share_the_load(robot, state):
    q, v, _ = state
    rng, everywhere = np.random.default_rng(2), OnFloats(robot.robot.with_motors(*robot.model.joint_names))
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
        robot.robot.with_motors().motor_forces(q, v, a)


def test_linear_dynamics_are_those_of_the_nonlinear(robot, state, rng):
    """In random directions that the closures leave: q by Newton in the dependent ones, v by G."""
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
        there = model.integrate(q, G_p @ step)
        for _ in range(6):
            K, step = robot.closure_jacobian(there)[held], np.zeros(robot.nv)
            step[others] = -np.linalg.solve(K[:, others], robot.closure_residual(there)[held])
            there = model.integrate(there, step)
        return there

    def rate(dp, dy):
        there = moved(dp)
        return robot.forward_dynamics(there, robot.velocity_map(there) @ (v[y] + dy), tau)[y]

    n, h = len(places), 1e-5
    for _ in range(2):
        p, w = rng.normal(size=n), rng.normal(size=len(y))
        none = np.zeros(n)
        close(A[n:, :n] @ p, (rate(h * p, 0) - rate(-h * p, 0)) / (2 * h), 1e-6)
        close(A[n:, n:] @ w, (rate(none, h * w) - rate(none, -h * w)) / (2 * h), 1e-6)
        moving = robot.velocity_map(moved(h * p)) @ v[y] - robot.velocity_map(moved(-h * p)) @ v[y]
        close(A[:n, :n] @ p, (moving / (2 * h) - model.bracket(v, G_p @ p))[places], 1e-6)
    close(B[n:], robot.forward_dynamics_derivatives(q, v, tau)[2][y], 1e-12)
    close(A[:n, n:], robot.velocity_map(q)[places], 1e-12)


@pytest.mark.parametrize("robot", ["screw and rod", "rolling"], indirect=True)
def test_placements_of_closures_are_parameters_with_derivatives(robot, state):
    """Calibration: the residual along the placements, by the graph and by the constraint's rows."""
    q, robot = state[0], robot.robot
    x = robot.parameters("closures")
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


def test_declarations_say_what_closed_loops_do():
    """Every algorithm honours them, is about them, refuses them, or has the numbers of the tree, as is declared."""
    robot = kt.load("two_pandas_beam", backend="numpy")
    model, tree = robot.model, replace(robot.model, closures=(), assembly=None)
    q, rng, found = robot.assemble(), np.random.default_rng(4), {}
    v = robot.velocity_map(q) @ rng.normal(size=robot.dof)
    for name, says in ALGORITHMS.items():
        if says.about_closures:
            continue
        vectors = {x: rng.normal(size=model.nv) for x in says.arrays}
        others = {"q": q, "v": v, "dt": 0.01, "control": np.zeros(0)}
        given = {**vectors, **{x: y for x, y in others.items() if x in vectors}}
        static = {"frame": list(model.frames)[-1]} if says.needs_frame else {}
        static |= {"axes": (0, 3)} if "axes" in says.choices else {}
        if says.instead_for_loops:
            with pytest.raises(kt.InputError, match=rf"^{name} is for robots without closed loops, not 'two_pan"):
                says.function(model, **given, **static)
            continue
        if says.most_nv is not None and says.most_nv < model.nv:
            continue
        closed, opened = (says.function(m, **given, **static) for m in (model, tree))
        pairs = zip(closed, opened, strict=True) if isinstance(closed, tuple) else [(closed, opened)]
        found[name] = any(np.shape(x) != np.shape(y) or not np.array_equal(x, y) for x, y in pairs)
    assert found == {name: ALGORITHMS[name].honours_closures for name in found}
    assert len(found) > 50
