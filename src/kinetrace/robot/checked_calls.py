"""Methods of a robot that checks configurations and velocities before they run: see `Robot.checked`.

Such a robot has dispatchers of its own, which compiled code does not replace; those of other robots are not concerned.
What a method expects of its arguments is declared with it (`dispatch.compiled`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .. import algorithms
from ..algorithms.registry.declaration import algorithm_of
from ..engine.runtime.arguments import is_deferred
from ..engine.runtime.kernel import Kernel
from ..errors import InputError
from ..model.arguments import CONFIGURATIONS
from ..model.configurations import apart, check_q, check_v, tolerances_of
from ..model.model import Model
from ..support.conversion import as_array
from .dispatch import UNKNOWN, AlgorithmKernels, Dispatcher, explain
from .settings import RobotSettings

GEOMETRY = frozenset({"placements", "screws", "closures"})
"""Parameters of a model that decide where loops are closed."""


class CheckedDispatcher(Dispatcher):
    """One method of a robot that checks what it is given."""

    _residual: AlgorithmKernels | None = None
    """Kernels of the closures' residual, those of the robot, once they are needed."""

    def __call__(self, *given: Any, out: Any = None, threads: int | None = None, **named: Any) -> Any:
        """Evaluate the method, after checking configurations and velocities."""
        self._check(self._bound(given, named))
        return super().__call__(*given, out=out, threads=threads, **named)

    def check(self, given: tuple[Any, ...], named: dict[str, Any], numbers: Callable[[Any], Any]) -> None:
        """Check the arrays of a framework, where they have numbers; loops only if the robot's own geometry is used."""
        own, other = self._apart(named)
        explain(self._algorithm, given, own, self._algorithm.arguments)
        self._check(self._bound(given, own), numbers, own_loops=GEOMETRY.isdisjoint(other))

    def _check(
        self, values: dict[str, Any], numbers: Callable[[Any], Any] = lambda x: x, own_loops: bool = True
    ) -> None:
        for name, x in values.items():
            if is_deferred(x):
                told = f"{self._algorithm.name}: {name} is of Dask, and has no numbers yet that could be checked"
                raise InputError(f"{told}: compute it, or take robot.checked(False)")
        model, rules, single = self._settings.model, self._algorithm.rules, self._settings.dtype != "float64"
        closed = own_loops and not rules.open_loops and drives_nothing(values.get("drive"))
        for name in self._algorithm.arrays:
            is_q = name in CONFIGURATIONS
            x = numbers(values[name]) if is_q or name in rules.velocities else UNKNOWN
            if x is UNKNOWN:
                continue
            if is_q:
                unit = not rules.any_length
                check_q(model, x, limits=unit, unit=unit, what=name, single=single)
                if closed:
                    check_closed(model, self._closure_residual(), x, what=name)
            else:
                check_v(model, x, what=name, single=single)

    def _closure_residual(self) -> AlgorithmKernels:
        if self._residual is None:
            robot, algorithm = self._robot(), algorithm_of(algorithms.closure_residual)
            kernels = AlgorithmKernels(self._settings, algorithm) if robot is None else robot._kernels_of(algorithm)
            self._residual = kernels
        return self._residual

    def _first_single(self, kernel: Kernel, given: tuple[Any, ...], out: Any) -> Any:
        """The first call on one state: compiled code, without taking the place of the method."""
        self._installed.add(kernel)
        return kernel.call(*given, out=out)


def dispatcher_of(settings: RobotSettings) -> type[Dispatcher]:
    """The kind of dispatcher that a robot's methods have."""
    return CheckedDispatcher if settings.check else Dispatcher


def drives_nothing(drive: Any) -> bool:
    """Whether a drive moves no closure, so that loops must be closed where they are."""
    return drive is None or (isinstance(drive, Mapping) and not drive)


def check_closed(
    model: Model, residual: AlgorithmKernels, q: Any, tolerance: float | None = None, what: str = "q"
) -> None:
    """An error unless all loops are closed at q (..., nq) to a tolerance [m, rad]."""
    if not model.closures:
        return
    kernel, x = residual.find({}, {}), as_array(what, q)
    usual = tolerances_of(x, kernel.dtype != np.float64).open
    most = usual if tolerance is None else tolerance
    error = np.abs(np.asarray(kernel(x)))
    bad = ~(error <= most)
    if not bad.any():
        return
    *state, row = (int(i) for i in np.argwhere(bad)[0])
    name = next(name for name, rows in model.closure_slices.items() if rows.start <= row < rows.stop)
    lane = f"{what}[{', '.join(map(str, state))}]" if state else what
    at, bound = apart(error[(*state, row)], most, 3)
    hint = "robot.project and robot.assemble close loops"
    raise InputError(f"{lane}: closure {name!r} is open by {at} (m or rad), more than {bound}; {hint}")
