"""Assembly without compiled code, while robots are built, and messages about loops that do not close."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from ...arrays import Array
from ...errors import ModelError
from ...model.body import WORLD
from ...model.closures import Closure
from ...model.model import Model
from .closures import closure_jacobian, closure_residual, size_of
from .loop_closing import CLOSED_RESIDUAL, ITERATIONS, ZERO_SINGULAR_VALUE, Closing, closing_configuration

NEARLY_CLOSED_RESIDUAL = 1e-3
"""Residual [m, rad] below which loops that do not close are more likely written with too few digits than of lengths
that do not fit."""


class HasClosures(Protocol):
    """A model, and its closures at many configurations at once; a `Robot` is one."""

    @property
    def model(self) -> Model:
        """Joints, bodies and closures."""

    def closure_residual(self, q: Any, /) -> Array:
        """φ (..., rows)."""

    def closure_jacobian(self, q: Any, /) -> Array:
        """K (..., rows, nv)."""


class FloatClosures:
    """The same of a model without compiling anything: what is found out once is found out sooner so."""

    def __init__(self, model: Model, drive: Mapping[str, Array] | None = None) -> None:
        self.model, self.drive = model, drive

    def closure_residual(self, q: Array) -> Array:
        """φ (k, rows) of q (k, nq)."""
        return np.array([closure_residual(self.model, x, drive=self.drive) for x in q])

    def closure_jacobian(self, q: Array) -> Array:
        """K (k, rows, nv) of q (k, nq)."""
        with np.errstate(all="ignore"):  # a wheel that lies flat has no rows
            return np.array([closure_jacobian(self.model, x, drive=self.drive) for x in q])


def assemble(
    robot: HasClosures,
    guess: Array,
    *,
    held: Sequence[int] = (),
    iterations: int = ITERATIONS,
    weakest: float = ZERO_SINGULAR_VALUE,
) -> tuple[Array, Array]:
    """Configurations (k, nq) near guesses (k, nq), and their largest residuals (k,) divided by `size_of` the robot.

    Velocities that are `held`, by their places in v, do not take part. `weakest` and `iterations` are those of
    `Closing`.
    """
    fixed = np.isin(np.arange(robot.model.nv), list(held)).astype(float) if held else None
    how = Closing(getattr(robot, "drive", None), held=fixed, weakest=weakest, most=iterations)
    with np.errstate(all="ignore"):  # a wheel that lies flat has no rows
        found = [closing_configuration(robot.model, np.array(x, dtype=float), how) for x in guess]
    return np.array([q for q, _ in found]), np.array([float(left) for _, left in found])


def open_closure_error(model: Model, residual: Array, what: str) -> ModelError:
    """An error that names the closure that is farthest from closed."""
    worst = {name: float(np.abs(residual[rows]).max(initial=0.0)) for name, rows in model.closure_slices.items()}
    name = max(worst, key=lambda x: worst[x])
    if worst[name] < CLOSED_RESIDUAL * size_of(model):
        return ModelError(f"{what}: a closure has no rows there, as a wheel that lies flat")
    nearly = ""
    if worst[name] < NEARLY_CLOSED_RESIDUAL:
        nearly = (
            "; nearly closed: rows that should follow from others may contradict each other, as if axes of a planar "
        )
        nearly += "loop are not quite parallel: write them with more digits, or close it by fewer rows (closures.Rows)"
    placed = "" if nearly else _world_side_steps(next(x for x in model.closures if x.name == name))
    return ModelError(f"{what}: closure {name!r} stays open by {worst[name]:.3g} (m or rad){nearly}{placed}")


def _world_side_steps(closure: Closure) -> str:
    """How to put the world's side of a closure where the other frame is; empty if the world has none."""
    if closure.terms or sum(frame.body == WORLD for frame in closure.frames) != 1:
        return ""
    sides = [("placement_a", closure.a, closure.b), ("placement_b", closure.b, closure.a)]
    side, frame, other = next(x for x in sides if x[1].body == WORLD)
    if frame.name not in ("", "world"):
        return ""
    call = f"{side}=robot.pose(q, {other.name!r})[:3, 3]"
    return f"; {call} is a point in the world that the frame reaches, at the configuration q"
