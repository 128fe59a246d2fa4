"""A robot with mimic joints as a tree, in which O(n) sweeps eliminate one velocity after the other.

Joints that move by the same velocities s couple distant bodies. Let s stand beside the twist of every body. A joint
that moves by R s then has no velocity of its own, and is part of how the pair is carried from its parent:

    (V_i, s) = T (V_p, s),   T = [[Ad_{X⁻¹}, S R], [0, 1]]       wrenches and inertias by Tᵀ, as by Ad_{X⁻¹}ᵀ

where s are the velocities of a joint without mass, on the deepest body that carries all joints of s. Beyond that joint
nothing of s is left; sweeps pass it like any other. This is the elimination of M = Eᵀ M_tree E without M, in an order
that keeps to the tree. A robot without mimic joints is its own tree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from ..arrays import Array, block, concatenate
from ..lie import Pose
from ..lie.inertia import symmetric
from ..support.attributes import cached_property
from .body import WORLD, Body

if TYPE_CHECKING:
    from .model import Model


class Placement(Protocol):
    """Transform of motions (..., n), forces and inertias (n, n) between a body and its parent; see `Pose`."""

    def Ad_inv(self, V: Array) -> Array:
        """A motion of the parent, in the body's coordinates."""

    def Ad_inv_dual(self, F: Array) -> Array:
        """A force on the body, in the parent's coordinates."""

    def change_frame(self, J: Array) -> Array:
        """An inertia of the body, in the parent's coordinates."""


class TreeBody(Protocol):
    """Properties of a body by which a sweep eliminates the velocity of its joint; see `Body`."""

    @property
    def index(self) -> int:
        """Its index."""

    @property
    def parent(self) -> int:
        """Index of its parent."""

    @property
    def J(self) -> Array:
        """Its inertia."""

    def placement(self, q: Array) -> Placement:
        """How motions, forces and inertias pass between it and its parent."""

    def subspace(self, q: Array) -> Array:
        """Map from its joint's own velocity to its motion."""

    @property
    def armature(self) -> Array:
        """Inertia against the joint's own velocity alone (nv, nv)."""

    def zero_joint_directions(self, P: Array) -> Array:
        """P, for which P S = 0 without an armature; these zeros may be written explicitly."""


class SharedPlacement(NamedTuple):
    """T above: a pose, and the columns S R (6, k), None if the joint has a velocity of its own."""

    X: Pose
    S: Array | None

    def Ad_inv(self, V: Array) -> Array:
        """T (V, s)."""
        s, moved = V[..., 6:], self.X.Ad_inv(V[..., :6])
        return concatenate([moved if self.S is None else moved + s @ self.S.T, s])

    def Ad_inv_dual(self, F: Array) -> Array:
        """Tᵀ (F, f)."""
        F, f = F[..., :6], F[..., 6:]
        return concatenate([self.X.Ad_inv_dual(F), f if self.S is None else f + F @ self.S])

    def change_frame(self, J: Array) -> Array:
        """Tᵀ J T."""
        A, B, C = J[:6, :6], J[:6, 6:], J[6:, 6:]
        if self.S is not None:
            moved = A @ self.S + B
            B, C = moved, symmetric(C + self.S.T @ moved + B.T @ self.S)
        Bt = self.X.Ad_inv_dual(B.T)
        return block([[self.X.change_frame(A), Bt.T], [Bt, C]])


@dataclass(frozen=True, eq=False)
class SharingBody:
    """A body with the shared velocities beside its twist."""

    body: Body
    index: int
    parent: int
    width: int
    shares: Array | None
    """The joint's velocity (nv, k) of the shared ones; None if it has one of its own."""

    @cached_property
    def J(self) -> Array:
        """The body's inertia; nothing moves by the shared velocities alone."""
        k = self.width - 6
        return block([[self.body.J, np.zeros((6, k))], [np.zeros((k, 6)), np.zeros((k, k))]])

    def placement(self, q: Array) -> SharedPlacement:
        """Of the body in its parent."""
        X = self.body.placement(q)
        return SharedPlacement(X, None if self.shares is None else self.body.subspace(q) @ self.shares)

    def subspace(self, q: Array) -> Array:
        """(width, nv), with nv = 0 for joints that share their velocity."""
        if self.shares is not None:
            return np.zeros((self.width, 0))
        S = self.body.subspace(q)
        return concatenate([S, np.zeros((self.width - 6, S.shape[1]))], axis=0)

    @property
    def armature(self) -> Array:
        """(nv, nv); of joints that share their velocity, the shared joint has it."""
        return self.body.armature if self.shares is None else np.zeros((0, 0))

    def zero_joint_directions(self, P: Array) -> Array:
        """P (width, width), with the zeros of P S = 0 that the body knows."""
        if self.shares is not None:
            return P
        kept = np.eye(self.width)
        kept[:6, :6] = self.body.zero_joint_directions(np.eye(6))
        return kept @ P @ kept


@dataclass(frozen=True, eq=False)
class SharedJoint:
    """The joint without mass, and without a motion of its frame, whose velocity several joints share."""

    index: int
    parent: int
    S: Array
    """(width, nv): which of the shared velocities it is."""
    armature: Array
    """(nv, nv) of all joints that share it."""

    @property
    def J(self) -> Array:
        """No inertia."""
        return np.zeros((len(self.S), len(self.S)))

    def placement(self, q: Array) -> SharedPlacement:
        """Pose in its parent: the identity."""
        return SharedPlacement(Pose(), None)

    def subspace(self, q: Array) -> Array:
        """(width, nv)."""
        return self.S

    def zero_joint_directions(self, P: Array) -> Array:
        """P without the velocity, which is zero before the joint."""
        kept = np.eye(len(self.S)) - self.S @ self.S.T
        return kept @ P @ kept


@dataclass(frozen=True, eq=False)
class EliminationTree:
    """Bodies for sweeps that eliminate joint velocities; vectors (6,) of the model have length `width` here."""

    model: Model
    bodies: Sequence[TreeBody]
    places: Sequence[int]
    """Index here of each body of the model."""
    owners: Mapping[int, int]
    """Body of the model with variables of its own → where its velocity is eliminated."""
    width: int = 6

    def split_q(self, q: Array) -> list[Array]:
        """q (nq,) as one array per body."""
        return self._spread(self.model.split_q(q), np.zeros(0))

    def split_v(self, v: Array) -> list[Array]:
        """v or τ (nv, ...) as one array per body: of the velocity that is eliminated there, if any."""
        parts = [v[:0]] * len(self.bodies)
        for index, (_, sv) in self.model.slices.items():
            parts[self.owners[index]] = v[sv]
        return parts

    def gather(self, parts: Sequence[Array]) -> Array:
        """The inverse of `split_v`: what belongs to the velocity that is eliminated at each body, as one (nv, ...)."""
        own = [parts[self.owners[b.index]] for b in self.model.independent_joints]
        return concatenate(own or [np.zeros(0)], axis=0)

    def gather_blocks(self, rows: Sequence[Mapping[int, Array]]) -> Array:
        """A symmetric matrix (nv, nv) from its blocks rows[i][j], by bodies here; others are zero."""
        owned = {place: index for index, place in self.owners.items()}
        found: list[dict[int, Array]] = [{} for _ in self.model.bodies]
        for i, row in enumerate(rows):
            if i in owned:
                found[owned[i]] = {owned[j]: x for j, x in row.items() if j in owned}
        return self.model.gather_blocks(found)

    def with_shared(self, xs: Sequence[Array]) -> list[Array]:
        """Motions or forces (..., 6) of the model's bodies as one (..., width) per body; zero for what is shared."""
        return self._spread([self.extended(x) for x in xs], np.zeros(self.width))

    def extended(self, x: Array) -> Array:
        """A motion or force (..., 6) as (..., width)."""
        return concatenate([x, np.zeros((*x.shape[:-1], self.width - 6))]) if self.width > 6 else x

    def without_shared(self, xs: Sequence[Array]) -> list[Array]:
        """Motions (width,) of bodies, or matrices (width, width), as one (6,) or (6, 6) per body of the model."""
        return [xs[place][(slice(6),) * xs[place].ndim] for place in self.places]

    def _spread(self, xs: Sequence[Array], nothing: Array) -> list[Array]:
        found = [nothing] * len(self.bodies)
        for place, x in zip(self.places, xs, strict=True):
            found[place] = x
        return found


def elimination_tree(model: Model) -> EliminationTree:
    """The tree in which sweeps eliminate a robot's velocities.

    >>> import kinetrace as kt
    >>> model = kt.random_tree(9).model
    >>> len(model.bodies), len(elimination_tree(model).bodies), elimination_tree(model).width
    (10, 11, 7)
    """
    groups = _groups(model)
    if not groups:
        indices = range(len(model.bodies))
        return EliminationTree(model, model.bodies, indices, dict(zip(indices, indices, strict=True)))
    sizes = [model.bodies[source].joint.nv for source in groups]
    width = 6 + sum(sizes)
    shared = dict(zip(groups, np.split(np.eye(width)[:, 6:], np.cumsum(sizes)[:-1], axis=1), strict=True))
    paths = {source: frozenset().union(*map(model.ancestors, members)) for source, members in groups.items()}
    anchors = {source: _anchor(model, members) for source, members in groups.items()}
    bodies: list[TreeBody] = []
    places, owners, ends = {WORLD: WORLD}, {}, {}

    def hang_joints(anchor: int) -> None:
        ends[anchor] = places[anchor]
        for source in (s for s in groups if anchors[s] == anchor):
            owners[source] = len(bodies)
            own = model.slices[source][1]
            bodies.append(SharedJoint(len(bodies), ends[anchor], shared[source], model.armature[own, own]))
            ends[anchor] = owners[source]

    hang_joints(WORLD)
    for body in model.bodies:
        leads = any(anchors[s] == body.parent and body.index in paths[s] for s in groups)
        source = body.index if body.mimic is None else body.mimic.source
        own = shared[source][6:].T if source in groups else None
        shares = own if own is None or body.mimic is None else body.mimic.velocity(own)
        places[body.index] = len(bodies)
        parent = ends[body.parent] if leads else places[body.parent]
        bodies.append(SharingBody(body, len(bodies), parent, width, shares))
        if shares is None:
            owners[body.index] = places[body.index]
        hang_joints(body.index)
    return EliminationTree(model, bodies, [places[b.index] for b in model.bodies], owners, width)


def _groups(model: Model) -> dict[int, list[int]]:
    """Body whose joint others mimic → it and the bodies of these joints."""
    groups: dict[int, list[int]] = {}
    for body in model.bodies:
        if body.mimic is not None:
            groups.setdefault(body.mimic.source, [body.mimic.source]).append(body.index)
    return groups


def _anchor(model: Model, members: Sequence[int]) -> int:
    """The deepest body that carries all of these joints, not by one of them."""
    carriers = [model.ancestors(i) - {i} for i in members]
    return max(frozenset.intersection(*carriers), default=WORLD)
