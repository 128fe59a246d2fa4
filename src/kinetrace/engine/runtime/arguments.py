"""The arguments of a call: foreign objects become NumPy's own arrays here, once, before anything else looks at them.

Real numbers are what becomes float64 without loss of kind: booleans, integers, floats of up to 64 bits in any byte
order, and the small floats of other packages. NumPy casts them, to the precision of the kernel.

Arrays of Dask and xarray are answered in kind (`dask_arrays`, `xarray_arrays`): these modules are imported when such an
array arrives.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...errors import InputError, ShapeError, count_text
from ...support.conversion import as_array
from ...support.not_numbers import why_not_numbers
from ..trace import Argument, Program

if TYPE_CHECKING:
    from .batch import Batch

Arrays = tuple[npt.NDArray[Any], ...]
Shape = tuple[int, ...]
MOST_ROWS = 1 << 36
"""Passes of loops in one call: the bytes of all that is kept for them can be counted in 64 bits."""


_PLAIN_TYPES = frozenset((np.ndarray, list, tuple, float, int, bool, np.float64))


def foreign_evaluation(arrays: tuple[Any, ...]) -> Callable[..., Any] | None:
    """The function that evaluates a batch on these arrays, if one of them is of Dask or xarray."""
    if _PLAIN_TYPES.issuperset(map(type, arrays)):
        return None
    if any(map(is_xarray, arrays)):
        from . import xarray_arrays

        return xarray_arrays.evaluate
    if any(map(is_dask, arrays)):
        from . import dask_arrays

        return dask_arrays.evaluate
    return None


def is_xarray(x: Any) -> bool:
    """Whether it is an array of xarray."""
    xarray = sys.modules.get("xarray")
    return xarray is not None and isinstance(x, xarray.DataArray)


def is_dask(x: Any) -> bool:
    """Whether it is an array of Dask, or a table, which has one."""
    dask = sys.modules.get("dask.array")
    return dask is not None and (isinstance(x, dask.Array) or hasattr(x, "to_dask_array"))


def is_deferred(x: Any) -> bool:
    """Whether its numbers are computed when they are asked for, by Dask.

    >>> is_deferred([1.0])
    False
    """
    return type(x) not in _PLAIN_TYPES and (is_dask(x) or (is_xarray(x) and x.chunks is not None))


def check_tables(batch: Batch, arrays: tuple[Any, ...]) -> None:
    """An error if columns of a table, or entries of a series, are named in another order than the kernel's entries."""
    for x, a in zip(arrays, batch.program.inputs, strict=False):
        if type(x) in _PLAIN_TYPES:
            continue
        names = getattr(x, "columns", None)
        if names is None and hasattr(x, "to_numpy") and getattr(x, "ndim", 0) == 1:
            names = getattr(x, "index", None)
        if isinstance(names, Iterable):
            batch.labels.check_order(batch.program.name, a.name, names, f"{a.name}[{{order}}]")


class Signature(NamedTuple):
    """Name and arguments of a function; a program has them, too."""

    name: str
    inputs: tuple[Argument, ...]


def plain_arrays(program: Program, arrays: tuple[Any, ...]) -> Arrays:
    """All of them as arrays of no subclass; a masked entry is no number and is refused."""
    return tuple(plain_one(program, k, x) for k, x in enumerate(arrays))


def plain_one(program: Program, k: int, x: Any) -> npt.NDArray[Any]:
    """The one at place k as such an array."""
    name = program.inputs[k].name if k < len(program.inputs) else "an array"  # too many: `check` says so
    return as_array(f"{program.name}: {name}", x)


def targets(program: Program, out: Any) -> Arrays:
    """The arrays of `out`, of no subclass: as many as there are results, of floats."""
    given = out if isinstance(out, tuple) else (out,)
    if len(given) != len(program.outputs):
        raise InputError(f"{program.name}: out must be a tuple of {len(program.outputs)} arrays, got {len(given)}")
    for y in given:
        if type(y) is not np.ndarray or y.dtype.kind != "f":
            return tuple(_target(program.name, y) for y in given)
    return given


def _target(name: str, y: Any) -> npt.NDArray[Any]:
    if not isinstance(y, np.ndarray) or isinstance(y, np.ma.MaskedArray):
        raise InputError(f"{name}: out must be an array, got {type(y).__name__}")
    if y.dtype.kind != "f":
        raise InputError(f"{name}: out must hold floats, got dtype {y.dtype}")
    return np.asarray(y)


def check(program: Program | Signature, arrays: Arrays) -> Shape:
    """The batch shape, or an error that names the argument at fault."""
    check_number(program, arrays)
    shapes = [check_core(program, argument, x) for argument, x in zip(program.inputs, arrays, strict=True)]
    lengths(program, arrays)
    return broadcast(program, shapes)


def check_number(program: Program | Signature, arrays: tuple[Any, ...]) -> None:
    """An error unless there are as many arrays as the program takes."""
    if len(arrays) != len(program.inputs):
        names = ", ".join(a.name for a in program.inputs)
        told = f"{program.name} takes {count_text(len(program.inputs), 'array')} ({names})"
        raise InputError(f"{told}, got {len(arrays)}")


def check_core(program: Program | Signature, argument: Argument, x: Any) -> Shape:
    """The shape of an argument's batch axes, or an error that says what is wrong with its dtype or shape."""
    if not np.can_cast(x.dtype, np.float64, "safe"):
        raise InputError(why_not_numbers(f"{program.name}: {argument.name}", x))
    return check_shape(program, argument, x.shape)


def check_shape(program: Program | Signature, argument: Argument, shape: Shape) -> Shape:
    """The shape of the batch axes of an argument of this shape, or an error that says what is wrong with it."""
    split = len(shape) - len(argument.shape)
    if split < 0 or shape[split + len(argument.dims) :] != argument.row:
        wanted = "(" + ", ".join(["...", *map(str, argument.shape)]) + ")"
        raise ShapeError(f"{program.name}: {argument.name} must have shape {wanted}, got {shape}", argument.name, shape)
    return shape[:split]


def broadcast(
    program: Program | Signature, shapes: Sequence[Shape], by: Callable[..., Shape] = np.broadcast_shapes
) -> Shape:
    """The batch shape of arguments with these batch axes, or an error that lists them."""
    try:
        return by(*shapes)
    except (ValueError, RuntimeError):
        listed = ", ".join(f"{a.name} {shape}" for a, shape in zip(program.inputs, shapes, strict=True))
        raise InputError(f"{program.name}: the batch axes do not broadcast: {listed}") from None


def lengths(program: Program | Signature, arrays: Sequence[Any]) -> dict[str, int]:
    """The lengths that the program has names for; an error if arrays differ in one."""
    found: dict[str, tuple[int, str]] = {}
    for x, a in zip(arrays, program.inputs, strict=True):
        for name, n in zip(a.dims, x.shape[x.ndim - len(a.shape) :], strict=False):
            known, of = found.setdefault(name, (n, a.name))
            if n != known:
                raise InputError(f"{program.name}: {a.name} and {of} differ in their length {name!r}: {n} and {known}")
    if math.prod(n for n, _ in found.values()) > MOST_ROWS:
        told = ", ".join(f"{name} = {n}" for name, (n, _) in found.items())
        raise InputError(f"{program.name}: loops of lengths {told} are too long: more than {MOST_ROWS:,} passes")
    return {name: n for name, (n, _) in found.items()}


def shape_for(argument: Argument, lengths: dict[str, int]) -> tuple[int, ...]:
    """The shape of an argument, with numbers for names."""
    return tuple(lengths[x] if isinstance(x, str) else x for x in argument.shape)


def check_out(program: Program, batch: tuple[int, ...], known: dict[str, int], out: Arrays) -> None:
    """An error that says what `out` should have been."""
    for y, a in zip(out, program.outputs, strict=True):
        if not y.flags.writeable:
            raise InputError(f"{program.name}: out is read-only")
        wanted = (*batch, *shape_for(a, known))
        if y.shape != wanted:
            raise InputError(f"{program.name}: out must have shape {wanted}, got {y.shape}")
