"""`Robot` and `function`: kernels on the arrays of JAX."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ...engine.runtime import arguments
from ...engine.runtime.kernel import Kernel
from ...errors import InputError, ShapeError
from ...model.arguments import with_size_hint
from ...robot import Robot as NumPyRobot
from ...robot.dispatch import UNKNOWN
from ...support.attributes import memo
from ..differentiable import DerivativeFamily
from ..methods import RobotMethods, importable, kernel_of
from . import primitive


class JaxFunction:
    """Kernel on arrays of JAX, made by `function`.

    Parameters
    ----------
    kernel : Kernel
        Kernel of `kinetrace.compile`.

    Attributes
    ----------
    kernel : Kernel
        The same.

    Raises
    ------
    InputError
        If the kernel is compact, or was made of a program.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> gravity = kt.jax.function("gravity", kt.load("planar2r"))
    >>> print(np.asarray(gravity([0.0, 0.5])).round(2))
    [19.02  4.3 ]
    """

    def __init__(self, kernel: Kernel) -> None:
        self.kernel, self.__name__, self.__doc__ = kernel, kernel.__name__, kernel.__doc__
        DerivativeFamily.of(kernel)  # says if it cannot be differentiated
        self._jitted = jax.jit(self._evaluate, inline=True)

    def __call__(self, *arrays: Any) -> Any:
        """Evaluate on arrays with the shapes of `kernel.program.inputs` after any batch axes, which broadcast."""
        try:
            return self._jitted(*map(_native, arrays))
        except InputError:
            raise
        except (TypeError, ValueError) as error:
            if any(isinstance(x, jax.core.Tracer) for x in arrays):
                raise
            refused = error
        arguments.check(self.kernel.program, arguments.plain_arrays(self.kernel.program, arrays))
        raise refused  # JAX's own: nothing is wrong with the arrays

    def _evaluate(self, *given: Any) -> Any:
        """The same, on arrays of JAX: only their shapes and types are known."""
        kernel = self.kernel
        for x, a in zip(given, kernel.program.inputs, strict=False):
            if x is None:  # NaN, to some versions of JAX
                raise InputError(f"{kernel.__name__}: {a.name} must hold real numbers, got None")
        xs: list[Any] = [jnp.asarray(x) for x in given]
        for x, a in zip(xs, kernel.program.inputs, strict=False):
            if not any(jnp.issubdtype(x.dtype, kind) for kind in (jnp.floating, jnp.integer, jnp.bool_)):
                raise InputError(f"{kernel.__name__}: {a.name} must hold real numbers, got dtype {x.dtype}")
            if not all(isinstance(n, int) for n in x.shape):
                raise InputError(f"{kernel.__name__}: {a.name} has lengths without a number: {x.shape}; give numbers")
        try:
            batch = arguments.check(kernel.program, tuple(xs))
        except ShapeError as error:
            raise with_size_hint(DerivativeFamily.of(kernel).model, error) from None
        dtype = jnp.promote_types(jnp.result_type(float, *xs), jnp.float32)
        filled = [x.astype(dtype) for x, a in zip(xs, kernel.program.inputs, strict=True) if a.size]
        made = primitive.call(DerivativeFamily.of(kernel, dtype.name).filled, *filled)
        if len(filled) < len(xs):  # the others may have batch axes
            cores = [x.shape[x.ndim - len(a.shape) :] for x, a in zip(made, kernel.program.outputs, strict=True)]
            made = [jnp.broadcast_to(x, (*batch, *core)) for x, core in zip(made, cores, strict=True)]
        return made[0] if len(made) == 1 else tuple(made)

    def __reduce__(self) -> Any:
        return of, (importable(self.kernel),)

    def __repr__(self) -> str:
        return f"<{self.kernel!r} for JAX>"


def _native(x: Any) -> Any:
    """An argument in the byte order of this machine: JAX reads the other one wrongly, or refuses it."""
    if isinstance(x, np.ndarray):
        return x if x.dtype.isnative else x.astype(x.dtype.newbyteorder("="))
    return [_native(y) for y in x] if isinstance(x, list | tuple) else x


def of(kernel: Kernel) -> JaxFunction:
    """The function of a kernel, made once."""
    return memo(kernel, JaxFunction, lambda: JaxFunction(kernel))


class JaxRobot(RobotMethods):
    """Robot whose methods take and return arrays of JAX.

    It has all methods of `kinetrace.Robot` that are kernels, with their names, arguments and choices. They run under
    `jax.jit`, `vmap`, `grad`, `jacfwd`, `jacrev`, `hessian` and `lax.scan`, to any order of derivatives, and outside of
    them. Arrays decide about the precision: float32, or float64 where JAX has it enabled. Parameters of the robot
    ("inertial", "gravity", ...; see `kinetrace.Robot.parameters`) may be given to any method by name.

    Derivatives are those of f(q / |q|), where |q| is the length of each quaternion in q: they exist along all nq
    entries, and are zero along the length of a quaternion. Kernels run on the CPU.

    Parameters
    ----------
    robot : kinetrace.Robot
        Robot of `kinetrace.load`.

    Attributes
    ----------
    robot : kinetrace.Robot
        The same.

    Raises
    ------
    InputError
        If it is no robot, or JAX is not installed.

    Examples
    --------
    >>> import jax, numpy as np, kinetrace as kt
    >>> arm = kt.jax.Robot(kt.load("planar2r"))
    >>> q = jax.numpy.array([0.0, 0.5])
    >>> print(np.asarray(arm.gravity(q)).round(2))
    [19.02  4.3 ]
    >>> print(np.asarray(jax.jit(jax.grad(lambda q: arm.gravity(q)[0]))(q)).round(2))
    [-2.35 -2.35]
    """

    framework = "JAX"
    public_name = "kt.jax.Robot"
    array = "jax.Array"

    def _evaluate(self, kernel: Kernel, arrays: tuple[Any, ...]) -> Any:
        return of(kernel)(*arrays)

    def _numbers(self, x: Any) -> Any:
        return UNKNOWN if isinstance(x, jax.core.Tracer) else super()._numbers(x)


def function(what: str | Callable[..., Any] | Kernel, robot: NumPyRobot | None = None, **settings: Any) -> JaxFunction:
    """Make a function of arrays of JAX from a kernel.

    It runs under `jax.jit`, `vmap`, `grad` and all that is made of them, and outside of them: see `Robot`.

    Parameters
    ----------
    what : Kernel or str or callable
        Kernel of `kinetrace.compile`, name of an algorithm, or function of (model, q, ...).
    robot : kinetrace.Robot, optional
        Robot to compile for, unless a kernel is given.
    **settings
        Further keywords of `kinetrace.Robot.kernel`: choices of the algorithm, `inputs`, `shapes`.

    Returns
    -------
    Function
        Function of arrays with the shapes of `kernel.program.inputs` after any batch axes, which broadcast.

    Raises
    ------
    InputError
        If a robot is missing, a setting is unknown, the kernel is compact, or JAX is not installed.

    Examples
    --------
    >>> import jax, numpy as np, kinetrace as kt
    >>> def height(model, q):
    ...     return kt.algorithms.pose(model, q, frame="tip")[2, 3]

    >>> f = kt.jax.function(height, kt.load("planar2r"))
    >>> print(np.asarray(jax.grad(f)(jax.numpy.array([0.5, 0.0]))).round(3))
    [1.755 0.878]
    """
    return of(kernel_of(what, robot, settings))
