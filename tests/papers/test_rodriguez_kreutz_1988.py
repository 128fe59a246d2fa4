"""Rodriguez and Kreutz (1988), part I: sections 2 to 5 and appendices A and B.

Section 2 is in inertial axes, as in the report. From section 3 on, the operators are the library's, in body frames, on
chains, trees and free bases with every kind of joint. Links count from the tips; θ̇ = coupling · v.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import kinetrace as kt
from kinetrace.algorithms import acceleration, inverse_dynamics, jacobian, pose, velocity
from kinetrace.lie import inertia, so3
from kinetrace.model import Model, random_chain, random_tree
from kinetrace.model import joints as j
from kinetrace.model.zoo.random import random_inertia, random_pose
from kinetrace.operators import spatial_operators

inv = np.linalg.inv
cross = np.cross


def assert_near(actual, expected, tol=1e-11):
    assert_allclose(actual, expected, rtol=0, atol=tol * max(1.0, np.abs(expected).max(initial=0)))


def differs(printed, right):
    """By more than a tenth of its size."""
    return np.abs(np.subtract(printed, right)).max() > 0.1 * np.abs(right).max()


def without_mimics(model):
    return replace(model, bodies=tuple(replace(body, mimic=None) for body in model.bodies))


def mass_matrix(model, q):
    """Its columns: inverse dynamics of unit accelerations, without gravity."""
    weightless, rest = replace(model, gravity=np.zeros(3)), np.zeros(model.nv)
    return np.stack([inverse_dynamics(weightless, q, rest, a) for a in np.eye(model.nv)], axis=1)


# section 2, in inertial axes

N = 5


@dataclass(frozen=True, eq=False)
class Arm:
    """A chain with its points O(k) on the joint axes, vectors in inertial axes. Link 0 is the tip, N + 1 the base."""

    model: Model
    q: Any
    v: Any
    a: Any

    def name(self, k):
        return "tip" if k == 0 else f"link{N + 1 - k}"

    def of(self, function, k, *state):
        return function(self.model, self.q, *state, frame=self.name(k), expressed_in="aligned")

    def pose(self, k):
        return pose(self.model, self.q, frame=self.name(k))

    def O(self, k):  # noqa: E743
        return self.pose(k)[:3, 3]

    def ell(self, i, k):
        return self.O(k) - self.O(i)

    def joint(self, k):
        return self.model.bodies[N - k].joint

    def sliding(self, k):
        return isinstance(self.joint(k), j.Prismatic)

    def h(self, k):
        return self.pose(k)[:3, :3] @ self.joint(k).axis

    def rate(self, k):
        return self.v[N - k]

    def rate2(self, k):
        return self.a[N - k]

    @cached_property
    def V(self):
        """(ω, v) of points 0 … N + 1."""
        return [self.of(velocity, k, self.v) for k in range(N + 2)]

    @cached_property
    def alpha(self):
        """(ω̇, v̇), the ordinary accelerations, of points 0 … N + 1."""
        return [self.of(acceleration, k, self.v, self.a) for k in range(N + 2)]

    def mass_properties(self, k):
        """m, p and the inertia tensors at the mass centre and at O(k)."""
        J, R = self.model.bodies[N - k].J, self.pose(k)[:3, :3]
        m, p, I = inertia.mass(J), R @ inertia.center_of_mass(J), R @ J[:3, :3] @ R.T
        return m, p, I + m * so3.hat(p) @ so3.hat(p), I

    def phi(self, i, k):
        """(2.16), (3.1)."""
        return np.block([[np.eye(3), so3.hat(self.ell(i, k))], [np.zeros((3, 3)), np.eye(3)]])

    def H(self, k):
        """(2.16), (2.31)."""
        zero = np.zeros(3)
        return np.concatenate([zero, self.h(k)] if self.sliding(k) else [self.h(k), zero])

    def bias_acceleration(self, k, factor=2.0):
        """(2.19), (2.32): `factor` is that of h θ̇ in the latter."""
        w = self.V[k + 1][:3]
        turned = cross(w, cross(w, self.ell(k + 1, k)))
        if self.sliding(k):
            return np.concatenate([np.zeros(3), turned + factor * cross(w, self.h(k) * self.rate(k))])
        return np.concatenate([cross(w, self.h(k) * self.rate(k)), turned])

    def M(self, k):
        """(2.15)."""
        m, p, _, I = self.mass_properties(k)
        return np.block([[I, m * so3.hat(p)], [-m * so3.hat(p), m * np.eye(3)]])

    def bias_force(self, k):
        """(2.23)."""
        m, p, _, I = self.mass_properties(k)
        w = self.V[k][:3]
        return np.concatenate([cross(w, I @ w), m * cross(w, cross(w, p))])

    def torques(self, f_0, alpha_base):
        """T(k) of the library, tip → base, for the tip's force f_0 on the environment."""
        R = self.pose(0)[:3, :3]
        wrench = {"tip": -np.concatenate([R.T @ f_0[:3], R.T @ f_0[3:]])}
        model = replace(self.model, gravity=-alpha_base)
        return inverse_dynamics(model, self.q, self.v, self.a, wrench=wrench)[::-1]


@pytest.fixture(params=range(3))
def arm(request):
    rng = np.random.default_rng(1988 + request.param)
    builder = kt.Builder("arm")
    builder.link("link0")
    for i in range(1, N + 1):
        axis = rng.normal(size=3)
        joint = j.Prismatic(axis) if i == 1 + request.param else j.Revolute(axis)
        builder.link(f"link{i}", random_inertia(rng))
        builder.joint(f"joint{i}", joint, parent=f"link{i - 1}", child=f"link{i}", placement=random_pose(rng))
    builder.frame("tip", f"link{N}", random_pose(rng))
    return Arm(builder.build(), *rng.normal(size=(3, N)))


def test_rodriguez1988_eq2_1_to_2_7_velocities_and_accelerations_of_turning_joints(arm):
    for k in range(N, 0, -1):
        (w, v), (dw, dv) = np.split(arm.V[k], 2), np.split(arm.alpha[k], 2)
        (w_1, v_1), (dw_1, dv_1) = np.split(arm.V[k + 1], 2), np.split(arm.alpha[k + 1], 2)
        h, ell = arm.h(k), arm.ell(k + 1, k)
        if not arm.sliding(k):
            assert_near(w, w_1 + h * arm.rate(k))  # (2.2)
            assert_near(v, v_1 + cross(w_1, ell))  # (2.3)
            assert_near(dw, dw_1 + h * arm.rate2(k) + cross(w_1, h * arm.rate(k)))  # (2.4)
            assert_near(dv, dv_1 + cross(dw_1, ell) + cross(w_1, cross(w_1, ell)))  # (2.5)
    (w, v), (dw, dv), ell = np.split(arm.V[1], 2), np.split(arm.alpha[1], 2), arm.ell(1, 0)
    assert_near(arm.V[0], np.concatenate([w, v + cross(w, ell)]))  # (2.7)
    assert_near(arm.alpha[0], np.concatenate([dw, dv + cross(dw, ell) + cross(w, cross(w, ell))]))


def test_rodriguez1988_eq2_6_to_2_13_newton_euler(arm):
    """The base accelerates upward by g, (2.1); f(0) is what the tip exerts on the environment."""
    g, f_0 = np.array([0.0, 0.0, 9.8]), np.linspace(-2, 3, 6)
    expected = arm.torques(f_0, g)
    Nm, F = np.split(f_0, 2)  # (2.8)
    for k in range(1, N + 1):
        m, p, I_c, _ = arm.mass_properties(k)
        w, (dw, dv) = arm.V[k][:3], np.split(arm.alpha[k], 2)
        dv_c = dv + g + cross(dw, p) + cross(w, cross(w, p))  # (2.6)
        N_c, F_c = I_c @ dw + cross(w, I_c @ w), m * dv_c  # (2.9), (2.10)
        F, Nm = F + F_c, Nm + cross(arm.ell(k, k - 1), F) + cross(p, F_c) + N_c  # (2.11), (2.12)
        assert_near(arm.h(k) @ (F if arm.sliding(k) else Nm), expected[k - 1])  # (2.13)


def test_rodriguez1988_eq2_14_to_2_19_spatial_kinematics(arm):
    for k in range(1, N + 1):
        assert_near(arm.V[k], arm.phi(k + 1, k).T @ arm.V[k + 1] + arm.H(k) * arm.rate(k))  # (2.17), (2.25)
        alpha = arm.phi(k + 1, k).T @ arm.alpha[k + 1] + arm.H(k) * arm.rate2(k) + arm.bias_acceleration(k)
        assert_near(arm.alpha[k], alpha)  # (2.18), (2.26)
        w, w_1 = arm.V[k][:3], arm.V[k + 1][:3]
        assert_near(cross(w_1, w), arm.bias_acceleration(k)[:3])  # the second form of (2.19)
    w, ell = arm.V[1][:3], arm.ell(1, 0)
    a_0 = np.concatenate([np.zeros(3), cross(w, cross(w, ell))])
    assert_near(arm.V[0], arm.phi(1, 0).T @ arm.V[1])  # (2.27)
    assert_near(arm.alpha[0], arm.phi(1, 0).T @ arm.alpha[1] + a_0)


def test_rodriguez1988_eq2_32_lacks_the_two_of_coriolis():
    """A bead on a rod that turns at 3 rad/s, sliding at 2 m/s: the Coriolis acceleration is 2 · 3 · 2, printed half."""
    builder = kt.Builder("rod")
    builder.link("link0")
    for i, joint in ((1, j.Revolute((0, 0, 1))), (2, j.Prismatic((1, 0, 0)))):
        builder.link(f"link{i}", inertia.from_mass_com(1.0, np.zeros(3), np.eye(3)))
        builder.joint(f"joint{i}", joint, parent=f"link{i - 1}", child=f"link{i}")
    model = builder.build()
    q, v, a = np.array([0.0, 1.0]), np.array([3.0, 2.0]), np.zeros(2)
    bead = acceleration(model, q, v, a, frame="link2", expressed_in="aligned")
    assert_near(bead, np.array([0, 0, 0, -9.0, 12.0, 0]))  # printed (2.32): (-9, 6, 0)


def test_rodriguez1988_eq2_31_to_2_32_sliding_joints(arm):
    for k in range(2, N):
        if arm.sliding(k):
            without = arm.alpha[k] - arm.phi(k + 1, k).T @ arm.alpha[k + 1] - arm.H(k) * arm.rate2(k)
            assert_near(arm.bias_acceleration(k), without)
            assert differs(arm.bias_acceleration(k, factor=1.0), without)


def test_rodriguez1988_eq2_20_to_2_30_spatial_forces(arm):
    f_0, zero = np.linspace(-2, 3, 6), np.zeros(3)
    expected, f = arm.torques(f_0, zero), f_0  # (2.28)
    for k in range(1, N + 1):
        m, p, I_c, I = arm.mass_properties(k)
        w, alpha = arm.V[k][:3], arm.alpha[k]
        about_centre = np.block([[I_c, np.zeros((3, 3))], [-m * so3.hat(p), m * np.eye(3)]])
        own = about_centre @ alpha + np.concatenate([cross(w, I_c @ w), m * cross(w, cross(w, p))])  # (2.21)
        shift = np.block([[np.eye(3), so3.hat(p)], [np.zeros((3, 3)), np.eye(3)]])
        f_20 = arm.phi(k, k - 1) @ f + shift @ own  # (2.20)
        assert_near(cross(w, I_c @ w) + m * cross(p, cross(w, cross(w, p))), cross(w, I @ w))  # before (2.24)
        f = arm.phi(k, k - 1) @ f + arm.M(k) @ alpha + arm.bias_force(k)  # (2.22), (2.29)
        assert_near(f, f_20)
        assert_near(arm.H(k) @ f, expected[k - 1])  # (2.30)


def test_rodriguez1988_eq3_1_to_3_20_in_inertial_axes(arm):
    """The operators of section 3 as the report has them: shifts of the point of reference, no rotations."""
    links, f_0 = range(1, N + 1), np.linspace(-2, 3, 6)
    phi = np.block([[arm.phi(i, k) if i >= k else np.zeros((6, 6)) for k in links] for i in links])  # (3.4)
    H, M = np.zeros((N, 6 * N)), np.zeros((6 * N, 6 * N))
    for k in links:
        here = slice(6 * k - 6, 6 * k)
        H[k - 1, here], M[here, here] = arm.H(k), arm.M(k)  # (3.5), (3.6)
    B = np.vstack([arm.phi(1, 0), np.zeros((6 * N - 6, 6))])  # (3.7)
    rate, rate2 = arm.v[::-1], arm.a[::-1]
    V, alpha = np.concatenate(arm.V[1:-1]), np.concatenate(arm.alpha[1:-1])
    a = np.concatenate([arm.bias_acceleration(k) for k in links])
    b = np.concatenate([arm.bias_force(k) for k in links])
    assert_near(phi.T @ H.T @ rate, V)  # (3.12)
    assert_near(B.T @ phi.T @ H.T @ rate, arm.V[0])  # (3.13)
    assert_near(phi.T @ (H.T @ rate2 + a), alpha)  # (3.15)
    T = H @ phi @ (M @ alpha + b + B @ f_0)  # (3.18)
    assert_near(T, arm.torques(f_0, np.zeros(3)))
    order = np.arange(N)[::-1]
    assert_near(H @ phi @ M @ phi.T @ H.T, mass_matrix(arm.model, arm.q)[np.ix_(order, order)])  # (3.20)
    # Gravity, (3.21): E must be the transpose of what (3.8) prints, or the base would also turn.
    g = np.array([0, 0, 0, 0, 0, 9.8])
    zeros = np.zeros((6 * N - 6, 6))
    weighted = arm.torques(f_0, g[3:])
    right = T + H @ phi @ M @ phi.T @ np.vstack([zeros, arm.phi(N + 1, N).T]) @ g
    printed = T + H @ phi @ M @ phi.T @ np.vstack([zeros, arm.phi(N + 1, N)]) @ g
    assert_near(right, weighted)
    assert differs(printed - T, weighted - T)


# sections 3 to 5 and appendix A: the library's operators


@dataclass(frozen=True, eq=False)
class Case:
    o: Any
    rng: Any

    @property
    def model(self):
        return self.o.model

    @cached_property
    def mass(self):
        """𝓜 in the order of θ, from inverse dynamics."""
        return mass_operator(self.o)

    @cached_property
    def six(self):
        return np.eye(6 * self.o.N)

    @cached_property
    def one(self):
        return np.eye(len(self.o.H))

    @cached_property
    def forward(self):
        """A motion, its torques with gravity and a force at the tip: θ̈, T, a (gravity included), f(0)."""
        o = self.o
        acceleration, f_0 = self.rng.normal(size=self.model.nv), self.rng.normal(size=6)
        tau = inverse_dynamics(self.model, o.q, o.v, acceleration, wrench={"tip": -f_0})
        a = o.a + o.E @ np.concatenate([np.zeros(3), -self.model.gravity])  # (3.21)
        return o.coupling @ acceleration, o.coupling @ tau, a, f_0

    @cached_property
    def bias_free(self):
        """T', (3.22)."""
        o, (_, T, a, f_0) = self.o, self.forward
        return T - o.H @ o.phi @ (o.M @ o.phi.T @ a + o.b + o.B("tip") @ f_0)

    # Sweeps over links k with their parts of six-vectors and of joint vectors.

    def six_of(self, x, k):
        return x[6 * k - 6 : 6 * k]

    @cached_property
    def slices(self):
        ends = np.cumsum([0, *(link.joint.nv for link in self.o.links)])
        return [slice(a, b) for a, b in pairwise(ends)]

    def block(self, A, k):
        """Block k of a block-diagonal operator of six-vectors (6, 6), gains (6, nv_k) or H (nv_k, 6)."""
        joint, six = self.slices[k - 1], slice(6 * k - 6, 6 * k)
        rows = six if len(A) == 6 * self.o.N else joint
        columns = six if A.shape[1] == 6 * self.o.N else joint
        return A[rows, columns]

    def children(self, k):
        return [c for c in range(1, k) if self.o.carrier(c) == k]


def chain(seed):
    axes = np.random.default_rng(seed).normal(size=(6, 3))
    kinds = [j.Prismatic(a) if k == 2 else j.Revolute(a) for k, a in enumerate(axes)]
    return random_chain(6, seed, kinds).build()


MODELS = {
    "chain": chain,
    "tree": lambda seed: without_mimics(random_tree(10 + seed, seed).build()),
    "free": lambda seed: without_mimics(random_tree(9, 10 + seed).build("free")),
}


@cache
def operators(name, seed):
    model, rng = MODELS[name](seed), np.random.default_rng(seed)
    return spatial_operators(model, model.random(rng), rng.normal(size=model.nv))


@cache
def mass_operator(o):
    return o.coupling @ mass_matrix(o.model, o.q) @ o.coupling.T


@pytest.fixture(params=[(name, seed) for name in MODELS for seed in range(2)], ids=str)
def case(request):
    return Case(operators(*request.param), np.random.default_rng(1988))


def test_rodriguez1988_eq3_2_to_3_4_transports(case):
    o = case.o
    for i, k, m in case.rng.integers(1, o.N + 2, size=(10, 3)):
        assert_near(o.transport(i, i), np.eye(6))
        assert_near(inv(o.transport(i, k)), o.transport(k, i))
        assert_near(o.transport(i, k) @ o.transport(k, m), o.transport(i, m))  # (3.2)
    for k in range(1, o.N + 1):
        i, product = k, np.eye(6)
        while (i := o.carrier(i)) <= o.N:
            child = next(c for c in case.children(i) if np.any(o.phi[6 * c - 6 : 6 * c, 6 * k - 6 : 6 * k]))
            product = o.transport(i, child) @ product
            assert_near(o.phi[6 * i - 6 : 6 * i, 6 * k - 6 : 6 * k], product)  # (3.3), (3.4)
    assert_near(o.phi, np.tril(o.phi) + np.triu(o.phi * np.kron(np.eye(o.N), np.ones((6, 6)))) * (1 - np.tri(6 * o.N)))


def test_rodriguez1988_eq3_12_to_3_21_equations_of_motion(case):
    o, (acceleration_, T, a, f_0) = case.o, case.forward
    rate = o.coupling @ o.v
    assert_near(o.phi.T @ o.H.T @ rate, o.V)  # (3.11), (3.12)
    J = o.B("tip").T @ o.phi.T @ o.H.T
    assert_near(J @ o.coupling, jacobian(case.model, o.q, frame="tip"))  # (3.13)
    alpha = o.phi.T @ (o.H.T @ acceleration_ + a)  # (3.14), (3.15)
    f = o.phi @ (o.M @ alpha + o.b + o.B("tip") @ f_0)  # (3.16), (3.17)
    assert_near(o.H @ f, T)  # (3.18), (3.19)
    assert_near(o.H @ o.phi @ o.M @ o.phi.T @ o.H.T, case.mass)  # (3.20)
    C = o.H @ o.phi @ (o.M @ o.phi.T @ a + o.b)
    assert_near(case.mass @ acceleration_ + C + J.T @ f_0, T)
    assert_near(case.mass @ acceleration_, case.bias_free)  # (3.22), (3.23)
    # J̇ θ̇ = Bᵀ φᵀ a + a(0), without gravity; a(0) is zero in body axes
    drift = acceleration(case.model, o.q, o.v, np.zeros(case.model.nv), frame="tip")
    assert_near(o.B("tip").T @ o.phi.T @ o.a, drift)


def test_rodriguez1988_eq3_8_E_is_printed_transposed(case):
    o, g = case.o, np.concatenate([np.zeros(3), -case.model.gravity])
    rest = np.zeros(case.model.nv)
    weight = o.coupling @ inverse_dynamics(case.model, o.q, rest, rest)
    printed = np.vstack([block.T for block in o.E.reshape(o.N, 6, 6)])
    assert_near(o.H @ o.phi @ o.M @ o.phi.T @ o.E @ g, weight)
    assert differs(o.H @ o.phi @ o.M @ o.phi.T @ printed @ g, weight)


def filtered(case, transports, w):
    """z(k) = Σ X(k, k−1) z(k−1) + w(k) over the links that k carries: a causal sweep."""
    z = np.zeros(w.shape)
    for k in range(1, case.o.N + 1):
        received = sum((case.block(transports, c) @ case.six_of(z, c) for c in case.children(k)), 0 * w[:6])
        z[6 * k - 6 : 6 * k] = received + case.six_of(w, k)
    return z


def smoothed(case, transports, w):
    """λ(k) = Xᵀ(k+1, k) λ(k+1) + w(k): an anticausal sweep."""
    o, lam = case.o, np.zeros(w.shape)
    for k in range(o.N, 0, -1):
        up = o.carrier(k)
        received = case.block(transports, k).T @ case.six_of(lam, up) if up <= o.N else 0
        lam[6 * k - 6 : 6 * k] = received + case.six_of(w, k)
    return lam


def test_rodriguez1988_eq4_1_to_4_3_model_of_the_mass_matrix(case):
    """White noise of covariance M through H φ has covariance 𝓜: here with a square root of M as the noise."""
    o = case.o
    W = np.linalg.cholesky(o.M)
    z = filtered(case, o.Delta_phi, W)  # (4.3)
    assert_near(o.phi @ W, z)
    Y = o.H @ z  # (4.1)
    assert_near(Y @ Y.T, case.mass)  # (4.2)


def test_rodriguez1988_eq4_4_to_4_8_riccati_equation():
    """On a chain, in the report's own loop; it must run to k = N, where the print stops at N − 1."""
    o = spatial_operators(chain(3), np.linspace(-1, 1, 6))
    P = np.zeros((6, 6))
    for k in range(1, 7):
        six, h = slice(6 * k - 6, 6 * k), o.H[k - 1, 6 * k - 6 : 6 * k]
        if k > 1:
            phi, h_1, D_1 = o.transport(k, k - 1), o.H[k - 2, 6 * k - 12 : 6 * k - 6], o.D[k - 2, k - 2]
            P = phi @ (P - np.outer(P @ h_1, h_1 @ P) / D_1) @ phi.T  # (4.5)
        P = P + o.M[six, six]
        D = h @ P @ h  # (4.6)
        L = o.transport(k + 1, k) @ P @ h / D
        assert_near(o.P[six, six], P)
        assert_near(o.D[k - 1, k - 1], D)
        assert_near(o.L[six, k - 1], L)
        assert_near(o.G[six, k - 1], P @ h / D)  # (5.12)
        assert_near(o.Delta_psi[six, six], o.transport(k + 1, k) - np.outer(L, h))  # (4.7)
        assert np.linalg.eigvalsh(P).min() > 0 and D > 0
        for i in range(k, 7):
            steps = [o.Delta_psi[6 * m - 6 : 6 * m, 6 * m - 6 : 6 * m] for m in range(i - 1, k - 1, -1)]
            product = np.linalg.multi_dot([np.eye(6), *steps, np.eye(6)])
            assert_near(o.psi[6 * i - 6 : 6 * i, six], product)  # (4.7), (5.1)
            if k > 1:
                assert_near(o.Psi[6 * i - 6 : 6 * i, 6 * k - 12 : 6 * k - 6], product)  # (4.10)
                assert_near(o.Phi[6 * i - 6 : 6 * i, 6 * k - 12 : 6 * k - 6], o.transport(i, k))  # (4.9)
    for A in (o.Phi, o.Psi):
        assert not np.triu(A).any()


def test_rodriguez1988_eq4_11_fact4_1_innovations_factorization(case):
    o = case.o
    factor = case.one + o.H @ o.Phi @ o.L
    assert_near(factor @ o.D @ factor.T, case.mass)
    assert_near(factor, np.tril(factor))
    assert_near(np.diag(factor), np.ones(len(factor)))
    assert np.linalg.eigvalsh(o.D).min() > 0


def test_rodriguez1988_eq4_12_to_4_13_innovations_model(case):
    o = case.o
    eps = case.rng.normal(size=len(o.D))
    y = eps + o.H @ filtered(case, o.Delta_phi, o.S @ o.L @ eps)  # (4.13)
    assert_near((case.one + o.H @ o.Phi @ o.L) @ eps, y)  # (4.12)


def test_rodriguez1988_eq4_14_fact4_2_reciprocal_factors(case):
    o = case.o
    assert_near((case.one + o.H @ o.Phi @ o.L) @ (case.one - o.H @ o.Psi @ o.L), case.one)
    assert_near((case.one - o.H @ o.Psi @ o.L) @ (case.one + o.H @ o.Phi @ o.L), case.one)


def test_rodriguez1988_eq4_15_kalman_filter(case):
    """ẑ(k) is the conditional mean of z(k), given the outputs of the links beyond: y(1) … y(k−1) in a chain."""
    o = case.o
    y = case.rng.normal(size=len(o.D))
    z_hat = filtered(case, o.Delta_psi, o.S @ o.L @ y)  # (4.15)
    assert_near(o.Psi @ o.L @ y, z_hat)
    eps = y - o.H @ z_hat
    assert_near((case.one - o.H @ o.Psi @ o.L) @ y, eps)
    assert_near(filtered(case, o.Delta_phi, o.S @ o.L @ eps), z_hat)  # the state of (4.13)
    covariance = o.phi @ o.M @ o.phi.T
    for k in range(1, o.N + 1):
        before = np.arange(case.slices[k - 1].start)
        Y, mean = case.mass[np.ix_(before, before)], np.zeros(6)
        if len(before):
            mean = (covariance[6 * k - 6 : 6 * k] @ o.H.T)[:, before] @ np.linalg.solve(Y, y[before])
        assert_near(case.six_of(z_hat, k), mean, 1e-10)


def test_rodriguez1988_eq4_16_theorem4_1_inverse_of_the_mass_matrix(case):
    o = case.o
    factor = case.one - o.H @ o.Psi @ o.L
    assert_near(factor.T @ inv(o.D) @ factor @ case.mass, case.one, 1e-10)


def test_rodriguez1988_abstract_prints_Phi_for_Psi():
    o = spatial_operators(chain(0), np.linspace(-1, 1, 6))
    right, printed = (np.eye(6) - o.H @ A @ o.L for A in (o.Psi, o.Phi))
    M = o.H @ o.phi @ o.M @ o.phi.T @ o.H.T
    assert_near(right.T @ inv(o.D) @ right @ M, np.eye(6), 1e-10)
    assert differs(printed.T @ inv(o.D) @ printed @ M, np.eye(6))


def split(case, x):
    return [x[s] for s in case.slices]


def test_rodriguez1988_eq4_17_to_4_22_algorithm_FD1(case):
    """(4.20) takes T' in the residual as well, where the print has T."""
    o, (acceleration_, T, _, _) = case.o, case.forward
    T_free = case.bias_free  # (4.17)
    factor = case.one - o.H @ o.Psi @ o.L
    assert_near(factor.T @ inv(o.D) @ factor @ T_free, acceleration_, 1e-10)  # (4.18)
    z = filtered(case, o.Delta_psi, o.S @ o.L @ T_free)
    nu, as_printed = (np.linalg.solve(o.D, tau - o.H @ z) for tau in (T_free, T))  # (4.20)
    found, wrong = (x - o.L.T @ o.S.T @ smoothed(case, o.Delta_psi, o.H.T @ x) for x in (nu, as_printed))  # (4.22)
    assert_near(found, acceleration_, 1e-10)
    assert differs(wrong, acceleration_)


def test_rodriguez1988_eq5_1_to_5_4_identity5_1(case):
    o = case.o
    assert_near(o.psi @ o.S, o.Psi)  # (5.3)
    assert_near((case.one - o.H @ o.Psi @ o.L) @ o.H @ o.phi, o.H @ o.psi)  # (5.4)


def test_rodriguez1988_eq5_5_to_5_7_and_4_21b_to_4_23_algorithm_FD2(case):
    o, (acceleration_, _, a, _) = case.o, case.forward
    right = o.phi.T @ (o.H.T @ acceleration_ + a)
    nu = inv(o.D) @ (case.one - o.H @ o.Psi @ o.L) @ case.bias_free
    alpha = o.psi.T @ o.H.T @ nu + o.phi.T @ a  # (5.6)
    assert_near(alpha, right, 1e-10)
    lam, zeta = smoothed(case, o.Delta_psi, o.H.T @ nu), smoothed(case, o.Delta_phi, a)  # (4.22b)
    assert_near(lam + zeta, alpha)
    assert_near(nu - o.L.T @ o.S.T @ lam, acceleration_, 1e-10)
    # (5.7), (4.23) with a(0) = 0 in body axes: the tip's acceleration; gravity is in α as an acceleration of the base
    tip = acceleration(case.model, o.q, o.v, o.coupling.T @ acceleration_, frame="tip")
    R = pose(case.model, o.q, frame="tip")[:3, :3]
    lifted = tip - np.concatenate([np.zeros(3), R.T @ case.model.gravity])
    assert_near(o.B("tip").T @ alpha, lifted, 1e-10)


def test_rodriguez1988_eq5_8_to_5_10_algorithm_FD3(case):
    """In the proof's last line the print has the inverse of (I − HΨL) where its transpose is meant."""
    o, (acceleration_, T, a, f_0) = case.o, case.forward
    zeta = o.phi.T @ a  # (5.8)
    eps = T - o.H @ o.psi @ (o.S @ o.L @ T + o.M @ zeta + o.b + o.B("tip") @ f_0)  # (5.9)
    factor = case.one - o.H @ o.Psi @ o.L
    assert_near(factor.T @ inv(o.D) @ eps, acceleration_, 1e-10)  # (5.10)
    assert differs(inv(factor) @ inv(o.D) @ eps, acceleration_)


def test_rodriguez1988_eq5_11_to_5_17_algorithm_FD4(case):
    """V of (5.13) is φᵀ Hᵀ θ̇; with the printed Bᵀ before it, it is the tip's twist alone."""
    o, (acceleration_, T, a, f_0) = case.o, case.forward
    assert_near(o.phi.T @ o.H.T @ o.coupling @ o.v, o.V)  # (5.13)
    assert_near(o.B("tip").T @ o.V, velocity(case.model, o.q, o.v, frame="tip"))
    factor, D_inv, gives_way = case.one - o.H @ o.Psi @ o.L, inv(o.D), case.six - o.G @ o.H
    tip = o.b + o.B("tip") @ f_0
    nu = D_inv @ (factor @ T - o.H @ o.psi_tilde @ o.P @ a - o.H @ o.psi @ tip)  # (5.14)
    found = factor.T @ nu - o.L.T @ o.Psi.T @ gives_way.T @ a - o.G.T @ a  # (5.15)
    assert_near(found, acceleration_, 1e-10)
    received = o.S @ (o.L @ T + o.Delta_psi @ o.P @ a)
    z = filtered(case, o.Delta_psi, received + tip)  # (5.16); z(0) = f(0) enters through B
    assert_near(D_inv @ (T - o.H @ z), nu, 1e-10)
    lam = smoothed(case, o.Delta_psi, o.H.T @ nu + gives_way.T @ a)  # (5.17)
    assert_near(nu - o.L.T @ o.S.T @ lam - o.G.T @ a, found, 1e-10)


def test_rodriguez1988_eq_a1_to_a13_identities_A1(case):
    o = case.o
    assert_near(o.H @ o.P @ o.H.T, o.D)  # (a.1)
    assert_near(o.P @ o.H.T @ inv(o.D), o.G)  # (a.2)
    assert_near(o.phi_tilde + case.six, o.phi)  # (a.3)
    assert_near(o.psi_tilde + case.six, o.psi)  # (5.11)
    assert_near(o.Delta_phi @ (case.six - o.G @ o.H), o.Delta_psi)  # (a.4), (a.5)
    assert_near(o.phi @ o.S, o.Phi)  # (a.6)
    assert_near(o.psi @ o.S, o.Psi)  # (a.7)
    assert_near(o.Psi @ o.Delta_psi, o.psi_tilde)  # (a.8)
    assert_near(o.Phi @ o.Delta_phi, o.phi_tilde)  # (a.9)
    assert_near(inv(o.psi), case.six - o.S @ o.Delta_psi)  # (a.10)
    assert_near(inv(o.phi), case.six - o.S @ o.Delta_phi)  # (a.11)
    assert_near(o.Delta_phi @ o.G, o.L)  # (a.12)
    assert_near(o.phi_tilde @ o.G, o.Phi @ o.L)  # (a.13)


def test_rodriguez1988_eq_a14_to_a18_identities_A2(case):
    o, one = case.o, case.six
    L, H, S, phi, psi, Phi, Psi = o.L, o.H, o.S, o.phi, o.psi, o.Phi, o.Psi
    assert_near(psi @ (one + S @ L @ H @ phi), phi)  # (a.14)
    assert_near((one - Psi @ L @ H) @ phi, psi)  # (a.15)
    assert_near(Psi @ (one + L @ H @ Phi), Phi)  # (a.16)
    assert_near((one - Psi @ L @ H) @ Phi, Psi)  # (a.17)
    assert_near(Psi @ L @ H @ phi, phi - psi)  # (a.18)
    assert_near(psi @ S @ L @ H @ phi, phi - psi)


def test_rodriguez1988_eq_a19_to_a21_and_a29_to_a31_telescoping_sums():
    """On a chain, entry by entry."""
    o = spatial_operators(chain(0), np.linspace(-1, 1, 6))

    def at(A, i, k):
        return A[6 * i - 6 : 6 * i, 6 * k - 6 : 6 * k]

    LH = o.L @ o.H
    for m in range(1, 7):
        for k in range(m + 1, 7):
            steps = range(m, k)
            psi, phi = (lambda i, l: at(o.psi, i, l)), (lambda i, l: at(o.phi, i, l))
            difference = phi(k, m) - psi(k, m)
            assert_near(sum(psi(k, i + 1) @ phi(i + 1, m) - psi(k, i) @ phi(i, m) for i in steps), difference)  # (a.20)
            assert_near(sum(psi(k, i + 1) @ at(LH, i, i) @ phi(i, m) for i in steps), difference)  # (a.21)
            assert_near(
                sum(phi(k, i + 1) @ psi(i + 1, m) - phi(k, i) @ psi(i, m) for i in steps), -difference
            )  # (a.30)
            assert_near(sum(phi(k, i + 1) @ at(LH, i, i) @ psi(i, m) for i in steps), difference)  # (a.31)


def test_rodriguez1988_eq_a22_to_a28_identities_A3(case):
    o, one = case.o, case.six
    L, H, S, phi, psi, Phi, Psi = o.L, o.H, o.S, o.phi, o.psi, o.Phi, o.Psi
    assert_near((one + Phi @ L @ H) @ psi, phi)  # (a.22)
    assert_near(phi @ (one - S @ L @ H @ psi), psi)  # (a.23)
    assert_near((one + Phi @ L @ H) @ Psi, Phi)  # (a.24)
    assert_near(Phi @ (one - L @ H @ Psi), Psi)  # (a.25)
    assert_near(Phi @ L @ H @ psi, Psi @ L @ H @ phi)  # (a.26)
    assert_near(Phi @ L @ H @ Psi, Psi @ L @ H @ Phi)  # (a.27)
    assert_near(phi @ S @ L @ H @ psi, phi - psi)  # (a.28)


def test_rodriguez1988_eq_a32_to_a43_identities_A4(case):
    o, six, one = case.o, case.six, case.one
    L, H, phi, psi, Phi, Psi = o.L, o.H, o.phi, o.psi, o.Phi, o.Psi
    assert_near((one + H @ Phi @ L) @ H @ psi, H @ phi)  # (a.32)
    assert_near((one + H @ Phi @ L) @ H @ Psi, H @ Phi)  # (a.33)
    assert_near(H @ Phi @ (six - L @ H @ Psi), H @ Psi)  # (a.34)
    assert_near((one - H @ Psi @ L) @ H @ phi, H @ psi)  # (a.35)
    assert_near((one - H @ Psi @ L) @ H @ Phi, H @ Psi)  # (a.36)
    assert_near(H @ Psi @ (six + L @ H @ Phi), H @ Phi)  # (a.37)
    assert_near(H @ Phi @ L @ H @ Psi, H @ Psi @ L @ H @ Phi)  # (a.38)
    assert_near(Psi @ L @ (one + H @ Phi @ L), Phi @ L)  # (a.39)
    assert_near((six - Psi @ L @ H) @ Phi @ L, Psi @ L)  # (a.40)
    assert_near(Phi @ L @ (one - H @ Psi @ L), Psi @ L)  # (a.41)
    assert_near((six + Phi @ L @ H) @ Psi @ L, Phi @ L)  # (a.42)
    assert_near(Psi @ L @ H @ Phi @ L, Phi @ L @ H @ Psi @ L)  # (a.43)


def test_rodriguez1988_eq_a44_to_a45_lemma_A1(case):
    """For any two causal operators with the semigroup property: here with gains at random.

    In the sum for r(k) the print has φ and ψ interchanged: that is the transpose, the same only where r is symmetric.
    """
    o = case.o
    gain = o.L + np.where(o.L != 0, case.rng.normal(size=o.L.shape), 0)
    step = o.Delta_phi - gain @ o.H
    psi = inv(case.six - o.S @ step)
    r = np.zeros(o.M.shape)
    for _ in range(o.N):
        r = o.S @ step @ r @ o.Delta_phi.T @ o.S.T + o.M  # (a.44), to its fixed point
    R = psi @ o.M @ o.phi.T
    assert_near(r + (psi - case.six) @ r + r @ o.phi_tilde.T, R)  # (a.45)
    diagonal = np.kron(np.eye(o.N), np.ones((6, 6)))
    assert_near(R * diagonal, r)
    assert_near((o.phi @ o.M @ psi.T) * diagonal, r.T)
    assert differs(r.T, r)
    r = np.zeros(o.M.shape)
    for _ in range(o.N):
        r = o.S @ o.Delta_phi @ r @ o.Delta_phi.T @ o.S.T + o.M
    assert_near(r + o.phi_tilde @ r + r @ o.phi_tilde.T, o.phi @ o.M @ o.phi.T)  # Corollary A.1


def test_rodriguez1988_eq_a46_to_a47_identities_A5(case):
    o = case.o
    assert_near(o.P + o.psi_tilde @ o.P + o.P @ o.phi_tilde.T, o.psi @ o.M @ o.phi.T)  # (a.46)
    assert_near(o.P + o.psi_tilde @ o.P + o.P @ o.psi_tilde.T, o.psi @ o.M @ o.psi.T)  # (a.47)
    for other in (o.Delta_phi, o.Delta_psi):
        assert_near(o.S @ o.Delta_psi @ o.P @ other.T @ o.S.T + o.M, o.P)  # the Riccati equation, two ways


def test_rodriguez1988_eq_a48_to_a49_identity_A6(case):
    o = case.o
    gain = o.P @ o.H.T @ inv(o.D) @ o.H @ o.P
    tail = o.phi_tilde @ gain @ o.phi_tilde.T
    assert_near(o.P + o.phi_tilde @ o.P + o.P @ o.phi_tilde.T + tail, o.phi @ o.M @ o.phi.T)  # (a.48)
    Theta = o.S @ o.Delta_phi @ gain @ o.Delta_phi.T @ o.S.T
    assert_near(o.S @ o.Delta_phi @ o.P @ o.Delta_phi.T @ o.S.T + o.M - Theta, o.P)  # (a.49)
    assert_near(o.phi @ Theta @ o.phi.T, tail)


def test_rodriguez1988_eq_a50_to_a51_identity_A7(case):
    o = case.o
    factor, D_inv = (case.one - o.H @ o.Psi @ o.L).T, inv(o.D)
    rest = o.L.T @ o.Psi.T @ (case.six - o.G @ o.H).T + o.G.T
    assert_near(factor @ D_inv @ o.H @ o.P @ (case.six + o.phi_tilde.T), rest)  # (a.51)
    right = factor @ D_inv @ o.H @ o.psi_tilde @ o.P + rest
    assert_near(factor @ D_inv @ o.H @ o.psi @ o.M @ o.phi.T, right)  # (a.50)
    # the proof of FD4 writes φ̃ for ψ̃
    assert differs(factor @ D_inv @ o.H @ o.phi_tilde @ o.P + rest, right)


def test_rodriguez1988_eq_b1_to_b10_mobile_base():
    model = random_chain(5, 4).build("free")
    rng = np.random.default_rng(4)
    q, v, f_0 = model.random(rng), rng.normal(size=model.nv), rng.normal(size=6)
    o = spatial_operators(model, q, v)
    assert (o.N, model.nv, model.nq) == (6, o.N + 5, o.N + 6)
    last = slice(6 * o.N - 6, 6 * o.N)
    assert_near(o.H[-6:, last], np.eye(6))  # (b.2)
    assert_near(o.V[last], (o.coupling @ v)[-6:])
    assert_near(o.a[last], np.zeros(6))  # (b.7): a(N), not α(N), is zero
    dW = o.coupling @ rng.normal(size=model.nv)
    alpha = o.phi.T @ (o.H.T @ dW + o.a)
    assert_near(alpha[last], dW[-6:])  # (b.6)
    assert np.abs(alpha[last]).max() > 0.1
    f = o.phi @ (o.M @ alpha + o.b + o.B("tip") @ f_0)
    T = o.H @ f
    assert_near(T[-6:], f[last])  # (b.8)
    weightless = replace(model, gravity=np.zeros(3))
    tau = inverse_dynamics(weightless, q, v, o.coupling.T @ dW, wrench={"tip": -f_0})
    assert_near(T, o.coupling @ tau)  # (b.1), (b.9)
    factor = np.eye(model.nv) - o.H @ o.Psi @ o.L
    bias = o.H @ o.phi @ (o.M @ o.phi.T @ o.a + o.b + o.B("tip") @ f_0)
    assert_near(factor.T @ inv(o.D) @ factor @ (T - bias), dW, 1e-10)  # (b.10)


def test_rodriguez1988_eq_b3_to_b5_rates_of_the_base_variables():
    """q̇ = Λ(q) ω with Λ (4, 3) of rank three and ω = π(q) q̇, π = 4 Λᵀ: "π⁻¹ = π" cannot be meant, π is not square."""
    rng = np.random.default_rng(5)
    joint = j.Free()
    q, W = joint.random(rng, (np.zeros(7), np.zeros(7))), rng.normal(size=6)
    rate = joint.integrate(q, 1e-30j * W).imag / 1e-30  # by complex step; W is the body twist
    R, (w, x, y, z) = so3.from_quaternion(q[3:]), q[3:]
    omega, ell = R @ W[:3], R @ W[3:]
    Lambda = np.array([[-x, -y, -z], [w, z, -y], [-z, w, x], [y, -x, w]]) / 2  # for ω in the station's axes
    assert_near(Lambda @ omega, rate[3:])  # (b.3)
    assert_near(4 * Lambda.T @ rate[3:], omega)
    assert_near(rate, np.concatenate([ell, Lambda @ omega]))  # (b.4), in the library's order


def test_rodriguez1988_mimic_joints_couple_the_uncoupled_operators():
    for seed in range(3):
        model = random_tree(11, seed).build()
        o = spatial_operators(model, model.random(np.random.default_rng(seed)))
        assert len(o.H) == model.nv + 1
        factor = np.eye(len(o.H)) + o.H @ o.Phi @ o.L
        assert_near(o.coupling.T @ factor @ o.D @ factor.T @ o.coupling, mass_matrix(model, o.q))
    with pytest.raises(kt.InputError, match="numbered"):
        o.transport(0, 1)
