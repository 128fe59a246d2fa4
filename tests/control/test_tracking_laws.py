"""Passivity-based, quasi-velocity and adaptive tracking: exact rates of their Lyapunov functions, and simulations."""

from functools import cache

import numpy as np
import pytest

import kinetrace as kt
from kinetrace import control
from kinetrace.control.adaptive_tracking import divergence, gradient_products, largest_body, natural_gain, natural_step
from kinetrace.errors import InputError
from kinetrace.lie import inertia
from kinetrace.model import random_tree
from kinetrace.model.manifold import difference, integrate

SYSTEMS = {
    "chain": lambda: kt.random_chain(3, seed=2),
    "tree": lambda: kt.Robot(random_tree(4, 1).build()),  # spherical, revolute, cylindrical
    "free base": lambda: kt.Robot(random_tree(2, 4).build("free")),
    "closed": lambda: kt.load("four_bar"),
}


@cache
def system(name):
    robot = SYSTEMS[name]()
    return robot if robot.model.closures else robot.with_motors(*robot.joint_names)


def near(robot):
    """A motion with accelerations, and a state near it; of a closed chain, a configuration to hold."""
    rng = np.random.default_rng(0)
    if robot.model.closures:
        goal = robot.assemble()
        return goal, *robot.project(robot.integrate(goal, 0.2 * robot.velocity_map(goal) @ [1.0]), [1.3, 0.1, 0.2])
    q, w = robot.random(seed=1), rng.normal(size=robot.nv)

    def reference(t):
        return integrate(robot.model, q, (t + t * t) * w), (1 + 2 * t) * w, 2.0 * w

    return reference, robot.integrate(q, 0.4 * rng.normal(size=robot.nv)), rng.normal(size=robot.nv)


def gains_of(robot, n):
    return np.random.default_rng(5).uniform(1.0, 3.0, (n, robot.nv))


def rate_of(controller, robot, q, v, a, state=None, change=None):
    """V̇ at t = 0 along a motion, exactly."""

    def V(model, t, q, v, x=None):
        inner = () if state is None else ({**state, "estimate": x},)
        return controller.storage(model, t, q, v, *inner, **controller.parameters)

    if state is None:
        return robot.kernel(kt.jvp(V, wrt=("t", "q", "v")), shapes={"t": ()})(0.0, q, v, 1.0, v, a)
    x = state["estimate"]
    kernel = robot.kernel(kt.jvp(V, wrt=("t", "q", "v", "x")), shapes={"t": (), "x": x.shape})
    return kernel(0.0, q, v, x, 1.0, v, a, change)


AHEAD = kt.jacobian(lambda model, q, q1: difference(model, q, q1))
"""The derivative of q1 ⊖ q along q."""
BACK = kt.jacobian(lambda model, q, q0: difference(model, q0, q))
"""The derivative of q ⊖ q0 along q."""


def errors_of(robot, reference, q, v, rates):
    """θ and s of the independent velocities, from their definitions: θ̇ = −Λ θ where v = v_r."""
    q_d, v_d = reference(0.0)[:2] if callable(reference) else (reference, 0 * v)
    theta = robot.difference(q, q_d)
    v_r = np.linalg.solve(AHEAD(robot.model, q, q_d), -rates * theta - BACK(robot.model, q_d, q) @ v_d)
    pick = list(robot.model.independent) if robot.model.closures else slice(None)
    return theta[pick], (v_r - v)[pick], pick


@pytest.mark.parametrize(
    ("name", "kind"),
    [("tree", "joints"), ("closed", "joints"), ("free base", "normalised"), ("chain", "unnormalised")],
)
def test_lyapunov_functions_fall_at_the_stated_rate(name, kind):
    robot = system(name)
    (reference, q, v), (L, K, P) = near(robot), gains_of(robot, 3)
    W = np.eye(robot.nv)
    if kind == "joints":
        controller = control.passivity_based(robot, reference, L, K, P)
    else:
        normalised = kind == "normalised"
        controller = control.quasivelocity_tracking(robot, reference, L, K, P, normalised=normalised)
        W = np.stack([robot.mass_root_transposed_product(q, x, normalised=normalised) for x in W], axis=1)
    theta, s, pick = errors_of(robot, reference, q, v, L)
    a = robot.forward_dynamics(q, v, controller(0.0, q, v))
    sigma = (W @ s) if kind != "joints" else s
    stated = -(K[pick] * sigma @ sigma) - (P * L)[pick] * theta @ theta
    assert rate_of(controller, robot, q, v, a) == pytest.approx(stated, rel=1e-9)


def test_friction_lets_the_function_fall_faster():
    robot = system("chain").with_joint_effects(damping=0.3, friction=0.2, armature=0.1, stiffness=0.4)
    reference, q, v = near(robot)
    controller = control.passivity_based(robot, reference, 2.0, 1.5)
    a = robot.forward_dynamics(q, v, controller(0.0, q, v))
    _, s, _ = errors_of(robot, reference, q, v, np.full(robot.nv, 2.0))
    more = s @ (robot.passive_forces(q, v + s) - robot.passive_forces(q, v))
    assert more > 0
    assert rate_of(controller, robot, q, v, a) == pytest.approx(-1.5 * s @ s - more, rel=1e-9)


@pytest.mark.parametrize(("name", "space"), [("tree", "base"), ("closed", "base"), ("chain", "bodies")])
def test_adaptive_control_has_its_lyapunov_function(name, space):
    robot = system(name)
    (reference, q, v), (L, K), h, gain = near(robot), gains_of(robot, 2), 1e-6, 0.7
    wrong = robot.with_parameters(inertial=0.6 * robot.parameters("inertial"))
    controller = control.adaptive(wrong, reference, L, K, gain, truth=robot, parameters=space)
    before = controller.initial_state
    first, _ = controller(0.0, q, v)  # nothing has elapsed: the estimate is still that of the wrong robot
    _, s, pick = errors_of(robot, reference, q, v, L)
    after = [controller(0.0, q, v, {**before, "time": -x})[1]["estimate"] for x in (h, h / 2, h / 4)]
    steps = [(x - before["estimate"]) / y for x, y in zip(after, (h, h / 2, h / 4), strict=True)]
    change = (steps[0] - 6 * steps[1] + 8 * steps[2]) / 3  # the rate, but for h³
    a = robot.forward_dynamics(q, v, first)
    assert np.abs(change).max() > 1e-3
    assert rate_of(controller, robot, q, v, a, before, change) == pytest.approx(-(K[pick] * s @ s), rel=1e-6)


def test_natural_steps_keep_bodies_possible_and_descend():
    robot, rng = kt.random_chain(2, seed=1), np.random.default_rng(0)
    pi, truth = robot.parameters("inertial"), 1.7 * robot.parameters("inertial")[::-1]
    c, h = rng.normal(size=pi.shape), 1e-6
    largest = largest_body(robot)
    ahead, back = (divergence(truth, natural_step(pi, c, x, largest)) for x in (h, -h))
    assert (ahead - back) / (2 * h) == pytest.approx((c * (pi - truth)).sum(), rel=1e-6)  # d/dt D = −c · (π − π̂)
    rate = (natural_step(pi, c, h, largest) - natural_step(pi, c, -h, largest)) / (2 * h)
    products = gradient_products(pi, [c, 2.0 * c[::-1]])
    assert products[0] == pytest.approx([(c * rate).sum(), 2.0 * (c[::-1] * rate).sum()], rel=1e-6)
    small = 0.3 * largest  # a bound that cuts: all bodies within are nearer than before
    cut = natural_step(pi, c, 0.0, 0.02 * small)
    within = natural_step(0.5 * truth, c, 0.0, 0.02 * small)
    assert divergence(within, cut) < divergence(within, pi)
    for size in (0.1, 10.0, 1e3):
        far = natural_step(pi, c, size, largest)
        assert np.linalg.eigvalsh(inertia.pseudo_inertia(inertia.from_parameters(far))).min() > 0
    assert divergence(pi, pi) == pytest.approx(0.0, abs=1e-9) and divergence(truth, pi) > 0.1
    gain = natural_gain(robot)
    assert np.allclose(gain, gain.T) and np.linalg.eigvalsh(gain).min() > 0


def swing(home, size=0.4):
    def reference(t):
        w = 2.0 + 0.3 * np.arange(len(home))
        sin, cos = kt.arrays.sin(w * t), kt.arrays.cos(w * t)
        return home + size * (1 - cos), size * w * sin, size * w * w * cos

    return reference


def tracked(robot, controller, home, t, dt=1e-3):
    """The motion, and its errors in the last third."""
    motion, reference = robot.simulate(home, 0 * home, t, dt, controller=controller), swing(home)
    wanted = np.array([reference(x)[0] for x in motion.t])
    return motion, np.abs(motion.q - wanted).max(axis=1)[-len(motion.t) // 3 :].max()


@pytest.mark.parametrize(("parameters", "factor"), [("base", 1.5), ("bodies", 0.5)])
def test_adaptive_control_recovers_tracking_with_wrong_masses(parameters, factor):
    robot, home = kt.load("planar2r"), np.zeros(2)
    wrong = robot.with_parameters(inertial=factor * robot.parameters("inertial"))
    settings = {"parameters": parameters, "truth": robot}
    controller = control.adaptive(wrong, swing(home), 5.0, 20.0, 30.0, **settings)
    motion, error = tracked(robot, controller, home, 6.0)
    _, without = tracked(robot, control.passivity_based(wrong, swing(home), 5.0, 20.0), home, 6.0)
    assert error < 0.02 * without and without > 0.05
    V = controller.stored(motion.t, motion.q, motion.v, motion.states)
    assert V[-1] < 0.8 * V[0]
    motion, _ = tracked(robot, controller, home, 0.3, 1e-4)
    V = controller.stored(motion.t, motion.q, motion.v, motion.states)
    assert np.diff(V).max() < 2e-3 * V[0] and V[-1] < 0.95 * V[0]  # it falls but for rounding to steps


@pytest.mark.parametrize(
    "name", [pytest.param(x, marks=pytest.mark.part(k, 2)) for k, x in enumerate(("panda", "puma560"))]
)
def test_adaptive_control_of_arms_with_half_the_masses(name):
    robot = kt.load(name, joint_effects=False)
    home = robot.home()
    wrong = robot.with_parameters(inertial=0.5 * robot.parameters("inertial"))
    damping = 30.0 * np.diag(robot.mass_matrix(home))
    controller = control.adaptive(wrong, swing(home), 8.0, damping, 100.0)
    motion, error = tracked(robot, controller, home, 3.0)
    _, without = tracked(robot, controller.with_parameters(adaptation=1e-9), home, 3.0)
    assert error < 0.1 * without and without > 0.05
    assert motion.states["estimate"].shape == (3001, kt.identify.base_parameters(robot).count)


@pytest.mark.parametrize("parameters", ["base", "bodies"])
@pytest.mark.parametrize(("gain", "dt"), [(10.0, 5e-3), (100.0, 1e-3)])
def test_adaptive_control_comes_from_far(parameters, gain, dt):
    robot = kt.load("planar2r")
    wrong = robot.with_parameters(inertial=0.5 * robot.parameters("inertial"))
    controller = control.adaptive(wrong, [1.0, -0.5], 5.0, 20.0, gain, parameters=parameters)
    motion = robot.simulate([0.0, 0.0], [0.0, 0.0], 8.0, dt, controller=controller)
    np.testing.assert_allclose(motion.q[-1], [1.0, -0.5], atol=5e-3)
    assert np.abs(motion.v).max() < 10


def test_adaptive_control_finds_a_payload():
    robot = kt.load("puma560", joint_effects=False)
    home = robot.home()
    loaded = robot.with_payload(2.0, "flange", com=[0.0, 0.0, 0.1], inertia=0.004 * np.eye(3))
    damping = 30.0 * np.diag(loaded.mass_matrix(home))
    controller = control.adaptive(robot, swing(home), 8.0, damping, 100.0)
    _, error = tracked(loaded, controller, home, 3.0)
    _, without = tracked(loaded, controller.with_parameters(adaptation=1e-9), home, 3.0)
    assert error < 0.1 * without and without > 0.05


def test_adaptive_control_finds_friction_and_stays_within_its_radius():
    robot, home = kt.load("planar2r"), np.zeros(2)
    rough = robot.with_joint_effects(damping=2.0, friction=1.0)
    controller = control.adaptive(robot, swing(home), 5.0, 20.0, 30.0, friction=1.0)
    _, error = tracked(rough, controller, home, 6.0)
    _, without = tracked(rough, controller.with_parameters(adaptation=1e-9), home, 6.0)
    assert error < 0.2 * without and without > 0.01
    close = control.adaptive(robot, swing(home), 5.0, 20.0, 30.0, friction=1.0, radius=0.5)
    found = tracked(rough, close, home, 2.0)[0].states["estimate"][:, 6:]
    far = np.linalg.norm(found, axis=1).max()  # in the metric of friction of the size 1
    assert 0.3 < far < 0.5


def test_large_gains_of_adaptation_are_safe_in_time():
    robot, home = kt.load("planar2r"), np.zeros(2)
    wrong = robot.with_parameters(inertial=0.5 * robot.parameters("inertial"))
    for gain in (1e3, 1e6):
        motion, error = tracked(robot, control.adaptive(wrong, swing(home), 5.0, 20.0, gain), home, 2.0, 5e-3)
        assert not motion.failures and error < 0.02


def test_quasivelocity_damping_has_prescribed_rates():
    robot, k = kt.random_chain(3, seed=2), 2.0
    q, v = robot.random(8, seed=1), np.random.default_rng(0).normal(size=(8, 3))
    nu, settings = robot.mass_root_transposed_product(q, v), {"record": 5000, "method": "rkmk2"}
    motion = robot.simulate(q, v, 0.5, 1e-4, controller=control.quasivelocity_damping(robot, k), **settings)
    T = motion.kinetic_energy()
    assert np.allclose(T[:, -1] / T[:, 0], np.exp(-2 * k * 0.5), rtol=2e-3)  # forces are held over steps of 0.1 ms
    rates = np.array([1.0, 2.0, 4.0])
    law = control.quasivelocity_damping(robot, rates, decoupled=True)
    motion = robot.simulate(q, v, 0.5, 1e-4, controller=law, **settings)
    end = robot.mass_root_transposed_product(motion.q[:, -1], motion.v[:, -1])
    assert np.allclose(end, np.exp(-0.5 * rates) * nu, atol=2e-3)
    loose = control.quasivelocity_damping(robot, rates, normalised=False)
    a = robot.forward_dynamics(q[0], v[0], loose(0.0, q[0], v[0]))
    xi = robot.mass_root_transposed_product(q[0], v[0], normalised=False)
    assert rate_of(loose, robot, q[0], v[0], a) == pytest.approx(-(rates * xi) @ xi, rel=1e-9)
    with pytest.raises(InputError, match="normalised"):
        control.quasivelocity_damping(robot, rates, normalised=False, decoupled=True)


def test_a_free_base_is_tracked_in_a_simulation():
    robot = system("free base")
    reference, q, v = near(robot)
    controller = control.quasivelocity_tracking(robot, reference, 4.0, 10.0)
    motion = robot.simulate(q, v, 1.5, 1e-3, controller=controller, record=10, method="rkmk2")
    V = controller.stored(motion.t, motion.q, motion.v)
    assert np.all(np.diff(V) < 1e-6 * V[0])
    assert np.abs(robot.difference(motion.q[-1], reference(1.5)[0])).max() < 0.02


def test_bad_input_is_named():
    robot, free = kt.load("planar2r"), kt.Robot(random_tree(2, 4).build("free"))
    for call, told in (
        (lambda: control.passivity_based(robot, [0.0, 0.0], -1.0, 1.0), "rates"),
        (lambda: control.passivity_based(free, free.neutral(), 1.0, 1.0), "motors"),
        (lambda: control.adaptive(robot, [0.0, 0.0], 1.0, 0.0, 1.0), "damping"),
        (lambda: control.adaptive(robot, [0.0, 0.0], 1.0, 1.0, [1.0, 2.0]), "adaptation must be one number"),
        (lambda: control.adaptive(robot, [0.0, 0.0], 1.0, 1.0, 1.0, parameters="masses"), "base, bodies"),
        (lambda: control.adaptive(robot, [0.0, 0.0], 1.0, 1.0, 1.0, parameters="bodies", radius=1.0), "radius"),
        (lambda: control.adaptive(robot, [0.0, 0.0], 1.0, 1.0, 1.0).stored(0.0, [0.0, 0.0], [0.0, 0.0]), "storage"),
    ):
        with pytest.raises(InputError, match=told):
            call()
