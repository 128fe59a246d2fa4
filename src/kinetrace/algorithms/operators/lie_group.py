"""The global matrices of Ploen and Park (1999) and of Park, Bobrow and Ploen (1995), for any tree.

    V = G S v + G P_0 V_0                                                    (6)
    V̇ = G S v̇ + G Ṡ v + G ad_Sv (Γ V + P_0 V_0) + G P_0 V̇_0                   (7)
    F = Gᵀ J V̇ + Gᵀ ad*_V J V + Gᵀ P_tᵀ F_t,   τ = Sᵀ F                        (8), (9)
    M = Sᵀ Gᵀ J G S                                                          (11), Park et al. (51)
      = [I + Sᵀ Gᵀ Π] Ω [I + Sᵀ Gᵀ Π]ᵀ                                       Prop. 1
      = Aᵀ Lᵀ D L A                                                          Park et al. (46)
    M⁻¹ = [I − Sᵀ Y Π]ᵀ Ω⁻¹ [I − Sᵀ Y Π]                                     Prop. 2

Bodies are numbered base → tips; six-vectors of body i are in its own frame, angular part first. n bodies, nv degrees of
freedom. The papers' chain of one-degree joints becomes a tree of any joints: Γ has Ad_{X_pi⁻¹} in block (i, parent of
i), S_i has one column per degree of freedom, Ω is block-diagonal. Ṡ v is zero where S is constant: for all joints but
the universal and the planar.

**Mimic joints.** The articulated quantities Ĵ, Ω, Φ, Π, X, Y are those of the uncoupled tree, in which a mimic joint
moves on its own: they are made with `S_tree` (6n × nu), which has columns for mimic joints too. S = S_tree · coupling
has nv columns, and (6)–(14) and (46) hold with it. Prop. 1 gives the mass matrix of the uncoupled tree; that of the
model is couplingᵀ M_tree coupling. Prop. 2 has no such counterpart. Without mimic joints, S_tree is S.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ...lie import Ad_matrix, ad_matrix, inertia, se3
from ...model import WORLD, Body, Model
from ...support.attributes import cached_property
from ..kinematics.forward_kinematics import link_pose
from ..sweeps.tree import inward, outward
from .blocks import across, at, coupling, diagonal, from_ancestors, from_parents, state


@dataclass(frozen=True, eq=False)
class GlobalMatrices:
    """Global matrices of one state, each computed when it is first used; made by `global_matrices`.

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
    >>> g = kt.operators.global_matrices(kt.load("planar2r").model, np.ones(2), np.ones(2))
    >>> g.Omega.round(3)
    array([[1.114, 0.   ],
           [0.   , 0.333]])
    >>> g.V.reshape(2, 6).round(3)  # twists of the bodies
    array([[ 0.   , -1.   ,  0.   ,  0.   ,  0.   ,  0.   ],
           [ 0.   , -2.   ,  0.   ,  0.841,  0.   ,  0.54 ]])
    """

    model: Model
    q: Array
    v: Array

    @cached_property
    def f(self) -> list[Array]:
        """Poses f_{p,i} (4, 4) of the bodies in their parents; (1)."""
        return [body.placement(q).matrix for body, q in zip(self.model.bodies, self.model.split_q(self.q), strict=True)]

    @cached_property
    def _carry(self) -> list[Array]:
        return [Ad_matrix(se3.inverse(X)) for X in self.f]

    @cached_property
    def _S(self) -> list[Array]:
        return [body.subspace(q) for body, q in zip(self.model.bodies, self.model.split_q(self.q), strict=True)]

    # kinematics and inertia, (6)-(14)

    @cached_property
    def coupling(self) -> Array:
        """(nu, nv): velocities of all joints from v; the identity if there are no mimic joints."""
        return coupling(self.model, self.model.bodies)

    @cached_property
    def S_tree(self) -> Array:
        """(6n, nu) block-diagonal: the screws of all joints, mimic joints included."""
        return diagonal(self._S)

    @cached_property
    def S(self) -> Array:
        """(6n, nv): the screws of the joints; block-diagonal if there are no mimic joints."""
        return self.S_tree @ self.coupling

    @cached_property
    def Gamma(self) -> Array:
        """Γ (6n, 6n): Ad_{f_{p,i}⁻¹} in block (i, parent of i)."""
        return from_parents(self.model, self._carry)

    @cached_property
    def G(self) -> Array:
        """(I − Γ)⁻¹ (6n, 6n): Ad_{f_{j,i}⁻¹} in block (i, j) if body j carries body i."""
        return from_ancestors(self.model, self._carry)

    @cached_property
    def J(self) -> Array:
        """(6n, 6n) block-diagonal: the inertias of the bodies."""
        return diagonal([body.J for body in self.model.bodies])

    @cached_property
    def P0(self) -> Array:
        """P_0 (6n, 6): Ad_{f_{0,i}⁻¹} for each body whose parent is the base."""
        carry = zip(self.model.bodies, self._carry, strict=True)
        blocks = [X if body.parent == WORLD else np.zeros((6, 6)) for body, X in carry]
        return np.concatenate([np.zeros((0, 6)), *blocks])

    def Pt(self, frame: str) -> Array:
        """Matrix P_t with Ad_{X_bf⁻¹} in the block of the frame's body: P_t V is the frame's twist.

        Parameters
        ----------
        frame : str
            Name of a frame; `robot.frame_names` lists them.

        Returns
        -------
        Array, shape (6, 6n)
            P_t.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> g = kt.operators.global_matrices(kt.load("planar2r").model, np.ones(2), np.ones(2))
        >>> (g.Pt("tip") @ g.V).round(3)
        array([ 0.   , -2.   ,  0.   ,  0.841,  0.   ,  2.54 ])
        """
        F, P = self.model.frame(frame), np.zeros((6, 6 * len(self.model.bodies)))
        if F.body != WORLD:
            P[:, at(F.body)] = Ad_matrix(se3.inverse(F.X_bf))
        return P

    @cached_property
    def V(self) -> Array:
        """(6n,): the twists of the bodies on a base at rest; (6)."""
        return self.G @ self.S @ self.v

    @cached_property
    def ad_Sv(self) -> Array:
        """Matrix ad_{S v} (6n, 6n), block-diagonal, of −ad_{S_i v_i}: the paper has the minus in the definition."""
        return diagonal([-ad_matrix(S @ v) for S, v in zip(self._S, self.model.split_v(self.v), strict=True)])

    @cached_property
    def ad_star_V(self) -> Array:
        """Matrix ad*_V (6n, 6n), block-diagonal, of −ad_{V_i}ᵀ: the paper has the minus in the definition."""
        return diagonal([-ad_matrix(V).T for V in self.V.reshape(-1, 6)])

    @cached_property
    def Sdot_v(self) -> Array:
        """Ṡ v (6n,): zero in the paper, where S is constant."""
        joints = zip(self.model.bodies, self.model.split_q(self.q), self.model.split_v(self.v), strict=True)
        return np.concatenate([np.zeros(0), *(body.bias(q, v) for body, q, v in joints)])

    # articulated bodies, (39)-(43); of the uncoupled tree

    @cached_property
    def J_hat(self) -> Array:
        """Ĵ (6n, 6n) block-diagonal: the articulated-body inertias, by (40)."""
        return diagonal(inward(self.model, _articulated, np.zeros((6, 6)), self.f, self._S))

    @cached_property
    def Omega(self) -> Array:
        """Ω = Sᵀ Ĵ S (nu, nu) block-diagonal: the articulated inertia along each joint."""
        return self.S_tree.T @ self.J_hat @ self.S_tree

    @cached_property
    def Phi(self) -> Array:
        """Φ = Ω⁻¹ Sᵀ Ĵ (nu, 6n)."""
        return np.linalg.solve(self.Omega, self.S_tree.T @ self.J_hat)

    @cached_property
    def Pi(self) -> Array:
        """Π = Γᵀ Φᵀ (6n, nu)."""
        return self.Gamma.T @ self.Phi.T

    @cached_property
    def X(self) -> Array:
        """(I − S Φ) Γ (6n, 6n): Γ across joints that move freely."""
        return self.Gamma - self.S_tree @ self.Phi @ self.Gamma

    @cached_property
    def Y(self) -> Array:
        """(I − Xᵀ)⁻¹ (6n, 6n)."""
        blocks = [
            np.zeros((6, 6)) if body.parent == WORLD else self.X[at(body.index), at(body.parent)]
            for body in self.model.bodies
        ]
        return from_ancestors(self.model, blocks).T

    # the space form, Park et al. (41)-(51): every body frame on the base frame when q is neutral

    @cached_property
    def Q(self) -> Array:
        """(6n, 6n) block-diagonal, constant: Ad of each body's pose in the base at neutral q; (50)."""
        neutral = self.model.split_q(self.model.neutral())
        return diagonal([Ad_matrix(X) for X in outward(self.model, link_pose, np.eye(4), neutral)])

    @cached_property
    def _Q_inv(self) -> Array:
        return diagonal([np.linalg.inv(self.Q[at(i), at(i)]) for i in range(len(self.model.bodies))])

    @cached_property
    def A(self) -> Array:
        """A = Q S (6n, nv): the screws of the joints at neutral q, in the base frame; (41).

        Constant if S is. For joints of one degree of freedom they are the A_i of the product of exponentials (13).
        """
        return self.Q @ self.S

    @cached_property
    def L(self) -> Array:
        """L = Q G Q⁻¹ (6n, 6n), the only one of the three that depends on q; (43).

        For joints of one degree of freedom its blocks are Ad of e^{−A_i q_i} ⋯ e^{−A_{j+1} q_{j+1}}, (42), along the
        path from body j to body i.
        """
        return self.Q @ self.G @ self._Q_inv

    @cached_property
    def D(self) -> Array:
        """D = Q⁻ᵀ J Q⁻¹ (6n, 6n) block-diagonal, constant: inertias at neutral q, in the base frame; (44), (45)."""
        return self._Q_inv.T @ self.J @ self._Q_inv


def _articulated(body: Body, from_children: Array, X: Array, S: Array) -> tuple[Array, Array]:
    """Ĵ_i, and the same across the joint, for the parent; (40)."""
    J_hat = body.J + from_children
    return J_hat, inertia.change_frame(X, across(body, J_hat, S))


def global_matrices(model: Model, q: Array, v: Array | None = None) -> GlobalMatrices:
    """Global matrices of Ploen and Park (1999) and Park et al. (1995) at a state.

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
    GlobalMatrices
        The matrices.

    Raises
    ------
    InputError
        If q or v has another shape, or is not real.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> g = kt.operators.global_matrices(kt.load("planar2r").model, np.zeros(2))
    >>> (g.S.T @ g.G.T @ g.J @ g.G @ g.S).round(3)  # the mass matrix
    array([[2.667, 0.833],
           [0.833, 0.333]])
    """
    return GlobalMatrices(model, *state(model, q, v))
