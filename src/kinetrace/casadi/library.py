"""Shared libraries of generated C, built by the compiler of this machine."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from ..errors import InputError, shortened

FLAGS = ("-std=c99", "-O2", "-march=native", "-ffp-contract=fast", "-shared", "-fPIC")
COMPILERS = ("cc", "gcc", "clang")
_SUFFIX = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")


def build(text: str, name: str, folder: str | os.PathLike[str] | None, compiler: str | None) -> Path:
    """A library of this text: in a folder, beside the text, or in one that is removed when the process ends.

    It is always built anew; a file that a process has loaded is replaced by another one, not written into.
    """
    command = found(compiler)
    if folder is None:
        place = Path(_temporary().name) / hashlib.sha256(f"{command}\n{text}".encode()).hexdigest()[:32]
        if (place / f"{name}{_SUFFIX}").exists():
            return place / f"{name}{_SUFFIX}"
    else:
        place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
        source, target = place / f"{name}.c", place / f"{name}{_SUFFIX}"
        source.write_text(text, encoding="ascii", newline="\n")
        with tempfile.TemporaryDirectory(dir=place) as new:
            made = Path(new) / target.name
            run(command, [*FLAGS, "-o", str(made), str(source), "-lm"])
            made.replace(target)
    except OSError as error:
        raise InputError(f"folder: cannot write to {str(place)!r}: {error.strerror or error}") from None
    return target


def run(command: str, arguments: list[str]) -> None:
    """Run the compiler; an error with its own first words if it fails."""
    done = subprocess.run([command, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise InputError(f"compiler {command!r} failed: {shortened((done.stderr or done.stdout).strip())}")


def found(compiler: str | None) -> str:
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
