"""Sources that robots are loaded from: one table, from how a source is recognised to its reader.

A reader returns a builder, or a model where the source is one, and what the source says of closed loops. Objects of
other libraries are recognised by the module and name of their class, so that these libraries are not imported.

`ReadFrom` is what a model was read from, for whoever looks at its file again: no part of its content, and lost by every
change.
"""

from __future__ import annotations

import os
from codecs import BOM_UTF8
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from ....errors import LONGEST_NAME, InputError, ModelError, name_list, shorten, unknown_name_error
from ....support.files import regular_file
from ... import zoo
from ...build.builder import Builder
from ...constraints import Constraint
from ...joints import Joint
from ...model import Model
from . import descriptions
from .closure_file import LoadedClosures, read_closures
from .meshes import PACKAGE, package_folder
from .urdf import from_urdf
from .xacro.macros import expand_macros, macro_names, needs_expansion
from .xml import MAX_FILE_SIZE, XmlSource, decode_xml, is_json_text, is_mjcf, is_text, read_bounded


@dataclass(frozen=True)
class LoadOptions:
    """How to read a source."""

    joint_effects: bool = True
    packages: Mapping[str, Path] = field(default_factory=dict)
    xacro_args: Mapping[str, str] = field(default_factory=dict)
    usual_args: Mapping[str, str] = field(default_factory=dict)
    """Arguments of xacro that come with a description, where those of the user do not replace them."""
    folder: Path | None = None
    """Folder of the file that a text was read from, where files that it includes are; None: not known."""
    joint_classes: Sequence[type[Joint | Constraint]] = ()
    """Classes of a user's own that joints of a JSON file may be of."""


Read = tuple[Builder | Model, LoadedClosures]
"""Result of a reader."""


class SourceKind(NamedTuple):
    """A kind of source: its name in messages, how it is recognised, and what reads it."""

    what: str
    recognises: Callable[[Any], bool]
    read: Callable[[Any, LoadOptions], Read]


def is_instance_of(x: object, module: str, name: str) -> bool:
    """Whether x is of a class of another library, told by its name alone.

    >>> is_instance_of(Path("a"), "pathlib", "PurePath")
    True
    """
    return any(c.__name__ == name and c.__module__.partition(".")[0] == module for c in type(x).__mro__)


def read_source(source: Any, options: LoadOptions) -> Read:
    """The robot that a source describes, or an error that lists what is accepted."""
    if isinstance(source, str) and not source.strip():
        raise InputError(f"the robot's name is empty; expected {_SOURCE_DESCRIPTIONS}")
    for kind in SOURCE_KINDS:
        if kind.recognises(source):
            return kind.read(source, options)
    if not isinstance(source, str | os.PathLike):
        got = shorten(type(source).__name__, LONGEST_NAME)
        raise InputError(f"expected a path or XML text, got {got}; what works: {_SOURCE_DESCRIPTIONS}")
    names = unknown_name_error("robot", source, zoo.names(), called="Bundled robots")
    from ....errors.other_libraries import SIMILAR_ROBOTS  # late: errors alone need it

    similar = SIMILAR_ROBOTS.get(str(source).lower().replace("-", "_"))
    remark = f"; the most similar is {similar!r}" if similar else ""
    raise InputError(f"{names}{remark}. Otherwise: {_SOURCE_DESCRIPTIONS.partition(', ')[2]}")


def _has_suffix(*suffixes: str) -> Callable[[Any], bool]:
    def recognises(source: Any) -> bool:
        if not isinstance(source, str | os.PathLike) or is_text(source):
            return False
        return str(source).lower().endswith(suffixes)

    return recognises


def _is_path(source: Any) -> bool:
    """Whether a source is a path, by its form or because there is such a file."""
    if not isinstance(source, str):
        return isinstance(source, os.PathLike)
    return "/" in source or os.sep in source or Path(source).suffix[1:].isalpha() or os.path.isfile(source)


def _path(source: str | os.PathLike[str], options: LoadOptions) -> str | os.PathLike[str]:
    """The path, without file://; that of a package, if it is known where that is."""
    if not isinstance(source, str):
        return source
    if source.startswith(PACKAGE):
        package, _, rest = source.partition("://")[2].partition("/")
        folder = package_folder(package, None, options.packages)
        return source if folder is None else folder / rest
    return source.removeprefix("file://")


def _text_of(source: str | os.PathLike[str]) -> str:
    """The text of a file as far as it can be read; nothing if it cannot be: then whoever reads it says why."""
    try:
        return regular_file(Path(source).expanduser(), MAX_FILE_SIZE).decode("utf-8", "replace")
    except (OSError, ValueError, RuntimeError, TypeError):
        return ""


def _read_xml(source: Any, options: LoadOptions) -> Read:
    """URDF, or xacro that makes it, or MJCF: a path or text."""
    if is_mjcf(source):
        return _read_mujoco(source, options)
    text = source if is_text(source) else _text_of(source)
    if text and (options.xacro_args or options.usual_args or needs_expansion(text)):
        return _read_xacro(source, options)
    return from_urdf(source, joint_effects=options.joint_effects, packages=options.packages), LoadedClosures()


def _read_xacro(source: Any, options: LoadOptions) -> Read:
    path = None if is_text(source) else Path(source).expanduser()
    if path is not None and not path.is_file():
        return from_urdf(source), LoadedClosures()  # whose error says what else there is
    of = source if path is None else path
    text, remarks = expand_macros(of, options.xacro_args, options.packages, options.usual_args, options.folder)
    builder = from_urdf(text, joint_effects=options.joint_effects, packages=options.packages, made_of=path)
    if "<link" not in text:
        macros = name_list(macro_names(_text_of(path) if path is not None else source))
        advice = f": it only defines macros, {macros}; load a file that calls them" if macros else ""
        raise ModelError(f"the robot has no links{advice}", file="XML text" if path is None else str(path))
    for remark in remarks:
        builder.remark(f"xacro: {remark}", harmless=True)
    return builder, LoadedClosures()


def _read_path(source: Any, options: LoadOptions) -> Read:
    """A file of any kind, told by its suffix, or by what it begins with."""
    path = _path(source, options)
    found = next((kind for kind in FILES if kind.recognises(path)), None)
    try:
        return _read_xml(path, options) if found is None else found.read(path, options)
    except InputError as error:
        bundled = Path(path).stem
        if bundled not in zoo.names() or os.path.exists(path):
            raise
        raise InputError(f"{error}; the bundled robot is kt.load({bundled!r})") from None


def _read_json(source: Any, options: LoadOptions) -> Read:
    from .json_file import read_json

    return _read_model(read_json(source, options.joint_classes), options)


def _read_model(source: Model, options: LoadOptions) -> Read:
    return source if options.joint_effects else source.without_joint_effects(), LoadedClosures()


def _read_bundled(source: str, options: LoadOptions) -> Read:
    if source in zoo.BUILT:
        mechanism = zoo.BUILT[source]
        return mechanism.build(), LoadedClosures((), mechanism.independent, mechanism.motors)
    closing = read_closures(zoo.closures_path(source)) if source in zoo.names(closed=True) else LoadedClosures()
    effects = zoo.effects_of(source)
    builder = from_urdf(zoo.path(source), joint_effects=options.joint_effects, effects=effects)
    builder.start(zoo.home_of(source))
    return builder, closing


def _read_description(source: str, options: LoadOptions) -> Read:
    path, packages, arguments = descriptions.find_description(source)
    return _read_path(path, replace(options, packages={**packages, **options.packages}, usual_args=arguments))


def _read_open_file(source: Any, options: LoadOptions) -> Read:
    """As the file at a path: with the same limits, encodings and errors."""
    from . import json_file

    name = getattr(source, "name", "")
    where = XmlSource(name) if isinstance(name, str) and name else XmlSource()
    try:
        text = read_bounded(source)
        if isinstance(text, bytes):
            is_json = text.removeprefix(BOM_UTF8).lstrip().startswith(b"{")
            text = json_file.decode_text(text) if is_json else decode_xml(text, where)
        if not is_text(text) and not is_json_text(text):
            raise ModelError("the open file holds neither XML nor a model in JSON")
        beside = Path(name) if isinstance(name, str) else None
        folder = beside.resolve().parent if beside is not None and beside.is_file() else None
        made, closing = read_source(text, replace(options, folder=folder))
    except ModelError as error:
        error.file = error.file if error.file not in ("", "XML text", "JSON text") else where.file
        raise
    for remark, harmless in where.remarks():
        if isinstance(made, Builder):
            made.remark(remark, harmless=harmless)
    return made, closing


def _read_pinocchio(source: Any, options: LoadOptions) -> Read:
    from .pinocchio_model import from_pinocchio

    return from_pinocchio(source, joint_effects=options.joint_effects), LoadedClosures()


def _read_yourdfpy(source: Any, options: LoadOptions) -> Read:
    find = getattr(source, "_filename_handler", None)
    builder = from_urdf(source.write_xml_string().decode("utf-8"), joint_effects=options.joint_effects)
    if find is not None:
        builder.find_meshes(lambda name: str(find(fname=name)))
    return builder, LoadedClosures()


def _read_mujoco(source: Any, options: LoadOptions) -> Read:
    from .mjcf import from_mjcf

    return from_mjcf(source, joint_effects=options.joint_effects)


FILES: tuple[SourceKind, ...] = (
    SourceKind("a model saved as .json", _has_suffix(".json"), _read_json),
    SourceKind("a .xacro file", _has_suffix(".xacro"), _read_xacro),
)
"""Files that are told by their names, or by what they begin with; all others are read as URDF."""

SOURCE_KINDS: tuple[SourceKind, ...] = (
    SourceKind("a kinetrace.Model", lambda x: isinstance(x, Model), _read_model),
    SourceKind("a kinetrace.Builder", lambda x: isinstance(x, Builder), lambda x, _: (x.copy(), LoadedClosures())),
    SourceKind("a pinocchio.Model", lambda x: is_instance_of(x, "pinocchio", "Model"), _read_pinocchio),
    SourceKind("a yourdfpy.URDF", lambda x: is_instance_of(x, "yourdfpy", "URDF"), _read_yourdfpy),
    SourceKind("a mujoco.MjModel", lambda x: is_instance_of(x, "mujoco", "MjModel"), _read_mujoco),
    SourceKind("an open file", lambda x: callable(getattr(x, "read", None)), _read_open_file),
    SourceKind("a bundled name (kt.robot_names())", lambda x: isinstance(x, str) and x in zoo.names(), _read_bundled),
    SourceKind(
        f"'{descriptions.PREFIX}NAME'",
        lambda x: isinstance(x, str) and x.startswith(descriptions.PREFIX),
        _read_description,
    ),
    SourceKind("URDF, xacro or MJCF text", is_text, _read_xml),
    SourceKind("JSON text", is_json_text, _read_json),
    SourceKind("a path to a .urdf file or an MJCF file", _is_path, _read_path),
)
"""All sources, the first that recognises one reads it."""

_SOURCE_DESCRIPTIONS = ", ".join(dict.fromkeys(kind.what for kind in (*SOURCE_KINDS[6:], *FILES, *SOURCE_KINDS[:6])))


_NAME = "__read_from"
"""The attribute of a model; two underscores keep it out of its content (`record`)."""


class ReadFrom(NamedTuple):
    """A path, a name or text, and how it was read."""

    source: str | os.PathLike[str]
    packages: Mapping[str, str | os.PathLike[str]] | None
    xacro_args: Mapping[str, Any] | None
    joint_effects: bool
    again: Callable[[Builder], Model]
    """Function that reads another description in the same way."""


def remember_source(model: Model, origin: ReadFrom) -> None:
    """Note what a model was read from."""
    object.__setattr__(model, _NAME, origin)


def source_of(model: Model) -> ReadFrom | None:
    """Source that a model was read from; None if it was made or changed by a program.

    >>> import kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> source_of(robot.model).source, source_of(robot.with_frame("a", "tip").model)
    ('planar2r', None)
    """
    found: ReadFrom | None = vars(model).get(_NAME)
    return found
