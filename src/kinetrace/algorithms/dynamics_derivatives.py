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
from .closure_paths import Drive
from .declaration import algorithm
from .external import body_wrenches
from .external_inputs import ExternalInputs
from .mass_matrix import mass_factors, mass_matrix
from .motor_derivatives import closed_derivatives
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
    """Derivatives of `inverse_dynamics` by q, v and a; rows are those of τ.

    Parameters
    ----------
    model : Model
        Robot as data; `robot.model`.
    q : Array, shape (nq,)
        Configuration.
    v : Array, shape (nv,)
        Velocity [rad/s, m/s].
    a : Array, shape (nv,)
        Acceleration, the rate of v [rad/s², m/s²].
    base_velocity : Array, shape (6,), optional
        Twist of the base in its own frame; at rest unless given.
    base_acceleration : Array, shape (6,), optional
        Rate of the components of `base_velocity`; zero unless given.
    wrench : mapping of str to Array, shape (6,), optional
        Wrenches [N m, N] of the environment by frame name, each in the axes of its frame and about its origin.

    Returns
    -------
    dtau_dq : Array, shape (nv, nv)
        ∂τ/∂q, along q ⊕ ε.
    dtau_dv : Array, shape (nv, nv)
        ∂τ/∂v.
    dtau_da : Array, shape (nv, nv)
        ∂τ/∂a, the mass matrix M.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> model = kt.load("planar2r").model
    >>> z = np.zeros(2)
    >>> dtau_dq, dtau_dv, dtau_da = kt.algorithms.inverse_dynamics_derivatives(model, z + 1.5, z, z)
    >>> dtau_dq.round(2)
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
    """Derivatives of `forward_dynamics` by q, v and τ; rows are those of v̇.

    Parameters
    ----------
    model : Model
        Robot as data; `robot.model`.
    q : Array, shape (nq,)
        Configuration.
    v : Array, shape (nv,)
        Velocity [rad/s, m/s].
    tau : Array, shape (nv,)
        Joint forces [N m, N].
    base_velocity : Array, shape (6,), optional
        Twist of the base in its own frame; at rest unless given.
    base_acceleration : Array, shape (6,), optional
        Rate of the components of `base_velocity`; zero unless given.
    wrench : mapping of str to Array, shape (6,), optional
        Wrenches [N m, N] of the environment by frame name, each in the axes of its frame and about its origin.
    drive : mapping of str to Array, shape (3, k), optional
        Prescribed motions of closures by name, as in `closure_residual`.

    Returns
    -------
    da_dq : Array, shape (nv, nv)
        ∂v̇/∂q, along q ⊕ ε.
    da_dv : Array, shape (nv, nv)
        ∂v̇/∂v.
    da_dtau : Array, shape (nv, nv)
        ∂v̇/∂τ = M⁻¹; with closures G (GᵀMG)⁻¹ Gᵀ, see `closed_derivatives`.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> model = kt.load("planar2r").model
    >>> z = np.zeros(2)
    >>> da_dq, da_dv, da_dtau = kt.algorithms.forward_dynamics_derivatives(model, z, z, z)
    >>> da_dtau.round(3)
    array([[ 1.714, -4.286],
           [-4.286, 13.714]])
    """
    given = ExternalInputs(base_velocity, base_acceleration, wrench, drive)
    if model.closures:
        return closed_derivatives(model, q, v, tau, given)
    factors = mass_factors(model, q)
    a = dense.solve(factors, tau - given.bias(model, q, v))
    dq, dv, _ = inverse_dynamics_derivatives(model, q, v, a, **given.of_tree)
    return (*dense.solve_all(factors, -dq, -dv), symmetric(dense.upper_inverse(factors)))
