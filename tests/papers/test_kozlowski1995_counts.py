"""Kozłowski (1995), section 6: operation counts for revolute chains in modified DH frames.

`docs/counts.md` shows the counts; `python tests/papers/test_kozlowski1995_counts.py` writes it anew.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.model import random_mdh_chain

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


def test_a_right_angle_of_ten_digits_costs_what_an_exact_one_does():
    exact, rounded = arm(np.pi / 2), arm(1.5707963268)
    assert rounded.count("inverse_dynamics") == exact.count("inverse_dynamics")
    unsnapped = arm(1.5707963268, snap_constants=False).count("inverse_dynamics")
    assert unsnapped.mul > 1.1 * exact.count("inverse_dynamics").mul
    q, v, a = np.random.default_rng(0).normal(size=(3, 5))
    np.testing.assert_allclose(
        rounded.inverse_dynamics(q, v, a),
        arm(1.5707963268, snap_constants=False).inverse_dynamics(q, v, a),
        rtol=0,
        atol=1e-8,  # the robots differ by 5e-12 rad a joint
    )


def test_a_slightly_skewed_axis_is_kept():
    assert arm(np.pi / 2 + 1e-6).count("inverse_dynamics").mul > arm(np.pi / 2).count("inverse_dynamics").mul


# -- table 3: forward dynamics ----------------------------------------------------------------------------------------

THIRD, HALF, SIXTH = Fraction(1, 3), Fraction(1, 2), Fraction(1, 6)
TABLE_3 = {
    "articulated bodies (Featherstone 1987)": ((0, 0, 579, -526), 2948, 6422),
    "first method (Walker and Orin 1982)": ((THIRD, 130 + HALF, 197 + SIXTH, -33), 5920, 21701),
    "second method (Walker and Orin 1982)": ((THIRD, 66 + HALF, 261 + SIXTH, -33), 4000, 13253),
    "third method (Walker and Orin 1982)": ((SIXTH, 21 + HALF, 358 + SIXTH, -113), 2882, 7857),
    "fourth method (Walker and Orin 1982)": ((0, 132 + HALF, 207, -31), 5967, 21537),
    "Brandl, Johanni and Otter (1986)": ((0, 0, 470, -420), 2400, 5220),
    "numerical solution (Kozłowski 1992)": ((THIRD, 20 + HALF, 341 + SIXTH, -395), 2462, 7227),
    "Kalman filter and smoother (Kozłowski 1993)": ((0, 0, 477, -503), 2359, 5221),
}
"""Method → its formula, as the coefficients of N³, N², N and 1, and its values for N = 6 and 12, all as printed."""
REPAIRED = {
    "third method (Walker and Orin 1982)": (THIRD, 21 + HALF, 358 + SIXTH, -113),
    "fourth method (Walker and Orin 1982)": (0, 132 + 2 * THIRD, 207, -51),
}
"""Formulas that do not give the numbers printed beside them, with few changes such that they do."""
METHODS = ("FD1", "FD3", "FD4", "solve")
BEST_PUBLISHED = {6: 2359, 12: 5220}


@cache
def forward(n: int, seed: int, general: bool, method: str | None) -> int:
    """Multiplications, divisions and additions of forward dynamics; the table counts divisions, but no sines, too."""
    static = {} if method is None else {"method": method}
    return kt.Robot(random_mdh_chain(n, seed, general).build()).count("forward_dynamics", **static).flops


def most(n: int, general: bool, method: str | None) -> int:
    return max(forward(n, seed, general, method) for seed in SEEDS)


def value(formula: tuple[Fraction | int, ...], n: int) -> Fraction:
    return sum(c * Fraction(n) ** k for c, k in zip(formula, (3, 2, 1, 0), strict=True))


@pytest.mark.parametrize("method", TABLE_3)
def test_kozlowski1995_table3_formulas_give_the_numbers(method):
    formula, at_6, at_12 = TABLE_3[method]
    assert ((value(formula, 6), value(formula, 12)) == (at_6, at_12)) == (method not in REPAIRED)
    repaired = REPAIRED.get(method, formula)
    assert (value(repaired, 6), value(repaired, 12)) == (at_6, at_12)


@pytest.mark.parametrize("n", [6, 12])
def test_kozlowski1995_table3_forward_dynamics_takes_no_more_than_any_row(n):
    assert min(row[1 if n == 6 else 2] for row in TABLE_3.values()) == BEST_PUBLISHED[n]
    for seed in SEEDS:
        assert forward(n, seed, True, None) <= BEST_PUBLISHED[n]
        assert forward(n, seed, True, None) == min(forward(n, seed, True, method) for method in METHODS)
        assert forward(n, seed, True, "FD4") <= 477 * n - 503
        for method in METHODS:
            assert forward(n, seed, False, method) < 0.75 * forward(n, seed, True, method)


def test_fd4_is_a_straight_line():
    """Exactly O(n): from the fourth on each joint of a general chain adds the same number of operations.

    Of the cheapest of three random chains of a length, that is: where the last body's constant Ω (1 / Ω) rounds to
    1 − 2⁻⁵³ and not to 1, two more multiplications remain.
    """
    counts = {n: [forward(n, seed, True, "FD4") for seed in SEEDS] for n in range(4, 13)}
    assert len(set(np.diff([min(c) for c in counts.values()]).tolist())) == 1
    assert max(max(c) - min(c) for c in counts.values()) <= 2
    assert min(counts[4]) <= 479 * 4 - 718 and min(counts[12]) <= 479 * 12 - 718  # what was reached so far


# -- the page ---------------------------------------------------------------------------------------------------------

PAGE = Path(__file__).parents[2] / "docs" / "counts.md"
TEXT = """# Operation counts

What one state costs, in multiplications, divisions and additions; sines and cosines, two a joint, are not counted, as
in the literature. The robots are serial chains of N revolute joints in modified Denavit–Hartenberg frames with full
inertias (`kinetrace.model.random_mdh_chain`), with general twists and offsets, or with axes parallel or perpendicular
and offsets along x. Rows with a name and year are published, from Kozłowski (1995), section 6 and table 3; the others
are what `Robot.count` finds in the traced program, the largest of three random chains.
`tests/papers/test_kozlowski1995_counts.py` makes this page and checks it.

```python
import kinetrace as kt

kt.load("panda").count("forward_dynamics")  # OpCount(mul, add, div, sqrt, trig) of any algorithm on any robot
```

## Forward dynamics

{forward}

"default" is what `forward_dynamics` takes without `method`: "solve" up to seven degrees of freedom, "FD4" beyond.
Two formulas, marked \\*, do not give the numbers beside them, in the text of the paper that we have; these do:
{repaired}.

## Inverse dynamics

{inverse}
"""


def polynomial(formula: tuple[Fraction | int, ...]) -> str:
    """As people write it: ⅓N³ + 20½N² − 395."""
    terms = []
    for c, power in zip(formula, ("N³", "N²", "N", ""), strict=True):
        whole, rest = divmod(abs(Fraction(c)), 1)
        part = {0: "", THIRD: "⅓", HALF: "½", SIXTH: "⅙", 2 * THIRD: "⅔"}[rest]
        if c:
            terms.append(f"{'−' if c < 0 else '+'} {whole or ''}{part}{power}")
    return " ".join(terms).removeprefix("+ ")


def line(at_6: int, at_12: int) -> str:
    slope = (at_12 - at_6) // 6
    return polynomial((0, 0, slope, at_6 - 6 * slope))


def table(rows: list[tuple[object, ...]]) -> str:
    head = ("", "general", "N = 6", "N = 12", "parallel or perpendicular, N = 6", "N = 12")
    rule = ("---", "---", *["---:"] * 4)
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in (head, rule, *rows))


def page() -> str:
    forward_rows: list[tuple[object, ...]] = [
        (name, polynomial(formula) + " \\*" * (name in REPAIRED), at_6, at_12, "", "")
        for name, (formula, at_6, at_12) in TABLE_3.items()
    ]
    for method in (*METHODS, None):
        at_6, at_12 = most(6, True, method), most(12, True, method)
        growth = line(at_6, at_12) if method in ("FD1", "FD3", "FD4") else "O(N³)" if method else ""
        others = most(6, False, method), most(12, False, method)
        name = f'kinetrace, "{method}"' if method else "**kinetrace, default**"
        forward_rows.append((name, growth, at_6, at_12, *others))
    published = [(142 + 109) * n - 161 - 135 for n in (6, 12)] + [(104 + 87) * n - 117 - 102 for n in (6, 12)]
    ours = [max(count(n, seed, general).flops for seed in SEEDS) for general in (True, False) for n in (6, 12)]
    inverse_rows = [
        ("Newton–Euler, customised (Kozłowski 1995)", line(*published[:2]), *published),
        ("**kinetrace**", line(*ours[:2]), *ours),
    ]
    repaired = " and ".join(map(polynomial, REPAIRED.values()))
    return TEXT.format(forward=table(forward_rows), inverse=table(inverse_rows), repaired=repaired)


def test_the_page_is_up_to_date():
    assert PAGE.read_text(encoding="utf-8") == page(), "write it anew: python tests/papers/test_kozlowski1995_counts.py"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
