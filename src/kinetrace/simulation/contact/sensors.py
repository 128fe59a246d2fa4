"""Sensors on a motion: inertial units, and force–torque sensors in joints.

A motion has states at times t_k, and what acts between two of them. Readings of row k are means until the next row, and
those of the last row are repeated: accelerations are Δv / Δt, and the wrench in a joint is that which changes the
momentum H of all that the joint carries, about a point that rests,

    a_k = (v_{k+1} − v_k) / Δt,     F_k = (H_{k+1} − H_k) / Δt − (weight) − (contact forces)                   (1)

With a row for every step (record=1) contacts are complete; of longer rows they are those of the first step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...algorithms.kinematics.forward_kinematics import body_poses, link_velocities
from ...arrays import concatenate
from ...errors import InputError
from ...lie import Ad_inv_dual, inertia, se3, so3
from ...model import WORLD, Model
from ...robot import Robot
from ...robot.types import Float
from .motion_contacts import FORCES, contacts_of

if TYPE_CHECKING:
    from ..trajectory import Trajectory


class InertialReadings(NamedTuple):
    """Readings of an inertial unit, in the axes of its frame.

    Parameters
    ----------
    acceleration : ndarray, shape (..., n, 3)
        Acceleration less gravity [m/s²]: at rest, it points upwards.
    angular_velocity : ndarray, shape (..., n, 3)
        Angular velocity [rad/s].
    """

    acceleration: Float
    angular_velocity: Float


def imu(motion: Trajectory, frame: str) -> InertialReadings:
    """See `Trajectory.imu`."""
    robot, q, v = _whole(motion, "imu")
    R = np.asarray(robot.pose(q, frame))[..., :3, :3]
    twist = np.asarray(robot.velocity(q, v, frame, expressed_in="aligned"))
    mean = _mean_rates(motion.t, twist[..., 3:]) - robot.model.gravity
    return InertialReadings(_turned_into(R, mean), _turned_into(R, twist[..., :3]))


def force_torque(motion: Trajectory, frame: str) -> Float:
    """See `Trajectory.force_torque`."""
    robot, q, v = _whole(motion, "force_torque")
    body = robot.model.frame(frame).body
    if body == WORLD:
        raise InputError(f"frame {frame!r} is fixed to the world: no joint carries it")
    end = motion.end
    if end is not None and (end.functions or "wrench" in end.external):
        raise InputError("force_torque does not know the wrenches of the motion, which may act beyond the joint")
    beyond = tuple(b.index for b in robot.model.bodies if body in robot.model.ancestors(b.index))
    H, weight = (np.asarray(x) for x in robot.kernel(_Carried(beyond))(q, v))
    rate = _mean_rates(motion.t, H) - weight - _contacts_on(motion, robot, beyond, H)
    X = np.asarray(robot.pose(q, frame))
    R, p = X[..., :3, :3], X[..., :3, 3]
    moment = rate[..., :3] - np.cross(p, rate[..., 3:])
    return np.concatenate([_turned_into(R, moment), _turned_into(R, rate[..., 3:])], axis=-1)


@dataclass(frozen=True)
class _Carried:
    """Momentum about the origin of the world of some bodies, and their weight, as a function that is compiled."""

    bodies: tuple[int, ...]

    def __call__(self, model: Model, q: Any, v: Any) -> tuple[Any, Any]:
        """(6,) and (6,) in the axes of the world."""
        poses, moving = body_poses(model, q), link_velocities(model, q, v)
        H, weight = np.zeros(6), np.zeros(6)
        for i in self.bodies:
            J, X = model.bodies[i].J, poses[i]
            H = H + Ad_inv_dual(X, J @ moving[i].V)
            f = inertia.mass(J) * model.gravity
            at = se3.translation(X) + so3.rotate(se3.rotation(X), inertia.center_of_mass(J))
            weight = weight + concatenate([so3.cross(at, f), f])
        return H, weight


def _whole(motion: Trajectory, what: str) -> tuple[Robot, Float, Float]:
    """The robot of the scene, and its states."""
    if len(motion) < 2:
        raise InputError(f"{what} needs a motion of at least two rows, got {len(motion)}")
    whole = motion if motion.scene is None else motion.scene
    return whole._robot(what), whole.q, whole.v


def _mean_rates(t: Float, x: Float) -> Float:
    """Δx / Δt (..., n, k) from row to row, the last one repeated."""
    rates = np.diff(x, axis=-2) / np.diff(t)[:, None]
    return np.concatenate([rates, rates[..., -1:, :]], axis=-2)


def _turned_into(R: Float, x: Float) -> Float:
    """Vectors (..., 3) of the world in axes R (..., 3, 3)."""
    return np.asarray((np.swapaxes(R, -1, -2) @ x[..., None])[..., 0])


def _contacts_on(motion: Trajectory, robot: Robot, bodies: tuple[int, ...], like: Float) -> Float:
    """Moments about the origin and forces (..., n, 6) of contacts on some bodies."""
    whole = motion if motion.scene is None else motion.scene
    if FORCES not in whole.reported:
        return np.zeros_like(like)
    return contacts_of(motion).wrench_on_bodies(bodies)
