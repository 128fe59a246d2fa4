"""Regressors: columns of joints, what they find of them, and robots without any."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kinetrace as kt
from kinetrace import algorithms
from kinetrace.algorithms.dynamics.regressor import parameter_names
from kinetrace.model import joints as j
from kinetrace.model import load_model, random_chain, random_tree
from kinetrace.model.effects.joint_effects import per_velocity

from .effective import with_all_effects


def test_columns_of_joints():
    kinds = [j.Spherical(), j.Revolute([0, 0, 1]), j.Prismatic([1, 0, 0])]
    model = random_chain(3, 2, kinds).build()
    q, v, a = model.neutral(), np.array([1.0, -2, 0, 3, -4]), np.arange(5.0)
    Y = algorithms.regressor(model, q, v, a, friction=True, rotor=True)
    np.testing.assert_array_equal(Y[:, :30], algorithms.regressor(model, q, v, a))
    viscous, coulomb, rotor = np.split(Y[:, 30:], 3, axis=1)
    np.testing.assert_array_equal(viscous, np.diag(v))
    np.testing.assert_allclose(coulomb, np.diag(v / np.hypot(v, 0.01)), rtol=1e-15, atol=0)
    wide = model.with_joint_effects("joint2", friction_width=2.0)  # each joint has a width of its own
    smoother = algorithms.regressor(wide, q, v, a, friction=True)[:, 35:]
    np.testing.assert_allclose(smoother, np.diag(v / np.hypot(v, [0.01, 0.01, 0.01, 2.0, 0.01])), rtol=1e-15, atol=0)
    np.testing.assert_array_equal(rotor, np.diag(a))
    names = parameter_names(model, friction=True, rotor=True)
    assert len(names) == Y.shape[1]
    assert names[:2] + names[10:11] == ("link1.m", "link1.hx", "link2.m")
    assert names[30:34] == ("joint1[0].viscous", "joint1[1].viscous", "joint1[2].viscous", "joint2.viscous")
    assert (names[35], names[-1]) == ("joint1[0].coulomb", "joint3.rotor")


EFFECTIVE = {
    "joints of all kinds, mimics": lambda: with_all_effects(random_tree(8, 0).build()),
    "spherical and free": lambda: with_all_effects(random_chain(2, 2, [j.Spherical(), j.Cylindrical()]).build("free")),
    "four_bar": lambda: _closed("four_bar"),
    "slider_crank": lambda: _closed("slider_crank"),
}


def _closed(name):
    """A mechanism with effects and its own limits, within which it closes."""
    model = load_model(name)
    effective = zip(model.bodies, with_all_effects(model).bodies, strict=True)
    return replace(model, bodies=tuple(replace(body, effects=other.effects) for body, other in effective))


@pytest.mark.parametrize("name", EFFECTIVE)
def test_exact_data_give_back_what_joints_and_bodies_have(name, rng):
    """Dynamics and identification have one law: what was simulated is found, beside springs, stops and mimic joints."""
    truth = kt.Robot(EFFECTIVE[name](), backend="numpy")
    model, n = truth.model, 400
    moving = [body for body in model.independent_joints if body.joint.nv]
    given = truth.with_parameters(inertial=1.2 * truth.parameters("inertial"))
    for body in moving:
        unknown = ("damping", "friction", *["armature"] * body.joint.has_coordinates)
        given = given.with_joint_effects(body.joint_name, **dict.fromkeys(unknown, 0.0))
    q = np.stack([model.integrate(model.neutral(), x) for x in rng.normal(size=(n, model.nv))])
    v, a = rng.normal(size=(2, n, model.nv))
    if model.closures:
        q = truth.assemble(q)
        q = q[np.isfinite(q).all(axis=1)]
        y, dy = rng.normal(size=(2, len(q), model.dof))
        v = (truth.velocity_map(q) @ y[..., None])[..., 0]
        a = truth.closed_acceleration(q, v, dy)
    tau = truth.inverse_dynamics(q, v, a)
    found = kt.identify.fit(given, q, v, a, tau, friction=True, rotor=True, physical=False)
    effects = [per_velocity(model, effect) for effect in ("damping", "friction", "armature")]
    expected = found.base.of(np.concatenate([truth.parameters("inertial").ravel(), *effects]))
    np.testing.assert_allclose(found.values, expected, rtol=0, atol=1e-8 * np.abs(expected).max())
    np.testing.assert_allclose(found.joints["viscous"], effects[0], rtol=0, atol=1e-8)
    np.testing.assert_allclose(found.joints["coulomb"], effects[1], rtol=0, atol=1e-8)


def test_a_robot_without_joints():
    builder = kt.Builder("stone")
    builder.link("stone", np.eye(6))
    model, none = builder.build(), np.zeros(0)
    assert algorithms.regressor(model, none, none, none).shape == (0, 0)
    assert algorithms.energy_regressor(model, none, none).shape == (2, 0)
