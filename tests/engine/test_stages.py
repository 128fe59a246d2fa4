"""Which statement made which operation: every operation has one, and nothing else changes."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

import kinetrace as kt
from kinetrace import InputError, OpCount
from kinetrace.engine.compilation.program import program
from kinetrace.engine.trace import Recorder, trace
from kinetrace.engine.trace.stages import OTHER_CODE

ALGORITHMS = str(Path(kt.algorithms.__file__).parent)


def recorded(function, shapes, paths=(__file__,)):
    recorder = Recorder(paths)
    return recorder.count(trace(function, shapes, graph=recorder))


def square(x):
    return x * x


def several(x):
    a, b = square(x[0]), x[1].sin()
    c = sum((a * y for y in x), start=b)
    unused = x[0] / x[1]
    c += square(x[0]) - b  # the square is there already
    d: object = c if unused is None else (
        c
        * b
    )  # fmt: skip
    return d, [y + 1.0 for y in (b, c)]


def test_a_stage_is_the_innermost_statement_with_what_lies_below_it():
    found = recorded(several, {"x": (2,)})
    assert [(str(stage), n.mul, n.add, n.div, n.trig) for stage, n in found.items()] == [
        ("square: return", 1, 0, 0, 0),
        ("several: a, b", 0, 0, 0, 1),
        ("several: c", 2, 2, 0, 0),
        ("several: c", 0, 2, 0, 0),
        ("several: d", 1, 0, 0, 0),
        ("several: return", 0, 2, 0, 0),
    ]
    first, *_, again, d, _ = found
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    assert first.file == __file__ and lines[first.line - 1].strip() == first.source == "return x * x"
    assert again.source == "c += square(x[0]) - b  # the square is there already"
    assert d.source == "d: object = c if unused is None else ( c * b )  # fmt: skip"


@pytest.mark.parametrize("base", ["fixed", "free"])
@pytest.mark.parametrize(
    ("name", "static"),
    [
        ("inverse_dynamics", {}),
        ("forward_dynamics", {"method": "FD4"}),
        ("forward_dynamics", {"method": "solve"}),
        ("inverse_dynamics_derivatives", {}),
        ("christoffel", {}),
        ("jacobian", {"frame": "tip"}),
    ],
)
def test_stages_add_up_and_recording_changes_nothing(name, static, base):
    robot = kt.load("planar2r", base=base)
    function, recorder = getattr(kt.algorithms, name), Recorder([ALGORITHMS])
    traced = program(function, robot.model, static, graph=recorder)
    stages = recorder.count(traced)
    assert traced == program(function, robot.model, static)
    assert sum(stages.values(), start=OpCount()) == robot.count(name, **static)
    assert stages == robot.count(name, by="stage", **static)
    assert all(stage.file.startswith(ALGORITHMS) and stage.source for stage in stages)


def test_trees_add_messages_in_the_sweep():
    stages = kt.random_tree(12, seed=3).count("mass_matrix", by="stage")
    assert {(stage.function, Path(stage.file).name) for stage in stages} >= {
        ("_sum", "tree.py"),
        ("composite_body", "mass_matrix.py"),
    }


def test_operations_of_no_file_under_study_are_counted_elsewhere():
    assert recorded(several, {"x": (2,)}, paths=()) == {OTHER_CODE: OpCount(mul=4, add=6, trig=1)}
    assert str(OTHER_CODE) == "elsewhere"


def test_what_a_pass_rewrites_belongs_where_its_operands_do():
    """Here two products and their sum become others after tracing."""

    def function(x):
        a = x[0] * x[1]
        return a + 2.0

    recorder = Recorder([__file__])
    before = trace(function, {"x": (2,)}, graph=recorder)
    nodes = (("input", 0), ("input", 1), ("mul", 0, 1), ("add", 2, 2), ("mul", 3, 3), ("const", 7.0))
    found = recorder.count(replace(before, nodes=nodes, results=((4,),)))
    assert {str(stage): n for stage, n in found.items()} == {"function: a": OpCount(mul=2, add=1)}


def test_functions_of_ones_own_have_stages_too():
    def reach(model, q, scale):
        x = kt.algorithms.pose(model, q, frame="tip")[:3, 3]
        length = x @ x
        return scale * length

    robot = kt.load("planar2r")
    for function in (reach, partial(reach, scale=0.5)):
        static = {"scale": 0.5} if function is reach else {}
        stages = {str(stage): n for stage, n in robot.count(function, by="stage", **static).items()}
        assert stages["reach: length"] == OpCount(mul=2, add=1)
        assert stages["reach: return"] == OpCount(mul=1)
        assert "link_pose: return" in stages


def test_callable_objects_have_stages_too():
    class Product:
        def __call__(self, model, q):
            return q[0] * q[1]

    assert [str(stage) for stage in kt.load("planar2r").count(Product(), by="stage")] == ["__call__: return"]


def test_without_source_lines_stand_for_statements():
    scope: dict[str, object] = {}
    exec(compile("def f(x):\n    return x * x", "nowhere.py", "exec"), scope)
    assert [str(stage) for stage in recorded(scope["f"], {"x": ()}, paths=["nowhere.py"])] == ["f: line 2"]


def test_count_by_anything_else_is_refused():
    with pytest.raises(InputError, match="unknown by 'body'"):
        kt.load("planar2r").count("gravity", by="body")
