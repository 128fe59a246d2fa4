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
matched by name, and a free base whatever its name is. A continuous joint comes back with an angle in (−π, π].
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Array
from ..errors import InputError, listed
from ..model import Body, Model
from ..model.joints import Continuous, Cylindrical, Free, Helical, Joint, Planar, Prismatic, Revolute, Screw
from ..model.load.pinocchio_model import Part, own_variables, parts_of, their_variables
from ..model.load.sources import is_instance_of
from ..robot import Robot
from .pinocchio_model import to_model
from .states import Recent, model_of, numbers, together

__all__ = ["a", "from_a", "from_q", "from_tau", "from_v", "q", "tau", "to_model", "v", "velocity_map"]

_FOLLOWS = 1e-6
"""How far a mimic joint of Pinocchio's may be from where it belongs [rad, m and their rates]."""


@dataclass(frozen=True)
class _Block:
    """One joint in both: where its variables are, here (those of the joint that it follows) and there."""

    body: Body
    q: slice
    v: slice
    ratio: float
    offset: float
    follows: bool
    pin_q: slice
    pin_v: slice

    def own_q(self, q: Array) -> Array:
        """Its variables (..., nq_i) in a configuration of ours."""
        return self.ratio * q[..., self.q] + self.offset if self.follows else q[..., self.q]

    def to_q(self, q: Array) -> Array:
        """Its variables there, from those here."""
        return their_variables(self.body.joint, q, self.pin_q.stop - self.pin_q.start)

    def from_q(self, q: Array) -> Array:
        """Its variables here, from those there."""
        return own_variables(self.body.joint, q)

    def map(self, q: Array) -> Array:
        """T (..., nv_i, nv_i) of its own velocities, at its own configuration."""
        joint = self.body.joint
        if isinstance(joint, Free):
            return np.broadcast_to(np.roll(np.eye(6), 3, axis=0), (*q.shape[:-1], 6, 6))
        if not isinstance(joint, Planar):
            return np.broadcast_to(np.eye(joint.nv), (*q.shape[:-1], joint.nv, joint.nv))
        c, s, o, i = np.cos(q[..., 2]), np.sin(q[..., 2]), np.zeros(q.shape[:-1]), np.ones(q.shape[:-1])
        return np.stack([np.stack(row, axis=-1) for row in ((c, s, o), (-s, c, o), (o, o, i))], axis=-2)

    def push(self, q: Array, v: Array) -> Array:
        """T v (..., nv_i)."""
        if isinstance(self.body.joint, Planar):
            return _product(self.map(q), v)
        return np.roll(v, 3, axis=-1) if isinstance(self.body.joint, Free) else v

    def pull(self, q: Array, v: Array) -> Array:
        """Tᵀ v (..., nv_i), which is T⁻¹ v: T of a joint is orthogonal."""
        if isinstance(self.body.joint, Planar):
            return _product(np.swapaxes(self.map(q), -1, -2), v)
        return np.roll(v, 3, axis=-1) if isinstance(self.body.joint, Free) else v

    def bias(self, q: Array, v: Array) -> Array | float:
        """Ṫ v (..., nv_i)."""
        if not isinstance(self.body.joint, Planar):
            return 0.0
        x, y, _ = np.moveaxis(self.push(q, v), -1, 0)
        return np.stack([y * v[..., 2], -x * v[..., 2], np.zeros(x.shape)], axis=-1)


def _product(T: Array, v: Array) -> Array:
    return (T @ v[..., None])[..., 0]


class _Pair:
    """A robot in both libraries, with its joints matched."""

    def __init__(self, ours: Model, model: Any) -> None:
        self.ours, self.nq, self.nv = ours, int(model.nq), int(model.nv)
        self.blocks = self._matched(model)

    def _matched(self, model: Any) -> list[_Block]:
        bodies = {body.joint_name: body for body in self.ours.bodies}
        found, missing, used = list[_Block](), list[str](), set[str]()
        for i in range(1, int(model.njoints)):
            parts = self._parts(model, i, bodies) if model.nvs[i] else []
            for part in parts:
                body = bodies.get(part.name) or self._free_base(model, part.joint, bodies)
                if body is None:
                    missing.append(part.name)
                    continue
                if not _same_kind(part.joint, body.joint):
                    kinds = f"{type(body.joint).__name__} here and {model.joints[i].shortname()} in Pinocchio"
                    raise InputError(f"joint {part.name!r} is {kinds}: these are different robots")
                used.add(body.joint_name)
                q, v = int(model.idx_qs[i]), int(model.idx_vs[i])
                found.append(self._block(body, _moved(part.q, q), _moved(part.v, v)))
            if not parts and str(model.names[i]) in bodies:
                used.add(str(model.names[i]))
        lost = [name for name in self.ours.joint_names if name not in used]
        if missing or lost:
            told = [f"the robot has no {listed(missing)}"] * bool(missing)
            told += [f"the pinocchio.Model has no {listed(lost)}"] * bool(lost)
            raise InputError(f"joints differ: {'; '.join(told)}")
        return found

    def _parts(self, model: Any, i: int, bodies: dict[str, Body]) -> list[Part]:
        """Our joints for one of Pinocchio's; a composite may be a cylindrical one."""
        name, parts = str(model.names[i]), parts_of(model, i)
        whole = bodies[name].joint if name in bodies else None
        if isinstance(whole, Cylindrical) and [type(part.joint) for part in parts] == [Revolute, Prismatic]:
            return [Part(name, whole, parts[0].placement, slice(0, 2), slice(0, 2))]
        return parts

    def _free_base(self, model: Any, joint: Any, bodies: dict[str, Body]) -> Body | None:
        """The free base, which each library names in its own way."""
        first = self.ours.bodies[0] if self.ours.bodies else None
        is_base = isinstance(joint, Free) and first is not None and isinstance(first.joint, Free)
        return first if is_base and first is not None and first.joint_name not in list(model.names) else None

    def _block(self, body: Body, pin_q: slice, pin_v: slice) -> _Block:
        mimic = body.mimic
        q, v = self.ours.slices[body.index if mimic is None else mimic.source]
        ratio, offset = (1.0, 0.0) if mimic is None else (mimic.ratio, mimic.offset)
        return _Block(body, q, v, ratio, offset, mimic is not None, pin_q, pin_v)

    def q(self, q: Array) -> Array:
        made = np.zeros((*q.shape[:-1], self.nq))
        for block in self.blocks:
            made[..., block.pin_q] = block.to_q(block.own_q(q))
        return made

    def from_q(self, q: Array) -> Array:
        made = np.zeros((*q.shape[:-1], self.ours.nq))
        for block in self.blocks:
            if not block.follows:
                made[..., block.q] = block.from_q(q[..., block.pin_q])
        for block in self.blocks:
            if block.follows:
                _check_follower(block, block.to_q(block.own_q(made)), q[..., block.pin_q], "q")
        return made

    def map(self, q: Array) -> Array:
        T = np.zeros((*q.shape[:-1], self.nv, self.ours.nv))
        for block in self.blocks:
            T[..., block.pin_v, block.v] = block.ratio * block.map(block.own_q(q))
        return T

    def v(self, q: Array, v: Array, *, followers: bool = True) -> Array:
        """T v; without followers, the rows of mimic joints are zero."""
        made = np.zeros((*np.broadcast_shapes(q.shape[:-1], v.shape[:-1]), self.nv))
        for block in self.blocks:
            if followers or not block.follows:
                made[..., block.pin_v] = block.push(block.own_q(q), block.ratio * v[..., block.v])
        return made

    def bias(self, q: Array, v: Array) -> Array:
        made = np.zeros((*np.broadcast_shapes(q.shape[:-1], v.shape[:-1]), self.nv))
        for block in self.blocks:
            made[..., block.pin_v] = block.bias(block.own_q(q), block.ratio * v[..., block.v])
        return made

    def solved(self, q: Array, v: Array, what: str) -> Array:
        """The velocities of ours with T v = the given ones."""
        made = np.zeros((*np.broadcast_shapes(q.shape[:-1], v.shape[:-1]), self.ours.nv))
        for block in self.blocks:
            if not block.follows:
                made[..., block.v] = block.pull(block.own_q(q), v[..., block.pin_v])
        for block in self.blocks:
            if block.follows:
                own = block.push(block.own_q(q), block.ratio * made[..., block.v])
                _check_follower(block, own, v[..., block.pin_v], what)
        return made


_recent = Recent(_Pair)


def _pair(robot: Robot | Model, model: Any) -> _Pair:
    ours = model_of(robot)
    if not is_instance_of(model, "pinocchio", "Model"):
        raise InputError(f"model must be a pinocchio.Model, got {type(model).__name__}")
    return _recent(ours, model, (model.nq, model.nv, model.njoints))


def _check_follower(block: _Block, wanted: Array, got: Array, what: str) -> None:
    error = np.abs(wanted - got)
    if error.size and not error.max() <= _FOLLOWS * (1.0 + np.abs(wanted).max()):
        name = block.body.joint_name
        raise InputError(
            f"{what}: joint {name!r} mimics another here, and is {error.max():.3g} away from where it belongs"
        )


def _same_kind(theirs: Joint, ours: Joint) -> bool:
    """Whether two joints may have the same variables: hinges may be continuous, and a screw is any with one."""
    turns = (Revolute, Continuous)
    if isinstance(ours, Screw):
        return isinstance(theirs, Helical | Prismatic | Revolute)
    return type(theirs) is type(ours) or (isinstance(theirs, turns) and isinstance(ours, turns))


def _moved(part: slice, by: int) -> slice:
    return slice(part.start + by, part.stop + by)


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
    pair = _pair(robot, model)
    return pair.q(numbers("q", q, pair.ours.nq))


def from_q(robot: Robot | Model, model: Any, q: Any) -> Array:
    """Configuration from Pinocchio's variables: the inverse of `q`.

    Parameters
    ----------
    robot : Robot or Model
        The robot.
    model : pinocchio.Model
        The same robot in Pinocchio.
    q : array_like, shape (..., model.nq)
        Configuration in Pinocchio.

    Returns
    -------
    ndarray, shape (..., nq)
        Configuration of the robot.

    Raises
    ------
    InputError
        If a joint is missing in one of them, a shape does not fit, or a mimic joint is not where it belongs.

    Examples
    --------
    >>> import pinocchio as pin, kinetrace as kt
    >>> from kinetrace.model import zoo
    >>> robot = kt.load("planar2r", base="free")
    >>> model = pin.buildModelFromUrdf(str(zoo.path("planar2r")), pin.JointModelFreeFlyer())
    >>> kt.interop.pinocchio.from_q(robot, model, pin.neutral(model))
    array([0., 0., 0., 1., 0., 0., 0., 0., 0.])
    """
    pair = _pair(robot, model)
    return pair.from_q(numbers("q", q, pair.nq))


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
    pair = _pair(robot, model)
    return pair.map(numbers("q", q, pair.ours.nq))


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
    pair = _pair(robot, model)
    at, given = together(q=(q, pair.ours.nq), v=(v, pair.ours.nv))
    return pair.v(at, given)


def from_v(robot: Robot | Model, model: Any, q: Any, v: Any) -> Array:
    """Velocity from Pinocchio's variables: the inverse of `v`.

    Parameters
    ----------
    robot : Robot or Model
        The robot.
    model : pinocchio.Model
        The same robot in Pinocchio.
    q : array_like, shape (..., nq)
        Configuration of the robot, in its own variables.
    v : array_like, shape (..., model.nv)
        Velocity in Pinocchio.

    Returns
    -------
    ndarray, shape (..., nv)
        Velocity of the robot.

    Raises
    ------
    InputError
        If a joint is missing in one of them, a shape does not fit, or a mimic joint does not follow.

    Examples
    --------
    >>> import numpy as np, pinocchio as pin, kinetrace as kt
    >>> from kinetrace.model import zoo
    >>> robot = kt.load("planar2r", base="free")
    >>> model = pin.buildModelFromUrdf(str(zoo.path("planar2r")), pin.JointModelFreeFlyer())
    >>> kt.interop.pinocchio.from_v(robot, model, robot.neutral(), np.arange(8.0))
    array([3., 4., 5., 0., 1., 2., 6., 7.])
    """
    pair = _pair(robot, model)
    at, given = together(q=(q, pair.ours.nq), v=(v, pair.nv))
    return pair.solved(at, given, "v")


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
    pair = _pair(robot, model)
    at, moving, given = together(q=(q, pair.ours.nq), v=(v, pair.ours.nv), a=(a, pair.ours.nv))
    return pair.v(at, given) + pair.bias(at, moving)


def from_a(robot: Robot | Model, model: Any, q: Any, v: Any, a: Any) -> Array:
    """Acceleration from Pinocchio's variables: the inverse of `a`.

    Parameters
    ----------
    robot : Robot or Model
        The robot.
    model : pinocchio.Model
        The same robot in Pinocchio.
    q : array_like, shape (..., nq)
        Configuration of the robot, in its own variables.
    v : array_like, shape (..., nv)
        Velocity of the robot, in its own variables.
    a : array_like, shape (..., model.nv)
        Acceleration in Pinocchio.

    Returns
    -------
    ndarray, shape (..., nv)
        Acceleration of the robot.

    Raises
    ------
    InputError
        If a joint is missing in one of them, a shape does not fit, or a mimic joint does not follow.

    Examples
    --------
    >>> import pinocchio as pin, kinetrace as kt
    >>> from kinetrace.model import zoo
    >>> robot = kt.load("planar2r")
    >>> model = pin.buildModelFromUrdf(str(zoo.path("planar2r")))
    >>> kt.interop.pinocchio.from_a(robot, model, [0.0, 0.0], [0.0, 0.0], [1.0, 2.0])
    array([1., 2.])
    """
    pair = _pair(robot, model)
    at, moving, given = together(q=(q, pair.ours.nq), v=(v, pair.ours.nv), a=(a, pair.nv))
    return pair.solved(at, given - pair.bias(at, moving), "a")


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
    pair = _pair(robot, model)
    at, given = together(q=(q, pair.ours.nq), tau=(tau, pair.ours.nv))
    return pair.v(at, given, followers=False)  # T of a joint is orthogonal: it maps forces as it maps velocities


def from_tau(robot: Robot | Model, model: Any, q: Any, tau: Any) -> Array:
    """Joint forces from Pinocchio's variables: Tᵀ τ_pin.

    Forces of mimic joints that are joints of their own there are added, times the ratio, to that which they follow.

    Parameters
    ----------
    robot : Robot or Model
        The robot.
    model : pinocchio.Model
        The same robot in Pinocchio.
    q : array_like, shape (..., nq)
        Configuration of the robot, in its own variables.
    tau : array_like, shape (..., model.nv)
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
    >>> tau = pin.rnea(model, model.createData(), kt.interop.pinocchio.q(robot, model, q), zero, zero)
    >>> np.allclose(kt.interop.pinocchio.from_tau(robot, model, q, tau), robot.gravity(q))
    True
    """
    pair = _pair(robot, model)
    at, given = together(q=(q, pair.ours.nq), tau=(tau, pair.nv))
    made = np.zeros((*at.shape[:-1], pair.ours.nv))
    for block in pair.blocks:
        made[..., block.v] += block.ratio * block.pull(block.own_q(at), given[..., block.pin_v])
    return made
