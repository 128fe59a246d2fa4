"""`kinetrace cache`: the compiled code that is kept on disk."""

from __future__ import annotations

import argparse
import os
import sys
import time
from datetime import UTC, datetime
from typing import Any

from ..engine.cache import disk
from ..errors import printable
from ..support.tables import console, plural
from .shared import Commands, add_command, add_json, print_json

Record = dict[str, Any]

OFF_MESSAGE = "The cache is off: KINETRACE_CACHE is {!r}. Unset it, or name a directory, to keep compiled code."
HOMELESS_MESSAGE = (
    "The cache is off: no home directory is known. Name a directory by KINETRACE_CACHE to keep compiled code."
)
UNUSED_MESSAGE = "not used: this must be a directory that you alone can write to"


def add_cache(commands: Commands) -> None:
    """Declare the command."""
    parser = add_command(
        commands,
        "cache",
        run,
        "Show or clear the compiled code on disk",
        "Compiled kernels are stored for the next process. When the files exceed the\n"
        "limit, the least recently used are removed. Clearing the cache is safe at any\n"
        "time: missing kernels are compiled again.\n\n"
        "KINETRACE_CACHE sets another directory, or `off`; ~ is your home.\n"
        "KINETRACE_CACHE_SIZE sets the limit, in MB (default: 512).",
        [
            ("kinetrace cache", "size and directory"),
            ("kinetrace cache --clear", "remove it"),
            ("kinetrace cache --path", "only the directory"),
            ("kinetrace cache --json", "for a program"),
        ],
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--clear", action="store_true", help="remove the kernels, and no other file of the directory")
    what.add_argument("--path", action="store_true", help="print only the directory")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Show the cache, its path, or what was cleared."""
    if args.path:
        return _path(args.json)
    if args.clear:
        return _clear(args.json)
    if args.json:
        print_json(describe())
    elif disk.directory() is None:
        print(_off())
    else:
        _print(describe())
    return 0


def describe() -> Record:
    """Content of the cache, of types that JSON knows; None for parts that are missing."""
    files = disk.cached_files()
    return {
        "directory": _directory(),
        "usable": disk.usable(),
        "kernels": sum(file.is_code for file in files),
        "bytes": sum(file.size for file in files),
        "limit": disk.limit(),
        "oldest_use": _moment(files[0]).isoformat() if files else None,
        "newest_use": _moment(files[-1]).isoformat() if files else None,
    }


def size(count: int) -> str:
    """A number of bytes for people, in powers of ten.

    >>> size(0), size(999), size(1_000), size(123_456_789), size(2 * 10**12)
    ('0 bytes', '999 bytes', '1 kB', '123 MB', '2,000 GB')
    """
    for unit, scale in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if count >= scale:
            digits = 1 if count < 10 * scale else 0
            return f"{count / scale:,.{digits}f}".removesuffix(".0") + f" {unit}"
    return plural(count, "byte", "bytes")


def _path(json: bool) -> int:
    place = _directory()
    if json:
        print_json({"directory": place})
    elif place is None:
        print(f"kinetrace: {_off()}", file=sys.stderr)
        return 1
    else:
        print(printable(place) if sys.stdout.isatty() else place)
    return 0


def _clear(json: bool) -> int:
    removed, left = disk.clear()
    count, total = sum(file.is_code for file in removed), sum(file.size for file in removed)
    if json:
        print_json({"directory": _directory(), "removed": count, "bytes": total, "not_removed": len(left)})
    elif disk.directory() is None:
        print(_off())
    else:
        print(f"Removed {plural(count, 'kernel', 'kernels')}, {size(total)}, from {printable(_directory())}")
    if left:
        files = plural(len(left), "file", "files")
        print(f"kinetrace: error: {files} could not be removed; check write permission", file=sys.stderr)
    return 1 if left else 0


def _print(content: Record) -> None:
    out = console()
    total, bound = size(content["bytes"]), size(content["limit"])
    out.print(f"Directory  {content['directory']}", soft_wrap=True)
    if not content["usable"]:
        out.print(f"           {UNUSED_MESSAGE}")
    out.print(f"Kernels    {content['kernels']:,}")
    out.print(f"Size       {total} of {bound} at most")
    asked = os.environ.get("KINETRACE_CACHE_SIZE")
    if asked and disk.requested_limit() is None:
        out.print(f"           the default, as KINETRACE_CACHE_SIZE is not a number of MB: {asked!r}", soft_wrap=True)
    for label, moment in (("Oldest use", content["oldest_use"]), ("Newest use", content["newest_use"])):
        if moment is not None:
            out.print(f"{label} {datetime.fromisoformat(moment).astimezone():%Y-%m-%d %H:%M}")


def _directory() -> str | None:
    place = disk.directory()
    return None if place is None else str(place.absolute())


def _off() -> str:
    chosen = os.environ.get("KINETRACE_CACHE")
    return OFF_MESSAGE.format(chosen) if chosen else HOMELESS_MESSAGE


def _moment(file: disk.CachedFile) -> datetime:
    used = min(max(file.used, 0), time.time_ns())  # a clock may have gone wrong
    return datetime.fromtimestamp(used // 10**9, UTC)
