"""Views without a browser: scenes, arguments and their errors."""

from __future__ import annotations

import base64
import gzip
import json
import os
import re
import tempfile
import warnings
import webbrowser
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.cli import main
from kinetrace.model import Geometry
from kinetrace.model.files.load.mesh_files import used_bytes
from kinetrace.view import capture
from kinetrace.view import view as viewing
from kinetrace.view.files import Files
from kinetrace.view.scene import robot_scene
from kinetrace.view.solids import solids


def scene_of(view):
    return json.loads(re.search(r'id="kinetrace-scene">(.*?)</script>', view.html, re.DOTALL)[1])


def test_inertia_ellipsoids_have_the_inertia_of_their_bodies():
    model = kt.random_tree(6, seed=1).model
    for item in robot_scene(model, Files())["inertia"]:
        body, X, radii = model.bodies[item["body"]], np.reshape(item["pose"], (4, 4)), np.square(item["radii"])
        m = float(kt.lie.inertia.mass(body.J))
        I = X[:3, :3] @ np.diag(m / 5 * (radii.sum() - radii)) @ X[:3, :3].T
        assert kt.lie.inertia.from_mass_com(m, X[:3, 3], I) == pytest.approx(body.J, rel=1e-6, abs=1e-7)


def test_pages_and_drawings_show_the_same_shapes(tmp_path):
    """A robot's own ones; capsules where it has none, where a file is missing, or where there is only a floor."""
    model = kt.load("planar2r").model
    missing = Geometry("mesh", (1.0, 1.0, 1.0), "link2", np.eye(4), "visual", str(tmp_path / "missing.stl"))
    floor = Geometry("plane", (0.0, 0.0), "base_link", np.eye(4), "visual")
    box = Geometry("box", (1.0, 2.0, 3.0), "link1", np.eye(4), "visual")
    for shapes, kinds in [
        ((), ["capsule", "capsule", "cylinder", "cylinder", "cylinder"]),
        ((floor,), ["plane", "capsule", "capsule", "cylinder", "cylinder", "cylinder"]),
        ((box, missing), ["box", "capsule", "cylinder"]),
        ((box,), ["box"]),
    ]:
        changed = replace(model, geometry=shapes)
        page, drawing = robot_scene(changed, Files())["shapes"], solids(changed)
        assert [x["kind"] for x in page] == kinds
        seen = [x for x in page if x["kind"] != "plane"]
        assert [x["body"] for x in seen] == [x.body for x in drawing]
        for x, solid in zip(seen, drawing, strict=True):
            points = solid.facets.reshape(-1, 3)
            middle = (points.min(axis=0) + points.max(axis=0)) / 2
            assert middle == pytest.approx(np.reshape(x["pose"], (4, 4))[:3, 3], abs=1e-6)


def test_batches_are_ghosts_and_times_make_motions():
    robot = kt.load("planar2r")
    q = robot.random(4, seed=0)
    one = scene_of(robot.view(q, open=False))["robots"][0]
    assert one["q"] == q[0].tolist() and one["ghosts"] == q[1:].tolist() and "motion" not in one
    moving = scene_of(robot.view(q, t=np.arange(4.0), open=False))
    assert "motion" in moving["robots"][0] and "t" in moving and "ghosts" not in moving["robots"][0]
    fine = robot.view(np.zeros((5001, 2)), t=np.linspace(0, 5, 5001), open=False)
    assert len(fine.t) == 601 and fine.t[-1] == 5


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"q": [0.0]}, r"shape \(\.\.\., 2\), got \(1,\)"),
        ({"q": [0.0, np.nan]}, "q must be finite"),
        ({"q": np.zeros((3, 2)), "t": [0.0, 1.0]}, "one time per row"),
        ({"q": np.zeros((2, 2)), "t": [1.0, 0.0]}, "must not decrease"),
        ({"show": "frame"}, "did you mean 'frames'"),
        ({"theme": "blue"}, "Valid: dark, light|Valid: light, dark"),
        ({"trail": "tip"}, "trail needs a motion"),
        ({"wrench": {"tpi": [0] * 6}}, "did you mean 'tip'"),
        ({"wrench": {"tip": [0] * 3}}, "6 finite numbers"),
        ({"at": [1, 2]}, r"point \(3,\) or a pose"),
        ({"q": np.zeros((300, 2))}, "at most 200 ghosts"),
        ({"beside": 3}, "must be views"),
    ],
)
def test_wrong_arguments_are_named(given, message):
    with pytest.raises(kt.InputError, match=message):
        kt.load("planar2r").view(**given, open=False)


def test_text_of_files_cannot_leave_the_data_of_a_page():
    b = kt.Builder("</script><script>alert(1)</script>")
    b.link("bob", inertia=kt.lie.inertia.from_mass_com(1.0, [0, 0, -0.5], np.zeros((3, 3))))
    b.joint("<!-- hinge", kt.joints.Revolute([0, 1, 0]), parent="base", child="bob")
    text = kt.Robot(b.build()).view(open=False).html
    assert text.count("</script>") == 3 and "<script>alert" not in text and "<!-- hinge" not in text


def test_missing_meshes_are_named_once(tmp_path):
    (tmp_path / "a.urdf").write_text(
        '<robot name="a"><link name="b"><visual><geometry><mesh filename="c.stl"/></geometry></visual></link></robot>'
    )
    robot = kt.load(tmp_path / "a.urdf", check="ignore")
    with pytest.warns(kt.ModelWarning, match="c.stl"):
        assert scene_of(robot.view(open=False))["robots"][0]["shapes"] == []


def test_views_beside_each_other_show_what_each_shows():
    robot = kt.load("planar2r")
    moving = robot.view(np.zeros((2, 2)), t=[0.0, 1.0], trail="tip", theme="dark", open=False)
    pushed = robot.view(wrench={"tip": [0, 0, 0, 1, 0, 0]}, show=(), open=False)
    options = scene_of(robot.view(show="com", beside=[moving, pushed], open=False))["options"]
    assert options == {"show": ["com", "closures", "trail", "wrenches"], "theme": "dark"}
    assert scene_of(robot.view(theme="light", beside=moving, open=False))["options"]["theme"] == "light"


def test_opened_pages_share_a_folder_that_a_later_process_removes(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("DISPLAY", ":0")
    opened = []
    monkeypatch.setattr(webbrowser, "open", lambda url: opened.append(url) or True)
    view = kt.load("planar2r").view(open=False)
    for _ in range(2):  # two processes, the second a day later
        viewing._folder.cache_clear()
        view.open()
        view.open()
        assert len({Path(url).parent for url in opened[-2:]}) == 1 and len(set(opened[-2:])) == 2
        (folder,) = tmp_path.iterdir()
        os.utime(folder, (0, 0))
    assert [path.as_uri() for path in sorted(folder.iterdir())] == opened[2:]
    viewing._folder.cache_clear()


def test_a_picture_without_a_browser_says_what_is_missing(tmp_path, monkeypatch):
    monkeypatch.setattr(capture, "browser_path", lambda: None)
    view = kt.load("planar2r").view(open=False)
    with pytest.raises(kt.InputError, match=r"Chrome, Chromium or Edge|playwright"):
        view.save(tmp_path / "a.png")
    with pytest.raises(kt.InputError, match=r"\.html, \.png, \.gif, \.mp4"):
        view.save(tmp_path / "a.jpg")
    motion = kt.load("planar2r").view([[0, 0], [1, 0]], t=[0, 2], open=False)
    with pytest.raises(kt.InputError, match="from 0 to 2 s, got 99"):
        motion.save(tmp_path / "a.png", time=99)
    monkeypatch.setenv("KINETRACE_BROWSER", str(tmp_path / "none"))
    with pytest.raises(kt.InputError, match=r"none', which does not exist|playwright"):
        view.save(tmp_path / "a.png")


def test_the_command_writes_pages(tmp_path, capsys):
    motion, page = tmp_path / "m.npz", tmp_path / "a.html"
    robot = kt.load("planar2r")
    robot.simulate([0.0, 0.0], [0.0, 0.0], t=0.1, dt=0.05).save(motion)
    assert main(["view", "planar2r", "--motion", str(motion), "--show", "frames,com", "--output", str(page)]) == 0
    assert "planar2r" in page.read_text(encoding="utf-8")
    assert main(["view", "planar2r", "-o", str(tmp_path / "a.txt")]) == 2
    assert ".html" in capsys.readouterr().err


def test_quaternions_that_turn_nothing_are_refused():
    with pytest.raises(kt.InputError, match="is not a rotation"):
        kt.load("quadruped", base="free").view(np.zeros(19), open=False)


SECRET = b"\x89PNG not for the page"
URDF = (
    '<robot name="r"><link name="a"><visual><geometry><mesh filename="meshes/m.{}"/></geometry></visual></link></robot>'
)


def mesh_text(kind, name):
    """A mesh that names another file."""
    if kind == "dae":
        return f"<COLLADA><library_images><image><init_from>{name}</init_from></image></library_images></COLLADA>"
    if kind == "gltf":
        return json.dumps({"asset": {"version": "2.0"}, "buffers": [{"uri": name}]})
    return f"mtllib {name}\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"


def embedded(page):
    """The contents of all files in a page."""
    found = [(base64.b64decode(x["data"]), x.get("gzip")) for x in scene_of(page)["files"].values()]
    return [gzip.decompress(data) if is_packed else data for data, is_packed in found]


@pytest.mark.parametrize(("kind", "suffix"), [("dae", ".png"), ("gltf", ".bin"), ("gltf", ".PNG"), ("obj", ".mtl")])
def test_a_mesh_of_a_stranger_names_files_of_its_robot_alone(tmp_path, kind, suffix):
    """Absolute names, `..`, links, addresses, codes of letters, Windows paths, other kinds of files, pipes."""
    robot, secret = tmp_path / "download" / "robot", tmp_path / f"secret{suffix}"
    (robot / "meshes").mkdir(parents=True)
    secret.write_bytes(SECRET)
    (robot / "meshes" / f"link{suffix}").symlink_to(secret)
    (robot / "meshes" / "folder").symlink_to(tmp_path)
    (robot / "meshes" / "notes.txt").write_bytes(SECRET)
    (robot / "meshes" / f"notes{suffix}").symlink_to(robot / "meshes" / "notes.txt")
    (robot / "meshes" / f"sub{suffix}").mkdir()
    os.mkfifo(robot / "meshes" / f"pipe{suffix}")
    (robot / "r.urdf").write_text(URDF.format(kind), "utf-8")
    up = f"../../../secret{suffix}"
    names = [str(secret), up, f"file://{secret}", f"FILE:{secret}", f"file://localhost{secret}", f"link{suffix}"]
    names += [f"folder/secret{suffix}", up.replace(".", "%2e", 6).replace("/", "%2F"), up.replace("/", "\\")]
    names += [f"notes{suffix}", "./notes.txt", f"pipe{suffix}", f"sub{suffix}", f"folder/../../../../secret{suffix}"]
    for name in names:
        (robot / "meshes" / f"m.{kind}").write_text(mesh_text(kind, name), "utf-8")
        loaded = kt.load(robot / "r.urdf", check="ignore")
        with pytest.warns(kt.ModelWarning, match=rf"not shown: .* of m\.{kind}") as said:
            contents = embedded(loaded.view(open=False))
        assert len(contents) == 1 and SECRET not in b"".join(contents), name
        assert name.split("/")[-1].split("\\")[-1].split("%2F")[-1] in str(said[0].message)


def test_a_mesh_uses_files_of_its_robot_and_packages(tmp_path):
    """Above the folder of the mesh, below that of the robot; in its package; in one that is given."""
    robot, given = tmp_path / "robot", tmp_path / "given"
    for folder in (robot / "meshes", robot / "textures", given):
        folder.mkdir(parents=True)
    (robot / "r.urdf").write_text(URDF.format("dae"), "utf-8")
    textures = {robot / "textures": "../textures/a b.png", robot / "meshes": "beside.png", given: str(given / "c.png")}
    for folder, name in textures.items():
        (folder / name.split("/")[-1]).write_bytes(SECRET)
        for written in (name, name.replace(" ", "%20"), name.replace("/", "\\")):
            (robot / "meshes" / "m.dae").write_text(mesh_text("dae", written), "utf-8")
            loaded = kt.load(robot / "r.urdf", check="ignore", packages={"given": given})
            assert SECRET in embedded(loaded.view(open=False))
    (robot / "meshes" / "m.dae").write_text(mesh_text("dae", "../textures/a b.png"), "utf-8")
    (robot / "urdf").mkdir()
    (robot / "urdf" / "r.urdf").write_text(URDF.format("dae").replace("meshes", "../meshes"), "utf-8")
    (robot / "package.xml").touch()
    assert SECRET in embedded(kt.load(robot / "urdf" / "r.urdf", check="ignore").view(open=False))


def test_a_mesh_that_is_a_link_leads_to_packages_alone(tmp_path):
    """Those that are installed as links are shown; others would show any mesh of the disk."""
    robot, other = tmp_path / "robot", tmp_path / "other"
    for folder in (robot / "meshes", other):
        folder.mkdir(parents=True)
    (robot / "r.urdf").write_text(URDF.format("obj"), "utf-8")
    (other / "m.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "utf-8")
    (robot / "meshes" / "m.obj").symlink_to(other / "m.obj")
    with pytest.warns(kt.ModelWarning, match="a link that leads out of the folders of the robot"):
        assert embedded(kt.load(robot / "r.urdf", check="ignore").view(open=False)) == []
    (other / "package.xml").touch()
    assert len(embedded(kt.load(robot / "r.urdf", check="ignore").view(open=False))) == 1


def test_drawings_read_no_other_files_either(tmp_path):
    """A buffer of a glTF file, which trimesh reads."""
    pytest.importorskip("trimesh")
    (tmp_path / "robot" / "meshes").mkdir(parents=True)
    mesh = tmp_path / "robot" / "meshes" / "m.gltf"
    mesh.touch()
    for name in ("in.bin", "../../out.bin"):
        (mesh.parent / name).write_bytes(SECRET)
    assert used_bytes("in.bin", mesh) == SECRET
    with pytest.raises(ValueError, match="not a regular file below the folders of the robot"):
        used_bytes("../../out.bin", mesh)
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], dtype="<f4")
    (mesh.parent / "in.bin").write_bytes(points.tobytes())
    (mesh.parent / "../../out.bin").write_bytes(points.tobytes())
    (mesh.parents[1] / "r.urdf").write_text(URDF.format("gltf"), "utf-8")
    for name, drawn in (("in.bin", 1), ("../../out.bin", 0)):
        mesh.write_text(
            json.dumps(
                {
                    "asset": {"version": "2.0"},
                    "buffers": [{"uri": name, "byteLength": 36}],
                    "bufferViews": [{"buffer": 0, "byteLength": 36}],
                    "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
                    "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
                    "nodes": [{"mesh": 0}],
                    "scenes": [{"nodes": [0]}],
                }
            ),
            "utf-8",
        )
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            found = solids(kt.load(mesh.parents[1] / "r.urdf", check="ignore").model)
        assert len(found) == drawn
        assert bool(said) != bool(drawn)
