"""Bodies and joints of a model of MuJoCo → links and joints of a builder.

MuJoCo places a body in its parent by (pos, quat) where all its joints are at their references, and moves it by these
one after the other, each in the moved frame of the body: about an axis through a point, along an axis, about a point.
A free joint is the pose of its body in the world. With the reference taken into the joint's placement,

    X_pb = X · Π placement(-ref) · placement(qpos)

the configuration is MuJoCo's own: q = qpos for all joints.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....arrays import Array
from ....lie import inertia, se3, so3
from ...body import Limits
from ...builder import Builder
from ...joint_effects import JointEffects
from ...joints import Fixed, Free, Joint, Prismatic, Revolute, Spherical
from .names import BALL, FREE, HINGE, SLIDE, Names

_SAME, _PARALLEL = 1, 3
"""mjSAMEFRAME_BODY, mjSAMEFRAME_BODYROT."""
Described = Callable[[int, Joint], tuple[Limits, JointEffects | None]]
"""Joint of MuJoCo's, and ours → its limits and effects."""


def add_bodies(builder: Builder, model: Any, names: Names, described: Described) -> None:
    """All bodies with their joints, and sites as frames."""
    builder.link(names.bodies[0])
    for i in range(1, model.nbody):
        builder.link(names.bodies[i], _inertia(model, i))
    for i in range(1, model.nbody):
        _add_joints(builder, model, i, names, described)
    for s, name in enumerate(names.sites):
        builder.frame(name, names.bodies[model.site_bodyid[s]], placed(model.site_pos[s], model.site_quat[s]))


def placed(position: Array, quaternion: Array) -> Array:
    """A pose (4, 4) of MuJoCo's numbers."""
    return se3.pose(so3.from_quaternion(quaternion / np.linalg.norm(quaternion)), np.array(position))


def inertial_frame(model: Any, i: int) -> Array:
    """Pose (4, 4) of a body's principal axes in it. Where MuJoCo takes them for those of the body, so do we."""
    same, axes, center = int(model.body_sameframe[i]), model.body_iquat[i], model.body_ipos[i]
    return placed(np.zeros(3) if same == _SAME else center, np.eye(4)[0] if same in (_SAME, _PARALLEL) else axes)


def _inertia(model: Any, i: int) -> Array:
    """J (6, 6) of a body in its frame."""
    X = inertial_frame(model, i)
    R = X[:3, :3]
    with np.errstate(invalid="ignore", over="ignore"):  # numbers that are not finite are refused by name
        return inertia.from_mass_com(model.body_mass[i], X[:3, 3], R @ np.diag(model.body_inertia[i]) @ R.T)


def _add_joints(builder: Builder, model: Any, i: int, names: Names, described: Described) -> None:
    """The joints between a body and its parent, with massless links between them; a fixed one if there are none."""
    parent, body = names.bodies[model.body_parentid[i]], names.bodies[i]
    X = placed(model.body_pos[i], model.body_quat[i])
    first, count = int(model.body_jntadr[i]), int(model.body_jntnum[i])
    if count == 0:
        builder.joint(f"fixed:{body}", Fixed(), parent=parent, child=body, placement=X)
    for j in range(first, first + count):
        joint, before, after = moved(model, j)
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


def moved(model: Any, j: int) -> tuple[Joint, Array, Array]:
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
