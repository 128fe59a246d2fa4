"""Worlds as JSON that holds every digit.

    {"format": "kinetrace.world", "version": 1, "ground": {"is": "Plane"}, "objects": {"box": {"is": "Box", …}}, …}

Fields that are as they are unless given are left out. Other robots are their models, as .json files of robots have
them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError, KinetraceError, value_text
from ..model import Model
from ..model.contact import ContactLaw, Surface
from ..model.files.load.json_file import read_json
from ..model.files.save.json import json_text
from ..support.files import write_atomically
from .objects import KINDS, Placed, Plane
from .world import World

FORMAT, VERSION = "kinetrace.world", 1
LARGEST_BYTES = 1 << 28
"""Bytes of a file that is read."""
_RECORDS: dict[str, type[Any]] = {"surface": Surface, "law": ContactLaw, "laws": ContactLaw}


def to_json(world: World) -> str:
    """See `World.to_json`."""
    found: dict[str, Any] = {"format": FORMAT, "version": VERSION}
    if world.ground is not None:
        found["ground"] = "flat" if world.ground == Plane() else _object(world.ground)
    if world.objects:
        found["objects"] = {name: _object(x) for name, x in world.objects.items()}
    if world.pairs is not None:
        found["pairs"] = [x if isinstance(x, str) else list(x) for x in world.pairs]
    for name in ("friction", "restitution", "laws"):
        if given := getattr(world, name):
            found[name] = [[*names, _plain(x)] for names, x in given]
    if world.meshes != "hull":
        found["meshes"] = dict(world.meshes) if isinstance(world.meshes, Mapping) else world.meshes
    if world.solver != "automatic":
        found["solver"] = world.solver
    return json.dumps(found, allow_nan=False)


def from_json(text: str) -> World:
    """See `World.from_json`."""
    try:
        found = json.loads(text)
        if found.pop("format") != FORMAT or found.pop("version") != VERSION:
            raise InputError(f"it is no {FORMAT} of version {VERSION}")
        given: dict[str, Any] = {"ground": None, **found}
        if isinstance(given["ground"], dict):
            given["ground"] = _object_from(given["ground"])
        given["objects"] = {name: _object_from(x) for name, x in given.get("objects", {}).items()}
        for name in {"friction", "restitution", "laws"} & given.keys():
            given[name] = {(a, b): _value(name, x) for a, b, x in given[name]}
        return World(**given)
    except KinetraceError as error:
        raise InputError(f"the text holds no world: {error}") from None
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InputError(f"the text holds no world: {type(error).__name__}: {error}") from None


def save(world: World, path: Path) -> None:
    """See `World.save`."""
    if path.suffix != ".json":
        raise InputError(f"{path.name!r}: worlds are written as .json")
    if not path.absolute().parent.is_dir():
        raise InputError(f"there is no folder {str(path.absolute().parent)!r}")
    write_atomically({path: (to_json(world) + "\n").encode()})


def load(path: Path) -> World:
    """See `World.load`."""
    try:
        if path.stat().st_size > LARGEST_BYTES:
            raise InputError(f"{path.name!r} is too large for a world")
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read {str(path)!r}: {getattr(error, 'strerror', None) or error}") from None
    try:
        return from_json(text)
    except InputError as error:
        raise InputError(f"{path.name!r}: {error}") from None


def _object(x: Placed) -> dict[str, Any]:
    found = {"is": type(x).__name__, **_fields(x)}
    if isinstance(x, Plane):
        found.pop("pose", None)
    return found


def _fields(x: Any) -> dict[str, Any]:
    """The fields of a record that are not as they are unless given."""
    found = {}
    for each in fields(x):
        value = getattr(x, each.name)
        default = each.default_factory() if callable(each.default_factory) else each.default
        if value is not None and not _same(value, default):
            found[each.name] = _plain(value)
    return found


def _same(x: Any, y: Any) -> bool:
    if isinstance(x, np.ndarray) or isinstance(y, np.ndarray):
        return isinstance(y, int | float | tuple | np.ndarray) and np.array_equal(x, np.asarray(y))
    return bool(x == y)


def _plain(x: Any) -> Any:
    if isinstance(x, Model):
        return json.loads(json_text(x))
    if isinstance(x, Surface | ContactLaw):
        return _fields(x)
    return np.asarray(x).tolist()


def _object_from(x: Mapping[str, Any]) -> Placed:
    given = dict(x)
    name = given.pop("is")
    if name not in KINDS:
        raise InputError(f"objects of kind {value_text(name)} are not known")
    return KINDS[name](**{key: _value(key, y) for key, y in given.items()})


def _value(name: str, x: Any) -> Any:
    if name == "robot":
        return read_json(json.dumps(x))
    if name in _RECORDS and isinstance(x, dict):
        return _RECORDS[name](**{key: _value(key, y) for key, y in x.items()})
    return x
