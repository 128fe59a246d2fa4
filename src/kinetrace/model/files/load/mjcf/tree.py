"""Bodies and joints of a model of MuJoCo → links and joints of a builder, and where it starts.

MuJoCo places a body in its parent by (pos, quat) where all its joints are at their references, and moves it by these
one after the other, each in the moved frame of the body: about an axis through a point, along an axis, about a point.
A free joint is the pose of its body in the world. With the reference taken into the joint's placement,

    X_pb = X · Π placement(-ref) · placement(qpos)

the configuration is MuJoCo's own: q = qpos for all joints.

A model starts at its keyframe "home", or at the first one, or at its reference configuration. A keyframe has all
joints. The reference has the joints with a zero elsewhere: free ones, which stand where the file puts their bodies, and
those with `ref`; what it says of the others is that nothing is said.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .....arrays import Array
from .....lie import inertia, se3, so3
from ....body import Limits
from ....build.builder import Builder
from ....effects.joint_effects import JointEffects
from ....joints import Fixed, Free, Joint, Prismatic, Revolute, Spherical
from .names import BALL, FREE, HINGE, SLIDE, MjcfNames, given_names

_SAME_FRAME, _PARALLEL = 1, 3
"""mjSAMEFRAME_BODY, mjSAMEFRAME_BODYROT."""
Described = Callable[[int, Joint], tuple[Limits, JointEffects | None]]
"""Joint of MuJoCo's, and ours → its limits and effects."""


def add_bodies(builder: Builder, model: Any, names: MjcfNames, described: Described) -> None:
    """All bodies with their joints, and sites as frames."""
    builder.link(names.bodies[0])
    for i in range(1, model.nbody):
        builder.link(names.bodies[i], _inertia(model, i))
    for i in range(1, model.nbody):
        _add_joints(builder, model, i, names, described)
    for s, name in enumerate(names.sites):
        builder.frame(name, names.bodies[model.site_bodyid[s]], pose_of(model.site_pos[s], model.site_quat[s]))


def pose_of(position: Array, quaternion: Array) -> Array:
    """A pose (4, 4) of MuJoCo's numbers."""
    return se3.pose(so3.from_quaternion(quaternion / np.linalg.norm(quaternion)), np.array(position))


def inertial_frame(model: Any, i: int) -> Array:
    """Pose (4, 4) of a body's principal axes in it. Where MuJoCo takes them for those of the body, so do we."""
    same, axes, center = int(model.body_sameframe[i]), model.body_iquat[i], model.body_ipos[i]
    return pose_of(
        np.zeros(3) if same == _SAME_FRAME else center, np.eye(4)[0] if same in (_SAME_FRAME, _PARALLEL) else axes
    )


def _inertia(model: Any, i: int) -> Array:
    """J (6, 6) of a body in its frame."""
    X = inertial_frame(model, i)
    R = X[:3, :3]
    with np.errstate(invalid="ignore", over="ignore"):  # numbers that are not finite are refused by name
        return inertia.from_mass_com(model.body_mass[i], X[:3, 3], R @ np.diag(model.body_inertia[i]) @ R.T)


def _add_joints(builder: Builder, model: Any, i: int, names: MjcfNames, described: Described) -> None:
    """The joints between a body and its parent, with massless links between them; a fixed one if there are none."""
    parent, body = names.bodies[model.body_parentid[i]], names.bodies[i]
    X = pose_of(model.body_pos[i], model.body_quat[i])
    first, count = int(model.body_jntadr[i]), int(model.body_jntnum[i])
    if count == 0:
        builder.joint(f"fixed:{body}", Fixed(), parent=parent, child=body, placement=X)
    for j in range(first, first + count):
        joint, before, after = joint_of(model, j)
        X = np.eye(4) if model.jnt_type[j] == FREE else X @ before
        limits, effects = described(j, joint)
        child = names.between.get(j, body)
        builder.joint(
            names.joints[j],
            joint,
            parent=parent,
            child=child,
            placement=X,
            child_placement=after,
            limits=limits,
            effects=effects,
        )
        parent, X = child, np.eye(4)


def joint_of(model: Any, j: int) -> tuple[Joint, Array, Array]:
    """A joint, with the constant poses before and after it."""
    kind, axis, point = int(model.jnt_type[j]), model.jnt_axis[j], se3.pose(np.eye(3), np.array(model.jnt_pos[j]))
    back = se3.inverse(point)
    if kind == FREE:
        return Free(), np.eye(4), np.eye(4)
    if kind == BALL:
        return Spherical(), point, back
    reference = -model.qpos0[model.jnt_qposadr[j]]
    if kind == SLIDE:
        return Prismatic(axis), se3.pose(np.eye(3), reference * axis), np.eye(4)
    assert kind == HINGE
    return Revolute(axis), point @ se3.pose(so3.axis_angle(axis, reference), np.zeros(3)), back


HOME = "home"
"""Name of the keyframe that is taken before others."""
_SIZES = {FREE: 7, BALL: 4}
_NEUTRAL = {FREE: np.eye(7)[3], BALL: np.eye(4)[0]}

Values = dict[str, tuple[float, ...]]
"""Joint → its entries of qpos."""


def start_of(model: Any, names: MjcfNames) -> Values:
    """The joints that begin elsewhere than at zero, all of them if there is a keyframe."""
    keys = given_names(model, "key", model.nkey)
    if keys:
        return by_joint(model, names, model.key_qpos[keys.index(HOME) if HOME in keys else 0])
    reference = by_joint(model, names, model.qpos0)
    kinds = dict(zip(names.joints, model.jnt_type.tolist(), strict=True))
    return {name: q for name, q in reference.items() if not np.array_equal(q, _NEUTRAL.get(kinds[name], [0.0]))}


def by_joint(model: Any, names: MjcfNames, qpos: Array) -> Values:
    """A configuration of MuJoCo's, joint by joint."""
    first = zip(names.joints, model.jnt_qposadr.tolist(), model.jnt_type.tolist(), strict=True)
    return {name: tuple(qpos[at : at + _SIZES.get(kind, 1)].tolist()) for name, at, kind in first}
