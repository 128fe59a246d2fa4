"""Control in joint space: gravity compensation, PD, computed torque, impedance.

Errors are those of `reference`, θ = q_d ⊖ q and w = u − v, where u is the desired velocity as seen from q; dissipated
power of the robot's own joints is P ≥ 0. In closed chains, laws with a mass matrix count independent velocities alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import algorithms
from ..arrays import Array
from ..model.model import Model
from ..robot import Robot
from .controller import Controller
from .pickling import maker
from .plant import (
    check_motors,
    check_velocities,
    driven_forces,
    forces_for_acceleration,
    has_friction,
    holding_forces,
    independent_part,
    reference_forces,
    to_all_joints,
)
from .reference import Reference, StateError, gains, reference_of, spring
from .tracking import sliding_energy

Laws = tuple[Callable[..., Array], Callable[..., Array]]
"""A law and its storage function."""


@maker
def gravity_compensation(robot: Robot, damping: npt.ArrayLike = 0.0) -> Controller:
    """Gravity compensation: τ = g(q) − D v, an arm that stays where it is left.

    Closed loop: M v̇ + C v + D v = 0. The kinetic energy is the storage function, V̇ = −vᵀ D v − P: the robot is passive
    towards whoever pushes it, and comes to rest if D is positive. g has the springs of the joints too.

    Parameters
    ----------
    robot : Robot
        Robot whose model the law uses; motors must drive all its motions.
    damping : array_like, shape () or (nv,), default 0.0
        Gains D [N m s/rad, N s/m].

    Returns
    -------
    Controller
        The controller, with the parameter `damping`.

    Raises
    ------
    InputError
        If an argument does not fit the robot, or a motion has no motor, as that of a free base.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> floating = kt.control.gravity_compensation(robot, damping=2.0)
    >>> floating(0.0, [0.0, 0.0], [1.0, 0.0]).round(3)
    array([17.62 ,  4.905])
    """
    check_motors(robot, "gravity_compensation")

    def law(model: Model, t: Array, q: Array, v: Array, damping: Array) -> Array:
        return driven_forces(model, q, holding_forces(model, q) - damping * v)

    def storage(model: Model, t: Array, q: Array, v: Array, damping: Array) -> Array:
        return algorithms.kinetic_energy(model, q, v)

    own = {"damping": gains(robot, "damping", damping)}
    return Controller(
        robot=robot,
        law=law,
        name="gravity_compensation",
        parameters=own,
        storage=storage,
        dissipation="damping",
        nonnegative=tuple(own),
    )


@maker
def pd(robot: Robot, reference: Any, stiffness: npt.ArrayLike, damping: npt.ArrayLike) -> Controller:
    """PD control with compensation of gravity: τ = g(q) + f(q_d ⊖ q) + D (u − v), f = K θ but for quaternions.

    With a configuration to hold, the closed loop is M v̇ + C v + D v = f, and V = ½ vᵀ M v + ½ θᵀ K θ falls:
    V̇ = −vᵀ D v − P (Takegaki and Arimoto 1981). With K and D positive the goal is asymptotically stable, from every
    start from which V keeps rotations of ball joints and free bases below half a turn. f = dexp_θ⁻ᵀ K θ is the
    differential of the springs' energy for every joint. Along a motion nothing is proven: take `joint_impedance`.

    Parameters
    ----------
    robot : Robot
        Robot whose model the law uses; motors must drive all its motions.
    reference : array_like, shape (nq,), or callable, Spline, Trajectory or OptimalMotion
        Configuration to hold, or motion: a function of time that returns q, v and a, or what stands for one.
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
        If an argument does not fit the robot, or a motion has no motor, as that of a free base.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> controller = kt.control.pd(robot, [1.0, -0.5], stiffness=50.0, damping=10.0)
    >>> motion = robot.simulate([0.0, 0.0], [0.0, 0.0], t=5.0, dt=0.005, controller=controller)
    >>> motion.q[-1].round(3)
    array([ 1. , -0.5])
    """
    check_motors(robot, "pd")
    motion = reference_of(robot, reference)

    def law(model: Model, t: Array, q: Array, v: Array, stiffness: Array, damping: Array, **goal: Array) -> Array:
        e = motion.error(model, t, q, v, **goal)
        h = holding_forces(model, q) + spring(model, e.theta, stiffness) + damping * (e.velocity - v)
        return driven_forces(model, q, h)

    def storage(model: Model, t: Array, q: Array, v: Array, stiffness: Array, damping: Array, **goal: Array) -> Array:
        theta = motion.error(model, t, q, v, **goal).theta
        return algorithms.kinetic_energy(model, q, v) + 0.5 * (stiffness * theta @ theta)

    own = {"stiffness": gains(robot, "stiffness", stiffness), "damping": gains(robot, "damping", damping)}
    return Controller(
        robot=robot,
        law=law,
        name="pd",
        parameters={**own, **motion.parameters},
        storage=storage if motion.is_held else None,
        dissipation="damping" if motion.is_held else None,
        nonnegative=tuple(own),
    )


@maker
def computed_torque(
    robot: Robot, reference: Any, position_gain: npt.ArrayLike, velocity_gain: npt.ArrayLike
) -> Controller:
    """Computed torque: inverse dynamics of the reference's acceleration, corrected by the error.

    τ = M (u̇ + K_v w + f) + C v + g + friction makes the closed loop ẇ + K_v w + f = 0: linear and decoupled,
    θ̈ + K_v θ̇ + K_p θ = 0, but for quaternions, where f = dexp_θ⁻ᵀ K_p θ. V = ½ w · w + ½ θᵀ K_p θ falls,
    V̇ = −wᵀ K_v w, if the model is exact; the error is exponentially stable. Critical damping is K_v = 2 √K_p.

    Parameters
    ----------
    robot : Robot
        Robot whose model the law uses; motors must drive all its motions.
    reference : array_like, shape (nq,), or callable, Spline, Trajectory or OptimalMotion
        Configuration to hold, or motion: a function of time that returns q, v and a, or what stands for one. In a
        closed chain it must be closed.
    position_gain : array_like, shape () or (nv,)
        Gains K_p [1/s²], the squares of frequencies. In a closed chain those of independent velocities count.
    velocity_gain : array_like, shape () or (nv,)
        Gains K_v [1/s].

    Returns
    -------
    Controller
        The controller, with parameters `position_gain`, `velocity_gain` and, for a configuration to hold, `goal`.

    Raises
    ------
    InputError
        If an argument does not fit the robot, or a motion has no motor, as that of a free base.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> controller = kt.control.computed_torque(robot, [1.0, -0.5], position_gain=25.0, velocity_gain=10.0)
    >>> motion = robot.simulate([0.0, 0.0], [0.0, 0.0], t=1.0, dt=0.001, controller=controller)
    >>> motion.q[-1].round(2), (1 - 6 * np.exp(-5)).round(2)  # critically damped: 1 - (1 + 5 t) exp(-5 t)
    (array([ 0.96, -0.48]), np.float64(0.96))
    """
    check_velocities(robot, "computed_torque")
    motion = reference_of(robot, reference, closed=True)

    def law(
        model: Model, t: Array, q: Array, v: Array, position_gain: Array, velocity_gain: Array, **goal: Array
    ) -> Array:
        e = motion.error(model, t, q, v, **goal)
        a = e.rate + velocity_gain * (e.velocity - v) + spring(model, e.theta, position_gain)
        return driven_forces(model, q, forces_for_acceleration(model, q, v, independent_part(model, a)))

    def storage(
        model: Model, t: Array, q: Array, v: Array, position_gain: Array, velocity_gain: Array, **goal: Array
    ) -> Array:
        e = motion.error(model, t, q, v, **goal)
        w, theta, gain = (independent_part(model, x) for x in (e.velocity - v, e.theta, position_gain))
        return 0.5 * (w @ w) + 0.5 * (gain * theta @ theta)

    own = {
        "position_gain": gains(robot, "position_gain", position_gain),
        "velocity_gain": gains(robot, "velocity_gain", velocity_gain),
    }
    return Controller(
        robot=robot,
        law=law,
        name="computed_torque",
        parameters={**own, **motion.parameters},
        storage=storage,
        includes_friction=has_friction(robot),
        nonnegative=tuple(own),
    )


@maker
def joint_impedance(
    robot: Robot,
    reference: Any,
    stiffness: npt.ArrayLike,
    damping: npt.ArrayLike,
    inertia: npt.ArrayLike | None = None,
) -> Controller:
    """Impedance in joint space: the robot moves about its reference as masses on springs and dampers do.

    Without `inertia`, the robot keeps its own: τ = M u̇ + C(q, v) u + g + f + D w, Paden and Panja's (1988) "PD+", with
    the closed loop M ẇ + C w + D w + f = −τ_ext, where τ_ext are the joint forces that the surroundings exert.
    V = ½ wᵀ M w + ½ θᵀ K θ has the rate −wᵀ D w − w · τ_ext, and falls along every reference if nothing is touched,
    since Ṁ − 2C is skew; friction in the joints is asked for at u, and only makes V fall faster. No force sensor is
    needed.

    With `inertia` A, that of the masses: A ẇ + D w + f = −τ_ext, decoupled. The external forces must be measured then,
    parameter `external`; if they are left at zero, they act as A M⁻¹ τ_ext. V = ½ wᵀ A w + ½ θᵀ K θ, V̇ = −wᵀ D w.

    Parameters
    ----------
    robot : Robot
        Robot whose model the law uses; motors must drive all its motions.
    reference : array_like, shape (nq,), or callable, Spline, Trajectory or OptimalMotion
        Configuration to hold, or motion: a function of time that returns q, v and a, or what stands for one. In a
        closed chain it must be closed.
    stiffness : array_like, shape () or (nv,)
        Gains K [N m/rad, N/m]. In a closed chain, those of independent velocities count.
    damping : array_like, shape () or (nv,)
        Gains D [N m s/rad, N s/m].
    inertia : array_like, shape () or (nv,), optional
        Desired inertias A [kg m², kg], positive; the robot's own unless given.

    Returns
    -------
    Controller
        The controller, with parameters `stiffness`, `damping`, `goal` for a configuration to hold and, with desired
        inertias, `inertia` and `external` (nv,): measured external joint forces [N m, N], zero at first.

    Raises
    ------
    InputError
        If an argument does not fit the robot, or a motion has no motor, as that of a free base.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> swing = lambda t: (np.array([t, 0.5 * t]), np.array([1.0, 0.5]), np.zeros(2))
    >>> controller = kt.control.joint_impedance(robot, swing, stiffness=50.0, damping=10.0)
    >>> motion = robot.simulate([0.2, 0.0], [0.0, 0.0], t=4.0, dt=0.005, controller=controller)
    >>> controller.stored(motion.t, motion.q, motion.v)[[0, 100, 200]].round(2)
    array([2.79, 0.3 , 0.06])
    """
    check_velocities(robot, "joint_impedance")
    motion = reference_of(robot, reference, closed=True)
    own = {"stiffness": gains(robot, "stiffness", stiffness), "damping": gains(robot, "damping", damping)}
    external: dict[str, Any] = {}
    law, storage = _with_own_inertia(motion) if inertia is None else _with_inertia(motion)
    if inertia is not None:
        own["inertia"] = gains(robot, "inertia", inertia, positive=True)
        external["external"] = np.zeros(robot.nv)
    return Controller(
        robot=robot,
        law=law,
        name="joint_impedance",
        parameters={**own, **external, **motion.parameters},
        storage=storage,
        dissipation="damping" if inertia is None else None,
        includes_friction=has_friction(robot),
        nonnegative=tuple(own),
    )


def _with_own_inertia(motion: Reference) -> Laws:
    """Law and storage function of an impedance with the robot's own inertia."""

    def law(model: Model, t: Array, q: Array, v: Array, stiffness: Array, damping: Array, **goal: Array) -> Array:
        e = motion.error(model, t, q, v, **goal)
        f = spring(model, e.theta, stiffness) + damping * (e.velocity - v)
        h = reference_forces(model, q, v, e.velocity, e.rate) + to_all_joints(model, independent_part(model, f))
        return driven_forces(model, q, h)

    def storage(model: Model, t: Array, q: Array, v: Array, stiffness: Array, damping: Array, **goal: Array) -> Array:
        e = motion.error(model, t, q, v, **goal)
        w, theta, K = (independent_part(model, x) for x in (e.velocity - v, e.theta, stiffness))
        return sliding_energy(model, q, w) + 0.5 * (K * theta @ theta)

    return law, storage


def _with_inertia(motion: Reference) -> Laws:
    """The same with a desired inertia; external forces are measured."""

    def law(model: Model, t: Array, q: Array, v: Array, **given: Array) -> Array:
        e, external = _error(model, t, q, v, given), given["external"]
        f = spring(model, e.theta, given["stiffness"]) + given["damping"] * (e.velocity - v)
        push = algorithms.velocity_map(model, q).T @ external
        rate, force, A = (independent_part(model, x) for x in (e.rate, f, given["inertia"]))
        dy = rate + (force + push) / A
        return driven_forces(model, q, forces_for_acceleration(model, q, v, dy) - external)

    def storage(model: Model, t: Array, q: Array, v: Array, **given: Array) -> Array:
        e = _error(model, t, q, v, given)
        w, theta, K, A = (
            independent_part(model, x) for x in (e.velocity - v, e.theta, given["stiffness"], given["inertia"])
        )
        return 0.5 * (A * w @ w) + 0.5 * (K * theta @ theta)

    def _error(model: Model, t: Array, q: Array, v: Array, given: dict[str, Array]) -> StateError:
        return motion.error(model, t, q, v, given.get("goal"))

    return law, storage
