"""Files from strangers, in MJCF and JSON, and places that are no files."""

import json
import os
import signal
import time
from pathlib import Path

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.model.files.load.mjcf import sizes

HINGE = "<body name='b'><geom size='0.1'/><joint name='j' range='-1 1' frictionloss='0.3'/></body>"


@pytest.mark.parametrize(
    "inside",
    [
        "<replicate count='1000000000'><geom size='1'/></replicate>",
        "<replicate count='1000'><replicate count=\"1000\"><geom size='1'/></replicate></replicate>",
        "<flexcomp name='f' type='grid' count='1000 1000 1000'/>",
        "<include file='other.xml'/>",
        "<include file='fifo'/>",
        "<replicate count='&#49;0000'><replicate count='&#x31;0000'><geom size='1'/></replicate></replicate>",
        "<![CDATA[<!--]]><replicate count='10000'><replicate count='99'><geom size='1'/></replicate></replicate>"
        "<![CDATA[-->]]>",
        "<replicate count='10000'><![CDATA[</replicate>]]><replicate count='99'><geom size='1'/></replicate>"
        "</replicate>",
        "<flexcomp name='f' type='grid' count='&#49;00 100 100'/>",
        "</worldbody><size nkey='2000000000'/><worldbody>",
        "</worldbody><size nuser_geom='2000000000'/><worldbody>",
        "</worldbody><custom><numeric name='n' size='100000000'/></custom><worldbody>",
        "</worldbody><asset><hfield name='h' nrow='30000' ncol='30000' size='1 1 1 1'/></asset><worldbody>",
        "</worldbody><asset><hfield name='h' file='large.png' size='1 1 1 1'/></asset><worldbody>",
        "</worldbody><asset><texture name='h' builtin='flat' width='30000' height='30000'/></asset><worldbody>",
        "</worldbody><asset><texture name='h' builtin='flat' width='30000' height='8'/></asset><worldbody>",
        "</worldbody><asset><mesh name='h' builtin='supersphere' params='100000 1 1'/></asset><worldbody>",
        "</worldbody><asset><mesh name='h' file='f&#105;fo'/></asset><worldbody>",
        "</worldbody><asset><texture name='h' file='fifo'/></asset><worldbody>",
        "</worldbody><compiler meshdir='inner'/><asset><mesh name='h' file='fifo'/></asset><worldbody>",
        "</worldbody><asset><skin name='h' file='fifo'/></asset><worldbody>",
        "</worldbody><asset><model name='h' file='fifo'/></asset><worldbody>",
        "</worldbody><asset><model name='h' file='itself.xml'/></asset><worldbody>",
        "<flexcomp name='f' type='gmsh' file='fifo'/>",
    ],
)
def test_mjcf_that_asks_for_too_much_is_refused(tmp_path, monkeypatch, inside):
    """What MuJoCo would take hours, gigabytes or a signal for: none of these comes to its compiler."""
    mujoco = pytest.importorskip("mujoco")
    monkeypatch.setattr(mujoco.MjModel, "from_xml_string", lambda *_: pytest.fail("it was compiled"))
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "inner").mkdir()
    os.mkfifo(tmp_path / "inner" / "fifo")
    size = (30_000).to_bytes(4, "big")
    (tmp_path / "large.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + size + size)
    attach = "<asset><model name='h' file='itself.xml'/></asset><worldbody><attach model='h' prefix='p'/></worldbody>"
    (tmp_path / "itself.xml").write_text(f"<mujoco>{attach}</mujoco>", "utf-8")
    (tmp_path / "other.xml").write_text("<mujocoinclude><include file='other.xml'/></mujocoinclude>", "utf-8")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(kt.ModelError, match=r"elements|includes|itself|reserved|asked for|not a regular file"):
        kt.load(f"<mujoco><worldbody>{inside}</worldbody></mujoco>")
    assert not (tmp_path / "MUJOCO_LOG.TXT").exists()


def test_models_that_mjcf_attaches_are_read_once_and_counted_as_often_as_named(tmp_path, monkeypatch):
    read, texts = list[Path](), sizes.regular_file
    monkeypatch.setattr(
        sizes, "regular_file", lambda path, *most, **by: (read.append(path), texts(path, *most, **by))[1]
    )

    def written(name, inside, *others, attached=""):
        models = "".join(f"<model name='m{k}' file='{x}'/>" for k, x in enumerate(others))
        body = f"<worldbody>{attached}</worldbody>"
        (tmp_path / name).write_text(f"<mujoco><asset>{models}{inside}</asset>{body}</mujoco>", "utf-8")
        return tmp_path / name

    def check(path):
        read.clear()
        sizes.check_size(path, str(path))

    written("0.xml", "")
    for k in range(20):  # 2²⁰ references
        last = written(f"{k + 1}.xml", "", f"{k}.xml", f"./{k}.xml")
    check(tmp_path / "6.xml")
    assert len(read) == 7
    with pytest.raises(kt.ModelError, match="includes more than 200 files"):
        check(last)
    assert len(read) == 21
    for k in range(60):
        last = written(f"{k + 1}.xml", "", f"{k}.xml")
    with pytest.raises(kt.ModelError, match="more than 50 models"):
        check(last)
    picture = "<texture type='2d' builtin='flat' width='6000' height='6000'/>"  # of 70 million pixels
    written("picture.xml", picture)
    copy = "<attach model='m0' body='b' prefix='p{}'/>"
    check(written("once.xml", "", "picture.xml", attached=copy))
    for other in (
        written("more.xml", picture, "picture.xml"),
        written("named.xml", "", "picture.xml", "picture.xml"),
        written("copied.xml", "", "picture.xml", attached=2 * copy),
        written("nested.xml", picture, "once.xml"),
    ):
        with pytest.raises(kt.ModelError, match="more than 70000000 pixels"):
            check(other)


def test_comments_of_mjcf_are_those_of_its_parser():
    pytest.importorskip("mujoco")
    text = f"<!-- a --- b --><mujoco><!-----> <worldbody><!-- ' -- \" <replicate> -->{HINGE}</worldbody></mujoco>"
    assert kt.load(text, backend="numpy").joint_names == ("j",)


def hostile_files(folder):
    """Name → a file that is none, or that would take long; none of them is a robot."""
    os.mkfifo(folder / "fifo")
    with (folder / "sparse").open("wb") as file:
        file.truncate(50_000_000_000)
    links = {"pipe": "fifo", "zero": "/dev/zero", "large": "sparse", "itself": "itself"}
    found = {}
    for name, target in links.items():
        for suffix in (".urdf", ".xml", ".xacro", ".json", ".yaml", ".npz", ".csv", ".parquet"):
            place = folder / f"{name}{suffix}"
            place.symlink_to(place.name if name == "itself" else target)
            found[place.name] = place
    return found


@pytest.fixture
def bounded_time():
    """An error in place of a call that waits for ever."""

    def late(*_):
        raise TimeoutError("it waits")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.usefixtures("bounded_time")
def test_pipes_devices_and_files_without_end_are_not_read(tmp_path):
    """Each reader of a file, each kind that would let it wait or fill the memory."""
    robot = kt.load("planar2r")
    for name, path in hostile_files(tmp_path).items():
        readers = {
            ".yaml": [lambda path: kt.load("planar2r", closures=path)],
            ".json": [kt.load, lambda path: kt.load("planar2r", closures=path)],
            ".csv": [kt.Trajectory.load, lambda path: kt.identify.read_log(path, robot)],
            ".npz": [kt.Trajectory.load],
            ".parquet": [kt.Trajectory.load, lambda path: kt.identify.read_log(path, robot)],
        }.get(path.suffix, [kt.load, lambda path: kt.load(path, xacro_args={"a": "b"})])
        for read in readers:
            with pytest.raises(kt.KinetraceError, match=r"not a regular file|larger than|levels of sym") as told:
                read(path)
            is_model = path.suffix not in (".npz", ".csv", ".parquet") and not name.startswith("itself")
            assert isinstance(told.value, kt.ModelError) == is_model, name


def test_keys_that_stand_twice_are_found_in_linear_time():
    many = ", ".join(f'"k{k}": 1' for k in range(100_000))
    begin = time.process_time()
    with pytest.raises(kt.ModelError, match="'k99999' stands twice in one object"):
        kt.load(f'{{{many}, "k99999": 2}}')
    assert time.process_time() - begin < 5.0  # it was a minute, and grows with the square


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
