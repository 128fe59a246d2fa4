"""A model as URDF, and a list of what URDF cannot say.

    <origin> of a joint = X_pj;    the link on it has the frame of the moved joint, and the inertia there

Frames become massless links on fixed joints; joints that URDF does not have become chains of them with massless links
between. Chains move in the same way with the same variables: cylindrical and universal joints, and a helical one, which
is a hinge and a slider that mimics it. Ball joints and screws of other than unit length have no such chain: they become
hinges about z, y, x, and a hinge or slider in radians or metres, which changes the motion.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple
from xml.sax.saxutils import quoteattr

import numpy as np

from ....arrays import Array
from ....errors import ModelError
from ....lie import inertia, se3
from ...body import WORLD, Body, Geometry
from ...build.connections import ROOT_JOINT
from ...joints import (
    Continuous,
    Cylindrical,
    Free,
    Helical,
    Joint,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
)
from ...joints.base import check_class
from ...model import Model
from .losses import PRIMITIVES, Unsaid, add_losses

_UNIT_WITHIN = 1e-12
_X, _Y, _Z = np.eye(3)


class UrdfJoint(NamedTuple):
    """One joint of URDF: a part of one of ours."""

    kind: str
    axis: Array | None
    placement: Array
    variable: int | None
    """Which variable of our joint it is; None: all of them, or, of a mimic, none."""
    ratio: float = 1.0
    """Of a step without a variable of its own, to the step before it."""

    @property
    def moves(self) -> bool:
        """Whether it has variables of its own."""
        return self.variable is not None or self.kind in ("floating", "planar")


def steps_of(body: Body, unsaid: Unsaid) -> list[UrdfJoint]:
    """The joints of URDF that move as one of ours, with the same variables."""
    joint, eye = body.joint, np.eye(4)
    check_class(joint, body.joint_name, "URDF")
    if isinstance(joint, Revolute | Continuous | Prismatic):
        return [UrdfJoint("prismatic" if isinstance(joint, Prismatic) else "revolute", joint.axis, eye, 0)]
    if isinstance(joint, Free):
        return [UrdfJoint("floating", None, eye, None)]
    if isinstance(joint, Planar):
        return [UrdfJoint("planar", joint.normal, eye, None)]
    if isinstance(joint, Universal):
        return [UrdfJoint("revolute", joint.first, eye, 0), UrdfJoint("revolute", joint.second, eye, 1)]
    if isinstance(joint, Cylindrical):
        return [UrdfJoint("revolute", joint.axis, eye, 0), UrdfJoint("prismatic", joint.axis, eye, 1)]
    if isinstance(joint, Helical):
        return _helix(joint.axis, joint.pitch, eye)
    if isinstance(joint, Screw):
        return _screw(body, joint, unsaid)
    return _ball(body, joint, unsaid)


def _helix(axis: Array, pitch: float, X: Array) -> list[UrdfJoint]:
    turn = UrdfJoint("revolute", axis, X, 0)
    return [turn] if pitch == 0.0 else [turn, UrdfJoint("prismatic", axis, np.eye(4), None, pitch)]


def _screw(body: Body, joint: Screw, unsaid: Unsaid) -> list[UrdfJoint]:
    if abs(joint.rate - 1.0) > _UNIT_WITHIN:
        kind = "screws of other than unit length, whose q is in radians or metres there"
        unsaid.add(kind, body.joint_name, changes=True)
    if not joint.turns:
        return [UrdfJoint("prismatic", joint.axis, np.eye(4), 0)]
    there = se3.pose(np.eye(3), joint.point)
    back = UrdfJoint("fixed", None, se3.inverse(there), None)
    return [*_helix(joint.axis, joint.pitch, there), *([back] if np.any(joint.point) else [])]


def _ball(body: Body, joint: Joint, unsaid: Unsaid) -> list[UrdfJoint]:
    if not isinstance(joint, Spherical):
        raise ModelError(f"joint {body.joint_name!r}: URDF has no {type(joint).__name__} joints")
    kind = "ball joints, written as hinges about z, y, x with other variables"
    unsaid.add(kind, body.joint_name, changes=True)
    return [UrdfJoint("revolute", axis, np.eye(4), k) for k, axis in enumerate((_Z, _Y, _X))]


_NONE = 1e100
"""Number that is written for a missing limit; numbers beyond 1e30 are read as none."""


@dataclass
class _UrdfWriter:
    model: Model
    lines: list[str] = field(default_factory=list)
    unsaid: Unsaid = field(default_factory=lambda: Unsaid("URDF"))
    links: dict[int, str] = field(default_factory=dict)
    """Body → the link that has its moved joint frame."""
    taken: set[str] = field(default_factory=set)
    joints: set[str] = field(default_factory=set)
    steps: dict[int, tuple[list[UrdfJoint], list[str]]] = field(default_factory=dict)
    """Body → the joints that its joint becomes, and their names."""

    def unique(self, name: str, names: set[str]) -> str:
        while name in names:
            name += "_"
        names.add(name)
        return name


def urdf_text(model: Model, *, lossy: bool = False) -> tuple[str, list[str]]:
    """The URDF text of a model, and what it does not say; an error if that changes the motion, unless `lossy`.

    >>> import kinetrace as kt
    >>> urdf_text(kt.load("planar2r").model.with_joint_effects(armature=0.1), lossy=True)[1]
    ["armature: 'joint1', 'joint2'", 'where joints start']
    """
    if not model.is_concrete:
        raise ModelError("a model whose numbers are traced cannot be saved")
    out = _UrdfWriter(model)
    out.taken |= set(model.frames)
    out.joints |= {body.joint_name for body in model.bodies}
    out.lines += ['<?xml version="1.0"?>', f"<robot name={quoteattr(model.name)}>"]
    floats = _free_base(model)
    if floats:
        out.unsaid.add("the free base, for which the file is loaded with base='free'", model.bodies[0].joint_name)
    world = None if floats else _add_world(out)
    for body in model.bodies:
        steps = steps_of(body, out.unsaid)
        out.steps[body.index] = steps, _step_names(out, body, steps)
    for body in model.bodies:
        _add_body(out, body, world, written=not (floats and body.index == 0))
    out.lines.append("</robot>")
    add_losses(model, out.unsaid)
    return "\n".join(out.lines) + "\n", out.unsaid.checked(model.name, lossy)


def _free_base(model: Model) -> bool:
    """Whether the root link floats as `base="free"` makes it."""
    if not model.bodies or not isinstance(model.bodies[0].joint, Free):
        return False
    first, others = model.bodies[0], model.bodies[1:]
    placed = all(np.array_equal(X, np.eye(4)) for X in (first.X_pj, first.X_ji))
    resting = any(body.parent == WORLD for body in others) or any(f.body == WORLD for f in model.frames.values())
    plain = first.effects is None and not np.isfinite(np.concatenate(_bounds(first))).any()
    return first.joint_name == ROOT_JOINT and placed and plain and not resting and model.resting is None


def _bounds(body: Body) -> tuple[Array, Array, Array, Array]:
    limits = body.limits
    return limits.lower, limits.upper, limits.velocity, limits.effort


def _add_world(out: _UrdfWriter) -> str:
    """The root link, which is at the world's frame."""
    here = [frame for frame in out.model.frames.values() if frame.body == WORLD]
    root = next((frame.name for frame in here if np.array_equal(frame.X_bf, np.eye(4))), None)
    link = out.unique("world", out.taken) if root is None else root
    _add_link(out, link, np.zeros((6, 6)) if out.model.resting is None else out.model.resting)
    _add_frames(out, link, WORLD, np.eye(4))
    return link


def _add_body(out: _UrdfWriter, body: Body, world: str | None, written: bool) -> None:
    same = [f for f in out.model.frames.values() if f.body == body.index and _is_identity(body.X_ji @ f.X_bf)]
    same.sort(key=lambda f: f.name != body.name)
    link = same[0].name if same else out.unique(f"{body.name}_joint_frame", out.taken)
    out.links[body.index] = link
    if written:
        parent = world if body.parent == WORLD else out.links[body.parent]
        assert parent is not None
        _add_joints(out, body, parent, link)
    _add_link(out, link, inertia.change_frame(body.X_ji, body.J))
    _add_frames(out, link, body.index, body.X_ji)


def _is_identity(X: Array) -> bool:
    return bool(np.abs(X - np.eye(4)).max() == 0.0)


def _add_frames(out: _UrdfWriter, link: str, body: int, X_ji: Array) -> None:
    for frame in out.model.frames.values():
        if frame.body == body and frame.name != link:
            name = out.unique(f"{frame.name}_fixed", out.joints)
            _add_joint_lines(out, name, "fixed", link, frame.name, X_ji @ frame.X_bf)
            out.lines.append("  </joint>")
            _add_link(out, frame.name, np.zeros((6, 6)))


def _add_link(out: _UrdfWriter, name: str, J: Array) -> None:
    shapes = [shape for shape in out.model.geometry if shape.frame == name]
    if not np.any(J) and not shapes:
        out.lines.append(f"  <link name={quoteattr(name)}/>")
        return
    out.lines.append(f"  <link name={quoteattr(name)}>")
    if np.any(J):
        mass, com, about = inertia.to_mass_com(J)
        if mass == 0.0 and np.any(J[:3, 3:]):
            raise ModelError(f"link {name!r} has first moments without mass, which URDF cannot say")
        moments = {f"i{a}{b}": about[i, j] for a, i, b, j in _MOMENTS}
        told = " ".join(f'{key}="{_text(value)}"' for key, value in moments.items())
        out.lines += [
            "    <inertial>",
            f"      {_origin(se3.pose(np.eye(3), com))}",
            f'      <mass value="{_text(mass)}"/>',
            f"      <inertia {told}/>",
            "    </inertial>",
        ]
    for shape in shapes:
        _add_shape(out, shape)
    out.lines.append("  </link>")


_MOMENTS = tuple((a, i, b, j) for i, a in enumerate("xyz") for j, b in enumerate("xyz") if i <= j)


def _add_shape(out: _UrdfWriter, shape: Geometry) -> None:
    if shape.kind == "mesh" and isinstance(shape.mesh, str):
        scale = f' scale="{_texts(shape.size)}"' if tuple(shape.size) not in ((), (1.0, 1.0, 1.0)) else ""
        inside = f"<mesh filename={quoteattr(shape.mesh)}{scale}/>"
    elif shape.kind == "box":
        inside = f'<box size="{_texts(shape.size)}"/>'
    elif shape.kind in PRIMITIVES:
        told = " ".join(f'{name}="{_text(x)}"' for name, x in zip(PRIMITIVES[shape.kind], shape.size, strict=True))
        inside = f"<{shape.kind} {told}/>"
    else:
        return  # `add_losses` names it
    role = "collision" if shape.role == "collision" else "visual"
    named = f" name={quoteattr(shape.name)}" if role == "collision" and shape.name else ""
    out.lines += [f"    <{role}{named}>", f"      {_origin(shape.placement)}", f"      <geometry>{inside}</geometry>"]
    if shape.color is not None and role == "visual":
        numbers = _texts(shape.color)
        name = f"rgba {numbers}".replace(" ", "_")
        out.lines.append(f'      <material name="{name}"><color rgba="{numbers}"/></material>')
    out.lines.append(f"    </{role}>")


def _add_joint_lines(out: _UrdfWriter, name: str, kind: str, parent: str, child: str, X: Array) -> None:
    out.lines += [
        f'  <joint name={quoteattr(name)} type="{kind}">',
        f"    {_origin(X)}",
        f"    <parent link={quoteattr(parent)}/>",
        f"    <child link={quoteattr(child)}/>",
    ]


def _add_joints(out: _UrdfWriter, body: Body, parent: str, link: str) -> None:
    steps, names = out.steps[body.index]
    X_lp = np.eye(4) if body.parent == WORLD else out.model.bodies[body.parent].X_ji  # the parent body in its link
    for k, (step, name) in enumerate(zip(steps, names, strict=True)):
        last = k == len(steps) - 1
        child = link if last else out.unique(f"{name}_part", out.taken)
        X = step.placement if k else X_lp @ body.X_pj @ step.placement
        _add_joint_lines(out, name, _kind(step, body), parent, child, X)
        if step.axis is not None:
            out.lines.append(f'    <axis xyz="{_texts(step.axis)}"/>')
        _add_limit(out, body, step)
        if step.moves:
            _add_dynamics(out, body, step)
        if step.kind != "fixed" and step.variable is None and k:
            _add_mimic(out, names[k - 1], step.ratio, 0.0)
        elif step.kind != "fixed" and body.mimic is not None:
            leaders = [name for step, name in zip(*out.steps[body.mimic.source], strict=True) if step.moves]
            i = step.variable or 0
            k, ratio = body.mimic.followed_variable(i)
            if ratio is not None:
                _add_mimic(out, leaders[k], ratio, body.mimic.offset[i])
        out.lines.append("  </joint>")
        if not last:
            _add_link(out, child, np.zeros((6, 6)))
        parent = child


def _step_names(out: _UrdfWriter, body: Body, steps: list[UrdfJoint]) -> list[str]:
    """Names of the joints that one of ours becomes: its own, of the only one with variables."""
    moving = [k for k, step in enumerate(steps) if step.moves]
    wanted = {k: f"{body.joint_name}_{k + 1}" for k in range(len(steps)) if [k] != moving}
    named = {k: out.unique(name, out.joints) for k, name in wanted.items()}
    return [named.get(k, body.joint_name) for k in range(len(steps))]


def _add_mimic(out: _UrdfWriter, leader: str, ratio: float, offset: float) -> None:
    out.lines.append(f'    <mimic joint={quoteattr(leader)} multiplier="{_text(ratio)}" offset="{_text(offset)}"/>')


def _kind(step: UrdfJoint, body: Body) -> str:
    """The type of a step: a hinge without limits is continuous."""
    if step.kind != "revolute":
        return step.kind
    lower, upper, *_ = _bounds(body)
    own = step.variable is not None and not isinstance(body.joint, Spherical)
    return "revolute" if own and np.isfinite([lower[step.variable], upper[step.variable]]).any() else "continuous"


def _add_limit(out: _UrdfWriter, body: Body, step: UrdfJoint) -> None:
    if step.kind == "fixed":
        return
    lower, upper, velocity, effort = _bounds(body)
    if step.kind in ("floating", "planar") or isinstance(body.joint, Spherical):
        found = {"effort": effort.min(), "velocity": velocity.min()}
        if not np.isfinite(list(found.values())).any():
            return
    elif step.variable is None:
        found = {"lower": -np.inf, "upper": np.inf, "effort": np.inf, "velocity": np.inf}
    else:
        k = step.variable
        found = {"lower": lower[k], "upper": upper[k], "effort": effort[k], "velocity": velocity[k]}
        if _kind(step, body) == "continuous":
            found = {"effort": effort[k], "velocity": velocity[k]}
            if not np.isfinite(list(found.values())).any():
                return
    told = " ".join(f'{name}="{_text(min(max(x, -_NONE), _NONE))}"' for name, x in found.items())
    out.lines.append(f"    <limit {told}/>")


def _add_dynamics(out: _UrdfWriter, body: Body, step: UrdfJoint) -> None:
    if body.effects is None:
        return
    k = slice(None) if step.variable is None else step.variable
    found = {name: np.atleast_1d(getattr(body.effects, name)[k]) for name in ("damping", "friction")}
    told = " ".join(f'{name}="{_text(x.max())}"' for name, x in found.items() if np.any(x))
    if told:
        out.lines.append(f"    <dynamics {told}/>")


def _origin(X: Array) -> str:
    return f'<origin xyz="{_texts(X[:3, 3])}" rpy="{_texts(_rpy(X[:3, :3]))}"/>'


def _rpy(R: Array) -> tuple[float, float, float]:
    """Roll, pitch and yaw, one after the other, so that their product is R to the last digit, at any pitch."""
    yaw = float(np.arctan2(R[1, 0], R[0, 0]))
    c, s = np.cos(yaw), np.sin(yaw)
    R = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]) @ R
    pitch, roll = float(np.arctan2(-R[2, 0], R[0, 0])), float(np.arctan2(-R[1, 2], R[1, 1]))
    return roll, pitch, yaw


def _texts(x: Array) -> str:
    return " ".join(map(_text, x))


def _text(x: float) -> str:
    """Every digit; whole numbers without a point."""
    value = float(x) + 0.0
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
