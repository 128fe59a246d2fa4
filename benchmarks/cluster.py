"""States of Parquet files by a Dask cluster: rate and memory, beside a plain loop of pyarrow with as many threads.

A data set of random states is written, file by file from one seed, and evaluated three times: by two threads with a
loop over row groups that reads, calls the kernel and writes, without Dask and without kinetrace.cluster (plain); by
`kinetrace.cluster.evaluate` in threads of one process; and by `kinetrace.cluster.evaluate` on a LocalCluster. All write
their results as Parquet files with the same settings. The kernel alone, on arrays in memory, is timed too; before all,
what one core takes to read, compute and write.

Memory is the proportional set size (pages that n processes share count as 1/n in each) of this process, which holds
client and scheduler, and of all processes that it started, added up once per second; the largest
sum of the first round counts, in which the cluster comes first: later ones find what earlier ones left in this process.

    python benchmarks/cluster.py --states 1e7
    python benchmarks/cluster.py                # 1e8 states: 12 GB of disk, removed afterwards
    python benchmarks/cluster.py --quick        # 1e5 states

needs the extra *cluster*.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import shared

import kinetrace as kt

dask, distributed, psutil = shared.needed("dask"), shared.needed("distributed"), shared.needed("psutil")
pa, pq = shared.needed("pyarrow"), shared.needed("pyarrow.parquet")

GROUP, GROUPS = 1 << 17, 8
"""Rows of a row group, and row groups of a file."""
INTERVAL = 1.0
"""Seconds between two looks at the memory."""
LESS_WORK = {
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": 1 << 30,
    "distributed.worker.profile.enabled": False,
}
"""What docs/cluster.md advises: workers keep memory that they freed, and nobody looks at their stacks."""
PLAIN_LOOP = "plain loop of threads"
PLAIN = {"compression": "none", "use_dictionary": False, "write_statistics": False}


def schema(names: list[str], dtype: str) -> Any:
    """Columns of numbers, none of which is missing."""
    return pa.schema([pa.field(x, pa.from_numpy_dtype(np.dtype(dtype)), nullable=False) for x in names])


def columns(kernel: kt.Kernel) -> list[str]:
    """q0, q1, …: those of all arguments."""
    return [f"{a.name}{k}" for a in kernel.program.inputs for k in range(a.size)]


def make(folder: Path, kernel: kt.Kernel, states: int, seed: int) -> None:
    """Write the data set."""
    rng, names, dtype = np.random.default_rng(seed), columns(kernel), kernel.dtype.name
    for number, begin in enumerate(range(0, states, GROUP * GROUPS)):
        with pq.ParquetWriter(folder / f"states-{number:05d}.parquet", schema(names, dtype), **PLAIN) as file:
            for start in range(begin, min(begin + GROUP * GROUPS, states), GROUP):
                rows = min(GROUP, states - start)
                made = [rng.standard_normal(rows, np.float32).astype(dtype, copy=False) for _ in names]
                file.write_table(pa.table(made, schema=schema(names, dtype)))


def plain(kernel: kt.Kernel, folder: Path, target: Path, threads: int) -> None:
    """A loop over files and row groups, in threads."""
    target.mkdir()
    size = kernel.program.outputs[0].size
    made = schema([f"tau{k}" for k in range(size)], kernel.dtype.name)

    def one(path: Path) -> None:
        with pq.ParquetFile(path) as file, pq.ParquetWriter(target / path.name, made, **PLAIN) as out:
            for k in range(file.num_row_groups):
                table = file.read_row_group(k, use_threads=False)
                arrays = []
                for a in kernel.program.inputs:
                    arrays.append(np.stack([table[f"{a.name}{j}"].to_numpy() for j in range(a.size)], axis=1))
                result = kernel(*arrays, threads=1)
                out.write_table(pa.table([np.ascontiguousarray(x) for x in result.T], schema=made))

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(one, sorted(folder.iterdir())))


def in_memory(kernel: kt.Kernel, threads: int, repeats: int) -> float:
    """States per second of the kernel alone."""
    rng, count = np.random.default_rng(0), 1 << 19
    arrays = [rng.standard_normal((count, *a.shape)).astype(kernel.dtype) for a in kernel.program.inputs]
    out = kernel(*arrays, threads=threads)
    return count / min(timed(lambda: kernel(*arrays, out=out, threads=threads)) for _ in range(3 * repeats))


def timed(call: Callable[[], object]) -> float:
    """Seconds of a call."""
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def files(robot: kt.Robot, function: str, folder: Path, groups: int, repeats: int) -> None:
    """Print what one core takes to read, to compute and to write a state in float64, and other ways to write it."""
    kernel, rows = robot.kernel(function), groups * GROUP
    rng, names = np.random.default_rng(0), columns(kernel)
    states = pa.table([rng.standard_normal(rows) for _ in names], schema=schema(names, "float64"))
    arrays = [rng.standard_normal((rows, *a.shape)) for a in kernel.program.inputs]
    result = np.ascontiguousarray(kernel(*arrays, threads=1).T)
    made = schema([f"tau{k}" for k in range(len(result))], "float64")
    nullable = pa.schema([pa.field(x.name, x.type) for x in made])
    source, target = folder / "source.parquet", folder / "target.parquet"
    pq.write_table(states, source, row_group_size=GROUP, **PLAIN)

    def write(to: Any, **choices: Any) -> Callable[[], None]:
        return lambda: pq.write_table(
            pa.table(list(result), schema=to), target, row_group_size=GROUP, **PLAIN | choices
        )

    ways = {
        "read": lambda: pq.ParquetFile(source).read(use_threads=False),
        "compute": lambda: kernel(*arrays, threads=1),
        "write": write(made),
        "write columns that may be null": write(nullable),
        "write with zstd": write(made, compression="zstd"),
    }
    print(f"{f'one core, float64, {len(names)} numbers a state':35} {'ns a state':>10} {'MB':>6}")
    for name, way in ways.items():
        best = min(timed(way) for _ in range(5 * repeats))
        size = f"{target.stat().st_size / 1e6:6.1f}" if name.startswith("write") else ""
        print(f"{name:35} {best / rows * 1e9:10.1f} {size}")
    print()


def at_rest() -> int:
    """Bytes of a worker that has imported what it needs."""
    import kinetrace.cluster  # noqa: F401

    return int(psutil.Process().memory_info().rss)


class Watch:
    """The largest sum of the memory of this process and those that it started, and their time on a core."""

    def __enter__(self) -> Watch:
        self.most, self.cpu, self._end = 0, -self._spent(), threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    @staticmethod
    def _all() -> list[Any]:
        me = psutil.Process()
        return [me, *me.children(recursive=True)]

    def _spent(self) -> float:
        return sum(sum(process.cpu_times()[:2]) for process in self._all())

    def _watch(self) -> None:
        while not self._end.wait(INTERVAL):
            total = 0
            for process in self._all():
                try:
                    total += process.memory_full_info().pss
                except psutil.Error:  # it has ended
                    continue
            self.most = max(self.most, total)

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()
        self.cpu += self._spent()


def check(kernel: kt.Kernel, folder: Path, target: Path, states: int) -> None:
    """Compare some of the results with the kernel's, and their number with that of the states."""
    parts = sorted(target.glob("*.parquet"))
    rows = [pq.read_metadata(x).num_rows for x in parts]
    assert sum(rows) == states, (sum(rows), states)
    table = pq.ParquetFile(min(folder.iterdir())).read_row_group(0, use_threads=False)
    given = [np.stack([table[f"{a.name}{j}"] for j in range(a.size)], axis=1) for a in kernel.program.inputs]
    found = pq.ParquetFile(parts[0]).read_row_group(0, use_threads=False)
    same = min(found.num_rows, table.num_rows)
    assert np.array_equal(np.stack([found[x] for x in found.column_names], 1)[:same], kernel(*given)[:same])


def main() -> None:
    """Print a table."""
    parser = shared.parser(__doc__)
    parser.add_argument("--states", type=float, default=1e8, help="number of states")
    parser.add_argument("--robot", default="panda", help="robot")
    parser.add_argument("--function", default="inverse_dynamics", help="function with one result, a vector")
    parser.add_argument("--dtype", default="float32", help="of the files and the kernel: float32 or float64")
    parser.add_argument("--workers", type=int, default=2, help="worker processes of the cluster, and threads beside")
    parser.add_argument("--repeats", type=int, default=1, help="how often each is timed; the best counts")
    parser.add_argument("--chunk-mb", type=float, default=16.0, help="megabytes of a chunk")
    parser.add_argument("--folder", help="where the data set is made; a temporary folder unless given")
    parser.add_argument("--advice", action=argparse.BooleanOptionalAction, default=True, help="settings of Dask")
    given = shared.options(parser, states=1e5, robot="planar2r", repeats=1)
    states, count = int(given.states), given.workers
    robot = shared.load(given.robot, dtype=given.dtype)
    kernel = robot.kernel(given.function)
    kernel(*(np.zeros((2, *a.shape)) for a in kernel.program.inputs))  # in the cache
    with tempfile.TemporaryDirectory(prefix="kinetrace-files-", dir=given.folder) as place:
        files(shared.load(given.robot), given.function, Path(place), 1 if given.quick else 4, given.repeats)
    settings = {"outputs": "tau", "chunk_bytes": int(given.chunk_mb * (1 << 20)), "progress": False}
    with tempfile.TemporaryDirectory(prefix="kinetrace-cluster-", dir=given.folder) as place:
        folder, target = Path(place, "states"), Path(place, "results")
        folder.mkdir()
        seconds = timed(lambda: make(folder, kernel, states, 0))
        size = sum(x.stat().st_size for x in folder.iterdir())
        print(f"{states:,} states of {given.robot}, {given.function} in {given.dtype}: {size / 1e9:.1f} GB of Parquet,")
        print(f"made in {seconds:.0f} s\n")

        def run(call: Callable[[], object]) -> tuple[float, float, int]:
            shutil.rmtree(target, ignore_errors=True)
            os.sync()  # earlier results must not be written to the disk meanwhile
            with Watch() as watch:
                seconds = timed(call)
            check(kernel, folder, target, states)
            return seconds, watch.cpu, watch.most

        resting: list[int] = []

        def on_cluster(warm: bool = False) -> tuple[float, float, int]:
            settings_ = {"n_workers": count, "threads_per_worker": 1, "host": "127.0.0.1"}
            settings_["dashboard_address"] = "127.0.0.1:0"
            dask.config.set(LESS_WORK if given.advice else {})
            with distributed.LocalCluster(**settings_) as local, distributed.Client(local) as client:
                client.wait_for_workers(count)
                resting.extend(client.run(at_rest).values() if warm else ())
                if warm:  # workers have imported what they need, and have the kernel
                    one = Path(place, "one")
                    kt.cluster.evaluate(kernel, min(folder.iterdir()), one, client=client, **settings)
                    shutil.rmtree(one)
                return run(lambda: kt.cluster.evaluate(kernel, folder, target, client=client, **settings))

        ways = {
            "cluster of processes": on_cluster,
            "a further run on a cluster": lambda: on_cluster(warm=True),
            PLAIN_LOOP: lambda: run(lambda: plain(kernel, folder, target, count)),
            "evaluate without a cluster": lambda: run(lambda: kt.cluster.evaluate(kernel, folder, target, **settings)),
        }
        found: dict[str, list[tuple[float, float, int]]] = {name: [] for name in ways}
        for _ in range(given.repeats):
            for name, way in ways.items():
                found[name].append(way())
        bare = in_memory(kernel, count, given.repeats)
    base = min(found[PLAIN_LOOP])
    print(
        f"{'':27} {'best s':>8} {'worst s':>8} {'states/s':>12} {'of plain':>9} {'of kernel':>9} {'CPU s':>7} {'MB':>6}"
    )
    for name, runs in found.items():
        best, cpu, _ = min(runs)
        numbers = (
            f"{best:8.2f} {max(runs)[0]:8.2f} {states / best:12,.0f} {base[0] / best:9.0%} {states / best / bare:9.0%}"
        )
        print(f"{name:27} {numbers} {cpu:7.1f} {runs[0][2] / 1e6:6.0f}")
    print(f"{'kernel alone, in memory':27} {states / bare:8.2f} {'':8} {bare:12,.0f} {base[0] * bare / states:9.0%}")
    print(f"\na worker at rest: {max(resting) / 1e6:.0f} MB")
    print(f"{count} workers, or threads; the start of the cluster is not counted, but that of the kernels in it is")


if __name__ == "__main__":
    main()
