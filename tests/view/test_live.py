"""Live scenes by viser."""

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.view.live import live, sliders
from kinetrace.view.skeleton import body_poses


def test_a_scene_follows_python_and_its_sliders():
    pytest.importorskip("viser")
    robot = kt.load("four_bar")
    with live(robot, port=18080) as scene:
        assert scene.url.startswith("http://127.0.0.1:")
        q = robot.assemble(scene.q + np.array([0.3, 0.0, 0.0]), hold=["crank"])
        scene.show(q)
        found = scene.poses()
        assert all(np.allclose(found[i], X, atol=1e-12) for i, X in body_poses(robot.model, q).items())
        _, handle = scene._sliders[0]
        assert handle.value == pytest.approx(q[0])
        handle.value = q[0] + 0.2  # as a client does
        assert scene.q[0] == pytest.approx(q[0] + 0.2) and np.abs(robot.closure_residual(scene.q)).max() < 1e-9
        with pytest.raises(kt.InputError, match="one configuration"):
            scene.show([q, q])


def test_sliders_have_the_limits_of_joints():
    found = {x.joint: x for x in sliders(kt.load("panda").model)}
    assert (found["panda_joint4"].lower, found["panda_joint4"].upper) == (-3.0718, -0.0698)
    free = sliders(kt.load("planar2r", base="free").model)
    assert [x.place for x in free] == [7, 8]


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "viser", None)
    with pytest.raises(kt.InputError, match=r"pip install viser \(the extra 'live'"):
        live(kt.load("planar2r"))


def test_values_beyond_limits_are_named():
    """Sliders end at their limits, a line above them tells by how much a value is beyond."""
    pytest.importorskip("viser")
    robot = kt.load("panda")
    with live(robot, port=18090) as scene:
        assert scene._beyond.content == ""
        scene.show(robot.home() + np.array([0, 0, 0, 0, 0, 0, 9.0]))
        assert "beyond limits: panda_joint7 (" in scene._beyond.content
