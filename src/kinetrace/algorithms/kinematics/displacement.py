"""Motions by displacements: q = start ⊕ θ, and the velocities of θ(t) by the derivative of ⊕.

    v = dexp_{−θ} θ̇,    a = dexp_{−θ} θ̈ + d/dt (dexp_{−θ}) θ̇,    and so on

For joints whose velocity is the rate of their coordinates, v = θ̇ and a = θ̈. Velocities are body velocities: with
q = q₀ exp θ, exp(−θ) d exp θ = dexp_{−θ} dθ.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Array
from ...engine.derivative import jvp
from ...model.model import Model


def has_coordinates(model: Model) -> bool:
    """Whether the velocities of all joints are rates of coordinates, so that ⊕ is a sum."""
    return all(body.joint.has_coordinates for body in model.independent_joints)


def velocity(model: Model, theta: Array, theta_1: Array) -> Array:
    """The velocity v (nv,) = dexp_{−θ} θ̇ of the motion start ⊕ θ."""
    return model.dexp(-theta, theta_1)


def acceleration(model: Model, theta: Array, theta_1: Array, theta_2: Array) -> Array:
    """The acceleration v̇ (nv,) of the motion start ⊕ θ."""
    if has_coordinates(model):
        return theta_2
    return jvp(velocity, wrt=("theta", "theta_1"))(model, theta, theta_1, theta_1, theta_2)


def jerk(model: Model, theta: Array, theta_1: Array, theta_2: Array, theta_3: Array) -> Array:
    """The rate v̈ (nv,) of the acceleration of the motion start ⊕ θ."""
    if has_coordinates(model):
        return theta_3
    rate = jvp(acceleration, wrt=("theta", "theta_1", "theta_2"))
    return rate(model, theta, theta_1, theta_2, theta_1, theta_2, theta_3)


def displace(model: Model, q0: Array, theta: Array, theta_1: Array, theta_2: Array) -> tuple[Array, Array, Array]:
    """q, v and a of the motion q0 ⊕ θ."""
    v, a = velocity(model, theta, theta_1), acceleration(model, theta, theta_1, theta_2)
    return model.integrate(q0, theta), v, a


def rates_at(model: Model, theta: Array, v: Array, a: Array) -> tuple[Array, Array]:
    """The rates θ̇ and θ̈ (nv,) with which start ⊕ θ has the velocity v and the acceleration a."""
    theta_1 = model.dexp_inv(-theta, v)
    return theta_1, model.dexp_inv(-theta, a - acceleration(model, theta, theta_1, np.zeros(model.nv)))
