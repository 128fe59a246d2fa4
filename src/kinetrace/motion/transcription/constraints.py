"""Constraints of optimal motions: functions of one instant between bounds, and the usual ones at the tip."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ...algorithms import pose
from ...arrays import Array, concatenate, stack
from ...errors import LONGEST_NAME, InputError, ModelError, lookup, shorten
from ...lie import so3
from ...model.checks import pose as rigid_motion
from ...model.model import Model
from ...support.conversion import as_array, as_spheres, plain_finite
from ...support.functions import name_of
from ...support.keywords import known_keywords
from .pointwise import argument_names

At = Literal["path", "start", "end"] | float
_WHEN = dict.fromkeys(("path", "start", "end"))


@dataclass(frozen=True, eq=False, repr=False)
class MotionConstraint:
    """Function of one instant that must stay between bounds.

    With equal bounds it is an equation, which holds at as many instants as the spline can satisfy; else an inequality,
    which holds at the ends of all intervals of the spline and in between.

    Parameters
    ----------
    function : callable
        Function f(model, q, v, a, ...) in plain array code that returns a number or an array (m,). Its arguments after
        the model are any of q, v, a, tau (joint forces), jerk and t (time), by these names.
    lower : array_like, shape () or (m,), default 0.0
        Lower bounds; may be -inf.
    upper : array_like, shape () or (m,), default 0.0
        Upper bounds; may be inf.
    at : {"path", "start", "end"} or float, default "path"
        When it holds: during the whole motion, at one of its ends, or at a fraction of the duration between 0 and 1,
        such as 0.5 for halfway.
    name : str, default ""
        What messages call it; the name of the function unless given.

    Raises
    ------
    InputError
        If an argument is unknown, or a lower bound exceeds an upper one.

    Examples
    --------
    >>> import kinetrace as kt
    >>> def height(model, q):
    ...     return kt.algorithms.pose(model, q, frame="tip")[2, 3]
    >>> kt.motion.Constraint(height, lower=-0.5, upper=float("inf"))
    Constraint('height', at='path')
    """

    function: Callable[..., Any]
    lower: Any = 0.0
    upper: Any = 0.0
    at: At = "path"
    name: str = ""

    def __post_init__(self) -> None:
        if not callable(self.function):
            got = shorten(repr(self.function), LONGEST_NAME)
            raise InputError(f"Constraint: expected a function of (model, q, ...), got {got}")
        argument_names(self.function)
        object.__setattr__(self, "at", _when(self.at))
        object.__setattr__(self, "name", self.name or name_of(self.function))
        for side in ("lower", "upper"):
            bound = as_array(f"{self.name}: {side}", getattr(self, side))
            if bound.dtype.kind not in "biuf" or np.isnan(bound).any() or bound.ndim > 1:
                raise InputError(f"{self.name}: {side} must be numbers () or (m,), which may be infinite")
            object.__setattr__(self, side, bound.astype(float))
        try:
            wrong = np.any(self.lower > self.upper)
        except ValueError:
            told = f"lower has shape {self.lower.shape}, upper {self.upper.shape}"
            raise InputError(f"{self.name}: {told}; both must be () or (m,)") from None
        if wrong:
            raise InputError(f"{self.name}: lower must not exceed upper")

    def __repr__(self) -> str:
        return f"Constraint({self.name!r}, at={self.at!r})"


def _when(at: Any) -> At:
    """When a constraint holds; the fractions 0 and 1 are the ends."""
    if isinstance(at, str):
        lookup("at", at, _WHEN)
        return at  # type: ignore[return-value]
    if isinstance(at, bool) or not isinstance(at, int | float | np.integer | np.floating) or not 0 <= at <= 1:
        wanted = '"path", "start", "end", or a fraction of the duration between 0 and 1: a time t is t / T'
        raise InputError(f"at must be {wanted}; got {shorten(repr(at), LONGEST_NAME)}")
    return "start" if at == 0 else "end" if at == 1 else float(at)


def _vector(name: str, x: Any, shape: tuple[int, ...]) -> tuple[Any, ...]:
    """Finite numbers of a shape, as nested tuples, which can be compared."""
    array = plain_finite(name, x, shape)
    return tuple(map(float, array)) if array.ndim == 1 else tuple(tuple(map(float, row)) for row in array)


def _rigid(X: Any) -> tuple[tuple[float, ...], ...]:
    """A pose (4, 4), as nested tuples; an error if it is none, such as a reflection."""
    try:
        return tuple(tuple(map(float, row)) for row in rigid_motion(X, "target"))
    except ModelError as error:
        raise InputError(str(error)) from None


def _frame(frame: Any) -> str:
    if not isinstance(frame, str):
        raise InputError(f"frame must be the name of a frame, got {shorten(repr(frame), LONGEST_NAME)}")
    return str(frame)


def _place(frame: str, point: Any) -> tuple[str, tuple[float, ...] | None]:
    return _frame(frame), None if point is None else _vector("point", point, (3,))


def _position(model: Model, q: Array, place: tuple[str, tuple[float, ...] | None]) -> Array:
    """The position (3,) of a point of a frame in the world."""
    frame, point = place
    X = pose(model, q, frame=frame)
    return X[:3, 3] if point is None else X[:3, :3] @ np.array(point) + X[:3, 3]


@dataclass(frozen=True)
class _PoseError:
    frame: str
    target: tuple[tuple[float, ...], ...]

    def __call__(self, model: Model, q: Array) -> Array:
        X, target = pose(model, q, frame=self.frame), np.array(self.target)
        turn = so3.log(target[:3, :3].T @ X[:3, :3])
        return concatenate([turn, X[:3, 3] - target[:3, 3]])


@dataclass(frozen=True)
class _OrientationError:
    frame: str
    target: tuple[tuple[float, ...], ...]

    def __call__(self, model: Model, q: Array) -> Array:
        return so3.log(np.array(self.target).T @ pose(model, q, frame=self.frame)[:3, :3])


@dataclass(frozen=True)
class _Direction:
    frame: str
    axis: tuple[float, ...]
    across: tuple[tuple[float, ...], ...]

    def __call__(self, model: Model, q: Array) -> Array:
        return np.array(self.across) @ (pose(model, q, frame=self.frame)[:3, :3] @ np.array(self.axis))


@dataclass(frozen=True)
class _Along:
    """Components of a point's position along directions."""

    place: tuple[str, tuple[float, ...] | None]
    directions: tuple[tuple[float, ...], ...]

    def __call__(self, model: Model, q: Array) -> Array:
        return np.array(self.directions) @ _position(model, q, self.place)


@dataclass(frozen=True)
class _PathError:
    place: tuple[str, tuple[float, ...] | None]
    path: Callable[[Any], Any]

    def __call__(self, model: Model, q: Array, t: Array) -> Array:
        wanted = self.path(t)
        return _position(model, q, self.place) - (stack(list(wanted)) if isinstance(wanted, list | tuple) else wanted)


@dataclass(frozen=True)
class _SurfaceConstraint:
    place: tuple[str, tuple[float, ...] | None]
    surface: Callable[[Any], Any]

    def __call__(self, model: Model, q: Array) -> Array:
        return self.surface(_position(model, q, self.place))


@dataclass(frozen=True)
class _Clearance:
    place: tuple[str, tuple[float, ...] | None]
    spheres: tuple[tuple[float, ...], ...]
    """Centre and the sum of both radii, of each."""

    def __call__(self, model: Model, q: Array) -> Array:
        p = _position(model, q, self.place)
        gaps = []
        for *centre, radius in self.spheres:
            apart = p - np.array(centre)
            gaps.append((apart @ apart - radius**2) / (2.0 * radius))
        return stack(gaps)


@known_keywords
def reach_pose(frame: str, target: npt.ArrayLike, *, at: At = "end", name: str = "") -> MotionConstraint:
    """Constraint that a frame has a pose, at the end of a motion unless told otherwise.

    Parameters
    ----------
    frame : str
        Name of the frame.
    target : array_like, shape (4, 4)
        Pose of the frame in the world [m].
    at : {"end", "start", "path"} or float, default "end"
        When it holds; a number is a fraction of the duration.
    name : str, default ""
        What messages call it.

    Returns
    -------
    Constraint
        Six rows: rotation vector of the error [rad], then the error of the position [m].

    Raises
    ------
    InputError
        If the target is not a pose.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.motion.reach_pose("tip", np.eye(4))
    Constraint('pose of tip', at='end')
    """
    X = np.array(_vector("target", target, (4, 4)))
    return MotionConstraint(_PoseError(_frame(frame), _rigid(X)), at=at, name=name or f"pose of {frame}")


@known_keywords
def reach_position(
    frame: str, target: npt.ArrayLike, *, point: npt.ArrayLike | None = None, at: At = "end", name: str = ""
) -> MotionConstraint:
    """Constraint that a point of a frame has a position, at the end of a motion unless told otherwise.

    Parameters
    ----------
    frame : str
        Name of the frame.
    target : array_like, shape (3,)
        Position in the world [m].
    point : array_like, shape (3,), optional
        Point in the axes of the frame [m]; its origin unless given.
    at : {"end", "start", "path"} or float, default "end"
        When it holds; a number is a fraction of the duration.
    name : str, default ""
        What messages call it.

    Returns
    -------
    Constraint
        Three rows [m].

    Raises
    ------
    InputError
        If shapes do not fit.

    Examples
    --------
    >>> import kinetrace as kt
    >>> kt.motion.reach_position("tip", [1.0, 0.0, 0.5])
    Constraint('position of tip', at='end')
    """
    wanted = np.array(_vector("target", target, (3,)))
    axes = tuple(map(tuple, np.eye(3).tolist()))
    return MotionConstraint(_Along(_place(frame, point), axes), wanted, wanted, at, name or f"position of {frame}")


@known_keywords
def keep_orientation(
    frame: str, target: npt.ArrayLike, *, axis: npt.ArrayLike | None = None, at: At = "path", name: str = ""
) -> MotionConstraint:
    """Constraint that a frame keeps an orientation, or one of its axes a direction, during a motion.

    Parameters
    ----------
    frame : str
        Name of the frame.
    target : array_like, shape (3, 3) or (3,)
        Rotation from the frame to the world; with `axis`, the direction that it has in the world.
    axis : array_like, shape (3,), optional
        Axis in the frame that points along `target`; rotations about it are free.
    at : {"path", "start", "end"} or float, default "path"
        When it holds; a number is a fraction of the duration.
    name : str, default ""
        What messages call it.

    Returns
    -------
    Constraint
        Three rows [rad]; with `axis` two, the components of the axis across the direction.

    Raises
    ------
    InputError
        If the target is no rotation, or an axis is zero.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.motion.keep_orientation("panda_hand", [0, 0, -1], axis=[0, 0, 1])
    Constraint('orientation of panda_hand', at='path')
    """
    name = name or f"orientation of {frame}"
    if axis is not None:
        own, wanted = (np.array(_vector(n, x, (3,))) for n, x in (("axis", axis), ("target", target)))
        if not np.linalg.norm(own) or not np.linalg.norm(wanted):
            raise InputError("axis and target must be directions other than zero")
        unit = tuple((own / np.linalg.norm(own)).tolist())
        return MotionConstraint(_Direction(_frame(frame), unit, _across(wanted)), at=at, name=name)
    if np.shape(target) == (3,):
        raise InputError("target must be a rotation (3, 3), or a direction (3,) together with axis=")
    X = np.eye(4)
    X[:3, :3] = _vector("target", target, (3, 3))
    R = tuple(row[:3] for row in _rigid(X)[:3])
    return MotionConstraint(_OrientationError(_frame(frame), R), at=at, name=name)


def _across(direction: Any) -> tuple[tuple[float, ...], ...]:
    """Two unit vectors across a direction."""
    complement = np.linalg.svd(direction[None])[2][1:]
    return tuple(map(tuple, complement.tolist()))


@known_keywords
def keep_on_plane(
    frame: str,
    origin: npt.ArrayLike,
    normal: npt.ArrayLike,
    *,
    point: npt.ArrayLike | None = None,
    at: At = "path",
    name: str = "",
) -> MotionConstraint:
    """Constraint that a point of a frame stays on a plane.

    Parameters
    ----------
    frame : str
        Name of the frame.
    origin : array_like, shape (3,)
        A point of the plane in the world [m].
    normal : array_like, shape (3,)
        Normal of the plane in the world.
    point : array_like, shape (3,), optional
        Point in the axes of the frame [m]; its origin unless given.
    at : {"path", "start", "end"} or float, default "path"
        When it holds; a number is a fraction of the duration.
    name : str, default ""
        What messages call it.

    Returns
    -------
    Constraint
        One row [m].

    Raises
    ------
    InputError
        If the normal is zero.

    Examples
    --------
    >>> import kinetrace as kt
    >>> kt.motion.keep_on_plane("panda_hand", [0, 0, 0.3], [0, 0, 1])
    Constraint('plane of panda_hand', at='path')
    """
    o, n = (np.array(_vector(k, x, (3,))) for k, x in (("origin", origin), ("normal", normal)))
    if not np.linalg.norm(n):
        raise InputError("normal must not be zero")
    n = n / np.linalg.norm(n)
    rows = (tuple(n.tolist()),)
    return MotionConstraint(_Along(_place(frame, point), rows), [n @ o], [n @ o], at, name or f"plane of {frame}")


@known_keywords
def keep_on_line(
    frame: str,
    origin: npt.ArrayLike,
    direction: npt.ArrayLike,
    *,
    point: npt.ArrayLike | None = None,
    at: At = "path",
    name: str = "",
) -> MotionConstraint:
    """Constraint that a point of a frame stays on a straight line, at a speed that is free.

    Parameters
    ----------
    frame : str
        Name of the frame.
    origin : array_like, shape (3,)
        A point of the line in the world [m].
    direction : array_like, shape (3,)
        Direction of the line in the world.
    point : array_like, shape (3,), optional
        Point in the axes of the frame [m]; its origin unless given.
    at : {"path", "start", "end"} or float, default "path"
        When it holds; a number is a fraction of the duration.
    name : str, default ""
        What messages call it.

    Returns
    -------
    Constraint
        Two rows [m].

    Raises
    ------
    InputError
        If the direction is zero.

    Examples
    --------
    >>> import kinetrace as kt
    >>> kt.motion.keep_on_line("panda_hand", [0.4, 0, 0.3], [0, 1, 0])
    Constraint('line of panda_hand', at='path')
    """
    o, d = (np.array(_vector(k, x, (3,))) for k, x in (("origin", origin), ("direction", direction)))
    if not np.linalg.norm(d):
        raise InputError("direction must not be zero")
    rows = _across(d)
    at_origin = np.array(rows) @ o
    return MotionConstraint(_Along(_place(frame, point), rows), at_origin, at_origin, at, name or f"line of {frame}")


@known_keywords
def keep_on_surface(
    frame: str,
    surface: Callable[[Any], Any],
    *,
    point: npt.ArrayLike | None = None,
    at: At = "path",
    name: str = "",
) -> MotionConstraint:
    """Constraint that a point of a frame stays on a surface or a curve that equations describe.

    Parameters
    ----------
    frame : str
        Name of the frame.
    surface : callable
        Function of a position (3,) [m] in plain array code, a number or an array (m,) that is zero there.
    point : array_like, shape (3,), optional
        Point in the axes of the frame [m]; its origin unless given.
    at : {"path", "start", "end"} or float, default "path"
        When it holds; a number is a fraction of the duration.
    name : str, default ""
        What messages call it.

    Returns
    -------
    Constraint
        As many rows as the function returns.

    Raises
    ------
    InputError
        If `surface` is no function.

    Examples
    --------
    >>> import kinetrace as kt
    >>> kt.motion.keep_on_surface("tip", lambda p: p @ p - 1.0, name="unit sphere")
    Constraint('unit sphere', at='path')
    """
    if not callable(surface):
        raise InputError(f"surface must be a function of a position (3,), got {surface!r}")
    return MotionConstraint(
        _SurfaceConstraint(_place(frame, point), surface), at=at, name=name or f"surface of {frame}"
    )


@known_keywords
def keep_on_path(
    frame: str, path: Callable[[Any], Any], *, point: npt.ArrayLike | None = None, name: str = ""
) -> MotionConstraint:
    """Constraint that a point of a frame follows a path in time.

    For a path whose timing is free, see `keep_on_line` and `keep_on_surface`.

    Parameters
    ----------
    frame : str
        Name of the frame.
    path : callable
        Function of the time [s] in plain array code: the position (3,) in the world [m].
    point : array_like, shape (3,), optional
        Point in the axes of the frame [m]; its origin unless given.
    name : str, default ""
        What messages call it.

    Returns
    -------
    Constraint
        Three rows [m].

    Raises
    ------
    InputError
        If `path` is no function.

    Examples
    --------
    >>> import kinetrace as kt
    >>> kt.motion.keep_on_path("tip", lambda t: [1.0, 0.0, 0.5 * t])
    Constraint('path of tip', at='path')
    """
    if not callable(path):
        raise InputError(f"path must be a function of the time, got {path!r}")
    return MotionConstraint(_PathError(_place(frame, point), path), name=name or f"path of {frame}")


@known_keywords
def keep_clear(
    frame: str,
    radius: float,
    obstacles: npt.ArrayLike | Sequence[Any],
    *,
    point: npt.ArrayLike | None = None,
    name: str = "",
) -> MotionConstraint:
    """Constraint that a sphere on a frame does not touch spheres in the world.

    Parameters
    ----------
    frame : str
        Name of the frame that carries the sphere.
    radius : float
        Radius of the sphere on the frame [m]; may be zero.
    obstacles : array_like, shape (n, 4), or sequence of tuple
        Spheres in the world, each (x, y, z, radius) or (centre, radius) [m].
    point : array_like, shape (3,), optional
        Centre of the sphere in the axes of the frame [m]; its origin unless given.
    name : str, default ""
        What messages call it.

    Returns
    -------
    Constraint
        A row for each obstacle, (d² − r²) / 2r [m] for the distance d of the centres and the sum r of the radii: near
        contact, the gap.

    Raises
    ------
    InputError
        If a radius is negative, or both are zero.

    Examples
    --------
    >>> import kinetrace as kt
    >>> kt.motion.keep_clear("panda_hand", 0.1, [(0.4, 0.0, 0.5, 0.2), ([0.0, 0.4, 0.5], 0.2)])
    Constraint('obstacles of panda_hand', at='path')
    """
    if not isinstance(radius, int | float | np.integer | np.floating) or not 0 <= radius < np.inf:
        raise InputError(f"radius must be a number of at least 0, got {radius!r}")
    spheres = as_spheres("obstacles", obstacles)
    if not spheres or not all(x[3] + radius > 0 for x in spheres):
        raise InputError("obstacles must be spheres (x, y, z, radius), at least one, with positive radii")
    grown = tuple((*x[:3], x[3] + float(radius)) for x in spheres)
    function = _Clearance(_place(frame, point), grown)
    return MotionConstraint(function, 0.0, np.inf, "path", name or f"obstacles of {frame}")
