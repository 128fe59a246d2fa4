"""Constraints on the velocity after a step in time: their rows and sets, for `time.constrained_steps` to solve."""
