"""Passivity-based tracking: the dynamics are followed, not cancelled (Slotine and Li 1987, without adaptation).

    τ = M v̇_r + C(q, v) v_r + g + K s + dexp_θ⁻ᵀ K_p θ          with θ, v_r and s of `tracking`

C has Ploen's property that Ṁ − 2C is skew, so that M ṡ + C s + K s + dexp_θ⁻ᵀ K_p θ = 0 and

    V = ½ sᵀ M s + ½ θᵀ K_p θ,      V̇ = −sᵀ K s − θᵀ K_p Λ θ

Friction of joints is asked for at v_r, and lets V fall faster.
"""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from ..arrays import Array
from ..model.model import Model
from ..robot import Robot
from .controller import Controller
from .making import maker
from .plant import check_velocities, chosen, driven_forces, has_friction
from .reference import gains, reference_of
from .tracking import followed, sliding_energy, tracking


@maker
def passivity_based(
    robot: Robot, reference: Any, rates: npt.ArrayLike, damping: npt.ArrayLike, stiffness: npt.ArrayLike = 0.0
) -> Controller:
    """Passivity-based tracking control of Slotine and Li: τ = M v̇_r + C(q, v) v_r + g + K s + K_p θ.

    With θ = q_d ⊖ q, v_r = v_d + Λ θ and s = v_r − v (of ball joints and free bases as seen from q),
    V = ½ sᵀ M s + ½ θᵀ K_p θ falls as V̇ = −sᵀ K s − θᵀ K_p Λ θ: tracking is exponentially stable if errors of rotations
    stay below π. Inertial forces are followed, not cancelled.

    Parameters
    ----------
    robot : Robot
        Robot whose model the law uses; motors must drive all its motions.
    reference : array_like, shape (nq,), or callable, Spline, Trajectory or OptimalMotion
        Configuration to hold, or motion: a function of time that returns q, v and a, or what stands for one. In a
        closed chain it must be closed.
    rates : array_like, shape () or (nv,)
        Rates Λ at which errors decay where s = 0 [1/s].
    damping : array_like, shape () or (nv,)
        Gains K [N m s/rad, N s/m]. In a closed chain those of independent velocities count, as of the others.
    stiffness : array_like, shape () or (nv,), default 0.0
        Gains K_p [N m/rad, N/m].

    Returns
    -------
    Controller
        The controller, with parameters `rates`, `damping`, `stiffness` and, for a configuration to hold, `goal`.

    Raises
    ------
    InputError
        If an argument does not fit the robot, or a motion has no motor, as that of a free base.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> controller = kt.control.passivity_based(robot, [1.0, -0.5], rates=5.0, damping=10.0)
    >>> motion = robot.simulate([0.0, 0.0], [0.0, 0.0], t=3.0, dt=0.005, controller=controller)
    >>> motion.q[-1].round(3)
    array([ 1. , -0.5])
    """
    check_velocities(robot, "passivity_based")
    motion = reference_of(robot, reference, closed=True)

    def law(
        model: Model, t: Array, q: Array, v: Array, rates: Array, damping: Array, stiffness: Array, **goal: Array
    ) -> Array:
        at = tracking(model, motion, t, q, v, rates, stiffness, **goal)
        return driven_forces(model, q, followed(model, q, v, at, chosen(model, damping) * at.s + at.spring))

    def storage(
        model: Model, t: Array, q: Array, v: Array, rates: Array, damping: Array, stiffness: Array, **goal: Array
    ) -> Array:
        at = tracking(model, motion, t, q, v, rates, stiffness, **goal)
        return sliding_energy(model, q, at.s) + at.energy

    given = {"rates": rates, "damping": damping, "stiffness": stiffness}
    own = {name: gains(robot, name, x) for name, x in given.items()}
    own = {**own, **motion.parameters}
    return Controller(
        robot,
        law,
        "passivity_based",
        parameters=own,
        storage=storage,
        dissipation="damping",
        includes_friction=has_friction(robot),
    )
