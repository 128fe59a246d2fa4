"""Derivatives of inverse and of forward dynamics; those of inverse dynamics by the sweeps of `derivatives.tree`.

Forward dynamics is the inverse of inverse dynamics: ∂v̇ = −M⁻¹ ∂τ, taken at the acceleration v̇, and ∂v̇/∂τ = M⁻¹.
With closures it is the solution of a larger system, with G of `velocity_map`.

Second derivatives: the analytic first derivatives are run on fresh variables and the expressions that they made are
differentiated, with all that is zero left out: Park et al. (54) by machine. With respect to v twice they are the
Christoffel symbols, ∂²τ_k/∂v_i∂v_j = Γ_ijk + Γ_jik; with respect to a and q they are ∂M/∂q; with respect to a twice, or
a and v, zero.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...arrays import Array
from ...engine.derivative import jacobian
from ...lie.inertia import symmetric
from ...linalg import dense
from ...model.model import Model
from ..closed.closure_paths import Drive
from ..dynamics.external_inputs import ExternalInputs
from ..dynamics.external_wrenches import body_wrenches
from ..dynamics.mass_matrix import mass_factors, mass_matrix
from ..registry.declaration import algorithm
from ..registry.forms import by_form
from .closed_chains import closed_derivatives
from .tree import tree_derivatives


@algorithm(
    "∂ID",
    keeps_forces=("wrench",),
    returns={"dq": "(nv, nv) ∂τ/∂q, along q ⊕ ε.", "dv": "(nv, nv) ∂τ/∂v.", "da": "(nv, nv) ∂τ/∂a, the mass matrix M."},
)
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

    >>> model = kt.load("planar2r").model
    >>> z = np.zeros(2)
    >>> dtau_dq, dtau_dv, dtau_da = kt.algorithms.inverse_dynamics_derivatives(model, z + 1.5, z, z)
    >>> dtau_dq.round(2)
    array([[-15.37,  -0.69],
           [ -0.69,  -0.69]])
    """
    dq, dv = tree_derivatives(model, q, v, a, body_wrenches(model, wrench), base_velocity, base_acceleration)
    return dq, dv, mass_matrix(model, q)


@algorithm(
    "∂FD",
    keeps_forces=("wrench",),
    honours_closures=True,
    returns={
        "dq": "(nv, nv) ∂v̇/∂q, along q ⊕ ε.",
        "dv": "(nv, nv) ∂v̇/∂v.",
        "dtau": "(nv, nv) ∂v̇/∂τ = M⁻¹; with closures G (GᵀMG)⁻¹ Gᵀ, with G of `velocity_map`.",
    },
)
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

    >>> model = kt.load("planar2r").model
    >>> z = np.zeros(2)
    >>> da_dq, da_dv, da_dtau = kt.algorithms.forward_dynamics_derivatives(model, z, z, z)
    >>> da_dtau.round(3)
    array([[ 1.714, -4.286],
           [-4.286, 13.714]])
    """
    given = ExternalInputs(base_velocity=base_velocity, base_acceleration=base_acceleration, wrench=wrench, drive=drive)
    return _acceleration_derivatives(model, q, v, tau, given)


def _by_mass_matrix(model: Model, q: Array, v: Array, tau: Array, given: ExternalInputs) -> tuple[Array, ...]:
    factors = mass_factors(model, q)
    a = dense.solve(factors, tau - given.bias(model, q, v))
    dq, dv, _ = inverse_dynamics_derivatives(model, q, v, a, **given.of_tree)
    return (*dense.solve_all(factors, -dq, -dv), symmetric(dense.upper_inverse(factors)))


_acceleration_derivatives = by_form(tree=_by_mass_matrix, closed=closed_derivatives)


@algorithm(
    returns={
        "qq": "(nv, nv, nv) ∂²τ/∂q∂q.",
        "vq": "(nv, nv, nv) ∂²τ/∂v∂q.",
        "vv": "(nv, nv, nv) ∂²τ/∂v∂v.",
        "aq": "(nv, nv, nv) ∂²τ/∂a∂q, the derivative of the mass matrix.",
    }
)
def inverse_dynamics_second_derivatives(
    model: Model, q: Array, v: Array, a: Array
) -> tuple[Array, Array, Array, Array]:
    """Second derivatives of `inverse_dynamics`.

    Entry [k, i, j] is that of τ_k, first along i of the first variable, then along j of the second. For joints with
    quaternions the order of two derivatives along q matters; half the sum of both orders is the second derivative of
    τ(q ⊕ ε).

    >>> model = kt.load("planar2r").model
    >>> x = np.ones(2)
    >>> qq, vq, vv, aq = kt.algorithms.inverse_dynamics_second_derivatives(model, x, x, x)
    >>> vv[0].round(3)  # −2 sin q₁ m l l_c
    array([[ 0.   , -0.841],
           [-0.841, -0.841]])
    """
    qq, _, vq, vv, aq, _ = jacobian(inverse_dynamics_derivatives, wrt=("q", "v"))(model, q, v, a)
    return qq, vq, vv, aq
