"""A robot as a `pinocchio.Model`.

    jointPlacements[i] = X_jp X_pj,   the body's frame is X_ji in the frame of its joint

Joints have the names and variables of ours as far as Pinocchio has them: `interop.pinocchio` converts states.
Continuous joints have one variable here and there. Mimic joints are mimic joints there as far as Pinocchio has them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..arrays import Array
from ..errors import ModelError, ModelWarning, listed, warn
from ..lie import inertia, se3
from ..model import WORLD, Body, Model
from ..model import joints as j
from ..model.checks import is_present
from ..model.files.load.pinocchio_model import their_variables
from ..model.joints.base import check_class
from ..robot import Robot
from ..support.conversion import as_flag
from ..support.optional import needed
from .states import model_of

_UNIT = 1e-12
_AXES = "XYZ"
_FOLLOWING = ("RX", "RY", "RZ", "RevoluteUnaligned", "PX", "PY", "PZ", "PrismaticUnaligned")
"""Joints that it makes mimic joints of; with others it ends the process."""


def to_model(robot: Robot | Model, *, mimic: bool = True) -> Any:
    """Robot as a `pinocchio.Model`: joints, inertias, frames, limits, damping, friction, armature, gravity.

    Where the robot starts (`robot.model.start`) is the reference configuration "home". Springs, stops and closures are
    not part of such a model: a warning names them. The frames of the robot are body frames there, and have the same
    names. Effects of mimic joints are added to those of the joints that they follow.

    Parameters
    ----------
    robot : Robot or Model
        The robot.
    mimic : bool, default True
        Whether mimic joints follow others, as they do here; if not, they are joints of their own, as in models that
        Pinocchio builds from URDF unless told otherwise, and `interop.pinocchio` has them follow in every state.
        Some algorithms of Pinocchio, such as `aba`, refuse models with mimic joints.

    Returns
    -------
    pinocchio.Model
        The same robot in Pinocchio.

    Raises
    ------
    InputError
        If Pinocchio is not installed.
    ModelError
        If Pinocchio has no such joint: a screw whose `rate` is not 1, a mimic joint that is neither a hinge nor a
        slide or stands before the joint that it follows, a joint of a class of your own.

    Examples
    --------
    >>> import kinetrace as kt
    >>> model = kt.interop.pinocchio.to_model(kt.load("panda"))
    >>> list(model.names)[1:3], model.nq
    (['panda_joint1', 'panda_joint2'], 7)
    """
    pin = needed("pinocchio", "to_model", "bench")
    ours = model_of(robot)
    made, at = converted(pin, ours)
    follow = as_flag("mimic", mimic)
    leaders = [body for body in ours.bodies if body.mimic is None or not follow]
    followers = [body for body in ours.bodies if body.mimic is not None and follow]
    for body in followers:
        made = _following(pin, made, body, at)
    lost = [f"closures {listed([x.name for x in ours.closures])}"] if ours.closures else []
    for name in ("stiffness", "stop_stiffness", "stop_damping"):
        having = [b.joint_name for b in ours.bodies if b.effects is not None and is_present(getattr(b.effects, name))]
        lost += [f"{name} of {listed(having)}"] if having else []
    links = [x for b in ours.bodies for x in b.link_effects or ()]
    lifted = [x.link for x in links if x.gravity_compensation]
    lost += [f"gravity compensation of {listed(lifted)}"] if lifted else []
    lost += ["the fluid around links"] if ours.fluid is not None and links else []
    slid = [b.joint_name for b in ours.bodies if np.any(_sliding(b))]
    lost += [f"armature along the plane of {listed(slid)}, whose velocities turn with the body there"] if slid else []
    if lost:
        warn(f"a pinocchio.Model does not hold {'; '.join(lost)}", ModelWarning)
    for frame in ours.frames.values():
        joint, X_jb = at[frame.body]
        made.addFrame(pin.Frame(frame.name, joint, 0, pin.SE3(X_jb @ frame.X_bf), pin.FrameType.BODY))
    for body in leaders:
        _add_numbers(made, at[body.index][0], body)
    for body in followers:
        assert body.mimic is not None
        _add_effects(made, at[body.mimic.source][0], body, float(body.mimic.ratio))
    if ours.start is not None:
        made.referenceConfigurations["home"] = _start(made, leaders, ours.split_q(ours.start), at)
    return made


def _following(pin: Any, made: Any, body: Body, at: Mapping[int, tuple[int, Array]]) -> Any:
    """Its model, with the joint of a body made a mimic joint."""
    assert body.mimic is not None
    source, own = at[body.mimic.source][0], at[body.index][0]
    why = ""
    if not hasattr(pin, "transformJointIntoMimic"):
        why = f"Pinocchio {pin.__version__} cannot make mimic joints"
    elif not str(made.joints[own].shortname()).removeprefix("JointModel").startswith(_FOLLOWING):
        why = f"Pinocchio has mimic joints of hinges and slides, not of {type(body.joint).__name__} joints"
    elif own < source:
        why = f"it stands before joint {made.names[source]!r}, which it follows: in Pinocchio, behind it"
    if why:
        raise ModelError(f"joint {body.joint_name!r}: {why}. mimic=False makes mimic joints joints of their own")
    return pin.transformJointIntoMimic(made, source, own, float(body.mimic.ratio), float(body.mimic.offset))


def _start(made: Any, bodies: list[Body], q: Sequence[Array], at: Mapping[int, tuple[int, Array]]) -> Array:
    """A configuration of ours, by bodies, as its own; `bodies` are those that have variables there."""
    found = np.zeros(int(made.nq))
    for body in bodies:
        i, x = at[body.index][0], q[body.index]
        there = slice(int(made.idx_qs[i]), int(made.idx_qs[i] + made.nqs[i]))
        found[there] = their_variables(body.joint, x, int(made.nqs[i]))
    return found


def converted(pin: Any, model: Model) -> tuple[Any, dict[int, tuple[int, Array]]]:
    """Its model, without frames and mimics; for each of our bodies its joint, and the pose of our body frame in it.

    The error about a joint that it does not have is a `ModelError`.
    """
    made = pin.Model()
    made.name = model.name
    made.gravity = pin.Motion(np.concatenate([model.gravity, np.zeros(3)]))
    at: dict[int, tuple[int, Array]] = {WORLD: (0, np.eye(4))}
    for body in model.bodies:
        parent, X_jp = at[body.parent]
        theirs, X = _joint(pin, body)
        joint = made.addJoint(parent, theirs, pin.SE3(X_jp @ body.X_pj @ X), body.joint_name)
        X_ji = se3.inverse(X) @ body.X_ji
        made.appendBodyToJoint(joint, _inertia(pin, body.J), pin.SE3(X_ji))
        at[body.index] = joint, X_ji
    return made, at


def _joint(pin: Any, body: Body) -> tuple[Any, Array]:
    """Its joint, and the pose of that joint's frame in the frame of ours."""
    joint, eye = body.joint, np.eye(4)
    check_class(joint, body.joint_name, "Pinocchio")
    if isinstance(joint, j.Revolute | j.Continuous):
        return _axial(pin, "R", "RevoluteUnaligned", joint.axis), eye
    if isinstance(joint, j.Prismatic):
        return _axial(pin, "P", "PrismaticUnaligned", joint.axis), eye
    if isinstance(joint, j.Helical):
        return pin.JointModelHelicalUnaligned(np.array(joint.axis), float(joint.pitch)), eye
    if isinstance(joint, j.Screw):
        return _screw(pin, joint, body.joint_name)
    if isinstance(joint, j.Universal):
        return pin.JointModelUniversal(np.array(joint.first), np.array(joint.second)), eye
    if isinstance(joint, j.Planar):
        x, y = joint._plane().T
        return pin.JointModelPlanar(), se3.pose(np.stack([x, y, joint.normal], axis=-1), np.zeros(3))
    if isinstance(joint, j.Cylindrical):
        made = pin.JointModelComposite()
        made.addJoint(_axial(pin, "R", "RevoluteUnaligned", joint.axis))
        made.addJoint(_axial(pin, "P", "PrismaticUnaligned", joint.axis))
        return made, eye
    plain = {j.Spherical: pin.JointModelSpherical, j.Free: pin.JointModelFreeFlyer}
    if type(joint) not in plain:
        raise ModelError(f"joint {body.joint_name!r}: Pinocchio has no {type(joint).__name__} joints")
    return plain[type(joint)](), eye


def _axial(pin: Any, aligned: str, unaligned: str, axis: Array) -> Any:
    found = [x for x, e in zip(_AXES, np.eye(3), strict=True) if np.array_equal(axis, e)]
    return getattr(pin, f"JointModel{aligned}{found[0]}" if found else f"JointModel{unaligned}")(
        *([] if found else [np.array(axis)])
    )


def _screw(pin: Any, joint: j.Screw, name: str) -> tuple[Any, Array]:
    if abs(joint.rate - 1.0) > _UNIT:
        moves = f"{joint.rate:g} {'rad' if joint.turns else 'm'} per unit of q"
        raise ModelError(
            f"joint {name!r}: this screw moves by {moves}, those of Pinocchio by 1: scale S by {1 / joint.rate:g}"
        )
    if not joint.turns:
        return _axial(pin, "P", "PrismaticUnaligned", joint.axis), np.eye(4)
    return pin.JointModelHelicalUnaligned(joint.axis, joint.pitch), se3.pose(np.eye(3), joint.point)


def _inertia(pin: Any, J: Array) -> Any:
    mass, com, about = inertia.to_mass_com(J)
    made = pin.Inertia.Zero()  # its constructor refuses moments that rounding made negative
    made.mass, made.lever, made.inertia = float(mass), com, np.ascontiguousarray(about)
    return made


def _sliding(body: Body) -> Array:
    """Armature along the plane of a planar joint: Pinocchio's has no term for a plane that turns."""
    has = isinstance(body.joint, j.Planar) and body.effects is not None
    return np.asarray(body.effects.armature[:2]) if has and body.effects is not None else np.zeros(2)


def _add_numbers(made: Any, i: int, body: Body) -> None:
    """Limits and effects of a joint."""
    joint, limits = body.joint, body.limits
    q, v = int(made.idx_qs[i]), int(made.idx_vs[i])
    order = np.roll(np.arange(6), -3) if isinstance(joint, j.Free) else np.arange(joint.nv)
    rows = {"velocityLimit": limits.velocity, "effortLimit": limits.effort}
    if body.effects is not None:
        rows |= {name: getattr(body.effects, name) for name in ("armature", "damping", "friction")}
    if np.any(_sliding(body)):
        rows["armature"] = np.concatenate([np.zeros(2), rows["armature"][2:]])
    for name, values in rows.items():
        _set(made, name, v, np.asarray(values, dtype=float)[order])
    bounded = 3 if isinstance(joint, j.Free) else 2 if isinstance(joint, j.Planar) else joint.nq
    if not isinstance(joint, j.Spherical):
        _set(made, "lowerPositionLimit", q, limits.lower[:bounded])
        _set(made, "upperPositionLimit", q, limits.upper[:bounded])


def _add_effects(made: Any, i: int, body: Body, ratio: float) -> None:
    """Effects of a joint that moves by a ratio with joint i, added to those of joint i."""
    if body.effects is None:
        return
    v = int(made.idx_vs[i])
    for name, factor in (("armature", ratio**2), ("damping", ratio**2), ("friction", abs(ratio))):
        at = _names(made, name)
        own = np.asarray(getattr(body.effects, name), dtype=float)
        there = next(iter(at))
        before = at[there] * np.asarray(getattr(made, there))[v : v + len(own)]
        _set(made, name, v, before + factor * own)


_TWO_SIDED = {"velocityLimit": "VelocityLimit", "effortLimit": "EffortLimit", "friction": "DryFrictionLimit"}
"""Names of older versions → what newer ones call them behind lower and upper."""


def _names(made: Any, name: str) -> dict[str, float]:
    """What a number is called there, with its sign."""
    two = _TWO_SIDED.get(name, "")
    return {f"upper{two}": 1.0, f"lower{two}": -1.0} if two and hasattr(made, f"upper{two}") else {name: 1.0}


def _set(made: Any, name: str, at: int, values: Array) -> None:
    for each, sign in _names(made, name).items():
        found = np.array(getattr(made, each), dtype=float)
        found[at : at + len(values)] = sign * values
        setattr(made, each, found)
