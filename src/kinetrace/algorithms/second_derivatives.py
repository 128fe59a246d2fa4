"""Second derivatives of inverse dynamics: the sweeps of `derivatives.dynamics`, differentiated once more.

The analytic first derivatives are run on fresh variables and the expressions that they made are differentiated, with
all that is zero left out: Park et al. (54) by machine. With respect to v twice they are the Christoffel symbols,
∂²τ_k/∂v_i∂v_j = Γ_ijk + Γ_jik; with respect to a and q they are ∂M/∂q; with respect to a twice, or a and v, zero.
"""

from __future__ import annotations

from ..arrays import Array
from ..derivative import jacobian
from ..model.model import Model
from .declaration import algorithm
from .dynamics_derivatives import inverse_dynamics_derivatives


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
