"""Derivatives of dynamics and the regressor: kinetrace in batches, Pinocchio in a Python loop over the same states.

    python benchmarks/derivatives.py [--rounds N] [--json FILE]

One thread. Pinocchio has no batched derivatives, so its time includes a call from Python a state. Both compute all
three matrices: ∂τ/∂q, ∂τ/∂v and M, or ∂v̇/∂q, ∂v̇/∂v and M⁻¹. Results are compared before anything is timed. Then, in
new processes: the time from a loaded robot to the first derivative, and the memory that the process took.
"""

from __future__ import annotations

import argparse
import tempfile
from timeit import Timer

import measure
import numpy as np
import pinocchio as pin
from inverse_dynamics import Contest

BATCH = {"panda": 4096, "humanoid": 1024}
WANTED = {"panda": 12, "humanoid": 5}
_PARAMETERS = [0, 1, 2, 3, 4, 5, 7, 6, 8, 9]
"""Pinocchio's order of a body's ten: its third moment is Iyy."""


class DerivativesContest(Contest):
    """One robot in both libraries; forces are those of a random motion."""

    def __init__(self, name: str, base: str) -> None:
        super().__init__(name, base, BATCH[name])
        n, batch = self.robot.nv, self.batch
        self.matrices = tuple(np.empty((batch, n, n)) for _ in range(3))
        self.Y = np.empty((batch, n, 10 * len(self.robot.model.bodies)))
        self.theirs = [tuple(x[:, k].copy() for x in (self.q_pin, self.v_pin, self.a_pin)) for k in range(batch)]
        self.forced = [(q, v, self.tau_pin[:, k].copy()) for k, (q, v, _) in enumerate(self.theirs)]
        self.rnea_derivatives, self.aba_derivatives = pin.computeRNEADerivatives, pin.computeABADerivatives
        self.torque_regressor = pin.computeJointTorqueRegressor
        _, order = self._orders()
        for what, ours, theirs in (
            ("inverse", self.robot.inverse_dynamics_derivatives(self.q[0], self.v[0], self.a[0]), self._rnea_first()),
            ("forward", self.robot.forward_dynamics_derivatives(self.q[0], self.v[0], self.tau[0]), self._aba_first()),
        ):
            for x, y in zip(ours[:2], theirs[:2], strict=True):
                measure.check_equal(x[np.ix_(order, order)], y, f"derivatives of {what} dynamics, {name}")
        Y = self.robot.regressor(self.q[0], self.v[0], self.a[0])[order].reshape(n, -1, 10)[..., _PARAMETERS]
        theirs = self.torque_regressor(self.model, self.data, *self.theirs[0]).reshape(n, -1, 10)
        measure.check_equal(Y, theirs, f"regressor of {name}")

    def _rnea_first(self) -> tuple[np.ndarray, ...]:
        return tuple(x.copy() for x in self.rnea_derivatives(self.model, self.data, *self.theirs[0]))

    def _aba_first(self) -> tuple[np.ndarray, ...]:
        return tuple(x.copy() for x in self.aba_derivatives(self.model, self.data, *self.forced[0]))

    def timers(self, ours: str, theirs: str, label: str) -> dict[str, Timer]:
        return {"kinetrace": Timer(ours, globals=vars(self)), label: Timer(theirs, globals=vars(self))}

    def inverse(self) -> dict[str, Timer]:
        return self.timers(
            "robot.inverse_dynamics_derivatives(q, v, a, out=matrices, threads=1)",
            "for x in theirs: rnea_derivatives(model, data, *x)",
            "Pinocchio computeRNEADerivatives, in a loop",
        )

    def forward(self) -> dict[str, Timer]:
        return self.timers(
            "robot.forward_dynamics_derivatives(q, v, tau, out=matrices, threads=1)",
            "for x in forced: aba_derivatives(model, data, *x)",
            "Pinocchio computeABADerivatives, in a loop",
        )

    def regressors(self) -> dict[str, Timer]:
        return self.timers(
            "robot.regressor(q, v, a, out=Y, threads=1)",
            "for x in theirs: torque_regressor(model, data, *x)",
            "Pinocchio computeJointTorqueRegressor, in a loop",
        )


FIRST = """
import resource, numpy as np, kinetrace as kt
from time import perf_counter as now
robot = kt.load({name!r}, base={base!r})
v = np.zeros(robot.nv)
t = now()
robot.{method}(robot.neutral(), v, v)
print({wanted})
"""
SECONDS, MEGABYTES = "now() - t", "resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024"


def first_results(report: measure.Report, name: str, base: str, method: str, rounds: int) -> None:
    """Seconds from a loaded robot to its first derivative, with and without the cache; megabytes of the process."""

    def run(wanted: str, cache: str) -> float:
        return measure.in_new_process(
            FIRST.format(name=name, base=base, method=method, wanted=wanted), {"KINETRACE_CACHE": cache}
        )

    def without_cache(wanted: str) -> float:
        with tempfile.TemporaryDirectory() as empty:
            return run(wanted, empty)

    with tempfile.TemporaryDirectory() as cache:
        run(SECONDS, cache)
        first = {"nothing cached": lambda: without_cache(SECONDS), "cached": lambda: run(SECONDS, cache)}
        report.sample(f"{name}, base {base}: first {method}, new process", first, rounds)
    report.console.print(
        f"{name}: {method}, peak memory of a process that compiles it: {without_cache(MEGABYTES):.0f} MB"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=20, help="samples of each competitor")
    parser.add_argument("--json", metavar="FILE", help="write all samples to FILE")
    options = parser.parse_args()
    rounds = options.rounds
    report = measure.Report(measure.machine(("numpy", "llvmlite", "pin")))

    for name, base in (("panda", "fixed"), ("humanoid", "free")):
        contest, wanted = DerivativesContest(name, base), WANTED[name]
        what = f"{name}, base {base}, {contest.robot.nv} dof"
        batch = f"per state, batch {contest.batch}, 1 thread"
        report.compare(f"{what}: ∂τ/∂(q, v, a) {batch}", contest.inverse(), rounds, contest.batch, wanted)
        report.compare(f"{what}: ∂v̇/∂(q, v, τ) {batch}", contest.forward(), rounds, contest.batch, wanted)
        report.compare(f"{what}: regressor {batch}", contest.regressors(), rounds, contest.batch)
        for method in ("inverse_dynamics_derivatives", "forward_dynamics_derivatives"):
            first_results(report, name, base, method, max(1, rounds // 10))

    report.console.print(report.table())
    if options.json:
        report.save(options.json)


if __name__ == "__main__":
    main()
