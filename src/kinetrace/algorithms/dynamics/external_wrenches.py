"""Wrenches on named frames as wrenches on bodies and joint forces; gravity as an acceleration of the base."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...arrays import Array, concatenate
from ...lie import Ad_inv_dual
from ...model import WORLD, Body, Model
from ..sweeps.tree import inward

FrameWrenches = Mapping[str, Array]
"""Frame → the wrench (6,) on it, in its axes and about its origin."""


def body_wrenches(model: Model, wrench: FrameWrenches | None) -> list[Array]:
    """The wrench (6,) on each body, in the body's frame, of wrenches exerted on frames, in those frames."""
    total: list[Array] = [np.zeros(6)] * len(model.bodies)
    for name, F_f in (wrench or {}).items():
        frame = model.frame(name)
        if frame.body != WORLD:
            total[frame.body] = total[frame.body] + Ad_inv_dual(frame.X_bf, F_f)
    return total


def carried_wrench(body: Body, F_children: Array, q: Array, F: Array) -> tuple[Array, Array]:
    """The wrench on all that a joint carries, in the body's frame, and for the parent."""
    own = F_children + F
    return own, body.placement(q).Ad_inv_dual(own)


def wrench_forces(model: Model, q: Array, wrench: FrameWrenches) -> Array:
    """The joint forces Σ J_fᵀ F_f (nv,) of wrenches (6,) exerted on frames, in those frames.

    >>> import kinetrace as kt
    >>> wrench_forces(kt.load("planar2r").model, np.zeros(2), {"tip": np.array([0, 0, 0, 0, 0, 1.0])}).tolist()
    [2.0, 1.0]
    """
    qs = model.split_q(q)
    carried = inward(model, carried_wrench, np.zeros(6), qs, body_wrenches(model, wrench))
    return model.gather([body.subspace(x).T @ F for body, x, F in zip(model.bodies, qs, carried, strict=True)])


def gravity_as_base_acceleration(model: Model, base_acceleration: Array | None) -> Array:
    """The acceleration (6,) of the base, with gravity as an acceleration by −g."""
    dV_0 = concatenate([np.zeros(3), -model.gravity])
    return dV_0 if base_acceleration is None else dV_0 + base_acceleration
