"""Common checks of packages above robots: a robot in double precision, its states, forces, closed loops; memory."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ..algorithms.registry.forms import Forms
from ..algorithms.registry.signature import Algorithm
from ..errors import InputError, ShapeError, value_text
from ..model.arguments import with_size_hint
from ..support.conversion import broadcast, finite
from .dispatch import Dispatcher
from .robot import Robot

Float = npt.NDArray[np.float64]
GAP = 1e-6
"""By how much loops may be open [m, rad], and velocities may open them, relative to velocities above one."""
METHODS: dict[str, Algorithm] = {
    name: method.algorithm
    for owner in reversed(Robot.__mro__)
    for name, method in vars(owner).items()
    if isinstance(getattr(method, "algorithm", None), Algorithm)
}
"""The methods of robots that are kernels → what they evaluate."""


def robot_of(x: Any) -> Robot:
    """Argument that must be a robot, if it is one.

    >>> robot_of("panda")
    Traceback (most recent call last):
    kinetrace.errors.InputError: robot must be a kinetrace.Robot, got 'panda'; kt.load makes one
    """
    if not isinstance(x, Robot):
        raise InputError(f"robot must be a kinetrace.Robot, got {value_text(x)}; kt.load makes one")
    return x


def exact_robot(x: Any) -> Robot:
    """Argument that must be a robot, in double precision, as iterations to small tolerances need it.

    >>> import kinetrace as kt
    >>> exact_robot(kt.load("planar2r", dtype="float32")).integrate([0.0, 0.0], [1.0, 0.0]).dtype
    dtype('float64')
    """
    robot = robot_of(x)
    return robot if dtype_of(robot) == "float64" else robot._exact()


def method_of(robot: Robot, method: str) -> Dispatcher:
    """Dispatcher of a method, which finds its kernels and the order of their arrays, whatever these are.

    >>> import kinetrace as kt
    >>> arrays, kernel = method_of(kt.load("planar2r"), "gravity").resolve((), {"q": "any thing"})
    >>> arrays, kernel.__name__
    (('any thing',), 'gravity')
    """
    dispatcher = robot._kernels_of(METHODS[method])
    assert isinstance(dispatcher, Dispatcher)
    return dispatcher


def dtype_of(robot: Robot) -> str:
    """The precision of a robot's kernels."""
    return robot._settings.dtype


def is_checked(robot: Robot) -> bool:
    """Whether a robot checks its arguments; see `Robot.checked`."""
    return robot._settings.check


def forces_of(robot: Robot, q: Float, v: Float, a: Float) -> Float:
    """Joint forces (..., nv) of a motion: `algorithms.closed.motor_forces.joint_forces` at each of its instants.

    >>> import kinetrace as kt
    >>> forces_of(kt.load("planar2r"), [0.0, 0.0], [0.0, 0.0], [0.0, 0.0])
    array([19.62 ,  4.905])
    """
    return np.asarray(_FORCES.of(robot.model)(robot, q, v, a))


_FORCES: Forms[Callable[..., Any]] = Forms(
    Robot.inverse_dynamics, lambda robot, *motion: robot.motor_forces(*motion)[0]
)


def velocity_map_of(robot: Robot, q: Float) -> Float:
    """G (..., nv, dof) of `Robot.velocity_map`; for trees one identity (nv, nv), without a kernel.

    >>> import kinetrace as kt
    >>> velocity_map_of(kt.load("planar2r"), [0.0, 0.0]).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    return np.asarray(_VELOCITY_MAPS.of(robot.model)(robot, q))


_VELOCITY_MAPS: Forms[Callable[..., Any]] = Forms(
    tree=lambda robot, q: np.eye(robot.nv), closed=lambda robot, q: robot.velocity_map(q)
)


def check_loops(robot: Robot, q: Float, v: Float, what: str, remedy: str = "see robot.project") -> None:
    """An error unless closed loops are closed at all states (..., nq), (..., nv), and stay so."""
    if not robot.model.closures:
        return
    gap = float(np.abs(robot.closure_residual(q)).max(initial=0.0))
    rate = float(np.abs(robot.closure_velocity(q, v)).max(initial=0.0))
    if not (gap < GAP and rate < GAP * max(1.0, float(np.abs(v).max(initial=0.0)))):
        raise InputError(f"{what}: loops are open by {gap:.2g}, velocities open them by {rate:.2g}; {remedy}")


def state_of(robot: Robot, q: Any, v: Any) -> tuple[Float, Float]:
    """q (..., nq) and v (..., nv) with the same batch axes, copies; unit quaternions."""
    try:
        found = [finite("q", q, robot.nq), finite("v", v, robot.nv)]
    except ShapeError as error:
        raise with_size_hint(robot.model, error) from None
    batch = broadcast({"q": found[0].shape[:-1], "v": found[1].shape[:-1]})
    q, v = (np.array(np.broadcast_to(x, (*batch, x.shape[-1]))) for x in found)
    with np.errstate(all="ignore"):
        unit = np.array(robot.normalise(q))
    if not np.isfinite(unit).all():
        _refuse_zeros(robot, unit)
    return unit, v


def _refuse_zeros(robot: Robot, unit: Float) -> None:
    """An error that names the joint whose quaternion cannot be scaled to unit length."""
    for body in robot.model.independent_joints:
        if not np.isfinite(unit[..., robot.model.slices[body.index][0]]).all():
            raise InputError(f"the quaternion of joint {body.joint_name!r} has length 0")


def check_memory(rows: int, lanes: int, width: int, hint: str) -> None:
    """An error if results take more memory than the machine has."""
    size = 8 * rows * lanes * width
    if size > available():
        taken = f"{rows:,} rows of {lanes:,} states take {size / 1e9:,.1f} GB"
        raise InputError(f"{taken}; there are {available() / 1e9:,.1f} GB: {hint}")


def available() -> int:
    """Bytes of memory of the machine; a terabyte if that is not known."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 10**12
