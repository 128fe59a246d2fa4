"""A team of parked threads for the whole process: one module, without Python and its lock.

Each worker has a slot, one word of which says all that others may know of it:

    SLOT_FREE                      it looks for work
    SLOT_FREE + SLOT_ASLEEP        it is parked, and whoever claims it opens its first lock
    a job                          claimed by a caller, who may still revoke that
    a job + JOB_TAKEN              at work
      + JOB_AWAITED                and the caller is parked until it opens its second lock
    SLOT_DONE, also + SLOT_ASLEEP  over, until the caller frees the slot

A caller claims slots by exchanging SLOT_FREE for its job (`gather`), works too, and then revokes the job where nobody
has begun: so it waits for those who are at work and for nobody else, and the job may lie on its stack. Several callers
at once have different workers, or none: no more than there are beside the other callers, who are counted. All changes
of the word are atomic, and order what is read and written around them on every processor.

Workers look for work, and callers for the end of work, some time long before they are parked: back to back calls
find them awake, and whoever is idle takes no time of the processor. They call functions of Python that need neither its
lock nor a state of the interpreter, so they may stay parked when it ends. After a fork, `forget` lets a child begin
anew.
"""

from __future__ import annotations

from ...plan.memory import MOST_WORKERS
from .function_text import host_array

THREAD_FUNCTIONS = (
    *("PyThread_allocate_lock", "PyThread_acquire_lock", "PyThread_release_lock", "PyThread_start_new_thread"),
    "PyThread_free_lock",
)
"""Functions whose addresses `prepare` is given (`function_text`)."""
ROUNDS_WORD = len(THREAD_FUNCTIONS)
"""The place after them: how often a thread looks before it is parked."""
NEW_LOCK, LOCK, UNLOCK, START, FREE_LOCK = range(len(THREAD_FUNCTIONS))
TEAM_SYMBOLS = ("prepare", "hire", "gather", "forget", "look")
SLOT_WORDS = 16
"""Of a slot: two lines of most caches, so that neighbours do not share one."""
SLOT_FREE, SLOT_ASLEEP, SLOT_DONE = 0, 1, 2
JOB_TAKEN, JOB_AWAITED = 1, 2
"""Added to the address of a job, which is a multiple of 16."""
STATE_WORD, WAKE_WORD, OVER_WORD = range(3)
CALLER_LOOKS_SHORTER = 10
"""Of what a worker waits for work, the part that a caller waits for a worker, which may need the caller's core."""

_X86 = "declare void @llvm.x86.sse2.pause()", "call void @llvm.x86.sse2.pause()"
_ARM = "declare void @llvm.aarch64.isb(i32)", "call void @llvm.aarch64.isb(i32 15)"
_PAUSE = {"x86_64": _X86, "amd64": _X86, "aarch64": _ARM, "arm64": _ARM}
"""Processor → what a thread does that waits for another: it leaves the core's units to others for a moment."""


def emit(triple: str) -> str:
    """The module, for a machine of this kind."""
    declared, pause = _PAUSE.get(triple.partition("-")[0], ("", "fence seq_cst"))
    return f"{declared}\n{_MODULE.replace('PAUSE', pause)}"


def _function(k: int, name: str) -> str:
    """The lines that load a function of the host."""
    return f"""%{name}.at = getelementptr i64, ptr @host, i64 {k}
  %{name} = load ptr, ptr %{name}.at"""


def _field(k: int, name: str) -> str:
    """The lines that load a lock of a slot."""
    return f"""%{name}.at = getelementptr i64, ptr %slot, i64 {k}
  %{name} = load ptr, ptr %{name}.at"""


_MODULE = f"""{host_array(ROUNDS_WORD + 1)}\
@slots = internal global [{MOST_WORKERS * SLOT_WORDS} x i64] zeroinitializer, align 128
@hired = internal global i64 0
@callers = internal global i64 0, align 128

define i64 @look(ptr %word, i64 %known, i64 %rounds) {{ ; until a word changes, so many rounds at most; what it is then
entry: ; not at all where callers have all cores: polling would occupy a core
  %hired = load atomic i64, ptr @hired monotonic, align 8
  br label %round
round:
  %k = phi i64 [ 0, %entry ], [ %k1, %round ]
  PAUSE
  %callers = load atomic i64, ptr @callers monotonic, align 8
  %room = icmp sle i64 %callers, %hired
  %seen = load atomic i64, ptr %word acquire, align 8
  %same = icmp eq i64 %seen, %known
  %k1 = add i64 %k, 1
  %left = icmp slt i64 %k1, %rounds
  %may = and i1 %left, %room
  %again = and i1 %same, %may
  br i1 %again, label %round, label %done
done:
  ret i64 %seen
}}

define internal void @work(ptr %slot) {{ ; what a worker does, for ever
entry:
  {_field(WAKE_WORD, "wake")}
  {_field(OVER_WORD, "over")}
  {_function(LOCK, "lock")}
  {_function(UNLOCK, "unlock")}
  %rounds.at = getelementptr i64, ptr @host, i64 {ROUNDS_WORD}
  %rounds = load i64, ptr %rounds.at
  %from = ptrtoint ptr @slots to i64
  %here = ptrtoint ptr %slot to i64
  %bytes = sub i64 %here, %from
  %before.me = udiv i64 %bytes, {8 * SLOT_WORDS}
  %me = add i64 %before.me, 1
  br label %idle
idle:
  %now = load atomic i64, ptr %slot acquire, align 8
  %offered = icmp ugt i64 %now, {SLOT_DONE + SLOT_ASLEEP}
  br i1 %offered, label %take, label %wait
wait:
  %later = call i64 @look(ptr %slot, i64 %now, i64 %rounds)
  %changed = icmp ne i64 %later, %now
  br i1 %changed, label %idle, label %park
park:
  %parked = or i64 %now, {SLOT_ASLEEP}
  %sleep = cmpxchg ptr %slot, i64 %now, i64 %parked seq_cst seq_cst
  %asleep = extractvalue {{ i64, i1 }} %sleep, 1
  br i1 %asleep, label %sleeping, label %idle
sleeping:
  %woken = call i32 %lock(ptr %wake, i32 1)
  br label %idle
take:
  %own = or i64 %now, {JOB_TAKEN}
  %try = cmpxchg ptr %slot, i64 %now, i64 %own seq_cst seq_cst
  %mine = extractvalue {{ i64, i1 }} %try, 1
  br i1 %mine, label %begin, label %idle
begin:
  %job = inttoptr i64 %now to ptr
  %share = load ptr, ptr %job
  %table.at = getelementptr i64, ptr %job, i64 1
  %table = load ptr, ptr %table.at
  call void %share(ptr %table, i64 %me)
  %before = atomicrmw xchg ptr %slot, i64 {SLOT_DONE} seq_cst
  %bit = and i64 %before, {JOB_AWAITED}
  %awaited = icmp ne i64 %bit, 0
  br i1 %awaited, label %tell, label %idle
tell:
  call void %unlock(ptr %over)
  br label %idle
}}

define i64 @hire(i64 %wanted) {{ ; until there are so many workers, or no more threads; how many there are
entry: ; by one thread at a time, under the lock of the compiler
  {_function(START, "start")}
  br label %next
next:
  %k = load i64, ptr @hired
  %more = icmp slt i64 %k, %wanted
  %room = icmp slt i64 %k, {MOST_WORKERS}
  %go = and i1 %more, %room
  br i1 %go, label %ready, label %done
ready:
  %place = mul i64 %k, {SLOT_WORDS}
  %slot = getelementptr i64, ptr @slots, i64 %place
  %wake.at = getelementptr i64, ptr %slot, i64 {WAKE_WORD}
  %over.at = getelementptr i64, ptr %slot, i64 {OVER_WORD}
  %wake = call ptr @closed()
  %over = call ptr @closed()
  store ptr %wake, ptr %wake.at
  store ptr %over, ptr %over.at
  %no.wake = icmp eq ptr %wake, null
  %no.over = icmp eq ptr %over, null
  %lacking = or i1 %no.wake, %no.over
  br i1 %lacking, label %refused, label %try
try:
  store atomic i64 {SLOT_FREE}, ptr %slot seq_cst, align 8
  %thread = call i64 %start(ptr @work, ptr %slot)
  %half = trunc i64 %thread to i32 ; a long of Windows has 32 bits
  %failed = icmp eq i32 %half, -1
  br i1 %failed, label %refused, label %hired
hired:
  %k1 = add i64 %k, 1
  store atomic i64 %k1, ptr @hired seq_cst, align 8
  br label %next
refused:
  call void @drop(ptr %wake)
  call void @drop(ptr %over)
  br label %done
done:
  ret i64 %k
}}

define internal ptr @closed() {{ ; a lock that is taken, or null
entry:
  {_function(NEW_LOCK, "new")}
  {_function(LOCK, "lock")}
  %made = call ptr %new()
  %none = icmp eq ptr %made, null
  br i1 %none, label %done, label %close
close:
  %taken = call i32 %lock(ptr %made, i32 1)
  br label %done
done:
  ret ptr %made
}}

define internal void @drop(ptr %lock) {{
entry:
  %none = icmp eq ptr %lock, null
  br i1 %none, label %done, label %free
free:
  {_function(UNLOCK, "unlock")}
  call void %unlock(ptr %lock)
  {_function(FREE_LOCK, "free.lock")}
  call void %free.lock(ptr %lock)
  br label %done
done:
  ret void
}}

define void @forget() {{ ; all workers: in the child of a fork there are none
entry:
  store atomic i64 0, ptr @hired seq_cst, align 8
  store atomic i64 0, ptr @callers seq_cst, align 8
  ret void
}}

define i1 @gather(ptr %share, ptr %table, i64 %helpers, i64 %roused) {{
; run share(table, 0) here, and share(table, k) by so many free workers, of those that other callers leave; parked ones
; are woken until there are so many; false, and nothing is run, if there is none
entry:
  %job = alloca [2 x i64], align 16
  %claimed = alloca [{MOST_WORKERS} x ptr]
  store ptr %share, ptr %job
  %table.at = getelementptr i64, ptr %job, i64 1
  store ptr %table, ptr %table.at
  %offer = ptrtoint ptr %job to i64
  {_function(LOCK, "lock")}
  {_function(UNLOCK, "unlock")}
  %hired = load atomic i64, ptr @hired acquire, align 8
  %rounds.at = getelementptr i64, ptr @host, i64 {ROUNDS_WORD}
  %rounds = load i64, ptr %rounds.at
  %short = udiv i64 %rounds, {CALLER_LOOKS_SHORTER}
  %others = atomicrmw add ptr @callers, i64 1 monotonic
  %cores = sub i64 %hired, %others
  %most.awake = call i64 @llvm.smin.i64(i64 %helpers, i64 %cores)
  %most.roused = call i64 @llvm.smin.i64(i64 %roused, i64 %cores)
  br label %pass
pass: ; first those who are awake
  %state = phi i64 [ {SLOT_FREE}, %entry ], [ {SLOT_FREE + SLOT_ASLEEP}, %passed ]
  %most = phi i64 [ %most.awake, %entry ], [ %most.roused, %passed ]
  %had = phi i64 [ 0, %entry ], [ %have, %passed ]
  br label %look
look:
  %k = phi i64 [ 0, %pass ], [ %k1, %looked ]
  %have = phi i64 [ %had, %pass ], [ %has, %looked ]
  %some = icmp slt i64 %k, %hired
  %wanting = icmp slt i64 %have, %most
  %on = and i1 %some, %wanting
  br i1 %on, label %try, label %passed
try:
  %place = mul i64 %k, {SLOT_WORDS}
  %slot = getelementptr i64, ptr @slots, i64 %place
  %now = load atomic i64, ptr %slot monotonic, align 8
  %fits = icmp eq i64 %now, %state
  br i1 %fits, label %claim, label %looked
claim:
  %pair = cmpxchg ptr %slot, i64 %state, i64 %offer seq_cst seq_cst
  %won = extractvalue {{ i64, i1 }} %pair, 1
  br i1 %won, label %note, label %looked
note:
  %note.at = getelementptr ptr, ptr %claimed, i64 %have
  store ptr %slot, ptr %note.at
  %have1 = add i64 %have, 1
  %parked = icmp eq i64 %state, {SLOT_FREE + SLOT_ASLEEP}
  br i1 %parked, label %rouse, label %looked
rouse:
  {_field(WAKE_WORD, "wake")}
  call void %unlock(ptr %wake)
  br label %looked
looked:
  %has = phi i64 [ %have, %try ], [ %have, %claim ], [ %have1, %note ], [ %have1, %rouse ]
  %k1 = add i64 %k, 1
  br label %look
passed:
  %second = icmp eq i64 %state, {SLOT_FREE}
  br i1 %second, label %pass, label %gathered
gathered: ; amid other callers the work is done here in any case, so that they know of it
  %several = icmp sgt i64 %have, 0
  %amid = icmp sgt i64 %others, 0
  %here = or i1 %several, %amid
  br i1 %here, label %work, label %none
none:
  %one.less = atomicrmw sub ptr @callers, i64 1 monotonic
  ret i1 false
work:
  call void %share(ptr %table, i64 0)
  %taken = or i64 %offer, {JOB_TAKEN}
  %awaited = or i64 %offer, {JOB_TAKEN + JOB_AWAITED}
  br label %collect
collect:
  %c = phi i64 [ 0, %work ], [ %c1, %collected ]
  %left = icmp slt i64 %c, %have
  br i1 %left, label %revoke, label %done
revoke:
  %mine.at = getelementptr ptr, ptr %claimed, i64 %c
  %mine = load ptr, ptr %mine.at
  %back = cmpxchg ptr %mine, i64 %offer, i64 {SLOT_FREE} seq_cst seq_cst
  %revoked = extractvalue {{ i64, i1 }} %back, 1
  br i1 %revoked, label %collected, label %begun
begun:
  %found = extractvalue {{ i64, i1 }} %back, 0
  %running = icmp eq i64 %found, %taken
  br i1 %running, label %await, label %over
await:
  %after = call i64 @look(ptr %mine, i64 %taken, i64 %short)
  %still = icmp eq i64 %after, %taken
  br i1 %still, label %park, label %over
park:
  %sign = cmpxchg ptr %mine, i64 %taken, i64 %awaited seq_cst seq_cst
  %signed = extractvalue {{ i64, i1 }} %sign, 1
  br i1 %signed, label %sleep, label %over
sleep:
  %over.at = getelementptr i64, ptr %mine, i64 {OVER_WORD}
  %over.lock = load ptr, ptr %over.at
  %opened = call i32 %lock(ptr %over.lock, i32 1)
  br label %over
over:
  %freed = atomicrmw and ptr %mine, i64 {SLOT_ASLEEP} seq_cst
  br label %collected
collected:
  %c1 = add i64 %c, 1
  br label %collect
done:
  %less = atomicrmw sub ptr @callers, i64 1 monotonic
  ret i1 true
}}
declare i64 @llvm.smin.i64(i64, i64)
"""
