"""From a program to a gufunc: the cache, the emitters and the linker in their order."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ..trace import Program
from . import cache as disk
from . import elementary, engine, fastcall, lines, llvm, loop
from .gufunc import gufunc


class Built(NamedTuple):
    """A compiled program."""

    gufunc: Any
    single: int
    """The address of the function for one state; see `fastcall`."""
    owner: Any
    """What keeps the code alive."""
    from_cache: bool


_built: dict[str, Built] = {}  # NumPy never lets go of a ufunc's code, so the same program is built only once


def build(program: Program, dtype: str) -> Built:
    """The program compiled for this machine: made before, kept on disk, or made now."""
    target = engine.host()
    lanes = target.register_bytes // llvm.SIZES[dtype]
    settings = "|".join((program.name, program.digest, target.identity, dtype, str(lanes), _emitters()))
    name = hashlib.sha256(settings.encode()).hexdigest()
    with engine.lock:
        if name not in _built:
            _built[name] = _make(program, dtype, lanes, name)
    return _built[name]


def _make(program: Program, dtype: str, lanes: int, name: str) -> Built:
    code = kept = disk.fetch(name)
    if code is None:
        code = engine.assemble(llvm.emit(program, lanes, dtype) + fastcall.emit(program, dtype))
        disk.store(name, code)
    at, owner = engine.link(code, ("loop", "single"))
    doc, sizes = f"{program.name}: {program.signature}", (len(program.inputs), len(program.outputs))
    made = gufunc(at["loop"], owner, program.signature, *sizes, dtype, program.name, doc)
    return Built(made, at["single"], owner, kept is not None)


@cache
def _emitters() -> str:
    """A hash of the code that writes code, and of its settings: when they change, so may what comes out."""
    sources = (engine, llvm, loop, lines, elementary, fastcall)
    return hashlib.sha256(b"".join(Path(str(module.__file__)).read_bytes() for module in sources)).hexdigest()
