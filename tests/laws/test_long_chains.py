"""Forward dynamics of hanging chains of 100 and 1000 links, judged in 50 digits.

A chain of 10 cm links of 0.1 kg, bent by up to 0.1 rad at joints about x and y in turn, swinging slowly: like a cable.
The accelerations found go through inverse dynamics, the same source, on mpmath numbers with 50 digits; what differs
from the given forces is the rounding of the algorithm under test alone. The forces are those of a known motion, so that
they are of the size that the chain feels.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import mpmath
import numpy as np
import pytest

from kinetrace import algorithms as alg
from kinetrace.model import Model, load_model

LINK = """
  <link name="l{i}"><inertial>
    <origin xyz="0 0.001 -0.05"/><mass value="0.1"/>
    <inertia ixx="9e-5" ixy="1e-6" ixz="2e-6" iyy="9.5e-5" iyz="3e-6" izz="1e-5"/>
  </inertial></link>
  <joint name="j{i}" type="revolute">
    <parent link="l{parent}"/><child link="l{i}"/>
    <origin xyz="0 0 -0.1"/><axis xyz="{axis}"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/>
  </joint>"""
PRECISE = mpmath.mp.clone()
PRECISE.dps = 50


def chain(n: int) -> str:
    """The URDF of a chain of n links."""
    links = [LINK.format(i=i, parent=i - 1, axis=("1 0 0", "0 1 0")[i % 2]) for i in range(1, n + 1)]
    return f'<robot name="chain"><link name="l0"/>{"".join(links)}</robot>'


def hanging(model: Model, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q, v and the forces of a random acceleration."""
    rng = np.random.default_rng(seed)
    q, v, a = rng.uniform(-0.1, 0.1, model.nv), *rng.normal(scale=0.1, size=(2, model.nv))
    return q, v, alg.inverse_dynamics(model, q, v, a)


@lru_cache
def built(n: int) -> Model:
    return load_model(chain(n))


@lru_cache
def missing_from(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The accelerations a that FD1 finds, and M a + bias − τ in 50 digits."""
    model = built(n)
    q, v, tau = hanging(model, seed)
    a = alg.forward_dynamics(model, q, v, tau, method="FD1")
    exact = (np.array([PRECISE.mpf(float(y)) for y in x], dtype=object) for x in (q, v, a))
    return a, (alg.inverse_dynamics(model, *exact) - tau).astype(float)


def residual(n: int, seed: int, a: np.ndarray) -> float:
    """‖M a + bias − τ‖ / ‖τ‖, in 50 digits for one a; M times what others differ by is small, and floats will do."""
    (near, missing), (q, _, tau) = missing_from(n, seed), hanging(built(n), seed)
    weightless, zero = replace(built(n), gravity=np.zeros(3)), np.zeros(n)
    missing = missing + alg.inverse_dynamics(weightless, q, zero, a - near)
    return float(np.linalg.norm(missing) / np.linalg.norm(tau))


# Measured, as the rounding falls: 0.5 to 1.7e-15 on 100 links, 1.5 to 4.6e-15 on 1000.
@pytest.mark.parametrize(
    ("n", "method", "bound"),
    [(100, method, 1e-14) for method in ("FD1", "FD3", "FD4", "solve")]
    + [pytest.param(1000, x, 5e-14, marks=pytest.mark.part(k, 3)) for k, x in enumerate(("FD1", "FD3", "FD4"))],
)
def test_forces_are_given_back(n, method, bound, record_property):
    model = built(n)
    q, v, tau = hanging(model)
    found = residual(n, 0, alg.forward_dynamics(model, q, v, tau, method=method))
    record_property("residual", found)
    assert found < bound
