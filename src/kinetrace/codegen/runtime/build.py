"""From a program to what can be called: the cache, the emitters and the linker in their order.

A program is compiled for batches, with as many lanes as a register has, and for one state, with one lane: each when it
is first needed.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

from ...cache import disk
from ...cache.fingerprints import fingerprint
from ...trace import Program
from ..llvm import engine
from ..llvm.lock import lock
from ..plan import SIZES
from . import fastcall, share
from .gufunc import gufunc


class Built(NamedTuple):
    """Compiled code."""

    entry: Any
    """The gufunc, or the address of the function for one state; see `fastcall`."""
    share: int
    """The address of the function for a part of a batch; see `share`. 0 for one state."""
    owner: engine.Code
    """What keeps the code alive."""
    from_cache: bool


SYMBOLS = {"batch": ("loop", "share"), "single": ("single",)}
_built: WeakValueDictionary[str, engine.Code] = WeakValueDictionary()
"""What is in use, for others with the same program."""


def batch(program: Program, dtype: str) -> Built:
    """The program as a gufunc: in use already, kept on disk, or made now."""
    code = _build(program, dtype, "batch")
    doc, sizes = f"{program.name}: {program.signature}", (len(program.inputs), len(program.outputs))
    entry = gufunc(code["loop"], code, program.signature, *sizes, dtype, program.name, doc)
    return Built(entry, code["share"], code, code.from_cache)


def single(program: Program, dtype: str) -> Built:
    """The program for one state."""
    code = _build(program, dtype, "single")
    return Built(code["single"], 0, code, code.from_cache)


def assembled(program: Program, dtype: str, kind: str, target: engine.Target) -> bytes:
    """Object code of a program for a target: for batches ("batch"), or for one state ("single")."""
    from ..llvm import line  # not at the top: with the code on disk, nothing is written

    text = line.emit(program, _lanes(dtype, kind, target), dtype, target.fuses)
    arrays = len(program.inputs + program.outputs)
    return engine.assemble(text + (fastcall.emit(program, dtype) if kind == "single" else share.emit(arrays)), target)


def _lanes(dtype: str, kind: str, target: engine.Target) -> int:
    return 1 if kind == "single" else target.register_bytes // SIZES[dtype]


def _build(program: Program, dtype: str, kind: str) -> engine.Code:
    target, emitters, symbols = engine.host(), _emitters(), SYMBOLS[kind]
    lanes = str(_lanes(dtype, kind, target))
    about = (program.name, program.digest, target.identity, dtype, lanes, *symbols, fastcall.LAYOUT, str(emitters))
    settings = "|".join(about)
    name = hashlib.sha256(settings.encode()).hexdigest()
    with lock:
        code = _built.get(name)
        if code is None:
            kept = disk.fetch(name) if emitters else None
            made = kept or assembled(program, dtype, kind, target)
            if emitters and kept is None:
                disk.store(name, made)
            code = _built[name] = engine.link(made, symbols)
            code.from_cache = kept is not None
        return code


@cache
def _emitters() -> str | None:
    """A hash of the code that writes code, and of its settings: when they change, so may what comes out."""
    here = Path(__file__).parent
    own = (here.with_name("plan.py"), here / "fastcall.py", here / "share.py")
    return fingerprint((*own, *sorted(here.with_name("llvm").rglob("*.py"))))
