"""Closing loops: Gauss and Newton on the manifold of configurations, from near or far.

`Robot.project`, `Robot.assemble` and inverse kinematics use it: it closes loops from anywhere, keeps joint limits if
asked to, and takes rows that depend on each other. After a step in time, loops are nearly closed and rows are selected
already; `step_projection` then takes a fraction of the time.

    q ← q ⊕ δ,    δ = −W (K W)⁺ φ, the shortest step that closes the loops to first order, in the metric W⁻ᵀ W⁻¹

A step is shortened where it is long or does not bring the loops nearer to closed. `project` measures steps by kinetic
energy, W Wᵀ = M⁻¹ of the beginning; `near_configuration` by the velocities themselves, W = 1, and within the joint
limits: a joint that is at a limit, and would leave it, is held while the others go on. Rows may be dependent, anywhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...arrays import Array, abs, clip, iterate, less, maximum, sqrt, stack, where
from ...linalg import dense
from ...linalg.decompositions import least_norm_solution
from ...model.couplings import leader_bounds
from ...model.model import Model
from .closure_paths import Drive
from .closures import closure_jacobian, closure_residual, size_of

ITERATIONS, HELD_ROUNDS, HALVINGS = 200, 3, 12
"""Steps at most; how often joints at limits are looked for, and steps halved, in each."""
LONGEST_STEP = 0.5
"""Of a step: its largest entry [rad, m]."""
CLOSED_RESIDUAL = 1e-10
"""A residual [m, rad], divided by `size_of` the robot, below which loops are closed; steps go on while they help."""
LEAST_PROGRESS = 1e-3
"""Of a residual, what a step must take away at least; if none does, the loops do not close from there."""
ZERO_SINGULAR_VALUE = 1e-9
"""Singular values below this, relative to the largest, are zero."""


class Closing(NamedTuple):
    """How loops are closed."""

    drive: Drive = None
    metric: dense.Factors | None = None
    """The factors of the matrix by which steps are measured, W⁻ᵀ W⁻¹; of the identity if none."""
    limits: bool = True
    """Whether joints stay within their limits."""
    held: Array | None = None
    """1 for velocities that do not take part, 0 for others (nv,)."""
    weakest: float = ZERO_SINGULAR_VALUE
    """Singular value of K, relative to the largest, below which a step leaves its direction out."""
    most: int = ITERATIONS


class Approach(NamedTuple):
    """Carry of the iteration."""

    q: Array
    residual: Array
    """φ there, of the rows that hold positions."""
    goes_on: Array
    """1 while steps help, else 0."""


def closing_configuration(model: Model, guess: Array, how: Closing) -> tuple[Array, Array]:
    """A configuration (nq,) near a guess, and its largest residual () divided by `size_of` the robot."""
    rows, bounds = np.flatnonzero(model.rows_hold_positions), _bounds(model) if how.limits else []

    def residual(q: Array) -> Array:
        return closure_residual(model, q, drive=how.drive)[rows]

    def step(at: Approach) -> Approach:
        K = closure_jacobian(model, at.q, drive=how.drive)
        K = where(less(abs(K), math.inf), K, 0.0)[rows]  # not moved where a closure has no rows
        return _best_shorter_step(model, bounds, at, _step(bounds, at, K, how), residual)

    begin = _within(bounds, guess)
    first = Approach(begin, residual(begin), np.array(1.0))
    end = iterate(step, first, _is_settled, how.most)
    K = closure_jacobian(model, end.q, drive=how.drive).reshape(-1)
    has_rows = less(K @ K, math.inf)  # not of a wheel that lies flat
    return end.q, where(has_rows, dense.largest_entry(end.residual) / size_of(model), math.inf)


def _is_settled(at: Approach) -> Array:
    """Whether the loops are closed, do not get nearer to closed, or have numbers that are not finite."""
    square = at.residual @ at.residual
    return less(where(less(0.0, square), where(less(square, math.inf), at.goes_on, 0.0), 0.0), 0.5)


def _step(bounds: Bounds, at: Approach, K: Array, how: Closing) -> Array:
    """δ (nv,), with joints that would leave their limits held."""

    def shortest(held: Array | None) -> Array:
        free = K if held is None else where(less(0.5, held), 0.0, K)
        return -least_motion(how.metric, free, at.residual, how.weakest)

    def hold(carry: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        held, *_ = carry
        delta = shortest(held)
        leaving = where(less(0.5, held), 0.0, _leaving(bounds, at.q, delta))
        return maximum(held, leaving), delta, dense.largest_entry(leaving)

    if bounds:
        nothing = np.zeros(K.shape[1])
        first = nothing if how.held is None else how.held, nothing, np.array(1.0)
        _, delta, _ = iterate(hold, first, lambda carry: less(carry[2], 0.5), HELD_ROUNDS)
    else:
        delta = shortest(how.held)
    return delta * (LONGEST_STEP / maximum(dense.largest_entry(delta), LONGEST_STEP))


def least_motion(metric: dense.Factors | None, K: Array, rate: Array, weakest: float = ZERO_SINGULAR_VALUE) -> Array:
    """The shortest x (nv,) with K x = rate (rows,), in a metric."""
    if metric is None:
        return least_norm_solution(K, rate, weakest)
    scaled = dense.root_solve(metric, K.T).T
    return dense.root_transposed_solve(metric, least_norm_solution(scaled, rate, weakest))


def _best_shorter_step(
    model: Model, bounds: Bounds, at: Approach, delta: Array, residual: Callable[[Array], Array]
) -> Approach:
    """The first of shorter and shorter steps that brings the loops nearer to closed, if one does."""
    size = sqrt(at.residual @ at.residual)
    is_open = less(CLOSED_RESIDUAL, size)
    wanted = where(is_open, (1.0 - LEAST_PROGRESS) * size, size)

    def shorter(carry: tuple[Array, Approach]) -> tuple[Array, Approach]:
        factor, _ = carry
        q = _within(bounds, model.integrate(at.q, factor * delta))
        r = residual(q)
        helps = less(sqrt(r @ r), wanted)
        found = Approach(where(helps, q, at.q), where(helps, r, at.residual), where(helps, 1.0, 0.0))
        return where(is_open, 0.5 * factor, 0.0), found  # of rounding, no shorter step takes anything away

    def is_found(carry: tuple[Array, Approach]) -> Array:
        return less(0.5, where(less(0.0, carry[0]), carry[1].goes_on, 1.0))

    first = np.array(1.0), Approach(at.q, at.residual, np.array(0.0))
    return iterate(shorter, first, is_found, HALVINGS)[1]


Bounds = list[tuple[int, int, float, float]]
"""Joints that have limits: where they stand in q and v, and the limits."""


def _bounds(model: Model) -> Bounds:
    """Of a robot; those of a mimic joint are limits of what it follows."""
    bodies = [b for b in model.independent_joints if b.joint.has_coordinates]
    found = [(b.index, b.limits.lower, b.limits.upper) for b in bodies]
    found += [(b.mimic.source, *leader_bounds(b)[:2]) for b in model.bodies if b.mimic is not None]
    places = (
        (*(range(n)[at] for n, at in zip((model.nq, model.nv), model.slices[k], strict=True)), *x) for k, *x in found
    )
    each = (bound for x in places for bound in zip(*x, strict=True))
    return [x for x in each if np.isfinite(x[2]) or np.isfinite(x[3])]


def _within(bounds: Bounds, q: Array) -> Array:
    """q with joints that are beyond their limits at them."""
    entries = list(q)
    for at, _, lower, upper in bounds:
        entries[at] = clip(entries[at], lower, upper)
    return stack(entries) if bounds else q


def _leaving(bounds: Bounds, q: Array, delta: Array) -> Array:
    """1 for joint velocities (nv,) that lead out of the limits, 0 for others."""
    found: list[Array] = [np.array(0.0)] * len(delta)
    for at_q, at_v, lower, upper in bounds:
        x, d = q[at_q], delta[at_v]
        below, above = where(less(lower, x), 0.0, less(d, 0.0)), where(less(x, upper), 0.0, less(0.0, d))
        found[at_v] = maximum(found[at_v], maximum(where(below, 1.0, 0.0), where(above, 1.0, 0.0)))
    return stack(found)


def near_configuration(model: Model, q: Array, held: Array, *, drive: Drive = None) -> tuple[Array, Array]:
    """A configuration with closed loops near q (nq,) and within the limits, and its residual; see `Closing`."""
    return closing_configuration(model, q, Closing(drive, held=held))
