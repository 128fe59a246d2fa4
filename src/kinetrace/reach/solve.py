"""Inverse kinematics of many targets: searches from one start after another, for those that are left.

A search is a kernel (`algorithms.inverse_kinematics.approach`). Targets that it solves leave the batch, so that none
waits for another; if few are left, several starts are tried at once, and the first that leads to a solution counts, as
if they had been tried one after the other. What is left in the end is brought to a local minimum, and named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ..algorithms.inverse_kinematics import approach, stationarity
from ..algorithms.pose_errors import PARTIAL, flaw, pose_error
from ..arrays import Array
from ..errors import InputError, ModelError, lookup
from ..loops.assembly import size_of
from ..model.configurations import home
from ..robot import Robot
from ..robot.types import Float
from ..simulate.inputs import finite
from ..support.plain import plain_count, plain_flag, plain_names, plain_rows
from .bound import UNBOUNDED, Bound, farthest
from .goals import Goals, check, inverse_roots, read_goals, tolerance_pair
from .limits import check_held, check_moves, check_near, coordinate_limits
from .result import InverseKinematics, unwrapped
from .starts import Pools

CHUNK = 12
"""Most steps of a search between looks at which targets are solved; from a random start there are no more."""
LANES = 64
"""Searches that run at once for the price of one, nearly: several starts are tried together up to this number."""
FEW = 8
"""Starts that are tried together after the first one, which solve nearly all targets; goals that are proven to be too
far away get no more than these."""
CLOSED = 1e-11
"""Residual [m, rad] of closures, divided by the size of the robot."""
SETTLED = 1e-6
"""Step [rad, m] below which a preference is met."""
STATIONARY = 1e-3
"""Gradient, relative to the error and its Jacobian, below which a configuration is a local minimum."""
PUSHED = 1e-8
"""The same of joints at their limits, above which these hold the frame back."""
PARTS = (1.0, 0.2, 0.2, 0.2, 0.2, 1.0)
"""Of the way to the preference that is asked for at once, from a solution that was found without it."""


class Options(NamedTuple):
    """Settings of a search; see `Robot.inverse_kinematics`."""

    axes: Any = None
    expressed_in: Any = "body"
    weights: Any = None
    limits: bool = True
    rest: Any = None
    rest_weight: Any = None
    hold: str | Sequence[str] = ()
    tolerance: Any = 1e-6
    restarts: int = 200
    iterations: int = 48
    seed: int = 0
    threads: int | None = None


class Found(NamedTuple):
    """Result of searches: one row per target."""

    q: Float
    left: Float
    steps: Float
    settled: Float


class Reach(NamedTuple):
    """What joints can do."""

    lower: Array
    upper: Array
    """Bounds (nv,) of each velocity's coordinate."""
    balls: list[Bound]
    """Those that frames do not leave."""


class Search:
    """Kernels of one kind of task, and the arrays that all its calls share."""

    def __init__(self, robot: Robot, goals: Goals, options: Options) -> None:
        self.robot, self.weighted, self.prefers = robot, goals.weights is not None, options.rest is not None
        model, k = robot.model, len(goals.frame)
        self.choices = {"frame": goals.frame, "axes": goals.axes, "expressed_in": options.expressed_in}
        self.closure_rows = sum(model.rows_hold_positions) if model.closures else 0
        rows = sum(map(len, goals.axes)) + self.closure_rows
        sizes: dict[str, Any] = dict.fromkeys(("lower", "upper", "scale"), (model.nv,))
        self.shapes = {"goals": (k, 4, 4), **sizes, "tolerance": (4,)}
        self.more = {"weights": (rows,)} if self.weighted else {}
        self.pools = Pools(robot, goals, options.seed)
        self.error = robot.kernel(pose_error, shapes={"goals": (k, 4, 4)}, **self.choices)
        self.made = dict[bool, Any]()
        self.flaw = robot.kernel(flaw, shapes={"goals": (k, 4, 4)})
        self.bounds, self.size = dict[bool, Reach](), size_of(model)
        self.positions = [(name, {3, 4, 5} <= {*rows}) for name, rows in zip(goals.frame, goals.axes, strict=True)]
        """Frames, and whether all three rows of their positions count."""

    def limits(self, kept: bool) -> Reach:
        """What joints can do, within their limits or not."""
        if kept not in self.bounds:
            model = self.robot.model
            balls = [farthest(model, name, kept) if whole else UNBOUNDED for name, whole in self.positions]
            self.bounds[kept] = Reach(*coordinate_limits(model, kept), balls)
        return self.bounds[kept]

    def approach(self, prefers: bool) -> Any:
        """The kernel of a search, with a preference or without."""
        if prefers not in self.made:
            given = {"steps": (), **self.more} | ({"rest": (self.robot.model.nq,)} if prefers else {})
            self.made[prefers] = self.robot.kernel(approach, shapes=self.shapes | given, most=CHUNK, **self.choices)
        return self.made[prefers]

    @property
    def descend(self) -> Any:
        """The kernel that ends in a local minimum."""
        given = self.shapes | {"steps": ()} | self.more
        return self.robot.kernel(approach, shapes=given, most=2 * CHUNK, monotone=True, **self.choices)

    @property
    def stationarity(self) -> Any:
        """The kernel that tells whether it has."""
        return self.robot.kernel(stationarity, shapes=self.shapes | self.more, **self.choices)


@dataclass
class Problem:
    """Targets of a call: rows of arrays, and what is the same for all."""

    search: Search
    goals: Float
    """(n, frames, 4, 4)."""
    shared: tuple[Array, Array, Array, Array]
    """lower, upper, scale, tolerance."""
    weights: tuple[Array, ...]
    """Those of all rows, if there are any."""
    balls: list[Bound]
    """Those that frames do not leave."""
    rest: Float | None
    """(n, nq) or (1, nq)."""
    held: Float | None
    """Entries of q that keep the values that they have in q0."""
    q0: Float | None
    """(n, nq): where searches start if they `began` there, and where joints are held."""
    began: bool
    all: Any
    """Indices of all targets."""
    threads: int | None

    def run(self, q: Float, rows: Any, steps: int) -> Found:
        """Steps of some targets, from q (m, nq): no more than are told, nor than `CHUNK`."""
        rest = () if self.rest is None else (self.rest[rows],)
        shared, kernel = (*self.shared, float(steps), *self.weights), self.search.approach(self.rest is not None)
        if len(q) == 1:
            one = kernel(q[0], self.goals[rows[0]], *shared, *(x[0] for x in rest))
            return Found(*(np.asarray(x)[None] for x in one))
        goals = self.goals if rows is self.all else self.goals[rows]
        return Found(*kernel(q, goals, *shared, *rest, threads=self.threads))

    def starts(self, number: int, together: int, rows: Any) -> Float:
        """Configurations (together · m, nq) to start from, of m targets: all of one start before those of the next."""
        q = self.search.pools.starts(number, together, self.goals if rows is self.all else self.goals[rows])
        if self.held is not None and self.q0 is not None:
            q = np.where(self.held, self.q0[rows], q)
        return q.reshape(-1, q.shape[-1])

    def error(self, q: Float) -> Float:
        """Distances and angles (n, frames, 2) from the goals."""
        if len(q) == 1:
            return np.asarray(self.search.error(q[0], self.goals[0]))[None]
        return np.asarray(self.search.error(q, self.goals, threads=self.threads))


def inverse_kinematics(
    robot: Robot, made: dict[Any, Any], target: Any, frame: Any, q0: Any, options: Options
) -> InverseKinematics:
    """Configurations that bring frames to goals; `made` keeps what is the same for calls of one kind."""
    check_moves(robot)
    goals = read_goals(robot.model, target, frame, options.axes, options.weights)
    options = checked(options)
    kind = (goals.frame, goals.axes, options.expressed_in, goals.weights is None, options.rest is None, options.seed)
    search = made.get(kind)
    if search is None:
        search = made[kind] = Search(robot, goals, options)
    check(goals, search.flaw(goals.poses))
    batch, problem = stated(robot, search, goals, q0, options)
    found, starts = searched(problem, options)
    tolerance = problem.shared[3]
    q = closed(robot, found.q, tolerance[2]) if search.closure_rows else found.q
    residual = problem.error(q)
    success = (residual <= tolerance[:2]).all(axis=(-2, -1)) & np.isfinite(q).all(axis=-1)
    if search.closure_rows:
        success &= np.abs(robot.closure_residual(q)).max(axis=-1) <= tolerance[2]
    status = outcomes(problem, found.q, success, found.settled)
    shape = (batch, (*batch, robot.nq), (*batch, len(goals.frame), 2))
    return InverseKinematics(
        q.reshape(shape[1]),
        unwrapped(success.reshape(batch)),
        unwrapped(status.reshape(batch)),
        residual.reshape(shape[2]),
        unwrapped(found.steps.astype(int).reshape(batch)),
        unwrapped(starts.reshape(batch)),
        goals.frame,
    )


def checked(options: Options) -> Options:
    """The options, or an error that names the wrong one."""
    lookup("expressed_in", options.expressed_in, PARTIAL)
    for name, least in (("restarts", 0), ("iterations", 1), ("seed", 0)):
        plain_count(name, getattr(options, name), least)
    plain_flag("limits", options.limits)
    if options.rest is None and options.rest_weight is not None:
        raise InputError("rest_weight: without rest there is nothing to weigh; give rest, or robot.home()")
    return options


def stated(robot: Robot, search: Search, goals: Goals, q0: Any, options: Options) -> tuple[tuple[int, ...], Problem]:
    """The batch axes of a call, and its targets as rows."""
    model, nq = robot.model, robot.nq
    begin = None if q0 is None else configurations(robot, q0, "q0")
    rest = None if options.rest is None else configurations(robot, options.rest, "rest")
    begin = rest if begin is None else begin
    axes = [x.shape[:-1] for x in (begin, rest) if x is not None]
    try:
        batch = np.broadcast_shapes(goals.batch, *axes) if axes else goals.batch
    except ValueError:
        raise InputError(f"batch axes of target {goals.batch} do not broadcast with those of q0 or rest") from None
    poses, each = goals.poses, goals.poses.shape[-3:]
    flat = (poses if batch == goals.batch else np.broadcast_to(poses, (*batch, *each))).reshape(-1, *each)
    rows = [None if x is None else plain_rows(np.broadcast_to(x, (*batch, nq))) for x in (begin, rest)]
    held = np.zeros(nq, dtype=bool)
    scale = np.ones(model.nv) if options.rest_weight is None else inverse_roots(options.rest_weight, model)
    for name in plain_names((options.hold,)) or () if options.hold != () else ():
        sq, sv = model.joint_slices(name)
        held[sq], scale[sv] = True, 0.0
    if held.any() and begin is None:
        rows[0] = np.broadcast_to(resting(robot), (len(flat), nq))
    lower, upper, balls = search.limits(bool(options.limits))
    for name, x in (("q0", None if q0 is None else begin), ("rest", rest)):
        if x is not None:
            check_near(model, x, name, lower, upper)
    if held.any() and begin is not None:
        check_held(model, begin, scale == 0.0, lower, upper)
    weights = () if goals.weights is None else (np.concatenate([goals.weights, np.ones(search.closure_rows)]),)
    return batch, Problem(
        search,
        flat,
        (lower, upper, scale, tolerances(options.tolerance, search)),
        weights,
        balls,
        rows[1],
        held if held.any() else None,
        rows[0],
        begin is not None,
        np.arange(len(flat)),
        options.threads,
    )


def configurations(robot: Robot, x: Any, what: str) -> Float:
    """Configurations (..., nq) with unit quaternions."""
    q = finite(what, x, robot.nq)
    return robot.normalise(q) if robot.nq != robot.nv else q


def resting(robot: Robot) -> Float:
    """A configuration of the robot, within its limits and closed."""
    return robot.assemble() if robot.model.closures else home(robot.model)


def tolerances(tolerance: Any, search: Search) -> Float:
    """Those of positions, angles, closures and steps."""
    if type(tolerance) is float and 0 < tolerance < np.inf:
        return np.array([tolerance, tolerance, CLOSED * search.size, SETTLED])
    return np.array([*tolerance_pair(tolerance), CLOSED * search.size, SETTLED])


def searched(problem: Problem, options: Options) -> tuple[Found, Any]:
    """The best configuration of each target after all starts, and the number of starts."""
    n, left = len(problem.goals), problem.all
    number, most, steps = 0, options.restarts, options.iterations
    if problem.began and problem.q0 is not None:
        best = attempt(problem, problem.q0, left, steps, steps)
    else:
        best = attempt(problem, problem.starts(0, 1, left), left, CHUNK, steps)
        number, most = 1, most + 1
    starts = np.ones(n, dtype=int)
    left = np.flatnonzero(~(best.left < 1.0))
    best.left[np.isnan(best.left)] = np.inf
    beyond, without, preferring = left[:0], left, problem
    q0 = problem.q0
    if problem.rest is not None and q0 is not None and len(left):
        problem = replace(problem, rest=None)  # a preference may lead away from solutions
        improved(best, starts.copy(), left, attempt(problem, q0[left], left, steps, steps))
        left = left[best.left[left] >= 1.0]
    while number < most and len(left):
        together = min(most - number, max(1, min(LANES // len(left), FEW * max(1, number))))
        if number <= FEW:
            together = min(together, FEW + 1 - number)
        found = attempt(problem, problem.starts(number, together, left), np.tile(left, together), CHUNK, steps)
        for k in range(together):
            rows = slice(k * len(left), (k + 1) * len(left))
            if not improved(best, starts, left, Found(*(x[rows] for x in found))):
                break
        left, number = left[best.left[left] >= 1.0], number + together
        if number > FEW and len(left):
            far = too_far(problem, left)
            left, beyond = left[~far], np.concatenate([beyond, left[far]])
    left = np.concatenate([left, beyond])
    if len(left):
        descended(problem, best, left, 2 * steps)  # of which some are undone
    if preferring.rest is not None and len(without):
        settled(preferring, best, without[best.left[without] < 1.0], steps)
    return best, starts


def settled(problem: Problem, best: Found, rows: Any, steps: int) -> None:
    """Solutions that were found without the preference, moved towards it as far as they stay solutions."""
    robot, rest = problem.search.robot, problem.rest
    best.settled[rows] = 0.0
    for part in PARTS:
        if rest is None or not len(rows):
            break
        q, partly = best.q[rows], rest.copy()
        partly[rows] = robot.integrate(q, part * robot.difference(q, rest[rows])) if part < 1.0 else rest[rows]
        found = attempt(replace(problem, rest=partly), q, rows, steps, steps)
        good = found.left < 1.0
        best.q[rows[good]], best.left[rows[good]] = found.q[good], found.left[good]
        best.steps[rows] += found.steps
        if part == 1.0:
            best.settled[rows[good]] = found.settled[good]
            rows = rows[best.settled[rows] == 0.0]


def too_far(problem: Problem, rows: Any) -> Any:
    """Whether goals are farther away than frames can be: another start would not help."""
    found = np.zeros(len(rows), dtype=bool)
    for k, bound in enumerate(problem.balls):
        far = np.linalg.norm(problem.goals[rows, k, :3, 3] - bound.origin, axis=-1) - bound.reach
        found |= far > problem.shared[3][0]
    return found


def attempt(problem: Problem, q: Float, rows: Any, few: int, most: int) -> Found:
    """Searches from q (m, nq): a few steps, and up to `most` where only a preference is not met."""
    found = problem.run(q, rows, min(few, most))
    active = np.flatnonzero(found.settled == 0)
    for taken in range(CHUNK, most, CHUNK):
        if taken >= few:
            active = active[found.left[active] < 1.0]
        if not len(active):
            break
        new = problem.run(found.q[active], rows[active], most - taken)
        for x, y in ((found.q, new.q), (found.left, new.left), (found.settled, new.settled)):
            x[active] = y
        found.steps[active] += new.steps
        active = active[new.settled == 0]
    return found


def improved(best: Found, starts: Any, left: Any, found: Found) -> bool:
    """The best so far, after another attempt for targets that were not solved before; whether there were any."""
    waiting = best.left[left] >= 1.0
    if not waiting.any():
        return False
    better = waiting & (found.left < best.left[left])
    at = left[better]
    best.q[at], best.left[at], best.settled[at] = found.q[better], found.left[better], found.settled[better]
    best.steps[left[waiting]] += found.steps[waiting]
    starts[left[waiting]] += 1
    return True


def descended(problem: Problem, best: Found, left: Any, most: int) -> None:
    """The best so far of targets that are left, brought to a local minimum, or near it by so many steps."""
    lost = ~np.isfinite(best.left[left])
    if lost.any():
        best.q[left[lost]] = resting(problem.search.robot)
    for taken in range(0, most, 2 * CHUNK):
        given = (*problem.shared, float(most - taken), *problem.weights)
        q, found, steps, settled = problem.search.descend(
            best.q[left], problem.goals[left], *given, threads=problem.threads
        )
        best.q[left], best.left[left], best.settled[left] = q, found, 0.0 if problem.search.prefers else settled
        best.steps[left] += steps
        left = left[settled == 0]
        if not len(left):
            break


def closed(robot: Robot, q: Float, most: float) -> Float:
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


def outcomes(problem: Problem, q: Float, success: Any, settled: Any) -> Any:
    """The status of each target."""
    status = np.full(len(q), "converged", dtype="<U11")
    if problem.search.prefers:
        status[success & (settled == 0)] = "preference"
    if success.all():
        return status
    bad = np.flatnonzero(~success)
    gradient, pushed = problem.search.stationarity(q[bad], problem.goals[bad], *problem.shared, *problem.weights)
    still = np.where(pushed > np.maximum(gradient, PUSHED), "limits", "stalled")
    status[bad] = np.where(gradient > STATIONARY, "iterations", still)
    status[bad[too_far(problem, bad)]] = "unreachable"
    return status
