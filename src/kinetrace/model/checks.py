"""Checks of numbers that describe a robot, and their rounding.

A value that is not concrete (traced, complex, of mpmath or JAX; see `arrays.is_concrete`) passes through unchecked,
but for its shape.

Near-trivial constants are rounded to 0 and ±1, which cost no multiplication, by one rule with one bound:

    A constant is 0, 1 or −1 if it differs from it by less than 1e-14 of the numbers that it was computed from.

Entries of rotations and unit axes are computed from ones, and the rule for poses and axes is that (`snap`). Moments of
inertia and shifts have the size of what they were added up from (`zero_rounding`). So only what double arithmetic
leaves of trivial numbers is rounded: cos(π/2) = 6e-17, or what a chain of fixed joints makes of a right angle. A right
angle that a file writes with twelve digits is another number, 5e-12 away. Joint forces feel that as 5e-12; the inverse
of the mass matrix magnifies it, in the accelerations of real arms to 4e-9.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from decimal import Decimal
from numbers import Complex, Rational, Real
from typing import Any, Literal, TypeVar, get_args

import numpy as np

from ..arrays import Array, is_concrete, namespace
from ..errors import InputError, KinetraceError, ModelError, PhysicsWarning, is_hashable, shorten, value_text, warn
from ..lie import inertia, se3
from ..support.conversion import as_array, as_text
from .record import read_only

T = TypeVar("T")
Check = Literal["warn", "error", "ignore"]
"""Reaction to impossible inertias, and to irregularities of a file that affect the motion."""

_OF_PYTHON = (int, float, complex, Rational, Decimal)
MAX_NUMBER = 1e30
"""Upper bound of all numbers of a robot in SI units, so that products in the dynamics are finite."""
MAX_INERTIA = 10 * MAX_NUMBER**3
"""The same for inertias in any frame: a few times m c²."""
ORTHONORMAL = 1e-6
"""Tolerance for the rotation of a placement; matrices within it are made orthonormal."""


def numbers(x: Any, what: str, wanted: str = "an array of real numbers") -> Array:
    """A copy of x as an array of floats; scalars that are not concrete are kept. `wanted` is for the error."""
    xp = namespace(*_leaves(x))
    if xp is not np:  # JAX's arrays cannot be changed: no need to copy
        return xp.asarray(x)
    array = as_array(what, x, ModelError)
    try:
        if array.dtype == object and all(isinstance(e, _OF_PYTHON) for e in array.flat):  # integers of any length
            array = array.astype(complex if any(isinstance(e, complex) for e in array.flat) else float)
        for e in array.flat if array.dtype == object else ():  # beside numbers that are not concrete
            _ = float(e) if isinstance(e, int) else e
    except OverflowError:
        raise ModelError(f"{what} must be below {MAX_NUMBER:g}, got an integer beyond all floats") from None
    if array.dtype.kind == "c" or (array.dtype == object and all(map(_counts, array.flat))):
        return array.copy()
    if array.dtype.kind not in "biuf":
        raise ModelError(f"{what} must be {wanted}, got {value_text(x)}")
    return array.astype(float)


def real(x: Any, what: str) -> Array:
    """x as an array of floats, where nothing else would do: an imaginary part would be lost."""
    array = numbers(x, what)
    entries = array.flat if array.dtype == object else ()
    if array.dtype.kind == "c" or any(isinstance(e, Complex) and not isinstance(e, Real) for e in entries):
        raise ModelError(f"{what} must be real, got {value_text(x)}")
    return np.array(array, dtype=float)


def _counts(x: Any) -> bool:
    """Whether x is a number of some kind, traced or of another library: it has the arithmetic of one."""
    if isinstance(x, np.ndarray):
        return x.ndim == 0 and _counts(x.item())
    if isinstance(x, np.datetime64 | np.timedelta64):
        return False
    return all(hasattr(x, name) for name in ("__neg__", "__mul__", "__rtruediv__"))


def _leaves(x: Any) -> list[Any]:
    return [leaf for part in x for leaf in _leaves(part)] if isinstance(x, list | tuple) else [x]


def sane(x: Array, bound: float = MAX_NUMBER) -> bool:
    """Whether concrete numbers are finite and within the bound."""
    return bool(np.all(np.abs(x) <= bound))


def is_present(x: Array) -> bool:
    """Whether a number is not known to be zero."""
    return not is_concrete(x) or bool(np.any(x))


def number(x: Any, what: str) -> Any:
    """x as a finite float; unchanged if it is not concrete."""
    array = numbers(x, what, "a real number")
    if not is_concrete(array):
        return x
    if array.shape != () or not sane(array):
        got = value_text(x)
        raise ModelError(f"{what} must be a finite number, at most {MAX_NUMBER:g}, got {got}")
    return float(array)


AXES = {
    f"{sign}{name}": tuple(k * x + 0.0 for x in e)
    for sign, k in (("", 1.0), ("+", 1.0), ("-", -1.0))
    for name, e in (("x", (1.0, 0.0, 0.0)), ("y", (0.0, 1.0, 0.0)), ("z", (0.0, 0.0, 1.0)))
}
"""Axes by name."""


def unit(axis: Any, what: str) -> Array:
    """The axis as a unit vector (3,), read-only, given by numbers or by name; not normalised if it is not concrete."""
    if isinstance(axis, str):
        if axis.lower() not in AXES:
            told = f"must be 3 numbers or one of {', '.join(map(repr, (*'xyz', *('-' + x for x in 'xyz'))))}"
            raise ModelError(f"{what} {told}, got {value_text(axis)}")
        axis = AXES[axis.lower()]
    a = numbers(axis, what)
    if a.shape != (3,):
        raise ModelError(f"{what} must be 3 numbers, got shape {a.shape}")
    return read_only(direction(a, what) if is_concrete(a) else a)


def direction(a: Array, what: str) -> Array:
    """A vector scaled to length 1, without overflow for entries whose squares are infinite."""
    largest = float(np.abs(a).max())
    if not (math.isfinite(largest) and largest > 0.0):
        raise ModelError(f"{what} must be a finite and non-zero vector, got {a.tolist()}")
    a = a / largest
    return a / np.linalg.norm(a)


def pose(X: Any, what: str, otherwise: str = "", error: type[KinetraceError] = ModelError) -> Array:
    """X as a rigid motion (4, 4); the identity if None. `otherwise` is what else would be right, for the `error`."""
    X = np.eye(4) if X is None else numbers(X, what)
    if X.shape != (4, 4):
        raise error(f"{what} must be a pose of shape (4, 4){otherwise}, got {X.shape}")
    if not is_concrete(X):
        return X
    if not sane(X):
        raise error(f"{what} is not a rigid motion: its numbers must be finite, at most {MAX_NUMBER:g}")
    if np.any(X[3] != (0.0, 0.0, 0.0, 1.0)):
        raise error(f"{what} is not a rigid motion: its last row must be 0, 0, 0, 1")
    R = X[:3, :3]
    off = np.abs(R @ R.T - np.eye(3)).max()
    if off > ORTHONORMAL:
        raise error(f"{what} is not a rigid motion: its rotation part is not orthonormal")
    if np.linalg.det(R) < 0:
        raise error(f"{what} is not a rigid motion: its rotation part has determinant -1, as a reflection does")
    if off > 1e-14:
        U, _, Vt = np.linalg.svd(R)
        R = U @ Vt
    return np.array(se3.pose(R, X[:3, 3]), dtype=float)


def as_placement(X: Any, what: str, error: type[KinetraceError] = ModelError) -> Array:
    """The rigid motion (4, 4) that a placement stands for: a pose, a shift by a position (3,), the identity if None.

    >>> as_placement([0, 0, 0.5], "placement")[:3, 3]
    array([0. , 0. , 0.5])
    """
    x = None if X is None else numbers(X, what)
    if x is None or x.shape != (3,):
        return pose(x, what, f", or a position of shape (3,){_pose_hint(x)}", error)
    if is_concrete(x) and not sane(x):
        raise error(f"{what} must be finite numbers, at most {MAX_NUMBER:g}, got {x.tolist()}")
    return np.asarray(se3.pose(np.eye(3), x))


def _pose_hint(x: Array | None) -> str:
    """How to make a pose, for an error about an array that looks like a rotation, or like angles beside a position."""
    if x is not None and x.shape == (3, 3):
        return "; kt.lie.se3.pose(R, [x, y, z]) makes it of a rotation"
    if x is not None and x.shape == (6,):
        return "; kt.lie.se3.pose(kt.lie.so3.from_rpy([roll, pitch, yaw]), [x, y, z]) makes it of angles"
    return ""


SYMMETRIC = 1e-9
"""Asymmetry of an inertia that counts as rounding, relative to its largest entry."""


def symmetric(I: Array, what: str) -> Array:
    """A matrix without the asymmetry that rounding leaves; an error if it has more."""
    if not is_concrete(I):
        return I
    if np.abs(I - I.T).max() > SYMMETRIC * np.abs(I).max():
        raise InputError(f"{what} must be symmetric, to {SYMMETRIC:g} of its largest entry; got {I.tolist()}")
    return (I + I.T) / 2


def text(name: Any, what: str) -> str:
    """The name as a plain `str`, checked to be nonempty text."""
    found = as_text(name)
    if not isinstance(found, str) or not found:
        got = value_text(name)
        raise InputError(f"{what} must be a name: text that is not empty, got {got}")
    return found


def one_of(values: Sequence[T], x: T, what: str) -> T:
    """The choice, checked to be one of these.

    >>> one_of(get_args(Check), "never", "check")
    Traceback (most recent call last):
    kinetrace.errors.InputError: check must be 'warn', 'error' or 'ignore', got 'never'
    """
    if not is_hashable(x) or x not in values:
        from ..errors.other_libraries import VALUES  # late: errors alone need it

        *most, last = map(repr, values)
        told, name = f"{what} must be {', '.join(most)} or {last}, got {value_text(x)}", shorten(x).lower()
        meant = [v for v in values if v in (name, VALUES.get(what, {}).get(name))]
        raise InputError(f"{told}; did you mean {meant[0]!r}?" if meant else told)
    return x


def check_of(check: Check) -> Check:
    """The choice, checked."""
    return one_of(get_args(Check), check, "check")


def complain(message: str, check: Check, category: type[Warning] = PhysicsWarning, file: str = "") -> None:
    """Raise an error, warn or do nothing, as `check` says; `file` is the source of the robot's description."""
    error = ModelError(message, file=file)
    if check == "error":
        raise error
    if check == "warn":
        warn(str(error), category)


def check_inertias(links: Iterable[tuple[str, Array]], check: Check, file: str = "") -> None:
    """Check inertias (6, 6) by link: each must be finite, and should be that of a physical body."""
    for name, J in links:
        if not is_concrete(J):
            continue
        if not sane(J, MAX_INERTIA):
            problem = f"link {name!r}: its inertia has entries that are not finite, or beyond {MAX_INERTIA:g}"
            raise ModelError(problem, file=file)
        for violation in inertia.violations(J):
            complain(f"link {name!r}: {violation}", check, file=file)


ROUNDING = 1e-14
"""Relative distance to 0, 1 or -1 within which a constant is rounded."""
ACCUMULATED = 10 * ROUNDING
"""The same after many changes of frames, whose errors add up: for `optimise`."""
MAX_ROUNDING = 1e-6
"""The largest such distance that may be asked for."""


def bound_of(snap_constants: Any) -> float:
    """The distance that `snap_constants` stands for: True the default, False none, a number itself.

    >>> bound_of(True), bound_of(False), bound_of(1e-10)
    (1e-14, 0.0, 1e-10)
    """
    if isinstance(snap_constants, bool | np.bool_):
        return ROUNDING if snap_constants else 0.0
    if isinstance(snap_constants, int | float) and 0 <= snap_constants <= MAX_ROUNDING:
        return float(snap_constants)
    raise InputError(
        f"snap_constants must be True, False or a number from 0 to {MAX_ROUNDING:g}, got {snap_constants!r}"
    )


def snap(x: Array, bound: float = ROUNDING) -> Array:
    """Entries of a pose or axis within `bound` of 0 and ±1 rounded to them; unchanged if not concrete.

    The rotation of a pose (4, 4) is left alone if rounding would make it less of a rotation.

    >>> snap(np.array([6e-17, 1e-12, 1 - 2e-16, 0.5])).tolist()
    [0.0, 1e-12, 1.0, 0.5]
    """
    if not is_concrete(x):
        return x
    nearest = np.clip(np.round(x), -1.0, 1.0)
    snapped = np.where(np.abs(x - nearest) < bound, nearest, x)
    if x.shape == (4, 4) and np.abs(snapped[:3, :3] @ snapped[:3, :3].T - np.eye(3)).max() > ROUNDING:
        snapped[:3, :3] = x[:3, :3]
    return snapped


def zero_rounding(x: Array, size: Array, bound: float = ROUNDING) -> Array:
    """x with zeros for rounding errors of cancelled numbers of that size; unchanged if not concrete.

    >>> zero_rounding(np.array([1e-17, 1e-12, 3.0]), 3.0).tolist()
    [0.0, 1e-12, 3.0]
    """
    return np.where(np.abs(x) <= bound * size, 0.0, x) if is_concrete(x) and is_concrete(size) else x
