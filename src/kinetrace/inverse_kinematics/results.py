"""Results of inverse kinematics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..robot.types import Float

STATUS = {
    "converged": "the frames are at their goals",
    "unreachable": "a goal is farther from the base than links are long and joints can slide",
    "limits": "from every start the error ended in a local minimum; in the best one, joints are at their limits",
    "stalled": "from every start the error ended in a local minimum, the best one within the limits",
    "iterations": "the steps ran out before the error was small or least; allow more iterations",
    "preference": "the frames are at their goals, but q may not be as near to `rest` as can be; allow more iterations",
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
    success : bool, or ndarray of bool, shape (...)
        Whether all frames are at their goals to the tolerances, by poses computed anew from q.
    status : str, or ndarray of str, shape (...)
        Outcome: "converged"; "unreachable", if a goal is farther away than links are long and joints can slide;
        "limits" or "stalled", if the best configuration is a local minimum of the error, with joints at their limits or
        without, or one that follows several variables by a matrix is beyond its own: a solution elsewhere is not
        excluded; "iterations", if steps ran out before; "preference", a success, if the frames are at their goals, but
        steps ran out, or led away from them, before the distance from `rest` was the least.
    residual : ndarray, shape (..., k, 2)
        Distance [m] and angle [rad] of each of k frames from its goal, in the rows that count.
    iterations : int, or ndarray of int, shape (...)
        Steps taken, from all starts.
    starts : int, or ndarray of int, shape (...)
        Configurations that the search started from.
    frame : tuple of str
        Names of the frames, in the order of `residual`.

    Examples
    --------
    >>> import kinetrace as kt
    >>> found = kt.load("planar2r").inverse_kinematics([[1.2, 0.0, 0.9], [2.5, 0.0, 0.0]], "tip")
    >>> found
    InverseKinematics(1 of 2 solved, 1 'unreachable'; at most 0.5 m, 0 rad from the goal)
    >>> found[1].success, found[1].message
    (False, 'a goal is farther from the base than links are long and joints can slide')
    """

    q: Float
    success: Any
    status: Any
    residual: Float
    iterations: Any
    starts: Any
    frame: tuple[str, ...]

    @property
    def message(self) -> str:
        """Outcome in words, of all targets together."""
        counts = {name: int(np.sum(self.status == name)) for name in STATUS}
        if np.size(self.status) == 1:
            return next(STATUS[name] for name, n in counts.items() if n)
        return "; ".join(f"{n}: {STATUS[name]}" for name, n in counts.items() if n) or "no targets"

    def __repr__(self) -> str:
        if np.size(self.status) == 1:
            status = np.ravel(self.status).item()
            said = repr(status) if status != "converged" else "success"
        else:
            left = {name: int(np.sum(self.status == name)) for name in STATUS if name != "converged"}
            said = f"{int(self.success.sum())} of {self.success.size} solved"
            said += "".join(f", {n} {name!r}" for name, n in left.items() if n)
        worst = self.residual.reshape(-1, 2).max(axis=0, initial=0.0)
        return f"InverseKinematics({said}; at most {worst[0]:.2g} m, {worst[1]:.2g} rad from the goal)"

    def __getitem__(self, index: Any) -> InverseKinematics:
        """The result for some of the targets."""
        own = {
            name: as_scalar(np.asarray(getattr(self, name))[index])
            for name in ("success", "status", "iterations", "starts")
        }
        return InverseKinematics(q=self.q[index], residual=self.residual[index], frame=self.frame, **own)


def as_scalar(x: Any) -> Any:
    """A single entry as Python's own bool, str or int; arrays as they are.

    >>> as_scalar(np.array(True)), as_scalar(np.array([True]))
    (True, array([ True]))
    """
    return x.item() if np.ndim(x) == 0 else x
