"""The records that files of models may hold: a closed list of classes, and what their fields are.

What a field holds is told by its annotation: `str`, `Array`, `tuple[int, ...]`, `Joint`, … with `| None` behind it if
it may be missing. A new record class is saved and loaded once it has an entry here; what its constructor does not check
of numbers from strangers is checked in `load/json_checks.py`.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, NamedTuple

from . import body, constraints, joints
from .body import Limits
from .closure import Assembly, Closure, Term
from .constraints import Constraint
from .joint_effects import JointEffects
from .joints import Joint
from .link_effects import Fluid, LinkEffects
from .model import Model
from .record import Record

FORMAT, VERSION = "kinetrace.model", 1
"""What a file says it is, and the version of the form."""

DTYPES = ("float64", "float32", "int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8", "bool")
"""Types of arrays that a file may hold."""


def _classes(module: Any, base: type[Record]) -> dict[str, type[Record]]:
    """The classes of a package that can be instantiated, by name."""
    found = [x for x in vars(module).values() if isinstance(x, type) and issubclass(x, base) and x is not base]
    return {c.__name__: c for c in found if not getattr(c, "__abstractmethods__", None)}


JOINTS = _classes(joints, Joint)
CONSTRAINTS = _classes(constraints, Constraint)
FAMILIES: dict[str, dict[str, type[Record]]] = {"Joint": JOINTS, "Constraint": CONSTRAINTS}
"""Classes of which a field may hold any: the file says which."""
_PARTS = {name: c for name, c in _classes(body, Record).items() if c.__module__ == body.__name__}
_FURTHER = (Model, JointEffects, LinkEffects, Fluid, Closure, Term, Assembly)
RECORDS: dict[str, type[Record]] = _PARTS | {c.__name__: c for c in _FURTHER}
"""Classes that a field holds by itself."""
INFINITE = (Limits,)
"""Classes whose numbers may be infinite."""


class Field(NamedTuple):
    """One field of a record: what it holds, and whether a file may leave it out."""

    name: str
    kind: str
    optional: bool


@cache
def fields_of(kind: Any) -> tuple[Field, ...]:
    """The fields of a record class."""
    if not is_dataclass(kind):
        return ()
    # `x.type` is the text of the annotation, since all modules have `from __future__ import annotations`. This text
    # decides how a field is read: write `tuple[int, ...]` and `str | None` so, not as aliases or Optional[str].
    return tuple(Field(x.name, str(x.type).removesuffix(" | None"), x.default is None) for x in fields(kind))


def choices(kind: str) -> list[str]:
    """What a field may hold, of a union.

    >>> choices("str | Mesh")
    ['str', 'Mesh']
    """
    return kind.split(" | ")


def items(kind: str) -> str | None:
    """What a tuple or a mapping holds; None for anything else.

    >>> items("tuple[Body, ...]"), items("Mapping[str, Frame]"), items("str")
    ('Body', 'Frame', None)
    """
    for start in ("tuple[", "Mapping[str, "):
        if kind.startswith(start):
            return kind.removeprefix(start).removesuffix("]").partition(",")[0]
    return None
