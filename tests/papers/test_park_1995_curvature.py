"""Park, Bobrow and Ploen (1995): (52)-(57), the derivatives of Ad and the Christoffel symbols; (65), (66), curvature.

Joints are numbered 1 … n as in the paper, on chains of revolute, prismatic and helical joints; the library's joint k is
the paper's k + 1. <·, ·>_l is the inertia of link l in the inertial frame at x = 0, (36).
"""

from __future__ import annotations

from functools import reduce
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose

import kinetrace as kt
from kinetrace.algorithms import (
    christoffel,
    christoffel_derivative,
    jacobian,
    mass_matrix,
    mass_matrix_derivative,
    pose,
    riemann,
)
from kinetrace.lie import Ad, ad, inertia, se3
from kinetrace.model import joints, random_chain

STEP = 1e-30
N = 5


def assert_near(actual, expected, tol=1e-11):
    assert_allclose(actual, expected, rtol=0, atol=tol * max(1.0, np.abs(expected).max()))


def differs(printed, right):
    """By more than a tenth of its size."""
    return np.abs(np.subtract(printed, right)).max() > 0.1 * np.abs(right).max()


class Chain:
    """Screws A_1 … A_n, inertias D_1 … D_n in the inertial frame, and the state x; index 0 is not used."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        kinds = [joints.Revolute, joints.Helical, joints.Prismatic, joints.Revolute, joints.Revolute]
        made = [kind(rng.normal(size=3), 0.3) if kind is joints.Helical else kind(rng.normal(size=3)) for kind in kinds]
        self.model = random_chain(N, seed, made).build()
        self.x, self.B = rng.uniform(-2, 2, N), rng.normal(size=6)
        home = [pose(self.model, np.zeros(N), frame=body.name) for body in self.model.bodies]
        bodies = list(zip(home, self.model.bodies, strict=True))
        self.A = [None, *(Ad(X, body.subspace(np.zeros(1))[:, 0]) for X, body in bodies)]
        self.D = [None, *(inertia.change_frame(X, body.J) for X, body in bodies)]

    def Ad(self, i, j, B, x=None):
        """Ad_j^i(B), (37): the identity if there is no joint from i to j."""
        x = self.x if x is None else x
        path = reduce(np.matmul, (se3.exp(self.A[k] * x[k - 1]) for k in range(i, j + 1)), np.eye(4))
        return Ad(np.linalg.inv(path), B)

    def inner(self, link, U, W):
        """<U, W>_l."""
        return U @ self.D[link] @ W

    def along(self, k, h=STEP):
        """x moved along joint k by an imaginary step."""
        return self.x + 1j * h * np.eye(N)[k - 1]


@pytest.fixture(params=range(3))
def chain(request):
    return Chain(request.param)


def first(c, i, j, k, B, x=None):
    """The right side of (53)."""
    return c.Ad(k, j, ad(c.Ad(i, k - 1, B, x), c.A[k]), x) if i <= k <= j else np.zeros(6)


def second(c, i, j, k, m, B):
    """The first line of (54), with m for its l."""
    return c.Ad(m, j, ad(c.Ad(k, m - 1, ad(c.Ad(i, k - 1, B), c.A[k])), c.A[m]))


PAIRS = [(i, j) for i in range(1, N + 1) for j in range(i, N + 1)]
JOINTS = range(1, N + 1)


def test_park1995_eq53_proposition_1_derivative_of_Ad(chain):
    for i, j in PAIRS:
        for k in JOINTS:
            by_step = chain.Ad(i, j, chain.B, chain.along(k)).imag / STEP
            assert_near(first(chain, i, j, k, chain.B), by_step)


def test_park1995_eq54_proposition_2_with_its_cases_exchanged(chain):
    """The line printed for i <= l <= k <= j is that of i <= k <= l <= j, and the other way round."""
    wrong = 0
    for i, j in PAIRS:
        for k, m in product(JOINTS, JOINTS):
            by_step = first(chain, i, j, k, chain.B, chain.along(m)).imag / STEP
            low, high = min(k, m), max(k, m)
            if i <= low and high <= j:
                assert_near(second(chain, i, j, low, high, chain.B), by_step)
                wrong += low < high and differs(second(chain, i, j, high, low, chain.B), by_step)
            else:
                assert_near(by_step, np.zeros(6))
    assert wrong > 10


def symbol(c, i, j, k):
    """(55)-(57), for i <= j."""

    def term(s, t, other, link):
        """<Ad_l^t([Ad_{t-1}^{s+1}(A_s), A_t]), Ad_l^{other+1}(A_other)>_l."""
        bracket = ad(c.Ad(s + 1, t - 1, c.A[s]), c.A[t])
        return c.inner(link, c.Ad(t, link, bracket), c.Ad(other + 1, link, c.A[other]))

    if k <= i:  # (55)
        return sum(term(k, i, j, m) + term(k, j, i, m) + term(i, j, k, m) for m in range(j, N + 1)) / 2
    if k <= j:  # (56)
        return sum(term(k, j, i, m) + term(i, j, k, m) - term(i, k, j, m) for m in range(j, N + 1)) / 2
    return sum(term(i, j, k, m) - term(i, k, j, m) - term(j, k, i, m) for m in range(k, N + 1)) / 2  # (57)


def test_park1995_eq52_and_eq55_to_57_christoffel_symbols(chain):
    M_x = mass_matrix_derivative(chain.model, chain.x)
    by_step = np.stack([mass_matrix(chain.model, chain.along(k)).imag / STEP for k in JOINTS], axis=-1)
    assert_near(M_x, by_step)
    Gamma = (np.einsum("kji->ijk", M_x) + np.einsum("kij->ijk", M_x) - M_x) / 2  # (52)
    assert_near(christoffel(chain.model, chain.x), Gamma)
    assert_near(Gamma, Gamma.swapaxes(0, 1))
    printed = [symbol(chain, i, j, k) for i, j in PAIRS for k in JOINTS]
    assert_near(printed, [Gamma[i - 1, j - 1, k - 1] for i, j in PAIRS for k in JOINTS])


def test_park1995_eq65_the_mass_matrix_is_pulled_back(chain):
    """f = (f_1, …, f_n): its Jacobian J gives M = Jᵀ G J, with G the inertias of the links."""
    links = [(body, jacobian(chain.model, chain.x, frame=body.name)) for body in chain.model.bodies]
    J = np.concatenate([J for _, J in links])
    G = np.zeros((6 * N, 6 * N))
    for i, (body, _) in enumerate(links):
        G[6 * i : 6 * i + 6, 6 * i : 6 * i + 6] = body.J
    assert_near(J.T @ G @ J, mass_matrix(chain.model, chain.x))


def test_park1995_eq66_curvature(chain):
    """As printed, with the derivatives of the symbols; the library computes it without them."""
    Gamma, raised = (christoffel(chain.model, chain.x, kind=kind) for kind in (1, 2))
    m_inv = np.linalg.inv(mass_matrix(chain.model, chain.x))
    assert_near(raised, np.einsum("kh,ijh->ijk", m_inv, Gamma))
    d = christoffel_derivative(chain.model, chain.x)
    assert_near(d, np.stack([christoffel(chain.model, chain.along(k)).imag / STEP for k in JOINTS], axis=-1))
    R = np.einsum("jlik->ijkl", d) - np.einsum("jkil->ijkl", d)
    R = R + np.einsum("ilr,jkr->ijkl", Gamma, raised) - np.einsum("ikr,jlr->ijkl", Gamma, raised)  # (66)
    assert_near(riemann(chain.model, chain.x), R)
    assert_near(kt.Robot(chain.model).riemann(chain.x), R)
