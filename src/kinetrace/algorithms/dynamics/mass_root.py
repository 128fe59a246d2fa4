"""The square root W of the mass matrix: products with it, its transpose and their inverses, each one sweep.

    M = W Wᵀ,   W = N Ω^½,   N = I + SᵀGᵀΠ                       see `articulated_body`

Rodriguez and Kreutz (1988), (4.11)–(4.15). Kozłowski (1995), section 6, has the four sweeps: W is his m, W⁻¹ his l, and

    ν = mᵀ θ̇,   θ̇ = lᵀ ν,   ε = l τ,   τ = m ε                   (28), (40), (41)
    ξ = Nᵀ θ̇,   θ̇ = N⁻ᵀ ξ,  κ = N⁻¹ τ,  τ = N κ                  (34), (44)

the second line with `normalised=False`. Ω^½ is upper triangular, so W is too: the last row and column of a block first.
The kinetic energy is ½ |ν|² = ½ ξᵀ Ω ξ. `quasivelocity` has the equations of motion in ν and ξ.

There is one upper triangular W with M = W Wᵀ. That of a tree keeps to the tree, and each product is a sweep. Mimic
joints couple distant bodies, and then it does not: it is the dense factor of M = Lᵀ D L, with N = Lᵀ and Ω = D.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple, TypeVar

import numpy as np

from ...arrays import Array, stack
from ...linalg import dense
from ...model import Model
from ...model.elimination import TreeBody
from ..registry.declaration import algorithm
from ..sweeps.tree import inward, outward
from .articulated_body import Articulated, articulate, smoother
from .mass_matrix import mass_factors

T = TypeVar("T")
Scale = Callable[[dense.Factors, Array], Array]
"""A product with a joint's Ω^½, its transpose or an inverse of them."""


def no_scale(factors: dense.Factors, x: Array) -> Array:
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


def transposed_root_step(
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
        step = partial(root_step, scale=dense.root_product if self.normalised else no_scale)
        return self.model.gather(inward(self.model, step, np.zeros(6), self.at, self.model.split_v(x)))

    def solve(self, y: Array) -> Array:
        """W⁻¹ y (nv,): one sweep inward."""
        step = partial(inverse_root_step, scale=dense.root_solve if self.normalised else no_scale)
        return self.model.gather(inward(self.model, step, np.zeros(6), self.at, self.model.split_v(y)))

    def transposed_product(self, v: Array) -> Array:
        """Wᵀ v (nv,): one sweep outward."""
        step = partial(transposed_root_step, scale=dense.root_transposed_product if self.normalised else no_scale)
        states = outward(self.model, step, (np.zeros(6), None), self.at, self.model.split_v(v))
        return self.model.gather([x for _, x in states])

    def transposed_solve(self, u: Array) -> Array:
        """W⁻ᵀ u (nv,): one sweep outward."""
        none = [np.zeros(6)] * len(self.model.bodies)
        scale = dense.root_transposed_solve if self.normalised else no_scale
        xi = [scale(a.factors, u_i) for a, u_i in zip(self.at, self.model.split_v(u), strict=True)]
        states = outward(self.model, smoother, (np.zeros(6), None), self.at, xi, none)
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


def choose_root(model: Model, by_sweeps: T, by_matrices: T) -> T:
    """The choice for a robot's triangular factor: sweeps along its tree, or matrices if mimic joints couple bodies."""
    return by_matrices if model.coupled_joints else by_sweeps


def root_at(model: Model, q: Array, normalised: bool = True) -> TreeRoot | DenseRoot:
    """W at the configuration q (nq,); with `normalised=False`, N."""
    by_sweeps: Make = TreeRoot.at_configuration
    by_matrices: Make = DenseRoot.at_configuration
    return choose_root(model, by_sweeps, by_matrices)(model, q, normalised)


@algorithm(returns="(nv,) The pivots, positive.")
def mass_pivots(model: Model, q: Array) -> Array:
    """Pivots of the mass matrix: the squared diagonal of W, with product det M.

    >>> model = kt.load("planar2r").model
    >>> q = np.zeros(2)
    >>> pivots = kt.algorithms.mass_pivots(model, q)
    >>> pivots.round(3), float(np.prod(pivots).round(3))
    (array([0.583, 0.333]), 0.194)
    >>> float(np.linalg.det(kt.algorithms.mass_matrix(model, q)).round(3))
    0.194
    """
    return root_at(model, q).pivots()


@algorithm(
    arguments={"u": "Quasi-forces ε; κ with `normalised=False`."},
    returns="(nv,) Joint forces τ = W ε; N κ with `normalised=False`.",
)
def mass_root_product(model: Model, q: Array, u: Array, *, normalised: bool = True) -> Array:
    """Product W u with the square root W of the mass matrix M = W Wᵀ.

    Standard normal u give draws from N(0, M).

    >>> model = kt.load("planar2r").model
    >>> tau = kt.algorithms.mass_root_product(model, np.zeros(2), np.ones(2))
    >>> tau.round(3)
    array([2.207, 0.577])
    >>> kt.algorithms.mass_root_solve(model, np.zeros(2), tau).round(12)
    array([1., 1.])
    """
    return root_at(model, q, normalised).product(u)


@algorithm(
    arguments={"u": "Joint forces τ [N m, N]."},
    returns="(nv,) Quasi-forces ε = W⁻¹ τ; κ = N⁻¹ τ with `normalised=False`.",
)
def mass_root_solve(model: Model, q: Array, u: Array, *, normalised: bool = True) -> Array:
    """Product W⁻¹ u with the inverse of the square root of M = W Wᵀ.

    Forces u with covariance M become white.

    >>> kt.algorithms.mass_root_solve(kt.load("planar2r").model, np.zeros(2), np.ones(2)).round(3)
    array([-1.964,  1.732])
    """
    return root_at(model, q, normalised).solve(u)


@algorithm(
    arguments={"u": "Velocity [rad/s, m/s]."},
    returns=(
        "(nv,) Quasi-velocity ν = Wᵀ u; with `normalised=False` ξ = Nᵀ u, of which the kinetic energy is\n½ ξᵀ Ω ξ."
    ),
)
def mass_root_transposed_product(model: Model, q: Array, u: Array, *, normalised: bool = True) -> Array:
    """Product Wᵀ u: the quasi-velocity ν of a velocity, with the kinetic energy ½ |ν|².

    >>> model = kt.load("planar2r").model
    >>> q, v = np.zeros(2), np.ones(2)
    >>> nu = kt.algorithms.mass_root_transposed_product(model, q, v)
    >>> nu.round(3), float((nu @ nu / 2).round(3))
    (array([0.764, 2.021]), 2.333)
    >>> float(kt.algorithms.kinetic_energy(model, q, v).round(3))
    2.333
    """
    return root_at(model, q, normalised).transposed_product(u)


@algorithm(
    arguments={"u": "Quasi-velocity ν; ξ with `normalised=False`."},
    returns="(nv,) Velocity W⁻ᵀ ν; N⁻ᵀ ξ with `normalised=False`.",
)
def mass_root_transposed_solve(model: Model, q: Array, u: Array, *, normalised: bool = True) -> Array:
    """Product W⁻ᵀ u: the velocity of a quasi-velocity.

    Standard normal u give draws from N(0, M⁻¹), velocities in thermal equilibrium.

    >>> kt.algorithms.mass_root_transposed_solve(kt.load("planar2r").model, np.zeros(2), np.ones(2)).round(3)
    array([ 1.309, -1.541])
    """
    return root_at(model, q, normalised).transposed_solve(u)
