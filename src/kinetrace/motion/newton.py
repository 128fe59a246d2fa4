"""The iteration of optimal control over a batch of problems: policies, line searches, regularisation, and when to stop.

Each problem has its own step length and its own regularisation, and leaves the batch when it is solved or given up. The
merit of a motion is its cost and, while there are gaps, ν times the sum of their magnitudes, where ν is twice the
largest entry of ∂V: the step is a descent direction of it. A step is accepted if it decreases the merit by a part of
what is expected:

    feasible motions      0.1 (α − α²/2) |slope|         slope = Σ gᵤᵀ k, the derivative of the cost along the step
    with gaps             1e-4 α/2 ν Σ |gap|

A problem has converged if it has no gaps and |slope|, which estimates twice the distance from the least cost, is below
a part of the cost.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from ..simulate.protocol import Float, Progress

SHORTER = 0.5 ** np.arange(1, 12)
"""Step lengths after 1."""
EXPECTED, GAINED = 0.1, 1e-4
LEAST, MOST, FACTOR = 1e-7, 1e7, 10.0
"""Regularisation, in parts of the largest diagonal entry of the Hessian by forces: first, largest, and its growth."""
ROUNDING = 1e-14
"""Of a cost."""
CLOSED = 1e-10
"""Gaps of solutions [rad, m, rad/s, m/s]."""

RUNNING, CONVERGED, STALLED, DIVERGED = "iterations", "converged", "stalled", "diverged"


@dataclass
class Motions:
    """Motions of n problems with t steps."""

    q: Float
    """(n, t, nq): before each step."""
    v: Float
    u: Float
    gap: Float
    """(n, t, 2 nv): what each step misses the next state by."""
    q1: Float
    """(n, nq): at the end."""
    v1: Float
    cost: Float

    def of(self, which: Any) -> Motions:
        """Those of some problems."""
        return Motions(*(getattr(self, f.name)[which] for f in fields(self)))

    def put(self, which: Any, other: Motions) -> None:
        """Replace those of some problems."""
        for f in fields(self):
            getattr(self, f.name)[which] = getattr(other, f.name)


@dataclass
class Kernels:
    """The functions of a batch that an iteration calls; `which` are the problems, for their parameters."""

    backward: Callable[[Motions, Float, Any], tuple[Float, ...]]
    """(motions, μ, which) → k, K, slope, gradient, solved, force, stiffness."""
    forward: Callable[[Motions, Float, Float, Float, Any], Motions]
    """(motions, k, K, α, which) → motions."""


@dataclass
class Outcome:
    """What has been found for n problems."""

    motions: Motions
    gains: Float
    status: Any
    iterations: Any
    gradient: Float
    regularisation: Float = field(init=False)

    def __post_init__(self) -> None:
        self.regularisation = np.zeros(len(self.gains))


def solve(kernels: Kernels, first: Motions, tolerance: float, most: int, progress: Progress | None) -> Outcome:
    """Newton steps from first motions."""
    n, t, nu = first.u.shape
    found = Outcome(
        first,
        np.zeros((n, t, nu, first.gap.shape[-1])),
        np.full(n, RUNNING, dtype=object),
        np.zeros(n, dtype=int),
        np.full(n, np.inf),
    )
    mu, scale = found.regularisation, np.abs(first.cost)
    finite = np.isfinite(first.cost) & np.isfinite(first.gap).all(axis=(1, 2))
    found.status[~finite] = DIVERGED
    active = np.flatnonzero(finite)
    for done in range(most + 1):
        if not len(active):
            break
        if progress is not None:
            progress(done, most)
        whole = len(active) == n
        at = slice(None) if whole else active
        motions = first.of(at)
        k, K, slope, force = policies(kernels, motions, mu, active, found)
        open_by = np.abs(motions.gap).sum(axis=(1, 2))
        running = found.status[active] == RUNNING
        small = -slope <= tolerance * (np.abs(motions.cost) + 1e-9 * scale[active]) + 1e-300
        small &= running & (np.abs(motions.gap).max(axis=(1, 2)) <= CLOSED)
        surely = small & (mu[active] == 0.0)
        found.status[active[surely]] = CONVERGED
        mu[active[small & ~surely]] = 0.0  # whether it is small without regularisation, too
        go = running & ~surely
        if done < most:
            stepping = np.flatnonzero(go & ~small)
            search(kernels, motions, (k, K, slope, force, open_by), active, stepping, first, found)
            found.iterations[active[stepping]] += 1
        active = active[found.status[active] == RUNNING] if not (go.all() and whole) else np.flatnonzero(
            found.status == RUNNING
        )
    return found


def policies(
    kernels: Kernels, motions: Motions, mu: Float, active: Any, found: Outcome
) -> tuple[Float, Float, Float, Float]:
    """k, K, slope and the largest ∂V of Newton steps; regularisation grows until they exist."""
    k, K, slope, gradient, solved, force, stiffness = map(np.array, kernels.backward(motions, mu[active], active))
    pending = np.flatnonzero(~(solved > 0.5))
    while len(pending):
        at = active[pending]
        raised = np.maximum(FACTOR * mu[at], LEAST * stiffness[pending])
        hopeless = ~(raised <= MOST * np.maximum(stiffness[pending], 1e-300))
        found.status[at[hopeless]] = STALLED
        mu[at] = np.where(hopeless, mu[at], raised)
        pending = pending[~hopeless]
        if len(pending):
            at = active[pending]
            again = kernels.backward(motions.of(pending), mu[at], at)
            for mine, new in zip((k, K, slope, gradient, solved, force, stiffness), again, strict=True):
                mine[pending] = new
            pending = pending[~(solved[pending] > 0.5)]
    found.gains[active], found.gradient[active] = K, gradient
    found.stiffness = stiffness  # type: ignore[attr-defined]
    return k, K, slope, force


def search(
    kernels: Kernels,
    motions: Motions,
    policy: tuple[Float, Float, Float, Float, Float],
    active: Any,
    stepping: Any,
    best: Motions,
    found: Outcome,
) -> None:
    """The longest step that decreases the merit enough, of those problems of `active` that take one."""
    if not len(stepping):
        return
    k, K, slope, force, open_by = policy
    mu, stiffness = found.regularisation, found.stiffness  # type: ignore[attr-defined]
    everyone = len(stepping) == len(active)

    def accepted(new: Float, alpha: Float, which: Any) -> Any:
        nu = 2.0 * force[which] * open_by[which]
        old, gaps = motions.cost[which], open_by[which] > 0
        enough = EXPECTED * (alpha - 0.5 * alpha**2) * -slope[which] - ROUNDING * np.abs(old)
        with np.errstate(invalid="ignore"):
            return np.where(gaps, old + nu - (new + (1 - alpha) * nu) >= GAINED * alpha / 2 * nu, old - new >= enough)

    every = slice(None) if everyone else stepping
    old = motions if everyone else motions.of(stepping)
    new = kernels.forward(old, k[every], K[every], np.ones(len(stepping)), active[stepping])
    good = accepted(new.cost, 1.0, stepping)
    if good.all() and len(active) == len(best.cost) and everyone:
        best.put(slice(None), new)
    else:
        best.put(active[stepping[good]], new.of(good))
    mu[active[stepping[good]]] = lowered(mu[active[stepping[good]]], stiffness[stepping[good]])
    rest = stepping[~good]
    if not len(rest):
        return
    lengths = np.broadcast_to(SHORTER, (len(rest), len(SHORTER)))
    tried = kernels.forward(motions.of(rest), k[rest], K[rest], lengths, active[rest])
    fine = np.array([accepted(tried.cost[:, i], a, rest) for i, a in enumerate(SHORTER)]).T
    some, which = fine.any(axis=1), fine.argmax(axis=1)
    best.put(active[rest[some]], tried.of((np.flatnonzero(some), which[some])))
    timid = rest[some][which[some] > 4]
    failed = rest[~some]
    rounding = -slope[failed] <= 1e-12 * np.abs(motions.cost[failed])
    settled = rounding & (open_by[failed] <= CLOSED) & (mu[active[failed]] == 0.0)
    found.status[active[failed[settled]]] = CONVERGED
    for which_ones in (timid, failed[~settled]):
        at = active[which_ones]
        raised = np.maximum(FACTOR * mu[at], LEAST * stiffness[which_ones])
        found.status[at[~(raised <= MOST * np.maximum(stiffness[which_ones], 1e-300))]] = STALLED
        mu[at] = raised


def lowered(mu: Float, stiffness: Float) -> Float:
    """Regularisation after a full step."""
    less = mu / FACTOR
    return np.where(less < LEAST * stiffness, 0.0, less)
