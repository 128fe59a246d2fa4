"""Controllers: storage functions have the rates that are stated, and a law is the same however it runs."""

from __future__ import annotations

import copy
import ctypes
import inspect
import math
import pickle
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial

import numpy as np
import pytest

import kinetrace as kt
from kinetrace import algorithms as alg
from kinetrace.arrays import concatenate, cos, sin, tree_leaves
from kinetrace.control.frames import frame_spring, goal_of
from kinetrace.control.reference import reference_of
from kinetrace.control.task_space import bounded_factors
from kinetrace.lie import se3, so3
from kinetrace.linalg import dense
from kinetrace.model import random_tree
from kinetrace.model.effects.joint_effects import has_effects

pytestmark = pytest.mark.filterwarnings("ignore:.*beyond the limits of joints")
"""Random goals may be there."""
STEP = 1e-30
TREE, RUBBING = "random tree of all joints", "four_bar with joint effects"


@cache
def robot_of(name: str) -> kt.Robot:
    """Robots with motors for all their motions."""
    if name == TREE:
        robot = kt.Robot(random_tree(9, 1).build())
    elif name == "free base":
        robot = kt.Robot(random_tree(6, 4).build("free"))
    elif name == "with joint effects":
        return kt.load("panda").with_joint_effects(damping=0.5, friction=0.3, stiffness=2.0, armature=0.1)
    elif name == RUBBING:
        return kt.load("four_bar").with_joint_effects(damping=0.5, friction=0.3, stiffness=2.0)
    else:
        return kt.load(name)
    return robot.with_motors(*robot.model.joint_names)


ROBOTS = ("planar2r", TREE, "free base", "with joint effects", RUBBING, "stewart")


@cache
def state_of(name: str, seed: int) -> tuple[np.ndarray, ...]:
    """A state, and a goal not far from it; closed if the robot is."""
    robot, rng = robot_of(name), np.random.default_rng(seed)
    if robot.model.closures:
        goal = robot.assemble()
        moved = robot.integrate(goal, 0.05 * rng.normal(size=robot.nv))
        q, _ = robot.project(moved, np.zeros(robot.nv))
        return q, robot.velocity_map(q) @ rng.normal(size=robot.dof), goal
    q = robot.model.random(rng)
    return q, rng.normal(size=robot.nv), robot.model.integrate(q, 0.6 * rng.normal(size=robot.nv))


def swing(robot, q0, size):
    """q0 ⊕ size sin t: its velocity is size cos t, as all displacements have one direction."""
    return lambda t: (robot.model.integrate(q0, size * sin(t)), size * cos(t), -size * sin(t))


def closed_motion(robot, q0, rng):
    """A motion that at t = 0 keeps all loops closed, with velocities and accelerations."""
    v = alg.velocity_map(robot.model, q0) @ rng.normal(size=robot.dof)
    a = alg.closed_acceleration(robot.model, q0, v, rng.normal(size=robot.dof))
    opens = alg.closure_jacobian(robot.model, q0) @ a + alg.closure_bias(robot.model, q0, v)
    assert max(np.abs(opens).max(), np.abs(alg.closure_velocity(robot.model, q0, v)).max()) < 1e-9

    def near(t):
        one = kt.arrays.sqrt(0.01 - t * t) / kt.arrays.sqrt(0.01 - t * t)  # it is not defined later: loops would open
        return robot.model.integrate(q0, (t * v + (0.5 * t * t) * a) * one), v + t * a, a

    return near


def circling(X, w):
    """A pose that turns and moves along w sin t."""
    R, p = X[:3, :3], X[:3, 3]
    W = np.concatenate([R @ w[:3], w[3:]])
    return lambda t: (se3.pose(R @ so3.exp(w[:3] * sin(t)), p + w[3:] * sin(t)), W * cos(t), -W * sin(t))


def heat(robot, q, v):
    return alg.dissipated_power(robot.model, q, v)


def independent(robot, *xs):
    return [x[list(robot.model.independent)] for x in xs]


class Case:
    """What a claim about a controller is checked with: gains, a goal, a motion, a state."""

    def __init__(self, name: str, seed: int, moves: bool) -> None:
        self.robot, rng = robot_of(name), np.random.default_rng(seed + 100)
        self.t = 0.0 if self.robot.model.closures else 0.4
        self.model, self.nv = self.robot.model, self.robot.nv
        self.q, self.v, self.goal = state_of(name, seed)
        self.K, self.D, self.A = rng.uniform(1, 3, (3, self.nv))
        self.reference = self.goal
        if moves and self.model.closures:
            self.reference = closed_motion(self.robot, self.goal, rng)
        elif moves:
            self.reference = swing(self.robot, self.goal, rng.normal(size=self.nv))
        own = {} if moves else {"goal": self.goal}
        error = reference_of(self.robot, self.reference).error(self.model, self.t, self.q, self.v, **own)
        self.u, self.w = error.velocity, error.velocity - self.v
        self.frame = {"four_bar": "coupler", "stewart": "platform"}.get(self.robot.name, list(self.model.frames)[-1])
        B = rng.normal(size=(2, 6, 6))
        self.forms = B @ B.transpose(0, 2, 1)
        X = alg.pose(self.model, self.goal, frame=self.frame)
        self.X = circling(X, rng.normal(size=6)) if moves else X


def gravity_compensation(c):
    return kt.control.gravity_compensation(c.robot, c.D), -c.D * c.v @ c.v - heat(c.robot, c.q, c.v)


def pd(c):
    return kt.control.pd(c.robot, c.goal, c.K, c.D), -c.D * c.v @ c.v - heat(c.robot, c.q, c.v)


def computed_torque(c):
    D, w = independent(c.robot, c.D, c.w)
    return kt.control.computed_torque(c.robot, c.reference, c.K, c.D), -D * w @ w


def joint_impedance(c):
    D, w = independent(c.robot, c.D, c.w)
    u = alg.velocity_map(c.model, c.q) @ independent(c.robot, c.u)[0] if c.model.closures else c.u
    helps = (u - c.v) @ (alg.passive_forces(c.model, c.q, u) - alg.passive_forces(c.model, c.q, c.v))
    assert helps > 0.0 if has_effects(c.model) else helps == 0.0
    return kt.control.joint_impedance(c.robot, c.reference, c.K, c.D), -D * w @ w - helps


def shaped_impedance(c):
    D, w = independent(c.robot, c.D, c.w)
    return kt.control.joint_impedance(c.robot, c.reference, c.K, c.D, inertia=c.A), -D * w @ w


def cartesian_impedance(c):
    K, D = c.forms
    goal = alg.pose(c.model, c.goal, frame=c.frame)
    made = kt.control.cartesian_impedance(c.robot, c.frame, goal, K, D, nullspace_damping=0.0, joint_damping=c.D)
    V = alg.velocity(c.model, c.q, c.v, frame=c.frame)
    return made, -V @ D @ V - c.D * c.v @ c.v - heat(c.robot, c.q, c.v)


def operational_space(c):
    axes = (3, 5) if c.robot.name in ("planar2r", "four_bar") else "position" if c.robot.nv < 24 else "pose"
    axes = (3,) if c.robot.name == "four_bar" else axes
    rows = {"position": (3, 4, 5), "pose": range(6)}.get(axes, axes)
    gains, slow = (2.0, 1.5), (0.3, 0.2) if callable(c.X) else (9.0, 9.0)  # springs beyond their limit, or within
    posture = {} if c.model.closures else {"posture": c.goal, "posture_gain": 1.0}
    made = kt.control.operational_space(
        c.robot,
        c.frame,
        c.X,
        *gains,
        axes=axes,
        largest_inertia=1e9,
        largest_speed=slow,
        posture_damping=0.7,
        **posture,
    )
    X, V = alg.pose(c.model, c.q, frame=c.frame), alg.velocity(c.model, c.q, c.v, frame=c.frame, expressed_in="aligned")
    U = goal_of(c.robot, c.frame, c.X, True).errors(c.t, [(X, V)], made.parameters.get("goal"))[0].velocity
    W = (U - V)[list(rows)]
    return made, -gains[1] * W @ W


CLAIMS: dict[str, Callable[[Case], tuple[kt.control.Controller, float]]] = {
    f.__name__: f
    for f in (
        *(gravity_compensation, pd, computed_torque, joint_impedance, shaped_impedance),
        *(cartesian_impedance, operational_space),
    )
}
"""Controllers with a storage function, and its rate, exactly."""


@pytest.mark.alternates(2, "claim", "robot", "moves")
@pytest.mark.parametrize("moves", [False, True], ids=["held", "moving"])
@pytest.mark.parametrize("robot", ROBOTS)
@pytest.mark.parametrize("claim", CLAIMS)
def test_storage_functions_have_the_stated_rates(claim, robot, moves):
    """V̇ along the closed loop, by a complex step of V along (v, v̇): no simulation, and exact to rounding."""
    case = Case(robot, 3, moves)
    made, claimed = CLAIMS[claim](case)
    m, t, q, v = case.model, case.t, case.q, case.v
    tau = made.law(m, t, q, v, **made.parameters)
    idle = [k for k in range(case.nv) if k not in m.driven]
    assert not np.any(tau[idle])
    a = alg.forward_dynamics(m, q, v, tau)
    ahead = made.storage(m, t + 1j * STEP, m.integrate(q, 1j * STEP * v), v + 1j * STEP * a, **made.parameters)
    assert made.storage(m, t, q, v, **made.parameters) > 0
    np.testing.assert_allclose(ahead.imag / STEP, claimed, rtol=1e-8, atol=1e-9)
    assert claimed <= 0


def test_nullspace_damping_of_an_impedance_takes_energy_and_pulls_at_no_frame():
    robot = robot_of("with joint effects")
    q, v, goal = state_of("with joint effects", 5)
    X = robot.pose(goal, "panda_hand")
    make = partial(kt.control.cartesian_impedance, robot, "panda_hand", X, np.ones(6), np.ones(6))
    damped, not_damped = (make(nullspace_damping=c).law for c in (2.0, 0.0))
    own = make().parameters
    bare = {**own, "nullspace_damping": 0.0}
    more = damped(robot.model, 0.0, q, v, **own) - not_damped(robot.model, 0.0, q, v, **bare)
    N = alg.nullspace_projector(robot.model, q, frame="panda_hand")
    M = alg.mass_matrix(robot.model, q)
    np.testing.assert_allclose(more, -2.0 * N.T @ M @ N @ v, atol=1e-9)
    J = alg.jacobian(robot.model, q, frame="panda_hand")
    assert np.abs(J @ np.linalg.solve(M, more)).max() < 1e-9


def test_what_a_task_leaves_free_loses_its_energy_at_the_stated_rate():
    """Also in fast motions, as Coriolis forces are left to themselves there."""
    robot = robot_of("with joint effects")
    q, v, _ = state_of("with joint effects", 7)
    m, X = robot.model, robot.pose(q, "panda_hand")
    made = kt.control.operational_space(robot, "panda_hand", X, 50.0, 10.0, posture_damping=1.5, largest_inertia=1e9)
    v = 20.0 * alg.nullspace_projector(m, q, frame="panda_hand") @ v
    a = alg.forward_dynamics(m, q, v, made.law(m, 0.0, q, v, **made.parameters))
    ahead = alg.kinetic_energy(m, m.integrate(q, 1j * STEP * v), v + 1j * STEP * a).imag / STEP
    expected = -3.0 * alg.kinetic_energy(m, q, v) - alg.dissipated_power(m, q, v)
    np.testing.assert_allclose(ahead, expected, rtol=1e-9)


def _simulated(robot, controller, q, v, **settings):
    motion = robot.simulate(q, v, controller=controller, **settings)
    return controller.stored(motion.t, motion.q, motion.v, motion.states), motion


SETTLES = {
    "pd": lambda r, goal: kt.control.pd(r, goal, 60.0, 14.0),
    "computed_torque": lambda r, goal: kt.control.computed_torque(r, goal, 36.0, 12.0),
    "joint_impedance": lambda r, goal: kt.control.joint_impedance(r, swing(r, goal, np.array([0.4, 0.8])), 60.0, 14.0),
    "operational_space": lambda r, goal: kt.control.operational_space(
        r, "tip", r.pose(goal, "tip"), 36.0, 12.0, axes=(3, 5)
    ),
    "cartesian_impedance": lambda r, goal: kt.control.cartesian_impedance(
        r, "tip", r.pose(goal, "tip"), [1, 20, 1, 90, 1, 90], [0, 3, 0, 20, 0, 20]
    ),
}


@pytest.mark.parametrize("name", SETTLES)
def test_storage_falls_to_zero_in_compiled_simulations(name):
    """From ten starts at once, in steps of 2 ms: errors of the steps are below 1e-3 of what is stored."""
    robot, rng = robot_of("planar2r"), np.random.default_rng(1)
    goal = np.array([0.3, 1.1])
    q = goal + rng.uniform(-0.6, 0.6, (10, 2))
    V, motion = _simulated(robot, SETTLES[name](robot, goal), q, rng.normal(size=(10, 2)), t=3.0, dt=2e-3)
    assert np.diff(V, axis=-1).max() < 1e-4 * V[:, 0].max()
    assert (V[:, -1] < 1e-4 * V[:, 0]).all() and np.isfinite(motion.tau).all()


@pytest.mark.parametrize("base", ["fixed", "free"])
def test_storage_falls_on_trees_and_free_bases(base):
    """Springs along a motion, and computed torque, which ends the error; on trees with a ball joint, four starts."""
    robot, rng = kt.Robot(random_tree(3, 1).build(base)), np.random.default_rng(2)
    robot = robot.with_motors(*robot.model.joint_names)
    assert any(body.joint.nq > body.joint.nv for body in robot.model.bodies)
    model, goal = robot.model, robot.model.random(rng)
    q = np.array([model.integrate(goal, x) for x in rng.uniform(-0.4, 0.4, (4, robot.nv))])
    v, motion = rng.uniform(-0.3, 0.3, (4, robot.nv)), swing(robot, goal, rng.uniform(-0.5, 0.5, robot.nv))
    least = np.linalg.eigvalsh(alg.mass_matrix(model, goal))[0]  # a step of 5 ms bears dampers of 400 times this
    for made, left in (
        (kt.control.joint_impedance(robot, motion, 900.0 * least, 60.0 * least), 0.9),
        (kt.control.computed_torque(robot, motion, 16.0, 8.0), 1e-3),
    ):
        V, _ = _simulated(robot, made, q, v, t=2.0, dt=5e-3, method="rk4")
        assert np.diff(V, axis=-1).max() < 1e-3 * V[:, 0].min()
        assert (V[:, -1] < left * V[:, 0]).all()


def test_a_closed_chain_settles_with_one_motor():
    robot = robot_of("four_bar")
    q, _, goal = state_of("four_bar", 3)
    made = kt.control.computed_torque(robot, goal, 100.0, 20.0)
    V, motion = _simulated(robot, made, q, np.zeros(3), t=1.0, dt=0.01)
    assert np.diff(V).max() < 1e-4 * V[0] and V[-1] < 1e-5 * V[0]  # forces are held for 10 ms
    assert not motion.tau[:, 1:].any() and np.abs(motion.closure_residual()).max() < 1e-9


def test_computed_torque_of_the_panda_is_pinocchios_inverse_dynamics(tmp_path):
    pin = pytest.importorskip("pinocchio")
    robot = kt.load("panda", joint_effects=False)
    robot.save(tmp_path / "panda.urdf")
    theirs = pin.buildModelFromUrdf(str(tmp_path / "panda.urdf"))
    q, v, q_d = robot.random(seed=1), np.linspace(-1, 1, 7), robot.random(seed=2)
    made = kt.control.computed_torque(robot, q_d, 30.0, 8.0)
    expected = pin.rnea(theirs, theirs.createData(), q, v, 30.0 * (q_d - q) - 8.0 * v)
    np.testing.assert_allclose(made.law(robot.model, 0.0, q, v, **made.parameters), expected, atol=1e-9)


def test_a_law_alone_in_a_batch_in_a_simulation_and_in_c(tmp_path):
    robot = robot_of("planar2r").with_joint_effects(friction=0.5)
    law = kt.control.pd(robot, [0.5, -0.2], 40.0, 8.0) + kt.control.friction_compensation(robot, fraction=0.5)
    made = kt.control.sampled(kt.control.saturated(law, [25.0, 10.0]), 0.02)
    q, v = np.array([[0.1, 0.2], [1.0, -0.4], [0.3, 0.9]]), np.array([[0.0, 1.0], [-2.0, 0.3], [0.1, 0.1]])
    batch, after = made(0.0, q, v)
    for k in range(3):
        one, state = made(0.0, q[k], v[k])
        np.testing.assert_array_equal(one, batch[k])
        np.testing.assert_array_equal(state["next"], after["next"][k])
        plain, _ = made.law(robot.model, 0.0, q[k], v[k], made.initial_state, **made.parameters)
        np.testing.assert_allclose(one, plain, atol=1e-12)
    motion = robot.simulate(q, v, t=0.1, dt=5e-3, controller=made)
    called = robot.simulate(q, v, t=0.1, dt=5e-3, controller=made, compiled=False)
    np.testing.assert_allclose(motion.q, called.q, atol=1e-12)
    np.testing.assert_allclose(motion.tau, called.tau, atol=1e-11)
    np.testing.assert_array_equal(motion.tau[:, :4], np.broadcast_to(batch[:, None], (3, 4, 2)))
    assert np.abs(motion.tau).max() <= 25.0 and motion.states["held"].shape == (3, 21, 2)
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    for name, text in made.source("my_law").items():
        (tmp_path / name).write_text(text)
    command = [compiler, "-std=c99", "-O1", "-shared", "-fPIC", "my_law.c", "-o", "my_law.so", "-lm"]
    subprocess.run(command, cwd=tmp_path, check=True)
    states, own = tree_leaves(made.initial_state), made.parameters.values()
    given = [np.array(x, dtype=float) for x in (0.0, q[1], v[1], *states, *own)]
    found = [np.zeros(2), *(np.zeros(np.shape(x)) for x in states)]
    function = ctypes.CDLL(str(tmp_path / "my_law.so")).my_law
    function.restype = None
    function(*(ctypes.c_void_p(x.ctypes.data) for x in (*given, *found)))
    np.testing.assert_allclose(found[0], batch[1], atol=1e-11)


def test_parameters_with_batch_axes_are_as_many_motions():
    robot = robot_of("planar2r")
    made = kt.control.pd(robot, [0.5, 0.0], 40.0, 8.0)
    K = np.array([[10.0, 10.0], [40.0, 20.0]])
    both = robot.simulate([0.0, 0.0], [0.0, 0.0], t=0.3, dt=0.01, controller=made, parameters={"stiffness": K})
    for k in range(2):
        one = robot.simulate([0.0, 0.0], [0.0, 0.0], t=0.3, dt=0.01, controller=made.with_parameters(stiffness=K[k]))
        np.testing.assert_allclose(both.q[k], one.q, atol=1e-12)
    with pytest.raises(kt.InputError, match=r"stiffness of the controller must have shape \(2,\)"):
        robot.simulate([0, 0], [0, 0], t=0.1, dt=0.01, controller=made, parameters={"stiffness": np.ones(3)})
    with pytest.raises(kt.InputError, match="did you mean 'stiffness'"):
        robot.simulate([0, 0], [0, 0], t=0.1, dt=0.01, controller=made, parameters={"stifness": 1.0})


@pytest.mark.parametrize("k", [1, 3, 6])
def test_the_inertia_of_a_task_is_bounded_and_exact_away_from_singular_configurations(k):
    rng = np.random.default_rng(k)
    for rank in range(k + 1):
        for _ in range(20):
            A = rng.normal(size=(k, max(rank, 1))) * (rank > 0) * 10 ** rng.uniform(-3, 1)
            C, largest = A @ A.T, 10 ** rng.uniform(-1, 3)
            found = np.array([dense.solve(bounded_factors(C, np.float64(largest))[0], e) for e in np.eye(k)])
            assert np.linalg.eigvalsh((found + found.T) / 2).max() <= largest * (1 + 1e-6)
            if np.linalg.eigvalsh(C).min() > 1.01 * k**0.25 / largest:
                np.testing.assert_allclose(found, np.linalg.inv(C), rtol=1e-6, atol=1e-12)


def test_a_task_through_a_singular_configuration_has_bounded_forces():
    """The tip is pulled from outside of its reach, through the stretched arm: forces are finite, and bounded."""
    robot = robot_of("planar2r")
    make = partial(kt.control.operational_space, robot, "tip", [2.5, 0.0, 0.0], 36.0, 12.0, axes=(3, 5))
    bounded, bare = make(), make(largest_inertia=1e12)
    start, v = np.array([0.4, -0.8]), np.array([0.0, 0.0])
    assert robot.operational_compliance([0.0, 0.0], "tip", axes=(3, 5))[0, 0] < 1e-15  # singular when stretched
    motion = robot.simulate(start, v, t=3.0, dt=2e-3, controller=bounded)
    reach = robot.pose(motion.q, "tip")[:, 0, 3]
    assert reach.max() > 1.99 and np.isfinite(motion.tau).all()  # it got there
    elbows = np.linspace(-0.3, 0.3, 601)
    near = np.stack([np.zeros(601), elbows], axis=-1)
    forces, without = bounded(0.0, near, np.zeros(2)), bare(0.0, near, np.zeros(2))
    assert np.abs(forces).max() < 200 < 1000 < np.abs(without).max()
    assert np.abs(np.diff(forces, axis=0)).max() < 10  # and continuous


def test_friction_compensation_and_sums():
    robot = robot_of("planar2r").with_joint_effects(damping=0.4, friction=1.5)
    q, v = np.array([0.2, 0.4]), np.array([0.7, -0.3])
    full = kt.control.friction_compensation(robot)
    np.testing.assert_allclose(full(0.0, q, v), robot.passive_forces(q, v), atol=1e-12)
    given = kt.control.friction_compensation(robot, viscous=0.4, coulomb=1.5)
    np.testing.assert_allclose(given(0.0, q, v), robot.passive_forces(q, v), atol=1e-12)
    held = kt.control.pd(robot, [0.0, 0.0], 30.0, 5.0)
    both = held + kt.control.friction_compensation(robot, fraction=0.5)
    np.testing.assert_allclose(both(0.0, q, v), held(0.0, q, v) + 0.5 * robot.passive_forces(q, v), atol=1e-12)
    rate = (both(0.0, q, v) - held(0.0, q, v)) @ v  # what the compensation adds to V̇, less than the friction takes
    assert 0 < rate < robot.dissipated_power(q, v) and both.storage is not None
    twice = full + replace(given, name="more")
    np.testing.assert_allclose(twice(0.0, q, v, more_fraction=0.0), full(0.0, q, v), atol=1e-12)
    for follows in (kt.control.joint_impedance, kt.control.computed_torque, kt.control.passivity_based):
        with pytest.raises(kt.InputError, match="twice"):
            kt.control.saturated(follows(robot, [0.0, 0.0], 30.0, 5.0), 10.0) + full


def test_sums_of_controllers_with_states():
    robot = robot_of("planar2r")

    def integral(model, t, q, v, total, gain):
        return -gain * total, total + 0.01 * q

    first = kt.control.Controller(robot, integral, "integral", np.zeros(2), {"gain": 1.0})
    second = kt.control.sampled(kt.control.gravity_compensation(robot, 1.0), 0.05)
    both = first + second
    motion = robot.simulate([0.3, 0.1], [0.0, 0.0], t=0.2, dt=0.01, controller=both)
    np.testing.assert_allclose(motion.states[0][1:], np.cumsum(0.01 * motion.q[:-1], axis=0), atol=1e-12)
    assert motion.states[1]["held"].shape == (21, 2)
    assert both.storage is None  # the integral does not say that it keeps what the other states
    rubbing = second + kt.control.friction_compensation(robot, coulomb=0.1)
    np.testing.assert_allclose(
        rubbing.stored(motion.t, motion.q, motion.v, motion.states[1:]), motion.kinetic_energy(), atol=1e-12
    )


def test_a_sum_states_no_function_that_may_grow():
    robot, own = robot_of("planar2r"), np.zeros(2)
    held, pushed = kt.control.pd(robot, own, 50.0, 1.0), kt.control.Controller(robot, lambda m, t, q, v: 5.0 * v)
    still = kt.control.friction_compensation(robot, coulomb=0.1, reference=lambda t: (own, own, own))
    assert held.storage is not None
    assert all(x.storage is None for x in (held + pushed, pushed + held, held + replace(held, name="b"), held + still))
    keeps = kt.control.friction_compensation(robot, coulomb=0.1)
    assert (held + keeps).storage is not None and (keeps + held).storage is not None
    assert (keeps + replace(keeps, name="more")).keeps_storage and not (held + keeps).keeps_storage


@pytest.mark.parametrize("start", [0.0, 100.0, 1.7e9, -3.05])
def test_samples_are_taken_once_per_period_whenever_the_clock_starts(start):
    """Also of seconds since 1970, of which numbers know about 2e-7 s."""
    made = kt.control.sampled(kt.control.Controller(robot_of("planar2r"), lambda m, t, q, v: q), 0.1)
    state, taken = None, []
    for k in range(40):
        tau, state = made(start + 0.01 * k, [float(k), 0.0], [0.0, 0.0], state)
        taken.append(int(tau[0]))
    first = 5 if start < 0 else 10
    assert sorted(set(taken)) == [0, *range(first, 40, 10)] and taken == sorted(taken)
    assert made(start, [50.0, 0.0], [0.0, 0.0], state)[0][0] == 50.0  # the clock was set back: it does not wait for it


def test_springs_of_frames_pull_as_much_as_told_and_no_more():
    rng, largest = np.random.default_rng(0), 0.0
    for _ in range(3000):
        K = 10 ** rng.uniform(-3, 3, 6)
        n = rng.normal(size=3) / np.sqrt(K[:3])
        e = np.concatenate([rng.uniform(0.9, 1.0) * np.pi * n / np.linalg.norm(n), 1e3 * rng.normal(size=3)])
        pull = frame_spring(e, K, (1.0, 2.0)).pull
        largest = max(largest, np.linalg.norm(pull[:3]))
        assert np.linalg.norm(pull[:3]) <= 1.0 + 1e-9 and np.linalg.norm(pull[3:]) <= 2.0 + 1e-9
    assert largest > 0.95  # the bound is not larger than it must be
    equal = frame_spring(np.array([0.0, 3.0, 0, 0, 0, 0]), np.full(6, 4.0), (1.0, 2.0)).pull
    np.testing.assert_allclose(equal[:3], [0.0, 1.0, 0.0], atol=1e-12)


def test_references_are_all_that_stands_for_a_motion():
    """A spline, a trajectory through the same points, and results that hold one."""
    robot, at = robot_of("planar2r"), (0.3, np.array([0.1, 0.2]), np.array([1.0, 2.0]))
    motion = swing(robot, np.zeros(2), np.array([0.5, -0.3]))
    t = np.linspace(0.0, 1.0, 201)
    q, v, _ = (np.array(x) for x in zip(*(motion(x) for x in t), strict=True))
    spline = kt.motion.Spline.through(robot, t, q)
    trajectory = replace(robot.simulate(q[0], v[0], t=1.0, dt=0.005), q=q, v=v)
    result = kt.motion.minimum_effort(robot, [0.0, 0.0], [0.5, 0.5], T=1.0, intervals=4)
    for make in (
        partial(kt.control.computed_torque, robot, position_gain=25.0, velocity_gain=10.0),
        lambda reference: kt.control.friction_compensation(robot, coulomb=1.0, reference=reference),
        lambda reference: kt.control.pd(robot, kt.control.held(robot, reference, 0.1), 25.0, 10.0),
    ):
        laws = [make(reference=x) for x in (motion, spline, trajectory, result, result.spline)]
        forces = [x.law(robot.model, *at, **x.parameters) for x in laws]
        np.testing.assert_allclose(forces[1:3], [forces[0]] * 2, atol=1e-5)
        np.testing.assert_array_equal(forces[3], forces[4])


def proportional(model, t, q, v, gain):
    return -gain * q


def test_controllers_are_pickled_as_the_calls_that_made_them():
    robot = robot_of("planar2r")
    law = kt.control.pd(robot, [0.5, -0.2], 40.0, damping=8.0).with_parameters(stiffness=[30.0, 20.0])
    law = law + kt.control.operational_space(robot, "tip", [1.0, 0.0, 0.5], 4.0, 2.0, axes=(3, 5))
    made = kt.control.observed(kt.control.saturated(law, 9.0), kt.control.momentum_observer(robot, 20.0))
    again = pickle.loads(pickle.dumps(made))
    at = 0.1, np.array([0.1, 0.2]), np.array([1.0, 2.0])
    given = made.initial_state, made.parameters
    np.testing.assert_array_equal(
        again.law(robot.model, *at, given[0], **again.parameters)[0],
        made.law(robot.model, *at, given[0], **given[1])[0],
    )
    own = kt.control.Controller(robot, proportional, "own", parameters={"gain": 2.0})
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(own)).law(None, *at, gain=2.0), [-0.2, -0.4])
    with pytest.raises(TypeError, match="laws are closures"):
        pickle.dumps(kt.control.Controller(robot, lambda m, t, q, v: -v))
    assert copy.deepcopy(made) is made


@pytest.mark.parametrize("name", kt.control.__all__)
def test_unknown_keywords_are_named(name):
    with pytest.raises(kt.InputError, match=f"unknown keyword of {name} 'dampng'"):
        getattr(kt.control, name)(dampng=1.0)


@pytest.mark.parametrize("name", [x for x in kt.control.__all__ if x.islower()])
def test_what_is_no_robot_is_refused(name):
    names = [x for x, p in inspect.signature(getattr(kt.control, name)).parameters.items() if p.default is p.empty]
    if names[0] == "robot":
        with pytest.raises(kt.InputError, match=r"robot must be a kinetrace\.Robot, got 'panda'"):
            getattr(kt.control, name)("panda", *(0.0 for _ in names[1:]))


def test_a_reference_that_is_held():
    robot = robot_of(TREE)
    motion = swing(robot, robot.neutral(), np.linspace(0.1, 0.5, robot.nv))
    slow = kt.control.held(robot, motion, 0.1)
    for t in (0.3, 0.3 - 1e-12):  # a multiple of the period, but for rounding
        for x, y in zip(slow(t), motion(0.3), strict=True):
            np.testing.assert_allclose(x, y, atol=1e-9)
    q, q_d = slow(0.37)[0], motion(0.37)[0]
    assert np.abs(robot.difference(q, q_d)).max() < 0.5 * 0.07**3  # third order


def _cubic(t):
    return np.ones(2) * t**3, 6.0 * np.ones(2) * t**2, 6.0 * np.ones(2) * t


def _untraceable(t):
    return np.ones(2) * math.sin(t), np.ones(2) * math.cos(t), -np.ones(2) * math.sin(t)


def _law(model, t, q, v):
    return -v


ARM = kt.load("planar2r")
FREE = kt.load("quadruped", base="free")
BAD = {
    "needs motors for all motions of 'quadruped': none drives 'floating_base'": lambda: kt.control.pd(
        FREE, FREE.neutral(), 1.0, 1.0
    ),
    "needs motors for all motions of 'planar2r': none drives 'joint1'": lambda: kt.control.computed_torque(
        ARM.with_motors("joint2"), [0, 0], 1.0, 1.0
    ),
    "reference must be a configuration": lambda: kt.control.pd(ARM, [0.0], 1.0, 1.0),
    "quaternions must have unit length": lambda: kt.control.pd(
        FREE.with_motors(*FREE.model.joint_names), 2 * FREE.neutral(), 1.0, 1.0
    ),
    "reference(t) must return q (2,), v (2,) and a (2,)": lambda: kt.control.pd(ARM, lambda t: np.zeros(2), 1.0, 1.0),
    "v is not the rate of q near t = 0": lambda: kt.control.pd(
        ARM, lambda t: (np.array([t, 0.0]), np.zeros(2), np.zeros(2)), 1.0, 1.0
    ),
    "stiffness must be one number or 2 numbers": lambda: kt.control.pd(ARM, [0, 0], [1, 2, 3], 1.0),
    "none negative": lambda: kt.control.pd(ARM, [0, 0], -1.0, 1.0),
    "inertia must be": lambda: kt.control.joint_impedance(ARM, [0, 0], 1.0, 1.0, inertia=0.0),
    "planar2r can move 2 of the 6 rows": lambda: kt.control.operational_space(ARM, "tip", np.eye(4), 1.0, 1.0),
    "unknown frame 'tool'": lambda: kt.control.operational_space(ARM, "tool", np.eye(4), 1.0, 1.0),
    "not a rigid motion": lambda: kt.control.cartesian_impedance(ARM, "tip", 2 * np.eye(4), np.ones(6), np.ones(6)),
    "goal must be a pose (4, 4), or": lambda: kt.control.cartesian_impedance(
        ARM, "tip", [1, 2, 3], np.ones(6), np.ones(6)
    ),
    "goal(t): the velocity near t = 0": lambda: kt.control.operational_space(
        ARM, "tip", lambda t: (np.array([t, 0.0, 0.0]), np.zeros(3), np.zeros(3)), 1.0, 1.0, axes=(3, 5)
    ),
    "positive semidefinite": lambda: kt.control.cartesian_impedance(ARM, "tip", np.eye(4), -np.ones(6), np.ones(6)),
    "posture_gain needs a posture": lambda: kt.control.operational_space(
        ARM, "tip", [1, 0, 1], 1.0, 1.0, axes=(3, 5), posture_gain=1.0
    ),
    "fraction must be from 0 to 1": lambda: kt.control.friction_compensation(ARM, 1.0, fraction=1.5),
    "no joint of 'planar2r' has damping or friction": lambda: kt.control.friction_compensation(ARM),
    "reference must be a configuration (2,), a function t -> (q, v, a), a Spline, a Trajectory": lambda: kt.control.pd(
        ARM, "swing", 1.0, 1.0
    ),
    "reference must move": lambda: kt.control.held(ARM, [0, 0], 0.1),
    "dissipation must name a parameter of shape (2,)": lambda: kt.control.Controller(ARM, _law, dissipation="damping"),
    "saturated takes a Controller": lambda: kt.control.saturated(_law),
    "limits must be": lambda: kt.control.saturated(kt.control.Controller(ARM, _law), [1.0, 2.0, 3.0]),
    "period must be positive": lambda: kt.control.sampled(kt.control.Controller(ARM, _law), 0.0),
    "states no Lyapunov or storage function": lambda: kt.control.Controller(ARM, _law).stored(0.0, [0, 0], [0, 0]),
    "has no state": lambda: kt.control.Controller(ARM, _law)(0.0, [0, 0], [0, 0], np.zeros(2)),
    "must return shape (2,) for one state, got shape (1,)": lambda: kt.control.Controller(
        ARM, lambda model, t, q, v: v[:1]
    )(0.0, [0, 0], [0, 0]),
    "cannot be called 'q'": lambda: kt.control.Controller(ARM, _law, parameters={"q": 1.0}),
    "law must be a function of (model, t, q, v)": lambda: kt.control.Controller(ARM, lambda t, q, v: -v),
    "missing a required argument: 'k'": lambda: kt.control.Controller(ARM, lambda model, t, q, v, k: -k * v),
    "link1": lambda: (
        kt.control.Controller(ARM, _law) + kt.control.Controller(ARM.with_joint_effects(damping=1.0), _law)
    ),
    "v is not the rate of q near t = 0.39": lambda: kt.control.pd(ARM, _cubic, 1.0, 1.0),
    "math.sin does not take traced values": lambda: kt.control.pd(ARM, _untraceable, 1.0, 1.0),
    "reference must keep the loops of 'four_bar' closed": lambda: kt.control.computed_torque(
        kt.load("four_bar"), kt.load("four_bar").assemble() + np.array([0.0, 0.5, 0.0]), 1.0, 1.0
    ),
    "stiffness must not be negative": lambda: kt.control.pd(ARM, [0, 0], 1.0, 1.0).with_parameters(stiffness=-1.0),
    "damping must not be negative": lambda: kt.control.gravity_compensation(robot=ARM).with_parameters(damping=-1.0),
    "unknown nonnegative parameter 'c'": lambda: kt.control.Controller(
        ARM, lambda model, t, q, v: -v, nonnegative=("c",)
    ),
    "controllers of different robots": lambda: kt.control.Controller(ARM, _law) + kt.control.Controller(FREE, _law),
}


@pytest.mark.parametrize("message", BAD)
def test_wrong_input_is_named(message):
    with pytest.raises(kt.InputError) as caught:
        BAD[message]()
    assert message in str(caught.value)


def test_goals_of_several_frames():
    robot, frames = kt.load("humanoid"), ("left_palm", "right_palm")
    q = robot.neutral() + 0.3 * np.cos(np.arange(robot.nv))
    X = np.array([alg.pose(robot.model, q, frame=f) for f in frames])
    goals = X[:, :3, 3] + [[0.1, 0.0, 0.1], [0.0, -0.1, 0.1]]
    made = kt.control.operational_space(robot, frames, goals, 25.0, 10.0, axes="position")
    v = 0.2 * np.sin(np.arange(robot.nv))
    a = alg.forward_dynamics(robot.model, q, v, made.law(robot.model, 0.0, q, v, **made.parameters))
    for k, f in enumerate(frames):
        V, A = (
            g(robot.model, q, v, *more, frame=f, expressed_in="aligned")[3:]
            for g, more in ((alg.velocity, ()), (alg.acceleration, (a,)))
        )
        np.testing.assert_allclose(A, 25.0 * (goals[k] - X[k, :3, 3]) - 10.0 * V, atol=1e-8)
    assert concatenate([made.parameters["goal"][0], goals[1]]).shape == (6,)
