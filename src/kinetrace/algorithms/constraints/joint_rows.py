"""Rows of dry friction and hard stops of joints: one for each velocity that has either.

A mimic joint moves with ratio times the velocity of another: its friction counts |ratio| times there, and its limits
are bounds of that joint. So each velocity has one row at most, K consists of rows of the identity, and G is regular on
trees.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Array, abs, less, maximum, minimum, stack, where
from ...errors import ModelError
from ...model.body import Body
from ...model.checks import is_present
from ...model.couplings import leader_bounds
from ...model.model import Model


class JointRows(NamedTuple):
    """Rows of n velocities."""

    velocities: tuple[int, ...]
    """Their places in v."""
    coordinates: tuple[int, ...]
    """The places in q of what has a stop; 0 for others."""
    friction: Array
    """(n,) the most force of dry friction [N m, N]."""
    lower: Array
    """(n,) hard stops [rad, m]; minus infinity where there is none."""
    upper: Array
    """(n,); infinity where there is none."""
    restitution: tuple[Array, Array]
    """(n,) of the lower stops, and of the upper ones."""

    def __bool__(self) -> bool:
        return bool(self.velocities)

    def columns(self, nv: int) -> Array:
        """Kᵀ (nv, n)."""
        return np.eye(nv)[:, list(self.velocities)]

    @property
    def has_stops(self) -> bool:
        """Whether there are hard stops."""
        return bool(np.isfinite(self.lower).any() or np.isfinite(self.upper).any())

    @property
    def with_stops(self) -> list[tuple[int, int, float, float]]:
        """Of rows with stops: the places in v and q, and the lower and upper stop."""
        each = zip(self.velocities, self.coordinates, self.lower.tolist(), self.upper.tolist(), strict=True)
        return [x for x in each if np.isfinite(x[2:]).any()]

    def distances(self, q: Array) -> tuple[Array, Array]:
        """The lower and the upper stops (n,) minus coordinates; infinite ones are constants."""
        x = [q[k] for k in self.coordinates]
        pairs = (zip(bounds.tolist(), x, strict=True) for bounds in (self.lower, self.upper))
        lower, upper = (stack([b - y if np.isfinite(b) else b for b, y in each]) for each in pairs)
        return lower, upper

    def sticking(self, v: Array) -> Array:
        """1 for velocities (nv,) that dry friction holds at zero, to the bit, else 0."""
        each: list[Any] = [np.zeros(())] * len(v)
        for row, friction in zip(self.velocities, self.friction, strict=True):
            each[row] = where(less(0.0, friction), where(less(0.0, abs(v[row])), 0.0, 1.0), 0.0)[()]
        return stack(each)

    def within_stops(self, q: Array) -> Array:
        """q (nq,) with coordinates that are beyond their stops at them."""
        each: list[Any] = [q[k] for k in range(len(q))]
        for _, k, lower, upper in self.with_stops:
            each[k] = minimum(maximum(each[k], lower), upper)[()]
        return stack(each)

    def on_stops(self, q: Array, held: Array) -> Array:
        """q (nq,) with coordinates at the nearer stop, to the bit, whose velocities are held: 1 in (nv,), else 0."""
        each: list[Any] = [q[k] for k in range(len(q))]
        for row, k, lower, upper in self.with_stops:
            middle = 0.5 * (lower + upper)  # infinite if one is
            each[k] = where(less(0.5, held[row]), where(less(each[k], middle), lower, upper), each[k])[()]
        return stack(each)

    def at_stops(self, q: Array, nv: int, margin: Array) -> Array:
        """1 for velocities (nv,) whose coordinates are nearer to a stop than a margin, or beyond it, else 0."""
        each: list[Any] = [np.zeros(())] * nv
        for row, k, *ends in self.with_stops:
            for inside in (s * (q[k] - end) for s, end in zip((1.0, -1.0), ends, strict=True) if np.isfinite(end)):
                each[row] = maximum(each[row], where(less(inside, margin), 1.0, 0.0))[()]
        return stack(each)


def joint_rows(model: Model) -> JointRows:
    """The rows of a model's joints; an error if stops of joints that move together exclude each other.

    >>> import kinetrace as kt
    >>> model = kt.load("planar2r").model.with_joint_effects("joint2", friction=0.5, friction_law="dry")
    >>> joint_rows(model)[:3]
    ((1,), (0,), array([0.5]))
    """
    friction: list[Array] = [np.zeros(()) for _ in range(model.nv)]
    places, ends = [0] * model.nv, np.full((2, model.nv), np.inf)
    restitution: list[list[Array]] = [[np.zeros(()) for _ in range(model.nv)] for _ in range(2)]
    moved = [False] * model.nv
    solved = list(filter(_is_solved, model.bodies))
    _check_followers(solved)
    for body in solved:
        at_q, at_v = model.slices[body.index if body.mimic is None else body.mimic.source]
        (lower, upper), follows = _stops(body), _variables_followed(body)
        own_friction, own_restitution = _on_variables(body)
        for k in np.flatnonzero(follows):
            row = at_v.start + int(k)
            if has_dry_friction(body):
                friction[row], moved[row] = friction[row] + own_friction[k], True
            if not has_hard_stops(body):
                continue
            places[row] = at_q.start + int(k)
            for side, own in enumerate((-lower[k], upper[k])):
                if own < ends[side, row]:
                    ends[side, row], moved[row], restitution[side][row] = own, True, own_restitution[k]
            if -ends[0, row] > ends[1, row]:
                what = f"joint {body.joint_name!r}: its hard stops and those of joints that move with it leave no place"
                raise ModelError(f"{what}: lower {-ends[0, row]:g} is above upper {ends[1, row]:g}")
    rows = [k for k in range(model.nv) if moved[k]]
    return JointRows(
        velocities=tuple(rows),
        coordinates=tuple(places[k] for k in rows),
        friction=_picked(friction, rows),
        lower=-ends[0, rows],
        upper=ends[1, rows],
        restitution=(_picked(restitution[0], rows), _picked(restitution[1], rows)),
    )


def without_solved_effects(model: Model) -> Model:
    """The model without dry friction, and without the soft stops of joints that have hard ones."""

    def others(body: Body) -> Body:
        effects, none = body.effects, np.zeros(body.joint.nv)
        if effects is None or not _is_solved(body):
            return body
        if has_dry_friction(body):
            effects = replace(effects, friction=none)
        if has_hard_stops(body):
            effects = replace(effects, stop_stiffness=none, stop_damping=none)
        return replace(body, effects=effects)

    return replace(model, bodies=tuple(map(others, model.bodies)))


def has_solved_effects(model: Model) -> bool:
    """Whether steps must solve for dry friction or hard stops."""
    return any(map(_is_solved, model.bodies))


def has_dry_friction(body: Body) -> bool:
    """Whether dry friction acts in a joint."""
    return body.effects is not None and body.effects.friction_law == "dry" and is_present(body.effects.friction)


def has_hard_stops(body: Body) -> bool:
    """Whether a joint has limits that are hard stops."""
    if body.effects is None or body.effects.stop_law != "hard":
        return False
    return any(bool(np.isfinite(bound).any()) for bound in _stops(body)) or bool(np.any(_bounds_several(body)))


def _is_solved(body: Body) -> bool:
    return has_dry_friction(body) or has_hard_stops(body)


def _variables_followed(body: Body) -> Array:
    """Which variables the joint moves with."""
    if body.mimic is None:
        return np.ones(body.joint.nv, dtype=bool)
    return np.asarray(np.any(body.mimic.ratio != 0.0, axis=0))


def _check_followers(bodies: list[Body]) -> None:
    """An error if some of these joints follow several variables at once, with all of them and their smooth laws."""
    wrong = [x for x in bodies if x.mimic is not None and np.any(np.count_nonzero(x.mimic.ratio, axis=1) > 1)]
    if wrong:
        names = ", ".join(repr(x.joint_name) for x in wrong)
        one = len(wrong) == 1
        what = f"joint {names} follows" if one else f"joints {names} follow"
        takes = "it takes" if one else "they take"
        laws = {'friction_law="smooth"': has_dry_friction, 'stop_law="soft"': has_hard_stops}
        chosen = ", ".join(law for law, has in laws.items() if any(map(has, wrong)))
        remedy = f"with_joint_effects({names}, {chosen}) takes smooth laws there, and leaves other joints as they are"
        raise ModelError(f"{what} several variables at once: {takes} no dry friction or hard stops; {remedy}")


def _bounds_several(body: Body) -> Array:
    """Which variables of a joint have limits, and follow several variables at once."""
    follows_several = np.count_nonzero([[0.0]] if body.mimic is None else body.mimic.ratio, axis=1) > 1
    return follows_several & (np.isfinite(body.limits.lower) | np.isfinite(body.limits.upper))


def _on_variables(body: Body) -> tuple[Array, Array]:
    """Dry friction and restitution of the variables that the joint moves with (k,)."""
    assert body.effects is not None
    friction, restitution = body.effects.friction, body.effects.restitution
    if body.mimic is None:
        return friction, restitution
    ratio = np.abs(body.mimic.ratio).T
    share = (ratio > 0.0) / np.maximum(np.count_nonzero(ratio, axis=1), 1)[:, None]
    return ratio @ friction, share @ restitution


def _stops(body: Body) -> tuple[Array, Array]:
    """The limits as bounds of the joint that has the variables."""
    if body.mimic is None:
        return body.limits.lower, body.limits.upper
    return leader_bounds(body)[:2]


def _picked(each: list[Array], rows: list[int]) -> Array:
    return stack([each[k] for k in rows]) if rows else np.zeros(0)
