"""Worlds as JSON that holds every digit.

    {"format": "kinetrace.world", "version": 1, "ground": {"is": "Plane"}, "objects": {"box": {"is": "Box", …}}, …}

Fields that are as they are unless given are left out. Other robots are their models, as .json files of robots have
them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError, KinetraceError, name_list, unknown_name_error, value_text
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
        return _world_from(json.loads(text))
    except KinetraceError as error:
        raise InputError(f"the text holds no world: {error}") from None
    except (ValueError, TypeError, RecursionError) as error:
        raise InputError(f"the text holds no world: {type(error).__name__}: {error}") from None


def _world_from(found: Any) -> World:
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise InputError(f'one that World.save wrote begins with {{"format": "{FORMAT}", "version": {VERSION}')
    if found.get("version") != VERSION:
        raise InputError(f"version must be {VERSION}, got {value_text(found.get('version'))}")
    given: dict[str, Any] = {"ground": None, **{k: x for k, x in found.items() if k not in ("format", "version")}}
    if isinstance(given["ground"], dict):
        given["ground"] = _object_from(given["ground"], "ground")
    objects = _mapping(given.get("objects", {}), "objects")
    given["objects"] = {name: _object_from(x, f"object {name!r}") for name, x in objects.items()}
    for name in {"friction", "restitution", "laws"} & given.keys():
        given[name] = {(a, b): _value(name, x, name) for a, b, x in _by_names(given[name], name)}
    return _record(World, given, "world")


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


def _mapping(x: Any, what: str) -> dict[str, Any]:
    if not isinstance(x, dict):
        raise InputError(f"{what} must be an object of JSON, got {value_text(x)}")
    return x


def _by_names(given: Any, what: str) -> list[Any]:
    """Names and value of each that is given."""
    for x in given if isinstance(given, list) else [given]:
        if not (isinstance(x, list) and len(x) == 3 and all(isinstance(name, str) for name in x[:2])):
            raise InputError(f"{what} must be lists of a name, a name and a value, got {value_text(x)}")
    return list(given)


def _object_from(x: Any, what: str) -> Placed:
    given = dict(_mapping(x, what))
    name = given.pop("is", None)
    if not isinstance(name, str) or name not in KINDS:
        kinds = ", ".join(map(repr, KINDS))
        raise InputError(f'{what}: "is" must be one of {kinds}, got {value_text(name)}')
    made: Placed = _record(KINDS[name], {key: _value(key, y, what) for key, y in given.items()}, what)
    return made


def _record(kind: type[Any], given: Mapping[str, Any], what: str) -> Any:
    """The record with these fields; an error that names a field which it does not have, or lacks."""
    known = {x.name: x.default is MISSING and x.default_factory is MISSING for x in fields(kind)}
    for name in given:
        if name not in known:
            raise unknown_name_error(f"field of {what}", name, known)
    lacking = [name for name, is_needed in known.items() if is_needed and name not in given]
    if lacking:
        raise InputError(f"{what} has no {name_list(lacking)}, which a {kind.__name__} needs")
    return kind(**given)


def _value(name: str, x: Any, what: str) -> Any:
    if name == "robot":
        return read_json(json.dumps(x))
    if name in _RECORDS and isinstance(x, dict):
        own = f"{name} of {what}"
        return _record(_RECORDS[name], {key: _value(key, y, own) for key, y in x.items()}, own)
    return x
