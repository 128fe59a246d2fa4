"""Errors of tracking on the configuration manifold, and the velocities that end them exactly.

    e = q_d ⊖ q,      v_r = Ad_{exp e} v_d + dexp_e Λ e,      s = v_r − v

Ad_{exp e} v_d is the desired velocity in the axes of the present configuration. As dexp_e ė = Ad_{exp e} v_d − v,

    ė = −Λ e + dexp_e⁻¹ s

for every kind of joint: where s vanishes, each entry of e decays at its own rate, also those of rotations and of free
bases. Where velocities are rates of coordinates, v_r = v_d + Λ e. Errors of rotations must stay below π, where q_d ⊖ q
jumps. With forces τ = M v̇_r + C(q, v) v_r + g + f, and Ṁ − 2C skew, s obeys

    M ṡ + C s = −f,      d/dt ½ sᵀ M s = −sᵀ f
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import algorithms
from ..arrays import Array
from ..derivative import jvp
from ..errors import InputError
from ..model.manifold import bracket, dexp, dexp_inv, difference
from ..model.model import Model
from ..robot import Robot
from .reference import Reference


class Tracking(NamedTuple):
    """Where a motion is, relative to the desired one; each (nv,)."""

    e: Array
    """q_d ⊖ q."""
    v_r: Array
    """The reference velocity."""
    a_r: Array
    """Its rate."""
    s: Array
    """v_r − v."""


def _approach(model: Model, e: Array, rates: Array) -> Array:
    return dexp(model, e, rates * e)


_approach_rate = jvp(_approach, wrt="e")


def tracking(model: Model, motion: Reference, t: Array, q: Array, v: Array, rates: Array, **goal: Array) -> Tracking:
    """The errors of a state, and the reference velocity with its exact rate."""
    q_d, v_d, a_d = motion(t, **goal)
    e = difference(model, q, q_d)
    carried, carried_a = (w + bracket(model, e, dexp(model, e, w)) for w in (v_d, a_d))  # Ad_{exp e} = 1 + ad_e dexp_e
    v_r = carried + _approach(model, e, rates)
    s = v_r - v
    de = dexp_inv(model, e, s) - rates * e
    return Tracking(e, v_r, carried_a - bracket(model, v, carried) + _approach_rate(model, e, rates, de), s)


def feedforward(model: Model, q: Array, v: Array, at: Tracking) -> Array:
    """M v̇_r + C(q, v) v_r + g, and the passive forces of the joints."""
    bodies, still = model.without_passive_forces, np.zeros(model.nv)
    forces = algorithms.inverse_dynamics(bodies, q, still, at.a_r)
    return forces + algorithms.coriolis_product(bodies, q, v, at.v_r) + model.passive_forces(q, v)


def sliding_energy(model: Model, q: Array, s: Array) -> Array:
    """½ sᵀ M s."""
    return algorithms.kinetic_energy(model, q, s)


def refuse_loops(robot: Robot, name: str) -> None:
    """An error for closed loops, whose velocities cannot all be chosen."""
    if robot.model.closures:
        raise InputError(f"{name} prescribes all velocities, and the closed loops of {robot.name!r} do not allow that")
