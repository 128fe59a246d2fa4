"""`kinetrace codegen --lang ros2`: the package compiles, its controllers compute what the robot does.

The folder `ros2` declares as much of ros2_control as the controllers use, as in an older and in a newer release.
"""

import json
import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.cli import main
from kinetrace.engine.targets.text.sources import EffortJoint, ros2_package

from .test_codegen import fails, run

SUPPORT = Path(__file__).parent / "ros2"
FLAGS = ["-std=c++17", "-O1", "-fno-builtin-malloc", "-Wall", "-Wextra", "-Werror"]
STEPS = 200
"""Updates of a loop, 1 ms apart."""
RELEASES = ["humble", "rolling"]


def write(capsys, folder, robot="panda", *argv):
    """The folder of a package."""
    run(capsys, robot, "--lang", "ros2", "-o", folder, *argv)
    return folder


def build(folder, release, name="panda_controllers"):
    """The program that drives the controllers."""
    if not (shutil.which("g++") and shutil.which("gcc")):
        pytest.skip("g++ or gcc is not here")
    objects = []
    for source in sorted((folder / "src").glob("*.c")):
        objects.append(source.with_suffix(".o"))
        compile_c = ["gcc", "-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-c", source, "-o", objects[-1]]
        subprocess.run(compile_c, check=True, timeout=300)
    program = folder / f"loop_{release}"
    paths = [f"-I{x}" for x in (folder / "include", folder / "src", SUPPORT / "common", SUPPORT / release)]
    words = [f"-DCONTROLLERS=<{name}/controllers.hpp>", f"-DCONTROLLER_NAMESPACE={name}"]
    sources = [folder / "src" / "controllers.cpp", SUPPORT / "loop.cpp"]
    done = subprocess.run(
        ["g++", *FLAGS, *paths, *words, *sources, *objects, "-lm", "-o", program],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return program


@pytest.fixture(scope="module", params=RELEASES)
def panda(request, tmp_path_factory):
    """A release, and the program that drives the Panda's controllers as they are there."""
    folder = tmp_path_factory.mktemp(request.param)
    assert main(["codegen", "panda", "--lang", "ros2", "-o", str(folder)]) == 0
    return request.param, build(folder, request.param)


def drive(program, lines, controller="ComputedTorqueController"):
    """Codes, allocations and commands after each line that prints, and what was logged."""
    text = "\n".join(lines) + "\n"
    done = subprocess.run([program, controller], input=text, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    rows = np.array([[float(x) for x in line.split()] for line in done.stdout.splitlines()])
    return rows[:, 0], rows[:, 1], rows[:, 2:], done.stderr


def line(verb, *parts):
    """A line of numbers."""
    return " ".join([verb, *(str(x) if np.isscalar(x) else " ".join(f"{y:.17g}" for y in x) for x in parts)])


def motion(robot, seed):
    """States (STEPS, n) near home, slow enough that no limit of effort is met."""
    rng = np.random.default_rng(seed)
    t, phase = 1e-3 * np.arange(STEPS)[:, None], rng.uniform(0, 6, robot.nv)
    return robot.home() + 0.2 * np.sin(5 * t + phase), np.cos(5 * t + phase), -5 * np.sin(5 * t + phase)


def agrees(found, expected):
    """To 1e-12 of the largest number."""
    assert np.abs(found - expected).max() <= 1e-12 * np.abs(expected).max()


def test_gravity_compensation(panda):
    robot = kt.load("panda")
    _, program = panda
    q, v, _ = motion(robot, 1)
    lines = [line("start", q[0], v[0]), *(line("run", *x) for x in zip(q, v, strict=True)), "stop"]
    codes, allocations, commands, _ = drive(program, lines, "GravityCompensationController")
    assert not codes.any() and not allocations.any() and not commands[-1].any()
    agrees(commands[1:-1], robot.gravity(q))


def test_computed_torque(panda):
    """It holds, follows references in the order of `joints`, ignores bad ones, and forgets them at a new start."""
    robot = kt.load("panda")
    _, program = panda
    q, v, a = motion(robot, 2)
    order = np.random.default_rng(3).permutation(robot.nv)
    kp, kd = np.linspace(20, 80, robot.nv), np.linspace(5, 15, robot.nv)
    goal, goal_v, half = q + 0.01 * np.sin(3 * q), 0.9 * v, STEPS // 2
    lines = [
        "joints " + " ".join(robot.joint_names[k] for k in order),
        line("set position_gain", kp[order]),
        line("set velocity_gain", kd[order]),
        line("start", q[0], v[0]),
        line("run", q[1], v[1]),
    ]
    for k in range(half):
        lines += [line("point", 7, 7, 7, goal[k][order], goal_v[k][order], a[k][order]), line("run", q[k], v[k])]
    bad = [line("point", 6, 0, 0, goal[0][:6]), line("point", 7, 3, 0, goal[0], v[0][:3]), "point 7 0 0" + " nan" * 7]
    lines += [*bad, line("run", q[half], v[half]), line("point", 7, 0, 0, goal[0][order]), line("run", q[0], v[0])]
    lines += ["stop", line("start", q[5], v[5]), line("run", q[6], v[6])]
    codes, allocations, commands, log = drive(program, lines)
    assert not codes.any() and not allocations.any() and log.count("a reference was ignored") == 3

    def torques(q, v, q_d, v_d, a_d):
        return robot.inverse_dynamics(q, v, a_d + kd * (v_d - v) + kp * (q_d - q))

    agrees(commands[1], torques(q[1], v[1], q[0], 0, 0))
    agrees(commands[2 : half + 2], torques(q[:half], v[:half], goal[:half], goal_v[:half], a[:half]))
    agrees(commands[half + 2], torques(q[half], v[half], goal[half - 1], goal_v[half - 1], a[half - 1]))
    agrees(commands[half + 3], torques(q[0], v[0], goal[0], 0, 0))
    assert not commands[half + 4].any()
    agrees(commands[half + 6], torques(q[6], v[6], q[5], 0, 0))


def test_limits_and_states_that_are_none(panda):
    robot = kt.load("panda")
    release, program = panda
    q, zero = robot.home(), np.zeros(robot.nv)
    missing = q.copy()
    missing[3] = np.nan if release == "humble" else -1000.0  # there, a value that cannot be read
    good, bad = line("run", q, zero), line("run", missing, zero)
    lines = [line("start", q, zero), line("run", q - 2, zero), bad, bad, good, bad, bad, bad, good, "stop"]
    codes, allocations, commands, log = drive(program, [*lines, line("start", q, zero), good])
    assert codes.tolist() == [0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0] and not allocations.any()
    limits, wanted = robot.model.limits.effort, robot.inverse_dynamics(q - 2, zero, 200 + zero)
    assert (np.abs(wanted) > limits).any()
    for k in (1, 2, 3):  # the last efforts stay
        agrees(commands[k], np.clip(wanted, -limits, limits))
    assert not commands[7:10].any() and commands[6].any() and commands[-1].any()  # a fault stays until activation
    assert "a position or velocity was missing or not finite" in log
    assert drive(program, [line("start", missing, zero)])[0] == [1]
    for wrong, said in (
        ("joints a b", "panda_joint7"),
        ("set velocity_gain 1 2", "must be 7 finite numbers"),
        ("set_number reference_timeout -1", "reference_timeout: must be"),
        ("set_number tolerated_failures -1", "tolerated_failures: must be"),
    ):
        codes, _, _, log = drive(program, [wrong, line("start", q, zero)])
        assert codes == [1] and said in log


def test_old_references_and_efforts_that_cannot_be_written(panda):
    robot = kt.load("panda")
    release, program = panda
    q, zero, v = robot.home(), np.zeros(robot.nv), np.full(robot.nv, 0.1)
    numbers = ["set_number reference_timeout 0.01", "set_number tolerated_failures 0"]
    lines = [*numbers, line("start", q, zero), line("point", 7, 7, 7, q, v, v), *[line("run", q, zero)] * 20]
    codes, allocations, commands, log = drive(program, [*lines, "writable 0", line("run", q, zero), "stop"])
    assert not codes[:-2].any() and not allocations.any()
    agrees(commands[9], robot.inverse_dynamics(q, zero, 21 * v))
    agrees(commands[15], robot.inverse_dynamics(q, zero, zero))
    assert codes[-2:].tolist() == ([1, 0] if release == "rolling" else [0, 0])
    assert ("could not be written" in log and "could not be set to zero" in log) == (release == "rolling")


ARM = """<robot name="A &amp; &lt;B&gt;"><link name="base"/><link name="a">{0}</link><link name="b">{0}</link>
<joint name="turn ?" type="continuous"><parent link="base"/><child link="a"/><axis xyz="0 1 0"/></joint>
<joint name="slide" type="prismatic"><parent link="a"/><child link="b"/>{1}</joint></robot>"""
MASS = """<inertial><origin xyz="0.1 0 0"/><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>"""
LIMIT = '<limit lower="-1" upper="1" effort="{}" velocity="1"/>'


def test_continuous_joints_take_the_shorter_way(capsys, tmp_path):
    (tmp_path / "arm.urdf").write_text(ARM.format(MASS, LIMIT.format(1000)), encoding="utf-8")
    folder = write(capsys, tmp_path / "out", tmp_path / "arm.urdf")
    robot, zero = kt.load(tmp_path / "arm.urdf"), np.zeros(2)
    program = build(folder, "rolling", "a_b_controllers")
    start, now = np.array([3.1, 0.2]), np.array([-3.1, 0.1])
    commands = drive(program, [line("start", start, zero), line("run", now, zero)])[2]
    expected = robot.inverse_dynamics(now, zero, 100 * np.array([6.2 - 2 * np.pi, 0.1]))
    agrees(commands[1], expected)


def test_files_of_the_package(capsys, tmp_path):
    yaml = pytest.importorskip("yaml")
    (tmp_path / "arm.urdf").write_text(ARM.format(MASS, LIMIT.format(10)), encoding="utf-8")
    argv = [tmp_path / "arm.urdf", "--name", "my_arm", "--maintainer", "A & B <a@b.org>"]
    folder = write(capsys, tmp_path / "out", *argv)
    manifest, plugins = (ET.parse(folder / name).getroot() for name in ("package.xml", "controllers_plugin.xml"))
    assert manifest.get("format") == "3" and manifest.findtext("name") == "my_arm"
    assert manifest.findtext("maintainer") == "A & B" and manifest.find("maintainer").get("email") == "a@b.org"
    assert "A & <B>" in manifest.findtext("description")
    names = [x.get("name") for x in plugins]
    assert names == ["my_arm/GravityCompensationController", "my_arm/ComputedTorqueController"]
    source = (folder / "src" / "controllers.cpp").read_text()
    assert all(f"PLUGINLIB_EXPORT_CLASS({x.get('type')}, {x.get('base_class_type')})" in source for x in plugins)
    parameters = yaml.safe_load((folder / "config" / "controllers.yaml").read_text())
    assert parameters["my_arm_computed_torque"]["ros__parameters"]["joints"] == ["turn ?", "slide"]
    assert parameters["controller_manager"]["ros__parameters"]["my_arm_computed_torque"]["type"] == names[1]
    depends = {x.text for x in manifest.findall("depend")}
    assert all(name in (folder / "CMakeLists.txt").read_text() for name in depends)
    texts = [path.read_text(encoding="utf-8") for path in folder.rglob("*") if path.is_file()]
    assert len(texts) == 13 and all("written by kinetrace" in text[:500] for text in texts)
    assert not any("@" in text.replace("a@b.org", "") for text in texts)
    found = json.loads(run(capsys, *argv, "--lang", "ros2", "-o", folder, "--json")[0])  # its own it overwrites
    assert found["name"] == "my_arm" and len(found["files"]) == 13
    (folder / "config" / "controllers.yaml").write_text("mine: 1\n")
    assert "controllers.yaml" in fails(capsys, *argv, "--lang", "ros2", "-o", folder)


def test_packages_written_from_python_are_checked():
    """As those of the command: the name, the joints, and that functions are of these joints."""
    robot = kt.load("panda")
    kernels = [
        kt.compile(getattr(kt.algorithms, x), robot, backend="numpy").sources(f"p_{x}")
        for x in ("gravity", "inverse_dynamics")
    ]
    joints = [EffortJoint(name, 10.0, False) for name in robot.joint_names]
    about = {"ROBOT": "panda", "VERSION": "0.1.0", "PERSON": "A", "MAIL": '"a@b.org"'}
    assert "package.xml" in ros2_package("p_controllers", joints, kernels, about)
    for name, of, said in (
        ("Panda", joints, "is no name of a package"),
        ("rclcpp_lifecycle", joints, "is a package that this one needs"),
        ("p_controllers", [], "no joint to control"),
        ("p_controllers", [EffortJoint("x", 0.0, False), *joints[1:]], r"above zero \(x\)"),
        ("p_controllers", joints[1:], "p_gravity has an argument of 7 numbers, and there are 6 joints"),
    ):
        with pytest.raises(kt.InputError, match=said):
            ros2_package(name, of, kernels, about)


AMENT = """
foreach(name ament_package ament_export_targets ament_export_dependencies)
  cmake_language(EVAL CODE "macro(${name})\nendmacro()")
endforeach()
macro(pluginlib_export_plugin_description_file base file)
  if(NOT EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${file})
    message(FATAL_ERROR ${file})
  endif()
endmacro()
macro(ament_target_dependencies target)
  target_include_directories(${target} PUBLIC ${PATHS})
endmacro()
if(WITH_TARGETS AND NOT TARGET rclcpp::rclcpp)
  foreach(name controller_interface hardware_interface pluginlib rclcpp rclcpp_lifecycle realtime_tools)
    add_library(${name}::${name} INTERFACE IMPORTED)
    target_include_directories(${name}::${name} INTERFACE ${PATHS})
  endforeach()
endif()
set(trajectory_msgs_TARGETS)
"""


@pytest.mark.parametrize("release", RELEASES)
def test_cmake_builds_the_library(capsys, tmp_path, release):
    """With packages that do nothing in the place of ament and ros2_control."""
    if not (shutil.which("cmake") and shutil.which("ctest") and shutil.which("g++")):
        pytest.skip("cmake or g++ is not here")
    folder, made = write(capsys, tmp_path / "package", "planar2r"), tmp_path / "build"
    names = [x.text for x in ET.parse(folder / "package.xml").getroot() if x.tag in ("depend", "buildtool_depend")]
    for name in names:
        (tmp_path / f"{name}Config.cmake").write_text(AMENT)
    options = [f"-D{name}_DIR={tmp_path}" for name in names] + [f"-DWITH_TARGETS={release == 'rolling'}"]
    paths = f"-DPATHS={SUPPORT / 'common'};{SUPPORT / release}"
    steps = [["cmake", "-S", folder, "-B", made, "-DCMAKE_BUILD_TYPE=Debug", paths, *options]]
    if release == "rolling":
        steps += [["cmake", "--build", made, "-j2"], ["ctest", "--test-dir", made]]
    for step in steps:
        done = subprocess.run(step, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr
    assert release == "humble" or "2 tests passed" in done.stdout or "0 tests failed out of 2" in done.stdout


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["quadruped", "--base", "free"], "--base fixed"),
        (["four_bar"], "closed loops"),
        (["panda", "gravity"], "leave out gravity"),
        (["panda", "--dtype", "float"], "leave out --dtype float"),
        (["panda", "--inputs", "inertial"], "leave out --inputs"),
        (["panda", "--frame", "panda_hand"], "leave out --frame"),
        (["panda", "--name", "Panda"], "my_robot_controllers"),
        (["panda", "--maintainer", "me"], '"Name <name@domain>"'),
    ],
)
def test_refused(capsys, tmp_path, argv, said):
    assert said in fails(capsys, *argv, "--lang", "ros2", "-o", tmp_path / "never")
    assert not (tmp_path / "never").exists()


def test_joints_that_take_no_effort(capsys, tmp_path):
    path = tmp_path / "arm.urdf"
    for inside, said in (
        (LIMIT.format(0), "limits of effort must be above zero (slide)"),
        (LIMIT.format(1) + '<mimic joint="turn ?"/>', "mimic joints (slide), which take no effort; lock them"),
    ):
        path.write_text(ARM.format(MASS, inside), encoding="utf-8")
        assert said in fails(capsys, path, "--lang", "ros2", "-o", tmp_path / "never")
    kt.load("planar2r").with_motors("joint2").save(tmp_path / "passive.json")
    assert "joints without motors (joint1)" in fails(capsys, tmp_path / "passive.json", "--lang", "ros2")
    kt.load(tmp_path / "passive.json").locked({"joint1": 0.1}).save(tmp_path / "arm.json")
    write(capsys, tmp_path / "out", tmp_path / "arm.json", "--name", "one_joint")
    assert "needs an ALGORITHM" in fails(capsys, "panda")
    assert "leave it out" in fails(capsys, "panda", "gravity", "--maintainer", "A <a@b.org>")
