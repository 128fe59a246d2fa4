"""Rates of the spatial operators in a motion: Table 1 of Kozłowski (1995), after Jain and Rodriguez.

A rate is **local** if each link's six-vectors are seen from the link, that is, the rate of components in body frames,
and **inertial** if seen from the base:

    DX/Dt = dX/dt + Ω X − X Ω,   Ω(k) = diag([ω(k)], [ω(k)])                     (1), (2), (6), (10), (11)

with Ω on the sides that six-vectors of links stand on. The inertial rates are in the axes of the links too.

**Any joint.** The paper has joints of one degree of freedom, frames on their axes, and Ω_δ(k) = diag([h], [h]) θ̇(k).
For all joints and frames that is Ω_δ(k) = −ad*_{Hᵀ(k) θ̇(k)}; where the paper uses Ω_δ = −Ω_δᵀ, the transpose has to be
written: [Ω_δ, P] is Ω_δ P + P Ω_δᵀ. Added are terms with Ḣ, which is not zero for universal and planar joints, and with
H Ω_δ, not zero with several degrees of freedom. Numbering, frames and names of operators are those of
`SpatialOperators`; the paper's Φ and Ψ are φ and ψ there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ...errors import lookup
from ...lie import ad_matrix, so3
from ...model.model import Model
from ...support.attributes import cached_property
from .blocks import diagonal, upper_root_rate
from .spatial import SpatialOperators, spatial_operators

OPERATOR_SIDES = {
    **dict.fromkeys(("epsilon_phi", "phi", "M", "P", "tau_bar", "epsilon_psi", "psi"), (True, True)),
    "G": (True, False),
    "H": (False, True),
    **dict.fromkeys(("D", "root_D", "m"), (False, False)),
}
"""Operator → whether six-vectors of links stand on its left, and on its right."""


@dataclass(frozen=True, eq=False)
class OperatorRates:
    """Rates of one state's operators, the local ones under the operators' names; made by `operator_rates`.

    Parameters
    ----------
    at : SpatialOperators
        The operators of the state.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> rates = kt.operators.operator_rates(kt.load("planar2r").model, np.ones(2), np.ones(2))
    >>> rates.m.round(3), rates.C_nu.round(3)
    (array([[ 0.   ,  0.   ],
           [-0.729,  0.323]]), array([ 1.457, -2.24 ]))
    """

    at: SpatialOperators

    @cached_property
    def _blocks(self) -> list[tuple[Array, Array, Array]]:
        """ω, the joint's twist and Ḣ(k) of every link."""
        model, V = self.at.model, self.at.V.reshape(-1, 6)
        qs, vs = model.split_q(self.at.q), model.split_v(self.at.v)
        return [
            (V_k[:3], link.subspace(qs[i]) @ vs[i], link.subspace_rate(qs[i], vs[i]).T)
            for link, V_k in zip(self.at.links, V, strict=True)
            for i in [link.index]
        ]

    @cached_property
    def Omega(self) -> Array:
        """Ω (6N, 6N) block-diagonal: how the links' axes turn; (2)."""
        return diagonal([np.kron(np.eye(2), so3.hat(w)) for w, _, _ in self._blocks])

    @cached_property
    def Omega_delta(self) -> Array:
        """Ω_δ (6N, 6N) block-diagonal: how a link's frame moves on its carrier, −ad* of the joint's twist; (3), (4)."""
        return diagonal([-ad_matrix(V).T for _, V, _ in self._blocks])

    @cached_property
    def V_cross(self) -> Array:
        """V× (6N, 6N) block-diagonal, −ad* of the links' twists: b = V× M V; (33)."""
        return diagonal([-ad_matrix(V).T for V in self.at.V.reshape(-1, 6)])

    def inertial(self, operator: str) -> Array:
        """Inertial rate of an operator, in the axes of the links; the right column of Table 1.

        Parameters
        ----------
        operator : {"epsilon_phi", "phi", "M", "P", "tau_bar", "epsilon_psi", "psi", "G", "H", "D", "root_D", "m"}
            Name of the operator.

        Returns
        -------
        Array
            The rate, of the shape of the operator.

        Raises
        ------
        InputError
            If there is no operator of that name.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> rates = kt.operators.operator_rates(kt.load("planar2r").model, np.ones(2), np.ones(2))
        >>> rates.inertial("D").round(3)
        array([[0.   , 0.   ],
               [0.   , 0.682]])
        """
        left, right = lookup("operator", operator, OPERATOR_SIDES)
        X, rate = getattr(self.at, operator), getattr(self, operator)
        return rate + (self.Omega @ X if left else 0.0) - (X @ self.Omega if right else 0.0)

    # Table 1, left column

    @cached_property
    def epsilon_phi(self) -> Array:
        """Rate ε_φ Ω_δ of ε_φ; (14), row 1."""
        return self.at.epsilon_phi @ self.Omega_delta

    @cached_property
    def phi(self) -> Array:
        """Rate φ ε_φ Ω_δ φ of φ; row 2."""
        return self.at.phi @ self.epsilon_phi @ self.at.phi

    @cached_property
    def H(self) -> Array:
        """Rate of H: 0 with joints of one degree of freedom; row 3."""
        return diagonal([dH for _, _, dH in self._blocks])

    @cached_property
    def M(self) -> Array:
        """Rate of M: 0; row 4."""
        return 0 * self.at.M

    @cached_property
    def P(self) -> Array:
        """Rate ε_ψ λ̇ ε_ψᵀ of P, λ̇ = Ṗ + [Ω_δ, P], less the motion of H as seen from the carrier; (13)–(17).

        The sweep ends after as many rounds as there are links, since ε_φ is nilpotent.
        """
        o, driving = self.at, self.Omega_delta @ self.at.P
        moved = o.G @ (self.H - o.H @ self.Omega_delta) @ o.P @ o.tau_bar.T
        own = o.epsilon_psi @ driving @ o.epsilon_psi.T - o.epsilon_phi @ moved @ o.epsilon_phi.T
        P = 0 * own
        for _ in range(o.N):
            P = o.epsilon_psi @ P @ o.epsilon_psi.T + own + own.T
        return P

    @cached_property
    def lambda_dot(self) -> Array:
        """Rate λ̇ = Ṗ + [Ω_δ, P] (6N, 6N) of P as seen from the carriers, block-diagonal; (18)–(21)."""
        driving = self.Omega_delta @ self.at.P
        return self.P + driving + driving.T

    @cached_property
    def D(self) -> Array:
        """Rate H Ṗ Hᵀ of D, and terms with Ḣ; row 5."""
        moved = self.H @ self.at.P @ self.at.H.T
        return self.at.H @ self.P @ self.at.H.T + moved + moved.T

    @cached_property
    def G(self) -> Array:
        """Rate τ̄ Ṗ Hᵀ D⁻¹ of G, and terms with Ḣ; row 6."""
        o = self.at
        U = self.P @ o.H.T + o.P @ self.H.T
        return np.linalg.solve(o.D, (o.tau_bar @ U).T).T - o.G @ self.H @ o.G

    @cached_property
    def tau_bar(self) -> Array:
        """Rate −Ġ H of τ̄, and a term with Ḣ; row 7."""
        return -self.G @ self.at.H - self.at.G @ self.H

    @cached_property
    def epsilon_psi(self) -> Array:
        """Rate ε_φ (Ω_δ τ̄ + dτ̄/dt) of ε_ψ; row 8."""
        return self.epsilon_phi @ self.at.tau_bar + self.at.epsilon_phi @ self.tau_bar

    @cached_property
    def psi(self) -> Array:
        """Rate ψ ε̇_ψ ψ of ψ, as row 2."""
        return self.at.psi @ self.epsilon_psi @ self.at.psi

    # the mass factor, and the Coriolis forces of the diagonal equations

    @cached_property
    def root_D(self) -> Array:
        """Rate of D^½, the upper triangular factor."""
        return upper_root_rate(self.at.root_D, self.D)

    @cached_property
    def m(self) -> Array:
        """Rate of the mass factor m; (29)–(31)."""
        o = self.at
        factor = (self.H @ o.phi + o.H @ self.phi) @ o.G + o.H @ o.phi @ self.G
        return factor @ o.root_D + o.H @ o.phi @ o.G @ self.root_D

    @cached_property
    def C_xi(self) -> Array:
        """C(θ, ξ) (nu,) of D ξ̇ + C = κ; (45)."""
        o = self.at
        xi, across = o.G.T @ o.phi.T @ o.H.T @ (o.coupling @ o.v), o.P @ o.epsilon_psi.T @ o.V
        y = self.V_cross @ o.M @ o.V + (self.P @ o.H.T + o.P @ self.H.T) @ xi
        y = o.psi @ (y + o.epsilon_phi @ (o.G @ self.H - self.Omega_delta) @ across)
        return o.H @ y - self.H @ across

    @cached_property
    def C_nu(self) -> Array:
        """C(θ, ν) (nu,) of ν̇ + C = ε; (42), by (46)."""
        nu = self.at.m.T @ (self.at.coupling @ self.at.v)
        xi = np.linalg.solve(self.at.root_D.T, nu)
        return np.linalg.solve(self.at.root_D, self.C_xi) - self.root_D.T @ xi


def operator_rates(model: Model, q: Array, v: Array) -> OperatorRates:
    """Rates of the spatial operators in a motion; Table 1 of Kozłowski (1995).

    Parameters
    ----------
    model : Model
        Robot as data; `robot.model`.
    q : array_like, shape (nq,)
        Configuration.
    v : array_like, shape (nv,)
        Velocity [rad/s, m/s].

    Returns
    -------
    OperatorRates
        The rates.

    Raises
    ------
    InputError
        If q or v has another shape, or is not real.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> rates = kt.operators.operator_rates(kt.load("planar2r").model, np.ones(2), np.ones(2))
    >>> rates.D.round(3)
    array([[0.   , 0.   ],
           [0.   , 0.682]])
    """
    return OperatorRates(spatial_operators(model, q, v))
