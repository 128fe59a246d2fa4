"""Misspelt names are found at run time too, with the valid ones; what is declared is what is there."""

import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import Literal, get_args, get_origin

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.algorithms.registry import choices
from kinetrace.robot.common import METHODS

PAGE = Path(__file__).parents[1] / "docs" / "types.md"
VALID = {"dtpe": "dtype", "floating": "'free'", "world": "aligned", "RK4": "rk4"}


def test_the_four_lines_of_the_page_are_errors_that_list_what_is_valid():
    (lines,) = re.findall(r"```py\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    robot = kt.load("ur5e")
    scope = {"kt": kt, "robot": robot, "q": robot.neutral(), "v": np.zeros(6)}
    for line, (wrong, right) in zip(lines.splitlines(), VALID.items(), strict=True):
        with pytest.raises(kt.InputError) as caught:
            exec(line, scope)
        assert wrong in str(caught.value) and right in str(caught.value)


TABLES = {
    choices.ExpressedIn: "kinetrace.algorithms.kinematics.jacobian.TWIST_AXES",
    choices.ChristoffelKind: "kinetrace.algorithms.metric.christoffel._CHRISTOFFEL_KINDS",
    choices.CoriolisForm: "kinetrace.algorithms.dynamics.coriolis.BODY_CORIOLIS_FORMS",
    choices.ClosedMethod: "kinetrace.algorithms.closed.closed_dynamics.CLOSED_METHODS",
    choices.ExplicitMethod: "kinetrace.algorithms.time.runge_kutta.EXPLICIT",
    choices.ForwardMethod: "kinetrace.algorithms.dynamics.forward_dynamics._METHODS",
    choices.GoalAxes: "kinetrace.algorithms.tasks.pose_errors.PARTIAL",
    choices.Least: "kinetrace.algorithms.closed.motor_forces._LEAST_OF",
    choices.InverseMethod: "kinetrace.algorithms.dynamics.inverse_dynamics._METHODS",
    choices.MassMethod: "kinetrace.algorithms.dynamics.mass_matrix._METHODS",
    choices.Measure: "kinetrace.algorithms.tasks.manipulability.MEASURES",
    choices.RowNames: "kinetrace.algorithms.tasks.task_rows.ROWS",
    choices.StepMethod: "kinetrace.algorithms.time.methods.METHODS",
}


def test_every_choice_has_its_table():
    assert set(TABLES) == {x for x in vars(choices).values() if get_origin(x) is Literal}


@pytest.mark.parametrize("literal", TABLES, ids=str)
def test_what_is_declared_is_what_there_is(literal):
    module, _, table = TABLES[literal].rpartition(".")
    found = getattr(import_module(module), table)
    assert sorted(map(str, get_args(literal))) == sorted(found)


IN_WORLDS = {"step": {"world"}}
"""Methods that take a world, in which another robot, with contacts, does what is asked."""


@pytest.mark.parametrize("method", METHODS.values(), ids=lambda m: m.name)
def test_a_method_takes_what_its_algorithm_takes(method):
    """The same names with the same types of choices and the same defaults, and besides `out`, `threads` and a world."""
    wanted = inspect.signature(method.function).parameters
    parameters = inspect.signature(method.method, eval_str=True).parameters
    beside = {"out", "threads", *IN_WORLDS.get(method.name, ())}
    assert parameters.keys() - {"self"} == wanted.keys() - {"model"} | beside
    arrays = [name for name, p in wanted.items() if p.kind is not p.KEYWORD_ONLY][1:]
    assert list(parameters)[1 : len(arrays) + 1] == arrays == list(method.arrays)
    assert method.arguments.keys() - beside == {*method.arrays, *method.further, *method.choices}
    for name, choice in method.choices.items():
        assert parameters[name].default == choice.default or choice.is_required
        assert not choice.values or set(choice.values) == set(get_args(_plain(parameters[name].annotation)))


def _plain(hint):
    """A type without None."""
    found = [x for x in get_args(hint) if x is not type(None)]
    return found[0] if len(found) == 1 and type(None) in get_args(hint) else hint
