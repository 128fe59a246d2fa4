"""Discrete dynamics: one step in time, on the manifold of configurations.

    "euler"          q⁺ = q ⊕ h v,     v⁺ = v + h v̇(q, v, τ)
    "semi-implicit"  v⁺ = v + h v̇,     q⁺ = q ⊕ h v⁺: symplectic at constant M, the scheme of most simulators
    "rk4"            the classical method of order four for (θ, v), q = q₀ ⊕ θ:

        θ̇ = v + ½ [θ, v] + ¹⁄₁₂ [θ, [θ, v]],    v̇ = v̇(q₀ ⊕ θ, v, τ)

θ̇ is what makes q₀ ⊕ θ move with the velocity v, to the fourth order in θ; with joints whose v is the rate of q the
brackets vanish. τ is constant during the step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..arrays import Array
from ..errors import lookup
from ..model.model import Model
from .choices import StepMethod
from .declaration import algorithm
from .forward_dynamics import forward_dynamics

Pair = tuple[Any, Any]


class System(NamedTuple):
    """What a method asks of a robot; `linearisation` answers the same with derivatives."""

    integrate: Callable[[Any, Any], Any]
    """(q, θ) → q ⊕ θ."""
    bracket: Callable[[Any, Any], Any]
    acceleration: Callable[[Any, Any], Any]
    """(q, u) → u̇."""
    velocity: Callable[[Any, Any], Any] = lambda q, u: u
    """(q, u) → v, where u is not v itself: the quasi-velocities of `quasivelocity`."""


def _euler(of: System, q: Any, u: Any, dt: Array) -> Pair:
    return of.integrate(q, dt * of.velocity(q, u)), u + dt * of.acceleration(q, u)


def _semi_implicit(of: System, q: Any, u: Any, dt: Array) -> Pair:
    u = u + dt * of.acceleration(q, u)
    return of.integrate(q, dt * of.velocity(q, u)), u


def _rk4(of: System, q: Any, u: Any, dt: Array) -> Pair:
    def rate(theta: Any, u: Any) -> Pair:
        there = of.integrate(q, theta)
        v = of.velocity(there, u)
        turned = of.bracket(theta, v)
        return v + 0.5 * turned + 1 / 12 * of.bracket(theta, turned), of.acceleration(there, u)

    def moved(by: Pair, h: Array) -> Pair:
        return h * by[0], u + h * by[1]

    k1 = of.velocity(q, u), of.acceleration(q, u)
    k2 = rate(*moved(k1, dt / 2))
    k3 = rate(*moved(k2, dt / 2))
    k4 = rate(*moved(k3, dt))
    d_theta, du = (a + 2.0 * (b + c) + d for a, b, c, d in zip(k1, k2, k3, k4, strict=True))
    theta, u = moved((d_theta, du), dt / 6)
    return of.integrate(q, theta), u


METHODS: dict[str, Callable[[System, Any, Any, Array], Pair]] = {
    "euler": _euler,
    "semi-implicit": _semi_implicit,
    "rk4": _rk4,
}


@algorithm(keeps_forces=("method",), honours_closures=True)
def step(
    model: Model,
    q: Array,
    v: Array,
    tau: Array,
    dt: Array,
    *,
    method: StepMethod = "semi-implicit",
    stabilisation: Array | None = None,
) -> tuple[Array, Array]:
    """q (nq,) and v (nv,) after the time dt () [s], under constant joint forces tau (nv,).

    Loops that are closed stay closed to the order of the method; `stabilisation` is that of `forward_dynamics`.

    >>> import numpy as np, kinetrace as kt
    >>> model, z = kt.load("planar2r").model, np.zeros(2)
    >>> q, v = kt.algorithms.step(model, z, z, z, 0.01)
    >>> v.round(3)
    array([-0.126,  0.168])
    """
    robot = System(
        model.integrate, model.bracket, lambda q, v: forward_dynamics(model, q, v, tau, stabilisation=stabilisation)
    )
    return lookup("method", method, METHODS)(robot, q, v, dt)
