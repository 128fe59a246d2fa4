"""Joints and links of a model in MJCF: hinges, slides, balls and free joints, each in the frame of its body.

A body of MJCF is moved by its joints one after the other,

    X_pb(q) = X_pb(0) · exp(S₁ q₁) · exp(S₂ q₂) · …

with S_k the screw of joint k in the frame of the body. So joints with several coordinates are several joints, and a
massless body with one child becomes further joints of that child. Joints that do not move in this way are refused.

Links have `gravcomp`, and principal axes, along which a fluid acts. A link that is a fixed part of a body becomes a
body without joints, so that it keeps its own compensation and box.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Literal, NamedTuple

import numpy as np

from .....arrays import Array
from .....errors import ModelError
from .....lie import Ad_inv, inertia, se3, so3
from ....body import Body
from ....checks import is_present
from ....effects.link_effects import LinkEffects
from ....joints import Free, Joint, Screw, Spherical
from ....joints.base import check_class
from ....model import Model
from ..losses import Unsaid

_ZERO_WITHIN = 1e-12
_SAME_WITHIN = 1e-9
"""How far the entries of two poses may be apart that are computed in two ways."""
_TRIALS = 3
MAX_JOINTS_PER_BODY = 6
"""Degrees of freedom of all joints of a body."""

Kind = Literal["hinge", "slide", "ball", "free"]


@dataclass(frozen=True)
class MjcfJoint:
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


def parts_of(body: Body, A: Array, name: str) -> list[MjcfJoint] | None:
    """The parts of a body's joint, where A is the pose of the body of MJCF in our moved joint frame.

    None if no joints of MJCF in this frame have the same variables.
    """
    check_class(body.joint, body.joint_name, "MJCF")
    turned = not np.allclose(A[:3, :3], np.eye(3), rtol=0.0, atol=_ZERO_WITHIN)
    if isinstance(body.joint, Spherical):
        return None if turned else [MjcfJoint(name, "ball", np.zeros(3), -A[:3, 3], None)]
    if isinstance(body.joint, Free):
        placed = np.array_equal(body.X_pj, np.eye(4)) and np.array_equal(A, np.eye(4)) and body.parent < 0
        return [MjcfJoint(name, "free", np.zeros(3), np.zeros(3), None)] if placed else None
    found, screws = list[MjcfJoint](), screws_of(body)
    for k, S in enumerate(screws):
        own = name if len(screws) == 1 else f"{name}_{k + 1}"
        found += _parts(own, Ad_inv(A, S), k)
    if len(found) > MAX_JOINTS_PER_BODY:
        limit = f"MuJoCo's bodies move by {MAX_JOINTS_PER_BODY} velocities at most, not {len(found)}"
        raise ModelError(f"joint {body.joint_name!r}: {limit}")
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
        if np.abs(joint.placement(q) - product).max() > _SAME_WITHIN * max(1.0, float(np.abs(product).max())):
            return False
        if not np.array_equal(joint.tangent(q), eye):
            return False
    return True


def _parts(name: str, S: Array, variable: int) -> list[MjcfJoint]:
    """A hinge, a slide, or both for a screw."""
    turns = float(np.linalg.norm(S[:3])) >= _ZERO_WITHIN
    screw = Screw(S if turns else np.concatenate([np.zeros(3), S[3:]]))
    if not turns:
        return [MjcfJoint(name, "slide", screw.axis, np.zeros(3), variable, _unit(screw.rate))]
    hinge = MjcfJoint(name, "hinge", screw.axis, screw.point, variable, _unit(screw.rate))
    if abs(screw.pitch) < _ZERO_WITHIN:
        return [hinge]
    return [hinge, MjcfJoint(f"{name}_slide", "slide", screw.axis, np.zeros(3), None, follows=(name, screw.pitch))]


def values_of(part: MjcfJoint, q: Array, others: Mapping[str, Array]) -> Array:
    """Entries of qpos of a part, from the configuration (nq_i,) of our joint and those of parts before it."""
    if part.follows is not None:
        source, ratio = part.follows
        return ratio * others[source]
    if part.variable is not None:
        return part.scale * q[part.variable : part.variable + 1]
    return q[-4:] if part.kind == "ball" else q


def _unit(x: float) -> float:
    return 1.0 if abs(x - 1.0) < _ZERO_WITHIN else x


def free_parts(name: str, A: Array) -> list[MjcfJoint]:
    """A free joint that is not the pose of a body in the world: three slides and a ball; A has no rotation."""
    slides: list[MjcfJoint] = [
        MjcfJoint(f"{name}_{k + 1}", "slide", e, np.zeros(3), k) for k, e in enumerate(np.eye(3))
    ]
    return [*slides, MjcfJoint(f"{name}_4", "ball", np.zeros(3), -A[:3, 3], None)]


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


_CLOSE_WITHIN = 1e-9
"""Relative difference of inertias that counts as rounding."""


class BodyLinks(NamedTuple):
    """A body as the links that it is made of."""

    J: Array
    """(6, 6) inertia of the body without the others."""
    own: LinkEffects | None
    """Effects on the body's own link."""
    others: tuple[tuple[LinkEffects, Array], ...]
    """Other links, each with its pose (4, 4) in the body."""


def parts_of_body(model: Model, body: Body, unsaid: Unsaid) -> BodyLinks:
    """The links of a body; itself as a whole, if nothing acts on these, or they cannot be told apart."""
    effects, whole = body.link_effects or (), BodyLinks(body.J, None, ())
    if model.fluid is not None and not (effects and all(is_present(x.box) for x in effects)):
        unsaid.add("bodies that a fluid does not act on; MuJoCo's acts on all", body.name, changes=True)
        return whole
    if not effects:
        return whole
    own = next((x for x in effects if x.link == body.name), None)
    others = tuple((x, model.frames[x.link].X_bf) for x in effects if x is not own and x.link in model.frames)
    J = body.J - sum((x.inertia() for x, _ in others), start=np.zeros((6, 6)))
    wanted = np.zeros((6, 6)) if own is None else own.inertia()
    if len(others) + (own is not None) == len(effects):
        if _are_close(J, wanted, body):
            return BodyLinks(wanted, own, others)
        if model.fluid is None and _weighs(J, wanted, body, own is not None):
            return BodyLinks(J, own, others)
    unsaid.add("what acts on links whose inertias are not those of their body", body.name, changes=True)
    return whole


def _are_close(J: Array, wanted: Array, body: Body) -> bool:
    """Whether two inertias of parts of a body are the same but for rounding."""
    return bool(np.abs(J - wanted).max() <= _CLOSE_WITHIN * np.abs(body.J).max())


def _weighs(J: Array, wanted: Array, body: Body, is_compensated: bool) -> bool:
    """Whether a part has a weight, and, if that is compensated, of the wanted mass and centre, whatever its moments."""
    is_heavy = inertia.mass(J) > _CLOSE_WITHIN * inertia.mass(body.J)
    return bool(is_heavy and (not is_compensated or _are_close(J[:, 3:], wanted[:, 3:], body)))


def is_along(R: Array, moments: Array) -> bool:
    """Whether the columns of a rotation R (3, 3) are principal axes of moments of inertia (3, 3), but for rounding."""
    I = R.T @ moments @ R
    return bool(np.abs(I - np.diag(np.diag(I))).max() <= _CLOSE_WITHIN * np.abs(I).max())


def placed_in(link: LinkEffects, X: Array) -> LinkEffects:
    """The effects of a link, at X in its body, in its own frame."""
    return LinkEffects(link.link, se3.inverse(X) @ link.placement, link.mass, link.box, link.gravity_compensation)
