"""Closures: how far loops are from closed, and what closed loops ask of velocities and accelerations.

    φ(q) = 0,    K v = 0,    K v̇ + K̇ v = 0          K = N (J_B − Ad_{X⁻¹} J_A) + C

for the relative pose X = X_AB of the two frames of a closure, with N and φ of its constraint and C of coupled joints,
see `model.closure`; the rows of all closures stand one below the other. J_B and J_A are in B; `closure_paths` has the
sums over the joints between the frames.

A closure may be driven: `drive` maps names of closures to arrays (3, k) that prescribe a motion of A relative to where
it is on the robot, as the rotation vector and shift, the twist in the moved A and its rate, k = 6; of a coupling, what
is added to the offset, its rate and its acceleration, k = 1.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array, concatenate
from ..model.model import Model
from .closure_paths import Drive, between, relative_twist, rows_of, rows_rate_of
from .declaration import algorithm


@algorithm(about_closures=True)
def closure_residual(model: Model, q: Array, *, drive: Drive = None) -> Array:
    """Residual φ of the closures: how far they are from closed.

    Parameters
    ----------
    model : Model
        Robot as data; `robot.model`.
    q : Array, shape (nq,)
        Configuration.
    drive : mapping of str to Array, shape (3, k), optional
        Prescribed motions of closures by name, rows being displacement, velocity and acceleration; k is 6, for a
        coupling its number of rows.

    Returns
    -------
    Array, shape (rows,)
        Residual φ [m, rad]; zero for rows that constrain velocities alone.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> four_bar = kt.load("four_bar")
    >>> model, q = four_bar.model, four_bar.assemble()
    >>> kt.algorithms.closure_residual(model, np.zeros(3)).round(3)
    array([0. , 0. , 0. , 0.2, 0. ])
    >>> bool(abs(kt.algorithms.closure_residual(model, q)).max() < 1e-12)
    True
    """
    found, qs = [np.zeros(0)], model.split_q(q)
    for at in between(model, q, drive):
        coupled = [term.factors @ qs[term.body] for term in at.closure.terms]
        rest = at.closure.offset + at.joined(0)
        found.append(at.closure.constraint.residual(at.X) + sum(coupled, start=-rest))
    return concatenate(found)


@algorithm(about_closures=True)
def closure_jacobian(model: Model, q: Array, *, drive: Drive = None) -> Array:
    """Jacobian K of the closures: K v = 0 for the velocities that they allow.

    Parameters
    ----------
    model : Model
        Robot as data; `robot.model`.
    q : Array, shape (nq,)
        Configuration.
    drive : mapping of str to Array, shape (3, k), optional
        Prescribed motions of closures by name, as in `closure_residual`.

    Returns
    -------
    Array, shape (rows, nv)
        K.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> four_bar = kt.load("four_bar")
    >>> model, q = four_bar.model, four_bar.assemble()
    >>> kt.algorithms.closure_jacobian(model, q).round(3)
    array([[ 0.   ,  0.   ,  0.   ],
           [ 0.   ,  0.   ,  0.   ],
           [-0.454, -0.268,  0.4  ],
           [-0.497, -0.422,  0.   ],
           [ 0.   ,  0.   ,  0.   ]])
    """
    qs = model.split_q(q)
    return concatenate(
        [np.zeros((0, model.nv)), *(rows_of(model, at, qs).T for at in between(model, q, drive))], axis=0
    )


@algorithm(about_closures=True)
def closure_jacobian_rate(model: Model, q: Array, v: Array, *, drive: Drive = None) -> Array:
    """Rate K̇ of the Jacobian of the closures in the motion v.

    Parameters
    ----------
    model : Model
        Robot as data; `robot.model`.
    q : Array, shape (nq,)
        Configuration.
    v : Array, shape (nv,)
        Velocity [rad/s, m/s].
    drive : mapping of str to Array, shape (3, k), optional
        Prescribed motions of closures by name, as in `closure_residual`.

    Returns
    -------
    Array, shape (rows, nv)
        K̇.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> four_bar = kt.load("four_bar")
    >>> model, q = four_bar.model, four_bar.assemble()
    >>> v = kt.algorithms.velocity_map(model, q)[:, 0]
    >>> kt.algorithms.closure_jacobian_rate(model, q, v).round(3)
    array([[ 0.   ,  0.   ,  0.   ],
           [ 0.   ,  0.   ,  0.   ],
           [ 0.171,  0.22 ,  0.   ],
           [-0.018, -0.14 ,  0.   ],
           [ 0.   ,  0.   ,  0.   ]])
    """
    qs, vs = model.split_q(q), model.split_v(v)
    rates = (rows_rate_of(model, at, qs, vs).T for at in between(model, q, drive))
    return concatenate([np.zeros((0, model.nv)), *rates], axis=0)


@algorithm(about_closures=True)
def closure_velocity(model: Model, q: Array, v: Array, *, drive: Drive = None) -> Array:
    """Velocities K v of the closures, less what a drive prescribes: zero in a motion of the closed robot.

    Parameters
    ----------
    model : Model
        Robot as data; `robot.model`.
    q : Array, shape (nq,)
        Configuration.
    v : Array, shape (nv,)
        Velocity [rad/s, m/s].
    drive : mapping of str to Array, shape (3, k), optional
        Prescribed motions of closures by name, as in `closure_residual`.

    Returns
    -------
    Array, shape (rows,)
        K v [m/s, rad/s].

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> four_bar = kt.load("four_bar")
    >>> model, q = four_bar.model, four_bar.assemble()
    >>> kt.algorithms.closure_velocity(model, q, np.ones(3)).round(3)
    array([ 0.   ,  0.   , -0.322, -0.919,  0.   ])
    """
    found, qs, vs = [np.zeros(0)], model.split_q(q), model.split_v(v)
    for at in between(model, q, drive):
        coupled = [term.factors @ vs[term.body] for term in at.closure.terms]
        V = relative_twist(at, qs, vs).V
        found.append(at.closure.constraint.rows(at.X) @ V + sum(coupled, start=-at.joined(1)))
    return concatenate(found)


@algorithm(about_closures=True)
def closure_bias(model: Model, q: Array, v: Array, *, drive: Drive = None) -> Array:
    """Accelerations K̇ v of the closures when no joint accelerates, less what a drive prescribes.

    Parameters
    ----------
    model : Model
        Robot as data; `robot.model`.
    q : Array, shape (nq,)
        Configuration.
    v : Array, shape (nv,)
        Velocity [rad/s, m/s].
    drive : mapping of str to Array, shape (3, k), optional
        Prescribed motions of closures by name, as in `closure_residual`.

    Returns
    -------
    Array, shape (rows,)
        K̇ v [m/s², rad/s²].

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> four_bar = kt.load("four_bar")
    >>> model, q = four_bar.model, four_bar.assemble()
    >>> v = kt.algorithms.velocity_map(model, q)[:, 0]
    >>> kt.algorithms.closure_bias(model, q, v).round(3)
    array([ 0.   ,  0.   , -0.089,  0.147,  0.   ])
    """
    found, qs, vs = [np.zeros(0)], model.split_q(q), model.split_v(v)
    for at in between(model, q, drive):
        constraint, (V, dV) = at.closure.constraint, relative_twist(at, qs, vs)
        found.append(constraint.rows(at.X) @ dV + constraint.bias(at.X, V) - at.joined(2))
    return concatenate(found)
