"""Shapes and names: meshes that are not there, and left and right sides that differ."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

import numpy as np

from ..errors import listed
from ..model.model import Model
from .finding import Finding, mass_of

OTHER_SIDE = {"left": "right", "Left": "Right", "LEFT": "RIGHT", "l": "r", "L": "R", "fl": "fr", "rl": "rr"}
OTHER_SIDE |= {"FL": "FR", "RL": "RR", "hl": "hr", "HL": "HR", "lf": "rf", "LF": "RF", "lh": "rh", "LH": "RH"}
"""Words in names of links on the left → those on the right."""
DIFFERENT = 0.01
"""Relative difference of masses and moments of two sides."""


def meshes(model: Model) -> Iterator[Finding]:
    """Files of shapes that cannot be found."""
    files = list(dict.fromkeys(s.mesh for s in model.geometry if isinstance(s.mesh, str)))
    missing = [x for x in files if "://" in x or not os.path.isfile(x)]
    if missing:
        yield Finding(
            "note",
            "missing meshes",
            tuple(missing),
            f"{len(missing)} of {len(files)} mesh files cannot be found, such as {listed(missing, 1)}",
            "pictures of the robot lack these links; motion does not depend on them",
            "keep the meshes where the file says; for package://, beside the package's folder",
        )


def sides(model: Model) -> Iterator[Finding]:
    """Links of the left that differ from those of the right."""
    bodies = {body.name: body for body in model.bodies}
    odd = []
    for name, body in bodies.items():
        other = bodies.get(_other_side(name))
        if other is None:
            continue
        a, b = mass_of(body), mass_of(other)
        if (a is None) != (b is None):
            odd.append((name, other.name))
        elif a is not None and b is not None:
            pairs = [(a.mass, b.mass), (a.moments, b.moments)]
            same = [np.allclose(x, y, rtol=DIFFERENT, atol=DIFFERENT * float(np.abs(x).max())) for x, y in pairs]
            if not all(same):
                odd.append((name, other.name))
    if odd:
        left, right = odd[0]
        yield Finding(
            "note",
            "sides differ",
            tuple(f"links {left!r}, {right!r}" for left, right in odd),
            f"masses or moments of {left!r} and {right!r} differ by more than 1 %",
            "a robot that is meant to be symmetric leans to one side",
            "compare the two in the file",
        )


def _other_side(name: str) -> str:
    """The name of the link on the right of one on the left; empty if it is not.

    >>> _other_side("l_hip"), _other_side("FL_calf"), _other_side("leftFoot"), _other_side("hand")
    ('r_hip', 'FR_calf', 'rightFoot', '')
    """
    words = re.split(r"([_\-./ ]|(?<=[a-z])(?=[A-Z]))", name)
    swapped = [OTHER_SIDE.get(word, word) for word in words]
    return "".join(swapped) if swapped != words else ""
