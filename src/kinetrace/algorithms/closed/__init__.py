"""Closed loops in numbers: configurations in which they are closed, and what they leave free to move."""
