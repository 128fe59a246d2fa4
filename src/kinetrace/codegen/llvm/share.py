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
and has the team of the process (`workers`) run `share`. So such a call costs what NumPy's costs, and one wake-up.
"""

from __future__ import annotations

from ...trace import Program
from .lines import FunctionText
from .loop import EXHAUSTED
from .objects import HOST_FUNCTIONS
from .workers import MOST

STATES, PART, RANGES, TAKEN, HOST, FAILED, FIRST = range(7)

GATHER, THREADS, LEAST = (len(HOST_FUNCTIONS) + k for k in range(3))
"""Behind the functions of the host, in the data of `together`: the function that gathers workers, how many threads
there may be, and the operations that each must have for which a worker is woken; 0 if there shall be as many, whatever
it costs."""
MOVED = 10
"""How many operations take as long as the way of one entry of an argument or a result."""
PARALLEL_FROM = 1 << 20
"""Operations in a call above which threads are worth a look: a worker that is awake takes part at once."""
AWAKE_WORK, PARKED_WORK, RARE_WORK = 1 << 19, 1 << 21, 1 << 23
"""Operations that each thread must have, if nobody is woken for it, and if somebody is: amid other calls, after which
workers and cores are awake soon, and in a call after a pause. To wake a thread takes 2 µs on a core that has just
become idle, 20 to 50 µs on one that the system has put to sleep, and 3 to 8 µs of the caller itself."""
PART_WORK, MOST_PARTS = 1 << 18, 16
"""Operations that a thread takes at a time, at least: cores are seldom equally free; and how many such parts each."""
STRIP = 32
"""States that loops of compiled code take at a time, where there are as many."""


def cost(program: Program) -> int:
    """Operations for one state, in loops whose length is not known for one pass, as its time goes."""
    return max(1, program.work + MOVED * sum(a.size for a in program.inputs + program.outputs))


def emit(program: Program) -> str:
    """The function `share`, to stand in one module with `states`."""
    arguments, axes = len(program.inputs + program.outputs), _axes(program)
    lengths = len(set(axes)) if program.dims else 0
    w = FunctionText("p")
    w.add("define internal void @share(ptr %task, i64 %me) {", "entry:", f"  %args = alloca [{arguments} x ptr]")
    w.add(f"  %count = alloca [{1 + lengths} x i64]")
    n, part, ranges = (w.load("i64", "%task", k) for k in (STATES, PART, RANGES))
    host, taken = w.load("ptr", "%task", HOST), w.load("ptr", "%task", TAKEN)
    steps = w.new(f"getelementptr i64, ptr %task, i64 {FIRST + arguments}")
    filled = w.new(f"add i64 {n}, {w.new(f'sub i64 {part}, 1')}")
    parts = w.new(f"udiv i64 {filled}, {part}")
    for k in range(lengths):
        w.store("i64", w.load("i64", "%task", FIRST + 2 * arguments + len(axes) + k), "%count", 1 + k)
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
        w.store("ptr", w.new(f"getelementptr i8, ptr {w.load('ptr', '%task', FIRST + k)}, i64 {gone}"), "%args", k)
    left = w.new(f"sub i64 {n}, %begin")
    w.add(f"  store i64 {w.new(f'call i64 @llvm.smin.i64(i64 {left}, i64 {part})')}, ptr %count")
    w.add(f"  %fine = call i1 @states(ptr %args, ptr %count, ptr {steps}, ptr {host}, i64 {n})")
    w.add("  br i1 %fine, label %next, label %failed", "failed:")
    w.store("i64", "1", "%task", FAILED)
    w.add("  br label %done", "done:", "  ret void", "}")
    return w.text()


def part(w: FunctionText, program: Program, states: str, threads: str, work: str, least: int) -> str:
    """Emit how many states a thread takes at a time: whole strips, mostly, of at least so many operations."""
    even = w.new(f"udiv i64 {states}, {w.new(f'mul i64 {threads}, {MOST_PARTS}')}")
    some = largest(w, largest(w, even, w.new(f"udiv i64 {least}, {work}")), "1")
    if not program.dims:
        return rounded(w, some, 64)
    many = w.new(f"icmp uge i64 {states}, {w.new(f'mul i64 {threads}, {2 * STRIP}')}")
    few = largest(w, some, each(w, states, threads))  # short strips are slow, and a rest would be waited for
    return w.new(f"select i1 {many}, i64 {rounded(w, some, STRIP)}, i64 {rounded(w, few, 8)}")


def each(w: FunctionText, states: str, threads: str) -> str:
    """Emit how many states each thread has, if all have as many."""
    rest = w.new(f"sub i64 {threads}, 1")
    return w.new(f"udiv i64 {w.new(f'add i64 {states}, {rest}')}, {threads}")


def largest(w: FunctionText, a: str, b: str) -> str:
    """Emit the larger of two numbers."""
    return w.new(f"select i1 {w.new(f'icmp ugt i64 {a}, {b}')}, i64 {a}, i64 {b}")


def rounded(w: FunctionText, x: str, to: int) -> str:
    """Emit the next multiple of a power of two."""
    return w.new(f"and i64 {w.new(f'add i64 {x}, {to - 1}')}, {-to}")


def _axes(program: Program) -> list[str]:
    """The core axes of all arguments."""
    return [str(x) for a in program.inputs + program.outputs for x in a.shape]


def emit_together(program: Program) -> str:
    """The function `together`, to stand in one module with `states` and `share`."""
    w, arguments, axes = FunctionText("g"), program.inputs + program.outputs, _axes(program)
    places = {axis: k for k, axis in enumerate(dict.fromkeys(axes), 1)}
    steps, lengths = len(arguments) + len(axes), len(places) if program.dims else 0
    w.add("define void @together(ptr %args, ptr %dims, ptr %steps, ptr %data) {", "entry:")
    w.add(
        f"  %table = alloca [{FIRST + len(arguments) + steps + lengths} x i64]", f"  %taken = alloca [{MOST + 1} x i64]"
    )
    n, given, least = w.load("i64", "%dims", 0), w.load("i64", "%data", THREADS), w.load("i64", "%data", LEAST)
    most = w.new(f"call i64 @llvm.smin.i64(i64 {given}, i64 {MOST + 1})")
    all_asked = w.new(f"icmp eq i64 {least}, 0")
    woken = largest(w, least, "1")
    each_state = str(cost(program))
    for name in program.dims:
        each_state = largest(w, w.new(f"mul i64 {each_state}, {w.load('i64', '%dims', places[name])}"), "1")
    total = w.new(f"mul i64 {n}, {each_state}")

    def worth(work: object) -> str:
        """How many threads have so much to do."""
        some = largest(w, w.new(f"udiv i64 {total}, {work}"), "1")
        fewer = w.new(f"call i64 @llvm.smin.i64(i64 {most}, i64 {some})")
        return w.new(f"select i1 {all_asked}, i64 {most}, i64 {fewer}")

    threads = worth(AWAKE_WORK)
    size = part(w, program, n, threads, each_state, PART_WORK)
    fair = rounded(w, each(w, n, threads), 8 if program.dims else 64)  # less, where more threads are asked for than pay
    size = largest(w, w.new(f"call i64 @llvm.smin.i64(i64 {size}, i64 {fair})"), "1")
    others = w.new(f"udiv i64 {w.new(f'sub i64 {n}, 1')}, {size}")  # parts, apart from the caller's first one
    helpers, roused = (
        w.new(f"call i64 @llvm.smin.i64(i64 {w.new(f'sub i64 {x}, 1')}, i64 {others})") for x in (threads, worth(woken))
    )
    some = w.new(f"icmp sgt i64 {helpers}, 0")
    several = w.new(f"icmp sgt i64 {n}, 1")
    w.add(f"  br i1 {w.new(f'and i1 {some}, {several}')}, label %team, label %alone", "alone:")
    w.add(f"  %fine = call i1 @states(ptr %args, ptr %dims, ptr %steps, ptr %data, i64 {n})")
    w.add("  br i1 %fine, label %done, label %exhausted", "team:")
    ranges = w.new(f"add i64 {helpers}, 1")
    w.add("  br label %clear", "clear:", "  %cleared = phi i64 [ 0, %team ], [ %next, %clear ]")
    w.add("  %counter = getelementptr i64, ptr %taken, i64 %cleared", "  store i64 0, ptr %counter")
    w.add("  %next = add i64 %cleared, 1", f"  %more = icmp ult i64 %next, {ranges}")
    w.add("  br i1 %more, label %clear, label %ready", "ready:")
    for word, x in {STATES: n, PART: size, RANGES: ranges, FAILED: "0"}.items():
        w.store("i64", x, "%table", word)
    w.store("ptr", "%data", "%table", HOST)
    w.store("ptr", "%taken", "%table", TAKEN)
    for k in range(len(arguments)):
        w.store("ptr", w.load("ptr", "%args", k), "%table", FIRST + k)
    for k in range(steps):
        w.store("i64", w.load("i64", "%steps", k), "%table", FIRST + len(arguments) + k)
    for k in range(lengths):
        w.store("i64", w.load("i64", "%dims", 1 + k), "%table", FIRST + len(arguments) + steps + k)
    gather = w.load("ptr", "%data", GATHER)
    w.add(f"  %gathered = call i1 {gather}(ptr @share, ptr %table, i64 {helpers}, i64 {roused})")
    w.add("  br i1 %gathered, label %over, label %alone", "over:")
    lacking = w.new(f"icmp ne i64 {w.load('i64', '%table', FAILED)}, 0")
    w.add(f"  br i1 {lacking}, label %exhausted, label %done", EXHAUSTED, "}")
    return w.text()
