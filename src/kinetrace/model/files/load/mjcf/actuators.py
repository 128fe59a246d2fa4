"""Actuators and keyframes of a model of MuJoCo.

Actuators that act on joints or fixed tendons, with fixed or affine gains, are ours as they are:

    MuJoCo's            length, velocity, moment          gear · qpos, of a ball its rotation vector; r_j
    gainprm, biasprm                                      g, b
    ctrlrange, forcerange, actrange, actearly             the ranges, where they hold
    dyntype, dynprm[0]                                    dynamics, time constant
    delay, interp                                         delay of the control

The gear of a free joint pushes along the world's axes and turns about those of the body; that of `jointinparent` does
both along the world's. A free joint has no length. All others are named, and their controls are not among ours.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .....arrays import Array
from .....lie import so3
from ....actuation.records import DYNAMICS, INTERPOLATIONS, Actuator, Gear
from ....build.builder import Builder
from .effects import joints_of_tendon
from .names import BALL, FREE, MjcfNames, Unused, given_names, is_off, value
from .tree import by_joint

_JOINT, _IN_PARENT, _TENDON = 0, 1, 3
_AFFINE = 1
"""Gains and biases of higher numbers are those of muscles, motors with windings, PID laws and users."""
_CUBIC = 2


class ReadActuator(NamedTuple):
    """An actuator, and the places of its control and its activation in those of MuJoCo."""

    actuator: Actuator
    control: int
    activation: int
    """-1 if it has none."""


def read_actuators(model: Any, names: MjcfNames, unused: Unused) -> list[ReadActuator]:
    """The actuators that ours can be, in their order; others are named."""
    found = list[ReadActuator]()
    own, disabled = names_of_actuators(model), int(getattr(model.opt, "disableactuator", 0))
    for a, name in enumerate(own):
        why = _unread(model, a, disabled)
        if why:
            unused.remark(why, name, harmless=True)
            continue
        gears = _gears(model, names, a)
        if gears is not None:  # else it acts on no joint, which is said with the motors
            found.append(_read(model, a, name, gears, unused))
    _joint_ranges(model, names, unused)
    return found


def names_of_actuators(model: Any) -> list[str]:
    """One name for each actuator."""
    count = int(getattr(model, "nactuator", model.nu))
    taken, found = set[str](), list[str]()
    for k, name in enumerate(given_names(model, "actuator", count)):
        name = name or f"actuator{k}"
        while name in taken:
            name += "_"
        taken.add(name)
        found.append(name)
    return found


def _unread(model: Any, a: int, disabled: int) -> str:
    """Why an actuator is not read; empty if nothing stands against it."""
    if is_off(model, "ACTUATION"):
        return "actuators, as actuation is switched off"
    if disabled >> int(model.actuator_group[a]) & 1:
        return "actuators of groups that are switched off"
    if int(value(model, "actuator_plugin", a, -1)) >= 0:
        return "actuators that are plugins"
    kinds = model.actuator_gaintype[a], model.actuator_biastype[a]
    if max(kinds) > _AFFINE or int(model.actuator_dyntype[a]) >= len(DYNAMICS):
        return "actuators that are no affine laws, such as muscles and those of users"
    if int(value(model, "actuator_ctrlnum", a, 1)) != 1 or int(value(model, "actuator_actnum", a, 1)) > 1:
        return "actuators with several controls or activations"
    return ""


def _gears(model: Any, names: MjcfNames, a: int) -> list[Gear] | None:
    """The gears of an actuator; None if it acts on no joint."""
    kind, target = int(model.actuator_trntype[a]), int(model.actuator_trnid[a, 0])
    gear = np.array(model.actuator_gear[int(value(model, "actuator_outadr", a, a))])
    if kind in (_JOINT, _IN_PARENT):
        joint, axes = names.joints[target], "parent" if kind == _IN_PARENT else "joint"
        if model.jnt_type[target] == BALL:
            return [Gear(joint, gear[:3], axes)]
        if model.jnt_type[target] != FREE:
            return [Gear(joint, gear[:1])]
        push, turn = np.concatenate([np.zeros(3), gear[:3]]), np.concatenate([gear[3:], np.zeros(3)])
        parts = [Gear(joint, turn, axes), Gear(joint, push, "parent")]
        return [x for x in parts if np.any(x.ratio)] or parts[:1]
    factors = joints_of_tendon(model, target) if kind == _TENDON else None
    return None if factors is None else [Gear(names.joints[j], np.array([gear[0] * x])) for j, x in factors.items()]


def _read(model: Any, a: int, name: str, gears: list[Gear], unused: Unused) -> ReadActuator:
    control = int(value(model, "actuator_ctrladr", a, a))
    gain, bias = (np.array(getattr(model, f"actuator_{x}prm")[a, :3]) for x in ("gain", "bias"))
    gain = gain if model.actuator_gaintype[a] else gain * np.eye(3)[0]
    bias = bias if model.actuator_biastype[a] else np.zeros(3)
    if any(len(gear.ratio) == 6 for gear in gears):  # whose length is zero
        gain, bias = (x * (1.0, 0.0, 1.0) for x in (gain, bias))
    dynamics = int(model.actuator_dyntype[a])
    clamps = model.actuator_ctrllimited[control] and not is_off(model, "CLAMPCTRL")
    delay = float(value(model, "actuator_delay", a, 0.0))
    samples, interpolation = (int(x) for x in value(model, "actuator_history", a, (0, 0)))
    if delay and interpolation == _CUBIC:
        unused.remark("cubic interpolation of delayed controls, which is linear", name, harmless=True)
    if delay > samples * model.opt.timestep * (1.0 + 1e-9):
        unused.remark("lengths of histories that cut delays of actuators short", name, harmless=True)
    made = Actuator(
        name,
        tuple(gears),
        gain,
        bias,
        control_range=_range(clamps, model.actuator_ctrlrange[control]),
        force_range=_range(model.actuator_forcelimited[a], model.actuator_forcerange[a]),
        dynamics=DYNAMICS[dynamics],
        time_constant=float(model.actuator_dynprm[a, 0]) if dynamics > 1 else 0.0,
        activation_range=_range(dynamics and model.actuator_actlimited[a], model.actuator_actrange[a]),
        acts_early=bool(dynamics and value(model, "actuator_actearly", a, False)),
        delay=delay,
        interpolation=INTERPOLATIONS[min(interpolation, 1)],
    )
    return ReadActuator(made, control, int(model.actuator_actadr[a]) if dynamics else -1)


def _range(is_limited: Any, bounds: Array) -> Array:
    return np.array(bounds) if is_limited else np.array([-np.inf, np.inf])


def _joint_ranges(model: Any, names: MjcfNames, unused: Unused) -> None:
    """Bounds of the forces of all actuators of a joint or a tendon, as far as efforts do not say them."""
    for j in np.flatnonzero(model.jnt_actfrclimited):
        lower, upper = model.jnt_actfrcrange[j]
        if lower != -upper and model.nu:
            kind = "actuatorfrcrange that is not symmetric: the larger bound counts"
            unused.remark(kind, names.joints[j], harmless=True)
    tendons = given_names(model, "tendon", model.ntendon)
    for t in np.flatnonzero(getattr(model, "tendon_actfrclimited", np.zeros(model.ntendon))):
        unused.remark("actuatorfrcrange of tendons", tendons[t] or f"tendon{t}", harmless=True)


def add_actuators(builder: Builder, model: Any, names: MjcfNames, unused: Unused) -> None:
    """Actuators and keyframes for a builder."""
    found = read_actuators(model, names, unused)
    builder.add_actuators(*(x.actuator for x in found))
    free = np.flatnonzero(model.jnt_type == FREE)
    taken = set[str]()
    for k, name in enumerate(given_names(model, "key", model.nkey)):
        name = name or f"key{k}"
        while name in taken:
            name += "_"
        taken.add(name)
        ctrl, act = model.key_ctrl[k], model.key_act[k]
        builder.add_keyframe(
            name,
            by_joint(model, names, model.key_qpos[k]),
            _velocities(model, names, model.key_qpos[k], model.key_qvel[k], free),
            {x.actuator.name: float(ctrl[x.control]) for x in found},
            {x.actuator.name: float(act[x.activation]) for x in found if x.activation >= 0},
        )


def _velocities(model: Any, names: MjcfNames, qpos: Array, qvel: Array, free: Array) -> dict[str, Array]:
    """qvel, joint by joint: of free joints, v = (ω, Rᵀ ṗ)."""
    found = dict[str, Array]()
    for j, name in enumerate(names.joints):
        at, size = int(model.jnt_dofadr[j]), {FREE: 6, BALL: 3}.get(int(model.jnt_type[j]), 1)
        own = np.array(qvel[at : at + size])
        if j in free:
            first = int(model.jnt_qposadr[j])
            quaternion = qpos[first + 3 : first + 7]
            R = so3.from_quaternion(quaternion / np.linalg.norm(quaternion))
            own = np.concatenate([own[3:], R.T @ own[:3]])
        found[name] = own if size > 1 else own[0]
    return found
