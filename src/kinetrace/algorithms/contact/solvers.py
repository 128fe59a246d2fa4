"""The solvers of contacts on the slots of a scene: rows, biases and softness in, impulses out.

"sweeps" takes rows of joints first, then those of slots, as many as each has; "newton" the slots first, all with as
many rows, and W in the place of K W⁻¹ Kᵀ. A softness that shares loads is for sweeps alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Array, concatenate, hold, less, stack
from ...linalg import dense
from ...linalg.contact.equations import with_implicit_derivatives
from ...linalg.contact.laws import ConeLaws, row_compliances
from ...linalg.contact.newton import Closures, solve_by_newton
from ...linalg.contact.problem import Cone, ContactProblem
from ...linalg.contact.sweeps import solve_by_sweeps
from ...linalg.scalar_sets import ScalarSets
from .laws import NormalLaw, normal_law
from .responses import row_motion
from .scene import StepImpulses, StepScene
from .slots import Slot, rows_of, surface_rows

MANY_SLOTS = 16
"""Slots beyond which sweeps leave out pairs that are far."""
FAR_SPEED = 5.0
"""Speed at which they would part without contacts [m/s]: more than impulses of others bring them together at."""

Solver = Callable[[StepScene, Mapping[int, Slot], StepImpulses], StepImpulses]
"""(scene, slots by their places among all, start) → impulses, those of other slots being zero."""


def by_sweeps(scene: StepScene, chosen: Mapping[int, Slot], start: StepImpulses) -> StepImpulses:
    """See `linalg.contact.sweeps`."""
    slots = list(chosen.values())
    K = row_matrix(scene, slots)
    motion = row_motion(scene.inertia, K)
    of = row_laws(scene, slots, K @ scene.v, motion.along, motion.diagonal, shares=True)
    problem = ContactProblem(motion.compliance(of.softness), motion.along + of.bias, of.sets, of.cones)
    impulses = [start.slots[k, : rows_of(slot.law)] for k, slot in chosen.items()]
    begin = concatenate([start.joints, *impulses]), stack([start.slip[k] for k in chosen])
    found = solve_by_sweeps(problem, *begin, scene.least_change)
    x, slip, residual = with_implicit_derivatives(problem, found.x), hold(found.slip), hold(found.residual)
    rows = {k: [x[i] for i in cone.places] for k, cone in zip(chosen, problem.cones, strict=True)}
    return StepImpulses(
        motion.after(x),
        x[: problem.scalars],
        _of_all(start.slots, rows),
        _of_all(start.slip[:, None], {k: [slip[i]] for i, k in enumerate(chosen)})[:, 0],
        residual,
    )


def row_matrix(scene: StepScene, slots: Sequence[Slot]) -> Array:
    """K (n, nv) of joints and of slots."""
    of_slots = (scene.jacobian(slot, rows_of(slot.law)) for slot in slots)
    return concatenate([scene.joints.columns(scene.model.nv).T, *of_slots], axis=0)


class RowLaws(NamedTuple):
    """Laws of rows: those of joints, then those of slots."""

    bias: Array
    """(n,) b."""
    softness: Sequence[Any]
    """R of each."""
    sets: ScalarSets
    cones: tuple[Cone, ...]


def row_laws(
    scene: StepScene, slots: Sequence[Slot], before: Array, along: Array, diagonal: Sequence[Any], shares: bool
) -> RowLaws:
    """Those of rows with velocities `before` (n,) the step and `along` without impulses, and diag K W⁻¹ Kᵀ.

    With `shares`, slots that share a load are as soft as sweeps need them.
    """
    n = len(scene.joints.velocities)
    bias: list[Any] = [0.0] * len(before)
    softness: list[Any] = [0.0] * len(before)
    cones, at = [], n
    for slot in slots:
        cone = Cone(at, rows_of(slot.law), slot.law.friction, slot.law.torsion, slot.law.rolling)
        k, at = cone.normal, at + cone.rows
        if slot.sliding is not None:
            bias[cone.first : at] = [*surface_rows(slot, cone.rows)]
        law = normal_law(slot, scene.dt, before[k] + bias[k], along[k] + bias[k], diagonal[k])
        bias[k], softness[k] = bias[k] + law.bias, law.sharing if shares else law.softness
        cones.append(cone)
    if len(cones) > MANY_SLOTS:
        cones = _asked_by_pairs(slots, cones, [along[cone.normal] + bias[cone.normal] for cone in cones])
    return RowLaws(stack(bias) if bias else np.zeros(0), softness, scene.joint_sets(before[:n]), tuple(cones))


def _asked_by_pairs(slots: Sequence[Slot], cones: list[Cone], normal: list[Any]) -> list[Cone]:
    """The cones, those of a pair together left out if it is far: it would part at more than a speed."""
    found = list[Cone]()
    for _, together in groupby(range(len(cones)), lambda i: slots[i].pair):
        members = list(together)
        near = less(-dense.largest([-normal[i] for i in members]), FAR_SPEED)
        found += [cones[i]._replace(near=near) for i in members]
    return found


def by_newton(scene: StepScene, chosen: Mapping[int, Slot], start: StepImpulses) -> StepImpulses:
    """See `linalg.contact.newton`."""
    slots, of = list(chosen.values()), scene.inertia
    n, rows = len(slots), max([3, *(rows_of(slot.law) for slot in slots)])
    K = concatenate([*(scene.jacobian(slot, rows) for slot in slots), scene.joints.columns(scene.model.nv).T], axis=0)
    before, free = K @ scene.v, K @ _free_velocity(scene, slots)
    belts = concatenate([*(surface_rows(slot, rows) for slot in slots), np.zeros(len(before) - n * rows)])
    compliances = row_compliances(of.W, K, _cones(slots, [NormalLaw(0.0, 0.0, 0.0)] * n, rows))
    normals = range(2, n * rows, rows)
    laws = [
        normal_law(slot, scene.dt, before[i] + belts[i], free[i] + belts[i], compliances[i])
        for slot, i in zip(slots, normals, strict=True)
    ]
    loops = None if of.loops is None else Closures(of.loops.K, of.loops.K @ of.v)
    impulses = [_as_long(start.slots[k], slot, rows) for k, slot in chosen.items()]
    begin, sets = concatenate([*impulses, start.joints]), scene.joint_sets(before[n * rows :])
    cones = _cones(slots, laws, rows)
    found = solve_by_newton(of.W, K, of.v, cones, sets, loops, begin, of.push, belts)
    each = {k: [found.x[rows * i + j] for j in _own_rows(slot)] for i, (k, slot) in enumerate(chosen.items())}
    return StepImpulses(
        found.v,
        found.x[n * rows :],
        _of_all(start.slots, each),
        _of_all(start.slip[:, None], {k: [found.slip[i]] for i, k in enumerate(chosen)})[:, 0],
        found.residual,
    )


def _free_velocity(scene: StepScene, slots: Sequence[Slot]) -> Array:
    """v* (nv,), which impacts ask for."""
    of = scene.inertia
    if of.push is None:
        return of.v
    return of.v + dense.solve(dense.factor(of.W), of.push)


def _cones(slots: Sequence[Slot], laws: Sequence[NormalLaw], rows: int) -> ConeLaws:
    of = [slot.law for slot in slots]
    return ConeLaws(
        stack([law.friction for law in of]),
        stack([law.bias for law in laws]),
        stack([law.softness for law in laws]),
        stack([law.torsion for law in of]) if rows > 3 else None,
        stack([law.rolling for law in of]) if rows > 4 else None,
    )


def _own_rows(slot: Slot) -> range:
    """The rows that a slot has, of those of Newton's method: without friction that of the normal."""
    n = rows_of(slot.law)
    return range(2, 3) if n == 1 else range(n)


def _as_long(x: Array, slot: Slot, rows: int) -> Array:
    """Kept impulses of a slot, in all these rows."""
    known = dict(zip(_own_rows(slot), x, strict=False))
    return stack([known.get(k, 0.0) for k in range(rows)])


def _of_all(like: Array, rows: Mapping[int, Sequence[Any]]) -> Array:
    """Rows of an array of that shape, the others zero."""
    n, width = like.shape
    each = [[*rows.get(k, ())] for k in range(n)]
    return stack([stack([*x, *([0.0] * (width - len(x)))]) for x in each], axis=0)


SOLVERS: Mapping[str, Solver] = {"sweeps": by_sweeps, "newton": by_newton}
"""Name → solver."""
