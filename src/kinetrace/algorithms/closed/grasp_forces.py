"""Grasps that hold: forces of contacts within their cones of friction, of all that balance a motion.

    K_pᵀ λ = h_p            the joints without motors, the object's among them, need what they get
    |f_t| ≤ μ f_n           of a hard finger with the force f = f_n n + f_t on it
    |(f_t/μ, m/ρ)| ≤ f_n    of a soft one, m being the moment about the normal and ρ [m] the radius of its patch
    f_n ≥ 0                 without friction

The least of |λ|² or of |τ|², τ = h − Kᵀ λ in the joints with motors, is a second-order cone program for Clarabel.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...arrays import Array, stack
from ...errors import InputError, ModelError, unknown_name_error
from ...lie import se3
from ...model.closures import Closure
from ...model.constraints import Contact
from ...model.constraints.base import across
from ...model.model import Model
from ...support.conversion import as_array
from ...support.optional import require_package
from .closure_paths import closure_states

_REGULAR = 1e-9
"""Of forces in a sum of squared torques, relative to them, so that there is one answer."""


def cone_rows(closure: Closure, X: Array, friction: Any) -> Array:
    """C (k, rows): C λ is in the cone |(C λ)_1…| ≤ (C λ)_0, for the closure's own λ."""
    contact, what = closure.constraint, f"friction of {closure.name!r}"
    if not isinstance(contact, Contact):
        raise InputError(
            f"{what}: it is not a contact; kinetrace.closures has HardFinger, SoftFinger, FrictionlessPoint"
        )
    numbers = np.atleast_1d(as_array(what, () if friction is None else friction))
    wanted = {1: 0, 3: 1, 4: 2}[contact.size]
    if wanted == 0 and friction is None:
        return np.eye(1)
    if (
        numbers.dtype.kind not in "biuf"
        or numbers.shape != (wanted,)
        or not np.all(np.isfinite(numbers) & (numbers > 0))
    ):
        need = ("None: it has none", "a positive coefficient", "(coefficient, radius of the patch [m])")[wanted]
        raise InputError(f"{what} must be {need}, got {friction!r}")
    normal = se3.rotation(X).T @ contact.normal
    rows = np.zeros((1 + contact.size - 1, contact.size))
    rows[0, :3], rows[1:3, :3] = normal, across(normal) / numbers[0]
    if wanted == 2:
        rows[3, 3] = 1.0 / numbers[1]
    return rows


def least_forces(model: Model, K: Array, h: Array, cones: Mapping[str, Array], torques: bool) -> tuple[Array, Array]:
    """τ (nv,) and λ (rows,) of one state; an error if no forces hold."""
    clarabel = require_package("clarabel", "a force within friction cones", "grasp")
    sparse = require_package("scipy.sparse", "a force within friction cones", "grasp")
    driven = list(model.driven)
    passive = [k for k in range(model.nv) if k not in driven]
    n, balance = model.closure_rows, K[:, passive].T
    P, c = np.eye(n), np.zeros(n)
    if torques:
        B = K[:, driven]
        P = B @ B.T
        P, c = P + _REGULAR * max(np.trace(P) / max(n, 1), 1e-12) * np.eye(n), -B @ h[driven]
    rank = np.linalg.svd(balance)
    keep = rank[1] > 1e-10 * max(rank[1].max(initial=0.0), 1e-300)
    U = rank[0][:, : len(keep)][:, keep]  # equations that follow from others would stop the solver
    A, b, kinds = [U.T @ balance], [U.T @ h[passive]], [clarabel.ZeroConeT(int(keep.sum()))]
    for name, rows in cones.items():
        block = np.zeros((len(rows), n))
        block[:, model.closure_slices[name]] = rows
        A.append(-block)
        b.append(np.zeros(len(rows)))
        kinds.append(clarabel.SecondOrderConeT(len(rows)) if len(rows) > 1 else clarabel.NonnegativeConeT(1))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    matrix, bound = sparse.csc_matrix(np.concatenate(A)), np.concatenate(b)
    found = clarabel.DefaultSolver(sparse.csc_matrix(np.triu(P)), c, matrix, bound, kinds, settings).solve()
    if str(found.status) not in ("Solved", "AlmostSolved"):
        raise ModelError(
            f"no forces of the contacts {', '.join(map(repr, cones))} within their friction hold this motion "
            f"({found.status})"
        )
    force, tau = np.array(found.x), np.zeros(model.nv)
    tau[driven] = (h - K.T @ force)[driven]
    return tau, force


def cones_at(model: Model, poses: Mapping[str, Array], friction: Mapping[str, Any]) -> dict[str, Array]:
    """The cones of all contacts that have friction; X_AB (4, 4) by closure."""
    if not isinstance(friction, Mapping):
        raise InputError(f"friction must map names of contacts to coefficients, got {type(friction).__name__}")
    for name in friction:
        if name not in model.closure_slices:
            raise unknown_name_error("closure", name, model.closure_slices, "robot.closure_names")
    closures = {c.name: c for c in model.closures}
    return {name: cone_rows(closures[name], poses[name], x) for name, x in friction.items()}


def contact_closures(model: Model) -> list[Closure]:
    """The closures that are contacts.

    >>> import kinetrace as kt
    >>> len(contact_closures(kt.load("three_fingers_ball").model))
    3
    """
    return [closure for closure in model.closures if isinstance(closure.constraint, Contact)]


def contact_rotations(model: Model, q: Array) -> Array:
    """The rotations R_AB (contacts, 3, 3), from the axes of the finger to those of the object."""
    found = [c.X[:3, :3] for c in closure_states(model, q) if isinstance(c.closure.constraint, Contact)]
    return stack(found, axis=0)


def in_contact_axes(contact: Closure, R: Array, force: Array) -> Array:
    """Forces λ (..., rows) of a contact along its normal and across it, and the moment; R_AB (..., 3, 3)."""
    constraint = contact.constraint
    if not isinstance(constraint, Contact) or constraint.size == 1:
        return force
    triad = np.concatenate([[constraint.normal], across(constraint.normal)])
    turned = np.einsum("ij,...jk,...k->...i", triad, R, force[..., :3])
    moment = np.broadcast_to(force[..., 3:], (*turned.shape[:-1], force.shape[-1] - 3))
    return np.concatenate([turned, moment], axis=-1)
