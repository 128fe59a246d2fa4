"""Targets for traced programs."""
