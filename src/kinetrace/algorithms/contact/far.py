"""Which shapes are so far from each other that they cannot touch in a step.

Next to a plane with the normal n, a shape with its frame at c reaches down by its extent along n; next to others it is
in a ball around c. In a step of the time h no point at the distance r from c moves farther than h (|v_c| + |ω| r), nor
along n farther than h (n·v_c + |ω| r).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np

from ...arrays import Array, abs, less, maximum, sqrt
from ...lie import so3
from ...linalg import dense
from ...model import WORLD, Model
from ...model.contact import Contacts, ContactShape
from ..kinematics.forward_kinematics import link_velocities

TINY = 1e-30
"""Square of a length or a velocity that keeps derivatives of roots finite."""


def _length(x: Array) -> Any:
    return sqrt(x @ x + TINY)[()]


RADII: Mapping[str, Callable[[Array], Any]] = {
    "sphere": lambda size: size[0],
    "capsule": lambda size: size[0] + 0.5 * size[1],
    "cylinder": lambda size: _length(size * np.array([1.0, 0.5])),
    "box": lambda size: 0.5 * _length(size),
    "ellipsoid": lambda size: reduce(maximum, [size[0], size[1], size[2]])[()],
    "points": lambda size: dense.largest([_length(point) for point in size])[()],
}
"""Kind → radius of a ball about the shape's frame, from its size; planes and height fields have none."""
EXTENTS: Mapping[str, Callable[[Array, Array], Any]] = {
    "sphere": lambda size, n: size[0],
    "capsule": lambda size, n: size[0] + 0.5 * size[1] * abs(n[2]),
    "cylinder": lambda size, n: size[0] + 0.5 * size[1] * abs(n[2]),
    "box": lambda size, n: 0.5 * (size @ abs(n)),
    "ellipsoid": lambda size, n: _length(size * n),
    "points": lambda size, n: dense.largest([-(point @ n) for point in size])[()],
}
"""Kind → how far a shape reaches against a unit vector in its frame, or a little less far."""


def have_ends(contacts: Contacts, pairs: Sequence[int]) -> bool:
    """Whether of each pair one shape has an end, and the other too, or is a plane."""
    kinds = ({contacts.shapes[k].kind for k in (contacts.pairs[i].a, contacts.pairs[i].b)} for i in pairs)
    return all(both & RADII.keys() and both <= {*RADII, "plane"} for both in kinds)


def may_touch(
    model: Model,
    contacts: Contacts,
    pairs: Sequence[int],
    q: Array,
    v: Array,
    dt: Array,
    poses: Mapping[int, Array],
) -> Any:
    """Whether shapes of any of these pairs may meet in a step with velocities v (nv,)."""
    twists = link_velocities(model, q, v)

    def moving(shape: ContactShape) -> tuple[Array, Array, Any]:
        """The frame of a shape in the world, the velocity of its origin there, and the speed of turning."""
        X = poses[shape.body] @ shape.X
        if shape.body == WORLD:
            return X, np.zeros(3), 0.0
        V = twists[shape.body].V
        return X, poses[shape.body][:3, :3] @ (V[3:] + so3.cross(V[:3], shape.X[:3, 3])), _length(V[:3])

    def below(shape: ContactShape, plane: ContactShape) -> Any:
        """How far a shape may be below a plane after the step."""
        (X, v, turning), (P, _, _) = moving(shape), moving(plane)
        n = P[:3, 2]
        down = n @ (P[:3, 3] - X[:3, 3]) + EXTENTS[shape.kind](shape.size, X[:3, :3].T @ n)
        return down + dt * (turning * RADII[shape.kind](shape.size) - n @ v)

    def overlap(a: ContactShape, b: ContactShape) -> Any:
        """How far the balls of two shapes may overlap after the step."""
        (X, v, turning), (Y, u, other) = moving(a), moving(b)
        r, s = RADII[a.kind](a.size), RADII[b.kind](b.size)
        return r + s - _length(X[:3, 3] - Y[:3, 3]) + dt * (_length(v - u) + turning * r + other * s)

    near = []
    for pair in (contacts.pairs[k] for k in pairs):
        a, b = contacts.shapes[pair.a], contacts.shapes[pair.b]
        if "plane" in (a.kind, b.kind):
            near.append(below(*((b, a) if a.kind == "plane" else (a, b))))
        else:
            near.append(overlap(a, b))
    return less(0.0, dense.largest(near))
