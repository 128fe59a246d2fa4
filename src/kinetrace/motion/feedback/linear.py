"""Common parts of regulators: errors of a state, weights, forces that a motion needs, sampled linear systems.

The state of a regulator is x = (δq, δv) with q = q₀ ⊕ δq and v = v₀ + δv, as in `Robot.linearise`. With closures x has
the coordinates that these leave free: the entries `places` of δq and `independent` of δv, so that the directions in
which constraints hold the robot, which no force controls, are no part of it.

A linear system ẋ = A x + B u, whose u is held for a time h, and the cost ∫ xᵀQx + uᵀRu dt over it, are (Van Loan 1978)

    exp(h [[−Fᵀ, W], [0, F]]) = [[·, G], [0, E]],    F = [[A, B], [0, 0]],   W = [[Q, 0], [0, R]]
    (x⁺, u) = E (x, u),    cost (x, u)ᵀ Eᵀ G (x, u)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...algorithms.constraints.joint_rows import has_solved_effects, without_solved_effects
from ...arrays import Array, clip, concatenate, indices, is_concrete
from ...errors import InputError
from ...model.model import Model
from ...robot import Robot
from ...simulation.metadata import names_of
from ..arguments import matrix, sizes_of

Float = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]
NO_FORCE_LIMIT = 1e30
"""Limit of forces that stands for none in kernels."""
REST_ACCELERATION = 1e-7
"""Accelerations relative to those without forces up to which a state counts as an equilibrium."""


def coordinates(robot: Robot) -> tuple[Indices, Indices]:
    """Which entries of δq and of δv are the state of a regulator."""
    return np.asarray(robot.model.places, dtype=np.intp), np.asarray(robot.model.independent, dtype=np.intp)


def state_names(robot: Robot) -> tuple[str, ...]:
    """Names of the entries of x: those of positions, then of velocities."""
    names, (p, y) = names_of(robot.model).v, coordinates(robot)
    return (*(names[k] for k in p), *(f"rate of {names[k]}" for k in y))


def error(robot: Robot, q0: Array, v0: Array, q: Array, v: Array) -> Array:
    """The state x (..., k) of a regulator about (q0, v0); plain array code, of one state if it is traced."""
    plain = is_concrete(q0) and is_concrete(v0) and is_concrete(q) and is_concrete(v)
    dq, dv = (robot if plain else robot.model).difference(q0, q), v - v0
    p, y = coordinates(robot)
    if plain:
        batch = np.broadcast_shapes(dq.shape[:-1], dv.shape[:-1])
        dq, dv = (np.broadcast_to(x, (*batch, robot.nv)) for x in (dq, dv))
    return concatenate([dq[..., p], dv[..., y]])


def error_of_one(model: Model, q0: Array, v0: Array, q: Array, v: Array) -> Array:
    """The same (k,) of one state of a model."""
    dq, dv = model.difference(q0, q), v - v0
    return concatenate([dq[indices(model.places)], dv[indices(model.independent)]])


def bounded(tau: Array, effort: Array | None) -> Array:
    """Forces within their bounds; plain array code."""
    if effort is None:
        return tau
    most = np.minimum(effort, NO_FORCE_LIMIT) if is_concrete(effort) else effort
    return clip(tau, -most, most)


def efforts(robot: Robot, effort: Any) -> Float | None:
    """Limits (nv,) of the joint forces; None if there are none."""
    found = sizes_of(robot, "effort", effort)
    return found if np.isfinite(found).any() else None


def check_effort(robot: Robot, tau: Float, effort: Float | None, what: str) -> None:
    """An error if forces that are needed without any error are beyond their bounds."""
    if effort is None or not tau.size:
        return
    over = np.abs(tau) - effort * (1.0 + 1e-9)
    worst = np.unravel_index(int(np.argmax(over)), over.shape)
    if over[worst] > 0.0:
        name, need = names_of(robot.model).v[int(worst[-1])], abs(float(tau[worst]))
        raise InputError(f"{what} needs {need:.4g} in {name}, more than its effort of {effort[worst[-1]]:.4g}")


class Weights(NamedTuple):
    """Costs of the state, of the motors' forces, and of the state at the end."""

    Q: Float
    R: Float
    Qf: Float


def weights(robot: Robot, Q: Any, R: Any, Qf: Any = 0.0) -> Weights:
    """The weights as matrices, checked."""
    names, m = state_names(robot), len(robot.model.driven)
    if not m:
        raise InputError(f"{robot.name!r} has no motors that a regulator could use: see with_motors")
    of = f"the states {', '.join(names[:4])}{', …' * (len(names) > 4)}"
    motors = f"the {m} forces of motors"
    return Weights(
        matrix("Q", Q, len(names), False, of), matrix("R", R, m, True, motors), matrix("Qf", Qf, len(names), False, of)
    )


def differentiable(robot: Robot) -> Robot:
    """The robot whose linear dynamics gains are made of: without dry friction and hard stops.

    The smooth law of friction would be a damping f/w at rest, which dry friction is not: feedback would rely on it.
    """
    model = robot.model
    return Robot(without_solved_effects(model), **robot._settings.keywords) if has_solved_effects(model) else robot


def needed_forces(
    robot: Robot, q: Float, v: Float, a: Float, wrench: Mapping[str, Any] | None, what: str
) -> tuple[Float, Float]:
    """Forces (..., nv) of the motors with the acceleration a, and the error of the acceleration (...).

    Accelerations are affine in forces, with closures too, where the independent ones determine all. So these are the
    least squares solution; of least norm where motors share a load.
    """
    start = np.asarray(robot.forward_dynamics(q, v, np.zeros(robot.nv), wrench=wrench))
    p, y = coordinates(robot)
    by_tau = np.asarray(robot.linearise(q, v, np.zeros(robot.nv), wrench=wrench)[1])[..., len(p) :, :]
    if not (np.isfinite(start).all() and np.isfinite(by_tau).all()):
        raise InputError(f"{what}: the dynamics are not finite there; is the mass matrix or a loop singular?")
    motors = list(robot.model.driven)
    u = np.linalg.pinv(by_tau[..., motors], rcond=1e-12) @ (a - start)[..., y, None]
    tau = np.zeros(start.shape)
    tau[..., motors] = u[..., 0]
    left = np.asarray(robot.forward_dynamics(q, v, tau, wrench=wrench)) - a
    scale = 1.0 + np.abs(start).max(axis=-1, initial=0.0) + np.abs(a).max(axis=-1, initial=0.0)
    return tau, np.abs(left).max(axis=-1, initial=0.0) / scale


def exponential(X: Float) -> Float:
    """Matrix exponentials of a batch (..., n, n) at once, by scaling, Taylor's series and squaring.

    Of matrices with norms up to ½ the 14 terms leave 4e-17.
    """
    norm = float(np.abs(X).sum(axis=-1).max(initial=0.0))
    halvings = max(0, int(np.ceil(np.log2(norm / 0.5)))) if norm > 0.5 else 0
    X, one = X / 2.0**halvings, np.eye(X.shape[-1])
    E = one + X / 14.0
    for k in range(13, 0, -1):
        E = one + X @ E / k
    for _ in range(halvings):
        E = E @ E
    return E


class Sampled(NamedTuple):
    """x⁺ = A x + B u with the cost xᵀ Q x + 2 xᵀ N u + uᵀ R u of a step."""

    A: Float
    B: Float
    Q: Float
    N: Float
    R: Float


def sampled(A: Float, B: Float, Q: Float, R: Float, dt: Float | float) -> Sampled:
    """A continuous system (..., k, k), (..., k, m) and its cost over steps of dt (...), with forces that are held."""
    k, m = B.shape[-2:]
    F = np.zeros((*A.shape[:-2], k + m, k + m))
    F[..., :k, :k], F[..., :k, k:] = A, B
    W = np.zeros((k + m, k + m))
    W[:k, :k], W[k:, k:] = Q, R
    big = np.zeros((*A.shape[:-2], 2 * (k + m), 2 * (k + m)))
    big[..., : k + m, : k + m], big[..., : k + m, k + m :] = -F.swapaxes(-1, -2), W
    big[..., k + m :, k + m :] = F
    found = exponential(big * np.asarray(dt)[..., None, None])
    E, G = found[..., k + m :, k + m :], found[..., : k + m, k + m :]
    cost = E.swapaxes(-1, -2) @ G
    cost = (cost + cost.swapaxes(-1, -2)) / 2.0
    return Sampled(E[..., :k, :k], E[..., :k, k:], cost[..., :k, :k], cost[..., :k, k:], cost[..., k:, k:])
