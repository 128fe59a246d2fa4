"""Where the bundled robots are at home: what their URDF files cannot say.

Poses that one would photograph: nothing touches itself or the floor, and no joint is nearer to a stop than a tenth of
its range. The files stay as they are, bare. Robots with closed loops are at home where these were closed from the guess
of their file of closures.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import cos, pi

Home = Mapping[str, tuple[float, ...]]
"""Configurations by the names of joints."""


def home_of(name: str) -> Home:
    """Where the joints of a bundled robot are at home; none for one that has closed loops.

    The joint "floating_base" is there with base="free" alone: it stands on its feet, on the floor z = 0.

    >>> home_of("planar2r")["joint1"], home_of("four_bar")
    ((1.0471975511965976,), {})
    """
    return _HOMES.get(name, {})


def _numbered(prefix: str, *values: float) -> Home:
    """Values of the joints whose names are the prefix and 1, 2, …."""
    return {f"{prefix}{i}": (value,) for i, value in enumerate(values, start=1)}


def _standing(height: float) -> tuple[float, ...]:
    """A free base, upright and so high above the floor."""
    return (0.0, 0.0, height, 1.0, 0.0, 0.0, 0.0)


# Each foot is below its hip: both parts of a leg are 0.21 m long, and a foot is a ball of 0.02 m.
_BENT = 0.8
_QUADRUPED = {
    "floating_base": _standing(2 * 0.21 * cos(_BENT) + 0.02),
    **{f"{leg}_hip_pitch": (_BENT,) for leg in ("FL", "FR", "RL", "RR")},
    **{f"{leg}_knee": (-2 * _BENT,) for leg in ("FL", "FR", "RL", "RR")},
}

# The soles are flat below the hips, which are 0.1 m below the pelvis: thigh and shank are 0.38 m long, and an ankle is
# 0.08 m above its sole.
_SLIGHTLY = 0.25
_HUMANOID = {"floating_base": _standing(0.1 + 2 * 0.38 * cos(_SLIGHTLY) + 0.08)}
for _side, _s in (("left", 1.0), ("right", -1.0)):
    _HUMANOID |= {
        f"{_side}_hip_pitch": (-_SLIGHTLY,),
        f"{_side}_knee": (2 * _SLIGHTLY,),
        f"{_side}_ankle_pitch": (-_SLIGHTLY,),
        f"{_side}_shoulder_pitch": (0.2,),
        f"{_side}_shoulder_roll": (0.2 * _s,),
        f"{_side}_elbow": (-0.7,),
    }

_HOMES: Mapping[str, Home] = {
    "planar2r": _numbered("joint", pi / 3, -pi / 3),
    # The maker's ready pose, with which its own examples begin.
    "panda": _numbered("panda_joint", 0.0, -pi / 4, 0.0, -3 * pi / 4, 0.0, pi / 2, pi / 4),
    "puma560": _numbered("joint", 0.0, -pi / 4, pi, 0.0, pi / 4, 0.0),
    "stanford": _numbered("joint", 0.0, pi / 3, 0.6, 0.0, pi / 6, 0.0),
    "ur5e": {
        "shoulder_lift_joint": (-pi / 2,),
        "elbow_joint": (pi / 2,),
        "wrist_1_joint": (-pi / 2,),
        "wrist_2_joint": (-pi / 2,),
    },
    "quadruped": _QUADRUPED,
    "humanoid": _HUMANOID,
}
