"""The equations of motion with derivatives: what explicit methods compute with them is the linear dynamics of a step.

A value x comes with D = ∂x/∂(δq, δv, δτ) at the beginning of the step, so that for any function of the equations

    y = f(x, z),    D_y = f_x D_x + f_z D_z

`runge_kutta` adds such values, multiplies them by numbers, and asks the robot for the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...arrays import Array, stack
from ...engine.derivative import jacobian
from ...linalg.sparse import product
from ...model.model import Model
from ..dynamics.external_inputs import ExternalInputs
from ..dynamics.forward_dynamics import SOLUTIONS, forward_dynamics
from ..time.runge_kutta import EquationsOfMotion
from .dynamics import forward_dynamics_derivatives
from .tangent_space import in_tangent


@dataclass(frozen=True, eq=False)
class LinearisedValue:
    """A value, and its derivatives by δq, δv and δτ: rows of D (·, 3 nv), along its own manifold."""

    value: Array
    D: Array

    __array_ufunc__ = None  # NumPy's arrays leave a product to __rmul__

    def __add__(self, other: Any) -> LinearisedValue:
        return LinearisedValue(self.value + other.value, self.D + other.D)

    def __rmul__(self, factor: Array) -> LinearisedValue:
        return LinearisedValue(factor * self.value, factor * self.D)


def varied_system(model: Model, tau: LinearisedValue, given: ExternalInputs) -> EquationsOfMotion:
    """The equations of motion that `runge_kutta` uses, with derivatives."""

    def integrate(q: LinearisedValue, theta: LinearisedValue) -> LinearisedValue:
        after = model.integrate(q.value, theta.value)
        by_q, by_theta = jacobian(Model.integrate, wrt=("q", "v"))(model, q.value, theta.value)
        by_q, by_theta = in_tangent(model, after, by_q), in_tangent(model, after, by_theta)
        return LinearisedValue(after, product(by_q, q.D) + product(by_theta, theta.D))

    def bracket(u: LinearisedValue, w: LinearisedValue) -> LinearisedValue:
        columns = [model.bracket(du, w.value) + model.bracket(u.value, dw) for du, dw in zip(u.D.T, w.D.T, strict=True)]
        return LinearisedValue(model.bracket(u.value, w.value), stack(columns) if columns else u.D)

    def acceleration(q: LinearisedValue, v: LinearisedValue, t: Array) -> LinearisedValue:
        state, now = (q.value, v.value, tau.value), given.after(model, t).differentiated
        a = forward_dynamics(model, *state, method=SOLUTIONS.of(model).beside_derivatives(model), **now)
        dq, dv, dtau = forward_dynamics_derivatives(model, *state, **now)
        return LinearisedValue(a, product(dq, q.D) + product(dv, v.D) + product(dtau, tau.D))

    def axis_rate(q: LinearisedValue, v: LinearisedValue) -> LinearisedValue:
        return LinearisedValue(
            model.axis_rate(v.value), product(jacobian(Model.axis_rate, wrt="v")(model, v.value), v.D)
        )

    def advance(q: LinearisedValue, v: LinearisedValue, dt: Array) -> tuple[LinearisedValue, LinearisedValue]:
        q_after, v_after = model.advance(q.value, v.value, dt)
        q_q, q_v, v_q, v_v = jacobian(Model.advance, wrt=("q", "v"))(model, q.value, v.value, dt)
        q_q, q_v = (in_tangent(model, q_after, x) for x in (q_q, q_v))
        along = [product(by_q, q.D) + product(by_v, v.D) for by_q, by_v in ((q_q, q_v), (v_q, v_v))]
        return LinearisedValue(q_after, along[0]), LinearisedValue(v_after, along[1])

    return EquationsOfMotion(integrate, bracket, acceleration, axis_rate=axis_rate, advance=advance)
