"""Park, Bobrow and Ploen (1995), sections 2.4 and 3, each equation written out beside what the library computes.

Where the print is wrong, the test also shows that the printed form gives other numbers.
"""

from __future__ import annotations

from functools import reduce

import numpy as np
import pytest
from numpy.testing import assert_allclose

import kinetrace as kt
from kinetrace.lie import Ad, Ad_matrix, ad, ad_dual, inertia, se3, so3
from kinetrace.model.zoo.random import random_inertia, random_rotation

n = 5
inv = np.linalg.inv


def product(matrices):
    return reduce(np.matmul, matrices)


def assert_near(actual, expected):
    assert_allclose(actual, expected, rtol=0, atol=1e-12 * max(1.0, np.abs(expected).max()))


def differs(printed, right):
    """By more than a tenth of its size."""
    return np.abs(np.subtract(printed, right)).max() > 0.1 * np.abs(right).max()


def random_screw(rng, kind):
    w, p, h = rng.normal(size=3), rng.normal(size=3), rng.uniform(-0.3, 0.3)
    w = w / np.linalg.norm(w)
    if kind == "P":
        return np.concatenate([np.zeros(3), w])
    return np.concatenate([w, np.cross(p, w) + (h * w if kind == "H" else 0)])


@pytest.fixture(params=range(3))
def rng(request):
    return np.random.default_rng(1995 + request.param)


@pytest.fixture
def chain(rng):
    """P_i and M_i of (12): revolute, prismatic and helical joints."""
    P = np.stack([random_screw(rng, kind) for kind in "RHPRR"])
    M = np.stack([se3.pose(random_rotation(rng), rng.uniform(-0.5, 0.5, 3)) for _ in range(n)])
    return P, M


@pytest.fixture
def x(rng):
    return rng.uniform(-2, 2, n)


@pytest.fixture
def xdot(rng):
    return rng.normal(size=n)


def space_screws(P, M):
    """A_i of (13)."""
    before = [product([np.eye(4), *M[:i]]) for i in range(n)]
    return np.stack([Ad(X, p) for X, p in zip(before, P, strict=True)])


def test_park1995_eq12_to_14_three_products_of_exponentials(chain, x):
    P, M_i = chain
    M, A = product(M_i), space_screws(P, M_i)
    B = Ad(inv(M), A)
    f12 = product([se3.exp(p * t) @ X for p, t, X in zip(P, x, M_i, strict=True)])
    f13 = product([*(se3.exp(a * t) for a, t in zip(A, x, strict=True)), M])
    f14 = product([M, *(se3.exp(b * t) for b, t in zip(B, x, strict=True))])
    assert_near(f13, f12)
    assert_near(f14, f12)
    for screws, home, form in ((P, M_i, "link"), (A, M, "space"), (B, M, "body")):
        robot = kt.from_screws(screws, home, form=form, check="ignore")
        assert_near(kt.algorithms.pose(robot.model, x, frame="tip"), f12)


def test_park1995_eq15_to_17_exponential(rng):
    w, v, phi = rng.normal(size=3), rng.normal(size=3), rng.uniform(-3, 3)
    w = w / np.linalg.norm(w)
    W, one = so3.hat(w), np.eye(3)
    X = se3.exp(np.concatenate([w, v]) * phi)
    assert_near(X[:3, :3], one + np.sin(phi) * W + (1 - np.cos(phi)) * W @ W)  # (16)
    assert_near(X[:3, 3], (phi * one + (1 - np.cos(phi)) * W + (phi - np.sin(phi)) * W @ W) @ v)  # (17)


def test_park1995_eq18_to_20_body_jacobian(chain, x, xdot):
    P, M_i = chain
    M, A = product(M_i), space_screws(P, M_i)
    B = Ad(inv(M), A)
    robot = kt.from_screws(A, M, check="ignore")
    V = kt.algorithms.velocity(robot.model, x, xdot, frame="tip")

    def carried(screws):
        """Σ e^{-S_n x_n} … e^{-S_{i+1} x_{i+1}} S_i (…)^-1 ẋ_i, as 4 × 4 matrices."""
        total, later = np.zeros((4, 4)), np.eye(4)
        for s, t, rate in zip(screws[::-1], x[::-1], xdot[::-1], strict=True):
            total = total + later @ se3.hat(s) @ inv(later) * rate
            later = later @ se3.exp(-s * t)
        return total

    assert_near(se3.vee(carried(B)), V)  # (18)
    assert_near(se3.vee(inv(M) @ carried(A) @ M), V)  # (19)
    assert_near(Ad(inv(M), se3.vee(carried(A))), V)  # (20)
    assert_near(kt.algorithms.jacobian(robot.model, x, frame="tip") @ xdot, V)


def test_park1995_eq21_inertia_is_that_of_its_points(rng):
    """½ Vᵀ J V is the sum of ½ m |v + ω × r|², and J has the printed blocks."""
    masses, r = rng.uniform(0.1, 1, 20), rng.normal(size=(20, 3))
    w, v = rng.normal(size=(2, 3))
    m, c = masses.sum(), masses @ r / masses.sum()
    I = sum(-mk * so3.hat(rk - c) @ so3.hat(rk - c) for mk, rk in zip(masses, r, strict=True))
    H = so3.hat(c)
    J = np.block([[I - m * H @ H, m * H], [-m * H, m * np.eye(3)]])  # (21)
    energy = masses @ ((v + np.cross(w, r)) ** 2).sum(axis=1) / 2
    V = np.concatenate([w, v])
    assert_near(V @ J @ V / 2, energy)
    assert_near(inertia.from_mass_com(m, c, I), J)
    assert_near(J, J.T)
    assert np.linalg.eigvalsh(J).min() > 0


def dual(X):
    """The matrix of Ad*_X, (11)."""
    return Ad_matrix(X).T


def recursion(M, S, J, x, xdot, xddot, printed=False):
    """(22)-(27); as printed, Ad_{f_{i-1,i}} stands where the inverse of f_{i-1,i} is meant."""
    f = [X @ se3.exp(s * t) for X, s, t in zip(M, S, x, strict=True)]  # (23)
    back = f if printed else [inv(X) for X in f]
    V, dV, velocities, accelerations = np.zeros(6), np.zeros(6), [], []  # (22)
    for i in range(n):
        carried = Ad(back[i], V)
        V = carried + S[i] * xdot[i]  # (24)
        dV = S[i] * xddot[i] + Ad(back[i], dV) + ad(carried, S[i] * xdot[i])  # (25)
        velocities.append(V)
        accelerations.append(dV)
    F, tau = np.zeros(6), np.zeros(n)  # (22)
    for i in reversed(range(n)):
        passed = dual(back[i + 1]) @ F if i + 1 < n else F
        F = passed + J[i] @ accelerations[i] - ad_dual(velocities[i], J[i] @ velocities[i])  # (26)
        tau[i] = S[i] @ F  # (27)
    return tau


def test_park1995_eq22_to_27_recursion_and_its_missing_inverses(chain, x, xdot, rng):
    """The link frames are at the joints: f_{i-1,i} = M_i exp(S_i x_i)."""
    S, M = chain
    J = [random_inertia(rng) for _ in range(n)]
    xddot = rng.normal(size=n)
    # (12) with its placements shifted by one is this chain: 1 exp(0) M_1 · exp(S_1 x_1) M_2 · … · exp(S_n x_n).
    builder = kt.Builder("park")
    for i in range(n):
        joint, point = kt.model.files.load.serial_arms._joint(S[i])
        before, after = se3.pose(np.eye(3), point), se3.pose(np.eye(3), -point)
        builder.link(f"link{i + 1}", J[i])
        builder.joint(
            f"joint{i + 1}",
            joint,
            parent=f"link{i}",
            child=f"link{i + 1}",
            placement=M[i] @ before,
            child_placement=after,
        )
    tau = kt.algorithms.inverse_dynamics(builder.build(gravity=(0, 0, 0)), x, xdot, xddot)
    assert_near(recursion(M, S, J, x, xdot, xddot), tau)
    assert differs(recursion(M, S, J, x, xdot, xddot, printed=True), tau)


def test_park1995_eq67_to_73_acceleration_of_a_link(chain, x, xdot, rng):
    """(73) prints V_i where the derivation above it, and (25), have V_{i−1}."""
    S, M = chain
    xddot, h = rng.normal(size=n), 1e-40

    def twists(x, xdot):
        V, found = np.zeros(6), []
        for X, s, q, v in zip(M, S, x, xdot, strict=True):
            V = Ad(se3.inverse(X @ se3.exp(s * q)), V) + s * v  # (70)
            found.append(V)
        return found

    V = twists(x, xdot)
    dV = [W.imag / h for W in twists(x + 1j * h * xdot, xdot + 1j * h * xddot)]
    for i in range(1, n):
        back = inv(M[i] @ se3.exp(S[i] * x[i]))
        here = Ad(back, dV[i - 1]) + S[i] * xddot[i]
        assert_near(here + ad(Ad(back, V[i - 1]), S[i] * xdot[i]), dV[i])
        assert differs(ad(Ad(back, V[i]), S[i] * xdot[i]), ad(Ad(back, V[i - 1]), S[i] * xdot[i]))  # as printed


def test_park1995_eq74_to_83_equations_of_motion_of_a_link():
    """The sign of m [ω][r]² ω in (83), and the sentence after it."""
    m, I = 2.0, np.diag([0.3, 0.4, 0.5]) + 0.05
    r, w, v, dw, dv = np.array(
        [[0.3, -0.2, 0.5], [1.0, 2.0, -1.0], [0.4, 0.0, -0.7], [2.0, -1.0, 0.5], [1.0, 0.3, 0.2]]
    )
    R, W, V, dW = map(so3.hat, (r, w, v, dw))
    force = m * (dv + W @ v + dW @ r + W @ W @ r)  # (78), (81)
    moment = I @ dw + W @ I @ w + R @ force  # (75), (79)
    J, twist = inertia.from_mass_com(m, r, I), np.concatenate([w, v])
    F = J @ np.concatenate([dw, dv]) - ad_dual(twist, J @ twist)  # (26), without the link beyond
    assert_near(F, np.concatenate([moment, force]))
    terms = I @ dw - m * R @ R @ dw + m * R @ dv + W @ I @ w + m * W @ R @ v + m * V @ W @ r  # (82), (83) but for one
    assert_near(terms - m * W @ R @ R @ w, moment)
    assert differs(terms + m * W @ R @ R @ w, moment)  # as printed
    assert_near(-m * R @ R @ dw, m * R @ dW @ r)  # after (83): the second term
    assert differs(-m * R @ R @ dw, m * R @ W @ W @ r)  # as the sentence has it
    assert_near(-m * W @ R @ R @ w, m * R @ W @ W @ r)  # which is what the fifth term is
    assert_near(m * W @ R @ v + m * V @ W @ r, m * R @ W @ v)  # "the last two terms", as it says


def test_park1995_before_eq80_which_dual_carries_a_wrench_inward(rng):
    """A wrench at a link, seen from the link before: Ad* of f_{i+1,i}, as (80), not of f_{i,i+1}, as the sentence."""
    f, F = se3.pose(random_rotation(rng), rng.normal(size=3)), rng.normal(size=6)
    turn, shift = se3.rotation(f), se3.translation(f)
    about = np.concatenate([turn @ F[:3] + np.cross(shift, turn @ F[3:]), turn @ F[3:]])
    assert_near(dual(se3.inverse(f)) @ F, about)
    assert differs(dual(f) @ F, about)
