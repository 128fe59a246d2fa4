"""Coriolis matrices: each form gives the same force, and is what it says it is."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.algorithms import (
    bias,
    coriolis_matrix,
    coriolis_product,
    coriolis_transpose_product,
    inverse_dynamics,
    mass_matrix_rate,
)
from kinetrace.lie import ad, inertia
from kinetrace.model import joints as j
from kinetrace.model import random_chain
from kinetrace.model.zoo.random import random_pose

FORMS = ("skew", "newton", "christoffel")
each_form = pytest.mark.parametrize("form", FORMS)


def mass_matrix(model, q):
    zero, weightless = np.zeros(model.nv), replace(model, gravity=np.zeros(3))
    return np.stack([inverse_dynamics(weightless, q, zero, e) for e in np.eye(model.nv)], axis=-1)


def rate_of_mass(model, q, v, mechanics):
    """Ṁ by a complex step along q ⊕ εv."""
    return mass_matrix(model, model.integrate(q, 1j * mechanics.step * v)).imag / mechanics.step


_rates = {}


@pytest.fixture
def rate(request, model, state, mechanics):
    """Ṁ in the state that all tests of a robot share."""
    name = request.node.callspec.params["model"]
    if name not in _rates:
        _rates[name] = rate_of_mass(model, state.q, state.v, mechanics)
    return _rates[name]


@each_form
def test_the_force_is_that_of_inverse_dynamics(model, state, form, mechanics):
    zero = np.zeros(model.nv)
    total = inverse_dynamics(model, state.q, state.v, zero)
    C = coriolis_matrix(model, state.q, state.v, form=form)
    assert C.shape == (model.nv, model.nv)
    mechanics.assert_near(C @ state.v + inverse_dynamics(model, state.q, zero, zero), total)
    mechanics.assert_near(bias(model, state.q, state.v), total)


def test_mass_matrix_rate_is_the_derivative(model, state, rate, mechanics):
    mechanics.assert_near(mass_matrix_rate(model, state.q, state.v), rate)


@each_form
def test_mass_matrix_rate_minus_twice_the_matrix_is_skew_but_for_newtons(model, state, rate, form, mechanics):
    N = rate - 2 * coriolis_matrix(model, state.q, state.v, form=form)
    if form == "newton":
        assert np.abs(N + N.T).max() > 0.1 * np.abs(rate).max()
    else:
        mechanics.assert_near(N, -N.T)


@each_form
def test_products_are_those_of_the_matrix(model, state, form, mechanics):
    q, v, u = state.q, state.v, state.a
    C = coriolis_matrix(model, q, v, form=form)
    mechanics.assert_near(coriolis_product(model, q, v, u, form=form), C @ u)
    mechanics.assert_near(coriolis_transpose_product(model, q, v, u, form=form), C.T @ u)


@each_form
def test_the_matrix_is_linear_in_the_velocity(model, state, form, mechanics):
    q, v, u = state.q, state.v, state.a
    C, D, both = (coriolis_matrix(model, q, x, form=form) for x in (v, u, 2 * v - 3 * u))
    mechanics.assert_near(both, 2 * C - 3 * D)


@pytest.mark.parametrize("seed", range(3))
def test_christoffel_holds_the_christoffel_symbols(seed, rng, mechanics):
    """Of M by a complex step, with every joint whose v is the rate of q."""
    a, b, c, d = rng.normal(size=(4, 3))
    kinds = [j.Revolute(a), j.Prismatic(b), j.Universal(c, a), j.Helical(d, 0.3), j.Planar(b), j.Cylindrical(c)]
    model = random_chain(len(kinds), seed, kinds).build()
    q, v = model.random(rng), rng.normal(size=model.nv)
    h = mechanics.step
    dM = np.stack([mass_matrix(model, q + 1j * h * e).imag / h for e in np.eye(model.nv)])  # [i, j, k]: ∂_i M_jk
    Gamma = (dM.transpose(2, 0, 1) + dM.transpose(2, 1, 0) - dM) / 2  # [k, i, j]
    mechanics.assert_near(coriolis_matrix(model, q, v, form="christoffel"), Gamma.transpose(0, 2, 1) @ v)


def bracket(model, v, u):
    """[v, u] of the frame fields: zero for rates of coordinates, that of the group for body velocities."""
    brackets = {j.Spherical: np.cross, j.Free: ad}
    ends = np.cumsum([0, *(b.joint.nv for b in model.independent_joints)])
    parts = [
        brackets.get(type(b.joint), lambda x, y: 0 * x)(v[start:end], u[start:end])
        for b, (start, end) in zip(model.independent_joints, pairwise(ends), strict=True)
    ]
    return np.concatenate(parts)


def test_christoffel_has_no_torsion(model, state, mechanics):
    """C(v) u − C(u) v = M [v, u]: with Ṁ − 2C skew, that makes it the Levi-Civita connection of M."""
    q, v, u = state.q, state.v, state.a
    torsion = coriolis_product(model, q, v, u, form="christoffel") - coriolis_product(
        model, q, u, v, form="christoffel"
    )
    mechanics.assert_near(torsion, mass_matrix(model, q) @ bracket(model, v, u))


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
