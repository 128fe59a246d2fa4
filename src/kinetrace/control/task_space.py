"""Control of frames by their own dynamics: operational space, with a posture and bounded at singular configurations.

    τ = h + Jᵀ Λ (A − B − J M⁻¹ h),      h = M a_0 + g,      B = J̇ v − J M⁻¹ (c + g)

Khatib (1987): the frames have the acceleration A instead of that of h alone. h acts on what they leave free: towards a
posture, and damping. It compensates gravity but no Coriolis forces, as these do no work: where the frames rest,
v = N v, the kinetic energy changes by vᵀ M a_0 alone. If they were cancelled, fast motions of the free part would gain
energy.

Λ = (J M⁻¹ Jᵀ + λ² 1)⁻¹ with λ = 0 away from singular configurations. Close to them the terms of B that are quadratic in
v fade with λ, as what they should cancel is not cancelled either, and fast motions would be amplified.
"""

from __future__ import annotations

from functools import reduce
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import algorithms
from ..algorithms.registry.choices import Frames, Rows
from ..algorithms.tasks.independent_rows import check_independent
from ..algorithms.tasks.task_response import task_response
from ..algorithms.tasks.task_rows import Task, tasks_of
from ..arrays import Array, concatenate, indices, maximum, minimum, sqrt
from ..errors import InputError
from ..lie.inertia import symmetric
from ..linalg import dense
from ..model.model import Model
from ..robot import Robot
from .controller import Controller
from .frames import Goal, Spring, frame_spring, goal_of
from .pickling import maker
from .plant import check_motors, driven_forces, has_friction, mass_of
from .reference import Reference, gains, number_of, reference_of, rows_of, spring

ADDED_COMPLIANCE = 1e-6
"""Term on a compliance before it is inverted to find its smallest eigenvalue, relative to the least wanted."""


def bounded_factors(C: Array, largest: Array) -> tuple[dense.Factors, Array]:
    """Factors of C + λ² 1 (k, k), whose inverse has no eigenvalue above `largest`, and λ² times that, from 0 to 1.

    With ε = 1/largest and σ the smallest eigenvalue of C, λ² = max(0, ε − s) for an s ≤ σ, so σ + λ² ≥ ε. s is
    (tr C⁻⁴)^(−1/4), at least σ k^(−1/4), of C with a little added: no eigenvalues are computed.

    >>> import numpy as np
    >>> bounded_factors(np.diag([1.0, 0.0]), 10.0)[0].D
    [np.float64(1.1), np.float64(0.1)]
    """
    one, least = np.eye(len(C)), 1.0 / largest
    more = ADDED_COMPLIANCE * least + 1e-13 * sum(C[k, k] for k in range(len(C)))
    P = symmetric(dense.upper_inverse(dense.factor(C + more * one))) * least
    P2 = (P @ P).reshape(-1)
    s = least / sqrt(sqrt(P2 @ P2))[()] - more
    added = maximum(0.0, least - s)[()]
    return dense.factor(C + added * one), added * largest


def _check_rows(robot: Robot, frame: Frames, axes: Rows) -> None:
    """An error if these rows can never be moved independently."""
    try:
        check_independent(robot.model, "operational_space", frame, axes, "aligned")
    except InputError as error:  # which offers a damping that a task would not survive
        raise InputError(str(error).partition(", or give task_damping")[0]) from None


@maker
def operational_space(
    robot: Robot,
    frame: Frames,
    goal: Any,
    position_gain: npt.ArrayLike,
    velocity_gain: npt.ArrayLike,
    *,
    axes: Rows = "pose",
    posture: npt.ArrayLike | None = None,
    posture_gain: npt.ArrayLike = 0.0,
    posture_damping: npt.ArrayLike = 2.0,
    largest_inertia: float | None = None,
    largest_speed: npt.ArrayLike = (3.0, 1.5),
) -> Controller:
    """Operational-space control: frames move to goals, or along motions, as unit masses on springs do.

    τ = h + Jᵀ Λ (A − B − J M⁻¹ h) with A = U̇ + K_v W + K_p e gives the chosen rows of the frames' twists the
    acceleration A (Khatib 1987); W = U − V_f is the velocity that they lack, B their acceleration without forces.
    Positions obey ë + K_v ė + K_p e = 0 and V = ½ W · W + ½ eᵀ K_p e of the task has the rate −Wᵀ K_v W, for all three
    rotations of a frame or none, if the model is exact. Far from the goal springs pull less, so that frames approach it
    with at most `largest_speed`; V, with the energy of these springs, falls in the same way. What the task leaves free
    is moved by h = M a₀ + g, a₀ = springs towards a posture − c v: where the frames rest, its kinetic energy falls as
    exp(−2 c t) without a posture. With one, that it comes to rest is observed, not proven.

    Close to singular configurations Λ is bounded: where J M⁻¹ Jᵀ has an eigenvalue below 1.6 / `largest_inertia` (k
    rows: k^¼), λ² is added to its diagonal, as much as is needed. Then joint forces stay bounded, the task is followed
    less well in the directions that are lost, and nothing is proven; `robot.operational_compliance` tells. Goals out of
    reach end there, at rest in almost all of many trials.

    Parameters
    ----------
    robot : Robot
        Robot whose model the law uses; motors must drive all its motions.
    frame : str or sequence of str
        Name of a frame, or several.
    goal : array_like, shape (4, 4) or (3,), or callable
        Pose in the world to hold (a position, if no orientation is controlled), or function of time that returns pose,
        velocity and acceleration (6,) in the world's axes, rotation first, as `expressed_in="aligned"` (positions: (3,)
        each). For several frames, all with a first axis of frames.
    position_gain : array_like, shape () or (k,)
        Gains K_p [1/s²] of the k controlled rows.
    velocity_gain : array_like, shape () or (k,)
        Gains K_v [1/s]; critical damping is 2 √K_p.
    axes : {"pose", "position", "orientation"} or sequence of int, default "pose"
        Rows of the twists that are controlled, in the world's axes; for several frames one choice, or one for each.
    posture : array_like, shape (nq,), optional
        Configuration that the rest of the robot tends to; none unless given.
    posture_gain : array_like, shape () or (nv,), default 0.0
        Gains of the posture [1/s²].
    posture_damping : array_like, shape () or (nv,), default 2.0
        Damping c of what the task leaves free [1/s].
    largest_inertia : float, optional
        Bound of the eigenvalues of Λ [kg, kg m²]; three times the robot's mass unless given.
    largest_speed : array_like, shape () or (2,), default (3.0, 1.5)
        Speeds at which frames approach goals that are far away: of rotation [rad/s], of translation [m/s].

    Returns
    -------
    Controller
        The controller, with parameters `position_gain`, `velocity_gain`, `posture_damping`, `largest_inertia`,
        `largest_speed` and, where they are given, `goal`, `posture`, `posture_gain`.

    Raises
    ------
    InputError
        If an argument does not fit the robot, the rows can never be moved independently, or a motion has no motor.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> at = kt.control.operational_space(robot, "tip", [1.2, 0.0, -0.8], 25.0, 10.0, axes=(3, 5))
    >>> motion = robot.simulate([0.2, 0.4], [0.0, 0.0], t=3.0, dt=0.005, controller=at)
    >>> (robot.pose(motion.q[-1], "tip")[:3, 3] + 0.0).round(3)
    array([ 1.2,  0. , -0.8])
    """
    check_motors(robot, "operational_space")
    _check_rows(robot, frame, axes)
    tasks = tasks_of(robot.model, frame, axes)
    motion = goal_of(robot, frame, goal, needs_poses=any(k < 3 for x in tasks for k in x.rows))
    law, rows = (
        OperationalSpaceLaw(tasks, motion, _posture(robot, posture, posture_gain)),
        sum(len(x.rows) for x in tasks),
    )
    own = {
        "position_gain": rows_of("position_gain", position_gain, rows),
        "velocity_gain": rows_of("velocity_gain", velocity_gain, rows),
        "posture_damping": gains(robot, "posture_damping", posture_damping),
        "largest_inertia": number_of(
            "largest_inertia", 3.0 * mass_of(robot) if largest_inertia is None else largest_inertia, positive=True
        ),
        "largest_speed": rows_of("largest_speed", largest_speed, 2, positive=True),
    }
    if law.posture is not None:
        own["posture"] = law.posture.parameters["goal"]
        own["posture_gain"] = gains(robot, "posture_gain", posture_gain)
    return Controller(
        robot=robot,
        law=law.law,
        name="operational_space",
        parameters={**own, **motion.parameters},
        storage=law.storage,
        includes_friction=has_friction(robot),
        nonnegative=tuple(name for name in own if name != "posture"),
    )


def _posture(robot: Robot, posture: Any, gain: npt.ArrayLike) -> Reference | None:
    """The posture that a user means."""
    if posture is None:
        if np.any(gains(robot, "posture_gain", gain)):
            raise InputError("posture_gain needs a posture=, a configuration")
        return None
    towards = reference_of(robot, posture, "posture")
    if not towards.is_held:
        raise InputError("posture must be a configuration, not a function of time")
    return towards


class TaskError(NamedTuple):
    """How far a frame is from its goal; (6,) each, rotation first, of which `rows` are controlled."""

    rows: Any
    part: slice
    """Where the rows stand among those of all frames."""
    e: Array
    velocity: Array
    """W = U − V, the velocity that is missing."""
    rate: Array
    """U̇."""


class OperationalSpaceLaw(NamedTuple):
    """Law and storage function of frames in operational space."""

    tasks: tuple[Task, ...]
    motion: Goal
    posture: Reference | None

    def errors(self, model: Model, t: Any, q: Array, v: Array, given: dict[str, Array]) -> list[TaskError]:
        """The errors of all frames."""
        at = [
            (
                algorithms.pose(model, q, frame=x.frame.name),
                algorithms.velocity(model, q, v, frame=x.frame.name, expressed_in="aligned"),
            )
            for x in self.tasks
        ]
        ends = np.cumsum([0, *(len(x.rows) for x in self.tasks)])
        return [
            TaskError(indices(x.rows), slice(ends[k], ends[k + 1]), f.e, f.velocity - V, f.rate)
            for k, (x, (_, V), f) in enumerate(
                zip(self.tasks, at, self.motion.errors(t, at, given.get("goal")), strict=True)
            )
        ]

    def pulled(self, k: int, at: TaskError, given: dict[str, Array]) -> Spring:
        """The springs of task k, which ask for no more than the largest speed."""
        gain, own = np.eye(6)[:, at.rows] @ given["position_gain"][at.part], self.tasks[k].rows
        damping = list(zip(given["velocity_gain"][at.part], own, strict=True))
        rates = [[x for x, row in damping if row // 3 == i] for i in (0, 1)]
        slowest = [reduce(minimum, x) if x else 0.0 for x in rates]
        return frame_spring(at.e, gain, [s * r for s, r in zip(given["largest_speed"], slowest, strict=True)])

    def wanted(self, model: Model, t: Any, q: Array, v: Array, given: dict[str, Array]) -> Array:
        """A, the acceleration of all rows."""
        rows = []
        for k, at in enumerate(self.errors(model, t, q, v, given)):
            A = at.rate + (np.eye(6)[:, at.rows] @ given["velocity_gain"][at.part]) * at.velocity
            rows.append((A + self.pulled(k, at, given).pull)[at.rows])
        return concatenate(rows)

    def free(self, model: Model, t: Any, q: Array, v: Array, given: dict[str, Array]) -> Array:
        """h, the joint forces that move what the frames leave free."""
        a = -given["posture_damping"] * v
        if self.posture is not None:
            theta = self.posture.error(model, t, q, v, given["posture"]).theta
            a = a + spring(model, theta, given["posture_gain"])
        return algorithms.inverse_dynamics(model, q, np.zeros(model.nv), a)

    def law(self, model: Model, t: Array, q: Array, v: Array, **given: Array) -> Array:
        """Joint forces."""
        A, h = self.wanted(model, t, q, v, given), self.free(model, t, q, v, given)
        at = task_response(model, q, self.tasks, "aligned")
        f, lost = bounded_factors(at.compliance(), given["largest_inertia"])
        resting = at.drift(np.zeros(model.nv))
        without = resting + (1.0 - lost) * (1.0 - lost) * (at.drift(v) - resting) + at.acceleration_by_forces(h)
        return driven_forces(model, q, h + at.J.T @ dense.solve(f, A - without))

    def storage(self, model: Model, t: Array, q: Array, v: Array, **given: Array) -> Array:
        """½ W · W, and the energy of the springs."""
        total = np.zeros(())
        for k, at in enumerate(self.errors(model, t, q, v, given)):
            w = at.velocity[at.rows]
            total = total + 0.5 * (w @ w) + self.pulled(k, at, given).energy
        return total
