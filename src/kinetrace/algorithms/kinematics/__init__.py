"""Poses, velocities, accelerations and Jacobians."""
