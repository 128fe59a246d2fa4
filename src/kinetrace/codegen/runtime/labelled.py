"""Arrays of xarray: results have the batch axes of all arguments, matched by name, with their coordinates.

The axes of a state are the last ones of an argument, as in NumPy. An axis of a result has the name and the labels of
the argument's axis that means the same, as the docstring of the robot's method states it (`support.stated`).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ...errors import InputError, listed
from ...support.stated import Stated, stated
from ...trace import Program
from . import arguments, foreign

if TYPE_CHECKING:
    from .batch import Batch

POSITION, VELOCITY = "position", "velocity"
"""Axes of q, and of v, a and tau, where no argument has a name for them; as in `Trajectory.to_xarray`."""


def by_name(batch: Batch, arrays: tuple[Any, ...], out: Any, threads: int | None) -> Any:
    """Arrays of xarray for arrays some of which are of xarray; the axes of others are matched by their order."""
    import xarray

    program = batch.program
    if out is not None:
        raise InputError(f"{program.name}: out takes NumPy arrays, but results of xarray's arrays are xarray's")
    arguments.check_number(program, arrays)
    given: list[Any] = [
        x if isinstance(x, xarray.DataArray) else foreign.converted(program, k, x) for k, x in enumerate(arrays)
    ]
    labelled: dict[str, tuple[Any, tuple[Any, ...]]] = {}
    cores: list[tuple[Any, ...]] = []
    for k, (x, a) in enumerate(zip(given, program.inputs, strict=True)):
        arguments.check_core(program, a, x)
        if isinstance(x, xarray.DataArray):
            labelled[a.name] = x, x.dims[x.ndim - len(a.shape) :]
        cores.append(labelled[a.name][1] if a.name in labelled else tuple((k, axis) for axis in range(len(a.shape))))
    _check_roles(program, labelled)
    _check_order(program, labelled, () if batch.origin is None else batch.origin.model.joint_names)
    says = _stated(batch)
    axes = _Axes(says, labelled)
    lengths = arguments.lengths(program, tuple(given))
    shapes = [arguments.shaped(a, lengths) for a in program.outputs]
    symbols = [x for _, x in says.outputs] if says else [("",) * len(shape) for shape in shapes]
    dims = [axes.of(*x) for x in zip(symbols, shapes, strict=True)]
    for name, (x, core) in labelled.items():
        clash = [dim for dim in x.dims[: x.ndim - len(core)] if any(dim in result for result in dims)]
        if clash:
            raise InputError(
                f"{program.name}: {clash[0]!r}, a batch axis of {name}, is an axis of the result: rename it"
            )
    try:
        # Attributes of arguments are dropped, as their units are not the result's; those of coordinates are kept.
        made = xarray.apply_ufunc(
            partial(batch, threads=threads),
            *given,
            input_core_dims=cores,
            output_core_dims=dims,
            dask="allowed",
            keep_attrs="override",
        )
    except InputError:
        raise
    except ValueError as error:
        raise InputError(f"{program.name}: {str(error).splitlines()[0]}") from error
    found = []
    for k, result in enumerate((made,) if batch.alone else made):
        name = program.name if batch.alone else (says.outputs[k][0] if says else program.outputs[k].name)
        labels = {d: (d, axes.labels[d]) for d in dims[k] if d in axes.labels and d not in result.coords}
        whole = result.assign_coords(labels).rename(name)
        whole.attrs = {}
        found.append(whole)
    return found[0] if batch.alone else tuple(found)


def _check_roles(program: Program, labelled: dict[str, tuple[Any, tuple[Any, ...]]]) -> None:
    """An error if an axis is a batch axis of one argument, but holds the entries of a state in another."""
    for name, (x, core) in labelled.items():
        for other, (y, held) in labelled.items():
            wrong = [dim for dim in x.dims[: x.ndim - len(core)] if dim in held]
            if wrong:
                raise InputError(
                    f"{program.name}: {wrong[0]!r} is a batch axis of {name} {x.dims}, but holds the entries of "
                    f"{other} {y.dims}: these are the last axes, see transpose"
                )


def _check_order(program: Program, labelled: dict[str, tuple[Any, tuple[Any, ...]]], joints: tuple[str, ...]) -> None:
    """An error if entries of a state are labelled with names of joints in another order than the robot's."""
    for name, (x, core) in labelled.items():
        for dim in core:
            labels = [label for label in x.indexes.get(dim, ()) if isinstance(label, str) and label in joints]
            if labels != [joint for joint in joints if joint in labels]:
                right = f"the robot's order is {listed(joints)}; {name}.sel({dim}=list(robot.joint_names)) has it"
                raise InputError(f"{program.name}: entries of {name} are labelled {listed(labels)}, but {right}")


def _stated(batch: Batch) -> Stated | None:
    """What is stated about a method's arrays, if the program is that of a method, with results of these axes."""
    origin, outputs = batch.origin, batch.program.outputs
    says = None if origin is None or origin.compact else stated(origin.function)
    fits = says is not None and [len(x) for _, x in says.outputs] == [len(a.shape) for a in outputs]
    return says if fits else None


class _Axes:
    """The names of results' axes, and their labels."""

    def __init__(self, says: Stated | None, labelled: dict[str, tuple[Any, tuple[Any, ...]]]) -> None:
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
