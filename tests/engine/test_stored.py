"""Generated source, compared with stored text: what a change does to it is seen in the difference.

`pytest tests/engine/test_stored.py --update` writes the texts anew.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import kinetrace as kt
from kinetrace.engine.targets.text.sources import sources

FOLDER = Path(__file__).parent / "stored"
ROBOT = kt.load("planar2r", backend="numpy")


def rollout_of_any_length(model, q, v, tau):
    """A loop whose length only the call tells, and what it keeps."""
    return kt.algorithms.rollout(model, q, v, tau, 0.01, method="semi-implicit")


PROGRAMS = {
    "planar2r_inverse_dynamics": lambda: ROBOT.kernel("inverse_dynamics"),
    "planar2r_forward_dynamics": lambda: ROBOT.kernel("forward_dynamics"),
    "planar2r_rollout": lambda: kt.compile(rollout_of_any_length, ROBOT, shapes={"tau": ("t", 2)}),
}


@pytest.mark.parametrize(("lang", "count"), [("c", 2), ("cuda", 2), ("javascript", 1)])
@pytest.mark.parametrize("name", PROGRAMS)
def test_generated_text(name, lang, count, stored):
    """Its test program is left out: it holds numbers whose last digits are those of the machine's sines."""
    files = sources(PROGRAMS[name]().program, name, lang=lang, about=["For the stored text."])
    kept = {file: text for file, text in files.items() if file.startswith(name) and "_test." not in file}
    assert len(kept) == count
    for file, text in kept.items():
        stored(text, FOLDER / file)
