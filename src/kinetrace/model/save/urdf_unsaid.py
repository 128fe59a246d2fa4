"""What a model has that URDF cannot say."""

from __future__ import annotations

import numpy as np

from ...errors import counted, listed
from ..body import WORLD, Body
from ..builder import GRAVITY
from ..joint_effects import FRICTION_WIDTH, JointEffects, is_present
from ..joints import Free, Planar, Spherical
from ..model import Model

PRIMITIVES = {
    "box": ("size",),
    "cylinder": ("radius", "length"),
    "capsule": ("radius", "length"),
    "sphere": ("radius",),
}
"""Shapes of URDF, and their attributes."""


def unsaid_of(model: Model) -> list[str]:
    """What a model has that URDF has not."""
    found = []
    if model.closures:
        found.append(f"closures {listed([closure.name for closure in model.closures])}: the loops are open")
    for name in ("armature", "stiffness", "stop_stiffness", "stop_damping"):
        having = [b.joint_name for b in model.bodies if b.effects is not None and is_present(getattr(b.effects, name))]
        if having:
            found.append(f"{name} of {listed(having)}")
    smoothed = [b.joint_name for b in model.bodies if b.effects is not None and _is_smoothed(b.effects)]
    if smoothed:
        found.append(f"friction_width of {listed(smoothed)}: it is read as {FRICTION_WIDTH:g}")
    uneven = [b.joint_name for b in model.bodies if _is_uneven(b)]
    if uneven:
        found.append(f"limits or damping of {listed(uneven)}, which differ between its directions")
    if not np.array_equal(model.gravity, GRAVITY):
        found.append(f"gravity {model.gravity.tolist()}")
    if model.start is not None:
        found.append("where joints start")
    if model.motors is not None:
        found.append(f"motors {listed(model.motors)}")
    shapes = [x for x in model.geometry if not (x.kind in PRIMITIVES or (x.kind == "mesh" and isinstance(x.mesh, str)))]
    if shapes:
        kinds = listed(dict.fromkeys("mesh in memory" if x.kind == "mesh" else x.kind for x in shapes))
        found.append(f"{counted(len(shapes), 'shape')}: {kinds}")
    if [body.index for body in _by_depth(model)] != list(range(len(model.bodies))):
        found.append("the order of the joints in q and v, which is by depth in URDF")
    return found


def _is_smoothed(effects: JointEffects) -> bool:
    return is_present(effects.friction) and bool(np.any(effects.friction_width != FRICTION_WIDTH))


def _is_uneven(body: Body) -> bool:
    """Whether numbers differ that URDF has one of."""
    if not isinstance(body.joint, Free | Planar | Spherical):
        return False
    per_velocity = [body.limits.velocity, body.limits.effort]
    if body.effects is not None:
        per_velocity += [body.effects.damping, body.effects.friction]
    lower, upper = body.limits.lower, body.limits.upper
    return any(np.ptp(x[np.isfinite(x)]) > 0.0 if np.isfinite(x).any() else False for x in per_velocity) or bool(
        np.isfinite([*lower, *upper]).any()
    )


def _by_depth(model: Model) -> list[Body]:
    children: dict[int, list[Body]] = {}
    for body in model.bodies:
        children.setdefault(body.parent, []).append(body)
    found, pending = [], children.get(WORLD, [])[::-1]
    while pending:
        found.append(pending.pop())
        pending += children.get(found[-1].index, [])[::-1]
    return found
