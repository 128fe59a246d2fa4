"""Joints with a quaternion among their variables: their velocities are not rates of coordinates."""

from __future__ import annotations

from typing import final

import numpy as np

from ...arrays import Array, block, concatenate, less, sqrt, stack, where
from ...errors import ModelError
from ...lie import ad, ad_dual, se3, so3
from ..constraints import Constraint, Point
from .base import EYE, ZERO, Joint


def _quaternion_tangent(q: Array) -> Array:
    """The rates (4, 3) of a quaternion for unit body angular velocities."""
    return stack([so3.quaternion_multiply(q, concatenate([np.zeros(1), e])) / 2 for e in EYE], axis=-1)


def _unit_quaternion(q: Array) -> Array:
    return q / sqrt((q * q).sum(axis=-1, keepdims=True))


def _normalised(q: Array) -> Array:
    """A quaternion of any length, scaled to length 1: first by its largest entry, whose square may overflow."""
    size = where(less(q, 0), -q, q)
    largest = size[..., :1]
    for i in (1, 2, 3):
        largest = where(less(largest, size[..., i : i + 1]), size[..., i : i + 1], largest)
    return _unit_quaternion(q / largest)


_CONJUGATE = np.array([1.0, -1.0, -1.0, -1.0])


@final
class Spherical(Joint):
    """Any rotation: q is a unit quaternion (w, x, y, z), v the body angular velocity [rad/s].

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.joints.Spherical().placement(np.array([0.0, 1.0, 0.0, 0.0]))[:3, :3].diagonal()
    array([ 1., -1., -1.])
    """

    nq, nv = 4, 3
    quaternion = slice(0, 4)

    def travel(self, lower: Array, upper: Array) -> float:
        return 0.0

    def placement(self, q: Array) -> Array:
        return se3.pose(so3.from_quaternion(q), ZERO)

    def subspace(self, q: Array) -> Array:
        return np.eye(6, 3)

    def tangent(self, q: Array) -> Array:
        return _quaternion_tangent(q)

    def bracket(self, u: Array, w: Array) -> Array:
        return so3.cross(u, w)

    def coadjoint(self, v: Array, p: Array) -> Array:
        return so3.cross(p, v)

    def dexp(self, theta: Array, w: Array) -> Array:
        return so3.left_jacobian(theta) @ w

    def dexp_inv(self, theta: Array, w: Array) -> Array:
        return so3.left_jacobian_inverse(theta) @ w

    def dexp_dual(self, theta: Array, p: Array) -> Array:
        return p @ so3.left_jacobian(theta)

    def dexp_inv_dual(self, theta: Array, p: Array) -> Array:
        return p @ so3.left_jacobian_inverse(theta)

    def neutral(self) -> Array:
        return np.array([1.0, 0.0, 0.0, 0.0])

    def integrate(self, q: Array, v: Array) -> Array:
        return so3.quaternion_multiply(q, so3.quaternion_exp(v))

    def difference(self, q0: Array, q1: Array) -> Array:
        return so3.quaternion_log(so3.quaternion_multiply(q0 * _CONJUGATE, q1))

    def difference_gradient(self, q0: Array, q1: Array) -> Array:
        return so3.right_jacobian_inverse(self.difference(q0, q1))

    def normalise(self, q: Array) -> Array:
        return _normalised(q)

    def closing(self) -> Constraint:
        return Point()

    def random(self, rng: np.random.Generator, limits: tuple[Array, Array], shape: tuple[int, ...] = ()) -> Array:
        return _unit_quaternion(rng.normal(size=(*shape, 4)))


@final
class Free(Joint):
    """Any motion: q is a position [m] and a unit quaternion (w, x, y, z), v the body twist (ω, v).

    The position (x, y, z) is that of the moved frame's origin in the joint's frame; the twist is in the moved frame
    [rad/s, m/s].

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.joints.Free().placement(np.array([0.1, 0.2, 0.3, 1.0, 0.0, 0.0, 0.0]))
    array([[1. , 0. , 0. , 0.1],
           [0. , 1. , 0. , 0.2],
           [0. , 0. , 1. , 0.3],
           [0. , 0. , 0. , 1. ]])
    """

    nq, nv = 7, 6
    quaternion = slice(3, 7)
    has_motor = False

    def placement(self, q: Array) -> Array:
        return se3.pose(so3.from_quaternion(q[3:]), q[:3])

    def subspace(self, q: Array) -> Array:
        return np.eye(6)

    def tangent(self, q: Array) -> Array:
        R = so3.from_quaternion(q[3:])
        return block([[np.zeros((3, 3)), R], [_quaternion_tangent(q[3:]), np.zeros((4, 3))]])

    def bracket(self, u: Array, w: Array) -> Array:
        return ad(u, w)

    def coadjoint(self, v: Array, p: Array) -> Array:
        return ad_dual(v, p)

    def dexp(self, theta: Array, w: Array) -> Array:
        return se3.left_jacobian(theta) @ w

    def dexp_inv(self, theta: Array, w: Array) -> Array:
        return se3.left_jacobian_inverse(theta) @ w

    def dexp_dual(self, theta: Array, p: Array) -> Array:
        return p @ se3.left_jacobian(theta)

    def dexp_inv_dual(self, theta: Array, p: Array) -> Array:
        return p @ se3.left_jacobian_inverse(theta)

    def neutral(self) -> Array:
        return np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])

    def integrate(self, q: Array, v: Array) -> Array:
        p = q[:3] + so3.from_quaternion(q[3:]) @ (so3.left_jacobian(v[:3]) @ v[3:])
        return concatenate([p, so3.quaternion_multiply(q[3:], so3.quaternion_exp(v[:3]))])

    def difference(self, q0: Array, q1: Array) -> Array:
        w = so3.quaternion_log(so3.quaternion_multiply(q0[3:] * _CONJUGATE, q1[3:]))
        p = so3.from_quaternion(q0[3:] * _CONJUGATE) @ (q1[:3] - q0[:3])
        return concatenate([w, so3.left_jacobian_inverse(w) @ p])

    def difference_gradient(self, q0: Array, q1: Array) -> Array:
        return se3.right_jacobian_inverse(self.difference(q0, q1))

    def normalise(self, q: Array) -> Array:
        return concatenate([q[:3], _normalised(q[3:])])

    def random(self, rng: np.random.Generator, limits: tuple[Array, Array], shape: tuple[int, ...] = ()) -> Array:
        turn = _unit_quaternion(rng.normal(size=(*shape, 4)))
        return concatenate([rng.uniform(-1.0, 1.0, (*shape, 3)), turn])

    def closing(self) -> Constraint:
        raise ModelError("a Free joint holds nothing, and closes no loop")
