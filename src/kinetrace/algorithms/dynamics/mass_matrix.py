"""The mass matrix M(q): kinetic energy is ½ vᵀ M v.

Three ways, equal to rounding:

    "composite"   the composite-rigid-body algorithm (CRBA): M_ij = S_iᵀ F_j for j at or beyond i, with F_j = J^c_j S_j
                  carried to i by Ad*_{X⁻¹} and J^c the inertia of a body and all beyond it: the fewest operations, and
                  zero where the tree branches
    "jacobians"   M = Σ_k J_kᵀ J J_k over the bodies' Jacobians: Park et al. (40), (51), Ploen and Park (11), SᵀGᵀJGS
    "factors"     M = N Ω Nᵀ, N = I + SᵀGᵀΠ: Ploen and Park's Proposition 1, Rodriguez and Kreutz (4.11)

In the last two, blocks are kept by pairs of bodies; `model.gather_blocks` makes the matrix of them, couplings included.
Rotors in the joints add a diagonal, `model.armature`; in the factors it is part of Ω.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...arrays import Array
from ...errors import lookup
from ...lie.inertia import from_parameters, symmetric, to_parameters
from ...linalg import dense
from ...model import Body, Model, elimination_tree
from ...model.elimination import Placement, TreeBody
from ..registry.choices import MassMethod
from ..registry.declaration import algorithm
from ..sweeps.subtree_rows import JointVelocities, SubtreeRows, joint_velocities, map_subtree, matrix_of_rows
from ..sweeps.tree import inward, outward
from .articulated_body import Articulated, articulate

Blocks = dict[int, Array]
"""Body j → a block of it, in the frame at hand."""


def composite_body(
    body: Body, beyond: tuple[Array, SubtreeRows], q: Array, joint: JointVelocities
) -> tuple[tuple[SubtreeRows, SubtreeRows], tuple[Array, SubtreeRows]]:
    """CRBA: a joint's entries of M with itself and with the joints beyond, transposed.

    Received from beyond, and passed on: the inertia of all bodies there, as ten parameters, and F (k, 6) of the joints.
    """
    X, S, (inertia_beyond, F_beyond) = body.placement(q), body.subspace(q), beyond
    inertia = to_parameters(body.J) + inertia_beyond  # J^c_i, of this body and all beyond it
    F = joint.rows((from_parameters(inertia) @ S).T)  # F_i = J^c_i S_i

    def entries_and_carried(F: Array) -> tuple[Array, Array]:
        return F @ S, X.Ad_inv_dual(F)  # M_ij = S_iᵀ F_j, and F_j in the frame of the parent

    M_ii, F_i = map_subtree(entries_and_carried, F)
    M_ij, F_j = map_subtree(entries_and_carried, F_beyond)
    return (M_ii, M_ij), (X.change_frame_parameters(inertia), F_j + F_i)


def link_jacobian(body: Body, parent: Blocks, q: Array) -> Blocks:
    """The columns (nv_j, 6) of a body's Jacobian, in its frame, from its parent's."""
    X = body.placement(q)
    return {**{j: X.Ad_inv(V) for j, V in parent.items()}, body.index: body.subspace(q).T}  # Park et al. (33)


def innovation_gains(body: TreeBody, beyond: Blocks, at: Articulated) -> tuple[Blocks, Blocks]:
    """A row of N = I + SᵀGᵀΠ: the gains G_j (nv_j, 6) of all bodies beyond, carried here, along the joint."""
    return {body.index: np.eye(len(at.Omega)), **_along(at.S, beyond)}, _carried(at.X, {body.index: at.G, **beyond})


def _along(S: Array, F: Blocks) -> Blocks:
    return {j: S.T @ F_j.T for j, F_j in F.items()}


def _carried(X: Placement, F: Blocks) -> Blocks:
    return {j: X.Ad_inv_dual(F_j) for j, F_j in F.items()}


def _by_composites(model: Model, q: Array) -> Array:
    nothing = np.zeros(10), SubtreeRows.empty(model)
    entries = inward(model, composite_body, nothing, model.split_q(q), joint_velocities(model))
    upper = matrix_of_rows(model, [M_ij + M_ii for M_ii, M_ij in entries])  # j at or beyond i
    # Beyond a joint may be a mimic joint whose velocity comes before its own: such entries stand below the diagonal.
    lower = matrix_of_rows(model, [M_ij for _, M_ij in entries]).T
    return symmetric(upper + lower) + model.armature


def _by_jacobians(model: Model, q: Array) -> Array:
    links = outward(model, link_jacobian, {}, model.split_q(q))
    pairs: list[Blocks] = [{} for _ in model.bodies]
    for body, columns in zip(model.bodies, links, strict=True):
        for i, V_i in columns.items():
            for j, V_j in columns.items():
                if i <= j:  # Park et al. (40)
                    pairs[i][j] = pairs[i].get(j, 0) + V_i @ body.J @ V_j.T
    return model.gather_blocks(pairs) + model.armature


def _by_factors(model: Model, q: Array) -> Array:
    tree, at = elimination_tree(model), articulate(model, q)
    rows = inward(tree, innovation_gains, {}, at)
    pairs: list[Blocks] = [{} for _ in tree.bodies]
    for i, row_i in enumerate(rows):
        for j, row_j in enumerate(rows[i:], start=i):
            common = [row_i[k] @ at[k].Omega @ row_j[k].T for k in row_i.keys() & row_j.keys()]
            if common:
                pairs[i][j] = sum(common[1:], start=common[0])
    return tree.gather_blocks(pairs)


_METHODS: dict[str, Callable[[Model, Array], Array]] = {
    "composite": _by_composites,
    "jacobians": _by_jacobians,
    "factors": _by_factors,
}


@algorithm(
    aliases=("crba",),
    keeps_forces=("method",),
    arguments={
        "method": ("By composite bodies, by the Jacobians of the bodies, or by the factors N Ω Nᵀ; equal to\nrounding.")
    },
    returns="(nv, nv) M [kg, kg m, kg m²], symmetric, and positive definite unless a joint moves no mass.",
)
def mass_matrix(model: Model, q: Array, *, method: MassMethod = "composite") -> Array:
    """Mass matrix M(q): the kinetic energy is ½ vᵀ M v.

    With closures it is that of the spanning tree; `reduced_mass_matrix` is that of the closed robot.

    >>> kt.algorithms.mass_matrix(kt.load("planar2r").model, np.zeros(2)).round(3)
    array([[2.667, 0.833],
           [0.833, 0.333]])
    """
    return lookup("method", method, _METHODS)(model, q)


def mass_factors(model: Model, q: Array) -> dense.Factors:
    """The dense factors of M; NaN if M is singular at every configuration."""
    return dense.factor(np.full((model.nv, model.nv), np.nan) if model.massless else mass_matrix(model, q))


MASSLESS_FRACTION = 1e-9
"""Of all mass, what a joint without any is taken to move where distances are measured by the mass matrix."""


def kinetic_metric(model: Model, q: Array, held: Array | None = None, added: Array | None = None) -> dense.Factors:
    """The factors of the `kinetic_matrix`."""
    return dense.factor(kinetic_matrix(model, q, held, added))


def kinetic_matrix(model: Model, q: Array, held: Array | None = None, added: Array | None = None) -> Array:
    """M (nv, nv), in which joints that move no mass move before all else, and what is added to M (nv, nv).

    With `held` (nv,), 1 for velocities that are held and 0 for others, of M for the others, and the identity.
    """
    M = mass_matrix(model, q) if added is None else mass_matrix(model, q) + added
    if model.massless:
        M = M + MASSLESS_FRACTION * sum(M[k, k] for k in range(model.nv)) * np.eye(model.nv)
    if held is not None:
        free = 1.0 - held
        M = free[:, None] * M * free + held * np.eye(model.nv)
    return M
