"""Analytical derivatives, and linearisation."""
