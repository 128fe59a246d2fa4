"""A robot and a world as one robot: its model has the objects' bodies and contacts.

Numbers that are inputs of steps (`model.contact.inputs`) are those that a world chooses: poses and sizes of fixed
objects, friction. A scene whose steps take them as inputs has other numbers in their places, the same for all worlds of
one structure: so all of these share the compiled steps. It has no frames and pictures of fixed objects.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..algorithms.contact.slots import slot_names
from ..errors import InputError, value_text
from ..model import WORLD, Model
from ..model.contact import ContactLaw, ContactPair, Contacts, ContactShape
from ..model.joints import Free
from ..robot import Robot
from ..robot.editing import close_edited
from ..robot.types import Float
from ..support.conversion import broadcast
from .bodies import Bodies, bodies_of, object_slices, start_of
from .checks import check_pairs, check_slots, warn_of_second_ground
from .laws import Pair, friction_of, laws_of, says_friction
from .objects import Plane, Shape
from .pairs import chosen_pairs, touch_often
from .world import World

MOST_SCENES = 16
"""Scenes of a robot that are kept, with their compiled steps."""


class Scene(NamedTuple):
    """A robot in a world."""

    robot: Robot
    """With the bodies of objects, and contacts; numbers that are inputs are not those of the world."""
    world: World
    part: tuple[int, int]
    """nq and nv of the robot: the first entries of those of the scene."""
    contact: Mapping[str, Float]
    """Inputs of steps, with batch axes."""
    q: Float
    """(..., ·) of the objects at the beginning."""
    v: Float

    @property
    def is_whole(self) -> bool:
        """Whether the robot is all that moves."""
        return self.part == (self.robot.nq, self.robot.nv)

    @property
    def slot_names(self) -> tuple[str, ...]:
        """Names of all slots."""
        assert self.robot.model.contacts is not None
        return slot_names(self.robot.model.contacts)


class _Binding(NamedTuple):
    """The bodies of a scene, and its contacts with the numbers of the world's first lane."""

    bodies: Bodies
    contacts: Contacts
    pairs: list[Pair]
    laws: list[ContactLaw]


def world_of(x: Any) -> World:
    """Argument that must be a world."""
    if x is True or isinstance(x, str):
        return World(ground=x)
    if not isinstance(x, World):
        raise InputError(f"world must be a kt.World, got {value_text(x)}")
    return x


def scene_robot(robot: Robot, world: World) -> Robot:
    """The robot in the world, with the world's numbers in its model; those per lane are those of the first."""
    bound = _bind(robot.model, world)
    model = replace(bound.bodies.model, contacts=bound.contacts)
    return robot._with_model(close_edited(model, robot.model))


def bound_scene(robot: Robot, world: World) -> Scene:
    """The robot in the world, whose numbers are inputs of its steps; scenes of one structure are one robot."""
    if world not in robot._worlds:
        _make_room(robot._worlds)
        robot._worlds[world] = _bound(robot, world)
    found: Scene = robot._worlds[world]
    return found


def _bound(robot: Robot, world: World) -> Scene:
    bound = _bind(robot.model, world)
    inputs, contacts = _inputs(world, bound)
    model = replace(_structure(robot.model, world, bound.bodies), contacts=contacts)
    q, v = _joined(*start_of(world.placed))
    if model not in robot._scenes:
        _make_room(robot._scenes)
        robot._scenes[model] = robot._with_model(close_edited(model, robot.model))
    return Scene(robot._scenes[model], world, (robot.nq, robot.nv), inputs, q, v)


def _make_room(kept: dict[Any, Any]) -> None:
    """Forget the first of many."""
    while len(kept) >= MOST_SCENES:
        kept.pop(next(iter(kept)), None)


@lru_cache(maxsize=MOST_SCENES)
def _bind(model: Model, world: World) -> _Binding:
    if model.contacts is not None:
        raise InputError("the robot is in a world already: give the one that with_world was called on")
    warn_of_second_ground(model, world)
    bodies = bodies_of(model, world.placed, world.meshes)
    pairs = chosen_pairs(bodies, model.contact_rules, world.pairs)
    check_pairs(model, world, bodies, pairs)
    laws = laws_of(world, pairs)
    used = list({x.shape.name: x for pair in pairs for x in pair[:2]}.values())
    places = {x.shape.name: k for k, x in enumerate(used)}
    made = (
        ContactPair(x.name, places[x.a.shape.name], places[x.b.shape.name], law, often)
        for x, law, often in zip(pairs, laws, touch_often(bodies.model, pairs), strict=True)
    )
    contacts = Contacts(tuple(x.shape for x in used), tuple(made), world.solver)
    check_slots(contacts)
    return _Binding(bodies, contacts, pairs, laws)


def _inputs(world: World, bound: _Binding) -> tuple[dict[str, Float], Contacts]:
    """The inputs of steps, and the contacts with other numbers in their places."""
    found, shapes = dict[str, Float](), []
    objects = {label: world.placed[name] for name, label in bound.bodies.labels.items()}
    for shape in bound.contacts.shapes:
        x = objects.get(shape.name)
        chosen = isinstance(x, Shape) and not (isinstance(x, Plane) and x.is_flat)
        shapes.append(_as_input(shape, x, found) if chosen and isinstance(x, Shape) else shape)
    pairs = bound.contacts.pairs
    if says_friction(world, bound.pairs):
        friction = friction_of(world, bound.pairs, bound.laws)
        if friction.ndim > 1 or (friction > 0.0).all():
            found["friction"] = friction
            pairs = tuple(replace(x, law=replace(x.law, friction=1.0)) for x in pairs)
    return found, replace(bound.contacts, shapes=tuple(shapes), pairs=pairs)


def _structure(robot: Model, world: World, scene: Bodies) -> Model:
    """The model of a scene without what worlds of one structure differ in: where objects are at home, and pictures."""
    model, shapes = scene.model, {label: world.placed[name] for name, label in scene.labels.items()}
    start = None if model.start is None else np.array(model.start)
    for name, (at, _) in object_slices(world.placed, robot.nq, robot.nv).items():
        if name in shapes and start is not None:
            start[at] = Free().neutral()
    return replace(
        model,
        frames={name: x for name, x in model.frames.items() if name not in shapes or not shapes[name].is_fixed},
        geometry=tuple(x for x in model.geometry if x.frame not in shapes),
        start=start,
    )


def _as_input(shape: ContactShape, x: Shape, found: dict[str, Float]) -> ContactShape:
    """A shape with its pose and size among the inputs."""
    if shape.body == WORLD:
        found[f"{shape.name}.pose"] = np.asarray(x.pose)
        shape = replace(shape, X=np.eye(4))
    if not x.is_fixed or not np.size(shape.size) or shape.kind == "points":
        return shape
    name = "heights" if shape.kind == "heights" else "size"
    found[f"{shape.name}.{name}"] = np.asarray(x.size)
    return replace(shape, size=np.ones(np.shape(shape.size)))


def _joined(q: Mapping[str, Float], v: Mapping[str, Float]) -> tuple[Float, Float]:
    """q (..., ·) and v (..., ·) of all objects side by side, both with all batch axes."""
    if not q:
        return np.zeros(0), np.zeros(0)
    shapes = {f"{name}: {what}": x[name].shape[:-1] for what, x in (("poses", q), ("velocities", v)) for name in x}
    batch = broadcast(shapes)
    parts = ([np.broadcast_to(x, (*batch, x.shape[-1])) for x in each.values()] for each in (q, v))
    q_all, v_all = (np.concatenate(each, axis=-1) for each in parts)
    return q_all, v_all
