"""Identities of steps in time, and of linear dynamics about a state."""

from __future__ import annotations

from functools import partial
from typing import get_args

import numpy as np

from .. import algorithms as alg
from ..algorithms.choices import ExplicitMethod, StepMethod
from ..arrays import Array
from .identity import identity
from .state import STEP, State, as_forces, by_joint, relative, worst

EXPLICIT: tuple[ExplicitMethod, ...] = get_args(ExplicitMethod)
STEPS = tuple(method for method in get_args(StepMethod) if method != "variational")
"""Those that are formulas of h: "variational" solves an equation."""


def _free(s: State) -> Array:
    return alg.forward_dynamics(s.model, s.q, s.v, s.u)


def _dt(s: State) -> float:
    """A time in which not much happens."""
    return float(0.01 / (1.0 + np.abs(s.v).max() + np.sqrt(np.abs(_free(s)).max())))


@identity("steps", "inverse")
def steps_begin_with_the_motion(s: State) -> float:
    """slope of a step at h = 0 is (v, FD) [Newton]"""
    a, moved = _free(s), s.model.integrate(s.q, 1j * STEP * s.v)

    def residual(method: StepMethod) -> float:
        q, v = alg.step(s.model, s.q, s.v, s.u, 1j * STEP, method=method)
        places = relative(np.real(q), s.q, 1.0), relative(np.imag(q) / STEP, np.imag(moved) / STEP, s.v)
        return worst([*places, relative(np.real(v), s.v), as_forces(s, np.imag(v) / STEP, a, s.u, s.bias)])

    return worst(map(residual, STEPS))


@identity("steps", "inverse", "root")
def steps_of_quasi_velocities_begin_with_the_motion(s: State) -> float:
    """slope of a step at h = 0 is (v, dν/dt) [Kozłowski (40)]"""
    nu, terms = alg.mass_root_transposed_product(s.model, s.q, s.v), (np.abs(s.u), np.abs(s.bias), s.inertial_by_joint)
    v, rate = alg.diagonal_dynamics(s.model, s.q, nu, s.u)
    moved = s.model.integrate(s.q, 1j * STEP * v)

    def residual(method: ExplicitMethod) -> float:
        q, after = alg.diagonal_step(s.model, s.q, nu, s.u, 1j * STEP, method=method)
        found = np.imag(after) / STEP
        force = alg.mass_root_product(s.model, s.q, found - rate)
        places = relative(np.real(q), s.q, 1.0), relative(np.imag(q) / STEP, np.imag(moved) / STEP, s.v)
        return worst([*places, relative(np.real(after), nu), by_joint(force, s.W @ np.abs(rate), *terms)])

    return worst(map(residual, EXPLICIT))


@identity("steps", "inverse")
def a_rollout_is_steps(s: State) -> float:
    """rollout is steps, with their slopes [definition]"""
    dt, n, taus, roll = _dt(s), s.model.nv, np.stack([s.u, -s.u]), partial(alg.rollout, s.model, method="semi-implicit")
    found = roll(s.q, s.v, taus, dt)
    first = alg.step(s.model, s.q, s.v, taus[0], dt)
    second = alg.step(s.model, *first, taus[1], dt)
    states = [relative(x, np.stack(y)) for x, y in zip(found, zip(first, second, strict=True), strict=True)]
    by_state, by_tau = alg.rollout_derivatives(s.model, s.q, s.v, taus, dt, method="semi-implicit")
    x, forces = np.concatenate([s.u, s.a]), s.v - taus
    slope = by_state @ x + sum(D @ f for D, f in zip(by_tau, forces, strict=True))
    size = np.abs(by_state) @ np.abs(x) + sum(np.abs(D) @ np.abs(f) for D, f in zip(by_tau, forces, strict=True))
    moved = s.model.integrate(s.q, 1j * STEP * s.u), s.v + 1j * STEP * s.a, taus + 1j * STEP * forces
    q, v = (np.imag(y[-1]) / STEP for y in roll(*moved, dt))
    along = np.imag(s.model.integrate(second[0], 1j * STEP * slope[:n])) / STEP
    return worst([*states, relative(along, q, size[:n]), relative(slope[n:], v, size[n:])])


@identity("steps", "inverse")
def linear_dynamics_are_slopes(s: State) -> float:
    """dx/dt = A x + B u is a slope of (v, FD) [definition]"""
    (A, B), n = alg.linearise(s.model, s.q, s.v, s.u), s.model.nv
    dq, dv, dtau = s.u, s.a, s.v + s.u
    found = A @ np.concatenate([dq, dv]) + B @ dtau
    moved = s.model.integrate(s.q, 1j * STEP * dq), s.v + 1j * STEP * dv, s.u + 1j * STEP * dtau
    slope, size = np.imag(alg.forward_dynamics(s.model, *moved)) / STEP, np.abs(A) @ np.abs([*dq, *dv])
    terms = np.abs(s.M) @ (size[n:] + np.abs(B[n:]) @ np.abs(dtau)), s.u, s.inertial_by_joint
    return worst([relative(found[:n], dv - s.model.bracket(s.v, dq), size[:n]), as_forces(s, found[n:], slope, *terms)])


@identity("steps", "inverse")
def linear_steps_are_slopes(s: State) -> float:
    """A x + B u is the slope of a step [definition]"""
    dt, n = _dt(s), s.model.nv
    dq, dv, dtau = s.u, s.a, s.v + s.u
    moved = s.model.integrate(s.q, 1j * STEP * dq), s.v + 1j * STEP * dv, s.u + 1j * STEP * dtau
    A, B = alg.linearise_step(s.model, s.q, s.v, s.u, dt)
    found = A @ np.concatenate([dq, dv]) + B @ dtau
    size = np.abs(A) @ np.abs([*dq, *dv]) + np.abs(B) @ np.abs(dtau)
    (q, _), (q_moved, v_moved) = alg.step(s.model, s.q, s.v, s.u, dt), alg.step(s.model, *moved, dt)
    along = np.imag(s.model.integrate(q, 1j * STEP * found[:n])) / STEP
    places = relative(along, np.imag(q_moved) / STEP, size[:n])
    return worst([places, relative(found[n:], np.imag(v_moved) / STEP, size[n:])])
