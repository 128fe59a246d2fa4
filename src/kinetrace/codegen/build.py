"""From a program to what can be called: the cache, the emitters and the linker in their order.

A program is compiled for batches, with as many lanes as a register has, and for one state, with one lane: each when it
is first needed.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ..files import fingerprint
from ..trace import Program
from . import cache as disk
from . import engine, fastcall, share
from .gufunc import gufunc
from .plan import SIZES


class Built(NamedTuple):
    """Compiled code."""

    entry: Any
    """The gufunc, or the address of the function for one state; see `fastcall`."""
    share: int
    """The address of the function for a part of a batch; see `share`. 0 for one state."""
    owner: Any
    """What keeps the code alive."""
    from_cache: bool


_built: dict[str, Built] = {}  # NumPy never lets go of a ufunc's code, so the same program is built only once


def batch(program: Program, dtype: str) -> Built:
    """The program as a gufunc: made before, kept on disk, or made now."""
    lanes = engine.host().register_bytes // SIZES[dtype]
    doc, sizes = f"{program.name}: {program.signature}", (len(program.inputs), len(program.outputs))

    def entry(address: int, owner: Any) -> Any:
        return gufunc(address, owner, program.signature, *sizes, dtype, program.name, doc)

    return _build(program, dtype, lanes, ("loop", "share"), entry)


def single(program: Program, dtype: str) -> Built:
    """The program for one state."""
    return _build(program, dtype, 1, ("single",), lambda address, _: address)


def _build(program: Program, dtype: str, lanes: int, symbols: tuple[str, ...], entry: Any) -> Built:
    target = engine.host()
    emitters = _emitters()
    settings = "|".join((program.name, program.digest, target.identity, dtype, str(lanes), *symbols, str(emitters)))
    name = hashlib.sha256(settings.encode()).hexdigest()
    with engine.lock:
        if name not in _built:
            code = kept = disk.fetch(name) if emitters else None
            if code is None:
                from . import llvm  # not at the top: with the code on disk, nothing is written

                text = llvm.emit(program, lanes, dtype, target.fuses)
                calls = share.emit(len(program.inputs + program.outputs))
                code = engine.assemble(text + (fastcall.emit(program, dtype) if "single" in symbols else calls))
                if emitters:
                    disk.store(name, code)
            at, owner = engine.link(code, symbols)
            _built[name] = Built(entry(at[symbols[0]], owner), at.get("share", 0), owner, kept is not None)
    return _built[name]


@cache
def _emitters() -> str | None:
    """A hash of the code that writes code, and of its settings: when they change, so may what comes out."""
    names = ("engine", "plan", "llvm", "loop", "lines", "elementary", "fastcall", "share")
    return fingerprint(Path(__file__).with_name(f"{x}.py") for x in names)
