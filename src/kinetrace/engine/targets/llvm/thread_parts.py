"""A batch for several threads: they run the compiled code side by side and take a part each, until none is left.

The parts are given out by counters in memory, without Python and its lock. Each thread begins in a range of its own,
of the same states in every call, which are then in the caches of its core, and goes on in those of others. The emitted
function `share` finds what it needs in an array of 64-bit numbers, the chunk table (counters may lie in one line of the
caches: parts last some thousand times as long as counting them):

    states, states in a part, ranges, where the parts taken of each are counted, the host's functions, failed,
    where each argument begins, NumPy's steps, and, if there are names among them, the lengths of the core axes that
    differ

`failed` is not 0 once a thread found no memory: no exception can be raised without Python's lock.

`together` is the inner loop of a gufunc, as `loop` is, but for several threads: it makes the table of NumPy's arguments
and has the team of the process (`worker_team`) run `share`. So such a call costs what NumPy's costs, and one wake-up.
"""

from __future__ import annotations

from ...plan.memory import AWAKE_WORK, LOOP_STRIP_STATES, MOST_PARTS, MOST_WORKERS, PART_WORK, cost
from ...trace import Program
from .function_text import FunctionText
from .gufunc_loop import EXHAUSTED_TEXT
from .python_objects import HOST_FUNCTIONS

CHUNK_STATES, CHUNK_PART, CHUNK_RANGES, CHUNK_TAKEN, CHUNK_HOST, CHUNK_FAILED, CHUNK_FIRST = range(7)

GATHER_WORD, THREADS_WORD, LEAST_WORK_WORD = (len(HOST_FUNCTIONS) + k for k in range(3))
"""Behind the functions of the host, in the data of `together`: the function that gathers workers, how many threads
there may be, and the operations that each must have for which a worker is woken; 0 if there shall be as many, whatever
it costs."""


def emit(program: Program) -> str:
    """The function `share`, to stand in one module with `states`."""
    arguments, axes = len(program.inputs + program.outputs), _axes(program)
    lengths = len(set(axes)) if program.dims else 0
    w = FunctionText("p")
    w.add("define internal void @share(ptr %task, i64 %me) {", "entry:", f"  %args = alloca [{arguments} x ptr]")
    w.add(f"  %count = alloca [{1 + lengths} x i64]")
    n, part, ranges = (w.load("i64", "%task", k) for k in (CHUNK_STATES, CHUNK_PART, CHUNK_RANGES))
    host, taken = w.load("ptr", "%task", CHUNK_HOST), w.load("ptr", "%task", CHUNK_TAKEN)
    steps = w.new(f"getelementptr i64, ptr %task, i64 {CHUNK_FIRST + arguments}")
    filled = w.new(f"add i64 {n}, {w.new(f'sub i64 {part}, 1')}")
    parts = w.new(f"udiv i64 {filled}, {part}")
    for k in range(lengths):
        w.store("i64", w.load("i64", "%task", CHUNK_FIRST + 2 * arguments + len(axes) + k), "%count", 1 + k)
    w.add("  br label %range", "range:", "  %tried = phi i64 [ 0, %entry ], [ %tried.next, %over ]")
    w.add(f"  %left.over = icmp ult i64 %tried, {ranges}", "  br i1 %left.over, label %own, label %done", "own:")
    here = w.new(f"urem i64 {w.new('add i64 %me, %tried')}, {ranges}")
    first, end = (
        w.new(f"udiv i64 {w.new(f'mul i64 {x}, {parts}')}, {ranges}") for x in (here, w.new(f"add i64 {here}, 1"))
    )
    counter = w.new(f"getelementptr i64, ptr {taken}, i64 {here}")
    w.add("  br label %next", "over:", "  %tried.next = add i64 %tried, 1", "  br label %range")
    w.add("next:", f"  %turn = atomicrmw add ptr {counter}, i64 1 monotonic", f"  %which = add i64 %turn, {first}")
    w.add(f"  %some = icmp ult i64 %which, {end}", "  br i1 %some, label %work, label %over")
    w.add("work:", f"  %begin = mul i64 %which, {part}")
    for k in range(arguments):
        gone = w.new(f"mul i64 %begin, {w.load('i64', steps, k)}")
        w.store(
            "ptr", w.new(f"getelementptr i8, ptr {w.load('ptr', '%task', CHUNK_FIRST + k)}, i64 {gone}"), "%args", k
        )
    left = w.new(f"sub i64 {n}, %begin")
    w.add(f"  store i64 {w.new(f'call i64 @llvm.smin.i64(i64 {left}, i64 {part})')}, ptr %count")
    w.add(f"  %fine = call i1 @states(ptr %args, ptr %count, ptr {steps}, ptr {host}, i64 {n})")
    w.add("  br i1 %fine, label %next, label %failed", "failed:")
    w.store("i64", "1", "%task", CHUNK_FAILED)
    w.add("  br label %done", "done:", "  ret void", "}")
    return w.text()


def part_states(w: FunctionText, program: Program, states: str, threads: str, work: str, least: int) -> str:
    """Emit how many states a thread takes at a time: whole strips, mostly, of at least so many operations."""
    even = w.new(f"udiv i64 {states}, {w.new(f'mul i64 {threads}, {MOST_PARTS}')}")
    some = larger(w, larger(w, even, w.new(f"udiv i64 {least}, {work}")), "1")
    if not program.dims:
        return round_up(w, some, 64)
    many = w.new(f"icmp uge i64 {states}, {w.new(f'mul i64 {threads}, {2 * LOOP_STRIP_STATES}')}")
    few = larger(
        w, some, states_per_thread(w, states, threads)
    )  # short strips are slow, and a rest would be waited for
    return w.new(f"select i1 {many}, i64 {round_up(w, some, LOOP_STRIP_STATES)}, i64 {round_up(w, few, 8)}")


def states_per_thread(w: FunctionText, states: str, threads: str) -> str:
    """Emit how many states each thread has, if all have as many."""
    rest = w.new(f"sub i64 {threads}, 1")
    return w.new(f"udiv i64 {w.new(f'add i64 {states}, {rest}')}, {threads}")


def larger(w: FunctionText, a: str, b: str) -> str:
    """Emit the larger of two numbers."""
    return w.new(f"select i1 {w.new(f'icmp ugt i64 {a}, {b}')}, i64 {a}, i64 {b}")


def round_up(w: FunctionText, x: str, to: int) -> str:
    """Emit the next multiple of a power of two."""
    return w.new(f"and i64 {w.new(f'add i64 {x}, {to - 1}')}, {-to}")


def _axes(program: Program) -> list[str]:
    """The core axes of all arguments."""
    return [str(x) for a in program.inputs + program.outputs for x in a.shape]


def emit_together(program: Program) -> str:
    """The function `together`, to stand in one module with `states` and `share`."""
    return _Together(program).text()


class _Together(FunctionText):
    """Writes `together`: how many threads there shall be, a chunk table, and a call of the team or of `states`."""

    def __init__(self, program: Program) -> None:
        super().__init__("g")
        self.program, self.arguments, self.axes = program, program.inputs + program.outputs, _axes(program)
        self.places = {axis: k for k, axis in enumerate(dict.fromkeys(self.axes), 1)}
        self.steps = len(self.arguments) + len(self.axes)
        self.lengths = len(self.places) if program.dims else 0
        self.add("define void @together(ptr %args, ptr %dims, ptr %steps, ptr %data) {", "entry:")
        self.add(
            f"  %table = alloca [{CHUNK_FIRST + len(self.arguments) + self.steps + self.lengths} x i64]",
            f"  %taken = alloca [{MOST_WORKERS + 1} x i64]",
        )
        size, helpers, roused = self.division()
        some = self.new(f"icmp sgt i64 {helpers}, 0")
        several = self.new(f"icmp sgt i64 {self.n}, 1")
        self.add(f"  br i1 {self.new(f'and i1 {some}, {several}')}, label %team, label %alone", "alone:")
        self.add(f"  %fine = call i1 @states(ptr %args, ptr %dims, ptr %steps, ptr %data, i64 {self.n})")
        self.add("  br i1 %fine, label %done, label %exhausted", "team:")
        self.table(size, self.clear_counters(helpers))
        gather = self.load("ptr", "%data", GATHER_WORD)
        self.add(f"  %gathered = call i1 {gather}(ptr @share, ptr %table, i64 {helpers}, i64 {roused})")
        self.add("  br i1 %gathered, label %over, label %alone", "over:")
        lacking = self.new(f"icmp ne i64 {self.load('i64', '%table', CHUNK_FAILED)}, 0")
        self.add(f"  br i1 {lacking}, label %exhausted, label %done", EXHAUSTED_TEXT, "}")

    def division(self) -> tuple[str, str, str]:
        """The states of a part, how many threads help, and how many of these may be woken."""
        self.n = self.load("i64", "%dims", 0)
        given, least = self.load("i64", "%data", THREADS_WORD), self.load("i64", "%data", LEAST_WORK_WORD)
        most = self.new(f"call i64 @llvm.smin.i64(i64 {given}, i64 {MOST_WORKERS + 1})")
        all_asked = self.new(f"icmp eq i64 {least}, 0")
        woken = larger(self, least, "1")
        each_state = str(cost(self.program))
        for name in self.program.dims:
            passes = self.load("i64", "%dims", self.places[name])
            each_state = larger(self, self.new(f"mul i64 {each_state}, {passes}"), "1")
        total = self.new(f"mul i64 {self.n}, {each_state}")

        def worth(work: object) -> str:
            """How many threads have so much to do."""
            some = larger(self, self.new(f"udiv i64 {total}, {work}"), "1")
            fewer = self.new(f"call i64 @llvm.smin.i64(i64 {most}, i64 {some})")
            return self.new(f"select i1 {all_asked}, i64 {most}, i64 {fewer}")

        threads = worth(AWAKE_WORK)
        size = part_states(self, self.program, self.n, threads, each_state, PART_WORK)
        # less, where more threads are asked for than pay
        fair = round_up(self, states_per_thread(self, self.n, threads), 8 if self.program.dims else 64)
        size = larger(self, self.new(f"call i64 @llvm.smin.i64(i64 {size}, i64 {fair})"), "1")
        others = self.new(f"udiv i64 {self.new(f'sub i64 {self.n}, 1')}, {size}")  # apart from the caller's first one
        helpers, roused = (
            self.new(f"call i64 @llvm.smin.i64(i64 {self.new(f'sub i64 {x}, 1')}, i64 {others})")
            for x in (threads, worth(woken))
        )
        return size, helpers, roused

    def clear_counters(self, helpers: str) -> str:
        """How many ranges there are; the counters of their parts are set to 0."""
        ranges = self.new(f"add i64 {helpers}, 1")
        self.add("  br label %clear", "clear:", "  %cleared = phi i64 [ 0, %team ], [ %next, %clear ]")
        self.add("  %counter = getelementptr i64, ptr %taken, i64 %cleared", "  store i64 0, ptr %counter")
        self.add("  %next = add i64 %cleared, 1", f"  %more = icmp ult i64 %next, {ranges}")
        self.add("  br i1 %more, label %clear, label %ready", "ready:")
        return ranges

    def table(self, size: str, ranges: str) -> None:
        """The chunk table, of NumPy's arguments."""
        for word, x in {CHUNK_STATES: self.n, CHUNK_PART: size, CHUNK_RANGES: ranges, CHUNK_FAILED: "0"}.items():
            self.store("i64", x, "%table", word)
        self.store("ptr", "%data", "%table", CHUNK_HOST)
        self.store("ptr", "%taken", "%table", CHUNK_TAKEN)
        place = CHUNK_FIRST
        for array, kind, first, count in (
            ("%args", "ptr", 0, len(self.arguments)),
            ("%steps", "i64", 0, self.steps),
            ("%dims", "i64", 1, self.lengths),
        ):
            for k in range(count):
                self.store(kind, self.load(kind, array, first + k), "%table", place)
                place += 1
