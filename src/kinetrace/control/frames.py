"""Goals of frames, and how far frames are from them, in the world's axes.

Of a frame at X = (R, p) with the twist V = (ω, ṗ), ω and ṗ in the world's axes, and a goal at X_d:

    e = (θ, p_d − p),   exp θ = R_d Rᵀ        U = (R R_dᵀ ω_d, ṗ_d)        θ̇ = J_r(θ)⁻¹ (U_ω − ω)

so the wrench (J_r(θ)⁻ᵀ K_ω θ, K_p (p_d − p)) is the differential of ½ eᵀ K e: its rate is that wrench times U − V.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ..algorithms.registry.choices import Frames, as_tuples
from ..arrays import Array, concatenate, less, maximum, minimum, sqrt, where
from ..errors import InputError, ModelError, shorten
from ..lie import so3
from ..lie.se3 import rotation, translation
from ..model.checks import pose
from ..motion.splines.reference import LATER_CHECK_TIMES
from ..robot import Robot
from ..support.conversion import as_reals
from .controller import Float
from .reference import traceable

NO_ROTATION, SMALLEST_ENERGY = np.zeros(3), 1e-300


class FrameError(NamedTuple):
    """How far a frame is from its goal; (6,) each, rotation first."""

    e: Array
    velocity: Array
    """U."""
    rate: Array
    """U̇."""


@dataclass(frozen=True, eq=False)
class Goal:
    """Where frames should be: poses (4, 4) or positions (3,), one per frame, and how they move."""

    count: int
    """Number of frames."""
    is_single: bool
    """Whether a frame was named by itself, and its goal has no axis of frames."""
    core: tuple[int, ...]
    """(4, 4) or (3,)."""
    motion: Callable[[Any], Any] | None = None
    parameters: dict[str, Float] = field(default_factory=dict)
    """`goal`, if the frames shall stay."""

    @property
    def has_poses(self) -> bool:
        """Whether orientations are known."""
        return self.core == (4, 4)

    def __call__(self, t: Any, goal: Array = None) -> list[tuple[Array, Array, Array]]:
        """X (4, 4) or p (3,), with velocity and acceleration (6,) or (3,), of each frame."""
        if self.motion is None:
            still = np.zeros(6 if self.has_poses else 3)
            return [(goal if self.is_single else goal[k], still, still) for k in range(self.count)]
        X, V, A = self.motion(t)
        return [(X, V, A)] if self.is_single else [(X[k], V[k], A[k]) for k in range(self.count)]

    def errors(self, t: Any, at: list[tuple[Array, Array]], goal: Array = None) -> list[FrameError]:
        """How far frames at X (4, 4), with twists V (6,), are from it."""
        return [self._error(X, V, *wanted) for (X, V), wanted in zip(at, self(t, goal), strict=True)]

    def _error(self, X: Array, V: Array, X_d: Array, V_d: Array, A_d: Array) -> FrameError:
        if not self.has_poses:
            e = concatenate([NO_ROTATION, X_d - translation(X)])
            return FrameError(e, concatenate([NO_ROTATION, V_d]), concatenate([NO_ROTATION, A_d]))
        R, R_d = rotation(X), rotation(X_d)
        e = concatenate([so3.log(R_d @ R.T), translation(X_d) - translation(X)])
        if self.motion is None:
            return FrameError(e, V_d, A_d)
        w = R @ (R_d.T @ V_d[:3])
        dw = R @ (R_d.T @ A_d[:3]) + so3.cross(V[:3], w)
        return FrameError(e, concatenate([w, V_d[3:]]), concatenate([dw, A_d[3:]]))


class Spring(NamedTuple):
    """Force that draws a frame to its goal, and its potential energy."""

    pull: Array
    """(6,)."""
    energy: Array
    """Whose differential it is."""


def frame_spring(e: Array, stiffness: Array, most: Sequence[Array]) -> Spring:
    """Springs (6,) with the energy ρ = ½ eᵀ K e, of rotation and of translation; they pull at most as told, each.

    Beyond ρ₀ = most² / 2k the energy is 2 √(ρ ρ₀) − ρ₀ instead of ρ, and the pull √(ρ₀/ρ) times as large. k is the
    largest |pull|² / 2ρ: max K of translations, and `stiffest_rotation`.

    >>> import numpy as np
    >>> frame_spring(np.array([0.0, 0.0, 0.0, 0.1, 0.0, 0.0]), np.full(6, 10.0), (1.0, 2.0)).pull[3:]
    array([1., 0., 0.])
    >>> frame_spring(np.array([0.0, 0.0, 0.0, 0.3, 0.0, 0.0]), np.full(6, 10.0), (1.0, 2.0)).pull[3:].round(9)
    array([2., 0., 0.])
    """
    pulls, total = [], np.zeros(())
    for k, part in enumerate((slice(0, 3), slice(3, 6))):
        x, K = e[part], stiffness[part]
        f, energy = K * x, 0.5 * (K * x @ x)
        if k == 0:
            f = f @ so3.right_jacobian_inverse(x)
        stiffest = stiffest_rotation(K) if k == 0 else maximum(maximum(K[0], K[1]), K[2])[()]
        edge = most[k] * most[k] / (2.0 * where(less(0.0, stiffest), stiffest, 1.0)[()])
        less_by = sqrt(edge / maximum(maximum(energy, edge), SMALLEST_ENERGY))[()]
        pulls.append(f * less_by)
        total = total + where(less(edge, energy), 2.0 * energy * less_by - edge, energy)[()]
    return Spring(concatenate(pulls), total)


def stiffest_rotation(K: Array) -> Array:
    """Bound of |J_r(θ)⁻ᵀ K θ|² / θᵀ K θ for |θ| ≤ π; that of equal gains is this gain.

    J_r⁻¹ leaves θ as it is, and makes what is perpendicular to it at most γ = π/2 times as long. Of unit vectors n with
    m = nᵀ K n, nᵀ K² n ≤ (a + b) m − a b with the least gain a and the largest b. So the quotient is at most
    γ² (a + b − a b / m) − (γ² − 1) m, which is largest where m² = γ² a b / (γ² − 1), or m = b if this is less.

    >>> stiffest_rotation(np.array([5.0, 5.0, 5.0])), stiffest_rotation(np.array([0.0, 5.0, 5.0])).round(3)
    (np.float64(5.0), np.float64(12.337))
    """
    a, b = (f(f(K[0], K[1]), K[2])[()] for f in (minimum, maximum))
    g2 = (np.pi / 2) ** 2
    unequal = g2 * (a + b) - 2.0 * sqrt(g2 * (g2 - 1.0) * a * b)[()]
    return where(less(g2 * a, (g2 - 1.0) * b), unequal, b)[()]


def goal_of(robot: Robot, frame: Frames, goal: Any, needs_poses: bool) -> Goal:
    """The goal that a user means, for one frame or several.

    >>> import numpy as np, kinetrace as kt
    >>> goal_of(kt.load("planar2r"), "tip", [1.0, 0.0, 0.5], needs_poses=False).core
    (3,)
    """
    names = as_tuples(frame)
    single = not isinstance(names, tuple)
    names = (names,) if single else names
    for name in names:
        robot.model.frame(name)
    lead = () if single else (len(names),)
    every = "" if single else f", {len(names)} of each"
    poses = f"a pose (4, 4){'' if needs_poses else ' or a position (3,)'}{every}"
    if callable(goal):
        found = goal(0.0)
        told = f"goal(t) must return {poses}, and its velocity and acceleration, rotation first, in the world's axes"
        if not isinstance(found, tuple | list) or len(found) != 3:
            raise InputError(f"{told}; got {shorten(repr(found))}")
        shapes = [np.shape(x) for x in found]
        for core, size in (((4, 4), 6), ((3,), 3)):
            if shapes == [(*lead, *core), (*lead, size), (*lead, size)] and (core == (4, 4) or not needs_poses):
                made = Goal(len(names), single, core, goal)
                _checked_motion(made)
                traceable(goal, "goal")
                return made
        raise InputError(f"{told}; got shapes {shapes}")
    numbers = as_reals("goal", goal)
    core = numbers.shape[len(lead) :]
    fits = numbers.shape[: len(lead)] == lead and core in ((4, 4), *([] if needs_poses else [(3,)]))
    if not fits or not np.isfinite(numbers).all():
        raise InputError(f"goal must be {poses}, or a function of time; got {shorten(repr(goal))}")
    if core == (4, 4):
        flat = [_pose(X) for X in numbers.reshape(-1, 4, 4)]
        numbers = np.array(flat).reshape(numbers.shape)
    return Goal(len(names), single, core, None, {"goal": numbers})


def _pose(X: Float) -> Float:
    try:
        return np.asarray(pose(X, "goal"))
    except ModelError as error:
        raise InputError(str(error)) from None


def _checked_motion(made: Goal) -> None:
    """An error unless velocities are the rates of what moves, at the beginning and some later times."""
    _checked_near(made, 0.0)
    for later in LATER_CHECK_TIMES:
        try:
            rows = [x for part in made(later) for x in part]
            if not all(np.isfinite(np.asarray(x, dtype=float)).all() for x in rows):
                return
        except Exception:  # a motion may be defined for some time alone
            return
        _checked_near(made, later)


def _checked_near(made: Goal, at: float) -> None:
    h = 1e-4
    times = (at, at + h, at + 2 * h)
    before, middle, after = ([[np.asarray(y, dtype=float) for y in x] for x in made(t)] for t in times)
    for (X0, V0, A0), (_, V, A), (X2, V2, A2) in zip(before, middle, after, strict=True):
        if made.has_poses:
            _pose(X0)
            rate = concatenate([so3.log(X2[:3, :3] @ X0[:3, :3].T), X2[:3, 3] - X0[:3, 3]]) / (2 * h)
        else:
            rate = (X2 - X0) / (2 * h)
        for given, found, jump, told in (
            (V, rate, V2 - V0, "velocity"),
            (A, (V2 - V0) / (2 * h), A2 - A0, "acceleration"),
        ):
            if not np.isfinite(given).all():
                raise InputError(f"goal(t): the {told} must be finite numbers, got {given}")
            # Central differences are off by h² times a third rate, and 1e-12/h.
            if np.abs(found - given).max() > 1e-3 * (1.0 + np.abs(given).max()) + np.abs(jump).max():
                raise InputError(f"goal(t): the {told} near t = {at:g} is {given}, by differences {found}")
