"""Effects of joints and actuators of MJCF as joint effects, limits and motors."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .....arrays import Array
from .....errors import ModelError
from ....body import Limits
from ....build.builder import Builder
from ....checks import is_present
from ....effects.joint_effects import JointEffects
from ....effects.link_effects import Fluid, LinkEffects
from ....joints import Joint
from .names import BALL, FREE, MjcfNames, Unused, given_names, is_off, value
from .tree import inertial_frame


@dataclass(frozen=True)
class Effects:
    """Effects of joints in a file, and remarks about those that cannot be used."""

    model: Any
    names: MjcfNames
    actuators: Actuators
    unused: Unused
    read: bool = True
    """Whether effects are read at all."""

    def of(self, j: int, joint: Joint) -> tuple[Limits, JointEffects | None]:
        """Limits and effects of joint j."""
        limits, effects = self._limits(j, joint), self._effects(j) if self.read else None
        if self.read and joint.has_coordinates and np.isfinite([*limits.lower, *limits.upper]).any():
            effects = replace(effects or JointEffects(), stop_law="hard")
        return limits, effects

    def _limits(self, j: int, joint: Joint) -> Limits:
        m, none = self.model, Limits.none(joint)
        effort = self.actuators.effort(j, joint.nv)
        if not m.jnt_limited[j] or is_off(m, "LIMIT") or is_off(m, "CONSTRAINT"):
            return Limits(none.lower, none.upper, none.velocity, effort)
        if m.jnt_type[j] in (BALL, FREE):
            kind = "stops at ranges of ball joints" if self.read else "ranges of ball joints"
            self.unused.remark(kind, self.names.joints[j], harmless=not self.read)
            return Limits(none.lower, none.upper, none.velocity, effort)
        lower, upper = m.jnt_range[j]
        name = self.names.joints[j]
        if not np.array_equal(m.jnt_solref[j], _USUAL_SOLREF) and self.read:
            self.unused.remark("solreflimit of joints, whose ranges are hard stops", name, harmless=True)
        if m.jnt_margin[j] != 0.0:
            self.unused.remark("margin of joints", name, harmless=True)
        return Limits([lower], [upper], none.velocity, effort)

    def _effects(self, j: int) -> JointEffects | None:
        m, name = self.model, self.names.joints[j]
        kind, a = int(m.jnt_type[j]), int(m.jnt_dofadr[j])
        nv, nq = {FREE: (6, 7), BALL: (3, 4)}.get(kind, (1, 1))
        order = [3, 4, 5, 0, 1, 2] if kind == FREE else list(range(nv))  # angular first
        found = {
            "armature": m.dof_armature[a : a + nv][order] + self.actuators.armature[a : a + nv][order],
            "damping": m.dof_damping[a : a + nv][order] + self.actuators.damping[a : a + nv][order],
            "friction": m.dof_frictionloss[a : a + nv][order],
            "stiffness": np.full(nv, m.jnt_stiffness[j]),
        }
        for flag, effect in (("FRICTIONLOSS", "friction"), ("SPRING", "stiffness"), ("DAMPER", "damping")):
            if is_off(m, flag) or (effect == "friction" and is_off(m, "CONSTRAINT")):
                found[effect] = np.zeros(nv)
        for effect, values in found.items():
            if np.any(values < 0.0):
                self.unused.remark(f"negative {effect} of joints", name)
                found[effect] = np.maximum(values, 0.0)
        self._leave_out(kind, name, found)
        if any(_polynomial(m, field, k) for field, k in (("dof_dampingpoly", a), ("jnt_stiffnesspoly", j))):
            self.unused.remark("nonlinear damping and stiffness of joints", name)
        if not any(is_present(values) for values in found.values()):
            return None
        q = int(m.jnt_qposadr[j])
        rest = np.array(m.qpos_spring[q : q + nq]) if is_present(found["stiffness"]) else None
        law = "dry" if is_present(found["friction"]) else "smooth"
        try:
            return JointEffects(**found, rest=rest, friction_law=law)
        except ModelError as error:
            raise ModelError(f"joint {name!r}: {error}") from None

    def _leave_out(self, kind: int, name: str, found: dict[str, Array]) -> None:
        """Set effects to zero that joints with quaternions cannot have, with a remark."""
        if kind not in (BALL, FREE):
            return
        if np.any(found["armature"]):
            self.unused.remark("armature of ball and free joints", name)
            found["armature"] = 0.0 * found["armature"]
        if kind == FREE and np.any(found["stiffness"]):
            self.unused.remark("stiffness of free joints", name)
            found["stiffness"] = 0.0 * found["stiffness"]
        if kind == FREE and any(len(set(found[x][3:].tolist())) > 1 for x in ("damping", "friction")):
            self.unused.remark("damping and friction of free joints that differ between directions", name)
            found["damping"], found["friction"] = np.zeros(6), np.zeros(6)


_USUAL_SOLREF = (0.02, 1.0)
"""MuJoCo's time constant and damping ratio of limits."""


def _polynomial(model: Any, field: str, k: int) -> bool:
    """Whether there are terms of higher order; older versions of MuJoCo have none."""
    found = getattr(model, field, None)
    return found is not None and bool(np.any(found[k]))


_MIN_FLUID_MASS = 1e-15
"""Mass below which MuJoCo has no fluid act on a body [kg]."""


def add_link_effects(builder: Builder, model: Any, names: MjcfNames, unused: Unused) -> None:
    """Compensation of weights and the fluid, as far as they act."""
    if is_off(model, "SPRING") and is_off(model, "DAMPER"):
        return
    has_fluid = model.opt.density > 0.0 or model.opt.viscosity > 0.0
    if has_fluid:
        builder.fluid(Fluid(model.opt.density, model.opt.viscosity, np.array(model.opt.wind)))
    for i in range(1, model.nbody):
        mass, compensation = float(model.body_mass[i]), float(model.body_gravcomp[i])
        is_ellipsoid = has_fluid and _is_ellipsoid(model, i)
        if is_ellipsoid and model.body_weldid[i] != 0:
            unused.remark("forces of the fluid on bodies with a fluidshape", names.bodies[i])
        meets = has_fluid and mass > _MIN_FLUID_MASS and not is_ellipsoid
        if model.body_weldid[i] == 0 or not (meets or (compensation and mass)):
            continue
        made = LinkEffects.of_moments(
            names.bodies[i], inertial_frame(model, i), mass, model.body_inertia[i], compensation
        )
        builder.link_effects(made.without_box() if is_ellipsoid else made)
    if np.any(model.body_gravcomp):
        _name_actuators(model, names, unused)


def _is_ellipsoid(model: Any, i: int) -> bool:
    first = int(model.body_geomadr[i])
    return bool(np.any(model.geom_fluid[first : first + int(model.body_geomnum[i])].reshape(-1, 12)[:, 0] > 0.0))


def _name_actuators(model: Any, names: MjcfNames, unused: Unused) -> None:
    """Where MuJoCo has actuators compensate weights: here it is no part of their forces, nor bounded by theirs."""
    works = model.nu > 0 and not is_off(model, "ACTUATION")
    for j in np.flatnonzero(getattr(model, "jnt_actgravcomp", np.zeros(model.njnt))):
        is_free = works and not model.jnt_actfrclimited[j]
        kind = "gravity compensation of actuators, which counts as a passive force without bounds"
        unused.remark(kind, names.joints[j], harmless=is_free)


_JOINT, _IN_PARENT, _TENDON = 0, 1, 3
_WRAPS_JOINT = 1


@dataclass(frozen=True)
class Actuators:
    """Motors, efforts and effects of joints, from actuators."""

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
    clamps = model.actuator_ctrllimited[control] and not is_off(model, "CLAMPCTRL")
    if _is_plain(model, a) and clamps:
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
