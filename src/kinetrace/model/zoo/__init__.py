"""Robots that come with the package: URDF files with their sources, and random ones (`zoo.random`)."""

from __future__ import annotations

from pathlib import Path

from ...errors import unknown

_ROBOTS = Path(__file__).parent / "robots"


def names() -> tuple[str, ...]:
    """The names of the bundled robots.

    >>> "panda" in names()
    True
    """
    return tuple(sorted(file.stem for file in _ROBOTS.glob("*.urdf")))


def path(name: str) -> Path:
    """The URDF file of a bundled robot.

    >>> path("panda").name
    'panda.urdf'
    """
    if name not in names():
        raise unknown("bundled robot", name, names())
    return _ROBOTS / f"{name}.urdf"
