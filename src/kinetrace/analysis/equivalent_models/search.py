"""The search: frames and regroupings, body by body, as long as the count falls.

A start in the frames as they are, brought onto the axes, or in those of Denavit and Hartenberg, whichever costs less;
then rounds over all bodies, each body taking the best of its candidates while the others stay. A candidate is judged on
the bodies that it concerns: the body itself, those that carry it (of many, the nearest and the first) and those that
hang on it.

The count of operations of a part does not depend on its numbers, but on which are 0, 1, and equal, its pattern: a trace
folds zeros and ones and shares equal constants, whatever their signs; of second moments along the axes, signs decide
too, as sums of two may vanish. Left and right limbs, fingers, and bodies whose moments changed in value alone have one
pattern, and are traced once.

If τ(q, v, v̇) is the same for all motions on a resting base, so are M = ∂τ/∂v̇ and all that M and τ determine. Energy and
momentum of the bodies, what a moving base feels and what depends on the choice of frames need not be. What an algorithm
depends on is declared with it: see `algorithms.registry.declaration`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ... import algorithms
from ...arrays import Array
from ...engine.compilation.program import program
from ...errors import KinetraceError
from ...identify.identifiable_spaces import IdentifiableSpaces, identifiable_spaces
from ...model import WORLD, Body, Model
from ...model.build.specialisation import factors, pseudo_inertia, with_nonrotating_frames
from ...model.record import flatten
from .frames import aligned, candidates, denavit_hartenberg, with_frame
from .regrouping import PATTERNS, Regrouping, ZeroPattern, from_moments, regrouped

Progress = Callable[[int, int], None]
MOST_ROUNDS = 6
"""Rounds over all bodies at most."""
LARGE_ROBOT_BODIES, LARGE_ROBOT_ROUNDS = 40, 2
"""Bodies from which on there are fewer rounds: on the robots tried (48 and 42 bodies) a third
changed nothing."""
NEAREST_CARRIERS = 4
"""As many joints on the base give a body every motion; those between them and the nearest cost the same anyway."""
COMPARED_STATES, FORCE_TOLERANCE = 64, 1e-10
"""How many random states joint forces are compared on, and how much they may differ, as `difference` has it."""
Cost = Callable[[Model], tuple[int, ...]]
"""Cost of a model; less is better, entries first to last."""
_Pattern = tuple[Any, Array, Array]
"""Parts that are no numbers; numbers; those of them whose signs count."""
_ZERO, _ONE = -1, -2


class _FrameSearch:
    """Physical bodies in the frames found so far, and what is regrouped of each."""

    def __init__(self, model: Model, regroup: bool) -> None:
        self.model = model
        self.patterns: list[ZeroPattern] = [PATTERNS[0] if regroup else ()] * len(model.bodies)
        self._known: tuple[Model, list[IdentifiableSpaces]] | None = None

    def spaces(self) -> list[IdentifiableSpaces]:
        """Identifiable parameters of each body, in the present frames."""
        if self._known is None or self._known[0] is not self.model:
            self._known = self.model, identifiable_spaces(self.model)
        return self._known[1]

    def few(self) -> Model:
        """The model as it is regrouped."""
        return regrouped(self.model, self.spaces(), self.patterns)

    def frames(self, cost: Cost) -> Iterator[int]:
        """Choose frames, body by body."""
        few = self.few()
        for i, body in enumerate(few.bodies):
            here, part = np.eye(4), _part(few, i)
            G = _best([here, *candidates(few, few.bodies[i])], cost, partial(with_frame, part, _place(part, body)))
            if G is not here:
                few, self.model = (with_frame(m, i, G) for m in (few, self.model))
            yield i

    def regroupings(self, cost: Cost) -> Iterator[int]:
        """Choose what is regrouped, body by body."""
        regrouping = Regrouping(self.model, self.spaces(), self.patterns)
        few = regrouping.regrouped()
        for i in range(len(self.patterns)):
            part = _part(few, i)

            def with_pattern(pattern: ZeroPattern, i: int = i, part: Model = part) -> Model:
                return _with_moments(part, self.model, regrouping.with_pattern(i, pattern))

            others = [pattern for pattern in PATTERNS if pattern != self.patterns[i]]
            chosen = _best([self.patterns[i], *others], cost, with_pattern)
            if chosen != self.patterns[i]:
                regrouping.choose(i, chosen)
                self.patterns[i], few = chosen, regrouping.regrouped()
            yield i


def cheapest(
    model: Model, cost: Cost, *, frames: bool = True, regroup: bool = True, progress: Progress | None = None
) -> Model:
    """An equivalent model of least cost, as far as the search finds one; the same at every call.

    `frames` and `regroup` say what may change. `progress` is told how many bodies are done, of how many at most.

    >>> import kinetrace as kt
    >>> cheapest(kt.load("planar2r").model, lambda model: (0,))
    Model('planar2r', 2 bodies, nq=2, nv=2)
    """
    part_cost = by_pattern(cost)
    starts = [aligned(model), denavit_hartenberg(aligned(model))] if frames else [model]
    prices: dict[Model, tuple[int, ...]] = {}

    def price(whole: Model) -> tuple[int, ...]:
        if whole not in prices:
            prices[whole] = cost(whole)
        return prices[whole]

    search = min((_FrameSearch(start, regroup) for start in starts), key=lambda s: cost(s.few()))
    steps = [search.frames] * bool(frames) + [search.regroupings] * bool(regroup)
    rounds = MOST_ROUNDS if len(model.bodies) < LARGE_ROBOT_BODIES else LARGE_ROBOT_ROUNDS
    found, done, total = [model, search.few()], 0, rounds * len(steps) * len(model.bodies)
    for _ in range(rounds * bool(steps)):
        for step in steps:
            for _ in step(part_cost):
                done += 1
                if progress:
                    progress(done, total)
            found.append(search.few())
        if len(found) > 2 + len(steps) and price(found[-1]) >= price(found[-1 - len(steps)]):
            break
    if progress:
        progress(total, total)
    best = min(found, key=price)
    best = min([best, with_nonrotating_frames(best)], key=price) if regroup else best
    check_equal(model, best)
    return best


def _best(options: Sequence[Any], cost: Cost, made: Callable[[Any], Model]) -> Any:
    """The first of the options whose model, of the bodies that it concerns, costs least."""
    prices = [cost(made(option)) for option in options] if len(options) > 1 else [(0,)]
    return options[min(range(len(options)), key=prices.__getitem__)]


def _part(model: Model, i: int) -> Model:
    """The model of the body, the nearest and the first of those that carry it, and those that it carries itself."""
    carriers = sorted(model.ancestors(i))
    near = {*carriers[:NEAREST_CARRIERS], *carriers[-NEAREST_CARRIERS:]}
    new, bodies = {WORLD: WORLD}, list[Body]()
    for b in model.bodies:
        if b.index in near or b.parent == i:
            bodies.append(replace(b, index=len(bodies), parent=new[b.parent], mimic=None))
            new[b.index] = bodies[-1].index
        elif b.index in carriers:
            new[b.index] = new[b.parent]
    return replace(model, bodies=tuple(bodies), frames={}, geometry=(), start=None, contacts=None, contact_rules=None)


def _place(part: Model, body: Body) -> int:
    """The index of a body in a part."""
    return next(b.index for b in part.bodies if b.name == body.name)


def _with_moments(part: Model, whole: Model, changed: Mapping[int, tuple[Any, Any]]) -> Model:
    """A part with other moments of some bodies of the whole."""
    by_name = {whole.bodies[k].name: x for k, (x, _) in changed.items()}
    bodies = (replace(b, J=from_moments(by_name[b.name])) if b.name in by_name else b for b in part.bodies)
    return replace(part, bodies=tuple(bodies))


def difference(a: Model, b: Model, seed: int = 0) -> float:
    """The largest difference of joint forces over random states, beside the largest joint force.

    Where forces should vanish, as of mass on a joint's axis, rounding is left of them; so they count as a thousandth
    of the largest entry of an inertia of a at least.

    >>> import kinetrace as kt
    >>> model = kt.load("planar2r").model
    >>> difference(model, model.with_link_frames("center_of_mass")) < 1e-15
    True
    """
    rng = np.random.default_rng(seed)
    q, (v, dv) = a.random(rng, (COMPARED_STATES,)), rng.normal(size=(2, COMPARED_STATES, a.nv))
    x, y = (program(algorithms.inverse_dynamics, model).evaluate(q, v, dv)[0] for model in (a, b))
    least = 1e-3 * max((np.abs(body.J).max() for body in a.bodies), default=0.0)
    return float(np.abs(x - y).max(initial=0) / max(np.abs(x).max(initial=0), least, np.finfo(float).tiny))


def check_equal(a: Model, b: Model) -> None:
    """An error if two models have different joint forces."""
    off = difference(a, b)
    if not off < FORCE_TOLERANCE:
        raise KinetraceError(
            f"model {a.name!r}: the joint forces of the optimised model are off by {off:.1e}; report it"
        )


def by_pattern(cost: Cost) -> Cost:
    """The same cost, found once for all models of one pattern.

    >>> import kinetrace as kt
    >>> asked = []
    >>> once = by_pattern(lambda model: (asked.append(model.name) or 1,))
    >>> robot = kt.load("planar2r")
    >>> pi = robot.parameters("inertial")
    >>> [once(robot.with_parameters(inertial=scale * pi).model) for scale in (2.3, 3.7)], asked
    ([(1,), (1,)], ['planar2r'])
    """
    bodies: dict[tuple[Any, ...], _Pattern] = {}
    known: dict[tuple[Any, ...], tuple[int, ...]] = {}

    def body_pattern(body: Body) -> _Pattern:
        numbers = (x.tobytes() for x in (body.X_pj, body.X_ji, body.J))
        key = body.joint, body.effects, body.effects and body.limits, body.parent == WORLD, *numbers
        if key not in bodies:
            bodies[key] = _body_pattern(body)
        return bodies[key]

    def found(model: Model) -> tuple[int, ...]:
        kinds, numbers, signed = zip(*map(body_pattern, model.bodies), strict=True)
        labels = _labels(np.concatenate([*numbers, *signed, model.gravity]))
        signs = np.concatenate(signed) < 0.0
        key = kinds, tuple(b.parent for b in model.bodies), labels.tobytes(), signs.tobytes()
        if key not in known:
            known[key] = cost(model)
        return known[key]

    return found


def _body_pattern(body: Body) -> _Pattern:
    """All that algorithms read of a body in the form that costs least, see `model.build.specialisation`."""
    at = factors(body.X_pj, body.joint, body.X_ji, body.parent == WORLD)
    poses = [pose.pull(lambda X, found: [*found, X[:3].ravel()], list[Array]()) for pose in (at.before, at.after)]
    P = pseudo_inertia(body.J)
    stops = (body.limits.lower, body.limits.upper) if body.effects else ()
    structure, leaves = flatten((body.joint, body.effects, stops))
    arrays = [np.ravel(x) for x in leaves if isinstance(x, float | np.ndarray | np.floating)]
    others = tuple(x for x in leaves if not isinstance(x, float | np.ndarray | np.floating))
    bounded = np.isfinite(np.concatenate([*stops, []])).tobytes()
    kind = structure, others, tuple(map(len, poses)), at.premultiply, bounded
    upper = P[np.triu_indices(4, 1)]
    return kind, np.concatenate([*poses[0], *poses[1], upper, P[3:, 3], [at.zero], *arrays]), P.diagonal()[:3]


def _labels(x: Array) -> Array:
    """Numbers by what they are: 0, ±1, or the first that has that size."""
    size = np.abs(x)
    _, first, which = np.unique(size, return_index=True, return_inverse=True)
    return np.where(size == 0.0, _ZERO, np.where(size == 1.0, _ONE, first[which]))
