"""Identification of a robot from a log in one call: filter, differentiate, fit, and compare with motion not seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..arrays import Array
from ..errors import InputError, name_list
from ..model import Model
from ..robot import Robot
from ..robot.common import velocity_map_of
from ..robot.types import Float
from ..simulation.metadata import names_of
from ..support.conversion import as_flag
from ..support.keywords import known_keywords
from .base_parameters import check_robot
from .fitting import Fit, fit_data
from .log import Log, log_of
from .regression_data import Data
from .smoothing import Samples, smooth


@dataclass(frozen=True, eq=False)
class Comparison:
    """Joint forces as measured along some samples, and as a robot predicts them.

    With closures, forces are those along the independent velocities.

    Parameters
    ----------
    t : ndarray, shape (n,)
        Times [s].
    measured : ndarray, shape (n, dof)
        Measured forces [N m, N].
    predicted : ndarray, shape (n, dof)
        Forces of the robot's model along the filtered motion [N m, N].

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> robot, t = kt.load("planar2r"), np.arange(0, 5, 0.01)
    >>> q = np.stack([np.sin(2 * t), np.cos(3 * t)], axis=1)
    >>> found = kt.identify.identify(robot, (t, q, q), friction=False)
    >>> found.after.rms.shape, found.after.predicted.shape == found.after.measured.shape
    ((2,), True)
    """

    t: Float
    measured: Float
    predicted: Float

    @property
    def rms(self) -> Float:
        """(dof,) root mean square of measured − predicted."""
        return np.asarray(np.sqrt(np.mean((self.measured - self.predicted) ** 2, axis=0)))


@dataclass(frozen=True, eq=False)
class Identification:
    """A robot identified from a log, and how well it predicts motion that was not used; made by `identify`.

    Parameters
    ----------
    robot : Robot
        Robot with the parameters found, those of friction and rotors too.
    given : Robot
        Robot before.
    fit : Fit
        Parameters, standard errors, condition number.
    samples : Samples
        States that were fitted.
    held_out : Samples
        States that were not: the rest of the log, or a second one.
    after : Comparison
        Forces along `held_out`, by `robot`.
    before : Comparison
        The same by `given`.
    trained : Comparison
        Forces along `samples`, by `robot`.
    noise_floor : ndarray, shape (dof,)
        Deviation of the noise of measured forces [N m, N], from what is above the frequency of the filter.
    notes : tuple of str
        What was done about gaps, jumps and uneven times, what the data do not determine, and what is doubtful:
        positions and forces beyond limits, forces of other sign or unit, errors far above the noise, masses far from
        the model's.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> robot, t = kt.load("planar2r"), np.arange(0, 10, 0.01)
    >>> q = np.stack([np.sin(t) + 0.3 * np.sin(2.3 * t), np.cos(1.7 * t)], axis=1)
    >>> true = robot.with_payload(0.5, "tip")
    >>> exact = kt.identify.smooth(robot, (t, q, 0 * q), cutoff=np.inf)
    >>> tau = true.inverse_dynamics(exact.q, exact.v, exact.a)
    >>> found = kt.identify.identify(robot, (exact.t, exact.q, tau), friction=False)
    >>> bool(found.after.rms.max() < 0.02 < found.before.rms.max())
    True
    """

    robot: Robot
    given: Robot
    fit: Fit
    samples: Samples
    held_out: Samples
    after: Comparison
    before: Comparison
    trained: Comparison
    noise_floor: Float
    notes: tuple[str, ...] = ()

    @property
    def rms(self) -> Float:
        """(dof,) root mean square of measured − predicted forces on motion that was not fitted."""
        return self.after.rms

    @property
    def ratio(self) -> float:
        """Root mean square on motion that was not fitted over the noise floor, both over all joints: 1 at best."""
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = np.where(self.noise_floor > 0, self.rms / self.noise_floor, np.inf)
        return float(np.sqrt(np.mean(shares**2)))

    def report(self, path: str | Path) -> None:
        """Write a page about the identification: one HTML file, which loads nothing.

        It shows measured and predicted forces on motion that was not fitted, what is left and its spectrum, standard
        errors of base parameters, parameters before and after, and what cannot be identified.

        Parameters
        ----------
        path : str or Path
            File .html to write.

        Raises
        ------
        InputError
            If the suffix is another, there is no such folder, or matplotlib is not installed.

        Examples
        --------
        >>> import pathlib, tempfile, numpy as np, kinetrace as kt
        >>> robot, t = kt.load("planar2r"), np.arange(0, 5, 0.01)
        >>> q = np.stack([np.sin(2 * t), np.cos(3 * t)], axis=1)
        >>> found = kt.identify.identify(robot, (t, q, q), friction=False)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     found.report(pathlib.Path(folder) / "report.html")
        """
        from .report import write_report

        write_report(self, Path(path))

    def __repr__(self) -> str:
        total = float(np.sqrt(np.mean(self.rms**2)))
        return (
            f"Identification({self.fit.base!r}, condition={self.fit.condition:.3g}, "
            f"rms={total:.3g} on motion not seen, {self.ratio:.3g} of the noise)"
        )


@known_keywords
def identify(
    robot: Robot,
    log: Any,
    *,
    validation: Any = 0.25,
    friction: bool = True,
    rotor: bool = False,
    cutoff: float | None = None,
    noise: npt.ArrayLike | None = None,
    physical: bool = True,
    spread: float = 1.0,
    robust: bool = False,
) -> Identification:
    """Identify the parameters of a robot from a log, and validate them on motion that was not used.

    The log is filtered and differentiated (`smooth`), base parameters and physically possible bodies are fitted
    (`fit`), where the filter acts on forces and regressors alike, and the robot that results predicts the forces of the
    part that was held out. Coulomb friction is smoothed as that of `Robot.with_joint_effects` is, over the robot's own
    `friction_width`.

    Parameters
    ----------
    robot : Robot
        Robot whose parameters are to be found; where data do not determine them, they stay near its own.
    log : Log, Trajectory, str, Path or tuple
        What was measured: a log, a trajectory, a file (`read_log`), or arrays (t, q, tau). Forces that a simulation
        held over its steps are centred: they act half a step after their rows.
    validation : float, Log, Trajectory, str, Path or tuple, default 0.25
        Share of the samples, at the end, that is held out; or a second log, which is better if the motion is periodic:
        its last part is then motion that was fitted.
    friction : bool, default True
        Whether to find viscous and Coulomb friction of the joints.
    rotor : bool, default False
        Whether to find the inertias of rotors.
    cutoff : float, optional
        Frequency of the filter [Hz], as in `smooth`.
    noise : array_like, shape (dof,), optional
        Standard deviations of the forces that are left by the filter [N m, N]; estimated unless given.
    physical : bool, default True
        Whether all bodies must be physically possible.
    spread : float, default 1.0
        How far, in log-Cholesky coordinates, a body may be from the robot's own where the data do not determine it.
    robust : bool, default False
        Whether forces far from what the fit explains count less, as Huber's.

    Returns
    -------
    Identification
        The robot, its parameters with standard errors, and comparisons; `report` writes a page.

    Raises
    ------
    InputError
        If the log is not one of this robot, or an argument is not valid.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> robot, t = kt.load("planar2r"), np.arange(0, 10, 0.01)
    >>> q = np.stack([np.sin(t) + 0.3 * np.sin(2.3 * t), np.cos(1.7 * t)], axis=1)
    >>> true = robot.with_payload(0.5, "tip").with_joint_effects(damping=0.4)
    >>> exact = kt.identify.smooth(robot, (t, q, 0 * q), cutoff=np.inf)
    >>> tau = true.inverse_dynamics(exact.q, exact.v, exact.a)
    >>> found = kt.identify.identify(robot, (exact.t, exact.q, tau))
    >>> found.fit.joints["viscous"].round(2)
    array([0.4, 0.4])
    """
    check_robot(robot)
    flags = {"friction": friction, "rotor": rotor, "physical": physical, "robust": robust}
    friction, rotor, physical, robust = (as_flag(*x) for x in flags.items())
    if rotor:
        _check_rotors(robot.model)
    samples, held_out = _split_log(robot, log, validation, cutoff)
    pieces = [tuple(x[part] for x in (samples.q, samples.v, samples.a, samples.measured)) for part in samples.parts]
    data = Data.of(robot, pieces, friction, rotor, samples.lowpass)
    found = fit_data(robot, data, noise, physical=physical, spread=spread, robust=robust)
    made = found.robot
    after, before, trained = (
        compare(robot, who, along) for who, along in ((made, held_out), (robot, held_out), (made, samples))
    )
    left = after.measured - after.predicted
    floor = noise_floor(held_out, left)
    doubts = [
        *doubts_of_log(robot.model, samples),
        *doubts_of_fit(force_names(robot.model)[0], after.measured, before.predicted, left, floor),
        *doubts_of_masses(robot.model, robot.parameters("inertial")[:, 0], found.pi[:, 0]),
    ]
    notes = dict.fromkeys([*samples.notes, *held_out.notes, *_undetermined_notes(found), *doubts])
    return Identification(made, robot, found, samples, held_out, after, before, trained, floor, tuple(notes))


def _check_rotors(model: Model) -> None:
    names = [body.joint_name for body in model.independent_joints if not body.joint.has_coordinates]
    if names:
        raise InputError(f"rotor=True: a robot's joint with quaternions has no rotor, as {names[0]!r}; rotor=False")


def _split_log(robot: Any, log: Any, validation: Any, cutoff: float | None) -> tuple[Samples, Samples]:
    """Samples to fit, and others to validate."""
    whole = log_of(robot, log)
    if isinstance(validation, int | float) and not isinstance(validation, bool):
        if not 0 < validation < 1:
            raise InputError(f"validation must be a share between 0 and 1, or a log; got {validation!r}")
        n = round(len(whole) * (1 - validation))
        samples = smooth(robot, whole[:n], cutoff=cutoff)
        return samples, smooth(robot, whole[n:], cutoff=samples.cutoff)
    other = log_of(robot, validation, "validation")
    samples = smooth(robot, whole, cutoff=cutoff)
    return samples, smooth(robot, other, cutoff=samples.cutoff)


def compare(robot: Robot, predicting: Any, samples: Samples) -> Comparison:
    """Forces along samples as measured, and as another robot of the same joints predicts them."""
    measured = samples.measured
    predicted = np.asarray(predicting._exact().inverse_dynamics(samples.q, samples.v, samples.a))
    G = velocity_map_of(robot._exact(), samples.q)
    measured, predicted = ((x[:, None] @ G)[:, 0] for x in (measured, predicted))
    return Comparison(samples.t, measured, predicted)


def force_names(model: Model) -> tuple[list[str], list[str]]:
    """Names and units of the forces that are compared: those along the independent velocities."""
    names = names_of(model)
    return [names.v[k] for k in model.independent], [names.tau_units[k] for k in model.independent]


def noise_floor(samples: Samples, left: Array) -> Float:
    """Deviation (dof,) of white noise of the forces, from what residuals have above the frequency of the filter."""
    lowpass = samples.lowpass
    if lowpass is None:
        return np.asarray(np.sqrt(np.mean(left**2, axis=0)))
    high = np.concatenate([left[part] - lowpass(left[part]) for part in samples.parts])
    ratio = (np.linspace(0, 0.5, 2001) / (lowpass.cutoff * lowpass.dt)) ** 8
    share = np.mean((ratio / (1 + ratio)) ** 2)  # of white noise that 1 − F leaves
    return np.asarray(np.sqrt(np.mean(high**2, axis=0) / share))


def _undetermined_notes(found: Fit) -> list[str]:
    names = [name for name, e in zip(found.base.names, found.errors, strict=True) if not np.isfinite(e)]
    if not names:
        return []
    return [f"the motion does not excite {len(names)} of {found.base.count} base parameters: {', '.join(names[:8])}"]


SLOW_SAMPLING = 0.2
"""Time between samples that is long for a motion [s]."""
BEYOND_RANGE = 0.05
"""How far outside its limits a position may be, relative to the distance between them."""
TIMES_NOISE, UNEXPLAINED_SHARE = 5.0, 0.05
"""An error is large that is above so many times the noise, and this share of the forces."""
ALIKE_CORRELATION, SCALE_FACTOR = 0.8, 20.0
"""Correlation from which two forces are the same but for a factor, and the factor from which units differ."""
MASS_FACTOR = 10.0
"""Ratio of masses that is worth a note."""


def doubts_of_log(model: Model, log: Log | Samples) -> list[str]:
    """Notes on positions and forces that a robot cannot have, and on forces that were not measured."""
    notes, names = [], names_of(model)
    tau = log.measured if isinstance(log, Samples) else log.tau
    limits = model.limits
    room = BEYOND_RANGE * np.where(np.isfinite(limits.upper - limits.lower), limits.upper - limits.lower, 0.0)
    excess = np.maximum(log.q - limits.upper - room, limits.lower - room - log.q).max(axis=0, initial=-np.inf)
    if (excess > 0).any():
        k = int(np.argmax(excess))
        degrees = np.abs(log.q[:, k]).max() > 2 * max(abs(limits.lower[k]), abs(limits.upper[k]))
        hint = ": are they in degrees (degrees=True)?" if degrees and names.q_units[k] == "rad" else ""
        notes.append(
            f"positions of {_some(names.q, excess > 0)} are outside their limits, "
            f"{names.q[k]} by up to {excess[k] + room[k]:.3g} {names.q_units[k]}{hint}"
        )
    if isinstance(log, Samples) and log.dt > SLOW_SAMPLING:
        notes.append(f"samples are {log.dt:g} s apart: are times in ms (time_unit='ms')?")
    if not tau.any():
        notes.append("all measured forces are zero: were they logged?")
    most = np.abs(tau).max(axis=0, initial=0.0)
    strong = (limits.effort > 0) & (np.mean(np.abs(tau) > 1.5 * limits.effort, axis=0) > 0.01)
    if strong.any():
        k = int(np.argmax(np.where(strong, most / np.where(strong, limits.effort, 1.0), 0.0)))
        notes.append(
            f"forces of {_some(names.v, strong)} are beyond their limits, {names.v[k]} "
            f"up to {most[k]:.3g} of {limits.effort[k]:.3g} {names.tau_units[k]}: is the unit right?"
        )
    return notes


def doubts_of_fit(names: Sequence[str], measured: Array, given: Array, left: Array, noise: Array) -> list[str]:
    """Notes on measured forces (n, dof), beside those of the robot as it was given, and on what is left of them."""
    notes = []
    sizes = [np.sqrt(np.mean(x**2, axis=0)) for x in (measured, given, left)]
    rms, expected, error = sizes
    bad = (error > TIMES_NOISE * noise) & (error > UNEXPLAINED_SHARE * rms)
    if bad.any():
        k = int(np.argmax(np.where(bad, error / np.maximum(noise, 1e-300), 0.0)))
        notes.append(
            f"the forces of {_some(names, bad)} are not explained: the error of "
            f"{names[k]} is {error[k]:.3g}, its noise {noise[k]:.3g}, its force {rms[k]:.3g}"
        )
    seen = (rms > 0) & (expected > 1e-3 * expected.max(initial=0.0))
    both = np.where(seen, rms * expected, 1.0)
    alike = np.where(seen, np.mean(measured * given, axis=0) / both, 0.0)
    opposite = (alike < -ALIKE_CORRELATION) & (error > UNEXPLAINED_SHARE * rms)
    if opposite.any():
        notes.append(
            f"measured forces of {_some(names, opposite)} are opposite to those of the "
            "model: is their sign right, and are they in the order of the joints?"
        )
    factor = np.where(seen, rms / np.where(seen, expected, 1.0), 1.0)
    scaled = (np.abs(alike) > ALIKE_CORRELATION) & (np.maximum(factor, 1 / np.maximum(factor, 1e-300)) > SCALE_FACTOR)
    if scaled.any():
        k = int(np.flatnonzero(scaled)[0])
        notes.append(
            f"measured forces of {_some(names, scaled)} are those of the model times a "
            f"factor, {factor[k]:.3g} for {names[k]}: is their unit right?"
        )
    return notes


def doubts_of_masses(model: Model, before: Array, after: Array) -> list[str]:
    """A note on bodies whose mass (nb,) is far from that of the model."""
    ratio = after / np.where(before > 0, before, np.inf)
    far = (before > 0) & ((ratio > MASS_FACTOR) | (ratio < 1 / MASS_FACTOR))
    said = [f"{model.bodies[k].name} of {after[k]:.3g} kg ({before[k]:.3g} kg before)" for k in np.flatnonzero(far)]
    return [f"masses are far from the model's: {', '.join(said[:4])}"] if said else []


def _some(names: Sequence[str], which: Array) -> str:
    return name_list([name for name, yes in zip(names, which, strict=True) if yes], 4)
