"""Dask: kernels on files and arrays larger than memory, by threads, and by workers that may die."""

import contextlib
import os
import signal
import sys
import traceback
from itertools import pairwise

import numpy as np
import pytest

import kinetrace as kt

ROWS = 1000


@pytest.fixture(scope="module", autouse=True)
def libraries():
    """Loaded by the one process that runs these tests, rather than by all that collect them."""
    global pa, pq, zarr, da, distributed
    names = ("pyarrow", "pyarrow.parquet", "zarr", "dask.array", "distributed")
    pa, pq, zarr, da, distributed = map(pytest.importorskip, names)


@contextlib.contextmanager
def cluster(default=False, **settings):
    settings = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0", **settings}
    with distributed.LocalCluster(**settings) as local, distributed.Client(local, set_as_default=default) as client:
        yield client


@pytest.fixture(scope="module")
def client():
    """Workers in threads of this process: tests pass it on, it is not the current one."""
    with cluster(n_workers=2, processes=False) as client:
        yield client


@pytest.fixture(scope="module")
def robot():
    made = kt.random_tree(3, seed=1, base="free")
    assert made.nq > made.nv
    return made


@pytest.fixture(scope="module")
def states(robot):
    rng = np.random.default_rng(0)
    q, v = robot.random(ROWS, seed=2), rng.normal(size=(ROWS, robot.nv))
    v[17] = np.nan  # passes through, as in the kernel
    return {"q": q, "v": v}


def entries(arrays):
    return {f"{name}{k}": x[:, k] for name, x in arrays.items() for k in range(x.shape[1])}


def lists(arrays):
    return {name: pa.FixedSizeListArray.from_arrays(x.ravel(), x.shape[1]) for name, x in arrays.items()}


def write(folder, table, files=3, group=97):
    """Files of unequal lengths whose row groups do not fit the chunks."""
    folder.mkdir()
    ends = np.linspace(0, ROWS, files + 1).astype(int) ** 2 // ROWS
    for k, (begin, end) in enumerate(pairwise(ends)):
        pq.write_table(table.slice(begin, end - begin), folder / f"run{k}.parquet", row_group_size=group)
    return folder


def stacked(place, name, width):
    table = pq.read_table(place)
    return np.stack([table[f"{name}{k}"].to_numpy() for k in range(width)], axis=1)


def same(x, y):
    np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("source", ["columns", "lists", "zarr", "arrays"])
@pytest.mark.parametrize("target", ["columns", "lists", "zarr"])
def test_results_are_the_kernels_to_the_bit(robot, states, source, target, client, tmp_path):
    key = np.arange(ROWS)
    place, keep = tmp_path / "in.zarr", ()
    if source == "zarr":
        for name, x in states.items():
            zarr.open_group(place).create_array(name, data=x, chunks=(70, x.shape[1]))
    elif source == "arrays":
        place = {name: da.from_array(x, chunks=(301, 5)) for name, x in states.items()}
    else:
        table = pa.table({**{"columns": entries, "lists": lists}[source](states), "key": key})
        place, keep = write(tmp_path / "in", table), () if target == "zarr" else "key"
    kernel, a = robot.kernel("inverse_dynamics"), np.linspace(0.0, 1.0, robot.nv)
    out = tmp_path / ("out.zarr" if target == "zarr" else "out")
    seen = []
    done = kt.cluster.evaluate(
        kernel,
        place,
        out,
        constants={"a": a},
        outputs="tau",
        layout="lists" if target == "lists" else "columns",
        keep=keep,
        chunk_bytes=40_000,
        client=client if source in ("lists", "arrays") else None,
        progress=lambda done, of: seen.append((done, of)),
    )
    expected = kernel(states["q"], states["v"], a)
    if target == "zarr":
        same(zarr.open_group(out, mode="r")["tau"][:], expected)
    elif target == "columns":
        same(stacked(out, "tau", robot.nv), expected)
    else:
        same(np.stack(pq.read_table(out)["tau"].to_numpy()), expected)
    if keep:
        same(pq.read_table(out)["key"].to_numpy(), key)
    assert done.states == ROWS and done.pieces > 2 and not done.failures and done.peak_memory > 1e6
    assert seen[0] == (0, ROWS) and seen[-1] == (ROWS, ROWS) and not list(tmp_path.rglob("*.partial"))


def test_matrices_several_results_and_single_precision(tmp_path):
    robot = kt.load("planar2r", dtype="float32")
    q = robot.random(50, seed=0)
    pq.write_table(pa.table({"angles.of": list(q), "v0": np.arange(50), "v1": np.ones(50)}), tmp_path / "in.parquet")
    kernel = robot.kernel("inverse_dynamics_derivatives")
    given = {"columns": {"q": "angles.of"}, "constants": {"a": [1, 2]}}
    kt.cluster.evaluate(kernel, tmp_path / "in.parquet", tmp_path / "out", **given)
    table = pq.read_table(tmp_path / "out")
    expected = kernel(q, np.stack([np.arange(50), np.ones(50)], 1), [1, 2])
    assert table.column_names[:4] == ["out0_0_0", "out0_0_1", "out0_1_0", "out0_1_1"]
    assert table.schema.field("out2_1_1").type == pa.float32()
    same(table["out2_1_0"].to_numpy(), expected[2][:, 1, 0])
    kt.cluster.evaluate("total_energy", tmp_path / "in.parquet", tmp_path / "e", robot, columns=given["columns"])
    assert pq.read_table(tmp_path / "e").column_names == ["total_energy"]


@pytest.mark.parametrize("target", ["out", "out.zarr"])
def test_no_states_give_no_rows_with_the_names_of_results(target, tmp_path):
    pq.write_table(pa.table({"arm.q": pa.array([], pa.list_(pa.float64(), 2))}), tmp_path / "in.parquet")
    robot, names = kt.load("planar2r"), {"q": "arm.q"}
    done = kt.cluster.evaluate("gravity", tmp_path / "in.parquet", tmp_path / target, robot, columns=names)
    assert done.states == 0 and not done.failures
    if target == "out":
        assert pq.read_table(tmp_path / "out").schema.names == ["gravity0", "gravity1"]
    else:
        assert zarr.open_group(tmp_path / target, mode="r")["gravity"].shape == (0, 2)


def test_motions_that_were_saved_are_read_by_their_names(tmp_path):
    robot = kt.load("planar2r")
    motion = robot.simulate([0.3, 0.1], [0.0, 0.0], t=0.1, dt=1e-2)
    motion.save(tmp_path / "motion.parquet")
    kt.cluster.evaluate("total_energy", tmp_path / "*.parquet", tmp_path / "out", robot, keep="t [s]")
    table = pq.read_table(tmp_path / "out")
    same(table["total_energy"].to_numpy(), motion.energy())
    same(table["t [s]"].to_numpy(), motion.t)


@pytest.mark.parametrize("target", ["out", "out.zarr"])
def test_a_run_that_was_stopped_is_resumed(robot, states, target, tmp_path):
    place, out = write(tmp_path / "in", pa.table(entries(states)), group=20), tmp_path / target
    settings = {"robot": robot, "outputs": "energy", "chunk_bytes": 4_000}

    def stop(done, of):
        if done > ROWS // 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kt.cluster.evaluate("kinetic_energy", place, out, progress=stop, **settings)
    with pytest.raises(kt.InputError, match="exists: resume=True"):
        kt.cluster.evaluate("kinetic_energy", place, out, **settings)
    with pytest.raises(kt.InputError, match=r'kernel.name was "kinetic_energy", is "total_energy"'):
        kt.cluster.evaluate("total_energy", place, out, resume=True, **settings)
    before = {x: x.stat().st_mtime_ns for x in out.glob("part*")}
    done = kt.cluster.evaluate("kinetic_energy", place, out, resume=True, **settings)
    assert done.states == ROWS > done.reused > ROWS // 3 and "more were there" in str(done)
    assert all(x.stat().st_mtime_ns == time for x, time in before.items())
    again = kt.cluster.evaluate("kinetic_energy", place, out, resume=True, **settings)
    assert again.reused == ROWS
    expected = robot.kinetic_energy(states["q"], states["v"])
    found = zarr.open_group(out)["energy"][:] if target == "out.zarr" else pq.read_table(out)["energy"].to_numpy()
    same(found, expected)


@pytest.mark.parametrize(("target", "settings"), [("out", {"compression": "none"}), ("out", {}), ("out.zarr", {})])
def test_results_that_were_damaged_since_are_not_reused(robot, states, target, settings, tmp_path):
    """A byte anywhere in a file of results is changed: its piece is done again, or what it holds is the same."""
    place, out = write(tmp_path / "in", pa.table(entries(states)), group=20), tmp_path / target
    settings |= {"robot": robot, "outputs": "energy", "chunk_bytes": 4_000}
    kt.cluster.evaluate("kinetic_energy", place, out, **settings)
    expected = robot.kinetic_energy(states["q"], states["v"])
    file = sorted(out.glob("part*"))[1] if target == "out" else out / "energy" / "c" / "1"
    whole, reused = file.read_bytes(), []
    for at in range(0, len(whole), max(1, len(whole) // (40 if target == "out" else 8))):
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])
        reused.append(kt.cluster.evaluate("kinetic_energy", place, out, resume=True, **settings).reused)
        found = zarr.open_group(out)["energy"][:] if target == "out.zarr" else pq.read_table(out)["energy"].to_numpy()
        same(found, expected)
    assert min(reused) < ROWS


def test_pieces_of_a_worker_that_is_killed_are_done_by_others(robot, states, tmp_path):
    place = write(tmp_path / "in", pa.table(entries(states)), group=10)
    kernel = kt.compile(lambda model, q, v: kt.algorithms.inverse_dynamics(model, q, v, v), robot)
    expected, killed = kernel(states["q"], states["v"]), []  # compiled: workers find it on the disk
    import dask

    forks = {"distributed.worker.multiprocessing-method": "forkserver"}  # of a process that has imported Dask
    with dask.config.set(forks), cluster(n_workers=2, host="127.0.0.1", default=True) as client:
        pids = client.run(os.getpid)

        def kill(done, of):
            if done and not killed:
                killed.append(min(pids.values()))
                os.kill(killed[0], signal.SIGKILL)

        done = kt.cluster.evaluate(kernel, place, tmp_path / "out", outputs="tau", chunk_bytes=2_000, progress=kill)
        made = client.run(lambda: len(__import__("kinetrace").engine.cache._latest_unpickled))
    assert set(made.values()) <= {0, 1} and 1 in made.values()  # a worker makes the kernel once
    assert killed and done.states == ROWS and done.pieces > 40
    assert not list(tmp_path.rglob("*.partial"))
    same(stacked(tmp_path / "out", "tau", robot.nv), expected)


def test_a_cluster_without_workers_is_told_of(monkeypatch, tmp_path):
    monkeypatch.setattr("kinetrace.frameworks.cluster.workers.WARNING_SECONDS", 0.1)
    robot = kt.load("planar2r")
    source = {"q": da.from_array(robot.random(10, seed=0), chunks=5)}
    with cluster(n_workers=0, processes=False) as client, pytest.raises(RuntimeWarning, match="no workers; waiting"):
        kt.cluster.evaluate("gravity", source, tmp_path / "out", robot, client=client)


def test_pieces_that_fail_are_named_and_the_others_done(robot, states, tmp_path, monkeypatch):
    monkeypatch.setattr("kinetrace.frameworks.cluster.pieces.RETRY_SECONDS", (0.0, 0.0))
    place = write(tmp_path / "in", pa.table(entries(states)))

    def lose(done, of):
        (place / "run1.parquet").unlink(missing_ok=True)

    settings = {"robot": robot, "chunk_bytes": 10_000, "progress": lose}
    with pytest.raises(kt.cluster.EvaluationError, match=r"failed, the first at rows .* in .*run1.parquet: FileNot"):
        kt.cluster.evaluate("kinetic_energy", place, tmp_path / "out", **settings)
    write(tmp_path / "again", pa.table(entries(states)))
    (tmp_path / "again" / "run1.parquet").rename(place / "run1.parquet")
    done = kt.cluster.evaluate("kinetic_energy", place, tmp_path / "two", failures="return", **settings)
    assert done.failures and all("run1" in x.place for x in done.failures)
    lost = sum(x.end - x.begin for x in done.failures)
    assert done.states == ROWS - lost == pq.read_table(tmp_path / "two").num_rows


def test_what_changes_meanwhile_is_not_mixed(tmp_path):
    robot = kt.load("planar2r")
    old, new = robot.random(100, seed=0), robot.random(100, seed=1)
    settings = {"robot": robot, "chunk_bytes": 300}

    def make(q, file=tmp_path / "in.parquet"):
        pq.write_table(pa.table(entries({"q": q})), file, row_group_size=10)

    def replace(done, of):
        if done:
            make(new)

    make(old)
    with pytest.raises(
        kt.cluster.EvaluationError, match=r"in\.parquet' has changed .*began\. Begin anew, with another"
    ):
        kt.cluster.evaluate("gravity", tmp_path / "in.parquet", tmp_path / "out", progress=replace, **settings)
    with pytest.raises(kt.InputError, match=r"another run, .*: '.*in\.parquet' was changed \(its date or size"):
        kt.cluster.evaluate("gravity", tmp_path / "in.parquet", tmp_path / "out", resume=True, **settings)
    array = zarr.open_group(tmp_path / "in.zarr").create_array("q", data=old)
    kt.cluster.evaluate("gravity", tmp_path / "in.zarr", tmp_path / "out.zarr", **settings)
    array[:] = new
    with pytest.raises(kt.InputError, match=r"another run, .*: 'q' was changed"):
        kt.cluster.evaluate("gravity", tmp_path / "in.zarr", tmp_path / "out.zarr", resume=True, **settings)
    given = ("gravity", tmp_path / "in.parquet", tmp_path / "light")
    kt.cluster.evaluate(*given, robot)
    with pytest.raises(kt.InputError, match=r"another run, .*: the robot has other numbers"):
        kt.cluster.evaluate(*given, robot.with_parameters(gravity=[0.0, 0.0, -1.62]), resume=True)


def test_tables_of_other_robots_are_told_from_other_columns(tmp_path):
    robot = kt.load("planar2r")
    good, motion = entries({"q": robot.random(5, seed=0)}), robot.simulate([0.1, 0.2], [0.0, 0.0], t=0.1, dt=0.05)
    expected = robot.gravity(np.stack([*good.values()], -1))
    motion.save(tmp_path / "motion.parquet")
    saved = pq.read_table(tmp_path / "motion.parquet")

    def run(*tables, what="gravity", **settings):
        folder = tmp_path / str(len([*tmp_path.iterdir()]))
        folder.mkdir()
        for k, table in enumerate(tables):
            pq.write_table(table if isinstance(table, pa.Table) else pa.table(table), folder / f"{k}.parquet")
        done = kt.cluster.evaluate(what, folder, tmp_path / f"{folder.name}-out", robot, **settings)
        return done.target

    more = {**good, "q2": good["q0"]}
    for tables, message in (
        ([good, more], r"1\.parquet' has 'q2' besides 'q0', 'q1', .* another robot\?"),
        ([good, entries({"q": np.zeros((5, 7))})], "has 'q2' besides"),
        ([saved.append_column("q:gripper [rad]", saved["q:joint1 [rad]"])], r"has 'q:gripper \[rad\]' besides"),
    ):
        with pytest.raises(kt.InputError, match=message):
            run(*tables)
    same(stacked(run(more, keep="q2"), "gravity", 2), expected)
    same(stacked(run(more, columns={"q": ["q0", "q1"]}), "gravity", 2), expected)
    for name, column in (("q2024", good["q0"]), ("q002", good["q0"]), ("q3", good["q0"]), ("q2", [*"abcde"])):
        same(stacked(run({**good, name: column}), "gravity", 2), expected)
    same(stacked(run(saved), "gravity", 2), robot.gravity(motion.q))
    ends = {**good, "q1_0": good["q1"], "q1_1": good["q0"]}
    found = stacked(run(ends, what=lambda model, q, q1: q + q1, outputs="sum"), "sum", 2)
    np.testing.assert_allclose(found, np.repeat((good["q0"] + good["q1"])[:, None], 2, 1))


def test_two_runs_into_one_target_and_what_a_dead_one_left(tmp_path):
    robot, q = kt.load("planar2r"), kt.load("planar2r").random(100, seed=0)
    pq.write_table(pa.table(entries({"q": q})), tmp_path / "in.parquet", row_group_size=10)
    given = ("gravity", tmp_path / "in.parquet", tmp_path / "out", robot)
    dead, others = (tmp_path / "out" / f"_kinetrace-{x}.partial" for x in ("dead", "others"))

    def meanwhile(done, of):
        if done and not others.exists():
            for path in (dead, others):
                path.touch()
            os.utime(dead, (0, 0))
            assert kt.cluster.evaluate(*given, resume=True, chunk_bytes=300).states == 100

    done = kt.cluster.evaluate(*given, progress=meanwhile, chunk_bytes=300)
    assert done.states == 100 and others.exists() and not dead.exists()
    same(stacked(tmp_path / "out", "gravity", 2), robot.gravity(q))
    for text in (b'{"ker', b"[1]", b"\xff\xfe"):
        (tmp_path / "out" / "_kinetrace.json").write_bytes(text)
        with pytest.raises(kt.InputError, match=r"is damaged|another run"):
            kt.cluster.evaluate(*given, resume=True)
    kt.cluster.evaluate(*given[:2], tmp_path / "out.zarr", robot)
    for text in ('{"attributes": {}}', "{"):
        (tmp_path / "out.zarr" / "_done" / "zarr.json").write_text(text)
        with pytest.raises(kt.InputError, match=r"damaged|no run"):
            kt.cluster.evaluate(*given[:2], tmp_path / "out.zarr", robot, resume=True)


@pytest.mark.parametrize("parallel", ["threads", "workers"])
def test_only_errors_of_disks_are_tried_again_and_all_keep_their_traceback(parallel, client, tmp_path, monkeypatch):
    monkeypatch.setattr("kinetrace.frameworks.cluster.pieces.RETRY_SECONDS", (0.0, 0.0))
    robot, tried = kt.load("planar2r"), []
    source = {"q": da.from_array(robot.random(10, seed=0), chunks=5)}

    def run(name, *errors):
        errors, whole = iter(errors), kt.cluster.parquet.ParquetTarget.write

        def write(self, piece, tables):
            tried.append(name)
            for error in errors:
                raise error
            whole(self, piece, tables)

        with monkeypatch.context() as context:
            context.setattr(kt.cluster.parquet.ParquetTarget, "write", write)
            on = client if parallel == "workers" else None
            return kt.cluster.evaluate("gravity", source, tmp_path / name, robot, client=on)

    assert run("twice", OSError("away"), OSError("away")).states == 10 and len(tried) == 3
    with pytest.raises(kt.cluster.EvaluationError, match="away") as caught:
        run("always", *[OSError("away")] * 9)
    assert isinstance(caught.value.__cause__, OSError) and len(tried) == 6
    with pytest.raises(kt.cluster.EvaluationError, match="ZeroDivisionError: of a worker") as caught:
        run("once", ZeroDivisionError("of a worker"))
    assert len(tried) == 7 and caught.value.__cause__.__traceback__ is not None
    assert "write" in [x.name for x in traceback.extract_tb(caught.value.__cause__.__traceback__)]


def test_wrong_input_is_named_before_any_work(robot, states, client, tmp_path):
    good = pa.table(entries(states))
    text = good.set_column(2, "q2", pa.array(["a"] * ROWS))
    short = pa.table({"q": list(states["q"][:, :3]), "v": list(states["v"])})
    narrow = pa.table({"q": pa.FixedSizeListArray.from_arrays(states["q"].ravel()[:3000], 3), "v": list(states["v"])})
    for name, table in {"good": good, "text": text, "short": short, "narrow": narrow}.items():
        pq.write_table(table, tmp_path / f"{name}.parquet")
    pq.write_table(good.drop_columns(["q1", "v0"]), tmp_path / "gaps.parquet")
    (tmp_path / "no.parquet").write_text("no")
    group = zarr.open_group(tmp_path / "in.zarr")
    group.create_array("q", data=states["q"])
    group.create_array("v", data=states["v"][:5])
    out, series = (
        tmp_path / "out",
        kt.compile(
            lambda model, q, tau: kt.arrays.scan(lambda c, t: (c + t, c), q, tau)[1],
            kt.load("planar2r"),
            shapes={"tau": ("t", 2)},
        ),
    )

    folder = tmp_path / "taken.zarr"
    for x in (folder, folder.with_suffix(".x")):
        x.mkdir()
        (x / "mine.txt").write_text("kept")

    def refused(message, source, what="kinetic_energy", target=out, **settings):
        source = tmp_path / source if isinstance(source, str) else source
        model = robot if isinstance(what, str) else None
        with pytest.raises(kt.InputError, match=message):
            kt.cluster.evaluate(what, source, target, model, **settings)

    refused(r"has no columns for q: 'q1'; v: 'v0'. It has 'q0'", "gaps.parquet")
    refused(r"must hold floats or integers, not so 'q2 \(string\)'", "text.parquet")
    refused(r"q has shape \(\d+,\), but column 'q' has lists of length 3", "narrow.parquet")
    refused("is no Parquet file", "no.parquet")
    refused("no Parquet files at", "nothing*.parquet")
    refused(
        "has no columns 'q1', 'v0', which the first file has", [tmp_path / "good.parquet", tmp_path / "gaps.parquet"]
    )
    pq.write_table(good.cast(pa.schema([(x, pa.float32()) for x in good.column_names])), tmp_path / "single.parquet")
    refused("'q0' is float, double in the first file", [tmp_path / "good.parquet", tmp_path / "single.parquet"])
    pq.write_table(good.append_column("q1", good["q1"]), tmp_path / "twice.parquet")
    refused("has two columns 'q1'", "twice.parquet")
    pq.write_table(good.append_column(f"q{robot.nq}", good["q1"]), tmp_path / "more.parquet")
    refused(rf"has 'q{robot.nq}' besides 'q0', .* another robot\?", "more.parquet")
    refused("is no name for an array", "good.parquet", target=tmp_path / "o.zarr", outputs="../x")
    refused("cannot be written", "good.parquet", target=tmp_path / "good.parquet" / "out")
    for place in ("one", "two"):
        (tmp_path / "inner" / place).mkdir(parents=True)
    pq.write_table(good, tmp_path / "inner" / "a.parquet")
    refused("is inside of .*inner', all of which is read", "inner", target=tmp_path / "inner" / "out")
    refused("numbers of rows differ: q 1,000, v 5", "in.zarr")
    refused("has no arrays for v: w", "in.zarr", columns={"v": "w"})
    refused("there is no Zarr store", "none.zarr")
    refused("takes 'q', 'v' of its source, got 'q'", {"q": da.zeros((3, 4))})
    refused(r"v must have shape \(n, \d+\), got \(3, 1\)", {"q": da.zeros((3, robot.nq)), "v": da.zeros((3, 1))})
    refused("source must be Parquet files", 7)
    refused("unknown argument in columns 'w'", "good.parquet", columns={"w": "q"})
    refused("unknown argument in constants 'w'", "good.parquet", constants={"w": 1.0})
    refused(r"v must have shape \(\.\.\., \d+\), got \(\)", "good.parquet", constants={"v": 1.0})
    refused("constants: v must have shape", "good.parquet", constants={"v": states["v"]})
    refused("got dtype complex128", {"q": da.zeros((3, robot.nq)), "v": da.zeros((3, robot.nv), dtype=complex)})
    unknown = da.from_array(states["q"], chunks=100)
    unknown = unknown[unknown[:, 0] > 0]
    refused(r"rows of q is not known; compute_chunk_sizes\(\)", {"q": unknown, "v": states["v"]})
    refused("unknown layout", "good.parquet", layout="rows")
    refused("chunk_bytes must be a positive", "good.parquet", chunk_bytes=0)
    refused("to keep; it has", "good.parquet", keep="key")
    refused("the target is a Zarr group", "good.parquet", keep="q0", target=tmp_path / "o.zarr")
    refused("results and kept columns have the same name", "good.parquet", keep="q0", outputs="q0")
    refused("outputs must name each", "good.parquet", outputs=["a", "b"])
    refused("must be a distributed.Client, got int", "good.parquet", client=3)
    refused("is no Zarr group", "good.parquet", target=folder)
    refused("is the folder of the source", "good.parquet", target=tmp_path, resume=True)
    refused("must be a folder that all workers see", "good.parquet", target="s3://bucket/out")
    refused("nothing is left for the source", "good.parquet", constants={"q": states["q"][0], "v": states["v"][0]})
    refused("axes of any length", "good.parquet", series)
    refused("is not empty and holds no run", "good.parquet", target=folder.with_suffix(".x"), resume=True)
    assert (folder / "mine.txt").exists()
    with pytest.raises(kt.cluster.EvaluationError, match="with one whose length is not"):
        kt.cluster.evaluate("kinetic_energy", tmp_path / "short.parquet", tmp_path / "short", robot)


def test_methods_on_arrays_larger_than_a_block(robot, states, client):
    on_dask = kt.cluster.Robot(robot, chunk_bytes=50_000)
    q, v = states["q"], states["v"]
    whole = on_dask.inverse_dynamics(da.from_array(q, chunks=-1), v, np.zeros(robot.nv))
    assert whole.numblocks[0] > 3 and max(whole.chunks[0]) * 8 * (robot.nq + 3 * robot.nv) <= 50_000
    same(client.compute(whole).result(), robot.inverse_dynamics(q, v, np.zeros(robot.nv)))
    pairs = on_dask.kinetic_energy(da.from_array(q[:40, None], chunks=7), v[:30])
    same(pairs.compute(scheduler="sync"), robot.kinetic_energy(q[:40, None], v[:30]))
    arm = kt.load("planar2r")
    on_dask, q = kt.cluster.Robot(arm, chunk_bytes=5_000), arm.random(ROWS, seed=0)
    small = on_dask.mass_matrix(da.from_array(q, chunks=(3, 1)))  # blocks too small to be worth a task each
    assert 1 < small.numblocks[0] < 100
    same(client.compute(small).result(), arm.mass_matrix(q))
    by_v = on_dask.inverse_dynamics_derivatives(q, q, q)[1]
    same(by_v.compute(scheduler="sync"), arm.inverse_dynamics_derivatives(q, q, q)[1])
    light = on_dask.gravity(q, gravity=[0, 0, -1.62]).compute(scheduler="sync")
    np.testing.assert_allclose(light, arm.gravity(q) * (1.62 / 9.81), atol=1e-11)
    with pytest.raises(kt.InputError, match="shape"):
        on_dask.gravity(da.zeros((3, 5)))
    xarray = pytest.importorskip("xarray")
    axes = ("time", "trial", "joint")
    q, v = (xarray.DataArray(np.random.default_rng(k).normal(size=(5, 5, 2)), dims=axes) for k in range(2))
    energy = kt.cluster.Robot(arm, chunk_bytes=400).kinetic_energy(q, v.transpose("trial", "time", "joint"))
    assert energy.dims == ("time", "trial") and isinstance(energy.data, da.Array) and energy.data.npartitions > 1
    same(energy, arm.kinetic_energy(q.values, v.values))
    with pytest.raises(kt.InputError, match="chunk_bytes must be"):
        kt.cluster.Robot(robot, chunk_bytes="1 MB")


def test_missing_packages_are_named_with_their_extra(tmp_path, monkeypatch):
    robot = kt.load("planar2r")
    for package in ("pyarrow.parquet", "zarr", "dask.array"):
        monkeypatch.setitem(sys.modules, package, None)
    for source in ("in.parquet", "in.zarr", {"q": np.zeros((3, 2))}):
        with pytest.raises(kt.InputError, match=r"needs (pyarrow|zarr|dask): pip install .*the extra 'cluster'"):
            kt.cluster.evaluate("gravity", source, tmp_path / "out", robot)
    with pytest.raises(kt.InputError, match=r"Robot needs dask: .*the extra 'cluster'"):
        kt.cluster.Robot(robot)
