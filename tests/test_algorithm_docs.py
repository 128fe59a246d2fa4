"""Docstrings of algorithms are composed of shared texts: they describe every argument and result, with right shapes."""

from __future__ import annotations

import inspect
import re

import pytest
from numpydoc.docscrape import NumpyDocString

import kinetrace as kt
from kinetrace.algorithms.registry.choices import CoriolisForm
from kinetrace.algorithms.registry.declaration import algorithm, algorithm_of
from kinetrace.algorithms.registry.signature import Algorithm
from kinetrace.arrays import Array
from kinetrace.model.arguments import ARGUMENTS, MAPPINGS

PUBLIC = [*kt.algorithms.__all__, "rollout", "rollout_derivatives"]
SHAPE = re.compile(r"shape \(([^)]*)\)")


def sizes(robot):
    """Names of axes → their lengths."""
    nb, model = len(robot.model.bodies), robot.model
    named = {"nq": robot.nq, "nv": robot.nv, "2nv": 2 * robot.nv, "dof": model.dof, "rows": model.closure_rows}
    named |= {"controls": len(model.actuators), "activations": len(model.actuators), "slots": 0}
    return {**named, "10nb": 10 * nb, "p": 10 * nb, "k": 6, "closures": len(model.closures)}


def lengths(axes, known):
    """Axes as numbers."""
    return tuple(int(x) if x.isdigit() else known[x] for x in axes)


@pytest.mark.parametrize("name", PUBLIC)
def test_a_docstring_is_whole(name):
    function = getattr(kt.algorithms, name)
    page, parameters = NumpyDocString(inspect.getdoc(function)), inspect.signature(function).parameters
    assert [x.name for x in page["Parameters"]] == list(parameters)
    for each in page["Parameters"]:
        default = parameters[each.name].default
        assert each.type and " ".join(each.desc).endswith(".")
        assert ("optional" in each.type) == (default is None)
        assert ("default" in each.type) == (default not in (None, inspect.Parameter.empty))
    assert [x.name for x in page["Returns"]] == [x for x, _ in algorithm_of(function).results] != []
    assert all(SHAPE.search(x.type) and x.desc for x in page["Returns"])
    assert page["Examples"][0] == ">>> import numpy as np, kinetrace as kt" and len(page["Examples"]) > 2
    assert page["Summary"][0].endswith(".")


@pytest.mark.parametrize("name", [x for x in PUBLIC if algorithm_of(getattr(kt.algorithms, x)).most_nv is None])
def test_shapes_are_those_of_the_arrays(name):
    """Here nq, nv and 6 differ; of closed robots, the numbers of rows and of degrees of freedom too."""
    meant = algorithm_of(getattr(kt.algorithms, name))
    robot = kt.load("four_bar") if meant.about_closures else kt.random_chain(1, base="free")
    known = sizes(robot)
    for each in NumpyDocString(inspect.getdoc(meant.function))["Parameters"]:
        axes = SHAPE.search(each.type)
        if axes and not name.startswith("rollout") and each.name not in MAPPINGS:
            told = [x.strip().replace(" ", "") for x in axes[1].split(",") if x.strip()]
            assert lengths(told, known) == ARGUMENTS[each.name].shape(robot.model), each.name
    if not name.startswith("rollout"):
        frame = {"frame": robot.frame_names[-1]} if meant.needs_frame else {}
        shapes = {"task_damping": ()} if "task_damping" in meant.further else {}
        outputs = robot.kernel(meant.function, shapes=shapes, **frame).program.outputs
        assert [lengths(axes, known) for _, axes in meant.results] == [x.shape for x in outputs]


def test_what_is_particular_replaces_the_shared_text():
    @algorithm(
        listed=False,
        arguments={"q": "Array, shape (2,) | Two.", "u": "Any."},
        returns={"x": "(3,) A\npoint."},
    )
    def twice(model: kt.Model, q: Array, u: Array, frame: str, *, form: CoriolisForm | None = None) -> Array:
        """Twice.

        It is so.

        >>> 1 + 1
        2
        """

    page = NumpyDocString(twice.__doc__)
    entries = [(x.name, x.type, *x.desc) for x in page["Parameters"]]
    assert entries[1:4] == [
        ("q", "Array, shape (2,)", "Two."),
        ("u", "Array, shape (nv,)", "Any."),
        ("frame", "str", "Name of a frame; `robot.frame_names` lists them."),
    ]
    assert entries[4][:2] == ("form", '{"christoffel", "skew", "newton"}, optional')
    assert [(x.name, x.type, x.desc) for x in page["Returns"]] == [("x", "Array, shape (3,)", ["A", "point."])]
    assert page["Extended Summary"] == ["It is so."] and page["Examples"][1:] == [">>> 1 + 1", "2"]
    assert "twice" not in kt.algorithms.registry.declaration.ALGORITHMS and isinstance(algorithm_of(twice), Algorithm)
    assert algorithm_of(lambda model, q: q).method is None
