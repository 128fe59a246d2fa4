"""Regressors: columns of joints, and robots without any."""

from __future__ import annotations

import numpy as np

import kinetrace as kt
from kinetrace import algorithms
from kinetrace.algorithms.regressor import parameter_names
from kinetrace.model import joints as j
from kinetrace.model import random_chain


def test_columns_of_joints():
    kinds = [j.Spherical(), j.Revolute([0, 0, 1]), j.Prismatic([1, 0, 0])]
    model = random_chain(3, 2, kinds).build()
    q, v, a = model.neutral(), np.array([1.0, -2, 0, 3, -4]), np.arange(5.0)
    Y = algorithms.regressor(model, q, v, a, friction=True, rotor=True)
    np.testing.assert_array_equal(Y[:, :30], algorithms.regressor(model, q, v, a))
    viscous, coulomb, rotor = np.split(Y[:, 30:], 3, axis=1)
    np.testing.assert_array_equal(viscous, np.diag(v))
    np.testing.assert_array_equal(coulomb, np.diag([1, -1, 0, 1, -1]))
    np.testing.assert_array_equal(rotor, np.diag(a))
    names = parameter_names(model, friction=True, rotor=True)
    assert len(names) == Y.shape[1]
    assert names[:2] + names[10:11] == ("link1.m", "link1.hx", "link2.m")
    assert names[30:34] == ("joint1[0].viscous", "joint1[1].viscous", "joint1[2].viscous", "joint2.viscous")
    assert (names[35], names[-1]) == ("joint1[0].coulomb", "joint3.rotor")


def test_a_robot_without_joints():
    builder = kt.Builder("stone")
    builder.link("stone", np.eye(6))
    model, none = builder.build(), np.zeros(0)
    assert algorithms.regressor(model, none, none, none).shape == (0, 0)
    assert algorithms.energy_regressor(model, none, none).shape == (2, 0)
