"""The square root W of the mass matrix: products with it, its transpose and their inverses, each one sweep.

    M = W Wᵀ,   W = N Ω^½,   N = I + SᵀGᵀΠ                       see `factorisation`

Rodriguez and Kreutz (1988), (4.11)–(4.15). Kozłowski (1995), section 6, has the four sweeps: W is his m, W⁻¹ his l, and

    ν = mᵀ θ̇,   θ̇ = lᵀ ν,   ε = l τ,   τ = m ε                   (28), (40), (41)
    ξ = Nᵀ θ̇,   θ̇ = N⁻ᵀ ξ,  κ = N⁻¹ τ,  τ = N κ                  (34), (44)

the second line with `normalised=False`. Ω^½ is upper triangular, so W is too: the last row and column of a block first.
The kinetic energy is ½ |ν|² = ½ ξᵀ Ω ξ. `quasivelocity` has the equations of motion in ν and ξ.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from ..arrays import Array
from ..linalg import dense
from ..model import Body, Model
from .declaration import algorithm
from .factorisation import Articulated, articulate, smoothed
from .sweep import inward, outward

Scale = Callable[[dense.Factors, Array], Array]
"""A product with a joint's Ω^½, its transpose or an inverse of them."""


def unscaled(factors: dense.Factors, x: Array) -> Array:
    """What stands for Ω^½ in N."""
    return x


def root_step(body: Body, z_beyond: Array, at: Articulated, x: Array, scale: Scale) -> tuple[Array, Array]:
    """The innovations model: y = N ε with ε = Ω^½ x."""
    e = scale(at.factors, x)
    return at.S.T @ z_beyond + e, at.X.Ad_inv_dual(z_beyond + at.G.T @ e)  # (4.13)


def inverse_root_step(body: Body, z_beyond: Array, at: Articulated, y: Array, scale: Scale) -> tuple[Array, Array]:
    """The whitening filter: Ω^-½ ε with ε = N⁻¹ y."""
    e = y - at.S.T @ z_beyond  # (4.15)
    return scale(at.factors, e), at.X.Ad_inv_dual(z_beyond + at.G.T @ e)


def carried_along(
    body: Body, parent: tuple[Array, Array], at: Articulated, v: Array, scale: Scale
) -> tuple[Array, Array]:
    """A body's twist, and its joint's share of Nᵀ v: the velocity beyond what the joint does when left alone."""
    V = at.X.Ad_inv(parent[0])
    return V + at.S @ v, scale(at.factors, v + at.G @ V)  # Kozłowski, section 6


@algorithm()
def mass_root_product(model: Model, q: Array, u: Array, *, normalised: bool = True) -> Array:
    """W u (nv,), for the square root W of the mass matrix M = W Wᵀ; u ~ N(0, 1) gives draws from N(0, M).

    Joint forces τ from ε; with `normalised=False`, N u: from κ.

    >>> import numpy as np, kinetrace as kt
    >>> model, x = kt.load("planar2r").model, np.ones(2)
    >>> y = kt.algorithms.mass_root_product(model, np.zeros(2), x)
    >>> np.allclose(kt.algorithms.mass_root_solve(model, np.zeros(2), y), x)
    True
    """
    step = partial(root_step, scale=dense.root_product if normalised else unscaled)
    return model.gather(inward(model, step, np.zeros(6), articulate(model, q), model.split_v(u)))


@algorithm()
def mass_root_solve(model: Model, q: Array, u: Array, *, normalised: bool = True) -> Array:
    """W⁻¹ u (nv,): forces u with covariance M become white.

    ε from joint forces τ; with `normalised=False`, N⁻¹ u: κ.

    >>> import numpy as np, kinetrace as kt
    >>> kt.algorithms.mass_root_solve(kt.load("planar2r").model, np.zeros(2), np.ones(2)).shape
    (2,)
    """
    step = partial(inverse_root_step, scale=dense.root_solve if normalised else unscaled)
    return model.gather(inward(model, step, np.zeros(6), articulate(model, q), model.split_v(u)))


@algorithm()
def mass_root_transposed_product(model: Model, q: Array, u: Array, *, normalised: bool = True) -> Array:
    """Wᵀ u (nv,): of a velocity u, the quasi-velocity ν, of which the kinetic energy is ½ |ν|².

    With `normalised=False`, Nᵀ u: ξ, with the kinetic energy ½ ξᵀ Ω ξ.

    >>> import numpy as np, kinetrace as kt
    >>> model, q, v = kt.load("planar2r").model, np.zeros(2), np.ones(2)
    >>> nu = kt.algorithms.mass_root_transposed_product(model, q, v)
    >>> np.allclose(nu @ nu / 2, kt.algorithms.kinetic_energy(model, q, v))
    True
    """
    step = partial(carried_along, scale=dense.root_transposed_product if normalised else unscaled)
    states = outward(model, step, (np.zeros(6), None), articulate(model, q), model.split_v(u))
    return model.gather([x for _, x in states])


@algorithm()
def mass_root_transposed_solve(model: Model, q: Array, u: Array, *, normalised: bool = True) -> Array:
    """W⁻ᵀ u (nv,): u ~ N(0, 1) gives draws from N(0, M⁻¹), velocities in thermal equilibrium.

    The velocity of a quasi-velocity ν; with `normalised=False`, N⁻ᵀ u: of ξ.

    >>> import numpy as np, kinetrace as kt
    >>> kt.algorithms.mass_root_transposed_solve(kt.load("planar2r").model, np.zeros(2), np.ones(2)).shape
    (2,)
    """
    at, none = articulate(model, q), [np.zeros(6)] * len(model.bodies)
    scale = dense.root_transposed_solve if normalised else unscaled
    xi = [scale(a.factors, u_i) for a, u_i in zip(at, model.split_v(u), strict=True)]
    return model.gather([v for _, v in outward(model, smoothed, (np.zeros(6), None), at, xi, none)])
