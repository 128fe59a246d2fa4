"""A model from the JSON that `save/json.py` writes: nothing in it is trusted.

Classes come from the closed list of `schema`, and joints also from the classes that the user names; numbers are finite,
and all that a builder would check is checked again there. Then records are made with the very bits of the file. Errors
say where: `model.bodies[3].X_pj`.
"""

from __future__ import annotations

import json
import math
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from ....errors import LONGEST_NAME, InputError, KinetraceError, ModelError, shorten, value_text
from ....support.files import regular_file
from ...constraints import Constraint
from ...contact.names import with_names
from ...joints import Joint
from ...model import Model
from ...record import Record, read_only
from ..schema import (
    DTYPES,
    FORMAT,
    INFINITE,
    RECORDS,
    VERSION,
    check_model,
    check_record,
    choices,
    families_with,
    fields_of,
    items,
    later_fields,
)
from .xml import MAX_FILE_SIZE, is_json_text

Families: TypeAlias = Mapping[str, Mapping[str, type[Record]]]
"""Classes of which a field may hold any, by the name of their base."""

_SPECIAL = {"inf": math.inf, "-inf": -math.inf}


def read_json(source: str | os.PathLike[str], joint_classes: Sequence[type[Joint | Constraint]] = ()) -> Model:
    """The model that a .json file, or JSON text, holds; its joints may be of these classes of a user's own, too."""
    families = families_with(joint_classes)
    is_text = is_json_text(source)
    file = "JSON text" if is_text else str(source)
    try:
        return _model(str(source).lstrip("\ufeff") if is_text else _text(source), families)
    except RecursionError:
        raise ModelError("is nested too deeply", file=file) from None
    except ModelError as error:
        error.file = error.file or file
        raise
    except InputError as error:
        raise ModelError(str(error), file=file) if is_text or os.path.isfile(source) else error from None


def _text(source: str | os.PathLike[str]) -> str:
    try:
        return decode_text(regular_file(Path(source).expanduser(), MAX_FILE_SIZE))
    except ModelError:
        raise
    except (OSError, ValueError, RuntimeError) as error:
        raise InputError(f"cannot read {str(source)!r}: {getattr(error, 'strerror', None) or error}") from None


def decode_text(data: bytes) -> str:
    """The text of a file."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ModelError(f"is not UTF-8 text: {error.reason} at byte {error.start}") from None


def _model(text: str, families: Families) -> Model:
    try:
        content = json.loads(text, object_pairs_hook=_once, parse_constant=_refuse)
    except KinetraceError:
        raise
    except json.JSONDecodeError as error:
        raise ModelError(f"malformed JSON: {error.msg}", place=f"line {error.lineno}") from None
    except ValueError as error:  # numbers of thousands of digits
        raise ModelError(f"malformed JSON: {shorten(error, LONGEST_NAME)}") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ModelError(f'holds no model: one that robot.save wrote begins with {{"format": "{FORMAT}"')
    version = content.get("version")
    if type(version) is not int or not 1 <= version <= VERSION:
        raise ModelError(f"has version {value_text(version)}; this kinetrace reads 1 to {VERSION}")
    if set(content) != {"format", "version", "model"}:
        raise ModelError("must have 'format', 'version' and 'model', and nothing else")
    model: Model = _record(Model, content["model"], "model", families)
    check_model(model)
    if all(shape.name for shape in model.collision_shapes):
        return model
    return replace(model, geometry=with_names(model.geometry))  # of a version in which shapes had none


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(name for name, times in Counter(name for name, _ in pairs).items() if times > 1)
        raise ModelError(f"{value_text(twice)} stands twice in one object")
    return found


def _refuse(name: str) -> float:
    raise ModelError(f'{name} is not JSON; infinity is written as the text "inf"')


def _wrong(place: str, wanted: str, got: Any) -> ModelError:
    return ModelError(f"must be {wanted}, got {value_text(got)}", place=place)


def _decode_value(kind: str, x: Any, place: str, infinite: bool, families: Families) -> Any:
    """Value of a field of this kind."""
    inner = items(kind)
    if inner is not None:
        if not isinstance(x, list):
            raise _wrong(place, "a list", x)
        found = [_decode_value(inner, item, f"{place}[{k}]", infinite, families) for k, item in enumerate(x)]
        return _mapping(found, place) if kind.startswith("Mapping") else tuple(found)
    found_kinds = choices(kind)
    if "str" in found_kinds and (isinstance(x, str) or found_kinds == ["str"]):
        return _plain(str, x, place, "text")
    for name in found_kinds:
        if name in RECORDS:
            return _record(RECORDS[name], x, place, families)
        if name in families:
            return _member(families[name], x, place, families)
    if kind == "bool":
        return _plain(bool, x, place, "true or false")
    if kind == "int":
        return _whole(x, place)
    return _array(x, place, infinite) if kind == "Array" else _scalar(x, place, infinite)


def _mapping(found: list[Any], place: str) -> Mapping[str, Any]:
    named = {item.name: item for item in found}
    if len(named) < len(found):
        raise ModelError("a name is used twice", place=place)
    return MappingProxyType(named)


def _plain(kind: type, x: Any, place: str, wanted: str) -> Any:
    if type(x) is not kind:
        raise _wrong(place, wanted, x)
    return x


def _whole(x: Any, place: str) -> int:
    if type(x) is not int or abs(x) > 2**53:
        raise _wrong(place, "a whole number", x)
    return x


def _scalar(x: Any, place: str, infinite: bool) -> Any:
    """A number, as Python's or NumPy's."""
    if isinstance(x, dict):
        if set(x) != {"dtype", "scalar"} or x["dtype"] not in DTYPES:
            raise _wrong(place, "a number", x)
        return _of_dtype([x["scalar"]], (), x["dtype"], place, infinite)[()]
    if type(x) is int:
        return _whole(x, place)
    return _float(x, place, infinite)


def _float(x: Any, place: str, infinite: bool) -> float:
    value = _SPECIAL.get(x) if infinite and isinstance(x, str) else float(x) if type(x) in (int, float) else None
    if value is None or (not infinite and not math.isfinite(value)) or (type(x) is float and not math.isfinite(x)):
        raise _wrong(place, "a number" if infinite else "a finite number", x)
    return value


def _array(x: Any, place: str, infinite: bool) -> Any:
    if not isinstance(x, list | dict):
        return _scalar(x, place, infinite)
    if isinstance(x, dict) and "scalar" in x:
        return _scalar(x, place, infinite)
    if isinstance(x, dict):
        if set(x) != {"dtype", "shape", "values"} or x["dtype"] not in DTYPES or not isinstance(x["values"], list):
            raise _wrong(place, "an array: a list of numbers, or 'dtype', 'shape' and 'values'", x)
        sizes = x["shape"] if isinstance(x["shape"], list) else [None]
        shape = tuple(_whole(n, f"{place}.shape") for n in sizes)
        if len(shape) > 8 or min(shape, default=0) < 0 or math.prod(shape) != len(x["values"]):
            raise _wrong(place, f"an array of {len(x['values'])} values", shape)
        return _of_dtype(x["values"], shape, x["dtype"], place, infinite)
    values, shape = x, (len(x),)
    while values and all(isinstance(item, list) for item in values):
        if len({len(item) for item in values}) != 1:
            raise ModelError("must be an array: its rows have different lengths", place=place)
        shape = (*shape, len(values[0]))
        values = [item for row in values for item in row]
    return _of_dtype(values, shape, "float64", place, infinite)


def _of_dtype(values: list[Any], shape: tuple[int, ...], dtype: str, place: str, infinite: bool) -> Any:
    try:
        if dtype.startswith("float"):
            found = np.array([_float(e, place, infinite) for e in values], dtype=dtype)
        else:
            wanted: Any = bool if dtype == "bool" else int
            found = np.array([_plain(wanted, e, place, f"{dtype} numbers") for e in values], dtype=dtype)
    except OverflowError:
        raise _wrong(place, f"numbers of the type {dtype}", values) from None
    try:
        return read_only(found.reshape(shape))
    except ValueError:  # sizes whose product is zero may still be too large
        raise _wrong(place, f"an array of {len(values)} values", shape) from None


def _member(classes: Mapping[str, type[Record]], x: Any, place: str, families: Families) -> Any:
    """A record that says which one it is."""
    name = x.get("is") if isinstance(x, dict) else None
    if not isinstance(name, str) or name not in classes:
        valid, hint = ", ".join(sorted(classes)), ""
        if classes is families["Joint"] or classes is families["Constraint"]:
            hint = " (kt.load(..., joint_classes=[...]) names classes of your own)"
        raise _wrong(place, f'an object with "is", one of {valid}{hint}', x if name is None else name)
    return _record(classes[name], {key: value for key, value in x.items() if key != "is"}, place, families)


def _record(kind: Any, x: Any, place: str, families: Families) -> Any:
    """A record with the bits of the file; its numbers are those that its class accepts."""
    if not isinstance(x, dict):
        raise _wrong(place, f"an object: a {kind.__name__}", x)
    fields = {field.name: field for field in fields_of(kind)}
    if set(x) - set(fields):
        raise ModelError(f"a {kind.__name__} has no {value_text(min(set(x) - set(fields)))}", place=place)
    later = later_fields(kind)
    missing = [name for name, field in fields.items() if name not in x and not field.optional and name not in later]
    if missing:
        raise ModelError(f"lacks {missing[0]!r}", place=place)
    made = object.__new__(kind)
    for name, field in fields.items():
        value = None
        if name in x:
            value = _decode_value(field.kind, x[name], f"{place}.{name}", issubclass(kind, INFINITE), families)
        elif name in later:
            value = later[name](made)
        object.__setattr__(made, name, value)
    check_record(made, place)
    return made
