"""Numbers of contacts that calls of steps may give instead of those of the model, by names.

"friction"         (pairs,) of all pairs
"<shape>.pose"     (7,) position and unit quaternion of a shape that is fixed to the world
"<shape>.size"     its size, (k,) or (n, 3) of points
"<shape>.heights"  (nx, ny) of a height field
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ...arrays import Array
from ...errors import InputError, unknown_name_error
from ...lie import se3, so3
from ..body import WORLD
from .contacts import Contacts, ContactShape

if TYPE_CHECKING:
    from ..model import Model

FRICTION = "friction"


def contact_input_shape(model: Model, name: str) -> tuple[int, ...]:
    """The shape of an input; an `InputError` if the model has none of that name."""
    contacts = model.contacts
    if contacts is None:
        raise InputError(f"contact[{name!r}]: the robot is in no world: robot.with_world(world) has contacts")
    if name == FRICTION:
        return (len(contacts.pairs),)
    valid = [key for shape in contacts.shapes for key in _names(shape)]
    if name not in valid:
        raise unknown_name_error("contact input", name, [FRICTION, *valid])
    shape = next(x for x in contacts.shapes if name in _names(x))
    return (7,) if name.endswith(".pose") else np.shape(shape.size)


def _names(shape: ContactShape) -> list[str]:
    of_size = f"{shape.name}.{'heights' if shape.kind == 'heights' else 'size'}"
    return [f"{shape.name}.pose", of_size] if shape.body == WORLD else [of_size]


def with_contact_inputs(contacts: Contacts, given: Mapping[str, Array]) -> Contacts:
    """The contacts with other numbers."""
    if not given:
        return contacts
    shapes = tuple(_with_numbers(shape, given) for shape in contacts.shapes)
    pairs = contacts.pairs
    if FRICTION in given:
        friction = given[FRICTION]
        pairs = tuple(replace(x, law=replace(x.law, friction=friction[k])) for k, x in enumerate(pairs))
    return replace(contacts, shapes=shapes, pairs=pairs)


def _with_numbers(shape: ContactShape, given: Mapping[str, Array]) -> ContactShape:
    pose, size = (given.get(name) for name in (f"{shape.name}.pose", _names(shape)[-1]))
    if pose is not None:
        shape = replace(shape, X=se3.pose(so3.from_quaternion(pose[3:]), pose[:3]))
    return shape if size is None else replace(shape, size=size)
