"""The triangular factor of the mass matrix of a robot, as an object with its products: `mass_root` says what they are.

There is one upper triangular W with M = W Wᵀ. That of a tree keeps to the tree, and each product is a sweep. Mimic
joints couple distant bodies, and then it does not: it is the dense factor of M = Lᵀ D L, with N = Lᵀ and Ω = D.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple, TypeVar

import numpy as np

from ..arrays import Array, stack
from ..linalg import dense
from ..model import Model
from ..model.elimination import TreeBody
from .factorisation import Articulated, articulate, smoothed
from .mass_matrix import mass_factors
from .sweep import inward, outward

T = TypeVar("T")
Scale = Callable[[dense.Factors, Array], Array]
"""A product with a joint's Ω^½, its transpose or an inverse of them."""


def unscaled(factors: dense.Factors, x: Array) -> Array:
    """The identity, in place of Ω^½: for N."""
    return x


def root_step(body: TreeBody, z_beyond: Array, at: Articulated, x: Array, scale: Scale) -> tuple[Array, Array]:
    """The innovations model: y = N ε with ε = Ω^½ x."""
    e = scale(at.factors, x)
    return at.S.T @ z_beyond + e, at.X.Ad_inv_dual(z_beyond + at.G.T @ e)  # (4.13)


def inverse_root_step(body: TreeBody, z_beyond: Array, at: Articulated, y: Array, scale: Scale) -> tuple[Array, Array]:
    """The whitening filter: Ω^-½ ε with ε = N⁻¹ y."""
    e = y - at.S.T @ z_beyond  # (4.15)
    return scale(at.factors, e), at.X.Ad_inv_dual(z_beyond + at.G.T @ e)


def carried_along(
    body: TreeBody, parent: tuple[Array, Array], at: Articulated, v: Array, scale: Scale
) -> tuple[Array, Array]:
    """A body's twist, and its joint's share of Nᵀ v: its velocity relative to that of the free joint."""
    V = at.X.Ad_inv(parent[0])
    return V + at.S @ v, scale(at.factors, v + at.G @ V)  # Kozłowski, section 6


class TreeRoot(NamedTuple):
    """W of a tree, by sweeps."""

    model: Model
    at: list[Articulated]
    normalised: bool

    @classmethod
    def at_configuration(cls, model: Model, q: Array, normalised: bool) -> TreeRoot:
        """W, or N, at q."""
        return cls(model, articulate(model, q), normalised)

    def product(self, x: Array) -> Array:
        """W x (nv,): one sweep inward."""
        step = partial(root_step, scale=dense.root_product if self.normalised else unscaled)
        return self.model.gather(inward(self.model, step, np.zeros(6), self.at, self.model.split_v(x)))

    def solve(self, y: Array) -> Array:
        """W⁻¹ y (nv,): one sweep inward."""
        step = partial(inverse_root_step, scale=dense.root_solve if self.normalised else unscaled)
        return self.model.gather(inward(self.model, step, np.zeros(6), self.at, self.model.split_v(y)))

    def transposed_product(self, v: Array) -> Array:
        """Wᵀ v (nv,): one sweep outward."""
        step = partial(carried_along, scale=dense.root_transposed_product if self.normalised else unscaled)
        states = outward(self.model, step, (np.zeros(6), None), self.at, self.model.split_v(v))
        return self.model.gather([x for _, x in states])

    def transposed_solve(self, u: Array) -> Array:
        """W⁻ᵀ u (nv,): one sweep outward."""
        none = [np.zeros(6)] * len(self.model.bodies)
        scale = dense.root_transposed_solve if self.normalised else unscaled
        xi = [scale(a.factors, u_i) for a, u_i in zip(self.at, self.model.split_v(u), strict=True)]
        states = outward(self.model, smoothed, (np.zeros(6), None), self.at, xi, none)
        return self.model.gather([v for _, v in states])

    def pivots(self) -> Array:
        """The diagonals of the joints' Ω, factored."""
        return self.model.gather([stack(a.factors.D, axis=0) for a in self.at])


class DenseRoot(NamedTuple):
    """W of the dense M = Lᵀ D L."""

    factors: dense.Factors
    normalised: bool

    @classmethod
    def at_configuration(cls, model: Model, q: Array, normalised: bool) -> DenseRoot:
        """W, or N, at q."""
        return cls(mass_factors(model, q), normalised)

    @property
    def _scaled(self) -> dense.Factors:
        return self.factors if self.normalised else dense.unit(self.factors)

    def product(self, x: Array) -> Array:
        """Lᵀ D^½ x (nv,)."""
        return dense.root_product(self._scaled, x)

    def solve(self, y: Array) -> Array:
        """D^-½ L⁻ᵀ y (nv,)."""
        return dense.root_solve(self._scaled, y)

    def transposed_product(self, v: Array) -> Array:
        """D^½ L v (nv,)."""
        return dense.root_transposed_product(self._scaled, v)

    def transposed_solve(self, u: Array) -> Array:
        """L⁻¹ D^-½ u (nv,)."""
        return dense.root_transposed_solve(self._scaled, u)

    def pivots(self) -> Array:
        """D."""
        return stack(self.factors.D, axis=0)


Make = Callable[[Model, Array, bool], TreeRoot | DenseRoot]


def suited(model: Model, by_sweeps: T, by_matrices: T) -> T:
    """The choice for a robot's triangular factor: sweeps along its tree, or matrices if mimic joints couple bodies."""
    return by_matrices if model.coupled_joints else by_sweeps


def root_of(model: Model, q: Array, normalised: bool = True) -> TreeRoot | DenseRoot:
    """W at the configuration q (nq,); with `normalised=False`, N."""
    by_sweeps: Make = TreeRoot.at_configuration
    by_matrices: Make = DenseRoot.at_configuration
    return suited(model, by_sweeps, by_matrices)(model, q, normalised)
