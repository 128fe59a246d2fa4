"""A model's numbers by name: read, replaced, differentiated, for every scalar."""

import pickle
from dataclasses import replace
from pathlib import Path

import mpmath
import numpy as np
import pytest

import kinetrace as kt
from kinetrace import algorithms
from kinetrace.analysis.verify import verify
from kinetrace.errors import InputError, KinetraceError, ModelError, PhysicsWarning
from kinetrace.lie import inertia, se3
from kinetrace.model import Builder, from_dh, from_screws, joints, parameters, random_chain, random_tree
from kinetrace.model.parameters import PARAMETERS
from kinetrace.model.zoo.random import random_inertia, random_pose

STEP = 1e-40
SHORT = random_chain(3, 2, [joints.Prismatic([0, 0.6, 0.8]), joints.Universal(), joints.Revolute([0, 0, 1])]).build()
"""A slide, of which ω = 0, a joint without a screw, and a turn."""


def perturbed(model, seed=0):
    """Other values of every parameter, in general position; the inertias are some body's."""
    rng = np.random.default_rng(seed)
    n = len(model.bodies)
    return {
        "inertial": inertia.to_parameters(np.stack([random_inertia(rng) for _ in range(n)])),
        "screws": parameters.get(model, "screws") + rng.normal(size=PARAMETERS["screws"].shape(model)),
        "placements": parameters.get(model, "placements") @ se3.exp(rng.normal(size=(n, 6))),
        "gravity": rng.normal(size=3),
        "closures": parameters.get(model, "closures") @ se3.exp(rng.normal(size=(len(model.closures), 2, 6))),
        **{name: rng.uniform(0.1, 1.0, PARAMETERS[name].shape(model)) for name in parameters.JOINT_EFFECT_NAMES},
    }


def state(model, seed=1):
    rng = np.random.default_rng(seed)
    return model.random(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)


@pytest.fixture(params=["tree", "mimics", "slide"])
def model(request):
    if request.param == "mimics":
        return kt.load(Path(__file__).parents[1] / "reference" / "every_joint.urdf").model
    loops = (kt.closures.Loop("link3", "link7", joints.Spherical()), kt.closures.Loop("world", "tip", joints.Fixed()))
    return random_tree(10, 4).build("free").with_closures(*loops) if request.param == "tree" else SHORT


@pytest.mark.alternates(2, "model", "name")
@pytest.mark.parametrize("name", PARAMETERS)
def test_what_is_put_in_comes_out_and_nothing_else_changes(model, name):
    before = {other: parameters.get(model, other) for other in PARAMETERS}
    values = perturbed(model)
    changed = parameters.replaced(model, **{name: values[name]})
    for other in PARAMETERS:
        expected = values[name] if other == name else before[other]
        assert np.shape(expected) == PARAMETERS[other].shape(model)
        np.testing.assert_allclose(parameters.get(changed, other), expected, atol=1e-14)
    together = parameters.replaced(model, **values)
    for other in PARAMETERS:
        np.testing.assert_allclose(parameters.get(together, other), values[other], atol=1e-14)


def test_park1995_a_body_hangs_on_its_parent_by_m_exp_s_q(model):
    """f_{p,i} = M_i exp(S_i q_i), before and after every number has changed."""
    for each in (model, parameters.replaced(model, **perturbed(model))):
        q = each.split_q(state(each)[0])
        single = [b for b in each.bodies if b.joint.nv == 1]
        M, screws = parameters.get(each, "placements"), parameters.get(each, "screws")
        for body, S in zip(single, screws, strict=True):
            X = body.X_pj @ body.joint.placement(q[body.index]) @ body.X_ji
            np.testing.assert_allclose(X, M[body.index] @ se3.exp(S * q[body.index][0]), atol=1e-13)


def test_the_same_numbers_give_the_same_robot(model):
    same = parameters.replaced(model, **{name: parameters.get(model, name) for name in PARAMETERS})
    tau, expected = (algorithms.inverse_dynamics(m, *state(model)) for m in (same, model))
    np.testing.assert_allclose(tau, expected, rtol=0, atol=1e-13 * np.abs(expected).max())


def test_identities_hold_with_screws():
    tree = random_tree(6, 1).build()
    robot = kt.Robot(tree, backend="numpy").with_parameters(**perturbed(tree))
    assert any(isinstance(body.joint, joints.Screw) for body in robot.model.bodies)
    assert all(result.holds(1e-9) for result in verify(robot, states=1))


def test_a_screw_is_pickled_and_shown_as_any_joint():
    joint = joints.Screw([0, 0, 2, 0, 1, 0])
    assert pickle.loads(pickle.dumps(joint)).S.tolist() == joint.S.tolist()
    assert repr(joint).startswith("Screw(S=")
    robot = kt.load("planar2r").with_parameters(screws=[[0, 0, 2, 0, 1, 0]] * 2)
    again = pickle.loads(pickle.dumps(robot))
    np.testing.assert_array_equal(again.mass_matrix([0.1, 0.2]), robot.mass_matrix([0.1, 0.2]))


# derivatives, and other scalars


@pytest.mark.parametrize("name", PARAMETERS)
def test_tangent_is_the_complex_step(model, name):
    parameter, x = PARAMETERS[name], perturbed(model)[name]
    shape = parameter.tangent_shape(model)
    tangent = parameter.tangent(model, x)
    assert tangent.shape == x.shape + shape
    for k in np.random.default_rng(0).integers(np.prod(shape), size=12) if np.prod(shape) else ():
        e = np.zeros(shape)
        e.flat[k] = 1.0
        moved = x @ se3.exp(1j * STEP * e) if name in ("placements", "closures") else x + 1j * STEP * e
        np.testing.assert_allclose(tangent.reshape(*x.shape, -1)[..., k], moved.imag / STEP, atol=1e-15)


def test_jax_gradient_is_the_complex_step(jax):
    """With respect to every parameter at once, at the slide's own screw, where exp has its series; JAX compiles for
    seconds what a kernel compiles in tenths, so two joints do."""
    two = random_chain(2, 2, [joints.Prismatic([0, 0.6, 0.8]), joints.Revolute([0, 0, 1])]).build()
    q, v, a = state(two)
    absent = ("closures", "stop_stiffness", "stop_damping", "stop_width", "restitution")  # it has none of these
    names = [name for name in PARAMETERS if name not in absent]
    values = {name: parameters.get(two, name) for name in names}
    values |= {name: x for name, x in perturbed(two).items() if name in parameters.JOINT_EFFECT_NAMES and name in names}

    def scalar(values, forces=algorithms.inverse_dynamics):
        return forces(parameters.replaced(two, **values), q, v, a) @ np.arange(1, 3)

    assert jax.eval_shape(lambda x: scalar(x, algorithms.forward_dynamics), values).shape == ()
    gradients = jax.jit(jax.grad(scalar))(values)
    for name, x in values.items():
        by_step = np.zeros(x.shape)
        for k in np.ndindex(x.shape):
            moved = x.astype(complex)
            moved[k] += 1j * STEP
            by_step[k] = scalar({**values, name: moved}).imag / STEP
        assert np.abs(by_step).max() > 0.01
        np.testing.assert_allclose(gradients[name], by_step, rtol=0, atol=1e-12 * np.abs(by_step).max())


def test_50_digits():
    values, x = perturbed(SHORT), state(SHORT)
    expected = algorithms.forward_dynamics(parameters.replaced(SHORT, **values), *x)
    with mpmath.workdps(50):
        exact = np.vectorize(mpmath.mpf, otypes=[object])
        many = parameters.replaced(SHORT, **{name: exact(value) for name, value in values.items()})
        result = algorithms.forward_dynamics(many, *map(exact, x))
    np.testing.assert_allclose(result.astype(float), expected, rtol=1e-11)


def by_hand(x):
    """The pose of the tip of an arm of every joint with an axis, whose numbers are x (14,)."""
    builder = Builder("r")
    J = inertia.from_mass_com(x[0], x[1:4], np.eye(3))
    axis = x[4:7] / (x[4] * x[4] + x[5] * x[5] + x[6] * x[6]) ** 0.5
    X = se3.exp(x[8:14])
    kinds = [joints.Helical(axis, x[7]), joints.Planar(axis), joints.Universal(axis)]
    for i, joint in enumerate(kinds):
        builder.link(f"link{i + 1}", J)
        builder.joint(f"j{i}", joint, parent=f"link{i}", child=f"link{i + 1}", placement=X, child_placement=X)
    builder.joint("weld", joints.Fixed(), parent="link3", child="flange", placement=X)
    builder.link("flange", J)
    model = builder.build(gravity=x[:3])
    return algorithms.gravity(model, np.arange(6.0))


def by_table(x):
    table = [[*x[:4]], [*x[4:8]]]  # a list of scalars does as well
    return algorithms.pose(from_dh(table, kinds="RP").build(check="ignore"), x[8:10], frame="tip")[:3]


def by_screws(x):
    arm = from_screws(x[:12].reshape(2, 6), se3.exp(x[6:12]), form="body").build(check="ignore")
    return algorithms.pose(arm, x[12:14], frame="tip")[:3]


@pytest.mark.parametrize("function", [by_hand, by_table, by_screws])
def test_a_robot_built_of_numbers_that_jax_or_nobody_knows(jax, function):
    """Traced, complex, 50 digits, JAX: the builder and the tables take them all, and agree on the derivative."""
    x = np.array([1.1, 0.2, 0.3, 0.4, 0.48, 0.6, 0.64, 0.1, 0.3, -0.2, 0.5, 0.7, -0.6, 0.4])
    expected = function(x) if function is not by_screws else function(x + 0j).real
    with mpmath.workdps(50):
        many = function(np.vectorize(mpmath.mpf, otypes=[object])(x))
    kernel = kt.compile(lambda model, x: function(x), SHORT, shapes={"x": 14}, backend="numpy")
    values, moved = jax.jit(lambda x: jax.jvp(function, (x,), (np.ones(14),)))(x)
    for result in (kernel(x), many.astype(float), values):
        np.testing.assert_allclose(result, expected, atol=1e-13)
    np.testing.assert_allclose(moved, function(x + 1j * STEP).imag / STEP, atol=1e-12)


def test_a_robot_needs_plain_numbers():
    model = SHORT.with_parameters(gravity=np.array([0, 0, 1j]))
    assert not model.is_concrete and SHORT.is_concrete
    for use in (kt.Robot, lambda m: kt.compile(algorithms.gravity, m)):
        with pytest.raises(InputError, match=r"plain real numbers.*inputs="):
            use(model)


# what numbers must be


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            {"inertia": 1},
            "keyword of with_parameters 'inertia'; did you mean 'inertial'.*placements, rest, restitution, screws",
        ),
        ({"inertial": np.zeros((2, 10))}, r"'inertial' must have shape \(7, 10\) for 'panda', got \(2, 10\)"),
        ({"screws": np.zeros(6)}, r"'screws' must have shape \(7, 6\)"),
        ({"placements": np.eye(4)}, r"'placements' must have shape \(7, 4, 4\)"),
        ({"gravity": [0, np.nan, 0]}, "'gravity' has entries that are not finite"),
        ({"gravity": "down"}, "'gravity' must be an array of real numbers"),
        ({"screws": np.zeros((7, 6))}, "screws: that of joint 'panda_joint1' is zero"),
        ({"placements": np.full((7, 4, 4), 2 * np.eye(4))}, "placements: that of body 'panda_link1' is not a rigid"),
        ({"gravity": [0, 0, 0], "check": "never"}, "check must be 'warn', 'error' or 'ignore'"),
    ],
)
def test_bad_values(values, message):
    with pytest.raises(KinetraceError, match=message):
        kt.load("panda").with_parameters(**values)


def test_impossible_inertias_are_reported():
    robot = kt.load("planar2r")
    negative = -robot.parameters("inertial")
    with pytest.warns(PhysicsWarning) as warned:
        robot.with_parameters(inertial=negative)
    assert "link 'link1': mass -1 is negative" in str(warned[0].message)
    with pytest.raises(ModelError, match="negative"):
        robot.with_parameters(inertial=negative, check="error")
    robot.with_parameters(inertial=negative, check="ignore")


def test_values_are_copies():
    robot = kt.load("planar2r")
    g = robot.parameters("gravity")
    moon = robot.with_parameters(gravity=g)
    g[:] = 0
    assert moon.model.gravity[2] == robot.model.gravity[2] == -9.81
    with pytest.raises(KinetraceError, match="unknown parameter 'masses'"):
        robot.parameters("masses")


def test_a_robot_without_moving_bodies():
    builder = Builder("stone")
    builder.link("stone", np.eye(6))
    stone = builder.build()
    for name, parameter in PARAMETERS.items():
        x = parameters.get(stone, name)
        assert x.shape == parameter.shape(stone)
        assert parameter.tangent(stone, x).shape == x.shape + parameter.tangent_shape(stone)
    assert replace(stone, gravity=np.zeros(3)).with_parameters(placements=np.zeros((0, 4, 4))).nv == 0


def test_random_pose_stays_exact():
    """A pose is made a rotation to the last digit, as the builder does it."""
    X = random_pose(np.random.default_rng(0)) + 1e-8 * np.eye(4, k=1) * [[1], [1], [0], [0]]
    robot = kt.load("planar2r").with_parameters(placements=[X, X])
    R = robot.parameters("placements")[0, :3, :3]
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-15)
