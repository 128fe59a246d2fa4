"""Accelerations of rows of frames by forces, J M⁻¹ τ, and the forces for accelerations, without M⁻¹: `row_responses`.

For a few velocities the dense factors of M cost less than sweeps. With closures P stands for M⁻¹, the inverse on the
accelerations that they allow (`derivatives.closed_chains`).
"""

from __future__ import annotations

import numpy as np

from ...arrays import Array
from ...linalg import dense
from ...model import Model
from ...support.attributes import cached_property
from ..closed.closures import closure_jacobian, row_selection
from ..derivatives.closed_chains import closed_inverse
from ..dynamics.articulated_body import articulate
from ..dynamics.forward_dynamics import forward_dynamics
from ..dynamics.inverse_dynamics import inverse_dynamics
from ..dynamics.mass_matrix import mass_factors
from ..dynamics.row_responses import DenseResponses, RowResponses, SweepResponses
from ..registry.choices import ExpressedIn
from ..registry.forms import Forms
from .task_rows import Task, task_acceleration, task_jacobian, task_wrenches

DENSE_UP_TO_NV = 7
"""Velocities up to which the dense factors of M cost less than sweeps."""


class TaskResponse:
    """Accelerations of the rows J of some tasks by forces, and the inverse."""

    def __init__(self, model: Model, q: Array, tasks: tuple[Task, ...], expressed_in: ExpressedIn) -> None:
        self.model, self.q, self.tasks, self.expressed_in = model, q, tasks, expressed_in

    @cached_property
    def J(self) -> Array:
        """(rows, nv)."""
        return task_jacobian(self.model, self.q, self.tasks, self.expressed_in)

    @cached_property
    def rows(self) -> RowResponses:
        """Of the rows J, in the way that costs least."""
        if self.model.nv <= DENSE_UP_TO_NV:
            return DenseResponses(mass_factors(self.model, self.q), self.J)
        links = articulate(self.model, self.q)
        wrenches = task_wrenches(self.model, self.q, self.tasks, self.expressed_in)
        return SweepResponses(self.model, links, wrenches, np.zeros((self.model.nv, len(wrenches[0]))))

    def acceleration(self, v: Array, a: Array) -> Array:
        """J a + J̇ v (rows,)."""
        return task_acceleration(self.model, self.q, v, a, self.tasks, self.expressed_in)

    def compliance(self) -> Array:
        """Λ⁻¹ (rows, rows)."""
        return self.rows.compliance

    def factors(self, task_damping: Array | None) -> dense.Factors:
        """Of Λ⁻¹, with what damping adds."""
        C = self.compliance()
        return dense.factor(C if task_damping is None else C + task_damping * task_damping * np.eye(len(C)))

    def acceleration_by_forces(self, tau: Array) -> Array:
        """J M⁻¹ τ (rows,)."""
        return self.rows.by_forces(tau)

    def drift(self, v: Array) -> Array:
        """The acceleration (rows,) while the joints carry no force."""
        still = np.zeros(self.model.nv)
        return self.acceleration(v, still) - self.acceleration_by_forces(inverse_dynamics(self.model, self.q, v, still))

    def inverse(self, f: dense.Factors) -> Array:
        """M⁻¹ Jᵀ Λ (nv, rows), from the factors of Λ⁻¹."""
        return self.rows.inverse(f)


class RowsOfClosedRobot(RowResponses):
    """Responses of rows J (k, nv) with closures: by P."""

    def __init__(self, model: Model, q: Array, J: Array) -> None:
        K = closure_jacobian(model, q)
        self.J, self.P = J, closed_inverse(model, q, row_selection(model, K) @ K)[0]

    @cached_property
    def compliance(self) -> Array:
        """J P Jᵀ (k, k), symmetric."""
        return self.J @ (self.P @ self.J.T)

    def by_forces(self, tau: Array) -> Array:
        """J P τ (k,)."""
        return self.J @ (self.P @ tau)

    def inverse(self, f: dense.Factors) -> Array:
        """P Jᵀ A⁻¹ (nv, k), from the factors of A (k, k)."""
        return dense.solve(f, (self.P @ self.J.T).T).T


class ClosedTaskResponse(TaskResponse):
    """With closures."""

    @cached_property
    def rows(self) -> RowResponses:
        """Of the rows J."""
        return RowsOfClosedRobot(self.model, self.q, self.J)

    def drift(self, v: Array) -> Array:
        """The acceleration (rows,) while the joints carry no force."""
        return self.acceleration(v, forward_dynamics(self.model, self.q, v, np.zeros(self.model.nv)))


RESPONSES: Forms[type[TaskResponse]] = Forms(TaskResponse, ClosedTaskResponse)


def task_response(model: Model, q: Array, tasks: tuple[Task, ...], expressed_in: ExpressedIn) -> TaskResponse:
    """The way that costs least."""
    return RESPONSES.of(model)(model, q, tasks, expressed_in)
