"""Limits that a motion passes: in its first state, while it runs, and at its end.

Limits are found in rows that are recorded; velocities that no joint is meant to reach are found while a motion runs, in
all steps of compiled ones, and in recorded rows of single steps. Kernels do not look. Joints without a limit pass none,
nor do those whose limit of velocity or force is zero, which files write for one that is not known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import LimitWarning, SimulationWarning, warn
from ..model.configurations import DEGREES_BEYOND_LIMITS, in_radians
from ..model.model import Model
from ..robot.types import Float
from ..support.progress import Line, Progress
from .metadata import Excess, names_of

if TYPE_CHECKING:
    from .trajectory import Trajectory

RANGE_TOLERANCE, LIMIT_TOLERANCE = 1e-3, 0.05
"""How far beyond a limit a position may be, relative to its range, and a velocity or force, relative to the limit:
motions that are planned at limits pass them a little where a controller follows them."""
STOP_WIDTHS = 10.0
"""Widths of a soft stop by which it may be compressed: beyond the limits it is the stop that acts."""
DIVERGING_SPEED = 10.0
"""Multiple of its velocity limit that no joint is meant to reach: a motion as fast as that diverges."""
JOINTS_NAMED = 3
"""Joints that a warning names for each quantity."""
TILE_ROWS, BLOCK_NUMBERS = 64, 1 << 17
"""Rows that are reduced side by side, as NumPy is slow along axes as short as the number of joints, and numbers that
are reduced at a time, as many as a processor's cache holds."""


THIN_FROM_NUMBERS, ROWS_LEFT_OUT = 1 << 18, 16
"""Numbers of an array from which the line at the end is of fewer rows, and how many rows it may leave out for each."""


class QuantityLimits(NamedTuple):
    """Limits of a quantity, and how far beyond them a number may be; arrays over its entries."""

    quantity: str
    lower: Float
    upper: Float
    room: Float


@lru_cache(maxsize=64)
def quantity_limits(model: Model) -> dict[str, QuantityLimits]:
    """The limits of q, v and τ; those of mimic joints count for the joint that they follow.

    >>> import kinetrace as kt
    >>> quantity_limits(kt.load("planar2r").model)["v"].upper
    array([10., 10.])
    """
    limits, (lower, upper, velocity) = model.limits, model.bounds
    if (lower > upper).any():  # no value is within the limits of all joints that are coupled
        lower, upper = limits.lower, limits.upper
    velocity, effort = _known_limits(velocity), _known_limits(limits.effort)
    size = np.maximum(_size(lower), _size(upper))
    with np.errstate(invalid="ignore"):
        room = RANGE_TOLERANCE * np.where(np.isfinite(upper - lower), upper - lower, size)
    for body in model.independent_joints:
        at, effects = model.slices[body.index][0], body.effects
        if effects is not None and body.joint.has_coordinates:
            stops = (effects.stop_stiffness > 0) | (effects.stop_damping > 0)
            room[at] = np.where(stops, STOP_WIDTHS * effects.stop_width, room[at])
    return {
        "q": QuantityLimits("position", lower, upper, room),
        "v": QuantityLimits("velocity", -velocity, velocity, LIMIT_TOLERANCE * _size(velocity)),
        "tau": QuantityLimits("force", -effort, effort, LIMIT_TOLERANCE * _size(effort)),
    }


def _known_limits(limit: Float) -> Float:
    return np.where(limit > 0.0, limit, np.inf)


def _size(limit: Float) -> Float:
    return np.where(np.isfinite(limit), np.abs(limit), 0.0)


def excesses(model: Model, t: Float, arrays: Mapping[str, Float], lost: Any = None) -> tuple[Excess, ...]:
    """Where arrays q, v, tau (..., n, ·) at times (n,) are beyond limits; `lost` (...) are lanes that do not count."""
    found, names = list[Excess](), None
    for key, bound in quantity_limits(model).items():
        x: Any = arrays.get(key)
        if x is None or not x.size:
            continue
        x = np.ascontiguousarray(x)
        if x.max() <= bound.upper.min() and x.min() >= bound.lower.max():
            continue  # a quick look settles most motions
        if not ((x > bound.upper + bound.room) | (x < bound.lower - bound.room)).any():
            continue
        high, low = _extremes(x)
        if not (np.isfinite(high) & np.isfinite(low)).all():
            x = np.where(np.isfinite(x), x, np.nan)
            high, low = np.fmax.reduce(x, axis=-2), np.fmin.reduce(x, axis=-2)
        over = np.fmax(high - bound.upper, bound.lower - low)
        passed = over > bound.room
        if lost is not None:
            passed[lost] = False
        for k in np.flatnonzero(passed.any(axis=tuple(range(passed.ndim - 1)))).tolist():
            names = names_of(model) if names is None else names
            joint, unit = {
                "q": (names.q, names.q_units),
                "v": (names.v, names.v_units),
                "tau": (names.v, names.tau_units),
            }[key]
            furthest = int(np.argmax(np.where(passed[..., k], over[..., k], -np.inf)))
            lane = tuple(int(i) for i in np.unravel_index(furthest, passed.shape[:-1]))
            told = _furthest(bound, k, t, x[(*lane, slice(None), k)])
            lanes = int(np.count_nonzero(passed[..., k]))
            found.append(Excess(bound.quantity, joint[k], unit[k], *told, lane, lanes))
    return tuple(found)


def _extremes(x: Float) -> Float:
    """The largest and the smallest entries (2, ..., k) of (..., n, k) in n rows; NaN if one is.

    >>> _extremes(np.arange(400.0).reshape(2, 100, 2))[0]
    array([[198., 199.],
           [398., 399.]])
    """
    *lanes, rows, k = x.shape
    flat, tile, size = x.reshape(-1, rows, k), min(TILE_ROWS, rows), max(1, BLOCK_NUMBERS // (rows * k))
    found = np.empty((2, len(flat), k))
    for begin in range(0, len(flat), size):
        block = flat[begin : begin + size]
        tiles, rest = block[:, : rows - rows % tile].reshape(len(block), -1, tile * k), block[:, rows - tile :]
        for out, function in zip(found, (np.maximum, np.minimum), strict=True):
            each = function(function.reduce(tiles, axis=1).reshape(rest.shape), rest)
            out[begin : begin + size] = function.reduce(each, axis=1)
    return found.reshape(2, *lanes, k)


def _furthest(bound: QuantityLimits, k: int, t: Float, x: Float) -> tuple[float, float, float, float]:
    """Value and limit where an entry x (n,) is furthest beyond, that time, and the first time beyond."""
    x = np.ascontiguousarray(x)
    over = np.fmax(x - bound.upper[k], bound.lower[k] - x)
    over[np.isnan(over)] = -np.inf
    most, first = int(np.argmax(over)), int(np.argmax(over > bound.room[k]))
    limit = bound.upper[k] if x[most] > bound.upper[k] else bound.lower[k]
    return float(x[most]), float(limit), float(t[most]), float(t[first])


def check_start(model: Model, q: Float, v: Float, *, degrees_alone: bool = False) -> None:
    """A warning if the first state is beyond limits: positions q (..., nq), and v (..., nv) if they look like degrees.

    Velocities that are merely fast are left to `check_end`.
    """
    lower, upper, velocity = model.bounds
    if ((q >= lower) & (q <= upper)).all() and (np.abs(v) <= DIVERGING_SPEED * velocity).all():
        return
    state = {"q": q, "v": v}
    found = excesses(model, np.zeros(1), {key: x[..., None, :] for key, x in state.items()})
    hints = {key: _in_radians(model, key, x, found) for key, x in state.items()}
    told = {"position": "is at"} | ({"velocity": "moves at"} if hints["v"] else {})
    texts = [
        f"{x.joint!r} {told[x.quantity]} {x.value:.6g} {x.unit}, its limit is {x.limit:.4g}{_in_lanes(x, q.shape[:-1])}"
        for x in found
        if x.quantity in told
    ]
    if texts and (any(hints.values()) or not degrees_alone):
        warn(
            "; ".join(filter(None, [f"the first state is beyond limits: {_few(texts)}", *hints.values()])), LimitWarning
        )


def _in_radians(model: Model, key: str, x: Float, found: Iterable[Excess]) -> str:
    """The first state in radians, if its numbers look like degrees."""
    bound, names = quantity_limits(model)[key], names_of(model)
    labels, units = (names.q, names.q_units) if key == "q" else (names.v, names.v_units)
    for excess in found:
        if excess.quantity != bound.quantity or not excess.unit.startswith("rad"):
            continue
        k, what = labels.index(excess.joint), f"{key} of lane {_place(excess.lane)}" if excess.lane else key
        times = DEGREES_BEYOND_LIMITS if key == "q" else DIVERGING_SPEED
        if hint := in_radians(x[excess.lane], k, bound.lower, bound.upper, units, times=times, what=what):
            return hint
    return ""


def check_end(motion: Trajectory) -> None:
    """A warning if a motion passed limits and was not lost; what `check_start` told, again if it is twice as far."""
    assert motion.robot is not None
    lanes, lost = motion.q.shape[:-2], np.zeros(motion.q.shape[:-2], dtype=bool)
    for failure in motion.failures:
        lost[failure.lane] = True
    if lost.all():
        return
    model, step = motion.robot.model, min(ROWS_LEFT_OUT, -(-motion.q.size // THIN_FROM_NUMBERS)) or 1
    rows = slice((len(motion) - 1) % step, None, step)  # the last one is looked at in any case
    found = excesses(
        model, motion.t[rows], {key: getattr(motion, key)[..., rows, :] for key in ("q", "v", "tau")}, lost
    )
    begin = excesses(model, motion.t[:1], {"q": motion.q[..., :1, :]}) if found else ()
    told_before, kinds = {(x.quantity, x.joint): 2 * x.by for x in begin}, dict[str, list[str]]()
    for x in found:
        if x.by > told_before.get((x.quantity, x.joint), 0.0):
            by = f"{x.joint!r} by {x.by:.3g} {x.unit} at t = {x.t:g} s (from {x.since:g} s on){_in_lanes(x, lanes)}"
            kinds.setdefault(x.quantity, []).append(by)
    if kinds:
        told = "; ".join(f"{kind} of {_few(texts)}" for kind, texts in kinds.items())
        rest = "; motion.beyond_limits() lists all" if max(map(len, kinds.values())) > JOINTS_NAMED else ""
        warn(f"the motion passes limits: {told}{rest}", LimitWarning)


def _few(texts: list[str]) -> str:
    """The first few of them."""
    more = len(texts) - JOINTS_NAMED
    return ", ".join(texts[:JOINTS_NAMED]) + (f" and {more} more" if more > 0 else "")


def _in_lanes(x: Excess, lanes: tuple[int, ...]) -> str:
    return f", lane {_place(x.lane)} ({x.lanes:,} of {int(np.prod(lanes)):,} lanes)" if lanes else ""


def _place(lane: tuple[int, ...]) -> str:
    return str(lane if len(lane) > 1 else lane[0])


class SpeedWatch:
    """Looks at the velocities of a motion while it runs, and warns once of one that no joint is meant to reach."""

    def __init__(self, model: Model) -> None:
        self.model, self.most = model, DIVERGING_SPEED * _known_limits(model.bounds.velocity)
        self.done = not np.isfinite(self.most).any()

    def look(self, t: Float, v: Float, progress: Progress | None = None) -> None:
        """Look at velocities v (..., n, nv) at times t (n,)."""
        if self.done or not v.size or max(v.max(), -v.min()) <= self.most.min():
            return
        fast = (np.abs(v) > self.most) & np.isfinite(v)
        if not fast.any():
            return
        self.done = True
        row = int(np.argmax(fast.any(axis=(*range(fast.ndim - 2), -1))))
        times = np.where(fast[..., row, :], np.abs(v[..., row, :]) / self.most, 0.0)
        *lane, k = (int(i) for i in np.unravel_index(int(np.argmax(times)), times.shape))
        names, more = names_of(self.model), int(np.count_nonzero(fast.any(axis=(-2, -1)))) - 1
        where = f", lane {_place(tuple(lane))}" if lane else ""
        others = f" (and {more:,} more lanes)" if more else ""
        speed = f"{names.v[k]!r} moves at {abs(v[(*lane, row, k)]):.4g} {names.v_units[k]} at t = {t[row]:g} s{where}"
        if isinstance(progress, Line):
            progress.clear()
        limit = f"{DIVERGING_SPEED:g} times its velocity limit {self.most[k] / DIVERGING_SPEED:.4g}"
        warn(f"{speed}, more than {limit}{others}: the motion may be diverging", SimulationWarning)


def left_first(model: Model, v: Float) -> tuple[int | None, bool]:
    """The entry of v (n, nv), rows of a motion before its numbers were lost, that left first, and whether one left.

    One has left when it passes ten times its limit and does not come back; if none has, the fastest of the last row
    is told, and at rest, None. Where there is no limit, the largest of the other joints takes its place, or one.

    >>> import kinetrace as kt
    >>> left_first(kt.load("planar2r").model, np.array([[1.0, 2.0], [90.0, 101.0], [5e3, 1e3]]))
    (1, True)
    """
    limit = quantity_limits(model)["v"].upper
    known = limit[np.isfinite(limit)]
    size = np.abs(v) / np.where(np.isfinite(limit), limit, known.max(initial=0.0) or 1.0)
    slow = np.flatnonzero(size.max(axis=-1, initial=0.0) <= DIVERGING_SPEED)
    row = min(int(slow[-1]) + 1 if len(slow) else 0, len(v) - 1)
    return (int(np.argmax(size[row])), bool((size[row] > DIVERGING_SPEED).any())) if size[row].any() else (None, False)
