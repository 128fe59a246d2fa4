"""The static choices of algorithms, with their valid values as types."""

from __future__ import annotations

from typing import Literal

Axes = Literal["body", "space", "aligned"]
"""Axes and origin of a frame's motion: its own; the world's; the world's axes at the frame's origin."""
CoriolisForm = Literal["christoffel", "skew", "newton"]
ChristoffelKind = Literal[1, 2]
InverseMethod = Literal["classical", "spatial"]
MassMethod = Literal["composite", "jacobians", "factors"]
ClosedMethod = Literal["sweeps", "factors", "quasi", "dense", "independent"]
ForwardMethod = Literal["FD1", "FD3", "FD4", "solve", "sweeps", "factors", "quasi", "dense", "independent"]
Least = Literal["torques", "forces"]
ExplicitMethod = Literal["semi-implicit", "euler", "rk4"]
StepMethod = Literal["semi-implicit", "euler", "rk4", "rkmk2", "rkmk4", "variational", "rosenbrock"]
