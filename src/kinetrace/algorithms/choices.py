"""The static choices of algorithms, with their valid values as types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

Axes = Literal["body", "space", "aligned"]
"""Axes and origin of a frame's motion: its own; the world's; the world's axes at the frame's origin."""
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
Least = Literal["torques", "forces"]
ExplicitMethod = Literal["semi-implicit", "euler", "rk4"]
StepMethod = Literal["semi-implicit", "euler", "rk4", "rkmk2", "rkmk4", "variational", "rosenbrock"]
