"""Frames in which the same robot costs less: Ploen and Park's change of coordinates Q, chosen per body.

The frame of a body on a joint with one axis is best on that axis, its z along it: then the joint turns or shifts two
numbers of three and leaves one. What is left to choose, a turn about the axis and a height along it, decides how the
bodies beyond hang on this one, and which moments of inertia vanish. The candidates are few: the frames of Denavit and
Hartenberg (x along the common normal to the next axis, the origin at its foot), those level with a neighbour's origin,
and those in which the body's own moments have a zero more.

A frame is given by G (4, 4), its pose in the moved frame of the joint; joints without one axis keep theirs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from ...arrays import Array
from ...lie import inertia, se3
from ...model import WORLD, Body, Model
from ...model.build.specialisation import pseudo_inertia
from ...model.checks import ACCUMULATED, snap
from .regrouping import cleared_moments, from_moments, moments, parameters

_X, _, _Z = np.eye(3)


def has_axis(body: Body) -> bool:
    """Whether the frame of a body may be chosen.

    >>> import kinetrace as kt
    >>> [has_axis(b) for b in kt.load("planar2r").model.bodies]
    [True, True]
    """
    return body.joint.along_z() is not None


def aligned(model: Model) -> Model:
    """The model with each frame that may be chosen on its joint's axis, z along it, and as few nonzeros as possible."""
    return moved(model, [_with_z(b.joint.commuting_translation) if has_axis(b) else np.eye(4) for b in model.bodies])


def denavit_hartenberg(model: Model) -> Model:
    """An aligned model with x along the common normal to the axis of the first child, the origin at its foot.

    >>> import kinetrace as kt
    >>> [b.X_pj[:3, 3].round(4).tolist() for b in denavit_hartenberg(aligned(kt.load("planar2r").model)).bodies]
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
    """
    for i in range(len(model.bodies)):
        child = next((b for b in model.bodies if b.parent == i), None)
        if child is not None and has_axis(model.bodies[i]):
            p, n = child.X_pj[:3, 3], child.X_pj[:3, 2]
            x = next(_common_normal(p, n), _X)
            model = with_frame(model, i, clean(_frame(_Z, x, _foot(p, n))))
    return model


def with_frame(model: Model, i: int, G: Array) -> Model:
    """An aligned model with another frame G of body i; bodies that it does not concern are the same objects."""
    body, bodies, Q = model.bodies[i], list(model.bodies), clean(se3.inverse(G) @ model.bodies[i].X_ji)
    bodies[i] = replace(body, X_pj=clean(body.X_pj @ G), X_ji=np.eye(4), J=_seen_from(Q, body.J))
    for b in model.bodies:
        if b.parent == i:
            bodies[b.index] = replace(b, X_pj=clean(Q @ b.X_pj))
    named = {name: replace(f, X_bf=Q @ f.X_bf) if f.body == i else f for name, f in model.frames.items()}
    return replace(model, bodies=tuple(bodies), frames=named)


def moved(model: Model, frames: Sequence[Array]) -> Model:
    """The model with the frame G of each body, whose z must be the joint's axis; where there is none, G is not read."""
    Q = {WORLD: np.eye(4)}
    bodies = []
    for body, G in zip(model.bodies, frames, strict=True):
        if not has_axis(body):
            Q[body.index] = np.eye(4)
            bodies.append(replace(body, X_pj=clean(Q[body.parent] @ body.X_pj)))
            continue
        joint = body.joint.along_z()
        assert joint is not None
        Q[body.index] = clean(se3.inverse(G) @ body.X_ji)
        X_pj = clean(Q[body.parent] @ body.X_pj @ G)
        J = _seen_from(Q[body.index], body.J)
        bodies.append(replace(body, joint=joint, X_pj=X_pj, X_ji=np.eye(4), J=J))
    named = {name: replace(f, X_bf=Q[f.body] @ f.X_bf) for name, f in model.frames.items()}
    return replace(model, bodies=tuple(bodies), frames=named)


def _seen_from(Q: Array, J: Array) -> Array:
    """An inertia in another frame, in which the old one is at Q, without what rounding leaves of zeros."""
    if np.array_equal(Q, np.eye(4)):
        return J
    x = moments(inertia.to_parameters(J))
    columns = moments(inertia.change_frame_parameters(Q, parameters(np.eye(10)))).T
    return from_moments(cleared_moments(columns @ x, np.abs(columns) @ np.abs(x)))


def clean(X: Array) -> Array:
    """A pose without what rounding left of zeros and ones.

    >>> clean(np.eye(4) + 1e-16).tolist() == np.eye(4).tolist()
    True
    """
    return snap(X, ACCUMULATED)


def _with_z(n: Array) -> Array:
    """A rotation that takes z to n, as near to a permutation as possible."""
    k = int(np.argmax(np.abs(n)))
    x = np.roll(_X, k + 1) - n[(k + 1) % 3] * n
    return _frame(n, x / np.linalg.norm(x), np.zeros(3))


def _frame(z: Array, x: Array, origin: Array) -> Array:
    return se3.pose(np.stack([x, np.cross(z, x), z], axis=-1), origin)


def candidates(model: Model, body: Body) -> Iterator[Array]:
    """Frames G to try for a body of an aligned model, the present one left out; none twice."""
    if not has_axis(body):
        return
    tried = [np.eye(4)]
    children = [b for b in model.bodies if b.parent == body.index]
    reach = sum(float(np.linalg.norm(b.X_pj[:3, 3])) for b in model.bodies)
    for x in _directions(body, children):
        for origin in _origins(body, children, x, reach):
            G = clean(_frame(_Z, x, origin))
            if all(np.abs(G - other).max() > ACCUMULATED for other in tried):
                tried.append(G)
                yield G


def _directions(body: Body, children: Sequence[Body]) -> Iterator[Array]:
    """Directions of x, perpendicular to z."""
    yield _X
    first = body.X_pj[:3, 2]
    if abs(first[2]) < 1.0:  # along the common normal with the axis before, so that nothing is turned at q = 0
        yield from _level(body.X_pj[:3, :3].T @ np.cross(_Z, first))
    for child in children:
        p, n = child.X_pj[:3, 3], child.X_pj[:3, 2]
        yield from _common_normal(p, n)
        yield from _level(p)
    P = pseudo_inertia(body.J)
    yield from _level(P[:3, 3])
    if P[0, 1]:
        angle = np.arctan2(2 * P[0, 1], P[0, 0] - P[1, 1]) / 2
        yield np.array([np.cos(angle), np.sin(angle), 0.0])
    if P[0, 2] and P[1, 2]:
        yield from _level(P[:3, 2])


def _common_normal(p: Array, n: Array) -> Iterator[Array]:
    """The direction perpendicular to z and n, the line through p along n being another axis."""
    yield from _level(np.cross(_Z, n) if np.hypot(n[0], n[1]) > ACCUMULATED else p)


def _level(x: Array) -> Iterator[Array]:
    """The part of x perpendicular to z, as a unit vector, if there is one."""
    length = np.hypot(x[0], x[1])
    if length > ACCUMULATED:
        yield np.array([x[0] / length, x[1] / length, 0.0])


def _origins(body: Body, children: Sequence[Body], x: Array, reach: float) -> Iterator[Array]:
    """Places of the origin, on the axis and within reach; anywhere if the joint only shifts."""
    yield np.zeros(3)
    points = []
    p = -body.X_pj[:3, :3].T @ body.X_pj[:3, 3]  # the parent's origin
    points.append(p)
    axis = body.X_pj[2, :3]  # the parent's z
    points.append(_foot(p, axis))
    for child in children:
        points += [child.X_pj[:3, 3], _foot(child.X_pj[:3, 3], child.X_pj[:3, 2])]
    P = pseudo_inertia(body.J)
    for along in (x, np.cross(_Z, x)):
        h, s = along @ P[:3, 3], along @ P[:3, 2]
        if abs(h) > ACCUMULATED * np.abs(P[:3, 3]).max() and s:
            points.append(s / h * _Z)  # there Σxz or Σyz is zero
    for point in (p for p in points if np.linalg.norm(p) <= reach):
        yield point[2] * _Z
        if not body.joint.rotates:
            yield point


def _foot(p: Array, n: Array) -> Array:
    """The point of z's axis nearest to the line through p along n; level with p if they are parallel."""
    across = n[0] * n[0] + n[1] * n[1]
    t = (p[0] * n[0] + p[1] * n[1]) / across if across > ACCUMULATED else 0.0
    return (p[2] - t * n[2]) * _Z
