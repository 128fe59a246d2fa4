"""What joints do by themselves: rotors, damping, friction, springs and stops in every algorithm."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import kinetrace as kt
from kinetrace import algorithms
from kinetrace.engine.compilation.program import program
from kinetrace.model.effects.joint_effects import EFFECT_NUMBERS, effects_of

from .effective import with_all_effects

STEP = 1e-40
CASES = {"fixed, mimics": (8, 0, "fixed", True), "free": (3, 1, "free", False)}


@pytest.fixture(scope="module", params=CASES.values(), ids=CASES.keys())
def robot(request):
    size, seed, base, mimics = request.param
    return kt.Robot(with_all_effects(kt.random_tree(size, seed=seed, base=base).model, seed, mimics))


@pytest.fixture
def state(robot, rng):
    """Some joints within their limits, some beyond."""
    model = robot.model
    q, (v, a) = model.integrate(model.neutral(), 0.7 * rng.normal(size=model.nv)), rng.normal(size=(2, model.nv))
    return q, v, a


def test_forces_are_those_of_the_formula(robot, state):
    """Beyond what the bodies need: entry by entry, as the page on joint effects has them."""
    model, (q, v, a) = robot.model, state
    bodies = model.without_joint_effects()
    expected = []
    each = zip(model.bodies, model.split_q(q), model.split_v(v), model.split_v(a), strict=True)
    for body, x, y, z in each:
        e = body.effects
        theta = body.joint.difference(e.rest, x)
        force = e.armature * z + e.damping * y + e.friction * y / np.hypot(y, e.friction_width) + e.stiffness * theta
        if body.joint.has_coordinates:
            over, under = np.clip(x - body.limits.upper, 0, None), np.clip(body.limits.lower - x, 0, None)
            for sign, p in ((1, over), (-1, under)):
                ramp = np.clip(p / e.stop_width, 0, 1)
                s = e.stop_width * (ramp**3 - ramp**4 / 2) + np.clip(p - e.stop_width, 0, None)
                force = force + sign * e.stop_stiffness * s + e.stop_damping * ramp**2 * (3 - 2 * ramp) * y
        expected.append(force)
    assert any((np.abs(x) > 0.4).any() for x in model.split_q(q))
    found = robot.inverse_dynamics(q, v, a) - kt.Robot(bodies).inverse_dynamics(q, v, a)
    np.testing.assert_allclose(found, model.gather(expected), rtol=0, atol=1e-12)


def test_derivatives_of_a_step_are_complex_steps(robot, state, rng):
    model, (q, v, _), n = robot.model, state, robot.nv
    u, w, tau = *rng.normal(size=(2, n)), algorithms.inverse_dynamics(model, *state)
    at = model.integrate(q, 1j * STEP * u), v + 1j * STEP * w
    A, _ = algorithms.linearise_step(model, q, v, tau, 0.01, method="euler")
    moved = algorithms.step(model, *at, tau, 0.01, method="euler")
    after = algorithms.step(model, q, v, tau, 0.01, method="euler")[0]
    expected = np.concatenate([model.difference(after + 0j, moved[0]).imag, moved[1].imag]) / STEP
    np.testing.assert_allclose(A @ np.concatenate([u, w]), expected, atol=1e-10 * np.abs(expected).max())


def test_derivatives_in_50_digits(rng):
    """∂τ of a chain beyond its stops, against differences in 50 digits."""
    model = with_all_effects(kt.random_chain(3, seed=2).model)
    q, v, a, u, w = rng.normal(size=(5, 3))
    dq, dv, _ = algorithms.inverse_dynamics_derivatives(model, q, v, a)
    with mpmath.workdps(50):
        h = mpmath.mpf(10) ** -20

        def tau(sign):
            exact = [np.array([mpmath.mpf(x) for x in y]) for y in (q, v, a, u, w)]
            return algorithms.inverse_dynamics(
                model, exact[0] + sign * h * exact[3], exact[1] + sign * h * exact[4], exact[2]
            )

        expected = ((tau(1) - tau(-1)) / (2 * h)).astype(float)
    np.testing.assert_allclose(dq @ u + dv @ w, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def test_energy_is_balanced_along_a_motion(robot, state):
    """Work of the joint forces, less what the joints take, is what kinetic and potential energy gain."""
    (q, v, _), dt, steps = state, 5e-4, 200
    tau = 0.3 * np.cos(np.arange(robot.nv))

    def energy():
        return robot.kinetic_energy(q, v) + robot.potential_energy(q)

    def power():
        return robot.power(v, tau) - robot.dissipated_power(q, v)

    before, rates = energy(), [power()]
    for _ in range(2 * steps):
        q, v = robot.step(q, v, tau, dt / 2, method="rk4")
        rates.append(power())
    work = dt / 6 * (rates[0] + rates[-1] + 4 * sum(rates[1::2]) + 2 * sum(rates[2:-1:2]))  # Simpson
    assert robot.dissipated_power(q, v) > 0
    # third derivatives of the stops' force jump where a joint enters one, which costs Simpson's rule its order
    np.testing.assert_allclose(energy() - before, work, rtol=0, atol=1e-7 * np.abs(rates).max())


@pytest.mark.parametrize("method", ["rkmk4", "variational", "rosenbrock"])
def test_every_step_in_time_knows_them(method):
    """The same motion as by many explicit steps, to the order of the method: damping of the floating base too."""
    model = with_all_effects(kt.random_tree(2, seed=3, base="free").model)
    assert model.bodies[0].effects.damping.all()
    rng = np.random.default_rng(4)
    q, v, tau = model.integrate(model.neutral(), rng.normal(size=model.nv)), *rng.normal(size=(2, model.nv))
    exact, errors = (q, v), []
    for _ in range(20):
        exact = algorithms.step(model, *exact, tau, 0.01 / 20, method="rk4")
    for steps in (2, 4):
        x = q, v
        for _ in range(steps):
            x = algorithms.step(model, *x, tau, 0.01 / steps, method=method)
        errors.append(max(np.abs(a - b).max() for a, b in zip(x, exact, strict=True)))
    assert errors[0] < 1e-3 and np.log2(errors[0] / errors[1]) > 1.7


@pytest.mark.parametrize("name", [name for name in EFFECT_NUMBERS if name != "restitution"])
def test_every_number_may_be_an_input(name, rng):
    """Of kernels, and what is differentiated by."""
    robot = kt.Robot(with_all_effects(kt.random_tree(4, seed=3).model))
    model, x, (v, a) = robot.model, robot.parameters(name), rng.normal(size=(2, robot.nv))
    q = model.integrate(model.neutral(), 0.7 * rng.normal(size=robot.nv))
    other = x * rng.uniform(0.5, 1.5, x.shape)
    expected = robot.with_parameters(**{name: other}).inverse_dynamics(q, v, a)
    found = kt.compile(algorithms.inverse_dynamics, robot, inputs=(name,))(q, v, a, other)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    assert np.abs(found - robot.inverse_dynamics(q, v, a)).max() > 1e-6
    slope = kt.compile(kt.jacobian(algorithms.inverse_dynamics, wrt=name), robot)(q, v, a)
    e = rng.normal(size=x.shape)
    moved = algorithms.inverse_dynamics(model.with_parameters(**{name: x + 1j * STEP * e}), q, v, a).imag / STEP
    np.testing.assert_allclose(slope @ e, moved, rtol=0, atol=1e-11)


def test_curvature_is_that_of_the_whole_metric(rng):
    """Riemann's tensor by Gauss's equation is that of the Christoffel symbols' derivatives, with rotors in M."""
    robot = kt.Robot(with_all_effects(kt.random_chain(3, seed=5).model))
    q = rng.normal(size=3)
    M, gamma = robot.mass_matrix(q), robot.christoffel(q)
    d, raised = robot.christoffel_derivative(q), np.einsum("rs,ijs->ijr", np.linalg.inv(M), gamma)
    turned = np.einsum("ilr,jkr->ijkl", gamma, raised)
    expected = d.transpose(2, 0, 3, 1) - d.transpose(2, 0, 1, 3) + turned - turned.transpose(0, 1, 3, 2)
    np.testing.assert_allclose(robot.riemann(q), expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def test_a_geodesic_knows_rotors_alone(rng):
    robot = kt.Robot(with_all_effects(kt.random_chain(3, seed=5).model))
    q, v = rng.normal(size=(2, 3))
    ways, speeds = robot.geodesic(q, v, np.linspace(0, 1, 5))
    np.testing.assert_allclose(robot.kinetic_energy(ways, speeds), robot.kinetic_energy(q, v), rtol=1e-7)


def test_closed_derivatives_are_differences(rng):
    robot = kt.load("four_bar").with_joint_effects(armature=0.3, damping=0.2, friction=0.1, stiffness=1.5)
    q = robot.assemble()
    v, tau, h = robot.velocity_map(q) @ [1.3], rng.normal(size=3), 1e-6
    for found, k in zip(robot.forward_dynamics_derivatives(q, v, tau), range(3), strict=True):

        def moved(e, k=k):
            return robot.forward_dynamics(*(x + e * (i == k) for i, x in enumerate((q, v, tau))))

        expected = np.stack([(moved(h * e) - moved(-h * e)) / (2 * h) for e in np.eye(3)], -1)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-7 * np.abs(expected).max())  # of the difference


def test_a_rotor_makes_a_massless_joint_regular():
    """Of a link without inertia, of one whose joint is mimicked, and of the first of two of which one has a rotor."""
    b = kt.Builder("massless")
    heavy = kt.lie.inertia.from_mass_com(1.0, np.array([0.1, 0.2, 0.3]), 0.1 * np.eye(3))
    b.link("body", inertia=heavy)
    b.joint("hinge", kt.joints.Revolute([0, 1, 0]), parent="base", child="body")
    b.joint("idle", kt.joints.Revolute([1, 0, 0]), parent="body", child="a")
    b.joint("beyond", kt.joints.Prismatic([1, 0, 0]), parent="a", child="b")
    model = b.build(check="ignore")
    assert [x.joint for x in model.massless] == ["idle"]
    assert [x.joint for x in model.with_joint_effects("idle", armature=0.1).massless] == ["beyond"]
    assert [x.joint for x in model.with_joint_effects("beyond", armature=0.1).massless] == ["idle"]
    robot = kt.Robot(model.with_joint_effects("idle", "beyond", armature=0.1))
    assert not robot.model.massless
    q, v, a = np.ones((3, 3))
    for method in ("FD1", "FD3", "FD4", "solve"):
        found = robot.forward_dynamics(q, v, robot.inverse_dynamics(q, v, a), method=method)
        np.testing.assert_allclose(found, a, rtol=0, atol=1e-12)


def test_a_rotor_of_a_mimic_joint_counts_by_its_ratio_squared():
    b = kt.Builder("mimics")
    b.joint("one", kt.joints.Revolute([0, 1, 0]), parent="base", child="a")
    b.joint("two", kt.joints.Revolute([0, 1, 0]), parent="base", child="b", mimic=("one", -3.0, 0.2))
    model = b.build(check="ignore")
    assert [x.joint for x in model.massless] == ["one"]
    robot = kt.Robot(model.with_joint_effects("two", armature=0.5, damping=2.0, stiffness=1.0, rest=0.2))
    assert not robot.model.massless
    for method in ("composite", "jacobians", "factors"):
        np.testing.assert_allclose(robot.mass_matrix([0.0], method=method), [[4.5]], atol=1e-15)
    np.testing.assert_allclose(robot.inverse_dynamics([0.1], [1.0], [1.0]), [4.5 + 18.0 + 0.9], atol=1e-14)


def test_stops_are_smooth_and_hold_energy():
    """Force and its slopes are continuous at the limit and at the width; the force is the energy's gradient."""
    body = kt.load("planar2r").model.bodies[0]
    limits = kt.Limits([-0.5], [0.4], [np.inf], [np.inf])
    effects = kt.JointEffects(stop_stiffness=100.0, stop_damping=3.0, stop_width=0.05).of(body.joint, "")
    at, v = (body.joint, limits), np.array([0.7])
    for edge in (-0.55, -0.5, 0.4, 0.45):
        near = [np.array([edge + s]) for s in (-1e-9, 1e-9)]
        forces = [effects.conservative(*at, q) + effects.dissipative(*at, q, v) for q in near]
        slopes = [np.concatenate(effects.derivatives(*at, q, v), axis=None) for q in near]
        np.testing.assert_allclose(forces[0], forces[1], rtol=0, atol=1e-6)
        np.testing.assert_allclose(slopes[0], slopes[1], rtol=0, atol=1e-3)
    for q in np.linspace(-0.7, 0.7, 29)[:, None]:
        gradient = effects.energy(*at, q + 1j * STEP).imag / STEP
        np.testing.assert_allclose(effects.conservative(*at, q), gradient, rtol=0, atol=1e-12)
    np.testing.assert_allclose(effects.conservative(*at, np.array([0.6])), 100.0 * (0.2 - 0.025), rtol=1e-12)
    assert not effects.conservative(*at, np.array([0.39])).any()
    assert not effects.dissipative(*at, np.array([-0.49]), v).any()


def test_springs_of_ball_joints_have_an_energy(rng):
    joint = kt.joints.Spherical()
    effects = kt.JointEffects(stiffness=2.0, rest=joint.random(rng, (None, None))).of(joint, "")
    q, e = joint.random(rng, (None, None)), rng.normal(size=3)
    moved = effects.energy(joint, None, joint.integrate(q, 1j * STEP * e)).imag / STEP
    np.testing.assert_allclose(effects.conservative(joint, None, q) @ e, moved, rtol=1e-12)


def test_traces_without_effects_do_not_know_of_them():
    """Zeros cost nothing: the same program, to the last operation."""
    model = kt.load("panda", joint_effects=False).model
    zeros = model.with_joint_effects(damping=0.0)
    assert zeros.bodies[0].effects is not None and zeros.without_joint_effects() == model
    for name in ("inverse_dynamics", "forward_dynamics", "mass_matrix", "inverse_dynamics_derivatives"):
        function = getattr(algorithms, name)
        assert program(function, zeros).digest == program(function, model).digest
    damped = program(algorithms.inverse_dynamics, model.with_joint_effects(damping=0.3)).count()
    plain = program(algorithms.inverse_dynamics, model).count()
    assert (damped.mul - plain.mul, damped.add - plain.add) == (7, 7)


def test_effects_survive_changes_of_the_model(rng):
    robot = kt.Robot(with_all_effects(kt.random_chain(4, seed=1).model))
    q, v, a = rng.normal(size=(3, 4))
    tau = robot.inverse_dynamics(q, v, a)
    for other in (robot.with_link_frames("center_of_mass"), robot.optimise(), kt.Robot(robot.model, dtype="float64")):
        np.testing.assert_allclose(other.inverse_dynamics(q, v, a), tau, rtol=0, atol=1e-11)
        np.testing.assert_allclose(other.forward_dynamics(q, v, tau), a, rtol=0, atol=1e-9)
    heavier = robot.with_parameters(inertial=2 * robot.parameters("inertial"))
    assert all(a.effects == b.effects for a, b in zip(heavier.model.bodies, robot.model.bodies, strict=True))


def test_fits_take_off_what_is_known_of_joints(rng):
    robot = kt.load("planar2r").with_joint_effects(armature=0.2, damping=0.5, friction=0.1, stiffness=0.4)
    q, v, a = rng.normal(size=(3, 200, 2))
    heavy = robot.with_parameters(inertial=2 * robot.parameters("inertial"))
    tau = heavy.inverse_dynamics(q, v, a)
    found = kt.identify.fit(robot, q, v, a, tau)
    np.testing.assert_allclose(found.values, found.base.of(heavy.parameters("inertial")), atol=1e-6)
    smooth = robot.with_joint_effects(friction=0.0)
    tau = smooth.with_parameters(inertial=2 * robot.parameters("inertial")).inverse_dynamics(q, v, a)
    found = kt.identify.fit(smooth, q, v, a, tau, friction=True)
    np.testing.assert_allclose(found.joints["viscous"], 0.5, atol=1e-6)


def test_merging_and_removing():
    robot = kt.load("planar2r").with_joint_effects(damping=0.5).with_joint_effects("joint2", friction=0.1)
    assert [effects_of(b).damping.tolist() for b in robot.model.bodies] == [[0.5], [0.5]]
    assert [effects_of(b).friction.tolist() for b in robot.model.bodies] == [[0.0], [0.1]]
    assert robot.without_joint_effects("joint1").model.bodies[0].effects is None
    assert kt.JointEffects.of_rotor(2e-4, 50.0, damping=0.1).armature == pytest.approx(0.5)
    free = kt.load("quadruped", base="free").with_joint_effects(damping=0.1)
    assert free.model.bodies[0].effects is None and free.model.bodies[1].effects is not None


@pytest.mark.parametrize(
    ("joints", "given", "message"),
    [
        ((), {"damping": -1.0}, "damping must be finite and not negative"),
        ((), {"friction": np.nan}, "friction must be finite"),
        ((), {"friction_width": 0.0}, "friction_width must be positive"),
        ((), {"armature": [1.0, 2.0]}, r"armature must have shape \(1,\), got \(2,\)"),
        (("ball",), {"armature": 1.0}, "a Spherical joint has no rotor"),
        (("ball",), {"stiffness": [1.0, 2.0, 1.0]}, "stiffness of a Spherical joint must be one for all turns"),
        (("ball",), {"rest": 0.0}, r"rest must have shape \(4,\)"),
        (("hinge",), {"damping": 1.0}, "unknown joint 'hinge'"),
    ],
)
def test_what_a_joint_cannot_have(joints, given, message):
    b = kt.Builder("ball")
    b.joint("ball", kt.joints.Spherical(), parent="base", child="a")
    b.joint("slider", kt.joints.Prismatic(), parent="a", child="b")
    with pytest.raises(kt.KinetraceError, match=message):
        kt.Robot(b.build(check="ignore")).with_joint_effects(*joints, **given)


def test_a_builder_takes_effects_alone():
    b = kt.Builder("bad")
    with pytest.raises(kt.InputError, match=r"effects must be kinetrace\.JointEffects"):
        b.joint("j", kt.joints.Revolute(), parent="base", child="a", effects=0.1)


def test_jax_gives_the_same(jax, rng):
    model = with_all_effects(kt.random_tree(3, seed=2).model)
    q, (v, a) = model.integrate(model.neutral(), 0.7 * rng.normal(size=model.nv)), rng.normal(size=(2, model.nv))
    found = jax.jit(lambda *x: algorithms.inverse_dynamics(model, *x))(q, v, a)
    np.testing.assert_allclose(found, algorithms.inverse_dynamics(model, q, v, a), rtol=0, atol=1e-12)


def test_numbers_by_joint_are_refused_with_advice():
    with pytest.raises(kt.ModelError, match=r"with_joint_effects\('joint1', damping=...\)"):
        kt.load("planar2r").with_joint_effects(damping={"joint1": 1.0})
