"""What all tests share.

Compiled kernels of a test session are kept in a folder of their own, shared by its workers, then removed. Workers take
one test after the other, but for those that share a robot which is expensive to make: one worker takes them all.

Of cases that are many and alike, a run takes a part, the same in every run; `--all` takes all, as does a run of tests
by their names (`-k` too), or with `--update`.
"""

import gc
import os
import shutil
import signal
import sys
import tempfile
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from kinetrace.engine.cache import disk
from kinetrace.engine.runtime import build
from kinetrace.engine.targets.llvm import object_code

FOLDER = "kinetrace-tests-"
"""What the name of the folder of a session begins with."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="write stored texts anew, instead of comparing with them")
    parser.addoption("--all", action="store_true", help="take all cases of tests that take a part by day")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "part(k, of): a case that a run by day takes if k is a multiple of `of`")
    config.addinivalue_line("markers", "alternates(of, *names): by day every of-th combination of these parameters")
    gc.set_threshold(200_000, 50, 100)  # traces make millions of objects, few of them in cycles
    disk._make_room = make_room_elsewhere
    if hasattr(config, "workerinput"):  # a worker of pytest-xdist has inherited the folder
        return
    # Workers, and processes that tests start, keep the bytecode of sources, instead of each compiling all of them anew.
    sys.dont_write_bytecode = False
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    if config.getoption("numprocesses", None):  # threads of linear algebra would take the cores of other workers
        os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))
    before = os.environ.get("KINETRACE_CACHE")
    os.environ["KINETRACE_CACHE"] = tempfile.mkdtemp(prefix=FOLDER)
    config.add_cleanup(lambda: _restore(before))


def _restore(before: str | None) -> None:
    shutil.rmtree(os.environ.pop("KINETRACE_CACHE"), ignore_errors=True)
    if before is not None:
        os.environ["KINETRACE_CACHE"] = before


for_every_run: set[pytest.Item] = set()


def pytest_itemcollected(item: pytest.Item) -> None:
    """Whether a case is one of every run is said before tests are shuffled: the part is the same in any order."""
    if _is_for_every_run(item):
        for_every_run.add(item)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the cases that are for `--all`."""
    named = config.getoption("keyword") or any("::" in x for x in config.args)
    if named or config.getoption("--all") or config.getoption("--update"):
        return
    left = [item for item in items if item not in for_every_run]
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if item in for_every_run]


def pytest_collection_finish() -> None:
    """What tests import stays, a million objects: tests that collect garbage, and the end, need not look at it."""
    gc.freeze()


def _is_for_every_run(item: pytest.Item) -> bool:
    parts = [mark.args for mark in item.iter_markers("part")]
    for of, *names in (mark.args for mark in item.iter_markers("alternates")):
        parts.append((sum(_place(item, name) for name in names), of))
    return all(k % of == 0 for k, of in parts)


make_room = disk._make_room


def make_room_elsewhere(place: Path, newest: str) -> None:
    """Not in the folder of the session, whose thousands of files would be looked through for each new one."""
    if not place.name.startswith(FOLDER):
        make_room(place, newest)


places: dict[tuple[Path, str, str], dict[int, int]] = {}


def _place(item: pytest.Item, name: str) -> int:
    """Of a parameter's value among all that it has in a test, in the order of their coming."""
    known = places.setdefault((item.path, item.originalname, name), {})
    return known.setdefault(id(item.callspec.params[name]), len(known))


AT_FULL_EFFORT = (
    "tests/engine/",
    *("tests/test_calls.py", "tests/test_short_calls.py"),
    "tests/reference/test_dynamics_against_pinocchio.py",
)
"""Tests of code as users get it. All others are about what it computes, and LLVM compiles for them with as little
effort as it does for huge programs: in a third of the time, which was half the time of all tests."""


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """The effort of code that fixtures and tests compile in this process; one is not taken for the other on disk."""
    is_full = item.nodeid.startswith(AT_FULL_EFFORT)
    object_code.LONG_PROGRAM_NODES, object_code.HUGE_PROGRAM_NODES = SIZES if is_full else (0, 0)
    build._emitters = emitters if is_full else quick_emitters


SIZES, emitters = (object_code.LONG_PROGRAM_NODES, object_code.HUGE_PROGRAM_NODES), build._emitters


def quick_emitters() -> str | None:
    found = emitters()
    return found and f"{found}, quick"


TOGETHER = tuple(
    f"tests/{name}.py"
    for name in (
        *("engine/test_elementary", "test_identify_fit", "test_optimise"),
        *("view/test_page", "view/test_panels", "view/test_view"),
    )
)
"""Files whose tests all share what is expensive to make: searches, code for every width, a browser."""
LIBRARIES = ("jax", "torch", "casadi", "cluster")
"""Words in the names of tests whose library is expensive to load and to warm up: one worker takes them all."""
SHARED = ("tests/reference/", "tests/test_compile_inputs.py")
"""Where tests with equal parameters share what these stand for."""
SHARED_FIRST = tuple(
    f"tests/laws/test_{name}.py" for name in ("identities", "long_chains", "closed_dynamics", "integrators")
)
"""Where those do that have the first of them in common."""


def _group(nodeid: str) -> str:
    """What a test shares with others, or the test itself."""
    place, bracket, parameters = nodeid.partition("[")
    if library := next((word for word in LIBRARIES if word in nodeid), None):
        return library
    if place.startswith(TOGETHER):
        return place.partition("::")[0]
    if bracket and place.startswith(SHARED_FIRST):
        return f"{place}[{parameters.partition('-')[0]}"
    shared = next((path for path in SHARED if place.startswith(path)), None)
    return f"{shared}[{parameters}" if shared and bracket else nodeid


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """What `-n` alone asks for (other values of `--dist` mean what they say), with these groups."""
    if config.getoption("dist") != "load":
        return None
    from xdist.scheduler import LoadScopeScheduling

    class ByGroup(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return _group(nodeid)

        def mark_test_complete(self, node, item_index, duration=0):
            """Groups that are done are forgotten: all that a worker has are counted after each test."""
            super().mark_test_complete(node, item_index, duration)
            group = _group(self.registered_collections[node][item_index])
            if all(self.assigned_work[node][group].values()):
                del self.assigned_work[node][group]

    return ByGroup(config, log)


class _Forgetful(dict):
    def get(self, _):
        return None


@pytest.fixture
def forgetful(monkeypatch):
    """As if every kernel were the first of its process: nothing is remembered but what is on disk."""
    monkeypatch.setattr("kinetrace.engine.runtime.build._built", _Forgetful())


@pytest.fixture
def ctrl_c():
    """A function that does what Ctrl-C does, also in a session in the background, which is deaf to it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield lambda: signal.raise_signal(signal.SIGINT)
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def stored(request):
    """A function that compares a text with a stored file, or with `--update` stores it."""

    def compare(text: str, file: Path) -> None:
        if request.config.getoption("--update"):
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8")
        assert text == file.read_text(encoding="utf-8"), f"{file.name} differs: pytest --update writes it anew"

    return compare


@pytest.fixture(scope="module")
def jax():
    """JAX with doubles. Its numbers are tested, not their speed, and most of its time goes into optimising."""
    jax = pytest.importorskip("jax")
    settings = ("jax_enable_x64", "jax_disable_most_optimizations")
    before = {name: jax.config.read(name) for name in settings}
    for name in settings:
        jax.config.update(name, True)
    jit, separately = jax.jit, {"xla_cpu_use_fusion_emitters": False}
    with suppress(RuntimeError, TypeError):  # of versions that have no such option
        jit(lambda x: x + x, compiler_options=separately)(1.0)
        jax.jit = partial(jit, compiler_options=separately)  # in a third of the time
    yield jax
    jax.jit = jit
    for name, value in before.items():
        jax.config.update(name, value)
