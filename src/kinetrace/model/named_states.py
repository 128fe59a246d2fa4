"""States by the names of joints: q and v as arrays, made of values of joints, and back.

A joint with one variable has a number per state; one with several an array (..., n), a quaternion (w, x, y, z) last. A
spherical joint may have a rotation matrix instead, a free one a pose or a position.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays import Array
from ..errors import InputError, is_hashable, unknown_name_error
from ..lie import so3
from ..support.conversion import as_list, as_reals
from .checks import ORTHONORMAL
from .configurations import check_q, check_v, home, no_configuration, q_units
from .joints import Free, Joint, Spherical

if TYPE_CHECKING:
    from .body import Body, Mimic
    from .model import Model

MIMIC_TOLERANCE = 1e-6
"""How far a mimic joint may be from where the joint that it follows puts it [rad, m]: numbers are often rounded."""


def q_from(model: Model, values: Mapping[str, Any], others: Any, what: str = "q", *, degrees: bool = False) -> Array:
    """Configurations (..., nq): joints at their values, the others as in `others` (..., nq).

    >>> import numpy as np, kinetrace as kt
    >>> q_from(kt.load("planar2r").model, {"joint2": [0.1, 0.2]}, np.zeros(2))
    array([[0. , 0.1],
           [0. , 0.2]])
    """
    own, mimics = _by_body(model, values, what)
    given = {
        body.index: _configuration(body.joint, value, f"{what}: joint {name!r}", degrees)
        for name, (body, value) in own.items()
    }
    q = _fill_rows(model, given, others, 0, what)
    check_q(model, q, limits=False, what=what)
    for body, mimic, value in mimics:
        x = _configuration(body.joint, value, f"{what}: joint {body.joint_name!r}", degrees)
        _check_follows(model, body, mimic, x, mimic.position(q[..., model.slices[mimic.source][0]]), what)
    return q


def v_from(model: Model, values: Mapping[str, Any], others: Any, what: str = "v") -> Array:
    """Velocities, accelerations or joint forces (..., nv): those of joints, the others as in `others` (..., nv).

    >>> import numpy as np, kinetrace as kt
    >>> v_from(kt.load("planar2r").model, {"joint2": 0.1}, np.zeros(2))
    array([0. , 0.1])
    """
    own, mimics = _by_body(model, values, what)
    given = {
        body.index: _variables(body.joint.nv, value, f"{what}: joint {name!r}", "")
        for name, (body, value) in own.items()
    }
    v = _fill_rows(model, given, others, 1, what)
    check_v(model, v, limits=False, what=what)
    for body, mimic, value in mimics:
        x = _variables(body.joint.nv, value, f"{what}: joint {body.joint_name!r}", "")
        _check_follows(model, body, mimic, x, v[..., model.slices[mimic.source][1]] @ mimic.ratio.T, what)
    return v


def home_from(model: Model, values: Any, what: str = "home", limits: bool = True) -> Array:
    """A home (nq,), within the limits: a configuration, or joints at values and the others in their home positions.

    >>> import kinetrace as kt
    >>> home_from(kt.load("planar2r").model, {"joint2": 0.5}).round(3).tolist()
    [1.047, 0.5]
    """
    q = _q_of_one(model, values, what) if isinstance(values, Mapping) else as_reals(what, values)
    if q.shape != (model.nq,):
        wanted = f"one configuration of shape ({model.nq},), or joints and their values, as {{'elbow': 0.5}}"
        raise InputError(f"{what} must be {wanted}; got shape {q.shape}")
    check_q(model, q, what=what, limits=limits)
    return q


def _q_of_one(model: Model, values: Mapping[str, Any], what: str) -> Array:
    """One configuration (nq,) of values of joints, which may have batch axes of length 1."""
    q = q_from(model, values, home(model), what)
    for body in model.bodies if q.size != model.nq else ():
        x = as_reals(what, values.get(body.joint_name, 0.0))
        if body.joint_name in values and _configuration(body.joint, x, what, False).size != body.joint.nq:
            raise no_configuration(what, body.joint_name, body.joint.nq, x.shape)
    return q.reshape(model.nq)


def velocities(model: Model, names: Any, what: str = "independent") -> tuple[int, ...]:
    """Indices in v of velocities: those of joints, by name, or single ones, (name, which).

    >>> import kinetrace as kt
    >>> velocities(kt.load("bicycle").model, [("frame_motion", 0), "steering"])
    (0, 7)
    """
    found: list[int] = []
    for key in as_list(what, (names,) if isinstance(names, str) else names, "names of joints"):
        name, which = key if isinstance(key, tuple | list) and len(key) == 2 else (key, None)
        if not isinstance(name, str) or name not in model.joint_names:
            raise unknown_name_error("joint", name, model.joint_names, "robot.joint_names")
        at = range(model.nv)[model.joint_slices(name)[1]]
        if which is not None and (type(which) is not int or which not in range(len(at))):
            raise InputError(f"{what}: joint {name!r} has no velocity {which!r}; they are 0 to {len(at) - 1}")
        found += at if which is None else [at[which]]
    return tuple(found)


def q_by_joint(model: Model, q: Any, *, degrees: bool = False) -> dict[str, Any]:
    """The values of each joint in q (..., nq): numbers or (...), of a joint with several variables (..., nq_i).

    >>> import kinetrace as kt
    >>> q_by_joint(kt.load("planar2r").model, [0.5, 1.0])
    {'joint1': 0.5, 'joint2': 1.0}
    """
    x = _check_size(q, model.nq, "q")
    scales = {body.index: _scale(body.joint, degrees) for body in model.independent_joints}
    return {
        body.joint_name: _value(x[..., model.slices[body.index][0]] / scales[body.index])
        for body in model.independent_joints
    }


def v_by_joint(model: Model, v: Any) -> dict[str, Any]:
    """The entries of each joint in v, a or tau (..., nv): numbers or (...), of a joint with several (..., nv_i).

    >>> import kinetrace as kt
    >>> v_by_joint(kt.load("planar2r").model, [[0.5, 1.0]])
    {'joint1': array([0.5]), 'joint2': array([1.])}
    """
    x = _check_size(v, model.nv, "v")
    return {body.joint_name: _value(x[..., model.slices[body.index][1]]) for body in model.independent_joints}


def _check_size(x: Any, size: int, what: str) -> Array:
    array = as_reals(what, x)
    if array.shape[-1:] != (size,):
        raise InputError(f"{what} must have shape (..., {size}), got {array.shape}")
    return array


def _value(x: Array) -> Any:
    """Without the axis of a single variable; a plain number, if it is one."""
    x = x[..., 0] if x.shape[-1] == 1 else x
    return float(x) if x.ndim == 0 else np.array(x)


Own = dict[str, tuple["Body", Any]]
Mimics = list[tuple["Body", "Mimic", Any]]


def _by_body(model: Model, values: Any, what: str) -> tuple[Own, Mimics]:
    """The bodies of the joints that are named, with their values: those with own variables, and those that mimic."""
    if not isinstance(values, Mapping):
        raise InputError(f"{what}: expected joints and their values, as {{'elbow': 0.5}}; got {type(values).__name__}")
    bodies = {body.joint_name: body for body in model.bodies}
    own, mimics = Own(), Mimics()
    for name, value in values.items():
        if not is_hashable(name) or name not in bodies:
            raise unknown_name_error("joint", name, model.joint_names, "robot.joint_names")
        body = bodies[name]
        if body.mimic is None:
            own[name] = (body, value)
        else:
            mimics.append((body, body.mimic, value))
    for body, mimic, _ in mimics:
        leader = model.bodies[mimic.source].joint_name
        if leader not in own:
            raise InputError(f"{what}: joint {body.joint_name!r} mimics {leader!r}: give the value of {leader!r}")
    return own, mimics


def _fill_rows(model: Model, given: Mapping[int, Array], others: Any, k: int, what: str) -> Array:
    """Rows that have these parts, and are otherwise as others; k is 0 in q and 1 in v."""
    rest = _check_size(others, model.nv if k else model.nq, "others")
    try:
        batch = np.broadcast_shapes(rest.shape[:-1], *(x.shape[:-1] for x in given.values()))
    except ValueError:
        names = {model.bodies[i].joint_name: x.shape[:-1] for i, x in given.items()}
        told = ", ".join(
            f"{shape} of {name!r}" for name, shape in {**names, "others": rest.shape[:-1]}.items() if shape
        )
        raise InputError(f"{what}: batch axes {told} do not fit: each must be the same, 1 or missing") from None
    made = np.array(np.broadcast_to(rest, (*batch, rest.shape[-1])))
    for index, x in given.items():
        made[..., model.slices[index][k]] = x
    return made


def _configuration(joint: Joint, value: Any, what: str, degrees: bool) -> Array:
    """Configurations (..., nq_i) of a joint; a rotation or a pose of one that may have it."""
    if isinstance(joint, Free | Spherical):
        x = as_reals(what, value)
        if isinstance(joint, Spherical) and x.shape[-2:] == (3, 3):
            return _quaternion(x, what)
        if isinstance(joint, Free) and x.shape[-2:] == (4, 4):
            if np.any(x[..., 3, :] != (0.0, 0.0, 0.0, 1.0)):
                raise InputError(f"{what}: the last row of a pose must be 0, 0, 0, 1")
            return np.concatenate([x[..., :3, 3], _quaternion(x[..., :3, :3], what)], axis=-1)
        if isinstance(joint, Free) and x.shape[-1:] == (3,):
            return np.concatenate([x, np.broadcast_to(np.eye(4)[0], (*x.shape[:-1], 4))], axis=-1)
        free = ", a pose (..., 4, 4), or a position (..., 3)"
        return _variables(joint.nq, x, what, free if isinstance(joint, Free) else ", or a rotation (..., 3, 3)")
    return _variables(joint.nq, value, what, "") * _scale(joint, degrees)


def _quaternion(R: Array, what: str) -> Array:
    off = np.abs(R @ R.swapaxes(-1, -2) - np.eye(3)).max(initial=0.0)
    if not (off <= ORTHONORMAL and np.all(np.linalg.det(R) > 0.0)):
        raise InputError(f"{what}: its rotation is not orthonormal with determinant 1")
    return np.asarray(so3.to_quaternion(R))


def _variables(n: int, value: Any, what: str, otherwise: str) -> Array:
    """Rows (..., n) of the variables of a joint; of one variable, its numbers (...)."""
    x = as_reals(what, value)
    if n == 1:
        return x[..., None]
    if x.shape[-1:] != (n,):
        raise InputError(f"{what} must be {n} numbers, of shape (..., {n}){otherwise}; got shape {x.shape}")
    return x


def _scale(joint: Joint, degrees: bool) -> Array:
    """Factors (nq_i,) that turn what is given into radians and metres."""
    return np.array([np.pi / 180.0 if degrees and unit == "rad" else 1.0 for unit in q_units(joint)])


def _check_follows(model: Model, body: Body, mimic: Mimic, x: Array, wanted: Array, what: str) -> None:
    """An error unless a mimic joint is where the one that it follows puts it."""
    off = np.abs(x - wanted)
    if not np.all(off <= MIMIC_TOLERANCE):
        name, at = model.bodies[mimic.source].joint_name, np.unravel_index(np.argmax(off), off.shape)
        got, right = (float(np.broadcast_to(y, off.shape)[at]) for y in (x, wanted))
        told = f"mimics {name!r}, which puts it at {right:.6g}, not {got:.6g}"
        raise InputError(f"{what}: joint {body.joint_name!r} {told}")
