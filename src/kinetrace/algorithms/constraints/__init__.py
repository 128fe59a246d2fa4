"""Constraints on the velocity after a step in time: rows with sets, who gives them, and who solves for them."""
