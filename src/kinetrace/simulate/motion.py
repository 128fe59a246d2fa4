"""`simulate` and `rollout`: from arguments to a motion."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast, get_args

import numpy as np

from ..algorithms.choices import StepMethod
from ..algorithms.rollout_derivatives import rollout_derivatives as derivatives
from ..arrays import tree_leaves
from ..errors import InputError, SimulationWarning, warn
from ..robot import Robot
from ..robot.types import Float
from ..support.plain import plain_count
from .adaptive import ATOL, MULTISTEP, RTOL, SOLVERS, Adaptive, checked_events, integrated, tolerance
from .around import Around, batches
from .bounds import check_start
from .control import Controller, Forces, Law, constant, controlled, law_lanes, per_step, sampling_period
from .engines import Controlled, Engine, Plan, Rolled, Stepwise
from .inputs import broadcast, check_memory, one_of, owned, positive, state_of, steps_of
from .loop import simulated
from .progress import Progress, shown
from .stability import GROWTH, WRENCHES, Start, look_back, stiffest, warn_of
from .trajectory import Trajectory
from .wrenches import apart

STEPS = get_args(StepMethod)
DEFAULT = "rkmk4"
"""The method unless one is given, or a controller needs another."""
CHANGED, CHANGED_SINGLE = 1e-6, 1e-3
"""Changes of the first state by projection that cause a warning, in float64 and float32."""
LONG = 2_000
"""Number of steps from which a simulation under known joint forces compiles a kernel."""
_KEEP_FEWER = "record=k (of the command, --record k) keeps every k-th row only"


def simulate(
    robot: Robot,
    q: Any,
    v: Any,
    t: Any,
    dt: Any,
    *,
    tau: Any,
    controller: Controller | None,
    state: Any,
    parameters: Mapping[str, Any] | None,
    base_velocity: Any,
    base_acceleration: Any,
    wrench: Any,
    drive: Mapping[str, Any] | None,
    method: str | None,
    record: int,
    project: bool | None,
    stabilisation: Any,
    events: Any,
    rtol: float | None,
    atol: float | None,
    traced: bool | None,
    progress: Progress | bool | None,
) -> Trajectory:
    """See `Robot.simulate`."""
    one_of((*STEPS, *SOLVERS), DEFAULT if method is None else method)
    if not (traced is None or (isinstance(traced, int | np.bool) and traced in (False, True))):
        raise InputError(f"traced must be True, False or None, got {traced!r}")
    if controller is not None and tau is not None:
        raise InputError("give tau or a controller, not both")
    if callable(tau):
        raise InputError("tau must be numbers, got a function: one of (t, q, v) that returns forces is controller=")
    if controller is None and (state is not None or parameters):
        raise InputError("state and parameters are a controller's: give one")
    lanes_of_law: tuple[int, ...] = ()
    if isinstance(controller, Law):
        state = controller.initial_state if state is None else state
        parameters = {**controller.parameters, **(parameters or {})}
        lanes_of_law = law_lanes(controller, state, parameters)
    q, v = state_of(robot, q, v)
    check_start(robot.model, q, v)
    state, parameters = owned(state), owned(dict(parameters or {}))  # a controller may change what it is given
    forces = (
        constant(tau, robot.nv)
        if controller is None
        else controlled(controller, state is not None, parameters, robot.nv)
    )
    steps, step = steps_of(t, dt)
    if float(dt) > (1 + 1e-9) * float(t):
        told = f"dt = {float(dt):g} s is longer than the motion, t = {float(t):g} s"
        warn(f"{told}: it is one step of {step:g} s", SimulationWarning)
    numbers, functions = apart(robot, wrench, traced)
    if q.ndim == 1 and any(n > 1 for n in forces.batch):
        told = f"tau {(*forces.batch, robot.nv)} next to one state is {int(np.prod(forces.batch))} motions"
        meant = "if they are meant, give q with their axes"
        warn(f"{told}, not a row for each step: that is rollout; {meant}", SimulationWarning)
    every, around = (
        plain_count("record", record, 1),
        Around(base_velocity, base_acceleration, numbers, drive, stabilisation),
    )
    settings = around.settings(robot.model)
    q, v = _together(q, v, forces._replace(batch=lanes_of_law) if lanes_of_law else forces, settings)
    if method in SOLVERS:
        if state is not None or stabilisation is not None:
            raise InputError(f"method {method!r} takes no state of a controller, and projects instead of stabilisation")
        if drive is not None:
            raise InputError(f"method {method!r} takes no drive: {', '.join(STEPS)} do")
        if traced:
            raise InputError(f"method {method!r} is called from Python: traced=True goes with {', '.join(STEPS)}")
        if robot.model.closures:
            if project is False:
                raise InputError(f"method {method!r} projects closed loops: project=False goes with {', '.join(STEPS)}")
            if method in MULTISTEP:
                why = "needs its last steps, and projections of closed loops begin anew"
                raise InputError(f"method {method!r} {why}: take Radau or DOP853")
            q, v = _closed(robot, q, v, None)
        rtol, atol = (
            tolerance("rtol", RTOL if rtol is None else rtol),
            tolerance("atol", ATOL if atol is None else atol),
        )
        times = step * np.unique([*range(0, steps, every), steps])
        plan = Adaptive(times, method, rtol, atol, settings, checked_events(events), functions)
        return _adaptive(robot, q, v, forces, plan, shown(progress))
    if rtol is not None or atol is not None:
        raise InputError(f"rtol and atol are for the adaptive methods {', '.join(SOLVERS)}; method is {method!r}")
    if events is not None:
        told = f"events are found by the adaptive methods {', '.join(SOLVERS)}"
        raise InputError(f'{told}; method is {method or DEFAULT!r}: give method="DOP853"')
    projected = bool(robot.model.closures) and (stabilisation is None if project is None else bool(project))
    if projected:
        q, v = _closed(robot, q, v, settings.get("drive"))
    called = functions is not None and not functions.in_loop
    if isinstance(controller, Law) and traced is None:
        traced = not called
    begun = Start(q, v, controller, state, parameters, bool(traced), functions)
    chosen, warned = _chosen(robot, begun, step, method)
    if functions is not None and called:
        now = {**settings, "wrench": {**settings.get("wrench", {}), **functions.of(0.0, q, v)}}
        settings = {name: now[name] for name in Around._fields if name in now}
    fixed = Plan(steps, step, every, cast(StepMethod, chosen), settings, projected, functions=functions)
    lanes = int(np.prod(q.shape[:-1], dtype=int))
    check_memory(fixed.rows, lanes, robot.nq + 2 * robot.nv + 1, _KEEP_FEWER)
    engine = _engine(robot, forces, controller, state, parameters, fixed, traced)
    motion = simulated(robot, q, v, state, engine, fixed, shown(progress))
    if functions is not None and not warned:
        look_back(robot, motion, functions, fixed.method)
    return motion


def _chosen(robot: Robot, begun: Start, dt: float, method: str | None) -> tuple[str, bool]:
    """The method that is given, or one that can follow the forces; whether there was a warning that it cannot."""
    name = DEFAULT if method is None else method
    found = stiffest(robot, begun, dt, name)
    if found is not None and method is None and begun.continues(found.cause):
        return "implicit", False
    too_long = found is not None and found.growth > GROWTH
    if found is not None and too_long:
        warn_of(found, name, bool(sampling_period(begun.controller)), begun.continues(WRENCHES))
    return name, too_long


def _closed(robot: Robot, q: Float, v: Float, drive: Any) -> tuple[Float, Float]:
    """The nearest state with all loops closed, with a warning if it differs."""
    closed, u = robot.project(q, v, drive=drive)
    most = CHANGED if np.asarray(closed).dtype == np.float64 else CHANGED_SINGLE
    moved = {"q": (robot.difference(q, closed), 1.0), "v": (v - u, max(1.0, np.abs(v).max(initial=0.0)))}
    changed = {name: by for name, (x, size) in moved.items() if (by := np.abs(x).max(initial=0.0)) > most * size}
    if changed:
        told = " and ".join(f"{name} by up to {by:.2g}" for name, by in changed.items())
        warn(f"loops are open at the beginning: projection changed {told}", SimulationWarning)
    return closed, u


def _engine(
    robot: Robot,
    forces: Forces,
    controller: Controller | None,
    state: Any,
    parameters: Mapping[str, Any],
    plan: Plan,
    traced: bool | None,
) -> Engine:
    """Steps from Python, or a kernel with the loop in it: if it is asked for, or pays and no controller is compiled.

    A controller may keep a log, draw random numbers or couple the states of a batch: unless it is asked for, it is
    called, however many steps there are.
    """
    if forces.tau is not None and plan.project:
        if traced and plan.compiled is None:
            raise InputError("loops are projected from Python: give stabilisation, or project=False, with traced=True")
        return Stepwise(robot, forces, plan)
    if forces.tau is not None:
        pays = plan.steps >= LONG or plan.compiled is not None if traced is None else traced
        pays = pays and plan.called is None
        return Rolled(robot, forces.tau, forces.rows, plan) if pays else Stepwise(robot, forces, plan)
    if controller is not None and traced:
        return Controlled(robot, controller, state, parameters, plan)
    return Stepwise(robot, forces, plan, isinstance(controller, Law))


def rollout(robot: Robot, q: Any, v: Any, tau: Any, dt: Any, method: str, around: Around) -> tuple[Float, Float]:
    """q (..., T, nq) and v (..., T, nv) after each of T steps; see `Robot.rollout`."""
    q, v, forces, plan = _prepared(robot, q, v, tau, dt, method, around)
    check_start(robot.model, q, v, degrees_alone=True)
    lanes = int(np.prod(q.shape[:-1], dtype=int))
    check_memory(plan.steps, lanes, robot.nq + 2 * robot.nv, "roll out fewer steps at a time")
    return Rolled(robot, forces, True, plan).advance(0, plan.steps, q, v, None)[:2]


def rolled_out(robot: Robot, q: Any, v: Any, tau: Any, dt: Any, method: str) -> Trajectory:
    """The motion of a `rollout`, with the initial state and failures."""
    q, v, forces, plan = _prepared(robot, q, v, tau, dt, method, Around())
    check_start(robot.model, q, v)
    check_memory(plan.rows, 1, robot.nq + 2 * robot.nv + 1, "roll out fewer steps at a time")
    return simulated(robot, q, v, None, Rolled(robot, forces, True, plan), plan, None)


def rollout_derivatives(
    robot: Robot, q: Any, v: Any, tau: Any, dt: Any, method: str, around: Around
) -> tuple[Float, Float]:
    """See `Robot.rollout_derivatives`."""
    q, v, forces, plan = _prepared(robot, q, v, tau, dt, method, around)
    lanes = int(np.prod(q.shape[:-1], dtype=int))
    check_memory(plan.steps, lanes, 2 * robot.nv**2, "take fewer steps at a time")
    if plan.functions is not None:
        told = "rollout_derivatives takes wrenches that are numbers: their functions are in rollout and simulate"
        raise InputError(f"{told}; derivatives through one are those of a scan of kt.algorithms.step")
    kernel = robot.kernel(derivatives, shapes={"tau": ("t", robot.nv), **plan.shapes}, method=method)
    by_state, by_tau = kernel(q, v, forces, plan.dt, *tree_leaves(list(plan.settings.values())))
    return by_state, by_tau


def _prepared(
    robot: Robot, q: Any, v: Any, tau: Any, dt: Any, method: str, around: Around
) -> tuple[Float, Float, Float, Plan]:
    """The states, the forces of all steps, and the settings."""
    one_of(STEPS, method)
    forces, steps = per_step(tau, robot.nv)
    assert forces.tau is not None
    numbers, functions = apart(robot, around.wrench, True)
    step, (settings, by_rows) = positive("dt", dt), around._replace(wrench=numbers).of_steps(robot.model, steps)
    q, v = _together(*state_of(robot, q, v), forces, settings, by_rows)
    return q, v, forces.tau, Plan(steps, step, 1, cast(StepMethod, method), settings, False, by_rows, functions)


def _together(
    q: Float, v: Float, forces: Forces, settings: dict[str, Any], by_rows: frozenset[str] = frozenset()
) -> tuple[Float, Float]:
    """The state with the batch axes of all that acts on it."""
    shapes = {"q, v": q.shape[:-1], "tau": forces.batch, **batches(settings, by_rows)}
    batch = broadcast(shapes)
    return np.array(np.broadcast_to(q, (*batch, q.shape[-1]))), np.array(np.broadcast_to(v, (*batch, v.shape[-1])))


def _adaptive(
    robot: Robot, q: Float, v: Float, forces: Forces, plan: Adaptive, progress: Callable[[int, int], object] | None
) -> Trajectory:
    if q.ndim > 1:
        raise InputError(f"method {plan.method!r} chooses steps for one state, got a batch {q.shape[:-1]}")
    check_memory(len(plan.times), 1, robot.nq + 2 * robot.nv + 1, _KEEP_FEWER)
    return integrated(robot, q, v, forces, plan, progress)
