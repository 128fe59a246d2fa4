"""Passivity-based tracking: the dynamics are followed, not cancelled (Slotine and Li 1987, without adaptation).

    τ = M v̇_r + C(q, v) v_r + g + K s + dexp_e⁻ᵀ K_p e          with e, v_r and s of `tracking`

C is Ploen's, with Ṁ − 2C skew, so that M ṡ + C s + K s + dexp_e⁻ᵀ K_p e = 0 and

    V = ½ sᵀ M s + ½ eᵀ K_p e,      V̇ = −sᵀ K s − eᵀ K_p Λ e
"""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from ..arrays import Array
from ..model.manifold import dexp_inv_dual
from ..model.model import Model
from ..robot import Robot
from .controller import Controller
from .reference import gains, reference_of
from .tracking import feedforward, refuse_loops, sliding_energy, tracking


def passivity_based(
    robot: Robot, reference: Any, rates: npt.ArrayLike, damping: npt.ArrayLike, stiffness: npt.ArrayLike = 0.0
) -> Controller:
    """Passivity-based tracking control of Slotine and Li: τ = M v̇_r + C(q, v) v_r + g + K s + K_p e.

    With e = q_d ⊖ q, v_r = v_d + Λ e and s = v_r − v (on ball joints and free bases in the axes of the present
    configuration), V = ½ sᵀ M s + ½ eᵀ K_p e falls as V̇ = −sᵀ K s − eᵀ K_p Λ e: tracking is exponentially stable, also
    for motions with rotations of up to π off. All velocities need forces: those of a free base are thrusters.

    Parameters
    ----------
    robot : Robot
        Robot whose model the law uses; its joint effects are compensated.
    reference : array_like, shape (nq,), or callable
        Configuration to hold, or function of time that returns q, v and a.
    rates : array_like, shape () or (nv,)
        Rates Λ at which errors decay where s = 0 [1/s].
    damping : array_like, shape () or (nv,)
        Gains K [N m s/rad, N s/m].
    stiffness : array_like, shape () or (nv,), default 0.0
        Gains K_p [N m/rad, N/m].

    Returns
    -------
    Controller
        The controller, with parameters `rates`, `damping`, `stiffness` and, for a configuration to hold, `goal`.

    Raises
    ------
    InputError
        If an argument does not fit the robot, or it has closed loops.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> controller = kt.control.passivity_based(robot, [1.0, -0.5], rates=5.0, damping=10.0)
    >>> motion = robot.simulate([0.0, 0.0], [0.0, 0.0], t=3.0, dt=0.005, controller=controller)
    >>> motion.q[-1].round(3)
    array([ 1. , -0.5])
    """
    refuse_loops(robot, "passivity-based control")
    motion = reference_of(robot, reference)

    def law(
        model: Model, t: Array, q: Array, v: Array, rates: Array, damping: Array, stiffness: Array, **goal: Array
    ) -> Array:
        at = tracking(model, motion, t, q, v, rates, **goal)
        return feedforward(model, q, v, at) + damping * at.s + dexp_inv_dual(model, at.e, stiffness * at.e)

    def storage(
        model: Model, t: Array, q: Array, v: Array, rates: Array, damping: Array, stiffness: Array, **goal: Array
    ) -> Array:
        at = tracking(model, motion, t, q, v, rates, **goal)
        return sliding_energy(model, q, at.s) + 0.5 * (stiffness * at.e @ at.e)

    own = {
        name: gains(robot, name, x) for name, x in {"rates": rates, "damping": damping, "stiffness": stiffness}.items()
    }
    return Controller(robot, law, "passivity_based", parameters={**own, **motion.parameters}, storage=storage)
