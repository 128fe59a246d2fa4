"""From how far a regulator brings a robot back: closed-loop simulations from random states of an ellipsoid.

States are uniform in {x : xᵀ P x ≤ ρ}, P the cost to go. A state converged if its level xᵀ P x fell to less than a
thousandth, and no row of its motion was beyond the limits of positions. If f of n states that are drawn afresh fail,
the part of the ellipsoid that fails is, with the confidence c, less than p, where f or fewer failures have the
probability 1 − c (Clopper and Pearson 1934): for f = 0, p = 1 − (1 − c)^(1/n), about 3/n for 95 %. It is a statement
about volume under the simulated dynamics, no proof.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ...algorithms.closed.closures import closure_jacobian, row_selection
from ...algorithms.closed.independent_velocities import embedding, position_split
from ...algorithms.constraints.joint_rows import has_dry_friction
from ...arrays import Array
from ...errors import InputError, SimulationWarning
from ...model.model import Model
from ...robot.common import velocity_map_of
from ...support.conversion import as_count, as_rng, positive, steps_of
from ...support.optional import require_package
from .linear import Float, coordinates

if TYPE_CHECKING:
    from .regulator import Regulator

MOST_ROUNDS, CONVERGED_FALL, TIME_CONSTANTS = 40, 1e-3, 12.0
"""Most tests of a search, the fall of xᵀ P x that counts as convergence, and time constants that are simulated."""
CHECKED_ROWS = 400
"""Rows, or up to twice as many, of a motion that are compared with limits of positions."""


@dataclass(frozen=True, eq=False)
class RegionOfAttraction:
    """Region from which a regulator was seen to converge; made by `Regulator.region`.

    Parameters
    ----------
    rho : float
        Size of the ellipsoid xᵀ P x ≤ ρ that was tested.
    tested : int
        Number of states that were drawn afresh in it.
    failed : int
        How many of them did not converge.
    fraction : float
        Upper bound of the part of the ellipsoid's volume that fails, with the confidence below.
    confidence : float
        Confidence of `fraction`.
    x : ndarray, shape (n, k)
        All errors that were tried, of the search too.
    level : ndarray, shape (n,)
        Their xᵀ P x.
    converged : ndarray of bool, shape (n,)
        Which of them converged.
    nearest : float
        The least level of a state that failed; infinite if none did.

    Examples
    --------
    >>> import kinetrace as kt
    >>> regulator = kt.motion.lqr(kt.load("planar2r"), [1.5, 0.1], effort=20.0)
    >>> regulator.region(rho=0.5, samples=50)
    Region(rho=0.5: 50 of 50 random states converged, so less than 5.8 % of it fail, with 95 % confidence)
    """

    rho: float
    tested: int
    failed: int
    fraction: float
    confidence: float
    x: Float = field(repr=False)
    level: Float = field(repr=False)
    converged: npt.NDArray[np.bool_] = field(repr=False)
    nearest: float = field(repr=False)

    def __repr__(self) -> str:
        some = f"{self.tested - self.failed} of {self.tested} random states converged"
        sure = f"so less than {100 * self.fraction:.2g} % of it fail, with {100 * self.confidence:g} % confidence"
        return f"Region(rho={self.rho:.3g}: {some}, {sure})"


def region(
    regulator: Regulator, samples: Any, t: Any, dt: Any, rho: Any, confidence: Any, seed: Any, progress: Any
) -> RegionOfAttraction:
    """See `Regulator.region`."""
    special = require_package("scipy.special", "region", "motion")
    n, rng = as_count("samples", samples, 1), as_rng(seed)
    if not 0.0 < float(confidence) < 1.0:
        raise InputError(f"confidence must be between 0 and 1, got {confidence!r}")
    if any(map(has_dry_friction, regulator.robot.model.bodies)):
        what = f"region of attraction: dry friction holds {regulator.robot.name!r} before it is at the state"
        raise InputError(f"{what}, so that no states converge to it; simulate(..., controller=) shows where it stays")
    if regulator.K.ndim > 2:
        raise InputError(f"one regulator at a time: take regulator.lane(...) of the batch {regulator.K.shape[:-2]}")
    trial = _Trial(regulator, t, dt, progress)
    tried: list[tuple[Float, Float, npt.NDArray[np.bool_]]] = []
    if rho is None:
        size, failed_at = trial.first, np.inf
        for _ in range(MOST_ROUNDS):
            tried.append(trial(size, n, rng))
            _, level, good = tried[-1]
            if good.all() and np.isfinite(failed_at):
                break
            failed_at = min(failed_at, level[~good].min(initial=np.inf))
            size = 0.95 * failed_at if np.isfinite(failed_at) else 4.0 * size
            if size > trial.largest:
                size = trial.largest
                break
    else:
        size = positive("rho", rho)
    tried.append(trial(size, n, rng))
    failed = int((~tried[-1][2]).sum())
    bound = 1.0 if failed == n else float(special.betaincinv(failed + 1, n - failed, float(confidence)))
    x, level, good = (np.concatenate(parts) for parts in zip(*tried, strict=True))
    return RegionOfAttraction(
        rho=size,
        tested=n,
        failed=failed,
        fraction=bound,
        confidence=float(confidence),
        x=x,
        level=level,
        converged=good,
        nearest=float(level[~good].min(initial=np.inf)),
    )


class _Trial:
    """Simulates random states of an ellipsoid."""

    def __init__(self, regulator: Regulator, t: Any, dt: Any, progress: Any) -> None:
        self.regulator, self.progress = regulator, progress
        used = np.flatnonzero(np.abs(regulator.P).max(axis=0))
        P = regulator.P[np.ix_(used, used)]
        scales, axes = np.linalg.eigh(P)
        if not len(used) or scales[0] <= 1e-13 * scales[-1]:
            raise InputError("P is singular: the ellipsoid of a region would have no bounds; raise Q")
        self.used, self.to_x = used, axes / np.sqrt(scales)
        self.first, self.largest = float(scales[0]), float(scales[-1]) * 1e4
        rates = regulator.rates
        step = regulator.dt or min(0.01, 0.1 / float(rates[-1]))
        self.t = positive("t", TIME_CONSTANTS / float(rates[0]) if t is None else t)
        self.dt = positive("dt", step if dt is None else dt)

    def __call__(self, rho: float, n: int, rng: np.random.Generator) -> tuple[Float, Float, npt.NDArray[np.bool_]]:
        """Errors (n, k), their levels, and whether they converged."""
        regulator, robot, k = self.regulator, self.regulator.robot, len(self.used)
        z = rng.normal(size=(n, k))
        z *= rng.random((n, 1)) ** (1.0 / k) / np.linalg.norm(z, axis=1, keepdims=True)
        x = np.zeros((n, len(regulator.names)))
        x[:, self.used] = np.sqrt(rho) * z @ self.to_x.T
        q, v = self._states(x)
        x = np.asarray(regulator.error(0.0, q, v))  # of closed chains, where projection moves them
        steps = steps_of(self.t, self.dt)[0]
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", SimulationWarning)  # states may diverge
            every = steps if regulator.position is None else max(1, steps // CHECKED_ROWS)
            how = {"compiled": True, "record": every, "progress": self.progress}
            motion = robot.simulate(q, v, self.t, self.dt, controller=regulator, **how)
            last = np.asarray(regulator.error(motion.t[-1], motion.q[:, -1], motion.v[:, -1]))
            after = np.einsum("ni,ij,nj->n", last, regulator.P, last)
        level = np.einsum("ni,ij,nj->n", x, regulator.P, x)
        good = (after <= CONVERGED_FALL * level) & np.isfinite(after)
        if regulator.position is not None:
            lower, upper = regulator.position
            good &= ((motion.q >= lower - 1e-9) & (motion.q <= upper + 1e-9)).all(axis=(-2, -1))
        return x, level, good

    def _states(self, x: Float) -> tuple[Float, Float]:
        """States with these errors; of closed chains, the nearest that are closed."""
        regulator, robot = self.regulator, self.regulator.robot
        p, _ = coordinates(robot)
        dp, dy = x[:, : len(p)], x[:, len(p) :]
        G = place_map(robot.model, regulator.q)
        q = np.asarray(robot.project(robot.integrate(regulator.q, dp @ G.T)))
        v = regulator.v + (velocity_map_of(robot, q) @ dy[..., None])[..., 0]
        q, v = robot.project(q, v)
        return np.asarray(q), np.asarray(v)


def place_map(model: Model, q: Array) -> Array:
    """G_p (nv, k): changes of q that the closures allow, by those of the free positions."""
    by_place = position_split(model)
    K = closure_jacobian(model, q)
    return embedding(model, by_place, row_selection(model, K, by_place.candidates) @ K)
