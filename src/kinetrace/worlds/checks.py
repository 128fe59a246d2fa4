"""What is told of a robot in a world before anything runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..algorithms.contact.slots import contact_points, slot_names
from ..errors import InputError, PhysicsWarning, SimulationWarning, name_list, warn
from ..model import WORLD, Model
from ..model.contact import Contacts
from ..robot import Robot
from ..robot.types import Float
from .bodies import Bodies
from .laws import Pair
from .objects import Plane
from .world import World

MOST_SLOTS = 600
"""Slots of a scene beyond which its steps take too long to compile."""
OVERLAP = 1e-4
"""Depth from which shapes that overlap at the beginning are told [m]."""
MOST_FLOATS = 4
"""States of which gaps are computed without a kernel."""


def check_pairs(model: Model, world: World, scene: Bodies, pairs: Sequence[Pair]) -> None:
    """An error if nothing may touch."""
    if pairs:
        return
    if not any(x.owner == "robot" for x in scene.shapes):
        raise InputError(
            f"no shapes may touch: robot {model.name!r} has no collision shapes. They are <collision> of URDF, geoms "
            "of MJCF, or Builder.geometry(Geometry(..., role='collision'))"
        )
    if world.pairs is None and not world.placed:
        raise InputError("no shapes may touch: the world has neither ground nor objects, and pairs= names none")
    rule = "world" if world.pairs is None else list(world.pairs)
    valid = name_list([x.shape.name for x in scene.shapes], 10)
    raise InputError(f"no shapes may touch by pairs={rule!r}: give pairs of names, of {valid}")


def check_slots(contacts: Contacts) -> None:
    """An error if there are more slots than compile in bearable time."""
    n = len(slot_names(contacts))
    if n > MOST_SLOTS:
        raise InputError(
            f"{len(contacts.pairs)} pairs of shapes have {n} slots, more than {MOST_SLOTS} that compile: choose fewer, "
            "as pairs='feet', or pairs of names"
        )


def warn_of_second_ground(model: Model, world: World) -> None:
    """A warning if both the robot's file and the world have a ground."""
    own = [x for x in model.collision_shapes if x.kind == "plane" and model.frames[x.frame].body == WORLD]
    if own and isinstance(world.ground, Plane):
        warn(
            f"the robot's file has a ground of its own, {own[0].name!r}: World(ground=None) takes that alone",
            PhysicsWarning,
        )


def warn_of_overlaps(robot: Robot, q: Float, contact: Mapping[str, Float]) -> None:
    """A warning if shapes overlap at the states (..., nq) of a scene where it begins."""
    gaps = scene_points(robot, q, contact)[0]
    if not gaps.size or not np.nanmin(gaps, initial=np.inf) < -OVERLAP:
        return
    deepest = np.nanmin(gaps.reshape(-1, gaps.shape[-1]), axis=0)
    names = slot_names(robot.model.contacts)  # type: ignore[arg-type]
    order = [k for k in np.argsort(deepest) if deepest[k] < -OVERLAP]
    told = [f"{names[k]} by {-deepest[k]:.2g} m" for k in order[:5]]
    more = f" and {len(order) - 5} more" if len(order) > 5 else ""
    warn(f"shapes overlap at the beginning, and are pushed apart: {', '.join(told)}{more}", SimulationWarning)


def scene_points(robot: Robot, q: Float, contact: Mapping[str, Float]) -> tuple[Float, Float, Float]:
    """Gaps (..., slots), points (..., slots, 3) and frames (..., slots, 3, 3) at states (..., nq) of a scene."""
    batch = np.broadcast_shapes(q.shape[:-1], *(_batch(robot.model, name, x) for name, x in contact.items()))
    if not np.prod(batch, dtype=int):
        n = len(slot_names(robot.model.contacts))  # type: ignore[arg-type]
        return np.zeros((*batch, n)), np.zeros((*batch, n, 3)), np.zeros((*batch, n, 3, 3))
    if np.prod(batch, dtype=int) <= MOST_FLOATS:
        return _by_floats(robot.model, q, contact, batch)
    shapes = {"contact": {name: _core(robot.model, name) for name in contact}} if contact else {}
    kernel = robot.kernel(contact_points, shapes=shapes)
    gaps, points, frames = kernel(q, *contact.values())
    return np.asarray(gaps), np.asarray(points), np.asarray(frames)


def _by_floats(model: Model, q: Float, contact: Mapping[str, Float], batch: tuple[int, ...]) -> Any:
    """The same without a kernel."""
    lanes = np.broadcast_to(q, (*batch, q.shape[-1])).reshape(-1, q.shape[-1])
    cores = {name: _core(model, name) for name in contact}
    own = {name: np.broadcast_to(x, (*batch, *cores[name])).reshape(-1, *cores[name]) for name, x in contact.items()}
    each = [contact_points(model, x, contact={name: y[k] for name, y in own.items()}) for k, x in enumerate(lanes)]
    parts = (np.array(x, dtype=float) for x in zip(*each, strict=True))
    return tuple(x.reshape(*batch, *x.shape[1:]) for x in parts)


def _core(model: Model, name: str) -> tuple[int, ...]:
    from ..model.contact.inputs import contact_input_shape

    return contact_input_shape(model, name)


def _batch(model: Model, name: str, x: Float) -> tuple[int, ...]:
    return x.shape[: x.ndim - len(_core(model, name))]
