"""Joint forces of actuators, from controls or activations u.

    ℓ = Σ_j r_jᵀ (q_j ⊖ 0),   ℓ̇ = Σ_j r_jᵀ v_j                    length and speed by the gears r_j of joints j    (1)
    f = clip((g₀ + g₁ ℓ + g₂ ℓ̇) u + b₀ + b₁ ℓ + b₂ ℓ̇)              force, within the range of the actuator          (2)
    τ_j = clip(Σ r_j f)                                             joint forces, within the efforts of the joint    (3)

These are MuJoCo's for actuators with fixed or affine gains and biases (its documentation, "Actuation model"), but for
efforts, where its ranges need not be symmetric. r_j is constant in the axes of the joint's velocity, or turned there
from those of the frame that the joint moves in; q ⊖ 0 is the rotation vector of a spherical joint. Terms whose
coefficients are zero and ranges that are infinite cost nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...arrays import Array, maximum, minimum, stack
from ...model import Actuator, Model
from ...model.actuation.records import is_bound
from ...model.checks import is_present
from ..registry.declaration import algorithm


class Pull(NamedTuple):
    """An actuator's hold on the joint of a body."""

    body: int
    row: Array
    """(nv_i,) r_j in the axes of the joint's velocity."""
    length: Array
    """Part of ℓ; zero where no coefficient needs it."""
    speed: Array
    """Part of ℓ̇."""


def within(x: Array, bounds: Sequence[Array]) -> Array:
    """A number within a range; bounds that are known to be infinite cost nothing."""
    lower, upper = bounds
    x = maximum(x, lower)[()] if is_bound(lower) else x
    return minimum(x, upper)[()] if is_bound(upper) else x


def pulls_of(model: Model, actuator: Actuator, qs: Sequence[Array], vs: Sequence[Array]) -> list[Pull]:
    """The joints of an actuator, of configurations and velocities by bodies."""
    needs_length = is_present(actuator.gain[1]) or is_present(actuator.bias[1])
    index, found = {body.joint_name: body.index for body in model.bodies}, []
    for gear in actuator.gears:
        i = index[gear.joint]
        joint, row = model.bodies[i].joint, gear.row(model.bodies[i].joint, qs[i])
        length = gear.ratio @ joint.difference(joint.neutral(), qs[i]) if needs_length else 0.0
        found.append(Pull(i, row, length, row @ vs[i]))  # (1)
    return found


def force(actuator: Actuator, pulls: Sequence[Pull], u: Array) -> Array:
    """f of an actuator."""
    length, speed = (sum((x[k] for x in pulls), start=0.0) for k in (2, 3))
    gain, bias = (c[0] + c[1] * length + c[2] * speed for c in (actuator.gain, actuator.bias))
    return within(gain * u + bias, actuator.force_range)  # (2)


def acting_inputs(model: Model, control: Array, activation: Array | None) -> list[Array]:
    """u of each actuator: the control within its range, or the activation, which steps keep within its own."""
    k, found = 0, []
    for actuator, u in zip(model.actuators, control, strict=True):
        u = within(u, actuator.control_range)
        if actuator.has_activation:
            u, k = within(u, actuator.activation_range) if activation is None else activation[k], k + 1
        found.append(u)
    return found


@algorithm(returns="(nv,) Joint forces τ [N m, N].")
def actuator_forces(model: Model, q: Array, v: Array, control: Array, *, activation: Array | None = None) -> Array:
    """Joint forces of the actuators at given controls.

    Actuators with dynamics act by their `activation`; unless it is given, by the control to which that of a filter
    settles. Delays do not count.

    >>> model = kt.load("planar2r").model.with_actuators(kt.Actuator.position("joint2", kp=100.0, kv=2.0))
    >>> kt.algorithms.actuator_forces(model, np.zeros(2), np.ones(2), np.array([0.1]))
    array([0., 8.])
    """
    qs, vs = model.split_q(q), model.split_v(v)
    forces: list[Array] = [np.zeros(body.joint.nv) for body in model.bodies]
    driven = set[int]()
    for actuator, u in zip(model.actuators, acting_inputs(model, control, activation), strict=True):
        pulls = pulls_of(model, actuator, qs, vs)
        f = force(actuator, pulls, u)
        for pull in pulls:
            forces[pull.body] = forces[pull.body] + pull.row * f
            driven.add(pull.body)
    for i in driven:
        each = zip(forces[i], model.bodies[i].limits.effort, strict=True)
        forces[i] = stack([within(x, (-e, e)) for x, e in each])  # (3)
    return model.gather(forces)
