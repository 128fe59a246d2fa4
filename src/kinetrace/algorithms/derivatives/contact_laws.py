"""Rows of contacts and joints at the solution of a step, and how their laws change near it.

    r(u, x) = 0,    u = K v⁺ + b + R x                                                                         (1)

are the laws with their regions, of `linalg.contact.equations`. Biases b and softness R depend on gaps and, with
restitution, on K v before the step. Softness that is relative to the compliance of a row, c = K_k M⁻¹ K_kᵀ, changes
with it: with y = M⁻¹ K_kᵀ held,

    ∂c/∂q = 2 ∂(K_k y)/∂q − ∂(yᵀ M y)/∂q                                                                       (2)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Array, concatenate, hold, stack
from ...engine.derivative import jacobian
from ...linalg import dense, solve, sparse
from ...linalg.contact.equations import law_equations
from ...linalg.contact.problem import Cone, ContactProblem, DenseCompliance
from ...model.checks import is_present
from ...model.model import Model
from ..contact.laws import follows_compliance
from ..contact.responses import DENSE_UP_TO_ROWS, row_motion
from ..contact.scene import StepImpulses, StepScene
from ..contact.slots import Slot, rows_of, surface_rows
from ..contact.solution import solver_of
from ..contact.solvers import RowLaws, row_laws, row_matrix
from ..dynamics.energy import kinetic_energy
from ..dynamics.row_responses import DenseResponses
from .contact_rows import SlotDerivatives

YIELD, YIELD_SINGLE = 1e-8, 1e-4
"""Compliance of rows that are held, relative to their own, where they are many; in single precision. Derivatives have
errors of that order, and larger ones if rows nearly depend on each other."""


SHARING = "sweeps"
"""The solver with which slots that share a load are soft."""


class LawSlopes(NamedTuple):
    """The derivatives of r (n, ·): by velocities of rows after and before the step, impulses and q."""

    u: Array
    x: Array
    before: Array
    q: Array


class BiasSlopes(NamedTuple):
    """The derivatives of b + R x (n, ·): by gaps, velocities of rows before the step, and diag G."""

    gaps: Array
    before: Array
    compliance: Array


class SolvedRows(NamedTuple):
    """Rows of joints and of some slots, and their laws at a solution."""

    scene: StepScene
    slots: list[SlotDerivatives]
    cones: tuple[Cone, ...]
    K: Array
    x: Array
    """(n,) impulses."""
    diagonal: Array
    """(n,) that of K M⁻¹ Kᵀ."""
    law: LawSlopes
    bias: BiasSlopes

    @classmethod
    def of(cls, scene: StepScene, found: StepImpulses, chosen: Mapping[int, SlotDerivatives]) -> SolvedRows:
        """Those of a solution, of some slots by their places among all."""
        slots = list(chosen.values())
        given = [of.slot for of in slots]
        K = row_matrix(scene, given)
        x = concatenate([found.joints, *(impulses(found, k, of.slot) for k, of in chosen.items())])
        motion, belts = row_motion(scene.inertia, K), _belts(scene, given)
        u, before, diagonal = K @ found.v + belts, K @ scene.v + belts, stack(motion.diagonal)
        resting = [slot._replace(sliding=None) for slot in given]
        law, bias, cones = _slopes(scene, resting, u, x, before, motion.along + belts, diagonal)
        return cls(scene, slots, cones, K, x, diagonal, law, bias)

    @property
    def of_slots(self) -> list[Array]:
        """The impulses of each slot."""
        return [self.x[cone.first : cone.first + cone.rows] for cone in self.cones]

    def responses(self, sets: Array) -> tuple[Array, Array, Array]:
        """H (nv, nv), W (nv, n), and changes of velocities by changes `sets` (n, k) of the laws."""
        if len(self.K) > DENSE_UP_TO_ROWS:
            return self._of_velocities(sets)
        at = DenseResponses(dense.factor(self.scene.inertia.W), self.K)
        system = sparse.product(self.law.u, at.compliance) + self.law.x
        solved = solve(system, concatenate([self.law.u, sets], axis=1))
        pressed, n = sparse.product(at.D_inv_Z, solved), len(self.x)
        inner = np.diag(np.ones(len(at.over))) * at.over - dense.product(pressed[:, :n], at.D_inv_Z.T)
        moved = at.smooth(pressed)
        return at.smooth(at.smooth(inner).T).T, moved[:, :n], moved[:, n:]

    def _of_velocities(self, sets: Array) -> tuple[Array, Array, Array]:
        """The same of many rows, by H = (M + Kᵀ Q⁻¹ P K)⁻¹, W = H Kᵀ Q⁻¹ P."""
        blocks = [slice(k, k + 1) for k in range(len(self.scene.joints.velocities))]
        blocks += [slice(cone.first, cone.first + cone.rows) for cone in self.cones]
        changes = concatenate([self.law.u, sets], axis=1)
        pressed = concatenate([solve(self.law.x[at, at], changes[at]) for at in blocks], axis=0)
        n, pushed = len(self.x), sparse.product(self.K.T, pressed)
        resisting = self.scene.inertia.W + sparse.product(pushed[:, :n], self.K)
        H = sparse.tree_solve(resisting, np.eye(len(resisting)))
        moved = sparse.product(H, pushed)
        return H, moved[:, :n], moved[:, n:]

    def in_q(self, v: Array) -> Array:
        """∂(K v)/∂q (n, nv), at constant v."""
        none = np.zeros((len(self.scene.joints.velocities), self.scene.model.nv))
        return concatenate([none, *(of.velocities(v) for of in self.slots)], axis=0)

    def biases(self) -> tuple[Array, Array]:
        """The derivatives of b + R x (n, nv), by q and v."""
        model, q, by = self.scene.model, self.scene.q, self.bias
        in_q = sparse.product(by.gaps, stack([of.gap() for of in self.slots], axis=0))
        if any(is_present(of.slot.law.restitution) for of in self.slots):
            in_q = in_q + sparse.product(by.before, self.in_q(self.scene.v))
        for of, cone in zip(self.slots, self.cones, strict=True):
            if follows_compliance(of.slot, solver_of(self.scene) == SHARING):
                k = cone.normal
                y = dense.solve(dense.factor(self.scene.inertia.W), self.K[k])
                half = of.velocities(y)[k - cone.first] - jacobian(kinetic_energy, wrt="q")(model, q, y)
                in_q = in_q + by.compliance[:, k : k + 1] * (2.0 * half)[None, :]  # (2)
        return in_q, sparse.product(by.before, self.K)


def impulses(found: StepImpulses, k: int, slot: Slot) -> Array:
    """Those of a slot; a normal alone is in one of all places."""
    rows = rows_of(slot.law)
    return found.slots[k, :rows] if rows > 1 else stack([sum(found.slots[k], start=0.0)])


def _slopes(
    scene: StepScene, slots: list[Slot], u: Array, x: Array, before: Array, along: Array, diagonal: Array
) -> tuple[LawSlopes, BiasSlopes, tuple[Cone, ...]]:
    """Derivatives of laws at velocities of rows after the step, before it, and without impulses; and the cones."""

    def laws(gaps: Array, before: Array, diagonal: Array, q: Array, rest: Any) -> RowLaws:
        dt, along = rest
        here = [slot._replace(gap=gaps[k]) for k, slot in enumerate(slots)]
        return row_laws(scene._replace(q=q, dt=dt), here, before, along, diagonal, solver_of(scene) == SHARING)

    def equations(
        model: Model, u: Array, x: Array, before: Array, q: Array, gaps: Array, diagonal: Array, rest: Any
    ) -> Array:
        of = laws(gaps, before, diagonal, q, rest)
        problem = ContactProblem(DenseCompliance(np.diag(diagonal)), u, of.sets, of.cones)
        return law_equations(problem, u + hold(of.bias) + hold(stack(of.softness)) * x, x, *yields)

    def biases(model: Model, gaps: Array, before: Array, compliance: Array, q: Array, x: Array, rest: Any) -> Array:
        of = laws(gaps, before, compliance, q, rest)
        return of.bias + stack(of.softness) * x

    yields = () if len(x) <= DENSE_UP_TO_ROWS else (YIELD, YIELD_SINGLE)
    q, gaps, rest = scene.q, stack([slot.gap for slot in slots]), (scene.dt, along)
    law = jacobian(equations, wrt=LawSlopes._fields)(scene.model, u, x, before, q, gaps, diagonal, rest)
    bias = jacobian(biases, wrt=BiasSlopes._fields)(scene.model, gaps, before, diagonal, q, x, rest)
    return LawSlopes(*law), BiasSlopes(*bias), laws(gaps, before, diagonal, q, rest).cones


def _belts(scene: StepScene, slots: Sequence[Slot]) -> Array:
    """The part (n,) of surfaces in velocities of rows."""
    each = [np.zeros(len(scene.joints.velocities))]
    return concatenate(each + [surface_rows(slot, rows_of(slot.law)) for slot in slots])
