"""Trajectories: slices, resampling, energies, files."""

from __future__ import annotations

import builtins
import json
import tracemalloc
import zipfile
from dataclasses import replace

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.errors import SimulationWarning


@pytest.fixture(scope="module")
def robot():
    return kt.load("quadruped", base="free")


@pytest.fixture(scope="module")
def motion(robot):
    v = np.linspace(-1.0, 1.0, robot.nv)
    return robot.simulate(robot.neutral(), v, t=0.2, dt=0.01, tau=np.linspace(0.0, 1.0, robot.nv), method="rkmk2")


@pytest.fixture(scope="module")
def batch():
    arm = kt.load("planar2r")
    q = np.random.default_rng(1).normal(size=(2, 3, 2))
    return arm.simulate(q, 0 * q, t=0.05, dt=0.01, controller=lambda t, q, v: -v)


def same(a, b):
    assert all((getattr(a, x) == getattr(b, x)).all() for x in ("t", "q", "v", "tau"))
    assert a.names == b.names and a.dt == pytest.approx(b.dt, rel=1e-12)


def test_slices(motion, batch):
    part = motion[3:9:2]
    assert (part.t == motion.t[3:9:2]).all() and (part.q == motion.q[3:9:2]).all() and len(part) == 3
    assert batch[1:3].q.shape == (2, 3, 2, 2) and (batch.lane(1, 2).q == batch.q[1, 2]).all()
    with pytest.raises(kt.InputError, match="slice"):
        motion[3]
    with pytest.raises(kt.InputError, match=r"axes \(2, 3\)"):
        batch.lane(1)


def test_resampling_is_along_geodesics(robot, motion):
    there = motion.resample(motion.t)
    np.testing.assert_allclose(there.q, motion.q, rtol=0, atol=1e-15)
    assert (there.tau == motion.tau).all()
    half = motion.resample([0.105])
    way = robot.difference(motion.q[10], motion.q[11])
    np.testing.assert_allclose(half.q[0], robot.integrate(motion.q[10], way / 2), rtol=0, atol=1e-15)
    np.testing.assert_allclose(half.v[0], (motion.v[10] + motion.v[11]) / 2, rtol=0, atol=1e-14)
    assert np.linalg.norm(half.q[0, 3:7]) == pytest.approx(1, abs=1e-15)
    with pytest.raises(kt.InputError, match=r"from 0 to 0\.2"):
        motion.resample([0.3])


def test_energies(robot, motion):
    work = (motion.tau * motion.v).sum(axis=-1) - robot.dissipated_power(motion.q, motion.v)
    gained = np.sum((work[1:] + work[:-1]) / 2) * motion.dt  # the trapezoidal rule
    assert motion.energy()[-1] - motion.energy()[0] == pytest.approx(gained, rel=1e-2)
    np.testing.assert_allclose(motion.kinetic_energy(), robot.kinetic_energy(motion.q, motion.v))


@pytest.mark.parametrize("suffix", [".npz", ".csv"])
def test_files_hold_all_numbers_exactly(motion, batch, robot, tmp_path, suffix):
    for what in (motion, batch):
        path = tmp_path / f"motion{suffix}"
        what.save(path)
        found = kt.Trajectory.load(path, robot if what is motion else None)
        same(found, what)
        assert [x.name for x in tmp_path.iterdir()] == [path.name]
    with pytest.raises(kt.InputError, match="needs the robot"):
        found.energy()
    kt.Trajectory.load(path)


def test_failures_of_a_batch(tmp_path):
    """In files, and of one lane alone."""
    robot, path = kt.load("planar2r"), tmp_path / "a.npz"
    with pytest.warns(SimulationWarning, match="lane 1"):
        motion = robot.simulate(np.zeros((2, 2)), np.zeros(2), t=0.1, dt=0.01, tau=[[0.0, 0.0], [1e200, 0.0]])
    motion.save(path)
    found = kt.Trajectory.load(path)
    assert found.failures == motion.failures and [x.lane for x in motion.failures] == [(1,)]
    assert not found.lane(0).failures and [x.lane for x in found.lane(-1).failures] == [()]


def test_joints_of_any_name(batch, tmp_path):
    odd = ('a "b", c', "d\n[e] f")
    path, named = tmp_path / "a.csv", replace(batch, names=batch.names._replace(q=odd, v=odd))
    named.save(path)
    same(kt.Trajectory.load(path), named)


def test_a_motion_without_rows_has_no_times(motion):
    with pytest.raises(kt.InputError, match="without rows"):
        motion[:0].resample([0.0])


def test_names_and_units(motion):
    names = motion.names
    assert names.q[:8] == (*(f"floating_base[{k}]" for k in range(7)), "FL_hip_roll")
    assert names.q_units[:8] == ("m", "m", "m", "1", "1", "1", "1", "rad")
    assert names.v_units[:7] == ("rad/s",) * 3 + ("m/s",) * 3 + ("rad/s",)
    assert names.tau_units[2:4] == ("N m", "N")


def test_bad_files(motion, tmp_path):
    for name, message in (("a.txt", "written as .npz"), ("no/a.npz", "no folder")):
        with pytest.raises(kt.InputError, match=message):
            motion.save(tmp_path / name)
    with pytest.raises(kt.InputError, match="no file"):
        kt.Trajectory.load(tmp_path / "a.npz")
    for name in ("a.npz", "a.csv"):
        (tmp_path / name).write_text("1,2\n3,4\n", encoding="utf-8")
        with pytest.raises(kt.InputError, match="holds no trajectory"):
            kt.Trajectory.load(tmp_path / name)
    np.savez(tmp_path / "b.npz", t=np.array([object()], dtype=object))
    with pytest.raises(kt.InputError, match="holds no trajectory"):
        kt.Trajectory.load(tmp_path / "b.npz")


def test_tables_of_other_packages(motion, batch, tmp_path):
    pandas, xarray = (pytest.importorskip(name) for name in ("pandas", "xarray"))
    table = batch.to_pandas()
    assert isinstance(table, pandas.DataFrame) and len(table) == 36 and list(table)[:3] == ["lane0", "lane1", "t [s]"]
    found = motion.to_xarray()
    assert isinstance(found, xarray.Dataset) and found.q.dims == ("t", "position")
    assert float(found.q.sel(position="FL_knee")[-1]) == motion.q[-1, motion.names.q.index("FL_knee")]
    for what in (motion, batch):
        same(kt.Trajectory.from_pandas(what.to_pandas()), what)
        same(kt.Trajectory.from_xarray(what.to_xarray()), what)
    pytest.importorskip("pyarrow")
    batch.save(tmp_path / "a.parquet")
    same(kt.Trajectory.load(tmp_path / "a.parquet"), batch)


def test_tables_that_hold_no_trajectory():
    for make in (kt.Trajectory.from_pandas, kt.Trajectory.from_xarray):
        with pytest.raises(kt.InputError, match="holds no trajectory"):
            make({"t": 1.0})


def test_what_is_missing_is_named(motion, monkeypatch, tmp_path):
    monkeypatch.setattr("importlib.import_module", lambda name: builtins.__import__("no_such_package"))
    for call, package in ((motion.to_pandas, "pandas"), (motion.to_xarray, "xarray"), (motion.plot, "matplotlib")):
        extra = "plot" if package == "matplotlib" else "simulate"
        with pytest.raises(kt.InputError, match=rf"needs {package}: pip install {package} \(the extra '{extra}'"):
            call()
    with pytest.raises(kt.InputError, match="needs pyarrow"):
        motion.save(tmp_path / "a.parquet")
    assert not list(tmp_path.iterdir())


def test_pictures(motion, batch, tmp_path):
    pytest.importorskip("matplotlib")
    figure = motion.plot(tmp_path / "a.png")
    labels = [axes.get_ylabel() for axes in figure.axes]
    assert labels == ["q [m]", "q, quaternion", "q [rad]", "v [rad/s]", "v [m/s]", "τ [N m]", "τ [N]"]
    named = [[x for x in axes.lines if not x.get_label().startswith("_")] for axes in figure.axes]
    assert [len(lines) for lines in named] == [3, 4, 12, 15, 3, 15, 3]
    legend = [x.get_text() for x in figure.axes[2].get_legend().get_texts()]
    assert legend == [x for x in motion.names.q if "floating" not in x]
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    still = replace(motion, tau=0 * motion.tau).plot()
    assert len(still.axes) == 5  # forces that are all zero are not drawn
    with pytest.raises(kt.InputError, match="one motion"):
        batch.plot()
    with pytest.raises(kt.InputError, match="pictures"):
        motion.plot(tmp_path / "a.xyz")


def test_damaged_files_and_those_of_other_robots_are_refused(tmp_path):
    robot, file = kt.load("planar2r"), tmp_path / "m.npz"
    motion = robot.simulate(np.zeros((3, 2)) + np.arange(3.0)[:, None], np.zeros(2), t=0.05, dt=0.01)
    motion.save(file)
    whole = file.read_bytes()
    for damaged in (b"", whole[: len(whole) // 2], b"PK\x03\x04" + whole[8:], b"x" * 100):
        file.write_bytes(damaged)
        with pytest.raises(kt.InputError, match="holds no trajectory"):
            kt.Trajectory.load(file)
    file.write_bytes(whole)
    with pytest.raises(kt.InputError, match="is a motion of joints"):
        kt.Trajectory.load(file, kt.load("panda"))
    table = tmp_path / "m.csv"
    motion.save(table)
    head, *rows = table.read_text().splitlines()
    table.write_text("\n".join([head, *sorted(rows, key=lambda row: float(row.split(",")[1]))]))
    np.testing.assert_array_equal(kt.Trajectory.load(table).q, motion.q)


def test_parts_have_the_time_between_their_rows(motion, batch, robot):
    assert motion[2:9].dt == motion.dt and motion[::2].dt == pytest.approx(2 * motion.dt, rel=1e-12)
    times = np.linspace(motion.t[0], motion.t[-1], 5)
    assert motion.resample(times).dt == pytest.approx(times[1] - times[0], rel=1e-12)
    assert motion.resample(times[[0, 1, 4]]).dt == motion.dt
    for index in ((7, 0), (0, -9), (0.5, 0)):
        with pytest.raises(kt.InputError, match="there is no lane"):
            batch.lane(*index)


def test_what_is_no_robot_is_refused_at_once(motion, tmp_path):
    motion.save(tmp_path / "a.npz")
    with pytest.raises(kt.InputError, match=r"robot must be a Robot, .* got str"):
        kt.Trajectory.load(tmp_path / "a.npz", "quadruped")


def test_files_that_are_not_what_they_are_called_come_without_unsafe_advice(tmp_path):
    (tmp_path / "a.npz").write_text("1,2\n3,4\n", encoding="utf-8")
    with pytest.raises(kt.InputError, match=r"holds no trajectory: it is not an \.npz file") as caught:
        kt.Trajectory.load(tmp_path / "a.npz")
    assert "allow_pickle" not in str(caught.value)


def test_tables_of_batches_with_missing_rows_are_refused(tmp_path):
    motion = kt.load("planar2r").simulate([[0.1, 0.2], [1.0, 2.0]], np.zeros(2), t=0.05, dt=0.01)
    file = tmp_path / "m.csv"
    motion.save(file)
    head, *rows = file.read_text().splitlines()
    np.testing.assert_array_equal(kt.Trajectory.load(file).q, motion.q)
    for kept in (
        rows[:-2],
        rows[:6] + rows[7:],
        [*rows[:-1], "0.5" + rows[-1][1:]],
        [*rows, rows[-1].replace("1", "3", 1)],
    ):
        file.write_text("\n".join([head, *kept]))
        with pytest.raises(kt.InputError, match="rows of some lanes are missing"):
            kt.Trajectory.load(file)


@pytest.mark.filterwarnings("ignore:.* more than 10 times its velocity limit")  # nothing damps it
def test_states_of_controllers_are_saved(tmp_path):
    robot = kt.load("planar2r")
    pd = kt.control.pd(robot, [0.5, 0.5], 50.0, 2.0)
    controller = kt.control.observed(pd, kt.control.momentum_observer(robot, 20.0)) + kt.control.sampled(
        kt.control.friction_compensation(robot, viscous=0.1), 0.02
    )
    motion = robot.simulate(np.zeros((3, 2)), np.zeros((3, 2)), t=0.1, dt=0.01, controller=controller)
    motion.save(tmp_path / "motion.npz")
    found = kt.Trajectory.load(tmp_path / "motion.npz").states
    assert isinstance(found, tuple) and found[0].keys() == motion.states[0].keys()
    np.testing.assert_array_equal(found[0]["observer"]["residual"], motion.states[0]["observer"]["residual"])
    np.testing.assert_array_equal(found[1]["held"], motion.states[1]["held"])


WRONG = {
    "dt": (float("nan"), -1, True, 0, float("inf"), 10**400, "1"),
    "failures": (["abc"], [[0, "0.1", [], "j"]], [[True, 0.1, [], "j"]], [[0, 0.1, [5], "j"]], [[0, 1e999, [], "j"]]),
    "events": ([["a", 1e999, [0, 0], [0, 0]]], [["a", 0.0, [0], [0, 0]]], [["a", 0.0, ["0", "0"], [0, 0]]], ["text"]),
    "names": ({"q": "ab", "v": "ab", "q_units": "ab", "v_units": "ab", "tau_units": "ab"},),
    "interrupted": (1,),
}


@pytest.mark.parametrize("field", WRONG)
def test_contents_that_cannot_be_are_refused(motion, tmp_path, field):
    motion.save(tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as file:
        arrays = dict(file)
    about = json.loads(str(arrays["about"]))
    for value in WRONG[field]:
        np.savez(tmp_path / "b.npz", **{**arrays, "about": np.array(json.dumps({**about, field: value}))})
        with pytest.raises(kt.InputError, match=r"'b\.npz' holds no trajectory"):
            kt.Trajectory.load(tmp_path / "b.npz")


def test_few_bytes_that_stand_for_many_are_refused(tmp_path):
    """Lanes without rows, archives that unpack to gigabytes: each in a moment and with little memory."""
    head = "lane,t [s],q:a [rad],v:a [rad/s],tau:a [N m]\n"
    (tmp_path / "a.csv").write_text(f"{head}0,0,0,0,0\n100000000,0,0,0,0\n")
    (tmp_path / "b.csv").write_text(head.replace("lane", "lane0,lane1") + "0,0,0,0,0,0\n99999,99999,0,0,0,0\n")
    with zipfile.ZipFile(tmp_path / "c.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("about", "t", "q", "v", "tau"):
            archive.writestr(f"{name}.npy", bytes(20_000_000))
    tracemalloc.start()
    for name, said in {"a.csv": "lanes are missing", "b.csv": "lanes are missing", "c.npz": "that unpack to"}.items():
        with pytest.raises(kt.InputError, match=said):
            kt.Trajectory.load(tmp_path / name)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50e6
