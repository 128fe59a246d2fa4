"""Numbers of worlds, checked: poses, twists, sizes, with batch axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from ..errors import InputError
from ..lie import so3
from ..model.contact import ContactLaw
from ..robot.types import Float
from ..support.conversion import as_reals

UNIT = 1e-6
"""By how much quaternions and axes that are given may differ from unit length."""
LAW = tuple(x.name for x in fields(ContactLaw))
"""The numbers of a law."""


def checked_array(x: Any, axes: tuple[int | None, ...], what: str) -> Float:
    """Finite numbers (..., *axes); None is any number of entries."""
    found = np.array(as_reals(what, x), dtype=float)
    shape = found.shape[found.ndim - len(axes) :]
    if found.ndim < len(axes) or any(n is not None and n != m for n, m in zip(axes, shape, strict=True)):
        wanted = ", ".join("n" if n is None else str(n) for n in axes)
        raise InputError(f"{what} must have shape (..., {wanted}), got {found.shape}")
    if not np.isfinite(found).all():
        raise InputError(f"{what} must be finite, got {_plain(found)}")
    return found


def check_one_lane(of: Any, what: str, names: Sequence[str] = LAW) -> None:
    """An error if a number of a law has batch axes, which friction of a world alone may have."""
    for name in names:
        if np.ndim(x := getattr(of, name)):
            other = "; friction per lane is World(friction=...)" if name == "friction" else ""
            raise InputError(f"{what}: {name} must be one number for all lanes, got an array {np.shape(x)}{other}")


def checked_mass(x: Any, what: str) -> float:
    """A mass above zero."""
    found = checked_array(x, (), what)
    if found.ndim or not found > 0.0:
        raise InputError(f"{what} must be a number above zero, or None of what is fixed; got {_plain(found)}")
    return float(found)


def checked_pose(x: Any, what: str) -> Float:
    """Poses (..., 7) of poses (..., 7) or (..., 4, 4), or positions (..., 3)."""
    found = np.array(as_reals(what, x), dtype=float)
    if found.shape[-2:] == (4, 4):
        R, p = found[..., :3, :3], found[..., :3, 3]
        square = R @ np.swapaxes(R, -1, -2)
        if not (np.abs(square - np.eye(3)) < UNIT).all() or not (np.linalg.det(R) > 0.0).all():
            raise InputError(f"{what} must be a pose: its axes are not those of a rotation")
        found = np.concatenate([p, quaternions(R)], axis=-1)
    elif found.shape[-1:] == (3,):
        found = np.concatenate([found, np.broadcast_to([1.0, 0.0, 0.0, 0.0], (*found.shape[:-1], 4))], axis=-1)
    if found.shape[-1:] != (7,):
        raise InputError(
            f"{what} must be a position (3,), a position and a quaternion (7,), or (4, 4); got {found.shape}"
        )
    if not np.isfinite(found).all():
        raise InputError(f"{what} must be finite, got {_plain(found)}")
    length = np.linalg.norm(found[..., 3:], axis=-1, keepdims=True)
    if not (np.abs(length - 1.0) < UNIT).all():
        raise InputError(f"{what}: its quaternion (w, x, y, z) must have length 1, got {_plain(length)}")
    return np.concatenate([found[..., :3], found[..., 3:] / length], axis=-1)


def quaternions(R: Float) -> Float:
    """Unit quaternions (..., 4) of rotations (..., 3, 3)."""
    flat = [so3.to_quaternion(x) for x in R.reshape(-1, 3, 3)]
    return np.array(flat, dtype=float).reshape(*R.shape[:-2], 4)


def first_lane(x: Float, axes: int) -> Float:
    """An array without its batch axes."""
    return np.asarray(x)[(0,) * (np.ndim(x) - axes)]


def matrix_of(pose: Float) -> Float:
    """Matrices (..., 4, 4) of poses (..., 7)."""
    w, x, y, z = np.moveaxis(pose[..., 3:], -1, 0)
    X = np.zeros((*pose.shape[:-1], 4, 4))
    X[..., 0, 0], X[..., 0, 1], X[..., 0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
    X[..., 1, 0], X[..., 1, 1], X[..., 1, 2] = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
    X[..., 2, 0], X[..., 2, 1], X[..., 2, 2] = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)
    X[..., :3, 3], X[..., 3, 3] = pose[..., :3], 1.0
    return X


def moved_pose(pose: Float, to: Float) -> Float:
    """Poses (..., 7) of frames whose origins are at a point (3,) of those with these poses.

    >>> moved_pose(np.array([0.0, 0, 1, 0, 0, 0, 1]), np.array([0.1, 0, 0]))
    array([-0.1,  0. ,  1. ,  0. ,  0. ,  0. ,  1. ])
    """
    if not np.any(to):
        return pose
    return np.concatenate([pose[..., :3] + matrix_of(pose)[..., :3, :3] @ to, pose[..., 3:]], axis=-1)


def moved_twist(twist: Float, to: Float) -> Float:
    """Twists (..., 6) of bodies in the axes of their frames at a point (3,) of these.

    >>> moved_twist(np.array([0, 0, 2.0, 0, 0, 0]), np.array([0.1, 0, 0]))
    array([0. , 0. , 2. , 0. , 0.2, 0. ])
    """
    return np.concatenate([twist[..., :3], twist[..., 3:] + np.cross(twist[..., :3], to)], axis=-1)


def pose_on(normal: Float, height: Float) -> Float:
    """Poses (..., 7) with z along normals (..., 3), through heights (...) on the z axis, by the least turn.

    >>> pose_on(np.array([0.0, 0.0, 1.0]), np.array(0.5))
    array([0. , 0. , 0.5, 1. , 0. , 0. , 0. ])
    """
    batch = np.broadcast_shapes(normal.shape[:-1], height.shape)
    n = np.broadcast_to(normal, (*batch, 3))
    axis = np.cross([0.0, 0.0, 1.0], n)
    scalar = 1.0 + n[..., 2:]
    q = np.where(scalar > 1e-12, np.concatenate([scalar, axis], axis=-1), [0.0, 1.0, 0.0, 0.0])
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    p = np.zeros((*batch, 3))
    p[..., 2] = height
    return np.concatenate([p, q], axis=-1)


def _plain(x: Any) -> Any:
    return np.asarray(x).tolist() if np.size(x) < 20 else f"an array {np.shape(x)}"
