"""The spatial operators of Rodriguez and Kreutz (1988), for any tree.

    V = φᵀ Hᵀ θ̇,   α = φᵀ (Hᵀ θ̈ + a),   f = φ (M α + b + B f(0)),   T = H f          (3.12)–(3.18)
    𝓜 = H φ M φᵀ Hᵀ = (I + H Φ L) D (I + H Φ L)ᵀ                                   (3.20), (4.11)
    𝓜⁻¹ = (I − H Ψ L)ᵀ D⁻¹ (I − H Ψ L)                                             (4.16)

**Numbering.** Links and joints count from the tips, 1 … N, and the base is N + 1: link k is the model's body N − k.
Causal operators, which run tips → base, are then lower block-triangular. Joint vectors are in this order too:
θ̇ = coupling · v and τ = couplingᵀ · T for the model's own v and τ.

**Frames.** The report writes its operators free of coordinates. Here each link's six-vectors are in its body frame,
angular part first, so that φ(i, j) is the change of frame of a wrench from link j to link i, Ad*_{X_ij⁻¹}: the report's
shift of the point of reference, times a rotation. A dot is the rate of components in that frame, so a and b differ
from (2.19) and (2.23), which use inertial axes; every equation from section 3 on is the same.

**Trees.** "k + 1" is the link that carries link k: S has the identity in block (carrier of k, k), and φ(i, j) is in φ
if i carries j. A joint of several degrees of freedom has as many rows in H, and D is block-diagonal (appendix B).

**Mimic joints** move on their own here: H has nu ≥ nv rows. couplingᵀ 𝓜 coupling is the model's mass matrix; 𝓜⁻¹
has no such counterpart. Without mimic joints, `coupling` only renumbers.

The report's L is the gain that later papers write K(k + 1, k); its K = ε_φ G = S L is in Ploen and Park's Table I.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ...errors import InputError
from ...lie import Ad_matrix, ad_dual, se3
from ...model import WORLD, Body, Model
from ...support.attributes import cached_property
from ..kinematics.forward_kinematics import Velocity, link_pose, link_velocities
from ..sweeps.tree import inward, outward
from .blocks import across, at, coupling, diagonal, from_ancestors, state, upper_root


@dataclass(frozen=True, eq=False)
class SpatialOperators:
    """Spatial operators of one state, each computed when it is first used; made by `spatial_operators`.

    Parameters
    ----------
    model : Model
        Robot as data; `robot.model`.
    q : Array, shape (nq,)
        Configuration.
    v : Array, shape (nv,)
        Velocity [rad/s, m/s].

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> o = kt.operators.spatial_operators(kt.load("planar2r").model, np.ones(2), np.ones(2))
    >>> o.D.round(3)
    array([[0.333, 0.   ],
           [0.   , 1.114]])
    >>> (o.H @ o.phi @ o.M @ o.phi.T @ o.H.T).round(3)  # the mass matrix, tips → base
    array([[0.333, 0.603],
           [0.603, 2.207]])
    """

    model: Model
    q: Array
    v: Array

    @property
    def N(self) -> int:
        """Number of links."""
        return len(self.model.bodies)

    @cached_property
    def links(self) -> tuple[Body, ...]:
        """The bodies, tips → base: link k is links[k − 1]."""
        return self.model.bodies[::-1]

    def carrier(self, k: int) -> int:
        """Number of the link that carries link k: k + 1 in a chain, N + 1 for the base.

        Parameters
        ----------
        k : int
            Number of a link, from 1 at the tips.

        Returns
        -------
        int
            Number of its carrier.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> o = kt.operators.spatial_operators(kt.load("planar2r").model, np.ones(2), np.ones(2))
        >>> o.carrier(1), o.carrier(2)
        (2, 3)
        """
        return self.N - self.links[k - 1].parent

    @cached_property
    def _poses(self) -> list[Array]:
        """X_0k (4, 4) of links 1 … N + 1; the last is the base."""
        poses = outward(self.model, link_pose, np.eye(4), self.model.split_q(self.q))
        return [*poses[::-1], np.eye(4)]

    def transport(self, i: int, j: int) -> Array:
        """Operator φ(i, j) that takes a wrench from link j to link i; (3.1).

        Parameters
        ----------
        i : int
            Number of a link, from 1 at the tips to N + 1, the base.
        j : int
            Number of a link.

        Returns
        -------
        Array, shape (6, 6)
            Ad*_{X_ij⁻¹}.

        Raises
        ------
        InputError
            If there is no link of that number.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> o = kt.operators.spatial_operators(kt.load("planar2r").model, np.ones(2), np.ones(2))
        >>> (o.transport(2, 1) @ np.array([0, 0, 0, 0, 0, 1.0])).round(3)
        array([ 0.   , -0.54 ,  0.   , -0.841,  0.   ,  0.54 ])
        """
        for k in (i, j):
            if not 1 <= k <= self.N + 1:
                raise InputError(f"links are numbered 1 to {self.N + 1}, the base, got {k}")
        return Ad_matrix(se3.inverse(self._poses[j - 1]) @ self._poses[i - 1]).T

    # section 3

    @cached_property
    def coupling(self) -> Array:
        """(nu, nv): θ̇ = coupling · v; a permutation if there are no mimic joints."""
        return coupling(self.model, self.links)

    @cached_property
    def _H(self) -> list[Array]:
        qs = self.model.split_q(self.q)
        return [link.subspace(qs[link.index]).T for link in self.links]

    @cached_property
    def H(self) -> Array:
        """(nu, 6N) block-diagonal: Hᵀ(k) are the screws of joint k; (3.5)."""
        return diagonal(self._H)

    @cached_property
    def M(self) -> Array:
        """(6N, 6N) block-diagonal: the inertias of the links; (3.6)."""
        return diagonal([link.J for link in self.links])

    @cached_property
    def phi(self) -> Array:
        """Operator φ (6N, 6N): φ(i, j) in block (i, j) if link i is link j or carries it; (3.4)."""
        phi = np.zeros((6 * self.N, 6 * self.N))
        for j, link in enumerate(self.links, start=1):
            for body in self.model.ancestors(link.index):
                i = self.N - body
                phi[at(i - 1), at(j - 1)] = self.transport(i, j)
        return phi

    def B(self, frame: str) -> Array:
        """Operator that takes a wrench from a frame to its link; (3.7).

        φ(1, 0) above zeros in the report's chain.

        Parameters
        ----------
        frame : str
            Name of a frame; `robot.frame_names` lists them.

        Returns
        -------
        Array, shape (6N, 6)
            B.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> o = kt.operators.spatial_operators(kt.load("planar2r").model, np.ones(2), np.ones(2))
        >>> (o.B("tip") @ np.array([0, 0, 0, 0, 0, 1.0])).reshape(2, 6).round(3)
        array([[ 0., -1.,  0.,  0.,  0.,  1.],
               [ 0.,  0.,  0.,  0.,  0.,  0.]])
        """
        F, B = self.model.frame(frame), np.zeros((6 * self.N, 6))
        if F.body != WORLD:
            B[at(self.N - 1 - F.body)] = Ad_matrix(se3.inverse(F.X_bf)).T
        return B

    @cached_property
    def E(self) -> Array:
        """(6N, 6): φᵀ(N + 1, k) for each link on the base, so that a + E g is on a base with acceleration g; (3.8)."""
        on_base = [self.carrier(k) > self.N for k in range(1, self.N + 1)]
        blocks = [block.T if first else 0 * block for block, first in zip(self._Delta_phi, on_base, strict=True)]
        return np.concatenate([np.zeros((0, 6)), *blocks])

    @cached_property
    def _velocities(self) -> list[Velocity]:
        return link_velocities(self.model, self.q, self.v)[::-1]

    @cached_property
    def V(self) -> Array:
        """(6N,): the twists of the links; (3.9)."""
        return np.concatenate([np.zeros(0), *(at_link.V for at_link in self._velocities)])

    @cached_property
    def a(self) -> Array:
        """(6N,): the bias accelerations, without gravity; (3.10)."""
        return np.concatenate([np.zeros(0), *(at_link.c for at_link in self._velocities)])

    @cached_property
    def b(self) -> Array:
        """(6N,): the bias forces; (3.10)."""
        forces = [-ad_dual(x.V, link.J @ x.V) for link, x in zip(self.links, self._velocities, strict=True)]
        return np.concatenate([np.zeros(0), *forces])

    # section 4: the filter

    @cached_property
    def _P(self) -> list[Array]:
        return inward(self.model, _riccati, np.zeros((6, 6)), self._H[::-1], self._Delta_phi[::-1])[::-1]

    @cached_property
    def P(self) -> Array:
        """(6N, 6N) block-diagonal: the articulated inertias, by the Riccati equation (4.4)–(4.6)."""
        return diagonal(self._P)

    @cached_property
    def D(self) -> Array:
        """H P Hᵀ (nu, nu) block-diagonal: the covariance of the innovations; (4.8), (a.1)."""
        return diagonal([H @ P @ H.T for H, P in zip(self._H, self._P, strict=True)])

    @cached_property
    def _G(self) -> list[Array]:
        return [np.linalg.solve(H @ P @ H.T, H @ P).T for H, P in zip(self._H, self._P, strict=True)]

    @cached_property
    def G(self) -> Array:
        """P Hᵀ D⁻¹ (6N, nu) block-diagonal; (5.12)."""
        return diagonal(self._G)

    @cached_property
    def L(self) -> Array:
        """Δ_φ G (6N, nu) block-diagonal: L(k), the filter's gain, is a wrench on the carrier of link k; (4.8)."""
        return diagonal([phi @ G for phi, G in zip(self._Delta_phi, self._G, strict=True)])

    @cached_property
    def K(self) -> Array:
        """Operator ε_φ G = S L (6N, nu): L(k) in the row of the carrier; Ploen and Park's Table I."""
        return self.S @ self.L

    @cached_property
    def psi(self) -> Array:
        """Operator ψ (6N, 6N): products of ψ(k + 1, k) = φ(k + 1, k) − L(k) H(k); (4.7), (5.1)."""
        transposed = from_ancestors(self.model, [X.T for X in self._Delta_psi[::-1]])
        blocks = transposed.T.reshape(self.N, 6, self.N, 6)
        return blocks[::-1, :, ::-1].reshape(6 * self.N, 6 * self.N)

    @cached_property
    def Phi(self) -> Array:
        """Φ = φ S (6N, 6N), strictly causal; (4.9), (a.6)."""
        return self.phi @ self.S

    @cached_property
    def Psi(self) -> Array:
        """Ψ = ψ S (6N, 6N), strictly causal; (4.10), (5.3)."""
        return self.psi @ self.S

    # section 5 and appendix A

    @cached_property
    def S(self) -> Array:
        """(6N, 6N): the identity in block (carrier of k, k), a shift by one link in a chain; (5.2)."""
        S = np.zeros((6 * self.N, 6 * self.N))
        for k in range(1, self.N + 1):
            if self.carrier(k) <= self.N:
                S[at(self.carrier(k) - 1), at(k - 1)] = np.eye(6)
        return S

    @cached_property
    def tau_bar(self) -> Array:
        """Operator τ̄ = I − G H (6N, 6N), block-diagonal, so that ε_ψ = ε_φ τ̄; Kozłowski's Table 1."""
        return np.eye(6 * self.N) - self.G @ self.H

    @cached_property
    def root_D(self) -> Array:
        """D^½ (nu, nu) block-diagonal, upper triangular, D = D^½ (D^½)ᵀ."""
        return diagonal([upper_root(H @ P @ H.T) for H, P in zip(self._H, self._P, strict=True)])

    @cached_property
    def m(self) -> Array:
        """(I + H φ K) D^½ = H φ G D^½ (nu, nu): 𝓜 = m mᵀ; Kozłowski (26), and his l is its inverse."""
        return self.H @ self.phi @ self.G @ self.root_D

    @cached_property
    def phi_tilde(self) -> Array:
        """Operator φ − I (6N, 6N); (a.3)."""
        return self.phi - np.eye(6 * self.N)

    @cached_property
    def psi_tilde(self) -> Array:
        """Operator ψ − I (6N, 6N); (5.11)."""
        return self.psi - np.eye(6 * self.N)

    @cached_property
    def _Delta_phi(self) -> list[Array]:
        return [self.transport(self.carrier(k), k) for k in range(1, self.N + 1)]

    @cached_property
    def _Delta_psi(self) -> list[Array]:
        each = zip(self._Delta_phi, self._G, self._H, strict=True)
        return [phi - phi @ G @ H for phi, G, H in each]

    @cached_property
    def Delta_phi(self) -> Array:
        """Δ_φ (6N, 6N) block-diagonal, of φ(k + 1, k); (a.4)."""
        return diagonal(self._Delta_phi)

    @cached_property
    def Delta_psi(self) -> Array:
        """Δ_ψ (6N, 6N) block-diagonal, of ψ(k + 1, k); (a.5)."""
        return diagonal(self._Delta_psi)

    @cached_property
    def epsilon_phi(self) -> Array:
        """Operator ε_φ = S Δ_φ = I − φ⁻¹ (6N, 6N); (a.11), Ploen and Park's Table I."""
        return self.S @ self.Delta_phi

    @cached_property
    def epsilon_psi(self) -> Array:
        """Operator ε_ψ = S Δ_ψ = I − ψ⁻¹ (6N, 6N); (a.10), Ploen and Park's Table I."""
        return self.S @ self.Delta_psi


def _riccati(body: Body, from_children: Array, H: Array, phi: Array) -> tuple[Array, Array]:
    """P(k), and what it adds to P(k + 1); (4.5)."""
    P = body.J + from_children
    return P, phi @ across(body, P, H.T) @ phi.T


def spatial_operators(model: Model, q: Array, v: Array | None = None) -> SpatialOperators:
    """Spatial operators of Rodriguez and Kreutz (1988) at a state.

    Parameters
    ----------
    model : Model
        Robot as data; `robot.model`.
    q : array_like, shape (nq,)
        Configuration.
    v : array_like, shape (nv,), optional
        Velocity [rad/s, m/s]; at rest unless given.

    Returns
    -------
    SpatialOperators
        The operators.

    Raises
    ------
    InputError
        If q or v has another shape, or is not real.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> o = kt.operators.spatial_operators(kt.load("planar2r").model, np.zeros(2))
    >>> (o.H @ o.phi @ o.M @ o.phi.T @ o.H.T).round(3)  # the mass matrix, tips → base
    array([[0.333, 0.833],
           [0.833, 2.667]])
    """
    return SpatialOperators(model, *state(model, q, v))
