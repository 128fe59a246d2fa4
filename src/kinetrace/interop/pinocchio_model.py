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
from ..errors import ModelError, ModelWarning, name_list, warn
from ..lie import inertia, se3
from ..model import WORLD, Body, Model
from ..model import joints as j
from ..model.checks import is_present
from ..model.files.load.pinocchio_model import their_variables
from ..model.joints.base import check_class
from ..robot import Robot
from ..support.conversion import as_flag
from ..support.optional import require_package
from .states import model_of

_RATE_TOLERANCE = 1e-12
_AXES = "XYZ"
_MIMIC_KINDS = ("RX", "RY", "RZ", "RevoluteUnaligned", "PX", "PY", "PZ", "PrismaticUnaligned")
"""Kinds of joints that Pinocchio turns into mimic joints; with others it ends the process."""


def to_model(robot: Robot | Model, *, mimic: bool = True) -> Any:
    """Robot as a `pinocchio.Model`: joints, inertias, frames, limits, damping, friction, armature, gravity.

    Where the robot starts (`robot.model.start`) is the reference configuration "home". Springs, stops and closures are
    not part of such a model: a warning names them. Friction is what Pinocchio's solvers of constraints take as dry. The
    frames of the robot are body frames there, and have the same names. Effects of mimic joints are added to those of
    the joints that they follow.

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
        slide, stands before the joint that it follows or follows by a matrix, a joint of a class of your own.

    Examples
    --------
    >>> import kinetrace as kt
    >>> model = kt.interop.pinocchio.to_model(kt.load("panda"))
    >>> list(model.names)[1:3], model.nq
    (['panda_joint1', 'panda_joint2'], 7)
    """
    pin = require_package("pinocchio", "to_model", "bench")
    ours = model_of(robot)
    theirs, places = joint_tree(pin, ours)
    follow = as_flag("mimic", mimic)
    leaders = [body for body in ours.bodies if body.mimic is None or not follow]
    followers = [body for body in ours.bodies if body.mimic is not None and follow]
    for body in followers:
        theirs = _with_mimic_joint(pin, theirs, body, places)
    if omitted := _omissions(ours):
        warn(f"a pinocchio.Model does not hold {'; '.join(omitted)}", ModelWarning)
    for frame in ours.frames.values():
        joint, X_jb = places[frame.body]
        theirs.addFrame(pin.Frame(frame.name, joint, 0, pin.SE3(X_jb @ frame.X_bf), pin.FrameType.BODY))
    for body in leaders:
        _add_numbers(theirs, places[body.index][0], body)
    for body in followers:
        assert body.mimic is not None
        _add_effects(theirs, places[body.mimic.source][0], body, float(body.mimic.ratio[0, 0]))
    if ours.start is not None:
        theirs.referenceConfigurations["home"] = _start(theirs, leaders, ours.split_q(ours.start), places)
    return theirs


def _omissions(model: Model) -> list[str]:
    """Parts of a model that a `pinocchio.Model` does not hold, for a message."""
    omitted = {"closures": [x.name for x in model.closures]}
    for name in ("stiffness", "stop_stiffness", "stop_damping"):
        omitted[f"{name} of"] = [
            b.joint_name for b in model.bodies if b.effects is not None and is_present(getattr(b.effects, name))
        ]
    hard = [b for b in model.bodies if b.effects is not None and b.effects.stop_law == "hard"]
    omitted["hard stops of"] = [b.joint_name for b in hard if np.isfinite([*b.limits.lower, *b.limits.upper]).any()]
    links = [x for b in model.bodies for x in b.link_effects or ()]
    omitted["gravity compensation of"] = [x.link for x in links if x.gravity_compensation]
    texts = [f"{what} {name_list(names)}" for what, names in omitted.items() if names]
    if model.fluid is not None and links:
        texts.append("the fluid around links")
    if planar := [b.joint_name for b in model.bodies if np.any(_sliding_armature(b))]:
        texts.append(f"armature along the plane of {name_list(planar)}, whose velocities turn with the body there")
    return texts


def _with_mimic_joint(pin: Any, theirs: Any, body: Body, places: Mapping[int, tuple[int, Array]]) -> Any:
    """The model of Pinocchio, with the joint of a body turned into a mimic joint."""
    assert body.mimic is not None
    source, joint = places[body.mimic.source][0], places[body.index][0]
    why = ""
    if not hasattr(pin, "transformJointIntoMimic"):
        why = f"Pinocchio {pin.__version__} cannot make mimic joints"
    elif not str(theirs.joints[joint].shortname()).removeprefix("JointModel").startswith(_MIMIC_KINDS):
        why = f"Pinocchio has mimic joints of hinges and slides, not of {type(body.joint).__name__} joints"
    elif body.mimic.ratio.shape != (1, 1):
        why = f"it follows {body.mimic.ratio.shape[1]} variables by a matrix; in Pinocchio a mimic joint follows one"
    elif joint < source:
        why = f"it stands before joint {theirs.names[source]!r}, which it follows: in Pinocchio, behind it"
    if why:
        raise ModelError(f"joint {body.joint_name!r}: {why}. mimic=False makes mimic joints joints of their own")
    return pin.transformJointIntoMimic(
        theirs, source, joint, *map(float, (body.mimic.ratio[0, 0], body.mimic.offset[0]))
    )


def _start(theirs: Any, bodies: list[Body], q: Sequence[Array], places: Mapping[int, tuple[int, Array]]) -> Array:
    """Configuration of Pinocchio, from ours by bodies; `bodies` are those that have variables there."""
    q_pin = np.zeros(int(theirs.nq))
    for body in bodies:
        i, x = places[body.index][0], q[body.index]
        entries = slice(int(theirs.idx_qs[i]), int(theirs.idx_qs[i] + theirs.nqs[i]))
        q_pin[entries] = their_variables(body.joint, x, int(theirs.nqs[i]))
    return q_pin


def joint_tree(pin: Any, model: Model) -> tuple[Any, dict[int, tuple[int, Array]]]:
    """Model of Pinocchio without frames and mimics; by our bodies, its joints and the poses of our body frames in them.

    The error about a joint that Pinocchio does not have is a `ModelError`.
    """
    theirs = pin.Model()
    theirs.name = model.name
    theirs.gravity = pin.Motion(np.concatenate([model.gravity, np.zeros(3)]))
    places: dict[int, tuple[int, Array]] = {WORLD: (0, np.eye(4))}
    for body in model.bodies:
        parent, X_jp = places[body.parent]
        kind, X = _joint(pin, body)
        joint = theirs.addJoint(parent, kind, pin.SE3(X_jp @ body.X_pj @ X), body.joint_name)
        X_ji = se3.inverse(X) @ body.X_ji
        theirs.appendBodyToJoint(joint, _inertia(pin, body.J), pin.SE3(X_ji))
        places[body.index] = joint, X_ji
    return theirs, places


def _joint(pin: Any, body: Body) -> tuple[Any, Array]:
    """Joint of Pinocchio, and the pose of its frame in the frame of ours."""
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
        composite = pin.JointModelComposite()
        composite.addJoint(_axial(pin, "R", "RevoluteUnaligned", joint.axis))
        composite.addJoint(_axial(pin, "P", "PrismaticUnaligned", joint.axis))
        return composite, eye
    plain = {j.Spherical: pin.JointModelSpherical, j.Free: pin.JointModelFreeFlyer}
    if type(joint) not in plain:
        raise ModelError(f"joint {body.joint_name!r}: Pinocchio has no {type(joint).__name__} joints")
    return plain[type(joint)](), eye


def _axial(pin: Any, aligned: str, unaligned: str, axis: Array) -> Any:
    letters = [x for x, e in zip(_AXES, np.eye(3), strict=True) if np.array_equal(axis, e)]
    return getattr(pin, f"JointModel{aligned}{letters[0]}" if letters else f"JointModel{unaligned}")(
        *([] if letters else [np.array(axis)])
    )


def _screw(pin: Any, joint: j.Screw, name: str) -> tuple[Any, Array]:
    if abs(joint.rate - 1.0) > _RATE_TOLERANCE:
        moves = f"{joint.rate:g} {'rad' if joint.turns else 'm'} per unit of q"
        raise ModelError(
            f"joint {name!r}: this screw moves by {moves}, those of Pinocchio by 1: scale S by {1 / joint.rate:g}"
        )
    if not joint.turns:
        return _axial(pin, "P", "PrismaticUnaligned", joint.axis), np.eye(4)
    return pin.JointModelHelicalUnaligned(joint.axis, joint.pitch), se3.pose(np.eye(3), joint.point)


def _inertia(pin: Any, J: Array) -> Any:
    mass, com, about = inertia.to_mass_com(J)
    result = pin.Inertia.Zero()  # its constructor refuses moments that rounding made negative
    result.mass, result.lever, result.inertia = float(mass), com, np.ascontiguousarray(about)
    return result


def _sliding_armature(body: Body) -> Array:
    """Armature along the plane of a planar joint: Pinocchio's has no term for a plane that turns."""
    has = isinstance(body.joint, j.Planar) and body.effects is not None
    return np.asarray(body.effects.armature[:2]) if has and body.effects is not None else np.zeros(2)


def _add_numbers(theirs: Any, i: int, body: Body) -> None:
    """Limits and effects of a joint."""
    joint, limits = body.joint, body.limits
    q, v = int(theirs.idx_qs[i]), int(theirs.idx_vs[i])
    order = np.roll(np.arange(6), -3) if isinstance(joint, j.Free) else np.arange(joint.nv)
    rows = {"velocityLimit": limits.velocity, "effortLimit": limits.effort}
    if body.effects is not None:
        rows |= {name: getattr(body.effects, name) for name in ("armature", "damping", "friction")}
    if np.any(_sliding_armature(body)):
        rows["armature"] = np.concatenate([np.zeros(2), rows["armature"][2:]])
    for name, values in rows.items():
        _set(theirs, name, v, np.asarray(values, dtype=float)[order])
    bounded = 3 if isinstance(joint, j.Free) else 2 if isinstance(joint, j.Planar) else joint.nq
    if not isinstance(joint, j.Spherical):
        _set(theirs, "lowerPositionLimit", q, limits.lower[:bounded])
        _set(theirs, "upperPositionLimit", q, limits.upper[:bounded])


def _add_effects(theirs: Any, i: int, body: Body, ratio: float) -> None:
    """Effects of a joint that moves by a ratio with joint i, added to those of joint i."""
    if body.effects is None:
        return
    v = int(theirs.idx_vs[i])
    for name, factor in (("armature", ratio**2), ("damping", ratio**2), ("friction", abs(ratio))):
        signs = _names(theirs, name)
        values = np.asarray(getattr(body.effects, name), dtype=float)
        first = next(iter(signs))
        before = signs[first] * np.asarray(getattr(theirs, first))[v : v + len(values)]
        _set(theirs, name, v, before + factor * values)


_TWO_SIDED = {"velocityLimit": "VelocityLimit", "effortLimit": "EffortLimit", "friction": "DryFrictionLimit"}
"""Names of older versions → names of newer ones behind lower and upper."""


def _names(theirs: Any, name: str) -> dict[str, float]:
    """Names of a number in Pinocchio, with their signs."""
    two = _TWO_SIDED.get(name, "")
    return {f"upper{two}": 1.0, f"lower{two}": -1.0} if two and hasattr(theirs, f"upper{two}") else {name: 1.0}


def _set(theirs: Any, name: str, begin: int, values: Array) -> None:
    for each, sign in _names(theirs, name).items():
        array = np.array(getattr(theirs, each), dtype=float)
        array[begin : begin + len(values)] = sign * values
        setattr(theirs, each, array)
