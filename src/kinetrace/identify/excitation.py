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
from typing import Any

import numpy as np
import numpy.typing as npt

from ..algorithms.registry.declaration import check_tree
from ..arrays import Array
from ..errors import InputError, lookup
from ..model.configurations import home
from ..model.model import Model
from ..robot import Robot
from ..robot.types import Float
from ..simulation.metadata import names_of
from ..support.conversion import as_count, as_flag, as_reals, as_rng, finite, positive
from ..support.keywords import known_keywords
from ..support.optional import require_package
from ..support.progress import Progress, progress_callback, progress_context
from .base_parameters import BaseParameters, base_parameters, check_robot
from .excitation_objective import (
    CRITERIA,
    ClearanceSpheres,
    Criterion,
    ExcitationLimits,
    ExcitationProblem,
    Grid,
    PathKernels,
    clearance_spheres,
)
from .fourier_motion import ExcitingMotion

SAMPLES_PER_HARMONIC, FINE_FACTOR = 16, 10
"""Samples of a period per harmonic, and how many times more there are in the last check."""
LAGRANGIAN_ROUNDS, WEIGHT_GROWTH = 12, 4.0
"""Rounds of the augmented Lagrangian, and the growth of its weight."""
EXCESS_TOLERANCE, COST_TOLERANCE = 1e-3, 2e-3
"""Excess of limits, and change of the cost, at which rounds end."""
TURN_WITHOUT_LIMITS, WAY_WITHOUT_LIMITS = np.pi, 1.0
"""How far joints without limits of position may be from the centre [rad, m]."""


@known_keywords
def exciting_motion(
    robot: Robot,
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
    obstacles: npt.ArrayLike | Sequence[Any] = (),
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
    obstacles : array_like, shape (n, 4), or sequence of tuple, optional
        Spheres in the world, each (x, y, z, radius) or (centre, radius) [m].
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
    _check_excitable(model)
    harmonics, starts = as_count("harmonics", harmonics, 2), as_count("starts", starts, 1)
    iterations = as_count("iterations", iterations, 1)
    period = positive("period", period)
    if not (isinstance(margin, int | float) and 0 <= margin < 1):
        raise InputError(f"margin must be at least 0 and below 1, got {margin!r}")
    measure = lookup("criterion", criterion, CRITERIA)
    base = base_parameters(robot, friction=as_flag("friction", friction), rotor=as_flag("rotor", rotor))
    around = clearance_spheres(model, spheres, floor, obstacles)
    rng = as_rng(seed)
    given = {"velocity": velocity, "acceleration": acceleration, "effort": effort}
    sizes = {name: _checked_sizes(name, x, model.nv) for name, x in given.items()}
    problem_of = _problem_maker(robot, base, measure, around, sizes, margin, noise, period, harmonics)
    problem = _problem_at_rest(robot, problem_of, center, rng)
    if problem.excess(np.zeros((model.nv, problem.grid.width))) > 0:
        return problem.motion(np.zeros((model.nv, problem.grid.width)), "limits", 0)
    told = progress_callback(progress)
    with progress_context(told):
        return _best_motion(problem, rng, starts, iterations, told)


def _check_excitable(model: Model) -> None:
    """An error if joints cannot follow series of their own."""
    told = "joints of loops cannot follow independent Fourier series; excite it by its motors (robot.simulate) and "
    check_tree("exciting_motion", model, told + "give the log to identify")
    if not model.nv:
        raise InputError("the robot has no joints to move")


def _checked_sizes(name: str, x: npt.ArrayLike | None, nv: int) -> Float | None:
    """Given limits (nv,), all positive."""
    if x is None:
        return None
    value = as_reals(name, x)
    if value.shape not in ((), (nv,)) or not (value > 0).all():
        raise InputError(f"{name} must be {nv} positive numbers, got {x!r}")
    return np.broadcast_to(value, nv).astype(float)


def _problem_maker(
    robot: Robot,
    base: BaseParameters,
    measure: Criterion,
    around: ClearanceSpheres,
    sizes: Mapping[str, Float | None],
    margin: float,
    noise: npt.ArrayLike | None,
    period: float,
    harmonics: int,
) -> Callable[[Array], ExcitationProblem]:
    """A function that makes the problem about a centre; kernels are compiled once."""
    model = robot.model
    sigma = _noise_weights(robot, noise)
    kernels = PathKernels.of(model, base, around)
    grid = Grid(period, harmonics, SAMPLES_PER_HARMONIC * harmonics)
    fine = Grid(period, harmonics, FINE_FACTOR * SAMPLES_PER_HARMONIC * harmonics)

    def problem(center: Array) -> ExcitationProblem:
        limits = _limits_about(robot, center, sizes, margin)
        return ExcitationProblem(
            model=model,
            base=base,
            measure=measure,
            around=around,
            limits=limits,
            sigma=sigma,
            center=center,
            grid=grid,
            fine=fine,
            kernels=kernels,
        )

    return problem


def _noise_weights(robot: Robot, noise: npt.ArrayLike | None) -> Float:
    given = _checked_sizes("noise", noise, robot.nv)
    if given is not None:
        return given
    effort = np.asarray(robot.model.limits.effort)
    known = np.isfinite(effort).all() and (effort > 0).all()
    return np.asarray(effort / np.exp(np.mean(np.log(effort)))) if known else np.ones(robot.nv)


def _limits_about(robot: Robot, center: Array, sizes: Mapping[str, Float | None], margin: float) -> ExcitationLimits:
    """Bounds of θ and its derivatives, reduced by the margin."""
    model, nv = robot.model, robot.nv
    names = names_of(model)
    free = np.where([unit == "rad/s" for unit in names.v_units], TURN_WITHOUT_LIMITS, WAY_WITHOUT_LIMITS)
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
    if not effort.all():
        which = [name for name, x in zip(names.v, effort, strict=True) if not x]
        told = f"{', '.join(which[:6])} can bear no force: the limit of effort is 0"
        raise InputError(f"{told}, with which no such motion is possible; give effort=[...], {nv} numbers")
    keep = 1 - margin
    return ExcitationLimits(
        lower=lower + span,
        upper=upper - span,
        velocity=keep * speed,
        acceleration=keep * change,
        effort=keep * effort,
    )


def _problem_at_rest(
    robot: Robot, problem: Callable[[Array], ExcitationProblem], center: npt.ArrayLike | None, rng: np.random.Generator
) -> ExcitationProblem:
    """The problem about a centre at which the robot can be at rest; if none is found, about the first one."""
    model = robot.model
    if center is not None:
        q = finite("center", center, model.nq)
        if q.ndim != 1:
            raise InputError(f"center must be one configuration ({model.nq},), got an array {q.shape}")
        return problem(q)
    low, high = np.asarray(model.bounds.lower), np.asarray(model.bounds.upper)
    bounded = np.isfinite(low) & np.isfinite(high)
    middle = np.where(bounded, (np.where(bounded, low, 0) + np.where(bounded, high, 0)) / 2, home(model))
    first = problem(middle)
    rest = np.zeros((model.nv, first.grid.width))
    if first.excess(rest) <= -EXCESS_TOLERANCE:
        return first
    for _ in range(200):
        other = problem(model.random(rng))
        if other.excess(rest) <= -EXCESS_TOLERANCE:
            return other
    return first


def _best_motion(
    problem: ExcitationProblem, rng: np.random.Generator, starts: int, iterations: int, told: Progress | None
) -> ExcitingMotion:
    """The best of the motions from several starts."""
    best, best_cost, total = None, np.inf, 0
    for k in range(starts):
        x, settled, used = _minimise_lagrangian(problem, _random_variables(problem, rng), iterations, told, k, starts)
        total += used
        x = _reduce_to_limits(problem, x)
        value = problem.cost(x)[0] if x.any() else np.inf
        if best is None or value < best_cost:
            best, best_cost = (x, settled), value
    assert best is not None
    return problem.motion(best[0], "converged" if best[1] else "iterations", total)


def _random_variables(problem: ExcitationProblem, rng: np.random.Generator) -> Array:
    """Random variables within the limits of positions and velocities."""
    x = rng.normal(size=(problem.model.nv, problem.grid.width))
    x[:, 0] = 0.0
    theta, rate, _ = problem.grid.states(x)
    room = np.minimum(problem.limits.upper, -problem.limits.lower)
    scale = np.minimum(0.6 * problem.limits.velocity / np.abs(rate).max(axis=0), room / np.abs(theta).max(axis=0))
    return _reduce_to_limits(problem, x * np.maximum(scale, 1e-3)[:, None])


def _reduce_to_limits(problem: ExcitationProblem, x: Array) -> Array:
    """The variables times the largest of some factors with which no limit is exceeded on the fine grid."""
    for factor in np.concatenate([1 - np.geomspace(1e-4, 0.5, 40), np.geomspace(0.45, 1e-3, 20)]):
        if problem.excess(factor * x) <= 0:
            return factor * x
    return 0 * x


def _minimise_lagrangian(
    problem: ExcitationProblem, x: Array, iterations: int, told: Progress | None, start: int, starts: int
) -> tuple[Array, bool, int]:
    """A minimum of the augmented Lagrangian from x, whether it settled, and the iterations it took."""
    minimize = require_package("scipy.optimize", "exciting_motion", "motion").minimize
    shape, weight, used = x.shape, 1.0, 0
    states = problem.grid.states(x)
    multipliers = [np.zeros_like(g) for g in problem.excesses(states)]
    value, worst = np.inf, np.inf

    def lagrangian(flat: Array) -> tuple[float, Array]:
        x = flat.reshape(shape)
        states = problem.grid.states(x)
        cost, gradient = problem.cost(x)
        pushed = [np.maximum(m + weight * g, 0) for m, g in zip(multipliers, problem.excesses(states), strict=True)]
        total = cost + sum(float(np.sum(p**2) - np.sum(m**2)) for p, m in zip(pushed, multipliers, strict=True)) / (
            2 * weight
        )
        return total, (gradient + problem.pull(states, pushed)).ravel()

    for k in range(LAGRANGIAN_ROUNDS):
        found = minimize(lagrangian, x.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": iterations})
        x, used = found.x.reshape(shape), used + int(found.nit)
        excess = problem.excesses(problem.grid.states(x))
        multipliers = [np.maximum(m + weight * g, 0) for m, g in zip(multipliers, excess, strict=True)]
        over, cost = max(float(g.max(initial=0.0)) for g in excess), problem.cost(x)[0]
        if told is not None:
            told(start * LAGRANGIAN_ROUNDS + k + 1, starts * LAGRANGIAN_ROUNDS)
        if over < EXCESS_TOLERANCE and (
            found.status == 0 or abs(cost - value) < COST_TOLERANCE * min(1.0, iterations / 60)
        ):
            return x, True, used
        if over > 0.5 * worst:
            weight *= WEIGHT_GROWTH
        value, worst = cost, over
    return x, False, used
