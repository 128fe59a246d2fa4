"""A robot as data of a page: shapes, inertias, names and units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import InputError, shorten
from ..lie import inertia, se3
from ..model.body import Body, Frame
from ..model.configurations import q_parts, q_units, v_parts, v_units
from ..model.model import Model
from .files import Files
from .shapes import Shape, inertia_ellipsoid, map_shapes, own_shapes, semiaxes, skeleton_shapes
from .skeleton import tip
from .worlds.shown import free_objects, ground_pose


def robot_scene(model: Model, files: Files) -> dict[str, Any]:
    """Data of a robot for the page, besides its programs."""
    names = short_names([body.joint_name for body in model.bodies if body.joint.nv])
    names |= {body.joint_name: body.joint_name for body in model.bodies if not body.joint.nv}
    return {
        "name": model.name,
        "mass": float(sum(inertia.mass(body.J) for body in model.bodies)),
        "joints": [_joint(model, body, names[body.joint_name]) for body in model.bodies],
        "velocities": _velocities(model, names),
        "velocityUnits": [unit for body in model.independent_joints for unit in v_units(body.joint)],
        "efforts": [float(x) if np.isfinite(x) and x > 0 else None for x in model.limits.effort],
        "stops": _stops(model),
        "shapes": (shapes := _shapes(model, files)),
        "spare": _spare(model, shapes),
        "inertia": [_ellipsoid(body) for body in model.bodies if float(inertia.mass(body.J)) > 0],
        "tip": frame_number(model, tip(model)),
        "objects": sorted(free_objects(model)),
        **_ground(model),
    }


def _ground(model: Model) -> dict[str, Any]:
    """Where the floor of the page is, of a robot that stands on a plane."""
    pose = ground_pose(model)
    return {} if pose is None else {"ground": _numbers(pose)}


def wrench_scene(model: Model, wrench: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """Wrenches that the page draws, each in its frame, moment first."""
    if wrench is None:
        return []
    if not isinstance(wrench, Mapping):
        raise InputError(f"wrench must map names of frames to wrenches (6,), got {shorten(repr(wrench), 80)}")
    wrenches = []
    for name, value in wrench.items():
        frame, numbers = model.frame(name), np.asarray(value, dtype=float)
        if numbers.shape != (6,) or not np.isfinite(numbers).all():
            raise InputError(f"wrench of {name!r} must be 6 finite numbers, moment first; got {numbers.shape}")
        wrenches.append({"name": name, "frame": _frame(frame), "value": numbers.tolist()})
    return wrenches


def frame_number(model: Model, name: str) -> int:
    """The place of a frame among all; zero if there are none."""
    return list(model.frames).index(name) if model.frames else 0


def _numbers(X: Any) -> list[float]:
    return [float(f"{x:.9g}") for x in np.asarray(X, dtype=float).ravel()]


def _frame(frame: Frame) -> dict[str, Any]:
    return {"body": frame.body, "pose": _numbers(frame.X_bf)}


def _joint(model: Model, body: Body, short: str) -> dict[str, Any]:
    joint, quaternion = body.joint, body.joint.quaternion
    labels = [f"{short} {part}".rstrip() for part in q_parts(joint)]
    mimic = follows = None
    if body.mimic is not None:
        # The page says what a joint follows by a matrix, but not where it is: its limits are left out in `programs`.
        ratio, offset = body.mimic.same_for_each or (0.0, 0.0)
        follows = {"ratio": ratio, "offset": offset}
        mimic = body.mimic.text(model.bodies[body.mimic.source].joint_name)
    ball = None if quaternion is None else range(joint.nq)[quaternion].start
    data = {"name": short, "labels": labels, "units": q_units(joint), "quaternion": ball, "mimic": mimic}
    return data if follows is None else {**data, "follows": follows}


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Names without what all of them begin and end with, as long as they are distinct.

    >>> short_names(["ur_shoulder_joint", "ur_elbow_joint", "ur_wrist_1_joint"])
    {'ur_shoulder_joint': 'shoulder', 'ur_elbow_joint': 'elbow', 'ur_wrist_1_joint': 'wrist_1'}
    """
    first, last = common_prefix(names), common_prefix([name[::-1] for name in names])[::-1]
    short = {name: name.removeprefix(first).removesuffix(last) or name for name in names}
    return short if len(set(short.values())) == len(short) else {name: name for name in names}


def common_prefix(names: Sequence[str]) -> str:
    """Common beginning of names, up to a mark between words; empty if there are few of them.

    >>> common_prefix(["panda_joint1", "panda_joint2", "panda_finger"])
    'panda_'
    """
    least, most = (min(names), max(names)) if len(names) > 2 else ("", "")
    same = next((k for k, (a, b) in enumerate(zip(least, most, strict=False)) if a != b), 0)
    return least[: 1 + max(least.rfind(mark, 0, same) for mark in "_/-:")]


def _velocities(model: Model, short: Mapping[str, str]) -> list[str]:
    """A name per number of v."""
    bodies = model.independent_joints
    return [f"{short[body.joint_name]} {part}".rstrip() for body in bodies for part in v_parts(body.joint)]


def _stops(model: Model) -> list[dict[str, Any]]:
    """Limits of the joints whose velocities are the rates of q: places in q and v, and bounds."""
    stops = []
    for body in model.independent_joints:
        if body.joint.nq != body.joint.nv:
            continue
        positions, speed = model.slices[body.index]
        for i, k in zip(range(positions.start, positions.stop), range(speed.start, speed.stop), strict=True):
            lower, upper = (
                float(x[i]) if np.isfinite(x[i]) else None for x in (model.bounds.lower, model.bounds.upper)
            )
            if lower is not None or upper is not None:
                stops.append({"at": i, "speed": k, "lower": lower, "upper": upper})
    return stops


def _shapes(model: Model, files: Files) -> list[dict[str, Any]]:
    """All shapes but the plane that the robot stands on, which is the floor of the page."""
    ground = ground_pose(model)

    def make(shape: Shape, role: str) -> dict[str, Any] | None:
        is_plane = shape.placed == "ground" and shape.kind == "plane"
        is_floor = is_plane and ground is not None and np.array_equal(shape.pose, ground)
        return None if is_floor else _shape(shape, role, files)

    shapes = map_shapes(model, lambda x: make(x, "visual"))
    return shapes + [y for x in own_shapes(model, "collision") if (y := make(x, "collision")) is not None]


def _spare(model: Model, shapes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The skeleton of bodies with meshes, which a page shows if it cannot read one of them."""
    bodies = {x["body"] for x in shapes if x["role"] == "visual" and "mesh" in x}
    return [_plain(x, "visual") for x in skeleton_shapes(model) if x.body in bodies] if bodies else []


def _plain(shape: Shape, role: str) -> dict[str, Any]:
    """A shape, but for its mesh."""
    data: dict[str, Any] = {
        "body": shape.body,
        "kind": shape.kind,
        "role": role,
        "size": _numbers(shape.size),
        "pose": _numbers(shape.pose),
    }
    if shape.placed:
        data["placed"] = shape.placed
    return data if shape.color is None else {**data, "colour": _numbers(shape.color)}


def _shape(shape: Shape, role: str, files: Files) -> dict[str, Any] | None:
    if shape.kind != "mesh":
        return _plain(shape, role)
    key = None if shape.mesh is None else files.mesh(shape.mesh)
    return None if key is None else {**_plain(shape, role), "mesh": key}


def _ellipsoid(body: Body) -> dict[str, Any]:
    """The ellipsoid of even density that has the mass and the inertia of a body."""
    center, A = inertia_ellipsoid(body.J)
    radii, axes = semiaxes(A)
    return {"body": body.index, "pose": _numbers(se3.pose(axes, center)), "radii": _numbers(radii)}
