"""Velocities and accelerations from logged configurations, without delay.

Along the samples, a motion on the manifold is summed up in a vector θ, from which quaternions differ by the commutators
of steps alone, O(dt²):

    θ_k = θ_{k−1} + (q_k ⊖ q_{k−1})        v = dθ/dt,  a = d²θ/dt²,  q_k ⊕ (filtered θ − θ)_k

θ is filtered forward and back, so that no phase is lost, and differentiated as a spline of fifth degree through the
filtered samples. What bends a signal at its ends is taken off while it is filtered; the ends themselves are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ..arrays import Array
from ..errors import InputError
from ..robot import Robot
from ..robot.types import Float
from ..simulation.metadata import names_of
from ..support.keywords import known_keywords
from ..support.optional import require_package
from .base_parameters import check_robot
from .log import Log, log_of

JUMP_FACTOR, SHARP_FACTOR = 10.0, 2.0
"""Change of a step to the next ones, in those of its neighbours and of noise, or speed of it in limits, of a jump."""
GAP_SAMPLES = 5.0
"""Times between samples, in usual ones, from which a log is taken as two."""
JITTER_PART = 0.02
"""Deviation of times between samples, relative to the usual one, from which samples are interpolated at equal times."""
CUTOFF_FACTOR = 10.0
"""The filter's frequency over that of the motion, unless it is given."""
TRIM_PERIODS = 1.0
"""Time left out at each end, in periods of the filter's frequency."""
SHORTEST_PART = 20
"""Samples of a part of a log."""


@dataclass(frozen=True, eq=False)
class Samples:
    """States along a log: configurations, velocities, accelerations and forces; made by `smooth`.

    Parameters
    ----------
    t : ndarray, shape (n,)
        Times [s].
    q : ndarray, shape (n, nq)
        Filtered configurations.
    v : ndarray, shape (n, nv)
        Velocities [rad/s, m/s].
    a : ndarray, shape (n, nv)
        Accelerations [rad/s², m/s²].
    tau : ndarray, shape (n, nv)
        Joint forces, filtered as the configurations [N m, N].
    measured : ndarray, shape (n, nv)
        Joint forces as they were measured [N m, N].
    parts : tuple of slice
        Consecutive samples; between them the log has gaps or jumps.
    dt : float
        Time between samples [s].
    cutoff : float
        Frequency of the filter, at which amplitudes are halved [Hz]; infinite if there is none.
    notes : tuple of str
        What was done about gaps, jumps, uneven times and missing samples.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> t = np.arange(0, 4, 0.01)
    >>> q = np.stack([np.sin(t), np.cos(t)], axis=1)
    >>> samples = kt.identify.smooth(kt.load("planar2r"), (t, q, 0 * q), cutoff=5.0)
    >>> samples, bool(abs(samples.a + samples.q).max() < 1e-4)
    (Samples(360 of 0.01 s, below 5 Hz), True)
    """

    t: Float
    q: Float
    v: Float
    a: Float
    tau: Float
    measured: Float
    parts: tuple[slice, ...]
    dt: float
    cutoff: float
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        parts = f" in {len(self.parts)} parts" if len(self.parts) > 1 else ""
        return f"Samples({len(self)} of {self.dt:g} s{parts}, below {self.cutoff:.3g} Hz)"

    @property
    def lowpass(self) -> Lowpass | None:
        """The filter."""
        return None if np.isinf(self.cutoff) else Lowpass(self.cutoff, self.dt)


@known_keywords
def smooth(robot: Robot, log: Any, *, cutoff: float | None = None) -> Samples:
    """Filter a log without delay and differentiate its configurations.

    Samples with entries that are not finite are left out, a log with gaps is taken as several, and samples at uneven
    times are interpolated; `Samples.notes` tells. Angles that jump by a turn are made continuous.

    Parameters
    ----------
    robot : Robot
        Robot that was measured.
    log : Log, Trajectory, str, Path or tuple
        What was measured: a log, a trajectory, a file, or arrays (t, q, tau).
    cutoff : float, optional
        Frequency of the filter [Hz], Butterworth's of fourth order in both directions; infinity for none. Ten times
        that of the motion unless given, at most a fifth of that of the samples.

    Returns
    -------
    Samples
        The filtered states and forces, without the ends.

    Raises
    ------
    InputError
        If times do not increase, there are too few samples, or the frequency is not possible.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> rng, t = np.random.default_rng(0), np.arange(0, 4, 0.001)
    >>> q = np.stack([np.sin(t), np.cos(t)], axis=1) + 1e-4 * rng.normal(size=(4000, 2))
    >>> samples = kt.identify.smooth(kt.load("planar2r"), (t, q, 0 * q), cutoff=5.0)
    >>> bool(abs(samples.a + samples.q).max() < 0.05)
    True
    """
    check_robot(robot)
    whole = log_of(robot, log)
    notes: list[str] = []
    pieces = _parts(robot, whole, notes)
    dt = float(np.median(np.concatenate([np.diff(part.t) for part in pieces])))
    even = [_even(robot, part, dt, notes) for part in pieces]
    if cutoff is None:
        cutoff = motion_frequency([theta for _, _, theta, _ in even], dt) * CUTOFF_FACTOR
        cutoff = min(max(cutoff, 8 * 2 / (max(map(len, pieces)) * dt)), 0.2 / dt)
    if not (isinstance(cutoff, int | float) and (0 < cutoff < 0.5 / dt or cutoff == np.inf)):
        raise InputError(
            f"cutoff must be between 0 and {0.5 / dt:g} Hz, half the rate of the samples, or infinity; got {cutoff!r}"
        )
    lowpass = None if np.isinf(cutoff) else Lowpass(float(cutoff), dt)
    trim = 2 if lowpass is None else int(np.ceil(TRIM_PERIODS / (cutoff * dt)))
    arrays, parts, start = [], [], 0
    for t, q, theta, tau in even:
        if len(t) < 2 * trim + SHORTEST_PART:
            notes.append(f"{len(t)} samples from {t[0]:g} s on are too few for the filter and were left out")
            continue
        arrays.append(_differentiate(robot, (t, q, theta, tau), dt, lowpass, slice(trim, len(t) - trim)))
        parts.append(slice(start, start := start + len(t) - 2 * trim))
    if not arrays:
        needs = f"a filter of {cutoff:g} Hz needs {2 * trim + SHORTEST_PART} samples without gaps and jumps"
        slow = f"; samples are {dt:g} s apart: are times in ms? time_unit='ms'" if dt > 0.5 else ""
        raise InputError(f"no part of the log is long enough: {needs}{slow}")
    t, q, v, a, tau, measured = (np.concatenate(x) for x in zip(*arrays, strict=True))
    return Samples(t, q, v, a, tau, measured, tuple(parts), dt, float(cutoff), tuple(notes))


def _parts(robot: Robot, log: Log, notes: list[str]) -> list[Log]:
    """The log without what is not finite or there twice, cut at gaps and jumps."""
    good = np.isfinite(log.t) & np.isfinite(log.q).all(axis=1) & np.isfinite(log.tau).all(axis=1)
    if not good.all():
        notes.append(f"{np.count_nonzero(~good)} samples had entries that are not finite and were left out")
        log = _some(log, good)
    rows = np.concatenate([log.t[:, None], log.q, log.tau], axis=1)
    twice = np.concatenate([np.zeros(min(len(log), 1), dtype=bool), (rows[1:] == rows[:-1]).all(axis=1)])
    if twice.any():
        notes.append(f"{np.count_nonzero(twice)} samples were the same as those before, time included, and left out")
        log = _some(log, ~twice)
    if len(log) < SHORTEST_PART:
        raise InputError(f"the log has {len(log)} samples; at least {SHORTEST_PART} are needed")
    steps = np.diff(log.t)
    if not (steps > 0).all():
        k = int(np.argmax(steps <= 0))
        raise InputError(
            f"times must increase: that of sample {k + 1} is {log.t[k + 1]:g} s, after {log.t[k]:g} s; "
            "sort the rows, keep one of each time, and give logs of several motions later times"
        )
    gaps = np.flatnonzero(steps > GAP_SAMPLES * np.median(steps)) + 1
    if len(gaps):
        notes.append(
            f"the log has {len(gaps)} gaps, the first at {log.t[gaps[0] - 1]:g} s, and was taken as {len(gaps) + 1}"
        )
    found = _jumps(robot, log)
    jumps = np.setdiff1d(np.flatnonzero(found.any(axis=1)) + 1, gaps)
    if len(jumps):
        names = names_of(robot.model).v
        first = log.t[jumps[0] - 1]
        some = ", ".join(names[k] for k in np.flatnonzero(found[jumps - 1].any(axis=0))[:4])
        notes.append(f"positions jump {len(jumps)} times, first at {first:g} s ({some}): the log was divided there")
    ends = [0, *np.union1d(gaps, jumps).tolist(), len(log)]
    parts = [log[i:j] for i, j in pairwise(ends) if j - i >= SHORTEST_PART]
    if not parts:
        raise InputError(f"no part of the log has {SHORTEST_PART} samples without gaps and jumps: {'; '.join(notes)}")
    return parts


def _some(log: Log, rows: Array) -> Log:
    return Log(log.t[rows], log.q[rows], log.tau[rows], log.name)


def _jumps(robot: Robot, log: Log) -> Array:
    """Whether steps (n − 1, nv) are no part of a motion: unlike the two on each side, which are like each other.

    They differ by more than ten times what those do and than the noise, and by more than what an encoder counts; or
    they are faster than twice the limit of the joint's velocity.
    """
    dt = np.diff(log.t)
    turns = _turning(robot)
    steps = robot.difference(log.q[:-1], log.q[1:])
    steps = np.where(turns & (np.abs(steps) > np.pi), (steps + np.pi) % (2 * np.pi) - np.pi, steps)
    steps = steps * (np.median(dt) / dt)[:, None]
    padded = np.pad(steps, ((2, 2), (0, 0)), mode="reflect")
    n = len(steps)
    around = np.sort(np.stack([padded[k : k + n] for k in (0, 1, 3, 4)]), axis=0)
    off, spread = np.abs(steps - (around[1] + around[2]) / 2), around[3] - around[0]
    count = np.where(steps != 0, np.abs(steps), np.inf).min(axis=0, initial=np.inf)
    isolated = off > JUMP_FACTOR * np.maximum(spread + 1.4826 * np.median(off, axis=0), count)
    fast = off > SHARP_FACTOR * np.median(dt) * robot.model.limits.velocity
    return np.asarray((isolated | fast) & (off > 2 * spread))


def _turning(robot: Robot) -> Array:
    """Which velocities (nv,) are angular."""
    return np.array([unit == "rad/s" for unit in names_of(robot.model).v_units], dtype=bool)


def _even(robot: Robot, part: Log, dt: float, notes: list[str]) -> tuple[Array, Array, Array, Array]:
    """Times, configurations, their sum θ and forces of a part, at equal times."""
    steps, q = robot.difference(part.q[:-1], part.q[1:]), part.q
    theta = _cumulative_sum(steps)
    turns = _turning(robot)
    if (np.abs(steps[:, turns]) > np.pi).any():  # of quaternions, no step is that long
        continuous = _cumulative_sum(np.where(turns, (steps + np.pi) % (2 * np.pi) - np.pi, steps))
        q, theta = robot.integrate(q, continuous - theta), continuous
        notes.append("angles that jump by a turn were made continuous")
    if np.abs(np.diff(part.t) / dt - 1).max(initial=0) <= JITTER_PART:
        return part.t, q, theta, part.tau
    interpolate = require_package("scipy.interpolate", "samples at uneven times")
    t = np.arange(part.t[0], part.t[-1] + 1e-9 * dt, dt)
    if not any("uneven" in note for note in notes):
        notes.append(f"samples at uneven times were interpolated at every {dt:g} s")
    before = np.clip(np.searchsorted(part.t, t, side="right") - 1, 0, len(part.t) - 1)
    even = interpolate.make_interp_spline(part.t, theta, k=3)(t)
    tau = np.stack([np.interp(t, part.t, x) for x in part.tau.T], axis=-1).reshape(len(t), robot.nv)
    return t, robot.integrate(q[before], even - theta[before]), even, tau


def _cumulative_sum(steps: Array) -> Array:
    return np.concatenate([np.zeros((1, steps.shape[1])), np.cumsum(steps, axis=0)])


def _differentiate(
    robot: Robot, part: tuple[Array, ...], dt: float, lowpass: Lowpass | None, kept: slice
) -> tuple[Array, ...]:
    """Filtered times, q, v, a, tau and measured tau of the samples that are kept."""
    t, q, theta, tau = part
    filtered, forces = theta, tau
    if lowpass is not None:
        bend = _bend(t - t[0], theta, 1.5 / lowpass.cutoff)
        filtered, forces = bend + lowpass(theta - bend), lowpass(tau)
    spline = require_package("scipy.interpolate", "smooth").make_interp_spline(t, filtered, k=5)
    v, a = spline.derivative(1)(t), spline.derivative(2)(t)
    back = robot.integrate(q, filtered - theta)
    return tuple(x[kept] for x in (t, back, v, a, forces, tau))


def _bend(t: Array, x: Array, window: float) -> Array:
    """The cubic (n, k) with the values of x (n, k) at both ends, and its second derivatives, as a quartic fits them.

    A filter continues signals beyond their ends by turning them about the last point, which is smooth but for even
    derivatives: without this cubic the first two of them vanish.
    """
    ends, span = [], t[-1]
    for sign, near in ((1.0, t <= window), (-1.0, t >= span - window)):
        s = sign * (t[near] - (0.0 if sign > 0 else span)) / window
        found = np.linalg.lstsq(np.vander(s, 5, increasing=True), x[near], rcond=None)[0]
        ends.append((found[0], 2 * found[2] / window**2))
    (x0, b0), (x1, b1) = ends
    u = (t / span)[:, None]
    line = x0 + u * (x1 - x0)
    return np.asarray(line - span**2 / 6 * u * (1 - u) * (b0 * (2 - u) + b1 * (1 + u)))


def motion_frequency(thetas: list[Array], dt: float) -> float:
    """Frequency [Hz] below which all but a thousandth of the squared velocity is, noise of the samples left out."""
    highest = 0.0
    for theta in thetas:
        n = len(theta)
        slope = np.linspace(0, 1, n)[:, None] * (theta[-1] - theta[0])
        power = np.abs(np.fft.rfft((theta - theta[0] - slope) * np.hanning(n)[:, None], axis=0)) ** 2
        f = np.fft.rfftfreq(n, dt)
        floor = np.median(power[f > 0.25 / dt], axis=0) if n > 8 else 0.0
        moving = np.where(power > 20 * floor, power, 0.0) * f[:, None] ** 2
        share = np.cumsum(moving, axis=0) / np.maximum(moving.sum(axis=0), 1e-300)
        highest = max(highest, float(f[np.minimum(np.argmax(share > 0.999, axis=0), len(f) - 1)].max(initial=0.0)))
    return highest


FILTER_ORDER = 4
"""Of the filter in one direction."""


@dataclass(frozen=True)
class Lowpass:
    """Filter along the first axis, for samples at equal times."""

    cutoff: float
    """Frequency at which amplitudes are halved [Hz]: once in each direction, a factor √½."""
    dt: float
    """Time between samples [s]."""

    def __call__(self, x: Array) -> Array:
        """The filtered samples, as many as there are; their ends are less certain."""
        signal = require_package("scipy.signal", "a filter")
        sections = signal.butter(FILTER_ORDER, self.cutoff, fs=1 / self.dt, output="sos")
        flat = np.asarray(x, dtype=float).reshape(len(x), -1)
        used = flat.any(axis=0)  # many columns of regressors are zero
        rows = np.ascontiguousarray(flat[:, used].T)
        filtered = np.zeros_like(flat)
        if used.any():
            filtered[:, used] = signal.sosfiltfilt(sections, rows, axis=-1, padlen=min(self.memory, len(x) - 1)).T
        return filtered.reshape(np.shape(x))

    @property
    def memory(self) -> int:
        """Samples after which a disturbance is forgotten, to 1e-6."""
        return int(np.ceil(6.0 / (self.cutoff * self.dt)))

    @property
    def step(self) -> int:
        """Every so many filtered samples say all that there is, and their noise is nearly white."""
        return max(1, int(0.5 / (self.cutoff * self.dt)))
