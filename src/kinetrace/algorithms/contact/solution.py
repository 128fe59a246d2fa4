"""Impulses of contacts, and of joints' dry friction and stops, in one step: which slots, which solver.

    v⁺ = v* + W⁻¹ Kᵀ x,    u = K v⁺ + b,    x and u in the sets of `linalg.contact_problem`

with the rows K of joints and of slots where the step begins, and the biases b of `laws`. Shapes in the middle of limbs
are mostly far from all others: their slots are solved for only where they would pass through another shape,

    u_N⁺ + b < 0        in the motion v⁺ that the other slots leave

which is the case in no solution: so nothing is lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Array, concatenate, less, maximum, maybe, minimum, stack, where
from ...lie import so3
from ...linalg import dense
from ...linalg.contact_problem import Cone, ContactProblem
from ...linalg.contact_sweeps import solve_by_sweeps
from ...linalg.scalar_sets import ScalarSets
from ...model import WORLD, Model
from ...model.contact import Contacts
from ..constraints.joint_rows import JointRows
from ..kinematics.forward_kinematics import body_poses, link_velocities
from .laws import normal_law
from .responses import RowMotion, StepInertia, row_motion
from .slots import JointScrews, Slot, contact_slots, joint_screws, rows_of, slot_jacobian


class StepImpulses(NamedTuple):
    """A solution, and where the next one begins."""

    v: Array
    """v⁺ (nv,)."""
    joints: Array
    """Impulses of the rows of joints."""
    slots: Array
    """Impulses (slots, rows) along the axes of each slot; zero in rows that it has not."""
    slip: Array
    """|slip| / |tangential impulse| of each slot (slots,)."""
    residual: Array
    """How far impulses and velocities are from their laws () [m/s]."""


class Scene(NamedTuple):
    """All that may touch at the beginning of a step."""

    model: Model
    q: Array
    v: Array
    dt: Array
    joints: JointRows
    slots: list[Slot]
    poses: dict[int, Array]
    screws: JointScrews
    inertia: StepInertia

    @classmethod
    def of(
        cls, model: Model, contacts: Contacts, joints: JointRows, q: Array, v: Array, dt: Array, inertia: StepInertia
    ) -> Scene:
        """That of a state."""
        poses = body_poses(model, q)
        slots, screws = contact_slots(contacts, poses), joint_screws(model, q, poses)
        return cls(model, q, v, dt, joints, slots, poses, screws, inertia)

    def solved(self, start: StepImpulses) -> StepImpulses:
        """The impulses, from others near them."""
        first = [k for k, slot in enumerate(self.slots) if slot.often]
        rest = sorted({*range(len(self.slots))} - {*first})
        if not (first and rest):
            return self._solved_for(range(len(self.slots)), start)
        found = self._solved_for(first, start)
        return StepImpulses(
            *maybe(
                self._would_pass(rest, found.v), lambda: tuple(self._solved_for([*first, *rest], start)), tuple(found)
            )
        )

    def _would_pass(self, slots: Sequence[int], v: Array) -> Any:
        """Whether shapes of any of these slots would pass through each other."""
        twists = link_velocities(self.model, self.q, v)

        def at(body: int, point: Array) -> Array:
            if body == WORLD:
                return np.zeros(3)
            X, V = self.poses[body], twists[body].V
            return X[:3, :3] @ (V[3:] + so3.cross(V[:3], X[:3, :3].T @ (point - X[:3, 3])))

        passes = []
        for slot in (self.slots[k] for k in slots):
            u = slot.frame[2] @ (at(slot.bodies[0], slot.point) - at(slot.bodies[1], slot.point))
            passes.append(-(u + normal_law(slot, self.dt, u, u, 1.0).bias))
        return less(0.0, dense.largest(passes))

    def _solved_for(self, chosen: Sequence[int], start: StepImpulses) -> StepImpulses:
        """The impulses of some slots; those of others are zero."""
        slots = [self.slots[k] for k in chosen]
        of_slots = (slot_jacobian(self.model, self.poses, self.screws, slot) for slot in slots)
        K = concatenate([self.joints.columns(self.model.nv).T, *of_slots], axis=0)
        motion = row_motion(self.inertia, K)
        problem = self._problem(slots, K @ self.v, motion)
        impulses = [start.slots[k, : rows_of(slot.law)] for k, slot in zip(chosen, slots, strict=True)]
        found = solve_by_sweeps(problem, concatenate([start.joints, *impulses]), stack([start.slip[k] for k in chosen]))
        after = [[0.0] * start.slots.shape[1] for _ in self.slots]
        slip: list[Any] = [0.0] * len(self.slots)
        for i, (k, cone) in enumerate(zip(chosen, problem.cones, strict=True)):
            after[k][: cone.rows], slip[k] = [found.x[row] for row in cone.places], found.slip[i]
        impulses_of_slots = stack(list(map(stack, after)), axis=0)
        of_joints = found.x[: problem.scalars]
        return StepImpulses(motion.after(found.x), of_joints, impulses_of_slots, stack(slip), found.residual)

    def _problem(self, slots: Sequence[Slot], before: Array, motion: RowMotion) -> ContactProblem:
        """Rows of joints, then those of slots with the biases and softness of their laws."""
        n = len(self.joints.velocities)
        bias: list[Any] = [0.0] * len(before)
        softness: list[Any] = [0.0] * len(before)
        cones, at = [], n
        for slot in slots:
            cone = Cone(at, rows_of(slot.law), slot.law.friction, slot.law.torsion, slot.law.rolling)
            k, at = cone.normal, at + cone.rows
            if slot.sliding is not None:
                bias[k - min(cone.rows - 1, 2) : k + 1] = [*(slot.frame @ slot.sliding)][3 - min(cone.rows, 3) :]
            law = normal_law(slot, self.dt, before[k] + bias[k], motion.along[k] + bias[k], motion.diagonal[k])
            bias[k], softness[k] = bias[k] + law.bias, law.softness
            cones.append(cone)
        g = motion.along + (stack(bias) if bias else np.zeros(0))
        return ContactProblem(motion.compliance(softness), g, self._joint_sets(before[:n]), tuple(cones))

    def _joint_sets(self, before: Array) -> ScalarSets:
        """Velocities that pass no stop in the step, or throw joints back from it, and the most impulse of friction."""
        if not self.joints:
            return ScalarSets(*np.zeros((3, 0)))
        lower, upper = (distance / self.dt for distance in self.joints.distances(self.q))
        below, above = self.joints.restitution
        return ScalarSets(
            where(less(before, lower), maximum(lower, -below * before), lower),
            where(less(upper, before), minimum(upper, -above * before), upper),
            self.dt * self.joints.friction,
        )
