"""Base parameters: two independent ways agree, the regressor is theirs, and the classical groupings come out."""

from __future__ import annotations

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.identify import base_parameters
from kinetrace.model import joints
from kinetrace.model.zoo.random import random_mdh_chain, random_pose

RIGHT = np.pi / 2
PUMA = [(0, 0, 0, 0), (0, -RIGHT, 0, 0), (0.4318, 0, 0.15, 0), (-0.02, -RIGHT, 0.4331, 0)]
PUMA += [(0, RIGHT, 0, 0), (0, -RIGHT, 0, 0)]
"""Modified Denavit–Hartenberg rows (a, alpha, d, theta)."""
SCARA = [(0, 0, 0.4, 0), (0.3, 0, 0, 0), (0.25, np.pi, 0, 0), (0, 0, 0, 0)]


def arm(table, gravity=(0.0, 0.0, -9.81), kinds=None):
    return kt.from_dh(table, kinds=kinds, gravity=gravity, check="ignore", backend="numpy")


def assert_same(robot, **columns):
    s, n = (base_parameters(robot, method=method, **columns) for method in ("structural", "numerical"))
    assert min(s.gap, n.gap) > 1e8  # the count is beyond doubt
    assert s.names == n.names
    np.testing.assert_allclose(s.regrouping, n.regrouping, rtol=0, atol=1e-8 * np.abs(n.regrouping).max())
    return s


def motion(robot, n=20):
    rng = np.random.default_rng(1)
    return robot.random(n, seed=2), *rng.normal(size=(2, n, robot.nv))


BOTH = [{}, {"friction": True, "rotor": True}]


@pytest.mark.parametrize("name", sorted(set(kt.robot_names(closed=False)) - {"humanoid"}))
def test_both_methods_agree_on_bundled_robots(name):
    robot = kt.load(name, backend="numpy")
    columns = BOTH[name == "stanford"]
    found = assert_same(robot, **columns)
    q, v, a = motion(robot)
    Y, pi = robot.regressor(q, v, a, **columns), np.random.default_rng(3).normal(size=len(found.parameters))
    np.testing.assert_allclose(Y[..., found.columns] @ found.of(pi), Y @ pi, rtol=0, atol=1e-9 * np.abs(Y @ pi).max())
    np.testing.assert_array_equal(found.regrouping[:, found.columns], np.eye(found.count))


def test_the_rank_of_a_humanoid():
    """Against plain floats: to trace it takes longer."""
    robot, rng = kt.load("humanoid", base="free"), np.random.default_rng(4)
    states = [(robot.random(seed=i), *rng.normal(size=(2, robot.nv))) for i in range(20)]
    Y = np.concatenate([kt.algorithms.regressor(robot.model, *state) for state in states])
    found = base_parameters(robot)
    sizes = np.linalg.norm(Y, axis=0)
    assert found.count == np.linalg.matrix_rank(Y / np.where(sizes > 0, sizes, 1), 1e-9) == 241
    np.testing.assert_allclose(Y[:, found.columns] @ found.regrouping, Y, rtol=0, atol=1e-9 * np.abs(Y).max())


@pytest.mark.parametrize("seed", range(6))
def test_both_methods_agree_on_trees_of_every_joint(seed):
    """Fixed and free, with and without gravity; the first has a mimic joint."""
    robot = kt.random_tree(8 if seed < 1 else 4, seed, base=("fixed", "free")[seed % 2], backend="numpy")
    if seed in (2, 3):
        robot = robot.with_parameters(gravity=np.zeros(3))
    for columns in BOTH if seed else BOTH[1:]:
        assert_same(robot, **columns)


@pytest.mark.alternates(2, "table", "gravity")
@pytest.mark.parametrize("gravity", [(0, 0, -9.81), (0, -9.81, 0), (3, -5, 7), (0, 0, 0)])
@pytest.mark.parametrize(("table", "kinds"), [(PUMA, None), (SCARA, "RRPR"), (PUMA[:3], "PPR"), (SCARA[:3], None)])
def test_both_methods_agree_on_arms_in_any_gravity(table, kinds, gravity):
    robot = arm(table, gravity, kinds)
    for columns in BOTH if len(table) < 6 else BOTH[1:]:
        assert_same(robot, **columns)


@pytest.mark.parametrize("seed", range(2))
def test_parallel_axes_first(seed):
    """7n − 4 β, β the number of parallel axes from the base, and 2 less if gravity is along them too.

    It follows from Gautier and Khalil's rules for revolute joints (1990): seven parameters per link, of the first β
    links ZZ, MX and MY alone, and of link 1 not even the last two if gravity is along its axis. Mayeda, Yoshida and
    Osuka (1990) count the same arms, whose neighbouring axes are parallel or perpendicular.
    """
    rng = np.random.default_rng(seed)
    for n, beta in ((2, 2), (4, 1), (4, 2), (5, 3)):
        twists = [0.0] * beta + [RIGHT] * (n - beta)
        table = [(*rng.uniform(0.1, 0.5, 1), twist, rng.uniform(0.1, 0.5), 0) for twist in twists]
        assert base_parameters(arm(table)).count == 7 * n - 4 * beta - 2
        assert base_parameters(arm(table, (9.81, 0, 0))).count == 7 * n - 4 * beta


def test_counts_of_known_arms():
    """PUMA 560: 36, Panda: 43, by the same formula, without friction and rotors."""
    assert base_parameters(arm(PUMA)).count == base_parameters(kt.load("puma560")).count == 7 * 6 - 4 - 2
    assert base_parameters(kt.load("panda")).count == 7 * 7 - 4 - 2


def closed_forms(table, along_gravity):
    """B (count, 10 n) by the relations that Gautier and Khalil give for revolute joints, base last.

    Direct calculation of minimum set of inertial parameters of serial robots, IEEE Trans. Robotics Automat. 6 (1990):
    with modified Denavit–Hartenberg frames YY, MZ and M of link j, of twist α, d along x and r along z, go to the link
    before, and XX becomes XX − YY. Of link 1 only ZZ acts, and MX and MY unless its axis is along gravity.
    """
    names = ("M", "MX", "MY", "MZ", "XX", "XY", "XZ", "YY", "YZ", "ZZ")
    at = {(name, j): 10 * j + i for j in range(len(table)) for i, name in enumerate(names)}
    B = np.eye(10 * len(table))
    for j in range(len(table) - 1, 0, -1):
        d, alpha, r, _ = table[j]
        c, s = np.cos(alpha), np.sin(alpha)
        YY, MZ, M = (B[at[name, j]].copy() for name in ("YY", "MZ", "M"))
        moved = {
            "XX": YY + 2 * r * MZ + r**2 * M,
            "XY": d * s * (MZ + r * M),
            "XZ": -d * c * (MZ + r * M),
            "YY": c**2 * (YY + 2 * r * MZ) + (d**2 + r**2 * c**2) * M,
            "YZ": c * s * (YY + 2 * r * MZ + r**2 * M),
            "ZZ": s**2 * (YY + 2 * r * MZ) + (d**2 + r**2 * s**2) * M,
            "MX": d * M,
            "MY": -s * (MZ + r * M),
            "MZ": c * (MZ + r * M),
            "M": M,
        }
        for name, row in moved.items():
            B[at[name, j - 1]] += row
        B[at["XX", j]] -= YY
    first = [at["ZZ", 0]] if along_gravity else [at[name, 0] for name in ("MX", "MY", "ZZ")]
    rest = [at[name, j] for j in range(1, len(table)) for name in ("MX", "MY", "XX", "XY", "XZ", "YZ", "ZZ")]
    return sorted(first + rest), B[sorted(first + rest)]


@pytest.mark.parametrize("along_gravity", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_groupings_are_those_of_gautier_and_khalil(seed, along_gravity):
    rng = np.random.default_rng(seed)
    table = np.stack([rng.uniform(0.1, 0.5, 5), rng.uniform(0.2, 1.3, 5), rng.uniform(0.1, 0.5, 5), np.zeros(5)], -1)
    table[0] = 0
    table = PUMA if seed == 0 else table
    columns, B = closed_forms(table, along_gravity)
    found = base_parameters(arm(table, (0, 0, -9.81) if along_gravity else (0, -9.81, 0)))
    assert found.columns.tolist() == columns
    np.testing.assert_allclose(found.regrouping, B, rtol=0, atol=1e-10)


def test_a_rotor_joins_the_moment_about_its_axis_where_no_gyroscopic_force_tells_them_apart():
    """Gautier and Khalil's rule: Ia goes to ZZ for the first joint, and for the second if it is perpendicular."""
    found = base_parameters(arm(PUMA), rotor=True)
    assert [name for name in found.names if "rotor" in name] == [f"joint{i}.rotor" for i in range(3, 7)]
    assert found.groupings[0].startswith("link1.Izz + ")
    assert found.groupings[0].endswith(" + joint1.rotor")


def test_names():
    found = base_parameters(kt.load("planar2r", gravity=(0, 0, -9.81)))
    assert found.groupings == (
        "link1.hx + link2.m",
        "link1.hz",
        "link1.Iyy + link2.m",
        "link2.hx",
        "link2.hz",
        "link2.Iyy",
    )
    assert "link2.hy" in found.unidentifiable
    assert set(found.names).isdisjoint(found.unidentifiable)
    assert repr(found) == "BaseParameters(6 of 20)"
    both = found.of(np.ones((3, 2, 10)))
    np.testing.assert_array_equal(both, found.of(np.ones((3, 20))))


def test_what_is_wrong_is_named():
    robot = kt.load("planar2r")
    with pytest.raises(kt.InputError, match=r"unknown method 'symbolic'.*numerical, structural"):
        base_parameters(robot, method="symbolic")
    with pytest.raises(kt.InputError, match=r"pi must have shape \(\.\.\., 20\), got \(7,\)"):
        base_parameters(robot).of(np.zeros(7))
    with pytest.raises(kt.InputError, match="tol must be between 0 and 1, got -1"):
        base_parameters(robot, tol=-1)
    with pytest.raises(kt.InputError, match="expected a Robot, got Model"):
        base_parameters(robot.model)


def test_the_count_does_not_depend_on_the_precision_of_the_robot():
    assert base_parameters(kt.load("planar2r", dtype="float32"), method="numerical").count == 6


LEFT = {
    joints.Revolute: {"m", "h along", "I across"},
    joints.Prismatic: {"I"},
    joints.Cylindrical: {"I across"},
    joints.Helical: {"I across"},
    joints.Planar: {"I across"},
    joints.Universal: {"m"},
    joints.Spherical: {"m"},
    joints.Free: set(),
}
"""What a joint leaves to a parent that moves in every way: what its motion neither moves nor turns."""


@pytest.mark.parametrize("kind", LEFT, ids=lambda kind: kind.__name__)
def test_what_a_joint_leaves_to_its_parent(kind):
    joint = kind([0, 0, 1], 0.3) if kind is joints.Helical else kind()
    builder = kt.Builder("pair")
    for name in ("parent", "child"):
        builder.link(name, np.eye(6))
    builder.joint("joint", joint, parent="parent", child="child", placement=random_pose(np.random.default_rng(0)))
    found = base_parameters(kt.Robot(builder.build("free")))
    units = {"m": [0], "h along": [3], "I": range(4, 10)}
    left = [np.eye(10)[i] for part in LEFT[kind] & units.keys() for i in units[part]]
    left += [np.eye(10)[4] + np.eye(10)[7]] if "I across" in LEFT[kind] else []
    assert found.count == 20 - len(left)
    child = [i for i, name in enumerate(found.names) if name.startswith("child")]
    for pi in left:
        assert np.abs(found.of(np.concatenate([np.zeros(10), pi])[None].reshape(2, 10))[child]).max(initial=0) < 1e-12


def test_general_chains_need_no_special_case():
    assert base_parameters(kt.Robot(random_mdh_chain(6, 1, general=True).build())).count == 7 * 6 - 4
