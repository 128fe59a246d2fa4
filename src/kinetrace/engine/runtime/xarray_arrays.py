"""Arrays of xarray: results have the batch axes of all arguments, matched by name, with their coordinates.

The axes of a state are the last ones of an argument, as in NumPy. An axis of a result has the name and the labels of
the argument's axis that means the same (`recipe.ArrayLabels`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ...errors import InputError
from ..trace import Program
from . import arguments, dask_arrays
from .arguments import is_xarray
from .recipe import NO_LABELS, ArrayLabels

if TYPE_CHECKING:
    from .batch import Batch

TIME_AXES = ("time", "t")
"""Names of axes along which states follow one another: never those of a state's entries."""
Labelled = dict[str, tuple[Any, tuple[Any, ...]]]
"""Names of arguments that are of xarray → these, and the axes of theirs that are those of a state."""


def evaluate(batch: Batch, arrays: tuple[Any, ...], out: Any, threads: int | None) -> Any:
    """Arrays of xarray for arrays some of which are of xarray; the axes of others are matched by their order."""
    program = batch.program
    if out is not None:
        raise InputError(f"{program.name}: out takes NumPy arrays, but results of xarray's arrays are xarray's")
    arguments.check_number(program, arrays)
    arguments.check_tables(batch, arrays)
    given = [x if is_xarray(x) else dask_arrays.as_dask_argument(program, k, x) for k, x in enumerate(arrays)]
    for x, a in zip(given, program.inputs, strict=True):
        arguments.check_core(program, a, x)
    labelled = {
        a.name: (x, x.dims[x.ndim - len(a.shape) :]) for x, a in zip(given, program.inputs, strict=True) if is_xarray(x)
    }
    _check_roles(program, labelled)
    _check_labels(batch, labelled)
    outputs = _output_axes(batch)
    axes = _Axes(NO_LABELS if outputs is None else batch.labels, labelled)
    lengths = arguments.lengths(program, tuple(given))
    shapes = [arguments.shape_for(a, lengths) for a in program.outputs]
    symbols = [("",) * len(shape) for shape in shapes] if outputs is None else [x for _, x in outputs]
    dims = [axes.of(*x) for x in zip(symbols, shapes, strict=True)]
    _check_free(program, labelled, dims)
    results = _applied(batch, given, labelled, dims, threads)
    if batch.alone:
        return axes.labelled(results, dims[0], program.name)
    names = [a.name for a in program.outputs] if outputs is None else [x for x, _ in outputs]
    return tuple(axes.labelled(*x) for x in zip(results, dims, names, strict=True))


def _applied(batch: Batch, given: list[Any], labelled: Labelled, dims: list[tuple[Any, ...]], threads: Any) -> Any:
    """Results with batch axes and their coordinates, as xarray makes them."""
    import xarray

    inputs = batch.program.inputs
    places = [tuple((k, axis) for axis in range(len(a.shape))) for k, a in enumerate(inputs)]
    cores = [labelled[a.name][1] if a.name in labelled else x for a, x in zip(inputs, places, strict=True)]
    how: dict[str, Any] = {
        "input_core_dims": cores,
        "output_core_dims": dims,
        "dask": "allowed",
        "keep_attrs": "override",
    }
    try:
        return xarray.apply_ufunc(partial(batch, threads=threads), *given, **how)
    except InputError:
        raise
    except ValueError as error:
        raise InputError(f"{batch.program.name}: {str(error).splitlines()[0]}") from error


def _check_free(program: Program, labelled: Labelled, dims: list[tuple[Any, ...]]) -> None:
    """An error if a batch axis has the name of an axis of a result."""
    for name, (x, core) in labelled.items():
        clash = [dim for dim in x.dims[: x.ndim - len(core)] if any(dim in result for result in dims)]
        if clash:
            raise InputError(
                f"{program.name}: {clash[0]!r}, a batch axis of {name}, is an axis of the result: rename it"
            )


def _check_roles(program: Program, labelled: Labelled) -> None:
    """An error if an axis is a batch axis of one argument, but holds the entries of a state in another."""
    for name, (x, core) in labelled.items():
        for other, (y, held) in labelled.items():
            wrong = [dim for dim in x.dims[: x.ndim - len(core)] if dim in held]
            if wrong:
                raise InputError(
                    f"{program.name}: {wrong[0]!r} is a batch axis of {name} {x.dims}, but holds the entries of "
                    f"{other} {y.dims}: these are the last axes, see transpose"
                )


def _check_labels(batch: Batch, labelled: Labelled) -> None:
    """An error if labels contradict the place of an axis, or the order of the kernel's entries."""
    function, entries = batch.program.name, batch.labels.entries
    states = _states(batch)
    for name, (x, core) in labelled.items():
        labels = {dim: list(x.indexes.get(dim, ())) for dim in x.dims}
        for dim in core:
            batch.labels.check_order(function, name, labels[dim], f"{name}.sel({dim}={{order}})")
        if name not in states:
            continue
        last = core[0]
        kind = x.indexes[last].dtype.kind if last in x.indexes else ""
        if kind in ("m", "M") or (last in TIME_AXES and kind in ("i", "u", "f")):
            raise InputError(
                f"{function}: the last axis of {name} {x.dims}, {last!r}, holds the entries of a state, but is "
                "labelled with times: see transpose"
            )
        if (labels[last] or last in TIME_AXES) and not any(label in entries for label in labels[last]):
            for dim in x.dims[:-1]:
                if labels[dim] and all(label in entries for label in labels[dim]):
                    raise InputError(
                        f"{function}: {dim!r} of {name} {x.dims} is labelled with joints, but the entries of a "
                        "state are the last axis: see transpose"
                    )


def _states(batch: Batch) -> set[str]:
    """Names of arguments whose axis holds the entries of a state."""
    axes, sizes = batch.labels.inputs, batch.labels.state_sizes
    return {a.name for a in batch.program.inputs if a.shape and a.shape == tuple(map(sizes.get, axes.get(a.name, ())))}


def _output_axes(batch: Batch) -> Sequence[tuple[str, tuple[str, ...]]] | None:
    """Names of the results and their axes, if they are known and fit the program."""
    known = batch.labels.outputs
    fits = known is not None and [len(x) for _, x in known] == [len(a.shape) for a in batch.program.outputs]
    return known if fits else None


class _Axes:
    """The names of results' axes, and their labels."""

    def __init__(self, known: ArrayLabels, labelled: Labelled) -> None:
        self._names, self._same = known.dimensions, known.same_entries
        self.labels: dict[Any, Any] = {}
        """Axis → its labels, where they are known."""
        self._known: dict[str, tuple[Any, int, Any]] = {}
        for name, symbols in known.inputs.items():
            x, core = labelled.get(name, (None, ()))
            for symbol, dim in zip(symbols, core, strict=False):
                index = x.indexes.get(dim)
                labels = x.coords[dim].values if index is not None and index.nlevels == 1 else None
                self._known.setdefault(symbol, (dim, x.sizes[dim], labels))

    def of(self, symbols: tuple[str, ...], shape: tuple[int, ...]) -> tuple[Any, ...]:
        """The names of a result's axes; those that mean the same are numbered from the second on."""
        found: list[Any] = []
        for k, (symbol, n) in enumerate(zip(symbols, shape, strict=True)):
            dim, labels = self._one(symbol, n, k)
            again = sum(s == symbol for s in symbols[:k]) if symbol.isidentifier() else 0
            dim = f"{dim}{again + 1}" if again else dim
            if labels is not None:
                self.labels[dim] = labels
            found.append(dim)
        return tuple(found)

    def labelled(self, result: Any, dims: tuple[Any, ...], name: str) -> Any:
        """A result with labels of its axes and a name; without attributes, as units of arguments are not its own."""
        labels = {d: (d, self.labels[d]) for d in dims if d in self.labels and d not in result.coords}
        whole = result.assign_coords(labels).rename(name)
        whole.attrs = {}
        return whole

    def _one(self, symbol: str, n: int, k: int) -> tuple[Any, Any]:
        if symbol.isidentifier() and symbol in self._known:
            dim, size, labels = self._known[symbol]
            if size == n:
                return dim, labels
        other = self._same.get(symbol)
        if other in self._known and self._known[other][1] == n:  # as many, so of the same entries
            dim, _, labels = self._known[other]
            return (self._names[symbol] if dim == self._names[other] else dim), labels
        if not symbol.isidentifier():
            return f"axis{k}", None
        return self._names.get(symbol, symbol), None
