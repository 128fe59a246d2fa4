"""Joints ↔ vectors: the entries of each joint in q and v, and the couplings of mimic joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..arrays import Array, concatenate
from ..errors import InputError, ModelWarning, name_list
from ..lie import inertia
from .checks import Check, complain
from .record import read_only

if TYPE_CHECKING:
    from .body import Body, Mimic
    from .model import Model


class VariableBounds(NamedTuple):
    """Bounds of all variables: the limits of the joints, narrowed by those of the joints that mimic them.

    Those of a joint that follows several variables at once bound none of them alone; see `SharedLimits`.
    """

    lower: Array
    """(nq,) of q [rad, m]."""
    upper: Array
    """(nq,) of q; below `lower` where no value is within all limits."""
    velocity: Array
    """(nv,) of the size of v [rad/s, m/s]."""


def bounds(model: Model) -> VariableBounds:
    """The bounds of q and v within which all joints, mimic joints too, are within their limits."""
    found = VariableBounds(*(np.array(x) for x in (model.limits.lower, model.limits.upper, model.limits.velocity)))
    for body in model.bodies:
        if body.mimic is not None:
            sq, sv = model.slices[body.mimic.source]
            lower, upper, velocity = leader_bounds(body)
            found.lower[sq] = np.maximum(found.lower[sq], lower)
            found.upper[sq] = np.minimum(found.upper[sq], upper)
            found.velocity[sv] = np.minimum(found.velocity[sv], velocity)
    return VariableBounds(*map(read_only, found))


def leader_bounds(body: Body) -> VariableBounds:
    """The limits of a mimic joint as bounds of the joint that it follows; infinite where its matrix has zeros.

    Of a variable that follows several, q = R q_s + r with several entries in its row of R, they are no bounds of single
    variables, but inequalities: `SharedLimits`.
    """
    mimic, limits = body.mimic, body.limits
    assert mimic is not None
    n = mimic.ratio.shape[1]
    found = VariableBounds(np.full(n, -np.inf), np.full(n, np.inf), np.full(n, np.inf))
    for i, row in enumerate(mimic.ratio):
        for k in np.flatnonzero(row) if np.count_nonzero(row) == 1 else ():
            ends = [(x[i] - mimic.offset[i]) / row[k] for x in (limits.lower, limits.upper)]
            found.lower[k], found.upper[k] = max(found.lower[k], min(ends)), min(found.upper[k], max(ends))
            found.velocity[k] = min(found.velocity[k], limits.velocity[i] / abs(row[k]))
    return found


class SharedLimits(NamedTuple):
    """Limits of positions that follow several variables of one joint: lower ≤ A q_s ≤ upper, besides its bounds."""

    A: Array
    """(k, nq_s)"""
    lower: Array
    """(k,)"""
    upper: Array
    """(k,)"""
    inside: Array
    """(nq_s,) within them and the bounds, with room to all; if there is none, somewhere near."""


def shared_limits(model: Model) -> dict[int, SharedLimits]:
    """Body whose joint's variables have such limits → the limits."""
    rows: dict[int, list[tuple[Array, float, float]]] = {}
    for body in model.bodies:
        if body.mimic is not None:
            ends = zip(body.mimic.ratio, body.mimic.offset, body.limits.lower, body.limits.upper, strict=True)
            some = [(row, low - r, high - r) for row, r, low, high in ends if np.count_nonzero(row) > 1]
            bounded = [x for x in some if np.isfinite(x[1:]).any()]
            rows.setdefault(body.mimic.source, []).extend(bounded)
    found = {}
    for source, each in rows.items():
        if each:
            A, lower, upper = (np.array(x, dtype=float) for x in zip(*each, strict=True))
            found[source] = SharedLimits(A, lower, upper, _inside(A, lower, upper, model, model.bodies[source]))
    return found


PROJECTIONS, ROOM = 200, 0.1
"""The search for a point within limits makes as many rounds of projections. The point shall be as far from both limits
as this part of the distance between them."""


def _inside(A: Array, lower: Array, upper: Array, model: Model, body: Body) -> Array:
    """A point within lower ≤ A q ≤ upper and the bounds of a joint, by projections onto one after the other."""
    rows, ends = np.concatenate([A, np.eye(A.shape[1])]), reachable(model, body)
    low, high = (np.concatenate(x) for x in zip((lower, upper), ends, strict=True))
    room = np.where(np.isfinite(high - low), ROOM * (high - low), 0.0)
    q = np.clip(np.zeros(A.shape[1]), *ends)
    for _ in range(PROJECTIONS):
        for row, least, most in zip(rows, low + room, high - room, strict=True):
            q = q + row * (np.clip(row @ q, least, most) - row @ q) / (row @ row)
    return q


def keeps_shared_limits(model: Model, q: Array, room: float = 0.0) -> Array:
    """Which configurations (..., nq) are within the shared limits, or not farther beyond than some room."""
    found = np.ones(q.shape[:-1], dtype=bool)
    for source, (A, lower, upper, _) in model.shared_limits.items():
        x = q[..., model.slices[source][0]] @ A.T
        found &= ((x >= lower - room) & (x <= upper + room)).all(axis=-1)
    return found


def within_shared_limits(model: Model, q: Array) -> Array:
    """Configurations (..., nq) within the bounds, those beyond shared limits moved towards a point within them."""
    q = np.array(q, dtype=float)
    for source, (A, lower, upper, inside) in model.shared_limits.items():
        at = model.slices[source][0]
        way = q[..., at] - inside
        start, change = A @ inside, way @ A.T
        with np.errstate(divide="ignore", invalid="ignore"):
            part = np.where(
                change > 0, (upper - start) / change, np.where(change < 0, (lower - start) / change, np.inf)
            )
        q[..., at] = inside + np.clip(part.min(axis=-1, keepdims=True), 0.0, 1.0) * way
    return q


def check_followers(model: Model, check: Check, file: str = "") -> None:
    """Warn, or raise an error, about mimic joints that do not move, or whose limits exclude all that they follow."""
    held = [body for body in model.bodies if body.mimic is not None and not np.any(body.mimic.ratio)]
    if held:
        leaders = [model.bodies[body.mimic.source].joint_name for body in held if body.mimic is not None]
        what = f"mimic ratios of zero hold joints {name_list(body.joint_name for body in held)}, whatever"
        told = f"{what} {name_list(dict.fromkeys(leaders))} do: a fixed joint says that too"
        complain(told, check, ModelWarning, file)
    for source, excluded in excluded_followers(model).items():
        leader, names = model.bodies[source].joint_name, [body.joint_name for body in excluded]
        what = f"no position of joint {leader!r} was found within the limits of what follows it"
        complain(f"{what}, {name_list(names)}: home and random leave them", check, ModelWarning, file)


def excluded_followers(model: Model) -> dict[int, list[Body]]:
    """Mimic joints within whose limits no value of the variables is that they follow, or none beside the others'.

    By the place of the body whose joint they follow.
    """
    followers: dict[int, list[Body]] = {}
    for body in model.bodies:
        if body.mimic is not None:
            followers.setdefault(body.mimic.source, []).append(body)
    found = {}
    for source, each in sorted(followers.items()):
        at = model.slices[source][0]
        if np.any(model.bounds.lower[at] > model.bounds.upper[at]):
            found[source] = [body for body in each if _clash(body, model.bodies[source])] or each
        elif source in model.shared_limits and not _is_inside(model.shared_limits[source]):
            found[source] = each
    return found


def _clash(follower: Body, leader: Body) -> bool:
    lower, upper, _ = leader_bounds(follower)
    return bool(np.any(np.maximum(lower, leader.limits.lower) > np.minimum(upper, leader.limits.upper)))


def _is_inside(shared: SharedLimits) -> bool:
    """Whether the point that was looked for within the limits that a joint shares with others is within them."""
    A, lower, upper, inside = shared
    x = A @ inside
    room = 1e-9 * (1.0 + np.abs(x))
    return bool(np.all((x >= lower - room) & (x <= upper + room)))


def followed_interval(mimic: Mimic, lower: Array, upper: Array) -> tuple[Array, Array]:
    """Bounds (n,) of R q + r for q between bounds (n_source,), which may be infinite."""
    ends = [
        np.where(mimic.ratio == 0.0, 0.0, mimic.ratio * np.where(mimic.ratio == 0.0, 0.0, x)) for x in (lower, upper)
    ]
    low, high = (f(*ends).sum(axis=1) + mimic.offset for f in (np.minimum, np.maximum))
    return low, high


def reachable(model: Model, body: Body) -> tuple[Array, Array]:
    """Lower and upper bounds (nq_i,) of a joint, narrowed by its mimics; its own limits where these exclude all."""
    at, limits = model.slices[body.index][0], body.limits
    lower, upper = model.bounds.lower[at], model.bounds.upper[at]
    some = lower <= upper
    # Plus zero: NumPy refuses to draw from 0.0 to -0.0.
    return np.where(some, lower, limits.lower) + 0.0, np.where(some, upper, limits.upper) + 0.0


_BATCHES = "an algorithm takes one state; for batches use Robot, compile, or jax.vmap"


def check_q(model: Model, q: Array) -> None:
    """Raise an error unless q is one configuration (nq,)."""
    if np.shape(q) != (model.nq,):
        raise InputError(f"q must have shape ({model.nq},), got {np.shape(q)}; {_BATCHES}")


def split_q(model: Model, q: Array) -> list[Array]:
    """Configuration as one array per body; a mimic joint gets R q_source + r.

    Parameters
    ----------
    model : Model
        The model.
    q : array, shape (nq,)
        Configuration.

    Returns
    -------
    list of ndarray
        Variables of each body's joint.

    Raises
    ------
    InputError
        If the shape of `q` does not fit.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.load("planar2r").model.split_q(np.array([0.1, 0.2]))
    [array([0.1]), array([0.2])]
    """
    check_q(model, q)
    own = {index: q[sq] for index, (sq, _) in model.slices.items()}
    return [own[b.index] if b.mimic is None else b.mimic.position(own[b.mimic.source]) for b in model.bodies]


def split_v(model: Model, v: Array) -> list[Array]:
    """Velocity as one array per body; a mimic joint gets R v_source.

    Parameters
    ----------
    model : Model
        The model.
    v : array, shape (nv,) or (nv, k)
        Velocity, acceleration or joint force; or a matrix with such columns.

    Returns
    -------
    list of ndarray
        Entries, or rows, of each body's joint.

    Raises
    ------
    InputError
        If the shape of `v` does not fit.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.load("planar2r").model.split_v(np.array([0.1, 0.2]))
    [array([0.1]), array([0.2])]
    """
    if np.shape(v)[:1] != (model.nv,):
        raise InputError(f"v, a and tau must have shape ({model.nv},), got {np.shape(v)}; {_BATCHES}")
    own = {index: v[sv] for index, (_, sv) in model.slices.items()}
    return [own[b.index] if b.mimic is None else b.mimic.velocity(own[b.mimic.source]) for b in model.bodies]


def gather(model: Model, forces: Sequence[Array]) -> Array:
    """Transpose of `split_v`: forces of each body's joint as one array.

    Parameters
    ----------
    model : Model
        The model.
    forces : sequence of array, shape (nv_i, ...)
        Forces of the joints, one array per body.

    Returns
    -------
    ndarray, shape (nv, ...)
        Joint forces; those of mimic joints, times Rᵀ, are added to those of their sources.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.load("planar2r").model.gather([np.array([1.0]), np.array([2.0])])
    array([1., 2.])
    """
    own = {b.index: f for b, f in zip(model.bodies, forces, strict=True) if b.mimic is None}
    for b, f in zip(model.bodies, forces, strict=True):
        if b.mimic is not None:
            own[b.mimic.source] = own[b.mimic.source] + b.mimic.force(f)
    return concatenate([own[b.index] for b in model.independent_joints], axis=0) if own else np.zeros(0)


def gather_blocks(model: Model, rows: Sequence[Mapping[int, Array]]) -> Array:
    """Symmetric matrix from its blocks per pair of bodies.

    Parameters
    ----------
    model : Model
        The model.
    rows : sequence of mapping of int to array
        Blocks rows[i][j], shape (nv_i, nv_j), for j at or beyond i; others are zero.

    Returns
    -------
    ndarray, shape (nv, nv)
        The matrix.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> one = np.ones((1, 1))
    >>> kt.load("planar2r").model.gather_blocks([{0: 3 * one, 1: one}, {1: 2 * one}])
    array([[3., 1.],
           [1., 2.]])
    """
    full = [
        concatenate(
            [
                rows[i][j] if j in rows[i] else rows[j][i].T if i in rows[j] else np.zeros((b.joint.nv, c.joint.nv))
                for j, c in enumerate(model.bodies)
            ]
        )
        for i, b in enumerate(model.bodies)
    ]
    if not full:
        return np.zeros((0, 0))
    ends = np.cumsum([0, *(b.joint.nv for b in model.bodies)])
    half = gather(model, full)  # (nv, joints of all bodies)
    return inertia.symmetric(gather(model, [half[:, a:b].T for a, b in pairwise(ends)]))
