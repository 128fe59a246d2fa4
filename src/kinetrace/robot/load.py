"""Functions that make robots: by bundled name, from files and tables, and random ones."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from ..algorithms.closed.assembly import NEARLY_CLOSED_RESIDUAL
from ..algorithms.closed.closure_fitting import ClosureFit, closure_text, fit_closures
from ..algorithms.closed.mobility import with_assembly
from ..engine.runtime.recipe import Backend
from ..errors import InputError, ModelError, ModelWarning, name_list
from ..model.build.builder import GRAVITY, Base, Builder
from ..model.build.connections import ROOT_JOINT
from ..model.checks import Check, complain
from ..model.configurations import many_turns_hint
from ..model.constraints import Constraint
from ..model.effects.idle_laws import check_laws
from ..model.effects.joint_effects import FrictionLaw, StopLaw, with_laws
from ..model.files.load.sources import ReadFrom, remember_source
from ..model.joints import Joint
from ..model.model import Model
from ..support.conversion import as_flag
from ..support.keywords import known_keywords
from ..support.threads import importing
from .robot import Robot

if TYPE_CHECKING:
    from ..model.files.load.closure_file import LoadedClosures
    from ..model.files.load.closure_file import Source as ClosureSource


@known_keywords
def load(
    source: Any,
    *,
    closures: ClosureSource | None = None,
    joint_effects: bool = True,
    friction_law: FrictionLaw | None = None,
    stop_law: StopLaw | None = None,
    base: Base = "fixed",
    gravity: Sequence[float] | None = None,
    home: npt.ArrayLike | Mapping[str, npt.ArrayLike] | None = None,
    snap_constants: bool | float = True,
    check: Check = "warn",
    strict: bool = False,
    packages: Mapping[str, str | os.PathLike[str]] | None = None,
    xacro_args: Mapping[str, Any] | None = None,
    joint_classes: type[Joint | Constraint] | Sequence[type[Joint | Constraint]] = (),
    dtype: npt.DTypeLike = "float64",
    backend: Backend = "llvm",
    threads: int | None = None,
) -> Robot:
    """Robot from a bundled name, a file, text, or an object of another library.

    What is in a file and is not used is reported in one warning per kind; nothing is downloaded (docs/loading.md).

    Parameters
    ----------
    source : str, path, open file or object
        Bundled name (`kt.robot_names()` lists them), "robot_descriptions:NAME", path of a .urdf, .xacro, MJCF or .json
        file, text of URDF, xacro or MJCF, an open file; or a `Model`, a `Builder`, a `pinocchio.Model`, a
        `yourdfpy.URDF` or a `mujoco.MjModel`. MJCF needs the extra "mujoco" (docs/mjcf.md).
    closures : path, mapping or sequence, optional
        Closed loops and couplings of joints, which URDF cannot describe: a .yaml or .json file, the content of such a
        file, or a list of `kinetrace.closures` (docs/closed_chains.md). Bundled mechanisms have their own.
    joint_effects : bool, default True
        Whether to read damping and friction of joints from the file, and armature and springs from MJCF, and to give
        bundled robots their rotors and damping (docs/joint_effects.md).
    friction_law : {"smooth", "dry"}, optional
        Law of all joints that have friction (docs/joint_effects.md); that of the source unless given: dry in MJCF,
        smooth in files that cannot say it.
    stop_law : {"soft", "hard"}, optional
        Law of the stops of all joints that have limits; that of the source unless given: hard in MJCF, soft in files
        that cannot say it.
    base : {"fixed", "free"}, default "fixed"
        Whether the root link is fixed to the world, or moves freely as that of a legged robot. MJCF has free joints
        of its own, which stay; "free" frees the one body that is fixed to the world, if no body is free.
    gravity : sequence of float, optional
        Gravity in the world's axes [m/s²]; that of the source unless given, and (0, 0, -9.81) if that has none.
    home : array_like, shape (nq,), or mapping of str to array_like, optional
        Where the robot is at home, as in `Robot.with_home`; where its source has it unless given: see `Robot.home`.
    snap_constants : bool or float, default True
        Whether to round entries of placements and axes within 1e-14 of 0 and ±1, so that right angles cost no
        operations; a number is another distance, such as 1e-10 for right angles written with twelve digits.
    check : {"warn", "error", "ignore"}, default "warn"
        Reaction to impossible inertias, joints that move no mass and irregularities of the file; those that cannot
        change the motion are never errors.
    strict : bool, default False
        Whether what `check` warns of is an error: short for `check="error"`.
    packages : mapping of str to path, optional
        Folders of packages by name, for `package://` and xacro's `$(find ...)`; others are looked for above the
        folder of the file, in ROS_PACKAGE_PATH and in AMENT_PREFIX_PATH.
    xacro_args : mapping of str to str, optional
        Arguments of a xacro file by name.
    joint_classes : type or sequence of type, default ()
        Class of joints or constraints of your own, or several, which a .json file names; it runs no code by itself.
    dtype : {"float64", "float32"} or dtype, default "float64"
        Precision of the compiled functions.
    backend : {"llvm", "numpy"}, default "llvm"
        Whether functions are compiled or interpreted.
    threads : int, optional
        Number of threads for large batches; as many as there are cores unless given.

    Returns
    -------
    Robot
        The robot.

    Raises
    ------
    ModelError
        If the file is malformed or its robot impossible.
    InputError
        If there is no such name or file, or an argument is not valid.

    Examples
    --------
    >>> import kinetrace as kt
    >>> kt.load("quadruped", base="free")
    Robot('quadruped', nq=19, nv=18)
    >>> kt.load("planar2r", gravity=(0, 0, -1.62)).gravity([0.0, 0.0]).round(3)
    array([3.24, 0.81])
    """
    _refuse_flag(check)
    if as_flag("strict", strict):
        if check == "ignore":
            raise InputError("strict=True is check='error'; check='ignore' says the opposite, so give one of them")
        check = "error"
    effects = as_flag("joint_effects", joint_effects)
    with importing("kinetrace.model.files.load"):
        from ..model.files import load as tables

    given: dict[str, Any] = {"packages": packages, "xacro_args": xacro_args, "joint_classes": joint_classes}
    made, closing = tables.read_description(source, closures, effects, **given)
    model = tables.build_model(made, base, gravity=gravity, snap_constants=snap_constants, check=check)
    model = with_laws(model, friction_law, stop_law)
    if friction_law or stop_law:
        check_laws(model, check, friction_law=friction_law, stop_law=stop_law)
    if closing.motors is not None:
        model = model.with_motors(*closing.motors)
    if closing.independent is not None or closing.guess or model.needs_assembly:
        free = (ROOT_JOINT,) * (base == "free")  # the base's velocities are independent as well
        chosen = None if closing.independent is None else (*free, *closing.independent)
        model = _close_loaded(model, chosen, closing, check, getattr(made, "source", ""))
    robot = Robot(model, dtype=dtype, backend=backend, threads=threads)
    if home is not None:
        robot = robot.with_home(home)
    if isinstance(source, str | os.PathLike):

        def again(other: Builder) -> Model:
            how: dict[str, Any] = {"base": base, "gravity": gravity, "snap_constants": snap_constants, "home": home}
            how |= {"friction_law": friction_law, "stop_law": stop_law}
            return load(other, closures=closures, joint_effects=joint_effects, check="ignore", **how).model

        remember_source(robot.model, ReadFrom(source, packages, xacro_args, effects, again))
    return robot


def _close_loaded(
    model: Model, chosen: Sequence[Any] | None, closing: LoadedClosures, check: Check, source: str
) -> Model:
    """The model with its loops closed: those that are nearly closed are moved, soft ones that cannot close left out."""
    starts, refused = closing.starts(model), None
    begin = starts[0] if closing.guess and not closing.are_soft else None
    if begin is not None and (hint := many_turns_hint(model, begin, "guess")):
        complain(f"guess of closures: {hint}", check, ModelWarning, source)
    fit = fit_closures(model, starts) if closing.are_soft else None
    for start in starts if fit is None or not fit.changed else ():
        try:
            return with_assembly(model, chosen, start)
        except ModelError as error:
            refused = error
    fit = fit_closures(model, starts) if fit is None else fit
    if refused is not None and not closing.are_soft and (fit.open or not fit.changed):
        raise refused
    found = with_assembly(fit.model, chosen, fit.q)
    for said in _closure_notes(model, fit):
        complain(said, check, ModelWarning, source)
    return found


def _closure_notes(model: Model, fit: ClosureFit) -> Iterator[str]:
    """Notes on changes to closures, with their links, and how far they are open."""
    limit = f"loops that are open by less than {NEARLY_CLOSED_RESIDUAL:g} (m or rad), as by rounded numbers"
    if fit.moved:
        yield f"{limit}, are moved to where they close: {_sizes_by_links(model, fit.moved)}"
    if fit.askew:
        without = "once they move, are without the rows that then contradict others"
        yield f"{limit}, {without}: {_sizes_by_links(model, fit.askew)}"
    if fit.open:
        told = "not used: equality constraints that cannot all hold, open (m or rad) where those before them do"
        yield f"{told}: {_sizes_by_links(model, fit.open)}"


def _sizes_by_links(model: Model, sizes: Mapping[str, float]) -> str:
    return "; ".join(f"{closure_text(model, name)} by {size:.2g}" for name, size in sizes.items())


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
    """Serial arm from a Denavit–Hartenberg table.

    Parameters
    ----------
    table : array_like, shape (n, 4)
        Rows (a, alpha, d, theta) [m, rad, m, rad], one per joint; the value of the variable, theta or d, is its offset
        at q = 0.
    kinds : str or sequence of str, optional
        Kinds of the joints, "R" for revolute and "P" for prismatic, as in "RRPRRR"; all revolute unless given.
    convention : {"modified", "standard"}, default "modified"
        Convention of the table: Craig's modified one, or the standard one of most manufacturers.
    inertias : sequence of array_like, shape (6, 6), optional
        Spatial inertias of the links, each in its DH frame; massless unless given.
    tip : array_like, shape (4, 4), optional
        Pose of the frame "tip" in the last DH frame; the identity unless given.
    name : str, default "dh"
        Name of the robot.
    base : {"fixed", "free"}, default "fixed"
        Base, as in `load`.
    gravity : sequence of float, default (0, 0, -9.81)
        Gravity in the world's axes [m/s²].
    snap_constants : bool or float, default True
        Whether to round placements, as in `load`.
    check : {"warn", "error", "ignore"}, default "warn"
        Reaction to impossible inertias, as in `load`.
    dtype : {"float64", "float32"} or dtype, default "float64"
        Precision of the compiled functions.
    backend : {"llvm", "numpy"}, default "llvm"
        Whether functions are compiled or interpreted.
    threads : int, optional
        Number of threads for large batches; as many as there are cores unless given.

    Returns
    -------
    Robot
        The arm, with joints "joint1", "joint2", ... and a frame "tip".

    Raises
    ------
    InputError
        If `convention` is unknown.
    ModelError
        If the table, `kinds` or an inertia is not valid.

    Examples
    --------
    >>> import kinetrace as kt
    >>> arm = kt.from_dh([(0, 0, 0, 0), (0.4, 0, 0, 0)], check="ignore")
    >>> arm.pose([0.5, 0.0], "tip").round(3)
    array([[ 0.878, -0.479,  0.   ,  0.351],
           [ 0.479,  0.878,  0.   ,  0.192],
           [ 0.   ,  0.   ,  1.   ,  0.   ],
           [ 0.   ,  0.   ,  0.   ,  1.   ]])
    """
    with importing("kinetrace.model.files.load"):
        from ..model.files import load as tables

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
    form: Literal["space", "body", "link", "joint"] = "space",
    inertias: Sequence[Any] | None = None,
    name: str = "poe",
    base: Base = "fixed",
    gravity: Sequence[float] = GRAVITY,
    snap_constants: bool | float = True,
    check: Check | tuple[Any, Any] = "warn",
    dtype: npt.DTypeLike = "float64",
    backend: Backend = "llvm",
    threads: int | None = None,
) -> Robot:
    """Serial arm from joint screws: the product of exponentials.

    Joint i moves by exp(S_i q_i): q_i is in radians if |ω| = 1, in metres if ω = 0 and |v| = 1.

    Parameters
    ----------
    screws : array_like, shape (n, 6)
        Screws (ω, v) of the joints, angular first.
    M : array_like, shape (4, 4) or (n, 4, 4)
        Pose of the tip at q = 0; for form="link" and form="joint", the n placements of the links in their predecessors.
    form : {"space", "body", "link", "joint"}, default "space"
        Which product of exponentials the screws are of, Park et al. (13), (14), (12) and (23):

        - "space": e^{S₁q₁} … e^{Sₙqₙ} M, screws in the base frame at q = 0
        - "body": M e^{S₁q₁} … e^{Sₙqₙ}, screws in the tip frame at q = 0
        - "link": e^{S₁q₁} M₁ … e^{Sₙqₙ} Mₙ, each screw in the frame of the link before it
        - "joint": M₁ e^{S₁q₁} … Mₙ e^{Sₙqₙ}, each screw in the frame of the link that it moves, as in
          `robot.parameters("screws")`

        "link" and "joint" take the same shapes and are different robots: `check` tells them apart.
    inertias : sequence of array_like, shape (6, 6), optional
        Spatial inertias of the links; massless unless given. The link frames are those after M_i for form="link", those
        after e^{S_i q_i} for form="joint"; otherwise they coincide with the base frame at q = 0.
    name : str, default "poe"
        Name of the robot.
    base : {"fixed", "free"}, default "fixed"
        Base, as in `load`.
    gravity : sequence of float, default (0, 0, -9.81)
        Gravity in the world's axes [m/s²].
    snap_constants : bool or float, default True
        Whether to round placements, as in `load`.
    check : {"warn", "error", "ignore"} or tuple of array_like, default "warn"
        Reaction to impossible inertias, as in `load`. Or a pair (q, pose) with the pose (4, 4) of the tip in the base
        at the joint variables q (n,), known from elsewhere to four digits: the robot is built only if it is there, and
        the error names the form that fits. Inertias, if there are any, are then checked as by "warn".
    dtype : {"float64", "float32"} or dtype, default "float64"
        Precision of the compiled functions.
    backend : {"llvm", "numpy"}, default "llvm"
        Whether functions are compiled or interpreted.
    threads : int, optional
        Number of threads for large batches; as many as there are cores unless given.

    Returns
    -------
    Robot
        The arm, with joints "joint1", "joint2", ... and a frame "tip".

    Raises
    ------
    InputError
        If `form` is not valid.
    ModelError
        If the screws, placements or inertias are not valid, or the tip is not where `check` has it.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> M = np.eye(4)
    >>> M[0, 3] = 0.4
    >>> kt.from_screws([[0, 0, 1, 0, 0, 0]], M, check="ignore").pose([0.5], "tip").round(3)
    array([[ 0.878, -0.479,  0.   ,  0.351],
           [ 0.479,  0.878,  0.   ,  0.192],
           [ 0.   ,  0.   ,  1.   ,  0.   ],
           [ 0.   ,  0.   ,  0.   ,  1.   ]])

    Screws of a robot are in the frames of the links that they move: the form "joint".

    >>> panda = kt.load("panda")
    >>> S, M = panda.parameters("screws"), panda.parameters("placements")
    >>> q = panda.random(seed=0)
    >>> arm = kt.from_screws(S, M, form="joint", check=(q, panda.pose(q, "panda_link7")))
    """
    with importing("kinetrace.model.files.load"):
        from ..model.files import load as tables

    _refuse_flag(check)
    builder = tables.from_screws(screws, M, form=form, inertias=inertias, name=name)
    if isinstance(check, tuple | list):
        if len(check) != 2:
            raise InputError(f"check is a word or the pair (q, pose of the tip there), got {len(check)} items")
        tables.check_form(screws, M, form, *check)
        check = "ignore" if inertias is None else "warn"
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
    """Serial chain of revolute joints with random placements, axes and physical inertias.

    Parameters
    ----------
    n : int
        Number of joints.
    seed : int, default 0
        Seed; the same one gives the same robot.
    base : {"fixed", "free"}, default "fixed"
        Base, as in `load`.
    dtype : {"float64", "float32"} or dtype, default "float64"
        Precision of the compiled functions.
    backend : {"llvm", "numpy"}, default "llvm"
        Whether functions are compiled or interpreted.
    threads : int, optional
        Number of threads for large batches; as many as there are cores unless given.

    Returns
    -------
    Robot
        The chain.

    Raises
    ------
    InputError
        If `n` is not a whole number, at least 0.

    Examples
    --------
    >>> import kinetrace as kt
    >>> kt.random_chain(5, seed=1)
    Robot('random_chain', nq=5, nv=5)
    """
    with importing("kinetrace.model.zoo.random"):
        from ..model.zoo import random

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
    """Branching tree of joints of every kind, with random placements, axes and physical inertias.

    Parameters
    ----------
    n : int
        Number of joints.
    seed : int, default 0
        Seed; the same one gives the same robot.
    base : {"fixed", "free"}, default "fixed"
        Base, as in `load`.
    dtype : {"float64", "float32"} or dtype, default "float64"
        Precision of the compiled functions.
    backend : {"llvm", "numpy"}, default "llvm"
        Whether functions are compiled or interpreted.
    threads : int, optional
        Number of threads for large batches; as many as there are cores unless given.

    Returns
    -------
    Robot
        The tree.

    Raises
    ------
    InputError
        If `n` is not a whole number, at least 0.

    Examples
    --------
    >>> import kinetrace as kt
    >>> kt.random_tree(9)
    Robot('random_tree', nq=22, nv=20)
    """
    with importing("kinetrace.model.zoo.random"):
        from ..model.zoo import random

    return Robot(random.random_tree(n, seed).build(base), dtype=dtype, backend=backend, threads=threads)


def _refuse_flag(check: Any) -> None:
    """An error that tells `check` of a file, which is a word, from that of a robot, a flag."""
    if isinstance(check, bool | np.bool_):
        words = f"check is what to do about an odd file: {name_list(get_args(Check), 3)}; got {check}"
        raise InputError(f"{words}. A robot whose methods check q and v is load(...).checked()")
