"""What robots look like: skeletons, solids, and pictures as SVG."""

import sys
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.model import Geometry
from kinetrace.model.configurations import home
from kinetrace.view import facets
from kinetrace.view.html import svg
from kinetrace.view.shapes import map_shapes
from kinetrace.view.skeleton import body_poses, skeleton
from kinetrace.view.solids import solids

ROBOTS = {
    "panda": lambda: kt.load("panda"),
    "humanoid": lambda: kt.load("humanoid", base="free"),
    "stewart": lambda: kt.load("stewart"),
    "tree": lambda: kt.random_tree(12, seed=4),
}


@pytest.mark.parametrize("name", ROBOTS)
def test_joints_are_drawn_where_they_move(name):
    """Centre and axis of each symbol, beside poses and the columns of the space Jacobian."""
    model = ROBOTS[name]().model
    q = model.random(np.random.default_rng(1))
    poses, seen = body_poses(model, q), 0
    for symbol in skeleton(model).symbols:
        if symbol.body < 0 or symbol.kind == "wheel":
            continue
        body, X = model.bodies[symbol.body], poses[symbol.body]
        assert np.allclose(X, kt.algorithms.pose(model, q, frame=body.name), atol=1e-12)
        if symbol.kind in ("revolute", "prismatic") and body.mimic is None:
            J = kt.algorithms.jacobian(model, q, frame=body.name, expressed_in="space")
            w, v = np.split(J[:, model.slices[body.index][1].start], 2)
            point, axis = X[:3, :3] @ symbol.center + X[:3, 3], X[:3, :3] @ symbol.axis
            along = v - np.cross(point, w)  # zero, or the pitch of a screw along the axis
            assert np.any(w) == (symbol.kind == "revolute")
            assert np.allclose(np.cross(w, axis), 0, atol=1e-12) and np.allclose(np.cross(along, axis), 0, atol=1e-11)
            seen += 1
    assert seen > 0


@pytest.mark.parametrize("name", ROBOTS)
def test_a_skeleton_hangs_together(name):
    """Each body but the floating one begins, or is carried, where a capsule or joint of another body is."""
    model = ROBOTS[name]().model
    made, poses = skeleton(model), body_poses(model, home(model))

    def points(body):
        X = poses[body]
        own = [x for s in made.segments if s.body == body for x in (s.start, s.end)]
        own += [s.center for s in made.symbols if s.body == body]
        return [X[:3, :3] @ x + X[:3, 3] for x in own]

    for body in model.bodies:
        if body.parent >= 0 and body.joint.nv in (1, 3) and type(body.joint).__name__ in ("Revolute", "Spherical"):
            symbol = next(s for s in made.symbols if s.body == body.index)
            at = poses[body.index][:3, :3] @ symbol.center + poses[body.index][:3, 3]
            near = min(np.linalg.norm(at - x) for x in points(body.parent))
            assert near < 0.026 * made.scale, body.name


@pytest.mark.parametrize(
    ("solid", "volume"),
    [
        (facets.box([1.0, 2.0, 3.0]), 6.0),
        (facets.cylinder(0.5, 2.0), np.pi * 0.25 * 2.0),
        (facets.capsule(0.5, 2.0), np.pi * 0.25 * 2.0 + 4 / 3 * np.pi * 0.125),
        (facets.ellipsoid([1.0, 2.0, 0.5]), 4 / 3 * np.pi),
    ],
    ids=["box", "cylinder", "capsule", "ellipsoid"],
)
def test_solids_are_closed_and_seen_from_outside(solid, volume):
    """By the divergence theorem; facets with straight edges lose up to 4 % of a round volume."""
    a, b = solid[:, 2] - solid[:, 0], solid[:, 3] - solid[:, 1]
    area = np.cross(a, b) / 2
    assert np.allclose(area.sum(axis=0), 0, atol=1e-12)
    assert 0.96 * volume < np.einsum("ij,ij->", solid.mean(axis=1), area) / 3 < 1.001 * volume


def test_shapes_of_a_robot_are_where_its_links_are():
    robot = kt.load("ur5e")
    shapes = [x for x in robot.model.geometry if x.role == "visual"]
    made = solids(robot.model)
    assert len(made) == len(shapes)
    for shape, solid in zip(shapes, made, strict=True):
        frame = robot.model.frames[shape.frame]
        assert solid.body == frame.body
        middle = (solid.facets.reshape(-1, 3).min(axis=0) + solid.facets.reshape(-1, 3).max(axis=0)) / 2
        assert np.allclose(middle, (frame.X_bf @ shape.placement)[:3, 3], atol=1e-2)


@pytest.mark.parametrize("name", ["humanoid", "stewart", "bicycle", "planar2r"])
def test_pictures_as_svg_are_small_and_well_formed(name):
    text = svg(kt.load(name).model)
    assert len(text) < 30_000
    tags = {x.tag.rpartition("}")[2] for x in ET.fromstring(text).iter()}
    assert tags == {"svg", "path"}


def test_a_robot_without_bodies_has_an_empty_picture():
    b = kt.Builder("post")
    b.link("base")
    assert svg(b.build()) == "" and solids(b.build()) == []


def test_meshes_are_read_at_their_scale_and_others_become_capsules(tmp_path, monkeypatch):
    pytest.importorskip("trimesh")
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    lines = ["solid a"]
    for face in faces:
        lines += ["facet normal 0 0 0", "outer loop", *(f"vertex {x} {y} {z}" for x, y, z in corners[face])]
        lines += ["endloop", "endfacet"]
    file = tmp_path / "a.stl"
    file.write_text("\n".join([*lines, "endsolid a"]))
    model = kt.load("planar2r").model
    shapes = [
        Geometry("mesh", (2.0, 1.0, -1.0), "link1", np.eye(4), "visual", str(file)),
        Geometry("mesh", (1.0, 1.0, 1.0), "link2", np.eye(4), "visual", str(tmp_path / "missing.stl")),
        Geometry("plane", (0.0, 0.0), "link2", np.eye(4), "visual"),
        Geometry("box", (9.0, 9.0, 9.0), "link1", np.eye(4), "visual", None, (1.0, 0.0, 0.0, 0.0)),
    ]
    made = solids(replace(model, geometry=tuple(shapes)))
    first, *rest = made
    assert {x.body for x in rest} == {1} and len(rest) == 2  # a capsule and its joint
    assert first.body == 0 and first.is_closed and len(first.facets) == 4
    points = np.unique(first.facets.reshape(-1, 3), axis=0)
    assert np.allclose(points, np.unique(corners * [2.0, 1.0, -1.0], axis=0))
    outward = np.einsum("ki,ki->k", first.normals, first.facets[:, :3].mean(axis=1) - points.mean(axis=0))
    assert (outward > 0).all()  # a mirrored mesh is not turned inside out
    monkeypatch.setitem(sys.modules, "trimesh", None)
    with pytest.warns(kt.ModelWarning, match=r"2 mesh files .* pip install trimesh") as warned:
        solids(replace(model, geometry=tuple(shapes)))
    assert len(warned) == 1


def test_bodies_without_visual_shapes_show_those_for_collisions():
    model = kt.load("planar2r").model
    box, ball = (
        Geometry(kind, size, "link1", np.eye(4), role)
        for kind, size, role in (("box", (1.0, 1.0, 1.0), "visual"), ("sphere", (1.0,), "collision"))
    )
    other = replace(ball, frame="link2")
    found = map_shapes(replace(model, geometry=(box, ball, other)), lambda x: (x.body, x.kind))
    assert found == [(0, "box"), (1, "sphere")]
