"""Kozłowski (1995), section 6: operation counts of inverse dynamics for revolute chains in modified DH frames."""

from __future__ import annotations

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
