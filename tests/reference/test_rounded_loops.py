"""Loops of files whose numbers are rounded: those that are nearly closed close, and one that cannot drops no others."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.algorithms.closed.assembly import NEARLY_CLOSED_RESIDUAL
from kinetrace.analysis.verify import verify

pytest.importorskip("mujoco")

HINGE = '<joint name="{0}" axis="0 1 0"/>'


def rounded(rng, size, *numbers):
    """Numbers as a file has them that was written with few digits."""
    return " ".join(f"{x + size * rng.normal():.12g}" for x in numbers)


def leg(side, rng, off, askew):
    """Hip, knee and ankle, and two planar four-bars beside the shin; their ends, as pairs of sites."""
    loops = foot = shin = ""
    for k, (x, y) in enumerate(((-0.05, 0.03), (0.05, -0.03))):
        name, end = f"{side}{k}", '<site name="{}" pos="{}"/>'
        shin += f'<body name="crank{name}" pos="{rounded(rng, off, 0, y, -0.1)}"'
        shin += f' quat="{rounded(rng, askew, 1, 0, 0, 0)}">{HINGE.format("crank" + name)}<geom size=".01"/>'
        shin += f'<body name="rod{name}" pos="{rounded(rng, off, x, 0, 0)}">{HINGE.format("rod" + name)}'
        shin += f'<geom size=".01" pos="0 0 -.1"/>{end.format("a" + name, "0 0 -.3")}</body></body>'
        foot += end.format("b" + name, rounded(rng, off, x, y, 0))
        loops += f'<connect name="loop{name}" site1="a{name}" site2="b{name}"/>'
    foot = f'<body name="foot{side}" pos="0 0 -.4">{HINGE.format("ankle" + side)}<geom size=".05"/>{foot}</body>'
    shin = f'<body name="shin{side}" pos="0 0 -.4">{HINGE.format("knee" + side)}<geom size=".05"/>{shin}{foot}</body>'
    y = 0.1 if side == "l" else -0.1
    thigh = f'<body name="thigh{side}" pos="0 {y} 0">{HINGE.format("hip" + side)}<geom size=".05"/>{shin}</body>'
    return thigh, loops


def legs(off, askew=0.0, more=""):
    """Two legs with four loops; a part that is a metre too short for `more`."""
    rng = np.random.default_rng(0)
    parts = [leg(side, rng, off, askew) for side in "lr"]
    arm = '<body name="arm"><joint name="arm" axis="0 0 1"/><geom size=".1"/><site name="hand" pos=".2 0 0"/></body>'
    pelvis = f'<body name="pelvis"><freejoint name="root"/><geom size=".1"/><site name="far" pos="1.2 0 0"/>{arm}'
    bodies = pelvis + "".join(body for body, _ in parts) + "</body>"
    return f"<mujoco><worldbody>{bodies}</worldbody><equality>{more}{''.join(x for _, x in parts)}</equality></mujoco>"


def loaded(text, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        robot = kt.load(text, backend="numpy", **options)
    return robot, [str(w.message) for w in caught]


@pytest.fixture(scope="module")
def exact():
    robot, said = loaded(legs(0.0))
    assert not said
    return robot


@pytest.mark.parametrize(("off", "askew"), [(2e-8, 0.0), (1e-6, 1e-5)], ids=["shifted", "askew"])
def test_loops_that_are_nearly_closed_close_everywhere(off, askew, exact):
    robot, said = loaded(legs(off, askew))
    assert robot.dof == exact.dof == 6 + 1 + 2 * 3 and robot.closure_names == exact.closure_names
    assert len(said) == 1 + bool(askew) and all(f"open by less than {NEARLY_CLOSED_RESIDUAL:g}" in x for x in said)
    assert all(f"'loop{x}' between 'rod{x}' and 'foot{x[0]}' by " in said[0] for x in ("l0", "l1", "r0", "r1"))
    rng, home = np.random.default_rng(1), robot.home()
    near = np.stack([home, *(robot.integrate(home, 0.2 * rng.normal(size=robot.nv)) for _ in range(2))])
    q = robot.assemble(near)
    assert np.abs(robot.closure_residual(q)).max() < 1e-14
    assert np.abs(robot.difference(exact.assemble(near), q)).max() < 50 * max(off, askew)  # rods are 0.3 m long
    v = np.array([robot.velocity_map(x) @ np.ones(robot.dof) for x in q])
    a, a_exact = (r.forward_dynamics(q, v, np.zeros(robot.nv)) for r in (robot, exact))
    assert np.abs(a - a_exact).max() < 1e3 * max(off, askew) * np.abs(a_exact).max()
    with pytest.raises(kt.ModelError, match="'loopl0' between 'rodl0' and 'footl'"):
        kt.load(legs(off, askew), check="error")


def test_a_loop_that_cannot_close_does_not_drop_the_others(tmp_path):
    short = '<connect name="short" site1="hand" site2="far"/>'
    robot, said = loaded(legs(1e-6, 1e-6, short))
    assert robot.closure_names == ("loopl0", "loopl1", "loopr0", "loopr1") and robot.dof == 13
    assert any("cannot all hold" in x and "'short' between 'arm' and 'pelvis' by 1" in x for x in said)
    simulated = robot.simulate(robot.home(), np.zeros(robot.nv), t=0.005, dt=1e-3)
    assert np.abs(robot.closure_residual(simulated.q)).max() < 1e-12
    robot.save(tmp_path / "legs.json")
    assert kt.load(tmp_path / "legs.json").model == robot.model
    written = robot.save(tmp_path / "legs.xml")
    again, said = loaded(tmp_path / "legs.xml")  # where all close at first, and open once they move
    assert again.dof == robot.dof and not any("closures" in x for x in written)
    assert any("contradict others" in x for x in said) and not any("moved" in x for x in said)


def test_identities_hold_for_closures_without_rows_that_follow_from_others():
    rng = np.random.default_rng(0)
    body, loops = leg("l", rng, 1e-6, 1e-5)
    robot, _ = loaded(f"<mujoco><worldbody>{body}</worldbody><equality>{loops}</equality></mujoco>")
    assert [x.size for x in robot.model.closures] == [2, 2]
    failed = [result for result in verify(robot, states=1) if not result.holds(1e-9)]
    assert not failed


def test_closures_of_a_file_that_are_nearly_closed():
    b = kt.Builder("four_bar")
    for name in ("crank", "coupler", "rocker"):
        b.link(name, inertia=np.diag([0.1, 0.1, 0.1, 1.0, 1.0, 1.0]))
    hinge = kt.joints.Revolute([0, 1, 0])
    b.joint("crank", hinge, parent="base", child="crank")
    b.joint("coupler", hinge, parent="crank", child="coupler", placement=kt.lie.se3.pose(np.eye(3), [0.3, 0, 0.4]))
    b.joint("rocker", hinge, parent="base", child="rocker", placement=kt.lie.se3.pose(np.eye(3), [1.0, 3e-6, 0]))
    at = {"placement_a": {"xyz": [0.7, 0, 0]}, "placement_b": {"xyz": [0, 0, 0.4]}}
    loop = [{"frame_a": "coupler", "frame_b": "rocker", "joint": "spherical", **at}]
    with pytest.warns(kt.ModelWarning, match=r"'coupler-rocker' between 'coupler' and 'rocker' by 3e-06"):
        robot = kt.load(b, closures=loop, backend="numpy")
    assert robot.dof == 1 and np.abs(robot.closure_residual(robot.assemble(robot.home() + 0.1))).max() < 1e-14
    loop[0]["placement_b"]["xyz"] = [0, 0.1, 0.4]
    with pytest.raises(kt.ModelError, match=r"stays open by 0\.1"):
        kt.load(b, closures=loop, backend="numpy")
