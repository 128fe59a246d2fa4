"""A pose that acts: X_AB as the product of factors that it was made of, X_AB = X_1 X_2 … X_k.

With X = X_AB, as in `adjoint` and `inertia`:

    V_A = X.Ad(V_B)              V_B = X.Ad_inv(V_A)                  twists
    F_B = X.Ad_dual(F_A)         F_A = X.Ad_inv_dual(F_B)             wrenches
    J_A = X.change_frame(J_B)    π_A = X.change_frame_parameters(π_B) inertias
    X_AC = X @ X_BC              X_DB = X_DA @ X                      composition

The factors are applied one after the other, which takes fewer operations than multiplying them first; nobody else needs
to know them. Factors are arrays (..., 4, 4) of any scalar.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from operator import matmul
from typing import Any, TypeVar, final

import numpy as np

from ..arrays import Array
from . import adjoint, inertia

T = TypeVar("T")


@final
@dataclass(init=False, repr=False, eq=False)
class Pose:
    """X_AB, the product of its factors; the identity if there is none.

    >>> shift = np.array([[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    >>> X = Pose(shift, shift)
    >>> X.matrix[:, 3].tolist(), X.Ad(np.array([0, 0, 1, 0, 0, 0])).tolist()
    ([2, 0, 0, 1], [0, 0, 1, 0, -2, 0])
    """

    _factors: tuple[Array, ...]

    __array_ufunc__ = None  # NumPy's arrays leave array @ pose to __rmatmul__

    def __init__(self, *factors: Array) -> None:
        self._factors = factors

    @property
    def matrix(self) -> Array:
        """X (..., 4, 4), multiplied out.

        >>> Pose().matrix.shape
        (4, 4)
        """
        return reduce(matmul, self._factors) if self._factors else np.eye(4)

    def push(self, action: Callable[[Array, T], T], x: T) -> T:
        """Something of B as A has it, by an action (X, x) → x' with (X Y, x) → action(X, action(Y, x)).

        >>> shift = np.array([[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
        >>> Pose(shift, shift).push(lambda X, p: p + X[:3, 3], np.zeros(3)).tolist()
        [2.0, 0.0, 0.0]
        """
        for X in reversed(self._factors):
            x = action(X, x)
        return x

    def pull(self, action: Callable[[Array, T], T], x: T) -> T:
        """Something of A as B has it, by an action (X, x) → x' with (X Y, x) → action(Y, action(X, x)).

        >>> shift = np.array([[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
        >>> Pose(shift, shift).pull(lambda X, p: p - X[:3, 3], np.zeros(3)).tolist()
        [-2.0, 0.0, 0.0]
        """
        for X in self._factors:
            x = action(X, x)
        return x

    def Ad(self, V: Array) -> Array:
        """Ad_X V: V_A (..., 6) of V_B (..., 6)."""
        return self.push(adjoint.Ad, V)

    def Ad_inv(self, V: Array) -> Array:
        """Ad_X⁻¹ V: V_B (..., 6) of V_A (..., 6)."""
        return self.pull(adjoint.Ad_inv, V)

    def Ad_dual(self, F: Array) -> Array:
        """Ad_Xᵀ F: F_B (..., 6) of F_A (..., 6)."""
        return self.pull(adjoint.Ad_dual, F)

    def Ad_inv_dual(self, F: Array) -> Array:
        """Ad_{X⁻¹}ᵀ F: F_A (..., 6) of F_B (..., 6)."""
        return self.push(adjoint.Ad_inv_dual, F)

    def change_frame(self, J: Array) -> Array:
        """J_A (..., 6, 6) of J_B (..., 6, 6), for every symmetric J."""
        return self.push(inertia.change_frame, J)

    def change_frame_parameters(self, pi: Array) -> Array:
        """π_A (..., 10) of π_B (..., 10), a body's ten parameters."""
        return self.push(inertia.change_frame_parameters, pi)

    def __matmul__(self, other: Any) -> Any:
        """X_AC (a Pose) of a Pose X_BC; of an array (4, ...), such as a pose or a point (r, 1), an array."""
        if isinstance(other, Pose):
            return Pose(*self._factors, *other._factors)
        return self.push(matmul, other)

    def __rmatmul__(self, other: Array) -> Array:
        """X_DB (4, 4) of X_DA (4, 4), from left to right."""
        return reduce(matmul, self._factors, other)

    def __repr__(self) -> str:
        return f"Pose({', '.join(map(repr, self._factors))})"
