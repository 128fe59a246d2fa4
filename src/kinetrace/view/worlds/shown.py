"""What pictures show of a robot in a world: the scene as one robot, its state or motion, its contacts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...algorithms.contact.slots import contact_points, slot_names
from ...arrays import Array
from ...errors import InputError
from ...model import WORLD, Model
from ...model.configurations import home
from ...model.contact.inputs import contact_input_shape, with_contact_inputs
from ...robot import Robot
from ...robot.types import Float
from ...support.conversion import as_reals
from ...worlds.scene import bound_scene, world_of
from ...worlds.values import first_lane

if TYPE_CHECKING:
    from ...simulation import Trajectory

USUAL_PART = 0.9
"""Contact forces are drawn relative to this quantile of those of a motion: impacts are rare, and far larger."""
NEAR = 2e-3
"""Gap below which shapes touch in a picture without forces, relative to the size of the robot."""


class ShownContacts(NamedTuple):
    """Contacts of the rows of a motion that a picture shows, of slots that ever touch."""

    names: tuple[str, ...]
    points: Float
    """(n, slots, 3) in the world [m]."""
    forces: Float
    """(n, slots, 3) on the first shape of each pair, in the world [N]; zero where nothing touches."""

    @property
    def usual_force(self) -> float:
        """The length of a force that is among the larger ones, but for impacts [N]; 1 if there is none."""
        lengths = np.linalg.norm(self.forces, axis=-1)
        return float(np.quantile(lengths[lengths > 0.0], USUAL_PART)) if (lengths > 0.0).any() else 1.0


class Shown(NamedTuple):
    """A robot to show, alone or in a world, with what there is to show."""

    robot: Robot
    """That of the scene, if there is a world."""
    q: Any
    """Of this robot: a motion, configurations, or None."""
    t: Any = None
    """Times of configurations that are a motion."""
    motion: Trajectory | None = None
    """The motion of this robot, with contacts."""

    def contacts(self, rows: npt.NDArray[np.intp]) -> ShownContacts | None:
        """Those of rows of the first motion; None if the motion has none."""
        if self.motion is None or not rows.size:
            return None
        lanes = self.motion.q.ndim - 2
        first = self.motion.lane(*(0,) * lanes) if lanes else self.motion
        found = first[rows[0] : rows[-1] + 1].contacts
        touching = found.touching[rows - rows[0]]
        ever = touching.any(axis=0)
        is_pushed = touching[:, ever, None]
        points, forces = (np.where(is_pushed, x[rows - rows[0]][:, ever], 0.0) for x in (found.points, found.forces))
        names = tuple(name for name, is_one in zip(found.names, ever, strict=True) if is_one)
        return ShownContacts(names, points, forces)


def shown(robot: Robot, q: Any, t: Any, world: Any) -> Shown:
    """The robot, or the scene in which it stands: that of a motion, or the one that is asked for."""
    if getattr(q, "scene", None) is not None:
        if world is not None:
            raise InputError("the motion has a world of its own: leave out world")
        return _of_motion(robot.with_world(q.world), q.scene)
    if world is None:
        is_motion = hasattr(q, "reported") and robot.model.contacts is not None
        return _of_motion(robot, q) if is_motion else Shown(robot, q, t)
    own = world_of(world)
    scene, start = robot.with_world(own), bound_scene(robot, own).q
    given = as_reals("q", home(robot.model) if q is None else getattr(q, "q", q))
    if given.shape[-1:] != (robot.nq,):
        raise InputError(f"q must be a Trajectory or have shape (..., {robot.nq}), got {given.shape}")
    objects = np.broadcast_to(first_lane(start, 1), (*given.shape[:-1], start.shape[-1]))
    return Shown(scene, np.concatenate([given, objects], axis=-1), getattr(q, "t", t))


def _of_motion(scene: Robot, motion: Trajectory) -> Shown:
    """The scene with the numbers of its first motion."""
    first = {
        name: x.reshape(-1, *shape)[0]
        for name, x in motion.contact_inputs.items()
        for shape in [contact_input_shape(scene.model, name)]
    }
    robot = scene if not first else scene._with_model(with_numbers(scene.model, first))
    return Shown(robot, motion, None, motion if "contact_forces" in motion.reported else None)


def with_numbers(model: Model, inputs: Mapping[str, Array]) -> Model:
    """The model of a scene with other numbers of its contacts, in pictures too."""
    assert model.contacts is not None
    contacts = with_contact_inputs(model.contacts, inputs)
    fixed = {x.name: x for x in contacts.shapes if x.body == WORLD and not x.link}
    frames = {
        name: replace(x, X_bf=np.asarray(fixed[name].X)) if name in fixed else x for name, x in model.frames.items()
    }
    pictures = []
    for x in model.geometry:
        if x.frame in fixed and f"{x.frame}.heights" in inputs:
            x = replace(x, heights=np.asarray(inputs[f"{x.frame}.heights"]))
        elif x.frame in fixed and f"{x.frame}.size" in inputs and x.kind != "mesh":
            x = replace(x, size=tuple(np.asarray(inputs[f"{x.frame}.size"], dtype=float).tolist()))
        pictures.append(x)
    return replace(model, contacts=contacts, frames=frames, geometry=tuple(pictures))


def placed_objects(model: Model) -> frozenset[str]:
    """Names of the frames of objects of a world that are fixed."""
    shapes = () if model.contacts is None else model.contacts.shapes
    return frozenset(x.name for x in shapes if x.body == WORLD and not x.link and x.name in model.frames)


def free_objects(model: Model) -> frozenset[int]:
    """Bodies that are free objects of a world: their joint, link and shape have one name."""
    shapes = () if model.contacts is None else model.contacts.shapes
    bodies = ((x, model.bodies[x.body]) for x in shapes if x.body != WORLD)
    return frozenset(b.index for x, b in bodies if b.parent == WORLD and x.name == x.link == b.name == b.joint_name)


def robot_part(model: Model) -> Model:
    """The model without the objects of a world at its end, for pictures."""
    objects, fixed, n = free_objects(model), placed_objects(model), len(model.bodies)
    while n - 1 in objects:
        n -= 1
    if n == len(model.bodies) and not fixed:
        return model
    nq = sum(b.joint.nq for b in model.bodies[:n] if b.mimic is None)
    frames = {name: x for name, x in model.frames.items() if x.body < n and name not in fixed}
    return replace(
        model,
        bodies=model.bodies[:n],
        frames=frames,
        geometry=tuple(x for x in model.geometry if x.frame in frames),
        contacts=None,
        keyframes=(),
        start=None if model.start is None else model.start[:nq],
        assembly=None,
    )


def ground_pose(model: Model) -> Float | None:
    """The pose (4, 4) of the plane that robots stand on, z being its normal; None if there is none."""
    if model.contacts is None:
        return None
    up = -np.asarray(model.gravity, dtype=float)
    planes = [np.asarray(x.X) for x in model.contacts.shapes if x.kind == "plane" and x.body == WORLD]
    upward = [X for X in planes if X[:3, 2] @ up > 0.0 or not up.any()]
    return max(upward, key=lambda X: float(X[:3, 2] @ up)) if upward else None


def stands_on_heights(model: Model) -> bool:
    """Whether a height field is all the ground there is."""
    kinds = [x.kind for x in (() if model.contacts is None else model.contacts.shapes) if x.body == WORLD]
    return "heights" in kinds and ground_pose(model) is None


def touching_points(model: Model, q: Array, size: float) -> Float:
    """Points (k, 3) at which shapes touch at a configuration, in the world; `size` is that of the robot [m]."""
    gaps, points, _ = (np.asarray(x, dtype=float) for x in contact_points(model, q))
    return points[gaps < NEAR * size]


def slots_of(model: Model) -> tuple[str, ...]:
    """Names of all places where shapes may touch."""
    return () if model.contacts is None else slot_names(model.contacts)
