"""Joints of a model as joints of MJCF: hinges, slides, balls and free joints, each in the frame of its body.

A body of MJCF is moved by its joints one after the other,

    X_pb(q) = X_pb(0) · exp(S₁ q₁) · exp(S₂ q₂) · …

with S_k the screw of joint k in the frame of the body. So joints with several coordinates are several joints, and a
massless body with one child becomes further joints of that child.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ....arrays import Array
from ....lie import Ad_inv, se3, so3
from ...body import Body
from ...joints import Free, Screw, Spherical

_STEP = 0.5
_SMALL = 1e-12

Kind = Literal["hinge", "slide", "ball", "free"]


@dataclass(frozen=True)
class Part:
    """A joint of MJCF: a part of one of ours."""

    name: str
    kind: Kind
    axis: Array
    """In the frame of its body (3,)."""
    point: Array
    """On its axis, or the centre of a ball, in the frame of its body (3,)."""
    variable: int | None
    """Which variable of our joint it is; None: all of a ball or free joint, or none."""
    scale: float = 1.0
    """Its variable, as a multiple of ours."""
    follows: tuple[str, float] | None = None
    """The joint whose multiple it is kept at, as the slide of a helical joint."""


def parts_of(body: Body, A: Array, name: str) -> list[Part] | None:
    """The parts of a body's joint, where A is the pose of the body of MJCF in our moved joint frame.

    None if no joints of MJCF in this frame have the same variables.
    """
    turned = not np.allclose(A[:3, :3], np.eye(3), rtol=0.0, atol=_SMALL)
    if isinstance(body.joint, Spherical):
        return None if turned else [Part(name, "ball", np.zeros(3), -A[:3, 3], None)]
    if isinstance(body.joint, Free):
        placed = np.array_equal(body.X_pj, np.eye(4)) and np.array_equal(A, np.eye(4)) and body.parent < 0
        return [Part(name, "free", np.zeros(3), np.zeros(3), None)] if placed else None
    found, screws = list[Part](), screws_of(body)
    for k, S in enumerate(screws):
        own = name if len(screws) == 1 else f"{name}_{k + 1}"
        found += _parts(own, Ad_inv(A, S), k)
    return found


def screws_of(body: Body) -> list[Array]:
    """S_k (6,) in the joint's frame, with placement(q) = exp(S₁ q₁) exp(S₂ q₂) …"""
    n = body.joint.nq
    return [se3.log(body.joint.placement(_STEP * np.eye(n)[k])) / _STEP for k in range(n)]


def _parts(name: str, S: Array, variable: int) -> list[Part]:
    """A hinge, a slide, or both for a screw."""
    turns = float(np.linalg.norm(S[:3])) >= _SMALL
    screw = Screw(S if turns else np.concatenate([np.zeros(3), S[3:]]))
    if not turns:
        return [Part(name, "slide", screw.axis, np.zeros(3), variable, _unit(screw.rate))]
    hinge = Part(name, "hinge", screw.axis, screw.point, variable, _unit(screw.rate))
    if abs(screw.pitch) < _SMALL:
        return [hinge]
    return [hinge, Part(f"{name}_slide", "slide", screw.axis, np.zeros(3), None, follows=(name, screw.pitch))]


def values_of(part: Part, q: Array, others: Mapping[str, Array]) -> Array:
    """Entries of qpos of a part, from the configuration (nq_i,) of our joint and those of parts before it."""
    if part.follows is not None:
        source, ratio = part.follows
        return ratio * others[source]
    if part.variable is not None:
        return part.scale * q[part.variable : part.variable + 1]
    return q[-4:] if part.kind == "ball" else q


def _unit(x: float) -> float:
    return 1.0 if abs(x - 1.0) < _SMALL else x


def free_parts(name: str, A: Array) -> list[Part]:
    """A free joint that is not the pose of a body in the world: three slides and a ball; A has no rotation."""
    slides: list[Part] = [Part(f"{name}_{k + 1}", "slide", e, np.zeros(3), k) for k, e in enumerate(np.eye(3))]
    return [*slides, Part(f"{name}_4", "ball", np.zeros(3), -A[:3, 3], None)]


def pose_text(X: Array) -> dict[str, str]:
    """Attributes of a pose, without what is zero."""
    found = {}
    if np.any(X[:3, 3]):
        found["pos"] = text(X[:3, 3])
    if not np.array_equal(X[:3, :3], np.eye(3)):
        found["quat"] = text(so3.to_quaternion(X[:3, :3]))
    return found


def text(x: Array | float) -> str:
    """Numbers with every digit.

    >>> text(np.array([0.1, 2.0]))
    '0.1 2'
    """
    return " ".join(
        f"{float(y):.17g}" if repr(float(y)) != f"{float(y):g}" else f"{float(y):g}" for y in np.atleast_1d(x)
    )
