"""`simulate` and `rollout`: from a request to a motion.

A request is checked (`request`), an engine is chosen that takes its steps, in Python or in a kernel (`engines`), and a
recorder keeps their rows (`recorder`). Methods that choose their own steps are in `adaptive_steps`.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from ..algorithms.registry.choices import StepMethod
from ..algorithms.time.rollout_derivatives import rollout_derivatives as derivatives
from ..arrays import tree_leaves
from ..errors import InputError, SimulationWarning, warn
from ..robot import Robot
from ..robot.common import check_memory, state_of
from ..robot.types import Float
from ..support.conversion import positive
from ..support.progress import progress_callback
from .adaptive_steps import ATOL, RTOL, SOLVERS, AdaptiveSettings, checked_events, run_adaptive, tolerance
from .engines import ControlledKernelEngine, Engine, KernelEngine, PythonEngine, StepSchedule
from .forces import Law, forces_per_step, sampling_period, split_wrenches
from .limit_checks import check_start
from .linear_steps import GROWTH_LIMIT
from .recorder import run_steps
from .request import (
    DEFAULT_METHOD,
    STEP_METHODS,
    CheckedRequest,
    SimulationRequest,
    StepKeywords,
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
    if robot.model.closures:
        q, v = _close_loops(robot, q, v, None)
    settings = AdaptiveSettings(
        times=checked.dt * np.unique([*range(0, checked.steps, checked.record), checked.steps]),
        method=cast(str, given.method),
        rtol=tolerance("rtol", RTOL if given.rtol is None else given.rtol),
        atol=tolerance("atol", ATOL if given.atol is None else given.atol),
        settings=checked.settings,
        events=checked_events(given.events),
        functions=checked.functions,
    )
    check_memory(len(settings.times), 1, robot.nq + 2 * robot.nv + 1, _KEEP_FEWER)
    return run_adaptive(robot, q, v, checked.forces, settings, progress_callback(given.progress))


def _in_equal_steps(robot: Robot, checked: CheckedRequest) -> Trajectory:
    """The motion in equal steps, by the engine that suits the request."""
    given, functions = checked.given, checked.functions
    check_equal_steps(given)
    project = _is_projected(robot, given.project, given.inputs)
    if project:
        q, v = _close_loops(robot, checked.q, checked.v, checked.settings.get("drive"))
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
    schedule = StepSchedule(
        steps=checked.steps,
        dt=checked.dt,
        record=checked.record,
        method=method,
        settings=_first_settings(checked),
        project=project,
        functions=functions,
    )
    check_memory(schedule.rows, checked.lanes, robot.nq + 2 * robot.nv + 1, _KEEP_FEWER)
    engine = _choose_engine(robot, checked, schedule, compiled)
    motion = run_steps(robot, checked.q, checked.v, checked.state, engine, schedule, progress_callback(given.progress))
    if functions is not None and not warned:
        check_wrenches(robot, motion, functions, method)
    return motion


def _is_projected(robot: Robot, project: Any, inputs: StepKeywords) -> bool:
    """Whether loops are closed after each step."""
    if not robot.model.closures:
        return False
    return inputs.stabilisation is None if project is None else bool(project)


def _is_compiled(checked: CheckedRequest) -> bool | None:
    """Whether the loop runs in a kernel, if that is given or follows from the controller."""
    given, functions = checked.given, checked.functions
    if given.compiled is None and isinstance(given.controller, Law):
        return functions is None or functions.in_loop
    return given.compiled


def _first_settings(checked: CheckedRequest) -> dict[str, Any]:
    """The settings of the first step, with the wrenches of functions that are called."""
    settings, functions = checked.settings, checked.functions
    if functions is None or functions.in_loop:
        return settings
    wrenches = {**settings.get("wrench", {}), **functions.of(0.0, checked.q, checked.v)}
    now = {**settings, "wrench": wrenches}
    return {name: now[name] for name in StepKeywords._fields if name in now}


def _choose_method(robot: Robot, acting: ActingForces, dt: float, method: str | None) -> tuple[StepMethod, bool]:
    """The method that is given, or one that can follow the forces; whether there was a warning that it cannot."""
    name = cast(StepMethod, DEFAULT_METHOD if method is None else method)
    stiff = find_stiffness(robot, acting, dt, name)
    if stiff is not None and method is None and acting.continues(stiff.cause):
        return "implicit", False
    if stiff is None or stiff.growth <= GROWTH_LIMIT:
        return name, False
    warn_of_stiffness(stiff, name, bool(sampling_period(acting.controller)), acting.continues(WRENCHES))
    return name, True


def _close_loops(robot: Robot, q: Float, v: Float, drive: Any) -> tuple[Float, Float]:
    """The nearest state with all loops closed, with a warning if it differs."""
    closed, u = robot.project(q, v, drive=drive)
    most = PROJECTION_CHANGE if np.asarray(closed).dtype == np.float64 else PROJECTION_CHANGE_SINGLE
    moved = {"q": (robot.difference(q, closed), 1.0), "v": (v - u, max(1.0, np.abs(v).max(initial=0.0)))}
    changed = {name: by for name, (x, size) in moved.items() if (by := np.abs(x).max(initial=0.0)) > most * size}
    if changed:
        by_how_much = " and ".join(f"{name} by up to {by:.2g}" for name, by in changed.items())
        warn(f"loops are open at the beginning: projection changed {by_how_much}", SimulationWarning)
    return closed, u


def _choose_engine(robot: Robot, checked: CheckedRequest, schedule: StepSchedule, compiled: bool | None) -> Engine:
    """Steps from Python, or a kernel with the loop in it: if it is asked for, or pays and no controller is compiled.

    A controller may keep a log, draw random numbers or couple the states of a batch: unless it is asked for, it is
    called, however many steps there are.
    """
    forces, controller = checked.forces, checked.given.controller
    if forces.tau is not None:
        pays = schedule.steps >= KERNEL_FROM_STEPS or schedule.compiled is not None or schedule.project
        pays = pays if compiled is None else compiled
        if pays and schedule.called is None:
            return KernelEngine(robot, forces.tau, forces.rows, schedule)
        return PythonEngine(robot, forces, schedule)
    if controller is not None and compiled:
        return ControlledKernelEngine(robot, controller, checked.state, checked.parameters, schedule)
    return PythonEngine(robot, forces, schedule, isinstance(controller, Law))


def rollout(
    robot: Robot, q: Any, v: Any, tau: Any, dt: Any, method: str, keywords: StepKeywords, project: bool | None = None
) -> tuple[Float, Float]:
    """q (..., T, nq) and v (..., T, nv) after each of T steps; see `Robot.rollout`."""
    q, v, forces, schedule = _prepare_rollout(robot, q, v, tau, dt, method, keywords, project)
    check_start(robot.model, q, v, degrees_alone=True)
    lanes = int(np.prod(q.shape[:-1], dtype=int))
    check_memory(schedule.steps, lanes, robot.nq + 2 * robot.nv, "roll out fewer steps at a time")
    return KernelEngine(robot, forces, True, schedule).advance(0, schedule.steps, q, v, None)[:2]


def rollout_trajectory(robot: Robot, q: Any, v: Any, tau: Any, dt: Any, method: str) -> Trajectory:
    """The motion of a `rollout`, with the initial state and failures."""
    q, v, forces, schedule = _prepare_rollout(robot, q, v, tau, dt, method, StepKeywords(), None)
    check_start(robot.model, q, v)
    check_memory(schedule.rows, 1, robot.nq + 2 * robot.nv + 1, "roll out fewer steps at a time")
    return run_steps(robot, q, v, None, KernelEngine(robot, forces, True, schedule), schedule, None)


def rollout_derivatives(
    robot: Robot, q: Any, v: Any, tau: Any, dt: Any, method: str, keywords: StepKeywords, project: bool | None = None
) -> tuple[Float, Float]:
    """See `Robot.rollout_derivatives`."""
    q, v, forces, schedule = _prepare_rollout(robot, q, v, tau, dt, method, keywords, project)
    lanes = int(np.prod(q.shape[:-1], dtype=int))
    check_memory(schedule.steps, lanes, 2 * robot.nv**2, "take fewer steps at a time")
    if schedule.functions is not None:
        what = "rollout_derivatives takes wrenches that are numbers: their functions are in rollout and simulate"
        raise InputError(f"{what}; derivatives through one are those of a scan of kt.algorithms.step")
    chosen: dict[str, Any] = {"method": method, "project": schedule.project}
    kernel = robot.kernel(derivatives, shapes={"tau": ("t", robot.nv), **schedule.shapes}, **chosen)
    by_state, by_tau = kernel(q, v, forces, schedule.dt, *tree_leaves(list(schedule.settings.values())))
    return by_state, by_tau


def _prepare_rollout(
    robot: Robot, q: Any, v: Any, tau: Any, dt: Any, method: str, keywords: StepKeywords, project: bool | None
) -> tuple[Float, Float, Float, StepSchedule]:
    """The states, the forces of all steps, and the schedule."""
    one_of(STEP_METHODS, method)
    forces, steps = forces_per_step(tau, robot.nv)
    assert forces.tau is not None
    numbers, functions = split_wrenches(robot, keywords.wrench, True)
    step, (settings, by_rows) = positive("dt", dt), keywords._replace(wrench=numbers).of_steps(robot.model, steps)
    q, v = with_batch_axes(*state_of(robot, q, v), forces.batch, settings, by_rows)
    schedule = StepSchedule(
        steps=steps,
        dt=step,
        record=1,
        method=cast(StepMethod, method),
        settings=settings,
        project=_is_projected(robot, project, keywords),
        by_rows=by_rows,
        functions=functions,
    )
    return q, v, forces.tau, schedule
