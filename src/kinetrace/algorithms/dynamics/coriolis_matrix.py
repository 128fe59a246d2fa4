"""The Coriolis matrix C(q, v), in its three forms, and the rate of the mass matrix, in O(n · depth).

    C = Σ_b L_bᵀ (J_b L̇_b + C_b(V_b) L_b)         Ploen (37); see `coriolis` for L and for the forms of C_b
      = Σ_b L_bᵀ (J_b D_b + B_b L_b),             D = L̇ + ad_V L,   B = C_b − J_b ad_V
    Ṁ = C + Cᵀ for the forms with skew C_b        Ploen (28)

D is the rate of a twist as the world sees it: beyond its joint, a column of D is carried from body to body like one of
L. So all bodies beyond a joint act as one, with J and B summed in one frame (Echeandia and Wensing 2021). For j at or
before k,

    C_kj = S_kᵀ (J D_j + B S_j),   C_jk = S_jᵀ (J D_k + B S_k),   J and B of all that joint k carries

B is [[K, corner · [p]], [−[p], 0]] with the linear momentum p: twelve numbers to carry along.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ...arrays import Array, block
from ...errors import lookup
from ...lie import ad, inertia, se3
from ...lie.so3 import hat
from ...model import Body, Model
from ..kinematics.forward_kinematics import Velocity
from ..registry.choices import CoriolisForm
from ..registry.declaration import algorithm
from ..sweeps.subtree_rows import JointVelocities, SubtreeRows, joint_velocities, map_subtree, matrix_of_rows
from ..sweeps.tree import inward
from .coriolis import BODY_CORIOLIS_FORMS, BodyCoriolis, Pair, motions

Rows3 = tuple[SubtreeRows, ...]
"""F, P and R of the velocities beyond a joint."""


def composite_coriolis(
    body: Body, children: tuple[Array, ...], at: Velocity, form: BodyCoriolis
) -> tuple[Pair, tuple[Array, ...]]:
    """J and Bᵀ (6, 6) of all that a joint carries; the ten parameters of J, K and p for the parent."""
    turns = np.eye(3, 6)
    K_body = (form.C(body.J, at.V, turns) - ad(at.V, turns) @ body.J)[:, :3].T
    own = inertia.to_parameters(body.J), K_body, (body.J @ at.V)[3:]
    pi, K, p = (x + y for x, y in zip(children, own, strict=True))
    Bt = block([[K.T, hat(p)], [-form.corner * hat(p), np.zeros((3, 3))]])
    passed = at.X.change_frame_parameters(pi), *at.X.push(partial(_to_parent, corner=form.corner), (K, p))
    return (inertia.from_parameters(pi), Bt), passed


def coriolis_entries(
    body: Body, beyond: Rows3, at: Velocity, dS: Array, carried: Pair, joint: JointVelocities
) -> tuple[tuple[SubtreeRows, SubtreeRows], Rows3]:
    """A joint's rows of C for itself and the joints beyond, and its columns for those beyond alone; rows transposed.

    As in CRBA, F, P, R (k, 6) of every velocity beyond are carried inward: J D + B S, J S and Bᵀ S.
    """
    (J, Bt), S = carried, at.S.T
    D = dS.T + ad(at.V, S)

    def row(F: Array, P: Array, R: Array) -> tuple[Array, ...]:
        return (S @ F.T).T, *_carried(at, F, P, R)  # (37): C_jk

    def row_and_column(F: Array, P: Array, R: Array) -> tuple[Array, ...]:
        return (S @ F.T).T, (D @ P.T + S @ R.T).T, *_carried(at, F, P, R)  # C_jk and C_kj

    own = D @ J + S @ Bt, S @ J, S @ Bt.T
    C_jj, *F_P_R = map_subtree(row, *map(joint.rows, own))
    C_jk, C_kj, *F_P_R_beyond = map_subtree(row_and_column, *beyond)
    return (C_jk + C_jj, C_kj), tuple(x + y for x, y in zip(F_P_R_beyond, F_P_R, strict=True))


def _carried(at: Velocity, *wrenches: Array) -> tuple[Array, ...]:
    return tuple(at.X.Ad_inv_dual(F) for F in wrenches)


def _to_parent(X: Array, B: Pair, corner: float) -> Pair:
    """K and p of Ad*_{X⁻¹} B Ad_{X⁻¹}, from those of B."""
    R, x = se3.rotation(X), hat(se3.translation(X))
    p = R @ B[1]
    return inertia.turned(R, B[0]) - x @ hat(p) - corner * (hat(p) @ x), p


def _matrix(model: Model, q: Array, v: Array, form: BodyCoriolis) -> Array:
    velocities, rates = motions(model, q, v)
    nothing = (np.zeros(10), np.zeros((3, 3)), np.zeros(3))
    carried = inward(model, partial(composite_coriolis, form=form), nothing, velocities)
    no_rows = (SubtreeRows.empty(model),) * 3
    entries = inward(model, coriolis_entries, no_rows, velocities, rates, carried, joint_velocities(model))
    return matrix_of_rows(model, [rows for rows, _ in entries]) + matrix_of_rows(model, [x for _, x in entries]).T


@algorithm("Coriolis matrix", aliases=("coriolis",), keeps_forces=(), returns="(nv, nv) C(q, v).")
def coriolis_matrix(model: Model, q: Array, v: Array, *, form: CoriolisForm = "christoffel") -> Array:
    """Coriolis matrix C(q, v): C v are the Coriolis and centrifugal forces.

    >>> kt.algorithms.coriolis_matrix(kt.load("planar2r").model, np.ones(2), np.ones(2)).round(3)
    array([[-0.421, -0.841],
           [ 0.421,  0.   ]])
    """
    return _matrix(model, q, v, lookup("form", form, BODY_CORIOLIS_FORMS))


@algorithm(keeps_forces=(), returns="(nv, nv) Ṁ, symmetric.")
def mass_matrix_rate(model: Model, q: Array, v: Array) -> Array:
    """Rate Ṁ of the mass matrix in the motion v; Ploen (28).

    >>> kt.algorithms.mass_matrix_rate(kt.load("planar2r").model, np.ones(2), np.ones(2)).round(3)
    array([[-0.841, -0.421],
           [-0.421,  0.   ]])
    """
    C = _matrix(model, q, v, BODY_CORIOLIS_FORMS["christoffel"])
    return C + C.T
