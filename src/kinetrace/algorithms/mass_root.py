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
    """Pivots of the mass matrix: the squared diagonal of W, with product det M.

    Parameters
    ----------
    model : Model
        Robot as data; `robot.model`.
    q : Array, shape (nq,)
        Configuration.

    Returns
    -------
    Array, shape (nv,)
        The pivots, positive.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> model = kt.load("planar2r").model
    >>> q = np.zeros(2)
    >>> pivots = kt.algorithms.mass_pivots(model, q)
    >>> pivots.round(3), float(np.prod(pivots).round(3))
    (array([0.583, 0.333]), 0.194)
    >>> float(np.linalg.det(kt.algorithms.mass_matrix(model, q)).round(3))
    0.194
    """
    return root_of(model, q).pivots()


@algorithm()
def mass_root_product(model: Model, q: Array, u: Array, *, normalised: bool = True) -> Array:
    """Product W u with the square root W of the mass matrix M = W Wᵀ.

    Standard normal u give draws from N(0, M).

    Parameters
    ----------
    model : Model
        Robot as data; `robot.model`.
    q : Array, shape (nq,)
        Configuration.
    u : Array, shape (nv,)
        Quasi-forces ε; κ with `normalised=False`.
    normalised : bool, default True
        Whether to use W = N Ω^½ or, if false, its unit factor N.

    Returns
    -------
    Array, shape (nv,)
        Joint forces τ = W ε; N κ with `normalised=False`.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> model = kt.load("planar2r").model
    >>> tau = kt.algorithms.mass_root_product(model, np.zeros(2), np.ones(2))
    >>> tau.round(3)
    array([2.207, 0.577])
    >>> kt.algorithms.mass_root_solve(model, np.zeros(2), tau).round(12)
    array([1., 1.])
    """
    return root_of(model, q, normalised).product(u)


@algorithm()
def mass_root_solve(model: Model, q: Array, u: Array, *, normalised: bool = True) -> Array:
    """Product W⁻¹ u with the inverse of the square root of M = W Wᵀ.

    Forces u with covariance M become white.

    Parameters
    ----------
    model : Model
        Robot as data; `robot.model`.
    q : Array, shape (nq,)
        Configuration.
    u : Array, shape (nv,)
        Joint forces τ [N m, N].
    normalised : bool, default True
        Whether to use W = N Ω^½ or, if false, its unit factor N.

    Returns
    -------
    Array, shape (nv,)
        Quasi-forces ε = W⁻¹ τ; κ = N⁻¹ τ with `normalised=False`.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> model = kt.load("planar2r").model
    >>> kt.algorithms.mass_root_solve(model, np.zeros(2), np.ones(2)).round(3)
    array([-1.964,  1.732])
    """
    return root_of(model, q, normalised).solve(u)


@algorithm()
def mass_root_transposed_product(model: Model, q: Array, u: Array, *, normalised: bool = True) -> Array:
    """Product Wᵀ u: the quasi-velocity ν of a velocity, with the kinetic energy ½ |ν|².

    Parameters
    ----------
    model : Model
        Robot as data; `robot.model`.
    q : Array, shape (nq,)
        Configuration.
    u : Array, shape (nv,)
        Velocity [rad/s, m/s].
    normalised : bool, default True
        Whether to use W = N Ω^½ or, if false, its unit factor N.

    Returns
    -------
    Array, shape (nv,)
        Quasi-velocity ν = Wᵀ u; with `normalised=False` ξ = Nᵀ u, of which the kinetic energy is ½ ξᵀ Ω ξ.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> model = kt.load("planar2r").model
    >>> q, v = np.zeros(2), np.ones(2)
    >>> nu = kt.algorithms.mass_root_transposed_product(model, q, v)
    >>> nu.round(3), float((nu @ nu / 2).round(3))
    (array([0.764, 2.021]), 2.333)
    >>> float(kt.algorithms.kinetic_energy(model, q, v).round(3))
    2.333
    """
    return root_of(model, q, normalised).transposed_product(u)


@algorithm()
def mass_root_transposed_solve(model: Model, q: Array, u: Array, *, normalised: bool = True) -> Array:
    """Product W⁻ᵀ u: the velocity of a quasi-velocity.

    Standard normal u give draws from N(0, M⁻¹), velocities in thermal equilibrium.

    Parameters
    ----------
    model : Model
        Robot as data; `robot.model`.
    q : Array, shape (nq,)
        Configuration.
    u : Array, shape (nv,)
        Quasi-velocity ν; ξ with `normalised=False`.
    normalised : bool, default True
        Whether to use W = N Ω^½ or, if false, its unit factor N.

    Returns
    -------
    Array, shape (nv,)
        Velocity W⁻ᵀ ν; N⁻ᵀ ξ with `normalised=False`.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> model = kt.load("planar2r").model
    >>> kt.algorithms.mass_root_transposed_solve(model, np.zeros(2), np.ones(2)).round(3)
    array([ 1.309, -1.541])
    """
    return root_of(model, q, normalised).transposed_solve(u)
