"""Ploen and Park (1999), Table I: their matrices and the spatial operators of Rodriguez et al. agree, renumbered.

The two sides are computed apart. `six` turns the blocks of the one numbering, base → tips, into those of the other,
tips → base; `joint` does so for joint vectors.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from kinetrace.model import random_chain, random_tree
from kinetrace.operators import global_matrices, spatial_operators


@dataclass(frozen=True)
class Both:
    g: Any
    o: Any

    def six(self, A):
        """Rows of six-vectors, renumbered."""
        return A.reshape(self.o.N, 6, -1)[::-1].reshape(A.shape)

    def joint(self, A):
        """Rows of joint variables, renumbered."""
        return self.o.coupling @ A


def tree(n, seed, base="fixed"):
    model = random_tree(n, seed).build(base)
    return replace(model, bodies=tuple(replace(body, mimic=None) for body in model.bodies))


MODELS = {
    "chain": lambda: random_chain(7, 1).build(),
    "tree": lambda: tree(12, 2),
    "free tree": lambda: tree(9, 3, "free"),
}


@pytest.fixture(params=MODELS, scope="module")
def both(request):
    model = MODELS[request.param]()
    q = model.random(np.random.default_rng(0))
    return Both(global_matrices(model, q), spatial_operators(model, q))


ROWS = {
    "G^T = phi": (lambda g: g.G.T, lambda o: o.phi, "six", "six"),
    "Gamma^T = epsilon_phi": (lambda g: g.Gamma.T, lambda o: o.epsilon_phi, "six", "six"),
    "(I - Gamma^T)^-1 = phi": (lambda g: np.linalg.inv(np.eye(len(g.G)) - g.Gamma.T), lambda o: o.phi, "six", "six"),
    "J = M": (lambda g: g.J, lambda o: o.M, "six", "six"),
    "S = H*": (lambda g: g.S, lambda o: o.H.T, "six", "joint"),
    "J_hat = P": (lambda g: g.J_hat, lambda o: o.P, "six", "six"),
    "X^T J_hat X + J = epsilon_psi P epsilon_psi* + M": (
        lambda g: g.X.T @ g.J_hat @ g.X + g.J,
        lambda o: o.epsilon_psi @ o.P @ o.epsilon_psi.T + o.M,
        "six",
        "six",
    ),
    "X^T J_hat X + J = P": (lambda g: g.X.T @ g.J_hat @ g.X + g.J, lambda o: o.P, "six", "six"),
    "Omega = D": (lambda g: g.Omega, lambda o: o.H @ o.P @ o.H.T, "joint", "joint"),
    "Phi^T = G": (lambda g: g.Phi.T, lambda o: o.P @ o.H.T @ np.linalg.inv(o.D), "six", "joint"),
    "Pi = K": (lambda g: g.Pi, lambda o: o.epsilon_phi @ o.G, "six", "joint"),
    "X^T = epsilon_psi": (
        lambda g: g.Gamma.T @ (np.eye(len(g.G)) - g.Phi.T @ g.S.T),
        lambda o: o.epsilon_phi @ (np.eye(6 * o.N) - o.G @ o.H),
        "six",
        "six",
    ),
    "X = epsilon_psi*": (lambda g: g.X, lambda o: o.epsilon_psi.T, "six", "six"),
    "Y = psi": (lambda g: g.Y, lambda o: o.psi, "six", "six"),
    "(I - X^T)^-1 = psi": (lambda g: np.linalg.inv(np.eye(len(g.G)) - g.X.T), lambda o: o.psi, "six", "six"),
    "G^T Pi = Phi L": (lambda g: g.G.T @ g.Pi, lambda o: o.Phi @ o.L, "six", "joint"),
    "Y Pi = Psi L": (lambda g: g.Y @ g.Pi, lambda o: o.Psi @ o.L, "six", "joint"),
}


@pytest.mark.parametrize("row", ROWS)
def test_ploenpark1999_table1(both, row):
    lie_group, spatial, rows, columns = ROWS[row]
    left, right = lie_group(both.g), spatial(both.o)
    n, nv = len(both.g.model.bodies), both.g.model.nv
    assert left.shape == right.shape == tuple({"six": 6 * n, "joint": nv}[kind] for kind in (rows, columns))
    renumbered = getattr(both, columns)(getattr(both, rows)(left).T).T
    assert_allclose(renumbered, right, rtol=0, atol=1e-11 * max(1.0, np.abs(right).max()))


def test_ploenpark1999_table1_definitions_are_the_librarys(both):
    g, o = both.g, both.o
    for left, right in ((o.K, o.epsilon_phi @ o.G), (o.K, o.S @ o.L), (o.D, o.H @ o.P @ o.H.T)):
        assert_allclose(left, right, rtol=0, atol=1e-11 * max(1.0, np.abs(right).max()))
    assert_allclose(g.Omega, g.S.T @ g.J_hat @ g.S, rtol=0, atol=1e-11 * np.abs(g.Omega).max())


def test_ploenpark1999_table1_base_and_tip(both):
    """P_0 is E, P_tᵀ is B: beyond the table."""
    assert_allclose(both.six(both.g.P0), both.o.E, rtol=0, atol=1e-12)
    assert_allclose(both.six(both.g.Pt("tip").T), both.o.B("tip"), rtol=0, atol=1e-12)
