"""Mimic joints are eliminated exactly: every algorithm against the tree whose mimic joints move on their own.

With q_tree = E q + offsets, v_tree = E v and E made here by hand, the coupled robot's forces are Eᵀ τ_tree, its mass
matrix is Eᵀ M_tree E, and so on for whatever is linear in velocities.
"""

from __future__ import annotations

import itertools
from dataclasses import replace

import mpmath
import numpy as np
import pytest

import kinetrace as kt
from kinetrace import algorithms as alg
from kinetrace.algorithms.registry.declaration import ALGORITHMS
from kinetrace.model import random_chain, random_tree
from kinetrace.model.arguments import argument_shapes

from .conftest import mimic_of_each, with_mimics, without_mimics


class Pair:
    """A coupled robot in a motion, and the tree without couplings in the same."""

    def __init__(self, model, rng):
        self.model, self.tree = model, without_mimics(model)
        self.q, (self.v, self.a, self.u) = model.random(rng), rng.normal(size=(3, model.nv))
        self.E, parts = np.zeros((self.tree.nv, model.nv)), []
        for body in model.bodies:
            follows = body.mimic or mimic_of_each(body.index, body.joint.nq)
            rows, (q_at, v_at) = self.tree.slices[body.index][1], model.slices[follows.source]
            self.E[rows, v_at] = np.eye(body.joint.nv) if body.mimic is None else follows.ratio
            parts.append(follows.ratio @ self.q[q_at] + follows.offset)
        self.q_tree = np.concatenate(parts)

    def of_tree(self, function, *velocities, **choices):
        return function(self.tree, self.q_tree, *(self.E @ x for x in velocities), **choices)


@pytest.fixture
def pair(coupled, rng):
    return Pair(coupled, rng)


@pytest.fixture
def frame(coupled):
    return list(coupled.frames)[-1]


def test_forces_return_to_their_sources(pair, mechanics):
    E, model, q, v, a = pair.E, pair.model, pair.q, pair.v, pair.a
    for function, velocities in (
        (alg.inverse_dynamics, (v, a)),
        (alg.bias, (v,)),
        (alg.gravity, ()),
        (alg.coriolis_product, (v, a)),
        (alg.coriolis_transpose_product, (v, a)),
        (alg.regressor, (v, a)),
        (alg.coriolis_regressor, (v, pair.u, a)),
    ):
        expected = E.T @ pair.of_tree(function, *velocities)
        mechanics.assert_near(function(model, q, *velocities), expected, 1e-11)


def test_what_moves_is_the_same(pair, frame, mechanics):
    model, q, v, a = pair.model, pair.q, pair.v, pair.a
    for function, velocities, choices in (
        (alg.pose, (), {"frame": frame}),
        (alg.velocity, (v,), {"frame": frame}),
        (alg.acceleration, (v, a), {"frame": frame}),
        (alg.kinetic_energy, (v,), {}),
        (alg.potential_energy, (), {}),
        (alg.momentum, (v,), {}),
        (alg.momentum_rate, (v, a), {}),
        (alg.energy_regressor, (v,), {}),
        (alg.momentum_regressor, (v,), {}),
    ):
        expected = pair.of_tree(function, *velocities, **choices)
        mechanics.assert_near(function(model, q, *velocities, **choices), expected, 1e-11)


def test_matrices_by_congruence(pair, mechanics):
    E, model, q, v = pair.E, pair.model, pair.q, pair.v
    for function, velocities in ((alg.coriolis_matrix, (v,)), (alg.mass_matrix_rate, (v,))):
        expected = E.T @ pair.of_tree(function, *velocities) @ E
        mechanics.assert_near(function(model, q, *velocities), expected, 1e-11)
    M = E.T @ pair.of_tree(alg.mass_matrix) @ E
    for method in ("composite", "jacobians", "factors"):
        mechanics.assert_near(alg.mass_matrix(model, q, method=method), M)
    W = np.linalg.cholesky(M[::-1, ::-1])[::-1, ::-1]  # upper triangular
    found = np.array([alg.mass_root_product(model, q, e) for e in np.eye(model.nv)]).T
    mechanics.assert_near(found, W)
    mechanics.assert_near(np.sqrt(alg.mass_pivots(model, q)), np.diag(W))
    mechanics.assert_near(M @ alg.solve_mass(model, q, pair.u), pair.u, 1e-9)  # cond(M) is up to 1e6


def test_derivatives_by_the_chain_rule(pair, frame, mechanics):
    E, model, q, v, a = pair.E, pair.model, pair.q, pair.v, pair.a
    found = alg.inverse_dynamics_derivatives(model, q, v, a)
    for x, x_tree in zip(found, pair.of_tree(alg.inverse_dynamics_derivatives, v, a), strict=True):
        mechanics.assert_near(x, E.T @ x_tree @ E, 1e-11)
    J_tree = pair.of_tree(alg.jacobian, frame=frame)
    mechanics.assert_near(alg.jacobian(model, q, frame=frame), J_tree @ E)
    tau = alg.inverse_dynamics(model, q, v, a)
    dq, dv, inverse = alg.forward_dynamics_derivatives(model, q, v, tau)
    M = E.T @ pair.of_tree(alg.mass_matrix) @ E
    for x, y in ((dq, -found[0]), (dv, -found[1]), (inverse, np.eye(model.nv))):
        mechanics.assert_near(M @ x, y, 1e-9)  # the condition of M
    for method in ("FD1", "FD3", "FD4", "solve"):
        step = 1j * mechanics.step
        moved = alg.forward_dynamics(model, model.integrate(q, step * pair.u), v, tau, method=method)
        mechanics.assert_near(M @ (moved.imag / mechanics.step), M @ dq @ pair.u, 1e-9)


SMALL = with_mimics(random_tree(9, 3).build(), 8)
KINDS = [
    kt.joints.Revolute([0, 0.6, 0.8]),
    kt.joints.Universal([1, 0, 0], [0, 1, 0]),
    kt.joints.Prismatic([0, 1, 0]),
    kt.joints.Planar([1, 0, 0]),
]
FRAMES = {"frame": "tip"}
CLOSED = ("sweeps", "factors", "quasi", "dense", "independent")


def choices_of(says):
    """All combinations of an algorithm's static choices; methods of closed chains apart."""
    values = {
        name: [FRAMES[name]] if name in FRAMES else [x for x in choice.values if x not in CLOSED]
        for name, choice in says.choices.items()
        if name in FRAMES or choice.values
    }
    return [dict(zip(values, each, strict=True)) for each in itertools.product(*values.values())]


def followed(kinds):
    """A chain of these joints and of two that follow the first two."""
    n = len(kinds)
    model = random_chain(n + 2, 3, [*kinds, *kinds[:2]]).build()
    bodies = (replace(body, mimic=mimic_of_each(body.index - n, body.joint.nv, -0.7, 0.2)) for body in model.bodies[n:])
    return replace(model, bodies=(*model.bodies[:n], *bodies))


LONG = ("linearise_step", "inverse_dynamics_second_derivatives")
"""What has large programs; a frame needs six velocities to move freely."""


def is_tried(name, says):
    """Curvature has tests of its own, with mimic joints; so have closures, below."""
    others = says.most_nv or "closure" in name or "reduced" in name
    return not others and {*says.arrays} <= argument_shapes(SMALL).keys()


TRIED = {name: says for name, says in ALGORITHMS.items() if is_tried(name, says)}


def some_choices():
    """Of every algorithm that has several, a run by day takes half."""
    for name, says in TRIED.items():
        several = choices_of(says)
        for k, choices in enumerate(several):
            part = pytest.mark.part(k, 2) if len(several) > 1 else ()
            yield pytest.param(name, choices, id="-".join([name, *map(str, choices.values())]), marks=part)


@pytest.mark.parametrize(("name", "choices"), [*some_choices()])
def test_no_algorithm_refuses_mimic_joints(name, choices):
    """With every choice, traced and on floats alike."""
    says = TRIED[name]
    model = followed(KINDS[:2] if name in LONG else KINDS if "frame" in says.choices else KINDS[:3])
    rng, shapes, robot = np.random.default_rng(5), argument_shapes(model), kt.Robot(model, backend="numpy")
    given = {"q": model.random(rng), "dt": 0.01}
    arrays = [given[x] if x in given else rng.normal(size=shapes[x]) for x in says.arrays]
    expected, found = says.function(model, *arrays, **choices), robot.kernel(says.function, **choices)(*arrays)
    both = ([x] if not isinstance(x, tuple) else x for x in (expected, found))
    for x, y in zip(*both, strict=True):
        assert np.all(np.isfinite(x))
        np.testing.assert_allclose(y, x, rtol=0, atol=1e-9 * max(1.0, np.abs(x).max(initial=0)))


def test_most_algorithms_are_tried():
    assert sum(len(choices_of(says)) for says in TRIED.values()) > 100


def test_coupled_quasi_velocities_to_fifty_digits():
    """ν · C = 0 and C by sums of exact numbers; nothing of a root's rate is left to rounding."""
    rng = np.random.default_rng(2)
    with mpmath.workdps(50):
        exact = np.vectorize(mpmath.mpf, otypes=[object])
        q, nu = SMALL.normalise(exact(SMALL.random(rng))), exact(rng.normal(size=SMALL.nv))
        C = alg.diagonal_coriolis(SMALL, q, nu)
        assert abs(nu @ C) < mpmath.mpf(10) ** -44
        assert max(abs(C)) > 0.1
    mine = alg.diagonal_coriolis(SMALL, q.astype(float), nu.astype(float))
    np.testing.assert_allclose(mine, C.astype(float), rtol=0, atol=1e-10 * np.abs(mine).max())


def test_a_mimic_joint_without_mass_of_its_own_is_no_obstacle(mechanics):
    """The tree in which it moves on its own has a singular mass matrix; the robot has not."""
    builder = kt.Builder("geared")
    for i in range(3):
        builder.link(f"link{i}", None if i == 1 else kt.lie.inertia.from_mass_com(1.0, np.ones(3), np.eye(3)))
    axes = ([0, 0, 1], [1, 0, 0], [0, 1, 0])
    parents, mimics = ("base", "link0", "link0"), (None, ("joint2", -2.0, 0.3), None)
    for i in range(3):
        joint = kt.joints.Revolute(axes[i])
        builder.joint(f"joint{i}", joint, parent=parents[i], child=f"link{i}", mimic=mimics[i])
    model = builder.build()
    q, v, a = np.random.default_rng(0).normal(size=(3, 2))
    tau = alg.inverse_dynamics(model, q, v, a)
    for method in ("FD1", "FD3", "FD4", "solve"):
        mechanics.assert_near(alg.forward_dynamics(model, q, v, tau, method=method), a)


def test_closures_beside_mimic_joints(coupled, rng, mechanics):
    """A loop, and a mimic joint in a coupling: the sweeps' filter takes both."""
    follower = next(body for body in coupled.bodies if body.mimic is not None and body.joint.nv == 1)
    other = next(b for b in coupled.independent_joints if b.joint.nv == 1 and b.index != follower.mimic.source)
    deepest = max(coupled.frames, key=lambda name: len(coupled.ancestors(coupled.frames[name].body)))
    loop = kt.closures.Loop(deepest, "world", kt.joints.Spherical())
    gear = kt.closures.Coupling({follower.joint_name: 1.0, other.joint_name: -2.0})
    model = coupled.with_closures(loop, gear)
    q, (v, tau) = model.random(rng), rng.normal(size=(2, model.nv))
    expected = alg.forward_dynamics(model, q, v, tau, method="dense")
    for method in ("sweeps", "factors", "quasi"):
        mechanics.assert_near(alg.forward_dynamics(model, q, v, tau, method=method), expected, 1e-9)  # cond(M) 1e6
