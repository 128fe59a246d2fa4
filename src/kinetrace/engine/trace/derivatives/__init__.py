"""Derivatives of traced expressions, loops and choices."""
