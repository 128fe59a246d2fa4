"""Compact kernels: the same numbers as without, each once, and a layout that says where they stand."""

import functools
import pickle

import numpy as np
import pytest
import scipy.sparse

import kinetrace as kt
from kinetrace.arrays import scan, sin
from kinetrace.engine.compilation.program import program
from kinetrace.errors import InputError
from kinetrace.model import random_tree

BATCH = 401
FUNCTIONS = {
    "mass_matrix": ("q", {}),
    "pose": ("q", {"frame": None}),
    "coriolis_matrix": ("qv", {}),
    "inverse_dynamics_derivatives": ("qva", {}),
    "forward_dynamics_derivatives": ("qva", {}),
    "mass_matrix_derivative": ("q", {}),
}
SETTINGS = {
    "compiled": {},
    "float32": {"dtype": "float32"},
    "interpreted": {"backend": "numpy"},
}
CASES = [
    *(
        pytest.param(seed, name, "compiled", marks=pytest.mark.part(k + part, 2))
        for part, seed in enumerate("14")
        for k, name in enumerate(FUNCTIONS)
    ),
    *(("1", name, settings) for name in ("pose", "inverse_dynamics_derivatives") for settings in [*SETTINGS][1:]),
]


@functools.cache
def tree(seed, settings="compiled"):
    return kt.Robot(random_tree(4, int(seed)).build("free" if int(seed) % 2 else "fixed"), **SETTINGS[settings])


def states(robot, takes):
    rng = np.random.default_rng(3)
    v, a = rng.normal(size=(2, BATCH, robot.nv))
    named = {"q": robot.random(BATCH, seed=2), "v": v, "a": a}
    return [named[x].astype(robot.kernel("mass_matrix").dtype) for x in takes]


def several(x):
    return x if isinstance(x, tuple) else (x,)


def assert_same(kernel, given, wanted):
    """To the bit, but for the sign of a zero, and in the same precision."""
    found, wanted = several(kernel.dense(*several(given))), several(wanted)
    assert len(found) == len(wanted) == len(kernel.layouts)
    for x, y, z, layout in zip(found, wanted, several(given), kernel.layouts, strict=True):
        np.testing.assert_array_equal(x, y)
        assert x.dtype == y.dtype == kernel.dtype and x.shape == y.shape
        if layout.is_compact:
            np.testing.assert_array_equal(z, y[..., *layout.entries])
            np.testing.assert_array_equal(layout.values(z), y[..., *layout.nonzeros])


@pytest.mark.parametrize(("seed", "name", "settings"), CASES, ids=lambda x: x)
def test_dense_arrays_of_compact_ones_are_those_of_the_dense_kernel(seed, name, settings):
    robot, (takes, static) = tree(seed, settings), FUNCTIONS[name]
    static = {key: robot.frame_names[-1] for key in static}
    dense, compact = (robot.kernel(name, compact=flag, **static) for flag in (False, True))
    xs = states(robot, takes)
    assert_same(compact, compact(*xs), dense(*xs))
    one = [x[0].copy() for x in xs]
    assert_same(compact, compact(*one), dense(*one))
    assert_same(dense, dense(*one), dense(*one))
    assert_same(compact, compact(*xs, threads=2), dense(*xs))
    out = tuple(np.empty((BATCH, layout.size, 2), compact.dtype)[..., 0] for layout in compact.layouts)
    out = out if len(out) > 1 else out[0]
    assert compact(*xs, out=out) is out
    assert_same(compact, out, dense(*xs))
    assert compact.count() == dense.count() and dense is robot.kernel(name, **static) is not compact
    assert all(len(set(row)) == len(row) for row in compact.program.results)


def test_what_is_kept_is_a_triangle_without_zeros_between_branches():
    """M of a tree: as many numbers as there are pairs on a way to the base, at most."""
    robot = kt.load("humanoid", base="free")
    layout = robot.kernel("mass_matrix", compact=True).layouts[0]
    pattern = np.zeros(layout.shape, bool)
    pattern[layout.nonzeros] = True
    np.testing.assert_array_equal(layout.source, layout.source.T)
    assert layout.size <= np.triu(pattern).sum() < 0.3 * pattern.size
    M = robot.mass_matrix(robot.random(20, seed=0))
    assert not M[:, ~pattern].any() and (M[:, pattern] != 0).any(axis=0).all()


def test_sparse_matrices_of_scipy():
    robot = tree("1")
    kernel = robot.kernel("inverse_dynamics_derivatives", compact=True)
    state = [x[0] for x in states(robot, "qva")]
    wanted = robot.inverse_dynamics_derivatives(*state)
    for layout, x, dense in zip(kernel.layouts, kernel(*state), wanted, strict=True):
        parts = layout.values(x), layout.nonzeros[1], layout.indptr
        csr, coo = scipy.sparse.csr_array(parts, layout.shape), (layout.values(x), layout.nonzeros)
        np.testing.assert_array_equal(csr.toarray(), dense)
        np.testing.assert_array_equal(scipy.sparse.coo_array(coo, layout.shape).toarray(), dense)
        assert csr.has_canonical_format


def everything(model, q, x, ys):
    """Scalars, series, rows, arrays of no, one and three axes, all kinds of constants; entries that repeat."""
    last, along = scan(lambda carry, y: (carry + y * q[0], np.stack([carry, y])), x, ys)
    s = sin(q)[0]
    cube = np.array([[[s, 0.0], [-s, s * s]], [[s * s, -2.5], [np.nan, s]]], dtype=object)
    known = np.array([[1.0, 0.0], [-3.0, 1e300]])
    return s, 4.0, along, last, cube, known, q


@pytest.mark.parametrize("settings", SETTINGS)
def test_every_kind_of_output(settings):
    shapes = {"x": 2, "ys": ("t", 2)}
    given = [np.linspace(-1.0, 1.0, n).reshape(shape) for n, shape in ((6, (3, 2)), (2, 2), (10, (5, 2)))]
    dense, compact = (
        kt.compile(everything, kt.load("planar2r"), shapes=shapes, compact=flag, **SETTINGS[settings])
        for flag in (False, True)
    )
    assert [a.shape for a in compact.program.outputs] == [(), (), ("t", 2, 2), (2,), (3,), (1,), (2,)]
    assert compact.compiled == (settings != "interpreted")
    assert_same(compact, compact(*given), dense(*given))
    assert_same(compact, compact(given[0][0], *given[1:]), dense(given[0][0], *given[1:]))
    again = pickle.loads(pickle.dumps(compact))
    assert_same(again, again(*given), dense(*given))
    cube = compact.layouts[4]
    assert cube.source.tolist() == [[[0, -1], [1, 2]], [[2, -1], [-1, 0]]]
    assert str(cube.constants.tolist()) == "[[[0.0, 0.0], [0.0, 0.0]], [[0.0, -2.5], [nan, 0.0]]]"
    assert [x.tolist() for x in cube.entries] == [[0, 0, 0], [0, 1, 1], [0, 0, 1]]


def test_a_kernel_without_a_name_and_an_array_without_entries():
    def local(model, q):
        return np.zeros((0, 3)), np.stack([q, -q, q])

    q = np.linspace(0.0, 1.0, 6).reshape(3, 2)
    dense, compact = (kt.compile(local, kt.load("planar2r"), compact=flag) for flag in (False, True))
    for kernel in (compact, pickle.loads(pickle.dumps(compact))):
        assert [layout.output_shape for layout in kernel.layouts] == [(0,), (4,)]
        assert_same(kernel, kernel(q), dense(q))


def test_parameters_as_inputs():
    robot = kt.load("ur5e")
    bodies = np.linspace(0.5, 1.5, BATCH)[:, None, None] * robot.parameters("inertial")
    dense, compact = (robot.kernel("mass_matrix", inputs="inertial", compact=flag) for flag in (False, True))
    assert_same(compact, compact(robot.random(BATCH, seed=1), bodies), dense(robot.random(BATCH, seed=1), bodies))


def test_layouts_are_kept_with_what_tracing_found(tmp_path, monkeypatch):
    monkeypatch.setenv("KINETRACE_CACHE", str(tmp_path))
    seen, trace = [], program.__globals__["trace"]
    monkeypatch.setitem(program.__globals__, "trace", lambda *a, **k: seen.append(k["compact"]) or trace(*a, **k))
    q, kernels = np.linspace(0.0, 1.0, 6).reshape(3, 2), []
    for flag in (True, False, True):
        kernels.append(kt.load("planar2r").kernel("pose", frame="tip", compact=flag))
        kernels[-1](q)
    first, dense, again = kernels
    assert_same(again, again(q), dense(q))
    assert seen == [True, False] and again.layouts == first.layouts != dense.layouts
    sent = pickle.dumps(again)
    assert len(sent) < 20_000
    arrived = pickle.loads(sent)
    assert_same(arrived, arrived(q), dense(q))
    assert seen == [True, False]
    assert pickle.loads(pickle.dumps(again.program)).layouts == first.layouts
    assert again.program.nodes == first.program.nodes


def test_what_is_wrong_is_said():
    robot = kt.load("planar2r")
    for make in (lambda x: robot.kernel("gravity", compact=x), lambda x: kt.compile(everything, robot, compact=x)):
        for wrong in (1, None, "yes", ["q"]):
            with pytest.raises(InputError, match="compact must be True or False"):
                make(wrong)
    kernel = robot.kernel("mass_matrix", compact=True)
    with pytest.raises(InputError, match=r"must have shape \(\.\.\., 2\), got \(3,\)"):
        kernel.dense(np.zeros(3))
    with pytest.raises(InputError, match="mass_matrix has 1 output, got 2"):
        kernel.dense(np.zeros(2), np.zeros(2))
    with pytest.raises(InputError, match="real numbers, got dtype complex128"):
        kernel.dense(np.zeros(2, complex))
    with pytest.raises(InputError, match="only a matrix"):
        _ = robot.kernel("gravity", compact=True).layouts[0].indptr
    with pytest.raises(ValueError, match="read-only"):
        kernel.layouts[0].source[:] = 0
    assert kernel.dense([1, 2]).tolist() == [[1.0, 2.0], [2.0, kernel.layouts[0].constants[1, 1]]]


def test_the_old_name_of_the_layout_warns_and_is_not_listed():
    with pytest.warns(DeprecationWarning, match=r"kt\.Layout is now called kt\.CompactLayout"):
        assert kt.Layout is kt.CompactLayout
    assert "Layout" not in dir(kt)
