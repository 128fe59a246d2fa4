"""Regular files of bounded size: what readers of robots, meshes and motions open.

Opening a named pipe waits for somebody who writes to it, and a device may be without end: neither is read, nor a file
that is larger than its reader takes.
"""

from __future__ import annotations

import errno
import io
import os
import stat

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
        raise _refused(path, f"is larger than {most} bytes", by, error)
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
        raise _refused(path, "is not a regular file", by, error)
    file = io.FileIO(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)), "r")
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):  # exchanged meanwhile
        file.close()
        raise _refused(path, "is not a regular file", by, error)
    return file


def _refused(path: Path, problem: str, by: str, error: type[KinetraceError]) -> KinetraceError:
    if issubclass(error, ModelError) and not by:
        return error(problem, file=str(path))
    said = f"{str(path)!r} {problem}"
    return error(said, file=by) if issubclass(error, ModelError) else error(said)
