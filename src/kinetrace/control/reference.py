"""Reference motions of controllers: a configuration to hold, or a function of time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..arrays import Array
from ..errors import InputError
from ..robot import Robot
from .controller import Float


@dataclass(frozen=True, eq=False)
class Reference:
    """Desired motion: called with a time and its parameters, it returns q (nq,), v (nv,) and a (nv,)."""

    motion: Callable[[Any], tuple[Array, Array, Array]] | None
    nv: int
    parameters: dict[str, Float] = field(default_factory=dict)
    """`goal` (nq,), if a configuration is to be held."""

    def __call__(self, t: Any, goal: Array = None) -> tuple[Array, Array, Array]:
        """Desired q, v and a."""
        return (goal, np.zeros(self.nv), np.zeros(self.nv)) if self.motion is None else self.motion(t)


def reference_of(robot: Robot, reference: Any) -> Reference:
    """The reference that a user means: a configuration (nq,), or a function t → (q, v, a).

    >>> import kinetrace as kt
    >>> held = reference_of(kt.load("planar2r"), [0.1, 0.2])
    >>> held(0.0, **held.parameters)
    (array([0.1, 0.2]), array([0., 0.]), array([0., 0.]))
    """
    if callable(reference):
        found = reference(0.0)
        sizes = (robot.nq, robot.nv, robot.nv)
        if not (isinstance(found, tuple | list) and [np.shape(x) for x in found] == [(n,) for n in sizes]):
            raise InputError(f"reference(t) must return q ({robot.nq},), v ({robot.nv},) and a ({robot.nv},)")
        return Reference(reference, robot.nv)
    goal = np.asarray(reference, dtype=float)
    if goal.shape != (robot.nq,) or not np.isfinite(goal).all():
        raise InputError(
            f"reference must be a configuration ({robot.nq},) or a function t -> (q, v, a); got {reference!r}"
        )
    return Reference(None, robot.nv, {"goal": goal})


def gains(robot: Robot, name: str, x: Any) -> Float:
    """Gains (nv,) of all velocities, not negative: one number, or one per velocity.

    >>> import kinetrace as kt
    >>> gains(kt.load("planar2r"), "stiffness", 5.0)
    array([5., 5.])
    """
    found = np.asarray(x, dtype=float)
    if found.shape not in ((), (robot.nv,)) or not np.all(np.isfinite(found) & (found >= 0)):
        raise InputError(f"{name} must be one number or {robot.nv} numbers, none negative; got {x!r}")
    return np.array(np.broadcast_to(found, robot.nv))
