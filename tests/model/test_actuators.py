"""Actuators and keyframes as parts of a model: what they are, their forces, edits, files, reports."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.model import Gear

A = kt.Actuator


def arm():
    """A ball joint, a hinge and a slide, with actuators of all kinds and two keyframes."""
    b = kt.Builder("arm")
    for name, joint, parent in (
        ("ball", kt.joints.Spherical(), "base"),
        ("hinge", kt.joints.Revolute("y"), "ball_link"),
        ("slide", kt.joints.Prismatic([0, 0, 1]), "hinge_link"),
    ):
        b.link(f"{name}_link", mass=1.0, com=[0.1, 0, 0.2], inertia=0.02 * np.eye(3))
        limits = kt.Limits([-1.5], [1.5], 10.0, 40.0) if name == "hinge" else None
        b.joint(name, joint, parent=parent, child=f"{name}_link", placement=[0, 0, 0.3], limits=limits)
    b.add_actuators(
        A.position("hinge", kp=90.0, kv=4.0, force_range=(-30, 20), control_range=(-1, 1)),
        A("pair", {"hinge": 2.0, "slide": -1.0}, (1.0, 0.5, 0.25), (0.1, -3.0, -0.5)),
        A("twist", [Gear("ball", [1, 2, 3]), Gear("ball", [0, 0, 1.0], "parent")], bias=(0.0, -1.0, -0.1)),
        A("slow", "slide", dynamics="filter", time_constant=0.05, activation_range=(-2, 2)),
        A("late", "slide", delay=0.004),
    )
    b.add_keyframe("home", {"hinge": 0.4}, control={"hinge": 0.4, "slow": 0.5}, activation={"slow": 0.5})
    b.add_keyframe("moving", {"slide": 0.1}, {"slide": 1.0})
    return kt.Robot(b.build(), backend="numpy")


@pytest.fixture(scope="module")
def robot():
    return arm()


def power_and_length(robot, q, v):
    """Lengths and speeds of all actuators, written out."""
    (ball, hinge, slide), (w, x, y) = robot.model.split_q(q), robot.model.split_v(v)
    turn = kt.lie.so3.log(kt.lie.so3.from_quaternion(ball))
    R = kt.lie.so3.from_quaternion(ball)
    lengths = [hinge[0], 2 * hinge[0] - slide[0], np.array([1, 2, 4.0]) @ turn, slide[0], slide[0]]
    speeds = [x[0], 2 * x[0] - y[0], np.array([1, 2, 3]) @ w + np.array([0, 0, 1.0]) @ (R @ w), y[0], y[0]]
    return np.array(lengths), np.array(speeds)


def test_forces_are_the_equations(robot):
    rng = np.random.default_rng(0)
    for _ in range(20):
        q, v, u, activation = robot.random(seed=rng), rng.normal(size=5), 2 * rng.normal(size=5), rng.normal(size=1)
        length, speed = power_and_length(robot, q, v)
        forces = []
        for x, control, at, rate in zip(robot.model.actuators, u, length, speed, strict=True):
            control = activation[0] if x.name == "slow" else np.clip(control, *x.control_range)
            each = np.array([1.0, at, rate])
            forces.append(np.clip(x.gain @ each * control + x.bias @ each, *x.force_range))
        tau = robot.actuator_forces(q, v, u, activation=activation)
        hinge = robot.v_slice("hinge").start
        unbounded = speed_rows(robot, q) @ forces
        unbounded[hinge] = np.clip(unbounded[hinge], -40.0, 40.0)
        assert np.allclose(tau, unbounded, rtol=1e-12, atol=1e-12)


def speed_rows(robot, q):
    """Speeds of the actuators per velocity: the transpose of how they pull."""
    return np.array([power_and_length(robot, q, e)[1] for e in np.eye(robot.nv)])


def test_forces_of_a_batch_and_their_derivatives():
    """Compiled as interpreted; by complex steps along v, away from bounds."""
    robot = kt.Robot(arm().model)
    rng = np.random.default_rng(1)
    q, v, u = robot.random(7, seed=rng), rng.normal(size=(7, 5)), 0.1 * rng.normal(size=(7, 5))
    tau = robot.actuator_forces(q, v, u)
    each = [kt.algorithms.actuator_forces(robot.model, *x) for x in zip(q, v, u, strict=True)]
    assert np.allclose(tau, each, rtol=1e-13, atol=1e-13)
    by_v = kt.jacobian(kt.algorithms.actuator_forces, wrt="v")(robot.model, q[0], v[0], u[0])
    steps = [kt.algorithms.actuator_forces(robot.model, q[0], v[0] + 1e-30j * e, u[0]).imag / 1e-30 for e in np.eye(5)]
    assert np.allclose(by_v, np.transpose(steps), rtol=1e-10, atol=1e-12)


def test_mimic_joints_pull_at_their_sources():
    b = kt.Builder("gripper")
    for name, mimic in (("a", None), ("b", ("a", -2.0, 0.1))):
        b.link(f"{name}_link", mass=1.0)
        b.joint(name, kt.joints.Prismatic([1, 0, 0]), parent="hand", child=f"{name}_link", mimic=mimic)
    b.add_actuators(A.position("b", kp=10.0, kv=1.0))
    robot = kt.Robot(b.build(check="ignore"), backend="numpy")
    force = 10.0 * (0.3 - (-2.0 * 0.2 + 0.1)) - (-2.0 * 0.5)
    assert np.allclose(robot.actuator_forces([0.2], [0.5], [0.3]), -2.0 * force)


def test_content_is_kept(robot, tmp_path):
    """Equality, hashes, pickles, files; files of before have neither."""
    model = robot.model
    robot.save(tmp_path / "arm.json")
    again = kt.load(tmp_path / "arm.json", backend="numpy")
    for other in (again, pickle.loads(pickle.dumps(robot))):
        assert other == robot and hash(other) == hash(robot) and other.keyframes == robot.keyframes
    stiffer = replace(model.actuators[0], gain=91.0)
    assert robot.with_actuators(stiffer, *model.actuators[1:]).model != model
    text = (tmp_path / "arm.json").read_text()
    kt.load("planar2r").save(tmp_path / "plain.json")
    assert "actuators" not in (tmp_path / "plain.json").read_text()
    broken = text.replace('"joint": "slide"', '"joint": "slid"', 1)
    with pytest.raises(kt.ModelError, match=r"model.actuators\[1\]: actuator 'pair' is on an unknown joint 'slid'"):
        kt.load(broken)


def test_edits(robot):
    """Locked joints go into constants; what is left pulls as before."""
    q, v, u = np.array([1, 0, 0, 0, 0.3, 0.2]), np.array([0, 0, 0, 0, 0.7]), np.array([0.2, 0.3, 0.0, 0.4, 0.5])
    locked = robot.locked({"hinge": 0.3})
    assert locked.actuator_names == ("pair", "twist", "slow", "late")
    whole, part = robot.actuator_forces(q, v, u), locked.actuator_forces(q[[0, 1, 2, 3, 5]], v[[0, 1, 2, 4]], u[1:])
    assert np.allclose(part, whole[[0, 1, 2, 4]], rtol=1e-13)
    home = locked.keyframes["home"]
    assert home.q.shape == (5,) and home.control.tolist() == [0, 0, 0.5, 0] and home.activation.tolist() == [0.5]
    with pytest.raises(kt.ModelError, match="actuator 'pair' acts on 'slide', which are removed, and on other joints"):
        robot.without_bodies("slide_link")
    kept = robot.with_actuators(robot.model.actuators[0]).without_bodies("slide_link")
    assert kept.actuator_names == ("hinge",) and kept.keyframes["home"].control.tolist() == [0.4]
    both = robot.joined(robot, "slide_link", prefix="b_")
    assert both.actuator_names[5:] == tuple(f"b_{x}" for x in robot.actuator_names)
    assert both.model.actuators[6].joints == ("b_hinge", "b_slide")
    assert np.array_equal(both.keyframes["moving"].v, np.tile(robot.keyframes["moving"].v, 2))
    with pytest.raises(kt.InputError, match="both robots have joints"):
        robot.joined(robot, "slide_link")
    turned = robot.with_link_frames("center_of_mass")
    assert np.allclose(turned.actuator_forces(q, v, u), whole, rtol=1e-13)


def test_reports(robot):
    told = str(robot.info())
    for text in ("-30 … 20", "2 · hinge, -1 · slide", "filter 0.05 s", "delay 0.004 s", "keyframes: home, moving"):
        assert text in told
    other = robot.with_actuators(replace(robot.model.actuators[0], gain=80.0), *robot.model.actuators[2:])
    lines = str(robot.difference_to(other))
    assert "actuator 'hinge': gain (90, 0, 0) → (80, 0, 0)" in lines
    assert "actuator 'pair': only in the first robot" in lines and "keyframe 'home': other control" in lines
    assert not robot.difference_to(arm())
    odd = robot.with_actuators(A.motor("hinge", 0.0), A.position("slide", 10.0, control_range=(-1, 1)))
    odd = odd.with_keyframe("far", robot.home(), control=[0.0, 3.0])
    kinds = {x.kind: x.where for x in odd.doctor()}
    assert kinds["gear of zero"] == ("hinge",) and kinds["control beyond its range"] == ("far",)
    assert "no control range" not in kinds


@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (lambda r: r.with_actuators(A.motor("hing")), kt.ModelError, "actuator 'hing' is on an unknown joint 'hing'"),
        (lambda r: r.with_actuators(A.motor("ball")), kt.ModelError, "'ball' must be 3 numbers, got shape"),
        (lambda r: r.with_actuators(A.motor("hinge"), A.motor("hinge")), kt.ModelError, "'hinge' is there twice"),
        (lambda r: r.with_actuators("hinge"), kt.InputError, "expected actuators such as"),
        (
            lambda r: r.with_actuators(A("x", [Gear("hinge", 1.0, "parent")])),
            kt.ModelError,
            "spherical and free joints",
        ),
        (lambda r: A("x", []), kt.ModelError, "gears must be a joint"),
        (lambda r: A("x", "hinge", control_range=(1, -1)), kt.ModelError, "control_range must be two numbers"),
        (lambda r: A("x", "hinge", gain=np.nan), kt.ModelError, "gain must be a finite number"),
        (lambda r: A("x", "hinge", dynamics="muscle"), kt.InputError, "dynamics must be 'none'"),
        (lambda r: A("x", "hinge", delay=-1.0), kt.ModelError, "delay must not be negative"),
        (lambda r: r.with_keyframe("x", [0.0]), kt.ModelError, "must have shape"),
        (lambda r: r.with_keyframe("x", r.home(), control=[1.0]), kt.ModelError, r"control: must have shape \(5,\)"),
    ],
)
def test_what_is_wrong_is_named(robot, make, error, said):
    with pytest.raises(error, match=said):
        make(robot)
