"""From a program to what can be called: the cache, the emitters and the linker in their order.

A program is compiled for batches, with as many lanes as a register has, and for one state, with one lane: each when it
is first needed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

from ...support.threads import lock
from .. import trace
from ..cache import disk
from ..cache.fingerprints import fingerprint
from ..plan import memory
from ..plan.memory import SCALAR_BYTES
from ..targets.llvm import object_code, python_objects
from ..targets.llvm import single_state as one_state
from ..targets.llvm import worker_team as team_text
from ..trace import Program
from . import native_threads
from .gufunc import gufunc


class BatchCode(NamedTuple):
    """Compiled code for many states."""

    gufunc: Any
    together: Callable[[int, int], Any]
    """A gufunc of the same, by so many threads at most; and the operations for which one is woken, 0 for any."""
    owner: object_code.LoadedCode
    """Object that keeps the code alive."""


class SingleCode(NamedTuple):
    """Compiled code for one state: the addresses of two functions; see `llvm.single_state`."""

    single: int
    one: int
    owner: object_code.LoadedCode


KIND_SYMBOLS = {
    "batch": ("loop", "together"),
    "single": ("single", "one"),
    "alone": ("loop",),
    "xla": ("xla", "prepare"),
}
ONE_STATE_KINDS = ("single", "alone")
"""Those with one state at a time."""
_built: WeakValueDictionary[str, object_code.LoadedCode] = WeakValueDictionary()
"""Code in use, for others with the same program."""


def batch(program: Program, dtype: str, kind: str = "batch") -> BatchCode:
    """The program as a gufunc: in use already, kept on disk, or made now; "alone" for one state at a time."""
    code = _build(program, dtype, kind)
    doc, sizes = f"{program.name}: {program.signature}", (len(program.inputs), len(program.outputs))
    about = code, program.signature, *sizes, dtype, program.name, doc

    @lru_cache
    def together(threads: int, least: int) -> Any:
        return gufunc(code["together"], *about, more=(native_threads.gather(), threads, least))

    return BatchCode(gufunc(code["loop"], *about), together, code)


def single(program: Program, dtype: str) -> SingleCode:
    """The program for one state."""
    code = _build(program, dtype, "single")
    return SingleCode(code["single"], code["one"], code)


def xla(program: Program, dtype: str) -> object_code.LoadedCode:
    """The program as a handler of XLA's: the functions of `llvm.xla`."""
    return _build(program, dtype, "xla")


def make_object(program: Program, dtype: str, kind: str, target: object_code.TargetCPU) -> bytes:
    """Object code of a program for a target: for batches ("batch", "xla"), or for one state ("single", "alone")."""
    # Not at the top: with the code on disk, nothing is written.
    from ..targets.llvm import blocks, thread_parts
    from ..targets.llvm import xla as handler

    beside = one_state.emit(program, dtype) if kind == "single" else ""
    if kind in ("batch", "xla"):
        loop = thread_parts.emit_together(program) if kind == "batch" else handler.emit(program, dtype)
        beside = f"{thread_parts.emit(program)}\n{loop}"
    passes = target.register_bytes // SCALAR_BYTES[dtype] if kind in ONE_STATE_KINDS else 1
    texts = blocks.emit(program, _lanes(dtype, kind, target), dtype, target.fuses, beside, passes)
    return object_code.assemble(texts, target, program.size)


def _lanes(dtype: str, kind: str, target: object_code.TargetCPU) -> int:
    return 1 if kind in ONE_STATE_KINDS else target.register_bytes // SCALAR_BYTES[dtype]


def _build(program: Program, dtype: str, kind: str) -> object_code.LoadedCode:
    target, symbols = object_code.host_cpu(), KIND_SYMBOLS[kind]
    about = (program.name, program.digest, dtype, str(_lanes(dtype, kind, target)), *symbols, python_objects.LAYOUT)
    with lock:
        name = _name(about)
        code = _built.get(name)
        if code is None:
            made, kept = _fetch_or_make(name, lambda: make_object(program, dtype, kind, target))
            code = _built[name] = object_code.link(made, symbols)
            code.from_cache = kept
        return code


def team() -> object_code.LoadedCode:
    """The functions of `llvm.worker_team`, which stay in memory."""
    target = object_code.host_cpu()
    with lock:
        made, _ = _fetch_or_make(
            _name(("workers",)), lambda: object_code.assemble([team_text.emit(target.triple)], target)
        )
        return object_code.link(made, team_text.TEAM_SYMBOLS, for_ever=True)


def _name(about: tuple[str, ...]) -> str:
    """That of a file, for code about which this is known."""
    return hashlib.sha256("|".join((*about, object_code.host_cpu().identity, str(_emitters()))).encode()).hexdigest()


def _fetch_or_make(name: str, make: Callable[[], bytes]) -> tuple[bytes, bool]:
    """Object code on disk, or made now; and whether it was there."""
    kept = disk.fetch(name) if _emitters() else None
    made = kept or make()
    if _emitters() and kept is None:
        disk.store(name, made)
    return made, kept is not None


@cache
def _emitters() -> str | None:
    """A hash of the code that writes code, and of its settings: when they change, so may what comes out."""
    plan, emitters, operations = (Path(str(module.__file__)).parent for module in (memory, object_code, trace))
    return fingerprint(
        (Path(__file__), *sorted(plan.glob("*.py")), *sorted(emitters.rglob("*.py")), *sorted(operations.glob("*.py")))
    )
