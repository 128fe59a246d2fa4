"""Base class of constraints; several as one, one at another point of A and B, combinations of the rows of one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np

from ...arrays import Array, concatenate, objects, stack
from ...errors import ModelError
from ...lie import Ad_inv, se3, so3
from ...support.attributes import cached_property
from ..checks import numbers, sane
from ..dual import Dual, depends, derivative_along
from ..record import Record, read_only

TWIST = ("wx", "wy", "wz", "vx", "vy", "vz")


class Constraint(Record, ABC):
    """Rows N(X) V = 0 on the twist V of a frame B relative to a frame A, in B.

    X is the pose of B in A. A class needs `holonomic`, `transmits` and `residual`, and `rows` if some rows constrain
    velocities alone: otherwise rows follow from the residual. `rows_rate`, `bias` and `bias_gradient` follow from the
    rows. All is exact, by dual numbers; what is written saves operations.

    Examples
    --------
    >>> import kinetrace as kt
    >>> rod = kt.closures.Rod(0.5)
    >>> isinstance(rod, kt.closures.Constraint), rod.size, rod.transmits
    (True, 1, ('force along the rod, positive if it pushes',))
    """

    @property
    @abstractmethod
    def holonomic(self) -> tuple[bool, ...]:
        """For each row, whether it constrains a position, and not a velocity alone."""

    @property
    @abstractmethod
    def transmits(self) -> tuple[str, ...]:
        """For each row, a description of the force that it transmits."""

    @property
    def size(self) -> int:
        """Number m of rows."""
        return len(self.holonomic)

    @abstractmethod
    def residual(self, X: Array) -> Array:
        """Residuals of the rows: zero if the constraint holds.

        Parameters
        ----------
        X : array, shape (4, 4)
            Pose of B in A.

        Returns
        -------
        ndarray, shape (m,)
            Residuals [m, rad]; zero in rows that constrain velocities alone.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> kt.closures.HardFinger().residual(kt.lie.se3.pose(np.eye(3), np.array([0.1, 0.0, 0.2])))
        array([0.1, 0. , 0.2])
        """

    def rows(self, X: Array) -> Array:
        """Matrix N of the rows.

        Unless a class has its own, and if all rows constrain positions, N V is the rate of the residual.

        Parameters
        ----------
        X : array, shape (4, 4)
            Pose of B in A.

        Returns
        -------
        ndarray, shape (m, 6)
            The matrix N, in B, angular columns first.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> kt.closures.Rolling(0.3).rows(np.eye(4))
        array([[ 0. , -0.3,  0. ,  1. ,  0. ,  0. ],
               [ 0.3,  0. ,  0. ,  0. ,  1. ,  0. ],
               [ 0. ,  0. ,  0. ,  0. ,  0. ,  1. ]])
        """
        if not all(self.holonomic):
            told = "write rows(self, X), as some of its rows constrain velocities alone"
            raise ModelError(f"the class {type(self).__name__} has no rows: {told}")
        return stack([_rate_along(self.residual, X, e) for e in np.eye(6)], axis=-1)

    @cached_property
    def _has_constant_rows(self) -> bool:
        """Whether N is the same for all X: no entry of it is computed from X."""
        if type(self).rows_rate is not Constraint.rows_rate:
            return False
        try:
            with np.errstate(all="ignore"):
                return not depends(self.rows(objects([Dual(x) for x in np.eye(4).ravel().tolist()], (4, 4))))
        except (ArithmeticError, AttributeError, TypeError, ValueError):  # it computes with X what dual numbers cannot
            return False

    def rows_rate(self, X: Array, V: Array) -> Array:
        """Rate Ṅ of the rows.

        Parameters
        ----------
        X : array, shape (4, 4)
            Pose of B in A.
        V : array, shape (6,)
            Twist of B relative to A, in B, angular part first.

        Returns
        -------
        ndarray, shape (m, 6)
            The rate of N, in B.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> V = np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
        >>> kt.closures.FrictionlessPoint().rows_rate(np.eye(4), V)
        array([[0., 0., 0., 0., 1., 0.]])
        """
        if self._has_constant_rows:
            return np.zeros((self.size, 6))
        return _rate_along(self.rows, X, V)

    def bias(self, X: Array, V: Array) -> Array:
        """Bias Ṅ V of the rows' accelerations.

        Parameters
        ----------
        X : array, shape (4, 4)
            Pose of B in A.
        V : array, shape (6,)
            Twist of B relative to A, in B, angular part first.

        Returns
        -------
        ndarray, shape (m,)
            The bias.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> V = np.array([1.0, 0.0, 0.0, 0.0, 2.0, 0.0])
        >>> kt.closures.FrictionlessPoint().bias(np.eye(4), V)
        array([2.])
        """
        return self.rows_rate(X, V) @ V

    def bias_gradient(self, X: Array, V: Array) -> Array:
        """Derivative of the bias along X ⊕ ε.

        Parameters
        ----------
        X : array, shape (4, 4)
            Pose of B in A.
        V : array, shape (6,)
            Twist of B relative to A, in B, angular part first.

        Returns
        -------
        ndarray, shape (m, 6)
            The derivative.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> V = np.array([1.0, 0.0, 0.0, 0.0, 0.0, 2.0])
        >>> kt.closures.FrictionlessPoint().bias_gradient(np.eye(4), V)
        array([[-2.,  0.,  0.,  0.,  0.,  0.]])
        """
        if self._has_constant_rows:
            return np.zeros((self.size, 6))
        return stack([_rate_along(lambda Y: self.bias(Y, V), X, e) for e in np.eye(6)], axis=-1)

    def ends(self, X: Array) -> Array:
        """Point of A and point of B that the constraint holds together.

        Where it holds, they are one point, but for a `Rod`, which is between them. That of B is its origin, of a wheel
        its contact.

        Parameters
        ----------
        X : array, shape (4, 4)
            Pose of B in A.

        Returns
        -------
        ndarray, shape (2, 3)
            Both points in A [m].

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> X = kt.lie.se3.pose(np.eye(3), np.array([1.0, 0.0, 0.35]))
        >>> kt.closures.Rolling(0.3).ends(X).round(3)
        array([[1.  , 0.  , 0.  ],
               [1.  , 0.  , 0.05]])
        """
        b = se3.translation(X)
        return stack([b - se3.rotation(X) @ (self.rows(X)[:, 3:].T @ self.residual(X)), b], axis=0)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


def _rate_along(function: Callable[[Array], Array], X: Array, V: Array) -> Array:
    """The derivative of a function of the pose of B as it moves by V, in B."""
    return derivative_along(function, X, X @ se3.hat(V))


@final
@dataclass(frozen=True, eq=False)
class Together(Constraint):
    """Several constraints between the same frames."""

    parts: tuple[Constraint, ...]

    @property
    def holonomic(self) -> tuple[bool, ...]:
        return tuple(x for part in self.parts for x in part.holonomic)

    @property
    def transmits(self) -> tuple[str, ...]:
        return tuple(x for part in self.parts for x in part.transmits)

    def residual(self, X: Array) -> Array:
        return concatenate([part.residual(X) for part in self.parts])

    def rows(self, X: Array) -> Array:
        return concatenate([part.rows(X) for part in self.parts], axis=0)

    def rows_rate(self, X: Array, V: Array) -> Array:
        return concatenate([part.rows_rate(X, V) for part in self.parts], axis=0)

    def bias(self, X: Array, V: Array) -> Array:
        return concatenate([part.bias(X, V) for part in self.parts])

    def bias_gradient(self, X: Array, V: Array) -> Array:
        return concatenate([part.bias_gradient(X, V) for part in self.parts], axis=0)


def in_axes_of_b(X: Array, a: Array) -> Array:
    """A vector (3,) that is fixed to A, in the axes of B."""
    return so3.transpose(se3.rotation(X)) @ a


def offset(X: Array) -> Array:
    """The origin of B seen from that of A, (3,), in the axes of B."""
    return in_axes_of_b(X, se3.translation(X))


def across(n: Array) -> Array:
    """Two unit vectors (2, 3) that make a right-handed triad with the unit vector n."""
    n = np.asarray(n, dtype=float)
    e = np.eye(3)[(int(np.argmax(np.abs(n))) + 1) % 3]
    e = e - (e @ n) * n
    e = e / np.linalg.norm(e)
    return np.stack([e, np.cross(n, e)]) + 0.0


def row_names(prefix: str, directions: Array) -> tuple[str, ...]:
    """Names of rows along directions (k, 3) of B: an axis by its letter."""
    found = []
    for d in np.asarray(directions, dtype=float):
        k = int(np.argmax(np.abs(d)))
        exact = np.count_nonzero(np.abs(d) > 1e-12) == 1
        found.append(f"{prefix} along {'xyz'[k] if exact else np.round(d, 4).tolist()}")
    return tuple(found)


@final
@dataclass(frozen=True, eq=False)
class Shifted(Constraint):
    """A constraint between the frames that are at the pose `at` (4, 4) in A and in B."""

    inner: Constraint
    at: Array

    @property
    def holonomic(self) -> tuple[bool, ...]:
        return self.inner.holonomic

    @property
    def transmits(self) -> tuple[str, ...]:
        return self.inner.transmits

    def _there(self, X: Array) -> Array:
        return se3.inverse(self.at) @ X @ self.at

    def _rows_here(self, N: Array) -> Array:
        """Rows (m, 6) for twists in B, from those at the shifted frame: N Ad_{T⁻¹}."""
        return N @ Ad_inv(self.at, np.eye(6)).T

    def residual(self, X: Array) -> Array:
        return self.inner.residual(self._there(X))

    def ends(self, X: Array) -> Array:
        return self.inner.ends(self._there(X)) @ se3.rotation(self.at).T + se3.translation(self.at)

    def rows(self, X: Array) -> Array:
        return self._rows_here(self.inner.rows(self._there(X)))

    def rows_rate(self, X: Array, V: Array) -> Array:
        return self._rows_here(self.inner.rows_rate(self._there(X), Ad_inv(self.at, V)))

    def bias_gradient(self, X: Array, V: Array) -> Array:
        return self._rows_here(self.inner.bias_gradient(self._there(X), Ad_inv(self.at, V)))


@final
@dataclass(frozen=True, eq=False)
class Combined(Constraint):
    """Linear combinations of the rows of a constraint, without those that follow from other closures.

    `factors` (k, m) are constant: in a planar loop, the row of a ball joint along the normal of the plane follows from
    the hinges, and two combinations of the three rows remain.
    """

    inner: Constraint
    factors: Array

    def __post_init__(self) -> None:
        C = np.atleast_2d(numbers(self.factors, "factors of Combined"))
        if C.ndim != 2 or not len(C) or C.shape[1] != self.inner.size:
            raise ModelError(f"factors of Combined must have shape (k, {self.inner.size}), got {C.shape}")
        if not sane(C) or not all(self.inner.holonomic):
            raise ModelError("factors of Combined must be finite, and its rows constrain positions")
        object.__setattr__(self, "factors", read_only(C))

    @property
    def holonomic(self) -> tuple[bool, ...]:
        return (True,) * len(self.factors)

    @property
    def transmits(self) -> tuple[str, ...]:
        said = self.inner.transmits
        return tuple(said[int(np.argmax(row))] if _is_one(row) else f"{row.tolist()} of {said}" for row in self.factors)

    def residual(self, X: Array) -> Array:
        return self.factors @ self.inner.residual(X)

    def ends(self, X: Array) -> Array:
        return self.inner.ends(X)

    def rows(self, X: Array) -> Array:
        return self.factors @ self.inner.rows(X)

    def rows_rate(self, X: Array, V: Array) -> Array:
        return self.factors @ self.inner.rows_rate(X, V)

    def bias(self, X: Array, V: Array) -> Array:
        return self.factors @ self.inner.bias(X, V)

    def bias_gradient(self, X: Array, V: Array) -> Array:
        return self.factors @ self.inner.bias_gradient(X, V)


def _is_one(row: Array) -> bool:
    """Whether a combination is one row as it is."""
    return int(np.count_nonzero(row)) == 1 and float(np.max(row)) == 1.0
