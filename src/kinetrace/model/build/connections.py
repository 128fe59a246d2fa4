"""Links and joints as a builder has them before there are bodies: checked numbers, their root, a free base."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...arrays import Array, is_concrete
from ...errors import InputError, ModelError, name_list, nearest, unknown_name_error, value_text
from ...lie import inertia, so3
from ..body import Body, Limits
from ..checks import MAX_NUMBER, number, numbers, sane, symmetric, text
from ..effects.joint_effects import JointEffects
from ..joints import Fixed, Free, Joint
from ..record import field_names

ROOT_JOINT = "floating_base"
"""Name of the joint that `base="free"` adds."""
_LOOPS = "A loop is closed by Builder.close, or by load(..., closures=...), between links of a tree"


@dataclass(frozen=True)
class Connection:
    """A joint with the links that it connects, and its placements in them."""

    name: str
    joint: Joint
    parent: str
    child: str
    X_pj: Array
    X_ji: Array
    limits: Limits
    mimic: tuple[str, Array, Array] | None
    effects: JointEffects | None = None


def with_free_base(world: str, joints: Mapping[str, Connection]) -> tuple[dict[str, Connection], Array]:
    """The joints, with a free one in place of the one that fixes the robot to the world, unless one is free already.

    With them, the pose in which that one fixed it, or the identity.
    """
    tops = [joint for joint in joints.values() if joint.parent == world]
    if any(isinstance(joint.joint, Free) for joint in tops):
        return dict(joints), np.eye(4)
    fixed = [joint for joint in tops if isinstance(joint.joint, Fixed)]
    if len(fixed) != 1:
        found = f"{name_list([j.child for j in fixed])} are all fixed to it" if fixed else "nothing is fixed to it"
        raise ModelError(f"base='free' frees the one link that is fixed to {world!r}, but {found}")
    if ROOT_JOINT in joints:
        raise ModelError(f"joint {ROOT_JOINT!r} has the name of the joint that base='free' adds")
    free = Free()
    top = Connection(ROOT_JOINT, free, world, fixed[0].child, np.eye(4), np.eye(4), Limits.none(free), None)
    made = {name: top if joint is fixed[0] else joint for name, joint in joints.items()}
    return made, fixed[0].X_pj @ fixed[0].X_ji


def free_q(X: Array) -> Array:
    """Configuration (7,) of a free joint at a pose."""
    return np.concatenate([X[:3, 3], so3.to_quaternion(X[:3, :3])])


def root_of(links: Iterable[str], joints: Iterable[Connection], declared: Collection[str]) -> str:
    """The root: the one link that is not a child; all others must be its descendants."""
    links, joints = list(links), list(joints)
    parent_of: dict[str, Connection] = {}
    for joint in joints:
        if joint.child in parent_of:
            first = parent_of[joint.child].name
            told = f"link {joint.child!r} is the child of two joints, {first!r} and {joint.name!r}: not a tree"
            raise ModelError(f"{told}. {_LOOPS}")
        parent_of[joint.child] = joint
    if not links:
        raise ModelError("the robot has no links; Builder.link and Builder.joint declare them")
    roots = [link for link in links if link not in parent_of]
    if len(roots) > 1:
        hint = _misspelt(joints, declared) or "; each but one, the root, must be the child of a joint"
        raise ModelError(f"the robot is not connected: {name_list(roots)} all have no parent{hint}")
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
    raise ModelError(f"the joints form a cycle through {name_list(lost)}. {_LOOPS}")


def _misspelt(joints: Iterable[Connection], declared: Collection[str]) -> str:
    """Remark on a likely misspelling where a joint names a link that was not declared."""
    for joint in joints:
        for end in ("parent", "child"):
            name = getattr(joint, end)
            if name not in declared and nearest(name, declared):
                return (
                    f". The {end} of joint {joint.name!r} is not declared: {unknown_name_error('link', name, declared)}"
                )
    return ""


_MOMENTS = (
    ": moments about the centre of mass need the mass, too, mass=...; "
    "kt.lie.inertia.from_mass_com(mass, centre, moments) makes one of all"
)
_SIX = "; of six numbers as in URDF it is [[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]]"


def checked_mimic(mimic: tuple[str, Any, Any], what: str) -> tuple[str, Array, Array]:
    """Name, ratio () or (n, k) and offset () or (n,), checked."""
    if not isinstance(mimic, tuple | list) or len(mimic) != 3:
        raise InputError(f"{what}: mimic must be (joint, ratio, offset), got {value_text(mimic)}")
    name, ratio, offset = mimic
    what += ": mimic's"
    name, found = text(name, f"{what} joint"), []
    for x, kind, n in ((ratio, "ratio", 2), (offset, "offset", 1)):
        array = numbers(x, f"{what} {kind}", "a real number, or an array")
        if array.ndim not in (0, n):
            wanted = "a matrix (n, k)" if n == 2 else "an array (n,)"
            raise ModelError(f"{what} {kind} must be a number or {wanted}, got shape {array.shape}")
        if is_concrete(array) and not sane(array):
            which = "a finite number" if array.ndim == 0 else "finite numbers"
            raise ModelError(f"{what} {kind} must be {which}, at most {MAX_NUMBER:g}, got {array.tolist()}")
        found.append(array)
    return name, found[0], found[1]


def followed(body: Body, source: Body, ratio: Array, offset: Array) -> tuple[Array, Array]:
    """R (n, k) and r (n,) of a joint that mimics another by a number or matrix, and a number or array."""
    what, k, n = f"joint {body.joint_name!r} cannot mimic {source.joint_name!r}", source.joint.nq, body.joint.nq
    for each in (body, source):
        if not each.joint.has_coordinates:
            kind = f"{type(each.joint).__name__} joint {each.joint_name!r}"
            raise ModelError(f"{what}: their variables differ in kind; v must be q̇, which is not so for the {kind}")
    if np.ndim(ratio) == 0 and n != k:
        told = f"{n} and {k} variables; a matrix of shape {(n, k)} says how they follow"
        raise ModelError(f"{what}: their variables differ in kind, {told}")
    for x, shape, name in ((ratio, (n, k), "ratio"), (offset, (n,), "offset")):
        if np.shape(x) not in ((), shape):
            raise ModelError(f"{what}: the {name} must be a number, or have shape {shape}, got {np.shape(x)}")
    R = ratio * np.eye(n) if np.ndim(ratio) == 0 else ratio
    return R, offset + np.zeros(n)


def checked_limits(limits: Limits, joint: Joint, what: str) -> Limits:
    """Limits, checked to have the joint's sizes; speeds and forces without bounds have them."""
    bounds, unbounded = field_names(Limits), Limits.none(joint)
    if not isinstance(limits, Limits):
        raise InputError(f"{what}: limits must be kinetrace.Limits({', '.join(bounds)})")
    infinite = {
        name: getattr(unbounded, name)
        for name in ("velocity", "effort")
        if is_concrete(bound := getattr(limits, name)) and bound.tolist() == [np.inf]
    }
    limits = replace(limits, **infinite)
    for name in bounds:
        wanted, shape = (getattr(x, name).shape for x in (unbounded, limits))
        if shape != wanted:
            raise ModelError(f"{what}: limits.{name} must have shape {wanted}, got {shape}")
    return limits


def checked_effects(effects: JointEffects, joint: Joint, what: str) -> JointEffects:
    """Effects of the joint's sizes."""
    if not isinstance(effects, JointEffects):
        raise InputError(f"{what}: effects must be kinetrace.JointEffects(...), got {effects!r}")
    return effects.of(joint, what)


def link_inertia(what: str, given: Any, mass: Any, com: Any) -> Array:
    """The spatial inertia (6, 6) of a link: as given, or of its mass, centre and moments about it."""
    I = None if given is None else numbers(given, f"{what}: inertia")
    if mass is None:
        if com is not None:
            raise ModelError(f"{what}: a centre of mass needs the mass, too: mass=...")
        if I is not None and I.shape != (6, 6):
            hint = {(): "; a mass is given by name: mass=...", (3,): _MOMENTS, (3, 3): _MOMENTS}.get(I.shape, "")
            raise ModelError(f"{what}: inertia must have shape (6, 6), got {I.shape}{hint}")
        return np.zeros((6, 6)) if I is None else I
    if I is not None and I.shape == (6, 6):
        raise ModelError(
            f"{what}: an inertia of shape (6, 6) has its mass and centre of mass in it: leave out mass and com"
        )
    if I is not None and I.shape not in ((3,), (3, 3)):
        shapes = "(3, 3) about the centre of mass, or its diagonal (3,)"
        raise ModelError(f"{what}: inertia must have shape {shapes}, got {I.shape}{_SIX if I.shape == (6,) else ''}")
    m, c = number(mass, f"{what}: mass"), numbers((0.0, 0.0, 0.0) if com is None else com, f"{what}: com")
    if c.shape != (3,):
        raise ModelError(f"{what}: com must be 3 numbers, the centre of mass in the link frame; got shape {c.shape}")
    I = np.zeros((3, 3)) if I is None else I
    for array, which in ((c, "com"), (I, "inertia")):
        if is_concrete(array) and not sane(array):
            raise ModelError(f"{what}: {which} must be finite numbers, at most {MAX_NUMBER:g}; got {array.tolist()}")
    I_com = symmetric(I, f"{what}: inertia") if I.ndim == 2 else I[:, None] * np.eye(3)
    return inertia.from_mass_com(m, c, I_com)
