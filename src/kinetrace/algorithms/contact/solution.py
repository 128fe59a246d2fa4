"""Impulses of contacts, and of joints' dry friction and stops, in one step: which slots, which solver.

    v⁺ = v* + W⁻¹ Kᵀ x,    u = K v⁺ + b,    x and u in the sets of `linalg.contact.problem`

with the rows K of joints and of slots where the step begins, and the biases b of `laws`. Shapes in the middle of limbs
are mostly far from all others: their slots are solved for only where they would pass through another shape,

    u_N⁺ + b < 0        in the motion v⁺ that the other slots leave

which is the case in no solution: so nothing is lost. Whether they are near enough for that is asked first (`far`).

Sweeps serve contacts with the world; where bodies press on each other they come to a solution slowly, and Newton's
method serves, unless the bodies are very many.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...arrays import Array, less, maybe
from ...lie import so3
from ...linalg import dense
from ...model import WORLD, Model
from ...model.contact import Contacts
from ..kinematics.forward_kinematics import link_velocities
from .far import have_ends, may_touch
from .laws import normal_law
from .scene import StepImpulses, StepScene
from .slots import Slot
from .solvers import SOLVERS

NEWTON_UP_TO = 36
"""Velocities up to which the matrix of Newton's method costs less than sweeps."""


def automatic_solver(model: Model, contacts: Contacts) -> str:
    """The solver that suits what touches often."""
    bodies = [[contacts.shapes[k].body for k in (pair.a, pair.b)] for pair in contacts.pairs if pair.often]
    press = any(WORLD not in both for both in bodies)
    return "newton" if press and model.nv <= NEWTON_UP_TO else "sweeps"


def solver_of(scene: StepScene) -> str:
    """The solver of a step."""
    asked = scene.contacts.solver
    return automatic_solver(scene.model, scene.contacts) if asked == "automatic" else asked


def solved_step(scene: StepScene, start: StepImpulses) -> StepImpulses:
    """The impulses, from others near them."""
    contacts = scene.contacts
    solve = SOLVERS[solver_of(scene)]
    often = [k for k, pair in enumerate(contacts.pairs) if pair.often]
    rare = [k for k, pair in enumerate(contacts.pairs) if not pair.often]
    first = scene.slots(often)
    found = solve(scene, first, start)
    if not rare:
        return found

    def with_rare() -> StepImpulses:
        rest = scene.slots(rare)
        passes = _would_pass(scene, list(rest.values()), found.v)
        return _maybe(passes, lambda: solve(scene, first | rest, start), found)

    if not have_ends(contacts, rare):
        return with_rare()
    near = may_touch(scene.model, contacts, rare, scene.q, found.v, scene.dt, scene.poses)
    return _maybe(near, with_rare, found)


def _maybe(condition: Any, f: Callable[[], StepImpulses], otherwise: StepImpulses) -> StepImpulses:
    return StepImpulses(*maybe(condition, lambda: tuple(f()), tuple(otherwise)))


def _would_pass(scene: StepScene, slots: Sequence[Slot], v: Array) -> Any:
    """Whether shapes of any of these slots would pass through each other."""
    twists = link_velocities(scene.model, scene.q, v)

    def at(body: int, point: Array) -> Array:
        if body == WORLD:
            return np.zeros(3)
        X, V = scene.poses[body], twists[body].V
        return X[:3, :3] @ (V[3:] + so3.cross(V[:3], X[:3, :3].T @ (point - X[:3, 3])))

    passes = []
    for slot in slots:
        u = slot.frame[2] @ (at(slot.bodies[0], slot.point) - at(slot.bodies[1], slot.point))
        passes.append(-(u + normal_law(slot, scene.dt, u, u, 1.0).bias))
    return less(0.0, dense.largest(passes))
