"""Steps that solve for dry friction and hard stops, with closed loops, at the level of velocities.

A method of order one has a velocity v* after a step of the time h without them, and the response W⁻¹ of velocities to
impulses: W = M for "semi-implicit", the matrix of its linear system for "implicit"; closed loops stay closed in both.

    v⁺ = v* + W⁻¹ Kᵀ x,    x by `linalg.scalar_sets` with G = K W⁻¹ Kᵀ,    |friction| ≤ f h                (1)

**Stops** are met within steps. Two such problems are solved: where the step leads, and how fast it ends.

    q⁺ = q ⊕ h w,    w ≥ (lower − q) / h                                                                        (2)
    v⁺ ≥ max(0, r)   where (2) presses against the stop, free elsewhere                                         (3)

A joint that moves with w lands on its stop, and passes none. With restitution e it moves back in the rest of the step.
A row's impulse x is that of the stop and of friction, f h while the joint moves toward a lower stop. Without the stop's
impulse, the velocity is u = w − G_kk (x − f h) < 0. Let a h = u − v be its change, and θ the part of the step before
the impact. As these methods have the velocities of the middle of steps, the impact is at the velocity u_θ, and the
joint leaves it with r, if r is extrapolated to the middle, too:

    u_θ = u + (θ − ½) a h,    r = −e u_θ + (½ − θ) a⁺ h,    θ = (q − lower) / (−u h)                            (4)
    w is increased by W⁻¹ Kᵀ y,  y = (1 − θ) r / G_kk                                                           (5)

Friction has the other direction then: a⁺ h = a h − 2 G_kk f h. A joint that would be back within two steps,
r ≤ |a⁺| h, stays at the stop: so bouncing ends. The error of an impact is of order h². Upper stops are mirror images.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from ...arrays import Array, abs, indices, less, maximum, minimum, stack, where
from ...errors import InputError
from ...linalg import dense
from ...linalg.scalar_sets import RowImpulses, ScalarSets, solve_scalar_sets
from ...model.model import Model
from ..closed.closure_paths import Drive
from ..closed.independent_velocities import velocity_split
from ..closed.selected_rows import selected_rows
from ..constraints.joint_rows import JointRows, joint_rows, without_solved_effects
from ..dynamics.mass_matrix import mass_factors
from ..registry.forms import Forms, by_form
from .external_inputs import StepInputs
from .linearly_implicit import implicit_velocity
from .runge_kutta import step_acceleration
from .state import State

IMPULSES = "impulses"
"""Name of the impulses of the rows (n,) among what steps keep [N m s, N s]."""
MAY_BE_REDUNDANT = Forms(tree=False, closed=True)
"""Rows of joints depend on each other in loops alone."""
TINY = 1e-30
"""Speed that keeps quotients finite [rad/s, m/s]."""


class FreeVelocity(NamedTuple):
    """The velocity after a step without rows."""

    v: Array
    respond: Callable[[Array], Array]
    """Impulses (nv, n) → changes of the velocity W⁻¹ (nv, n)."""
    advance: Callable[[Array, Array], tuple[Array, Array]]
    """(w, v) → q after the step along w, and v in the axes of then."""


def _of_tree(model: Model, q: Array, drive: Drive) -> Callable[[Array], Array]:
    """M⁻¹."""
    return partial(dense.solve, mass_factors(model, q))


def _of_closed_chain(model: Model, q: Array, drive: Drive) -> Callable[[Array], Array]:
    """M⁻¹, less what loops take away to stay closed."""
    at = selected_rows(model, q, velocity_split(model), drive)

    def respond(columns: Array) -> Array:
        free = dense.solve(at.factors.mass, columns)
        return free - at.factors.response(at.factors.multipliers(at.K @ free))

    return respond


_response = by_form(tree=_of_tree, closed=_of_closed_chain)


def _semi_implicit(model: Model, q: Array, v: Array, dt: Array, inputs: StepInputs) -> FreeVelocity:
    after = v + dt * (step_acceleration(model, q, v, 0.0, inputs) + model.axis_rate(v))
    respond = _response(model, q, inputs.external.drive)
    return FreeVelocity(after, respond, lambda w, v: model.advance(q, v, dt, along=w))


def _implicit(model: Model, q: Array, v: Array, dt: Array, inputs: StepInputs) -> FreeVelocity:
    after, respond = implicit_velocity(model, q, v, dt, inputs)
    return FreeVelocity(after, respond, lambda w, v: (model.integrate(q, dt * w), v))


FREE_VELOCITIES: dict[str, Callable[..., FreeVelocity]] = {"semi-implicit": _semi_implicit, "implicit": _implicit}
"""The methods that solve for rows."""


def check_solves_rows(method: str) -> None:
    """An error unless a method can step with dry friction and hard stops."""
    if method not in FREE_VELOCITIES:
        can = " and ".join(map(repr, FREE_VELOCITIES))
        raise InputError(
            f"method {method!r} cannot step with dry friction or hard stops: {can} can; for any method, "
            'with_joint_effects(friction_law="smooth", stop_law="soft") takes the smooth laws'
        )


def constrained_step(method: str, model: Model, state: State, dt: Array, inputs: StepInputs) -> State:
    """The state after a step, and the impulses of the rows."""
    check_solves_rows(method)
    rows, start, (q, v) = joint_rows(model), state.kept.get(IMPULSES), state[:2]
    free = FREE_VELOCITIES[method](without_solved_effects(model), q, v, dt, inputs)
    at = _Responses.of(rows, free, model)
    if not rows.has_stops:
        found = at.solved(ScalarSets(rows.lower, rows.upper, dt * rows.friction), start)
        v = at.velocity(found)
        return State(*free.advance(v, v), {IMPULSES: found.x})
    lower, upper = rows.distances(q)
    landing = ScalarSets(lower / dt, upper / dt, dt * rows.friction)  # (2)
    there = at.solved(landing, start)
    bounces = [_bounce(s, at, landing, there, v, dt, e) for s, e in zip((1.0, -1.0), rows.restitution, strict=True)]
    found = at.solved(_after_impact(landing, there, bounces), there.x)  # (3)
    w = at.velocity(there) + at.Z @ sum(bounce.displacing / at.D for bounce in bounces)  # (5)
    along = at.along(w)
    both_still = less(0.5, there.at.still * found.at.still)
    w = w + at.K.T @ (where(both_still, 0.0, minimum(maximum(along, landing.lower), landing.upper)) - along)
    q, v = free.advance(w, at.velocity(found))
    return State(rows.within_stops(q), v, {IMPULSES: found.x})


class _Responses(NamedTuple):
    """Rows K (n, nv), and what impulses along them do."""

    K: Array
    v: Array
    """Velocity (nv,) without them."""
    Z: Array
    """W⁻¹ Kᵀ (nv, n)."""
    G: Array
    D: Array
    """The diagonal of G."""
    redundant: bool

    @classmethod
    def of(cls, rows: JointRows, free: FreeVelocity, model: Model) -> _Responses:
        """Those of the rows of joints."""
        Kt, places = rows.columns(model.nv), indices(rows.velocities)
        Z = free.respond(Kt)
        G = Z[places]
        return cls(
            Kt.T, free.v, Z, G, stack([G[k, k] for k in range(len(rows.velocities))]), MAY_BE_REDUNDANT.of(model)
        )

    def along(self, v: Array) -> Array:
        """The rows' velocities (n,)."""
        return self.K @ v

    def solved(self, sets: ScalarSets, start: Array | None) -> RowImpulses:
        """The impulses that keep velocities in sets."""
        return solve_scalar_sets(self.G, self.along(self.v), sets, start, self.redundant)

    def velocity(self, found: RowImpulses) -> Array:
        """(1); that of held rows exactly."""
        after = self.v + self.Z @ found.x
        return after + self.K.T @ (found.at.held * (found.u - self.along(after)))


class _Bounce(NamedTuple):
    """What stops of one side do: (n,) for each row."""

    hit: Array
    """1 where the step presses against the stop."""
    speed: Array
    """v⁺ (3), positive away from the stop."""
    displacing: Array
    """The part (1 − θ) r of the velocity w."""


def _bounce(
    s: float, at: _Responses, landing: ScalarSets, there: RowImpulses, v: Array, dt: Array, restitution: Array
) -> _Bounce:
    """The bounce of lower stops, s = 1, or of upper ones, s = −1."""
    hit = there.at.lower if s > 0 else there.at.upper
    bound = landing.lower if s > 0 else landing.upper
    slip = landing.friction
    u = s * there.u - at.D * (s * there.x - slip)  # without the stop's impulse
    change = u - s * at.along(v)
    gap = where(less(0.5, hit), -s * bound, 0.0)
    theta = minimum(maximum(gap, 0.0) / maximum(-u, TINY), 1.0)
    impact = minimum(u + (theta - 0.5) * change, 0.0)  # (4)
    after = change - 2.0 * at.D * slip
    r = -restitution * impact + (0.5 - theta) * after
    speed = where(less(abs(after), r), hit * r, 0.0)
    return _Bounce(hit, speed, s * (1.0 - theta) * speed)


def _after_impact(landing: ScalarSets, there: RowImpulses, bounces: list[_Bounce]) -> ScalarSets:
    below, above = bounces
    lower = where(less(0.5, below.hit), below.speed, -np.inf)
    upper = where(less(0.5, above.hit), -above.speed, np.inf)
    return ScalarSets(lower, upper, landing.friction)
