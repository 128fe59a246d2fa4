"""Inverse dynamics: the joint forces that produce a motion, in O(n).

    τ = M(q) v̇ + c(q, v) + g(q) − Σ J_fᵀ F_f

The recursive Newton–Euler algorithm of Ploen and Park (1999), (1)–(5), and Park, Bobrow and Ploen (1995), (22)–(27),
on trees, with joints of several degrees of freedom:

    outward   V_i  = Ad_{X⁻¹} V_p + S_i v_i                                                  (2)
              V̇_i = Ad_{X⁻¹} V̇_p + S_i v̇_i + Ṡ_i v_i − ad_{S_i v_i} Ad_{X⁻¹} V_p             (3)
    inward    F_i  = Σ_c Ad*_{X_c⁻¹} F_c + J_i V̇_i − ad*_{V_i} J_i V_i − F_ext,i              (4)
              τ_i  = S_iᵀ F_i                                                                (5)

with X = X_pi (1). Twists and wrenches of body i are in its own frame, angular part first. Gravity enters as an
acceleration of the base by −g. The first two steps are in `kinematics`.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..arrays import Array
from ..lie import Ad_inv_dual, ad_dual
from ..model.model import Body, Model
from .external import body_wrenches, falling
from .kinematics import Velocity, link_acceleration, link_velocities
from .sweep import inward, outward


def body_wrench(body: Body, at: Velocity, dV: Array, F_ext: Array) -> Array:
    """What a body needs to move so, less what the environment gives."""
    return body.J @ dV - ad_dual(at.V, body.J @ at.V) - F_ext


def joint_force(body: Body, F_children: Array, at: Velocity, dV: Array, F_ext: Array) -> tuple[Array, Array]:
    """The force along a joint, and the wrench that it passes on to the parent."""
    F = F_children + body_wrench(body, at, dV, F_ext)  # (4)
    return at.S.T @ F, Ad_inv_dual(at.X, F)  # (5)


def inverse_dynamics(
    model: Model,
    q: Array,
    v: Array,
    a: Array,
    *,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
    wrench: Mapping[str, Array] | None = None,
) -> Array:
    """Joint forces τ (nv,) [N m, N] for the configuration q (nq,), velocity v (nv,) and its rate a (nv,).

    `base_velocity` and `base_acceleration` (6,) are the twist of the base, what the first joints hang on, in its own
    frame and the rate of its components. `wrench` maps frame names to the wrench (6,) that the environment exerts
    there, in that frame.

    >>> import numpy as np, kinetrace as kt
    >>> model = kt.load("planar2r").model
    >>> kt.algorithms.inverse_dynamics(model, np.zeros(2), np.zeros(2), np.zeros(2)).round(3)
    array([19.62 ,  4.905])
    """
    velocities = link_velocities(model, q, v, base_velocity)
    accelerations = outward(model, link_acceleration, falling(model, base_acceleration), velocities, model.split_v(a))
    tau = inward(model, joint_force, np.zeros(6), velocities, accelerations, body_wrenches(model, wrench))
    return model.gather(tau)
