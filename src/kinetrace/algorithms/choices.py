"""The static choices of algorithms, with their valid values as types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

ExpressedIn = Literal["body", "space", "aligned"]
"""Axes and origin of a frame's motion: its own; the world's; the world's axes at the frame's origin."""
GoalAxes = Literal["body", "aligned"]
"""Axes of a pose's error: those of the frame; the world's."""
RowNames = Literal["pose", "position", "orientation"]
"""Rows of a frame's twist: all six; the last three; the first three."""
Rows = RowNames | Sequence[int] | Sequence[RowNames | Sequence[int]]
"""Rows by name, or by their indices; or one such choice for each of several frames."""
Frames = str | Sequence[str]
"""The name of a frame, or several."""
CoriolisForm = Literal["christoffel", "skew", "newton"]
ChristoffelKind = Literal[1, 2]
InverseMethod = Literal["classical", "spatial"]
MassMethod = Literal["composite", "jacobians", "factors"]
ClosedMethod = Literal["sweeps", "factors", "quasi", "dense", "independent"]
ForwardMethod = Literal["FD1", "FD3", "FD4", "solve", "sweeps", "factors", "quasi", "dense", "independent"]
Measure = Literal["volume", "smallest", "condition", "dynamic"]
Least = Literal["torques", "forces"]
ExplicitMethod = Literal["semi-implicit", "euler", "rk4"]
StepMethod = Literal["semi-implicit", "euler", "rk4", "rkmk2", "rkmk4", "variational", "rosenbrock", "implicit"]


def as_tuples(x: Any) -> Any:
    """Lists, ranges and arrays as tuples, names and whole numbers as Python's own; anything else as it is.

    >>> as_tuples([range(3), np.array([3, 4]), "position"])
    ((0, 1, 2), (3, 4), 'position')
    """
    if isinstance(x, list | tuple | range) or (isinstance(x, np.ndarray) and x.ndim):
        return tuple(map(as_tuples, x))
    return str.__str__(x) if isinstance(x, str) else int(x) if isinstance(x, np.integer) else x
