"""Of joints of users' own classes, each method that is wrong is refused by its name."""

from __future__ import annotations

import inspect
import pickle
import re
from dataclasses import dataclass, replace

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.lie import se3, so3
from kinetrace.model import joints as J

METHODS = (
    *("placement", "subspace", "subspace_rate", "bias", "bias_gradient", "tangent", "bracket", "coadjoint"),
    *("dexp", "dexp_inv", "dexp_dual", "dexp_inv_dual", "neutral", "integrate", "axis_rate", "advance", "turn_axes"),
    *("difference", "difference_gradient", "normalise", "random"),
)
"""Those that give numbers."""
REMARKS = {
    "quaternion": slice(0, 3),
    "has_constant_subspace": True,
    "has_coordinates": True,
    "axes_turn": False,
    "rotates": False,
    "is_free": True,
    "commuting_translation": np.array([1.0, 0.0, 0.0]),
    "rotation_axis": np.array([0.0, 0.0, 1.0]),
    "travel": lambda self, lower, upper: -0.1,
    "snapped": lambda self, snap: J.Revolute("x"),
    "along_z": lambda self: J.Revolute("z"),
    "closing": lambda self: J.Revolute("x").closing(),
}
"""What else a class may say, and what is wrong of the classes below."""
NOT_CHECKED = {"has_motor", "nq", "nv", "manifold"}
"""Free to choose, or named by the shapes of others."""
TRUE_OF = {"universal": {"has_coordinates", "axes_turn"}, "spherical": {"has_constant_subspace", "axes_turn"}}
TRUE_OF["free"] = {"has_constant_subspace", "is_free"}
ANY_WILL_DO = {"universal": {"neutral", "random"}, "spherical": set(), "free": set()}
"""Any numbers are coordinates."""


def by_hand(joint):
    """A class with all methods written by hand, and right."""

    def method(name):
        return lambda self, *arguments: getattr(joint, name)(*arguments)

    content = {name: method(name) for name in METHODS}
    sizes = {"nq": joint.nq, "nv": joint.nv, "quaternion": joint.quaternion}
    return type("ByHand", (J.Joint,), {**content, **sizes, "__module__": __name__})


KINDS = {"universal": J.Universal(), "spherical": J.Spherical(), "free": J.Free()}


def told(kind):
    """The error about a joint of a class; empty if there is none."""
    try:
        kt.Builder("arm").joint("own", kind(), parent="base", child="tip")
    except kt.ModelError as error:
        return str(error)
    return ""


def off(kind, name):
    """The class with a method that is off by a percent, or, of the pose, turns by another angle."""
    right = getattr(kind, name)

    def wrong(self, *arguments):
        x = np.asarray(right(self, *arguments))
        if name == "placement":
            (q,) = arguments
            return x @ se3.pose(so3.axis_angle(np.array([0.0, 0.0, 1.0]), 0.3 * (q[0] * q[0])), np.zeros(3))
        return 1.01 * x + 0.013 * (1.0 + np.arange(x.shape[-1]))

    return wrong


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", METHODS)
def test_wrong_methods_are_named(kind, name):
    right = by_hand(KINDS[kind])
    assert told(right) == ""
    said = told(type("Wrong", (right,), {name: off(right, name), "__module__": __name__}))
    if name not in ANY_WILL_DO[kind]:
        of = r"placement(q) or subspace" if name in ("placement", "subspace") else name
        assert said.startswith(f"joint 'own': Wrong.{of}(") and "it must be" in said, said


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", REMARKS)
def test_wrong_remarks_are_named(kind, name):
    said = told(type("Wrong", (by_hand(KINDS[kind]),), {name: REMARKS[name], "__module__": __name__}))
    assert said.startswith(f"joint 'own': Wrong.{name}") or (said == "" and name in TRUE_OF[kind]), said


def test_all_that_a_class_may_override_is_tried():
    public = {name for name, _ in inspect.getmembers(J.Joint) if not name.startswith("_")} | {"nq", "nv"}
    assert public == {*METHODS, *REMARKS, *NOT_CHECKED}


class Bare(J.Joint):
    """A universal joint by its placement alone."""

    nq = nv = 2

    def placement(self, q):
        return J.Universal().placement(q)


@pytest.mark.parametrize("dims", [{"nq": 3}, {"nv": 1}, {"nq": 2.0}, {"nq": -1}])
def test_wrong_sizes_are_refused(dims):
    assert "joint 'own': Wrong." in told(type("Wrong", (by_hand(J.Universal()),), {**dims, "__module__": __name__}))


def test_a_class_without_sizes_says_what_it_needs():
    class Lost(J.Joint):
        def placement(self, q):
            return np.eye(4)

    assert "Lost has neither nq nor a manifold: write nq and nv, or the group of q" in told(Lost)
    placeless = type("Placeless", (J.Joint,), {"nq": 1, "nv": 1, "__module__": __name__})
    assert "the class Placeless has no placement: write placement(self, q)" in told(placeless)
    single = type("Single", (Lost,), {"manifold": J.Spherical(), "__module__": __name__})
    assert "Single.manifold must be a tuple of joints and numbers of coordinates" in told(single)


def test_a_normalise_is_needed_where_q_is_on_a_sphere():
    """Without it, and with one that only works near the sphere."""
    ball = by_hand(J.Spherical())
    for wrong in (lambda self, q: q, lambda self, q: q * (1.5 - 0.5 * (q @ q))):
        said = told(type("Wrong", (ball,), {"normalise": wrong, "__module__": __name__}))
        assert said.startswith("joint 'own': Wrong.normalise(q) is off by"), said


def test_placement_is_enough():
    """Subspace, its rate and the gradient of the bias follow, whatever other numbers are computed with."""
    assert told(Bare) == ""
    rng, joint = np.random.default_rng(0), J.Universal()
    q, v = rng.normal(size=(2, 2))
    for name, arguments in (("subspace", (q,)), ("subspace_rate", (q, v)), ("bias_gradient", (q, v))):
        found, right = (getattr(x, name)(*arguments) for x in (Bare(), joint))
        np.testing.assert_allclose(found, right, atol=1e-14)
    pair = []
    for each in (Bare(), joint):
        b = kt.Builder("arm")
        b.link("tip", mass=1.0, com=[0.1, 0.2, 0.3], inertia=[0.1, 0.2, 0.15])
        b.joint("u", each, parent="base", child="tip")
        robot = kt.Robot(b.build())
        pair.append([*robot.inverse_dynamics_derivatives(q, v, v), robot.forward_dynamics(q, v, v)])
    for x, y in zip(*pair, strict=True):
        np.testing.assert_allclose(x, y, atol=1e-12)


@dataclass(frozen=True, eq=False)
class Float(J.Joint):
    """A quaternion and coordinates, by its manifold: a ball at the end of slides, whose number is a field."""

    slides: int = 2

    @property
    def manifold(self):
        return (self.slides, J.Spherical())

    def placement(self, q):
        p = kt.arrays.concatenate([q[: self.slides], np.zeros(3 - self.slides)])
        return se3.pose(so3.from_quaternion(q[self.slides :]), p)


def test_a_manifold_says_all_that_concerns_displacements():
    for n in range(4):
        joint = Float(n)
        assert (joint.nq, joint.nv, joint.quaternion, joint.has_coordinates) == (4 + n, 3 + n, slice(n, n + 4), False)
        assert told(lambda joint=joint: joint) == ""
    free, both = type("Both", (Bare,), {}), J.Free()
    assert free().has_coordinates and not both.has_coordinates

    class Same(J.Joint):
        manifold = (J.Free(),)
        placement = J.Free().placement

    rng = np.random.default_rng(1)
    q, (u, v) = both.random(rng, (-np.ones(7), np.ones(7))), rng.normal(size=(2, 6))
    for name in METHODS:
        if name != "random":
            arguments = {"q": q, "v": v, "q0": q, "q1": both.integrate(q, u), "u": u, "w": v, "theta": u, "p": v}
            given = [arguments[x] for x in inspect.signature(getattr(both, name)).parameters]
            np.testing.assert_allclose(getattr(Same(), name)(*given), getattr(both, name)(*given), atol=1e-14)
    assert Same().axes_turn and told(Same) == ""


def test_models_that_no_builder_has_seen_are_looked_at():
    """In a model of data that a robot or a kernel is made of, in a pickle and in a closure."""
    b = kt.Builder("arm")
    b.link("tip", mass=1.0, com=[0.1, 0.2, 0.3], inertia=[0.1, 0.2, 0.15])
    b.joint("own", Bare(), parent="base", child="tip")
    model = b.build()
    wrong = type("Wrong", (Bare,), {"subspace": lambda self, q: np.eye(6, 2), "__module__": __name__})()
    swapped = replace(model, bodies=(replace(model.bodies[0], joint=wrong),))
    for make in (
        kt.Robot,
        lambda model: kt.Robot(b.build(), dynamics_model=model),
        lambda model: kt.compile(kt.algorithms.gravity, model),
        lambda model: kt.compile(kt.jacobian(kt.algorithms.gravity, wrt="q"), model, backend="numpy"),
    ):
        with pytest.raises(kt.ModelError, match=r"joint 'own': Wrong\.placement\(q\) or subspace\(q\) is off by"):
            make(swapped)
    assert pickle.loads(pickle.dumps(model)) == model
    closing = type("Closing", (Bare,), {"closing": lambda self: J.Revolute().closing(), "__module__": __name__})
    with pytest.raises(kt.ModelError, match=r"Closing\.closing\(\) is off by"):
        kt.Robot(model).with_closures(kt.closures.Loop("tip", "world", closing()))


@dataclass(frozen=True, eq=False)
class Cams(J.Joint):
    """Slides along curves y = c x² / 2, one for each curvature: fields of all kinds that a file has."""

    curvatures: tuple[float, ...] = (1.0, 2.0)
    turn: np.ndarray | None = None
    label: str = "cam"
    count: int = 2

    @property
    def nv(self):
        return len(self.curvatures)

    nq = nv

    def placement(self, q):
        x, y = sum(q[k] for k in range(self.nq)), sum(c * q[k] * q[k] / 2 for k, c in enumerate(self.curvatures))
        R = np.eye(3) if self.turn is None else so3.exp(self.turn * q[0])
        return se3.pose(R, kt.arrays.stack([x, y, 0.0 * x]))


def cams(*joints):
    b, parent = kt.Builder("cams"), "base"
    for k, joint in enumerate(joints):
        b.link(f"link{k}", mass=1.0, com=[0.1, 0.2, 0.3], inertia=[0.1, 0.2, 0.15])
        b.joint(f"joint{k}", joint, parent=parent, child=f"link{k}")
        parent = f"link{k}"
    return kt.Robot(b.build(), backend="numpy")


def test_json_holds_joints_of_ones_own_classes(tmp_path):
    """They come back by the classes that the reader names, and no class is looked for."""
    joints = Cams(), Cams((3.0, 0.5, 1.0), np.array([0.0, 0.0, 1.0]), "other"), Float(1)
    robot, path = cams(*joints), tmp_path / "cams.json"
    assert robot.save(path) == () and robot.nq == 10
    back = kt.load(path, joint_classes=[Cams, Float])
    assert back.model == robot.model
    assert type(back.model.bodies[1].joint) is Cams and back.model.bodies[1].joint.label == "other"
    q, (v, a) = robot.random(seed=0), np.random.default_rng(0).normal(size=(2, robot.nv))
    np.testing.assert_allclose(back.inverse_dynamics(q, v, a), robot.inverse_dynamics(q, v, a), atol=1e-12)
    with pytest.raises(kt.ModelError, match=r"\[0\]\.joint: .*joint_classes=\[\.\.\.\]\) names classes of your own"):
        kt.load(path)
    alone = cams(Cams())
    alone.save(tmp_path / "alone.json")
    text, found = re.subn(r'"label": "cam",?\s*', "", (tmp_path / "alone.json").read_text())
    before = kt.load(text, joint_classes=Cams)
    assert found == 1
    assert before.model == alone.model  # of a version of the class without a field that has a default
    with pytest.raises(kt.InputError, match="joint_classes must be classes derived from"):
        kt.load(path, joint_classes=[Cams()])
    broken = path.read_text().replace('"count": 2', '"count": "two"', 1)
    with pytest.raises(kt.ModelError, match=r"bodies\[0\]\.joint\.count: must be"):
        kt.load(broken, joint_classes=[Cams, Float])


def test_what_json_cannot_hold_of_a_joint_is_named(tmp_path):
    class Kept(Bare):
        def __init__(self):
            self.of = "attribute"

    class Revolute(Bare):
        pass

    same = type("Bare", (Bare,), {"__module__": __name__})
    for joints, why in (
        ((Kept(),), "class Kept of your own, whose 'of' a file does not hold: .* frozen dataclass"),
        ((Revolute(),), "class Revolute of your own, which has the name of one of kinetrace's"),
        ((Bare(), same()), "two classes of joints of your own have the same name"),
    ):
        with pytest.raises(kt.ModelError, match=why):
            cams(*joints).save(tmp_path / "a.json")


class Gear(J.Joint):
    """A slide of a class that is no frozen dataclass."""

    nq = nv = 1

    def __init__(self, ratio):
        self.ratio = np.array([ratio])

    def placement(self, q):
        return se3.pose(np.eye(3), np.array([1.0, 0.0, 0.0]) * (self.ratio * q[0]))


def test_a_joint_that_changes_after_the_robot_was_made_changes_nothing():
    """Functions are traced when they are first called: they would be those of different robots."""
    gear, b = Gear(2.0), kt.Builder("geared")
    b.link("block", mass=1.0, inertia=[0.1, 0.1, 0.1])
    b.joint("slide", gear, parent="base", child="block")
    robot = kt.Robot(b.build(), backend="numpy")
    assert robot.mass_matrix([0.0]) == 4.0
    gear.ratio[:] = 5.0
    gear.ratio = np.array([3.0])
    assert robot.inverse_dynamics([0.0], [0.0], [1.0]) == 4.0
    other = kt.Builder("other")
    other.link("block", mass=1.0, inertia=[0.1, 0.1, 0.1])
    other.joint("slide", gear, parent="base", child="block")
    assert kt.Robot(other.build(), backend="numpy").mass_matrix([0.0]) == 9.0
