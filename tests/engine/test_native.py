"""Native code: on every platform, wherever memory is, and no longer than it is used."""

from __future__ import annotations

import ctypes
import os
import platform
import subprocess
import sys
import textwrap
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import llvmlite.binding as llvm
import numpy as np
import pytest

import kinetrace as kt
from kinetrace.engine.compilation.program import program
from kinetrace.engine.plan import plan
from kinetrace.engine.runtime import build
from kinetrace.engine.targets.llvm import blocks
from kinetrace.engine.targets.llvm import object_code as engine
from kinetrace.engine.trace import trace

from .objects import symbols

WAVES = trace(lambda x: kt.arrays.sin(3.0 * x) + x[::-1], {"x": (4,)}, name="waves")
STATE = np.array([0.3, -1.2, 2.0, 0.7])
linux = pytest.mark.skipif(sys.platform != "linux", reason="it reads Linux' /proc")


def run(script: str, *arguments: str, **environment: str) -> str:
    """What a process of its own prints."""
    command = [sys.executable, "-W", "error", "-c", script, *arguments]
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")  # nothing is said when the interpreter ends, either
    return done.stdout


FRAME = """
define ptr @frame(i64 %x, ptr %to) {{
  %room = alloca [{size} x i8], align 16
  store volatile ptr %room, ptr %to
  store volatile i64 %x, ptr %room
  %y = load volatile ptr, ptr %room
  ret ptr %y
}}
"""


@pytest.fixture(scope="module")
def small():
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    return program(kt.algorithms.forward_dynamics, kt.load("planar2r").model)


@pytest.fixture
def short_modules(monkeypatch):
    """Programs of some ten operations are cut as if they were long."""
    monkeypatch.setattr(plan, "BLOCK_OPERATIONS", 10)
    monkeypatch.setattr(blocks, "MODULE_ITEMS", 10)
    monkeypatch.setattr(engine, "LONG_PROGRAM_NODES", 10)


@pytest.mark.alternates(2, "target", "modules")
@pytest.mark.parametrize(
    "target",
    [
        engine.TargetCPU("x86_64-pc-windows-msvc", "x86-64", ""),
        engine.TargetCPU("x86_64-pc-windows-msvc", "x86-64-v4", "+avx,+fma,+avx512f"),
        engine.TargetCPU("aarch64-pc-windows-msvc", "generic", "+neon"),
        engine.TargetCPU("arm64-apple-darwin", "apple-m1", "+neon"),
        engine.TargetCPU("x86_64-apple-darwin", "x86-64", ""),
        engine.TargetCPU("aarch64-unknown-linux-gnu", "generic", "+neon"),
        engine.host_cpu(),
    ],
    ids=lambda target: f"{target.triple}-{target.cpu}",
)
@pytest.mark.parametrize("modules", ["one", "many"])
def test_object_code_has_no_external_symbol(target, small, modules, request):
    """Of a robot's kernels, in one module or in many, and of a function with a large frame."""
    if modules == "many":
        request.getfixturevalue("short_modules")
    prefix, windows = "_" if "darwin" in target.triple else "", "windows" in target.triple
    made = {names: build.make_object(small, "double", kind, target) for kind, names in build.KIND_SYMBOLS.items()}
    made[("frame", "__chkstk") if windows else ("frame",)] = engine.assemble([FRAME.format(size=64 * 4096)], target)
    for names, code in made.items():
        found = [symbols(part) for part in engine.objects(code)]
        assert (len(found) > 1) == (modules == "many" and "frame" not in names)
        known = [name for part in found for name, defined in part.items() if defined]
        assert {prefix + name for name in names} <= set(known)
        assert {name for part in found for name in part} == set(known)


@linux
@pytest.mark.skipif(platform.machine() != "x86_64", reason="it is machine code of x86-64")
def test_every_page_of_a_large_frame_is_touched():
    """As Windows wants it; here in a function that asks for it."""
    size = 64 * 4096
    text = FRAME.format(size=size).replace("%to) {", "%to) #0 {") + 'attributes #0 = { "probe-stack"="probe" }\n'
    code = engine.link(engine.assemble([text + engine.stack_probe("probe", "x86_64")]), ["frame"])
    frame = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)(code["frame"])
    seen = []

    def work() -> None:
        room = ctypes.c_int64()
        answer = frame(77, ctypes.addressof(room))
        first = room.value // 4096
        pages = (ctypes.c_ubyte * (size // 4096))()
        failed = ctypes.CDLL(None).mincore(ctypes.c_void_p(first * 4096), ctypes.c_size_t(size), pages)
        seen.extend((answer, failed, all(pages)))

    before = threading.stack_size(1 << 20)
    thread = threading.Thread(target=work)  # on a stack that nobody has used
    thread.start()
    thread.join()
    threading.stack_size(before)
    assert seen == [77, 0, True]


def test_without_symbols_of_numpy_and_python_the_interpreter_works():
    script = """
import ctypes
import numpy.random  # which needs them itself
from numpy._core import _multiarray_umath
del _multiarray_umath._UFUNC_API, _multiarray_umath._ARRAY_API, ctypes.pythonapi
import numpy as np, kinetrace as kt
print(kt.load("planar2r", backend="numpy").mass_matrix(np.zeros((3, 2))).shape)
"""
    assert run(script) == "(3, 2, 2)\n"


def test_without_llvmlite_the_interpreter_works_and_the_compiler_says_so():
    script = """
import sys
from importlib.abc import MetaPathFinder
class Without(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "llvmlite":
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Without())
import numpy as np, kinetrace as kt
print(kt.load("planar2r", backend="numpy").mass_matrix(np.zeros((3, 2))).shape)
robot = kt.load("planar2r")
print(robot.joint_names, robot.count("mass_matrix").div)
for call in (lambda: robot.mass_matrix(np.zeros(2)), lambda: kt.compile(kt.algorithms.gravity, robot)):
    try:
        call()
    except kt.InputError as error:
        print("llvmlite" in str(error) and 'backend="numpy"' in str(error))
kernel = kt.compile(kt.algorithms.gravity, robot, backend="numpy")
print(kernel.gufunc, kernel.from_cache)
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from kinetrace.cli import main
for command in ("verify planar2r --states 1", "bench --quick"):
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        code = main(command.split())
    told = [line for line in out.getvalue().splitlines() if "WRONG" in line or "llvmlite" in line]
    print(code, *told, err.getvalue())
"""
    missing = "the package llvmlite cannot be imported (llvmlite)"
    assert run(script, COLUMNS="200").split("\n") == [
        *("(3, 2, 2)", "('joint1', 'joint2') 0", "True", "True", "None False"),
        *(f"0 skipped 4: nothing can be compiled here: {missing} ",),
        *(f"2 kinetrace: error: bench measures compiled code, but {missing}: install it", "", ""),
    ]


@linux
@pytest.mark.parametrize("way", ["library", "engine"])
def test_code_loads_wherever_large_arrays_lie(way):
    """Untouched memory costs nothing but addresses; on Windows only the second way is there."""
    script = """
import ctypes, mmap, sys
import numpy as np, kinetrace as kt
from kinetrace.engine.targets.llvm import object_code as engine
from kinetrace.engine.trace import trace
if hasattr(engine, "_load"):
    engine._load = getattr(engine, f"_load_in_{sys.argv[1]}")
libc = ctypes.CDLL(None)
libc.mmap.restype, page = ctypes.c_void_p, mmap.PAGESIZE
kept = []
for n in (20, 21):
    kernel = kt.Kernel(trace(lambda x: n * kt.arrays.sin(x) + 0.1 * x[::-1], {"x": (n,)}))
    x = np.linspace(-1.0, 1.0, 3 * n).reshape(3, n)
    for gigabytes, y in ((1, x), (3, x[0])):
        for _ in range(9):  # holes that are large enough for constants, but not for code
            begin = libc.mmap(None, ctypes.c_size_t(3 * page), 1, 0x22, -1, ctypes.c_long(0))
            libc.munmap(ctypes.c_void_p(begin + page), ctypes.c_size_t(page))
        kept += [kernel, np.empty(gigabytes * 10**9, np.uint8)]
        np.testing.assert_allclose(kernel(y), n * np.sin(y) + 0.1 * y[..., ::-1], atol=1e-13)
print("done")
"""
    assert run(script, way, KINETRACE_CACHE="off") == "done\n"


@linux
@pytest.mark.parametrize("way", ["library", "engine"])
def test_dropped_code_leaves_memory(way, forgetful, monkeypatch):
    monkeypatch.setattr(engine, "_load", getattr(engine, f"_load_in_{way}"))

    def rounds(count: int) -> tuple[int, int]:
        for _ in range(count):
            kernel = kt.Kernel(WAVES)
            assert kernel(STATE[None]).tolist() == [kernel(STATE).tolist()]
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return len(Path("/proc/self/maps").read_text().splitlines()), pages

    maps, pages = rounds(100)
    for _ in range(3):
        after = rounds(100)
        assert after[0] < maps + 20
    assert after[1] < pages + 1200  # 4 kB each; the code alone is three times as many


@linux
def test_many_kernels_share_few_maps(forgetful):
    kept = [kt.Kernel(WAVES) for _ in range(200)]
    assert kept[0].gufunc is not kept[1].gufunc
    maps = len(Path("/proc/self/maps").read_text().splitlines())
    for kernel in kept:
        assert kernel(STATE[None]).shape == (1, 4)
    assert len(Path("/proc/self/maps").read_text().splitlines()) < maps + 100


def test_code_lives_as_long_as_anything_that_runs_it():
    """Without the help of the garbage collector."""
    waves = trace(lambda x: kt.arrays.cos(x) + x[::-1], {"x": (4,)}, name="waves")
    expected = np.cos(STATE) + STATE[::-1]
    kernel, twin = kt.Kernel(waves), kt.Kernel(waves)
    np.testing.assert_allclose(kernel(STATE), expected)
    batch, one = (weakref.ref(made(waves, "double").owner) for made in (build.batch, build.single))
    assert batch() is None and one() is not None  # only one state came
    gufunc, quick, code = kernel.gufunc, kernel.call, kernel.batch.built.owner
    assert twin.batch.built.owner is code  # shared
    batch = weakref.ref(code)
    del kernel, twin, code
    assert batch() and one()
    np.testing.assert_allclose(quick(STATE), expected)
    np.testing.assert_allclose(gufunc(STATE), expected)
    del gufunc
    assert batch() is not None  # a call of one state may have to be handed on
    del quick
    assert batch() is None and one() is None


def test_a_robot_that_is_dropped_takes_its_code_along():
    robot = kt.load("planar2r")
    robot = robot.with_parameters(inertial=1.7 * robot.parameters("inertial"))
    before = set(build._built)
    q = np.zeros((30, 2))
    robot.gravity(q)
    robot.gravity(q[0])
    assert len(set(build._built) - before) == 2
    del robot
    assert set(build._built) <= before


def test_dropping_code_does_not_wait_for_who_compiles():
    kernel = kt.Kernel(WAVES, dtype="float32")
    assert kernel.gufunc
    held, over = threading.Event(), threading.Event()

    def compiles() -> None:
        with engine.lock:
            held.set()
            over.wait(60)

    thread = threading.Thread(target=compiles)
    thread.start()
    held.wait(60)
    del kernel  # would wait for ever
    waiting = len(engine._dropped)
    over.set()
    thread.join()
    assert waiting >= 1  # more, if garbage is collected meanwhile
    assert kt.Kernel(WAVES, dtype="float32").gufunc and not engine._dropped


def test_code_that_is_being_unloaded_is_found_by_nobody(forgetful, monkeypatch):
    table, load, seen = weakref.WeakValueDictionary(), engine._load, []
    monkeypatch.setattr(build, "_built", table)

    def watched(code, names):
        addresses, owner = load(code, names)
        return addresses, SimpleNamespace(close=lambda: (seen.append(len(list(table.values()))), owner.close()))

    monkeypatch.setattr(engine, "_load", watched)
    assert kt.Kernel(WAVES).gufunc
    assert seen == [0]


def test_threads_make_and_drop_the_same_kernel():
    expected = kt.Kernel(WAVES)(STATE)

    def work(_: int) -> bool:
        found = []
        for _ in range(30):
            kernel = kt.Kernel(WAVES)
            found += [kernel(STATE), kernel(STATE[None])[0], kernel.gufunc(STATE)]
        return all(np.array_equal(x, expected) for x in found)

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(8)))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_child_loads_and_drops_code_of_its_own():
    script = """
import os
import numpy as np, kinetrace as kt
def sweep(robot, scale):
    return robot.with_parameters(inertial=scale * robot.parameters("inertial")).gravity(np.ones((3, 2)))
robot = kt.load("planar2r")
expected = robot.gravity(np.ones((3, 2)))
child = os.fork()
for scale in (2.0, 4.0):
    np.testing.assert_array_equal(sweep(robot, scale), scale * expected)
del robot
if child == 0:
    os._exit(0)
print(os.waitpid(child, 0)[1])
"""
    assert run(script) == "0\n"


def test_programs_in_many_modules_give_the_same_bits(small, request, forgetful, monkeypatch):
    monkeypatch.setenv("KINETRACE_CACHE", "off")
    states = [np.random.default_rng(0).normal(size=(9, *a.shape)) for a in small.inputs]
    expected = kt.Kernel(small).gufunc(*states)
    request.getfixturevalue("short_modules")
    assert len(list(engine.objects(build.make_object(small, "double", "batch", engine.host_cpu())))) > 1
    np.testing.assert_array_equal(kt.Kernel(small).gufunc(*states), expected)


def test_modules_are_compiled_without_threads_where_there_are_none(small, short_modules, monkeypatch):
    class NoThreads(ThreadPoolExecutor):
        def submit(self, *_):
            raise RuntimeError("can't start new thread")

    expected = build.make_object(small, "double", "batch", engine.host_cpu())
    monkeypatch.setattr(engine, "ThreadPoolExecutor", NoThreads)
    assert build.make_object(small, "double", "batch", engine.host_cpu()) == expected


@linux
def test_forks_while_a_long_program_is_compiled():
    """In a process of its own, in which nothing else has imported what threads need."""
    script = """
        import os, threading
        import numpy as np
        import kinetrace as kt
        from kinetrace.engine.targets.llvm import object_code as engine
        engine.LONG_PROGRAM_NODES = 10
        robot = kt.load("panda")
        work = threading.Thread(target=robot.forward_dynamics_derivatives, args=[np.zeros(7)] * 3)
        work.start()
        while work.is_alive():
            child = os.fork()
            if child == 0:
                os._exit(0)
            os.waitpid(child, 0)
        print("done")
    """
    assert run(textwrap.dedent(script), KINETRACE_CACHE="off") == "done\n"
