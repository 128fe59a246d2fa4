"""Which rows of frames a robot can move independently: as a rule, that is at almost all configurations.

The rank of J at a random configuration is, with probability one, the largest that there is; a few are looked at, and
with closures only velocities that these allow count.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ...arrays import Array
from ...errors import LONGEST_NAME, InputError, name_list, shorten
from ...model.model import Model
from ...support.conversion import as_array
from ..closed.assembly import FloatClosures
from ..closed.mobility import (
    NEGLIGIBLE_SINGULAR_VALUE,
    RANK_SAMPLES,
    allowed_velocities,
    analysed,
    rank,
    rows_at,
    samples_near,
)
from ..registry.choices import ExpressedIn, Frames, Rows
from ..registry.forms import by_form
from .task_rows import ROWS, Task, task_jacobian, tasks_of

ROW_NAMES = ("rotation x", "rotation y", "rotation z", "x", "y", "z")
"""Names of the rows of a twist."""
ROW_ORDER = (3, 4, 5, 0, 1, 2)
"""The order in which rows of a frame are taken, as long as they are independent: positions first."""
_problems: WeakKeyDictionary[Model, dict[Any, tuple[str, str] | None]] = WeakKeyDictionary()
"""Model → tasks and axes → what is wrong with them, and what to ask for instead; None if nothing is wrong."""


def check_independent(
    model: Model,
    what: str,
    frame: Frames,
    axes: Rows = "pose",
    expressed_in: ExpressedIn = "body",
    *,
    remedy: str = "give task_damping=..., as in Λ = (J M⁻¹ Jᵀ + task_damping² 1)⁻¹",
) -> None:
    """An error if these rows are dependent at all configurations of the robot; it is found out once.

    `remedy` is what helps besides other rows.

    >>> import kinetrace as kt
    >>> check_independent(kt.load("planar2r").model, "this", "tip", axes=(2, 4, 5))
    Traceback (most recent call last):
    kinetrace.errors.InputError: this: planar2r can move 1 of the 3 rows independently, of frame 'tip': z ...
    """
    tasks, known = tasks_of(model, frame, axes), _problems.setdefault(model, {})
    key = tuple((x.frame.name, x.rows) for x in tasks), expressed_in
    if key not in known:
        known[key] = _problem(model, tasks, expressed_in)
    problem = known[key]
    if problem is not None:
        text, right = problem
        advice = ", or ".join(x for x in (right, remedy) if x)
        raise InputError(f"{what}: {text}" + (f". {advice[0].upper()}{advice[1:]}" if advice else ""))


def check_task_rows(model: Model, what: str, static: Mapping[str, Any], shapes: Mapping[str, Any]) -> None:
    """An error if the compliance of rows is to be inverted that the robot cannot move independently anywhere.

    `static` are the choices of an algorithm, and `shapes` those of its further arrays: a `task_damping` other than zero
    makes the inverse exist.
    """
    damping = static.get("task_damping")
    value = as_array("task_damping", 0.0 if damping is None else damping)
    if value.shape != () or value.dtype.kind not in "biuf":
        raise InputError(f"task_damping of {what} must be a number, got {shorten(repr(damping), LONGEST_NAME)}")
    if "task_damping" not in shapes and not value:
        chosen = {name: static[name] for name in ("frame", "axes", "expressed_in") if name in static}
        check_independent(model, what, **chosen)


def _problem(model: Model, tasks: tuple[Task, ...], expressed_in: ExpressedIn) -> tuple[str, str] | None:
    rows = [(x.frame.name, k) for x in tasks for k in x.rows]
    best, chosen = np.zeros((len(rows), 0)), list[int]()
    owners = [i for i, x in enumerate(tasks) for _ in x.rows]
    preferred = sorted(range(len(rows)), key=lambda k: (owners[k], ROW_ORDER.index(rows[k][1])))
    for J in _jacobians(model, tasks, expressed_in):
        found = _independent(J, preferred)
        if len(found) > len(chosen):
            best, chosen = J, found
        if len(chosen) == len(rows):
            return None
    still = [k for k in range(len(rows)) if not np.any(best[k])]
    several = len(tasks) > 1

    def named(places: list[int]) -> str:
        texts = [ROW_NAMES[rows[k][1]] + (f" of {shorten(repr(rows[k][0]), 40)}" if several else "") for k in places]
        return ", ".join(texts[:8]) + (f" and {len(texts) - 8} more" if len(texts) > 8 else "")

    frames = name_list(dict.fromkeys(x.frame.name for x in tasks), 4)
    text = (
        f"{model.name} can move {len(chosen)} of the {len(rows)} rows independently, of frame{'s' * several} {frames}"
    )
    text += f": {named(chosen)}" if chosen else ""
    text += f" ({named(still)}: always zero)" if still else ""
    return text, _right(tasks, chosen)


def _right(tasks: tuple[Task, ...], chosen: list[int]) -> str:
    """The rows to ask for instead."""
    begin, left = 0, list[tuple[str, Any]]()
    names = {rows: name for name, rows in ROWS.items()}
    for x in tasks:
        rows = tuple(k for i, k in enumerate(x.rows) if begin + i in chosen)
        left += [(x.frame.name, names.get(rows, rows))] if rows else []
        begin += len(x.rows)
    if not left:
        return ""
    if len(left) == 1:
        return f"ask for {f'frame={left[0][0]!r}, ' if len(tasks) > 1 else ''}axes={left[0][1]!r}"
    frames, axes = (tuple(x) for x in zip(*left, strict=True))
    return f"ask for {f'frame={frames}, ' if len(left) < len(tasks) else ''}axes={axes}"


def _jacobians(model: Model, tasks: tuple[Task, ...], expressed_in: ExpressedIn) -> Iterator[Array]:
    """J at some configurations, rows scaled to length 1; with closures, of the velocities that they allow."""
    for q, allowed in _samples(model, np.random.default_rng(0)):
        yield _scaled(task_jacobian(model, q, tasks, expressed_in) @ allowed.T)


def _of_tree(model: Model, rng: np.random.Generator) -> Iterator[tuple[Array, Array]]:
    """Configurations, and a basis of the velocities that are allowed there."""
    for _ in range(RANK_SAMPLES):
        yield model.integrate(model.neutral(), rng.normal(size=model.nv)), np.eye(model.nv)


def _of_closed_chain(model: Model, rng: np.random.Generator) -> Iterator[tuple[Array, Array]]:
    assembly, robot = analysed(model).assembly, FloatClosures(model)
    for q in samples_near(robot, assembly.q, rng) if assembly is not None else ():
        (K,) = rows_at(robot, [q])
        yield q, allowed_velocities(K)


_samples = by_form(tree=_of_tree, closed=_of_closed_chain)


def _scaled(J: Array) -> Array:
    lengths = np.linalg.norm(J, axis=1)
    some = lengths > NEGLIGIBLE_SINGULAR_VALUE * np.max(lengths, initial=0.0)
    return np.where(some[:, None], J / np.where(some, lengths, 1.0)[:, None], 0.0)


def _independent(J: Array, preferred: list[int]) -> list[int]:
    """Places of rows that are independent, as many as there are, taken in the order that is preferred."""
    if rank(J) == len(J):
        return preferred
    found: list[int] = []
    for k in preferred:
        if rank(J[[*found, k]]) > len(found):
            found.append(k)
    return sorted(found)
