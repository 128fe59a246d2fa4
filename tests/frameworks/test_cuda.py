"""CUDA: the text that GPUs run gives the kernel's numbers, on arrays that broadcast as the kernel's.

There is a GPU on few machines. So the same text is compiled for the processor here, where a loop takes the place of
threads, and a stand-in for CuPy passes its launches on; what a GPU does with it is the last test, if there is one.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
from ctypes.util import find_library
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

import kinetrace as kt

ON_THE_PROCESSOR = """
#include <math.h>
#include <stddef.h>
#define __global__
#define __device__
static struct { unsigned int x; } blockIdx, blockDim, threadIdx;
extern "C" void at(unsigned int block, unsigned int size, unsigned int thread)
{ blockIdx.x = block; blockDim.x = size; threadIdx.x = thread; }
"""
rng = np.random.default_rng(0)


def needed(tool):
    return shutil.which(tool) or pytest.skip(f"{tool} is not here")


class Array(np.ndarray):
    """An array that stands for one on a GPU."""

    gpu = 0

    @property
    def device(self):
        return SimpleNamespace(id=self.gpu)


def on_gpu(x, dtype=None):
    return np.asarray(x, dtype=dtype).view(Array)


@pytest.fixture
def cupy(monkeypatch, tmp_path):
    """A module that has what is used of CuPy; `launches` are the numbers of threads of all launches."""
    compiler, names = needed("g++"), count()
    made = ModuleType("cupy")

    class Device:
        def __init__(self, k=0):
            self.id = k

        def __enter__(self):
            return self

        def __exit__(self, *_):
            return None

    class RawModule:
        def __init__(self, code, options):
            assert all(x.startswith("--") for x in options)
            file = tmp_path / f"k{next(names)}.cpp"
            file.write_text(ON_THE_PROCESSOR + code)
            library = file.with_suffix(".so")
            flags = ["-O1", "-ffp-contract=off", "-Wall", "-Werror", "-shared", "-fPIC"]
            subprocess.run([compiler, *flags, "-o", library, file], check=True, timeout=100)
            self.library = ctypes.CDLL(str(library))

        def get_function(self, name):
            def launch(grid, block, given):
                made.launches.append(grid[0] * block[0])
                assert all(x.flags.c_contiguous for x in given if isinstance(x, Array))
                passed = [
                    ctypes.c_void_p(x.ctypes.data) if isinstance(x, Array) else ctypes.c_size_t(int(x)) for x in given
                ]
                for b in range(grid[0]):
                    for t in range(block[0]):
                        self.library.at(b, block[0], t)
                        getattr(self.library, name)(*passed)

            return launch

    made.launches, made.ndarray, made.asarray, made.RawModule = [], Array, on_gpu, RawModule
    made.empty = lambda shape, dtype: np.full(shape, np.nan, dtype).view(Array)
    made.ascontiguousarray = lambda x: np.ascontiguousarray(x).view(Array)
    made.broadcast_to = lambda x, shape: np.broadcast_to(x, shape).view(Array)
    made.cuda = SimpleNamespace(Device=Device, runtime=SimpleNamespace(getDeviceCount=lambda: 1))
    monkeypatch.setitem(sys.modules, "cupy", made)
    return made


@pytest.fixture(scope="module")
def tree():
    return kt.random_tree(3, seed=1, base="free")


TOLERANCE = {"float64": 1e-12, "float32": 2e-4}
"""Relative to the largest entry; sums and quotients of forward dynamics lose two digits."""


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_numbers_and_broadcasting_are_those_of_the_kernel(dtype, cupy, tree):
    robot = kt.Robot(tree.model, dtype=dtype)
    q, v, tau = robot.random((150,), seed=0), rng.normal(size=robot.nv), rng.normal(size=(2, 1, robot.nv))
    run = kt.cuda.function("forward_dynamics", robot)
    for given in ((q, v, tau), (q[0], v, tau[0, 0]), (q[:0], v, tau), (q[::2], v[None], tau[:, :, ::-1])):
        found, expected = run(*map(on_gpu, given)), robot.forward_dynamics(*given)
        assert isinstance(found, Array) and found.dtype == dtype and found.shape == expected.shape
        np.testing.assert_allclose(found, expected, atol=TOLERANCE[dtype] * np.abs(expected).max(initial=1.0))
    assert cupy.launches == [384, 128, 256]  # one for each batch, none for an empty one


def test_derivatives_choices_parameters_and_loops(cupy, tree):
    arm = kt.cuda.Robot(tree)
    q, v, weight = tree.random(5, seed=1), rng.normal(size=(5, tree.nv)), rng.normal(size=tree.nv)
    pull = kt.vjp(kt.algorithms.inverse_dynamics, wrt=("q", "v"))
    found = kt.cuda.function(pull, tree)(*map(on_gpu, (q, v, v, weight)))
    for x, y in zip(found, tree.kernel(pull)(q, v, v, weight), strict=True):
        np.testing.assert_allclose(x, y, atol=1e-11)
    frame, inertial = tree.frame_names[-1], 1.1 * tree.parameters("inertial")
    heavy = tree.with_parameters(inertial=inertial)
    np.testing.assert_allclose(arm.gravity(on_gpu(q), inertial=on_gpu(inertial)), heavy.gravity(q), atol=1e-11)
    np.testing.assert_allclose(arm.pose(on_gpu(q), frame=frame), tree.pose(q, frame=frame), atol=1e-14)

    def cost(model, q, v, tau, dt):
        def one(carry, tau):
            q, v, total = carry
            return (*kt.algorithms.step(model, q, v, tau, dt), total + tau @ tau), None

        (q, v, total), _ = kt.arrays.scan(one, (q, v, 0.0), tau)
        return total + q @ q

    kernel = kt.compile(kt.jacobian(cost, wrt="tau"), kt.load("planar2r"), shapes={"tau": ("t", 2)})
    states = rng.normal(size=(4, 2)), rng.normal(size=2), rng.normal(size=(4, 3, 2))
    found = kt.cuda.function(kernel)(*map(on_gpu, states), 0.01)  # with memory for what loops leave each other
    np.testing.assert_allclose(found, kernel(*states, 0.01), atol=1e-13)


def test_wrong_use_is_named(cupy, tree):
    arm, q = kt.cuda.Robot(kt.load("planar2r")), on_gpu(np.zeros((3, 2)))
    other = q.copy()
    other.gpu = 1
    for call, message in {
        lambda: arm.gravity(np.zeros(2)): "gravity: q is not on the GPU, but a ndarray: cupy.asarray moves it there",
        lambda: arm.gravity(on_gpu(np.zeros(3))): r"gravity: q must have shape \(..., 2\), got \(3,\)",
        lambda: arm.gravity(on_gpu(np.zeros(2, complex))): "must hold real numbers, got dtype complex128",
        lambda: arm.inverse_dynamics(q, other, q): "arrays are on several GPUs: q on 0, v on 1",
        lambda: arm.inverse_dynamics(q, q[:2], q): r"do not broadcast: q \(3,\), v \(2,\), a \(3,\)",
        lambda: kt.cuda.function("gravity", arm.robot)(q, q): r"takes 1 array \(q\), got 2",
        lambda: kt.cuda.function("gravity"): "a robot is missing",
    }.items():
        with pytest.raises(kt.InputError, match=message):
            call()
    with pytest.raises(AttributeError, match="did you mean 'gravity'"):
        arm.gravty(q)


def test_without_a_gpu_the_error_says_so(cupy, monkeypatch):
    robot = kt.load("planar2r")

    def missing():
        raise RuntimeError("cudaErrorNoDevice: no CUDA-capable\ndevice")

    cupy.cuda.runtime.getDeviceCount = missing
    with pytest.raises(kt.InputError, match="needs a GPU: CUDA says 'cudaErrorNoDevice: no CUDA-capable device'"):
        kt.cuda.function("gravity", robot)
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(
        kt.InputError, match=r"^kinetrace.cuda needs cupy-cuda12x: pip install cupy-.* \(the extra 'cuda'"
    ):
        kt.cuda.Robot(robot)
    assert "gravity_function_states" in kt.cuda.source("gravity", robot)


def text_with_all():
    """Of a small robot, with numbers that a compiler at run time has no names for."""

    def function(model, q, v, tau):
        a = kt.algorithms.forward_dynamics(model, q, v, tau)
        return kt.arrays.where(kt.arrays.less(a, 0.0), float("nan"), kt.arrays.minimum(a, float("inf")))

    return kt.cuda.source(function, kt.load("planar2r", dtype="float32")), ".visible .entry function_function_states("


def test_nvcc_compiles_the_text(tmp_path):
    nvcc, (text, entry) = needed("nvcc"), text_with_all()
    (tmp_path / "k.cu").write_text(text)
    command = [nvcc, "-ptx", "-Werror", "all-warnings", "k.cu"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stdout + done.stderr
    assert entry in (tmp_path / "k.ptx").read_text()


def test_the_compiler_at_run_time_takes_the_text():
    """NVRTC, which CuPy calls, has no headers: it comes with CUDA, and in packages of its own."""
    found = [file for folder in sys.path for file in Path(folder).glob("nvidia/*/lib/libnvrtc.so.*")]
    library = str(found[0]) if found else find_library("nvrtc") or pytest.skip("NVRTC is not here")
    nvrtc, program, size, (text, entry) = ctypes.CDLL(library), ctypes.c_void_p(), ctypes.c_size_t(), text_with_all()
    assert nvrtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"k.cu", 0, None, None) == 0
    assert nvrtc.nvrtcCompileProgram(program, 1, (ctypes.c_char_p * 1)(b"--std=c++17")) == 0
    nvrtc.nvrtcGetPTXSize(program, ctypes.byref(size))
    ptx = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetPTX(program, ptx)
    assert entry in ptx.value.decode()


def test_on_a_gpu():
    if find_spec("cupy") is None:
        pytest.skip("CuPy is not here")
    import cupy

    robot = kt.load("panda")
    try:
        arm = kt.cuda.Robot(robot)
    except kt.InputError as error:
        pytest.skip(str(error))
    q, v, a = robot.random(1000, seed=0), np.zeros(7), rng.normal(size=(1000, 7))
    found = arm.inverse_dynamics(*map(cupy.asarray, (q, v, a)))
    np.testing.assert_allclose(cupy.asnumpy(found), robot.inverse_dynamics(q, v, a), atol=1e-10)
