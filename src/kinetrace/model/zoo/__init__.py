"""Robots that come with the package: URDF files with their sources, some with a file of closures beside them,
rotors and damping for some, and their home configurations (`zoo.effects`); mechanisms with joints that URDF
does not have (`zoo.parallel`); and random ones (`zoo.random`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from ...errors import InputError, unknown_name_error
from ..build.builder import Builder
from .effects import effects_of, home_of
from .parallel import delta, stewart

__all__ = ["BUILT", "Mechanism", "closures_path", "description", "effects_of", "home_of", "names", "path"]

_ROBOTS = Path(__file__).parent / "robots"


class Mechanism(NamedTuple):
    """A mechanism that is described in Python."""

    build: Callable[[], Builder]
    independent: tuple[str, ...]
    """The joints whose velocities are independent."""
    motors: tuple[str, ...]
    description: str


BUILT = {
    "delta": Mechanism(
        delta,
        ("arm1", "arm2", "arm3"),
        ("arm1", "arm2", "arm3"),
        "a delta robot: three arms, and six rods that keep the platform level",
    ),
    "stewart": Mechanism(
        stewart,
        ("platform_motion",),
        tuple(f"leg{i}_slider" for i in range(1, 7)),
        "a Gough-Stewart platform: six legs with universal, sliding and ball joints",
    ),
}


def names(*, closed: bool | None = None) -> tuple[str, ...]:
    """Names of the bundled robots.

    Parameters
    ----------
    closed : bool, optional
        Whether to list those with closed loops, or those without; all unless given.

    Returns
    -------
    tuple of str
        Names for `kinetrace.load`.

    Examples
    --------
    >>> import kinetrace as kt
    >>> kt.robot_names(closed=False)
    ('humanoid', 'panda', 'planar2r', 'puma560', 'quadruped', 'stanford', 'ur5e')
    """
    found = sorted([*(file.stem for file in _ROBOTS.glob("*.urdf")), *BUILT])
    return tuple(name for name in found if closed is None or closed == _is_closed(name))


def path(name: str) -> Path:
    """The URDF file of a bundled robot.

    >>> path("panda").name
    'panda.urdf'
    """
    if name not in names():
        raise unknown_name_error("bundled robot", name, names())
    if name in BUILT:
        raise InputError(f"{name!r} has no URDF file: it has joints that URDF does not know")
    return _ROBOTS / f"{name}.urdf"


def closures_path(name: str) -> Path:
    """The file of closures of a bundled robot; only some have one.

    >>> closures_path("four_bar").name
    'four_bar.closures.json'
    """
    return _ROBOTS / f"{name}.closures.json"


def description(name: str) -> str:
    """A short description of a bundled robot.

    >>> description("planar2r")
    'the textbook two-link arm, moving in the vertical x-z plane'
    """
    if name in BUILT:
        return BUILT[name].description
    comment = re.search(rf"<!--\s*{re.escape(name)}:\s*(.+)", path(name).read_text(encoding="utf-8"))
    return comment[1].strip().removesuffix(", after").removesuffix(".") if comment else ""


def _is_closed(name: str) -> bool:
    return name in BUILT or closures_path(name).exists()
