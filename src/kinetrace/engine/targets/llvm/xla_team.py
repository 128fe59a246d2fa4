"""Common parts of all handlers for XLA: offsets in its structures, and functions that gather a team.

Offsets are those of XLA's `xla/ffi/api/c_api.h` on machines of 64 bits; they are the same in all versions 0.x of it.
The functions of the host and that version come from outside, by a call of `prepare`: code on disk has no address in it.

The caller and those who come to help take parts of a chunk table (see `share`) until none is left. Whoever comes after
the caller has closed the team finds nothing to do, so the caller waits for those who are at work and for nobody else.
The table is kept in memory until the last of them has let go of it:

    helpers at work, and whether the team is closed; how many hold the table; a lock that the last helper opens;
    the parts taken; the chunk table
"""

from __future__ import annotations

from .function_text import host_array

XLA_HOST_FUNCTIONS = (
    *("PyMem_RawMalloc", "PyMem_RawFree", "PyThread_allocate_lock", "PyThread_acquire_lock"),
    *("PyThread_release_lock", "PyThread_free_lock"),
)
"""Functions whose addresses `prepare` is given; none of them needs Python's lock."""
XLA_VERSION = len(XLA_HOST_FUNCTIONS)
"""The place after them: XLA's version, the major number in the lower half."""
MALLOC, FREE_MEMORY, NEW_LOCK, LOCK, UNLOCK, FREE_LOCK = range(len(XLA_HOST_FUNCTIONS))

# XLA_FFI_CallFrame, XLA_FFI_Buffer, XLA_FFI_Metadata_Extension, XLA_FFI_Metadata, XLA_FFI_Api
EXTENSION, API, CONTEXT = 8, 16, 24
ARG_COUNT, ARGS, RET_COUNT, RETS = 56, 72, 96, 112
TYPE, DATA, RANK, DIMS = 16, 24, 32, 40
KIND, METADATA = 8, 24
VERSION_SIZE, VERSION_NEXT, VERSION, TRAITS = 8, 16, 24, 32
CREATE, DESTROY, SCHEDULE, THREADS = 48, 64, 136, 144
ASKS_FOR_METADATA, INVALID_ARGUMENT, RESOURCE_EXHAUSTED = 1, 3, 8
TYPES = {"float": (11, "float32"), "double": (12, "float64")}

TEAM_STATE, TEAM_HOLDERS, TEAM_GATE, TEAM_TAKEN, TEAM_TABLE = range(5)
TEAM_CLOSED = 1 << 32


def _block(words: int, of: str = "%ctx") -> str:
    """The lines that begin a block of arguments for a function of XLA: its size, no extension, and whose it is."""
    return f"""%args = alloca [{words} x i64]
  store i64 {8 * words}, ptr %args
  %next = getelementptr i64, ptr %args, i64 1
  store ptr null, ptr %next
  %of.at = getelementptr i64, ptr %args, i64 2
  store ptr {of}, ptr %of.at"""


_FRAME = f"""%ctx.from = getelementptr i8, ptr %frame, i64 {CONTEXT}
  %ctx = load ptr, ptr %ctx.from
  %api.at = getelementptr i8, ptr %frame, i64 {API}
  %api = load ptr, ptr %api.at"""

SHARED_FUNCTIONS = f"""{host_array(XLA_VERSION + 1)}\
define internal i64 @length(ptr %buffer, i32 %type, i64 %core, ptr %batch, i64 %axes) {{
; states of an array with these batch axes, or none; -1 if it has others, fewer core axes, or other numbers
entry:
  %type.at = getelementptr i8, ptr %buffer, i64 {TYPE}
  %own.type = load i32, ptr %type.at
  %typed = icmp eq i32 %own.type, %type
  %rank.at = getelementptr i8, ptr %buffer, i64 {RANK}
  %rank = load i64, ptr %rank.at
  %dims.at = getelementptr i8, ptr %buffer, i64 {DIMS}
  %dims = load ptr, ptr %dims.at
  %leading = sub i64 %rank, %core
  %none = icmp eq i64 %leading, 0
  %all = icmp eq i64 %leading, %axes
  %some = icmp sgt i64 %leading, 0
  %whole = and i1 %all, %some
  %ranked = or i1 %none, %whole
  %usable = and i1 %typed, %ranked
  br i1 %usable, label %next, label %unfit
next:
  %d = phi i64 [ 0, %entry ], [ %d1, %same ]
  %n = phi i64 [ 1, %entry ], [ %n1, %same ]
  %go = icmp slt i64 %d, %leading
  br i1 %go, label %more, label %done
more:
  %at = getelementptr i64, ptr %dims, i64 %d
  %own = load i64, ptr %at
  %wanted.at = getelementptr i64, ptr %batch, i64 %d
  %wanted = load i64, ptr %wanted.at
  %equal = icmp eq i64 %own, %wanted
  br i1 %equal, label %same, label %unfit
same:
  %n1 = mul i64 %n, %own
  %d1 = add i64 %d, 1
  br label %next
done:
  ret i64 %n
unfit:
  ret i64 -1
}}
define internal void @drop(ptr %team) {{ ; one holder less; the last one frees the memory
entry:
  %holders = getelementptr i64, ptr %team, i64 {TEAM_HOLDERS}
  %before = atomicrmw sub ptr %holders, i64 1 seq_cst
  %last = icmp eq i64 %before, 1
  br i1 %last, label %free, label %done
free:
  %gate.at = getelementptr i64, ptr %team, i64 {TEAM_GATE}
  %gate = load ptr, ptr %gate.at
  %free.lock.at = getelementptr i64, ptr @host, i64 {FREE_LOCK}
  %free.lock = load ptr, ptr %free.lock.at
  call void %free.lock(ptr %gate)
  %free.at = getelementptr i64, ptr @host, i64 {FREE_MEMORY}
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
  %open = icmp slt i64 %seen, {TEAM_CLOSED}
  br i1 %open, label %enter, label %done
enter:
  %one.more = add i64 %seen, 1
  %pair = cmpxchg ptr %team, i64 %seen, i64 %one.more seq_cst seq_cst
  %entered = extractvalue {{ i64, i1 }} %pair, 1
  br i1 %entered, label %work, label %look
work:
  %table = getelementptr i64, ptr %team, i64 {TEAM_TABLE}
  call void @share(ptr %table, i64 0)
  %before = atomicrmw sub ptr %team, i64 1 seq_cst
  %last = icmp eq i64 %before, {TEAM_CLOSED + 1}
  br i1 %last, label %tell, label %done
tell:
  %gate.at = getelementptr i64, ptr %team, i64 {TEAM_GATE}
  %gate = load ptr, ptr %gate.at
  %unlock.at = getelementptr i64, ptr @host, i64 {UNLOCK}
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
  {_block(3, "%error")}
  %destroy.at = getelementptr i8, ptr %api, i64 {DESTROY}
  %function = load ptr, ptr %destroy.at
  call void %function(ptr %args)
  br label %done
done:
  ret i1 %some
}}
define internal i64 @threads(ptr %frame) {{ ; of the pool, at least 1
entry:
  {_FRAME}
  {_block(4)}
  %count = alloca i64
  store i64 1, ptr %count
  %count.at = getelementptr i64, ptr %args, i64 3
  store ptr %count, ptr %count.at
  %function.at = getelementptr i8, ptr %api, i64 {THREADS}
  %function = load ptr, ptr %function.at
  %error = call ptr %function(ptr %args)
  %none = call i1 @failed(ptr %api, ptr %error)
  %found = load i64, ptr %count
  %some = icmp sgt i64 %found, 0
  %lacking = xor i1 %some, true
  %alone = or i1 %none, %lacking
  %threads = select i1 %alone, i64 1, i64 %found
  ret i64 %threads
}}
define internal void @gather_team(ptr %frame, ptr %team, i64 %helpers) {{ ; and work with it
entry:
  {_FRAME}
  {_block(5)}
  %task.at = getelementptr i64, ptr %args, i64 3
  store ptr @help, ptr %task.at
  %team.at = getelementptr i64, ptr %args, i64 4
  store ptr %team, ptr %team.at
  %schedule.at = getelementptr i8, ptr %api, i64 {SCHEDULE}
  %schedule = load ptr, ptr %schedule.at
  %holders = getelementptr i64, ptr %team, i64 {TEAM_HOLDERS}
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
  %table = getelementptr i64, ptr %team, i64 {TEAM_TABLE}
  call void @share(ptr %table, i64 0)
  %inside = atomicrmw or ptr %team, i64 {TEAM_CLOSED} seq_cst
  %nobody = icmp eq i64 %inside, 0
  br i1 %nobody, label %done, label %wait
wait:
  %gate.at = getelementptr i64, ptr %team, i64 {TEAM_GATE}
  %gate = load ptr, ptr %gate.at
  %lock.at = getelementptr i64, ptr @host, i64 {LOCK}
  %lock = load ptr, ptr %lock.at
  %opened = call i32 %lock(ptr %gate, i32 1)
  br label %done
done:
  ret void
}}
"""
