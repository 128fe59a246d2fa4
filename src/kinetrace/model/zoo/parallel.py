"""Two parallel robots: the Gough–Stewart platform and Clavel's delta robot.

All zeros are home: the universal joints of the legs and rods are placed along them, so that at q = 0 every loop is
closed. Closures are the balls at the platform. Solids are cylinders of uniform density.
"""

from __future__ import annotations

import math

import numpy as np

from ...arrays import Array
from ...lie import inertia, se3, so3
from ..body import Geometry, Limits
from ..build.builder import Builder
from ..joints import Free, Prismatic, Revolute, Spherical, Universal

Color = tuple[float, float, float, float]

_X, _Z = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])
STEEL, BLUE, ORANGE = (0.45, 0.48, 0.52, 1.0), (0.2, 0.45, 0.8, 1.0), (0.95, 0.55, 0.15, 1.0)


def stewart() -> Builder:
    """The Gough–Stewart platform: six universal-prismatic-spherical legs.

    Base joints are on a circle of 0.5 m, in pairs 20° apart; platform joints on one of 0.3 m, in pairs 20° apart that
    stand between those of the base, 0.6 m above.
    """
    builder = Builder("stewart")
    feet, balls = _pairs(0.5, 0.0, 0.0), _pairs(0.3, 60.0, 0.0)
    height = _shift(0.6 * _Z)
    _solid(builder, "base", 30.0, 0.55, 0.04, _shift(-0.02 * _Z), STEEL)
    _solid(builder, "platform", 10.0, 0.32, 0.03, _shift(0.015 * _Z), ORANGE)
    builder.joint("platform_motion", Free(), parent="base", child="platform", placement=height)
    for i, (foot, ball) in enumerate(zip(feet, np.roll(balls, 1, axis=0), strict=True), start=1):
        _leg(builder, f"leg{i}", foot, ball, height)
    return builder


def _leg(builder: Builder, name: str, foot: Array, ball: Array, height: Array) -> None:
    """A cylinder on a universal joint, and a piston that slides in it; the piston's frame is the ball's."""
    along = ball + height[:3, 3] - foot
    length = float(np.linalg.norm(along))
    _solid(builder, f"{name}_cylinder", 2.5, 0.03, 0.4, _shift(0.2 * _Z), STEEL)
    _solid(builder, f"{name}_piston", 1.0, 0.015, 0.4, _shift(-0.2 * _Z), BLUE)
    builder.joint(
        f"{name}_universal",
        Universal([1, 0, 0], [0, 1, 0]),
        parent="base",
        child=f"{name}_cylinder",
        placement=se3.pose(_pointing(along), foot),
    )
    builder.joint(
        f"{name}_slider",
        Prismatic([0, 0, 1]),
        parent=f"{name}_cylinder",
        child=f"{name}_piston",
        placement=_shift(length * _Z),
        limits=Limits([-0.2], [0.15], [1.0], [2000.0]),
    )
    builder.close(f"{name}_piston", "platform", Spherical(), name=name, placement_b=_shift(ball))


def _pairs(radius: float, first: float, height: float) -> Array:
    """Six points (6, 3) on a circle, 10° to each side of three directions."""
    angles = np.radians([first + third + side for third in (0.0, 120.0, 240.0) for side in (-10.0, 10.0)])
    return np.stack([radius * np.cos(angles), radius * np.sin(angles), np.full(6, height)], axis=-1)


def delta() -> Builder:
    """Clavel's delta robot: three arms and six rods keep the platform level.

    Arms of 0.235 m turn about axes 0.2 m from the middle, horizontal at zero; rods of 0.625 m, in pairs 0.1 m apart,
    lead to balls 0.06 m from the middle of the platform, which hangs 0.5 m below.
    """
    builder, down = Builder("delta"), _shift(-0.5 * _Z)
    _solid(builder, "base", 20.0, 0.22, 0.03, _shift(0.015 * _Z), STEEL)
    _solid(builder, "platform", 0.4, 0.07, 0.015, np.eye(4), ORANGE)
    builder.joint("platform_motion", Free(), parent="base", child="platform", placement=down)
    for i in range(3):
        _arm(builder, i + 1, so3.axis_angle(_Z, 2 * math.pi * i / 3))
    return builder


def _arm(builder: Builder, i: int, R: Array) -> None:
    """An arm with its two rods, in the plane that is turned by R; in its frame, x points outward."""
    arm, elbow, ball = f"arm{i}_link", 0.235 * _X, 0.06 * _X
    along = ball - 0.5 * _Z - (0.2 * _X + elbow)  # (-0.375, 0, -0.5): 0.625 long
    lying = se3.pose(so3.axis_angle([0, 1, 0], math.pi / 2), 0.5 * elbow)
    _solid(builder, arm, 0.8, 0.02, 0.235, lying, BLUE)
    limits = Limits([-1.0], [1.2], [10.0], [100.0])
    builder.joint(
        f"arm{i}", Revolute([0, 1, 0]), parent="base", child=arm, placement=se3.pose(R, R @ (0.2 * _X)), limits=limits
    )
    for side, y in (("left", 0.05), ("right", -0.05)):
        rod, shift = f"rod{i}_{side}", np.array([0.0, y, 0.0])
        length = float(np.linalg.norm(along))
        _solid(builder, rod, 0.12, 0.006, length, _shift(0.5 * length * _Z), STEEL)
        builder.joint(
            f"{rod}_universal",
            Universal([0, 1, 0], [1, 0, 0]),
            parent=arm,
            child=rod,
            placement=se3.pose(_pointing(along, [0.0, 1.0, 0.0]), elbow + shift),
        )
        builder.close(
            rod,
            "platform",
            Spherical(),
            name=f"{rod}_ball",
            placement_a=_shift(length * _Z),
            placement_b=_shift(R @ (ball + shift)),
        )


def _pointing(along: Array, across: Array | None = None) -> Array:
    """A rotation (3, 3) whose z points along a vector, and whose y is across it: horizontal, or as given."""
    z = along / np.linalg.norm(along)
    y = np.cross(_Z, z) if across is None else np.asarray(across)
    y = y / np.linalg.norm(y)
    return np.stack([np.cross(y, z), y, z], axis=-1)


def _shift(p: Array) -> Array:
    return se3.pose(np.eye(3), p)


def _solid(builder: Builder, link: str, mass: float, radius: float, length: float, at: Array, color: Color) -> None:
    """A link that is a cylinder along z of the pose `at`."""
    across, along = mass * (3 * radius**2 + length**2) / 12, mass * radius**2 / 2
    J = inertia.from_mass_com(mass, np.zeros(3), np.diag([across, across, along]))
    builder.link(link, inertia.change_frame(at, J))
    builder.geometry(Geometry("cylinder", (radius, length), link, at, "visual", color=color))
    builder.geometry(Geometry("cylinder", (radius, length), link, at, "collision"))
