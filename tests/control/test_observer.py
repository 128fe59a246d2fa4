"""The momentum observer: its response in closed form, what it finds, and how soon it finds a collision."""

import numpy as np
import pytest

import kinetrace as kt
from kinetrace import control
from kinetrace.errors import InputError
from kinetrace.model import random_tree
from kinetrace.model.manifold import dexp


def pushed_along(motion, observer, told):
    """Residuals of an observer that is told other forces than those that act."""
    return observer.along(motion.t, motion.q, motion.v, motion.tau - told)


def test_the_response_is_that_of_the_filter():
    b = kt.Builder("slider")
    b.link("block", inertia=kt.lie.inertia.from_mass_com(3.0, np.zeros(3), np.eye(3)))
    b.joint("rail", kt.joints.Prismatic([0, 0, 1]), parent="base", child="block")
    robot, L, push = kt.Robot(b.build()), 40.0, 2.5
    motion = robot.simulate([0.0], [0.3], t=0.2, dt=5e-3, tau=[push])
    x = L * motion.t
    for order, wanted in ((1, 1 - np.exp(-x)), (2, 1 - (1 + x) * np.exp(-x))):
        observer = control.momentum_observer(robot, L, order=order)
        r = pushed_along(motion, observer, push)[:, 0]
        assert np.allclose(r, push * wanted, atol=1e-12)  # at 5 ms: the steps of the filter are exact
        state, alone = None, []
        for k in range(len(motion.t)):  # one call after another, beginning at any time
            found, state = observer(7.0 + motion.t[k], motion.q[k], motion.v[k], [0.0], state)
            alone.append(found[0])
        assert np.allclose(alone, r, atol=1e-9)


@pytest.mark.parametrize("base", ["fixed", "free"])
def test_external_forces_are_found_on_trees_with_joint_effects(base):
    robot = kt.Robot(random_tree(3, 1).build(base)).with_joint_effects(
        "joint2", damping=0.2, stiffness=1.0, armature=0.1
    )
    q, v = robot.random(seed=2), 0.5 * np.ones(robot.nv)
    hidden = np.linspace(-1.0, 1.0, robot.nv)
    observer, errors = control.momentum_observer(robot, 100.0), []
    for dt in (2e-3, 1e-3):
        motion = robot.simulate(q, v, t=0.1, dt=dt, tau=hidden, method="rkmk4")
        r = pushed_along(motion, observer, hidden)
        errors.append(np.abs(r - hidden * (1 - np.exp(-100.0 * motion.t[:, None])))[1:].max())
    assert errors[1] < 2e-3 and errors[0] / errors[1] > 3  # the trapezoidal rule is of the second order


def test_closed_loops_have_residuals_of_independent_velocities():
    robot = kt.load("four_bar")
    q = robot.assemble()
    tau = np.array([0.4, -0.3, 0.2])
    motion = robot.simulate(q, robot.velocity_map(q) @ [1.0], t=0.3, dt=1e-3, tau=tau)
    r = pushed_along(motion, control.momentum_observer(robot, 200.0), tau)
    assert r.shape == (301, 3) and not r[:, 1:].any()
    true = robot.velocity_map(motion.q[-1]).T @ tau
    lag = (robot.velocity_map(motion.q[-6]).T - robot.velocity_map(motion.q[-1]).T) @ tau  # of 1/L = 5 ms
    assert r[-1, :1] == pytest.approx(true + lag, abs=2e-3)


def test_a_closed_chain_is_compensated():
    robot = kt.load("four_bar")
    goal, loaded = robot.assemble(), robot.with_payload(0.5, "coupler")
    plain = control.pd(robot, goal, 2.0, 0.5)
    helped = control.observed(plain, control.momentum_observer(robot, 20.0), compensate=True)
    for controller, least, most in ((plain, 0.01, 1.0), (helped, 0.0, 1e-3)):
        motion = loaded.simulate(goal, np.zeros(3), 2.0, 5e-3, controller=controller)
        assert least <= np.abs(motion.q[-1] - goal).max() <= most


def test_an_observed_controller_is_the_same_controller():
    robot = kt.load("planar2r")
    plain = control.pd(robot, [1.0, -0.5], 50.0, 10.0)
    watched = control.observed(plain, control.momentum_observer(robot, 50.0))
    start = np.zeros((2, 2)), np.array([[0.0, 0.0], [1.0, 0.5]])
    a, b = (robot.simulate(*start, 0.5, 1e-3, controller=c) for c in (plain, watched))
    assert np.allclose(a.q, b.q, atol=1e-12)
    r = b.states["observer"]["residual"]
    assert r.shape == (2, 501, 2) and np.abs(r).max() < 2e-3
    # row k of the states is what the controller had after the step that ends there
    alone = control.momentum_observer(robot, 50.0).along(b.t, b.q, b.v, b.tau)
    assert np.allclose(r[:, 1:], alone[:, :-1], atol=1e-9)
    V = watched.stored(b.t, b.q, b.v, b.states)
    assert np.allclose(V, plain.stored(a.t, a.q, a.v))


def pushed(controller, d):
    """The controller, and forces d that it does not know."""

    def law(model, t, q, v, *state, **own):
        found = controller.law(model, t, q, v, *state, **own)
        return (found[0] + d, found[1]) if state else found + d

    return control.Controller(controller.robot, law, "pushed", controller.initial_state, controller.parameters)


def test_observers_know_the_forces_that_act():
    robot, limits = kt.load("planar2r"), np.array([40.0, 20.0])
    loaded, observer = robot.with_payload(0.5, "tip"), control.momentum_observer(robot, 20.0)
    pd = control.pd(robot, [0.5, 0.5], 50.0, 20.0)
    helped = control.observed(pd, observer, compensate=True)
    more = control.friction_compensation(robot, viscous=0.1)
    for controller in (
        control.saturated(helped, limits),
        control.observed(control.saturated(pd, limits), observer, compensate=True),
        control.saturated(control.sampled(helped, 0.004) + more, limits),
    ):
        motion = loaded.simulate([-2.0, 0.0], [0.0, 0.0], 5.0, 2e-3, controller=controller)
        np.testing.assert_allclose(motion.q[-1], 0.5, atol=1e-3)
        assert np.all(np.abs(motion.tau).max(axis=0) == limits)  # reached, not exceeded
    stiff = control.saturated(control.observed(control.pd(robot, [0.5, 0.5], 500.0, 50.0), observer) + more, limits)
    motion = robot.simulate([-2.0, 0.0], [0.0, 0.0], 2.0, 1e-3, controller=stiff)
    assert np.abs(motion.states[0]["observer"]["residual"]).max() < 1e-3  # nothing is there
    with pytest.raises(kt.InputError, match="increase"):
        observer.along(motion.t[::-1], motion.q, motion.v, motion.tau)
    with pytest.raises(kt.InputError, match="no rows"):
        control.collision_time(np.zeros(0), np.zeros((0, 2)), 1.0)


def test_compensation_removes_constant_disturbances_and_its_function_falls():
    robot, d, goal = kt.load("planar2r"), np.array([4.0, -2.0]), np.array([0.5, 0.5])
    plain = control.passivity_based(robot, goal, 4.0, 10.0)
    helped = control.observed(plain, control.momentum_observer(robot, 20.0), compensate=True, disturbance=d)
    motion = robot.simulate([0.0, 0.0], [0.0, 0.0], 3.0, 5e-4, controller=pushed(helped, d), record=4)
    without = robot.simulate([0.0, 0.0], [0.0, 0.0], 3.0, 1e-3, controller=pushed(plain, d))
    assert np.abs(without.q[-1] - goal).max() > 0.04
    assert np.abs(motion.q[-1] - goal).max() < 1e-4
    V = helped.stored(motion.t, motion.q, motion.v, motion.states)
    assert np.all(np.diff(V[2:]) < 1e-6 * V[0]) and V[-1] < 1e-6 * V[0]  # the first rows: r is that of the step before


HELPED = {
    "gravity_compensation": lambda r, goal, K: control.gravity_compensation(r, K),
    "pd": lambda r, goal, K: control.pd(r, goal(0.0)[0], 30.0, K),
    "joint_impedance": lambda r, goal, K: control.joint_impedance(r, goal, 30.0, K),
    "passivity_based": lambda r, goal, K: control.passivity_based(r, goal, 4.0, K),
    "cartesian_impedance": lambda r, goal, K: control.cartesian_impedance(
        r, list(r.model.frames)[-1], np.eye(4), np.ones(6), np.zeros(6), nullspace_damping=0.0, joint_damping=K
    ),
}
"""Controllers with damping of joints, whose function holds with an observer."""


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("name", HELPED)
def test_the_function_of_a_compensated_controller_has_the_stated_rate(name, order):
    """V̇ by a complex step along the closed loop, with the rates of the filter: exact to rounding."""
    rng, robot = np.random.default_rng(4), kt.Robot(random_tree(4, 1).build())
    m, step = robot.model, 1e-30
    q0, w = m.random(rng), rng.normal(size=robot.nv)
    q, v = m.integrate(q0, 0.3 * rng.normal(size=robot.nv)), rng.normal(size=robot.nv)
    d, found, slow = rng.normal(size=(3, robot.nv))
    K, L = rng.uniform(1.0, 3.0, (2, robot.nv))

    def goal(t):
        return m.integrate(q0, (t + t * t) * w), (1 + 2 * t) * w, 2.0 * w

    plain = HELPED[name](robot, goal, K)
    made = control.observed(plain, control.momentum_observer(robot, L, order=order), compensate=True, disturbance=d)
    inner = {**made.initial_state["observer"], "residual": found, **({"slow": slow} if order == 2 else {})}
    state, own = {**made.initial_state, "observer": inner}, made.parameters
    tau, after = made.law(m, 0.0, q, v, state, **own)  # the first call: the estimate is as it was
    np.testing.assert_array_equal(after["observer"]["residual"], found)
    a = kt.algorithms.forward_dynamics(m, q, v, tau + d)
    towards = d if order == 1 else slow
    rates = {"residual": L * (towards - found), "slow": L * (d - slow)}
    ahead = {**state, "observer": {k: x + 1j * step * rates.get(k, 0.0) for k, x in inner.items()}}
    V = made.storage(m, 1j * step, m.integrate(q, 1j * step * v), v + 1j * step * a, ahead, **own)
    at = (m, 1j * step, m.integrate(q, 1j * step * v))
    quiet = kt.algorithms.forward_dynamics(m, q, v, plain.law(m, 0.0, q, v, **plain.parameters))
    alone = plain.storage(*at, v + 1j * step * quiet, **plain.parameters).imag / step  # without d and r
    e, e1 = d - found, d - slow
    if name in ("joint_impedance", "passivity_based"):
        u = control.reference.reference_of(robot, goal).error(m, 0.0, q, v)
        s = u.velocity - v + (4.0 * dexp(m, u.theta, u.theta) if name == "passivity_based" else 0.0)
    else:
        s = -v
    np.testing.assert_allclose(alone, -s @ (K * s), rtol=1e-9)
    stages = e @ (e / K) if order == 1 else (e @ (e / K) + e1 @ (e1 / K) - e1 @ (e / K))
    stated = -s @ (K * s) - s @ e - stages
    np.testing.assert_allclose(V.imag / step, stated, rtol=1e-9)
    assert stated < 0


def test_a_function_with_an_observer_is_stated_only_where_it_is_known():
    robot, d = kt.load("planar2r"), np.ones(2)
    observer, closed = control.momentum_observer(robot, 20.0), kt.load("four_bar")
    bar = control.momentum_observer(closed, 20.0)
    tip, goal = robot.pose([0.1, 0.2], "tip"), [0.5, 0.5]
    for law, sensor, told in (
        (control.cartesian_impedance(robot, "tip", tip, np.ones(6), np.ones(6)), observer, "'joint_damping' must be"),
        (control.gravity_compensation(robot, 0.0), observer, "'damping' must be positive"),
        (control.quasivelocity_tracking(robot, goal, 4.0, 5.0), observer, "for each velocity"),
        (control.computed_torque(robot, goal, 4.0, 5.0), observer, "for each velocity"),
        (control.saturated(control.pd(robot, goal, 4.0, 5.0), 9.0), observer, "for each velocity"),
        (control.pd(closed, closed.assemble(), 4.0, 5.0), bar, "closed loops"),
    ):
        with pytest.raises(InputError, match=told):
            control.observed(law, sensor, compensate=True, disturbance=np.ones(law.robot.nv))
        assert control.observed(law, sensor, compensate=True).storage is None
    with pytest.raises(InputError, match="compensate=True"):
        control.observed(control.pd(robot, goal, 4.0, 5.0), observer, disturbance=d)
    for wrong, told in (((goal, observer), "takes a Controller"), ((law, goal), "takes an Observer")):
        with pytest.raises(InputError, match=told):
            control.observed(*wrong)


def measured(robot, controller, directions, force, duration, after, seed):
    """Residuals (n, directions, nv) under encoders of 20 bits with noise, v by differences and a filter of 200 Hz.

    A force of this size pushes the hand from `duration` on.
    """
    rng, dt, count = np.random.default_rng(seed), 1e-3, 2 * np.pi / 2**20
    q = np.tile(robot.home(), (len(directions), 1))
    v, state, residuals = np.zeros_like(q), None, []
    before, smooth = q, np.zeros_like(q)
    for k in range(duration + after):
        seen = count * np.round((q + 0.5 * count * rng.normal(size=q.shape)) / count)
        smooth = smooth + (1 - np.exp(-2 * np.pi * 200.0 * dt)) * ((seen - before) / dt - smooth)
        before = seen
        tau, state = controller(k * dt, seen, smooth, state)
        residuals.append(state["observer"]["residual"])
        wrench = None
        if k >= duration:
            R = robot.pose(q, "panda_hand")[:, :3, :3]
            f = np.einsum("bji,bj->bi", R, force * directions)
            wrench = {"panda_hand": np.concatenate([0 * f, f], axis=1)}
        q, v = robot.step(q, v, tau, dt, wrench=wrench, method="rkmk2")
    return np.array(residuals).transpose(1, 0, 2)


def test_a_push_of_ten_newtons_is_detected_within_ten_milliseconds():
    robot = kt.load("panda", joint_effects=False)
    home, w = robot.home(), 2.0 + 0.3 * np.arange(7)

    def reference(t):
        sin, cos = kt.arrays.sin(w * t), kt.arrays.cos(w * t)
        return home + 0.2 * (1 - cos), 0.2 * w * sin, 0.2 * w * w * cos

    law = control.passivity_based(robot, reference, 8.0, 30.0 * np.diag(robot.mass_matrix(home)))
    controller = control.observed(law, control.momentum_observer(robot, 150.0, order=2))
    some = np.random.default_rng(3).normal(size=(20, 3))
    directions = np.concatenate([np.eye(3), -np.eye(3), some / np.linalg.norm(some, axis=1, keepdims=True)])
    begin = 50  # until filters have settled [ms]
    quiet = measured(robot, controller, np.zeros((4, 3)), 0.0, 400, 0, seed=1)[:, begin:]
    threshold = 3.0 * np.abs(quiet).max(axis=(0, 1))
    assert 0.6 < threshold.max() < 0.9  # N m
    r = measured(robot, controller, directions, 10.0, 300, 20, seed=2)[:, begin:]
    found = control.collision_time(1e-3 * np.arange(begin, 320), r, threshold)
    assert np.all(found > 0.3) and np.all(found <= 0.31), found


def test_collisions_need_as_many_samples_as_are_asked_for():
    r = np.array([[0.0, 2.0], [0.0, 0.0], [2.0, 0.0], [2.0, 0.0], [2.0, 0.0]])
    for samples, when in ((1, 0.0), (2, 3.0), (3, 4.0), (4, np.inf)):
        assert control.collision_time(np.arange(5.0), r, 1.0, samples=samples) == when
    assert control.collision_time(np.arange(5.0), np.stack([r, 0 * r]), [1.0, 1.0]).tolist() == [0.0, np.inf]


def test_bad_input_is_named():
    robot, arm = kt.load("planar2r"), kt.load("panda")
    observer = control.momentum_observer(robot, 50.0)
    for call, told in (
        (lambda: control.momentum_observer(robot, 0.0), "bandwidth"),
        (lambda: control.momentum_observer(robot, 1.0, order=3), "order"),
        (lambda: observer.along([0.0, 1.0], np.zeros((3, 2)), np.zeros((2, 2)), np.zeros((2, 2))), "rows"),
        (lambda: control.observed(control.pd(arm, arm.home(), 1.0, 1.0), observer), "other variables"),
        (lambda: control.collision_time([0.0], [[np.nan]], 1.0), "finite"),
        (lambda: control.collision_time([0.0], [[0.0]], 0.0), "positive"),
    ):
        with pytest.raises(InputError, match=told):
            call()
