"""A model as MJCF, MuJoCo's format, and a list of what MJCF cannot say.

    pos, quat of a body = X_pj X_ji, where its joints are at zero; joints are in the frame of their body

Frames become sites, closures equality constraints, motors `<motor>`s unless there are actuators, the start a keyframe
"home". Bodies have inertias of their own, so that shapes do not count.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .....arrays import Array
from .....errors import ModelError
from .....lie import inertia, se3, so3
from ....body import WORLD, Body
from ....checks import is_present
from ....closures import WORLD_NAME
from ....effects.joint_effects import FRICTION_WIDTH, JointEffects
from ....effects.link_effects import LinkEffects
from ....joints import Free, Spherical
from ....model import Model
from ..losses import FOLLOWS_SEVERAL, Unsaid, follow_several
from .actuators import actuator_elements, keyframe_elements
from .closures import Constraints
from .contacts import rules_elements
from .elements import MjcfElement, joints_in
from .joints import (
    MAX_JOINTS_PER_BODY,
    MjcfJoint,
    count_of,
    free_parts,
    is_along,
    parts_of,
    parts_of_body,
    placed_in,
    pose_text,
    text,
)
from .shapes import Shapes

__all__ = ["mjcf"]

_NONE = 2e30
"""Number that is written for a missing limit; numbers beyond 1e30 are read as none."""
_MIN_MASS = 2e-15
"""Mass and moments of inertia that a moving body of MuJoCo's has at least [kg, kg m²]."""


def mjcf(model: Model, *, lossy: bool = False) -> tuple[str, list[str]]:
    """The MJCF text of a model, and what it does not say; an error if that changes the motion, unless `lossy`.

    >>> import kinetrace as kt
    >>> text, unsaid = mjcf(kt.load("planar2r").model)
    >>> text.splitlines()[0], unsaid
    ('<mujoco model="planar2r">', ["limits of velocities: 'joint1', 'joint2'"])
    """
    if not model.is_concrete:
        raise ModelError("a model whose numbers are traced cannot be saved")
    out = _MjcfWriter(model)
    text = out.text()
    return text, out.unsaid.checked(model.name, lossy)


@dataclass(frozen=True)
class _Group:
    """A body of MJCF: massless bodies with their joints, and the one at the end that it is."""

    bodies: tuple[Body, ...]

    @property
    def last(self) -> Body:
        """The body that it is."""
        return self.bodies[-1]


@dataclass
class _MjcfWriter:
    model: Model
    unsaid: Unsaid = field(default_factory=lambda: Unsaid("MJCF"))
    _outermost: dict[int, MjcfElement] = field(default_factory=dict)
    """Body → the element that is put into that of its parent."""

    def text(self) -> str:
        """All of the file."""
        model = self.model
        self.children: dict[int, list[Body]] = {}
        for body in model.bodies:
            self.children.setdefault(body.parent, []).append(body)
        self.held = {frame.body for closure in model.closures for frame in closure.frames}
        self.parts: dict[int, list[MjcfJoint]] = {}
        self.is_unbalanced = False
        self.shapes = Shapes(model, self.unsaid)
        groups = self._groups()
        frames = {group.last.index: self._moved(group) for group in groups}
        variables = {
            (index, part.variable): (part.name, part.scale)
            for index, parts in self.parts.items()
            for part in parts
            if part.variable is not None
        }
        self.constraints = Constraints(model, variables, self.unsaid)
        self._add_followers()
        bodies = {group.last.index: self._body(group, *frames[group.last.index]) for group in groups}
        world = MjcfElement("worldbody", {}, [*self.shapes.geoms.get(WORLD, []), *self._sites(WORLD, np.eye(4))])
        if model.resting is not None and np.any(model.resting):
            world.children.append(MjcfElement("body", {"name": self._resting()}, [self._inertial(model.resting, "")]))
        for group in groups:
            parent = group.bodies[0].parent
            (world if parent == WORLD else bodies[parent]).children.append(self._outermost[group.last.index])
        return self._file(world).text()

    def _file(self, world: MjcfElement) -> MjcfElement:
        compiler = {"angle": "radian", "autolimits": "true"}
        if self.is_unbalanced:
            compiler["balanceinertia"] = "true"
        actuators = actuator_elements(self.model, self.parts, self.constraints.tendons, self.unsaid)
        sections = [
            MjcfElement("compiler", compiler),
            MjcfElement("option", {"gravity": text(self.model.gravity), **self._fluid()}, self._flags()),
            MjcfElement("asset", {}, self.shapes.assets),
            world,
            MjcfElement("contact", {}, rules_elements(self.model, self.shapes.touching, self._body_name, self.unsaid)),
            MjcfElement("tendon", {}, self.constraints.tendons),
            MjcfElement("equality", {}, self.constraints.equalities),
            MjcfElement("actuator", {}, actuators),
            MjcfElement("keyframe", {}, keyframe_elements(self.model, self.parts, joints_in(world), self.unsaid)),
        ]
        kept = [x for x in sections if x.children or x.attributes or x is world]
        return MjcfElement("mujoco", {"model": self.model.name}, kept)

    def _fluid(self) -> dict[str, str]:
        fluid = self.model.fluid
        names = ("density", "viscosity", "wind")
        return {} if fluid is None else {name: text(getattr(fluid, name)) for name in names}

    def _flags(self) -> list[MjcfElement]:
        rules = self.model.contact_rules
        return [MjcfElement("flag", {"filterparent": "disable"})] if rules is not None and rules.neighbours else []

    def _resting(self) -> str:
        root = self.model.root
        is_free = root is not None and root.body == WORLD and np.array_equal(root.X_bf, np.eye(4))
        return root.name if root is not None and is_free and root.name != WORLD_NAME else "resting"

    # Bodies

    def _groups(self) -> list[_Group]:
        """The bodies of MJCF, parents before children."""
        found, open_chain = list[_Group](), dict[int, tuple[Body, ...]]()
        for body in self.model.bodies:
            chain = (*open_chain.pop(body.parent, ()), body)
            if (
                self._is_between(body)
                and sum(map(count_of, (*chain, self.children[body.index][0]))) <= MAX_JOINTS_PER_BODY
            ):
                open_chain[body.index] = chain
            else:
                found.append(_Group(chain))
        return found

    def _is_between(self, body: Body) -> bool:
        """Whether a body is nothing but a step between two joints."""
        frames = [frame for frame in self.model.frames.values() if frame.body == body.index]
        below = self.children.get(body.index, [])
        if np.any(body.J) or len(below) != 1 or body.index in self.held or body.index in self.shapes.geoms:
            return False
        if isinstance(body.joint, Free | Spherical) or isinstance(below[0].joint, Free):
            return False
        if parts_of(below[0], below[0].X_ji, "") is None:
            return False
        return all(frame.name == body.name for frame in frames)

    def _moved(self, group: _Group) -> tuple[Array, Array]:
        """Pose of the body of MJCF in its parent at zero, and pose of ours in it; its joints are kept in `parts`."""
        last = group.last
        A = last.X_ji
        parts = parts_of(last, A, last.joint_name)
        if parts is not None:
            self.parts[last.index] = parts
            for body in reversed(group.bodies[:-1]):
                A = body.X_ji @ next(b for b in group.bodies if b.parent == body.index).X_pj @ A
                self.parts[body.index] = parts_of(body, A, body.joint_name) or []
            return group.bodies[0].X_pj @ A, np.eye(4)
        return self._in_joint_frame(last)

    def _in_joint_frame(self, body: Body) -> tuple[Array, Array]:
        """A ball or free joint whose body has other axes: the body of MJCF is the moved joint frame."""
        if isinstance(body.joint, Free):
            self.unsaid.add("free joints that are not of the world, written as slides and a ball", body.joint_name)
            self.parts[body.index] = free_parts(body.joint_name, np.eye(4))
        else:
            self.parts[body.index] = [MjcfJoint(body.joint_name, "ball", np.zeros(3), np.zeros(3), None)]
        return body.X_pj, body.X_ji

    def _body(self, group: _Group, X: Array, X_in: Array) -> MjcfElement:
        """The element that has the children of the body; `_outermost` has the one that is put into the parent."""
        body = group.last
        parts = parts_of_body(self.model, body, self.unsaid)
        inside = [
            self._inertial(parts.J, body.name, parts.own),
            *self.shapes.geoms.get(body.index, []),
            *self._sites(body.index, np.eye(4), body.name, *(link.link for link, _ in parts.others)),
            *(self._link(link, X) for link, X in parts.others),
        ]
        lifted = _compensation(parts.own)
        joints = [self._joint(b, part) for b in group.bodies for part in self.parts[b.index]]
        name = self._name(body.name)
        for between in group.bodies[:-1]:
            if between.name != f"{name}:{between.joint_name}":  # as a loader calls it
                self.unsaid.add("massless links between joints, which are not bodies there", between.name)
        if np.array_equal(X_in, np.eye(4)):
            made = MjcfElement("body", {"name": name, **pose_text(X), **lifted}, [*joints, *inside])
            self._outermost[body.index] = made
            return made
        made = MjcfElement("body", {"name": name, **pose_text(X_in), **lifted}, inside)
        outer = {"name": f"{name}:{body.joint_name}", **pose_text(X)}
        self._outermost[body.index] = MjcfElement("body", outer, [*joints, made])
        return made

    def _name(self, name: str) -> str:
        """The name of a body or site: "world" is MuJoCo's own."""
        if name != WORLD_NAME:
            return name
        self.unsaid.add("frames with MuJoCo's name of the world, which are called 'world_' there", name)
        return f"{name}_"

    def _body_name(self, name: str) -> str:
        """The name of the element that has the shapes of a body."""
        return f"{name}_" if name == WORLD_NAME else name

    def _link(self, link: LinkEffects, X: Array) -> MjcfElement:
        """A link that is a fixed part of a body, at X in it, as a body without joints."""
        own = placed_in(link, X)
        inside = [self._inertial(own.inertia(), "", own)]
        return MjcfElement("body", {"name": self._name(link.link), **pose_text(X), **_compensation(link)}, inside)

    def _inertial(self, J: Array, body: str, effects: LinkEffects | None = None) -> MjcfElement:
        """Mass, centre and principal moments, of a moving body if it has a name; along the axes of its box, if any."""
        mass, center, central = inertia.to_mass_com(J)
        moments, axes = np.linalg.eigh(central)
        axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])
        if effects is not None and is_along(se3.rotation(effects.placement), central):
            axes = se3.rotation(effects.placement)
            moments = np.diag(axes.T @ central @ axes)
        if body:
            mass, moments = max(mass, _MIN_MASS), np.maximum(moments, _MIN_MASS)
        if moments.sum() < 2.0 * moments.max() - 1e-9 * moments.max() and moments.max() > 2 * _MIN_MASS:
            self.is_unbalanced = True
            self.unsaid.add("inertias that no body can have, which MuJoCo replaces", body, changes=True)
        diagonal = {"mass": text(mass), "diaginertia": text(moments), "quat": text(so3.to_quaternion(axes))}
        return MjcfElement("inertial", {"pos": text(center), **diagonal})

    def _sites(self, body: int, X: Array, *own: str) -> list[MjcfElement]:
        """Frames of a body, but its own and those that are bodies, and what closures use."""
        found = list(self.constraints.sites.get(body, []))
        resting = self._resting() if body == WORLD and self.model.resting is not None else ""
        for frame in self.model.frames.values():
            if frame.body != body or frame.name in (*own, resting):
                continue
            if body == WORLD and frame.name == WORLD_NAME and np.array_equal(frame.X_bf, np.eye(4)):
                continue
            found.append(MjcfElement("site", {"name": self._name(frame.name), **pose_text(X @ frame.X_bf)}))
        return found

    # Joints

    def _joint(self, body: Body, part: MjcfJoint) -> MjcfElement:
        found = {"name": part.name, "type": part.kind}
        if part.kind in ("hinge", "slide"):
            found["axis"] = text(part.axis)
        if part.kind in ("hinge", "ball") and np.any(part.point):
            found["pos"] = text(part.point)
        if part.scale != 1.0:
            self.unsaid.add("units of screws, whose joints are in radians or metres", body.joint_name)
        return MjcfElement("joint", {**found, **self._limits(body, part), **self._effects(body, part)})

    def _limits(self, body: Body, part: MjcfJoint) -> dict[str, str]:
        limits, k, found = body.limits, part.variable, dict[str, str]()
        if np.isfinite(limits.velocity).any():
            self.unsaid.add("limits of velocities", body.joint_name)
        if k is None or part.scale != 1.0:
            if np.isfinite(np.concatenate([limits.lower, limits.upper, limits.effort])).any() and part.follows is None:
                self.unsaid.add("limits of joints with several variables", body.joint_name)
            return found
        lower, upper = float(limits.lower[k]), float(limits.upper[k])
        if np.isfinite([lower, upper]).any() and lower < upper:
            found["range"] = text(np.clip([lower, upper], -_NONE, _NONE))
        elif np.isfinite([lower, upper]).any():
            self.unsaid.add("limits that leave no range", body.joint_name)
        if np.isfinite(limits.effort[k]) and limits.effort[k] > 0:
            found["actuatorfrcrange"] = text(np.array([-limits.effort[k], limits.effort[k]]))
        return found

    def _effects(self, body: Body, part: MjcfJoint) -> dict[str, str]:
        effects, found = body.effects, dict[str, str]()
        if effects is None or part.follows is not None:
            return found
        self._unsaid_effects(body, effects)
        for field_name, attribute, power in (
            ("armature", "armature", 2),
            ("damping", "damping", 2),
            ("friction", "frictionloss", 1),
            ("stiffness", "stiffness", 2),
        ):
            values = np.atleast_1d(getattr(effects, field_name)) / part.scale**power
            if not is_present(values):
                continue
            if part.variable is None and len(set(values.tolist())) > 1:
                kind = f"{field_name} that differs between the axes of a joint"
                self.unsaid.add(kind, body.joint_name, changes=True)
                continue
            found[attribute] = text(values[part.variable or 0])
        if "stiffness" in found and effects.rest is not None:
            if part.variable is not None:
                found["springref"] = text(effects.rest[part.variable] * part.scale)
            elif not np.array_equal(effects.rest, body.joint.neutral()):
                self.unsaid.add("rest positions of springs in ball joints", body.joint_name, changes=True)
        return found

    def _unsaid_effects(self, body: Body, effects: JointEffects) -> None:
        if effects.stop_law == "hard" and is_present(effects.restitution):
            self.unsaid.add("restitution of hard stops", body.joint_name, changes=True)
        if is_present(effects.friction) and np.any(effects.friction_width != FRICTION_WIDTH):
            self.unsaid.add("widths of friction", body.joint_name, changes=True)
        if is_present(effects.stop_stiffness) or is_present(effects.stop_damping):
            self.unsaid.add("soft stops", body.joint_name, changes=True)

    def _add_followers(self) -> None:
        """Mimic joints, and slides of screws, which are joints of their own here."""
        self.unsaid.add_all(FOLLOWS_SEVERAL, follow_several(self.model), changes=True)
        for body in self.model.bodies:
            parts = self.parts[body.index]
            for part in parts:
                if part.follows is not None:
                    self.unsaid.add("screws, written as a hinge, a slide and their ratio", body.joint_name)
                    self.constraints.follow(part.name, *part.follows, 0.0)
            if body.mimic is None:
                continue
            self.unsaid.add("mimic joints, written as joints of their own with a constraint", body.joint_name)
            sources = {part.variable: part for part in self.parts[body.mimic.source]}
            for part in parts:
                if part.variable is None:
                    continue
                k, ratio = body.mimic.followed_variable(part.variable)
                if ratio is not None and k in sources:
                    ratio, offset = ratio * part.scale / sources[k].scale, body.mimic.offset[part.variable] * part.scale
                    self.constraints.follow(part.name, sources[k].name, ratio, float(offset))


def _compensation(effects: LinkEffects | None) -> dict[str, str]:
    has = effects is not None and effects.gravity_compensation
    return {"gravcomp": text(effects.gravity_compensation)} if effects is not None and has else {}
