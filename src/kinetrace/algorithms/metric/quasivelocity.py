"""The equations of motion with the identity for a mass matrix: in the quasi-velocities ν = Wᵀ v, for M = W Wᵀ.

    ν̇ + C(q, ν) = ε,   v = W⁻ᵀ ν        C = W⁻¹ c(q, v) − Ẇᵀ v,   ε = W⁻¹ (τ − g(q) + Σ J_fᵀ F_f)      (40), (41)
    Ω ξ̇ + C(q, ξ) = κ,   v = N⁻ᵀ ξ      C = N⁻¹ c(q, v) − Ω Ṅᵀ v,  κ = Ω^½ ε                           (44), (45)

Kozłowski (1995), section 4, after Jain and Rodriguez, with M v̇ + c + g the standard form. ν is the rate of no
coordinates. The kinetic energy is ½ |ν|² = ½ ξᵀ Ω ξ, and ν · C(q, ν) = 0: C turns ν and does no work.

Three sweeps: articulated inertias inward; twists outward, V = ψᵀV_p + S ξ with ψ = Ad*_{X⁻¹} (1 − GᵀSᵀ) (49); then
inward Ṗ, (16), and y of (45), with the terms that vanish for the paper's joints of one degree of freedom:

    y = Σ (of the children) − ad*_V J V − F + (P S)˙ ξ,     e = τ − Sᵀ y + Ṡᵀ P⁺ V        C(q, ξ) = −e with τ = F = 0
    to the parent: Ad*_{X⁻¹} (y + Gᵀ e + ad*_{Sv} P⁺ V)      and for Ṗ: Ṗ⁺ − P⁺ ad_{Sv} − ad*_{Sv} P⁺
P⁺ S = Gᵀ A is zero but for an armature A; then V − S v stands for V in P⁺ V.
Gravity needs no sweep of forces: it adds −Sᵀ P a to e, a being the acceleration −g in the body's frame. From ξ to ν,
(46): ν̇ = Ω^-½ e + (dΩ^½/dt)ᵀ ξ, in which Ω^½ is the triangular factor; with several degrees of freedom its rate has a
skew part. Twists and wrenches are in body frames; the base rests: on one that moves, ½ |ν|² would be no energy.

With mimic joints the factors are those of the dense M = Lᵀ D L: N = Lᵀ, Ω = D. Let c = C v with Ṁ = C + Cᵀ, and U be
what is above the diagonal of B = W⁻¹ C W⁻ᵀ, or of N⁻¹ C N⁻ᵀ. As W⁻¹ Ẇ is upper triangular, and B + Bᵀ is it and its
transpose, neither Ẇ nor Ω̇ is needed:

    C(q, ν) = (U − Uᵀ) ν,   C(q, ξ) = (U − Uᵀ + diag B) ξ
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import Array, stack, where
from ...errors import InputError, lookup
from ...lie import ad_dual
from ...lie.inertia import symmetric
from ...linalg import dense
from ...model import Body, Model
from ..closed.closure_forces import constraint_forces
from ..constraints.joint_rows import has_solved_effects
from ..dynamics.articulated_body import Articulated, articulate, smoother
from ..dynamics.coriolis_matrix import coriolis_matrix
from ..dynamics.external_inputs import ExternalInputs
from ..dynamics.external_wrenches import FrameWrenches, body_wrenches, gravity_as_base_acceleration
from ..dynamics.inverse_dynamics import inverse_dynamics
from ..dynamics.mass_root import (
    DenseRoot,
    choose_root,
    mass_root_transposed_product,
    mass_root_transposed_solve,
    no_scale,
)
from ..registry.choices import ExplicitMethod
from ..registry.declaration import algorithm
from ..registry.forms import by_form
from ..sweeps.tree import inward, outward
from ..time.runge_kutta import EXPLICIT, EquationsOfMotion

Pair = tuple[Array, Array]


class QuasiForce(NamedTuple):
    """The dynamics of a joint in quasi-velocities."""

    e: Array
    """Ω ξ̇ (nv,), without gravity."""
    dOmega: Array
    """The rate of Ω (nv, nv)."""


def carried_gravity(body: Body, a_p: Array, at: Articulated) -> Array:
    """The acceleration −g that stands for gravity, in a body's frame."""
    return at.X.Ad_inv(a_p)


def quasi_force_step(
    body: Body, beyond: Pair, at: Articulated, twist: Pair, xi: Array, q: Array, tau: Array, F: Array
) -> tuple[QuasiForce, Pair]:
    """Ω ξ̇ of a joint; the rate of the articulated inertia and the force y of all that it carries, for the parent."""
    (dP, y), (V, v), P_plus, G = beyond, twist, at.P_plus, at.G
    dS, V_joint, p = body.subspace_rate(q, v), at.S @ v, P_plus @ V - G.T @ (body.armature @ v)
    dU = dP @ at.S + at.P @ dS
    dOmega = symmetric(at.S.T @ dU + dS.T @ at.U)
    b = -ad_dual(V, body.J @ V) - F
    y = y + b + dU @ xi  # (45)
    e = tau - at.S.T @ y + dS.T @ p
    half = G.T @ (dU.T - dOmega @ (G / 2))
    dP_plus = body.zero_joint_directions(symmetric(dP - half - half.T))
    turned = ad_dual(V_joint, P_plus)
    dP_parent = at.X.change_frame(symmetric(dP_plus - turned - turned.T))  # (16)
    return QuasiForce(e, dOmega), (dP_parent, at.X.Ad_inv_dual(y + G.T @ e + ad_dual(V_joint, p)))


def normalised_rate(at: Articulated, nu: Array, joint: QuasiForce) -> Array:
    """ν̇ of a joint, from its Ω ξ̇."""
    return dense.root_solve(at.factors, joint.e) + dense.root_rate(at.factors, joint.dOmega).T @ nu  # (46)


class QuasiMotion(NamedTuple):
    """The motion of a robot in quasi-velocities, each (nv,)."""

    v: Array
    forces: Array
    """ε − C(q, ν), or κ − C(q, ξ)."""
    rates: Array
    """ν̇, or ξ̇."""


def motion_by_sweeps(
    model: Model, q: Array, nu: Array, normalised: bool, tau: Array | None, wrench: FrameWrenches | None
) -> QuasiMotion:
    """The motion of a tree under joint forces, wrenches and gravity; without forces if τ is None."""
    at, none = articulate(model, q), [np.zeros(6)] * len(model.bodies)
    scale = dense.root_transposed_solve if normalised else no_scale
    xi = [scale(a.factors, nu_i) for a, nu_i in zip(at, model.split_v(nu), strict=True)]
    twists = outward(model, smoother, (np.zeros(6), None), at, xi, none)  # (49)
    v = model.gather([v for _, v in twists])
    driving = np.zeros(model.nv) if tau is None else tau - model.passive_forces(q, v)
    given = (model.split_q(q), model.split_v(driving), body_wrenches(model, wrench))
    joints = inward(model, quasi_force_step, (np.zeros((6, 6)), np.zeros(6)), at, twists, xi, *given)
    if tau is not None:
        fall = outward(model, carried_gravity, gravity_as_base_acceleration(model, None), at)
        joints = [j._replace(e=j.e - here.U.T @ a) for j, here, a in zip(joints, at, fall, strict=True)]
    if normalised:
        rates = model.gather([normalised_rate(*each) for each in zip(at, model.split_v(nu), joints, strict=True)])
        return QuasiMotion(v, rates, rates)
    rates = model.gather([dense.solve(here.factors, joint.e) for here, joint in zip(at, joints, strict=True)])  # (44)
    return QuasiMotion(v, model.gather([joint.e for joint in joints]), rates)


def motion_by_matrices(
    model: Model, q: Array, nu: Array, normalised: bool, tau: Array | None, wrench: FrameWrenches | None
) -> QuasiMotion:
    """The same by the dense factors of M."""
    root = DenseRoot.at_configuration(model, q, normalised)
    v = root.transposed_solve(nu)
    B = root.solve(root.solve(coriolis_matrix(model, q, v).T).T)
    upper = np.triu(np.ones(B.shape, dtype=bool), 1)
    U = where(upper, B, np.zeros(B.shape))
    forces = U.T @ nu - U @ nu
    if tau is not None:
        still, passive = np.zeros(model.nv), model.passive_forces(q, v)
        held = inverse_dynamics(model.without_passive_forces, q, still, still, wrench=wrench)
        forces = forces + root.solve(tau - passive - held)
    if normalised:
        return QuasiMotion(v, forces, forces)
    forces = forces - stack([B[i, i] for i in range(model.nv)], axis=0) * nu
    return QuasiMotion(v, forces, forces * stack(root.factors.reciprocal, axis=0))


@algorithm(returns="(nv,) C(q, ν) or C(q, ξ).")
def diagonal_coriolis(model: Model, q: Array, nu: Array, *, normalised: bool = True) -> Array:
    """Coriolis forces C(q, ν) of ν̇ + C = ε in quasi-velocities; ν · C = 0.

    With `normalised=False`, C(q, ξ) of Ω ξ̇ + C = κ, for ξ = Nᵀ v.

    >>> model = kt.load("planar2r").model
    >>> nu = np.array([1.0, 2.0])
    >>> C = kt.algorithms.diagonal_coriolis(model, np.ones(2), nu)
    >>> C.round(3), bool(abs(nu @ C) < 1e-12)
    (array([-3.723,  1.861]), True)
    """
    return -choose_root(model, motion_by_sweeps, motion_by_matrices)(model, q, nu, normalised, None, None).forces


@algorithm(
    honours_closures=True,
    returns={"v": "(nv,) Velocity [rad/s, m/s].", "rate": "(nv,) Rate ν̇; ξ̇ with `normalised=False`."},
)
def diagonal_dynamics(
    model: Model, q: Array, nu: Array, tau: Array, *, normalised: bool = True, wrench: FrameWrenches | None = None
) -> tuple[Array, Array]:
    """Velocity v = W⁻ᵀ ν and rate ν̇ = ε − C(q, ν) of a quasi-velocity under joint forces.

    ε holds joint forces, gravity, the wrenches and the forces of closures.

    >>> model = kt.load("planar2r").model
    >>> q, nu = np.ones(2), np.array([1.0, 2.0])
    >>> v, rate = kt.algorithms.diagonal_dynamics(model, q, nu, np.zeros(2))
    >>> v.round(3), rate.round(3)
    (array([0.947, 1.749]), array([-5.376,  1.674]))
    >>> bool(np.isclose(nu @ rate, -v @ kt.algorithms.gravity(model, q)))  # the power of gravity
    True
    """
    tau = _with_closures(model, q, nu, tau, normalised, wrench)
    motion = choose_root(model, motion_by_sweeps, motion_by_matrices)(model, q, nu, normalised, tau, wrench)
    return motion.v, motion.rates


def _with_constraint_forces(
    model: Model, q: Array, nu: Array, tau: Array, normalised: bool, wrench: FrameWrenches | None
) -> Array:
    v = mass_root_transposed_solve(model, q, nu, normalised=normalised)
    return tau + constraint_forces(model, q, v, tau, ExternalInputs(wrench=wrench))


_with_closures = by_form(tree=lambda model, q, nu, tau, *_: tau, closed=_with_constraint_forces)


@algorithm(
    honours_closures=True,
    arguments={"nu": "Quasi-velocity ν = Wᵀ v.", "method": "Explicit method, as in `step`."},
    returns={"q": "(nq,) Configuration after the step.", "nu": "(nv,) Quasi-velocity after the step."},
)
def diagonal_step(
    model: Model, q: Array, nu: Array, tau: Array, dt: Array, *, method: ExplicitMethod = "semi-implicit"
) -> tuple[Array, Array]:
    """One step in time in quasi-velocities.

    >>> model = kt.load("planar2r").model
    >>> z = np.zeros(2)
    >>> q, nu = kt.algorithms.diagonal_step(model, z, z, z, 0.01)
    >>> kt.algorithms.mass_root_transposed_solve(model, z, nu).round(3)
    array([-0.126,  0.168])
    """

    if has_solved_effects(model):
        raise InputError("quasi-velocities cannot step with dry friction or hard stops: kt.algorithms.step can")

    def velocity(q: Array, nu: Array) -> Array:
        return mass_root_transposed_solve(model, q, nu)

    def axis_rate(q: Array, nu: Array) -> Array:
        return mass_root_transposed_product(model, q, model.axis_rate(velocity(q, nu)))

    def advance(q: Array, nu: Array, dt: Array) -> tuple[Array, Array]:
        after, v = model.advance(q, velocity(q, nu), dt)
        return after, mass_root_transposed_product(model, q, v)

    robot = EquationsOfMotion(
        model.integrate, model.bracket, lambda q, nu, t: diagonal_dynamics(model, q, nu, tau)[1], velocity
    )
    if any(body.joint.axes_turn for body in model.bodies):
        robot = robot._replace(axis_rate=axis_rate, advance=advance)
    return lookup("method", method, EXPLICIT)(robot, q, nu, dt)[:2]
