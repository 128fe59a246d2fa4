"""Simulation in equal steps, for one state or a batch, a tenth of a second of work at a time.

Between two such chunks progress is reported, and states that are no longer finite are found; Ctrl-C returns the motion
so far.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..algorithms.constraints.joint_rows import has_solved_effects
from ..arrays import tree_leaves
from ..errors import SimulationWarning, warn
from ..model.model import Model
from ..robot import Robot
from ..robot.types import Float
from ..support.progress import Progress, progress_context
from .contact.motion_contacts import ResidualWatch, reported_forces
from .engines import Engine, StepRows, StepSchedule, rebuild_state
from .inputs import SimulationState
from .limit_checks import SpeedWatch, check_end, left_first
from .metadata import MotionFailure, names_of
from .trajectory import Trajectory

CHUNK_SECONDS, CHUNK_NUMBERS = 0.1, 1 << 22
"""Seconds of work per chunk, and the largest number of values in a chunk."""
FIRST_STEPS, FIRST_STATES = 32, 512
"""Steps of the first chunk, if that is no fewer states than the second number."""


class RecordedRows(NamedTuple):
    """The rows of the result."""

    t: Float
    q: Float
    v: Float
    tau: Float

    @staticmethod
    def begin(rows: int, begin: SimulationState) -> RecordedRows:
        """Room for so many rows, the first of them written."""
        q, v = begin.state[:2]
        made = RecordedRows(np.empty(rows), *(np.empty((*x.shape[:-1], rows, x.shape[-1])) for x in (q, v, v)))
        made.t[0], made.q[..., 0, :], made.v[..., 0, :], made.tau[..., 0, :] = begin.t, q, v, 0.0
        return made

    def cut(self, rows: int) -> RecordedRows:
        """The first rows."""
        arrays = (np.ascontiguousarray(x[..., :rows, :]) for x in (self.q, self.v, self.tau))
        return RecordedRows(self.t[:rows], *arrays)


def run_steps(
    robot: Robot,
    begin: SimulationState,
    engine: Engine,
    schedule: StepSchedule,
    progress: Progress | None,
    failures: tuple[MotionFailure, ...] = (),
) -> Trajectory:
    """The motion from a state on, after failures of lanes that are not finite there."""
    run = _SimulationRun(robot, begin, engine, schedule)
    interrupted = False
    try:
        with np.errstate(all="ignore"), progress_context(progress):  # a state that is not finite affects itself alone
            run.work(progress)
    except KeyboardInterrupt:
        interrupted = True
        end = (begin.step + schedule.steps) * schedule.dt
        warn(f"interrupted at t = {run.now.t:g} s of {end:g}", SimulationWarning)
    if run.failures:
        _warn(run.failures, run.left, _advice(robot.model, engine.is_controlled), schedule.project)
    motion = Trajectory(
        *run.rows(),
        dt=schedule.dt,
        names=names_of(robot.model),
        robot_name=robot.name,
        method=schedule.method,
        robot=robot,
        interrupted=interrupted,
        failures=(*failures, *run.failures),
        end=run.now,
        states=run.states(),
        reported=reported_forces({name: run.first_rows(x) for name, x in run.reported.items()}, schedule.dt),
        contact_inputs=begin.contact_inputs,
    )
    if told := run.residuals.message:
        warn(told, SimulationWarning)
    check_end(motion)
    return motion


class _SimulationRun:
    """A running simulation, and what it goes on with."""

    def __init__(self, robot: Robot, begin: SimulationState, engine: Engine, schedule: StepSchedule) -> None:
        self.robot, self.engine, self.schedule = robot, engine, schedule
        self.begin, self.now, self.seen = begin, begin, 0
        self.recorded, self.failures, self.left = (
            RecordedRows.begin(schedule.rows, begin),
            list[MotionFailure](),
            set[tuple[int, ...]](),
        )
        self.kept, self.reported = list[Float](), dict[str, Float]()
        q, v = begin.state[:2]
        self.lost = ~(np.isfinite(q).all(axis=-1) & np.isfinite(v).all(axis=-1))
        self.watch, self.residuals = SpeedWatch(robot.model), ResidualWatch()

    def work(self, progress: Progress | None) -> None:
        """All steps, or until no lane is left."""
        steps, told = self.schedule.steps, time.perf_counter()
        q, v = self.now.state[:2]
        numbers = q.size + 2 * v.size + sum(x.size for x in self.now.state.kept.values())
        limit = max(1, min(self.engine.most, CHUNK_NUMBERS // max(1, numbers)))
        size = min(limit, max(FIRST_STEPS, FIRST_STATES // max(1, self.lost.size)))
        while self.done < steps and not self.all_lost:
            begin, n = time.perf_counter(), min(size, steps - self.done)
            rows = self.engine.advance(self.now, n)
            self.take(rows, n)
            self.residuals.look(self.schedule.times(self.now.step - n, n), rows.reported, rows.q, rows.v)
            if self.engine.most > 1:
                self.watch.look(self.schedule.times(self.now.step - n + 1, n), rows.v, progress)
            now = time.perf_counter()
            if limit > 1:
                size = max(1, min(limit, 8 * size, int(n * CHUNK_SECONDS / max(now - begin, 1e-6))))
            if now - told > CHUNK_SECONDS:
                told = now
                self.look_back(progress)
                if progress is not None:
                    progress(self.done, steps)
        self.look_back(progress)
        if progress is not None:
            progress(self.done, steps)

    @property
    def done(self) -> int:
        """Steps that were taken."""
        return self.now.step - self.begin.step

    @property
    def all_lost(self) -> bool:
        """Whether all lanes are lost; an empty batch has none."""
        return self.lost.size > 0 and bool(self.lost.all())

    def take(self, rows: StepRows, n: int) -> None:
        """Record the rows of n steps, and continue from the last."""
        schedule, done, recorded = self.schedule, self.done, self.recorded
        steps = np.arange(done + 1, done + n + 1)
        kept = np.flatnonzero((steps % schedule.record == 0) | (steps == schedule.steps))
        begun = np.flatnonzero((steps - 1) % schedule.record == 0)
        if len(kept):
            at = -(-steps[kept] // schedule.record)
            recorded.t[at] = (self.begin.step + steps[kept]) * schedule.dt
            recorded.q[..., at, :], recorded.v[..., at, :] = rows.q[..., kept, :], rows.v[..., kept, :]
            recorded.tau[..., at[-1], :] = rows.tau[..., kept[-1], :]  # until the next step begins, here or later
            self.keep(rows.states, at, kept)
            self.report(rows.reported, at[-1:], kept[-1:])
        began = (steps[begun] - 1) // schedule.record
        recorded.tau[..., began, :] = rows.tau[..., begun, :]
        self.report(rows.reported, began, begun)
        # at once: Ctrl-C may come between any two lines
        first, self.now = self.now.state, rows.now
        q, v = self.now.state[:2]
        if not np.isfinite(np.add.reduce(v, axis=None) + np.add.reduce(q, axis=None)):
            self.find_failures(rows, done, *first[:2])

    def look_back(self, progress: Progress | None) -> None:
        """Look at the velocities of single steps that were recorded since the last time: each alone would cost more."""
        if self.engine.most == 1:
            new = slice(self.seen, self.length)
            self.watch.look(self.recorded.t[new], self.recorded.v[..., new, :], progress)
            self.seen = self.length

    def keep(self, states: tuple[Float, ...], at: Any, chosen: Any) -> None:
        """Record the controller's state in rows `at`."""
        axis = self.now.state.v.ndim - 1
        if states and not self.kept:
            for x, begin in zip(states, tree_leaves(self.begin.controller), strict=True):
                room = np.empty((*x.shape[:axis], self.schedule.rows, *x.shape[axis + 1 :]))
                np.moveaxis(room, axis, 0)[0] = begin
                self.kept.append(room)
        for room, x in zip(self.kept, states, strict=True):
            np.moveaxis(room, axis, 0)[at] = np.moveaxis(x, axis, 0)[chosen]

    def report(self, reported: Mapping[str, Float], at: Any, chosen: Any) -> None:
        """Record what steps report, in rows `at`, like forces: what acts from the row on."""
        axis = self.now.state.v.ndim - 1
        for name, x in reported.items():
            if name not in self.reported:
                self.reported[name] = np.empty((*x.shape[:axis], self.schedule.rows, *x.shape[axis + 1 :]))
            room = self.reported[name]
            np.moveaxis(room, axis, 0)[at] = np.moveaxis(x, axis, 0)[chosen]

    def find_failures(self, rows: StepRows, done: int, q: Float, v: Float) -> None:
        """Find the lanes that are no longer finite since q and v, and the first step and joint or frame of each."""
        finite: Any = np.isfinite(rows.q).all(axis=-1) & np.isfinite(rows.v).all(axis=-1)
        for lane in (tuple(x.tolist()) for x in np.argwhere(~finite[..., -1] & ~self.lost)):
            k = int(np.argmin(finite[lane]))
            joint, wrong = self.joint_to_name(rows, done, lane, k)
            step, dt = self.begin.step + done + k, self.schedule.dt
            t = step * dt
            before = (rows.q[..., k - 1, :], rows.v[..., k - 1, :]) if k else (q, v)
            asked = None if wrong or lane in self.left else self.schedule.functions
            frame = None if asked is None else asked.spoilt(t, dt, *before, lane)
            self.failures.append(MotionFailure(step, t, lane, None if frame else joint, wrong, frame))
        self.lost |= ~finite[..., -1]
        self.failures.sort(key=lambda failure: failure.step)

    def joint_to_name(self, rows: StepRows, done: int, lane: tuple[int, ...], k: int) -> tuple[str, bool]:
        """The joint of a failure in a lane that is lost in row k, and whether the controller's force was the cause.

        The lane is among `left` if the joint left first; see `MotionFailure.joint` for the other cases.
        """
        model = self.robot.model
        before = np.concatenate([self.recorded.v[lane][: 1 + done // self.schedule.record], rows.v[lane][:k]])
        v, tau, (fastest, left) = np.isfinite(rows.v[lane][k]), rows.tau[lane][k], left_first(model, before)
        self.left |= {lane} if left else set()
        wrong = not left and not np.isfinite(tau).all()
        if wrong:
            first = int(np.argmin(np.isfinite(tau)))
        elif not left and v.any() and not v.all():
            first = int(np.argmin(v))
        else:
            first = int(np.argmax(np.abs(tau))) if fastest is None else fastest
        return names_of(model).v[first], wrong

    @property
    def length(self) -> int:
        """Number of rows until now, or until all lanes were lost."""
        last = max(f.step for f in self.failures) - self.begin.step if self.all_lost else self.done
        return self.schedule.rows if last == self.schedule.steps else 1 + last // self.schedule.record

    def rows(self) -> RecordedRows:
        """The motion so far."""
        return self.recorded.cut(self.length)

    def states(self) -> Any:
        """The controller's state in each of these rows, if it was recorded."""
        found = [self.first_rows(x) for x in self.kept]
        return rebuild_state(self.begin.controller, found) if found else None

    def first_rows(self, x: Float) -> Float:
        """The rows (..., n, ·) until now."""
        axis = self.now.state.v.ndim - 1
        return np.ascontiguousarray(np.moveaxis(np.moveaxis(x, axis, 0)[: self.length], 0, axis))


def _advice(model: Model, controlled: bool) -> str:
    """What may help."""
    if controlled:
        return 'take shorter steps, method="implicit", or a controller with lower gains or a shorter period'
    stiff = '"implicit"' if has_solved_effects(model) else '"rosenbrock" or "implicit"'
    return f"take shorter steps, or method={stiff} if springs or dampers are stiff"


def _warn(failures: list[MotionFailure], left: set[tuple[int, ...]], advice: str, projected: bool) -> None:
    first, count = failures[0], len(failures)
    lane = f", lane {first.lane if len(first.lane) > 1 else first.lane[0]}" if first.lane else ""
    more = f" (and {count - 1} more lanes)" if count > 1 else ""
    if first.by_controller:
        what = f"the controller's force on joint {first.joint!r} is not finite"
        warn(f"{what} at t = {first.t:g} s (step {first.step}){lane}{more}", SimulationWarning)
        return
    if first.frame is not None:
        what = f"the wrench on frame {first.frame!r}, of a function, is not finite"
        warn(f"{what} in the step from t = {first.t:g} s (step {first.step}){lane}{more}", SimulationWarning)
        return
    joint = f"joint {first.joint!r}{' left first' if first.lane in left else ''}"
    where = f"after step {first.step} (t = {first.t:g} s){lane}, {joint}{more}"
    what = "loops do not close, or numbers are no longer finite" if projected else "numbers are no longer finite"
    warn(f"{what} {where}: {advice}", SimulationWarning)
