"""A step of actuators: delayed controls, joint forces, activations at its end.

    u'    = the control before the delay, within the control range
    α⁺    = α + h u'                            integrator
    α⁺    = α + h (u' − α) / T                  filter
    α⁺    = α + (1 − exp(−h / T)) (u' − α)      exact filter, both within the activation range
    τ     = actuator_forces(q, v, u', α)        or α⁺, of actuators that act early

A delay of i + φ steps, 0 ≤ φ < 1, takes the control of i steps before, of i + 1 steps if φ > 0, or (1 − φ) of the first
and φ of the second. Controls are remembered from the step before the present one on: a delay shorter than a step is one
of a step. All this is MuJoCo's, but for what was before the first control: here it is that control, there zero.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from ...arrays import Array, concatenate, exp, less, maximum, stack, where
from ...errors import InputError
from ...model import Actuator, Model
from .actuator_forces import actuator_forces, within

SHORTEST_TIME = 1e-15
"""Least time constant of a filter [s]."""
WHOLE_STEPS = 1e-9
"""Part of a step by which a delay may miss a whole number of steps."""
MOST_STEPS = 256
"""Largest number of steps that a delay may have: so many controls are carried from step to step."""

NO_CONTROL = 1e30
"""Number in a history where there was no control yet; that of the first step takes its place."""

ActuatorState = Mapping[str, Array]
"""What actuators carry from step to step: "activation" (activations,), and "history" (steps, delayed), newest first."""


def delay_steps(delay: float, dt: float) -> tuple[int, float]:
    """A delay as whole steps and the part of a further one."""
    steps = delay / dt
    whole = round(steps)
    return (whole, 0.0) if abs(steps - whole) <= WHOLE_STEPS * max(1, whole) else (math.floor(steps), steps % 1.0)


def delayed(model: Model) -> list[int]:
    """Places of the actuators that have delays."""
    return [k for k, x in enumerate(model.actuators) if x.delay > 0.0]


def initial_state(model: Model, dt: float) -> dict[str, Array] | None:
    """What actuators carry at the beginning, for steps of dt: activations of zero, no controls; None if nothing."""
    found, late = dict[str, Array](), delayed(model)
    if any(x.has_activation for x in model.actuators):
        found["activation"] = np.zeros(sum(x.has_activation for x in model.actuators))
    if late:
        rows = max(math.ceil(sum(delay_steps(model.actuators[k].delay, dt))) for k in late)
        if rows > MOST_STEPS:
            slow = max((model.actuators[k] for k in late), key=lambda x: x.delay)
            told = f"the delay of {slow.delay:g} s of actuator {slow.name!r} is {rows} steps of {dt:g} s"
            raise InputError(f"{told}; up to {MOST_STEPS} are possible: take longer steps")
        found["history"] = np.full((max(rows, 1), len(late)), NO_CONTROL)
    return found or None


def actuator_step(
    model: Model, q: Array, v: Array, control: Array, state: ActuatorState | None, dt: Array, steps_of: float
) -> tuple[Array, ActuatorState | None]:
    """Joint forces (nv,) of a step, and what the actuators carry on; `steps_of` is the length of steps as a number.

    >>> import numpy as np, kinetrace as kt
    >>> slow = kt.Actuator("slow", "joint1", dynamics="filter", time_constant=0.1)
    >>> model, z = kt.load("planar2r").model.with_actuators(slow), np.zeros(2)
    >>> actuator_step(model, z, z, np.array([2.0]), {"activation": np.array([1.0])}, 0.01, 0.01)
    (array([1., 0.]), {'activation': array([1.1])})
    """
    if state is None:
        return actuator_forces(model, q, v, control), None
    late, after = delayed(model), dict[str, Array]()
    if late:
        given = stack([control[k] for k in late])
        history = where(less(state["history"], NO_CONTROL), state["history"], given)
        column = {k: history[:, i] for i, k in enumerate(late)}
        acting = (_before(model.actuators[k], column[k], steps_of) if k in column else u for k, u in enumerate(control))
        control = stack([*acting])
        after["history"] = concatenate([given[None], history[:-1]], axis=0)
    if "activation" not in state:
        return actuator_forces(model, q, v, control), after
    states, following, k = list[Array](), list[Array](), 0
    for actuator, u in zip(model.actuators, control, strict=True):
        if actuator.has_activation:
            now, k = state["activation"][k], k + 1
            following.append(next_activation(actuator, now, within(u, actuator.control_range), dt))
            states.append(following[-1] if actuator.acts_early else now)
    after["activation"] = stack(following)
    return actuator_forces(model, q, v, control, activation=stack(states)), {name: after[name] for name in state}


def next_activation(actuator: Actuator, now: Array, u: Array, dt: Array) -> Array:
    """α⁺ after a step."""
    if actuator.dynamics == "integrator":
        return within(now + dt * u, actuator.activation_range)
    T = maximum(actuator.time_constant, SHORTEST_TIME)[()]
    part = dt / T if actuator.dynamics == "filter" else 1.0 - exp(-dt / T)[()]
    return within(now + part * (u - now), actuator.activation_range)


def _before(actuator: Actuator, history: Array, dt: float) -> Array:
    """The control of a delay before, from those of the last steps, newest first."""
    whole, part = delay_steps(actuator.delay, dt)
    if whole == 0 or part == 0.0:
        return history[max(whole - 1, 0)]
    if actuator.interpolation == "hold":
        return history[whole]
    return (1.0 - part) * history[whole - 1] + part * history[whole]
