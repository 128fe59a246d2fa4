"""The inner loop of a NumPy gufunc, around the blocks of a program.

    loop(args, dims, steps, data)    NumPy's protocol: allocates scratch and, if an argument's core axes are not in C
                                     order, copies a stretch of its rows to a buffer and back
      run(args, steps, n, scratch)   takes n contiguous rows through all blocks, a stretch at a time

`steps` holds the byte step of every argument from state to state, then those of all core axes. `data` points to
the functions of the interpreter that are needed (`HOST`), so that the code has no external symbol.
"""

from __future__ import annotations

from ..errors import InputError
from ..trace import Argument
from .lines import Lines

ALIGNMENT = 64
"""Of scratch memory, in bytes."""
HOST = ("PyMem_RawMalloc", "PyMem_RawFree", "PyGILState_Ensure", "PyErr_NoMemory", "PyGILState_Release")
"""The functions that `data` points to, in this order."""
AXES = 3
"""Core axes that an argument may have."""


def emit(
    inputs: tuple[Argument, ...], outputs: tuple[Argument, ...], dtype: str, size: int, blocks: int, lanes: int,
    tiles: int, scratch: int,
) -> str:  # fmt: skip
    """The functions `run` and `loop`.

    A scalar has `size` bytes; a stretch is `tiles` tiles of `lanes` states and needs `scratch` bytes in the blocks.
    """
    arguments = inputs + outputs
    for a in arguments:
        if len(a.shape) > AXES:
            raise InputError(f"{a.name} has {len(a.shape)} axes; a compiled function takes and returns at most {AXES}")
    stretch = lanes * tiles
    buffers, end = [], scratch
    for a in arguments:
        buffers.append(end)
        end += -(-stretch * a.size * size // ALIGNMENT) * ALIGNMENT
    count = len(arguments)
    calls = "\n".join(
        f"  call void @block_{k}(ptr %args, ptr %steps, i64 %first, i64 %tiles, i64 %last, ptr %scratch)"
        for k in range(blocks)
    )
    return "\n".join(
        [
            _RUN.format(stretch=stretch, pad=lanes - 1, lanes=lanes, calls=calls),
            _LOOP.format(
                count=count, scratch=scratch, all=end, padding=ALIGNMENT, round=ALIGNMENT - 1, stretch=stretch
            ),
            _regular(arguments, size),
            _buffers(arguments, buffers, size),
            _transfer("pack", arguments, range(len(inputs)), size),
            _transfer("unpack", arguments, range(len(inputs), count), size),
            _COPY.format(dtype=dtype),
        ]
    )


def core_steps(argument: Argument, size: int) -> list[int]:
    """The byte steps of an argument's core axes in C order."""
    steps: list[int] = []
    step = size
    for length in reversed(argument.shape):
        steps.insert(0, step)
        step *= length
    return steps


def _places(arguments: tuple[Argument, ...]) -> list[int]:
    """Where in `steps` those of each argument's core axes begin."""
    places, place = [], len(arguments)
    for a in arguments:
        places.append(place)
        place += len(a.shape)
    return places


def _regular(arguments: tuple[Argument, ...], size: int) -> str:
    """Whether every core axis has the step of C order; axes of length 1 may have any."""
    w = Lines()
    w.add("define internal i1 @regular(ptr %steps) {")
    verdict = "true"
    for a, place in zip(arguments, _places(arguments), strict=True):
        for d, step in enumerate(core_steps(a, size)):
            if a.shape[d] > 1:
                same = w.new(f"icmp eq i64 {w.load('i64', '%steps', place + d)}, {step}")
                verdict = w.new(f"and i1 {verdict}, {same}")
    w.add(f"  ret i1 {verdict}", "}")
    return w.text()


def _buffers(arguments: tuple[Argument, ...], offsets: list[int], size: int) -> str:
    """Arguments and steps of the contiguous buffers behind the scratch memory."""
    w = Lines()
    w.add("define internal void @buffers(ptr %memory, ptr %args, ptr %steps) {")
    for k, (a, offset) in enumerate(zip(arguments, offsets, strict=True)):
        w.store("ptr", w.new(f"getelementptr i8, ptr %memory, i64 {offset}"), "%args", k)
        w.store("i64", str(a.size * size), "%steps", k)
    w.add("  ret void", "}")
    return w.text()


def _transfer(name: str, arguments: tuple[Argument, ...], which: range, size: int) -> str:
    """Copies rows of some arguments into their buffers (`pack`) or out of them (`unpack`)."""
    w = Lines()
    w.add(f"define internal void @{name}(ptr %args, ptr %steps, i64 %first, i64 %rows, ptr %buffers) {{")
    places = _places(arguments)
    for k in which:
        a = arguments[k]
        if not a.size:
            continue
        step = w.load("i64", "%steps", k)
        offset = w.new(f"mul i64 %first, {step}")
        outside = w.new(f"getelementptr i8, ptr {w.load('ptr', '%args', k)}, i64 {offset}")
        inside = w.load("ptr", "%buffers", k)
        axes = [("%rows", step, str(a.size * size))]
        for d, own in enumerate(core_steps(a, size)):
            axes.append((str(a.shape[d]), w.load("i64", "%steps", places[k] + d), str(own)))
        axes += [("1", "0", "0")] * (AXES + 1 - len(axes))
        if name == "pack":
            numbers = [f"i64 {x}" for length, there, here in axes for x in (length, here, there)]
            w.add(f"  call void @copy(ptr {inside}, ptr {outside}, {', '.join(numbers)})")
        else:
            numbers = [f"i64 {x}" for length, there, here in axes for x in (length, there, here)]
            w.add(f"  call void @copy(ptr {outside}, ptr {inside}, {', '.join(numbers)})")
    w.add("  ret void", "}")
    return w.text()


_RUN = """
define internal void @run(ptr %args, ptr %steps, i64 %n, ptr %scratch) {{
entry:
  %last = sub i64 %n, 1
  br label %stretch
stretch:
  %first = phi i64 [ 0, %entry ], [ %next, %stretch ]
  %left = sub i64 %n, %first
  %states = call i64 @llvm.smin.i64(i64 %left, i64 {stretch})
  %padded = add i64 %states, {pad}
  %tiles = udiv i64 %padded, {lanes}
{calls}
  %next = add i64 %first, {stretch}
  %more = icmp slt i64 %next, %n
  br i1 %more, label %stretch, label %done
done:
  ret void
}}
"""

_LOOP = """
define void @loop(ptr %args, ptr %dims, ptr %steps, ptr %data) {{
entry:
  %own.args = alloca [{count} x ptr]
  %own.steps = alloca [{count} x i64]
  %n = load i64, ptr %dims
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %size, label %done
size:
  %regular = call i1 @regular(ptr %steps)
  %bytes = select i1 %regular, i64 {scratch}, i64 {all}
  %needed = icmp ne i64 %bytes, 0
  br i1 %needed, label %allocate, label %choose
allocate:
  %malloc = load ptr, ptr %data
  %padded = add i64 %bytes, {padding}
  %memory = call ptr %malloc(i64 %padded)
  %failed = icmp eq ptr %memory, null
  br i1 %failed, label %exhausted, label %align
align:
  %raised = getelementptr i8, ptr %memory, i64 {round}
  %address = ptrtoint ptr %raised to i64
  %rounded = and i64 %address, -{padding}
  %aligned = inttoptr i64 %rounded to ptr
  br label %choose
choose:
  %owned = phi ptr [ null, %size ], [ %memory, %align ]
  %scratch = phi ptr [ null, %size ], [ %aligned, %align ]
  br i1 %regular, label %direct, label %strided
direct:
  call void @run(ptr %args, ptr %steps, i64 %n, ptr %scratch)
  br label %release
strided:
  call void @buffers(ptr %scratch, ptr %own.args, ptr %own.steps)
  br label %part
part:
  %first = phi i64 [ 0, %strided ], [ %next, %part ]
  %left = sub i64 %n, %first
  %rows = call i64 @llvm.smin.i64(i64 %left, i64 {stretch})
  call void @pack(ptr %args, ptr %steps, i64 %first, i64 %rows, ptr %own.args)
  call void @run(ptr %own.args, ptr %own.steps, i64 %rows, ptr %scratch)
  call void @unpack(ptr %args, ptr %steps, i64 %first, i64 %rows, ptr %own.args)
  %next = add i64 %first, {stretch}
  %more = icmp slt i64 %next, %n
  br i1 %more, label %part, label %release
release:
  %free.at = getelementptr ptr, ptr %data, i64 1
  %free = load ptr, ptr %free.at
  call void %free(ptr %owned)
  br label %done
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
"""

# Length, step of the target and step of the source for the rows and for each core axis, all lengths positive.
_COPY = """
define internal void @copy(ptr %to, ptr %from, i64 %n0, i64 %t0, i64 %f0, i64 %n1, i64 %t1, i64 %f1,
                           i64 %n2, i64 %t2, i64 %f2, i64 %n3, i64 %t3, i64 %f3) {{
entry:
  br label %axis0
axis0:
  %i0 = phi i64 [ 0, %entry ], [ %j0, %next0 ]
  %to0 = phi ptr [ %to, %entry ], [ %to0n, %next0 ]
  %from0 = phi ptr [ %from, %entry ], [ %from0n, %next0 ]
  br label %axis1
axis1:
  %i1 = phi i64 [ 0, %axis0 ], [ %j1, %next1 ]
  %to1 = phi ptr [ %to0, %axis0 ], [ %to1n, %next1 ]
  %from1 = phi ptr [ %from0, %axis0 ], [ %from1n, %next1 ]
  br label %axis2
axis2:
  %i2 = phi i64 [ 0, %axis1 ], [ %j2, %next2 ]
  %to2 = phi ptr [ %to1, %axis1 ], [ %to2n, %next2 ]
  %from2 = phi ptr [ %from1, %axis1 ], [ %from2n, %next2 ]
  br label %axis3
axis3:
  %i3 = phi i64 [ 0, %axis2 ], [ %j3, %axis3 ]
  %to3 = phi ptr [ %to2, %axis2 ], [ %to3n, %axis3 ]
  %from3 = phi ptr [ %from2, %axis2 ], [ %from3n, %axis3 ]
  %x = load {dtype}, ptr %from3
  store {dtype} %x, ptr %to3
  %j3 = add i64 %i3, 1
  %to3n = getelementptr i8, ptr %to3, i64 %t3
  %from3n = getelementptr i8, ptr %from3, i64 %f3
  %more3 = icmp slt i64 %j3, %n3
  br i1 %more3, label %axis3, label %next2
next2:
  %j2 = add i64 %i2, 1
  %to2n = getelementptr i8, ptr %to2, i64 %t2
  %from2n = getelementptr i8, ptr %from2, i64 %f2
  %more2 = icmp slt i64 %j2, %n2
  br i1 %more2, label %axis2, label %next1
next1:
  %j1 = add i64 %i1, 1
  %to1n = getelementptr i8, ptr %to1, i64 %t1
  %from1n = getelementptr i8, ptr %from1, i64 %f1
  %more1 = icmp slt i64 %j1, %n1
  br i1 %more1, label %axis1, label %next0
next0:
  %j0 = add i64 %i0, 1
  %to0n = getelementptr i8, ptr %to0, i64 %t0
  %from0n = getelementptr i8, ptr %from0, i64 %f0
  %more0 = icmp slt i64 %j0, %n0
  br i1 %more0, label %axis0, label %done
done:
  ret void
}}
"""
