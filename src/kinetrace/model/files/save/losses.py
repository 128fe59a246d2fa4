"""Properties of a model that a format, such as URDF, cannot hold; some of them change the motion."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ....arrays import Array
from ....errors import ModelError, name_list
from ...body import WORLD, Body
from ...build.builder import GRAVITY
from ...checks import is_present
from ...contact.surface import Surface
from ...effects.joint_effects import FRICTION_WIDTH, JointEffects
from ...joints import Free, Planar, Spherical
from ...model import Model


@dataclass
class Unsaid:
    """Properties that a format cannot hold, by kind, with the names of their owners.

    >>> unsaid = Unsaid("URDF")
    >>> unsaid.add("armature", "crank", "rocker", changes=True)
    >>> unsaid.add("the order of joints")
    >>> unsaid.lines(), unsaid.changes
    (["armature: 'crank', 'rocker'", 'the order of joints'], ["armature: 'crank', 'rocker'"])
    """

    format: str
    _found: dict[str, dict[str, None]] = field(default_factory=dict)
    _changing: set[str] = field(default_factory=set)

    def add(self, kind: str, *names: str, changes: bool = False) -> None:
        """Record one, and whether the robot would move in another way without it."""
        self._found.setdefault(kind, {}).update(dict.fromkeys(names))
        if changes:
            self._changing.add(kind)

    def add_all(self, kind: str, names: list[str], *, changes: bool = False) -> None:
        """Record one if there are names that it is about."""
        if names:
            self.add(kind, *names, changes=changes)

    def lines(self) -> list[str]:
        """One line per kind, those that change the motion first."""
        return [self._line(kind) for kind in sorted(self._found, key=lambda kind: kind not in self._changing)]

    @property
    def changes(self) -> list[str]:
        """The lines about what changes the motion."""
        return [self._line(kind) for kind in self._found if kind in self._changing]

    def _line(self, kind: str) -> str:
        names = list(self._found[kind])
        return f"{kind}: {name_list(names)}" if names else kind

    def checked(self, name: str, lossy: bool) -> list[str]:
        """The lines; an error if there is something that changes the motion, unless `lossy`."""
        if self.changes and not lossy:
            lost = "; ".join(self.changes)
            instead = "A .json file holds everything; lossy=True (convert --lossy) writes what can be said"
            raise ModelError(f"{self.format} cannot say how {name!r} moves: {lost}. {instead}")
        return self.lines()


PRIMITIVES = {
    "box": ("size",),
    "cylinder": ("radius", "length"),
    "capsule": ("radius", "length"),
    "sphere": ("radius",),
}
"""Shapes of URDF, and their attributes."""


FOLLOWS_SEVERAL = "joints that follow several variables of another at once, by a matrix"


def follow_several(model: Model) -> list[str]:
    """Joints that follow several variables of another, where formats have a ratio to one."""
    followers = [(b.joint_name, b.mimic) for b in model.bodies if b.mimic is not None]
    return [x for x, mimic in followers if any(mimic.followed_variable(i)[1] is None for i in range(len(mimic.ratio)))]


def add_losses(model: Model, unsaid: Unsaid) -> None:
    """Record what a model has that URDF has not."""
    closures = [closure.name for closure in model.closures]
    unsaid.add_all("closures, whose loops are open there", closures, changes=True)
    for body in model.bodies:
        if body.effects is not None:
            _add_effects(body, body.effects, unsaid)
    unsaid.add_all(FOLLOWS_SEVERAL, follow_several(model), changes=True)
    links = [x for body in model.bodies for x in body.link_effects or ()]
    lifted = [x.link for x in links if x.gravity_compensation]
    unsaid.add_all("gravity compensation", lifted, changes=True)
    if model.fluid is not None and any(is_present(x.box) for x in links):
        unsaid.add("the fluid around links", changes=True)
    if not np.array_equal(model.gravity, GRAVITY):
        unsaid.add(f"gravity {model.gravity.tolist()}", changes=True)
    limited = [b.joint_name for b in model.bodies if _is_shared(b) and _has_own_limits(b)]
    unsaid.add_all("limits of joints with several variables, which differ between these", limited)
    if model.start is not None:
        unsaid.add("where joints start")
    unsaid.add_all("motors", list(model.motors or ()))
    unsaid.add_all("actuators", list(model.actuator_names))
    unsaid.add_all("keyframes", [x.name for x in model.keyframes])
    shapes = [x for x in model.geometry if not (x.kind in PRIMITIVES or (x.kind == "mesh" and isinstance(x.mesh, str)))]
    kinds = ["mesh in memory" if x.kind == "mesh" else x.kind for x in shapes]
    unsaid.add_all("shapes", list(dict.fromkeys(kinds)))
    touching = [x.name for x in model.collision_shapes if x.surface not in (None, Surface())]
    unsaid.add_all("surfaces of collision shapes", touching)
    if model.contact_rules is not None:
        unsaid.add("contact pairs and exclusions")
    if [body.index for body in _by_depth(model)] != list(range(len(model.bodies))):
        unsaid.add("the order of the joints in q and v, which is by depth in URDF")


def _add_effects(body: Body, effects: JointEffects, unsaid: Unsaid) -> None:
    for name in ("armature", "stiffness", "stop_stiffness", "stop_damping"):
        if is_present(getattr(effects, name)):
            unsaid.add(name, body.joint_name, changes=True)
    if is_present(effects.friction) and np.any(effects.friction_width != FRICTION_WIDTH):
        unsaid.add(f"friction_width, which is read as {FRICTION_WIDTH:g}", body.joint_name, changes=True)
    if effects.friction_law == "dry" and is_present(effects.friction):
        unsaid.add("dry friction, which is read as smooth", body.joint_name, changes=True)
    if effects.stop_law == "hard":
        unsaid.add("hard stops, which are read as limits alone", body.joint_name, changes=True)
    for name in ("damping", "friction"):
        if _is_shared(body) and _differs(getattr(effects, name)):
            unsaid.add(f"{name} that differs between the axes of a joint", body.joint_name, changes=True)


def _is_shared(body: Body) -> bool:
    """Whether URDF has one number for several variables."""
    return isinstance(body.joint, Free | Planar | Spherical)


def _differs(x: Array) -> bool:
    return bool(np.ptp(x[np.isfinite(x)]) > 0.0) if np.isfinite(x).any() else False


def _has_own_limits(body: Body) -> bool:
    limits = body.limits
    positions = np.isfinite([*limits.lower, *limits.upper]).any()
    return bool(positions) or _differs(limits.velocity) or _differs(limits.effort)


def _by_depth(model: Model) -> list[Body]:
    children: dict[int, list[Body]] = {}
    for body in model.bodies:
        children.setdefault(body.parent, []).append(body)
    found, pending = [], children.get(WORLD, [])[::-1]
    while pending:
        found.append(pending.pop())
        pending += children.get(found[-1].index, [])[::-1]
    return found
