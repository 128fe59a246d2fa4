"""Files from strangers, in MJCF and JSON, and places that are no files."""

import json
import os

import numpy as np
import pytest

import kinetrace as kt

HINGE = "<body name='b'><geom size='0.1'/><joint name='j' range='-1 1' frictionloss='0.3'/></body>"


@pytest.mark.parametrize(
    "inside",
    [
        "<replicate count='1000000000'><geom size='1'/></replicate>",
        "<replicate count='1000'><replicate count=\"1000\"><geom size='1'/></replicate></replicate>",
        "<flexcomp name='f' type='grid' count='1000 1000 1000'/>",
        "<include file='other.xml'/>",
        "<include file='fifo'/>",
    ],
)
def test_mjcf_that_expands_without_end_is_refused(tmp_path, monkeypatch, inside):
    pytest.importorskip("mujoco")
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "other.xml").write_text("<mujocoinclude><include file='other.xml'/></mujocoinclude>", "utf-8")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(kt.ModelError, match=r"elements|includes|not a regular file"):
        kt.load(f"<mujoco><worldbody>{inside}</worldbody></mujoco>")
    assert not (tmp_path / "MUJOCO_LOG.TXT").exists()


def test_mjcf_without_constraints_has_neither_limits_nor_dry_friction():
    pytest.importorskip("mujoco")
    text = "<mujoco><option><flag constraint='{}'/></option><worldbody>{}</worldbody></mujoco>"
    on, off = (kt.load(text.format(flag, HINGE), backend="numpy").model.bodies[0] for flag in ("enable", "disable"))
    assert on.effects.friction == 0.3 and np.isfinite(on.limits.upper).all()
    assert off.effects is None and np.isinf(off.limits.upper).all()


@pytest.mark.parametrize(
    "change, place",
    [
        (lambda model: model["bodies"][0]["effects"].update(stiffness=0), r"model.bodies\[0\].effects.stiffness"),
        (
            lambda model: model.update(gravity={"dtype": "float64", "shape": [2**31, 2**31, 0], "values": []}),
            "model.gravity: must be an array of 0 values",
        ),
    ],
)
def test_json_of_wrong_shapes_is_refused_with_its_place(tmp_path, change, place):
    kt.load("planar2r").with_joint_effects(stiffness=1.0).save(tmp_path / "a.json")
    content = json.loads((tmp_path / "a.json").read_text("utf-8"))
    change(content["model"])
    with pytest.raises(kt.ModelError, match=place):
        kt.load(json.dumps(content))


def test_saving_goes_through_links_and_to_regular_files_alone(tmp_path):
    robot = kt.load("planar2r")
    (tmp_path / "link.json").symlink_to("target.json")
    robot.save(tmp_path / "link.json")
    assert (tmp_path / "link.json").is_symlink() and kt.load(tmp_path / "target.json").model == robot.model
    os.mkfifo(tmp_path / "fifo.json")
    with pytest.raises(kt.InputError, match="not a regular file"):
        robot.save(tmp_path / "fifo.json")
    with pytest.raises(kt.InputError, match="needs a name before"):
        robot.save(tmp_path / ".json")


def test_meshes_that_are_no_regular_files_are_not_opened(tmp_path):
    os.mkfifo(tmp_path / "a.stl")
    (tmp_path / "zero.stl").symlink_to("/dev/zero")
    shapes = "".join(f"<visual><geometry><mesh filename='{x}.stl'/></geometry></visual>" for x in ("a", "zero"))
    (tmp_path / "r.urdf").write_text(f"<robot name='r'><link name='l'>{shapes}</link></robot>", "utf-8")
    robot = kt.load(tmp_path / "r.urdf", check="ignore")
    with pytest.warns(kt.ModelWarning, match="a.stl"):
        robot.view(open=False).save(tmp_path / "o.html")


def test_damaged_meshes_are_named_and_left_out(tmp_path):
    pytest.importorskip("trimesh")
    (tmp_path / "a.obj").write_text("v 0 0 0\nv nan 0 0\nv 0 1 0\nf 1 2 3\n", "utf-8")
    (tmp_path / "b.stl").write_bytes(bytes(80) + (7).to_bytes(4, "little") + bytes(50))
    shapes = "".join(f"<visual><geometry><mesh filename='{x}'/></geometry></visual>" for x in ("a.obj", "b.stl"))
    (tmp_path / "r.urdf").write_text(f"<robot name='r'><link name='l'>{shapes}</link></robot>", "utf-8")
    robot = kt.load(tmp_path / "r.urdf", check="ignore")
    with pytest.warns(kt.ModelWarning) as caught:
        robot.draw()
    assert {name for name in ("a.obj", "b.stl") if any(name in str(x.message) for x in caught)} == {"a.obj", "b.stl"}
    with pytest.warns(kt.ModelWarning, match="b.stl"):
        robot.view(open=False).save(tmp_path / "o.html")


def test_saved_urdf_moves_with_its_meshes_and_stays_free(tmp_path):
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "a.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "utf-8")
    text = """<robot name='r'><link name='world'/><link name='l'><inertial><mass value='1'/>
        <inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial><visual><geometry>
        <mesh filename='meshes/a.obj'/></geometry><material name='m'><color rgba='1 0 0 1'/></material></visual></link>
        <joint name='floating_base' type='floating'><parent link='world'/><child link='l'/></joint></robot>"""
    (tmp_path / "r.urdf").write_text(text, "utf-8")
    robot = kt.load(tmp_path / "r.urdf", base="free")
    assert robot.nv == 6
    robot.save(tmp_path / "saved.urdf")
    written = (tmp_path / "saved.urdf").read_text("utf-8")
    assert 'filename="meshes/a.obj"' in written and 'name=""' not in written
    assert kt.load(tmp_path / "saved.urdf").model.geometry[0].mesh == str(tmp_path / "meshes" / "a.obj")
