"""Every function on every scalar: 50-digit numbers, traced expressions, JAX arrays."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from numpy.testing import assert_allclose

from kinetrace import arrays
from kinetrace.engine.trace.expr import Expr, Graph
from kinetrace.lie import Ad, Ad_dual, Ad_inv, Ad_inv_dual, Ad_matrix, Pose, ad, ad_dual, ad_matrix, inertia, se3, so3

ONE = [
    (3, so3.hat),
    (3, so3.exp),
    (3, so3.left_jacobian),
    (3, so3.left_jacobian_inverse),
    (3, so3.right_jacobian_inverse),
    (3, so3.from_rpy),
    (3, so3.quaternion_exp),
    (3, lambda w: so3.axis_angle(np.array([0.0, 0.6, 0.8]), w[..., 0])),
    (3, lambda w: so3.log(so3.exp(w))),
    (3, lambda w: so3.to_quaternion(so3.exp(w))),
    (4, so3.from_quaternion),
    (4, so3.quaternion_log),
    (6, se3.exp),
    (6, se3.left_jacobian),
    (6, se3.right_jacobian_inverse),
    (6, lambda xi: se3.inverse(se3.exp(xi))),
    (6, lambda xi: se3.vee(se3.hat(xi))),
    (6, lambda xi: se3.log(se3.exp(xi))),
    (6, lambda xi: Ad_matrix(se3.exp(xi))),
    (6, ad_matrix),
    (10, inertia.from_parameters),
    (10, lambda pi: inertia.to_parameters(inertia.from_parameters(pi))),
    (10, lambda pi: inertia.center_of_mass(inertia.from_parameters(pi))),
    (10, lambda pi: inertia.from_mass_com(pi[..., 0], pi[..., 1:4], so3.hat(pi[..., 4:7]))),
    (10, lambda pi: inertia.from_pseudo_inertia(inertia.pseudo_inertia(inertia.from_parameters(pi)))),
]
MIXED = [  # poses and matrices of plain floats, vectors of any scalar
    (8, lambda x: so3.quaternion_multiply(x[..., :4], x[..., 4:])),
    *[(6, lambda x, f=f: f(POSE, x)) for f in (Ad, Ad_inv, Ad_dual, Ad_inv_dual)],
    *[(12, lambda x, f=f: f(x[..., :6], x[..., 6:])) for f in (ad, ad_dual)],
    *[
        (6, lambda x, f=f: getattr(Pose(POSE, se3.exp(x), POSE), f)(x))
        for f in ("Ad", "Ad_inv", "Ad_dual", "Ad_inv_dual")
    ],
    (6, lambda x: (POSE @ Pose(se3.exp(x), POSE)) @ (Pose(POSE, se3.exp(x)) @ POSE)),
    (6, lambda x: (Pose(POSE) @ Pose(se3.exp(x))).matrix),
    (10, lambda x: inertia.change_frame(POSE, inertia.from_parameters(x))),
    (10, lambda x: Pose(POSE, se3.exp(x[..., :6])).change_frame(inertia.from_parameters(x))),
    (10, lambda x: Pose(POSE, se3.exp(x[..., :6])).change_frame_parameters(x)),
]
POSE = se3.exp(np.array([0.3, -0.2, 0.5, 1.0, 2.0, 3.0]))
SIZES = [0.0, 1e-7, 0.1, 1.0]  # times a vector of norm about 2: both branches


def arguments(n, rng):
    x = np.stack([size * rng.uniform(0.3, 1.4, size=n) for size in SIZES])
    return x + (n in (4, 10)) * np.eye(n)[0]  # no zero quaternion, no zero mass


@pytest.mark.parametrize(("n", "function"), ONE + MIXED)
def test_mpmath_gives_the_same_numbers(n, function, rng):
    x = arguments(n, rng)
    with mpmath.workdps(50):
        objects = np.vectorize(mpmath.mpf, otypes=[object])(x)
        assert_allclose(function(objects).astype(float), function(x), rtol=0, atol=2e-14)
        assert_allclose(function(objects[-1]).astype(float), function(x[-1]), rtol=0, atol=2e-14)


def test_mpmath_gives_50_digits(angle, vectors):
    with mpmath.workdps(50):
        w = np.vectorize(mpmath.mpf, otypes=[object])(vectors(min(angle, 3.0), ()))
        R = so3.exp(w)
        expected = np.array(mpmath.expm(mpmath.matrix(so3.hat(w).tolist())).tolist(), dtype=object)
        assert abs(R - expected.reshape(3, 3)).max() < 1e-48
        assert abs(so3.log(R) - w).max() < 1e-48
        xi = np.concatenate([w, w[::-1]])
        J = se3.left_jacobian(xi) @ se3.left_jacobian_inverse(xi)
        assert abs(J - np.eye(6)).max() < 1e-46  # where a series ends, the closed forms lose two digits


def test_elementary_functions_on_every_scalar_and_jax(jax):
    """The same values, and by a complex step the same slopes, whatever kind of number comes in."""
    x = np.array([0.25, 1.0, 3.0])
    for function, slope in ((arrays.exp, np.exp(x)), (arrays.log, 1 / x), (arrays.sqrt, 0.5 / np.sqrt(x))):
        value = function(x)
        assert_allclose(function(jax.numpy.asarray(x)), value, rtol=1e-15)
        assert_allclose(function(x + 1e-40j), value + 1e-40j * slope, rtol=1e-15)
        assert_allclose(function(x + 1e-40j).imag * 1e40, slope, rtol=1e-14)
        with mpmath.workdps(50):
            objects = np.vectorize(mpmath.mpf, otypes=[object])(x)
            assert_allclose(function(objects).astype(float), value, rtol=1e-15)
            exact = getattr(mpmath, function.__name__)
            assert all(abs(a - exact(b)) < 1e-48 for a, b in zip(function(objects), objects, strict=True))
        graph = Graph()
        traced = function(np.array([graph.input(0), 1.0, graph.constant(3.0)], dtype=object))
        assert_allclose(evaluate(graph, traced, x), value, rtol=1e-15)


def test_plain_numbers_among_objects_have_their_infinities():
    with np.errstate(all="ignore"):
        assert arrays.log(np.array([0.0, 1.0], dtype=object)).tolist() == [-np.inf, 0.0]
        assert arrays.exp(np.array([1000.0, 0.0], dtype=object)).tolist() == [np.inf, 1.0]
        assert np.isnan(arrays.log(np.array([-1.0], dtype=object)).astype(float)).all()


def evaluate(graph, outputs, values):
    """The numbers of traced outputs: the nodes one after the other."""
    apply = {
        "add": np.add,
        "sub": np.subtract,
        "mul": np.multiply,
        "div": np.divide,
        "atan2": np.arctan2,
        "lt": np.less,
        "select": np.where,
        "neg": np.negative,
        "sin": np.sin,
        "cos": np.cos,
        "exp": np.exp,
        "log": np.log,
        "sqrt": np.sqrt,
    }
    known = []
    for op, *args in graph.nodes:
        if op in ("const", "input"):
            known.append(args[0] if op == "const" else values[args[0]])
        else:
            known.append(apply[op](*(known[i] for i in args)))
    return [(-1 if e.negative else 1) * known[e.index] if isinstance(e, Expr) else e for e in outputs]


@pytest.mark.parametrize(("n", "function"), ONE + MIXED)
def test_traced_once_gives_the_same_numbers_everywhere(n, function, rng):
    graph = Graph()
    traced = function(np.array([graph.input(k) for k in range(n)], dtype=object))
    for x in arguments(n, rng):
        expected = function(x)
        assert traced.shape == expected.shape
        assert_allclose(evaluate(graph, traced.ravel(), x), expected.ravel(), rtol=0, atol=2e-14)


def test_a_turn_about_a_coordinate_axis_is_traced_to_a_planar_turn():
    graph = Graph()
    so3.axis_angle(np.array([0.0, 0.0, 1.0]), graph.input(0))
    assert {node[0] for node in graph.nodes} == {"const", "input", "sin", "cos"}


def test_jax_gives_the_same_numbers(jax, rng):
    given = [(function, arguments(n, rng)) for n, function in ONE + MIXED]
    together = jax.jit(lambda *xs: [jax.vmap(f)(x) for (f, _), x in zip(given, xs, strict=True)])
    for (function, x), found in zip(given, together(*(x for _, x in given)), strict=True):
        assert_allclose(found, function(x), rtol=0, atol=2e-14)


def cayley(w):
    """The rotation by 2 atan |w|: algebraic, so that only log is differentiated."""
    n = arrays.sqrt(1 + so3.squared_norm(w))
    return so3.from_quaternion(arrays.concatenate([1 / n, w / n]))


EXP_LOG = {
    "quaternion exp": (3, so3.quaternion_exp),
    "so3 exp": (3, so3.exp),
    "quaternion log": (3, lambda w: so3.quaternion_log(so3.quaternion_exp(w))),
    "se3 log": (6, lambda xi: se3.log(se3.pose(cayley(xi[..., :3]), xi[..., 3:]))),
    "se3 left_jacobian": (6, se3.left_jacobian),
}


@pytest.mark.parametrize("name", EXP_LOG)
def test_jax_derivatives_through_zero(jax, name):
    """First and second derivative of f(t x) by t, against differences of 50-digit numbers."""
    n, function = EXP_LOG[name]
    direction = np.arange(1.0, n + 1) / n
    many = np.vectorize(mpmath.mpf, otypes=[object])
    first = jax.jacfwd(lambda t: function(t * direction))
    both = jax.jit(lambda t: (first(t), jax.jacfwd(first)(t)))
    for t in [0.0, 1e-12, 1e-5, 0.05, 0.3, 1.0]:
        with mpmath.workdps(50):
            h = mpmath.mpf(10) ** -12
            low, mid, high = (function(many(direction) * (t + k * h)) for k in (-1, 0, 1))
            d1, d2 = (high - low) / (2 * h), (high - 2 * mid + low) / (h * h)
        f1, f2 = both(t)
        assert_allclose(f1, d1.astype(float), rtol=0, atol=1e-13)
        assert_allclose(f2, d2.astype(float), rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["so3 exp", "quaternion log"])
def test_jax_reverse_mode_is_finite_at_zero(jax, name):
    n, function = EXP_LOG[name]
    second = jax.jit(jax.jacfwd(jax.grad(lambda x: (function(x) * np.array([1.0, 2.0, 3.0])).sum())))
    for size in (0.0, 1e-170, 1e-8):
        assert np.isfinite(second(np.full(n, size))).all()
