"""The general robot of a kind: the same tree and joints, and nothing special about its numbers."""

from __future__ import annotations

from dataclasses import is_dataclass, replace

import numpy as np

from ...arrays import Array
from ...lie import se3, so3
from ..body import Body, Frame
from ..joints import Joint, Screw
from ..model import Model
from ..record import field_names
from .random import Rng, random_inertia, random_rotation

_X, _Z = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])


def generalised(model: Model, seed: int = 0) -> Model:
    """The same tree of the same joints with random numbers, of which none is zero or one by chance or by design.

    For operation counts: what an algorithm costs when no parallel axes, no offsets that vanish and no symmetric bodies
    help. Body frames are as free as they always are, and so chosen well: each joint has its axis along z of its body,
    and the first joint on a body is placed by modified Denavit–Hartenberg parameters, twist, length and offset (and an
    angle where the joint does not turn), all of them arbitrary; further ones, and joints with several degrees of
    freedom, have any pose. Inertias are full. Free joints in the world, gravity and the ratios of mimic joints stay as
    they are, and frames that coincide with a body's.

    >>> import kinetrace as kt
    >>> kt.Robot(generalised(kt.load("planar2r").model)).count("mass_matrix").mul > 0
    True
    """
    rng = np.random.default_rng(seed)
    firsts: dict[int, int] = {}
    for body in model.bodies:
        firsts.setdefault(body.parent, body.index)
    bodies = tuple(_general_body(rng, body, firsts[body.parent] == body.index) for body in model.bodies)
    frames = {name: _general_frame(rng, frame) for name, frame in model.frames.items()}
    return replace(model, bodies=bodies, frames=frames, geometry=())


def _general_body(rng: Rng, body: Body, first: bool) -> Body:
    joint, J, X_pj = _about_z(body.joint), random_inertia(rng), body.X_pj
    if joint.nv == 1 and first:
        X_pj = _modified_dh(rng, turns=bool(np.any(joint.subspace(joint.neutral())[:3])))
    elif joint.nv < 6:
        X_pj = _any_pose(rng)
    return replace(body, joint=joint, X_pj=X_pj, X_ji=np.eye(4), J=J)


def _general_frame(rng: Rng, frame: Frame) -> Frame:
    return frame if np.array_equal(frame.X_bf, np.eye(4)) else replace(frame, X_bf=_any_pose(rng))


def _about_z(joint: Joint) -> Joint:
    """The joint with its axis or normal along z; a joint with two axes as it is."""
    if isinstance(joint, Screw):
        w, v = joint.S[:3], joint.S[3:]
        turn = np.linalg.norm(w)
        return Screw([0.0, 0.0, turn, 0.0, 0.0, w @ v / turn if turn else np.linalg.norm(v)])
    axes = [name for name in field_names(type(joint)) if name in ("axis", "normal")]
    return replace(joint, **dict.fromkeys(axes, _Z)) if is_dataclass(joint) else joint


def _modified_dh(rng: Rng, turns: bool) -> Array:
    twist, angle, (length, offset) = rng.uniform(0.2, 1.3), rng.uniform(0.2, 1.3), rng.uniform(0.1, 0.5, 2)
    R = so3.axis_angle(_X, twist)
    return se3.pose(R if turns else R @ so3.axis_angle(_Z, angle), length * _X + R @ (offset * _Z))


def _any_pose(rng: Rng) -> Array:
    return se3.pose(random_rotation(rng), rng.uniform(0.1, 0.5, 3))
