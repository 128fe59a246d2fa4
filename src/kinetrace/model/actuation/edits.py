"""Actuators and keyframes of a model that is edited: fields of `Model` that follow from those of before.

A gear on a joint that is held at q_j adds r_jᵀ (q_j ⊖ 0) to the length, which is constant: gains and biases take that
up. An actuator whose joints are all held or removed goes; one of whose joints some are removed is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays import Array
from ...errors import InputError, ModelError, name_list
from ..body import Body
from ..configurations import home
from .methods import controls_by_name, keyframe_of
from .records import Actuator, Keyframe

if TYPE_CHECKING:
    from ..model import Model

Fields = dict[str, Any]
"""Fields of a model by name."""


def after_holding(model: Model, bodies: Sequence[Body], at: Mapping[int, Array]) -> Fields:
    """Actuators and keyframes of the bodies that are left, where the joints of others are held at values."""
    held = {model.bodies[i].joint_name: (model.bodies[i], q) for i, q in at.items()}
    actuators = [found for x in model.actuators if (found := _held(x, held)) is not None]
    return _on_bodies(model, bodies, actuators)


def after_removing(model: Model, bodies: Sequence[Body]) -> Fields:
    """Actuators and keyframes of the bodies that are left; an error if an actuator loses some of its joints."""
    left, kept = {body.joint_name for body in bodies}, []
    for actuator in model.actuators:
        gone = [x for x in actuator.joints if x not in left]
        if gone and len(gone) < len(actuator.joints):
            told = f"actuator {actuator.name!r} acts on {name_list(gone)}, which are removed, and on other joints"
            raise ModelError(f"{told}: with_actuators(...) without it first")
        kept += [actuator] * (not gone)
    return _on_bodies(model, bodies, kept)


def of_both(model: Model, other: Model) -> Fields:
    """Actuators of both models; keyframes that both have, and those of the first if the other has none.

    There, the other model is where it starts, at rest, with controls of zero.
    """
    twice = {x.name for x in model.actuators} & {x.name for x in other.actuators}
    if twice:
        told = f"joined: both robots have actuators {name_list(sorted(twice))}"
        raise InputError(f"{told}; prefix='...' renames those of the other")
    both = replace(model, actuators=(*model.actuators, *other.actuators), keyframes=())
    theirs, found = {x.name: x for x in other.keyframes}, []
    for x in model.keyframes:
        if x.name not in theirs and other.keyframes:
            continue
        start = home(other) if other.start is None else other.start
        y = theirs.get(x.name) or keyframe_of(other, x.name, start, np.zeros(other.nv), {})
        values = {**controls_by_name(model, x), **controls_by_name(other, y)}
        found.append(keyframe_of(both, x.name, np.concatenate([x.q, y.q]), np.concatenate([x.v, y.v]), values))
    return {"actuators": both.actuators, "keyframes": tuple(found)}


def after_renaming(model: Model, joints: Mapping[str, str], prefix: str) -> Fields:
    """Actuators with the prefix, on joints by their new names."""

    def renamed(x: Actuator) -> Actuator:
        gears = tuple(replace(gear, joint=joints[gear.joint]) for gear in x.gears)
        return replace(x, name=prefix + x.name, gears=gears)

    return {"actuators": tuple(map(renamed, model.actuators))}


def _held(actuator: Actuator, held: Mapping[str, tuple[Body, Array]]) -> Actuator | None:
    """The actuator with some joints held; None if none is left to it."""
    gone = [gear for gear in actuator.gears if gear.joint in held]
    if not gone:
        return actuator
    gears = tuple(gear for gear in actuator.gears if gear.joint not in held)
    if not gears:
        return None
    length = 0.0
    for gear in gone:
        joint, q = held[gear.joint][0].joint, held[gear.joint][1]
        length = length + gear.ratio @ joint.difference(joint.neutral(), q)
    shift = np.array([[1.0, length, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    return replace(actuator, gears=gears, gain=shift @ actuator.gain, bias=shift @ actuator.bias)


def _on_bodies(model: Model, bodies: Sequence[Body], actuators: Sequence[Actuator]) -> Fields:
    """These actuators, and the keyframes of these bodies."""
    after = replace(model, actuators=tuple(actuators), keyframes=())
    slices = {body.joint_name: model.slices[body.index] for body in model.independent_joints}
    own = [slices[body.joint_name] for body in bodies if body.mimic is None]

    def of_bodies(x: Keyframe) -> Keyframe:
        q, v = (np.concatenate([np.zeros(0), *(y[at[k]] for at in own)]) for k, y in enumerate((x.q, x.v)))
        return keyframe_of(after, x.name, q, v, controls_by_name(model, x))

    return {"actuators": after.actuators, "keyframes": tuple(map(of_bodies, model.keyframes))}
