"""Constraints of users' own classes: what is not written follows exactly, and what is wrong is refused by its name."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, replace

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.arrays import concatenate, stack
from kinetrace.lie import se3, so3
from kinetrace.model.constraints import Angle, Point, Shifted, Together
from kinetrace.model.constraints.checks import MEANINGS, comparisons, form_fault
from kinetrace.model.joints.displacement_checks import agree

from .closing import CLOSERS

EYE = np.eye(6)
RATES = ("rows_rate", "bias", "bias_gradient")


def constraint_of(kind, rng):
    joint, X = CLOSERS[kind](rng)
    return (joint.closing() if isinstance(joint, kt.joints.Joint) else joint), X


def own_like(constraint, *methods):
    """A class of one's own with some methods of another constraint, and no others."""

    def method(name):
        return lambda self, *arguments: getattr(constraint, name)(*arguments)

    content = {name: method(name) for name in methods}
    content |= {"holonomic": constraint.holonomic, "transmits": constraint.transmits, "__module__": __name__}
    return type("Own", (kt.closures.Constraint,), content)()


@pytest.mark.parametrize("kind", CLOSERS)
def test_the_library_keeps_the_laws_that_own_classes_must_keep(kind, rng):
    """Of one's own, its rows would be accepted; but for `Rows`, whose residual is in combinations of its rows."""
    constraint, X = constraint_of(kind, rng)
    assert form_fault(constraint, X) is None
    for name, found, wanted in comparisons(constraint, X, rng.normal(size=6)):
        assert agree(found, wanted) or (isinstance(constraint, kt.closures.Rows) and name == "rows(X)"), name


@pytest.mark.parametrize("kind", CLOSERS)
def test_what_is_not_written_is_what_would_be_written(kind, rng):
    """Rates from rows at any pose, of any scalars; rows from the residual where it is zero."""
    constraint, X = constraint_of(kind, rng)
    V, moved = rng.normal(size=6), X @ se3.exp(0.3 * rng.normal(size=6))
    own = own_like(constraint, "residual", "rows")
    for name in RATES:
        for at in (X, moved):
            np.testing.assert_allclose(getattr(own, name)(at, V), getattr(constraint, name)(at, V), atol=1e-12)
    step = 1e-30j  # along a direction, whose derivative is the imaginary part
    ahead = own.bias(X @ (np.eye(4) + step * se3.hat(V)), V).imag / step.imag
    np.testing.assert_allclose(ahead, constraint.bias_gradient(X, V) @ V, atol=1e-12)
    if all(constraint.holonomic) and not isinstance(constraint, kt.closures.Rows):
        np.testing.assert_allclose(own_like(constraint, "residual").rows(X), constraint.rows(X), atol=1e-12)


class Cross(kt.closures.Constraint):
    """A universal joint about x of A and y of B."""

    holonomic, transmits = (True,) * 4, ("moment", "force x", "force y", "force z")

    def residual(self, X):
        return concatenate([stack([X[0, 1]]), X[:3, :3].T @ X[:3, 3]])

    def rows(self, X):
        n = X[0, :3]
        return stack([stack([n[2], 0.0, -n[0], 0.0, 0.0, 0.0]), *EYE[3:]], axis=0)


class CrossByResidual(Cross):
    rows = kt.closures.Constraint.rows


class Joint(kt.joints.Joint):
    """The joint whose loops it closes."""

    nq = nv = 2

    def placement(self, q):
        R = so3.exp(stack([q[0], 0.0, 0.0])) @ so3.exp(stack([0.0, q[1], 0.0]))
        return se3.pose(R, np.zeros(3))

    def closing(self):
        return Cross()


def closed_by(joint, **settings):
    b = kt.Builder("x")
    b.link("p", mass=1.0, com=[0, 0, -0.2], inertia=[0.02, 0.03, 0.04])
    b.joint("ball", kt.joints.Spherical(), parent="base", child="p")
    b.close("base", "p", joint, name="u")
    return kt.Robot(b.build(), **settings)


def test_dynamics_and_their_derivatives_are_those_of_the_library():
    """Rows that change with the pose had no rates: 1.350 instead of 1.003 rad/s² of the first angle."""
    lib = closed_by(kt.joints.Universal("x", "y"), backend="numpy")
    q = lib.assemble(lib.random(seed=1))
    v = lib.project(q, [1.0, 0.5, 0.3])[1]
    tau = np.array([0.3, -0.2, 0.1])
    right = [lib.forward_dynamics(q, v, tau), *lib.forward_dynamics_derivatives(q, v, tau)]
    right.append(lib.simulate(q, v, t=0.05, dt=0.01, project=True).q[-1])
    for joint, backend in (
        (Joint(), "llvm"),
        (Joint(), "numpy"),
        (Cross(), "numpy"),
        (CrossByResidual(), "llvm"),
        (Together((Point(), own_like(Angle([1, 0, 0], [0, 1, 0]), "residual"))), "numpy"),
    ):
        own = closed_by(joint, backend=backend)
        found = [own.forward_dynamics(q, v, tau), *own.forward_dynamics_derivatives(q, v, tau)]
        found.append(own.simulate(q, v, t=0.05, dt=0.01, project=True).q[-1])
        for x, y in zip(found, right, strict=True):
            np.testing.assert_allclose(x, y, atol=1e-10)


WRONG = {
    "residual": (lambda self, X: concatenate([stack([X[0, 1]]), X[:3, 3]]), r"rows\(X\) is off by .* by residual \["),
    "rows": (lambda self, X: Cross.rows(self, X) * 2.0, r"rows\(X\) is off by .*leave rows out"),
    "rows_rate": (lambda self, X, V: np.zeros((4, 6)), r"rows_rate\(X, V\) is off by .*leave it out"),
    "bias": (lambda self, X, V: np.zeros(4), r"bias\(X, V\) is off by"),
    "bias_gradient": (lambda self, X, V: np.zeros((4, 6)), r"bias_gradient\(X, V\) is off by"),
    "holonomic": (True, r"holonomic must be a tuple with one bool per row, got True"),
    "transmits": ("mxyz", r"transmits must be a tuple with one text per row, got 'mxyz'"),
    "size": (3, r"transmits and size must be of as many rows as holonomic, 4, got 4 and 3"),
    "ends": (lambda self, X: X[:3, 3], r"ends\(X\) must have shape \(2, 3\), got \(3,\)"),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("given", ["by closing()", "itself", "as a part", "shifted"])
def test_wrong_methods_are_named(name, given):
    value, why = WRONG[name]
    kind = type("Wrong", (Cross,), {name: value, "__module__": __name__})
    joint = {
        "by closing()": type("By", (Joint,), {"closing": lambda self: kind(), "__module__": __name__})(),
        "itself": kind(),
        "as a part": Together((kind(),)),
        "shifted": Shifted(kind(), se3.pose(np.eye(3), np.array([0.1, 0.0, 0.0]))),
    }[given]
    of = r"By\.closing\(\)" if given == "by closing()" else "Wrong"
    with pytest.raises(kt.ModelError, match=rf"^closure 'u': {of}\.{why}"):
        closed_by(joint)


def test_all_that_a_class_may_override_is_tried():
    public = {name for name in dir(kt.closures.Constraint) if not name.startswith("_")}
    assert public == WRONG.keys() and {name.partition("(")[0] for name in MEANINGS} <= public


def branch(self, X):
    return concatenate([stack([X[0, 1] if X[0, 1] > 0 else 2 * X[0, 1]]), X[:3, :3].T @ X[:3, 3]])


def rows_in_a(self, X):
    return np.concatenate([EYE[:3], np.concatenate([np.zeros((3, 3)), X[:3, :3].T], axis=1)])


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (
            {"rows": lambda self, X: stack([*Cross.rows(self, X)])},
            r"rows\(X\) must have shape \(4, 6\), got \(6, 4\); .*last",
        ),
        ({"rows": lambda self, X: [*Cross.rows(self, X)]}, r"rows\(X\) must have shape \(4, 6\), got a list"),
        ({"rows": lambda self, X: Cross.rows(self, X)[:, [3, 4, 5, 0, 1, 2]]}, r"rows\(X\) .*: angular columns first"),
        ({"residual": branch}, r"residual\(X\) raises TracedError: .*kt\.arrays\.where for if"),
        ({"residual": lambda self, X: 1.0 + Cross.residual(self, X) ** 2}, r"residual\(X\) is zero at no pose"),
        ({"residual": lambda self, X: 1 / 0}, r"residual\(X\) raises ZeroDivisionError"),
        (
            {"holonomic": (True, True, True, False)},
            r"residual\(X\) is off by .* zero in rows that constrain velocities",
        ),
        (
            {"holonomic": (False,) * 4, "rows": kt.closures.Constraint.rows},
            r"rows\(X\) raises ModelError: the class Wrong has no rows: write rows\(self, X\)",
        ),
    ],
)
def test_wrong_forms_are_told(content, why):
    with pytest.raises(kt.ModelError, match=rf"^closure 'u': Wrong\.{why}"):
        closed_by(type("Wrong", (Cross,), {**content, "__module__": __name__})())


def test_what_closing_returns_must_be_a_constraint():
    for made, why in (
        (lambda self: EYE, "must return a constraint of kt.closures"),
        (lambda self: 1 / 0, "raises ZeroD"),
    ):
        with pytest.raises(kt.ModelError, match=rf"By\.closing\(\) {why}"):
            closed_by(type("By", (Joint,), {"closing": made, "__module__": __name__})())


def test_models_that_no_builder_has_seen_are_looked_at():
    model = closed_by(Cross()).model
    assert pickle.loads(pickle.dumps(model)) == model
    wrong = type("Wrong", (Cross,), {"bias": WRONG["bias"][0], "__module__": __name__})()
    with pytest.raises(kt.ModelError, match=r"closure 'u': Wrong\.bias\(X, V\) is off by"):
        kt.Robot(replace(model, closures=(replace(model.closures[0], constraint=wrong),)))


@dataclass(frozen=True, eq=False)
class Tether(kt.closures.Constraint):
    """A cord that keeps the distance of a point of B, which it is fixed to, from the origin of A."""

    length: float
    at: np.ndarray
    label: str = "cord"
    holonomic, transmits = (True,), ("pull",)

    def residual(self, X):
        p = X[:3, 3] + X[:3, :3] @ self.at
        return stack([kt.arrays.sqrt(p @ p) - self.length])


def test_json_holds_constraints_of_ones_own_classes(tmp_path):
    path, cord = tmp_path / "x.json", Tether(0.5, np.array([0.1, 0.0, 0.3]))
    robot = closed_by(Shifted(cord, se3.pose(np.eye(3), np.array([0.3, 0.2, 0.3]))), backend="numpy")
    assert robot.save(path) == ()
    back = kt.load(path, joint_classes=Tether)
    assert back.model == robot.model and type(back.model.closures[0].constraint.inner) is Tether
    with pytest.raises(
        kt.ModelError, match=r"constraint\.inner: .*joint_classes=\[\.\.\.\]\) names classes of your own"
    ):
        kt.load(path)
    with pytest.raises(kt.InputError, match=r"joint_classes must be classes derived from .*Constraint"):
        kt.load(path, joint_classes=[cord])
    wrong = type("Tether", (Tether,), {"rows": lambda self, X: EYE[:1], "__module__": __name__})
    with pytest.raises(kt.ModelError, match=r"closures\[0\]\.constraint.*Tether\.rows\(X\) is off by"):
        kt.load(path, joint_classes=[wrong])
    named = type("Rod", (Cross,), {"__module__": __name__})
    with pytest.raises(kt.ModelError, match="class Rod of your own, which has the name of one of kinetrace's"):
        closed_by(named()).save(path)
    twice = Together((Cross(), type("Cross", (Cross,), {"__module__": __name__})()))
    with pytest.raises(kt.ModelError, match="two classes of constraints of your own have the same name"):
        closed_by(twice).save(path)


def test_a_constraint_that_changes_after_the_robot_was_made_changes_nothing():
    cord, here = Tether(0.5, np.array([0.1, 0.0, 0.3])), se3.pose(np.eye(3), np.array([0.3, 0.2, 0.3]))
    for constraint in (cord, Shifted(cord, here)):
        loop = kt.closures.Loop("p", "world", constraint, "c", placement_a=[0.4, 0.0, 0.0])
        robot = kt.Robot(closed_by(kt.joints.Spherical()).model.with_closures(loop), backend="numpy")
        before = robot.closure_residual(robot.neutral())
        cord.at[0] += 0.5
        np.testing.assert_array_equal(robot.closure_residual(robot.neutral()), before)
