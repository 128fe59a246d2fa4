"""Check that every public function, class, method and property has a docstring in NumPy style, by numpydoc's rules.

python tools/check_docstrings.py            # all names
python tools/check_docstrings.py Robot.pose # names that contain this
"""

from __future__ import annotations

import inspect
import sys
from collections import Counter
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from numpydoc.docscrape import get_doc_object
from numpydoc.validate import validate

import kinetrace as kt
from kinetrace.frameworks.methods import RobotMethods
from kinetrace.support.attributes import cached_property

IGNORED = {
    "GL01": "a docstring begins beside its quotes",
    "ES01": "not every summary needs to be extended",
    "SA01": "nor every page a list of others",
    "SS05": "a summary may be what comes back: 'Forces of ...' is no verb",
}
"""Ignored rules, and why."""
OF_VALUES = {"EX01": "a property is shown in the example of its class"}
"""Rules ignored for properties."""
OF_FRAMEWORKS = {"EX01": "methods on arrays of a framework are those of Robot, and shown in the example of their class"}
"""Rules ignored for methods that `frameworks.methods` makes."""
MODULES = (
    *("algorithms", "arrays", "closures", "control", "design", "identify", "joints", "linalg", "motion", "operators"),
    *("casadi", "cluster", "cuda", "jax", "symbolic", "torch"),
    *("interop.mujoco", "interop.pinocchio", "lie.adjoint", "lie.inertia", "lie.se3", "lie.so3"),
)
"""The public modules."""

PUBLIC = {x for module in (kt, kt.closures, kt.joints) for x in vars(module).values() if inspect.isclass(x)}
"""Classes under their own public names."""


def is_ours(thing: Any) -> bool:
    """Whether an object is defined in this package."""
    return str(getattr(thing, "__module__", "")).startswith("kinetrace")


def members(name: str, owner: type) -> Iterator[tuple[str, Any]]:
    """A class, and its public methods and properties except those that a public base declares."""
    yield name, owner
    for each in dir(owner):
        homes = [c for c in owner.__mro__ if each in vars(c)]
        if each.startswith("_") or not is_ours(homes[-1]) or (homes[-1] is not owner and homes[-1] in PUBLIC):
            continue
        thing = inspect.getattr_static(owner, each)
        if isinstance(thing, property | staticmethod | classmethod) or inspect.isroutine(thing):
            yield f"{name}.{each}", thing


def public_things() -> dict[str, Any]:
    """All public objects by their full names."""
    found: dict[str, Any] = {}
    for where in ("kinetrace", *(f"kinetrace.{name}" for name in MODULES)):
        module: Any = kt
        for part in where.split(".")[1:]:
            module = getattr(module, part)
        assert isinstance(module, ModuleType)
        home = "kinetrace" if hasattr(module, "__all__") else where
        names = getattr(module, "__all__", None) or [x for x in vars(module) if not x.startswith("_")]
        for name in names:
            thing = getattr(module, name)
            if inspect.isclass(thing) and is_ours(thing):
                found.update(members(f"{where}.{name}", thing))
            elif inspect.isfunction(thing) and thing.__module__.startswith(home):
                found[f"{where}.{name}"] = thing
    return found


def complaints(name: str, thing: Any) -> list[tuple[str, str]]:
    """Violations that numpydoc finds in a docstring."""
    ignored = IGNORED | (OF_VALUES if isinstance(thing, property | cached_property) else {})
    ignored |= OF_FRAMEWORKS if getattr(thing, "__module__", "") == RobotMethods.__module__ else {}
    page = get_doc_object(thing) if inspect.isfunction(thing) else name  # the name may be that of a module, too
    return [(code, text) for code, text in validate(page)["errors"] if code not in ignored]


def main() -> int:
    """Print all violations; 1 if there are any."""
    chosen = {name: x for name, x in public_things().items() if all(part in name for part in sys.argv[1:])}
    found = [(name, *each) for name, thing in chosen.items() for each in complaints(name, thing)]
    for name, code, text in found:
        print(f"{name}: {code} {text}")
    total = ", ".join(f"{code} {n}" for code, n in sorted(Counter(code for _, code, _ in found).items()))
    print(f"{len(chosen)} public names, {len(found)} complaints{': ' * bool(found)}{total}")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
