"""Functions of tensors that a kernel evaluates."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import reduce
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
import torch

from ...engine.runtime.kernel import Kernel
from ...errors import InputError, ShapeError, count_text
from ...model.arguments import with_size_hint
from ...robot import Robot as NumPyRobot
from ...support.conversion import as_array
from ..differentiable import DerivativeFamily
from ..methods import importable, kernel_of
from .operator import Operator
from .private import constant

PRECISIONS = {torch.float64: "float64", torch.float32: "float32"}
"""The dtypes of tensors that kernels exist for."""
_objects: WeakValueDictionary[str, Any] = WeakValueDictionary()


def key_of(thing: Any) -> str:
    """A new key of an object, for functions that are `constant`.

    >>> thing = frozenset([1])
    >>> of_key(key_of(thing)) is thing
    True
    """
    key = os.urandom(16).hex()
    _objects[key] = thing
    return key


def of_key(key: str) -> Any:
    """The object of a key."""
    return _objects[key]


class TorchFunction:
    """Function of tensors with leading batch axes that a kernel evaluates, with derivatives of any order.

    `kinetrace.torch.function` makes it. It works under autograd, forward mode, `torch.func`, `torch.compile` and
    `torch.export`, and can be pickled if the kernel's function can be imported. The kernel reads and writes the memory
    of the tensors.

    Parameters
    ----------
    kernel : Kernel
        Kernel of `kinetrace.compile` or `Robot.kernel`.

    Raises
    ------
    InputError
        If the kernel cannot be differentiated: it is compact, or made of a program.

    Examples
    --------
    >>> import torch, kinetrace as kt
    >>> gravity = kt.torch.Function(kt.load("planar2r").kernel("gravity"))
    >>> gravity(torch.zeros(2, dtype=torch.float64))
    tensor([19.6200,  4.9050], dtype=torch.float64)
    """

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.__name__, self.__doc__ = kernel.__name__, kernel.__doc__
        family = DerivativeFamily.of(kernel)
        self.names, self._model = family.names, family.model
        self._operators: dict[Any, Operator] = {}
        self._key = key_of(self)

    def __call__(self, *arrays: Any) -> Any:
        """The results for tensors, or lists of tensors; numbers, lists of them and NumPy arrays are constants."""
        arrays = ready(self.__name__, self.names, arrays)
        dtype = arrays[0].dtype if arrays else torch.get_default_dtype()
        if torch.compiler.is_compiling():
            return call_operator(_operator_name(self._key, dtype), arrays)
        try:
            return self.operator(dtype)(*arrays)
        except ShapeError as error:
            raise with_size_hint(self._model, error) from None

    def operator(self, dtype: Any) -> Operator:
        """Operator for tensors of a dtype, made when it is first needed.

        Parameters
        ----------
        dtype : torch.dtype
            One of float64 and float32.

        Returns
        -------
        Operator
            Its `call` is what graphs of PyTorch contain.

        Examples
        --------
        >>> import torch, kinetrace as kt
        >>> kt.torch.function("gravity", kt.load("planar2r")).operator(torch.float32).call
        <OpOverload(op='kinetrace.gravity_...', overload='default')>
        """
        operator = self._operators.get(dtype)
        if operator is None:
            operator = self._operators[dtype] = Operator.of(DerivativeFamily.of(self.kernel, PRECISIONS[dtype]))
        return operator

    def __reduce__(self) -> Any:
        return TorchFunction, (importable(self.kernel),)

    def __repr__(self) -> str:
        return f"<{self.__name__}({', '.join(self.names)}) of tensors>"


def function(
    what: str | Callable[..., Any] | Kernel, robot: NumPyRobot | None = None, **settings: Any
) -> TorchFunction:
    """Function of tensors that a kernel evaluates, with derivatives of any order.

    Tensors of float64 and float32 are computed in their own precision, mixed ones are promoted as PyTorch does,
    integers become floats of its default dtype. Gradients, forward mode, `torch.func`, `torch.compile` and
    `torch.export` work; derivatives are kernels too, compiled when they are first needed. Tensors are not copied.
    Quaternions are scaled to unit length first, so there are derivatives along all entries of a configuration.

    Parameters
    ----------
    what : Kernel or str or callable
        Kernel of `kinetrace.compile`; or the name of an algorithm, or a function of (model, q, ...), for a robot.
    robot : Robot, optional
        The robot, unless `what` is a kernel.
    **settings
        Choices of the function, and the keywords of `Robot.kernel`, such as ``inputs="inertial"``.

    Returns
    -------
    Function
        Function of tensors in the order of the kernel's arrays, with leading batch axes that broadcast.

    Raises
    ------
    InputError
        If the robot is missing, or the kernel cannot be differentiated.

    Examples
    --------
    >>> import torch, kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> def height(model, q):
    ...     return kt.algorithms.pose(model, q, frame="tip")[2, 3]
    >>> f = kt.torch.function(height, robot)
    >>> q = torch.tensor([0.5, 0.0], dtype=torch.float64, requires_grad=True)
    >>> f(q).backward()
    >>> q.grad
    tensor([1.7552, 0.8776], dtype=torch.float64)
    >>> torch.func.hessian(f)(q.detach())
    tensor([[-0.9589, -0.4794],
            [-0.4794, -0.4794]], dtype=torch.float64)
    """
    return TorchFunction(kernel_of(what, robot, settings))


@constant
def _operator_name(key: str, dtype: Any) -> str:
    function: TorchFunction = of_key(key)
    return function.operator(dtype).name


def call_operator(operator: str, arrays: tuple[torch.Tensor, ...]) -> Any:
    """The results of an operator, by its name: what the compiler can trace."""
    return getattr(torch.ops.kinetrace, operator).default(*arrays)


def ready(function: str, names: tuple[str, ...], arrays: tuple[Any, ...]) -> tuple[torch.Tensor, ...]:
    """All of them as tensors of one precision, by the rules of PyTorch; or an error that names the wrong one.

    `function` and `names` are what it and its arrays are called.

    >>> ready("sum", ("x", "y"), (torch.ones(2, dtype=torch.float64), 2.0))[1]
    tensor(2., dtype=torch.float64)
    """
    dtype = arrays[0].dtype if arrays and isinstance(arrays[0], torch.Tensor) else None
    if dtype in PRECISIONS and len(arrays) == len(names):
        for x in arrays:
            if not (isinstance(x, torch.Tensor) and x.dtype is dtype and x.is_cpu and x.layout is torch.strided):
                break
        else:
            return arrays
    return _convert(function, names, arrays)


def _convert(function: str, names: tuple[str, ...], arrays: tuple[Any, ...]) -> tuple[torch.Tensor, ...]:
    """Arrays of any kind as tensors of one precision; see `ready`."""
    if len(arrays) != len(names):
        raise InputError(f"{function} takes {count_text(len(names), 'array')} ({', '.join(names)}), got {len(arrays)}")
    inputs = {name: _tensors(f"{function}: {name}", x) for name, x in zip(names, arrays, strict=True)}
    tensors = {name: x for name, x in inputs.items() if isinstance(x, torch.Tensor)}
    dtype = _common_dtype(list(tensors.values()))
    _check_dtypes(function, inputs, dtype)
    _check_devices(function, tensors)
    device = "meta" if any(x.is_meta for x in tensors.values()) else "cpu"
    return tuple(
        x.to(dtype) if isinstance(x, torch.Tensor) else _numbers(f"{function}: {name}", x, dtype, device)
        for name, x in inputs.items()
    )


def _check_dtypes(function: str, inputs: dict[str, Any], dtype: torch.dtype) -> None:
    """An error if a tensor, or all of them together, have a precision that kernels do not exist for."""
    floats = [x.dtype for x in inputs.values() if isinstance(x, torch.Tensor) and _is_inexact(x)]
    wrong = [x for x in (*floats, dtype) if x not in PRECISIONS]
    if wrong:
        kinds = ", ".join(f"{name} {_kind(x)}" for name, x in inputs.items())
        raise InputError(f"{function}: kernels compute in float64 or float32, not {_plain_name(wrong[0])}; got {kinds}")


def _is_inexact(x: torch.Tensor) -> bool:
    return x.is_floating_point() or x.is_complex()


def _check_devices(function: str, tensors: dict[str, torch.Tensor]) -> None:
    """An error if tensors are not in the memory of the processor, all of them or none have numbers, or are sparse."""
    for name, x in tensors.items():
        if not (x.is_cpu or x.is_meta):
            raise InputError(f"{function}: {name} is on {x.device}, but kernels run on the processor: {name}.cpu()")
        if x.layout is not torch.strided:
            raise InputError(f"{function}: {name} is {_plain_name(x.layout)}; pass {name}.to_dense()")
    if len({x.is_meta for x in tensors.values()}) > 1:
        devices = ", ".join(f"{name} on {x.device}" for name, x in tensors.items())
        raise InputError(
            f"{function}: tensors of device meta have no numbers, and cannot be mixed with others: {devices}"
        )


def _common_dtype(tensors: list[torch.Tensor]) -> torch.dtype:
    """The dtype of all in PyTorch's arithmetic: tensors without axes count less, integers become default floats."""
    groups = [[x.dtype for x in tensors if bool(x.ndim) is axes] for axes in (True, False)]
    kinds = [reduce(torch.promote_types, group) for group in groups if group]
    if len(kinds) == 2:
        kinds = [torch.result_type(torch.empty(1, dtype=kinds[0]), torch.empty((), dtype=kinds[1]))]
    return kinds[0] if kinds and (kinds[0].is_floating_point or kinds[0].is_complex) else torch.get_default_dtype()


def _tensors(what: str, x: Any) -> Any:
    """An array, or a list with tensors in it, as a tensor, which has their gradients; all else as it is."""
    if isinstance(x, np.ndarray):
        return _from_numpy(what, x)
    if isinstance(x, list | tuple) and _holds_tensor(x):
        rows = [_tensors(what, row) for row in x]
        dtype = _common_dtype([row for row in rows if isinstance(row, torch.Tensor)])
        try:
            return torch.stack(
                [row.to(dtype) if isinstance(row, torch.Tensor) else torch.as_tensor(row, dtype=dtype) for row in rows]
            )
        except (TypeError, ValueError, RuntimeError) as error:
            raise InputError(f"{what} is a list whose tensors cannot be stacked: {error}") from None
    return x


def _holds_tensor(x: Any) -> bool:
    return isinstance(x, torch.Tensor) or (isinstance(x, list | tuple) and any(map(_holds_tensor, x)))


def _from_numpy(what: str, x: Any) -> torch.Tensor:
    """An array as a tensor on its memory, if it may be written and has a layout that tensors have."""
    if x.dtype.kind not in "fiub" or x.dtype.itemsize > 8:
        raise InputError(f"{what} must hold real numbers of up to 64 bits, got dtype {x.dtype}")
    steps = all(step >= 0 and step % x.itemsize == 0 for step in x.strides)
    plain = steps and x.flags.writeable and x.dtype.isnative
    return torch.from_numpy(x if plain else x.astype(x.dtype.newbyteorder("="), order="C"))


def _numbers(what: str, x: Any, dtype: torch.dtype, device: str) -> torch.Tensor:
    if isinstance(x, list | tuple) and any(isinstance(row, np.ndarray) for row in x):  # slow row by row
        x = as_array(what, x)
    try:
        return torch.as_tensor(x, dtype=dtype, device=device)
    except (TypeError, ValueError, RuntimeError) as error:
        raise InputError(f"{what} must be a tensor or numbers, got {type(x).__name__}: {error}") from None


def _kind(x: Any) -> str:
    return _plain_name(x.dtype) if isinstance(x, torch.Tensor) else type(x).__name__


def _plain_name(x: Any) -> str:
    return str(x).removeprefix("torch.")
