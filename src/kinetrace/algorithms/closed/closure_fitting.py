"""Closures that do not quite hold, or not all of them: which can stay, and how far their frames must move.

Numbers of files are rounded. A planar loop with a ball joint is closed in space by a row more than its links have
freedom for, and if axes are not quite parallel, or links not quite in one plane, no configuration closes it. A loop
that is open by no more than `NEARLY_CLOSED_RESIDUAL` is taken to be meant closed: at the configuration where all
closures are nearest to closed, the frame B of each is moved to where it holds. If loops then open elsewhere, since axes
are askew, the combinations of rows that follow from the other rows, but for this, are left out: else they would hold a
loop fast that is meant to move.

A closure that cannot hold together with those before it is left out, and the others stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...arrays import Array
from ...lie import se3
from ...model.body import WORLD
from ...model.closures import WORLD_NAME, Closure
from ...model.constraints import Combined
from ...model.model import Model
from ..kinematics.forward_kinematics import body_poses
from .assembly import NEARLY_CLOSED_RESIDUAL, FloatClosures, assemble
from .closures import size_of
from .loop_closing import CLOSED_RESIDUAL

ASKEW_SINGULAR_VALUE = 1e-4
"""Singular values of K below this, relative to the largest, are taken to be of axes that are askew."""
COMPARED_SAMPLES = 6
"""Configurations besides the first at which rows are compared."""
RANDOM_STARTS = 24
"""Random configurations from which a closure is tried before it is left out."""
NEWTON_STEPS = 40
"""Steps of Newton's method, if it leads anywhere."""
ASKEW_PER_RESIDUAL = 100.0
"""Singular values [1], as multiples of residuals [m, rad], that may be due to the same rounding."""


LARGEST_ASKEW_VALUE = 0.03
"""The largest that such a singular value may be, relative to the largest of the rows."""


class ClosureFit(NamedTuple):
    """Closures that hold, and what was done to those of before."""

    model: Model
    q: Array
    """A configuration (nq,) in which all of them hold."""
    moved: dict[str, float]
    """Closure → how far it was open [m, rad], and its frame moved."""
    askew: dict[str, float]
    """Closure without some of its rows → how far these open [m, rad] where the others hold, away from q."""
    open: dict[str, float]
    """Closure that was left out → how far it stays open [m, rad] where those before it hold."""

    @property
    def changed(self) -> bool:
        """Whether the closures that stay are not as they were."""
        return bool(self.moved or self.askew)


def fit_closures(model: Model, starts: Sequence[Array | None]) -> ClosureFit:
    """Closures that hold together, from the first of these configurations from which all do, or as many as can."""
    model = replace(model, assembly=None)
    for start in starts:
        if start is None:
            continue
        q, error = _nearest(model, model.closures, start)
        if error < NEARLY_CLOSED_RESIDUAL:
            return _move_closures(model, q, {})
    q = model.neutral() if starts[0] is None else starts[0]
    kept, left = list[Closure](), dict[str, float]()
    for closure in model.closures:
        near = _coupled_closures(model, kept, closure)
        q_new, error = _best_of_starts(model, [*near, closure], [q, *(x for x in starts if x is not None)])
        if error < NEARLY_CLOSED_RESIDUAL:
            q, kept = q_new, [*kept, closure]
        else:
            left[closure.name] = _opening(replace(model, closures=(closure,)), q)
    return _move_closures(replace(model, closures=tuple(kept)), q, left)


def _nearest(model: Model, closures: Iterable[Closure], q: Array) -> tuple[Array, float]:
    """Where these closures are nearest to closed, from q, and how far they are open [m, rad]."""
    robot = FloatClosures(replace(model, closures=tuple(closures)))
    found, error = assemble(robot, q[None], weakest=ASKEW_SINGULAR_VALUE, iterations=NEWTON_STEPS)
    return found[0], float(error[0]) * size_of(robot.model)


def _best_of_starts(model: Model, closures: list[Closure], starts: list[Array]) -> tuple[Array, float]:
    """The best of `_nearest` from these starts, and then from some in which the joints of the closures are random."""
    part, rng = replace(model, closures=tuple(closures)), np.random.default_rng(0)
    columns = frozenset[int]().union(*part.closure_columns)
    own = [at_q for at_q, at_v in model.slices.values() if columns & set(range(at_v.start, at_v.stop))]
    best, least = starts[0], np.inf
    for k in range(len(starts) + RANDOM_STARTS):
        q = starts[min(k, len(starts) - 1)].copy()
        if k >= len(starts):
            other = model.random(rng)
            for at in own:
                q[at] = other[at]
        found, error = _nearest(model, closures, q)
        if error < least:
            best, least = found, error
        if least < NEARLY_CLOSED_RESIDUAL:
            break
    return best, least


def _coupled_closures(model: Model, kept: list[Closure], closure: Closure) -> list[Closure]:
    """The closures that share velocities with this one, or with such a closure."""

    def columns(x: Closure) -> frozenset[int]:
        return frozenset[int]().union(*replace(model, closures=(x,)).closure_columns)

    reached, near, far = columns(closure), list[Closure](), list(kept)
    while more := [x for x in far if columns(x) & reached]:
        near, far = [*near, *more], [x for x in far if x not in more]
        reached = reached.union(*map(columns, more))
    return [x for x in kept if x in near]


def _opening(model: Model, q: Array) -> float:
    rows = np.array(model.rows_hold_positions, dtype=bool)
    return float(np.abs(FloatClosures(model).closure_residual(q[None])[0][rows]).max(initial=0.0))


def _move_closures(model: Model, q: Array, left: dict[str, float]) -> ClosureFit:
    """The closures with their frames moved to where they hold at q, and without rows that then open elsewhere."""
    q, _ = _nearest(model, model.closures, q)
    poses, gaps = body_poses(model, q), FloatClosures(model).closure_residual(q[None])[0]
    closed, closures, moved = CLOSED_RESIDUAL * size_of(model), list[Closure](), dict[str, float]()
    for closure, at in zip(model.closures, model.closure_slices.values(), strict=True):
        gap = gaps[at]
        size = float(np.abs(gap[list(closure.constraint.holonomic)]).max(initial=0.0))
        if size < closed:
            closures.append(closure)
        else:
            moved[closure.name] = size
            closures.append(_closed_by_moving(closure, gap, poses))
    made, askew = _without_askew_rows(replace(model, closures=tuple(closures)), q)
    return ClosureFit(made, q, moved, askew, left)


def _closed_by_moving(closure: Closure, gap: Array, poses: dict[int, Array]) -> Closure:
    """The closure with its frame B, or its offset, moved by as little as closes it."""
    if closure.terms:
        return replace(closure, offset=closure.offset + gap)
    rows, b = np.array(closure.constraint.holonomic, dtype=bool), closure.b
    for _ in range(10):
        X_ab = se3.inverse(poses[closure.a.body] @ closure.a.X_bf) @ poses[b.body] @ b.X_bf
        r = np.asarray(closure.constraint.residual(X_ab))[rows]
        N = np.asarray(closure.constraint.rows(X_ab))[rows]
        b = replace(b, X_bf=b.X_bf @ se3.exp(-np.linalg.pinv(N) @ r))
    return replace(closure, b=b)


def _without_askew_rows(model: Model, q: Array) -> tuple[Model, dict[str, float]]:
    """The model without rows that follow from others but for rounding, and how far these open away from q."""
    samples, robot = _samples(model, q), FloatClosures(model)
    closed, gaps = CLOSED_RESIDUAL * size_of(model), np.abs(robot.closure_residual(samples))
    if gaps.max(initial=0.0) < closed:
        return model, {}
    K, closures, found = robot.closure_jacobian(samples), list[Closure](), dict[str, float]()
    for closure, at in zip(model.closures, model.closure_slices.values(), strict=True):
        closures.append(closure)
        size = float(gaps[:, at].max(initial=0.0))
        if size < closed or closure.terms or not all(closure.constraint.holonomic):
            continue
        free = [k @ _complement(rest, size) for k, rest in zip(K[:, at], K[:, : at.start], strict=True)]
        U, values, _ = np.linalg.svd(np.concatenate(free, axis=1))
        count = _count(values, size)
        if 0 < count < closure.size:
            closures[-1] = replace(closure, constraint=Combined(closure.constraint, _tidy(U[:, :count].T)))
            found[closure.name] = size
    made = replace(model, closures=tuple(closures))
    return (made, found) if _follow(model, made, q) else (model, {})


def _follow(model: Model, fewer: Model, q: Array) -> bool:
    """Whether the rows that are left out stay nearly closed wherever the others are, and these close."""
    samples = _samples(fewer, q)
    both = [np.abs(FloatClosures(x).closure_residual(samples)).max(initial=0.0) for x in (fewer, model)]
    return len(samples) > 1 and both[0] < CLOSED_RESIDUAL * size_of(model) and both[1] < NEARLY_CLOSED_RESIDUAL


def _count(values: Array, size: float) -> int:
    """How many of these singular values are not due to what opens loops by this size."""
    return int(np.sum(values > min(ASKEW_PER_RESIDUAL * size, LARGEST_ASKEW_VALUE * np.max(values, initial=0.0))))


def _complement(K: Array, size: float) -> Array:
    """An orthonormal basis (nv, k) of the velocities that rows K (m, nv) allow, but for what is askew."""
    _, values, V = np.linalg.svd(K)
    return V[_count(values, size) :].T


def _tidy(factors: Array) -> Array:
    """Orthonormal combinations (k, m) with the same span, single rows where these are all but in it."""
    units = np.eye(factors.shape[1])[np.sum(factors**2, axis=0) > 1.0 - 1e-6]
    rest = factors - (factors @ units.T) @ units
    return np.concatenate([units, np.linalg.svd(rest)[2][: len(factors) - len(units)]])


def _samples(model: Model, q: Array) -> Array:
    """Configurations (k, nq) near q in which the loops are nearly closed, the first of them q."""
    rng = np.random.default_rng(0)
    starts = np.stack([model.integrate(q, 0.2 * rng.normal(size=model.nv)) for _ in range(COMPARED_SAMPLES)])
    found, error = assemble(FloatClosures(model), starts, weakest=ASKEW_SINGULAR_VALUE, iterations=NEWTON_STEPS)
    return np.concatenate([q[None], found[error * size_of(model) < NEARLY_CLOSED_RESIDUAL]])


def closure_text(model: Model, name: str) -> str:
    """A closure by its name and the links that it joins.

    >>> import kinetrace as kt
    >>> closure_text(kt.load("four_bar").model, "coupler-rocker")
    "'coupler-rocker' between 'coupler' and 'rocker'"
    """
    closure = next(x for x in model.closures if x.name == name)
    if closure.terms:
        return f"{name!r} of {' and '.join(repr(model.bodies[term.body].joint_name) for term in closure.terms)}"
    a, b = (WORLD_NAME if frame.body == WORLD else model.bodies[frame.body].name for frame in closure.frames)
    return f"{name!r} between {a!r} and {b!r}"
