"""Whether the steps of a simulation are short enough for stiff laws, springs and dampers: found before it begins.

About a state, joint forces act as springs K = −∂τ/∂q and dampers D = −∂τ/∂v, those of a controller held over each step,
those of the joints within it. One step of the time h is then linear,

    M δv̇ = −(D δv + K δq)_held − (D δv + K δq)_joints,      (δq, δv)⁺ = A_h (δq, δv)

Wrenches that are functions of the state are such forces too, Σ Jᵀ F: as those of the joints if they are compiled, and
if they are called from Python held as they are in the middle of the step. In closed chains it is with GᵀMG, GᵀDG and
GᵀKG, v = G y. Steps are too long if an eigenvalue of A_h is larger than those of the true motion, exp(h λ), and than 1,
by more than a hundredth: what is small now is large after a thousand steps. For dampers alone whose forces are held,
that is where the largest eigenvalue of M⁻¹(D + h K) h, which messages give, passes 2. Derivatives of laws are
differences: two digits are enough here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..algorithms.constraints.joint_rows import without_solved_effects
from ..algorithms.time.methods import METHODS
from ..arrays import Array, tree_map
from ..errors import SimulationWarning, warn
from ..model.checks import is_present
from ..model.model import Model
from ..robot import Robot
from ..robot.common import velocity_map_of
from ..robot.types import Float
from ..support.conversion import copy_arrays
from ..support.functions import only_computes
from .forces import Controller, Law, WrenchFunctions, sampling_period
from .linear_steps import GROWTH_LIMIT, LinearStep, Reaction, Reactions
from .metadata import names_of
from .trajectory import Trajectory

STEP_MARGIN = 2.0
"""`implicit` is taken, unless a method is given, if steps longer by this factor were too long: inertias change."""
JOINTS, CONTROLLER, WRENCHES = "springs and dampers", "the controller", "the wrenches"
"""Whose forces make steps too long."""
IMPLICIT = ("variational", "rosenbrock", "implicit")
"""Methods that follow stiff forces within a step."""
DIVERGED_FROM = 1e6
"""Numbers of which DIFFERENCE_STEP is lost in rounding: of motions that have diverged."""
EXAMINED_ROWS = 256
"""Number of rows of a motion in which wrenches are looked for."""
EXAMINED_LANES = 8
"""Number of states of a batch that are looked at, evenly spread."""
CALLED_UP_TO_STATES = 4096
"""Number of states above which a function that is called is not asked."""
DIFFERENCE_STEP = 1e-6
"""Change of q and v for differences [rad, m, rad/s, m/s]."""


class Stiffness(NamedTuple):
    """Forces that make steps too long at the beginning of a simulation."""

    growth: float
    """Of the fastest motion in one step, beyond that of the true one."""
    eigenvalue: float
    """The largest of M⁻¹(D + h K) h."""
    velocity: str
    """The name of the velocity against which the force is largest in that motion."""
    cause: str
    """Whose forces: "springs and dampers" of the joints, "the controller" or "the wrenches"."""
    held: float
    """The time h that these forces are held for [s], or that of a step."""
    longest: float
    """The longest time that would do [s]."""


class ActingForces(NamedTuple):
    """The first states q (..., nq) and v (..., nv) of a simulation, and its controller."""

    q: Float
    v: Float
    controller: Controller | None
    state: Any
    parameters: Mapping[str, Any]
    compiled: bool
    """Whether the controller is compiled into the loop."""
    functions: WrenchFunctions | None = None
    """Wrenches that are functions."""
    t: Float | float = 0.0
    """The time, or that of each state."""

    def continues(self, cause: str) -> bool:
        """Whether `implicit` continues the forces of a controller, or of wrenches, within a step."""
        if cause == WRENCHES:
            return self.functions is not None and self.functions.in_loop
        return cause == CONTROLLER and self.compiled and sampling_period(self.controller) is None

    @property
    def lanes(self) -> npt.NDArray[np.intp]:
        """Numbers of EXAMINED_LANES states of the batch, evenly spread, and of those with the largest parameters."""
        count, own = math.prod(self.q.shape[:-1]), getattr(self.controller, "parameters", {})
        chosen = [*np.linspace(0, count - 1, EXAMINED_LANES).astype(np.intp)]
        for name, x in self.parameters.items():
            if name in own and np.ndim(x) > np.ndim(own[name]):
                chosen.append(np.argmax(np.abs(self._rows(x, np.ndim(own[name])).reshape(count, -1)).max(axis=1)))
        return np.unique(np.array(chosen, dtype=np.intp))

    def examined_rows(self, x: Any, axes: int) -> Float:
        """The rows (k, ...) of these states of an array with that many axes for one state, or none for all."""
        return self._rows(x, axes)[self.lanes]

    def _rows(self, x: Any, axes: int) -> Float:
        """The rows of all states."""
        x, batch = np.asarray(x, dtype=float), self.q.shape[:-1]
        own = x.shape[x.ndim - axes :]
        return np.broadcast_to(x, (*batch, *own)).reshape(-1, *own)


def find_stiffness(robot: Robot, at: ActingForces, dt: float, method: str) -> Stiffness | None:
    """Forces that make steps too long, or would at STEP_MARGIN times their length; None if none do or it is not known.

    A function that may do more than compute, such as keep a log, is not called.
    """
    if not at.q.size:
        return None
    law = None if method == "implicit" and at.continues(CONTROLLER) else _force_slopes(robot, _controller_torques(at))
    pushed = _force_slopes(robot, _wrench_torques(at))
    has_springs, period = _has_springs(robot.model), sampling_period(at.controller)
    if law is None and pushed is None and not has_springs:
        return None
    slopes = robot.kernel(spring_slopes) if has_springs else None
    zeros, found = np.zeros((robot.nv, robot.nv)), list[Stiffness | None]()
    nothing = Reaction(zeros, zeros)
    for k, (q, v) in enumerate(zip(at.examined_rows(at.q, 1), at.examined_rows(at.v, 1), strict=True)):
        acting = Reactions(nothing, nothing, nothing)
        if slopes is not None:
            own = Reaction(*(np.asarray(x, dtype=float) for x in slopes(q, v)))
            acting = acting._replace(own=own)
            found.append(_examine_step(robot, q, acting, dt, method, JOINTS))
        if pushed is not None:
            outside = Reaction(-pushed[0][k], -pushed[1][k])
            if at.continues(WRENCHES):
                acting = acting._replace(own=acting.own.plus(outside))
            else:
                acting = acting._replace(**{"held" if METHODS[method].order == 1 else "middle": outside})
            found.append(_examine_step(robot, q, acting, dt, method, WRENCHES))
        if law is not None:
            kept, mine = dt if period is None else max(dt, period), Reaction(-law[0][k], -law[1][k])
            # forces that are held for many steps are alone: the others act in each of these
            alone = Reactions(mine, nothing, nothing)
            acting = alone if kept > dt else acting._replace(held=mine.plus(acting.held))
            found.append(_examine_step(robot, q, acting, kept, method, CONTROLLER))
    blamed = (JOINTS, WRENCHES, CONTROLLER)  # the first of them that does it alone
    return max((x for x in found if x), key=lambda x: (float(f"{x.growth:.6g}"), -blamed.index(x.cause)), default=None)


def _examine_step(robot: Robot, q: Float, reactions: Reactions, h: float, method: str, cause: str) -> Stiffness | None:
    """The motion that grows in steps of h, or of STEP_MARGIN times that; None if nothing does."""
    G = velocity_map_of(robot, q)
    M = G.T @ robot.mass_matrix(q) @ G
    step = LinearStep.about(M, G, reactions, method)
    if step is None:
        return None
    rate = step.true_rate
    growth = step.growth(h, rate)
    if max(growth, step.growth(STEP_MARGIN * h, rate)) <= GROWTH_LIMIT:
        return None
    values, modes = np.linalg.eig(step.matrix(h))
    motion = G @ modes[G.shape[1] :, int(np.argmax(np.abs(values)))]
    forces = reactions.total.damping + h * reactions.total.stiffness
    name = names_of(robot.model).v[int(np.argmax(np.abs(motion * (forces @ motion))))]
    fastest = float(np.linalg.eigvals(np.linalg.solve(M, h * G.T @ forces @ G)).real.max())
    return Stiffness(growth, fastest, name, cause, h, step.longest(h, rate))


def warn_of_stiffness(
    found: Stiffness, method: str, sampled: bool = False, compiled: bool = False, t: float | None = None
) -> None:
    """Say that steps, or the period of a sampled law, are too long."""
    what, when = f"steps of {1e3 * found.held:.3g} ms are", "" if t is None else f" at t = {t:.4g} s"
    ways = [f"dt <= {found.longest:.2g}", 'method="implicit"']
    if found.cause == WRENCHES:
        ways[1] += "" if compiled else " with functions of (model, t, q, v) or with compiled=True"
    if found.cause == CONTROLLER:
        gentle = ["lower gains", "rotors in the joints"]
        ways = [ways[0], *gentle, _CONTINUED]
        if sampled:
            what, ways = f"a period of {1e3 * found.held:.3g} ms is", [f"a period <= {found.longest:.2g}", *gentle]
    size = f"with method {method!r} motion grows {found.growth:.3g}-fold in each"
    size += f" (the largest eigenvalue of M⁻¹(D + dt K) dt is {found.eigenvalue:.3g})"
    told = f"{what} too long for {found.cause}{when} at joint {found.velocity!r}: {size}"
    warn(f"{told}; take {', '.join(ways[:-1])} or {ways[-1]}", SimulationWarning)


_CONTINUED = 'method="implicit" with a controller of kinetrace.control or with compiled=True'


@lru_cache(maxsize=64)
def _has_springs(model: Model) -> bool:
    """Whether springs, dampers, soft stops or a fluid act."""
    model = without_solved_effects(model)
    effects = [body.effects for body in model.bodies if body.effects is not None]
    names = ("damping", "stiffness", "stop_stiffness", "stop_damping")
    return model.fluid is not None or any(is_present(getattr(x, name)) for x in effects for name in names)


def spring_slopes(model: Model, q: Array, v: Array) -> tuple[Array, Array]:
    """∂/∂q and ∂/∂v (nv, nv) of passive forces but friction, which is bounded: no motion grows by it."""
    model = without_solved_effects(model)
    if any(body.effects is not None and is_present(body.effects.friction) for body in model.bodies):
        model = model.with_joint_effects(friction=0.0)
    return model.passive_derivatives(q, v)


def _force_slopes(robot: Robot, asked: TauOf | None) -> tuple[Float, Float] | None:
    """∂τ/∂q and ∂τ/∂v (k, nv, nv) at the picked states; None if it cannot be told."""
    if asked is None:
        return None
    columns, (tau_of, q, v) = [], asked
    try:
        with np.errstate(all="ignore"):
            for e in DIFFERENCE_STEP * np.eye(robot.nv):
                ends = [(tau_of(robot.integrate(q, x), v), tau_of(q, v + x)) for x in (e, -e)]
                columns.append([(plus - minus) / (2.0 * DIFFERENCE_STEP) for plus, minus in zip(*ends, strict=True)])
    except Exception:  # of the user's function: the simulation meets it again, and says when
        return None
    by_q, by_v = (np.stack(x, axis=-1) for x in zip(*columns, strict=True))
    return (by_q, by_v) if np.isfinite(by_q).all() and np.isfinite(by_v).all() else None


TauOf = tuple[Callable[[Float, Float], Float], Float, Float]
"""A function of states (..., ·) → joint forces (k, nv) at the picked ones, and these states."""


def _controller_torques(at: ActingForces) -> TauOf | None:
    """The joint forces of a controller; None if it cannot be asked."""
    f = at.controller
    if isinstance(f, Law):
        return _law_torques(f, at) if getattr(f, "is_repeatable", True) else None
    if f is not None and (at.compiled or only_computes(f)) and at.q[..., 0].size <= CALLED_UP_TO_STATES:
        return _function_torques(f, at)
    return None


def _wrench_torques(at: ActingForces) -> TauOf | None:
    """The joint forces of wrenches that are functions; None if these cannot be asked.

    Functions that are called are given all states, as those of a batch may differ.
    """
    functions = at.functions
    if functions is None or not functions.is_repeatable:
        return None
    if functions.is_plain:
        return lambda q, v: functions.forces(at.t, q, v), at.examined_rows(at.q, 1), at.examined_rows(at.v, 1)
    if at.q[..., 0].size > CALLED_UP_TO_STATES:
        return None
    return lambda q, v: at.examined_rows(functions.forces(float(at.t), q, v), 1), at.q, at.v


def check_wrenches(robot: Robot, motion: Trajectory, functions: WrenchFunctions, method: str) -> None:
    """Say that steps were too long for wrenches that were not there at the beginning, as those of a floor.

    Of the rows, those are looked at in which the joint forces of the wrenches are largest, and slow ones among these,
    in which friction is stiffest; of a batch, EXAMINED_LANES lanes. Implicit methods continue functions that are
    compiled.
    """
    if (functions.in_loop and method in IMPLICIT) or not functions.is_repeatable or not motion.q.size:
        return
    finite: Any = (np.abs(motion.v) < DIVERGED_FROM).all(axis=-1) & (np.abs(motion.q) < DIVERGED_FROM).all(axis=-1)
    finite = np.flatnonzero(finite.reshape(-1, len(motion.t)).all(axis=0))
    if not len(finite) or motion.v[..., 0, 0].size > CALLED_UP_TO_STATES:
        return
    rows = finite[np.linspace(0, len(finite) - 1, min(len(finite), EXAMINED_ROWS)).astype(int)]
    try:
        with np.errstate(all="ignore"):
            tau = [functions.forces(float(motion.t[k]), motion.q[..., k, :], motion.v[..., k, :]) for k in rows]
    except Exception:  # of the user's function
        return
    size = np.array([np.nan_to_num(np.abs(x)).max(initial=0.0) for x in tau])
    speed = np.array([np.abs(motion.v[..., k, :]).max(initial=0.0) for k in rows])
    loaded = np.flatnonzero(size >= 0.5 * size.max())
    examined_rows = {*np.argsort(-size)[:3], *loaded[np.argsort(speed[loaded])[:3]]} if size.max() > 0.0 else set()
    found = []
    for k in (int(rows[x]) for x in examined_rows):
        at = ActingForces(
            q=motion.q[..., k, :],
            v=motion.v[..., k, :],
            controller=None,
            state=None,
            parameters={},
            compiled=False,
            functions=functions,
            t=float(motion.t[k]),
        )
        stiff = find_stiffness(robot, at, motion.dt, method)
        if stiff is not None and stiff.growth > GROWTH_LIMIT and stiff.cause == WRENCHES:
            found.append((stiff, at.t))
    if found:
        worst, t = max(found, key=lambda x: x[0].growth)
        warn_of_stiffness(worst, method, compiled=functions.in_loop, t=float(t))


def _law_torques(law: Law, at: ActingForces) -> TauOf:
    law, own = getattr(law, "without_limits", law), law.parameters
    parameters = {name: at.examined_rows(x, np.ndim(own[name])) for name, x in at.parameters.items()}
    if getattr(law, "is_limited", False):  # as it is where the limits do not act: that may come
        parameters["limits"] = np.full_like(parameters["limits"], 1e300)
    state: tuple[Any, ...] = ()
    if at.state is not None:
        state = (tree_map(lambda x, one: at.examined_rows(x, np.ndim(one)), at.state, law.initial_state),)

    def tau_of(q: Float, v: Float) -> Float:
        found = law(0.0, q, v, *state, **parameters)
        return np.asarray(found[0] if state else found, dtype=float)

    return tau_of, at.examined_rows(at.q, 1), at.examined_rows(at.v, 1)


def _function_torques(f: Controller, at: ActingForces) -> TauOf:
    """A function that is called is given all states, one that is compiled the first."""
    q, v = (x.reshape(-1, x.shape[-1])[0] if at.compiled else x for x in (at.q, at.v))

    def tau_of(q: Float, v: Float) -> Float:
        given = copy_arrays((q, v) if at.state is None else (q, v, at.state))
        found = f(0.0, *given, **copy_arrays(dict(at.parameters)))
        tau = np.asarray(found if at.state is None else found[0], dtype=float)
        return at.examined_rows(np.broadcast_to(tau, v.shape), 1)

    return tau_of, q, v
