"""Log-Cholesky coordinates of inertias: any ten numbers are a physical body, and every such body has them."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import kinetrace as kt
from kinetrace.lie import inertia
from kinetrace.model.zoo.random import random_inertia

STEP = 1e-40


@pytest.fixture
def theta():
    return np.random.default_rng(2022).normal(size=(3, 20, 10))


def test_round_trips(theta):
    np.testing.assert_allclose(inertia.to_log_cholesky(inertia.from_log_cholesky(theta)), theta, rtol=0, atol=1e-9)
    rng = np.random.default_rng(0)
    pi = np.stack([inertia.to_parameters(random_inertia(rng)) for _ in range(20)])
    np.testing.assert_allclose(inertia.from_log_cholesky(inertia.to_log_cholesky(pi)), pi, rtol=0, atol=1e-13)


def test_every_one_is_physical(theta):
    for J in inertia.from_parameters(inertia.from_log_cholesky(theta).reshape(-1, 10)):
        assert inertia.violations(J) == []


def test_rucker_wensing_2022_the_factor_of_the_pseudo_inertia(theta):
    """U as the paper writes it, one body at a time."""
    for x in theta[0]:
        alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3 = x
        e1, e2, e3 = np.exp([d1, d2, d3])
        U = np.exp(alpha) * np.array([[e1, s12, s13, t1], [0, e2, s23, t2], [0, 0, e3, t3], [0, 0, 0, 1]])
        P = inertia.pseudo_inertia(inertia.from_parameters(inertia.from_log_cholesky(x)))
        np.testing.assert_allclose(P, U @ U.T, rtol=0, atol=1e-12 * np.abs(P).max())


def test_the_two_derivatives_are_inverse(theta):
    """By a complex step through each."""
    x = theta[0, 0]
    pi = inertia.from_log_cholesky(x)
    steps = 1j * STEP * np.eye(10)
    there = inertia.from_log_cholesky(x + steps).imag / STEP
    back = inertia.to_log_cholesky(pi + steps).imag / STEP
    np.testing.assert_allclose(there @ back, np.eye(10), rtol=0, atol=1e-8)


@pytest.mark.parametrize("function", [inertia.from_log_cholesky, inertia.to_log_cholesky])
def test_other_scalars(function, theta):
    x = theta[0, 0] / 4 if function is inertia.from_log_cholesky else inertia.from_log_cholesky(theta[0, 0] / 4)
    expected = function(x)
    with mpmath.workdps(50):
        exact = function(np.array([mpmath.mpf(float(y)) for y in x], dtype=object))
    np.testing.assert_allclose(exact.astype(float), expected, rtol=0, atol=1e-12)
    for backend in ("numpy", "llvm"):
        kernel = kt.compile(lambda model, x: function(x), kt.load("planar2r"), shapes={"x": (10,)}, backend=backend)
        np.testing.assert_allclose(kernel(np.stack([x] * 5))[3], expected, rtol=0, atol=1e-12)
