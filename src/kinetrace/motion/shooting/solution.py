"""Solutions of optimal control."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ...algorithms.registry.choices import StepMethod
from ...errors import InputError
from ...robot.types import Float
from ...simulation import Trajectory
from ...simulation.metadata import names_of
from ...support.conversion import as_count
from ...support.keywords import known_keywords
from .iteration import CONVERGED, DIVERGED, RUNNING, STALLED

if TYPE_CHECKING:
    from .optimal_control import OptimalControl

MESSAGES = {
    CONVERGED: "Another step would hardly decrease the cost.",
    RUNNING: "There were not enough iterations to converge.",
    STALLED: "No step decreases the cost, though its derivative is not zero.",
    DIVERGED: "The first motion is not finite: begin with other forces, or with a guess of the states.",
}
"""Status → what it means."""


@dataclass(frozen=True, eq=False)
class OptimalControlSolution:
    """Motions of least cost, and the feedback about them.

    Axes (...) are those of the batch.

    Parameters
    ----------
    q : ndarray, shape (..., steps + 1, nq)
        Configurations, the first one included.
    v : ndarray, shape (..., steps + 1, nv)
        Velocities [rad/s, m/s].
    tau : ndarray, shape (..., steps, nv)
        Joint forces [N m, N], zero in joints without motors.
    K : ndarray, shape (..., steps, nv, 2 nv)
        Feedback of the last Newton step: at another state, the forces are tau − K (q' ⊖ q, v' − v), as those of
        `Regulator` and `Tracker`.
    cost : ndarray, shape (...)
        Total cost.
    success : ndarray of bool, shape (...)
        Whether the status is "converged".
    status : ndarray of str, shape (...)
        Status "converged"; "iterations" if there were not enough of them to know that it has; "stalled" if no step
        decreases the cost, or the Hessian is not positive definite whatever the regularisation; "diverged" if the first
        motion is not finite.
    iterations : ndarray of int, shape (...)
        Number of Newton steps.
    gradient : ndarray, shape (...)
        Largest derivative of the total cost by a force that is not held at a bound; with the status "iterations",
        before the last step.
    gap : ndarray, shape (...)
        Largest entry by which a step misses the next state: zero for motions that obey the dynamics.
    control : OptimalControl, optional
        ShootingProblem that was solved.
    time : float, default 0.0
        Time at the beginning [s].

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> control = kt.motion.OptimalControl(robot, kt.motion.EffortCost(0.1), kt.motion.StateCost(10.0, 1.0), 20, 0.05)
    >>> found = control.solve([0.0, 0.0], [0.0, 0.0], parameters={"goal": [1.0, 0.5]})
    >>> found.q.shape, found.K.shape, bool(found.success)
    ((21, 2), (20, 2, 4), True)
    """

    q: Float
    v: Float
    tau: Float
    K: Float
    cost: Float
    success: Any
    status: Any
    iterations: Any
    gradient: Float
    gap: Float
    control: OptimalControl | None = field(default=None, repr=False)
    time: float = 0.0

    def __repr__(self) -> str:
        if self.cost.ndim:
            words, counts = np.unique(self.status, return_counts=True)
            told = ", ".join(f"{n} {word}" for word, n in zip(words, counts, strict=True))
            return f"OptimalControlSolution(batch {self.cost.shape}: {told})"
        return f"OptimalControlSolution({self.status}, cost {float(self.cost):.6g}, {int(self.iterations)} iterations)"

    @property
    def message(self) -> str:
        """Outcome as a sentence; of a batch, for how many problems."""
        told = [f"{int((self.status == word).sum())}: {text}" for word, text in MESSAGES.items() if word in self.status]
        return " ".join(told) if self.cost.ndim else MESSAGES[str(self.status)]

    def trajectory(self) -> Trajectory:
        """Motion as a `Trajectory`, whose rows are the steps, with the joint forces that are held during them.

        Returns
        -------
        Trajectory
            The motion, with the batch axes of the problems.

        Raises
        ------
        InputError
            If the problem that was solved is not known.

        Examples
        --------
        >>> import kinetrace as kt
        >>> robot = kt.load("planar2r")
        >>> costs = kt.motion.EffortCost(0.1), kt.motion.StateCost(10.0, 1.0)
        >>> control = kt.motion.OptimalControl(robot, *costs, 20, 0.05)
        >>> motion = control.solve([0.0, 0.0], [0.0, 0.0], parameters={"goal": [1.0, 0.5]}).trajectory()
        >>> float(motion.t[-1]), motion.q.shape, motion.method
        (1.0, (21, 2), 'semi-implicit')
        """
        control = self._solved()
        return self._recorded(control, self.q, self.v, control.method)

    @known_keywords
    def replayed(self, *, method: StepMethod = "rkmk4", substeps: int = 10) -> Trajectory:
        """Motion of the robot under the same forces, without feedback, in finer steps and by another integrator.

        The plan obeys one step of `method` per `dt`. How far it is from this motion at the end is its discretisation
        error, which feedback must make up for: a smaller `dt` or a better `method` of `OptimalControl` reduces it.

        Parameters
        ----------
        method : str, default "rkmk4"
            Integrator, as in `Robot.step`.
        substeps : int, default 10
            Number of steps of the integrator in each step of the plan.

        Returns
        -------
        Trajectory
            States at the times of the plan.

        Raises
        ------
        InputError
            If parameters of the robot differed between the problems, or an argument does not fit.

        Examples
        --------
        >>> import kinetrace as kt
        >>> robot = kt.load("planar2r")
        >>> costs = kt.motion.EffortCost(0.1), kt.motion.StateCost(10.0, 1.0)
        >>> for method in ("semi-implicit", "rk4"):
        ...     control = kt.motion.OptimalControl(robot, *costs, 40, 0.0125, method=method)
        ...     found = control.solve([0.0, 0.0], [0.0, 0.0], parameters={"goal": [1.0, 0.5]})
        ...     print(method, abs(robot.difference(found.q[-1], found.replayed().q[-1])).max().round(4))
        semi-implicit 0.0198
        rk4 0.0
        """
        control, n = self._solved(), as_count("substeps", substeps, 1)
        if control.inputs:
            raise InputError(
                f"replayed: {', '.join(control.inputs)} differ between problems; use robot.rollout for each"
            )
        tau, h = np.repeat(self.tau, n, axis=-2), control.dt / n
        held = None if control.stabilisation is None else np.array(control.stabilisation)
        q, v = control.robot.rollout(self.q[..., 0, :], self.v[..., 0, :], tau, h, method=method, stabilisation=held)
        rows = [np.concatenate([x[..., :1, :], y[..., n - 1 :: n, :]], axis=-2) for x, y in ((self.q, q), (self.v, v))]
        return self._recorded(control, rows[0], rows[1], method)

    def _solved(self) -> OptimalControl:
        if self.control is None:
            raise InputError("the problem of this solution is not known: OptimalControl.solve makes solutions with it")
        return self.control

    def _recorded(self, control: OptimalControl, q: Float, v: Float, method: str) -> Trajectory:
        """States at the times of the steps, with their forces."""
        t, robot = self.time + control.dt * np.arange(control.steps + 1.0), control.robot
        tau = np.concatenate([self.tau, self.tau[..., -1:, :]], axis=-2)
        return Trajectory(t, q, v, tau, control.dt, names_of(robot.model), robot.name, method, robot)

    def shifted(self, steps: int = 1) -> dict[str, Any]:
        """Guess for the same problem some steps later, for `OptimalControl.solve`.

        Parameters
        ----------
        steps : int, default 1
            Number of steps in time that have passed.

        Returns
        -------
        dict
            Keywords `tau` and `states`: those of the motion without its first steps; the last ones are repeated.

        Raises
        ------
        InputError
            If `steps` is negative or more than the motion has.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> robot = kt.load("planar2r")
        >>> costs = kt.motion.EffortCost(0.1), kt.motion.StateCost(10.0, 1.0)
        >>> control = kt.motion.OptimalControl(robot, *costs, 20, 0.05)
        >>> found = control.solve([0.0, 0.0], [0.0, 0.0], parameters={"goal": [1.0, 0.5]})
        >>> later = control.solve(found.q[1], found.v[1], parameters={"goal": [1.0, 0.5]}, **found.shifted())
        >>> bool(later.iterations <= found.iterations)
        True
        """
        n = self.tau.shape[-2]
        if as_count("steps", steps) > n:
            raise InputError(f"steps must be at most {n}, which the motion has; got {steps}")
        states = np.minimum(np.arange(n + 1) + steps, n)
        forces = np.minimum(np.arange(n) + steps, n - 1)
        return {
            "tau": self.tau[..., forces, :],
            "states": (self.q[..., states, :], self.v[..., states, :]),
        }
