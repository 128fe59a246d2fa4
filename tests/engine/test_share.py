"""Threads that take parts of a batch: what they work on stays, whatever becomes of who asked for it."""

import ctypes
import os
import subprocess
import sys
import textwrap
import threading
import time
import weakref

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.arrays import scan
from kinetrace.engine.plan import memory as thread_work
from kinetrace.engine.runtime import batch, native_threads, python_threads
from kinetrace.engine.targets.llvm import object_code
from kinetrace.engine.targets.llvm import worker_team as text
from kinetrace.engine.trace import trace


def test_arrays_outlive_a_caller_that_is_interrupted(monkeypatch):
    """Else a thread of Python, which takes slices, writes to memory that is no longer ours."""
    inside, go = threading.Event(), threading.Event()
    run = batch.Batch._run

    class Interrupted(threading.Condition):
        def wait_for(self, *_):
            raise KeyboardInterrupt

    def left_to_others(self, arrays, out, gufunc=None):
        if threading.current_thread() is threading.main_thread():
            assert inside.wait(60)
        else:
            inside.set()
            assert go.wait(60)
            run(self, arrays, out, gufunc)

    monkeypatch.setattr(native_threads, "hire", lambda _: 1)
    monkeypatch.setattr(python_threads, "SLICE_WORK", 64)
    monkeypatch.setattr(python_threads.threading, "Condition", Interrupted)
    monkeypatch.setattr(batch.Batch, "_run", left_to_others)
    kernel = kt.Kernel(trace(lambda x: 2.0 * x, {"x": (3,)}))
    x, out = np.ones((500, 3)), np.zeros((500, 3))
    arrays = [weakref.ref(x), weakref.ref(out)]
    with pytest.raises(KeyboardInterrupt):
        kernel(x, out=out, threads=2)
    del x, out
    assert all(a() is not None for a in arrays)
    go.set()
    assert soon(lambda: arrays[1]() is None or arrays[1]().max() == 2.0)
    assert soon(lambda: all(a() is None for a in arrays))


def soon(holds):
    """Whether something comes true within a minute."""
    end = time.monotonic() + 60
    while not holds() and time.monotonic() < end:
        time.sleep(0.01)
    return holds()


def test_a_call_while_the_interpreter_ends():
    """Then there are no threads to be had."""
    script = """
import atexit, numpy as np, kinetrace as kt
kernel = kt.load("planar2r").kernel(kt.algorithms.gravity)
atexit.register(lambda: print(kernel(np.ones((300_000, 2)), threads=4).shape))
kernel(np.ones((300_000, 2)), threads=4)
"""
    done = subprocess.run([sys.executable, "-c", script], env=os.environ, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "(300000, 2)\n", "")


@pytest.mark.parametrize("threads", [1, 2])
def test_no_out_is_not_an_empty_one(threads):
    kernel = kt.Kernel(trace(lambda x: (x, x), {"x": (3,)}))
    with pytest.raises(kt.InputError, match="tuple of 2 arrays, got 0"):
        kernel(np.ones((500, 3)), out=(), threads=threads)


def test_a_call_waits_for_whoever_is_at_work_and_for_nobody_else(monkeypatch):
    """A pool keeps what it could not start a thread for, and runs it when another thread comes free."""

    class Reluctant:
        def __init__(self):
            self.kept = []

        def submit(self, work):
            self.kept.append(work)
            raise RuntimeError("can't start new thread")

    pool = Reluctant()
    monkeypatch.setattr(python_threads, "_pool", lambda: pool)
    begun, done = threading.Event(), []

    def work():
        if threading.current_thread() is threading.main_thread():
            late = threading.Thread(target=pool.kept[0])
            late.start()
            assert begun.wait(60)  # then this thread is done before the other one is
        else:
            begun.set()
            time.sleep(0.2)
        done.append(threading.current_thread())

    python_threads.Team(work).run(2)
    assert len(done) == 2
    pool.kept[0]()
    assert len(done) == 2


def test_what_goes_wrong_in_another_thread_is_raised(monkeypatch):
    def work():
        if threading.current_thread() is not threading.main_thread():
            begun.set()
            raise MemoryError
        assert begun.wait(60)

    begun = threading.Event()
    with pytest.raises(MemoryError):
        python_threads.Team(work).run(2)


def summed(x, start):
    def one(total, x):
        return total + x, total + x

    return scan(one, start, x)[1]


def test_threads_share_states_of_a_loop_equally():
    made = kt.Kernel(trace(summed, {"x": ("t", 3), "start": (3,)})).batch
    for states, threads, part in ((16, 2, 8), (40, 2, 24), (64, 2, 32), (100, 2, 56), (128, 2, 32), (100, 4, 32)):
        assert made._part(states, threads, 1 << 20) == part, states
    assert made._part(1 << 20, 2, 10) % batch.LOOP_STRIP_STATES == 0


def test_a_loop_is_shared_if_states_times_passes_are_many(monkeypatch):
    """Also where the array that has the length has no states."""
    made = kt.Kernel(trace(summed, {"x": ("t", 3), "start": (3,)})).batch
    calls = []
    monkeypatch.setattr(made, "_in_parallel", lambda *_: calls.append(1))
    passes = batch.PARALLEL_FROM // thread_work.cost(made.program) // 32
    made(np.ones((passes, 3)), np.ones((64, 3)))
    assert len(calls) == 1
    made(np.ones((passes // 4, 3)), np.ones((64, 3)))
    made(np.ones((64 * passes, 3)), np.ones(3))
    assert len(calls) == 1


def test_workers_do_one_job_at_a_time_and_the_caller_waits_for_those_who_began():
    """Also if several callers want the same workers: each job is done by its caller and by nobody twice."""
    assert native_threads.hire(3) == 3
    gather = ctypes.CFUNCTYPE(ctypes.c_bool, *[ctypes.c_void_p] * 2, *[ctypes.c_int64] * 2)(native_threads.gather())
    share = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)

    def job(k, found, patience):
        begun, ended, busy = [], [], threading.Event()

        def work(table, me):
            begun.append((table, me))
            if me == 0:
                busy.wait(patience)  # for another one to come
            else:
                busy.set()
                time.sleep(0.01)  # so that the caller is done before
            ended.append((table, me))

        found_some = gather(share(work), k, 2, 2)
        assert sorted(begun) == sorted(ended) and bool(begun) == found_some
        found.append(begun)

    for callers in (1, 4):
        found = []
        patience = 60 if callers == 1 else 0.1  # whom a caller alone claims comes in any case
        threads = [threading.Thread(target=job, args=(1 + k, found, patience)) for k in range(callers)]
        for x in threads:
            x.start()
        for x in threads:
            x.join(60)
        assert len(found) == callers
        for begun in filter(None, found):
            assert len({table for table, _ in begun}) == 1
            assert sorted(me for _, me in begun)[0] == 0 and len({me for _, me in begun}) == len(begun) <= 3
        assert callers > 1 or len(found[0]) > 1


PANDA = """
import os, sys, threading, time, numpy as np, kinetrace as kt
from kinetrace.engine.runtime import native_threads as workers
kernel = kt.load("panda").kernel("inverse_dynamics")
rng = np.random.default_rng(0)
x = rng.normal(size=(3, 20_000, 7))
expected = kernel(*x, threads=1)
def same(threads=3):
    np.testing.assert_array_equal(kernel(*x, threads=threads), expected)
same()
"""
PROCESSES = {
    "two callers at once, and forks beside them": """
        import warnings
        warnings.simplefilter("ignore")
        over = threading.Event()
        def loop():
            while not over.is_set():
                same(2)
        callers = [threading.Thread(target=loop) for _ in range(2)]
        for t in callers: t.start()
        for _ in range(10):
            child = os.fork() if hasattr(os, "fork") else None
            if child == 0:
                try:
                    assert workers._hired == 0
                    same(), same(2)
                    assert workers._hired == 2
                    os._exit(0)
                finally:
                    os._exit(1)
            assert child is None or os.waitpid(child, 0)[1] == 0
        over.set()
        for t in callers: t.join()
        same()
    """,
    "Ctrl-C in a long call": """
        import signal
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a session in the background is deaf to it
        large = np.concatenate([x] * 20, axis=1)
        out = np.zeros_like(large[0])
        kernel(*large, out=out, threads=3)
        threading.Timer(0.02, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        try:
            for _ in range(10_000):
                kernel(*large, out=out, threads=3)
            raise SystemExit("never interrupted")
        except KeyboardInterrupt:
            pass
        np.testing.assert_array_equal(out[: len(expected)], expected)
        same()
    """,
    "the end, with daemons in calls": """
        for _ in range(3):
            threading.Thread(target=lambda: [same(3) for _ in range(10**9)], daemon=True).start()
        time.sleep(0.05)
    """,
    "the end, right after a call": """
        import atexit
        atexit.register(same)
        same()
    """,
    "parked workers take no time": """
        time.sleep(0.05)
        before = time.process_time()
        time.sleep(0.5)
        assert time.process_time() - before < 0.1
    """,
    "small stacks of threads": """
        threading.stack_size(32768)
        arm = kt.load("humanoid")
        q, v = np.tile(arm.home(), (200, 1)), np.ones((200, arm.nv))
        arm.forward_dynamics_derivatives(q, v, v, threads=2)
        assert threading.stack_size() == 32768
    """,
    "a handler raises while workers are hired": """
        import signal
        def handler(*_):
            raise TimeoutError
        signal.signal(signal.SIGALRM, handler)
        real, calls = signal.pthread_sigmask, []
        def masked(how, signals):
            calls.append(how)
            if len(calls) == 2:
                real(how, signals)
                raise TimeoutError
            return real(how, signals)
        signal.pthread_sigmask = masked
        try:
            same(7)
        except TimeoutError:
            assert real(signal.SIG_BLOCK, ()) == set() and len(calls) == 3
            same(7)
        else:
            raise SystemExit("nothing was raised")
    """,
    "as many as are asked for": """
        same(9), same(np.int64(3)), same(np.uint8(3)), same(2**63), same(2**64)
        assert workers._hired == 255 or workers._hired > 8
        sys.exit()
    """,
    "no more than are asked for": """
        same(9)
        assert workers._hired == 8, workers._hired
        kernel(*x)
        assert workers._hired == 8, workers._hired
    """,
}


@pytest.mark.parametrize("case", PROCESSES)
def test_native_threads_in_a_process(case):
    assert process(PANDA + textwrap.dedent(PROCESSES[case])) == ""


@pytest.mark.parametrize("lack", ["names", "threads"])
def test_threads_of_python_where_there_are_no_others(lack):
    """The interpreter has no such functions, or the system starts no thread for them."""
    script = f"""
import ctypes
from kinetrace.engine.targets.llvm import worker_team as text
from kinetrace.engine.runtime import native_threads as workers
if {lack!r} == "names":
    text.THREAD_FUNCTIONS = (*text.THREAD_FUNCTIONS, "no_such_function")
else:
    refuse = ctypes.CFUNCTYPE(ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p)(lambda *_: -1)
    found = workers.address
    workers.address = lambda x: ctypes.cast(refuse, ctypes.c_void_p).value if "start" in x else found(x)
"""
    after = """
assert workers._hired == 0 and workers.hire(2) == 1
assert any(t.name.startswith("kinetrace") for t in threading.enumerate())
"""
    assert process(script + PANDA.replace("20_000", "60_000") + after) == ""


def process(script):
    """What a process says that runs a script, and ends as it should."""
    text = f"import faulthandler; faulthandler.dump_traceback_later(100, exit=True)\n{script}"
    done = subprocess.run([sys.executable, "-c", text], env=os.environ, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.parametrize("triple", ["x86_64-pc-windows-msvc", "aarch64-unknown-linux-gnu", "riscv64-unknown-linux-gnu"])
def test_the_team_is_text_for_any_machine(triple):
    """Compiled here for all whose generator there is; each load that others wait for has its order."""
    made = text.emit(triple)
    assert "PAUSE" not in made
    for kind in ("monotonic", "acquire"):
        assert f"load atomic i64, ptr %slot {kind}" in made
    if triple.startswith("x86_64"):
        object_code.host_cpu()
        assert object_code.assemble([made], object_code.TargetCPU(triple, "", ""))


def test_what_a_call_costs_decides_how_many_take_part(monkeypatch):
    """Arrays that are moved count; after a pause, one thread does what several do sooner amid other calls."""
    made = kt.Kernel(trace(lambda x: 2.0 * x, {"x": (3,)})).batch
    assert thread_work.cost(made.program) == made.program.work + 6 * thread_work.MOVE_OPERATIONS
    now, shared = [0.0], []
    monkeypatch.setattr(native_threads.time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(native_threads, "_latest", -1.0)
    monkeypatch.setattr(made, "_in_parallel", lambda *given: shared.append(given[-2]))
    states = 2 * thread_work.PARALLEL_FROM // thread_work.cost(made.program)
    for pause, count in ((1.0, 1), (0.5 * native_threads.FREQUENT_SECONDS, 1), (1.0, 10)):
        now[0] += pause
        made(np.ones((count * states, 3)))
    assert shared == [thread_work.PARKED_WORK, thread_work.RARE_WORK]
