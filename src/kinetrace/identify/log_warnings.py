"""Doubts about a log or about results from it: units, signs, forces that no model of the kind explains."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import Array
from ..errors import listed
from ..model import Model
from ..simulation.metadata import names_of
from .log import Log
from .smoothing import Samples

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
    return listed([name for name, yes in zip(names, which, strict=True) if yes], 4)
