"""Derivatives of rows of contacts along q ⊕ ε: of velocities K v, at constant v, and of forces Kᵀ x, at constant x.

Joint j has the screw (w_j, m_j) at the point p of a slot, m_j being the velocity of the body there. Its motion turns
and carries the screws of joints k at and beyond it, on its side of the contact, and moves point and axes of the slot:

    δ_j w_k = w_j × w_k,    δ_j m_k = w_j × m_k + m_j × w_k + w_k × δ_j p                                      (1)

where the bracket is that of joints beyond j alone. Points and axes belong to no body: a sphere that rolls keeps its
point below its centre. How they, and the gap, change when one shape moves and the other rests is the derivative of the
narrow phase by six numbers; joints of the other shape move all, and then back the one. Axes E turn by δθ = n × δn, and
not about the normal, as the law is the same for all tangents. With the velocity U and the rate of turning Ω of a
relative to b, their sums V_j, Ω_j over the joints at and beyond j, and the force f and moment μ on a,

    E⁻¹ δ_j (K v)     = ±(w_j × V_j + m_j × Ω_j) + Ω × δ_j p + U × δ_j θ                                       (2)
    ±δ_j (Kᵀ x)_k     = w_k · (δ_j p × f + δ_j θ × μ + [f × m_j + μ × w_j]) + m_k · (δ_j θ × f + [f × w_j])     (3)

likewise for spin and rolling; in (3) the brackets are those of k at or beyond j. Joints that carry both shapes change
neither.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Array, concatenate, stack
from ...lie import se3, so3
from ...model import WORLD, Model
from ..contact.scene import StepScene
from ..contact.slots import Slot, rows_of
from .touches import TouchChanges, changes_of_pair

Blocks = dict[tuple[int, int], Array]
"""(body k, body j) → (nv_k, nv_j)."""


def slot_derivatives(scene: StepScene, pairs: Sequence[int]) -> dict[int, SlotDerivatives]:
    """Those of the slots of some pairs, by their places among all."""
    of, changes = scene.contacts, list[TouchChanges]()
    for k in pairs:
        changes += changes_of_pair(scene.model, of, k, scene.poses)
    slots = scene.slots(pairs)
    return {place: SlotDerivatives(scene, x, by) for (place, x), by in zip(slots.items(), changes, strict=True)}


class _JointOfSlot(NamedTuple):
    """A joint that moves one of the shapes of a slot; rows are its velocities."""

    body: int
    side: float
    """1.0 of a, −1.0 of b."""
    w: Array
    m: Array
    """(nv_i, 3)"""
    dS: Array
    """(nv_i, nv_i, 6) how its own screws, at the point, change with its variables besides (1)."""
    gap: Array
    """(nv_i,) δ_j of the gap."""
    point: Array
    turn: Array
    """(nv_i, 3) δ_j p and δ_j θ."""
    sliding: Array
    """(nv_i, 6) that of the twist of surfaces."""


class SlotDerivatives:
    """The derivatives of a slot's gap, velocities and forces."""

    def __init__(self, scene: StepScene, slot: Slot, by: TouchChanges) -> None:
        self.model, self.slot = scene.model, slot
        chains = [self.model.ancestors(tip) if tip != WORLD else frozenset() for tip in slot.bodies]
        self.joints: list[_JointOfSlot] = []
        qs = self.model.split_q(scene.q)
        for side, chain, other in ((1.0, chains[0], chains[1]), (-1.0, chains[1], chains[0])):
            for i in sorted(chain - other):
                self.joints.append(_joint_of_slot(scene, i, side, qs[i], slot, by))

    def gap(self) -> Array:
        """(nv,)"""
        return self._gathered({x.body: x.gap for x in self.joints})

    def velocities(self, v: Array) -> Array:
        """(rows, nv) that of K v and of the velocity of surfaces (2)."""
        E, rows, vs = self.slot.frame, rows_of(self.slot.law), self.model.split_v(v)
        beyond = self._sums_beyond(vs)
        sums = [(x.side, beyond[x.body]) for x in self.joints if self._is_first(x)]
        belt = np.zeros(6) if self.slot.sliding is None else self.slot.sliding
        U = sum((s * V for s, (V, _) in sums), start=belt[3:])
        W = sum((s * turns for s, (_, turns) in sums), start=np.zeros(3))
        found = dict[int, Array]()
        for x in self.joints:
            V_j, W_j = beyond[x.body]
            own = stack([vs[x.body] @ dS for dS in x.dS], axis=0)
            dU = x.side * (so3.cross(x.w, V_j) + so3.cross(x.m, W_j) + own[:, 3:]) + so3.cross(W, x.point)
            linear = (dU + x.sliding[:, 3:] + so3.cross(U, x.turn)) @ (E if rows > 1 else E[2:]).T
            dW = x.side * (so3.cross(x.w, W_j) + own[:, :3]) + x.sliding[:, :3]
            turning = (dW + so3.cross(W + belt[:3], x.turn)) @ E[[2, 0, 1]].T
            found[x.body] = concatenate([linear, turning[:, : max(rows - 3, 0)]], axis=1)
        return self._gathered(found, rows).T

    def forces(self, x: Array) -> Blocks:
        """That of Kᵀ x (3)."""
        E, rows = self.slot.frame, rows_of(self.slot.law)
        f = x[:3] @ E if rows > 1 else x[0] * E[2]
        moment = x[3:] @ E[[2, 0, 1]][: rows - 3] if rows > 3 else np.zeros(3)
        found: Blocks = {}
        for j in self.joints:
            on_w = so3.cross(j.point, f) + so3.cross(j.turn, moment)
            on_m = so3.cross(j.turn, f)
            beyond_w = on_w + so3.cross(f, j.m) + so3.cross(moment, j.w)
            beyond_m = on_m + so3.cross(f, j.w)
            for k in self.joints:
                carried = k.side == j.side and k.body >= j.body
                a, b = (beyond_w, beyond_m) if carried else (on_w, on_m)
                found[k.body, j.body] = k.side * (k.w @ a.T + k.m @ b.T)
            own = stack([dS[:, :3] @ moment + dS[:, 3:] @ f for dS in j.dS])
            found[j.body, j.body] = found[j.body, j.body] + j.side * own
        return found

    def _is_first(self, x: _JointOfSlot) -> bool:
        return x.body == min(y.body for y in self.joints if y.side == x.side)

    def _sums_beyond(self, vs: list[Array]) -> dict[int, tuple[Array, Array]]:
        """V_j and Ω_j by bodies."""
        found = dict[int, tuple[Array, Array]]()
        for side in (1.0, -1.0):
            V, W = np.zeros(3), np.zeros(3)
            for x in reversed([x for x in self.joints if x.side == side]):
                V, W = V + vs[x.body] @ x.m, W + vs[x.body] @ x.w
                found[x.body] = V, W
        return found

    def _gathered(self, found: Mapping[int, Array], *shape: int) -> Array:
        bodies = self.model.bodies
        return self.model.gather([found.get(b.index, np.zeros((b.joint.nv, *shape))) for b in bodies])


def _joint_of_slot(scene: StepScene, i: int, side: float, q: Array, slot: Slot, by: TouchChanges) -> _JointOfSlot:
    X = scene.poses[i]
    (w, v), R, o = scene.screws[i], se3.rotation(X), se3.translation(X)
    m, at_shape = (v + so3.cross(w, x - o) for x in (slot.point, by.origin))
    with_other = (side > 0.0) != by.of_a
    relative = (-1.0 if with_other else 1.0) * concatenate([w, at_shape], axis=1)
    none = np.zeros((len(w), 3))
    point, normal = relative @ by.point.T, relative @ by.normal.T
    sliding = np.zeros((len(w), 6)) if by.sliding is None else relative @ by.sliding.T
    if with_other:
        point = point + m
        if slot.sliding is not None:
            turned = [so3.cross(w, slot.sliding[:3]), so3.cross(w, slot.sliding[3:])]
            sliding = sliding + concatenate(turned, axis=1)
    turn = so3.cross(slot.frame[2], normal) + (w if with_other else none)
    body = scene.model.bodies[i]
    dS = []
    for e in np.eye(len(w)):
        change = body.subspace_rate(q, e)
        turned, moved = change[:3].T @ R.T, change[3:].T @ R.T
        dS.append(concatenate([turned, moved + so3.cross(turned, slot.point - o)], axis=1))
    return _JointOfSlot(i, side, w, m, stack(dS, axis=0), relative @ by.gap, point, turn, sliding)


def matrix_of_blocks(model: Model, each: list[Blocks]) -> Array:
    """The sum of blocks as one matrix (nv, nv)."""
    total: dict[tuple[int, int], Any] = {}
    for blocks in each:
        for place, x in blocks.items():
            total[place] = total[place] + x if place in total else x

    def row(k: int, n: int) -> Array:
        return model.gather([total.get((k, b.index), np.zeros((n, b.joint.nv))).T for b in model.bodies]).T

    return model.gather([row(b.index, b.joint.nv) for b in model.bodies])
