"""Compensation of friction in the joints: viscous, and Coulomb's, smoothed."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .. import algorithms
from ..arrays import Array
from ..errors import InputError
from ..model.effects.joint_effects import coulomb as smoothed
from ..model.effects.joint_effects import per_velocity
from ..model.model import Model
from ..robot import Robot
from .controller import Controller
from .pickling import maker
from .plant import check_motors, driven_forces, has_friction
from .reference import gains, reference_of, rows_of


@maker
def friction_compensation(
    robot: Robot,
    viscous: npt.ArrayLike | None = None,
    coulomb: npt.ArrayLike | None = None,
    *,
    width: npt.ArrayLike | None = None,
    fraction: float = 1.0,
    reference: Any = None,
) -> Controller:
    """Friction compensation: τ = s (d v + f v / √(v² + w²)), to be added to another controller.

    It is for `pd`, `gravity_compensation` and `cartesian_impedance`. The laws that follow motions by a model, such as
    `joint_impedance` and `computed_torque`, already overcome the friction that their model has; a sum that would count
    it twice is refused. With `viscous` or `coulomb` given, it is friction beyond that of the model.

    Added to a law that holds a configuration, with a storage function V, it changes V̇ by s times the power of this
    friction. V still falls as long as no joint gets more than its true friction takes; so the sum keeps V.
    **Over-compensation** feeds energy in: wherever s f exceeds the true friction, and s d the true damping plus that of
    the other law, joints oscillate about zero velocity. So the fraction s should be below 1 by the uncertainty of d and
    f. Near rest the compensation is a negative damping s f / w, which must not be steeper than the true friction:
    choose the width w rather too large, and larger than the noise of v. With `reference`, the velocity is the desired
    one: this cannot oscillate, but does not help a joint that sticks while it should move; the sum states no V.

    Parameters
    ----------
    robot : Robot
        Robot whose model the law uses; motors must drive all its motions.
    viscous : array_like, shape () or (nv,), optional
        Damping d [N m s/rad, N s/m]; zero if only `coulomb` is given. With neither, that of the model's joint effects.
    coulomb : array_like, shape () or (nv,), optional
        Coulomb friction f [N m, N]; zero if only `viscous` is given.
    width : array_like, shape () or (nv,), optional
        Velocity w over which Coulomb friction is smoothed [rad/s, m/s], where values are given; unless given, the
        `friction_width` of the model's joints.
    fraction : float, default 1.0
        The fraction s that is compensated, from 0 to 1.
    reference : callable, Spline, Trajectory or OptimalMotion, optional
        Motion, as a function of time that returns q, v and a: the friction of this v is compensated, not that of the
        measured v.

    Returns
    -------
    Controller
        The controller, with the parameter `fraction` and, where values are given, `viscous`, `coulomb`, `width`.

    Raises
    ------
    InputError
        If an argument does not fit the robot, or neither the model nor the arguments have friction.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> robot = kt.load("planar2r").with_joint_effects(damping=0.5, friction=2.0)
    >>> kt.control.friction_compensation(robot, fraction=0.8)(0.0, [0.0, 0.0], [1.0, -1.0]).round(3)
    array([ 2., -2.])
    >>> held = kt.control.pd(robot, [0.1, 0.0], stiffness=20.0, damping=5.0)
    >>> sum = held + kt.control.friction_compensation(robot, fraction=0.8)
    >>> motion = robot.simulate([0.0, 0.0], [0.0, 0.0], t=3.0, dt=0.001, controller=sum)
    >>> motion.q[-1].round(2)
    array([0.1, 0. ])
    """
    check_motors(robot, "friction_compensation")
    if not (isinstance(fraction, int | float | np.number) and 0 <= fraction <= 1):
        raise InputError(f"fraction must be from 0 to 1: more would feed energy in; got {fraction!r}")
    motion = None if reference is None else reference_of(robot, reference)
    if motion is not None and motion.is_held:
        raise InputError("reference must be a motion, not a configuration; leave it out for the measured velocity")

    def velocity(model: Model, t: Array, q: Array, v: Array) -> Array:
        return v if motion is None else motion.error(model, t, q, v).velocity

    def of_model(model: Model, t: Array, q: Array, v: Array, fraction: Array) -> Array:
        u, still = velocity(model, t, q, v), np.zeros(model.nv)
        h = algorithms.passive_forces(model, q, u) - algorithms.passive_forces(model, q, still)
        return driven_forces(model, q, fraction * h)

    def of_values(
        model: Model, t: Array, q: Array, v: Array, fraction: Array, viscous: Array, coulomb: Array, width: Array
    ) -> Array:
        u = velocity(model, t, q, v)
        return driven_forces(model, q, fraction * (viscous * u + smoothed(coulomb, u, width)))

    of_joints = viscous is None and coulomb is None
    if of_joints and not has_friction(robot):
        told = "friction_compensation: no joint of {!r} has damping or friction; give viscous= or coulomb=, or a "
        raise InputError(told.format(robot.name) + "robot.with_joint_effects(damping=..., friction=...)")
    own: dict[str, Any] = {"fraction": fraction}
    if not of_joints:
        own["viscous"] = gains(robot, "viscous", 0.0 if viscous is None else viscous)
        own["coulomb"] = gains(robot, "coulomb", 0.0 if coulomb is None else coulomb)
        usual = per_velocity(robot.model, "friction_width")
        own["width"] = rows_of("width", usual if width is None else width, robot.nv, positive=True)
    return Controller(
        robot=robot,
        law=of_model if of_joints else of_values,
        name="friction_compensation",
        parameters=own,
        keeps_storage=motion is None,
        includes_friction=of_joints,
        nonnegative=tuple(own),
    )
