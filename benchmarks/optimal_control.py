"""Optimal control of many motions of the Panda: time per problem, beside crocoddyl one after another.

The problem: from rest at a random configuration to rest at another one in 1 s, 50 steps of 20 ms (semi-implicit Euler,
which crocoddyl calls Euler). Its cost is, with e = q ⊖ goal,

    Σ dt (½ 0.1 |e|² + ½ 0.01 |v|² + ½ 10⁻³ |τ|²) + ½ 10³ |e|² + ½ 10² |v|² at the end

Both begin with the torques that hold the first configuration. Both stop when the next step is expected to change the
cost by less than a tolerance; the costs that they reach are compared.

    python benchmarks/optimal_control.py --problems 1000 --peers 50 --repeats 5
    python benchmarks/optimal_control.py --quick

needs crocoddyl for the comparison (pip install crocoddyl "pin==4.0.0": the wheel of crocoddyl 3.2.1 does not fit the
memory layout of pin 4.1.0, and silently computes without gravity; it is skipped then).
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import shared

import kinetrace as kt
from kinetrace.bench.measure import reason
from kinetrace.motion import EffortCost, OptimalControl, OptimalControlSolution, StateCost

STEPS, DT = 50, 0.02
ALONG, EFFORT, END = (0.1, 0.01), 1e-3, (1e3, 1e2)
HOME = np.array([0.0, -0.5, 0.0, -2.0, 0.0, 1.5, 0.8])
TYPICAL = 0.3
"""Cost of most solutions: crocoddyl's tolerance is absolute, and of half the slope."""


def problems(robot: kt.Robot, count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Starts, goals and first torques."""
    rng = np.random.default_rng(seed)
    q, goal = HOME + 0.3 * rng.normal(size=(2, count, robot.nv))
    return q, goal, robot.gravity(q)


class Peer:
    """crocoddyl, with the same robot and costs."""

    def __init__(self, robot: kt.Robot, limited: bool) -> None:
        import crocoddyl

        self.lib, self.limited, self.nv = crocoddyl, limited, robot.nv
        self.model = kt.interop.pinocchio.to_model(robot)
        self.state = crocoddyl.StateMultibody(self.model)
        self.actuation = crocoddyl.ActuationModelFull(self.state)
        self.effort = robot.limits.effort
        self._check(robot)

    def _action(self, costs: object, dt: float) -> object:
        lib = self.lib
        free = lib.DifferentialActionModelFreeFwdDynamics(self.state, self.actuation, costs)
        return lib.IntegratedActionModelEuler(free, dt)

    def _check(self, robot: kt.Robot) -> None:
        """Whether its dynamics are those of the robot."""
        free = self.lib.DifferentialActionModelFreeFwdDynamics(
            self.state, self.actuation, self.lib.CostModelSum(self.state)
        )
        data, tau = free.createData(), robot.gravity(HOME)
        free.calc(data, np.concatenate([HOME, np.zeros(self.nv)]), tau)
        if np.abs(data.xout).max() > 1e-8:
            raise RuntimeError("it computes without gravity: its wheel does not fit this version of pin; use 4.0.0")

    def problem(self, q: np.ndarray, goal: np.ndarray) -> object:
        """One problem."""
        lib, state, n = self.lib, self.state, self.nv
        target, running, final = np.concatenate([goal, np.zeros(n)]), lib.CostModelSum(state), lib.CostModelSum(state)
        for costs, (position, velocity) in ((running, ALONG), (final, END)):
            weights = lib.ActivationModelWeightedQuad(np.repeat([position, velocity], n))
            costs.addCost("x", lib.CostModelResidual(state, weights, lib.ResidualModelState(state, target)), 1.0)
        running.addCost("u", lib.CostModelResidual(state, lib.ResidualModelControl(state)), EFFORT)
        along, end = self._action(running, DT), self._action(final, 0.0)
        if self.limited:
            along.u_lb, along.u_ub = -self.effort, self.effort
        made = lib.ShootingProblem(np.concatenate([q, np.zeros(n)]), [along] * STEPS, end)
        made.nthreads = 1
        return made

    def solve(self, problem: object, tau: np.ndarray, tolerance: float) -> tuple[float, int, float, float]:
        """Cost, iterations, seconds and seconds of processor time."""
        solver = (self.lib.SolverBoxFDDP if self.limited else self.lib.SolverFDDP)(problem)
        solver.th_stop = tolerance
        us = [tau] * STEPS
        begin, cpu = time.perf_counter(), time.process_time()
        solver.solve(problem.rollout(us), us, 200, True)
        return float(solver.cost), int(solver.iter), time.perf_counter() - begin, time.process_time() - cpu


def made_peer(robot: kt.Robot, limited: bool) -> Peer | None:
    """crocoddyl, if it is there and right."""
    if shared.package("crocoddyl") is None:
        return None
    try:
        return Peer(robot, limited)
    except Exception as error:
        print(f"skipped crocoddyl: {reason(error)}")
        return None


class Ours:
    """A batch of problems, solved together and a few of them alone."""

    def __init__(self, name: str, robot: kt.Robot, args: argparse.Namespace, limited: bool, second_order: bool) -> None:
        self.name, self.robot, self.args = name, robot, args
        self.q, self.goal, self.tau = problems(robot, args.problems)
        costs = [StateCost(*ALONG), EffortCost(EFFORT)], StateCost(*END)
        self.control = OptimalControl(robot, *costs, STEPS, DT, effort=limited, second_order=second_order)
        self.walls, self.cpus, self.latencies = list[float](), list[float](), list[float]()
        begin = time.perf_counter()
        self.found = self.solve()
        self.first = time.perf_counter() - begin
        self.solve(slice(0, 1))

    def solve(self, some: slice = slice(None)) -> OptimalControlSolution:
        """Solve some of the problems."""
        given = {"parameters": {"goal": self.goal[some]}, "tolerance": self.args.tolerance, "iterations": 200}
        return self.control.solve(self.q[some], np.zeros(self.robot.nv), self.tau[some, None], **given)

    def measure(self) -> None:
        """One run."""
        begin, cpu = time.perf_counter(), time.process_time()
        self.found = self.solve()
        self.walls.append(time.perf_counter() - begin)
        self.cpus.append(time.process_time() - cpu)
        begin = time.perf_counter()
        alone = [self.solve(slice(k, k + 1)) for k in range(5)]
        self.latencies.append((time.perf_counter() - begin) / sum(int(x.iterations[0]) for x in alone))


HEAD = f"{'':18}{'ms each':>11}{'best':>8}{'worst':>8}{'CPU ms each':>13}{'iterations':>12}{'alone, ms/iteration':>21}"


def compare(robot: kt.Robot, args: argparse.Namespace, limited: bool) -> None:
    """One table."""
    ours = [Ours(name, robot, args, limited, name.endswith("DDP")) for name in ("kinetrace iLQR", "kinetrace DDP")]
    theirs: list[np.ndarray] = []
    peer = None if args.no_peer else made_peer(robot, limited)
    made = [] if peer is None else [peer.problem(ours[0].q[k], ours[0].goal[k]) for k in range(args.peers)]
    for _ in range(args.repeats):  # in turns, so that all see the same machine
        for one in ours:
            one.measure()
        if peer is not None:
            absolute = args.tolerance * TYPICAL / 2
            theirs.append(np.array([peer.solve(p, ours[0].tau[k], absolute) for k, p in enumerate(made)]))
    n = args.problems
    print(
        f"\n{'torque limits' if limited else 'no limits'}: {n} problems, {STEPS} steps; medians of {args.repeats} runs"
    )
    print(HEAD)
    for one in ours:
        each, mean = 1e3 * np.array(one.walls) / n, one.found.iterations.mean()
        line = f"{np.median(each):11.3f}{each.min():8.3f}{each.max():8.3f}{1e3 * min(one.cpus) / n:13.3f}{mean:12.1f}"
        print(f"{one.name:18}{line}{1e3 * min(one.latencies):21.3f}")
    if peer is not None:
        seconds = np.array([x[:, 2].mean() for x in theirs])
        cpu, alone = min(x[:, 3].mean() for x in theirs), min(x[:, 2].sum() / x[:, 1].sum() for x in theirs)
        each = 1e3 * seconds
        line = f"{np.median(each):11.3f}{each.min():8.3f}{each.max():8.3f}{1e3 * cpu:13.3f}"
        print(f"{'crocoddyl':18}{line}{theirs[0][:, 1].mean():12.1f}{1e3 * alone:21.3f}")
        for one in ours:
            ratios = n / np.array(one.walls) * seconds
            told = f"{np.median(ratios):.1f} × its rate (best {ratios.max():.1f}, worst {ratios.min():.1f})"
            print(f"{one.name}: {told}, {cpu / (min(one.cpus) / n):.1f} × by processor time,", end=" ")
            print(f"{alone / min(one.latencies):.1f} × for one iteration of one problem")
            cost, other = one.found.cost[: args.peers], theirs[0][:, 0]
            away = np.abs(cost - other) / other
            same = away < 1e-6
            print(f"    costs agree to {away[same].max():.1e} in {same.sum()} of {len(away)} problems;", end=" ")
            lower = (cost[~same] < other[~same]).sum()
            print(f"of the others {lower} are lower here, {(~same).sum() - lower} there")
    for one in ours:
        print(f"{one.name}: {one.found}; first call, with compilation: {one.first:.1f} s")


def receding(robot: kt.Robot, repeats: int) -> float:
    """Seconds of one step of a model-predictive controller: one iteration from a shifted plan; the best step."""
    control = OptimalControl(robot, [StateCost(*ALONG), EffortCost(EFFORT)], StateCost(*END), STEPS, DT)
    q, goal, tau = (x[0] for x in problems(robot, 1))
    v, given, times = np.zeros(robot.nv), {"parameters": {"goal": goal}}, []
    plan = control.solve(q, v, tau[None], **given)
    for _ in range(20 * repeats):
        q, v = robot.step(q, v, plan.tau[0], DT, method="semi-implicit")
        begin = time.perf_counter()
        plan = control.solve(q, v, iterations=1, **given, **plan.shifted())
        times.append(time.perf_counter() - begin)
    return min(times[1:])


def main() -> None:
    """Run the comparison."""
    parser = shared.parser(__doc__)
    parser.add_argument("--problems", type=int, default=1000, help="problems of the batch")
    parser.add_argument("--peers", type=int, default=50, help="problems that crocoddyl solves")
    parser.add_argument("--repeats", type=int, default=5, help="runs, in turns")
    parser.add_argument("--tolerance", type=float, default=1e-7, help="expected decrease, relative")
    parser.add_argument("--limits", action="store_true", help="with torque limits too")
    parser.add_argument("--no-peer", action="store_true", help="without crocoddyl")
    args = shared.options(parser, problems=20, peers=2, repeats=1)
    robot = shared.load("panda")
    for limited in (False, True) if args.limits else (False,):
        compare(robot, args, limited)
    print(f"one step of a model-predictive controller: {1e3 * receding(robot, args.repeats):.3f} ms")


if __name__ == "__main__":
    main()
