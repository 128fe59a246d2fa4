"""What robots are loaded from besides URDF files: xacro, descriptions, objects of other libraries, open files."""

import io
import os
import sys
import warnings
from functools import reduce
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.errors import InputError, ModelError, ModelWarning
from kinetrace.model import Builder, joints, load_model, zoo
from kinetrace.model.files.load import descriptions, xml
from kinetrace.model.files.load.meshes import MeshFinder
from kinetrace.model.files.load.xacro import macros

BODY = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
MACROS = f"""<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:arg name="side" default="left"/>
<xacro:property name="length" value="${{2 * 0.25}}"/>
<xacro:macro name="arm" params="side">
  <link name="${{side}}_arm">{BODY}<visual><geometry><mesh filename="package://shapes/a.stl"/></geometry></visual></link>
  <joint name="${{side}}" type="revolute"><parent link="base"/><child link="${{side}}_arm"/>
    <origin xyz="${{length}} 0 0"/></joint>
</xacro:macro>
<link name="base"/>
<xacro:arm side="$(arg side)"/>
</robot>"""


@pytest.fixture
def arm(tmp_path):
    folder = tmp_path / "robots" / "xacro"
    folder.mkdir(parents=True)
    (tmp_path / "shapes").mkdir()
    (tmp_path / "shapes" / "a.stl").touch()
    (folder / "arm.xacro").write_text(MACROS, "utf-8")
    return folder / "arm.xacro"


def test_xacro_files_are_expanded(arm, tmp_path):
    model = load_model(arm, check="error")
    assert model.joint_names == ("left",) and model.bodies[0].X_pj[0, 3] == 0.5
    assert model.geometry[0].mesh == str(tmp_path / "shapes" / "a.stl")
    assert load_model(arm, xacro_args={"side": "right"}).joint_names == ("right",)
    assert load_model(MACROS).joint_names == ("left",)
    (arm.parent / "all.urdf").write_text(
        '<robot name="all" xmlns:xacro="x"><xacro:include filename="$(find robots)/xacro/arm.xacro"/></robot>', "utf-8"
    )
    assert load_model(arm.parent / "all.urdf").joint_names == ("left",)
    text = (arm.parent / "all.urdf").read_text("utf-8")
    (arm.parent / "all.urdf").write_text(text.replace("$(find robots)", "package://robots"), "utf-8")
    assert load_model(arm.parent / "all.urdf").joint_names == ("left",)
    elsewhere = tmp_path / "elsewhere.xacro"
    elsewhere.write_text(text.replace("find robots", "find far"), "utf-8")
    assert load_model(elsewhere, packages={"far": tmp_path / "robots"}).joint_names == ("left",)


@pytest.mark.parametrize(
    ("inside", "said"),
    [
        (
            "<xacro:include filename='$(find nowhere)/a.xacro'/>",
            "package 'nowhere' is not found; packages={'nowhere': ",
        ),
        ("<xacro:include filename='missing.xacro'/>", "No such file .*missing.xacro.*beside the file"),
        (
            "<link name='$(arg tool)'/>",
            r"argument 'tool' is not given; xacro_args={'tool': ...} \(--xacro-arg tool=VALUE\) gives it",
        ),
        ("<link name='${undefined}'/>", "name 'undefined' is not defined"),
        ("<xacro:unknown/>", "unknown macro name: xacro:unknown"),
        ("<xacro:if value='perhaps'><link name='a'/></xacro:if>", "xacro: "),
        ("<link name='a'>", "mismatched tag"),
        ("<xacro:macro name='m'><xacro:m/></xacro:macro><xacro:m/>", "xacro: "),
        ("<link name='${().__class__}'/>", "is not accepted: __class__"),
        ("<link name='${[x.__class__ for x in [1]]}'/>", "is not accepted: __class__"),
        ("<link name='${(lambda: 1)()}'/>", "is not accepted"),
        ("<link name='${python.vars(python.type)}'/>", "is not accepted"),
        ("<link name='$(eval open)'/>", "name 'open' is not defined"),
        ("<link name='$(eval __builtins__)'/>", "name '__builtins__' is not defined"),
    ],
)
def test_errors_of_xacro_name_the_file_and_a_remedy(tmp_path, inside, said):
    file = tmp_path / "bad.xacro"
    file.write_text(f'<robot name="r" xmlns:xacro="x"><link name="base"/>{inside}</robot>', "utf-8")
    with pytest.raises(ModelError, match=said) as caught:
        load_model(file)
    assert str(caught.value).startswith(str(file))
    assert load_model(MACROS).joint_names == ("left",)  # no state is left over


def test_arguments_of_xacro_are_a_mapping(arm):
    with pytest.raises(InputError, match="xacro_args must be a mapping"):
        load_model(arm, xacro_args="left")
    assert not macros.needs_expansion("<robot xmlns:xacro='x'><xacro:sensor/></robot>")


def test_descriptions_are_read_from_their_cache_alone(tmp_path, monkeypatch):
    pytest.importorskip("robot_descriptions")
    monkeypatch.setenv("ROBOT_DESCRIPTIONS_CACHE", str(tmp_path))
    monkeypatch.delitem(sys.modules, "robot_descriptions.panda_description", raising=False)
    name = f"{descriptions.PREFIX}panda_description"
    with pytest.raises(InputError, match="`python -m robot_descriptions pull panda_description` does that"):
        kt.load(name)
    with pytest.raises(InputError, match="unknown description 'pandda_description'; did you mean 'panda_description'"):
        kt.load(f"{descriptions.PREFIX}pandda_description")
    folder = tmp_path / "example-robot-data" / "robots" / "panda_description" / "urdf"
    folder.mkdir(parents=True)
    with pytest.raises(InputError, match=r"is not downloaded: .* does not exist"):
        kt.load(name)
    (folder / "panda.urdf").write_bytes(zoo.path("panda").read_bytes())
    for module in [x for x in sys.modules if x.startswith("robot_descriptions.panda_")]:
        monkeypatch.delitem(sys.modules, module)
    assert load_model(name, check="ignore").nv == load_model(f"{descriptions.PREFIX}panda", check="ignore").nv == 7


def test_open_files_models_builders_and_texts():
    path = zoo.path("planar2r")
    model = load_model(path)
    with path.open("rb") as opened:
        assert load_model(opened) == model
    assert load_model(io.StringIO(path.read_text("utf-8"))) == model
    assert load_model(model) is model
    assert kt.load(model, gravity=(0, 0, -1.62)).model.gravity[2] == -1.62
    assert load_model(model.with_joint_effects(damping=1.0), joint_effects=False).bodies[0].effects is None
    with pytest.raises(InputError, match="base='free' is for descriptions"):
        load_model(model, base="free")
    builder = Builder("pair", gravity=(0, 0, -3.7))
    builder.joint("a", joints.Revolute(), parent="base", child="one")
    builder.joint("b", joints.Revolute(), parent="base", child="two")
    gear = kt.closures.gear("a", "b", 2.0)
    made = [load_model(builder, closures=[gear], check="ignore") for _ in range(2)]
    assert made[0] == made[1] and made[0].closure_rows == 1 and made[0].gravity[2] == -3.7
    with pytest.raises(ModelError, match="neither XML nor a model in JSON"):
        load_model(io.StringIO("solid mesh"))
    with pytest.raises(InputError, match=r"unknown robot 'xyz'.*Otherwise: .*xacro.*MJCF.*\.json.*an open file"):
        load_model("xyz")


def test_open_files_are_read_as_those_at_paths(tmp_path, monkeypatch):
    """The same encodings, errors and limits."""
    text = zoo.path("planar2r").read_text("utf-8")
    path = tmp_path / "arm.urdf"
    for encoding, change in (
        ("utf-16", {}),
        ("latin-1", {'<robot name="planar2r"': '<robot name="plän"'}),
        ("utf-8", {"</robot>": "</robott>"}),
        ("utf-8", {"<?xml": '<?xml version="1.0" encoding="klingon"?><!--', "?>": "-->"}),
    ):
        path.write_bytes(reduce(lambda x, pair: x.replace(*pair), change.items(), text).encode(encoding))
        found = []
        for at_path in (True, False):
            with path.open("rb") as opened, warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                try:
                    made = load_model(path if at_path else opened)
                except ModelError as error:
                    made = str(error)
            found.append((made, [str(each.message).partition(": ")[2] for each in said]))
        assert found[0] == found[1]
    path.write_bytes(b'{"format": "\xff"}')
    with path.open("rb") as opened, pytest.raises(ModelError, match=r"arm\.urdf.*is not UTF-8 text"):
        load_model(opened)
    monkeypatch.setattr(xml, "MAX_FILE_SIZE", 100)
    path.write_text(text, "utf-8")
    for source in (path, io.BytesIO(text.encode()), io.StringIO(text)):
        with pytest.raises(ModelError, match="is larger than 100 bytes"):
            load_model(source)


def test_wrong_types():
    with pytest.raises(InputError, match=r"got int; what works: a bundled name .* a pinocchio.Model, a yourdfpy.URDF"):
        load_model(3)


def test_yourdfpy(poses):
    yourdfpy = pytest.importorskip("yourdfpy")
    path = zoo.path("panda")
    theirs = load_model(yourdfpy.URDF.load(str(path), load_meshes=False), check="ignore")
    ours = load_model(path)
    q = np.linspace(-1, 1, ours.nq)
    M, expected = (kt.algorithms.mass_matrix(model, q) for model in (theirs, ours))
    np.testing.assert_allclose(M, expected, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(poses(theirs, q)["panda_hand"], poses(ours, q)["panda_hand"], atol=1e-14)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("meshes/a.stl", "robots/pkg/meshes/a.stl"),
        ("../meshes/a.stl", "robots/pkg/meshes/a.stl"),
        ("package://pkg/meshes/a.stl", "robots/pkg/meshes/a.stl"),
        ("package://robots/pkg/meshes/a.stl", "robots/pkg/meshes/a.stl"),
        ("package://renamed/meshes/a.stl", "robots/pkg/meshes/a.stl"),
        ("model://pkg/Meshes/A.STL", "robots/pkg/meshes/a.stl"),
        (r"package://pkg\meshes\a.stl", "robots/pkg/meshes/a.stl"),
        (r"..\meshes\a.stl", "robots/pkg/meshes/a.stl"),
        ("file://{root}/robots/pkg/meshes/a.stl", "robots/pkg/meshes/a.stl"),
        ("file://{root}/robots/pkg/meshes/with%20blank.stl", "robots/pkg/meshes/with blank.stl"),
        ("{root}/robots/pkg/meshes/a.stl", "robots/pkg/meshes/a.stl"),
        ("package://given/b.stl", "elsewhere/b.stl"),
        ("package://ros/c.stl", "workspace/src/ros/c.stl"),
        ("package://ament/d.stl", "install/share/ament/d.stl"),
        ("https://host/e.stl", None),
        ("package://nowhere/e.stl", None),
        ("", None),
    ],
)
def test_meshes_are_found(tmp_path, monkeypatch, name, found):
    files = ["robots/pkg/meshes/a.stl", "robots/pkg/meshes/with blank.stl", "elsewhere/b.stl"]
    for file in (*files, "workspace/src/ros/c.stl", "install/share/ament/d.stl", "robots/pkg/urdf/r.urdf"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    monkeypatch.setenv("ROS_PACKAGE_PATH", os.pathsep.join([str(tmp_path / "workspace" / "src"), "/no/such"]))
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path / "install"))
    find = MeshFinder(tmp_path / "robots" / "pkg" / "urdf", {"given": tmp_path / "elsewhere"})
    path = find(name.replace("{root}", str(tmp_path)), "line 1")
    if found is None:
        assert name in path and list(find.missing) == [name]
    else:
        assert path == str(tmp_path / found) and not find.remark()


def test_a_mesh_that_is_missing_is_said_once(tmp_path):
    shape = '<visual><geometry><mesh filename="package://p/{}.stl"/></geometry></visual>'
    text = "".join(shape.format(name) for name in "abab")
    file = tmp_path / "r.urdf"
    file.write_text(f'<robot name="r"><link name="a">{text}</link></robot>', "utf-8")
    with pytest.warns(
        ModelWarning, match=r"2 mesh files are not found, the first is 'package://p/a.stl' \(line 1"
    ) as said:
        model = load_model(file, check="error")
    assert len(said) == 1 and model.geometry[0].mesh == "package://p/a.stl"
    with pytest.raises(InputError, match="the folder of 'p', does not exist"):
        load_model(file, packages={"p": tmp_path / "no"})


def test_every_mesh_of_the_example_robots_is_found():
    """But those of one file, which are not in the package."""
    try:
        wheel = metadata.distribution("example-robot-data")
    except metadata.PackageNotFoundError:
        pytest.skip("needs example-robot-data")
    wanted = ("pr2", "talos_full", "panda", "anymal", "go2", "baxter", "icub_reduced")
    some = [Path(wheel.locate_file(file)) for file in wheel.files if file.suffix == ".urdf" and file.stem in wanted]
    assert len(some) >= 5
    meshes = [shape.mesh for file in some for shape in load_model(file, check="ignore").geometry if shape.mesh]
    assert len(meshes) > 200 and all(os.path.isfile(mesh) for mesh in meshes)
