"""Shared libraries of generated C, built by the compiler of this machine."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from ..errors import InputError, shortened

FLAGS = ("-std=c99", "-O2", "-march=native", "-ffp-contract=fast", "-shared", "-fPIC")
COMPILERS = ("cc", "gcc", "clang")
_SUFFIX = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")


def build(text: str, name: str, folder: str | os.PathLike[str] | None, compiler: str | None) -> Path:
    """A library of this text, in a folder of its own that is removed when the process ends; copies in another folder.

    A process that has loaded a library gets the same one again for the same path, whatever is in the file now: so none
    is loaded from a path where another may have been.
    """
    command = compiler_command(compiler)
    place = Path(_temporary().name) / hashlib.sha256(repr((command, FLAGS, text)).encode()).hexdigest()[:32]
    source, target = place / f"{name}.c", place / f"{name}{_SUFFIX}"
    if not target.exists():
        place.mkdir(parents=True, exist_ok=True)
        source.write_text(text, encoding="ascii", newline="\n")
        made = place / f"{os.getpid()}_{threading.get_ident()}{_SUFFIX}"
        run(command, [*FLAGS, "-o", str(made), str(source), "-lm"])
        made.replace(target)
    if folder is not None:
        _copy((source, target), Path(folder))
    return target


def _copy(files: Iterable[Path], folder: Path) -> None:
    """Files in a folder, which replace those of their names at once: another process may have loaded these."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file in files:
            with tempfile.TemporaryDirectory(dir=folder) as new:
                shutil.copy(file, new)
                (Path(new) / file.name).replace(folder / file.name)
    except OSError as error:
        raise InputError(f"folder: cannot write to {str(folder)!r}: {error.strerror or error}") from None


def run(command: str, arguments: list[str]) -> None:
    """Run the compiler; an error with its own first words if it fails."""
    done = subprocess.run([command, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        told = shortened((done.stderr or done.stdout).strip()) or f"it says nothing, but ends with {done.returncode}"
        raise InputError(f"compiler {command!r} failed: {told}")


def compiler_command(compiler: str | None) -> str:
    """The compiler that was given, that of the environment, or the first that there is."""
    wanted = (compiler,) if compiler is not None else (os.environ.get("CC", ""), *COMPILERS)
    for name in wanted:
        if not isinstance(name, str):
            raise InputError(f"compiler must be the name of a C compiler, got {type(name).__name__}")
        if name and (there := shutil.which(name)):
            return there
    what = (
        f"there is no compiler {compiler!r}"
        if compiler is not None
        else f"there is no C compiler ({', '.join(COMPILERS)})"
    )
    raise InputError(f"{what}: kt.casadi.function needs none, and kt.casadi.source gives the text to compile elsewhere")


@cache
def _temporary() -> tempfile.TemporaryDirectory[str]:
    """A folder that lives as long as the process."""
    return tempfile.TemporaryDirectory(prefix="kinetrace_casadi_")
