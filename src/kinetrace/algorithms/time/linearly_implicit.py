"""Linearly implicit steps, for stiff springs, dampers and laws: "rosenbrock" of order two, "implicit" of order one.

"rosenbrock" is the L-stable method of Rosenbrock's kind, ROS2. With y = (θ, v), q = q₀ ⊕ θ, ẏ = F(y), γ = 1 − 1/√2 and
W = 1 − γ h J (Verwer, Spee, Blom and Hundsdorfer 1999):

    W k₁ = F(y₀),    W k₂ = F(y₀ + h k₁) − 2 k₁,    y⁺ = y₀ + 3/2 h k₁ + ½ h k₂

It is of order two for any matrix J, so J may leave out what is not stiff. Here it has the stiffness D_q = ∂τ/∂q of the
resting robot, that of gravity and springs, and the damping D_v = ∂τ/∂v of dampers and friction, which are symmetric; τ
is that of inverse dynamics. Wrenches that are functions of the state add theirs, which are not. For k = (x, y) and a
right side (r, s), one symmetric system as sparse as M is solved:

    (M + γh D_v + γ²h² D_q) y = M s − γh D_q r,      x = r + γh y

With closures J has all of ∂v̇/∂q and ∂v̇/∂v, in which the closures' forces are, and the system is not symmetric.

"implicit" is the backward rule of Euler, stable however stiff all of these are. With h the time step and the joint
forces τ + T_q δq + T_v δv of a law that goes on acting during the step (`Feedback`; T_q = T_v = 0 if they are held),

    q⁺ = q ⊕ h v⁺,      v⁺ = v + h a,      ID(q⁺, v⁺, a) = τ + T_q h v⁺ + T_v h a

is solved for a by one step of Newton's method from constant velocity, a = 0, q₁ = q ⊕ h v, with q⁺ ≈ q₁ ⊕ h² a in the
matrix: exact but for quaternions, where dexp makes a difference of order h³. With the derivatives of inverse dynamics
at (q₁, v, 0), those of `derivatives.tree` in one direction per velocity,

    (M + h (∂_v ID − T_v) + h² (∂_q ID − T_q)) a = τ + h T_q v − ID(q₁, v, 0)

It is of order one, and L-stable. What acts from outside is taken at the end of the step; wrenches that are functions of
the state are joint forces Σ Jᵀ F, with their derivatives at (q₁, v), beside those of the law. With closures the same is
done with v̇ = F(q, v, τ), in which the closures' forces are; Baumgarte's stabilisation is in F and not in its
derivatives:

    (1 − h (∂_v F + ∂_τ F T_v) − h² (∂_q F + ∂_τ F T_q)) a = F(q₁, v, τ + h T_q v)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from ...arrays import Array
from ...linalg import dense, solve
from ...linalg.sparse import tree_solve, tree_solver
from ...model.model import Model
from ..derivatives.dynamics import forward_dynamics_derivatives, inverse_dynamics_derivatives
from ..derivatives.tree import along_step, derivatives_along
from ..dynamics.external_wrenches import body_wrenches
from ..registry.forms import by_form
from .runge_kutta import Pair, step_acceleration
from .step_inputs import StepInputs

GAMMA = 1.0 - math.sqrt(0.5)


def rosenbrock(model: Model, q: Array, v: Array, dt: Array, inputs: StepInputs) -> Pair:
    """q and v after the time dt."""
    a = step_acceleration(model, q, v, 0.0, inputs)
    solve_implicit = _solver_of(model, q, v, GAMMA * dt, inputs)
    x1, y1 = solve_implicit(v, a)
    theta, w = dt * x1, v + dt * y1
    there = step_acceleration(model, model.integrate(q, theta), w, dt, inputs)
    x2, y2 = solve_implicit(w + 0.5 * model.bracket(theta, w) - 2.0 * x1, there - 2.0 * y1)
    return model.integrate(q, dt * (1.5 * x1 + 0.5 * x2)), v + dt * (1.5 * y1 + 0.5 * y2)


def _tree_solver(
    model: Model, q: Array, v: Array, h: Array, inputs: StepInputs
) -> Callable[[Array, Array], tuple[Array, Array]]:
    """(r, s) → (x, y) by the symmetric system, for h = γ dt."""
    rest = np.zeros(model.nv)
    dq, _, M = inverse_dynamics_derivatives(model, q, rest, rest, wrench=inputs.external.wrench)
    _, T_q, T_v = inputs.state_wrench_forces(model, q, v, 0.0)
    dq, dv = (dq + dq.T) / 2.0 - T_q, model.passive_derivatives(q, v)[1] - T_v
    solve_W = tree_solver(M + h * dv + h * h * dq, symmetric=inputs.wrench_function is None)

    def solution(r: Array, s: Array) -> tuple[Array, Array]:
        y = solve_W(M @ s - h * (dq @ r))
        return r + h * y, y

    return solution


def _closed_solver(
    model: Model, q: Array, v: Array, h: Array, inputs: StepInputs
) -> Callable[[Array, Array], tuple[Array, Array]]:
    """The same with ∂v̇ of the closed robot."""
    forces, T_q, T_v = inputs.state_wrench_forces(model, q, v, 0.0)
    dq, dv, dtau = forward_dynamics_derivatives(model, q, v, inputs.tau + forces, **inputs.external.differentiated)
    dq, dv = dq + dtau @ T_q, dv + dtau @ T_v
    W = np.eye(model.nv) - h * dv - h * h * dq

    def solution(r: Array, s: Array) -> tuple[Array, Array]:
        y = solve(W, s + h * (dq @ r))
        return r + h * y, y

    return solution


_solver_of = by_form(tree=_tree_solver, closed=_closed_solver)


def implicit(model: Model, q: Array, v: Array, dt: Array, inputs: StepInputs) -> Pair:
    """q and v after the time dt."""
    after = implicit_velocity(model, q, v, dt, inputs)
    return model.integrate(q, dt * after), after


def implicit_velocity(model: Model, q: Array, v: Array, dt: Array, inputs: StepInputs) -> Array:
    """v (nv,) after the time dt."""
    return v + dt * _implicit_acceleration(model, q, v, dt, inputs)


def resistance(model: Model, q: Array, v: Array, h: Array, inputs: StepInputs) -> Array:
    """What springs, dampers and a law add to the mass against impulses in a step of the time h (nv, nv), symmetric."""
    _, T_q, T_v = inputs.with_feedback(model, q, v, h)
    stiffness, damping = model.passive_derivatives(q, v)
    return dense.symmetric(h * (damping - T_v) + h * h * (stiffness - T_q))


def _tree_acceleration(model: Model, q: Array, v: Array, h: Array, inputs: StepInputs) -> Array:
    """a (nv,) by the system that is as sparse as M, unless a law couples branches, and near M for short steps."""
    there, external, tau = model.integrate(q, h * v), inputs.external.after(model, h), inputs.forces_after(h, v)
    wrenches, rest = body_wrenches(model, external.wrench), np.zeros(model.nv)
    base, along = external.motion_of_base, partial(along_step, h=h)
    derivatives = derivatives_along(model, there, v, rest, wrenches, *base, directions=along, count=1)
    passive_q, passive_v = model.passive_derivatives(there, v)
    forces, T_q, T_v = inputs.with_feedback(model, there, v, h)
    W = derivatives.along[0] + model.armature + h * (passive_v - T_v) + h * h * (passive_q - T_q)
    right = tau + forces - derivatives.tau - model.passive_forces(there, v)
    return tree_solve(W, right)


def _closed_acceleration(model: Model, q: Array, v: Array, h: Array, inputs: StepInputs) -> Array:
    """That of the closed robot."""
    tau, external, there = inputs.forces_after(h, v), inputs.external.after(model, h), model.integrate(q, h * v)
    forces, T_q, T_v = inputs.with_feedback(model, there, v, h)
    at_end = StepInputs(tau + forces, external)
    dq, dv, dtau = forward_dynamics_derivatives(model, there, v, at_end.tau, **external.differentiated)
    W = np.eye(model.nv) - h * (dv + dtau @ T_v) - h * h * (dq + dtau @ T_q)
    return solve(W, step_acceleration(model, there, v, 0.0, at_end))


_implicit_acceleration = by_form(tree=_tree_acceleration, closed=_closed_acceleration)
