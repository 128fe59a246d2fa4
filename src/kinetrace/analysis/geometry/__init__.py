"""The geometry of configuration space with the mass matrix as its metric: curvature and geodesics of batches."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from ...algorithms.dynamics.forward_dynamics import forward_dynamics
from ...algorithms.metric import curvature
from ...algorithms.metric.christoffel import INSTEAD_FOR_LOOPS, christoffel
from ...algorithms.registry.declaration import check_tree
from ...arrays import Array, concatenate
from ...engine.trace import Program
from ...errors import InputError
from ...model.model import Model
from ...robot import Robot
from ...robot.types import Float
from ...support.conversion import as_array, as_rng

__all__ = [
    "Geodesic",
    "geodesic",
    "geodesic_between",
    "is_flat",
    "ricci",
    "riemann",
    "scalar_curvature",
]


MIDPOINT_PARTS = tuple(range(2, 18, 2))
SHORTEST_STEP = 1e-4
"""Of the longest step so far: a motion that needs shorter ones runs into a singular mass matrix, and ends in NaN."""
NEWTON_STEPS = 30
"""Of `geodesic_between`, to one place on the way."""


class Geodesic(NamedTuple):
    """The geodesic between two configurations, in unit time."""

    t: Float
    """Times (k,) from 0 to 1."""
    q: Float
    """Configurations (k, nq)."""
    v: Float
    """Velocities (k, nv): v[0] is the one to start with."""
    length: float
    """∫ sqrt(vᵀ M v) dt."""


def geodesic_rate(model: Model, q: Array, v: Array) -> Array:
    """(q̇, v̇) (nq + nv,) of a motion without forces and without gravity."""
    free = replace(model.without_passive_forces, gravity=np.zeros(3))
    return concatenate([model.tangent(q) @ v, forward_dynamics(free, q, v, np.zeros(model.nv))])


def geodesic(
    robot: Robot, q: npt.ArrayLike, v: npt.ArrayLike, t: npt.ArrayLike, tol: float = 1e-10
) -> tuple[Float, Float]:
    """q (..., k, nq) and v (..., k, nv) at the times t (k,); see `Robot.geodesic`."""
    times = as_array("geodesic: t", t)
    if times.ndim != 1 or times.size == 0 or times.dtype.kind not in "iuf" or not np.isfinite(times).all():
        raise InputError(f"t must be times (k,), finite and at least one; got {t!r}")
    if np.any(np.diff(times) < 0) and np.any(np.diff(times) > 0):
        raise InputError("t must be in order, rising or falling")
    if not tol > 0:
        raise InputError(f"tol must be positive, got {tol!r}")
    kernel = robot.kernel(geodesic_rate)
    q, v = as_array("geodesic: q", q), as_array("geodesic: v", v)
    like, nq = kernel(q, v), robot.nq  # which checks their shapes
    tol = max(tol, 100 * float(np.finfo(like.dtype).eps))
    x = concatenate([np.broadcast_to(y, (*like.shape[:-1], np.shape(y)[-1])) for y in (q, v)]).astype(like.dtype)

    def rate(x: Float) -> Float:
        return kernel(x[..., :nq], x[..., nq:])

    def normalise(x: Float) -> Float:
        return concatenate([robot.normalise(x[..., :nq]), x[..., nq:]])

    states, x = [], normalise(x)
    with np.errstate(all="ignore"):  # a state that is not finite spoils itself alone
        for begin, end in pairwise([0.0, *map(float, times)]):
            x = _integrate_span(rate, normalise, x, end - begin, tol)
            states.append(x)
    found = np.stack(states, axis=-2)
    return found[..., :nq], found[..., nq:]


def _integrate_span(
    rate: Callable[..., Float], normalise: Callable[..., Float], x: Float, span: float, tol: float
) -> Float:
    """The state after `span`, in as many steps as it takes."""
    left, step, least = span, span, 1e-12 * abs(span)
    while left != 0:
        reached, known = _extrapolate_step(rate, x, step, tol)
        if known.all() or abs(step) <= least:
            x = normalise(np.where(known, reached, np.nan).astype(x.dtype))
            left, least = 0.0 if abs(step) >= abs(left) else left - step, max(least, SHORTEST_STEP * abs(step))
            step = math.copysign(min(2 * abs(step), abs(left)), span)
        else:
            step = step / 2
    return x


def _extrapolate_step(rate: Callable[..., Float], x: Float, step: float, tol: float) -> tuple[Float, Any]:
    """The state after one step, and whether (..., 1) it is known to `tol`, or was not finite before."""
    start, row = rate(x), list[Float]()
    known = lost = ~np.isfinite(start).all(axis=-1, keepdims=True)
    for k, parts in enumerate(MIDPOINT_PARTS):
        h = step / parts
        before, now = x, x + h * start
        for _ in range(parts - 1):
            before, now = now, before + 2 * h * rate(now)
        column: list[Float] = [(before + now + h * rate(now)) / 2]
        for m, lower in enumerate(row):
            column.append(column[m] + (column[m] - lower) / ((parts / MIDPOINT_PARTS[k - m - 1]) ** 2 - 1))
        if k > 1:
            error, size = (np.abs(y).max(axis=-1, keepdims=True, initial=0) for y in (column[-1] - row[-1], column[-1]))
            known = lost | (error <= tol * (1 + size))
            if known.all():
                break
        row = column
    return column[-1], known


def geodesic_between(
    robot: Robot, q0: npt.ArrayLike, q1: npt.ArrayLike, samples: int = 51, tol: float = 1e-9
) -> Geodesic:
    """The geodesic from q0 to q1 (nq,); see `Robot.geodesic_between`."""
    start, end = robot.normalise(q0), robot.normalise(q1)
    if start.shape != (robot.nq,) or end.shape != (robot.nq,):
        raise InputError(f"q0 and q1 must be one configuration each, ({robot.nq},); got {start.shape} and {end.shape}")
    if not np.isfinite([start, end]).all():
        raise InputError("q0 and q1 must be finite")
    if not tol > 0:
        raise InputError(f"tol must be positive, got {tol!r}")
    if not isinstance(samples, int | np.integer) or samples < 2:
        raise InputError(f"samples must be a whole number, at least 2; got {samples!r}")
    way = robot.difference(start, end)
    v: Float = np.zeros(robot.nv)
    done, advance = 0.0, 1.0
    while done < 1:
        target = min(1.0, done + advance)
        goal = robot.integrate(start, target * way)
        found = _shoot(robot, start, goal, v + (target - done) * way if done == 0 else v * target / done, tol)
        if found is None:
            advance = advance / 2
            if advance < 1e-2:
                raise InputError(
                    f"geodesic_between: no geodesic found beyond {done:.3f} of the way from q0 to q1; "
                    "there may be none nearby: go by way of configurations in between"
                )
        else:
            v, done, advance = found, target, 2 * advance
    times = np.linspace(0.0, 1.0, samples)
    q, velocities = geodesic(robot, start, v, times, tol / 100)
    return Geodesic(times, q, velocities, float(np.sqrt(2 * robot.kinetic_energy(start, v))))


def _shoot(robot: Robot, start: Float, goal: Float, v: Float, tol: float) -> Float | None:
    """The velocity that leads from `start` to `goal` in unit time, by Newton's method from v; None if it gets lost."""

    def miss(v: Float) -> Float:
        reached = geodesic(robot, start, v, [1.0], tol / 100)[0][..., 0, :]
        return robot.difference(goal, reached)

    n = len(v)
    size = max(1.0, float(np.abs(v).max(initial=0)))
    error = miss(v)
    for _ in range(NEWTON_STEPS):
        if np.abs(error).max(initial=0) <= tol * size:
            return v
        h = 1e-4 * size * np.eye(n)
        slopes = (miss(v + h) - miss(v - h)).T / (2e-4 * size)
        if not np.isfinite(slopes).all():
            return None
        change = -np.linalg.lstsq(slopes, error, rcond=None)[0]
        tried = [(v + change / 2**k) for k in range(6)]
        errors = miss(np.stack(tried))
        misses = np.where(np.isfinite(errors), np.abs(errors), np.inf).max(axis=-1, initial=0)
        better = int(np.argmin(misses))
        if not misses[better] < 0.9 * np.abs(error).max():
            return v if np.abs(error).max() <= 10 * tol * size else None
        v, error = tried[better], errors[better]
    return None


RANDOM_STATES = 64
"""Random states that `is_flat` looks at."""


def riemann(robot: Robot, q: npt.ArrayLike, threads: int | None = None) -> Float:
    """The curvature tensor (..., nv, nv, nv, nv); see `algorithms.riemann`."""
    _check("riemann", robot)
    return _riemann_and_mass(robot, q, threads)[0]


@np.errstate(all="ignore")  # a state that is not finite spoils itself alone
def ricci(robot: Robot, q: npt.ArrayLike, threads: int | None = None) -> Float:
    """Ricci's tensor (..., nv, nv); see `algorithms.ricci`."""
    _check("ricci", robot)
    R, M = _riemann_and_mass(robot, q, threads)
    n = robot.nv
    mixed = _solve(M, R.reshape(*R.shape[:-3], n**3)).reshape(R.shape)
    return np.einsum("...kjkl->...jl", mixed)


@np.errstate(all="ignore")  # a state that is not finite spoils itself alone
def scalar_curvature(robot: Robot, q: npt.ArrayLike, threads: int | None = None) -> Float:
    """The trace (...) of Ricci's tensor; see `algorithms.scalar_curvature`."""
    _check("scalar_curvature", robot)
    return np.einsum("...kk->...", _solve(robot.mass_matrix(q, threads=threads), ricci(robot, q, threads)))


def is_flat(robot: Robot, tol: float = 1e-9, seed: int = 0) -> bool:
    """Whether the curvature vanishes; see `Robot.is_flat`."""
    if not tol > 0:
        raise InputError(f"tol must be positive, got {tol!r}")
    _check("is_flat", robot)
    if robot.nv < 2 or _is_zero(robot.kernel(christoffel).program):
        return True
    rng = as_rng(seed)
    u, v = rng.normal(size=(2, RANDOM_STATES, robot.nv))
    kernel = robot.kernel(curvature.plane_curvature)
    value, scale = np.moveaxis(kernel(robot.random(RANDOM_STATES, seed=rng), u, v), -1, 0)
    return bool(np.all(np.abs(value) <= tol * np.sqrt(scale)))


def _check(what: str, robot: Robot) -> None:
    """An error, by the name that was called, if the robot has closed loops."""
    check_tree(what, robot.model, INSTEAD_FOR_LOOPS)


@np.errstate(all="ignore")  # a state that is not finite spoils itself alone
def _riemann_and_mass(robot: Robot, q: npt.ArrayLike, threads: int | None) -> tuple[Float, Float]:
    """The curvature tensor and the mass matrix."""
    n = robot.nv
    if n == 0:
        M = robot.mass_matrix(q, threads=threads)
        return M.reshape(*M.shape, 0, 0), M
    screws, rates, P, Gamma, M = robot.kernel(curvature.ingredients)(q, threads=threads)
    rows = Gamma.reshape(*Gamma.shape[:-3], n * n, n).swapaxes(-1, -2)
    raised = _solve(M, rows).swapaxes(-1, -2).reshape(Gamma.shape)
    return curvature.gauss(robot.model, screws, rates, P, Gamma, raised).astype(M.dtype, copy=False), M


def _solve(M: Float, b: Float) -> Float:
    try:
        return cast(Float, np.linalg.solve(M, b))
    except np.linalg.LinAlgError:
        raise InputError("the mass matrix is singular, so it is not a metric and has no curvature") from None


def _is_zero(program: Program) -> bool:
    """Whether a program's results are the constant zero, whatever its inputs."""
    return all(program.nodes[i] == ("const", 0.0) for result in program.results for i in result)
