"""`simulate` and `rollout`: from a request to a motion.

A request is checked (`request`), an engine is chosen that takes its steps, in Python or in a kernel (`engines`), and a
recorder keeps their rows (`recorder`). Methods that choose their own steps are in `adaptive_steps`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from ..algorithms.dynamics.external_inputs import ExternalInputs
from ..algorithms.registry.choices import StepMethod
from ..algorithms.time.methods import check_joint_laws, default_step_method
from ..algorithms.time.rollout_derivatives import rollout_derivatives as derivatives
from ..algorithms.time.state import State
from ..arrays import tree_leaves
from ..errors import InputError, SimulationWarning, warn
from ..model.configurations import many_turns_hint, tolerances_of
from ..model.model import Model
from ..robot import Robot
from ..robot.common import check_memory, state_of
from ..robot.types import Float
from ..support.conversion import positive
from ..support.progress import progress_callback
from .adaptive_steps import ATOL, RTOL, SOLVERS, AdaptiveSettings, checked_events, run_adaptive, tolerance
from .engines import (
    ControlledKernelEngine,
    Engine,
    KernelEngine,
    PythonEngine,
    StepSchedule,
    initially_carried,
    rebuild_state,
)
from .forces import Law, forces_per_step, sampling_period, split_wrenches
from .inputs import InputArrays, SimulationState, StateNotKept, checked_inputs, is_projected
from .limit_checks import check_start
from .linear_steps import GROWTH_LIMIT
from .metadata import MotionFailure
from .recorder import run_steps
from .request import (
    STEP_METHODS,
    CheckedRequest,
    SimulationRequest,
    check_adaptive,
    check_equal_steps,
    checked_request,
    one_of,
    with_batch_axes,
)
from .stiffness import WRENCHES, ActingForces, check_wrenches, find_stiffness, warn_of_stiffness
from .trajectory import Trajectory

PROJECTION_CHANGE, PROJECTION_CHANGE_SINGLE = 1e-6, 1e-3
"""Changes of the first state by projection that cause a warning, in float64 and float32."""
KERNEL_FROM_STEPS = 2_000
"""Number of steps from which a simulation under known joint forces compiles a kernel."""
_KEEP_FEWER = "record=k (of the command, --record k) keeps every k-th row only"


def simulate(robot: Robot, request: SimulationRequest) -> Trajectory:
    """See `Robot.simulate`."""
    checked = checked_request(robot, request)
    if request.method in SOLVERS:
        return _in_adaptive_steps(robot, checked)
    return _in_equal_steps(robot, checked)


def _in_adaptive_steps(robot: Robot, checked: CheckedRequest) -> Trajectory:
    """The motion by a solver that chooses its steps."""
    check_adaptive(robot, checked)
    given, q, v = checked.given, checked.q, checked.v
    if is_projected(robot.model, None, given.inputs):
        q, v = closed_start(robot, q, v, None)
    settings = AdaptiveSettings(
        times=checked.dt * np.unique([*range(0, checked.steps, checked.record), checked.steps]),
        method=cast(str, given.method),
        rtol=tolerance("rtol", RTOL if given.rtol is None else given.rtol),
        atol=tolerance("atol", ATOL if given.atol is None else given.atol),
        inputs=checked.inputs,
        events=checked_events(given.events),
        functions=checked.functions,
    )
    check_memory(len(settings.times), 1, robot.nq + 2 * robot.nv + 1, _KEEP_FEWER)
    return run_adaptive(robot, q, v, checked.forces, settings, progress_callback(given.progress))


def _in_equal_steps(robot: Robot, checked: CheckedRequest) -> Trajectory:
    """The motion in equal steps, by the engine that suits the request."""
    given, functions = checked.given, checked.functions
    check_equal_steps(robot.model, given)
    project = is_projected(robot.model, given.project, given.inputs)
    if project:
        q, v = closed_start(robot, checked.q, checked.v, checked.inputs.arrays.get("drive"))
        checked = checked._replace(q=q, v=v)
    compiled = _is_compiled(checked)
    acting = ActingForces(
        q=checked.q,
        v=checked.v,
        controller=given.controller,
        state=checked.state,
        parameters=checked.parameters,
        compiled=bool(compiled),
        functions=functions,
    )
    method, warned = _choose_method(robot, acting, checked.dt, given.method)
    begin = initial_state(robot, checked.q, checked.v, checked.dt, method, project, checked.inputs)
    motion = run_engine(robot, checked, begin._replace(controller=checked.state), method)
    if functions is not None and not warned:
        check_wrenches(robot, motion, functions, method)
    return motion


def initial_state(
    robot: Robot, q: Float, v: Float, dt: float, method: StepMethod, project: bool, inputs: InputArrays
) -> SimulationState:
    """What a simulation begins with; with a row for each step of some inputs, that of others."""
    kept, carried = initially_carried(robot.model, method, inputs)
    batch = q.shape[:-1]
    kept = {name: np.broadcast_to(x, (*batch, *np.shape(x))) for name, x in kept.items()}
    steady = {name: x for name, x in inputs.arrays.items() if name not in inputs.by_rows}
    gravity = None if carried.gravity is None else np.asarray(robot.model.gravity)
    return SimulationState(0, dt, project, State(q, v, kept), steady, gravity)


def run_engine(
    robot: Robot,
    checked: CheckedRequest,
    begin: SimulationState,
    method: StepMethod,
    failures: tuple[MotionFailure, ...] = (),
) -> Trajectory:
    """The motion in equal steps from a state on, after failures of lanes that are not finite there."""
    schedule = StepSchedule(
        steps=checked.steps,
        dt=begin.dt,
        record=checked.record,
        method=method,
        inputs=_with_called_wrenches(checked, begin),
        project=begin.project,
        functions=checked.functions,
    )
    width = robot.nq + 2 * robot.nv + 1 + schedule.reported_numbers(begin.state.kept, checked.lanes)
    check_memory(schedule.rows, checked.lanes, width, _KEEP_FEWER)
    begin = begin._replace(tau=checked.forces.tau, functions=checked.functions is not None, control=checked.control)
    engine = _choose_engine(robot, checked, begin, schedule)
    return run_steps(robot, begin, engine, schedule, progress_callback(checked.given.progress), failures)


def resume(motion: Trajectory, robot: Robot, t: Any, given: Mapping[str, Any]) -> Trajectory:
    """See `Trajectory.resume`."""
    end, method = motion.end, motion.method
    if end is None:
        told = "simulate in equal steps makes such motions, and files .npz and .parquet keep them; parts without the"
        these = "last row do not have it, nor lanes of a batch whose controller has one state for all"
        raise InputError(f"this motion has no state at its end that it could go on with: {told} {these}")
    steps, controller = _further_steps(t, end.dt), given["controller"]
    if given["controller"] is given["tau"] is given["control"] is None:
        given = {**given, "control": end.control}
    _check_given_again(end, given)
    others, (q, v) = dict(given), _of_lanes_that_go_on(end, motion.failures)
    tau, wrench, given_state = (others.pop(name) for name in ("tau", "wrench", "state"))
    if given_state is not None:
        end = end._replace(controller=given_state, controller_axes=0)
    state, known = end.controller, end.external.get("wrench", {})
    if isinstance(controller, Law) and state is not None and given_state is None:
        state = rebuild_state(controller.initial_state, tree_leaves(state))
    wrench = {**known, **(wrench or {})} if wrench is None or isinstance(wrench, Mapping) else wrench
    request = SimulationRequest(
        q=q,
        v=v,
        t=t,
        dt=end.dt,
        state=state,
        inputs=ExternalInputs(**{**end.external, "wrench": wrench or None}),
        method=method,
        project=end.project,
        tau=end.tau if tau is given["control"] is controller is None else tau,
        first=end.step,
        **others,
    )
    checked = checked_request(robot, request)._replace(steps=steps, dt=end.dt)
    _check_kept(robot.model, end, cast(StepMethod, method), checked.inputs)
    begin = end.with_batch(checked.q.shape[:-1])  # not the checked q, whose quaternions have been scaled again
    begin = begin._replace(external=checked.inputs.arrays, controller=checked.state)
    return run_engine(robot, checked, begin, cast(StepMethod, method), motion.failures)


def _of_lanes_that_go_on(end: SimulationState, failures: Sequence[MotionFailure]) -> tuple[Float, Float]:
    """q and v to be checked: lanes that failed, which stay as they are, have those of one that goes on."""
    q, v = end.state[:2]
    lost = ~(np.isfinite(q).all(axis=-1) & np.isfinite(v).all(axis=-1))
    if not lost.any():
        return q, v
    if lost.all():
        when = f", at t = {failures[0].t:g} s" if failures else ""
        what = "all motions of the batch" if lost.ndim else "the motion"
        raise InputError(
            f"{what} failed{when}: there is no state to go on with, simulate begins anew at an earlier row"
        )
    one = tuple(np.argwhere(~lost)[0])
    return np.where(lost[..., None], q[one], q), np.where(lost[..., None], v[one], v)


def _check_given_again(end: SimulationState, given: Mapping[str, Any]) -> None:
    """An error if what acted was no array of the motion, and is not given again."""
    drives = given["controller"] is not None or given["control"] is not None
    if not drives and end.controller is not None:
        raise InputError("the motion had a controller, or actuators, with a state: give controller= or control= again")
    if isinstance(end.controller, StateNotKept) and given["state"] is None:
        why = f"as it was not made of numbers ({end.controller.why})"
        raise InputError(f"the file has not kept the controller's state, {why}: give state=, and controller= again")
    if not drives and given["tau"] is None and end.tau is None:
        what = "the motion had no constant joint forces or controls"
        raise InputError(f"{what}: give controller= or control= again, or tau=, zeros for none")
    if given["wrench"] is None and end.functions:
        raise InputError("functions gave wrenches of the motion: give wrench= again, wrench={} for none")


def _check_kept(model: Model, end: SimulationState, method: StepMethod, inputs: InputArrays) -> None:
    """An error if steps of a robot do not go on with what the motion has kept, as that was of another robot."""
    axes = end.state.q.ndim - 1
    found = {name: x.shape[axes:] for name, x in end.state.kept.items()}
    wanted = {name: np.shape(x) for name, x in initially_carried(model, method, inputs)[0].items()}
    if found != wanted:
        kept, needs = (
            ", ".join(f"{k} {x}" for k, x in each.items()) or "nothing but q and v" for each in (found, wanted)
        )
        raise InputError(
            f"the motion is one of a robot with other laws of friction and stops: its steps kept {kept}, those of this "
            f"robot, method {method!r}, keep {needs}; robot.simulate(motion.q[..., -1, :], motion.v[..., -1, :], ...) "
            "begins anew"
        )


def _further_steps(t: Any, dt: float) -> int:
    """Number of steps of dt in t."""
    steps = round(positive("t", t) / dt)
    if steps < 1 or abs(steps * dt - t) > 1e-9 * t:
        raise InputError(f"t must be a multiple of the motion's steps of {dt:g} s, got {t:g}")
    return steps


def _is_compiled(checked: CheckedRequest) -> bool | None:
    """Whether the loop runs in a kernel, if that is given or follows from the controller."""
    given, functions = checked.given, checked.functions
    if given.compiled is None and isinstance(given.controller, Law):
        return functions is None or functions.in_loop
    return given.compiled


def _with_called_wrenches(checked: CheckedRequest, begin: SimulationState) -> InputArrays:
    """The inputs of the first step, with the wrenches of functions that are called."""
    functions = checked.functions
    if functions is None or functions.in_loop:
        return checked.inputs
    return checked.inputs.with_wrenches(functions.of(begin.t, *begin.state[:2]))


def _choose_method(robot: Robot, acting: ActingForces, dt: float, method: str | None) -> tuple[StepMethod, bool]:
    """The method that is given, or one that can follow the forces; whether there was a warning that it cannot."""
    name = cast(StepMethod, default_step_method(robot.model) if method is None else method)
    stiff = find_stiffness(robot, acting, dt, name)
    if stiff is not None and method is None and acting.continues(stiff.cause):
        return "implicit", False
    if stiff is None or stiff.growth <= GROWTH_LIMIT:
        return name, False
    warn_of_stiffness(stiff, name, bool(sampling_period(acting.controller)), acting.continues(WRENCHES))
    return name, True


def closed_start(robot: Robot, q: Float, v: Float, drive: Any) -> tuple[Float, Float]:
    """The nearest state with all loops closed, with a warning if it differs."""
    closed, u = robot.project(q, v, drive=drive)
    most = PROJECTION_CHANGE if np.asarray(closed).dtype == np.float64 else PROJECTION_CHANGE_SINGLE
    moved = {"q": (robot.difference(q, closed), 1.0), "v": (v - u, max(1.0, np.abs(v).max(initial=0.0)))}
    changed = {name: by for name, (x, size) in moved.items() if (by := np.abs(x).max(initial=0.0)) > most * size}
    if changed:
        by_how_much = " and ".join(f"{name} by up to {by:.2g}" for name, by in changed.items())
        told = f"loops are open at the beginning: projection changed {by_how_much}"
        hint = many_turns_hint(robot.model, q) if q.ndim == 1 else ""
        warn("; ".join(filter(None, [told, hint])), SimulationWarning)
    return closed, u


def _choose_engine(robot: Robot, checked: CheckedRequest, begin: SimulationState, schedule: StepSchedule) -> Engine:
    """Steps from Python, or a kernel with the loop in it: if it is asked for, or pays and no controller is compiled.

    A controller may keep a log, draw random numbers or couple the states of a batch: unless it is asked for, it is
    called, however many steps there are.
    """
    forces, controller, compiled = checked.forces, checked.given.controller, _is_compiled(checked)
    if forces.tau is not None:
        needed = schedule.compiled is not None or schedule.project or bool(begin.state.kept)  # for single steps, too
        pays = needed or schedule.steps >= KERNEL_FROM_STEPS
        pays = pays if compiled is None else compiled
        if pays and schedule.called is None:
            return KernelEngine(robot, forces.tau, forces.by_rows, schedule)
        return PythonEngine(robot, forces, schedule)
    if controller is not None and compiled:
        return ControlledKernelEngine(robot, controller, begin, checked.parameters, schedule, checked.rows)
    return PythonEngine(robot, forces, schedule, isinstance(controller, Law))


def rollout(
    robot: Robot,
    q: Any,
    v: Any,
    tau: Any,
    dt: Any,
    method: str | None,
    inputs: ExternalInputs,
    project: bool | None = None,
) -> tuple[Float, Float]:
    """q (..., T, nq) and v (..., T, nv) after each of T steps; see `Robot.rollout`."""
    begin, forces, schedule = _prepare_rollout(robot, q, v, tau, dt, method, inputs, project)
    q, v = begin.state[:2]
    check_start(robot.model, q, v, degrees_alone=True)
    lanes = int(np.prod(q.shape[:-1], dtype=int))
    check_memory(schedule.steps, lanes, robot.nq + 2 * robot.nv, "roll out fewer steps at a time")
    engine = KernelEngine(robot, forces, True, schedule._replace(reports=False))
    found = engine.advance(begin, schedule.steps)[:2]
    _check_begun_closed(robot, q, schedule, np.isfinite(found[1][..., -1, :]).all(axis=-1))
    return found


def rollout_trajectory(robot: Robot, q: Any, v: Any, tau: Any, dt: Any, method: str) -> Trajectory:
    """The motion of a `rollout`, with the initial state and failures."""
    begin, forces, schedule = _prepare_rollout(robot, q, v, tau, dt, method, ExternalInputs(), None)
    check_start(robot.model, *begin.state[:2])
    check_memory(schedule.rows, 1, robot.nq + 2 * robot.nv + 1, "roll out fewer steps at a time")
    return run_steps(robot, begin, KernelEngine(robot, forces, True, schedule), schedule, None)


def rollout_derivatives(
    robot: Robot,
    q: Any,
    v: Any,
    tau: Any,
    dt: Any,
    method: str | None,
    inputs: ExternalInputs,
    project: bool | None = None,
) -> tuple[Float, Float]:
    """See `Robot.rollout_derivatives`."""
    begin, forces, schedule = _prepare_rollout(robot, q, v, tau, dt, method, inputs, project)
    q, v = begin.state[:2]
    lanes = int(np.prod(q.shape[:-1], dtype=int))
    check_memory(schedule.steps, lanes, 2 * robot.nv**2, "take fewer steps at a time")
    if schedule.functions is not None:
        what = "rollout_derivatives takes wrenches that are numbers: their functions are in rollout and simulate"
        raise InputError(f"{what}; derivatives through one are those of a scan of kt.algorithms.step")
    chosen: dict[str, Any] = {"method": schedule.method, "project": schedule.project}
    kernel = robot.kernel(derivatives, shapes={"tau": ("t", robot.nv), **schedule.inputs.shapes}, **chosen)
    by_state, by_tau = kernel(q, v, forces, schedule.dt, *tree_leaves(schedule.inputs.arrays))
    _check_begun_closed(robot, q, schedule, np.isfinite(by_state).all(axis=(-2, -1)))
    return by_state, by_tau


def _check_begun_closed(robot: Robot, q: Float, schedule: StepSchedule, done: Any) -> None:
    """An error if lanes are not `done` (...) and begin with open loops: steps close them again, if they are near."""
    if not schedule.project or done.all():
        return
    by_rows = "drive" in schedule.inputs.by_rows
    drive = {name: x[..., 0, :, :] if by_rows else x for name, x in schedule.inputs.arrays.get("drive", {}).items()}
    error = np.abs(np.asarray(robot.closure_residual(q, drive=drive or None)))
    error[done] = 0.0
    if (error > tolerances_of(error).open).any():
        *lane, row = (int(i) for i in np.unravel_index(np.argmax(error), error.shape))
        name = next(name for name, rows in robot.model.closure_slices.items() if rows.start <= row < rows.stop)
        of = f"q[{', '.join(map(str, lane))}]" if lane else "q"
        what = (
            f"the loops do not close in the first steps: closure {name!r} is open by {error[(*lane, row)]:.3g} (m or "
        )
        raise InputError(f"{what}rad) at {of}, which rollouts take as it is; robot.project and robot.assemble close it")


def _prepare_rollout(
    robot: Robot, q: Any, v: Any, tau: Any, dt: Any, method: str | None, given: ExternalInputs, project: bool | None
) -> tuple[SimulationState, Float, StepSchedule]:
    """The state at the beginning, the forces of all steps, and the schedule."""
    method = default_step_method(robot.model) if method is None else method
    one_of(STEP_METHODS, method)
    check_joint_laws(robot.model, method)
    forces, steps = forces_per_step(tau, robot.nv)
    assert forces.tau is not None
    numbers, functions = split_wrenches(robot, given.wrench, True)
    step, inputs = positive("dt", dt), checked_inputs(robot.model, given._replace(wrench=numbers), steps)
    q, v = with_batch_axes(*state_of(robot, q, v), forces.batch, inputs)
    schedule = StepSchedule(
        steps=steps,
        dt=step,
        record=1,
        method=cast(StepMethod, method),
        inputs=inputs,
        project=is_projected(robot.model, project, given),
        functions=functions,
    )
    begin = initial_state(robot, q, v, step, schedule.method, schedule.project, inputs)
    return begin, forces.tau, schedule
