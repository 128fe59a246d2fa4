"""What inverse kinematics returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .protocol import Float

STATUS = {
    "converged": "the frames are at their goals",
    "unreachable": "a goal is farther from the base than the links are long",
    "limits": "from every start the error ended in a local minimum; in the best one, joints are at their limits",
    "stalled": "from every start the error ended in a local minimum, the best one within the limits",
    "iterations": "the steps ran out before the error was small or least; allow more iterations",
}
"""Status → what it means."""


@dataclass(frozen=True, eq=False)
class InverseKinematics:
    """Configurations found for goals of frames, one for each target.

    `Robot.inverse_kinematics` makes it. Where there is no success, q is the best configuration found: within the
    limits, with loops closed.

    Parameters
    ----------
    q : ndarray, shape (..., nq)
        Configurations.
    success : ndarray of bool, shape (...)
        Whether all frames are at their goals to the tolerances, by poses computed anew from q.
    status : ndarray of str, shape (...)
        Outcome: "converged"; "unreachable", if a goal is farther away than the links are long; "limits" or "stalled",
        if the best configuration is a local minimum of the error, with joints at their limits or without: a solution
        elsewhere is not excluded; "iterations", if steps ran out before.
    residual : ndarray, shape (..., k, 2)
        Distance [m] and angle [rad] of each of k frames from its goal, in the rows that count.
    iterations : ndarray of int, shape (...)
        Steps taken, from all starts.
    starts : ndarray of int, shape (...)
        Configurations that the search started from.
    frame : tuple of str
        Names of the frames, in the order of `residual`.
    """

    q: Float
    success: npt.NDArray[np.bool_]
    status: npt.NDArray[np.str_]
    residual: Float
    iterations: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]
    frame: tuple[str, ...]

    @property
    def message(self) -> str:
        """Outcome in words, of all targets together."""
        counts = {name: int(np.sum(self.status == name)) for name in STATUS}
        if self.status.size == 1:
            return next(STATUS[name] for name, n in counts.items() if n)
        return "; ".join(f"{n}: {STATUS[name]}" for name, n in counts.items() if n) or "no targets"

    def __repr__(self) -> str:
        if self.status.size == 1:
            said = "success" if np.all(self.success) else f"{self.status.item()!r}"
        else:
            left = {name: int(np.sum((self.status == name) & ~self.success)) for name in STATUS}
            said = f"{int(self.success.sum())} of {self.success.size} solved"
            said += "".join(f", {n} {name!r}" for name, n in left.items() if n)
        worst = self.residual.reshape(-1, 2).max(axis=0, initial=0.0)
        return f"InverseKinematics({said}; at most {worst[0]:.2g} m, {worst[1]:.2g} rad from the goal)"

    def __getitem__(self, index: Any) -> InverseKinematics:
        """The result for some of the targets."""
        own = {
            name: getattr(self, name)[index] for name in ("q", "success", "status", "residual", "iterations", "starts")
        }
        return InverseKinematics(**own, frame=self.frame)
