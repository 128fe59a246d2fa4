"""Inertial parameters from measured motions and forces.

    minimise Σ |Y(q, v, v̇) π − τ|² / σ²                 σ_i the noise of joint i's force

in base parameters β = B π by least squares, whose answer is unique, and then in π itself. Beside π the data leave
freedom, which the robot's own parameters π° settle:

    physical=True    π = π(θ) in log-Cholesky coordinates (Rucker and Wensing 2022): every body is one that can exist;
                     |θ − θ°|² / spread² is added to the sum (`nearest_bodies`)
    physical=False   π = π° + B⁺ (β − B π°): the nearest that fits, possible or not

The data enter by the triangular factor of the stacked, weighted regressor (Gautier 1997), made piece by piece.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ..arrays import Array
from ..errors import InputError
from ..lie import inertia
from ..robot import Robot
from ..robot.types import Float
from ..support.conversion import as_flag, as_positive, as_reals
from ..support.keywords import known_keywords
from .base_parameters import BaseParameters, base_parameters, check_robot
from .regression_data import COLUMN_EFFECTS, Data, joint_kinds, joint_values

_REWEIGHTINGS = 10
"""Times that rows are weighted anew by what is left of them."""


@dataclass(frozen=True, eq=False)
class Fit:
    """Parameters of a robot that were found from data; made by `fit`.

    Parameters
    ----------
    base : BaseParameters
        Base parameters of the robot.
    values : ndarray, shape (count,)
        Base parameters β by least squares.
    errors : ndarray, shape (count,)
        Their standard errors; infinite where the motion does not excite them.
    covariance : ndarray, shape (count, count)
        Their covariance, whose diagonal has the squares of `errors`.
    condition : float
        Condition number of the stacked regressor, its columns scaled to one size: of a good motion below 100; infinite
        if the data do not determine all base parameters.
    noise : ndarray, shape (dof,)
        Standard deviations of the forces that rows were weighted by [N m, N].
    rms_base : ndarray, shape (dof,)
        Root mean square of the joint forces that the base parameters do not explain [N m, N].
    pi : ndarray, shape (nb, 10)
        Parameters of the bodies.
    joints : dict of str to ndarray, shape (nv,)
        Parameters "viscous", "coulomb" and "rotor" of the joints, those that were asked for.
    rms : ndarray, shape (dof,)
        Root mean square of the joint forces that `pi` and `joints` do not explain [N m, N].
    robot : Robot
        Robot with the parameters `pi` and `joints` (none below zero); other joint effects are those of the given one.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> robot, rng = kt.load("planar2r"), np.random.default_rng(0)
    >>> q, v, a = rng.normal(size=(3, 100, 2))
    >>> heavy = robot.with_parameters(inertial=2 * robot.parameters("inertial"))
    >>> found = kt.identify.fit(robot, q, v, a, heavy.inverse_dynamics(q, v, a))
    >>> found.pi[:, 0].round(2)  # masses
    array([1.9 , 1.94])
    >>> bool(found.condition < 100)
    True
    """

    base: BaseParameters
    values: Float
    """β (count,): base parameters by least squares."""
    errors: Float
    """(count,) their standard errors; infinite where the motion does not excite them."""
    covariance: Float
    """(count, count) their covariance."""
    condition: float
    """Condition number of the stacked regressor, its columns scaled to one size: below 100 for a good motion.

    Infinite if the data do not determine all base parameters."""
    noise: Float
    """(dof,) standard deviations of the forces that rows were weighted by."""
    rms_base: Float
    """(dof,) root mean square of the joint forces that the base parameters do not explain."""
    pi: Float
    """(nb, 10): the bodies' parameters."""
    joints: dict[str, Float]
    """"viscous", "coulomb" and "rotor" → (nv,), those that were asked for."""
    rms: Float
    """(dof,) root mean square of the joint forces that `pi` and `joints` do not explain."""
    robot: Robot
    """The robot with the parameters `pi` and `joints`; other joint effects are those of the given one."""

    def __repr__(self) -> str:
        return f"Fit({self.base!r}, condition={self.condition:.3g}, rms={np.sqrt(np.mean(self.rms**2)):.3g})"


@known_keywords
def fit(
    robot: Robot,
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    a: npt.ArrayLike,
    tau: npt.ArrayLike,
    *,
    friction: bool = False,
    rotor: bool = False,
    noise: npt.ArrayLike | None = None,
    physical: bool = True,
    spread: float = 1.0,
    robust: bool = False,
) -> Fit:
    """Fit the parameters of a robot to measured motions and joint forces.

    With closures, forces are compared along the independent velocities: `noise` has one entry for each of these. The
    known effects of the robot's joints (`Robot.with_joint_effects`) are subtracted from tau first: with `friction` all
    but damping and friction, with `rotor` all but the armature, which are then found. Friction has the law of
    `Robot.with_joint_effects`, smoothed over the robot's `friction_width`. What mimic joints do by themselves is known.

    Parameters
    ----------
    robot : Robot
        Robot whose parameters are to be found.
    q : array_like, shape (..., nq)
        Configurations; the leading axes of q, v, a and tau broadcast.
    v : array_like, shape (..., nv)
        Velocities [rad/s, m/s].
    a : array_like, shape (..., nv)
        Accelerations [rad/s², m/s²].
    tau : array_like, shape (..., nv)
        Joint forces [N m, N].
    friction : bool, default False
        Whether to include viscous and Coulomb friction of the joints, as in `Robot.regressor`.
    rotor : bool, default False
        Whether to include the inertias of rotors, as in `Robot.regressor`.
    noise : array_like, shape (dof,), optional
        Standard deviations of the forces [N m, N], dof = nv without closures; unless given, estimated from the residual
        of a first fit.
    physical : bool, default True
        Whether all bodies must be physically possible.
    spread : float, default 1.0
        How far, in log-Cholesky coordinates, a body may be from the robot's own where the data do not determine it.
    robust : bool, default False
        Whether forces far from what the fit explains count less, as Huber's: for data with outliers.

    Returns
    -------
    Fit
        The parameters, with their errors and residuals.

    Raises
    ------
    InputError
        If an array has another shape, or an argument is not valid.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> robot, rng = kt.load("planar2r"), np.random.default_rng(0)
    >>> q, v, a = rng.normal(size=(3, 100, 2))
    >>> heavy = robot.with_parameters(inertial=2 * robot.parameters("inertial"))
    >>> found = kt.identify.fit(robot, q, v, a, heavy.inverse_dynamics(q, v, a))
    >>> found.values.round(3) + 0.0
    array([3.   , 0.   , 2.667, 1.   , 0.   , 0.667])
    >>> found.base.of(heavy.parameters("inertial")).round(3)
    array([3.   , 0.   , 2.667, 1.   , 0.   , 0.667])
    """
    friction, rotor, physical, robust = (
        as_flag(*x) for x in (("friction", friction), ("rotor", rotor), ("physical", physical), ("robust", robust))
    )
    check_robot(robot)
    return fit_data(
        robot, Data.of(robot, [(q, v, a, tau)], friction, rotor), noise, physical=physical, spread=spread, robust=robust
    )


def fit_data(
    robot: Robot,
    data: Data,
    noise: npt.ArrayLike | None,
    *,
    physical: bool,
    spread: float,
    robust: bool,
) -> Fit:
    """The fit of a robot to data; see `fit`."""
    spread = as_positive("spread", spread)
    base = base_parameters(robot, friction=data.friction, rotor=data.rotor)
    own, kinds = robot.parameters("inertial"), joint_kinds(data.friction, data.rotor)
    prior = np.concatenate([own.ravel(), *(joint_values(robot.model, kind) for kind in kinds)])
    if noise is None:
        R, z = data.triangular(base, np.ones(robot.model.dof))
        beta = solve(R, z, base.of(prior))
        noise = _noise(data, base, beta, robust)
    sigma = deviations(noise, data)
    R, z = data.triangular(base, sigma)
    beta = solve(R, z, base.of(prior))
    for _ in range(_REWEIGHTINGS * robust):
        R, z = data.triangular(base, sigma, about=beta)
        beta = solve(R, z, base.of(prior))
    p = prior + np.linalg.pinv(base.regrouping) @ (beta - base.of(prior))
    if physical:
        p = nearest_bodies(base, R, z, p, own, spread)
    pi, rest = p[: own.size].reshape(-1, 10), p[own.size :].reshape(len(kinds), robot.nv)
    covariance = covariance_of(R)
    return Fit(
        base,
        beta,
        np.sqrt(np.diag(covariance)),
        covariance,
        condition_of(R),
        sigma,
        data.rms(base.columns, beta),
        pi,
        dict(zip(kinds, rest, strict=True)),
        data.rms(np.arange(len(p)), p),
        _robot_with(robot, pi, dict(zip(kinds, rest, strict=True))),
    )


def _robot_with(robot: Robot, pi: Float, joints: dict[str, Float]) -> Robot:
    """The robot with all that was found: bodies, friction and rotors."""
    made: Any = robot.with_parameters(inertial=pi, check="ignore")
    for body in robot.model.independent_joints:  # what mimic joints have was taken for known
        at = robot.model.joint_slices(body.joint_name)[1]
        values = {COLUMN_EFFECTS[kind]: np.maximum(x[at], 0.0) for kind, x in joints.items()}
        if not body.joint.has_coordinates:
            values.pop("armature", None)
        if values and body.joint.nv:
            made = made.with_joint_effects(body.joint_name, **values)
    found: Robot = made
    return found


def _noise(data: Data, base: BaseParameters, beta: Array, robust: bool) -> Array:
    """Deviations (dof,) of the forces from what base parameters explain; robust ones do not see rows far off."""
    if not robust:
        return data.rms(base.columns, beta)
    _, left = data.residuals(base.columns, beta)
    return 1.4826 * np.median(np.abs(left), axis=0)


def deviations(noise: npt.ArrayLike, data: Data) -> Array:
    """The standard deviations (dof,) of the forces, none of them zero."""
    sigma, nv = as_reals("noise", noise), data.robot.model.dof
    if sigma.shape not in ((), (nv,)) or not np.all((sigma >= 0) & np.isfinite(sigma)):
        raise InputError(f"noise must be {nv} numbers that are not negative, and finite; got {noise!r}")
    floor = 1e-6 * data.size + 1e-30  # exact data would have infinite weight
    return np.maximum(np.broadcast_to(sigma, nv), floor)


def solve(R: Array, z: Array, start: Array) -> Array:
    """The β nearest to `start` of those that fit best."""
    sizes = np.linalg.norm(R, axis=0)
    sizes = np.where(sizes > 0, sizes, 1)
    return start + np.linalg.lstsq(R / sizes, z - R @ start, rcond=1e-12)[0] / sizes


def condition_of(R: Array) -> float:
    """Condition number of R, its columns scaled to one size."""
    sizes = np.linalg.norm(R, axis=0)
    if len(R) < R.shape[1] or not sizes.all():
        return np.inf
    return float(np.linalg.cond(R / sizes)) if R.size else 1.0


def covariance_of(R: Array) -> Array:
    """(RᵀR)⁻¹ (count, count); of parameters that the data do not determine, infinite variances alone."""
    sizes = np.linalg.norm(R, axis=0)
    _, s, Vt = np.linalg.svd(R / np.where(sizes > 0, sizes, 1), full_matrices=True)
    s = np.concatenate([s, np.zeros(R.shape[1] - len(s))])
    seen = s > 1e-12 * s.max(initial=0)
    unseen = (np.sum(Vt[~seen] ** 2, axis=0) > 1e-12) | (sizes == 0)
    root = Vt[seen].T / s[seen] / np.where(unseen, 1.0, sizes)[:, None]
    covariance = np.where(unseen[:, None] | unseen, 0.0, root @ root.T)
    covariance[unseen, unseen] = np.inf
    return covariance


_COMPLEX_STEP, _MOST_TRIALS = 1e-30, 100


def nearest_bodies(base: BaseParameters, R: Array, z: Array, nearest: Array, own: Array, spread: float) -> Array:
    """The parameters (p,) of physically possible bodies, nearest to what data say and to a robot's own.

        minimise |R B π(θ) − z|² + |θ − θ°|² / spread²

    over log-Cholesky coordinates θ (Rucker and Wensing 2022), by Levenberg and Marquardt's method. R, z and B are the
    data and the regrouping. Friction and rotors are squares, starting from the `nearest`, so never negative.
    """
    n, RB = own.size, R @ base.regrouping
    theta0 = inertia.to_log_cholesky(inertia.to_parameters(inertia.with_extent(inertia.from_parameters(own)))).ravel()
    x0 = np.concatenate([theta0, np.sqrt(np.maximum(nearest[n:], 1e-6))])

    def residual(x: Array, ease: float) -> Array:
        return np.concatenate([(RB @ _parameters(x, n) - z) / ease, (x - x0) / spread])

    def slope(x: Array, ease: float) -> Array:
        steps = x[:n].reshape(-1, 1, 10) + 1j * _COMPLEX_STEP * np.eye(10)  # (nb, direction, 10)
        blocks = inertia.from_log_cholesky(steps).imag.transpose(0, 2, 1) / _COMPLEX_STEP
        by_body = [RB[:, 10 * i : 10 * i + 10] @ block for i, block in enumerate(blocks)]
        data = np.concatenate([*by_body, RB[:, n:] * (2 * x[n:])], axis=1)
        return np.concatenate([data / ease, np.eye(len(x)) / spread])

    x = x0
    hardest = max(float(np.abs(RB @ _parameters(x0, n) - z).max()), 1.0)
    for ease in np.geomspace(hardest, 1.0, 1 + int(np.ceil(np.log10(hardest)))):  # far away, less weight
        x = _least_squares(partial(residual, ease=ease), partial(slope, ease=ease), x)
    return _parameters(x, n)


def _parameters(x: Array, n: int) -> Array:
    return np.concatenate([inertia.from_log_cholesky(x[:n].reshape(-1, 10)).ravel(), x[n:] ** 2])


def _least_squares(residual: Callable[[Array], Array], slope: Callable[[Array], Array], x: Array) -> Array:
    """A minimum of |residual(x)|², by Levenberg and Marquardt's method from x."""
    r, damping = residual(x), 1e-3
    for _ in range(_MOST_TRIALS):
        A = slope(x)
        H, gradient = A.T @ A, A.T @ r
        dx = -np.linalg.solve(H + damping * np.diag(np.diag(H)), gradient)
        dx = dx / max(1.0, np.abs(dx).max(initial=0) / 3)  # exponentials overflow far away
        ahead = residual(x + dx)
        gain = r @ r - ahead @ ahead
        if gain > 0:
            x, r, damping = x + dx, ahead, damping / 10
        else:
            damping = max(damping, 1e-9) * 10
        if 0 <= gain <= 1e-10 * (r @ r) or damping > 1e6:
            break
    return x
