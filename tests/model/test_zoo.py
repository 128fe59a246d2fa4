"""The bundled robots: the two of our own design are what their generator writes, and none is impossible."""

import runpy
from pathlib import Path

import pytest

from kinetrace.model import load_model, zoo

TOOLS = Path(__file__).parents[2] / "tools"
ROBOTS = zoo.path("panda").parent


@pytest.mark.parametrize("tool", ["make_robots.py", "make_mechanisms.py"])
def test_generated_robots_are_up_to_date(tool, monkeypatch):
    monkeypatch.syspath_prepend(TOOLS)
    for name, text in runpy.run_path(str(TOOLS / tool))["robots"]().items():
        assert (ROBOTS / name).read_text(encoding="utf-8") == text, f"run tools/{tool}: {name}"


@pytest.mark.parametrize("base", ["fixed", "free"])
@pytest.mark.parametrize("name", zoo.names(closed=False))
def test_bundled_robots_are_physical(name, base):
    model = load_model(name, base=base, check="error")
    assert model.nv >= 2 and model.geometry
