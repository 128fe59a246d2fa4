"""Derivatives through loops, forward and in reverse, nested too: against complex steps of the same function."""

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.arrays import abs as magnitude
from kinetrace.arrays import cos, iterate, less, scan, sin, stack


def recurrence(model, q, v, u):
    a = sin(q[0])

    def step(carry, x):
        p, total = carry
        p = stack([p[0] * cos(p[1]) * a + x[0], p[1] + 0.1 * p[0] * v[1]])
        return (p, total + p[0] * p[1]), p

    (p, total), _ = scan(step, (q * v, 0.0 * q[0]), u)
    return stack([p[0], p[1], total])


def solution(model, q, v):
    def residual(x):
        return x[0] ** 3 + q[0] * x[0] - v[0]

    def newton(carry):
        x, count = carry
        return x - residual(x) / (3 * x * x + q[0]), count + 1.0

    begin = (stack([1.0 + 0.0 * q[0]]), 0.0 * q[0])
    return iterate(newton, begin, lambda c: less(magnitude(residual(c[0])), 1e-14), 30)[0] * v[1]


def nested(model, q, v, u):
    def outer(c, x):
        d, _ = scan(lambda d, y: (d * cos(d) + y * q[0], None), c, x)
        wanted = 2 + d[0] * d[0]
        e = iterate(
            lambda z: 0.5 * (z + wanted / z), d[1] * d[1] + 1.0, lambda z: less(magnitude(z * z - wanted), 1e-14), 30
        )
        return stack([d[1] * e, d[0] + v[1]]), None

    return scan(outer, v, u)[0]


CASES = {recurrence: (("t", 1), (6, 1)), solution: None, nested: (("t", "k", 2), (3, 4, 2))}


def by_complex_steps(function, q, v, *rest):
    x, n = np.concatenate([q, v]), len(q)
    columns = []
    for e in np.eye(len(x)):
        y = x + 1e-30j * e
        columns.append(np.imag(function(None, y[:n], y[n:], *rest)) / 1e-30)
    J = np.stack(columns, axis=-1)
    return J[:, :n], J[:, n:]


@pytest.mark.parametrize("mode", ["forward", "reverse"])
@pytest.mark.parametrize("function", CASES, ids=lambda f: f.__name__)
def test_derivatives_of_loops(function, mode):
    robot, random = kt.load("planar2r"), np.random.default_rng(0).random
    q, v, series = random(2), random(2), CASES[function]
    given, shapes = ((random(series[1]),), {"u": series[0]}) if series else ((), None)
    derived = kt.jacobian(function, wrt=("q", "v"), mode=mode)
    kernel = kt.compile(derived, robot, shapes=shapes)
    for found, wanted in zip(kernel(q, v, *given), by_complex_steps(function, q, v, *given), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-13)
    for found, wanted in zip(derived(robot.model, q, v, *given), kernel(q, v, *given), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-13)
