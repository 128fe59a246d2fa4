"""From IR text to addresses: code generation for a CPU, and loading of object code on this machine.

A long program is several modules, which threads turn into object code side by side. Object code is kept as one text of
bytes: each object behind its length. What code generators leave to a compiler's run-time library is defined here:
object code has no external symbol.
"""

from __future__ import annotations

import struct
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from ctypes import py_object, pythonapi, string_at
from dataclasses import dataclass
from functools import cache, partial
from typing import Any
from weakref import finalize

import llvmlite
import llvmlite.binding as llvm
from llvmlite.binding import ffi

from ....support.threads import cores, large_stacks, lock

LONG_PROGRAM_NODES = 10_000
"""Nodes of a program from which instructions are not scheduled a second time, after registers are chosen: that takes a
third of LLVM's time and makes no large program faster; small ones up to a tenth."""
HUGE_PROGRAM_NODES = 75_000
"""Nodes from which registers are chosen as one goes along: code that is made in less than half the time, and takes a
third to a half longer."""
_LINKER_LIBRARIES = 32  # that a linker takes: LLVM keeps some kB for each one removed, until the linker is removed too
_linker: Any = None
_loaded = 0
_dropped: deque[Any] = deque()  # code without users, to be unloaded


@dataclass(frozen=True)
class TargetCPU:
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


class LoadedCode:
    """Functions in memory: their addresses, valid while this lives."""

    from_cache = False
    """Whether they were on disk."""

    def __init__(self, addresses: dict[str, int]) -> None:
        self.addresses = addresses

    def __getitem__(self, symbol: str) -> int:
        return self.addresses[symbol]


@cache
def host_cpu() -> TargetCPU:
    """This machine."""
    with lock:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        features = llvm.get_host_cpu_features().flatten()
        return TargetCPU(llvm.get_process_triple(), llvm.get_host_cpu_name(), features)


def assemble(texts: Iterable[str], target: TargetCPU | None = None, size: int = 0) -> bytes:
    """Object code of modules' texts for this machine, or for a target whose generator has been initialised.

    `size` is that of the program: the modules of a long one are taken by threads as they come.
    """
    target = target or host_cpu()
    with lock:
        if size < LONG_PROGRAM_NODES:
            return _frame_code(_object(text, target, _machine(target)) for text in texts)
        return _frame_code(
            _side_by_side(texts, partial(_object_apart, target=target, effort=1 if size < HUGE_PROGRAM_NODES else 0))
        )


def _side_by_side(texts: Iterable[str], make: Callable[[str], bytes]) -> Iterator[bytes]:
    """Results of `make` for each text, by threads; here, if none can be had, or the interpreter is about to end."""
    threads, made = ThreadPoolExecutor(cores()), list[Callable[[], bytes]]()
    try:
        for text in texts:
            try:
                with large_stacks():
                    made.append(threads.submit(make, text).result)
            except RuntimeError:
                made.append(partial(make, text))
        yield from (take() for take in made)
    finally:
        threads.shutdown(cancel_futures=True)  # Ctrl-C does not wait for what is not begun


def _object(text: str, target: TargetCPU, machine: Any) -> bytes:
    # In a context of its own: the common one would keep every constant forever.
    module = llvm.parse_assembly(text + run_time_library(target.triple), llvm.create_context())
    module.verify()
    return bytes(machine.emit_object(module))


def _object_apart(text: str, target: TargetCPU, effort: int) -> bytes:
    """The same beside other threads, each with a machine of its own."""
    return _object(text, target, _Unlocked(_new_machine(target, effort)))


class _Unlocked:
    """A machine that emits code without llvmlite's lock: LLVM itself needs none for contexts that are not shared."""

    def __init__(self, machine: Any) -> None:
        self.machine = machine

    def emit_object(self, module: Any) -> bytes:
        """The code of a module."""
        function = ffi.lib.LLVMPY_TargetMachineEmitToMemory
        with ffi.OutputString() as error:
            buffer = getattr(function, "_cfn", function)(self.machine, module, 1, error)
            if not buffer:
                raise RuntimeError(str(error))
        try:
            return string_at(ffi.lib.LLVMPY_GetBufferStart(buffer), ffi.lib.LLVMPY_GetBufferSize(buffer))
        finally:
            ffi.lib.LLVMPY_DisposeMemoryBuffer(buffer)


def _frame_code(objects: Iterable[bytes]) -> bytes:
    return b"".join(struct.pack("<Q", len(x)) + x for x in objects)


def objects(code: bytes) -> Iterator[bytes]:
    """The object files in what `assemble` made."""
    at = 0
    while at < len(code):
        (size,) = struct.unpack_from("<Q", code, at)
        yield code[at + 8 : at + 8 + size]
        at += 8 + size


def link(code: bytes, symbols: Sequence[str], for_ever: bool = False) -> LoadedCode:
    """Load object code, and find these functions in it; it stays until the process ends if threads never leave it."""
    with lock:
        _unload()
        addresses, owner = _load(code, symbols)
        made = LoadedCode(addresses)
        if for_ever:
            pythonapi.Py_IncRef(py_object(owner))
            return made
        # Not by `__del__`, during which another thread may still find the object by a weak reference. Not when the
        # interpreter ends, as threads may still be inside.
        finalize(made, _drop, owner).atexit = False
        return made


@cache
def _machine(target: TargetCPU) -> Any:
    return _new_machine(target)


def _new_machine(target: TargetCPU, effort: int = 2) -> Any:
    return llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu, features=target.features, opt=effort, reloc="pic", codemodel="small", jit=True
    )


def _drop(owner: Any) -> None:
    """Unload code without users; if another thread holds the lock, the next load does it.

    Objects are dropped anywhere, so this must not wait for anybody.
    """
    _dropped.append(owner)
    if lock.acquire(blocking=False):
        try:
            _unload()
        finally:
            lock.release()


def _unload() -> None:
    while _dropped:  # only here is anything taken out, and under the lock
        _dropped.popleft().close()


def _load_in_library(code: bytes, symbols: Sequence[str]) -> tuple[dict[str, int], Any]:
    """By LLVM's newer linker, JITLink, which gets memory for all sections of an object at once.

    The older one asks for memory section by section, and ends the process if they are too far apart for the small code
    model, as happens where large arrays have taken the addresses between.
    """
    global _linker, _loaded
    if _loaded % _LINKER_LIBRARIES == 0:
        _linker = llvm.create_lljit_compiler(_machine(host_cpu()), use_jit_link=True)
    _loaded += 1
    library = llvm.JITLibraryBuilder()
    for part in objects(code):
        library.add_object_img(_in_one_map(part))
    for symbol in symbols:
        library.export_symbol(symbol)
    tracker = library.link(_linker, f"kinetrace_{_loaded}")
    return {symbol: tracker[symbol] for symbol in symbols}, tracker


def _load_in_engine(code: bytes, symbols: Sequence[str]) -> tuple[dict[str, int], Any]:
    """By the older linker with llvmlite's own memory manager, which reserves one block for all sections."""
    made = llvm.create_mcjit_compiler(
        llvm.parse_assembly("", llvm.create_context()), _new_machine(host_cpu()), use_lmm=True
    )
    for part in objects(code):
        made.add_object_file(llvm.ObjectFileRef.from_data(part))
    made.finalize_object()
    return {symbol: made.get_function_address(symbol) for symbol in symbols}, made


_load = _load_in_engine if sys.platform == "win32" else _load_in_library  # llvmlite has no JITLink on Windows


def _in_one_map(code: bytes) -> bytes:
    """An ELF object whose constants are to be loaded as code is: other objects as they are.

    Neighbouring pages of equal permissions are one memory map, of which Linux allows a process 65,530: so kernels side
    by side share one, however many there are.
    """
    if not code.startswith(b"\x7fELF\x02\x01"):  # 64 bits, little end first
        return code
    patched = bytearray(code)
    (table,) = struct.unpack_from("<Q", code, 40)
    size, count = struct.unpack_from("<HH", code, 58)
    writable, allocated, executable = 1, 2, 4
    for header in range(table, table + size * count, size):
        (flags,) = struct.unpack_from("<Q", code, header + 8)
        if flags & (writable | allocated) == allocated:
            struct.pack_into("<Q", patched, header + 8, flags | executable)
    return bytes(patched)


# Windows commits a stack one guard page at a time. A function that is about to take a frame of a page or more calls
# `__chkstk`, which touches every page of it, from above. No register of the caller changes.
_CHKSTK = {
    "x86_64": """
51              push rcx
50              push rax                  # the size of the frame
48 8d 4c 24 18  lea  rcx, [rsp + 24]      # where it begins
48 f7 d8        neg  rax
48 01 c8        add  rax, rcx             # where it ends
48 81 e9 00 10 00 00  next: sub rcx, 4096
48 39 c1        cmp  rcx, rax
72 04           jb   last
84 09           test [rcx], cl
eb f0           jmp  next
84 00           last: test [rax], al
58              pop  rax
59              pop  rcx
c3              ret
""",
    "aarch64": """
f1 03 00 91     mov  x17, sp
30 12 0f cb     sub  x16, x17, x15, lsl 4 # where the frame ends; x15 is its size / 16, x16 and x17 are free
31 06 40 d1     next: sub x17, x17, 4096
3f 02 10 eb     cmp  x17, x16
63 00 00 54     b.lo last
3f 02 40 39     ldrb wzr, [x17]
fc ff ff 17     b    next
1f 02 40 39     last: ldrb wzr, [x16]
c0 03 5f d6     ret
""",
}


def run_time_library(triple: str) -> str:
    """IR to stand behind a module's own text.

    >>> run_time_library("x86_64-unknown-linux-gnu")
    ''
    """
    if "windows" not in triple:
        return ""
    processor = "aarch64" if triple.startswith(("aarch64", "arm64")) else "x86_64"
    # `_fltused` says that there is floating-point code: its value is not read. Every module has its own.
    return "@_fltused = internal constant i32 0\n" + stack_probe("__chkstk", processor)


def stack_probe(name: str, processor: str) -> str:
    """IR of the function that touches the pages of a frame: its machine code stands before an empty body."""
    code = bytes.fromhex("".join(line.split("  ")[0] for line in _CHKSTK[processor].splitlines()))
    data = "".join(f"\\{x:02x}" for x in code)
    return f'define internal void @{name}() naked nounwind prologue [{len(code)} x i8] c"{data}" {{ unreachable }}\n'
