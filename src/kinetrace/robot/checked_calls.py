"""Methods of a robot that checks configurations and velocities before they run: see `Robot.checked`.

Such a robot has dispatchers of its own, which compiled code does not replace; those of other robots are not concerned.
What a method expects of its arguments is declared with it (`dispatch.compiled`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .. import algorithms
from ..codegen.runtime.arguments import is_deferred
from ..codegen.runtime.kernel import Kernel
from ..errors import InputError
from ..model.arguments import CONFIGURATIONS
from ..model.configurations import apart, check_q, check_v, tolerances_of
from ..model.model import Model
from ..support.plain import plain_array
from .dispatch import UNKNOWN, Dispatcher, Kernels
from .source import Source

GEOMETRY = frozenset({"placements", "screws", "closures"})
"""Parameters of a model that decide where loops are closed."""


class CheckedDispatcher(Dispatcher):
    """One method of a robot that checks what it is given."""

    _residual: Kernels | None = None
    """Kernels of the closures' residual, those of the robot, once they are needed."""

    def __call__(self, *given: Any, out: Any = None, threads: int | None = None, **named: Any) -> Any:
        """Evaluate the method, after checking configurations and velocities."""
        self._check(self._bound(given, named))
        return super().__call__(*given, out=out, threads=threads, **named)

    def check(self, given: tuple[Any, ...], named: dict[str, Any], numbers: Callable[[Any], Any]) -> None:
        """Check the arrays of a framework, where they have numbers; loops only if the robot's own geometry is used."""
        own, other = self._apart(named)
        self._method.explain(given, own, self._method.parameters)
        self._check(self._bound(given, own), numbers, own_loops=GEOMETRY.isdisjoint(other))

    def _check(
        self, values: dict[str, Any], numbers: Callable[[Any], Any] = lambda x: x, own_loops: bool = True
    ) -> None:
        for name, x in values.items():
            if is_deferred(x):
                told = f"{self._method.name}: {name} is of Dask, and has no numbers yet that could be checked"
                raise InputError(f"{told}: compute it, or take robot.checked(False)")
        model, expected, single = self._source.model, self._method.expected, self._source.dtype != "float64"
        closed = own_loops and not expected.open_loops and drives_nothing(values.get("drive"))
        for name in self._method.arrays:
            is_q = name in CONFIGURATIONS
            x = numbers(values[name]) if is_q or name in expected.velocities else UNKNOWN
            if x is UNKNOWN:
                continue
            if is_q:
                unit = not expected.any_length
                check_q(model, x, limits=unit, unit=unit, what=name, single=single)
                if model.closures and closed:
                    check_closed(model, self._closure_residual(), x, what=name)
            else:
                check_v(model, x, what=name, single=single)

    def _closure_residual(self) -> Kernels:
        if self._residual is None:
            robot, function = self._robot(), algorithms.closure_residual
            self._residual = Kernels(self._source, function) if robot is None else robot._kernels_of(function)
        return self._residual

    def _first_single(self, kernel: Kernel, given: tuple[Any, ...], out: Any) -> Any:
        """The first call on one state: compiled code, without taking the place of the method."""
        self._installed.add(kernel)
        return kernel.call(*given, out=out)


def dispatcher_of(source: Source) -> type[Dispatcher]:
    """The kind of dispatcher that a robot's methods have."""
    return CheckedDispatcher if source.check else Dispatcher


def drives_nothing(drive: Any) -> bool:
    """Whether a drive moves no closure, so that loops must be closed where they are."""
    return drive is None or (isinstance(drive, Mapping) and not drive)


def check_closed(model: Model, residual: Kernels, q: Any, tolerance: float | None = None, what: str = "q") -> None:
    """An error unless all loops are closed at q (..., nq) to a tolerance [m, rad]."""
    if not model.closures:
        return
    kernel, x = residual.find({}, {}), plain_array(what, q)
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
