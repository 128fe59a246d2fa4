"""MuJoCo's configurations, velocities, accelerations and forces: from those of a robot, and back.

Joints are matched by name, in any order. What differs between two joints of the same name:

| | kinetrace | MuJoCo |
|---|---|---|
| hinge, slide | q, q̇ | the same |
| ball | quaternion (w, x, y, z), angular velocity in the body | the same |
| free | body twist (ω, v) | linear velocity in the world, then angular velocity in the body: (R v, ω) |
| mimic | no variables | variables of its own |
| several variables | one joint "name" | one joint "name_1", "name_2", … per variable |

So qvel = T(q) v and qacc = T(q) a + (R (ω × v), 0); M = Tᵀ M_mujoco T, and τ = Tᵀ τ_mujoco. A free joint of the robot
and one of the model are matched whatever their names are, if there is only one of each. Nothing here needs the package
mujoco, only a model of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Array
from ..errors import InputError, listed
from ..lie import so3
from ..model import Body, Model, joints
from ..model.load.mjcf import names_of
from ..robot import Robot
from .states import Recent, model_of, numbers, together

__all__ = ["a", "from_a", "from_q", "from_tau", "from_v", "q", "tau", "v", "velocity_map"]

_FREE = 0
_SIZES = {0: (7, 6), 1: (4, 3)}
"""Kind of a joint of MuJoCo's → entries of qpos and qvel; others have one of each."""


@dataclass(frozen=True)
class _Pair:
    """Variables of the robot, and those of MuJoCo that they are; with the ratio and offset of a mimic joint."""

    q: Any
    """Where they are in q: a slice, or indices of several joints."""
    v: Any
    qpos: Any
    qvel: Any
    is_free: bool = False
    mimic: tuple[float, float] | None = None


def q(robot: Robot | Model, model: Any, q: Any) -> Array:
    """Configurations of MuJoCo's, qpos, from those of a robot.

    Parameters
    ----------
    robot : Robot or Model
        The robot.
    model : mujoco.MjModel
        A model of MuJoCo with joints of the same names, in any order.
    q : array_like, shape (..., nq)
        Configurations of the robot.

    Returns
    -------
    ndarray, shape (..., model.nq)
        The same configurations, as MuJoCo has them.

    Raises
    ------
    InputError
        If one of the two lacks a joint of the other.

    Examples
    --------
    >>> import mujoco, kinetrace as kt
    >>> text = "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>"
    >>> robot, model = kt.load(text), mujoco.MjModel.from_xml_string(text)
    >>> kt.interop.mujoco.q(robot, model, [1, 2, 3, 1, 0, 0, 0])
    array([1., 2., 3., 1., 0., 0., 0.])
    """
    x = numbers("q", q, robot.nq)
    found = np.zeros((*x.shape[:-1], model.nq))
    for pair in _pairs(robot, model):
        ratio, offset = pair.mimic or (1.0, 0.0)
        found[..., pair.qpos] = ratio * x[..., pair.q] + offset if pair.mimic else x[..., pair.q]
    return found


def v(robot: Robot | Model, model: Any, q: Any, v: Any) -> Array:
    """Velocities of MuJoCo's, qvel, from those of a robot.

    Parameters
    ----------
    robot : Robot or Model
        The robot.
    model : mujoco.MjModel
        A model of MuJoCo with joints of the same names, in any order.
    q : array_like, shape (..., nq)
        Configurations of the robot.
    v : array_like, shape (..., nv)
        Velocities of the robot [rad/s, m/s].

    Returns
    -------
    ndarray, shape (..., model.nv)
        The same velocities, as MuJoCo has them.

    Raises
    ------
    InputError
        If one of the two lacks a joint of the other.

    Examples
    --------
    >>> import mujoco, kinetrace as kt
    >>> text = "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>"
    >>> robot, model = kt.load(text), mujoco.MjModel.from_xml_string(text)
    >>> kt.interop.mujoco.v(robot, model, robot.neutral(), [1, 2, 3, 4, 5, 6])
    array([4., 5., 6., 1., 2., 3.])
    """
    x, y = together(q=(q, robot.nq), v=(v, robot.nv))
    return _velocities(_pairs(robot, model), x, y, model.nv)


def a(robot: Robot | Model, model: Any, q: Any, v: Any, a: Any) -> Array:
    """Accelerations of MuJoCo's, qacc, from those of a robot.

    Parameters
    ----------
    robot : Robot or Model
        The robot.
    model : mujoco.MjModel
        A model of MuJoCo with joints of the same names, in any order.
    q : array_like, shape (..., nq)
        Configurations of the robot.
    v : array_like, shape (..., nv)
        Velocities of the robot [rad/s, m/s].
    a : array_like, shape (..., nv)
        Accelerations of the robot, the rates of v [rad/s², m/s²].

    Returns
    -------
    ndarray, shape (..., model.nv)
        The same accelerations, as MuJoCo has them: the rates of qvel.

    Raises
    ------
    InputError
        If one of the two lacks a joint of the other.

    Examples
    --------
    >>> import mujoco, kinetrace as kt
    >>> text = "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>"
    >>> robot, model = kt.load(text), mujoco.MjModel.from_xml_string(text)
    >>> kt.interop.mujoco.a(robot, model, robot.neutral(), [0, 0, 2, 1, 0, 0], [0] * 6)
    array([0., 2., 0., 0., 0., 0.])
    """
    x, y, z = together(q=(q, robot.nq), v=(v, robot.nv), a=(a, robot.nv))
    pairs = _pairs(robot, model)
    found = _velocities(pairs, x, z, model.nv)
    for pair in pairs:
        if pair.is_free:
            w, u = y[..., pair.v][..., :3], y[..., pair.v][..., 3:]
            found[..., pair.qvel][..., :3] += _rotated(_rotation(x, pair), np.cross(w, u))
    return found


def tau(robot: Robot | Model, model: Any, q: Any, tau: Any) -> Array:
    """Joint forces of MuJoCo's, such as qfrc_applied, from those of a robot.

    Parameters
    ----------
    robot : Robot or Model
        The robot.
    model : mujoco.MjModel
        A model of MuJoCo with joints of the same names, in any order.
    q : array_like, shape (..., nq)
        Configurations of the robot.
    tau : array_like, shape (..., nv)
        Joint forces of the robot [N m, N].

    Returns
    -------
    ndarray, shape (..., model.nv)
        Joint forces of the same power. Those of mimic joints are zero: all of it is with the joint that they follow.

    Raises
    ------
    InputError
        If one of the two lacks a joint of the other.

    Examples
    --------
    >>> import mujoco, kinetrace as kt
    >>> text = "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>"
    >>> robot, model = kt.load(text), mujoco.MjModel.from_xml_string(text)
    >>> kt.interop.mujoco.tau(robot, model, robot.neutral(), [1, 2, 3, 4, 5, 6])
    array([4., 5., 6., 1., 2., 3.])
    """
    x, f = together(q=(q, robot.nq), tau=(tau, robot.nv))
    own = [pair for pair in _pairs(robot, model) if pair.mimic is None]
    return _velocities(own, x, f, model.nv)  # T⁻ᵀ = T for these: rotations, and entries in another order


def from_q(robot: Robot | Model, model: Any, qpos: Any) -> Array:
    """Configurations of a robot from those of MuJoCo's.

    Parameters
    ----------
    robot : Robot or Model
        The robot.
    model : mujoco.MjModel
        A model of MuJoCo with joints of the same names, in any order.
    qpos : array_like, shape (..., model.nq)
        Configurations of MuJoCo's, such as `data.qpos` or `model.key_qpos`.

    Returns
    -------
    ndarray, shape (..., nq)
        The same configurations of the robot.

    Raises
    ------
    InputError
        If one of the two lacks a joint of the other.

    Examples
    --------
    >>> import mujoco, kinetrace as kt
    >>> text = "<mujoco><worldbody><body><joint name='j'/><geom size='.1'/></body></worldbody></mujoco>"
    >>> robot, model = kt.load(text), mujoco.MjModel.from_xml_string(text)
    >>> kt.interop.mujoco.from_q(robot, model, [[0.1], [0.2]])
    array([[0.1],
           [0.2]])
    """
    x = numbers("qpos", qpos, model.nq)
    found = np.zeros((*x.shape[:-1], robot.nq))
    for pair in _pairs(robot, model):
        if pair.mimic is None:
            found[..., pair.q] = x[..., pair.qpos]
    return found


def from_v(robot: Robot | Model, model: Any, qpos: Any, qvel: Any) -> Array:
    """Velocities of a robot from those of MuJoCo's.

    Parameters
    ----------
    robot : Robot or Model
        The robot.
    model : mujoco.MjModel
        A model of MuJoCo with joints of the same names, in any order.
    qpos : array_like, shape (..., model.nq)
        Configurations of MuJoCo's.
    qvel : array_like, shape (..., model.nv)
        Velocities of MuJoCo's.

    Returns
    -------
    ndarray, shape (..., nv)
        The same velocities of the robot [rad/s, m/s].

    Raises
    ------
    InputError
        If one of the two lacks a joint of the other.

    Examples
    --------
    >>> import mujoco, kinetrace as kt
    >>> text = "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>"
    >>> robot, model = kt.load(text), mujoco.MjModel.from_xml_string(text)
    >>> kt.interop.mujoco.from_v(robot, model, [0, 0, 0, 1, 0, 0, 0], [4, 5, 6, 1, 2, 3])
    array([1., 2., 3., 4., 5., 6.])
    """
    x, y = together(qpos=(qpos, model.nq), qvel=(qvel, model.nv))
    return _own_velocities(_pairs(robot, model), x, y, robot.nv)


def from_a(robot: Robot | Model, model: Any, qpos: Any, qvel: Any, qacc: Any) -> Array:
    """Accelerations of a robot from those of MuJoCo's.

    Parameters
    ----------
    robot : Robot or Model
        The robot.
    model : mujoco.MjModel
        A model of MuJoCo with joints of the same names, in any order.
    qpos : array_like, shape (..., model.nq)
        Configurations of MuJoCo's.
    qvel : array_like, shape (..., model.nv)
        Velocities of MuJoCo's.
    qacc : array_like, shape (..., model.nv)
        Accelerations of MuJoCo's.

    Returns
    -------
    ndarray, shape (..., nv)
        The same accelerations of the robot, the rates of v [rad/s², m/s²].

    Raises
    ------
    InputError
        If one of the two lacks a joint of the other.

    Examples
    --------
    >>> import mujoco, kinetrace as kt
    >>> text = "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>"
    >>> robot, model = kt.load(text), mujoco.MjModel.from_xml_string(text)
    >>> kt.interop.mujoco.from_a(robot, model, [0, 0, 0, 1, 0, 0, 0], [1, 0, 0, 0, 0, 2], [0, 2, 0, 0, 0, 0])
    array([0., 0., 0., 0., 0., 0.])
    """
    x, y, z = together(qpos=(qpos, model.nq), qvel=(qvel, model.nv), qacc=(qacc, model.nv))
    pairs = _pairs(robot, model)
    own, found = (_own_velocities(pairs, x, part, robot.nv) for part in (y, z))
    for pair in pairs:
        if pair.is_free:
            twist = own[..., pair.v]
            found[..., pair.v][..., 3:] -= np.cross(twist[..., :3], twist[..., 3:])
    return found


def from_tau(robot: Robot | Model, model: Any, qpos: Any, tau: Any) -> Array:
    """Joint forces of a robot from those of MuJoCo's.

    Parameters
    ----------
    robot : Robot or Model
        The robot.
    model : mujoco.MjModel
        A model of MuJoCo with joints of the same names, in any order.
    qpos : array_like, shape (..., model.nq)
        Configurations of MuJoCo's.
    tau : array_like, shape (..., model.nv)
        Joint forces of MuJoCo's, such as `data.qfrc_actuator`.

    Returns
    -------
    ndarray, shape (..., nv)
        The same joint forces of the robot, with those of mimic joints added to the joints that they follow [N m, N].

    Raises
    ------
    InputError
        If one of the two lacks a joint of the other.

    Examples
    --------
    >>> import mujoco, kinetrace as kt
    >>> text = "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>"
    >>> robot, model = kt.load(text), mujoco.MjModel.from_xml_string(text)
    >>> kt.interop.mujoco.from_tau(robot, model, [0, 0, 0, 1, 0, 0, 0], [4, 5, 6, 1, 2, 3])
    array([1., 2., 3., 4., 5., 6.])
    """
    x, f = together(qpos=(qpos, model.nq), tau=(tau, model.nv))
    T = velocity_map(robot, model, from_q(robot, model, x))
    found: Array = (np.swapaxes(T, -1, -2) @ f[..., None])[..., 0]
    return found


def velocity_map(robot: Robot | Model, model: Any, q: Any) -> Array:
    """Matrix T of qvel = T v, from velocities of a robot to those of MuJoCo's.

    With it, the mass matrix of the robot is Tᵀ M T, M that of MuJoCo, and its joint forces are Tᵀ τ.

    Parameters
    ----------
    robot : Robot or Model
        The robot.
    model : mujoco.MjModel
        A model of MuJoCo with joints of the same names, in any order.
    q : array_like, shape (..., nq)
        Configurations of the robot.

    Returns
    -------
    ndarray, shape (..., model.nv, nv)
        The matrix.

    Raises
    ------
    InputError
        If one of the two lacks a joint of the other.

    Examples
    --------
    >>> import mujoco, kinetrace as kt
    >>> text = "<mujoco><worldbody><body><joint name='j'/><geom size='.1'/></body></worldbody></mujoco>"
    >>> robot, model = kt.load(text), mujoco.MjModel.from_xml_string(text)
    >>> kt.interop.mujoco.velocity_map(robot, model, [0.3])
    array([[1.]])
    """
    x = numbers("q", q, robot.nq)
    columns = _velocities(_pairs(robot, model), x[..., None, :], np.eye(robot.nv), model.nv)
    return np.swapaxes(columns, -1, -2)


def _velocities(pairs: list[_Pair], q: Array, v: Array, size: int) -> Array:
    """T v (..., size)."""
    found = np.zeros((*np.broadcast_shapes(q.shape[:-1], v.shape[:-1]), size))
    for pair in pairs:
        part = v[..., pair.v]
        if pair.is_free:
            linear = _rotated(_rotation(q, pair), part[..., 3:])
            part = np.concatenate([linear, np.broadcast_to(part[..., :3], linear.shape)], axis=-1)
        elif pair.mimic is not None:
            part = pair.mimic[0] * part
        found[..., pair.qvel] = part
    return found


def _own_velocities(pairs: list[_Pair], qpos: Array, qvel: Array, size: int) -> Array:
    """The velocities (..., size) of the robot."""
    found = np.zeros((*qvel.shape[:-1], size))
    for pair in pairs:
        part = qvel[..., pair.qvel]
        if pair.is_free:
            R = so3.from_quaternion(qpos[..., pair.qpos][..., 3:])
            part = np.concatenate([part[..., 3:], _rotated(np.swapaxes(R, -1, -2), part[..., :3])], axis=-1)
        if pair.mimic is None:
            found[..., pair.v] = part
    return found


def _rotation(q: Array, pair: _Pair) -> Array:
    R: Array = so3.from_quaternion(q[..., pair.q][..., 3:])
    return R


def _rotated(R: Array, x: Array) -> Array:
    found: Array = (R @ x[..., None])[..., 0]
    return found


def _pairs(robot: Robot | Model, model: Any) -> list[_Pair]:
    """The variables of all joints, with those of MuJoCo's: those of all joints that are the same in both as one."""
    if not hasattr(model, "jnt_qposadr"):
        raise InputError(f"expected a mujoco.MjModel, got {type(model).__name__}")
    return _recent(model_of(robot), model, (model.nq, model.nv, model.njnt))


def _merged(pairs: list[_Pair]) -> list[_Pair]:
    """The pairs, with one for all that need no conversion."""
    plain = [pair for pair in pairs if not pair.is_free and pair.mimic is None]
    others = [pair for pair in pairs if pair.is_free or pair.mimic is not None]

    def indices(name: str) -> Array:
        parts = [np.arange(part.start, part.stop) for part in (getattr(pair, name) for pair in plain)]
        return np.concatenate(parts) if parts else np.zeros(0, dtype=int)

    return [_Pair(*(indices(name) for name in ("q", "v", "qpos", "qvel"))), *others]


def _matched(robot: Model, model: Any) -> list[_Pair]:
    """The variables of each joint, with those of MuJoCo's."""
    theirs = {name: j for j, name in enumerate(names_of(model).joints)}
    _match_free_joints(robot, model, theirs)
    found, missing = list[_Pair](), list[str]()
    for body in robot.bodies:
        pairs = _pairs_of(robot, model, body, theirs)
        found += pairs or []
        missing += [body.joint_name] if pairs is None and body.mimic is None else []
    if missing or theirs:
        lacks = [("the model of MuJoCo has no joint", missing), (f"robot {robot.name!r} has no joint", list(theirs))]
        raise InputError("; ".join(f"{who} {listed(names)}" for who, names in lacks if names))
    return found


_recent = Recent(lambda ours, model: _merged(_matched(ours, model)))


def _match_free_joints(robot: Model, model: Any, theirs: dict[str, int]) -> None:
    """Where there is one free joint on each side, it has the robot's name."""
    own = [body.joint_name for body in robot.bodies if isinstance(body.joint, joints.Free)]
    others = [name for name, j in theirs.items() if model.jnt_type[j] == _FREE]
    if len(own) == len(others) == 1 and own[0] not in theirs:
        theirs[own[0]] = theirs.pop(others[0])


def _pairs_of(robot: Model, model: Any, body: Body, theirs: dict[str, int]) -> list[_Pair] | None:
    """The variables of one joint, whose names are taken out; None if MuJoCo has no such joint."""
    name, size = body.joint_name, body.joint.nv
    index = body.index if body.mimic is None else body.mimic.source
    own_q, own_v = robot.slices[index]
    mimic = None if body.mimic is None else (float(body.mimic.ratio), float(body.mimic.offset))
    if name not in theirs and body.joint.nq == size > 1:
        each = [f"{name}_{k + 1}" for k in range(size)]
        if not all(x in theirs for x in each):
            return None
        places = [_places(model, theirs.pop(x)) for x in each]
        steps = [(_entry(own_q, k), _entry(own_v, k)) for k in range(size)]
        return [_Pair(*own, *other, mimic=mimic) for own, other in zip(steps, places, strict=True)]
    if name not in theirs:
        return None
    j = theirs[name]
    if _SIZES.get(int(model.jnt_type[j]), (1, 1)) != (body.joint.nq, size):
        raise InputError(f"joint {name!r} is {type(body.joint).__name__} in robot {robot.name!r}, not in MuJoCo")
    return [_Pair(own_q, own_v, *_places(model, theirs.pop(name)), model.jnt_type[j] == _FREE, mimic)]


def _entry(part: slice, k: int) -> slice:
    return slice(part.start + k, part.start + k + 1)


def _places(model: Any, j: int) -> tuple[slice, slice]:
    """Where the variables of a joint are in qpos and qvel."""
    nq, nv = _SIZES.get(int(model.jnt_type[j]), (1, 1))
    at_q, at_v = int(model.jnt_qposadr[j]), int(model.jnt_dofadr[j])
    return slice(at_q, at_q + nq), slice(at_v, at_v + nv)
