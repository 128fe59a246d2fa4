"""Kernels under JAX: the numbers of the gufunc, derivatives of any order, batches in one call, several devices."""

import ctypes
import os
import pickle
import subprocess
import sys
import threading
from types import SimpleNamespace

import mpmath
import numpy as np
import pytest

import kinetrace as kt
from kinetrace.engine.runtime import compiler
from kinetrace.engine.targets.llvm import xla_team as api
from kinetrace.engine.targets.llvm.xla import POOL_FROM
from kinetrace.frameworks.differentiable import DerivativeFamily
from kinetrace.model.manifold import normalise
from kinetrace.support.threads import cores

rng = np.random.default_rng(0)


@pytest.fixture(scope="module", autouse=True)
def jax():
    """JAX with doubles, and less time for optimising what is around the calls."""
    jax = pytest.importorskip("jax", minversion="0.5.3")
    before = {name: jax.config.read(name) for name in ("jax_enable_x64", "jax_disable_most_optimizations")}
    for name in before:
        jax.config.update(name, True)
    yield jax
    for name, value in before.items():
        jax.config.update(name, value)


@pytest.fixture(scope="module")
def targets(jax):
    from kinetrace.frameworks.jax import primitive as targets

    return targets


@pytest.fixture(scope="module")
def calls(jax):
    """A function that says how often a jitted function calls a kernel."""
    return lambda f, *xs: jax.jit(f).lower(*xs).as_text().count("custom_call @kinetrace")


@pytest.fixture(scope="module")
def assert_derivatives(jax):
    """A function that compares derivatives of first and second order, in all modes, with differences of 50 digits.

    Or of first order in one mode, where others do not exist. They are those along one random direction u; t = 1e-15
    leaves an error of 1e-30.
    """
    exact = np.vectorize(mpmath.mpf, otypes=[object])

    def compare(f, xs, in_digits, first_by=None):
        us = [rng.normal(size=np.shape(x)) for x in xs]
        with mpmath.workdps(50):
            t = mpmath.mpf(10) ** -15
            moved = [[exact(x) + k * t * exact(u) for x, u in zip(xs, us, strict=True)] for k in (-1, 0, 1)]
            before, here, after = (np.asarray(in_digits(*x)) for x in moved)
            first, second = (after - before) / (2 * t), (after - 2 * here + before) / t**2
            first, second = first.astype(float), second.astype(float)
        xs, us = tuple(map(jax.numpy.asarray, xs)), tuple(us)
        weight = rng.normal(size=first.shape)

        def pushed(*x):
            return jax.jvp(f, x, us)[1]

        def pulled(*x):
            return sum((g * u).sum() for g, u in zip(jax.vjp(f, *x)[1](weight), us, strict=True))

        def along(g, *x):
            return sum((y * u).sum() for y, u in zip(g(*x), us, strict=True))

        def near(x, wanted):
            np.testing.assert_allclose(x, wanted, rtol=1e-10, atol=1e-10 * np.abs(wanted).max())

        if first_by != "pullback":
            near(jax.jit(pushed)(*xs), first)
        if first_by != "pushforward":
            near(jax.jit(pulled)(*xs), (weight * first).sum())
        if first_by is None:
            twice = (weight * second).sum()
            near(jax.jvp(pushed, xs, us)[1], second)
            near(jax.jvp(pulled, xs, us)[1], twice)
            near(along(lambda *x: jax.vjp(pushed, *x)[1](weight), *xs), twice)
            near(along(jax.grad(pulled, tuple(range(len(xs)))), *xs), twice)

    return compare


@pytest.fixture(scope="module")
def robot():
    return kt.load("planar2r")


@pytest.fixture(scope="module")
def arm(robot):
    return kt.jax.Robot(robot)


@pytest.fixture(scope="module")
def panda():
    return kt.load("panda")


@pytest.fixture(scope="module")
def tree():
    made = kt.random_tree(1, seed=1, base="free")
    assert made.nq == made.nv + 2  # a ball joint too
    return made


def test_numbers_are_those_of_the_gufunc_to_the_bit(jax, panda):
    f, states = kt.jax.Robot(panda).inverse_dynamics, rng.normal(size=(3, 40, 7))
    wanted, (q, v, a) = panda.inverse_dynamics(*states), states
    np.testing.assert_array_equal(f(q, v, a), wanted)
    np.testing.assert_array_equal(jax.jit(f)(q, v, a), wanted)
    np.testing.assert_array_equal(jax.vmap(f, in_axes=(1, 0, 0), out_axes=1)(q.T, v, a), wanted.T)
    np.testing.assert_array_equal(f(q[0], v[0], a[0]), panda.inverse_dynamics(q[0], v[0], a[0]))
    np.testing.assert_array_equal(f(q[:, None], v[:3], a[0]), panda.inverse_dynamics(q[:, None], v[:3], a[0]))
    np.testing.assert_array_equal(f(np.asfortranarray(q), v[::-1], a), panda.inverse_dynamics(q, v[::-1], a))
    assert f(q[:0], v[:0], a[0]).shape == (0, 7)
    single = [x.astype(np.float32) for x in states]
    in_single = kt.load("panda", dtype="float32").inverse_dynamics(*single)
    np.testing.assert_array_equal(jax.jit(f)(*single), in_single)
    with jax.disable_jit():
        np.testing.assert_array_equal(f(q, v, a), wanted)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(kt.jax.Robot(panda))).inverse_dynamics(q, v, a), wanted)
    donated = jax.jit(lambda q: f(q, v, a), donate_argnums=0)(jax.numpy.asarray(q))
    np.testing.assert_array_equal(donated, wanted)


def test_one_call_for_a_batch_however_it_is_made(jax, calls, robot, arm):
    q, v = rng.normal(size=(2, 6, 2))
    nested = jax.vmap(jax.vmap(arm.inverse_dynamics, (0, None, None)), (None, 0, None))
    np.testing.assert_array_equal(nested(q, v, v[0]), robot.inverse_dynamics(q, v[:, None], v[0]))
    assert calls(nested, q, v, v[0]) == 1
    gradient = jax.vmap(jax.grad(lambda q, v: arm.inverse_dynamics(q, v, v).sum()))
    assert calls(gradient, q, v) == 1  # the value itself is not needed
    assert calls(jax.jacfwd(lambda q: arm.inverse_dynamics(q, v[0], v[0])), q[0]) == 1
    assert "broadcast" not in jax.jit(arm.inverse_dynamics).lower(q, v, v[0]).as_text()  # one state for all

    def step(x, u):
        return x - 0.01 * arm.gravity(x), None

    looped = jax.jit(lambda q: jax.lax.scan(step, q, None, length=5)[0])(q)
    for _ in range(5):
        q = q - 0.01 * robot.gravity(q)
    np.testing.assert_allclose(looped, q, rtol=1e-13)


def test_arrays_decide_about_the_precision(jax, robot, arm):
    q = np.array([0.25, 0.5])
    for kind, found in {"float16": "float32", "bfloat16": "float32", "float32": "float32"}.items():
        assert arm.gravity(jax.numpy.asarray(q, kind)).dtype == found
    assert arm.gravity(jax.numpy.array([0, 1], "int32")).dtype == arm.gravity([0.25, 0.5]).dtype == "float64"
    assert arm.inverse_dynamics(q, q.astype(np.float32), q).dtype == "float64"
    np.testing.assert_array_equal(arm.inverse_dynamics(q, q.astype(">f4"), q), robot.inverse_dynamics(q, q, q))
    np.testing.assert_array_equal(arm.gravity([np.array(x, ">f8") for x in q]), arm.gravity(q))
    np.testing.assert_allclose(arm.gravity([0.25, 0.5]), robot.gravity(q), rtol=1e-14)


def test_derivatives_of_a_tree_with_quaternions_to_second_order(jax, assert_derivatives, tree):
    moving, model = kt.jax.Robot(tree), tree.model
    q, (v, a) = 1.3 * tree.random(seed=2), rng.normal(size=(2, tree.nv))
    np.testing.assert_allclose(moving.inverse_dynamics(q / 1.3, v, a), tree.inverse_dynamics(q / 1.3, v, a), atol=1e-11)
    assert_derivatives(
        moving.inverse_dynamics,
        (q, v, a),
        lambda q, v, a: kt.algorithms.inverse_dynamics(model, normalise(model, q), v, a),
    )
    # Along the rate of q, the derivative is that on the manifold.
    unit = q / 1.3
    rate = jax.jvp(lambda t: moving.integrate(unit, t * v), (0.0,), (1.0,))[1]
    slope = jax.jvp(lambda q: moving.inverse_dynamics(q, v, a), (unit,), (rate,))[1]
    np.testing.assert_allclose(slope, tree.inverse_dynamics_derivatives(unit, v, a)[0] @ v, rtol=1e-9, atol=1e-9)


def test_derivatives_of_several_results_wrenches_and_parameters(jax, assert_derivatives, robot, arm):
    q, v, a = rng.normal(size=(3, 2))
    batch, model = rng.normal(size=(4, 2)), robot.model
    assert_derivatives(
        lambda *x: jax.numpy.concatenate(arm.inverse_dynamics_derivatives(*x)),
        (q, v, a),
        lambda *x: np.concatenate(kt.algorithms.inverse_dynamics_derivatives(model, *x)),
    )
    assert_derivatives(
        jax.vmap(lambda q: arm.mass_matrix(q)),
        (batch,),
        lambda batch: np.stack([kt.algorithms.mass_matrix(model, q) for q in batch]),
    )
    inertial, wrench = robot.parameters("inertial"), rng.normal(size=6)

    def forces(inertial, wrench, q):
        return arm.inverse_dynamics(q, v, a, wrench={"tip": wrench}, inertial=inertial)

    heavy = robot.with_parameters(inertial=1.1 * inertial).inverse_dynamics(q, v, a, wrench={"tip": wrench})
    np.testing.assert_allclose(forces(1.1 * inertial, wrench, q), heavy, rtol=1e-12)
    assert_derivatives(
        forces,
        (inertial, wrench, q),
        lambda inertial, wrench, q: kt.algorithms.inverse_dynamics(
            model.with_parameters(inertial=inertial), q, v, a, wrench={"tip": wrench}
        ),
    )
    # A parameter that is one for all states: its gradient is the sum over them.
    total = jax.jit(jax.grad(lambda x: forces(x, wrench, batch).sum()))(inertial)
    each = jax.vmap(jax.grad(lambda x, q: forces(x, wrench, q).sum()), (None, 0))(inertial, batch)
    np.testing.assert_allclose(total, each.sum(0), rtol=1e-12)


def test_a_batch_of_tangents_that_are_not_differentiated_stays(jax, arm):
    """Only they have it: tangents of what is linear in them, and in others without a batch, have it too."""
    x, basis = np.ones(2), np.eye(2)

    def pushed(dv):
        return jax.vmap(lambda dq: jax.jvp(arm.inverse_dynamics, (x, x, x), (dq, dv, 0 * x))[1])(basis)

    def pulled(weight):
        pull = jax.vjp(arm.inverse_dynamics_derivatives, x, x, x)[1]
        return jax.vmap(lambda other: pull((other, weight, weight))[0])(np.ones((3, 2, 2)))

    for f, at in ((pushed, x), (pulled, basis)):
        apart = np.stack([f(at + e) - f(at) for e in np.eye(at.size).reshape(-1, *at.shape)], -1)  # it is linear
        for derive in (jax.jacfwd, jax.jacrev):
            found = derive(f)(at)
            np.testing.assert_allclose(found, apart.reshape(found.shape), rtol=1e-10, atol=1e-12)


def test_lists_of_traced_values_are_not_checked(jax):
    robot = kt.load("planar2r")
    arm, q = kt.jax.Robot(robot.checked()), [0.25, 0.5]
    np.testing.assert_allclose(jax.jit(lambda *q: arm.gravity(list(q)))(*q), robot.gravity(q), rtol=1e-6)
    np.testing.assert_allclose(jax.jit(lambda x: arm.gravity((x, 0.5)))(0.25), robot.gravity(q), rtol=1e-6)
    with pytest.raises(kt.InputError, match=r"q: joint 'joint2' is nan"):
        arm.gravity([0.0, jax.numpy.array(np.nan)])


def test_parameters_without_entries_change_nothing(jax):
    robot = kt.load("planar2r")
    arm, q, none = kt.jax.Robot(robot), np.array([0.25, 0.5]), robot.parameters("closures")
    np.testing.assert_allclose(arm.gravity(q, closures=none), robot.gravity(q), rtol=1e-6)
    rows = np.zeros((3, *none.shape))
    for found in (arm.gravity(q, closures=rows), jax.vmap(lambda x: arm.gravity(q, closures=x))(rows)):
        np.testing.assert_allclose(found, [robot.gravity(q)] * 3, rtol=1e-6)
    given = {"closures": jax.numpy.asarray(none), "gravity": jax.numpy.asarray(robot.parameters("gravity"))}
    slope = jax.grad(lambda x: arm.gravity(q, **x)[0])(given)
    assert slope["closures"].shape == none.shape
    np.testing.assert_allclose(slope["gravity"] @ given["gravity"], robot.gravity(q)[0], rtol=1e-6)  # it is linear
    with pytest.raises(kt.InputError, match=r"closures must have shape \(..., 0, 2, 4, 4\), got \(5,\)"):
        arm.gravity(q, closures=np.ones(5))


def test_third_derivatives_of_gravity_are_those_of_its_cosines(jax, robot, arm):
    # g_0 = a cos(q_0) + b cos(q_0 + q_1), g_1 = b cos(q_0 + q_1)
    total, b = robot.gravity(np.zeros(2))
    q = rng.normal(size=2)
    wanted = np.full((2, 2, 2), b * np.sin(q.sum()))
    wanted[0, 0, 0] += (total - b) * np.sin(q[0])
    third = jax.jit(jax.jacrev(jax.jacfwd(jax.grad(lambda q: arm.gravity(q)[0]))))
    np.testing.assert_allclose(third(q), wanted, rtol=1e-12, atol=1e-12)


def test_series(jax, assert_derivatives, robot):
    def last(model, q, v, tau, dt):
        def step(state, u):
            q, v = state
            return (q + dt * v, v + dt * kt.algorithms.forward_dynamics(model, q, v, u)), None

        return kt.arrays.scan(step, (q, v), tau)[0][0]

    kernel = kt.compile(last, robot, shapes={"tau": ("t", 2)})
    f, tau, dt = kt.jax.function(kernel), rng.normal(size=(300, 600, 2)), 0.01
    q, v = rng.normal(size=(2, 300, 2))
    assert 300 * 600 * kernel.program.work > POOL_FROM
    np.testing.assert_array_equal(jax.jit(f)(q, v, tau, dt), kernel(q, v, tau, dt))
    np.testing.assert_array_equal(f(q, v, tau[0, :3], dt), kernel(q, v, tau[0, :3], dt))
    np.testing.assert_array_equal(f(q, v, tau[:, :0], dt), q)
    short = tau[0, :3]
    assert_derivatives(
        lambda *x: f(*x, dt), (q[0], v[0], short), lambda *x: last(robot.model, *x, dt), first_by="pullback"
    )
    assert_derivatives(
        lambda *x: f(*x, short, dt), (q[0], v[0]), lambda *x: last(robot.model, *x, short, dt), first_by="pushforward"
    )
    with pytest.raises(kt.InputError, match="a series has no directions"):
        jax.jvp(lambda tau: f(q, v, tau, dt), (tau,), (tau,))
    path = kt.compile(kt.algorithms.rollout, robot, shapes={"tau": ("t", 2)})
    for found, wanted in zip(kt.jax.function(path)(q, v, tau, dt), path(q, v, tau, dt), strict=True):
        np.testing.assert_array_equal(found, wanted)
    with pytest.raises(kt.InputError, match="tau must have shape"):
        f(q, v, tau[..., :1], dt)


def test_large_batches_are_shared_and_calls_of_several_threads_too(jax, panda):
    arm, q = kt.jax.Robot(panda), rng.normal(size=(40_000, 7))
    assert len(q) * panda.kernel("coriolis_matrix").program.work > POOL_FROM
    wanted, found = panda.coriolis_matrix(q, q), {}

    def work(k):
        f = jax.jit(lambda q: arm.coriolis_matrix(q, q)) if k % 2 else lambda q: arm.coriolis_matrix(q, q)
        found[k] = [f(q) for _ in range(3)]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for x in threads:
        x.start()
    for x in threads:
        x.join()
    assert all(np.array_equal(x, wanted) for each in found.values() for x in each) and len(found) == 4


@pytest.mark.parametrize("states", [8, 40_000])
def test_no_memory_is_a_status(targets, panda, states):
    f, q = kt.jax.Robot(panda).coriolis_matrix, rng.normal(size=(states, 7))
    f(q, q).block_until_ready()
    code = targets._alive[targets.target(DerivativeFamily.of(panda.kernel("coriolis_matrix")))]
    prepare, host = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(code["prepare"]), targets._host()
    real, asked = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t)(host[0]), []

    @ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t)
    def stingy(size):
        asked.append(size)
        return real(size) if size < 400 else None  # enough for a team, and not for its work

    table = (ctypes.c_uint64 * (len(api.XLA_HOST_FUNCTIONS) + 1))(ctypes.cast(stingy, ctypes.c_void_p).value, *host[1:])
    try:
        prepare(ctypes.addressof(table))
        with pytest.raises(Exception, match="kinetrace: no memory"):
            f(q, q).block_until_ready()
    finally:
        prepare(ctypes.addressof(host))
    assert max(asked) >= 400
    assert (min(asked) < 400) == (states > 8 and cores() > 1)  # whether there was a team
    np.testing.assert_array_equal(f(q, q), panda.coriolis_matrix(q, q))


def test_wrong_use_is_named_before_xla_sees_it(jax, robot, arm):
    q = np.zeros(2)
    wrong = {
        r"gravity: q must have shape \(..., 2\), got \(3,\)": lambda: arm.gravity(np.zeros(3)),
        r"q must have shape \(..., 2\), got \(\)": lambda: jax.jit(arm.gravity)(1.0),
        r"batch axes do not broadcast: q \(2,\), v \(3,\)": lambda: arm.inverse_dynamics(
            np.zeros((2, 2)), np.zeros((3, 2)), q
        ),
        "gravity: q must hold real numbers, got dtype complex128": lambda: arm.gravity(q + 0j),
        "gravity: q must hold real numbers, got dtype key": lambda: arm.gravity(jax.random.key(0)),
        "gravity: q must hold real numbers, got dtype <U1; numbers, not text": lambda: arm.gravity("a"),
        "gravity: q must hold real numbers.*None": lambda: arm.gravity(None),
        "solve_mass: JAX knows no transpose by tau": lambda: jax.linear_transpose(lambda x: arm.solve_mass(q, x), q)(q),
        "a robot is missing": lambda: kt.jax.function("gravity"),
        "compile it without compact": lambda: kt.jax.function("mass_matrix", robot, compact=True),
        r"gravity takes 1 array \(q\), got 2": lambda: kt.jax.function("gravity", robot)(q, q),
        "kernels run on the CPU, and this array is on cuda": lambda: (
            jax.jit(arm.gravity).trace(q).lower(lowering_platforms=("cuda",))
        ),
    }
    for message, call in wrong.items():
        with pytest.raises(kt.InputError, match=message):
            call()
    with pytest.raises(AttributeError, match=r"kt.jax.Robot has no method 'simulate'; .robot.simulate is"):
        arm.simulate(1)


def test_lengths_without_a_number_are_refused(jax, arm):
    export = pytest.importorskip("jax.export")
    q = jax.ShapeDtypeStruct((*export.symbolic_shape("n"), 2), "float64")
    with pytest.raises(kt.InputError, match=r"gravity: q has lengths without a number: \(n, 2\)"):
        export.export(jax.jit(arm.gravity))(q)


def test_handlers_that_are_called_by_their_names_check_what_they_are_given(jax, targets, robot):
    q = np.ones((3, 2))
    name = targets.target(DerivativeFamily.of(robot.kernel("inverse_dynamics")))

    def call(shape, *xs, dtype="float64"):
        return jax.ffi.ffi_call(name, jax.ShapeDtypeStruct(shape, dtype))(*map(jax.numpy.asarray, xs))

    np.testing.assert_array_equal(call((3, 2), q, q[0], q), robot.inverse_dynamics(q, q[0], q))
    wrong = [
        lambda: call((3, 2), q, q),
        lambda: call((3, 2), q, q, q, q),
        lambda: call((3, 2), q, q, 1.0),  # fewer axes
        lambda: call((3, 2), q[:, :1], q, q),
        lambda: call((3, 1), q, q, q),
        lambda: call((2,), q, q, q),  # more states than results
        lambda: call((3, 2), q[:2], q, q),
        lambda: call((6, 2), q.repeat(2, 0).reshape(2, 3, 2), q[0], q[0]),  # as many, and other axes
        lambda: call((3, 2), q.astype(np.float32), q, q),
        lambda: call((3, 2), q, q, q, dtype="float32"),
    ]
    for attempt in wrong:
        with pytest.raises(Exception, match=r"INVALID_ARGUMENT: kinetrace: inverse_dynamics takes arrays of float64"):
            attempt().block_until_ready()


def test_lengths_that_have_one_name_are_compared_by_handlers(jax, targets, robot):
    def f(model, q, x, y):
        return q + kt.arrays.scan(lambda total, z: (total + z[0] * z[1], None), 0.0 * q, (x, y))[0]

    kernel = kt.compile(f, robot, shapes={"x": ("t", 2), "y": ("t", 2)})
    name, out = targets.target(DerivativeFamily.of(kernel)), jax.ShapeDtypeStruct((2,), "float64")
    q, x = np.ones(2), np.ones((4, 2))
    np.testing.assert_array_equal(jax.ffi.ffi_call(name, out)(q, x, x), 5 * q)
    with pytest.raises(Exception, match="INVALID_ARGUMENT"):
        jax.ffi.ffi_call(name, out)(q, x, x[:3]).block_until_ready()


def test_a_pool_without_threads(targets, panda):
    """XLA's frame, made by hand."""
    q, result = rng.normal(size=(40_000, 7)), np.empty((40_000, 7, 7))
    code, kept = compiler.get().xla(panda.kernel("coriolis_matrix").program, "double"), []
    prepare, host = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(code["prepare"]), targets._host()
    prepare(ctypes.addressof(host))

    def words(fields, size):
        kept.append((ctypes.c_uint64 * size)())
        for offset, value in fields.items():
            kept[-1][offset // 8] = value
        return ctypes.addressof(kept[-1])

    def buffer(x):
        dims = words({8 * d: n for d, n in enumerate(x.shape)}, x.ndim)
        return words({api.TYPE: 12, api.DATA: x.ctypes.data, api.RANK: x.ndim, api.DIMS: dims}, 6)

    @ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(ctypes.POINTER(ctypes.c_int64)))
    def threads(about):
        about[3][0] = 0
        asked.append(1)

    asked, functions = [], words({api.THREADS: ctypes.cast(threads, ctypes.c_void_p).value}, 32)
    given, made = words({0: buffer(q), 8: buffer(q)}, 2), words({0: buffer(result)}, 1)
    fields = {api.ARG_COUNT: 2, api.ARGS: given, api.RET_COUNT: 1, api.RETS: made, api.API: functions}
    assert ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(code["xla"])(words(fields, 24)) is None
    assert asked
    np.testing.assert_array_equal(result, panda.coriolis_matrix(q, q))


@pytest.mark.parametrize(
    "text, stated",
    [
        ("#define XLA_FFI_API_MAJOR 1\n#define XLA_FFI_API_MINOR 0\n", "version 1.0"),
        ("#define XLA_FFI_API_MINOR 3\n", "no version"),
        (None, "no version"),
    ],
)
def test_other_versions_of_the_interface_are_refused(targets, monkeypatch, tmp_path, text, stated):
    header = tmp_path / "xla" / "ffi" / "api" / "c_api.h"
    header.parent.mkdir(parents=True)
    if text:
        header.write_text(text)
    fake = SimpleNamespace(ffi=SimpleNamespace(include_dir=lambda: tmp_path), __version__="9.0")
    monkeypatch.setattr(targets, "jax", fake)
    with pytest.raises(kt.InputError, match=f"version 0.x of XLA's.* of JAX 9.0 has {stated}"):
        targets._version()


ELSEWHERE = """
import numpy as np, jax, kinetrace as kt
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
jax.config.update("jax_enable_x64", True)
jax.config.update("jax_compilation_cache_dir", {cache!r})
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
hits = []
jax.monitoring.register_event_listener(lambda name, **_: hits.append(name.endswith("cache_hits")))
robot = kt.load("planar2r")
arm, (q, v) = kt.jax.Robot(robot), np.random.default_rng(0).normal(size=(2, 8, 2))
plain = jax.jit(arm.inverse_dynamics)
np.testing.assert_array_equal(plain(q, v, v[0]), robot.inverse_dynamics(q, v, v[0]))
print(any(hits))

mesh = Mesh(np.array(jax.devices()), ("b",))
cut = NamedSharding(mesh, P("b"))
xs = jax.device_put(q, cut), jax.device_put(v, cut), v[0]
def total(*x):
    return (arm.inverse_dynamics(*x) ** 2).sum()
whole = jax.grad(total, (0, 1, 2))(q, v, v[0])
ways = [jax.jit(jax.grad(total, (0, 1, 2)))]
if hasattr(jax, "shard_map"):
    by_hand = jax.shard_map(arm.inverse_dynamics, mesh=mesh, in_specs=(P("b"), P("b"), P()), out_specs=P("b"))
    ways.append(jax.jit(jax.grad(lambda *x: (by_hand(*x) ** 2).sum(), (0, 1, 2))))
for way in ways:
    for x, y in zip(way(*xs), whole, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-12)
square = np.random.default_rng(0).normal(size=(2, 2, 2))
wanted, by_row, by_column = robot.inverse_dynamics(square, square, square), P("b"), P(None, "b")
places = [NamedSharding(mesh, x) for x in (by_row, by_row, by_column)]
try:  # what XLA says of a cut without a mesh; no public name in later versions
    from jax._src.sharding_impls import GSPMDSharding
    cuts = [places, [GSPMDSharding(tuple(jax.devices()), x._to_xla_hlo_sharding(3)) for x in places]]
except ImportError:
    cuts = [places]
for each in cuts:
    np.testing.assert_array_equal(plain(*(jax.device_put(square, x) for x in each)), wanted)
result = plain(*xs)
np.testing.assert_array_equal(result, robot.inverse_dynamics(q, v, v[0]))
gathered = "all-gather" in plain.lower(*xs).compile().as_text()
print(gathered == (result.sharding.spec != P("b")) == (not jax.config.jax_use_shardy_partitioner))
"""


def test_arrays_on_two_devices_and_executables_from_disk(tmp_path):
    flags = {"XLA_FLAGS": "--xla_force_host_platform_device_count=2"}
    code = ELSEWHERE.format(cache=str(tmp_path / "xla"))
    for hit in (False, True):  # a second process finds what the first has compiled
        found = subprocess.run([sys.executable, "-c", code], env=os.environ | flags, capture_output=True, text=True)
        assert found.returncode == 0, found.stderr
        assert found.stdout.split("\n")[:2] == [str(hit), "True"]
