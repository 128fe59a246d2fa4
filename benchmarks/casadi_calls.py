"""Functions of CasADi in four ways: times of an evaluation, of derivatives, and of a problem for IPOPT, in one run.

external   kt.casadi.external: generated C in a shared library
function   kt.casadi.function: a callback around compiled kernels
SX         kt.casadi.sx: the same program as expressions, which CasADi differentiates and interprets
SX in C    these expressions and CasADi's derivatives of them in C of CasADi's own, with the same compiler and options

Times of evaluations are those of a map over 100 states, divided by 100; Jacobians and Hessians are by all arguments
together. The problem is the motion of least effort ∫|τ|² between two rests, with the torques of inverse dynamics as
unknowns, cubic between nodes.

    python benchmarks/casadi_calls.py --robot panda --nodes 20        needs casadi and a C compiler
    python benchmarks/casadi_calls.py --quick                         everything once, on two links
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import shared

import kinetrace as kt
from kinetrace.frameworks.casadi import c_source

ca = shared.needed("casadi")

STATES = 100


def sx_in_c(robot: kt.Robot, folder: Path) -> Any:
    """The program and its derivatives by CasADi, in C by CasADi."""
    f = kt.casadi.sx("inverse_dynamics", robot)
    generator = ca.CodeGenerator("own.c", {"with_header": False})
    adjoint = f.reverse(1)
    for each in (f, f.jacobian(), adjoint, adjoint.jacobian()):
        generator.add(each)
    generator.generate(f"{folder}/")
    target = folder / "own.so"
    c_source.run(
        c_source.compiler_command(None), [*c_source.COMPILER_FLAGS, "-o", str(target), str(folder / "own.c"), "-lm"]
    )
    return ca.external(f.name(), str(target))


def derivatives(f: Any) -> dict[str, tuple[Any, list[Any]]]:
    """A function, its Jacobian and its Hessian with weights, each with arguments for many states."""
    n, numbers = f.size_in(0)[0], np.random.default_rng(0)
    xs, w = [ca.MX.sym(name, n) for name in f.name_in()], ca.MX.sym("w", n)
    x, y = ca.veccat(*xs), f(*xs)
    at = [ca.DM(numbers.uniform(-1, 1, (n, STATES))) for _ in range(4)]
    return {
        "value": (f.map(STATES), at[:3]),
        "Jacobian": (ca.Function("J", xs, [ca.jacobian(y, x)]).map(STATES), at[:3]),
        "Hessian": (ca.Function("H", [*xs, w], [ca.hessian(ca.dot(w, y), x)[0]]).map(STATES), at),
    }


def times(call: Callable[[], Any], repeat: int) -> list[float]:
    """Times of several calls after the first, which compiles."""
    call()
    found = []
    for _ in range(repeat):
        begin = time.perf_counter()
        call()
        found.append(time.perf_counter() - begin)
    return found


def problem(f: Any, robot: kt.Robot, nodes: int) -> Callable[[], tuple[float, int]]:
    """What solves the problem: cost, and iterations of IPOPT."""
    n, h = robot.nv, 1.0 / nodes
    q, v, a, tau = (ca.MX.sym(name, n, nodes + 1) for name in ("q", "v", "a", "tau"))
    middle = f.map(nodes + 1)(q, v, a) - tau
    speed = v[:, 1:] - v[:, :-1] - h / 2 * (a[:, 1:] + a[:, :-1])
    place = q[:, 1:] - q[:, :-1] - h * v[:, :-1] - h**2 / 6 * (2 * a[:, :-1] + a[:, 1:])
    start, end = robot.random(2, seed=3)
    ends = ca.vertcat(q[:, 0] - start, q[:, nodes] - end, v[:, 0], v[:, nodes])
    nlp = {"x": ca.veccat(q, v, a, tau), "f": h * ca.sumsqr(tau), "g": ca.veccat(middle, speed, place, ends)}
    solver = ca.nlpsol("s", "ipopt", nlp, {"ipopt": {"print_level": 0, "sb": "yes"}, "print_time": False})
    way = np.linspace(start, end, nodes + 1).T
    x0 = ca.veccat(way, np.zeros((3 * n, nodes + 1)))

    def solve() -> tuple[float, int]:
        found = solver(x0=x0, lbg=0, ubg=0)
        assert solver.stats()["success"], solver.stats()["return_status"]
        return float(found["f"]), int(solver.stats()["iter_count"])

    return solve


def main() -> None:
    """Print the table."""
    parser = shared.parser(__doc__)
    parser.add_argument("--robot", default="panda", help="a bundled robot, or a file")
    parser.add_argument("--nodes", type=int, default=20, help="intervals of the motion")
    parser.add_argument(
        "--repeat",
        type=int,
        default=5,
        help="how often the problem is solved, and a tenth of how often calls are timed",
    )
    given = shared.options(parser, robot="planar2r", nodes=5, repeat=1)
    robot = shared.load(given.robot)
    with tempfile.TemporaryDirectory() as folder:
        ways: dict[str, Callable[[], Any]] = {
            "external": lambda: kt.casadi.external("inverse_dynamics", robot),
            "function": lambda: kt.casadi.function("inverse_dynamics", robot),
            "SX": lambda: kt.casadi.sx("inverse_dynamics", robot),
            "SX in C": lambda: sx_in_c(robot, Path(folder)),
        }
        print(f"{robot.name}: best time (how far the median is above it); made: seconds until the function is there")
        print(f"{'way':9} {'made':>6} {'value [us]':>15} {'Jacobian [us]':>15} {'Hessian [us]':>15} ", end="")
        print(f"{'IPOPT [s]':>15} {'steps':>5} {'cost':>10}")
        for name, make in ways.items():
            begin = time.perf_counter()
            f = make()
            cells = [f"{name:9} {time.perf_counter() - begin:6.1f}"]
            for each, at in derivatives(f).values():
                found = [1e6 * t / STATES for t in times(partial(each, *at), 10 * given.repeat)]
                cells.append(f"{min(found):7.2f} ({np.median(found) - min(found):5.2f})")
            solve = problem(f, robot, given.nodes)
            found = times(solve, given.repeat)
            cost, steps = solve()
            cells.append(f"{min(found):7.3f} ({np.median(found) - min(found):5.3f}) {steps:5d} {cost:10.4f}")
            print(" ".join(cells), flush=True)


if __name__ == "__main__":
    main()
