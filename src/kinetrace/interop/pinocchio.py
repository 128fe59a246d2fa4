"""States in Pinocchio's conventions, and back.

    q_pin = f(q),   v_pin = T(q) v,   a_pin = T a + Ṫ v,   τ = Tᵀ τ_pin

| | here | Pinocchio |
|---|---|---|
| joints | in the order of the file, by depth | in its own order |
| quaternion | (w, x, y, z) | (x, y, z, w) |
| twist of a free joint | (ω, v) | (v, ω) |
| continuous joint | angle | cos and sin of it |
| planar joint | x, y, angle; v is their rate | x, y, cos, sin; v is the twist of the body |
| mimic joint | no variables | joints of their own, unless it was built with mimic=True |

All functions take arrays with any leading axes. The `model` is a `pinocchio.Model` of the same robot: joints are
matched by name, and a free base whatever its name is. Functions to Pinocchio take variables of the robot, functions
back those of Pinocchio. A continuous joint comes back with an angle in (−π, π]. Entries of mimic joints are not read on
the way back, but for their forces; a warning says if one is not where it belongs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Array
from ..errors import InputError
from ..model import Body, Model
from ..model.files.load.pinocchio_model import PinocchioJointPart, own_variables, parts_of, their_variables
from ..model.joints import Continuous, Cylindrical, Free, Helical, Joint, Planar, Prismatic, Revolute, Screw, Spherical
from ..robot import Robot
from ..support.public_names import listing as _listing
from .pinocchio_model import to_model
from .states import IDENTICAL_VARIABLES, Library, StateBlock, Variables, check_joints

__all__ = ["a", "from_a", "from_q", "from_tau", "from_v", "q", "tau", "to_model", "v", "velocity_map"]

_PLANE_TOLERANCE = 1e-6


class _PinocchioVariables(Variables):
    """A joint with a quaternion, or with the cosine and sine of its angle there."""

    def __init__(self, joint: Joint, count: int) -> None:
        self._joint, self._count = joint, count

    def to_q(self, q: Array) -> Array:
        return their_variables(self._joint, q, self._count)

    def from_q(self, q: Array) -> Array:
        return own_variables(self._joint, q)


class _PinocchioFree(_PinocchioVariables):
    """(ω, v) here, (v, ω) there."""

    def push(self, q: Array, v: Array) -> Array:
        return np.roll(v, 3, axis=-1)

    pull = push


class _PinocchioPlanar(_PinocchioVariables):
    """Rates of x, y and the angle here, the twist of the body there."""

    def push(self, q: Array, v: Array) -> Array:
        return _rotate(-q[..., 2], v)

    def pull(self, q: Array, v: Array) -> Array:
        return _rotate(q[..., 2], v)

    def bias(self, q: Array, v: Array) -> Array:
        x, y, _ = np.moveaxis(self.push(q, v), -1, 0)
        return np.stack([y * v[..., 2], -x * v[..., 2], np.zeros(x.shape)], axis=-1)


def _rotate(angle: Array, v: Array) -> Array:
    """(x, y, ω) with x, y turned."""
    c, s, (x, y, w) = np.cos(angle), np.sin(angle), np.moveaxis(v, -1, 0)
    return np.stack(np.broadcast_arrays(c * x - s * y, s * x + c * y, w), axis=-1)


def _variables(joint: Joint, count: int) -> Variables:
    """Of a joint that has so many entries in q there."""
    kinds: dict[type[Joint], type[_PinocchioVariables]] = {
        Free: _PinocchioFree,
        Planar: _PinocchioPlanar,
        Spherical: _PinocchioVariables,
    }
    kind = kinds.get(type(joint), _PinocchioVariables if count > joint.nq else None)
    return IDENTICAL_VARIABLES if kind is None else kind(joint, count)


def _match(robot: Model, model: Any) -> list[StateBlock]:
    """The variables of each joint, with those of Pinocchio's."""
    bodies = {body.joint_name: body for body in robot.bodies}
    blocks, missing, used = list[StateBlock](), list[str](), set[str]()
    for i in range(1, int(model.njoints)):
        parts = _parts(model, i, bodies) if model.nvs[i] else []
        for part in parts:
            body = bodies.get(part.name) or _free_base(robot, model, part.joint)
            if body is None:
                missing.append(part.name)
                continue
            if not _same_kind(part.joint, body.joint):
                kinds = f"{type(body.joint).__name__} here and {model.joints[i].shortname()} in Pinocchio"
                raise InputError(f"joint {part.name!r} is {kinds}: these are different robots")
            if isinstance(body.joint, Planar):
                _check_plane(robot, body, model, i)
            used.add(body.joint_name)
            their_q, their_v = _shift(part.q, int(model.idx_qs[i])), _shift(part.v, int(model.idx_vs[i]))
            blocks.append(
                StateBlock.of(robot, body, their_q, their_v, _variables(body.joint, their_q.stop - their_q.start))
            )
        if not parts and str(model.names[i]) in bodies:
            used.add(str(model.names[i]))
    check_joints(robot, "pinocchio.Model", [name for name in robot.joint_names if name not in used], missing)
    return blocks


def _check_plane(robot: Model, body: Body, model: Any, i: int) -> None:
    """An error if a planar joint moves in another plane there, as in models from URDF, whose axis Pinocchio ignores."""
    there, k = np.eye(3), i
    while k > 0:
        there, k = np.asarray(model.jointPlacements[k].rotation) @ there, int(model.parents[k])
    joint = body.joint
    assert isinstance(joint, Planar)
    x, y = joint._plane().T
    here = body.X_pj[:3, :3] @ np.stack([x, y, joint.normal], axis=-1)
    above = body.parent
    while above >= 0:
        carrier = robot.bodies[above]
        here, above = (carrier.X_pj @ carrier.X_ji)[:3, :3] @ here, carrier.parent
    if np.abs(here - there).max() > _PLANE_TOLERANCE:
        raise InputError(
            f"planar joint {body.joint_name!r} moves in another plane in Pinocchio, which ignores the axis in URDF: "
            "kt.interop.pinocchio.to_model(robot) makes the same robot"
        )


def _parts(model: Any, i: int, bodies: dict[str, Body]) -> list[PinocchioJointPart]:
    """Our joints for one of Pinocchio's; a composite may be a cylindrical one."""
    name, parts = str(model.names[i]), parts_of(model, i)
    whole = bodies[name].joint if name in bodies else None
    if isinstance(whole, Cylindrical) and [type(part.joint) for part in parts] == [Revolute, Prismatic]:
        return [PinocchioJointPart(name, whole, parts[0].placement, slice(0, 2), slice(0, 2))]
    return parts


def _free_base(robot: Model, model: Any, joint: Joint) -> Body | None:
    """The free base, which each library names in its own way."""
    first = robot.bodies[0] if robot.bodies else None
    if first is None or not (isinstance(joint, Free) and isinstance(first.joint, Free)):
        return None
    return first if first.joint_name not in list(model.names) else None


def _same_kind(theirs: Joint, ours: Joint) -> bool:
    """Whether two joints may have the same variables: hinges may be continuous, and a screw is any with one."""
    turns = (Revolute, Continuous)
    if isinstance(ours, Screw):
        return isinstance(theirs, Helical | Prismatic | Revolute)
    return type(theirs) is type(ours) or (isinstance(theirs, turns) and isinstance(ours, turns))


def _shift(part: slice, by: int) -> slice:
    return slice(part.start + by, part.stop + by)


_PINOCCHIO = Library(package="pinocchio", kind="Model", names=("q_pin", "v_pin", "a_pin", "tau_pin"), match=_match)


def q(robot: Robot | Model, model: Any, q: Any) -> Array:
    """Configuration in Pinocchio's variables.

    Parameters
    ----------
    robot : Robot or Model
        The robot.
    model : pinocchio.Model
        The same robot in Pinocchio.
    q : array_like, shape (..., nq)
        Configuration of the robot.

    Returns
    -------
    ndarray, shape (..., model.nq)
        Configuration for Pinocchio.

    Raises
    ------
    InputError
        If a joint is missing in one of them, or a shape does not fit.

    Examples
    --------
    >>> import pinocchio as pin, kinetrace as kt
    >>> from kinetrace.model import zoo
    >>> robot = kt.load("planar2r", base="free")
    >>> model = pin.buildModelFromUrdf(str(zoo.path("planar2r")), pin.JointModelFreeFlyer())
    >>> kt.interop.pinocchio.q(robot, model, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.1, 0.2])
    array([0. , 0. , 0. , 0. , 0. , 0. , 1. , 0.1, 0.2])
    """
    return _PINOCCHIO.states(robot, model).q(q)


def from_q(robot: Robot | Model, model: Any, q_pin: Any) -> Array:
    """Configuration from Pinocchio's variables: the inverse of `q`.

    Parameters
    ----------
    robot : Robot or Model
        The robot.
    model : pinocchio.Model
        The same robot in Pinocchio.
    q_pin : array_like, shape (..., model.nq)
        Configuration in Pinocchio.

    Returns
    -------
    ndarray, shape (..., nq)
        Configuration of the robot.

    Raises
    ------
    InputError
        If a joint is missing in one of them, or a shape does not fit.

    Examples
    --------
    >>> import pinocchio as pin, kinetrace as kt
    >>> from kinetrace.model import zoo
    >>> robot = kt.load("planar2r", base="free")
    >>> model = pin.buildModelFromUrdf(str(zoo.path("planar2r")), pin.JointModelFreeFlyer())
    >>> kt.interop.pinocchio.from_q(robot, model, pin.neutral(model))
    array([0., 0., 0., 1., 0., 0., 0., 0., 0.])
    """
    return _PINOCCHIO.states(robot, model).from_q(q_pin)


def velocity_map(robot: Robot | Model, model: Any, q: Any) -> Array:
    """Matrix T from velocities to Pinocchio's: v_pin = T v, and τ = Tᵀ τ_pin.

    Parameters
    ----------
    robot : Robot or Model
        The robot.
    model : pinocchio.Model
        The same robot in Pinocchio.
    q : array_like, shape (..., nq)
        Configuration of the robot.

    Returns
    -------
    ndarray, shape (..., model.nv, nv)
        The matrix T.

    Raises
    ------
    InputError
        If a joint is missing in one of them, or a shape does not fit.

    Examples
    --------
    >>> import pinocchio as pin, kinetrace as kt
    >>> from kinetrace.model import zoo
    >>> model = pin.buildModelFromUrdf(str(zoo.path("planar2r")))
    >>> kt.interop.pinocchio.velocity_map(kt.load("planar2r"), model, [0.1, 0.2])
    array([[1., 0.],
           [0., 1.]])
    """
    return _PINOCCHIO.states(robot, model).velocity_map(q)


def v(robot: Robot | Model, model: Any, q: Any, v: Any) -> Array:
    """Velocity in Pinocchio's variables.

    Parameters
    ----------
    robot : Robot or Model
        The robot.
    model : pinocchio.Model
        The same robot in Pinocchio.
    q : array_like, shape (..., nq)
        Configuration of the robot.
    v : array_like, shape (..., nv)
        Velocity of the robot.

    Returns
    -------
    ndarray, shape (..., model.nv)
        Velocity for Pinocchio.

    Raises
    ------
    InputError
        If a joint is missing in one of them, or a shape does not fit.

    Examples
    --------
    >>> import numpy as np, pinocchio as pin, kinetrace as kt
    >>> from kinetrace.model import zoo
    >>> robot = kt.load("planar2r", base="free")
    >>> model = pin.buildModelFromUrdf(str(zoo.path("planar2r")), pin.JointModelFreeFlyer())
    >>> kt.interop.pinocchio.v(robot, model, robot.neutral(), np.arange(8.0))
    array([3., 4., 5., 0., 1., 2., 6., 7.])
    """
    return _PINOCCHIO.states(robot, model).v(q, v)


def from_v(robot: Robot | Model, model: Any, q_pin: Any, v_pin: Any) -> Array:
    """Velocity from Pinocchio's variables: the inverse of `v`.

    Parameters
    ----------
    robot : Robot or Model
        The robot.
    model : pinocchio.Model
        The same robot in Pinocchio.
    q_pin : array_like, shape (..., model.nq)
        Configuration in Pinocchio.
    v_pin : array_like, shape (..., model.nv)
        Velocity in Pinocchio.

    Returns
    -------
    ndarray, shape (..., nv)
        Velocity of the robot.

    Raises
    ------
    InputError
        If a joint is missing in one of them, or a shape does not fit.

    Examples
    --------
    >>> import numpy as np, pinocchio as pin, kinetrace as kt
    >>> from kinetrace.model import zoo
    >>> robot = kt.load("planar2r", base="free")
    >>> model = pin.buildModelFromUrdf(str(zoo.path("planar2r")), pin.JointModelFreeFlyer())
    >>> kt.interop.pinocchio.from_v(robot, model, pin.neutral(model), np.arange(8.0))
    array([3., 4., 5., 0., 1., 2., 6., 7.])
    """
    return _PINOCCHIO.states(robot, model).from_v(q_pin, v_pin)


def a(robot: Robot | Model, model: Any, q: Any, v: Any, a: Any) -> Array:
    """Acceleration in Pinocchio's variables.

    Parameters
    ----------
    robot : Robot or Model
        The robot.
    model : pinocchio.Model
        The same robot in Pinocchio.
    q : array_like, shape (..., nq)
        Configuration of the robot.
    v : array_like, shape (..., nv)
        Velocity of the robot.
    a : array_like, shape (..., nv)
        Acceleration of the robot: the rate of `v`.

    Returns
    -------
    ndarray, shape (..., model.nv)
        Acceleration for Pinocchio.

    Raises
    ------
    InputError
        If a joint is missing in one of them, or a shape does not fit.

    Examples
    --------
    >>> import pinocchio as pin, kinetrace as kt
    >>> from kinetrace.model import zoo
    >>> robot = kt.load("planar2r")
    >>> model = pin.buildModelFromUrdf(str(zoo.path("planar2r")))
    >>> kt.interop.pinocchio.a(robot, model, [0.0, 0.0], [0.0, 0.0], [1.0, 2.0])
    array([1., 2.])
    """
    return _PINOCCHIO.states(robot, model).a(q, v, a)


def from_a(robot: Robot | Model, model: Any, q_pin: Any, v_pin: Any, a_pin: Any) -> Array:
    """Acceleration from Pinocchio's variables: the inverse of `a`.

    Parameters
    ----------
    robot : Robot or Model
        The robot.
    model : pinocchio.Model
        The same robot in Pinocchio.
    q_pin : array_like, shape (..., model.nq)
        Configuration in Pinocchio.
    v_pin : array_like, shape (..., model.nv)
        Velocity in Pinocchio.
    a_pin : array_like, shape (..., model.nv)
        Acceleration in Pinocchio.

    Returns
    -------
    ndarray, shape (..., nv)
        Acceleration of the robot.

    Raises
    ------
    InputError
        If a joint is missing in one of them, or a shape does not fit.

    Examples
    --------
    >>> import pinocchio as pin, kinetrace as kt
    >>> from kinetrace.model import zoo
    >>> robot = kt.load("planar2r")
    >>> model = pin.buildModelFromUrdf(str(zoo.path("planar2r")))
    >>> kt.interop.pinocchio.from_a(robot, model, [0.0, 0.0], [0.0, 0.0], [1.0, 2.0])
    array([1., 2.])
    """
    return _PINOCCHIO.states(robot, model).from_a(q_pin, v_pin, a_pin)


def tau(robot: Robot | Model, model: Any, q: Any, tau: Any) -> Array:
    """Joint forces in Pinocchio's variables.

    Mimic joints that are joints of their own there get no force: that of the joint that they follow has their share.

    Parameters
    ----------
    robot : Robot or Model
        The robot.
    model : pinocchio.Model
        The same robot in Pinocchio.
    q : array_like, shape (..., nq)
        Configuration of the robot.
    tau : array_like, shape (..., nv)
        Joint forces of the robot.

    Returns
    -------
    ndarray, shape (..., model.nv)
        Joint forces for Pinocchio.

    Raises
    ------
    InputError
        If a joint is missing in one of them, or a shape does not fit.

    Examples
    --------
    >>> import numpy as np, pinocchio as pin, kinetrace as kt
    >>> from kinetrace.model import zoo
    >>> robot = kt.load("planar2r", base="free")
    >>> model = pin.buildModelFromUrdf(str(zoo.path("planar2r")), pin.JointModelFreeFlyer())
    >>> kt.interop.pinocchio.tau(robot, model, robot.neutral(), np.arange(8.0))
    array([3., 4., 5., 0., 1., 2., 6., 7.])
    """
    return _PINOCCHIO.states(robot, model).tau(q, tau)


def from_tau(robot: Robot | Model, model: Any, q_pin: Any, tau_pin: Any) -> Array:
    """Joint forces from Pinocchio's variables: Tᵀ τ_pin.

    Forces of mimic joints that are joints of their own there are added, times the ratio, to that which they follow.

    Parameters
    ----------
    robot : Robot or Model
        The robot.
    model : pinocchio.Model
        The same robot in Pinocchio.
    q_pin : array_like, shape (..., model.nq)
        Configuration in Pinocchio.
    tau_pin : array_like, shape (..., model.nv)
        Joint forces in Pinocchio.

    Returns
    -------
    ndarray, shape (..., nv)
        Joint forces of the robot.

    Raises
    ------
    InputError
        If a joint is missing in one of them, or a shape does not fit.

    Examples
    --------
    >>> import numpy as np, pinocchio as pin, kinetrace as kt
    >>> from kinetrace.model import zoo
    >>> robot = kt.load("planar2r")
    >>> model = pin.buildModelFromUrdf(str(zoo.path("planar2r")))
    >>> q, zero = np.array([0.1, 0.2]), np.zeros(2)
    >>> q_pin = kt.interop.pinocchio.q(robot, model, q)
    >>> tau_pin = pin.rnea(model, model.createData(), q_pin, zero, zero)
    >>> np.allclose(kt.interop.pinocchio.from_tau(robot, model, q_pin, tau_pin), robot.gravity(q))
    True
    """
    return _PINOCCHIO.states(robot, model).from_tau(q_pin, tau_pin)


__dir__ = _listing(__name__)
