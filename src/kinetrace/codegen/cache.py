"""Compiled code on disk, private to the user, checked before use.

A file holds object code and a keyed hash of its name and content. The key is random, made on first use, and readable
by the user alone, so a file that was damaged, truncated, renamed, or written by somebody else does not match and is
compiled again. So is one that others could write to, itself or its directory. Nothing here ever fails loudly:
without a usable directory there is simply no cache.

`KINETRACE_CACHE` names another directory, or is `off`.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import stat
import tempfile
from pathlib import Path

import platformdirs

_MAGIC = b"kinetrace object 1\n"
_POSIX = os.name == "posix"


def directory() -> Path | None:
    """Where compiled code is kept, or None if it is not."""
    chosen = os.environ.get("KINETRACE_CACHE")
    if chosen and chosen.lower() in ("off", "0", "none"):
        return None
    return Path(chosen) if chosen else Path(platformdirs.user_cache_dir("kinetrace", appauthor=False))


def fetch(name: str) -> bytes | None:
    """The object code kept under this name, if it is there and unharmed."""
    try:
        place = _open_directory()
        if place is None:
            return None
        content = _read_private(place / name)
        tag, code = content[len(_MAGIC) :][:32], content[len(_MAGIC) + 32 :]
        genuine = content.startswith(_MAGIC) and hmac.compare_digest(tag, _tag(_secret(place), name, code))
        return code if genuine else None
    except OSError:
        return None


def store(name: str, code: bytes) -> None:
    """Keep object code under this name; the file appears whole or not at all."""
    try:
        place = _open_directory()
        if place is None:
            return
        _write_private(place / name, _MAGIC + _tag(_secret(place), name, code) + code)
    except OSError:
        return


def _tag(secret: bytes, name: str, code: bytes) -> bytes:
    return hmac.digest(secret, name.encode() + b"\0" + hashlib.sha256(code).digest(), "sha256")


def _open_directory() -> Path | None:
    place = directory()
    if place is None:
        return None
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    return place if _ours(place.stat()) else None


def _ours(status: os.stat_result) -> bool:
    """Whether nobody but the user (or root) could have written this."""
    if not _POSIX:
        return True  # a user's cache directory is private by its access list there
    return status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _read_private(path: Path) -> bytes:
    with path.open("rb") as file:
        if not _ours(os.fstat(file.fileno())):
            raise PermissionError(path)
        return file.read()


def _write_private(path: Path, content: bytes) -> None:
    handle, temporary = tempfile.mkstemp(dir=path.parent)  # mode 0600
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(temporary, path)
    except OSError:
        Path(temporary).unlink(missing_ok=True)
        raise


def _secret(place: Path) -> bytes:
    """The key, made anew if it is missing or damaged: then what was kept under the old one no longer matches."""
    path = place / "secret"
    secret = _read_private(path) if path.exists() else b""
    if len(secret) != 32:
        _write_private(path, secrets.token_bytes(32))
        secret = _read_private(path)  # of two processes that begin at once, the later one's
    return secret
