"""Kozłowski (1995), section 6: operation counts for revolute chains in modified DH frames.

`tools/make_counts.py` has the tables and counts beside them, and writes `docs/counts.md`, which shows both.
"""

from __future__ import annotations

import importlib.util
import sys
from functools import cache
from pathlib import Path

import mpmath
import numpy as np
import pytest

import kinetrace as kt
from kinetrace.model import random_mdh_chain

TOOL = Path(__file__).parents[2] / "tools" / "make_counts.py"
SPEC = importlib.util.spec_from_file_location("make_counts", TOOL)
assert SPEC is not None and SPEC.loader is not None
tool = sys.modules["make_counts"] = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(tool)

N = range(3, 13)
SEEDS = range(3)


def count(n: int, seed: int, general: bool) -> kt.OpCount:
    return kt.Robot(random_mdh_chain(n, seed, general).build()).count("inverse_dynamics")


@pytest.mark.parametrize("n", N)
def test_kozlowski1995_section6_parallel_or_perpendicular_axes(n):
    for seed in SEEDS:
        found = count(n, seed, general=False)
        assert found.mul <= 104 * n - 117
        assert found.add <= 87 * n - 102
        assert (found.div, found.sqrt) == (0, 0)


@pytest.mark.parametrize("n", N)
def test_kozlowski1995_section6_general_axes(n):
    for seed in SEEDS:
        found = count(n, seed, general=True)
        assert found.mul <= 142 * n - 161
        assert found.add <= 109 * n - 135
        assert (found.div, found.sqrt, found.trig) == (0, 0, 2 * n)


def test_the_cost_of_a_general_joint_is_the_same_anywhere_in_the_chain():
    """O(n), exactly: each joint beyond the third adds the same number of operations."""
    counts = [count(n, 0, general=True) for n in N]
    assert len(set(np.diff([c.mul for c in counts]).tolist())) == 1
    assert len(set(np.diff([c.add for c in counts]).tolist())) == 1
    assert counts[0].mul <= 130 * 3 - 151 and counts[-1].mul <= 130 * 12 - 151  # what was reached so far
    assert counts[0].add <= 102 * 3 - 125 and counts[-1].add <= 102 * 12 - 125


URDF = """
<robot name="arm">
  <link name="base"/>
  {links}
</robot>
"""
LINK = """
  <link name="l{i}"><inertial>
    <origin xyz="0.1 0.02 0.03"/><mass value="2"/>
    <inertia ixx="0.02" ixy="0.001" ixz="0.002" iyy="0.03" iyz="0.003" izz="0.025"/>
  </inertial></link>
  <joint name="j{i}" type="revolute">
    <parent link="{parent}"/><child link="l{i}"/>
    <origin xyz="0.3 0 0" rpy="{roll} 0 0"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/>
  </joint>
"""


def arm(roll: float, **settings: object) -> kt.Robot:
    links = [LINK.format(i=i, parent=f"l{i - 1}" if i else "base", roll=repr(roll * (-1) ** i)) for i in range(5)]
    return kt.load(URDF.format(links="".join(links)), **settings)


def test_a_right_angle_of_ten_digits_costs_what_an_exact_one_does_if_asked():
    exact, rounded = arm(np.pi / 2), arm(1.5707963268, snap_constants=1e-10)
    assert rounded.count("inverse_dynamics") == exact.count("inverse_dynamics")
    assert arm(np.pi / 2, snap_constants=False).count("inverse_dynamics").mul > exact.count("inverse_dynamics").mul
    unsnapped = arm(1.5707963268, snap_constants=False).count("inverse_dynamics")
    assert unsnapped.mul > 1.1 * exact.count("inverse_dynamics").mul
    q, v, a = np.random.default_rng(0).normal(size=(3, 5))
    np.testing.assert_allclose(
        rounded.inverse_dynamics(q, v, a),
        arm(1.5707963268, snap_constants=False).inverse_dynamics(q, v, a),
        rtol=0,
        atol=1e-8,  # the robots differ by 5e-12 rad a joint
    )


def test_a_right_angle_of_twelve_digits_moves_as_it_is_written():
    q, v, tau = np.random.default_rng(0).normal(size=(3, 5))
    written = arm(1.57079632679, snap_constants=False).forward_dynamics(q, v, tau)
    np.testing.assert_allclose(arm(1.57079632679).forward_dynamics(q, v, tau), written, rtol=1e-13)
    assert np.abs(arm(np.pi / 2).forward_dynamics(q, v, tau) / written - 1).max() > 1e-11  # what rounding it would do


@pytest.mark.parametrize("wrong", [1.0, -1e-12, np.nan, "1e-10", None])
def test_a_distance_that_is_none(wrong):
    with pytest.raises(kt.InputError, match="snap_constants must be True, False or a number from 0 to 1e-06"):
        arm(1.0, snap_constants=wrong)


def test_a_slightly_skewed_axis_is_kept():
    assert arm(np.pi / 2 + 1e-6).count("inverse_dynamics").mul > arm(np.pi / 2).count("inverse_dynamics").mul


# table 3: forward dynamics

METHODS = ("FD1", "FD3", "FD4", "solve")
BEST_PUBLISHED = {6: 2359, 12: 5220}


@cache
def forward(n: int, seed: int, general: bool, method: str | None) -> int:
    """Multiplications, divisions and additions of forward dynamics; the table counts divisions, but no sines, too."""
    static = {} if method is None else {"method": method}
    return kt.Robot(random_mdh_chain(n, seed, general).build()).count("forward_dynamics", **static).flops


@pytest.mark.parametrize("method", tool.TABLE_3)
def test_kozlowski1995_table3_formulas_give_the_numbers(method):
    formula, at_6, at_12 = tool.TABLE_3[method]
    assert ((formula(6), formula(12)) == (at_6, at_12)) == (method not in tool.REPAIRED_3)
    repaired = tool.REPAIRED_3.get(method, formula)
    assert (repaired(6), repaired(12)) == (at_6, at_12)


@pytest.mark.parametrize("n", [6, 12])
def test_kozlowski1995_table3_forward_dynamics_takes_no_more_than_any_row(n):
    assert min(row[1 if n == 6 else 2] for row in tool.TABLE_3.values()) == BEST_PUBLISHED[n]
    for seed in SEEDS:
        assert forward(n, seed, True, None) <= BEST_PUBLISHED[n]
        fewest = min(forward(n, seed, True, method) for method in METHODS)
        assert forward(n, seed, True, None) <= 1.05 * fewest  # it is chosen by time
        assert forward(n, seed, True, "FD4") <= 477 * n - 503
        for method in METHODS:
            assert forward(n, seed, False, method) < 0.75 * forward(n, seed, True, method)


@pytest.mark.alternates(2, "name", "general")
@pytest.mark.parametrize("name", tool.ROWS_3)
@pytest.mark.parametrize("general", [True, False])
def test_kozlowski1995_table3_formulas_of_our_own_hold_for_longer_arms(name, general):
    """Exactly, though they were fitted to shorter ones; and no row takes more than the published one beside it."""
    row = tool.ROWS_3[name]
    assert row.count(tool.arm(12, general)).flops == tool.growth(row, general)(12)
    assert all(tool.growth(row, general)(n) < tool.TABLE_3[name][0](n) for n in range(3, 30))


@pytest.mark.parametrize("method", tool.WALKER_ORIN)
def test_walker_and_orin_methods_give_the_accelerations(method):
    n = 5
    model = tool.arm(n, True).model
    q, v, tau = np.random.default_rng(0).normal(size=(3, n))
    expected = kt.algorithms.forward_dynamics(model, q, v, tau, method="FD4")
    units = [np.eye(n)] if method is tool.first_method else []
    found = method(model, q, v, tau, *units)
    found = found[0] if units else found
    np.testing.assert_allclose(found, expected, rtol=1e-8 if method is tool.fourth_method else 1e-12)


def test_conjugate_gradients_are_exact_after_n_steps_but_not_in_double_precision():
    n = 12
    model = tool.arm(n, True).model
    state = np.random.default_rng(0).normal(size=(3, n))
    expected = kt.algorithms.forward_dynamics(model, *state, method="FD4")
    assert np.abs(tool.fourth_method(model, *state) / expected - 1).max() > 1e-3
    with mpmath.workdps(60):
        digits = [np.array([mpmath.mpf(float(x)) for x in y]) for y in state]
        found = np.array(tool.fourth_method(model, *digits), dtype=float)
    np.testing.assert_allclose(found, expected, rtol=1e-9)


@pytest.mark.parametrize("method", ["FD4", "solve"])
def test_arms_of_the_tables_cost_what_random_ones_do(method):
    """General arms all the same, but for a constant Ω (1 / Ω) at the tip that may round to 1 − 2⁻⁵³ and not to 1; among
    arms with parallel or perpendicular axes, perpendicular ones cost most."""
    for n in (4, 7):
        general, special = (tool.growth(tool._forward(method), general)(n) for general in (True, False))
        for seed in SEEDS:
            assert abs(forward(n, seed, True, method) - general) <= 2
            assert forward(n, seed, False, method) <= special + 2


# table 2: the diagonalised equations


def test_kozlowski1995_table2_adds_up():
    """With the two repairs every sum is right, those that section 6 and table 3 give too; as printed, two are not."""

    def rows(repaired):
        return {row: np.array(tool.REPAIRED_2.get(row, x) if repaired else x) for row, x in tool.TABLE_2.items()}

    def wrong(row):
        own = {form: sum(row[name] for name in names) for form, names in parts.items()}
        sums = {
            "subtotal": own["common"],
            "subtotal, normalised": own["normalised"],
            "subtotal, unnormalised": own["unnormalised"],
            "normalised": row["subtotal"] + row["subtotal, normalised"],
            "unnormalised": row["subtotal"] + row["subtotal, unnormalised"],
        }
        return {name for name, x in sums.items() if not np.array_equal(row[name], x)}

    parts = {"common": tool.COMMON, "normalised": tool.NORMALISED, "unnormalised": tool.UNNORMALISED}
    assert wrong(rows(repaired=True)) == set()
    assert wrong(rows(repaired=False)) == {"subtotal", "normalised", "unnormalised", "subtotal, unnormalised"}
    totals = {name: row[0] + row[2] for name, row in rows(repaired=True).items()}
    special = {name: row[1] + row[3] for name, row in rows(repaired=True).items()}
    for name in ("normalised", "unnormalised"):
        assert tool.polynomial(*totals[name].tolist()) == tool.TABLE_3[f"{name} equations (Kozłowski 1995)"][0]
    assert special["normalised"].tolist() == [782, -740]


@pytest.mark.parametrize("normalised", [True, False])
@pytest.mark.parametrize("general", [True, False])
def test_rows_of_table2_are_all_of_the_algorithm(general, normalised):
    """Each statement has its row; products, sums and roots of all rows together are what table 3 has."""
    stages, whole = (
        tool.stage_counts(8, general, normalised),
        tool.arm(8, general).count("diagonal_dynamics", normalised=normalised),
    )
    assert sum(stages.values(), start=kt.OpCount()) == whole
    assert whole.sqrt == (7 if normalised else 0) and stages["θ̇"].sqrt == whole.sqrt
    assert (stages["sines"].mul, stages["sines"].add) == (0, 0)


# the page


def test_polynomials_are_fitted_exactly_and_written_as_people_do():
    counts = {n: (n**3 + 3 * n**2) // 2 - 7 + (n == 3) for n in range(2, 12)}
    found = tool.fitted(counts)
    assert (str(found), found.since) == ("½N³ + 1½N² − 7", 4)
    assert str(tool.fitted(dict.fromkeys(range(5), 0))) == "0"
    with pytest.raises(ValueError, match="no polynomial"):
        tool.fitted({n: 2**n for n in range(9)})


def test_the_page_and_its_picture_are_up_to_date():
    assert tool.PAGE.read_text(encoding="utf-8") == tool.page(), "write it anew: python tools/make_counts.py"
    picture = tool.PICTURE.read_text(encoding="utf-8")
    assert f"curves {tool.mark()} " in picture, "draw it anew: python tools/make_counts.py"
