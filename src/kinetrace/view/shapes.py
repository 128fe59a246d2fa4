"""Shapes on the bodies of a robot, its own or those of its skeleton, for all kinds of pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple, TypeVar

import numpy as np

from ..arrays import Array
from ..lie import inertia, se3
from ..model.body import Mesh
from ..model.model import Model
from .skeleton import DARK, STEEL, JointSymbol, LinkSegment, skeleton
from .worlds.shown import free_objects, placed_objects, robot_part

SHAPE_KINDS = ("box", "sphere", "cylinder", "capsule", "ellipsoid", "plane", "mesh")
"""Kinds of shapes that are drawn."""

Made = TypeVar("Made")


class Shape(NamedTuple):
    """A shape on a body, -1 being the world; kinds and sizes are those of `Geometry`."""

    body: int
    kind: str
    size: tuple[float, ...]
    pose: Array
    """(4, 4) in the body frame."""
    color: tuple[float, ...] | None = None
    """Red, green, blue and opacity, from 0 to 1."""
    mesh: str | Mesh | None = None
    placed: Literal["", "object", "ground"] = ""
    """Of a world: a fixed object, or a plane or height field."""


def map_shapes(model: Model, make: Callable[[Shape], Made | None], own: bool = True) -> list[Made]:
    """Results of `make` for a robot's visual shapes, and for its skeleton's where it has none, or `own` is False.

    Bodies without visual shapes have those for collisions. Bodies whose shapes cannot be made, such as meshes whose
    files are missing, have those of the skeleton; planes are the ground, and no shapes of a robot, nor are the objects
    of a world, which always have their own.

    >>> import kinetrace as kt
    >>> model = kt.load("planar2r").model
    >>> map_shapes(model, lambda x: x.body), map_shapes(model, lambda x: x.kind, own=False)
    ([-1, 0, 0, 1, 1], ['capsule', 'capsule', 'cylinder', 'cylinder', 'cylinder'])
    """
    objects = free_objects(model)
    results = [(x, make(x)) for x in own_shapes(model, "visual") if own or x.placed or x.body in objects]
    seen = {x.body for x, made in results if made is not None and x.kind != "plane" and not x.placed}
    if own:
        bare_bodies = (x for x in own_shapes(model, "collision") if x.body not in seen and x.kind != "plane")
        results += [(x, make(x)) for x in bare_bodies]
    of_robot = [(x, y) for x, y in results if not x.placed and x.body not in objects]
    solid = [(x.body, made is not None) for x, made in of_robot if x.kind != "plane"]
    missing = {body for body, _ in solid} - {body for body, is_made in solid if is_made}
    bare = skeleton_shapes(model) if missing or not solid else []
    made = [y for _, y in results] + [make(x) for x in bare if not solid or x.body in missing]
    return [y for y in made if y is not None]


def own_shapes(model: Model, role: str) -> Iterator[Shape]:
    """The shapes of a robot that can be seen: those for sight, "visual", or those for "collision"."""
    fixed = placed_objects(model)
    for shape in model.geometry:
        is_clear = shape.color is not None and shape.color[3] <= 0.0
        kind, mesh = (shape.kind, shape.mesh) if shape.grid is None else ("mesh", shape.grid)
        size = shape.size if shape.grid is None else (1.0, 1.0, 1.0)
        if shape.role != role or kind not in SHAPE_KINDS or shape.frame not in model.frames or is_clear:
            continue
        if np.isfinite(shape.size).all() and np.isfinite(shape.placement).all():
            frame = model.frames[shape.frame]
            pose = frame.X_bf @ np.asarray(shape.placement, dtype=float)
            placed: Literal["", "object", "ground"] = ""
            if shape.frame in fixed:
                placed = "ground" if shape.kind in ("plane", "heights") else "object"
            yield Shape(frame.body, kind, size, pose, shape.color, mesh, placed)


def skeleton_shapes(model: Model) -> list[Shape]:
    """Capsules and joint symbols of a robot."""
    bones = skeleton(robot_part(model))
    capsules = [_capsule(x, (*bones.colors[x.body], 1.0)) for x in bones.segments]
    return capsules + [_joint(x) for x in bones.symbols]


def _capsule(segment: LinkSegment, color: tuple[float, ...]) -> Shape:
    along = segment.end - segment.start
    length = float(np.linalg.norm(along))
    R = upright(along / length) if length > 0 else np.eye(3)
    pose = se3.pose(R, (segment.start + segment.end) / 2)
    return Shape(segment.body, "capsule", (segment.radius, length), pose, color)


def _joint(symbol: JointSymbol) -> Shape:
    color = (*(STEEL if symbol.kind in ("ground", "wheel") else DARK), 1.0)
    kind, size = "cylinder", tuple[float, ...]((symbol.radius, symbol.length))
    if symbol.kind in ("ball", "free", "universal"):
        kind, size = "sphere", (symbol.radius,)
    elif symbol.kind in ("prismatic", "planar"):
        kind, size = "box", (2 * symbol.radius, 2 * symbol.radius, symbol.length)
    return Shape(symbol.body, kind, size, se3.pose(upright(symbol.axis), symbol.center), color)


def upright(axis: Array) -> Array:
    """A rotation matrix whose third column is this unit vector.

    >>> upright(np.array([1.0, 0.0, 0.0]))[:, 2]
    array([1., 0., 0.])
    """
    helper = np.eye(3)[int(np.argmin(np.abs(axis)))]
    x = np.cross(helper, axis)
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(axis, x), axis], axis=1)


def inertia_ellipsoid(J: Array) -> tuple[Array, Array]:
    """Centre (3,) and matrix (3, 3) of the ellipsoid of even density with this inertia (6, 6).

    Its points c + x have xᵀ A⁻¹ x ≤ 1. A is zero without mass.
    """
    m, P = float(inertia.mass(J)), np.asarray(inertia.pseudo_inertia(J))
    if not m > 0:
        return np.zeros(3), np.zeros((3, 3))
    c = P[:3, 3] / m
    return c, 5 * (P[:3, :3] / m - np.outer(c, c))


def semiaxes(A: Array) -> tuple[Array, Array]:
    """Lengths (3,) of the semiaxes of the ellipsoid xᵀ A⁻¹ x = 1, and a rotation matrix whose columns are their axes.

    >>> semiaxes(np.diag([4.0, 9.0, 1.0]))[0]
    array([1., 2., 3.])
    """
    values, axes = np.linalg.eigh((A + A.T) / 2)
    axes[:, 0] *= np.linalg.det(axes)
    return np.sqrt(np.clip(values, 0.0, None)), axes
