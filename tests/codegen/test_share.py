"""Threads that take parts of a batch: what they work on stays, whatever becomes of who asked for it."""

import os
import subprocess
import sys
import weakref

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.codegen import kernel as module
from kinetrace.trace import trace


def test_arrays_outlive_a_caller_that_is_interrupted(monkeypatch):
    """Else a helper writes to memory that is no longer ours."""
    submitted = []

    class Pool:
        submit = staticmethod(submitted.append)

    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "PART", 64)
    monkeypatch.setattr(module, "_pool", Pool)
    monkeypatch.setattr(module, "wait", interrupted)
    kernel = kt.Kernel(trace(lambda x: 2.0 * x, {"x": (3,)}))
    x, out = np.ones((500, 3)), np.empty((500, 3))
    arrays = [weakref.ref(x), weakref.ref(out)]
    with pytest.raises(KeyboardInterrupt):
        kernel(x, out=out, threads=2)
    del x, out
    (work,) = submitted
    assert all(a() is not None for a in arrays)
    work()
    assert arrays[1]().min() == 2.0
    submitted.clear()
    del work
    assert all(a() is None for a in arrays)


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
