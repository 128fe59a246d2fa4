"""From functions of one instant to a sparse nonlinear program over the coefficients of a spline.

The variables are x = (y, T): free coefficients y (f, nv) of θ(s) = Σ_k c_k b_k(s), c = c₀ + N y, and the duration, if
it is free. c₀ and N satisfy the linear conditions at both ends. At each node θ and its derivatives are linear in y, so

    ∂f/∂y_jl = Σ_o w_jo ∂f/∂θ_l⁽ᵒ⁾,      ∂²f/∂y_jl ∂y_im = Σ_op w_jo w_ip ∂²f/∂θ_l⁽ᵒ⁾∂θ_m⁽ᵖ⁾

with the values w_jo of the o-th derivatives of the basis functions. At most degree + 1 of them are other than zero
there: Jacobians and Hessians are banded, and T adds one column.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ...robot import Robot
from ...support.optional import require_package
from ..splines.spline import Spline, basis, clamped_knots
from .pointwise import Derivatives, Float, Instant, Nodes

Index = npt.NDArray[np.int64]


def gauss(breaks: Float, points: int, parts: int = 1) -> tuple[Float, Float]:
    """Phases and weights of Gauss's quadrature with so many points in each part of the intervals between breaks."""
    x, w = np.polynomial.legendre.leggauss(points)
    width = np.repeat(np.diff(breaks) / parts, parts)[:, None]
    first = breaks[0] + np.concatenate([[0.0], np.cumsum(width)[:-1]])[:, None]
    return (first + width * (x + 1) / 2).ravel(), (width * w / 2).ravel()


class SplineSpace:
    """The splines that satisfy linear conditions at their ends, by their free coefficients.

    `ends` are the conditions at the phases 0 and 1: order of the derivative by the phase → value (nv,). If splines have
    to satisfy differential equations of order two, their accelerations are not continuous: then as many equations hold
    at Gauss's points of all intervals as there are coefficients for (de Boor and Swartz).
    """

    def __init__(
        self, intervals: int, degree: int, nv: int, ends: Sequence[Mapping[int, Float]], second_order: bool = False
    ) -> None:
        self.degree, self.nv, self.ends, self.second_order = degree, nv, ends, second_order
        self.knots = clamped_knots(np.linspace(0.0, 1.0, intervals + 1), degree, 1 if second_order else None)
        self.count = len(self.knots) - degree - 1
        rows, values, pivots = [], [], []
        for s, conditions in zip((0.0, 1.0), ends, strict=True):
            for order, value in conditions.items():
                rows.append(basis(self.knots, degree, np.array([s]), order)[0])
                values.append(value)
                pivots.append(order if s == 0.0 else self.count - 1 - order)
        self.free = np.setdiff1d(np.arange(self.count), pivots)
        """Indices of the free coefficients."""
        self.N = np.eye(self.count)[:, self.free]
        self.c0 = np.zeros((self.count, nv))
        if rows:
            A = np.array(rows)
            inverse = np.linalg.inv(A[:, pivots])
            self.N[pivots] = -inverse @ A[:, self.free]
            self.N[np.abs(self.N) < 1e-14] = 0.0
            self.c0[pivots] = inverse @ np.array(values)
        self.breaks = np.unique(self.knots)

    @property
    def size(self) -> int:
        """Number of free coefficients, of all joints."""
        return len(self.free) * self.nv

    def coefficients(self, y: Float) -> Float:
        """All coefficients (..., n, nv) of the free ones (..., f · nv)."""
        return self.c0 + self.N @ y.reshape(*y.shape[:-1], len(self.free), self.nv)

    def rates(self, y: Float, s: Float) -> list[Float]:
        """θ and its derivatives by the phase, (..., K, nv) each, at phases s (K,)."""
        c = self.coefficients(y)
        return [basis(self.knots, self.degree, s, order) @ c for order in range(4)]

    def gauss(self, points: int) -> tuple[Float, Float]:
        """Phases and weights of Gauss's quadrature with so many points in each interval."""
        return gauss(self.breaks, points)

    def grid(self, parts: int) -> Float:
        """Phases from 0 to 1, so many to an interval, and the end."""
        return np.linspace(0.0, 1.0, (len(self.breaks) - 1) * parts + 1)

    def collocation(self, order: int) -> Float:
        """Phases at which an equation with derivatives up to an order determines a spline.

        They are the Greville points of its derivative of that order, or Gauss's, without those next to an end at which
        conditions imply the equation already: as many as coefficients are left.
        """
        first, last = (sum(o >= order for o in conditions) for conditions in self.ends)
        if order == 2 and self.second_order:
            points = self.gauss(self.degree - 1)[0]
            return points[first : len(points) - last]
        degree, knots = self.degree - order, self.knots[order : len(self.knots) - order]
        points = np.array([knots[k + 1 : k + 1 + degree].mean() for k in range(self.count - order)])
        return points[first : len(points) - last]


@dataclass
class ProgramTerm:
    """A function of one instant at some phases: part of the cost if it has weights, else rows with bounds."""

    derivatives: Derivatives
    space: SplineSpace
    s: Float
    weights: Float | None = None
    lower: Float = field(default_factory=lambda: np.zeros(0))
    upper: Float = field(default_factory=lambda: np.zeros(0))
    names: tuple[str, ...] = ()
    """Names of the m values."""
    forces: Derivatives | None = None
    """All joint forces, if the values are forces that vanish: these are compared with them."""

    def __post_init__(self) -> None:
        space, K = self.space, len(self.s)
        values = [basis(space.knots, space.degree, self.s, o) for o in range(4)]
        self._offsets = [b @ space.c0 for b in values]
        self._basis = [b @ space.N for b in values]
        orders = self.derivatives.orders
        used = np.any([b != 0 for b in self._basis], axis=0)
        width = max(1, int(used.sum(axis=1).max(initial=0)))
        order = np.argsort(~used, axis=1, kind="stable")[:, :width] if len(space.free) else np.zeros((K, 0), int)
        self._places: Index = order
        """Free coefficients (K, L) that a node depends on; those beyond have no weight."""
        self._w = np.stack([np.take_along_axis(b, order, axis=1) for b in self._basis[:orders]], axis=-1)
        m, nv = self.derivatives.size, space.nv
        pattern = self.derivatives.pattern()
        depends = pattern[:, : orders * nv].reshape(m, orders, nv).any(axis=1)
        self._which, self._joint = np.nonzero(depends)
        """Pairs (value, joint) that may depend on each other."""
        self._joints = np.nonzero(depends.any(axis=0))[0]
        self._timed = np.nonzero(pattern[:, -1])[0] if self.derivatives.free_time else np.zeros(0, int)
        places = self._all_hessian_places()
        self._upper = np.nonzero(places[0] <= places[1])[0]

    @property
    def is_equation(self) -> bool:
        """Whether its bounds are equal."""
        return bool(np.all(self.lower == self.upper))

    @property
    def rows(self) -> int:
        """Number of values at all nodes."""
        return len(self.s) * self.derivatives.size

    def nodes(self, q0: Float, y: Float, T: Any) -> Nodes:
        """The motions with free coefficients y (..., f · nv) and durations T at the phases of this term."""
        c = y.reshape(*y.shape[:-1], len(self.space.free), self.space.nv)
        rates = tuple(b @ c + o for b, o in zip(self._basis, self._offsets, strict=True))
        return Nodes(q0, rates, np.asarray(T, dtype=float)[..., None] if np.ndim(T) else np.asarray(float(T)), self.s)

    def jacobian_places(self) -> tuple[Index, Index]:
        """Rows and columns of the entries of `jacobian_values`."""
        K, m, nv = len(self.s), self.derivatives.size, self.space.nv
        shape = (K, self._places.shape[1], len(self._which))
        rows = np.broadcast_to(np.arange(K)[:, None, None] * m + self._which, shape)
        columns = self._places[:, :, None] * nv + self._joint
        at = np.arange(K)[:, None] * m + self._timed
        return (
            np.concatenate([rows.ravel(), at.ravel()]),
            np.concatenate([columns.ravel(), np.full(at.size, self.space.size)]),
        )

    def jacobian_values(self, nodes: Nodes) -> Float:
        """Entries of the derivatives of all values by x."""
        found = self.derivatives.jacobian(nodes)
        K, m = len(self.s), self.derivatives.size
        orders, nv = self.derivatives.orders, self.space.nv
        by_rates = found[..., : orders * nv].reshape(K, m, orders, nv)[:, self._which, :, self._joint]  # (p, K, o)
        entries = np.einsum("kjo,pko->kjp", self._w, by_rates)
        return np.concatenate([entries.ravel(), found[:, self._timed, -1].ravel()])

    def hessian_places(self) -> tuple[Index, Index]:
        """Rows and columns of the entries of `hessian_values`; of the matrix, those of its upper triangle."""
        rows, columns = self._all_hessian_places()
        return rows[self._upper], columns[self._upper]

    def _all_hessian_places(self) -> tuple[Index, Index]:
        flat = (self._places[:, :, None] * self.space.nv + self._joints).reshape(len(self.s), -1)
        n = flat.shape[1]
        rows = np.broadcast_to(flat[:, :, None], (len(flat), n, n)).ravel()
        columns = np.broadcast_to(flat[:, None, :], (len(flat), n, n)).ravel()
        if not self.derivatives.free_time:
            return rows, columns
        end = self.space.size
        return (
            np.concatenate([rows, flat.ravel(), np.full(len(flat), end)]),
            np.concatenate([columns, np.full(flat.size, end), np.full(len(flat), end)]),
        )

    def hessian_values(self, nodes: Nodes, weight: Float) -> Float:
        """Entries of the second derivatives of the sum of all values with weights (K, m)."""
        H, joints = self.derivatives.hessian(nodes, weight), self._joints
        K, orders, nv = len(self.s), self.derivatives.orders, self.space.nv
        n = orders * nv
        square = H[:, :n, :n].reshape(K, orders, nv, orders, nv)[:, :, joints][..., joints]
        half = np.einsum("kjo,koapb->kjapb", self._w, square)
        entries = [np.einsum("kjapb,kip->kjaib", half, self._w).ravel()]
        if self.derivatives.free_time:
            mixed = H[:, :n, -1].reshape(K, orders, nv)[:, :, joints]
            entries += [np.einsum("kjo,koa->kja", self._w, mixed).ravel(), H[:, -1, -1]]
        return np.concatenate(entries)[self._upper]


class JacobianPattern:
    """Places of a sparse matrix that are the sum of entries of several terms."""

    def __init__(self, places: Sequence[tuple[Index, Index]], shape: tuple[int, int]) -> None:
        rows = np.concatenate([np.zeros(0, np.int64), *(r for r, _ in places)])
        columns = np.concatenate([np.zeros(0, np.int64), *(c for _, c in places)])
        codes, self._inverse = np.unique(columns * max(shape[0], 1) + rows, return_inverse=True)
        self.columns, self.rows = codes // max(shape[0], 1), codes % max(shape[0], 1)
        """Places, column by column."""
        self.shape = shape

    def summed(self, values: Sequence[Float]) -> Float:
        """The entries at the places."""
        entries = np.concatenate([np.zeros(0), *values])
        return np.asarray(np.bincount(self._inverse, entries, minlength=len(self.rows)), dtype=float)

    def matrix(self, entries: Float) -> Any:
        """The matrix in SciPy's format."""
        csc_array = require_package("scipy.sparse", "a sparse matrix", "motion").csc_array
        pointers = np.searchsorted(self.columns, np.arange(self.shape[1] + 1))
        return csc_array((entries, self.rows, pointers), shape=self.shape)


class NonlinearProgram:
    """Least cost over x, with rows between bounds: values and exact derivatives."""

    def __init__(
        self, costs: Sequence[ProgramTerm], rows: Sequence[ProgramTerm], q0: Float, T: float | None, time_cost: float
    ) -> None:
        self.costs, self.constraints, self.q0, self.T, self.time_cost = costs, rows, q0, T, time_cost
        self.space = (*costs, *rows)[0].space
        self.n = self.space.size + (T is None)
        offsets = np.cumsum([0, *(term.rows for term in rows)])
        self.m = int(offsets[-1])
        every = [np.broadcast_to(b, (len(t.s), t.derivatives.size)).ravel() for t in rows for b in (t.lower, t.upper)]
        self.lower, self.upper = (np.concatenate([np.zeros(0), *every[k::2]]) for k in (0, 1))
        self.slices = [slice(a, b) for a, b in pairwise(offsets)]
        places = [(r + o, c) for term, o in zip(rows, offsets[:-1], strict=True) for r, c in [term.jacobian_places()]]
        self.jacobian_pattern = JacobianPattern(places, (self.m, self.n))
        self.hessian_pattern = JacobianPattern([term.hessian_places() for term in (*costs, *rows)], (self.n, self.n))
        self._gradient_places = [term.jacobian_places() for term in costs]

    def split(self, x: Float) -> tuple[Float, Any]:
        """Free coefficients and duration of x (..., n)."""
        return x[..., : self.space.size], x[..., -1] if self.T is None else self.T

    def cost(self, x: Float) -> Any:
        """The cost of x (..., n), of a batch in one call of each kernel."""
        y, T = self.split(x)
        total = self.time_cost * np.asarray(T, dtype=float)
        for term in self.costs:
            assert term.weights is not None
            total = total + (term.derivatives.value(term.nodes(self.q0, y, T)).sum(axis=-1) * term.weights).sum(axis=-1)
        return total

    def gradient(self, x: Float) -> Float:
        """The gradient (n,) of the cost."""
        y, T = self.split(x)
        found = np.zeros(self.n)
        if self.T is None:
            found[-1] = self.time_cost
        for term, (rows, columns) in zip(self.costs, self._gradient_places, strict=True):
            assert term.weights is not None
            weights = np.repeat(term.weights, term.derivatives.size)
            values = term.jacobian_values(term.nodes(self.q0, y, T))
            found += np.bincount(columns, values * weights[rows], minlength=self.n)
        return found

    def rows(self, x: Float) -> Float:
        """The values of the constraints, (..., m)."""
        y, T = self.split(x)
        shape = x.shape[:-1]
        parts = [t.derivatives.value(t.nodes(self.q0, y, T)).reshape(*shape, -1) for t in self.constraints]
        return np.concatenate([np.zeros((*shape, 0)), *parts], axis=-1)

    def jacobian(self, x: Float) -> Float:
        """The entries of the Jacobian of the rows, at the places of `jacobian_pattern`."""
        y, T = self.split(x)
        return self.jacobian_pattern.summed([t.jacobian_values(t.nodes(self.q0, y, T)) for t in self.constraints])

    def hessian(self, x: Float, factor: float, multipliers: Float) -> Float:
        """The entries of the Hessian of factor · cost + multipliers · rows, at the places of `hessian_pattern`."""
        y, T = self.split(x)
        values = []
        for term in self.costs:
            assert term.weights is not None
            weight = factor * np.broadcast_to(term.weights[:, None], (len(term.s), term.derivatives.size))
            values.append(term.hessian_values(term.nodes(self.q0, y, T), np.ascontiguousarray(weight)))
        for term, part in zip(self.constraints, self.slices, strict=True):
            weight = multipliers[part].reshape(len(term.s), -1)
            values.append(term.hessian_values(term.nodes(self.q0, y, T), weight))
        return self.hessian_pattern.summed(values)

    def symmetric(self, entries: Float) -> Any:
        """A Hessian in SciPy's format, both triangles."""
        upper = self.hessian_pattern.matrix(entries)
        return upper + require_package("scipy.sparse", "a sparse matrix", "motion").triu(upper, 1).T


INTEGRAL_POINTS, MOST_PARTS, INTEGRAL_CHANGE = 6, 64, 1e-9
"""Gauss points of a part, largest number of parts of an interval, and relative change at which halving ends."""


def integral(robot: Robot, cost: Callable[..., Any], spline: Spline) -> tuple[float, float]:
    """∫ cost dt of a function of one instant along a spline, and its last change when intervals were halved.

    It is the integral itself, not the sum over the few instants of a search: a spline with few intervals can be bent so
    that a sum over Gauss points is below the integral, and a search for the least sum does that. So intervals are
    halved until the integral changes by less than 10⁻⁹ of itself, or into 64 parts; how much it changed last is how far
    it is known.
    """
    value = Derivatives(robot, Instant(cost, times_T=True), free_time=False).value
    begin, T = spline.begin, spline.duration
    knots = (spline.knots - begin) / T
    parts, found, change = 1, 0.0, np.inf
    while change > INTEGRAL_CHANGE * abs(found) and parts <= MOST_PARTS:
        s, weights = gauss(np.unique(knots), INTEGRAL_POINTS, parts)
        rates = tuple(basis(knots, spline.degree, s, order) @ spline.coefficients for order in range(4))
        before, found = found, float(weights @ value(Nodes(spline.start, rates, np.asarray(T), s))[:, 0])
        parts, change = 2 * parts, abs(found - before) if parts > 1 else np.inf
    return found, change
