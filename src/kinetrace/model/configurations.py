"""Configurations: units of their variables, `home`, and errors about numbers that are no valid ones, or no velocities.

Limits of mimic joints count: their positions are R q + r, their velocities R v. Checks are joint by
joint, on arrays with any batch axes. Messages name the joint, the state of the batch and the bound.

Units and short names of variables follow from the motion of a joint, not from its class. Joints with a quaternion, or
with more variables than velocities, have coordinates only outside of it.

Angles that are far beyond the limits in radians, and within them in degrees, were perhaps given in degrees.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..arrays import Array
from ..errors import InputError
from ..support.conversion import as_array
from .couplings import keeps_shared_limits, reachable, within_shared_limits
from .joints import Joint

if TYPE_CHECKING:
    from .body import Body, Mimic
    from .model import Model

LIMIT_TOLERANCE = 1e-9
"""How far beyond its limits a number may be: what rounding leaves of one that is at a limit."""


STOP_CLEARANCE = 0.01
"""How near to a stop, of a joint's range, zero is no place to begin: as if it were beyond. At a stop it is one, where a
gripper is closed or a knee straight."""


class Tolerances(NamedTuple):
    """How far from right numbers may be that were rounded to some precision."""

    outside: float
    """Beyond a limit, relative to it, if that is more than LIMIT_TOLERANCE."""
    unit: float
    """Of the length of a quaternion from one."""
    open: float
    """Of loops from closed [m, rad]; `CLOSED_RESIDUAL` of `algorithms.closed.loop_closing` is less: what the search
    for closed configurations reaches."""


DOUBLE, SINGLE, HALF = Tolerances(0.0, 1e-6, 1e-6), Tolerances(1e-6, 1e-6, 1e-4), Tolerances(1e-3, 1e-3, 1e-2)


def home(model: Model) -> Array:
    """The configuration (nq,) to begin with: where loops were closed, or the start of the model, or `within_limits`.

    Where the start is beyond limits, the joint is at the limit.

    >>> import kinetrace as kt
    >>> home(kt.load("four_bar").model).round(3).tolist()
    [1.077, -0.618, 1.463]
    """
    if model.assembly is not None:
        return np.array(model.assembly.q, dtype=float)
    if model.start is None:
        return within_limits(model)
    q = np.array(model.start, dtype=float)
    return within_shared_limits(model, np.clip(q, model.bounds.lower, model.bounds.upper))


def within_limits(model: Model) -> Array:
    """The configuration (nq,) with each joint at zero, or amid its limits if zero is outside or barely inside.

    A joint with one limit is at that one, if zero is beyond it. Quaternions are the identity. Limits of joints that
    mimic it are limits of a joint.

    >>> import kinetrace as kt
    >>> within_limits(kt.load("panda").model).round(3).tolist()
    [0.0, 0.0, 0.0, -1.571, 0.0, 1.868, 0.0]
    """
    q = np.array(model.neutral(), dtype=float)
    for body in model.independent_joints:
        lower, upper = reachable(model, body)
        nearest = np.clip(0.0, lower, upper)
        with np.errstate(invalid="ignore"):
            middle = np.where(np.isfinite(lower) & np.isfinite(upper), (lower + upper) / 2, nearest)
            room = np.minimum(np.abs(lower), np.abs(upper))
            barely = (room > 0.0) & (room < STOP_CLEARANCE * (upper - lower)) & np.isfinite(upper - lower)
        at = model.slices[body.index][0]
        q[at] = np.where((nearest == 0.0) & ~barely, q[at], middle)
    return within_shared_limits(model, q)


def start_of(model: Model, values: Mapping[str, Array]) -> Array:
    """The start (nq,) with some joints at values, the others as in `within_limits`.

    >>> import kinetrace as kt
    >>> start_of(kt.load("planar2r").model, {"joint2": [0.5]})
    array([0. , 0.5])
    """
    q = within_limits(model)
    for name, value in values.items():
        x, at = as_array("start", value), model.joint_slices(name)[0]
        if np.atleast_1d(x).shape != q[at].shape:
            raise no_configuration("start", name, len(q[at]), x.shape)
        q[at] = x
    check_q(model, q, limits=False, unit=False, what="start")
    return np.asarray(model.normalise(q))


def no_configuration(what: str, joint: str, nq: int, shape: tuple[int, ...]) -> InputError:
    """The error for numbers of a shape that are not one configuration (nq,) of a joint.

    >>> print(no_configuration("home", "elbow", 1, (2,)))
    home: joint 'elbow' must be a number, got shape (2,)
    """
    wanted = "a number" if nq == 1 else f"numbers of shape ({nq},)"
    return InputError(f"{what}: joint {joint!r} must be {wanted}, got shape {shape}")


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
    x, most = _numbers(q, model.nq, what, single)
    if _are_fine(model, x, limits, most.unit if unit else None):
        return
    try:
        for body in model.independent_joints:
            check_joint(body, x[..., model.slices[body.index][0]], what, most, limits=limits, unit=unit)
        for body, mimic in _followers(model) if limits else ():
            check_follower(model, body, mimic, x[..., model.slices[mimic.source][0]], what, most)
    except InputError as error:
        hint = degrees_hint(model, x, what) if limits else ""
        if hint:
            raise InputError(f"{error}; {hint}") from None
        raise


def check_v(model: Model, v: Any, *, limits: bool = True, what: str = "v", single: bool = False) -> None:
    """An error unless v (..., nv) are finite, and no faster than the limits."""
    x, most = _numbers(v, model.nv, what, single)
    sums = limits and any(np.count_nonzero(mimic.ratio, axis=1).max() > 1 for _, mimic in _followers(model))
    if np.isfinite(x).all() and not sums and (not limits or (np.abs(x) <= model.bounds.velocity).all()):
        return
    for body in model.independent_joints:
        part = x[..., model.slices[body.index][1]]
        _check_finite(body, part, what)
        if limits:
            _check_speed(body, part, what, most)
    for body, mimic in _followers(model) if limits else ():
        part = x[..., model.slices[mimic.source][1]] @ mimic.ratio.T
        _check_speed(body, part, what, most, model.bodies[mimic.source].joint_name)


def _check_speed(body: Body, x: Array, what: str, most: Tolerances, leader: str = "") -> None:
    """An error unless velocities x (..., nv) of a joint are within its limit."""
    fastest = body.limits.velocity
    bad = np.abs(x) - fastest > _allowed(fastest, most)
    _complain(bad, x, body, what, "moves at {x}, beyond its velocity limit {bound}", fastest, leader)


def check_joint(
    body: Body, x: Array, what: str, most: Tolerances = DOUBLE, *, limits: bool = True, unit: bool = True
) -> None:
    """An error unless x (..., nq) are configurations of a joint, within its limits and of unit length if asked for."""
    _check_finite(body, x, what)
    if body.joint.quaternion is not None:
        length = _length(body, x)
        said = "has a quaternion of length {x}, which must be {bound}; robot.normalise scales it"
        _complain(length == 0.0, length, body, what, "has the quaternion 0, which is not a rotation", length)
        _complain(~(np.abs(length - 1.0) <= most.unit) & unit, length, body, what, said, np.ones(1))
    if limits:
        _check_limits(body, x, what, most)


def check_follower(model: Model, body: Body, mimic: Mimic, x: Array, what: str, most: Tolerances = DOUBLE) -> None:
    """An error unless a mimic joint is within its limits where the joint that it follows is at x (..., nq)."""
    leader = model.bodies[mimic.source].joint_name
    _check_limits(body, mimic.position(x), what, most, np.abs(mimic.offset), leader)


def _followers(model: Model) -> list[tuple[Body, Mimic]]:
    """Mimic joints, and what they follow."""
    return [(body, body.mimic) for body in model.bodies if body.mimic is not None]


def _check_limits(
    body: Body, x: Array, what: str, most: Tolerances, size: Array | float = 0.0, leader: str = ""
) -> None:
    """An error unless positions x (..., nq) of a joint, computed from numbers of a size, are within its limits."""
    for sign, bound, said in (
        (1.0, body.limits.upper, "above its upper"),
        (-1.0, body.limits.lower, "below its lower"),
    ):
        bad = sign * (x - bound) > _allowed(bound, most, size)
        _complain(bad, x, body, what, "is at {x}, " + said + " limit {bound}", bound, leader)


def _are_fine(model: Model, x: Array, limits: bool, unit: float | None) -> bool:
    """Whether nothing is wrong with q (..., nq): a quick look at all joints at once."""
    lower, upper, _ = model.bounds
    if not np.isfinite(x).all() or (limits and not ((x >= lower) & (x <= upper)).all()):
        return False
    if limits and not keeps_shared_limits(model, x).all():
        return False
    turning = [body for body in model.independent_joints if body.joint.quaternion is not None]
    lengths = [_length(body, x[..., model.slices[body.index][0]]) for body in turning]
    return all((length > 0.0 if unit is None else np.abs(length - 1.0) <= unit).all() for length in lengths)


def _length(body: Body, x: Array) -> Array:
    """The length (..., 1) of the quaternion of a joint's configurations (..., nq_i)."""
    with np.errstate(over="ignore", under="ignore"):
        return np.sqrt(np.sum(np.square(x[..., body.joint.quaternion]), axis=-1, keepdims=True))


def _allowed(bound: Array, most: Tolerances, size: Array | float = 0.0) -> Array:
    """How far beyond a bound a number may be, one that was computed from numbers of a size."""
    return np.maximum(LIMIT_TOLERANCE, most.outside * (size + np.abs(np.where(np.isfinite(bound), bound, 0.0))))


def tolerances_of(x: Array, single: bool = False) -> Tolerances:
    """Those of the precision of an array; `single` is for a robot that computes in single precision.

    >>> tolerances_of(np.zeros(2, np.float32)).open
    0.0001
    """
    size = x.dtype.itemsize if x.dtype.kind == "f" else 8
    return HALF if size < 4 else SINGLE if size < 8 or single else DOUBLE


def apart(x: float, bound: float, digits: int = 6) -> tuple[str, str]:
    """Two numbers that differ, with as many digits as show it.

    >>> apart(2.0, 1.0), apart(1.0 + 2e-8, 1.0)
    (('2', '1'), ('1.00000002', '1'))
    """
    pairs = [(f"{x:.{n}g}", f"{bound:.{n}g}") for n in range(digits, 18)]
    return next((pair for pair in pairs if pair[0] != pair[1]), pairs[0])


def check_batches(q: Any, v: Any, what: str = "q") -> None:
    """An error unless the batch axes of q (..., nq) and v (..., nv) fit."""
    shapes = np.shape(q)[:-1], np.shape(v)[:-1]
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        told = f"batch axes {shapes[0]} of {what} and {shapes[1]} of v do not fit"
        raise InputError(f"{told}: each must be the same, 1 or missing") from None


def _numbers(x: Any, size: int, what: str, single: bool) -> tuple[Array, Tolerances]:
    """x (..., size) as floats of double precision, and the tolerances of the one in which they are given."""
    array = as_array(what, x)
    if array.dtype.kind not in "biuf":
        raise InputError(f"{what} must hold real numbers, got dtype {array.dtype}")
    if array.shape[-1:] != (size,):
        raise InputError(f"{what} must have shape (..., {size}), got {array.shape}")
    return array.astype(float, copy=False), tolerances_of(array, single)


def _check_finite(body: Body, x: Array, what: str) -> None:
    _complain(~np.isfinite(x), x, body, what, "is {x}, which must be a finite number", np.zeros(1))


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
    at, limit = apart(x[first], np.broadcast_to(bound, x.shape)[first])
    raise InputError(f"{lane}: {which} {said.format(x=at, bound=limit)}{more}")


_TWIST = ("ωx", "ωy", "ωz", "vx", "vy", "vz")


def v_units(joint: Joint) -> list[str]:
    """The unit of each velocity, times seconds: "rad" where it turns, "m" where it only shifts.

    >>> from kinetrace.model import joints
    >>> v_units(joints.Planar()), v_units(joints.Spherical())
    (['m', 'm', 'rad'], ['rad', 'rad', 'rad'])
    """
    turns = np.abs(np.asarray(joint.subspace(joint.neutral()))[:3]).max(axis=0, initial=0.0) > 0
    return ["rad" if turn else "m" for turn in turns]


def q_units(joint: Joint) -> list[str]:
    """The unit of each variable: that of the velocity which is its rate; "1" where none is.

    >>> from kinetrace.model import joints
    >>> q_units(joints.Free())
    ['m', 'm', 'm', '1', '1', '1', '1']
    """
    rates = v_units(joint)
    if joint.nq == joint.nv:
        return rates
    found, quaternion = ["1"] * joint.nq, joint.quaternion
    if quaternion is not None:
        moved = np.asarray(joint.tangent(joint.neutral())) != 0.0
        for i in sorted({*range(joint.nq)} - {*range(joint.nq)[quaternion]}):
            units = {unit for unit, does in zip(rates, moved[i], strict=True) if does}
            found[i] = units.pop() if len(units) == 1 else "1"
    return found


def q_parts(joint: Joint) -> list[str]:
    """A word for each variable, if there are several: letters for shifts, numbers or an angle sign for turns.

    >>> from kinetrace.model import joints
    >>> q_parts(joints.Planar()), q_parts(joints.Universal()), q_parts(joints.Cylindrical()), q_parts(joints.Revolute())
    (['x', 'y', '∠'], ['1', '2'], ['1', '2'], [''])
    """
    if joint.nq == 1:
        return [""]
    units = q_units(joint)
    shifts, turns = units.count("m"), units.count("rad")
    if units[:shifts] != ["m"] * shifts or not 1 < shifts <= 3:
        return [str(k + 1) for k in range(joint.nq)]
    angles = ["∠"] if turns == 1 else [f"∠{k + 1}" for k in range(turns)]
    return [*"xyz"[:shifts], *angles, *(str(k + 1) for k in range(shifts + turns, joint.nq))]


def v_parts(joint: Joint) -> list[str]:
    """A word for each velocity, if there are several: those of q, or components of the twist, or numbers.

    >>> from kinetrace.model import joints
    >>> v_parts(joints.Free()), v_parts(joints.Planar())
    (['ωx', 'ωy', 'ωz', 'vx', 'vy', 'vz'], ['x', 'y', '∠'])
    """
    if joint.nv == 1:
        return [""]
    if joint.nq == joint.nv:
        return q_parts(joint)
    columns = np.asarray(joint.subspace(joint.neutral())).T
    axes = [np.flatnonzero(column) for column in columns]
    plain = all(len(axis) == 1 for axis in axes) and len({int(axis[0]) for axis in axes}) == joint.nv
    return [_TWIST[int(axis[0])] if plain else str(k + 1) for k, axis in enumerate(axes)]


DEGREES_BEYOND_LIMITS = 2.0
"""Multiple of the larger limit from which a position that is within the limits as degrees looks like degrees."""
ENTRIES_IN_MESSAGE = 12
"""Entries of a state that a message gives."""


def in_radians(
    x: Array,
    k: int,
    lower: Array,
    upper: Array,
    units: Sequence[str],
    *,
    times: float = DEGREES_BEYOND_LIMITS,
    what: str = "q",
) -> str:
    """Entries x (n,) in radians, as a remark, if entry k looks like degrees; empty if it does not.

    `lower` and `upper` (n,) are limits, of which numbers that look like degrees are beyond some `times`.

    >>> in_radians(np.array([90.0, 45.0]), 0, np.full(2, -2.0), np.full(2, 2.0), ["rad", "rad"])
    'the numbers look like degrees: q in radians is [1.571, 0.7854] (np.deg2rad)'
    """
    limits = np.array([lower[k], upper[k]])
    far = times * np.abs(limits[np.isfinite(limits)]).max(initial=0.0)
    angle = np.deg2rad(x[k])
    if not (units[k].startswith("rad") and abs(x[k]) > far and lower[k] <= angle <= upper[k]):
        return ""
    right = np.where([unit.startswith("rad") for unit in units], np.deg2rad(x), x)
    if len(x) == 1 or not np.all((lower <= right) & (right <= upper)):
        return f"{x[k]:.6g} looks like degrees: in radians it is {angle:.4g}"
    numbers = ", ".join(f"{y:.4g}" for y in right[:ENTRIES_IN_MESSAGE]) + ", …" * (len(right) > ENTRIES_IN_MESSAGE)
    return f"the numbers look like degrees: {what} in radians is [{numbers}] (np.deg2rad)"


def degrees_hint(model: Model, q: Array, what: str = "q", *, alone: bool = False) -> str:
    """The same of the first of configurations (..., nq) that is beyond limits; `alone`, of the entry without others.

    >>> import kinetrace as kt
    >>> degrees_hint(kt.load("panda").model, np.array([0.0, -45.0, 0.0, -135.0, 0.0, 90.0, 45.0]))
    'the numbers look like degrees: q in radians is [0, -0.7854, 0, -2.356, 0, 1.571, 0.7854] (np.deg2rad)'
    """
    lower, upper, _ = model.bounds
    beyond = np.argwhere((q < lower) | (q > upper))
    if not len(beyond):
        return ""
    lane = tuple(int(i) for i in beyond[0][:-1])
    units = [unit for body in model.independent_joints for unit in q_units(body.joint)]
    name = f"{what}[{', '.join(map(str, lane))}]" if lane else what
    entries = np.flatnonzero((q[lane] < lower) | (q[lane] > upper)).tolist()
    for k in entries:
        at = slice(k, k + 1) if alone else slice(None)
        hint = in_radians(q[lane][at], 0 if alone else k, lower[at], upper[at], units[at], what=name)
        if hint:
            return hint
    return ""


def many_turns_hint(model: Model, q: Array, what: str = "q") -> str:
    """The same of a configuration (nq,) that loops are closed from, where joints without limits count too.

    An angle of more than a turn is no place to begin at, so it looks like degrees.

    >>> import kinetrace as kt
    >>> many_turns_hint(kt.load("four_bar").model, np.array([90.0, 0.0, 60.0]))
    'the numbers look like degrees: q in radians is [1.571, 0, 1.047] (np.deg2rad)'
    """
    if hint := degrees_hint(model, q, what):
        return hint
    lower, upper, _ = model.bounds
    units = [unit for body in model.independent_joints for unit in q_units(body.joint)]
    free = np.isinf(lower) & np.isinf(upper) & np.array([unit.startswith("rad") for unit in units], dtype=bool)
    entries = np.flatnonzero(free & (np.abs(q) > 2.0 * np.pi)).tolist()
    return in_radians(q, entries[0], lower, upper, units, what=what) if entries else ""
