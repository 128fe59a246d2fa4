"""Inverse dynamics of closed chains: the forces of the motors, and what the closures carry.

A motion needs the joint forces h = M v̇ + c + g − Σ JᵀF of the tree; motors and closures supply them together,

    h = B τ + Kᵀ λ          B picks the joints that have motors, p those that have none

Closures do no work along the velocities that they allow, v = G y, so Gᵀ B τ = Gᵀ h. If there are more motors than
degrees of freedom, some choice is left:

    least="torques"   the least τᵀ W τ, W diagonal: τ = W⁻¹ Aᵀ (A W⁻¹ Aᵀ)⁻¹ Gᵀ h, A = Gᵀ B
    least="forces"    the λ nearest to given ones λ_0: λ = λ_0 + K_p (K_pᵀ K_p)⁻¹ (h_p − K_pᵀ λ_0). What of λ_0 is left
                      are internal forces: they squeeze, and move nothing

Every allowed motion must be driven: then A has full rank.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...arrays import Array, indices
from ...errors import InputError, lookup, name_list
from ...model.model import Model
from ..dynamics.inverse_dynamics import inverse_dynamics
from ..registry.choices import Least
from ..registry.declaration import algorithm
from ..registry.forms import by_form
from .closed_dynamics import closure_rows, least_solution
from .closure_forces import least_norm_forces
from .closure_paths import Drive
from .closures import closure_jacobian, row_selection
from .independent_velocities import dependent_solve, embedding, velocity_split


def _least_torques(
    model: Model, K: Array, h: Array, tau_weight: Array | None, internal_forces: Array | None
) -> tuple[Array, Array]:
    if internal_forces is not None:
        raise InputError("internal forces are prescribed with least='forces'")
    K_s = row_selection(model, K) @ K
    G = embedding(model, velocity_split(model), K_s)
    B = np.eye(model.nv)[:, indices(model.driven)]
    A = G.T @ B
    scaled = A if tau_weight is None else A * (1.0 / tau_weight)[indices(model.driven)]
    tau = B @ (scaled.T @ least_solution(scaled @ A.T, G.T @ h))
    force = least_solution(K_s @ K_s.T, K_s @ (h - tau))
    return tau, least_norm_forces(model, K, force)


def _least_forces(
    model: Model, K: Array, h: Array, tau_weight: Array | None, internal_forces: Array | None
) -> tuple[Array, Array]:
    if tau_weight is not None:
        raise InputError("tau_weight is for least='torques'")
    passive, driven = indices(model.undriven_entries), indices(model.driven)
    K_p, given = K[:, passive], np.zeros(model.closure_rows) if internal_forces is None else internal_forces
    force = given + K_p @ least_solution(K_p.T @ K_p, h[passive] - K_p.T @ given)
    return np.eye(model.nv)[:, driven] @ (h - K.T @ force)[driven], force


_LEAST_OF = {"torques": _least_torques, "forces": _least_forces}


def driven_forces(model: Model, q: Array, h: Array) -> Array:
    """The least motor forces (nv,) that do the same as joint forces h (nv,) along the motions that closures allow.

    >>> import numpy as np, kinetrace as kt
    >>> four_bar = kt.load("four_bar").with_motors("crank")
    >>> q = four_bar.assemble()
    >>> driven_forces(four_bar.model, q, kt.algorithms.gravity(four_bar.model, q)).round(3)
    array([0.781, 0.   , 0.   ])
    """
    return _driven(model, q, h)


_driven = by_form(
    tree=lambda model, q, h: h,
    closed=lambda model, q, h: _least_torques(model, closure_jacobian(model, q), h, None, None)[0],
)


def joint_forces(model: Model, q: Array, v: Array, a: Array) -> Array:
    """Joint forces (nv,) of a motion, without or with closures: then those of the motors, the least that do it.

    >>> import numpy as np, kinetrace as kt
    >>> four_bar = kt.load("four_bar").with_motors("crank")
    >>> joint_forces(four_bar.model, four_bar.assemble(), np.zeros(3), np.zeros(3)).round(3)
    array([0.781, 0.   , 0.   ])
    """
    return _of_joints(model, q, v, a)


@algorithm(
    about_closures=True,
    arguments={
        "least": (
            "With more motors than degrees of freedom, minimise the weighted motor forces or the distance of\n"
            "λ from `internal_forces`."
        ),
        "tau_weight": 'Weights of the squared joint forces, for `least="torques"`; ones unless given.',
    },
    returns={
        "tau": "(nv,) Motor forces [N m, N]; zero in joints without a motor.",
        "force": "(rows,) Forces λ of the closures [N m, N].",
    },
    raises=(
        "If there are too few motors for the degrees of freedom, or an argument that belongs to the other\n`least`."
    ),
)
def motor_forces(
    model: Model,
    q: Array,
    v: Array,
    a: Array,
    *,
    least: Least = "torques",
    tau_weight: Array | None = None,
    internal_forces: Array | None = None,
    wrench: Mapping[str, Array] | None = None,
    drive: Drive = None,
) -> tuple[Array, Array]:
    """Forces of the motors, and of the closures, for a motion of a closed robot.

    >>> four_bar, z = kt.load("four_bar").with_motors("crank"), np.zeros(3)
    >>> tau, force = kt.algorithms.motor_forces(four_bar.model, four_bar.assemble(), z, z)
    >>> tau.round(3), force.round(3)
    (array([0.781, 0.   , 0.   ]), array([ 0.   ,  0.   ,  0.422, -5.48 ,  0.   ]))
    """
    if model.undriven:
        have = name_list(model.motor_names) if model.motor_names else "none"
        raise InputError(
            f"{model.name!r} has too few motors: no motor drives a motion of {name_list(model.undriven)}; "
            f"it has {have}, robot.with_motors(...) chooses others"
        )
    h = inverse_dynamics(model, q, v, a, wrench=wrench)
    return lookup("least", least, _LEAST_OF)(
        model, closure_jacobian(model, q, drive=drive), h, tau_weight, internal_forces
    )


@algorithm(about_closures=True, returns="(nv,) Accelerations v̇ [rad/s², m/s²].")
def closed_acceleration(model: Model, q: Array, v: Array, dy: Array, *, drive: Drive = None) -> Array:
    """Accelerations of all joints from those of the independent velocities: G ẏ + η.

    >>> four_bar = kt.load("four_bar")
    >>> model, q = four_bar.model, four_bar.assemble()
    >>> kt.algorithms.closed_acceleration(model, q, np.zeros(3), np.ones(1)).round(3)
    array([ 1.   , -1.178,  0.343])
    """
    (K, gamma, *_), of = closure_rows(model, q, v, drive, None), velocity_split(model)
    return embedding(model, of, K) @ dy + dependent_solve(model, of, K, -gamma[:, None])[:, 0]


_of_joints = by_form(tree=inverse_dynamics, closed=lambda model, q, v, a: motor_forces(model, q, v, a)[0])
