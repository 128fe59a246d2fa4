"""The ten inertial parameters of a payload from a log of a robot that is known.

    τ − τ₀(q, v, v̇) = Y_b(q, v, v̇) Φ π          b the body that carries the frame, Φ (10, 10) the change of frames

by least squares, and then in log-Cholesky coordinates of a body that can exist (`nearest_bodies`), near a ball of the
mass and centre found. If no such body comes close to the data, errors are those of the body that is returned: its
distance from the least squares is one of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..algorithms.dynamics.regressor import PARAMETER_NAMES
from ..arrays import Array
from ..errors import InputError, unknown_name_error
from ..lie import inertia
from ..model import Model
from ..robot import Robot
from ..robot.types import Float
from ..support.conversion import as_positive
from ..support.keywords import known_keywords
from .base_parameters import BaseParameters, check_robot
from .fitting import condition_of, covariance_of, deviations, nearest_bodies, solve
from .identification import compare, doubts_of_fit, doubts_of_log, force_names, noise_floor
from .regression_data import Data, MeasuredPart
from .smoothing import Samples, smooth

BALL_RADIUS = 0.05
"""Radius of gyration of the ball that a payload is like unless data tell otherwise [m]."""
WORSE_FACTOR, CLEARLY_NEGATIVE = 1.5, 3.0
"""Ratio of the errors of a possible body to those of least squares, and deviations of a mass below zero: too much."""


@dataclass(frozen=True, eq=False)
class Payload:
    """A body that a robot carries, found from a log; made by `payload`.

    Parameters
    ----------
    success : bool
        Whether a body that can exist explains the forces as well as ten free numbers do.
    status : str
        "converged"; "impossible" if no body does, as with a negative mass; "undetermined" if the motion does not tell
        the mass. `notes` says more.
    frame : str
        Frame that it is fixed to, in which all numbers are.
    mass : float
        Mass [kg].
    com : ndarray, shape (3,)
        Centre of mass [m].
    inertia : ndarray, shape (3, 3)
        Rotational inertia about the centre of mass [kg m²].
    parameters : ndarray, shape (10,)
        The ten numbers m, hx, hy, hz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz about the frame's origin, of a body that can exist.
    values : ndarray, shape (10,)
        The same by least squares, possible or not.
    errors : ndarray, shape (10,)
        Standard errors of `values`; infinite where the motion does not tell. If `status` is "impossible", also the
        distances of `parameters` from `values`.
    com_errors : ndarray, shape (3,)
        Standard errors of the centre of mass [m].
    condition : float
        Condition number of the stacked regressor, its columns scaled to one size.
    rms : ndarray, shape (dof,)
        Root mean square of the filtered joint forces that the payload does not explain [N m, N].
    rms_before : ndarray, shape (dof,)
        The same without a payload.
    robot : Robot
        Robot with the payload.
    notes : tuple of str
        What was done about gaps, jumps and uneven times, what the motion does not tell, and what is doubtful.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> robot, t = kt.load("planar2r"), np.arange(0, 6, 0.01)
    >>> q = np.stack([np.sin(2 * t), np.cos(3 * t)], axis=1)
    >>> exact = kt.identify.smooth(robot, (t, q, 0 * q), cutoff=np.inf)
    >>> tau = robot.with_payload(0.5, "tip").inverse_dynamics(exact.q, exact.v, exact.a)
    >>> found = kt.identify.payload(robot, (exact.t, exact.q, tau), "tip")
    >>> round(found.mass, 3)
    0.5
    """

    success: bool
    status: str
    frame: str
    mass: float
    com: Float
    inertia: Float
    parameters: Float
    values: Float
    errors: Float
    com_errors: Float
    condition: float
    rms: Float
    rms_before: Float
    robot: Robot
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        c = ", ".join(f"{x:.3g}" for x in self.com)
        failed = "" if self.success else f"{self.status}: "
        return f"Payload({failed}{self.mass:.4g} ± {self.errors[0]:.2g} kg at ({c}) m in {self.frame!r})"


@known_keywords
def payload(robot: Robot, log: Any, frame: str, *, cutoff: float | None = None, spread: float = 1.0) -> Payload:
    """Identify what a robot carries from a log of its motion.

    The robot's own parameters, friction included, must be known: by its file, or by `identify` without the payload.
    With closures, forces are compared along the independent velocities.

    Parameters
    ----------
    robot : Robot
        Robot without the payload.
    log : Log, Trajectory, str, Path or tuple
        What was measured with the payload: a log, a trajectory, a file (`read_log`), or arrays (t, q, tau).
    frame : str
        Frame that the payload is fixed to; `robot.frame_names` lists them.
    cutoff : float, optional
        Frequency of the filter [Hz], as in `smooth`.
    spread : float, default 1.0
        How far, in log-Cholesky coordinates, the payload may be from a ball where the data do not determine it.

    Returns
    -------
    Payload
        The parameters with standard errors, and the robot with the payload.

    Raises
    ------
    InputError
        If there is no such frame, it does not move, or the log is not one of this robot.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> robot, t = kt.load("planar2r"), np.arange(0, 6, 0.01)
    >>> q = np.stack([np.sin(2 * t), np.cos(3 * t)], axis=1)
    >>> exact = kt.identify.smooth(robot, (t, q, 0 * q), cutoff=np.inf)
    >>> tau = robot.with_payload(0.5, "tip", com=[0.1, 0, 0]).inverse_dynamics(exact.q, exact.v, exact.a)
    >>> found = kt.identify.payload(robot, (exact.t, exact.q, tau), "tip")
    >>> found.com.round(2)[0]
    np.float64(0.1)
    """
    check_robot(robot)
    _check_frame(robot.model, frame)
    spread = as_positive("spread", spread)
    samples = smooth(robot, log, cutoff=cutoff)
    estimate = _estimate(robot, samples, frame, spread)
    notes = [*samples.notes, *_unseen(estimate.errors), *doubts_of_log(robot.model, samples)]
    covariance, errors = estimate.covariance, estimate.errors
    if estimate.is_impossible:
        notes.append(_impossible(estimate.values, errors))
        off = estimate.nearest - estimate.values
        covariance = covariance + np.outer(off, off)
        errors = np.sqrt(np.diag(covariance))
    mass, com, about_com = inertia.to_mass_com(inertia.from_parameters(estimate.nearest))
    loaded = robot.with_payload(float(mass), frame, com=com, inertia=about_com, check="ignore")
    given, after = compare(robot, robot, samples), compare(robot, loaded, samples)
    unexplained = after.measured - after.predicted
    floor = noise_floor(samples, unexplained)
    notes += doubts_of_fit(force_names(robot.model)[0], given.measured, given.predicted, unexplained, floor)
    determined = "converged" if np.isfinite(errors[0]) else "undetermined"
    status = "impossible" if estimate.is_impossible else determined
    return Payload(
        success=status == "converged",
        status=status,
        frame=frame,
        mass=float(mass),
        com=np.asarray(com),
        inertia=np.asarray(about_com),
        parameters=estimate.nearest,
        values=estimate.values,
        errors=errors,
        com_errors=_com_errors(estimate.nearest, covariance),
        condition=estimate.condition,
        rms=estimate.rms,
        rms_before=estimate.rms_before,
        robot=loaded,
        notes=tuple(dict.fromkeys(notes)),
    )


def _check_frame(model: Model, frame: str) -> None:
    """An error unless a joint force depends on what the frame carries."""
    if frame not in model.frames:
        raise unknown_name_error("frame", frame, list(model.frames))
    if model.frames[frame].body < 0:
        raise InputError(f"frame {frame!r} is fixed to the world: no joint force depends on what it carries")


class _Estimate(NamedTuple):
    """Parameters (10,) of a payload in its frame."""

    values: Array
    """As least squares give them, possible or not."""
    nearest: Array
    """Those of the nearest body that can exist."""
    covariance: Array
    is_impossible: bool
    """Whether the data ask for a body that cannot exist."""
    condition: float
    rms: Array
    rms_before: Array

    @property
    def errors(self) -> Array:
        """Standard errors of `values`."""
        return np.asarray(np.sqrt(np.diag(self.covariance)))


def _estimate(robot: Robot, samples: Samples, frame: str, spread: float) -> _Estimate:
    """The payload of which the joint forces are those that the robot itself does not explain."""
    model, exact = robot.model, robot._exact()
    left = samples.measured - np.asarray(exact.inverse_dynamics(samples.q, samples.v, samples.a))
    parts = [MeasuredPart(*(x[part] for x in (samples.q, samples.v, samples.a, left))) for part in samples.parts]
    data, place = Data(exact, parts, False, False, samples.lowpass), model.frames[frame]
    change = inertia.change_frame_parameters(place.X_bf, np.eye(10)).T
    own = BaseParameters(PARAMETER_NAMES, 10 * place.body + np.arange(10), np.eye(10), np.inf)

    def triangular(sigma: Array) -> tuple[Array, Array]:
        R, z = data.triangular(own, sigma)
        return R @ change, z

    nothing = np.zeros(10)
    R, z = triangular(np.ones(model.dof))
    sigma = deviations(data.rms(own.columns, change @ solve(R, z, nothing)), data)
    R, z = triangular(sigma)
    values, covariance = solve(R, z, nothing), covariance_of(R)
    errors = np.sqrt(np.diag(covariance))
    nearest = nearest_bodies(own, R, z, values, _ball(values, errors)[None], spread)
    rms, free = (data.rms(own.columns, change @ x) for x in (nearest, values))
    worse = np.linalg.norm(rms / sigma) > WORSE_FACTOR * np.linalg.norm(free / sigma)
    return _Estimate(
        values=values,
        nearest=nearest,
        covariance=covariance,
        is_impossible=bool(values[0] < -CLEARLY_NEGATIVE * errors[0] or worse),
        condition=condition_of(R),
        rms=rms,
        rms_before=data.rms(own.columns, nothing),
    )


def _impossible(values: Array, errors: Array) -> str:
    """Note on data that ask for a body that cannot exist."""
    if values[0] < -CLEARLY_NEGATIVE * errors[0]:
        asked = f"a negative mass, {values[0]:.3g} ± {errors[0]:.2g} kg"
        why = "is the payload already in the model, or the sign of the forces another?"
    else:
        asked = "a body that cannot exist"
        why = "is the robot known, friction included, and is this the frame that carries the payload?"
    return f"the data ask for {asked}: {why}"


def _ball(values: Array, errors: Array) -> Array:
    """Parameters of a ball of the mass and centre found; of 1 kg at the origin as far as they are not determined."""
    known = errors[0] < 0.5 * abs(values[0]) and values[0] > 0
    mass = values[0] if known else 1.0
    com = np.where(known & np.isfinite(errors[1:4]), values[1:4] / mass, 0.0)
    size = float(np.linalg.norm(com))
    com = com if size < 2.0 else com * 2.0 / size
    return np.asarray(inertia.to_parameters(inertia.from_mass_com(mass, com, mass * BALL_RADIUS**2 * np.eye(3))))


def _com_errors(found: Array, covariance: Array) -> Float:
    """Standard errors of h / m, to first order."""
    slope = np.concatenate([-found[1:4, None] / found[0], np.eye(3)], axis=1) / found[0]
    some = covariance[:4, :4]
    if not np.isfinite(np.diag(some)).all():
        open_ones = ~np.isfinite(np.diag(some))
        return np.where(open_ones[0] | open_ones[1:], np.inf, 0.0)
    return np.asarray(np.sqrt(np.diag(slope @ some @ slope.T)))


def _unseen(errors: Array) -> list[str]:
    names = [name for name, e in zip(PARAMETER_NAMES, errors, strict=True) if not np.isfinite(e)]
    return [f"the motion does not tell {', '.join(names)} of the payload"] if names else []
