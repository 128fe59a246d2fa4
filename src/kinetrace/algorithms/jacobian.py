"""Jacobians of frames: columns are the joints' screws, carried to the frame or to the world; Park et al. (18)–(20)."""

from __future__ import annotations

from ..arrays import Array
from ..errors import lookup
from ..model.model import Model
from .choices import ExpressedIn
from .declaration import algorithm
from .observer import OBSERVERS


@algorithm("Jacobian")
def jacobian(
    model: Model, q: Array, *, frame: str, expressed_in: ExpressedIn = "body", point: Array | None = None
) -> Array:
    """Jacobian of a frame: its twist is J v.

    Parameters
    ----------
    model : Model
        Robot as data; `robot.model`.
    q : Array, shape (nq,)
        Configuration.
    frame : str
        Name of a frame; `robot.frame_names` lists them.
    expressed_in : {"body", "space", "aligned"}, default "body"
        Axes and point of the twist: those of the frame, of the world, or the world's axes at the frame's origin.
    point : Array, shape (3,), optional
        Point of the frame that takes the place of its origin [m]; the origin unless given.

    Returns
    -------
    Array, shape (6, nv)
        The Jacobian, angular rows first.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> model = kt.load("planar2r").model
    >>> kt.algorithms.jacobian(model, np.zeros(2), frame="tip").round(3)
    array([[ 0.,  0.],
           [-1., -1.],
           [ 0.,  0.],
           [ 0.,  0.],
           [ 0.,  0.],
           [ 2.,  1.]])
    """
    carries = lookup("expressed_in", expressed_in, OBSERVERS).carries(model, q, model.frame(frame, point))
    screws = [
        carry(body.subspace(q_i).T) for body, q_i, carry in zip(model.bodies, model.split_q(q), carries, strict=True)
    ]
    return model.gather(screws).reshape(model.nv, 6).T
