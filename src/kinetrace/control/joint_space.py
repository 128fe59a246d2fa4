"""Control in joint space."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from .. import algorithms
from ..arrays import Array
from ..model.manifold import difference
from ..model.model import Model
from ..robot import Robot
from .controller import Controller
from .reference import gains, reference_of


def pd(robot: Robot, reference: Any, stiffness: npt.ArrayLike, damping: npt.ArrayLike) -> Controller:
    """PD control with compensation of gravity: τ = g(q) + K (q_d ⊖ q) + D (v_d − v).

    Parameters
    ----------
    robot : Robot
        Robot whose model the law uses.
    reference : array_like, shape (nq,), or callable
        Configuration to hold, or function of time that returns q, v and a.
    stiffness : array_like, shape () or (nv,)
        Gains K [N m/rad, N/m].
    damping : array_like, shape () or (nv,)
        Gains D [N m s/rad, N s/m].

    Returns
    -------
    Controller
        The controller, with parameters `stiffness`, `damping` and, for a configuration to hold, `goal`.

    Raises
    ------
    InputError
        If an argument does not fit the robot.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> controller = kt.control.pd(robot, [1.0, -0.5], stiffness=50.0, damping=10.0)
    >>> motion = robot.simulate([0.0, 0.0], [0.0, 0.0], t=5.0, dt=0.005, controller=controller)
    >>> motion.q[-1].round(3)
    array([ 1. , -0.5])
    """
    motion = reference_of(robot, reference)

    def law(model: Model, t: Array, q: Array, v: Array, stiffness: Array, damping: Array, **goal: Array) -> Array:
        q_d, v_d, _ = motion(t, **goal)
        return algorithms.gravity(model, q) + stiffness * difference(model, q, q_d) + damping * (v_d - v)

    def storage(model: Model, t: Array, q: Array, v: Array, stiffness: Array, damping: Array, **goal: Array) -> Array:
        e = difference(model, q, motion(t, **goal)[0])
        return algorithms.kinetic_energy(model, q, v) + 0.5 * (stiffness * e @ e)

    own = {"stiffness": gains(robot, "stiffness", stiffness), "damping": gains(robot, "damping", damping)}
    return Controller(robot, law, "pd", parameters={**own, **motion.parameters}, storage=storage)
