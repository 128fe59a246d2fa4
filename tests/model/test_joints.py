"""Each joint's answers are derivatives of its placement: by complex step, on its manifold."""

from collections.abc import Callable

import numpy as np
import pytest

import kinetrace as kt
from kinetrace import arrays
from kinetrace.errors import ModelError
from kinetrace.lie import se3, so3
from kinetrace.model import joints as J
from kinetrace.model.checks import snap
from kinetrace.model.dual import derivative_along

STEP = 1e-30
SEEDS = range(3)


MAKERS: dict[str, Callable[[np.ndarray, np.ndarray, np.ndarray], J.Joint]] = {
    "fixed": lambda axis, other, screw: J.Fixed(),
    "revolute": lambda axis, other, screw: J.Revolute(axis),
    "continuous": lambda axis, other, screw: J.Continuous(axis),
    "prismatic": lambda axis, other, screw: J.Prismatic(axis),
    "helical": lambda axis, other, screw: J.Helical(axis, 0.3),
    "screw": lambda axis, other, screw: J.Screw(screw),
    "sliding screw": lambda axis, other, screw: J.Screw(screw * [0, 0, 0, 1, 1, 1]),
    "far screw": lambda axis, other, screw: J.Screw(screw * [1e-3, 1e-3, 1e-3, 1, 1, 1]),
    "cylindrical": lambda axis, other, screw: J.Cylindrical(axis),
    "universal": lambda axis, other, screw: J.Universal(axis, other),
    "planar": lambda axis, other, screw: J.Planar(axis),
    "spherical": lambda axis, other, screw: J.Spherical(),
    "free": lambda axis, other, screw: J.Free(),
}
"""Every class of joints, of two random axes and a random screw."""
KINDS = [*MAKERS]


def make(kind: str, rng: np.random.Generator) -> J.Joint:
    axis, other = rng.normal(size=(2, 3))
    return MAKERS[kind](axis, other, rng.normal(size=6))


def state(joint: J.Joint, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    unlimited = np.full(joint.nq, np.inf)
    return joint.random(rng, (-unlimited, unlimited)), rng.normal(size=joint.nv)


@pytest.fixture(params=[(kind, seed) for kind in KINDS for seed in SEEDS], ids=lambda p: f"{p[0]}-{p[1]}")
def case(request: pytest.FixtureRequest) -> tuple[J.Joint, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(request.param[1])
    joint = make(request.param[0], rng)
    return joint, *state(joint, rng)


def test_every_joint_class_is_tested():
    rng = np.random.default_rng(0)
    leaves = {c for c in vars(J).values() if isinstance(c, type) and issubclass(c, J.Joint) and c.__name__[0] != "_"}
    assert leaves - {J.Joint} == {type(make(kind, rng)) for kind in KINDS}


def test_placement_is_a_rigid_motion_and_neutral_is_identity(case):
    joint, q, _ = case
    X = joint.placement(q)
    np.testing.assert_allclose(X @ se3.inverse(X), np.eye(4), atol=1e-14)
    np.testing.assert_allclose(joint.placement(joint.neutral()), np.eye(4), atol=1e-15)


def test_subspace_is_the_body_twist_of_the_placement(case):
    joint, q, v = case
    dX = joint.placement(joint.integrate(q, 1j * STEP * v)).imag / STEP
    V = se3.vee(np.linalg.inv(joint.placement(q)) @ dX)
    np.testing.assert_allclose(joint.subspace(q) @ v, V, atol=1e-13)
    assert joint.subspace(q).shape == (6, joint.nv)


def test_bias_is_the_rate_of_the_subspace(case):
    joint, q, v = case
    dS = np.imag(joint.subspace(joint.integrate(q, 1j * STEP * v))) / STEP
    np.testing.assert_allclose(joint.bias(q, v), dS @ v, atol=1e-13)


def test_tangent_and_bias_gradient_are_derivatives_along_the_manifold(case):
    joint, q, v = case
    for k, e in enumerate(np.eye(joint.nv)):
        moved = joint.integrate(q, 1j * STEP * e)
        np.testing.assert_allclose(joint.tangent(q)[:, k], np.imag(moved) / STEP, atol=1e-13)
        rate = np.imag(joint.bias(moved, v)) / STEP
        np.testing.assert_allclose(joint.bias_gradient(q, v)[:, k], rate, atol=1e-13)


def test_bracket_is_the_commutator_of_two_motions(case):
    joint, q, v = case
    w = np.random.default_rng(5).normal(size=joint.nv)

    def rate(of, along):  # of the coordinates' rate for one constant velocity, along the other
        return np.imag(joint.tangent(joint.integrate(q, 1j * STEP * along)) @ of) / STEP

    np.testing.assert_allclose(joint.tangent(q) @ joint.bracket(v, w), rate(w, v) - rate(v, w), atol=1e-13)


def test_integrate_and_difference_are_inverse(case):
    joint, q, v = case
    np.testing.assert_allclose(joint.difference(q, joint.integrate(q, v)), v, atol=1e-12)
    q1, _ = state(joint, np.random.default_rng(99))
    reached = joint.integrate(q, joint.difference(q, q1))
    np.testing.assert_allclose(joint.placement(reached), joint.placement(q1), atol=1e-12)


@pytest.mark.parametrize("kind", ["spherical", "free"])
def test_integrate_is_the_body_side_exponential(kind):
    rng = np.random.default_rng(5)
    joint = make(kind, rng)
    q, v = state(joint, rng)
    twist = joint.subspace(q) @ v
    np.testing.assert_allclose(joint.placement(joint.integrate(q, v)), joint.placement(q) @ se3.exp(twist), atol=1e-14)


def test_normalise_undoes_scaling_of_quaternions(case):
    joint, q, _ = case
    stretched = q.copy()
    if joint.nq > joint.nv:
        stretched[-4:] *= 3.0
    np.testing.assert_allclose(joint.normalise(stretched), q, atol=1e-15)


def test_random_respects_limits():
    rng = np.random.default_rng(0)
    draws = [J.Revolute().random(rng, (np.array([0.1]), np.array([0.2]))) for _ in range(100)]
    assert 0.1 <= np.min(draws) <= np.max(draws) <= 0.2


def test_axes_are_scaled_to_unit_length():
    np.testing.assert_allclose(J.Prismatic([0, 3, 4]).axis, [0, 0.6, 0.8])


@pytest.mark.parametrize(
    ("normal", "x", "y"),
    [([0, 0, 1], [1, 0, 0], [0, 1, 0]), ([1, 0, 0], [0, 1, 0], [0, 0, 1]), ([0, 1, 0], [0, 0, 1], [1, 0, 0])],
)
def test_planar_axes_on_coordinate_planes(normal, x, y):
    joint = J.Planar(normal)
    np.testing.assert_array_equal(joint.placement(np.array([1.0, 0, 0]))[:3, 3], x)
    np.testing.assert_array_equal(joint.placement(np.array([0, 1.0, 0]))[:3, 3], y)


def test_snapping_rounds_axes_and_keeps_the_rest():
    joint = J.Helical([1e-15, 0, 1], 0.25).snapped(snap)
    assert joint.axis.tolist() == [0, 0, 1] and joint.pitch == 0.25
    assert J.Universal([1, 1e-15, 0], [0, 1, 0]).snapped(snap).first.tolist() == [1, 0, 0]


@pytest.mark.parametrize("axis", [[0, 0, 0], [np.nan, 0, 1], [1, 0], [np.inf, 0, 0]])
@pytest.mark.parametrize("kind", [J.Revolute, J.Continuous, J.Prismatic, J.Helical, J.Cylindrical, J.Planar])
def test_impossible_axis(kind, axis):
    with pytest.raises(ModelError, match=kind.__name__):
        kind(axis)


@pytest.mark.parametrize("S", [[0] * 6, [0, 0, np.nan, 0, 0, 0], [0, 0, 1], "up"])
def test_impossible_screw(S):
    with pytest.raises(ModelError, match="S of a Screw joint"):
        J.Screw(S)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_screw_is_the_exponential_of_its_twist(seed):
    rng = np.random.default_rng(seed)
    S, q = rng.normal(size=6), rng.normal(size=1)
    for scale in (1.0, 1e-3, 0.0):  # of the turn: near, far and no axis
        screw = np.concatenate([scale * S[:3], S[3:]])
        np.testing.assert_allclose(J.Screw(screw).placement(q), se3.exp(screw * q[0]), atol=1e-14)
    joint, x = J.Screw(S), J.Screw(S).rate * q[0]  # about its axis: a turn, and a slide along it
    there = se3.pose(np.eye(3), joint.point)
    turned = J.Helical(joint.axis, joint.pitch).placement(np.array([x]))
    np.testing.assert_allclose(joint.placement(q), there @ turned @ se3.inverse(there), atol=1e-13)
    assert abs(joint.point @ joint.axis) < 1e-12 and J.Screw([0, 0, 0, 0, 2, 0]).pitch == np.inf
    np.testing.assert_allclose(J.Screw([0, 0, 2, 0, 0, 0]).placement(q), J.Revolute().placement(2 * q), atol=1e-15)


def test_universal_axes_must_not_be_parallel():
    with pytest.raises(ModelError, match="parallel"):
        J.Universal([1, 0, 0], [-2, 0, 0])


@pytest.mark.parametrize("tilt", [1e-8, 1e-10, 1e-12])
def test_an_axis_that_is_tilted_a_little_is_not_taken_for_a_coordinate_axis(tilt):
    builder = kt.Builder("tilted")
    turned = se3.pose(so3.exp(np.array([0.5, 0.0, 0.0])) @ so3.exp(np.array([0.0, 0.0, 2.0])), np.zeros(3))
    builder.link("arm", np.eye(6))
    builder.joint("hinge", kt.joints.Revolute([tilt, 0, 1]), parent="base", child="arm", placement=turned)
    builder.frame("tip", "arm", se3.pose(np.eye(3), np.array([0.0, 0.0, 1.0])))
    model, q = builder.build(), np.array([0.7])
    found, expected = kt.Robot(model).pose(q, "tip"), kt.algorithms.pose(model, q, frame="tip")
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-15)


class Bare(J.Joint):
    """Placement and subspace of another joint, and nothing else that a user need not write."""

    def __init__(self, of):
        self.of = of

    nq = property(lambda self: self.of.nq)
    nv = property(lambda self: self.of.nv)

    def placement(self, q):
        return self.of.placement(q)

    def subspace(self, q):
        return self.of.subspace(q)


@pytest.mark.parametrize("joint", [J.Universal(), J.Universal([1, 2, 3], [0, 1, 0.5]), J.Planar([1, 1, 2])])
def test_rates_of_a_joint_of_ones_own_follow_from_its_subspace(joint):
    """A joint whose subspace depends on q and that leaves all defaults in place."""
    bare, rng = Bare(joint), np.random.default_rng(3)
    q, v = rng.normal(size=(2, joint.nv))
    assert not bare.has_constant_subspace and Bare(J.Helical()).has_constant_subspace
    np.testing.assert_allclose(bare.subspace_rate(q, v), joint.subspace_rate(q, v), atol=1e-15)
    np.testing.assert_allclose(bare.bias_gradient(q, v), joint.bias_gradient(q, v), atol=1e-14)


def test_dual_numbers_have_the_derivatives_of_all_functions_of_arrays():
    functions = [
        getattr(arrays, name)
        for name in ["sin", "cos", "tan", "asin", "acos", "atan", "sqrt", "exp", "log", "sinh", "cosh", "tanh"]
    ]
    functions += [
        lambda x: arrays.atan2(x, 0.3) + 2.0 * arrays.atan2(0.3, x),
        lambda x: x**3 + 2.0**x + x**x + 1.0 / x - (1.0 - x) / (x + 2.0),
        lambda x: arrays.minimum(x * x, 0.5) + arrays.maximum(x, 0.1) + abs(-x),
        lambda x: arrays.where(arrays.less(x, 1.0), x * x, -x) + arrays.floor(x),
    ]
    x, h = 0.6, 1e-6
    for function in functions:
        exact = derivative_along(lambda q, f=function: arrays.stack([f(q[0])]), np.array([x]), np.ones(1))
        np.testing.assert_allclose(exact, (function(x + h) - function(x - h)) / (2 * h), rtol=1e-8)  # of differences
