"""Joints between links, as a builder has them before there are bodies: their root, and what a free base frees."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from ..errors import ModelError, listed, nearest, unknown
from ..lie import so3
from .body import Limits
from .joint_effects import JointEffects
from .joints import Fixed, Free, Joint

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
    mimic: tuple[str, float, float] | None
    effects: JointEffects | None = None


def freed(world: str, joints: Mapping[str, Connection]) -> tuple[dict[str, Connection], Array]:
    """The joints, with a free one in place of the one that fixes the robot to the world, unless one is free already.

    With them, the pose in which that one fixed it, or the identity.
    """
    tops = [joint for joint in joints.values() if joint.parent == world]
    if any(isinstance(joint.joint, Free) for joint in tops):
        return dict(joints), np.eye(4)
    fixed = [joint for joint in tops if isinstance(joint.joint, Fixed)]
    if len(fixed) != 1:
        found = f"{listed([j.child for j in fixed])} are all fixed to it" if fixed else "nothing is fixed to it"
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
        raise ModelError(f"the robot is not connected: {listed(roots)} all have no parent{hint}")
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
    raise ModelError(f"the joints form a cycle through {listed(lost)}. {_LOOPS}")


def _misspelt(joints: Iterable[Connection], declared: Collection[str]) -> str:
    """What is perhaps meant where a joint names a link that was not declared, but for the spelling."""
    for joint in joints:
        for end in ("parent", "child"):
            name = getattr(joint, end)
            if name not in declared and nearest(name, declared):
                return f". The {end} of joint {joint.name!r} is not declared: {unknown('link', name, declared)}"
    return ""
