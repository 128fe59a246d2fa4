"""Threads that take parts of a batch: what they work on stays, whatever becomes of who asked for it."""

import os
import subprocess
import sys
import threading
import time
import weakref

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.arrays import scan
from kinetrace.codegen.llvm import engine, share
from kinetrace.codegen.llvm import workers as text
from kinetrace.codegen.runtime import batch, parallel, workers
from kinetrace.trace import trace


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

    monkeypatch.setattr(workers, "hire", lambda _: 1)
    monkeypatch.setattr(parallel, "SLICE_WORK", 64)
    monkeypatch.setattr(parallel.threading, "Condition", Interrupted)
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
    monkeypatch.setattr(parallel, "_pool", lambda: pool)
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

    parallel.Team(work).run(2)
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
        parallel.Team(work).run(2)


def summed(x, start):
    def one(total, x):
        return total + x, total + x

    return scan(one, start, x)[1]


def test_threads_share_states_of_a_loop_equally():
    made = kt.Kernel(trace(summed, {"x": ("t", 3), "start": (3,)})).batch
    for states, threads, part in ((16, 2, 8), (40, 2, 24), (64, 2, 32), (100, 2, 56), (128, 2, 32), (100, 4, 32)):
        assert made._part(states, threads, 1 << 20) == part, states
    assert made._part(1 << 20, 2, 10) % batch.STRIP == 0


def test_a_loop_is_shared_if_states_times_passes_are_many(monkeypatch):
    """Also where the array that has the length has no states."""
    made = kt.Kernel(trace(summed, {"x": ("t", 3), "start": (3,)})).batch
    calls = []
    monkeypatch.setattr(made, "_in_parallel", lambda *_: calls.append(1))
    passes = batch.PARALLEL_FROM // share.cost(made.program) // 32
    made(np.ones((passes, 3)), np.ones((64, 3)))
    assert len(calls) == 1
    made(np.ones((passes // 4, 3)), np.ones((64, 3)))
    made(np.ones((64 * passes, 3)), np.ones(3))
    assert len(calls) == 1
