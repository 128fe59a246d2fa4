"""Our models as Pinocchio's: for robots that no URDF describes, and for loops, which it closes by balls and welds."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...lie import inertia, se3
from ...model import WORLD, Body, Closure, Model
from ...model import joints as j
from ...model.constraints import Contact, Point, Rigid
from . import Unsupported


def converted(pin: Any, model: Model) -> tuple[Any, dict[int, tuple[int, Any]]]:
    """Its model, and for each of our bodies its joint, with the pose of our body frame in that joint's."""
    made = pin.Model()
    made.gravity = pin.Motion(np.concatenate([model.gravity, np.zeros(3)]))
    at: dict[int, tuple[int, Any]] = {WORLD: (0, np.eye(4))}
    for body in model.bodies:
        if body.mimic is not None:
            raise Unsupported("mimic joints")
        parent, X_jp = at[body.parent]
        joint = made.addJoint(parent, _joint(pin, body), pin.SE3(X_jp @ body.X_pj), body.joint_name)
        made.appendBodyToJoint(joint, _inertia(pin, body), pin.SE3(np.array(body.X_ji)))
        at[body.index] = joint, body.X_ji
    return made, at


def _joint(pin: Any, body: Body) -> Any:
    joint = body.joint
    if isinstance(joint, j.Revolute | j.Continuous):
        return pin.JointModelRevoluteUnaligned(np.array(joint.axis))
    if isinstance(joint, j.Prismatic):
        return pin.JointModelPrismaticUnaligned(np.array(joint.axis))
    if isinstance(joint, j.Universal):
        return pin.JointModelUniversal(np.array(joint.first), np.array(joint.second))
    if isinstance(joint, j.Spherical):
        return pin.JointModelSpherical()
    if isinstance(joint, j.Free):
        return pin.JointModelFreeFlyer()
    raise Unsupported(f"{type(joint).__name__} joints")


def _inertia(pin: Any, body: Body) -> Any:
    mass, com = float(body.J[3, 3]), inertia.center_of_mass(body.J)
    about = inertia.change_frame(se3.pose(np.eye(3), -com), body.J)[:3, :3]
    return pin.Inertia(mass, com, about)


def constraints(pin: Any, made: Any, model: Model, at: dict[int, tuple[int, Any]]) -> Any:
    """Its constraint models of our closures."""
    found = pin.StdVec_RigidConstraintModel()
    for closure in model.closures:
        sides = [(at[f.body][0], pin.SE3(at[f.body][1] @ f.X_bf)) for f in closure.frames]
        (a, X_a), (b, X_b) = sides
        found.append(pin.RigidConstraintModel(_type(pin, closure), made, b, X_b, a, X_a, pin.ReferenceFrame.LOCAL))
    return found


def _type(pin: Any, closure: Closure) -> Any:
    constraint = closure.constraint.inner if isinstance(closure.constraint, Contact) else closure.constraint
    if closure.terms or constraint not in (Point(), Rigid()):
        raise Unsupported("loops that are closed by other than balls and welds")
    return pin.ContactType.CONTACT_3D if constraint == Point() else pin.ContactType.CONTACT_6D
