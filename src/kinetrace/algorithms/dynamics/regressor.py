"""Regressors: forces, energies and momentum as matrices that act on the bodies' inertial parameters.

    τ = Y(q, v, v̇) π          π = (m, hx, hy, hz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz) of every body, in the bodies' order

Newton and Euler's equations of one body, Ploen and Park (1999) (4), are linear in its ten parameters:

    J V̇ − ad*_V J V = A(V, V̇) π_b          A (6, 10)

and the forces of the joints that carry the body are their screws' shares of it, so the columns of body b are

    Y_b = L_bᵀ A(V_b, V̇_b)                 L_b (6, nv) the body's Jacobian; gravity is in V̇, as in `inverse_dynamics`

The screws of L_b are carried out to the body; to carry the ten columns of A back to the base takes a tenth to a sixth
more operations. Energies and momentum are linear too (Gautier and Khalil 1988), and so are the forces
M v̇ + C(q, v) u + g of adaptive control (Slotine and Li 1987), whose C has the forms of `coriolis`.

Columns of joints may follow those of bodies, nv of each kind, with the law of `model.effects.joint_effects`: with
`friction` v_i (viscous), then v_i / √(v_i² + w_i²) (Coulomb, w the joint's `friction_width`); with `rotor` v̇_i (the
inertia of a rotor, seen through its gear). They belong to the joints that have variables of their own.
`parameter_names` lists all. All else that joints do by themselves is known: springs, stops, and the effects of mimic
joints. So with p the bodies' parameters, then damping, friction and armature of those joints,

    τ = Y p + forces of all other effects
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...arrays import Array, concatenate, stack
from ...errors import lookup
from ...lie import Ad_inv_dual, inertia, se3
from ...lie.so3 import cross
from ...model import Body, Model
from ...model.effects.joint_effects import coulomb, per_velocity
from ..kinematics.forward_kinematics import Velocity, link_acceleration, link_pose, link_velocities
from ..registry.choices import CoriolisForm
from ..registry.declaration import algorithm
from ..sweeps.tree import outward
from .coriolis import BODY_CORIOLIS_FORMS, BodyCoriolis, carried_twist, motions
from .external_wrenches import gravity_as_base_acceleration
from .mass_matrix import Blocks, link_jacobian
from .momentum import body_wrench

PARAMETER_NAMES = ("m", "hx", "hy", "hz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
"""The names of a body's ten parameters, in their order."""
_UNITS = inertia.from_parameters(np.eye(10))
"""(10, 6, 6): the inertias with one parameter 1 and the others 0."""


def parameter_matrix(function: Callable[..., Array], *state: Array) -> Array:
    """The matrix (..., 10) of a function of (J, *state) that is linear in J: its values for the ten unit parameters."""
    return stack([function(J, *state) for J in _UNITS])


def coriolis_wrench(J: Array, V: Array, U: Array, dU: Array, form: BodyCoriolis) -> Array:
    """The wrench (6,) that moves one body, with the velocity U beside V, in one of the forms of C."""
    return J @ dU + form.C(J, V, U)


def momentum_in_world(J: Array, V: Array, X_0i: Array) -> Array:
    """Momentum (6,) of one body about the world's origin."""
    return Ad_inv_dual(X_0i, J @ V)


def energies(J: Array, V: Array, X_0i: Array, g: Array) -> Array:
    """Kinetic and potential energy of one body."""
    pi, w, v = inertia.to_parameters(J), V[:3], V[3:]
    m, h, R, p = pi[0], pi[1:4], se3.rotation(X_0i), se3.translation(X_0i)
    kinetic = w @ (J[:3, :3] @ w) / 2 + h @ cross(v, w) + m * (v @ v / 2)
    return stack([kinetic, -((g @ R) @ h + m * (g @ p))])


def accelerating_twist(
    body: Body, parent: tuple[Array, Array], at: Velocity, dS: Array, v_u_a: tuple[Array, Array, Array]
) -> tuple[Array, Array]:
    """The twist U = L_i u, and L_i a + L̇_i u."""
    v, u, a = v_u_a
    U, dU = carried_twist(body, parent, at, dS, v, u)
    return U, dU + at.S @ a


def _assemble(model: Model, q: Array, wrenches: list[Array]) -> Array:
    """Σ L_bᵀ A_b (nv, 10 nb) from the bodies' A (6, 10): zero where a joint does not carry the body."""
    links: list[Blocks] = outward(model, link_jacobian, {}, model.split_q(q))
    pairs = list(zip(links, wrenches, strict=True))
    rows = [
        concatenate([L[j.index] @ A if j.index in L else np.zeros((j.joint.nv, 10)) for L, A in pairs])
        for j in model.bodies
    ]
    return model.gather(rows).reshape(model.nv, 10 * len(model.bodies))


def _joint_columns(model: Model, v: Array, a: Array, friction: bool, rotor: bool) -> list[Array]:
    smoothed = coulomb(1.0, v, per_velocity(model, "friction_width"))
    return [np.eye(len(v)) * x for x in [v, smoothed] * friction + [a] * rotor]


@algorithm(returns="(nv, p) Y, with p = 10 nb columns for the bodies, and those of `friction` and `rotor`.")
def regressor(model: Model, q: Array, v: Array, a: Array, *, friction: bool = False, rotor: bool = False) -> Array:
    """Regressor Y of the joint forces: τ = Y π, gravity included, for the inertial parameters π.

    With `friction` and `rotor`, damping, friction and armature of the joints are parameters as well. What else joints
    do by themselves (`model.effects.joint_effects`) is not part of it.

    >>> robot, x = kt.load("planar2r"), np.ones(2)
    >>> Y = kt.algorithms.regressor(robot.model, x, x, x)
    >>> (Y @ robot.parameters("inertial").ravel()).round(3)
    array([ 7.458, -0.684])
    >>> kt.algorithms.inverse_dynamics(robot.model, x, x, x).round(3)
    array([ 7.458, -0.684])
    """
    velocities = link_velocities(model, q, v)
    dV_0 = gravity_as_base_acceleration(model, None)
    accelerations = outward(model, link_acceleration, dV_0, velocities, model.split_v(a))
    moving = zip(velocities, accelerations, strict=True)
    wrenches = [parameter_matrix(body_wrench, at.V, dV) for at, dV in moving]
    return concatenate([_assemble(model, q, wrenches), *_joint_columns(model, v, a, friction, rotor)])


@algorithm(returns="(nv, 10 nb) Matrix whose product with π are the joint forces [N m, N].")
def coriolis_regressor(
    model: Model, q: Array, v: Array, u: Array, a: Array, *, form: CoriolisForm = "christoffel"
) -> Array:
    """Regressor of M(q) a + C(q, v) u + g(q) in the inertial parameters, for adaptive control.

    >>> robot, x = kt.load("planar2r"), np.ones(2)
    >>> Y = kt.algorithms.coriolis_regressor(robot.model, x, x, 2 * x, x)
    >>> (Y @ robot.parameters("inertial").ravel()).round(3)
    array([ 6.195, -0.263])
    """
    (velocities, rates), how = motions(model, q, v), lookup("form", form, BODY_CORIOLIS_FORMS)
    base = (np.zeros(6), gravity_as_base_acceleration(model, None))
    v_u_a = zip(model.split_v(v), model.split_v(u), model.split_v(a), strict=True)
    twists = outward(model, accelerating_twist, base, velocities, rates, list(v_u_a))
    moving = zip(velocities, twists, strict=True)
    wrenches = [parameter_matrix(coriolis_wrench, at.V, U, dU, how) for at, (U, dU) in moving]
    return _assemble(model, q, wrenches)


@algorithm(returns="(2, 10 nb) Matrix whose product with π are T and U [J].")
def energy_regressor(model: Model, q: Array, v: Array) -> Array:
    """Regressor of kinetic and potential energy in the inertial parameters.

    >>> robot, x = kt.load("planar2r"), np.ones(2)
    >>> (kt.algorithms.energy_regressor(robot.model, x, x) @ robot.parameters("inertial").ravel()).round(3)
    array([ 1.874, 16.842])
    """
    poses = outward(model, link_pose, np.eye(4), model.split_q(q))
    moving = zip(link_velocities(model, q, v), poses, strict=True)
    blocks = [parameter_matrix(energies, at.V, X, model.gravity) for at, X in moving]
    return concatenate([np.zeros((2, 0)), *blocks])


@algorithm(returns="(6, 10 nb) Matrix whose product with π is the momentum, angular rows first.")
def momentum_regressor(model: Model, q: Array, v: Array) -> Array:
    """Regressor of `momentum`, about the world's origin and in its axes, in the inertial parameters.

    >>> robot, x = kt.load("planar2r"), np.ones(2)
    >>> (kt.algorithms.momentum_regressor(robot.model, x, x) @ robot.parameters("inertial").ravel()).round(3)
    array([ 0.   , -2.81 ,  0.   , -2.172,  0.   ,  0.394])
    """
    poses = outward(model, link_pose, np.eye(4), model.split_q(q))
    moving = zip(link_velocities(model, q, v), poses, strict=True)
    blocks = [parameter_matrix(momentum_in_world, at.V, X) for at, X in moving]
    return concatenate([np.zeros((6, 0)), *blocks])


def parameter_names(model: Model, *, friction: bool = False, rotor: bool = False) -> tuple[str, ...]:
    """The names of the columns of `regressor`; a joint with several velocities numbers them.

    >>> import kinetrace as kt
    >>> parameter_names(kt.load("planar2r").model, friction=True)[-3:]
    ('joint2.viscous', 'joint1.coulomb', 'joint2.coulomb')
    """
    bodies = [f"{body.name}.{name}" for body in model.bodies for name in PARAMETER_NAMES]
    velocities = [
        body.joint_name if body.joint.nv == 1 else f"{body.joint_name}[{i}]"
        for body in model.independent_joints
        for i in range(body.joint.nv)
    ]
    kinds = ["viscous", "coulomb"] * friction + ["rotor"] * rotor
    return tuple(bodies + [f"{velocity}.{kind}" for kind in kinds for velocity in velocities])
