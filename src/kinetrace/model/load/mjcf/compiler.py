"""MuJoCo's own compiler: path, text or compiled model → compiled model.

A mesh or height field whose file is missing is left out, if no inertia is computed from it.
"""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ....errors import InputError, ModelError, install, listed
from ..xml import is_text

_COMMENTS = re.compile(r"<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>]*>", re.DOTALL)
_ROOT = re.compile(r"\s*<\s*([\w:.-]+)")
_MOST_HEAD = 1_000_000
"""Characters in which the first element is looked for."""


@dataclass(frozen=True)
class Compiled:
    """A compiled model, its source, and the shapes that were left out."""

    model: Any
    source: str
    stem: str = ""
    missing: list[str] = field(default_factory=list)


def is_mujoco(source: object) -> bool:
    """Whether the source is a compiled model of MuJoCo, or MJCF by its first element."""
    mujoco = sys.modules.get("mujoco")
    if mujoco is not None and isinstance(source, mujoco.MjModel):
        return True
    return _root_of(source) in ("mujoco", "mujocoinclude")


def _root_of(source: object) -> str:
    """The name of the first element; "" if there is none, or no file."""
    if isinstance(source, str) and is_text(source):
        head = source[:_MOST_HEAD].lstrip("\ufeff \t\r\n")
    elif isinstance(source, str | os.PathLike):
        try:
            with Path(source).expanduser().open(encoding="utf-8-sig", errors="replace") as file:
                head = file.read(_MOST_HEAD)
        except (OSError, ValueError, RuntimeError, TypeError):
            return ""
    else:
        return ""
    found = _ROOT.match(_COMMENTS.sub("", head))
    return found[1] if found else ""


def library() -> Any:
    """The package mujoco, or an error that says how to get it."""
    try:
        import mujoco
    except ImportError:
        raise InputError(f"MJCF is read by MuJoCo's own compiler: {install('mujoco')}") from None
    return mujoco


def compiled(source: Any) -> Compiled:
    """The compiled model of a path, a text, or itself."""
    if not isinstance(source, str | os.PathLike):
        return Compiled(source, "MjModel")
    text, name = is_text(source), "XML text"
    path = None if text else Path(source).expanduser()
    name = name if path is None else str(path)
    if _root_of(source) == "mujocoinclude":
        raise ModelError("<mujocoinclude> is a part of a file: load the file that includes it", file=name)
    mujoco = library()
    try:
        spec = mujoco.MjSpec.from_string(str(source)) if path is None else mujoco.MjSpec.from_file(name)
        missing = list[str]()
        try:
            model = spec.compile()
        except _errors(mujoco) as error:
            missing = _left_out(spec, error, Path.cwd() if path is None else path.resolve().parent)
            if not missing:
                raise
            model = spec.compile()
    except _errors(mujoco) as error:
        raise ModelError(f"MuJoCo refuses it: {' '.join(str(error).split())}", file=name) from None
    return Compiled(model, name, "" if path is None else path.stem, missing)


def _errors(mujoco: Any) -> tuple[type[Exception], ...]:
    return ValueError, mujoco.FatalError, mujoco.UnexpectedError


def _left_out(spec: Any, error: Exception, folder: Path) -> list[str]:
    """Files that are missing, with the shapes of them deleted; none if that is not what is wrong, or not possible."""
    if "file" not in str(error).lower():
        return []
    meshes = {mesh.name or Path(mesh.file).stem: mesh.file for mesh in spec.meshes if mesh.file}
    where = folder / str(getattr(spec.compiler, "meshdir", "") or getattr(spec, "meshdir", ""))
    gone = {name: file for name, file in meshes.items() if not (where / file).is_file()}
    gone_fields = {x.name: x.file for x in spec.hfields if x.file and not (where / x.file).is_file()}
    mujoco = library()
    for geom in list(spec.geoms):
        if geom.meshname not in gone and geom.hfieldname not in gone_fields:
            continue
        if _weighs(spec, geom, mujoco):
            file = gone.get(geom.meshname, geom.meshname)
            told = f"the mesh file {file!r} is missing, and the inertia of body {geom.parent.name!r} is computed from it"
            raise ValueError(told)
        spec.delete(geom)
    for name, elements in ((gone, spec.meshes), (gone_fields, spec.hfields)):
        for element in list(elements):
            if (element.name or Path(element.file).stem) in name:
                spec.delete(element)
    textures = _without_textures(spec)
    return [*gone.values(), *gone_fields.values(), *textures]


def _weighs(spec: Any, geom: Any, mujoco: Any) -> bool:
    """Whether the inertia of a geom's body is computed from the geom."""
    if geom.mass == 0.0 or geom.density == 0.0 or geom.parent.name == "world":
        return False
    always = int(getattr(spec.compiler, "inertiafromgeom", mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_AUTO))
    if always == int(mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE):
        return True
    return not geom.parent.explicitinertial


def _without_textures(spec: Any) -> list[str]:
    """The files of all textures, which are deleted: no shape has them here."""
    files = [x.file for x in spec.textures if x.file]
    for material in spec.materials:
        material.textures = [""] * len(material.textures)
    for texture in list(spec.textures):
        spec.delete(texture)
    return files[:0]


def missing_said(files: list[str]) -> str:
    """How shapes that were left out are said."""
    return f"shapes whose files are missing are left out: {listed(files)}"
