"""MJCF, MuJoCo's format, through MuJoCo's own compiler: path, text or `mujoco.MjModel` → builder.

The compiled model has everything resolved: defaults, includes, inertias of shapes, reference configurations. Bodies,
joints with their passive effects and limits, compensation of gravity and the fluid around bodies, actuators (with
motors and bounds of forces), keyframes, equality constraints (as closures), sites (as frames), geoms (as shapes with
their surfaces), contact pairs and exclusions become the robot; what else may change the motion is named.

A mesh or height field whose file is missing is left out, if no inertia is computed from it.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .....errors import ModelError, name_list
from .....support.optional import require_package
from ....build.builder import Builder
from ..closure_file import LoadedClosures
from ..xml import first_tag, is_text
from .actuators import add_actuators
from .effects import Effects, actuators_of, add_link_effects
from .equalities import add_equalities
from .names import MjcfNames, Unused, find_unused, is_off, name_of, names_of
from .shapes import add_shapes
from .sizes import check_size
from .tree import add_bodies, by_joint, start_of

_ALWAYS = 1
"""mjINERTIAFROMGEOM_TRUE: inertias of bodies are computed from shapes even where they are given."""


@dataclass(frozen=True)
class CompiledMjcf:
    """A compiled model, its source, and the shapes that were left out."""

    model: Any
    source: str
    stem: str = ""
    missing: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    """Messages of MuJoCo about the file."""


def library() -> Any:
    """The package mujoco, or an error that says how to get it."""
    return require_package("mujoco", "MJCF, read by MuJoCo's own compiler,", "mujoco")


def compile_mjcf(source: Any) -> CompiledMjcf:
    """The compiled model of a path, a text, or itself."""
    if not isinstance(source, str | os.PathLike):
        return CompiledMjcf(source, "MjModel")
    text, name = is_text(source), "XML text"
    path = None if text else Path(source).expanduser()
    name = name if path is None else str(path)
    if first_tag(source) == "mujocoinclude":
        raise ModelError("<mujocoinclude> is a part of a file: load the file that includes it", file=name)
    mujoco, described = library(), str(source) if path is None else path.absolute()
    check_size(described, name)
    try:
        with warnings.catch_warnings(record=True) as caught, _without_log(mujoco):
            warnings.simplefilter("always")
            model, missing = _compile_source(mujoco, described)
    except _errors(mujoco) as error:
        raise ModelError(f"MuJoCo refuses it: {_message_of(error)}", file=name) from None
    said = list(dict.fromkeys(_message_of(warning.message) for warning in caught))
    return CompiledMjcf(model, name, "" if path is None else path.stem, missing, said)


@contextmanager
def _without_log(mujoco: Any) -> Iterator[None]:
    """With MuJoCo's warnings as Python's, where it would write them to a file in the working folder."""
    before = mujoco.get_mju_user_warning() if hasattr(mujoco, "get_mju_user_warning") else None
    if before is not None or not hasattr(mujoco, "set_mju_user_warning"):
        yield
        return
    said: list[str] = []
    mujoco.set_mju_user_warning(said.append)
    try:
        yield
    finally:
        mujoco.set_mju_user_warning(None)
        for message in said:
            warnings.warn(message, stacklevel=1)


def _compile_source(mujoco: Any, source: str | Path) -> tuple[Any, list[str]]:
    """The model of a text or file, and the files that are missing; from a relative path, MuJoCo may miss some."""
    made, is_file = mujoco.MjModel, isinstance(source, Path)
    try:
        return (made.from_xml_path(str(source)) if is_file else made.from_xml_string(source)), []
    except _errors(mujoco) as error:
        if "file" not in str(error).lower():
            raise
    spec = mujoco.MjSpec.from_file(str(source)) if is_file else mujoco.MjSpec.from_string(source)
    missing = _without_missing_files(spec, Path(source).parent if is_file else Path.cwd())
    return spec.compile(), missing


def _message_of(message: object) -> str:
    return " ".join(str(message).split()).removeprefix("Error: ")


def _errors(mujoco: Any) -> tuple[type[Exception], ...]:
    return ValueError, RuntimeError, MemoryError, mujoco.FatalError, mujoco.UnexpectedError


def _without_missing_files(spec: Any, folder: Path) -> list[str]:
    """Delete shapes whose files are missing, and all textures and skins; return these files, but not of textures."""
    where = folder / str(getattr(spec.compiler, "meshdir", "") or getattr(spec, "meshdir", ""))
    gone = [
        x for elements in (spec.meshes, spec.hfields) for x in elements if x.file and not (where / x.file).is_file()
    ]
    files = {x.name or Path(x.file).stem: x.file for x in gone}
    for geom in list(spec.geoms):
        file = files.get(geom.meshname) or files.get(geom.hfieldname)
        if file is not None and _weighs(spec, geom):
            raise ValueError(f"file {file!r} is missing, and the inertia of body {geom.parent.name!r} needs it")
        if file is not None:
            _delete(spec, geom)
    for material in spec.materials:
        material.textures = [""] * len(material.textures)
    for element in [*gone, *spec.skins, *spec.textures]:
        _delete(spec, element)
    return list(files.values())


def _delete(spec: Any, element: Any) -> None:
    """Delete an element of a description, in any version of MuJoCo."""
    if hasattr(spec, "delete"):
        spec.delete(element)
    else:
        element.delete()


def _weighs(spec: Any, geom: Any) -> bool:
    """Whether the inertia of a geom's body is computed from the geom."""
    if geom.mass == 0.0 or geom.density == 0.0 or geom.parent.name == "world":
        return False
    return spec.compiler.inertiafromgeom == _ALWAYS or not geom.parent.explicitinertial


def missing_files_message(files: list[str]) -> str:
    """How shapes that were left out are said."""
    return f"shapes whose files are missing are left out: {name_list(files)}"


__all__ = ["MjcfNames", "from_mjcf", "names_of"]


def from_mjcf(source: Any, *, joint_effects: bool = True) -> tuple[Builder, LoadedClosures]:
    """A builder from MJCF or a compiled model, and the joints with motors.

    Its root is the world. Configurations are MuJoCo's: q = qpos where the robot has the joints of the file. With
    `joint_effects=False`, armature, damping, friction and springs are left out.

    >>> import mujoco  # which compiles it
    >>> body = "<body name='b'><joint name='j'/><geom size='.1'/></body>"
    >>> text = f"<mujoco model='m'><worldbody>{body}</worldbody></mujoco>"
    >>> from_mjcf(text)[0].build().joint_names
    ('j',)
    """
    found, unused = compile_mjcf(source), Unused()
    model = found.model
    names = names_of(model)
    gravity = np.zeros(3) if is_off(model, "GRAVITY") else np.array(model.opt.gravity)
    name = name_of(model) or found.stem or "robot"
    builder = Builder(name, found.source, gravity=gravity.tolist(), in_world=True)
    for text in found.said:
        builder.remark(f"MuJoCo says: {text}", harmless=True)
    if found.missing:
        builder.remark(missing_files_message(found.missing), harmless=True)
    actuators = actuators_of(model, names, unused)
    try:
        add_bodies(builder, model, names, Effects(model, names, actuators, unused, joint_effects).of)
    except ModelError as error:
        error.file = error.file or found.source
        raise
    add_link_effects(builder, model, names, unused)
    is_closed = add_equalities(builder, model, names, unused)
    add_shapes(builder, model, names, unused)
    add_actuators(builder, model, names, unused)
    find_unused(model, unused, joint_effects)
    start, reference = start_of(model, names), by_joint(model, names, model.qpos0)
    builder.start(start)
    unused.tell(builder)
    guess = {**reference, **start} if is_closed else {}
    return builder, LoadedClosures(motors=actuators.motors, guess=guess, are_soft=True, reference=reference)
