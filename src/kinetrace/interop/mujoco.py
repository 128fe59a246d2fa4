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
and one of the model are matched whatever their names are, if there is only one of each. Functions to MuJoCo take
variables of the robot, functions back those of MuJoCo. On the way back, entries of mimic joints are not read, but for
their forces; a warning says if one is not where it belongs. Nothing here needs the package mujoco, only a model of it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..arrays import Array
from ..errors import InputError
from ..lie import so3
from ..model import Body, Model, joints
from ..model.files.load.mjcf.names import BALL, FREE, names_of
from ..robot import Robot
from ..support.public_names import listing as _listing
from .states import IDENTICAL_VARIABLES, Library, StateBlock, Variables, check_joints

__all__ = ["a", "from_a", "from_q", "from_tau", "from_v", "q", "tau", "v", "velocity_map"]

_JOINT_SIZES = {FREE: (7, 6), BALL: (4, 3)}
"""Kind of a joint of MuJoCo's → entries of qpos and qvel; others have one of each."""


class _MujocoFree(Variables):
    """(ω, v) here, (R v, ω) there."""

    def push(self, q: Array, v: Array) -> Array:
        return np.concatenate([_rotate(_rotation(q), v[..., 3:]), _like(v[..., :3], q)], axis=-1)

    def pull(self, q: Array, v: Array) -> Array:
        return np.concatenate([_like(v[..., 3:], q), _rotate(np.swapaxes(_rotation(q), -1, -2), v[..., :3])], axis=-1)

    def bias(self, q: Array, v: Array) -> Array:
        linear = _rotate(_rotation(q), np.cross(v[..., :3], v[..., 3:]))
        return np.concatenate([linear, np.zeros(linear.shape)], axis=-1)


def _rotation(q: Array) -> Array:
    R: Array = so3.from_quaternion(q[..., 3:])
    return R


def _rotate(R: Array, x: Array) -> Array:
    rotated: Array = (R @ x[..., None])[..., 0]
    return rotated


def _like(x: Array, q: Array) -> Array:
    """x with the leading axes that it has together with q."""
    return np.broadcast_to(x, (*np.broadcast_shapes(x.shape[:-1], q.shape[:-1]), x.shape[-1]))


def _match(robot: Model, model: Any) -> list[StateBlock]:
    """The variables of each joint, with those of MuJoCo's."""
    theirs = {name: j for j, name in enumerate(names_of(model).joints)}
    _match_free_joints(robot, model, theirs)
    matched, missing = list[StateBlock](), list[str]()
    for body in robot.bodies:
        blocks = _blocks_of(robot, model, body, theirs)
        matched += blocks or []
        missing += [body.joint_name] if blocks is None and body.mimic is None else []
    check_joints(robot, "mujoco.MjModel", missing, list(theirs))
    return matched


_MUJOCO = Library(package="mujoco", kind="MjModel", names=("qpos", "qvel", "qacc", "qfrc"), match=_match)


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
        If one of the two lacks a joint of the other, or a shape does not fit.

    Examples
    --------
    >>> import mujoco, kinetrace as kt
    >>> text = "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>"
    >>> robot, model = kt.load(text), mujoco.MjModel.from_xml_string(text)
    >>> kt.interop.mujoco.q(robot, model, [1, 2, 3, 1, 0, 0, 0])
    array([1., 2., 3., 1., 0., 0., 0.])
    """
    return _MUJOCO.states(robot, model).q(q)


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
        If one of the two lacks a joint of the other, or a shape does not fit.

    Examples
    --------
    >>> import mujoco, kinetrace as kt
    >>> text = "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>"
    >>> robot, model = kt.load(text), mujoco.MjModel.from_xml_string(text)
    >>> kt.interop.mujoco.v(robot, model, robot.neutral(), [1, 2, 3, 4, 5, 6])
    array([4., 5., 6., 1., 2., 3.])
    """
    return _MUJOCO.states(robot, model).v(q, v)


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
        If one of the two lacks a joint of the other, or a shape does not fit.

    Examples
    --------
    >>> import mujoco, kinetrace as kt
    >>> text = "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>"
    >>> robot, model = kt.load(text), mujoco.MjModel.from_xml_string(text)
    >>> kt.interop.mujoco.a(robot, model, robot.neutral(), [0, 0, 2, 1, 0, 0], [0] * 6)
    array([0., 2., 0., 0., 0., 0.])
    """
    return _MUJOCO.states(robot, model).a(q, v, a)


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
        If one of the two lacks a joint of the other, or a shape does not fit.

    Examples
    --------
    >>> import mujoco, kinetrace as kt
    >>> text = "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>"
    >>> robot, model = kt.load(text), mujoco.MjModel.from_xml_string(text)
    >>> kt.interop.mujoco.tau(robot, model, robot.neutral(), [1, 2, 3, 4, 5, 6])
    array([4., 5., 6., 1., 2., 3.])
    """
    return _MUJOCO.states(robot, model).tau(q, tau)


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
        If one of the two lacks a joint of the other, or a shape does not fit.

    Examples
    --------
    >>> import mujoco, kinetrace as kt
    >>> text = "<mujoco><worldbody><body><joint name='j'/><geom size='.1'/></body></worldbody></mujoco>"
    >>> robot, model = kt.load(text), mujoco.MjModel.from_xml_string(text)
    >>> kt.interop.mujoco.from_q(robot, model, [[0.1], [0.2]])
    array([[0.1],
           [0.2]])
    """
    return _MUJOCO.states(robot, model).from_q(qpos)


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
        If one of the two lacks a joint of the other, or a shape does not fit.

    Examples
    --------
    >>> import mujoco, kinetrace as kt
    >>> text = "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>"
    >>> robot, model = kt.load(text), mujoco.MjModel.from_xml_string(text)
    >>> kt.interop.mujoco.from_v(robot, model, [0, 0, 0, 1, 0, 0, 0], [4, 5, 6, 1, 2, 3])
    array([1., 2., 3., 4., 5., 6.])
    """
    return _MUJOCO.states(robot, model).from_v(qpos, qvel)


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
        If one of the two lacks a joint of the other, or a shape does not fit.

    Examples
    --------
    >>> import mujoco, kinetrace as kt
    >>> text = "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>"
    >>> robot, model = kt.load(text), mujoco.MjModel.from_xml_string(text)
    >>> kt.interop.mujoco.from_a(robot, model, [0, 0, 0, 1, 0, 0, 0], [1, 0, 0, 0, 0, 2], [0, 2, 0, 0, 0, 0])
    array([0., 0., 0., 0., 0., 0.])
    """
    return _MUJOCO.states(robot, model).from_a(qpos, qvel, qacc)


def from_tau(robot: Robot | Model, model: Any, qpos: Any, qfrc: Any) -> Array:
    """Joint forces of a robot from those of MuJoCo's.

    Parameters
    ----------
    robot : Robot or Model
        The robot.
    model : mujoco.MjModel
        A model of MuJoCo with joints of the same names, in any order.
    qpos : array_like, shape (..., model.nq)
        Configurations of MuJoCo's.
    qfrc : array_like, shape (..., model.nv)
        Joint forces of MuJoCo's, such as `data.qfrc_actuator`.

    Returns
    -------
    ndarray, shape (..., nv)
        The same joint forces of the robot, with those of mimic joints added to the joints that they follow [N m, N].

    Raises
    ------
    InputError
        If one of the two lacks a joint of the other, or a shape does not fit.

    Examples
    --------
    >>> import mujoco, kinetrace as kt
    >>> text = "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>"
    >>> robot, model = kt.load(text), mujoco.MjModel.from_xml_string(text)
    >>> kt.interop.mujoco.from_tau(robot, model, [0, 0, 0, 1, 0, 0, 0], [4, 5, 6, 1, 2, 3])
    array([1., 2., 3., 4., 5., 6.])
    """
    return _MUJOCO.states(robot, model).from_tau(qpos, qfrc)


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
        If one of the two lacks a joint of the other, or a shape does not fit.

    Examples
    --------
    >>> import mujoco, kinetrace as kt
    >>> text = "<mujoco><worldbody><body><joint name='j'/><geom size='.1'/></body></worldbody></mujoco>"
    >>> robot, model = kt.load(text), mujoco.MjModel.from_xml_string(text)
    >>> kt.interop.mujoco.velocity_map(robot, model, [0.3])
    array([[1.]])
    """
    return _MUJOCO.states(robot, model).velocity_map(q)


def _match_free_joints(robot: Model, model: Any, theirs: dict[str, int]) -> None:
    """Where there is one free joint on each side, it has the robot's name."""
    ours = [body.joint_name for body in robot.bodies if isinstance(body.joint, joints.Free)]
    others = [name for name, j in theirs.items() if model.jnt_type[j] == FREE]
    if len(ours) == len(others) == 1 and ours[0] not in theirs:
        theirs[ours[0]] = theirs.pop(others[0])


def _blocks_of(robot: Model, model: Any, body: Body, theirs: dict[str, int]) -> list[StateBlock] | None:
    """The variables of one joint, whose names are taken out; None if MuJoCo has no such joint."""
    name, size = body.joint_name, body.joint.nv
    if name in theirs:
        j = theirs.pop(name)
        if _JOINT_SIZES.get(int(model.jnt_type[j]), (1, 1)) != (body.joint.nq, size):
            raise InputError(f"joint {name!r} is {type(body.joint).__name__} in robot {robot.name!r}, not in MuJoCo")
        variables = _MujocoFree() if model.jnt_type[j] == FREE else IDENTICAL_VARIABLES
        return [StateBlock.of(robot, body, *_places(model, j), variables)]
    names = [f"{name}_{k + 1}" for k in range(size)]
    if not body.joint.nq == size > 1 or not all(x in theirs for x in names):
        return None
    whole = StateBlock.of(robot, body, slice(0), slice(0))
    blocks = []
    for k, part in enumerate(names):
        their_q, their_v = _places(model, theirs.pop(part))
        q, v = _entry(whole.q, k), _entry(whole.v, k)
        blocks.append(replace(whole, q=q, v=v, their_q=their_q, their_v=their_v))
    return blocks


def _entry(part: slice, k: int) -> slice:
    return slice(part.start + k, part.start + k + 1)


def _places(model: Any, j: int) -> tuple[slice, slice]:
    """Where the variables of a joint are in qpos and qvel."""
    nq, nv = _JOINT_SIZES.get(int(model.jnt_type[j]), (1, 1))
    at_q, at_v = int(model.jnt_qposadr[j]), int(model.jnt_dofadr[j])
    return slice(at_q, at_q + nq), slice(at_v, at_v + nv)


__dir__ = _listing(__name__)
