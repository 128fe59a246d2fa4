"""C99 with the interface that CasADi expects of external functions: NAME, NAME_n_in, NAME_sparsity_in and so on.

A pointer that is NULL stands for zeros among the arguments, and for what nobody wants among the results. Nothing is
allocated and nothing is kept, so that threads may call it at the same time.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

from ...engine.targets.text.statements import functions
from ...engine.targets.text.syntax import GENERATED_MARK, comment, definition, file_text
from ...engine.targets.text.unit import Unit
from ...errors import InputError, shorten
from .matrices import Matrix
from .parts import Part

_HEAD = """\
#include <math.h>
#include <stddef.h>

#ifndef casadi_real
#define casadi_real double
#endif
#ifndef casadi_int
#define casadi_int long long int
#endif
#ifndef CASADI_SYMBOL_EXPORT
#if defined(_WIN32)
#define CASADI_SYMBOL_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define CASADI_SYMBOL_EXPORT __attribute__((visibility("default")))
#else
#define CASADI_SYMBOL_EXPORT
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif"""
_INDENT = "    "


def text(parts: Sequence[Part], about: Sequence[str]) -> str:
    """The file of some functions; `about` are lines for the comment on top."""
    entries = [x for part in parts for x in _entry(part)]
    title = f"{parts[0].name}.c, {GENERATED_MARK}: functions for CasADi"
    return file_text(comment(title, [*about, *(_signature(part) for part in parts)]), _HEAD, *entries, _TAIL)


_TAIL = """\
#ifdef __cplusplus
}
#endif"""


def _signature(part: Part) -> str:
    """Arguments and results of a function, as CasADi writes them."""

    def side(several: Sequence[Matrix]) -> str:
        return ", ".join(f"{m.name}[{m.shape[0]}x{m.shape[1]}, {m.size} nz]" for m in several)

    return f"{part.name}: ({side(part.inputs)}) -> ({side(part.outputs)})"


def _entry(part: Part) -> Iterator[str]:
    """One function with all that CasADi asks about it."""
    name, work, body = part.name, 0, list[str]()
    longest = max([1, *(m.size for m in part.inputs)])
    for g, family in enumerate(part.families):
        places = part.places(family)
        if not places:
            continue
        program, read = part.program(family, apart=True)
        of = Unit(program, f"kinetrace_{name}_{g}")
        yield from functions(of, "static void")
        given = [f"arg[{k}] ? arg[{k}] : zero" for k in read]
        for k in places:
            given.append(f"res[{k}] ? res[{k}] : w + {work}")
            work += part.outputs[k].size
        wanted = " || ".join(f"res[{k}]" for k in places)
        call = f",\n{3 * _INDENT}".join(given)
        body += [f"{_INDENT}if ({wanted}) {{", f"{2 * _INDENT}{of.name}(\n{3 * _INDENT}{call});", f"{_INDENT}}}"]
    yield definition(
        f"CASADI_SYMBOL_EXPORT int {name}",
        ["const casadi_real **arg", "casadi_real **res", "casadi_int *iw", "casadi_real *w", "int mem"],
        [
            f"{_INDENT}static const casadi_real zero[{longest}] = {{0}};",
            *(f"{_INDENT}(void){x};" for x in ("arg", "res", "iw", "w", "mem", "zero")),
            *body,
            f"{_INDENT}return 0;",
        ],
    )
    for kind, several in (("in", part.inputs), ("out", part.outputs)):
        yield from _questions(name, kind, several)
    sizes = {"sz_arg": len(part.inputs), "sz_res": len(part.outputs), "sz_iw": 0, "sz_w": work}
    yield definition(
        f"CASADI_SYMBOL_EXPORT int {name}_work",
        [f"casadi_int *{x}" for x in sizes],
        [*(f"{_INDENT}if ({x}) *{x} = {n};" for x, n in sizes.items()), f"{_INDENT}return 0;"],
    )


def _questions(name: str, kind: str, several: Sequence[Matrix]) -> Iterator[str]:
    """How many arguments or results there are, their names, and which of their entries are stored."""
    yield f"CASADI_SYMBOL_EXPORT casadi_int {name}_n_{kind}(void) {{ return {len(several)}; }}"
    names = [f'{_INDENT}case {i}: return "{m.name}";' for i, m in enumerate(several)]
    yield _switch(f"CASADI_SYMBOL_EXPORT const char *{name}_name_{kind}", names)
    patterns = [f"{_INDENT}case {i}: return {name}_{kind}{i}_sparsity;" for i in range(len(several))]
    for i, m in enumerate(several):
        words = f",\n{_INDENT}".join(_lines(_compress(m)))
        yield f"static const casadi_int {name}_{kind}{i}_sparsity[] = {{\n{_INDENT}{words}\n}};"
    yield _switch(f"CASADI_SYMBOL_EXPORT const casadi_int *{name}_sparsity_{kind}", patterns)


def _switch(head: str, cases: list[str]) -> str:
    lines = [f"{_INDENT}switch (i) {{", *cases, f"{_INDENT}default: return NULL;", f"{_INDENT}}}"]
    return definition(head, ["casadi_int i"], lines)


def _compress(m: Matrix) -> list[int]:
    """A pattern in CasADi's form: rows, columns, where each column begins, and the rows of stored entries."""
    return [*m.shape, 1] if m.pattern.all() else [*m.shape, *m.columns[0], *m.columns[1]]


def _lines(numbers: Sequence[int], most: int = 20) -> list[str]:
    return [", ".join(map(str, numbers[k : k + most])) for k in range(0, len(numbers), most)]


COMPILER_FLAGS = ("-std=c99", "-O2", "-march=native", "-ffp-contract=fast", "-shared", "-fPIC")
COMPILERS = ("cc", "gcc", "clang")
_SUFFIX = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")


def build(text: str, name: str, folder: str | os.PathLike[str] | None, compiler: str | None) -> Path:
    """A library of this text, in a folder of its own that is removed when the process ends; copies in another folder.

    A process that has loaded a library gets the same one again for the same path, whatever is in the file now: so none
    is loaded from a path where another may have been.
    """
    command = compiler_command(compiler)
    place = Path(_temporary().name) / hashlib.sha256(repr((command, COMPILER_FLAGS, text)).encode()).hexdigest()[:32]
    source, target = place / f"{name}.c", place / f"{name}{_SUFFIX}"
    if not target.exists():
        place.mkdir(parents=True, exist_ok=True)
        source.write_text(text, encoding="ascii", newline="\n")
        made = place / f"{os.getpid()}_{threading.get_ident()}{_SUFFIX}"
        run(command, [*COMPILER_FLAGS, "-o", str(made), str(source), "-lm"])
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
        told = shorten((done.stderr or done.stdout).strip()) or f"it says nothing, but ends with {done.returncode}"
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
