"""Random robots for tests and benchmarks: physical, general, and the same for the same seed.

`generalised` makes the general robot of a kind: the same tree and joints, and nothing special about its numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import is_dataclass, replace
from typing import TypeAlias

import numpy as np

from ...arrays import Array
from ...lie import inertia, se3, so3
from ...support.conversion import as_count, as_rng
from ..body import Body, Frame, Limits
from ..build.builder import Builder
from ..files.load.serial_arms import from_dh
from ..joints import (
    Continuous,
    Cylindrical,
    Fixed,
    Free,
    Helical,
    Joint,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
)
from ..model import Model
from ..record import field_names

Rng: TypeAlias = "np.random.Generator"  # as a text: nothing else needs that module while the package is imported

EXTRAS_FROM = 8
"""Number of joints from which `random_tree` adds links on fixed joints and a mimic joint."""


def random_inertia(rng: Rng) -> Array:
    """Inertia (6, 6) of a body of 0.5–5 kg, 0.1–0.5 m across each way: physical, with margin.

    A box of random sides, turned and shifted: its second moments about the centre of mass are positive, so
    the triangle inequality is strict.
    """
    mass, sides, com = rng.uniform(0.5, 5.0), rng.uniform(0.1, 0.5, 3), rng.uniform(-0.25, 0.25, 3)
    R = random_rotation(rng)
    second = R @ np.diag(sides**2 / 12) @ R.T + np.outer(com, com)
    column = com[:, None]
    return inertia.from_pseudo_inertia(mass * np.block([[second, column], [column.T, np.ones((1, 1))]]))


def random_rotation(rng: Rng) -> Array:
    """A rotation matrix (3, 3), uniformly distributed."""
    q = rng.normal(size=4)
    return so3.from_quaternion(q / np.linalg.norm(q))


def random_pose(rng: Rng) -> Array:
    """A pose (4, 4): one time in three turned by right angles only, else in general position."""
    R = random_rotation(rng)
    if rng.random() < 1 / 3:
        quarter_turns = rng.integers(0, 4, 3) * (math.pi / 2)
        R = np.round(so3.from_rpy(quarter_turns))
    return se3.pose(R, rng.uniform(-0.5, 0.5, 3))


def random_axis(rng: Rng) -> Array:
    """A unit vector (3,): half the time ± a coordinate axis."""
    if rng.random() < 0.5:
        return np.eye(3)[rng.integers(3)] * rng.choice([-1.0, 1.0])
    axis = rng.normal(size=3)
    return axis / np.linalg.norm(axis)


def _universal(rng: Rng) -> Joint:
    """Axes at 45 degrees or more: never near parallel."""
    first, second = random_axis(rng), random_axis(rng)
    while abs(first @ second) > math.sqrt(0.5):
        second = random_axis(rng)
    return Universal(first, second)


RANDOM_JOINTS: tuple[Callable[[Rng], Joint], ...] = (
    lambda rng: Revolute(random_axis(rng)),
    lambda rng: Continuous(random_axis(rng)),
    lambda rng: Prismatic(random_axis(rng)),
    lambda rng: Helical(random_axis(rng), rng.uniform(-0.2, 0.2)),
    lambda rng: Cylindrical(random_axis(rng)),
    _universal,
    lambda rng: Planar(random_axis(rng)),
    lambda rng: Spherical(),
    lambda rng: Free(),
)
"""A maker of every kind of moving joint."""


def _limits(joint: Joint, rng: Rng) -> Limits | None:
    if not isinstance(joint, Revolute | Prismatic):
        return None
    reach = 2.5 if isinstance(joint, Revolute) else 0.5
    lower, upper = rng.uniform(-reach, -0.2 * reach, 1), rng.uniform(0.2 * reach, reach, 1)
    return Limits(lower, upper, rng.uniform(1.0, 5.0, 1), rng.uniform(10.0, 100.0, 1))


def _add(builder: Builder, rng: Rng, number: int, joint: Joint, parent: str, mimic: str | None = None) -> None:
    builder.link(f"link{number}", random_inertia(rng))
    builder.joint(
        f"joint{number}",
        joint,
        parent=parent,
        child=f"link{number}",
        placement=random_pose(rng),
        child_placement=random_pose(rng) if rng.random() < 1 / 3 else None,
        limits=_limits(joint, rng),
        mimic=None if mimic is None else (mimic, float(rng.uniform(0.5, 2.0)), float(rng.uniform(-0.5, 0.5))),
    )


def random_chain(n: int, seed: int = 0, joints: Sequence[Joint] | None = None) -> Builder:
    """A serial chain of n joints at general placements: revolute about random axes, or these `joints`.

    Links are base, link1 … linkn, joints joint1 … jointn; the frame `tip` is on the last link.

    >>> random_chain(3).build()
    Model('random_chain', 3 bodies, nq=3, nv=3)
    """
    n, rng = as_count("n", n), as_rng(seed)
    builder = Builder("random_chain")
    builder.link("base", random_inertia(rng))
    for i in range(1, n + 1):
        joint = Revolute(random_axis(rng)) if joints is None else joints[(i - 1) % len(joints)]
        _add(builder, rng, i, joint, "base" if i == 1 else f"link{i - 1}")
    builder.frame("tip", f"link{n}" if n else "base", random_pose(rng))
    return builder


def random_tree(n: int, seed: int = 0) -> Builder:
    """A branching tree of n joints that runs through every kind of joint, each round in a new order.

    From n = 8 on it also has, beyond the n joints, one revolute joint that mimics another and two links on
    fixed joints, all of which may carry further links. The frame `tip` is on the last link.

    >>> random_tree(9).build()
    Model('random_tree', 10 bodies, nq=22, nv=20)
    """
    n, rng = as_count("n", n), as_rng(seed)
    joints: list[Joint] = []
    while len(joints) < n:
        joints += [RANDOM_JOINTS[k](rng) for k in rng.permutation(len(RANDOM_JOINTS))]
    joints = joints[:n]
    source: Joint | None = None
    follower: Joint | None = None
    if n >= EXTRAS_FROM:
        source = [j for j in joints if j.nq == 1][rng.integers(sum(j.nq == 1 for j in joints))]
        follower = Revolute(random_axis(rng))
        for extra in (follower, Fixed(), Fixed()):
            joints.insert(int(rng.integers(1, len(joints))), extra)
    places = {id(joint): k for k, joint in enumerate(joints)}  # equal joints are different ones
    builder = Builder("random_tree")
    builder.link("base", random_inertia(rng))
    for i, joint in enumerate(joints, start=1):
        # Half the time on the last link, so that trees are deep as well as wide.
        parent = i - 1 if rng.random() < 0.5 else int(rng.integers(0, i))
        mimic = f"joint{places[id(source)] + 1}" if joint is follower and source is not None else None
        _add(builder, rng, i, joint, f"link{parent}" if parent else "base", mimic)
    builder.frame("tip", f"link{len(joints)}" if joints else "base", random_pose(rng))
    return builder


def random_mdh_chain(n: int, seed: int = 0, general: bool = False) -> Builder:
    """A revolute chain in modified Denavit–Hartenberg frames with full inertias, for operation counts.

    The two cases that Kozłowski (1995) counts: `general` has arbitrary twists and offsets along x and z;
    otherwise twists are 0 or ±90 degrees and offsets are along x only.

    >>> random_mdh_chain(6).build()
    Model('random_mdh_chain', 6 bodies, nq=6, nv=6)
    """
    rng = np.random.default_rng(seed)
    a, d = rng.uniform(0.1, 0.5, n), rng.uniform(0.1, 0.5, n) * general
    alpha = rng.uniform(0.2, 1.3, n) if general else rng.choice([0.0, math.pi / 2, -math.pi / 2], n)
    inertias = [random_inertia(rng) for _ in range(n)]
    table = np.stack([a, alpha, d, np.zeros(n)], axis=-1)
    return from_dh(table, inertias=inertias, name="random_mdh_chain")


_X, _Z = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])


def generalised(model: Model, seed: int = 0) -> Model:
    """The same tree of the same joints with random numbers, of which none is zero or one by chance or by design.

    For operation counts: what an algorithm costs when no parallel axes, no offsets that vanish and no symmetric bodies
    help. Body frames are as free as they always are, and so chosen well: each joint has its axis along z of its body,
    and the first joint on a body is placed by modified Denavit–Hartenberg parameters, twist, length and offset (and an
    angle where the joint does not turn), all of them arbitrary; further ones, and joints with several degrees of
    freedom, have any pose. Inertias are full. Free joints in the world, gravity and the ratios of mimic joints stay as
    they are, and frames that coincide with a body's.

    >>> import kinetrace as kt
    >>> kt.Robot(generalised(kt.load("planar2r").model)).count("mass_matrix").mul > 0
    True
    """
    rng = np.random.default_rng(seed)
    firsts: dict[int, int] = {}
    for body in model.bodies:
        firsts.setdefault(body.parent, body.index)
    bodies = tuple(_general_body(rng, body, firsts[body.parent] == body.index) for body in model.bodies)
    frames = {name: _general_frame(rng, frame) for name, frame in model.frames.items()}
    return replace(model, bodies=bodies, frames=frames, geometry=(), contacts=None, contact_rules=None)


def _general_body(rng: Rng, body: Body, first: bool) -> Body:
    joint, J, X_pj = _about_z(body.joint), random_inertia(rng), body.X_pj
    if joint.nv == 1 and first:
        X_pj = _modified_dh(rng, turns=bool(np.any(joint.subspace(joint.neutral())[:3])))
    elif joint.nv < 6:
        X_pj = _any_pose(rng)
    return replace(body, joint=joint, X_pj=X_pj, X_ji=np.eye(4), J=J)


def _general_frame(rng: Rng, frame: Frame) -> Frame:
    return frame if np.array_equal(frame.X_bf, np.eye(4)) else replace(frame, X_bf=_any_pose(rng))


def _about_z(joint: Joint) -> Joint:
    """The joint with its axis or normal along z; a joint with two axes as it is."""
    if isinstance(joint, Screw):
        w, v = joint.S[:3], joint.S[3:]
        turn = np.linalg.norm(w)
        return Screw([0.0, 0.0, turn, 0.0, 0.0, w @ v / turn if turn else np.linalg.norm(v)])
    axes = [name for name in field_names(type(joint)) if name in ("axis", "normal")]
    return replace(joint, **dict.fromkeys(axes, _Z)) if is_dataclass(joint) else joint


def _modified_dh(rng: Rng, turns: bool) -> Array:
    twist, angle, (length, offset) = rng.uniform(0.2, 1.3), rng.uniform(0.2, 1.3), rng.uniform(0.1, 0.5, 2)
    R = so3.axis_angle(_X, twist)
    return se3.pose(R if turns else R @ so3.axis_angle(_Z, angle), length * _X + R @ (offset * _Z))


def _any_pose(rng: Rng) -> Array:
    return se3.pose(random_rotation(rng), rng.uniform(0.1, 0.5, 3))
