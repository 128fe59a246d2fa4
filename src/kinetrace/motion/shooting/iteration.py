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
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np

from ...robot.types import Float
from ...support.progress import Progress

SHORTER_STEPS = 0.5 ** np.arange(1, 12)
"""Step lengths after 1."""
EXPECTED_PART, GAP_PART = 0.1, 1e-4
"""Parts of the expected decrease, and of that of the gaps, that a step must reach."""
FIRST_REGULARISATION, LARGEST_REGULARISATION, REGULARISATION_GROWTH = 1e-7, 1e7, 10.0
"""Regularisation, in parts of the largest diagonal entry of the Hessian by forces: first, largest, and its growth."""
COST_ROUNDING, LOST_DECREASE = 1e-14, 1e-12
"""Of a cost; and the part of it below which an expected decrease may be lost in rounding."""
SECOND_ORDER_DECREASE = 0.1
"""Expected decrease, as a part of the cost, below which second derivatives of the dynamics are used."""
CLOSED_GAP = 1e-10
"""Gaps of solutions [rad, m, rad/s, m/s]."""

RUNNING, CONVERGED, STALLED, DIVERGED = "iterations", "converged", "stalled", "diverged"


@dataclass
class Motions:
    """Motions of n problems with t steps."""

    q: Float
    """(n, t, nq): before each step."""
    v: Float
    u: Float
    q1: Float
    """(n, nq): at the end."""
    v1: Float
    cost: Float
    gap: Float | None = None
    """(n, t, 2 nv): what each step misses the next state by; None if no motion has gaps."""

    def of(self, which: Any) -> Motions:
        """Those of some problems."""
        some: list[Any] = [x if x is None else x[which] for x in (getattr(self, f.name) for f in fields(self))]
        return Motions(*some)

    def put(self, which: Any, other: Motions) -> None:
        """Replace those of some problems."""
        for f in fields(self):
            mine, new = getattr(self, f.name), getattr(other, f.name)
            if mine is not None:
                mine[which] = 0.0 if new is None else new

    @property
    def open_by(self) -> Float:
        """(n,): sums of the magnitudes of the gaps."""
        return np.zeros(len(self.cost)) if self.gap is None else np.abs(self.gap).sum(axis=(1, 2))

    @property
    def gaps(self) -> Float:
        """(n,): largest magnitudes of the gaps."""
        return np.zeros(len(self.cost)) if self.gap is None else np.abs(self.gap).max(axis=(1, 2))


class Policies(NamedTuple):
    """Newton steps of n problems, as `riccati` finds them."""

    k: Float
    K: Float
    slope: Float
    gradient: Float
    solved: Float
    force: Float
    """Largest entry of ∂V along the motion."""
    stiffness: Float
    """Largest entry of the diagonal of the Hessian by forces."""


class IterationKernels(NamedTuple):
    """The functions of a batch that an iteration calls; `which` are the problems, for their parameters."""

    backward: Callable[[Motions, Float, Float, Any], Policies]
    """(motions, μ, bend, which)."""
    forward: Callable[[Motions, Float, Float, Float, Any], Motions]
    """(motions, k, K, α, which), with further axes of α."""
    second_order: bool


@dataclass
class ShootingOutcome:
    """Outcome of n problems."""

    motions: Motions
    gains: Float
    status: Any
    iterations: Any
    gradient: Float
    gap: Float


@dataclass
class ActiveProblems:
    """Problems that are not solved yet, and their regularisation."""

    which: Any
    motions: Motions
    mu: Float
    bend: Float
    """1 if the second derivatives of the dynamics are used, else 0."""
    scale: Float
    """Cost of the first motion."""
    stiffness: Float
    """That of the latest policy."""

    def of(self, some: Any) -> ActiveProblems:
        """Some of them."""
        rest = (x[some] for x in (self.mu, self.bend, self.scale, self.stiffness))
        return ActiveProblems(self.which[some], self.motions.of(some), *rest)


def iterate_batch(
    kernels: IterationKernels, first: Motions, tolerance: float, most: int, progress: Progress | None
) -> ShootingOutcome:
    """Newton steps from first motions."""
    (n, t, nu), nx = first.u.shape, 2 * first.v.shape[-1]
    gains, gaps, finite = np.zeros((n, t, nu, nx)), first.gaps, np.isfinite(first.cost) & np.isfinite(first.gaps)
    status, iterations = np.full(n, DIVERGED, dtype=object), np.zeros(n, dtype=int)
    found = ShootingOutcome(first, gains, status, iterations, np.full(n, np.inf), gaps)
    now = ActiveProblems(np.arange(n), first, np.zeros(n), np.zeros(n), np.abs(first.cost), np.ones(n)).of(finite)
    for done in range(max(most, 1)):
        if not len(now.which):
            break
        if progress is not None:
            progress(done, most)
        policies, hopeless = newton_policies(kernels, now)
        ends = np.where(hopeless, STALLED, RUNNING).astype(object)
        small = has_converged(now, policies, tolerance) & ~hopeless
        least = now.mu <= 1.01 * FIRST_REGULARISATION * policies.stiffness
        ends[small & least] = CONVERGED
        again = small & ~least  # whether it is small with less regularisation, too
        if kernels.second_order:
            now.bend = np.where(-policies.slope <= SECOND_ORDER_DECREASE * np.abs(now.motions.cost), 1.0, 0.0)
        stepping = (ends == RUNNING) & ~again & (most > 0)
        before = now.motions
        if stepping.any():
            now.motions = line_search(kernels, now, policies, stepping, ends)
        now.mu[again] = 0.0
        iterations[now.which[stepping]] += 1
        over = ends != RUNNING
        if over.any():
            record(found, replace(now, motions=before), policies, ends, over)
        if done + 1 >= most:
            record(found, now, policies, ends, ~over)
            break
        if over.any():
            now = now.of(~over)
        if now.motions.gap is not None and not now.motions.gap.any():
            now.motions.gap = None
    return found


def record(found: ShootingOutcome, now: ActiveProblems, policies: Policies, ends: Any, over: Any) -> None:
    """Keep what was found for some problems."""
    at, motions = now.which[over], now.motions.of(over)
    found.motions.put(at, motions)
    found.gains[at], found.status[at], found.gradient[at] = policies.K[over], ends[over], policies.gradient[over]
    found.gap[at] = motions.gaps


def has_converged(now: ActiveProblems, policies: Policies, tolerance: float) -> Any:
    """Which problems expect no more than rounding, or a part of their cost, of another step."""
    size = np.abs(now.motions.cost) + 1e-9 * now.scale
    return (-policies.slope <= tolerance * size + 1e-300) & (now.motions.gaps <= CLOSED_GAP)


def newton_policies(kernels: IterationKernels, now: ActiveProblems) -> tuple[Policies, Any]:
    """Newton steps, with regularisation that grows until they exist, and which problems have none at all."""
    found = kernels.backward(now.motions, now.mu, now.bend, now.which)
    hopeless = np.zeros(len(now.which), dtype=bool)
    pending = np.flatnonzero(~(found.solved > 0.5))
    if len(pending):
        found = Policies(*map(np.array, found))
    found = found._replace(stiffness=last_finite_stiffness(found.stiffness, now.stiffness))
    while len(pending):
        bent = now.bend[pending] > 0  # first without the second derivatives of the dynamics
        now.bend[pending] = 0.0
        hopeless[pending[~bent]] = raise_regularisation(now.mu, found.stiffness, pending[~bent])
        pending = pending[~hopeless[pending]]
        if len(pending):
            some = now.of(pending)
            again = kernels.backward(some.motions, some.mu, some.bend, some.which)
            again = again._replace(stiffness=last_finite_stiffness(again.stiffness, some.stiffness))
            fine = again.solved > 0.5
            for mine, new in zip(found, again, strict=True):
                mine[pending[fine]] = new[fine]
            pending = pending[~fine]
    now.stiffness = found.stiffness
    return found, hopeless


def last_finite_stiffness(stiffness: Float, before: Float) -> Float:
    """The stiffness, or that of before where it is not finite, as with zero pivots, or zero, as of linear costs."""
    return np.where(np.isfinite(stiffness) & (stiffness > 0.0), stiffness, before)


def raise_regularisation(mu: Float, stiffness: Float, some: Any) -> Any:
    """Raise the regularisation of some problems; which of them have reached the most."""
    more = np.maximum(REGULARISATION_GROWTH * mu[some], FIRST_REGULARISATION * stiffness[some])
    beyond = ~((more <= LARGEST_REGULARISATION * stiffness[some]) & np.isfinite(more))
    mu[some] = np.where(beyond, mu[some], more)
    return beyond


def is_accepted(now: ActiveProblems, policies: Policies, new: Float, alpha: Float | float, some: Any) -> Any:
    """Whether motions of some problems decrease the merit enough."""
    penalty, old = 2.0 * policies.force[some] * now.motions.open_by[some], now.motions.cost[some]
    enough = EXPECTED_PART * (alpha - 0.5 * alpha**2) * -policies.slope[some] - COST_ROUNDING * np.abs(old)
    closing = old + penalty - (new + (1 - alpha) * penalty) >= GAP_PART * alpha / 2 * penalty
    return np.where(penalty > 0, closing, old - new >= enough)


def line_search(
    kernels: IterationKernels, now: ActiveProblems, policies: Policies, stepping: Any, ends: Any
) -> Motions:
    """Motions after the longest step that decreases the merit enough; the former one if there is none.

    Regularisation is lowered after full steps and raised after short ones. Where it is as large as it can be `ends` is
    set, and where the expected decrease is lost in rounding.
    """
    k, K, stiffness = policies.k, policies.K, policies.stiffness
    everyone = np.arange(len(ends))
    new = kernels.forward(now.motions, k, K, np.ones(len(ends)), now.which)
    good = is_accepted(now, policies, new.cost, 1.0, everyone)
    less = now.mu / REGULARISATION_GROWTH
    now.mu[good & stepping] = np.where(less < FIRST_REGULARISATION * stiffness, 0.0, less)[good & stepping]
    if new.gap is None and not good.all() and now.motions.gap is not None:
        new.gap = np.zeros_like(now.motions.gap)
    bad = np.flatnonzero(~good)
    new.put(bad, now.motions.of(bad))
    rest = np.flatnonzero(~good & stepping)
    if not len(rest):
        return new
    lengths = np.broadcast_to(SHORTER_STEPS, (len(rest), len(SHORTER_STEPS)))
    tried = kernels.forward(now.motions.of(rest), k[rest], K[rest], lengths, now.which[rest])
    fine = np.stack(
        [is_accepted(now, policies, tried.cost[:, i], a, rest) for i, a in enumerate(SHORTER_STEPS)], axis=1
    )
    some, which = fine.any(axis=1), fine.argmax(axis=1)
    new.put(rest[some], tried.of((np.flatnonzero(some), which[some])))
    failed = rest[~some]
    lost = -policies.slope[failed] <= LOST_DECREASE * np.abs(now.motions.cost[failed])
    settled = lost & (now.motions.gaps[failed] <= CLOSED_GAP) & (now.mu[failed] == 0.0)
    ends[failed[settled]] = CONVERGED
    short = np.concatenate([rest[some][which[some] > 4], failed[~settled]])
    ends[short[raise_regularisation(now.mu, stiffness, short)]] = STALLED
    return new
