"""`ExcitingMotion`: a finite Fourier series that starts and ends at rest, as a reference motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..algorithms.kinematics.displacement import displace, has_coordinates
from ..arrays import Array, cos, is_concrete, sin
from ..engine.compilation.compile import compile
from ..errors import InputError
from ..model import Model
from ..robot import Robot
from ..robot.types import Float
from ..simulation import Trajectory
from ..simulation.metadata import names_of
from ..support.conversion import as_reals, steps_of
from ..support.keywords import known_keywords


@dataclass(frozen=True, eq=False)
class ExcitingMotion:
    """Motion that tells much about a robot's parameters: q(t) = centre ⊕ θ(t); made by `exciting_motion`.

    θ_i(t) = offset_i + Σ_l (sine_il sin l ω t + cosine_il cos l ω t), ω = 2π / period. At t = 0 and after each period
    velocities and accelerations are zero. It is a reference motion: `motion(t)` returns q, v and a at a time, or at
    several times (n,) as rows, and can be traced.

    Parameters
    ----------
    model : Model
        Robot that moves.
    center : ndarray, shape (nq,)
        Configuration about which it moves.
    offset : ndarray, shape (nv,)
        Constant part of θ [rad, m].
    sine : ndarray, shape (nv, harmonics)
        Amplitudes of sines [rad, m].
    cosine : ndarray, shape (nv, harmonics)
        Amplitudes of cosines [rad, m].
    period : float
        Period [s].
    success : bool
        Whether all limits hold, on a fine grid of times, and all base parameters are excited.
    status : {"converged", "iterations", "limits", "unexcited"}
        "iterations": a better motion may exist, but limits hold; "limits": no configuration at rest is within all
        limits, and the motion is none; "unexcited": the motion does not tell all base parameters.
    message : str
        The status as a sentence.
    cost : float
        What was minimised: −log det of the information matrix per base parameter, or the logarithm of the condition
        number.
    condition : float
        Condition number of the stacked regressor, its columns scaled to one size.
    residual : float
        Largest excess of a limit on the fine grid, relative to the limit; 0 if all hold.
    iterations : int
        Iterations of the optimiser from all starts.

    Examples
    --------
    >>> import kinetrace as kt
    >>> motion = kt.identify.exciting_motion(kt.load("planar2r"), period=4, harmonics=3, starts=1)
    >>> motion.success, [x.shape for x in motion(0.5)]
    (True, [(2,), (2,), (2,)])
    >>> q, v, a = motion([0.0, 4.0])
    >>> bool(abs(v).max() < 1e-9)
    True
    """

    model: Model
    center: Float
    offset: Float
    sine: Float
    cosine: Float
    period: float
    success: bool
    status: str
    message: str
    cost: float
    condition: float
    residual: float
    iterations: int

    def __call__(self, t: Any) -> tuple[Array, Array, Array]:
        """q, v and a at a time t [s], or rows of them at times (n,)."""
        if isinstance(t, list | tuple) or (is_concrete(t) and np.ndim(t)):
            return self._rows(as_reals("t", t))
        return displace(self.model, self.center, *self._series(t))

    def _series(self, t: Array) -> tuple[Array, Array, Array]:
        """θ, θ̇ and θ̈ (nv,) at a time."""
        rate = 2 * np.pi / self.period * np.arange(1, self.sine.shape[1] + 1)
        s, c = sin(rate * t), cos(rate * t)
        theta = self.offset + self.sine @ s + self.cosine @ c
        first = self.sine @ (rate * c) - self.cosine @ (rate * s)
        return theta, first, -(self.sine @ (rate**2 * s)) - self.cosine @ (rate**2 * c)

    def _rows(self, t: Float) -> tuple[Float, Float, Float]:
        if t.ndim != 1:
            raise InputError(f"t must be a time or times (n,), got an array {t.shape}")
        w = 2 * np.pi / self.period * np.arange(1, self.sine.shape[1] + 1)
        s, c = np.sin(t[:, None] * w), np.cos(t[:, None] * w)
        theta = self.offset + s @ self.sine.T + c @ self.cosine.T
        rate = (w * c) @ self.sine.T - (w * s) @ self.cosine.T
        change = -(w**2 * s) @ self.sine.T - (w**2 * c) @ self.cosine.T
        if has_coordinates(self.model):
            return self.center + theta, rate, change
        q, v, a = path_kernel(self.model)(self.center, theta, rate, change)
        return q, v, a

    @known_keywords
    def trajectory(self, robot: Robot, dt: float = 0.01) -> Trajectory:
        """Motion over one period, with the joint forces that the robot's model needs for it.

        Parameters
        ----------
        robot : Robot
            Robot with the same joints.
        dt : float, default 0.01
            Time between rows [s], less if the period is no multiple of it; the last row is at the period.

        Returns
        -------
        Trajectory
            The motion, which can be drawn, played and saved.

        Raises
        ------
        InputError
            If the robot has other joints, or dt is not positive.

        Examples
        --------
        >>> import kinetrace as kt
        >>> robot = kt.load("planar2r")
        >>> kt.identify.exciting_motion(robot, period=4, harmonics=3, starts=1).trajectory(robot, 0.01)
        Trajectory('planar2r', t=0…4, 401 rows)
        """
        if names_of(robot.model).v != names_of(self.model).v:
            raise InputError(f"the motion is one of joints {names_of(self.model).v}, not of {robot.name!r}")
        n, dt = steps_of(self.period, dt)
        t = np.linspace(0, self.period, n + 1)
        q, v, a = self(t)
        tau = np.asarray(robot.inverse_dynamics(q, v, a))
        return Trajectory(
            t=t,
            q=np.asarray(q),
            v=np.asarray(v),
            tau=tau,
            dt=dt,
            names=names_of(robot.model),
            robot_name=robot.name,
            method="Fourier series",
            robot=robot,
        )

    def __repr__(self) -> str:
        said = f"condition={self.condition:.3g}" if self.success else self.message
        return f"ExcitingMotion({self.status}, {self.period:g} s, {self.sine.shape[1]} harmonics, {said})"


def path_kernel(model: Model) -> Any:
    """`displace`, compiled: for many states at once."""
    return compile(displace, model, shapes=dict.fromkeys(("theta", "theta_1", "theta_2"), model.nv))


def path_shapes(model: Model) -> dict[str, tuple[int, ...]]:
    """Shapes of the arguments of functions along a path."""
    return {"center": (model.nq,), "theta": (model.nv,), "rate": (model.nv,), "change": (model.nv,)}
