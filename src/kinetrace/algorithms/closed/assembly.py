"""Closing loops: Gauss and Newton on the manifold of configurations, within the joint limits.

    q ← q ⊕ δ,    δ = −K⁺ φ, the shortest step that closes the loops to first order

A step is shortened where it is long or does not bring the loops nearer to closed, and joints stay within their limits;
one that is at a limit, and would leave it, is held while the others go on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from ...arrays import Array
from ...errors import ModelError
from ...model.body import WORLD
from ...model.closures import Closure
from ...model.couplings import leader_bounds
from ...model.model import Model
from .closures import closure_jacobian, closure_residual


class HasClosures(Protocol):
    """A model, and its closures at many configurations at once; a `Robot` is one."""

    @property
    def model(self) -> Model:
        """Joints, bodies and closures."""

    def closure_residual(self, q: Any, /) -> Array:
        """φ (..., rows)."""

    def closure_jacobian(self, q: Any, /) -> Array:
        """K (..., rows, nv)."""

    def integrate(self, q: Any, v: Any, /) -> Array:
        """q ⊕ v (..., nq)."""


class FloatClosures:
    """The same of a model without compiling anything: what is found out once is found out sooner so."""

    def __init__(self, model: Model, drive: Mapping[str, Array] | None = None) -> None:
        self.model, self.drive = model, drive

    def closure_residual(self, q: Array) -> Array:
        """φ (k, rows) of q (k, nq)."""
        return np.array([closure_residual(self.model, x, drive=self.drive) for x in q])

    def closure_jacobian(self, q: Array) -> Array:
        """K (k, rows, nv) of q (k, nq)."""
        with np.errstate(all="ignore"):  # a wheel that lies flat has no rows
            return np.array([closure_jacobian(self.model, x, drive=self.drive) for x in q])

    def integrate(self, q: Array, v: Array) -> Array:
        """q ⊕ v (k, nq)."""
        return np.array([self.model.integrate(x, y) for x, y in zip(q, v, strict=True)])


ITERATIONS = 200
LONGEST_STEP = 0.5
"""Of a step: its largest entry [rad, m]."""
CLOSED_RESIDUAL = 1e-10
"""A residual [m, rad], divided by `size_of` the robot, below which loops are closed; steps go on while they help."""
LEAST_PROGRESS = 1e-3
"""Of a residual, what a step must take away at least; if none does, the loops do not close from there."""
MASSLESS_FRACTION = 1e-9
"""Of all mass, what a joint without any is taken to move where distances are measured by the mass matrix."""
NEARLY_CLOSED_RESIDUAL = 1e-3
"""A residual [m, rad] that is more likely to be of numbers written with few digits than of lengths that do not fit."""
ZERO_SINGULAR_VALUE = 1e-9
"""Singular values below this, relative to the largest, are zero."""


def size_of(model: Model) -> float:
    """The largest shift between frames [m], and no less than one: residuals of smaller robots are not divided."""
    shifts = [b.X_pj[:3, 3] for b in model.bodies] + [f.X_bf[:3, 3] for c in model.closures for f in c.frames]
    return max([1.0, *(float(np.linalg.norm(p)) for p in shifts)])


def assemble(
    robot: HasClosures,
    guess: Array,
    weight: Array | None = None,
    *,
    limits: bool = True,
    held: Sequence[int] = (),
    iterations: int = ITERATIONS,
    weakest: float = ZERO_SINGULAR_VALUE,
) -> tuple[Array, Array]:
    """Configurations (k, nq) near guesses (k, nq), and their largest residuals (k,) divided by `size_of` the robot.

    `weight` (k, nv, nv) is the metric in which steps are shortest, such as the mass matrix; the identity if none.
    Velocities that are `held`, by their places in v, do not take part. Directions in which singular values of K are
    below `weakest`, relative to the largest, are not moved along.
    """
    model, rows = robot.model, np.array(robot.model.rows_hold_positions, dtype=bool)
    bounds = _bounds(model) if limits else []
    q, scale = _within(bounds, np.array(guess, dtype=float)), size_of(model)
    if not model.closures:
        return q, np.zeros(len(q))
    root = None if weight is None else _root(weight)
    error = np.asarray(robot.closure_residual(q))[:, rows]
    active = np.all(np.isfinite(error), axis=-1)
    for _ in range(iterations):
        active &= np.any(error != 0, axis=-1)
        if not np.any(active):
            break
        at, r = q[active], error[active]
        K = np.asarray(robot.closure_jacobian(at))[:, rows]
        K = np.where(np.isfinite(K).all(axis=(-2, -1), keepdims=True), K, 0.0)  # not moved where a closure has no rows
        K[..., list(held)] = 0.0
        step = _step(bounds, at, K, r, None if root is None else root[active], weakest)
        new, new_error, better = _best_shorter_step(robot, bounds, at, r, step, rows)
        q[active], error[active] = new, new_error
        active[active] = better
    found = np.isfinite(robot.closure_jacobian(q)).all(axis=(-2, -1))  # not of a wheel that lies flat
    return q, np.where(found, np.abs(error).max(axis=-1, initial=0.0) / scale, np.inf)


def _step(bounds: Bounds, q: Array, K: Array, r: Array, root: Array | None, weakest: float) -> Array:
    """δ (k, nv), with joints that would leave their limits held."""
    held = np.zeros(K.shape[::2], dtype=bool)
    for _ in range(3):
        free = np.where(held[:, None, :], 0.0, K)
        if root is None:
            step = -(np.linalg.pinv(free, rcond=weakest) @ r[..., None])[..., 0]
        else:
            step = -(root @ (np.linalg.pinv(free @ root, rcond=weakest) @ r[..., None]))[..., 0]
            step = np.where(held, 0.0, step)
        leaving = _leaves(bounds, q, step) & ~held
        if not np.any(leaving):
            break
        held |= leaving
    return step * np.minimum(1.0, LONGEST_STEP / np.maximum(np.abs(step).max(axis=-1, initial=0.0), 1e-300))[:, None]


def _best_shorter_step(
    robot: HasClosures, bounds: Bounds, q: Array, r: Array, step: Array, rows: Array
) -> tuple[Array, Array, Array]:
    """The best of shorter and shorter steps; whether it brought the loops nearer to closed (k,)."""
    best, best_error, size = q.copy(), r.copy(), np.linalg.norm(r, axis=-1)
    wanted = np.where(size > CLOSED_RESIDUAL, (1.0 - LEAST_PROGRESS) * size, size)
    waiting, helped = np.ones(len(q), dtype=bool), np.zeros(len(q), dtype=bool)
    for halves in range(12):
        new = _within(bounds, np.asarray(robot.integrate(q[waiting], 0.5**halves * step[waiting])))
        error = np.asarray(robot.closure_residual(new))[:, rows]
        better = np.linalg.norm(error, axis=-1) < wanted[waiting]
        chosen = np.flatnonzero(waiting)[better]
        best[chosen], best_error[chosen] = new[better], error[better]
        waiting[chosen], helped[chosen] = False, True
        waiting &= size > CLOSED_RESIDUAL  # what is less is rounding, which no shorter step mends
        if not np.any(waiting):
            break
    return best, best_error, helped


Bounds = list[tuple[slice, slice, Array, Array]]
"""Joints that may have limits: where they stand in q and v, and the limits."""


def _bounds(model: Model) -> Bounds:
    """Of a robot."""
    bodies = [b for b in model.independent_joints if b.joint.nq == b.joint.nv]
    found = [(*model.slices[b.index], b.limits.lower, b.limits.upper) for b in bodies]
    for body in model.bodies:  # those of a mimic joint are limits of what it follows
        if body.mimic is not None:
            found.append((*model.slices[body.mimic.source], *leader_bounds(body)[:2]))
    return found


def _within(bounds: Bounds, q: Array) -> Array:
    """q with joints that are beyond their limits at them."""
    for at, _, lower, upper in bounds:
        q[..., at] = np.clip(q[..., at], lower, upper)
    return q


def _leaves(bounds: Bounds, q: Array, step: Array) -> Array:
    """Which joint velocities (k, nv) lead out of the limits."""
    found = np.zeros(step.shape, dtype=bool)
    for at_q, at_v, lower, upper in bounds:
        x, d = q[..., at_q], step[..., at_v]
        found[..., at_v] = ((x <= lower) & (d < 0)) | ((x >= upper) & (d > 0))
    return found


def open_closure_error(model: Model, residual: Array, what: str) -> ModelError:
    """An error that names the closure that is farthest from closed."""
    worst = {name: float(np.abs(residual[rows]).max(initial=0.0)) for name, rows in model.closure_slices.items()}
    name = max(worst, key=lambda x: worst[x])
    if worst[name] < CLOSED_RESIDUAL * size_of(model):
        return ModelError(f"{what}: a closure has no rows there, as a wheel that lies flat")
    nearly = ""
    if worst[name] < NEARLY_CLOSED_RESIDUAL:
        nearly = (
            "; nearly closed: rows that should follow from others may contradict each other, as if axes of a planar "
        )
        nearly += "loop are not quite parallel: write them with more digits, or close it by fewer rows (closures.Rows)"
    placed = "" if nearly else _world_side_steps(next(x for x in model.closures if x.name == name))
    return ModelError(f"{what}: closure {name!r} stays open by {worst[name]:.3g} (m or rad){nearly}{placed}")


def _world_side_steps(closure: Closure) -> str:
    """How to put the world's side of a closure where the other frame is; empty if the world has none."""
    if closure.terms or sum(frame.body == WORLD for frame in closure.frames) != 1:
        return ""
    sides = [("placement_a", closure.a, closure.b), ("placement_b", closure.b, closure.a)]
    side, frame, other = next(x for x in sides if x[1].body == WORLD)
    if frame.name not in ("", "world"):
        return ""
    call = f"{side}=robot.pose(q, {other.name!r})[:3, 3]"
    return f"; {call} is a point in the world that the frame reaches, at the configuration q"


def projected_velocity(K: Array, M: Array, v: Array, rate: Array) -> Array:
    """The velocity (..., nv) nearest to v that closures allow, measured by kinetic energy; of v they ask K v = rate."""
    some = np.isfinite(K).all(axis=(-2, -1)) & np.isfinite(M).all(axis=(-2, -1))
    K, M = (np.where(some[..., None, None], x, y) for x, y in ((K, 0.0), (M, np.eye(M.shape[-1]))))
    root = _root(M)
    step = (root @ (np.linalg.pinv(K @ root, rcond=ZERO_SINGULAR_VALUE) @ rate[..., None]))[..., 0]
    return np.where(some[..., None], v - step, np.nan)


def _root(M: Array) -> Array:
    """M^-½ (..., nv, nv), transposed on the right; if M is singular, what moves no mass moves before all else."""
    try:
        factor = np.linalg.cholesky(M)
    except np.linalg.LinAlgError:
        size = np.trace(M, axis1=-2, axis2=-1)[..., None, None]
        factor = np.linalg.cholesky(M + MASSLESS_FRACTION * size * np.eye(M.shape[-1]))
    return np.linalg.inv(factor).swapaxes(-1, -2)
