"""The identities of mechanics and of the papers, on any robot: do the library's results satisfy them?

Each identity is a small function of a random state that computes one thing in two ways and returns how far they are
apart, relative to the size of the terms. Rounding leaves some 1e-15, and a mistake much more. The first line of a
function's docstring is its equation and, in brackets, where it comes from:

    Park et al.       Park, Bobrow and Ploen (1995)
    Ploen & Park      Ploen and Park (1999)
    Ploen             Ploen, A skew-symmetric form of the recursive Newton–Euler algorithm
    Rodriguez         Rodriguez and Kreutz (1988)
    Kozłowski         Kozłowski (1995)

Everything runs on plain floats, but for the group "compiled". Derivatives are complex steps along q ⊕ εv: the
imaginary part of f(q ⊕ ihv) over h = 1e-40 is exact to rounding, since nothing is subtracted. What is called "poses"
is multiplied out here, body by body, without the library's sweeps.

>>> import kinetrace as kt
>>> from kinetrace.analysis.verify import verify
>>> all(result.holds(1e-9) for result in verify(kt.load("planar2r"), states=1))
True
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import numpy as np

from ... import algorithms as alg
from ...algorithms.constraints.joint_rows import has_solved_effects
from ...engine.runtime import compiler
from ...errors import InputError
from ...lie import se3
from ...model import WORLD
from ...model.build.massless import massless_messages
from ...model.effects.joint_effects import with_smooth_laws
from ...robot import Robot
from ...support.conversion import as_count, as_positive
from . import closed, derivatives, forces, mass, motion, regressors, structure  # noqa: F401 -- they enter their identities
from .report import Verification
from .state import IDENTITIES, SINGULAR_EIGENVALUE, Identity, Result, State, length, relative, unit_diagonal, worst

__all__ = [
    "IDENTITIES",
    "Identity",
    "Result",
    "State",
    "Verification",
    "examine",
    "identities_of",
    "lacks",
    "random_states",
    "relative",
    "usual_states",
    "verify",
    "worst",
]

STATES, STATES_TIMES_VELOCITIES = 10, 120
"""The most states that `verify` takes unless told, and how many velocities these have together at most."""
SEED, TOLERANCE = 0, 1e-9
"""The seed of states, and the largest residual that passes, unless told."""


def examine(
    robot: Robot,
    *,
    states: int | None = None,
    seed: int = SEED,
    tolerance: float = TOLERANCE,
    watch: Callable[[Iterator[Result], int], Iterable[Result]] = lambda results, count: results,
) -> Verification:
    """All results of `verify` as a report; `watch` may look at them as they come, and knows how many there will be.

    >>> import kinetrace as kt
    >>> examine(kt.load("planar2r"), states=1).holds
    True
    """
    states = usual_states(robot) if states is None else as_count("states", states, 1)
    seed, tolerance = as_count("seed", seed), as_positive("tolerance", tolerance)
    results = list(watch(verify(robot, states=states, seed=seed), len(identities_of(robot))))
    return Verification(robot.name, states, seed, tolerance, results)


def verify(robot: Robot, *, states: int | None = None, seed: int = SEED) -> Iterator[Result]:
    """Check every identity on random states of a robot.

    Those of closed chains are for robots with closures; all others are then about the tree that these hold together.

    Parameters
    ----------
    robot : Robot
        Any robot with a moving joint.
    states : int, optional
        Number of random states; `usual_states(robot)` unless given.
    seed : int, default 0
        Which ones.

    Yields
    ------
    Result
        One identity after the other, as in `identities_of(robot)`.

    Raises
    ------
    InputError
        If nothing of the robot moves, or there are no states.

    Examples
    --------
    >>> import kinetrace as kt
    >>> first = next(verify(kt.load("planar2r"), states=1))
    >>> first.identity.name, first.holds(1e-9)
    ('pose_is_a_product', True)
    """
    states = usual_states(robot) if states is None else states
    if robot.nv == 0:
        raise InputError(f"{robot.name!r} has no moving joint, so there is nothing to verify")
    if states < 1:
        raise InputError(f"states must be at least 1, got {states}")
    robot = _with_smooth_laws(robot).checked(False)  # states are not all within the limits
    tree = random_states(_spanning_tree(robot), states, seed)
    on_loops: list[State] | None = None
    with np.errstate(all="ignore"):
        missing = lacks(tree)
    if robot.model.undriven:
        missing["motors"] = f"no motor drives a motion of {', '.join(robot.model.undriven)}"
    if robot.nv > derivatives.MOST_NV:
        missing["few"] = (
            f"its tensors are compared for up to {derivatives.MOST_NV} velocities, and there are {robot.nv}"
        )
    for each in identities_of(robot):
        reasons = [missing[need] for need in each.needs if need in missing]
        drawn = tree
        if "closures" in each.needs:
            drawn = on_loops = closed_states(robot, tree) if on_loops is None else on_loops
        yield Result(each, skipped=reasons[0]) if reasons else _result(each, drawn)


def _with_smooth_laws(robot: Robot) -> Robot:
    """The robot without conditions that only steps in time have."""
    return (
        Robot(with_smooth_laws(robot.model), **robot._settings.keywords) if has_solved_effects(robot.model) else robot
    )


def usual_states(robot: Robot) -> int:
    """Number of random states that `verify` takes: ten, and fewer for large robots, down to one.

    One state tells: matrices are judged by their products with random vectors.

    Parameters
    ----------
    robot : Robot
        Any robot.

    Returns
    -------
    int
        The number of states.

    Examples
    --------
    >>> import kinetrace as kt
    >>> usual_states(kt.load("panda")), usual_states(kt.load("humanoid", base="free"))
    (10, 3)
    """
    return min(max(STATES_TIMES_VELOCITIES // max(robot.nv, 1), 1), STATES)


def identities_of(robot: Robot) -> list[Identity]:
    """Identities that `verify` has a result for: those of closed chains for robots with closures alone.

    Parameters
    ----------
    robot : Robot
        Any robot.

    Returns
    -------
    list of Identity
        In the order of `IDENTITIES`.

    Examples
    --------
    >>> import kinetrace as kt
    >>> len(identities_of(kt.load("four_bar"))) - len(identities_of(kt.load("planar2r")))
    18
    """
    return [each for each in IDENTITIES if robot.model.closures or "closures" not in each.needs]


def _spanning_tree(robot: Robot) -> Robot:
    """The tree that closures hold together: what all identities but those of closed chains are about."""
    model = robot.model
    return Robot(replace(model, closures=(), assembly=None), **robot._settings.keywords) if model.closures else robot


def closed_states(robot: Robot, states: list[State]) -> list[State]:
    """The same states, moved to where all loops are closed, with velocities that the closures allow."""
    found, model = [], robot.model
    for state in states:
        near = model.integrate(robot.assemble(), 0.3 * state.u)
        q = robot.assemble(np.stack([near, robot.assemble()]))
        at = q[0] if np.all(np.isfinite(q[0])) else q[1]
        v = alg.velocity_map(model, at) @ state.v[list(robot.independent)]
        a = alg.forward_dynamics(model, at, v, state.tau)
        found.append(replace(state, robot=robot, q=at, v=v, a=a))
    return found


def _result(identity: Identity, states: list[State]) -> Result:
    try:
        with np.errstate(all="ignore"):  # what overflows or is not a number shows in the residual
            return Result(identity, float(np.max([identity.check(s) for s in states])))
    except Exception as error:  # whatever it is, it is news about this identity, and the others are still wanted
        return Result(identity, error=f"{type(error).__name__}: {error}")


def random_states(robot: Robot, count: int, seed: int) -> list[State]:
    """States with positions within the limits, and velocities and accelerations of about one."""
    rng, model = np.random.default_rng(seed), robot.model
    moving = [name for name, frame in model.frames.items() if frame.body != WORLD]
    spread = [1.0] * 3 + [length(model)] * 3  # of link frames: far ones would leave rounding of large moments alone
    return [
        State(
            robot=robot,
            q=model.random(rng),
            v=rng.normal(size=model.nv),
            a=rng.normal(size=model.nv),
            u=rng.normal(size=model.nv),
            F=rng.normal(size=6),
            frame=moving[rng.integers(len(moving))],
            Q=[se3.exp(rng.normal(size=6) * spread) for _ in model.bodies],
            base=rng.normal(size=(2, 6)),
        )
        for _ in range(count)
    ]


def lacks(states: list[State]) -> dict[str, str]:
    """Which of "inverse", "tree", "root" and "compiler" there is not for the robot, and why."""
    found = {}
    missing = compiler.why_missing()
    if missing is not None:
        found["compiler"] = f"nothing can be compiled here: {missing}"
    unit = [unit_diagonal(s.M) for s in states]
    if not np.all(np.isfinite(unit)):
        return found  # the identities of M will tell
    if np.linalg.eigvalsh(unit).min() < -SINGULAR_EIGENVALUE * states[0].model.nv:
        found["root"] = "the mass matrix is not positive definite: some inertia is not physical"
    for need, those in (("inverse", states), ("tree", [s.uncoupled for s in states])):
        singular = _singular(those)
        if singular is not None:
            of = "" if those[0] is states[0] else " of the tree whose mimic joints move on their own"
            found[need] = f"the mass matrix{of} is singular{singular}"
    return found


def _singular(states: list[State]) -> str | None:
    """Why M has no inverse, if so: by its structure, or to rounding at one of the states."""
    model = states[0].model
    if model.massless:
        return f": {'; '.join(massless_messages(model.massless))}"
    if np.abs(np.linalg.eigvalsh([unit_diagonal(s.M) for s in states])).min() <= SINGULAR_EIGENVALUE * model.nv:
        return " to rounding: some motion moves next to no mass"
    return None
