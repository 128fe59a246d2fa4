"""Time scaling of paths."""
