"""Closed chains against the whole system of equations, written down from geometry and solved in 50 digits.

Each kind of closure is stated here as equations between two poses (axes are parallel, points coincide), without rows,
twists or biases; its Jacobian and its acceleration are differences of these equations along q ⊕ (t v + t² a / 2), with
steps so small, in numbers so long, that 50 digits are right. Mass matrix and forces are the library's, on such numbers.
"""

from __future__ import annotations

from functools import cache
from itertools import count
from typing import Any

import mpmath
import numpy as np
import pytest

from kinetrace import algorithms as alg
from kinetrace.model import random_chain
from kinetrace.model.zoo.random import RANDOM_JOINTS

from .closing import CLOSERS, Closed, closed
from .conftest import body_poses

LONG = mpmath.mp.clone()
LONG.dps = 120
H = LONG.mpf(10) ** -28
"""Second differences lose 56 digits, and are wrong from the 56th on."""
METHODS = ("sweeps", "factors", "quasi", "dense")


def exact(x) -> np.ndarray:
    return np.vectorize(lambda y: LONG.mpf(float(y)), otypes=[object])(np.asarray(x))


def across(n):
    """Two vectors normal to n, of any length."""
    n = np.array(n, dtype=float)
    e = np.cross(n, np.eye(3)[int(np.argmin(np.abs(n)))])
    return e, np.cross(n, e)


def unit(n):
    n = exact(n)
    return n / LONG.sqrt(n @ n)


def parallel(R, axis) -> list:
    return [e @ (R @ unit(axis)) for e in across(axis)]


def same_axes(R) -> list:
    return [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]


def turned(R, axis) -> Any:
    """The angle about the axis."""
    e, f = (exact(x) for x in across(axis))
    u = R @ e
    return LONG.atan2((f @ u) / LONG.sqrt(f @ f), (e @ u) / LONG.sqrt(e @ e))


def helix(R, p, axis, pitch) -> list:
    along = unit(axis) @ p
    angle = turned(R, axis)
    turns = LONG.nint((along / pitch - angle) / (2 * LONG.pi)) if pitch else 0
    return [*parallel(R, axis), *(e @ p for e in across(axis)), along - pitch * (angle + 2 * LONG.pi * turns)]


def screw(R, p, joint) -> list:
    w, v = exact(joint.S[:3]), exact(joint.S[3:])
    point = np.cross(w, v) / (w @ w)
    return helix(R, p + R @ point - point, joint.S[:3], (w @ v) / (w @ w))


HELD = {
    "Fixed": lambda R, p, j: [*same_axes(R), *p],
    "Revolute": lambda R, p, j: [*parallel(R, j.axis), *p],
    "Prismatic": lambda R, p, j: [*same_axes(R), *(e @ p for e in across(j.axis))],
    "Helical": lambda R, p, j: helix(R, p, j.axis, LONG.mpf(j.pitch)),
    "Cylindrical": lambda R, p, j: [*parallel(R, j.axis), *(e @ p for e in across(j.axis))],
    "Universal": lambda R, p, j: [*p, unit(j.first) @ R @ unit(j.second)],
    "Planar": lambda R, p, j: [*parallel(R, j.normal), unit(j.normal) @ p],
    "Spherical": lambda R, p, j: [*p],
    "Screw": screw,
    "Rod": lambda R, p, j: [p @ p],
    "FrictionlessPoint": lambda R, p, j: [unit(j.normal) @ p],
    "position rows": lambda R, p, j: [*parallel(R, [0, 0, 1]), *p],
}
"""Equations for the pose of B in A: their values do not matter, only that they stay what they are.

Continuous joints are revolute ones here, hard fingers balls, firm grasps welds: `closing` has the same rows for them.
"""


def contact_velocity(R, p, w, dp, j) -> list:
    """Of the wheel's lowest point, in A: with ω and ṗ in A."""
    n, b = unit(j.normal), R @ unit(j.axle)
    down = -(n - (n @ b) * b)
    arm = j.radius * down / LONG.sqrt(down @ down)
    return list(dp + np.cross(w, arm))


MOVING = {
    "Rolling": contact_velocity,
    "SoftFinger": lambda R, p, w, dp, j: [*dp, unit(j.normal) @ w],
    "velocity rows": lambda R, p, w, dp, j: list(exact(j.matrix) @ np.concatenate([R.T @ w, R.T @ dp])),
}
"""Equations for velocities, where none for poses say the same."""


class Equations:
    """The equations of one closure along q ⊕ (t v + t² a / 2)."""

    def __init__(self, kind: str, case: Closed):
        self.kind, self.model, (self.joint,) = kind, case.model, case.joints
        self.q, self.v = exact(case.q), exact(case.v)

    def pose(self, step) -> tuple:
        """Of B in A: R, p."""
        (closure,) = self.model.closures
        X = [*body_poses(self.model, self.model.integrate(self.q, step)), np.eye(4)]
        A, B = (X[f.body] @ f.X_bf for f in closure.frames)
        return A[:3, :3].T @ B[:3, :3], A[:3, :3].T @ (B[:3, 3] - A[:3, 3])

    def held(self, step) -> np.ndarray:
        return np.array(HELD[self.kind](*self.pose(step), self.joint), dtype=object)

    def moving(self, t, v) -> np.ndarray:
        R, p = self.pose(t * v)
        (R1, p1), (R0, p0) = (self.pose(s * v) for s in (t + H, t - H))
        dR = (R1 - R0) / (2 * H) @ R.T
        w = np.array([dR[2, 1], dR[0, 2], dR[1, 0]])
        return np.array(MOVING[self.kind](R, p, w, (p1 - p0) / (2 * H), self.joint), dtype=object)

    def jacobian(self) -> np.ndarray:
        E = exact(np.eye(self.model.nv))
        if self.kind in MOVING:
            return np.stack([self.moving(0 * H, e) for e in E], axis=1)
        return np.stack([(self.held(H * e) - self.held(-H * e)) / (2 * H) for e in E], axis=1)

    def bias(self) -> np.ndarray:
        """The acceleration of the equations while v is constant."""
        if self.kind in MOVING:
            return (self.moving(H, self.v) - self.moving(-H, self.v)) / (2 * H)
        return (self.held(H * self.v) + self.held(-H * self.v) - 2 * self.held(0 * self.v)) / (H * H)


@cache
def case_of(kind: str) -> Closed:
    """A chain of four joints with one closure, whose rows are independent."""
    for seed in count(list(CLOSERS).index(kind)):
        rng = np.random.default_rng(seed)
        joints = [RANDOM_JOINTS[k](rng) for k in rng.permutation(len(RANDOM_JOINTS))[:4]]
        if 8 <= sum(joint.nv for joint in joints) <= 10:
            found = closed(random_chain(4, seed, joints).build(), [kind], seed)
            if np.linalg.cond(alg.closure_jacobian(found.model, found.q)) < 50:
                return found
    raise AssertionError


def motion(kind: str) -> np.ndarray:
    """v̇ (nv,), rounded at the end."""
    case = case_of(kind)
    q, v, tau = (exact(x) for x in (case.q, case.v, case.tau))
    equations = Equations(kind, case)
    K, beta, M = equations.jacobian(), equations.bias(), alg.mass_matrix(case.model, q)
    forces = tau - alg.inverse_dynamics(case.model, q, v, exact(np.zeros(case.model.nv)))
    n, m = K.shape[1], len(K)
    system, right = LONG.matrix(n + m), LONG.matrix([*forces, *(-beta)])
    for i in range(n):
        for j in range(n):
            system[i, j] = M[i, j]
        for k in range(m):
            system[i, n + k] = system[n + k, i] = K[k, i]
    return np.array([float(x) for x in LONG.lu_solve(system, right)[:n]])


@pytest.mark.alternates(2, "kind")
@pytest.mark.parametrize("kind", HELD | MOVING)
def test_accelerations_of_a_closed_chain(kind):
    case, expected = case_of(kind), motion(kind)
    for method in METHODS:
        found = alg.forward_dynamics(case.model, case.q, case.v, case.tau, method=method)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11 * np.abs(expected).max())
