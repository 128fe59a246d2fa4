"""Robot dynamics: each recursion of the literature written once, traced per robot, compiled to a NumPy gufunc.

>>> import numpy as np, kinetrace as kt
>>> robot = kt.load("panda")
>>> q = robot.random(1000, seed=0)
>>> robot.inverse_dynamics(q, np.zeros((1000, 7)), np.zeros((1000, 7))).shape
(1000, 7)
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Literal

import numpy.typing as _npt

from .cache import fingerprints as _fingerprints  # noqa: F401  first: it looks at the sources before they are imported

# isort: split
from . import algorithms, arrays, identify, lie, linalg, operators
from .codegen.runtime.kernel import Backend as _Backend
from .codegen.runtime.kernel import Kernel
from .compilation.compile import compile
from .derivative import hessian, jacobian, jvp, sparsity, vjp
from .errors import InputError, KinetraceError, ModelError, ModelWarning, PhysicsWarning
from .model import Limits, Model, joints
from .model import load as _load
from .model.builder import Base as _Base
from .model.builder import Builder
from .model.checks import Check
from .model.load import load_model
from .model.zoo import names as robot_names
from .model.zoo import random as _random
from .robot import Robot
from .support.keywords import known_keywords as _known_keywords
from .trace import OpCount

__version__ = "0.1.0"

__all__ = [
    "Builder",
    "InputError",
    "Kernel",
    "KinetraceError",
    "Limits",
    "Model",
    "ModelError",
    "ModelWarning",
    "OpCount",
    "PhysicsWarning",
    "Robot",
    "algorithms",
    "arrays",
    "compile",
    "from_dh",
    "from_screws",
    "hessian",
    "identify",
    "jacobian",
    "joints",
    "jvp",
    "lie",
    "linalg",
    "load",
    "operators",
    "random_chain",
    "random_tree",
    "robot_names",
    "sparsity",
    "vjp",
]


@_known_keywords
def load(
    source: str | os.PathLike[str],
    *,
    base: _Base = "fixed",
    gravity: Sequence[float] = (0.0, 0.0, -9.81),
    snap_constants: bool | float = True,
    check: Check = "warn",
    dtype: _npt.DTypeLike = "float64",
    backend: _Backend = "llvm",
    threads: int | None = None,
) -> Robot:
    """A robot from a bundled name (`kt.robot_names()`), or from the path or text of a URDF.

    `base` is "fixed" or "free", which legged robots want; `gravity` [m/s²] is in the world's axes. `snap_constants`
    rounds entries of placements and axes within 1e-14 of 0 and ±1, so that right angles cost nothing; a number instead
    of True is another distance, such as 1e-10 for right angles written with twelve digits. `check` says what to do
    about impossible inertias, joints that move no mass and odd files: "warn", "error" or "ignore"; what cannot change
    the motion is never an error. `dtype`, `backend` and `threads` are those of
    `Robot`.

    >>> import kinetrace as kt
    >>> kt.load("quadruped", base="free")
    Robot('quadruped', nq=19, nv=18)
    """
    model = load_model(source, base=base, gravity=gravity, snap_constants=snap_constants, check=check)
    return Robot(model, dtype=dtype, backend=backend, threads=threads)


@_known_keywords
def from_dh(
    table: Any,
    *,
    kinds: str | Sequence[str] | None = None,
    convention: Literal["modified", "standard"] = "modified",
    inertias: Sequence[Any] | None = None,
    tip: Any = None,
    name: str = "dh",
    base: _Base = "fixed",
    gravity: Sequence[float] = (0.0, 0.0, -9.81),
    snap_constants: bool | float = True,
    check: Check = "warn",
    dtype: _npt.DTypeLike = "float64",
    backend: _Backend = "llvm",
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
    builder = _load.from_dh(table, kinds=kinds, convention=convention, inertias=inertias, tip=tip, name=name)
    return Robot(
        builder.build(base, gravity=gravity, snap_constants=snap_constants, check=check),
        dtype=dtype,
        backend=backend,
        threads=threads,
    )


@_known_keywords
def from_screws(
    screws: Any,
    M: Any,
    *,
    form: Literal["space", "body", "link"] = "space",
    inertias: Sequence[Any] | None = None,
    name: str = "poe",
    base: _Base = "fixed",
    gravity: Sequence[float] = (0.0, 0.0, -9.81),
    snap_constants: bool | float = True,
    check: Check = "warn",
    dtype: _npt.DTypeLike = "float64",
    backend: _Backend = "llvm",
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
    builder = _load.from_screws(screws, M, form=form, inertias=inertias, name=name)
    return Robot(
        builder.build(base, gravity=gravity, snap_constants=snap_constants, check=check),
        dtype=dtype,
        backend=backend,
        threads=threads,
    )


@_known_keywords
def random_chain(
    n: int,
    seed: int = 0,
    *,
    base: _Base = "fixed",
    dtype: _npt.DTypeLike = "float64",
    backend: _Backend = "llvm",
    threads: int | None = None,
) -> Robot:
    """A serial chain of n revolute joints with random placements, axes and physical inertias.

    >>> import kinetrace as kt
    >>> kt.random_chain(5, seed=1).nv
    5
    """
    return Robot(_random.random_chain(n, seed).build(base), dtype=dtype, backend=backend, threads=threads)


@_known_keywords
def random_tree(
    n: int,
    seed: int = 0,
    *,
    base: _Base = "fixed",
    dtype: _npt.DTypeLike = "float64",
    backend: _Backend = "llvm",
    threads: int | None = None,
) -> Robot:
    """A branching tree of n joints of every kind, with random placements, axes and physical inertias.

    >>> import kinetrace as kt
    >>> kt.random_tree(9).nv
    20
    """
    return Robot(_random.random_tree(n, seed).build(base), dtype=dtype, backend=backend, threads=threads)
