"""`Robot`: a model with its compiled functions. Its methods by subject, and what finds the kernel for a call."""

from .robot import Robot

__all__ = ["Robot"]
