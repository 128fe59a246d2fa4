"""Declarations of algorithms: arrays, choices, texts."""
