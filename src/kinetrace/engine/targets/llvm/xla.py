"""A batch for XLA: a handler of its foreign function interface around `states`, without Python and its lock.

XLA calls `xla` with a frame that describes the arrays: dense, in C order, batch axes first. An argument has all batch
axes of the results, or none: one state for all. Anybody may call a handler by its name, so other shapes and types are
refused (INVALID_ARGUMENT). Large batches are shared among the threads of XLA's own pool: see `xla_team`.
"""

from __future__ import annotations

from ...plan.memory import SCALAR_BYTES, core_steps
from ...trace import Argument, Program
from . import xla_team as api
from .function_text import FunctionText
from .thread_parts import (
    CHUNK_FAILED,
    CHUNK_FIRST,
    CHUNK_HOST,
    CHUNK_PART,
    CHUNK_RANGES,
    CHUNK_STATES,
    CHUNK_TAKEN,
    part_states,
)

HANDLER = 1
"""Which arrays a handler takes, in which order: another number when that changes, as executables are kept on disk."""
POOL_FROM, POOL_PART = 1 << 23, 1 << 20
"""Operations in a call above which threads of XLA's pool are asked for, and those that each takes at a time."""


def emit(program: Program, dtype: str) -> str:
    """The functions `xla` and `prepare`, to stand in one module with `states` and `share`."""
    return api.SHARED_FUNCTIONS + _Handler(program, dtype).text()


class _Handler(FunctionText):
    """Writes `xla`: finds the arrays in the frame, counts states, and runs them here or by a team."""

    def __init__(self, program: Program, dtype: str) -> None:
        super().__init__("x")
        self.program, self.size, (self.type, numbers) = program, SCALAR_BYTES[dtype], api.TYPES[dtype]
        self.message("exhausted", "no memory for the values of a program between its blocks")
        self.message(
            "unfit",
            f"{program.name} takes arrays of {numbers} with these axes after all batch axes "
            f"of the results, or none: {program.signature}",
        )
        self.arguments = program.inputs + program.outputs
        self.axes = [str(x) for a in self.arguments for x in a.shape]
        self.places = {axis: k for k, axis in enumerate(dict.fromkeys(self.axes if program.dims else []), 1)}
        self.words = CHUNK_FIRST + 2 * len(self.arguments) + len(self.axes) + len(self.places)
        self.add("define ptr @xla(ptr %frame) {", "entry:", f"  %table = alloca [{self.words} x i64]")
        self.add(f"  %count = alloca [{1 + len(self.places)} x i64]")
        self.metadata()
        self.checks()
        self.table()
        self.here()
        self.team()
        self.error("exhausted", api.RESOURCE_EXHAUSTED)
        self.error("unfit", api.INVALID_ARGUMENT)
        self.add("}")

    def at(self, owner: str, offset: int) -> str:
        """The address of a field."""
        return self.new(f"getelementptr i8, ptr {owner}, i64 {offset}")

    def field(self, kind: str, owner: str, offset: int) -> str:
        """The content of a field."""
        return self.new(f"load {kind}, ptr {self.at(owner, offset)}")

    def metadata(self) -> None:
        """XLA asks which version of its interface is meant before it calls."""
        extension = self.field("ptr", "%frame", api.EXTENSION)
        self.add(f"  %plain = icmp eq ptr {extension}, null", "  br i1 %plain, label %call, label %extended")
        self.add("extended:")
        asks = self.new(f"icmp eq i32 {self.field('i32', extension, api.KIND)}, {api.ASKS_FOR_METADATA}")
        self.add(f"  br i1 {asks}, label %answer, label %call", "answer:")
        about = self.field("ptr", extension, api.METADATA)
        self.add(f"  store i64 24, ptr {self.at(about, api.VERSION_SIZE)}")
        self.add(f"  store ptr null, ptr {self.at(about, api.VERSION_NEXT)}")
        version = self.load("i64", "@host", api.XLA_VERSION)
        self.add(f"  store i64 {version}, ptr {self.at(about, api.VERSION)}, align 4")
        self.add(f"  store i32 0, ptr {self.at(about, api.TRAITS)}", "  ret ptr null", "call:")

    def checks(self) -> None:
        """Which arrays there are; or XLA is told that they do not fit."""
        inputs, outputs = self.program.inputs, self.program.outputs
        counts = {api.ARG_COUNT: len(inputs), api.RET_COUNT: len(outputs)}
        self.need(*(f"icmp eq i64 {self.field('i64', '%frame', x)}, {n}" for x, n in counts.items()))
        given, made = self.field("ptr", "%frame", api.ARGS), self.field("ptr", "%frame", api.RETS)
        self.buffers = [self.load("ptr", given, k) for k in range(len(inputs))]
        self.buffers += [self.load("ptr", made, k) for k in range(len(outputs))]
        self.dims = [self.field("ptr", x, api.DIMS) for x in self.buffers]
        ranks = [self.field("i64", x, api.RANK) for x in self.buffers]
        self.leading = [self.new(f"sub i64 {x}, {len(a.shape)}") for x, a in zip(ranks, self.arguments, strict=True)]
        batch = f"ptr {self.dims[len(inputs)]}, i64 {self.leading[len(inputs)]}"
        self.states = [
            self.new(f"call i64 @length(ptr {x}, i32 {self.type}, i64 {len(a.shape)}, {batch})")
            for x, a in zip(self.buffers, self.arguments, strict=True)
        ]
        self.n = self.states[len(inputs)]
        results = [f"icmp eq i64 {x}, {self.n}" for x in self.states[len(inputs) + 1 :]]
        self.need(*(f"icmp sge i64 {x}, 0" for x in self.states), *results)
        self.lengths: dict[str, str] = {}
        fits = []
        for k, a in enumerate(self.arguments):
            for d, length in enumerate(a.shape):
                place = self.new(f"add i64 {self.leading[k]}, {d}")
                own = self.new(f"load i64, ptr {self.new(f'getelementptr i64, ptr {self.dims[k]}, i64 {place}')}")
                wanted = self.lengths.setdefault(length, own) if isinstance(length, str) else length
                fits.append(f"icmp eq i64 {own}, {wanted}")
        self.need(*fits)

    def need(self, *conditions: str) -> None:
        """Go on if all of them hold."""
        found = "true"
        for x in conditions:
            found = self.new(f"and i1 {found}, {self.new(x)}")
        further = f"go.{len(self.lines)}"
        self.add(f"  br i1 {found}, label %{further}, label %unfit", f"{further}:")

    def table(self) -> None:
        """The chunk table, but for what only a team needs."""
        count = len(self.arguments)
        place = CHUNK_FIRST + 2 * count
        for k, a in enumerate(self.arguments):
            self.store("ptr", self.field("ptr", self.buffers[k], api.DATA), "%table", CHUNK_FIRST + k)
            steps, row = self.steps(a)
            all_states = self.new(f"icmp eq i64 {self.states[k]}, {self.n}")
            step = self.new(f"select i1 {all_states}, i64 {row}, i64 0")  # or one state for all
            self.store("i64", step, "%table", CHUNK_FIRST + count + k)
            for x in steps:
                self.store("i64", x, "%table", place)
                place += 1
        self.add(f"  store i64 {self.n}, ptr %count")
        for axis, k in self.places.items():
            self.store("i64", self.lengths.get(axis, axis), "%count", k)
            self.store("i64", self.lengths.get(axis, axis), "%table", place + k - 1)

    def steps(self, a: Argument) -> tuple[list[str], str]:
        """The byte steps of an argument's core axes, and that from state to state."""
        steps, total = [str(x) for x in core_steps(a, self.size)[len(a.dims) :]], str(a.size * self.size)
        for name in reversed(a.dims):
            steps.insert(0, total)
            total = self.new(f"mul i64 {total}, {self.lengths[name]}")
        return steps, total

    def here(self) -> None:
        """All states by this thread, unless they are many."""
        work = str(max(1, self.program.work))
        for length in self.lengths.values():
            work = self.new(f"mul i64 {work}, {length}")
        self.work = work
        large = self.new(f"icmp ugt i64 {self.new(f'mul i64 {self.n}, {work}')}, {POOL_FROM}")
        several = self.new(f"icmp ugt i64 {self.n}, 1")
        self.add(f"  br i1 {self.new(f'and i1 {large}, {several}')}, label %large, label %here", "here:")
        args, steps = (
            self.new(f"getelementptr i64, ptr %table, i64 {CHUNK_FIRST + k}") for k in (0, len(self.arguments))
        )
        self.add(f"  %fine = call i1 @states(ptr {args}, ptr %count, ptr {steps}, ptr @host, i64 {self.n})")
        self.add("  br i1 %fine, label %done, label %exhausted", "done:", "  ret ptr null")

    def team(self) -> None:
        """A part at a time, by this thread and those of the pool."""
        self.add("large:", "  %threads = call i64 @threads(ptr %frame)")
        size = part_states(self, self.program, self.n, "%threads", self.work, POOL_PART)
        parts = self.new(f"udiv i64 {self.new(f'sub i64 {self.n}, 1')}, {size}")  # apart from the caller's first one
        some = self.new("sub i64 %threads, 1")
        helpers = self.new(f"call i64 @llvm.smin.i64(i64 {some}, i64 {parts})")
        wanted = self.new(f"icmp sgt i64 {helpers}, 0")
        self.add(f"  br i1 {wanted}, label %reserve, label %here", "reserve:")
        malloc, new_lock = self.load("ptr", "@host", api.MALLOC), self.load("ptr", "@host", api.NEW_LOCK)
        team = self.new(f"call ptr {malloc}(i64 {8 * (api.TEAM_TABLE + self.words)})")
        none = self.new(f"icmp eq ptr {team}, null")
        self.add(f"  br i1 {none}, label %here, label %reserved", "reserved:")
        gate = self.new(f"call ptr {new_lock}()")
        locked = self.new(f"icmp ne ptr {gate}, null")
        self.add(f"  br i1 {locked}, label %gather, label %unlocked", "unlocked:")
        self.add(f"  call void {self.load('ptr', '@host', api.FREE_MEMORY)}(ptr {team})", "  br label %here", "gather:")
        self.add(f"  %closed = call i32 {self.load('ptr', '@host', api.LOCK)}(ptr {gate}, i32 1)")
        self.store("i64", "0", team, api.TEAM_STATE)
        self.store("i64", "1", team, api.TEAM_HOLDERS)
        self.store("ptr", gate, team, api.TEAM_GATE)
        for word, x in {CHUNK_STATES: self.n, CHUNK_PART: size, CHUNK_RANGES: "1", CHUNK_FAILED: "0"}.items():
            self.store("i64", x, "%table", word)
        self.store("ptr", "@host", "%table", CHUNK_HOST)
        there = self.new(f"getelementptr i64, ptr {team}, i64 {api.TEAM_TABLE}")
        for word in range(self.words):
            self.store("i64", self.load("i64", "%table", word), there, word)
        self.store("i64", "0", team, api.TEAM_TAKEN)
        self.store("ptr", self.new(f"getelementptr i64, ptr {team}, i64 {api.TEAM_TAKEN}"), there, CHUNK_TAKEN)
        self.add(f"  call void @gather_team(ptr %frame, ptr {team}, i64 {helpers})")
        lacking = self.new(f"icmp ne i64 {self.load('i64', there, CHUNK_FAILED)}, 0")
        self.add(f"  call void @drop(ptr {team})", f"  br i1 {lacking}, label %exhausted, label %done")

    def message(self, name: str, text: str) -> None:
        """A text that `error` finds."""
        content = f"kinetrace: {text}".encode() + bytes(1)
        escaped = "".join(f"\\{x:02x}" for x in content)
        self.add(f'@text.{name} = internal constant [{len(content)} x i8] c"{escaped}"')

    def error(self, name: str, status: int) -> None:
        """A status for XLA, which makes an exception of it."""
        about = f"%about.{name}"
        self.add(f"{name}:", f"  {about} = alloca [4 x i64]")
        self.store("i64", "28", about, 0)
        self.store("ptr", "null", about, 1)
        self.store("ptr", f"@text.{name}", about, 2)
        self.store("i64", str(status), about, 3)
        create = self.field("ptr", self.field("ptr", "%frame", api.API), api.CREATE)
        self.add(f"  ret ptr {self.new(f'call ptr {create}(ptr {about})')}")
