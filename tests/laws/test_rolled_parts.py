"""Parts of large robots' programs that are loops: rows of M, C and ∂τ, and systems with many right sides.

The limits are lowered, so that small robots have them: the same numbers in a straight line, in the interpreter, for one
state (several passes at once) and for a batch, to the bit between the last two.
"""

from __future__ import annotations

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.algorithms.sweeps import subtree_rows
from kinetrace.engine.compilation.program import program
from kinetrace.engine.plan.memory import wide_regions
from kinetrace.engine.plan.plan import Plan
from kinetrace.linalg import dense
from kinetrace.model.zoo import random as zoo

FUNCTIONS = ("mass_matrix", "coriolis_matrix", "inverse_dynamics_derivatives", "forward_dynamics_derivatives")


def robots() -> dict[str, kt.Model]:
    joints = [kt.joints.Revolute([0, 0, 1]), kt.joints.Prismatic([1, 0, 0]), kt.joints.Spherical()]
    return {
        "chain": zoo.random_chain(6, seed=1).build(),
        "tree": zoo.random_tree(8, seed=3).build(),  # with a mimic joint
        "floating": zoo.random_chain(4, seed=2, joints=joints).build(base="free"),
    }


@pytest.fixture
def low_limits(monkeypatch):
    rows = {"LOOP_FROM_ROWS_OF_MODEL": 0, "LOOP_FROM_ROWS": 2}
    for module, names in ((subtree_rows, rows), (dense, {"LOOP_FROM_ENTRIES": 10, "LOOP_FROM_INVERSE_ENTRIES": 10})):
        for name, value in names.items():
            monkeypatch.setattr(module, name, value)


@pytest.mark.alternates(3, "name", "function")
@pytest.mark.parametrize("name", robots())
@pytest.mark.parametrize("function", FUNCTIONS)
def test_loops_have_the_numbers_of_straight_lines(name, function, low_limits, rng):
    model, algorithm = robots()[name], getattr(kt.algorithms, function)
    straight, rolled = (program(algorithm, model, rolls=rolls) for rolls in (False, True))
    assert not straight.loops.regions and len(rolled.loops.regions) > 2
    states = [model.random(rng, (11,)), *rng.normal(size=(2, 11, model.nv))][: len(straight.inputs)]
    kernel = kt.Kernel(rolled)
    batch = kernel(*states)
    single = [kernel(*state) for state in zip(*states, strict=True)]
    for k, (wanted, interpreted) in enumerate(zip(straight.evaluate(*states), rolled.evaluate(*states), strict=True)):
        found = batch if len(straight.outputs) == 1 else batch[k]
        alone = np.stack(single if len(straight.outputs) == 1 else [x[k] for x in single])
        tolerance = 1e-12 * np.abs(wanted).max()
        np.testing.assert_allclose(interpreted, wanted, rtol=0, atol=tolerance)
        np.testing.assert_allclose(found, wanted, rtol=0, atol=tolerance)
        np.testing.assert_array_equal(found, alone)


def test_rows_of_a_chain_are_not_moved_between_its_joints(low_limits):
    """Each joint's table is what the loop of the next one left, and one row of its own; one state is eight lanes."""
    rolled = program(kt.algorithms.mass_matrix, robots()["chain"], rolls=True)
    assert wide_regions(rolled.loops) == set(range(len(rolled.loops.regions)))
    for lanes, passes in ((8, 1), (1, 8)):
        plan = Plan(rolled, lanes, "double", True, passes, joins=True)
        tables = [k for k, write in enumerate(rolled.loops.writes) if write.rows]
        assert [plan.series_places[k].new_rows for k in tables[1:]] == [1] * (len(tables) - 1)


def test_right_sides_are_solved_for_by_branches(low_limits, monkeypatch):
    """Four legs and the base: a loop for each, in which zeros of the tree are not computed."""
    monkeypatch.setattr(subtree_rows, "LOOP_FROM_ROWS_OF_MODEL", 10**9)
    legged = kt.load("quadruped", base="free").model
    rolled = program(kt.algorithms.forward_dynamics_derivatives, legged, rolls=True)
    straight = program(kt.algorithms.forward_dynamics_derivatives, legged)
    assert rolled.count().mul < 1.25 * straight.count().mul
    assert rolled.size < 0.6 * straight.size
