"""Derivatives of functions of a robot: against complex steps and 50 digits, and one against the other."""

from __future__ import annotations

import pickle
from functools import partial
from typing import Any

import mpmath
import numpy as np
import pytest

import kinetrace as kt
from kinetrace import algorithms
from kinetrace.lie import se3
from kinetrace.model import Model, random_chain, random_tree
from kinetrace.model import joints as j

STEP = 1e-40
TREES = {seed: random_tree(8, seed).build("free") for seed in (3, 5)}
SHORT = random_chain(2, 5, [j.Spherical(), j.Helical([0, 0.6, 0.8], 0.2)]).build()
ARM = kt.load("planar2r")


def state(model: Model, seed: int = 0) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    return model.random(rng), *rng.normal(size=(2, model.nv))


def assert_near(actual: Any, expected: Any, tol: float = 1e-12) -> None:
    """Equal up to `tol` times the largest number."""
    assert np.shape(actual) == np.shape(expected)
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tol * max(1e-3, np.abs(expected).max(initial=0)))


SLOW = [("forward_dynamics", 3)]


def along_q(function: Any, model: Model, q: Any, *rest: Any, **static: Any) -> Any:
    """The derivative along q ⊕ ε by complex steps, direction last."""
    moved = [model.integrate(q, 1j * STEP * e) for e in np.eye(model.nv)]
    return np.stack([function(model, x, *rest, **static).imag / STEP for x in moved], axis=-1)


def tip(model: Model) -> dict[str, Any]:
    return {"frame": list(model.frames)[-1]}


CASES: dict[str, Any] = {
    "pose": (algorithms.pose, 1, tip),
    "jacobian": (algorithms.jacobian, 1, tip),
    "inverse_dynamics": (algorithms.inverse_dynamics, 3, lambda model: {}),
    "forward_dynamics": (algorithms.forward_dynamics, 3, lambda model: {}),
    "difference": (
        lambda model, q, v: model.difference(model.integrate(model.neutral(), 2 * v), q),
        2,
        lambda model: {},
    ),
}


@pytest.mark.parametrize(("name", "seed"), [(name, s) for name in CASES for s in TREES if (name, s) not in SLOW])
def test_along_q(name, seed):
    """Both modes, the directional derivative, the weighted gradient and the sparse entries: of one matrix."""
    (function, count, static), model = CASES[name], TREES[seed]
    arrays, named = state(model, seed)[:count], static(model)
    expected = along_q(function, model, *arrays, **named)
    near = partial(assert_near, tol=1e-11 if name == "forward_dynamics" else 1e-12)  # the condition of M is 1e5
    for mode in ("forward", "reverse"):
        near(kt.jacobian(function, mode=mode)(model, *arrays, **named), expected)
    rng = np.random.default_rng(5)
    dq, weight = rng.normal(size=model.nv), rng.normal(size=expected.shape[:-1])
    near(kt.jvp(function)(model, *arrays, dq, **named), expected @ dq)
    near(kt.vjp(function)(model, *arrays, weight, **named), np.tensordot(weight, expected, weight.ndim))
    pattern = kt.sparsity(function, model, **named)
    entries = kt.jacobian(function, sparse=True)(model, *arrays, **named)
    assert pattern.shape == expected.shape and pattern.dtype == bool
    near(entries, expected[pattern])
    assert np.abs(expected[~pattern]).max(initial=0) <= 1e-12 * np.abs(expected).max()


def test_several_arguments_and_several_outputs():
    model = TREES[3]
    q, v, a = state(model)

    def both(model, q, v, a):
        return algorithms.kinetic_energy(model, q, v), algorithms.inverse_dynamics(model, q, v, a)

    Tq, Tv, Ta, dq, dv, da = kt.jacobian(both, wrt=("q", "v", "a"))(model, q, v, a)
    M = algorithms.mass_matrix(model, q)
    assert_near(Tq, along_q(algorithms.kinetic_energy, model, q, v))
    assert_near(Tv, M @ v)
    assert not Ta.any() and Ta.shape == (model.nv,)
    assert_near(dq, along_q(algorithms.inverse_dynamics, model, q, v, a))
    steps = [algorithms.inverse_dynamics(model, q, v + 1j * STEP * e, a).imag / STEP for e in np.eye(model.nv)]
    assert_near(dv, np.stack(steps, axis=-1))
    assert_near(da, M)
    weight = (2.0, np.cos(np.arange(model.nv)))
    gv, gq = kt.vjp(both, wrt=("v", "q"))(model, q, v, a, weight=weight)
    assert_near(gv, 2.0 * Tv + weight[1] @ dv)
    assert_near(gq, 2.0 * Tq + weight[1] @ dq)
    energy, force = kt.jvp(both, wrt=("q", "a"))(model, q, v, a, da=weight[1], dq=v)
    assert_near(energy, Tq @ v)
    assert_near(force, dq @ v + da @ weight[1])
    only = kt.jacobian(both, wrt=("a",))(model, q, v, a)
    assert [x.shape for x in only] == [(model.nv,), (model.nv, model.nv)]


@pytest.mark.parametrize("name", ["inertial", "placements", "screws", "gravity"])
def test_parameters_of_the_model(name):
    model = random_tree(6, 3).build()
    q, v, a = state(model)
    parameter = kt.model.parameters.PARAMETERS[name]
    x = parameter.get(model)
    e = np.random.default_rng(1).normal(size=parameter.tangent_shape(model))
    moved = x @ se3.exp(1j * STEP * e) if name == "placements" else x + 1j * STEP * e
    expected = algorithms.inverse_dynamics(model.with_parameters(**{name: moved}), q, v, a).imag / STEP
    D = kt.jacobian(algorithms.inverse_dynamics, wrt=name)(model, q, v, a)
    assert D.shape == (model.nv, *e.shape)
    assert_near(np.tensordot(D, e, e.ndim), expected)
    rate = kt.jvp(algorithms.inverse_dynamics, wrt=name)
    assert_near(rate(model, q, v, a, e), expected)
    kernel = kt.compile(rate, model, backend="numpy")
    assert_near(kernel(q, v, a, e), expected)
    mixed = kt.jacobian(kt.vjp(algorithms.inverse_dynamics, wrt=name))(model, q, v, a, v)
    assert_near(np.tensordot(e, mixed, e.ndim), along_q(lambda m, x: v @ rate(m, x, v, a, e), model, q))


@pytest.mark.parametrize("inner", [kt.jvp, kt.vjp, kt.jacobian, kt.hessian])
def test_derivatives_of_derivatives_by_all_their_arguments(inner):
    """Of whatever derivative, by its directions and weights too, against complex steps; compiled and not."""
    model, rng = ARM.model, np.random.default_rng(4)
    f = inner(algorithms.potential_energy if inner is kt.hessian else algorithms.gravity)
    names = [a.name for a in kt.compile(f, ARM).program.inputs]
    wrt = names[0] if len(names) == 1 else tuple(names)
    x, d, e = rng.normal(size=(3, len(names), 2))

    def along(function: Any, *further: Any) -> Any:
        return function(model, *(x + 1j * STEP * d), *further).imag / STEP

    expected = along(f)
    weight = rng.normal(size=expected.shape)
    forward, backward, first, second = (derive(f, wrt) for derive in (kt.jvp, kt.vjp, kt.jacobian, kt.hessian))
    assert_near(forward(model, *x, *d), expected)
    assert_near(np.sum(np.array(backward(model, *x, weight)).reshape(d.shape) * d), np.sum(weight * expected))
    blocks = first(model, *x) if len(names) > 1 else [first(model, *x)]
    assert_near(sum(J @ dx for J, dx in zip(blocks, d, strict=True)), expected)
    assert_near(second(model, *x) @ d.ravel() @ e.ravel(), along(forward, *e))
    assert_near(kt.compile(forward, ARM)(*x, *d), expected)
    assert len(set(kt.compile(kt.jvp(forward, wrt), ARM).program.inputs)) == 3 * len(names)


def test_the_hessian_along_q_is_the_second_derivative_on_the_manifold():
    """d²/dt² f(q ⊕ t u), by differences with 50 digits: t = 1e-15 leaves an error of 1e-30 of the fourth derivative."""
    model = random_tree(4, 2).build("free")
    q, v, _ = state(model)

    def energy(model, q):
        return algorithms.kinetic_energy(model, q, v) + algorithms.potential_energy(model, q)

    H = kt.hessian(energy)(model, q)
    np.testing.assert_array_equal(H, H.T)
    exact = np.vectorize(mpmath.mpf, otypes=[object])
    rng = np.random.default_rng(3)
    with mpmath.workdps(50):
        t, x = mpmath.mpf(10) ** -15, exact(q)
        for u in [*rng.normal(size=(3, model.nv)), np.eye(model.nv)[0] + np.eye(model.nv)[4]]:
            f = [energy(model, model.integrate(x, s * t * exact(u))) for s in (-1, 0, 1)]
            expected = float((f[0] - 2 * f[1] + f[2]) / t**2)
            assert u @ H @ u == pytest.approx(expected, rel=1e-12)


def test_the_hessian_is_the_symmetric_part_of_derivatives_in_turn():
    """Their other part is half the derivative along the bracket."""
    model = TREES[5]
    q, f = state(model)[0], algorithms.potential_energy
    g = kt.jacobian(f)(model, q)
    twice = kt.jacobian(kt.jacobian(f))(model, q)  # [j, i]: along i, of the derivative along j
    H = kt.hessian(f)(model, q)
    assert_near(H, (twice + twice.T) / 2)
    e = np.eye(model.nv)
    bracket = np.array([[g @ model.bracket(e[i], e[k]) for i in range(model.nv)] for k in range(model.nv)])
    assert_near(twice - twice.T, bracket)
    assert np.abs(bracket).max() > 1e-3


def test_the_hessian_of_several_arguments_and_of_arrays():
    model = random_tree(4, 2).build("free")
    q, v, _ = state(model)
    n = model.nv
    H = kt.hessian(algorithms.kinetic_energy, wrt=("q", "v"))(model, q, v)
    np.testing.assert_array_equal(H, H.T)
    assert_near(H[n:, n:], algorithms.mass_matrix(model, q))
    assert_near(H[n:, :n], kt.jacobian(lambda model, q, v: algorithms.mass_matrix(model, q) @ v)(model, q, v))
    assert_near(H[:n, :n], kt.hessian(algorithms.kinetic_energy)(model, q, v))
    each = kt.hessian(algorithms.bias, wrt="v")(model, q, v)
    assert each.shape == (n, n, n)
    assert_near(each @ v @ v, 2 * (algorithms.bias(model, q, v) - algorithms.gravity(model, q)))


def height(model: Model, q: Any, gain: Any, *, frame: str = "tip") -> Any:
    return gain * algorithms.pose(model, q, frame=frame)[2, 3]


MADE = {
    "jacobian": kt.jacobian(algorithms.inverse_dynamics, wrt=("q", "v")),
    "sparse": kt.jacobian(algorithms.inverse_dynamics, wrt="v", sparse=True),
    "hessian": kt.hessian(algorithms.kinetic_energy, wrt=("q", "v")),
    "jvp": kt.jvp(algorithms.inverse_dynamics, wrt=("q", "a")),
    "vjp": kt.vjp(algorithms.inverse_dynamics, wrt=("q", "gravity")),
    "gradient along a direction": kt.jacobian(kt.jvp(algorithms.potential_energy)),
    "direction twice": kt.jvp(kt.jvp(algorithms.potential_energy)),
}


def inputs_of(made: Any, model: Model) -> list[Any]:
    signature = kt.compile(made, model, backend="numpy").program
    rng = np.random.default_rng(8)
    return [model.random(rng) if a.name == "q" else rng.normal(size=a.shape) for a in signature.inputs]


@pytest.mark.parametrize("name", MADE)
def test_compiled_is_float_is_complex(name):
    made, model = MADE[name], random_tree(3, 4).build("free")
    inputs = inputs_of(made, model)
    expected = made(model, *inputs)
    compiled = kt.Robot(model).kernel(made)(*inputs)
    on_complex = made(model, *(x.astype(complex) for x in inputs))
    pairs = zip(*(x if isinstance(x, tuple) else (x,) for x in (expected, compiled, on_complex)), strict=True)
    for one, two, three in pairs:
        assert_near(two, one)
        assert np.iscomplexobj(three) and not three.imag.any()
        assert_near(three.real, one)


@pytest.mark.parametrize("name", ["vjp", "direction twice"])
def test_jax(jax, name):
    made = MADE[name]
    inputs = inputs_of(made, SHORT)
    expected, result = made(SHORT, *inputs), jax.jit(lambda *xs: made(SHORT, *xs))(*inputs)
    eager = made(SHORT, *map(jax.numpy.asarray, inputs)) if name == "direction twice" else result
    for x, y, z in zip(*(x if isinstance(x, tuple) else (x,) for x in (expected, result, eager)), strict=True):
        assert isinstance(y, jax.Array) and isinstance(z, jax.Array)
        assert_near(y, x)
        assert_near(z, x)


def test_mpmath_and_a_model_of_complex_numbers():
    q, v, a = state(SHORT)
    made = MADE["jacobian"]
    with mpmath.workdps(30):
        exact = [np.vectorize(mpmath.mpf, otypes=[object])(x) for x in (q, v, a)]
        for x, y in zip(made(SHORT, *exact), made(SHORT, q, v, a), strict=True):
            assert_near(x.astype(float), y)
    pi = kt.model.parameters.get(SHORT, "inertial")
    moved = SHORT.with_parameters(inertial=pi + 1j * STEP * np.ones(pi.shape))
    mixed = kt.jvp(made, wrt="inertial")(SHORT, q, v, a, np.ones(pi.shape))
    for x, y in zip(made(moved, q, v, a), mixed, strict=True):
        assert_near(x.imag / STEP, y)


def test_inside_a_trace_what_comes_in_twice_is_told_apart():
    """The derivative by v at v = q is not the derivative by both, though both are one traced value; nor if enclosed."""
    f = kt.jacobian(algorithms.bias, wrt="v")

    def same(model, q):
        return f(model, q, q) @ q

    def enclosed(model, q):
        return kt.jacobian(lambda model, v: algorithms.bias(model, q, v), wrt="v")(model, q) @ q

    def scaled(model, q):
        return kt.jvp(algorithms.bias, wrt="v")(model, q, 2.0 * q, np.ones(2))

    q = np.array([0.3, -0.8])
    for function in (same, enclosed, scaled):
        assert_near(kt.compile(function, ARM)(q), function(ARM.model, q))
    assert_near(same(ARM.model, q), enclosed(ARM.model, q))
    assert_near(kt.jacobian(same)(ARM.model, q), along_q(same, ARM.model, q))
    assert_near(kt.jacobian(enclosed)(ARM.model, q), along_q(same, ARM.model, q))
    assert_near(kt.jacobian(scaled)(ARM.model, q), along_q(scaled, ARM.model, q))


def test_a_kernel_whose_robot_has_inputs():
    """Derivatives by a parameter that is itself an argument of the kernel."""
    made = kt.jacobian(algorithms.gravity, wrt=("gravity", "q"))
    kernel = kt.compile(made, ARM, inputs=("gravity",), backend="numpy")
    q, g = np.array([0.3, -0.8]), np.array([1.0, 2.0, 3.0])
    for x, y in zip(kernel(q, g), made(ARM.model.with_parameters(gravity=g), q), strict=True):
        assert_near(x, y)


def test_the_jacobian_of_a_tree_has_the_pattern_of_its_ancestors():
    model = random_tree(12, 6).build()
    for body in model.bodies:
        moves = kt.sparsity(algorithms.pose, model, frame=body.name).any(axis=(0, 1))
        expected = np.zeros(model.nv, dtype=bool)
        for above in (model.bodies[i] for i in model.ancestors(body.index)):
            moving = model.bodies[above.mimic.source] if above.mimic else above
            expected[model.joint_slices(moving.joint_name)[1]] = True
        np.testing.assert_array_equal(moves, expected)
    dog = kt.load("quadruped", base="free").model
    M, legs = algorithms.mass_matrix(dog, state(dog)[0]), np.s_[6:, 6:]
    np.testing.assert_array_equal(kt.sparsity(algorithms.inverse_dynamics, dog, wrt="a")[legs], M[legs] != 0)
    assert np.count_nonzero(M[legs]) == 4 * 3 * 3


def test_equal_parts_make_equal_functions():
    first, second = (kt.jacobian(algorithms.gravity, wrt=["q"]) for _ in range(2))
    assert first == second and hash(first) == hash(second)
    assert first != kt.jacobian(algorithms.gravity) != kt.jacobian(algorithms.gravity, mode="forward")
    robot = kt.load("planar2r", backend="numpy")
    assert robot.kernel(first) is robot.kernel(second)
    assert pickle.loads(pickle.dumps(first)) == first
    assert first.__name__ == "jacobian_of_gravity"
    assert kt.hessian(kt.jvp(lambda model, q: q)).__name__ == "hessian_of_jvp_of_function"


def test_further_arguments_have_names_and_shapes():
    twice = kt.vjp(kt.jvp(kt.jvp(height, wrt=("q", "gain")), wrt="q"))
    assert str(kt.compile(twice, ARM, shapes={"gain": ()}, backend="numpy").program.signature).startswith(
        "(2),(),(2),()"
    )
    assert [*twice.__signature__.parameters] == ["model", "q", "gain", "dq", "dgain", "ddq", "weight", "frame"]
    shapes = kt.vjp(algorithms.pose).argument_shapes(ARM.model, {"q": (2,)}, frame="tip")
    assert shapes == {"weight": (4, 4)}
    assert kt.vjp(algorithms.pose).argument_shapes(ARM.model, {"q": (2,)}) == {}
    assert kt.compile(kt.vjp(algorithms.pose), ARM, frame="tip", backend="numpy")

    def pair(model, q):
        return q, algorithms.mass_matrix(model, q)

    kernel = kt.compile(kt.vjp(pair), ARM, backend="numpy")
    assert kernel.program.signature == "(2),(2),(2,2)->(2)"
    q, M = np.array([0.3, -0.8]), np.ones((2, 2))
    assert_near(kernel(q, q, M), kt.vjp(pair)(ARM.model, q, {"out0": q, "out1": M}))


def test_a_function_without_outputs_or_directions():
    assert kt.jacobian(lambda model, q: q[:0])(ARM.model, np.zeros(2)).shape == (0, 2)
    assert kt.hessian(lambda model, q: 1.0)(ARM.model, np.zeros(2)).tolist() == [[0, 0], [0, 0]]
    stone = kt.Builder("stone")
    stone.link("stone")
    for mode in ("forward", "reverse"):
        assert kt.jacobian(lambda model, q: np.ones(3), mode=mode)(stone.build(), np.zeros(0)).shape == (3, 0)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (
            lambda: kt.jacobian(algorithms.gravity, wrt="w"),
            "unknown argument or parameter of gravity 'w'.*gravity, iner.*q",
        ),
        (lambda: kt.hessian(algorithms.gravity, wrt=("q", "q")), "each once"),
        (lambda: kt.jacobian(algorithms.gravity, mode="sideways"), "unknown mode 'sideways'.*forward, reverse"),
        (lambda: kt.jacobian(algorithms.gravity)(ARM, np.zeros(2)), "expected a Model.*robot.model"),
        (
            lambda: kt.jvp(algorithms.gravity)(ARM.model, np.zeros(2), np.zeros(3)),
            r"dq must have shape \(2,\), got \(3,\)",
        ),
        (lambda: kt.vjp(algorithms.gravity)(ARM.model, np.zeros(2), 1.0), r"weight must have shape \(2,\), got \(\)"),
        (lambda: kt.jacobian(lambda model, q: "up")(ARM.model, np.zeros(2)), "must return an array of numbers.*str"),
        (lambda: kt.sparsity(height, ARM), "shape of argument 'gain' of height is not known"),
        (lambda: kt.sparsity(algorithms.gravity, "planar2r"), "expected a Robot or a Model, got 'planar2r'"),
        (lambda: kt.sparsity(algorithms.gravity, ARM, shapes={"w": 2}), "unknown argument 'w'.*q"),
        (lambda: kt.jacobian(3), "expected a function of .*, got 3"),
        (lambda: kt.jacobian(algorithms.gravity, wrt=0), "wrt must be a name or a tuple of names, got 0"),
        (lambda: kt.jacobian(lambda model, **others: others["x"], wrt="others"), "unknown argument or parameter"),
        (
            lambda: kt.jacobian(algorithms.gravity)(ARM.model, np.zeros((3, 2))),
            r"q must have shape \(2,\), got \(3, 2\).*for batches use",
        ),
        (
            lambda: kt.jacobian(algorithms.pose, wrt="frame")(ARM.model, np.zeros(2), frame="tip"),
            "differentiate by 'frame', it must be an array of numbers",
        ),
        (
            lambda: kt.vjp(lambda model, q: (q, q))(ARM.model, np.zeros(2), 1.0),
            "weight must be one array for each of 2",
        ),
        (
            lambda: kt.jacobian(algorithms.inverse_dynamics, wrt="base_velocity")(ARM.model, *np.zeros((3, 2))),
            "inverse_dynamics is differentiated by 'base_velocity', which was not given",
        ),
    ],
)
def test_errors_say_what_is_wrong(ask, message):
    with pytest.raises(kt.InputError, match=message):
        ask()
