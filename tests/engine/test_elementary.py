"""sin, cos, atan2, exp and log as IR: errors against mpmath, special values, no calls into a library."""

from __future__ import annotations

import ctypes
import itertools
import math
from collections.abc import Callable
from functools import cache

import llvmlite.binding as llvm
import mpmath
import numpy as np
import pytest

from kinetrace.engine.targets.llvm import elementary
from kinetrace.errors import InputError

Array = np.ndarray
LANES = (1, 2, 4, 8)
CPUS = ("host", "x86-64")  # the second has neither FMA nor a rounding instruction
FLOATS = {"double": np.float64, "float": np.float32}
WAYS = list(itertools.product(LANES, FLOATS, CPUS))
llvm.initialize_all_targets()
llvm.initialize_all_asmprinters()
_engines: list[llvm.ExecutionEngine] = []


def module(name: str, lanes: int, dtype: str) -> str:
    """`k(in, out, n)`: of two rows of n numbers, sin and cos of the first; or twice atan2 of both, exp or log."""
    v = f"<{lanes} x {dtype}>"
    size = np.dtype(FLOATS[dtype]).itemsize
    if name == "sincos":
        lines, (first,), (second,), block = elementary.sincos(["%a"], "f", lanes, dtype)
    else:
        operands = ("%a", "%b") if name == "atan2" else ("%a",)
        lines, first = getattr(elementary, name)(*operands, "f", lanes, dtype)
        second, block = first, "loop"
    body = "\n".join(lines)
    return f"""
define void @k(ptr %in, ptr %out, i64 %n) {{
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %{block} ]
  %j = add i64 %i, %n
  %pa = getelementptr {dtype}, ptr %in, i64 %i
  %pb = getelementptr {dtype}, ptr %in, i64 %j
  %a = load {v}, ptr %pa, align {size}
  %b = load {v}, ptr %pb, align {size}
{body}
  %qa = getelementptr {dtype}, ptr %out, i64 %i
  %qb = getelementptr {dtype}, ptr %out, i64 %j
  store {v} {first}, ptr %qa, align {size}
  store {v} {second}, ptr %qb, align {size}
  %i.next = add i64 %i, {lanes}
  %more = icmp ult i64 %i.next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}}
{elementary.definitions({name}, lanes, dtype)}"""


def machine(cpu: str, triple: str = "") -> llvm.TargetMachine:
    target = llvm.Target.from_triple(triple) if triple else llvm.Target.from_default_triple()
    if cpu == "host":
        features = llvm.get_host_cpu_features().flatten()
        return target.create_target_machine(cpu=llvm.get_host_cpu_name(), features=features, opt=2)
    return target.create_target_machine(cpu=cpu, features="", opt=2)


def bound(name: str, dtype: str, cpu: str) -> float:
    """The largest error that the module's docstring admits."""
    if dtype == "float":
        return 0.502
    x86 = llvm.get_process_triple().startswith("x86")
    fused = cpu == "host" and (not x86 or llvm.get_host_cpu_features().get("fma"))
    with_fma, without = {"sincos": (0.9, 1.2), "atan2": (1.5, 1.5), "exp": (0.7, 0.75), "log": (0.8, 0.8)}[name]
    return with_fma if fused else without


@cache
def kernel(name: str, lanes: int, dtype: str, cpu: str) -> Callable[[Array], Array]:
    if cpu != "host" and not llvm.get_process_triple().startswith(cpu.replace("-", "_")):
        pytest.skip(f"no {cpu} here")
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(module(name, lanes, dtype)), machine(cpu))
    engine.finalize_object()
    _engines.append(engine)
    address = engine.get_function_address("k")
    call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)(address)

    def run(rows: Array) -> Array:
        width = -(-rows.shape[1] // lanes) * lanes
        padded = np.zeros((2, width), FLOATS[dtype])
        padded[:, : rows.shape[1]] = rows
        out = np.empty_like(padded)
        call(padded.ctypes.data, out.ctypes.data, width)
        return out[:, : rows.shape[1]]

    return run


def ulps(got: Array, exact: list[mpmath.mpf], dtype: str) -> Array:
    """The distances in units in the last place of the exact values."""
    near = np.array([float(e) for e in exact]).astype(FLOATS[dtype])
    unit = np.spacing(np.abs(near)).astype(float)
    with mpmath.workprec(200):
        error = [(mpmath.mpf(float(g)) - e) / u for g, e, u in zip(got, exact, unit, strict=True)]
    return np.abs(np.array(error, dtype=float))


def worst_multiples() -> Array:
    """For each k to 2^17, the double nearest to k π/2; the 500 that are relatively nearest."""
    with mpmath.workprec(200):
        half_pi = int(mpmath.pi * mpmath.mpf(2) ** 159)  # π/2 in units of 2^-160
    found = []
    for k in range(1, 1 << 17):
        exact = k * half_pi
        near = exact / (1 << 160)  # division of integers is rounded correctly
        a, b = near.as_integer_ratio()
        found.append((abs((a << 160) // b - exact), near))
    return np.array([x for _, x in sorted(found)[:500]])


@cache
def angles(dtype: str) -> tuple[Array, list[mpmath.mpf], list[mpmath.mpf]]:
    """Arguments that are hard in every way, with their sines and cosines."""
    rng = np.random.default_rng(1)
    quarter = np.arange(-200, 201) * (math.pi / 4)
    large = 300 if dtype == "double" else 37
    x = np.concatenate(
        [
            rng.uniform(-math.pi, math.pi, 3000),
            rng.uniform(-100, 100, 1000),
            rng.uniform(-1.2e5, 1.2e5, 1000),
            rng.uniform(-1e6, 1e6, 500),
            quarter,
            np.nextafter(quarter, 1e9),
            quarter * (1 + rng.uniform(-1, 1, quarter.size) * 10.0 ** rng.uniform(-15, -2, quarter.size)),
            rng.choice([-1, 1], 1500) * 10.0 ** rng.uniform(-large, large, 1500),
            [2.0**17 * math.pi / 4, 2.0**16, 2.0**17, 2.0**120, 1e22, 3.4e38],
            [(2.0**16 + d) * math.pi / 2 for d in (-1.5, -1, -0.5, -0.4999, 0, 0.5, 1)],
        ]
    )
    if dtype == "double":
        # the double nearest to a multiple of π/2 (Kahan), others from Muller, and the two ends
        hard = [
            6381956970095103 * 2.0**797,
            5.319372648326541e255,
            1.7976931348623157e308,
            5e-324,
            2.0**-1022,
        ]
        x = np.concatenate([x, hard, worst_multiples()])
    x = x.astype(FLOATS[dtype])
    with mpmath.workprec(1300):
        exact = [mpmath.mpf(float(v)) for v in x]
        return x, [mpmath.sin(v) for v in exact], [mpmath.cos(v) for v in exact]


@pytest.mark.parametrize(("lanes", "dtype", "cpu"), WAYS)
def test_sincos_error(lanes: int, dtype: str, cpu: str) -> None:
    x, sin, cos = angles(dtype)
    s, c = kernel("sincos", lanes, dtype, cpu)(np.stack([x, x]))
    if lanes != 1:  # the width changes nothing, so one width is measured
        np.testing.assert_array_equal(kernel("sincos", 1, dtype, cpu)(np.stack([x, x])), [s, c])
        return
    assert ulps(s, sin, dtype).max() < bound("sincos", dtype, cpu)
    assert ulps(c, cos, dtype).max() < bound("sincos", dtype, cpu)


@pytest.mark.parametrize(("lanes", "dtype", "cpu"), WAYS)
def test_sincos_of_what_is_special_touches_its_own_lane_only(lanes: int, dtype: str, cpu: str) -> None:
    run = kernel("sincos", lanes, dtype, cpu)
    x = np.array([0.3, math.inf, -0.0, 1e5, math.nan, 0.0, -math.inf, 1e30], FLOATS[dtype])
    s, c = run(np.stack([x, x]))
    np.testing.assert_array_equal(np.isnan(s), ~np.isfinite(x))
    np.testing.assert_array_equal(np.isnan(c), ~np.isfinite(x))
    zero = x == 0
    np.testing.assert_array_equal(np.signbit(s[zero]), np.signbit(x[zero]))
    np.testing.assert_array_equal(c[zero], 1)
    alone = np.concatenate([run(np.full((2, 8), v, FLOATS[dtype]))[:, :1] for v in x], axis=1)
    np.testing.assert_array_equal(alone, [s, c])


@pytest.mark.parametrize("dtype", FLOATS)
def test_sincos_is_odd_and_even_to_the_bit(dtype: str) -> None:
    x = np.abs(angles(dtype)[0])
    run = kernel("sincos", 4, dtype, "host")
    (s, c), (minus_s, same_c) = run(np.stack([x, x])), run(np.stack([-x, -x]))
    np.testing.assert_array_equal(minus_s, -s)
    np.testing.assert_array_equal(same_c, c)


@cache
def points(dtype: str) -> tuple[Array, list[mpmath.mpf]]:
    rng = np.random.default_rng(2)
    large = 300 if dtype == "double" else 37
    free = rng.uniform(-1, 1, (2, 4000))
    near = rng.uniform(-1, 1, 500)
    wide = rng.choice([-1, 1], (2, 800)) * 10.0 ** rng.uniform(-large, large, (2, 800))
    turn = np.arange(16) * (math.pi / 8)
    rows = np.concatenate(
        [
            free,
            [near, near * (1 + 10.0 ** rng.uniform(-15, -3, 500))],
            [10.0 ** rng.uniform(-18, 0, 500), rng.choice([-1, 1], 500)],
            wide,
            [np.sin(turn), np.cos(turn)],
            np.array(list(itertools.product([-1.5, -1.0, 1.0, 3e38], [-1.0, 2.0, 3e38]))).T,
        ],
        axis=1,
    ).astype(FLOATS[dtype])
    with mpmath.workprec(300):
        return rows, [mpmath.atan2(mpmath.mpf(float(y)), mpmath.mpf(float(x))) for y, x in rows.T]


@pytest.mark.parametrize(("lanes", "dtype", "cpu"), WAYS)
def test_atan2_error(lanes: int, dtype: str, cpu: str) -> None:
    rows, exact = points(dtype)
    got = kernel("atan2", lanes, dtype, cpu)(rows)[0]
    if lanes != 1:
        np.testing.assert_array_equal(kernel("atan2", 1, dtype, cpu)(rows)[0], got)
        return
    assert ulps(got, exact, dtype).max() < bound("atan2", dtype, cpu)


@pytest.mark.parametrize(("lanes", "dtype", "cpu"), WAYS)
def test_atan2_of_zeros_infinities_and_nan_is_that_of_c(lanes: int, dtype: str, cpu: str) -> None:
    special = [0.0, 1.0, 1e-40, 1e38, math.inf, math.nan]
    special += [-v for v in special]
    rows = np.array(list(itertools.product(special, special))).T.astype(FLOATS[dtype])
    got = kernel("atan2", lanes, dtype, cpu)(rows)[0]
    want = np.array([math.atan2(float(y), float(x)) for y, x in rows.T]).astype(FLOATS[dtype])
    np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(np.signbit(got[want == 0]), np.signbit(want[want == 0]))


@cache
def powers(name: str, dtype: str) -> tuple[Array, list[mpmath.mpf]]:
    """Arguments of exp or log over the whole range, dense where the error is largest, with the exact values."""
    rng = np.random.default_rng(3)
    info = np.finfo(FLOATS[dtype])
    lowest = math.log(info.smallest_subnormal)  # exp is subnormal from here ...
    normal, highest = math.log(info.tiny), math.log(info.max)  # ... to here, and finite to there
    if name == "exp":
        edges = (np.arange(math.ceil(lowest / math.log(2)), info.maxexp) + 0.5) * math.log(2)
        parts = [
            rng.uniform(lowest, highest, 2000),
            rng.uniform(-1, 1, 4000),
            rng.uniform(lowest - 0.6, normal, 1500),
            rng.choice([-1, 1], 500) * np.exp(rng.uniform(lowest, 0, 500)),
            edges,
            np.nextafter(edges, np.inf),
            [lowest, normal, np.nextafter(FLOATS[dtype](highest), FLOATS[dtype](0)), -info.tiny],
        ]
    else:
        parts = [
            rng.uniform(0.5, 2, 4000),
            rng.uniform(0.7, 0.71, 1000),
            rng.uniform(1.38, 1.42, 2000),
            1 + rng.choice([-1, 1], 1000) * np.exp(rng.uniform(-36, -2, 1000)),
            np.exp(rng.uniform(lowest, highest, 2000)),
            2.0 ** np.arange(info.minexp - info.nmant, info.maxexp),
            [math.sqrt(0.5), math.sqrt(2), info.max, info.tiny],
        ]
    x = np.concatenate(parts).astype(FLOATS[dtype])
    x = x[x > 0] if name == "log" else x
    with mpmath.workprec(150):
        return x, [getattr(mpmath, name)(mpmath.mpf(float(v))) for v in x]


@pytest.mark.parametrize("name", ["exp", "log"])
@pytest.mark.parametrize(("lanes", "dtype", "cpu"), WAYS)
def test_exp_and_log_error(name: str, lanes: int, dtype: str, cpu: str) -> None:
    x, exact = powers(name, dtype)
    got = kernel(name, lanes, dtype, cpu)(np.stack([x, x]))[0]
    if lanes != 1:
        np.testing.assert_array_equal(kernel(name, 1, dtype, cpu)(np.stack([x, x]))[0], got)
        return
    rounded_twice = (np.abs(got) < np.finfo(got.dtype).tiny) & ((name, dtype) == ("exp", "double"))
    error = ulps(got, exact, dtype)
    assert error[~rounded_twice].max() < bound(name, dtype, cpu)
    assert error[rounded_twice].max(initial=0) < 0.87


@pytest.mark.parametrize(("lanes", "dtype", "cpu"), WAYS)
def test_exp_and_log_of_what_is_special(lanes: int, dtype: str, cpu: str) -> None:
    real, inf, nan = FLOATS[dtype], math.inf, math.nan
    info = np.finfo(real)
    over = np.nextafter(real(math.log(info.max)), real(inf))  # the first argument whose exponential is infinite
    under = math.log(info.smallest_subnormal) - 1
    exp = [(0, 1), (-0.0, 1), (over, inf), (info.max, inf), (inf, inf), (under, 0), (-inf, 0), (nan, nan)]
    log = [(1, 0), (0, -inf), (-0.0, -inf), (inf, inf), (-info.tiny, nan), (-1, nan), (-inf, nan), (nan, nan)]
    for name, pairs in (("exp", exp), ("log", log)):
        x, want = np.array(pairs, real).T
        got = kernel(name, lanes, dtype, cpu)(np.stack([x, x]))[0]
        np.testing.assert_array_equal(got, want)
        assert not np.signbit(got[got == 0]).any()


TARGETS = [
    ("host", ""),
    ("x86-64", "x86_64-unknown-linux-gnu"),
    ("x86-64-v3", "x86_64-unknown-linux-gnu"),
    ("generic", "aarch64-unknown-linux-gnu"),
]


@pytest.mark.parametrize(("cpu", "triple"), TARGETS)
def test_no_library_is_called(cpu: str, triple: str) -> None:
    for name, lanes, dtype in itertools.product(("sincos", "atan2", "exp", "log"), LANES, FLOATS):
        data = machine(cpu, triple).emit_object(llvm.parse_assembly(module(name, lanes, dtype)))
        if not data.startswith(b"\x7fELF\x02\x01"):
            pytest.skip("reads 64-bit little-endian ELF only")
        assert undefined(data) == []


def undefined(elf: bytes) -> list[str]:
    """The names that an ELF object leaves to the linker."""

    def read(at: int, size: int) -> int:
        return int.from_bytes(elf[at : at + size], "little")

    headers, size, count = read(0x28, 8), read(0x3A, 2), read(0x3C, 2)
    sections = [headers + i * size for i in range(count)]
    names = []
    for section in sections:
        if read(section + 4, 4) != 2:  # SHT_SYMTAB
            continue
        strings = read(sections[read(section + 0x28, 4)] + 0x18, 8)
        start, length = read(section + 0x18, 8), read(section + 0x20, 8)
        for symbol in range(start + 24, start + length, 24):
            if read(symbol + 6, 2) == 0:  # SHN_UNDEF
                name = strings + read(symbol, 4)
                names.append(elf[name : elf.index(b"\0", name)].decode())
    return names


def test_text_is_the_same_every_time_and_composes() -> None:
    a, b = (elementary.definitions({"atan2", "sincos"}, {4, 1}, "double") for _ in range(2))
    assert a == b
    lines: list[str] = []
    for lanes, prefix in itertools.product((1, 4), ("p", "q")):
        lines += elementary.sincos([f"%x{lanes}"] * 2, f"{prefix}{lanes}", lanes, "double").lines
        lines += elementary.atan2(f"%x{lanes}", f"%x{lanes}", f"{prefix}{lanes}a", lanes, "double")[0]
        lines += elementary.exp(f"%x{lanes}", f"{prefix}{lanes}e", lanes, "double")[0]
        lines += elementary.log(f"%x{lanes}", f"{prefix}{lanes}l", lanes, "double")[0]
    body = "\n".join(lines)
    text = f"define void @k(<1 x double> %x1, <4 x double> %x4) {{\n{body}\n  ret void\n}}\n{a}"
    llvm.parse_assembly(text).verify()


def test_unknown_names_are_refused() -> None:
    with pytest.raises(InputError, match="unknown dtype 'half'"):
        elementary.sincos(["%x"], "p", 4, "half")
    with pytest.raises(InputError, match="unknown elementary function 'tan'"):
        elementary.definitions({"tan"}, 4, "double")
    with pytest.raises(InputError, match="lanes is 0"):
        elementary.atan2("%y", "%x", "p", 0, "double")
