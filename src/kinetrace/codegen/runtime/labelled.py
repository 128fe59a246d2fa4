"""Arrays of xarray: results have the batch axes of all arguments, matched by name, with their coordinates.

The axes of a state are the last ones of an argument, as in NumPy. An axis of a result has the name and the labels of
the argument's axis that means the same (`support.stated`).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ...errors import InputError
from ...support.stated import INPUTS, Stated, stated
from ...trace import Program
from . import arguments, foreign
from .foreign import check_order, is_labelled, joints_of

if TYPE_CHECKING:
    from .batch import Batch

POSITION, VELOCITY = "position", "velocity"
"""Axes of q, and of v, a and tau, where no argument has a name for them; as in `Trajectory.to_xarray`."""
TIMES = ("time", "t")
"""Names of axes along which states follow one another: never those of a state's entries."""
Labelled = dict[str, tuple[Any, tuple[Any, ...]]]
"""Names of arguments that are of xarray → these, and the axes of theirs that are those of a state."""


def by_name(batch: Batch, arrays: tuple[Any, ...], out: Any, threads: int | None) -> Any:
    """Arrays of xarray for arrays some of which are of xarray; the axes of others are matched by their order."""
    program = batch.program
    if out is not None:
        raise InputError(f"{program.name}: out takes NumPy arrays, but results of xarray's arrays are xarray's")
    arguments.check_number(program, arrays)
    foreign.check_tables(batch, arrays)
    given = [x if is_labelled(x) else foreign.converted(program, k, x) for k, x in enumerate(arrays)]
    for x, a in zip(given, program.inputs, strict=True):
        arguments.check_core(program, a, x)
    labelled = {
        a.name: (x, x.dims[x.ndim - len(a.shape) :])
        for x, a in zip(given, program.inputs, strict=True)
        if is_labelled(x)
    }
    _check_roles(program, labelled)
    _check_labels(batch, labelled)
    says = _stated(batch)
    axes, lengths = _Axes(says, labelled), arguments.lengths(program, tuple(given))
    shapes = [arguments.shaped(a, lengths) for a in program.outputs]
    symbols = [x for _, x in says.outputs] if says else [("",) * len(shape) for shape in shapes]
    dims = [axes.of(*x) for x in zip(symbols, shapes, strict=True)]
    _check_free(program, labelled, dims)
    made = _applied(batch, given, labelled, dims, threads)
    names = [x for x, _ in says.outputs] if says else [a.name for a in program.outputs]
    names = [program.name] if batch.alone else names
    found = [axes.labelled(*x) for x in zip((made,) if batch.alone else made, dims, names, strict=True)]
    return found[0] if batch.alone else tuple(found)


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
    """An error if labels say that an axis is not what its place says, or has another order than the robot."""
    function, joints = batch.program.name, joints_of(batch)
    states = _states(batch)
    for name, (x, core) in labelled.items():
        labels = {dim: list(x.indexes.get(dim, ())) for dim in x.dims}
        for dim in core:
            check_order(function, name, labels[dim], joints, f"{name}.sel({dim}=list(robot.joint_names))")
        if name not in states:
            continue
        last = core[0]
        kind = x.indexes[last].dtype.kind if last in x.indexes else ""
        if kind in ("m", "M") or (last in TIMES and kind in ("i", "u", "f")):
            raise InputError(
                f"{function}: the last axis of {name} {x.dims}, {last!r}, holds the entries of a state, but is "
                "labelled with times: see transpose"
            )
        if (labels[last] or last in TIMES) and not any(label in joints for label in labels[last]):
            for dim in x.dims[:-1]:
                if labels[dim] and all(label in joints for label in labels[dim]):
                    raise InputError(
                        f"{function}: {dim!r} of {name} {x.dims} is labelled with joints, but the entries of a "
                        "state are the last axis: see transpose"
                    )


def _states(batch: Batch) -> set[str]:
    """Names of arguments whose axis is that of the robot's positions or velocities."""
    model = None if batch.origin is None else batch.origin.model
    sizes: dict[tuple[str, ...], Any] = {} if model is None else {("nq",): (model.nq,), ("nv",): (model.nv,)}
    return {a.name for a in batch.program.inputs if a.shape and a.shape == sizes.get(INPUTS.get(a.name, ()))}


def _stated(batch: Batch) -> Stated | None:
    """What is stated about a method's arrays, if the program is that of a method, with results of these axes."""
    origin, outputs = batch.origin, batch.program.outputs
    says = None if origin is None or origin.compact else stated(origin.function)
    fits = says is not None and [len(x) for _, x in says.outputs] == [len(a.shape) for a in outputs]
    return says if fits else None


class _Axes:
    """The names of results' axes, and their labels."""

    def __init__(self, says: Stated | None, labelled: Labelled) -> None:
        self.labels: dict[Any, Any] = {}
        """Axis → its labels, where they are known."""
        self._known: dict[str, tuple[Any, int, Any]] = {}
        for name, symbols in (says.inputs if says else {}).items():
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
        if symbol == "nv" and self._known.get("nq", ("", 0, None))[1] == n:  # as many, so of the same joints
            dim, _, labels = self._known["nq"]
            return (VELOCITY if dim == POSITION else dim), labels
        if not symbol.isidentifier():
            return f"axis{k}", None
        return {"nq": POSITION, "nv": VELOCITY}.get(symbol, symbol), None
