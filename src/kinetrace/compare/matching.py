"""Which body of one robot is which of another: by names, and by where bodies are in the tree and what they weigh."""

from __future__ import annotations

import numpy as np

from ..lie import inertia
from ..model.body import WORLD, Body
from ..model.model import Model


def matched(a: Model, b: Model) -> dict[int, int]:
    """Index of a body of `a` → that of `b`; bodies that only one of them has are missing.

    A body is the one with the joint of the same name, or else of the same name itself. Of the others, those on the same
    parent are the same if they have the same kind of joint, and the same mass, or none other is left there.

    >>> import kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> matched(robot.model, robot.renamed(prefix="left_").model)
    {0: 0, 1: 1}
    """
    joints, bodies = ({x.joint_name: x.index for x in b.bodies}, {x.name: x.index for x in b.bodies})
    found = {x.index: joints[x.joint_name] for x in a.bodies if x.joint_name in joints}
    for x in a.bodies:
        i = bodies.get(x.name)
        if x.index not in found and i is not None and i not in found.values():
            found[x.index] = i
    for x in a.bodies:
        if x.index in found or (x.parent != WORLD and x.parent not in found):
            continue
        parent = WORLD if x.parent == WORLD else found[x.parent]
        left = [y for y in b.bodies if y.parent == parent and y.index not in found.values()]
        mine = [y for y in a.bodies if y.parent == x.parent and y.index not in found]
        alike = [y for y in left if same_kind(x, y)]
        exact = [y for y in alike if np.isclose(inertia.mass(x.J), inertia.mass(y.J), rtol=1e-6, atol=0.0)]
        chosen = exact or (alike if len(alike) == len([y for y in mine if same_kind(x, y)]) == 1 else [])
        if chosen:
            found[x.index] = chosen[0].index
    return dict(sorted(found.items()))


def same_kind(x: Body, y: Body) -> bool:
    """Whether two joints have variables of the same meaning: hinges with and without a range do."""
    return (x.joint.nq, x.joint.nv) == (y.joint.nq, y.joint.nv) and _turns(x) == _turns(y)


def _turns(x: Body) -> list[bool]:
    S = np.asarray(x.joint.subspace(x.joint.neutral()))
    return [bool(turn) for turn in np.any(S[:3], axis=0)]
