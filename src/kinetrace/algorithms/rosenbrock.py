"""A linearly implicit step of order two, for stiff springs and dampers: the L-stable method of Rosenbrock's kind, ROS2.

With y = (θ, v), q = q₀ ⊕ θ, ẏ = F(y), γ = 1 − 1/√2 and W = 1 − γ h J (Verwer, Spee, Blom and Hundsdorfer 1999):

    W k₁ = F(y₀),    W k₂ = F(y₀ + h k₁) − 2 k₁,    y⁺ = y₀ + 3/2 h k₁ + ½ h k₂

It is of order two for any matrix J, so J may leave out what is not stiff. Here it has the stiffness D_q = ∂τ/∂q of the
resting robot, that of gravity and springs, and the damping D_v = ∂τ/∂v of dampers and friction, which are symmetric; τ
is that of inverse dynamics. Wrenches that are functions of the state add theirs, which are not. For k = (x, y) and a
right side (r, s), one symmetric system as sparse as M is solved:

    (M + γh D_v + γ²h² D_q) y = M s − γh D_q r,      x = r + γh y

With closures J has all of ∂v̇/∂q and ∂v̇/∂v, in which the closures' forces are, and the system is not symmetric.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ..arrays import Array
from ..linalg import solve
from ..model.model import Model
from .acting import Acting
from .dynamics_derivatives import forward_dynamics_derivatives, inverse_dynamics_derivatives
from .explicit import Pair

GAMMA = 1.0 - math.sqrt(0.5)


def rosenbrock(model: Model, q: Array, v: Array, dt: Array, acting: Acting) -> Pair:
    """q and v after the time dt."""
    a = acting.acceleration(model, q, v, 0.0)
    implicit = (_closed_solver if model.closures else _tree_solver)(model, q, v, GAMMA * dt, acting)
    x1, y1 = implicit(v, a)
    theta, w = dt * x1, v + dt * y1
    there = acting.acceleration(model, model.integrate(q, theta), w, dt)
    x2, y2 = implicit(w + 0.5 * model.bracket(theta, w) - 2.0 * x1, there - 2.0 * y1)
    return model.integrate(q, dt * (1.5 * x1 + 0.5 * x2)), v + dt * (1.5 * y1 + 0.5 * y2)


def _tree_solver(
    model: Model, q: Array, v: Array, h: Array, acting: Acting
) -> Callable[[Array, Array], tuple[Array, Array]]:
    """(r, s) → (x, y) by the symmetric system, for h = γ dt."""
    still = np.zeros(model.nv)
    dq, _, M = inverse_dynamics_derivatives(model, q, still, still, wrench=acting.given.wrench)
    _, T_q, T_v = acting.outer_forces(model, q, v, 0.0)
    dq, dv = (dq + dq.T) / 2.0 - T_q, model.passive_derivatives(q, v)[1] - T_v
    solve_W = acting.solver(M + h * dv + h * h * dq)

    def solved(r: Array, s: Array) -> tuple[Array, Array]:
        y = solve_W(M @ s - h * (dq @ r))
        return r + h * y, y

    return solved


def _closed_solver(
    model: Model, q: Array, v: Array, h: Array, acting: Acting
) -> Callable[[Array, Array], tuple[Array, Array]]:
    """The same with ∂v̇ of the closed robot."""
    tau, T_q, T_v = acting.outer_forces(model, q, v, 0.0)
    dq, dv, dtau = forward_dynamics_derivatives(model, q, v, acting.tau + tau, **acting.given._asdict())
    dq, dv = dq + dtau @ T_q, dv + dtau @ T_v
    W = np.eye(model.nv) - h * dv - h * h * dq

    def solved(r: Array, s: Array) -> tuple[Array, Array]:
        y = solve(W, s + h * (dq @ r))
        return r + h * y, y

    return solved
