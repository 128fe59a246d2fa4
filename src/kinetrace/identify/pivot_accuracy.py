"""How well the pivots D(k) of the mass matrix are known from an identification.

The mass matrix M(q), and with it the pivots D(k) of M = W Wᵀ, Kozłowski's articulated inertias along the joints, are
functions of base parameters β alone. With Σ the covariance of β, to first order

    var D(k) = (∂D/∂β) Σ (∂D/∂β)ᵀ          ∂D/∂β = ∂D/∂π at the columns that base parameters keep
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..algorithms import mass_pivots
from ..algorithms.registry.declaration import check_tree
from ..arrays import Array
from ..engine.compilation.compile import compile
from ..engine.derivative import jacobian
from ..errors import InputError
from ..model import Model
from ..robot.types import Float
from ..support.conversion import finite
from ..support.keywords import known_keywords
from .fitting import Fit
from .identification import Identification


@dataclass(frozen=True, eq=False)
class PivotErrors:
    """Pivots D(k) of the mass matrix at some configurations, with standard errors; made by `pivot_errors`.

    Parameters
    ----------
    pivots : ndarray, shape (..., nv)
        Pivots [kg m², kg].
    errors : ndarray, shape (..., nv)
        Standard errors [kg m², kg]; infinite where a pivot depends on what the motion did not excite.
    slopes : ndarray, shape (..., nv, count)
        Derivatives of the pivots by base parameters.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> robot, rng = kt.load("planar2r"), np.random.default_rng(0)
    >>> q, v, a = rng.normal(size=(3, 100, 2))
    >>> tau = robot.inverse_dynamics(q, v, a) + 0.1 * rng.normal(size=(100, 2))
    >>> kt.identify.pivot_errors(kt.identify.fit(robot, q, v, a, tau), [0.0, 1.0])
    PivotErrors(largest relative error 0.019)
    """

    pivots: Float
    errors: Float
    slopes: Float

    @property
    def relative(self) -> Float:
        """(..., nv) standard errors over pivots."""
        return self.errors / self.pivots

    def __repr__(self) -> str:
        return f"PivotErrors(largest relative error {self.relative.max(initial=0.0):.2g})"


@known_keywords
def pivot_errors(found: Fit | Identification, q: npt.ArrayLike) -> PivotErrors:
    """Pivots of the mass matrix and their standard errors from those of base parameters.

    Parameters
    ----------
    found : Fit or Identification
        What was identified.
    q : array_like, shape (..., nq)
        Configurations.

    Returns
    -------
    PivotErrors
        Pivots and errors, to first order in the errors of base parameters.

    Raises
    ------
    InputError
        If the robot has closures: joint forces then do not tell the mass matrix of its tree.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> robot, rng = kt.load("planar2r"), np.random.default_rng(0)
    >>> q, v, a = rng.normal(size=(3, 100, 2))
    >>> tau = robot.inverse_dynamics(q, v, a) + 0.1 * rng.normal(size=(100, 2))
    >>> found = kt.identify.pivot_errors(kt.identify.fit(robot, q, v, a, tau), [0.0, 1.0])
    >>> found.pivots.round(2), found.errors.round(2)
    (array([1.11, 0.33]), array([0.01, 0.01]))
    """
    if not isinstance(found, Fit | Identification):
        raise InputError(f"expected a Fit or an Identification, got {type(found).__name__}")
    result = found.fit if isinstance(found, Identification) else found
    robot: Any = result.robot._exact()
    model: Model = robot.model
    check_tree("pivot_errors", model, "joint forces do not determine the mass matrix of a tree in loops, nor pivots")
    at = finite("q", q, model.nq)
    slopes = slopes_by_base(model, result, at)
    open_ones = ~np.isfinite(np.diag(result.covariance))
    known = np.where(open_ones[:, None] | open_ones, 0.0, result.covariance)
    variance = np.einsum("...ka,ab,...kb->...k", slopes, known, slopes)
    unknown_part = np.abs(slopes[..., open_ones]).max(axis=-1, initial=0.0)
    scale = np.abs(slopes).max(axis=-1, initial=0.0)
    errors = np.where(unknown_part > 1e-9 * scale, np.inf, np.sqrt(np.maximum(variance, 0.0)))
    return PivotErrors(np.asarray(compile(mass_pivots, model)(at)), errors, slopes)


def slopes_by_base(model: Model, found: Fit, q: Array) -> Array:
    """∂D/∂β (..., nv, count)."""
    base = found.base
    first = 10 * len(model.bodies)
    by_bodies, by_rotors = compile(jacobian(mass_pivots, wrt=("inertial", "armature")), model)(q)
    rest = np.zeros((*q.shape[:-1], model.nv, len(base.parameters) - first))
    if "rotor" in found.joints:
        rest[..., -model.nv :] = by_rotors @ _coordinates(model)
    whole = np.concatenate([by_bodies.reshape(*by_bodies.shape[:-2], first), rest], axis=-1)
    return np.asarray(whole[..., base.columns])


def _coordinates(model: Model) -> Array:
    """Where the rotors of `parameters("armature")` are among all velocities: zeros and ones (k, nv)."""
    rows = []
    for body in model.bodies:
        if body.joint.has_coordinates:
            row = np.zeros((body.joint.nv, model.nv))
            if body.mimic is None:
                row[:, model.joint_slices(body.joint_name)[1]] = np.eye(body.joint.nv)
            rows.append(row)
    return np.concatenate([np.zeros((0, model.nv)), *rows])
