"""The inner loop of a NumPy gufunc, around the blocks of a program.

    loop(args, dims, steps, data)   NumPy's protocol: allocates, then takes a stretch of states at a time through
      pack_k                        rows of input k → its slots, one state a lane
      block_k                       the program
      unpack_k                      slots → rows of output k

`steps` holds the byte step of every argument from state to state, then those of all core axes. `data` points to
the functions of the interpreter that are needed (`HOST`), so that the code has no external symbol. A tile that
reaches past the last state repeats that state in its spare lanes: the same numbers are stored twice, and no second,
scalar, copy of the program is needed.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import InputError
from ..trace import Argument
from .lines import Lines

ALIGNMENT = 64
"""Of the memory for slots, in bytes."""
HOST = ("PyMem_RawMalloc", "PyMem_RawFree", "PyGILState_Ensure", "PyErr_NoMemory", "PyGILState_Release")
"""The functions that `data` points to, in this order."""
AXES = 4
"""Core axes that an argument may have."""
UNROLLED = 16
"""Squares that are written out; more are a loop."""
PREFETCHED = 1024
"""Bytes of a row up to which the next stretch's rows are fetched ahead; the processor itself follows longer ones."""


@dataclass(frozen=True)
class Layout:
    """Sizes that the functions share: a value is `lanes` scalars, a tile `slots` values, a stretch `tiles` tiles."""

    dtype: str
    size: int
    lanes: int
    tiles: int
    slots: int

    @property
    def vector(self) -> str:
        """The type of a value."""
        return f"<{self.lanes} x {self.dtype}>"

    @property
    def value(self) -> int:
        """Bytes of a value."""
        return self.lanes * self.size

    @property
    def alignment(self) -> int:
        """Of a value in its slot."""
        return min(ALIGNMENT, self.value)


def emit(inputs: tuple[Argument, ...], outputs: tuple[Argument, ...], blocks: int, at: Layout) -> str:
    """The function `loop`; the slots of a tile begin with those of the inputs, then of the outputs."""
    arguments = inputs + outputs
    w, place, slot = Lines(), len(arguments), 0
    moves = [_strided("pack", at), _strided("unpack", at)]
    for k, a in enumerate(arguments):
        if len(a.shape) > AXES:
            raise InputError(f"{a.name} has {len(a.shape)} axes; a compiled function takes and returns at most {AXES}")
        if k == len(inputs):
            w.add(*(f"  call void @block_{b}(ptr %slots, i64 %tiles)" for b in range(blocks)))
        name = "pack" if k < len(inputs) else "unpack"
        base, step = w.load("ptr", "%args", k), w.load("i64", "%steps", k)
        here = w.new(f"getelementptr i8, ptr %slots, i64 {slot * at.value}")
        actual = [w.load("i64", "%steps", place + d) for d in range(len(a.shape))]
        axes = [("1", "0")] * (AXES - len(a.shape)) + list(zip(map(str, a.shape), actual, strict=True))
        numbers = [f"i64 {x}" for axis in axes for x in axis]
        dense = "true"
        for length, there, step_in_c in zip(a.shape, actual, core_steps(a, at.size), strict=True):
            if length > 1:
                dense = w.new(f"and i1 {dense}, {w.new(f'icmp eq i64 {there}, {step_in_c}')}")
        rows = f"ptr {here}, i64 %tiles, ptr {base}, i64 {step}, i64 %first, i64 %last"
        w.add(f"  br i1 {dense}, label %dense.{k}, label %strided.{k}", f"dense.{k}:")
        w.add(f"  call void @{name}_{k}({rows})", f"  br label %moved.{k}", f"strided.{k}:")
        w.add(f"  call void @{name}({', '.join([rows, *numbers])})", f"  br label %moved.{k}", f"moved.{k}:")
        moves.append(_dense(name, k, a.size, at))
        place, slot = place + len(a.shape), slot + a.size
    loop = _LOOP.format(
        lanes=at.lanes,
        pad=at.lanes - 1,
        stretch=at.lanes * at.tiles,
        most=at.tiles,
        tile=at.slots * at.value,
        alignment=ALIGNMENT,
        body=w.text(),
        end=f"moved.{len(arguments) - 1}",
    )
    return "\n".join([loop, *moves])


def core_steps(argument: Argument, size: int) -> list[int]:
    """The byte steps of an argument's core axes in C order."""
    steps: list[int] = []
    step = size
    for length in reversed(argument.shape):
        steps.insert(0, step)
        step *= length
    return steps


def _over_tiles(name: str, axes: str, work: str, at: Layout) -> str:
    """A function that does `work` for every tile, with the address of each lane's row in `%at.lane`."""
    w = Lines("row")
    for lane in range(at.lanes):  # past the last state, that state again
        full = w.new(f"add i64 %row, {lane}")
        row = w.new(f"call i64 @llvm.smin.i64(i64 {full}, i64 %last)")
        offset = w.new(f"mul i64 {row}, %step")
        w.add(f"  %at.{lane} = getelementptr i8, ptr %base, i64 {offset}")
    texts = {"name": name, "axes": axes, "rows": w.text(), "work": work}
    return _TILES.format(lanes=at.lanes, stretch=at.lanes * at.tiles, tile=at.slots * at.value, **texts)


def _elements(w: Lines, at: Layout, offset: str) -> list[str]:
    """The address in each lane's row at a byte offset."""
    return [w.new(f"getelementptr i8, ptr %at.{lane}, i64 {offset}") for lane in range(at.lanes)]


def _single(w: Lines, name: str, at: Layout, slot: str, offset: str) -> None:
    """Move one entry of every lane's row."""
    elements, aligned = _elements(w, at, offset), f"align {at.alignment}"
    if name == "pack":
        x = "poison"
        for lane, y in enumerate(elements):
            x = w.new(f"insertelement {at.vector} {x}, {at.dtype} {w.new(f'load {at.dtype}, ptr {y}')}, i64 {lane}")
        w.add(f"  store {at.vector} {x}, ptr {slot}, {aligned}")
    else:
        x = w.new(f"load {at.vector}, ptr {slot}, {aligned}")
        for lane, y in enumerate(elements):
            w.add(f"  store {at.dtype} {w.new(f'extractelement {at.vector} {x}, i64 {lane}')}, ptr {y}")


def _square(w: Lines, name: str, at: Layout, slot: str, offset: str) -> None:
    """Move `lanes` entries of every lane's row, exchanging rows and columns in registers."""
    slots = [w.new(f"getelementptr i8, ptr {slot}, i64 {k * at.value}") for k in range(at.lanes)]
    elements = _elements(w, at, offset)
    here, there = f"align {at.alignment}", f"align {at.size}"
    source, target = ((elements, there), (slots, here)) if name == "pack" else ((slots, here), (elements, there))
    square = [w.new(f"load {at.vector}, ptr {x}, {source[1]}") for x in source[0]]
    distance = 1
    while distance < at.lanes:  # swap the off-diagonal blocks of 1, 2, 4 … entries
        swapped = list(square)
        for r in range(at.lanes):
            if not r & distance:
                pair = f"{at.vector} {square[r]}, {at.vector} {square[r + distance]}"
                for row, shift in ((r, 0), (r + distance, distance)):
                    # entry j of the pair's first vector, or of its second, whose entries count from `lanes`
                    picks = [j + shift + (at.lanes - distance if j & distance else 0) for j in range(at.lanes)]
                    mask = ", ".join(f"i32 {k}" for k in picks)
                    swapped[row] = w.new(f"shufflevector {pair}, <{at.lanes} x i32> <{mask}>")
        square, distance = swapped, 2 * distance
    for x, y in zip(square, target[0], strict=True):
        w.add(f"  store {at.vector} {x}, ptr {y}, {target[1]}")


def _dense(name: str, k: int, entries: int, at: Layout) -> str:
    """`pack_k` or `unpack_k`: rows of contiguous entries. The last square overlaps the one before it."""
    w = Lines("m")
    if entries * at.size <= PREFETCHED:  # the same rows of the next stretch: they arrive while this one is computed
        for lane in range(at.lanes):
            for byte in range(0, entries * at.size, 64):
                there = w.new(f"add i64 %stretch, {byte}")
                address = w.new(f"getelementptr i8, ptr %at.{lane}, i64 {there}")
                w.add(f"  call void @llvm.prefetch.p0(ptr {address}, i32 {int(name == 'unpack')}, i32 2, i32 1)")
    if entries < at.lanes:
        for e in range(entries):
            slot = w.new(f"getelementptr i8, ptr %t.slots, i64 {e * at.value}")
            _single(w, name, at, slot, str(e * at.size))
    elif entries <= UNROLLED * at.lanes:
        for e in range(0, entries, at.lanes):
            begin = min(e, entries - at.lanes)
            slot = w.new(f"getelementptr i8, ptr %t.slots, i64 {begin * at.value}")
            _square(w, name, at, slot, str(begin * at.size))
    else:
        w.add("  br label %square", "square:", "  %e = phi i64 [ 0, %tile ], [ %e.next, %square ]")
        begin_at = w.new(f"call i64 @llvm.smin.i64(i64 %e, i64 {entries - at.lanes})")
        offset = w.new(f"mul i64 {begin_at}, {at.size}")
        slot = w.new(f"getelementptr {at.vector}, ptr %t.slots, i64 {begin_at}")
        _square(w, name, at, slot, offset)
        w.add(f"  %e.next = add i64 %e, {at.lanes}", f"  %e.more = icmp slt i64 %e.next, {entries}")
        w.add("  br i1 %e.more, label %square, label %squares.end", "squares.end:")
    return _over_tiles(f"{name}_{k}", "", w.text(), at)


def _strided(name: str, at: Layout) -> str:
    """`pack` or `unpack`: rows with any lengths and byte steps of the core axes."""
    w = Lines("m")
    _single(w, name, at, "%slot", "%offset")
    axes = "".join(f", i64 %n{d}, i64 %s{d}" for d in range(AXES))
    return _over_tiles(name, axes, _over_axes(w.text(), at), at)


def _over_axes(work: str, at: Layout, d: int = 0) -> str:
    """Loops over the core axes from d on, with `work` on one entry inside: `%slot`, at `%offset` in every row."""
    innermost = d == AXES - 1
    name = "" if innermost else str(d)
    before, offset, slot = (f"axis{d - 1}", f"%offset{d - 1}", f"%slot{d - 1}") if d else ("tile", "0", "%t.slots")
    latch = f"axis{d}" if innermost else f"axis{d + 1}.end"
    w = Lines()
    w.add(f"  br label %axis{d}", f"axis{d}:")
    w.add(f"  %i{d} = phi i64 [ 0, %{before} ], [ %i{d}.next, %{latch} ]")
    w.add(f"  %offset{name} = phi i64 [ {offset}, %{before} ], [ %offset{name}.next, %{latch} ]")
    w.add(f"  %slot{name} = phi ptr [ {slot}, %{before} ], [ %slot.next, %{latch} ]")
    if innermost:
        w.add(work, f"  %slot.next = getelementptr i8, ptr %slot, i64 {at.value}")
    else:
        w.add(_over_axes(work, at, d + 1))
    w.add(f"  %offset{name}.next = add i64 %offset{name}, %s{d}", f"  %i{d}.next = add i64 %i{d}, 1")
    w.add(f"  %more{d} = icmp slt i64 %i{d}.next, %n{d}")
    w.add(f"  br i1 %more{d}, label %axis{d}, label %axis{d}.end", f"axis{d}.end:")
    return w.text()


_LOOP = """
define void @loop(ptr %args, ptr %dims, ptr %steps, ptr %data) {{
entry:
  %n = load i64, ptr %dims
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %allocate, label %done
allocate:
  %last = sub i64 %n, 1
  %filled = add i64 %n, {pad}
  %all = udiv i64 %filled, {lanes}
  %at.once = call i64 @llvm.smin.i64(i64 %all, i64 {most})
  %bytes = mul i64 %at.once, {tile}
  %padded = add i64 %bytes, {alignment}
  %malloc = load ptr, ptr %data
  %memory = call ptr %malloc(i64 %padded)
  %failed = icmp eq ptr %memory, null
  br i1 %failed, label %exhausted, label %align
align:
  %address = ptrtoint ptr %memory to i64
  %raised = add i64 %address, {alignment}
  %rounded = and i64 %raised, -{alignment}
  %slots = inttoptr i64 %rounded to ptr
  br label %stretch
stretch:
  %first = phi i64 [ 0, %align ], [ %next, %{end} ]
  %left = sub i64 %n, %first
  %states = call i64 @llvm.smin.i64(i64 %left, i64 {stretch})
  %states.filled = add i64 %states, {pad}
  %tiles = udiv i64 %states.filled, {lanes}
{body}
  %next = add i64 %first, {stretch}
  %more = icmp slt i64 %next, %n
  br i1 %more, label %stretch, label %release
release:
  %free.at = getelementptr ptr, ptr %data, i64 1
  %free = load ptr, ptr %free.at
  call void %free(ptr %memory)
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
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
"""

_TILES = """
define internal void @{name}(ptr %slots, i64 %tiles, ptr noalias %base, i64 %step, i64 %first, i64 %last{axes}) {{
entry:
  %stretch = mul i64 %step, {stretch}
  br label %tile
tile:
  %t = phi i64 [ 0, %entry ], [ %t.next, %tile.end ]
  %t.bytes = mul i64 %t, {tile}
  %t.slots = getelementptr i8, ptr %slots, i64 %t.bytes
  %t.rows = mul i64 %t, {lanes}
  %row = add i64 %first, %t.rows
{rows}
{work}
  br label %tile.end
tile.end:
  %t.next = add i64 %t, 1
  %more = icmp slt i64 %t.next, %tiles
  br i1 %more, label %tile, label %done
done:
  ret void
}}
"""
