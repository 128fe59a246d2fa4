"""Touches of convex shapes of any kind, by the normal along which they are farthest apart."""

from . import resting, touches

PAIRS = touches.PAIRS | resting.PAIRS
NEAREST = resting.NEAREST

__all__ = ["NEAREST", "PAIRS"]
