"""Coriolis matrices: what the forms differ in. What all have in common is in `kinetrace.analysis.verify`."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.algorithms import coriolis_matrix, coriolis_product, coriolis_transpose_product, mass_matrix_rate
from kinetrace.lie import ad, inertia
from kinetrace.model import joints as j
from kinetrace.model import random_chain
from kinetrace.model.zoo.random import random_pose


def bracket(model, v, u):
    """[v, u] of the frame fields: zero for rates of coordinates, that of the group for body velocities."""
    brackets = {j.Spherical: np.cross, j.Free: ad}
    ends = np.cumsum([0, *(b.joint.nv for b in model.independent_joints)])
    parts = [
        brackets.get(type(b.joint), lambda x, y: 0 * x)(v[start:end], u[start:end])
        for b, (start, end) in zip(model.independent_joints, pairwise(ends), strict=True)
    ]
    return np.concatenate(parts)


def test_brackets_are_those_of_the_groups(model, state):
    np.testing.assert_array_equal(model.bracket(state.v, state.a), bracket(model, state.v, state.a))


@pytest.mark.parametrize("model", ["tree0 fixed", "tree4 free", "panda"], indirect=True)
def test_mass_matrix_rate_minus_twice_newtons_matrix_is_not_skew(model, state):
    rate = mass_matrix_rate(model, state.q, state.v)
    N = rate - 2 * coriolis_matrix(model, state.q, state.v, form="newton")
    assert np.abs(N + N.T).max() > 0.1 * np.abs(rate).max()


@pytest.mark.parametrize(("form", "invariant"), [("newton", True), ("christoffel", True), ("skew", False)])
def test_which_forms_depend_on_the_link_frames(form, invariant, rng, mechanics):
    builder = random_chain(4, 7)
    model = builder.build()
    shifts = [random_pose(rng) for _ in model.bodies]
    bodies = []
    for body, X in zip(model.bodies, shifts, strict=True):
        before = np.eye(4) if body.parent < 0 else np.linalg.inv(shifts[body.parent])
        J = inertia.change_frame(np.linalg.inv(X), body.J)
        bodies.append(replace(body, X_pj=before @ body.X_pj, X_ji=body.X_ji @ X, J=J))
    moved = replace(model, bodies=tuple(bodies))
    q, v = model.random(rng), rng.normal(size=model.nv)
    C, D = (coriolis_matrix(m, q, v, form=form) for m in (model, moved))
    mechanics.assert_near(C @ v, D @ v)
    if invariant:
        mechanics.assert_near(C, D)
    else:
        assert np.abs(C - D).max() > 0.01 * np.abs(C).max()


@pytest.mark.parametrize("function", [coriolis_matrix, coriolis_product, coriolis_transpose_product])
def test_an_unknown_form_lists_the_known(function):
    model, x = kt.load("planar2r").model, np.zeros(2)
    with pytest.raises(kt.InputError, match=r"unknown form 'lagrange'.*christoffel, newton, skew"):
        function(model, *[x] * (2 if function is coriolis_matrix else 3), form="lagrange")
