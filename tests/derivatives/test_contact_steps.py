"""Derivatives of steps with contacts: against differences of steps that are solved to rounding, and each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.algorithms.derivatives.contact_steps import contact_step_end
from kinetrace.algorithms.derivatives.linearisation import step_end_derivatives
from kinetrace.algorithms.dynamics.external_inputs import ExternalInputs
from kinetrace.algorithms.kinematics.forward_kinematics import body_poses
from kinetrace.algorithms.time.methods import initial_kept, method_for
from kinetrace.algorithms.time.state import State
from kinetrace.algorithms.time.step_inputs import StepInputs
from kinetrace.arrays import concatenate, scan
from kinetrace.lie import so3
from kinetrace.linalg.contact import sweeps
from kinetrace.model import WORLD, random_tree
from kinetrace.model.contact import ContactLaw, ContactPair, Contacts, ContactShape

DT, NONE = 2e-3, np.zeros(0)
METHOD = "semi-implicit"
LAWS = (
    {"friction": 0.5},
    {"friction": 0.0},
    {"friction": 0.8, "torsion": 0.02, "rolling": 0.01},
    {"friction": 0.3, "restitution": 0.5},
    {"friction": 0.5, "stiffness": 1e4, "damping": 10.0},
    {"friction": 0.5, "time_constant": 0.01, "damping_ratio": 0.7},
    {"friction": 0.6, "torsion": 0.02, "margin": 1e-3},
)


@pytest.fixture
def rng():
    return np.random.default_rng(4)


@pytest.fixture(autouse=True)
def solved_to_rounding(monkeypatch):
    monkeypatch.setattr(sweeps, "LEAST_CHANGE", 1e-14)
    monkeypatch.setattr(sweeps, "MOST_SWEEPS", 500)


def on_ground(robot, shapes, law, tilt=None):
    """A robot with (name, kind, size, body, pose) on a plane."""
    ground = ContactShape("ground", "plane", NONE, WORLD, np.eye(4) if tilt is None else tilt)
    own = [ContactShape(name, kind, np.array(size), body, X, link=name) for name, kind, size, body, X in shapes]
    pairs = [ContactPair(x.name, k + 1, 0, ContactLaw(**law)) for k, x in enumerate(own)]
    return kt.Robot(replace(robot.model, contacts=Contacts((ground, *own), tuple(pairs))))


def step_of(model, q, v, tau, dt, contact=None):
    """q, v and impulses after a step from the first guess."""
    state = State(q, v, initial_kept(model, METHOD))
    after, _ = method_for(model, METHOD).advance(model, state, dt, StepInputs(tau, ExternalInputs(contact=contact)))
    return after.q, after.v, after.kept["contact_impulses"]


def linear_step(model, q, v, tau, dt):
    A, B = kt.algorithms.linearise_step(model, q, v, tau, dt, method=METHOD)
    return concatenate([A, B], axis=1)


def differences(robot, step, q, v, tau, h=1e-6):
    """∂(q⁺, v⁺)/∂(δq, δv, τ) (..., 2 nv, 3 nv) by central ones; of forces that are larger, larger ones."""
    n, columns = robot.nv, []
    for d in h * np.eye(3 * n):
        (q_0, v_0, _), (q_1, v_1, _) = (
            step(
                robot.integrate(q, np.broadcast_to(s * d[:n], v.shape)),
                v + s * d[n : 2 * n],
                tau + s * 1e2 * d[2 * n :],
                DT,
            )
            for s in (-1.0, 1.0)
        )
        over = 1.0 / (2.0 * h * (1e2 if d[2 * n :].any() else 1.0))
        columns.append(over * np.concatenate([robot.difference(q_0, q_1), v_1 - v_0], axis=-1))
    return np.stack(columns, axis=-1)


def assert_near(found, wanted, tolerance=1e-6):
    """Relative to the largest entry of each state."""
    scale = np.abs(wanted).max(axis=(-2, -1), keepdims=True) + 1e-3
    np.testing.assert_allclose(found / scale, wanted / scale, rtol=0, atol=tolerance)


def kernels(robot):
    return kt.compile(linear_step, robot), kt.compile(step_of, robot)


def test_quadruped_on_its_feet(rng):
    """Feet in the air, that stick and that slip, in one state or another."""
    robot = kt.load("quadruped", base="free").with_joint_effects(armature=0.01)
    feet = [robot.model.frame(f"{name}_foot") for name in ("FL", "FR", "RL", "RR")]
    robot = on_ground(robot, [(f.name, "sphere", [0.02], f.body, f.X_bf) for f in feet], {"friction": 0.8})
    n, B = robot.nv, 200
    q = np.tile(robot.neutral(), (B, 1))
    q[:, 7:] = np.tile([0.0, 0.8, -1.6], 4) + 0.1 * rng.normal(size=(B, 12))
    q[:, 2] = 0.3 + 0.01 * rng.normal(size=B)
    q = robot.integrate(q, np.concatenate([0.1 * rng.normal(size=(B, 3)), np.zeros((B, n - 3))], axis=1))
    v, tau = rng.normal(size=(B, n)), 5.0 * rng.normal(size=(B, n))
    linear, step = kernels(robot)
    x = step(q, v, tau, DT)[2]
    pressed, friction = x[..., 2] > 0.0, np.hypot(x[..., 0], x[..., 1])
    sticks = friction < 0.79 * x[..., 2]
    assert all(part.sum() > 100 for part in (~pressed, pressed & sticks, pressed & ~sticks))
    assert_near(linear(q, v, tau, DT), differences(robot, step, q, v, tau))


@pytest.mark.parametrize(
    ("seed", "solver"), [(0, "newton"), (0, "sweeps"), (3, "sweeps"), (8, "sweeps"), (47, "sweeps")]
)
def test_shapes_on_all_kinds_of_joints(seed, solver):
    """Spheres and planes, on the world and on bodies, all laws, belts that turn: by formulas, differences and graph.

    Newton's method has derivatives with a small compliance of what sticks.
    """
    rng = np.random.default_rng(seed)
    model = random_tree(4, seed).build(("fixed", "free")[seed % 2])
    q, (v, tau) = model.random(rng), rng.normal(size=(2, model.nv))
    poses, shapes, pairs, count = body_poses(model, q), [], [], len(model.bodies)
    for k in range(3):
        i = int(rng.integers(count))
        j = int(rng.integers(WORLD, count)) % count if k else WORLD
        j = WORLD if j == i else j
        at, plane, R = np.eye(4), np.eye(4), so3.exp(rng.normal(size=3))
        at[:3, 3] = 0.2 * rng.normal(size=3)
        gap = rng.choice([-1e-3, 1e-3]) * rng.uniform(0.2, 1.0)
        plane[:3, :3], plane[:3, 3] = R, (poses[i] @ at)[:3, 3] - R @ [0.05, -0.03, 0.1 + gap]
        plane = plane if j == WORLD else np.linalg.inv(poses[j]) @ plane
        belt = 0.1 * rng.normal(size=6) if k == 2 else None
        shapes += [
            ContactShape(f"s{k}", "sphere", np.array([0.1]), i, at),
            ContactShape(f"p{k}", "plane", NONE, j, plane, velocity=belt),
        ]
        order = (2 * k, 2 * k + 1) if k else (1, 0)
        pairs.append(ContactPair(f"c{k}", *order, ContactLaw(**LAWS[(seed + 2 * k) % len(LAWS)])))
    model = replace(model, contacts=Contacts(tuple(shapes), tuple(pairs), solver))
    state, inputs = State(q, v, initial_kept(model, METHOD)), StepInputs(tau, ExternalInputs())
    found, graph = (
        np.concatenate([end.q.D, end.u.D])
        for end in (contact_step_end(model, state, DT, inputs), step_end_derivatives(model, state, DT, METHOD, inputs))
    )
    assert_near(found, graph, 1e-8 if solver == "sweeps" else 1e-5)
    direction = rng.normal(size=3 * model.nv)
    n, ends, there = model.nv, [], step_of(model, q, v, tau, DT)[0]
    for d in (-1e-6 * direction, 1e-6 * direction):
        end = step_of(model, model.integrate(q, d[:n]), v + d[n : 2 * n], tau + d[2 * n :], DT)
        ends.append(np.concatenate([model.difference(there, end[0]), end[1]]))
    assert_near((found @ direction)[:, None], (ends[1] - ends[0])[:, None] / 2e-6, 1e-5)


def test_box_on_its_corners(rng):
    """Rows that depend on each other: it slides, turns and rocks on four corners, with softness by their compliance."""
    builder = kt.Builder("box")
    builder.link("box", mass=2.0, inertia=[0.02, 0.03, 0.04])
    robot = kt.Robot(builder.build("free"))
    robot = on_ground(robot, [("box", "box", [0.4, 0.3, 0.2], 0, np.eye(4))], {"friction": 0.4})
    q, tau = np.tile(robot.neutral(), (20, 1)), rng.normal(size=(20, 6))
    q[:, 2] = 0.1 - 1e-4 * rng.random(20)
    q = robot.integrate(q, 2e-4 * rng.normal(size=(20, 6)) * [1, 1, 0, 0, 0, 0])
    v = np.concatenate([0.1 * rng.normal(size=(20, 3)), rng.normal(size=(20, 3)) * [1, 1, 0.01]], axis=1)
    linear, step = kernels(robot)
    assert ((step(q, v, tau, DT)[2][..., 2] > 0.0).sum(axis=1) > 2).sum() > 10
    assert_near(linear(q, v, tau, DT), differences(robot, step, q, v, tau, 1e-7), 1e-5)


def arm_on_ground(law, *effects, lower=-3.0):
    """An arm in its plane, with a ball at the tip that is lowest at zero height; its second joint ends at `lower`."""
    robot = kt.load("planar2r")
    for joint, named in effects:
        robot = robot.with_joint_effects(joint, **named)
    first, second = robot.model.bodies
    limits = replace(second.limits, lower=np.array([lower]))
    robot = kt.Robot(replace(robot.model, bodies=(first, replace(second, limits=limits))))
    tip = robot.model.frame("tip")
    return on_ground(robot, [("ball", "sphere", [0.1], tip.body, tip.X_bf)], law)


def near_ground(rng, count):
    """Configurations of the arm with the ball above or below its touching the ground by less than a millimetre."""
    first = rng.uniform(0.5, 1.0, count)
    height = 0.1 + 1e-3 * rng.uniform(0.1, 1.0, count) * rng.choice([-1.0, 1.0], count)
    return np.stack([first, np.arcsin(height - np.sin(first)) - first], axis=-1)


def test_friction_and_stops_of_joints_beside_contacts(rng):
    """A joint that dry friction may hold, one near its stop, and a ball that sticks, slips or is in the air."""
    dry, hard = {"friction": 5.0, "friction_law": "dry"}, {"stop_law": "hard", "restitution": 0.3}
    robot = arm_on_ground({"friction": 0.3, "restitution": 0.2}, ("joint1", dry), ("joint2", hard), lower=-1.6)
    q = near_ground(rng, 200)
    v, tau = rng.normal(size=(2, 200, 2)) * np.array([1.0, 5.0])[:, None, None]
    q[::2, 1] = -1.6 + 1e-3 * rng.random(100)
    linear, step = kernels(robot)
    assert_near(linear(q, v, tau, DT), differences(robot, step, q, v, tau))


def test_closed_chain(rng):
    """A four-bar linkage whose rocker grinds on the ground: through the graph of the step."""
    robot = kt.load("four_bar")
    home, at, floor = robot.home(), np.eye(4), np.eye(4)
    at[0, 3] = 0.3
    center = body_poses(robot.model, home)[2] @ at
    floor[:3, :3], floor[:3, 3] = so3.exp(np.array([0.0, 1.2, 0.0])), center[:3, 3]
    floor[:3, 3] -= 0.1 * floor[:3, 2]
    robot = on_ground(robot, [("knob", "sphere", [0.1], 2, at)], {"friction": 0.3}, floor)
    linear, step = kernels(robot)
    q = np.tile(home, (30, 1))
    q[:, 0] += 5e-4 * rng.normal(size=30)
    (q, v), tau = robot.project(q, rng.normal(size=(30, 3))), rng.normal(size=(30, 3))
    x = step(q, v, tau, DT)[2][..., 2]
    assert 5 < (x > 0.0).sum() < 25
    assert_near(linear(q, v, tau, DT), differences(robot, step, q, v, tau))


def impulses(model, q, v, tau, dt, mu, size):
    """Those of the ball, with its friction and its size as arguments."""
    return step_of(model, q, v, tau, dt, {"friction": mu, "ball.size": size})[2][0]


def test_impulses_by_parameters(rng):
    """Of friction, shape and inertia, forward and in reverse, and to second order."""
    robot = arm_on_ground({"friction": 0.3})
    q, (v, tau) = near_ground(rng, 60), rng.normal(size=(2, 60, 2)) * np.array([1.0, 5.0])[:, None, None]
    wrt, shapes, at = ("mu", "size", "inertial"), {"mu": (1,), "size": (1,)}, (np.array([0.3]), np.array([0.1]))
    step = kt.compile(impulses, robot, shapes=shapes)
    found = [
        kt.compile(kt.jacobian(impulses, wrt, mode), robot, shapes=shapes)(q, v, tau, DT, *at)
        for mode in ("forward", "reverse")
    ]
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)
    for k, h in enumerate((1e-6, 1e-8)):
        ends = [step(q, v, tau, DT, *(x + s * h * (i == k) for i, x in enumerate(at))) for s in (-1.0, 1.0)]
        assert_near(found[0][k][..., 0, None], (ends[1] - ends[0])[..., None] / (2 * h), 1e-5)


def last(model, q, v, tau, dt):
    """The state after some steps, each of which begins its iterations where the last one ended."""

    def one(state, u):
        after = method_for(model, METHOD).advance(model, State(*state), dt, StepInputs(u, ExternalInputs()))[0]
        return tuple(after), None

    q, v, _ = scan(one, (q, v, initial_kept(model, METHOD)), tau)[0]
    return concatenate([q, v])


def test_rollouts(rng):
    """By the discrete adjoint, in reverse through the graph, and by differences."""
    robot, steps, h = arm_on_ground({"friction": 0.3}), 12, 1e-6
    q, v, tau = near_ground(rng, 8), 0.5 * rng.normal(size=(8, 2)), rng.normal(size=(8, steps, 2))
    shapes = {"tau": ("t", 2)}
    rollout, pull = (kt.compile(f, robot, shapes=shapes) for f in (last, kt.vjp(last, wrt=("q", "v", "tau"))))
    by_state, by_tau = robot.rollout_derivatives(q, v, tau, DT, method=METHOD)
    weight, d = rng.normal(size=(8, 4)), rng.normal(size=(8, 4 + 2 * steps))
    along = h * d[:, :2], h * d[:, 2:4], h * d[:, 4:].reshape(8, steps, 2)
    ends = [rollout(*(x + s * dx for x, dx in zip((q, v, tau), along, strict=True)), DT) for s in (-1.0, 1.0)]
    wanted = np.einsum("bi,bi->b", weight, ends[1] - ends[0]) / (2 * h)
    by_q, by_v, by_forces = pull(q, v, tau, DT, weight)
    found = np.concatenate([by_q, by_v, by_forces.reshape(8, -1)], axis=1)
    np.testing.assert_allclose(np.einsum("bi,bi->b", found, d), wanted, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(np.einsum("bi,bij->bj", weight, by_state), found[:, :4], rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(np.einsum("bi,btij->btj", weight, by_tau), by_forces, rtol=1e-8, atol=1e-8)


def test_no_derivative_is_nan_at_switches():
    """Gaps of zero, at rest, on the cone."""
    robot = arm_on_ground({"friction": 0.3, "restitution": 0.5})
    q = np.array([0.7, np.arcsin(0.1 - np.sin(0.7)) - 0.7])
    linear = kt.compile(linear_step, robot)
    for v in (np.zeros(2), np.array([1.0, -1.0])):
        held = robot.inverse_dynamics(q, v, np.zeros(2))
        for tau in (np.zeros(2), held):
            assert np.isfinite(linear(q, v, tau, DT)).all()
