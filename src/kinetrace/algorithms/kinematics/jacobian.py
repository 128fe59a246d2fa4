"""Jacobians of frames: columns are the joints' screws, carried to the frame or to the world; Park et al. (18)–(20).

A twist of a frame F is expressed in one of three `TwistAxes`, which belong to an observer: "body" moves with the frame,
"space" rests, and "aligned" moves with the frame's origin without turning. A motion E is the sum of what it is relative
to the observer and what the observer shares. When joint i moves by its screws J_i, columns of the Jacobian, a twist of
what it carries changes by the bracket with J_i (Park et al. (1995), Proposition 1), a twist of what comes before does
not, and an observer who shares the motion has less of the first and the opposite of the second:

    D(J, V, V_p) = [relative J, V − V_p] − [shared J, V_p]       for V of F, V_p of the body before the joint

A six-vector x that is fixed to body i changes, in a motion, at the rate [relative V_i, x] − [shared (V − V_i), x].
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from ...arrays import Array, concatenate
from ...errors import lookup
from ...lie import Ad, Ad_inv, ad, se3
from ...model import Body, Frame, Model
from ..registry.choices import ExpressedIn
from ..registry.declaration import algorithm
from ..sweeps.tree import inward, outward
from .forward_kinematics import frame_pose, link_pose

Carry = Callable[[Array], Array]
"""Six-vectors (..., 6) of a body → the same, expressed as F's twist is; zero if the body does not carry F."""
ZERO_POSE = np.zeros((4, 4))
"""In place of a pose: maps every six-vector to zero."""


def pose_of_frame(body: Body, X_iF: Array, start: Array, q: Array) -> tuple[Array, Array]:
    """Pose of F in a body that carries it, and in the parent."""
    X_iF = X_iF + start
    return X_iF, body.placement(q) @ X_iF


def to_frame(model: Model, q: Array, F: Frame) -> list[Carry]:
    """For every body, how its six-vectors become those of F, in the axes of F."""
    starts = [F.X_bf if i == F.body else ZERO_POSE for i in range(len(model.bodies))]
    return [partial(Ad_inv, X) for X in inward(model, pose_of_frame, ZERO_POSE, starts, model.split_q(q))]


def to_world(model: Model, q: Array, F: Frame, origin: Array | None = None) -> list[Carry]:
    """The same in the axes of the world, at its origin or at another."""
    poses, carriers = outward(model, link_pose, np.eye(4), model.split_q(q)), model.ancestors(F.body)
    if origin is not None:
        poses = [se3.pose(se3.rotation(X), se3.translation(X) - origin) for X in poses]
    return [partial(Ad, X if i in carriers else ZERO_POSE) for i, X in enumerate(poses)]


def to_origin(model: Model, q: Array, F: Frame) -> list[Carry]:
    """The same in the axes of the world, at the origin of F."""
    return to_world(model, q, F, se3.translation(frame_pose(model, q, F)))


class TwistAxes(NamedTuple):
    """One way to express a twist."""

    carries: Callable[[Model, Array, Frame], list[Carry]]
    """(model, q, F) → for every body, how its six-vectors become those of F."""
    relative: Callable[[Array], Array]
    """The part of a motion (..., 6) of F that the observer does not share."""
    shared: Callable[[Array], Array]
    """The rest of it: the motion of the observer."""

    def displaced(self, J: Array, V: Array, V_p: Array) -> Array:
        """D(J, V, V_p): the change of V as a joint moves by J."""
        return ad(self.relative(J), V - V_p) - ad(self.shared(J), V_p)

    def attached(self, x: Array, V: Array, V_i: Array) -> Array:
        """The rate of a six-vector that is fixed to a body of twist V_i."""
        return ad(self.relative(V_i), x) - ad(self.shared(V - V_i), x)


TWIST_AXES = {
    "body": TwistAxes(to_frame, lambda E: 0 * E, lambda E: E),
    "space": TwistAxes(to_world, lambda E: E, lambda E: 0 * E),
    "aligned": TwistAxes(
        to_origin,
        lambda E: concatenate([E[..., :3], 0 * E[..., 3:]]),
        lambda E: concatenate([0 * E[..., :3], E[..., 3:]]),
    ),
}


@algorithm("Jacobian", returns="(6, nv) The Jacobian, angular rows first.")
def jacobian(
    model: Model, q: Array, *, frame: str, expressed_in: ExpressedIn = "body", point: Array | None = None
) -> Array:
    """Jacobian of a frame: its twist is J v.

    >>> kt.algorithms.jacobian(kt.load("planar2r").model, np.zeros(2), frame="tip").round(3)
    array([[ 0.,  0.],
           [-1., -1.],
           [ 0.,  0.],
           [ 0.,  0.],
           [ 0.,  0.],
           [ 2.,  1.]])
    """
    carries = lookup("expressed_in", expressed_in, TWIST_AXES).carries(model, q, model.frame(frame, point))
    screws = [
        carry(body.subspace(q_i).T) for body, q_i, carry in zip(model.bodies, model.split_q(q), carries, strict=True)
    ]
    return model.gather(screws).reshape(model.nv, 6).T
