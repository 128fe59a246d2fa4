"""Compiled code on disk, private to the user, checked before use.

A file holds object code, or the outline of a program, and a keyed hash of its name and content. The key is random,
made on first use, and readable by the user alone, so a file that was damaged, truncated, renamed, or written by
somebody else does not match and is made again. So is one that others could write to, itself or its directory. Nothing
here ever fails loudly: without a usable directory there is simply no cache.

The cache is bounded. The modification time of a file is when it was last used, and whoever stores a file removes the
least recently used until the rest fit. Several processes may do so at once: each counts what it sees once its own file
is in place, so the last one leaves no more than the bound. A kernel that another still wanted is compiled again.

`KINETRACE_CACHE` names another directory, or is `off`; `~` is the user's home, and a relative path begins where the
process is at the time. `KINETRACE_CACHE_SIZE` is another bound than 512, in MB of 10⁶ bytes; what is no such number
counts as not given.
"""

from __future__ import annotations

import hashlib
import hmac
import math
import os
import re
import stat
import time
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from ...support.files import PARTIAL_PREFIX, PARTIAL_SUFFIX, write_atomically
from ...support.threads import import_in_call
from .fingerprints import cache_is_off

_FILE_HEADER = b"kinetrace object 1\n"
_POSIX = os.name == "posix"
_PRIVATE_MODE = 0o600
OUTLINE_SUFFIX = ".outline"
"""Suffix of files that hold no code."""
_FILE_NAMES = re.compile(
    rf"[0-9a-f]{{64}}({re.escape(OUTLINE_SUFFIX)})?|{re.escape(PARTIAL_PREFIX)}\w+{re.escape(PARTIAL_SUFFIX)}"
)
_VARIABLES_OF_PLACES = ("KINETRACE_CACHE", "HOME", "XDG_CACHE_HOME", "USERPROFILE", "LOCALAPPDATA")
_DAY = 86_400 * 10**9

DEFAULT_LIMIT = 512 * 10**6
"""Bytes that are kept unless `KINETRACE_CACHE_SIZE` says otherwise."""


class CachedFile(NamedTuple):
    """A file of the cache; in the order of their use."""

    used: int
    """When it was last stored or fetched, in nanoseconds since 1970."""
    size: int
    """In bytes."""
    path: str

    @property
    def is_code(self) -> bool:
        """Whether it is a kernel."""
        return not self.path.endswith(OUTLINE_SUFFIX)


def directory() -> Path | None:
    """Where compiled code is kept, or None if it is not."""
    if cache_is_off():
        return None
    return _directory(*map(os.environ.get, _VARIABLES_OF_PLACES))


@lru_cache(1)
def _directory(chosen: str | None, *_: str | None) -> Path | None:
    """Looked up again when the environment changes."""
    try:
        if chosen:
            return Path(chosen).expanduser()
        platformdirs: Any = import_in_call("platformdirs")  # with it come tempfile and shutil, which few processes need
        usual = Path(platformdirs.user_cache_dir("kinetrace", appauthor=False))
    except RuntimeError:  # the user has no home
        return None
    return usual if usual.is_absolute() else None  # it begins with "~" if the home directory is unknown


def requested_limit() -> int | None:
    """The bound in bytes that `KINETRACE_CACHE_SIZE` asks for, or None if that is not set or no number of MB."""
    try:
        size = float(os.environ["KINETRACE_CACHE_SIZE"]) * 1e6
    except (KeyError, ValueError):
        return None
    return int(size) if 0 <= size < math.inf else None


def limit() -> int:
    """The most that is kept, in bytes."""
    asked = requested_limit()
    return DEFAULT_LIMIT if asked is None else asked


def usable() -> bool:
    """Whether the directory is one that nobody else can write to, or is still to be made."""
    place = directory()
    try:
        return place is not None and _usable(place)
    except FileNotFoundError:
        return True
    except OSError:
        return False


def cached_files() -> list[CachedFile]:
    """The files, the least recently used first."""
    place = directory()
    return [] if place is None else [file for file in _files(place)[0] if _is_written_here(file)]


def clear() -> tuple[list[CachedFile], list[CachedFile]]:
    """Remove all files, and what interrupted writers left; return the files removed and those that resist."""
    removed: list[CachedFile] = []
    resist: list[CachedFile] = []
    place = directory()
    if place is not None:
        code, abandoned = _files(place)
        for file in filter(_is_written_here, code):
            (removed if _remove(file) else resist).append(file)
        for file in filter(_is_written_here, abandoned):
            _remove(file)
    return removed, resist


def fetch(name: str) -> bytes | None:
    """Content that is kept under this name, if it is there and unharmed."""
    try:
        place = _open_directory()
        if place is None:
            return None
        content = _read_private(place / name)
        tag, code = content[len(_FILE_HEADER) :][:32], content[len(_FILE_HEADER) + 32 :]
        genuine = content.startswith(_FILE_HEADER) and hmac.compare_digest(tag, _tag(_secret(place), name, code))
    except OSError:
        return None
    if not genuine:
        return None
    with suppress(OSError):  # a disk to read only: then its files are in the order of their making
        os.utime(place / name)
    return code


def store(name: str, code: bytes) -> None:
    """Keep something under this name; the file appears whole or not at all, and others make room for it."""
    try:
        place = _open_directory()
        if place is None:
            return
        content = _FILE_HEADER + _tag(_secret(place), name, code) + code
        if len(content) <= limit():
            write_atomically({place / name: content}, _PRIVATE_MODE)
    except OSError:
        return
    _make_room(place, str(place / name))


def _make_room(place: Path, newest: str) -> None:
    """Remove the least recently used files until the rest fit, but not the one just stored."""
    code, abandoned = _files(place)
    if sum(file.size for file in code) > limit():
        code = [file for file in code if _is_written_here(file)]
    excess = sum(file.size for file in code) - limit()
    for file in code:
        if excess <= 0:
            break
        if file.path != newest and _remove(file):
            excess -= file.size
    for file in filter(_is_written_here, abandoned):
        _remove(file)


def _files(place: Path) -> tuple[list[CachedFile], list[CachedFile]]:
    """Files that seem to be kept, the least recently used first, and temporary files that are more than a day old.

    Never a link, a directory, or a file with another name than those given here. A name is no proof.
    """
    found = []
    with suppress(OSError), os.scandir(place) as entries:
        for entry in entries:
            with suppress(OSError):  # another process may have removed it
                if _FILE_NAMES.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                    status = entry.stat(follow_symlinks=False)
                    found.append(CachedFile(status.st_mtime_ns, status.st_size, entry.path))
    code = sorted(file for file in found if not file.path.endswith(PARTIAL_SUFFIX))
    yesterday = time.time_ns() - _DAY
    return code, [file for file in found if file.path.endswith(PARTIAL_SUFFIX) and file.used < yesterday]


def _is_written_here(file: CachedFile) -> bool:
    """Whether a file begins as all do that are written here; a temporary one may be shorter."""
    try:
        with open(file.path, "rb", opener=_open_regular) as opened:
            begin = opened.read(len(_FILE_HEADER))
    except OSError:
        return False
    return begin == _FILE_HEADER or (file.path.endswith(PARTIAL_SUFFIX) and _FILE_HEADER.startswith(begin))


def _remove(file: CachedFile) -> bool:
    """Whether the file no longer exists, removed here or by another process."""
    try:
        os.unlink(file.path)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _tag(secret: bytes, name: str, code: bytes) -> bytes:
    return hmac.digest(secret, name.encode() + b"\0" + hashlib.sha256(code).digest(), "sha256")


def _open_directory() -> Path | None:
    place = directory()
    if place is None:
        return None
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    return place if _usable(place) else None


def _usable(place: Path) -> bool:
    status = place.stat()
    return stat.S_ISDIR(status.st_mode) and _ours(status)


def _ours(status: os.stat_result) -> bool:
    """Whether nobody but the user (or root) could have written this."""
    if not _POSIX:
        return True  # a user's cache directory is private by its access list there
    return status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _open_regular(path: str, flags: int) -> int:
    """Open a file, if it is a regular one; without waiting, as for somebody who writes to a named pipe."""
    opened = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    if not stat.S_ISREG(os.fstat(opened).st_mode):
        os.close(opened)
        raise PermissionError(path)
    return opened


def _read_private(path: Path) -> bytes:
    with open(path, "rb", opener=_open_regular) as file:
        if not _ours(os.fstat(file.fileno())):
            raise PermissionError(path)
        return file.read()


def _secret(place: Path) -> bytes:
    """The key, a new one if it is missing or damaged: then what was kept under the old one no longer matches."""
    path = place / "secret"
    secret = _read_private(path) if path.exists() else b""
    if len(secret) != 32:
        write_atomically({path: os.urandom(32)}, _PRIVATE_MODE)
        secret = _read_private(path)  # of two processes that begin at once, the later one's
    return secret
