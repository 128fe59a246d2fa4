"""Coriolis and centrifugal forces: C(q, v) as an operator, in O(n); `coriolis_matrix` has it as a matrix.

    τ = M(q) v̇ + C(q, v) v + g(q)        C = Σ_i L_iᵀ (J_i L̇_i + C_i(V_i) L_i),   V_i = L_i v

Ploen, *A skew-symmetric form of the recursive Newton–Euler algorithm*, (25), (37): L = GS and L̇ = G (ad_{Sv} Γ L + Ṡ).
The force C v is one, C itself depends on how each body's C_i V_i = −ad*_{V_i} J_i V_i is written, the `form`:

    "newton"       C_i = −ad*_V J: Ṁ − 2C is not skew                  (25); Ploen and Park (1999) (12)
    "skew"         C_i = [[[s], [h][ω]], [−[ω][h], m[ω]]] with s = (tr I) ω − I ω: Ṁ − 2C is skew        (37)
    "christoffel"  the same with s = (tr I) ω / 2 − I ω: C holds the Christoffel symbols of M
                                                                       (2)–(3); Park et al. (1995) (52)

with J = [[I, [h]], [−[h], m]]; [(tr I) ω − I ω] is Ploen's [ω]I + I[ω]. "christoffel" is the Levi-Civita connection of
a body's energy, pulled back to the joints. So its C does not depend on the choice of link frames, as that of "skew"
does, and where v is no rate of coordinates (quaternions), still C(v) u − C(u) v = M [v, u], the bracket of v's fields.

Six-vectors of body i are in its own frame, angular part first.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from ...arrays import Array, concatenate
from ...errors import lookup
from ...lie import ad, ad_dual, inertia
from ...lie.so3 import cross
from ...model import Body, Model
from ..kinematics.forward_kinematics import Velocity, link_velocities
from ..registry.choices import CoriolisForm
from ..registry.declaration import algorithm
from ..sweeps.tree import inward, outward
from .inverse_dynamics import inverse_dynamics

Pair = tuple[Array, Array]


class BodyCoriolis(NamedTuple):
    """How a body's C_i is written."""

    C: Callable[[Array, Array, Array], Array]
    """(J, V, U) → C_i(V) U, for one twist U or rows of them."""
    Ct: Callable[[Array, Array, Array], Array]
    """(J, V, U) → C_i(V)ᵀ U."""
    corner: float
    """C_i − J_i ad_V = [[K, corner · [p]], [−[p], 0]] for some K; p is the linear momentum."""


def newton_form(J: Array, V: Array, U: Array) -> Array:
    """−ad*_V J U."""
    return -ad_dual(V, U @ J)  # (30)


def skew_form(J: Array, V: Array, U: Array, trace_weight: float = 1.0) -> Array:
    """Ploen's C̄_i U; with half the weight of the trace, Christoffel's."""
    w, I, u, u_lin = V[:3], J[:3, :3], U[..., :3], U[..., 3:]
    pi = inertia.to_parameters(J)
    m, h, s = pi[0], pi[1:4], (trace_weight * (I[0, 0] + I[1, 1] + I[2, 2])) * w - I @ w
    return concatenate([cross(s, u) + cross(h, cross(w, u_lin)), cross(w, m * u_lin - cross(h, u))])  # Proposition 1


christoffel_form = partial(skew_form, trace_weight=0.5)
BODY_CORIOLIS_FORMS = {
    "skew": BodyCoriolis(skew_form, lambda J, V, U: -skew_form(J, V, U), 0.0),
    "newton": BodyCoriolis(newton_form, lambda J, V, U: -ad(V, U) @ J, 1.0),
    "christoffel": BodyCoriolis(christoffel_form, lambda J, V, U: -christoffel_form(J, V, U), 0.0),
}


def carried_twist(body: Body, parent: Pair, at: Velocity, dS: Array, v: Array, u: Array) -> Pair:
    """The twist U = L_i u and L̇_i u from the parent's."""
    U_carried = at.X.Ad_inv(parent[0])
    dU = at.X.Ad_inv(parent[1]) - ad(at.S @ v, U_carried) + dS @ u  # (27)
    return U_carried + at.S @ u, dU


def coriolis_force(body: Body, F_children: Array, at: Velocity, twist: Pair, form: BodyCoriolis) -> Pair:
    """The joint's entry of C u, and the wrench for the parent."""
    U, dU = twist
    F = F_children + body.J @ dU + form.C(body.J, at.V, U)  # (37)
    return at.S.T @ F, at.X.Ad_inv_dual(F)


def transposed_force(
    body: Body, children: Pair, at: Velocity, dS: Array, v: Array, twist: Pair, form: BodyCoriolis
) -> tuple[Array, Pair]:
    """The joint's entry of Cᵀ u = Σ L̇ᵀ J U + Lᵀ C_iᵀ U, and the momentum and the wrench for the parent."""
    P = children[0] + body.J @ twist[0]
    F = children[1] + form.Ct(body.J, at.V, twist[0])
    passed = at.X.Ad_inv_dual(P), at.X.Ad_inv_dual(F - ad_dual(at.S @ v, P))  # (28)
    return at.S.T @ F + dS.T @ P, passed


def motions(model: Model, q: Array, v: Array) -> tuple[list[Velocity], list[Array]]:
    """V_i with S_i, and Ṡ_i, of every body."""
    return link_velocities(model, q, v), [
        body.subspace_rate(q_i, v_i)
        for body, q_i, v_i in zip(model.bodies, model.split_q(q), model.split_v(v), strict=True)
    ]


@algorithm(aliases=("nle",), keeps_forces=(), returns="(nv,) Joint forces [N m, N].")
def bias(model: Model, q: Array, v: Array) -> Array:
    """Joint forces that keep v̇ = 0: C(q, v) v + g(q), and `passive_forces` if the joints have any.

    >>> kt.algorithms.bias(kt.load("planar2r").model, np.ones(2), np.ones(2)).round(3)
    array([ 4.647, -1.62 ])
    """
    return inverse_dynamics(model, q, v, np.zeros(model.nv))


@algorithm(keeps_forces=(), returns="(nv,) Joint forces [N m, N].")
def coriolis_product(model: Model, q: Array, v: Array, u: Array, *, form: CoriolisForm = "christoffel") -> Array:
    """Product C(q, v) u, without forming C.

    >>> kt.algorithms.coriolis_product(kt.load("planar2r").model, np.ones(2), np.ones(2), np.array([1.0, 0.0])).round(3)
    array([-0.421,  0.421])
    """
    (velocities, rates), how = motions(model, q, v), lookup("form", form, BODY_CORIOLIS_FORMS)
    at_rest = (np.zeros(6), np.zeros(6))
    twists = outward(model, carried_twist, at_rest, velocities, rates, model.split_v(v), model.split_v(u))
    return model.gather(inward(model, partial(coriolis_force, form=how), np.zeros(6), velocities, twists))


@algorithm(returns="(nv,) Joint forces [N m, N].")
def coriolis_transpose_product(
    model: Model, q: Array, v: Array, u: Array, *, form: CoriolisForm = "christoffel"
) -> Array:
    """Product C(q, v)ᵀ u, without forming C: the term of momentum observers.

    >>> model = kt.load("planar2r").model
    >>> kt.algorithms.coriolis_transpose_product(model, np.ones(2), np.ones(2), np.array([1.0, 0.0])).round(3)
    array([-0.421, -0.841])
    """
    (velocities, rates), how = motions(model, q, v), lookup("form", form, BODY_CORIOLIS_FORMS)
    vs, nothing = model.split_v(v), (np.zeros(6), np.zeros(6))
    twists = outward(model, carried_twist, nothing, velocities, rates, vs, model.split_v(u))
    return model.gather(inward(model, partial(transposed_force, form=how), nothing, velocities, rates, vs, twists))
