"""Why a module of an earlier version is not there: what pickles of that version name."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

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
        """Nothing, or an error for a module inside the package: those that exist were found before."""
        package, _, rest = name.partition(".")
        if package != _PACKAGE or ("." not in rest and rest not in _FORMER):
            return None
        raise ModuleNotFoundError(
            f"No module named {name!r}. If a pickle names it, another version of {_PACKAGE} made that pickle: "
            "load it there, and write robots by robot.save(…) as JSON and motions by motion.save(…) as .npz, which any "
            "version reads",
            name=name,
        )


def explain_former_modules() -> None:
    """Ask `FormerModules` last, once.

    >>> import pickle
    >>> pickle.loads(b"ckinetrace.simulate.trajectory\\nTrajectory\\n.")
    Traceback (most recent call last):
    ModuleNotFoundError: No module named 'kinetrace.simulate'. If a pickle names it, another version of kinetrace ...
    """
    if not any(isinstance(finder, type) and finder.__name__ == FormerModules.__name__ for finder in sys.meta_path):
        sys.meta_path.append(FormerModules)
