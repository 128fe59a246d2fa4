"""A model as JSON that holds every digit: `load/json_file.py` reads it back, equal to the bit.

    {"format": "kinetrace.model", "version": 1, "model": {"name": "panda", "bodies": [{"index": 0, …}, …], …}}

Records are objects with the names of their fields; a joint or a constraint says which one it is: {"is": "Revolute",
"axis": [0.0, 0.0, 1.0]}. Fields that are None are left out. Arrays of doubles are nested lists; others, and those that
lists cannot tell, are {"dtype": "int32", "shape": [2, 3], "values": […]}. Floats have as many digits as tell them
apart; infinities, which JSON has not, are the texts "inf" and "-inf". Frames are a list, the root link first.
A joint or a constraint of a user's own class is its fields, as any other; whoever reads it names the class.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ....errors import ModelError, name_list
from ...constraints import Constraint
from ...constraints.checks import own_parts
from ...joints import Joint
from ...model import Model
from ...record import Record, content_names, is_own
from ..schema import DTYPES, FAMILIES, FORMAT, LATER_FIELDS, RECORDS, VERSION, family_of, fields_of

_LINE_WIDTH = 120
"""Characters that a line may have before a list or an object is broken into several."""


def json_text(model: Model) -> str:
    """The JSON text of a model; an error if it has parts that are not kinetrace's own, or numbers that are traced.

    >>> import kinetrace as kt
    >>> print(json_text(kt.load("planar2r").model).partition("bodies")[0])
    {
      "format": "kinetrace.model",
      "version": 1,
      "model": {
        "name": "planar2r",
        "
    """
    joints = {type(body.joint) for body in model.bodies if is_own(body.joint)}
    constraints = {type(part) for closure in model.closures for part in own_parts(closure.constraint)}
    for what, own in (("joints", joints), ("constraints", constraints)):
        if len({kind.__name__ for kind in own}) < len(own):
            raise ModelError(f"two classes of {what} of your own have the same name: a file tells them by it")
    content = {"format": FORMAT, "version": VERSION, "model": _encode_value(model, "model")}
    return f"{_json_text(content, 0)}\n"


def _encode_value(x: Any, place: str) -> Any:
    """x as what JSON has."""
    kind = type(x)
    if x is None or kind in (bool, str, int):
        return x
    if kind is float:
        return _number(x, place)
    if isinstance(x, Record):
        return _record(x, place)
    if kind is tuple:
        return [_encode_value(item, f"{place}[{k}]") for k, item in enumerate(x)]
    if isinstance(x, Mapping):
        for name, item in x.items():
            if getattr(item, "name", None) != name:
                raise ModelError(f"{place} has an entry {name!r} whose own name is {getattr(item, 'name', None)!r}")
        return [_encode_value(item, f"{place}[{name!r}]") for name, item in x.items()]
    if isinstance(x, np.ndarray | np.generic) and x.dtype.name in DTYPES:
        return _array(x, place)
    raise ModelError(f"{place} is {kind.__name__}, which a file cannot hold: only plain numbers, texts and arrays")


def _number(x: float, place: str) -> float | str:
    if math.isnan(x):
        raise ModelError(f"{place} is not a number (NaN)")
    return x if math.isfinite(x) else "inf" if x > 0 else "-inf"


def _array(x: Any, place: str) -> Any:
    values = [_number(float(e), place) if x.dtype.kind == "f" else e for e in x.ravel().tolist()]
    if isinstance(x, np.generic):
        return {"dtype": x.dtype.name, "scalar": values[0]}
    if x.dtype != np.float64 or x.ndim == 0 or (x.size == 0 and x.ndim > 1):
        return {"dtype": x.dtype.name, "shape": list(x.shape), "values": values}
    for size in reversed(x.shape[1:]):
        values = [values[k : k + size] for k in range(0, len(values), size)]
    return values


def _record(x: Record, place: str) -> dict[str, Any]:
    kind: Any = type(x)
    name = kind.__name__
    family = next((f for f, classes in FAMILIES.items() if classes.get(name) is kind), None)
    own = family is None and isinstance(x, Joint | Constraint)
    if own:
        _check_own(x, name, place)
    elif family is None and RECORDS.get(name) is not kind:
        raise ModelError(f"{place} is of the class {name}, which is not one of kinetrace's own: a file cannot hold it")
    found: dict[str, Any] = {"is": name} if own or family is not None else {}
    for field in fields_of(kind):
        value, unsaid = getattr(x, field.name), LATER_FIELDS.get(kind, {}).get(field.name)
        if value is not None and (unsaid is None or not np.array_equal(value, unsaid(x))):
            found[field.name] = _encode_value(value, f"{place}.{field.name}")
    return found


def _check_own(x: Record, name: str, place: str) -> None:
    """An error unless a record of a user's class is its fields, and its class can be told by name."""
    told = f"{place} is of the class {name} of your own"
    if name in FAMILIES[family_of(type(x))]:
        raise ModelError(f"{told}, which has the name of one of kinetrace's: rename it")
    kind: Any = type(x)
    names = set(content_names(x)) - {field.name for field in fields_of(kind)}
    if names:
        how = "make it a frozen dataclass (docs/building.md)"
        raise ModelError(f"{told}, whose {name_list(sorted(names))} a file does not hold: it holds fields alone; {how}")


def _json_text(x: Any, depth: int) -> str:
    """JSON text, one line per item of what does not fit on one."""
    if not isinstance(x, dict | list):
        return json.dumps(x, allow_nan=False)
    line = json.dumps(x, allow_nan=False) if _is_small(x) else ""
    if line and len(line) + 2 * depth <= _LINE_WIDTH:
        return line
    inside = "  " * (depth + 1)
    if isinstance(x, dict):
        parts = [f"{json.dumps(name)}: {_json_text(value, depth + 1)}" for name, value in x.items()]
    else:
        parts = [_json_text(value, depth + 1) for value in x]
    opening, closing = "{}" if isinstance(x, dict) else "[]"
    return f"{opening}\n{inside}" + f",\n{inside}".join(parts) + f"\n{'  ' * depth}{closing}"


def _is_small(x: Any, most: int = 40) -> bool:
    """Whether x has few enough parts to try it on one line."""
    pending, count = [x], 0
    while pending and count <= most:
        item = pending.pop()
        count += 1
        if isinstance(item, dict):
            pending += item.values()
        elif isinstance(item, list):
            pending += item[: most + 1]
    return count <= most
