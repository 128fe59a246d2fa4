"""Closed chains in independent velocities y, some of v: constraint embedding.

    v = G y,    K G = 0,    v̇ = G ẏ + η,    K η = −γ

G has the identity in the independent rows, η zeros. With them

    (Gᵀ M G) ẏ = Gᵀ (τ − c − g − M η)
    C_r = Gᵀ (C G + M Ġ),    K Ġ = −K̇ G

M need not be invertible, Gᵀ M G must be. Where the chosen velocities do not determine the others, G is not finite.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import Array, indices, stack
from ...errors import InputError
from ...lie.inertia import symmetric
from ...linalg import dense, solve
from ...model import Model
from ..dynamics.coriolis_matrix import coriolis_matrix
from ..dynamics.energy import gravity
from ..dynamics.mass_matrix import mass_matrix
from ..dynamics.regressor import regressor
from ..kinematics.jacobian import jacobian
from ..registry.choices import ExpressedIn
from ..registry.declaration import algorithm
from .closures import closure_jacobian, closure_jacobian_rate, row_selection


class VelocitySplit(NamedTuple):
    """Rows of K, and the velocities that they leave independent."""

    candidates: tuple[int, ...]
    rank: int
    """How many of the candidates are independent."""
    independent: Array
    """The places of the independent velocities in v."""


def velocity_split(model: Model) -> VelocitySplit:
    """All rows, and the independent velocities."""
    chosen = indices(_analysed(model).independent)
    return VelocitySplit(model.candidate_rows, len(model.independent_rows), chosen)


def position_split(model: Model) -> VelocitySplit:
    """The rows that hold positions, and the directions in which q is free to change."""
    holonomic = model.rows_hold_positions
    count = sum(holonomic[k] for k in model.independent_rows)
    return VelocitySplit(
        tuple(k for k in model.candidate_rows if holonomic[k]), count, indices(_analysed(model).places)
    )


def _analysed(model: Model) -> Model:
    """A model whose independent velocities are chosen, or an error."""
    if model.needs_assembly:
        raise InputError(
            f"the independent velocities of {model.name!r} are not chosen yet: kinetrace.Robot(model).model has them"
        )
    return model


def blocks(model: Model, of: VelocitySplit) -> list[tuple[list[int], list[int]]]:
    """Selected rows, and dependent velocities, in groups that are independent of each other."""
    if len(of.candidates) > of.rank:
        return [(list(range(of.rank)), [k for k in range(model.nv) if k not in of.independent])]
    groups: list[tuple[list[int], set[int]]] = []
    for i, row in enumerate(of.candidates):
        rows, columns = [i], set(model.closure_columns[row]) - set(of.independent.tolist())
        for group in [g for g in groups if g[1] & columns]:
            groups.remove(group)
            rows, columns = group[0] + rows, columns | group[1]
        groups.append((rows, columns))
    return [(rows, sorted(columns)) for rows, columns in groups]


def dependent_solve(model: Model, of: VelocitySplit, K: Array, B: Array) -> Array:
    """x (nv, k) with K x = B (rows, k), zero for the independent velocities."""
    x: list[Array] = [np.zeros(B.shape[1])] * model.nv
    for rows, columns in blocks(model, of):
        for k, found in zip(columns, solve(K[np.ix_(rows, columns)], B[indices(rows)]), strict=True):
            x[k] = found
    return stack(x, axis=0) if x else np.zeros(B.shape)


def embedding(model: Model, of: VelocitySplit, K: Array) -> Array:
    """G (nv, dof) with K G = 0, for the rows K of a split."""
    return np.eye(model.nv)[:, of.independent] + dependent_solve(model, of, K, -K[:, of.independent])


def reduced_acceleration(model: Model, M: Array, forces: Array, K: Array, gamma: Array) -> Array:
    """v̇ (nv,) under joint forces beyond the bias, with closures that require K v̇ = −γ."""
    of = velocity_split(model)
    G, eta = embedding(model, of, K), dependent_solve(model, of, K, -gamma[:, None])[:, 0]
    return G @ dense.solve(dense.factor(G.T @ M @ G), G.T @ (forces - M @ eta)) + eta


@algorithm(
    about_closures=True,
    returns="(nv, dof) G; the identity without closures.",
    raises="If the independent velocities of the model are not chosen yet; those of `Robot.model` are.",
)
def velocity_map(model: Model, q: Array) -> Array:
    """Map G from the independent velocities y to all: v = G y.

    >>> four_bar = kt.load("four_bar")
    >>> model, q = four_bar.model, four_bar.assemble()
    >>> kt.algorithms.velocity_map(model, q).round(3)
    array([[ 1.   ],
           [-1.178],
           [ 0.343]])
    """
    K = closure_jacobian(model, q)
    return embedding(model, velocity_split(model), row_selection(model, K) @ K)


@algorithm(about_closures=True, returns="(dof, dof) Gᵀ M G, symmetric and positive definite.")
def reduced_mass_matrix(model: Model, q: Array) -> Array:
    """Mass matrix Gᵀ M G of the independent velocities y: the kinetic energy is ½ yᵀ (Gᵀ M G) y.

    >>> four_bar = kt.load("four_bar")
    >>> model, q = four_bar.model, four_bar.assemble()
    >>> kt.algorithms.reduced_mass_matrix(model, q).round(3)
    array([[0.038]])
    """
    G = velocity_map(model, q)
    return symmetric(G.T @ mass_matrix(model, q) @ G)


def velocity_map_and_rate(model: Model, q: Array, v: Array) -> tuple[Array, Array]:
    """G and its rate, each (nv, dof)."""
    K, of = closure_jacobian(model, q), velocity_split(model)
    chosen = row_selection(model, K)
    K, dK = chosen @ K, chosen @ closure_jacobian_rate(model, q, v)
    G = embedding(model, of, K)
    dG = dependent_solve(model, of, K, -dK @ G)
    return G, dG


@algorithm(
    about_closures=True, arguments={"v": "Velocity that the closures allow [rad/s, m/s]."}, returns="(dof, dof) C_r."
)
def reduced_coriolis_matrix(model: Model, q: Array, v: Array) -> Array:
    """Coriolis matrix C_r = Gᵀ (C G + M Ġ) of the independent velocities; (GᵀMG)˙ − 2 C_r is skew.

    >>> four_bar = kt.load("four_bar")
    >>> model, q = four_bar.model, four_bar.assemble()
    >>> v = kt.algorithms.velocity_map(model, q)[:, 0]
    >>> kt.algorithms.reduced_coriolis_matrix(model, q, v).round(3)
    array([[0.022]])
    """
    G, dG = velocity_map_and_rate(model, q, v)
    return G.T @ (coriolis_matrix(model, q, v) @ G + mass_matrix(model, q) @ dG)


@algorithm(about_closures=True, returns="(dof,) Forces [N m, N].")
def reduced_gravity(model: Model, q: Array) -> Array:
    """Gravity Gᵀ g: the gradient of the potential energy along the independent coordinates.

    >>> four_bar = kt.load("four_bar")
    >>> model, q = four_bar.model, four_bar.assemble()
    >>> kt.algorithms.reduced_gravity(model, q).round(3)
    array([0.781])
    """
    return velocity_map(model, q).T @ gravity(model, q)


@algorithm(about_closures=True, returns="(6, dof) J G, angular rows first.")
def reduced_jacobian(model: Model, q: Array, *, frame: str, expressed_in: ExpressedIn = "body") -> Array:
    """Jacobian J G of a frame: its twist is J G y for the independent velocities y.

    >>> four_bar = kt.load("four_bar")
    >>> model, q = four_bar.model, four_bar.assemble()
    >>> kt.algorithms.reduced_jacobian(model, q, frame="coupler").T.round(3)
    array([[ 0.   ,  0.178,  0.   , -0.116,  0.   ,  0.163]])
    """
    return jacobian(model, q, frame=frame, expressed_in=expressed_in) @ velocity_map(model, q)


@algorithm(
    about_closures=True,
    returns="(dof, p) Gᵀ Y, with p = 10 nb columns for the bodies, and those of `friction` and `rotor`.",
)
def reduced_regressor(
    model: Model, q: Array, v: Array, a: Array, *, friction: bool = False, rotor: bool = False
) -> Array:
    """Regressor Gᵀ Y of the forces along the independent velocities, in the inertial parameters.

    >>> four_bar = kt.load("four_bar")
    >>> model, q = four_bar.model, four_bar.assemble()
    >>> z = np.zeros(3)
    >>> Y = kt.algorithms.reduced_regressor(model, q, z, z)
    >>> (Y @ four_bar.parameters("inertial").ravel()).round(3)  # gravity
    array([0.781])
    """
    return velocity_map(model, q).T @ regressor(model, q, v, a, friction=friction, rotor=rotor)
