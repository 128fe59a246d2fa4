"""Inertial parameters from measured motions and forces.

    minimise Σ |Y(q, v, v̇) π − τ|² / σ²                 σ_i the noise of joint i's force

in base parameters β = B π by least squares, whose answer is unique, and then in π itself. Beside π the data leave
freedom, which the robot's own parameters π° settle:

    physical=True    π = π(θ) in log-Cholesky coordinates (Rucker and Wensing 2022): every body is one that can exist;
                     |θ − θ°|² / spread² is added to the sum (`physical`)
    physical=False   π = π° + B⁺ (β − B π°): the nearest that fits, possible or not

The data enter by the triangular factor of the stacked, weighted regressor (Gautier 1997), made piece by piece.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic

import numpy as np
import numpy.typing as npt

from ..arrays import Array
from ..errors import InputError
from ..model.joint_effects import has_effects
from ..support.plain import plain_flag
from .base_parameters import BaseParameters, base_parameters, real
from .physical import nearest_bodies
from .protocol import Float, Identifiable, Made

_PIECE = 2048
"""States whose regressor is in memory at once."""


@dataclass(frozen=True, eq=False)
class Fit(Generic[Made]):
    """Parameters of a robot that were found from data; made by `fit`.

    Parameters
    ----------
    base : BaseParameters
        Base parameters of the robot.
    values : ndarray, shape (count,)
        Base parameters β by least squares.
    errors : ndarray, shape (count,)
        Their standard errors; infinite where the motion does not excite them.
    condition : float
        Condition number of the stacked regressor, its columns scaled to one size: of a good motion below 100; infinite
        if the data do not determine all base parameters.
    rms_base : ndarray, shape (dof,)
        Root mean square of the joint forces that the base parameters do not explain [N m, N].
    pi : ndarray, shape (nb, 10)
        Parameters of the bodies.
    joints : dict of str to ndarray, shape (nv,)
        Parameters "viscous", "coulomb" and "rotor" of the joints, those that were asked for.
    rms : ndarray, shape (dof,)
        Root mean square of the joint forces that `pi` and `joints` do not explain [N m, N].
    robot : Robot
        Robot with the parameters `pi`.

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
    condition: float
    """Condition number of the stacked regressor, its columns scaled to one size: below 100 for a good motion.

    Infinite if the data do not determine all base parameters."""
    rms_base: Float
    """(dof,) root mean square of the joint forces that the base parameters do not explain."""
    pi: Float
    """(nb, 10): the bodies' parameters."""
    joints: dict[str, Float]
    """"viscous", "coulomb" and "rotor" → (nv,), those that were asked for."""
    rms: Float
    """(dof,) root mean square of the joint forces that `pi` and `joints` do not explain."""
    robot: Made
    """The robot with the parameters `pi`."""

    def __repr__(self) -> str:
        return f"Fit({self.base!r}, condition={self.condition:.3g}, rms={np.sqrt(np.mean(self.rms**2)):.3g})"


def fit(
    robot: Identifiable[Made],
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
) -> Fit[Made]:
    """Fit the parameters of a robot to measured motions and joint forces.

    With closures, forces are compared along the independent velocities: `noise` has one entry for each of these. The
    known effects of the robot's joints (`Robot.with_joint_effects`) are subtracted from tau first: with `friction` all
    but damping and friction, with `rotor` all but the armature, which are then found.

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
    friction, rotor, physical = (
        plain_flag(*x) for x in (("friction", friction), ("rotor", rotor), ("physical", physical))
    )
    base = base_parameters(robot, friction=friction, rotor=rotor)
    data = _Data.checked(robot, (q, v, a, tau), friction, rotor)
    if not spread > 0:
        raise InputError(f"spread must be positive, got {spread!r}")
    own = robot.parameters("inertial")
    prior = np.concatenate([own.ravel(), np.zeros(len(base.parameters) - own.size)])
    if noise is None:
        R, z = data.triangular(base, np.ones(robot.model.dof))
        noise = data.rms(base.columns, _solve(R, z, base.of(prior)))
    R, z = data.triangular(base, _deviations(noise, data))
    beta = _solve(R, z, base.of(prior))
    p = prior + np.linalg.pinv(base.regrouping) @ (beta - base.of(prior))
    if physical:
        p = nearest_bodies(base, R, z, p, own, spread)
    kinds = ["viscous", "coulomb"] * friction + ["rotor"] * rotor
    pi, rest = p[: own.size].reshape(-1, 10), p[own.size :].reshape(len(kinds), robot.nv)
    return Fit(
        base,
        beta,
        _standard_errors(R),
        _condition(R),
        data.rms(base.columns, beta),
        pi,
        dict(zip(kinds, rest, strict=True)),
        data.rms(np.arange(len(p)), p),
        robot.with_parameters(inertial=pi, check="ignore"),
    )


def _deviations(noise: npt.ArrayLike, data: _Data) -> Array:
    """The standard deviations (dof,) of the forces, none of them zero."""
    sigma, nv = real("noise", noise), data.robot.model.dof
    if sigma.shape not in ((), (nv,)) or not np.all((sigma >= 0) & np.isfinite(sigma)):
        raise InputError(f"noise must be {nv} numbers that are not negative, and finite; got {noise!r}")
    floor = 1e-6 * np.sqrt(np.mean(data.tau**2)) + 1e-30  # exact data would have infinite weight
    return np.maximum(np.broadcast_to(sigma, nv), floor)


@dataclass(frozen=True, eq=False)
class _Data:
    """Measured states (n, ...) and forces (n, nv)."""

    robot: Identifiable[object]
    states: tuple[Array, Array, Array]
    tau: Array
    friction: bool
    rotor: bool

    @staticmethod
    def checked(robot: Identifiable[object], arrays: tuple[npt.ArrayLike, ...], friction: bool, rotor: bool) -> _Data:
        sizes = dict(q=robot.nq, v=robot.nv, a=robot.nv, tau=robot.nv)
        given = [real(name, x) for name, x in zip(sizes, arrays, strict=True)]
        for x, (name, n) in zip(given, sizes.items(), strict=True):
            if x.shape[-1:] != (n,):
                raise InputError(f"{name} must have shape (..., {n}), got {x.shape}")
            if not np.all(np.isfinite(x)):
                raise InputError(f"{name} has {np.count_nonzero(~np.isfinite(x))} entries that are not finite")
        try:
            batch = np.broadcast_shapes(*(x.shape[:-1] for x in given))
        except ValueError:
            shapes = ", ".join(f"{name} {x.shape}" for name, x in zip(sizes, given, strict=True))
            raise InputError(f"the samples do not broadcast: {shapes}") from None
        states = math.prod(batch)
        if states == 0 or robot.nv == 0:
            raise InputError(f"there is nothing to fit: {states} samples of {robot.nv} joint forces")
        q, v, a, tau = (np.broadcast_to(x, (*batch, x.shape[-1])).reshape(states, x.shape[-1]) for x in given)
        exact = robot._exact()
        if has_effects(exact.model):  # known effects of the joints that are not to be found
            tau = tau - exact.passive_forces(q, 0 * v if friction else v)
            tau = tau if rotor else tau - a @ exact.model.armature
        return _Data(exact, (q, v, a), tau, friction, rotor)

    def pieces(self) -> Iterator[tuple[Array, Array]]:
        """The regressor (k, nv, p) and forces (k, nv) of some states, then of the next."""
        for i in range(0, len(self.tau), _PIECE):
            some = slice(i, i + _PIECE)
            q, v, a = (x[some] for x in self.states)
            chosen = {"friction": self.friction, "rotor": self.rotor}
            if self.robot.model.closures:
                G = self.robot.velocity_map(q)
                yield self.robot.reduced_regressor(q, v, a, **chosen), (self.tau[some, None] @ G)[:, 0]
            else:
                yield self.robot.regressor(q, v, a, **chosen), self.tau[some]

    def triangular(self, base: BaseParameters, sigma: Array) -> tuple[Array, Array]:
        """R (k, count) and z (k,) with |R β − z|² the weighted sum of squares but for a constant."""
        stacked = np.zeros((0, base.count + 1))
        for Y, tau in self.pieces():
            rows = np.concatenate([Y[..., base.columns], tau[..., None]], axis=-1) / sigma[:, None]
            stacked = _triangle(np.concatenate([stacked, rows.reshape(-1, base.count + 1)]))
        return stacked[: base.count, :-1], stacked[: base.count, -1]

    def rms(self, columns: Array, x: Array) -> Array:
        """Root mean square (dof,) of the forces that parameters x of these columns do not explain."""
        left = [np.sum((Y[..., columns] @ x - tau) ** 2, axis=0) for Y, tau in self.pieces()]
        return np.sqrt(sum(left) / max(len(self.tau), 1))


def _triangle(A: Array) -> Array:
    return np.linalg.qr(A, mode="r")


def _solve(R: Array, z: Array, start: Array) -> Array:
    """The β nearest to `start` of those that fit best."""
    sizes = np.linalg.norm(R, axis=0)
    sizes = np.where(sizes > 0, sizes, 1)
    return start + np.linalg.lstsq(R / sizes, z - R @ start, rcond=1e-12)[0] / sizes


def _condition(R: Array) -> float:
    sizes = np.linalg.norm(R, axis=0)
    if len(R) < R.shape[1] or not sizes.all():
        return np.inf
    return float(np.linalg.cond(R / sizes)) if R.size else 1.0


def _standard_errors(R: Array) -> Array:
    sizes = np.linalg.norm(R, axis=0)
    _, s, Vt = np.linalg.svd(R / np.where(sizes > 0, sizes, 1), full_matrices=True)
    s = np.concatenate([s, np.zeros(R.shape[1] - len(s))])
    seen = s > 1e-12 * s.max(initial=0)
    variance = np.sum((Vt[seen] / s[seen, None]) ** 2, axis=0)
    unseen = np.sum(Vt[~seen] ** 2, axis=0) > 1e-12
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(unseen | (sizes == 0), np.inf, np.sqrt(variance) / sizes)
