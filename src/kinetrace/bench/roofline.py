"""Limits of this machine: streams of independent operations, and copying of memory.

The streams are IR of their own, as wide as the library's kernels and made by the same code generator. Each keeps enough
chains of operations in registers to hide the latency of one:

    mix    as many multiplications as additions, none waiting for another: what the operations of a kernel could reach
    fma    fused multiply-adds, two operations each: for information

The roof over a kernel of f operations and b bytes per state is min(mix, f / b · copy).
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from time import perf_counter
from typing import Any

import numpy as np

from ..engine.plan.memory import SCALAR_BYTES
from ..engine.targets.llvm import object_code

CHAINS = (12, 16)
"""Chains in a stream; the better one counts. Two units a kind with a latency of 3 need 12, which 16 registers hold."""
UNROLL_FACTOR = 4
LOOP_TRIPS = 1_000_000
COPY_BYTES = 1 << 25
"""Bytes that are copied: beyond the caches of a core."""


def emit(lanes: int) -> str:
    """The module's text: functions `mix_n` and `fma_n` of n chains, `double f(i64 trips, double factor, double term)`.

    Factor and term are arguments, so that no multiplication by one is seen and dropped.
    """
    vector = f"<{lanes} x double>"
    multiply, add = f"fmul {vector} {{x}}, %c", f"fadd {vector} {{x}}, %d"
    fused = f"call {vector} @llvm.fma.v{lanes}f64({vector} {{x}}, {vector} %c, {vector} %d)"
    streams = [_stream(f"mix_{n}", [multiply, add] * (n // 2), lanes) for n in CHAINS]
    streams += [_stream(f"fma_{n}", [fused] * n, lanes) for n in CHAINS]
    return "\n".join([*streams, f"declare {vector} @llvm.fma.v{lanes}f64({vector}, {vector}, {vector})", ""])


def _stream(name: str, operations: list[str], lanes: int) -> str:
    """A loop over chains, one operation each, unrolled."""
    vector, chains = f"<{lanes} x double>", range(len(operations))
    lines = [
        f"define double @{name}(i64 %trips, double %factor, double %term) {{",
        "entry:",
        *(_splat(new, given, lanes) for new, given in (("c", "factor"), ("d", "term"))),
        "  br label %loop",
        "loop:",
        "  %t = phi i64 [ 0, %entry ], [ %t.next, %loop ]",
        *(f"  %x{k}.0 = phi {vector} [ %c, %entry ], [ %x{k}.{UNROLL_FACTOR}, %loop ]" for k in chains),
        *(f"  %x{k}.{u + 1} = {operations[k].format(x=f'%x{k}.{u}')}" for u in range(UNROLL_FACTOR) for k in chains),
        "  %t.next = add nuw nsw i64 %t, 1",
        "  %more = icmp ult i64 %t.next, %trips",
        "  br i1 %more, label %loop, label %done",
        "done:",
        *(
            f"  %s{k} = fadd {vector} {f'%s{k - 1}' if k > 1 else f'%x0.{UNROLL_FACTOR}'}, %x{k}.{UNROLL_FACTOR}"
            for k in chains[1:]
        ),
        f"  %result = extractelement {vector} %s{chains[-1]}, i64 0",
        "  ret double %result",
        "}",
    ]
    return "\n".join(lines)


def _splat(new: str, scalar: str, lanes: int) -> str:
    vector = f"<{lanes} x double>"
    return (
        f"  %{new}.0 = insertelement {vector} poison, double %{scalar}, i64 0\n"
        f"  %{new} = shufflevector {vector} %{new}.0, {vector} poison, <{lanes} x i32> zeroinitializer"
    )


def lanes() -> int:
    """States that a kernel works on at a time."""
    return object_code.host_cpu().register_bytes // SCALAR_BYTES["double"]


@cache
def _streams() -> tuple[list[tuple[str, Any, int]], Any]:
    """(mix or fma, function of the number of trips, operations a trip), and what keeps the code alive."""
    symbols = [(kind, n, f"{kind}_{n}") for kind in ("mix", "fma") for n in CHAINS]
    code = object_code.link(object_code.assemble([emit(lanes())]), [symbol for _, _, symbol in symbols])
    function = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int64, ctypes.c_double, ctypes.c_double)
    a_trip = {"mix": UNROLL_FACTOR * lanes(), "fma": 2 * UNROLL_FACTOR * lanes()}
    return [(kind, function(code[symbol]), n * a_trip[kind]) for kind, n, symbol in symbols], code


@dataclass
class Roof:
    """The best that was seen so far, in operations and bytes per second; sampled again and again through a run."""

    pool: ThreadPoolExecutor
    rates: dict[tuple[str, int], float] = field(default_factory=dict)
    """(stream, threads) → operations per second; ("copy", 1) → bytes per second, read and written."""

    def sample(self, *threads: int) -> None:
        """Run the streams once on each of these numbers of threads, some milliseconds each."""
        for n in {1, *threads}:
            for kind, stream, operations in _streams()[0]:
                self._keep((kind, n), n * LOOP_TRIPS * operations / self._seconds(stream, n))

    def sample_copy(self) -> None:
        """Copy memory once."""
        source, target = np.ones(COPY_BYTES // 8), np.zeros(COPY_BYTES // 8)
        start = perf_counter()
        np.copyto(target, source)
        self._keep(("copy", 1), 2 * COPY_BYTES / (perf_counter() - start))

    def peak(self, threads: int) -> float:
        """Operations per second, of multiplications and additions."""
        return self.rates["mix", threads]

    def _keep(self, key: tuple[str, int], rate: float) -> None:
        self.rates[key] = max(rate, self.rates.get(key, 0.0))

    def _seconds(self, stream: Callable[..., float], threads: int) -> float:
        """All threads together; ctypes lets go of the GIL."""
        start = perf_counter()
        if threads == 1:
            stream(LOOP_TRIPS, 1.0, 0.0)
        else:
            list(self.pool.map(lambda _: stream(LOOP_TRIPS, 1.0, 0.0), range(threads)))
        return perf_counter() - start
