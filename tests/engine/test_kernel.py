"""Compiled kernels keep NumPy's gufunc protocol, whatever arrays look like and wherever code comes from."""

from __future__ import annotations

import ctypes
import gc
import os
import pickle
import shutil
import subprocess
import sys
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import kinetrace as kt
from kinetrace import arrays
from kinetrace.engine.cache import disk
from kinetrace.engine.plan import plan
from kinetrace.engine.plan.memory import SCALAR_BYTES
from kinetrace.engine.runtime import build, fastcall, native_threads, python_threads
from kinetrace.engine.runtime.gufunc import host_table
from kinetrace.engine.targets.llvm import object_code
from kinetrace.engine.trace import Program, trace


def mixed(x, A, s):
    """Scalar, vector and matrix inputs; vector, scalar and three-axis outputs."""
    y = s * (A @ x)
    cube = A[:, None, :] * arrays.stack([arrays.cos(x), x + s], axis=0)
    return y, arrays.sin(x).sum() / (2.0 + s * s), cube


def reference(x, A, s):
    """The same on whole batches."""
    x, A, s = (np.asarray(z, dtype=float) for z in (x, A, s))
    batch = np.broadcast_shapes(x.shape[:-1], A.shape[:-2], s.shape)
    x, A, s = (np.broadcast_to(z, (*batch, *core)) for z, core in ((x, (3,)), (A, (2, 3)), (s, ())))
    y = s[..., None] * (A @ x[..., None])[..., 0]
    rows = np.stack(np.broadcast_arrays(np.cos(x), x + s[..., None]), axis=-2)
    return y, np.sin(x).sum(-1) / (2 + s * s), A[..., :, None, :] * rows[..., None, :, :]


PROGRAM = trace(mixed, {"x": (3,), "A": (2, 3), "s": ()}, name="mixed")
VECTOR = trace(lambda x: 2.0 * x[::-1] + arrays.sin(x), {"x": (4,)}, name="vector")


@pytest.fixture(scope="module", params=["llvm", "numpy"])
def kernel(request):
    return kt.Kernel(PROGRAM, backend=request.param)


@pytest.fixture(scope="module")
def vector():
    return kt.Kernel(VECTOR)


@pytest.fixture(scope="module")
def arm():
    return kt.load("ur5e")


@pytest.fixture
def rng():
    return np.random.default_rng(11)


def inputs(rng, *batch):
    return rng.normal(size=(*batch, 3)), rng.normal(size=(*batch, 2, 3)), rng.normal(size=batch)


def assert_all_close(actual, expected, tol=1e-14):
    for a, e in zip(actual, expected, strict=True):
        assert np.shape(a) == np.shape(e)
        np.testing.assert_allclose(a, e, rtol=tol, atol=tol)


def test_signature_and_description(vector):
    assert vector.gufunc.signature == "(4)->(4)"
    assert vector.gufunc.types == ["d->d"]
    assert repr(vector) == "<kernel vector(4)->(4) float64, 4 mul, 4 add, 0 div, 0 sqrt, 4 trig>"
    assert vector.__name__ == "vector"


@pytest.mark.parametrize("batch", [(), (1,), (5,), (2, 3), (2, 0, 3), (0,), (1, 1, 7)], ids=str)
def test_batches(kernel, batch, rng):
    xs = inputs(rng, *batch)
    assert_all_close(kernel(*xs), reference(*xs))


@pytest.mark.parametrize(
    "shapes", [((), (5,), ()), ((4, 1), (5,), ()), ((4, 1), (1, 5), (4, 5)), ((2, 1, 1), (3, 1), (4,))], ids=str
)
def test_broadcasting(kernel, shapes, rng):
    xs = [inputs(rng, *batch)[k] for k, batch in enumerate(shapes)]
    assert_all_close(kernel(*xs), reference(*xs))


LAYOUTS = {
    "Fortran": np.asfortranarray,
    "reversed": lambda x: np.ascontiguousarray(x[::-1, ..., ::-1])[::-1, ..., ::-1],
    "every second": lambda x: np.repeat(np.repeat(x, 2, axis=-1), 3, axis=0)[::3, ..., ::2],
    "one row": lambda x: np.broadcast_to(x[:1], x.shape),
    "one number": lambda x: np.broadcast_to(x[:1, ..., :1], x.shape),
    "rows overlap": lambda x: as_strided(x, x.shape, (8, *x.strides[1:])),
    "transposed": lambda x: np.ascontiguousarray(x.T).T,
    "unaligned": lambda x: np.frombuffer(b"." + x.tobytes(), offset=1).reshape(x.shape),
    "other byte order": lambda x: x.astype(">f8"),
    "read only": lambda x: np.frombuffer(x.tobytes()).reshape(x.shape),
    "float32": lambda x: x.astype(np.float32),
    "integers": lambda x: np.round(3 * x).astype(np.int8),
    "booleans": lambda x: x > 0,
    "list": lambda x: x.tolist(),
    "subclass": lambda x: x.view(np.recarray),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_inputs_of_every_layout(kernel, layout, rng):
    x, A, s = inputs(rng, 150)  # more than a strip
    changed = [LAYOUTS[layout](z) for z in (x, A)]
    assert_all_close(kernel(*changed, s), reference(*changed, s))
    assert_all_close(kernel(x, changed[1], s), reference(x, changed[1], s))


@pytest.mark.parametrize("size", [*range(21), 63, 64, 65, 255, 257, 700])
def test_every_row_is_bitwise_the_same_at_every_place(vector, size, rng):
    x = rng.normal(size=(size, 4))
    single = np.array([vector(row) for row in x]).reshape(size, 4)
    np.testing.assert_array_equal(vector(x), single)
    np.testing.assert_array_equal(vector(x, threads=1), single)
    spread = np.zeros((size, 2, 7))
    spread[:, 1, 1:5] = x
    np.testing.assert_array_equal(vector(spread[:, 1, 1:5]), single)
    np.testing.assert_array_equal(vector(spread[::-1, 1, 4:0:-1][::-1, ::-1]), single)


@pytest.mark.parametrize("threads", [None, 1, 2])
def test_out(kernel, threads, rng):
    xs = inputs(rng, 40)
    expected = reference(*xs)
    y, s, cube = np.full((80, 4), 7.0)[::2, ::-2], np.full((2, 40), 7.0)[1], np.full((2, 40, 3, 2), 7.0)
    strided = (y, s, cube.transpose(1, 0, 3, 2))
    for out in (strided, tuple(np.full(e.shape, 7.0, np.float32) for e in expected)):
        made = kernel(*xs, out=out, threads=threads)
        assert all(m is o for m, o in zip(made, out, strict=True))
        assert_all_close(out, expected, 1e-14 if out[0].dtype == float else 1e-6)


def test_neighbours_of_a_strided_out_are_left_alone(vector, rng):
    x, field = rng.normal(size=(30, 4)), np.full((31, 2, 9), 7.0)
    inside = field[:30, 1, 1:9:2]
    vector(x, out=inside)
    np.testing.assert_array_equal(inside, vector(x))
    field[:30, 1, 1:9:2] = 7.0
    assert (field == 7.0).all()


@pytest.mark.parametrize("threads", [None, 2])
@pytest.mark.parametrize("overlap", ["same", "shifted", "reversed", "core reversed"])
def test_out_may_overlap_the_input(vector, overlap, threads, rng):
    field = rng.normal(size=(201, 4))
    cut = {
        "same": (slice(0, 200), slice(0, 200)),
        "shifted": (slice(0, 200), slice(1, 201)),
        "reversed": (slice(0, 200), slice(199, None, -1)),
        "core reversed": (slice(0, 200), (slice(0, 200), slice(None, None, -1))),
    }[overlap]
    expected = vector(field[cut[0]].copy())
    out = field[cut[1]]
    vector(field[cut[0]], out=out, threads=threads)
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("threads", [None, 2])
def test_impossible_outs_are_refused(vector, threads):
    x = np.zeros((6, 4))
    for out in ([[0.0] * 4] * 6, np.zeros((10, 4)), np.zeros((6, 3)), np.zeros((6, 4), int), (x, x), "out"):
        with pytest.raises(kt.InputError):
            vector(x, out=out, threads=threads)


def test_several_outputs_of_many_axes_in_any_layout(rng):
    shape = (2, 3, 2, 4)
    kernel = kt.Kernel(trace(lambda x: (2.0 * x, x[0, :, 1]), {"x": shape}))
    x = rng.normal(size=(5, *shape[::-1])).transpose(0, 4, 3, 2, 1)
    out = np.empty((5, *shape[::-1])).transpose(0, 4, 3, 2, 1), np.empty((5, 3, 4))
    for threads in (1, 2, None):
        for given in (None, out):
            twice, part = kernel(x, out=given, threads=threads)
            np.testing.assert_array_equal(twice, 2 * x)
            np.testing.assert_array_equal(part, x[:, 0, :, 1])
    assert [y.shape for y in kernel(x[0])] == [shape, (3, 4)]


def test_numpy_scalars_as_inputs_and_outputs():
    double = kt.Kernel(trace(lambda s: 2.0 * s, {"s": ()}, name="double"))
    assert double(3.0) == double(np.float64(3.0)) == double(3) == double(np.array(3.0)) == 6.0
    assert double([1.0, 2.0]).tolist() == [2.0, 4.0]
    nothing = kt.Kernel(trace(lambda: np.arange(3.0), {}, name="nothing"))
    assert nothing().tolist() == [0.0, 1.0, 2.0]


def test_empty_arguments(rng):
    """A robot without moving joints has q of size 0, which NumPy's gufuncs refuse."""
    builder = kt.Builder("stone")
    builder.link("stone")
    stone = kt.Robot(builder.build())
    assert stone.pose(np.zeros((5, 0)), "stone").shape == (5, 4, 4)
    assert stone.inverse_dynamics([], [], []).shape == (0,)
    assert stone.jacobian([], "stone").shape == (6, 0)


def test_nan_stays_in_its_row(arm, rng):
    q, v, a = rng.normal(size=(3, 23, 6))
    clean = arm.inverse_dynamics(q, v, a)
    for k, x in enumerate((q, v, a)):
        x[4 + 5 * k, 3] = np.nan
    bad = np.zeros(23, bool)
    bad[[4, 9, 14]] = True
    result = arm.inverse_dynamics(q, v, a)
    np.testing.assert_array_equal(np.isnan(result).any(axis=-1), bad)
    np.testing.assert_array_equal(result[~bad], clean[~bad])


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_program_of_many_blocks(dtype, rng):
    program = kt.random_chain(24, backend="numpy").kernel(kt.algorithms.inverse_dynamics).program
    lanes = object_code.host_cpu().register_bytes // SCALAR_BYTES["double"]
    assert len(plan.Plan(program, lanes, "double").pieces) > 4
    compiled, interpreted = kt.Kernel(program, dtype=dtype), kt.Kernel(program, backend="numpy")
    q, v, a = rng.normal(size=(3, 130, 24))
    expected = interpreted(q, v, a)
    tol = {"float64": 1e-12, "float32": 1e-4}[dtype]  # 24 joints amplify single precision's 6e-8 a thousandfold
    result = compiled(q, v, a)
    np.testing.assert_allclose(result, expected, rtol=0, atol=tol * np.abs(expected).max())
    x = [z.astype(dtype) for z in (q, v, a)]
    np.testing.assert_array_equal(result[7], compiled(*(z[7] for z in x)))


@pytest.mark.parametrize("batch", [(1,), (3,), (1000,), (7, 300), (300, 7), (2, 5, 40), (0, 3), (0,)], ids=str)
def test_threads_change_nothing(arm, batch, rng):
    q, v, a = rng.normal(size=(3, *batch, 6))
    one, two = (arm.inverse_dynamics(q, v, a, threads=k) for k in (1, 2))
    np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(one, arm.inverse_dynamics(q, v, a))
    np.testing.assert_array_equal(
        arm.inverse_dynamics(q, v[..., :1, :], a[0] if batch[0] else a[:1], threads=3),
        arm.inverse_dynamics(q, v[..., :1, :], a[0] if batch[0] else a[:1], threads=1),
    )


def test_large_batches_run_in_threads_by_themselves(arm, rng, monkeypatch):
    kernel = arm.kernel(kt.algorithms.pose, frame="tool0")
    q = rng.normal(size=(100_000, 6))
    called = []
    monkeypatch.setattr(kernel.batch, "_in_parallel", lambda *args: called.append(args))
    kernel(q)
    assert len(called) == 1
    monkeypatch.undo()
    np.testing.assert_array_equal(kernel(q, threads=2), kernel.gufunc(q))


def test_calls_from_many_python_threads(rng):
    """Compilation and calls from eight threads at once, on one robot."""
    robot = kt.load("stanford")
    q, v, a = rng.normal(size=(3, 400, 6))

    def work(k):
        results = [robot.inverse_dynamics(q[i], v[i], a[i]) for i in range(k, 400, 8)]
        batch = robot.inverse_dynamics(q[k::8], v[k::8], a[k::8], threads=1 + k % 2)
        np.testing.assert_array_equal(results, batch)
        return batch

    with ThreadPoolExecutor(8) as pool:
        parts = list(pool.map(work, range(8)))
    whole = robot.inverse_dynamics(q, v, a)
    for k, part in enumerate(parts):
        np.testing.assert_array_equal(part, whole[k::8])


@pytest.mark.parametrize("settings", [{}, {"dtype": "float32"}, {"backend": "numpy"}, {"threads": 1}], ids=str)
def test_pickles(settings, rng):
    robot = kt.load("panda", **settings)
    q, v, a = rng.normal(size=(3, 5, 7))
    expected = robot.inverse_dynamics(q, v, a)
    kernel = robot.kernel(kt.algorithms.inverse_dynamics)
    copy, kernel_copy, model_copy = (pickle.loads(pickle.dumps(x)) for x in (robot, kernel, robot.model))
    np.testing.assert_array_equal(copy.inverse_dynamics(q, v, a), expected)
    np.testing.assert_array_equal(kernel_copy(q, v, a), expected)
    np.testing.assert_array_equal(kt.Robot(model_copy, **settings).inverse_dynamics(q, v, a), expected)
    assert expected.dtype == settings.get("dtype", "float64")
    assert (kernel_copy.backend, kernel_copy.threads) == (kernel.backend, kernel.threads)


class Tagged(np.ndarray):
    """A subclass of NumPy's array."""


STATE = np.array([0.3, -1.2, 2.5, 0.7])
HANDED_ON = {
    "list": STATE.tolist(),
    "tuple": tuple(STATE),
    "float32": STATE.astype(np.float32),
    "integers": np.arange(4),
    "strided": np.repeat(STATE, 2)[::2],
    "reversed": STATE[::-1].copy()[::-1],
    "subclass": STATE.view(Tagged),
    "matrix": STATE[None],
    "other byte order": STATE.astype(">f8"),
    "unaligned": np.frombuffer(b"." + STATE.tobytes(), offset=1),
}
REFUSED = {
    "short": STATE[:3],
    "long": np.zeros(5),
    "0-d": np.array(1.0),
    "a number": 1.0,
    "complex": STATE.astype(complex),
    "complex list": [1j, 0, 0, 0],
    "objects": STATE.astype(object),
    "string": "four",
    "strings": np.array(["1", "2", "3", "4"]),
    "None": None,
    "dates": np.zeros(4, "M8[s]"),
    "ragged": [[1.0, 2.0], [3.0]],
    "structured": np.zeros(4, [("x", float)]),
    "dict": {},
}


@pytest.mark.skipif(not fastcall.available(), reason="another interpreter: every call takes the general way")
def test_one_state_takes_the_short_cut(vector, monkeypatch):
    """The emitted function itself answers: NumPy's machinery is not reached."""
    fresh = kt.Kernel(VECTOR)
    monkeypatch.setattr(fresh.batch, "gufunc", None)  # the general way is dead now
    result = fresh(STATE)
    assert type(fresh.call).__name__ == "builtin_function_or_method"
    np.testing.assert_array_equal(result, vector.gufunc(STATE))
    assert type(result) is np.ndarray and result.flags.owndata and result.flags.writeable
    ordinary = np.zeros(4)
    assert sys.getrefcount(result) == sys.getrefcount(ordinary)
    with pytest.raises(kt.InputError):
        fresh(np.tile(STATE, (99, 1)))


@pytest.mark.parametrize("name", HANDED_ON)
def test_what_the_short_cut_hands_on(vector, name):
    x = HANDED_ON[name]
    np.testing.assert_array_equal(vector(x), vector.gufunc(np.asarray(x, dtype=float)))


@pytest.mark.parametrize("backend", ["llvm", "numpy"])
@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name, backend):
    with pytest.raises(kt.InputError, match="vector"):
        kt.Kernel(VECTOR, backend=backend)(REFUSED[name])


@pytest.mark.parametrize("backend", ["llvm", "numpy"])
def test_wrong_counts_and_keywords(backend):
    kernel = kt.Kernel(PROGRAM, backend=backend)
    x, A, s = np.zeros(3), np.zeros((2, 3)), np.zeros(())
    for wrong in ((), (x,), (x, A), (x, A, s, s)):
        with pytest.raises(kt.InputError, match=rf"mixed takes 3 arrays \(x, A, s\), got {len(wrong)}"):
            kernel(*wrong)
    with pytest.raises(kt.InputError, match=r"A must have shape \(\.\.\., 2, 3\), got \(3, 2\)"):
        kernel(x, A.T, s)
    with pytest.raises(TypeError, match="keyword"):
        kernel(x, A, s=s)
    with pytest.raises(TypeError, match="keyword"):
        kernel.call(x, A, s=s)


def test_the_short_cut_keeps_no_references():
    kernel = kt.Kernel(PROGRAM)
    xs = [np.ones(3), np.ones((2, 3)), np.ones(())]
    before = [sys.getrefcount(x) for x in xs]
    for _ in range(100):
        kernel(*xs)
        with pytest.raises(kt.InputError):
            kernel(xs[0], xs[1], "s")
    assert [sys.getrefcount(x) for x in xs] == before
    results, ordinary = kernel(*xs), tuple(np.zeros(k) for k in range(3))
    assert type(results) is tuple
    assert [sys.getrefcount(r) for r in results] == [sys.getrefcount(r) for r in ordinary]


def test_numbers_among_several_results_are_numbers():
    program = trace(lambda x: (x[0] * x[1], x, x[0]), {"x": (2,)})
    x = np.array([2.0, 3.0])
    for dtype in ("float64", "float32"):
        kernel = kt.Kernel(program, dtype=dtype)
        for found in (kernel(x.astype(dtype)), kernel(x), kernel.gufunc(x.astype(dtype))):
            assert [type(y) for y in found] == [kernel.dtype.type, np.ndarray, kernel.dtype.type]
            assert (found[0], found[2]) == (6.0, 2.0)
    kernel, number = kt.Kernel(program), np.float64(7.0)
    last = kernel(x)[0]
    assert sys.getrefcount(last) == sys.getrefcount(number)
    before = sys.getallocatedblocks()
    for _ in range(2000):
        kernel(x)
    assert sys.getallocatedblocks() < before + 1000


posix = pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX's")


@pytest.fixture
def store(tmp_path, monkeypatch, forgetful):
    """An empty cache directory."""
    place = tmp_path / "cache"
    monkeypatch.setenv("KINETRACE_CACHE", str(place))
    return place


@pytest.fixture
def compiled(monkeypatch, forgetful):
    """What was assembled, and what was loaded."""
    seen = {"assembled": [], "linked": []}
    assemble, link = object_code.assemble, object_code.link

    def note_assemble(texts, target, size):
        seen["assembled"].append(assemble(texts, target, size))
        return seen["assembled"][-1]

    def note_link(code, symbols):
        seen["linked"].append(code)
        return link(code, symbols)

    monkeypatch.setattr(object_code, "assemble", note_assemble)
    monkeypatch.setattr(object_code, "link", note_link)
    return seen


def files(place: Path) -> list[Path]:
    return sorted(p for p in place.iterdir() if p.name != "secret")


def make(program: Program) -> None:
    assert kt.Kernel(program).gufunc is not None  # it is compiled on first use


def works() -> bool:
    return bool(np.array_equal(kt.Kernel(VECTOR)(STATE, threads=1), kt.Kernel(VECTOR, backend="llvm").gufunc(STATE)))


def test_a_second_kernel_comes_from_the_cache(store, compiled):
    make(VECTOR)
    make(VECTOR)
    assert len(compiled["assembled"]) == 1 and len(files(store)) == 1
    assert compiled["linked"] == compiled["assembled"] * 2
    assert kt.Kernel(VECTOR, dtype="float32").gufunc and kt.Kernel(PROGRAM).gufunc
    assert len(compiled["assembled"]) == 3 and len(files(store)) == 3


def test_another_process_uses_the_cache(store):
    """Names of cache files do not depend on the process, its hash seed or its memory."""
    robot = kt.load("planar2r")
    expected = robot.inverse_dynamics([0.1, 0.2], [0.3, 0.4], [0.5, 0.6])
    before = {p: p.read_bytes() for p in files(store)}
    code = (
        "from kinetrace.engine.targets.llvm import object_code as engine\n"
        "engine.assemble = None\n"
        "import kinetrace as kt\n"
        "print(kt.load('planar2r').inverse_dynamics([0.1, 0.2], [0.3, 0.4], [0.5, 0.6]).tolist())"
    )
    source = str(Path(kt.__file__).parents[1])
    env = {**os.environ, "PYTHONPATH": source, "PYTHONHASHSEED": "7"}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(expected.tolist())
    assert {p: p.read_bytes() for p in files(store)} == before


DAMAGE = {
    "garbage": lambda file, other: file.write_bytes(os.urandom(2000)),
    "empty": lambda file, other: file.write_bytes(b""),
    "truncated": lambda file, other: file.write_bytes(file.read_bytes()[:-100]),
    "longer": lambda file, other: file.write_bytes(file.read_bytes() + b"\0"),
    "one bit": lambda file, other: file.write_bytes(_flip(file.read_bytes())),
    "header only": lambda file, other: file.write_bytes(file.read_bytes()[:51]),
    "another kernel's": lambda file, other: shutil.copyfile(other, file),
    "renamed": lambda file, other: other.replace(file),
    "signed by somebody else": lambda file, other: (file.parent / "secret").write_bytes(b"k" * 32),
    "secret truncated": lambda file, other: (file.parent / "secret").write_bytes(b"k" * 31),
    "secret empty": lambda file, other: (file.parent / "secret").write_bytes(b""),
    "a directory": lambda file, other: (file.unlink(), file.mkdir()),
}
if os.name == "posix":
    DAMAGE |= {
        "writable by the group": lambda file, other: file.chmod(0o660),
        "writable by all": lambda file, other: file.chmod(0o666),
        "secret writable by all": lambda file, other: (file.parent / "secret").chmod(0o666),
        "directory writable by all": lambda file, other: file.parent.chmod(0o777),
    }


def _flip(content: bytes) -> bytes:
    return content[:900] + bytes([content[900] ^ 4]) + content[901:]


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_file_that_is_not_as_written_is_never_loaded(store, compiled, damage):
    make(VECTOR)
    (file,) = files(store)
    make(PROGRAM)
    (other,) = set(files(store)) - {file}
    genuine = compiled["assembled"][0]
    DAMAGE[damage](file, other)
    compiled["assembled"].clear()
    compiled["linked"].clear()
    result = kt.Kernel(VECTOR).gufunc(STATE)
    assert len(compiled["assembled"]) == 1  # made anew …
    assert compiled["linked"] == compiled["assembled"]  # … and that is what runs
    assert compiled["linked"] == [genuine]
    np.testing.assert_array_equal(result, 2 * STATE[::-1] + np.sin(STATE))


@pytest.mark.parametrize("damage", ["garbage", "truncated", "another kernel's", "signed by somebody else"])
def test_a_damaged_file_is_replaced(store, compiled, damage):
    make(VECTOR)
    (file,) = files(store)
    make(PROGRAM)
    (other,) = set(files(store)) - {file}
    DAMAGE[damage](file, other)
    make(VECTOR)
    compiled["assembled"].clear()
    make(VECTOR)
    assert compiled["assembled"] == []


@posix
def test_cache_files_are_private(store):
    make(VECTOR)
    assert store.stat().st_mode & 0o777 == 0o700
    assert {p.stat().st_mode & 0o777 for p in store.iterdir()} == {0o600}
    assert len(list(store.iterdir())) == 2  # the code and the secret, no temporary left


def test_code_of_emitters_that_changed_since_they_were_imported_is_not_kept(store, monkeypatch):
    """It would be found under the name of what the new ones write."""
    monkeypatch.setattr(build, "_emitters", build._emitters.__wrapped__)
    with monkeypatch.context() as patch:
        patch.setattr("kinetrace.engine.cache.fingerprints.INITIAL_STATUSES", {})
        assert works() and disk.cached_files() == []
    assert works() and len(disk.cached_files()) == 1


@pytest.mark.parametrize("word", ["off", "OFF", "0", "none"])
def test_the_cache_can_be_switched_off(word, tmp_path, monkeypatch, compiled):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KINETRACE_CACHE", word)
    assert disk.directory() is None
    assert works()
    assert len(compiled["assembled"]) == 2
    assert list(tmp_path.iterdir()) == []


def test_without_a_usable_directory_there_is_no_cache(tmp_path, monkeypatch, forgetful):
    blocked = tmp_path / "file"
    blocked.write_text("not a directory")
    for place in (blocked, blocked / "below"):
        monkeypatch.setenv("KINETRACE_CACHE", str(place))
        assert works()
    assert blocked.read_text() == "not a directory"


@posix
@pytest.mark.skipif(os.name == "posix" and os.getuid() == 0, reason="root may write anywhere")
def test_a_read_only_directory_is_no_obstacle(store):
    store.mkdir(mode=0o500)
    assert works()
    assert list(store.iterdir()) == []


def test_a_full_disk_is_no_obstacle(store, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert works()
    assert list(store.iterdir()) == []


def test_a_damaged_key_is_made_anew(store, compiled):
    assert works()
    (store / "secret").write_bytes(b"short")
    assert works()  # what was kept no longer matches
    assert works()
    assert len(compiled["assembled"]) == 2


def test_a_kernel_that_nobody_holds_is_let_go():
    kernel = kt.Kernel(VECTOR)
    kernel(STATE)  # from now on it is known that single states come
    watched, quick = weakref.ref(kernel), kernel.call
    del kernel
    gc.collect()
    assert watched() is None
    np.testing.assert_allclose(quick(STATE), VECTOR.evaluate(STATE)[0], rtol=1e-12)


@pytest.mark.parametrize("batch", [(), (10,), (100_000,)])
def test_results_are_plain_arrays(batch):
    """Whatever came in, and whichever way the call took."""
    x = np.ma.masked_array(np.ones((*batch, 4)), mask=False)
    assert type(kt.Kernel(VECTOR)(x)) is np.ndarray


def test_forks_while_another_thread_compiles_do_not_hang():
    """In a process of its own: children forked amid imports of the compiler, tracing and compiling compile too."""
    if not hasattr(os, "fork"):
        pytest.skip("there is no fork here")
    script = """
import os, sys, threading, time, warnings
import numpy as np, kinetrace as kt
warnings.simplefilter("ignore")  # of the fork itself
over = threading.Event()

def compile_on():
    for n in range(2, 10**6):
        kt.random_chain(1 + n % 9, seed=n).gravity(np.zeros((2, 1 + n % 9)))
        if over.is_set():
            return

thread = threading.Thread(target=compile_on)
thread.start()
for k in range(8):
    time.sleep(0.001 * k)
    child = os.fork()
    if child == 0:
        kt.load("planar2r").gravity(np.zeros((2, 2)))
        os._exit(0)
    end = time.monotonic() + 100  # a busy machine takes its time
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        if time.monotonic() > end:
            os.kill(child, 9)
            print("child", k, "hangs")
            os._exit(1)
        time.sleep(0.002)
over.set()
thread.join()
"""
    environment = {**os.environ, "KINETRACE_CACHE": "off"}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


def test_many_threads_build_a_program_once(forgetful, monkeypatch):
    built = {}
    monkeypatch.setattr("kinetrace.engine.runtime.build._built", built)
    with ThreadPoolExecutor(6) as pool:
        kernels = list(pool.map(lambda _: kt.Kernel(VECTOR), range(6)))
        owners = list(pool.map(lambda kernel: kernel.batch.built.owner, kernels))
    assert len(built) == 1 and len(set(owners)) == 1


@pytest.mark.parametrize("granted", [0, 1])
def test_no_memory_is_an_error_and_not_a_result(monkeypatch, granted):
    """On every way, also if it is another thread that finds none; the same call works when there is some again."""
    monkeypatch.setattr("kinetrace.engine.plan.plan.BLOCK_OPERATIONS", 20)  # blocks have values to hand on
    monkeypatch.setattr(python_threads, "SLICE_WORK", 64)
    robot = kt.random_chain(3)
    kernel, state = robot.kernel(kt.algorithms.inverse_dynamics), np.ones((3, 3))
    batch = np.ones((3, 1000, 3))
    calls = {
        "one": lambda: kernel.call(*state),
        "gufunc": lambda: kernel.gufunc(*batch),
        "shared": lambda: kernel(*batch, threads=3),
        "parts": lambda: kernel.batch._in_slices(tuple(batch), None, 3, asked=True),
    }
    expected = [call() for call in calls.values()]
    given = []
    refuse = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t)(lambda size: allocate(size))
    tables = host_table(), host_table(native_threads.gather(), 3, 0)
    malloc = tables[0][0]
    plain = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t)(malloc)

    def allocate(size):
        given.append(size)
        return plain(size) if len(given) <= granted else None

    for table in tables:
        table[0] = ctypes.cast(refuse, ctypes.c_void_p).value
    try:
        for name, call in calls.items():
            given.clear()
            if granted == 0 or name in ("shared", "parts"):  # the others ask once
                with pytest.raises(MemoryError):
                    call()
    finally:
        for table in tables:
            table[0] = malloc
    for call, result in zip(calls.values(), expected, strict=True):
        np.testing.assert_array_equal(call(), result)


def test_many_results_compile_in_reasonable_blocks():
    """LLVM's time is quadratic in the stores of a block."""
    program = trace(lambda q: q[:, None, None] * q[:, None] * q, {"q": (16,)})
    assert max(sum(x.kind == "store" for x in piece) for piece in plan.Plan(program, 4, "double").pieces) <= 200
    q = np.linspace(-1.0, 1.0, 16)
    np.testing.assert_allclose(kt.Kernel(program)(q), program.evaluate(q)[0], rtol=1e-14)


@pytest.mark.parametrize("size", [3, 300])
def test_results_that_are_constant_need_no_block(size):
    kernel = kt.compile(lambda model, q: np.full(size, 2.0), kt.load("planar2r"))
    assert np.array_equal(kernel(np.zeros((5, 2))), np.full((5, size), 2.0))
    assert np.array_equal(kernel(np.zeros(2)), np.full(size, 2.0))
