"""Closures from a file beside a URDF, which describes trees alone: YAML or JSON → arguments of `Builder.add_closures`.

    closures:
      - {frame_a: coupler, frame_b: rocker, joint: revolute, axis: [0, 1, 0],
         placement_a: {xyz: [0.5, 0, 0]}, placement_b: {xyz: [0.4, 0, 0], rpy: [0, 0, 0]}}
      - {gear: {driver: motor, driven: wheel, ratio: -3}}
      - {coupling: {left: 1, right: 1}, offset: 0}
    independent: [crank]
    motors: [crank]
    guess: {crank: 1.0}

`docs/closed_chains.md` has all fields. The files of scikit-robot (`loop_closures.yaml`) are read as well: there a
closure is a hinge, {link_a, link_b, point, axis}, placed in the root link's frame with all joints at zero.

Nothing is evaluated, and only known fields are read: files need not be trusted.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ....arrays import Array
from ....errors import InputError, KinetraceError, ModelError, unknown_name_error, value_text
from ....lie import se3, so3
from ....support.files import regular_file
from ... import closures, joints
from ...body import WORLD
from ...checks import MAX_NUMBER
from ...closures import Closure, Coupling, Description, Loop, gear
from ...constraints.constant import rows_by_name
from ...model import Model
from .yaml_text import read_yaml

MAX_FILE_SIZE = 1_000_000
"""Bytes."""

Reader = Callable[[Any], Any]
Source = str | os.PathLike[str] | Mapping[str, Any] | Sequence[Any]


@dataclass(frozen=True)
class LoadedClosures:
    """Content of a file: closures, independent velocities, joints with motors, guess of a configuration."""

    closures: tuple[Description, ...] = ()
    independent: tuple[Any, ...] | None = None
    motors: tuple[str, ...] | None = None
    guess: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    are_soft: bool = False
    """Whether the closures need not hold exactly where they come from: then those that cannot are left out."""
    reference: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """Where soft closures are closed from, if they do not close from the guess."""

    def starts(self, model: Model) -> list[Array | None]:
        """Configurations (nq,) to close loops from, one after the other; None: many guesses."""
        given = [x for x in (self.guess, self.reference) if x]
        found = [_configuration(model, x) for x in (given if self.are_soft else given[:1])]
        return [*found, None] if self.are_soft or not found else [*found]


def _configuration(model: Model, guess: Mapping[str, tuple[float, ...]]) -> Array:
    """A guess as a configuration (nq,), neutral in joints that it does not name."""
    q = model.neutral()
    for name, values in guess.items():
        at = model.joint_slices(name)[0]
        if len(q[at]) != len(values):
            raise ModelError(f"guess: joint {name!r} has {len(q[at])} variables, got {len(values)}")
        q[at] = values
    return model.normalise(q)


def read_closures(source: Source) -> LoadedClosures:
    """Closures from a .yaml, .yml or .json file, from what such a file holds, or from a list of closures.

    >>> read_closures({"closures": [{"gear": {"driver": "a", "driven": "b", "ratio": 2}}]}).closures[0].name
    'b-a'
    """
    if not isinstance(source, str | os.PathLike):
        return _closing(source)
    try:
        return _closing(_content(source))
    except ModelError as error:
        error.file = error.file or str(source)
        raise


def _content(source: str | os.PathLike[str]) -> Any:
    """Content of the file."""
    path = Path(source).expanduser()
    if path.suffix.lower() not in _FORMATS:
        raise InputError(f"closures: expected a file that ends in {', '.join(_FORMATS)}, got {str(path)!r}")
    try:
        data = regular_file(path, MAX_FILE_SIZE)
    except ModelError:
        raise
    except (OSError, ValueError) as error:  # a null character
        raise InputError(f"cannot read {str(path)!r}: {getattr(error, 'strerror', None) or error}") from None
    try:
        return _FORMATS[path.suffix.lower()](data.decode("utf-8"))
    except UnicodeDecodeError:
        raise ModelError("is not UTF-8 text") from None
    except RecursionError:
        raise ModelError("is nested too deeply") from None
    except KinetraceError:
        raise
    except ValueError as error:
        raise ModelError(" ".join(str(error).split())) from None


def _once(found: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Fields and their values; an error if one is given twice, of which the last would win."""
    made: dict[str, Any] = {}
    for name, value in found:
        if name in made:
            raise ModelError(f"field {value_text(name)} is given twice")
        made[name] = value
    return made


def _from_json(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_once)


_FORMATS: dict[str, Callable[[str], Any]] = {".json": _from_json, ".yaml": read_yaml, ".yml": read_yaml}


def _closing(content: Any) -> LoadedClosures:
    if isinstance(content, Sequence) and not isinstance(content, str | bytes):
        content = {"closures": content}
    given = _fields(
        content, "a closure file", ("closures", "independent", "dependent", "motors", "guess"), ("closures",)
    )
    described = tuple(_as_closure(x, k) for k, x in enumerate(_list(given["closures"], "closures"), start=1))
    guess = {
        joint: tuple(_numbers(x, None, f"guess of {joint!r}") if isinstance(x, list | tuple) else (_number(x, joint),))
        for joint, x in _mapping(given.get("guess", {}), "guess").items()
    }
    chosen, motors, _ = (
        _names(given, name) for name in ("independent", "motors", "dependent")
    )  # dependent: the others
    return LoadedClosures(described, chosen, motors, guess)


def _names(given: Mapping[str, Any], field: str) -> tuple[Any, ...] | None:
    """Joints, or single velocities of them."""
    read = _velocity if field == "independent" else lambda x: _text(x, field)
    return None if given.get(field) is None else tuple(read(x) for x in _list(given[field], field))


def _velocity(x: Any) -> Any:
    """A joint, or one of its velocities."""
    if isinstance(x, str):
        return x
    if isinstance(x, list | tuple) and len(x) == 2 and isinstance(x[0], str) and _is_index(x[1]):
        return (x[0], x[1])
    raise ModelError(f"independent: expected names of joints, or [joint, which of its velocities], got {value_text(x)}")


def _as_closure(entry: Any, k: int) -> Description:
    """A closure from its fields, or as it is."""
    if isinstance(entry, Loop | Coupling):
        return entry
    name = entry.get("name") if isinstance(entry, Mapping) else None
    place = f"closure {name!r}" if isinstance(name, str) else f"closure number {k}"
    try:
        given = _mapping(entry, "")
        kinds = [kind for kind in _ENTRIES if kind in given]
        if len(kinds) != 1:
            raise ModelError(f"needs one of {', '.join(_ENTRIES)}, got {', '.join(map(repr, given)) or 'no field'}")
        return _ENTRIES[kinds[0]](given)
    except KinetraceError as error:
        problem = error.problem if isinstance(error, ModelError) else str(error)
        raise ModelError(problem.removeprefix(f"{place}: "), place=place) from None


_FRAMES = ("frame_a", "frame_b")
_PLACEMENTS = ("placement_a", "placement_b")


def _loop(given: Mapping[str, Any]) -> Loop:
    make, readers, needed = _kind(given["joint"])
    _fields(given, "", ("name", "joint", *_FRAMES, *_PLACEMENTS, *readers), (*_FRAMES, *needed))
    constraint = make(**{name: read(given[name]) for name, read in readers.items() if name in given})
    a, b = (_text(given[name], name) for name in _FRAMES)
    X_a, X_b = (_placement(given.get(name), name) for name in _PLACEMENTS)
    return Loop(a, b, constraint, _name(given), X_a, X_b)


def _kind(name: Any) -> tuple[Callable[..., Any], Mapping[str, Reader], tuple[str, ...]]:
    if not isinstance(name, str) or name not in _CLOSURE_JOINTS:
        raise unknown_name_error("joint", name if isinstance(name, str) else None, _CLOSURE_JOINTS)
    return _CLOSURE_JOINTS[name]


def _placement(x: Any, what: str) -> Array | None:
    if x is None:
        return None
    given = _fields(x, what, ("xyz", "rpy"))
    p, angles = (_numbers(given.get(name, (0.0,) * 3), 3, f"{what}: {name}") for name in ("xyz", "rpy"))
    return se3.pose(so3.from_rpy(np.array(angles)), np.array(p))


def _coupling(given: Mapping[str, Any]) -> Coupling:
    _fields(given, "", ("name", "coupling", "offset"))
    terms = given["coupling"]
    if isinstance(terms, Mapping):
        factors: dict[Any, float] = {_text(name, "coupling"): _number(x, name) for name, x in terms.items()}
    else:
        listed_terms = [_term(x) for x in _list(terms, "coupling")]
        factors = dict(listed_terms)
        if len(factors) < len(listed_terms):
            raise ModelError("coupling: each joint, or variable of it, may be listed once")
    return Coupling(factors, _number(given.get("offset", 0.0), "offset"), _name(given))


def _term(x: Any) -> tuple[Any, float]:
    term = _fields(x, "coupling", ("joint", "variable", "factor"), ("joint", "factor"))
    joint, which = _text(term["joint"], "joint"), term.get("variable")
    if which is not None and not _is_index(which):
        raise ModelError(f"coupling: variable of {joint!r} must be 0, 1, …, got {value_text(which)}")
    return (joint if which is None else (joint, which)), _number(term["factor"], f"factor of {joint!r}")


def _gear(given: Mapping[str, Any]) -> Coupling:
    _fields(given, "", ("name", "gear", "offset"))
    parts = ("driver", "driven", "ratio")
    x = _fields(given["gear"], "gear", parts, parts)
    driver, driven = _text(x["driver"], "driver"), _text(x["driven"], "driven")
    offset = _number(given.get("offset", 0.0), "offset")
    return gear(driver, driven, _number(x["ratio"], "ratio"), offset=offset, name=_name(given))


def _hinge(given: Mapping[str, Any]) -> Description:
    needed = ("link_a", "link_b", "point", "axis")
    _fields(given, "", ("name", *needed), needed)
    axis = joints.Revolute(_numbers(given["axis"], 3, "axis"))
    loop = Loop(_text(given["link_a"], "link_a"), _text(given["link_b"], "link_b"), axis, _name(given))
    return _AtZero(loop, _numbers(given["point"], 3, "point"))


@dataclass(frozen=True)
class _AtZero:
    """A closure at a point of the root link, whose axes it has, with all joints at zero."""

    loop: Loop
    point: Sequence[float]

    @property
    def name(self) -> str:
        """Name of the closure in messages and results."""
        return self.loop.name

    def of(self, model: Model) -> Closure:
        """The closure of that model."""
        X_0, at = {WORLD: np.eye(4)}, se3.pose(np.eye(3), np.array(self.point))
        for body, q in zip(model.bodies, model.split_q(model.neutral()), strict=True):
            X_0[body.index] = X_0[body.parent] @ body.placement(q).matrix
        places = [se3.inverse(X_0[frame.body] @ frame.X_bf) @ at for frame in self.loop.of(model).frames]
        return replace(self.loop, placement_a=places[0], placement_b=places[1]).of(model)


_ENTRIES: dict[str, Callable[[Mapping[str, Any]], Description]] = {
    "joint": _loop,
    "coupling": _coupling,
    "gear": _gear,
    "point": _hinge,
}


def _fields(x: Any, what: str, known: Collection[str], needed: Collection[str] = ()) -> Mapping[str, Any]:
    """The mapping, if it has no fields but these, and those that it needs."""
    given, what = _mapping(x, what), f"{what}: " if what else ""
    for name in given:
        if name not in known:
            raise ModelError(f"{what}{unknown_name_error('field', name, known)}")
    missing = [name for name in needed if name not in given]
    if missing:
        raise ModelError(f"{what}needs {', '.join(missing)}; fields are {', '.join(known)}")
    return given


def _mapping(x: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(x, Mapping):
        raise ModelError(f"{what}{': ' * bool(what)}expected fields with values, got {value_text(x)}")
    for name in x:
        if not isinstance(name, str):
            raise ModelError(f"{what}{': ' * bool(what)}expected names of fields, got {value_text(name)}")
    return x


def _list(x: Any, what: str) -> Sequence[Any]:
    if not isinstance(x, list | tuple):
        raise ModelError(f"{what}: expected a list, got {value_text(x)}")
    return x


def _numbers(x: Any, n: int | None, what: str) -> list[float]:
    if not isinstance(x, list | tuple) or (n is not None and len(x) != n):
        raise ModelError(f"{what} must be a list of {n or ''} numbers, got {value_text(x)}".replace("  ", " "))
    return [_number(value, what) for value in x]


def _number(x: Any, what: str) -> float:
    if isinstance(x, bool) or not isinstance(x, int | float) or not abs(x) <= MAX_NUMBER:
        hint = "; YAML takes 1e-3 for text, write 1.0e-3" if isinstance(x, str) else ""
        raise ModelError(f"{what} must be a finite number, got {value_text(x)}{hint}")
    return float(x)


def _flag(x: Any) -> bool:
    if not isinstance(x, bool):
        raise ModelError(f"holds_position must be true or false, got {value_text(x)}")
    return x


def _text(x: Any, what: str) -> str:
    if not isinstance(x, str) or not x:
        raise ModelError(f"{what} must be a name, got {value_text(x)}")
    return x


def _name(given: Mapping[str, Any]) -> str:
    return _text(given["name"], "name") if "name" in given else ""


def _is_index(x: Any) -> bool:
    return isinstance(x, int) and not isinstance(x, bool) and x >= 0


def _rows(rows: Any, holds_position: bool = True) -> Any:
    """Rows by their names, or as a matrix."""
    each = _list(rows, "rows")
    if each and all(isinstance(x, str) for x in each):
        return replace(rows_by_name(tuple(each)), holds_position=holds_position)
    return closures.Rows([_numbers(row, 6, "each of rows") for row in each], holds_position)


def _along(name: str) -> dict[str, Reader]:
    return {name: lambda x: _numbers(x, 3, name)}


def _size(name: str) -> dict[str, Reader]:
    return {name: lambda x: _number(x, name)}


_CLOSURE_JOINTS: dict[str, tuple[Callable[..., Any], Mapping[str, Reader], tuple[str, ...]]] = {
    "fixed": (joints.Fixed, {}, ()),
    "revolute": (joints.Revolute, _along("axis"), ("axis",)),
    "prismatic": (joints.Prismatic, _along("axis"), ("axis",)),
    "helical": (joints.Helical, {**_along("axis"), **_size("pitch")}, ("axis", "pitch")),
    "screw": (lambda screw: joints.Screw(screw), {"screw": lambda x: _numbers(x, 6, "screw")}, ("screw",)),
    "cylindrical": (joints.Cylindrical, _along("axis"), ("axis",)),
    "universal": (joints.Universal, {**_along("first"), **_along("second")}, ("first", "second")),
    "planar": (joints.Planar, _along("normal"), ("normal",)),
    "spherical": (joints.Spherical, {}, ()),
    "rod": (closures.Rod, _size("length"), ("length",)),
    "rolling": (closures.Rolling, {**_size("radius"), **_along("axle"), **_along("normal")}, ("radius", "axle")),
    "rows": (_rows, {"rows": lambda x: x, "holds_position": _flag}, ("rows",)),
    "frictionless_point": (closures.FrictionlessPoint, _along("normal"), ("normal",)),
    "hard_finger": (closures.HardFinger, _along("normal"), ("normal",)),
    "soft_finger": (closures.SoftFinger, _along("normal"), ("normal",)),
    "rigid": (closures.Rigid, {}, ()),
}
"""Name → what makes it, its fields, and those without which it cannot be."""
