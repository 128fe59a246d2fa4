"""Touches of convex shapes of any kind, by the normal along which they are farthest apart."""

from .touches import PAIRS, one_touch

__all__ = ["PAIRS", "one_touch"]
