"""Ploen and Park (1999), (39)-(46) and Propositions 1 and 2, on chains and on trees of every joint."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose

import kinetrace as kt
import kinetrace.operators
from kinetrace.algorithms import inverse_dynamics, jacobian
from kinetrace.lie import Ad_matrix, ad_matrix
from kinetrace.model import joints as j
from kinetrace.model import random_chain, random_tree
from kinetrace.model.zoo.random import random_pose
from kinetrace.operators import global_matrices

inv = np.linalg.inv


def assert_near(actual, expected, tol=1e-11):
    assert_allclose(actual, expected, rtol=0, atol=tol * max(1.0, np.abs(expected).max()))


def differs(printed, right):
    """By more than a tenth of its size."""
    return np.abs(np.subtract(printed, right)).max() > 0.1 * np.abs(right).max()


def without_mimics(model):
    return replace(model, bodies=tuple(replace(body, mimic=None) for body in model.bodies))


def chain(seed):
    rng = np.random.default_rng(seed)
    axes = rng.normal(size=(6, 3))
    kinds = [j.Prismatic(a) if k == 2 else j.Helical(a, 0.1) if k == 4 else j.Revolute(a) for k, a in enumerate(axes)]
    return random_chain(6, seed, kinds).build()


MODELS = {
    "chain": chain,
    "tree": lambda seed: without_mimics(random_tree(10 + seed, seed).build()),
    "free": lambda seed: without_mimics(random_tree(9, 10 + seed).build("free")),
}


@cache
def matrices(name, seed):
    model, rng = MODELS[name](seed), np.random.default_rng(seed)
    return global_matrices(model, model.random(rng), rng.normal(size=model.nv))


@pytest.fixture(params=[(name, seed) for name in MODELS for seed in range(2)], ids=str)
def case(request):
    return matrices(*request.param), np.random.default_rng(1999)


def mass_matrix(model, q):
    """Its columns: inverse dynamics of unit accelerations, without gravity."""
    weightless, rest = replace(model, gravity=np.zeros(3)), np.zeros(model.nv)
    return np.stack([inverse_dynamics(weightless, q, rest, a) for a in np.eye(model.nv)], axis=1)


def motion(g, a, dV_0):
    """(7), (8) and (9) at V_0 = 0, with the term Ṡv of joints whose screws are not constant."""
    dV = g.G @ (g.S @ a + g.ad_Sv @ g.Gamma @ g.V + g.Sdot_v + g.P0 @ dV_0)
    F = g.G.T @ (g.J @ dV + g.ad_star_V @ g.J @ g.V)
    return dV, F, g.S.T @ F


def blocks(A):
    """A (6n, 6n) as (n, n, 6, 6)."""
    n = len(A) // 6
    return A.reshape(n, 6, n, 6).swapaxes(1, 2)


def below(model, i):
    """The bodies that body i carries, and itself."""
    return [k for k in range(len(model.bodies)) if i in model.ancestors(k)]


def rows(bodies):
    return np.concatenate([np.arange(6 * k, 6 * k + 6) for k in bodies])


def test_ploenpark1999_eq6_to_14_on_trees(case):
    """The matrices of section II for trees, against the recursion."""
    g, rng = case
    model, a = g.model, rng.normal(size=g.model.nv)
    dV_0, F_tip = np.concatenate([np.zeros(3), -model.gravity]), rng.normal(size=6)
    _, F, tau = motion(g, a, dV_0)
    assert_near(tau, inverse_dynamics(model, g.q, g.v, a))
    tau = g.S.T @ (F + g.G.T @ g.Pt("tip").T @ F_tip)
    assert_near(tau, inverse_dynamics(model, g.q, g.v, a, wrench={"tip": -F_tip}))
    assert_near(g.S.T @ g.G.T @ g.J @ g.G @ g.S, mass_matrix(model, g.q))  # (11)
    C = g.S.T @ g.G.T @ ((g.J @ g.G @ g.ad_Sv @ g.Gamma + g.ad_star_V @ g.J) @ g.V + g.J @ g.G @ g.Sdot_v)  # (12)
    rest = np.zeros(model.nv)
    phi = g.S.T @ g.G.T @ g.J @ g.G @ g.P0 @ dV_0  # (13)
    assert_near(phi, inverse_dynamics(model, g.q, rest, rest))
    assert_near(C + phi, inverse_dynamics(model, g.q, g.v, rest))
    assert_near(g.Pt("tip") @ g.G @ g.S, jacobian(model, g.q, frame="tip"))  # (14)
    assert_near(g.G @ (np.eye(len(g.G)) - g.Gamma), np.eye(len(g.G)))


def test_ploenpark1999_base_velocity(case):
    """The terms of (6) and (7) in V_0."""
    g, rng = case
    a, V_0, dV_0 = rng.normal(size=g.model.nv), *rng.normal(size=(2, 6))
    V = g.G @ (g.S @ g.v + g.P0 @ V_0)
    dV = g.G @ (g.S @ a + g.ad_Sv @ (g.Gamma @ V + g.P0 @ V_0) + g.Sdot_v + g.P0 @ dV_0)
    momentum = (g.J @ V).reshape(-1, 6)
    turning = np.concatenate([-kt.lie.ad_dual(x, p) for x, p in zip(V.reshape(-1, 6), momentum, strict=True)])
    weightless = replace(g.model, gravity=np.zeros(3))
    tau = inverse_dynamics(weightless, g.q, g.v, a, base_velocity=V_0, base_acceleration=dV_0)
    assert_near(g.S.T @ g.G.T @ (g.J @ dV + turning), tau)


def test_ploenpark1999_eq39_articulated_inertia(case):
    """F_i = Ĵ_i V̇_i + b_i, where b_i depends on the velocities and on the joint forces beyond body i only."""
    g, rng = case
    model, dV_0 = g.model, rng.normal(size=6)
    a = rng.normal(size=model.nv)
    dV, F, tau = motion(g, a, dV_0)
    M = mass_matrix(model, g.q)
    joint_slices = [model.joint_slices(body.joint_name)[1] for body in model.bodies]
    for i in range(len(model.bodies)):
        other = tau + rng.normal(size=model.nv)
        for k in below(model, i):
            if k != i:
                other[joint_slices[k]] = tau[joint_slices[k]]
        dV_2, F_2, tau_2 = motion(g, a + np.linalg.solve(M, other - tau), dV_0)
        assert_near(tau_2, other, 1e-10)
        here = slice(6 * i, 6 * i + 6)
        J_hat = g.J_hat[here, here]
        assert_near(F_2[here] - J_hat @ dV_2[here], F[here] - J_hat @ dV[here], 1e-10)


def test_ploenpark1999_eq40_articulated_inertia_is_a_schur_complement(case):
    """Ĵ_i is the inertia that body i shows when the joints beyond it are free to move."""
    g, _ = case
    for i, body in enumerate(g.model.bodies):
        part = rows(below(g.model, i))
        beyond = [k for k in below(g.model, i) if k != body.index]
        columns = [
            c for k in beyond for c in np.arange(g.model.nv)[g.model.joint_slices(g.model.bodies[k].joint_name)[1]]
        ]
        W = np.hstack([g.G[np.ix_(part, rows([i]))], g.G[np.ix_(part, part)] @ g.S[np.ix_(part, columns)]])
        M = W.T @ g.J[np.ix_(part, part)] @ W
        expected = M[:6, :6] - M[:6, 6:] @ np.linalg.solve(M[6:, 6:], M[6:, :6]) if columns else M
        assert_near(g.J_hat[6 * i : 6 * i + 6, 6 * i : 6 * i + 6], expected, 1e-10)


def test_ploenpark1999_eq40_to_41_need_inverses_that_the_print_lacks():
    """(40) and Π as scanned carry Ad* of f where Ad* of f⁻¹ is meant, as Γᵀ has it."""
    model = chain(0)
    g = global_matrices(model, np.linspace(-1, 1, 6))
    right, printed, printed_Pi = g.J[-6:, -6:], g.J[-6:, -6:], np.zeros(g.Pi.shape)
    for i in reversed(range(5)):
        s = g.S[6 * i + 6 : 6 * i + 12, [i + 1]]
        X, back = Ad_matrix(g.f[i + 1]), Ad_matrix(inv(g.f[i + 1]))
        J = g.J[6 * i : 6 * i + 6, 6 * i : 6 * i + 6]
        right = J + back.T @ (right - right @ s @ s.T @ right / (s.T @ right @ s)) @ back
        printed = J + X.T @ (printed - printed @ s @ s.T @ printed / (s.T @ printed @ s)) @ back
        assert_near(g.J_hat[6 * i : 6 * i + 6, 6 * i : 6 * i + 6], right)
        assert differs(printed, right)
        Omega = g.Omega[i + 1, i + 1]
        J_hat = g.J_hat[6 * i + 6 : 6 * i + 12, 6 * i + 6 : 6 * i + 12]
        assert_near(g.Pi[6 * i : 6 * i + 6, [i + 1]], back.T @ J_hat @ s / Omega)
        printed_Pi[6 * i : 6 * i + 6, [i + 1]] = X.T @ J_hat @ s / Omega
    assert differs(printed_Pi, g.Pi)


def test_ploenpark1999_eq41_inertia_from_articulated_inertia(case):
    g, _ = case
    S, Gamma, J_hat = g.S, g.Gamma, g.J_hat
    gives_way = Gamma.T @ J_hat @ S @ inv(S.T @ J_hat @ S) @ S.T @ J_hat @ Gamma
    assert_near(J_hat - Gamma.T @ J_hat @ Gamma + gives_way, g.J)


def test_ploenpark1999_proposition1_square_factors_of_the_mass_matrix(case):
    g, _ = case
    one = np.eye(g.model.nv)
    factor = one + g.S.T @ g.G.T @ g.Pi
    assert_near(factor @ g.Omega @ factor.T, mass_matrix(g.model, g.q))
    assert_near(g.Phi, inv(g.Omega) @ g.S.T @ g.J_hat)
    assert_near(g.Pi, g.Gamma.T @ g.Phi.T)
    assert_near(factor, np.triu(factor))  # base → tips: upper triangular
    assert np.linalg.eigvalsh(g.Omega).min() > 0


def test_ploenpark1999_proposition1_of_the_uncoupled_tree_gives_that_of_mimic_joints():
    for seed in range(3):
        model = random_tree(11, seed).build()
        g = global_matrices(model, model.random(np.random.default_rng(seed)))
        assert g.S_tree.shape[1] == model.nv + 1
        factor = np.eye(model.nv + 1) + g.S_tree.T @ g.G.T @ g.Pi
        M = mass_matrix(model, g.q)
        assert_near(g.S.T @ g.G.T @ g.J @ g.G @ g.S, M)
        assert_near(g.A.T @ g.L.T @ g.D @ g.L @ g.A, M)
        assert_near(g.coupling.T @ factor @ g.Omega @ factor.T @ g.coupling, M)


def test_ploenpark1999_proposition2_inverse_of_the_mass_matrix(case):
    g, _ = case
    one, six = np.eye(g.model.nv), np.eye(len(g.G))
    factor = one - g.S.T @ g.Y @ g.Pi
    assert_near(factor.T @ inv(g.Omega) @ factor @ mass_matrix(g.model, g.q), one, 1e-10)
    assert_near(factor @ (one + g.S.T @ g.G.T @ g.Pi), one)
    assert_near(g.X, (six - g.S @ g.Phi) @ g.Gamma)
    assert_near(g.Y @ (six - g.X.T), six)
    assert_near(g.X.T @ g.J_hat @ g.X + g.J, g.J_hat)  # Table I


def test_ploenpark1999_X_is_nilpotent_and_Y_its_series():
    g = global_matrices(chain(0), np.linspace(-1, 1, 6))
    powers = [np.linalg.matrix_power(g.X.T, k) for k in range(7)]
    assert_near(sum(powers[:6]), g.Y)
    assert not powers[6].any()
    Y = blocks(g.Y)
    for i in range(6):
        for k in range(i + 1, 6):
            assert_near(np.linalg.multi_dot([np.eye(6), *(Y[m, m + 1] for m in range(i, k))]), Y[i, k])


def changed(g, rng):
    """Random link frames: Q, A, L, D of (15)-(17) and the other matrices by their rules."""
    Q = kt.operators.blocks.diagonal([Ad_matrix(random_pose(rng)) for _ in g.model.bodies])
    Q_inv = inv(Q)
    return Q, Q_inv, Q @ g.S, Q @ g.G @ Q_inv, Q_inv.T @ g.J @ Q_inv


def test_ploenpark1999_eq42_to_43_factors_in_other_link_frames(case):
    g, rng = case
    Q, Q_inv, A, L, _ = changed(g, rng)
    M, one = mass_matrix(g.model, g.q), np.eye(g.model.nv)
    Pi, J_hat, X_T = Q_inv.T @ g.Pi, Q_inv.T @ g.J_hat @ Q_inv, Q_inv.T @ g.X.T @ Q.T
    assert_near(A.T @ J_hat @ A, g.Omega)
    factor = one + A.T @ L.T @ Pi
    assert_near(factor @ g.Omega @ factor.T, M)  # (42)
    inverse = one - A.T @ inv(np.eye(len(X_T)) - X_T) @ Pi
    assert_near(inverse.T @ inv(g.Omega) @ inverse @ M, one, 1e-10)  # (43)


def test_ploenpark1999_eq44_to_46_forward_dynamics(case):
    g, rng = case
    model, a, f_t = g.model, rng.normal(size=g.model.nv), rng.normal(size=6)
    dV_0 = np.concatenate([np.zeros(3), -model.gravity])
    tau = inverse_dynamics(model, g.q, g.v, a, wrench={"tip": -f_t})
    rest = np.zeros(model.nv)
    J_t = jacobian(model, g.q, frame="tip")
    bias = inverse_dynamics(model, g.q, g.v, rest)
    assert_near(np.linalg.solve(mass_matrix(model, g.q), tau - bias - J_t.T @ f_t), a, 1e-10)  # (44)

    Q, Q_inv, A, L, D = changed(g, rng)
    ad_Sv, ad_V, Gamma = Q @ g.ad_Sv @ Q_inv, Q_inv.T @ g.ad_star_V @ Q.T, Q @ g.Gamma @ Q_inv  # (22)-(24)
    a_tilde = ad_Sv @ Gamma @ L @ A @ g.v + Q @ g.Sdot_v
    b_tilde = ad_V @ D @ L @ A @ g.v
    P_0, P_t = Q @ g.P0, g.Pt("tip") @ Q_inv  # (25), (26)
    tau_hat = tau - A.T @ L.T @ (D @ L @ (a_tilde + P_0 @ dV_0) + b_tilde + P_t.T @ f_t)  # (46)
    X_T = Q_inv.T @ g.X.T @ Q.T
    factor = np.eye(model.nv) - A.T @ inv(np.eye(len(X_T)) - X_T) @ Q_inv.T @ g.Pi
    assert_near(factor.T @ inv(g.Omega) @ factor @ tau_hat, a, 1e-10)  # (45)


def test_ploenpark1999_eq47_to_68_recursive_forward_dynamics():
    """Section VI on a chain, in random link frames; it repeats Ad* of f for Ad* of f⁻¹, corrected here."""
    model, rng, n = chain(2), np.random.default_rng(2), 6
    q, v, a, f_t = *rng.normal(size=(3, n)), rng.normal(size=6)
    tau = inverse_dynamics(model, q, v, a, wrench={"tip": -f_t})
    Q = [np.eye(4), *(random_pose(rng) for _ in range(n))]
    M = [body.X_pj @ body.X_ji for body in model.bodies]
    A = [np.zeros(6), *(kt.lie.Ad(Q[k + 1], b.subspace(q[k : k + 1])[:, 0]) for k, b in enumerate(model.bodies))]
    D = [None, *(kt.lie.inertia.change_frame(X, b.J) for X, b in zip(Q[1:], model.bodies, strict=True))]
    rate = np.concatenate([[0.0], v])
    f = [Q[k - 1] @ M[k - 1] @ inv(Q[k]) @ kt.lie.se3.exp(A[k] * q[k - 1]) for k in range(1, n + 1)]  # (47), (49)
    f.append(Q[n] @ model.frames["tip"].X_bf)  # (48)
    back = [None, *(Ad_matrix(inv(X)) for X in f)]
    dV_0 = np.concatenate([np.zeros(3), -model.gravity])

    a_hat, V, alpha, alpha_bar = np.zeros(6), np.zeros(6), np.zeros(6), [None]  # (50)
    for k in range(1, n + 1):
        a_hat = back[k] @ (A[k - 1] * rate[k - 1] + a_hat)  # (51)
        V = back[k] @ V + A[k] * rate[k]  # (52)
        a_tilde = -ad_matrix(A[k] * rate[k]) @ a_hat + (back[1] @ dV_0 if k == 1 else 0)  # (53), (55)
        b_tilde = -ad_matrix(V).T @ D[k] @ V  # (54)
        alpha = back[k] @ alpha + a_tilde  # (56)
        alpha_bar.append(D[k] @ alpha + b_tilde)  # (57)
    P, tau_hat = back[n + 1].T @ f_t, np.zeros(n + 2)  # (58)
    for k in range(n, 0, -1):
        P = (P if k == n else back[k + 1].T @ P) + alpha_bar[k]  # (59)
        tau_hat[k] = tau[k - 1] - A[k] @ P  # (60), (61)

    J_hat, Y, Pi, Omega = [None] * (n + 2), {}, {}, {}
    for k in range(n, 0, -1):
        J_hat[k] = D[k] if k == n else D[k] + Y[k + 1] @ J_hat[k + 1] @ back[k + 1]
        U = J_hat[k] @ A[k]
        Omega[k] = A[k] @ U
        Y[k] = back[k].T @ (np.eye(6) - np.outer(U, A[k]) / Omega[k])  # Ȳ_{k−1,k}
        Pi[k] = back[k].T @ U / Omega[k]  # Π̄_{k−1,k}
    z, c = np.zeros(6), np.zeros(n + 1)  # (62)
    for k in range(n, 0, -1):
        z = z if k == n else Y[k + 1] @ z + Pi[k + 1] * tau_hat[k + 1]  # (63)
        c[k] = (tau_hat[k] - A[k] @ z) / Omega[k]  # (64), (65)
    lam, found = np.zeros(6), np.zeros(n)  # (66)
    for k in range(1, n + 1):
        found[k - 1] = c[k] - Pi[k] @ lam  # (68)
        lam = Y[k].T @ lam + A[k] * c[k]  # (67)
    assert_near(found, a, 1e-10)


def test_operators_refuse_bad_input():
    model = kt.load("planar2r").model
    for make in (global_matrices, kt.operators.spatial_operators):
        with pytest.raises(kt.InputError, match="shape"):
            make(model, np.zeros(3))
        with pytest.raises(kt.InputError, match="shape"):
            make(model, np.zeros(2), np.zeros((2, 2)))
        with pytest.raises(kt.InputError, match="real numbers"):
            make(model, np.zeros(2, complex))
    massless = kt.from_screws([[0, 0, 1, 0, 0, 0]], np.eye(4), check="ignore").model
    with pytest.raises(kt.ModelError, match="joint1"):
        _ = global_matrices(massless, [0.0]).J_hat
    with pytest.raises(kt.ModelError, match="joint1"):
        _ = kt.operators.spatial_operators(massless, [0.0]).P
