"""A motion q(t) = centre ⊕ θ(t) on the manifold of configurations, with its velocity and acceleration.

v = dexp_{−θ} θ̇          a = dv/dt          θ̇ and θ̈ themselves where velocities are rates of coordinates
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array, stack
from ..derivative import jvp
from ..model import Model


def along(model: Model, center: Array, theta: Array, rate: Array, change: Array) -> tuple[Array, Array, Array]:
    """q, v and a of one state, from θ and its two derivatives (nv,)."""
    q = model.integrate(center, theta)
    if has_coordinates(model):
        return q, rate, change
    return q, body_rate(model, theta, rate), jvp(body_rate, wrt=("theta", "rate"))(model, theta, rate, rate, change)


def body_rate(model: Model, theta: Array, rate: Array) -> Array:
    """dexp_{−θ} θ̇ (nv,): the velocity of exp θ, in the frame that moves with it."""
    return stack([model.dexp_dual(-theta, e) @ rate for e in np.eye(model.nv)])


def has_coordinates(model: Model) -> bool:
    """Whether all velocities are rates of coordinates: there are no quaternions."""
    return all(body.joint.has_coordinates for body in model.independent_joints)
