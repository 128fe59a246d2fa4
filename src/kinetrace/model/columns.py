"""Objects of one form, such as bodies with joints of one kind, as columns of their numbers.

The form of an object is its structure, in the sense of `record`, and the shapes of the arrays in it. In a loop over
such objects, one object of that form stands for all of them; its numbers are those of the current pass. Numbers that
all have in common are constants; names and indices that differ are not available.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Array, objects
from .record import Structure, flatten, rebuilt

_SCALAR = "scalar"


class NotAlikeError(TypeError):
    """A step used or returned something that differs between the bodies of a run."""


class RecordForm(NamedTuple):
    """Structure and shapes of an object, without its numbers."""

    structure: Structure
    shapes: tuple[Any, ...]
    """Per leaf: the shape of an array, or _SCALAR; None if it is not a number."""

    @staticmethod
    def of(x: Any) -> tuple[RecordForm, list[Any]]:
        """The form of x, and its leaves."""
        structure, leaves = flatten(x)
        return RecordForm(structure, tuple(map(_shape, leaves))), leaves

    def scalars(self, leaves: Sequence[Any]) -> list[Any]:
        """The numbers in leaves, one by one."""
        found: list[Any] = []
        for shape, leaf in zip(self.shapes, leaves, strict=True):
            if shape is not None:
                found += [leaf] if shape is _SCALAR else leaf.ravel().tolist()
        return found

    def made(self, scalars: Iterable[Any], leaves: Sequence[Any]) -> Any:
        """An object of this form with these numbers; other leaves are taken from `leaves`."""
        left = iter(scalars)
        return rebuilt(self.structure, [_leaf(s, left, x) for s, x in zip(self.shapes, leaves, strict=True)])

    def scalars_of(self, x: Any, leaves: Sequence[Any]) -> list[Any]:
        """The numbers in an object, checked to be of this form and to have these leaves that are not numbers."""
        found, own = RecordForm.of(x)
        others = [pair for *pair, shape in zip(own, leaves, self.shapes, strict=False) if shape is None]
        if found != self or not all(map(_is_one, others)):
            raise NotAlikeError("what steps return for bodies of a run is not of one form")
        return self.scalars(own)

    def rows(self, columns: Sequence[Array], leaves: Sequence[Any], length: int) -> Iterator[Any]:
        """`length` objects of this form from the columns of their numbers; other leaves are taken from `leaves`."""
        every, left = list[Any](), iter(columns)
        for shape, leaf in zip(self.shapes, leaves, strict=True):
            if shape is None or shape is _SCALAR:
                every.append([leaf] * length if shape is None else next(left).tolist())
                continue
            own = [next(left) for _ in range(math.prod(shape))]
            every.append(np.stack(own, axis=-1).reshape(-1, *shape) if own else [leaf] * length)
        return (rebuilt(self.structure, row) for row in zip(*every, strict=True))


def _shape(leaf: Any) -> Any:
    if isinstance(leaf, np.ndarray):
        return leaf.shape if leaf.dtype.kind in "fO" else None
    return _SCALAR if isinstance(leaf, float) or hasattr(leaf, "loop_writer") else None


def _leaf(shape: Any, left: Iterator[Any], other: Any) -> Any:
    if shape is None or shape is _SCALAR:
        return other if shape is None else next(left)
    entries = [next(left) for _ in range(math.prod(shape))]
    known = all(isinstance(x, float) for x in entries)
    return np.array(entries, dtype=float).reshape(shape) if known else objects(entries, shape)


class _Differs:
    """Value that differs between the bodies of a run: it can only be compared, with values that none of them has."""

    def __init__(self, values: Sequence[Any]) -> None:
        self.values = values

    def __eq__(self, other: object) -> bool:
        return self._refuse() if any(x is other or x == other for x in self.values) else False

    def _refuse(self, *_: Any) -> Any:
        raise NotAlikeError("bodies of a run differ in what a step asked for")

    __hash__ = __bool__ = __index__ = __int__ = __float__ = __call__ = __iter__ = __len__ = __getitem__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __str__ = __format__ = __matmul__ = __rmatmul__ = __truediv__ = __neg__ = __contains__ = __getattr__ = _refuse


class RecordColumns:
    """Objects of one form, one per row."""

    def __init__(self, things: Sequence[Any]) -> None:
        forms, leaves = zip(*map(RecordForm.of, things), strict=True)
        if any(form != forms[0] for form in forms):
            raise NotAlikeError("bodies of a run have items that are not of one form")
        self.form, self.others, self.columns = forms[0], list[Any](), list[Array]()
        for shape, own in zip(self.form.shapes, zip(*leaves, strict=True), strict=True):
            self.others.append(None if shape is not None else own[0] if _is_one(own) else _Differs(own))
            if shape is not None:
                size = 1 if shape is _SCALAR else math.prod(shape)
                self.columns += list(_together(own, shape).reshape(len(own), size).T)
        self.known = [column.dtype == float and bool(np.all(column == column[0])) for column in self.columns]
        """Whether all rows have the same number, for each scalar."""

    def at(self, row: Sequence[Any]) -> Any:
        """The object that stands for all of them, with these scalars."""
        return self.form.made(row, self.others)


def _together(leaves: Sequence[Any], shape: Any) -> Array:
    """Leaves as an array with an axis for the rows."""
    if shape is not _SCALAR:
        return np.stack(leaves)
    return np.array(leaves) if all(isinstance(x, float) for x in leaves) else objects(leaves, (len(leaves),))


def _is_one(leaves: Sequence[Any]) -> bool:
    """Whether leaves that are not numbers are equal."""
    first = leaves[0]
    if isinstance(first, np.ndarray):
        return all(np.array_equal(x, first) for x in leaves)
    return all(x is first or (type(x) is type(first) and isinstance(x, str | int) and x == first) for x in leaves)
