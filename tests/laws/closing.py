"""Closures of every kind, between random frames of random trees, that hold at a random configuration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import kinetrace as kt
from kinetrace import algorithms as alg
from kinetrace.lie import se3, so3
from kinetrace.model import WORLD, Model
from kinetrace.model.zoo.random import RANDOM_JOINTS, random_axis, random_pose, random_rotation

from .conftest import frame_pose

Rng = np.random.Generator
HELD = 1e-13


class Closer(NamedTuple):
    """A joint or a constraint, and a pose of B in A in which it holds."""

    joint: Any
    X_AB: Any


def _by_joint(kind: Callable[[Rng], Any]) -> Callable[[Rng], Closer]:
    def made(rng: Rng) -> Closer:
        joint = kind(rng)
        q = joint.integrate(joint.neutral(), rng.uniform(-0.8, 0.8, joint.nv))
        return Closer(joint, joint.placement(q))

    return made


def _screw(rng: Rng) -> Any:
    return kt.joints.Screw(np.concatenate([random_axis(rng) * 0.8, rng.uniform(-0.3, 0.3, 3)]))


def _rod(rng: Rng) -> Closer:
    return Closer(kt.closures.Rod(0.4), se3.pose(random_rotation(rng), 0.4 * random_axis(rng)))


def _surface(rng: Rng) -> Closer:
    n, p = random_axis(rng), rng.uniform(-0.3, 0.3, 3)
    return Closer(kt.closures.FrictionlessPoint(n), se3.pose(random_rotation(rng), p - (n @ p) * n))


def _soft(rng: Rng) -> Closer:
    return Closer(kt.closures.SoftFinger(random_axis(rng)), se3.pose(random_rotation(rng), np.zeros(3)))


def _rolling(rng: Rng) -> Closer:
    n, b, R = random_axis(rng), random_axis(rng), random_rotation(rng)
    while abs(n @ R @ b) > 0.9:
        R = random_rotation(rng)
    p = rng.uniform(-0.3, 0.3, 3)
    s = np.sqrt(1 - (n @ R @ b) ** 2)
    return Closer(kt.closures.Rolling(0.3, b, n), se3.pose(R, p + (0.3 * s - n @ p) * n))


def _velocity_rows(rng: Rng) -> Closer:
    return Closer(kt.closures.Rows(rng.normal(size=(2, 6)), holds_position=False), random_pose(rng))


def _position_rows(rng: Rng) -> Closer:
    turned = se3.pose(so3.axis_angle(np.array([0.0, 0.0, 1.0]), 0.7), np.zeros(3))
    return Closer(kt.closures.Rows(np.delete(np.eye(6), 2, axis=0)), turned)  # a hinge about z


JOINTS: dict[str, Callable[[Rng], Closer]] = {
    "Fixed": _by_joint(lambda rng: kt.joints.Fixed()),
    **{
        type(joint).__name__: _by_joint(kind)
        for kind in RANDOM_JOINTS
        if not isinstance(joint := kind(np.random.default_rng(0)), kt.joints.Free)
    },
    "Screw": _by_joint(_screw),
}
"""Every joint that closes loops."""
CLOSERS: dict[str, Callable[[Rng], Closer]] = {
    **JOINTS,
    "Rod": _rod,
    "FrictionlessPoint": _surface,
    "HardFinger": lambda rng: Closer(kt.closures.HardFinger(), se3.pose(random_rotation(rng), np.zeros(3))),
    "SoftFinger": _soft,
    "Rigid": lambda rng: Closer(kt.closures.Rigid(), np.eye(4)),
    "Rolling": _rolling,
    "velocity rows": _velocity_rows,
    "position rows": _position_rows,
}


class Closed(NamedTuple):
    """A tree with closures, a configuration in which they hold, and a velocity that they allow."""

    model: Model
    q: Any
    v: Any
    tau: Any
    joints: tuple[Any, ...] = ()
    """What the closures were made of."""


def loop(model: Model, q: Any, closer: Closer, ends: tuple[str, str], rng: Rng, name: str = "") -> kt.closures.Loop:
    """A closure between two frames, placed so that it holds."""
    X_a, X_b = (np.eye(4) if end == "world" else frame_pose(model, q, end) for end in ends)
    P_a = random_pose(rng)
    return kt.closures.Loop(*ends, closer.joint, name, P_a, se3.inverse(X_b) @ X_a @ P_a @ closer.X_AB)


def ends_of(model: Model, rng: Rng, least: int) -> tuple[str, str]:
    """Two frames, or one and the world, with at least so many velocities between them."""
    names = [*model.frames, "world"]
    for _ in range(1000):
        a, b = rng.choice(names, 2, replace=False).tolist()
        bodies = [WORLD if x == "world" else model.frames[x].body for x in (a, b)]
        moving = model.ancestors(bodies[0]) ^ model.ancestors(bodies[1])
        own = {i if model.bodies[i].mimic is None else model.bodies[i].mimic.source for i in moving}
        if sum(model.bodies[i].joint.nv for i in own) >= least:
            return a, b
    raise ValueError(f"no two frames of {model} have {least} velocities between them")


def allowed(model: Model, q: Any, v: Any) -> Any:
    """The nearest velocity that closures allow."""
    K = alg.closure_jacobian(model, q)
    return v - np.linalg.pinv(K, rcond=1e-9) @ (K @ v)


def closed(tree: Model, kinds: list[str], seed: int) -> Closed:
    """A tree with closures of these kinds."""
    rng = np.random.default_rng(seed)
    q = tree.random(rng)
    loops, made = [], [CLOSERS[kind](rng) for kind in kinds]
    for k, (kind, closer) in enumerate(zip(kinds, made, strict=True)):
        loops.append(loop(tree, q, closer, ends_of(tree, rng, 8), rng, f"{kind} {k}"))
    model = tree.with_closures(*loops)
    assert np.abs(alg.closure_residual(model, q)).max() < HELD
    v, tau = allowed(model, q, rng.normal(size=model.nv)), rng.normal(size=model.nv)
    return Closed(model, q, v, tau, tuple(closer.joint for closer in made))
