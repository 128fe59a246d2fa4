"""Inverse dynamics, the recursive Newton–Euler algorithm (RNEA): the joint forces that produce a motion, in O(n).

    τ = M(q) v̇ + c(q, v) + g(q) − Σ J_fᵀ F_f

Ploen and Park (1999), (1)–(5), and Park, Bobrow and Ploen (1995), (22)–(27), on trees, with joints of several degrees
of freedom, is `method="spatial"`:

    outward   X    = X_pi(q_i)                                                               (1)
              V_i  = Ad_{X⁻¹} V_p + S_i v_i                                                  (2)
              V̇_i = S_i v̇_i + Ad_{X⁻¹} V̇_p − ad_{S_i v_i} Ad_{X⁻¹} V_p + Ṡ_i v_i             (3)
    inward    F_i  = Σ_c Ad*_{X_c⁻¹} F_c + J_i V̇_i − ad*_{V_i} J_i V_i − F_ext,i              (4)
              τ_i  = S_iᵀ F_i                                                                (5)

Twists and wrenches of body i are in its own frame, angular part first. Gravity enters as an acceleration of the base by
−g.

`method="classical"`, the default, is the same recursion with classical accelerations, those of the bodies' origins: no
linear velocity is needed, which saves a quarter to a third of the operations. The other is kept as the papers have it,
and as the reference. Forces do not depend on how fast an observer moves, so v of V = (ω, v) must drop out of (3) and
(4). It does if bodies carry the acceleration a = v̇ + ω × v of their origin instead of v̇: point r of a body accelerates
by a + U r,

    U_i = [ω̇_i] + [ω_i]²

and with (w, u) = S_i v_i, (ẇ, u̇) = S_i v̇_i + Ṡ_i v_i in the axes of the body, X_pi = (R, p), and ω', ω̇', a' the
parent's motion at the joint, a' = Rᵀ (a_p + U_p p),

    outward   ω_i = ω' + w,   ω̇_i = ω̇' + ẇ + ω' × w,   a_i = a' + u̇ + 2 ω' × u + w × u       (2), (3)
    inward    F_i = Σ_c Ad*_{X_c⁻¹} F_c + ∫ (r, 1) × (a_i + U_i r) dm − F_ext,i              (4)
              τ_i = S_iᵀ F_i                                                                 (5)

U, for p and for the mass, is that of Khalil and Kleinfinger (1987). Then what joints do by themselves is added:
`model.effects.joint_effects`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from ...arrays import Array
from ...errors import lookup
from ...lie import Pose, ad, ad_dual, se3, so3
from ...model import Body, Model
from ..registry.choices import InverseMethod
from ..registry.declaration import algorithm
from ..sweeps.tree import inward, outward
from .external_wrenches import body_wrenches, gravity_as_base_acceleration


class OriginMotion(NamedTuple):
    """Rotation of a body and acceleration of its origin, in its own frame; pose and screws of its joint."""

    w: Array
    dw: Array
    a: Array
    F: Array = None
    """The wrench that this motion requires: all that the inward sweep needs of the motion."""
    X: Pose = Pose()
    """X_pi."""
    S: Array = None


def motion_at(X: Array, at: OriginMotion) -> OriginMotion:
    """The same motion at another frame of the body, which is at X."""
    Rt, p = so3.transpose(se3.rotation(X)), se3.translation(X)
    return OriginMotion(Rt @ at.w, Rt @ at.dw, Rt @ (at.a + so3.second_rate(at.w, at.dw) @ p))


def origin_motion(body: Body, parent: OriginMotion, q: Array, v: Array, a: Array) -> OriginMotion:
    """A body's motion from its parent's, (2), (3), and the wrench that it requires, (4)."""
    X, S = body.joint_placement(q), body.joint.subspace(q)  # (1)
    at, V, dV = X.pull(motion_at, parent), S @ v, S @ a + body.joint.bias(q, v)
    w, u = V[:3], V[3:]
    dw = at.dw + dV[:3] + so3.cross(at.w, w)
    at = OriginMotion(at.w + w, dw, at.a + dV[3:] + so3.cross(at.w, u + u) + so3.cross(w, u))
    at = body.from_joint.pull(motion_at, at)
    F = body.newton_euler(at.w, at.dw, at.a)
    return at._replace(F=F, X=X @ body.from_joint, S=body.subspace(q))


def joint_force(body: Body, F_children: Array, at: OriginMotion, F_ext: Array) -> tuple[Array, Array]:
    """The force along a joint, and the wrench that it passes on to the parent."""
    F = F_children + at.F - F_ext  # (4)
    return at.S.T @ F, at.X.Ad_inv_dual(F)  # (5)


def classical_inverse_dynamics(
    model: Model, q: Array, v: Array, a: Array, V_0: Array, dV_0: Array, wrench: Mapping[str, Array] | None
) -> Array:
    """τ (nv,), on a base with the twist V_0 (6,) and its rate dV_0 (6,), under wrenches by frame names."""
    base = OriginMotion(V_0[:3], dV_0[:3], dV_0[3:] + so3.cross(V_0[:3], V_0[3:]))
    motions = outward(model, origin_motion, base, model.split_q(q), model.split_v(v), model.split_v(a))
    return model.gather(inward(model, joint_force, np.zeros(6), motions, body_wrenches(model, wrench)))


class SpatialMotion(NamedTuple):
    """A body's twist and its rate, and the pose and screws of its joint."""

    V: Array
    dV: Array
    X: Pose = Pose()
    S: Array = None


def spatial_motion(body: Body, parent: SpatialMotion, q: Array, v: Array, a: Array) -> SpatialMotion:
    """A body's motion from its parent's."""
    X, S = body.placement(q), body.subspace(q)  # (1)
    V_p, dV_p = X.Ad_inv(parent.V), X.Ad_inv(parent.dV)
    V = V_p + S @ v  # (2)
    dV = S @ a + dV_p - ad(S @ v, V_p) + body.bias(q, v)  # (3)
    return SpatialMotion(V, dV, X, S)


def spatial_joint_force(body: Body, F_children: Array, at: SpatialMotion, F_ext: Array) -> tuple[Array, Array]:
    """The force along a joint, and the wrench that it passes on to the parent."""
    F = F_children + body.J @ at.dV - ad_dual(at.V, body.J @ at.V) - F_ext  # (4)
    return at.S.T @ F, at.X.Ad_inv_dual(F)  # (5)


def spatial_inverse_dynamics(
    model: Model, q: Array, v: Array, a: Array, V_0: Array, dV_0: Array, wrench: Mapping[str, Array] | None
) -> Array:
    """τ (nv,), on a base with the twist V_0 (6,) and its rate dV_0 (6,), under wrenches by frame names."""
    base = SpatialMotion(V_0, dV_0)
    motions = outward(model, spatial_motion, base, model.split_q(q), model.split_v(v), model.split_v(a))
    return model.gather(inward(model, spatial_joint_force, np.zeros(6), motions, body_wrenches(model, wrench)))


_METHODS: dict[str, Callable[..., Array]] = {
    "classical": classical_inverse_dynamics,
    "spatial": spatial_inverse_dynamics,
}


@algorithm(
    aliases=("rnea",),
    keeps_forces=("wrench", "method"),
    arguments={"method": "Fewer operations, or line by line as in Ploen and Park (1999); the forces are equal."},
    returns="(nv,) Joint forces τ [N m, N].",
)
def inverse_dynamics(
    model: Model,
    q: Array,
    v: Array,
    a: Array,
    *,
    method: InverseMethod = "classical",
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
    wrench: Mapping[str, Array] | None = None,
) -> Array:
    """Joint forces of a motion: τ = M v̇ + C v + g + passive forces − Σ J_fᵀ F_f.

    >>> model = kt.load("planar2r").model
    >>> z = np.zeros(2)
    >>> kt.algorithms.inverse_dynamics(model, z, z, z).round(3)
    array([19.62 ,  4.905])
    >>> kt.algorithms.inverse_dynamics(model, z, z, z, wrench={"tip": np.array([0, 0, 0, 0, 0, 1.0])}).round(3)
    array([17.62 ,  3.905])
    """
    V_0 = np.zeros(6) if base_velocity is None else base_velocity
    dV_0 = gravity_as_base_acceleration(model, base_acceleration)
    needed = lookup("method", method, _METHODS)(model, q, v, a, V_0, dV_0, wrench)
    return needed + model.armature @ a + model.passive_forces(q, v)
