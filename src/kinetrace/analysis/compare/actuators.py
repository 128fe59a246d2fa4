"""Differences between the actuators and keyframes of two robots; they are matched by their names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...arrays import Array
from ...model import Actuator
from ...model.model import Model
from .result import Change

NUMBERS = {
    "gain": "gain",
    "bias": "bias",
    "control_range": "range of controls",
    "force_range": "range of forces",
    "activation_range": "range of activations",
    "time_constant": "time constant [s]",
    "delay": "delay [s]",
}
LAWS = {"dynamics": "dynamics", "acts_early": "acts early", "interpolation": "interpolation"}


def actuation_changes(a: Model, b: Model, pairs: dict[int, int], tolerance: float) -> Iterator[Change]:
    """All that differs between actuators and keyframes of robots whose bodies are matched by `pairs`."""
    joints = {a.bodies[i].joint_name: b.bodies[j].joint_name for i, j in pairs.items()}
    first, second = ({x.name: x for x in m.actuators} for m in (a, b))
    yield from _alone("actuator", first.keys(), second.keys())
    for name in [x for x in first if x in second]:
        yield from _actuator(first[name], second[name], joints, tolerance)
    common = [[x for x in own if x in first and x in second] for own in (first, second)]
    if common[0] != common[1]:
        old, new = common
        yield Change("robot", "", f"order of controls: {', '.join(old)} → {', '.join(new)}", old, new)
    frames = [{x.name: x for x in m.keyframes} for m in (a, b)]
    yield from _alone("keyframe", frames[0].keys(), frames[1].keys())
    for name in [x for x in frames[0] if x in frames[1]]:
        x, y = frames[0][name], frames[1][name]
        told = [what for what in ("q", "v", "control", "activation") if _differ(*_both(x, y, what), tolerance)]
        if told:
            yield Change("keyframe", name, f"other {' and '.join(told)}", None, None)


def _actuator(x: Actuator, y: Actuator, joints: dict[str, str], tolerance: float) -> Iterator[Change]:
    ours = [(joints.get(g.joint, g.joint), g.axes, g.ratio.tolist()) for g in x.gears]
    theirs = [(g.joint, g.axes, g.ratio.tolist()) for g in y.gears]
    if [g[:2] for g in ours] != [g[:2] for g in theirs]:
        old, new = ([g[0] for g in gears] for gears in (ours, theirs))
        yield Change("actuator", x.name, f"on {', '.join(old)} → {', '.join(new)}", old, new)
    else:
        for (joint, _, old), (_, _, new) in zip(ours, theirs, strict=True):
            if _differ(np.array(old), np.array(new), tolerance):
                yield Change("actuator", x.name, f"gear on {joint} {_text(old)} → {_text(new)}", old, new)
    for name, what in NUMBERS.items():
        before, after = _both(x, y, name)
        if _differ(before, after, tolerance):
            told = f"{what} {_text(before)} → {_text(after)}"
            yield Change("actuator", x.name, told, _plain(before), _plain(after))
    for name, what in LAWS.items():
        was, now = getattr(x, name), getattr(y, name)
        if was != now:
            yield Change("actuator", x.name, f"{what} {was} → {now}", was, now)


def _alone(kind: Any, first: Any, second: Any) -> Iterator[Change]:
    for name in [x for x in first if x not in second]:
        yield Change(kind, name, "only in the first robot", name, None)
    for name in [x for x in second if x not in first]:
        yield Change(kind, name, "only in the second robot", None, name)


def _both(x: Any, y: Any, name: str) -> tuple[Array, Array]:
    return np.atleast_1d(getattr(x, name)), np.atleast_1d(getattr(y, name))


def _differ(x: Array, y: Array, tolerance: float) -> bool:
    if x.shape != y.shape:
        return True
    finite = np.isfinite(x) & np.isfinite(y)
    most = tolerance * float(np.abs(np.concatenate([x[finite], y[finite]])).max(initial=0.0))
    return bool(np.any(x[~finite] != y[~finite]) or np.any(np.abs(x[finite] - y[finite]) > most))


def _text(x: Any) -> str:
    texts = [f"{value:.6g}" for value in np.ravel(x)]
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


def _plain(x: Array) -> list[float | None]:
    return [float(value) if np.isfinite(value) else None for value in x]
