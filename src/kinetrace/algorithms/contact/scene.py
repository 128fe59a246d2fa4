"""All that may touch at the beginning of a step, and the impulses of one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ...arrays import Array, less, maximum, minimum, where
from ...linalg.scalar_sets import ScalarSets
from ...model import Model
from ...model.contact import Contacts
from ..constraints.joint_rows import JointRows
from ..kinematics.forward_kinematics import body_poses
from .responses import StepInertia
from .slots import JointScrews, Slot, joint_screws, slot_jacobian, slot_places, slots_of_pair


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


class StepScene(NamedTuple):
    """A state, and a step without rows."""

    model: Model
    q: Array
    v: Array
    dt: Array
    joints: JointRows
    contacts: Contacts
    poses: dict[int, Array]
    screws: JointScrews
    inertia: StepInertia
    least_change: float | None = None
    """Of velocities in a sweep, which ends it; None: as usual [m/s]."""

    @classmethod
    def of(
        cls, model: Model, contacts: Contacts, joints: JointRows, q: Array, v: Array, dt: Array, inertia: StepInertia
    ) -> StepScene:
        """That of a state."""
        poses = body_poses(model, q)
        return cls(model, q, v, dt, joints, contacts, poses, joint_screws(model, q, poses), inertia)

    def slots(self, pairs: Iterable[int]) -> dict[int, Slot]:
        """The slots of some pairs, by their places among all."""
        places, of = slot_places(self.contacts), self.contacts
        found = ((places[k], slots_of_pair(of, k, self.poses)) for k in pairs)
        return {place: slot for own, each in found for place, slot in zip(own, each, strict=True)}

    def jacobian(self, slot: Slot, rows: int) -> Array:
        """K (rows, nv) of a slot."""
        return slot_jacobian(self.model, self.poses, self.screws, slot, rows)

    def joint_sets(self, before: Array) -> ScalarSets:
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
