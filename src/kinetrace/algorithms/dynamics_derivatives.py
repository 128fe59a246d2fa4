"""Derivatives of inverse and of forward dynamics; those of inverse dynamics by the sweeps of `tree_derivatives`.

Forward dynamics is the inverse of inverse dynamics: ∂v̇ = −M⁻¹ ∂τ, taken at the acceleration v̇, and ∂v̇/∂τ = M⁻¹.
With closures it is the solution of a larger system, see `closed_derivatives`.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..arrays import Array
from ..lie.inertia import symmetric
from ..linalg import dense
from ..model.model import Model
from .closed_derivatives import closed_derivatives
from .closure_paths import Drive
from .declaration import algorithm
from .external import body_wrenches
from .inputs import ExternalInputs
from .mass_matrix import mass_factors, mass_matrix
from .tree_derivatives import tree_derivatives


@algorithm("∂ID", keeps_forces=("wrench",))
def inverse_dynamics_derivatives(
    model: Model,
    q: Array,
    v: Array,
    a: Array,
    *,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
    wrench: Mapping[str, Array] | None = None,
) -> tuple[Array, Array, Array]:
    """∂τ/∂q, ∂τ/∂v and ∂τ/∂a = M (nv, nv) of `inverse_dynamics`, rows for τ; along q ⊕ ε where q is no vector.

    >>> import numpy as np, kinetrace as kt
    >>> model, z = kt.load("planar2r").model, np.zeros(2)
    >>> kt.algorithms.inverse_dynamics_derivatives(model, z + 1.5, z, z)[0].round(2)
    array([[-15.37,  -0.69],
           [ -0.69,  -0.69]])
    """
    dq, dv = tree_derivatives(model, q, v, a, body_wrenches(model, wrench), base_velocity, base_acceleration)
    return dq, dv, mass_matrix(model, q)


@algorithm("∂FD", keeps_forces=("wrench",), honours_closures=True)
def forward_dynamics_derivatives(
    model: Model,
    q: Array,
    v: Array,
    tau: Array,
    *,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
    wrench: Mapping[str, Array] | None = None,
    drive: Drive = None,
) -> tuple[Array, Array, Array]:
    """∂v̇/∂q, ∂v̇/∂v and ∂v̇/∂τ = M⁻¹ (nv, nv) of `forward_dynamics`, rows for v̇; along q ⊕ ε where q is no vector.

    With closures, M⁻¹ is G (GᵀMG)⁻¹ Gᵀ, see `closed_derivatives`.

    >>> import numpy as np, kinetrace as kt
    >>> model, z = kt.load("planar2r").model, np.zeros(2)
    >>> kt.algorithms.forward_dynamics_derivatives(model, z, z, z)[2].shape
    (2, 2)
    """
    given = ExternalInputs(base_velocity, base_acceleration, wrench, drive)
    if model.closures:
        return closed_derivatives(model, q, v, tau, given)
    factors = mass_factors(model, q)
    a = dense.solve(factors, tau - given.bias(model, q, v))
    dq, dv, _ = inverse_dynamics_derivatives(model, q, v, a, **given.on_tree)
    return (*dense.solve_all(factors, -dq, -dv), symmetric(dense.upper_inverse(factors)))
