"""Methods of a robot that looks at configurations and velocities before they run: see `Robot.checked`.

Such a robot has dispatchers of its own, which compiled code does not replace; those of other robots know nothing of it.
"""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from .. import algorithms
from ..codegen.runtime.kernel import Kernel
from ..errors import InputError
from ..model.configurations import check_q, check_v
from ..model.model import Model
from .dispatch import Dispatcher, Kernels, Method
from .source import Source

OPEN, OPEN_SINGLE = 1e-6, 1e-4
"""How far from closed [m, rad] loops may be, in double and in single precision."""
ANY_QUATERNION = frozenset({"normalise"})
"""Methods that take quaternions of any length."""
DISPLACEMENTS = frozenset({"integrate"})
"""Methods whose v is no velocity."""
OPEN_LOOPS = frozenset(
    {"closure_bias", "closure_jacobian", "closure_residual", "closure_velocity", "difference", "integrate"}
)
"""Methods that are about configurations with open loops, too."""


class CheckedDispatcher(Dispatcher):
    """One method of a robot that checks what it is given."""

    def __init__(self, source: Source, method: Method, robot: weakref.ref[Any], origin: tuple[Any, ...]) -> None:
        super().__init__(source, method, robot, origin)
        self._residual = Kernels(source, algorithms.closure_residual)

    def __call__(self, *given: Any, out: Any = None, threads: int | None = None, **named: Any) -> Any:
        """What the method says, after a look at configurations and velocities."""
        if self._method.name not in ANY_QUATERNION:
            self._look(self._bound(given, named))
        return super().__call__(*given, out=out, threads=threads, **named)

    def _look(self, values: dict[str, Any]) -> None:
        model, name = self._source.model, self._method.name
        for q in (x for x in ("q", "q0", "q1") if x in self._method.arrays):
            check_q(model, values[q], what=q)
            if name not in OPEN_LOOPS and values.get("drive") is None:
                check_closed(model, self._residual, values[q], what=q)
        if "v" in self._method.arrays and name not in DISPLACEMENTS:
            check_v(model, values["v"])

    def _first_single(self, kernel: Kernel, given: tuple[Any, ...]) -> Any:
        """The first call on one state: compiled code, without taking the place of the method."""
        self._installed.add(kernel)
        return kernel.call(*given)


def dispatcher_of(source: Source) -> type[Dispatcher]:
    """The kind of dispatcher that a robot's methods have."""
    return CheckedDispatcher if source.check else Dispatcher


def check_closed(model: Model, residual: Kernels, q: Any, tolerance: float | None = None, what: str = "q") -> None:
    """An error unless all loops are closed at q (..., nq) to a tolerance [m, rad]."""
    if not model.closures:
        return
    kernel = residual.find({}, {})
    most = tolerance if tolerance is not None else OPEN if kernel.dtype == np.float64 else OPEN_SINGLE
    error = np.abs(np.asarray(kernel(q)))
    bad = ~(error <= most)
    if not bad.any():
        return
    *state, row = (int(i) for i in np.argwhere(bad)[0])
    name = next(name for name, rows in model.closure_slices.items() if rows.start <= row < rows.stop)
    lane = f"{what}[{', '.join(map(str, state))}]" if state else what
    at = error[(*state, row)]
    hint = "robot.project and robot.assemble close loops"
    raise InputError(f"{lane}: closure {name!r} is open by {at:.3g} (m or rad), more than {most:g}; {hint}")
