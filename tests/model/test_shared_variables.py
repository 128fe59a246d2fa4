"""Joints that follow several variables of another at once, q = R q_s + r: what builders, edits, files and limits do.

`tests/laws/test_mimics.py` has their mechanics.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.analysis.verify import verify
from kinetrace.model import Mimic
from kinetrace.model.couplings import followed_interval

WIDE = np.array([[1.0, -0.5], [0.2, 0.7]])
ROW = np.array([[0.6, 0.4]])


@dataclass(frozen=True, eq=False)
class Coefficients(kt.joints.Joint):
    """Variables that move nothing by themselves."""

    count: int = 2

    @property
    def nv(self):
        return self.count

    nq = nv

    def placement(self, q):
        return np.eye(4)

    def subspace(self, q):
        return np.zeros((6, self.count))


def hand(motors=None, limits=None, bend=("motors", ROW, 0.1), **effects):
    """Two variables that a universal joint, a hinge and a slide follow: the slide by the hinge."""
    b = kt.Builder("hand")
    ball = {"mass": 1.0, "com": [0.1, 0.2, 0.3], "inertia": [0.1, 0.2, 0.15]}
    b.link("rotor", **ball)
    b.joint("motors", kt.joints.Cylindrical("z") if motors is None else motors, parent="base", child="rotor")
    effects = kt.JointEffects(**effects) if effects else None
    follows = {"wrist": ("motors", WIDE, [0.1, -0.2]), "bend": bend, "slide": ("bend", -0.5, 0.3)}
    kinds = {"wrist": kt.joints.Universal(), "bend": kt.joints.Revolute("y"), "slide": kt.joints.Prismatic("x")}
    parent = "rotor"
    for name, mimic in follows.items():
        b.link(f"{name}_link", **ball)
        given = limits if name == "bend" else None
        placed = {"placement": [0.1, 0.0, 0.2], "mimic": mimic, "limits": given, "effects": effects}
        b.joint(name, kinds[name], parent=parent, child=f"{name}_link", **placed)
        parent = f"{name}_link"
    b.frame("tip", parent, [0.0, 0.1, 0.0])
    return b


def test_chains_of_matrices_compose():
    model = hand().build()
    q = np.array([0.3, -0.4])
    wrist, bend, slide = model.split_q(q)[1:]
    np.testing.assert_allclose(wrist, WIDE @ q + [0.1, -0.2])
    np.testing.assert_allclose(bend, ROW @ q + 0.1)
    np.testing.assert_allclose(slide, -0.5 * bend + 0.3)
    assert (model.nq, model.bodies[3].mimic.source) == (2, 0)
    robot = kt.Robot(model, backend="numpy")
    assert "slide = [[-0.3, -0.2]] · motors + [0.25]" in str(robot.info())
    assert "motors" in robot._repr_html_() and json.dumps(dict(robot.info()))
    by_name = robot.q_from({"motors": q, "wrist": wrist, "bend": bend[0]})
    np.testing.assert_array_equal(by_name, q)
    with pytest.raises(kt.InputError, match="joint 'bend' mimics 'motors', which puts it at"):
        robot.q_from({"motors": q, "bend": 0.5})


@pytest.mark.parametrize("motors", [None, Coefficients()], ids=["moving", "coefficients"])
def test_every_identity_holds_with_rotors_and_springs_on_followers(motors):
    """The armature of a joint that follows two variables couples them: Rᵀ A R has entries beside the diagonal."""
    robot = kt.Robot(hand(motors, armature=0.1, damping=0.2, stiffness=0.3).build(), backend="numpy")
    A = robot.model.armature
    expected = 0.1 * (WIDE.T @ WIDE + 1.25 * ROW.T @ ROW)
    np.testing.assert_allclose(A, expected, atol=1e-15)
    assert robot.model.massless == [] and A[0, 1] != 0.0
    failed = [str(result) for result in verify(robot, states=1) if not result.holds(1e-9)]
    assert failed == []


def test_variables_that_no_follower_needs_are_massless():
    b = kt.Builder("idle")
    b.joint("shared", Coefficients(3), parent="base", child="nothing")
    b.link("arm", mass=1.0, com=[0.1, 0.0, 0.0], inertia=[0.1, 0.1, 0.1])
    b.joint("bend", kt.joints.Universal(), parent="base", child="arm", mimic=("shared", np.ones((2, 3)), 0.0))
    with pytest.warns(kt.PhysicsWarning, match="joint 'shared' moves no mass with v = "):
        b.build()


def test_json_pickle_and_edits_keep_matrices(tmp_path):
    robot = kt.Robot(hand().build(), backend="numpy")
    robot.save(tmp_path / "hand.json")
    back = kt.load(tmp_path / "hand.json", backend="numpy")
    assert back.model == robot.model and not robot.difference_to(back)
    text = (tmp_path / "hand.json").read_text()
    for wrong in ("[0.6, 0.4]", "[[0.6, 0.4, 0.1]]", "0.6"):
        broken = text.replace("[[0.6, 0.4]]", wrong)
        with pytest.raises(kt.ModelError, match=r"model\.bodies\[2\]\.mimic"):
            kt.load(broken)
    q, v, a = np.random.default_rng(0).normal(size=(3, 2))
    tau = robot.inverse_dynamics(q, v, a)
    pair = robot.joined(robot, "base", [0, 0, 5.0], prefix="other_")
    assert pair.model.bodies[6].mimic.source == 4
    both = pair.inverse_dynamics(*np.hstack([(q, v, a), (q, v, a)]))
    np.testing.assert_allclose(both, [*tau, *tau], atol=1e-12)
    heavy, still = robot.with_payload(2.0, "tip"), robot.locked({"motors": q})
    assert heavy.nq == 2 and still.nq == 0
    np.testing.assert_allclose(still.pose([], "tip"), robot.pose(q, "tip"), atol=1e-14)
    changed = replace(robot.model.bodies[1], mimic=Mimic(0, 2 * WIDE, [0.1, -0.2]))
    other = kt.Robot(replace(robot.model, bodies=(robot.model.bodies[0], changed, *robot.model.bodies[2:])))
    assert "joint 'wrist': mimics [[1, -0.5], [0.2, 0.7]] · motors + [0.1, -0.2] →" in str(robot.difference_to(other))


def test_limits_through_a_matrix_are_inequalities():
    """Random configurations and the home keep them, `check` names them; one entry in a row is a bound."""
    model = hand(limits=kt.Limits(0.5, 0.9, 2.0)).build()
    (A, lower, upper, inside) = model.shared_limits[0]
    np.testing.assert_allclose([A, lower[:, None], upper[:, None]][0], ROW)
    assert lower[0] == pytest.approx(0.4) and upper[0] == pytest.approx(0.8) and lower < A @ inside < upper
    assert np.all(np.isinf(model.bounds.lower))
    robot = kt.Robot(model, backend="numpy")
    for q in (robot.home(), *robot.random(200, seed=1)):
        robot.check(q)
        assert 0.5 - 1e-9 <= model.split_q(q)[2][0] <= 0.9 + 1e-9
    with pytest.raises(
        kt.InputError, match=r"joint 'bend', which mimics 'motors', is at 0\.1, below its lower limit 0\.5"
    ):
        robot.check(np.zeros(2))
    with pytest.raises(kt.InputError, match="joint 'bend', which mimics 'motors', moves at 6, beyond its velocity"):
        robot.check(robot.home(), [10.0, 0.0])
    within, beyond = robot.random(2, seed=3), np.array([[1.0, 2.0], [-0.5, -0.4]])
    found = robot.inverse_kinematics(robot.pose(np.vstack([within, beyond]), "tip"), "tip")
    assert found.success.tolist() == [True, True, False, False] and set(found.status[2:]) <= {"limits", "stalled"}
    bound = hand(limits=kt.Limits(0.5, 0.9, 2.0), bend=("motors", [[0.0, -2.0]], 0.1)).build()
    np.testing.assert_allclose(
        [bound.bounds.lower[1], bound.bounds.upper[1], bound.bounds.velocity[1]], [-0.4, -0.2, 1]
    )
    assert not bound.shared_limits
    assert "limits of a mimic joint" not in str(robot.doctor())
    wide = kt.Limits(*(np.array([x, x]) for x in (-0.1, 0.1, 9.0, 9.0)))
    bodies = [replace(model.bodies[0], limits=wide), *model.bodies[1:]]
    excluded = kt.Robot(replace(model, bodies=tuple(bodies)), backend="numpy")
    assert "no position of the joint that they follow is within the limits" in str(excluded.doctor())


def test_limits_that_exclude_all_are_told_when_a_robot_is_built():
    b = hand(limits=kt.Limits(0.5, 0.9))
    b.link("other_link", mass=1.0, inertia=[0.1, 0.1, 0.1])
    follows = {"mimic": ("motors", -ROW, 0.0), "limits": kt.Limits(0.5, 0.9)}
    b.joint("other", kt.joints.Revolute("y"), parent="rotor", child="other_link", **follows)
    with pytest.warns(kt.ModelWarning, match=r"'motors' was found within the limits of .*'bend', .*'other'"):
        b.build()


def test_hard_stops_of_several_variables_are_refused_by_name():
    """In steps, whether the joint or `load` chose the law; where a row has one entry, they hold."""
    limits, z = kt.Limits(0.0, 0.9), np.zeros(2)
    told = r"'bend' follows several variables .*with_joint_effects\('bend', .*stop_law=\"soft\""
    for builder in (hand(limits=limits, stop_law="hard"), hand(limits=limits)):
        robot = kt.load(builder, stop_law="hard", backend="numpy")
        for steps in (
            lambda r: r.simulate(z, z, t=0.1, dt=0.01),
            lambda r: r.step(z, z, z, 0.01),
            lambda r: r.rollout(z, z, np.zeros((3, 2)), 0.01),
        ):
            with pytest.raises(kt.ModelError, match=told):
                steps(robot)
    b = hand(limits=limits)
    b.link("other_link", mass=1.0, inertia=[0.1, 0.1, 0.1])
    b.joint("other", kt.joints.Revolute("y"), parent="rotor", child="other_link", mimic=("motors", -ROW, 0.0))
    two = kt.load(b, stop_law="hard", backend="numpy").with_joint_effects("other", friction=0.1, friction_law="dry")
    told = r"joints 'bend', 'other' follow .*: they take no .*with_joint_effects\('bend', 'other', .*\) takes smooth"
    with pytest.raises(kt.ModelError, match=told):
        two.step(z, z, z, 0.01)
    soft = two.with_joint_effects("bend", "other", friction_law="smooth", stop_law="soft")
    assert np.isfinite(soft.step(z, z, z, 0.01)[0]).all()
    one = kt.Robot(hand(limits=limits, bend=("motors", [[0.0, 1.0]], 0.0), stop_law="hard").build(), backend="numpy")
    motion = one.simulate(z, [0.0, 9.0], t=0.2, dt=1e-2)
    assert 0.88 < motion.q[:, 1].max() <= 0.9


def test_intervals_of_followers():
    low, high = followed_interval(
        Mimic(0, [[2.0, -1.0], [0.0, 1.0]], [0.5, 0.0]), np.array([0, -1]), np.array([1, np.inf])
    )
    np.testing.assert_array_equal([low, high], [[-np.inf, -1.0], [3.5, np.inf]])


@pytest.mark.parametrize("ratio", [[[0.0, 0.0]], 0.0])
def test_ratios_of_zero_are_told_when_a_robot_is_built(ratio):
    motors = kt.joints.Revolute("z") if ratio == 0.0 else None
    b = hand(motors, bend=("motors", ratio, 0.2)) if motors is None else kt.Builder("one")
    if motors is not None:
        for name, mimic in (("motors", None), ("bend", ("motors", ratio, 0.2))):
            b.link(f"{name}_link", mass=1.0, inertia=[0.1, 0.1, 0.1])
            b.joint(name, motors, parent="base", child=f"{name}_link", mimic=mimic)
    with pytest.warns(kt.ModelWarning, match=r"mimic ratios of zero hold joints 'bend'.*, whatever 'motors' do"):
        b.build()
    with pytest.raises(kt.ModelError, match="mimic ratios of zero hold"):
        b.build(check="error")


WRONG = {
    "shape (1, 2), got (2, 1)": {"bend": ("motors", [[1.0], [2.0]], 0.0)},
    "a matrix of shape (1, 2) says how they follow": {"bend": ("motors", 1.0, 0.0)},
    "the offset must be a number, or have shape (1,), got (3,)": {"bend": ("motors", ROW, [0.0, 0.0, 0.0])},
    "mimic's ratio must be a number or a matrix (n, k), got shape (2,)": {"bend": ("motors", [1.0, 2.0], 0.0)},
    "mimic's ratio must be finite numbers": {"bend": ("motors", [[1.0, np.nan]], 0.0)},
    "v must be q̇, which is not so for the Spherical joint 'motors'": {"motors": kt.joints.Spherical()},
}


@pytest.mark.parametrize("told", WRONG)
def test_mistakes_are_named(told):
    with pytest.raises(kt.ModelError) as error:
        hand(**WRONG[told]).build()
    assert told in str(error.value)


def test_formats_that_have_one_ratio_refuse_in_words(tmp_path):
    robot = kt.Robot(hand().build(), backend="numpy")
    for name in ("hand.urdf", "hand.xml"):
        with pytest.raises(kt.ModelError, match="joints that follow several variables of another at once, by a matrix"):
            robot.save(tmp_path / name)
    plain = hand(bend=("motors", [[0.0, -2.0]], 0.1)).build()
    bodies = [
        b if b.joint_name != "wrist" else replace(b, mimic=Mimic(0, [[0, 2], [-1, 0]], [0.1, 0.2]))
        for b in plain.bodies
    ]
    said = kt.Robot(replace(plain, bodies=tuple(bodies)), backend="numpy")
    said.save(tmp_path / "said.urdf")
    back = kt.load(tmp_path / "said.urdf", backend="numpy", check="ignore")
    q = np.array([0.3, 0.2])
    np.testing.assert_allclose(back.pose(q, "tip"), said.pose(q, "tip"), atol=1e-12)
    pytest.importorskip("pinocchio")
    with pytest.raises(kt.ModelError, match=r"it follows 2 variables by a matrix|not of Universal"):
        kt.interop.pinocchio.to_model(robot)
