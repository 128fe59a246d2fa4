"""Impedance of a frame: a spring on SE(3) and a damper between the frame and its goal.

With X the pose of the frame, V its twist in its own axes, ξ = log(X⁻¹ X_d) and U = Ad_{exp ξ} V_d, the wrench

    F = J_l(ξ)⁻ᵀ K ξ + D (U − V)

acts on the frame: its first term is the differential of ½ ξᵀ K ξ, as ξ̇ = J_l(ξ)⁻¹ (U − V).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import algorithms
from ..algorithms.tasks.task_response import TaskResponse, task_response
from ..algorithms.tasks.task_rows import Task, tasks_of
from ..arrays import Array, concatenate
from ..errors import InputError, shorten
from ..lie import Ad, se3
from ..model.model import Model
from ..robot import Robot
from ..support.conversion import as_reals
from .controller import Controller, Float
from .frames import Goal, goal_of
from .pickling import maker
from .plant import check_motors, driven_forces, holding_forces, mass_of
from .reference import gains, number_of
from .task_space import bounded_factors


@maker
def cartesian_impedance(
    robot: Robot,
    frame: str,
    goal: Any,
    stiffness: npt.ArrayLike,
    damping: npt.ArrayLike,
    *,
    nullspace_damping: float = 2.0,
    joint_damping: npt.ArrayLike = 0.0,
) -> Controller:
    """Cartesian impedance: a frame is drawn to its goal by a spring and a damper, and gives way when it is pushed.

    τ = g(q) + Jᵀ F − c Nᵀ M N v − D_q v with the wrench F = J_l(ξ)⁻ᵀ K ξ + D (U − V_f) in the frame's own axes,
    ξ = log(X⁻¹ X_d), V_f its twist. With a pose to hold, V = ½ vᵀ M v + ½ ξᵀ K ξ is a storage function with the rate
    −V_fᵀ D V_f − c (N v)ᵀ M (N v) − vᵀ D_q v − P, P ≥ 0 the power of friction in the joints, plus the power of whoever
    pushes: the robot is passive, whatever it touches. It comes to rest where the spring's wrench is not felt, Jᵀ F = 0:
    at the goal, unless it is caught in a singular configuration. N = 1 − J̄ J are the motions that leave the frame where
    it is. Nothing is inverted but J M⁻¹ Jᵀ for N, which is bounded as in `operational_space`. Along a motion nothing is
    proven.

    Parameters
    ----------
    robot : Robot
        Robot whose model the law uses; motors must drive all its motions.
    frame : str
        Name of the frame.
    goal : array_like, shape (4, 4), or callable
        Pose in the world to hold, or function of time that returns pose, velocity and acceleration (6,) in the world's
        axes, rotation first, as `expressed_in="aligned"`.
    stiffness : array_like, shape (6,) or (6, 6)
        K in the frame's axes, rotation first [N m/rad, N/m]; symmetric and positive semidefinite.
    damping : array_like, shape (6,) or (6, 6)
        D in the frame's axes, rotation first [N m s/rad, N s/m]; symmetric and positive semidefinite.
    nullspace_damping : float, default 2.0
        Rate c [1/s] of the motions that leave the frame where it is.
    joint_damping : array_like, shape () or (nv,), default 0.0
        Damping D_q of the joints themselves [N m s/rad, N s/m].

    Returns
    -------
    Controller
        The controller, with parameters `stiffness` and `damping` (6, 6), `nullspace_damping`, `joint_damping` and, for
        a pose to hold, `goal`.

    Raises
    ------
    InputError
        If an argument does not fit the robot, a matrix is not positive semidefinite, or a motion has no motor.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> goal = robot.pose([0.3, 0.8], "tip")
    >>> soft = kt.control.cartesian_impedance(robot, "tip", goal, [0, 5, 0, 80, 0, 80], [0, 1, 0, 15, 0, 15])
    >>> motion = robot.simulate([0.0, 0.4], [0.0, 0.0], t=5.0, dt=0.005, controller=soft)
    >>> motion.q[-1].round(2)
    array([0.3, 0.8])
    """
    check_motors(robot, "cartesian_impedance")
    if not isinstance(frame, str):
        raise InputError(f"frame must be the name of one frame, got {frame!r}; add the controllers of several")
    motion = goal_of(robot, frame, goal, needs_poses=True)
    law = FrameImpedanceLaw(frame, motion, tasks_of(robot.model, frame, "pose"), 3.0 * mass_of(robot))
    own = {
        "stiffness": form_of("stiffness", stiffness),
        "damping": form_of("damping", damping),
        "nullspace_damping": number_of("nullspace_damping", nullspace_damping),
        "joint_damping": gains(robot, "joint_damping", joint_damping),
    }
    is_held = motion.motion is None
    return Controller(
        robot=robot,
        law=law.law,
        name="cartesian_impedance",
        parameters={**own, **motion.parameters},
        storage=law.storage if is_held else None,
        dissipation="joint_damping" if is_held else None,
        nonnegative=("nullspace_damping", "joint_damping"),
    )


class FrameImpedanceLaw(NamedTuple):
    """Law and storage function of the impedance of a frame."""

    frame: str
    motion: Goal
    tasks: tuple[Task, ...]
    """The frame's twist."""
    largest: float
    """Bound of the inertia of the frame [kg, kg m²]."""

    def errors(self, model: Model, t: Any, q: Array, v: Array, goal: Array = None) -> tuple[Array, Array]:
        """ξ, and U − V."""
        X, V = algorithms.pose(model, q, frame=self.frame), algorithms.velocity(model, q, v, frame=self.frame)
        [(X_d, V_d, _)] = self.motion(t, goal)
        relative = se3.inverse(X) @ X_d
        if self.motion.motion is None:
            return se3.log(relative), -V
        Rt = se3.rotation(X_d).T
        return se3.log(relative), Ad(relative, concatenate([Rt @ V_d[:3], Rt @ V_d[3:]])) - V

    def idle(self, model: Model, q: Array, v: Array, at: TaskResponse) -> Array:
        """Nᵀ M N v (nv,), of the motions that leave the frame where it is."""
        J_bar = at.inverse(bounded_factors(at.compliance(), np.float64(self.largest))[0])
        inner = algorithms.mass_matrix(model, q) @ (v - J_bar @ (at.J @ v))
        return inner - at.J.T @ (J_bar.T @ inner)

    def law(self, model: Model, t: Array, q: Array, v: Array, **given: Array) -> Array:
        """Joint forces."""
        xi, W = self.errors(model, t, q, v, given.get("goal"))
        F = (given["stiffness"] @ xi) @ se3.left_jacobian_inverse(xi) + given["damping"] @ W
        at = task_response(model, q, self.tasks, "body")
        damped = given["nullspace_damping"] * self.idle(model, q, v, at) + given["joint_damping"] * v
        return driven_forces(model, q, holding_forces(model, q) + at.J.T @ F - damped)

    def storage(self, model: Model, t: Array, q: Array, v: Array, **given: Array) -> Array:
        """Kinetic energy, and that of the spring."""
        xi, _ = self.errors(model, t, q, v, given.get("goal"))
        return algorithms.kinetic_energy(model, q, v) + 0.5 * (xi @ (given["stiffness"] @ xi))


def form_of(name: str, x: Any) -> Float:
    """A symmetric matrix (6, 6) that is positive semidefinite, from itself or its diagonal.

    >>> form_of("stiffness", [1, 1, 1, 2, 2, 2]).diagonal()
    array([1., 1., 1., 2., 2., 2.])
    """
    found = as_reals(name, x)
    if found.shape not in ((6,), (6, 6)) or not np.isfinite(found).all():
        told = "six numbers or a matrix (6, 6) in the frame's axes, rotation first"
        raise InputError(f"{name} must be {told}; got {shorten(repr(x))}")
    matrix = np.diag(found) if found.ndim == 1 else found
    size = np.abs(matrix).max()
    if np.abs(matrix - matrix.T).max() > 1e-9 * size or np.linalg.eigvalsh(matrix).min() < -1e-9 * size:
        raise InputError(f"{name} must be symmetric and positive semidefinite: otherwise it has no energy")
    return (matrix + matrix.T) / 2
