"""Measured motions and joint forces as rows of a linear problem, made piece by piece.

    Y(q, v, v̇) p = τ − known          one row per force and sample, each divided by the deviation of its noise

p are the parameters of bodies, and of joints as far as they are to be found; known are the forces of all other effects
of the joints: those that p has no columns for, as springs and stops, and those of mimic joints.

If a filter is given, it acts on both sides, forces and every column of Y, and rows are then taken at its rate: no delay
and no loss of height lies between the two sides, and what is left of the noise is nearly white. Weights reduce rows
that are far off (Huber 1964).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..arrays import Array
from ..errors import InputError
from ..model import Model
from ..model.effects.joint_effects import coulomb, has_effects, per_velocity
from ..robot import Robot
from ..support.attributes import cached_property
from ..support.conversion import broadcast, finite
from .base_parameters import BaseParameters
from .smoothing import Lowpass

_PIECE_ROWS, _LARGEST_PIECE_ROWS = 2048, 16384
"""States whose regressor is in memory at once; with a filter, four times its memory if that is between these."""
_HUBER = 1.345
"""Residual, in deviations, from which a row counts less: 95 % of the efficiency of least squares with normal noise."""

COLUMN_EFFECTS = {"viscous": "damping", "coulomb": "friction", "rotor": "armature"}
"""Kinds of columns of joints, and the effects that they belong to."""


@dataclass(frozen=True, eq=False)
class MeasuredPart:
    """Consecutive states (n, ...) and forces (n, nv)."""

    q: Array
    v: Array
    a: Array
    tau: Array


@dataclass(frozen=True, eq=False)
class Data:
    """Measured states and forces, without those of known effects of the joints."""

    robot: Robot
    parts: Sequence[MeasuredPart]
    friction: bool
    rotor: bool
    lowpass: Lowpass | None = None
    """Filter of forces and regressors along the samples of a part."""

    @staticmethod
    def of(
        robot: Robot,
        parts: Sequence[tuple[npt.ArrayLike, ...]],
        friction: bool,
        rotor: bool,
        lowpass: Lowpass | None = None,
    ) -> Data:
        """The data of some parts (q, v, a, tau), checked."""
        exact, kinds = robot._exact(), joint_kinds(friction, rotor)
        found = []
        for part in parts:
            q, v, a, tau = checked_samples(robot, part)
            if has_effects(exact.model):
                tau = tau - exact.passive_forces(q, v) - a @ exact.model.armature
                tau = tau + sum(_force(exact.model, kind, v, a) for kind in kinds)
            found.append(MeasuredPart(q, v, a, tau))
        return Data(exact, found, friction, rotor, lowpass)

    def pieces(self) -> Iterable[tuple[Array, Array]]:
        """The regressor (k, dof, p) and forces (k, dof) of some states, then of the next."""
        return self._pieces() if self.lowpass is None else self._filtered_pieces

    @cached_property
    def _filtered_pieces(self) -> list[tuple[Array, Array]]:
        """All pieces: few rows are left at the rate of the filter."""
        return list(self._pieces())

    def _pieces(self) -> Iterator[tuple[Array, Array]]:
        pad, step = (0, 1) if self.lowpass is None else (self.lowpass.memory, self.lowpass.step)
        size = -(-min(max(_PIECE_ROWS, 4 * pad), _LARGEST_PIECE_ROWS) // step) * step
        for part in self.parts:
            for i in range(0, len(part.tau), size):
                begin, end = max(i - pad, 0), min(i + size + pad, len(part.tau))
                Y, tau = self._rows(part, slice(begin, end))
                if self.lowpass is not None:
                    Y, tau = self.lowpass(Y), self.lowpass(tau)
                kept = slice(i - begin, min(i + size, len(part.tau)) - begin, step)
                yield Y[kept], tau[kept]

    def _rows(self, part: MeasuredPart, some: slice) -> tuple[Array, Array]:
        q, v, a, tau = part.q[some], part.v[some], part.a[some], part.tau[some]
        chosen: dict[str, Any] = {"friction": self.friction, "rotor": self.rotor}
        closed = bool(self.robot.model.closures)
        G = self.robot.velocity_map(q) if closed else None
        Y = self.robot.reduced_regressor(q, v, a, **chosen) if closed else self.robot.regressor(q, v, a, **chosen)
        return Y, tau if G is None else (tau[:, None] @ G)[:, 0]

    def triangular(self, base: BaseParameters, sigma: Array, about: Array | None = None) -> tuple[Array, Array]:
        """R (k, count) and z (k,) with |R β − z|² the weighted sum of squares but for a constant.

        Rows count less the further `about`, parameters of an earlier fit, leaves them off.
        """
        stacked: Array = np.zeros((0, base.count + 1))
        for Y, tau in self.pieces():
            rows = np.concatenate([Y[..., base.columns], tau[..., None]], axis=-1) / sigma[:, None]
            if about is not None:
                off = np.abs(rows[..., :-1] @ about - rows[..., -1]) / _HUBER
                rows = rows / np.sqrt(np.maximum(off, 1.0))[..., None]
            stacked = np.linalg.qr(np.concatenate([stacked, rows.reshape(-1, base.count + 1)]), mode="r")
        return stacked[: base.count, :-1], stacked[: base.count, -1]

    def residuals(self, columns: Array, x: Array) -> tuple[Array, Array]:
        """Forces (rows, dof), and what parameters x of these columns do not explain of them."""
        pairs = [(tau, tau - Y[..., columns] @ x) for Y, tau in self.pieces()]
        tau, left = (np.concatenate(found) for found in zip(*pairs, strict=True))
        return tau, left

    def rms(self, columns: Array, x: Array) -> Array:
        """Root mean square (dof,) of the forces that parameters x of these columns do not explain."""
        left = [np.sum((Y[..., columns] @ x - tau) ** 2, axis=0) for Y, tau in self.pieces()]
        return np.sqrt(sum(left) / max(self.rows, 1))

    @property
    def rows(self) -> int:
        """Rows per joint force."""
        step = 1 if self.lowpass is None else self.lowpass.step
        return sum(-(-len(part.tau) // step) for part in self.parts)

    @property
    def size(self) -> float:
        """Root mean square of all forces."""
        return float(np.sqrt(np.mean(np.concatenate([part.tau for part in self.parts]) ** 2)))


def checked_samples(robot: Robot, arrays: tuple[npt.ArrayLike, ...]) -> tuple[Array, ...]:
    """States and forces (n, ...) of arrays that broadcast, or an error that names what is wrong."""
    sizes = dict(q=robot.nq, v=robot.nv, a=robot.nv, tau=robot.nv)
    given = {name: finite(name, x, n) for (name, n), x in zip(sizes.items(), arrays, strict=True)}
    batch = broadcast({name: x.shape[:-1] for name, x in given.items()})
    states = math.prod(batch)
    if states == 0 or robot.nv == 0:
        raise InputError(f"there is nothing to fit: {states} samples of {robot.nv} joint forces")
    return tuple(np.broadcast_to(x, (*batch, x.shape[-1])).reshape(states, x.shape[-1]) for x in given.values())


def joint_kinds(friction: bool, rotor: bool) -> list[str]:
    """Kinds of columns of joints, in their order."""
    return ["viscous", "coulomb"] * friction + ["rotor"] * rotor


def joint_values(model: Model, kind: str) -> Array:
    """Joint parameters of one kind for each velocity (nv,), without those of mimic joints."""
    return per_velocity(model, COLUMN_EFFECTS[kind])


def _force(model: Model, kind: str, v: Array, a: Array) -> Array:
    """Forces (..., nv) of one kind that a model has."""
    value = joint_values(model, kind)
    if kind == "coulomb":
        return coulomb(value, v, per_velocity(model, "friction_width"))
    return value * {"viscous": v, "rotor": a}[kind]
