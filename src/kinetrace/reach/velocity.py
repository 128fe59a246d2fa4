"""Differential inverse kinematics: the velocity that moves frames as asked, within limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..algorithms.inverse_velocity import NEAR
from ..algorithms.inverse_velocity import inverse_velocity as law
from ..algorithms.pose_errors import flaw
from ..algorithms.tasks import tasks_of
from ..errors import InputError
from ..simulate.inputs import finite
from ..support.plain import plain_flag, plain_positive
from .goals import check, frame_weights, read_goals
from .limits import coordinate_limits
from .protocol import Float, Reaches
from .result import unwrapped

EXACT = 1e-3
"""Part of a twist that may be missing where it counts as reached: that of the damping, away from singularities."""
STATUS = {
    "converged": "the frames move as asked",
    "limits": "limits of joints keep the frames from moving as asked",
    "singular": "near a singular configuration the velocity is damped, and the frames do not move as asked",
    "damped": "the damping keeps the frames from moving as asked, or they cannot do so with these joints",
}
"""Status → what it means."""


AXES = {"twist": 1, "goals": 3, "rate": 0, "weights": 1, "damping": 0, "rest": 1, "rest_rate": 0}
"""Argument of the kernel → its axes beside those of a batch."""


class StepOptions(NamedTuple):
    """Settings of a step; see `Robot.inverse_velocity`."""

    target: Any = None
    gain: Any = 0.5
    axes: Any = None
    expressed_in: Any = "body"
    weights: Any = None
    damping: Any = None
    limits: Any = True
    rest: Any = None
    rest_gain: Any = 1.0
    threads: int | None = None


@dataclass(frozen=True, eq=False)
class InverseVelocity:
    """Velocities that move frames as asked, as nearly as limits and damping allow.

    `Robot.inverse_velocity` makes it.

    Parameters
    ----------
    v : ndarray, shape (..., nv)
        Velocities [rad/s, m/s], within the limits of speeds; joints do not pass limits of positions.
    q : ndarray, shape (..., nq)
        Configurations q ⊕ v dt after the step.
    twist : ndarray, shape (..., k)
        Rows of the twists that v gives the frames [rad/s, m/s].
    missing : ndarray, shape (..., k)
        What was asked for less `twist`.
    smallest : ndarray, shape (...)
        Smallest singular value of the weighted Jacobian: near zero at singular configurations.
    held : ndarray of bool, shape (..., nv)
        Velocities that are at a bound.
    success : bool, or ndarray of bool, shape (...)
        Whether the frames move as asked, to a thousandth.
    status : str, or ndarray of str, shape (...)
        Outcome: "converged", "limits", "singular" or "damped".

    Examples
    --------
    >>> import kinetrace as kt
    >>> step = kt.load("planar2r").inverse_velocity([0.3, 0.0], [1.0, 0.2], "tip", axes=(3, 5))
    >>> step, step.missing.round(3)
    (InverseVelocity('singular'; smallest singular value 0), array([1., 0.]))
    """

    v: Float
    q: Float
    twist: Float
    missing: Float
    smallest: Float
    held: npt.NDArray[np.bool_]
    success: Any
    status: Any

    def __repr__(self) -> str:
        if np.size(self.status) == 1:
            said = "success" if np.all(self.success) else repr(str(np.ravel(self.status)[0]))
        else:
            counts = {name: int(np.sum(self.status == name)) for name in STATUS}
            said = ", ".join(f"{n} {name!r}" for name, n in counts.items() if n)
        return f"InverseVelocity({said}; smallest singular value {np.min(self.smallest, initial=np.inf):.2g})"

    @property
    def message(self) -> str:
        """Outcome in words, of all states together."""
        return "; ".join(text for name, text in STATUS.items() if np.any(self.status == name))


class Request(NamedTuple):
    """What a call asks for, checked."""

    q: Float
    step: float
    kept: bool
    frames: tuple[str, ...]
    rows: tuple[tuple[int, ...], ...]
    given: dict[str, Any]
    """Arguments of the kernel that not every call has."""


def inverse_velocity(
    robot: Reaches, made: dict[Any, Any], q: Any, twist: Any, frame: Any, dt: Any, options: StepOptions
) -> InverseVelocity:
    """The velocities of a call; `made` keeps what is the same for calls of one kind."""
    asks = requested(robot, q, twist, frame, dt, options)
    kernel, arrays = stated(robot, made, asks, options.expressed_in)
    v, after, achieved, asked, smallest, free = kernel(asks.q, *arrays, threads=options.threads)
    missing, held = asked - achieved, np.asarray(free) == 0
    success, status = outcomes(asked, missing, asks.given.get("weights", 1.0), smallest, held)
    return InverseVelocity(v, after, achieved, missing, smallest, held, unwrapped(success), unwrapped(status))


def requested(robot: Reaches, q: Any, twist: Any, frame: Any, dt: Any, options: StepOptions) -> Request:
    """The arguments of a call, or an error that names the wrong one."""
    model, given, step = robot.model, dict[str, Any](), plain_positive("dt", dt, " [s]")
    if (twist is None) == (options.target is None):
        raise InputError("give either twist, the rows that frames are to move by, or target, which they move towards")
    if options.target is None:
        tasks = tasks_of(model, frame, "pose" if options.axes is None else options.axes)
        rows, frames = tuple(task.rows for task in tasks), tuple(task.frame.name for task in tasks)
        given["twist"] = finite("twist", twist, sum(map(len, rows)))
    else:
        if options.expressed_in == "space":
            raise InputError("expressed_in: towards a target it is 'body' or 'aligned'")
        goals = read_goals(model, options.target, frame, options.axes, None)
        rows, frames = goals.axes, goals.frame
        check(goals, robot.kernel(flaw, shapes={"goals": goals.poses.shape[-3:]})(goals.poses))
        given["goals"], given["rate"] = goals.poses, plain_positive("gain", options.gain) / step
    if options.weights is not None:
        given["weights"] = frame_weights(options.weights, frames, rows)
    if options.damping is not None:
        given["damping"] = plain_positive("damping", options.damping)
    if options.rest is not None:
        given["rest"] = finite("rest", options.rest, robot.nq)
        given["rest_rate"] = plain_positive("rest_gain", options.rest_gain)
    return Request(finite("q", q, robot.nq), step, plain_flag("limits", options.limits), frames, rows, given)


def stated(robot: Reaches, made: dict[Any, Any], asks: Request, expressed_in: Any) -> tuple[Any, list[Any]]:
    """The kernel for a call, and its arrays but q."""
    model, n = robot.model, robot.nv
    kind = (asks.frames, asks.rows, expressed_in, tuple(asks.given), "velocity")
    if kind not in made:
        given = {name: np.shape(x)[np.ndim(x) - AXES[name] :] for name, x in asks.given.items()}
        shapes = {"lower": (n,), "upper": (n,), "speed": (n,), **given}
        made[kind] = robot.kernel(law, shapes=shapes, frame=asks.frames, axes=asks.rows, expressed_in=expressed_in)
    if (asks.kept, "bounds") not in made:
        speed = np.array(model.bounds.velocity) if asks.kept else np.full(n, np.inf)
        made[asks.kept, "bounds"] = (*coordinate_limits(model, asks.kept), speed)
    return made[kind], [*made[asks.kept, "bounds"], np.asarray(asks.step), *map(np.asarray, asks.given.values())]


def outcomes(asked: Float, missing: Float, weights: Any, smallest: Any, held: Any) -> tuple[Any, Any]:
    """Success and status of each state."""
    size = np.linalg.norm(weights * asked, axis=-1)
    success = np.linalg.norm(weights * missing, axis=-1) <= EXACT * np.maximum(size, 1e-9)
    why = np.where(held.any(axis=-1), "limits", np.where(np.asarray(smallest) < NEAR, "singular", "damped"))
    return success, np.where(success, "converged", why)
