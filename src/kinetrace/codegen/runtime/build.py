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
from ...support.lock import lock
from ...trace import Program
from ..llvm import engine, objects
from ..llvm import single as one_state
from ..plan import SIZES
from .gufunc import gufunc


class BatchCode(NamedTuple):
    """Compiled code for many states."""

    gufunc: Any
    share: int
    """The address of the function for a part of a batch; see `llvm.share`."""
    owner: engine.Code
    """What keeps the code alive."""


class SingleCode(NamedTuple):
    """Compiled code for one state: the addresses of two functions; see `llvm.single`."""

    single: int
    one: int
    owner: engine.Code


SYMBOLS = {
    "batch": ("loop", "share"),
    "single": ("single", "one"),
    "alone": ("loop", "share"),
    "xla": ("xla", "prepare"),
}
ALONE = ("single", "alone")
"""Those with one state at a time."""
_built: WeakValueDictionary[str, engine.Code] = WeakValueDictionary()
"""What is in use, for others with the same program."""


def batch(program: Program, dtype: str, kind: str = "batch") -> BatchCode:
    """The program as a gufunc: in use already, kept on disk, or made now; "alone" for one state at a time."""
    code = _build(program, dtype, kind)
    doc, sizes = f"{program.name}: {program.signature}", (len(program.inputs), len(program.outputs))
    made = gufunc(code["loop"], code, program.signature, *sizes, dtype, program.name, doc)
    return BatchCode(made, code["share"], code)


def single(program: Program, dtype: str) -> SingleCode:
    """The program for one state."""
    code = _build(program, dtype, "single")
    return SingleCode(code["single"], code["one"], code)


def xla(program: Program, dtype: str) -> engine.Code:
    """The program as a handler of XLA's: the functions of `llvm.xla`."""
    return _build(program, dtype, "xla")


def assembled(program: Program, dtype: str, kind: str, target: engine.Target) -> bytes:
    """Object code of a program for a target: for batches ("batch", "xla"), or for one state ("single", "alone")."""
    from ..llvm import line, share  # not at the top: with the code on disk, nothing is written
    from ..llvm import xla as handler

    arguments = program.inputs + program.outputs
    axes = [str(x) for a in arguments for x in a.shape] if program.dims else []
    shared = share.emit(len(arguments), len(axes), len(set(axes)))
    beside = one_state.emit(program, dtype) if kind == "single" else shared
    if kind == "xla":
        beside += handler.emit(program, dtype)
    passes = target.register_bytes // SIZES[dtype] if kind in ALONE else 1
    texts = line.emit(program, _lanes(dtype, kind, target), dtype, target.fuses, beside, passes)
    return engine.assemble(texts, target, program.size)


def _lanes(dtype: str, kind: str, target: engine.Target) -> int:
    return 1 if kind in ALONE else target.register_bytes // SIZES[dtype]


def _build(program: Program, dtype: str, kind: str) -> engine.Code:
    target, emitters, symbols = engine.host(), _emitters(), SYMBOLS[kind]
    lanes = str(_lanes(dtype, kind, target))
    about = (program.name, program.digest, target.identity, dtype, lanes, *symbols, objects.LAYOUT, str(emitters))
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
    above = Path(__file__).parents[1]
    decided_elsewhere = Path(__file__), *sorted((above.parent / "trace").glob("*.py"))
    return fingerprint((*sorted(above.glob("*.py")), *sorted((above / "llvm").rglob("*.py")), *decided_elsewhere))
