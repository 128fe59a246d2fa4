"""The square root W of the mass matrix: products with it, its transpose and their inverses, each one sweep.

    M = W Wᵀ,   W = N Ω^½,   N = I + SᵀGᵀΠ                       see `factorisation`

Rodriguez and Kreutz (1988), (4.11)–(4.15). Kozłowski (1995), section 6, has the four sweeps: W is his m, W⁻¹ his l, and

    ν = mᵀ θ̇,   θ̇ = lᵀ ν,   ε = l τ,   τ = m ε                   (28), (40), (41)
    ξ = Nᵀ θ̇,   θ̇ = N⁻ᵀ ξ,  κ = N⁻¹ τ,  τ = N κ                  (34), (44)

the second line with `normalised=False`. Ω^½ is upper triangular, so W is too: the last row and column of a block first.
The kinetic energy is ½ |ν|² = ½ ξᵀ Ω ξ. `quasivelocity` has the equations of motion in ν and ξ.

The sweeps are in `triangular_root`. With mimic joints W is dense, N = Lᵀ and Ω = D of M = Lᵀ D L.
"""

from __future__ import annotations

from ..arrays import Array
from ..model import Model
from .declaration import algorithm
from .triangular_root import root_of


@algorithm()
def mass_pivots(model: Model, q: Array) -> Array:
    """The diagonal (nv,) of M's factor: positive, with product det M; that of W, squared.

    >>> import numpy as np, kinetrace as kt
    >>> model, q = kt.load("planar2r").model, np.zeros(2)
    >>> M = kt.algorithms.mass_matrix(model, q)
    >>> np.allclose(np.prod(kt.algorithms.mass_pivots(model, q)), np.linalg.det(M))
    True
    """
    return root_of(model, q).pivots()


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
    return root_of(model, q, normalised).product(u)


@algorithm()
def mass_root_solve(model: Model, q: Array, u: Array, *, normalised: bool = True) -> Array:
    """W⁻¹ u (nv,): forces u with covariance M become white.

    ε from joint forces τ; with `normalised=False`, N⁻¹ u: κ.

    >>> import numpy as np, kinetrace as kt
    >>> kt.algorithms.mass_root_solve(kt.load("planar2r").model, np.zeros(2), np.ones(2)).shape
    (2,)
    """
    return root_of(model, q, normalised).solve(u)


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
    return root_of(model, q, normalised).transposed_product(u)


@algorithm()
def mass_root_transposed_solve(model: Model, q: Array, u: Array, *, normalised: bool = True) -> Array:
    """W⁻ᵀ u (nv,): u ~ N(0, 1) gives draws from N(0, M⁻¹), velocities in thermal equilibrium.

    The velocity of a quasi-velocity ν; with `normalised=False`, N⁻ᵀ u: of ξ.

    >>> import numpy as np, kinetrace as kt
    >>> kt.algorithms.mass_root_transposed_solve(kt.load("planar2r").model, np.zeros(2), np.ones(2)).shape
    (2,)
    """
    return root_of(model, q, normalised).transposed_solve(u)
