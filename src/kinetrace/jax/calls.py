"""`Robot` and `function`: kernels on the arrays of JAX."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from ..codegen.runtime import arguments
from ..codegen.runtime.kernel import Kernel
from ..errors import InputError, ShapeError
from ..frameworks.family import Family
from ..frameworks.methods import RobotMethods, kernel_of
from ..model.arguments import size_hint
from ..robot import Robot as NumPyRobot
from . import primitive


class Function:
    """A kernel on arrays of JAX: under `jit`, `vmap`, `grad` and all that is made of them, and by itself."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel, self.__name__, self.__doc__ = kernel, kernel.__name__, kernel.__doc__
        Family.of(kernel)  # says if it cannot be differentiated
        self._jitted = jax.jit(self._evaluate, inline=True)

    @staticmethod
    def of(kernel: Kernel) -> Function:
        """That of a kernel, made once."""
        if "_in_jax" not in vars(kernel):
            vars(kernel).setdefault("_in_jax", Function(kernel))
        made: Function = vars(kernel)["_in_jax"]
        return made

    def __call__(self, *arrays: Any) -> Any:
        """Evaluate on arrays with the shapes of `kernel.program.inputs` after any batch axes, which broadcast."""
        try:
            return self._jitted(*arrays)
        except InputError:
            raise
        except (TypeError, ValueError) as error:
            if any(isinstance(x, jax.core.Tracer) for x in arrays):
                raise
            refused = error
        arguments.check(self.kernel.program, arguments.plain(self.kernel.program, arrays))
        raise refused  # JAX's own: nothing is wrong with the arrays

    def _evaluate(self, *given: Any) -> Any:
        """The same, on arrays of JAX: only their shapes and types are known."""
        xs, kernel = [jnp.asarray(x) for x in given], self.kernel
        for x, a in zip(xs, kernel.program.inputs, strict=False):
            if not any(jnp.issubdtype(x.dtype, kind) for kind in (jnp.floating, jnp.integer, jnp.bool_)):
                raise InputError(f"{kernel.__name__}: {a.name} must hold real numbers, got dtype {x.dtype}")
        try:
            arguments.check(kernel.program, tuple(xs))
        except ShapeError as error:
            model = kernel.origin.model  # type: ignore[union-attr]
            raise InputError(f"{error}{size_hint(model, error.argument, error.shape)}") from None
        dtype = jnp.promote_types(jnp.result_type(float, *xs), jnp.float32)
        made = primitive.call(Family.of(kernel, dtype.name), *(x.astype(dtype) for x in xs))
        return made[0] if len(made) == 1 else tuple(made)

    def __repr__(self) -> str:
        return f"<{self.kernel!r} for JAX>"


class Robot(RobotMethods):
    """ROBOT."""

    framework = "JAX"

    def _evaluate(self, kernel: Kernel, arrays: tuple[Any, ...]) -> Any:
        return Function.of(kernel)(*arrays)


def function(what: str | Callable[..., Any] | Kernel, robot: NumPyRobot | None = None, **settings: Any) -> Function:
    """FUNCTION."""
    return Function.of(kernel_of(what, robot, settings))
