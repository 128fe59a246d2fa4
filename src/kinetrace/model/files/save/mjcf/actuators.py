"""Actuators and keyframes of a model as elements of MJCF; motors of joints, of a model that has no actuators.

An actuator on one joint becomes `general` with its gear; on several, or on one of several variables, it pulls at a
fixed tendon whose coefficients are the gears.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil

import numpy as np

from .....arrays import Array
from .....lie import so3
from ....actuation.records import DYNAMICS, INTERPOLATIONS, Actuator, Gear, Keyframe
from ....body import Body
from ....joints import Fixed
from ....model import Model
from ..losses import Unsaid
from .elements import MjcfElement
from .joints import MjcfJoint, text, values_of

Parts = Mapping[int, Sequence[MjcfJoint]]
"""Body → the joints of MJCF that its joint becomes."""
TIME_STEP = 2e-3
"""MuJoCo's time of a step [s], unless a file says another: histories of delayed controls are as long as they need."""
_NONE = 2e30
"""Number that is written for a missing bound."""


def actuator_elements(model: Model, parts: Parts, tendons: list[MjcfElement], unsaid: Unsaid) -> list[MjcfElement]:
    """The elements of the section `actuator`; tendons that these need are appended."""
    if not model.actuators:
        return _motors(model, parts)
    found = list[MjcfElement]()
    without = set(model.motor_names) - {name for x in model.actuators for name in x.joints}
    unsaid.add_all("motors of joints without actuators", sorted(without))
    for actuator in model.actuators:
        on = _transmission(model, actuator, parts, tendons)
        if on is None:
            unsaid.add("actuators on joints that MJCF has not, or along other axes", actuator.name, changes=True)
            continue
        found.append(MjcfElement("general", {"name": actuator.name, **on, **_law(actuator)}))
    return found


def _motors(model: Model, parts: Parts) -> list[MjcfElement]:
    found = list[MjcfElement]()
    for name in model.motor_names:
        body = next(b for b in model.bodies if b.joint_name == name)
        if isinstance(body.joint, Fixed):
            continue
        for part in parts[body.index]:
            if part.variable is not None:
                found.append(MjcfElement("motor", {"name": part.name, "joint": part.name}))
            elif part.kind == "ball":
                for axis, gear in zip("xyz", np.eye(3), strict=True):
                    attributes = {"name": f"{part.name}_{axis}", "joint": part.name, "gear": text(gear)}
                    found.append(MjcfElement("motor", attributes))
    return found


def _transmission(model: Model, actuator: Actuator, parts: Parts, tendons: list[MjcfElement]) -> dict[str, str] | None:
    """Attributes that say what an actuator acts on; None if none can."""
    bodies = {body.joint_name: body for body in model.bodies}
    kinds = {part.kind for gear in actuator.gears for part in parts[bodies[gear.joint].index]}
    if kinds & {"ball", "free"}:
        return _on_quaternions(actuator, bodies, parts)
    terms = dict[str, float]()
    for gear in actuator.gears:
        for part in parts[bodies[gear.joint].index]:
            if part.variable is not None and gear.ratio[part.variable]:
                terms[part.name] = terms.get(part.name, 0.0) + float(gear.ratio[part.variable]) / part.scale
    if len(terms) == 1:
        ((name, ratio),) = terms.items()
        return {"joint": name, "gear": text(ratio)}
    if not terms:
        first = next((x.name for x in parts[bodies[actuator.gears[0].joint].index]), None)
        return None if first is None else {"joint": first, "gear": "0"}
    coefficients = [MjcfElement("joint", {"joint": name, "coef": text(x)}) for name, x in terms.items()]
    tendon = _free_name(actuator.name, {x.attributes["name"] for x in tendons})
    tendons.append(MjcfElement("fixed", {"name": tendon}, coefficients))
    return {"tendon": tendon}


def _free_name(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _on_quaternions(actuator: Actuator, bodies: Mapping[str, Body], parts: Parts) -> dict[str, str] | None:
    """The same of one ball or free joint; None if there are others too, or the axes are not those of MJCF."""
    joints = set(actuator.joints)
    own = parts[bodies[actuator.gears[0].joint].index]
    if len(joints) > 1 or len(own) != 1:
        return None
    ratios = {axes: _sum([x for x in actuator.gears if x.axes == axes]) for axes in ("joint", "parent")}
    if own[0].kind == "ball":
        used = [axes for axes, x in ratios.items() if np.any(x)] or ["joint"]
        if len(used) > 1:
            return None
        where = "joint" if used[0] == "joint" else "jointinparent"
        return {where: own[0].name, "gear": text(ratios[used[0]])}
    body, parent = (np.broadcast_to(ratios[x], 6) for x in ("joint", "parent"))
    has_length = any(c[1] for c in (actuator.gain, actuator.bias))
    if has_length or np.any(body[3:]) or (np.any(body[:3]) and np.any(parent[:3])):
        return None  # free joints have no length there, and no force along the body's axes
    where, turn = ("jointinparent", parent[:3]) if np.any(parent[:3]) else ("joint", body[:3])
    return {where: own[0].name, "gear": text(np.concatenate([parent[3:], turn]))}


def _sum(gears: Sequence[Gear]) -> Array:
    return sum((x.ratio for x in gears), start=np.zeros(1))


def _law(x: Actuator) -> dict[str, str]:
    """Gain, bias, ranges, dynamics and delay, those that are not MuJoCo's own."""
    found = dict[str, str]()
    is_affine = np.any(x.gain[1:])
    found |= {"gaintype": "affine"} if is_affine else {}
    found["gainprm"] = text(x.gain if is_affine else x.gain[0])
    if np.any(x.bias):
        found |= {"biastype": "affine", "biasprm": text(x.bias)}
    for name, bounds in (("ctrlrange", x.control_range), ("forcerange", x.force_range)):
        if np.isfinite(bounds).any():
            found[name] = text(np.clip(bounds, -_NONE, _NONE))
    if x.has_activation:
        found["dyntype"] = ("none", "integrator", "filter", "filterexact")[DYNAMICS.index(x.dynamics)]
        found["dynprm"] = text(x.time_constant)
        if np.isfinite(x.activation_range).any():
            found["actrange"] = text(np.clip(x.activation_range, -_NONE, _NONE))
        found |= {"actearly": "true"} if x.acts_early else {}
    if x.delay:
        interpolation = ("zoh", "linear")[INTERPOLATIONS.index(x.interpolation)]
        samples = str(ceil(x.delay / TIME_STEP) + 1)
        found |= {"delay": text(x.delay), "nsample": samples, "interp": interpolation}
    return found


def keyframe_elements(model: Model, parts: Parts, order: Sequence[str], unsaid: Unsaid) -> list[MjcfElement]:
    """Keyframes, and "home" where the model starts or where its loops were closed, if no keyframe is there.

    Of keyframes, loaders take "home" for the start, or the first one.
    """
    q = model.start if model.assembly is None else model.assembly.q
    found = [_keyframe(model, parts, order, x) for x in model.keyframes]
    names = [x.name for x in model.keyframes]
    first = model.keyframes[names.index("home") if "home" in names else 0] if names else None
    if q is None or (first is not None and np.array_equal(first.q, q)):
        if q is None and names:
            unsaid.add("that no keyframe is where the robot starts")
        return found
    if "home" in names:
        unsaid.add("where the robot starts, which is elsewhere than its keyframe 'home'")
        return found
    return [MjcfElement("key", {"name": "home", "qpos": text(_qpos(model, parts, order, q))}), *found]


def _keyframe(model: Model, parts: Parts, order: Sequence[str], x: Keyframe) -> MjcfElement:
    said = {"name": x.name, "qpos": text(_qpos(model, parts, order, x.q))}
    if np.any(x.v):
        said["qvel"] = text(_qvel(model, parts, order, x.q, x.v))
    if x.control.size:
        said["ctrl"] = text(x.control)
    if np.any(x.activation):
        said["act"] = text(x.activation)
    return MjcfElement("key", said)


def _qpos(model: Model, parts: Parts, order: Sequence[str], q: Array) -> Array:
    """Entries of qpos, in the order of the joints of the file."""
    values = dict[str, Array]()
    for body, own in zip(model.bodies, model.split_q(q), strict=True):
        for part in parts[body.index]:
            values[part.name] = values_of(part, own, values)
    return np.concatenate([values[x] for x in order])


def _qvel(model: Model, parts: Parts, order: Sequence[str], q: Array, v: Array) -> Array:
    """Entries of qvel, in the same order."""
    values = dict[str, Array]()
    for body, at, own in zip(model.bodies, model.split_q(q), model.split_v(v), strict=True):
        for part in parts[body.index]:
            if part.kind == "free":
                values[part.name] = np.concatenate([so3.from_quaternion(at[3:]) @ own[3:], own[:3]])
            elif part.kind == "ball":
                values[part.name] = own[:3]
            else:
                values[part.name] = values_of(part, own, values)
    return np.concatenate([values[x] for x in order])
