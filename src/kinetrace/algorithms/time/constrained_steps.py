"""Steps that solve for dry friction and hard stops, with closed loops, at the level of velocities.

A method of order one has a velocity v* after a step of the time h without them, and the response W⁻¹ of velocities to
impulses: W = M for "semi-implicit", and for "implicit" M with what springs, dampers and laws resist in the step, which
is the matrix of its linear system but for what is not symmetric there. Closed loops stay closed in both.

    v⁺ = v* + W⁻¹ Kᵀ x,    x by `linalg.scalar_sets` with G = K W⁻¹ Kᵀ,    |friction| ≤ f h                (1)

Stops are met within steps: a joint lands there, and with restitution moves back in the rest of the step (`impacts`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from ...arrays import Array
from ...errors import InputError
from ...linalg import dense
from ...linalg.scalar_sets import ScalarSets
from ...model.model import Model
from ..closed.closure_factors import selected_rows
from ..closed.closure_paths import Drive
from ..closed.independent_velocities import velocity_split
from ..constraints.joint_rows import joint_rows, without_solved_effects
from ..dynamics.mass_matrix import kinetic_metric, mass_factors
from ..registry.forms import by_form
from .impacts import RowVelocities, step_with_stops
from .linearly_implicit import implicit_velocity, resistance
from .runge_kutta import step_acceleration
from .state import State
from .step_inputs import StepInputs

IMPULSES = "impulses"
"""Name of the impulses of the rows (n,) among what steps keep [N m s, N s]."""


class FreeVelocity(NamedTuple):
    """The velocity after a step without rows."""

    v: Array
    respond: Callable[[Array], Array]
    """Impulses (nv, n) → changes of the velocity W⁻¹ (nv, n)."""
    advance: Callable[[Array, Array], tuple[Array, Array]]
    """(w, v) → q after the step along w, and v in the axes of then."""


def _of_tree(model: Model, q: Array, drive: Drive, added: Array | None = None) -> Callable[[Array], Array]:
    """(M + A)⁻¹."""
    return partial(dense.solve, mass_factors(model, q) if added is None else kinetic_metric(model, q, added=added))


def _of_closed_chain(model: Model, q: Array, drive: Drive, added: Array | None = None) -> Callable[[Array], Array]:
    """(M + A)⁻¹, less what loops take away to stay closed."""
    at = selected_rows(model, q, velocity_split(model), drive, added=added)

    def respond(columns: Array) -> Array:
        free = dense.solve(at.factors.mass, columns)
        return free - at.factors.response(at.factors.multipliers(at.K @ free))

    return respond


_response = by_form(tree=_of_tree, closed=_of_closed_chain)


def _free_semi_implicit(model: Model, q: Array, v: Array, dt: Array, inputs: StepInputs) -> FreeVelocity:
    after = v + dt * (step_acceleration(model, q, v, 0.0, inputs) + model.axis_rate(v))
    respond = _response(model, q, inputs.external.drive)
    return FreeVelocity(after, respond, lambda w, v: model.advance(q, v, dt, along=w))


def _free_implicit(model: Model, q: Array, v: Array, dt: Array, inputs: StepInputs) -> FreeVelocity:
    after, there = implicit_velocity(model, q, v, dt, inputs), model.integrate(q, dt * v)
    respond = _response(model, there, inputs.external.drive_after(model, dt), resistance(model, there, v, dt, inputs))
    return FreeVelocity(after, respond, lambda w, v: (model.integrate(q, dt * w), v))


FREE_VELOCITIES: dict[str, Callable[..., FreeVelocity]] = {
    "semi-implicit": _free_semi_implicit,
    "implicit": _free_implicit,
}
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
    rows, start, (q, v) = joint_rows(model), state.kept.get(IMPULSES), state[:2]
    free = FREE_VELOCITIES[method](without_solved_effects(model), q, v, dt, inputs)
    at = RowVelocities.of(rows, free.v, free.respond, model)
    if not rows.has_stops:
        found = at.solved(ScalarSets(rows.lower, rows.upper, dt * rows.friction), start)
        v = at.velocity(found)
        return State(*free.advance(v, v), {IMPULSES: found.x})
    w, found = step_with_stops(rows, at, q, v, dt, start)
    q, v = free.advance(w, at.velocity(found))
    return State(rows.within_stops(q), v, {IMPULSES: found.x})
