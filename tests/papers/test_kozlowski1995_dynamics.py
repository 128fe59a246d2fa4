"""Kozłowski (1995), all but its operation counts: sections 1 to 5, and the recursions of section 6.

As in the paper, the arm has revolute joints, frames on their axes, and links that count from the tip. The same for
every joint is checked on trees. Rates of operators are differences of order six along the motion.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import kinetrace as kt
from kinetrace import algorithms as alg
from kinetrace.algorithms.operators.blocks import diagonal
from kinetrace.algorithms.operators.rates import OPERATOR_SIDES, OperatorRates
from kinetrace.lie import inertia, so3
from kinetrace.model import Model, random_tree
from kinetrace.model import joints as j
from kinetrace.model.zoo.random import random_axis, random_inertia, random_pose
from kinetrace.operators import operator_rates, spatial_operators

inv, cross, hat = np.linalg.inv, np.cross, so3.hat
STEP = 1e-40
DIFFERENCE = {-3: -1 / 60, -2: 3 / 20, -1: -3 / 4, 1: 3 / 4, 2: -3 / 20, 3: 1 / 60}


def assert_near(actual, expected, tol=1e-11):
    assert_allclose(actual, expected, rtol=0, atol=tol * max(1.0, np.abs(expected).max(initial=0)))


def differs(printed, right):
    """By more than a tenth of its size."""
    return np.abs(np.subtract(printed, right)).max() > 0.1 * np.abs(right).max()


def commutator(A, B):
    return A @ B - B @ A


def arm(kinds, seed=0) -> Model:
    """A chain with body frames on the joints' axes: H*(k) = (h, 0), or (0, h) if it slides."""
    rng, builder = np.random.default_rng(seed), kt.Builder("arm")
    builder.link("base", random_inertia(rng))
    for i, kind in enumerate(kinds, start=1):
        builder.link(f"link{i}", random_inertia(rng))
        parent = "base" if i == 1 else f"link{i - 1}"
        joint, placement = kind(random_axis(rng)), random_pose(rng)
        builder.joint(f"joint{i}", joint, parent=parent, child=f"link{i}", placement=placement)
    return builder.build()


def tree(seed, base) -> Model:
    model = random_tree(9, seed).build(base)
    return replace(model, bodies=tuple(replace(body, mimic=None) for body in model.bodies))


ROBOTS = {
    "arm": lambda: arm([j.Revolute] * 6),
    "sliding": lambda: arm([j.Revolute, j.Prismatic] * 3),
    **{f"tree{seed}-{base}": lambda s=seed, b=base: tree(s, b) for seed, base in ((0, "fixed"), (1, "free"))},
}


@dataclass(frozen=True, eq=False)
class Case:
    """A state, its operators under the paper's names, and mass matrix and forces from elsewhere."""

    model: Model
    q: Any
    v: Any
    a: Any

    @cached_property
    def rates(self) -> OperatorRates:
        return operator_rates(self.model, self.q, self.v)

    @cached_property
    def o(self):
        return self.rates.at

    def joints(self, x):
        """A vector of the model's joints, tip → base."""
        return self.o.coupling @ x

    @cached_property
    def I(self):  # noqa: E743
        return np.eye(6 * self.o.N)

    @cached_property
    def nu(self):
        return self.o.m.T @ self.joints(self.v)

    @cached_property
    def xi(self):
        return inv(self.o.root_D).T @ self.nu

    @cached_property
    def mass_matrix(self):
        return self.o.coupling @ alg.mass_matrix(self.model, self.q) @ self.o.coupling.T

    @cached_property
    def coriolis(self):
        """c(θ, θ̇) of the standard form."""
        return self.joints(alg.bias(self.model, self.q, self.v) - alg.gravity(self.model, self.q))

    def ahead(self, k, h=2e-3):
        """The operators after the time k h at constant v."""
        return spatial_operators(self.model, self.model.integrate(self.q, k * h * self.v))

    @cached_property
    def _ahead(self):
        return {k: self.ahead(k) for k in DIFFERENCE}

    def rate(self, of, h=2e-3):
        """The rate of a function of the operators, by differences."""
        return sum(w / h * of(self._ahead[k]) for k, w in DIFFERENCE.items())


@cache
def case(name) -> Case:
    model, rng = ROBOTS[name](), np.random.default_rng(0)
    return Case(model, model.random(rng), *rng.normal(size=(2, model.nv)))


@pytest.fixture(params=ROBOTS)
def c(request) -> Case:
    return case(request.param)


@pytest.fixture
def paper() -> Case:
    return case("arm")


def turned(o, name, X):
    """An operator with links' six-vectors in inertial axes."""
    R = np.zeros((6 * o.N, 6 * o.N))
    for k, pose in enumerate(o._poses[:-1]):
        for half in (0, 3):
            at = slice(6 * k + half, 6 * k + half + 3)
            R[at, at] = pose[:3, :3]
    left, right = OPERATOR_SIDES[name]
    X = R @ X if left else X
    return X @ R.T if right else X


# nomenclature and (1)–(11)


def test_nomenclature_of_links(paper):
    """φ shifts by the vector from O_k to O_{k−1}; a(k), b(k) are in body frames, and b(k) has m ω × v, not m p × v."""
    o, model = paper.o, paper.model
    for k in range(2, o.N + 1):
        X, Y = o._poses[k - 1], o._poses[k - 2]
        R, S = (np.kron(np.eye(2), pose[:3, :3]) for pose in (X, Y))
        shift = Y[:3, 3] - X[:3, 3]
        assert_near(R @ o.transport(k, k - 1) @ S.T, np.block([[np.eye(3), hat(shift)], [np.zeros((3, 3)), np.eye(3)]]))
        V, H, rate = o.V[6 * k - 6 : 6 * k], o._H[k - 1][0], paper.joints(paper.v)[k - 1]
        w, u, h = V[:3], V[3:], H[:3]
        assert_near(o.a[6 * k - 6 : 6 * k], np.concatenate([cross(w, h * rate), cross(u, h * rate)]))
        J = model.bodies[o.N - k].J
        m, p, In = inertia.mass(J), inertia.center_of_mass(J), J[:3, :3]
        moment = cross(w, In @ w) + m * cross(p, cross(w, u))
        turning = m * cross(w, cross(w, p))
        assert_near(o.b[6 * k - 6 : 6 * k], np.concatenate([moment, m * cross(w, u) + turning]))
        if k < o.N:  # O_N rests
            assert differs(np.concatenate([moment, m * cross(p, u) + turning]), o.b[6 * k - 6 : 6 * k])


def test_a_of_a_sliding_joint():
    c = case("sliding")
    for k in (1, 3, 5):
        V, h = c.o.V[6 * k - 6 : 6 * k], c.o._H[k - 1][0, 3:]
        expected = np.concatenate([np.zeros(3), cross(V[:3], h * c.joints(c.v)[k - 1])])
        assert_near(c.o.a[6 * k - 6 : 6 * k], expected)


def test_eq5_angular_velocity(paper):
    """In inertial axes, the sum of the joints' from k to the base."""
    o, total = paper.o, np.zeros(3)
    for k in range(o.N, 0, -1):
        R = o._poses[k - 1][:3, :3]
        total = total + R @ o._H[k - 1][0, :3] * paper.joints(paper.v)[k - 1]
        assert_near(R @ o.V[6 * k - 6 : 6 * k - 3], total)


def test_eqs3_4_7_one_link_to_the_next(c):
    """Seen from the carrier, a link's six-vector x changes by Ω_δ x, a wrench that is, and a matrix by [Ω_δ, X]."""
    E, F = c.o.epsilon_phi, np.cos(np.arange(6 * c.o.N))
    assert_near(c.rate(lambda o: o.epsilon_phi @ F), E @ (c.rates.Omega_delta @ F), 1e-9)
    X = c.o.P
    driving = c.rates.Omega_delta @ X
    assert_near(c.rate(lambda o: o.epsilon_phi @ X @ o.epsilon_phi.T), E @ (driving + driving.T) @ E.T, 1e-9)


def test_eqs6_8_blocks_turn_as_tensors():
    """(8) by components, and (6) as the rate of what it gives along a turn."""
    rng = np.random.default_rng(0)
    X, w, R = rng.normal(size=(6, 6)), rng.normal(size=3), so3.exp(rng.normal(size=3))
    blocks = X.reshape(2, 3, 2, 3)
    turned = np.einsum("ki,lj,aibj->akbl", R, R, blocks).reshape(6, 6)
    A, Omega = np.kron(np.eye(2), R), np.kron(np.eye(2), hat(w))
    assert_near(A @ X @ A.T, turned)
    step = np.kron(np.eye(2), so3.exp(1j * STEP * w))
    assert_near((step @ X @ step.T).imag / STEP, commutator(Omega, X))


def test_eq4_for_sliding_joints_is_no_rotation():
    """The paper's diag(h̃, h̃) θ̇ would turn the frame of a joint that slides."""
    c = case("sliding")
    printed = [
        np.kron(np.eye(2), hat(H[0, :3] + H[0, 3:])) * rate for H, rate in zip(c.o._H, c.joints(c.v), strict=True)
    ]
    assert differs(c.o.epsilon_phi @ diagonal(printed), c.rate(lambda o: o.epsilon_phi))


# (12)–(21), Table 1


@pytest.mark.parametrize("name", OPERATOR_SIDES)
def test_table1_both_columns(c, name):
    """Components in body frames, and in inertial axes: (1), (2), (6), (9)–(11); P, ψ, D^½ and m too."""
    assert_near(getattr(c.rates, name), c.rate(lambda o: getattr(o, name)), 1e-9)
    seen = turned(c.o, name, c.rates.inertial(name))
    assert_near(seen, c.rate(lambda o: turned(o, name, getattr(o, name))), 1e-9)


def test_table1_as_printed(paper):
    o, r = paper.o, paper.rates
    E, Od, D_inv, Om = o.epsilon_phi, r.Omega_delta, inv(o.D), r.Omega
    assert differs(E @ Od @ o.phi, r.epsilon_phi)  # row 1: no Φ
    assert_near(E @ Od, r.epsilon_phi)
    assert_near(o.phi @ E @ Od @ o.phi, r.phi)
    assert_near(r.phi + o.phi @ commutator(Om, E) @ o.phi, r.inertial("phi"))
    assert_near(r.H, 0 * o.H)
    assert_near(-o.H @ Om, r.inertial("H"))
    assert_near(commutator(Om, o.M), r.inertial("M"))
    assert_near(o.H @ r.P @ o.H.T, r.D)
    assert_near(o.tau_bar @ r.P @ o.H.T @ D_inv, r.G)
    assert_near(r.G + Om @ o.G, r.inertial("G"))
    assert_near(-r.G @ o.H, r.tau_bar)
    assert_near(o.epsilon_psi @ (-r.P @ o.H.T @ D_inv @ o.H + Od @ o.tau_bar), r.epsilon_psi)
    assert_near(r.epsilon_psi + commutator(Om, o.epsilon_psi), r.inertial("epsilon_psi"))


def test_eqs12_to_21_articulated_inertia(paper):
    o, r = paper.o, paper.rates
    E, Od, P, dP, psi = o.epsilon_psi, r.Omega_delta, o.P, r.P, o.psi
    assert_near(E @ P @ E.T + o.M, P)  # (12)
    assert_near(r.tau_bar @ P @ o.tau_bar.T, 0 * P)
    assert_near(o.tau_bar @ Od, Od)
    driving = commutator(Od, P)
    assert_near(E @ (dP + driving) @ E.T, dP)  # (13), (16) with the dot
    assert differs(E @ (P + driving) @ E.T, dP)  # (16) as printed
    assert_near(o.epsilon_phi @ Od, r.epsilon_phi)  # (14)

    def diagonal_of(X):
        return X * np.kron(np.eye(o.N), np.ones((6, 6)))

    assert_near(diagonal_of((psi - paper.I) @ driving @ (psi - paper.I).T), dP)  # (15), (17)
    assert_near(dP + driving, r.lambda_dot)  # (20)
    assert_near(E @ (dP + driving) @ E.T + driving, r.lambda_dot)  # (18): of λ̇,
    assert differs(E @ (dP + driving) @ E.T + driving, dP)  # not of Ṗ
    assert_near(diagonal_of(psi @ driving @ psi.T), r.lambda_dot)  # (19)
    assert_near(E @ r.lambda_dot @ E.T + driving, r.lambda_dot)  # (21) with dots


def test_eqs18_to_20_on_trees(c):
    """λ̇ is the rate of P in the axes and at the origin of the carrier."""
    E, seen = c.o.epsilon_phi, c.rate(lambda o: o.epsilon_phi @ o.P @ o.epsilon_phi.T)
    assert_near(E @ c.rates.lambda_dot @ E.T, seen, 1e-9)


# (22)–(36)


def test_eqs22_to_28_mass_factor(c):
    o, n = c.o, np.eye(c.model.nv)
    N = n + o.H @ o.phi @ o.K
    assert_near(o.H @ o.phi @ o.M @ o.phi.T @ o.H.T, c.mass_matrix)  # (22)
    assert_near(N @ o.D @ N.T, c.mass_matrix)  # (23)
    L = n - o.H @ o.psi @ o.K
    assert_near(N @ L, n)  # (24)
    assert_near(L.T @ inv(o.D) @ L @ c.mass_matrix, n, 1e-10)  # (25)
    assert_near(o.m @ o.m.T, c.mass_matrix)  # (26)
    assert_near(o.m, N @ o.root_D)
    energy = alg.kinetic_energy(c.model, c.q, c.v)
    assert_near(c.nu @ c.nu / 2, energy)  # (27)
    assert_near(c.nu, o.root_D.T @ N.T @ c.joints(c.v))  # (28)
    assert_near(c.xi, N.T @ c.joints(c.v))  # (34)
    assert_near(c.xi @ o.D @ c.xi / 2, energy)  # (43) of ξ, not of its rate


def test_eqs29_to_31_rate_of_the_mass_factor(paper):
    o, r, I = paper.o, paper.rates, paper.I
    Od, back, lam, V = r.Omega_delta, o.H.T @ inv(o.root_D), r.lambda_dot, o.V
    assert_near(o.H @ o.phi @ (Od @ o.phi @ o.P + (I + o.tau_bar) @ r.P / 2) @ back, r.m)  # (29)
    assert_near(o.H @ o.phi @ (Od @ o.phi_tilde @ o.P + (I + o.tau_bar) @ lam / 2) @ back, r.m)  # (30)
    assert_near(r.inertial("m"), r.m)

    def eq31(bracket):
        return o.H @ o.phi @ (Od @ o.phi @ o.K @ o.H @ o.P + commutator(Od, o.P) / 2 + bracket / 2) @ V

    assert_near(eq31(o.epsilon_psi @ lam - lam @ o.epsilon_psi.T), r.m @ paper.nu)
    assert differs(eq31(commutator(o.epsilon_psi, lam)), r.m @ paper.nu)


def test_eqs32_33_gradient_of_the_energy(paper):
    o, r = paper.o, paper.rates
    model, v = paper.model, paper.v
    steps = (model.integrate(paper.q, 1j * STEP * e) for e in np.eye(model.nv))
    gradient = paper.joints(np.array([(v @ alg.mass_matrix(model, q) @ v).imag / STEP for q in steps]))
    Od, inner = r.Omega_delta, paper.I + o.phi @ o.K @ o.H
    assert_near(2 * o.H @ o.phi @ (Od @ inner @ o.P - r.V_cross @ o.M) @ o.V, gradient)  # (32)
    assert_near(r.V_cross @ o.M @ o.V, o.b)
    C = inv(o.m) @ (r.m @ paper.nu - gradient / 2)  # (41)
    assert_near(C, inv(o.m) @ paper.coriolis - r.m.T @ paper.joints(v))
    assert_near(C, r.C_nu)


def test_eqs35_36_rate_of_xi(paper):
    o, r, V = paper.o, paper.rates, paper.o.V
    a = paper.joints(paper.a)
    N, dN = o.H @ o.phi @ o.G, r.H @ o.phi @ o.G + o.H @ r.phi @ o.G + o.H @ o.phi @ r.G
    right = dN.T @ paper.joints(paper.v) + N.T @ a  # (35), with the second factor transposed too
    D_inv, Od = inv(o.D), r.Omega_delta

    def eq36(rate, transfer):
        return D_inv @ o.H @ (rate @ o.tau_bar.T + o.P @ transfer.T @ Od.T) @ V + o.G.T @ o.phi.T @ o.H.T @ a

    assert differs(eq36(r.P, o.phi_tilde), right)  # as printed
    assert_near(eq36(r.P, o.phi), right)
    assert_near(eq36(r.lambda_dot, o.phi_tilde), right)


# section 3


def test_eqs37_38_standard_form(c):
    o, a = c.o, c.joints(c.a)
    weightless = replace(c.model, gravity=np.zeros(3))
    tau = c.joints(alg.inverse_dynamics(weightless, c.q, c.v, c.a))
    assert_near(c.mass_matrix @ a + c.coriolis, tau)  # (37)
    assert_near(c.mass_matrix @ a + o.H @ o.phi @ (o.M @ o.phi.T @ o.a + o.b), tau)  # (38)


def test_eq39_second_joint_of_three():
    model, rng = arm([j.Revolute] * 3, seed=4), np.random.default_rng(4)
    c = Case(model, model.random(rng), *rng.normal(size=(2, 3)))
    o, acc = c.o, c.joints(c.a)
    H, n, b = [None, *(H for (H,) in o._H)], [None, *o.a.reshape(3, 6)], [None, *o.b.reshape(3, 6)]
    M = [None, *(link.J for link in o.links)]
    f21, f32 = o.transport(2, 1), o.transport(3, 2)
    r2 = M[2] + f21 @ M[1] @ f21.T
    tau = H[2] @ (
        f21 @ M[1] @ (H[1] * acc[0] + n[1])
        + r2 @ (H[2] * acc[1] + n[2] + f32.T @ (H[3] * acc[2] + n[3]))
        + f21 @ b[1]
        + b[2]
    )
    weightless = replace(model, gravity=np.zeros(3))
    assert_near(tau, alg.inverse_dynamics(weightless, c.q, c.v, c.a)[1])


# section 4


def test_eqs40_41_equations_of_motion(c):
    """ν̇ of the standard form's acceleration is ε − C."""
    o = c.o
    nu_dot = c.rates.m.T @ c.joints(c.v) + o.m.T @ c.joints(c.a)
    tau = c.mass_matrix @ c.joints(c.a) + c.coriolis
    assert_near(c.rates.C_nu, inv(o.m) @ tau - nu_dot, 1e-10)
    assert_near(c.nu @ c.rates.C_nu, 0.0, 1e-13 * np.linalg.norm(c.nu) * np.linalg.norm(c.rates.C_nu))


def test_eqs42_47_coriolis_forces(paper):
    o, r, V = paper.o, paper.rates, paper.o.V
    lam, Od, P, scale = r.lambda_dot, r.Omega_delta, o.P, inv(o.root_D)

    def eq42(bracket, body=0.0):
        inner = bracket - Od @ P - P @ Od + body
        return scale @ o.H @ o.psi @ inner @ o.psi.T @ o.H.T @ scale / 2

    body, right = 2 * r.V_cross @ o.M, o.epsilon_psi @ lam - lam @ o.epsilon_psi.T
    assert_near(eq42(right, body) @ paper.nu, r.C_nu)
    assert differs(eq42(commutator(o.epsilon_psi, lam), body) @ paper.nu, r.C_nu)
    assert_near(eq42(right), -eq42(right).T)
    assert_near(V @ (right - Od @ P - P @ Od) @ V / 2, 0.0)  # (47)
    printed = commutator(o.epsilon_psi, lam) - lam @ o.epsilon_psi.T - Od @ P - P @ Od
    assert abs(V @ printed @ V / 2) > 0.1


def test_eqs44_to_46_unnormalised(c):
    o, r = c.o, c.rates
    N, dN = o.H @ o.phi @ o.G, r.H @ o.phi @ o.G + o.H @ r.phi @ o.G + o.H @ o.phi @ r.G
    xi_dot = dN.T @ c.joints(c.v) + N.T @ c.joints(c.a)
    kappa = inv(N) @ (c.mass_matrix @ c.joints(c.a) + c.coriolis)
    assert_near(o.D @ xi_dot + r.C_xi, kappa, 1e-10)  # (44) with the dot
    assert_near(r.C_xi, o.root_D @ (r.C_nu + r.root_D.T @ c.xi))  # (46), with the factor's own rate


def test_eqs45_46_as_printed(paper):
    o, r, xi = paper.o, paper.rates, paper.xi
    C = o.H @ o.psi @ (r.lambda_dot @ o.H.T @ xi - (r.Omega_delta @ o.P - r.V_cross @ o.M) @ o.V)
    assert_near(C, r.C_xi)
    own = -o.D @ np.diag(-np.diag(r.D) / 2 * np.diag(o.D) ** -1.5) @ paper.nu
    assert_near(o.root_D @ r.C_nu + own, r.C_xi)
    for rate in (r.P, r.lambda_dot):
        assert_near(own, o.H @ rate @ o.H.T @ xi / 2)


def blocks(case):
    """Ψ(k, k−1), λ̇(k) and so on, link by link; link 0 and N + 1 are nothing."""
    o, r, N = case.o, case.rates, case.o.N
    zero = np.zeros((6, 6))

    def of(X):
        return [zero, *(X[6 * k : 6 * k + 6, 6 * k : 6 * k + 6] for k in range(N)), zero]

    psi = [zero, zero, *o._Delta_psi[:-1], zero]  # psi[k] = Ψ(k, k−1)
    V = [np.zeros(6), *o.V.reshape(N, 6), np.zeros(6)]
    return psi, of(r.Omega_delta), of(o.P), of(o.M), of(r.V_cross), V


def test_recursions_of_the_coriolis_forces(paper):
    """Those below (42) and (45); λ̇(k, k−1) there is λ̇(k−1)."""
    (psi, Od, P, M, Vx, V), o = blocks(paper), paper.o
    lam, y, z = np.zeros((6, 6)), np.zeros(6), np.zeros(6)
    C_nu, C_xi = [], []
    for k in range(1, o.N + 1):
        H, X = o._H[k - 1][0], Od[k] @ P[k]
        before, lam = lam, psi[k] @ lam @ psi[k].T + X + X.T
        y = psi[k] @ y + (2 * Vx[k] @ M[k] - X + X.T) @ V[k]
        y = y + psi[k] @ before @ V[k - 1] - lam @ psi[k + 1].T @ V[k + 1]
        z = psi[k] @ z + lam @ H * paper.xi[k - 1] + (Vx[k] @ M[k] - X) @ V[k]
        C_nu.append(H @ y / 2 / o.root_D[k - 1, k - 1])
        C_xi.append(H @ z)
    assert_near(C_nu, paper.rates.C_nu)
    assert_near(C_xi, paper.rates.C_xi)


def test_sweeps_give_the_operators_forces(c):
    """The library's O(n) recursion, for all joints."""
    back = c.o.coupling.T
    for normalised, expected, velocity in ((True, c.rates.C_nu, c.nu), (False, c.rates.C_xi, c.xi)):
        found = alg.diagonal_coriolis(c.model, c.q, back @ velocity, normalised=normalised)
        assert_near(found, back @ expected)


# section 5


def test_eq48_components(paper):
    """For k > i, with the opposite sign; c_ik = −c_ki. The same for C(θ, ξ), without D^-½, and for its diagonal."""
    (_, Od, P, *_), o, r, N = blocks(paper), paper.o, paper.rates, paper.o.N

    def term(k, i, last):
        psi = o.psi.reshape(N, 6, N, 6)
        return sum(o._H[k][0] @ psi[k, :, m] @ P[m + 1] @ Od[m + 1] @ psi[i, :, m].T @ o._H[i][0] for m in range(last))

    inner = o.epsilon_psi @ r.lambda_dot - r.lambda_dot @ o.epsilon_psi.T
    inner = o.psi @ (inner - r.Omega_delta @ o.P - o.P @ r.Omega_delta) @ o.psi.T
    normalised = o.H @ inner @ o.H.T / 2 / np.sqrt(np.outer(np.diag(o.D), np.diag(o.D)))
    factor = r.lambda_dot @ o.H.T - r.Omega_delta @ o.P @ o.psi.T @ o.H.T
    unnormalised = o.H @ o.psi @ factor
    for k in range(N):
        assert_near(-term(k, k, k + 1), unnormalised[k, k])
        assert_near(unnormalised[k, k], r.D[k, k] / 2)
        for i in range(k):
            c_ki = -term(k, i, i) / np.sqrt(o.D[k, k] * o.D[i, i])
            assert_near(c_ki, normalised[k, i])
            assert_near(-c_ki, normalised[i, k])
            assert_near(-term(k, i, i), unnormalised[k, i])


def test_the_matrix_of_eq45_has_half_the_rate_of_D_for_a_symmetric_part(c):
    """For all joints: why C(θ, ν) does no work, velocity by velocity, without the bodies' own V× M V."""
    o, r = c.o, c.rates
    back = o.P @ o.epsilon_psi.T @ o.psi.T @ o.H.T
    inner = r.P @ o.H.T + o.P @ r.H.T + o.epsilon_phi @ (o.G @ r.H - r.Omega_delta) @ back
    B = o.H @ o.psi @ inner - r.H @ back
    assert_near(B + B.T, r.D)
    assert_near(B @ c.xi + o.H @ o.psi @ o.b, r.C_xi)


def test_eq49_twists(c):
    assert_near(c.o.psi.T @ c.o.H.T @ inv(c.o.root_D).T @ c.nu, c.o.V, 1e-10)


# section 6: the four sweeps


def test_sweeps_of_section_6(c):
    """ν, θ̇ (with the missing transpose), ε, τ, and ξ, κ: what the operators give."""
    o, back, model, q = c.o, c.o.coupling.T, c.model, c.q
    N, L = o.m @ inv(o.root_D), inv(o.m)
    x = c.joints(c.a)
    products = {
        alg.mass_root_product: (o.m, N),
        alg.mass_root_solve: (L, inv(N)),
        alg.mass_root_transposed_product: (o.m.T, N.T),
        alg.mass_root_transposed_solve: (L.T, inv(N).T),
    }
    for function, factors in products.items():
        for normalised, factor in zip((True, False), factors, strict=True):
            assert_near(function(model, q, c.a, normalised=normalised), back @ (factor @ x), 1e-10)


def test_velocity_recursion_as_printed(paper):
    o, theta, V = paper.o, [], np.zeros(6)
    for k in range(o.N, 0, -1):
        H, G = o._H[k - 1][0], o._G[k - 1][:, 0]
        V_plus = o.transport(k + 1, k).T @ V
        theta.append(paper.nu[k - 1] / o.root_D[k - 1, k - 1] - G @ V_plus)
        V = V_plus + H * theta[-1]
    assert_near(theta[::-1], paper.joints(paper.v))
    printed = (np.eye(o.N) - o.H @ o.psi @ o.K) @ inv(o.root_D) @ paper.nu
    assert differs(printed, paper.joints(paper.v))  # without the transpose
