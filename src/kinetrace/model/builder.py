"""Building a model: declare links, joints and frames in any order, then `build`.

`build` checks the tree, attaches its root to the world, folds links on fixed joints into the body that
carries them, numbers the bodies, rounds near-trivial constants and looks at the inertias.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from ..arrays import Array, is_concrete
from ..errors import InputError, ModelError, ModelWarning, listed, unknown
from ..lie import inertia
from .body import WORLD, Body, Frame, Geometry, Limits, Mimic
from .checks import Check, check_inertias, check_of, complain, number, numbers, one_of, pose, sane, text
from .closures import Coupling, Description, Loop
from .constraints import Constraint
from .customise import rounded
from .joint_effects import JointEffects
from .joints import Fixed, Free, Joint
from .massless import check_massless
from .model import Model
from .record import field_names
from .rounding import bound_of

Base = Literal["fixed", "free"]
GRAVITY = (0.0, 0.0, -9.81)
"""Of the earth [m/s²], z pointing up."""
ROOT_JOINT = "floating_base"
"""Name of the joint that `base="free"` adds."""


@dataclass(frozen=True)
class _Joint:
    name: str
    joint: Joint
    parent: str
    child: str
    X_pj: Array
    X_ji: Array
    limits: Limits
    mimic: tuple[str, float, float] | None
    effects: JointEffects | None = None


def _checked_mimic(mimic: tuple[str, float, float], what: str) -> tuple[str, float, float]:
    """Name, ratio and offset, if they can be."""
    if isinstance(mimic, str) or len(mimic) != 3:
        raise InputError(f"{what}: mimic must be (joint, ratio, offset), got {mimic!r}")
    name, ratio, offset = mimic
    what += ": mimic's"
    return text(name, f"{what} joint"), number(ratio, f"{what} ratio"), number(offset, f"{what} offset")


def _checked_limits(limits: Limits, joint: Joint, what: str) -> Limits:
    """Limits, if they have the joint's sizes."""
    bounds, unbounded = field_names(Limits), Limits.none(joint)
    if not isinstance(limits, Limits):
        raise InputError(f"{what}: limits must be kinetrace.Limits({', '.join(bounds)})")
    for name in bounds:
        wanted, shape = (getattr(x, name).shape for x in (unbounded, limits))
        if shape != wanted:
            raise ModelError(f"{what}: limits.{name} must have shape {wanted}, got {shape}")
    return limits


def _checked_effects(effects: JointEffects, joint: Joint, what: str) -> JointEffects:
    """Effects of the joint's sizes."""
    if not isinstance(effects, JointEffects):
        raise InputError(f"{what}: effects must be kinetrace.JointEffects(...), got {effects!r}")
    return effects.of(joint, what)


class Builder:
    """A robot being described.

    >>> import numpy as np, kinetrace as kt
    >>> b = kt.Builder("pendulum")
    >>> b.link("bob", inertia=kt.lie.inertia.from_mass_com(1.0, np.array([0, 0, -0.5]), np.zeros((3, 3))))
    >>> b.joint("hinge", kt.joints.Revolute([0, 1, 0]), parent="base", child="bob")
    >>> kt.Robot(b.build()).inverse_dynamics([np.pi / 2], [0.0], [0.0]).round(3)
    array([4.905])
    """

    def __init__(self, name: str, source: str = "") -> None:
        """`source` is what errors and warnings of `build` name first, such as the file."""
        self.name, self.source = name, source
        self._links: dict[str, Array] = {}
        self._joints: dict[str, _Joint] = {}
        self._frames: dict[str, tuple[str, Array]] = {}
        self._geometry: list[Geometry] = []
        self._closures: list[Description] = []
        self._remarks: list[tuple[str, bool]] = []

    def remark(self, message: str, *, harmless: bool = False) -> None:
        """Say something about the description when it is built; what cannot change the motion is harmless."""
        self._remarks.append((message, harmless))

    def link(self, name: str, inertia: Array | None = None) -> None:
        """Declare a link with its spatial inertia (6, 6) in the link frame; massless if none is given."""
        if text(name, "a link's name") in self._links:
            raise ModelError(f"link {name!r} is declared twice")
        J = np.zeros((6, 6)) if inertia is None else numbers(inertia, f"link {name!r}: inertia")
        if J.shape != (6, 6):
            raise ModelError(f"link {name!r}: inertia must have shape (6, 6), got {J.shape}")
        self._links[name] = J

    def joint(
        self,
        name: str,
        joint: Joint,
        *,
        parent: str,
        child: str,
        placement: Array | None = None,
        child_placement: Array | None = None,
        limits: Limits | None = None,
        mimic: tuple[str, float, float] | None = None,
        effects: JointEffects | None = None,
    ) -> None:
        """Connect two links; a link not declared otherwise is massless.

        `placement` (4, 4) is the joint's frame in the parent link, `child_placement` the child link's frame
        in the moved joint frame; both identity by default. `mimic` is (joint, ratio, offset). `effects` is what the
        joint does by itself: `kinetrace.JointEffects(damping=0.1, ...)`.
        """
        if text(name, "a joint's name") in self._joints:
            raise ModelError(f"joint {name!r} is declared twice")
        if not isinstance(joint, Joint):
            raise InputError(f"joint {name!r}: expected a joint such as Revolute([0, 0, 1]), got {joint!r}")
        text(parent, f"joint {name!r}: parent")
        text(child, f"joint {name!r}: child")
        X_pj = pose(placement, f"joint {name!r}: placement")
        X_ji = pose(child_placement, f"joint {name!r}: child_placement")
        mimic = None if mimic is None else _checked_mimic(mimic, f"joint {name!r}")
        limits = Limits.none(joint) if limits is None else _checked_limits(limits, joint, f"joint {name!r}")
        effects = None if effects is None else _checked_effects(effects, joint, f"joint {name!r}")
        self._joints[name] = _Joint(name, joint, parent, child, X_pj, X_ji, limits, mimic, effects)

    def frame(self, name: str, link: str, placement: Array | None = None) -> None:
        """Declare a frame fixed to a link, at `placement` (4, 4) in it."""
        if text(name, "a frame's name") in self._frames:
            raise ModelError(f"frame {name!r} is declared twice")
        text(link, f"frame {name!r}: link")
        self._frames[name] = (link, pose(placement, f"frame {name!r}: placement"))

    def close(
        self,
        frame_a: str,
        frame_b: str,
        joint: Joint | Constraint,
        *,
        name: str = "",
        placement_a: Array | None = None,
        placement_b: Array | None = None,
    ) -> None:
        """Close a loop: two links or frames, or one and "world", are held together by a joint or a constraint.

        Arguments are those of `closures.Loop`.
        """
        self._closures.append(Loop(frame_a, frame_b, joint, name, placement_a, placement_b))

    def couple(self, factors: Mapping[Any, float], offset: float = 0.0, *, name: str = "") -> None:
        """Hold Σ factor · q = offset over joints; arguments are those of `closures.Coupling`."""
        self._closures.append(Coupling(factors, offset, name))

    def add_closures(self, *closures: Description) -> None:
        """Close loops, or couple joints, by descriptions of `kinetrace.closures`."""
        self._closures += closures

    def geometry(self, shape: Geometry) -> None:
        """Keep a shape for viewers; `shape.frame` is the link it belongs to."""
        X_ls = pose(shape.placement, f"a {shape.kind} on link {shape.frame!r}: placement")
        self._geometry.append(replace(shape, placement=X_ls))

    def build(
        self,
        base: Base = "fixed",
        *,
        gravity: Sequence[float] = GRAVITY,
        snap_constants: bool | float = True,
        check: Check = "warn",
    ) -> Model:
        """The model, with its root link fixed to the world or free in it.

        `gravity` [m/s²] is in the world's axes. `snap_constants` rounds entries of placements and axes within 1e-14 of
        0 and ±1, and moments of inertia within 1e-14 of the largest of their kind of 0, which is what double arithmetic
        leaves of them; a number instead of True is another distance for placements and axes, such as 1e-10 for right
        angles written with twelve digits. `check` says what to do about inertias that no body can have
        and joints that move no mass (a `PhysicsWarning`) and about oddities of a file (a `ModelWarning`): "warn",
        "error" or "ignore". What cannot change the motion is never an error.
        """
        one_of(get_args(Base), base, "base")
        check_of(check)
        g = numbers(gravity, "gravity")
        if g.shape != (3,) or (is_concrete(g) and not sane(g)):
            raise ModelError(f"gravity must be 3 finite numbers, got {gravity!r}")
        try:
            return self._build(base, g, bound_of(snap_constants), check)
        except ModelError as error:
            error.file = error.file or self.source
            raise

    def _build(self, base: Base, gravity: Array, bound: float, check: Check) -> Model:
        clash = self._joints.get(ROOT_JOINT)
        if base == "free" and clash is not None and not isinstance(clash.joint, Fixed):
            raise ModelError(f"joint {ROOT_JOINT!r} has the name of the joint that base='free' adds")
        links = dict.fromkeys(self._links) | dict.fromkeys(
            x for j in self._joints.values() for x in (j.parent, j.child)
        )
        root = _root(links, self._joints.values())
        attach = Fixed() if base == "fixed" else Free()
        first = _Joint(ROOT_JOINT, attach, "", root, np.eye(4), np.eye(4), Limits.none(attach), None)
        for message, harmless in self._remarks:
            complain(message, "warn" if harmless and check == "error" else check, ModelWarning, self.source)
        check_inertias(self._links.items(), check, self.source)
        tree = _Tree(self)
        tree.add(first, WORLD, np.eye(4))
        model = rounded(tree.model(gravity), bound).with_closures(*self._closures)
        check_massless(model, check, self.source)
        return model


class _Tree:
    """The walk of `build`: bodies and frames found so far."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.bodies: list[Body] = []
        self.at: dict[str, int] = {}
        self.resting = np.zeros((6, 6))
        self.mimics: dict[str, tuple[str, float, float] | None] = {}
        self.frames: dict[str, Frame] = {}
        self.children: dict[str, list[_Joint]] = {}
        for joint in builder._joints.values():
            self.children.setdefault(joint.parent, []).append(joint)

    def add(self, root: _Joint, body: int, X_bp: Array) -> None:
        """Depth first, in file order, without recursion: long chains are common."""
        pending = [(root, body, X_bp)]
        while pending:
            joint, body, X_bp = pending.pop()
            body, X_bl = self._attach(joint, body, X_bp)
            self.frames[joint.child] = Frame(joint.child, body, X_bl)
            pending += [(j, body, X_bl) for j in reversed(self.children.get(joint.child, []))]

    def _attach(self, joint: _Joint, parent: int, X_bp: Array) -> tuple[int, Array]:
        """The body that carries the joint's child link, and the link's pose in it."""
        J = self.builder._links.get(joint.child, np.zeros((6, 6)))
        X_pj = X_bp @ joint.X_pj
        if isinstance(joint.joint, Fixed):
            X_bl = X_pj @ joint.X_ji
            if parent != WORLD:
                carrier = self.bodies[parent]
                self.bodies[parent] = replace(carrier, J=carrier.J + carried(X_bl, J))
            elif is_concrete(J) and is_concrete(X_bl):
                self.resting = self.resting + carried(X_bl, J)
            return parent, X_bl
        body = Body(
            index=len(self.bodies),
            name=joint.child,
            parent=parent,
            joint_name=joint.name,
            joint=joint.joint,
            X_pj=X_pj,
            X_ji=joint.X_ji,
            J=J,
            limits=joint.limits,
            effects=joint.effects,
        )
        self.bodies.append(body)
        self.at[joint.name] = body.index
        self.mimics[joint.name] = joint.mimic
        return body.index, np.eye(4)

    def model(self, gravity: Array) -> Model:
        """The finished model."""
        builder = self.builder
        for shape in builder._geometry:
            if shape.frame not in self.frames:
                raise ModelError(f"a {shape.kind} is on {unknown('link', shape.frame, self.frames)}")
        for name, (link, X_lf) in builder._frames.items():
            if link not in self.frames:
                raise ModelError(f"frame {name!r} is on {unknown('link', link, self.frames)}")
            if name in self.frames:
                raise ModelError(f"frame {name!r} has the name of a link")
            on = self.frames[link]
            self.frames[name] = Frame(name, on.body, on.X_bf @ X_lf)
        bodies = tuple(replace(b, mimic=self._mimic(b)) for b in self.bodies)
        resting = self.resting if np.any(self.resting) else None
        return Model(builder.name, bodies, self.frames, gravity, tuple(builder._geometry), resting=resting)

    def _mimic(self, body: Body) -> Mimic | None:
        """The coupling of a body's joint, a chain of mimics resolved to its first link."""
        name, ratio, offset, seen = body.joint_name, 1.0, 0.0, {body.joint_name: None}
        while (mimic := self.mimics[name]) is not None:
            # q = ratio·q_name + offset and q_name = a·q_source + b
            name, ratio, offset = mimic[0], ratio * mimic[1], ratio * mimic[2] + offset
            if name not in self.at:
                raise ModelError(f"joint {body.joint_name!r} mimics {name!r}, which is not a moving joint of the robot")
            if name in seen:
                circle = [*seen][[*seen].index(name) + 1 :]
                way = [*map(repr, circle[:2]), *["…"] * (len(circle) > 2), repr(name)]
                raise ModelError(f"joint {name!r} mimics itself: {name!r} mimics {', which mimics '.join(way)}")
            seen[name] = None
        if name == body.joint_name:
            return None
        through = f"joint {body.joint_name!r}, which mimics {name!r} through {len(seen) - 1} joints"
        ratio, offset = number(ratio, f"{through}: ratio"), number(offset, f"{through}: offset")
        source = self.bodies[self.at[name]]
        if not (body.joint.nq == body.joint.nv == source.joint.nq == source.joint.nv):
            raise ModelError(f"joint {body.joint_name!r} cannot mimic {name!r}: their variables differ in kind")
        return Mimic(source.index, ratio, offset)


def carried(X_bl: Array, J_l: Array) -> Array:
    """A fixed link's inertia (6, 6) in the frame of its body, from that in the frame of the link."""
    return inertia.from_parameters(inertia.change_frame_parameters(X_bl, inertia.to_parameters(J_l)))


def _root(links: Iterable[str], joints: Iterable[_Joint]) -> str:
    """The one link that is nobody's child; everything must hang on it."""
    links, joints = list(links), list(joints)
    parent_of: dict[str, _Joint] = {}
    for joint in joints:
        if joint.child in parent_of:
            first = parent_of[joint.child].name
            raise ModelError(
                f"link {joint.child!r} is the child of two joints, {first!r} and {joint.name!r}: not a tree"
            )
        parent_of[joint.child] = joint
    if not links:
        raise ModelError("the robot has no links")
    roots = [link for link in links if link not in parent_of]
    if len(roots) > 1:
        raise ModelError(f"the robot is not connected: {listed(roots)} all have no parent")
    if roots:
        reached = set(roots)
        children: dict[str, list[str]] = {}
        for joint in joints:
            children.setdefault(joint.parent, []).append(joint.child)
        pending = list(roots)
        while pending:
            new = children.get(pending.pop(), [])
            reached.update(new)
            pending.extend(new)
        lost = [link for link in links if link not in reached]
        if not lost:
            return roots[0]
    else:
        lost = links
    raise ModelError(f"the joints form a cycle through {listed(lost)}")
