"""Differential inverse kinematics: the velocity that moves frames as asked, within limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..algorithms.inverse_velocity import NEAR
from ..algorithms.inverse_velocity import inverse_velocity as law
from ..algorithms.pose_errors import flaw
from ..algorithms.tasks import tasks_of
from ..errors import InputError
from ..model.checks import real
from ..support.plain import plain_flag
from .goals import ORTHOGONAL, complain, frame_weights, read_goals
from .limits import coordinate_limits
from .protocol import Float, Reaches

EXACT = 1e-3
"""Part of a twist that may be missing where it counts as reached: that of the damping, away from singularities."""
STATUS = {
    "converged": "the frames move as asked",
    "limits": "limits of joints keep the frames from moving as asked",
    "singular": "near a singular configuration the velocity is damped, and the frames do not move as asked",
    "damped": "the damping keeps the frames from moving as asked, or they cannot do so with these joints",
}
"""Status → what it means."""


@dataclass(frozen=True, eq=False)
class InverseVelocity:
    """Velocities that move frames as asked, as nearly as limits and damping allow.

    `Robot.inverse_velocity` makes it.

    Parameters
    ----------
    v : ndarray, shape (..., nv)
        Velocities [rad/s, m/s], within the limits.
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
    success : ndarray of bool, shape (...)
        Whether the frames move as asked, to a thousandth.
    status : ndarray of str, shape (...)
        Outcome: "converged", "limits", "singular" or "damped".
    """

    v: Float
    q: Float
    twist: Float
    missing: Float
    smallest: Float
    held: npt.NDArray[np.bool_]
    success: npt.NDArray[np.bool_]
    status: npt.NDArray[np.str_]

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


def inverse_velocity(
    robot: Reaches,
    made: dict[Any, Any],
    q: Any,
    twist: Any,
    frame: Any,
    dt: Any,
    *,
    target: Any,
    gain: Any,
    axes: Any,
    expressed_in: Any,
    weights: Any,
    damping: Any,
    limits: Any,
    rest: Any,
    rest_gain: Any,
    threads: int | None,
) -> InverseVelocity:
    """The velocities of a call; `made` keeps what is the same for calls of one kind."""
    model, given = robot.model, dict[str, Any]()
    step = positive(dt, "dt")
    if (twist is None) == (target is None):
        raise InputError("give either twist, the rows that frames are to move by, or target, which they move towards")
    if target is None:
        rows: Any = "pose" if axes is None else axes
        tasks = tasks_of(model, frame, rows)
        chosen, frames = tuple(task.rows for task in tasks), tuple(task.frame.name for task in tasks)
        given["twist"] = finite(twist, "twist", sum(map(len, chosen)))
    else:
        if expressed_in == "space":
            raise InputError("expressed_in: towards a target it is 'body' or 'aligned'")
        goals = read_goals(model, target, frame, axes, None)
        chosen, frames = goals.axes, goals.frame
        if not np.all(robot.kernel(flaw, shapes={"goals": goals.poses.shape[-3:]})(goals.poses) <= ORTHOGONAL**2):
            complain(goals)
        given["goals"], given["rate"] = goals.poses, positive(gain, "gain") / step
    if weights is not None:
        given["weights"] = frame_weights(weights, frames, chosen)
    if damping is not None:
        given["damping"] = positive(damping, "damping")
    if rest is not None:
        given["rest"], given["rest_rate"] = finite(rest, "rest", robot.nq), positive(rest_gain, "rest_gain")
    shapes = {"lower": (model.nv,), "upper": (model.nv,), "speed": (model.nv,)}
    sizes = {"twist": 1, "goals": 3, "rate": 0, "weights": 1, "damping": 0, "rest": 1, "rest_rate": 0}
    for name, value in given.items():
        shapes[name] = np.shape(value)[np.ndim(value) - sizes[name] :]
    kept, kind = plain_flag("limits", limits), (frames, chosen, expressed_in, tuple(given), "velocity")
    if kind not in made:
        made[kind] = robot.kernel(law, shapes=shapes, frame=frames, axes=chosen, expressed_in=expressed_in)
    if (kept, "bounds") not in made:
        speed = np.array(model.bounds.velocity) if kept else np.full(model.nv, np.inf)
        made[kept, "bounds"] = (*coordinate_limits(model, kept), speed)
    at, arrays = finite(q, "q", robot.nq), (*made[kept, "bounds"], np.asarray(step), *map(np.asarray, given.values()))
    v, after, achieved, asked, smallest, free = made[kind](at, *arrays, threads=threads)
    missing = asked - achieved
    scale = 1.0 if weights is None else given["weights"]
    size = np.linalg.norm(scale * asked, axis=-1)
    success = np.linalg.norm(scale * missing, axis=-1) <= EXACT * np.maximum(size, 1e-9)
    held = np.asarray(free) == 0
    why = np.where(held.any(axis=-1), "limits", np.where(np.asarray(smallest) < NEAR, "singular", "damped"))
    status = np.where(success, "converged", why)
    return InverseVelocity(v, after, achieved, missing, smallest, held, success, status[()])


def positive(x: Any, what: str) -> float:
    """A positive number."""
    value = real(x, what)
    if value.shape != () or not 0 < value < np.inf:
        raise InputError(f"{what} must be a positive number, got {x!r}")
    return float(value)


def finite(x: Any, what: str, n: int) -> Float:
    """Finite numbers (..., n)."""
    value = real(x, what)
    if value.shape[-1:] != (n,):
        raise InputError(f"{what} must have shape (..., {n}), got {value.shape}")
    if not np.isfinite(value).all():
        raise InputError(f"{what} must be finite numbers")
    return value
