"""Derivatives through loops, forward and in reverse, nested too: against complex steps of the same function."""

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.arrays import abs as magnitude
from kinetrace.arrays import cos, hold, iterate, less, map_rows, maybe, scan, sin, sqrt, stack, where, with_derivatives


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


def guarded(model, q, v, u):
    """A solver where it is needed, in the passes of a loop; nested choices, and values that are handed on."""
    s = sin(q[0])

    def step(p, x):
        def needed():
            wanted = 2.0 + p[0] * p[0]
            root = iterate(
                lambda z: 0.5 * (z + wanted / z),
                1.0 + p[1] * p[1],
                lambda z: less(magnitude(z * z - wanted), 1e-14),
                30,
            )
            rest = maybe(less(p[1], 0.4), lambda: cos(v[1]) * s, p[0])
            return stack([root, rest * q[1]]), s

        a, b = maybe(less(p[0] * x[0], 0.3), needed, (stack([p[1], -sqrt(p[0] * x[0] - 0.3)]), v[0]))
        return 0.5 * a + stack([0.0, b]), None

    p, _ = scan(step, q * v, u)
    return stack([p[0], p[1], p[0] * s])


CASES = {
    recurrence: (("t", 1), (6, 1)),
    solution: None,
    nested: (("t", "k", 2), (3, 4, 2)),
    guarded: (("t", 1), (6, 1)),
}


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


def trajectory(model, q, v, u):
    a = sin(q[0])

    def step(p, x):
        p = stack([p[0] * cos(p[1]) * a + x[0], p[1] + 0.1 * p[0] * v[1]])
        return p, p * p

    return scan(step, q * v, u)


def total(model, q, v, u):
    return recurrence(model, q, v, u)[2]


@pytest.mark.parametrize("function", [recurrence, nested, guarded], ids=lambda f: f.__name__)
def test_gradients_with_respect_to_series(function):
    """The axes of the series come first: (t, ..., shape of f, shape of a row)."""
    robot, random = kt.load("planar2r"), np.random.default_rng(1).random
    (shape, size), q, v = CASES[function], random(2), random(2)
    u, axes = random(size), len(shape) - 1
    found = kt.compile(kt.jacobian(function, wrt="u"), robot, shapes={"u": shape})(q, v, u)
    steps = np.eye(u.size).reshape(u.size, *u.shape)
    columns = [np.imag(function(None, q + 0j, v + 0j, u + 1e-30j * e)) / 1e-30 for e in steps]
    wanted = np.moveaxis(np.array(columns).reshape(*u.shape, -1), -1, axes)
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-13)
    weight = random(found.shape[axes])
    pulled = kt.compile(kt.vjp(function, wrt=("q", "u")), robot, shapes={"u": shape})(q, v, u, weight)[1]
    np.testing.assert_allclose(pulled, np.tensordot(found, weight, (axes, 0)), rtol=1e-12, atol=1e-13)


def test_derivatives_of_a_whole_series_and_second_ones():
    robot, random, shapes = kt.load("planar2r"), np.random.default_rng(2).random, {"u": ("t", 1)}
    q, v, u = random(2), random(2), random((6, 1))
    found = kt.compile(kt.jacobian(trajectory, wrt="q"), robot, shapes=shapes)(q, v, u)
    along = kt.compile(kt.jvp(trajectory, wrt="q"), robot, shapes=shapes)(q, v, u, np.array([2.0, -1.0]))
    for x, rate, k in zip(found, along, range(2), strict=True):
        steps = [np.imag(trajectory(None, q + 1e-30j * e, v, u)[k]) / 1e-30 for e in np.eye(2)]
        np.testing.assert_allclose(x, np.stack(steps, axis=-1), rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(rate, x @ [2.0, -1.0], rtol=1e-12, atol=1e-13)
    second = kt.compile(kt.hessian(total, wrt="q"), robot, shapes=shapes)(q, v, u)
    first = kt.jacobian(total, wrt="q")
    steps = [np.imag(first(robot.model, q + 1e-30j * e, v + 0j, u)) / 1e-30 for e in np.eye(2)]
    np.testing.assert_allclose(second, np.stack(steps, axis=-1), rtol=1e-11)


def test_what_cannot_be_differentiated_is_said():
    robot, shapes = kt.load("planar2r"), {"u": ("t", 1)}
    with pytest.raises(kt.InputError, match="returns a series is differentiated forward"):
        kt.compile(kt.jacobian(trajectory, wrt="u"), robot, shapes=shapes)
    with pytest.raises(kt.InputError, match='take mode="reverse"'):
        kt.compile(kt.jacobian(recurrence, wrt="u", mode="forward"), robot, shapes=shapes)

    def chained(model, q, v, u):
        return scan(lambda c, x: (c + x, None), q, scan(lambda c, x: (c * q, c), v, u)[1])[0]

    with pytest.raises(kt.InputError, match="make one loop of the two"):
        kt.compile(kt.jacobian(chained, wrt="q", mode="reverse"), robot, shapes=shapes)

    def summed(model, q, u):
        return maybe(less(q[0], 1.0), lambda: scan(lambda c, x: (c + x * x, None), q, u)[0], q)

    with pytest.raises(kt.InputError, match="gradient with respect to a series is not known where f reads it"):
        kt.compile(kt.vjp(summed, wrt="u"), robot, shapes=shapes)
    forward = kt.compile(kt.jacobian(chained, wrt="q", mode="forward"), robot, shapes=shapes)
    q, v, u = np.array([0.3, 0.7]), np.ones(2), np.zeros((4, 1))
    np.testing.assert_allclose(np.diag(forward(q, v, u)), 1 + 1 + 2 * q + 3 * q * q, rtol=1e-13)


def passed_on(model, q, v):
    """Parameters that are carried unchanged, as one writes it for JAX."""

    def newton(carry):
        x, p = carry
        return x - (x * x - p) / (2.0 * x), p

    x, p = iterate(newton, (1.0 + 0.0 * q[0], q[0] + v[1]), lambda c: less(magnitude(c[0] * c[0] - c[1]), 1e-14), 40)
    return stack([x, p, x * v[0]])


def pivoted(model, q, v):
    """1 − ∂f/∂x begins with a zero."""

    def step(c):
        return stack([c[0] + c[1], -0.9 * c[0] - c[1] + q[0]])

    def converged(c):
        return less((step(c) - c) @ (step(c) - c), 1e-28)

    return iterate(step, stack([0.0 * q[0], 0.0 * q[1]]), converged, 2000)


def test_parameters_that_are_carried_and_pivots():
    robot, q, v = kt.load("planar2r"), np.array([0.7, 0.2]), np.array([0.4, 0.9])
    for mode in ("forward", "reverse"):
        found = kt.compile(kt.jacobian(passed_on, wrt=("q", "v"), mode=mode), robot)(q, v)
        for x, wanted in zip(found, by_complex_steps(passed_on, q, v), strict=True):
            np.testing.assert_allclose(x, wanted, rtol=1e-10, atol=1e-13)
        solved = kt.compile(kt.jacobian(pivoted, wrt="q", mode=mode), robot)(q, v)
        np.testing.assert_allclose(solved, [[1 / 0.9, 0], [0, 0]], rtol=1e-10, atol=1e-12)


def test_what_is_no_solution_has_no_derivative():
    def counted(model, q, v):
        halved = iterate(lambda c: (c[0] * q[0], c[1] + 1.0), (v[0], 0.0 * q[0]), lambda c: less(2.5, c[1]), 10)
        return halved[0]

    kernel = kt.compile(kt.jacobian(counted, wrt="q"), kt.load("planar2r"))
    assert np.isnan(kernel(np.array([0.5, 0.0]), np.ones(2))).any()


def test_derivatives_beside_loops_over_known_rows():
    def both(model, q, v, u):
        rows = map_rows(lambda row: row * v[0], stack([q, v, q], axis=0))
        return kt.jacobian(recurrence, wrt="q")(model, q, v, u) + rows[0].sum()

    robot, random = kt.load("planar2r"), np.random.default_rng(5).random
    q, v, u = random(2), random(2), random((6, 1))
    found = kt.compile(both, robot, shapes={"u": ("t", 1)})(q, v, u)
    np.testing.assert_allclose(found, by_complex_steps(recurrence, q, v, u)[0] + (q * v[0]).sum(), rtol=1e-12)


def test_a_series_has_no_directions():
    robot, shapes = kt.load("planar2r"), {"u": ("t", 1)}
    for make in (kt.hessian, lambda f, wrt: kt.jvp(f, wrt=wrt)):
        with pytest.raises(kt.InputError, match="take jacobian or vjp by it"):
            kt.compile(make(total, wrt=("q", "u")), robot, shapes=shapes)
    with pytest.raises(kt.InputError, match="take jacobian or vjp by it"):
        kt.sparsity(total, robot, wrt="u", shapes=shapes)


def constant_inside(model, q, v, u, z):
    """A loop inside that does not depend on the pass, and reads a series from its beginning each time."""
    return scan(lambda c, r: (c * scan(lambda d, s: (d + s * s, None), 0.0 * q[0], z)[0] + r * q, None), v, u)[0]


def test_loops_inside_that_do_not_depend_on_the_pass():
    robot, random, shapes = kt.load("planar2r"), np.random.default_rng(7).random, {"u": ("t",), "z": ("k",)}
    q, v, u, z = random(2), random(2), random(3), random(2)
    for mode in ("forward", "reverse"):
        found = kt.compile(kt.jacobian(constant_inside, wrt=("q", "v"), mode=mode), robot, shapes=shapes)(q, v, u, z)
        for x, wanted in zip(found, by_complex_steps(constant_inside, q, v, u, z), strict=True):
            np.testing.assert_allclose(x, wanted, rtol=1e-12, atol=1e-13)
    with pytest.raises(kt.InputError, match="from its beginning in every pass"):
        kt.compile(kt.jacobian(constant_inside, wrt="z"), robot, shapes=shapes)


def test_a_series_may_be_the_only_argument():
    kernel = kt.compile(
        kt.jacobian(lambda model, u: scan(lambda c, r: (c + r * r, None), 0.0, u)[0], wrt="u"),
        kt.load("planar2r"),
        shapes={"u": ("t",)},
    )
    np.testing.assert_allclose(kernel(np.arange(4.0)), 2 * np.arange(4.0))


def test_a_series_inside_an_iteration_and_a_count_beside_a_solution():
    robot = kt.load("planar2r")

    def by_series(model, v, z):
        return iterate(
            lambda x: 0.1 * sin(x) + scan(lambda d, s: (d + s * s, None), 0.0, z)[0], v[0], lambda x: less(x, -99.0), 60
        )

    z, h = np.array([0.5, 0.7]), 1e-6
    found = kt.compile(kt.jacobian(by_series, wrt="z"), robot, shapes={"z": ("k",)})(np.zeros(2), z)
    value = kt.compile(by_series, robot, shapes={"z": ("k",)})
    wanted = [(value(np.zeros(2), z + h * e) - value(np.zeros(2), z - h * e)) / (2 * h) for e in np.eye(2)]
    np.testing.assert_allclose(found, wanted, rtol=1e-8)

    def counted(model, q):
        begin = (1.0 + 0.0 * q[0], 0.0 * q[0])
        step = lambda c: (0.5 * (c[0] + q[0] / c[0]), c[1] + 1.0)  # noqa: E731
        return stack(list(iterate(step, begin, lambda c: less(magnitude(c[0] * c[0] - q[0]), 1e-14), 50)))

    for mode in ("forward", "reverse"):
        J = kt.compile(kt.jacobian(counted, wrt="q", mode=mode), robot)(np.array([2.0, 0.0]))
        np.testing.assert_allclose(J, [[0.5 / np.sqrt(2.0), 0.0], [0.0, 0.0]], rtol=1e-12)


def searched(model, q, v):
    """The cube root of v[0] + q[0], found with choices on the way, as the solution of a fixed point."""
    wanted = v[0] + q[0]

    def better(carry):
        x, step = carry
        closer = less(magnitude((x + step) ** 3 - wanted), magnitude(x**3 - wanted))
        return where(closer, x + step, x), where(closer, step, -0.5 * step)

    x, _ = iterate(better, (1.0 + 0.0 * q[0], 0.5 + 0.0 * q[0]), lambda carry: less(magnitude(carry[1]), 1e-17), 300)
    exact = with_derivatives(x, lambda: iterate(lambda y: y - (y**3 - wanted) / (3 * y * y), x, lambda _: 1.0, most=1))
    return exact * hold(q[1]) + v[1]


def test_values_with_derivatives_of_others():
    """Of any order, in loops too; they leave nothing in programs that are not differentiated."""
    robot, random = kt.load("planar2r"), np.random.default_rng(3).random
    q, v = random(2), random(2)
    root = np.cbrt(v[0] + q[0])
    np.testing.assert_allclose(kt.compile(searched, robot)(q, v), root * q[1] + v[1], rtol=1e-14)
    for mode in ("forward", "reverse"):
        found = kt.compile(kt.jacobian(searched, wrt=("q", "v"), mode=mode), robot)(q, v)
        slope = q[1] / (3.0 * root**2)
        np.testing.assert_allclose(found, [[slope, 0.0], [slope, 1.0]], rtol=1e-12)
    second = kt.compile(kt.hessian(searched, wrt="q"), robot)(q, v)
    np.testing.assert_allclose(second, [[-2.0 * q[1] / (9.0 * root**5), 0.0], [0.0, 0.0]], rtol=1e-11)

    def twice(model, q, v):
        return scan(lambda x, _: (stack([searched(None, x, v), x[1]]), None), q, np.zeros((2, 1)))[0][0]

    once = searched(None, q, v)
    slope, inner = (q[1] / (3.0 * np.cbrt(v[0] + x) ** 2) for x in (once, q[0]))
    found = kt.compile(kt.jacobian(twice, wrt="q"), robot)(q, v)
    np.testing.assert_allclose(found, [slope * inner, 0.0], rtol=1e-12)

    def plain(model, q, v):
        return q * v[0]

    def with_others(model, q, v):
        return with_derivatives(-q, lambda: -q * q) * -v[0]

    assert kt.compile(with_others, robot).count() == kt.compile(plain, robot).count()
    np.testing.assert_allclose(kt.compile(kt.jacobian(with_others), robot)(q, v), 2.0 * np.diag(q) * v[0], rtol=1e-14)


def test_what_is_run_where_it_is_needed():
    """All of it stands inside, its derivatives are finite where it is not run, and of any order."""
    robot = kt.load("planar2r")

    def root(model, q):
        gap = q[0] - 1.0
        return maybe(less(gap, 0.0), lambda: sqrt(-gap) * sin(q[1]) * hold(cos(q[1])), 2.0 * gap)

    q = np.array([[0.75, 0.3], [1.0, 0.3], [3.0, -0.4]])
    s, c = np.sin(0.3), np.cos(0.3)
    kernel = kt.compile(root, robot)
    np.testing.assert_allclose(kernel(q), [0.5 * s * c, 0.0, 4.0], rtol=1e-15)
    outside, inside = kernel.program.counts()
    assert (outside.sqrt, outside.trig, inside.sqrt, inside.trig) == (0, 0, 1, 2)
    for mode in ("forward", "reverse"):
        J = kt.compile(kt.jacobian(root, mode=mode), robot)
        np.testing.assert_allclose(J(q), [[-s * c, 0.5 * c * c], [2.0, 0.0], [2.0, 0.0]], rtol=1e-14)
        assert J.program.counts()[0].trig == 0
    H = kt.compile(kt.hessian(root), robot)(q)
    np.testing.assert_allclose(H, [[[-2.0 * s * c, -c * c], [-c * c, -0.5 * s * c]], *np.zeros((2, 2, 2))], rtol=1e-13)
    with pytest.raises(kt.InputError, match="f must return what otherwise is, shapes"):
        kt.compile(lambda model, q: maybe(less(q[0], 0.0), lambda: q, 0.0), robot)
    with pytest.raises(kt.InputError, match="one condition, got an array of shape"):
        kt.compile(lambda model, q: maybe(less(q, 0.0), lambda: q, q), robot)
