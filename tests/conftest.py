"""What all tests share.

Compiled kernels of a test session are kept in a folder of their own, shared by its workers, then removed. Tests that
share something expensive are marked as an `xdist_group`: one worker runs them one after the other.
"""

import os
import shutil
import tempfile

import pytest


def pytest_configure(config: pytest.Config) -> None:
    if hasattr(config, "workerinput"):  # a worker of pytest-xdist has inherited the folder
        return
    if config.getoption("dist", "no") == "load":  # what `-n` alone asks for
        config.option.dist = "loadgroup"
    before = os.environ.get("KINETRACE_CACHE")
    os.environ["KINETRACE_CACHE"] = tempfile.mkdtemp(prefix="kinetrace-tests-")
    config.add_cleanup(lambda: _restore(before))


def _restore(before: str | None) -> None:
    shutil.rmtree(os.environ.pop("KINETRACE_CACHE"), ignore_errors=True)
    if before is not None:
        os.environ["KINETRACE_CACHE"] = before


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
