"""From IR text to addresses: code generation for this machine's CPU, and loading of object code."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import llvmlite
import llvmlite.binding as llvm

lock = threading.RLock()
"""Held while compiling and loading: LLVM and the tables here are for one thread at a time."""
_loaded = 0

if hasattr(os, "register_at_fork"):  # else a child forked while another thread compiles would wait for ever
    os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)


@dataclass(frozen=True)
class Target:
    """The CPU that code is made for."""

    triple: str
    cpu: str
    features: str

    @property
    def identity(self) -> str:
        """Everything that the code depends on apart from the program."""
        version = ".".join(map(str, llvm.llvm_version_info))
        return "|".join((self.triple, self.cpu, self.features, version, llvmlite.__version__))

    @property
    def register_bytes(self) -> int:
        """Width of the vector registers worth using."""
        if "+avx512f" in self._enabled:
            return 64
        return 32 if "+avx" in self._enabled else 16

    @property
    def fuses(self) -> bool:
        """Whether a*b + c is one operation."""
        return "+fma" in self._enabled or self.triple.startswith(("aarch64", "arm64"))

    @property
    def _enabled(self) -> set[str]:
        return set(self.features.split(","))


@cache
def host() -> Target:
    """This machine."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features().flatten()
    return Target(llvm.get_process_triple(), llvm.get_host_cpu_name(), features)


@cache
def _machine() -> Any:
    target = host()
    return llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu, features=target.features, opt=2, reloc="pic", codemodel="small", jit=True
    )


@cache
def _linker() -> Any:
    return llvm.create_lljit_compiler(_machine())


def assemble(text: str) -> bytes:
    """Object code of a module's text."""
    with lock:
        module = llvm.parse_assembly(text)
        module.verify()
        return bytes(_machine().emit_object(module))


def link(code: bytes, symbols: Sequence[str]) -> tuple[dict[str, int], Any]:
    """The addresses of functions in object code, and what must stay alive while they are in use."""
    global _loaded
    with lock:
        host()
        _loaded += 1
        library = llvm.JITLibraryBuilder().add_object_img(code)
        for symbol in symbols:
            library.export_symbol(symbol)
        tracker = library.link(_linker(), f"kinetrace_{_loaded}")
        return {symbol: tracker[symbol] for symbol in symbols}, tracker
