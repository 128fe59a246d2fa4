"""Regular files of bounded size, which readers of robots, meshes and motions open; and files that are written whole.

Opening a named pipe waits for somebody who writes to it, and a device may be without end: neither is read, nor a file
that is larger than its reader takes.
"""

from __future__ import annotations

import errno
import io
import os
import pathlib
import stat
from collections.abc import Mapping

from ..errors import KinetraceError, ModelError

Path = str | os.PathLike[str]


def regular_file(path: Path, most: int, *, by: str = "", error: type[KinetraceError] = ModelError) -> bytes:
    """The content of a regular file of at most `most` bytes; `by` is a file that names this one, for the `error`.

    What the system says (no such file, a folder) is an OSError.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     _ = file.write(b"abc"), file.flush()
    ...     regular_file(file.name, 3)
    b'abc'
    """
    with open_regular(path, by=by, error=error) as file:
        size = os.fstat(file.fileno()).st_size
        content = b"" if size > most else file.read(size + 1) or b""
        while size < len(content) <= most and (more := file.read(most + 1 - len(content))):  # of /proc, or grown since
            content += more
    if max(size, len(content)) > most:
        raise _refusal(path, f"is larger than {most} bytes", by, error)
    return content


def head_of(path: Path, most: int) -> bytes:
    """The first bytes of a regular file.

    >>> head_of(__file__, 3)
    b'\"\"\"'
    """
    with open_regular(path) as file:
        return file.read(most) or b""


def open_regular(path: Path, *, by: str = "", error: type[KinetraceError] = ModelError) -> io.FileIO:
    """A regular file, open for reading without a buffer; anything else is not waited for, but an error.

    >>> open_regular(os.devnull)
    Traceback (most recent call last):
    kinetrace.errors.ModelError: /dev/null: is not a regular file
    """
    mode = os.stat(path).st_mode  # before it is opened, which alone may move a tape, and of sockets is an error
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    if not stat.S_ISREG(mode):
        raise _refusal(path, "is not a regular file", by, error)
    file = io.FileIO(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)), "r")
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):  # exchanged meanwhile
        file.close()
        raise _refusal(path, "is not a regular file", by, error)
    return file


def _refusal(path: Path, problem: str, by: str, error: type[KinetraceError]) -> KinetraceError:
    if issubclass(error, ModelError) and not by:
        return error(problem, file=str(path))
    said = f"{str(path)!r} {problem}"
    return error(said, file=by) if issubclass(error, ModelError) else error(said)


PARTIAL_PREFIX, PARTIAL_SUFFIX = "kinetrace-", ".partial"
"""Of temporary files."""


def write_atomically(files: Mapping[pathlib.Path, bytes], mode: int = 0o666) -> None:
    """Write files, each whole or not at all; `mode` is their mode, less the umask.

    All contents are written to temporary files beside their places first, so a full disk changes nothing. Then each is
    moved to its place and replaces what was there, also a link. Only temporary files of this call are removed.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_atomically({pathlib.Path(folder, "a"): b"1", pathlib.Path(folder, "b"): b"2"})
    ...     sorted(os.listdir(folder))
    ['a', 'b']
    """
    temporary: dict[pathlib.Path, pathlib.Path] = {}
    path = pathlib.Path()
    try:
        for path, content in files.items():
            beside = path.with_name(f"{PARTIAL_PREFIX}{os.urandom(8).hex()}{PARTIAL_SUFFIX}")
            with open(beside, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
                temporary[path] = beside
                file.write(content)
        for path in files:
            temporary[path].replace(path)
            del temporary[path]
    except OSError as error:
        error.filename = error.filename or str(path)  # writing to a full disk names no file
        raise
    finally:
        for beside in temporary.values():
            beside.unlink(missing_ok=True)
