"""Robots in files: loading, saving, and the schema of JSON."""
