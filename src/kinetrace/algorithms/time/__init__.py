"""Steps in time, and rollouts."""
