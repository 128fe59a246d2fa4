"""The source files as they were before any of them was imported: if they still are so, what is on disk is what runs.

The clock is not used, since it may have been wrong.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

Status = tuple[int, int, int, int]
TRACED = ("support", "arrays.py", "lie", "linalg", "model", "trace", "derivative", "algorithms")
"""Files and folders with code that decides what a trace gives."""
_WATCHED = (*TRACED, "codegen", "compilation")
"""Folders with code that decides what the cache keeps; so may the files beside them."""


def cache_is_off() -> bool:
    """Whether the user wants nothing kept on disk."""
    return os.environ.get("KINETRACE_CACHE", "").lower() in ("off", "0", "none")


def _status(path: str | os.PathLike[str]) -> Status:
    """What changes if a file does, whatever its date is set to."""
    found = os.stat(path)
    return found.st_ctime_ns, found.st_mtime_ns, found.st_size, found.st_ino


def _before() -> dict[str, Status]:
    found: dict[str, Status] = {}
    if cache_is_off():  # nothing will be asked; should that change, nothing is known
        return found
    root = os.path.dirname(os.path.dirname(__file__))
    for folder, inner, names in os.walk(root):
        inner[:] = [name for name in inner if folder != root or name in _WATCHED]
        for path in (os.path.join(folder, name) for name in names if name.endswith(".py")):
            try:
                found[path] = _status(path)
            except OSError:  # removed meanwhile
                continue
    return found


BEFORE = _before()
"""Path → status, of the source files that matter."""


def fingerprint(files: Iterable[Path]) -> str | None:
    """A hash of source files of the package; None if that may not be the code that runs (changed or removed)."""
    found = hashlib.sha256()
    try:
        for file in files:
            content = file.read_bytes()
            if BEFORE.get(str(file)) != _status(file):
                return None
            found.update(f"{file.parent.name}/{file.name}|{len(content)}|".encode() + content)
    except OSError:
        return None
    return found.hexdigest()
