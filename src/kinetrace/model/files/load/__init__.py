"""Loading robots: files, texts and tables of numbers → builder or model."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, get_args

from ....errors import InputError
from ...build.builder import Base, Builder
from ...build.massless import check_massless
from ...checks import Check, check_inertias, check_of, one_of
from ...constraints import Constraint
from ...joints import Joint
from ...model import Model
from .closure_file import LoadedClosures, Source, read_closures
from .meshes import package_folders
from .serial_arms import check_form, from_dh, from_screws
from .sources import LoadOptions, read_source
from .urdf import from_urdf
from .xacro.macros import checked_arguments

__all__ = [
    "build_model",
    "check_form",
    "from_dh",
    "from_screws",
    "from_urdf",
    "load_model",
    "read_closures",
    "read_description",
]


def load_model(
    source: Any,
    *,
    closures: Source | None = None,
    joint_effects: bool = True,
    base: Base = "fixed",
    snap_constants: bool | float = True,
    check: Check = "warn",
    gravity: Sequence[float] | None = None,
    packages: Mapping[str, str | os.PathLike[str]] | None = None,
    xacro_args: Mapping[str, Any] | None = None,
) -> Model:
    """A model from whatever describes a robot: see `sources` for what that may be.

    `closures` are what `read_closures` takes; with `joint_effects=False`, what the file says of damping and friction of
    joints is left out; `base` is "fixed" or "free"; `gravity` (3,) [m/s²] is in the world's axes, that of the source
    unless given. `packages` are the folders of packages by name, `xacro_args` the arguments of xacro files. See
    `Builder.build` for `snap_constants` and `check`.

    >>> load_model("planar2r").nv
    2
    """
    made, _ = read_description(source, closures, joint_effects, packages=packages, xacro_args=xacro_args)
    return build_model(made, base, gravity=gravity, snap_constants=snap_constants, check=check)


def read_description(
    source: Any,
    closures: Source | None = None,
    joint_effects: bool = True,
    *,
    packages: Mapping[str, str | os.PathLike[str]] | None = None,
    xacro_args: Mapping[str, Any] | None = None,
    joint_classes: type[Joint | Constraint] | Sequence[type[Joint | Constraint]] = (),
) -> tuple[Builder | Model, LoadedClosures]:
    """A robot with its closures, and what was said about these: those given, beside those that a bundled robot has.

    Further closures leave fewer degrees of freedom: then other velocities are independent.

    >>> read_description("four_bar")[1].independent
    ('crank',)
    """
    classes = (joint_classes,) if isinstance(joint_classes, type) else tuple(joint_classes)
    options = LoadOptions(
        joint_effects, package_folders(packages), checked_arguments(xacro_args), joint_classes=classes
    )
    made, own = read_source(source, options)
    given = LoadedClosures() if closures is None else read_closures(closures)
    added = (*own.closures, *given.closures)
    if isinstance(made, Builder):
        made.add_closures(*added)
    elif added:
        made = made.with_closures(*added)
    if closures is None:
        return made, own
    motors = own.motors if given.motors is None else given.motors
    guess = {**own.guess, **given.guess}
    return made, replace(own, closures=given.closures, independent=given.independent, motors=motors, guess=guess)


def build_model(
    made: Builder | Model,
    base: Base = "fixed",
    *,
    gravity: Sequence[float] | None = None,
    snap_constants: bool | float = True,
    check: Check = "warn",
) -> Model:
    """The model that a builder makes; a model as it is, but for its gravity.

    >>> build_model(load_model("planar2r"), gravity=(0, 0, -1.62)).gravity
    array([ 0.  ,  0.  , -1.62])
    """
    if isinstance(made, Builder):
        return made.build(base, gravity=gravity, snap_constants=snap_constants, check=check)
    one_of(get_args(Base), base, "base")
    check_of(check)
    if base == "free":
        raise InputError(
            f"model {made.name!r} is complete, and its base is what it is: base='free' is for descriptions"
        )
    check_inertias([(body.name, body.J) for body in made.bodies], check)
    check_massless(made, check)
    return made if gravity is None else made.with_parameters(gravity=gravity, check="ignore")
