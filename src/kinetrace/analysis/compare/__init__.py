"""How two robots differ, part by part, and whether they move in the same way: `Robot.difference_to`, `kinetrace diff`.

Parts are matched by their names, and what is left by where it is in the tree (`changes`). Placements, axes, centres
and frames are compared as they are in the frames of links; the same robot in other link frames moves in the same way,
and then these differences are named as such (`motion`).
"""

from __future__ import annotations

from ...model.model import Model
from .actuators import actuation_changes
from .changes import changes, match_bodies
from .motion import compare_motions
from .result import MOTION_TOLERANCE, Change, Difference, MotionComparison

__all__ = ["Change", "Difference", "differences"]


def differences(a: Model, b: Model, tolerance: float = 1e-9) -> Difference:
    """All that differs from `a` to `b` by more than a tolerance, relative, and in m and rad for lengths and angles.

    >>> import kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> print(differences(robot.model, robot.with_payload(0.5, "tip").model)[0])
    link 'link2': mass 1 → 1.5 kg (+0.5 kg, +50 %)
    """
    pairs = match_bodies(a, b)
    motion = compare_motions(a, b, pairs)
    found = [*changes(a, b, pairs, tolerance), *actuation_changes(a, b, pairs, tolerance)]
    if motion.is_same and motion.same_masses:
        found = _without_link_frames(found, motion)
    if not found and motion.is_same is False and max(motion.error or 0.0, MOTION_TOLERANCE) >= tolerance:
        found = [Change("robot", "", "what is not listed here, or by less than the tolerance: the motion tells")]
    return Difference(a.name, b.name, found, motion, tolerance)


def _without_link_frames(found: list[Change], motion: MotionComparison) -> list[Change]:
    """The changes of robots that move in the same way: those of link frames are told as one."""
    kept = [x for x in found if not x.of_frames or (x.subject == "frame" and x.name not in motion.frames)]
    parts = [x for x in found if x.of_frames and x.subject in ("joint", "link")]
    if parts:
        names = dict.fromkeys(f"{x.subject} {x.name!r}" for x in parts)
        told = ", ".join(list(names)[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
        what = f"other link frames, in which numbers differ that do not change the motion: {told}"
        kept.append(Change("robot", "", what, None, None, of_frames=True))
    return kept
