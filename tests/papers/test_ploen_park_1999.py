"""Ploen and Park (1999), (1)-(38): the recursion against its global matrices, built densely here.

The paper's F_{n+1} is what the tip exerts on the environment: the opposite of the library's `wrench`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from kinetrace.algorithms import inverse_dynamics, jacobian
from kinetrace.lie import Ad, Ad_matrix, ad_matrix, se3
from kinetrace.model import Model, random_chain
from kinetrace.model import joints as j
from kinetrace.model.zoo.random import random_pose

n = 5
inv = np.linalg.inv


def diag(blocks):
    """A block-diagonal matrix."""
    rows, columns = np.cumsum([(0, 0), *(b.shape for b in blocks)], axis=0).T
    D = np.zeros((rows[-1], columns[-1]))
    for k, b in enumerate(blocks):
        D[rows[k] : rows[k + 1], columns[k] : columns[k + 1]] = b
    return D


def assert_near(actual, expected):
    assert_allclose(actual, expected, rtol=0, atol=1e-12 * max(1.0, np.abs(expected).max()))


def differs(printed, right):
    """By more than a tenth of its size."""
    return np.abs(np.subtract(printed, right)).max() > 0.1 * np.abs(right).max()


@dataclass(frozen=True)
class Global:
    """The matrices below (9) for one state; f_i is f_{i-1,i} and f_{n+1} the tip's frame in link n."""

    f: list[Any]
    S_i: list[Any]
    J_i: list[Any]

    @cached_property
    def S(self):
        return diag([s[:, None] for s in self.S_i])

    @cached_property
    def J(self):
        return diag(self.J_i)

    @cached_property
    def Gamma(self):
        Gamma = np.zeros((6 * n, 6 * n))
        for i in range(1, n):
            Gamma[6 * i : 6 * i + 6, 6 * i - 6 : 6 * i] = Ad_matrix(inv(self.f[i]))
        return Gamma

    @cached_property
    def G(self):
        return inv(np.eye(6 * n) - self.Gamma)

    @cached_property
    def P_0(self):
        return np.vstack([Ad_matrix(inv(self.f[0])), np.zeros((6 * n - 6, 6))])

    @cached_property
    def P_t(self):
        return np.hstack([np.zeros((6, 6 * n - 6)), Ad_matrix(inv(self.f[n]))])

    def ad_Sq(self, qdot):
        return diag([-ad_matrix(s * rate) for s, rate in zip(self.S_i, qdot, strict=True)])

    def ad_V(self, V):
        return diag([-ad_matrix(V_i).T for V_i in V.reshape(n, 6)])

    def motion(self, qdot, qddot, V_0, dV_0):
        """(6) and (7)."""
        V = self.G @ self.S @ qdot + self.G @ self.P_0 @ V_0
        drift = self.ad_Sq(qdot) @ (self.Gamma @ V + self.P_0 @ V_0)
        return V, self.G @ (self.S @ qddot + drift + self.P_0 @ dV_0)

    def forces(self, V, dV, F_tip):
        """(8) and (9)."""
        F = self.G.T @ (self.J @ dV + self.ad_V(V) @ self.J @ V + self.P_t.T @ F_tip)
        return F, self.S.T @ F


@dataclass(frozen=True)
class Case:
    model: Model
    M_i: list[Any]
    g: Global
    q: Any
    qdot: Any
    qddot: Any
    V_0: Any
    dV_0: Any
    F_tip: Any


@pytest.fixture(params=range(3))
def rng(request):
    return np.random.default_rng(1999 + request.param)


@pytest.fixture
def case(rng):
    axes = rng.normal(size=(n, 3))
    kinds = [j.Prismatic(a) if k == 2 else j.Revolute(a) for k, a in enumerate(axes)]
    model = random_chain(n, int(rng.integers(1000)), kinds).build()
    q, qdot, qddot = rng.normal(size=(3, n))
    V_0, dV_0, F_tip = rng.normal(size=(3, 6))
    M_i = [b.X_pj @ b.X_ji for b in model.bodies]
    S_i = [b.subspace(q[k : k + 1])[:, 0] for k, b in enumerate(model.bodies)]
    f = [M @ se3.exp(s * t) for M, s, t in zip(M_i, S_i, q, strict=True)]  # (1)
    g = Global([*f, model.frames["tip"].X_bf], S_i, [b.J for b in model.bodies])
    return Case(model, M_i, g, q, qdot, qddot, V_0, dV_0, F_tip)


def recursion(f, S, J, qdot, qddot, V_0, dV_0, F_tip):
    """(2)-(5)."""
    V, dV = [V_0], [dV_0]
    for i in range(n):
        carried = Ad_matrix(inv(f[i]))
        V.append(carried @ V[i] + S[i] * qdot[i])  # (2)
        dV.append(S[i] * qddot[i] + carried @ dV[i] - ad_matrix(S[i] * qdot[i]) @ carried @ V[i])  # (3)
    F, forces = F_tip, []
    for i in reversed(range(n)):
        V_i, dV_i = V[i + 1], dV[i + 1]
        F = Ad_matrix(inv(f[i + 1])).T @ F + J[i] @ dV_i - ad_matrix(V_i).T @ J[i] @ V_i  # (4)
        forces.insert(0, F)
    F = np.concatenate(forces)
    return np.concatenate(V[1:]), np.concatenate(dV[1:]), F, np.array([s @ w for s, w in zip(S, forces, strict=True)])


def library(case, dV_0, method="classical"):
    return inverse_dynamics(
        case.model,
        case.q,
        case.qdot,
        case.qddot,
        method=method,
        base_velocity=case.V_0,
        base_acceleration=dV_0 + np.concatenate([np.zeros(3), case.model.gravity]),
        wrench={"tip": -case.F_tip},
    )


def test_ploenpark1999_eq1_to_5_recursion(case):
    """The library adds gravity as a base acceleration of (0, -g); here V̇_0 says everything."""
    *_, tau = recursion(case.g.f, case.g.S_i, case.g.J_i, case.qdot, case.qddot, case.V_0, case.dV_0, case.F_tip)
    for method in ("spatial", "classical"):
        assert_near(tau, library(case, case.dV_0, method))


def test_ploenpark1999_eq6_to_9_global_matrices(case):
    g = case.g
    V, dV, F, tau = recursion(g.f, g.S_i, g.J_i, case.qdot, case.qddot, case.V_0, case.dV_0, case.F_tip)
    V6, dV7 = g.motion(case.qdot, case.qddot, case.V_0, case.dV_0)
    assert_near(V6, V)
    assert_near(dV7, dV)
    F8, tau9 = g.forces(V6, dV7, case.F_tip)
    assert_near(F8, F)
    assert_near(tau9, tau)


def test_ploenpark1999_signs_of_ad_are_in_its_definition(case):
    """With ad_{Sq̇} and ad*_V taken as plain block-diagonals of ad, (7) and (8) would have the wrong sign."""
    g, zero = case.g, np.zeros(6)
    V, dV = g.motion(case.qdot, case.qddot, zero, case.dV_0)
    wrong = g.G @ (g.S @ case.qddot - g.ad_Sq(case.qdot) @ g.Gamma @ V + g.P_0 @ case.dV_0)
    assert differs(wrong, dV)
    F, _ = g.forces(V, dV, zero)
    assert differs(g.G.T @ (g.J @ dV - g.ad_V(V) @ g.J @ V), F)


def test_ploenpark1999_G_has_inverses_that_the_print_lacks(case):
    """G_ij = Ad of the inverse of f_{j,i}, i > j; Γ is nilpotent and G its geometric series."""
    g = case.g
    G, printed = np.eye(6 * n), np.eye(6 * n)
    for i in range(n):
        for k in range(i):
            X = np.linalg.multi_dot([np.eye(4), *g.f[k + 1 : i + 1]])
            G[6 * i : 6 * i + 6, 6 * k : 6 * k + 6] = Ad_matrix(inv(X))
            printed[6 * i : 6 * i + 6, 6 * k : 6 * k + 6] = Ad_matrix(X)
    assert_near(G, g.G)
    assert differs(printed, g.G)
    powers = [np.linalg.matrix_power(g.Gamma, k) for k in range(n + 1)]
    assert_near(sum(powers[:n]), g.G)
    assert not powers[n].any()


def closed_form(S, G, J, Gamma, ad_Sq, ad_V, P_0, P_t, qdot, dV_0):
    """(11)-(14)."""
    M = S.T @ G.T @ J @ G @ S
    C = S.T @ G.T @ (J @ G @ ad_Sq @ Gamma + ad_V @ J) @ G @ S @ qdot
    return M, C, S.T @ G.T @ J @ G @ P_0 @ dV_0, P_t @ G @ S


def closed_form_of(case, dV_0):
    g = case.g
    ad_V = g.ad_V(g.G @ g.S @ case.qdot)
    return closed_form(g.S, g.G, g.J, g.Gamma, g.ad_Sq(case.qdot), ad_V, g.P_0, g.P_t, case.qdot, dV_0)


def test_ploenpark1999_eq10_to_14_equations_of_motion(case):
    dV_0 = np.concatenate([np.zeros(3), -case.model.gravity])
    M, C, phi, J_t = closed_form_of(case, dV_0)
    tau = M @ case.qddot + C + phi + J_t.T @ case.F_tip  # (10)
    wrench = {"tip": -case.F_tip}
    assert_near(tau, inverse_dynamics(case.model, case.q, case.qdot, case.qddot, wrench=wrench))
    zero = np.zeros(n)
    assert_near(phi, inverse_dynamics(case.model, case.q, zero, zero))
    assert_near(J_t, jacobian(case.model, case.q, frame="tip"))
    # "V̇_0 = (0, g)" holds for g upward: with the gravity vector itself, φ has the wrong sign.
    assert differs(closed_form_of(case, -dV_0)[2], phi)


def test_ploenpark1999_eq15_to_26_invariance_under_link_frames(case, rng):
    g = case.g
    Q = diag([Ad_matrix(random_pose(rng)) for _ in range(n)])
    Q_inv = inv(Q)
    A, L, D = Q @ g.S, Q @ g.G @ Q_inv, Q_inv.T @ g.J @ Q_inv  # (15)-(17)
    Gamma, ad_Sq = Q @ g.Gamma @ Q_inv, Q @ g.ad_Sq(case.qdot) @ Q_inv  # (22), (23)
    ad_V = Q_inv.T @ g.ad_V(g.G @ g.S @ case.qdot) @ Q.T  # (24)
    P_0, P_t = Q @ g.P_0, (Q_inv.T @ g.P_t.T).T  # (25), (26)
    changed = closed_form(A, L, D, Gamma, ad_Sq, ad_V, P_0, P_t, case.qdot, case.dV_0)  # (18)-(21)
    for new, old in zip(changed, closed_form_of(case, case.dV_0), strict=True):
        assert_near(new, old)


def test_ploenpark1999_eq34_to_38_recursion_in_other_link_frames(case, rng):
    g = case.g
    Q = [np.eye(4), *(random_pose(rng) for _ in range(n)), np.eye(4)]
    A = [Ad(Q[i + 1], s) for i, s in enumerate(g.S_i)]
    f = [Q[i] @ case.M_i[i] @ inv(Q[i + 1]) @ se3.exp(A[i] * case.q[i]) for i in range(n)]  # (34)
    f.append(Q[n] @ g.f[n])
    D = [Ad_matrix(inv(X)).T @ J @ Ad_matrix(inv(X)) for X, J in zip(Q[1:], g.J_i, strict=False)]
    V, dV, F, tau = recursion(f, A, D, case.qdot, case.qddot, case.V_0, case.dV_0, case.F_tip)  # (35)-(38)
    old_V, old_dV, old_F, old_tau = recursion(g.f, g.S_i, g.J_i, case.qdot, case.qddot, case.V_0, case.dV_0, case.F_tip)
    big = diag([Ad_matrix(X) for X in Q[1 : n + 1]])
    assert_near(V, big @ old_V)  # (31)
    assert_near(dV, big @ old_dV)  # (32)
    assert_near(F, inv(big).T @ old_F)  # (33)
    assert_near(tau, old_tau)
    assert_near(tau, library(case, case.dV_0))
