"""Discrete dynamics: one step in time, on the manifold of configurations.

    "euler"          q⁺ = q ⊕ h v,     v⁺ = v + h v̇(q, v, τ)
    "semi-implicit"  v⁺ = v + h v̇,     q⁺ = q ⊕ h v⁺: symplectic at constant M, the scheme of most simulators
    "rk4"            the classical method of order four for (θ, v), q = q₀ ⊕ θ:

        θ̇ = v + ½ [θ, v] + ¹⁄₁₂ [θ, [θ, v]],    v̇ = v̇(q₀ ⊕ θ, v, τ)

θ̇ is what makes q₀ ⊕ θ move with the velocity v, to the fourth order in θ; with joints whose v is the rate of q the
brackets vanish. τ and wrenches are constant during the step; a base or a closure that is driven goes on as
`ExternalInputs.later` says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ..arrays import Array
from ..errors import lookup
from ..model.model import Model
from .choices import StepMethod
from .closure_paths import Drive
from .declaration import algorithm
from .forward_dynamics import forward_dynamics
from .inputs import ExternalInputs

Pair = tuple[Any, Any]


class System(NamedTuple):
    """What a method asks of a robot; `linearisation` answers the same with derivatives."""

    integrate: Callable[[Any, Any], Any]
    """(q, θ) → q ⊕ θ."""
    bracket: Callable[[Any, Any], Any]
    acceleration: Callable[[Any, Any, Array], Any]
    """(q, u, t) → u̇, at the time t since the step began."""
    velocity: Callable[[Any, Any], Any] = lambda q, u: u
    """(q, u) → v, where u is not v itself: the quasi-velocities of `quasivelocity`."""


def _euler(of: System, q: Any, u: Any, dt: Array) -> Pair:
    return of.integrate(q, dt * of.velocity(q, u)), u + dt * of.acceleration(q, u, 0.0)


def _semi_implicit(of: System, q: Any, u: Any, dt: Array) -> Pair:
    u = u + dt * of.acceleration(q, u, 0.0)
    return of.integrate(q, dt * of.velocity(q, u)), u


def _rk4(of: System, q: Any, u: Any, dt: Array) -> Pair:
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
    k4 = rate(*moved(k3, dt), dt)
    d_theta, du = (a + 2.0 * (b + c) + d for a, b, c, d in zip(k1, k2, k3, k4, strict=True))
    theta, u = moved((d_theta, du), dt / 6)
    return of.integrate(q, theta), u


METHODS: dict[str, Callable[[System, Any, Any, Array], Pair]] = {
    "euler": _euler,
    "semi-implicit": _semi_implicit,
    "rk4": _rk4,
}


@algorithm(keeps_forces=("wrench", "method"), honours_closures=True)
def step(
    model: Model,
    q: Array,
    v: Array,
    tau: Array,
    dt: Array,
    *,
    method: StepMethod = "semi-implicit",
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
    wrench: Mapping[str, Array] | None = None,
    drive: Drive = None,
    stabilisation: Array | None = None,
) -> tuple[Array, Array]:
    """q (nq,) and v (nv,) after the time dt () [s], under constant joint forces tau (nv,).

    `wrench` is constant in its frames. `base_velocity` and `base_acceleration` are those of the beginning, in which the
    base has the axes of the world; q stays relative to the base, and gravity turns in its axes. Loops that are closed
    stay closed to the order of the method; `drive`, again of the beginning, and `stabilisation` are those of
    `forward_dynamics`.

    >>> import numpy as np, kinetrace as kt
    >>> model, z = kt.load("planar2r").model, np.zeros(2)
    >>> q, v = kt.algorithms.step(model, z, z, z, 0.01)
    >>> v.round(3)
    array([-0.126,  0.168])
    """
    given = ExternalInputs(base_velocity, base_acceleration, wrench, drive)

    def acceleration(q: Array, v: Array, t: Array) -> Array:
        return forward_dynamics(model, q, v, tau, stabilisation=stabilisation, **given.later(model, t)._asdict())

    robot = System(model.integrate, model.bracket, acceleration)
    return lookup("method", method, METHODS)(robot, q, v, dt)
