"""The three loops of optimal control along one motion, as functions of arrays that become kernels.

`Backward` is the Riccati sweep (`riccati`) with the derivatives of the dynamics and the costs computed on the way: they
are never stored. `Forward` follows a new motion under the policy, `Misses` finds the gaps and the cost of a guess.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...algorithms import step
from ...arrays import Array, clip, concatenate, maximum, scan, stack
from ...arrays import abs as magnitude
from ...linalg import dense
from ...model.model import Model
from .costs import CostSum
from .riccati import (
    Policy,
    Quadratic,
    curvature,
    from_triangle,
    has_acceleration_form,
    minimised,
    minimised_by_acceleration,
    pulled_back,
    triangle,
)


class Stepping(NamedTuple):
    """How the robot moves during one step in time."""

    method: str
    stabilisation: tuple[float, float] | None
    """If none, loops are closed after each step."""

    @property
    def keywords(self) -> dict[str, Any]:
        """Keywords of `step`."""
        if self.stabilisation is None:
            return {"method": self.method, "project": True}
        return {"method": self.method, "stabilisation": np.array(self.stabilisation)}


@dataclass(frozen=True, eq=False)
class ShootingProblem:
    """Common data of all problems of a batch."""

    running: CostSum
    final: CostSum
    dt: float
    how: Stepping
    limited: bool
    second_order: bool

    def forces(self, model: Model, u: Array) -> Array:
        """Joint forces (nv,) of those of the motors."""
        if len(model.driven) == model.nv:
            return u
        place = {k: i for i, k in enumerate(model.driven)}
        return stack([u[place[k]] if k in place else 0.0 for k in range(model.nv)])


@dataclass(frozen=True, eq=False)
class ShootingKernel:
    """A function of one motion of a problem, which becomes a kernel."""

    of: ShootingProblem

    __hash__ = None  # type: ignore[assignment]  # a robot keeps kernels of functions that can be hashed


class KnotPoint(NamedTuple):
    """One step of a motion: the state before it, the forces of the motors, the velocity after it, the time."""

    q: Array
    v: Array
    u: Array
    v_after: Array
    t: Array


class NewtonInputs(NamedTuple):
    """Numbers that all steps of a backward sweep share."""

    mu: Array
    """Regularisation."""
    bend: Array
    """Part of the dynamics' second derivatives that counts, 0 or 1."""
    lower: Array
    upper: Array
    parameters: Mapping[str, Array]


@dataclass(frozen=True, eq=False)
class Backward(ShootingKernel):
    """The policy (k, K) of one Newton step about a motion; `bend` is the part of the dynamics' second derivatives."""

    def __call__(
        self,
        model: Model,
        q: Array,
        v: Array,
        u: Array,
        gap: Array,
        times: Array,
        q1: Array,
        v1: Array,
        end: Array,
        mu: Array,
        bend: Array,
        bounds: Mapping[str, Array],
        parameters: Mapping[str, Array] | None = None,
    ) -> tuple[Array, ...]:
        """k (t, nu) and K (t, nu, 2 nv), and of all steps slope, gradient, solved, largest ∂V and stiffness."""
        n, inputs = model.nv, NewtonInputs(mu, bend, bounds["lower"], bounds["upper"], dict(parameters or {}))

        def back(carry: Any, row: Any) -> Any:
            (p, P, v_after, slope, gradient, solved, force, stiffness), (q, v, u, gap, t) = carry, row
            P = from_triangle(P, 2 * n)
            p = p + P @ gap
            policy = self.policy(model, KnotPoint(q, v, u, v_after + gap[n:], t), (p, P), inputs)
            carry = (
                policy.g,
                triangle(policy.H),
                v,
                slope + policy.slope,
                maximum(gradient, policy.gradient),
                solved * policy.solved,
                maximum(force, dense.largest(magnitude(p))),
                maximum(stiffness, policy.stiffness),
            )
            return carry, (policy.k, policy.K)

        g, H = self.of.final.expansion(model, (q1, v1), {**inputs.parameters, "t": end})
        zero = 0.0 * mu
        first = (g + zero, triangle(H) + zero, v1, zero, zero, 1.0 + zero, zero, zero)
        (_, _, _, *totals), (k, K) = scan(back, first, (q, v, u, gap, times), reverse=True)
        return k, K, *totals

    def policy(self, model: Model, at: KnotPoint, value: tuple[Array, Array], inputs: NewtonInputs) -> Policy:
        """The policy of one step, with the gradient and the Hessian of the value after it."""
        of, n, (p, P) = self.of, model.nv, value
        tau = of.forces(model, at.u)
        g, H = of.running.expansion(model, (at.q, at.v, tau), {**inputs.parameters, "t": at.t})
        if not of.limited and of.how == Stepping("semi-implicit", None) and has_acceleration_form(model):
            state, bend = (at.q, at.v, (at.v_after - at.v) / of.dt), inputs.bend if of.second_order else None
            return minimised_by_acceleration(model, state, (p, P), (g, H), of.dt, inputs.mu, bend)
        slope, bends = pulled_back(model, at.q, at.v, tau, p, P, of.dt, of.how)
        g, H = g + slope, H + bends
        if of.second_order:
            H = H + inputs.bend * curvature(model, at.q, at.v, tau, p, of.dt, of.how)
        x, of_motors = np.arange(2 * n), 2 * n + np.array(model.driven)
        f = Quadratic(
            g[x],
            g[of_motors],
            H[np.ix_(x, x)],
            H[np.ix_(of_motors, x)],
            H[np.ix_(of_motors, of_motors)],
        )
        return minimised(f, inputs.mu, (inputs.lower - at.u, inputs.upper - at.u) if of.limited else None)


@dataclass(frozen=True, eq=False)
class Forward(ShootingKernel):
    """The motion under u + α k + K x from a first state; of its gaps, 1 − α is left."""

    def __call__(
        self,
        model: Model,
        q0: Array,
        v0: Array,
        q: Array,
        v: Array,
        u: Array,
        gap: Array,
        k: Array,
        K: Array,
        times: Array,
        end: Array,
        alpha: Array,
        bounds: Mapping[str, Array],
        parameters: Mapping[str, Array] | None = None,
    ) -> tuple[Array, ...]:
        """States before each step and forces, (t, ·), the last state and the cost."""
        of, n, given = self.of, model.nv, dict(parameters or {})

        def ahead(carry: Any, row: Any) -> Any:
            (q, v, cost), (q_old, v_old, u, gap, k, K, t) = carry, row
            x = concatenate([model.difference(q_old, q), v - v_old])
            u = u + alpha * k + K @ x
            u = clip(u, bounds["lower"], bounds["upper"]) if of.limited else u
            tau = of.forces(model, u)
            cost = cost + of.running.value(model, (q, v, tau), {**given, "t": t})
            after, v_after = step(model, q, v, tau, of.dt, **of.how.keywords)
            left = (alpha - 1.0) * gap
            return (model.integrate(after, left[:n]), v_after + left[n:], cost), (q, v, u)

        (q1, v1, cost), (qs, vs, us) = scan(ahead, (q0, v0, 0.0 * alpha), (q, v, u, gap, k, K, times))
        cost = cost + of.final.value(model, (q1, v1), {**given, "t": end})
        return qs, vs, us, q1, v1, cost


@dataclass(frozen=True, eq=False)
class Misses(ShootingKernel):
    """Gap between one step of a guess and its next state, and its cost."""

    def __call__(
        self,
        model: Model,
        q: Array,
        v: Array,
        u: Array,
        q1: Array,
        v1: Array,
        time: Array,
        parameters: Mapping[str, Array] | None = None,
    ) -> tuple[Array, Array]:
        """The gap (2 nv,) and the cost of the step."""
        of, tau = self.of, self.of.forces(model, u)
        cost = of.running.value(model, (q, v, tau), {**dict(parameters or {}), "t": time})
        after, v_after = step(model, q, v, tau, of.dt, **of.how.keywords)
        return concatenate([model.difference(q1, after), v_after - v1]), cost + 0.0 * v[0]


@dataclass(frozen=True, eq=False)
class FinalCostKernel(ShootingKernel):
    """The cost of the last state."""

    def __call__(
        self, model: Model, q: Array, v: Array, time: Array, parameters: Mapping[str, Array] | None = None
    ) -> Array:
        """The cost."""
        return self.of.final.value(model, (q, v), {**dict(parameters or {}), "t": time}) + 0.0 * v[0]
