"""Tasks: rows of the twists of one frame or several, stacked frame by frame.

    J = (T_1 J_1; T_2 J_2; ...)       T the rows of a frame's twist that are asked for, expressed as asked

What `frame` and `axes` say is read here; `operational_space` has the dynamics.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...arrays import Array, concatenate, indices, stack
from ...errors import InputError, lookup
from ...lie import Pose
from ...model import WORLD, Frame, Model
from ..kinematics.forward_kinematics import EXPRESSED, acceleration, pose
from ..kinematics.jacobian import jacobian
from ..registry.choices import ExpressedIn, Frames, Rows, as_tuples

ROWS: dict[str, tuple[int, ...]] = {"pose": (0, 1, 2, 3, 4, 5), "orientation": (0, 1, 2), "position": (3, 4, 5)}


class Task(NamedTuple):
    """Rows of the twist of a frame."""

    frame: Frame
    rows: tuple[int, ...]


def tasks_of(model: Model, frame: Frames, axes: Rows) -> tuple[Task, ...]:
    """The tasks that the choices of an algorithm mean.

    >>> import kinetrace as kt
    >>> [task.rows for task in tasks_of(kt.load("planar2r").model, ("link1", "tip"), ("position", (2,)))]
    [(3, 4, 5), (2,)]
    """
    frame, axes = as_tuples(frame), as_tuples(axes)
    names = frame if isinstance(frame, tuple) else (frame,)
    frames = [model.frame(name) for name in names]
    if not frames:
        raise InputError("frame: no frame is named; robot.frame_names lists them")
    is_one = not isinstance(axes, tuple) or not any(isinstance(x, str | tuple) for x in axes)
    each: Any = (axes,) * len(frames) if is_one else axes
    if len(each) != len(frames):
        raise InputError(f"axes: {len(each)} choices for {len(frames)} frames; give one choice, or one for each frame")
    return tuple(Task(F, _rows(x)) for F, x in zip(frames, each, strict=True))


def _rows(axes: Any) -> tuple[int, ...]:
    """The rows that one choice means."""
    if isinstance(axes, str):
        return lookup("axes", axes, ROWS)
    whole = isinstance(axes, tuple) and all(type(k) is int for k in axes)
    if not whole or not axes or len(set(axes)) < len(axes) or not set(axes) <= set(ROWS["pose"]):
        wanted = "of rows from 0 to 5 (rotation x, y, z, then translation x, y, z), each once"
        raise InputError(f"axes must be one of {', '.join(ROWS)}, or a tuple {wanted}; got {axes!r}")
    return axes


def task_twists(model: Model, q: Array, tasks: tuple[Task, ...], expressed_in: ExpressedIn) -> list[Array]:
    """T (k, 6) of each task: the rows, from the twist of the frame in its own axes."""
    express = lookup("expressed_in", expressed_in, EXPRESSED)
    maps = [stack([express(pose(model, q, frame=x.frame.name), e) for e in np.eye(6)]) for x in tasks]
    return [T[indices(x.rows)] for T, x in zip(maps, tasks, strict=True)]


def task_jacobian(model: Model, q: Array, tasks: tuple[Task, ...], expressed_in: ExpressedIn) -> Array:
    """J (rows, nv)."""
    each = [jacobian(model, q, frame=x.frame.name, expressed_in=expressed_in) for x in tasks]
    return concatenate([J[indices(x.rows)] for J, x in zip(each, tasks, strict=True)], axis=0)


def task_acceleration(
    model: Model, q: Array, v: Array, a: Array, tasks: tuple[Task, ...], expressed_in: ExpressedIn
) -> Array:
    """J v̇ + J̇ v (rows,)."""
    each = [acceleration(model, q, v, a, frame=x.frame.name, expressed_in=expressed_in) for x in tasks]
    return concatenate([dV[indices(x.rows)] for dV, x in zip(each, tasks, strict=True)])


def task_wrenches(model: Model, q: Array, tasks: tuple[Task, ...], expressed_in: ExpressedIn) -> list[Array]:
    """For every body, the unit wrenches (rows, 6) of the tasks whose frames are on it, in its axes; else zero."""
    ends = np.cumsum([0, *(len(x.rows) for x in tasks)])
    wrenches = [np.zeros((ends[-1], 6))] * len(model.bodies)
    for k, (x, T) in enumerate(zip(tasks, task_twists(model, q, tasks, expressed_in), strict=True)):
        if x.frame.body != WORLD:
            before, after = np.zeros((ends[k], 6)), np.zeros((ends[-1] - ends[k + 1], 6))
            own = concatenate([before, Pose(x.frame.X_bf).Ad_inv_dual(T), after], axis=0)
            wrenches[x.frame.body] = wrenches[x.frame.body] + own
    return wrenches
