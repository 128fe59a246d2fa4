"""Solvers of nonlinear programs: IPOPT through CasADi, and SciPy. Both get exact sparse derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError, install
from .instant import Float
from .transcription import Program

Report = Callable[[int], None]
"""What is told how many iterations are done."""


class Outcome(NamedTuple):
    """What a solver found, and what it says about it."""

    x: Float
    multipliers: Float | None
    """Of the rows (m,), positive where they are at their upper bound; None if the solver gives none."""
    bound_multipliers: Float | None
    """Of the bounds of x (n,)."""
    iterations: int
    word: str
    """One of "converged", "infeasible", "iterations", "stalled"."""
    said: str
    """What the solver itself calls it."""


class Bounds(NamedTuple):
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
    "Not_Enough_Degrees_Of_Freedom": "infeasible",
}
"""What IPOPT says → our word; anything else is "stalled"."""


def ipopt(
    program: Program, x0: Float, bounds: Bounds, most: int, tolerance: float, report: Report, options: dict[str, Any]
) -> Outcome:
    """By IPOPT, an interior-point method."""
    try:
        import casadi
    except ImportError:
        raise InputError(f"solver 'ipopt' needs CasADi: {install('motion', 'casadi')}") from None
    n, m = program.n, program.m
    dense = casadi.Sparsity.dense
    vector, nothing, one, rows = dense(n, 1), dense(0, 1), dense(1, 1), dense(m, 1)

    class Function(casadi.Callback):  # type: ignore[misc]
        """Python's function as one of CasADi's."""

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
            found = self.function(*(np.array(x, dtype=float).ravel() for x in arguments))
            return [casadi.DM(shape, values) for (_, shape), values in zip(self.outs, found, strict=True)]

    def sparsity(pattern: Any) -> Any:
        pointers = np.searchsorted(pattern.columns, np.arange(pattern.shape[1] + 1))
        return casadi.Sparsity(*pattern.shape, pointers.tolist(), pattern.rows.tolist())

    xp = {"x": vector, "p": nothing}
    functions = [
        Function("nlp", xp, {"f": one, "g": rows}, lambda x, p: (program.cost(x), program.rows(x))),
        Function("slope", xp, {"f": one, "grad": vector}, lambda x, p: (program.cost(x), program.gradient(x))),
        Function(
            "slopes",
            xp,
            {"g": rows, "jac": sparsity(program.jacobian_pattern)},
            lambda x, p: (program.rows(x), program.jacobian(x)),
        ),
        Function(
            "bends",
            {**xp, "lam_f": one, "lam_g": rows},
            {"hess": sparsity(program.hessian_pattern)},
            lambda x, p, factor, multipliers: (program.hessian(x, float(factor[0]), multipliers),),
        ),
    ]
    done = [0]

    def told(*_: Any) -> tuple[float]:
        done[0] += 1
        report(done[0])
        return (0.0,)

    results = {"x": vector, "f": one, "g": rows, "lam_x": vector, "lam_g": rows, "lam_p": nothing}
    watch = Function("watch", {k: results[k] for k in casadi.nlpsol_out()}, {"stop": one}, told)
    settings = {
        "grad_f": functions[1],
        "jac_g": functions[2],
        "hess_lag": functions[3],
        "iteration_callback": watch,
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
            "mu_strategy": "adaptive",
            "bound_relax_factor": 0.0,
            **options,
        },
    }
    solver = casadi.nlpsol("solver", "ipopt", functions[0], settings)
    sides = {"lbg": program.lower, "ubg": program.upper} if m else {}
    found = solver(x0=x0, lbx=bounds.lower, ubx=bounds.upper, **sides)
    stats = solver.stats()
    x, multipliers, of_bounds = (np.array(found[k], dtype=float).ravel() for k in ("x", "lam_g", "lam_x"))
    said = str(stats["return_status"])
    return Outcome(x, multipliers, of_bounds, int(stats["iter_count"]), _IPOPT.get(said, "stalled"), said)


def scipy(
    program: Program, x0: Float, bounds: Bounds, most: int, tolerance: float, report: Report, options: dict[str, Any]
) -> Outcome:
    """By SciPy: a trust region with Newton steps, with rows by sequential quadratic programs or an interior point."""
    try:
        from scipy import optimize
    except ImportError:
        raise InputError(f"solver 'scipy' needs SciPy: {install('motion', 'scipy')}") from None
    done = [0]

    def told(*_: Any, **__: Any) -> bool:
        done[0] += 1
        report(done[0])
        return False

    scale = 1.0 / max(1.0, abs(float(program.cost(x0))))
    none = np.zeros(program.m)
    zero = {"x0": x0, "callback": told}
    bounded = bool(np.isfinite(bounds.lower).any() or np.isfinite(bounds.upper).any())
    if not program.m and not bounded:
        found = optimize.minimize(
            lambda x: scale * float(program.cost(x)),
            jac=lambda x: scale * program.gradient(x),
            hess=lambda x: program.symmetric(program.hessian(x, scale, none)).toarray(),
            method="trust-exact",
            options={"maxiter": most, "gtol": tolerance, **options},
            **zero,
        )
        small = float(np.abs(found.jac).max(initial=0.0)) <= 1e3 * tolerance
        word = "converged" if found.success or small else "iterations" if found.status == 1 else "stalled"
        return Outcome(found.x, np.zeros(0), np.zeros(program.n), int(found.nit), word, str(found.message))
    rows = optimize.NonlinearConstraint(
        program.rows,
        program.lower,
        program.upper,
        jac=lambda x: program.jacobian_pattern.matrix(program.jacobian(x)),
        hess=lambda x, multipliers: program.symmetric(program.hessian(x, 0.0, multipliers)),
    )
    found = optimize.minimize(
        lambda x: scale * float(program.cost(x)),
        jac=lambda x: scale * program.gradient(x),
        hess=lambda x: program.symmetric(program.hessian(x, scale, none)),
        method="trust-constr",
        constraints=[rows] if program.m else [],
        bounds=optimize.Bounds(bounds.lower, bounds.upper) if bounded else None,
        options={
            "maxiter": most,
            "gtol": tolerance,
            "xtol": 1e-12,
            "barrier_tol": tolerance,
            "initial_tr_radius": 1.0,
            **options,
        },
        **zero,
    )
    given = [np.asarray(v, dtype=float) / scale for v in found.v]
    multipliers = given[0] if program.m else np.zeros(0)
    of_bounds = given[-1] if bounded else np.zeros(program.n)
    word = {0: "iterations", 1: "converged", 2: "converged"}.get(int(found.status), "stalled")
    return Outcome(found.x, multipliers, of_bounds, int(found.nit), word, str(found.message))


SOLVERS = {"ipopt": ipopt, "scipy": scipy}
"""Solvers by name."""
