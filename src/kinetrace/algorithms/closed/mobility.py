"""Mobility of closed chains: rank, redundant rows, degrees of freedom; as a rule, and at one configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from ...arrays import Array
from ...errors import InputError, ModelError
from ...model.checks import real, sane
from ...model.closures import Assembly
from ...model.model import Model
from ...model.named_states import velocities
from ...model.record import read_only
from .assembly import FloatClosures, HasClosures, assemble, open_closure_error
from .loop_closing import CLOSED_RESIDUAL

NEGLIGIBLE_SINGULAR_VALUE = 1e-7
"""A singular value, relative to the largest, below which a direction does not count."""
RANK_SAMPLES = 4
"""Configurations at which the rank is looked at."""
SMALL_MOTION = 0.1
"""Of a small motion: its largest entry [rad, m]."""
RANDOM_STARTS = 64
"""Random configurations to begin an assembly with, if the first guess does not lead to one."""


@dataclass(frozen=True)
class Mobility:
    """Mobility of a closed chain at a configuration, or, if none is given, at almost all."""

    dof: int
    """Degrees of freedom: velocities, less independent rows."""
    rows: int
    """Rows of all closures."""
    redundant: Mapping[str, int]
    """Closure → how many of its rows follow from others, counted from the last closure on; those with any."""
    smallest: float
    """The smallest singular value of the rows that are independent at almost all configurations, each scaled to length
    1; zero at a singular configuration."""
    is_singular: bool
    """Whether these rows are dependent here."""


def with_assembly(
    model: Model, independent: Sequence[Any] | None = None, guess: Any = None, rather: tuple[int, ...] = ()
) -> Model:
    """The model with its assembly: a configuration in which all closures hold, independent rows and velocities.

    `independent` are names, as `Robot.with_closures` takes them; `rather` velocities that are independent if they can.
    Without them, those that the model wants. Without a guess, the search begins at its start, if it has one.
    """
    wanted = model.wanted_independent if independent is None else velocities(model, independent)
    if not model.closures:
        if wanted is not None:
            raise InputError(f"independent: {model.name!r} has no closures; all its velocities are independent")
        if guess is not None:
            _checked_guess(model, guess)
        return replace(model, assembly=None, wanted_independent=None)
    near = None if guess is None else tuple(_checked_guess(model, guess).tolist())
    others: dict[str, Any] = {"geometry": (), "contacts": None, "contact_rules": None, "start": None}
    q, matrices = _sampled_from(replace(model, assembly=None, wanted_independent=None, **others), near, model.start)
    ranks = [rank(K) for K in matrices]
    best = [K for K, r in zip(matrices, ranks, strict=True) if r == max(ranks)]
    holonomic = np.flatnonzero(model.rows_hold_positions).tolist()
    first = spanning_columns([K[holonomic].T for K in best], max(rank(K[holonomic]) for K in best), holonomic)
    rows = spanning_columns([K.T for K in best], max(ranks), begin=first)
    free = _others(model, spanning_columns([K[rows] for K in best], max(ranks)))
    if wanted is not None:
        free = checked_choice(model, wanted, [K[rows] for K in best])
    elif len(rather) == len(free) and _determines([K[rows] for K in best], _others(model, rather)):
        free = rather
    places = _others(model, spanning_columns([K[first] for K in best], len(first), last=free))
    candidates = tuple(np.flatnonzero(np.any(matrices, axis=(0, 2))).tolist())
    groups = closure_groups(model, best, rows, candidates)
    assembly = Assembly(q, tuple(sorted(rows)), candidates, free, places, undriven(model, best[0]), groups)
    return replace(model, assembly=assembly, wanted_independent=None)


def closure_groups(
    model: Model, matrices: Sequence[Array], rows: Sequence[int], candidates: Sequence[int]
) -> tuple[int, ...]:
    """For each closure the first of its group, as an `Assembly` has them; none if no row follows from others."""
    owner = [k for k, closure in enumerate(model.closures) for _ in range(closure.size)]
    groups = [{k} for k in range(len(model.closures))] if set(candidates) > set(rows) else []
    for row in sorted(set(candidates) - set(rows)):
        sums = [np.linalg.lstsq(K[list(rows)].T, K[row], rcond=None)[0] for K in matrices]
        used = {row, *np.array(rows)[np.any(np.abs(sums) > NEGLIGIBLE_SINGULAR_VALUE, axis=0)].tolist()}
        touched = [x for x in groups if x & {owner[k] for k in used}]
        groups = [x for x in groups if x not in touched] + [set[int]().union(*touched)]
    return tuple(min(next(x for x in groups if k in x)) for k in range(len(model.closures))) if groups else ()


def _sampled_from(model: Model, near: tuple[float, ...] | None, start: Array | None) -> tuple[Array, list[Array]]:
    """The results of `_rank_samples`, from the start if there is no guess and it closes from there."""
    if near is None and start is not None:
        with suppress(ModelError):
            return _rank_samples(model, tuple(start.tolist()))
    return _rank_samples(model, near)


@lru_cache(maxsize=64)  # equal models are assembled once: a mechanism that is loaded again takes no time
def _rank_samples(model: Model, guess: tuple[float, ...] | None) -> tuple[Array, list[Array]]:
    """A configuration in which all closures hold, and the rows K at configurations that show their rank."""
    robot, rng = FloatClosures(model), np.random.default_rng(0)
    q = first_assembly(robot, None if guess is None else np.array(guess), rng)
    samples = samples_near(robot, q, rng)
    matrices = rows_at(robot, samples)
    if rank(matrices[0]) < model.closure_rows:  # rows follow from others, or seem to
        samples = regular_samples(robot, q, rng, stay=guess is not None)
        matrices = rows_at(robot, samples)
    if guess is None and rank(rows_at(robot, [q])[0]) < max(map(rank, matrices)):  # links happen to be in line
        q = _farthest_from_singular(robot, samples, matrices, q)
    return read_only(q), [read_only(K) for K in matrices]


def _others(model: Model, columns: Sequence[int]) -> tuple[int, ...]:
    return tuple(k for k in range(model.nv) if k not in columns)


def analysed(model: Model) -> Model:
    """The model with its assembly; itself if it has one, or no closures."""
    return with_assembly(model) if model.needs_assembly else model


def with_assembly_near(model: Model, before: Model) -> Model:
    """A changed model, near where it was assembled, with the independent velocities of before if they still are."""
    return (
        with_assembly(model)
        if before.assembly is None
        else with_assembly(model, None, before.assembly.q, before.independent)
    )


def with_motors(model: Model, assembly: Assembly | None) -> Model:
    """A model with other motors and the assembly of before: what none of them drives is found out anew."""
    if assembly is None:
        return model
    (K,) = rows_at(FloatClosures(model), [assembly.q])
    return replace(model, assembly=replace(assembly, undriven=undriven(model, K)))


def undriven(model: Model, K: Array) -> tuple[str, ...]:
    """The joints that move in a motion that the closures allow and no motor drives, if there is one."""
    allowed = allowed_velocities(K)
    u, values, _ = np.linalg.svd(allowed[:, list(model.driven)])
    if len(values) == len(allowed) and np.all(values > NEGLIGIBLE_SINGULAR_VALUE):
        return ()
    motion = u[:, len(values) - 1 if len(values) == len(allowed) else -1] @ allowed
    return tuple(dict.fromkeys(_owners(model, np.flatnonzero(np.abs(motion) > NEGLIGIBLE_SINGULAR_VALUE).tolist())))


def _farthest_from_singular(robot: FloatClosures, samples: Array, matrices: list[Array], q: Array) -> Array:
    """Of these configurations, one that is closed without a drive; else q."""
    residuals = np.abs(robot.closure_residual(samples)).max(axis=-1, initial=0.0)
    values = [np.linalg.svd(K, compute_uv=False) for K in matrices]
    sizes = [
        x[x > NEGLIGIBLE_SINGULAR_VALUE].min(initial=1.0) * (r < CLOSED_RESIDUAL)
        for x, r in zip(values, residuals, strict=True)
    ]
    best = int(np.argmax(sizes))
    return samples[best] if sizes[best] > NEGLIGIBLE_SINGULAR_VALUE else q


def samples_near(robot: HasClosures, q: Array, rng: np.random.Generator) -> Array:
    """Some configurations (k, nq) with all loops closed, the first of them q."""
    model, samples = robot.model, [q]
    for _ in range(4):  # some may not close
        wanted = RANK_SAMPLES - len(samples)
        samples += _closed(robot, [model.integrate(q, 0.3 * rng.normal(size=model.nv)) for _ in range(wanted)])
    return np.stack(samples)


def regular_samples(robot: FloatClosures, q: Array, rng: np.random.Generator, stay: bool) -> Array:
    """Configurations (k, nq) from which the robot can move in all the ways that the rows allow there.

    Where links are in line rows allow more than there is: small motions along what they allow do not close again. Those
    that do lead to configurations that are not singular, of which the most mobile count: there may be several ways to
    put a mechanism together, some of them rigid. `stay` looks at that of q alone, if it is one.
    """
    found = _two_small_motions(robot, [q], rng)
    if not found or (not stay and min(_freedom(robot, x) for x in found) == 0):
        model = robot.model
        offsets = {c.name: np.array([[1.0], [0.0], [0.0]]) * np.ones(c.size) for c in model.closures if c.terms}
        driven = FloatClosures(model, {name: rng.uniform(-0.7, 0.7) * x for name, x in offsets.items()})
        for other in (robot, driven) if offsets else (robot,):  # a drive may lead away from where links are in line
            found += _two_small_motions(other, _closed(other, [*model.random(rng, (12,))]), rng)
    freedoms = [_freedom(robot, x) for x in found]
    return np.stack([x for x, n in zip(found, freedoms, strict=True) if n == max(freedoms)] or [q])


def _two_small_motions(robot: FloatClosures, starts: list[Array], rng: np.random.Generator) -> list[Array]:
    """Where two small motions lead from these configurations; those that allow none, as they are."""
    ends = [x for x in starts if _freedom(robot, x) == 0]
    for _ in range(2):
        moving = [x for x in starts if _freedom(robot, x) > 0]
        starts = [y for x in moving[:4] for y in _small_motions(robot, x, rng)]
    return ends + starts


def _small_motions(robot: FloatClosures, q: Array, rng: np.random.Generator) -> list[Array]:
    """Configurations a little way along velocities that the rows allow, if they close again nearby."""
    model, (K,) = robot.model, rows_at(robot, [q])
    allowed = allowed_velocities(K)
    steps = rng.normal(size=(4, len(allowed))) @ allowed
    steps *= SMALL_MOTION / np.abs(steps).max(axis=1, keepdims=True)
    starts = [model.integrate(q, step) for step in steps]
    found, errors = assemble(robot, np.stack(starts), iterations=20)
    away = [np.abs(model.difference(x, y)).max() for x, y in zip(starts, found, strict=True)]
    return [y for y, e, d in zip(found, errors, away, strict=True) if e < CLOSED_RESIDUAL and d < SMALL_MOTION / 3]


def _freedom(robot: FloatClosures, q: Array) -> int:
    """How many velocities the rows allow."""
    return robot.model.nv - rank(rows_at(robot, [q])[0])


def _closed(robot: HasClosures, starts: list[Array]) -> list[Array]:
    found, errors = assemble(robot, np.stack(starts)) if starts else (np.zeros((0, 0)), np.zeros(0))
    return [*found[errors < CLOSED_RESIDUAL]]


def first_assembly(robot: HasClosures, guess: Array | None, rng: np.random.Generator) -> Array:
    """A configuration in which all closures hold, from a guess or from many."""
    model = robot.model
    starts = np.stack([model.neutral() if guess is None else guess])
    q, error = assemble(robot, starts)
    for _ in range(RANDOM_STARTS // 8 if guess is None else 0):
        if error.min() < CLOSED_RESIDUAL:
            break
        more, its_error = assemble(robot, model.random(rng, (8,)))
        q, error = np.concatenate([q, more]), np.concatenate([error, its_error])
    best = int(np.argmin(error))
    if error[best] >= CLOSED_RESIDUAL:
        tries = "from this guess" if guess is not None else f"from {len(q)} guesses within the joint limits"
        what = f"the loops of {model.name!r} do not close {tries}"
        raise open_closure_error(model, np.asarray(robot.closure_residual(q[best : best + 1]))[0], what)
    return q[best]


def _checked_guess(model: Model, guess: Any) -> Array:
    """A guess (nq,) of finite numbers."""
    q = real(guess, "guess")
    if q.shape != (model.nq,) or not sane(q):
        raise InputError(f"guess must be {model.nq} finite numbers, got {guess!r}")
    return q


def rows_at(robot: HasClosures, configurations: Array | list[Array]) -> list[Array]:
    """K (rows, nv) at each configuration, rows scaled to length 1; those of nothing are zero."""
    joined = np.array([bool(c.terms) for c in robot.model.closures for _ in range(c.size)])
    found = []
    for K in np.asarray(robot.closure_jacobian(np.stack(list(configurations)))):
        lengths = np.linalg.norm(K, axis=-1)
        some = lengths > np.where(joined, 0.0, NEGLIGIBLE_SINGULAR_VALUE * np.max(lengths[~joined], initial=0.0))
        found.append(K / np.where(some, lengths, np.inf)[:, None])
    return found


def rank(K: Array) -> int:
    """The number of rows that count."""
    values = np.linalg.svd(K, compute_uv=False)
    return int(np.sum(values > NEGLIGIBLE_SINGULAR_VALUE * max(1.0, np.max(values, initial=0.0))))


def allowed_velocities(K: Array) -> Array:
    """An orthonormal basis (dof, nv) of the velocities that rows K allow."""
    return np.linalg.svd(K)[2][rank(K) :]


def spanning_columns(
    matrices: Sequence[Array],
    count: int,
    names: Sequence[int] | None = None,
    begin: Sequence[int] = (),
    last: Sequence[int] = (),
) -> list[int]:
    """The columns, as many as asked for, that are as independent as can be in all of these matrices (m, n).

    Gram and Schmidt with the largest column first, by the smallest length that it has in any of them. `begin` are
    columns to begin with, `last` those to take only if no others are left, `names` what columns are called.
    """
    left, found = [np.array(K, dtype=float) for K in matrices], list[int]()
    while len(found) < count:
        lengths = np.min([np.linalg.norm(K, axis=0) for K in left], axis=0)
        if np.max(np.delete(lengths, list(last)), initial=0.0) > NEGLIGIBLE_SINGULAR_VALUE:
            lengths[list(last)] = 0.0
        best = begin[len(found)] if len(found) < len(begin) else int(np.argmax(np.round(lengths, 9)))
        found.append(best)
        for K in left:
            direction = K[:, best] / max(np.linalg.norm(K[:, best]), 1e-300)
            K -= np.outer(direction, direction @ K)
            K[:, best] = 0.0
    return found if names is None else [names[k] for k in found]


def checked_choice(model: Model, found: tuple[int, ...], matrices: Sequence[Array]) -> tuple[int, ...]:
    """These velocities, by where they stand in v, if they determine all others."""
    dof = model.nv - len(matrices[0])
    if len(found) != dof or len(set(found)) != dof:
        raise InputError(f"independent: {model.name!r} has {dof} degrees of freedom, got {len(found)} velocities")
    others = [k for k in range(model.nv) if k not in found]
    if not _determines(matrices, others):
        free = [model.nv - 1 - k for k in spanning_columns([K[:, ::-1] for K in matrices], len(others))]
        names_of = _owners(model, [k for k in range(model.nv) if k not in free])
        given = list(dict.fromkeys(_owners(model, found)))
        raise ModelError(f"independent: {given} do not determine the other joints of {model.name!r}; {names_of} would")
    return tuple(sorted(found))


def _determines(matrices: Sequence[Array], others: Sequence[int]) -> bool:
    """Whether the rows determine these velocities, somewhere."""
    return (
        max(np.linalg.svd(K[:, list(others)], compute_uv=False).min(initial=1.0) for K in matrices)
        > NEGLIGIBLE_SINGULAR_VALUE
    )


def _owners(model: Model, indices: Sequence[int]) -> list[str]:
    """The joints that velocities belong to."""
    slices = {name: model.joint_slices(name)[1] for name in model.joint_names}
    return [next(name for name, at in slices.items() if at.start <= k < at.stop) for k in indices]


def mobility(robot: HasClosures, q: Array | None = None) -> Mobility:
    """The mobility that closures leave at a configuration (nq,); at almost all, if none is given."""
    model = robot.model
    if model.assembly is None:
        return Mobility(model.nv, 0, {}, np.inf, False)
    known = list(model.assembly.rows)
    at = model.assembly.q if q is None else np.asarray(q, dtype=float)
    (K,) = rows_at(robot, [at])
    if q is None and rank(K) < len(known):  # the robot was assembled where it is singular
        others = samples_near(robot, at, np.random.default_rng(0))
        K = max(rows_at(robot, others), key=rank)
    values = np.linalg.svd(K, compute_uv=False)[: len(known)]
    here = len(known) if q is None else rank(K)
    return Mobility(
        dof=model.nv - here,
        rows=model.closure_rows,
        redundant=_redundant(model, K, here),
        smallest=float(values.min(initial=np.inf)),
        is_singular=q is not None and here < len(known),
    )


def _redundant(model: Model, K: Array, count: int) -> dict[str, int]:
    """How many rows of each closure follow from those of the closures before it."""
    found, before = dict[str, int](), 0
    for name, rows in model.closure_slices.items():
        upto = min(rank(K[: rows.stop]), count)
        missing = (rows.stop - rows.start) - (upto - before)
        before = upto
        if missing:
            found[name] = missing
    return found
