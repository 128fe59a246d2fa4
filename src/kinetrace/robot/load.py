"""Robots by their bundled names, from files and tables, and random ones: what the package offers as functions."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from .. import loops
from ..codegen.runtime.kernel import Backend
from ..errors import InputError, listed
from ..model import load as tables
from ..model.builder import GRAVITY, ROOT_JOINT, Base
from ..model.checks import Check
from ..model.load.closure_file import Source as ClosureSource
from ..model.zoo import random
from ..support.keywords import known_keywords
from ..support.plain import plain_flag
from .robot import Robot


@known_keywords
def load(
    source: str | os.PathLike[str],
    *,
    closures: ClosureSource | None = None,
    joint_effects: bool = True,
    base: Base = "fixed",
    gravity: Sequence[float] = GRAVITY,
    snap_constants: bool | float = True,
    check: Check = "warn",
    dtype: npt.DTypeLike = "float64",
    backend: Backend = "llvm",
    threads: int | None = None,
) -> Robot:
    """A robot from a bundled name (`kt.robot_names()`), or from the path or text of a URDF.

    `closures` closes loops, or couples joints, which URDF cannot say: a .yaml or .json file, what such a file holds, or
    a list of `kinetrace.closures` (docs/closed_chains.md). Bundled mechanisms have theirs. `joint_effects=False` leaves
    out what the file says of damping and friction of joints (docs/joint_effects.md).

    `base` is "fixed" or "free", which legged robots want; `gravity` [m/s²] is in the world's axes. `snap_constants`
    rounds entries of placements and axes within 1e-14 of 0 and ±1, so that right angles cost nothing; a number instead
    of True is another distance, such as 1e-10 for right angles written with twelve digits. `check` says what to do
    about impossible inertias, joints that move no mass and odd files: "warn", "error" or "ignore"; what cannot change
    the motion is never an error. `dtype`, `backend` and `threads` are those of `Robot`.

    >>> import kinetrace as kt
    >>> kt.load("quadruped", base="free")
    Robot('quadruped', nq=19, nv=18)
    >>> kt.load("stewart").dof
    6
    """
    _refuse_flag(check)
    builder, closing = tables.described(source, closures, plain_flag("joint_effects", joint_effects))
    model = builder.build(base, gravity=gravity, snap_constants=snap_constants, check=check)
    if closing.motors is not None:
        model = model.with_motors(*closing.motors)
    if closing.independent is not None or closing.guess:
        free = (ROOT_JOINT,) * (base == "free")  # the base's velocities are independent as well
        chosen = None if closing.independent is None else (*free, *closing.independent)
        model = loops.analysed(model, chosen, closing.start(model))
    return Robot(model, dtype=dtype, backend=backend, threads=threads)


@known_keywords
def from_dh(
    table: Any,
    *,
    kinds: str | Sequence[str] | None = None,
    convention: Literal["modified", "standard"] = "modified",
    inertias: Sequence[Any] | None = None,
    tip: Any = None,
    name: str = "dh",
    base: Base = "fixed",
    gravity: Sequence[float] = GRAVITY,
    snap_constants: bool | float = True,
    check: Check = "warn",
    dtype: npt.DTypeLike = "float64",
    backend: Backend = "llvm",
    threads: int | None = None,
) -> Robot:
    """A serial arm from a Denavit–Hartenberg table (n, 4) of rows (a, alpha, d, theta).

    `kinds` says which joints turn and which slide, as in "RRPRRR" (all turn); `convention` is "modified" or
    "standard"; `inertias` are (6, 6), each in its DH frame; `tip` (4, 4) is the tool in the last one. The rest is
    that of `load`.

    >>> import kinetrace as kt
    >>> kt.from_dh([(0, 0, 0, 0), (0.4, 0, 0, 0)], check="ignore").pose([0.0, 0.0], "tip")[0, 3]
    np.float64(0.4)
    """
    _refuse_flag(check)
    builder = tables.from_dh(table, kinds=kinds, convention=convention, inertias=inertias, tip=tip, name=name)
    return Robot(
        builder.build(base, gravity=gravity, snap_constants=snap_constants, check=check),
        dtype=dtype,
        backend=backend,
        threads=threads,
    )


@known_keywords
def from_screws(
    screws: Any,
    M: Any,
    *,
    form: Literal["space", "body", "link"] = "space",
    inertias: Sequence[Any] | None = None,
    name: str = "poe",
    base: Base = "fixed",
    gravity: Sequence[float] = GRAVITY,
    snap_constants: bool | float = True,
    check: Check = "warn",
    dtype: npt.DTypeLike = "float64",
    backend: Backend = "llvm",
    threads: int | None = None,
) -> Robot:
    """A serial arm from joint screws (n, 6), angular first: the product of exponentials.

    Joint i moves by exp(S_i q_i): q is in radians if |omega| = 1, in metres if omega = 0 and |v| = 1.
    `form` is "space", "body" or "link", Park et al. (13), (14) and (12); `M` (4, 4) is the tip's pose at q = 0, or
    in the last form the n link placements; `inertias` are (6, 6). The rest is that of `load`.

    >>> import numpy as np, kinetrace as kt
    >>> kt.from_screws([[0, 0, 1, 0, 0, 0]], np.eye(4), check="ignore").joint_names
    ('joint1',)
    """
    _refuse_flag(check)
    builder = tables.from_screws(screws, M, form=form, inertias=inertias, name=name)
    return Robot(
        builder.build(base, gravity=gravity, snap_constants=snap_constants, check=check),
        dtype=dtype,
        backend=backend,
        threads=threads,
    )


@known_keywords
def random_chain(
    n: int,
    seed: int = 0,
    *,
    base: Base = "fixed",
    dtype: npt.DTypeLike = "float64",
    backend: Backend = "llvm",
    threads: int | None = None,
) -> Robot:
    """A serial chain of n revolute joints with random placements, axes and physical inertias.

    >>> import kinetrace as kt
    >>> kt.random_chain(5, seed=1).nv
    5
    """
    return Robot(random.random_chain(n, seed).build(base), dtype=dtype, backend=backend, threads=threads)


@known_keywords
def random_tree(
    n: int,
    seed: int = 0,
    *,
    base: Base = "fixed",
    dtype: npt.DTypeLike = "float64",
    backend: Backend = "llvm",
    threads: int | None = None,
) -> Robot:
    """A branching tree of n joints of every kind, with random placements, axes and physical inertias.

    >>> import kinetrace as kt
    >>> kt.random_tree(9).nv
    20
    """
    return Robot(random.random_tree(n, seed).build(base), dtype=dtype, backend=backend, threads=threads)


def _refuse_flag(check: Any) -> None:
    """An error that tells `check` of a file, which is a word, from that of a robot, a flag."""
    if isinstance(check, bool | np.bool_):
        words = f"check is what to do about an odd file: {listed(get_args(Check), 3)}; got {check}"
        raise InputError(f"{words}. A robot whose methods check q and v is load(...).checked()")
