"""A robot and the objects of a world as one model, and all shapes that may touch.

The robot's joints come first, so that its q and v are the first entries of those of the scene. A free body has a free
joint of its own name at its centre of mass, whose q is the pose there, with the axes of the body, and v the twist:
steps keep the velocity of that point, and so the momentum where nothing acts on the body. Joints and links of another
robot have its name before them: "arm/elbow".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError, name_list
from ..model import WORLD, Model
from ..model.body import Body, Frame, Limits
from ..model.build import edits
from ..model.configurations import home
from ..model.contact import ContactShape, Surface
from ..model.contact.names import unique_name
from ..model.contact.resolve import contact_shapes
from ..model.joints import Free
from ..robot.types import Float
from .objects import OtherRobot, Placed, Shape
from .pictures import pictures
from .values import first_lane, matrix_of, moved_pose, moved_twist
from .world import GROUND, ROBOT


class SceneShape(NamedTuple):
    """A shape that may touch others."""

    shape: ContactShape
    owner: str
    """The name of an object, "ground", or "robot"."""
    surface: Surface | None


class Bodies(NamedTuple):
    """The robot and the objects of a world as one model."""

    model: Model
    """Without contacts."""
    shapes: tuple[SceneShape, ...]
    labels: Mapping[str, str]
    """The frame and the shape of each object of one shape: its name, but for a ground where the robot has that name."""


def bodies_of(model: Model, placed: Mapping[str, Placed], meshes: Any = "hull") -> Bodies:
    """The scene of a robot and objects by name, in the first lane's poses; `meshes` as of `contact_shapes`."""
    _check_names(model, placed)
    owners, own, labels = dict.fromkeys(model.frames, ROBOT), list[SceneShape](), dict[str, str]()
    size, taken = model.nq, {*model.frames, *(x.name for x in model.collision_shapes)}
    for name, x in placed.items():
        if isinstance(x, OtherRobot):
            free = replace(x.model, actuators=(), keyframes=())  # so that control= is the robot's alone
            model = edits.join(model, free, "world", matrix_of(x.pose), f"{name}/", hold=False)
            owners |= {link: name for link in model.frames if link not in owners}
        elif isinstance(x, Shape):
            body = WORLD if x.is_fixed else len(model.bodies)
            label = labels[name] = unique_name(name, taken)
            model = _with_frame(model, label, x) if x.is_fixed else _with_free_body(model, label, x)
            own.append(SceneShape(_contact_shape(label, name, x, body), name, x.touching_surface))
            owners[label] = name
    if model.nq != size:
        model = replace(model, keyframes=())  # which have all of q
    surfaces = {x.name: x.surface for x in model.collision_shapes}
    of_robots = (
        SceneShape(
            replace(x, owner=owners[x.link]),
            owners[x.link],
            surfaces.get(x.name, surfaces.get(x.name.rpartition(":")[0])),
        )
        for x in contact_shapes(model, meshes)
    )
    return Bodies(model, (*of_robots, *own), labels)


def start_of(placed: Mapping[str, Placed]) -> tuple[dict[str, Float], dict[str, Float]]:
    """q (..., ·) and v (..., ·) of each object that moves, where it begins."""
    q, v = dict[str, Float](), dict[str, Float]()
    for name, x in placed.items():
        if x.is_fixed:
            continue
        if isinstance(x, OtherRobot):
            q[name] = home(x.model) if x.q is None else x.q
            v[name] = np.zeros(x.model.nv) if x.v is None else x.v
        elif isinstance(x, Shape):
            velocity = x.velocity
            q[name] = moved_pose(x.pose, x.center_of_mass)
            v[name] = np.zeros(6) if velocity is None else moved_twist(velocity, x.center_of_mass)
    return q, v


def object_slices(placed: Mapping[str, Placed], nq: int, nv: int) -> dict[str, tuple[slice, slice]]:
    """Places of the variables of each object that moves in q and v of a scene, behind nq and nv of the robot."""
    found = dict[str, tuple[slice, slice]]()
    for name, x in placed.items():
        if not x.is_fixed:
            own = (x.model.nq, x.model.nv) if isinstance(x, OtherRobot) else (Free.nq, Free.nv)
            found[name] = slice(nq, nq + own[0]), slice(nv, nv + own[1])
            nq, nv = nq + own[0], nv + own[1]
    return found


def _contact_shape(name: str, owner: str, x: Shape, body: int) -> ContactShape:
    axes = 2 if x.kind in ("points", "heights") else 1
    return ContactShape(
        name=name,
        kind=x.kind,
        size=first_lane(x.size, axes),
        body=body,
        X=matrix_of(first_lane(x.pose, 1)) if body == WORLD else np.eye(4),
        lengths=np.asarray(x.lengths) if x.kind == "heights" else None,  # type: ignore[attr-defined]
        velocity=None if x.surface is None else x.surface.velocity,
        link="" if body == WORLD else name,
        owner=owner,
    )


def _with_frame(model: Model, name: str, x: Shape) -> Model:
    """The model with a fixed object."""
    frame = Frame(name, WORLD, matrix_of(first_lane(x.pose, 1)))
    return replace(model, frames={**model.frames, name: frame}, geometry=(*model.geometry, *pictures(name, x)))


def _with_free_body(model: Model, name: str, x: Shape) -> Model:
    """The model with a free body, which starts at the pose of the object."""
    joint, index, from_center = Free(), len(model.bodies), np.eye(4)
    from_center[:3, 3] = -x.center_of_mass
    body = Body(
        index=index,
        name=name,
        parent=WORLD,
        joint_name=name,
        joint=joint,
        X_pj=np.eye(4),
        X_ji=from_center,
        J=x.spatial_inertia,
        limits=Limits.none(joint),
    )
    start = home(model) if model.start is None else model.start
    return replace(
        model,
        bodies=(*model.bodies, body),
        frames={**model.frames, name: Frame(name, index, np.eye(4))},
        geometry=(*model.geometry, *pictures(name, x)),
        start=np.concatenate([start, moved_pose(first_lane(x.pose, 1), x.center_of_mass)]),
        assembly=None,
    )


def _check_names(model: Model, placed: Mapping[str, Placed]) -> None:
    """An error if objects have names of the robot's joints or frames."""
    taken = {x for x in placed if x != GROUND and (x in model.frames or x in model.joint_names)}
    if taken:
        raise InputError(f"the robot has joints or frames of the names {name_list(sorted(taken))}: rename the objects")
