"""Jacobians of frames: columns are the joints' screws, carried to the frame or to the world; Park et al. (18)–(20)."""

from __future__ import annotations

from ..arrays import Array
from ..errors import lookup
from ..model.model import Model
from .choices import Axes
from .declaration import algorithm
from .observer import OBSERVERS


@algorithm("Jacobian")
def jacobian(model: Model, q: Array, *, frame: str, expressed_in: Axes = "body", point: Array | None = None) -> Array:
    """Jacobian (6, nv) of a frame: its twist is J v, expressed as asked; `point` as in `pose`.

    >>> import numpy as np, kinetrace as kt
    >>> kt.algorithms.jacobian(kt.load("planar2r").model, np.zeros(2), frame="tip").shape
    (6, 2)
    """
    carries = lookup("expressed_in", expressed_in, OBSERVERS).carries(model, q, model.frame(frame, point))
    screws = [
        carry(body.subspace(q_i).T) for body, q_i, carry in zip(model.bodies, model.split_q(q), carries, strict=True)
    ]
    return model.gather(screws).reshape(model.nv, 6).T
