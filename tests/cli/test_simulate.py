"""`kinetrace simulate` and `kinetrace rollout`."""

import json

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.cli import main
from kinetrace.simulation import recorder


def run(capsys, *argv, code=0):
    assert main([*map(str, argv)]) == code
    return capsys.readouterr()


def test_simulate_tells_what_became_of_it(capsys):
    out = run(capsys, "simulate", "planar2r", "--time", 0.1, "--dt", 0.01).out
    assert "planar2r, 0.1 s in steps of 0.01 s, method rkmk4" in out and "11 rows" in out and "energy" in out


def test_simulate_writes_what_robot_simulate_returns(capsys, tmp_path):
    robot, file, picture = kt.load("planar2r"), tmp_path / "a.npz", tmp_path / "a.png"
    argv = ["simulate", "planar2r", "--time", 0.1, "--dt", 0.01, "--q", "0.3,-0.2", "--v", "1,0", "--tau", "0,2"]
    pytest.importorskip("matplotlib")
    told = json.loads(run(capsys, *argv, "--record", 5, "-o", file, "--plot", picture, "--json").out)
    motion = robot.simulate([0.3, -0.2], [1.0, 0.0], 0.1, 0.01, tau=[0.0, 2.0], record=5)
    found = kt.Trajectory.load(file)
    assert (found.q == motion.q).all() and told["q"] == motion.q[-1].tolist() and told["rows"] == 3
    assert picture.read_bytes().startswith(b"\x89PNG") and not told["interrupted"]


def test_simulate_closed_loops_from_independent_velocities(capsys):
    told = json.loads(run(capsys, "simulate", "four_bar", "--time", 0.1, "--dt", 0.01, "--v", 3, "--json").out)
    assert told["closure_residual"] < 1e-12 and abs(told["energy_end"] - told["energy_begin"]) < 1e-6


def test_simulate_with_hard_stops(capsys):
    """Laws that are asked for choose the method, and those that the method cannot solve for are refused."""
    argv = ["simulate", "planar2r", "--v", "9,0", "--time", 0.6, "--limits", "hard", "--json"]
    told = json.loads(run(capsys, *argv).out)
    assert told["method"] == "semi-implicit"
    assert not [x for x in told["beyond_limits"] if x["quantity"] == "position"]
    refused = run(capsys, *argv, "--method", "rk4", code=2).err
    assert (
        "'rk4' cannot step with dry friction or hard stops" in refused and "--friction smooth --limits soft" in refused
    )
    idle = run(capsys, "simulate", "planar2r", "--time", 0.001, "--friction", "dry").err
    assert 'friction_law="dry" changes nothing' in idle


def test_simulate_a_free_base(capsys):
    """Velocities of a base, which are not the rates of its coordinates, have rows of their own."""
    argv = ["simulate", "planar2r", "--base", "free", "--time", 0.02, "--dt", 0.01, "--method", "semi-implicit"]
    out = run(capsys, *argv, "--v", "0,0,0,0,0,0.5,0,1").out
    assert "floating_base[6]" in out and "floating_base[5] [m/s]" in out and "joint2" in out


def test_ctrl_c_keeps_what_there_is(capsys, tmp_path, monkeypatch):
    """In whole files, and with the exit code of an interrupt."""
    taken, file = recorder._SimulationRun.take, tmp_path / "a.npz"

    def stopped(self, rows, n):
        taken(self, rows, n)
        if self.done >= 5:
            raise KeyboardInterrupt

    monkeypatch.setattr(recorder._SimulationRun, "take", stopped)
    argv = ["simulate", "planar2r", "--time", 0.1, "--dt", 0.01, "--out", file]
    found = run(capsys, *argv, code=130)
    assert "interrupted at t = 0.05 s of 0.1" in found.err and "6 rows" in found.out
    assert kt.Trajectory.load(file).interrupted and [x.name for x in tmp_path.iterdir()] == ["a.npz"]


@pytest.mark.parametrize("command", ["simulate", "rollout"])
def test_what_cannot_be_written_is_told_before_anything_is_computed(capsys, tmp_path, command, monkeypatch):
    monkeypatch.setattr("kinetrace.cli.simulate.robot_of", lambda args: pytest.fail("computed"))
    argv = [command, "planar2r", "--tau", "0,0", "--out", tmp_path / "a.npz", "--plot"]
    for place, message in (("a.xyz", "pictures are written as"), ("no/a.png", "no folder")):
        assert message in run(capsys, *argv, tmp_path / place, code=2).err
    (tmp_path / "b.npz").mkdir()
    assert "is a folder" in run(capsys, command, "planar2r", "--tau", "0", "--out", tmp_path / "b.npz", code=2).err
    assert [x.name for x in tmp_path.iterdir()] == ["b.npz"]


@pytest.mark.parametrize("suffix", [".npz", ".csv"])
def test_rollout_repeats_a_simulation(capsys, tmp_path, suffix):
    robot, file, out = kt.load("planar2r"), tmp_path / f"a{suffix}", tmp_path / "b.npz"
    motion = robot.simulate([0.1, 0.2], [0.0, 0.0], 0.1, 0.01, controller=lambda t, q, v: np.array([t, -t]))
    motion.save(file)
    run(capsys, "rollout", "planar2r", "--q", "0.1,0.2", "--tau", file, "--output", out)  # dt is the file's
    found = kt.Trajectory.load(out)
    assert (found.q == motion.q).all() and (found.tau == motion.tau).all() and (found.t == motion.t).all()


def test_rollout_of_plain_numbers(capsys, tmp_path):
    file = tmp_path / "tau.csv"
    np.savetxt(file, np.ones((7, 2)), delimiter=",")
    assert json.loads(run(capsys, "rollout", "planar2r", "--tau", file, "--json").out)["rows"] == 8


@pytest.mark.parametrize("suffix", [".npz", ".csv"])
def test_rollout_of_trajectories_that_are_not_one_row_per_step(capsys, tmp_path, suffix):
    robot, file = kt.load("planar2r"), tmp_path / f"a{suffix}"
    robot.simulate(np.zeros((3, 2)), np.zeros(2), 0.1, 0.01).save(file)
    assert "holds a batch (3,)" in run(capsys, "rollout", "planar2r", "--tau", file, code=2).err
    robot.simulate(np.zeros(2), np.zeros(2), 0.1, 0.01, record=4).save(file)
    assert "no row for every step" in run(capsys, "rollout", "planar2r", "--tau", file, code=2).err


def test_motions_that_are_lost_are_not_called_finite(capsys, tmp_path):
    file = tmp_path / "tau.csv"
    np.savetxt(file, np.full((7, 2), 1e200), delimiter=",")
    for argv in (["simulate", "planar2r", "--tau", "1e200,0"], ["rollout", "planar2r", "--tau", file]):
        found = run(capsys, *argv, "--json", code=1)
        assert json.loads(found.out)["finite"] is False and "no longer finite" in found.err


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["simulate", "planar2r", "--dt", "0"], "dt must be positive"),
        (["simulate", "planar2r", "--time", "nan"], "t must be positive"),
        (["simulate", "planar2r", "--q", "1"], "--q must have shape"),
        (["simulate", "planar2r", "--q", "a,b"], "--q must be numbers"),
        (["simulate", "planar2r", "--time", "1e10"], "GB"),
        (["simulate", "planar2r", "--time", "0.01", "--out", "a.txt"], "written as .npz"),
        (["rollout", "planar2r", "--tau", "nowhere.csv"], "no file"),
    ],
)
def test_wrong_input_is_one_line(capsys, argv, message):
    found = run(capsys, *argv, code=2)
    assert found.err.startswith("kinetrace: error: ") and message in found.err and found.err.count("\n") == 1


def test_numbers_may_begin_with_a_minus(capsys):
    argv = ["simulate", "planar2r", "--q", "-1,0", "--v", "-.5,-1e-3", "--tau", "-2,1", "--time", 0.01, "--json"]
    told = json.loads(run(capsys, *argv).out)
    motion = kt.load("planar2r").simulate([-1.0, 0.0], [-0.5, -1e-3], 0.01, 1e-3, tau=[-2.0, 1.0])
    assert told["q"] == motion.q[-1].tolist()


def test_closing_loops_at_a_given_q_is_told(capsys):
    found = run(capsys, "simulate", "four_bar", "--q", "0.1,0.2,0.3", "--time", 0.01)
    assert "warning: loops are open at --q: closing them changed it by up to" in found.err
    assert "degrees" not in found.err
    found = run(capsys, "simulate", "four_bar", "--q", "60,-30,80", "--time", 0.01)
    assert "; the numbers look like degrees: --q in radians is [1.047, -0.5236, 1.396] (np.deg2rad)" in found.err


def test_files_that_hold_no_forces(capsys, tmp_path):
    np.save(tmp_path / "z.npy", np.zeros((3, 2)))
    (tmp_path / "empty.csv").write_text("", encoding="utf-8")
    (tmp_path / "text.npz").write_text("1,2\n", encoding="utf-8")
    (tmp_path / "broken.npz").write_bytes(b"PK\x03\x04 and no more")
    for name, message in (
        ("z.npy", "an .npz file with an array tau"),
        ("empty.csv", "it is empty"),
        ("text.npz", "it is not an .npz"),
        ("broken.npz", "holds no joint forces"),
    ):
        found = run(capsys, "rollout", "planar2r", "--tau", tmp_path / name, code=2).err
        assert message in found and "pickle" not in found and found.count("\n") == 1


def test_simulate_in_a_world(capsys, tmp_path):
    robot, file = tmp_path / "pendulum.xml", tmp_path / "world.json"
    robot.write_text(PENDULUM, encoding="utf-8")
    argv = ("simulate", robot, "--time", 0.1, "--keyframe", "home", "--json")
    told = json.loads(run(capsys, *argv, "--world", "ground", "--pairs", "base:ground", "--contact-friction", 0.5).out)
    assert set(told["contacts"]) == {f"base-ground.{k}" for k in (1, 2, 3, 4)} and told["contact_residual"] < 1e-6
    assert np.isclose(sum(told["contacts"].values()), 1.1 * 9.81, rtol=1e-3)
    kt.World(pairs="world", friction=0.5).save(file)
    assert json.loads(run(capsys, *argv, "--world", file).out)["q"] == told["q"]
    assert (
        "unknown pairs 'fet'; did you mean 'feet'" in run(capsys, *argv, "--world", file, "--pairs", "fet", code=2).err
    )
    assert "--pairs and --contact-friction are of a world" in run(capsys, *argv, "--pairs", "feet", code=2).err


PENDULUM = """<mujoco><worldbody><body name="base"><freejoint/><geom name="base" type="box" size=".1 .1 .1" mass="1"/>
<body name="arm" pos="0 0 .3"><joint name="hinge" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".05"
mass=".1"/></body></body></worldbody><actuator><position joint="hinge" kp="20" kv="1"/></actuator>
<keyframe><key name="home" qpos="0 0 .1 1 0 0 0 0.1" ctrl="0.1"/></keyframe></mujoco>"""
