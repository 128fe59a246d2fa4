"""Park, Bobrow and Ploen (1995), section 4: (29)-(52), (58)-(64), each written out beside what the library computes.

The robots have joints of one degree of freedom. Ad_j^i, (37), runs over the path between two bodies, so that everything
holds on trees too. The frames M_i are at the centres of mass, turned at random.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Any

import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose

import kinetrace as kt
from kinetrace.algorithms import inverse_dynamics, pose, velocity
from kinetrace.lie import Ad, Ad_inv, Ad_matrix, ad, inertia, se3, so3
from kinetrace.model import Model
from kinetrace.model import joints as j
from kinetrace.model.zoo.random import random_inertia, random_pose, random_rotation
from kinetrace.operators import global_matrices

inv = np.linalg.inv


def assert_near(actual, expected, tol=1e-11):
    assert_allclose(actual, expected, rtol=0, atol=tol * max(1.0, np.abs(expected).max()))


def differs(printed, right):
    """By more than a tenth of its size."""
    return np.abs(np.subtract(printed, right)).max() > 0.1 * np.abs(right).max()


def robot(n, seed, branching):
    """Revolute, helical and prismatic joints; a chain or a tree."""
    rng = np.random.default_rng(seed)
    builder = kt.Builder("screws")
    builder.link("link0")
    for i in range(1, n + 1):
        axis = rng.normal(size=3)
        joint = [j.Revolute(axis), j.Prismatic(axis), j.Helical(axis, 0.2), j.Revolute(axis)][i % 4]
        parent = int(rng.integers(0, i)) if branching else i - 1
        builder.link(f"link{i}", random_inertia(rng))
        places = {"placement": random_pose(rng), "child_placement": random_pose(rng)}
        builder.joint(f"joint{i}", joint, parent=f"link{parent}", child=f"link{i}", **places)
    return builder.build(gravity=(1.0, -2.0, -9.0))


@dataclass(frozen=True, eq=False)
class Case:
    """The ingredients of (30) and (31), from the model's data only."""

    model: Model
    x: Any
    xdot: Any
    turns: Any

    @property
    def n(self):
        return len(self.model.bodies)

    @cached_property
    def home(self):
        """Poses of the bodies at x = 0."""
        return [pose(self.model, np.zeros(self.n), frame=body.name) for body in self.model.bodies]

    @cached_property
    def A(self):
        """The screws at x = 0, in the inertial frame, (30)."""
        return [Ad(X, body.subspace(np.zeros(1))[:, 0]) for X, body in zip(self.home, self.model.bodies, strict=True)]

    @cached_property
    def m(self):
        return [inertia.mass(body.J) for body in self.model.bodies]

    @cached_property
    def com(self):
        """The centre-of-mass frame in each body."""
        return [
            se3.pose(R, inertia.center_of_mass(body.J)) for R, body in zip(self.turns, self.model.bodies, strict=True)
        ]

    @cached_property
    def M_i(self):
        return [X @ C for X, C in zip(self.home, self.com, strict=True)]

    @cached_property
    def I_bar(self):
        """Inertia of each link about and in its centre-of-mass frame."""
        bodies = zip(self.com, self.model.bodies, strict=True)
        return [inertia.change_frame(inv(C), body.J)[:3, :3] for C, body in bodies]

    def path(self, j, i):
        """The bodies from body j, exclusive, to body i; None if j does not carry i. The base is -1."""
        found = []
        while i != j:
            if i == -1:
                return None
            found.insert(0, i)
            i = self.model.bodies[i].parent
        return found

    def exponential(self, k):
        return se3.exp(self.A[k] * self.x[k])

    def between(self, j, i, x=None):
        """e^{A x} ⋯ along the path from j to i."""
        x = self.x if x is None else x
        return reduce(np.matmul, (se3.exp(self.A[k] * x[k]) for k in self.path(j, i)), np.eye(4))

    def carried(self, j, i):
        """Ad_i^{j+1}(A_j), (37): zero if joint j does not move body i."""
        if self.path(j, i) is None:
            return np.zeros(6)
        return Ad(inv(self.between(j, i)), self.A[j])

    @cached_property
    def D_i(self):
        """(36), (44)."""
        found = []
        for m, M, I in zip(self.m, self.M_i, self.I_bar, strict=True):
            Theta, b = M[:3, :3], so3.hat(M[:3, 3])
            found.append(np.block([[Theta @ I @ Theta.T - m * b @ b, m * b], [m * b.T, m * np.eye(3)]]))
        return found

    @cached_property
    def twists(self):
        """(ω_i, v_i) of (38), with the joint rates that the print lacks."""
        return [sum(self.carried(k, i) * self.xdot[k] for k in range(self.n)) for i in range(self.n)]


@pytest.fixture(params=[(6, 0, False), (6, 1, False), (9, 2, True), (10, 3, True)], ids=str)
def case(request):
    n, seed, branching = request.param
    rng = np.random.default_rng(seed)
    turns = [random_rotation(rng) for _ in range(n)]
    return Case(robot(n, seed, branching), rng.uniform(-2, 2, n), rng.normal(size=n), turns)


def mass_matrix(model, q):
    """Its columns: inverse dynamics of unit accelerations, without gravity."""
    weightless, rest = replace(model, gravity=np.zeros(3)), np.zeros(model.nv)
    return np.stack([inverse_dynamics(weightless, q, rest, a) for a in np.eye(model.nv)], axis=1)


def test_park1995_eq30_to_31_product_of_exponentials(case):
    for i, body in enumerate(case.model.bodies):
        assert_near(case.between(-1, i) @ case.M_i[i], pose(case.model, case.x, frame=body.name) @ case.com[i])


def test_park1995_eq33_to_34_velocity_of_the_centre_of_mass(case):
    for i, body in enumerate(case.model.bodies):
        V = Ad_inv(case.com[i], velocity(case.model, case.x, case.xdot, frame=body.name))
        assert_near(Ad_inv(case.M_i[i], case.twists[i]), V)  # (33)
        Theta, b = case.M_i[i][:3, :3], case.M_i[i][:3, 3]
        rows = [[Theta.T, np.zeros((3, 3))], [-so3.hat(Theta.T @ b) @ Theta.T, Theta.T]]
        assert_near(np.block(rows) @ case.twists[i], V)  # (34)


def test_park1995_eq32_to_36_and_39_kinetic_energy_with_the_halves_that_the_print_lacks(case):
    """T_i = ½ ω̄ᵀ Ī ω̄ + ½ m v̄ᵀ v̄ is ½ <·, ·>_i, so Σ m_ij ẋ_i ẋ_j is twice the energy."""
    total = 0.0
    for i, V in enumerate(case.twists):
        w, v = np.split(Ad_inv(case.M_i[i], V), 2)
        T = w @ case.I_bar[i] @ w / 2 + case.m[i] * v @ v / 2
        assert_near(V @ case.D_i[i] @ V / 2, T)  # (35)
        total += T
    quadratic = case.xdot @ mass_matrix(case.model, case.x) @ case.xdot
    assert_near(quadratic / 2, total)
    assert differs(quadratic, total)


def test_park1995_eq37_Ad_of_a_joint_leaves_its_own_screw(case):
    for k, A in enumerate(case.A):
        assert_near(Ad(inv(case.exponential(k)), A), A)


def test_park1995_eq38_needs_the_joint_rates(case):
    i = case.n - 1
    V = Ad(case.M_i[i], Ad_inv(case.com[i], velocity(case.model, case.x, case.xdot, frame=case.model.bodies[i].name)))
    assert_near(case.twists[i], V)
    assert differs(sum(case.carried(k, i) for k in range(case.n)), V)


def test_park1995_eq40_entries_of_the_inertia_matrix(case):
    n = case.n
    entries = [
        [sum(case.carried(i, k) @ case.D_i[k] @ case.carried(h, k) for k in range(n)) for h in range(n)]
        for i in range(n)
    ]
    assert_near(np.array(entries), mass_matrix(case.model, case.x))


def test_park1995_eq41_to_45_space_form(case):
    """The library's A, L and D, from exponentials of the screws at zero and inertias in the inertial frame."""
    g, n = global_matrices(case.model, case.x), case.n
    for i in range(n):
        here = slice(6 * i, 6 * i + 6)
        assert_near(g.A[here, i], case.A[i])  # (41)
        assert_near(g.D[here, here], case.D_i[i])  # (44)
        for k in range(n):
            block = np.zeros((6, 6)) if case.path(k, i) is None else Ad_matrix(inv(case.between(k, i)))
            assert_near(g.L[here, 6 * k : 6 * k + 6], block)  # (42), (43)
    for other in (g.A, g.D):
        assert np.count_nonzero(other.reshape(n, 6, n, -1).any(axis=(1, 3))) == n  # block-diagonal
    moved = global_matrices(case.model, case.x + 1)
    assert_near(moved.A, g.A)
    assert_near(moved.D, g.D)
    assert differs(moved.L, g.L)


def test_park1995_eq46_mass_matrix_factors(case):
    g = global_matrices(case.model, case.x)
    assert_near(g.A.T @ g.L.T @ g.D @ g.L @ g.A, mass_matrix(case.model, case.x))


def test_park1995_eq47_to_51_factors_in_link_frames(case):
    """The link frames of (50) are the centre-of-mass frames: J_i = diag(Ī_i, m_i 1)."""
    n = case.n
    poses = [case.between(-1, i) @ case.M_i[i] for i in range(n)]
    S, (J, G, Q) = np.zeros((6 * n, n)), np.zeros((3, 6 * n, 6 * n))
    for i in range(n):
        here = slice(6 * i, 6 * i + 6)
        S[here, i] = Ad_inv(case.M_i[i], case.A[i])  # (47)
        J[here, here] = inertia.from_mass_com(case.m[i], np.zeros(3), case.I_bar[i])  # (48)
        Q[here, here] = Ad_matrix(case.M_i[i])  # (50)
        for k in range(n):
            if case.path(k, i) is not None:
                G[here, 6 * k : 6 * k + 6] = inv(Ad_matrix(inv(poses[k]) @ poses[i]))  # (49)
    assert_near(S.T @ G.T @ J @ G @ S, mass_matrix(case.model, case.x))  # (51)
    g = global_matrices(case.model, case.x)
    assert_near(Q @ S, g.A)
    assert_near(Q @ G @ inv(Q), g.L)
    assert_near(inv(Q).T @ J @ inv(Q), g.D)
    assert_near(g.S.T @ g.G.T @ g.J @ g.G @ g.S, mass_matrix(case.model, case.x))  # (51), the library's frames


def test_park1995_eq50_needs_poses_in_the_base():
    """With M_i of (23), the pose of link i in the link before, A = Q S is wrong from the second link on."""
    model = robot(6, 0, branching=False)
    g, M = global_matrices(model, np.zeros(6)), [body.X_pj @ body.X_ji for body in model.bodies]
    accumulated = [reduce(np.matmul, M[: i + 1]) for i in range(6)]
    for poses, right in ((accumulated, True), (M, False)):
        A = [Ad(X, g.S[6 * i : 6 * i + 6, i]) for i, X in enumerate(poses)]
        off = [np.abs(a - g.A[6 * i : 6 * i + 6, i]).max() for i, a in enumerate(A)]
        assert max(off) < 1e-13 if right else off[0] < 1e-13 and min(off[1:]) > 0.1


def derivative_of_mass_matrix(model, x, h=1e-30):
    """∂m_ij/∂x_k (n, n, n), by complex step: exact to rounding."""
    return np.stack([mass_matrix(model, x + 1j * h * e).imag / h for e in np.eye(len(x))], axis=-1)


def test_park1995_eq29_and_52_christoffel_symbols_give_the_equations_of_motion(case):
    dM = derivative_of_mass_matrix(case.model, case.x)
    Gamma = (np.einsum("kji->ijk", dM) + np.einsum("kij->ijk", dM) - dM) / 2  # (52)
    assert_near(Gamma, Gamma.swapaxes(0, 1))
    rest, xddot = np.zeros(case.n), np.linspace(-1, 1, case.n)
    phi = inverse_dynamics(case.model, case.x, rest, rest)
    M = mass_matrix(case.model, case.x)
    tau = M @ xddot + np.einsum("ijk,i,j->k", Gamma, case.xdot, case.xdot) + phi  # (29)
    assert_near(tau, inverse_dynamics(case.model, case.x, case.xdot, xddot))


def test_park1995_eq58_to_59_potential_for_g_upward(case):
    """With the gravity vector itself, (58) is the negative of the potential energy: g is the upward acceleration."""
    up, n, r = np.append(-case.model.gravity, 0.0), case.n, np.array([0.0, 0.0, 0.0, 1.0])
    rest = np.zeros(n)

    def U(x):
        return sum(m * up @ case.between(-1, i, x) @ case.M_i[i] @ r for i, m in enumerate(case.m))  # (58)

    gradient = np.array([U(case.x + 1e-30j * e).imag / 1e-30 for e in np.eye(n)])
    phi = np.zeros(n)
    for k in range(n):
        for i in range(n):
            M, f = case.M_i[i], case.between(-1, i) @ case.M_i[i]
            phi[k] += case.m[i] * up @ f @ inv(M) @ se3.hat(case.carried(k, i)) @ M @ r  # (59)
    assert_near(gradient, phi)
    expected = inverse_dynamics(case.model, case.x, rest, rest)
    assert_near(phi, expected)
    assert differs(-phi, expected)


# the example of section 4.3.1


def test_park1995_eq60_to_64_general_2R_with_symbols():
    """Exact, for every 2R arm: with the inertial frame on the second axis, A_2 = (0, 0, 1, 0, 0, 0).

    The printed entries already contain the rates that C ẋ multiplies them with, and c_21 has the wrong sign.
    """
    x2, u1, u2 = sp.symbols("x2 u1 u2")
    A1 = sp.Matrix(sp.symbols("a1:7"))
    A2 = sp.Matrix([0, 0, 1, 0, 0, 0])
    m, hx, hy, hz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz = sp.symbols("m hx hy hz Ixx Ixy Ixz Iyy Iyz Izz")
    h = sp.Matrix([[0, -hz, hy], [hz, 0, -hx], [-hy, hx, 0]])
    I = sp.Matrix([[Ixx, Ixy, Ixz], [Ixy, Iyy, Iyz], [Ixz, Iyz, Izz]])
    D2 = sp.BlockMatrix([[I, h], [h.T, m * sp.eye(3)]]).as_explicit()
    own = sp.Symbol("A1_A1_1")  # <A_1, A_1>_1, a constant

    R = sp.Matrix([[sp.cos(x2), sp.sin(x2), 0], [-sp.sin(x2), sp.cos(x2), 0], [0, 0, 1]])
    carried = sp.diag(R, R)  # the matrix of Ad_2^2: Ad of e^{-A_2 x_2}
    bracket = A1[:3, :].cross(A2[:3, :]).col_join(A1[3:, :].cross(A2[:3, :]) + A1[:3, :].cross(A2[3:, :]))

    def inner(U, W):
        return (U.T * D2 * W)[0]

    M = sp.Matrix([[own + inner(carried * A1, carried * A1), inner(carried * A1, A2)], [0, inner(A2, A2)]])
    M[1, 0] = M[0, 1]  # (60)

    dM = [sp.zeros(2, 2), M.diff(x2)]
    u = [u1, u2]
    C = sp.zeros(2, 2)
    for k in range(2):
        for b in range(2):
            C[k, b] = sum((dM[a][k, b] + dM[b][k, a] - dM[k][a, b]) / 2 * u[a] for a in range(2))  # (52)

    first, second = inner(carried * bracket, carried * A1), inner(carried * bracket, A2)
    right = sp.Matrix([[first * u2, first * u1 + second * u2], [-first * u1, 0]])
    assert sp.expand(C - right) == sp.zeros(2, 2)

    printed = sp.Matrix([[first * u1 * u2, first * u1 * u2 + second * u2**2], [first * u1**2, 0]])  # (61)-(64)
    sums = printed * sp.ones(2, 1)
    torque = C * sp.Matrix(u)
    assert sp.expand(torque[0] - sums[0]) == 0
    assert sp.expand(torque[1] + sums[1]) == 0  # the sign of (63)
    assert sp.expand(sums[1]) != 0


def test_park1995_eq60_to_64_on_a_random_2R_arm():
    rng = np.random.default_rng(2)
    A = []
    for _ in range(2):
        w, p = rng.normal(size=(2, 3))
        w = w / np.linalg.norm(w)
        A.append(np.concatenate([w, np.cross(p, w)]))
    D = [random_inertia(rng) for _ in range(2)]
    x, xdot = rng.normal(size=(2, 2))
    model = kt.from_screws(A, np.eye(4), inertias=D, gravity=(0, 0, 0)).model
    E = Ad_matrix(se3.exp(-A[1] * x[1]))
    A1, bracket = E @ A[0], E @ ad(A[0], A[1])
    M = [[A[0] @ D[0] @ A[0] + A1 @ D[1] @ A1, A1 @ D[1] @ A[1]], [A1 @ D[1] @ A[1], A[1] @ D[1] @ A[1]]]  # (60)
    assert_near(M, mass_matrix(model, x))
    first, second = bracket @ D[1] @ A1, bracket @ D[1] @ A[1]
    C = np.array([[first * xdot[1], first * xdot[0] + second * xdot[1]], [-first * xdot[0], 0]])
    tau = inverse_dynamics(model, x, xdot, np.zeros(2))
    assert_near(C @ xdot, tau)
    assert_near(-first * xdot[0] ** 2, tau[1])  # (63) is this without the minus
