"""Joints of classes that are not kinetrace's own, as users write them, for tests of whatever makes tables of joints."""

# ruff: noqa: D102 - `Joint` describes its methods

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce

import numpy as np

import kinetrace as kt
from kinetrace.arrays import Array, block, concatenate, cos, sin, stack
from kinetrace.lie import Ad_inv, inertia, se3, so3
from kinetrace.model import Builder, Model
from kinetrace.model.joints import Joint, Spherical

X, Y, Z = np.eye(3)
NONE = np.zeros(3)


@dataclass(frozen=True, eq=False)
class Product(Joint):
    """exp(S₁ q₁) exp(S₂ q₂) …: hinges and slides, one after the other, of any number: the axes are one matrix."""

    S: Array = field(default_factory=lambda: np.eye(6))

    @property
    def nv(self) -> int:
        return len(self.S)

    nq = nv

    def placement(self, q: Array) -> Array:
        return reduce(lambda A, B: A @ B, [_exp(s, x) for s, x in zip(self.S, q, strict=True)])

    def subspace(self, q: Array) -> Array:
        found, after = [], np.eye(4)
        for s, x in zip(self.S[::-1], q[::-1], strict=True):
            found.append(Ad_inv(after, s))
            after = _exp(s, x) @ after
        return stack(found[::-1], axis=-1)

    def subspace_rate(self, q: Array, v: Array) -> Array:
        columns = self.subspace(q).T
        later = [sum((columns[j] * v[j] for j in range(i + 1, self.nv)), np.zeros(6)) for i in range(self.nv)]
        return stack([kt.lie.ad(c, w) for c, w in zip(columns, later, strict=True)], axis=-1)


def _exp(s: Array, x: Array) -> Array:
    """Of a hinge through the origin, or of a slide."""
    return se3.pose(so3.axis_angle(s[:3], x), NONE) if np.any(s[:3]) else se3.pose(np.eye(3), s[3:] * x)


class Gantry(Product):
    """Four velocities: three slides and a hinge."""

    def __init__(self) -> None:
        super().__init__(np.eye(6)[[3, 4, 5, 2]])


class Wrist(Product):
    """Five velocities: two slides and three hinges."""

    def __init__(self) -> None:
        super().__init__(np.eye(6)[[3, 4, 2, 1, 0]])


class Redundant(Product):
    """Eight velocities, more than a body has."""

    def __init__(self) -> None:
        super().__init__(np.eye(6)[[3, 4, 5, 2, 1, 0, 2, 3]])


class Cam(Joint):
    """A slide along a curve, y = x² / 2: no product of hinges and slides."""

    nq = nv = 1

    def placement(self, q: Array) -> Array:
        return se3.pose(np.eye(3), X * q[0] + Y * (q[0] * q[0] / 2))

    def subspace(self, q: Array) -> Array:
        return concatenate([NONE, X + Y * q[0]])[:, None]

    def subspace_rate(self, q: Array, v: Array) -> Array:
        return concatenate([NONE, Y * v[0]])[:, None]


class Polar(Joint):
    """Two velocities, radius and angle of a point that does not turn: at zero, it is as two slides."""

    nq = nv = 2

    def placement(self, q: Array) -> Array:
        return se3.pose(np.eye(3), (1 + q[0]) * (X * cos(q[1]) + Y * sin(q[1])) - X)

    def subspace(self, q: Array) -> Array:
        out, along = X * cos(q[1]) + Y * sin(q[1]), Y * cos(q[1]) - X * sin(q[1])
        return stack([concatenate([NONE, out]), concatenate([NONE, (1 + q[0]) * along])], axis=-1)

    def subspace_rate(self, q: Array, v: Array) -> Array:
        out, along = X * cos(q[1]) + Y * sin(q[1]), Y * cos(q[1]) - X * sin(q[1])
        second = along * v[0] - (1 + q[0]) * out * v[1]
        return stack([concatenate([NONE, along * v[1]]), concatenate([NONE, second])], axis=-1)


class Circle(Joint):
    """A hinge by cosine and sine: more variables than velocities, and no quaternion."""

    nq, nv = 2, 1

    def placement(self, q: Array) -> Array:
        c, s = q[0], q[1]
        return se3.pose(stack([X * c + Y * s, Y * c - X * s, Z + 0 * c], axis=-1), NONE)

    def subspace(self, q: Array) -> Array:
        return np.eye(6)[:, 2:3]

    def tangent(self, q: Array) -> Array:
        return stack([-q[1], q[0]])[:, None]

    def neutral(self) -> Array:
        return np.array([1.0, 0.0])

    def integrate(self, q: Array, v: Array) -> Array:
        c, s = cos(v[0]), sin(v[0])
        return stack([c * q[0] - s * q[1], s * q[0] + c * q[1]])

    def difference(self, q0: Array, q1: Array) -> Array:
        return stack([so3.log(self.placement(q0)[:3, :3].T @ self.placement(q1)[:3, :3])[2]])

    def normalise(self, q: Array) -> Array:
        return q / (q @ q) ** 0.5

    def random(self, rng: np.random.Generator, limits: tuple[Array, Array], shape: tuple[int, ...] = ()) -> Array:
        angle = rng.uniform(-np.pi, np.pi, shape)
        return np.stack([np.cos(angle), np.sin(angle)], axis=-1)


class Boom(Joint):
    """A ball on a slide, the quaternion before the length: four velocities, five variables."""

    nq, nv = 5, 4
    quaternion = slice(0, 4)
    _ball = Spherical()

    def placement(self, q: Array) -> Array:
        R = so3.from_quaternion(q[:4])
        return se3.pose(R, R @ (X * q[4]))

    def subspace(self, q: Array) -> Array:
        turns = [concatenate([e, so3.cross(e, X) * q[4]]) for e in np.eye(3)]
        return stack([*turns, concatenate([NONE, X + 0 * q[4]])], axis=-1)

    def subspace_rate(self, q: Array, v: Array) -> Array:
        turns = [concatenate([NONE, so3.cross(e, X) * v[3]]) for e in np.eye(3)]
        return stack([*turns, np.zeros(6) + 0 * v[3]], axis=-1)

    def tangent(self, q: Array) -> Array:
        top = concatenate([self._ball.tangent(q[:4]), np.zeros((4, 1))], axis=1)
        return concatenate([top, np.array([[0.0, 0.0, 0.0, 1.0]])], axis=0)

    def bracket(self, u: Array, w: Array) -> Array:
        return concatenate([so3.cross(u[..., :3], w[..., :3]), 0 * u[..., 3:]], axis=-1)

    def coadjoint(self, v: Array, p: Array) -> Array:
        return concatenate([self._ball.coadjoint(v[:3], p[:3]), 0 * p[3:]])

    def dexp(self, theta: Array, w: Array) -> Array:
        return concatenate([self._ball.dexp(theta[:3], w[:3]), w[3:]])

    def dexp_inv(self, theta: Array, w: Array) -> Array:
        return concatenate([self._ball.dexp_inv(theta[:3], w[:3]), w[3:]])

    def dexp_dual(self, theta: Array, p: Array) -> Array:
        return concatenate([self._ball.dexp_dual(theta[:3], p[:3]), p[3:]])

    def dexp_inv_dual(self, theta: Array, p: Array) -> Array:
        return concatenate([self._ball.dexp_inv_dual(theta[:3], p[:3]), p[3:]])

    def neutral(self) -> Array:
        return np.array([1.0, 0.0, 0.0, 0.0, 0.0])

    def integrate(self, q: Array, v: Array) -> Array:
        return concatenate([self._ball.integrate(q[:4], v[:3]), q[4:] + v[3:]])

    def difference(self, q0: Array, q1: Array) -> Array:
        return concatenate([self._ball.difference(q0[:4], q1[:4]), q1[4:] - q0[4:]])

    def difference_gradient(self, q0: Array, q1: Array) -> Array:
        ball = self._ball.difference_gradient(q0[:4], q1[:4])
        return block([[ball, np.zeros((3, 1))], [np.zeros((1, 3)), np.eye(1)]])

    def normalise(self, q: Array) -> Array:
        return concatenate([self._ball.normalise(q[:4]), q[4:]])

    def random(self, rng: np.random.Generator, limits: tuple[Array, Array], shape: tuple[int, ...] = ()) -> Array:
        return np.concatenate([self._ball.random(rng, limits, shape), rng.uniform(-1, 1, (*shape, 1))], axis=-1)


OWN: tuple[type[Joint], ...] = (Gantry, Wrist, Redundant, Cam, Polar, Circle, Boom)
"""A class of each kind."""


def arm(joint: Joint, seed: int = 0, mimic: Joint | None = None) -> Model:
    """A hinge, then this joint, then, if it is given, a joint that follows it: random placements and inertias.

    >>> arm(Gantry()).nv
    5
    """
    rng, b = np.random.default_rng(seed), Builder("arm")
    parts = [("hinge", kt.joints.Revolute([0, 1, 0]), None), ("own", joint, None)]
    parts += [] if mimic is None else [("follower", mimic, ("own", -0.7, 0.2))]
    parent = "base"
    for name, each, follows in parts:
        A, poses = rng.normal(size=(4, 4)), [se3.exp(rng.normal(size=6)) for _ in range(2)]
        b.link(f"{name}_link", inertia.from_pseudo_inertia(A @ A.T))
        placed = {"placement": poses[0], "child_placement": poses[1], "mimic": follows}
        b.joint(name, each, parent=parent, child=f"{name}_link", **placed)
        parent = f"{name}_link"
    b.frame("tool", parent, se3.exp(rng.normal(size=6)))
    return b.build(check="ignore")
