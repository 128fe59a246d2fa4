"""What can be said of a problem of optimal motion before it is solved: whether its ends, if known, are possible."""

from __future__ import annotations

import numpy as np

from ...algorithms.displacement import rates_at
from ...errors import InputError
from .constraints import Constraint
from .instant import Derivatives, Float, Instant, Nodes, asked_for
from .problem import Asked


def check_ends(asked: Asked, accuracy: float) -> None:
    """An error that names the constraint which a known end violates; by more than `accuracy`, if it is an equation."""
    for k, end in enumerate(("start", "end")):
        q = asked.q[k]
        for constraint in asked.constraints:
            if q is not None and constraint.at in ("path", end) and _is_known(asked, constraint, k):
                _check(asked, constraint, k, q, accuracy)


def _is_known(asked: Asked, constraint: Constraint, k: int) -> bool:
    """Whether the values of a constraint follow from what is given of an end with a configuration."""
    known = {"q": asked.q[k], "v": asked.v[k], "t": 0.0 if k == 0 else asked.T}
    return all(known.get(name) is not None for name in asked_for(constraint.function))


def _check(asked: Asked, constraint: Constraint, k: int, q: Float, accuracy: float) -> None:
    robot, T, zero = asked.robot, asked.T or 1.0, np.zeros(asked.robot.nv)
    v = asked.v[k]
    theta = np.asarray(robot.difference(asked.reference, q))
    rate = rates_at(robot.model, theta, zero if v is None else v, zero)[0] * T
    rates = tuple(x[None] for x in (theta, rate, zero, zero))
    nodes = Nodes(np.asarray(asked.reference), rates, np.asarray(T), np.array([float(k)]))
    value = Derivatives(robot, Instant(constraint.function), asked.T is None).value(nodes)[0]
    lower, upper = (np.broadcast_to(x, value.shape) for x in (constraint.lower, constraint.upper))
    beyond = np.maximum(np.maximum(lower - value, value - upper), 0.0)
    allowed = np.where(lower == upper, max(accuracy, 1e-6), 1e-6) * np.maximum(1.0, np.abs(value))
    for i in np.nonzero(~(beyond <= allowed))[0]:
        which = constraint.name if len(value) == 1 else f"{constraint.name}[{i}]"
        told = f"it is {value[i]:.6g} there, and must be between {lower[i]:.6g} and {upper[i]:.6g}"
        raise InputError(f"q{k} violates the constraint {which!r}: {told}")
