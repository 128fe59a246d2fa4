"""`pinocchio.Model` → builder.

    X_pi = jointPlacements[i] · placement(q_i)      Pinocchio's body frame is the moved joint frame

Six-vectors there are linear first, quaternions (x, y, z, w); `interop.pinocchio` converts states. Joints that we have
no class for become several, with massless links between them, named by `part_names`: translations, Euler angles,
composites. Nothing of Pinocchio is imported: the model brings its own classes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ....arrays import Array
from ....errors import ModelError, name_list
from ....lie import inertia
from ...body import Limits
from ...build.builder import Builder
from ...effects.joint_effects import JointEffects
from ...joints import Continuous, Free, Helical, Joint, Planar, Prismatic, Revolute, Spherical, Universal

_AXES = dict(zip("XYZ", np.eye(3), strict=True))
_STARTS = ("home", "half_sitting", "standing")
"""Reference configurations that are taken before others."""
_SAME_WITHIN = 1e-12
"""Distance of a link's frame from its joint's within which they are the same."""


class PinocchioJointPart(NamedTuple):
    """One joint of ours: a part of a joint of Pinocchio's, or all of it."""

    name: str
    joint: Joint
    placement: Array
    """(4, 4) pose of the part in the part before it."""
    q: slice
    """Place of its variables in those of Pinocchio's joint."""
    v: slice


def parts_of(model: Any, i: int) -> list[PinocchioJointPart]:
    """Our joints for the joint i of a `pinocchio.Model`; an error if we have none for it."""
    name, joint = str(model.names[i]), model.joints[i]
    shapes = list(_shapes(joint, name))
    names = part_names(name, len(shapes))
    found, q, v = [], 0, 0
    for part, (ours, X, nq) in zip(names, shapes, strict=True):
        found.append(PinocchioJointPart(part, ours, X, slice(q, q + nq), slice(v, v + ours.nv)))
        q, v = q + nq, v + ours.nv
    return found


def part_names(name: str, count: int) -> list[str]:
    """Names of our joints for one of Pinocchio's.

    >>> part_names("hip", 3), part_names("hip", 1)
    (['hip_1', 'hip_2', 'hip_3'], ['hip'])
    """
    return [name] if count == 1 else [f"{name}_{k}" for k in range(1, count + 1)]


def _shapes(joint: Any, name: str) -> Iterator[tuple[Joint, Array, int]]:
    """Our joints, their placements, and how many variables of Pinocchio's each has."""
    kind, eye = str(joint.shortname()).removeprefix("JointModel"), np.eye(4)
    own = joint.extract() if hasattr(joint, "extract") else joint
    if kind == "Composite":
        for part, X in zip(own.joints, own.jointPlacements, strict=True):
            inner = list(_shapes(part, name))
            for k, (ours, X_inner, nq) in enumerate(inner):
                yield ours, X.homogeneous @ X_inner if k == 0 else X_inner, nq
    elif kind == "SphericalZYX":
        yield from ((Revolute(_AXES[x]), eye, 1) for x in "ZYX")
    elif kind == "Translation":
        yield from ((Prismatic(_AXES[x]), eye, 1) for x in "XYZ")
    elif kind == "Mimic":
        v, w = _screw(joint, name, float(own.scaling))
        yield _with_screw(v, w), eye, 1
    else:
        yield _single(kind, joint, own, name), eye, int(joint.nq)


def _single(kind: str, joint: Any, own: Any, name: str) -> Joint:
    axis = _AXES.get(kind[-1:])
    if kind in ("RX", "RY", "RZ"):
        return Revolute(axis)
    if kind in ("RUBX", "RUBY", "RUBZ"):
        return Continuous(axis)
    if kind in ("PX", "PY", "PZ"):
        return Prismatic(axis)
    if kind in ("HX", "HY", "HZ"):
        return Helical(axis, float(own.pitch))
    unaligned = {
        "RevoluteUnaligned": Revolute,
        "RevoluteUnboundedUnaligned": Continuous,
        "PrismaticUnaligned": Prismatic,
    }
    if kind in unaligned:
        has_axis = hasattr(own, "axis")
        axis = np.array(own.axis, dtype=float).ravel() if has_axis else _screw(joint, name)[1]
        return unaligned[kind](axis)
    if kind == "HelicalUnaligned":
        return Helical(np.array(own.axis, dtype=float).ravel(), float(own.pitch))
    if kind == "Universal":
        return Universal(np.array(own.axis1, dtype=float).ravel(), np.array(own.axis2, dtype=float).ravel())
    plain = {"Spherical": Spherical, "FreeFlyer": Free, "Planar": Planar}
    if kind in plain:
        return plain[kind]()
    raise ModelError(f"joint {name!r}: there is no joint here for Pinocchio's {kind}")


def _screw(joint: Any, name: str, scaling: float = 1.0) -> tuple[Array, Array]:
    """(v, ω) of a joint that does not tell its axis: from its motion subspace."""
    data, q = joint.createData(), np.zeros(int(joint.idx_q) + max(int(joint.nq), 2))
    q[int(joint.idx_q)] = 1.0  # cos, sin of 0
    joint.calc(data, q)
    column = np.array(data.S, dtype=float).reshape(6, -1)
    if column.shape[1] != 1 or scaling == 0.0:
        raise ModelError(
            f"joint {name!r}: there is no mimic joint here with its degrees of freedom, or none that rests"
        )
    v, w = np.split(column[:, 0] / scaling, 2)
    return v, w


def _with_screw(v: Array, w: Array) -> Joint:
    if not np.any(w):
        return Prismatic(v)
    return Revolute(w) if not np.any(v) else Helical(w, float(v @ w / (w @ w)))


def _mimic(joint: Any) -> Any:
    return joint.extract() if hasattr(joint, "extract") else joint


def from_pinocchio(model: Any, *, joint_effects: bool = True) -> Builder:
    """A builder from a `pinocchio.Model`: joints, inertias, limits, friction, damping, armature, frames, gravity.

    It starts in the reference configuration "home", "half_sitting" or "standing", or in the first one, if there is any.
    A link has the name of the first body frame on its joint; without one, that of the joint. Shapes are not part of a
    `pinocchio.Model`.
    """
    gravity = np.array(model.gravity.linear, dtype=float).ravel().tolist()
    builder = Builder(str(model.name) or "robot", "pinocchio.Model", gravity=gravity)
    links = _link_names(model)
    for i, link in enumerate(links):
        builder.link(link, _inertia(model.inertias[i]))
    followed = _mimics(model)
    for i in range(1, int(model.njoints)):
        _add_joint(builder, model, i, links, followed.get(i), joint_effects)
    _add_frames(builder, model, links)
    builder.start(_start(model))
    rotors = np.array(model.rotorInertia, dtype=float) * np.array(model.rotorGearRatio, dtype=float) ** 2
    idle = [str(model.names[i]) for i in range(1, int(model.njoints)) if _has_idle_rotor(model, i, rotors)]
    if idle:
        builder.remark(
            f"rotorInertia of {name_list(idle)} is not used, as in Pinocchio's own dynamics; its armature is, and "
            "robot.with_joint_effects(armature=...) sets that"
        )
    return builder


def _has_idle_rotor(model: Any, i: int, rotors: Array) -> bool:
    at = slice(model.idx_vs[i], model.idx_vs[i] + model.nvs[i])
    return bool(np.any(rotors[at])) and not np.any(np.array(model.armature)[at])


def _mimics(model: Any) -> dict[int, tuple[str, float, float]]:
    """Mimic joint → (joint, ratio, offset)."""
    found = {}
    pairs = zip(getattr(model, "mimicking_joints", ()), getattr(model, "mimicked_joints", ()), strict=True)
    for i, source in pairs:
        mimic = _mimic(model.joints[i])
        found[int(i)] = (parts_of(model, int(source))[0].name, float(mimic.scaling), float(mimic.offset))
    return found


def _link_names(model: Any) -> list[str]:
    """A name per joint: that of the first body frame on it, or its own."""
    names: dict[int, str] = {}
    bodies = {str(frame.name) for frame in model.frames if str(frame.type) == "BODY"}
    for frame in model.frames:
        same = np.abs(frame.placement.homogeneous - np.eye(4)).max() <= _SAME_WITHIN
        if str(frame.type) == "BODY" and same:
            names.setdefault(int(frame.parentJoint), str(frame.name))
    found: list[str] = []
    for i, joint in enumerate(model.names):
        name = names.get(i, str(joint))
        while i not in names and (name in bodies or name in found):
            name += "_link"
        found.append(name)
    return found


def _inertia(Y: Any) -> Array:
    return inertia.from_mass_com(float(Y.mass), np.array(Y.lever, dtype=float), np.array(Y.inertia, dtype=float))


def _add_joint(
    builder: Builder,
    model: Any,
    i: int,
    links: list[str],
    followed: tuple[str, float, float] | None,
    joint_effects: bool,
) -> None:
    parts, parent = parts_of(model, i), links[model.parents[i]]
    for k, part in enumerate(parts):
        child = links[i] if k == len(parts) - 1 else f"{part.name}_part"
        X = model.jointPlacements[i].homogeneous @ part.placement if k == 0 else part.placement
        own = followed is None
        builder.joint(
            part.name,
            part.joint,
            parent=parent,
            child=child,
            placement=np.array(X, dtype=float),
            limits=_limits(model, i, part) if own else None,
            mimic=followed,
            effects=_effects(builder, model, i, part) if joint_effects and own else None,
        )
        parent = child


def _of(values: Any, first: int, part: slice, joint: Joint) -> Array:
    """Entries of a vector of Pinocchio's that belong to a joint of ours, angular first."""
    found = np.array(values, dtype=float).ravel()[first + part.start : first + part.stop]
    return np.roll(found, 3) if isinstance(joint, Free) and len(found) == 6 else found


def _limits(model: Any, i: int, part: PinocchioJointPart) -> Limits:
    none, q, v = Limits.none(part.joint), int(model.idx_qs[i]), int(model.idx_vs[i])
    lower, upper = np.array(none.lower), np.array(none.upper)
    if not isinstance(part.joint, Continuous | Spherical):
        given = 2 if isinstance(part.joint, Planar) else 3 if isinstance(part.joint, Free) else part.joint.nq
        low, high = (
            _of(x, q, part.q, part.joint)[:given] for x in (model.lowerPositionLimit, model.upperPositionLimit)
        )
        sensible = ~(low > high)
        lower[:given], upper[:given] = np.where(sensible, low, -np.inf), np.where(sensible, high, np.inf)
    velocity, effort = (_of(_either(model, x), v, part.v, part.joint) for x in ("Velocity", "Effort"))
    lower, upper = (np.where(np.isnan(x), y, x) for x, y in ((lower, none.lower), (upper, none.upper)))
    return Limits(lower, upper, velocity, effort)


def _either(model: Any, what: str) -> Any:
    """The upper limit of velocities or efforts, which older versions do not call so."""
    name = f"upper{what}Limit"
    return getattr(model, name) if hasattr(model, name) else getattr(model, f"{what.lower()}Limit")


def _effects(builder: Builder, model: Any, i: int, part: PinocchioJointPart) -> JointEffects | None:
    first = int(model.idx_vs[i])
    friction = model.upperDryFrictionLimit if hasattr(model, "upperDryFrictionLimit") else model.friction
    given = {"damping": model.damping, "friction": friction, "armature": model.armature}
    found = {name: _of(values, first, part.v, part.joint) for name, values in given.items()}
    if isinstance(part.joint, Planar) and np.any(found["armature"][:2]):
        builder.remark(f"joint {part.name!r}: armature along the plane is left out: its velocities turn with the body")
        found["armature"] = np.concatenate([np.zeros(2), found["armature"][2:]])
    found = {name: values for name, values in found.items() if np.any(values)}
    return JointEffects(**found) if found else None


def own_variables(joint: Joint, q: Array) -> Array:
    """Configurations (..., nq_i) of our joint, from Pinocchio's variables of it.

    >>> own_variables(Spherical(), np.array([0.0, 0.0, 0.6, 0.8]))
    array([0.8, 0. , 0. , 0.6])
    """
    if isinstance(joint, Free | Spherical):
        return np.concatenate([q[..., :-4], q[..., -1:], q[..., -4:-1]], axis=-1)
    if q.shape[-1] > joint.nq:  # cos and sin of an angle
        return np.concatenate([q[..., :-2], np.arctan2(q[..., -1:], q[..., -2:-1])], axis=-1)
    return q


def their_variables(joint: Joint, q: Array, count: int) -> Array:
    """Pinocchio's variables (..., count) of a joint, from configurations of ours.

    >>> their_variables(Spherical(), np.array([0.8, 0.0, 0.0, 0.6]), 4)
    array([0. , 0. , 0.6, 0.8])
    """
    if isinstance(joint, Free | Spherical):
        return np.concatenate([q[..., :-4], q[..., -3:], q[..., -4:-3]], axis=-1)
    if count > joint.nq:
        return np.concatenate([q[..., :-1], np.cos(q[..., -1:]), np.sin(q[..., -1:])], axis=-1)
    return q


def _start(model: Any) -> dict[str, Array]:
    """Joint of ours → where it is in the reference configuration; nothing if there is none."""
    given = {str(entry.key()): np.array(entry.data(), dtype=float).ravel() for entry in model.referenceConfigurations}
    fitting = {name: q for name, q in given.items() if q.shape == (int(model.nq),)}
    if not fitting:
        return {}
    q = next(fitting[name] for name in (*_STARTS, *fitting) if name in fitting)
    followed, found = _mimics(model), dict[str, Array]()
    for i in range(1, int(model.njoints)):
        for part in parts_of(model, i) if i not in followed else ():
            at = slice(model.idx_qs[i] + part.q.start, model.idx_qs[i] + part.q.stop)
            found[part.name] = own_variables(part.joint, q[at])
    return found


def _add_frames(builder: Builder, model: Any, links: list[str]) -> None:
    taken, twice = set(links), list[str]()
    for frame in model.frames:
        name, kind = str(frame.name), str(frame.type)
        if kind in ("JOINT", "FIXED_JOINT") or name == links[int(frame.parentJoint)]:
            continue
        if name in taken:
            twice.append(name)
            continue
        taken.add(name)
        builder.frame(name, links[int(frame.parentJoint)], np.array(frame.placement.homogeneous))
    if twice:
        builder.remark(f"names of frames that are used twice, the first is taken: {name_list(twice)}", harmless=True)
