"""`kinetrace codegen`: what it writes builds and checks itself, and how it fails."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import kinetrace as kt
from kinetrace.algorithms.registry.declaration import ALGORITHMS
from kinetrace.cli.shared import static_options

from .test_cli import fails as command_fails
from .test_cli import run as command

FLAGS = "-std=c99 -O0 -Wall -Wextra -Werror -pedantic"


SINGULAR = [name for name, says in ALGORITHMS.items() if says.inverts_compliance]
"""Algorithms that invert a 6 × 6 matrix, for which two joints are too few."""


def run(capsys, *argv, code=0):
    """The text on stdout and stderr."""
    return command(capsys, "codegen", *map(str, argv), code=code)


def fails(capsys, *argv):
    """The one line of an error."""
    return command_fails(capsys, "codegen", *map(str, argv))


def check(folder):
    """Build and run what was written."""
    if not (shutil.which("make") and shutil.which("cc")):
        pytest.skip("make or cc is not here")
    command = ["make", "--no-print-directory", "check", f"CFLAGS={FLAGS}"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_help_within_80_columns(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    out, _ = run(capsys, "--help")
    assert "Examples:\n  kinetrace codegen" in out and max(map(len, out.splitlines())) <= 80
    assert {"frame", "expressed_in", "method", "form", "kind", "friction"} <= static_options().keys()


@pytest.mark.parametrize("method", ["euler", "variational"])
def test_a_rollout_takes_any_number_of_steps(method, capsys, tmp_path):
    """One method of a straight line per step, and one with Newton's method inside."""
    out, _ = run(capsys, "planar2r", "rollout", "--method", method, "-o", tmp_path)
    assert "(2),(2),(t,2),()->(t,2),(t,2)" in out and "Not checked" not in out
    assert "size_t t,\n" in (tmp_path / "planar2r_rollout.h").read_text(encoding="ascii")
    assert check(tmp_path).endswith("fine\n")


def test_what_joints_do_by_themselves_is_in_the_source(capsys, tmp_path):
    """Damping and friction of a file: the source, which checks itself against the library, has both numbers."""
    (tmp_path / "door.urdf").write_text(
        """<robot name="door"><link name="frame"/><link name="leaf"><inertial><origin xyz="0.4 0 1"/><mass value="20"/>
        <inertia ixx="1.5" iyy="2.5" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <joint name="hinge" type="continuous"><parent link="frame"/><child link="leaf"/><axis xyz="0 0 1"/>
        <dynamics damping="0.8125" friction="0.3125"/></joint></robot>""",
        encoding="utf-8",
    )
    run(capsys, tmp_path / "door.urdf", "forward_dynamics", "-o", tmp_path / "out")
    source = (tmp_path / "out" / "door_forward_dynamics.c").read_text(encoding="ascii")
    assert "0.8125" in source and "0.3125" in source and "sqrt" in source
    assert check(tmp_path / "out").endswith("fine\n")


def test_it_says_what_it_wrote(capsys, tmp_path):
    out, err = run(capsys, "panda", "inverse_dynamics", "-o", tmp_path / "new" / "folder")
    names = {path.name for path in (tmp_path / "new" / "folder").iterdir()}
    stem = "panda_inverse_dynamics"
    assert err == "" and names == {f"{stem}.h", f"{stem}.c", f"{stem}_test.c", "Makefile", "CMakeLists.txt"}
    assert all(name in out for name in names) and str(kt.load("panda").count("inverse_dynamics")) in out
    header = (tmp_path / "new" / "folder" / f"{stem}.h").read_text(encoding="ascii")
    assert f"kinetrace {kt.__version__}" in header and "panda_joint7      6      6" in header
    assert str(tmp_path) not in header and "angular first" in header and "(w, x, y, z)" in header
    assert check(tmp_path / "new" / "folder").endswith("fine\n")


@pytest.mark.parametrize(
    ("argv", "name"),
    [
        (["planar2r", "gravity"], "planar2r_gravity"),
        (["planar2r", "gravity", "--lang", "cuda", "--name", "my_g"], "my_g"),
        (["planar2r", "gravity", "--lang", "javascript"], "planar2r_gravity"),
        (["planar2r", "--lang", "ros2"], "planar2r_controllers"),
    ],
)
def test_without_output_a_folder_of_the_name_is_made(capsys, tmp_path, monkeypatch, argv, name):
    """The same for all languages; its own files it overwrites, and no others."""
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        files = json.loads(run(capsys, *argv, "--json")[0])["files"]
        assert [path.name for path in tmp_path.iterdir()] == [name] and files
        assert all((tmp_path / file).is_file() and file.startswith(f"{name}{os.sep}") for file in files)
    (tmp_path / files[0]).write_text("mine")
    assert "was not written by kinetrace" in fails(capsys, *argv)
    (tmp_path / "file").write_text("mine")
    assert "file" in fails(capsys, *argv, "-o", "file")
    run(capsys, *argv, "-o", ".")
    assert (tmp_path / Path(files[0]).relative_to(name)).is_file()


@pytest.mark.parametrize("half", [pytest.param(k, marks=pytest.mark.part(k, 2)) for k in (0, 1)])
def test_every_algorithm_of_a_robot_builds_without_warning_and_is_right(capsys, tmp_path, half):
    algorithms = [*ALGORITHMS][half::2]
    for algorithm in algorithms:
        frame = ["--frame", "tip"] if ALGORITHMS[algorithm].needs_frame else []
        base = "free" if algorithm in SINGULAR else "fixed"
        run(capsys, "planar2r", algorithm, "-o", tmp_path, "--base", base, *frame)
    assert check(tmp_path).count("fine\n") == len(algorithms)


CHOICES = [
    ["quadruped", "forward_dynamics", "--base", "free"],
    ["ur5e", "jacobian", "--frame", "tool0", "--expressed-in", "aligned", "--dtype", "float"],
    ["planar2r", "mass_matrix", "--method", "factors"],
    ["planar2r", "christoffel", "--kind", "2"],
    ["planar2r", "regressor", "--friction", "--rotor"],
    ["planar2r", "sectional_curvature", "--dtype", "float"],
    ["planar2r", "nullspace_projector", "--frame", "tip", "--axes", "3,5", "--inputs", "task_damping"],
    ["panda", "operational_compliance", "--frame", "panda_link4,panda_hand", "--axes", "position,pose"],
    ["planar2r", "step", "--method", "rk4", "--base", "free"],
    ["panda", "inverse_dynamics", "--wrench", "panda_hand", "--inputs", "inertial,gravity,base_velocity"],
]


def test_static_choices_and_inputs(capsys, tmp_path):
    for k, argv in enumerate(CHOICES):
        found = json.loads(run(capsys, *argv, "--json", "-o", tmp_path, "--name", f"case_{k}")[0])
        assert found["name"] == f"case_{k}" and found["operations"]["mul"] > 0 and found["scratch_bytes"] >= 0
    assert check(tmp_path).count("fine\n") == len(CHOICES)
    sizes = (tmp_path / "case_9.h").read_text()
    order = ["Q", "V", "A", "BASE_VELOCITY", "WRENCH_PANDA_HAND", "INERTIAL", "GRAVITY", "OUT"]
    places = [sizes.index(f"#define CASE_9_{name}_SIZE") for name in order]
    assert places == sorted(places) and "#define CASE_9_INERTIAL_SIZE 70" in sizes
    assert "frame = 'tool0'" in (tmp_path / "case_1.h").read_text()


def test_what_rounding_alone_decides_is_not_said_to_be_fine(capsys, tmp_path):
    mass = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
    links = f"<link name='a'/><link name='b'>{mass}</link><link name='c'>{mass}</link><link name='d'/><link name='e'/>"
    joint = "<joint name='{1}' type='{2}'><parent link='{0}'/><child link='{1}'/><origin xyz='0 {3} 0'/></joint>"
    turns = [("a", "b", "continuous", 0), ("b", "c", "continuous", 1)]
    tips = [("c", "d", "fixed", 1), ("c", "e", "fixed", 1.0001)]  # almost one point
    (tmp_path / "arm.urdf").write_text(
        f"<robot name='arm'>{links}{''.join(joint.format(*x) for x in turns + tips)}</robot>"
    )
    chosen = ["--frame", "d,e", "--axes", "5", "--dtype", "float"]
    argv = [tmp_path / "arm.urdf", "operational_inertia", *chosen, "-o", tmp_path]
    assert json.loads(run(capsys, *argv, "--json")[0])["unchecked"] == ["out"]
    assert "Not checked by the test, singular at its states: out\n" in run(capsys, *argv)[0]
    assert "out: NOT CHECKED" in check(tmp_path)


def test_the_same_robot_twice_is_the_same_text(capsys, tmp_path):
    for folder in ("one", "two"):
        run(capsys, "ur5e", "bias", "-o", tmp_path / folder)
        run(capsys, "ur5e", "bias", "-o", tmp_path / folder, "--lang", "cuda")
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_javascript(capsys, tmp_path):
    out, _ = run(capsys, "planar2r", "forward_dynamics", "-o", tmp_path, "--lang", "javascript")
    test = tmp_path / "planar2r_forward_dynamics_test.mjs"
    assert f"Check it with: node {test}\n" in out and "stack" not in out
    assert "Joints, their places in q and in v:" in (tmp_path / "planar2r_forward_dynamics.mjs").read_text("ascii")
    assert "float64 alone" in fails(capsys, "planar2r", "bias", "--lang", "javascript", "--dtype", "float")
    node = shutil.which("node") or pytest.skip("node is not here")
    assert subprocess.run([node, test], capture_output=True, text=True, timeout=300).stdout.endswith("fine\n")


def test_somebody_elses_file_stays(capsys, tmp_path):
    (tmp_path / "Makefile").write_text("all:\n")
    assert "Makefile" in fails(capsys, "planar2r", "bias", "-o", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["Makefile"]
    run(capsys, "planar2r", "bias", "-o", tmp_path, "--force")
    run(capsys, "planar2r", "gravity", "-o", tmp_path)  # its own it overwrites
    assert len([*tmp_path.iterdir()]) == 8


def test_a_full_disk_costs_no_file(capsys, tmp_path):
    resource = pytest.importorskip("resource")
    run(capsys, "planar2r", "bias", "-o", tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (700, limits[1]))  # some of the files are larger
    try:
        assert "File too large" in fails(capsys, "planar2r", "bias", "-o", tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
    run(capsys, "planar2r", "bias", "-o", tmp_path)


def test_temporary_files_of_others_stay(capsys, tmp_path):
    run(capsys, "planar2r", "bias", "-o", tmp_path)
    others = [tmp_path / f".{path.name}.{os.getpid()}.partial" for path in tmp_path.iterdir()]
    for path in others:
        path.write_text("not ours")
    (tmp_path / "planar2r_bias.h").unlink()
    run(capsys, "planar2r", "bias", "-o", tmp_path)
    assert all(path.read_text() == "not ours" for path in others)
    # anybody may read the new file who may read others that the user makes
    assert (tmp_path / "planar2r_bias.h").stat().st_mode == others[0].stat().st_mode


@pytest.mark.skipif(os.name != "posix", reason="links need rights elsewhere")
def test_nothing_is_written_through_a_link(capsys, tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "Makefile").symlink_to(tmp_path / "nowhere")
    assert "Makefile" in fails(capsys, "planar2r", "bias", "-o", folder)
    run(capsys, "planar2r", "bias", "-o", folder, "--force")
    assert not (tmp_path / "nowhere").exists() and not (folder / "Makefile").is_symlink()
    assert sorted(path.suffix for path in folder.iterdir()) == ["", ".c", ".c", ".h", ".txt"]


ODD = """<robot name="*/ 3 [odd] robots"><link name="base"/><link name="arm"><inertial><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<joint name="/* turn ??/" type="continuous"><parent link="base"/><child link="arm"/></joint></robot>"""


def test_names_that_are_none_in_c(capsys, tmp_path):
    path = tmp_path / "odd.urdf"
    path.write_text(ODD)
    run(capsys, path, "inverse_dynamics", "-o", tmp_path)
    assert (tmp_path / "x3_odd_robots_inverse_dynamics.c").exists()
    assert "fine" in check(tmp_path)


def test_a_robot_that_does_not_move(capsys, tmp_path):
    path = tmp_path / "rock.urdf"
    path.write_text("<robot name='rock'><link name='all'/></robot>")
    run(capsys, path, "pose", "--frame", "all", "-o", tmp_path)
    assert "fine" in check(tmp_path)


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["panda", "inverse"], "inverse_dynamics"),
        (["pandaa", "bias"], "did you mean 'panda'?"),
        (["panda", "pose"], "panda_hand"),
        (["panda", "pose", "--frame", "hand"], "panda_hand"),
        (["panda", "operational_bias", "--frame", "panda_hand,hand"], "unknown frame 'hand'"),
        (["planar2r", "operational_bias", "--frame", "tip"], "Ask for axes=(3, 5)"),
        (["panda", "bias", "--frame", "panda_hand"], "keyword argument of bias 'frame'"),
        (["panda", "mass_matrix", "--method", "magic"], "composite"),
        (["panda", "bias", "--inputs", "mass"], "inertial"),
        (["panda", "bias", "--inputs", "base_velocity"], "inertial"),
        (["panda", "bias", "--wrench", "panda_hand"], "takes no wrench"),
        (["panda", "inverse_dynamics", "--wrench", "hand"], "panda_hand"),
        (["panda", "bias", "--name", "3d"], "'x3d_function' would do"),
        (["humanoid", "riemann"], "too many to trace"),
    ],
)
def test_errors_say_what_would_be_right(capsys, tmp_path, argv, said):
    assert said in fails(capsys, *argv, "-o", tmp_path / "never")
    assert not (tmp_path / "never").exists()


def test_a_folder_that_is_a_file(capsys, tmp_path):
    (tmp_path / "file").write_text("")
    fails(capsys, "planar2r", "bias", "-o", tmp_path / "file")
