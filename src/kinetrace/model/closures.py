"""Descriptions of closures, for `Builder.close`, `Builder.couple` and `Robot.with_closures`.

`Loop` closes a loop by any joint of `kinetrace.joints`, or by one of these:

    Rod(length)                          two points keep their distance
    Rolling(radius, axle, normal)        a wheel rolls on a plane without slipping
    Rows(matrix)                         any rows on the relative twist
    FrictionlessPoint, HardFinger, SoftFinger, Rigid     contacts of a finger with an object

`Coupling` fixes a linear combination of joint variables, `gear` the ratio of two.

`Closure` is the record that a model holds: a constraint on a tree of bodies besides its joints. It is a set of linear
constraints on the velocity of the robot,

    N(X) V + Σ_j C_j v_j = 0,      X = X_AB, V the twist of B relative to A, in B

of a constraint between two frames (see `constraints`), and of joints that are coupled. Most closures have one of the
two; the other is then zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from ..arrays import Array
from ..errors import InputError, ModelError, unknown_name_error, value_text
from ..lie import se3
from ..support.conversion import as_text
from ..support.public_names import listing as _listing
from ..support.public_names import missing as _missing
from .body import WORLD, Frame
from .checks import as_placement, number, real, text
from .constraints import Constraint, FrictionlessPoint, HardFinger, Nothing, Rigid, Rod, Rolling, Rows, SoftFinger
from .constraints.checks import as_it_is, check_constraint
from .joints import Joint
from .joints.checks import check_joint, check_sizes
from .record import Record

if TYPE_CHECKING:
    from .model import Model

NO_FRAME = Frame("", WORLD, np.eye(4))
"""Placeholder for the frames of a closure that has none."""


@dataclass(frozen=True, eq=False)
class Term(Record):
    """Contribution of a joint's variables to the rows: C_j (m, nv_j)."""

    body: int
    factors: Array


@dataclass(frozen=True, eq=False)
class Closure(Record):
    """A constraint between frames, or a coupling of joints."""

    name: str
    constraint: Constraint
    a: Frame
    b: Frame
    terms: tuple[Term, ...] = ()
    offset: Array = 0.0
    """Σ_j C_j q_j where the coupling holds (m,)."""

    @property
    def size(self) -> int:
        """Number of rows."""
        return self.constraint.size

    @property
    def frames(self) -> tuple[Frame, Frame]:
        """Its two frames."""
        return self.a, self.b

    def ends(self, X_a: Array, X_b: Array) -> Array:
        """The points (2, 3) of its frames that it holds together, in the world, as are the poses of the two bodies."""
        X_wa, X_wb = X_a @ self.a.X_bf, X_b @ self.b.X_bf
        return self.constraint.ends(se3.inverse(X_wa) @ X_wb) @ se3.rotation(X_wa).T + se3.translation(X_wa)

    def with_link_frames(self, Q: Mapping[int, Array]) -> Closure:
        """The same closure where each body has another frame; Q is the old one in the new."""
        a, b = (replace(f, X_bf=Q[f.body] @ f.X_bf) for f in self.frames)
        return replace(self, a=a, b=b)

    def __repr__(self) -> str:
        if self.terms:
            return f"Closure({self.name!r}, of joints)"
        return f"Closure({self.name!r}, {self.constraint!r}, {self.a.name or 'world'!r}, {self.b.name or 'world'!r})"


@dataclass(frozen=True, eq=False)
class Assembly(Record):
    """Structure of a closed robot, analysed once at configurations in which all closures hold."""

    q: Array
    """One such configuration (nq,)."""
    rows: tuple[int, ...]
    """Closure rows that are independent at almost all configurations; the others follow from them."""
    candidates: tuple[int, ...]
    """Rows that are not identically zero: the same as `rows`, unless some follow from others. Then as many of them as
    there are independent ones are selected at each configuration."""
    independent: tuple[int, ...]
    """Indices in v of the velocities chosen as independent, one per degree of freedom."""
    places: tuple[int, ...]
    """The same for small changes of q: more, if closures constrain velocities but not positions."""
    undriven: tuple[str, ...] = ()
    """Names of the joints that move in motions that no motor drives."""
    groups: tuple[int, ...] = ()
    """If some rows follow from others: for each closure, the first closure of its group; rows of a group do not follow
    from those of others. Empty: all closures are in one group."""


__all__ = [
    "Constraint",
    "Coupling",
    "FrictionlessPoint",
    "HardFinger",
    "Loop",
    "Rigid",
    "Rod",
    "Rolling",
    "Rows",
    "SoftFinger",
    "gear",
]

WORLD_NAME = "world"


@runtime_checkable
class Description(Protocol):
    """Description of a closure, by the names of frames and joints."""

    @property
    def name(self) -> str:
        """Name of the closure in messages and results."""

    def of(self, model: Model) -> Closure:
        """The closure of that model."""


@dataclass(frozen=True, eq=False)
class Loop(Record):
    """Two frames held together by a joint or by a constraint, which closes a loop.

    Parameters
    ----------
    frame_a : str
        Name of a link or frame, or "world", the world's own frame.
    frame_b : str
        Name of another, or "world".
    joint : Joint or Constraint
        Joint of `kinetrace.joints`, whose motion is that of b relative to a; or a constraint of `kinetrace.closures`.
    name : str, default ""
        Name of the closure; "frame_a-frame_b" unless given.
    placement_a : array_like, shape (4, 4) or (3,), optional
        Pose of the joint in frame a, or its position [m]; the identity unless given.
    placement_b : array_like, shape (4, 4) or (3,), optional
        Pose of the joint in frame b, or its position [m]; the identity unless given.

    Raises
    ------
    InputError
        If a name is not text, or `joint` is neither a joint nor a constraint.
    ModelError
        If a placement is not a rigid motion.

    Examples
    --------
    >>> import kinetrace as kt
    >>> hinge = kt.closures.Loop("tip", "world", kt.joints.Revolute([0, 1, 0]))
    >>> hinge.name, kt.load("planar2r").model.with_closures(hinge).closure_rows
    ('tip-world', 5)
    """

    frame_a: str
    frame_b: str
    joint: Joint | Constraint
    name: str = ""
    placement_a: Any = None
    placement_b: Any = None

    def __post_init__(self) -> None:
        for end in ("frame_a", "frame_b"):
            object.__setattr__(self, end, text(getattr(self, end), f"a closure's {end}"))
        name = text(self.name or f"{self.frame_a}-{self.frame_b}", "a closure's name")
        object.__setattr__(self, "name", name)
        what = f"closure {name!r}"
        for side in ("placement_a", "placement_b"):
            object.__setattr__(self, side, as_placement(getattr(self, side), f"{what}: {side}"))
        if not isinstance(self.joint, Joint | Constraint):
            example = "a joint such as kinetrace.joints.Revolute([0, 0, 1]), or one of kinetrace.closures"
            raise InputError(f"{what}: expected {example}, got {value_text(self.joint)}")

    def of(self, model: Model) -> Closure:
        """Closure of a model that this describes.

        Parameters
        ----------
        model : Model
            The model.

        Returns
        -------
        Closure
            The closure.

        Raises
        ------
        ModelError
            If a frame is unknown, or both are fixed to the same body.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.closures.Loop("tip", "world", kt.joints.Revolute()).of(kt.load("planar2r").model).size
        5
        """
        what = f"closure {self.name!r}"
        a, b = (
            _frame(model, name, X, what)
            for name, X in ((self.frame_a, self.placement_a), (self.frame_b, self.placement_b))
        )
        if a.body == b.body:
            both = "the world" if a.body == WORLD else f"body {model.bodies[a.body].name!r}"
            raise ModelError(
                f"{what}: {self.frame_a!r} and {self.frame_b!r} are both fixed to {both}: no loop to close"
            )
        if isinstance(self.joint, Joint):
            check_sizes(self.joint, what)
            bounds = (sign * np.full(self.joint.nq, np.inf) for sign in (-1.0, 1.0))
            check_joint(self.joint, what, *bounds, everywhere=False)
        constraint = as_it_is(self.joint.closing() if isinstance(self.joint, Joint) else self.joint)
        check_constraint(constraint, what, must_close=not isinstance(self.joint, Joint))
        return Closure(self.name, constraint, a, b)


@dataclass(frozen=True, eq=False)
class Coupling(Record):
    """Coupling of joints, Σ factor · q = offset.

    Parameters
    ----------
    factors : mapping of str to float
        Factors by joint: its name, or (name, which of its variables).
    offset : float, default 0.0
        Value of the sum [rad, m].
    name : str, default ""
        Name of the closure; the names of the joints unless given.

    Raises
    ------
    InputError
        If `factors` is not a mapping, or is empty.

    Examples
    --------
    >>> import kinetrace as kt
    >>> half = kt.closures.Coupling({"joint1": 1.0, "joint2": 0.5})
    >>> kt.load("planar2r").with_closures(half).closure_residual([0.5, 0.2])
    array([0.6])
    """

    factors: Mapping[Any, float]
    offset: float = 0.0
    name: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.factors, Mapping) or not self.factors:
            told = f"as {{'a': 1.0, 'b': -2.0}}, got {value_text(self.factors)}"
            raise InputError(f"Coupling: expected a mapping from joints to factors, {told}")
        for key, factor in self.factors.items():
            real(number(factor, f"Coupling: factor of {key!r}"), f"Coupling: factor of {key!r}")
        joints = [key[0] if isinstance(key, tuple) and key else key for key in self.factors]
        name = self.name or "-".join(str(as_text(joint)) for joint in joints)
        object.__setattr__(self, "name", text(name, "a closure's name"))

    def of(self, model: Model) -> Closure:
        """Closure of a model that this describes.

        Parameters
        ----------
        model : Model
            The model.

        Returns
        -------
        Closure
            The closure.

        Raises
        ------
        ModelError
            If a joint is unknown or has a quaternion, or all factors are zero.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.closures.gear("joint1", "joint2", 2.0).of(kt.load("planar2r").model).size
        1
        """
        what, found = f"closure {self.name!r}", dict[int, Array]()
        for key, factor in self.factors.items():
            joint, which = key if isinstance(key, tuple) and len(key) == 2 else (key, 0)
            body = next((b for b in model.bodies if b.joint_name == joint), None)
            if body is None:
                raise ModelError(f"{what}: {unknown_name_error('joint', joint, [b.joint_name for b in model.bodies])}")
            if body.joint.nq != body.joint.nv:
                raise ModelError(f"{what}: joint {joint!r} has a quaternion, which has no multiples")
            if body.joint.nv != 1 and not isinstance(key, tuple):
                raise ModelError(f"{what}: joint {joint!r} has {body.joint.nv} variables; say which, as ({joint!r}, 0)")
            if not isinstance(which, int) or not 0 <= which < body.joint.nv:
                raise ModelError(
                    f"{what}: joint {joint!r} has no variable {which!r}; they are 0 to {body.joint.nv - 1}"
                )
            row = found.setdefault(body.index, np.zeros((1, body.joint.nv)))
            row[0, which] += number(factor, f"{what}: factor of {joint!r}")
        terms = tuple(Term(index, row) for index, row in sorted(found.items()) if np.any(row))
        if not terms:
            raise ModelError(f"{what}: all factors are zero")
        offset = np.array([number(self.offset, f"{what}: offset")])
        return Closure(self.name, Nothing(1), NO_FRAME, NO_FRAME, terms, offset)


def gear(driver: Any, driven: Any, ratio: float, *, offset: float = 0.0, name: str = "") -> Coupling:
    """Gear between two joints: q_driven = ratio · q_driver + offset.

    Parameters
    ----------
    driver : str or tuple
        Joint: its name, or (name, which of its variables).
    driven : str or tuple
        Another joint.
    ratio : float
        Ratio of the velocities.
    offset : float, default 0.0
        Value of q_driven at q_driver = 0 [rad, m].
    name : str, default ""
        Name of the closure; the names of the joints unless given.

    Returns
    -------
    Coupling
        The coupling.

    Raises
    ------
    InputError
        If a joint drives itself.

    Examples
    --------
    >>> import kinetrace as kt
    >>> geared = kt.load("planar2r").with_closures(kt.closures.gear("joint1", "joint2", 2.0))
    >>> geared.velocity_map([0.0, 0.0]).ravel()
    array([0.5, 1. ])
    """
    if driver == driven:
        raise InputError(f"gear: {driver!r} cannot drive itself")
    return Coupling(
        {driven: 1.0, driver: -float(real(number(ratio, "ratio of a gear"), "ratio of a gear"))}, offset, name
    )


def _frame(model: Model, name: str, X: Array, what: str) -> Frame:
    """A frame of the model, or of the world, with a placement in it."""
    if name == WORLD_NAME and name not in model.frames:
        return Frame(name, WORLD, X)
    if name not in model.frames:
        moved = [f". Joint {name!r} moves the frame {body.name!r}" for body in model.bodies if body.joint_name == name]
        told = unknown_name_error("frame", name, [*model.frames, WORLD_NAME], "robot.frame_names")
        raise ModelError(f"{what}: {told}{''.join(moved)}")
    found = model.frames[name]
    return Frame(name, found.body, found.X_bf @ X)


if not TYPE_CHECKING:  # for type checkers there is nothing but what is declared
    __getattr__ = _missing(__name__, "kt.closures")
__dir__ = _listing(__name__)
