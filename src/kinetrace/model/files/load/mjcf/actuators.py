"""Actuators → which joints have motors, the bounds of their forces, and what they add to joints.

A motor's input is the joint force itself, so gains, activations and controls of actuators are not part of the model.
The bound of a joint's force is that of its actuators together, each |gear| · its force range, or its control range
times its gain if nothing but the control makes the force; and at most the joint's own `actuatorfrcrange`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .....arrays import Array
from .names import FREE, MjcfNames, Unused, given_names, is_off, value

_JOINT, _IN_PARENT, _TENDON = 0, 1, 3
_WRAPS_JOINT = 1


@dataclass(frozen=True)
class Actuators:
    """What actuators say of joints."""

    model: Any
    motors: tuple[str, ...] | None
    """Joints with motors; None if there are no actuators."""
    forces: dict[int, Array]
    """Joint → bound of the force of its actuators (nv,), in MuJoCo's order."""
    armature: Array
    """(nv,) of actuators, seen at the joints."""
    damping: Array

    def effort(self, j: int, nv: int) -> Array:
        """Bound of the force (nv,) of joint j."""
        bound = self.forces.get(j, np.full(nv, np.inf))
        if self.model.jnt_actfrclimited[j]:
            bound = np.minimum(bound, np.abs(self.model.jnt_actfrcrange[j]).max())
        return np.roll(bound, 3) if self.model.jnt_type[j] == FREE else bound


def actuators_of(model: Any, names: MjcfNames, unused: Unused) -> Actuators:
    """All actuators of a model; what they do besides driving joints is said."""
    count = int(getattr(model, "nactuator", model.nu))
    own = [name or f"actuator{k}" for k, name in enumerate(given_names(model, "actuator", count))]
    driven, forces = set[int](), dict[int, Array]()
    armature, damping = np.zeros(model.nv), np.zeros(model.nv)
    for a in range(count):
        reached = _joints_of_actuator(model, a)
        if reached is None:
            unused.remark("actuators that act on no joint", own[a], harmless=True)
        if not _is_plain(model, a):
            unused.remark(
                "gains, biases and dynamics of actuators (tau is the joint force itself)", own[a], harmless=True
            )
        for j, gear in (reached or {}).items():
            driven.add(j)
            each = [abs(x) * _force(model, a) if x else 0.0 for x in gear]
            forces[j] = forces.get(j, np.zeros(len(gear))) + np.array(each)
        _add_passive(model, a, reached, own[a], armature, damping, unused)
    motors = tuple(names.joints[j] for j in sorted(driven)) if count and not is_off(model, "ACTUATION") else None
    for j, bound in forces.items():
        forces[j] = np.where(bound > 0, bound, np.inf)
    return Actuators(model, motors, forces, armature, damping)


def _joints_of_actuator(model: Any, a: int) -> dict[int, Array] | None:
    """Joints that an actuator acts on, with the factors (nv,) of its force; None if it acts on bodies or sites."""
    kind, target, gear = int(model.actuator_trntype[a]), int(model.actuator_trnid[a, 0]), model.actuator_gear[a]
    if kind in (_JOINT, _IN_PARENT):
        nv = {0: 6, 1: 3}.get(int(model.jnt_type[target]), 1)
        return {target: np.array(gear[:nv])}
    if kind == _TENDON:
        factors = joints_of_tendon(model, target)
        return None if factors is None else {j: np.array([gear[0] * x]) for j, x in factors.items()}
    return None


def joints_of_tendon(model: Any, t: int) -> dict[int, float] | None:
    """Joints of a fixed tendon, with their factors; None for a tendon that runs through points of bodies."""
    wraps = range(int(model.tendon_adr[t]), int(model.tendon_adr[t] + model.tendon_num[t]))
    if any(model.wrap_type[w] != _WRAPS_JOINT for w in wraps):
        return None
    return {int(model.wrap_objid[w]): float(model.wrap_prm[w]) for w in wraps}


def _is_plain(model: Any, a: int) -> bool:
    """Whether the control, times a constant, is the force."""
    return not (model.actuator_gaintype[a] or model.actuator_biastype[a] or model.actuator_dyntype[a])


def _force(model: Any, a: int) -> float:
    """Bound of the force of an actuator, before its gear."""
    if model.actuator_forcelimited[a]:
        return float(np.abs(model.actuator_forcerange[a]).max())
    control = int(value(model, "actuator_ctrladr", a, a))
    if _is_plain(model, a) and model.actuator_ctrllimited[control]:
        return float(abs(model.actuator_gainprm[a, 0]) * np.abs(model.actuator_ctrlrange[control]).max())
    return float("inf")


def _add_passive(
    model: Any, a: int, reached: dict[int, Array] | None, name: str, armature: Array, damping: Array, unused: Unused
) -> None:
    """Armature and damping of the actuator itself, which newer versions of MuJoCo have."""
    own = [float(value(model, f"actuator_{x}", a, 0.0)) for x in ("armature", "damping")]
    if np.any(value(model, "actuator_dampingpoly", a, 0.0)):
        unused.remark("nonlinear damping of actuators", name)
    if not any(own):
        return
    if reached is None or len(reached) != 1:
        unused.remark("armature and damping of actuators on tendons and sites", name)
        return
    ((j, gear),) = reached.items()
    at = slice(int(model.jnt_dofadr[j]), int(model.jnt_dofadr[j]) + len(gear))
    armature[at] += gear**2 * own[0]
    damping[at] += gear**2 * own[1]
