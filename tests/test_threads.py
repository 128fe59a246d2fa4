"""Several threads, and forks beside them: first calls end and agree, nothing is lost. `make fuzz` tries more."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import calls
import kinetrace as kt
import threads
from kinetrace.engine.runtime.fastcall import ChoiceTable
from kinetrace.support.threads import paused_collection

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")


def run(script: str, **environment: str) -> str:
    """What a script prints, in a process of its own that ends if it hangs."""
    text = f"import faulthandler; faulthandler.dump_traceback_later(250, exit=True)\n{textwrap.dedent(script)}"
    settings = {**os.environ, **environment}
    done = subprocess.run([sys.executable, "-c", text], env=settings, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


ABOUT = {"robot": 4, "settings": {}, "interval": 1e-5, "framework": "", "forks": 0}


def test_first_calls_of_all_methods_from_eight_threads():
    """Two threads with the same first call of a method without choices hung, when both added its code."""
    about = {**ABOUT, "methods": sorted(calls.methods()), "threads": 8, "rounds": 1}
    assert threads.process(about, os.environ["KINETRACE_CACHE"]) > 8 * 80


@pytest.mark.parametrize(
    "other", [{"settings": {"check": True}}, {"framework": "jax"}, {"framework": "torch"}], ids=str
)
def test_first_calls_of_checked_robots_and_frameworks(other):
    about = {**ABOUT, "methods": ["gravity", "bias", "pose"], "threads": 4, "rounds": 3, **other}
    assert threads.process(about, os.environ["KINETRACE_CACHE"]) > 4 * 3 * 6


@forks
def test_children_forked_amid_first_calls_make_them_too(tmp_path):
    about = {**ABOUT, "methods": ["gravity", "pose", "step"], "threads": 3, "rounds": 3, "forks": 2}
    assert threads.process(about, str(tmp_path)) > 3 * 3 * 6


def test_a_kernel_that_is_made_meanwhile_is_the_one():
    """As another thread may: here the function makes its own kernel while it is traced."""
    robot, inner = kt.load("planar2r"), []

    def twice(model, q):
        if not inner:
            inner.append(None)
            inner.append(robot.kernel(twice))
        return 2.0 * q

    assert robot.kernel(twice) is inner[1] is robot.kernel(twice)


@pytest.mark.parametrize("width", [0, 1, 3])
def test_a_table_of_choices_keeps_a_free_entry_however_often_choices_come(width):
    """The search of compiled code ends there; without one, a second entry without choices would be sought for ever."""
    script = f"""
    from types import SimpleNamespace
    from kinetrace.engine.runtime.fastcall import ChoiceTable
    width = {width}
    table, code = ChoiceTable(width), SimpleNamespace(one=1, single=1, owner=None)
    choices = [tuple(f"{{k}} {{i}}" for i in range(width)) for k in range(40 if width else 1)]
    for _ in range(3):
        for x in choices:
            table.add(x, code)
    words = list(table._table)
    print(words[0] + 1, sum(x == 1 for x in words[2 :: width + 2]))
    """
    size, used = map(int, run(script).split())
    assert used == (40 if width else 1)
    assert size >= 2 * used or not width
    assert ChoiceTable(0).hash_of(()) == 0


@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_pause_beside_another_leaves_the_collector_as_it_was(at, monkeypatch):
    """The pause of another thread begins and ends while this one asks for the threshold for the at-th time."""
    before, asked, ask = gc.get_threshold(), [], gc.get_threshold

    def threshold():
        asked.append(None)
        if len(asked) != at:
            return ask()
        with paused_collection():
            return ask()

    with monkeypatch.context() as patch:
        patch.setattr(gc, "get_threshold", threshold)
        with paused_collection():
            pass
    try:
        assert gc.get_threshold() == before
    finally:
        gc.set_threshold(*before)


def test_a_robot_may_get_methods_while_its_attributes_are_read():
    """As by the first call of another thread."""

    class Arm(kt.Robot):
        def _is_own(self, name):
            if name == "note" and name in vars(self):
                self.gravity(np.zeros(2))
            return super()._is_own(name)

    arm = Arm(kt.load("planar2r").model)
    arm.note, arm.next = 1, 2
    assert arm._own == {"note": 1, "next": 2}


LATER = {
    "kinetrace.simulation": "robot.rollout(np.zeros(2), np.zeros(2), np.zeros((1, 2)), 1e-3)",
    "kinetrace.engine.runtime.build": "robot.gravity(np.zeros(2))",
    "numpy.random": "robot.random()",
    "platformdirs": "robot.gravity(np.zeros(2))",
    "kinetrace.control": "kt.control.held",
    "scipy.integrate": "kt.support.optional.require_package('scipy.integrate', 'this')",
}
"""Module → a call that imports it, unless the package has done so."""


@forks
@pytest.mark.parametrize("module", LATER)
def test_a_fork_waits_for_modules_that_calls_import(module):
    """In the child an import that another thread had begun would never end."""
    script = f"""
    import importlib.abc, importlib.machinery, os, signal, sys, threading, time, warnings
    import numpy as np
    begun = threading.Event()
    class Slow(importlib.abc.MetaPathFinder):
        def find_spec(self, name, path, target=None):
            if name != {module!r}:
                return None
            spec = importlib.machinery.PathFinder.find_spec(name, path)
            run = spec.loader.exec_module
            def run_later(module):
                begun.set()
                time.sleep(0.5)
                run(module)
            spec.loader.exec_module = run_later
            return spec
    import kinetrace as kt
    import kinetrace.support.optional
    robot = kt.load("planar2r")
    loaded = [*sys.modules]
    sys.meta_path.insert(0, Slow())
    call = lambda: {LATER[module]}
    thread = threading.Thread(target=call)
    thread.start()
    while thread.is_alive() and not begun.wait(0.01):
        pass
    warnings.simplefilter("ignore")
    child = os.fork()
    if child == 0:
        signal.alarm(100)
        try:
            call()
        finally:
            os._exit(sys.exc_info()[0] is not None)
    thread.join()
    print(os.waitpid(child, 0)[1], begun.is_set() or {module!r} in loaded)
    """
    environment = {"KINETRACE_CACHE": ""} if module == "platformdirs" else {}
    assert run(script, **environment) == "0 True\n"


def test_no_import_waits_for_a_thread_that_compiles():
    """Else that thread, which imports too, and another one could wait for each other."""
    script = """
    import importlib, pkgutil, threading
    import kinetrace
    from kinetrace.support.threads import lock
    held, over = threading.Event(), threading.Event()
    def hold():
        with lock:
            held.set()
            over.wait()
    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    for module in pkgutil.walk_packages(kinetrace.__path__, "kinetrace.", onerror=lambda name: None):
        if not module.name.endswith("__main__"):
            try:
                importlib.import_module(module.name)
            except ImportError:  # of a package that is not installed
                pass
    over.set()
    """
    run(script)
