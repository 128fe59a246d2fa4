"""The search: frames body by body, regrouping in between, as long as the count falls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from ..model.model import WORLD, Model
from .equal import check_equal
from .frames import aligned, candidates, denavit_hartenberg, has_axis, with_frame
from .regroup import felt_spaces, regrouped

Cost = Callable[[Model], tuple[int, ...]]
"""What a model costs; less is better, entries first to last."""
ROUNDS = 6
"""Rounds over all bodies at most."""


def cheapest(
    model: Model,
    cost: Cost,
    *,
    frames: bool = True,
    regroup: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> Model:
    """An equivalent model of least cost, as far as the search finds one; the same at every call.

    `frames` and `regroup` say what may change. `progress` is told how many bodies are done, of how many at most.

    >>> import kinetrace as kt
    >>> cheapest(kt.load("planar2r").model, lambda model: (0,))
    Model('planar2r', 2 bodies, nq=2, nv=2)
    """

    def with_few(model: Model) -> Model:
        return regrouped(model, felt_spaces(model)) if regroup else model

    found = min([model, with_few(model)], key=cost)
    now, n = with_few(denavit_hartenberg(aligned(model))), len(model.bodies)
    for k in range(ROUNDS * frames):
        before = cost(now)
        for i in range(n):
            now = _improved(now, i, cost)
            if progress:
                progress(k * n + i + 1, ROUNDS * n)
        now = min([now, with_few(now)], key=cost)
        if cost(now) >= before:
            break
    found = min([found, now], key=cost) if frames else found
    check_equal(model, found)
    return found


def _improved(model: Model, i: int, cost: Cost) -> Model:
    """The model with the best of the candidate frames for body i, judged on the bodies that it concerns."""
    if not has_axis(model.bodies[i]):
        return model
    near, least = model, None
    kept = _concerned(model, i)
    for G in (np.eye(4), *candidates(model, model.bodies[i])):
        changed = with_frame(model, i, G)
        price = cost(_part(changed, kept))
        if least is None or price < least:
            near, least = changed, price
    return near


def _concerned(model: Model, i: int) -> list[int]:
    """The body, those that carry it, and those that it carries itself."""
    carriers = model.ancestors(i)
    return [b.index for b in model.bodies if b.index in carriers or b.parent == i]


def _part(model: Model, kept: Sequence[int]) -> Model:
    """A model of some of the bodies, closed toward the base."""
    new = {WORLD: WORLD, **{old: k for k, old in enumerate(kept)}}
    bodies = tuple(replace(model.bodies[i], index=new[i], parent=new[model.bodies[i].parent], mimic=None) for i in kept)
    return Model(model.name, bodies, {}, model.gravity)
