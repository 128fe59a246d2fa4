"""Solvers of nonlinear programs: IPOPT through CasADi, and SciPy. Both get exact sparse derivatives."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from ...support.optional import require_package
from .pointwise import Float
from .program import NonlinearProgram

Report = Callable[[int], bool]
"""Function of the number of iterations done; its result says whether to stop, as the time is up."""


TIME_LIMIT_MESSAGE = "the time limit was reached"


class SolverOutcome(NamedTuple):
    """Outcome of a solver, and its own message."""

    x: Float
    multipliers: Float | None
    """Of the rows (m,), positive where they are at their upper bound; None if the solver gives none."""
    bound_multipliers: Float | None
    """Of the bounds of x (n,)."""
    iterations: int
    word: str
    """One of "converged", "infeasible", "iterations", "stalled", "time"."""
    said: str
    """The solver's own name of the outcome."""


class ProgramBounds(NamedTuple):
    """Bounds of x (n,)."""

    lower: Float
    upper: Float


def has_casadi() -> bool:
    """Whether CasADi, which brings IPOPT, is installed."""
    from importlib.util import find_spec

    return find_spec("casadi") is not None


_IPOPT = {
    "Solve_Succeeded": "converged",
    "Solved_To_Acceptable_Level": "converged",
    "Infeasible_Problem_Detected": "infeasible",
    "Maximum_Iterations_Exceeded": "iterations",
    "Maximum_CpuTime_Exceeded": "iterations",
    "User_Requested_Stop": "time",
    "Not_Enough_Degrees_Of_Freedom": "infeasible",
}
"""Status of IPOPT → our word; anything else is "stalled"."""


def ipopt(
    program: NonlinearProgram,
    x0: Float,
    bounds: ProgramBounds,
    most: int,
    tolerance: float,
    report: Report,
    options: dict[str, Any],
) -> SolverOutcome:
    """By IPOPT, an interior-point method."""
    casadi = require_package("casadi", "solver 'ipopt'", "motion")
    raised: list[BaseException] = []
    functions = _casadi_functions(casadi, program, report, raised)
    settings: dict[str, Any] = {
        **functions,
        "no_nlp_grad": True,
        "print_time": False,
        "show_eval_warnings": False,
        "error_on_fail": False,
        "ipopt": {
            "print_level": 0,
            "sb": "yes",
            "max_iter": most,
            "tol": tolerance,
            "constr_viol_tol": tolerance,
            "acceptable_tol": 10 * tolerance,
            "mu_init": 1e-4,
            "bound_relax_factor": 0.0,
            **options,
        },
    }
    solver = casadi.nlpsol("solver", "ipopt", settings.pop("nlp"), settings)
    sides = {"lbg": program.lower, "ubg": program.upper} if program.m else {}
    with _deferred_interrupt(raised):
        found = solver(x0=x0, lbx=bounds.lower, ubx=bounds.upper, **sides)
    if raised:
        raise raised[0]
    stats = solver.stats()
    x, multipliers, of_bounds = (np.array(found[k], dtype=float).ravel() for k in ("x", "lam_g", "lam_x"))
    said = str(stats["return_status"])
    word = _IPOPT.get(said, "stalled")
    said = TIME_LIMIT_MESSAGE if word == "time" else said
    return SolverOutcome(x, multipliers, of_bounds, int(stats["iter_count"]), word, said)


@contextmanager
def _deferred_interrupt(raised: list[BaseException]) -> Iterator[None]:
    """Ctrl-C puts a KeyboardInterrupt into a list, upon which the iterations end: CasADi would swallow it."""
    ours = threading.current_thread() is threading.main_thread()
    if not ours or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, lambda *_: raised.append(KeyboardInterrupt()))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _casadi_functions(
    casadi: Any, program: NonlinearProgram, report: Report, raised: list[BaseException]
) -> dict[str, Any]:
    """A program, its derivatives, and what counts its iterations, as CasADi's functions."""
    dense, function = casadi.Sparsity.dense, _casadi_function(casadi, raised)
    vector, nothing, one, rows = dense(program.n, 1), dense(0, 1), dense(1, 1), dense(program.m, 1)
    slopes, bends = (_casadi_pattern(casadi, x) for x in (program.jacobian_pattern, program.hessian_pattern))
    done = [0]

    def told(*_: Any) -> tuple[float]:
        done[0] += 1
        return (float(report(done[0]) or bool(raised)),)

    def curvature(x: Float, p: Float, factor: Float, multipliers: Float) -> tuple[Float]:
        return (program.hessian(x, float(factor[0]), multipliers),)

    xp = {"x": vector, "p": nothing}
    results = {"x": vector, "f": one, "g": rows, "lam_x": vector, "lam_g": rows, "lam_p": nothing}
    made = {
        "nlp": (xp, {"f": one, "g": rows}, lambda x, p: (program.cost(x), program.rows(x))),
        "grad_f": (xp, {"f": one, "grad": vector}, lambda x, p: (program.cost(x), program.gradient(x))),
        "jac_g": (xp, {"g": rows, "jac": slopes}, lambda x, p: (program.rows(x), program.jacobian(x))),
        "hess_lag": ({**xp, "lam_f": one, "lam_g": rows}, {"hess": bends}, curvature),
        "iteration_callback": ({k: results[k] for k in casadi.nlpsol_out()}, {"stop": one}, told),
    }
    return {name: function(name, *parts) for name, parts in made.items()}


def _casadi_pattern(casadi: Any, pattern: Any) -> Any:
    """Which entries of a matrix may differ from zero."""
    pointers = np.searchsorted(pattern.columns, np.arange(pattern.shape[1] + 1))
    return casadi.Sparsity(*pattern.shape, pointers.tolist(), pattern.rows.tolist())


def _casadi_function(casadi: Any, raised: list[BaseException]) -> Any:
    """The class of Python's functions as CasADi's: a name, and names and patterns of arguments and results.

    What they raise is put into a list, as CasADi does not pass it on.
    """

    class Function(casadi.Callback):  # type: ignore[misc]
        def __init__(self, name: str, ins: dict[str, Any], outs: dict[str, Any], function: Callable[..., Any]) -> None:
            casadi.Callback.__init__(self)
            self.ins, self.outs, self.function = list(ins.items()), list(outs.items()), function
            self.construct(name, {})

        def get_n_in(self) -> int:
            return len(self.ins)

        def get_n_out(self) -> int:
            return len(self.outs)

        def get_name_in(self, i: int) -> str:
            return self.ins[i][0]

        def get_name_out(self, i: int) -> str:
            return self.outs[i][0]

        def get_sparsity_in(self, i: int) -> Any:
            return self.ins[i][1]

        def get_sparsity_out(self, i: int) -> Any:
            return self.outs[i][1]

        def eval(self, arguments: Any) -> Any:
            try:
                found = self.function(*(np.array(x, dtype=float).ravel() for x in arguments))
            except BaseException as error:
                raised.append(error)
                raise
            return [casadi.DM(shape, values) for (_, shape), values in zip(self.outs, found, strict=True)]

    return Function


MULTIPLIER_UPDATES, FIRST_PENALTY, VIOLATION_FALL = 40, 10.0, 0.25
"""Of the augmented Lagrangian: updates of the multipliers, first penalty, and how much the violation has to fall."""


class _Augmented:
    """The augmented Lagrangian (Hestenes, Powell, Rockafellar), with the bounds of x as further rows.

    f(x) + (|λ⁺|² − |λ|²) / 2ρ,   λ⁺ = λ + ρ (g − Π(g + λ/ρ)),   Π the projection between the bounds
    """

    def __init__(self, program: NonlinearProgram, bounds: ProgramBounds, x0: Float) -> None:
        self.program = program
        self.bounded = np.nonzero(np.isfinite(bounds.lower) | np.isfinite(bounds.upper))[0]
        J = program.jacobian_pattern.matrix(program.jacobian(x0))
        steep = abs(J).max(axis=1).toarray().ravel() if program.m else np.zeros(0)
        self.scale = 1.0 / max(1.0, abs(float(program.cost(x0))))
        self.rows_scale = np.append(1.0 / np.maximum(1.0, steep), np.ones(len(self.bounded)))
        self.lower = self.rows_scale * np.append(program.lower, bounds.lower[self.bounded])
        self.upper = self.rows_scale * np.append(program.upper, bounds.upper[self.bounded])
        self.multipliers: Float = np.zeros(len(self.lower))
        self.penalty = FIRST_PENALTY

    def rows(self, x: Float) -> Float:
        return self.rows_scale * np.append(self.program.rows(x), x[self.bounded])

    def updated(self, g: Float) -> Float:
        """The multipliers λ⁺."""
        shifted = g + self.multipliers / self.penalty
        return self.penalty * (shifted - np.clip(shifted, self.lower, self.upper))

    def value(self, x: Float) -> float:
        new, old = self.updated(self.rows(x)), self.multipliers
        return self.scale * float(self.program.cost(x)) + float(new @ new - old @ old) / (2 * self.penalty)

    def jacobian(self, x: Float) -> Float:
        J = self.program.jacobian_pattern.matrix(self.program.jacobian(x)).toarray()
        return self.rows_scale[:, None] * np.concatenate([J, np.eye(self.program.n)[self.bounded]])

    def gradient(self, x: Float) -> Float:
        return self.scale * self.program.gradient(x) + self.updated(self.rows(x)) @ self.jacobian(x)

    def hessian(self, x: Float) -> Float:
        new = self.updated(self.rows(x))
        J = self.jacobian(x)[new != 0.0]
        own = (self.rows_scale * new)[: self.program.m]
        curved = self.program.symmetric(self.program.hessian(x, self.scale, own)).toarray()
        return np.asarray(curved + self.penalty * J.T @ J)

    def violation(self, x: Float) -> float:
        """The largest violation of a bound, in units of its row."""
        g = self.rows(x)
        return float((np.abs(g - np.clip(g, self.lower, self.upper)) / self.rows_scale).max(initial=0.0))


def scipy(
    program: NonlinearProgram,
    x0: Float,
    bounds: ProgramBounds,
    most: int,
    tolerance: float,
    report: Report,
    options: dict[str, Any],
) -> SolverOutcome:
    """By SciPy: Newton's method in a trust region ("trust-exact") on an augmented Lagrangian."""
    optimize = require_package("scipy.optimize", "solver 'scipy'", "motion")
    done, enough = [0], [False]

    def told(*_: Any, **__: Any) -> None:
        done[0] += 1
        enough[0] = report(done[0])
        if enough[0]:
            raise StopIteration

    problem, x = _Augmented(program, bounds, x0), x0
    before, word, said = np.inf, "infeasible", "the violation of constraints does not fall further"
    for _ in range(MULTIPLIER_UPDATES):
        found = optimize.minimize(
            *(problem.value, x),
            **{"jac": problem.gradient, "hess": problem.hessian, "method": "trust-exact", "callback": told},
            options={"maxiter": max(1, most - done[0]), "gtol": tolerance, "max_trust_radius": 10.0, **options},
        )
        x, off = found.x, problem.violation(found.x)
        problem.multipliers = problem.updated(problem.rows(x))
        if enough[0]:
            word, said = "time", TIME_LIMIT_MESSAGE
            break
        if done[0] >= most:
            word, said = "iterations", "the limit of iterations was reached"
            break
        if off <= tolerance:
            steep = float(np.abs(found.jac).max(initial=0.0))
            word = "converged" if steep <= 1e3 * tolerance else "stalled"
            said = str(found.message)
            break
        if off > VIOLATION_FALL * before:
            problem.penalty *= 10.0
        if problem.penalty > 1e10:
            break
        before = off
    multipliers = problem.multipliers * problem.rows_scale / problem.scale
    of_bounds = np.zeros(program.n)
    of_bounds[problem.bounded] = multipliers[program.m :]
    return SolverOutcome(x, multipliers[: program.m], of_bounds, done[0], word, said)


SOLVERS = {"ipopt": ipopt, "scipy": scipy}
"""Solvers by name."""
