"""Robots and kernels on a GPU: generated CUDA, compiled and launched by CuPy, one launch per batch."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, final

import numpy as np

from ...engine.runtime import arguments
from ...engine.runtime.kernel import Kernel
from ...engine.targets.text import cuda
from ...engine.targets.text.unit import Unit, unit
from ...engine.trace import Argument
from ...errors import InputError
from ...robot import Robot as NumPyRobot
from ...support.attributes import cached_property, memo
from ...support.optional import require_package
from ...support.public_names import listing as _listing
from ..methods import RobotMethods, kernel_of

MOST_STATES = (2**31 - 1) * cuda.BLOCK_THREADS
"""Threads of one launch."""


def function(
    what: str | Callable[..., Any] | Kernel, robot: NumPyRobot | None = None, **settings: Any
) -> Callable[..., Any]:
    """Function on the GPU of an algorithm, of any function of (model, q, ...), or of a kernel.

    It takes and returns CuPy arrays with leading batch axes, which broadcast as in the kernel, and runs in one launch
    on CuPy's current stream. Arrays of others on the GPU, such as tensors of PyTorch, are used where they are.

    Parameters
    ----------
    what : str, callable or Kernel
        Name of an algorithm or function of (model, q, ...), for a robot; or a kernel of `compile` or `Robot.kernel`.
        Derivatives such as `kt.vjp(f)` are functions too.
    robot : Robot, optional
        Robot that the function is of; None if a kernel is given.
    **settings
        Keywords of `Robot.kernel`: `inputs`, `shapes`, and choices such as `frame`.

    Returns
    -------
    callable
        Function of the arrays of the kernel, in its precision. An array must have the shape of the kernel's argument
        behind batch axes and be on the GPU; numbers may be Python's.

    Raises
    ------
    InputError
        If CuPy or a GPU is missing, or the kernel is not found; calls raise it for wrong shapes and kinds of arrays.

    Examples
    --------
    >>> import kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> torque = kt.cuda.function("inverse_dynamics", robot)  # doctest: +SKIP
    >>> torque(cupy.zeros((100_000, 2)), cupy.zeros(2), cupy.ones(2)).shape  # doctest: +SKIP
    (100000, 2)
    """
    launcher = launcher_of(kernel_of(what, robot, settings))
    check_device()

    def call(*arrays: Any) -> Any:
        return launcher(*arrays)

    call.__doc__ = f"{launcher.kernel.__doc__}, on CuPy arrays with leading batch axes."
    call.__name__ = call.__qualname__ = launcher.kernel.__name__
    return call


def source(what: str | Callable[..., Any] | Kernel, robot: NumPyRobot | None = None, **settings: Any) -> str:
    """CUDA source of an algorithm, of any function of (model, q, ...), or of a kernel.

    It is what `function` compiles: text for NVRTC or nvcc that includes nothing of the host. It needs no GPU. The
    launch of `NAME_states` has one thread per state; its parameters are the number of states, lengths of loops, each
    input with its step from state to state (in numbers, zero for one state for all), and the outputs.

    Parameters
    ----------
    what : str, callable or Kernel
        Name of an algorithm or function of (model, q, ...), for a robot; or a kernel of `compile` or `Robot.kernel`.
    robot : Robot, optional
        Robot that the function is of; None if a kernel is given.
    **settings
        Keywords of `Robot.kernel`: `inputs`, `shapes`, and choices such as `frame`.

    Returns
    -------
    str
        The text.

    Raises
    ------
    InputError
        If the kernel is not found.

    Examples
    --------
    >>> import kinetrace as kt
    >>> text = kt.cuda.source("mass_matrix", kt.load("planar2r"))
    >>> print(text[text.index("extern") :])
    extern "C" __global__ void mass_matrix_states(
        size_t n,
        const double *__restrict__ q,
        size_t q_step,
        double *__restrict__ out)
    {
        const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) {
            mass_matrix(q + q_step * i, out + 4 * i);
        }
    }
    <BLANKLINE>
    """
    return launcher_of(kernel_of(what, robot, settings)).text


def launcher_of(kernel: Kernel) -> Launcher:
    """Launcher of a kernel: one for each."""
    return memo(kernel, Launcher, lambda: Launcher(kernel))


def check_device() -> Any:
    """CuPy, or an error unless it is there and finds a GPU."""
    cupy = require_package("cupy", "kinetrace.cuda", "cuda")
    try:
        devices = cupy.cuda.runtime.getDeviceCount()
    except Exception as error:  # CuPy's own kinds of them are found in modules that may be missing
        raise InputError(f"kinetrace.cuda needs a GPU: CUDA says {' '.join(str(error).split())!r}") from None
    if not devices:
        raise InputError("kinetrace.cuda needs a GPU: CUDA finds none")
    return cupy


class Launcher:
    """A kernel on the GPU."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self._functions: dict[int, Any] = {}
        """Device → the compiled kernel."""

    @cached_property
    def unit(self) -> Unit:
        """The program with its names."""
        return unit(self.kernel.program, dtype=self.kernel.dtype.name)

    @cached_property
    def text(self) -> str:
        """The source."""
        return cuda.device(self.unit)

    def __call__(self, *given: Any) -> Any:
        """The results for arrays on the GPU."""
        cupy, program = check_device(), self.kernel.program
        arguments.check_number(program, given)
        arrays = [self._array(cupy, a, x) for a, x in zip(program.inputs, given, strict=True)]
        batch, device = arguments.check(program, tuple(arrays)), self._device(cupy, arrays)
        with device:
            made = self._launch(cupy, device, batch, [cupy.asarray(x, dtype=self.kernel.dtype) for x in arrays])
        return made if len(made) > 1 else made[0]

    def _array(self, cupy: Any, a: Argument, x: Any) -> Any:
        """An array of the GPU, as it is or by its interface; numbers are moved there later."""
        what = f"{self.kernel.__name__}: {a.name}"
        if isinstance(x, int | float | np.floating | np.integer) and not a.shape:
            x = np.asarray(x, dtype=self.kernel.dtype)
        elif not isinstance(x, cupy.ndarray):
            if not hasattr(x, "__cuda_array_interface__"):
                raise InputError(f"{what} is not on the GPU, but a {type(x).__name__}: cupy.asarray moves it there")
            x = cupy.asarray(x)
        if not np.can_cast(x.dtype, np.float64, "safe"):  # `check` would take it for an array that NumPy was given
            raise InputError(f"{what} must hold real numbers, got dtype {x.dtype}")
        return x

    def _device(self, cupy: Any, arrays: list[Any]) -> Any:
        """The one that all arrays are on."""
        names: dict[int, str] = {}
        for x, a in zip(arrays, self.kernel.program.inputs, strict=True):
            if isinstance(x, cupy.ndarray):  # not a number, which is moved there
                names.setdefault(x.device.id, a.name)
        if len(names) > 1:
            places = ", ".join(f"{name} on {k}" for k, name in names.items())
            raise InputError(f"{self.kernel.__name__}: arrays are on several GPUs: {places}")
        return cupy.cuda.Device(*names)

    def _launch(self, cupy: Any, device: Any, batch: tuple[int, ...], arrays: list[Any]) -> tuple[Any, ...]:
        program, n = self.kernel.program, math.prod(batch)
        known = arguments.lengths(program, tuple(arrays))
        if n > MOST_STATES:
            raise InputError(f"{self.kernel.__name__}: {n:,} states are more than a launch takes, {MOST_STATES:,}")
        shapes = [(*batch, *arguments.shape_for(a, known)) for a in program.outputs]
        outputs = tuple(cupy.empty(shape, self.kernel.dtype) for shape in shapes)
        if n == 0:
            return outputs
        rows = [_rows(cupy, x, len(a.shape), batch) for x, a in zip(arrays, program.inputs, strict=True)]
        sizes = [known[name] for name in self.unit.lengths]
        parameters: list[Any] = [np.uint64(k) for k in (n, *sizes)]
        for x, step in rows:
            parameters += [x, np.uint64(step)]
        parameters += outputs
        if self.unit.kept:
            parameters.append(cupy.empty(n * self._workspace(known), self.kernel.dtype))
        blocks = -(-n // cuda.BLOCK_THREADS)
        self._compile(cupy, device)((blocks,), (cuda.BLOCK_THREADS,), tuple(parameters))
        return outputs

    def _workspace(self, known: dict[str, int]) -> int:
        """Numbers that one state keeps for its loops."""
        words = {word: known[name] for name, word in self.unit.lengths.items()}
        factors = (self.unit.kept_factors(k) for k in self.unit.kept)
        return sum(math.prod(words[x] if x in words else int(x) for x in each) for each in factors)

    def _compile(self, cupy: Any, device: Any) -> Any:
        """The kernel for a device."""
        if device.id not in self._functions:
            module = cupy.RawModule(code=self.text, options=("--std=c++17",))
            self._functions[device.id] = module.get_function(f"{self.unit.name}_states")
        return self._functions[device.id]


def _rows(cupy: Any, x: Any, axes: int, batch: tuple[int, ...]) -> tuple[Any, int]:
    """An array whose states stand one after another, with its step from state to state: copied only if it must be."""
    split = x.ndim - axes
    size = math.prod(x.shape[split:])
    if math.prod(x.shape[:split]) == 1:
        return cupy.ascontiguousarray(x), 0
    if x.shape[:split] != batch:
        x = cupy.broadcast_to(x, (*batch, *x.shape[split:]))
    return cupy.ascontiguousarray(x), size


@final
class CudaRobot(RobotMethods):
    """Robot whose methods run on a GPU, on CuPy arrays with leading batch axes.

    All methods of `kinetrace.Robot` that are compiled are here, `inverse_dynamics`, `pose`, `jacobian` and so on, with
    their arguments. They return CuPy arrays, in one launch each, on CuPy's current stream. Parameters of the robot
    ("inertial", "gravity", …; see `Robot.parameters`) may be given to any of them by name.

    Parameters
    ----------
    robot : Robot
        The robot; its precision is that of the results.

    Raises
    ------
    InputError
        If CuPy or a GPU is missing; methods raise it for wrong arguments.

    Examples
    --------
    >>> import kinetrace as kt
    >>> arm = kt.cuda.Robot(kt.load("panda", dtype="float32"))  # doctest: +SKIP
    >>> arm.mass_matrix(cupy.zeros((1_000_000, 7), "float32")).shape  # doctest: +SKIP
    (1000000, 7, 7)
    """

    framework = "CuPy"
    public_name = "kt.cuda.Robot"
    array = "cupy.ndarray"

    def __init__(self, robot: NumPyRobot) -> None:
        super().__init__(robot)
        check_device()

    def _evaluate(self, kernel: Kernel, arrays: tuple[Any, ...]) -> Any:
        return launcher_of(kernel)(*arrays)

    def _numbers(self, x: Any) -> Any:
        cupy = check_device()
        return cupy.asnumpy(cupy.asarray(x)) if hasattr(x, "__cuda_array_interface__") else x


Robot = CudaRobot
__all__ = ["Robot", "function", "source"]
__dir__ = _listing(__name__)
