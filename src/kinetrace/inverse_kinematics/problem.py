"""Targets of inverse kinematics as arrays: checked arguments, the kernels that calls of one kind share, and starts.

Searches start from that one of many random configurations whose frames are nearest to the goals. Each start of a
target is chosen from a pool of its own, which depends on the seed and the number of the start alone: what is found for
a target does not depend on the targets beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..algorithms.closed.closures import size_of
from ..algorithms.kinematics.forward_kinematics import pose
from ..algorithms.registry.forms import Forms
from ..algorithms.tasks.inverse_kinematics import approach, stationarity
from ..algorithms.tasks.pose_errors import PARTIAL, flaw, nearest, pose_error
from ..arrays import Array
from ..errors import InputError, lookup
from ..model.configurations import home
from ..model.model import Model
from ..robot import Robot
from ..robot.types import Float
from ..support.conversion import as_count, as_flag, as_names, as_rows, finite
from .goals import (
    UNBOUNDED_BALL,
    Goals,
    ReachBall,
    check_held,
    check_near,
    coordinate_limits,
    inverse_roots,
    reach_ball,
    tolerance_pair,
)

POOL_SIZES = Forms(tree=128, closed=16)
"""Configurations to choose from; fewer where each must be closed first."""
ROTATION_WEIGHT = 0.1
"""Weight of a difference of rotations, relative to one of positions as large as the pool is wide."""


class StartPools:
    """Configurations to start from, made when they are asked for."""

    def __init__(self, robot: Robot, goals: Goals, seed: int) -> None:
        self.robot, self.seed, self.axes = robot, seed, goals.axes
        width = sum(3 * any(k >= 3 for k in rows) + 9 * any(k < 3 for k in rows) for rows in self.axes)
        self.nearest = robot.kernel(nearest, shapes={"feature": width, "pool": ("n", width + 1)})
        self.poses = [robot.kernel(pose, frame=name) for name in goals.frame]
        self.made: tuple[Float, Float] | None = None
        """Configurations (pools, n, nq), and the rows by which the nearest are found."""
        spread = np.stack([kernel(self.configurations(0))[:, :3, 3] for kernel in self.poses]).var(axis=1).sum(axis=-1)
        self.scales = np.sqrt(ROTATION_WEIGHT * np.where(spread > 0, spread, 1.0))

    def pools_up_to(self, number: int) -> tuple[Float, Float]:
        """As many pools as are asked for, or more; replaced as a whole, as other threads may use them."""
        old = self.made
        if old is not None and len(old[0]) >= number:
            return old
        q = np.stack([self.configurations(k) for k in range(0 if old is None else len(old[0]), number)])
        poses = np.stack([kernel(q) for kernel in self.poses], axis=2)
        x = np.stack([self.features(X) for X in poses])
        rows = np.concatenate([x, 0.5 * (x * x).sum(axis=-1, keepdims=True)], axis=-1)
        new = (q, rows) if old is None else (np.concatenate([old[0], q]), np.concatenate([old[1], rows]))
        self.made = new
        return new

    def configurations(self, number: int) -> Float:
        """The random configurations of a pool, within the limits and with closed loops."""
        model, rng = self.robot.model, np.random.default_rng([self.seed, number])
        q = self.robot.assemble(model.random(rng, (POOL_SIZES.of(model),)))
        return np.where(np.isfinite(q).all(axis=-1, keepdims=True), q, home(model))

    def features(self, poses: Float) -> Float:
        """Numbers (n, width) whose distance is that of poses (n, frames, 4, 4), in the rows that count."""
        found: list[Float] = []
        for k, rows in enumerate(self.axes):
            if max(rows) >= 3:
                found.append(poses[:, k, :3, 3])
            if min(rows) < 3:
                found.append(self.scales[k] * poses[:, k, :3, :3].reshape(-1, 9))
        return np.concatenate(found, axis=-1)

    def starts(self, number: int, together: int, poses: Float) -> Float:
        """Configurations (together, m, nq) to start from, of m goals, by some pools from a number on."""
        q, rows = self.pools_up_to(number + together)
        x, some = self.features(poses), np.arange(number, number + together)
        if together == len(x) == 1:
            at = self.nearest(x[0], rows[number])
            return q[number, int(at)][None, None]
        return q[some[:, None], self.nearest(x, rows[some, None]).astype(int)]


CHUNK_STEPS = 12
"""Most steps of a search between looks at which targets are solved; from a random start there are no more."""
CLOSURE_TOLERANCE = 1e-11
"""Residual [m, rad] of closures, divided by the size of the robot."""
SETTLED_STEP = 1e-6
"""Step [rad, m] below which a preference is met."""


class SearchOptions(NamedTuple):
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


class SearchRows(NamedTuple):
    """Result of searches: one row per target."""

    q: Float
    error_ratio: Float
    """Error divided by its tolerance: below one at a solution."""
    steps: Float
    settled: Float
    """Whether (0 or 1) nothing is left to do: the target is reached and its preference met, or a step is small."""


class JointReach(NamedTuple):
    """Limits of joints, and how far frames can be."""

    lower: Array
    upper: Array
    """Bounds (nv,) of each velocity's coordinate."""
    balls: list[ReachBall]
    """Those that frames do not leave."""


class SearchKernels:
    """Kernels of one kind of task, and the arrays that all its calls share."""

    def __init__(self, robot: Robot, goals: Goals, options: SearchOptions) -> None:
        self.robot, self.weighted, self.prefers = robot, goals.weights is not None, options.rest is not None
        model, k = robot.model, len(goals.frame)
        self.choices = {"frame": goals.frame, "axes": goals.axes, "expressed_in": options.expressed_in}
        self.closure_rows = sum(model.rows_hold_positions)
        rows = sum(map(len, goals.axes)) + self.closure_rows
        sizes: dict[str, Any] = dict.fromkeys(("lower", "upper", "scale"), (model.nv,))
        self.shapes = {"goals": (k, 4, 4), **sizes, "tolerance": (4,)}
        self.more = {"weights": (rows,)} if self.weighted else {}
        self.pools = StartPools(robot, goals, options.seed)
        self.error = robot.kernel(pose_error, shapes={"goals": (k, 4, 4)}, **self.choices)
        self.made = dict[bool, Any]()
        self.flaw = robot.kernel(flaw, shapes={"goals": (k, 4, 4)})
        self.bounds, self.size = dict[bool, JointReach](), size_of(model)
        self.positions = [(name, {3, 4, 5} <= {*rows}) for name, rows in zip(goals.frame, goals.axes, strict=True)]
        """Frames, and whether all three rows of their positions count."""

    def limits(self, kept: bool) -> JointReach:
        """Limits of joints, if they are kept, and how far frames can be."""
        if kept not in self.bounds:
            model = self.robot.model
            balls = [reach_ball(model, name, kept) if whole else UNBOUNDED_BALL for name, whole in self.positions]
            self.bounds[kept] = JointReach(*coordinate_limits(model, kept), balls)
        return self.bounds[kept]

    def approach(self, prefers: bool) -> Any:
        """The kernel of a search, with a preference or without."""
        if prefers not in self.made:
            given = {"steps": (), **self.more} | ({"rest": (self.robot.model.nq,)} if prefers else {})
            self.made[prefers] = self.robot.kernel(
                approach, shapes=self.shapes | given, most=CHUNK_STEPS, **self.choices
            )
        return self.made[prefers]

    @property
    def descend(self) -> Any:
        """The kernel that ends in a local minimum."""
        given = self.shapes | {"steps": ()} | self.more
        return self.robot.kernel(approach, shapes=given, most=2 * CHUNK_STEPS, monotone=True, **self.choices)

    @property
    def stationarity(self) -> Any:
        """The kernel that tells whether it has."""
        return self.robot.kernel(stationarity, shapes=self.shapes | self.more, **self.choices)


@dataclass
class SearchProblem:
    """Targets of a call: rows of arrays, and what is the same for all."""

    kernels: SearchKernels
    goals: Float
    """(n, frames, 4, 4)."""
    shared: tuple[Array, Array, Array, Array]
    """lower, upper, scale, tolerance."""
    weights: tuple[Array, ...]
    """Those of all rows, if there are any."""
    balls: list[ReachBall]
    """Those that frames do not leave."""
    rest: Float | None
    """(n, nq) or (1, nq)."""
    held: Float | None
    """Entries of q that keep the values that they have in q0."""
    q0: Float | None
    """(n, nq): where searches start if `begins_at_q0`, and where joints are held."""
    begins_at_q0: bool
    all: Any
    """Indices of all targets."""
    threads: int | None

    def run(self, q: Float, rows: Any, steps: int) -> SearchRows:
        """Steps of some targets, from q (m, nq): no more than are told, nor than `CHUNK_STEPS`."""
        rest = () if self.rest is None else (self.rest[rows],)
        shared, kernel = (*self.shared, float(steps), *self.weights), self.kernels.approach(self.rest is not None)
        if len(q) == 1:
            one = kernel(q[0], self.goals[rows[0]], *shared, *(x[0] for x in rest))
            return SearchRows(*(np.asarray(x)[None] for x in one))
        goals = self.goals if rows is self.all else self.goals[rows]
        return SearchRows(*kernel(q, goals, *shared, *rest, threads=self.threads))

    def starts(self, number: int, together: int, rows: Any) -> Float:
        """Configurations (together · m, nq) to start from, of m targets: all of one start before those of the next."""
        q = self.kernels.pools.starts(number, together, self.goals if rows is self.all else self.goals[rows])
        if self.held is not None and self.q0 is not None:
            q = np.where(self.held, self.q0[rows], q)
        return q.reshape(-1, q.shape[-1])

    def error(self, q: Float) -> Float:
        """Distances and angles (n, frames, 2) from the goals."""
        if len(q) == 1:
            return np.asarray(self.kernels.error(q[0], self.goals[0]))[None]
        return np.asarray(self.kernels.error(q, self.goals, threads=self.threads))


def checked_options(options: SearchOptions) -> SearchOptions:
    """The options, or an error that names the wrong one."""
    lookup("expressed_in", options.expressed_in, PARTIAL)
    for name, least in (("restarts", 0), ("iterations", 1), ("seed", 0)):
        as_count(name, getattr(options, name), least)
    as_flag("limits", options.limits)
    if options.rest is None and options.rest_weight is not None:
        raise InputError("rest_weight: without rest there is nothing to weigh; give rest, or robot.home()")
    return options


def as_problem(
    robot: Robot, kernels: SearchKernels, goals: Goals, q0: Any, options: SearchOptions
) -> tuple[tuple[int, ...], SearchProblem]:
    """The batch axes of a call, and its targets as rows."""
    model, nq = robot.model, robot.nq
    begin = None if q0 is None else checked_configurations(robot, q0, "q0")
    rest = None if options.rest is None else checked_configurations(robot, options.rest, "rest")
    lower, upper, balls = kernels.limits(bool(options.limits))
    begin = rest if begin is None else begin
    given = {"q0": begin, "rest": rest}
    batch = _common_batch(goals, begin, rest)
    poses, each = goals.poses, goals.poses.shape[-3:]
    flat = (poses if batch == goals.batch else np.broadcast_to(poses, (*batch, *each))).reshape(-1, *each)
    rows = {name: None if x is None else as_rows(np.broadcast_to(x, (*batch, nq))) for name, x in given.items()}
    held, scale = _held_joints(model, options)
    if held.any() and begin is None:
        rows["q0"] = np.broadcast_to(closed_home(robot), (len(flat), nq))
    for name, x in {**given, "q0": None if q0 is None else begin}.items():
        if x is not None:
            check_near(model, x, name, lower, upper)
    if held.any() and begin is not None:
        check_held(model, begin, scale == 0.0, lower, upper)
    weights = () if goals.weights is None else (np.concatenate([goals.weights, np.ones(kernels.closure_rows)]),)
    return batch, SearchProblem(
        kernels=kernels,
        goals=flat,
        shared=(lower, upper, scale, tolerances(options.tolerance, kernels)),
        weights=weights,
        balls=balls,
        rest=rows["rest"],
        held=held if held.any() else None,
        q0=rows["q0"],
        begins_at_q0=begin is not None,
        all=np.arange(len(flat)),
        threads=options.threads,
    )


def _common_batch(goals: Goals, *configurations: Float | None) -> tuple[int, ...]:
    """The batch axes of targets and configurations together."""
    axes = [x.shape[:-1] for x in configurations if x is not None]
    try:
        return np.broadcast_shapes(goals.batch, *axes) if axes else goals.batch
    except ValueError:
        raise InputError(f"batch axes of target {goals.batch} do not broadcast with those of q0 or rest") from None


def _held_joints(model: Model, options: SearchOptions) -> tuple[Any, Float]:
    """Which entries (nq,) of q are held, and the scale (nv,) of each velocity, zero if it is held."""
    held = np.zeros(model.nq, dtype=bool)
    scale = np.ones(model.nv) if options.rest_weight is None else inverse_roots(options.rest_weight, model)
    for name in as_names((options.hold,)) or () if options.hold != () else ():
        sq, sv = model.joint_slices(name)
        held[sq], scale[sv] = True, 0.0
    return held, scale


def checked_configurations(robot: Robot, x: Any, what: str) -> Float:
    """Configurations (..., nq) with unit quaternions."""
    q = finite(what, x, robot.nq)
    return robot.normalise(q) if robot.nq != robot.nv else q


def closed_home(robot: Robot) -> Float:
    """A configuration of the robot, within its limits and closed."""
    return home(robot.model)


def tolerances(tolerance: Any, kernels: SearchKernels) -> Float:
    """Those of positions, angles, closures and steps."""
    if type(tolerance) is float and 0 < tolerance < np.inf:
        return np.array([tolerance, tolerance, CLOSURE_TOLERANCE * kernels.size, SETTLED_STEP])
    return np.array([*tolerance_pair(tolerance), CLOSURE_TOLERANCE * kernels.size, SETTLED_STEP])
