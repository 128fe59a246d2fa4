"""Compiled kernels of a test session are kept in a folder of their own, shared by its workers, then removed."""

import os
import shutil
import tempfile

import pytest


def pytest_configure(config: pytest.Config) -> None:
    if hasattr(config, "workerinput"):  # a worker of pytest-xdist has inherited the folder
        return
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
