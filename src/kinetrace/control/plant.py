"""The robot that laws of joint space are written for: a tree, or a closed chain in its independent velocities y.

    tree            M v̇ + C v + g = τ
    closed chain    v = G y,   M_r ẏ + C_r y + g_r = Gᵀ τ          (`algorithms.closed.independent_velocities`)

A law finds joint forces h; those of the motors do the same work along all motions that closures allow, Gᵀ τ = Gᵀ h.
Springs and stops of joints are in g, their damping and friction d(q, v) are monotone in v: (d(u) − d(v)) · (u − v) ≥ 0.
"""

from __future__ import annotations

import numpy as np

from .. import algorithms
from ..algorithms.closed.independent_velocities import velocity_map_and_rate
from ..algorithms.closed.motor_forces import driven_forces
from ..arrays import Array, indices
from ..errors import InputError, name_list
from ..model.checks import is_present
from ..model.model import Model
from ..robot import Robot
from ..robot.common import robot_of

__all__ = [
    "check_motors",
    "check_velocities",
    "driven_forces",
    "forces_for_acceleration",
    "has_friction",
    "holding_forces",
    "independent_part",
    "mass_of",
    "reference_forces",
    "to_all_joints",
]


def mass_of(robot: Robot) -> float:
    """The mass of all bodies [kg].

    >>> import kinetrace as kt
    >>> mass_of(kt.load("planar2r"))
    2.0
    """
    return float(robot.parameters("inertial")[:, 0].sum())


def has_friction(robot: Robot) -> bool:
    """Whether joints of the model have damping or friction, or a fluid is around it.

    >>> import kinetrace as kt
    >>> has_friction(kt.load("planar2r")), has_friction(kt.load("planar2r").with_joint_effects(damping=0.1))
    (False, True)
    """
    effects = [body.effects for body in robot.model.bodies if body.effects is not None]
    return any(is_present(x.damping) or is_present(x.friction) for x in effects) or robot.model.fluid is not None


def check_motors(robot: Robot, what: str) -> None:
    """An error unless motors drive all motions of the robot: a law could not ask for any joint forces."""
    missing = robot_of(robot).model.undriven
    if missing:
        bases = [body.joint_name for body in robot.model.independent_joints if not body.joint.has_motor]
        free = "; free joints have none unless they are named" if set(bases) & set(missing) else ""
        raise InputError(
            f"{what} needs motors for all motions of {robot.name!r}: none drives {name_list(missing)}; "
            f"robot.with_motors(...) chooses the joints that have one{free}"
        )


def check_velocities(robot: Robot, what: str) -> None:
    """An error unless the independent velocities of a closed chain are those of whole joints."""
    check_motors(robot, what)
    model, independent = robot.model, set(robot.model.independent)
    for body in model.independent_joints:
        own = set(range(*model.slices[body.index][1].indices(model.nv)))
        if own & independent and not own <= independent:
            raise InputError(
                f"{what}: of joint {body.joint_name!r} only some velocities are independent, which have no error of "
                "their own; robot.with_closures(..., independent=[...]) chooses velocities of whole joints"
            )


def holding_forces(model: Model, q: Array) -> Array:
    """Joint forces g (nv,) of gravity, what compensates it, springs and stops: the gradient of the potential energy.

    A wind adds its own forces.

    >>> import numpy as np, kinetrace as kt
    >>> holding_forces(kt.load("planar2r").model, np.zeros(2)).round(3)
    array([19.62 ,  4.905])
    """
    return algorithms.gravity(model, q) + algorithms.passive_forces(model, q, np.zeros(model.nv))


def independent_part(model: Model, x: Array) -> Array:
    """The entries (dof,) of a vector (nv,) that belong to independent velocities."""
    return x[indices(model.independent)]


def forces_for_acceleration(model: Model, q: Array, v: Array, dy: Array) -> Array:
    """Joint forces (nv,) for the rate dy (dof,) of the independent velocities."""
    return algorithms.inverse_dynamics(model, q, v, algorithms.closed_acceleration(model, q, v, dy))


def reference_forces(model: Model, q: Array, v: Array, u: Array, du: Array) -> Array:
    """Joint forces M u̇ + C(q, v) u + g + d(q, u) (nv,) for desired velocities u (nv,), of which independent ones count.

    With closures, u = G y and u̇ = G ẏ + Ġ y: along all motions that they allow, these are the forces of the reduced
    equations.
    """
    still = np.zeros(model.nv)
    u, du = allowed_motion(model, q, v, independent_part(model, u), independent_part(model, du))
    rest = algorithms.passive_forces(model, q, u) - algorithms.passive_forces(model, q, still)
    return algorithms.inverse_dynamics(model, q, still, du) + algorithms.coriolis_product(model, q, v, u) + rest


def allowed_motion(model: Model, q: Array, v: Array, y: Array, dy: Array) -> tuple[Array, Array]:
    """G y and its rate G ẏ + Ġ y (nv,) while the robot moves by v."""
    G, dG = velocity_map_and_rate(model, q, v)
    return G @ y, G @ dy + dG @ y


def to_all_joints(model: Model, f: Array) -> Array:
    """Joint forces (nv,) that exert f (dof,) on the independent velocities: the transpose of `independent_part`."""
    return np.eye(model.nv)[:, indices(model.independent)] @ f
