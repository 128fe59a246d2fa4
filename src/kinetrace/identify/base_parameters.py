"""Base parameters: the combinations of inertial parameters that joint forces depend on, and no more.

    Y(q, v, v̇) π = Y[:, columns] (B π)        for all motions

Y has dependent columns: π itself cannot be found from forces, the base parameters B π can. Two ways to find B:

    "structural"   joint by joint, from the geometry (`structure`); couplings of mimic joints by samples
    "numerical"    from the rank of Y stacked over random states (Gautier 1991)

Both span the same rows. Columns are kept body by body from the base on, in each body first moments, then moments of
inertia, then mass, as far as they are independent: what is left out is regrouped toward the base, as in Gautier and
Khalil (1990).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..algorithms.registry.forms import Forms
from ..arrays import Array
from ..errors import InputError, lookup
from ..robot import Robot
from ..robot.types import Float
from ..support.conversion import as_flag, as_reals, as_rng
from ..support.keywords import known_keywords
from .identifiable_spaces import anywhere, span, structural_rows

_ORDER = (1, 2, 3, 4, 5, 6, 7, 8, 9, 0)
"""The order in which a body's parameters are kept: the mass last."""
_CLEAR_RATIO, _SMALLEST_VALUE = 1e-2, 1e-7
"""Thresholds of the independent part of a column to be kept: first those that are clear, then any."""


@dataclass(frozen=True, eq=False)
class BaseParameters:
    """Base parameters B π of a robot, of which there are `count`; p is the number of its parameters.

    Parameters
    ----------
    parameters : tuple of str
        Names of all p parameters: the columns of `Robot.regressor`.
    columns : ndarray, shape (count,)
        Columns of the regressor that are kept.
    regrouping : ndarray, shape (count, p)
        Matrix B, with B[:, columns] = 1.
    gap : float
        Least singular value kept, over the largest taken for rounding: the count is certain if it is large.

    Examples
    --------
    >>> import kinetrace as kt
    >>> base = kt.identify.base_parameters(kt.load("planar2r"))
    >>> base, base.names
    (BaseParameters(6 of 20), ('link1.hx', 'link1.hz', 'link1.Iyy', 'link2.hx', 'link2.hz', 'link2.Iyy'))
    """

    parameters: tuple[str, ...]
    """The names of all p parameters: the columns of `Robot.regressor`."""
    columns: npt.NDArray[np.intp]
    """(count,) the columns of the regressor that are kept."""
    regrouping: Float
    """B (count, p), with B[:, columns] = 1."""
    gap: float
    """The least singular value kept, over the largest taken for rounding: the count is certain if it is large."""

    @property
    def count(self) -> int:
        """The number of base parameters: the rank of the stacked regressor."""
        return len(self.columns)

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters that are kept, each one the first of its group."""
        return tuple(self.parameters[i] for i in self.columns)

    @property
    def groupings(self) -> tuple[str, ...]:
        """Each base parameter as a sum, such as "link1.Izz + link2.m"; coefficients below 1e-8 are left out."""
        return tuple(self._sum(row, i) for i, row in zip(self.columns, self.regrouping, strict=True))

    @property
    def unidentifiable(self) -> tuple[str, ...]:
        """The parameters that no joint force depends on."""
        unseen = np.abs(self.regrouping).max(axis=0, initial=0) < 1e-8
        return tuple(name for name, no in zip(self.parameters, unseen, strict=True) if no)

    def of(self, pi: npt.ArrayLike) -> Float:
        """Base parameters B π of given parameters.

        Parameters
        ----------
        pi : array_like, shape (..., p) or (..., nb, 10)
            All parameters, or those of the bodies if there are no others.

        Returns
        -------
        ndarray, shape (..., count)
            B π.

        Raises
        ------
        InputError
            If `pi` has another shape.

        Examples
        --------
        >>> import kinetrace as kt
        >>> robot = kt.load("planar2r")
        >>> kt.identify.base_parameters(robot).of(robot.parameters("inertial")).round(3)
        array([1.5  , 0.   , 1.333, 0.5  , 0.   , 0.333])
        """
        x = as_reals("pi", pi)
        if x.ndim > 1 and x.shape[-1] == 10 and x.shape[-2] * 10 == len(self.parameters):
            x = x.reshape(*x.shape[:-2], -1)
        if x.shape[-1:] != (len(self.parameters),):
            raise InputError(f"pi must have shape (..., {len(self.parameters)}), got {x.shape}")
        return x @ self.regrouping.T

    def _sum(self, row: Float, first: int) -> str:
        others = [i for i in np.flatnonzero(np.abs(row) >= 1e-8) if i != first]
        terms = [f" {'-' if row[i] < 0 else '+'} {_factor(abs(row[i]))}{self.parameters[i]}" for i in others]
        return self.parameters[first] + "".join(terms)

    def __repr__(self) -> str:
        return f"BaseParameters({self.count} of {len(self.parameters)})"


def check_robot(robot: object) -> None:
    """An error unless this is a robot."""
    if not isinstance(robot, Robot):
        raise InputError(f"expected a Robot, got {robot!r}; Robot(model) makes one of a model")


def _factor(c: float) -> str:
    return "" if f"{c:.6g}" == "1" else f"{c:.6g} "


@known_keywords
def base_parameters(
    robot: Robot,
    *,
    method: str = "structural",
    friction: bool = False,
    rotor: bool = False,
    seed: int = 0,
    tol: float = 1e-9,
) -> BaseParameters:
    """Base parameters of a robot: the combinations of its parameters that joint forces depend on.

    Parameters
    ----------
    robot : Robot
        Robot whose parameters are to be found.
    method : {"structural", "numerical"}, default "structural"
        From the geometry, joint by joint, or from the rank of the regressor at random states.
    friction : bool, default False
        Whether to include viscous and Coulomb friction of the joints, as in `Robot.regressor`.
    rotor : bool, default False
        Whether to include the inertias of rotors, as in `Robot.regressor`.
    seed : int, default 0
        Seed of the samples.
    tol : float, default 1e-9
        Singular values below this, relative to the largest, are taken for rounding.

    Returns
    -------
    BaseParameters
        The base parameters.

    Raises
    ------
    InputError
        If `robot` is no robot, or an argument is not valid.

    Examples
    --------
    >>> import kinetrace as kt
    >>> kt.identify.base_parameters(kt.load("planar2r")).groupings
    ('link1.hx + link2.m', 'link1.hz', 'link1.Iyy + link2.m', 'link2.hx', 'link2.hz', 'link2.Iyy')
    """
    check_robot(robot)
    if not 0 < tol < 1:
        raise InputError(f"tol must be between 0 and 1, got {tol!r}")
    friction, rotor = as_flag("friction", friction), as_flag("rotor", rotor)
    names = robot.parameter_names(friction=friction, rotor=rotor)
    rows, gap = lookup("method", method, _METHODS)(robot, rotor, seed, tol)
    n, start = 2 * robot.nv * friction, 10 * len(robot.model.bodies)
    if friction:  # v and v/√(v² + w²) are no combinations of accelerations and squares
        joints = np.concatenate([np.zeros((n, start)), np.eye(n), np.zeros((n, robot.nv * rotor))], axis=1)
        spread = np.insert(rows, [start] * n, 0.0, axis=1)
        rows = np.concatenate([spread, joints])
    columns = _independent_columns(rows, _order(robot, n, rotor))
    B = np.linalg.solve(rows[:, columns], rows)
    B = np.where(np.abs(B) < 1e-12, 0.0, B)
    B[:, columns] = np.eye(len(columns))
    return BaseParameters(names, columns, B, gap)


def _structural(robot: Robot, rotor: bool, seed: int, tol: float) -> tuple[Array, float]:
    rows, gap = structural_rows(robot.model, rotor, seed, tol)
    rows = span([rows], 1e-12)[0]
    if not robot.model.coupled_joints and not robot.model.closures:
        return rows, gap
    sampled, gap_coupled = _row_space(_stack_regressors(robot, rotor, seed) @ rows.T, tol)
    return span([sampled @ rows], 1e-12)[0], min(gap, gap_coupled)


def _numerical(robot: Robot, rotor: bool, seed: int, tol: float) -> tuple[Array, float]:
    return _row_space(_stack_regressors(robot, rotor, seed), tol)


_METHODS: dict[str, Callable[[Robot, bool, int, float], tuple[Array, float]]] = {
    "structural": _structural,
    "numerical": _numerical,
}


def _stack_regressors(robot: Robot, rotor: bool, seed: int) -> Array:
    """Y over random states, with three times as many rows as columns."""
    model, rng = robot.model, as_rng(seed)
    n = 20 + 30 * len(model.bodies) // max(robot.nv, 1)
    parts = [anywhere(body.joint, rng, n) for body in model.independent_joints]
    q = np.concatenate([np.zeros((n, 0)), *parts], axis=1)
    v, a = rng.normal(size=(2, n, robot.nv)) * 3
    Y = _REGRESSORS.of(model)(robot._exact(), rng, rotor, q, v, a)
    return Y.reshape(-1, Y.shape[-1])


def _tree_regressor(robot: Robot, rng: np.random.Generator, rotor: bool, q: Array, v: Array, a: Array) -> Array:
    return robot.regressor(q, v, a, friction=False, rotor=rotor)


def _closed_regressor(robot: Robot, rng: np.random.Generator, rotor: bool, q: Array, v: Array, a: Array) -> Array:
    """Gᵀ Y near these configurations, for other random motions, which closures allow."""
    q = robot.assemble(q)
    q = q[np.all(np.isfinite(q), axis=1)]
    y, dy = rng.normal(size=(2, len(q), robot.dof)) * 3
    v = (robot.velocity_map(q) @ y[..., None])[..., 0]
    return robot.reduced_regressor(q, v, robot.closed_acceleration(q, v, dy), friction=False, rotor=rotor)


_REGRESSORS = Forms(tree=_tree_regressor, closed=_closed_regressor)


def _row_space(W: Array, tol: float) -> tuple[Array, float]:
    """Orthonormal rows that span those of W, its columns scaled to one size before the rank is found."""
    sizes = np.linalg.norm(W, axis=0)
    seen = sizes > tol * sizes.max(initial=0)
    rows, gap = span([W / np.where(seen, sizes, np.inf)], tol)
    return span([rows * sizes], 1e-12)[0], gap


def _order(robot: Robot, n_friction: int, rotor: bool) -> list[int]:
    """The columns, body by body from the base, each with its joint's rotors; then those of friction."""
    model, order = robot.model, []
    start = 10 * len(model.bodies)
    for body in model.bodies:
        order += [10 * body.index + i for i in _ORDER]
        if rotor and body.mimic is None:
            where = model.joint_slices(body.joint_name)[1]
            order += range(start + n_friction + where.start, start + n_friction + where.stop)
    return [*order, *range(start, start + n_friction)]


def _independent_columns(rows: Array, order: list[int]) -> npt.NDArray[Any]:
    """As many columns of orthonormal rows as there are rows: the first in the order that are independent."""
    rest, kept = rows, list[int]()
    for threshold in (_CLEAR_RATIO, _SMALLEST_VALUE):
        for i in order:
            x = rest[:, i]
            size = np.linalg.norm(x)
            if len(kept) < len(rows) and i not in kept and size > threshold:
                kept.append(i)
                rest = rest - np.outer(x / size, (x / size) @ rest)
    return np.array(sorted(kept), dtype=np.intp)
