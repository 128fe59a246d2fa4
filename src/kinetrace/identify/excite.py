"""Exciting motions: Fourier series that make the base parameters as certain as limits allow.

    minimise −log det Σ_k Y_kᵀ Y_k / σ²          Y_k the columns of base parameters at time t_k

or the condition number of the stacked Y, over amplitudes of a series that is at rest at its ends (Swevers et al. 1997),
within limits of positions, velocities, accelerations and forces, spheres clear of what is around. With Γ the derivative
of the measure by the information matrix, its gradient is that of Σ_k ⟨2 Y_k Γ / σ², Y_k⟩ with the first factor held,
which reverse mode gives exactly. Limits are an augmented Lagrangian, minimised by SciPy's L-BFGS-B; in the end the
motion is reduced until a fine grid of times shows no excess.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..algorithms import inverse_dynamics, regressor
from ..arrays import Array, concatenate
from ..compilation.compile import compile
from ..derivative import vjp
from ..errors import InputError, lookup
from ..model import Model
from ..model.configurations import home
from ..simulate.files import needed
from ..simulate.names import names_of
from ..simulate.progress import cleared, shown
from ..simulate.protocol import Progress
from ..support.plain import plain_count, plain_flag, plain_rng
from .base_parameters import BaseParameters, base_parameters, check_robot, real
from .clearance import Surroundings, clearances, surroundings
from .exciting import ExcitingMotion, path_shapes
from .path import along, has_coordinates
from .protocol import Float, Predicting

PER_HARMONIC, FINE = 16, 10
"""Samples of a period per harmonic, and how many times more there are in the last check."""
OUTER, STEPPED = 12, 4.0
"""Rounds of the augmented Lagrangian, and the growth of its weight."""
CLOSE, SETTLED = 1e-3, 2e-3
"""Excess of limits, and change of the cost, at which rounds end."""
FREE_TURN, FREE_WAY = np.pi, 1.0
"""How far joints without limits of position may be from the centre [rad, m]."""
SHARP = 0.05
"""Velocity, relative to its limit, over which Coulomb friction is smoothed in the information matrix."""
APART = 0.1
"""Length that clearances are measured in [m]."""


class Limits(NamedTuple):
    """Bounds of θ about the centre, of rates and of forces, (nv,) each."""

    lower: Float
    upper: Float
    velocity: Float
    acceleration: Float
    effort: Float


def exciting_motion(
    robot: Predicting[Any],
    *,
    period: float = 10.0,
    harmonics: int = 5,
    criterion: str = "determinant",
    friction: bool = True,
    rotor: bool = False,
    center: npt.ArrayLike | None = None,
    velocity: npt.ArrayLike | None = None,
    acceleration: npt.ArrayLike | None = None,
    effort: npt.ArrayLike | None = None,
    margin: float = 0.05,
    spheres: Mapping[str, Any] | None = None,
    floor: float | None = None,
    obstacles: Sequence[tuple[npt.ArrayLike, float]] = (),
    noise: npt.ArrayLike | None = None,
    starts: int = 3,
    iterations: int = 60,
    seed: int = 0,
    progress: Progress | bool | None = None,
) -> ExcitingMotion:
    """Motion from which the base parameters of a robot can be identified best, within its limits.

    It is a Fourier series about a centre, at rest at the beginning and the end of its period. Joints with quaternions
    move along centre ⊕ θ(t). Limits hold on a grid of 160 times per harmonic, with accelerations and forces of the
    robot's own model. A joint without limits of position stays within half a turn or a metre of the centre.

    Parameters
    ----------
    robot : Robot
        Robot to be identified, without closures: joints of a closed robot cannot follow series of their own.
    period : float, default 10.0
        Period [s]; frequencies are its multiples.
    harmonics : int, default 5
        Number of frequencies, at least 2.
    criterion : {"determinant", "condition"}, default "determinant"
        Whether to make the volume of the parameters' uncertainty small, or the condition number.
    friction : bool, default True
        Whether viscous and Coulomb friction are to be identified.
    rotor : bool, default False
        Whether inertias of rotors are to be identified.
    center : array_like, shape (nq,), optional
        Configuration about which to move; the middle of the limits unless given, or another at which the robot can be
        at rest.
    velocity : array_like, shape (nv,), optional
        Limits of velocities [rad/s, m/s]; those of the robot unless given.
    acceleration : array_like, shape (nv,), optional
        Limits of accelerations [rad/s², m/s²]; none unless given.
    effort : array_like, shape (nv,), optional
        Limits of joint forces [N m, N]; those of the robot unless given.
    margin : float, default 0.05
        Part of every range that is kept free.
    spheres : mapping of str to float, tuple or list, optional
        Frame → radius [m], or (radius, centre in the frame), or a list of these: spheres that stay clear of the floor,
        of obstacles, and of each other unless their bodies are the same or neighbours.
    floor : float, optional
        Height of the floor that spheres stay above [m].
    obstacles : sequence of tuple, optional
        Spheres (centre (3,) in the world, radius) [m].
    noise : array_like, shape (nv,), optional
        Standard deviations of the joint forces, as weights; proportional to the limits of forces unless given, if all
        have one.
    starts : int, default 3
        Number of random motions to begin from.
    iterations : int, default 60
        Largest number of iterations in each of at most 12 rounds from each start.
    seed : int, default 0
        Seed of the starts.
    progress : callable or bool, optional
        Function of (rounds done, rounds in all), or whether to show a line; on a terminal unless given.

    Returns
    -------
    ExcitingMotion
        The motion, with `success` and `status`.

    Raises
    ------
    InputError
        If the robot has closures, a velocity has no limit, or an argument is not valid.

    Examples
    --------
    >>> import kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> motion = kt.identify.exciting_motion(robot, period=4, harmonics=3, starts=1, effort=[60, 20])
    >>> motion.success, bool(motion.condition < 30)
    (True, True)
    >>> bool(abs(motion.trajectory(robot).tau).max(axis=0)[1] <= 20)
    True
    """
    check_robot(robot)
    model = robot.model
    if model.closures:
        raise InputError(
            "the robot has closures: its joints cannot follow independent Fourier series; excite it by its motors "
            "(robot.simulate) and give the log to identify"
        )
    if not model.nv:
        raise InputError("the robot has no joints to move")
    harmonics, starts = plain_count("harmonics", harmonics, 2), plain_count("starts", starts, 1)
    iterations = plain_count("iterations", iterations, 1)
    if not (isinstance(period, int | float) and 0 < period < np.inf):
        raise InputError(f"period must be a positive time, got {period!r}")
    if not (isinstance(margin, int | float) and 0 <= margin < 1):
        raise InputError(f"margin must be at least 0 and below 1, got {margin!r}")
    measure = lookup("criterion", criterion, CRITERIA)
    base = base_parameters(robot, friction=plain_flag("friction", friction), rotor=plain_flag("rotor", rotor))
    around = surroundings(model, spheres, floor, obstacles)
    rng = plain_rng(seed)
    given = {"velocity": velocity, "acceleration": acceleration, "effort": effort}
    sizes = {name: _size(name, x, model.nv) for name, x in given.items()}
    problem_of = _maker(robot, base, measure, around, sizes, margin, noise, float(period), harmonics)
    problem = _at_rest(robot, problem_of, center, rng)
    if problem.excess(np.zeros((model.nv, problem.grid.width))) > 0:
        return problem.motion(np.zeros((model.nv, problem.grid.width)), "limits", 0)
    told = shown(progress)
    with cleared(told):
        return _best(problem, rng, starts, iterations, told)


def _size(name: str, x: npt.ArrayLike | None, nv: int) -> Float | None:
    """Given limits (nv,), all positive."""
    if x is None:
        return None
    value = real(name, x)
    if value.shape not in ((), (nv,)) or not (value > 0).all():
        raise InputError(f"{name} must be {nv} positive numbers, got {x!r}")
    return np.broadcast_to(value, nv).astype(float)


def _maker(
    robot: Predicting[Any],
    base: BaseParameters,
    measure: Criterion,
    around: Surroundings,
    sizes: Mapping[str, Float | None],
    margin: float,
    noise: npt.ArrayLike | None,
    period: float,
    harmonics: int,
) -> Callable[[Array], Problem]:
    """A function that makes the problem about a centre; kernels are compiled once."""
    model = robot.model
    sigma = _weights(robot, noise)
    kernels = Kernels.of(model, base, around)
    grid = Grid(period, harmonics, PER_HARMONIC * harmonics)
    fine = Grid(period, harmonics, FINE * PER_HARMONIC * harmonics)

    def problem(center: Array) -> Problem:
        limits = limits_about(robot, center, sizes, margin)
        return Problem(model, base, measure, around, limits, sigma, center, grid, fine, kernels)

    return problem


def _weights(robot: Predicting[Any], noise: npt.ArrayLike | None) -> Float:
    if noise is not None:
        given = _size("noise", noise, robot.nv)
        assert given is not None
        return given
    effort = np.asarray(robot.model.limits.effort)
    return effort / np.exp(np.mean(np.log(effort))) if np.isfinite(effort).all() and (effort > 0).all() else np.ones(robot.nv)


def limits_about(robot: Predicting[Any], center: Array, sizes: Mapping[str, Float | None], margin: float) -> Limits:
    """Bounds of θ and its derivatives, reduced by the margin."""
    model, nv = robot.model, robot.nv
    names = names_of(model)
    free = np.where([unit == "rad/s" for unit in names.v_units], FREE_TURN, FREE_WAY)
    lower, upper = -free, free.copy()
    for body in model.independent_joints:
        sq, sv = model.joint_slices(body.joint_name)
        if body.joint.has_coordinates:
            for bound, ends in ((lower, model.bounds.lower[sq]), (upper, model.bounds.upper[sq])):
                room = ends - center[sq]
                bound[sv] = np.where(np.isfinite(room), room, bound[sv])
    span = margin / 2 * (upper - lower)
    speed = np.array(model.bounds.velocity if sizes["velocity"] is None else sizes["velocity"], dtype=float)
    if not np.isfinite(speed).all():
        which = [name for name, x in zip(names.v, speed, strict=True) if not np.isfinite(x)]
        raise InputError(f"velocities of {', '.join(which[:6])} have no limits: give velocity=[...], {nv} numbers")
    change = np.full(nv, np.inf) if sizes["acceleration"] is None else sizes["acceleration"]
    effort = np.asarray(model.limits.effort if sizes["effort"] is None else sizes["effort"], dtype=float)
    keep = 1 - margin
    return Limits(lower + span, upper - span, keep * speed, keep * change, keep * np.where(effort > 0, effort, np.inf))


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
    return regressor(model, *along(model, center, theta, rate, change))[:, list(columns)]


def _forces_along(model: Model, center: Array, theta: Array, rate: Array, change: Array) -> Array:
    return inverse_dynamics(model, *along(model, center, theta, rate, change))


def _rates_along(model: Model, center: Array, theta: Array, rate: Array, change: Array) -> Array:
    return concatenate(along(model, center, theta, rate, change)[1:])


def _clearances_along(model: Model, center: Array, theta: Array, *, around: Surroundings) -> Array:
    return clearances(model, model.integrate(center, theta), around=around)


class Kernels(NamedTuple):
    """What is computed along a motion, and its derivatives in reverse."""

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
    def of(model: Model, base: BaseParameters, around: Surroundings) -> Kernels:
        """The kernels for one robot."""
        shapes, wrt = path_shapes(model), ("theta", "rate", "change")
        columns = tuple(int(i) for i in base.columns if i < 10 * len(model.bodies))
        own: list[Any] = [compile(_regressor_along, model, shapes=shapes, columns=columns)]
        own.append(compile(vjp(_regressor_along, wrt=wrt), model, shapes=shapes, columns=columns))
        own.append(compile(_forces_along, model, shapes=shapes))
        own.append(compile(vjp(_forces_along, wrt=wrt), model, shapes=shapes))
        if around.count:
            places = {k: shapes[k] for k in ("center", "theta")}
            own.append(compile(_clearances_along, model, shapes=places, around=around))
            own.append(compile(vjp(_clearances_along, wrt="theta"), model, shapes=places, around=around))
        else:
            own += [None, None]
        if has_coordinates(model):
            return Kernels(*own, None, None)
        own.append(compile(_rates_along, model, shapes=shapes))
        return Kernels(*own, compile(vjp(_rates_along, wrt=wrt), model, shapes=shapes))


Criterion = Callable[[Array], tuple[float, Array]]
"""Information matrix → the measure, and its derivative by the matrix."""


def determinant(A: Array) -> tuple[float, Array]:
    """−log det A per parameter, of A with 1e-14 added to its diagonal, scaled to one."""
    n, size = len(A), 1 / np.sqrt(np.diag(A))
    L = np.linalg.cholesky(A * size * size[:, None] + 1e-14 * np.eye(n))
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
class Problem:
    """What is minimised, and the limits, in the variables x (nv, width)."""

    model: Model
    base: BaseParameters
    measure: Criterion
    around: Surroundings
    limits: Limits
    sigma: Float
    center: Array
    grid: Grid
    fine: Grid
    kernels: Kernels

    def information(self, states: tuple[Array, Array, Array]) -> tuple[Array, Array]:
        """The weighted columns of base parameters (n, nv, count), and the information matrix per sample."""
        W = self._columns(states) / self.sigma[:, None]
        flat = W.reshape(-1, W.shape[-1])
        return W, flat.T @ flat / len(W)

    def _columns(self, states: tuple[Array, Array, Array]) -> Array:
        bodies, values, (joint, kept) = self.kernels.regressor(self.center, *states), self._joints(states)[0], self.extra
        joints = np.zeros((len(bodies), self.model.nv, len(kept)))
        joints[:, joint, np.arange(len(kept))] = values[:, kept]
        return np.concatenate([bodies, joints], axis=-1)

    @property
    def extra(self) -> tuple[Array, Array]:
        """Joints of the columns of friction and rotors among the base parameters, and their places in `_joints`."""
        first = 10 * len(self.model.bodies)
        kept = self.base.columns[self.base.columns >= first] - first
        return kept % self.model.nv, kept

    def _joints(self, states: tuple[Array, Array, Array]) -> tuple[Array, Array]:
        """Entries (n, kinds nv) of the columns of friction and rotors, and their slopes by v or a."""
        _, v, a = states if self.kernels.rates is None else (None, *self.actual(states))
        steep = np.tanh(v / (width := SHARP * self.limits.velocity))
        kinds = (len(self.base.parameters) - 10 * len(self.model.bodies)) // self.model.nv
        friction = [(v, np.ones_like(v)), (steep, (1 - steep**2) / width)] if kinds >= 2 else []
        rotor = [(a, np.ones_like(a))] if kinds % 2 else []
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
        W, A = self.information(states)
        value, slope = self.measure(A)
        pull = 2 * (W @ slope) / self.sigma[:, None] / len(W)
        (joint, kept), nv = self.extra, self.model.nv
        k = pull.shape[-1] - len(kept)
        theta, rate, change = self.kernels.regressor_pull(self.center, *states, pull[..., :k])
        slopes = self._joints(states)[1]
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
        """How far limits are exceeded, relative to their size: positions, velocities, accelerations, forces, clearances."""
        limits, (theta, rate, change) = self.limits, states
        half = np.maximum((limits.upper - limits.lower) / 2, 1e-9)
        v, a = self.actual(states) if actual else (rate, change)
        tau = self.kernels.forces(self.center, *states)
        found = [(theta - limits.upper) / half, (limits.lower - theta) / half, np.abs(v) / limits.velocity - 1]
        found += [np.abs(a) / limits.acceleration - 1, np.abs(tau) / limits.effort - 1]
        if self.kernels.clearances is not None:
            found.append(-self.kernels.clearances(self.center, theta) / APART)
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
            by_theta = by_theta - self.kernels.clearances_pull(self.center, theta, w[5] / APART)
        return self.grid.pull(by_theta, by_rate, by_change)

    def excess(self, x: Array) -> float:
        """The largest excess on the fine grid."""
        return max(float(g.max(initial=-np.inf)) for g in self.excesses(self.fine.states(x), actual=True))

    def motion(self, x: Array, status: str, iterations: int) -> ExcitingMotion:
        """The motion of these variables."""
        states = self.fine.states(x)
        _, A = self.information(states)
        excess, moving = self.excess(x), status != "limits"
        excited = moving and np.diag(A).min(initial=1.0) > 0
        number = float(np.exp(condition(A)[0])) if excited else np.inf
        if moving and not number < 1e6:
            status = "unexcited"
        coefficients = x[:, 1:] @ self.grid.amplitudes.T
        n = self.grid.harmonics
        return ExcitingMotion(
            *(self.model, np.array(self.center), x[:, 0].copy(), coefficients[:, :n], coefficients[:, n:]),
            *(self.grid.period, status in ("converged", "iterations") and excess <= 0, status, MESSAGES[status]),
            *(self.measure(A)[0] if excited else np.inf, number, max(excess, 0.0), iterations),
        )


MESSAGES = {
    "converged": "the motion is a local optimum within the limits",
    "iterations": "the motion is within the limits, but the optimiser ended before it settled: allow more iterations",
    "limits": "no configuration at rest was found within the limits of forces and clear of spheres",
    "unexcited": "the motion does not excite all base parameters: more harmonics or wider limits are needed",
}


def _at_rest(
    robot: Predicting[Any], problem: Callable[[Array], Problem], center: npt.ArrayLike | None, rng: np.random.Generator
) -> Problem:
    """The problem about a centre at which the robot can be at rest; if none is found, about the first one."""
    model = robot.model
    if center is not None:
        q = real("center", center)
        if q.shape != (model.nq,) or not np.isfinite(q).all():
            raise InputError(f"center must have shape ({model.nq},) and be finite, got {center!r}")
        return problem(q)
    low, high = np.asarray(model.bounds.lower), np.asarray(model.bounds.upper)
    bounded = np.isfinite(low) & np.isfinite(high)
    middle = np.where(bounded, (np.where(bounded, low, 0) + np.where(bounded, high, 0)) / 2, home(model))
    first = problem(middle)
    rest = np.zeros((model.nv, first.grid.width))
    if first.excess(rest) <= -CLOSE:
        return first
    for _ in range(200):
        other = problem(model.random(rng))
        if other.excess(rest) <= -CLOSE:
            return other
    return first


def _best(problem: Problem, rng: np.random.Generator, starts: int, iterations: int, told: Progress | None) -> ExcitingMotion:
    """The best of the motions from several starts."""
    best, best_cost, total = None, np.inf, 0
    for k in range(starts):
        x, settled, used = _augmented(problem, _start(problem, rng), iterations, told, k, starts)
        total += used
        x = _reduced(problem, x)
        value = problem.cost(x)[0] if x.any() else np.inf
        if best is None or value < best_cost:
            best, best_cost = (x, settled), value
    assert best is not None
    return problem.motion(best[0], "converged" if best[1] else "iterations", total)


def _start(problem: Problem, rng: np.random.Generator) -> Array:
    """Random variables within the limits of positions and velocities."""
    x = rng.normal(size=(problem.model.nv, problem.grid.width))
    x[:, 0] = 0.0
    theta, rate, _ = problem.grid.states(x)
    room = np.minimum(problem.limits.upper, -problem.limits.lower)
    scale = np.minimum(0.6 * problem.limits.velocity / np.abs(rate).max(axis=0), room / np.abs(theta).max(axis=0))
    return _reduced(problem, x * np.maximum(scale, 1e-3)[:, None])


def _reduced(problem: Problem, x: Array) -> Array:
    """The variables times the largest of some factors with which no limit is exceeded on the fine grid."""
    for factor in np.concatenate([1 - np.geomspace(1e-4, 0.5, 40), np.geomspace(0.45, 1e-3, 20)]):
        if problem.excess(factor * x) <= 0:
            return factor * x
    return 0 * x


def _augmented(
    problem: Problem, x: Array, iterations: int, told: Progress | None, start: int, starts: int
) -> tuple[Array, bool, int]:
    """A minimum of the augmented Lagrangian from x, whether it settled, and the iterations it took."""
    minimize = needed("scipy.optimize", "exciting_motion", "motion").minimize
    shape, weight, used = x.shape, 1.0, 0
    states = problem.grid.states(x)
    multipliers = [np.zeros_like(g) for g in problem.excesses(states)]
    value, worst = np.inf, np.inf

    def lagrangian(flat: Array) -> tuple[float, Array]:
        x = flat.reshape(shape)
        states = problem.grid.states(x)
        cost, gradient = problem.cost(x)
        pushed = [np.maximum(m + weight * g, 0) for m, g in zip(multipliers, problem.excesses(states), strict=True)]
        total = cost + sum(float(np.sum(p**2) - np.sum(m**2)) for p, m in zip(pushed, multipliers, strict=True)) / (2 * weight)
        return total, (gradient + problem.pull(states, pushed)).ravel()

    for k in range(OUTER):
        found = minimize(lagrangian, x.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": iterations})
        x, used = found.x.reshape(shape), used + int(found.nit)
        excess = problem.excesses(problem.grid.states(x))
        multipliers = [np.maximum(m + weight * g, 0) for m, g in zip(multipliers, excess, strict=True)]
        over, cost = max(float(g.max(initial=0.0)) for g in excess), problem.cost(x)[0]
        if told is not None:
            told(start * OUTER + k + 1, starts * OUTER)
        if over < CLOSE and (found.status == 0 or abs(cost - value) < SETTLED * min(1.0, iterations / 60)):
            return x, True, used
        if over > 0.5 * worst:
            weight *= STEPPED
        value, worst = cost, over
    return x, False, used
