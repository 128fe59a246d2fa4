"""Loading robots: files, texts and tables of numbers → builder or model."""

from __future__ import annotations

import os
from collections.abc import Sequence

from ...errors import InputError, unknown
from .. import zoo
from ..builder import GRAVITY, Base
from ..checks import Check
from ..model import Model
from .dh import from_dh
from .poe import from_screws
from .urdf import from_urdf
from .xml import is_text

__all__ = ["from_dh", "from_screws", "from_urdf", "load_model"]


def load_model(
    source: str | os.PathLike[str],
    *,
    base: Base = "fixed",
    snap_constants: bool | float = True,
    check: Check = "warn",
    gravity: Sequence[float] = GRAVITY,
) -> Model:
    """A model from the name of a bundled robot, the path of a URDF file, or URDF text.

    `base` is "fixed" or "free"; `gravity` (3,) [m/s²] is in the world's axes. See
    `Builder.build` for `snap_constants` and `check`.

    >>> load_model("planar2r").nv
    2
    """
    builder = from_urdf(_locate(source))
    return builder.build(base, gravity=gravity, snap_constants=snap_constants, check=check)


def _locate(source: str | os.PathLike[str]) -> str | os.PathLike[str]:
    if not isinstance(source, str):
        return source
    if source in zoo.names():
        return zoo.path(source)
    looks_like_path = "/" in source or os.sep in source or source.lower().endswith((".urdf", ".xml"))
    if is_text(source) or looks_like_path or os.path.isfile(source):
        return source
    names = unknown("robot", source, zoo.names())
    raise InputError(f"{names}. A path to a .urdf file, or URDF text, also works")
