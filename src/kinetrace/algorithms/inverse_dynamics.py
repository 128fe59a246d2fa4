"""Inverse dynamics: the joint forces that produce a motion, in O(n).

    τ = M(q) v̇ + c(q, v) + g(q) − Σ J_fᵀ F_f

The recursive Newton–Euler algorithm of Ploen and Park (1999), (1)–(5), and Park, Bobrow and Ploen (1995), (22)–(27),
on trees, with joints of several degrees of freedom, is `method="spatial"`:

    outward   X    = X_pi(q_i)                                                               (1)
              V_i  = Ad_{X⁻¹} V_p + S_i v_i                                                  (2)
              V̇_i = S_i v̇_i + Ad_{X⁻¹} V̇_p − ad_{S_i v_i} Ad_{X⁻¹} V_p + Ṡ_i v_i             (3)
    inward    F_i  = Σ_c Ad*_{X_c⁻¹} F_c + J_i V̇_i − ad*_{V_i} J_i V_i − F_ext,i              (4)
              τ_i  = S_iᵀ F_i                                                                (5)

Twists and wrenches of body i are in its own frame, angular part first. Gravity enters as an acceleration of the base by
−g. `method="classical"` computes the same with classical accelerations, those of the bodies' origins, in a quarter to a
third fewer operations: see `classical`. Then what joints do by themselves is added: `model.joint_effects`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from ..arrays import Array
from ..errors import lookup
from ..lie import Pose, ad, ad_dual
from ..model import Body, Model
from .choices import InverseMethod
from .classical import classical_inverse_dynamics
from .declaration import algorithm
from .external import body_wrenches, gravity_as_base_acceleration
from .sweep import inward, outward


class Link(NamedTuple):
    """A body's twist and its rate, and the pose and screws of its joint."""

    V: Array
    dV: Array
    X: Pose = Pose()
    S: Array = None


def forward_recursion(body: Body, parent: Link, q: Array, v: Array, a: Array) -> Link:
    """A body's motion from its parent's."""
    X, S = body.placement(q), body.subspace(q)  # (1)
    V_p, dV_p = X.Ad_inv(parent.V), X.Ad_inv(parent.dV)
    V = V_p + S @ v  # (2)
    dV = S @ a + dV_p - ad(S @ v, V_p) + body.bias(q, v)  # (3)
    return Link(V, dV, X, S)


def backward_recursion(body: Body, F_children: Array, at: Link, F_ext: Array) -> tuple[Array, Array]:
    """The force along a joint, and the wrench that it passes on to the parent."""
    F = F_children + body.J @ at.dV - ad_dual(at.V, body.J @ at.V) - F_ext  # (4)
    return at.S.T @ F, at.X.Ad_inv_dual(F)  # (5)


def spatial_inverse_dynamics(
    model: Model, q: Array, v: Array, a: Array, V_0: Array, dV_0: Array, wrench: Mapping[str, Array] | None
) -> Array:
    """τ (nv,), on a base with the twist V_0 (6,) and its rate dV_0 (6,), under wrenches by frame names."""
    links = outward(model, forward_recursion, Link(V_0, dV_0), model.split_q(q), model.split_v(v), model.split_v(a))
    return model.gather(inward(model, backward_recursion, np.zeros(6), links, body_wrenches(model, wrench)))


_METHODS: dict[str, Callable[..., Array]] = {
    "classical": classical_inverse_dynamics,
    "spatial": spatial_inverse_dynamics,
}


@algorithm(aliases=("rnea",), keeps_forces=("wrench", "method"))
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

    Parameters
    ----------
    model : Model
        Robot as data; `robot.model`.
    q : Array, shape (nq,)
        Configuration.
    v : Array, shape (nv,)
        Velocity [rad/s, m/s].
    a : Array, shape (nv,)
        Acceleration, the rate of v [rad/s², m/s²].
    method : {"classical", "spatial"}, default "classical"
        Fewer operations, or line by line as in Ploen and Park (1999); the forces are equal.
    base_velocity : Array, shape (6,), optional
        Twist of the base in its own frame; at rest unless given.
    base_acceleration : Array, shape (6,), optional
        Rate of the components of `base_velocity`; zero unless given.
    wrench : mapping of str to Array, shape (6,), optional
        Wrenches [N m, N] of the environment by frame name, each in the axes of its frame and about its origin.

    Returns
    -------
    Array, shape (nv,)
        Joint forces τ [N m, N].

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
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
