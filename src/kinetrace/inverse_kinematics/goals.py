"""Goals of frames, as arrays with one batch axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..algorithms.registry.choices import as_tuples
from ..algorithms.tasks.task_rows import ROWS, tasks_of
from ..arrays import Array
from ..errors import InputError, ModelError, lookup
from ..model import WORLD, Body, Model
from ..model.checks import ORTHONORMAL, pose, real
from ..model.couplings import followed_interval
from ..robot import Robot
from ..robot.types import Float

POSE_FLAW = (ORTHONORMAL / 3) ** 2
"""Flaw below which a goal is a pose; RᵀR − 1 and R Rᵀ − 1 have entries that differ by less than a factor of three."""

NEGLIGIBLE_WEIGHT = 1e-6
"""Weight of a joint, relative to the largest, that does not matter: zero counts as this."""


class Goals(NamedTuple):
    """Goals of some frames."""

    poses: Float
    """(*batch, frames, 4, 4)."""
    frame: tuple[str, ...]
    axes: tuple[tuple[int, ...], ...]
    """Rows of each frame's error."""
    weights: Float | None
    """(rows,) of all rows; None if all are one."""

    @property
    def batch(self) -> tuple[int, ...]:
        """Axes of the targets."""
        return self.poses.shape[:-3]


def read_goals(model: Model, target: Any, frame: Any, axes: Any, weights: Any) -> Goals:
    """The goals that the arguments of a call mean."""
    if isinstance(frame, str) and not isinstance(target, Mapping):
        names: tuple[str, ...] = (frame,)
        parts, chosen = [_goal(target, frame, axes)], [axes]
    else:
        names, given = _several(target, frame)
        chosen = _each(axes, names, "axes")
        parts = [_goal(x, name, rows) for x, name, rows in zip(given, names, chosen, strict=True)]
    rows = tuple(
        tasks_of(model, name, kind if one is None else one)[0].rows
        for name, one, (_, kind) in zip(names, chosen, parts, strict=True)
    )
    if len(parts) == 1:
        poses = parts[0][0][..., None, :, :]
    else:
        try:
            poses = np.stack(np.broadcast_arrays(*(x for x, _ in parts)), axis=-3)
        except ValueError:
            shapes = ", ".join(f"{name!r} {x.shape[:-2]}" for name, (x, _) in zip(names, parts, strict=True))
            raise InputError(f"target: batch axes of the frames do not broadcast: {shapes}") from None
    return Goals(poses, names, rows, None if weights is None else frame_weights(weights, names, rows))


def _several(target: Any, frame: Any) -> tuple[tuple[str, ...], list[Any]]:
    """Names and targets of several frames: a mapping, or two sequences."""
    if isinstance(target, Mapping):
        if frame is not None:
            raise InputError("frame: the keys of target name the frames already; leave frame out")
        if not target:
            raise InputError("target: no frame is named; give {frame: pose or position}")
        return tuple(target), list(target.values())
    names = as_tuples(frame)
    if not isinstance(names, tuple) or not all(isinstance(x, str) for x in names):
        raise InputError(f"frame must be a name or a sequence of names, got {frame!r}; or give target as a mapping")
    if not isinstance(target, Sequence | np.ndarray) or len(target) != len(names):
        raise InputError(f"target must be a sequence with one target for each of {len(names)} frames, or a mapping")
    return names, list(target)


def _each(x: Any, names: tuple[str, ...], what: str) -> list[Any]:
    """A choice for each frame: one for all, a mapping by frame, or a sequence."""
    if isinstance(x, Mapping):
        for name in x.keys() - set(names):
            raise InputError(f"{what}: {name!r} has no target; frames with targets: {', '.join(names)}")
        return [x.get(name) for name in names]
    x = as_tuples(x)
    several = isinstance(x, tuple) and any(isinstance(y, str | tuple) for y in x)
    if several and len(x) != len(names):
        raise InputError(f"{what}: {len(x)} choices for {len(names)} frames; give one choice, or one for each frame")
    return list(x) if several else [x] * len(names)


def _goal(target: Any, name: str, axes: Any) -> tuple[Float, Any]:
    """Poses (..., 4, 4) of a frame, and what they are goals of unless axes say otherwise."""
    try:
        x = real(target, "target")
    except ModelError as error:
        if not isinstance(target, tuple | list) or len(target) != 2:
            raise
        told = f"target of frame {name!r} must be one array; a rotation and a position make a pose"
        how = "kt.lie.se3.pose(R, p), with R = kt.lie.so3.from_quaternion([w, x, y, z])"
        raise InputError(f"{told} by {how}") from error
    if isinstance(axes, str):
        lookup("axes", axes, ROWS)
    if axes is None and x.shape[-2:] == (3, 3) and are_rotations(x):
        told = 'axes="orientation" if it is a rotation, axes="position" if it is three positions'
        raise InputError(f"target of frame {name!r} is ambiguous: a 3×3 matrix with orthonormal rows; give {told}")
    if x.shape[-1:] == (3,) and (axes is None or _kinds(axes) == {"position"}):
        kind, poses = "position", np.broadcast_to(np.eye(4), (*x.shape[:-1], 4, 4)).copy()
        poses[..., :3, 3] = x
    elif x.shape[-2:] == (3, 3) and _kinds(axes) == {"orientation"}:
        kind, poses = "orientation", np.broadcast_to(np.eye(4), (*x.shape[:-2], 4, 4)).copy()
        poses[..., :3, :3] = x
    elif x.shape[-2:] == (4, 4):
        kind, poses = "pose", x
    else:
        raise InputError(
            f"target of frame {name!r} must be {target_shapes(axes)}; got shape {x.shape} with axes={axes!r}"
        )
    return poses, kind


def target_shapes(axes: Any) -> str:
    """Shapes of targets for a choice of axes."""
    kinds = {"position"} if axes is None else _kinds(axes)
    own = {"position": "positions (..., 3)", "orientation": "rotations (..., 3, 3)"}
    if len(kinds) == 1:
        return f"poses (..., 4, 4) or {own[kinds.pop()]}"
    return "poses (..., 4, 4), since rows of rotation and of translation count"


def are_rotations(x: Float) -> bool:
    """Whether matrices (..., 3, 3) are rotations, but for rounding; none are not.

    >>> are_rotations(np.eye(3)), are_rotations(np.ones((3, 3)))
    (True, False)
    """
    return bool(x.size and np.abs(x @ x.swapaxes(-1, -2) - np.eye(3)).max() < 1e-6 and (np.linalg.det(x) > 0).all())


def tolerance_pair(tolerance: Any) -> Float:
    """Tolerances (2,) of positions and angles."""
    x = real(tolerance, "tolerance")
    if x.shape not in ((), (2,)) or not np.isfinite(x).all() or (x <= 0).any():
        raise InputError(f"tolerance must be a positive number or two (position [m], angle [rad]); got {tolerance!r}")
    return np.array(np.broadcast_to(x, 2))


def _kinds(axes: Any) -> set[str]:
    """Whether rows of rotation, of translation, or both, count."""
    if isinstance(axes, str):
        return {"orientation", "position"} if axes == "pose" else {axes}
    rows = as_tuples(axes)
    if not isinstance(rows, tuple):
        return set()
    return {"orientation" if k in ROWS["orientation"] else "position" for k in rows}


def check_poses(goals: Goals, flaws: Any) -> None:
    """An error that says which goal is no pose, and why; `flaws` (*batch) are from `algorithms.tasks.pose_errors`."""
    if np.all(flaws <= POSE_FLAW):
        return
    for at in map(tuple, np.argwhere(~(flaws <= POSE_FLAW))):
        index = f"[{', '.join(map(str, at))}]" if at else ""
        for X, name in zip(goals.poses[at], goals.frame, strict=True):
            pose(X, f"target{index} of frame {name!r}", error=InputError)


def frame_weights(weights: Any, names: tuple[str, ...], rows: tuple[tuple[int, ...], ...]) -> Float:
    """Weights of all rows: of each frame a number, or six for the entries of its twist."""
    each = _each(weights, names, "weights") if isinstance(weights, Mapping) else [weights] * len(names)
    found = []
    for one, name, chosen in zip(each, names, rows, strict=True):
        x = real(1.0 if one is None else one, "weights")
        if x.shape not in ((), (6,)) or not np.isfinite(x).all() or (x <= 0).any():
            wanted = "a positive number or six of them (rotation x, y, z, then translation x, y, z)"
            raise InputError(f"weights of frame {name!r} must be {wanted}, got {one!r}")
        found.append(np.broadcast_to(x, 6)[list(chosen)])
    return np.concatenate(found)


def inverse_roots(weight: Any, model: Model) -> Float:
    """Scale of the joints for weights (nv,) of their distances from the preference."""
    w = real(weight, "rest_weight")
    if w.shape not in ((), (model.nv,)) or not np.isfinite(w).all() or (w < 0).any() or not (w > 0).any():
        wanted = f"{model.nv} numbers, one for each velocity, none of them negative and not all zero"
        raise InputError(f"rest_weight must be {wanted}; got {weight!r}")
    return 1.0 / np.sqrt(np.maximum(np.broadcast_to(w, model.nv) / np.max(w), NEGLIGIBLE_WEIGHT))


BEYOND_LIMITS = 1.0
"""How far [rad, m] a joint may be beyond its limits in any case, where more than their distance is a mistake."""

HELD_BEYOND_LIMITS = 1e-9
"""How far [rad, m] a joint that is held may be beyond its limits, where it is put."""


def check_moves(robot: Robot) -> None:
    """An error if no joint can move."""
    if not robot.nv:
        raise InputError("the robot has no joint that moves; robot.pose tells where its frames are")


def check_near(model: Model, q: Array, name: str, lower: Array, upper: Array) -> None:
    """An error if a joint of q (..., nq) is farther beyond its limits than these are apart: numbers in degrees, say."""
    for body in model.independent_joints:
        sq, sv = model.slices[body.index]
        if body.joint.has_coordinates and q.size:
            low, high = lower[sv], upper[sv]
            beyond = np.maximum(low - q[..., sq], q[..., sq] - high).reshape(-1, len(low)).max(axis=0)
            far = beyond > np.maximum(high - low, BEYOND_LIMITS)
            if far.any():
                k = int(far.argmax())
                told = f"joint {body.joint_name!r} is {beyond[k]:.3g} beyond its limits, {low[k]:.3g} to {high[k]:.3g}"
                raise InputError(f"{name}: {told}; angles are in rad (np.deg2rad), or give limits=False")


def coordinate_limits(model: Model, kept: bool) -> tuple[Array, Array]:
    """Bounds (nv,) of each velocity's coordinate, infinite where there is none."""
    lower, upper = np.full(model.nv, -np.inf), np.full(model.nv, np.inf)
    for body in model.independent_joints:
        sq, sv = model.slices[body.index]
        if kept and body.joint.has_coordinates:
            lower[sv], upper[sv] = model.bounds.lower[sq], model.bounds.upper[sq]
            if (lower[sv] > upper[sv]).any():
                told = f"joint {body.joint_name!r} has no position within its limits and those of its mimic joints"
                raise InputError(told)
    return lower, upper


def check_held(model: Model, q: Array, held: Array, lower: Array, upper: Array) -> None:
    """An error if q (..., nq) has a joint that is held (nv,) beyond its limits."""
    for body in model.independent_joints:
        sq, sv = model.slices[body.index]
        if held[sv].all() and body.joint.has_coordinates:
            beyond = np.maximum(lower[sv] - q[..., sq], q[..., sq] - upper[sv]).max(initial=0.0)
            if beyond > HELD_BEYOND_LIMITS:
                told = f"hold: joint {body.joint_name!r} is held beyond its limits, by {beyond:.3g}"
                raise InputError(f"{told}; start within them, or give limits=False")


class ReachBall(NamedTuple):
    """A ball that a frame does not leave."""

    origin: Float
    reach: float
    """Its radius [m]; infinite if there is no bound."""


UNBOUNDED_BALL = ReachBall(np.zeros(3), np.inf)


def reach_ball(model: Model, frame: str, kept: bool = True) -> ReachBall:
    """The ball about the first joint that the lengths of links allow, and the limits of joints if they are kept.

    >>> import kinetrace as kt
    >>> reach_ball(kt.load("planar2r").model, "tip").reach
    2.0
    """
    F = model.frame(frame)
    path = sorted(model.ancestors(F.body))
    if F.body == WORLD or not path:
        return ReachBall(np.array(F.X_bf[:3, 3]), 0.0)
    ends = [*(model.bodies[k].X_pj for k in path[1:]), F.X_bf]
    bodies = [model.bodies[k] for k in path]
    links = [float(np.linalg.norm((b.X_ji @ end)[:3, 3])) for b, end in zip(bodies, ends, strict=True)]
    joints = [body.joint.travel(*joint_bounds(model, body, kept)) for body in bodies]
    return ReachBall(np.array(bodies[0].X_pj[:3, 3]), sum(links) + sum(joints))


def joint_bounds(model: Model, body: Body, kept: bool) -> tuple[Float, Float]:
    """Bounds (nq_i,) of a joint's variables, those of a mimic joint by the joint that it follows."""
    first = body.index if body.mimic is None else body.mimic.source
    lower, upper = (x[model.slices[first][0]] for x in (model.bounds.lower, model.bounds.upper))
    if not kept:
        lower, upper = np.full_like(lower, -np.inf), np.full_like(upper, np.inf)
    if body.mimic is None:
        return lower, upper
    return followed_interval(body.mimic, lower, upper)
