"""Impulses of contacts with friction: the problem, two solvers, and its derivatives."""
