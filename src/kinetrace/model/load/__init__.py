"""Loading robots: files, texts and tables of numbers → builder or model."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...errors import InputError, unknown
from ...support.elsewhere import SIMILAR_ROBOTS
from .. import zoo
from ..builder import Base, Builder
from ..checks import Check
from ..model import Model
from .closure_file import Closing, Source, read_closures
from .dh import from_dh
from .mjcf import from_mjcf, is_mujoco
from .poe import from_screws
from .urdf import from_urdf
from .xml import is_text

__all__ = ["described", "from_dh", "from_mjcf", "from_screws", "from_urdf", "load_model", "read_closures"]


def load_model(
    source: Any,
    *,
    closures: Source | None = None,
    joint_effects: bool = True,
    base: Base = "fixed",
    snap_constants: bool | float = True,
    check: Check = "warn",
    gravity: Sequence[float] | None = None,
) -> Model:
    """A model from the name of a bundled robot, the path or text of URDF or MJCF, or a `mujoco.MjModel`.

    `closures` are what `read_closures` takes; with `joint_effects=False`, what the file says of damping and friction of
    joints is left out; `base` is "fixed" or "free"; `gravity` (3,) [m/s²] is in the world's
    axes, that of the file unless given. See `Builder.build` for `snap_constants` and `check`.

    >>> load_model("planar2r").nv
    2
    """
    builder, _ = described(source, closures, joint_effects)
    return builder.build(base, gravity=gravity, snap_constants=snap_constants, check=check)


def described(
    source: Any, closures: Source | None = None, joint_effects: bool = True
) -> tuple[Builder, Closing]:
    """A robot with its closures, and what was said about these: those given, beside those that a bundled robot has.

    Further closures leave fewer degrees of freedom: then other velocities are independent.

    >>> described("four_bar")[1].independent
    ('crank',)
    """
    if isinstance(source, str) and source in zoo.BUILT:
        mechanism = zoo.BUILT[source]
        builder, own = mechanism.build(), Closing((), mechanism.independent, mechanism.motors)
    elif is_mujoco(source):
        builder, own = from_mjcf(source, joint_effects=joint_effects)
    else:
        file = zoo.closures_path(source) if isinstance(source, str) and source in zoo.names(closed=True) else None
        builder = from_urdf(_locate(source), joint_effects=joint_effects)
        own = Closing() if file is None else read_closures(file)
    given = Closing() if closures is None else read_closures(closures)
    builder.add_closures(*own.closures, *given.closures)
    if closures is None:
        return builder, own
    motors = own.motors if given.motors is None else given.motors
    return builder, replace(given, motors=motors, guess={**own.guess, **given.guess})


_WANTED = "a bundled name (kt.robot_names()), a path to a .urdf or MJCF file, or its text"


def _locate(source: Any) -> str | os.PathLike[str]:
    if not isinstance(source, str | os.PathLike):
        is_model = "; kt.Robot(model) makes a robot of a model, as Builder.build() returns it"
        built = is_model if isinstance(source, Model | Builder) else ""
        raise InputError(f"expected a path or XML text, got {type(source).__name__}; what works: {_WANTED}{built}")
    if not isinstance(source, str):
        return source
    if not source.strip():
        raise InputError(f"the robot's name is empty; expected {_WANTED}")
    if source in zoo.names():
        return zoo.path(source)
    source = source.removeprefix("file://")
    looks_like_path = "/" in source or os.sep in source or Path(source).suffix[1:].isalpha()
    if is_text(source) or looks_like_path or os.path.isfile(source):
        return source
    names = unknown("robot", source, zoo.names(), called="Bundled robots")
    similar = SIMILAR_ROBOTS.get(source.lower().replace("-", "_"))
    remark = f"; the most similar is {similar!r}" if similar else ""
    raise InputError(f"{names}{remark}. A path to a .urdf file, or URDF text, also works")
