"""Valid configurations: `home`, and errors about numbers that are not valid configurations or velocities.

Limits of mimic joints count: their positions are ratio · q + offset, their velocities ratio · v. Checks are joint by
joint, on arrays with any batch axes. Messages name the joint, the state of the batch and the bound.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays import Array
from ..errors import InputError
from ..support.plain import plain_array
from .couplings import reachable

if TYPE_CHECKING:
    from .body import Body, Mimic
    from .model import Model

OUTSIDE = 1e-9
"""How far beyond its limits a number may be: what rounding leaves of one that is at a limit."""
OUTSIDE_SINGLE = 1e-6
"""The same, relative to the number, for arrays of single precision."""
UNIT = 1e-6
"""How far from one the length of a quaternion may be."""
OPEN, OPEN_SINGLE = 1e-6, 1e-4
"""How far from closed [m, rad] loops of a valid configuration may be, in double and in single precision.

`loops.CLOSED` is less: what the search for closed configurations reaches."""


def home(model: Model) -> Array:
    """The configuration (nq,) with each joint at zero, or in the middle of its limits if zero is outside of them.

    A joint with one limit is at that one, if zero is beyond it. Quaternions are the identity. Limits of joints that
    mimic it are limits of a joint.

    >>> import kinetrace as kt
    >>> home(kt.load("panda").model).round(3).tolist()
    [0.0, 0.0, 0.0, -1.571, 0.0, 0.0, 0.0]
    """
    q = np.array(model.neutral(), dtype=float)
    for body in model.independent_joints:
        lower, upper = reachable(model, body)
        nearest = np.clip(0.0, lower, upper)
        with np.errstate(invalid="ignore"):
            middle = np.where(np.isfinite(lower) & np.isfinite(upper), (lower + upper) / 2, nearest)
        at = model.slices[body.index][0]
        q[at] = np.where(nearest == 0.0, q[at], middle)
    return q


def check_q(
    model: Model, q: Any, *, limits: bool = True, unit: bool = True, what: str = "q", single: bool = False
) -> None:
    """An error unless q (..., nq) are configurations: finite, quaternions of unit length, within the limits.

    If not `unit`, quaternions may have any length but zero. `single` allows for single precision in any case.

    >>> import kinetrace as kt
    >>> check_q(kt.load("panda").model, [0.0] * 7)
    Traceback (most recent call last):
    kinetrace.errors.InputError: q: joint 'panda_joint4' is at 0, above its upper limit -0.0698
    """
    x, beyond = _numbers(q, model.nq, what, single)
    if _are_fine(model, x, beyond if limits else None, unit):
        return
    for body in model.independent_joints:
        check_joint(body, x[..., model.slices[body.index][0]], what, beyond if limits else None, unit)
    for body, mimic in _followers(model) if limits else ():
        check_follower(model, body, mimic, x[..., model.slices[mimic.source][0]], what, beyond)


def check_v(model: Model, v: Any, *, limits: bool = True, what: str = "v", single: bool = False) -> None:
    """An error unless v (..., nv) are finite, and no faster than the limits."""
    x, beyond = _numbers(v, model.nv, what, single)
    if np.isfinite(x).all() and (not limits or (np.abs(x) <= model.bounds.velocity).all()):
        return
    for body in model.independent_joints:
        part = x[..., model.slices[body.index][1]]
        _check_finite(body, part, what)
        if limits:
            _check_speed(body, part, what, beyond)
    for body, mimic in _followers(model) if limits else ():
        part = mimic.ratio * x[..., model.slices[mimic.source][1]]
        _check_speed(body, part, what, beyond, model.bodies[mimic.source].joint_name)


def _check_speed(body: Body, x: Array, what: str, beyond: float, leader: str = "") -> None:
    """An error unless velocities x (..., nv) of a joint are within its limit."""
    fastest = body.limits.velocity
    bad = np.abs(x) - fastest > _allowed(fastest, beyond)
    _complain(bad, x, body, what, "moves at {x:.6g}, beyond its velocity limit {bound:.6g}", fastest, leader)


def check_joint(body: Body, x: Array, what: str, beyond: float | None = 0.0, unit: bool = True) -> None:
    """An error unless x (..., nq) are configurations of a joint, by how much they may exceed limits (None: by any)."""
    _check_finite(body, x, what)
    if body.joint.quaternion is not None:
        length = _length(body, x)
        said = "has a quaternion of length {x:.6g}, which must be 1; robot.normalise scales it"
        _complain(length == 0.0, length, body, what, "has the quaternion 0, which is no rotation", length)
        _complain(~(np.abs(length - 1.0) <= UNIT) & unit, length, body, what, said, length)
    if beyond is not None:
        _check_limits(body, x, what, beyond)


def check_follower(model: Model, body: Body, mimic: Mimic, x: Array, what: str, beyond: float = 0.0) -> None:
    """An error unless a mimic joint is within its limits where the joint that it follows is at x (..., nq)."""
    leader = model.bodies[mimic.source].joint_name
    _check_limits(body, mimic.ratio * x + mimic.offset, what, beyond, abs(mimic.offset), leader)


def _followers(model: Model) -> list[tuple[Body, Mimic]]:
    """Mimic joints, and what they follow."""
    return [(body, body.mimic) for body in model.bodies if body.mimic is not None]


def _check_limits(body: Body, x: Array, what: str, beyond: float, size: float = 0.0, leader: str = "") -> None:
    """An error unless positions x (..., nq) of a joint, computed from numbers of a size, are within its limits."""
    for sign, bound, said in (
        (1.0, body.limits.upper, "above its upper"),
        (-1.0, body.limits.lower, "below its lower"),
    ):
        bad = sign * (x - bound) > _allowed(bound, beyond, size)
        _complain(bad, x, body, what, "is at {x:.6g}, " + said + " limit {bound:.6g}", bound, leader)


def _are_fine(model: Model, x: Array, beyond: float | None, unit: bool) -> bool:
    """Whether nothing is wrong with q (..., nq): a quick look at all joints at once."""
    lower, upper, _ = model.bounds
    if not np.isfinite(x).all() or (beyond is not None and not ((x >= lower) & (x <= upper)).all()):
        return False
    turning = [body for body in model.independent_joints if body.joint.quaternion is not None]
    lengths = [_length(body, x[..., model.slices[body.index][0]]) for body in turning]
    return all((np.abs(length - 1.0) <= UNIT if unit else length > 0.0).all() for length in lengths)


def _length(body: Body, x: Array) -> Array:
    """The length (..., 1) of the quaternion of a joint's configurations (..., nq_i)."""
    with np.errstate(over="ignore", under="ignore"):
        return np.sqrt(np.sum(np.square(x[..., body.joint.quaternion]), axis=-1, keepdims=True))


def _allowed(bound: Array, beyond: float, size: float = 0.0) -> Array:
    """How far beyond a bound a number may be, one that was computed from numbers of a size."""
    return np.maximum(OUTSIDE, beyond * (size + np.abs(np.where(np.isfinite(bound), bound, 0.0))))


def is_single(x: Array) -> bool:
    """Whether an array is of single precision, or less."""
    return bool(x.dtype.kind == "f" and x.dtype.itemsize < 8)


def _numbers(x: Any, size: int, what: str, single: bool) -> tuple[Array, float]:
    """x (..., size) as real numbers, and how far beyond limits they may be, relative to these."""
    array = plain_array(what, x)
    if array.dtype.kind not in "biuf":
        raise InputError(f"{what} must hold real numbers, got dtype {array.dtype}")
    if array.shape[-1:] != (size,):
        raise InputError(f"{what} must have shape (..., {size}), got {array.shape}")
    return array, OUTSIDE_SINGLE if single or is_single(array) else 0.0


def _check_finite(body: Body, x: Array, what: str) -> None:
    _complain(~np.isfinite(x), x, body, what, "is {x}, which must be a finite number", x)


def _complain(bad: Array, x: Array, body: Body, what: str, said: str, bound: Array, leader: str = "") -> None:
    """An error about the first number that is bad, if there is one; `leader` is what a mimic joint follows."""
    if not bad.any():
        return
    first = tuple(int(i) for i in np.argwhere(bad)[0])
    *state, k = first
    which = f"variable {k} of joint {body.joint_name!r}" if x.shape[-1] > 1 else f"joint {body.joint_name!r}"
    which += f", which mimics {leader!r}," if leader else ""
    places = ", ".join(map(str, state))
    lane = f"{what}[{places}]" if state else what
    states = int(np.count_nonzero(bad.any(axis=-1)))
    more = f" ({states} states of {bad[..., 0].size} are like that)" if states > 1 else ""
    at, bounds = x[first], np.broadcast_to(bound, x.shape)[first]
    raise InputError(f"{lane}: {which} {said.format(x=at, bound=bounds)}{more}")
