"""Derivatives of steps with contacts, analytic: of trees, by the method "semi-implicit".

With a = (v⁺ − v) / h less the turning of axes, the step of `time.contact_steps` is

    h ID(q, v, a) − h τ − Kᵀ x = 0,        r(u, x) = 0,    u = K v⁺ + b + R x                                  (1)

where r are the laws of rows (`contact_laws`). So with P = ∂r/∂u, Q = ∂r/∂x + P R, M = N D Nᵀ and Z = N⁻¹ Kᵀ,

    S = (P K M⁻¹ Kᵀ + Q)⁻¹ P,    W = M⁻¹ Kᵀ S,    H = M⁻¹ − W K M⁻¹ = N⁻ᵀ (D⁻¹ − D⁻¹ Z S Zᵀ D⁻¹) N⁻¹              (2)
    δv⁺ = H [h δτ − h ∂ID/∂q δq − h ∂ID/∂v δv + ∂(Kᵀ x)/∂q δq]
        + (1 − W K) (δv + h δ(turning)) − W (∂(K v⁺)/∂q δq + δb + δR x)                                        (3)

H is what impulses change: M⁻¹ where nothing touches, and zero along all that sticks. Of many rows it is
(M + Kᵀ Q⁻¹ P K)⁻¹, with a small compliance of what sticks. ∂ID are the sweeps of `derivatives.tree`; how velocities and
forces of rows change with the places of contacts is in `contact_rows`.

There are no derivatives where contacts begin to touch, to stick or to slip, where a joint meets its stop or is released
by friction, and where the law of a gap has a kink: those of one side are given, and none is NaN. What begins the
iterations of a step has no influence on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...arrays import Array, abs, concatenate, less, maybe
from ...engine.derivative import jacobian
from ...linalg import dense, sparse
from ...linalg.dense import product
from ...model.model import Model
from ..contact.scene import StepImpulses, StepScene
from ..contact.slots import slot_places
from ..contact.solution import solved_step
from ..time.contact_steps import contact_scene
from ..time.runge_kutta import Evaluation, StepEnd
from ..time.state import State
from ..time.step_inputs import StepInputs
from .contact_laws import SolvedRows
from .contact_rows import matrix_of_blocks, slot_derivatives
from .dynamics import inverse_dynamics_derivatives
from .varied_system import LinearisedValue, varied_system

LEAST_CHANGE = 1e-10
"""Of velocities in a sweep, which ends it: errors of the solution, relative to slip, are those of derivatives [m/s]."""


def contact_step_end(model: Model, state: State, dt: Array, inputs: StepInputs) -> StepEnd:
    """The end of a step with its derivatives by (δq, δv, δτ)."""
    scene, start, _ = contact_scene("semi-implicit", model, state, dt, inputs)
    scene = scene._replace(least_change=LEAST_CHANGE)
    at = _Linearised.of(scene, solved_step(scene, start), inputs)
    by_q, _, by_tau = np.eye(3 * model.nv).reshape(3, model.nv, 3 * model.nv)
    robot = varied_system(scene.model, LinearisedValue(inputs.tau, by_tau), inputs.external)
    assert robot.advance is not None
    here = LinearisedValue(state.q, by_q)
    q_after, v_after = robot.advance(here, LinearisedValue(at.found.v, at.velocities()), dt)
    return StepEnd(q_after, v_after, Evaluation(here, 0.0))


class _Linearised(NamedTuple):
    """A step at its solution."""

    scene: StepScene
    found: StepImpulses
    turning: Array
    """(nv, nv) the derivative of v + h (turning of axes) by v."""
    forces: tuple[Array, Array]
    """(nv, nv) h ∂ID/∂q and h ∂ID/∂v."""

    @classmethod
    def of(cls, scene: StepScene, found: StepImpulses, inputs: StepInputs) -> _Linearised:
        """What does not depend on which slots are solved for."""
        model, q, v, dt = scene.model, scene.q, scene.v, scene.dt
        a = (found.v - v) / dt - model.axis_rate(v)
        external = inputs.external_at(model, q, v, 0.0)
        by_q, by_v, _ = inverse_dynamics_derivatives(model, q, v, a, **external.of_tree)
        return cls(
            scene=scene,
            found=found,
            turning=np.eye(model.nv) + dt * jacobian(Model.axis_rate, wrt="v")(model, v),
            forces=(dt * by_q, dt * by_v),
        )

    def velocities(self) -> Array:
        """δv⁺ (nv, 3 nv); pairs that rarely touch are left out where none of them does."""
        pairs, places = self.scene.contacts.pairs, slot_places(self.scene.contacts)
        often = [k for k, pair in enumerate(pairs) if pair.often]
        rare = [k for k, pair in enumerate(pairs) if not pair.often]
        if not (often and rare):
            return self._velocities(range(len(pairs)))
        pressed = [abs(x) for k in rare for place in places[k] for x in self.found.slots[place]]
        touches = less(0.0, dense.largest(pressed))
        return maybe(touches, lambda: self._velocities([*often, *rare]), self._velocities(often))

    def _velocities(self, pairs: Sequence[int]) -> Array:
        """δv⁺ (nv, 3 nv), of some pairs."""
        scene, found, n, dt = self.scene, self.found, self.scene.model.nv, self.scene.dt
        rows = SolvedRows.of(scene, found, slot_derivatives(scene, pairs))
        no_sets = np.zeros((len(rows.K), 0))
        by_sets = concatenate([rows.law.q, rows.law.before], axis=1) if scene.joints else no_sets
        H, W, of_sets = rows.responses(by_sets)  # (2)
        of_forces = [of.forces(x) for of, x in zip(rows.slots, rows.of_slots, strict=True)]
        moved = matrix_of_blocks(scene.model, of_forces)
        row_q, row_v = rows.biases()
        row_q, row_v = row_q + rows.in_q(found.v), row_v + sparse.product(rows.K, self.turning)
        after_q = product(H, moved - self.forces[0]) - sparse.product(W, row_q)
        after_v = self.turning - sparse.product(W, row_v) - product(H, self.forces[1])  # (3)
        if scene.joints:
            after_q, after_v = after_q - of_sets[:, :n], after_v - sparse.product(of_sets[:, n:], rows.K)
        return concatenate([after_q, after_v, dt * H], axis=1)
