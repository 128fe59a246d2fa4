"""Centre of mass and momentum of the whole robot.

    h_0 = Σ Ad*_{X_0i⁻¹} J_i V_i          momentum (angular about the world's origin, linear), in the world's axes
    h_c = (k_0 − c × p, p)                the same about the centre of mass c: centroidal, = A(q) v
    ḣ_0 = Σ Ad*_{X_0i⁻¹} (J_i V̇_i − ad*_{V_i} J_i V_i)

J_i V_i is a wrench-like six-vector: Park, Bobrow and Ploen (1995), (10)–(11) and (26), without gravity and external
forces. A joint's column of A is the momentum of all that it carries, moved along its screw: J^c_i S_i in the world,
with the composite inertia J^c_i = J_i + Σ_c Ad*_{X_c⁻¹} J^c_c Ad_{X_c⁻¹} (Orin and Goswami 2008). As ċ is along p,
the rate of h_c is ḣ_0 moved to c. Rotors in joints are known by their inertia along the joint alone: what they spin
with is not part of the momentum.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...arrays import Array, concatenate
from ...lie import Ad_inv_dual, ad_dual, inertia, so3
from ...model import WORLD, Body, Model
from ..kinematics.forward_kinematics import Velocity, link_acceleration, link_pose, link_velocities
from ..registry.declaration import algorithm
from ..sweeps.tree import inward, outward


def carried_mass(body: Body, children: Array, q: Array) -> tuple[tuple[Array, Array], Array]:
    """First moment and mass (h, m) of what a joint carries, in the body's frame and in the parent's.

    They are a point in homogeneous coordinates, and change frames as one.
    """
    pi = inertia.to_parameters(body.J)
    own = children + concatenate([pi[1:4], pi[0:1]])
    passed = body.placement(q) @ own
    return (own, passed), passed


def carried_momentum(body: Body, P_children: Array, at: Velocity) -> tuple[Array, Array]:
    """Momentum of what a joint carries, in the parent's frame."""
    passed = at.X.Ad_inv_dual(P_children + body.J @ at.V)
    return passed, passed


def body_wrench(J: Array, V: Array, dV: Array) -> Array:
    """J V̇ − ad*_V J V (6,): the rate of a body's momentum, the wrench that it requires; Ploen and Park (4)."""
    return J @ dV - ad_dual(V, J @ V)


def carried_force(body: Body, F_children: Array, at: Velocity, dV: Array) -> tuple[Array, Array]:
    """Rate of the momentum of what a joint carries, in the parent's frame."""
    passed = at.X.Ad_inv_dual(F_children + body_wrench(body.J, at.V, dV))
    return passed, passed


def composite_inertia(body: Body, pi_children: Array, q: Array) -> tuple[tuple[Array, Array], Array]:
    """The ten parameters of what a joint carries, in the body's frame and in the parent's."""
    own = pi_children + inertia.to_parameters(body.J)
    passed = body.placement(q).change_frame_parameters(own)
    return (own, passed), passed


def momentum_columns(body: Body, X_0p: Array, q: Array, pi: tuple[Array, Array]) -> tuple[Array, Array]:
    """A body's pose, and the momentum (nv, 6) in the world of what it carries, one row per velocity of its joint."""
    X_0i = link_pose(body, X_0p[0], q)
    return X_0i, Ad_inv_dual(X_0i, body.subspace(q).T @ inertia.from_parameters(pi[0]))


def into_world(model: Model, passed: Sequence[Array], nothing: Array) -> Array:
    """The sum of the messages of the bodies on the base."""
    return sum((x for body, x in zip(model.bodies, passed, strict=True) if body.parent == WORLD), start=nothing)


def total_mass(model: Model, q: Array) -> Array:
    """First moment in the world and mass (h, m) of all moving bodies: (4,)."""
    moments = inward(model, carried_mass, np.zeros(4), model.split_q(q))
    return into_world(model, [x for _, x in moments], np.zeros(4))


def _about(c: Array, h: Array) -> Array:
    """Momenta or wrenches (..., 6) about the origin as seen from the point c."""
    return concatenate([h[..., :3] - so3.cross(c, h[..., 3:]), h[..., 3:]])


@algorithm(aliases=("com",), returns="(3,) Position in the world [m]; the origin if the bodies have no mass.")
def center_of_mass(model: Model, q: Array) -> Array:
    """Centre of mass of all moving bodies.

    >>> kt.algorithms.center_of_mass(kt.load("planar2r").model, np.zeros(2)).round(3)
    array([1., 0., 0.])
    """
    point = total_mass(model, q)
    return inertia.center(point[:3], point[3:])


@algorithm(returns="(6,) Angular [N m s], then linear momentum [N s].")
def momentum(model: Model, q: Array, v: Array) -> Array:
    """Momentum of the robot about the world's origin, in the world's axes.

    >>> kt.algorithms.momentum(kt.load("planar2r").model, np.zeros(2), np.ones(2)).round(3)
    array([ 0. , -3.5,  0. ,  0. ,  0. ,  2.5])
    """
    momenta = inward(model, carried_momentum, np.zeros(6), link_velocities(model, q, v))
    return into_world(model, momenta, np.zeros(6))


@algorithm(returns="(6,) Angular [N m s], then linear momentum [N s].")
def centroidal_momentum(model: Model, q: Array, v: Array) -> Array:
    """Momentum of the robot about its centre of mass, in the world's axes.

    >>> kt.algorithms.centroidal_momentum(kt.load("planar2r").model, np.zeros(2), np.ones(2)).round(3)
    array([ 0. , -1. ,  0. ,  0. ,  0. ,  2.5])
    """
    return _about(center_of_mass(model, q), momentum(model, q, v))


@algorithm(returns="(6, nv) A, angular rows first.")
def centroidal_momentum_matrix(model: Model, q: Array) -> Array:
    """Centroidal momentum matrix A(q): the centroidal momentum is A v.

    >>> kt.algorithms.centroidal_momentum_matrix(kt.load("planar2r").model, np.zeros(2)).round(3)
    array([[ 0.   ,  0.   ],
           [-0.667, -0.333],
           [ 0.   ,  0.   ],
           [ 0.   ,  0.   ],
           [ 0.   ,  0.   ],
           [ 2.   ,  0.5  ]])
    """
    composites = inward(model, composite_inertia, np.zeros(10), model.split_q(q))
    columns = outward(model, momentum_columns, (np.eye(4), None), model.split_q(q), composites)
    total = into_world(model, [x for _, x in composites], np.zeros(10))
    c = inertia.center(total[1:4], total[0:1])
    return _about(c, model.gather([rows for _, rows in columns]).reshape(model.nv, 6)).T


@algorithm(returns="(6,) Moment about the centre of mass [N m], then force [N].")
def momentum_rate(model: Model, q: Array, v: Array, a: Array) -> Array:
    """Rate of the centroidal momentum, in the world's axes.

    It is the sum of what acts on the moving bodies from outside: gravity, external wrenches, the base's reaction.

    >>> kt.algorithms.momentum_rate(kt.load("planar2r").model, np.zeros(2), np.ones(2), np.zeros(2)).round(3)
    array([ 0. ,  0. ,  0. , -3.5,  0. ,  0. ])
    """
    velocities = link_velocities(model, q, v)
    accelerations = outward(model, link_acceleration, np.zeros(6), velocities, model.split_v(a))
    forces = inward(model, carried_force, np.zeros(6), velocities, accelerations)
    return _about(center_of_mass(model, q), into_world(model, forces, np.zeros(6)))
