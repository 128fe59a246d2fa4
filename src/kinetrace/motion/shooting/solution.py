"""What optimal control has found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import InputError
from ...simulate.protocol import Float
from ...support.plain import plain_count
from . import newton

MESSAGES = {
    newton.CONVERGED: "Another step would hardly decrease the cost.",
    newton.RUNNING: "There were not enough iterations to converge.",
    newton.STALLED: "No step decreases the cost, though its derivative is not zero.",
    newton.DIVERGED: "The first motion is not finite: begin with other forces, or with a guess of the states.",
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

    def __repr__(self) -> str:
        if self.cost.ndim:
            words, counts = np.unique(self.status, return_counts=True)
            told = ", ".join(f"{n} {word}" for word, n in zip(words, counts, strict=True))
            return f"OptimalControlSolution(batch {self.cost.shape}: {told})"
        return f"OptimalControlSolution({self.status}, cost {float(self.cost):.6g}, {int(self.iterations)} iterations)"

    @property
    def message(self) -> str:
        """What has been reached, as a sentence; of a batch, for how many problems."""
        told = [f"{int((self.status == word).sum())}: {text}" for word, text in MESSAGES.items() if word in self.status]
        return " ".join(told) if self.cost.ndim else MESSAGES[str(self.status)]

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
        if plain_count("steps", steps) > n:
            raise InputError(f"steps must be at most {n}, which the motion has; got {steps}")
        states = np.minimum(np.arange(n + 1) + steps, n)
        forces = np.minimum(np.arange(n) + steps, n - 1)
        return {
            "tau": self.tau[..., forces, :],
            "states": (self.q[..., states, :], self.v[..., states, :]),
        }
