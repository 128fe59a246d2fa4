"""Inverse dynamics: kinetrace and Pinocchio on the same robots, from batches to a single call to a cold start.

    python benchmarks/inverse_dynamics.py [--rounds N] [--json FILE]

Both libraries read the same bundled URDF, get their arrays in their own favourite layout, (batch, n) in C order and
(n, batch) in Fortran order, and write to arrays made beforehand. Results are compared before anything is timed.
"""

from __future__ import annotations

import argparse
import tempfile
from timeit import Timer

import measure
import numpy as np
import pinocchio as pin

import kinetrace as kt
from kinetrace.model import zoo

BATCH, LARGE_BATCH = 4096, 65536


class Contest:
    """One robot in both libraries, with the same random states."""

    def __init__(self, name: str, base: str, batch: int) -> None:
        root = (pin.JointModelFreeFlyer(), "floating_base") if base == "free" else ()
        self.robot, self.batch = kt.load(name, base=base), batch
        self.model = pin.buildModelFromUrdf(str(zoo.path(name)), *root)
        self.data, self.pool = self.model.createData(), pin.ModelPool(self.model, measure.thread_counts()[-1])
        rng = np.random.default_rng(0)
        self.q = self.robot.random(batch, seed=rng)
        self.v, self.a = rng.normal(size=(2, batch, self.robot.nv))
        self.tau = np.empty_like(self.v)
        order_q, order_v = self._orders()
        self.q_pin, self.v_pin, self.a_pin = (
            np.asfortranarray(x[:, order].T) for x, order in ((self.q, order_q), (self.v, order_v), (self.a, order_v))
        )
        self.tau_pin = np.empty_like(self.v_pin)
        pin.rneaInParallel(1, self.pool, self.q_pin, self.v_pin, self.a_pin, self.tau_pin)
        self.robot.inverse_dynamics(self.q, self.v, self.a, out=self.tau, threads=1)
        measure.check_equal(self.tau[:, order_v], self.tau_pin.T, f"{name}, base {base}")

    def _orders(self) -> tuple[list[int], list[int]]:
        """Pinocchio's variables in terms of kinetrace's: both robots turn about axes, on a base or free.

        A free base has its quaternion as (x, y, z, w) there, and its twist linear first.
        """
        order_q, order_v = [0] * self.model.nq, [0] * self.model.nv
        for name in self.robot.joint_names:
            joint = self.model.joints[self.model.getJointId(name)]
            q, v = range(self.robot.nq)[self.robot.q_slice(name)], range(self.robot.nv)[self.robot.v_slice(name)]
            q, v = ([*q[:3], *q[4:], q[3]], [*v[3:], *v[:3]]) if len(q) == 7 else (list(q), list(v))
            order_q[joint.idx_q : joint.idx_q + joint.nq] = q
            order_v[joint.idx_v : joint.idx_v + joint.nv] = v
        return order_q, order_v

    def batches(self, threads: int) -> dict[str, Timer]:
        return {
            "kinetrace": Timer(f"robot.inverse_dynamics(q, v, a, out=tau, threads={threads})", globals=vars(self)),
            "Pinocchio rneaInParallel": Timer(
                f"rnea({threads}, pool, q_pin, v_pin, a_pin, tau_pin)",
                globals=vars(self) | {"rnea": pin.rneaInParallel},
            ),
        }

    def single_calls(self) -> dict[str, Timer]:
        first = {"q": self.q[0], "v": self.v[0], "a": self.a[0]}
        theirs = {"q": self.q_pin[:, 0].copy(), "v": self.v_pin[:, 0].copy(), "a": self.a_pin[:, 0].copy()}
        return {
            "kinetrace": Timer("robot.inverse_dynamics(q, v, a)", globals=first | {"robot": self.robot}),
            "Pinocchio rnea": Timer(
                "rnea(model, data, q, v, a)",
                globals=theirs | {"rnea": pin.rnea, "model": self.model, "data": self.data},
            ),
        }


TIMED = "from time import perf_counter as now; t = now(); {}; print(now() - t)"
FIRST_RESULT = "import numpy as np, kinetrace as kt; x = np.zeros(7); kt.load('panda').inverse_dynamics(x, x, x)"
FIRST_OF_PINOCCHIO = (
    "import numpy as np, pinocchio as pin; x = np.zeros(7); "
    "m = pin.buildModelFromUrdf({path!r}); pin.rnea(m, m.createData(), x, x, x)"
)


def cold_start(report: measure.Report, rounds: int) -> None:
    """Times inside a fresh interpreter, imports included."""

    def run(code: str, cache: str) -> float:
        return measure.in_new_process(TIMED.format(code), {"KINETRACE_CACHE": cache})

    def without_cache() -> float:
        with tempfile.TemporaryDirectory() as empty:
            return run(FIRST_RESULT, empty)

    theirs = FIRST_OF_PINOCCHIO.format(path=str(zoo.path("panda")))
    with tempfile.TemporaryDirectory() as cache:
        run(FIRST_RESULT, cache)
        imports = {name: lambda code=f"import {name}": run(code, cache) for name in ("kinetrace", "pinocchio", "numpy")}
        report.sample("import, new process", imports, rounds)
        first = {
            "kinetrace, cached": lambda: run(FIRST_RESULT, cache),
            "kinetrace, nothing cached": without_cache,
            "Pinocchio": lambda: run(theirs, cache),
        }
        report.sample("import, load and first result on the Panda, new process", first, rounds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=50, help="samples of each competitor")
    parser.add_argument("--json", metavar="FILE", help="write all samples to FILE")
    options = parser.parse_args()
    rounds = options.rounds
    report = measure.Report(measure.machine(("numpy", "llvmlite", "pin")))

    for name, base, wanted in (("panda", "fixed", 20), ("humanoid", "fixed", None), ("humanoid", "free", 10)):
        contest = Contest(name, base, BATCH)
        what = f"{name}, base {base}, {contest.robot.nv} dof"
        report.compare(f"{what}: per state, batch {BATCH}, 1 thread", contest.batches(1), rounds, BATCH, wanted)
        report.compare(f"{what}: one call from Python", contest.single_calls(), rounds)
    for name, base in (("panda", "fixed"), ("humanoid", "free")):
        large = Contest(name, base, LARGE_BATCH)
        for threads in measure.thread_counts():
            title = f"{name}, base {base}: per state, batch {LARGE_BATCH}, {threads} thread{'s'[: threads > 1]}"
            report.compare(title, large.batches(threads), max(5, rounds // 3), LARGE_BATCH)
    cold_start(report, max(3, rounds // 5))

    report.console.print(report.table())
    if options.json:
        report.save(options.json)


if __name__ == "__main__":
    main()
