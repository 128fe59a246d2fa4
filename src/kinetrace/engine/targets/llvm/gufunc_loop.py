"""The inner loop of a NumPy gufunc, around the blocks of a program.

    loop(args, dims, steps, data)   NumPy's protocol: an exception if there is no memory for
    states                          allocates, then takes a strip of states at a time through
      gather                        an input whose entries are not in C order, or that is an output → scratch rows
      constants                     what the program does not compute; into scratch rows only once
      block_k                       the program, from rows to rows
      scatter                       scratch rows → an output whose entries are not in C order
      stream                        scratch rows → an output that is too large for the caches, past them

`states` takes a part of a call, or all of it, and how many states the whole call has. `steps` holds the byte step of
every argument from state to state, then those of all core axes. `data` points to the functions of the interpreter that
are needed (`python_objects.HOST_FUNCTIONS`), so that the code has no external symbol. A tile that reaches past the last
state repeats that state in its spare lanes: the same numbers are stored twice, and no second, scalar, copy of the
program is needed.

Blocks write while others still read, so no output may lie where an input does. NumPy makes copies of what overlaps, but
not of an output that is the very view that an input is: a loop over scalars would need none.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from ....errors import InputError
from ...plan.memory import core_steps
from ...plan.plan import LoopItem, Plan
from ...trace import Argument
from .function_text import FunctionText
from .row_copies import MOST_CORE_AXES, move, stream

ALIGNMENT = 64
"""Of the memory for slots, in bytes."""
STREAM_FROM_BYTES = 1 << 22
"""Bytes of all rows of a call from which an output of long rows is streamed: the processor would else read from memory
what is about to be overwritten."""


DECLARATIONS = "declare i64 @llvm.smin.i64(i64, i64)\ndeclare void @llvm.prefetch.p0(ptr, i32, i32, i32)\n"
"""Intrinsics of LLVM that blocks and loops call."""


def parameters(plan: Plan) -> str:
    """Of a block: where slots are, how many tiles there are, the states they begin and end with, and the rows."""
    count = len(plan.program.inputs + plan.program.outputs)
    rows = "".join(f", ptr noalias %base.{k}, i64 %step.{k}" for k in range(count))
    kept = "".join(f", ptr noalias %kept.{k}, i64 %kept.{k}.step" for k in kept_series(plan))
    kept += ", ptr noalias %kept, i64 %pass" if plan.series_places else ""
    flag = ", ptr %flag" if has_flag(plan) else ""
    return f"ptr noalias %slots, i64 %tiles, i64 %first, i64 %last{rows}{kept}{flag}"


def kept_series(plan: Plan) -> list[int]:
    """The writes that another loop reads and that have memory of their own."""
    return [k for k, w in enumerate(plan.program.loops.writes) if w.output < 0 and k not in plan.series_places]


def has_flag(plan: Plan) -> bool:
    """Whether some loop ends when all states have converged: blocks say then whether any has not."""
    return any(region.active >= 0 for region in plan.program.loops.regions)


def emit(plan: Plan) -> str:
    """The function `loop`, and those that it calls apart from the blocks."""
    loop = _Loop(plan).text()
    return "\n".join(
        [loop, move("gather", plan), move("scatter", plan), stream(plan.size) if "@stream" in loop else ""]
    )


class _Loop:
    """Writes `loop`: what is done at its start, and in every strip before and after the blocks.

    Scratch rows, those of one strip, stand behind the slots.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan, self.inputs = plan, len(plan.program.inputs)
        self.start, self.before, self.after = FunctionText("s"), FunctionText("b"), FunctionText("a")
        self.bytes = self.start.new(f"mul i64 %at.once, {plan.slot_count * plan.value}")
        self.refill = "false"
        """Whether some output of long rows is written directly, and needs its constants in every strip."""
        self.rows: list[tuple[str, str]] = []
        """Of all arguments: where the first row is, and the bytes from state to state."""
        self.kept: dict[int, tuple[str, str]] = {}
        """Of kept series with memory of their own: where they are, and the bytes from tile to tile."""
        self.apart: dict[int, list[str]] = {}
        self.kept_apart: dict[int, list[str]] = {}
        """Of series, in arguments and kept: the bytes from row to row, along each of their axes."""
        self.lengths = self.named_lengths()
        arguments = plan.program.inputs + plan.program.outputs
        self.given = [self.start.load("ptr", "%args", k) for k in range(len(arguments))]
        place = len(arguments)
        for k, a in enumerate(arguments):
            self.argument(k, a, place)
            place += len(a.shape)
        self.blocks()

    def named_lengths(self) -> dict[str, str]:
        """The lengths that are known now: NumPy gives those of all core axes that differ by name."""
        axes = (str(x) for a in self.plan.program.inputs + self.plan.program.outputs for x in a.shape)
        places = {axis: k for k, axis in enumerate(dict.fromkeys(axes), 1)}
        return {name: self.start.load("i64", "%dims", places[name]) for name in self.plan.program.dims}

    def argument(self, k: int, a: Argument, place: int) -> None:
        """Where the rows of argument k are; `place` is that of its first core step in `steps`."""
        if len(a.shape) > MOST_CORE_AXES:
            raise InputError(
                f"{a.name} has {len(a.shape)} axes; a compiled function takes and returns at most {MOST_CORE_AXES}"
            )
        given, step = self.given[k], self.start.load("i64", "%steps", k)
        actual = [self.start.load("i64", "%steps", place + d) for d in range(len(a.shape))]
        dense = self.is_dense(a, actual)
        row = a.size * self.plan.size
        pitch, direct, long = str(row), dense, k >= self.inputs and self.plan.is_long(a)
        if a.dims:
            pitch, direct = self.series(k, a, actual, dense)
        elif long:
            pitch = str(-(-row // ALIGNMENT) * ALIGNMENT)
            small = self.start.new(f"icmp ult i64 {self.start.new(f'mul i64 %all.states, {row}')}, {STREAM_FROM_BYTES}")
            direct = self.start.new(f"and i1 {dense}, {small}")
            self.refill = self.start.new(f"or i1 {self.refill}, {direct}")
        elif k < self.inputs:
            direct = self.is_apart(k, a, dense)
        mine = self.scratch_rows(k, given, step, direct, pitch)
        w = self.before if k < self.inputs else self.after
        w.add(f"  br i1 {direct}, label %moved.{k}, label %move.{k}", f"move.{k}:")
        there = w.new(f"getelementptr i8, ptr {given}, i64 {w.new(f'mul i64 %first, {step}')}")
        moved = f"(ptr {mine}, i64 {pitch}, ptr {there}, i64 {step}, i64 %states"
        if long:
            w.add(f"  br i1 {dense}, label %stream.{k}, label %scatter.{k}", f"stream.{k}:")
            w.add(f"  call void @stream{moved}, i64 {row})", f"  br label %moved.{k}", f"scatter.{k}:")
        axes = [("1", "0")] * (MOST_CORE_AXES - len(a.shape)) + list(
            zip(map(self.length, a.shape), actual, strict=True)
        )
        numbers = "".join(f", i64 {x}" for axis in axes for x in axis)
        w.add(f"  call void @{'gather' if k < self.inputs else 'scatter'}{moved}{numbers})")
        w.add(f"  br label %moved.{k}", f"moved.{k}:")

    def length(self, axis: str | int) -> str:
        """The length of an axis."""
        return self.lengths[axis] if isinstance(axis, str) else str(axis)

    def series(self, k: int, a: Argument, actual: list[str], dense: str) -> tuple[str, str]:
        """The bytes of all rows of a series, and whether it is used where it is; how far its rows are apart."""
        w, total, empty = self.start, str(a.size * self.plan.size), "false"
        direct = self.is_apart(k, a, dense) if k < self.inputs else dense
        packed: list[str] = []
        for name in reversed(a.dims):
            packed.insert(0, total)
            total = w.new(f"mul i64 {total}, {self.lengths[name]}")
            empty = w.new(f"or i1 {empty}, {w.new(f'icmp eq i64 {self.lengths[name]}, 0')}")
        direct = w.new(f"or i1 {direct}, {empty}")
        pairs = zip(actual, packed, strict=False)
        self.apart[k] = [w.new(f"select i1 {direct}, i64 {there}, i64 {mine}") for there, mine in pairs]
        return total, direct

    def is_dense(self, a: Argument, actual: list[str]) -> str:
        """Whether the entries of a row are in C order."""
        dense = "true"
        for length, there, in_c in zip(a.shape, actual, core_steps(a, self.plan.size), strict=True):
            if isinstance(length, int) and length > 1:
                dense = self.start.new(f"and i1 {dense}, {self.start.new(f'icmp eq i64 {there}, {in_c}')}")
        return dense

    def is_apart(self, k: int, a: Argument, dense: str) -> str:
        """Whether an input is dense, and no output is the same view."""
        apart = dense
        for there, output in zip(self.given[self.inputs :], self.plan.program.outputs, strict=True):
            if _may_be_equal(output.shape, a.shape):
                other = self.start.new(f"icmp ne ptr {self.given[k]}, {there}")
                apart = self.start.new(f"and i1 {apart}, {other}")
        return apart

    def scratch_rows(self, k: int, given: str, step: str, direct: str, pitch: str) -> str:
        """Reserve scratch rows, unless the given ones are used directly, and choose which of them the blocks get."""
        fixed = pitch.isdigit()
        tile = str(int(pitch) * self.plan.lanes) if fixed else self.start.new(f"mul i64 {pitch}, {self.plan.lanes}")
        own = self.start.new(f"mul i64 %at.once, {tile}")
        self.start.add(f"  %own.{k} = add i64 {self.bytes}, 0")
        more = self.start.new(f"select i1 {direct}, i64 0, i64 {own}")
        self.bytes = self.start.new(f"add i64 {self.bytes}, {more}")
        # Blocks count states from the very first: the base of scratch rows lies before them by the states done.
        back = f"-{pitch}" if fixed else self.start.new(f"sub i64 0, {pitch}")
        gone = self.before.new(f"mul i64 %first, {back}")
        mine = self.before.new(f"getelementptr i8, ptr %slots, i64 %own.{k}")
        lower = self.before.new(f"getelementptr i8, ptr {mine}, i64 {gone}")
        base = self.before.new(f"select i1 {direct}, ptr {given}, ptr {lower}")
        self.rows.append((base, self.before.new(f"select i1 {direct}, i64 {step}, i64 {pitch}")))
        return mine

    def blocks(self) -> None:
        """The constants, if they are not there yet, and the program."""
        for k in kept_series(self.plan):
            self.reserve(k)
        self.fixed = self.memory(str(self.plan.series_count * self.plan.value)) if self.plan.series_places else ""
        if self.plan.constants:
            fill = self.before.new(f"or i1 {self.refill}, {self.before.new('icmp eq i64 %first, 0')}")
            self.before.add(f"  br i1 {fill}, label %fill, label %filled.once", "fill:")
            self.before.add(f"  call void @constants{self.given_to_block()}", "  br label %filled.once", "filled.once:")
        self.run(self.plan.schedule, iter(range(len(self.plan.pieces))))

    def reserve(self, k: int) -> None:
        """Memory for a series that another loop reads, and how far its rows are apart."""
        w, write = self.start, self.plan.program.loops.writes[k]
        if write.numbers:
            self.kept[k], self.kept_apart[k] = (f"@numbers.{k}", "0"), [str(write.size * self.plan.size)]
            return
        total, strides = str(len(write.nodes) * self.plan.value), list[str]()
        if write.rows:
            strides = [str(write.size * self.plan.value)]
        for r in reversed(write.regions):
            strides.insert(0, total)
            total = w.new(f"mul i64 {total}, {self.length(self.plan.program.loops.regions[r].length)}")
        self.kept[k] = self.memory(total), total
        self.kept_apart[k] = strides

    def memory(self, total: str) -> str:
        """Room for so many bytes in every tile."""
        offset = self.start.new(f"add i64 {self.bytes}, 0")
        more = self.start.new(f"mul i64 %at.once, {total}")
        self.bytes = self.start.new(f"add i64 {self.bytes}, {more}")
        return self.before.new(f"getelementptr i8, ptr %slots, i64 {offset}")

    def given_to_block(self, scope: int = -1, flag: str = "null") -> str:
        """The arguments of a block of a region: rows of series as they are in this pass."""
        rows = [f"ptr {self.moved(base, 'row', k, scope)}, i64 {step}" for k, (base, step) in enumerate(self.rows)]
        kept = [f"ptr {self.moved(base, 'kept', k, scope)}, i64 {step}" for k, (base, step) in self.kept.items()]
        if self.plan.series_places:
            kept.append(f"ptr {self.fixed}, i64 {f'%pass.{scope}' if scope >= 0 else 0}")
        flags = [f"ptr {flag}"] if has_flag(self.plan) else []
        return f"(ptr %slots, i64 %tiles, i64 %first, i64 %last, {', '.join([*rows, *kept, *flags])})"

    def moved(self, base: str, kind: str, k: int, scope: int) -> str:
        """Where the row of a series is, in the present passes of the loops around."""
        loops = self.plan.program.loops
        source = ("kept", k) if kind == "kept" else ("input", k)
        along = [x.regions for x in loops.reads if x.source == source]
        for j, write in enumerate(loops.writes):
            output = self.inputs + write.output if write.output >= 0 else -1
            if j == k if kind == "kept" else output == k:
                along.append(write.regions)
        regions = next((x for x in along if x and x[-1] == scope), ())
        for r, stride in zip(regions, (self.apart if kind == "row" else self.kept_apart).get(k, ()), strict=False):
            base = self.before.new(
                f"getelementptr i8, ptr {base}, i64 {self.before.new(f'mul i64 %pass.{r}, {stride}')}"
            )
        return base

    def run(self, schedule: list[Any], numbers: Iterator[int], scope: int = -1) -> None:
        """Calls of blocks, and loops around them."""
        loops, given = self.plan.program.loops, self.given_to_block(scope)
        for part, following in zip_longest(schedule, schedule[1:]):
            if isinstance(part, LoopItem):
                self.loop(part, numbers)
                continue
            own = following.region if isinstance(following, LoopItem) else scope if following is None else -1
            flagged = own >= 0 and loops.regions[own].active >= 0
            if flagged:
                self.before.add(f"  store i64 0, ptr %flag.{own}")
            with_flag = given.replace("ptr null)", f"ptr %flag.{own})") if flagged else given
            self.before.add(f"  call void @block_{next(numbers)}{with_flag}")

    def loop(self, part: LoopItem, numbers: Iterator[int]) -> None:
        """All passes of a region."""
        r, w, region = part.region, self.before, self.plan.program.loops.regions[part.region]
        length = self.length(region.length)
        self.start.add(f"  %at.{r} = alloca i64", f"  %flag.{r} = alloca i64")
        w.add(
            f"  store i64 0, ptr %at.{r}", f"  br label %head.{r}", f"head.{r}:", f"  %done.{r} = load i64, ptr %at.{r}"
        )
        more = w.new(f"icmp slt i64 %done.{r}, {length}")
        if region.active >= 0:
            some = w.new(f"icmp ne i64 {w.new(f'load i64, ptr %flag.{r}')}, 0")
            more = w.new(f"and i1 {more}, {some}")
        w.add(f"  br i1 {more}, label %body.{r}, label %after.{r}", f"body.{r}:")
        last = w.new(f"sub i64 {length}, 1")
        w.add(f"  %pass.{r} = {f'sub i64 {last}, %done.{r}' if region.reverse else f'add i64 %done.{r}, 0'}")
        self.run(part.body, numbers, r)
        at_once = self.plan.width(r) // self.plan.lanes
        w.add(
            f"  store i64 {w.new(f'add i64 %done.{r}, {at_once}')}, ptr %at.{r}", f"  br label %head.{r}", f"after.{r}:"
        )

    def text(self) -> str:
        """All of it."""
        return _LOOP.format(
            lanes=self.plan.lanes,
            pad=self.plan.lanes - 1,
            most=self.plan.tiles,
            start=self.start.text(),
            bytes=self.bytes,
            alignment=ALIGNMENT,
            strip=self.plan.tiles * self.plan.lanes,
            before=self.before.text(),
            after=self.after.text(),
            end=f"moved.{len(self.rows) - 1}",
            exhausted=EXHAUSTED_TEXT,
        )


def _may_be_equal(a: tuple[str | int, ...], b: tuple[str | int, ...]) -> bool:
    """Whether two shapes may be one when names have lengths."""
    return len(a) == len(b) and all(x == y or str in (type(x), type(y)) for x, y in zip(a, b, strict=True))


EXHAUSTED_TEXT = """exhausted:
  %ensure.at = getelementptr ptr, ptr %data, i64 2
  %ensure = load ptr, ptr %ensure.at
  %complain.at = getelementptr ptr, ptr %data, i64 3
  %complain = load ptr, ptr %complain.at
  %restore.at = getelementptr ptr, ptr %data, i64 4
  %restore = load ptr, ptr %restore.at
  %state = call i32 %ensure()
  %null = call ptr %complain()
  call void %restore(i32 %state)
  br label %done
done:
  ret void"""
"""The end of an inner loop of NumPy: an exception, where Python's lock has been released, and the label `done`."""
_LOOP = """
define internal i1 @states(ptr %args, ptr %dims, ptr %steps, ptr %data, i64 %all.states) {{
entry:
  %n = load i64, ptr %dims
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %start, label %done
start:
  %last = sub i64 %n, 1
  %filled = add i64 %n, {pad}
  %all = udiv i64 %filled, {lanes}
  %at.once = call i64 @llvm.smin.i64(i64 %all, i64 {most})
{start}
  %nothing = icmp eq i64 {bytes}, 0
  br i1 %nothing, label %begin, label %allocate
allocate:
  %padded = add i64 {bytes}, {alignment}
  %malloc = load ptr, ptr %data
  %allocated = call ptr %malloc(i64 %padded)
  %failed = icmp eq ptr %allocated, null
  br i1 %failed, label %done, label %begin
begin:
  %memory = phi ptr [ null, %start ], [ %allocated, %allocate ]
  %address = ptrtoint ptr %memory to i64
  %raised = add i64 %address, {alignment}
  %rounded = and i64 %raised, -{alignment}
  %slots = inttoptr i64 %rounded to ptr
  br label %strip
strip:
  %first = phi i64 [ 0, %begin ], [ %next, %{end} ]
  %left = sub i64 %n, %first
  %states = call i64 @llvm.smin.i64(i64 %left, i64 {strip})
  %states.filled = add i64 %states, {pad}
  %tiles = udiv i64 %states.filled, {lanes}
{before}
{after}
  %next = add i64 %first, {strip}
  %more = icmp slt i64 %next, %n
  br i1 %more, label %strip, label %over
over:
  fence seq_cst
  br i1 %nothing, label %done, label %release
release:
  %free.at = getelementptr ptr, ptr %data, i64 1
  %free = load ptr, ptr %free.at
  call void %free(ptr %memory)
  br label %done
done:
  %fine = phi i1 [ true, %entry ], [ false, %allocate ], [ true, %over ], [ true, %release ]
  ret i1 %fine
}}
define void @loop(ptr %args, ptr %dims, ptr %steps, ptr %data) {{
entry:
  %n = load i64, ptr %dims
  %fine = call i1 @states(ptr %args, ptr %dims, ptr %steps, ptr %data, i64 %n)
  br i1 %fine, label %done, label %exhausted
{exhausted}
}}
"""
