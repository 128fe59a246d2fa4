"""Robots by the names of the `robot_descriptions` package: only those that it has downloaded already.

The package downloads a description when its module is imported. Here that is replaced by a look into its cache, so
loading never uses the network; if the files are not there, the error names the command that downloads them.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from threading import Lock
from types import SimpleNamespace
from typing import Any, NamedTuple

from ....errors import InputError, ModelError, name_list, unknown_name_error
from ....support.optional import require_package

PREFIX = "robot_descriptions:"
_importing = Lock()


class CachedDescription(NamedTuple):
    """A description in the cache: its file, the folders of its packages, and arguments of its macros."""

    path: Path
    packages: dict[str, Path]
    arguments: dict[str, str]


class _NotThereError(Exception):
    """A repository that is not in the cache."""


def find_description(source: str) -> CachedDescription:
    """The files of "robot_descriptions:NAME"; an error if they are not in the cache."""
    name = source.removeprefix(PREFIX).strip()
    _cache = require_package("robot_descriptions._cache", f"a name with {PREFIX}", "descriptions")
    table = require_package("robot_descriptions._descriptions", f"a name with {PREFIX}", "descriptions")
    DESCRIPTIONS = table.DESCRIPTIONS
    chosen = next((x for x in (name, f"{name}_description", f"{name}_mj_description") if x in DESCRIPTIONS), None)
    if chosen is None:
        raise unknown_name_error("description", name, DESCRIPTIONS, "python -m robot_descriptions list")
    with _importing, replace_functions(_cache, clone_to_directory=_in_cache), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about names that will change
        try:
            module = import_module(f"robot_descriptions.{chosen}")
        except _NotThereError as error:
            command = f"python -m robot_descriptions pull {chosen}"
            raise InputError(f"{chosen!r} is not downloaded: {error} does not exist; `{command}` does that") from None
        except Exception as error:
            raise ModelError(f"robot_descriptions cannot load {chosen!r}: {error}") from None
    return _files(module, chosen)


def _in_cache(url: str, target_dir: str, commit: str | None = None) -> Any:
    """In place of the package's function that clones a repository: the folder, if it is there."""
    if not os.path.isdir(target_dir) or not os.listdir(target_dir):
        raise _NotThereError(repr(target_dir))
    return SimpleNamespace(working_dir=target_dir)


def _files(module: Any, name: str) -> CachedDescription:
    path = next((getattr(module, x) for x in ("URDF_PATH", "XACRO_PATH", "MJCF_PATH") if hasattr(module, x)), None)
    if path is None:
        raise ModelError(f"description {name!r} has no URDF, xacro or MJCF file")
    if not os.path.isfile(path):
        command = f"python -m robot_descriptions pull {name}"
        raise InputError(f"{name!r} is not downloaded: {path!r} does not exist; `{command}` does that")
    packages = {x: Path(folder) for x, folder in getattr(module, "XACRO_PACKAGE_PATHS", {}).items()}
    for folder in (module.REPOSITORY_PATH, module.PACKAGE_PATH):
        packages.setdefault(Path(folder).name, Path(folder))
    arguments = getattr(module, "XACRO_ARGS", {}) if hasattr(module, "XACRO_PATH") else {}
    return CachedDescription(Path(path), packages, dict(arguments))


@contextmanager
def replace_functions(module: Any, **functions: Any) -> Iterator[None]:
    """With other functions in a module; the caller holds a lock.

    >>> import math
    >>> with replace_functions(math, sqrt=lambda x: "no"):
    ...     math.sqrt(4.0)
    'no'
    """
    missing = [name for name in functions if not hasattr(module, name)]
    if missing:
        raise InputError(f"this version of {module.__name__} is not known here: it has no {name_list(missing, 3)}")
    before = {name: getattr(module, name) for name in functions}
    try:
        for name, function in functions.items():
            setattr(module, name, function)
        yield
    finally:
        for name, function in before.items():
            setattr(module, name, function)
