"""Inverse kinematics of many targets: searches from one start after another, for those that are left.

A search is a kernel (`algorithms.tasks.inverse_kinematics.approach`). Targets that it solves leave the batch, so that
none waits for another; if few are left, several starts are tried at once, and the first that leads to a solution
counts, as if they had been tried one after the other. What is left in the end is brought to a local minimum, and named.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import ModelError
from ..model.configurations import LIMIT_TOLERANCE
from ..model.couplings import keeps_shared_limits
from ..robot import Robot
from ..robot.types import Float
from .goals import check_moves, check_poses, read_goals
from .problem import (
    CHUNK_STEPS,
    SearchKernels,
    SearchOptions,
    SearchProblem,
    SearchRows,
    as_problem,
    checked_options,
    closed_home,
)
from .results import InverseKinematics, as_scalar

LANES_TOGETHER = 64
"""Searches that run at once for the price of one, nearly: several starts are tried together up to this number."""
EARLY_STARTS = 8
"""Starts that are tried together after the first one, which solve nearly all targets; goals that are proven to be too
far away get no more than these."""
STATIONARY_GRADIENT = 1e-3
"""Gradient, relative to the error and its Jacobian, below which a configuration is a local minimum."""
LIMIT_GRADIENT = 1e-8
"""The same of joints at their limits, above which these hold the frame back."""
PREFERENCE_PARTS = (1.0, 0.2, 0.2, 0.2, 0.2, 1.0)
"""Of the way to the preference that is asked for at once, from a solution that was found without it."""


def inverse_kinematics(
    robot: Robot, searches: dict[Any, Any], target: Any, frame: Any, q0: Any, options: SearchOptions
) -> InverseKinematics:
    """Configurations that bring frames to goals; `searches` keeps what is the same for calls of one kind."""
    check_moves(robot)
    goals = read_goals(robot.model, target, frame, options.axes, options.weights)
    options = checked_options(options)
    kind = (goals.frame, goals.axes, options.expressed_in, goals.weights is None, options.rest is None, options.seed)
    kernels = searches.get(kind)
    if kernels is None:
        kernels = searches[kind] = SearchKernels(robot, goals, options)
    check_poses(goals, kernels.flaw(goals.poses))
    batch, problem = as_problem(robot, kernels, goals, q0, options)
    found, starts = search_targets(problem, options)
    tolerance = problem.shared[3]
    q, is_closed = found.q, np.array(True)
    if kernels.closure_rows:
        q = close_loops(robot, q, tolerance[2])
        is_closed = np.abs(robot.closure_residual(q)).max(axis=-1) <= tolerance[2]
    residual = problem.error(q)
    success = (residual <= tolerance[:2]).all(axis=(-2, -1)) & np.isfinite(q).all(axis=-1) & is_closed
    beyond = ~keeps_shared_limits(robot.model, q, LIMIT_TOLERANCE) & bool(options.limits)
    status = statuses(problem, found.q, success & ~beyond, found.settled)
    status[success & beyond] = "limits"
    success &= ~beyond
    return InverseKinematics(
        q=q.reshape(*batch, robot.nq),
        success=as_scalar(success.reshape(batch)),
        status=as_scalar(status.reshape(batch)),
        residual=residual.reshape(*batch, len(goals.frame), 2),
        iterations=as_scalar(found.steps.astype(int).reshape(batch)),
        starts=as_scalar(starts.reshape(batch)),
        frame=goals.frame,
    )


def search_targets(problem: SearchProblem, options: SearchOptions) -> tuple[SearchRows, Any]:
    """The best configuration of each target after all starts, and the number of starts."""
    n, left = len(problem.goals), problem.all
    number, most, steps = 0, options.restarts, options.iterations
    if problem.begins_at_q0 and problem.q0 is not None:
        best = attempt(problem, problem.q0, left, steps, steps)
    else:
        best = attempt(problem, problem.starts(0, 1, left), left, CHUNK_STEPS, steps)
        number, most = 1, most + 1
    starts = np.ones(n, dtype=int)
    left = np.flatnonzero(~(best.error_ratio < 1.0))
    best.error_ratio[np.isnan(best.error_ratio)] = np.inf
    beyond, without, preferring = left[:0], left, problem
    q0 = problem.q0
    if problem.rest is not None and q0 is not None and len(left):
        problem = replace(problem, rest=None)  # a preference may lead away from solutions
        take_better(best, starts.copy(), left, attempt(problem, q0[left], left, steps, steps))
        left = left[best.error_ratio[left] >= 1.0]
    while number < most and len(left):
        together = min(most - number, max(1, min(LANES_TOGETHER // len(left), EARLY_STARTS * max(1, number))))
        if number <= EARLY_STARTS:
            together = min(together, EARLY_STARTS + 1 - number)
        found = attempt(problem, problem.starts(number, together, left), np.tile(left, together), CHUNK_STEPS, steps)
        for k in range(together):
            rows = slice(k * len(left), (k + 1) * len(left))
            if not take_better(best, starts, left, SearchRows(*(x[rows] for x in found))):
                break
        left, number = left[best.error_ratio[left] >= 1.0], number + together
        if number > EARLY_STARTS and len(left):
            far = are_too_far(problem, left)
            left, beyond = left[~far], np.concatenate([beyond, left[far]])
    left = np.concatenate([left, beyond])
    if len(left):
        descend_to_minimum(problem, best, left, 2 * steps)  # of which some are undone
    if preferring.rest is not None and len(without):
        settle_preferences(preferring, best, without[best.error_ratio[without] < 1.0], steps)
    return best, starts


def settle_preferences(problem: SearchProblem, best: SearchRows, rows: Any, steps: int) -> None:
    """Solutions that were found without the preference, moved towards it as far as they stay solutions."""
    robot, rest = problem.kernels.robot, problem.rest
    best.settled[rows] = 0.0
    for part in PREFERENCE_PARTS:
        if rest is None or not len(rows):
            break
        q, partly = best.q[rows], rest.copy()
        partly[rows] = robot.integrate(q, part * robot.difference(q, rest[rows])) if part < 1.0 else rest[rows]
        found = attempt(replace(problem, rest=partly), q, rows, steps, steps)
        good = found.error_ratio < 1.0
        best.q[rows[good]], best.error_ratio[rows[good]] = found.q[good], found.error_ratio[good]
        best.steps[rows] += found.steps
        if part == 1.0:
            best.settled[rows[good]] = found.settled[good]
            rows = rows[best.settled[rows] == 0.0]


def are_too_far(problem: SearchProblem, rows: Any) -> Any:
    """Whether goals are farther away than frames can be: another start would not help."""
    found = np.zeros(len(rows), dtype=bool)
    for k, bound in enumerate(problem.balls):
        far = np.linalg.norm(problem.goals[rows, k, :3, 3] - bound.origin, axis=-1) - bound.reach
        found |= far > problem.shared[3][0]
    return found


def attempt(problem: SearchProblem, q: Float, rows: Any, few: int, most: int) -> SearchRows:
    """Searches from q (m, nq): a few steps, and up to `most` where only a preference is not met."""
    found = problem.run(q, rows, min(few, most))
    active = np.flatnonzero(found.settled == 0)
    for taken in range(CHUNK_STEPS, most, CHUNK_STEPS):
        if taken >= few:
            active = active[found.error_ratio[active] < 1.0]
        if not len(active):
            break
        new = problem.run(found.q[active], rows[active], most - taken)
        for x, y in ((found.q, new.q), (found.error_ratio, new.error_ratio), (found.settled, new.settled)):
            x[active] = y
        found.steps[active] += new.steps
        active = active[new.settled == 0]
    return found


def take_better(best: SearchRows, starts: Any, left: Any, found: SearchRows) -> bool:
    """The best so far, after another attempt for targets that were not solved before; whether there were any."""
    waiting = best.error_ratio[left] >= 1.0
    if not waiting.any():
        return False
    better = waiting & (found.error_ratio < best.error_ratio[left])
    at = left[better]
    best.q[at], best.error_ratio[at], best.settled[at] = (
        found.q[better],
        found.error_ratio[better],
        found.settled[better],
    )
    best.steps[left[waiting]] += found.steps[waiting]
    starts[left[waiting]] += 1
    return True


def descend_to_minimum(problem: SearchProblem, best: SearchRows, left: Any, most: int) -> None:
    """The best so far of targets that are left, brought to a local minimum, or near it by so many steps."""
    lost = ~np.isfinite(best.error_ratio[left])
    if lost.any():
        best.q[left[lost]] = closed_home(problem.kernels.robot)
    for taken in range(0, most, 2 * CHUNK_STEPS):
        given = (*problem.shared, float(most - taken), *problem.weights)
        q, found, steps, settled = problem.kernels.descend(
            best.q[left], problem.goals[left], *given, threads=problem.threads
        )
        best.q[left], best.error_ratio[left], best.settled[left] = q, found, 0.0 if problem.kernels.prefers else settled
        best.steps[left] += steps
        left = left[settled == 0]
        if not len(left):
            break


def close_loops(robot: Robot, q: Float, most: float) -> Float:
    """Configurations with loops that are still open closed, near by if possible."""
    bad = np.abs(robot.closure_residual(q)).max(axis=-1, initial=0.0) > most
    if bad.any():
        try:
            near = robot.assemble(q[bad])
        except ModelError:  # of a single one
            near = np.full((1, robot.nq), np.nan)
        q = q.copy()
        q[bad] = np.where(np.isfinite(near).all(axis=-1, keepdims=True), near, robot.assemble())
    return q


def statuses(problem: SearchProblem, q: Float, success: Any, settled: Any) -> Any:
    """The status of each target."""
    status = np.full(len(q), "converged", dtype="<U11")
    if problem.kernels.prefers:
        status[success & (settled == 0)] = "preference"
    if success.all():
        return status
    bad = np.flatnonzero(~success)
    gradient, pushed = problem.kernels.stationarity(q[bad], problem.goals[bad], *problem.shared, *problem.weights)
    still = np.where(pushed > np.maximum(gradient, LIMIT_GRADIENT), "limits", "stalled")
    status[bad] = np.where(gradient > STATIONARY_GRADIENT, "iterations", still)
    status[bad[are_too_far(problem, bad)]] = "unreachable"
    return status
