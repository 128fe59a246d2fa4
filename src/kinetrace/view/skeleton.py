"""Capsules and joint symbols of a robot: how it looks without shapes of its own.

A body has one path of capsules from its joint to each joint that it carries, to each closure on it, or, at the end of
a branch, to its farthest named frame or as far as its mass extends. Paths follow the joint axes at right angles where
these are perpendicular or parallel, as real links do, and are straight otherwise. All is in body frames and constant:
whoever draws places it by the poses of the bodies (`body_poses`).
"""

from __future__ import annotations

import colorsys
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..arrays import Array
from ..lie import inertia, se3, so3
from ..model import joints
from ..model.body import WORLD, Body, Frame
from ..model.closures import Closure
from ..model.constraints import Rolling
from ..model.model import Model

THICKNESS = 0.034
"""Radius of the first capsule, of the robot's reach."""
MIN_TIP_RADIUS = 0.3
"""Smallest radius at the tips, of that of the first."""
SLIM_REACH = 3.0
"""Robots that reach farther than so many of their longest links are as thick as if they reached so far."""
SHORT_OFFSET = 0.025
"""Offsets below this, of the robot's reach, have no capsule of their own."""
HUES = (0.585, 0.075, 0.47, 0.94, 0.76, 0.13, 0.36, 0.66)
"""Hues of branches, in turn: blue, orange, teal, red, purple, yellow, green, indigo."""
STEEL, DARK = (0.62, 0.65, 0.69), (0.33, 0.36, 0.41)
"""Colours of what is fixed to the world, and of joints."""

Color = tuple[float, float, float]


class LinkSegment(NamedTuple):
    """A capsule on a body; `body` is -1 for what is fixed to the world."""

    body: int
    start: Array
    """(3,) in the body frame [m]."""
    end: Array
    """(3,) in the body frame [m]."""
    radius: float


class JointSymbol(NamedTuple):
    """A joint, or what fixes the robot to the world, as a solid on a body."""

    body: int
    kind: str
    """revolute, prismatic, cylindrical, ball, universal, planar, free, wheel, or ground."""
    center: Array
    """(3,) in the body frame [m]."""
    axis: Array
    """(3,) unit vector in the body frame: of rotation or translation, or the normal."""
    radius: float
    """Of a ball or cylinder, half the width of a box [m]."""
    length: float
    """Along the axis [m]."""


class Skeleton(NamedTuple):
    """Capsules and joint symbols of a robot, in body frames."""

    segments: tuple[LinkSegment, ...]
    symbols: tuple[JointSymbol, ...]
    colors: dict[int, Color]
    """Red, green, blue from 0 to 1 of each body, -1 the world: a hue per branch, lighter towards its tip."""
    scale: float
    """The longest way from the root to a tip [m]: what other sizes are fractions of."""


def skeleton(model: Model) -> Skeleton:
    """The capsules and joint symbols of a robot.

    >>> import kinetrace as kt
    >>> found = skeleton(kt.load("planar2r").model)
    >>> [(x.body, x.end.tolist()) for x in found.segments], [x.kind for x in found.symbols]
    ([(0, [1.0, 0.0, 0.0]), (1, [1.0, 0.0, 0.0])], ['ground', 'revolute', 'revolute'])
    """
    anchors = {body.index: _anchor(body) for body in model.bodies}
    ends = {i: _ends(model, i, anchors) for i in (WORLD, *anchors)}
    reach = _reaches(model, ends, anchors)
    scale = max(reach.values()) or 1.0
    thick = THICKNESS * min(scale, SLIM_REACH * _longest(ends, anchors) or scale)
    radius = {i: thick * max(MIN_TIP_RADIUS, np.sqrt(x / scale)) for i, x in reach.items()}
    segments, symbols = [], []
    for i, points in ends.items():
        start, axis = (np.zeros(3), None) if i == WORLD else (anchors[i].point, anchors[i].axis)
        for end in points:
            if i == WORLD:
                segments += _ground(end.point, radius[i], scale)
            else:
                way = _way(start, axis, end.point, end.axis, SHORT_OFFSET * scale)
                segments += [LinkSegment(i, a, b, radius[i]) for a, b in pairwise(way)]
    symbols += _feet(ends[WORLD], radius[WORLD], scale)
    for body in model.bodies:
        symbols.append(_symbol(body, anchors[body.index], radius[body.parent], radius[body.index]))
        segments += _rail(body, anchors, radius[body.index])
    symbols += _wheels(model, thick)
    return Skeleton(tuple(segments), tuple(symbols), _colors(model), scale)


def body_poses(model: Model, q: Array) -> dict[int, Array]:
    """Pose (4, 4) of each body in the world, and of the world itself, -1, for one configuration (nq,).

    >>> import numpy as np, kinetrace as kt
    >>> body_poses(kt.load("planar2r").model, np.zeros(2))[1][:3, 3]
    array([1., 0., 0.])
    """
    poses = {WORLD: np.eye(4)}
    for body, x in zip(model.bodies, model.split_q(q), strict=True):
        poses[body.index] = poses[body.parent] @ body.placement(x).matrix
    return poses


def tip(model: Model) -> str:
    """The frame to look at unless another is named: the last one at the end of the longest chain.

    >>> import kinetrace as kt
    >>> tip(kt.load("panda").model), tip(kt.load("quadruped").model)
    ('panda_hand_tcp', 'FL_foot')
    """
    depth = {WORLD: 0}
    for body in model.bodies:
        depth[body.index] = depth[body.parent] + 1
    last = {frame.body: name for name, frame in model.frames.items()}
    return last[max(sorted(last), key=lambda k: depth[k])] if last else ""


class _Anchor(NamedTuple):
    """A point (3,) of a body, and an axis (3,) there, if it has one."""

    point: Array
    axis: Array | None


def _anchor(body: Body) -> _Anchor:
    """Where the joint of a body is, in the body frame."""
    S = np.asarray(body.subspace(body.joint.neutral()), dtype=float)
    X_ij = se3.inverse(body.X_ji)
    if isinstance(body.joint, joints.Screw) and np.any(S[:3]):
        w, v = S[:3, 0], S[3:, 0]
        return _Anchor(np.cross(w, v) / (w @ w), w / np.linalg.norm(w))
    if isinstance(body.joint, joints.Planar):
        return _Anchor(X_ij[:3, 3], X_ij[:3, :3] @ body.joint.normal)
    if S.shape[1] == 1 or isinstance(body.joint, joints.Cylindrical):
        w = S[:3, 0] if np.any(S[:3, 0]) else S[3:, 0]
        return _Anchor(X_ij[:3, 3], w / np.linalg.norm(w))
    return _Anchor(X_ij[:3, 3], None)


def loops(model: Model) -> list[Closure]:
    """Closures that hold two frames together, which couplings of joints do not."""
    return [closure for closure in model.closures if not closure.terms]


def _ends(model: Model, i: int, anchors: dict[int, _Anchor]) -> list[_Anchor]:
    """Where the paths of capsules on body i end, in its frame."""
    carried = []
    for child in model.bodies:
        if child.parent == i and not isinstance(child.joint, joints.Free):
            X = child.X_pj @ child.X_ji  # of the child at the joint's zero, where its anchor is that of the parent
            anchor = anchors[child.index]
            axis = None if anchor.axis is None else X[:3, :3] @ anchor.axis
            carried.append(_Anchor(X[:3, :3] @ anchor.point + X[:3, 3], axis))
    frames = [f for closure in loops(model) for f in closure.frames if f.body == i]
    if i == WORLD:
        return carried + [_Anchor(f.X_bf[:3, 3], None) for f in frames if carried and np.any(f.X_bf[:3, 3])]
    carried += [_Anchor(f.X_bf[:3, 3], None) for f in frames]
    return carried or [_Anchor(_tip(model, model.bodies[i], anchors[i].point), None)]


def _tip(model: Model, body: Body, origin: Array) -> Array:
    """The end of a body that carries nothing: its farthest frame, or where its mass ends."""
    frames: list[Frame] = [f for f in model.frames.values() if f.body == body.index]
    far = max((f.X_bf[:3, 3] for f in frames), key=lambda x: float(np.linalg.norm(x - origin)), default=origin)
    c, extent = _extent(body)
    if np.linalg.norm(far - origin) > 0.5 * np.linalg.norm(c - origin) + 1e-9:
        return far
    return c + extent


def _extent(body: Body) -> tuple[Array, Array]:
    """The centre of mass of a body, and from there to the end of a rod of the same inertia, away from the joint."""
    m = float(inertia.mass(body.J))
    if not m > 0:
        return np.zeros(3), np.zeros(3)
    c = inertia.center_of_mass(body.J)
    I_c = body.J[:3, :3] + m * so3.hat(c) @ so3.hat(c)
    second = np.trace(I_c) / 2 * np.eye(3) - I_c
    values, vectors = np.linalg.eigh((second + second.T) / (2 * m))
    distance = np.linalg.norm(c)
    along = c / distance if distance > 1e-6 else vectors[:, -1]
    return c, along * np.sqrt(3 * max(0.0, along @ (vectors * values) @ vectors.T @ along))


def _reaches(model: Model, ends: dict[int, list[_Anchor]], anchors: dict[int, _Anchor]) -> dict[int, float]:
    """The longest way from each body's joint to a tip; from the root, for the world."""
    reach = {
        i: max((_length(end.point - (anchors[i].point if i in anchors else 0.0)) for end in points), default=0.0)
        for i, points in ends.items()
    }
    for body in reversed(model.bodies):
        if body.parent != WORLD:
            X = body.X_pj @ body.X_ji
            to = X[:3, :3] @ anchors[body.index].point + X[:3, 3] - anchors[body.parent].point
            slide = max(map(abs, _travel(body)))
            reach[body.parent] = max(reach[body.parent], _length(to) + slide + reach[body.index])
        else:
            reach[WORLD] = max(reach[WORLD], reach[body.index])
    return reach


def _longest(ends: dict[int, list[_Anchor]], anchors: dict[int, _Anchor]) -> float:
    """The longest link: from a joint to one that its body carries, or to its tip."""
    return max((_length(end.point - anchors[i].point) for i in anchors for end in ends[i]), default=0.0)


def _length(x: Array) -> float:
    return float(np.linalg.norm(x))


def _way(start: Array, a: Array | None, end: Array, b: Array | None, short: float) -> list[Array]:
    """The corners of a path: along the joint's own axis a, across, and along the next one's, b."""
    whole = end - start
    if _length(whole) < short:
        return []
    if a is None or b is None or 1e-3 < abs(a @ b) < 1 - 1e-6:
        return [start, end]
    along = a * (a @ whole)
    parts = [along, whole - along] if abs(a @ b) < 0.5 else [whole - along, along]
    if abs(a @ b) < 0.5:
        last = b * (b @ parts[1])
        parts[1:] = [parts[1] - last, last]
    long = [part for part in parts if _length(part) > short]
    if len(long) < 2:
        return [start, end]
    corners = [start + sum(long[:k], np.zeros(3)) for k in range(len(long))]
    return [*corners, end]


def _ground(end: Array, radius: float, scale: float) -> list[LinkSegment]:
    """Capsules that are fixed to the world: thin along the ground, thick upward."""
    foot, segments = np.array([end[0], end[1], 0.0]), []
    if _length(foot) > SHORT_OFFSET * scale:
        segments.append(LinkSegment(WORLD, np.zeros(3), foot, 0.5 * radius))
    if _length(end - foot) > SHORT_OFFSET * scale:
        segments.append(LinkSegment(WORLD, foot, end, radius))
    return segments


def _feet(ends: list[_Anchor], radius: float, scale: float) -> list[JointSymbol]:
    """Plates below what stands on the ground."""
    feet: list[Array] = []
    for end in ends:
        foot = np.array([end.point[0], end.point[1], 0.0])
        is_new = all(_length(foot - other) > SHORT_OFFSET * scale for other in feet)
        if is_new and (len(ends) == 1 or _length(end.point - foot) > SHORT_OFFSET * scale):
            feet.append(foot)
    up = np.array([0.0, 0.0, 1.0])
    is_low = len(ends) == 1 and _length(ends[0].point) <= SHORT_OFFSET * scale  # the plate is below the joint
    below = (1.7 if is_low else 0.25) * radius
    return [JointSymbol(WORLD, "ground", foot - below * up, up, 2.2 * radius, 0.5 * radius) for foot in feet]


_SYMBOLS = {
    joints.Prismatic: ("prismatic", 1.25, 3.2),
    joints.Cylindrical: ("cylindrical", 1.3, 4.0),
    joints.Spherical: ("ball", 1.5, 3.0),
    joints.Universal: ("universal", 1.35, 2.7),
    joints.Planar: ("planar", 1.6, 0.6),
    joints.Free: ("free", 1.5, 3.0),
}
"""Joint → kind of its symbol, its radius and its length in radii of its capsule; others are revolute."""


def _symbol(body: Body, anchor: _Anchor, before: float, own: float) -> JointSymbol:
    kind, wide, long = _SYMBOLS.get(type(body.joint), ("revolute", 1.35, 2.9))
    if isinstance(body.joint, joints.Screw) and not np.any(body.joint.S[:3]):
        kind, wide, long = _SYMBOLS[joints.Prismatic]
    r = min(before, own) if kind == "prismatic" else (min(before, 1.5 * own) + own) / 2
    axis = np.array([0.0, 0.0, 1.0]) if anchor.axis is None else anchor.axis
    return JointSymbol(body.index, kind, anchor.point, axis, wide * r, long * r)


def _travel(body: Body) -> tuple[float, float]:
    """Limits of a joint that slides, zero between them, as far as there are any."""
    if not isinstance(body.joint, joints.Prismatic | joints.Cylindrical):
        return 0.0, 0.0
    lower, upper = float(body.limits.lower[-1]), float(body.limits.upper[-1])
    return min(lower, 0.0) if np.isfinite(lower) else 0.0, max(upper, 0.0) if np.isfinite(upper) else 0.0


def _rail(body: Body, anchors: dict[int, _Anchor], radius: float) -> list[LinkSegment]:
    """Rail of a sliding joint: a rod on the body, which reaches to its parent; on the ground, a rail below the body."""
    lower, upper = _travel(body)
    anchor, X = anchors[body.index], body.X_pj @ body.X_ji
    if lower == upper or anchor.axis is None:
        return []
    at, along = X[:3, :3] @ anchor.point + X[:3, 3], X[:3, :3] @ anchor.axis
    if body.parent != WORLD:
        before = at - anchors[body.parent].point
        is_telescope = before @ along > 0.9 * _length(before) > 0.0  # the parent is where the body slides back to
        back, forth = upper, 0.0 if is_telescope else lower
        ends = anchor.point - back * anchor.axis, anchor.point - forth * anchor.axis
        return [LinkSegment(body.index, *ends, 0.6 * radius)]
    return [LinkSegment(WORLD, at + lower * along, at + upper * along, 0.4 * radius)]


def _wheels(model: Model, thickness: float) -> list[JointSymbol]:
    """The discs of bodies that roll on planes."""
    wheels = []
    for closure in model.closures:
        if isinstance(closure.constraint, Rolling):
            X, r = closure.b.X_bf, float(closure.constraint.radius)
            axle = X[:3, :3] @ closure.constraint.axle
            wheels.append(JointSymbol(closure.b.body, "wheel", X[:3, 3], axle, r, min(thickness, 0.3 * r)))
    return wheels


def _colors(model: Model) -> dict[int, Color]:
    """A hue for each branch, in the order of the bodies; lighter with each body on it."""
    hues, steps, used = {WORLD: 0}, {WORLD: -1}, 0
    children = [body.parent for body in model.bodies]
    for body in model.bodies:
        if children.count(body.parent) > 1:
            hues[body.index], steps[body.index] = used, 0
            used += 1
        else:
            hues[body.index], steps[body.index] = hues[body.parent], steps[body.parent] + 1
            used = max(used, 1)
    colors: dict[int, Color] = {WORLD: STEEL}
    for i, k in hues.items():
        if i != WORLD:
            light = 0.55 + 0.15 * min(steps[i], 6) / 6
            colors[i] = colorsys.hls_to_rgb(HUES[k % len(HUES)], light, 0.5)
    return colors
