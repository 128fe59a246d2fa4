"""A batch for XLA: a handler of its foreign function interface around `states`, without Python and its lock.

XLA calls `xla` with a frame that describes the arrays: dense, in C order, batch axes first. An argument has all states
of the batch, or one state for all. Large batches are shared among the threads of XLA's own pool: the caller and those
who come to help take parts of a chunk table (see `share`) until none is left. Whoever comes after the caller has closed
the team finds nothing to do, so the caller waits for those who are at work and for nobody else. The table is kept in
memory until the last of them has let go of it:

    helpers at work, and whether the team is closed; how many hold the table; a lock that the last helper opens;
    the chunk table

Offsets are those of XLA's `xla/ffi/api/c_api.h` on machines of 64 bits; they are the same in all versions 0.x of it.
The functions of the host and that version come from outside, by a call of `prepare`: code on disk has no address in it.
"""

from __future__ import annotations

import math

from ...trace import Argument, Program
from ..plan import SIZES
from .lines import Lines
from .loop import core_steps
from .share import FAILED, FIRST, HOST, PART, STATES, TAKEN

PARALLEL_FROM = 1 << 21
"""Operations in a call above which threads pay: less than in NumPy's calls, as those of XLA are mostly awake."""
PART_WORK, MOST_PARTS = 1 << 18, 16
"""Operations that a thread takes at a time, at least; and how many such parts each."""
STRIP = 32
"""States that loops take at a time, where there are as many."""

FUNCTIONS = (
    *("PyMem_RawMalloc", "PyMem_RawFree", "PyThread_allocate_lock", "PyThread_acquire_lock"),
    *("PyThread_release_lock", "PyThread_free_lock"),
)
"""What `prepare` is given: the addresses of these functions, none of which needs Python's lock, and"""
VERSION = len(FUNCTIONS)
"""XLA's version, the major number in the lower half."""
_MALLOC, _FREE, _NEW_LOCK, _LOCK, _UNLOCK, _FREE_LOCK = range(len(FUNCTIONS))

# XLA_FFI_CallFrame, XLA_FFI_Buffer, XLA_FFI_Metadata_Extension, XLA_FFI_Metadata, XLA_FFI_Api
_EXTENSION, _API, _CONTEXT, _ARGS, _RETS = 8, 16, 24, 72, 112
_DATA, _RANK, _DIMS = 24, 32, 40
_KIND, _METADATA = 8, 24
_VERSION_SIZE, _VERSION_NEXT, _VERSION, _TRAITS = 8, 16, 24, 32
_CREATE, _DESTROY, _SCHEDULE, _THREADS = 48, 64, 136, 144
_ASKS_FOR_METADATA, _RESOURCE_EXHAUSTED = 1, 8

_TEAM, _HOLDERS, _GATE, _TABLE = range(4)
_CLOSED = 1 << 32
_MESSAGE = "kinetrace: no memory for the values of a program between its blocks"

_COMMON = f"""
@host = internal global [{VERSION + 1} x i64] zeroinitializer
@message = internal constant [{len(_MESSAGE) + 1} x i8] c"{_MESSAGE}\\00"
define void @prepare(ptr %given) {{
entry:
  br label %next
next:
  %k = phi i64 [ 0, %entry ], [ %k1, %next ]
  %from = getelementptr i64, ptr %given, i64 %k
  %to = getelementptr i64, ptr @host, i64 %k
  %word = load i64, ptr %from
  store i64 %word, ptr %to
  %k1 = add i64 %k, 1
  %more = icmp slt i64 %k1, {VERSION + 1}
  br i1 %more, label %next, label %done
done:
  ret void
}}
define internal i64 @length(ptr %buffer, i64 %core) {{ ; of all batch axes of an array together
entry:
  %rank.at = getelementptr i8, ptr %buffer, i64 {_RANK}
  %rank = load i64, ptr %rank.at
  %dims.at = getelementptr i8, ptr %buffer, i64 {_DIMS}
  %dims = load ptr, ptr %dims.at
  %axes = sub i64 %rank, %core
  br label %next
next:
  %d = phi i64 [ 0, %entry ], [ %d1, %more ]
  %n = phi i64 [ 1, %entry ], [ %n1, %more ]
  %go = icmp slt i64 %d, %axes
  br i1 %go, label %more, label %done
more:
  %at = getelementptr i64, ptr %dims, i64 %d
  %own = load i64, ptr %at
  %n1 = mul i64 %n, %own
  %d1 = add i64 %d, 1
  br label %next
done:
  ret i64 %n
}}
define internal void @drop(ptr %team) {{ ; one holder less; the last one frees the memory
entry:
  %holders = getelementptr i64, ptr %team, i64 {_HOLDERS}
  %before = atomicrmw sub ptr %holders, i64 1 seq_cst
  %last = icmp eq i64 %before, 1
  br i1 %last, label %free, label %done
free:
  %gate.at = getelementptr i64, ptr %team, i64 {_GATE}
  %gate = load ptr, ptr %gate.at
  %free.lock.at = getelementptr i64, ptr @host, i64 {_FREE_LOCK}
  %free.lock = load ptr, ptr %free.lock.at
  call void %free.lock(ptr %gate)
  %free.at = getelementptr i64, ptr @host, i64 {_FREE}
  %free.memory = load ptr, ptr %free.at
  call void %free.memory(ptr %team)
  br label %done
done:
  ret void
}}
define internal void @help(ptr %team) {{ ; what threads of the pool are given
entry:
  br label %look
look:
  %seen = load atomic i64, ptr %team seq_cst, align 8
  %open = icmp slt i64 %seen, {_CLOSED}
  br i1 %open, label %enter, label %done
enter:
  %one.more = add i64 %seen, 1
  %pair = cmpxchg ptr %team, i64 %seen, i64 %one.more seq_cst seq_cst
  %entered = extractvalue {{ i64, i1 }} %pair, 1
  br i1 %entered, label %work, label %look
work:
  %table = getelementptr i64, ptr %team, i64 {_TABLE}
  call void @share(ptr %table)
  %before = atomicrmw sub ptr %team, i64 1 seq_cst
  %last = icmp eq i64 %before, {_CLOSED + 1}
  br i1 %last, label %tell, label %done
tell:
  %gate.at = getelementptr i64, ptr %team, i64 {_GATE}
  %gate = load ptr, ptr %gate.at
  %unlock.at = getelementptr i64, ptr @host, i64 {_UNLOCK}
  %unlock = load ptr, ptr %unlock.at
  call void %unlock(ptr %gate)
  br label %done
done:
  call void @drop(ptr %team)
  ret void
}}
define internal i1 @failed(ptr %api, ptr %error) {{ ; whether there is an error, which is dropped
entry:
  %some = icmp ne ptr %error, null
  br i1 %some, label %destroy, label %done
destroy:
  %args = alloca [3 x i64]
  store i64 24, ptr %args
  %next = getelementptr i64, ptr %args, i64 1
  store ptr null, ptr %next
  %error.at = getelementptr i64, ptr %args, i64 2
  store ptr %error, ptr %error.at
  %destroy.at = getelementptr i8, ptr %api, i64 {_DESTROY}
  %function = load ptr, ptr %destroy.at
  call void %function(ptr %args)
  br label %done
done:
  ret i1 %some
}}
define internal i64 @threads(ptr %frame) {{ ; of the pool; 1 if there is none
entry:
  %count = alloca i64
  store i64 1, ptr %count
  %args = alloca [4 x i64]
  store i64 32, ptr %args
  %next = getelementptr i64, ptr %args, i64 1
  store ptr null, ptr %next
  %ctx.from = getelementptr i8, ptr %frame, i64 {_CONTEXT}
  %ctx = load ptr, ptr %ctx.from
  %ctx.at = getelementptr i64, ptr %args, i64 2
  store ptr %ctx, ptr %ctx.at
  %count.at = getelementptr i64, ptr %args, i64 3
  store ptr %count, ptr %count.at
  %api.at = getelementptr i8, ptr %frame, i64 {_API}
  %api = load ptr, ptr %api.at
  %function.at = getelementptr i8, ptr %api, i64 {_THREADS}
  %function = load ptr, ptr %function.at
  %error = call ptr %function(ptr %args)
  %none = call i1 @failed(ptr %api, ptr %error)
  %found = load i64, ptr %count
  %threads = select i1 %none, i64 1, i64 %found
  ret i64 %threads
}}
define internal void @gather_team(ptr %frame, ptr %team, i64 %helpers) {{ ; and work with it
entry:
  %args = alloca [5 x i64]
  store i64 40, ptr %args
  %next = getelementptr i64, ptr %args, i64 1
  store ptr null, ptr %next
  %ctx.from = getelementptr i8, ptr %frame, i64 {_CONTEXT}
  %ctx = load ptr, ptr %ctx.from
  %ctx.at = getelementptr i64, ptr %args, i64 2
  store ptr %ctx, ptr %ctx.at
  %task.at = getelementptr i64, ptr %args, i64 3
  store ptr @help, ptr %task.at
  %team.at = getelementptr i64, ptr %args, i64 4
  store ptr %team, ptr %team.at
  %api.at = getelementptr i8, ptr %frame, i64 {_API}
  %api = load ptr, ptr %api.at
  %schedule.at = getelementptr i8, ptr %api, i64 {_SCHEDULE}
  %schedule = load ptr, ptr %schedule.at
  %holders = getelementptr i64, ptr %team, i64 {_HOLDERS}
  br label %ask
ask:
  %asked = phi i64 [ 0, %entry ], [ %asked1, %call ]
  %more = icmp slt i64 %asked, %helpers
  br i1 %more, label %call, label %work
call:
  %held = atomicrmw add ptr %holders, i64 1 seq_cst
  %error = call ptr %schedule(ptr %args)
  %asked1 = add i64 %asked, 1
  %refused = call i1 @failed(ptr %api, ptr %error)
  br i1 %refused, label %alone, label %ask
alone:
  call void @drop(ptr %team)
  br label %work
work:
  %table = getelementptr i64, ptr %team, i64 {_TABLE}
  call void @share(ptr %table)
  %inside = atomicrmw or ptr %team, i64 {_CLOSED} seq_cst
  %nobody = icmp eq i64 %inside, 0
  br i1 %nobody, label %done, label %wait
wait:
  %gate.at = getelementptr i64, ptr %team, i64 {_GATE}
  %gate = load ptr, ptr %gate.at
  %lock.at = getelementptr i64, ptr @host, i64 {_LOCK}
  %lock = load ptr, ptr %lock.at
  %opened = call i32 %lock(ptr %gate, i32 1)
  br label %done
done:
  ret void
}}
"""


def emit(program: Program, dtype: str) -> str:
    """The functions `xla` and `prepare`, to stand in one module with `states` and `share`."""
    return _COMMON + _Handler(program, dtype).text()


class _Handler(Lines):
    """Writes `xla`: finds the arrays in the frame, counts states, and runs them here or by a team."""

    def __init__(self, program: Program, dtype: str) -> None:
        super().__init__("x")
        self.program, self.size = program, SIZES[dtype]
        self.arguments = program.inputs + program.outputs
        self.axes = [str(x) for a in self.arguments for x in a.shape]
        self.places = {axis: k for k, axis in enumerate(dict.fromkeys(self.axes if program.dims else []), 1)}
        self.words = FIRST + 2 * len(self.arguments) + len(self.axes) + len(self.places)
        self.add("define ptr @xla(ptr %frame) {", "entry:", f"  %table = alloca [{self.words} x i64]")
        self.add(f"  %count = alloca [{1 + len(self.places)} x i64]")
        self.metadata()
        self.table()
        self.here()
        self.team()
        self.error()
        self.add("}")

    def at(self, owner: str, offset: int) -> str:
        """The address of a field."""
        return self.new(f"getelementptr i8, ptr {owner}, i64 {offset}")

    def field(self, kind: str, owner: str, offset: int) -> str:
        """The content of a field."""
        return self.new(f"load {kind}, ptr {self.at(owner, offset)}")

    def metadata(self) -> None:
        """XLA asks which version of its interface is meant before it calls."""
        extension = self.field("ptr", "%frame", _EXTENSION)
        self.add(f"  %plain = icmp eq ptr {extension}, null", "  br i1 %plain, label %call, label %extended")
        self.add("extended:")
        asks = self.new(f"icmp eq i32 {self.field('i32', extension, _KIND)}, {_ASKS_FOR_METADATA}")
        self.add(f"  br i1 {asks}, label %answer, label %call", "answer:")
        about = self.field("ptr", extension, _METADATA)
        self.add(f"  store i64 24, ptr {self.at(about, _VERSION_SIZE)}")
        self.add(f"  store ptr null, ptr {self.at(about, _VERSION_NEXT)}")
        version = self.load("i64", "@host", VERSION)
        self.add(f"  store i64 {version}, ptr {self.at(about, _VERSION)}, align 4")
        self.add(f"  store i32 0, ptr {self.at(about, _TRAITS)}", "  ret ptr null", "call:")

    def table(self) -> None:
        """The chunk table, but for what only a team needs."""
        inputs, count = len(self.program.inputs), len(self.arguments)
        given, made = self.field("ptr", "%frame", _ARGS), self.field("ptr", "%frame", _RETS)
        self.buffers = [
            self.load("ptr", given, k) if k < inputs else self.load("ptr", made, k - inputs) for k in range(count)
        ]
        self.lengths = self.named_lengths()
        axes = len(self.program.outputs[0].shape)
        self.n = self.new(f"call i64 @length(ptr {self.buffers[inputs]}, i64 {axes})")
        place = FIRST + 2 * count
        for k, a in enumerate(self.arguments):
            self.store("ptr", self.field("ptr", self.buffers[k], _DATA), "%table", FIRST + k)
            steps, row = self.steps(a)
            own = self.new(f"call i64 @length(ptr {self.buffers[k]}, i64 {len(a.shape)})")
            all_states = self.new(f"icmp eq i64 {own}, {self.n}")
            step = self.new(f"select i1 {all_states}, i64 {row}, i64 0")  # or one state for all
            self.store("i64", step, "%table", FIRST + count + k)
            for x in steps:
                self.store("i64", x, "%table", place)
                place += 1
        self.add(f"  store i64 {self.n}, ptr %count")
        for axis, k in self.places.items():
            self.store("i64", self.lengths.get(axis, axis), "%count", k)
            self.store("i64", self.lengths.get(axis, axis), "%table", place + k - 1)

    def named_lengths(self) -> dict[str, str]:
        """The lengths that are known now: each from the first array that has it."""
        found: dict[str, str] = {}
        for a, buffer in zip(self.arguments, self.buffers, strict=True):
            for d, name in enumerate(a.dims):
                if name not in found:
                    rank, dims = self.field("i64", buffer, _RANK), self.field("ptr", buffer, _DIMS)
                    axis = self.new(f"sub i64 {rank}, {len(a.shape) - d}")
                    found[name] = self.new(f"load i64, ptr {self.new(f'getelementptr i64, ptr {dims}, i64 {axis}')}")
        return found

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
        large = self.new(f"icmp ugt i64 {self.new(f'mul i64 {self.n}, {work}')}, {PARALLEL_FROM}")
        several = self.new(f"icmp ugt i64 {self.n}, 1")
        self.add(f"  br i1 {self.new(f'and i1 {large}, {several}')}, label %large, label %here", "here:")
        args, steps = (self.new(f"getelementptr i64, ptr %table, i64 {FIRST + k}") for k in (0, len(self.arguments)))
        self.add(f"  %fine = call i1 @states(ptr {args}, ptr %count, ptr {steps}, ptr @host)")
        self.add("  br i1 %fine, label %done, label %exhausted", "done:", "  ret ptr null")

    def team(self) -> None:
        """A part at a time, by this thread and those of the pool."""
        self.add("large:", "  %threads = call i64 @threads(ptr %frame)")
        part = self.part()
        parts = self.new(f"udiv i64 {self.new(f'sub i64 {self.n}, 1')}, {part}")  # apart from the caller's first one
        some = self.new("sub i64 %threads, 1")
        helpers = self.new(f"call i64 @llvm.smin.i64(i64 {some}, i64 {parts})")
        wanted = self.new(f"icmp sgt i64 {helpers}, 0")
        self.add(f"  br i1 {wanted}, label %reserve, label %here", "reserve:")
        malloc, new_lock = self.load("ptr", "@host", _MALLOC), self.load("ptr", "@host", _NEW_LOCK)
        team = self.new(f"call ptr {malloc}(i64 {8 * (_TABLE + self.words)})")
        none = self.new(f"icmp eq ptr {team}, null")
        self.add(f"  br i1 {none}, label %here, label %reserved", "reserved:")
        gate = self.new(f"call ptr {new_lock}()")
        locked = self.new(f"icmp ne ptr {gate}, null")
        self.add(f"  br i1 {locked}, label %gather, label %unlocked", "unlocked:")
        self.add(f"  call void {self.load('ptr', '@host', _FREE)}(ptr {team})", "  br label %here", "gather:")
        self.add(f"  %closed = call i32 {self.load('ptr', '@host', _LOCK)}(ptr {gate}, i32 1)")
        self.store("i64", "0", team, _TEAM)
        self.store("i64", "1", team, _HOLDERS)
        self.store("ptr", gate, team, _GATE)
        for word, x in {STATES: self.n, PART: part, TAKEN: "0", FAILED: "0"}.items():
            self.store("i64", x, "%table", word)
        self.store("ptr", "@host", "%table", HOST)
        there = self.new(f"getelementptr i64, ptr {team}, i64 {_TABLE}")
        for word in range(self.words):
            self.store("i64", self.load("i64", "%table", word), there, word)
        self.add(f"  call void @gather_team(ptr %frame, ptr {team}, i64 {helpers})")
        lacking = self.new(f"icmp ne i64 {self.load('i64', there, FAILED)}, 0")
        self.add(f"  call void @drop(ptr {team})", f"  br i1 {lacking}, label %exhausted, label %done")

    def part(self) -> str:
        """How many states a thread takes at a time: whole strips, mostly; see `runtime.batch`."""
        even = self.new(f"udiv i64 {self.n}, {self.new(f'mul i64 %threads, {MOST_PARTS}')}")
        least = self.new(f"udiv i64 {PART_WORK}, {self.work}")
        part = self.largest(self.largest(even, least), "1")
        if not self.program.dims:
            return self.rounded(part, 64)
        rest = self.new("sub i64 %threads, 1")
        each = self.new(f"udiv i64 {self.new(f'add i64 {self.n}, {rest}')}, %threads")
        many = self.new(f"icmp uge i64 {self.n}, {self.new(f'mul i64 %threads, {2 * STRIP}')}")
        few = self.rounded(self.largest(part, each), 8)
        return self.new(f"select i1 {many}, i64 {self.rounded(part, STRIP)}, i64 {few}")

    def largest(self, a: str, b: str) -> str:
        """The larger of two numbers."""
        return self.new(f"select i1 {self.new(f'icmp ugt i64 {a}, {b}')}, i64 {a}, i64 {b}")

    def rounded(self, x: str, to: int) -> str:
        """The next multiple of a power of two."""
        assert math.log2(to).is_integer()
        return self.new(f"and i64 {self.new(f'add i64 {x}, {to - 1}')}, {-to}")

    def error(self) -> None:
        """A status for XLA, which makes an exception of it."""
        self.add("exhausted:", "  %about = alloca [4 x i64]")
        self.store("i64", "28", "%about", 0)
        self.store("ptr", "null", "%about", 1)
        self.store("ptr", "@message", "%about", 2)
        self.store("i64", str(_RESOURCE_EXHAUSTED), "%about", 3)
        create = self.field("ptr", self.field("ptr", "%frame", _API), _CREATE)
        self.add(f"  %error = call ptr {create}(ptr %about)", "  ret ptr %error")
