"""Kinetic and potential energy, and the forces of gravity.

    T = Σ V_iᵀ J_i V_i / 2 + vᵀ A v / 2    with the armature A of rotors in the joints
    U = −Σ m_i gᵀ p_i                    Park, Bobrow and Ploen (1995), (58), whose g points upward
    ∂U/∂q_k = −S_kᵀ (h_k × g, m_k g)     (59), with the mass m_k and the first moment h_k of all that joint k carries

p_i is the centre of mass of body i in the world; h_k, g and S_k are in the frame of body k. U is zero if the centre of
mass of the moving bodies is at the level of the world's origin. Springs and soft stops of joints hold energy too, which
is added to U; damping and friction take power: `model.effects.joint_effects`. Compensated weights hold energy too, and
a fluid takes power: `model.effects.link_effects`.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Array, concatenate
from ...lie import se3, so3
from ...model import Body, Model
from ..kinematics.forward_kinematics import Velocity, link_velocities
from ..registry.declaration import algorithm
from ..sweeps.tree import inward, outward
from .momentum import carried_mass, total_mass


def body_energy(body: Body, parent: Array, at: Velocity) -> Array:
    """Kinetic energy of one body."""
    return at.V @ (body.J @ at.V) / 2


def in_axes(X: Array, g: Array) -> Array:
    """A direction (3,) in the axes of a frame at X."""
    return so3.transpose(se3.rotation(X)) @ g


def gravity_force(body: Body, g_p: tuple[Array, Array], q: Array, mass: tuple[Array, Array]) -> tuple[Array, Array]:
    """The gravity vector in a body's axes, and the force of the joint that holds what it carries."""
    g, (point, _) = body.placement(q).pull(in_axes, g_p[0]), mass
    return g, -(body.subspace(q).T @ concatenate([so3.cross(point[:3], g), point[3:] * g]))  # (59)


@algorithm(keeps_forces=(), returns="() T = ½ vᵀ M v [J].")
def kinetic_energy(model: Model, q: Array, v: Array) -> Array:
    """Kinetic energy of the bodies and rotors.

    >>> float(kt.algorithms.kinetic_energy(kt.load("planar2r").model, np.zeros(2), np.array([1.0, 0.0])).round(3))
    1.333
    """
    of_bodies = sum(outward(model, body_energy, None, link_velocities(model, q, v)), start=np.zeros(()))
    return of_bodies + v @ (model.armature @ v) / 2


@algorithm(returns="() U [J]; in gravity zero if the centre of mass is at the level of the world's origin.")
def potential_energy(model: Model, q: Array) -> Array:
    """Potential energy in gravity, and what springs and stops of joints and compensated weights hold.

    >>> float(kt.algorithms.potential_energy(kt.load("planar2r").model, np.array([np.pi / 2, 0.0])).round(3))
    19.62
    """
    return model.stored_energy(q) - model.gravity @ total_mass(model, q)[:3]  # (58)


@algorithm(returns="() T + U [J].")
def total_energy(model: Model, q: Array, v: Array) -> Array:
    """Sum of kinetic and potential energy: constant in a motion that nothing drives or damps.

    >>> float(kt.algorithms.total_energy(kt.load("planar2r").model, np.zeros(2), np.array([1.0, 0.0])).round(3))
    1.333
    """
    return kinetic_energy(model, q, v) + potential_energy(model, q)


@algorithm(keeps_forces=(), returns="(nv,) Joint forces g(q) [N m, N].")
def gravity(model: Model, q: Array) -> Array:
    """Joint forces that carry the weight of the bodies: the gradient of their potential energy in gravity.

    What springs, stops and compensated weights do is not in it: `inverse_dynamics` at rest is what holds the robot.

    >>> kt.algorithms.gravity(kt.load("planar2r").model, np.zeros(2)).round(3)
    array([19.62 ,  4.905])
    """
    masses = inward(model, carried_mass, np.zeros(4), model.split_q(q))
    held = outward(model, gravity_force, (model.gravity, None), model.split_q(q), masses)
    return model.gather([force for _, force in held])


@algorithm(returns="() Power [W].")
def power(model: Model, v: Array, tau: Array) -> Array:
    """Power τ · v of the joint forces: the rate of kinetic and potential energy if nothing else acts.

    `dissipated_power` is the part of it that the joints themselves dissipate.

    >>> float(kt.algorithms.power(kt.load("planar2r").model, np.ones(2), np.array([1.0, 2.0])))
    3.0
    """
    return v @ tau


@algorithm(keeps_forces=(), returns="(nv,) Joint forces [N m, N].")
def passive_forces(model: Model, q: Array, v: Array) -> Array:
    """Joint forces that overcome damping, friction, springs and stops of joints, and what acts on links by itself.

    They are the last term of τ = M v̇ + C v + g + passive forces.

    >>> model = kt.load("planar2r").with_joint_effects("joint2", damping=0.5).model
    >>> kt.algorithms.passive_forces(model, np.zeros(2), np.ones(2))
    array([0. , 0.5])
    """
    return model.passive_forces(q, v)


@algorithm(keeps_forces=(), returns="() Power [W], never negative.")
def dissipated_power(model: Model, q: Array, v: Array) -> Array:
    """Power that damping, friction and soft stops of the joints, and a fluid, take away; a wind may give some.

    τ · v less this is the rate of kinetic and potential energy if nothing else acts.

    >>> model = kt.load("planar2r").with_joint_effects("joint2", damping=0.5).model
    >>> float(kt.algorithms.dissipated_power(model, np.zeros(2), 2 * np.ones(2)))
    2.0
    """
    return model.dissipated_power(q, v)
