"""Robots in worlds, in pages and drawings: ground, objects, contacts, and steps with contacts run by node."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import zlib
from base64 import b64decode
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.view import programs as page_programs
from kinetrace.view.programs import programs
from kinetrace.view.solids import solids
from kinetrace.view.worlds.shown import free_objects, ground_pose, placed_objects, robot_part, shown
from kinetrace.worlds.pictures import hull_triangles

NODE = shutil.which("node")
TILT = np.radians(15)
UP = np.array([-np.sin(TILT), 0.0, np.cos(TILT)])
DT = 2e-3


def hills():
    x = np.linspace(0, 6, 20)
    return kt.worlds.Heights(0.05 * np.sin(x)[:, None] * np.cos(x), lengths=[3.0, 2.0])


@cache
def quadruped():
    return kt.load("quadruped", base="free")


@cache
def worlds():
    box = kt.worlds.Box([0.1, 0.1, 0.1], mass=0.5, pose=[0.6, 0, 0.4])
    pairs = [(x, "ground") for x in ("FL_foot", "FR_foot", "RL_foot", "RR_foot", "box")]
    return {
        "slope": kt.World(ground=kt.worlds.Plane(normal=UP), pairs=pairs, objects={"box": box}, friction=0.8),
        "hills": kt.World(ground=hills(), pairs=[("FL_foot", "ground"), ("RR_foot", "ground")]),
    }


@cache
def fallen(name):
    """The quadruped falls on to its feet, and further."""
    q = quadruped().home() + np.eye(19)[2] * 0.08
    return quadruped().simulate(q, np.zeros(18), 0.2, DT, world=worlds()[name])


def scene_of(view):
    return json.loads(re.search(r'id="kinetrace-scene">(.*?)</script>', view.html, re.DOTALL)[1])


def numbers(packed):
    data = b64decode(packed["data"])
    return np.frombuffer(zlib.decompress(data, 31) if packed.get("gzip") else data, "<f4")


@pytest.mark.skipif(NODE is None, reason="node is not here")
@pytest.mark.parametrize("name", ["slope", "hills"])
def test_the_page_steps_and_finds_forces_as_simulate_does(name):
    motion = fallen(name)
    scene, steps = motion.scene, len(motion) - 1
    script = f"""
    const robot = {programs(quadruped().with_world(worlds()[name]).model)};
    let s = {{ q: {scene.q[0].tolist()}, v: new Float64Array(robot.nv) }};
    for (let k = 0; k < {steps}; k++) s = robot.step(s.q, s.v, new Float64Array(robot.nv), {DT}, s.kept);
    const {"{ gaps, points, forces }"} = robot.contacts(scene_q, s.kept, {DT});
    console.log(JSON.stringify([s.q, s.v, gaps, points, forces].map((x) => Array.from(x)).concat([robot.slots])));
    """.replace("scene_q", json.dumps(scene.q[-1].tolist()))
    done = subprocess.run([NODE, "-"], input=script, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    q, v, gaps, points, forces, slots = json.loads(done.stdout)
    contacts = motion.contacts
    assert tuple(slots) == contacts.names and contacts.touching[-1].sum() >= 2
    np.testing.assert_allclose(q, scene.q[-1], atol=1e-11)
    np.testing.assert_allclose(v, scene.v[-1], atol=1e-9)
    np.testing.assert_allclose(gaps, contacts.gaps[-1], atol=1e-12)
    np.testing.assert_allclose(np.reshape(points, (-1, 3)), contacts.points[-1], atol=1e-12)
    np.testing.assert_allclose(np.reshape(forces, (-1, 3)), contacts.forces[-1], atol=1e-7)  # of impulses, over dt


@pytest.mark.skipif(NODE is None, reason="node is not here")
def test_the_page_keeps_what_steps_keep_of_dry_friction():
    robot = kt.load("planar2r").with_joint_effects(friction=30.0, friction_law="dry")
    model, v = robot.model, np.array([1.0, -2.0])
    script = f"""const robot = {programs(model)}; let s = {{ q: [0.3, 0.4], v: {v.tolist()} }};
    for (let k = 0; k < 200; k++) s = robot.step(s.q, s.v, [0, 0], {DT}, s.kept);
    console.log(JSON.stringify([Array.from(s.q), Array.from(s.v), s.kept.length]));"""
    q, v_end, kept = json.loads(subprocess.run([NODE, "-"], input=script, capture_output=True, text=True).stdout)
    motion = robot.simulate([0.3, 0.4], v, 200 * DT, DT)
    np.testing.assert_allclose(q, motion.q[-1], atol=1e-12)
    np.testing.assert_allclose(v_end, motion.v[-1], atol=1e-12)
    assert kept == 2


def test_motions_show_their_world_and_contacts():
    motion = fallen("slope")
    view = quadruped().view(motion, open=False)
    scene = scene_of(view)
    (robot,), contacts = scene["robots"], motion.contacts
    assert scene["options"]["show"] == ["closures", "contacts"] and scene["t"] and robot["objects"] == [13]
    X = np.reshape(robot["ground"], (4, 4))
    assert X[:3, 2] == pytest.approx(UP, abs=1e-8)
    assert "plane" not in {x["kind"] for x in robot["shapes"]}  # it is the floor
    assert [x["kind"] for x in robot["shapes"] if x["body"] == 13 and x["role"] == "visual"] == ["box"]
    kept = np.searchsorted(motion.t, view.t)
    of_page = robot["contacts"]
    ever = [contacts.names.index(name) for name in of_page["names"]]
    assert ever == np.flatnonzero(contacts.touching[kept].any(axis=0)).tolist()
    forces = numbers(of_page["forces"]).reshape(len(kept), -1, 3)
    pushed = contacts.touching[kept][:, ever, None]
    np.testing.assert_allclose(forces, pushed * contacts.forces[kept][:, ever], rtol=1e-6, atol=1e-4)
    points = numbers(of_page["points"]).reshape(forces.shape)
    np.testing.assert_allclose(points, pushed * contacts.points[kept][:, ever], atol=1e-6)
    lengths = np.linalg.norm(forces, axis=-1)
    assert lengths[lengths > 0].min() < of_page["usual"] < lengths.max()


def test_lanes_have_grounds_of_their_own_and_a_motion_has_one_world():
    robot, flat = quadruped(), [0.0, 0.0, 1.0]
    world = kt.World(ground=kt.worlds.Plane(normal=[flat, UP]), pairs="feet")
    motion = robot.simulate(robot.home() + np.eye(19)[2] * 0.1, np.zeros(18), 0.01, DT, world=world)
    for lane, normal in ((motion, flat), (motion.lane(1), UP)):
        model = shown(robot, lane, None, None).robot.model
        assert ground_pose(model)[:3, 2] == pytest.approx(normal)
        assert model.frames["ground"].X_bf[:3, 2] == pytest.approx(normal)
    with pytest.raises(kt.InputError, match="world of its own"):
        robot.view(motion, world=world, open=False)


def test_states_stand_beside_objects_where_these_begin():
    robot = kt.Robot(replace(kt.load("planar2r").model, geometry=()))  # drawn as capsules, beside what has shapes
    world = kt.World(
        objects={"box": kt.worlds.Box([0.3] * 3, mass=1.0, pose=[1.2, 0, 0.15])}, pairs=[("box", "ground")]
    )
    q = np.array([[0.1, 0.2], [0.3, 0.4]])
    given = shown(robot, q, None, world)
    assert given.q == pytest.approx(np.hstack([q, np.tile([1.2, 0, 0.15, 1, 0, 0, 0], (2, 1))]))
    model = given.robot.model
    assert (free_objects(model), placed_objects(model)) == ({2}, {"ground"})
    assert robot_part(model).joint_names == robot.model.joint_names
    assert {x.body for x in solids(model)} == {-1, 0, 1, 2}
    kinds = {x["kind"] for x in scene_of(robot.view(q, world=world, open=False))["robots"][0]["shapes"]}
    assert kinds == {"capsule", "cylinder", "box"}
    with pytest.raises(kt.InputError, match=r"shape \(\.\.\., 2\), got \(3,\)"):
        robot.view([0.0, 0.0, 0.0], world=world, open=False)


def test_pages_of_large_steps_have_no_simulation(monkeypatch):
    robot = kt.load("planar2r")
    world = kt.World(objects={"ball": kt.worlds.Sphere(0.1, mass=1.0, pose=[3, 0, 1])}, pairs=[("ball", "ground")])
    model = robot.with_world(world).model
    assert "advance: robot" in programs(model)
    monkeypatch.setattr(page_programs, "LARGE_STEP", 100)
    text = programs(model)
    assert "advance: robot" not in text and '"slots":["ball-ground"]' in text


def test_drawings_have_ground_points_and_arrows():
    pytest.importorskip("matplotlib").use("Agg")
    motion = fallen("slope")
    ax = quadruped().draw(motion, ghosts=0)
    touching = int(motion.contacts.touching[-1].sum())
    dots = [line for line in ax.lines if line.get_marker() == "o"]
    assert pytest.approx(motion.contacts.points[-1][motion.contacts.touching[-1]]) == np.array(dots[-1].get_data_3d()).T
    heads = len(ax.collections) - 2  # solids and ground
    assert heads == touching
    bare = quadruped().draw(motion, ghosts=0, show=())
    assert len(bare.collections) == 2 and not bare.lines
    ground = ax.collections[0]._vec[:3].T if hasattr(ax.collections[0], "_vec") else None
    if ground is not None:
        assert np.abs(ground @ UP).max() < 1e-9
    standing = quadruped().draw(world=worlds()["hills"])
    assert len(standing.collections) == 2


def test_hulls_are_closed_surfaces_around_all_points():
    rng = np.random.default_rng(0)
    cube = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
    for points in (rng.normal(size=(40, 3)), np.vstack([cube, [[0.5, 0.5, 0.5]], [[0.5, 0.0, 0.0]]])):
        faces = hull_triangles(points)
        edges = {(x, y) for face in faces.tolist() for x, y in zip(face, face[1:] + face[:1], strict=True)}
        assert edges == {(y, x) for x, y in edges} and len(edges) == 3 * len(faces)
        a, b, c = (points[faces[:, k]] for k in range(3))
        normals = np.cross(b - a, c - a)
        assert ((points[None] - a[:, None]) @ normals[..., None]).max() < 1e-12
