"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

PREFIX, SUFFIX = "kinetrace-", ".partial"
"""Of temporary files."""


def write_whole(files: Mapping[Path, bytes], mode: int = 0o666) -> None:
    """Write files, each whole or not at all; `mode` is their mode, less the umask.

    All contents are written to temporary files beside their places first, so a full disk changes nothing. Then each is
    moved to its place and replaces what was there, also a link. Only temporary files that were made here are removed.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_whole({Path(folder, "a"): b"1", Path(folder, "b"): b"2"})
    ...     sorted(os.listdir(folder))
    ['a', 'b']
    """
    made: dict[Path, Path] = {}
    path = Path()
    try:
        for path, content in files.items():
            beside = path.with_name(f"{PREFIX}{os.urandom(8).hex()}{SUFFIX}")
            with open(beside, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
                made[path] = beside
                file.write(content)
        for path in files:
            made[path].replace(path)
            del made[path]
    except OSError as error:
        error.filename = error.filename or str(path)  # writing to a full disk names no file
        raise
    finally:
        for beside in made.values():
            beside.unlink(missing_ok=True)
