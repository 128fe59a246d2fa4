"""Explicit Runge–Kutta methods on the manifold of configurations, of `EquationsOfMotion` in any velocities.

    "euler"          q⁺ = q ⊕ h v,     v⁺ = v + h v̇(q, v, τ)
    "semi-implicit"  v⁺ = v + h v̇,     q⁺ = q ⊕ h v⁺: symplectic at constant M, the scheme of most simulators
    "rk4"            the classical method of order four for (θ, v), q = q₀ ⊕ θ:

        θ̇ = v + ½ [θ, v] + ¹⁄₁₂ [θ, [θ, v]],    v̇ = v̇(q₀ ⊕ θ, v, τ)

The velocities of free joints are twists in axes that turn with the body. "semi-implicit" steps in axes that do not:

    w⁺ = v + h (v̇ + (0, ω × v)),    p⁺ = p + h R w⁺,    R⁺ = R exp(h ω⁺),    v⁺ = exp(h ω⁺)ᵀ w⁺

else the velocity of what rolls or tumbles would grow by (h ω)²/2 of itself in each step.

θ̇ is what makes q₀ ⊕ θ move with the velocity v, to the fourth order in θ; with joints whose v is the rate of q the
brackets vanish. The midpoint rule, of order two, needs none: q_m = q ⊕ h/2 v, q⁺ = q ⊕ h v_m, v⁺ = v + h v̇_m.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ...arrays import Array
from ...model.model import Model
from ..dynamics.forward_dynamics import forward_dynamics
from .step_inputs import StepInputs

Pair = tuple[Any, Any]


class Evaluation(NamedTuple):
    """Where a step has evaluated the dynamics."""

    q: Any
    t: Any
    """Time since the step began; 0.0, not traced, at the beginning."""


class StepEnd(NamedTuple):
    """What a method returns."""

    q: Any
    u: Any
    last: Evaluation
    """The nearest to the end."""


class EquationsOfMotion(NamedTuple):
    """The functions of a robot that a method uses; `varied_system` has them with derivatives."""

    integrate: Callable[[Any, Any], Any]
    """(q, θ) → q ⊕ θ."""
    bracket: Callable[[Any, Any], Any]
    acceleration: Callable[[Any, Any, Array], Any]
    """(q, u, t) → u̇, at the time t since the step began."""
    velocity: Callable[[Any, Any], Any] = lambda q, u: u
    """(q, u) → v, where u is not v itself: the quasi-velocities of `quasivelocity`."""
    axis_rate: Callable[[Any, Any], Any] | None = None
    """(q, u) → what must be added to u̇ for the rate in axes that do not turn; nothing unless given."""
    advance: Callable[[Any, Any, Array], Pair] | None = None
    """(q, u, h) → q and u after the time h, in which u is constant in such axes; q ⊕ h v and u unless given."""


def step_acceleration(model: Model, q: Array, v: Array, t: Array, inputs: StepInputs) -> Array:
    """v̇ (nv,) at the time t since the step began."""
    return forward_dynamics(model, q, v, inputs.tau, **inputs.external_at(model, q, v, t).of_dynamics)


def equations_of_motion(model: Model, inputs: StepInputs) -> EquationsOfMotion:
    """The robot in its own velocities."""
    return EquationsOfMotion(
        model.integrate,
        model.bracket,
        lambda q, v, t: step_acceleration(model, q, v, t, inputs),
        axis_rate=lambda q, v: model.axis_rate(v),
        advance=model.advance,
    )


def euler(of: EquationsOfMotion, q: Any, u: Any, dt: Array) -> StepEnd:
    """q and u after the time dt, by the rule of Euler."""
    after = u + dt * of.acceleration(q, u, 0.0)
    return StepEnd(of.integrate(q, dt * of.velocity(q, u)), after, Evaluation(q, 0.0))


def semi_implicit(of: EquationsOfMotion, q: Any, u: Any, dt: Array) -> StepEnd:
    """q and u after the time dt, q with the velocities u at the end."""
    rate, begin = of.acceleration(q, u, 0.0), Evaluation(q, 0.0)
    u = u + dt * (rate if of.axis_rate is None else rate + of.axis_rate(q, u))
    after = (of.integrate(q, dt * of.velocity(q, u)), u) if of.advance is None else of.advance(q, u, dt)
    return StepEnd(*after, begin)


def midpoint(of: EquationsOfMotion, q: Any, u: Any, dt: Array) -> StepEnd:
    """q and u after the time dt, by the midpoint rule."""
    half = dt / 2
    there, then = of.integrate(q, half * of.velocity(q, u)), u + half * of.acceleration(q, u, 0.0)
    after = of.integrate(q, dt * of.velocity(there, then)), u + dt * of.acceleration(there, then, half)
    return StepEnd(*after, Evaluation(there, half))


def rk4(of: EquationsOfMotion, q: Any, u: Any, dt: Array) -> StepEnd:
    """q and u after the time dt, by the classical method of order four."""

    def rate(theta: Any, u: Any, t: Array) -> Pair:
        there = of.integrate(q, theta)
        v = of.velocity(there, u)
        turned = of.bracket(theta, v)
        return v + 0.5 * turned + 1 / 12 * of.bracket(theta, turned), of.acceleration(there, u, t)

    def moved(by: Pair, h: Array) -> Pair:
        return h * by[0], u + h * by[1]

    k1 = of.velocity(q, u), of.acceleration(q, u, 0.0)
    k2 = rate(*moved(k1, dt / 2), dt / 2)
    k3 = rate(*moved(k2, dt / 2), dt / 2)
    end = moved(k3, dt)
    k4 = rate(*end, dt)
    d_theta, du = (a + 2.0 * (b + c) + d for a, b, c, d in zip(k1, k2, k3, k4, strict=True))
    theta, u = moved((d_theta, du), dt / 6)
    return StepEnd(of.integrate(q, theta), u, Evaluation(of.integrate(q, end[0]), dt))


EXPLICIT: dict[str, Callable[[EquationsOfMotion, Any, Any, Array], StepEnd]] = {
    "euler": euler,
    "semi-implicit": semi_implicit,
    "rk4": rk4,
}
