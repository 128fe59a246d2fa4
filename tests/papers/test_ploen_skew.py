"""Ploen, *A skew-symmetric form of the recursive Newton–Euler algorithm*, (2)–(3) and (19)–(38), Propositions 1 and 2.

The global matrices are built densely here, for a chain of revolute and prismatic joints, beside the library's results.
As in Ploen and Park (1999), ad_{Sq̇} and ad*_V are block-diagonals of −ad and −ad*.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import block_diag

from kinetrace.algorithms import coriolis_matrix, gravity, inverse_dynamics, mass_matrix_rate
from kinetrace.lie import Ad_matrix, ad_matrix, inertia, se3
from kinetrace.lie.so3 import hat
from kinetrace.model import Model, random_chain
from kinetrace.model import joints as j

n = 5
STEP = 1e-40
inv = np.linalg.inv


def assert_near(actual, expected):
    assert_allclose(actual, expected, rtol=0, atol=1e-12 * max(1.0, np.abs(expected).max()))


def differs(printed, right):
    """By more than a tenth of its size."""
    return np.abs(np.subtract(printed, right)).max() > 0.1 * np.abs(right).max()


@dataclass(frozen=True)
class Chain:
    """A chain in one state, with the matrices below (22)."""

    model: Model
    q: Any
    qdot: Any
    qddot: Any
    S_i: list[Any]

    def f(self, q):
        M_i = [b.X_pj @ b.X_ji for b in self.model.bodies]
        return [M @ se3.exp(s * t) for M, s, t in zip(M_i, self.S_i, q, strict=True)]  # (14)

    @property
    def S(self):
        return block_diag(*(s[:, None] for s in self.S_i))

    @property
    def J_i(self):
        return [b.J for b in self.model.bodies]

    @property
    def J(self):
        return block_diag(*self.J_i)

    def Gamma(self, q):
        below = block_diag(*(Ad_matrix(inv(X)) for X in self.f(q)[1:]))
        return np.pad(below, ((6, 0), (0, 6)))

    def G(self, q):
        return inv(np.eye(6 * n) - self.Gamma(q))

    def M(self, q):
        return self.S.T @ self.G(q).T @ self.J @ self.G(q) @ self.S  # (24), (36)

    @property
    def P_0(self):
        return np.vstack([Ad_matrix(inv(self.f(self.q)[0])), np.zeros((6 * n - 6, 6))])

    @property
    def ad_Sq(self):
        return block_diag(*(-ad_matrix(s * rate) for s, rate in zip(self.S_i, self.qdot, strict=True)))

    @property
    def V(self):
        return self.G(self.q) @ self.S @ self.qdot  # (19), V_0 = 0

    @property
    def V_i(self):
        return self.V.reshape(n, 6)

    @property
    def ad_V(self):
        return block_diag(*(-ad_matrix(V).T for V in self.V_i))

    @property
    def C_bar(self):
        return block_diag(*(skew_body(J, V) for J, V in zip(self.J_i, self.V_i, strict=True)))

    def rate(self, function):
        """d/dt of a function of q, by a complex step."""
        return function(self.q + 1j * STEP * self.qdot).imag / STEP

    def coriolis(self, body_terms):
        """(25), (37): C for the block-diagonal that acts on V."""
        G, S = self.G(self.q), self.S
        return S.T @ G.T @ (self.J @ G @ self.ad_Sq @ self.Gamma(self.q) + body_terms) @ G @ S

    @property
    def N(self):
        G, S = self.G(self.q), self.S
        return S.T @ G.T @ self.Gamma(self.q).T @ self.ad_Sq.T @ G.T @ self.J @ G @ S


def skew_body(J, V):
    """C̄_i of Proposition 1."""
    m, r, w = inertia.mass(J), hat(inertia.center_of_mass(J)), hat(V[:3])
    I_bar = J[:3, :3]  # I - m [r]², (12)
    return np.block([[w @ I_bar + I_bar @ w, m * r @ w], [-m * w @ r, m * w]])


@pytest.fixture(params=range(3))
def rng(request):
    return np.random.default_rng(1999 + request.param)


@pytest.fixture
def chain(rng):
    axes = rng.normal(size=(n, 3))
    kinds = [j.Prismatic(a) if k == 2 else j.Revolute(a) for k, a in enumerate(axes)]
    model = random_chain(n, int(rng.integers(1000)), kinds).build()
    q, qdot, qddot = rng.normal(size=(3, n))
    return Chain(model, q, qdot, qddot, [b.subspace(q[:1])[:, 0] for b in model.bodies])


def test_ploen_eq2_to_3_christoffel_symbols(chain):
    dM = np.stack([chain.M(chain.q + 1j * STEP * e).imag / STEP for e in np.eye(n)])  # [i, j, k]: ∂M_jk/∂q_i
    Gamma = (dM.transpose(0, 2, 1) + dM.transpose(2, 0, 1) - dM.transpose(1, 2, 0)) / 2  # (3): [i, j, k]
    C = np.einsum("ijk,i->kj", Gamma, chain.qdot)  # (2)
    assert_near(coriolis_matrix(chain.model, chain.q, chain.qdot, form="christoffel"), C)
    N = chain.rate(chain.M) - 2 * C
    assert_near(N, -N.T)


def test_ploen_eq19_to_22_global_matrices(chain, rng):
    V_0, dV_0 = rng.normal(size=(2, 6))
    G, S, P_0, Gamma = chain.G(chain.q), chain.S, chain.P_0, chain.Gamma(chain.q)
    V = G @ S @ chain.qdot + G @ P_0 @ V_0  # (19)
    dV = G @ (S @ chain.qddot + chain.ad_Sq @ Gamma @ V + chain.ad_Sq @ P_0 @ V_0 + P_0 @ dV_0)  # (20)
    ad_V = block_diag(*(-ad_matrix(V_i).T for V_i in V.reshape(n, 6)))
    F = G.T @ chain.J @ dV + G.T @ ad_V @ chain.J @ V  # (21)
    base = {"base_velocity": V_0, "base_acceleration": dV_0 + np.r_[np.zeros(3), chain.model.gravity]}
    assert_near(S.T @ F, inverse_dynamics(chain.model, chain.q, chain.qdot, chain.qddot, **base))  # (22)


def test_ploen_eq23_to_26_equations_of_motion_with_newtons_matrix(chain):
    G, S = chain.G(chain.q), chain.S
    C = chain.coriolis(chain.ad_V @ chain.J)  # (25)
    phi = S.T @ G.T @ chain.J @ G @ chain.P_0 @ np.r_[np.zeros(3), -chain.model.gravity]  # (26)
    tau = chain.M(chain.q) @ chain.qddot + C @ chain.qdot + phi  # (23)
    assert_near(tau, inverse_dynamics(chain.model, chain.q, chain.qdot, chain.qddot))
    assert_near(coriolis_matrix(chain.model, chain.q, chain.qdot, form="newton"), C)
    assert_near(gravity(chain.model, chain.q), phi)
    # "V̇_0 = (0, g)" with the gravity vector itself has the wrong sign.
    assert differs(-phi, gravity(chain.model, chain.q))


def test_ploen_eq27_rate_of_G(chain):
    G = chain.G(chain.q)
    assert_near(G @ chain.ad_Sq @ chain.Gamma(chain.q) @ G, chain.rate(chain.G))


def test_ploen_eq28_rate_of_the_mass_matrix(chain):
    assert_near(chain.N + chain.N.T, chain.rate(chain.M))
    assert_near(mass_matrix_rate(chain.model, chain.q, chain.qdot), chain.rate(chain.M))


def test_ploen_eq29_newtons_matrix_is_not_skew(chain):
    G, S = chain.G(chain.q), chain.S
    rest = chain.rate(chain.M) - 2 * chain.coriolis(chain.ad_V @ chain.J)
    assert_near(rest, chain.N - chain.N.T - 2 * S.T @ G.T @ chain.ad_V @ chain.J @ G @ S)
    assert differs(rest, -rest.T)


def test_ploen_eq30_one_body_and_its_missing_inverse(chain):
    """The wrench from the body beyond is carried by Ad* of the inverse, as in (17)."""
    G, S = chain.G(chain.q), chain.S
    dV = G @ (S @ chain.qddot + chain.ad_Sq @ chain.Gamma(chain.q) @ chain.V)
    F = (G.T @ (chain.J @ dV + chain.ad_V @ chain.J @ chain.V)).reshape(n, 6)
    bodies = zip(chain.J_i, chain.V_i, dV.reshape(n, 6), strict=True)
    right = np.stack([J @ dV_i - ad_matrix(V).T @ J @ V for J, V, dV_i in bodies][:-1])

    def left(carry):
        return np.stack([F[i] - Ad_matrix(carry(f)).T @ F[i + 1] for i, f in enumerate(chain.f(chain.q)[1:])])

    assert_near(left(inv), right)
    assert differs(left(lambda f: f), right)  # as printed


def test_ploen_eq31_to_34_and_proposition_1(chain):
    for J, V in zip(chain.J_i, chain.V_i, strict=True):
        m, c, w, v = inertia.mass(J), inertia.center_of_mass(J), V[:3], V[3:]
        r, W, U, I_bar = hat(c), hat(w), hat(v), J[:3, :3]
        expected = -ad_matrix(V).T @ J @ V
        assert_near(np.block([[W, U], [np.zeros((3, 3)), W]]) @ J @ V, expected)  # (31)
        force = -m * W @ r @ w + m * W @ v
        assert_near(np.r_[W @ I_bar @ w + m * W @ r @ v - m * U @ r @ w + m * U @ v, force], expected)  # (32)
        assert_near(np.r_[W @ I_bar @ w + m * r @ W @ v + I_bar @ W @ w, force], expected)  # (33)
        C = skew_body(J, V)
        assert_near(C @ V, expected)  # (34)
        assert_near(C, -C.T)
        assert_near(C[:3, :3], hat(np.trace(I_bar) * w - I_bar @ w))  # as the library writes it


def test_ploen_eq35_to_38_equations_of_motion_with_the_skew_matrix(chain):
    C = chain.coriolis(chain.C_bar)  # (37)
    tau = chain.M(chain.q) @ chain.qddot + C @ chain.qdot + gravity(chain.model, chain.q)  # (35), (36), (38)
    assert_near(tau, inverse_dynamics(chain.model, chain.q, chain.qdot, chain.qddot))
    assert_near(coriolis_matrix(chain.model, chain.q, chain.qdot, form="skew"), C)


def test_ploen_proposition_2_skew_symmetry(chain):
    G, S = chain.G(chain.q), chain.S
    rest = chain.rate(chain.M) - 2 * chain.coriolis(chain.C_bar)
    assert_near(rest, chain.N - chain.N.T - 2 * S.T @ G.T @ chain.C_bar @ G @ S)
    assert_near(rest, -rest.T)


def test_ploen_forms_of_a_body_under_a_change_of_frame(chain):
    """−ad*_V J and the Levi-Civita connection transform like J; C̄_i does not, by (tr Ī) [ω] / 2."""
    X = se3.pose(np.eye(3), np.array([0.3, -0.2, 0.5]))
    A = Ad_matrix(X)  # twists in the old frame from those in the new one

    def christoffel(J, V):
        spin = hat(V[:3]) * np.trace(J[:3, :3]) / 2
        return skew_body(J, V) - np.pad(spin, ((0, 3), (0, 3)))

    def newton(J, V):
        return -ad_matrix(V).T @ J

    for J, V in zip(chain.J_i, chain.V_i, strict=True):
        J_new, V_new = A.T @ J @ A, inv(A) @ V
        for form in (christoffel, newton):
            assert_near(form(J_new, V_new), A.T @ form(J, V) @ A)
        assert np.abs(skew_body(J_new, V_new) - A.T @ skew_body(J, V) @ A).max() > 1e-3
        koszul = J @ ad_matrix(V) - ad_matrix(V).T @ J - np.stack([ad_matrix(u).T @ J @ V for u in np.eye(6)], axis=-1)
        assert_near(christoffel(J, V), koszul / 2)
