"""Control in quasi-velocities ν = Wᵀ v, with M = W Wᵀ, in which the mass matrix is the identity.

    ν̇ + C(q, ν) = ε,   τ = g + W ε,   ν · C = 0                           Kozłowski (1995), (40)–(42)
    Ω ξ̇ + C(q, ξ) = κ,   τ = g + N κ,   ξ = Nᵀ v,   M = N Ω Nᵀ             unnormalised, (43)–(45)

Damping. ε = −K ν reduces the kinetic energy T = ½ |ν|² at the rate Ṫ = −νᵀ K ν; with K = k, T decays as e^(−2kt) in
every motion of every robot. ε = C(q, ν) − K ν, decoupled, lets each ν_i decay as e^(−k_i t).

Tracking. With θ, v_r and s = v_r − v of `tracking`, σ = Wᵀ s, or Nᵀ s,

    τ = M v̇_r + C(q, v) v_r + g + W K σ + dexp_θ⁻ᵀ K_p θ
    V = ½ sᵀ M s + ½ θᵀ K_p θ,      V̇ = −σᵀ K σ − θᵀ K_p Λ θ

In the normalised form ½ sᵀ M s = ½ |σ|²: with K = k and K_p = 0, |σ| decays as e^(−kt) whatever the configuration. As
W K Wᵀ = k M there, the gain of each joint grows with the inertia that it moves, and steps in time may be longer.
"""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from .. import algorithms
from ..algorithms.registry.declaration import check_tree
from ..arrays import Array
from ..errors import InputError
from ..model.model import Model
from ..robot import Robot
from ..robot.common import robot_of
from ..support.conversion import as_flag
from .controller import Controller
from .pickling import maker
from .plant import check_motors, has_friction
from .reference import gains, reference_of
from .tracking import sliding_energy, tracking, tracking_forces


def _check_plant(robot: Robot, what: str) -> None:
    """An error unless motors drive all velocities of a tree."""
    check_tree(what, robot_of(robot).model, "in loops, the quasi-velocities of a tree are not independent")
    check_motors(robot, what)


@maker
def quasivelocity_damping(
    robot: Robot, damping: npt.ArrayLike, *, normalised: bool = True, decoupled: bool = False
) -> Controller:
    """Damping in quasi-velocities, which brings a robot to rest at prescribed rates: τ = g − W K ν.

    In ν = Wᵀ v the kinetic energy is T = ½ |ν|², and Ṫ = −νᵀ K ν: with one number k for all, T decays as e^(−2kt) in
    every motion, whereas damping of joints acts at a rate that depends on the configuration.

    Parameters
    ----------
    robot : Robot
        Robot whose model the law uses, with its joint effects; motors must drive all its motions.
    damping : array_like, shape () or (nv,)
        Gains K: rates [1/s], or if not normalised, damping [N m s/rad, N s/m].
    normalised : bool, default True
        Whether in ν = Wᵀ v; otherwise in ξ = Nᵀ v, with M = N Ω Nᵀ and ones on the diagonal of N, where Ṫ = −ξᵀ K ξ.
    decoupled : bool, default False
        Whether to cancel C(q, ν), so that each ν_i decays as e^(−k_i t); normalised only, as ½ ξᵀ Ω ξ may then grow.

    Returns
    -------
    Controller
        The controller, with the parameter `damping`; its storage function is T.

    Raises
    ------
    InputError
        If an argument does not fit the robot, a motion has no motor, as that of a free base, or the robot has closed
        loops.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> controller = kt.control.quasivelocity_damping(robot, 2.0)
    >>> motion = robot.simulate([0.3, 1.0], [1.0, -2.0], t=1.0, dt=1e-4, controller=controller)
    >>> T = motion.kinetic_energy()
    >>> print((T[-1] / T[0]).round(3), np.exp(-4.0).round(3))
    0.018 0.018
    """
    _check_plant(robot, "quasivelocity_damping")
    normalised, decoupled = as_flag("normalised", normalised), as_flag("decoupled", decoupled)
    if decoupled and not normalised:
        raise InputError("decoupled damping is that of normalised quasi-velocities: with Ω, the energy may grow")

    def law(model: Model, t: Array, q: Array, v: Array, damping: Array) -> Array:
        nu = algorithms.mass_root_transposed_product(model, q, v, normalised=normalised)
        epsilon = -damping * nu
        if decoupled:
            epsilon = epsilon + algorithms.diagonal_coriolis(model, q, nu)
        held = algorithms.gravity(model, q) + model.passive_forces(q, v)
        return held + algorithms.mass_root_product(model, q, epsilon, normalised=normalised)

    def storage(model: Model, t: Array, q: Array, v: Array, damping: Array) -> Array:
        return algorithms.kinetic_energy(model, q, v)

    own = {"damping": gains(robot, "damping", damping)}
    return Controller(
        robot=robot,
        law=law,
        name="quasivelocity_damping",
        parameters=own,
        storage=storage,
        includes_friction=has_friction(robot),
        nonnegative=tuple(own),
    )


@maker
def quasivelocity_tracking(
    robot: Robot,
    reference: Any,
    rates: npt.ArrayLike,
    damping: npt.ArrayLike,
    stiffness: npt.ArrayLike = 0.0,
    *,
    normalised: bool = True,
) -> Controller:
    """Tracking control in quasi-velocities: τ = M v̇_r + C(q, v) v_r + g + W K Wᵀ s + K_p θ.

    As `passivity_based`, with damping in σ = Wᵀ s: V = ½ |σ|² + ½ θᵀ K_p θ falls as V̇ = −σᵀ K σ − θᵀ K_p Λ θ, for
    regulation and tracking. With one number k and no stiffness, |σ| decays as e^(−kt) in every configuration: gains
    need no adjustment to the inertia that a joint moves.

    Parameters
    ----------
    robot : Robot
        Robot whose model the law uses; motors must drive all its motions.
    reference : array_like, shape (nq,), or callable, Spline, Trajectory or OptimalMotion
        Configuration to hold, or motion: a function of time that returns q, v and a, or what stands for one.
    rates : array_like, shape () or (nv,)
        Rates Λ at which errors decay where s = 0 [1/s].
    damping : array_like, shape () or (nv,)
        Gains K: rates [1/s], or if not normalised, damping [N m s/rad, N s/m].
    stiffness : array_like, shape () or (nv,), default 0.0
        Gains K_p [N m/rad, N/m].
    normalised : bool, default True
        Whether in σ = Wᵀ s, with M = W Wᵀ; otherwise in σ = Nᵀ s, with M = N Ω Nᵀ.

    Returns
    -------
    Controller
        The controller, with parameters `rates`, `damping`, `stiffness` and, for a configuration to hold, `goal`.

    Raises
    ------
    InputError
        If an argument does not fit the robot, a motion has no motor, as that of a free base, or the robot has closed
        loops.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> controller = kt.control.quasivelocity_tracking(robot, [1.0, -0.5], rates=5.0, damping=10.0)
    >>> motion = robot.simulate([0.0, 0.0], [0.0, 0.0], t=3.0, dt=0.005, controller=controller)
    >>> motion.q[-1].round(3)
    array([ 1. , -0.5])
    """
    _check_plant(robot, "quasivelocity_tracking")
    motion, normalised = reference_of(robot, reference), as_flag("normalised", normalised)

    def law(
        model: Model, t: Array, q: Array, v: Array, rates: Array, damping: Array, stiffness: Array, **goal: Array
    ) -> Array:
        at = tracking(model, motion, t, q, v, rates, stiffness, **goal)
        sigma = algorithms.mass_root_transposed_product(model, q, at.s, normalised=normalised)
        damped = algorithms.mass_root_product(model, q, damping * sigma, normalised=normalised)
        return tracking_forces(model, q, v, at, damped + at.spring)

    def storage(
        model: Model, t: Array, q: Array, v: Array, rates: Array, damping: Array, stiffness: Array, **goal: Array
    ) -> Array:
        at = tracking(model, motion, t, q, v, rates, stiffness, **goal)
        return sliding_energy(model, q, at.s) + at.energy

    given = {"rates": rates, "damping": damping, "stiffness": stiffness}
    own = {name: gains(robot, name, x) for name, x in given.items()}
    return Controller(
        robot=robot,
        law=law,
        name="quasivelocity_tracking",
        parameters={**own, **motion.parameters},
        storage=storage,
        includes_friction=has_friction(robot),
        nonnegative=tuple(own),
    )
