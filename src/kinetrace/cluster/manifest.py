"""The description of a run beside its results: whether another run may continue it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..errors import InputError, shortened
from ..support.files import regular_file

MANIFEST = "_kinetrace.json"
"""The description, in a folder of results."""
LARGEST = 1_000_000_000
"""Bytes of it: it lists all files of the source."""
LONGEST = 60
"""Characters of a value in a message."""


def check_same(path: Path, told: dict[str, Any]) -> None:
    """An error if a run of another kernel, source or layout began there."""
    where = str(path.parent)
    if not path.is_file():
        raise InputError(f"{where!r} is not empty and holds no run to resume: choose another target")
    try:
        before = json.loads(regular_file(path, LARGEST))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{str(path)!r} is damaged: {error}; choose another target") from error
    compare(before, told, where)


def compare(before: Any, told: dict[str, Any], where: str) -> None:
    """An error that says what differs between two runs."""
    told = json.loads(json.dumps(told))
    if before != told:
        raise InputError(f"{where!r} holds another run, which cannot be resumed: {difference(before, told)}")


def difference(before: Any, now: Any, at: str = "") -> str:
    """The first place in which two descriptions differ, with what is there.

    >>> difference({"source": {"files": [{"rows": 3}]}}, {"source": {"files": [{"rows": 4}]}})
    'source.files[0].rows was 3, is 4'
    >>> difference({"path": "in.parquet", "changed": 17}, {"path": "in.parquet", "changed": 18})
    "'in.parquet' was changed (its date or size differs)"
    """
    if isinstance(before, dict) and isinstance(now, dict):
        key = next(key for key in {**before, **now} if before.get(key) != now.get(key))
        if key in ("rows", "files", "size", "changed") and (name := now.get("path") or now.get("name")):
            return f"{name!r} was changed (its date or size differs)"
        if (at, key) == ("kernel", "program"):
            return "the robot has other numbers (masses, lengths, ...), or the function or kinetrace has other code"
        return difference(before.get(key), now.get(key), f"{at}.{key}" if at else key)
    if isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        k = next(k for k, pair in enumerate(zip(before, now, strict=True)) if pair[0] != pair[1])
        return difference(before[k], now[k], f"{at}[{k}]")
    was, now = (shortened(json.dumps(x), LONGEST) for x in (before, now))
    return f"{at or 'its description'} was {was}, is {now}"
