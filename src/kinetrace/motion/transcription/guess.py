"""Motions to start an optimisation from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import InputError
from ...robot import Robot
from ...simulation import Trajectory
from ...support.conversion import as_array
from ..splines.reference import motion_of, reference_motion
from ..splines.spline import Spline, basis
from .pointwise import Float, Nodes
from .problem import MotionProblem
from .program import NonlinearProgram, ProgramTerm, SplineSpace

END_DAMPING, END_STEPS = 1e-3, 60
"""Of the search for a configuration at an end."""


def first_guess(problem: MotionProblem, program: NonlinearProgram, guess: Any) -> Float:
    """The variables x (n,) to start from: of the motion that is given, or of one with small accelerations."""
    space, T = program.space, program.T
    if guess is None:
        y = _smooth(problem, space, program.constraints)
        duration = _quick(problem, space, y)
    else:
        theta, duration = _samples_of_guess(problem, guess)
        y = _nearest_coefficients(space, theta)
    if T is not None:
        return y
    low, high = problem.T_bounds
    return np.append(y, np.clip(duration, low * 1.001, high / 1.001))


def _smooth(problem: MotionProblem, space: SplineSpace, terms: Sequence[ProgramTerm]) -> Float:
    """The motion with the least ∫ |θ″|² between its ends."""
    s, weights = space.gauss(space.degree)
    A, B = (np.sqrt(weights)[:, None] * basis(space.knots, space.degree, s, 2) @ x for x in (space.N, space.c0))
    rows, wanted = [A], [-B]
    for k, end in enumerate((0.0, 1.0)):
        if 0 not in space.ends[k]:
            equations = [t for t in terms if len(t.s) > 1 and t.is_equation]
            at_end = [t for t in terms if len(t.s) == 1 and t.s[0] == end]
            theta = _reaching(problem, [*at_end, *equations], end)
            at = 1e4 * basis(space.knots, space.degree, np.array([end]))
            rows.append(at @ space.N)
            wanted.append(1e4 * theta[None] - at @ space.c0)
    found = np.linalg.lstsq(np.concatenate(rows), np.concatenate(wanted), rcond=None)[0]
    return found.reshape(-1)


def _reaching(problem: MotionProblem, terms: list[ProgramTerm], end: float) -> Float:
    """θ (nv,) at which constraints of an end hold, as nearly as damped Gauss–Newton steps get, from several starts."""
    robot, reference = problem.robot, np.asarray(problem.reference)
    rng, best, least = np.random.default_rng(0), np.zeros(robot.nv), np.inf
    starts = [np.zeros(robot.nv), robot.difference(reference, robot.home())]
    starts += [robot.difference(reference, q) for q in robot.random(8, seed=rng)]
    for start in starts:
        theta = np.asarray(start, dtype=float)
        for _ in range(END_STEPS):
            error, slope = _errors(problem, terms, theta, end)
            size = float(error @ error)
            if size < least:
                best, least = theta, size
            if size < 1e-20:
                return best
            change = np.linalg.solve(slope.T @ slope + END_DAMPING * size**0.5 * np.eye(robot.nv), slope.T @ error)
            theta = theta - change * min(1.0, 0.5 / max(1e-12, float(np.abs(change).max())))
            theta = _within(problem, theta)
    return best


def _within(problem: MotionProblem, theta: Float) -> Float:
    """θ moved into the limits of the positions of joints with coordinates."""
    (lower, upper), model, theta = problem.limits["q"], problem.robot.model, theta.copy()
    for body in model.independent_joints:
        if body.joint.has_coordinates:
            sq, sv = model.slices[body.index]
            at = np.asarray(problem.reference)[sq]
            theta[sv] = np.clip(theta[sv], lower[sq] - at, upper[sq] - at)
    return theta


def _errors(problem: MotionProblem, terms: list[ProgramTerm], theta: Float, end: float) -> tuple[Float, Float]:
    """Violations of constraints at one end, at rest, and their derivatives by θ."""
    still, s = np.zeros((1, problem.robot.nv)), np.array([end])
    errors, slopes = [np.zeros(0)], [np.zeros((0, problem.robot.nv))]
    for term in terms:
        if term.derivatives.orders == 1:
            nodes = Nodes(np.asarray(problem.reference), (theta[None], still, still, still), np.asarray(1.0), s)
            value = term.derivatives.value(nodes)[0]
            errors.append(value - np.clip(value, term.lower, term.upper))
            slopes.append(term.derivatives.jacobian(nodes)[0][:, : problem.robot.nv])
    return np.concatenate(errors), np.concatenate(slopes)


def _quick(problem: MotionProblem, space: SplineSpace, y: Float) -> float:
    """A duration at which velocities are about half of their limits; one second if there are none."""
    fastest = np.abs(space.rates(y, space.grid(4))[1]).max(axis=0)
    limit = problem.limits["v"][1]
    with np.errstate(divide="ignore", invalid="ignore"):
        times = np.where(np.isfinite(limit), 2.0 * fastest / limit, 0.0)
    return float(np.nanmax(times, initial=0.0)) or 1.0


def _samples_of_guess(problem: MotionProblem, guess: Any) -> tuple[Float, float]:
    """θ (k, nv) at equal phases of a motion that was given, and its duration."""
    robot: Robot = problem.robot
    x = reference_motion(guess)
    rows = None if isinstance(x, Spline | Trajectory) or callable(x) else as_array("guess", x)
    if rows is not None and rows.ndim == 2:
        fits = rows.shape[1] == robot.nq and rows.dtype.kind in "biuf" and len(rows) > 1 and np.isfinite(rows).all()
        if not fits:
            told = f"configurations (k, {robot.nq}), two or more, must be finite numbers; got shape {rows.shape}"
            raise InputError(f"guess: {told}")
        q, duration = rows.astype(float), problem.T or 1.0
    else:
        motion = motion_of(robot, x, "guess", closed=False)
        begin = motion.begin or 0.0
        duration = (problem.T or 1.0) if motion.end is None else motion.end - begin
        q = motion.rows(np.linspace(begin, begin + duration, 201))[0]
    return np.asarray(robot.difference(np.asarray(problem.reference), q), dtype=float), duration


def _nearest_coefficients(space: SplineSpace, theta: Float) -> Float:
    """Free coefficients of the spline nearest to samples of θ (k, nv) at equal phases; smooth where there are few."""
    s = np.linspace(0.0, 1.0, len(theta))
    fine, weights = space.gauss(space.degree)
    smooth = 1e-4 * np.sqrt(weights)[:, None] * basis(space.knots, space.degree, fine, 2)
    rows = np.concatenate([basis(space.knots, space.degree, s) / np.sqrt(len(s)), smooth])
    wanted = np.concatenate([theta / np.sqrt(len(s)), np.zeros((len(fine), space.nv))])
    return np.asarray(np.linalg.lstsq(rows @ space.N, wanted - rows @ space.c0, rcond=None)[0], dtype=float).reshape(-1)


def random_guesses(program: NonlinearProgram, x: Float, count: int, rng: np.random.Generator) -> Float:
    """Motions (count, n) around x: the best of many, by cost and violation, evaluated as one batch."""
    space, many = program.space, 32 * count
    place = np.linspace(0.0, np.pi, len(space.free))
    waves = np.stack([np.sin((k + 1) * place) / (k + 1) for k in range(4)])
    bumps = rng.normal(size=(many, space.nv, 4)) @ waves
    tried = np.repeat(x[None], many, axis=0)
    tried[:, : space.size] += np.swapaxes(bumps, 1, 2).reshape(many, -1)
    with np.errstate(all="ignore"):
        rows = program.rows(tried)
        excess = np.maximum(np.maximum(program.lower - rows, rows - program.upper), 0.0).sum(axis=-1)
        merit = program.cost(tried) + 10.0 * abs(float(program.cost(x))) * excess / max(1, program.m)
    return tried[np.argsort(np.where(np.isfinite(merit), merit, np.inf))[:count]]
