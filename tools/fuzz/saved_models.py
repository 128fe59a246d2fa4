"""Damaged JSON of saved models: each file is refused with an error that names the file, or holds a model that works.

A part of the content (a number, a list, an object, a name) is removed, doubled, or replaced by something else; or bytes
of the text are changed.
"""

from __future__ import annotations

import json
import sys
import warnings
from copy import deepcopy
from functools import cache
from typing import Any

import numpy as np

import kinetrace as kt
from fuzzing import main
from kinetrace.errors import LONGEST_MESSAGE
from kinetrace.model import load_model
from kinetrace.model.files.save import json_text

ROBOTS = ("four_bar", "three_fingers_ball", "bicycle", "delta", "quadruped", "tree")
VALUES: tuple[Any, ...] = (
    *(None, True, -1, 0, 3, 10**9, 2**70, 0.5, -0.0, -1e300, 1e31, "inf", "-inf", "nan", "x", "", [], {}, [[]]),
    *(
        [1.0, [2.0]],
        {"is": "Free"},
        {"is": "Record"},
        {"is": "Nothing", "count": 10**12},
        {"is": "Together", "parts": []},
    ),
    *({"dtype": "int32", "shape": [1 << 40, 0], "values": []}, {"dtype": "object", "shape": [], "values": []}),
    *({"dtype": "float64", "scalar": 1.0}, {"dtype": "float32", "shape": [1], "values": [1e300]}),
)


@cache
def saved(name: str) -> str:
    """The text of a robot's file."""
    robot = kt.random_tree(5, seed=1, backend="numpy") if name == "tree" else kt.load(name, backend="numpy")
    return json_text(robot.model)


def damaged(content: Any, rng: np.random.Generator) -> None:
    """Change one part of the content."""
    spots: list[tuple[Any, Any]] = [(content, key) for key in content]
    for owner, key in spots:
        x = owner[key]
        spots += [(x, k) for k in (x if isinstance(x, dict) else range(len(x)) if isinstance(x, list) else ())]
    owner, key = spots[rng.integers(len(spots))]
    way = rng.integers(5)
    if way == 0:
        owner.pop(key)
    elif way == 1 and isinstance(owner, list):
        owner.append(deepcopy(owner[key]))
    elif way == 2:
        other, place = spots[rng.integers(len(spots))]
        owner[key] = deepcopy(other[place])
    else:
        owner[key] = VALUES[rng.integers(len(VALUES))]


def mutant(rng: np.random.Generator) -> str:
    """The text of a damaged file."""
    text = saved(ROBOTS[rng.integers(len(ROBOTS))])
    if rng.random() < 0.15:
        at, letters = int(rng.integers(len(text))), '{}[],:"0e-. \\'
        return text[:at] + letters[rng.integers(len(letters))] + text[at + int(rng.integers(2)) :]
    content = json.loads(text)
    for _ in range(rng.integers(1, 3)):
        if not isinstance(content.get("model"), dict):
            break
        damaged(content, rng)
    return json.dumps(content)


def check(text: str) -> int:
    """Whether it was a model: then it works."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = load_model(text if text.lstrip().startswith("{") else "{" + text)
    except kt.ModelError as error:
        assert str(error).startswith("JSON text") and len(str(error)) <= LONGEST_MESSAGE, error
        return 0
    assert load_model(json_text(model), check="ignore") == model
    q = model.neutral()
    assert np.all(np.isfinite(kt.algorithms.mass_matrix(model, q)))
    assert model.closure_rows < 10_000
    assert len(kt.algorithms.closure_residual(model, q)) == model.closure_rows
    return 1


def case(rng: np.random.Generator) -> int:
    """Ten mutants; how many of them were models."""
    return sum(check(mutant(rng)) for _ in range(10))


if __name__ == "__main__":
    sys.exit(main(case, "damaged models"))
