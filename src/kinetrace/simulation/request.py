"""Arguments of `Robot.simulate`: as they are given, and checked before anything is computed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, get_args

import numpy as np

from ..algorithms.constraints.joint_rows import has_solved_effects
from ..algorithms.dynamics.external_inputs import ExternalInputs
from ..algorithms.registry.choices import StepMethod
from ..algorithms.time.methods import DEFAULT_METHOD, check_joint_laws
from ..errors import InputError, SimulationWarning, shorten, unknown_name_error, warn
from ..model.actuation.methods import no_actuators
from ..model.model import Model
from ..robot import Robot
from ..robot.common import state_of
from ..robot.types import Float
from ..support.conversion import as_count, as_flag_or_none, broadcast, copy_arrays, steps_of
from ..support.progress import Progress
from .actuation.law import (
    ActuatorLaw,
    actuator_law_forces,
    checked_controls,
    checked_state,
    may_be_compiled,
)
from .adaptive_steps import MULTISTEP, SOLVERS
from .forces import (
    Controller,
    Forces,
    Law,
    WrenchFunctions,
    constant_forces,
    controller_forces,
    function_of_state,
    law_batch,
    split_wrenches,
)
from .inputs import InputArrays, checked_inputs, is_projected
from .limit_checks import check_start

STEP_METHODS = get_args(StepMethod)


class SimulationRequest(NamedTuple):
    """Arguments of `Robot.simulate`, as they are given."""

    q: Any
    v: Any
    t: Any
    dt: Any
    tau: Any = None
    controller: Controller | None = None
    control: Any = None
    """Controls of the actuators: numbers, rows, or a function."""
    state: Any = None
    parameters: Mapping[str, Any] | None = None
    inputs: ExternalInputs = ExternalInputs()
    """Wrenches may be functions."""
    method: str | None = None
    record: int = 1
    project: bool | None = None
    events: Any = None
    rtol: float | None = None
    atol: float | None = None
    compiled: bool | None = None
    progress: Progress | bool | None = None
    first: int = 0
    """Number of steps before the first one."""


class CheckedRequest(NamedTuple):
    """A request with checked arguments: what holds for equal and for adaptive steps."""

    given: SimulationRequest
    q: Float
    """Configurations (..., nq) at the beginning, with the batch axes of all that acts."""
    v: Float
    steps: int
    dt: float
    """Length of each step [s], at most the one that is given."""
    record: int
    forces: Forces
    state: Any
    """The controller's state at the beginning, a copy."""
    parameters: Mapping[str, Any]
    """Further keywords of the controller, copies."""
    inputs: InputArrays
    """External inputs that are arrays."""
    functions: WrenchFunctions | None
    """Wrenches that are functions."""
    control: Float | None = None
    """Constant controls (..., nu) of actuators."""
    rows: Mapping[str, Float] = {}
    """Parameters of the controller that have a row (..., T, n) for each step, by name."""

    @property
    def lanes(self) -> int:
        """Number of motions."""
        return int(np.prod(self.q.shape[:-1], dtype=int))


def checked_request(robot: Robot, given: SimulationRequest) -> CheckedRequest:
    """The request with checked arguments; errors and warnings name what is wrong."""
    _check_combinations(given)
    check_joint_laws(robot.model, given.method)
    compiled, rows = given.compiled, dict[str, Float]()
    if given.control is not None:
        given, rows = _under_controls(robot, given)
    state, parameters, lanes = _controller_arguments(given)
    q, v = state_of(robot, given.q, given.v)
    check_start(robot.model, q, v)
    state, parameters = copy_arrays(state), copy_arrays(parameters)  # a controller may change what it is given
    if isinstance(given.controller, ActuatorLaw):
        forces = actuator_law_forces(given.controller, parameters, rows.get("control"), given.first)
    elif given.controller is not None:
        forces = controller_forces(given.controller, state is not None, parameters, robot.nv)
    else:
        forces = constant_forces(given.tau, robot.nv)
    steps, dt = steps_of(given.t, given.dt)
    numbers, functions = split_wrenches(robot, given.inputs.wrench, compiled)
    _warn_of_sizes(robot, given, q, forces, dt)
    record = as_count("record", given.record, 1)
    inputs = checked_inputs(robot.model, given.inputs._replace(wrench=numbers))
    q, v = with_batch_axes(q, v, lanes or forces.batch, inputs)
    return CheckedRequest(
        given=given,
        q=q,
        v=v,
        steps=steps,
        dt=dt,
        record=record,
        forces=forces,
        state=state,
        parameters=parameters,
        inputs=inputs,
        functions=functions,
        control=None if rows or given.control is None else parameters.get("control"),
        rows=rows,
    )


def _under_controls(robot: Robot, given: SimulationRequest) -> tuple[SimulationRequest, dict[str, Float]]:
    """The request with the actuators as its controller, and controls that have a row for each step."""
    if not robot.model.actuators:
        raise no_actuators(robot.model)
    (q, _), (steps, dt) = state_of(robot, given.q, given.v), steps_of(given.t, given.dt)
    function = function_of_state("control", given.control) if callable(given.control) else None
    law, parameters, rows = ActuatorLaw(robot, dt, function), dict[str, Any](), dict[str, Float]()
    if function is None:
        size = len(robot.model.actuators)
        parameters["control"], found = checked_controls(given.control, size, q.ndim - 1, steps)
        rows = {} if found is None else {"control": found}
    state, compiled = checked_state(law, given.state), may_be_compiled(law, given.compiled)
    return given._replace(controller=law, state=state, parameters=parameters, compiled=compiled), rows


def _check_combinations(given: SimulationRequest) -> None:
    """An error if the method or a flag is unknown, or if forces are given twice."""
    one_of((*STEP_METHODS, *SOLVERS), DEFAULT_METHOD if given.method is None else given.method)
    as_flag_or_none("compiled", given.compiled)
    as_flag_or_none("project", given.project)
    if given.controller is not None and given.tau is not None:
        raise InputError("give tau or a controller, not both")
    if given.control is not None and (given.tau is not None or given.controller is not None):
        raise InputError("give control=, of the actuators, or tau or a controller, of the joints; not both")
    if given.control is not None and given.parameters:
        raise InputError("parameters are a controller's: control= has none")
    if callable(given.tau):
        raise InputError("tau must be numbers, got a function: one of (t, q, v) that returns forces is controller=")
    if given.controller is given.control is None and (given.state is not None or given.parameters):
        raise InputError("state and parameters are a controller's: give one")


def _controller_arguments(given: SimulationRequest) -> tuple[Any, dict[str, Any], tuple[int, ...]]:
    """The controller's state and parameters, those that it has itself unless given, and their batch axes."""
    law, parameters = given.controller, dict(given.parameters or {})
    if not isinstance(law, Law):
        return given.state, parameters, ()
    state, parameters = law.initial_state if given.state is None else given.state, {**law.parameters, **parameters}
    return state, parameters, law_batch(law, state, parameters)


def _warn_of_sizes(robot: Robot, given: SimulationRequest, q: Float, forces: Forces, step: float) -> None:
    """Warnings about a step longer than the motion, and about rows of forces that become motions."""
    if float(given.dt) > (1 + 1e-9) * float(given.t):
        what = f"dt = {float(given.dt):g} s is longer than the motion, t = {float(given.t):g} s"
        warn(f"{what}: it is one step of {step:g} s", SimulationWarning)
    if q.ndim == 1 and any(n > 1 for n in forces.batch):
        what = f"tau {(*forces.batch, robot.nv)} next to one state is {int(np.prod(forces.batch))} motions"
        meant = "if they are meant, give q with their axes"
        warn(f"{what}, not a row for each step: that is rollout; {meant}", SimulationWarning)


def with_batch_axes(
    q: Float,
    v: Float,
    batch_of_forces: tuple[int, ...],
    inputs: InputArrays,
) -> tuple[Float, Float]:
    """The state with the batch axes of all that acts on it."""
    shapes = {"q, v": q.shape[:-1], "tau": batch_of_forces, **inputs.batches}
    batch = broadcast(shapes)
    return np.array(np.broadcast_to(q, (*batch, q.shape[-1]))), np.array(np.broadcast_to(v, (*batch, v.shape[-1])))


def _check_projection(method: Any, project: Any, others: str) -> None:
    """An error if a method that chooses its steps cannot project as asked."""
    if project is False:
        raise InputError(f"method {method!r} projects closed loops: project=False goes with {others}")
    if method in MULTISTEP:
        why = "needs its last steps, and projections of closed loops begin anew"
        raise InputError(f"method {method!r} {why}: take Radau or DOP853")


def check_adaptive(robot: Robot, checked: CheckedRequest) -> None:
    """An error if arguments do not go with a method that chooses its steps."""
    given, method, others = checked.given, checked.given.method, ", ".join(STEP_METHODS)
    if given.control is not None and (checked.rows or checked.state is not None):
        what = "rows of controls" if checked.rows else "actuators with activations or delays"
        raise InputError(f"method {method!r} chooses its steps, and takes no {what}: {others} do")
    if checked.state is not None or given.inputs.stabilisation is not None:
        raise InputError(f"method {method!r} takes no state of a controller, and projects instead of stabilisation")
    if given.inputs.drive is not None:
        raise InputError(f"method {method!r} takes no drive: {others} do")
    if given.compiled:
        raise InputError(f"method {method!r} is called from Python: compiled=True goes with {others}")
    if is_projected(robot.model, None, given.inputs):
        _check_projection(method, given.project, others)
    if checked.q.ndim > 1:
        raise InputError(f"method {method!r} chooses steps for one state, got a batch {checked.q.shape[:-1]}")


def check_equal_steps(model: Model, given: SimulationRequest) -> None:
    """An error if arguments are for adaptive methods."""
    adaptive = ", ".join(SOLVERS)
    if given.rtol is not None or given.atol is not None:
        raise InputError(f"rtol and atol are for the adaptive methods {adaptive}; method is {given.method!r}")
    if given.events is not None:
        what = f"events are found by the adaptive methods {adaptive}"
        if model.contacts is not None:
            rows = "simulate without, and look at rows, as motion.contacts.touches(name)"
            raise InputError(f"{what}, which cannot step in a world, where contacts are solved for: {rows}")
        if has_solved_effects(model):
            smooth = 'with_joint_effects(friction_law="smooth", stop_law="soft") takes laws with which they can'
            raise InputError(f"{what}, which cannot step with dry friction or hard stops: look at rows, or {smooth}")
        raise InputError(f'{what}; method is {given.method or DEFAULT_METHOD!r}: give method="DOP853"')


def one_of(valid: tuple[str, ...], method: Any) -> None:
    """An error unless a method is one of these; names that differ in upper and lower case come first."""
    if isinstance(method, str) and method in valid:
        return
    same = [x for x in valid if x.lower() == shorten(method).lower()]
    if same:
        told = f"unknown method {method!r}; did you mean {same[0]!r}?"
        raise InputError(f"{told} Valid: {', '.join(sorted(valid))}")
    raise unknown_name_error("method", method, valid)
