"""Steps that solve for contacts, together with dry friction and hard stops of joints, at the level of velocities.

    v⁺ = v* + W⁻¹ Kᵀ x,    u = K v⁺ + b                                                                        (1)

with the rows K of joints and of slots (`contact.slots`) where the step begins, the sets of `linalg.contact_problem`,
and biases b by the laws of surfaces (`contact.laws`). W is M of `semi-implicit`, and of `implicit` M with what resists
in the step; closed loops stay closed. Trees have W = N D Nᵀ, and with the impulse p of all that acts but the rows

    Z = N⁻¹ Kᵀ,    G = Zᵀ D⁻¹ Z,    K v* = K v + Zᵀ D⁻¹ N⁻¹ p,    v⁺ = v + N⁻ᵀ D⁻¹ (N⁻¹ p + Z x)                (2)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Array, concatenate, less, maximum, minimum, stack, where
from ...linalg import dense, sparse
from ...linalg.contact_problem import (
    Compliance,
    Cone,
    ContactImpulses,
    ContactProblem,
    DenseCompliance,
    SparseCompliance,
    SparseRow,
)
from ...linalg.contact_sweeps import solve_by_sweeps
from ...linalg.scalar_sets import ScalarSets
from ...model.contact import Contacts
from ...model.contact.inputs import with_contact_inputs
from ...model.model import Model
from ..constraints.joint_rows import JointRows, joint_rows, without_solved_effects
from ..contact.laws import NormalLaw, normal_law
from ..contact.slots import Slot, contact_slots, joint_screws, rows_of, slot_jacobian, slot_rows
from ..dynamics.inverse_dynamics import inverse_dynamics
from ..dynamics.mass_matrix import mass_factors, mass_matrix
from ..dynamics.row_responses import DenseResponses
from ..kinematics.forward_kinematics import body_poses
from ..registry.forms import by_form
from .constrained_steps import FREE_VELOCITIES, IMPULSES
from .state import State
from .step_inputs import StepInputs

CONTACT_IMPULSES, CONTACT_SLIPS, CONTACT_RESIDUAL = "contact_impulses", "contact_slips", "contact_residual"
"""Names of what steps keep: impulses (slots, rows) along the axes of each slot [N s], |slip| / |tangential impulse| of
each (slots,) [1/kg], and how far the solution is from the law () [m/s]."""

DENSE_UP_TO_ROWS = 48
"""Rows up to which their compliance is a matrix; beyond, sweeps carry velocities."""


class FreeMotion(NamedTuple):
    """A step without rows, and what impulses along some rows K (n, nv) change."""

    compliance: Callable[[Sequence[Any]], Compliance]
    """Softness of each row → K W⁻¹ Kᵀ with it on the diagonal."""
    diagonal: Sequence[Any]
    """That of K W⁻¹ Kᵀ."""
    along: Array
    """K v* (n,)."""
    after: Callable[[Array], Array]
    """Impulses (n,) → v⁺ (nv,)."""


def _of_tree(method: str, model: Model, q: Array, v: Array, dt: Array, inputs: StepInputs, K: Array) -> FreeMotion:
    if method != "semi-implicit":
        return _of_response(method, model, q, v, dt, inputs, K)
    external = inputs.external_at(model, q, v, 0.0)
    push = dt * (inputs.tau - inverse_dynamics(model, q, v, -model.axis_rate(v), **external.of_tree))
    if len(K) > DENSE_UP_TO_ROWS:
        return _of_parts(mass_matrix(model, q), v, push, K)
    at = DenseResponses(mass_factors(model, q), K)
    y = dense.unit_solve(at.factors, push)
    along = K @ v + at.D_inv_Z.T @ y
    return _dense_motion(at.compliance, along, lambda x: v + at.smooth(at.over * y + at.D_inv_Z @ x))  # (2)


def _of_response(method: str, model: Model, q: Array, v: Array, dt: Array, inputs: StepInputs, K: Array) -> FreeMotion:
    free = FREE_VELOCITIES[method](model, q, v, dt, inputs)
    Z = free.respond(K.T)
    return _dense_motion(K @ Z, K @ free.v, lambda x: free.v + Z @ x)  # (1)


def _dense_motion(G: Array, along: Array, after: Callable[[Array], Array]) -> FreeMotion:
    diagonal = [G[k, k] for k in range(len(along))]
    return FreeMotion(
        lambda softness: DenseCompliance(G + np.eye(len(along)) * stack(softness)), diagonal, along, after
    )


def _of_parts(M: Array, v: Array, push: Array, K: Array) -> FreeMotion:
    """Rows of many bodies: W⁻¹ of each part of the tree that moves by itself."""
    parts = sparse.independent_parts(M)
    solves = [partial(dense.solve, dense.factor(M[np.ix_(part, part)])) for part in parts]

    def respond(row: SparseRow) -> SparseRow:
        found = dict[int, Any]()
        for part, solve in zip(parts, solves, strict=True):
            if not row.keys().isdisjoint(part):
                found.update(zip(part, solve(stack([row.get(k, 0.0) for k in part])), strict=True))
        return found

    rows = sparse.rows(K)
    responses = [respond(row) for row in rows]
    free = v + respond_all(parts, solves, push)
    plain = SparseCompliance(rows, responses, [0.0] * len(rows), len(v))
    return FreeMotion(
        lambda softness: plain._replace(softness=softness),
        [plain.entry(k, k) for k in range(len(rows))],
        stack([sum((x * free[j] for j, x in row.items()), start=0.0) for row in rows]),
        lambda x: free + plain.pushed(x),
    )


def respond_all(parts: Sequence[Sequence[int]], solves: Sequence[Callable[[Array], Array]], push: Array) -> Array:
    """W⁻¹ p (nv,)."""
    found: list[Any] = [0.0] * len(push)
    for part, solve in zip(parts, solves, strict=True):
        for k, x in zip(part, solve(push[list(part)]), strict=True):
            found[k] = x
    return stack(found)


_free_motion = by_form(
    tree=lambda model, method, *given: _of_tree(method, model, *given),
    closed=lambda model, method, *given: _of_response(method, model, *given),
)


def initial_contact(model: Model) -> dict[str, Array]:
    """What is kept before the first step."""
    if model.contacts is None:
        return {}
    rows = slot_rows(model.contacts)
    impulses = np.zeros((len(rows), max(rows, default=3)))
    return {CONTACT_IMPULSES: impulses, CONTACT_SLIPS: np.zeros(len(rows)), CONTACT_RESIDUAL: np.zeros(())}


def contact_step(method: str, model: Model, state: State, dt: Array, inputs: StepInputs) -> State:
    """The state after a step, and the impulses."""
    q, v = state[:2]
    joints, smooth = joint_rows(model), without_solved_effects(model)
    assert model.contacts is not None
    contacts = with_contact_inputs(model.contacts, inputs.external.contact or {})
    poses = body_poses(model, q)
    slots, screws = contact_slots(contacts, poses), joint_screws(model, q, poses)
    K = concatenate(
        [joints.columns(model.nv).T, *(slot_jacobian(model, poses, screws, slot) for slot in slots)], axis=0
    )
    free = _free_motion(smooth, method, q, v, dt, inputs, K)
    problem = _problem(joints, slots, q, K @ v, free, dt)
    kept = state.kept or initial_contact(model)
    start = concatenate([kept.get(IMPULSES, np.zeros(0)), *_flat(contacts, kept[CONTACT_IMPULSES])])
    found = solve_by_sweeps(problem, start, kept[CONTACT_SLIPS])
    after = free.after(found.x)
    q, v = smooth.advance(q, after, dt)
    kept = {IMPULSES: found.x[: problem.scalars]} if joints else {}
    return State(joints.within_stops(q), v, {**kept, **_kept(problem, found)})


def _problem(
    joints: JointRows, slots: list[Slot], q: Array, before: Array, free: FreeMotion, dt: Array
) -> ContactProblem:
    """Rows of joints, then those of slots with the biases and softness of their laws."""
    n = len(joints.velocities)
    bias: list[Any] = [np.zeros(()) for _ in range(len(before))]
    softness: list[Any] = [0.0] * len(before)
    cones, at = [], n
    for slot in slots:
        cone = Cone(at, rows_of(slot.law), slot.law.friction, slot.law.torsion, slot.law.rolling)
        k = cone.normal
        belt = [] if slot.sliding is None else list(slot.frame @ slot.sliding)
        for row, u in zip(cone.places if cone.rows > 1 else (None, None, k), belt, strict=False):
            if row is not None:
                bias[row] = bias[row] + u
        law: NormalLaw = normal_law(slot, dt, before[k] + bias[k], free.along[k] + bias[k], free.diagonal[k])
        bias[k], softness[k] = bias[k] + law.bias, law.softness
        cones.append(cone)
        at += cone.rows
    sets = _joint_sets(joints, q, before[:n], dt)
    return ContactProblem(free.compliance(softness), free.along + stack(bias), sets, tuple(cones))


def _joint_sets(joints: JointRows, q: Array, before: Array, dt: Array) -> ScalarSets:
    """Velocities that pass no stop in the step, or throw joints back from it, and the most impulse of friction."""
    if not joints:
        return ScalarSets(*np.zeros((3, 0)))
    lower, upper = (distance / dt for distance in joints.distances(q))
    below, above = joints.restitution
    return ScalarSets(
        where(less(before, lower), maximum(lower, -below * before), lower),
        where(less(upper, before), minimum(upper, -above * before), upper),
        dt * joints.friction,
    )


def _flat(contacts: Contacts, impulses: Array) -> list[Array]:
    return [x[:rows] for x, rows in zip(impulses, slot_rows(contacts), strict=True)]


def _kept(problem: ContactProblem, found: ContactImpulses) -> dict[str, Array]:
    most = max((cone.rows for cone in problem.cones), default=3)
    rows = [
        stack([*(found.x[k] for k in cone.places), *(np.zeros(()) for _ in range(most - cone.rows))])
        for cone in problem.cones
    ]
    return {CONTACT_IMPULSES: stack(rows, axis=0), CONTACT_SLIPS: found.slip, CONTACT_RESIDUAL: found.residual}
