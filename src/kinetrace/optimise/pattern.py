"""What the count of operations of a part of a robot depends on: not its numbers, but which are 0, 1, and equal.

A trace folds zeros and ones and shares equal constants, whatever their signs; of second moments along the axes, signs
decide too, as sums of two may vanish. Left and right limbs, fingers, and bodies whose moments changed in value alone
have one pattern, and are traced once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..arrays import Array
from ..model import WORLD, Body, Model
from ..model.customise import factors, pseudo_inertia
from ..model.record import flattened

Cost = Callable[[Model], tuple[int, ...]]
"""What a model costs; less is better, entries first to last."""
_Pattern = tuple[Any, Array, Array]
"""What is no number; numbers; those of them whose signs count."""
_ZERO, _ONE = -1, -2


def by_pattern(cost: Cost) -> Cost:
    """The same cost, found once for all models of one pattern.

    >>> import kinetrace as kt
    >>> asked = []
    >>> once = by_pattern(lambda model: (asked.append(model.name) or 1,))
    >>> robot = kt.load("planar2r")
    >>> pi = robot.parameters("inertial")
    >>> [once(robot.with_parameters(inertial=scale * pi).model) for scale in (2.3, 3.7)], asked
    ([(1,), (1,)], ['planar2r'])
    """
    bodies: dict[tuple[Any, ...], _Pattern] = {}
    known: dict[tuple[Any, ...], tuple[int, ...]] = {}

    def body_pattern(body: Body) -> _Pattern:
        numbers = (x.tobytes() for x in (body.X_pj, body.X_ji, body.J))
        key = body.joint, body.effects, body.effects and body.limits, body.parent == WORLD, *numbers
        if key not in bodies:
            bodies[key] = _body_pattern(body)
        return bodies[key]

    def found(model: Model) -> tuple[int, ...]:
        kinds, numbers, signed = zip(*map(body_pattern, model.bodies), strict=True)
        labels = _labels(np.concatenate([*numbers, *signed, model.gravity]))
        signs = np.concatenate(signed) < 0.0
        key = kinds, tuple(b.parent for b in model.bodies), labels.tobytes(), signs.tobytes()
        if key not in known:
            known[key] = cost(model)
        return known[key]

    return found


def _body_pattern(body: Body) -> _Pattern:
    """All that algorithms read of a body in the form that costs least, see `model.customise`."""
    at = factors(body.X_pj, body.joint, body.X_ji, body.parent == WORLD)
    poses = [pose.pull(lambda X, found: [*found, X[:3].ravel()], list[Array]()) for pose in (at.before, at.after)]
    P = pseudo_inertia(body.J)
    stops = (body.limits.lower, body.limits.upper) if body.effects else ()
    structure, leaves = flattened((body.joint, body.effects, stops))
    arrays = [np.ravel(x) for x in leaves if isinstance(x, float | np.ndarray | np.floating)]
    others = tuple(x for x in leaves if not isinstance(x, float | np.ndarray | np.floating))
    bounded = np.isfinite(np.concatenate([*stops, []])).tobytes()
    kind = structure, others, tuple(map(len, poses)), at.premultiply, bounded
    upper = P[np.triu_indices(4, 1)]
    return kind, np.concatenate([*poses[0], *poses[1], upper, P[3:, 3], [at.zero], *arrays]), P.diagonal()[:3]


def _labels(x: Array) -> Array:
    """Numbers by what they are: 0, ±1, or the first that has that size."""
    size = np.abs(x)
    _, first, which = np.unique(size, return_index=True, return_inverse=True)
    return np.where(size == 0.0, _ZERO, np.where(size == 1.0, _ONE, first[which]))
