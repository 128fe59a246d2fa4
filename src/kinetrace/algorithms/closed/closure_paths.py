"""The frames of a closure: the joints between them, the pose and the twist of one relative to the other.

Only joints between the frames A and B move one relative to the other, so nothing else is looked at: with
u_i = Ad_{X_iB⁻¹} S_i v_i the twist that joint i gives to B, and V_iB the twist of B relative to body i, all in B,

    V = Σ_B u_i − Σ_A u_i,    V̇ = Σ_B u̇_i − Σ_A u̇_i,    u̇_i = Ad_{X_iB⁻¹} (S_i v̇_i + Ṡ_i v_i) − [V_iB, u_i]

where the sums are over the joints that carry B and not A, and A and not B: Park et al. (1995), Proposition 1. A closure
that transmits λ = 1 in one row exerts a wrench on each of its two bodies, or forces on coupled joints.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ...arrays import Array
from ...errors import lookup
from ...lie import Ad_inv, Ad_inv_dual, ad, se3, so3
from ...model import WORLD, Body, Closure, Model
from ..sweeps.tree import toward_base

Drive = Mapping[str, Array] | None


class PathSide(NamedTuple):
    """The joints that move one frame of a closure and not the other, from the frame on."""

    bodies: list[Body]
    X: list[Array]
    """X_iB (4, 4), for each of them."""


class ClosureState(NamedTuple):
    """A closure at a configuration."""

    closure: Closure
    X: Array
    """X_AB (4, 4), A as it is driven."""
    X_aB: Array
    """The pose (4, 4) of B in the body of A."""
    toward_a: PathSide
    toward_b: PathSide
    prescribed: Array
    """The prescribed motion (3, k) of A; of a coupling, of its rows."""

    @property
    def drive(self) -> tuple[Array, Array]:
        """The twist of a driven A and its rate, (6,), in B."""
        if self.closure.terms:
            return np.zeros(6), np.zeros(6)
        return Ad_inv(self.X, self.prescribed[1]), Ad_inv(self.X, self.prescribed[2])

    def offset_derivative(self, k: int) -> Array:
        """The k-th derivative of what is added to the offset of a coupling (m,)."""
        return self.prescribed[k] if self.closure.terms else np.zeros(self.closure.size)


def pose_in_parent(body: Body, X_iF: Array, q: Array) -> Array:
    """The pose of a frame in the parent, from that in a body."""
    return body.placement(q) @ X_iF


def displacement(x: Array) -> Array:
    """The pose (4, 4) of a rotation vector and a shift (6,)."""
    return se3.pose(so3.exp(x[:3]), x[3:])


def closure_states(model: Model, q: Array, drive: Drive = None) -> list[ClosureState]:
    """All closures at a configuration."""
    for name in drive or {}:
        lookup("closure", name, model.closure_slices)
    qs = model.split_q(q)
    return [_closure_state(model, qs, closure, (drive or {}).get(closure.name)) for closure in model.closures]


def _closure_state(model: Model, qs: list[Array], closure: Closure, drive: Array | None) -> ClosureState:
    in_a, in_b = (toward_base(model, f.body, pose_in_parent, f.X_bf, qs) for f in closure.frames)
    common = next(i for i in in_b if i in in_a)
    X_AB = se3.inverse(in_a[common]) @ in_b[common]
    only_a, only_b = ([i for i in one if i not in other] for one, other in ((in_a, in_b), (in_b, in_a)))
    a = PathSide([model.bodies[i] for i in only_a], [in_a[i] @ X_AB for i in only_a])
    b = PathSide([model.bodies[i] for i in only_b], [in_b[i] for i in only_b])
    given = np.zeros((3, closure.size if closure.terms else 6)) if drive is None else drive
    X = X_AB if drive is None or closure.terms else se3.inverse(displacement(drive[0])) @ X_AB
    return ClosureState(closure, X, closure.a.X_bf @ X_AB, a, b, given)


def relative_columns(model: Model, at: ClosureState, qs: list[Array]) -> list[Array]:
    """For every body, the columns (nv_i, 6) of J_B − Ad_{X⁻¹} J_A that belong to its joint."""
    each = [np.zeros((body.joint.nv, 6)) for body in model.bodies]
    for sign, side in ((-1.0, at.toward_a), (1.0, at.toward_b)):
        for body, X_iB in zip(*side, strict=True):
            each[body.index] = sign * Ad_inv(X_iB, body.subspace(qs[body.index]).T)
    return each


def transposed_jacobian(model: Model, at: ClosureState, qs: list[Array]) -> Array:
    """Kᵀ (nv, m) of one closure."""
    N = at.closure.constraint.rows(at.X)
    each = [J @ N.T for J in relative_columns(model, at, qs)]
    for term in at.closure.terms:
        each[term.body] = each[term.body] + term.factors.T
    return model.gather(each)


def transposed_jacobian_rate(model: Model, at: ClosureState, qs: list[Array], vs: list[Array]) -> Array:
    """The rate (nv, m) of Kᵀ."""
    constraint, V = at.closure.constraint, relative_twist(at, qs, vs).V
    N, dN = constraint.rows(at.X), constraint.rows_rate(at.X, V)
    each = [J @ dN.T for J in relative_columns(model, at, qs)]
    passed = _path_sums(at.toward_a, qs, vs, np.zeros(6)).V
    start = _path_sums(at.toward_b, qs, vs, np.zeros(6)).V - passed
    for sign, side, V_iB in ((-1.0, at.toward_a, start), (1.0, at.toward_b, np.zeros(6))):
        for body, X_iB in zip(*side, strict=True):
            q, v = qs[body.index], vs[body.index]
            S = Ad_inv(X_iB, body.subspace(q).T)
            rate = Ad_inv(X_iB, body.subspace_rate(q, v).T) - ad(V_iB, S)
            each[body.index] = each[body.index] + sign * (rate @ N.T)
            V_iB = V_iB + v @ S
    return model.gather(each)


class Twist(NamedTuple):
    """The motion of B relative to A, in B."""

    V: Array
    dV: Array
    """Its rate, when no joint accelerates."""


def relative_twist(at: ClosureState, qs: list[Array], vs: list[Array]) -> Twist:
    """The sums over the joints between the frames, from B on; the drive of A included."""
    along_b = _path_sums(at.toward_b, qs, vs, np.zeros(6))
    passed = _path_sums(at.toward_a, qs, vs, np.zeros(6)).V
    V = along_b.V - passed
    dV = along_b.dV - _path_sums(at.toward_a, qs, vs, V).dV
    V_A, dV_A = at.drive
    return Twist(V - V_A, dV - dV_A + ad(V - V_A, V_A))


def _path_sums(side: PathSide, qs: list[Array], vs: list[Array], V_iB: Array) -> Twist:
    """Σ u_i and Σ u̇_i, beginning with the body whose relative twist is given."""
    V, dV = np.zeros(6), np.zeros(6)
    for body, X_iB in zip(*side, strict=True):
        q, v = qs[body.index], vs[body.index]
        u = Ad_inv(X_iB, body.subspace(q) @ v)
        dV = dV + Ad_inv(X_iB, body.bias(q, v)) - ad(V_iB + V, u)
        V = V + u
    return Twist(V, dV)


def unit_wrenches(model: Model, q: Array, drive: Drive) -> list[Array]:
    """For every body, the wrenches (rows, 6) on it, in its frame, if each row transmits one unit."""
    total = [np.zeros((model.closure_rows, 6)) for _ in model.bodies]
    for at, rows in zip(closure_states(model, q, drive), model.closure_slices.values(), strict=True):
        own, N = np.eye(model.closure_rows)[:, rows], at.closure.constraint.rows(at.X)
        for frame, X_iB, sign in ((at.closure.a, at.X_aB, -1.0), (at.closure.b, at.closure.b.X_bf, 1.0)):
            if frame.body != WORLD:
                total[frame.body] = total[frame.body] + sign * (own @ Ad_inv_dual(X_iB, N))
    return total


def coupled_forces(model: Model) -> list[Array]:
    """For every body, the forces (nv_i, rows) on its joint, if each row transmits one unit."""
    total = [np.zeros((body.joint.nv, model.closure_rows)) for body in model.bodies]
    for closure, rows in zip(model.closures, model.closure_slices.values(), strict=True):
        for term in closure.terms:
            total[term.body] = total[term.body] + term.factors.T @ np.eye(model.closure_rows)[rows]
    return total
