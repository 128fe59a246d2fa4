"""The equations of motion in quasi-velocities: against M's own triangular factor, and against the standard form."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import kinetrace as kt
from kinetrace import algorithms as alg
from kinetrace.linalg import dense
from kinetrace.model import load_model, random_chain


def factor(model, q):
    """W of M = W Wᵀ: the one that is upper triangular, from the matrix and without sweeps."""
    return dense.root_product(dense.factor(alg.mass_matrix(model, q)), np.eye(model.nv))


def moving_factor(model, q, v, step):
    """W, and its rate by a complex step."""
    W = factor(model, model.integrate(q, 1j * step * v))
    return W.real, W.imag / step


def test_no_work_to_fifty_digits():
    """On a robot whose axes and turns are exact numbers."""
    model, rng = load_model("quadruped", base="free", joint_effects=False), np.random.default_rng(2)
    with mpmath.workdps(50):
        exact = np.vectorize(mpmath.mpf, otypes=[object])
        q, nu = model.normalise(exact(model.random(rng))), exact(rng.normal(size=model.nv))
        C = alg.diagonal_coriolis(model, q, nu)
        assert abs(nu @ C) < mpmath.mpf(10) ** -47
        assert max(abs(C)) > 1
    mine = alg.diagonal_coriolis(model, q.astype(float), nu.astype(float))
    np.testing.assert_allclose(mine, C.astype(float), rtol=0, atol=1e-11 * np.abs(mine).max())


def test_screws_that_pick_coordinates_for_once_still_move(mechanics):
    model = random_chain(4, 1, [kt.joints.Planar(), kt.joints.Universal()]).build()
    q, v = model.neutral(), np.linspace(-1, 1, model.nv)
    W, dW = moving_factor(model, q, v, mechanics.step)
    c = alg.bias(model, q, v) - alg.gravity(model, q)
    mechanics.assert_near(W @ (alg.diagonal_coriolis(model, q, W.T @ v) + dW.T @ v), c, 1e-11)


ROBOTS = {
    "chain": lambda: kt.load("panda", backend="numpy"),
    "tree": lambda: kt.random_tree(6, 5, backend="numpy"),
    "free-floating arm": lambda: kt.load("ur5e", base="free", gravity=(0.0, 0.0, 0.0), backend="numpy"),
}


def simulated(robot, q, v, tau, method, steps, duration=0.1):
    """q and v at the end, in (q, v) and in (q, ν)."""
    p, nu, dt = q, robot.mass_root_transposed_product(q, v), duration / steps
    for _ in range(steps):
        q, v = robot.step(q, v, tau, dt, method=method)
        p, nu = robot.diagonal_step(p, nu, tau, dt, method=method)
    return q, v, p, robot.mass_root_transposed_solve(p, nu)


@pytest.mark.alternates(2, "name", "method")
@pytest.mark.parametrize(("method", "order"), [("rk4", 4), ("semi-implicit", 1)])
@pytest.mark.parametrize("name", ROBOTS)
def test_both_forms_simulate_the_same_to_the_order_of_the_method(name, method, order):
    robot, rng = ROBOTS[name](), np.random.default_rng(1)
    q, v, tau = robot.random(seed=2), *(0.3 * rng.normal(size=(2, robot.nv)))
    gaps, steps = [], np.array([4, 8, 16])
    for count in steps:
        q1, v1, q2, v2 = simulated(robot, q, v, tau, method, count)
        gaps.append(np.linalg.norm(np.concatenate([robot.difference(q1, q2), v2 - v1])))
    slopes = -np.diff(np.log(gaps)) / np.diff(np.log(steps))
    assert slopes.min() > order - 0.4, (gaps, slopes)
