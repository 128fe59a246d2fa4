"""Kinematics of frames: poses, velocities and accelerations.

    X_0i = X_0p X_pi                                        Ploen and Park (1)
    V_i  = Ad_{X⁻¹} V_p + S_i v_i                           (2)
    V̇_i = Ad_{X⁻¹} V̇_p + S_i v̇_i + c_i                     (3)
    c_i  = Ṡ_i v_i − ad_{S_i v_i} Ad_{X⁻¹} V_p

A twist of frame F is expressed in one of three ways, `expressed_in`:

    "body"     V = X⁻¹ Ẋ: (ω, velocity of F's origin) in the axes of F
    "space"    V = Ẋ X⁻¹: (ω, velocity of the point of F's body at the world origin) in the world's axes
    "aligned"  (ω, velocity of F's origin) in the world's axes

An acceleration is always the rate of change of the velocity that is expressed the same way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...arrays import Array, concatenate
from ...errors import lookup
from ...lie import Ad, Ad_inv, Pose, ad, se3, so3
from ...model import WORLD, Body, Frame, Model
from ..registry.choices import ExpressedIn
from ..registry.declaration import algorithm
from ..sweeps.tree import outward


def link_pose(body: Body, X_0p: Array, q: Array) -> Array:
    """Pose of a body in the world, from its parent's."""
    return X_0p @ body.placement(q)


class Velocity(NamedTuple):
    """A body's twist, in its own frame, and the pose and screws of its joint."""

    V: Array
    c: Array = None
    """The acceleration when the parent and the joint do not accelerate."""
    X: Pose = Pose()
    """X_pi."""
    S: Array = None


def link_velocity(body: Body, parent: Velocity, q: Array, v: Array) -> Velocity:
    """Twist of a body from its parent's."""
    X, S = body.placement(q), body.subspace(q)  # (1)
    V_carried, V_joint = X.Ad_inv(parent.V), S @ v
    c = body.bias(q, v) - ad(V_joint, V_carried)
    return Velocity(V_carried + V_joint, c, X, S)  # (2)


def link_acceleration(body: Body, dV_p: Array, at: Velocity, a: Array) -> Array:
    """Rate of a body's twist from its parent's."""
    return at.X.Ad_inv(dV_p) + at.S @ a + at.c  # (3)


def link_velocities(model: Model, q: Array, v: Array, base_velocity: Array | None = None) -> list[Velocity]:
    """The twists of all bodies, on a base that moves or rests."""
    base = Velocity(np.zeros(6) if base_velocity is None else base_velocity)
    return outward(model, link_velocity, base, model.split_q(q), model.split_v(v))


def body_poses(model: Model, q: Array) -> dict[int, Array]:
    """Poses (4, 4) of all bodies in the world, by index, and that of the world."""
    return {WORLD: np.eye(4), **dict(enumerate(outward(model, link_pose, np.eye(4), model.split_q(q))))}


def frame_pose(model: Model, q: Array, F: Frame) -> Array:
    """Pose X_0F (4, 4) of a frame in the world."""
    poses = outward(model, link_pose, np.eye(4), model.split_q(q))
    return (np.eye(4) if F.body == WORLD else poses[F.body]) @ F.X_bf


@algorithm(aliases=("forward_kinematics", "fk"), returns="(4, 4) The homogeneous matrix [[R, p], [0, 1]], p in m.")
def pose(model: Model, q: Array, *, frame: str, point: Array | None = None) -> Array:
    """Pose X_0F of a frame in the world.

    >>> kt.algorithms.pose(kt.load("planar2r").model, np.zeros(2), frame="tip").round(3)
    array([[1., 0., 0., 2.],
           [0., 1., 0., 0.],
           [0., 0., 1., 0.],
           [0., 0., 0., 1.]])
    """
    return frame_pose(model, q, model.frame(frame, point))


@algorithm(returns="(6,) Angular [rad/s], then linear velocity [m/s].")
def velocity(
    model: Model, q: Array, v: Array, *, frame: str, expressed_in: ExpressedIn = "body", point: Array | None = None
) -> Array:
    """Twist of a frame relative to the world.

    >>> kt.algorithms.velocity(kt.load("planar2r").model, np.zeros(2), np.ones(2), frame="tip").round(3)
    array([ 0., -2.,  0.,  0.,  0.,  3.])
    """
    F = model.frame(frame, point)
    V = np.zeros(6) if F.body == WORLD else link_velocities(model, q, v)[F.body].V
    return lookup("expressed_in", expressed_in, EXPRESSED)(frame_pose(model, q, F), Ad_inv(F.X_bf, V))


@algorithm(returns="(6,) Angular [rad/s²], then linear acceleration [m/s²].")
def acceleration(
    model: Model,
    q: Array,
    v: Array,
    a: Array,
    *,
    frame: str,
    expressed_in: ExpressedIn = "body",
    point: Array | None = None,
) -> Array:
    """Acceleration of a frame: the rate of the components of its twist, expressed the same way.

    With `expressed_in="aligned"` its linear part is the ordinary acceleration of the frame's origin. With a = 0 it is
    the term J̇ v.

    >>> model = kt.load("planar2r").model
    >>> x = np.ones(2)
    >>> kt.algorithms.acceleration(model, x, x, x, frame="tip").round(3)
    array([ 0.   , -2.   ,  0.   ,  1.382,  0.   ,  1.699])
    """
    velocities = link_velocities(model, q, v)
    accelerations = outward(model, link_acceleration, np.zeros(6), velocities, model.split_v(a))
    return express_acceleration(model, q, velocities, accelerations, model.frame(frame, point), expressed_in)


def express_acceleration(
    model: Model, q: Array, velocities: list[Velocity], accelerations: list[Array], F: Frame, expressed_in: str
) -> Array:
    """The acceleration (6,) of a frame, from those of the bodies."""
    at_rest = np.zeros(6)
    V, dV = (at_rest, at_rest) if F.body == WORLD else (velocities[F.body].V, accelerations[F.body])
    rate = lookup("expressed_in", expressed_in, _ACCELERATION)
    return rate(frame_pose(model, q, F), Ad_inv(F.X_bf, V), Ad_inv(F.X_bf, dV))


def _turned(X: Array, V: Array) -> Array:
    """A six-vector's two halves in the axes of the world."""
    R = se3.rotation(X)
    return concatenate([R @ V[:3], R @ V[3:]])


def _ordinary(X: Array, V: Array, dV: Array) -> Array:
    """Rate of the aligned twist: the frame's axes turn, which adds ω × v."""
    w, v = V[:3], V[3:]
    return _turned(X, concatenate([dV[:3], dV[3:] + so3.cross(w, v)]))


EXPRESSED: dict[str, Callable[..., Array]] = {"body": lambda X, V: V, "space": Ad, "aligned": _turned}
_ACCELERATION: dict[str, Callable[..., Array]] = {
    "body": lambda X, V, dV: dV,
    "space": lambda X, V, dV: Ad(X, dV),
    "aligned": _ordinary,
}
