"""External influences on a motion, checked: the keywords of `step`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError
from ..model.arguments import MAPPINGS, MAPS
from ..model.model import Model
from ..robot.types import Float
from .inputs import finite


class StepKeywords(NamedTuple):
    """Keywords of `step`, in the order of a kernel's arguments."""

    base_velocity: Any = None
    base_acceleration: Any = None
    wrench: Any = None
    drive: Mapping[str, Any] | None = None
    stabilisation: Any = None

    def settings(self, model: Model) -> dict[str, Any]:
        """The given arrays by keyword."""
        still = None if self.base_acceleration is None else np.zeros(6)
        found = {
            "base_velocity": still if self.base_velocity is None else finite("base_velocity", self.base_velocity, 6),
            "base_acceleration": _array("base_acceleration", self.base_acceleration, 6),
            "wrench": _mapped("wrench", self.wrench, model),
            "drive": _mapped("drive", self.drive, model),
            "stabilisation": _array("stabilisation", self.stabilisation, 2),
        }
        return {name: x for name, x in found.items() if x is not None}

    def of_steps(self, model: Model, steps: int) -> tuple[dict[str, Any], frozenset[str]]:
        """The same for a number of steps, and the names of those with a row per step: a base's motion (..., T, 6)."""
        found = self.settings(model)
        by_rows = {name for name in ("base_velocity", "base_acceleration") if name in found and found[name].ndim > 1}
        for name in by_rows:
            if found[name].shape[-2] != steps:
                told = f"shape (6,), or (..., {steps}, 6) with a row for each step"
                raise InputError(f"{name} must have {told}, got {found[name].shape}")
        return found, frozenset(by_rows)


def _array(name: str, x: Any, size: int) -> Float | None:
    return None if x is None else finite(name, x, size)


def _mapped(name: str, given: Any, model: Model) -> dict[str, Float] | None:
    """Arrays by the names of frames or closures; None if there are none."""
    if given is not None and not isinstance(given, Mapping):
        what = MAPS[name] + (" or functions of (t, q, v)" if name == "wrench" else "")
        raise InputError(f"{name} must map {what}, got {type(given).__name__}")
    found = {}
    for key, x in (given or {}).items():
        shape = MAPPINGS[name](model, key)
        found[key] = finite(f"{name}[{key!r}]", x, shape[-1])
        if found[key].shape[-len(shape) :] != shape:
            raise InputError(
                f"{name}[{key!r}] must have shape (..., {', '.join(map(str, shape))}), got {found[key].shape}"
            )
    return found or None


def batches(settings: Mapping[str, Any], by_rows: frozenset[str]) -> dict[str, tuple[int, ...]]:
    """The batch axes of each array."""
    found: dict[str, tuple[int, ...]] = {}
    for name, x in settings.items():
        if isinstance(x, Mapping):
            axes = 2 if name == "drive" else 1
            found |= {f"{name}[{key!r}]": y.shape[:-axes] for key, y in x.items()}
        else:
            found[name] = x.shape[: -2 if name in by_rows else -1]
    return found
