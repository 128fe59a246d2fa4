"""The objects of a world along a motion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...errors import InputError
from ...model import WORLD
from ...robot.types import Float
from ...worlds.bodies import object_slices
from ...worlds.objects import OtherRobot, Shape
from ...worlds.values import matrix_of, moved_pose, moved_twist, quaternions

if TYPE_CHECKING:
    from ..trajectory import Trajectory


class ObjectMotion(NamedTuple):
    """One object along n rows of a motion.

    Parameters
    ----------
    pose : ndarray, shape (..., n, 7)
        Positions [m] and unit quaternions (w, x, y, z) in the world: of its frame, or of a robot's root link.
    twist : ndarray, shape (..., n, 6)
        Twists in its own frame [rad/s, m/s].
    q : ndarray, shape (..., n, nq)
        Its entries of the scene's q: those of a robot, or the pose of a free body at its centre of mass, which
        is that of its frame but for hulls; none of what is fixed.
    v : ndarray, shape (..., n, nv)
        Its entries of the scene's v.
    """

    pose: Float
    twist: Float
    q: Float
    v: Float

    @property
    def matrix(self) -> Float:
        """(..., n, 4, 4) the poses as matrices."""
        return matrix_of(self.pose)


def objects_of(motion: Trajectory) -> Mapping[str, ObjectMotion]:
    """See `Trajectory.objects`."""
    if motion.scene is None or motion.world is None:
        raise InputError("the motion has no objects: simulate(..., world=kt.World(objects=...)) has")
    scene, found = motion.scene, dict[str, ObjectMotion]()
    slices = object_slices(motion.world.placed, motion.q.shape[-1], motion.v.shape[-1])
    rows, labels = scene.q.shape[:-1], _labels(scene)
    for name, x in motion.world.placed.items():
        at_q, at_v = slices.get(name, (slice(0, 0), slice(0, 0)))
        q, v = scene.q[..., at_q], scene.v[..., at_v]
        if isinstance(x, OtherRobot):
            found[name] = ObjectMotion(*_of_root(motion, name, x), q, v)
        elif x.is_fixed or not isinstance(x, Shape):
            given = scene.contact_inputs.get(f"{labels.get(name, name)}.pose", x.pose)
            pose = np.broadcast_to(np.asarray(given)[..., None, :], (*rows, 7))
            found[name] = ObjectMotion(pose, np.zeros((*rows, 6)), q, v)
        else:
            to_frame = -x.center_of_mass
            found[name] = ObjectMotion(moved_pose(q, to_frame), moved_twist(v, to_frame), q, v)
    return found


def _labels(scene: Trajectory) -> Mapping[str, str]:
    """Names of the shapes of fixed objects, which are not those of the objects where a robot's shape has these."""
    contacts = None if scene.robot is None else scene.robot.model.contacts
    shapes = () if contacts is None else contacts.shapes
    return {x.owner: x.name for x in shapes if x.body == WORLD and not x.link}


def _of_root(motion: Trajectory, name: str, x: OtherRobot) -> tuple[Float, Float]:
    """The pose and twist of the root link of another robot."""
    scene, root = motion.scene, x.model.root
    assert scene is not None and root is not None
    robot, frame = scene._robot("objects"), f"{name}/{root.name}"
    X = np.asarray(robot.pose(scene.q, frame))
    twist = np.asarray(robot.velocity(scene.q, scene.v, frame))
    return np.concatenate([X[..., :3, 3], quaternions(X[..., :3, :3])], axis=-1), twist
