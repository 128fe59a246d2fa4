"""Velocities that end errors of tracking exactly, on the configuration manifold.

    θ = q_d ⊖ q,      v_r = u + dexp_θ Λ θ,      s = v_r − v          with u of `reference`: v_d as seen from q

As θ̇ = dexp_θ⁻¹ (u − v),

    θ̇ = −Λ θ + dexp_θ⁻¹ s

for every kind of joint: where s vanishes, each entry of θ decays at its own rate, also those of rotations and of free
bases. Where velocities are rates of coordinates, v_r = v_d + Λ θ. Errors of rotations must stay below π, where q_d ⊖ q
jumps. With joint forces M v̇_r + C(q, v) v_r + g + f, and Ṁ − 2C skew, s obeys

    M ṡ + C s = −f,      d/dt ½ sᵀ M s = −sᵀ f

Vectors of closed chains are those of independent velocities y, (dof,), with M, C and g of `algorithms.reduced`.
"""

from __future__ import annotations

from typing import NamedTuple

from .. import algorithms
from ..arrays import Array
from ..derivative import jvp
from ..model.manifold import dexp, dexp_inv
from ..model.model import Model
from .plant import chosen, moving, spread
from .reference import Reference, spring


class Tracking(NamedTuple):
    """Where a motion is, relative to the desired one; each (dof,)."""

    theta: Array
    """q_d ⊖ q."""
    v_r: Array
    """The reference velocity."""
    a_r: Array
    """Its rate."""
    s: Array
    """v_r − v."""
    spring: Array
    """dexp_θ⁻ᵀ K_p θ."""
    energy: Array
    """½ θᵀ K_p θ."""


def _approach(model: Model, theta: Array, rates: Array) -> Array:
    return dexp(model, theta, rates * theta)


_approach_rate = jvp(_approach, wrt="theta")


def tracking(
    model: Model, motion: Reference, t: Array, q: Array, v: Array, rates: Array, stiffness: Array, **goal: Array
) -> Tracking:
    """The errors of a state, the reference velocity with its exact rate, and the spring of the stiffness K_p."""
    theta, u, du = motion.error(model, t, q, v, **goal)
    v_r = u + _approach(model, theta, rates)
    rate = dexp_inv(model, theta, v_r - v) - rates * theta
    a_r = du + _approach_rate(model, theta, rates, rate)
    parts = (theta, v_r, a_r, v_r - v, spring(model, theta, stiffness), stiffness * theta)
    theta, v_r, a_r, s, pull, own = (chosen(model, x) for x in parts)
    return Tracking(theta, v_r, a_r, s, pull, 0.5 * (own @ theta))


def sliding_energy(model: Model, q: Array, s: Array) -> Array:
    """½ sᵀ M s."""
    return algorithms.kinetic_energy(model, q, algorithms.velocity_map(model, q) @ s if model.closures else s)


def followed(model: Model, q: Array, v: Array, at: Tracking, f: Array) -> Array:
    """Joint forces M v̇_r + C(q, v) v_r + g + friction at v_r + f (nv,), with f (dof,)."""
    return moving(model, q, v, spread(model, at.v_r), spread(model, at.a_r)) + spread(model, f)
