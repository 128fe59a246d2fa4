"""Velocities that end errors of tracking exactly, on the configuration manifold.

    θ = q_d ⊖ q,      v_r = u + dexp_θ Λ θ,      s = v_r − v          with u of `reference`: v_d as seen from q

As θ̇ = dexp_θ⁻¹ (u − v),

    θ̇ = −Λ θ + dexp_θ⁻¹ s

for every kind of joint: where s vanishes, each entry of θ decays at its own rate, also those of rotations and of free
bases. Where velocities are rates of coordinates, v_r = v_d + Λ θ. Errors of rotations must stay below π, where q_d ⊖ q
jumps. With joint forces M v̇_r + C(q, v) v_r + g + f, and Ṁ − 2C skew, s obeys

    M ṡ + C s = −f,      d/dt ½ sᵀ M s = −sᵀ f

Vectors of closed chains are those of independent velocities y, (dof,), with M, C and g of
`algorithms.closed.independent_velocities`.

Passivity-based tracking follows the dynamics and does not cancel them (Slotine and Li 1987, without adaptation):

    τ = M v̇_r + C(q, v) v_r + g + K s + dexp_θ⁻ᵀ K_p θ

C has Ploen's property that Ṁ − 2C is skew, so that M ṡ + C s + K s + dexp_θ⁻ᵀ K_p θ = 0 and

    V = ½ sᵀ M s + ½ θᵀ K_p θ,      V̇ = −sᵀ K s − θᵀ K_p Λ θ

Friction of joints is that at v_r, and lets V fall faster.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy.typing as npt

from .. import algorithms
from ..arrays import Array
from ..engine.derivative import jvp
from ..model.manifold import dexp, dexp_inv
from ..model.model import Model
from ..robot import Robot
from .controller import Controller
from .pickling import maker
from .plant import check_velocities, driven_forces, has_friction, independent_part, reference_forces, to_all_joints
from .reference import Reference, gains, reference_of, spring


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
    theta, v_r, a_r, s, pull, own = (independent_part(model, x) for x in parts)
    return Tracking(theta, v_r, a_r, s, pull, 0.5 * (own @ theta))


def sliding_energy(model: Model, q: Array, s: Array) -> Array:
    """½ sᵀ M s."""
    return algorithms.kinetic_energy(model, q, algorithms.velocity_map(model, q) @ s)


def tracking_forces(model: Model, q: Array, v: Array, at: Tracking, f: Array) -> Array:
    """Joint forces M v̇_r + C(q, v) v_r + g + friction at v_r + f (nv,), with f (dof,)."""
    v_r, a_r = to_all_joints(model, at.v_r), to_all_joints(model, at.a_r)
    return reference_forces(model, q, v, v_r, a_r) + to_all_joints(model, f)


@maker
def passivity_based(
    robot: Robot, reference: Any, rates: npt.ArrayLike, damping: npt.ArrayLike, stiffness: npt.ArrayLike = 0.0
) -> Controller:
    """Passivity-based tracking control of Slotine and Li: τ = M v̇_r + C(q, v) v_r + g + K s + K_p θ.

    With θ = q_d ⊖ q, v_r = v_d + Λ θ and s = v_r − v (of ball joints and free bases as seen from q),
    V = ½ sᵀ M s + ½ θᵀ K_p θ falls as V̇ = −sᵀ K s − θᵀ K_p Λ θ: tracking is exponentially stable if errors of rotations
    stay below π. Inertial forces are followed, not cancelled.

    Parameters
    ----------
    robot : Robot
        Robot whose model the law uses; motors must drive all its motions.
    reference : array_like, shape (nq,), or callable, Spline, Trajectory or OptimalMotion
        Configuration to hold, or motion: a function of time that returns q, v and a, or what stands for one. In a
        closed chain it must be closed.
    rates : array_like, shape () or (nv,)
        Rates Λ at which errors decay where s = 0 [1/s].
    damping : array_like, shape () or (nv,)
        Gains K [N m s/rad, N s/m]. In a closed chain those of independent velocities count, as of the others.
    stiffness : array_like, shape () or (nv,), default 0.0
        Gains K_p [N m/rad, N/m].

    Returns
    -------
    Controller
        The controller, with parameters `rates`, `damping`, `stiffness` and, for a configuration to hold, `goal`.

    Raises
    ------
    InputError
        If an argument does not fit the robot, or a motion has no motor, as that of a free base.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> controller = kt.control.passivity_based(robot, [1.0, -0.5], rates=5.0, damping=10.0)
    >>> motion = robot.simulate([0.0, 0.0], [0.0, 0.0], t=3.0, dt=0.005, controller=controller)
    >>> motion.q[-1].round(3)
    array([ 1. , -0.5])
    """
    check_velocities(robot, "passivity_based")
    motion = reference_of(robot, reference, closed=True)

    def law(
        model: Model, t: Array, q: Array, v: Array, rates: Array, damping: Array, stiffness: Array, **goal: Array
    ) -> Array:
        at = tracking(model, motion, t, q, v, rates, stiffness, **goal)
        f = independent_part(model, damping) * at.s + at.spring
        return driven_forces(model, q, tracking_forces(model, q, v, at, f))

    def storage(
        model: Model, t: Array, q: Array, v: Array, rates: Array, damping: Array, stiffness: Array, **goal: Array
    ) -> Array:
        at = tracking(model, motion, t, q, v, rates, stiffness, **goal)
        return sliding_energy(model, q, at.s) + at.energy

    given = {"rates": rates, "damping": damping, "stiffness": stiffness}
    own = {name: gains(robot, name, x) for name, x in given.items()}
    return Controller(
        robot=robot,
        law=law,
        name="passivity_based",
        parameters={**own, **motion.parameters},
        storage=storage,
        dissipation="damping",
        includes_friction=has_friction(robot),
        nonnegative=tuple(own),
    )
