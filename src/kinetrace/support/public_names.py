"""Public names: what `dir` lists, hints for unknown names, and why a module of an earlier version is not there."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import NoReturn

from ..errors.unknown_names import advice, similar_names, translations


def listing(module: str, *more: str) -> Callable[[], list[str]]:
    """The `__dir__` of a module: its `__all__`, or without one what it defines itself, and `more`.

    >>> "listing" in listing(__name__)(), "sys" in listing(__name__)()
    (True, False)
    """

    def __dir__() -> list[str]:
        names = vars(sys.modules[module])
        own = [x for x, y in names.items() if getattr(y, "__module__", None) == module and not x.startswith("_")]
        return sorted({*names.get("__all__", own), *more, *(x for x in names if x.startswith("__"))})

    return __dir__


def missing(module: str, short: str) -> Callable[[str], NoReturn]:
    """The `__getattr__` of a module, whose AttributeError names what was perhaps meant.

    `short` is what the module is called in messages, and its key in `errors.other_libraries.ATTRIBUTES`.
    """

    def __getattr__(name: str) -> NoReturn:
        if name.startswith("_"):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        from ..errors.other_libraries import ATTRIBUTES  # late: errors alone need it

        known = vars(sys.modules[module])
        names = known.get("__all__") or [x for x in known if callable(known[x])]
        options = translations(name, ATTRIBUTES.get(short, {}), names) or _public_places(module, name)
        options = options or similar_names(name, names)
        end = f"; {advice(options, '', f'{short}.')}" if options else ""
        # Without the object, Python adds no guess of its own.
        raise AttributeError(f"module {module!r} has no attribute {name!r}{end}", name=name, obj=None)

    return __getattr__


def _public_places(module: str, name: str) -> list[str]:
    """The modules of the package that have the name, or what it is called by others."""
    from ..errors.other_libraries import ROBOT

    package = module.partition(".")[0]
    held, is_package = vars(sys.modules[package]), module == package
    ours = name if name in held["algorithms"].__all__ else (translations(name, ROBOT, ()) or [""])[0]
    if is_package and ours in held["algorithms"].__all__:
        return [f"robot.{ours}(...)", f"kt.algorithms.{ours}(model, ...)"]
    if is_package and hasattr(held["Robot"], name):
        return [f"robot.{name}(...)"]
    for part in ("algorithms", "arrays", "linalg", "joints", "closures", "lie", "lie.so3", "lie.se3", "lie.inertia"):
        owner = sys.modules.get(f"{package}.{part}") or held[part]
        value = vars(owner).get(name)
        ours_too = getattr(value, "__module__", package).startswith(package)
        if value is not None and (name in ("so3", "se3") or (ours_too and not isinstance(value, ModuleType))):
            return [f"kt.{part}.{name}"]
    return []


_PACKAGE = __name__.partition(".")[0]
_FORMER = (
    *("cache", "codegen", "compare", "compilation", "derivative", "doctor", "geometry", "loops", "optimise", "reach"),
    *("simulate", "splines", "trace", "verify"),
)
"""Packages at the top that are inside others now."""


class FormerModules:
    """A finder, asked after all others, that says what to do about a module of the package that does not exist."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Nothing, or an error for a module inside the package: those that exist were found before.

        The error is for imports; `importlib.util.find_spec`, which only looks, gets None as for any other name.
        """
        package, _, rest = name.partition(".")
        if package != _PACKAGE or ("." not in rest and rest not in _FORMER):
            return None
        if sys._getframe(2).f_code.co_name != "_find_and_load_unlocked":  # importlib's function for imports
            return None
        raise ModuleNotFoundError(
            f"No module named {name!r}. If a pickle names it, another version of {_PACKAGE} made that pickle: "
            "load it there, and write robots by robot.save(…) as JSON and motions by motion.save(…) as .npz, which any "
            "version reads",
            name=name,
        )


def explain_former_modules() -> None:
    """Ask `FormerModules` last, once.

    >>> from importlib import import_module
    >>> import_module("kinetrace.simulate")
    Traceback (most recent call last):
    ModuleNotFoundError: No module named 'kinetrace.simulate'. If a pickle names it, another version of kinetrace ...
    """
    if not any(isinstance(finder, type) and finder.__name__ == FormerModules.__name__ for finder in sys.meta_path):
        sys.meta_path.append(FormerModules)
