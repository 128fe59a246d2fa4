"""Equality constraints → closures. MuJoCo's are soft; ours hold exactly.

connect            two points coincide: a ball joint
weld               two frames coincide
joint, tendon      q₁ = q₁⁰ + c₀ + c₁ (q₂ − q₂⁰), of joints or of fixed tendons: a coupling of joints
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .....arrays import Array
from .....lie import se3
from ....build.builder import Builder
from ....closures import Coupling, Description, Loop
from ....joints import Fixed, Spherical
from .effects import joints_of_tendon
from .names import MjcfNames, Unused, given_names, is_off
from .tree import pose_of

_CONNECT, _WELD, _JOINT, _TENDON = range(4)
_EQUALITY_NAMES = {_CONNECT: "connect", _WELD: "weld", _JOINT: "joint", _TENDON: "tendon"}
_SITE = 6
"""mjOBJ_SITE."""


def add_equalities(builder: Builder, model: Any, names: MjcfNames, unused: Unused) -> bool:
    """Add the closures to a builder; whether there are any."""
    own, taken, found = given_names(model, "eq", model.neq), set[str](), list[Description]()
    for e in range(model.neq):
        kind = _EQUALITY_NAMES.get(int(model.eq_type[e]), "")
        name = own[e] or f"{kind or 'equality'}{e}"
        while name in taken:
            name += "_"
        taken.add(name)
        if not model.eq_active0[e] or is_off(model, "EQUALITY") or is_off(model, "CONSTRAINT"):
            unused.remark("equality constraints that are switched off", name)
        elif kind in ("connect", "weld"):
            loop = _loop(model, names, e, name, unused)
            found += [loop] if loop is not None else []
        elif kind in ("joint", "tendon"):
            found += _coupling(model, names, e, name, unused)
        else:
            unused.remark("equality constraints of flexible bodies and distances", name)
    builder.add_closures(*found)
    return bool(found)


def _loop(model: Any, names: MjcfNames, e: int, name: str, unused: Unused) -> Loop | None:
    """A connect or weld; None if a body that Python moves takes part, or both are one body."""
    is_weld = model.eq_type[e] == _WELD and model.eq_data[e, 10] != 0.0  # a weld without torque holds a point
    ids = int(model.eq_obj1id[e]), int(model.eq_obj2id[e])
    by_sites = model.eq_objtype[e] == _SITE
    bodies = tuple(int(model.site_bodyid[x]) for x in ids) if by_sites else ids
    if any(model.body_mocapid[model.body_rootid[b]] >= 0 for b in bodies):
        unused.remark("equality constraints to mocap bodies", name)
        return None
    if model.body_weldid[bodies[0]] == model.body_weldid[bodies[1]]:
        return None
    own = names.sites if by_sites else names.bodies
    X_a, X_b = (np.eye(4), np.eye(4)) if by_sites else _placements(model, e)
    joint = Fixed() if is_weld else Spherical()
    return Loop(own[ids[0]], own[ids[1]], joint, name, X_a, X_b)


def _placements(model: Any, e: int) -> tuple[Array, Array]:
    """Poses of the two frames in their bodies. A weld's data are the point in body 2, and the pose in body 1."""
    data = model.eq_data[e]
    if model.eq_type[e] == _CONNECT:
        return se3.pose(np.eye(3), np.array(data[:3])), se3.pose(np.eye(3), np.array(data[3:6]))
    return pose_of(data[3:6], data[6:10]), se3.pose(np.eye(3), np.array(data[:3]))


def _coupling(model: Any, names: MjcfNames, e: int, name: str, unused: Unused) -> list[Description]:
    """A coupling; none if it is not linear, or not of joints."""
    first, second = _combination(model, e, 1), _combination(model, e, 2)
    c = model.eq_data[e, :5]
    if first is None or second is None:
        unused.remark("equality constraints of tendons through points", name)
        return []
    if np.any(c[2:]) and second[0]:
        unused.remark("equality constraints that are polynomials", name)
        return []
    factors: dict[str, float] = {}
    for sign, terms in ((1.0, first[0]), (-float(c[1]), second[0])):
        for j, x in terms.items():
            factors[names.joints[j]] = factors.get(names.joints[j], 0.0) + sign * x
    factors = {joint: x for joint, x in factors.items() if x}
    offset = first[1] + float(c[0]) - (float(c[1]) * second[1] if second[0] else 0.0)
    return [Coupling(factors, offset, name)] if factors else []


def _combination(model: Any, e: int, which: int) -> tuple[dict[int, float], float] | None:
    """Joint or tendon as factors of joints, with its value at the reference; empty if there is no second one."""
    x = int(getattr(model, f"eq_obj{which}id")[e])
    if x < 0:
        return {}, 0.0
    if model.eq_type[e] == _JOINT:
        return {x: 1.0}, float(model.qpos0[model.jnt_qposadr[x]])
    factors = joints_of_tendon(model, x)
    return None if factors is None else (factors, float(model.tendon_length0[x]))
