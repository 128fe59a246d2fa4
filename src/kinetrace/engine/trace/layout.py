"""Compact outputs: the distinct variable entries of an array alone.

The mass matrix of a tree is symmetric, and zero between its branches; so are derivatives of joint forces. Which entries
are constant, and which are the same value as an earlier one, is seen in the expressions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import InputError
from ...support.attributes import cached_property
from ...support.conversion import as_array
from .expr import Graph

Numbers = npt.NDArray[Any]
Places = npt.NDArray[np.intp]


@dataclass(frozen=True, repr=False)
class CompactLayout:
    """Positions of the numbers of a kernel's output in the array that it stands for.

    A compact output is a row (..., k) with one number per entry that is neither constant nor equal to an earlier one,
    in C order. Other outputs are the array itself: scalars, series, and all outputs of a kernel that is not compact.
    For a series with named lengths, a layout is that of one row.

    Parameters
    ----------
    shape : tuple of int
        Shape of the array, without batch axes.
    is_compact : bool
        Whether the output is a row of k numbers.
    numbers : tuple of int
        For each entry in C order, which of the k numbers it is; -1 if it is constant.
    known : tuple of float
        For each entry in C order, its constant; 0 if it has none.

    Examples
    --------
    >>> import kinetrace as kt
    >>> kernel = kt.load("planar2r").kernel("mass_matrix", compact=True)
    >>> kernel.layouts[0]
    <layout of (2, 2): 2 numbers>
    >>> kernel.layouts[0].source
    array([[ 0,  1],
           [ 1, -1]])
    >>> kernel.layouts[0].constants.round(3)
    array([[0.   , 0.   ],
           [0.   , 0.333]])
    """

    shape: tuple[Any, ...]
    is_compact: bool
    numbers: tuple[int, ...]
    """For each entry in C order, which of the k numbers it is; -1 if it is constant."""
    known: tuple[float, ...]
    """For each entry in C order, its constant; 0 if it has none."""

    @staticmethod
    def whole(shape: tuple[Any, ...]) -> CompactLayout:
        """Layout of an output that is its array.

        Parameters
        ----------
        shape : tuple of int
            Shape of the array; names of lengths are ignored.

        Returns
        -------
        CompactLayout
            The layout.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.CompactLayout.whole((2, 2)).source
        array([[0, 1],
               [2, 3]])
        """
        size = math.prod(n for n in shape if not isinstance(n, str))
        return CompactLayout(shape, False, tuple(range(size)), (0.0,) * size)

    @cached_property
    def size(self) -> int:
        """Number k of distinct variable entries.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.load("planar2r").kernel("mass_matrix", compact=True).layouts[0].size
        2
        """
        return max(self.numbers, default=-1) + 1

    @property
    def output_shape(self) -> tuple[Any, ...]:
        """Shape of the output without batch axes: (k,) if it is compact."""
        return (self.size,) if self.is_compact else self.shape

    @cached_property
    def source(self) -> Places:
        """For each entry of the array, which of the k numbers it is; -1 if it is constant.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.load("planar2r").kernel("mass_matrix", compact=True).layouts[0].source
        array([[ 0,  1],
               [ 1, -1]])
        """
        return _read_only(np.array(self.numbers, np.intp).reshape(_sizes(self.shape)))

    @cached_property
    def constants(self) -> npt.NDArray[np.float64]:
        """Constants of the array; 0 where an entry is not constant.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.load("planar2r").kernel("mass_matrix", compact=True).layouts[0].constants.round(3)
        array([[0.   , 0.   ],
               [0.   , 0.333]])
        """
        return _read_only(np.array(self.known, float).reshape(_sizes(self.shape)))

    @cached_property
    def entries(self) -> tuple[Places, ...]:
        """Indices of the first entry of each of the k numbers: one array (k,) per axis.

        Examples
        --------
        >>> import kinetrace as kt
        >>> rows, columns = kt.load("planar2r").kernel("mass_matrix", compact=True).layouts[0].entries
        >>> rows.tolist(), columns.tolist()
        ([0, 0], [0, 1])
        """
        variable = np.flatnonzero(self.source >= 0)
        _, first = np.unique(self.source.flat[variable], return_index=True)
        return self._places(variable[first])

    @cached_property
    def nonzeros(self) -> tuple[Places, ...]:
        """Indices of the entries that may be other than zero, in C order: one array per axis, as of `numpy.nonzero`.

        Entries that repeat others are included, and constants other than 0.

        Examples
        --------
        >>> import kinetrace as kt
        >>> rows, columns = kt.load("planar2r").kernel("pose", frame="tip", compact=True).layouts[0].nonzeros
        >>> rows.tolist(), columns.tolist()
        ([0, 0, 0, 1, 2, 2, 2, 3], [0, 2, 3, 1, 0, 2, 3, 3])
        """
        return self._places(self._nonzeros)

    @cached_property
    def indptr(self) -> Places:
        """Index of the first entry of each row among `nonzeros`, as in CSR form; column indices are `nonzeros[1]`.

        Raises
        ------
        InputError
            If the array is not a matrix.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.load("planar2r").kernel("pose", frame="tip", compact=True).layouts[0].indptr.tolist()
        [0, 3, 4, 7, 8]
        """
        if self.source.ndim != 2:
            raise InputError(f"only a matrix has the form CSR, and this array has shape {self.shape}")
        return _read_only(np.searchsorted(self.nonzeros[0], np.arange(len(self.source) + 1)))

    def values(self, output: npt.ArrayLike) -> Numbers:
        """Entries at `nonzeros`: the data of a sparse matrix.

        Parameters
        ----------
        output : array_like, shape (..., k)
            An output of the kernel.

        Returns
        -------
        ndarray, shape (..., n)
            The entries.

        Raises
        ------
        InputError
            If the shape of the output does not fit.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kernel = kt.load("planar2r").kernel("pose", frame="tip", compact=True)
        >>> kernel.layouts[0].values(kernel([0.5, 0.5])).round(3)
        array([ 0.54 , -0.841,  1.418,  1.   ,  0.841,  0.54 ,  1.321,  1.   ])
        """
        places = self._nonzeros
        return _fill(self._rows(output), self.source.flat[places], self.constants.flat[places])

    def dense(self, output: npt.ArrayLike) -> Numbers:
        """Array that an output stands for.

        Parameters
        ----------
        output : array_like, shape (..., k)
            An output of the kernel; of the array's shape if it is not compact.

        Returns
        -------
        ndarray, shape (..., *shape)
            The array.

        Raises
        ------
        InputError
            If the shape of the output does not fit.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kernel = kt.load("planar2r").kernel("mass_matrix", compact=True)
        >>> kernel.layouts[0].dense(kernel([0.0, 0.0])).round(3)
        array([[2.667, 0.833],
               [0.833, 0.333]])
        """
        rows = self._rows(output)
        return _fill(rows, self.source, self.constants) if self.is_compact else as_array("an output", output)

    @cached_property
    def _nonzeros(self) -> Places:
        return np.flatnonzero((self.source >= 0) | (self.constants != 0))

    def _places(self, flat: Places) -> tuple[Places, ...]:
        """Places in C order, by axes."""
        return tuple(map(_read_only, np.unravel_index(flat, self.source.shape))) if self.source.ndim else ()

    def _rows(self, output: npt.ArrayLike) -> Numbers:
        """An output as rows (..., k) of floats, if it has the right shape."""
        given, wanted = as_array("an output", output), self.output_shape
        if given.dtype.kind not in "biuf":
            raise InputError(f"an output must hold real numbers, got dtype {given.dtype}")
        batch = given.shape[: max(0, given.ndim - len(wanted))]
        pairs = zip(given.shape[len(batch) :], wanted, strict=False)
        if given.ndim < len(wanted) or any(n != m for n, m in pairs if not isinstance(m, str)):
            shape = "(" + ", ".join(["...", *map(str, wanted)]) + ")"
            raise InputError(f"an output of this layout must have shape {shape}, got {given.shape}")
        lengths = given.shape[len(batch) : len(batch) + len(wanted) - len(_sizes(wanted))]
        rows = given.reshape((*batch, *lengths, self.size))
        return rows if rows.dtype.kind == "f" else rows.astype(float)

    def __repr__(self) -> str:
        return f"<layout of {self.shape}: {self.size} numbers>"


def compact_entries(
    graph: Graph, nodes: Sequence[int], shape: tuple[int, ...]
) -> tuple[tuple[int, ...], CompactLayout]:
    """The nodes of an array's entries that are kept, and their layout.

    One entry of a constant array is kept: no row is empty unless the array is.
    """
    constants = [_constant(graph, i) for i in nodes]
    if None not in constants:
        constants[:1] = [None for _ in nodes[:1]]
    number: dict[int, int] = {}
    for i, constant in zip(nodes, constants, strict=True):
        if constant is None:
            number.setdefault(i, len(number))
    numbers = tuple(number[i] if x is None else -1 for i, x in zip(nodes, constants, strict=True))
    return tuple(number), CompactLayout(shape, True, numbers, tuple(0.0 if x is None else x for x in constants))


def _constant(graph: Graph, i: int) -> float | None:
    """The number that a node is, if it is constant."""
    kind, *rest = graph.nodes[i]
    if kind == "neg" and graph.nodes[rest[0]][0] == "const":
        return -float(graph.nodes[rest[0]][1])
    return float(rest[0]) if kind == "const" else None


def _fill(rows: Numbers, source: Places, constants: npt.NDArray[np.float64]) -> Numbers:
    """Entries with these sources and constants, from rows of numbers."""
    made = np.take(rows, np.maximum(source, 0), axis=-1)
    constant = source < 0
    with np.errstate(over="ignore"):  # what is too large for float32 is infinite in a kernel, too
        made[..., constant] = constants[constant]
    return made


def _sizes(shape: tuple[Any, ...]) -> tuple[int, ...]:
    """A shape without named lengths."""
    return tuple(n for n in shape if not isinstance(n, str))


def _read_only(x: Any) -> Any:
    """The array, made read-only."""
    x.setflags(write=False)
    return x
