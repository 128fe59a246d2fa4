"""The bundled robots: the two of our own design are what their generator writes, and none is impossible."""

import runpy
from pathlib import Path

import pytest

from kinetrace.model import load_model, zoo

TOOL = Path(__file__).parents[2] / "tools" / "make_robots.py"


def test_generated_robots_are_up_to_date():
    for name, text in runpy.run_path(str(TOOL))["robots"]().items():
        assert zoo.path(Path(name).stem).read_text(encoding="utf-8") == text, f"run tools/make_robots.py: {name}"


@pytest.mark.parametrize("base", ["fixed", "free"])
@pytest.mark.parametrize("name", zoo.names())
def test_bundled_robots_are_physical(name, base):
    model = load_model(name, base=base, check="error")
    assert model.nv >= 2 and model.geometry
