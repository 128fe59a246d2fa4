"""The inner loop of a NumPy gufunc, around the blocks of a program.

    loop(args, dims, steps, data)   NumPy's protocol: an exception if there is no memory for
    states                          allocates, then takes a strip of states at a time through
      gather                        an input whose entries are not in C order, or that is an output → scratch rows
      constants                     what the program does not compute; into scratch rows only once
      block_k                       the program, from rows to rows
      scatter                       scratch rows → an output whose entries are not in C order
      stream                        scratch rows → an output that is too large for the caches, past them

`steps` holds the byte step of every argument from state to state, then those of all core axes. `data` points to
the functions of the interpreter that are needed (`HOST`), so that the code has no external symbol. A tile that
reaches past the last state repeats that state in its spare lanes: the same numbers are stored twice, and no second,
scalar, copy of the program is needed.

Blocks write while others still read, so no output may lie where an input does. NumPy makes copies of what overlaps, but
not of an output that is the very view that an input is: a loop over scalars would need none.
"""

from __future__ import annotations

from ...errors import InputError
from ...trace import Argument
from ..plan import Plan
from .lines import Lines
from .moves import AXES, move, stream

ALIGNMENT = 64
"""Of the memory for slots, in bytes."""
HOST = ("PyMem_RawMalloc", "PyMem_RawFree", "PyGILState_Ensure", "PyErr_NoMemory", "PyGILState_Release")
"""The functions that `data` points to, in this order."""
LARGE = 1 << 22
"""Bytes of all rows of a call from which an output of long rows is streamed: the processor would else read from memory
what is about to be overwritten."""


def parameters(plan: Plan) -> str:
    """Of a block: where slots are, how many tiles there are, the states they begin and end with, and the rows."""
    count = len(plan.program.inputs + plan.program.outputs)
    rows = "".join(f", ptr noalias %base.{k}, i64 %step.{k}" for k in range(count))
    return f"ptr noalias %slots, i64 %tiles, i64 %first, i64 %last{rows}"


def emit(plan: Plan) -> str:
    """The function `loop`, and those that it calls apart from the blocks."""
    loop = _Loop(plan).text()
    return "\n".join([loop, move("gather", plan), move("scatter", plan), stream() if "@stream" in loop else ""])


class _Loop:
    """Writes `loop`: what is done at its start, and in every strip before and after the blocks.

    Scratch rows, those of one strip, stand behind the slots.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan, self.inputs = plan, len(plan.program.inputs)
        self.start, self.before, self.after = Lines("s"), Lines("b"), Lines("a")
        self.bytes = self.start.new(f"mul i64 %at.once, {plan.slot_count * plan.value}")
        self.refill = "false"
        """Whether some output of long rows is written directly, and needs its constants in every strip."""
        self.rows: list[str] = []
        arguments = plan.program.inputs + plan.program.outputs
        self.given = [self.start.load("ptr", "%args", k) for k in range(len(arguments))]
        place = len(arguments)
        for k, a in enumerate(arguments):
            self.argument(k, a, place)
            place += len(a.shape)
        self.blocks()

    def argument(self, k: int, a: Argument, place: int) -> None:
        """Where the rows of argument k are; `place` is that of its first core step in `steps`."""
        if len(a.shape) > AXES:
            raise InputError(f"{a.name} has {len(a.shape)} axes; a compiled function takes and returns at most {AXES}")
        given, step = self.given[k], self.start.load("i64", "%steps", k)
        actual = [self.start.load("i64", "%steps", place + d) for d in range(len(a.shape))]
        dense = self.is_dense(a, actual)
        row = a.size * self.plan.size
        pitch, direct, long = row, dense, k >= self.inputs and self.plan.is_long(a)
        if long:
            pitch = -(-row // ALIGNMENT) * ALIGNMENT
            small = self.start.new(f"icmp ult i64 {self.start.new(f'mul i64 %n, {row}')}, {LARGE}")
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
        axes = [("1", "0")] * (AXES - len(a.shape)) + list(zip(map(str, a.shape), actual, strict=True))
        numbers = "".join(f", i64 {x}" for axis in axes for x in axis)
        w.add(f"  call void @{'gather' if k < self.inputs else 'scatter'}{moved}{numbers})")
        w.add(f"  br label %moved.{k}", f"moved.{k}:")

    def is_dense(self, a: Argument, actual: list[str]) -> str:
        """Whether the entries of a row are in C order."""
        dense = "true"
        for length, there, in_c in zip(a.shape, actual, core_steps(a, self.plan.size), strict=True):
            if length > 1:
                dense = self.start.new(f"and i1 {dense}, {self.start.new(f'icmp eq i64 {there}, {in_c}')}")
        return dense

    def is_apart(self, k: int, a: Argument, dense: str) -> str:
        """Whether an input is dense, and no output is the same view."""
        apart = dense
        for there, output in zip(self.given[self.inputs :], self.plan.program.outputs, strict=True):
            if output.shape == a.shape:
                other = self.start.new(f"icmp ne ptr {self.given[k]}, {there}")
                apart = self.start.new(f"and i1 {apart}, {other}")
        return apart

    def scratch_rows(self, k: int, given: str, step: str, direct: str, pitch: int) -> str:
        """Reserve scratch rows, unless the given ones are used directly, and choose which of them the blocks get."""
        own = self.start.new(f"mul i64 %at.once, {pitch * self.plan.lanes}")
        self.start.add(f"  %own.{k} = add i64 {self.bytes}, 0")
        more = self.start.new(f"select i1 {direct}, i64 0, i64 {own}")
        self.bytes = self.start.new(f"add i64 {self.bytes}, {more}")
        # Blocks count states from the very first: the base of scratch rows lies before them by the states done.
        gone = self.before.new(f"mul i64 %first, {-pitch}")
        mine = self.before.new(f"getelementptr i8, ptr %slots, i64 %own.{k}")
        lower = self.before.new(f"getelementptr i8, ptr {mine}, i64 {gone}")
        base = self.before.new(f"select i1 {direct}, ptr {given}, ptr {lower}")
        self.rows.append(f"ptr {base}, i64 {self.before.new(f'select i1 {direct}, i64 {step}, i64 {pitch}')}")
        return mine

    def blocks(self) -> None:
        """The constants, if they are not there yet, and the program."""
        given = f"(ptr %slots, i64 %tiles, i64 %first, i64 %last, {', '.join(self.rows)})"
        if self.plan.constants:
            fill = self.before.new(f"or i1 {self.refill}, {self.before.new('icmp eq i64 %first, 0')}")
            self.before.add(f"  br i1 {fill}, label %fill, label %filled.once", "fill:")
            self.before.add(f"  call void @constants{given}", "  br label %filled.once", "filled.once:")
        self.before.add(*(f"  call void @block_{b}{given}" for b in range(len(self.plan.pieces))))

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
        )


def core_steps(argument: Argument, size: int) -> list[int]:
    """The byte steps of an argument's core axes in C order."""
    steps: list[int] = []
    step = size
    for length in reversed(argument.shape):
        steps.insert(0, step)
        step *= length
    return steps


_LOOP = """
define internal i1 @states(ptr %args, ptr %dims, ptr %steps, ptr %data) {{
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
  %fine = call i1 @states(ptr %args, ptr %dims, ptr %steps, ptr %data)
  br i1 %fine, label %done, label %exhausted
exhausted:
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
  ret void
}}
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
"""
