"""Robots in worlds in a real browser: contacts of a motion, steps with contacts, the ground."""

from __future__ import annotations

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.view import capture
from kinetrace.view import programs as page_programs

pytest.importorskip("playwright.sync_api", reason="the page is tested through playwright")
if capture.browser_path() is None:
    pytest.skip("the page is tested in Chrome, Chromium or Edge: none was found", allow_module_level=True)

TILT = np.radians(15)
UP = np.array([-np.sin(TILT), 0.0, np.cos(TILT)])
SLOPE = kt.worlds.Plane(normal=UP)


def tower(**more):
    """A box on a box."""
    boxes = {
        f"box{k}": kt.worlds.Box([0.2, 0.2, 0.2], mass=1.0 + k, pose=[0.6, 0, 0.1 + 0.2 * k + 0.02]) for k in range(2)
    }
    return kt.World(objects=boxes, pairs=[("box0", "ground"), ("box1", "box0")], **more)


def test_a_simulation_in_the_page_has_contacts(opened):
    """Boxes fall on each other and stand; forces carry the weight; springs hold no arm but floating robots."""
    page = opened(kt.load("planar2r").view(world=tower(), open=False), size=(900, 500))
    assert page.do("kinetrace.panel.without.textContent") == ""
    before = page.pixels()
    page.do("kinetrace.setMode('simulate'); kinetrace.simulation.running = false")
    assert page.do("[kinetrace.simulation.gravity, kinetrace.simulation.hold]") == [True, False]
    page.do("() => { for (let k = 0; k < 500; k++) kinetrace.simulation.step(2e-3); kinetrace.robot.update(); }")
    height = page.do("[kinetrace.robot.q[4], kinetrace.robot.q[11]]")
    assert height == pytest.approx([0.1, 0.3], abs=1e-4)
    forces = np.array(page.do("kinetrace.robot.touching.found.map(({ force }) => force.toArray())"))
    assert len(forces) >= 6 and forces.sum(axis=0) == pytest.approx([0, 0, 9.81 * (3.0 + 2.0)], abs=1e-3)
    seen = "kinetrace.robot.overlays.groups.contacts.children.filter((x) => x.visible).length"
    assert page.do(seen) == 2 * len(forces)
    assert np.mean(np.abs(page.pixels() - before).max(axis=-1) > 20) > 0.01
    page.do("kinetrace.stage.canvas.focus()")
    page.tab.keyboard.press("k")
    assert not page.do("kinetrace.robot.overlays.groups.contacts.visible")
    page.do("kinetrace.simulation.reset()")
    assert page.do("[kinetrace.robot.kept, kinetrace.robot.q[4]]") == [None, pytest.approx(0.12)]


def test_legs_are_held_and_the_floor_lies_on_the_slope(opened):
    robot = kt.load("quadruped", base="free")
    q = robot.home()
    q[:7] = [*((q[2] + 0.02) * UP), np.cos(TILT / 2), 0.0, -np.sin(TILT / 2), 0.0]
    feet = [(x, "ground") for x in ("FL_foot", "FR_foot", "RL_foot", "RR_foot")]
    world = kt.World(ground=SLOPE, pairs=feet, friction=0.8)
    page = opened(robot.view(q, world=world, open=False), size=(900, 500))
    stage = "kinetrace.stage"
    assert page.do(f"{stage}.normal.toArray()") == pytest.approx(UP, abs=1e-8)
    assert abs(np.dot(page.do(f"{stage}.floor.position.toArray()"), UP)) < 2e-3 * page.do(f"{stage}.radius")
    page.do("kinetrace.setMode('simulate'); kinetrace.simulation.running = false")
    assert page.do("kinetrace.simulation.hold")
    page.do("() => { for (let k = 0; k < 1500; k++) kinetrace.simulation.step(1e-3); kinetrace.robot.update(); }")
    at, v = np.array(page.do("[...kinetrace.robot.q]")), np.array(page.do("[...kinetrace.robot.v]"))
    assert abs(at[7:] - q[7:]).max() < 0.05 and abs(v).max() < 1e-2  # it stands
    forces = np.array(page.do("kinetrace.robot.touching.found.map(({ force }) => force.toArray())"))
    weight = 9.81 * robot.info()["moving_mass"]
    assert forces.sum(axis=0) == pytest.approx([0, 0, weight], abs=0.02 * weight)


def test_motions_play_with_their_forces(opened):
    robot = kt.load("planar2r")
    motion = robot.simulate([0.0, 0.0], [0.0, 0.0], 0.4, 2e-3, world=tower())
    page = opened(robot.view(motion, open=False), size=(900, 500))
    page.do(f"kinetrace.still({motion.t[-1]})")
    found = page.do(
        "kinetrace.robot.touching.found.map(({ point, force }) => [...point.toArray(), ...force.toArray()])"
    )
    touching = motion.contacts.touching[-1]
    expected = np.hstack([motion.contacts.points[-1], motion.contacts.forces[-1]])[touching]
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-4)
    page.do("kinetrace.still(0.0)")
    assert page.do("kinetrace.robot.touching.found.length") == motion.contacts.touching[0].sum()


def test_a_page_says_why_it_simulates_no_contacts(opened, monkeypatch):
    monkeypatch.setattr(page_programs, "LARGE_STEP", 100)
    page = opened(kt.load("planar2r").view(world=tower(), open=False), size=(900, 500))
    said = page.do("kinetrace.panel.without.textContent")
    assert "places where shapes may touch are too many" in said
    assert page.do("kinetrace.simulation.robots.length") == 0
