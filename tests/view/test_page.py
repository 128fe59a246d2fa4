"""The page in a real browser: what one sees, drags, plays and saves, without a request to any host."""

from __future__ import annotations

import base64
import io
import json
import re
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.model.body import Geometry
from kinetrace.view import capture
from own_joints import OWN, arm

pytest.importorskip("playwright.sync_api", reason="the page is tested through playwright")
if capture.browser_path() is None:
    pytest.skip("the page is tested in Chrome, Chromium or Edge: none was found", allow_module_level=True)


def test_a_slider_moves_the_robot_and_its_numbers(opened):
    robot = kt.load("planar2r")
    page = opened(
        robot.view([0.3, 0.2], show=("frames", "axes", "inertia", "com", "names"), open=False), size=(900, 500)
    )
    before = page.pixels()
    slider = page.tab.locator(".joints input[type=range]").first
    slider.evaluate("(x) => { x.value = 1.1; x.dispatchEvent(new Event('input')); }")
    assert np.mean(np.abs(page.pixels() - before).max(axis=-1) > 20) > 0.01
    assert page.do("[...kinetrace.robot.q]") == pytest.approx([1.1, 0.2])
    page.do("kinetrace.panel.parts[0].numbers.refresh()")
    shown = [float(x) for x in page.tab.locator(".bars b").all_inner_texts()]
    assert shown == pytest.approx(robot.gravity([1.1, 0.2]), rel=0.05)
    field = page.tab.locator(".joints input[type=text]").first
    for text, value in (("", "1.100"), ("abc", "1.100"), ("0,5", "0.500"), ("-0.00001", "0.000"), ("1.1", "1.100")):
        field.fill(text)
        field.press("Enter")
        assert field.input_value() == value
    page.do("kinetrace.panel.parts[0].joints.copy()")
    page.tab.wait_for_function("kinetrace.copied")
    assert page.do("kinetrace.copied") == "q = np.array([1.1, 0.2])"


def test_joints_of_any_class_have_sliders_and_numbers(opened):
    """With four, five and eight velocities, without a quaternion, or with one that stands elsewhere."""
    robots = [kt.Robot(arm(kind())) for kind in OWN]
    q = [robot.random(seed=1) for robot in robots]
    others = [robot.view(at, open=False) for robot, at in zip(robots[1:], q[1:], strict=True)]
    page = opened(robots[0].view(q[0], beside=others, open=False), size=(900, 500))
    for at, shown in zip(q, page.do("kinetrace.robots.map(({ q }) => [...q])"), strict=True):
        assert shown == pytest.approx(at, abs=1e-12)
    for k, data in enumerate(page.do("kinetrace.robots.map(({ data }) => data.velocities)")):
        page.do(f"kinetrace.current = {k}; kinetrace.panel.refill()")
        nv = page.do("kinetrace.robot.program.nv")
        assert len(data) == len(set(data)) == nv == page.tab.locator(".bars b").count()
        sliders = page.tab.locator(".joints input[type=range]")
        names = sliders.evaluate_all("(all) => all.map((x) => x.getAttribute('aria-label'))")
        assert len(set(names)) == len(names) >= nv and not any("undefined" in name for name in names)
        for i in range(len(names)):
            sliders.nth(i).evaluate("(x) => { x.value = 0.25; x.dispatchEvent(new Event('input')); }")
            moved = np.array(page.do("[...kinetrace.robot.program.normalise(kinetrace.robot.q)]"))
            assert np.allclose(moved, page.do("[...kinetrace.robot.q]"), atol=1e-12) and np.isfinite(moved).all()
        page.do("kinetrace.panel.parts[kinetrace.current].joints.random()")


def test_values_beyond_limits_are_marked_in_colour_and_words(opened):
    """Of a configuration, of a motion while it plays and on its track, of a joint that follows another."""
    b = kt.Builder("gripper")
    J = kt.lie.inertia.from_mass_com(1.0, [0.1, 0.2, 0], np.eye(3))
    for name in ("left", "right"):
        b.link(name, J)
    limits = kt.model.Limits(-1.0, 1.0, 2.0, 3.0)
    b.joint("drive", kt.joints.Revolute(), parent="base", child="left", limits=limits)
    b.joint("slave", kt.joints.Revolute(), parent="left", child="right", limits=limits, mimic=("drive", -2.0, 0.0))
    robot, t = kt.Robot(b.build()), np.linspace(0.0, 1.0, 11)
    page = opened(robot.view(1.4 * t[:, None], t=t, open=False), size=(900, 500))
    row, note = page.tab.locator(".joint:has(input)").first, page.tab.locator(".joint.note").first
    field = row.locator("input[type=text]")

    def look():
        said = field.evaluate(
            """(x) => [x.getAttribute('aria-invalid'),
            document.getElementById(x.getAttribute('aria-describedby')).textContent]"""
        )
        shown = [note.locator("em").inner_text(), page.tab.locator(".beyond").inner_text()]
        return [*said, *shown], field.evaluate("(x) => getComputedStyle(x).color")

    page.do("kinetrace.still(0.2); kinetrace.refresh()")
    words, black = look()
    assert words == ["false", "", "", ""]
    page.do("kinetrace.still(0.6); kinetrace.refresh()")
    words, colour = look()
    assert words == ["false", "", "0.680 below -1.000", "beyond limits: slave"] and colour == black
    page.do("kinetrace.still(0.9); kinetrace.refresh()")
    words, colour = look()
    assert (
        words == ["true", "0.260 above 1.000", "1.520 below -1.000", "beyond limits: drive, slave"] and colour != black
    )
    track = page.tab.locator(".scrub")
    assert track.get_attribute("title") == track.get_attribute("aria-description") == "Beyond joint limits: 0.35–1.00 s"
    assert "linear-gradient" in track.evaluate("(x) => x.style.getPropertyValue('--marks')")
    page.do("kinetrace.panel.parts[0].joints.turnUnits(document.createElement('b'))")
    assert look()[0][1] == "14.9 above 57.3"
    panda = kt.load("panda")
    q = panda.home()
    q[2] = 9.0
    still = opened(panda.view(q, open=False), size=(900, 500))
    assert still.tab.locator(".beyond").inner_text() == "beyond limits: joint3"


def test_a_dragged_tip_follows_the_pointer(opened):
    page = opened(kt.load("planar2r").view([0.5, 0.6], open=False))
    x, y, *_ = page.place("link2")
    mouse = page.tab.mouse
    mouse.move(x, y)
    mouse.down()
    assert page.do("Boolean(kinetrace.pointer.grab)")
    mouse.move(x - 20, y - 15, steps=3)
    page.do("() => { for (let k = 0; k < 40; k++) kinetrace.follow(); }")
    there = page.do("(() => { const { now, target } = kinetrace.pointer.ends; return [...now, ...target]; })()")
    mouse.up()
    plane = [0, 2]  # the robot moves in that plane alone
    assert np.linalg.norm(np.subtract(there[:3], there[3:])[plane]) < 0.05
    assert np.hypot(*np.subtract(page.place("link2")[:2], (x, y))) > 10


def test_a_simulation_keeps_its_energy_and_says_when_numbers_are_lost(opened):
    robot = kt.load("planar2r")
    page = opened(robot.view([0.5, 0.3], open=False))
    told = page.do(
        """(() => { const { simulation, robot } = kinetrace; kinetrace.setMode("simulate"); simulation.running = false;
        simulation.stops = false;
        for (let k = 0; k < 500; k++) simulation.step(0.002);
        const { kinetic, potential } = robot.program.energy(robot.q, robot.v);
        return [kinetic, potential, ...robot.q]; })()"""
    )
    assert told[0] > 1.0
    assert sum(told[:2]) == pytest.approx(robot.total_energy([0.5, 0.3], [0.0, 0.0]), rel=1e-6)
    motion = robot.simulate([0.5, 0.3], [0.0, 0.0], t=1.0, dt=2e-3, method="rk4")
    assert told[2:] == pytest.approx(motion.q[-1], abs=1e-8)
    page.do("(() => { kinetrace.robot.v[0] = 1e300; kinetrace.simulation.running = true; kinetrace.simulate(1); })()")
    assert "no longer finite" in page.tab.locator(".message").inner_text()
    assert page.do("kinetrace.simulation.running") is False


def test_a_spring_pulls_the_grabbed_link(opened):
    page = opened(kt.load("planar2r").view([0.5, 0.6], open=False))
    x, y, *_ = page.place("link2")
    page.do('(() => { kinetrace.setMode("simulate"); kinetrace.simulation.running = false; })()')
    page.do("(() => { Object.assign(kinetrace.simulation, { gravity: false, damping: 3 }); })()")
    page.tab.mouse.move(x, y)
    page.tab.mouse.down()
    page.tab.mouse.move(x - 30, y - 20, steps=2)
    far = """(() => { const { now, target } = kinetrace.pointer.ends;
        return Math.hypot(now[0] - target[0], now[2] - target[2]); })()"""
    before = page.do(far)
    page.do("(() => { for (let k = 0; k < 3000; k++) kinetrace.simulation.step(0.001); kinetrace.pointer.draw(); })()")
    assert page.do("kinetrace.pointer.spring.object.visible")
    assert page.do(far) < 0.5 * before
    page.tab.mouse.up()


def test_loops_stay_closed_under_sliders_and_in_time(opened):
    robot = kt.load("four_bar")
    page = opened(robot.view(show="closures", open=False))
    residual = "Math.max(...kinetrace.robot.program.closure_residual(kinetrace.robot.q).map(Math.abs))"
    slide = "(() => { const { joints } = kinetrace.panel.parts[0]; joints.change(joints.controls[0], %s); })()"
    page.do(slide % "kinetrace.robot.q[0] + 0.4")
    assert page.do("kinetrace.robot.q[0]") == pytest.approx(robot.assemble()[0] + 0.4)
    assert page.do(residual) < 1e-8
    page.do(
        '(() => { kinetrace.setMode("simulate"); for (let k = 0; k < 200; k++) kinetrace.simulation.step(0.002); })()'
    )
    assert page.do(residual) < 1e-6


def test_a_motion_plays_with_ghosts_and_a_trail(opened):
    robot = kt.load("quadruped", base="free")
    t = np.linspace(0.0, 1.0, 11)
    q = np.tile(robot.home(), (3, 11, 1))
    q[:, :, 0] = t + np.arange(3)[:, None]
    q[:, :, 3:7] = np.stack([np.cos(t), 0 * t, 0 * t, np.sin(t)], axis=-1)
    page = opened(robot.view(q, t=t, trail=robot.frame_names[-1], open=False))
    page.do("kinetrace.player.playing = true; kinetrace.stage.invalidate()")
    page.tab.wait_for_function("kinetrace.player.time > 0.05")
    page.do("kinetrace.still(0.55)")
    shown = np.array(page.do("[...kinetrace.robot.q]"))
    between = robot.integrate(q[0, 5], 0.5 * robot.difference(q[0, 5], q[0, 6]))
    assert shown == pytest.approx(between, abs=1e-6)
    assert page.do("kinetrace.robot.ghosts.length") == 2
    assert page.do("kinetrace.robot.ghosts[1][0].matrix.elements[12]") == pytest.approx(2.55, abs=1e-6)
    assert page.do("kinetrace.robot.overlays.count") == 7


@pytest.mark.parametrize("size", [(390, 844), (760, 560)])
def test_narrow_pages_have_room_for_the_bar_and_distinct_names(opened, size):
    robot = kt.load("two_pandas_beam")
    q = np.tile(robot.home(), (2, 1))
    page = opened(robot.view(q, t=[0.0, 1.0], open=False), size=size)
    page.do("kinetrace.togglePanel(true)")
    boxes = page.do(
        "['nav.bar', '.scrub', 'nav .icon:last-child', '.panel'].map((x) => document.querySelector(x))"
        ".map((x) => x.getBoundingClientRect()).map((x) => [x.left, x.top, x.right, x.bottom])"
    )
    bar, scrub, last, panel = boxes
    assert min(bar[:2]) >= 0 and bar[2] <= size[0] and bar[3] <= size[1]
    assert scrub[2] - scrub[0] >= 120 and last[2] <= bar[2]
    assert bar[2] <= panel[0] or panel[3] <= bar[1]  # neither lies under the other
    page.do("kinetrace.panel.current.joints.openAll(true)")
    names = page.tab.locator(".joints .joint > span:first-child").all_inner_texts()
    assert len(set(names)) == len(names) == 20


def test_a_saved_page_is_the_same_scene(opened):
    robot = kt.load("planar2r")
    other = kt.Robot(replace(kt.load("four_bar").model, name="bar & <b>")).view(at=[0, 1, 0], open=False)
    page = opened(robot.view([0.3, 0.2], beside=other, theme="dark", open=False))
    page.do("(() => { kinetrace.robots[0].set([1, 2]); kinetrace.show('com', true); })()")
    again = opened(page.do("kinetrace.recorder.page()"))
    assert again.do("[...kinetrace.robots[0].q]") == [1, 2]
    was, now = (x.do("kinetrace.options()") for x in (page, again))
    assert np.ravel(list(now.pop("camera").values())) == pytest.approx(np.ravel(list(was.pop("camera").values())))
    assert now == was
    assert again.tab.title() == page.tab.title() == "planar2r and bar & <b>"
    assert np.mean(np.abs(again.pixels() - page.pixels()).max(axis=-1) > 20) < 0.002


def test_buttons_save_pictures_films_and_the_page(opened):
    page = opened(kt.load("planar2r").view([[0.0, 0.0], [1.0, 0.5]], t=[0.0, 0.2], open=False))
    page.do("kinetrace.togglePanel(true)")
    begin = {"PNG": rb"\x89PNG", "GIF": rb"GIF89a", "HTML": rb"<!doctype html>", "Film": rb"\x1aE\xdf\xa3|.{4}ftyp"}
    for name, kind in begin.items():
        with page.tab.expect_download() as caught:
            page.do(f"[...document.querySelectorAll('.tools button')].find((b) => b.textContent === {name!r}).click()")
        content = Path(caught.value.path()).read_bytes()
        assert len(content) > 500, name
        assert re.match(kind, content, re.DOTALL), name
        page.tab.wait_for_function("kinetrace.message.textContent === ''")


def tetrahedron():
    return np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float), [
        [0, 2, 1],
        [0, 1, 3],
        [0, 3, 2],
        [1, 2, 3],
    ]


def stl(folder):
    vertices, faces = tetrahedron()
    body = b"".join(struct.pack("<12fH", 0, 0, 0, *vertices[f].ravel(), 0) for f in faces)
    (folder / "a.stl").write_bytes(bytes(80) + struct.pack("<I", len(faces)) + body)
    return "a.stl"


def obj(folder):
    vertices, faces = tetrahedron()
    lines = ["mtllib a.mtl", *(f"v {x} {y} {z}" for x, y, z in vertices), "usemtl paint"]
    lines += [f"f {' '.join(str(i + 1) for i in f)}" for f in faces]
    (folder / "a.obj").write_text("\n".join(lines))
    (folder / "a.mtl").write_text("newmtl paint\nKd 0.9 0.1 0.1\n")
    return "a.obj"


PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)


def dae(folder):
    vertices, faces = tetrahedron()
    (folder / "pixel.png").write_bytes(PIXEL)
    numbers, indices = " ".join(map(str, vertices.ravel())), " ".join(f"{i} {i}" for f in faces for i in f)
    uv = "0 0 1 0 0 1 1 1"

    def source(name, text, count, params):
        accessor = "".join(f'<param name="{p}" type="float"/>' for p in params)
        n = count // len(params)
        return (
            f'<source id="{name}"><float_array id="{name}-a" count="{count}">{text}</float_array><technique_common>'
            f'<accessor source="#{name}-a" count="{n}" stride="{len(params)}">{accessor}</accessor>'
            "</technique_common></source>"
        )

    (folder / "a.dae").write_text(
        '<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">'
        '<asset><unit name="millimeter" meter="0.5"/><up_axis>Z_UP</up_axis></asset>'
        '<library_images><image id="i"><init_from>pixel.png</init_from></image></library_images>'
        '<library_effects><effect id="e"><profile_COMMON>'
        '<newparam sid="s"><surface type="2D"><init_from>i</init_from></surface></newparam>'
        '<newparam sid="t"><sampler2D><source>s</source></sampler2D></newparam><technique sid="c"><lambert>'
        '<diffuse><texture texture="t" texcoord="uv"/></diffuse><transparent><color>1 1 1 1</color></transparent>'
        "<transparency><float>0</float></transparency></lambert></technique></profile_COMMON></effect>"
        '</library_effects><library_materials><material id="m"><instance_effect url="#e"/></material>'
        '</library_materials><library_geometries><geometry id="g"><mesh>'
        + source("p", numbers, 12, "XYZ")
        + source("u", uv, 8, "ST")
        + '<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>'
        f'<triangles count="4" material="m"><input semantic="VERTEX" source="#v" offset="0"/>'
        f'<input semantic="TEXCOORD" source="#u" offset="1"/><p>{indices}</p></triangles></mesh></geometry>'
        '</library_geometries><library_visual_scenes><visual_scene id="w"><node id="n"><instance_geometry url="#g">'
        '<bind_material><technique_common><instance_material symbol="m" target="#m"/></technique_common>'
        "</bind_material></instance_geometry></node></visual_scene></library_visual_scenes>"
        '<scene><instance_visual_scene url="#w"/></scene></COLLADA>'
    )
    return "a.dae"


def gltf(folder):
    vertices, faces = tetrahedron()
    data = vertices.astype("<f4").tobytes() + np.array(faces, dtype="<u2").tobytes()
    (folder / "a.bin").write_bytes(data)
    views = [{"buffer": 0, "byteOffset": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 24}]
    accessors = [
        {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 1]},
        {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"},
    ]
    scene = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "buffers": [{"uri": "a.bin", "byteLength": len(data)}],
        "bufferViews": views,
        "accessors": accessors,
    }
    (folder / "a.gltf").write_text(json.dumps(scene))
    return "a.gltf"


def test_mesh_files_of_all_formats_and_all_shapes_load(opened, tmp_path):
    b = kt.Builder("shapes")
    meshes = [make(tmp_path) for make in (stl, obj, dae, gltf)]
    sizes = {
        "box": (1, 2, 3),
        "sphere": (0.5,),
        "cylinder": (0.5, 1),
        "capsule": (0.5, 1),
        "ellipsoid": (1, 2, 3),
        "plane": (3, 4),
    }
    shapes = [("mesh", (2, 2, 2), str(tmp_path / name)) for name in meshes]
    shapes += [(kind, size, None) for kind, size in sizes.items()]
    b.link("bob", inertia=kt.lie.inertia.from_mass_com(1.0, [0, 0, -0.5], np.eye(3)))
    b.joint("hinge", kt.joints.Revolute([0, 1, 0]), parent="base", child="bob")
    for kind, size, mesh in shapes:
        b.geometry(Geometry(kind, size, "bob", np.eye(4), "visual", mesh))
    page = opened(kt.Robot(b.build()).view(open=False))
    extents = page.do(
        """kinetrace.robot.roles.visual.map((holder) => { let box = null;
        holder.traverse((o) => { if (!o.isMesh) return; o.updateWorldMatrix(true, false);
          o.geometry.computeBoundingBox();
          const b = o.geometry.boundingBox.clone().applyMatrix4(o.matrixWorld); box = box ? box.union(b) : b; });
        return box ? [...box.max.sub(box.min).toArray()] : null; })"""
    )
    wanted = [
        [2, 2, 2],
        [2, 2, 2],
        [1, 1, 1],
        [2, 2, 2],
        [1, 2, 3],
        [1, 1, 1],
        [1, 1, 1],
        [1, 1, 2],
        [2, 4, 6],
        [3, 4, 0],
    ]
    assert extents == [pytest.approx(x, abs=0.02) for x in wanted]
    assert page.do(
        "Boolean(kinetrace.robot.roles.visual[2].getObjectsByProperty('isMesh', true)[0].material.map.image)"
    )
    # zero normals of STL files are computed, and surfaces that nobody would see are opaque
    seen = page.do(
        """kinetrace.robot.roles.visual.slice(0, 4).map((holder) => {
        const [{ geometry, material }] = holder.getObjectsByProperty('isMesh', true);
        return [Math.hypot(...geometry.getAttribute('normal').array.slice(0, 3)), material.opacity]; })"""
    )
    assert seen == [pytest.approx([1, 1])] * 4
    assert page.do("kinetrace.message.textContent") == ""


def test_a_link_whose_mesh_cannot_be_read_has_its_capsule(opened, tmp_path):
    (tmp_path / "bad.glb").write_bytes(b"not a mesh")
    model = kt.load("planar2r").model
    shape = Geometry("mesh", (1, 1, 1), "link1", np.eye(4), "visual", str(tmp_path / "bad.glb"))
    page = opened(kt.Robot(replace(model, geometry=(shape, *model.geometry[-1:]))).view([0.3, 0.2], open=False))
    kinds = "kinetrace.robot.group(%d).getObjectsByProperty('isMesh', true).map((o) => o.geometry.type)"
    assert "CapsuleGeometry" in page.do(kinds % 0) and "CapsuleGeometry" not in page.do(kinds % 1)
    assert page.do("kinetrace.message.textContent").startswith("Meshes that could not be read: bad.glb: ")


def test_pictures_and_films_from_python(tmp_path):
    robot = kt.load("planar2r")
    image = pytest.importorskip("PIL.Image")
    view = robot.view([[0.0, 0.0], [1.0, 0.5]], t=[0.0, 0.1], open=False)
    view.save(tmp_path / "a.png", size=(120, 90))
    with image.open(tmp_path / "a.png") as found:
        assert found.size == (120, 90)
    view.save(tmp_path / "a.gif", size=(120, 90), rate=20)
    with image.open(tmp_path / "a.gif") as found:
        assert found.n_frames == 3
    with pytest.raises(kt.InputError, match=r"at most 50 pictures per second in \.gif, got 60: \.mp4"):
        view.save(tmp_path / "a.gif", rate=60)
    with pytest.raises(kt.InputError, match="rate must be positive, and at most 240"):
        view.save(tmp_path / "a.mp4", rate=0)


def test_films_keep_time():
    image = pytest.importorskip("PIL.Image")
    frames = [io.BytesIO() for _ in range(31)]
    for row, file in zip(np.eye(31, dtype=np.uint8), frames, strict=True):
        image.fromarray(255 * row[None]).save(file, "PNG")
    with image.open(io.BytesIO(capture._gif((x.getvalue() for x in frames), 30.0))) as found:
        shown = []
        for k in range(found.n_frames):
            found.seek(k)
            shown.append(found.info["duration"])
    assert sum(shown) == 1030 and set(shown) == {30, 40}


def test_a_page_that_fails_says_why(tmp_path):
    text = kt.load("planar2r").view(open=False).html.replace("window.kinetracePrograms=", "window.other=")
    with pytest.raises(kt.InputError, match="The robot could not be shown"):
        capture.save(text, tmp_path / "a.png", size=(60, 40), rate=30.0, time=None, times=None, panel=False)


def test_the_nearest_robot_is_picked(opened):
    robot = kt.load("planar2r")
    for nearest, wanted in ((1, 0), (-1, 1)):
        other = robot.view([0.0, 0.0], at=[0, nearest, 0], open=False)
        page = opened(robot.view([0.0, 0.0], beside=other, open=False))
        page.do("kinetrace.stage.look([0, -1, 0.001])")
        x, y, *_ = page.place("link2")
        assert page.do("([x, y]) => kinetrace.pointer.pick({ clientX: x, clientY: y })?.robot.index", [x, y]) == wanted


def test_robots_without_dynamics_stand_still_beside_others(opened):
    b = kt.Builder("weightless")
    b.link("bob", inertia=np.zeros((6, 6)))
    b.joint("hinge", kt.joints.Revolute([0, 1, 0]), parent="base", child="bob")
    moving = kt.load("planar2r").view([0.5, 0.3], open=False)
    page = opened(kt.Robot(b.build(check="ignore")).view([0.4], at=[0, 1, 0], beside=moving, open=False))
    page.do("document.querySelector('[data-mode=simulate]').click()")
    assert page.do("kinetrace.message.textContent") == (
        "weightless is not simulated: hinge can move without moving any mass."
    )
    page.do("(() => { for (let k = 0; k < 50; k++) kinetrace.simulation.step(0.002); })()")
    still, moved = page.do("kinetrace.robots.map((robot) => [...robot.q])")
    assert still == [0.4] and np.abs(np.subtract(moved, [0.5, 0.3])).max() > 0.01
