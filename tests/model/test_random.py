"""Random robots: of every joint, physical, reproducible; and bodies' own answers on them."""

import inspect

import numpy as np
import pytest

from kinetrace.lie import inertia, se3
from kinetrace.model import Model, joints, random_chain, random_mdh_chain, random_tree
from kinetrace.model.zoo.random import RANDOM_JOINTS, random_inertia

STEP = 1e-30
EVERY_KIND = {type(kind(np.random.default_rng(0))) for kind in RANDOM_JOINTS}


def trees() -> list[Model]:
    return [random_tree(12, seed).build(check="error") for seed in range(5)]


def test_trees_have_every_moving_joint():
    moving = {c for c in vars(joints).values() if inspect.isclass(c) and issubclass(c, joints.Joint)}
    moving = {c for c in moving if c.__name__[0] != "_"} - {joints.Joint, joints.Fixed}
    moving -= {joints.Screw}  # what any of them with one degree of freedom becomes by `with_parameters`
    assert moving == EVERY_KIND
    for n in (9, 20):
        assert {type(body.joint) for body in random_tree(n).build().bodies} == EVERY_KIND


@pytest.mark.parametrize("n", [0, 1, 2, 7, 8, 9, 30])
@pytest.mark.parametrize("seed", range(3))
def test_tree_size(n, seed):
    model = random_tree(n, seed).build(check="error")
    assert len(model.independent_joints) == n
    assert len(model.bodies) == n + (n >= 8) and len(model.frames) == n + 2 + 3 * (n >= 8)


def test_trees_branch_couple_and_offset():
    for model in trees():
        parents = [body.parent for body in model.bodies]
        assert len(set(parents)) < len(parents)
        assert sum(body.mimic is not None for body in model.bodies) == 1
    assert any(not np.array_equal(body.X_ji, np.eye(4)) for model in trees() for body in model.bodies)


def test_same_seed_same_robot():
    for make in (random_tree, random_chain, random_mdh_chain):
        a, b, other = make(10, 3).build(), make(10, 3).build(), make(10, 4).build()
        assert all(
            np.array_equal(x.J, y.J) and np.array_equal(x.X_pj, y.X_pj) for x, y in zip(a.bodies, b.bodies, strict=True)
        )
        assert not np.array_equal(a.bodies[0].J, other.bodies[0].J)


def test_inertias_are_physical_with_margin():
    rng = np.random.default_rng(0)
    for J in (random_inertia(rng) for _ in range(100)):
        m = inertia.mass(J)
        assert inertia.violations(J) == [] and 0.5 <= m <= 5
        assert np.linalg.norm(inertia.center_of_mass(J)) < 0.5
        assert np.linalg.eigvalsh(inertia.pseudo_inertia(J)).min() > 1e-5
        assert np.linalg.eigvalsh(J).min() > 0


def test_chain():
    model = random_chain(5).build(check="error")
    assert [body.parent for body in model.bodies] == [-1, 0, 1, 2, 3]
    assert all(type(body.joint) is joints.Revolute for body in model.bodies)
    model = random_chain(4, joints=[joints.Spherical(), joints.Prismatic([1, 0, 0])]).build()
    assert [body.joint.nv for body in model.bodies] == [3, 1, 3, 1]


@pytest.mark.parametrize("general", [False, True])
def test_mdh_chain_is_what_kozlowski_counts(general):
    for body in random_mdh_chain(8, 1, general).build(check="error").bodies:
        R, p = body.X_pj[:3, :3], R_inner_shift(body.X_pj)
        assert R[0].tolist() == [1, 0, 0] and np.count_nonzero(np.isin(R, (0, 1, -1))) == (5 if general else 9)
        assert np.count_nonzero(abs(p) > 1e-12) == (2 if general else 1) and p[0] > 0.1
        assert np.array_equal(body.X_ji, np.eye(4)) and body.joint.axis.tolist() == [0, 0, 1]


def R_inner_shift(X):
    return X[:3, :3].T @ X[:3, 3]


@pytest.mark.parametrize("customised", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_bodies_placement_subspace_and_bias(seed, customised):
    """A body's own answers, in its frame: its pose is X_pj placement X_ji, S and Sdot v its derivatives."""
    rng = np.random.default_rng(seed)
    model = random_tree(12, seed).build()
    model = model.customised if customised else model
    q, v = model.random(rng), rng.normal(size=model.nv)
    q_step = model.integrate(q, 1j * STEP * v)
    for body, q_i, dq_i, v_i in zip(
        model.bodies, model.split_q(q), model.split_q(q_step), model.split_v(v), strict=True
    ):
        X = body.X_pj @ body.joint.placement(q_i) @ body.X_ji
        np.testing.assert_allclose(body.placement(q_i).matrix, X, atol=1e-14)
        V = se3.vee(se3.inverse(X) @ body.placement(dq_i).matrix.imag / STEP)
        np.testing.assert_allclose(body.subspace(q_i) @ v_i, V, atol=1e-12)
        np.testing.assert_allclose(body.bias(q_i, v_i), np.imag(body.subspace(dq_i)) @ v_i / STEP, atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_configuration_manifold(seed):
    rng = np.random.default_rng(seed)
    model = random_tree(12, seed).build()
    q, v = model.random(rng), rng.normal(size=model.nv)
    np.testing.assert_allclose(model.difference(q, model.integrate(q, v)), v, atol=1e-12)
    np.testing.assert_allclose(model.normalise(q), q, atol=1e-15)
    assert model.neutral().shape == (model.nq,)


@pytest.mark.parametrize("seed", range(3))
def test_gather_is_the_transpose_of_split(seed):
    rng = np.random.default_rng(seed)
    model = random_tree(12, seed).build()
    v, forces = rng.normal(size=model.nv), [rng.normal(size=body.joint.nv) for body in model.bodies]
    power = sum(f @ v_i for f, v_i in zip(forces, model.split_v(v), strict=True))
    np.testing.assert_allclose(model.gather(forces) @ v, power)
