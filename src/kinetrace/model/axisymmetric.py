"""A last body that is symmetric about its joint's axis: its angle makes no difference.

Wheels, rotors, flanges: joint forces depend on how fast such a body turns, not on how far, so its frame need not turn
with it, and no sine, cosine or rotation is left of the joint. A wrench on a frame of the body does turn with it; for
those, `with_rotating_frames` undoes this.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from ..arrays import Array
from ..lie import inertia, se3
from .body import Body
from .joints import Joint, Revolute
from .model import Model
from .rounding import ACCUMULATED


@final
@dataclass(frozen=True, eq=False)
class AxisymmetricRevolute(Joint):
    """A joint that turns about an axis, seen from a frame that does not turn."""

    axis: Array

    nq = nv = 1

    def placement(self, q: Array) -> Array:
        """The identity, whatever q."""
        return np.eye(4)

    def subspace(self, q: Array) -> Array:
        """S (6, 1), a turn about the axis."""
        return Revolute(self.axis).subspace(q)


def with_nonrotating_frames(model: Model) -> Model:
    """The model with all such bodies in frames that do not turn.

    >>> import kinetrace as kt
    >>> model = with_nonrotating_frames(kt.load("puma560").model)
    >>> [type(b.joint).__name__ for b in model.bodies][-2:]
    ['Revolute', 'AxisymmetricRevolute']
    """
    carriers = {body.parent for body in model.bodies}

    def still(body: Body) -> Joint:
        symmetric = body.index not in carriers and _is_symmetric(body)
        return AxisymmetricRevolute(body.joint.rotation_axis) if symmetric else body.joint

    return _with_joints(model, still)


def with_rotating_frames(model: Model) -> Model:
    """The model with all frames turning; itself if they do.

    >>> import kinetrace as kt
    >>> model = kt.load("puma560").model
    >>> with_rotating_frames(model) is model
    True
    >>> back = with_rotating_frames(with_nonrotating_frames(model))
    >>> {type(b.joint).__name__ for b in back.bodies}
    {'Revolute'}
    """
    if not any(isinstance(b.joint, AxisymmetricRevolute) for b in model.bodies):
        return model

    def turned(body: Body) -> Joint:
        return Revolute(body.joint.axis) if isinstance(body.joint, AxisymmetricRevolute) else body.joint

    return _with_joints(model, turned)


def _with_joints(model: Model, joint: Callable[[Body], Joint]) -> Model:
    return replace(model, bodies=tuple(replace(b, joint=joint(b)) for b in model.bodies))


def _is_symmetric(body: Body) -> bool:
    """Whether a turn about the joint's axis leaves the inertia of a body as it is."""
    if body.joint.rotation_axis is None:
        return False
    turned = se3.inverse(body.X_ji) @ body.joint.placement(np.ones(1)) @ body.X_ji
    parameters = inertia.to_parameters(body.J)
    before, after = (
        inertia.pseudo_inertia(inertia.from_parameters(x))
        for x in (parameters, inertia.change_frame_parameters(turned, parameters))
    )
    moments = (slice(3, 4), slice(3, 4)), (slice(0, 3), slice(3, 4)), (slice(0, 3), slice(0, 3))  # of order 0, 1, 2
    return all(np.abs(before[k] - after[k]).max() <= ACCUMULATED * np.abs(before[k]).max() for k in moments)
