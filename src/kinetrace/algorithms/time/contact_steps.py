"""Steps that solve for contacts, together with dry friction and hard stops of joints, at the level of velocities.

`contact.solution` has the impulses, and the velocities after the step. Here is what a step is without them: of
"semi-implicit" the impulses of forces, in axes that do not turn; of "implicit" the velocities after its linear system,
with the inertia of that. Closed loops stay closed in both.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...arrays import Array
from ...model.contact.inputs import with_contact_inputs
from ...model.model import Model
from ..closed.closure_factors import SelectedRows, selected_rows
from ..closed.independent_velocities import velocity_split
from ..constraints.joint_rows import joint_rows, without_solved_effects
from ..contact.responses import StepInertia
from ..contact.scene import StepImpulses, StepScene
from ..contact.slots import slot_rows
from ..contact.solution import solved_step
from ..dynamics.inverse_dynamics import inverse_dynamics
from ..dynamics.mass_matrix import kinetic_matrix
from ..registry.forms import by_form
from .constrained_steps import IMPULSES
from .linearly_implicit import implicit_velocity, resistance
from .runge_kutta import step_acceleration
from .state import State
from .step_inputs import StepInputs

CONTACT_IMPULSES, CONTACT_SLIPS, CONTACT_RESIDUAL = "contact_impulses", "contact_slips", "contact_residual"
"""Names of what steps keep: impulses (slots, rows) along the axes of each slot [N s], |slip| / |tangential impulse| of
each (slots,) [1/kg], and how far the solution is from the law () [m/s]."""
Advance = Callable[[Array], tuple[Array, Array]]
"""v⁺ → q and v after the step."""


def _tree_impulses(model: Model, q: Array, v: Array, dt: Array, inputs: StepInputs) -> StepInertia:
    external = inputs.external_at(model, q, v, 0.0)
    force = inputs.tau - inverse_dynamics(model, q, v, -model.axis_rate(v), **external.of_tree)
    return StepInertia(kinetic_matrix(model, q), v, dt * force)


def _closed_velocity(model: Model, q: Array, v: Array, dt: Array, inputs: StepInputs) -> StepInertia:
    after = v + dt * (step_acceleration(model, q, v, 0.0, inputs) + model.axis_rate(v))
    loops = selected_rows(model, q, velocity_split(model), inputs.external.drive)
    return StepInertia(kinetic_matrix(model, q), after, None, loops)


_semi_implicit_inertia = by_form(tree=_tree_impulses, closed=_closed_velocity)


def _semi_implicit(model: Model, q: Array, v: Array, dt: Array, inputs: StepInputs) -> tuple[StepInertia, Advance]:
    return _semi_implicit_inertia(model, q, v, dt, inputs), lambda after: model.advance(q, after, dt)


def _loops(model: Model, q: Array, added: Array, inputs: StepInputs, dt: Array) -> SelectedRows | None:
    return selected_rows(model, q, velocity_split(model), inputs.external.drive_after(model, dt), added=added)


_loops_of = by_form(tree=lambda *_: None, closed=_loops)


def _implicit(model: Model, q: Array, v: Array, dt: Array, inputs: StepInputs) -> tuple[StepInertia, Advance]:
    there, after = model.integrate(q, dt * v), implicit_velocity(model, q, v, dt, inputs)
    added = resistance(model, there, v, dt, inputs)
    of = StepInertia(kinetic_matrix(model, there, added=added), after, None, _loops_of(model, there, added, inputs, dt))
    return of, lambda after: (model.integrate(q, dt * after), after)


CONTACT_METHODS = {"semi-implicit": _semi_implicit, "implicit": _implicit}
"""Method → (model, q, v, dt, inputs) → what it is without contacts, and how it advances."""


def initial_contact(model: Model) -> dict[str, Array]:
    """What is kept before the first step."""
    if model.contacts is None:
        return {}
    rows = slot_rows(model.contacts)
    impulses = np.zeros((len(rows), max(rows, default=3)))
    return {CONTACT_IMPULSES: impulses, CONTACT_SLIPS: np.zeros(len(rows)), CONTACT_RESIDUAL: np.zeros(())}


def contact_scene(
    method: str, model: Model, state: State, dt: Array, inputs: StepInputs
) -> tuple[StepScene, StepImpulses, Advance]:
    """What may touch in a step, where its solution begins, and what follows from v⁺."""
    q, v = state[:2]
    joints, smooth = joint_rows(model), without_solved_effects(model)
    assert model.contacts is not None
    contacts = with_contact_inputs(model.contacts, inputs.external.contact or {})
    inertia, advance = CONTACT_METHODS[method](smooth, q, v, dt, inputs)
    kept = initial_contact(model) | dict(state.kept)
    of_joints = kept.get(IMPULSES, np.zeros(len(joints.velocities)))
    start = StepImpulses(v, of_joints, kept[CONTACT_IMPULSES], kept[CONTACT_SLIPS], kept[CONTACT_RESIDUAL])
    return StepScene.of(smooth, contacts, joints, q, v, dt, inertia), start, advance


def contact_step(method: str, model: Model, state: State, dt: Array, inputs: StepInputs) -> State:
    """The state after a step, and the impulses."""
    scene, start, advance = contact_scene(method, model, state, dt, inputs)
    found = solved_step(scene, start)
    q, v = advance(found.v)
    of_joints = {IMPULSES: found.joints} if scene.joints else {}
    after = {CONTACT_IMPULSES: found.slots, CONTACT_SLIPS: found.slip, CONTACT_RESIDUAL: found.residual}
    return State(scene.joints.within_stops(q), v, of_joints | after)
