"""The configuration manifold: joint by joint, each on the variables of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..arrays import Array, concatenate, stack
from .couplings import check_q, reachable, within_shared_limits

if TYPE_CHECKING:
    from .model import Model


def neutral(model: Model) -> Array:
    """Configuration with every joint at its zero.

    Parameters
    ----------
    model : Model
        The model.

    Returns
    -------
    ndarray, shape (nq,)
        The configuration.

    Examples
    --------
    >>> import kinetrace as kt
    >>> kt.load("planar2r").model.neutral()
    array([0., 0.])
    """
    return _each(model, lambda b: b.joint.neutral(), ())


def random(model: Model, rng: np.random.Generator, shape: tuple[int, ...] = ()) -> Array:
    """Random configurations within the joint limits, also those of mimic joints.

    Parameters
    ----------
    model : Model
        The model.
    rng : numpy.random.Generator
        Generator of random numbers.
    shape : tuple of int, default ()
        Batch axes.

    Returns
    -------
    ndarray, shape (*shape, nq)
        The configurations.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.load("planar2r").model.random(np.random.default_rng(1)).round(3)
    array([0.074, 2.83 ])
    """
    if not model.independent_joints:
        return np.zeros((*shape, 0))
    return within_shared_limits(model, _each(model, lambda b: b.joint.random(rng, reachable(model, b), shape), ()))


def integrate(model: Model, q: Array, v: Array) -> Array:
    """Configuration q ⊕ v, reached in unit time at constant velocity; quaternions stay on their sphere.

    Parameters
    ----------
    model : Model
        The model.
    q : array, shape (nq,)
        Configuration.
    v : array, shape (nv,)
        Velocity, multiplied by the time of the step [rad, m].

    Returns
    -------
    ndarray, shape (nq,)
        The configuration q ⊕ v.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.load("planar2r").model.integrate(np.array([0.5, 0.0]), np.array([0.1, 0.2]))
    array([0.6, 0.2])
    """
    return _each(model, lambda b, q, v: b.joint.integrate(q, v), (q,), (v,))


def advance(model: Model, q: Array, v: Array, dt: Array, *, along: Array | None = None) -> tuple[Array, Array]:
    """Configuration and velocity after the time dt, at a velocity that is constant in axes that do not turn.

    Parameters
    ----------
    model : Model
        The model.
    q : array, shape (nq,)
        Configuration.
    v : array, shape (nv,)
        Velocity [rad/s, m/s].
    dt : float
        Time [s].
    along : array, shape (nv,), optional
        Velocity that the configuration moves with, if it is another one.

    Returns
    -------
    tuple of ndarray, shapes (nq,), (nv,)
        The configuration, and the velocity in the axes that bodies have then: another one of free joints alone.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.load("planar2r").model.advance(np.array([0.5, 0.0]), np.array([1.0, 2.0]), 0.1)[0]
    array([0.6, 0.2])
    """
    theta = dt * (v if along is None else along)
    moved = _each(model, lambda b, q, theta: b.joint.advance(q, theta), (q,), (theta,))
    return moved, _each(model, lambda b, theta, v: b.joint.turn_axes(theta, v), (), (theta, v))


def axis_rate(model: Model, v: Array) -> Array:
    """What v̇ lacks to the rate of the velocity in axes that do not turn: zero but for free joints.

    Parameters
    ----------
    model : Model
        The model.
    v : array, shape (nv,)
        Velocity [rad/s, m/s].

    Returns
    -------
    ndarray, shape (nv,)
        The rate [rad/s², m/s²].

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.load("planar2r").model.axis_rate(np.array([1.0, 2.0]))
    array([0., 0.])
    """
    return _each(model, lambda b, v: b.joint.axis_rate(v), (), (v,))


def difference(model: Model, q0: Array, q1: Array) -> Array:
    """Difference q1 ⊖ q0: the velocity that leads from q0 to q1 in unit time.

    Parameters
    ----------
    model : Model
        The model.
    q0 : array, shape (nq,)
        Configuration at the beginning.
    q1 : array, shape (nq,)
        Configuration at the end.

    Returns
    -------
    ndarray, shape (nv,)
        The velocity, multiplied by the time [rad, m].

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.load("planar2r").model.difference(np.array([0.5, 0.0]), np.array([0.6, 0.2])).round(3)
    array([0.1, 0.2])
    """
    return _each(model, lambda b, q0, q1: b.joint.difference(q0, q1), (q0, q1))


def tangent(model: Model, q: Array) -> Array:
    """Derivative of q ⊕ ε at ε = 0: q̇ = tangent(q) v.

    Parameters
    ----------
    model : Model
        The model.
    q : array, shape (nq,)
        Configuration.

    Returns
    -------
    ndarray, shape (nq, nv)
        The derivative: the identity but for quaternions.

    Raises
    ------
    InputError
        If the shape of `q` does not fit.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.load("planar2r").model.tangent(np.zeros(2))
    array([[1., 0.],
           [0., 1.]])
    """
    check_q(model, q)
    columns = []
    for e in np.eye(model.nv):
        columns.append(_each(model, lambda b, q, v: b.joint.tangent(q) @ v, (q,), (e,)))
    return stack(columns) if columns else np.zeros((0, 0))


def bracket(model: Model, u: Array, w: Array) -> Array:
    """Lie bracket [u, w] of two velocities: zero but for quaternions.

    Parameters
    ----------
    model : Model
        The model.
    u : array, shape (nv,)
        Velocity of the first motion.
    w : array, shape (nv,)
        Velocity of the second motion.

    Returns
    -------
    ndarray, shape (nv,)
        The bracket of the motions that keep these velocities.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> model = kt.load("quadruped", base="free").model
    >>> model.bracket(np.eye(18)[0], np.eye(18)[1])[:6]
    array([0., 0., 1., 0., 0., 0.])
    """
    return _each(model, lambda b, u, w: b.joint.bracket(u, w), (), (u, w))


def coadjoint(model: Model, v: Array, p: Array) -> Array:
    """Coadjoint action ad_vᵀ p, the dual of the bracket: zero but for quaternions.

    Parameters
    ----------
    model : Model
        The model.
    v : array, shape (nv,)
        Velocity.
    p : array, shape (nv,)
        Momentum.

    Returns
    -------
    ndarray, shape (nv,)
        The products p · [v, w] with all unit velocities w.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> model = kt.load("quadruped", base="free").model
    >>> model.coadjoint(np.eye(18)[0], np.eye(18)[2])[:3]
    array([0., 1., 0.])
    """
    return _each(model, lambda b, v, p: b.joint.coadjoint(v, p), (), (v, p))


def dexp(model: Model, theta: Array, w: Array) -> Array:
    """Product dexp_θ w of a velocity: w but for quaternions.

    Parameters
    ----------
    model : Model
        The model.
    theta : array, shape (nv,)
        Displacement θ: a velocity, multiplied by a time.
    w : array, shape (nv,)
        Its rate.

    Returns
    -------
    ndarray, shape (nv,)
        The velocity, in the axes before the displacement.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> model = kt.load("quadruped", base="free").model
    >>> model.dexp(0.1 * np.eye(18)[0], np.eye(18)[1])[:3].round(3)
    array([0.   , 0.998, 0.05 ])
    """
    return _each(model, lambda b, theta, w: b.joint.dexp(theta, w), (), (theta, w))


def dexp_inv(model: Model, theta: Array, w: Array) -> Array:
    """Inverse of `dexp`: the rate of θ that it maps to w.

    Parameters
    ----------
    model : Model
        The model.
    theta : array, shape (nv,)
        Displacement θ: a velocity, multiplied by a time.
    w : array, shape (nv,)
        Velocity, in the axes before the displacement.

    Returns
    -------
    ndarray, shape (nv,)
        The rate of θ.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> model = kt.load("quadruped", base="free").model
    >>> model.dexp_inv(0.1 * np.eye(18)[0], np.eye(18)[1])[:3].round(3)
    array([ 0.   ,  0.999, -0.05 ])
    """
    return _each(model, lambda b, theta, w: b.joint.dexp_inv(theta, w), (), (theta, w))


def dexp_dual(model: Model, theta: Array, p: Array) -> Array:
    """Product dexp_θᵀ p of a momentum: p but for quaternions.

    Parameters
    ----------
    model : Model
        The model.
    theta : array, shape (nv,)
        Displacement θ: a velocity, multiplied by a time.
    p : array, shape (nv,)
        Momentum.

    Returns
    -------
    ndarray, shape (nv,)
        The products p · dexp_θ w with all unit velocities w.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> model = kt.load("quadruped", base="free").model
    >>> model.dexp_dual(0.1 * np.eye(18)[0], np.eye(18)[1])[:3].round(3)
    array([ 0.   ,  0.998, -0.05 ])
    """
    return _each(model, lambda b, theta, p: b.joint.dexp_dual(theta, p), (), (theta, p))


def dexp_inv_dual(model: Model, theta: Array, p: Array) -> Array:
    """Inverse of `dexp_dual`: the p with dexp_θᵀ p given.

    Parameters
    ----------
    model : Model
        The model.
    theta : array, shape (nv,)
        Displacement θ: a velocity, multiplied by a time.
    p : array, shape (nv,)
        Momentum.

    Returns
    -------
    ndarray, shape (nv,)
        The momentum that `dexp_dual` maps to `p`.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> model = kt.load("quadruped", base="free").model
    >>> model.dexp_inv_dual(0.1 * np.eye(18)[0], np.eye(18)[1])[:3].round(3)
    array([0.   , 0.999, 0.05 ])
    """
    return _each(model, lambda b, theta, p: b.joint.dexp_inv_dual(theta, p), (), (theta, p))


def normalise(model: Model, q: Array) -> Array:
    """Configuration with every quaternion scaled to unit length.

    Parameters
    ----------
    model : Model
        The model.
    q : array, shape (nq,)
        Configuration.

    Returns
    -------
    ndarray, shape (nq,)
        The configuration.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> model = kt.load("quadruped", base="free").model
    >>> model.normalise(2.0 * model.neutral())[:7]
    array([0., 0., 0., 1., 0., 0., 0.])
    """
    return _each(model, lambda b, q: b.joint.normalise(q), (q,))


def _each(model: Model, function: Callable[..., Array], qs: Sequence[Array], vs: Sequence[Array] = ()) -> Array:
    """Apply a joint's method to every joint's own variables, and join the results."""
    parts = [
        function(body, *(q[sq] for q in qs), *(v[sv] for v in vs))
        for body in model.independent_joints
        for sq, sv in [model.slices[body.index]]
    ]
    return concatenate(parts) if parts else np.zeros(0)
