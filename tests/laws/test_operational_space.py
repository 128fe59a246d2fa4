"""Operational space of any rows of any frames: the dense formulas and what they mean, on trees and closed chains."""

import pickle
from functools import cache

import numpy as np
import pytest

import kinetrace as kt
from kinetrace import algorithms as alg
from kinetrace.model import load_model, random_tree

from .conftest import STEP, with_mimics

FOUR = ("left_sole", "right_sole", "left_palm", "right_palm")
CASES = {
    "planar2r": (lambda: load_model("planar2r"), "tip", (1, 3)),
    "ur5e": (lambda: load_model("ur5e"), "tool0", "pose"),
    "puma560": (lambda: load_model("puma560"), "flange", "pose"),
    "panda": (lambda: load_model("panda"), ("panda_hand", "panda_link4"), ("position", (0, 5))),
    "humanoid": (lambda: load_model("humanoid", base="free"), FOUR, "pose"),
    "tree": (lambda: random_tree(14, 0).build(), ("link16", "link8"), ("pose", (2, 3, 5))),
    "mimics": (lambda: with_mimics(random_tree(12, 3).build("free"), 3), ("link5", "link11"), (4, 0, 2)),
    "closed": (lambda: kt.load("free_two_arms").model, ("payload", "spacecraft"), ("pose", (4, 3, 5))),
}


@cache
def case(name):
    """A model, choices of rows, a state, M⁻¹ (with closures P), and the acceleration while joints carry no force."""
    make, frame, axes = CASES[name]
    model, rng = make(), np.random.default_rng(1)
    if model.closures:
        q = model.assembly.q
        G, M = alg.velocity_map(model, q), alg.mass_matrix(model, q)
        v = G @ rng.normal(size=model.dof)
        inverse = G @ np.linalg.solve(G.T @ M @ G, G.T)
    else:
        v = rng.normal(size=model.nv)
        q = model.integrate(model.neutral(), rng.uniform(0.3, 1.2, model.nv))
        inverse = np.linalg.inv(alg.mass_matrix(model, q))
    return model, {"frame": frame, "axes": axes}, q, v, inverse, alg.forward_dynamics(model, q, v, 0 * v)


def stacked(function, frame, axes):
    """The rows of what a function of a frame gives."""
    names = [frame] if isinstance(frame, str) else frame
    each = list(axes) if not isinstance(axes, str) and not isinstance(axes[0], int) else [axes] * len(names)
    rows = {"pose": [0, 1, 2, 3, 4, 5], "orientation": [0, 1, 2], "position": [3, 4, 5]}
    picked = [rows[x] if isinstance(x, str) else list(x) for x in each]
    return np.concatenate([function(F)[x] for F, x in zip(names, picked, strict=True)])


WAYS = [
    *[(name, way) for name in ("planar2r", "panda", "mimics") for way in ("body", "space", "aligned")],
    *[("ur5e", "body"), ("puma560", "body"), ("humanoid", "aligned"), ("tree", "space"), ("closed", "aligned")],
]


@pytest.mark.alternates(2, "name", "way")
@pytest.mark.parametrize(("name", "way"), WAYS)
def test_dense_formulas_and_what_they_mean(name, way, mechanics):
    model, chosen, q, v, inverse, free = case(name)

    def jacobian(q):
        return stacked(lambda frame: alg.jacobian(model, q, frame=frame, expressed_in=way), **chosen)

    def near(found, expected):
        mechanics.assert_near(found, expected, 1e-9 if name == "closed" else 1e-10)  # P is found in two ways

    J, where = jacobian(q), {**chosen, "expressed_in": way}
    C = alg.operational_compliance(model, q, **where)
    near(C, J @ inverse @ J.T)
    for damping in (None, 0.5):
        extra = {} if damping is None else {"task_damping": damping}
        Lambda = np.linalg.inv(J @ inverse @ J.T + (damping or 0.0) ** 2 * np.eye(len(J)))
        inertia = alg.operational_inertia(model, q, **where, **extra)
        np.testing.assert_array_equal(inertia, inertia.T)
        near(inertia, Lambda)
        J_bar = alg.dynamically_consistent_inverse(model, q, **where, **extra)
        near(J_bar, inverse @ J.T @ Lambda)
        N = alg.nullspace_projector(model, q, **where, **extra)
        near(N, np.eye(model.nv) - J_bar @ J)
        mu = alg.operational_bias(model, q, v, **where, **extra)
        near(mu, -Lambda @ stacked(lambda F: alg.acceleration(model, q, v, free, frame=F, expressed_in=way), **chosen))
        if damping is None:
            near(J @ J_bar, np.eye(len(J)))
            near(np.eye(model.nv) + N @ N, np.eye(model.nv) + N)
            near(J @ inverse + J @ inverse @ N.T, J @ inverse)
            # Pushed by μ alone the frames keep their velocity; J̇ v by a small step along the motion.
            a = alg.forward_dynamics(model, q, v, J.T @ mu)
            rate = jacobian(model.integrate(q, 1j * STEP * v)).imag / STEP

            near(J @ a, -rate @ v)


def test_wrenches_on_several_frames_accelerate_each_other(mechanics):
    """Cross terms, by forward dynamics under wrenches on all four contacts; and μ as wrenches."""
    model, chosen, q, v, _, free = case("humanoid")
    F = np.random.default_rng(2).normal(size=(4, 6))
    J = stacked(lambda frame: alg.jacobian(model, q, frame=frame), **chosen)
    pushed = alg.forward_dynamics(model, q, v, 0 * v, wrench=dict(zip(FOUR, F, strict=True)))
    mechanics.assert_near(J @ (pushed - free), alg.operational_compliance(model, q, **chosen) @ F.ravel(), 1e-10)
    mu = alg.operational_bias(model, q, v, **chosen).reshape(4, 6)
    a = alg.forward_dynamics(model, q, v, 0 * v, wrench=dict(zip(FOUR, mu, strict=True)))
    kept = stacked(lambda frame: alg.acceleration(model, q, v, a, frame=frame), **chosen)
    mechanics.assert_near(J @ free + kept, J @ free, 1e-10)


def test_compliance_of_a_frame(model, state, mechanics):
    frame = list(model.frames)[-1]
    J = alg.jacobian(model, state.q, frame=frame)
    expected = J @ np.linalg.solve(alg.mass_matrix(model, state.q), J.T)
    mechanics.assert_near(alg.operational_compliance(model, state.q, frame=frame), expected, 1e-10)


def test_compiled_for_batches_with_a_damping_for_each_state():
    robot = kt.load("planar2r")
    q, v, damping = robot.random(5, seed=0), np.ones((5, 2)), np.linspace(0.1, 1.0, 5)
    for name in ("operational_inertia", "dynamically_consistent_inverse", "nullspace_projector", "operational_bias"):
        arrays = (q, v) if name == "operational_bias" else (q,)
        found = getattr(robot, name)(*arrays, ["link2", "tip"], axes=["orientation", [3]], task_damping=damping)
        for k in range(5):
            choices = {"frame": ("link2", "tip"), "axes": ("orientation", (3,)), "task_damping": damping[k]}
            expected = getattr(alg, name)(robot.model, *(x[k] for x in arrays), **choices)
            np.testing.assert_allclose(found[k], expected, rtol=1e-10, atol=1e-12)


def test_derivatives_are_those_of_complex_steps():
    robot, q, where = kt.load("planar2r"), np.array([0.3, 0.7]), {"frame": "tip", "axes": (3, 5)}
    found = kt.compile(kt.jacobian(alg.operational_inertia), robot, **where)(q)
    for k, e in enumerate(np.eye(2)):
        moved = alg.operational_inertia(robot.model, q + 1j * STEP * e, **where)
        np.testing.assert_allclose(found[..., k], moved.imag / STEP, rtol=1e-10, atol=1e-14)


def test_frames_and_rows_in_lists_and_tuples_are_the_same_choice():
    robot, q = kt.load("planar2r"), np.array([0.3, 0.7])
    kernel = robot.kernel("operational_inertia", frame=["tip"], axes=[3, 5])
    assert kernel is robot.kernel("operational_inertia", frame=("tip",), axes=(np.int64(3), 5))
    assert kernel is robot.kernel("operational_inertia", frame=("tip",), axes=np.array([3, 5]))
    assert kernel is not robot.kernel("operational_inertia", frame=("tip",), axes=(5, 3))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(kernel))(q), kernel(q))
    for _ in range(3):  # the first single state, and the following
        for frame, axes in ((("tip",), (3, 5)), (["tip"], [3, 5]), ("tip", (3, 5)), ("tip", ((3, 5),))):
            np.testing.assert_array_equal(robot.operational_inertia(q, frame, axes=axes), kernel(q))


IMPOSSIBLE = {
    "too few": ("planar2r", {"frame": "tip"}, "can move 2 of the 6 rows", "Ask for axes=(3, 5), or give task_damping"),
    "always zero": ("planar2r", {"frame": "tip", "axes": "position"}, "(y: always zero)", "axes=(3, 5)"),
    "one body": (
        "planar2r",
        {"frame": ("tip", "link2")},
        "2 of the 12",
        "frame='tip', axes=(3, 5), or give",
    ),
    "of the world": ("planar2r", {"frame": "base_link"}, "0 of the 6 rows", "Give task_damping"),
    "closed": ("five_bar", {"frame": "tip"}, "five_bar can move 2 of the 6 rows", "Ask for axes=(3, 5)"),
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_rows_that_no_configuration_moves_independently(name):
    robot_name, choices, *said = IMPOSSIBLE[name]
    robot = kt.load(robot_name)
    q = robot.assemble()
    with pytest.raises(kt.InputError) as caught:
        robot.operational_inertia(q, **choices)
    assert all(text in str(caught.value) for text in ("operational_inertia: ", *said))
    for call in (
        lambda: robot.count("operational_bias", **choices),
        lambda: kt.compile(kt.jacobian(alg.nullspace_projector), robot, **choices),
        lambda: robot.kernel("dynamically_consistent_inverse", **choices),
    ):
        with pytest.raises(kt.InputError, match=r"task_damping=\.\.\."):
            call()
    assert np.isfinite(alg.operational_compliance(robot.model, q, **choices)).all()
    damped = alg.operational_inertia(robot.model, q, **choices, task_damping=0.1)
    assert np.linalg.eigvalsh(damped)[-1] <= 100.0 * (1 + 1e-9)  # 1/λ²


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"frame": ("tip", "tpi")}, "unknown frame 'tpi'; did you mean 'tip'?"),
        ({"frame": ["tip", 3]}, "frame must be a name"),
        ({"frame": ()}, "no frame is named"),
        ({"frame": "tip", "axes": "positions"}, "did you mean 'position'? Valid: orientation, pose, position"),
        ({"frame": "tip", "axes": 3}, "pose, orientation, position"),
        ({"frame": "tip", "axes": (3, 3)}, "from 0 to 5"),
        ({"frame": "tip", "axes": (3, 6)}, "from 0 to 5"),
        ({"frame": "tip", "axes": (3, True)}, "from 0 to 5"),
        ({"frame": "tip", "axes": ()}, "from 0 to 5"),
        ({"frame": ("link1", "tip"), "axes": ("position",)}, "1 choices for 2 frames"),
        ({"frame": "tip", "expressed_in": "world"}, "Valid: aligned, body, space"),
    ],
)
def test_choices_that_mean_nothing(choices, said):
    robot = kt.load("planar2r")
    for call in (
        lambda: robot.operational_compliance(np.zeros(2), **choices),
        lambda: alg.operational_compliance(robot.model, np.zeros(2), **choices),
        lambda: robot.count("operational_inertia", **choices),
    ):
        with pytest.raises(kt.InputError) as caught:
            call()
        assert said in str(caught.value)
