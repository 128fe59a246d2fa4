"""Joints of a model as joints of MJCF: hinges, slides, balls and free joints, each in the frame of its body.

A body of MJCF is moved by its joints one after the other,

    X_pb(q) = X_pb(0) · exp(S₁ q₁) · exp(S₂ q₂) · …

with S_k the screw of joint k in the frame of the body. So joints with several coordinates are several joints, and a
massless body with one child becomes further joints of that child. Joints that do not move in this way are refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Literal

import numpy as np

from ....arrays import Array
from ....errors import ModelError
from ....lie import Ad_inv, se3, so3
from ...body import Body
from ...joints import Free, Joint, Screw, Spherical
from ...joints.base import check_class

_SMALL = 1e-12
_SAME = 1e-9
"""How far the entries of two poses may be apart that are computed in two ways."""
_TRIALS = 3
MOST = 6
"""Degrees of freedom of all joints of a body."""

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
    check_class(body.joint, body.joint_name, "MJCF")
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
    if len(found) > MOST:
        raise ModelError(
            f"joint {body.joint_name!r}: MuJoCo's bodies move by {MOST} velocities at most, not {len(found)}"
        )
    return found


def count_of(body: Body) -> int:
    """Degrees of freedom of the joints of MJCF that a body's joint becomes."""
    parts = parts_of(body, body.X_ji, "")
    return body.joint.nv if isinstance(body.joint, Free | Spherical) or parts is None else len(parts)


def screws_of(body: Body) -> list[Array]:
    """S_k (6,) in the joint's frame, with placement(q) = exp(S₁ q₁) exp(S₂ q₂) …; an error if there are none.

    If there are, they are the columns of the motion subspace at q = 0.
    """
    joint, n = body.joint, body.joint.nq
    found = list(np.asarray(joint.subspace(joint.neutral()), dtype=float).T)
    if n != joint.nv or not joint.has_coordinates or not all(map(np.any, found)) or not _is_product(joint, found):
        other = "it is no product of hinges and slides"
        raise ModelError(f"joint {body.joint_name!r}: MJCF has no {type(joint).__name__} joints, and {other}")
    return found


def _is_product(joint: Joint, screws: list[Array]) -> bool:
    """Whether a joint with coordinates moves as these screws, one after the other, at all q: at some."""
    rng, eye = np.random.default_rng(0), np.eye(len(screws))
    for k in range(_TRIALS + 1):
        q = min(k, 1) * rng.uniform(-1.0, 1.0, len(screws))  # zero first
        product = reduce(np.matmul, [se3.exp(S * x) for S, x in zip(screws, q, strict=True)], np.eye(4))
        if np.abs(joint.placement(q) - product).max() > _SAME * max(1.0, float(np.abs(product).max())):
            return False
        if not np.array_equal(joint.tangent(q), eye):
            return False
    return True


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
