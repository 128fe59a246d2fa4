"""Responses of a robot to forces along rows, of closures, tasks or contacts: without M⁻¹.

A row of K (k, nv) is what a unit force along it exerts: wrenches on bodies, and forces on joints. With M = N D Nᵀ,
D diagonal,

    Z = N⁻¹ Kᵀ,    K M⁻¹ Kᵀ = Zᵀ D⁻¹ Z,    K M⁻¹ τ = Zᵀ D⁻¹ N⁻¹ τ,    M⁻¹ Kᵀ λ = N⁻ᵀ D⁻¹ Z λ

where K M⁻¹ Kᵀ is the compliance of the rows (the Delassus matrix of closures and contacts, the inverse Λ⁻¹ of the
operational-space inertia of tasks; Rodriguez and Kreutz's B ψᵀ Hᵀ D⁻¹ H ψ Bᵀ). In two ways:

1. By sweeps over the tree: with the unit wrenches F on a body and y on its joint, one sweep inward,

    ε_i = F_i S_i + y_i,    F_p = Σ (F_i − ε_i G_i) Ad_{X⁻¹},    K M⁻¹ Kᵀ = Σ ε_i Ω_i⁻¹ ε_iᵀ

(4.15), Identity 5.1, in O(n) for each row: with Ω_i = L_i D_i L_iᵀ, L_i⁻¹ ε_iᵀ are rows of Z. Forces of several rows
are in the sum: joints that carry both contribute, for others one of the two ε is zero. The rows are carried by force
propagators, as in the extended-force-propagator algorithm (EFPA).

2. By the dense factors of M, from K as a matrix: fewer operations for short chains.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from ...arrays import Array, map_rows, stack
from ...lie.inertia import symmetric
from ...linalg import dense
from ...model import WORLD, Model, elimination_tree
from ...model.elimination import TreeBody
from ...support.attributes import cached_property
from ..sweeps.tree import inward, outward
from .articulated_body import Articulated, innovation, smoother

LOOP_FROM_ENTRIES = 300
"""Entries of an inverse from which its columns are computed in a loop: a straight line would take long to compile."""
Pair = tuple[Array, Array]


class RowResponses(ABC):
    """Accelerations of some rows by forces, and of joints by forces along the rows."""

    @property
    @abstractmethod
    def compliance(self) -> Array:
        """K M⁻¹ Kᵀ (k, k), symmetric."""

    @abstractmethod
    def by_forces(self, tau: Array) -> Array:
        """K M⁻¹ τ (k,), of joint forces (nv,)."""

    @abstractmethod
    def inverse(self, f: dense.Factors) -> Array:
        """M⁻¹ Kᵀ A⁻¹ (nv, k), from the factors of A (k, k)."""


class FactoredResponses(RowResponses):
    """With the factors M = N D Nᵀ at hand, D diagonal."""

    @property
    @abstractmethod
    def Z(self) -> Array:
        """N⁻¹ Kᵀ (nv, k)."""

    @property
    @abstractmethod
    def over(self) -> Array:
        """The diagonal of D⁻¹ (nv,)."""

    @cached_property
    def D_inv_Z(self) -> Array:
        """D⁻¹ Z (nv, k)."""
        return self.Z * self.over[:, None]

    @abstractmethod
    def smooth(self, nu: Array) -> Array:
        """N⁻ᵀ ν (nv,): accelerations by innovations."""


def carried_forces(body: TreeBody, beyond: Pair, at: Articulated, start: Array, y: Array) -> tuple[Pair, Pair]:
    """ε_i (k, nv_i) and the sum of the compliances from here on, of the unit forces on body and joint and beyond."""
    F = beyond[0] + start
    along = F @ at.S
    e = along + y  # (4.15)
    C = beyond[1] + dense.inverse_form(at.factors, e.T)
    F_plus = (F - along @ at.G) @ body.zero_joint_directions(np.eye(F.shape[1])) - y @ at.G
    return (e, C), (at.X.Ad_inv_dual(F_plus), C)


class SweepResponses(FactoredResponses):
    """By sweeps over articulated bodies, from unit wrenches (k, 6) on each body, in its frame, and forces (nv, k)."""

    def __init__(self, model: Model, at: list[Articulated], wrenches: Sequence[Array], forces: Array) -> None:
        self.tree, self.at = elimination_tree(model), at
        starts, on_joints = self.tree.with_shared(wrenches), [y.T for y in self.tree.split_v(forces)]
        self.rows = forces.shape[1]
        nothing = np.zeros((self.rows, self.tree.width)), np.zeros((self.rows, self.rows))
        results = inward(self.tree, carried_forces, nothing, self.at, starts, on_joints)
        self.e = [e for e, _ in results]
        self.sums = [C for body, (_, C) in zip(self.tree.bodies, results, strict=True) if body.parent == WORLD]

    @cached_property
    def compliance(self) -> Array:
        """K M⁻¹ Kᵀ (k, k), symmetric."""
        return symmetric(sum(self.sums, start=np.zeros((self.rows, self.rows))))

    @cached_property
    def Z(self) -> Array:
        """N⁻¹ Kᵀ (nv, k)."""
        return self.tree.gather([dense.unit_solve(at.factors, e.T) for at, e in zip(self.at, self.e, strict=True)])

    @cached_property
    def over(self) -> Array:
        """The diagonal of D⁻¹ (nv,)."""
        return self.tree.gather([stack(at.factors.reciprocal) if at.factors.D else np.zeros(0) for at in self.at])

    def by_forces(self, tau: Array) -> Array:
        """K M⁻¹ τ (k,), of joint forces (nv,)."""
        nu = self._filtered(tau)
        return sum((e @ x for e, x in zip(self.e, nu, strict=True)), start=np.zeros(self.rows))

    def _filtered(self, tau: Array) -> list[Array]:
        """Ω⁻¹ N⁻¹ τ of each joint, Ω being the blocks of D."""
        nothing = np.zeros(self.tree.width)
        none = [nothing] * len(self.tree.bodies)
        return inward(self.tree, innovation, nothing, self.at, self.tree.split_v(tau), none, none)

    def smooth(self, nu: Array) -> Array:
        """N⁻ᵀ ν (nv,): accelerations by innovations."""
        blocks = zip(self.at, self.tree.split_v(nu), strict=True)
        none = [np.zeros(self.tree.width)] * len(self.tree.bodies)
        each = [dense.unit_transposed_solve(at.factors, x) for at, x in blocks]
        states = outward(self.tree, smoother, (none[0], None), self.at, each, none)
        return self.tree.gather([x for _, x in states])

    def inverse(self, f: dense.Factors) -> Array:
        """M⁻¹ Kᵀ A⁻¹ (nv, k), from the factors of A (k, k)."""
        nu = self.D_inv_Z
        if nu.size > LOOP_FROM_ENTRIES:
            return map_rows(lambda x: self.smooth(nu @ x), symmetric(dense.upper_inverse(f))).T
        return stack([self.smooth(x) for x in dense.solve(f, nu.T)])


class DenseResponses(FactoredResponses):
    """By the dense factors of M, from K (k, nv)."""

    def __init__(self, factors: dense.Factors, K: Array) -> None:
        self.factors, self.K = factors, K

    @cached_property
    def compliance(self) -> Array:
        """K M⁻¹ Kᵀ (k, k), symmetric."""
        return symmetric(dense.inverse_form(self.factors, self.K.T))

    @cached_property
    def Z(self) -> Array:
        """N⁻¹ Kᵀ (nv, k)."""
        return dense.unit_solve(self.factors, self.K.T)

    @cached_property
    def over(self) -> Array:
        """The diagonal of D⁻¹ (nv,)."""
        return stack(self.factors.reciprocal) if self.factors.D else np.zeros(0)

    @cached_property
    def accelerations(self) -> Array:
        """M⁻¹ Kᵀ (nv, k)."""
        return dense.solve(self.factors, self.K.T)

    def by_forces(self, tau: Array) -> Array:
        """K M⁻¹ τ (k,), of joint forces (nv,)."""
        return self.D_inv_Z.T @ dense.unit_solve(self.factors, tau)

    def smooth(self, nu: Array) -> Array:
        """N⁻ᵀ ν (nv,): accelerations by innovations."""
        return dense.unit_transposed_solve(self.factors, nu)

    def inverse(self, f: dense.Factors) -> Array:
        """M⁻¹ Kᵀ A⁻¹ (nv, k), from the factors of A (k, k)."""
        return dense.unit_transposed_solve(self.factors, dense.solve(f, self.D_inv_Z.T).T)
