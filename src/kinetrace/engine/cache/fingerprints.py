"""Which code runs, as a text for the keys of the cache.

An installed package stands beside the record of its distribution, `kinetrace-*.dist-info/RECORD`, which has a hash of
each of its files: that is enough to know, and one file to look at. In development (an editable installation, a source
tree, a copy of the package) there is no such record, and the sources themselves are compared with what they were before
any of them was imported: if they still are so, what is on disk is what runs. The clock is not used, since it may have
been wrong.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

FileStatus = tuple[int, int, int, int]
TRACED = ("support", "arrays.py", "lie", "linalg", "model", "engine/trace", "engine/derivative", "algorithms")
"""Files and folders with code that decides what a trace gives."""
_WATCHED = ("support", "lie", "linalg", "model", "algorithms", "engine")
"""Folders with code that decides what the cache keeps; so may the files beside them."""
_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))


def cache_is_off() -> bool:
    """Whether the user wants nothing kept on disk."""
    return os.environ.get("KINETRACE_CACHE", "").lower() in ("off", "0", "none")


def _status(path: str | os.PathLike[str]) -> FileStatus:
    """Properties that change if a file does, whatever its date is set to."""
    status = os.stat(path)
    return status.st_ctime_ns, status.st_mtime_ns, status.st_size, status.st_ino


def _record() -> str | None:
    """The path of the distribution's record; None in development."""
    parent, name = os.path.split(_PACKAGE)
    if os.path.islink(_PACKAGE):  # to a source tree
        return None
    try:
        beside = [x for x in os.listdir(parent) if x.startswith(f"{name}-") and x.endswith(".dist-info")]
    except OSError:  # inside an archive
        return None
    path = os.path.join(parent, beside[0], "RECORD") if len(beside) == 1 else ""
    return path if os.path.isfile(path) else None


def _file_statuses() -> dict[str, FileStatus]:
    """The files that tell which code runs, as they are now: the record if there is one, else the sources."""
    statuses: dict[str, FileStatus] = {}
    if cache_is_off():  # nothing will be asked; should that change, nothing is known
        return statuses
    for path in [RECORD] if RECORD else _sources():
        try:
            statuses[path] = _status(path)
        except OSError:  # removed meanwhile
            continue
    return statuses


def _sources() -> Iterable[str]:
    """The source files that decide what the cache keeps."""
    for folder, inner, names in os.walk(_PACKAGE):
        inner[:] = [name for name in inner if folder != _PACKAGE or name in _WATCHED]
        yield from (os.path.join(folder, name) for name in names if name.endswith(".py"))


RECORD = None if cache_is_off() else _record()
"""The record of an installed distribution; None in development, or where nothing is kept."""
INITIAL_STATUSES = _file_statuses()
"""Path → status, of the files that tell which code runs."""


def fingerprint(files: Iterable[Path]) -> str | None:
    """A hash of source files of the package; None if that may not be the code that runs (changed or removed).

    Of an installed package it is that of all its files, as its record has them.
    """
    if RECORD is not None:
        return _hash_of_record(RECORD)
    digest = hashlib.sha256()
    try:
        for file in files:
            content = file.read_bytes()
            if INITIAL_STATUSES.get(str(file)) != _status(file):
                return None
            digest.update(f"{file.parent.name}/{file.name}|{len(content)}|".encode() + content)
    except OSError:
        return None
    return digest.hexdigest()


def _hash_of_record(record: str) -> str | None:
    """A hash of the hashes in a record; None if it was replaced since the import, or has none of the package's."""
    package = os.path.basename(_PACKAGE)
    try:
        with open(record, encoding="utf-8") as file:
            lines = [line.rstrip() for line in file if line.startswith(f"{package}/") and ",sha256=" in line]
        if INITIAL_STATUSES.get(record) != _status(record):
            return None
    except (OSError, UnicodeDecodeError):
        return None
    listed = any(line.startswith(f"{package}/__init__.py,") for line in lines)  # else it is of an editable one
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest() if listed else None
