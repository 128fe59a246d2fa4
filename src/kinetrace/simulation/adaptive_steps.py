"""Simulation in steps of the solver's own choice: SciPy's solvers on the tangent space, with dense output and events.

    θ̇ = dexp_{−θ}⁻¹ v,    v̇ = v̇(q₀ ⊕ θ, v, τ),      q = q₀ ⊕ θ

q₀ moves on when θ has become long, and after every few steps of a closed chain, whose state is then projected. Joint
forces act as the controller says at every moment, not in steps. The rotation of a base that moves is integrated too,
Ṙ = R [ω], and turns gravity.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..algorithms.dynamics.external_inputs import ExternalInputs
from ..algorithms.dynamics.forward_dynamics import forward_dynamics
from ..algorithms.kinematics.displacement import has_coordinates
from ..arrays import Array, stack, tree_leaves
from ..errors import InputError, SimulationWarning, warn
from ..lie import so3
from ..model.model import Model
from ..robot import Robot
from ..robot.types import Float
from ..support.conversion import as_list
from ..support.optional import require_package
from ..support.progress import Progress, progress_context
from .forces import Forces, WrenchFunctions
from .inputs import InputArrays, is_projected
from .limit_checks import SpeedWatch, check_end, left_first
from .metadata import Event, MotionFailure, names_of
from .trajectory import Trajectory

SOLVERS = ("DOP853", "RK45", "RK23", "Radau", "BDF", "LSODA")
MULTISTEP = ("BDF", "LSODA")
"""Multistep methods, which miss tolerances if they are restarted every few steps."""
RTOL, ATOL = 1e-9, 1e-10
"""Default tolerances."""
RECENTRE_FROM_ANGLE, PROJECT_EVERY_STEPS = 1.0, 4
"""θ [rad] of a quaternion, and steps of a closed chain, after which q₀ moves on."""


def rates(
    model: Model,
    q: Array,
    u: Array,
    v: Array,
    tau: Array,
    *,
    external: Mapping[str, Any] | None = None,
) -> tuple[Array, Array]:
    """θ̇ and v̇ (nv,) at q ⊕ u, under external inputs by name."""
    rows = [model.dexp_inv_dual(-u, e) for e in np.eye(model.nv)]
    theta = stack(rows, axis=0) @ v if rows else np.zeros(0)
    return theta, forward_dynamics(model, model.integrate(q, u), v, tau, **(external or {}))


class _NonFiniteForce(Exception):
    """A force that is not finite: when, what it is, and the joint or the frame that it acts on."""

    def __init__(self, t: float, what: str, joint: str | None = None, frame: str | None = None) -> None:
        super().__init__(t, what, joint, frame)
        self.t, self.what, self.joint, self.frame = t, what, joint, frame


class AdaptiveSettings(NamedTuple):
    """Settings of a simulation."""

    times: Float
    """Times of the rows (n,), from 0."""
    method: str
    rtol: float
    atol: float
    inputs: InputArrays
    """External inputs at the beginning."""
    events: Mapping[str, Callable[..., Any]]
    functions: WrenchFunctions | None = None
    """Wrenches that are functions of the time and the state."""


def run_adaptive(
    robot: Robot, q: Float, v: Float, forces: Forces, plan: AdaptiveSettings, progress: Progress | None
) -> Trajectory:
    """The motion from q (nq,) and v (nv,) on."""
    motion, interrupted = _AdaptiveRun(robot, q, v, forces, plan), False
    try:
        with progress_context(progress):
            motion.run(progress)
    except _NonFiniteForce as spoilt:
        of_controller, last = spoilt.joint is not None, len(motion.rows) - 1
        motion.failures.append(MotionFailure(last, spoilt.t, (), spoilt.joint, of_controller, spoilt.frame))
        what = f"{spoilt.what} is not finite at t = {spoilt.t:g} s"
        warn(f"{what}: {plan.method} ends at {motion.t:g} s", SimulationWarning)
    except KeyboardInterrupt:
        interrupted = True
        warn(f"interrupted at t = {motion.t:g} s of {plan.times[-1]:g}", SimulationWarning)
    rows, times = [np.array(x) for x in zip(*motion.rows, strict=True)], np.array(motion.times)
    SpeedWatch(robot.model).look(times, rows[1])
    found = Trajectory(
        times,
        rows[0],
        rows[1],
        rows[2],
        float(plan.times[1]),
        names_of(robot.model),
        robot.name,
        plan.method,
        robot=robot,
        interrupted=interrupted,
        events=tuple(motion.events),
        failures=tuple(motion.failures),
    )
    check_end(found)
    return found


class _AdaptiveRun:
    """State of a running solver."""

    def __init__(self, robot: Robot, q: Float, v: Float, forces: Forces, plan: AdaptiveSettings) -> None:
        self.robot, self.forces, self.plan, self.t = robot, forces, plan, 0.0
        self.solvers = require_package("scipy.integrate", f"method {plan.method!r}")
        self.optimise = require_package("scipy.optimize", "events")
        self.given = ExternalInputs(**plan.inputs.arrays)
        inputs = self._inputs_at(0.0, q, v)
        gravity, shapes = ("gravity",) if self.given.moves_base else (), inputs.shapes
        self.kernel = robot.kernel(rates, inputs=gravity, shapes={"external": shapes} if shapes else {})
        self.rows: list[tuple[Float, Float, Float]] = [(q, v, forces.of(0, 0.0, q, v, None)[0])]
        self.times: list[float] = [0.0]
        self.events: list[Event] = []
        self.failures: list[MotionFailure] = []
        self.base, self.turned, self.rotation = q, not has_coordinates(robot.model), np.eye(3)
        self.projected = is_projected(robot.model, None, self.given)
        self.solver: Any = None

    def _inputs_at(self, t: float, q: Float, v: Float) -> InputArrays:
        """The external inputs at a time, with the wrenches that are functions at this state."""
        plan, now = self.plan, self.given.with_base_at(t)._asdict()
        inputs = plan.inputs._replace(arrays={name: now[name] for name in plan.inputs.arrays})
        return inputs if plan.functions is None else inputs.with_wrenches(plan.functions.of(t, q, v))

    def _solver(self, t: float, v: Float, first: float | None) -> Any:
        rotation = [self.rotation.ravel()] if self.given.moves_base else []
        plan, y = self.plan, np.concatenate([np.zeros(self.robot.nv), v, *rotation])
        tolerances = {"rtol": plan.rtol, "atol": plan.atol, "first_step": first}
        return getattr(self.solvers, plan.method)(self._rate, t, y, float(plan.times[-1]), **tolerances)

    def state(self, y: Float) -> tuple[Float, Float]:
        """q and v."""
        n = self.robot.nv
        return np.asarray(self.robot.integrate(self.base, y[:n])), np.array(y[n : 2 * n])

    def _rate(self, t: float, y: Float) -> Float:
        n = self.robot.nv
        q, v = self.state(y)
        tau = self.forces.of(len(self.rows) - 1, t, q, v, None)[0]
        if not np.isfinite(tau).all():
            joint = names_of(self.robot.model).v[int(np.argmin(np.isfinite(tau)))]
            raise _NonFiniteForce(float(t), f"the controller's force on joint {joint!r}", joint)
        state = self.base, y[:n], y[n : 2 * n], tau
        external = self._inputs_at(t, q, v).arrays
        for frame, F in external.get("wrench", {}).items():
            if not np.isfinite(F).all():
                raise _NonFiniteForce(float(t), f"the wrench on frame {frame!r}", frame=frame)
        if not self.given.moves_base:
            return np.concatenate(self.kernel(*state, *tree_leaves(external)))
        R, omega = y[2 * n :].reshape(3, 3), external["base_velocity"][:3]
        found = self.kernel(*state, *tree_leaves(external), self.robot.model.gravity @ R)
        return np.concatenate([*found, (R @ so3.hat(omega)).ravel()])

    def run(self, progress: Progress | None) -> None:
        """Integrate to the end, or to a terminal event."""
        steps, plan = 0, self.plan
        self.solver = self._solver(0.0, self.rows[0][1], None)
        values = self._values()
        while self.solver.status == "running":
            message = self.solver.step()
            if self.solver.status == "failed":
                self._give_up(str(message))
                break
            dense, before = self.solver.dense_output(), self.t
            end = self._record_events(dense, before, values)
            self._record(dense, self.solver.t if end is None else end)
            self.t = self.solver.t if end is None else end
            if end is not None:
                self._end(self.events[-1])
                break
            steps += 1
            if self._move_on(steps):
                values = self._values()
            if progress is not None:
                progress(len(self.rows) - 1, len(plan.times) - 1)

    def _give_up(self, message: str) -> None:
        """Record where the solver failed, and warn."""
        first, left = left_first(self.robot.model, np.array([v for _, v, _ in self.rows]))
        joint = names_of(self.robot.model).v[first or 0]
        self.failures.append(MotionFailure(len(self.rows) - 1, float(self.t), (), joint))
        told = f"{self.plan.method} gave up at t = {self.t:g} s: {message}"
        warn(f"{told} Joint {joint!r} {'left first' if left else 'is the fastest at the last row'}", SimulationWarning)

    def _record(self, dense: Any, until: float) -> None:
        """Record the rows of the last step."""
        times = self.plan.times
        while len(self.rows) < len(times) and times[len(self.rows)] <= until:
            t = float(times[len(self.rows)])
            q, v = self.state(dense(t))
            q, v = self.robot.project(q, v)
            self.rows.append((q, v, self.forces.of(len(self.rows), t, q, v, None)[0]))
            self.times.append(t)

    def _end(self, event: Event) -> None:
        """Record the state of a terminal event as the last row, in the place of one at the same time."""
        if len(self.rows) > 1 and event.t - self.times[-1] < 1e-12 * max(1.0, event.t):
            self.rows.pop(), self.times.pop()
        self.times.append(event.t)
        self.rows.append((event.q, event.v, self.forces.of(len(self.rows), event.t, event.q, event.v, None)[0]))

    def _move_on(self, steps: int) -> bool:
        """Move q₀ if θ is long or loops may have opened; whether it was moved."""
        closed, y = self.projected, self.solver.y
        long = self.turned and np.abs(y[: self.robot.nv]).max(initial=0.0) > RECENTRE_FROM_ANGLE
        if self.solver.status != "running" or not (long or (closed and steps % PROJECT_EVERY_STEPS == 0)):
            return False
        q, v = self.state(y)
        q, v = self.robot.project(q, v) if closed else (self.robot.normalise(q), v)
        self.base, last = q, self.solver
        if self.given.moves_base:
            self.rotation = np.asarray(so3.exp(so3.log(y[-9:].reshape(3, 3))))  # of unit length again
        left = float(self.plan.times[-1]) - last.t
        self.solver = self._solver(last.t, v, min(getattr(last, "h_abs", last.step_size), left))
        return True

    def _values(self) -> dict[str, float]:
        """All events at the state that the solver has reached."""
        return {name: self._value(event, self.solver.t, self.solver.y) for name, event in self.plan.events.items()}

    def _value(self, event: Callable[..., Any], t: float, y: Float) -> float:
        found = np.asarray(event(t, *self.state(y)))
        if found.shape != () or found.dtype.kind not in "iuf":
            got = f"shape {found.shape}" if found.shape != () else f"{found.dtype}, which passes no zero"
            raise InputError(f"an event must return one number, got {got}")
        if not np.isfinite(found):
            raise InputError(f"an event must return a finite number; at t = {t:g} s it returned {found}")
        return float(found)

    def _record_events(self, dense: Any, before: float, values: dict[str, float]) -> float | None:
        """Record the zeros in the last step; the time of the first terminal one."""
        found: list[tuple[float, str]] = []
        for name, event in self.plan.events.items():
            old, new = values[name], self._value(event, self.solver.t, self.solver.y)
            values[name] = new
            direction = getattr(event, "direction", 0)
            if old * new > 0 or new == old or old == 0 or direction * (new - old) < 0:
                continue
            t = self.optimise.brentq(lambda t, g=event: self._value(g, t, dense(t)), before, self.solver.t, xtol=1e-14)
            found.append((float(t), name))
        for t, name in sorted(found):
            self.events.append(Event(name, t, *self.state(dense(t))))
            passed = sum(event.name == name for event in self.events)
            if passed == int(getattr(self.plan.events[name], "terminal", 0)):
                return t
        return None


def checked_events(events: Any) -> dict[str, Callable[..., Any]]:
    """Events by name: a function, a list of them, or a mapping from names."""
    if events is None:
        return {}
    if callable(events):
        events = [events]
    if not isinstance(events, Mapping):
        wanted = "a function of (t, q, v), a list of such, or a mapping from names to such"
        events = _events_by_name(as_list("events", events, wanted))
    for name, event in events.items():
        if not callable(event):
            raise InputError(f"event {name!r} must be a function of (t, q, v), got {type(event).__name__}")
        ends = getattr(event, "terminal", 0)
        if not isinstance(ends, bool | int | np.bool | np.integer) or ends < 0:
            raise InputError(f"terminal of event {name!r} must be True, False or a number of zeros, got {ends!r}")
    return dict(events)


def _events_by_name(events: Iterable[Any]) -> dict[str, Any]:
    """Events by the names of their functions, which are numbered from the second of a name on."""
    found: dict[str, Any] = {}
    for event in events:
        name = getattr(event, "__name__", "event")
        same = (f"{name} {k}" for k in itertools.count(2))
        found[name if name not in found else next(x for x in same if x not in found)] = event
    return found


def tolerance(name: str, x: Any) -> float:
    """A tolerance above zero."""
    if not (isinstance(x, int | float | np.number) and math.isfinite(x) and x > 0):
        raise InputError(f"{name} must be positive, got {x!r}")
    return float(x)
