"""Accelerations of rows of frames by forces, J M⁻¹ τ, and the forces for accelerations: in three ways, without M⁻¹.

With the factors M = N Ω Nᵀ (Rodriguez and Kreutz (4.16), Identity 5.1) and the unit wrenches F of
the rows, one sweep inward,

    ε_i = F_i S_i,    F_p = Σ (F_i − ε_i G_i) Ad_{X⁻¹},    Λ⁻¹ = J M⁻¹ Jᵀ = Σ ε_i Ω_i⁻¹ ε_iᵀ

is B ψᵀ Hᵀ D⁻¹ H ψ Bᵀ. Cross terms of several frames are in the sum: joints that carry both contribute, for others one
of the two rows ε is zero. With the innovations ν of joint forces b, J M⁻¹ b = Σ ε_i ν_i; and M⁻¹ Jᵀ Λ is the smoother's
sweep outward of Ω⁻¹ εᵀ Λ. The rows are carried by force propagators, as in the extended-force-propagator algorithm
(EFPA). For a few velocities the dense factors of M cost less.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from ...arrays import Array, map_rows, stack
from ...lie.inertia import symmetric
from ...linalg import dense
from ...model import WORLD, Model, elimination_tree
from ...model.elimination import TreeBody
from ...support.attributes import cached_property
from ..closed.closures import closure_jacobian, row_selection
from ..derivatives.closed_chains import closed_inverse
from ..dynamics.articulated_body import Articulated, articulate, innovation, smoother
from ..dynamics.forward_dynamics import forward_dynamics
from ..dynamics.inverse_dynamics import inverse_dynamics
from ..dynamics.mass_matrix import mass_factors
from ..registry.choices import ExpressedIn
from ..sweeps.tree import inward, outward
from .task_rows import Task, task_acceleration, task_jacobian, task_wrenches

DENSE_UP_TO_NV = 7
"""Velocities up to which the dense factors of M cost less than sweeps."""
LOOP_FROM_ENTRIES = 300
"""Entries of an inverse from which its columns are computed in a loop: a straight line would take long to compile."""


class TaskResponse(ABC):
    """Accelerations of the rows J of some tasks by forces, and the inverse."""

    def __init__(self, model: Model, q: Array, tasks: tuple[Task, ...], expressed_in: ExpressedIn) -> None:
        self.model, self.q, self.tasks, self.expressed_in = model, q, tasks, expressed_in

    @cached_property
    def J(self) -> Array:
        """(rows, nv)."""
        return task_jacobian(self.model, self.q, self.tasks, self.expressed_in)

    def acceleration(self, v: Array, a: Array) -> Array:
        """J a + J̇ v (rows,)."""
        return task_acceleration(self.model, self.q, v, a, self.tasks, self.expressed_in)

    def factors(self, task_damping: Array | None) -> dense.Factors:
        """Of Λ⁻¹, with what damping adds."""
        C = self.compliance()
        return dense.factor(C if task_damping is None else C + task_damping * task_damping * np.eye(len(C)))

    def drift(self, v: Array) -> Array:
        """The acceleration (rows,) while the joints carry no force."""
        still = np.zeros(self.model.nv)
        return self.acceleration(v, still) - self.acceleration_by_forces(inverse_dynamics(self.model, self.q, v, still))

    @abstractmethod
    def compliance(self) -> Array:
        """Λ⁻¹ (rows, rows)."""

    @abstractmethod
    def acceleration_by_forces(self, tau: Array) -> Array:
        """J M⁻¹ τ (rows,)."""

    @abstractmethod
    def inverse(self, f: dense.Factors) -> Array:
        """M⁻¹ Jᵀ Λ (nv, rows), from the factors of Λ⁻¹."""


def carried_rows(
    body: TreeBody, beyond: tuple[Array, Array], at: Articulated, start: Array
) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """ε_i and the sum of the compliances from here on, of the unit wrenches on the body and beyond."""
    F = beyond[0] + start
    e = F @ at.S
    C = beyond[1] + dense.inverse_form(at.factors, e.T)
    F_plus = (F - e @ at.G) @ body.zero_joint_directions(np.eye(F.shape[1]))
    return (e, C), (at.X.Ad_inv_dual(F_plus), C)


class ResponseBySweeps(TaskResponse):
    """By the sweeps above: in O(n) for each row."""

    def __init__(self, model: Model, q: Array, tasks: tuple[Task, ...], expressed_in: ExpressedIn) -> None:
        super().__init__(model, q, tasks, expressed_in)
        self.tree, self.at = elimination_tree(model), articulate(model, q)
        starts = self.tree.with_shared(task_wrenches(model, q, tasks, expressed_in))
        self.rows = sum(len(x.rows) for x in tasks)
        nothing = np.zeros((self.rows, self.tree.width)), np.zeros((self.rows, self.rows))
        results = inward(self.tree, carried_rows, nothing, self.at, starts)
        self.e = [e for e, _ in results]
        self.sums = [C for body, (_, C) in zip(self.tree.bodies, results, strict=True) if body.parent == WORLD]

    def compliance(self) -> Array:
        """Λ⁻¹ (rows, rows)."""
        return symmetric(sum(self.sums, start=np.zeros((self.rows, self.rows))))

    def acceleration_by_forces(self, tau: Array) -> Array:
        """J M⁻¹ τ (rows,)."""
        nothing = np.zeros(self.tree.width)
        none = [nothing] * len(self.tree.bodies)
        nu = inward(self.tree, innovation, nothing, self.at, self.tree.split_v(tau), none, none)
        return sum((e @ x for e, x in zip(self.e, nu, strict=True)), start=np.zeros(self.rows))

    def inverse(self, f: dense.Factors) -> Array:
        """M⁻¹ Jᵀ Λ (nv, rows), from the factors of Λ⁻¹."""
        nu = self.tree.gather([dense.solve(at.factors, e.T) for at, e in zip(self.at, self.e, strict=True)])
        if nu.size > LOOP_FROM_ENTRIES:
            return map_rows(lambda x: self.smooth(nu @ x), symmetric(dense.upper_inverse(f))).T
        return stack([self.smooth(x) for x in dense.solve(f, nu.T)])

    def smooth(self, nu: Array) -> Array:
        """N⁻ᵀ ν (nv,): the joints' accelerations by innovations."""
        none = [np.zeros(self.tree.width)] * len(self.tree.bodies)
        states = outward(self.tree, smoother, (none[0], None), self.at, self.tree.split_v(nu), none)
        return self.tree.gather([x for _, x in states])


class ResponseByFactors(TaskResponse):
    """By the dense factors of M = N D Nᵀ: J N⁻ᵀ are the rows ε."""

    def __init__(self, model: Model, q: Array, tasks: tuple[Task, ...], expressed_in: ExpressedIn) -> None:
        super().__init__(model, q, tasks, expressed_in)
        self.f = mass_factors(model, q)

    def compliance(self) -> Array:
        """Λ⁻¹ (rows, rows)."""
        return symmetric(dense.inverse_form(self.f, self.J.T))

    def acceleration_by_forces(self, tau: Array) -> Array:
        """J M⁻¹ τ (rows,)."""
        return dense.pivot_solve(self.f, dense.unit_solve(self.f, self.J.T)).T @ dense.unit_solve(self.f, tau)

    def inverse(self, f: dense.Factors) -> Array:
        """M⁻¹ Jᵀ Λ (nv, rows), from the factors of Λ⁻¹."""
        nu = dense.pivot_solve(self.f, dense.unit_solve(self.f, self.J.T))
        return dense.unit_transposed_solve(self.f, dense.solve(f, nu.T).T)


class ClosedResponse(TaskResponse):
    """With closures: by P."""

    def __init__(self, model: Model, q: Array, tasks: tuple[Task, ...], expressed_in: ExpressedIn) -> None:
        super().__init__(model, q, tasks, expressed_in)
        K = closure_jacobian(model, q)
        self.P = closed_inverse(model, q, row_selection(model, K) @ K)[0]

    def compliance(self) -> Array:
        """Λ⁻¹ (rows, rows)."""
        return self.J @ (self.P @ self.J.T)

    def acceleration_by_forces(self, tau: Array) -> Array:
        """J P τ (rows,)."""
        return self.J @ (self.P @ tau)

    def drift(self, v: Array) -> Array:
        """The acceleration (rows,) while the joints carry no force."""
        return self.acceleration(v, forward_dynamics(self.model, self.q, v, np.zeros(self.model.nv)))

    def inverse(self, f: dense.Factors) -> Array:
        """P Jᵀ Λ (nv, rows), from the factors of Λ⁻¹."""
        return dense.solve(f, (self.P @ self.J.T).T).T


def task_response(model: Model, q: Array, tasks: tuple[Task, ...], expressed_in: ExpressedIn) -> TaskResponse:
    """The way that costs least."""
    way = ClosedResponse if model.closures else ResponseByFactors if model.nv <= DENSE_UP_TO_NV else ResponseBySweeps
    return way(model, q, tasks, expressed_in)
