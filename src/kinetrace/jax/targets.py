"""Kernels as functions that XLA calls: compiled once, and registered under a name that is the same in every process."""

from __future__ import annotations

import ctypes
import re
from functools import cache
from pathlib import Path
from typing import Any

import jax

from ..codegen.kept import SCALAR_TYPES
from ..codegen.llvm.xla import HANDLER
from ..codegen.llvm.xla_team import XLA_HOST_FUNCTIONS
from ..codegen.runtime import compiler
from ..errors import InputError
from ..frameworks.family import Family
from ..support.lock import lock

_ffi: Any = jax.ffi
_alive: dict[str, Any] = {}
"""Name → code, which XLA may call as long as the process lives."""


def target(family: Family) -> str:
    """The name by which XLA calls a kernel: JAX's own cache of executables depends on nothing else of it."""
    name = f"kinetrace_{HANDLER}_{family.identity}"
    if name not in _alive:
        program = family.kernel.program
        empty = [a.name for a in family.outputs if a.size == 0]
        if empty:
            raise InputError(f"{program.name}: {empty[0]} has no entries; XLA calls no kernel for nothing")
        with lock:
            if name not in _alive:
                code = compiler.get().xla(program, SCALAR_TYPES[family.dtype])
                ctypes.CFUNCTYPE(None, ctypes.c_void_p)(code["prepare"])(ctypes.addressof(_host()))
                _ffi.register_ffi_target(name, _ffi.pycapsule(code["xla"]), platform="cpu")
                _alive[name] = code
    return name


@cache
def _host() -> Any:
    """What `prepare` of the handler takes."""
    addresses = [ctypes.cast(getattr(ctypes.pythonapi, x), ctypes.c_void_p).value or 0 for x in XLA_HOST_FUNCTIONS]
    major, minor = _version()
    return (ctypes.c_uint64 * (len(XLA_HOST_FUNCTIONS) + 1))(*addresses, minor << 32 | major)


def _version() -> tuple[int, int]:
    """That of the interface in the headers of jaxlib, which handlers then claim; they are written for 0.x."""
    header = Path(jax.ffi.include_dir()) / "xla" / "ffi" / "api" / "c_api.h"
    text = header.read_text(encoding="utf-8") if header.is_file() else ""
    found = [re.search(rf"#define XLA_FFI_API_{part} (\d+)", text) for part in ("MAJOR", "MINOR")]
    major, minor = (int(x[1]) if x else None for x in found)
    if major != 0 or minor is None:
        stated = "no version in its headers" if major is None or minor is None else f"version {major}.{minor}"
        raise InputError(
            f"kinetrace.jax calls kernels by version 0.x of XLA's foreign function interface; jaxlib of JAX "
            f"{jax.__version__} has {stated}: take another version of JAX"
        )
    return major, minor
