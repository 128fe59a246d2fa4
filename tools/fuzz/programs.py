"""Random programs: all ways to run them give the same bits as `reference`.

Nested elementary functions, old values used again in later blocks, constants among results, inputs that are results,
long rows, loops in loops; cut into small blocks, for registers of every width and for one lane, with and without fused
sums, in float64 and float32; arrays of any layout, results written over arguments. Slots hold NaN before they are
written.
"""

from __future__ import annotations

import ctypes
import math
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any
from unittest.mock import patch

import numpy as np

import kinetrace as kt
from fuzzing import main
from kinetrace.engine.plan import plan
from kinetrace.engine.runtime.gufunc import host_table
from kinetrace.engine.targets.llvm import blocks as llvm
from kinetrace.engine.targets.llvm import gufunc_loop, object_code
from kinetrace.engine.trace import Argument, Graph, Program
from kinetrace.engine.trace.interpreter import Interpreter
from kinetrace.engine.trace.ops import COLUMNS, LEAVES, LOOKUP, OPS, OPS_OF_PROGRAMS
from kinetrace.engine.trace.order import in_order
from kinetrace.engine.trace.regions import OpenWrite
from loop_programs import known, lengths_for, lengths_in, random_loops

CHOICES = (*("sin", "cos") * 3, *("add", "sub", "mul") * 5, *OPS_OF_PROGRAMS)
SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, math.pi, 1e5, -3e22, 1e-310, math.inf, -math.inf, math.nan)
EXACT: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "neg": np.negative,
    "sqrt": np.sqrt,
    "abs": np.abs,
    "floor": np.floor,
    "minimum": lambda a, b: np.where((a < b) | np.isnan(a), a, b),
    "maximum": lambda a, b: np.where((a > b) | np.isnan(a), a, b),
    "lt": lambda a, b: np.less(a, b).astype(a.dtype),
    "select": lambda c, a, b: np.where(c != 0, a, b),
    LOOKUP: lambda column, index: entry_of(column, index),
}
"""Operations whose result IEEE 754 defines."""


def random_program(rng: np.random.Generator, most: int = 300) -> Program:
    """Inputs and outputs of several shapes, and up to so many operations between them."""
    inputs = [Argument(f"x{k}", random_shape(rng)) for k in range(rng.integers(1, 5))]
    scalars = sum(a.size for a in inputs)
    nodes: list[tuple[Any, ...]] = [("input", k) for k in range(scalars)]
    nodes += [("const", abs(float(x))) for x in {*rng.choice(SPECIAL[:7], 2), *np.round(rng.normal(size=3), 2)}]
    nodes += [("const", x) for x in (math.inf, math.nan) if rng.random() < 0.05]
    made = {node: i for i, node in enumerate(nodes)}
    samples = [np.full(4, node[1]) if node[0] == "const" else rng.normal(size=4) for node in nodes]
    graph = Graph()
    for _ in range(int(2 ** rng.uniform(0, math.log2(most)))):
        op = str(rng.choice(CHOICES))
        if op == LOOKUP:
            column, values = random_column(rng, graph, inputs, nodes, samples)
            if column not in made:
                made[column] = len(nodes)
                nodes.append(column)
                samples.append(values)
            node = (op, made[column], pick(rng, nodes))
        else:
            node = (op, *(pick(rng, nodes) for _ in range(OPS[op].arity)))
        with np.errstate(all="ignore"):
            sample = PLAIN[op](*(samples[j] for j in node[1:]))
        tame = np.isfinite(sample).all() and np.abs(sample).max() < 1e6
        if node not in made and (tame or rng.random() < 0.02):
            made[node] = len(nodes)
            nodes.append(node)
            samples.append(sample)
    outputs, results = [], []
    for k in range(rng.integers(1, 4)):
        shape = random_shape(rng) if rng.random() < 0.5 else inputs[rng.integers(len(inputs))].shape
        if rng.random() < 0.1:
            shape = (int(rng.integers(100, 300)),)  # a long row
        outputs.append(Argument(f"y{k}", shape))
        results.append(random_result(rng, nodes, scalars, math.prod(shape)))
    graph.nodes = nodes
    return Program("random", tuple(inputs), tuple(outputs), *in_order(graph, results, {}))


PLAIN: dict[str, Callable[..., Any]] = {
    **EXACT,
    **{"sin": np.sin, "cos": np.cos, "exp": np.exp, "log": np.log, "atan2": np.arctan2},
}


def random_shape(rng: np.random.Generator) -> tuple[int, ...]:
    """Of a number, a vector, a matrix, or more axes."""
    axes = int(rng.integers(5))
    return tuple(rng.integers(1, (2, 12, 5, 4, 3)[axes], axes).tolist())


def pick(rng: np.random.Generator, nodes: list[tuple[Any, ...]]) -> int:
    """One of the nodes that are values, as likely among the last few as among all."""
    while True:
        i = int(rng.integers(max(0, len(nodes) - 8) if rng.random() < 0.5 else 0, len(nodes)))
        if nodes[i][0] not in COLUMNS:
            return i


def random_column(
    rng: np.random.Generator, graph: Graph, inputs: list[Argument], nodes: list[tuple[Any, ...]], samples: list[Any]
) -> tuple[tuple[Any, ...], Any]:
    """A column of which entries are looked up, with samples: inputs in steps, numbers, or any nodes."""
    count, kind = int(rng.integers(1, 7)), rng.integers(3)
    a = inputs[int(rng.integers(len(inputs)))]
    if kind == 0 and a.size > 1:
        first = sum(x.size for x in inputs[: inputs.index(a)])
        begin, end = (int(x) for x in rng.integers(a.size, size=2))
        step = (1 if begin <= end else -1) * int(rng.integers(1, 4))
        places = range(begin, end + (1 if step > 0 else -1), step)
        return ("column", first + begin, step, len(places)), np.stack([samples[first + k] for k in places], -1)
    if kind == 1:
        numbers = np.round(rng.normal(size=count), 2)
        graph.loops.writes.append(OpenWrite((), (), rows=count, columns=1, numbers=[numbers]))
        return ("filled", len(graph.loops.writes) - 1), np.broadcast_to(numbers, (4, count))
    some = tuple(pick(rng, nodes) for _ in range(count))
    graph.loops.writes.append(OpenWrite(some, (), rows=count))
    return ("filled", len(graph.loops.writes) - 1), np.stack([samples[i] for i in some], -1)


def entry_of(column: Any, index: Any) -> Any:
    """An entry of a column by its number, state by state."""
    batch = np.broadcast_shapes(np.shape(column)[:-1], np.shape(index))
    rows, places = np.broadcast_to(column, (*batch, np.shape(column)[-1])), np.broadcast_to(index, batch)
    found = np.empty(batch, rows.dtype)
    for at in np.ndindex(batch):
        x = places[at]
        found[at] = x if np.isnan(x) else rows[at][int(min(max(x, 0.0), rows.shape[-1] - 1.0))]
    return found


def random_result(rng: np.random.Generator, nodes: list[tuple[Any, ...]], scalars: int, size: int) -> list[int]:
    """The nodes of an output: any, the inputs in another order, or mostly one and the same."""
    kind = rng.integers(4)
    if kind == 0:
        return [int(i) for i in rng.permutation(np.resize(rng.permutation(scalars), size))]
    if kind == 1:
        return [pick(rng, nodes) if rng.random() < 0.2 else scalars for _ in range(size)]  # the first constant
    return [pick(rng, nodes) for _ in range(size)]


@dataclass(frozen=True)
class Reference:
    """Runs programs node by node in the scalar type of the kernel, by operations on arrays; "fma" is a*b + c."""

    dtype: str
    fuses: bool
    operations: Mapping[str, Callable[..., Any]]

    def __call__(self, program: Program, arrays: list[np.ndarray], batch: tuple[int, ...]) -> list[np.ndarray]:
        """The results for a batch."""
        fused = plan.Plan(program, 1, "double", self.fuses).fused_products
        pairs = zip(arrays, program.inputs, strict=True)
        run = _InType(program, [np.broadcast_to(x, (*batch, *core(x, a))) for x, a in pairs])
        run.reference, run.fused = self, fused
        with np.errstate(all="ignore"):
            return list(run.outputs())


def core(x: np.ndarray, a: Argument) -> tuple[int, ...]:
    """The shape of an argument without the batch."""
    return x.shape[x.ndim - len(a.shape) :]


class _InType(Interpreter):
    """Values in the scalar type, by the operations of a reference."""

    reference: Reference
    fused: Mapping[int, int]

    def value(self, i: int) -> Any:
        """Node i."""
        op, *xs = self.program.nodes[i]
        if op == "const":
            return np.full(self.batch, np.float64(xs[0]).astype(self.dtype))
        if op in LEAVES:
            return super().value(i)
        values, apply = self.values, self.reference.operations
        if i not in self.fused:
            return apply[op](*(values[j] for j in xs))
        a, b = (values[j] for j in self.program.nodes[self.fused[i]][1:])
        c = values[xs[1] if xs[0] == self.fused[i] else xs[0]]
        if op == "sub":
            a, c = (-a, c) if xs[1] == self.fused[i] else (a, -c)
        return apply["fma"](a, b, c)


@cache
def reference_for(dtype: str, machine: Machine) -> Reference:
    """What IEEE 754 defines by NumPy, the other functions by kernels that have that one operation each.

    So nothing can be mixed up in them, and every bit is compared; what their errors are, other tests say.
    """
    found = dict(EXACT)
    with on(machine, FAST_MATH_FLAGS=""):
        for name, arguments in (("sin", 1), ("cos", 1), ("exp", 1), ("log", 1), ("atan2", 2), ("fma", 3)):
            nodes: list[tuple[Any, ...]] = [("input", k) for k in range(arguments)]
            nodes += [("mul", 0, 1), ("add", 2, 3)] if name == "fma" else [(name, *range(arguments))]
            inputs = tuple(Argument(f"x{k}", ()) for k in range(arguments))
            program = Program(name, inputs, (Argument("y", ()),), tuple(nodes), ((len(nodes) - 1,),))
            found[name] = kt.Kernel(program, dtype=dtype).gufunc
    return Reference(dtype, machine.fuses, found)


def same(found: Any, wanted: Any, what: str, signs: bool = True) -> None:
    """Equal to the bit, but for which NaN it is, and perhaps for the signs of zeros."""
    found, wanted = np.asarray(found), np.asarray(wanted)
    assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype), what
    equal = (found == wanted) & (np.equal(np.signbit(found), np.signbit(wanted)) | (not signs))
    wrong = ~(equal | (found != found) & (wanted != wanted))
    assert not wrong.any(), f"{what}: {np.argwhere(wrong)[:4].tolist()}: {found[wrong][:4]} for {wanted[wrong][:4]}"


@dataclass(frozen=True)
class Machine(object_code.TargetCPU):
    """This one, perhaps with some of its features switched off, and registers of another width."""

    width: int = 0

    @property
    def register_bytes(self) -> int:
        """What is asked for: LLVM makes wider vectors of several registers."""
        return self.width

    @property
    def identity(self) -> str:
        """Also the width."""
        return f"{super().identity}|{self.width}"


def machines() -> list[Machine]:
    """Every width, fused and not where this machine can do both."""
    host = object_code.host_cpu()
    new = ("+avx", "+fma", "+f16c", "+vaes", "+vpclmulqdq", "+xop")
    plain = ",".join(f"-{x[1:]}" if x.startswith(new) else x for x in host.features.split(","))
    widths = (16, 32, 64)
    found = [Machine(host.triple, host.cpu, host.features, w) for w in widths]
    if plain != host.features:
        found += [Machine(host.triple, host.cpu, plain, w) for w in widths]
    return found


@contextmanager
def on(machine: Machine, **settings: Any) -> Iterator[None]:
    """Compile for that machine, with other settings of the emitters, and keep nothing."""
    patches = [
        patch.object(next(m for m in (plan, gufunc_loop, llvm) if hasattr(m, x)), x, value)
        for x, value in settings.items()
    ]
    patches += [
        patch.object(object_code, "host_cpu", lambda: machine),
        patch("kinetrace.engine.runtime.build._built", {}),
        patch.dict(os.environ, {"KINETRACE_CACHE": "off"}),
    ]
    functions = host_table()
    malloc = functions[0]
    functions[0] = ctypes.cast(_soiled, ctypes.c_void_p).value
    try:
        for x in patches:
            x.start()
        yield
    finally:
        for x in reversed(patches):
            x.stop()
        functions[0] = malloc


@ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t)
def _soiled(size: int) -> Any:
    """Memory that holds NaN everywhere."""
    allocate = ctypes.pythonapi.PyMem_RawMalloc
    allocate.restype, allocate.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    address = allocate(size)
    ctypes.memset(address, 0xFF, size)
    return address


def random_arrays(rng: np.random.Generator, program: Program, batch: tuple[int, ...], dtype: str) -> list[np.ndarray]:
    """An array per input, some with one state for all, some with entries in another order; a few special numbers."""
    arrays: list[np.ndarray] = []
    lengths = lengths_for(rng, program)
    for a in program.inputs:
        own = batch if not arrays or rng.random() < 0.8 else (1,) * len(batch)
        x = rng.normal(size=(*own, *known(a.shape, lengths)))
        special = rng.random(x.shape) < 0.02
        x[special] = rng.choice(SPECIAL, special.sum())
        with np.errstate(over="ignore"):
            arrays.append(arranged(rng, x.astype(dtype)))
    return arrays


def arranged(rng: np.random.Generator, x: np.ndarray) -> np.ndarray:
    """The same numbers, in C order in memory or not."""
    kind = rng.integers(4)
    if kind == 0:
        return x.copy(order="F")
    if kind == 1 and x.ndim:
        wide = np.repeat(x, 2, axis=-1)
        return wide[..., ::2]
    if kind == 2 and x.ndim:
        return x[::-1].copy()[::-1]
    return x


def check(rng: np.random.Generator, program: Program, dtype: str, machine: Machine) -> int:
    """All ways to call the compiled program."""
    reference = reference_for(dtype, replace(machine, width=16))  # no width changes a bit
    block = max(5, program.size // int(rng.integers(1, 9)))
    settings: dict[str, Any] = {
        "BLOCK_OPERATIONS": block,
        "SMALL_BLOCK_OPERATIONS": block,
        "STRIP_TILES": int(rng.integers(1, 4)),
        "STREAM_FROM_BYTES": int(rng.choice([1, 1 << 22])),
    }
    signs = rng.random() < 0.7 or any(node[0] in ("div", "atan2") for node in program.nodes)
    if signs:
        settings["FAST_MATH_FLAGS"] = ""  # else LLVM may choose the sign of a zero, which these two would show
    if rng.random() < 0.8:
        settings["PREFETCH_UP_TO_BYTES"] = 0  # which LLVM takes long for
    if rng.random() < 0.3:
        settings["STRIP_BYTES"] = 1
    with on(machine, **settings):
        kernel = kt.Kernel(program, dtype=dtype, threads=1)
        count = 0
        for batch in ((int(rng.integers(1, 80)),), (2, 3), ()):
            what = f"{dtype}, {8 * machine.width} bits, fused {machine.fuses}, {settings}, batch {batch}"
            arrays = random_arrays(rng, program, batch, dtype)
            wanted = reference(program, arrays, batch)
            for way, found in ways(rng, kernel, arrays, batch):
                count += 1
                for y, z in zip(found if isinstance(found, tuple) else (found,), wanted, strict=True):
                    same(y, z, f"{what}, {way}\n{program}", signs)
        return count


def ways(
    rng: np.random.Generator, kernel: kt.Kernel, arrays: list[np.ndarray], batch: tuple[int, ...]
) -> Iterator[tuple[str, Any]]:
    """The results of calls that should not differ."""
    with np.errstate(all="ignore"):
        yield "gufunc", kernel.gufunc(*arrays)
    yield "threads", kernel(*arrays, threads=3)
    for way, call in (("out", kernel), ("gufunc, out", kernel.gufunc), ("threads, out", partial(kernel, threads=3))):
        given, out = overlapping(rng, kernel, arrays, batch)
        with np.errstate(all="ignore"):
            call(*given, out=out)
        yield way, out
    inputs, lengths = kernel.program.inputs, lengths_in(kernel.program, arrays)
    whole = [np.broadcast_to(x, (*batch, *core(x, a))) for x, a in zip(arrays, inputs, strict=True)]
    states = [kernel(*(np.array(x[i], order="C") for x in whole)) for i in np.ndindex(batch)]
    if len(kernel.program.outputs) == 1:
        states = [(y,) for y in states]
    columns = zip(zip(*states, strict=True), kernel.program.outputs, strict=True)
    yield "one by one", tuple(np.reshape(y, (*batch, *known(a.shape, lengths))) for y, a in columns)


def overlapping(
    rng: np.random.Generator, kernel: kt.Kernel, arrays: list[np.ndarray], batch: tuple[int, ...]
) -> tuple[list[np.ndarray], tuple[np.ndarray, ...]]:
    """The arguments, and arrays for the results: arguments themselves, other views into them, or of their own."""
    given = [arranged(rng, x.copy()) for x in arrays]
    out, free, lengths = [], list(range(len(given))), lengths_in(kernel.program, arrays)
    for a in kernel.program.outputs:
        shape = (*batch, *known(a.shape, lengths))
        y = np.empty(shape, kernel.dtype)
        k = free.pop(int(rng.integers(len(free)))) if free and rng.random() < 0.8 else None
        if k is not None and given[k].shape == shape and rng.random() < 0.7:
            y = given[k]
        elif k is not None and y.size:  # in one piece of memory, some way apart or backwards
            x, count = given[k], y.size + given[k].size
            memory = np.empty(2 * count, kernel.dtype)
            begin, end = rng.integers(0, count, 2)
            there = memory[begin : begin + x.size].reshape(x.shape)
            there[...] = x
            given[k] = there
            y = memory[end : end + y.size].reshape(shape)
            if y.ndim and rng.random() < 0.3:
                y = y[::-1]
        out.append(y)
    return given, tuple(out)


def case(rng: np.random.Generator, most: int = 300) -> int:
    """One program on one machine, in both precisions."""
    program = random_program(rng, most) if rng.random() < 0.6 else random_loops(rng, most // 3)
    possible = machines()
    machine = possible[int(rng.integers(len(possible)))]
    return sum(check(rng, program, dtype, machine) for dtype in ("float64", "float32"))


if __name__ == "__main__":
    sys.exit(main(case, "random programs"))
