"""What all tests share.

Compiled kernels of a test session are kept in a folder of their own, shared by its workers, then removed. Workers take
one test after the other, but for those that share a robot which is expensive to make: one worker takes them all.
"""

import gc
import os
import shutil
import tempfile

import pytest


def pytest_configure(config: pytest.Config) -> None:
    gc.set_threshold(200_000, 50, 100)  # traces make millions of objects, few of them in cycles
    if hasattr(config, "workerinput"):  # a worker of pytest-xdist has inherited the folder
        return
    before = os.environ.get("KINETRACE_CACHE")
    os.environ["KINETRACE_CACHE"] = tempfile.mkdtemp(prefix="kinetrace-tests-")
    config.add_cleanup(lambda: _restore(before))


def _restore(before: str | None) -> None:
    shutil.rmtree(os.environ.pop("KINETRACE_CACHE"), ignore_errors=True)
    if before is not None:
        os.environ["KINETRACE_CACHE"] = before


SHARED = ("tests/reference/", "tests/test_compile_inputs.py", "tests/test_optimise.py")
"""Where tests with equal parameters share what these stand for."""
SHARED_FIRST = tuple(
    f"tests/laws/test_{name}.py" for name in ("identities", "long_chains", "closed_dynamics", "integrators")
)
"""Where those do that have the first of them in common."""


def _group(nodeid: str) -> str:
    """What a test shares with others, or the test itself."""
    place, bracket, parameters = nodeid.partition("[")
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

    return ByGroup(config, log)


class _Forgetful(dict):
    def get(self, _):
        return None


@pytest.fixture
def forgetful(monkeypatch):
    """As if every kernel were the first of its process: nothing is remembered but what is on disk."""
    monkeypatch.setattr("kinetrace.codegen.runtime.build._built", _Forgetful())


@pytest.fixture(scope="module")
def jax():
    """JAX with doubles. Its numbers are tested, not their speed, and most of its time goes into optimising."""
    jax = pytest.importorskip("jax")
    settings = ("jax_enable_x64", "jax_disable_most_optimizations")
    before = {name: jax.config.read(name) for name in settings}
    for name in settings:
        jax.config.update(name, True)
    yield jax
    for name, value in before.items():
        jax.config.update(name, value)
