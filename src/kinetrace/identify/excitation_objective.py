"""Objective and limits of an exciting motion, as functions of the amplitudes of a Fourier series.

The information matrix of base parameters per sample is A = Σ_k Y_kᵀ Y_k / (σ² n). With Γ the derivative of a measure of
it, the gradient of the measure by the motion is that of Σ_k ⟨2 Y_k Γ / (σ² n), Y_k⟩ with the first factor held: one
call of the regressor in reverse mode per time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..algorithms import inverse_dynamics, pose, regressor
from ..algorithms.kinematics.displacement import displace, has_coordinates
from ..arrays import Array, concatenate, sqrt, stack
from ..engine.compilation.compile import compile
from ..engine.derivative import vjp
from ..errors import InputError, unknown_name_error
from ..model import Model
from ..model.effects.joint_effects import coulomb, coulomb_slope, per_velocity
from ..robot.types import Float
from ..support.conversion import Sphere, as_reals, as_spheres
from .base_parameters import BaseParameters
from .fourier_motion import ExcitingMotion, path_shapes


@dataclass(frozen=True)
class Ball:
    """A sphere that a frame carries."""

    frame: str
    radius: float
    center: tuple[float, float, float]


@dataclass(frozen=True)
class ClearanceSpheres:
    """Spheres of the robot, what they must stay clear of, and which of them of each other."""

    balls: tuple[Ball, ...] = ()
    floor: float | None = None
    obstacles: tuple[Sphere, ...] = ()
    pairs: tuple[tuple[int, int], ...] = ()
    moving: tuple[int, ...] = ()
    """Spheres that are not fixed to the world."""

    @property
    def count(self) -> int:
        """Number of clearances."""
        return len(self.moving) * ((self.floor is not None) + len(self.obstacles)) + len(self.pairs)


def clearance_spheres(
    model: Model, spheres: Mapping[str, Any] | None, floor: float | None, obstacles: Any
) -> ClearanceSpheres:
    """Spheres and obstacles, checked; see `exciting_motion`."""
    if spheres is not None and not isinstance(spheres, Mapping):
        raise InputError(f"spheres must map frames to radii, as {{'hand': 0.1}}; got {type(spheres).__name__}")
    balls = []
    for frame, value in (spheres or {}).items():
        if frame not in model.frames:
            raise unknown_name_error("frame", frame, list(model.frames), " of spheres")
        several = isinstance(value, list)
        for one in value if several else [value]:
            radius, center = one if isinstance(one, tuple) and len(one) == 2 else (one, (0.0, 0.0, 0.0))
            balls.append(Ball(frame, *_ball(f"spheres[{frame!r}]", radius, center)))
    stones = as_spheres("obstacles", obstacles)
    if floor is not None and not (isinstance(floor, int | float) and np.isfinite(floor)):
        raise InputError(f"floor must be a height, got {floor!r}")
    if not balls and (stones or floor is not None):
        raise InputError("floor and obstacles are for spheres: give some, as spheres={'hand': 0.1}")
    height = None if floor is None else float(floor)
    moving = tuple(k for k, ball in enumerate(balls) if model.frames[ball.frame].body >= 0)
    pairs = _pairs(model, balls)
    return ClearanceSpheres(balls=tuple(balls), floor=height, obstacles=stones, pairs=pairs, moving=moving)


def _ball(what: str, radius: Any, center: Any) -> tuple[float, tuple[float, float, float]]:
    r, c = as_reals(what, radius), as_reals(what, center)
    if r.shape != () or c.shape != (3,) or not (r > 0 and np.isfinite(r) and np.isfinite(c).all()):
        raise InputError(f"{what} must be a radius > 0 and a centre (3,), got {radius!r}, {center!r}")
    return float(r), (float(c[0]), float(c[1]), float(c[2]))


def _pairs(model: Model, balls: Sequence[Ball]) -> tuple[tuple[int, int], ...]:
    """Spheres on bodies that are neither the same nor neighbours: neighbours touch in their joint."""
    bodies = [model.frames[ball.frame].body for ball in balls]
    parent = {body.index: body.parent for body in model.bodies}
    return tuple(
        (i, j)
        for i in range(len(balls))
        for j in range(i + 1, len(balls))
        if bodies[i] != bodies[j] and parent.get(bodies[i]) != bodies[j] and parent.get(bodies[j]) != bodies[i]
    )


def clearances(model: Model, q: Array, *, around: ClearanceSpheres) -> Array:
    """Signed distances (count,) [m]: to the floor, to obstacles, of pairs of spheres."""
    points = [pose(model, q, frame=ball.frame, point=np.array(ball.center))[:3, 3] for ball in around.balls]
    found = []
    for ball, p in ((around.balls[k], points[k]) for k in around.moving):
        if around.floor is not None:
            found.append(p[2] - around.floor - ball.radius)
        found += [_distance(p, np.array(centre)) - ball.radius - radius for *centre, radius in around.obstacles]
    for i, j in around.pairs:
        found.append(_distance(points[i], points[j]) - around.balls[i].radius - around.balls[j].radius)
    return stack(found)


def _distance(a: Array, b: Array) -> Array:
    return sqrt((a - b) @ (a - b) + 1e-12)  # its derivative is finite where both are the same


FRICTION_SMOOTHING = 0.05
"""Velocity, relative to its limit, over which Coulomb friction is smoothed at least while the optimiser searches.

With the robot's own width, which a motion passes within one sample, searches end at motions that have 3 to 17 % less
information per parameter (puma560, ur5e). What is told of a motion is that of the robot's own law."""
CLEARANCE_UNIT = 0.1
"""Length that clearances are measured in [m]."""


class ExcitationLimits(NamedTuple):
    """Bounds of θ about the centre, of rates and of forces, (nv,) each."""

    lower: Float
    upper: Float
    velocity: Float
    acceleration: Float
    effort: Float


class Grid:
    """θ and its derivatives at some times, as matrices that act on the variables x (width,) of one joint."""

    def __init__(self, period: float, harmonics: int, n: int) -> None:
        self.period, self.harmonics = period, harmonics
        self.t = np.linspace(0, period, n, endpoint=False)
        order = np.arange(1, harmonics + 1)
        w = 2 * np.pi / period * order
        sines = 1 / order  # unit variables have speeds of one size
        s, c = np.sin(self.t[:, None] * w), np.cos(self.t[:, None] * w)
        zero = np.zeros_like(self.t)[:, None]
        at_rest = np.zeros((2, 2 * harmonics))
        at_rest[0, :harmonics], at_rest[1, harmonics:] = w * sines, w**2 * sines
        null = np.linalg.svd(at_rest)[2][2:].T
        self.amplitudes = np.concatenate([sines, sines])[:, None] * null
        raw = (np.hstack([s, c]), np.hstack([c * w, -s * w]), np.hstack([-s * w**2, -c * w**2]))
        self.place, self.rate, self.change = (
            np.hstack([zero + (k == 0), x @ self.amplitudes]) for k, x in enumerate(raw)
        )
        self.width = self.place.shape[1]

    def states(self, x: Array) -> tuple[Array, Array, Array]:
        """θ, θ̇ and θ̈ (n, nv) of variables (nv, width)."""
        return self.place @ x.T, self.rate @ x.T, self.change @ x.T

    def pull(self, theta: Array, rate: Array, change: Array) -> Array:
        """The gradient (nv, width) of variables, from those (n, nv) of θ, θ̇ and θ̈."""
        return (self.place.T @ theta + self.rate.T @ rate + self.change.T @ change).T


def _regressor_along(
    model: Model, center: Array, theta: Array, rate: Array, change: Array, *, columns: tuple[int, ...]
) -> Array:
    return regressor(model, *displace(model, center, theta, rate, change))[:, list(columns)]


def _forces_along(model: Model, center: Array, theta: Array, rate: Array, change: Array) -> Array:
    return inverse_dynamics(model, *displace(model, center, theta, rate, change))


def _rates_along(model: Model, center: Array, theta: Array, rate: Array, change: Array) -> Array:
    return concatenate(displace(model, center, theta, rate, change)[1:])


def _clearances_along(model: Model, center: Array, theta: Array, *, around: ClearanceSpheres) -> Array:
    return clearances(model, model.integrate(center, theta), around=around)


class PathKernels(NamedTuple):
    """Kernels along a motion, and their derivatives in reverse mode."""

    regressor: Any
    regressor_pull: Any
    forces: Any
    forces_pull: Any
    clearances: Any
    clearances_pull: Any
    rates: Any
    """None where velocities are rates of coordinates."""
    rates_pull: Any

    @staticmethod
    def of(model: Model, base: BaseParameters, around: ClearanceSpheres) -> PathKernels:
        """The kernels for one robot."""
        shapes, wrt = path_shapes(model), ("theta", "rate", "change")
        columns = tuple(int(i) for i in base.columns if i < 10 * len(model.bodies))
        along_path = partial(compile, robot=model, shapes=shapes)
        at_places = partial(compile, robot=model, shapes={k: shapes[k] for k in ("center", "theta")}, around=around)
        quaternions, spheres = not has_coordinates(model), around.count > 0
        return PathKernels(
            regressor=along_path(_regressor_along, columns=columns),
            regressor_pull=along_path(vjp(_regressor_along, wrt=wrt), columns=columns),
            forces=along_path(_forces_along),
            forces_pull=along_path(vjp(_forces_along, wrt=wrt)),
            clearances=at_places(_clearances_along) if spheres else None,
            clearances_pull=at_places(vjp(_clearances_along, wrt="theta")) if spheres else None,
            rates=along_path(_rates_along) if quaternions else None,
            rates_pull=along_path(vjp(_rates_along, wrt=wrt)) if quaternions else None,
        )


Criterion = Callable[[Array], tuple[float, Array]]
"""Information matrix → the measure, and its derivative by the matrix."""


def determinant(A: Array) -> tuple[float, Array]:
    """−log det A per parameter, of A with 1e-12 added to its diagonal, scaled to one."""
    n, size = len(A), 1 / np.sqrt(np.diag(A))
    L = np.linalg.cholesky(A * size * size[:, None] + 1e-12 * np.eye(n))
    inverse = np.linalg.inv(L)
    return float(2 * np.sum(np.log(size / np.diag(L))) / n), -(inverse.T @ inverse) * size * size[:, None] / n


def condition(A: Array) -> tuple[float, Array]:
    """Logarithm of the condition number of the stacked regressor, its columns scaled to one size."""
    size = 1 / np.sqrt(np.diag(A))
    N = A * size * size[:, None]
    values, vectors = np.linalg.eigh(N)
    low, high, u, w = max(values[0], 1e-14), values[-1], vectors[:, 0], vectors[:, -1]
    P = 0.5 * (np.outer(w, w) / high - np.outer(u, u) / low)
    G = P * size * size[:, None]
    return float(0.5 * np.log(high / low)), G - np.diag(np.sum(P * N, axis=1) * size**2)


CRITERIA: dict[str, Criterion] = {"determinant": determinant, "condition": condition}


@dataclass(frozen=True, eq=False)
class ExcitationProblem:
    """Objective and limits in the variables x (nv, width)."""

    model: Model
    base: BaseParameters
    measure: Criterion
    around: ClearanceSpheres
    limits: ExcitationLimits
    sigma: Float
    center: Array
    grid: Grid
    fine: Grid
    kernels: PathKernels

    def information(self, states: tuple[Array, Array, Array], width: Array) -> tuple[Array, Array]:
        """The weighted columns of base parameters (n, nv, count), and the information matrix per sample."""
        W = self._columns(states, width) / self.sigma[:, None]
        flat = W.reshape(-1, W.shape[-1])
        return W, flat.T @ flat / len(W)

    @property
    def width(self) -> Array:
        """Velocities (nv,) over which the robot's own Coulomb friction is smoothed."""
        return per_velocity(self.model, "friction_width")

    @property
    def wide(self) -> Array:
        """The same while the optimiser searches."""
        return np.maximum(self.width, FRICTION_SMOOTHING * self.limits.velocity)

    def _columns(self, states: tuple[Array, Array, Array], width: Array) -> Array:
        bodies, values, (joint, kept) = (
            self.kernels.regressor(self.center, *states),
            self._joints(states, width)[0],
            self.extra,
        )
        joints = np.zeros((len(bodies), self.model.nv, len(kept)))
        joints[:, joint, np.arange(len(kept))] = values[:, kept]
        return np.concatenate([bodies, joints], axis=-1)

    @property
    def extra(self) -> tuple[Array, Array]:
        """Joints of the columns of friction and rotors among the base parameters, and their places in `_joints`."""
        first = 10 * len(self.model.bodies)
        kept = self.base.columns[self.base.columns >= first] - first
        return kept % self.model.nv, kept

    def _joints(self, states: tuple[Array, Array, Array], width: Array) -> tuple[Array, Array]:
        """Entries (n, kinds nv) of the columns of friction and rotors, and their slopes by v or a."""
        _, v, a = states if self.kernels.rates is None else (None, *self.actual(states))
        one = np.ones_like(v)
        kinds = (len(self.base.parameters) - 10 * len(self.model.bodies)) // self.model.nv
        friction = [(v, one), (coulomb(one, v, width), coulomb_slope(one, v, width))] if kinds >= 2 else []
        rotor = [(a, one)] if kinds % 2 else []
        pairs = [*friction, *rotor] or [(v[:, :0], v[:, :0])]
        values, slopes = (np.concatenate(x, axis=1) for x in zip(*pairs, strict=True))
        return values, slopes

    def actual(self, states: tuple[Array, Array, Array]) -> tuple[Array, Array]:
        """v and a (n, nv)."""
        if self.kernels.rates is None:
            return states[1], states[2]
        both = self.kernels.rates(self.center, *states)
        return both[:, : self.model.nv], both[:, self.model.nv :]

    def cost(self, x: Array) -> tuple[float, Array]:
        """The measure and its gradient."""
        states = self.grid.states(x)
        W, A = self.information(states, self.wide)
        value, slope = self.measure(A)
        pull = 2 * (W @ slope) / self.sigma[:, None] / len(W)
        (joint, kept), nv = self.extra, self.model.nv
        k = pull.shape[-1] - len(kept)
        theta, rate, change = self.kernels.regressor_pull(self.center, *states, pull[..., :k])
        slopes = self._joints(states, self.wide)[1]
        by_entry = np.zeros_like(slopes)
        by_entry[:, kept] = slopes[:, kept] * pull[:, joint, k + np.arange(len(kept))]
        kinds = slopes.shape[1] // nv
        by_v = by_entry[:, :nv] + by_entry[:, nv : 2 * nv] if kinds >= 2 else np.zeros_like(rate)
        by_a = by_entry[:, -nv:] if kinds % 2 else np.zeros_like(rate)
        more = (0.0, by_v, by_a)
        if self.kernels.rates is not None:
            more = self.kernels.rates_pull(self.center, *states, np.concatenate([by_v, by_a], axis=1))
        return value, self.grid.pull(theta + more[0], rate + more[1], change + more[2])

    def excesses(self, states: tuple[Array, Array, Array], actual: bool = False) -> list[Array]:
        """How far limits are exceeded, relative to their size: of θ, velocities, accelerations, forces, clearances."""
        limits, (theta, rate, change) = self.limits, states
        half = np.maximum((limits.upper - limits.lower) / 2, 1e-9)
        v, a = self.actual(states) if actual else (rate, change)
        tau = self.kernels.forces(self.center, *states)
        found = [(theta - limits.upper) / half, (limits.lower - theta) / half, np.abs(v) / limits.velocity - 1]
        found += [np.abs(a) / limits.acceleration - 1, np.abs(tau) / limits.effort - 1]
        if self.kernels.clearances is not None:
            found.append(-self.kernels.clearances(self.center, theta) / CLEARANCE_UNIT)
        return found

    def pull(self, states: tuple[Array, Array, Array], w: list[Array]) -> Array:
        """The gradient of Σ ⟨w, excesses⟩ by the variables."""
        limits, (theta, rate, change) = self.limits, states
        half = np.maximum((limits.upper - limits.lower) / 2, 1e-9)
        by_theta = (w[0] - w[1]) / half
        by_rate, by_change = np.sign(rate) * w[2] / limits.velocity, np.sign(change) * w[3] / limits.acceleration
        if w[4].any():
            weight = np.sign(self.kernels.forces(self.center, *states)) * w[4] / limits.effort
            more = self.kernels.forces_pull(self.center, *states, weight)
            by_theta, by_rate, by_change = by_theta + more[0], by_rate + more[1], by_change + more[2]
        if self.kernels.clearances is not None and w[5].any():
            by_theta = by_theta - self.kernels.clearances_pull(self.center, theta, w[5] / CLEARANCE_UNIT)
        return self.grid.pull(by_theta, by_rate, by_change)

    def excess(self, x: Array) -> float:
        """The largest excess on the fine grid."""
        return max(float(g.max(initial=-np.inf)) for g in self.excesses(self.fine.states(x), actual=True))

    def motion(self, x: Array, status: str, iterations: int) -> ExcitingMotion:
        """The motion of these variables."""
        states = self.fine.states(x)
        _, A = self.information(states, self.width)
        excess, moving = self.excess(x), status != "limits"
        excited = moving and np.diag(A).min(initial=1.0) > 0
        number = float(np.exp(condition(A)[0])) if excited else np.inf
        if moving and not number < 1e6:
            status = "unexcited"
        coefficients = x[:, 1:] @ self.grid.amplitudes.T
        n = self.grid.harmonics
        return ExcitingMotion(
            model=self.model,
            center=np.array(self.center),
            offset=x[:, 0].copy(),
            sine=coefficients[:, :n],
            cosine=coefficients[:, n:],
            period=self.grid.period,
            success=status in ("converged", "iterations") and excess <= 0,
            status=status,
            message=MESSAGES[status],
            cost=self.measure(A)[0] if excited else np.inf,
            condition=number,
            residual=max(excess, 0.0),
            iterations=iterations,
        )


MESSAGES = {
    "converged": "the motion is a local optimum within the limits",
    "iterations": "the motion is within the limits, but the optimiser ended before it settled: allow more iterations",
    "limits": "no configuration at rest was found within the limits of forces and clear of spheres",
    "unexcited": "the motion does not excite all base parameters: more harmonics or wider limits are needed",
}
