"""Differential inverse kinematics: the velocity that moves frames as asked, within limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..algorithms.tasks.inverse_velocity import SINGULAR_VALUE
from ..algorithms.tasks.inverse_velocity import inverse_velocity as law
from ..algorithms.tasks.pose_errors import flaw, pose_error
from ..algorithms.tasks.task_rows import tasks_of
from ..errors import InputError
from ..robot import Robot
from ..robot.types import Float
from ..support.conversion import as_flag, as_positive, finite
from .goals import check_moves, check_poses, coordinate_limits, frame_weights, read_goals, tolerance_pair
from .results import as_scalar

MISSING_PART = 1e-3
"""Part of a twist that may be missing where it counts as reached: that of the damping, away from singularities."""
SMALL_TWIST = 1e-3
"""Size of a twist [rad/s, m/s], below which that part is one of this."""
STATUS = {
    "followed": "the frames move as asked",
    "arrived": "the frames are at their targets",
    "limits": "limits of joints keep the frames from moving as asked",
    "singular": "near a singular configuration the velocity is damped, and the frames do not move as asked",
    "damped": "the damping keeps the frames from moving as asked, or they cannot do so with these joints",
}
"""Status → what it means."""


ARGUMENT_AXES = {"twist": 1, "goals": 3, "rate": 0, "weights": 1, "damping": 0, "rest": 1, "rest_rate": 0}
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
    keep_direction: Any = False
    tolerance: Any = 1e-6
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
        Whether the frames move as asked, to a thousandth, or are at their targets.
    status : str, or ndarray of str, shape (...)
        Outcome: "followed", if the frames move as asked; "arrived", if they are at their targets after the step; else
        what keeps them: "limits", "singular" or "damped".
    arrived : bool, or ndarray of bool, shape (...), or None
        Whether the frames are at their targets after the step; None without targets.
    residual : ndarray, shape (..., k, 2), or None
        Distance [m] and angle [rad] of each of k frames from its target after the step; None without targets.

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
    arrived: Any = None
    residual: Float | None = None

    def __repr__(self) -> str:
        if np.size(self.status) == 1:
            said = repr(str(np.ravel(self.status)[0]))
        else:
            counts = {name: int(np.sum(self.status == name)) for name in STATUS}
            said = ", ".join(f"{n} {name!r}" for name, n in counts.items() if n)
        if self.residual is not None:
            worst = self.residual.reshape(-1, 2).max(axis=0, initial=0.0)
            said += f"; at most {worst[0]:.2g} m, {worst[1]:.2g} rad from the target"
        return f"InverseVelocity({said}; smallest singular value {np.min(self.smallest, initial=np.inf):.2g})"

    @property
    def message(self) -> str:
        """Outcome in words, of all states together."""
        return "; ".join(text for name, text in STATUS.items() if np.any(self.status == name))


class VelocityRequest(NamedTuple):
    """Checked arguments of a call."""

    q: Float
    step: float
    kept: bool
    frames: tuple[str, ...]
    rows: tuple[tuple[int, ...], ...]
    given: dict[str, Any]
    """Arguments of the kernel that not every call has."""
    how: dict[str, Any]
    """Choices of the kernel."""
    tolerance: Float


def inverse_velocity(
    robot: Robot, searches: dict[Any, Any], q: Any, twist: Any, frame: Any, dt: Any, options: StepOptions
) -> InverseVelocity:
    """The velocities of a call; `searches` keeps what is the same for calls of one kind."""
    check_moves(robot)
    request = checked_request(robot, q, twist, frame, dt, options)
    kernel, arrays = kernel_and_arrays(robot, searches, request)
    v, after, achieved, asked, smallest, free = kernel(request.q, *arrays, threads=options.threads)
    missing, held = asked - achieved, np.asarray(free) == 0
    arrived = residual = None
    if "goals" in request.given:
        goals, tell = request.given["goals"], {"frame": request.frames, "axes": request.rows, **request.how}
        tell.pop("keep_direction")
        residual = robot.kernel(pose_error, shapes={"goals": goals.shape[-3:]}, **tell)(after, goals)
        arrived = (residual <= request.tolerance).all(axis=(-2, -1))
    success, status = statuses(asked, missing, request.given.get("weights", 1.0), smallest, held, arrived)
    success, status, arrived = (x if x is None else as_scalar(x) for x in (success, status, arrived))
    return InverseVelocity(
        v=v,
        q=after,
        twist=achieved,
        missing=missing,
        smallest=smallest,
        held=held,
        success=success,
        status=status,
        arrived=arrived,
        residual=residual,
    )


def checked_request(robot: Robot, q: Any, twist: Any, frame: Any, dt: Any, options: StepOptions) -> VelocityRequest:
    """The arguments of a call, or an error that names the wrong one."""
    model, given, step = robot.model, dict[str, Any](), as_positive("dt", dt, " [s]")
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
        check_poses(goals, robot.kernel(flaw, shapes={"goals": goals.poses.shape[-3:]})(goals.poses))
        given["goals"], given["rate"] = goals.poses, as_positive("gain", options.gain) / step
    if options.weights is not None:
        given["weights"] = frame_weights(options.weights, frames, rows)
    if options.damping is not None:
        given["damping"] = as_positive("damping", options.damping)
    if options.rest is not None:
        given["rest"] = finite("rest", options.rest, robot.nq)
        given["rest_rate"] = as_positive("rest_gain", options.rest_gain)
    q, kept = finite("q", q, robot.nq), as_flag("limits", options.limits)
    keep = as_flag("keep_direction", options.keep_direction)
    how = {"expressed_in": options.expressed_in, "keep_direction": keep}
    return VelocityRequest(
        q=q,
        step=step,
        kept=kept,
        frames=frames,
        rows=rows,
        given=given,
        how=how,
        tolerance=tolerance_pair(options.tolerance),
    )


def kernel_and_arrays(robot: Robot, searches: dict[Any, Any], request: VelocityRequest) -> tuple[Any, list[Any]]:
    """The kernel for a call, and its arrays but q."""
    model, n = robot.model, robot.nv
    kind = (request.frames, request.rows, *request.how.values(), tuple(request.given), "velocity")
    if kind not in searches:
        given = {name: np.shape(x)[np.ndim(x) - ARGUMENT_AXES[name] :] for name, x in request.given.items()}
        shapes = {"bounds": (3, n), **given}
        searches[kind] = robot.kernel(law, shapes=shapes, frame=request.frames, axes=request.rows, **request.how)
    if (request.kept, "bounds") not in searches:
        speed = np.array(model.bounds.velocity) if request.kept else np.full(n, np.inf)
        searches[request.kept, "bounds"] = np.stack([*coordinate_limits(model, request.kept), speed])
    return searches[kind], [
        searches[request.kept, "bounds"],
        np.asarray(request.step),
        *map(np.asarray, request.given.values()),
    ]


def statuses(asked: Float, missing: Float, weights: Any, smallest: Any, held: Any, arrived: Any) -> tuple[Any, Any]:
    """Success and status of each state."""
    asked, missing = weights * asked, weights * missing
    unit = np.maximum(np.abs(asked).max(axis=-1, initial=SMALL_TWIST), np.abs(missing).max(axis=-1, initial=0.0))[
        ..., None
    ]
    size = np.linalg.norm(asked / unit, axis=-1)  # of numbers that are one at most: their squares are finite
    follows = np.linalg.norm(missing / unit, axis=-1) <= MISSING_PART * np.maximum(size, SMALL_TWIST / unit[..., 0])
    why = np.where(held.any(axis=-1), "limits", np.where(np.asarray(smallest) < SINGULAR_VALUE, "singular", "damped"))
    status = np.where(follows, "followed", why)
    if arrived is None:
        return follows, status
    return follows | arrived, np.where(arrived, "arrived", status)
