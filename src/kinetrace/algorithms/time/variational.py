"""A variational step: symplectic, of order two, implicit; energy stays bounded and momentum is kept, over any time.

The action between two configurations is that of the motion of constant velocity, by the midpoint rule,

    L_d(q, q ⊕ θ) = h L(q_m, θ/h),      q_m = q ⊕ θ/2

and the sum of L_d is stationary (discrete Euler–Lagrange; Marsden and West 2001, on groups Bou-Rabee and Marsden 2009).
As equations of the momenta M v at both ends, with dexp_θ = Σ ad_θᵏ/(k+1)!:

    dexp_θᵀ M(q) v = p − ½ dexp_{θ/2}ᵀ f,      dexp_{−θ}ᵀ M(q⁺) v⁺ = p + ½ dexp_{−θ/2}ᵀ f,      q⁺ = q ⊕ θ
    p = M(q_m) w,   w = θ/h,   f = h (∂T/∂q + τ − g + …)(q_m, w),   ∂T/∂q = Cᵀ w − ad_wᵀ p

C being Christoffel's Coriolis matrix. All that is no kinetic energy (joint forces, gravity, springs, dampers, wrenches,
forces of closures) enters f at q_m. The first equation is solved for θ by Newton's method with the exact Jacobian, or
of large robots an approximate one; the rest is explicit. If the robot does not change when it is displaced as a whole,
neither does L_d: so the momentum that belongs to it is kept, to the rounding of the solution.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Array, concatenate, iterate, less, where
from ...engine.derivative import jacobian
from ...linalg import dense, solve
from ...linalg.sparse import tree_solve, tree_solver
from ...model.model import Model
from ..closed.closure_forces import constraint_forces
from ..dynamics.articulated_body import solve_mass
from ..dynamics.coriolis import coriolis_product, coriolis_transpose_product
from ..dynamics.mass_matrix import mass_matrix
from ..registry.forms import Forms, by_form
from .runge_kutta import Pair
from .step_inputs import StepInputs

EXACT_JACOBIAN_UP_TO_NV = Forms(tree=24, closed=math.inf)
"""Number of velocities up to which Newton's method has the exact Jacobian: a larger one takes a minute to compile."""
UNSOLVED_RELATIVE_STEP, UNSOLVED_STEP = 1e-4, 1e-7
"""Relative and absolute [rad, m] size of the last step of Newton's method above which there is no solution."""
UNSOLVED_ROUNDINGS = 1e3
"""The same with the approximate Jacobian, whose error is about as large as its last step: in units of rounding."""

ROUNDING, ROUNDING_SINGLE = 1e-12, 1e-6
"""The relative size of steps that are mere rounding, in double and in single precision."""


class Stopping(NamedTuple):
    """When an iteration ends."""

    relative_step: float
    """Relative size of the last step."""
    most_steps: int


NEWTON = Stopping(1e-8, 12)
"""The error is the square of the last step."""
QUASI_NEWTON = Stopping(1e-13, 40)
"""With the approximate Jacobian; a step at the level of rounding is the last too if it is not below half the one
before."""


class Iteration(NamedTuple):
    """Carry of Newton's method."""

    theta: Array
    step_size: Array
    """Largest entry of the last step; zero if that was mere rounding, so that the iteration has converged."""


_with_closures = by_form(
    tree=lambda model, q, v, tau, *_: tau,
    closed=lambda model, q, v, tau, *given: tau + constraint_forces(model, q, v, tau, *given),
)


def midpoint_momentum(model: Model, q: Array, theta: Array, dt: Array, inputs: StepInputs) -> tuple[Array, Array]:
    """p and f (nv,) in the middle of a step from q along θ."""
    there, w = model.integrate(q, theta / 2.0), theta / dt
    external = inputs.external_at(model, there, w, dt / 2.0)
    p, tau = mass_matrix(model, there) @ w, inputs.tau
    tau = _with_closures(model, there, w, tau, external)
    rest = external.bias(model, there, w) - coriolis_product(model, there, w, w)
    slope = coriolis_transpose_product(model, there, w, w) - model.coadjoint(w, p)
    return p, dt * (slope + tau - rest)


def imbalance(model: Model, q: Array, v: Array, u: Array, dt: Array, inputs: StepInputs) -> Array:
    """The residual (nv,) of the first equation at θ = u, times h."""
    p, f = midpoint_momentum(model, q, u, dt, StepInputs.from_tuple(inputs))
    half = model.dexp_dual(u / 2.0, f)
    return dt * (p - 0.5 * half - model.dexp_dual(u, mass_matrix(model, q) @ v))


def solution(model: Model, q: Array, v: Array, dt: Array, inputs: StepInputs) -> Array:
    """θ (nv,) by Newton's method; NaN if it finds none."""
    is_exact = model.nv <= EXACT_JACOBIAN_UP_TO_NV.of(model)
    step_of = (newton if is_exact else quasi_newton)(model, q, v, dt, inputs)
    stopping, rounding = NEWTON if is_exact else QUASI_NEWTON, dense.by_precision(dt, ROUNDING, ROUNDING_SINGLE)

    def iteration(last: Iteration) -> Iteration:
        step = step_of(last.theta)
        size = dense.largest_entry(step)
        unless_rounding = where(less(size, rounding * dense.largest_entry(last.theta)), 0.0, size)
        return Iteration(last.theta - step, where(less(last.step_size, 2.0 * size), unless_rounding, size))

    def is_converged(last: Iteration) -> Array:
        return less(last.step_size, stopping.relative_step * dense.largest_entry(last.theta) + 1e-30)

    start = dt * v
    begin = Iteration(start, 1.0 + dense.largest_entry(start))
    theta, step_size = iterate(iteration, begin, is_converged, stopping.most_steps)
    size = dense.largest_entry(theta)
    exact_limit = UNSOLVED_RELATIVE_STEP * size + UNSOLVED_STEP
    limit = exact_limit if is_exact else UNSOLVED_ROUNDINGS * rounding * size + 1e-30
    return where(less(step_size, limit), theta, math.nan)


def newton(model: Model, q: Array, v: Array, dt: Array, inputs: StepInputs) -> Callable[[Array], Array]:
    """θ → its distance from the solution, by the exact Jacobian."""
    slope = jacobian(imbalance, wrt="u")
    return lambda theta: solve_like_mass(
        model, slope(model, q, v, theta, dt, inputs), imbalance(model, q, v, theta, dt, inputs)
    )


def quasi_newton(model: Model, q: Array, v: Array, dt: Array, inputs: StepInputs) -> Callable[[Array], Array]:
    """The same by M + h/2 D_v + h²/4 D_q at the beginning, with springs and dampers D: accurate for short steps."""
    (stiffness, damping), (_, T_q, T_v) = model.passive_derivatives(q, v), inputs.state_wrench_forces(model, q, v, 0.0)
    W = mass_matrix(model, q) + dt / 2.0 * (damping - T_v) + dt * dt / 4.0 * (stiffness - T_q)
    solve_W = tree_solver(W, symmetric=inputs.wrench_function is None)
    return lambda theta: solve_W(imbalance(model, q, v, theta, dt, inputs))


def end_of_step(model: Model, q: Array, u: Array, dt: Array, inputs: StepInputs) -> Pair:
    """q and v after a step along θ = u."""
    inputs = StepInputs.from_tuple(inputs)
    p, f = midpoint_momentum(model, q, u, dt, inputs)
    after = model.integrate(q, u)
    end = model.dexp_inv_dual(-u, p + 0.5 * model.dexp_dual(-u / 2.0, f))
    return after, solve_mass(model, after, end)


def variational(model: Model, q: Array, v: Array, dt: Array, inputs: StepInputs) -> Pair:
    """q and v after the time dt; NaN if Newton's method finds no solution."""
    return end_of_step(model, q, solution(model, q, v, dt, inputs), dt, inputs)


def solve_like_mass(model: Model, A: Array, b: Array) -> Array:
    """A⁻¹ b; without closures, A is as sparse and as regular as the mass matrix."""
    return Forms(tree_solve, solve).of(model)(A, b)


def variational_derivatives(
    model: Model, q: Array, v: Array, dt: Array, inputs: StepInputs
) -> tuple[Array, Array, Array]:
    """q⁺ (nq,) and ∂(q⁺, v⁺)/∂(q, v, τ), (nq, 3 nv) and (nv, 3 nv), by the implicit function theorem."""

    def lack(model: Model, q: Array, v: Array, u: Array, tau: Array, dt: Array, rest: Any) -> Array:
        return imbalance(model, q, v, u, dt, StepInputs.from_tuple(rest)._replace(tau=tau))

    def end(model: Model, q: Array, u: Array, tau: Array, dt: Array, rest: Any) -> Pair:
        return end_of_step(model, q, u, dt, StepInputs.from_tuple(rest)._replace(tau=tau))

    theta, rest = solution(model, q, v, dt, inputs), inputs._replace(tau=None)
    by_u, *others = jacobian(lack, wrt=("u", "q", "v", "tau"))(model, q, v, theta, inputs.tau, dt, rest)
    along = solve_like_mass(model, by_u, -concatenate(others))
    slopes = jacobian(end, wrt=("u", "q", "tau"))(model, q, theta, inputs.tau, dt, rest)
    parts = []
    for u, q_part, tau_part in (slopes[:3], slopes[3:]):
        direct = concatenate([q_part, np.zeros((len(u), model.nv)), tau_part])
        parts.append(direct + u @ along)
    return model.integrate(q, theta), parts[0], parts[1]
