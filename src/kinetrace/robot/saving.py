"""Saving: the robot as a file, in JSON of our own or in the formats of others."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable
from pathlib import Path

from ..errors import InputError, unknown_name_error, value_text
from ..model.body import Mesh
from ..model.model import Model
from ..support.files import write_atomically
from ..support.keywords import known_keywords
from .base import RobotBase

Written = tuple[str, list[str]]
"""The text of a file, and what it does not say."""


def _json(model: Model, lossy: bool) -> Written:
    from ..model.files.save.json import json_text

    return json_text(model), []


def _urdf(model: Model, lossy: bool) -> Written:
    from ..model.files.save.urdf import urdf_text

    return urdf_text(model, lossy=lossy)


def _near(mesh: str | Mesh | None, folder: str) -> str | Mesh | None:
    """The path of a mesh as seen from the folder of the robot's file; itself if both have nothing in common."""
    if not isinstance(mesh, str) or not os.path.isabs(mesh):
        return mesh
    try:
        shared = os.path.commonpath([mesh, folder])
    except ValueError:  # on different drives
        return mesh
    return mesh if shared == os.path.dirname(shared) else Path(os.path.relpath(mesh, folder)).as_posix()


def _mjcf(model: Model, lossy: bool) -> Written:
    from ..model.files.save.mjcf import mjcf

    return mjcf(model, lossy=lossy)


FORMATS: dict[str, Callable[[Model, bool], Written]] = {".json": _json, ".urdf": _urdf, ".xml": _mjcf}
"""Suffix → what writes such a file."""


class Saving(RobotBase):
    """The robot as a file."""

    @known_keywords
    def save(self, path: str | os.PathLike[str], *, lossy: bool = False) -> tuple[str, ...]:
        """Write the robot to a file, which `kinetrace.load` reads.

        A .json file holds the whole model, to the last bit: closures, joint effects, limits, motors, shapes. Other
        formats hold what they can say (docs/loading.md has a table). The file appears whole or not at all, and
        replaces one that exists; a link stays, and its target is replaced.

        Parameters
        ----------
        path : str or path
            Path of the file, which ends in .json, .urdf, or .xml for MJCF.
        lossy : bool, default False
            Whether to write a robot whose motion the format cannot say, such as one with closed loops or armature in
            URDF, without that.

        Returns
        -------
        tuple of str
            What the file does not say; empty if it says everything. What changes the motion comes first, and is there
            with `lossy` only.

        Raises
        ------
        InputError
            If the path ends in something else, or cannot be written.
        ModelError
            If the format cannot say how the robot moves, and `lossy` is False: the message lists all of it.

        Examples
        --------
        >>> import tempfile, kinetrace as kt
        >>> folder = tempfile.TemporaryDirectory()
        >>> robot = kt.load("planar2r").with_joint_effects(armature=0.1)
        >>> robot.save(f"{folder.name}/arm.json"), robot.save(f"{folder.name}/arm.urdf", lossy=True)
        ((), ("armature: 'joint1', 'joint2'", 'where joints start'))
        >>> kt.load(f"{folder.name}/arm.json").model == robot.model
        True
        >>> folder.cleanup()
        """
        text, unsaid = file_text(self.model, path, lossy=lossy)
        try:
            place = Path(path).expanduser().resolve()  # through links, which stay
            if place.exists() and not place.is_file():
                raise ValueError("it is not a regular file")
            write_atomically({place: text.encode("utf-8", "surrogatepass")})
        except (OSError, ValueError) as error:
            raise InputError(f"cannot write {str(path)!r}: {getattr(error, 'strerror', None) or error}") from None
        return tuple(unsaid)


def file_text(model: Model, path: str | os.PathLike[str], *, lossy: bool = False) -> Written:
    """The text of a file, in the format that its name ends in, and what it does not say.

    >>> import kinetrace as kt
    >>> file_text(kt.load("planar2r").model, "arm.urdf")[1]
    ['where joints start']
    """
    try:
        suffix = Path(path).suffix.lower()
    except TypeError:
        raise InputError(f"path must be the path of a file, got {value_text(path)}") from None
    if not suffix and Path(path).name.lower() in FORMATS:
        raise InputError(f"the file needs a name before {Path(path).name!r}, such as 'robot{Path(path).name}'")
    if suffix not in FORMATS:
        raise unknown_name_error("format", suffix or str(path), FORMATS, called="Files end in")
    if suffix == ".urdf":
        folder = str(Path(path).expanduser().resolve().parent)
        shapes = tuple(dataclasses.replace(x, mesh=_near(x.mesh, folder)) for x in model.geometry)
        model = dataclasses.replace(model, geometry=shapes)
    return FORMATS[suffix](model, lossy)
