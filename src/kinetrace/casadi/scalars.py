"""Programs as expressions of CasADi's scalars (SX), which CasADi differentiates itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..compilation.program import program
from ..errors import InputError
from ..trace.evaluate import on_scalars
from .parts import Part


def operations(casadi: Any) -> Mapping[str, Callable[..., Any]]:
    """How SX does each operation of a program; `minimum` and `maximum` pass NaN on."""

    def choose(condition: Any, a: Any, b: Any) -> Any:
        return casadi.if_else(condition, a, b)

    return {
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "mul": lambda a, b: a * b,
        "div": lambda a, b: a / b,
        "neg": lambda a: -a,
        **{name: getattr(casadi, name) for name in ("sqrt", "sin", "cos", "atan2", "exp", "log", "floor")},
        "abs": casadi.fabs,
        "lt": lambda a, b: a < b,
        "minimum": lambda a, b: choose(a < b, a, choose(b <= a, b, a + b)),
        "maximum": lambda a, b: choose(b < a, a, choose(a <= b, b, a + b)),
        "select": lambda c, a, b: choose(c != 0, a, b),
    }


def of_scalars(casadi: Any, part: Part) -> Any:
    """The function of SX for a part, traced anew without loops over bodies."""
    (family,) = part.families
    line = program(family.flat, family.model)
    if line.loops.regions:
        raise InputError(
            f"{part.name} has a loop that ends when it has converged, or runs along an array: it has no SX; "
            "kt.casadi.function has no such limit"
        )
    given = [casadi.SX.sym(m.name, *m.shape) for m in part.inputs]
    scalars = {number: x.nz[k] for x, m in zip(given, part.inputs, strict=True) for k, number in enumerate(m.stored)}
    results = [x for entries in on_scalars(line, scalars.__getitem__, casadi.SX, operations(casadi)) for x in entries]
    outputs = [
        casadi.SX(casadi.Sparsity(*m.shape, *m.columns), casadi.vertcat(*(results[n] for n in m.stored)))
        for m in part.outputs
    ]
    return casadi.Function(part.name, given, outputs, [m.name for m in part.inputs], [m.name for m in part.outputs])
