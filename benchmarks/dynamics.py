"""Forward dynamics and the mass matrix: kinetrace and Pinocchio on the same robots, in batches and by single calls.

    python benchmarks/dynamics.py [--rounds N] [--json FILE]

One thread. Both libraries read the same bundled URDF, get their arrays in their own favourite layout and write to
arrays made beforehand; Pinocchio has no batched mass matrix, so a Python loop over states calls its crba, and its time
includes these calls. Results are compared before anything is timed.
"""

from __future__ import annotations

import argparse
from timeit import Timer
from typing import Any

import measure
import numpy as np
import pinocchio as pin
from inverse_dynamics import BATCH, Contest


class DynamicsContest(Contest):
    """One robot in both libraries, with the same random states, and the forces of a random motion.

    Random forces would throw light links about, and accelerations lose digits to the condition of the mass matrix.
    """

    def __init__(self, name: str, base: str) -> None:
        super().__init__(name, base, BATCH)
        # Made anew: the motion that the forces are of is what forward dynamics should find.
        self.a, self.a_pin = np.full_like(self.a, np.nan), np.full_like(self.a_pin, np.nan)
        self.M = np.empty((BATCH, self.robot.nv, self.robot.nv))
        self.states_pin = [self.q_pin[:, k].copy() for k in range(BATCH)]
        _, order = self._orders()
        pin.abaInParallel(1, self.pool, self.q_pin, self.v_pin, self.tau_pin, self.a_pin)
        self.robot.forward_dynamics(self.q, self.v, self.tau, out=self.a, threads=1)
        measure.check_equal(self.a[:, order], self.a_pin.T, f"accelerations of {name}, base {base}")
        self.robot.mass_matrix(self.q, out=self.M, threads=1)
        ours = self.M[:, order][:, :, order]
        theirs = [np.triu(pin.crba(self.model, self.data, q)) for q in self.states_pin]
        measure.check_equal(np.triu(ours), np.array(theirs), f"mass matrices of {name}, base {base}")

    def _timer(self, code: str, **names: Any) -> Timer:
        return Timer(code, globals=vars(self) | names)

    def forward_dynamics(self) -> dict[str, Timer]:
        return {
            "kinetrace": self._timer("robot.forward_dynamics(q, v, tau, out=a, threads=1)"),
            "Pinocchio abaInParallel": self._timer("aba(1, pool, q_pin, v_pin, tau_pin, a_pin)", aba=pin.abaInParallel),
        }

    def mass_matrices(self) -> dict[str, Timer]:
        return {
            "kinetrace": self._timer("robot.mass_matrix(q, out=M, threads=1)"),
            "Pinocchio crba, in a loop": self._timer("for q in states_pin: crba(model, data, q)", crba=pin.crba),
        }

    def one_forward_dynamics(self) -> dict[str, Timer]:
        ours = {"q": self.q[0], "v": self.v[0], "tau": self.tau[0]}
        theirs = {"q": self.q_pin[:, 0].copy(), "v": self.v_pin[:, 0].copy(), "tau": self.tau_pin[:, 0].copy()}
        return {
            "kinetrace": self._timer("robot.forward_dynamics(q, v, tau)", **ours),
            "Pinocchio aba": self._timer("aba(model, data, q, v, tau)", aba=pin.aba, **theirs),
        }

    def one_mass_matrix(self) -> dict[str, Timer]:
        return {
            "kinetrace": self._timer("robot.mass_matrix(q)", q=self.q[0]),
            "Pinocchio crba": self._timer("crba(model, data, q)", crba=pin.crba, q=self.states_pin[0]),
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=50, help="samples of each competitor")
    parser.add_argument("--json", metavar="FILE", help="write all samples to FILE")
    options = parser.parse_args()
    rounds = options.rounds
    report = measure.Report(measure.machine(("numpy", "llvmlite", "pin")))

    for name, base, wanted in (("panda", "fixed", 12), ("humanoid", "free", None)):
        contest = DynamicsContest(name, base)
        what = f"{name}, base {base}, {contest.robot.nv} dof"
        batch = f"per state, batch {BATCH}, 1 thread"
        report.compare(f"{what}: forward dynamics {batch}", contest.forward_dynamics(), rounds, BATCH, wanted)
        report.compare(f"{what}: forward dynamics, one call from Python", contest.one_forward_dynamics(), rounds)
        report.compare(f"{what}: mass matrix {batch}", contest.mass_matrices(), rounds, BATCH, wanted)
        report.compare(f"{what}: mass matrix, one call from Python", contest.one_mass_matrix(), rounds)

    report.console.print(report.table())
    if options.json:
        report.save(options.json)


if __name__ == "__main__":
    main()
