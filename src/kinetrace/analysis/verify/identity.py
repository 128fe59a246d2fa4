"""The list of identities."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from .state import State

Check: TypeAlias = Callable[[State], float]


@dataclass(frozen=True)
class Identity:
    """Something that must be true of every robot that has what it needs."""

    name: str
    group: str
    equation: str
    source: str
    needs: tuple[str, ...]
    """Of "inverse" (of M), "tree" (one without couplings, too), "root" (M positive definite), "compiler", "closures",
    "motors" (that drive all that moves), and "few" (velocities, for tensors that grow with their fourth power)."""
    check: Check


@dataclass(frozen=True)
class Result:
    """What came of an identity on a robot: the worst residual of all states, or why there is none."""

    identity: Identity
    residual: float = float("nan")
    skipped: str | None = None
    error: str | None = None
    """What the computation stumbled on, if it did: the identity does not hold then."""

    def holds(self, tolerance: float) -> bool:
        """Whether the residual is within the tolerance, if there is one; NaN never is."""
        return self.skipped is not None or self.residual <= tolerance


IDENTITIES: list[Identity] = []
GROUPS = (
    "kinematics",
    "inverse dynamics",
    "mass matrix",
    "factors",
    "forward dynamics",
    "operational space",
    "Coriolis",
    "quasi-velocities",
    "energy and momentum",
    "derivatives",
    "curvature",
    "steps",
    "regressors",
    "coordinate invariance",
    "operators",
    "compiled",
    "closed chains",
)
"""Their groups, in the order of `IDENTITIES`."""


def identity(group: str, *needs: str) -> Callable[[Check], Check]:
    """Enter a function into the list of identities; its docstring is "equation [source]".

    Without docstrings, as under `python -OO`, its name stands for the equation.
    """

    def enter(check: Check) -> Check:
        doc = check.__doc__ or f"{check.__name__.replace('_', ' ')} []"
        line = re.fullmatch(r"(.*\S)\s*\[(.*)\]", doc.strip().splitlines()[0])
        if line is None:
            raise ValueError(f"the docstring of {check.__name__} must be 'equation [source]'")
        IDENTITIES.append(Identity(check.__name__, group, line[1], line[2], needs, check))
        IDENTITIES.sort(key=lambda each: GROUPS.index(each.group))
        return check

    return enter
