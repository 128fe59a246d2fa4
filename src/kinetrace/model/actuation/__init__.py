"""Actuators and keyframes of a model: records, what edits make of them, and their checks."""
