"""The command: what it prints for people and for programs, and how it fails."""

import importlib
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.algorithms.registry.declaration import ALGORITHMS
from kinetrace.algorithms.registry.signature import Algorithm
from kinetrace.cli import COMMAND_MODULES, main
from kinetrace.cli.count import total as count_total

SRC = Path(kt.__file__).parents[1]
demo = importlib.import_module("kinetrace.cli.demo")
COMMANDS = tuple(COMMAND_MODULES)

ODD = """<robot name="[red]odd[/red]">
<link name="base"/>
<link name="[bold]arm"><inertial><mass value="1"/>
  <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="5"/></inertial></link>
<link name="finger"><inertial><mass value="1"/>
  <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<link name="tip"/>
<joint name="turn" type="revolute"><parent link="base"/><child link="[bold]arm"/><axis xyz="0 -1 0"/>
  <limit lower="-1" upper="2" velocity="3"/></joint>
<joint name="slide" type="prismatic"><parent link="[bold]arm"/><child link="finger"/><axis xyz="0 3 4"/>
  <mimic joint="turn" multiplier="-0.5" offset="-0.1"/></joint>
<joint name="weld" type="fixed"><parent link="finger"/><child link="tip"/><origin xyz="0 0 0.25"/></joint>
</robot>"""
"""A warning, a mimic, an axis off the coordinate axes, a fixed link, and names that look like markup."""


@pytest.fixture(autouse=True)
def surroundings(monkeypatch, tmp_path, forgetful):
    """An empty cache of compiled code, and a screen of 80 columns."""
    monkeypatch.setenv("KINETRACE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def odd(tmp_path):
    path = tmp_path / "odd.urdf"
    path.write_text(ODD, encoding="utf-8")
    return str(path)


def run(capsys, *argv, code=0):
    """The text on stdout and stderr."""
    try:
        returned = main([*map(str, argv)])
    except SystemExit as stop:  # argparse
        returned = stop.code
    output = capsys.readouterr()
    assert returned == code, output.err
    return output.out, output.err


def fails(capsys, *argv):
    """The one line of an error."""
    out, err = run(capsys, *argv, code=2)
    assert out == ""
    assert err.startswith("kinetrace: error: ")
    assert err.count("\n") == 1
    return err


def process(*argv, **settings):
    environment = {**os.environ, "PYTHONPATH": str(SRC), **settings.pop("env", {})}
    command = [sys.executable, "-m", "kinetrace", *argv]
    return subprocess.run(command, capture_output=True, env=environment, timeout=120, **settings)


def test_without_a_command_the_help_is_shown(capsys):
    out, _ = run(capsys)
    assert all(re.search(rf"^    {command}\s", out, re.MULTILINE) for command in COMMANDS)
    assert "Exit codes:\n  0 " in out and max(map(len, out.splitlines())) <= 85
    assert run(capsys, "--help")[0] == out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_examples_within_80_columns(capsys, command):
    out, _ = run(capsys, command, "--help")
    assert f"Examples:\n  kinetrace {command}" in out
    assert max(map(len, out.splitlines())) <= 80


def test_version(capsys):
    assert run(capsys, "--version")[0] == f"kinetrace {kt.__version__}\n"


@pytest.mark.parametrize("argv", [["dance"], ["info"], ["info", "panda", "--base", "loose"], ["robots", "--x"]])
def test_a_wrong_usage_is_told_by_argparse(capsys, argv):
    out, err = run(capsys, *argv, code=2)
    assert out == "" and err.startswith("usage: kinetrace") and ": error: " in err


def test_neither_the_library_nor_help_waits_for_rich():
    code = "import sys, kinetrace.cli\ntry: kinetrace.cli.main(['info', '--help'])\n"
    code += "except SystemExit: pass\nassert 'rich' not in sys.modules"
    environment = {**os.environ, "PYTHONPATH": str(SRC)}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment, stdout=subprocess.DEVNULL)


def test_robots_lists_every_robot_with_its_sizes(capsys):
    out, _ = run(capsys, "robots")
    rows = {words[0]: words for words in map(str.split, out.splitlines()) if words}
    for name in kt.robot_names():
        robot = kt.load(name)
        assert rows[name][1:3] == [str(robot.nq), str(robot.nv)]
        assert len(rows[name]) > 4, "a description"


def test_robots_json(capsys):
    found = json.loads(run(capsys, "robots", "--json")[0])
    assert [robot["name"] for robot in found] == list(kt.robot_names())
    assert all(robot["description"] for robot in found)


@pytest.mark.parametrize("base", ["fixed", "free"])
@pytest.mark.parametrize("name", kt.robot_names(closed=False))
def test_info_names_everything_within_80_columns(capsys, name, base):
    out, err = run(capsys, "info", name, "--base", base)
    robot = kt.load(name, base=base)
    assert err == ""
    assert f"nq {robot.nq} " in out and f"nv {robot.nv} " in out
    assert all(word in out for word in (*robot.joint_names, *robot.frame_names))
    assert max(map(len, out.splitlines())) <= 80


def test_info_draws_the_tree(capsys):
    out, _ = run(capsys, "info", "planar2r")
    assert (
        "base_link\n└── joint1 (revolute -y) → link1\n    └── joint2 (revolute -y) → link2\n        └── frame: tip\n"
    ) in out


def test_info_draws_a_deep_tree_as_chains(capsys):
    out, _ = run(capsys, "info", "humanoid")
    assert (
        "│   ├── neck_yaw (revolute z) → neck\n│   │   neck_pitch (revolute y) → head\n│   │   └── frame: head_camera\n"
    ) in out


def test_info_takes_no_name_for_markup_and_shows_mimics(capsys, odd):
    out, err = run(capsys, "info", odd)
    assert out.startswith("[red]odd[/red]\n")
    assert "turn (revolute -y) → [bold]arm\n" in out
    assert "slide (prismatic (0, 0.6, 0.8)) → finger\n" in out
    assert "slide = -0.5 · turn − 0.1" in out
    assert err.startswith(f"kinetrace: warning: {odd}: link '[bold]arm': ") and err.count("\n") == 1


def test_info_json_has_the_models_numbers(capsys, odd):
    robot = json.loads(run(capsys, "info", odd, "--json")[0])
    assert (robot["nq"], robot["nv"], robot["moving_mass"], robot["root"]) == (1, 1, 2.0, "base")
    turn, slide = robot["joints"]
    assert turn["q"] == turn["v"] == [0, 1]
    assert (turn["lower"], turn["upper"], turn["velocity"], turn["effort"]) == ([-1], [2], [3], [None])
    assert slide["mimic"] == {"joint": "turn", "ratio": -0.5, "offset": -0.1}
    assert slide["q"] is None
    assert np.allclose(slide["axes"], [[0, 0.6, 0.8]])
    assert np.allclose(robot["bodies"][0]["principal_moments"], [1, 1, 5])
    frames = {frame["name"]: frame for frame in robot["frames"]}
    assert frames["base"]["body"] is None
    assert frames["tip"]["body"] == 1 and frames["tip"]["pose"][2][3] == 0.25


def test_info_of_a_robot_that_does_not_move(capsys, tmp_path):
    path = tmp_path / "rock.urdf"
    path.write_text("<robot name='rock'><link name='all'/></robot>")
    assert "0 moving bodies" in run(capsys, "info", str(path))[0]


def test_count_shows_every_algorithm_and_says_which_frame(capsys):
    out, _ = run(capsys, "count", "planar2r")
    of_loops = {name for name in kt.algorithms.__all__ if ALGORITHMS[name].about_closures}
    assert {name for name in kt.algorithms.__all__ if name not in re.findall(r"\w+", out)} == of_loops
    assert "* of frame 'tip'" in out
    closed, _ = run(capsys, "count", "four_bar")
    assert all(name in closed for name in of_loops)


def test_counts_of_large_robots_come_from_several_processes(capsys, monkeypatch):
    few = ["mass_matrix", "gravity", "jacobian"]
    monkeypatch.setattr("kinetrace.cli.count.ALGORITHMS", {name: ALGORITHMS[name] for name in few})
    argv = ["count", "planar2r", "--json"]
    alone = json.loads(run(capsys, *argv)[0])
    monkeypatch.setattr("kinetrace.cli.count.PROCESSES_FROM_NV", 0)
    monkeypatch.setattr("kinetrace.cli.count.cores", lambda: 2)
    assert json.loads(run(capsys, *argv)[0]) == alone


@pytest.mark.parametrize("frame", ["tip", "link1"])
def test_count_json_agrees_with_the_library(capsys, frame):
    argv = ["count", "planar2r", "--algorithm", "jacobian", "--frame", frame, "--json"]
    found = json.loads(run(capsys, *argv)[0])
    count = kt.load("planar2r").count("jacobian", frame=frame)
    assert found["frame"] == frame
    assert found["counts"]["jacobian"]["mul"] == count.mul
    assert found["counts"]["jacobian"]["total"] == count.flops + count.trig


def test_count_says_why_an_algorithm_is_left_out(capsys, monkeypatch):
    def needy(model, q, weights):
        return weights @ q

    known = {"needy": Algorithm(needy), "pose": ALGORITHMS["pose"]}
    monkeypatch.setattr("kinetrace.algorithms.registry.declaration.ALGORITHMS", known)
    monkeypatch.setattr("kinetrace.cli.count.ALGORITHMS", known)
    monkeypatch.setattr("kinetrace.cli.shared.ALGORITHMS", known)
    out, _ = run(capsys, "count", "planar2r")
    assert "\npose * " in out and "\nnot counted: needy: the shape of argument 'weights'" in out
    found = json.loads(run(capsys, "count", "planar2r", "--json")[0])
    assert list(found["counts"]) == ["pose"] and list(found["not_counted"]) == ["needy"]
    assert "'weights'" in fails(capsys, "count", "planar2r", "-a", "needy")


def test_count_of_one_algorithm(capsys):
    out, _ = run(capsys, "count", "quadruped", "--base", "free", "-a", "inverse_dynamics")
    assert "inverse_dynamics" in out and "jacobian" not in out and "frame" not in out


def test_count_stages_shows_each_statement_beside_its_source(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")
    out, _ = run(capsys, "count", "planar2r", "-a", "mass_matrix", "--method", "factors", "--stages")
    lines = [line.split() for line in out.splitlines()]
    whole = kt.load("planar2r").count("mass_matrix", method="factors")
    assert [
        "total",
        str(whole.mul),
        str(whole.add),
        str(whole.div + whole.trig),
        str(count_total(whole)),
        "100.0%",
    ] in [line[:6] for line in lines]
    assert "  P  " in out and "P = body.J + P_beyond  # (40); (4.5)" in out and "method 'factors'" in out
    own = [line for line in out.splitlines() if line.startswith("  ") and "%" in line]
    assert sum(int(line.split("%")[0].split()[-2]) for line in own) == count_total(whole)


def test_count_json_has_all_stages(capsys):
    argv = ["count", "planar2r", "-a", "forward_dynamics", "--method", "FD4", "--stages", "--general", "--json"]
    found = json.loads(run(capsys, *argv)[0])
    assert (found["general"], found["method"]) == (True, "FD4")
    count, stages = found["counts"]["forward_dynamics"], found["counts"]["forward_dynamics"].pop("stages")
    assert all(sum(stage[kind] for stage in stages) == n for kind, n in count.items())
    assert sum(stage["share"] for stage in stages) == pytest.approx(1)
    expected = kt.load("planar2r").count("forward_dynamics", by="stage", method="FD4", general=True)
    assert [(s["function"], s["name"], s["line"], s["mul"]) for s in stages] == [
        (stage.function, stage.name, stage.line, n.mul) for stage, n in expected.items()
    ]
    assert {stage["file"] for stage in stages} == {
        f"kinetrace/algorithms/dynamics/{file}.py"
        for file in ("inverse_dynamics", "articulated_body", "forward_dynamics")
    }


def test_count_general_is_that_of_an_arm_without_special_geometry(capsys):
    out, _ = run(capsys, "count", "panda", "-a", "inverse_dynamics", "--general")
    count = kt.load("panda").count("inverse_dynamics", general=True)
    assert "a general robot with the joints of panda" in out and f" {count.mul} " in out


def test_count_of_a_keyword_that_is_true_by_default(capsys):
    out, _ = run(capsys, "count", "planar2r", "-a", "diagonal_dynamics", "--no-normalised", "--json")
    found, count = json.loads(out), kt.load("planar2r").count("diagonal_dynamics", normalised=False)
    assert found["normalised"] is False and found["counts"]["diagonal_dynamics"]["sqrt"] == count.sqrt == 0
    assert "--normalised is about one algorithm" in fails(capsys, "count", "planar2r", "--no-normalised")


def test_count_keywords_are_about_one_algorithm(capsys):
    assert "--stages is about one algorithm" in fails(capsys, "count", "planar2r", "--stages")
    assert "--method is about one algorithm" in fails(capsys, "count", "planar2r", "--method", "FD4")
    assert "'form'" in fails(capsys, "count", "planar2r", "-a", "mass_matrix", "--form", "skew")


def test_demo_compiles_checks_times_and_shows_a_snippet_that_runs(capsys, monkeypatch):
    monkeypatch.setattr(demo, "SMALL_BATCH", 100)
    out, err = run(capsys, "demo", "planar2r", "--batch", "300")
    assert err == "" and "\x1b" not in out
    assert "(fresh)" in out and "fine" in out
    assert "compiled, 100 states, one thread" in out and "compiled, 300 states, one thread" in out
    assert re.search(r"One thread takes \d+ ns per state in a batch of 100, .* and \d+ ns", out.replace("\n", " "))
    assert max(map(len, out.splitlines())) <= 80
    lines = out.rstrip().splitlines()[-4:]
    scope = {}
    exec("\n".join(line.strip() for line in lines), scope)
    assert scope["tau"].shape == (1000, 2)
    assert "(from the cache)" in run(capsys, "demo", "planar2r", "--batch", "1")[0]


def test_demo_without_a_cache(capsys, monkeypatch):
    monkeypatch.setenv("KINETRACE_CACHE", "off")
    assert "(fresh)" in run(capsys, "demo", "planar2r", "--batch", "10", "--base", "free")[0]


@pytest.mark.parametrize("wrong", [1.0, np.nan])
def test_demo_fails_if_the_compiled_code_is_wrong(capsys, monkeypatch, wrong):
    true = kt.algorithms.inverse_dynamics
    kernel = kt.Robot.kernel
    monkeypatch.setattr(kt.Robot, "kernel", lambda self, _: kernel(self, true))
    monkeypatch.setattr(kt.algorithms, "inverse_dynamics", lambda *x: true(*x) + wrong)
    out, err = run(capsys, "demo", "planar2r", "--batch", "10", code=1)
    assert "WRONG" in out and err.startswith("kinetrace: error: ")


def test_demo_sees_a_wrong_number_in_any_run():
    right, wrong = np.ones((5, 2)), np.ones((5, 2))
    wrong[3, 1] = np.nan
    assert demo.relative_error(np.array([right, right]), right) == 0
    assert np.isnan(demo.relative_error(np.array([right, wrong]), right))


def test_demo_of_a_robot_that_does_not_move(capsys, tmp_path):
    path = tmp_path / "rock.urdf"
    path.write_text("<robot name='rock'><link name='all'/></robot>")
    assert "no moving joint" in fails(capsys, "demo", str(path))


@pytest.mark.parametrize("batch", ["0", "-3", "1.5", "many"])
def test_demo_refuses_a_batch_that_is_none(capsys, batch):
    assert "--batch" in run(capsys, "demo", f"--batch={batch}", code=2)[1]


def test_demo_of_more_states_than_memory(capsys):
    _, err = run(capsys, "demo", "planar2r", "--batch", str(10**15), code=2)
    assert err.startswith("kinetrace: error: not enough memory") and err.count("\n") == 1


@pytest.mark.parametrize("command", ["info", "count", "demo"])
def test_an_unknown_robot_lists_the_known(capsys, command):
    err = fails(capsys, command, "pandaa")
    assert "did you mean 'panda'?" in err
    assert all(name in err for name in kt.robot_names())


def test_a_missing_file(capsys):
    assert "cannot read 'missing.urdf'" in fails(capsys, "info", "missing.urdf")


@pytest.mark.parametrize("text", ["<robot name='x'><link", "<robot name='x'/>", "", "<sdf/>", "\0\n\0"])
def test_a_malformed_file(capsys, tmp_path, text):
    path = tmp_path / "bad.urdf"
    path.write_text(text)
    fails(capsys, "info", str(path))


def test_an_unknown_algorithm_or_frame(capsys):
    assert "inverse_dynamics" in fails(capsys, "count", "panda", "-a", "inverse")
    assert "panda_hand" in fails(capsys, "count", "panda", "-f", "hand")
    assert "not about a frame" in fails(capsys, "count", "panda", "-a", "inverse_dynamics", "-f", "panda_hand")


@pytest.mark.skipif(os.name != "posix", reason="such a file name is none elsewhere")
def test_nothing_that_a_terminal_obeys_is_printed(capsys, tmp_path):
    """Controls, line ends and turns of direction in names of links, joints, robots and files; JSON has the names."""
    bad = "\x9b31m\n\r\t\u202e\x7f"
    text = ODD.replace("arm", "arm*").replace('"tip"', '"tip*"').replace('"turn"', '"turn*"').replace("odd", "odd*", 1)
    path = tmp_path / "odd\x1b[31m\n.urdf"
    path.write_text(text.replace("*", "".join(f"&#{ord(x)};" for x in bad)), encoding="utf-8")
    missing = tmp_path / "no\x1b[31m.urdf"
    shown = [
        run(capsys, "info", path),
        run(capsys, "count", path, "-a", "pose"),
        run(capsys, "optimise", path),
        run(capsys, "demo", path, "--batch", "10"),
        run(capsys, "codegen", path, "bias", "-o", tmp_path / "out\x1b[31m"),
        run(capsys, "info", missing, code=2),
        run(capsys, "count", path, "-a", "pose", "-f", "\x1b[31m", code=2),
        run(capsys, "info", path, "\x1b[31m", code=2),
    ]
    for words in ("".join(texts) for texts in shown):
        assert words.strip() and [x for x in words if not (x.isprintable() or x == "\n")] == []
    assert r"arm\x9b31m\n\r\t\u202e\x7f" in shown[0][0].replace("\n", "") and r"no\x1b[31m.urdf" in shown[5][1]
    found = json.loads(run(capsys, "info", path, "--json")[0])
    assert [joint["name"] for joint in found["joints"]] == [f"turn{bad}", "slide"]


def test_names_that_look_alike_are_different_names(capsys, tmp_path):
    """They are escaped where they are printed, and nowhere else."""
    path, ends = tmp_path / "r.urdf", r'<parent link="a"/><child link="{}"/>'
    names = ["t&#10;x", r"t\nx"]
    joints = (f'<link name="{n}"/><joint name="{n}" type="fixed">{ends.format(n)}</joint>' for n in names)
    path.write_text(f'<robot name="r&#10;"><link name="a"/>{"".join(joints)}</robot>')
    out, _ = run(capsys, "info", path)
    assert out.startswith("r\\n\n") and "3 frames" in out
    assert len([line for line in out.splitlines() if line.startswith("t\\nx")]) == 2
    out, _ = run(capsys, "count", path, "-a", "pose", "-f", "t\nx")
    assert r"* of frame 't\nx'" in out


def test_what_is_printed_keeps_its_style():
    from kinetrace.support.tables import console, show, table

    out = console(file=io.StringIO(), force_terminal=True, color_system="standard", width=60)
    listing = table("x\x1b[m")
    listing.add_row("a\nb\x1b[2J", style="red")
    show(out, "t\x07", listing)
    text = out.file.getvalue()
    assert "\x1b[1mt\\x07\x1b[0m" in text and "\x1b[31ma\\nb\\x1b[2J" in text and "x\\x1b[m" in text


def test_a_message_is_short(capsys, tmp_path):
    path = tmp_path / "long.urdf"
    path.write_text(f"<robot name='x'><link name='{'a' * 5000}'/><link name='{'a' * 5000}'/></robot>")
    assert len(fails(capsys, "info", str(path))) < 1100


def test_an_interrupt_is_one_line(capsys, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(demo, "check", interrupted)
    _, err = run(capsys, "demo", "planar2r", "--batch", "10", code=130)
    assert err == "kinetrace: interrupted\n"


def test_as_a_module_without_traceback(tmp_path):
    path = tmp_path / "bad.urdf"
    path.write_text("<robot")
    done = process("info", str(path), text=True)
    assert done.returncode == 2 and done.stdout == "" and "Traceback" not in done.stderr
    assert done.stderr.count("\n") == 1


def test_on_a_narrow_encoding():
    done = process("info", "planar2r", env={"PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0 and b"joint1 (revolute -y) -> link1" in done.stdout and b"m/s^2" in done.stdout


def test_without_docstrings():
    command = [sys.executable, "-OO", "-m", "kinetrace", "robots"]
    done = subprocess.run(command, capture_output=True, env={**os.environ, "PYTHONPATH": str(SRC)}, timeout=120)
    assert done.returncode == 0 and b"planar2r" in done.stdout and done.stderr == b""


@pytest.mark.skipif(os.name != "posix", reason="a shell's way to close a stream")
@pytest.mark.parametrize(("streams", "argv", "code"), [(">&-", "info panda", 0), (">&- 2>&-", "info nosuch", 2)])
def test_with_closed_streams(streams, argv, code):
    command = f'"{sys.executable}" -m kinetrace {argv} {streams}; echo $?'
    environment = {**os.environ, "PYTHONPATH": str(SRC)}
    done = subprocess.run(["sh", "-c", command], capture_output=True, env=environment, timeout=120)
    assert done.stdout == f"{code}\n".encode() and done.stderr == b""


@pytest.mark.skipif(os.name != "posix", reason="pipes of a shell")
def test_into_a_pipe_that_closes():
    read, write = os.pipe()
    os.close(read)
    environment = {**os.environ, "PYTHONPATH": str(SRC)}
    for argv in (["robots"], ["info", "panda", "--json"]):
        command = [sys.executable, "-m", "kinetrace", *argv]
        done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, env=environment, timeout=120)
        assert done.returncode == 1 and done.stderr == b""
    os.close(write)


@pytest.mark.parametrize("name", ["four_bar", "three_fingers_ball", "two_pandas_beam", "bicycle"])
def test_info_tells_what_closes_loops(capsys, name):
    out, err = run(capsys, "info", name)
    robot, said = kt.load(name), json.loads(run(capsys, "info", name, "--json")[0])
    assert err == "" and max(map(len, out.splitlines())) <= 80
    degrees = f"{robot.dof} degree{'s' * (robot.dof > 1)} of freedom with loops closed"
    assert degrees in out and all(word in out for word in (*robot.closure_names, *robot.frame_names))
    assert said["dof"] == robot.dof and [c["name"] for c in said["closures"]] == list(robot.closure_names)
    for closure in said["closures"]:
        assert len(closure["transmits"]) == len(closure["holds_position"]) == closure["rows"]
        assert closure["redundant"] == robot.mobility().redundant.get(closure["name"], 0)


def test_info_names_what_closes_and_what_is_independent(capsys):
    out = run(capsys, "info", "bicycle")[0]
    assert "rear_contact: rolling, 3 rows\n  between world and rear_wheel\n" in out
    assert "independent velocities: frame_motion[0], rear_axle, steering\nmotors: rear_axle, steering\n" in out
    out = run(capsys, "info", "four_bar")[0]
    assert "coupler-rocker: revolute, 5 rows, of which 3 follow from others\n" in out


def test_closures_of_a_file(capsys, tmp_path):
    gear = {"name": "pulley", "gear": {"driver": "joint1", "driven": "joint2", "ratio": -1}}
    file = tmp_path / "loops.json"
    file.write_text(json.dumps([gear]))
    said = json.loads(run(capsys, "info", "planar2r", "--closures", str(file), "--json")[0])
    assert said["closures"][0]["joints"] == {"joint1": [1.0], "joint2": [1.0]} and said["dof"] == 1
    assert (
        "pulley: coupling, 1 row\n  between joint1 and joint2\n"
        in run(capsys, "info", "planar2r", f"--closures={file}")[0]
    )
    found = json.loads(run(capsys, "count", "planar2r", f"--closures={file}", "-a", "forward_dynamics", "--json")[0])
    assert found["counts"]["forward_dynamics"]["mul"] > kt.load("planar2r").count("forward_dynamics").mul
    file.write_text("{}")
    assert "loops.json: a closure file: needs closures" in fails(capsys, "info", "planar2r", f"--closures={file}")


def test_the_demo_of_a_closed_robot_says_that_its_loops_are_open(capsys):
    out, _ = run(capsys, "demo", "four_bar", "--batch", "10")
    assert "with its 1 closure open: inverse dynamics is about the tree of joints" in out


def test_info_shows_what_joints_do(capsys, tmp_path):
    file = tmp_path / "damped.urdf"
    file.write_text(ODD.replace('<limit lower="-1"', '<dynamics damping="0.25" friction="0.125"/><limit lower="-1"'))
    out, _ = run(capsys, "info", str(file))
    assert "What joints do by themselves" in out and "0.25" in out and "0.125" in out and "armature" not in out
    joints = json.loads(run(capsys, "info", str(file), "--json")[0])["joints"]
    assert joints[0]["effects"]["damping"] == [0.25] and joints[1]["effects"] is None
    assert "What joints do" not in run(capsys, "info", "planar2r")[0]


def test_convert_says_what_the_format_cannot(capsys, odd, tmp_path):
    out = tmp_path / "odd.json"
    assert run(capsys, "convert", odd, out)[0] == f"{out}: [red]odd[/red], nq = 1, nv = 1\n"
    assert kt.load(out, check="ignore").model == kt.load(odd, check="ignore").model
    assert "cannot say how 'four_bar' moves: closures" in fails(capsys, "convert", "four_bar", tmp_path / "bar.urdf")
    text, _ = run(capsys, "convert", "four_bar", tmp_path / "bar.urdf", "--lossy")
    assert "not said: closures, whose loops are open there: 'coupler-rocker'\n" in text
    dog = ("convert", "quadruped", tmp_path / "dog.urdf", "--base", "free", "--json")
    assert "cannot say how 'quadruped' moves: armature" in fails(capsys, *dog)
    rotors, free, start = json.loads(run(capsys, *dog, "--lossy")[0])["unsaid"]
    assert start == "where joints start"
    assert rotors.startswith("armature: 'FL_hip_roll', ")
    assert free == "the free base, for which the file is loaded with base='free': 'floating_base'"
    assert "unknown format '.sdf'" in fails(capsys, "convert", "panda", "panda.sdf")
    written = (tmp_path / "a.json", tmp_path / "b.json")
    for place in ((written[0],), ("-o", written[1])):
        run(capsys, "convert", "panda", *place)
    assert written[0].read_bytes() == written[1].read_bytes()
    for place in ((), ("a.json", "-o", "b.json")):
        assert "give the file to write, OUT or -o FILE, once" in fails(capsys, "convert", "panda", *place)
    assert "--xacro-arg takes NAME=VALUE, got 'left'" in fails(capsys, "convert", odd, out, "--xacro-arg", "left")
    assert "does not exist" in fails(capsys, "convert", odd, out, "--package", f"shapes={tmp_path}/no")
